//! Shapers' buckets: what a full one lets pass beside its rate.

use farpath_units::Duration;

use super::{Narrowest, Path};
use crate::model::Shape;

/// A stream of datagrams behind one shaper more or less.
struct Stage {
    narrowest: Narrowest,
    /// Payload that the bucket of the narrowest place lets pass beside its rate, bits.
    ahead: f64,
}

impl Stage {
    /// Payload that has passed after so many seconds of a stream of `offered` bit/s, bits.
    fn passed(&self, offered: f64, seconds: f64) -> f64 {
        offered.min(self.narrowest.bps) * seconds + self.ahead
    }
}

impl<'a> Path<'a> {
    /// The shaper of a port that holds frames back.
    pub(super) fn shaper(&self, port: usize) -> Option<Shape> {
        let shape = self.queueing(port)?.shape?;
        (!self.opened.contains(&port)).then_some(shape)
    }

    /// The same path where the shaper of `port` holds nothing back.
    pub(super) fn open(&self, port: usize) -> Path<'a> {
        let mut open = self.clone();
        open.opened.push(port);
        open
    }

    /// Which port shapes, of the narrowest place, and by how many seconds of its rate its full bucket is ahead of one that holds a single
    /// frame, as which datagrams of `len` bytes come; `None` of all but deeper buckets.
    pub(super) fn ahead(&self, narrowest: Narrowest, len: u32) -> Option<(usize, f64)> {
        let port = narrowest.port?;
        let shape = self.shaper(port)?;
        let extra = self.there.iter().find(|hop| hop.port == port)?.extra;
        let framing = self.scenario.links[self.plan.ports[port].link.0].framing;
        let more = shape.burst?.as_bytes() as f64 - f64::from(framing.queue_bytes(len + extra));
        (more > 0.0).then_some((port, more * 8.0 / shape.rate.as_bps() as f64))
    }

    /// What limits a stream of datagrams of `len` bytes, `payload` of them, that offers so much, at `until`, and how much of payload the
    /// bucket there, which has run empty, let pass beside its rate, bits.
    pub(super) fn stream_held(
        &self,
        until: Duration,
        (len, payload): (u32, u32),
        offered: f64,
    ) -> (Narrowest, f64) {
        let until_s = until.as_secs_f64();
        let mut stages = self.stages(len, payload, offered).into_iter().rev();
        let mut held = stages.next();
        for stage in stages {
            let least = held.as_ref().map(|h| h.passed(offered, until_s));
            if least.is_none_or(|least| stage.passed(offered, until_s) < least) {
                held = Some(stage);
            }
        }
        match held {
            Some(stage) => (stage.narrowest, stage.ahead),
            None => (self.narrowest((len, payload), (0.0, 0), offered), 0.0),
        }
    }

    /// The path as it is, and with each shaper opened that was narrowest before, as far as these have deep buckets.
    fn stages(&self, len: u32, payload: u32, offered: f64) -> Vec<Stage> {
        let mut path = self.clone();
        let mut stages = Vec::new();
        loop {
            let narrowest = path.narrowest((len, payload), (0.0, 0), offered);
            let ahead = path.ahead(narrowest, len);
            stages.push(Stage {
                narrowest,
                ahead: ahead.map_or(0.0, |(_, s)| s * narrowest.bps),
            });
            let Some((port, _)) = ahead else {
                return stages;
            };
            path = path.open(port);
        }
    }
}
