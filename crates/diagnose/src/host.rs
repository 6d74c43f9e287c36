//! What a host's own settings allow a connection: a pure function of a survey and of the path that is asked for.
//!
//! Windows, buffers and lines are the ceilings of [`crate::ceiling`], and what to change is [`crate::advice`]'s: a host
//! is judged by the same rules before a test as after one.

mod changes;
mod document;
mod findings;

use farpath_predict::law::{self, Conditions};
use farpath_predict::window::{LARGEST, MEMORY_PART};
use farpath_predict::{Cc, recovery, window};
use farpath_record::survey::Survey;
use farpath_record::{Finding, Severity};
use farpath_units::{Duration, Rate, Size};

pub use document::{Congestion, HostCeiling, HostPath, HostReport, HostVerdict, How, RateAt, Way};

use crate::Facts;
use crate::cause::Cause;
use crate::ceiling::{
    Limit, UNSCALED, bps, cap, carried, in_flight, payload_share, receiving, sending,
};
use crate::evidence::Evidence;
use crate::fact::{Figure, Of, Place};
use crate::flows::flow::number;
use crate::known::System;
use crate::losses::segments::HEADERS;
use crate::verdict::shown;
use crate::windows::room::Room;

/// Round trips that rates are shown at where no path is named: a machine room, a city, a continent, an ocean, two.
const ROUND_TRIPS_MS: [u64; 5] = [1, 10, 50, 100, 200];

/// The round trip that the first line is for where no path is named.
const USUAL_MS: u64 = 100;

/// So much of what the path leaves for payload is as good as all of it.
const ENOUGH: f64 = 0.95;

/// The path that a host is judged for.
#[derive(Clone, Copy, Debug)]
pub struct PathAsked {
    /// Rate of its slowest link.
    pub rate: Rate,
    /// Round-trip time of the idle path, above 0.
    pub rtt: Duration,
}

/// The setting without which a window is at most [`UNSCALED`], both ways.
const SCALING: &str = "net.ipv4.tcp_window_scaling";

/// The setting of the memory of all connections together.
const MEMORY: &str = "net.ipv4.tcp_mem";

/// What a host allows a connection one way.
struct Allowed {
    way: Way,
    how: How,
    by: String,
    limit: Limit,
    /// Whether it is the largest window that TCP has.
    largest: bool,
}

/// A host that is judged.
struct Host<'s> {
    survey: &'s Survey,
    facts: Facts,
    of: Of,
    /// Payload of a segment, bytes.
    mss: f64,
}

/// Judges a host. `mtu` is the path's largest IP packet, where it is not that of the interface. `version` is the program's.
pub fn judge(
    survey: &Survey,
    path: Option<PathAsked>,
    mtu: Option<Size>,
    version: &str,
) -> HostReport {
    let mut facts = Facts::default();
    let of = facts.survey(survey, None);
    let of_interface = survey.way_out().and_then(|i| i.mtu_bytes);
    let bytes = match (mtu.map(Size::as_bytes), of_interface) {
        (Some(asked), Some(own)) => asked.min(own),
        (asked, own) => asked.or(own).unwrap_or(1500),
    };
    let host = Host {
        survey,
        facts,
        of,
        mss: bytes.saturating_sub(HEADERS as u64).clamp(64, 65_483) as f64,
    };
    let usual = Duration::from_ms(USUAL_MS);
    let rtt = path.map_or(usual, |p| p.rtt);
    let all = host.allowed(rtt, path.map(|p| p.rate));
    let wanted = path.map(|p| host.line(p.rate).rate.value);
    let verdict = host.verdict(&all, path, rtt, wanted);
    let findings = host.findings(&all, path, &verdict);
    HostReport {
        schema: document::SCHEMA,
        version: version.to_owned(),
        path: path.map(|p| HostPath {
            rate_bps: p.rate.as_bps(),
            rtt_ns: p.rtt.as_ns(),
            mtu_bytes: bytes,
        }),
        ceilings: all.iter().map(|a| host.shown(a)).collect(),
        rates: host.rates(path.map(|p| p.rate)),
        congestion: path.and_then(|p| host.congestion(p)),
        changes: changes::changes(&host, &all, path, &findings),
        notes: notes(survey),
        unknown: host.unknown(),
        survey: survey.clone(),
        verdict,
        findings,
    }
}

impl HostReport {
    /// Whether something is to be changed: a finding that is worse than worth knowing.
    pub fn has_findings(&self) -> bool {
        let is_bad = |f: &Finding| f.severity >= Severity::Warning;
        self.findings.iter().any(is_bad)
    }
}

