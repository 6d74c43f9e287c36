//! The scenario of one path between a client and a server, from a command line.

use farpath_scenario::{Scenario, Set, Source, Writer, parse};
use farpath_units::{Duration, Rate, Ratio};

use crate::args::OnePath;
use crate::exit::{Failure, note};
use crate::value::{maybe, read};

/// Propagation of each link between a host and the path.
const ACCESS: Duration = Duration::from_us(1);

/// The access links' rate over the path's: the queue of the path is on the path.
const ACCESS_TIMES: u64 = 4;

/// The largest datagram in bytes where none is given.
const USUAL_MTU: u32 = 1500;

/// A share of losses above which one without % may be meant as a percentage.
const BARE_MOST: f64 = 0.01;

/// The scenario that the options come to, and then `changes`.
pub(super) fn scenario(path: &OnePath, changes: Vec<Set>) -> Result<Scenario, Failure> {
    let source = Source {
        name: "the path of the command line".to_owned(),
        text: text(path)?,
    };
    let mut all = sets(path)?;
    all.extend(changes);
    parse(&source, &all).map_err(|e| Failure::usage(e.to_string()))
}

/// Its text, without what errors may have to point at.
fn text(path: &OnePath) -> Result<String, Failure> {
    let rtt = path.rtt.as_deref().unwrap_or_default();
    let rate: Rate = read("rate", path.rate.as_deref().unwrap_or_default())?;
    let given: Duration = read("rtt", rtt)?;
    let least = ACCESS.times(4);
    if given <= least {
        let title = format!("--rtt {rtt}: it must be more than {least}");
        return Err(Failure::usage(title));
    }
    let one_way = Duration::from_ps(given.saturating_sub(least).as_ps() / 2);
    let mtu = u64::from(path.mtu.unwrap_or(USUAL_MTU));
    let access = fastest(path, rate)?.as_bps().saturating_mul(ACCESS_TIMES);
    let access = Rate::from_bps(access).unwrap_or(rate);
    let mut text = Writer::new("one-path");
    for host in ["client", "server"] {
        text.section("host").put("name", host);
    }
    for router in ["west", "east"] {
        text.section("router").put("name", router);
    }
    let links = [
        ("client-west", ["client", "west"], access, ACCESS),
        ("path", ["west", "east"], rate, one_way),
        ("east-server", ["east", "server"], access, ACCESS),
    ];
    for (name, ends, rate, delay) in links {
        text.section("link").put("name", name).put("ends", ends);
        text.put("rate", rate).put("delay", delay).put("mtu", mtu);
    }
    for down in &path.down {
        let (from, to) = down_time(down)?;
        for (at, up) in [(from, false), (to, true)] {
            text.section("event").put("at", at).put("link", "path");
            text.put("up", up);
        }
    }
    Ok(text.finish())
}

/// The higher rate of the two directions.
fn fastest(path: &OnePath, rate: Rate) -> Result<Rate, Failure> {
    let mut fastest = rate;
    for (option, written) in directions(path) {
        if let Some(("rate", value)) = written.split_once('=') {
            fastest = fastest.max(read(&format!("{option} rate"), value)?);
        }
    }
    Ok(fastest)
}

/// What `--there` and `--back` say, each with its option.
fn directions(path: &OnePath) -> impl Iterator<Item = (&'static str, &String)> {
    let there = path.there.iter().map(|t| ("there", t));
    there.chain(path.back.iter().map(|b| ("back", b)))
}

/// `5s-8s`.
fn down_time(text: &str) -> Result<(Duration, Duration), Failure> {
    let shape = || {
        let title = format!("--down {text}: it takes two times from the start of the command");
        Failure::usage(title).hint("write --down 5s-8s: down from 5 s to 8 s")
    };
    let (from, to) = text.split_once('-').ok_or_else(shape)?;
    let (from, to): (Duration, Duration) = (read("down", from)?, read("down", to)?);
    if from >= to {
        return Err(shape());
    }
    Ok((from, to))
}

