//! Pause frames at a port of a switch (IEEE 802.3 Annex 31B): it is held back by what is plugged into it, or holds that back.

use std::collections::BTreeMap;

use crate::advice::Remedy;
use crate::document::Change;
use crate::fact::Figure;
use crate::ports::{Kind, Port, PortReading, counts};
use crate::read::Facts;

/// The port whose count grew most from one reading to the next.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PortPauses {
    port: Port,
    /// By how much, and where that stands.
    pub(crate) count: Figure,
    /// The frames were sent to the port, and not by it.
    heard: bool,
    /// No other port's count of these frames grew: the flow crosses it, for all that is known.
    pub(crate) alone: bool,
    /// Its speed, bit/s.
    pub(crate) speed: Option<f64>,
}

impl PortPauses {
    /// What the texts of switches count. What was read once is of nobody knows when.
    pub(crate) fn of(facts: &Facts) -> Option<PortPauses> {
        let heard = grown(facts, Kind::PausesHeard);
        let sent = grown(facts, Kind::PausesSent);
        let most = |all: &[(Port, Figure)]| all.iter().map(|of| of.1.value).fold(0.0, f64::max);
        let is_heard = most(&heard) >= most(&sent);
        let all = if is_heard { heard } else { sent };
        let one = all.first().map(|(port, _)| place(port));
        let alone = all.iter().all(|(port, _)| Some(place(port)) == one);
        let by = |a: &(Port, Figure), b: &(Port, Figure)| a.1.value.total_cmp(&b.1.value);
        let (port, count) = all.into_iter().max_by(by)?;
        let speeds = counts(facts, Kind::Speed).into_iter();
        let own = speeds.filter(|speed| speed.port == port);
        let speed = own.map(|speed| speed.count.value).reduce(f64::max);
        Some(PortPauses {
            port,
            count,
            heard: is_heard,
            alone,
            speed,
        })
    }

    fn named(&self) -> String {
        self.port.named("a switch's port")
    }

    /// What it means, for people.
    pub(crate) fn sentence(&self) -> String {
        let (port, n) = (self.named(), self.count.value);
        let means = match self.heard {
            true => format!(
                "{port} was sent {n:.0} pause frames from one reading to the next: what is plugged into it has no room for what comes, and held the switch back"
            ),
            false => format!(
                "{port} sent {n:.0} pause frames from one reading to the next: the switch has no room for what comes there, and held back what is plugged into it"
            ),
        };
        match self.alone {
            true => means,
            false => format!(
                "{means}. So were others: nothing says which of them the flow crosses, and none of it is weighed"
            ),
        }
    }

    /// What to check, and what to try.
    pub(crate) fn change(&self) -> Change {
        let port = self.named();
        let (check, way) = match self.heard {
            true => (
                format!(
                    "what is plugged into {port} has no room: of a host ethtool -S INTERFACE (tx_pause, rx_discards_phy, rx_out_of_buffer), its processor and the slot of its card; of another switch show interface flowcontrol, and the port behind it, which is slower or full"
                ),
                "receive",
            ),
            false => (
                format!(
                    "the ports by which it leaves what comes at {port}: show interface, show interface flowcontrol, show queuing interface. One of them is slower, full, or held back itself"
                ),
                "send",
            ),
        };
        let remedy = Remedy {
            commands: vec![
                check,
                format!(
                    "as an experiment, flowcontrol {way} off at {port}, and the test again: what has no room is dropped then, and TCP finds the rate of what is slow"
                ),
            ],
            undo: vec![format!("flowcontrol {way} on at {port}")],
            risk: "the link may go down for some seconds; storage that needs a lossless network (RoCE, FCoE) must not share this port".to_owned(),
            ..Remedy::default()
        };
        remedy.change("the switch", None, None)
    }
}

/// The router of a port, and its place there: `1/14` of `Eth1/14`, which another command calls `Ethernet1/14`.
fn place(port: &Port) -> (&str, &str) {
    let name = port.name.as_str();
    let kind = name.trim_start_matches(|c: char| c.is_ascii_alphabetic() || c == '-');
    (&port.router, kind)
}

/// The ports whose counts of a kind grew, and by how much.
fn grown(facts: &Facts, kind: Kind) -> Vec<(Port, Figure)> {
    let mut ends: BTreeMap<&Port, [&PortReading; 2]> = BTreeMap::new();
    for reading in facts.ports.iter().filter(|r| r.kind == kind) {
        ends.entry(&reading.port).or_insert([reading, reading])[1] = reading;
    }
    let each = ends.into_iter().filter_map(|(port, [first, last])| {
        let mut count = Figure::exact(last.value - first.value, last.at);
        count.from.push(first.at);
        (count.value > 0.0).then(|| (port.clone(), count))
    });
    each.collect()
}
