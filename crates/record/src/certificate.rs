//! How far an emulated run may be believed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::count_of;

/// What the machine added to what the model ordered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// Whether the run may be believed.
    pub valid: bool,
    /// Why not, and what would help; empty when valid.
    pub faults: Vec<String>,
    /// Frames handed to hosts.
    pub frames: u64,
    /// Lateness p50: from when a frame was due to when the host's kernel was given it, nanoseconds.
    pub lateness_p50_ns: u64,
    /// Lateness p99.
    pub lateness_p99_ns: u64,
    /// The largest lateness.
    pub lateness_max_ns: u64,
    /// What counts as late.
    pub tolerance_ns: u64,
    /// Frames later than that.
    pub late_frames: u64,
    /// The wire time that one delivery may span: its first frames wait for its last.
    pub coalescing_ns: u64,
    /// Drops the model did not order, by where: `tap a eth0`, `memory`, `udp socket b`.
    pub unordered_drops: BTreeMap<String, u64>,
    /// Drops at buffers that the user's own programs have chosen, by where: no fault of the lab.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub program_drops: BTreeMap<String, u64>,
    /// Share of one processor that the data plane took.
    #[serde(with = "crate::number::one")]
    pub cpu_share: f64,
    /// How long the data plane wanted a processor and had none, in all.
    pub starved_ns: u64,
    /// The longest time between two readings of the clock.
    pub longest_gap_ns: u64,
    /// How long a program that wakes in a host waited for a processor, p99.
    #[serde(default)]
    pub host_wait_p99_ns: u64,
    /// The longest that one waited.
    #[serde(default)]
    pub host_wait_max_ns: u64,
    /// Share of the machine's processors that was busy, with whatever.
    #[serde(with = "crate::number::one")]
    pub machine_share: f64,
    /// Share of their time that the machine under a virtual one gave to others.
    #[serde(with = "crate::number::one", default)]
    pub stolen_share: f64,
    /// How far the clocks of any two hosts may lie apart, nanoseconds: 0 where all read one clock; none where no host reported
    /// times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_error_ns: Option<u64>,
    /// Memory for frames under way, bytes.
    pub memory_bytes: u64,
    /// The most of it that was used.
    pub memory_used_bytes: u64,
}

impl Certificate {
    /// What programs did that no reader should take for the lab's doing, a sentence each.
    pub fn notes(&self) -> Vec<String> {
        let note = |(place, count): (&String, &u64)| {
            format!(
                "{} at {place}: the program's own, which reads too slowly or asks for too small a buffer; the lab has no part in \
                 them",
                count_of(*count, "drop", "drops")
            )
        };
        self.program_drops.iter().map(note).collect()
    }

    /// One line for a reader.
    pub fn line(&self) -> String {
        let ms = |ns: u64| ns as f64 / 1e6;
        let verdict = if self.valid { "valid" } else { "INVALID" };
        let drops: u64 = self.unordered_drops.values().sum();
        format!(
            "certificate {verdict}: {} frames, lateness p50 {:.3} ms, p99 {:.3} ms, max {:.3} ms; {drops} unordered drops; \
             data plane {:.0} % of a processor; scheduling delay of host programs p99 {:.1} ms, max {:.1} ms",
            self.frames,
            ms(self.lateness_p50_ns),
            ms(self.lateness_p99_ns),
            ms(self.lateness_max_ns),
            self.cpu_share * 100.0,
            ms(self.host_wait_p99_ns),
            ms(self.host_wait_max_ns),
        )
    }
}