/// What the options change of the text; errors name the option.
fn sets(path: &OnePath) -> Result<Vec<Set>, Failure> {
    let mut sets = Vec::new();
    let mut set = |key: &str, value: String, option: &str, written: &str| {
        let set = Set::new(format!("link.path.{key}"), value);
        sets.push(set.of_option(option, written));
    };
    let queue = path.queue.as_deref().unwrap_or("1bdp");
    set("queue", queue.to_owned(), "--queue", queue);
    if let Some(loss) = &path.loss {
        // To tc, `loss 0.1` is a tenth of a percent.
        let share = loss.parse::<Ratio>().map_or(0.0, Ratio::get);
        if share >= 1.0 {
            note("--loss is 100 %: nothing crosses; for one frame in a hundred write 1%");
        } else if share > BARE_MOST && !loss.contains('%') {
            note(&format!(
                "--loss {loss} is a share: {} % of all frames; for a percentage write {loss}%",
                100.0 * share
            ));
        }
        set("loss", loss.clone(), "--loss", loss);
    }
    if let Some(text) = &path.burst_loss {
        set("gilbert_elliott", bursts(text)?, "--burst-loss", text);
    }
    if let Some(text) = &path.jitter {
        let value = format!("{{ max = {} }}", toml(text));
        set("jitter", value, "--jitter", text);
    }
    if let Some(text) = &path.reorder {
        let (share, by) = pair("reorder", text, "1%,10ms: 1 % of the frames for 10 ms")?;
        let value = format!("{{ share = {}, by = {} }}", toml(share), toml(by));
        set("reordering", value, "--reorder", text);
        // What jitter delays keeps its order; only what is held back is overtaken.
        set("reorder", "false".to_owned(), "--reorder", text);
    }
    if let Some(text) = &path.duplicate {
        let value = format!("{{ share = {} }}", toml(text));
        set("duplication", value, "--duplicate", text);
    }
    if let Some(text) = &path.corrupt {
        let value = format!("{{ share = {}, found_by = \"checksum\" }}", toml(text));
        set("corruption", value, "--corrupt", text);
    }
    for (option, written) in directions(path) {
        let Some((key, value)) = written.split_once('=') else {
            let title = format!("--{option} {written}: it sets nothing");
            let hint = format!("write --{option} KEY=VALUE, such as --{option} loss=1%");
            return Err(Failure::usage(title).hint(hint));
        };
        let way = if option == "there" {
            "forward"
        } else {
            "reverse"
        };
        let key = format!("{way}.{}", key.trim());
        set(
            &key,
            value.trim().to_owned(),
            &format!("--{option}"),
            written,
        );
    }
    Ok(sets)
}

/// The two states of losses in bursts: of `SHARE,FRAMES` the share in the long run, and the mean length.
fn bursts(text: &str) -> Result<String, Failure> {
    let shape = "1%,10: 1 % of the frames, in bursts of 10 on average";
    let (share, frames) = pair("burst-loss", text, shape)?;
    let share: Ratio = read("burst-loss", share)?;
    let wrong = || {
        let title = format!("--burst-loss {text}: no bursts can be so");
        let hint = "a share above 0 and below 1, and a mean length in frames of at least 1; a large share needs long bursts";
        Failure::usage(title).hint(hint)
    };
    let frames: f64 = frames.trim().parse().map_err(|_| wrong())?;
    // In the long run the bad state holds p / (p + r) of the frames, 1 / r at a time.
    let leave = 1.0 / frames;
    let enter = share.get() * leave / (1.0 - share.get());
    let possible = frames >= 1.0 && frames.is_finite() && enter > 0.0 && enter <= 1.0;
    if !possible {
        return Err(wrong());
    }
    Ok(format!("{{ p = {enter:?}, r = {leave:?} }}"))
}

/// The two parts of a value with a comma.
fn pair<'a>(option: &str, text: &'a str, shape: &str) -> Result<(&'a str, &'a str), Failure> {
    let parts = text.split_once(',').map(|(a, b)| (a.trim(), b.trim()));
    parts.ok_or_else(|| {
        let title = format!("--{option} {text}: it takes two values with a comma between them");
        Failure::usage(title).hint(format!("write --{option} {shape}"))
    })
}

