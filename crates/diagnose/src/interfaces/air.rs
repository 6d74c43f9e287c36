//! What a radio link repeats by itself, and what it gives up: the share of its packets that the air takes.

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::flows::flow::Flow;
use crate::interfaces::radio_link;
use crate::interfaces::weak_radio::WeakRadio;
use crate::items::{Item, step};
use crate::part::part;
use crate::read::Facts;
use crate::read::radio::{FAILED, PACKETS, RETRIES};
use crate::seen::Side;

/// Fewer packets than this show no share.
pub(crate) const LEAST: f64 = 1000.0;

/// From this share of repeats on the air is poor, and surely; and the same of packets that are given up. Choices.
const POOR: [f64; 2] = [0.2, 0.5];
const GIVEN_UP: [f64; 2] = [0.0005, 0.005];

/// What a radio link of a host counts.
#[derive(Clone, Debug)]
pub(crate) struct Air {
    /// The end that it is of; none where it may be of either.
    side: Option<Side>,
    packets: f64,
    retries: f64,
    failed: f64,
    /// Its interface behind a space, for people; empty where no text names it.
    interface: String,
}

impl Air {
    /// Of the host of an end that gave up the largest share.
    fn of(facts: &Facts, flow: &Flow) -> Option<Air> {
        let hosts = flow.senders.iter().chain(&flow.receivers);
        let each = hosts.filter_map(|host| {
            let value = |name| flow.radio(facts, *host, name).map(|f| f.value);
            let packets = value(PACKETS).filter(|n| *n >= LEAST)?;
            Some(Air {
                side: flow.end_of(*host),
                packets,
                retries: value(RETRIES)?,
                failed: value(FAILED)?,
                interface: radio_link::named(facts, *host),
            })
        });
        each.max_by(|a, b| a.lost().total_cmp(&b.lost()))
    }

    /// The share of its packets that it gave up.
    fn lost(&self) -> f64 {
        self.failed / self.packets
    }

    fn sentence(&self) -> String {
        format!(
            "the radio link{} of {} repeated {:.0} of each 100 packets that it sent, and gave {} up: what it repeats takes its time, and what it gives up is lost",
            self.interface,
            match self.side {
                Some(Side::Sender) => "the sender",
                Some(Side::Receiver) => "the receiver",
                None => "a host",
            },
            100.0 * self.retries / self.packets,
            match self.failed > 0.0 {
                true => part(self.lost()),
                false => "none".to_owned(),
            }
        )
    }
}

impl Evidence {
    /// Takes what the hosts' radio links count.
    pub(crate) fn of_air(&mut self, facts: &Facts, flow: &Flow) {
        self.around.air = Air::of(facts, flow);
        self.around.weak_radio = WeakRadio::of(facts, flow);
    }
}

/// Weighs it: what a sender gives up are the flow's segments, or others' packets, at any time since its link began.
pub(crate) fn by_air(e: &Evidence, items: &mut Vec<Item>) {
    let Some(air) = &e.around.air else { return };
    let lost = step(air.lost(), GIVEN_UP[0], GIVEN_UP[1]);
    let sends = air.side == Some(Side::Sender) && lost > 0.0;
    let own = sends.then_some((Cause::RandomLoss, 6.0 * lost));
    // What a weak signal says already is not said twice.
    let weak = match e.is_weak_by_signal() {
        true => Vec::new(),
        false => e.by_weak_radio(),
    };
    items.push(Item {
        holds: step(air.retries / air.packets, POOR[0], POOR[1]).max(lost),
        weights: own.into_iter().chain(weak).collect(),
        sentence: air.sentence(),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{Source, read};

    /// 9000 repeats of 20000 packets, of which 120 were given up; of 200 packets nothing is said.
    #[test]
    fn repeats_and_losses_of_the_air_are_shares() {
        let of = |packets: u32| {
            let text = format!(
                "Station 02:00:00:00:00:01 (on wlan0)\n\ttx packets:\t{packets}\n\ttx retries:\t9000\n\ttx failed:\t120\n"
            );
            let facts = read(&[Source {
                name: "t.txt".to_owned(),
                bytes: text.into_bytes(),
            }]);
            let flows = crate::flows::flow::flows(&facts);
            Air::of(&facts, &flows[0])
        };
        let said = of(20_000).expect("it counts them").sentence();
        let says = "of a host repeated 45 of each 100 packets that it sent, and gave 0.60 % up";
        assert!(said.contains(says), "{said}");
        assert!(of(200).is_none());
    }
}
