//! `farpath lab status`: what a lab's links carry, and how true it is, once a second.

use std::collections::{BTreeMap, VecDeque};
use std::io::IsTerminal;
use std::time::Duration as Wall;

use farpath_element::Drop;
use farpath_emu::Process;
use farpath_emu::fidelity::Fidelity;
use farpath_emu::layout::interface_name;
use farpath_emu::plane::Plane;
use farpath_emu::tap::Tap;
use farpath_scenario::plan::port_of;
use farpath_scenario::{LinkId, Scenario, Way};
use farpath_units::{Duration, Time};
use serde::{Deserialize, Serialize};

use super::control::{Request, ask};
use super::named::running;
use super::settings::{self, Settings};
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
    /// None of a lab that does not say it.
    #[serde(default)]
    set: Option<Settings>,
    bytes: u64,
    /// Over the last second; none where the lab is younger than a part of that.
    rate_bps: Option<f64>,
    waiting_frames: u64,
    frames: u64,
    drops: u64,
    /// Where a host sends on it: who, by which interface, and what its own queue in front of that has dropped.
    from: Option<Sender>,
    up: bool,
}

impl LinkState {
    /// The link and its direction, in words.
    fn place(&self) -> String {
        format!("{} {}", self.link, self.direction)
    }
}

/// A host's end of a link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Sender {
    host: String,
    interface: String,
    /// None where nobody could ask the host.
    drops: Option<u64>,
}

/// What links carried lately, noted now and then.
#[derive(Debug, Default)]
pub(super) struct Lately(VecDeque<(Time, Vec<u64>)>);

/// How far apart notes are, and how long they are kept.
const NOTED: Duration = Duration::from_ms(250);
const KEPT: Duration = Duration::from_secs(1);

/// The shortest time of which a rate is said.
const RATED: Duration = Duration::from_ms(200);

impl Lately {
    /// Notes what the links of `plane` have carried so far, if that is due.
    pub(super) fn note(&mut self, plane: &mut Plane<Tap>, now: Time) {
        if self.is_due(now) {
            plane.catch_up();
            let ports = (0..plane.port_count()).map(|n| plane.port(n).counters().bytes);
            self.keep(now, ports.collect());
        }
    }

    fn is_due(&self, now: Time) -> bool {
        let last = self.0.back();
        last.is_none_or(|(at, _)| now.since(*at) >= NOTED)
    }

    /// One note that is older than all of the last second is kept.
    fn keep(&mut self, now: Time, bytes: Vec<u64>) {
        while self.0.get(1).is_some_and(|(at, _)| now.since(*at) >= KEPT) {
            self.0.pop_front();
        }
        self.0.push_back((now, bytes));
    }

    /// The rate of a port that has carried `bytes` by now.
    fn rate(&self, port: usize, (now, bytes): (Time, u64)) -> Option<f64> {
        let old = |(at, all): &(Time, Vec<u64>)| Some((now.since(*at), *all.get(port)?));
        let (time, before) = self.0.front().and_then(old)?;
        let bits = bytes.saturating_sub(before) as f64 * 8.0;
        (time >= RATED).then(|| (bits / time.as_secs_f64()).round())
    }
}

