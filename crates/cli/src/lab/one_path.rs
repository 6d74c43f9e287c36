//! The scenario of one path between a client and a server, from a command line.

use std::fmt::Display;
use std::str::FromStr;

use farpath_scenario::{Diagnostics, Document, Scenario, Set, Source, Writer, parse};
use farpath_units::{Duration, Rate, Ratio};

use crate::args::{LabRunArgs, OnePath};
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
    let (source, all) = given(path, changes)?;
    parse(&source, &all).map_err(|e| Failure::usage(e.to_string()))
}

/// Options of a run that are not of its path, and that a scenario has keys for.
pub(super) struct Others<'a> {
    seed: Option<u64>,
    cc: Option<&'a str>,
    /// What connections have without `cc` on this machine, where that is known.
    default: Option<String>,
    /// The version of IP that names resolve to; none: either.
    ip: Option<u64>,
}

impl<'a> Others<'a> {
    /// Those of the arguments.
    pub(super) fn of(args: &'a LabRunArgs) -> Others<'a> {
        let versions = [(4, args.control.ipv4), (6, args.control.ipv6)];
        let ip = versions.into_iter().find(|(_, given)| *given);
        Others {
            seed: args.seed,
            cc: args.control.cc.as_deref(),
            default: None,
            ip: ip.map(|(version, _)| version),
        }
    }

    /// The same, of hosts whose connections have this congestion control where they choose none.
    pub(super) fn by_default(self, default: Option<String>) -> Others<'a> {
        Others { default, ..self }
    }
}

/// The text of that scenario, with a test to go on with: of `cc`, or what a run has without it, of `ip`, if that is given, and with the
/// run's `seed`.
pub(super) fn written(
    path: &OnePath,
    changes: Vec<Set>,
    others: &Others<'_>,
) -> Result<String, Failure> {
    let wrong = |e: Diagnostics| Failure::usage(e.to_string());
    let (source, mut all) = given(path, changes)?;
    all.extend(
        others
            .seed
            .map(|seed| Set::new("scenario.seed", seed.to_string())),
    );
    let document = Document::open(&source, &all).map_err(wrong)?;
    document.scenario().map_err(wrong)?;
    // A machine's default may be one that scenarios have no name for.
    let defaults = others.default.as_deref().map(Some).into_iter();
    let mut faults = None;
    for default in defaults.chain([None]) {
        let source = Source {
            name: source.name.clone(),
            text: format!("{}\n{}", document.resolved_text(), upload(others, default)),
        };
        // What is written is read again as it stands.
        match parse(&source, &[]) {
            Ok(_) => return Ok(source.text),
            Err(e) => faults = Some(e),
        }
    }
    Err(faults.map_or_else(no_rate, wrong))
}

/// A test to go on with, as a scenario has it; of connections that choose no congestion control, what they have by default.
fn upload(others: &Others<'_>, default: Option<&str>) -> String {
    let mut test = Writer::new("upload");
    test.section("test").put("name", "upload");
    test.put("kind", "tcp").put("from", "client");
    test.put("to", "server")
        .put("duration", Duration::from_secs(10));
    if let Some(cc) = others.cc {
        test.put("cc", cc);
    } else if let Some(cc) = default {
        test.put_from(
            "cc",
            cc,
            "this machine's default; without it a test has cubic",
        );
    }
    if let Some(ip) = others.ip {
        test.put("ip", ip);
    }
    let test = test.finish();
    let (_, test) = test.split_once("\n\n").unwrap_or_default();
    test.to_owned()
}

/// The text of the options' path, and what is to be changed of it.
fn given(path: &OnePath, changes: Vec<Set>) -> Result<(Source, Vec<Set>), Failure> {
    let source = Source {
        name: "the path of the command line".to_owned(),
        text: text(path)?,
    };
    let mut all = sets(path)?;
    all.extend(changes);
    Ok((source, all))
}

