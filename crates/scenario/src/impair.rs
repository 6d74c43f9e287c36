//! What links do to frames besides losing them, read from text.

use std::sync::Arc;

use farpath_element::impair::{Chance, Distribution, Finder, FlapSpec, Impairments};
use farpath_units::{Duration, Rate, Ratio};

use crate::columns::{self, Fault, MOST_ROWS, microseconds};
use crate::decode::{At, Fields};
use crate::diagnostic::{Diagnostic, shorten};
use crate::model::{Host, Scenario};
use crate::source::Beside;
use crate::trace;

/// Longest delay that is added to a frame.
const LONGEST: Duration = Duration::from_secs(1000);
/// `max` of a Pareto distribution, in means, when it is not given.
const PARETO_MEANS: u64 = 1000;
const HEADER: &str = "delay_us";

/// The impairments of one direction; the first layer that has a key says what it is.
fn impairments(layers: &[&Fields], folder: &Beside, faults: &mut Vec<Diagnostic>) -> Impairments {
    let table = |key: &str| layers.iter().find_map(|f| f.get::<Fields>(key));
    let jitter = table("jitter");
    let reordering = table("reordering");
    let says_order = layers.iter().any(|f| f.has("reorder"));
    let jitter = jitter.and_then(|f| jitter_of(&f, folder, faults));
    let held = reordering.as_ref().and_then(|f| {
        let chance = chance(f, ["share", "every"], faults)?;
        Some((chance, short_enough(f, "by", faults)?))
    });
    if let (Some(_), Some(_), Some(f), false) = (&jitter, &held, &reordering, says_order) {
        let title = "`jitter` and `reordering` are both set: say whether jitter may reorder";
        let help = "write reorder = false if only frames that are held back are overtaken, or reorder = true";
        faults.push(Diagnostic::new(f.span.clone(), title).help(help));
    }
    Impairments {
        jitter,
        reordering: held,
        duplication: table("duplication").and_then(|f| {
            let chance = chance(&f, ["share", "every"], faults)?;
            let after = match f.has("after") {
                true => short_enough(&f, "after", faults)?,
                false => Duration::ZERO,
            };
            Some((chance, after))
        }),
        corruption: table("corruption").and_then(|f| corruption(&f, faults)),
        flap: table("flap").and_then(|f| flap(&f, faults)),
        trace: table("rate_trace").and_then(|f| trace::trace(&f, folder, faults)),
    }
}

/// Shorter than any interface notices a loss of signal, and a run would do nothing but change.
const SHORTEST_FLAP: Duration = Duration::from_us(1);

fn flap(f: &Fields, faults: &mut Vec<Diagnostic>) -> Option<FlapSpec> {
    for key in ["up", "down"] {
        if f.get::<Duration>(key).is_some_and(|t| t < SHORTEST_FLAP) {
            let title = format!("`{key}` of a flap below 1 us");
            let help = "no interface changes so fast: write 1 us or more";
            let d = Diagnostic::new(f.place(key), title).help(help);
            if !faults.contains(&d) {
                faults.push(d);
            }
        }
    }
    Some(FlapSpec {
        up: f.get("up")?,
        down: f.get("down")?,
        random: f.get("random").unwrap_or(false),
        holds: f.get::<String>("while_down").as_deref() == Some("hold"),
    })
}

/// The impairments of a direction that host `sender`, if it is one, sends on, and its mean rate if that
/// follows a trace.
pub(crate) fn of_way(
    layers: &[&Fields],
    sender: Option<&Host>,
    folder: &Beside,
    faults: &mut Vec<Diagnostic>,
) -> (Impairments, Option<Rate>) {
    check_trace(layers, sender.map(|h| h.name.as_str()), faults);
    let found = impairments(layers, folder, faults);
    let traced = found.trace.as_ref();
    let traced = traced.and_then(|t| Rate::from_bps(t.long_term_bps()));
    (found, traced)
}

/// What a trace leaves no room for: another rate, or a host's interface, which knows one rate.
fn check_trace(layers: &[&Fields], sender: Option<&str>, faults: &mut Vec<Diagnostic>) {
    let Some(at) = layers.iter().position(|f| f.has("rate_trace")) else {
        return;
    };
    let f = layers[at];
    // The link's `rate` is the other direction's where this one has a trace of its own.
    if let Some(with) = layers[..=at].iter().find(|l| l.has("rate")) {
        let title = "`rate` beside `rate_trace`";
        let help = "the file says what the rate is: remove one of them";
        faults.push(Diagnostic::new(with.place("rate"), title).help(help));
    }
    if let Some(host) = sender {
        let title = format!("`rate_trace` on a direction that host `{host}` sends on");
        let help = "put a router behind the host, and the trace on the link behind that; or write it under `forward` or `reverse`";
        faults.push(Diagnostic::new(f.place("rate_trace"), title).help(help));
    }
}

