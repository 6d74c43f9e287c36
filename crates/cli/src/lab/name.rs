//! What reports call a run: its command, and the path and its hosts as they were asked for.

use crate::args::LabRunArgs;
use crate::shell;

/// What reports call a run.
pub(super) struct Name {
    pub(super) command: String,
    /// The path and its hosts, as they were asked for: JUnit cases of other runs have other classes.
    pub(super) place: String,
    pub(super) has_server: bool,
}

impl Name {
    pub(super) fn of(args: &LabRunArgs) -> Name {
        Name {
            command: words(args),
            place: place(args),
            has_server: args.server.is_some(),
        }
    }
}

/// The command, as a shell runs it again.
fn words(args: &LabRunArgs) -> String {
    shell::line(args.command.iter().map(|w| w.to_string_lossy()))
}

/// The path and its hosts, as they were asked for.
fn place(args: &LabRunArgs) -> String {
    let path = &args.path;
    let once = [
        ("rtt", &path.rtt),
        ("rate", &path.rate),
        ("loss", &path.loss),
        ("burst-loss", &path.burst_loss),
        ("jitter", &path.jitter),
        ("reorder", &path.reorder),
        ("duplicate", &path.duplicate),
        ("corrupt", &path.corrupt),
        ("queue", &path.queue),
        ("on", &args.on),
        ("server-on", &args.server_on),
        ("cc", &args.control.cc),
    ];
    let often = [
        ("down", &path.down),
        ("there", &path.there),
        ("back", &path.back),
        ("set", &args.sets),
    ];
    let numbers = [("mtu", path.mtu.map(u64::from)), ("seed", args.seed)];
    let once = once
        .into_iter()
        .map(|(name, value)| (name, value.as_slice()));
    let often = often
        .into_iter()
        .map(|(name, values)| (name, values.as_slice()));
    let options = once.chain(often).flat_map(|(name, values)| {
        let option = move |value| format!("--{name} {value}");
        values.iter().map(option)
    });
    let number = |(name, n): (&str, Option<u64>)| Some(format!("--{name} {}", n?));
    let numbers = numbers.into_iter().filter_map(number);
    let flags = [("-4", args.control.ipv4), ("-6", args.control.ipv6)];
    let flags = flags.into_iter().filter(|(_, given)| *given);
    let words = args.scenario.iter().cloned().chain(options).chain(numbers);
    let words = words.chain(flags.map(|(flag, _)| flag.to_owned()));
    words.collect::<Vec<String>>().join(" ")
}
