//! Which values a metric can have.

/// The least and the greatest value that a metric can have. Most are from 0 to infinity. Shares (`_ratio`) and Jain's index are from 0 to 1,
/// except the distance of two windows (`cwnd_nrmse_*_ratio`) and a ratio of two metrics (`X over Y`). A difference (`X minus Y`) has no limits.
pub(crate) fn range(metric: &str) -> (f64, f64) {
    let mut words = metric.split(' ');
    let name = words.next().unwrap_or_default();
    let name = name.rsplit('.').next().unwrap_or(name);
    let with: Vec<&str> = words.collect();
    if with.contains(&"minus") {
        return (f64::NEG_INFINITY, f64::INFINITY);
    }
    let share = name.ends_with("_ratio") && !name.starts_with("cwnd_nrmse");
    let ends = share || name.ends_with("jain_index");
    match ends && with.is_empty() {
        true => (0.0, 1.0),
        false => (0.0, f64::INFINITY),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_end_at_one_and_nothing_is_negative() {
        let (least, most) = (f64::NEG_INFINITY, f64::INFINITY);
        for (metric, ends) in [
            ("jain_index", (0.0, 1.0)),
            ("group_streams_jain_index", (0.0, 1.0)),
            ("loss_ratio", (0.0, 1.0)),
            ("link.l.a>b.queue.be.loss_ratio", (0.0, 1.0)),
            ("cwnd_nrmse_predicted_ratio", (0.0, most)),
            ("goodput_bps", (0.0, most)),
            ("goodput_bps over b.goodput_bps", (0.0, most)),
            ("loss_ratio over b.loss_ratio", (0.0, most)),
            ("rtt_avg_ns minus b.rtt_avg_ns", (least, most)),
        ] {
            assert_eq!(range(metric), ends, "{metric}");
        }
    }
}
