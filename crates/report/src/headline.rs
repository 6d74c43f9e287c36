//! Metrics of a record that are shown without being asked for.

use farpath_observe::metric;
use farpath_record::Record;

/// Those of its kind; of a search, which finds a value of one unit, those that it has.
pub(crate) fn headline(record: &Record) -> impl Iterator<Item = &'static str> {
    let has = |m: &&str| record.metrics.contains_key(*m) || record.absent.contains_key(*m);
    let all = metric::headline(&record.kind).iter().copied();
    all.filter(move |m| record.kind != "search" || has(m))
}

#[cfg(test)]
mod tests {
    use super::*;
    use farpath_record::Origin;

    #[test]
    fn a_search_shows_the_unit_it_found() {
        let mut record = Record::new(Origin::Simulated, "s", "search", "", "");
        record.set("highest_s", 1.5);
        record.unset("lowest_failing_s", "even the high end holds".to_owned());
        let shown: Vec<&str> = headline(&record).collect();
        assert_eq!(shown, ["highest_s", "lowest_failing_s"]);
        let udp = Record::new(Origin::Simulated, "u", "udp", "a", "b");
        let shown: Vec<&str> = headline(&udp).collect();
        assert_eq!(shown, ["goodput_bps", "loss_ratio"]);
    }
}