/// A value as a scenario has it: a number, or a text with its unit.
fn toml(text: &str) -> String {
    match maybe::<f64>("", Some(text)) {
        Ok(Some(_)) => text.to_owned(),
        _ => serde_json::to_string(text).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;
    use farpath_scenario::Loss;

    use super::*;
    use crate::args::{Cli, Command, LabCommand};

    /// What `lab run` makes of options.
    fn asked(options: &str) -> Result<Scenario, String> {
        let words = format!("farpath lab run --rtt 100ms --rate 10Mbit/s {options} -- true");
        let cli = Cli::try_parse_from(words.split(' ').filter(|w| !w.is_empty()));
        let Command::Lab(lab) = cli.map_err(|e| e.to_string())?.command else {
            panic!("it is a lab");
        };
        let LabCommand::Run(run) = lab.command else {
            panic!("it is a run");
        };
        let changes = crate::run::sets(&run.sets).map_err(|f| f.to_string())?;
        scenario(&run.path, changes).map_err(|f| f.to_string())
    }

    #[test]
    fn keys_are_set_behind_the_options() {
        let scenario = asked("--loss 1% --set link.path.delay=90ms --set link.path.reverse.loss=0")
            .expect("they are keys of the path");
        let [there, back] = &scenario.links[1].directions;
        assert_eq!(there.delay, Duration::from_ms(90));
        assert_eq!((there.losses.len(), back.losses.len()), (1, 0));
        let said = asked("--set link.nonsense.delay=500ms").expect_err("there is no such link");
        assert!(said.contains("link.nonsense"), "{said}");
    }

    #[test]
    fn each_direction_has_what_it_is_given() {
        let scenario =
            asked("--there loss=1% --back delay=90ms --back rate=100Mbit/s").expect("ok");
        let [there, back] = &scenario.links[1].directions;
        assert_eq!((there.losses.len(), back.losses.len()), (1, 0));
        assert_eq!(back.delay, Duration::from_ms(90));
        assert_eq!(there.delay, Duration::from_ps(49_998_000_000));
        assert_eq!(
            [there.rate.as_bps(), back.rate.as_bps()],
            [10_000_000, 100_000_000]
        );
        // The queue stands in front of the path in both directions.
        assert_eq!(scenario.links[0].directions[0].rate.as_bps(), 400_000_000);
    }

    #[test]
    fn impairments_are_those_of_the_scenario_language() {
        let options = "--jitter 5ms --reorder 1%,10ms --duplicate 2% --corrupt 0.001 --down 1s-2s";
        let scenario = asked(options).expect("they go together");
        for direction in &scenario.links[1].directions {
            let found = &direction.impairments;
            assert!(found.jitter.is_some() && found.reordering.is_some());
            assert!(found.duplication.is_some() && found.corruption.is_some());
            assert!(!direction.reorder);
        }
        assert_eq!(scenario.events.len(), 2);
    }

    #[test]
    fn bursts_have_the_share_and_the_length_asked_for() {
        let scenario = asked("--burst-loss 1%,10").expect("a quantity");
        let [Loss::GilbertElliott { p, r, .. }] = &scenario.links[1].directions[0].losses[..]
        else {
            panic!("{:?}", scenario.links[1].directions[0].losses);
        };
        let (p, r) = (p.get(), r.get());
        assert!((r - 0.1).abs() < 1e-12, "{r}");
        assert!((p / (p + r) - 0.01).abs() < 1e-12, "{p}");
    }

    /// Each message names the option and its value, and says what to write.
    #[test]
    fn what_is_wrong_is_named_as_it_was_written() {
        for (options, words) in [
            ("--queue 5", ["--queue:1:1", "| 5"]),
            ("--loss 5", ["--loss:1:1", "| 5"]),
            ("--jitter 5", ["--jitter:1:1", "| 5"]),
            ("--there delay=-5ms", ["--there:1:7", "delay=-5ms"]),
            ("--there lost=1%", ["--there:1:1", "did you mean"]),
            ("--back loss", ["--back loss", "--back loss=1%"]),
            ("--back rate=fast", ["--back rate fast", ""]),
            ("--reorder 1%", ["--reorder 1%", "1%,10ms"]),
            ("--burst-loss 1%,0.5", ["--burst-loss 1%,0.5", "at least 1"]),
            ("--burst-loss 90%,2", ["--burst-loss 90%,2", "long bursts"]),
            ("--down 5s", ["--down 5s", "5s-8s"]),
            ("--down 5s-4s", ["--down 5s-4s", "5s-8s"]),
        ] {
            let said = asked(options).expect_err(options);
            let all = words.iter().all(|w| said.contains(w));
            assert!(all, "{options}: {said}");
            assert!(!said.contains("command line:"), "{options}: {said}");
        }
    }
}
