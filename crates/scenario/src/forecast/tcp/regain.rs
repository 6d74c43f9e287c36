//! How long a window that one loss cut takes to be what it was.

use farpath_predict::Cc;
use farpath_predict::climb::Climb;
use farpath_predict::highspeed::HIGH_WINDOW;
use farpath_record::Record;
use farpath_tcp::Flavour;

use crate::forecast::flow::Flow;
use crate::forecast::{Path, put};
use crate::model::Test;

/// Of a pipe: what a window may hold beyond it before its queue is worth a word.
const SLIGHT: f64 = 1.01;

impl Path<'_> {
    /// From the window cut back to the old one, after one loss, with the queue that stands meanwhile.
    pub(super) fn regains(&self, test: &Test, flow: &Flow, record: &mut Record) {
        let pipe = flow.pipe();
        let flow = &self.bounded(flow, pipe);
        let stands = self.stands(flow, pipe);
        let filled = if stands { pipe } else { f64::INFINITY };
        let Some(seconds) = flow.recovery_s(filled) else {
            return;
        };
        put(&mut record.metrics, "recovery_s", seconds);
        record.notes.extend(flow.doubt_of_high_windows());
        record.notes.extend(flow.note_of_whole_segments(filled));
        record.notes.extend(flow.note_of_estimate(filled));
        record.notes.extend(flow.note_of_gathered());
        record.notes.extend(flow.notes_of_counted_acks());
        if let Some(measured) = test.duration.filter(|d| seconds > d.as_secs_f64()) {
            record.notes.push(format!(
                "recovery_s is that of a full window, and more than the {measured} of the test: a loss in slow start, before the window is full, is made good sooner"
            ));
        }
        if !stands && flow.cap() > pipe * SLIGHT && !self.is_held(flow) {
            record.notes.push(
                "recovery_s is of idle round trips: the window is more than the path holds, and how long the queue makes them is not foreseen"
                    .to_owned(),
            );
        }
    }

    /// The connection with a window that path and queue hold: a larger one overflows the queue before it is full.
    fn bounded(&self, flow: &Flow, pipe: f64) -> Flow {
        let mut bound = flow.clone();
        let room = flow
            .narrowest
            .port
            .and_then(|p| self.room(p, flow.config.mss + self.header()));
        let Some(room) = room.filter(|_| !self.is_held(flow)) else {
            return bound;
        };
        let most = (pipe + room as f64 / flow.streams).max(1.0);
        if most < flow.cap() {
            bound.window = (most * flow.mss()) as u64;
            bound.config.largest_window = Some(bound.window);
        }
        bound
    }

    /// Whether what a window holds beyond the pipe waits, all of it, in one queue in front of the narrowest place.
    fn stands(&self, flow: &Flow, pipe: f64) -> bool {
        let header = self.header();
        let room = flow
            .narrowest
            .port
            .and_then(|p| self.room(p, flow.config.mss + header));
        let alone = flow.streams <= 1.0 && !self.is_held(flow);
        alone && room.is_some_and(|room| flow.cap() <= pipe + room as f64)
    }
}

impl Flow {
    /// Segments that the ends let be in flight.
    pub(in crate::forecast) fn cap(&self) -> f64 {
        self.window as f64 / self.mss()
    }

    /// Segments of one connection that fill the line in an idle round trip.
    pub(in crate::forecast) fn pipe(&self) -> f64 {
        self.narrowest.bps / self.streams * self.rtt_s() / 8.0 / self.mss()
    }

    /// From the window cut back to the old window after one loss at a full window: the round trip
    /// of the repair, then the algorithm's growth; what is beyond `pipe` segments waits in a queue.
    fn recovery_s(&self, pipe: f64) -> Option<f64> {
        let climb = self.climb(self.ceiling())?;
        let repair = self.repair_before(pipe);
        if climb.start()? >= self.cap() {
            // What is left of a window that was not all used is what was in use, or more.
            return Some(repair);
        }
        let linux = self.config.flavour == Flavour::Linux;
        let of_linux = climb.tabled_over(pipe).or_else(|| climb.whole_over(pipe));
        let seconds = of_linux
            .filter(|_| linux)
            .or_else(|| climb.recovery_over(pipe));
        Some(repair + seconds?)
    }

    /// The round trip in which a full window's loss is repaired; what is beyond `pipe` segments waits in a queue.
    fn repair_before(&self, pipe: f64) -> f64 {
        self.rtt_s() * (self.cap() / pipe).max(1.0)
    }