/// Its text, without what errors may have to point at.
fn text(path: &OnePath) -> Result<String, Failure> {
    let fastest = fastest(path)?;
    let rate = match &path.rate {
        Some(rate) => read("rate", rate)?,
        None => fastest.ok_or_else(no_rate)?,
    };
    let one_way = one_way(path)?;
    let mtu = u64::from(path.mtu.unwrap_or(USUAL_MTU));
    let fastest = fastest.map_or(rate, |fastest| fastest.max(rate));
    let access = fastest.as_bps().saturating_mul(ACCESS_TIMES);
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
        let Down {
            direction,
            from,
            to,
        } = Down::read(down)?;
        for (at, up) in [(Some(from), false), (to, true)] {
            let Some(at) = at else { continue };
            text.section("event").put("at", at).put("link", "path");
            text.put("direction", direction).put("up", up);
        }
    }
    Ok(text.finish())
}

/// The delay of the path in a direction that has none of its own: half of what `--rtt` leaves beside the hosts' links, or the mean of what
/// `--there` and `--back` give.
fn one_way(path: &OnePath) -> Result<Duration, Failure> {
    let Some(rtt) = &path.rtt else {
        let [Some(there), Some(back)] = each::<Duration>(path, "delay")? else {
            let title = "--rtt is missing: a path has a delay in both directions";
            let hint = "add --rtt, such as --rtt 100ms, or a delay to both --there and --back: --there 10ms --back 20ms";
            return Err(Failure::usage(title).hint(hint));
        };
        return Ok(Duration::from_ps(there.as_ps() / 2 + back.as_ps() / 2));
    };
    let given: Duration = read("rtt", rtt)?;
    let least = ACCESS.times(4);
    if given <= least {
        let title = format!("--rtt {rtt}: it must be more than {least}");
        return Err(Failure::usage(title));
    }
    Ok(Duration::from_ps(given.saturating_sub(least).as_ps() / 2))
}

/// The higher of the rates that `--there` and `--back` give; none where neither gives one, or one alone does and there is no `--rate`.
fn fastest(path: &OnePath) -> Result<Option<Rate>, Failure> {
    let rates: [Option<Rate>; 2] = each(path, "rate")?;
    let have_all = path.rate.is_some() || rates.iter().all(Option::is_some);
    Ok(rates.into_iter().flatten().max().filter(|_| have_all))
}

fn no_rate() -> Failure {
    let title = "--rtt without --rate: a path has both";
    let hint = "add --rate, such as --rate 1Gbit/s where the rate is not to matter, or a rate to both --there and --back; a \
                rate above what this machine carries makes the certificate invalid";
    Failure::usage(title).hint(hint)
}

/// What `--there` and `--back` give a key, each where it does; of several the last.
fn each<T: Copy + FromStr<Err: Display>>(
    path: &OnePath,
    wanted: &str,
) -> Result<[Option<T>; 2], Failure> {
    let mut found = [None; 2];
    for (option, written) in directions(path) {
        if let Some((key, value)) = keyed(written)
            && key == wanted
        {
            let own = &mut found[usize::from(option == "back")];
            *own = Some(read(&format!("{option} {wanted}"), value)?);
        }
    }
    Ok(found)
}

/// The key and the value of what `--there` or `--back` says; a time alone is a delay.
fn keyed(written: &str) -> Option<(&str, &str)> {
    match written.split_once('=') {
        Some((key, value)) => Some((key.trim(), value.trim())),
        None => {
            let time = written.trim();
            time.parse::<Duration>().is_ok().then_some(("delay", time))
        }
    }
}

/// What `--there` and `--back` say, each with its option.
fn directions(path: &OnePath) -> impl Iterator<Item = (&'static str, &String)> {
    let there = path.there.iter().map(|t| ("there", t));
    there.chain(path.back.iter().map(|b| ("back", b)))
}

/// What `--down` says.
struct Down {
    /// As an event names it.
    direction: &'static str,
    from: Duration,
    /// None: to the end.
    to: Option<Duration>,
}

