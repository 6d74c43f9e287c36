//! `farpath lab status`: what a lab's links carry, and how true it is, once a second.

use std::io::IsTerminal;
use std::time::Duration as Wall;

use farpath_element::Drop;
use farpath_emu::fidelity::Fidelity;
use farpath_emu::plane::Plane;
use farpath_emu::tap::Tap;
use farpath_scenario::plan::port_of;
use farpath_scenario::{LinkId, Way};
use farpath_units::Time;
use serde::{Deserialize, Serialize};

use super::control::{Request, ask};
use super::environment;
use crate::args::LabStatusArgs;
use crate::exit::{Exit, Failure, print};
use crate::progress;

/// How things are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Snapshot {
    schema: String,
    /// Since the lab was up, nanoseconds.
    up_ns: u64,
    links: Vec<LinkState>,
    frames: u64,
    lateness_p50_ns: u64,
    lateness_p99_ns: u64,
    lateness_max_ns: u64,
    late_frames: u64,
}

/// One direction of a link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct LinkState {
    link: String,
    direction: String,
    bytes: u64,
    /// Since the snapshot before.
    rate_bps: f64,
    waiting_frames: u64,
    frames: u64,
    drops: u64,
    up: bool,
}

impl Snapshot {
    /// The lab as it is now; `before` has time and bytes of the snapshot before, and becomes this one's.
    pub(super) fn of(
        plane: &Plane<Tap>,
        now: Time,
        fidelity: &Fidelity,
        before: &mut Option<(Time, Vec<u64>)>,
    ) -> Snapshot {
        let scenario = plane.scenario();
        let mut bytes = Vec::new();
        let mut links = Vec::new();
        for (number, link) in scenario.links.iter().enumerate() {
            for way in [Way::Forward, Way::Reverse] {
                let port = port_of(LinkId(number), way);
                let counters = plane.port(port).counters();
                let last = before
                    .as_ref()
                    .and_then(|(at, b)| Some((*at, *b.get(port)?)));
                let rate_bps = last.map_or(0.0, |(at, old)| {
                    let seconds = now.since(at).as_secs_f64().max(1e-9);
                    (counters.bytes - old) as f64 * 8.0 / seconds
                });
                bytes.push(counters.bytes);
                links.push(LinkState {
                    link: link.name.clone(),
                    direction: scenario.direction_name(LinkId(number), way),
                    bytes: counters.bytes,
                    rate_bps: rate_bps.round(),
                    waiting_frames: plane.port(port).waiting(),
                    frames: counters.frames,
                    up: plane.port(port).is_up(),
                    drops: Drop::ALL.iter().map(|d| counters.dropped(*d)).sum(),
                });
            }
        }
        *before = Some((now, bytes));
        Snapshot {
            schema: "farpath.status/1".to_owned(),
            up_ns: now.as_ns(),
            links,
            frames: fidelity.lateness.total(),
            lateness_p50_ns: fidelity.lateness.quantile(0.5).as_ns(),
            lateness_p99_ns: fidelity.lateness.quantile(0.99).as_ns(),
            lateness_max_ns: fidelity.lateness.max().as_ns(),
            late_frames: fidelity.late,
        }
    }

    fn table(&self, name: &str) -> String {
        let ms = |ns: u64| ns as f64 / 1e6;
        let mut text = format!(
            "lab {name}, up {:.0} s\n{} frames delivered\nlateness p50 {:.3} ms, p99 {:.3} ms, max {:.1} ms\n\n{:<35} {:<5} {:>13} {:>8} {:>12} {:>8}\n",
            self.up_ns as f64 / 1e9,
            self.frames,
            ms(self.lateness_p50_ns),
            ms(self.lateness_p99_ns),
            ms(self.lateness_max_ns),
            "link",
            "state",
            "now",
            "waiting",
            "frames",
            "dropped"
        );
        for link in &self.links {
            let place = format!("{} {}", link.link, link.direction);
            text.push_str(&format!(
                "{place:<35} {:<5} {:>8.2} Mb/s {:>8} {:>12} {:>8}\n",
                if link.up { "up" } else { "down" },
                link.rate_bps / 1e6,
                link.waiting_frames,
                link.frames,
                link.drops
            ));
        }
        text
    }
}

pub(super) fn status(name: &str, args: &LabStatusArgs) -> Result<Exit, Failure> {
    let look = || -> Result<(String, Snapshot), Failure> {
        let text = ask(name, &Request::Status)?;
        let snapshot = serde_json::from_str(&text).map_err(environment)?;
        Ok((text, snapshot))
    };
    if args.json {
        print(&format!("{}\n", look()?.0))?;
        return Ok(Exit::Ok);
    }
    let terminal = std::io::stdout().is_terminal();
    if args.once || !terminal {
        print(&look()?.1.table(name))?;
        return Ok(Exit::Ok);
    }
    progress::watch_interrupts()?;
    while !progress::interrupted() {
        // Home, then what is left of an earlier, longer table is cleared.
        print(&format!(
            "\x1b[H\x1b[J{}\nCtrl-C ends the view, not the lab\n",
            look()?.1.table(name)
        ))?;
        for _ in 0..10 {
            if !progress::interrupted() {
                std::thread::park_timeout(Wall::from_millis(100));
            }
        }
    }
    Ok(Exit::Ok)
}
