//! A window over time as a series of its corners.

use farpath_record::Series;

/// Corners of a curve, as they come.
pub(super) struct Kept {
    /// The first segment leaves.
    pub(super) opened_ns: u64,
    pub(super) mss: f64,
    pub(super) series: Series,
}

impl Kept {
    /// Adds a corner, `seconds` after the first segment; two at one instant are a nanosecond apart.
    pub(super) fn keep(&mut self, seconds: f64, segments: f64) {
        let t = self.opened_ns + (seconds * 1e9).round() as u64;
        let v = (segments * self.mss).round();
        let Series { t_ns, v: values } = &mut self.series;
        match t_ns.last() {
            Some(last) if *last >= t && values.last() == Some(&v) => {}
            last => {
                t_ns.push(last.map_or(t, |last| t.max(last + 1)));
                values.push(v);
            }
        }
    }
}
