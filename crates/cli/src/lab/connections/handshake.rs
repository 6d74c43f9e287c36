//! How long the handshake of TLS of one connection took.

use farpath_record::count_of;

use super::{Connections, Watched};

/// A smaller part of a connection's time is not named.
const NAMED: f64 = 0.1;

impl Connections {
    /// How long that of `one` of these ends took, behind what limited it, in words; empty where there was none, or it took little of its time.
    pub(super) fn handshake(&self, ends: &[String; 2], one: &Watched) -> String {
        let [trips, windows] = self.tls.get(ends).copied().unwrap_or_default();
        let rtt = one.last.sample.timers.and_then(|t| t.min_rtt);
        let seconds = f64::from(trips) * rtt.unwrap_or_default().as_secs_f64();
        let window = match windows {
            0 => "",
            _ => ", as the server's certificates are larger than its first window",
        };
        match seconds > 0.0 && seconds >= NAMED * one.time().as_secs_f64() {
            true => format!(
                "; its handshake of TLS took {} ({seconds:.2} s){window}",
                count_of(u64::from(trips), "round trip", "round trips")
            ),
            false => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use farpath_emu::plane::{Opening, Turns};
    use farpath_probe::live::{Ended, Snapshot};
    use farpath_units::{Duration, Time};

    use super::*;

    /// A request over TLS, 200 ms away: a set-up, a handshake of so many round trips, a request and its answer, and no sample.
    fn told(tls_round_trips: u32, tls_windows: u32) -> String {
        let at = |ms| Time::ZERO + Duration::from_ms(ms);
        let ends = ["198.18.0.1:40000", "198.18.0.2:443"];
        let [local, peer] = ends.map(|end| end.parse().expect(end));
        let mut connections = Connections::across([250_000; 2]);
        let mut last = Snapshot {
            acked: 800,
            sent: Some(800),
            received: 801,
            segments: 3,
            ..Snapshot::default()
        };
        last.sample.busy_us = 600_000;
        last.sample.rtt_min_ns = Some(200_000_000);
        connections.close(at(900), 0, &Ended { local, peer, last });
        connections.take_opening(&Opening {
            ends: [local, peer],
            asked: at(100),
            taken: Some(at(200)),
            is_refused: false,
            tls_round_trips,
            tls_windows,
            alert: None,
        });
        connections.take_turns(&Turns {
            begun: Some(at(300)),
            span: Duration::from_ms(600),
            way: Duration::from_ms(600),
            set_up: Some(Duration::from_ms(200)),
            ..Turns::between([local, peer])
        });
        connections.told([None, None]).expect("there is one").line
    }

    #[test]
    fn a_handshake_is_named_beside_the_round_trips_of_a_short_connection() {
        let one = told(1, 0);
        assert!(
            one.contains("; its handshake of TLS took 1 round trip (0.20 s)"),
            "{one}"
        );
        let two = told(1, 1);
        let words = "; its handshake of TLS took 2 round trips (0.40 s), as the server's certificates are larger than its first window";
        assert!(two.contains(words), "{two}");
        assert!(!told(0, 0).contains("TLS"));
    }
}
