//! Full windows that a receiver had taken back: its program has not read what came.

use crate::connection::Connection;

/// What a receiver's window was that was full and far smaller than before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TakenBack {
    /// The part of the connection's time in which it was so, above 0 and at most 1.
    pub share: f64,
    /// Bytes in flight meanwhile, on average by time.
    pub bytes: f64,
}

/// A program reads slowly where this part of the time of full windows was so, and this part of all the time.
const MOSTLY: f64 = 0.5;
const OFTEN: f64 = 0.2;

impl Connection {
    /// The windows that a capture shows to be full and taken back; none where most full windows were as large as ever, or few were full.
    ///
    /// A receiver's window is the room in its buffer: one that reads at once offers all of it again (RFC 9293 §3.8.6).
    pub fn taken_back(&self) -> Option<TakenBack> {
        let (mut window, mut held, mut bytes) = (0.0, 0.0, 0.0);
        for flight in &self.flights {
            let seconds = flight.held.as_secs_f64();
            window += flight.window.as_secs_f64();
            held += seconds;
            bytes += seconds * flight.peak as f64;
        }
        let whole = self.finished.since(self.opened.min(self.finished));
        let share = held / whole.as_secs_f64().max(f64::MIN_POSITIVE);
        (held > MOSTLY * window && share > OFTEN).then(|| TakenBack {
            share: share.min(1.0),
            bytes: bytes / held,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flight::Flight;
    use farpath_units::{Duration, Time};

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    /// A second whose windows are full for so many of each ten milliseconds, and taken back for so many of these.
    fn seen(window: u64, held: u64) -> Connection {
        let flight = |n: u64| Flight {
            from: at(10 * n),
            until: at(10 * (n + 1)),
            window: Duration::from_ms(window),
            held: Duration::from_ms(held),
            peak: 60_000,
            ..Flight::default()
        };
        Connection {
            finished: at(1000),
            flights: (0..100).map(flight).collect(),
            ..Connection::default()
        }
    }

    #[test]
    fn windows_that_are_taken_back_are_those_of_a_slow_reader() {
        let back = seen(8, 7).taken_back().expect("most are");
        assert!((back.share - 0.7).abs() < 1e-9, "{back:?}");
        assert!((back.bytes - 60_000.0).abs() < 1e-3, "{back:?}");
        // As large as ever, or hardly ever full.
        assert_eq!(seen(8, 0).taken_back(), None);
        assert_eq!(seen(8, 3).taken_back(), None);
        assert_eq!(seen(1, 1).taken_back(), None);
        assert_eq!(seen(0, 0).taken_back(), None);
    }
}
