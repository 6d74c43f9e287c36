//! The path, hosts and test that the evidence on a flow comes to, each value with where it is from.

use farpath_units::{Duration, Rate, Ratio, Size};

use super::grounds::{Grounds, Said, assumed, rate};
use super::host::{HostModel, hosts};
use super::work::{Work, work};
use crate::advice::fitting;
use crate::cause::Cause;
use crate::fact::Of;
use crate::flows::flow::{number, word};
use crate::losses::segments::{FIXED_HEADERS, HEADERS};

/// Everything a scenario of one flow says.
#[derive(Clone, Debug)]
pub(super) struct Model {
    /// Sender and receiver.
    pub(super) hosts: [HostModel; 2],
    /// Rate of the line.
    pub(super) rate: Said<Rate>,
    /// Whether no text says the rate.
    pub(super) rate_assumed: bool,
    /// Round-trip time of the idle path.
    pub(super) rtt: Said<Duration>,
    /// Largest IP packet, bytes.
    pub(super) mtu: Said<u64>,
    /// Whether segments carry timestamps.
    pub(super) timestamps: Said<bool>,
    /// What may wait in front of the line; none is one BDP.
    pub(super) queue: Said<Option<Size>>,
    /// Share of frames lost at random.
    pub(super) loss: Option<Said<Ratio>>,
    /// Rate of a policer, and its burst.
    pub(super) policer: Option<Said<(Rate, Size)>>,
    /// Rate of a shaper.
    pub(super) shaper: Option<Said<Rate>>,
    /// The largest packet that the line carries, where nobody says that larger ones are lost.
    pub(super) hole: Option<Said<u64>>,
    /// Congestion control.
    pub(super) cc: Said<&'static str>,
    /// Most payload in flight.
    pub(super) window: Option<Said<Size>>,
    /// Connections side by side.
    pub(super) streams: Said<u64>,
    /// What is sent, and for how long.
    pub(super) work: Work,
    /// Datagrams, not a connection.
    pub(super) udp: bool,
    /// What was fitted to the measured rate, or decides it and is in no text.
    pub(super) fitted: Vec<&'static str>,
}

/// Rates that lines have, bit/s.
const LINES: [f64; 19] = [
    64e3, 128e3, 256e3, 512e3, 1.544e6, 2.048e6, 10e6, 34.368e6, 44.736e6, 100e6, 155.52e6,
    622.08e6, 1e9, 2.5e9, 10e9, 25e9, 40e9, 100e9, 400e9,
];

/// The line where nothing was measured, bit/s.
const USUAL_LINE: f64 = 1e9;

/// A line that is not to be the limit has so many times what was measured.
const ROOM: f64 = 4.0;

/// Round trips that a path may have, seconds.
const RTT: [f64; 2] = [10e-6, 1000.0];

/// A queue shorter than this share of a BDP is short.
const SHALLOW: f64 = 0.05;

/// Fewest packets of a queue.
const QUEUE_LEAST: f64 = 10.0;

impl Model {
    /// The model of a flow; none where no round trip is known.
    pub(super) fn of(g: &Grounds<'_>) -> Option<Model> {
        let rtt = rtt(g)?;
        let (rate, rate_assumed) = g.line()?;
        let mut fitted = Vec::new();
        let (hosts, window) = hosts(g, &rate.value, rtt.value, &mut fitted);
        let (mtu, timestamps) = sizes(g);
        // No test has a window smaller than a segment.
        let window = window.map(|w| match w.value.as_bytes() < mtu.value {
            true => Said {
                value: Size::from_bytes(mtu.value),
                from: format!(
                    "{}: {} there, and no less than a packet here",
                    w.from, w.value
                ),
            },
            false => w,
        });
        let line = rate.value.as_bps() as f64;
        let policer = g.policer(&mut fitted, mtu.value);
        let shaper = g.shaper(&mut fitted);
        let drained = shaper
            .as_ref()
            .map_or(line, |s| line.min(s.value.as_bps() as f64));
        let hole = g.hole(mtu.value, &mut fitted);
        Some(Model {
            work: work(g, line, rtt.value.as_secs_f64(), mtu.value, &mut fitted),
            queue: g.queue(drained, mtu.value, &mut fitted),
            loss: g.loss(),
            cc: g.control(),
            streams: g.streams(),
            udp: g.e.udp,
            hosts,
            rate,
            rate_assumed,
            rtt,
            mtu,
            timestamps,
            policer,
            shaper,
            hole,
            window,
            fitted,
        })
    }
}

/// The round trip of the idle path: what was known, the mean of pings, the least that the kernel saw.
fn rtt(g: &Grounds<'_>) -> Option<Said<Duration>> {
    let e = g.e;
    let idle = match (&e.rtt_idle, &e.rtt_floor) {
        // Pings that waited in a queue say less than the least round trip.
        (Some(idle), Some(floor)) if idle.value > 1.25 * floor.value => floor,
        (Some(idle), _) => idle,
        (None, Some(floor)) => floor,
        (None, None) => e.rtt.as_ref()?,
    };
    let possible = RTT[0]..RTT[1];
    let span = Duration::from_secs_f64(idle.value);
    possible.contains(&idle.value).then(|| g.said(span, idle))
}

