//! The path that several router files make, for `farpath config check --rtt`.

use std::collections::{BTreeMap, BTreeSet};

use farpath_config::junos::model::Router;
use farpath_config::qos::Options;
use farpath_config::{Report, Source};
use farpath_record::Record;
use farpath_report::limit_words;
use farpath_scenario::{Stated, Wired, forecast, wired};
use farpath_units::{Duration, Rate, Size};
use farpath_wire::FlowDir;
use serde_json::{Value, json};

use crate::left::entry;

/// What the files of a report make of a path with the stated round trip, or why they make none.
pub(super) struct Between {
    rtt: Duration,
    built: Result<Wired, String>,
    /// Classes that routers hold to a rate of their own, which a forecast does not have.
    held: Vec<String>,
}

/// There and back.
const WAYS: [(&str, FlowDir); 2] = [
    ("there", FlowDir::forward(0)),
    ("back", FlowDir::forward(0).turned()),
];

impl Between {
    /// Nothing where no round trip was stated or there is one file.
    pub(super) fn of(
        report: &Report,
        sources: &[Source],
        options: &Options,
        memory: Option<Size>,
    ) -> Option<Between> {
        let rtt = options.rtt?;
        if sources.len() < 2 || report.failed() {
            return None;
        }
        let stated = Stated {
            rtt,
            rate: options.rate,
            memory,
        };
        let folder = |s: &Source| {
            s.name
                .rsplit_once('/')
                .map_or(".", |(folder, _)| folder)
                .to_owned()
        };
        let folders: BTreeSet<String> = sources.iter().map(folder).collect();
        let built = match folders.first() {
            Some(folder) if folders.len() == 1 => wired(report, sources, folder, stated),
            _ => Err("their files are in several folders: put them into one".to_owned()),
        };
        let held = report.routers.iter().flat_map(Router::held).collect();
        Some(Between { rtt, built, held })
    }

    /// For people.
    pub(super) fn text(&self, colour: bool) -> String {
        let built = match &self.built {
            Ok(built) => built,
            Err(why) => return format!("\nthe files make no path: {why}\n"),
        };
        let scenario = &built.scenario;
        let mut text = format!(
            "\nthe path that the files make, with a round trip of {}\n",
            self.rtt
        );
        for (word, dir) in WAYS {
            entry(word, &nodes(built, dir), &mut text);
        }
        let lasts = scenario.tests.first().and_then(|test| test.duration);
        let lasts = lasts.map_or_else(String::new, |d| format!(" of {d}"));
        for (n, held) in self.held.iter().enumerate() {
            let unknown = format!(
                "one TCP connection{lasts} gets an unknown rate: a class is held to a rate of its own, which a forecast does not have"
            );
            if n == 0 {
                entry("gives", &unknown, &mut text);
            }
            entry("", held, &mut text);
        }
        let known = forecasts(built).into_iter();
        for record in known.filter(|_| self.held.is_empty()) {
            let bps = record.metrics.get("goodput_bps").copied();
            let rate = bps.and_then(|bps| Rate::from_bps(bps as u64));
            let rate = match (rate, bps) {
                (Some(rate), _) => format!("{rate:.1}, its start included"),
                (None, Some(_)) => "nothing".to_owned(),
                (None, None) => "an unknown rate".to_owned(),
            };
            let limit = record.limited_by.as_deref().unwrap_or("unknown");
            let words = match limit {
                // The client is made up, its interface is the router's.
                "nic" => "the interface in front of the client".to_owned(),
                _ => limit_words(limit),
            };
            entry(
                "gives",
                &format!("one TCP connection{lasts} gets {rate}, limited by {words}"),
                &mut text,
            );
            for note in &record.notes {
                entry("", note, &mut text);
            }
        }
        let idle = built.document.without_effect(scenario);
        if idle.total > 0 {
            text += "\nwhat makes no difference to a run\n\n";
            text += &idle.render_warnings(colour);
        }
        text
    }

    /// `path` of the document; `docs/reference/config.md` says what it holds.
    pub(super) fn value(&self) -> Value {
        let rtt = self.rtt.as_ps() / 1000;
        let built = match &self.built {
            Ok(built) => built,
            Err(why) => return json!({"joined": false, "why_not": why, "rtt_ns": rtt}),
        };
        let [there, back] = WAYS.map(|(_, dir)| crossings(built, dir));
        let forecasts = forecasts(built);
        let of_test = forecasts.first().filter(|_| self.held.is_empty());
        let idle = built.document.without_effect(&built.scenario);
        let without_effect = idle.faults.iter().map(|d| {
            let (line, column) = d.places.first().map_or((1, 1), |p| idle.line_column(p));
            json!({"text": d.title, "remedies": d.remedies, "line": line, "column": column})
        });
        json!({
            "joined": true,
            "why_not": null,
            "rtt_ns": rtt,
            "there": there,
            "back": back,
            "goodput_bps": of_test.and_then(|r| r.metrics.get("goodput_bps")),
            "limited_by": of_test.and_then(|r| r.limited_by.as_deref()),
            "notes": of_test.map_or(&self.held[..], |r| &r.notes[..]),
            "without_effect": without_effect.collect::<Vec<_>>(),
            "scenario": built.text,
        })
    }
}

fn forecasts(built: &Wired) -> Vec<Record> {
    forecast(&built.scenario, &built.plan, &BTreeMap::new())
}

/// The nodes of one way, in order; of those that a label-switched path leads to, its name.
fn nodes(built: &Wired, dir: FlowDir) -> String {
    let (scenario, plan) = (&built.scenario, &built.plan);
    let hops = plan.walk(scenario, dir);
    let first = hops.first().map(|hop| plan.ports[hop.port].from);
    let first = first.map_or("", |node| scenario.node_name(node)).to_owned();
    hops.iter().fold(first, |way, hop| {
        let to = scenario.node_name(plan.ports[hop.port].to);
        let lsp = hop.lsp.map(|l| format!(" ({})", scenario.lsps[l].name));
        format!("{way} → {to}{}", lsp.unwrap_or_default())
    })
}

/// The links of one way, in order; one that is crossed twice is there twice.
fn crossings(built: &Wired, dir: FlowDir) -> Vec<Value> {
    let (scenario, plan) = (&built.scenario, &built.plan);
    let hops = plan.walk(scenario, dir);
    let crossing = |hop: &farpath_scenario::plan::Hop| {
        let port = &plan.ports[hop.port];
        let link = &scenario.links[port.link.0];
        let direction = link.direction(port.way);
        json!({
            "link": link.name,
            "from": scenario.node_name(port.from),
            "to": scenario.node_name(port.to),
            "rate_bps": direction.rate.as_bps(),
            "delay_ns": direction.delay.as_ps() / 1000,
            "mtu_bytes": direction.mtu,
            "lsp": hop.lsp.map(|l| &scenario.lsps[l].name),
        })
    };
    hops.iter().map(crossing).collect()
}