impl Down {
    /// `5s-8s`, `5s-`, `there:5s-8s`.
    fn read(text: &str) -> Result<Down, Failure> {
        let shape = || {
            let title = format!(
                "--down {text}: it takes two times from the start of the command, the earlier first"
            );
            let hint = "write --down 5s-8s: down from 5 s to 8 s; 5s- is to the end, and there:5s-8s or back:5s-8s one direction";
            Failure::usage(title).hint(hint)
        };
        let (direction, times) = match text.split_once(':') {
            None => ("both", text),
            Some(("there", times)) => ("forward", times),
            Some(("back", times)) => ("reverse", times),
            Some(_) => return Err(shape()),
        };
        let (from, to) = times.split_once('-').ok_or_else(shape)?;
        if from.trim().is_empty() {
            return Err(shape());
        }
        // A command runs for seconds.
        let is_bare = |time: &str| time.parse::<f64>().is_ok() && time.parse::<Duration>().is_err();
        let both = [from, to].map(str::trim);
        if both.iter().any(|time| is_bare(time)) {
            let meant = both.map(|time| match is_bare(time) {
                true => format!("{time}s"),
                false => time.to_owned(),
            });
            let title = format!("--down {text}: a time needs a unit");
            let way = text
                .split_once(':')
                .map_or(String::new(), |(way, _)| format!("{way}:"));
            return Err(
                Failure::usage(title).hint(format!("write --down {way}{}", meant.join("-")))
            );
        }
        let from: Duration = read("down", from)?;
        let to: Option<Duration> = match to.trim() {
            "" => None,
            to => Some(read("down", to)?),
        };
        if to.is_some_and(|to| from >= to) {
            return Err(shape());
        }
        Ok(Down {
            direction,
            from,
            to,
        })
    }
}

/// When the path goes down by this `--down`; none where it says none.
pub(super) fn down_from(text: &str) -> Option<Duration> {
    Down::read(text).ok().map(|down| down.from)
}

/// That a key of `--there` or `--back` is not for a direction's whole time, but for a part of it.
fn not_a_key(option: &str, written: &str, key: &str) -> Option<Failure> {
    ["up", "down"].contains(&key).then(|| {
        let title = format!("--{option} {written}: times down are another option's");
        Failure::usage(title).hint(format!(
            "write --down {option}:1s-2s: down from 1 s to 2 s; --down {option}:0s- or --{option} loss=100%: all the time"
        ))
    })
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
    for (option, given, key, short) in tables(path) {
        let Some(text) = given else { continue };
        // A table is written as in a scenario.
        let value = match text.trim_start().starts_with('{') {
            true => text.clone(),
            false => format!("{{ {} }}", short(text)?),
        };
        set(key, value, option, text);
        if key == "reordering" {
            // What jitter delays keeps its order; only what is held back is overtaken.
            set("reorder", "false".to_owned(), option, text);
        }
    }
    for (option, written) in directions(path) {
        let Some((key, value)) = keyed(written) else {
            let title = format!("--{option} {written}: it sets nothing");
            let hint = format!("write --{option} KEY=VALUE, such as --{option} loss=1%");
            return Err(Failure::usage(title).hint(hint));
        };
        if let Some(wrong) = not_a_key(option, written, key) {
            return Err(wrong);
        }
        let way = if option == "there" {
            "forward"
        } else {
            "reverse"
        };
        let key = format!("{way}.{key}");
        set(&key, value.to_owned(), &format!("--{option}"), written);
    }
    Ok(sets)
}

/// An option whose value is a table: its name, what is given, the table's key, and what a short value is in it.
type Table<'a> = (
    &'static str,
    &'a Option<String>,
    &'static str,
    fn(&str) -> Result<String, Failure>,
);

