//! The queue of a class of IOS XR: what it dropped, what it sends, and whether it drops now while packets wait in it.

use super::counted;
use crate::fact::Place;
use crate::interfaces::port::{Kind, Port, PortReading};
use crate::read::{Facts, Line};
use crate::words::whole;

/// The state of reading the queue of a class.
#[derive(Default)]
pub(super) struct Queued {
    /// Whether the policy map is of what leaves by the port: what arrives does not queue there.
    leaves: bool,
    /// The policy map of the port, and the class and its policy map.
    root: String,
    class: String,
    policy: String,
    /// Packets that were sent, and what is sent now, kbit/s.
    sent: Option<(u64, f64)>,
    /// Packets that wait.
    waiting: u64,
    /// Whether a policer of the same class drops, too.
    policed: bool,
}

/// Kilobits.
const KBIT: f64 = 1e3;

impl Queued {
    /// That of a policy map of this way.
    pub(super) fn of(way: &str, policy: &str) -> Queued {
        Queued {
            leaves: way == "output",
            root: crate::redact(policy),
            ..Queued::default()
        }
    }

    /// A class begins, of this policy map within that of the port, or of that one.
    pub(super) fn begins(&mut self, policy: Option<&str>, class: &str) {
        let root = core::mem::take(&mut self.root);
        *self = Queued {
            leaves: self.leaves,
            class: crate::redact(class),
            policy: policy.map_or_else(|| root.clone(), crate::redact),
            root,
            ..Queued::default()
        };
    }

    /// Takes what a line says of the queue; `dropped` are the packets that the class dropped in all, and what it drops now, kbit/s.
    pub(super) fn line(
        &mut self,
        line: Line<'_>,
        (port, dropped): (&Port, Option<(u64, f64)>),
        facts: &mut Facts,
    ) {
        let text = line.bare;
        self.policed |= text.starts_with("Policed");
        if let Some(rest) = text.strip_prefix("Transmitted ") {
            self.sent = counted(rest).and_then(|(packets, kbps)| Some((packets, kbps?)));
        }
        if let Some(rest) = text.strip_prefix("Inst-queue-len ") {
            let waiting = rest.split_once(':').and_then(|(_, n)| whole(n.trim()));
            self.waiting = waiting.unwrap_or(0);
        }
        let by_red = text.strip_prefix("RED random drops").and_then(counted);
        if let Some((packets, _)) = by_red.filter(|(packets, _)| *packets > 0) {
            self.says(
                Kind::Dropped,
                packets as f64,
                (port, " by RED"),
                line.at,
                facts,
            );
        }
        let tail = text.strip_prefix("Taildropped(").and_then(counted);
        let Some((packets, _)) = tail else { return };
        self.says(Kind::Dropped, packets as f64, (port, ""), line.at, facts);
        if let Some((_, kbps)) = self.sent {
            self.says(Kind::Serves, KBIT * kbps, (port, ""), line.at, facts);
        }
        let now = dropped.filter(|_| self.waiting > 0 && !self.policed);
        if let Some((_, kbps)) = now.filter(|(_, kbps)| *kbps > 0.0) {
            self.says(Kind::Dropping, KBIT * kbps, (port, ""), line.at, facts);
        }
    }

    fn says(
        &self,
        kind: Kind,
        value: f64,
        (port, by): (&Port, &str),
        at: Place,
        facts: &mut Facts,
    ) {
        if !self.leaves || self.class.is_empty() {
            return;
        }
        let counts = matches!(kind, Kind::Dropped);
        let sent = self.sent.filter(|_| counts);
        facts.ports.push(PortReading {
            port: Port {
                router: port.router.clone(),
                name: format!(
                    "class {} of {}{by} at {}",
                    self.class, self.policy, port.name
                ),
            },
            kind,
            value,
            packets: None,
            sent: sent.map(|(packets, _)| packets as f64),
            at,
        });
    }
}
