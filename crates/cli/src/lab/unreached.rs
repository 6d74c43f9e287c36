//! Times down and events that the command of a `lab run` ended too early for: a test that tested nothing of them.

use std::time::Duration as Wall;

use farpath_scenario::{Change, Event, Scenario};
use farpath_units::Time;

use super::one_path;
use crate::args::LabRunArgs;

/// A sentence for each `--down`, and one for the events of a scenario, that a command never reached which ran so long. That a
/// link is up again is not waited for.
pub(super) fn unreached(args: &LabRunArgs, scenario: &Scenario, took: Wall) -> Vec<String> {
    let end = format!("not reached, the command ended after {}", time(took));
    if args.scenario.is_none() {
        let downs = args.path.down.iter();
        let later = downs.filter(|text| {
            one_path::down_from(text).is_some_and(|from| u128::from(from.as_ns()) > took.as_nanos())
        });
        return later.map(|text| format!("--down {text}: {end}")).collect();
    }
    let since = |event: &Event| event.at.since(Time::ZERO);
    let later = scenario.events.iter().filter(|event| {
        u128::from(since(event).as_ns()) > took.as_nanos() && event.change != Change::Up(true)
    });
    let later: Vec<&Event> = later.collect();
    let Some(first) = later.iter().min_by_key(|event| event.at) else {
        return Vec::new();
    };
    let more = match later.len() - 1 {
        0 => String::new(),
        n => format!(", and {n} behind it"),
    };
    let link = &scenario.links[first.link.0].name;
    vec![format!(
        "the event at {} on link `{link}`{more}: {end}",
        since(first)
    )]
}

/// A time in seconds, or a short one in milliseconds.
fn time(took: Wall) -> String {
    match took.as_secs_f64() {
        s if s < 0.1 => format!("{:.0} ms", 1e3 * s),
        s => format!("{s:.1} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::outcomes::tests::asked;

    fn after(options: &[&str], ms: u64, as_file: bool) -> Vec<String> {
        let mut args = asked(options);
        let scenario = one_path::scenario(&args.path, Vec::new()).expect("a path");
        args.scenario = as_file.then(|| "path.toml".to_owned());
        unreached(&args, &scenario, Wall::from_millis(ms))
    }

    #[test]
    fn a_time_down_that_the_command_never_reached_is_named_as_it_was_written() {
        let options = ["--down", "0s-1s", "--down", "back:30s-40s"];
        assert_eq!(
            after(&options, 445, false),
            ["--down back:30s-40s: not reached, the command ended after 0.4 s"]
        );
        assert_eq!(after(&options, 30_001, false), [""; 0]);
        assert_eq!(
            after(&["--down", "2s-"], 12, false),
            ["--down 2s-: not reached, the command ended after 12 ms"]
        );
    }

    #[test]
    fn so_is_an_event_of_a_scenario() {
        let options = ["--down", "3s-4s", "--down", "30s-40s"];
        assert_eq!(
            after(&options, 500, true),
            [
                "the event at 3 s on link `path`, and 1 behind it: not reached, the command ended after 0.5 s"
            ]
        );
        assert_eq!(
            after(&options, 3500, true),
            ["the event at 30 s on link `path`: not reached, the command ended after 3.5 s"]
        );
        assert_eq!(after(&options, 35_000, true), [""; 0]);
    }
}