impl Snapshot {
    /// The lab as it is now, whose scenario has become this, and what its links carried `lately`.
    pub(super) fn of(
        plane: &Plane<Tap>,
        scenario: &Scenario,
        (now, fidelity): (Time, &Fidelity),
        lately: &Lately,
    ) -> Snapshot {
        let mut links = Vec::new();
        for (number, link) in scenario.links.iter().enumerate() {
            for way in [Way::Forward, Way::Reverse] {
                let port = port_of(LinkId(number), way);
                let counters = plane.port(port).counters();
                links.push(LinkState {
                    link: link.name.clone(),
                    direction: scenario.direction_name(LinkId(number), way),
                    set: Some(Settings::of(link.direction(way))),
                    bytes: counters.bytes,
                    rate_bps: lately.rate(port, (now, counters.bytes)),
                    waiting_frames: plane.port(port).waiting(),
                    frames: counters.frames,
                    up: plane.port(port).is_up(),
                    drops: Drop::ALL.iter().map(|d| counters.dropped(*d)).sum(),
                    from: sender(plane, port),
                });
            }
        }
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

    /// Adds what the hosts' own queues have dropped. To be asked for where it may take some milliseconds.
    fn ask(&mut self, hosts: &[(String, Process)]) {
        let drops = hosts.iter().map(|(name, init)| {
            let drops = init.queue_drops().unwrap_or_default();
            (name.as_str(), drops)
        });
        let drops: BTreeMap<_, _> = drops.collect();
        for from in self.links.iter_mut().filter_map(|l| l.from.as_mut()) {
            let own = drops.get(from.host.as_str());
            from.drops = own.and_then(|own| own.get(&from.interface).copied());
        }
    }

    /// What is set of each direction of a link, with an empty line behind it; nothing where the lab does not say it.
    fn settings(&self) -> String {
        let row = |link: &LinkState| Some(link.set.as_ref()?.row(&link.place()));
        let rows: String = self.links.iter().filter_map(row).collect();
        match rows.is_empty() {
            true => rows,
            false => settings::head() + &rows + "\n",
        }
    }

    fn table(&self, name: &str) -> String {
        let ms = |ns: u64| ns as f64 / 1e6;
        let mut text = format!(
            "lab {name}, up {:.0} s\n{} frames delivered\nlateness p50 {:.3} ms, p99 {:.3} ms, max {:.3} ms\n\n{}{:<35} {:<5} {:>13} {:>8} {:>12} {:>8} {:>8}\n",
            self.up_ns as f64 / 1e9,
            self.frames,
            ms(self.lateness_p50_ns),
            ms(self.lateness_p99_ns),
            ms(self.lateness_max_ns),
            self.settings(),
            "link",
            "state",
            "now",
            "waiting",
            "frames",
            "dropped",
            "in host"
        );
        for link in &self.links {
            let place = link.place();
            let unknown = || "-".to_owned();
            let rate = link.rate_bps.map(|bps| format!("{:.2} Mb/s", bps / 1e6));
            let own = link.from.as_ref().and_then(|from| from.drops);
            let (rate, own) = (
                rate.unwrap_or_else(unknown),
                own.map_or_else(unknown, |n| n.to_string()),
            );
            text.push_str(&format!(
                "{place:<35} {:<5} {rate:>13} {:>8} {:>12} {:>8} {own:>8}\n",
                if link.up { "up" } else { "down" },
                link.waiting_frames,
                link.frames,
                link.drops,
            ));
        }
        text
    }
}

/// The host that sends on a port, if it is one.
fn sender(plane: &Plane<Tap>, port: usize) -> Option<Sender> {
    let plan = &plane.wan().plan;
    let node = plan.ports[port].from;
    let host = plane.scenario().hosts.get(node.0)?;
    let number = plan.nodes[node.0].ports.iter().position(|p| *p == port)?;
    Some(Sender {
        host: host.name.clone(),
        interface: interface_name(number),
        drops: None,
    })
}

pub(super) fn status(name: &str, args: &LabStatusArgs) -> Result<Exit, Failure> {
    let look = || -> Result<Snapshot, Failure> {
        let text = ask(name, &Request::Status)?;
        let mut snapshot: Snapshot = serde_json::from_str(&text).map_err(Failure::environment)?;
        snapshot.ask(&running(name)?.hosts);
        Ok(snapshot)
    };
    if args.json {
        let text = serde_json::to_string(&look()?).map_err(Failure::environment)?;
        print(&format!("{text}\n"))?;
        return Ok(Exit::Ok);
    }
    let terminal = std::io::stdout().is_terminal();
    if args.once || !terminal {
        print(&look()?.table(name))?;
        return Ok(Exit::Ok);
    }
    progress::watch_interrupts()?;
    while !progress::interrupted() {
        // Home, then what is left of an earlier, longer table is cleared.
        print(&format!(
            "\x1b[H\x1b[J{}\nCtrl-C ends the view, not the lab\n",
            look()?.table(name)
        ))?;
        for _ in 0..10 {
            if !progress::interrupted() {
                std::thread::park_timeout(Wall::from_millis(100));
            }
        }
    }
    Ok(Exit::Ok)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1000 bytes every 250 ms, and nothing from 3 s on.
    #[test]
    fn a_rate_is_of_the_last_second_whoever_asked_before() {
        let at = |ms: u64| Time::ZERO + Duration::from_ms(ms);
        let carried = |ms: u64| ms.min(3000) * 4;
        let mut lately = Lately::default();
        let mut rates = Vec::new();
        for ms in (0..=5000).step_by(50) {
            if lately.is_due(at(ms)) {
                lately.keep(at(ms), vec![carried(ms)]);
            }
            rates.push((ms, lately.rate(0, (at(ms), carried(ms)))));
        }
        let rate = |ms: u64| rates.iter().find(|r| r.0 == ms).and_then(|r| r.1);
        assert_eq!([rate(0), rate(150)], [None; 2], "too early to say");
        assert_eq!([rate(200), rate(1000), rate(2950)], [Some(32_000.0); 3]);
        assert!(rate(3500).is_some_and(|r| r > 0.0 && r < 32_000.0));
        assert_eq!([rate(4250), rate(5000)], [Some(0.0); 2]);
    }
}
