//! How long single packets wait in the mean beside datagrams that come at random: M/D/1 (Pollaczek and Khinchine).

use farpath_predict::queue::{md1_wait, md1k_drop_ratio};
use farpath_record::Record;
use farpath_record::quantity::quantity;

use super::beside::{is_time, span};
use super::peaks::{FASTER, LESS, LOADED, WORTH};
use super::{Path, put};
use crate::model::{Arrivals, Test};

/// A shorter wait than this share of the time without it is none.
const SHOWS: f64 = 0.01;

/// So many of the packets find nothing in front of them: then the shortest time is one of these.
const IDLE_FEW: f64 = 10.0;

/// The mean wait of packets, in all places where they wait.
pub(super) struct MeanWait {
    ns: f64,
    /// Share of packets that wait nowhere.
    idle: f64,
    /// Where most of it is, and the load there.
    place: String,
    load: f64,
}

impl Path<'_> {
    /// What single packets wait in the mean for one stream of datagrams at exponential gaps, which lasts all their time and loses nothing; none
    /// where no closed form has it. What the packets do to one another is left out.
    pub(super) fn mean_wait(&self, own: &Test, others: &[(usize, Path<'_>)]) -> Option<MeanWait> {
        let [(number, path)] = others else {
            return None;
        };
        let other = &self.scenario.tests[*number];
        let udp = other.kind.udp()?;
        let varies = udp.on_off.is_some() || udp.envelope.is_some() || udp.replay.is_some();
        let ((start, end), (from, until)) = (span(own), span(other));
        let is_poisson = udp.arrivals == Arrivals::Poisson && !varies && udp.cells.is_none();
        let is_beside = own.kind.periodic().is_some() && from <= start && end <= until;
        let size = (udp.size + path.header(), udp.size);
        if !is_poisson || !is_beside || path.discarded(other).is_some() {
            return None;
        }
        let waits = path.keeps_gaps(other, size);
        let bps = udp.rate.as_bps() as f64;
        waits.then(|| self.wait_of(path, size, bps)).flatten()
    }

    /// What packets of this path wait for datagrams of another `path`, of IP and payload bytes, that offer so much payload in bit/s.
    fn wait_of(&self, path: &Path<'_>, size: (u32, u32), offered_bps: f64) -> Option<MeanWait> {
        let number = self.plan.flows[self.flow].test;
        let (mut comes_bps, mut slowest_bps) = (offered_bps, f64::INFINITY);
        let mut found = MeanWait {
            ns: 0.0,
            idle: 1.0,
            place: String::new(),
            load: 0.0,
        };
        for (at, hop) in path.there.iter().enumerate() {
            let place = path.place(hop.port, size, comes_bps);
            // Behind a link as slow or slower they come one by one.
            if place.rate_bps < slowest_bps * (1.0 - LESS) {
                let load = comes_bps / place.rate_bps;
                let is_exponential = slowest_bps >= FASTER * place.rate_bps * (1.0 - LESS);
                let is_plain =
                    path.queueing(hop.port).is_none() && place.rate_bps >= place.line_bps;
                let room = path.lasting_room(hop.port, size.0).filter(|_| is_plain)?;
                if load > LOADED && !is_exponential || md1k_drop_ratio(load, room) >= WORTH {
                    return None;
                }
                if self.uses(number, hop.port) {
                    found.ns += md1_wait(load)? * f64::from(size.1) * 8e9 / place.rate_bps;
                    found.idle *= 1.0 - load;
                    if load > found.load {
                        (found.load, found.place) = (load, self.port_name(hop.port));
                    }
                }
            }
            slowest_bps = slowest_bps.min(place.rate_bps);
            comes_bps = comes_bps.min(place.rate_bps)
                * (1.0 - path.loss_ratio(size.0, &path.there[at..=at]));
        }
        Some(found)
    }
}

impl MeanWait {
    /// Whether it shows beside the times that a record gives as if its test were alone.
    pub(super) fn shows(&self, record: &Record) -> bool {
        let times = record.metrics.iter().filter(|(m, _)| is_time(m));
        times
            .map(|(_, ns)| *ns)
            .reduce(f64::min)
            .is_some_and(|alone| self.ns > SHOWS * alone)
    }

    /// Corrects those times: the mean, and what packets have that find nothing in front of them.
    pub(super) fn correct(&self, own: &Test, other: &str, record: &mut Record) {
        let count = own.kind.periodic().map_or(0, |all| all.count);
        let is_met = |metric: &str| match metric {
            _ if metric.ends_with("_min_ns") => self.idle * f64::from(count) < IDLE_FEW,
            _ if metric.ends_with("_p50_ns") => self.idle <= 0.5,
            _ => !metric.ends_with("_avg_ns"),
        };
        record.metrics.retain(|m, _| !(is_time(m) && is_met(m)));
        let means: Vec<(String, f64)> = record
            .metrics
            .iter()
            .filter(|(m, _)| is_time(m) && m.ends_with("_avg_ns"))
            .map(|(m, ns)| (m.clone(), ns + self.ns))
            .collect();
        for (metric, ns) in means {
            put(&mut record.metrics, &metric, ns.round());
        }
        record.notes.push(format!(
            "beside `{other}`: it comes and goes, and packets wait {} for it in the mean, most in front of {} at a load of {:.2} (M/D/1); how long \
             single ones wait is not foreseen",
            quantity("waits_s", self.ns / 1e9),
            self.place,
            self.load
        ));
    }
}
