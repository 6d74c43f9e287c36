//! What the interface of an end runs at, beside what it and its partner offer, and what the line was said to carry.

use crate::ceiling::bps;
use crate::evidence::Evidence;
use crate::fact::{Figure, Of, Place};
use crate::flows::flow::Flow;
use crate::paths::around::PORT;
use crate::read::{Duplexed, Facts, Negotiated};

/// An interface at the end of a flow that is its slowest link as far as is known.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SlowPort {
    /// What it negotiated.
    pub(crate) port: Negotiated,
    /// Its host, for people.
    pub(crate) host: String,
    /// Where its speed was read: ` (receiver.txt:5)`.
    place: String,
    /// Its speed.
    pub(crate) speed: Figure,
}

/// Why an interface runs slower than it was meant to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// Its partner offers no more.
    Partner,
    /// It can do no more.
    Own,
    /// It offers no more, though it can.
    Unoffered,
    /// Both offer more.
    Cable,
    /// Nothing says it.
    Unsaid,
}

/// So many lines at most lie between the speed and the duplex that ethtool prints of an interface.
const BESIDE: u32 = 8;

/// Whether an interface whose duplex is known negotiates, by the speed that stands above its duplex; none where nothing says it.
pub(crate) fn negotiates(facts: &Facts, duplex: &Duplexed) -> Option<bool> {
    let above = |at: Option<Place>| match (at, duplex.at) {
        (Some(Place::Line(of, speed)), Place::Line(source, line)) => {
            of == source && speed < line && line - speed <= BESIDE
        }
        _ => false,
    };
    let mut all = facts.negotiated.iter().rev();
    all.find(|n| n.name == duplex.name && above(n.at))?
        .automatic
}

/// The speed at which a port works with two pairs of its cable, bit/s.
const FAST_ETHERNET: f64 = 100e6;

/// A rate of more than this part of a port's speed is what the port leaves. A choice.
const FILLS: f64 = 0.8;

/// A rate is more than another from so many times on: headers cost less.
const MORE: f64 = 1.2;

impl SlowPort {
    /// An interface whose speed a text of a host has.
    pub(crate) fn of(of: Of, speed: &Figure, (facts, flow): (&Facts, &Flow)) -> Option<SlowPort> {
        let Of::Host(host) = of else { return None };
        let at = speed.from.first().copied();
        let port = facts.negotiated.iter().rev().find(|n| n.at == at);
        Some(SlowPort {
            port: port.cloned().unwrap_or_default(),
            host: flow.host_called(facts, host, "one of the hosts"),
            place: at.map_or_else(String::new, |at| format!(" ({})", facts.place(at))),
            speed: speed.clone(),
        })
    }

    /// `eno1 of 192.0.2.7`.
    pub(crate) fn named(&self) -> String {
        match self.port.name.as_str() {
            "" => format!("an interface of {}", self.host),
            name => format!("{name} of {}", self.host),
        }
    }

    /// Its name, as a command has it.
    pub(crate) fn interface(&self) -> &str {
        match self.port.name.as_str() {
            "" => "INTERFACE",
            name => name,
        }
    }

    /// What both sides offer, bit/s; none where that is what it runs at, or nothing says it.
    fn offered(&self) -> Option<f64> {
        let both = self.port.advertised.min(self.port.partner);
        (both > MORE * self.speed.value).then_some(both)
    }

    /// Why it runs no faster.
    pub(crate) fn why(&self) -> Why {
        let port = &self.port;
        let more = |bps: f64| bps > MORE * self.speed.value;
        let known = |bps: f64| bps > 0.0;
        match () {
            () if known(port.supported) && !more(port.supported) => Why::Own,
            () if known(port.partner) && !more(port.partner) => Why::Partner,
            () if port.automatic == Some(false) && more(port.supported) => Why::Unoffered,
            () if known(port.advertised) && !more(port.advertised) => Why::Unoffered,
            () if self.offered().is_some() => Why::Cable,
            () => Why::Unsaid,
        }
    }

    /// Whether it runs at 100 Mbit/s, for which two pairs of a cable are enough (IEEE 802.3 clause 25).
    fn is_fast_ethernet(&self) -> bool {
        (self.speed.value / FAST_ETHERNET - 1.0).abs() < 0.01
    }

