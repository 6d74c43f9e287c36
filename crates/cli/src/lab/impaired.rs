//! What the path's jitter, reordering, duplication and marks (ECN) came to: by the ports' own count, frame by frame.

use farpath_emu::lab::Lab;
use farpath_record::count_of;
use farpath_report::quantity;
use farpath_units::Duration;
use serde::Serialize;

use super::path::Path;
use super::sender::SENDERS;

/// What became of the frames that one of the two hosts sends, those of others on the same links among them.
#[derive(Debug, Default, Serialize)]
pub(super) struct Impaired {
    /// Who.
    sender: &'static str,
    /// Frames that came through a link that delays, reorders or copies, or else through queues of classes or with an `aqm`.
    frames: u64,
    /// How long a link held them up, on average and at most.
    jitter_mean_ns: f64,
    jitter_max_ns: f64,
    /// Frames that arrived behind one that was sent later.
    reordered: u64,
    /// Copies made.
    duplicated: u64,
    /// Frames that a queue marked as having met congestion (RFC 3168 §5).
    marked: u64,
}

/// Both ways, the command's first; without what nothing was done to.
pub(super) fn impaired(path: &Path, lab: &Lab) -> Vec<Impaired> {
    let plane = &lab.plane;
    let plan = &plane.wan().plan;
    let ways = path.ways(plan);
    let of = |n: usize| {
        let mut found = Impaired {
            sender: SENDERS[n],
            ..Impaired::default()
        };
        let mut held_up_s = 0.0;
        let mut most = Duration::ZERO;
        let mut queued = 0;
        for hop in plan.walk(plane.scenario(), ways[n]) {
            let port = plane.port(hop.port);
            let realised = &port.counters().realised;
            found.frames += realised.added.count();
            held_up_s += realised.added.mean_s() * realised.added.count() as f64;
            most = most.max(realised.added.max());
            found.reordered += realised.order.reordered;
            found.duplicated += realised.duplicated;
            for (queue, _) in port.queues() {
                queued += queue.frames;
                found.marked += queue.marked;
            }
        }
        found.jitter_mean_ns = held_up_s / found.frames.max(1) as f64 * 1e9;
        found.jitter_max_ns = most.as_ps() as f64 / 1e3;
        if found.frames == 0 {
            found.frames = queued;
        }
        found
    };
    let both = [0, 1].map(of).into_iter();
    both.filter(Impaired::is_any).collect()
}

impl Impaired {
    fn is_any(&self) -> bool {
        self.jitter_max_ns > 0.0 || self.reordered + self.duplicated + self.marked > 0
    }

    /// In words.
    pub(super) fn line(&self) -> String {
        let mut found = Vec::new();
        if self.jitter_max_ns > 0.0 {
            let [mean, most] = [self.jitter_mean_ns, self.jitter_max_ns];
            found.push(format!(
                "held up by {} on average, at most {}",
                quantity("jitter_ns", mean),
                quantity("jitter_ns", most)
            ));
        }
        if self.reordered > 0 {
            found.push(format!("{} overtaken by later ones", self.reordered));
        }
        if self.duplicated > 0 {
            found.push(format!("{} copied", self.duplicated));
        }
        if self.marked > 0 {
            found.push(format!("{} marked by a queue (ECN)", self.marked));
        }
        let frames = count_of(self.frames, "frame", "frames");
        format!("{frames} of {}: {}", self.sender, found.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_impairments_came_to_is_said_where_they_came_to_anything() {
        let jittered = Impaired {
            sender: SENDERS[0],
            frames: 1500,
            jitter_mean_ns: 12_500_000.0,
            jitter_max_ns: 20_000_000.0,
            ..Impaired::default()
        };
        assert_eq!(
            jittered.line(),
            "1500 frames of your command: held up by 12.500 ms on average, at most 20 ms"
        );
        let copied = Impaired {
            sender: SENDERS[1],
            frames: 10,
            reordered: 3,
            duplicated: 2,
            ..Impaired::default()
        };
        assert_eq!(
            copied.line(),
            "10 frames of the server: 3 overtaken by later ones, 2 copied"
        );
        assert!(copied.is_any() && !Impaired::default().is_any());
        let marked = Impaired {
            sender: SENDERS[0],
            frames: 2000,
            marked: 12,
            ..Impaired::default()
        };
        assert!(marked.is_any());
        assert_eq!(
            marked.line(),
            "2000 frames of your command: 12 marked by a queue (ECN)"
        );
    }
}
