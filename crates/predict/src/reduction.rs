//! How a window comes down while a loss is repaired: the curve between the cut and the climb.
//!
//! The cut is known when the flight's acknowledgements begin to come back as duplicates; from then they
//! come for a round trip, at the pace of the line, until the one that shows the repair. In this
//! file a time is the share of that round trip that has passed.

/// A window cut once, and what is in flight when it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fall {
    /// The window before, all of it in flight, in segments; above 0.
    pub before: f64,
    /// What the algorithm leaves of it (ssthresh), in segments; at most `before`.
    pub after: f64,
    /// Nothing new may leave until the loss is repaired: room at one of the ends was the limit, and
    /// a hole keeps it occupied.
    pub held: bool,
}

/// A corner of the curve: the share of the round trip, from 0 to 1, and the window in segments.
pub type Corner = (f64, f64);

impl Fall {
    /// Proportional rate reduction (RFC 9937 §6): while more than `after` is in flight, after/before
    /// segments leave for each that is delivered, and the window is what is in flight and what may
    /// leave: a straight line from `before` to `after` over the round trip. If nothing leaves
    /// ([`Fall::held`]), what is in flight sinks by all that is delivered and is down to `after` after a share of
    /// 1 − after/before; from there on the window is `after`.
    pub fn proportional(&self) -> [Corner; 4] {
        let until = if self.held {
            1.0 - self.after / self.before
        } else {
            1.0
        };
        let there = self.before - (self.before - self.after) * until;
        [
            (0.0, self.before),
            (until, there),
            (until, self.after),
            (1.0, self.after),
        ]
    }

    /// All at once, when the loss is known (RFC 5681 §3.2, RFC 6675 §5).
    pub fn at_once(&self) -> [Corner; 4] {
        [
            (0.0, self.before),
            (0.0, self.after),
            (0.0, self.after),
            (1.0, self.after),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HALVED: Fall = Fall {
        before: 1000.0,
        after: 500.0,
        held: false,
    };

    #[test]
    fn rfc9937_a_window_that_is_sent_into_falls_over_the_whole_round_trip() {
        let [first, last, same, end] = HALVED.proportional();
        assert_eq!(first, (0.0, 1000.0));
        assert_eq!([last, same, end], [(1.0, 500.0); 3]);
    }

    #[test]
    fn rfc9937_a_held_window_falls_until_the_flight_is_what_is_to_be_left() {
        // Half of the flight is delivered when 500 are left; a segment for every two of them might
        // have left, so that the window is 750, and then 500.
        let held = Fall {
            held: true,
            ..HALVED
        };
        let corners = [(0.0, 1000.0), (0.5, 750.0), (0.5, 500.0), (1.0, 500.0)];
        assert_eq!(held.proportional(), corners);
        // An eighth of the window: over in an eighth of the round trip.
        let scalable = Fall {
            after: 875.0,
            ..held
        };
        assert_eq!(scalable.proportional()[1], (0.125, 984.375));
    }

    #[test]
    fn what_falls_at_once_has_no_slope() {
        assert!(HALVED.at_once()[1..].iter().all(|c| c.1 == 500.0));
        assert_eq!(HALVED.at_once()[1].0, 0.0);
    }
}
