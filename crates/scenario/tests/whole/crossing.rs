//! What forecasts say of a sender that probes its way across a path which swallows full segments.

use std::collections::BTreeMap;

use farpath_record::Record;
use farpath_scenario::plan::Plan;
use farpath_scenario::{Source, forecast, parse};

/// Hosts of 1500 with this `mtu_probing`, a silent tunnel of 1400, 20 Mbit/s and 20 ms, and a test with these keys.
fn across(probing: u32, test: &str) -> Record {
    let buffers = "mtu = 1500\ntcp_rmem = \"4096 131072 268435456\"\ntcp_wmem = \"4096 131072 268435456\"\ntxqueuelen = 20000";
    let text = format!(
        "[scenario]\nname = \"p\"\n[[host]]\nname = \"a\"\nmtu_probing = {probing}\n{buffers}\n[[host]]\nname = \"b\"\n{buffers}\n\
         [[router]]\nname = \"r\"\nanswers = false\n[[router]]\nname = \"s\"\n\
         [[link]]\nname = \"left\"\nends = [\"a\", \"r\"]\nframing = \"gbe\"\n\
         [[link]]\nname = \"tunnel\"\nends = [\"r\", \"s\"]\nframing = \"ethernet\"\nrate = \"20 Mbit/s\"\ndelay = \"20 ms\"\nmtu = 1400\n\
         queue = \"1bdp\"\n\
         [[link]]\nname = \"right\"\nends = [\"s\", \"b\"]\nframing = \"gbe\"\n\
         [[test]]\nname = \"t\"\nkind = \"tcp\"\nfrom = \"a\"\nto = \"b\"\nwindow = \"1 MiB\"\n{test}\n"
    );
    let source = Source {
        name: "test.toml".to_owned(),
        text,
    };
    let scenario = parse(&source, &[]).unwrap_or_else(|e| panic!("{e}"));
    let plan = Plan::new(&scenario).expect("a plan");
    let mut records = forecast(&scenario, &plan, &BTreeMap::new());
    records.pop().expect("a record")
}

fn seconds(record: &Record) -> f64 {
    record.metrics["completion_ns"] / 1e9
}

/// Simulated: 5 MB take 7.414 s with the timeouts, and 2.303 s of a sender that always probes.
#[test]
fn a_transfer_takes_the_time_until_it_is_across() {
    for (probing, simulated) in [(1, 7.414), (2, 2.303)] {
        let alone = across(probing, "bytes = \"5 MB\"");
        let off = seconds(&alone) / simulated - 1.0;
        assert!(off.abs() < 0.02, "{probing}: {off}");
        let all = alone.metrics["goodput_bps"] * seconds(&alone) / 40e6;
        assert!((all - 1.0).abs() < 1e-6, "{probing}: {all}");
        // All of it arrives in the minute.
        let minute = across(probing, "bytes = \"5 MB\"\nduration = \"60 s\"");
        let goodput = minute.metrics["goodput_bps"];
        assert!((goodput - 40e6 / 60.0).abs() < 1.0, "{probing}: {goodput}");
        assert!((seconds(&minute) - seconds(&alone)).abs() < 1e-6);
    }
    let slow = across(1, "bytes = \"5 MB\"");
    assert_eq!(slow.limited_by.as_deref(), Some("mtu"));
    let stopped = across(1, "bytes = \"5 MB\"\nduration = \"3 s\"");
    assert!(!stopped.metrics.contains_key("completion_ns"));
    assert_eq!(stopped.metrics["goodput_bps"], 0.0);
}

/// A few segments follow the silence of 3.7 s, round by round.
#[test]
fn a_small_transfer_ends_soon_after_the_silence() {
    let small = seconds(&across(1, "bytes = \"20 kB\""));
    assert!((3.75..4.1).contains(&small), "{small}");
}

/// Of an algorithm whose growth has no closed form no rate is said.
#[test]
fn what_a_search_costs_an_unknown_algorithm_is_not_said() {
    let unknown = across(1, "cc = \"bic\"\nflavour = \"rfc\"\nduration = \"20 s\"");
    assert!(!unknown.metrics.contains_key("goodput_bps"), "{unknown:?}");
    let says = |note: &String| note.contains("its search for what the path carries");
    assert!(unknown.notes.iter().any(says), "{:?}", unknown.notes);
}
