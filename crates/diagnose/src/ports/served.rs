//! A class that sends all that it may: it drops, and packets wait in it, as its text is printed. What it is held to no text states.

use super::queue::{FULL, of_queue};
use super::{Counted, Ports};
use crate::cause::Cause;
use crate::ceiling::{bps, payload_share};
use crate::evidence::Evidence;
use crate::items::Item;

impl Ports {
    /// Whether the queue that dropped drops now, while packets wait in it. It is not one before the flow's way back.
    pub(super) fn drops_now(&self, e: &Evidence) -> bool {
        self.drops.is_some_and(|bps| bps > 0.0) && !self.drop_back(e)
    }
}

impl Evidence {
    /// What the class sends whose queue drops now, bit/s, where this flow has all of that.
    fn served_class(&self) -> Option<f64> {
        let ports = &self.around.ports;
        let sends = ports
            .serves
            .filter(|_| !self.udp && ports.drops_now(self))?;
        let part = self.usual_rate()?.value / (sends * payload_share(self.mss));
        (part > FULL[0] && part < FULL[1]).then_some(sends)
    }
}

/// What such a class says. A shaper holds it, or what its port leaves to it beside other classes.
pub(super) fn by_served(e: &Evidence, dropped: &Counted) -> Option<Item> {
    let sends = e.served_class()?;
    Some(Item {
        holds: 1.0,
        weights: vec![
            (Cause::Shaper, 16.0),
            (Cause::ShallowBuffer, 4.0),
            (Cause::CongestionLoss, 2.0),
            (Cause::Policer, -14.0),
            (Cause::RandomLoss, -14.0),
        ],
        sentence: format!(
            "{}; its class drops as its text is printed, while packets wait in it, and this flow has all of the {} that it sends. Whether a shaper holds it to that, or its port leaves no more to it, its policy map says (show running-config policy-map)",
            of_queue(e, dropped),
            bps(sends)
        ),
    })
}
