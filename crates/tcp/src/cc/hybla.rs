//! Hybla (Caini and Firrincieli, "TCP Hybla: a TCP enhancement for heterogeneous networks", International Journal of Satellite
//! Communications and Networking 22(5), 2004): Reno that grows as fast on a long path as Reno on one of 25 ms.

use farpath_units::Duration;

use super::{Ack, Control, Loss, Setup};

/// Round trip of the path whose growth it has, RTT₀.
const EQUAL: Duration = Duration::from_ms(25);
/// In slow start a round trip multiplies the window by 2 to the power of ρ, and of this at most, as in Linux: 2¹⁶ windows are more than any path.
const MOST_DOUBLINGS: f64 = 16.0;

/// It has no state: ρ follows from the smallest round trip, as in Linux, so that a queue does not speed growth up.
#[derive(Clone, Debug)]
pub(crate) struct Hybla;

/// ρ: how many times as long as 25 ms a round trip is, at least 1; 1 before there is one.
fn rho(rtt_min: Duration) -> f64 {
    match rtt_min {
        Duration::MAX => 1.0,
        rtt => libm::fmax(rtt.as_secs_f64() / EQUAL.as_secs_f64(), 1.0),
    }
}

impl Control for Hybla {
    fn new(_setup: &Setup) -> Hybla {
        Hybla
    }

    /// ρ² segments a round trip.
    fn increase(&mut self, ack: &Ack) -> f64 {
        let rho = rho(ack.rtt_min);
        rho * rho * ack.acked / ack.cwnd * ack.segment
    }

    fn reduce(&mut self, loss: &Loss) -> f64 {
        loss.window * 0.5
    }

    /// 2^ρ − 1 segments for each.
    fn start_gain(&self, rtt_min: Duration) -> f64 {
        libm::exp2(libm::fmin(rho(rtt_min), MOST_DOUBLINGS)) - 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::tests::{ack, loss, setup};
    use crate::flavour::Flavour;

    fn hybla() -> Hybla {
        Hybla::new(&setup(Flavour::Rfc))
    }

    /// ρ = 4 at 100 ms: 16 segments a round trip, which is one in each 25 ms for each of four windows.
    #[test]
    fn a_round_trip_of_four_times_25_ms_adds_16_segments() {
        let (mut hybla, mut cwnd) = (hybla(), 1000.0);
        for _ in 0..500 {
            cwnd += hybla.increase(&ack(cwnd, 2.0));
        }
        assert!((cwnd - 1016.0).abs() < 0.2, "{cwnd}");
        assert_eq!(hybla.reduce(&loss(cwnd)), cwnd / 2.0);
    }

    #[test]
    fn up_to_25_ms_and_before_a_sample_it_is_reno() {
        for rtt in [Duration::from_ms(10), Duration::from_ms(25), Duration::MAX] {
            assert_eq!(hybla().start_gain(rtt), 1.0);
            let short = Ack {
                rtt_min: rtt,
                ..ack(100.0, 100.0)
            };
            assert_eq!(hybla().increase(&short), 1.0);
        }
    }

    /// Each segment acknowledged adds 2^ρ − 1: a round trip multiplies the window by 2^ρ.
    #[test]
    fn slow_start_doubles_as_often_as_25_ms_pass() {
        assert_eq!(hybla().start_gain(Duration::from_ms(100)), 15.0);
        let far = hybla().start_gain(Duration::from_ms(581));
        assert_eq!(far, 65_535.0);
    }
}