impl Host<'_> {
    /// Everything that limits a connection of this host, lowest first.
    fn allowed(&self, rtt: Duration, line: Option<Rate>) -> Vec<Allowed> {
        let mut e = Evidence {
            streams: 1.0,
            mss: self.mss,
            ..Evidence::default()
        };
        let seconds = Figure::exact(rtt.as_secs_f64(), Place::You);
        e.rtt = Some(seconds.clone());
        let mut all = Vec::new();
        for (way, how, by, room) in self.rooms() {
            let cause = match by.as_str() {
                SCALING => Cause::NoWindowScaling,
                _ => way.cause(),
            };
            let limit = in_flight(cause, &e, &seconds, &room);
            all.push(Allowed {
                way,
                how,
                largest: by != MEMORY && room.bytes.value >= LARGEST.as_bytes() as f64,
                by,
                limit,
            });
        }
        if let Some(speed) = number(&self.facts, self.of, "nic_bps") {
            let name = self.survey.way_out().map_or("", |i| i.name.as_str());
            let what = format!("the interface {name}");
            let mut limit = carried(payload_share(self.mss), speed, &what);
            limit.cause = Cause::Nic;
            all.extend(both_ways(&limit, name));
        }
        if let Some(line) = line {
            all.extend(both_ways(&self.line(line), "the path"));
        }
        all.sort_by(|a, b| a.limit.rate.value.total_cmp(&b.limit.rate.value));
        all
    }

    /// What a line of this rate leaves for payload.
    fn line(&self, rate: Rate) -> Limit {
        let figure = Figure::exact(rate.as_bps() as f64, Place::You);
        carried(payload_share(self.mss), &figure, "the line")
    }

    /// Every window and buffer, and the setting that it is limited by.
    fn rooms(&self) -> Vec<(Way, How, String, Room)> {
        let mut all = Vec::new();
        let get = |name: &'static str| number(&self.facts, self.of, name).cloned();
        let (facts, hosts) = (&self.facts, &[self.of]);
        let mut add = |way: Way, how, by: &str, rooms: Vec<Room>| {
            for mut room in rooms {
                // What no SYN's scale can say is never in flight: that holds of the peer's window too.
                if by != MEMORY {
                    cap(&mut room.bytes, LARGEST.as_bytes() as f64);
                }
                all.push((way, how, by.to_owned(), room));
            }
        };
        if let Some(off) = get("window_scaling").filter(|s| s.value == 0.0) {
            let window = Room {
                bytes: Figure {
                    from: off.from,
                    ..Figure::exact(UNSCALED, Place::You)
                },
                memory: None,
                what: "without window scaling".to_owned(),
                asked: false,
            };
            for way in [Way::Send, Way::Receive] {
                add(way, How::Always, SCALING, vec![window.clone()]);
            }
        }
        let linux = Some(System::Linux);
        let window = receiving(facts, hosts, linux, None);
        add(Way::Receive, How::Automatic, "net.ipv4.tcp_rmem", window);
        let buffer = sending(facts, hosts, None);
        add(Way::Send, How::Automatic, "net.ipv4.tcp_wmem", buffer);
        let most = |core: Option<Figure>| core.unwrap_or(Figure::exact(0.0, Place::You));
        let core = [get("core_rmem_max_bytes"), get("core_wmem_max_bytes")];
        if core[0].is_some() {
            let rooms = receiving(facts, hosts, linux, Some(most(core[0].clone())));
            add(Way::Receive, How::Requested, "net.core.rmem_max", rooms);
        }
        if core[1].is_some() {
            let rooms = sending(facts, hosts, Some(most(core[1].clone())));
            add(Way::Send, How::Requested, "net.core.wmem_max", rooms);
        }
        for (way, rooms) in self.memory() {
            add(way, How::Automatic, MEMORY, rooms);
        }
        all
    }

    /// The memory of all connections together: above the second number of `tcp_mem` buffers grow no more (tcp(7)).
    fn memory(&self) -> Vec<(Way, Vec<Room>)> {
        let pages = self.survey.numbers(MEMORY);
        let Some(&[_, pressure, _]) = pages.as_deref() else {
            return Vec::new();
        };
        let bytes = (pressure as f64) * self.survey.page_bytes as f64;
        let at = self
            .facts
            .sources
            .iter()
            .position(|s| s.ends_with("tcp_mem"));
        let at = at.map_or(Place::You, |n| Place::Line(n as u32, 0));
        let room = |[least, usual]: [f64; 2]| Room {
            bytes: Figure::between(bytes * usual, bytes * least, bytes, at),
            memory: Some(Figure::exact(bytes, at)),
            what: "net.ipv4.tcp_mem, all connections together".to_owned(),
            asked: false,
        };
        vec![
            (Way::Receive, vec![room(MEMORY_PART.receive)]),
            (Way::Send, vec![room(MEMORY_PART.send)]),
        ]
    }

    /// The lowest ceiling of what a program gets that asks for nothing.
    fn lowest<'a>(&self, all: &'a [Allowed], way: Option<Way>) -> Option<&'a Allowed> {
        all.iter()
            .filter(|a| a.how != How::Requested && way.is_none_or(|w| a.way == w))
            .min_by(|a, b| a.limit.rate.value.total_cmp(&b.limit.rate.value))
    }

    /// Whether the window or buffer of a way could be read: without it, a line says nothing of the host.
    fn is_known(&self, way: Way) -> bool {
        let rooms = self.rooms();
        let window = |by: &str| by == "net.ipv4.tcp_rmem" || by == "net.ipv4.tcp_wmem";
        rooms.iter().any(|(w, _, by, _)| *w == way && window(by))
    }

    fn verdict(
        &self,
        all: &[Allowed],
        path: Option<PathAsked>,
        rtt: Duration,
        wanted: Option<f64>,
    ) -> HostVerdict {
        let known = [Way::Send, Way::Receive].map(|way| self.is_known(way));
        let lowest = match known {
            [true, true] => self.lowest(all, None),
            [true, false] => self.lowest(all, Some(Way::Send)),
            [false, true] => self.lowest(all, Some(Way::Receive)),
            [false, false] => None,
        };
        let of = |way: Way| {
            let lowest = self.lowest(all, Some(way)).filter(|_| self.is_known(way));
            lowest.map(|a| a.limit.rate.value.round())
        };
        let allows = lowest.map(|a| a.limit.rate.value);
        let enough = allows.zip(wanted).map(|(a, w)| a >= ENOUGH * w);
        let by = lowest.map_or("", |a| a.by.as_str());
        let rate = allows.map_or("an unknown rate".to_owned(), bps);
        let limits = match lowest.map(|a| a.limit.cause) {
            Some(Cause::Link) => "the path itself limits".to_owned(),
            Some(Cause::Nic) => format!("the interface {by} limits"),
            Some(_) if lowest.is_some_and(|a| a.largest) => "TCP has no larger window".to_owned(),
            Some(_) => format!("{} limits", by.rsplit('.').next().unwrap_or(by)),
            None => "neither tcp_rmem nor tcp_wmem could be read".to_owned(),
        };
        // One way by itself is half an answer.
        let (only, rest) = match known {
            [true, false] => (
                " sending",
                "; receiving is unknown: tcp_rmem could not be read",
            ),
            [false, true] => (
                " receiving",
                "; sending is unknown: tcp_wmem could not be read",
            ),
            _ => ("", ""),
        };
        let text = match path {
            Some(path) => {
                let line = bps(path.rate.as_bps() as f64);
                format!(
                    "This host allows {rate}{only} on {}, {rtt}: {limits}{rest}",
                    plain(&line)
                )
            }
            None => format!("This host allows a connection {rate}{only} at {rtt}: {limits}{rest}"),
        };
        HostVerdict {
            text,
            allows_bps: allows.map(f64::round),
            send_bps: of(Way::Send),
            receive_bps: of(Way::Receive),
            wanted_bps: wanted.map(f64::round),
            rtt_ns: rtt.as_ns(),
            way: lowest.map(|a| a.way),
            by: by.to_owned(),
            cause: lowest.map_or(Cause::Unknown, |a| a.limit.cause).name(),
            enough: enough.filter(|is_enough| !is_enough || known == [true, true]),
        }
    }

    fn shown(&self, allowed: &Allowed) -> HostCeiling {
        let mut limit = allowed.limit.clone();
        limit.rate.from.retain(|at| *at != Place::You);
        HostCeiling {
            way: allowed.way,
            how: allowed.how,
            by: allowed.by.clone(),
            ceiling: shown(&self.facts, &limit),
        }
    }

    /// What it allows at several round trips.
    fn rates(&self, line: Option<Rate>) -> Vec<RateAt> {
        let at = |ms: u64| {
            let rtt = Duration::from_ms(ms);
            let all = self.allowed(rtt, line);
            let least = |way, how| {
                let mine = all.iter().filter(|a| {
                    let holds = a.how == how || a.how == How::Always;
                    a.way == way && (holds || a.by == MEMORY)
                });
                // A line without a window says nothing of the host.
                let known = all.iter().any(|a| a.way == way && a.how == how);
                let rates = mine.map(|a| a.limit.rate.value.round());
                rates.min_by(f64::total_cmp).filter(|_| known)
            };
            RateAt {
                rtt_ns: rtt.as_ns(),
                send_bps: least(Way::Send, How::Automatic),
                receive_bps: least(Way::Receive, How::Automatic),
                send_requested_bps: least(Way::Send, How::Requested),
                receive_requested_bps: least(Way::Receive, How::Requested),
            }
        };
        ROUND_TRIPS_MS.into_iter().map(at).collect()
    }

    /// What one loss costs on the path, by the host's congestion control.
    fn congestion(&self, path: PathAsked) -> Option<Congestion> {
        let name = self.survey.setting("net.ipv4.tcp_congestion_control")?;
        let mss = Size::from_bytes(self.mss as u64);
        let segments = recovery::pipe_segments(path.rate, path.rtt, mss);
        let cc: Option<Cc> = name.parse().ok();
        let recovery_s = match cc {
            Some(Cc::Reno) => Some(recovery::reno_s(path.rate, path.rtt, mss, 1.0)),
            Some(Cc::Cubic) => Some(recovery::cubic_s(segments, path.rtt)),
            _ => None,
        };
        let on = |cc| Conditions::of_linux(cc, path.rtt.as_secs_f64());
        Some(Congestion {
            algorithm: name.to_owned(),
            window_bytes: window::bdp_bytes(path.rate, path.rtt).round(),
            recovery_s,
            loss_ratio_to_fill: cc.and_then(|cc| law::loss_for(cc, segments, on(cc))),
        })
    }

    /// What could not be read and would have been judged.
    fn unknown(&self) -> Vec<String> {
        let mut all = self.survey.unread.clone();
        let missing = |key: &str| self.survey.setting(key).is_none();
        if missing("net.core.rmem_max") || missing("net.core.wmem_max") {
            all.push("net.core.rmem_max and wmem_max, the most a program may ask for: not shown in this network namespace".to_owned());
        }
        match self.survey.way_out() {
            None if self.survey.interfaces.len() > 1 => all.push(
                "which interface the path takes: no default route; name it with --interface"
                    .to_owned(),
            ),
            None => all.push("interfaces: none that is up".to_owned()),
            Some(i) => {
                if i.speed_bps.is_none() {
                    all.push(format!("the speed of {}: its driver states none", i.name));
                }
                if i.qdisc.is_none() {
                    all.push(format!("the queueing discipline of {}", i.name));
                }
                if i.offloads.is_empty() {
                    all.push(format!("the offloads of {}", i.name));
                }
            }
        }
        all
    }
}