fn tables(path: &OnePath) -> [Table<'_>; 5] {
    let share = |text: &str| Ok(format!("share = {}", toml(text)));
    [
        ("--burst-loss", &path.burst_loss, "gilbert_elliott", bursts),
        ("--jitter", &path.jitter, "jitter", |text| {
            let text = if text.trim() == "0" { "0 ms" } else { text };
            Ok(format!("max = {}", toml(text)))
        }),
        ("--reorder", &path.reorder, "reordering", |text| {
            let (share, by) = pair("reorder", text, "1%,10ms: 1 % of the frames for 10 ms")?;
            Ok(format!("share = {}, by = {}", toml(share), toml(by)))
        }),
        ("--duplicate", &path.duplicate, "duplication", share),
        ("--corrupt", &path.corrupt, "corruption", |text| {
            Ok(format!("share = {}, found_by = \"checksum\"", toml(text)))
        }),
    ]
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
    Ok(format!("p = {enter:?}, r = {leave:?}"))
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
    use farpath_scenario::{Change, Event, Loss};
    use farpath_units::Time;

    use super::*;
    use crate::args::{Cli, Command, LabCommand};

    /// What `lab run` makes of options, those with blanks in `'`.
    fn asked(options: &str) -> Result<Scenario, String> {
        let usual = [("--rtt", "100ms"), ("--rate", "10Mbit/s")];
        let usual = usual.iter().filter(|(name, _)| !options.contains(name));
        let usual: Vec<&str> = usual.flat_map(|(name, value)| [*name, *value]).collect();
        only(&usual, options)
    }

    /// The same of these words and the options.
    fn only(first: &[&str], options: &str) -> Result<Scenario, String> {
        let mut words = vec!["farpath", "lab", "run"];
        words.extend(first);
        for (n, part) in options.split('\'').enumerate() {
            match n % 2 {
                0 => words.extend(part.split_whitespace()),
                _ => words.push(part),
            }
        }
        words.extend(["--", "true"]);
        let cli = Cli::try_parse_from(words);
        let Command::Lab(lab) = cli.map_err(|e| e.to_string())?.command else {
            panic!("it is a lab");
        };
        let LabCommand::Run(run) = lab.command else {
            panic!("it is a run");
        };
        let changes = crate::run::sets(&run.sets).map_err(|f| f.to_string())?;
        let asked = scenario(&run.path, changes.clone()).map_err(|f| f.to_string())?;
        let text = written(&run.path, changes, &Others::of(&run)).map_err(|f| f.to_string())?;
        is_the_same(&asked, &text);
        Ok(asked)
    }

    /// What is printed is the path that is run, whatever the options.
    fn is_the_same(asked: &Scenario, text: &str) {
        let source = Source {
            name: "printed.toml".to_owned(),
            text: text.to_owned(),
        };
        let mut read = parse(&source, &[]).expect("it is a scenario");
        let names: Vec<String> = read.tests.drain(..).map(|test| test.name).collect();
        assert_eq!(names, ["upload"], "{text}");
        read.seed = asked.seed;
        assert_eq!(&read, asked, "{text}");
    }

    #[test]
    fn the_printed_scenario_has_the_seed_the_congestion_control_and_the_version_of_ip() {
        let given = |options: &str| {
            let words = [
                "farpath",
                "lab",
                "run",
                "--print-scenario",
                "--rtt",
                "80ms",
                "--rate",
            ];
            let words = words.into_iter().chain(["20Mbit/s", "--loss", "1%"]);
            let cli = Cli::try_parse_from(words.chain(options.split_whitespace()));
            let Command::Lab(lab) = cli.expect("no command is needed").command else {
                panic!("it is a lab");
            };
            let LabCommand::Run(run) = lab.command else {
                panic!("it is a run");
            };
            written(&run.path, Vec::new(), &Others::of(&run)).expect("it is a path")
        };
        let text = given("--seed 7 --cc cubic");
        for line in [
            "seed = 7",
            "cc = \"cubic\"",
            "loss = \"1%\"",
            "rate = \"20 Mbit/s\"",
        ] {
            assert!(text.lines().any(|l| l == line), "{line}: {text}");
        }
        for (option, line) in [("-4", "ip = 4"), ("-6", "ip = 6")] {
            let text = given(option);
            assert!(text.lines().any(|l| l == line), "{option}: {text}");
        }
        // Without an option it is what a run on this machine has.
        let cli = Cli::try_parse_from([
            "farpath",
            "lab",
            "run",
            "--print-scenario",
            "--rtt",
            "80ms",
            "--rate",
            "20Mbit/s",
        ]);
        let Command::Lab(lab) = cli.expect("no command is needed").command else {
            panic!("it is a lab");
        };
        let LabCommand::Run(run) = lab.command else {
            panic!("it is a run");
        };
        for (default, wanted) in [("bbr", "cc = \"bbr\" "), ("none-of-ours", "")] {
            let others = Others::of(&run).by_default(Some(default.to_owned()));
            let text = written(&run.path, Vec::new(), &others).expect("it is a path");
            let line = text.lines().find(|l| l.starts_with("cc"));
            assert!(line.unwrap_or_default().starts_with(wanted), "{text}");
            assert_eq!(line.is_some(), !wanted.is_empty(), "{text}");
        }
        let plain = given("");
        assert!(!plain.contains("ip ="), "{plain}");
        assert!(
            !plain.contains("seed") && !plain.contains("cc ="),
            "{plain}"
        );
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
    fn a_path_has_a_rate_or_each_direction_has_one() {
        let rtt = ["--rtt", "50ms"];
        let scenario = only(&rtt, "--there rate=1Mbit/s --back rate=20Mbit/s").expect("both");
        let [there, back] = &scenario.links[1].directions;
        assert_eq!(
            [there.rate.as_bps(), back.rate.as_bps()],
            [1_000_000, 20_000_000]
        );
        assert_eq!(scenario.links[0].directions[0].rate.as_bps(), 80_000_000);
        for options in ["", "--there rate=1Mbit/s", "--back loss=1%"] {
            let said = only(&rtt, options).expect_err(options);
            assert!(
                said.contains("add --rate, such as --rate 1Gbit/s"),
                "{said}"
            );
        }
    }

    /// Delays of both directions are a round trip.
    #[test]
    fn a_path_has_a_round_trip_or_each_direction_has_a_delay() {
        let rate = ["--rate", "10Mbit/s"];
        for options in [
            "--there 10ms --back 20ms",
            "--there delay=10ms --back delay=20ms",
        ] {
            let scenario = only(&rate, options).expect(options);
            let delays = scenario.links[1].directions.each_ref().map(|d| d.delay);
            assert_eq!(delays, [10, 20].map(Duration::from_ms), "{options}");
        }
        for options in ["--there 10ms", "--there loss=1% --back 20ms"] {
            let said = only(&rate, options).expect_err(options);
            assert!(said.contains("add --rtt, such as"), "{said}");
        }
        let said = only(&rate, "").expect_err("nothing says how long it is");
        assert!(said.contains("--rtt"), "{said}");
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

    /// The guide's table of what other tools call an impairment.
    #[test]
    fn every_option_of_the_guides_table_is_one() {
        let guide = include_str!("../../../../docs/guides/labs.md");
        let (_, table) = guide
            .split_once("## What the path does")
            .expect("a section");
        let (table, _) = table.split_once("\n## ").expect("one behind it");
        let rows = table.lines().filter_map(|line| line.strip_prefix("| "));
        let mut options = 0;
        for (theirs, ours) in rows.filter_map(|row| row.split_once(" | ")) {
            let asks = |code: &&str| code.starts_with("--") && code.contains(' ');
            for code in ours.split('`').skip(1).step_by(2).filter(asks) {
                options += 1;
                let scenario = asked(code).unwrap_or_else(|said| panic!("{theirs}: {said}"));
                // A mean one way of 50 ms, however it is spread.
                if theirs.starts_with("`delay 50ms") && code.contains("--rtt") {
                    let direction = &scenario.links[1].directions[0];
                    let jitter = direction.impairments.jitter.as_ref();
                    let more = jitter.map_or(Duration::ZERO, |(d, _)| d.quantile(0.5, 0.5));
                    let mean = (direction.delay + more + ACCESS.times(2)).as_secs_f64();
                    // The normal one is cut off at four standard deviations.
                    assert!((mean - 0.05).abs() < 1e-5, "{theirs}: {code}: {mean}");
                }
            }
        }
        assert!(options > 10, "{options}");
    }

    #[test]
    fn a_path_is_down_in_both_directions_or_in_one_and_for_a_time_or_to_the_end() {
        let downs = |options: &str| {
            let scenario = asked(options).expect("times down");
            let event = |e: &Event| {
                assert!(matches!(e.change, Change::Up(_)), "{:?}", e.change);
                (e.at, e.ways.len(), e.change == Change::Up(true))
            };
            scenario.events.iter().map(event).collect::<Vec<_>>()
        };
        let at = |s| Time::ZERO + Duration::from_secs(s);
        assert_eq!(downs("--down 5s-8s"), [(at(5), 2, false), (at(8), 2, true)]);
        assert_eq!(downs("--down 3s-"), [(at(3), 2, false)]);
        assert_eq!(
            downs("--down there:6s-9s --down back:0s-"),
            [(at(0), 1, false), (at(6), 1, false), (at(9), 1, true)]
        );
    }

    /// A row of a matrix of tests, as `--loss 0` is.
    #[test]
    fn jitter_of_zero_is_none() {
        for options in ["--jitter 0ms", "--jitter 0"] {
            let scenario = asked(options).expect(options);
            let found = &scenario.links[1].directions[0].impairments;
            assert_eq!(found.jitter, None, "{options}");
        }
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
            (
                "--queue 5",
                ["--queue:1:1", "write the unit: --queue 5packets"],
            ),
            ("--loss 5", ["--loss:1:1", "| 5"]),
            ("--jitter 5", ["--jitter:1:1", "the unit: --jitter 5ms"]),
            ("--there delay=5", ["--there:1:7", "--there delay=5ms"]),
            ("--there delay=-5ms", ["--there:1:7", "delay=-5ms"]),
            ("--there lost=1%", ["--there:1:1", "did you mean"]),
            ("--back loss", ["--back loss", "--back loss=1%"]),
            ("--back rate=fast", ["--back rate fast", ""]),
            ("--reorder 1%", ["--reorder 1%", "1%,10ms"]),
            ("--burst-loss 1%,0.5", ["--burst-loss 1%,0.5", "at least 1"]),
            ("--burst-loss 90%,2", ["--burst-loss 90%,2", "long bursts"]),
            ("--down 5s", ["--down 5s", "5s-8s"]),
            (
                "--down 5-8",
                ["--down 5-8: a time needs a unit", "write --down 5s-8s"],
            ),
            (
                "--down back:5-8s",
                ["--down back:5-8s", "write --down back:5s-8s"],
            ),
            ("--down 0.5-", ["--down 0.5-", "write --down 0.5s-"]),
            ("--down 5s-4s", ["--down 5s-4s", "the earlier first"]),
            ("--down -", ["--down -: it takes", "5s-8s"]),
            ("--down forth:5s-6s", ["--down forth:5s-6s", "there:5s-8s"]),
            ("--there up=false", ["--there up=false", "--down there:0s-"]),
            (
                "--back down=1s-2s",
                ["--back down=1s-2s", "--down back:1s-2s"],
            ),
            ("--jitter '{ mean = \"5 ms\" }'", ["--jitter:1:1", "mean"]),
        ] {
            let said = asked(options).expect_err(options);
            let all = words.iter().all(|w| said.contains(w));
            assert!(all, "{options}: {said}");
            assert!(!said.contains("command line:"), "{options}: {said}");
        }
    }
}