/// The largest IP packet, and whether segments carry timestamps.
fn sizes(g: &Grounds<'_>) -> (Said<u64>, Said<bool>) {
    let mtu = g.facts.of_path("mtu_bytes").next_back().cloned();
    let socket = g.flow.sockets.iter();
    let mss = socket
        .filter_map(|s| number(g.facts, Of::Socket(*s), "mss_bytes"))
        .next()
        .or_else(|| g.flow.test.as_ref()?.numbers.get("mss_bytes"));
    let usual = |mtu: f64| (mtu as u64).is_multiple_of(100);
    let stamps = |on, from: &str| Said {
        value: on,
        from: from.to_owned(),
    };
    let bytes = |b: f64| (b as u64).clamp(576, 65_535);
    match (mtu, mss) {
        (Some(mtu), _) => {
            let said = g.said(bytes(mtu.value), &mtu);
            (said, stamps(true, "assumed: as most hosts have it"))
        }
        // An MSS without room for timestamps is that of the handshake, or nobody offered them.
        (None, Some(mss)) if usual(mss.value + FIXED_HEADERS) && !usual(mss.value + HEADERS) => {
            let said = g.said(bytes(mss.value + FIXED_HEADERS), mss);
            let from = format!("{}: the MSS leaves them no room", said.from);
            (said, stamps(false, &from))
        }
        (None, Some(mss)) => {
            let said = g.said(bytes(mss.value + HEADERS), mss);
            let from = said.from.clone();
            (said, stamps(true, &from))
        }
        (None, None) => (
            assumed(1500, "Ethernet's"),
            stamps(true, "assumed: as most hosts have it"),
        ),
    }
}

