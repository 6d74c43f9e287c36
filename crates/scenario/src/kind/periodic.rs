//! Single packets at equal intervals: echo requests.

use farpath_element::impair::Distribution;
use farpath_record::Record;
use farpath_units::Duration;

use crate::decode::{Fields, octets};
use crate::forecast::{Path, either, put};
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
    /// Where there is jitter each meets its own: their least is that of the distributions, and so is their mean, with what those wait that keep
    /// their order. Behind packets of other tests the mean is not known. Other figures depend on all of them. So it is where several lines
    /// hold packets back; where one does, as many as on average are late.
    pub(super) fn periodic(
        &self,
        all: &Periodic,
        (timed, ways): (&str, &[&[Hop]]),
        record: &mut Record,
    ) {
        let refused = self.refuses(all.size, ways.len(), record);
        let lost = ways.iter().map(|way| self.loss_ratio(all.size, way));
        let lost = lost.fold(0.0, either);
        let m = &mut record.metrics;
        put(m, "sent", all.count.into());
        // What never arrives has no time.
        if refused || lost >= 1.0 {
            put(m, "loss_ratio", 1.0);
            return;
        }
        let hops = ways.iter().flat_map(|way| self.hops(way));
        let times = hops.map(|hop| hop.time_for(all.size));
        let ns = |time: Duration| (time.as_ps() as f64 / 1e3).round();
        let shaped = ways.iter().map(|way| self.shaped_cells(way, all.size));
        let base = self.ends_take(all.size, ways.len() > 1);
        let base = ns(times.chain(shaped).fold(base, |sum, time| sum + time));
        let (mean, is_all) = self.jitter_mean(all, ways, lost);
        let least = self.jitter(ways, Distribution::least);
        let held = self.held(ways, (all.count, all.size));
        // What holds every packet back is part of the way.
        let is_certain = |(share, _): &(f64, Duration)| *share >= 1.0;
        let (always, some): (Vec<_>, Vec<_>) = held.into_iter().partition(is_certain);
        let base = base + always.iter().map(|(_, by)| ns(*by)).sum::<f64>();
        let late: f64 = some.iter().map(|(share, by)| share * ns(*by)).sum();
        put(m, &format!("{timed}_min_ns"), base + ns(least));
        let others = self.kept_behind(all, ways);
        if others.is_empty() {
            let average = base + ns(mean) + late.round();
            put(m, &format!("{timed}_avg_ns"), average);
        }
        if mean == Duration::ZERO && some.len() < 2 {
            let (share, by) = some.first().copied().unwrap_or_default();
            let held_back = (share * f64::from(all.count)).round() as u32;
            // Of those in order of time the last are late, and percentiles are of the nearest rank.
            let [half, few] = [2, 100].map(|part| all.count / part);
            for (of, later) in [("max", 0), ("p50", half), ("p99", few)] {
                let more = if held_back > later { ns(by) } else { 0.0 };
                put(m, &format!("{timed}_{of}_ns"), base + more);
            }
        }
        record.notes.extend(match others.is_empty() {
            true => unforeseen(mean, some.len(), is_all),
            false => Some(behind(&others)),
        });
        put(m, "loss_ratio", lost);
    }
}

/// What is said of packets that jitter may hold behind those of other tests.
fn behind(others: &[&str]) -> String {
    let names: Vec<String> = others.iter().map(|name| format!("`{name}`")).collect();
    format!(
        "with jitter: the least possible time alone; the line keeps all packets in order, and how long these wait for those of {} is not foreseen: \
         simulate",
        names.join(", ")
    )
}

/// What is not foreseen of packets that meet jitter of this mean, which may not be all that they wait, and of which so many lines hold some
/// back.
fn unforeseen(jitter: Duration, lines: usize, is_all: bool) -> Option<String> {
    let what = match (jitter > Duration::ZERO, lines) {
        (false, 0) => return None,
        (false, 1) => {
            let note = "with reordering: the least possible time and the mean of all; the others are as if as many packets were held \
                        back as on average";
            return Some(note.to_owned());
        }
        (true, 0) => "jitter",
        (true, _) => "jitter and reordering",
        (false, _) => "reordering",
    };
    let more = match is_all {
        true => "",
        false => " at least, more where packets wait for their order",
    };
    Some(format!(
        "with {what}: the least possible time and the mean of all{more}; no other is foreseen"
    ))
}
