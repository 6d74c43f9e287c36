//! Streams of datagrams above what a link carries: its queue takes up the rest until it is full, and drops it from then on.

use farpath_predict::queue::Overload;
use farpath_record::quantity::quantity;

use super::{Narrowest, Path};
use crate::model::{Test, Udp};

/// Part of an offered rate by which a place must carry less for anything to wait there for long.
const LESS: f64 = 1e-9;

/// What a full link's queue makes of a stream.
pub(super) struct Filling {
    /// The share that the queue drops of what comes to it in the measurement.
    pub(super) dropped: f64,
    /// The share of what is sent in the measurement that arrives, then or later.
    pub(super) arrives: f64,
    pub(super) note: String,
}

/// A port, what comes to it, and what it does with that, in bits of payload.
pub(super) struct Place {
    port: usize,
    offered_bps: f64,
    pub(super) line_bps: f64,
    pub(super) rate_bps: f64,
    bucket_bits: f64,
}

impl Place {
    /// What it has passed some seconds after the start at the most, bits.
    pub(super) fn passed_bits(&self, seconds: f64) -> f64 {
        let line = self.line_bps * seconds;
        line.min(self.bucket_bits + self.rate_bps * seconds)
    }

    /// The fastest that it ever passes anything, bit/s.
    pub(super) fn peak_bps(&self) -> f64 {
        match self.bucket_bits > 0.0 {
            true => self.line_bps,
            false => self.rate_bps,
        }
    }
}