    /// That Linux's CUBIC is back before its curve ends, and when that is.
    fn note_of_whole_segments(&self, pipe: f64) -> Option<String> {
        let climb = self.climb(self.ceiling())?;
        let cut = self.config.flavour == Flavour::Linux && climb.start()? < self.cap();
        climb.whole_over(pipe).filter(|_| cut)?;
        let seconds = self.repair_before(pipe) + climb.recovery_over(pipe)?;
        Some(format!(
            "recovery_s is of Linux's CUBIC, which counts whole segments and is back when its curve is less than one below: the curve \
             (RFC 9438 §4.2) ends after {seconds:.2} s"
        ))
    }

    /// That Linux's BIC grows by the segments for each ACK, of which a receiver that gathers them makes more than are forecast.
    fn note_of_gathered(&self) -> Option<String> {
        let is_cut = self.climb(self.ceiling())?.start()? < self.cap();
        (self.cc == Some(Cc::Bic) && self.gathers() && is_cut).then(|| {
            format!(
                "recovery_s is of a BIC with {:.2} segments for each ACK: where its receiver gathers more of them (GRO), Linux's grows faster \
                 and is back sooner",
                self.counted_per_ack()
            )
        })
    }

    /// Where Linux counts acknowledgements: what a receiver that gathers segments does to its growth, and HighSpeed's first cut.
    fn notes_of_counted_acks(&self) -> Vec<String> {
        if self.config.flavour == Flavour::Rfc {
            return Vec::new();
        }
        let slower = match self.cc {
            Some(Cc::HighSpeed) => Some(format!(
                "outside the formula's range: Linux's HighSpeed takes a step for each ACK, and recovery_s is of one for {:.0} segments: where its \
                 receiver gathers more of them (GRO), it is as many times as long",
                self.counted_per_ack()
            )),
            Some(Cc::Htcp) => Some(
                "recovery_s is of an H-TCP that counts segments: Linux's adds one at most for two ACKs, and takes longer where its receiver gathers \
                 segments (GRO) and it is to add more than half as many a round trip"
                    .to_owned(),
            ),
            _ => None,
        };
        let halves = (self.cc == Some(Cc::HighSpeed)).then(|| {
            "recovery_s is of a window that avoidance brought up: one that slow start alone did is halved by Linux's HighSpeed, and takes longer"
                .to_owned()
        });
        slower
            .filter(|_| self.gathers())
            .into_iter()
            .chain(halves)
            .collect()
    }

    /// How long Westwood+ takes where it estimates less than the line's bandwidth.
    fn note_of_estimate(&self, pipe: f64) -> Option<String> {
        if self.cc != Some(Cc::Westwood) {
            return None;
        }
        let halved = Climb {
            cc: Cc::Reno,
            segments_per_ack: 1.0,
            ..self.climb(self.cap())?
        };
        let seconds = self.repair_before(pipe) + halved.recovery_over(pipe)?;
        Some(format!(
            "recovery_s is of a Westwood+ whose estimate of the bandwidth is the line's: where it is half of that, it takes as long as Reno, {seconds:.2} s"
        ))
    }

    /// Where the window is above those that HighSpeed's line and its table are of.
    fn doubt_of_high_windows(&self) -> Option<String> {
        let beyond = self.cc == Some(Cc::HighSpeed) && self.cap() > HIGH_WINDOW;
        beyond.then(|| {
            match self.config.flavour {
                Flavour::Linux => "outside the formula's range: HighSpeed's line ends at 83000 segments, and so does Linux's table, by which recovery_s is: what is followed round by round goes on along the line and climbs sooner",
                Flavour::Rfc => "outside the formula's range: HighSpeed's line ends at 83000 segments (RFC 3649 §5), and the climb goes on along it",
            }
            .to_owned()
        })
    }

    /// From one overflow of a queue of `room` segments in front of the line to the next.
    pub(in crate::forecast) fn cycle_s(&self, room: f64) -> Option<f64> {
        let pipe = self.pipe();
        self.climb(pipe + room)?.recovery_over(pipe)
    }

    /// After a cut at `top` segments.
    pub(super) fn climb(&self, top: f64) -> Option<Climb> {
        Some(Climb {
            cc: self.cc?,
            top,
            rtt_s: self.rtt_s(),
            segments_per_ack: self.counted_per_ack(),
            htcp: self.htcp(),
            rules: self.rules(),
        })
    }

    /// Largest congestion window, segments: by the kernel's rules twice what the ends let be in flight, unless a
    /// test's `window` bounds it too.
    pub(super) fn ceiling(&self) -> f64 {
        match (self.config.flavour, self.config.largest_window) {
            (Flavour::Linux, None) => 2.0 * self.cap(),
            _ => self.cap(),
        }
    }
}