    /// The same, for people.
    fn because(&self) -> String {
        let port = &self.port;
        let speed = bps(self.speed.value);
        match self.why() {
            Why::Partner if port.supported > 0.0 => format!(
                "it can do {}, and the port at the other end of its cable offers {}: that port is the slower one",
                bps(port.supported),
                bps(port.partner)
            ),
            Why::Partner => format!(
                "the port at the other end of its cable offers {}",
                bps(port.partner)
            ),
            Why::Own => "it can do no more".to_owned(),
            Why::Unoffered if port.automatic == Some(false) => format!(
                "it can do {}, and its speed is set without negotiation",
                bps(port.supported)
            ),
            Why::Unoffered => match port.supported > 0.0 {
                true => format!(
                    "it can do {}, and offers its partner {}",
                    bps(port.supported),
                    bps(port.advertised)
                ),
                false => format!("it offers its partner {}", bps(port.advertised)),
            },
            Why::Cable => format!(
                "both sides offer {}, and {speed} was taken: the cable between them, by a broken pair or its kind, is the likeliest",
                bps(self.offered().unwrap_or(0.0))
            ),
            Why::Unsaid if self.is_fast_ethernet() => "nothing says what it can do, and what its partner offers. A cable with a broken pair leaves 100 Mbit/s of ports of 1 Gbit/s: try another cable, and see what both of its ports can do".to_owned(),
            Why::Unsaid => "nothing says what it can do, and what its partner offers".to_owned(),
        }
    }
}

impl Evidence {
    /// Interfaces of ends that are the slowest link, where one is.
    pub(crate) fn slow_ports(&self) -> &[SlowPort] {
        match &self.line {
            Some((_, what)) if *what == PORT => &self.ports,
            _ => &[],
        }
    }

    /// Takes the speed of an interface of an end: the slowest is the line.
    pub(crate) fn of_port(&mut self, of: Of, speed: &Figure, among: (&Facts, &Flow)) {
        let before = self.line.as_ref().map(|(line, what)| (line.value, *what));
        let slower = before.is_none_or(|(line, _)| speed.value < line);
        let as_slow = before.is_some_and(|(line, what)| what == PORT && speed.value <= line);
        if slower {
            self.ports.clear();
        }
        if slower || as_slow {
            let port = SlowPort::of(of, speed, among);
            let new = port.filter(|p| self.ports.iter().all(|q| q.named() != p.named()));
            self.ports.extend(new);
        }
        if slower {
            self.line = Some((speed.clone(), PORT));
        }
    }

    /// What was stated of the line, or else expected, or else what both ends of the cable offer, where an interface of an end runs
    /// slower than that.
    pub(crate) fn beyond_port(&self) -> Option<Figure> {
        let first = self.slow_ports().first()?;
        let more = |bps: f64| bps > MORE * first.speed.value;
        let said = self.stated.iter().chain(&self.target);
        let mut said = said.filter(|f| more(f.value)).cloned();
        let offered = || Some(Figure::exact(first.offered()?, first.port.at?));
        said.next().or_else(offered)
    }

    /// The interfaces that are slower than what was stated or expected, and why, for people.
    pub(crate) fn ports_in_words(&self) -> Vec<String> {
        let beyond = self.beyond_port();
        let is = |said: &Option<Figure>| beyond.is_some() && beyond == *said;
        let of = |p: &SlowPort| {
            let beside = match &beyond {
                Some(said) if is(&self.stated) => {
                    format!(", and the line was said to carry {}", bps(said.value))
                }
                Some(said) if is(&self.target) => {
                    let times = said.value / p.speed.value;
                    format!(", and {times:.0} times as much is expected")
                }
                _ => String::new(),
            };
            format!(
                "{} runs at {}{beside}{}: {}",
                p.named(),
                bps(p.speed.value),
                p.place,
                p.because()
            )
        };
        let silent = self.stated.is_none() && self.target.is_none();
        let telling = |p: &&SlowPort| {
            let why = p.why();
            let rate = self.rate.as_ref().map_or(0.0, |rate| rate.value);
            let fills = rate > FILLS * p.speed.value;
            let cable = silent && fills && why == Why::Unsaid && p.is_fast_ethernet();
            beyond.is_some() || cable || why == Why::Partner || why == Why::Unoffered
        };
        self.slow_ports().iter().filter(telling).map(of).collect()
    }

    /// That an interface of an end is slower than the line was said to be; what says it, and where.
    pub(crate) fn stated_in_vain(&self) -> Option<(String, [&Figure; 2])> {
        let first = self.slow_ports().first()?;
        let stated = self.stated.as_ref()?;
        (stated.value > MORE * first.speed.value).then(|| {
            let text = format!(
                "{} runs at {}, and the line is said to carry {}: no more than the former passes",
                first.named(),
                bps(first.speed.value),
                bps(stated.value)
            );
            (text, [&first.speed, stated])
        })
    }
}
