//! Keys of a TCP test that the models know and no kernel is set to.

use farpath_emu::settings::has_rack_alone;
use farpath_record::Taken;
use farpath_scenario::{NodeId, Scenario, Tcp, Test, Tool};
use farpath_tcp::{Algorithm, Flavour, Pacing, Profile, SlowStart};

/// A key, what a kernel has there, and whether the test has something else.
type Key = (&'static str, &'static str, bool);

/// A note on the keys of `test` that real hosts take no notice of, with what their kernels have there; none where that is what the
/// test has. `is_own`: its congestion control is the kernel's own, and no program registered for it.
pub(crate) fn words(scenario: &Scenario, test: &Test, is_own: bool) -> Option<String> {
    let tcp = test.kind.tcp()?;
    let (source, sink) = test.data_ends();
    let profile = |node: NodeId| scenario.hosts.get(node.0).map(|h| h.profile);
    let (sender, receiver) = (
        profile(source).unwrap_or_default(),
        profile(sink).unwrap_or_default(),
    );
    let keys = [
        recovery(tcp, sender),
        timers(tcp, sender),
        acknowledgements(tcp, receiver),
        congestion(test, tcp, (sender, is_own)),
    ];
    let apart = keys.iter().flatten().filter(|(_, _, apart)| *apart);
    let apart: Vec<String> = apart
        .map(|(key, has, _)| format!("`{key}` (there: {has})"))
        .collect();
    (!apart.is_empty()).then(|| {
        format!(
            "of the model alone, which no kernel is set to: {}",
            apart.join(", ")
        )
    })
}

/// That `sender` has RACK although its test has none, where `taken` says that its kernel knows nothing else.
pub(crate) fn rack(test: &Test, sender: &str, taken: &Taken) -> Option<String> {
    let tcp = test.kind.tcp()?;
    let host = taken.hosts.iter().find(|host| host.name == sender)?;
    let release = host.kernel.as_deref()?;
    let is_linux = host.os.as_deref() == Some("linux");
    let is_apart = tcp.sack && !tcp.recovery.rack && is_linux && has_rack_alone(release);
    is_apart.then(|| {
        format!(
            "without RACK in the model alone: with SACK, Linux from 6.17 on finds losses by RACK always, and this one is {release}"
        )
    })
}

/// Whether a value is neither a current kernel's nor that of the host's time, which the note on its profile speaks of.
fn is_apart<T: PartialEq>(value: &T, of: impl Fn(Profile) -> T, host: Profile) -> bool {
    [Profile::Linux6, host].iter().all(|p| of(*p) != *value)
}

fn recovery(tcp: &Tcp, sender: Profile) -> Vec<Key> {
    let own = &tcp.recovery;
    vec![
        (
            "reduction",
            "prr",
            is_apart(&own.reduction, |p| p.recovery().reduction, sender),
        ),
        (
            "newreno",
            "true",
            !tcp.sack && is_apart(&own.newreno, |p| p.recovery().newreno, sender),
        ),
        (
            "limited_transmit",
            "true",
            is_apart(
                &own.limited_transmit,
                |p| p.recovery().limited_transmit,
                sender,
            ),
        ),
        (
            "eifel",
            "true",
            tcp.timestamps && is_apart(&own.eifel, |p| p.recovery().eifel, sender),
        ),
    ]
}

fn timers(tcp: &Tcp, sender: Profile) -> Vec<Key> {
    let own = &tcp.rto;
    vec![
        (
            "rto_floor",
            "variation",
            is_apart(&own.floor, |p| p.rto().floor, sender),
        ),
        (
            "rto_granularity",
            "0 s",
            is_apart(&own.granularity, |p| p.rto().granularity, sender),
        ),
        (
            "rto_initial",
            "1 s",
            is_apart(&own.initial, |p| p.rto().initial, sender),
        ),
        (
            "rto_max",
            "120 s",
            is_apart(&own.largest, |p| p.rto().largest, sender),
        ),
    ]
}

fn acknowledgements(tcp: &Tcp, receiver: Profile) -> Vec<Key> {
    let delayed = tcp.delayed_ack;
    vec![
        ("delayed_ack", "2", delayed.every != 2),
        (
            "delayed_ack_timeout",
            "40 ms",
            is_apart(&delayed.timeout, Profile::delayed_ack_timeout, receiver),
        ),
        (
            "quick_acks",
            "16",
            is_apart(&tcp.quick_acks, Profile::quick_acks, receiver),
        ),
    ]
}

fn congestion(test: &Test, tcp: &Tcp, (sender, is_own): (Profile, bool)) -> Vec<Key> {
    let cc = &tcp.cc;
    let is_own = is_own && cc.object.is_none();
    let growth = matches!(
        cc.slow_start,
        SlowStart::Limited { .. } | SlowStart::HyStartPlusPlus
    );
    let burst = cc.pacing.map(|pacing| pacing.burst);
    let burst = burst.is_some_and(|burst| burst != Pacing::default().burst);
    let unpaced = test.tool == Tool::Iperf3
        && cc.algorithm != Algorithm::Bbr
        && cc.pacing.is_some_and(|pacing| pacing.most.is_none());
    vec![
        (
            "flavour",
            "linux",
            is_own && cc.flavour == Flavour::Rfc && sender.flavour() != Flavour::Rfc,
        ),
        ("slow_start", "its own", growth),
        ("remembered_window", "none", cc.remembered_window.is_some()),
        ("pacing", "none with iperf3", unpaced),
        ("gso", "64 KiB", burst),
    ]
}

