//! Short paths that lose at random: what is forecast of them is what a simulation has.

use std::collections::BTreeMap;

use farpath_record::Record;
use farpath_scenario::forecast;
use farpath_scenario::plan::Plan;

use crate::world::run_text;

/// A test over 10 Gbit/s and so many microseconds one way: simulated, and foreseen.
fn lossy(delay_us: u32, loss: f64, keys: &str) -> (f64, Record) {
    let world = run_text(&format!(
        "[scenario]\nname = \"short\"\n[[host]]\nname = \"a\"\n[[router]]\nname = \"r\"\n[[host]]\nname = \"b\"\n\
         [[link]]\nname = \"access\"\nends = [\"a\", \"r\"]\nrate = \"10 Gbit/s\"\n\
         [[link]]\nname = \"wan\"\nends = [\"r\", \"b\"]\nrate = \"10 Gbit/s\"\ndelay = \"{delay_us} us\"\nloss = {loss}\n\
         [[test]]\nname = \"t\"\nkind = \"tcp\"\nfrom = \"a\"\nto = \"b\"\nomit = \"2 s\"\nduration = \"10 s\"\n{keys}\n"
    ));
    let plan = Plan::new(&world.scenario).expect("a plan");
    let foreseen = forecast(&world.scenario, &plan, &BTreeMap::new()).remove(0);
    (world.records[0].metrics["goodput_bps"], foreseen)
}

fn says(record: &Record, words: &str) -> bool {
    record.notes.iter().any(|note| note.contains(words))
}

/// CUBIC's window stands there, and round trips of all are longer by what hosts wait for. Windows of 22 to 70 segments.
#[test]
fn what_random_losses_leave_of_a_short_path_is_as_forecast() {
    for (delay_us, loss, cc) in [
        (250, 1e-3, "cubic"),
        (500, 1e-3, "cubic"),
        (500, 3e-4, "cubic"),
        (2000, 1e-3, "cubic"),
        (250, 1e-3, "reno"),
        (500, 3e-4, "reno"),
    ] {
        let (simulated, foreseen) = lossy(delay_us, loss, &format!("cc = \"{cc}\""));
        let over = simulated / foreseen.metrics["goodput_bps"];
        assert!(
            (0.85..1.14).contains(&over),
            "{cc}, {delay_us} us, {loss}: {over} of {foreseen:?}"
        );
    }
}

/// The law of the RFC is that of its own algorithm, whose window never stands; neither sender nor receiver waits for bursts then.
#[test]
fn the_rfcs_cubic_has_its_own_law_on_a_short_path() {
    let (simulated, foreseen) = lossy(500, 1e-3, "flavour = \"rfc\"\ncc = \"cubic\"");
    let over = simulated / foreseen.metrics["goodput_bps"];
    assert!((0.9..1.1).contains(&over), "{over}");
    assert!(!says(&foreseen, "stands meanwhile"), "{foreseen:?}");
}

/// Where timeouts of small windows take more than any law says, a forecast has the figures.
#[test]
fn few_segments_on_a_short_path_are_said() {
    let (simulated, foreseen) = lossy(100, 3e-3, "cc = \"reno\"");
    assert!(simulated < 0.85 * foreseen.metrics["goodput_bps"]);
    assert!(
        says(&foreseen, "21 and 39 % less at 0.2 ms"),
        "{foreseen:?}"
    );
    assert!(
        says(&foreseen, "round trips of this window take"),
        "{foreseen:?}"
    );
    let (_, cubic) = lossy(100, 3e-3, "cc = \"cubic\"");
    assert!(says(&cubic, "stands meanwhile"), "{cubic:?}");
    assert!(says(&cubic, "58 % less at 0.2 ms"), "{cubic:?}");
}
