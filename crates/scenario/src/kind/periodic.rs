//! Single packets at equal intervals: echo requests.

use farpath_element::impair::Distribution;
use farpath_record::Record;
use farpath_units::Duration;

use crate::decode::{Fields, octets};
use crate::forecast::{Path, put};
use crate::model::Periodic;
use crate::plan::Hop;

impl Periodic {
    pub(super) fn read(f: &Fields) -> Periodic {
        Periodic {
            count: octets(f, "count").unwrap_or(5),
            interval: f.get("interval").unwrap_or(Duration::from_secs(1)),
            size: octets(f, "size").unwrap_or(84),
            ttl: f
                .get::<i64>("ttl")
                .and_then(|t| u8::try_from(t).ok())
                .unwrap_or(64),
            timeout: f.get("timeout").unwrap_or(Duration::from_secs(5)),
        }
    }
}

impl Path<'_> {
    /// Packets that cross `ways` one after the other and meet nothing else; what is timed of them is called `timed`.
    /// Where there is jitter each meets its own: their mean and least are those of the distributions, while other
    /// figures depend on all of them.
    pub(super) fn periodic(
        &self,
        all: &Periodic,
        (timed, ways): (&str, &[&[Hop]]),
        record: &mut Record,
    ) {
        let refused = self.refuses(all.size, ways.len(), record);
        let m = &mut record.metrics;
        put(m, "sent", all.count.into());
        if refused {
            put(m, "loss_ratio", 1.0);
            return;
        }
        let hops = ways.iter().flat_map(|way| self.hops(way));
        let times = hops.map(|hop| hop.time_for(all.size));
        let ns = |time: Duration| (time.as_ps() as f64 / 1e3).round();
        let shaped = ways.iter().map(|way| self.shaped_cells(way, all.size));
        let base = self.ends_take(all.size, ways.len() > 1);
        let base = ns(times.chain(shaped).fold(base, |sum, time| sum + time));
        let mean = self.jitter(ways, Distribution::mean);
        let least = self.jitter(ways, Distribution::least);
        put(m, &format!("{timed}_min_ns"), base + ns(least));
        put(m, &format!("{timed}_avg_ns"), base + ns(mean));
        if mean == Duration::ZERO {
            for of in ["max", "p50", "p99"] {
                put(m, &format!("{timed}_{of}_ns"), base);
            }
        } else {
            let note =
                "with jitter: the least possible time and the mean of all; no other is foreseen";
            record.notes.push(note.to_owned());
        }
        let arrives = ways.iter().map(|way| 1.0 - self.loss_ratio(all.size, way));
        put(m, "loss_ratio", 1.0 - arrives.product::<f64>());
    }
}