#[cfg(test)]
mod tests {
    use farpath_record::Host;
    use farpath_scenario::plan::{Plan, address};
    use farpath_scenario::{Source, parse};

    use super::*;
    use crate::planned::{Hosts, plan_jobs};

    fn scenario(host: &str, keys: &str) -> Scenario {
        let text = format!(
            "[scenario]\nname = \"s\"\n[[host]]\nname = \"a\"\n{host}\n[[host]]\nname = \"b\"\n[[link]]\nname = \"l\"\n\
             ends = [\"a\", \"b\"]\nrate = \"10 Mbit/s\"\ndelay = \"5 ms\"\n[[test]]\nname = \"t\"\nkind = \"tcp\"\n\
             from = \"a\"\nto = \"b\"\nduration = \"10 s\"\n{keys}\n"
        );
        let name = "s.toml".to_owned();
        parse(&Source { name, text }, &[]).unwrap_or_else(|e| panic!("{e}"))
    }

    /// What is said of a test with these keys between real hosts.
    fn notes(host: &str, keys: &str) -> Vec<String> {
        let scenario = scenario(host, keys);
        let plan = Plan::new(&scenario).expect("a plan");
        let planned = plan_jobs(&scenario, &plan, 1, &Hosts::at(&address));
        planned.notes.get(&0).cloned().unwrap_or_default()
    }

    #[test]
    fn what_no_kernel_is_set_to_is_said_by_key() {
        for (keys, said) in [
            ("eifel = false", "`eifel` (there: true)"),
            ("reduction = \"at-once\"", "`reduction` (there: prr)"),
            ("limited_transmit = false", "`limited_transmit`"),
            ("sack = false\nnewreno = false", "`newreno`"),
            ("rto_floor = \"timeout\"", "`rto_floor`"),
            ("rto_granularity = \"10 ms\"", "`rto_granularity`"),
            ("rto_initial = \"3 s\"", "`rto_initial`"),
            ("rto_max = \"60 s\"", "`rto_max`"),
            ("delayed_ack = 1", "`delayed_ack`"),
            ("delayed_ack_timeout = \"200 ms\"", "`delayed_ack_timeout`"),
            ("quick_acks = 0", "`quick_acks`"),
            ("cc = \"reno\"\nflavour = \"rfc\"", "`flavour`"),
            ("slow_start = \"limited\"", "`slow_start`"),
            ("remembered_window = 50", "`remembered_window`"),
            ("pacing = true\ngso = \"8 KiB\"", "`gso`"),
            ("tool = \"iperf3\"\npacing = true", "`pacing`"),
            ("tool = \"iperf3\"\neifel = false", "`eifel`"),
        ] {
            let notes = notes("", keys);
            let of_model = notes.iter().filter(|n| n.starts_with("of the model alone"));
            let of_model: Vec<&String> = of_model.collect();
            assert_eq!(of_model.len(), 1, "{keys}: {notes:?}");
            assert!(of_model[0].contains(said), "{keys}: {notes:?}");
        }
        let both = notes("", "eifel = false\nreduction = \"crb\"");
        assert!(
            both[0].ends_with(": `reduction` (there: prr), `eifel` (there: true)"),
            "{both:?}"
        );
    }

    #[test]
    fn what_a_kernel_has_or_is_set_to_needs_no_word() {
        for keys in [
            "",
            "cc = \"reno\"",
            "dsack = false\nfrto = false\necn = true\nidle_restart = false",
            "timestamps = false",
            "sack = false",
            "rto_min = \"1 s\"\ninitial_window = 4",
            "pacing_rate = \"1 Mbit/s\"",
            "tool = \"iperf3\"",
        ] {
            assert_eq!(notes("", keys), Vec::<String>::new(), "{keys}");
        }
        // Of what belongs to the host's time the note on its profile speaks.
        let old = notes("profile = \"bsd-1999\"", "");
        assert_eq!(old, Vec::<String>::new());
    }

    #[test]
    fn a_kernel_that_knows_rack_alone_is_named() {
        let taken = |kernel: &str| Taken {
            hosts: vec![Host {
                name: "a".to_owned(),
                os: Some("linux".to_owned()),
                kernel: Some(kernel.to_owned()),
                ..Host::default()
            }],
            ..Taken::default()
        };
        for (keys, kernel, is_said) in [
            ("rack = false", "6.18.44-generic", true),
            ("rack = false", "6.16.9", false),
            ("rack = true", "6.18.44", false),
            ("sack = false", "6.18.44", false),
        ] {
            let scenario = scenario("", keys);
            let said = rack(&scenario.tests[0], "a", &taken(kernel));
            assert_eq!(said.is_some(), is_said, "{keys} {kernel}: {said:?}");
        }
    }
}
