//! A network adapter at a port of USB that carries less than its Ethernet: 480 Mbit/s of USB 2.0 leave far less for packets.

use crate::advice::Remedy;
use crate::cause::Cause;
use crate::ceiling::{Limit, bps, limit};
use crate::document::Change;
use crate::evidence::Evidence;
use crate::fact::{Figure, Of};
use crate::flows::flow::{Flow, number, word};
use crate::items::{Item, step};
use crate::read::Facts;

/// The speed of the port at which an adapter stands, bit/s, and the adapter's driver, as facts of its host.
pub(crate) const USB: [&str; 2] = ["usb_bps", "usb_driver"];

/// What bulk transfers get of a port at most: 13 packets of 512 bytes in each of 8000 microframes of USB 2.0 (its specification, §5.8.4). What an
/// adapter gets of it at least and usually is a rule of thumb, held against no measurement.
const SHARE: [f64; 3] = [0.4, 0.67, 0.8875];

/// A rate of this part of a port's meets it, and surely from the second on; it does not from the third on, and surely from the last.
const MET: [f64; 4] = [0.4, 0.55, 0.89, 0.92];

/// The most that is said of it: what is left of a port is a rule of thumb. A choice.
const MOST: f64 = 0.85;

/// From this rate on ports code and share otherwise (USB 3), and carry more than their adapters' Ethernet; bit/s.
const FAST: f64 = 5e9;

/// Such an adapter.
#[derive(Clone, Debug)]
pub(crate) struct UsbPort {
    host: u32,
    carries: Figure,
    driver: String,
}

impl UsbPort {
    fn of(facts: &Facts, host: u32) -> Option<UsbPort> {
        let of = Of::Host(host);
        let carries = number(facts, of, USB[0]).filter(|bps| bps.value < FAST)?;
        Some(UsbPort {
            host,
            carries: carries.clone(),
            driver: word(facts, of, USB[1])?.0.to_owned(),
        })
    }
}

impl Evidence {
    /// The slowest adapter of both ends.
    pub(crate) fn of_usb(&mut self, facts: &Facts, flow: &Flow) {
        let hosts = flow.senders.iter().chain(&flow.receivers);
        let all = hosts.filter_map(|host| UsbPort::of(facts, *host));
        self.around.usb = all.min_by(|a, b| a.carries.value.total_cmp(&b.carries.value));
    }

    /// How surely the rate is what a port of USB leaves, 0 to 1.
    fn meets_usb(&self) -> f64 {
        let (Some(usb), Some(rate)) = (&self.around.usb, &self.rate) else {
            return 0.0;
        };
        let met = rate.value / usb.carries.value;
        step(met, MET[0], MET[1]) * (1.0 - step(met, MET[2], MET[3]))
    }

    /// The most that is said of an interface where the port of its adapter is what speaks for it.
    pub(crate) fn at_most_of_usb(&self, cause: Cause) -> f64 {
        let by_port = cause == Cause::Nic && self.meets_usb() > 0.0;
        if by_port { MOST } else { 1.0 }
    }

    /// What to change about it, on the host of this name.
    pub(crate) fn change_usb(&self, called: impl Fn(u32) -> String) -> Option<Change> {
        let usb = self
            .around
            .usb
            .as_ref()
            .filter(|_| self.meets_usb() > 0.5)?;
        let remedy = Remedy {
            commands: vec![
                format!(
                    "put the adapter ({}) into a port of USB 3, with a cable for that, and without a hub of USB 2.0 between: lsusb -t shows 5000M in its line then",
                    usb.driver
                ),
                "where it stays at 480M, the adapter or the host has USB 2.0 alone: another adapter, or a card in a slot of PCIe".to_owned(),
            ],
            undo: vec!["the port that it had before".to_owned()],
            risk: "its interface is down meanwhile, and may have another name afterwards".to_owned(),
            ..Remedy::default()
        };
        Some(remedy.change(&called(usb.host), None, None))
    }
}

/// What a port of USB leaves at most.
pub(crate) fn ceiling(e: &Evidence) -> Option<Limit> {
    let usb = e.around.usb.as_ref()?;
    let mut rate = usb.carries.times(SHARE[1]);
    rate.low = usb.carries.low * SHARE[0];
    rate.high = usb.carries.high * SHARE[2];
    let formula = format!(
        "the USB port of a network adapter: {} · {} to {}",
        bps(usb.carries.value),
        SHARE[0],
        SHARE[2]
    );
    Some(limit(Cause::Nic, rate, formula))
}

/// A rate that is what a port of USB leaves.
pub(crate) fn by_usb(e: &Evidence, items: &mut Vec<Item>) {
    let Some(usb) = &e.around.usb else { return };
    items.push(Item {
        holds: e.meets_usb(),
        weights: vec![(Cause::Nic, 22.0)],
        sentence: format!(
            "a network adapter ({}) stands at a USB port of {}, which leaves {:.0} to {:.0} % of that for packets, whatever the speed of its Ethernet is",
            usb.driver,
            bps(usb.carries.value),
            100.0 * SHARE[0],
            100.0 * SHARE[2]
        ),
    });
}
