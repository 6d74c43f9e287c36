//! What the user knows and no text says.

use farpath_units::{Duration, Rate, Ratio, Size};

use crate::fact::{Figure, Of, Place};
use crate::known::{System, control};
use crate::read::Facts;

/// What the user knows: each becomes a fact from "you".
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// Round-trip time of the idle path.
    pub rtt: Option<Duration>,
    /// Rate of the slowest link of the path.
    pub line: Option<Rate>,
    /// Rate that was expected.
    pub target: Option<Rate>,
    /// Rate that was measured.
    pub measured: Option<Rate>,
    /// Share of segments that the path loses.
    pub loss: Option<Ratio>,
    /// Largest IP packet.
    pub mtu: Option<Size>,
    /// System of the sender.
    pub sender: Option<System>,
    /// System of the receiver.
    pub receiver: Option<System>,
    /// Congestion control of the sender.
    pub cc: Option<String>,
    /// Largest send buffer, in bytes of data.
    pub send_buffer: Option<Size>,
    /// Largest receive window.
    pub window: Option<Size>,
}

/// A satellite and its queues take a second or two.
const LONG: Duration = Duration::from_secs(5);

impl Known {
    /// Adds them to what was read.
    pub fn tell(&self, facts: &mut Facts) {
        let at = Place::You;
        let mut number = |of, name, value: Option<f64>| {
            if let Some(value) = value {
                facts.number(of, name, Figure::exact(value, at));
            }
        };
        let bps = |rate: Option<Rate>| rate.map(|r| r.as_bps() as f64);
        let bytes = |size: Option<Size>| size.map(|s| s.as_bytes() as f64);
        let rtt = self.rtt.map(|r| r.as_ps() as f64 / 1000.0);
        let long = self.rtt.filter(|rtt| *rtt > LONG);
        number(Of::Path, "rtt_known_ns", rtt.filter(|r| *r > 0.0));
        number(Of::Path, "line_bps", bps(self.line));
        number(Of::Path, "target_bps", bps(self.target));
        number(Of::Path, "measured_bps", bps(self.measured));
        number(Of::Path, "loss_known_ratio", self.loss.map(Ratio::get));
        number(Of::Path, "mtu_bytes", bytes(self.mtu));
        number(
            Of::Sender,
            "send_buffer_known_bytes",
            bytes(self.send_buffer),
        );
        number(Of::Receiver, "window_known_bytes", bytes(self.window));
        if let Some(rtt) = long {
            let thousandth = Duration::from_ps(rtt.as_ps() / 1000);
            facts.notes.push(format!(
                "you: a round trip of {rtt} is longer than any path on Earth has: was {thousandth} meant?"
            ));
        }
        for (of, system) in [(Of::Sender, self.sender), (Of::Receiver, self.receiver)] {
            if let Some(system) = system {
                facts.word(of, "system", system.name(), at);
            }
        }
        if let Some(cc) = self.cc.as_deref().and_then(control) {
            facts.word(Of::Sender, "cc", cc, at);
        }
    }
}
