//! The reference page of the format, made from the table that decodes it.

use crate::key::{Key, Kind, Section};
use crate::quantity::example;
use crate::table::{ARRAYS, SCENARIO};

const HEAD: &str = "\
# Scenario files

<!-- Generated from the key table of crates/scenario; `cargo run -p farpath-scenario --example reference` prints it. -->

A scenario is one TOML file. An unknown key is an error. Quantities carry their unit: `\"58 ms\"`, `\"10 Gbit/s\"`,
`\"64 MiB\"`; `kB MB GB` are decimal, `KiB MiB GiB` binary; only counts and ratios are bare numbers, and MTUs, packet sizes
and sysctls, which are bytes. Names are made of `A-Z a-z 0-9 _ -`. [Write a scenario](../guides/write-a-scenario.md) shows
how it is used.

Any key of a named table can be set from outside: `--set SECTION.NAME.KEY=VALUE`, such as `--set link.stm64.delay=10ms`,
`--set link.stm64.forward.queue=1bdp` or `--set scenario.seed=7`. The value is read as TOML if it is a number, a boolean, an
array or an inline table, else as text. Of two keys that say the same in two ways (`window`, `socket_buffer`), setting one
removes the other.
";

const TAIL: &str = "
## `[sweep]`

Keys are `--set` paths in quotes, values are lists: `\"test.bulk.window\" = [\"8 MiB\", \"16 MiB\"]`. The scenario runs once for
each point of the product; the last key varies fastest. `at` in an `[[expect]]` picks points.

## Where frames wait and what is lost

A direction that leaves a host waits in the host's `txqueuelen` unless the link says `queue`; one that leaves a router may
hold 1000 packets. Causes of loss act in this order, whatever the order of the keys: `lose`, `lose_every`, `loss`,
`gilbert_elliott`, `bit_error_rate`. In an `[[event]]` they replace all that were in force; `loss = 0` ends them.

## Metrics

`TEST.METRIC` of a ping: `rtt_min_ns rtt_avg_ns rtt_max_ns rtt_p50_ns rtt_p99_ns sent received loss_ratio`; of a tcp test:
`goodput_bps bytes completion_ns retransmits rtos cwnd_max_bytes rtt_min_ns rtt_avg_ns rtt_max_ns recovery_s ramp_s
jain_index`; of a udp test: `sent_bps goodput_bps loss_ratio jitter_ns reordered`. `link.NAME.A>B.METRIC`: `bytes
payload_bytes frames rate_mean_bps rate_max_bps queue_max_bytes drops drops.REASON` (tail, red, policed, error, mtu, ttl,
no_route, down, host, scripted). `search.NAME.METRIC`: `highest_bps lowest_failing_bps`. The unit is last in the name; bounds may carry any unit of that kind.
";

/// `docs/reference/scenario.md`.
pub fn reference() -> String {
    let mut page = HEAD.to_owned();
    print(&mut page, "scenario", &SCENARIO);
    for section in ARRAYS {
        print(&mut page, &format!("[{}]", section.name), section);
        for key in section.keys {
            if let Kind::Table(inside) | Kind::Tables(inside) = &key.kind {
                let title = format!("{}.{}", section.name, key.name);
                // Both directions have the same keys, and so have all tables of losses.
                if !page.contains(&format!("\n{}\n", inside.doc)) {
                    print(&mut page, &title, inside);
                }
            }
        }
    }
    page.push_str(TAIL);
    page
}

fn print(page: &mut String, title: &str, section: &Section) {
    page.push_str(&format!("\n## `[{title}]`\n\n{}\n\n", section.doc));
    page.push_str("| key | value | default | |\n|---|---|---|---|\n");
    for key in section.keys {
        page.push_str(&row(key));
    }
}

fn row(key: &Key) -> String {
    let default = if key.required {
        "**required**"
    } else {
        key.default
    };
    let only = if key.only.is_empty() {
        String::new()
    } else {
        format!("{}: ", key.only.join(", "))
    };
    let doc = format!("{only}{}", key.doc).replace('|', "\\|");
    format!(
        "| `{}` | {} | {default} | {doc} |\n",
        key.name,
        value(&key.kind)
    )
}

fn value(kind: &Kind) -> String {
    let words = |words: &[&str]| {
        words
            .iter()
            .map(|w| format!("`{w}`"))
            .collect::<Vec<_>>()
            .join(" ")
    };
    match kind {
        Kind::Text => "text".to_owned(),
        Kind::Name => "name".to_owned(),
        Kind::Bool => "`true` `false`".to_owned(),
        Kind::Int { min, max } if *max >= 1_000_000_000 => format!("number from {min}"),
        Kind::Int { min, max } => format!("{min} to {max}"),
        Kind::Octets { min, max } => format!("bytes, {min} to {max}"),
        Kind::Span { .. } => "time, `\"58 ms\"`".to_owned(),
        Kind::Rate => "rate, `\"1 Gbit/s\"`".to_owned(),
        Kind::Size { .. } => "size, `\"64 MiB\"`".to_owned(),
        Kind::Sysctl => "bytes".to_owned(),
        Kind::SysctlTriple => "three numbers of bytes in quotes".to_owned(),
        Kind::Ratio => "ratio, `1e-4` or `\"0.01 %\"`".to_owned(),
        Kind::BitErrorRate => "ratio, `1e-12`".to_owned(),
        Kind::Queue => "`\"512 KiB\"` `\"1000 packets\"` `\"10 ms\"` `\"1bdp\"`".to_owned(),
        Kind::Class => "DSCP name or 0 to 255".to_owned(),
        Kind::Framing => words(&crate::signal::words()),
        Kind::Choice(list) => words(list),
        Kind::Choices(list) => format!("list of {}", words(list)),
        Kind::Ref(of) => format!("name of a {of}"),
        Kind::Refs { of, min, max } if min == max => format!("{min} names of {of}s"),
        Kind::Refs { of, .. } => format!("list of {of} names"),
        Kind::Texts => "list of texts".to_owned(),
        Kind::Bound => "number, or quantity in quotes".to_owned(),
        Kind::Table(_) => "table, below".to_owned(),
        Kind::Tables(_) => "table or list of tables, below".to_owned(),
        Kind::Point => format!("table, `{}`", example(kind)),
    }
}