/// Events that change what changes by itself.
pub(crate) fn check_event(f: &Fields, scenario: &Scenario, faults: &mut Vec<Diagnostic>) {
    let name: Option<String> = f.get("link");
    let Some(link) = scenario
        .links
        .iter()
        .find(|l| Some(&l.name) == name.as_ref())
    else {
        return;
    };
    let any = |has: fn(&Impairments) -> bool| link.directions.iter().any(|d| has(&d.impairments));
    for (key, what, is_so) in [
        ("up", "flaps", any(|i| i.flap.is_some())),
        ("rate", "follows a trace", any(|i| i.trace.is_some())),
    ] {
        if f.has(key) && is_so {
            let title = format!(
                "an event sets `{key}` of link `{}`, which {what}",
                link.name
            );
            let help =
                "a link has one or the other: remove the event, or what the link does by itself";
            faults.push(Diagnostic::new(f.place(key), title).help(help));
        }
    }
}

/// Which frames something happens to; nothing when that is none.
fn chance(f: &Fields, keys: [&str; 2], faults: &mut Vec<Diagnostic>) -> Option<Chance> {
    let share = f.get::<Ratio>("share").map(|p| Chance::Share(p.get()));
    let every = f.get::<i64>("every").map(i64::unsigned_abs);
    let bits = f.get::<f64>("bit_error_rate").map(Chance::Bits);
    if !keys.iter().any(|k| f.has(k)) {
        let title = format!("no `{}` and no `{}`: which frames?", keys[0], keys[1]);
        let help = format!("add {} = \"1 %\", or `{}`", keys[0], keys[1]);
        faults.push(Diagnostic::new(f.span.clone(), title).help(help));
    }
    let found = share.or(every.map(Chance::EveryNth)).or(bits);
    found.filter(|c| !matches!(c, Chance::Share(p) | Chance::Bits(p) if *p == 0.0))
}

fn short_enough(f: &Fields, key: &str, faults: &mut Vec<Diagnostic>) -> Option<Duration> {
    let time: Duration = f.get(key)?;
    if time <= LONGEST {
        return Some(time);
    }
    let title = format!("`{key}` is longer than {LONGEST}");
    let help = "a frame that late is as good as lost: write `loss`";
    faults.push(Diagnostic::new(f.place(key), title).help(help));
    None
}

fn corruption(f: &Fields, faults: &mut Vec<Diagnostic>) -> Option<(Chance, Finder)> {
    let by_checksum = f.get::<String>("found_by").as_deref() == Some("checksum");
    if f.has("undetected") && !by_checksum {
        let title = "`undetected` where the interface finds the damage";
        let help = "a 32-bit CRC lets next to nothing through; write found_by = \"checksum\"";
        faults.push(Diagnostic::new(f.place("undetected"), title).help(help));
    }
    let undetected = f.get::<Ratio>("undetected").map_or(0.0, Ratio::get);
    let finder = match by_checksum {
        true => Finder::Checksum { undetected },
        false => Finder::Crc,
    };
    Some((chance(f, ["share", "bit_error_rate"], faults)?, finder))
}

/// Whether a distribution has the keys that it needs, and no others.
fn fits(f: &Fields, word: &str, faults: &mut Vec<Diagnostic>) {
    let (needs, may): (&[&str], &[&str]) = match word {
        "normal" => (&["mean", "std"], &[]),
        "pareto" => (&["mean"], &["shape", "max"]),
        "pareto-normal" => (&["mean", "std"], &["shape", "max"]),
        "table" => (&["file"], &[]),
        _ => (&["max"], &[]),
    };
    let missing = needs.iter().find(|k| !f.has(k));
    if let Some(missing) = missing {
        let title = format!("jitter of distribution `{word}` has no `{missing}`");
        let example = match *missing {
            "file" => "the name of a CSV file beside the scenario",
            _ => "a time such as \"2 ms\"",
        };
        let help = format!("add `{missing}`: {example}");
        faults.push(Diagnostic::new(f.span.clone(), title).help(help));
    }
    let common = ["distribution", "correlation"];
    let known = |k: &&str| needs.contains(k) || may.contains(k) || common.contains(k);
    if let Some(other) = f.keys().find(|k| !known(k)) {
        let title = format!("jitter of distribution `{word}` has no use for `{other}`");
        let takes: Vec<&str> = needs.iter().chain(may).copied().collect();
        let help = format!("it takes {}", takes.join(", "));
        faults.push(Diagnostic::new(f.place(other), title).help(help));
    }
}

