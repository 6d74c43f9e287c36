//! What the links of a run dropped, by reason: a record says neither which links its path crosses, nor whose frames they were.

use std::collections::BTreeMap;

use farpath_record::DROP_REASONS;
use serde_json::Value as Json;

use super::{list, n, s};

/// Most runs of a document whose links are kept: of a sweep as many as it has points.
const RUNS_MAX: usize = 10_000;

/// Which run of several something is of: its origin, point and repeat.
type Run = (String, String, u64);

/// Frames that the links of each run dropped, by reason.
pub(super) struct Dropped(BTreeMap<Run, BTreeMap<String, f64>>);

impl Dropped {
    /// Adds up what a document's links dropped.
    pub(super) fn of(document: &Json) -> Dropped {
        let mut all: BTreeMap<Run, BTreeMap<String, f64>> = BTreeMap::new();
        for link in list(document, "links") {
            let key = run(link);
            if all.len() >= RUNS_MAX && !all.contains_key(&key) {
                continue;
            }
            let of = all.entry(key).or_default();
            for reason in DROP_REASONS {
                let frames = n(link, &["drops", reason]).filter(|frames| *frames > 0.0);
                if let Some(frames) = frames {
                    *of.entry(reason.to_owned()).or_default() += frames;
                }
            }
        }
        Dropped(all)
    }

    /// What those of a record's run dropped.
    pub(super) fn beside(&self, record: &Json) -> BTreeMap<String, f64> {
        self.0.get(&run(record)).cloned().unwrap_or_default()
    }
}

fn run(of: &Json) -> Run {
    let origin = s(of, &["origin"]).unwrap_or("").to_owned();
    let point = of.get("point").map_or(String::new(), Json::to_string);
    // The first has none.
    let repeat = n(of, &["repeat"]).unwrap_or(0.0) as u64;
    (origin, point, repeat)
}
