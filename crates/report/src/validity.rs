//! The records of a run by what a metric is of, and which of its numbers no valid record says.

use std::collections::BTreeMap;

use farpath_record::{Origin, Point, Record, RunDocument};

use crate::group::GROUP;

/// What the sign before a number means.
pub(crate) const UNTRUSTED: &str =
    "! INVALID: the certificate failed, and the number may not be trusted";

type Here<'r> = (Origin, &'r Point);

/// The records of a run, made once and asked for each number of its tables.
pub(crate) struct Index<'r> {
    all: BTreeMap<Here<'r>, Vec<&'r Record>>,
    tests: BTreeMap<(Here<'r>, &'r str), Vec<&'r Record>>,
    groups: BTreeMap<(Here<'r>, &'r str), Vec<&'r Record>>,
}

/// Whether a run has an expectation that fails by a value that may be trusted.
pub fn fails(run: &RunDocument) -> bool {
    let index = Index::of(run);
    let mut failed = run.expectations.iter().filter(|e| !e.pass);
    failed.any(|e| index.trusted(&e.metric, e.origin, &e.point))
}

impl<'r> Index<'r> {
    pub(crate) fn of(run: &'r RunDocument) -> Index<'r> {
        let (mut all, mut tests, mut groups) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        for record in &run.records {
            let here = (record.origin, &record.point);
            let at = |map: &mut BTreeMap<_, Vec<&'r Record>>, name: &'r str| {
                map.entry((here, name)).or_default().push(record);
            };
            all.entry(here).or_insert_with(Vec::new).push(record);
            at(&mut tests, &record.test);
            if let Some(group) = &record.group {
                at(&mut groups, group);
            }
        }
        Index { all, tests, groups }
    }

    /// The records of the test or the group that a metric in full begins with; none of a link.
    pub(crate) fn named<'a>(
        &'a self,
        path: &'a str,
        origin: Origin,
        point: &'a Point,
    ) -> &'a [&'r Record] {
        let (map, rest) = match path.strip_prefix(GROUP) {
            Some(rest) => (&self.groups, rest),
            None => (&self.tests, path.trim_start_matches("search.")),
        };
        let name = rest.split('.').next().unwrap_or_default();
        map.get(&((origin, point), name)).map_or(&[], Vec::as_slice)
    }

    /// Whether a valid record says it: one of the path's test or group, or any where the path has neither.
    pub(crate) fn trusted(&self, path: &str, origin: Origin, point: &Point) -> bool {
        let named = self.named(path, origin, point);
        match (named.is_empty(), self.all.get(&(origin, point))) {
            // That a test was not run is certain.
            (false, _) => named.iter().any(|r| r.valid || r.not_run.is_some()),
            (true, Some(all)) => all.iter().any(|r| r.valid),
            (true, None) => true,
        }
    }
}
