//! Datagrams that arrived as fast as a usual line carries such, where more were sent: the line is full, whoever did not say how fast it is.

use crate::cause::Cause;
use crate::ceiling::bps;
use crate::evidence::Evidence;
use crate::items::Item;

/// Rates of Ethernet, bit/s.
const LINES: [f64; 8] = [10e6, 100e6, 1e9, 2.5e9, 10e9, 25e9, 40e9, 100e9];

/// What arrived is what a line leaves within this part of it, and more was sent by that part at least. Choices.
const NEAR: f64 = 0.004;
const MORE: f64 = 0.01;

/// What it speaks for a line, decibans: that a rate is so near to one of them by chance is one of a hundred. A choice.
const FULL: f64 = 22.0;

impl Evidence {
    /// The usual line that datagrams fill of which more were sent, bit/s; none where nobody said how large they are, or how fast the line is
    /// is known.
    fn line_of_datagrams(&self) -> Option<f64> {
        self.filled_line().filter(|_| self.line.is_none())
    }

    /// The same where a faster interface of a host is known, and nobody stated a line: a slower one may lie on the way, bit/s.
    pub(crate) fn slower_line_of_datagrams(&self) -> Option<f64> {
        let (port, _) = self.line.as_ref().filter(|_| self.stated.is_none())?;
        self.filled_line().filter(|line| 2.0 * line <= port.low)
    }

    fn filled_line(&self) -> Option<f64> {
        let (share, lost) = (self.datagram_share?, self.lost_of_sent()?);
        let rate = self.rate.as_ref()?.value;
        let sent = rate / (1.0 - lost).max(0.01);
        LINES.into_iter().find(|line| {
            let full = line * share;
            (rate / full - 1.0).abs() < NEAR && sent > (1.0 + MORE) * full
        })
    }
}

/// Weighs datagrams that fill a usual line.
pub(crate) fn by_usual_line(e: &Evidence, items: &mut Vec<Item>) {
    if e.slower_line_of_datagrams().is_some() {
        // A policer counts neither preambles nor gaps: that it leaves just this is chance.
        items.push(Item {
            holds: 1.0,
            weights: vec![
                (Cause::Client, -8.0),
                (Cause::Nic, -6.0),
                (Cause::RandomLoss, -8.0),
                (Cause::Policer, -8.0),
            ],
            sentence: String::new(),
        });
    }
    let Some(line) = e.line_of_datagrams() else {
        return;
    };
    items.push(Item {
        holds: 1.0,
        weights: vec![
            (Cause::Link, FULL),
            (Cause::RandomLoss, -8.0),
            (Cause::Policer, -6.0),
            (Cause::Client, -8.0),
            (Cause::Nic, -6.0),
        ],
        sentence: format!(
            "as much arrived as a line of {} leaves for datagrams of this size, and more was sent: the rest found its queue full; nobody said how fast the line is (--line)",
            bps(line)
        ),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::{Figure, Place};
    use crate::losses::segments::datagram_share;

    /// The line that datagrams of 1448 bytes fill of which so many Mbit/s arrived, and this share was lost.
    fn line(mbit: f64, lost: f64) -> Option<f64> {
        let exact = |value: f64| Figure::exact(value, Place::You);
        let e = Evidence {
            udp: true,
            rate: Some(exact(mbit * 1e6)),
            idle_loss: Some(exact(lost)),
            datagrams_lost: Some(38e3),
            datagram_share: Some(datagram_share(1448.0, 1500.0)),
            ..Evidence::default()
        };
        e.line_of_datagrams()
    }

    /// An interface of 10 Gbit/s at one end says nothing of what lies between.
    #[test]
    fn a_slower_line_may_lie_behind_a_faster_interface() {
        let with = |mbit: f64, port: f64| {
            let exact = |value: f64| Figure::exact(value, Place::You);
            let e = Evidence {
                udp: true,
                rate: Some(exact(mbit * 1e6)),
                idle_loss: Some(exact(0.5)),
                datagrams_lost: Some(38e3),
                datagram_share: Some(datagram_share(1448.0, 1500.0)),
                line: Some((exact(port), "the interface of a host")),
                ..Evidence::default()
            };
            assert_eq!(e.lower_port(), e.slower_line_of_datagrams());
            (e.slower_line_of_datagrams(), e.line_of_datagrams())
        };
        assert_eq!(with(956.0, 10e9), (Some(1e9), None));
        assert_eq!(with(956.0, 1e9), (None, None));
        assert_eq!(with(700.0, 10e9), (None, None));
    }

    /// 1448 of 1514 bytes on the line: of 1 Gbit/s 956.4 Mbit/s.
    #[test]
    fn what_arrives_is_what_a_usual_line_leaves() {
        assert_eq!(line(956.0, 0.044), Some(1e9));
        assert_eq!(line(95.6, 0.5), Some(100e6));
        // Far from one, and no more sent than it leaves.
        assert_eq!(line(900.0, 0.1), None);
        assert_eq!(line(956.0, 0.001), None);
    }
}