/// A line is a ceiling both ways.
fn both_ways(limit: &Limit, by: &str) -> Vec<Allowed> {
    let one = |way| Allowed {
        way,
        how: How::Always,
        by: by.to_owned(),
        limit: limit.clone(),
        largest: false,
    };
    vec![one(Way::Send), one(Way::Receive)]
}

/// `10.0 Gbit/s` as it would be asked for: `10 Gbit/s`.
fn plain(rate: &str) -> String {
    rate.replace(".00 ", " ").replace(".0 ", " ")
}

/// What a reader must know of where the host runs.
fn notes(survey: &Survey) -> Vec<String> {
    let mut all = Vec::new();
    let place = &survey.place;
    if let Some(kind) = &place.container {
        all.push(format!(
            "a container ({kind}): net.core.* and net.ipv4.tcp_mem are the machine's and are changed there; \
             net.ipv4.* are given at its start (docker run --sysctl net.ipv4.tcp_rmem=\"...\")"
        ));
    } else if place.network_namespace {
        all.push(
            "a network namespace of its own: net.ipv4.* are its own, net.core.* and net.ipv4.tcp_mem the machine's"
                .to_owned(),
        );
    }
    if place.read_only {
        all.push("/proc/sys is read-only here: change settings on the machine itself".to_owned());
    } else if !place.privileged {
        all.push("you may not change settings: type the commands as root, or with sudo".to_owned());
    }
    if let Some(kind) = &place.virtual_machine {
        all.push(format!(
            "a virtual machine ({kind}): its card's real speed, drops and processors are its host's to say"
        ));
    }
    all
}

#[cfg(test)]
mod tests;