impl Path<'_> {
    /// What the queue of the link that is full makes of a stream that offers so much; `None` where links carry all that comes to them,
    /// and a word where no closed form says. Some of it may be `policed`.
    pub(super) fn filling(
        &self,
        test: &Test,
        udp: &Udp,
        offered: f64,
        policed: bool,
    ) -> Option<Result<Filling, String>> {
        let size = (udp.size + self.header(), udp.size);
        let by_host = self.narrowest(size, (0.0, 0), offered).port.is_none();
        if by_host || self.crosses_twice() {
            return None;
        }
        let until_s = (test.omit + test.duration.unwrap_or_default()).as_secs_f64();
        let places = self.full_places(size, offered, until_s);
        let narrowest = places
            .iter()
            .min_by(|one, other| one.rate_bps.total_cmp(&other.rate_bps))?;
        let port = narrowest.port;
        let filling = self.filled_place(test, udp, &places, policed);
        Some(filling.map_err(|why| {
            let until_full = match self.managed_by(port) {
                Some(manager) => format!(", and {manager} drops or marks before it is full"),
                None => ". Until it is full nothing is lost there".to_owned(),
            };
            format!(
                "as if no queue took up what {} does not carry: {why}{until_full}: simulate",
                self.port_name(port)
            )
        }))
    }

    fn filled_place(
        &self,
        test: &Test,
        udp: &Udp,
        places: &[Place],
        policed: bool,
    ) -> Result<Filling, &'static str> {
        if udp.on_off.is_some() || udp.envelope.is_some() || udp.replay.is_some() {
            return Err("the stream comes and goes");
        }
        if policed {
            return Err("a policer on the way drops of it, too");
        }
        let (len, payload) = (udp.size + self.header(), udp.size);
        let until_s = (test.omit + test.duration.unwrap_or_default()).as_secs_f64();
        let [place] = places else {
            return Err("more than one place carries less than is sent");
        };
        let limited = self.hosts_bps(len, payload, 0.0, 0).is_finite();
        if limited && !self.scenario.is_router(self.plan.ports[place.port].from) {
            return Err("the sender's processor or bus holds its program back");
        }
        let plain = match self.holds_frames(place.port) {
            true => "it is not one queue that drops at its end and stays as it is",
            false => "its cells are queued, shaped or policed, and take their frames with them",
        };
        let frames = self.lasting_room(place.port, len).ok_or(plain)?;
        let fluid = Overload {
            offered_bps: place.offered_bps,
            line_bps: place.line_bps,
            rate_bps: place.rate_bps,
            bucket_bits: place.bucket_bits,
            queue_bits: frames as f64 * f64::from(payload) * 8.0,
        };
        let dropped = fluid.dropped_ratio(test.omit.as_secs_f64(), until_s);
        Ok(Filling {
            dropped,
            arrives: (1.0 - dropped) * (1.0 - self.loss_ratio(len, &self.there)),
            note: self.note_of(place.port, fluid, until_s),
        })
    }

    /// The ports that carry less than comes to them of such a stream before so many seconds are over. A bucket that lasts for longer
    /// keeps its port from it, and so do losses and slower places in front.
    fn full_places(&self, size: (u32, u32), offered: f64, until_s: f64) -> Vec<Place> {
        let mut full = Vec::new();
        let mut comes_bps = offered;
        for (at, hop) in self.there.iter().enumerate() {
            let place = self.place(hop.port, size, comes_bps);
            let passes_bps = comes_bps.min(place.peak_bps());
            let least = comes_bps * (1.0 - LESS);
            let lasts = (least - place.rate_bps) * until_s <= place.bucket_bits;
            if place.line_bps < least || !lasts {
                full.push(place);
            }
            comes_bps = passes_bps * (1.0 - self.loss_ratio(size.0, &self.there[at..=at]));
        }
        full
    }

    /// A port to which so much of a stream comes, in datagrams of `len` bytes, `payload` of them. What a trace has above that is not used.
    pub(super) fn place(&self, port: usize, (len, payload): (u32, u32), comes_bps: f64) -> Place {
        let bytes = f64::from(payload);
        let wire = self.wire_on(port, len, 0.0, 0);
        let line_bps = self.carries_bps(port, comes_bps * wire / bytes) * bytes / wire;
        let shaped_bps = self.shaped_bps(port, (len, payload), (0.0, 0));
        let rate_bps = line_bps.min(shaped_bps);
        let narrowest = Narrowest {
            bps: rate_bps,
            place: "link",
            port: Some(port),
        };
        let ahead = self.ahead(narrowest, len).filter(|_| shaped_bps < line_bps);
        Place {
            port,
            offered_bps: comes_bps,
            line_bps,
            rate_bps,
            bucket_bits: ahead.map_or(0.0, |(_, seconds)| seconds * rate_bps),
        }
    }

    /// Whether whole frames wait in front of a port and leave one behind the other: a line of cells may drop and shape them by themselves.
    pub(super) fn holds_frames(&self, port: usize) -> bool {
        let cells = self.direction(port).cells.as_ref();
        cells.is_none_or(|c| c.queue.is_none() && c.shape.is_none() && c.police.is_none())
    }

    /// Datagrams of `len` bytes that may wait in front of a port, where that is so for the whole of a run.
    pub(super) fn lasting_room(&self, port: usize, len: u32) -> Option<u64> {
        let direction = self.direction(port);
        let plan = &self.plan.ports[port];
        let steady = self.holds_frames(port)
            && direction.impairments.flap.is_none()
            && direction.impairments.trace.is_none()
            && !plan.changes
            && self.in_turn(port).is_none();
        self.own_room(port, len).filter(|_| steady)
    }

    /// When the queue of a port is full, and what waits in it.
    fn note_of(&self, port: usize, fluid: Overload, until_s: f64) -> String {
        let name = self.port_name(port);
        let full_s = fluid.full_after_s();
        let waits = quantity("waits_s", fluid.wait_s(until_s));
        if full_s >= until_s {
            return format!(
                "the queue of {name} takes up what the link does not carry: none is dropped there, and the last datagram waits {waits}"
            );
        }
        let dropped = 1.0 - fluid.rate_bps / fluid.offered_bps;
        format!(
            "the queue of {name} is full {} after the start; in the end {:.2} % of the datagrams are dropped there, and what passes waits {waits}",
            quantity("fills_s", full_s),
            dropped * 100.0
        )
    }
}
