//! The path that several router files make, for `farpath config check --rtt`.

use std::collections::{BTreeMap, BTreeSet};

use farpath_config::qos::Options;
use farpath_config::{Report, Source};
use farpath_observe::limit::WORDS;
use farpath_scenario::{Stated, Wired, forecast, wired};
use farpath_units::Rate;
use farpath_wire::FlowDir;

use crate::check::describe;

/// What the files of `report` make of a path with the stated round trip, or why they make none; nothing where no round trip
/// was stated or there is one file.
pub(super) fn path(report: &Report, sources: &[Source], options: &Options, colour: bool) -> String {
    let Some(rtt) = options
        .rtt
        .filter(|_| sources.len() > 1 && !report.failed())
    else {
        return String::new();
    };
    let folder = |s: &Source| {
        s.name
            .rsplit_once('/')
            .map_or(".", |(folder, _)| folder)
            .to_owned()
    };
    let folders: BTreeSet<String> = sources.iter().map(folder).collect();
    let rate = options.rate;
    let built = match folders.first() {
        Some(folder) if folders.len() == 1 => wired(report, sources, folder, Stated { rtt, rate }),
        _ => Err("their files are in several folders: put them into one".to_owned()),
    };
    match built {
        Ok(built) => shown(&built, &rtt.to_string(), colour),
        Err(why) => format!("\nthe files make no path: {why}\n"),
    }
}

fn shown(built: &Wired, rtt: &str, colour: bool) -> String {
    let scenario = &built.scenario;
    let mut text = format!("\nthe path that the files make, with a round trip of {rtt}\n");
    for (word, dir) in [
        ("there", FlowDir::forward(0)),
        ("back ", FlowDir::forward(0).turned()),
    ] {
        text += &format!("  {word}  {}\n", describe(scenario, &built.plan, dir));
    }
    for record in forecast(scenario, &built.plan, &BTreeMap::new()) {
        let rate = record.metrics.get("goodput_bps").copied();
        let rate = rate.and_then(|bps| Rate::from_bps(bps as u64));
        let rate = rate.map_or_else(|| "unknown".to_owned(), |r| format!("{r:.1}"));
        let limit = record.limited_by.as_deref().unwrap_or("unknown");
        let words = WORDS.iter().find(|(_, name, _)| *name == limit);
        let words = match limit {
            // The client is made up, its interface is the router's.
            "nic" => "the interface in front of the client",
            _ => words.map_or(limit, |(.., words)| words),
        };
        text += &format!("  one TCP connection gets {rate}, limited by {words}\n");
        for note in &record.notes {
            text += &format!("    {note}\n");
        }
    }
    let idle = built.document.without_effect(scenario);
    if idle.total > 0 {
        text += "\nwhat makes no difference to a run\n\n";
        text += &idle.render_warnings(colour);
    }
    text
}