fn jitter_of(
    f: &Fields,
    folder: &Beside,
    faults: &mut Vec<Diagnostic>,
) -> Option<(Distribution, f64)> {
    let word = f.get::<String>("distribution");
    let word = word.as_deref().unwrap_or("uniform");
    fits(f, word, faults);
    let correlation = f.get::<Ratio>("correlation").map_or(0.0, Ratio::get);
    if correlation == 1.0 {
        let title = "`correlation` of 1: every frame would be delayed alike";
        let help = "write a value below 1, or raise `delay` instead";
        faults.push(Diagnostic::new(f.place("correlation"), title).help(help));
    }
    let mean = || short_enough(f, "mean", &mut Vec::new());
    for key in ["mean", "std", "max"] {
        short_enough(f, key, faults);
    }
    let max = |mean: Duration| {
        let max = f.get("max").unwrap_or(mean.times(PARETO_MEANS));
        max.min(LONGEST)
    };
    let shape = f.get::<f64>("shape").unwrap_or(3.0);
    let distribution = match word {
        "normal" => Distribution::Normal {
            mean: mean()?,
            std: f.get("std")?,
        },
        "pareto" => Distribution::Pareto {
            mean: mean()?,
            shape,
            max: max(mean()?),
        },
        "pareto-normal" => Distribution::ParetoNormal {
            mean: mean()?,
            std: f.get("std")?,
            shape,
            max: max(mean()?),
        },
        "table" => Distribution::Table(delays(folder, &f.at::<String>("file")?, faults)?),
        _ => Distribution::Uniform { max: f.get("max")? },
    };
    // One that never delays takes away what another value would add.
    (!never_delays(&distribution)).then_some((distribution, correlation))
}

fn never_delays(delays: &Distribution) -> bool {
    let zero = |d: &Duration| *d == Duration::ZERO;
    match delays {
        Distribution::Uniform { max } => zero(max),
        Distribution::Normal { mean, std } => zero(mean) && zero(std),
        Distribution::Pareto { mean, max, .. } => zero(mean) || zero(max),
        Distribution::ParetoNormal { mean, std, max, .. } => zero(max) || (zero(mean) && zero(std)),
        Distribution::Table(all) => all.iter().all(zero),
    }
}

/// The measured delays in the file that `path` names, in the scenario's folder.
fn delays(
    folder: &Beside,
    path: &At<String>,
    faults: &mut Vec<Diagnostic>,
) -> Option<Arc<[Duration]>> {
    let delays = columns::read(folder, path, &["csv"], parse_delays, faults)?;
    Some(delays.into())
}

/// Delays in microseconds, one a line under a header; sorted.
fn parse_delays(text: &str) -> Result<Vec<Duration>, Fault> {
    let mut lines = text.lines().enumerate();
    let header = lines.next().map_or("", |(_, l)| l);
    if header != HEADER {
        let title = format!("`{}` is not a valid header", shorten(header));
        return Err(Fault::new(0, title, "begin with a line `delay_us`"));
    }
    let mut delays = Vec::new();
    for (n, line) in lines {
        let Some(delay) = microseconds(line).filter(|d| *d <= LONGEST) else {
            let title = format!("`{}` is not a valid delay", shorten(line));
            let remedy = "microseconds without a unit, at least 0 and at most 10^9, such as 12.5";
            return Err(Fault::new(n, title, remedy));
        };
        if delays.len() == MOST_ROWS {
            return Err(Fault::too_many(n, "at most a million are drawn from"));
        }
        delays.push(delay);
    }
    if delays.is_empty() {
        let title = "there is no delay in it".to_owned();
        return Err(Fault::new(0, title, "add lines with one number each"));
    }
    delays.sort_unstable();
    Ok(delays)
}

#[cfg(test)]
mod tests {
    use farpath_mutate::{Corpus, run};

    use super::*;
    use crate::columns::ODD;

    #[test]
    fn delays_are_read_exactly_and_sorted() {
        let found = parse_delays("delay_us\n12.5\n0\n3.000001\n");
        let wanted = [0, 3_000_001, 12_500_000].map(Duration::from_ps);
        assert_eq!(found, Ok(wanted.to_vec()));
    }

    #[test]
    fn faults_name_their_line() {
        for (text, line) in [
            ("", 1),
            ("delay\n1\n", 1),
            ("delay_us\n", 1),
            ("delay_us\n1\n-2\n", 3),
            ("delay_us\n1e3\n", 2),
            ("delay_us\n1\n\n2\n", 3),
            ("delay_us\n1.0000001\n", 2),
            ("delay_us\n1000000001\n", 2),
            ("delay_us\n1 ms\n", 2),
        ] {
            let fault = parse_delays(text).expect_err(text);
            assert_eq!(fault.line, line, "{text}: {fault:?}");
        }
    }

    #[test]
    fn files_are_read_or_refused() {
        let corpus = Corpus::of(["delay_us\n0\n12.5\n100\n7.000001\n"]).odd(&ODD);
        let outcomes = run(&corpus, |text, _| match parse_delays(text) {
            Ok(_) => "read",
            Err(_) => "refused",
        });
        outcomes.at_least("read", 0.05).at_least("refused", 0.05);
    }
}