impl Grounds<'_> {
    /// Rate of the line, and whether it is assumed.
    fn line(&self) -> Option<(Said<Rate>, bool)> {
        if let Some((line, _)) = &self.e.line {
            return Some((self.said(rate(line.value)?, line), false));
        }
        if !self.is_measured() {
            let why = "no text says it, and nothing arrived that would bound it; --line says it";
            return Some((assumed(rate(USUAL_LINE)?, why), true));
        }
        let carried = self.carried();
        let full = matches!(
            self.cause,
            Cause::Link | Cause::CongestionLoss | Cause::ShallowBuffer | Cause::None
        );
        let said = match full {
            true => assumed(
                rate(carried)?,
                "the least that carries what was measured; --line says it",
            ),
            false => {
                let usual = LINES.iter().find(|l| **l >= ROOM * carried);
                let why = "the least usual rate above 4 times what was measured; --line says it";
                assumed(rate(usual.copied().unwrap_or(ROOM * carried))?, why)
            }
        };
        Some((said, true))
    }

    /// The queue in front of the line: what the round trip grew by where it filled, at the rate that drains it, bit/s; else one BDP.
    fn queue(&self, drained: f64, mtu: u64, fitted: &mut Vec<&'static str>) -> Said<Option<Size>> {
        let fills = matches!(
            self.cause,
            Cause::Link | Cause::CongestionLoss | Cause::Shaper | Cause::ShallowBuffer
        );
        let (Some(floor), Some(loaded), true) = (&self.e.rtt_floor, &self.e.rtt_loaded, fills)
        else {
            return assumed(None, "no text says it");
        };
        let grown = (loaded.value - floor.value).max(0.0);
        let shallow = self.cause == Cause::ShallowBuffer;
        if grown < SHALLOW * floor.value && !shallow {
            return assumed(None, "no text says it, and the round trip hardly grew");
        }
        let full = QUEUE_LEAST * mtu as f64;
        let size = |s: f64| {
            Some(Size::from_bytes(
                (s * drained / 8.0).max(full).min(4e9) as u64
            ))
        };
        if grown < SHALLOW * floor.value {
            fitted.push("how long the queue is");
            let why = "a twentieth of a BDP, as it is short and the round trip hardly grew";
            return assumed(size(SHALLOW * floor.value), why);
        }
        let mut said = self.said(size(grown), loaded);
        said.from.push_str(": what the round trip grew by");
        said
    }

    /// The share of segments sent again after the start of the test, whose losses are those of slow start.
    fn steady_losses(&self) -> Option<Said<Ratio>> {
        let rows = &self.e.counted;
        let rows = &rows[rows.len().div_ceil(5).min(rows.len())..];
        let lost: f64 = rows.iter().filter_map(|r| r.retransmits).sum();
        let bits: f64 = rows.iter().map(|r| r.bps * (r.until - r.from)).sum();
        let segments = bits / 8.0 / self.e.mss;
        let ratio = Ratio::new((lost / segments).min(0.5)).filter(|_| segments >= 1.0)?;
        let (first, last) = (rows.first()?, rows.last()?);
        (lost > 0.0).then(|| Said {
            value: ratio,
            from: format!(
                "{} to {}: segments sent again, of all, after slow start",
                self.facts.place(first.at),
                self.facts.place(last.at)
            ),
        })
    }

    /// Random loss: what the path loses when idle, or what was sent again where that is the verdict.
    fn loss(&self) -> Option<Said<Ratio>> {
        let idle = self.e.idle_loss.as_ref().filter(|l| l.low > 0.0);
        let again = self.e.again.as_ref();
        let again = again.filter(|a| self.cause == Cause::RandomLoss && a.value > 0.0);
        if let (None, Some(_), Some(steady)) = (idle, again, self.steady_losses()) {
            return Some(steady);
        }
        let known = idle.or(again)?;
        let ratio = Ratio::new(known.value.min(0.5))?;
        let mut said = self.said(ratio, known);
        if idle.is_none() {
            said.from.push_str(": segments sent again, of all");
        }
        Some(said)
    }

    fn policer(&self, fitted: &mut Vec<&'static str>, mtu: u64) -> Option<Said<(Rate, Size)>> {
        let stated = self.e.policer.as_ref();
        if stated.is_none() && self.cause != Cause::Policer {
            return None;
        }
        let share = self.e.payload_share();
        let (bps, from) = match (stated, self.e.policed()) {
            (Some(rate), _) => (rate.value, self.said((), rate).from),
            (None, Some(passed)) => {
                fitted.push("the policer's burst");
                let from = self.said((), &passed).from;
                (
                    passed.value / share,
                    format!("{from}: what passed, with headers"),
                )
            }
            (None, None) => {
                fitted.push("the policer's rate");
                let bps = self.e.rate.as_ref()?.value / share;
                (bps, "assumed: the measured rate, with headers".to_owned())
            }
        };
        let bps = bps.clamp(1e3, 4e12);
        let rate = rate(bps)?;
        // 20 ms of the rate, as a policer's burst is often configured; no fewer than ten packets.
        let assumed = (bps * 0.02 / 8.0).max(10.0 * mtu as f64);
        let stated = self.e.policer_burst.as_ref().filter(|_| stated.is_some());
        let burst = Size::from_bytes(stated.map_or(assumed, |burst| burst.value) as u64);
        let from = match stated {
            Some(_) => from,
            None => format!("{from}; its burst is assumed"),
        };
        let value = (rate, burst);
        Some(Said { value, from })
    }

    fn shaper(&self, fitted: &mut Vec<&'static str>) -> Option<Said<Rate>> {
        if let Some(rate) = &self.e.shaper {
            return Some(self.said(self::rate(rate.value)?, rate));
        }
        if self.cause != Cause::Shaper {
            return None;
        }
        fitted.push("the shaper's rate");
        let share = self.e.payload_share();
        let bps = self.e.rate.as_ref()?.value / share;
        let rate = rate(bps)?;
        Some(assumed(rate, "the measured rate, with headers"))
    }

    /// A hole for large packets: the size that is known, or guessed, to pass.
    fn hole(&self, mtu: u64, fitted: &mut Vec<&'static str>) -> Option<Said<u64>> {
        if self.cause != Cause::MtuBlackHole {
            return None;
        }
        if self.is_measured() {
            fitted.push("what small packets carry beside the hole");
        }
        let (bytes, why) = fitting((self.facts, self.flow), self.e);
        Some(assumed(bytes.min(mtu.saturating_sub(4)), why))
    }

    /// The congestion control, as far as models know it.
    fn control(&self) -> Said<&'static str> {
        const KNOWN: [&str; 9] = [
            "reno",
            "cubic",
            "highspeed",
            "scalable",
            "htcp",
            "bic",
            "westwood",
            "vegas",
            "bbr",
        ];
        let Some(name) = &self.e.cc else {
            let sender = self.e.systems[0];
            return match sender.is_none_or(|s| s == crate::known::System::Linux) {
                true if !self.is_old() => assumed("cubic", "Linux's since 2006"),
                _ => assumed("reno", "of systems of that time"),
            };
        };
        let from = self.control_from();
        match KNOWN.iter().find(|k| *k == name) {
            Some(known) => Said { value: known, from },
            None => {
                let near = if name.starts_with("bbr") {
                    "bbr"
                } else {
                    "cubic"
                };
                assumed(near, &format!("for {name} ({from}), which no model knows"))
            }
        }
    }

    fn control_from(&self) -> String {
        let mut sockets = self.flow.sockets.iter().map(|s| Of::Socket(*s));
        let mut hosts = self.flow.senders.iter().map(|h| Of::Host(*h));
        let test = self.flow.test.as_ref();
        let of_test = test.filter(|t| t.words.contains_key("cc")).map(|t| t.at);
        let of = |of: Of| word(self.facts, of, "cc").map(|(_, at)| at);
        let typed = || crate::flows::typed::word(self.facts, test, "cc").map(|(_, at)| at);
        let found = of_test.or_else(|| sockets.find_map(of));
        let found = found.or_else(typed).or_else(|| hosts.find_map(of));
        found.map_or("you".to_owned(), |at| self.facts.place(at))
    }

    fn streams(&self) -> Said<u64> {
        let value = self.e.streams.clamp(1.0, 1000.0) as u64;
        let from = match &self.e.rate {
            Some(rate) => self.said((), rate).from,
            None => "the sockets".to_owned(),
        };
        Said { value, from }
    }
}
