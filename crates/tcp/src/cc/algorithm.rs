//! The list of congestion control algorithms, and the one in use.

use farpath_units::{Duration, Time};

use super::{Ack, Control, Loss, Seen, Setup, Steer, Watch};
use super::{bbr, bic, cubic, dctcp, highspeed, htcp, hybla, reno, scalable, vegas, westwood};

/// Makes of the list of algorithms the public names and the dispatch.
macro_rules! algorithms {
    ($($(#[$about:meta])* $variant:ident = $name:literal, $type:ty;)*) => {
        /// A congestion control algorithm.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub enum Algorithm {
            $($(#[$about])* $variant,)*
        }

        impl Algorithm {
            /// Every algorithm.
            pub const ALL: &'static [Algorithm] = &[$(Algorithm::$variant),*];
            /// Their names, in the same order.
            pub const NAMES: &'static [&'static str] = &[$($name),*];

            /// Its name as scenarios write it.
            pub const fn name(self) -> &'static str {
                Algorithm::NAMES[self as usize]
            }

            /// The algorithm of that name; `None` if there is none.
            pub fn named(name: &str) -> Option<Algorithm> {
                Algorithm::ALL.iter().copied().find(|a| a.name() == name)
            }
        }

        /// The algorithm in use: a variant each, so that an acknowledgement costs no indirect call.
        #[derive(Debug)]
        pub(crate) enum Chosen {
            $($variant($type),)*
        }

        impl Chosen {
            pub(crate) fn new(algorithm: Algorithm, setup: &Setup) -> Chosen {
                match algorithm {
                    $(Algorithm::$variant => Chosen::$variant(<$type>::new(setup)),)*
                }
            }

            #[inline]
            pub(crate) fn increase(&mut self, ack: &Ack) -> f64 {
                match self { $(Chosen::$variant(c) => c.increase(ack),)* }
            }

            pub(crate) fn reduce(&mut self, loss: &Loss) -> f64 {
                match self { $(Chosen::$variant(c) => c.reduce(loss),)* }
            }

            pub(crate) fn hold(&mut self, now: Time) {
                match self { $(Chosen::$variant(c) => c.hold(now),)* }
            }

            pub(crate) fn resume(&mut self, now: Time, sent: Time) -> Option<f64> {
                match self { $(Chosen::$variant(c) => c.resume(now, sent),)* }
            }

            pub(crate) fn complete(&mut self, segment: f64) -> Option<f64> {
                match self { $(Chosen::$variant(c) => c.complete(segment),)* }
            }

            pub(crate) fn restart(&mut self) {
                match self { $(Chosen::$variant(c) => c.restart(),)* }
            }

            pub(crate) fn undo(&mut self) {
                match self { $(Chosen::$variant(c) => c.undo(),)* }
            }

            pub(crate) fn watches(&self) -> Watch {
                match self { $(Chosen::$variant(c) => c.watches(),)* }
            }

            pub(crate) fn watch(&mut self, seen: &Seen) -> Steer {
                match self { $(Chosen::$variant(c) => c.watch(seen),)* }
            }

            pub(crate) fn may_double(&self) -> bool {
                match self { $(Chosen::$variant(c) => c.may_double(),)* }
            }

            #[inline]
            pub(crate) fn start_gain(&self, rtt_min: Duration) -> f64 {
                match self { $(Chosen::$variant(c) => c.start_gain(rtt_min),)* }
            }

            pub(crate) fn is_starting(&self) -> bool {
                match self { $(Chosen::$variant(c) => c.is_starting(),)* }
            }
        }
    };
}

algorithms! {
    /// RFC 5681.
    Reno = "reno", reno::Reno;
    /// RFC 9438.
    #[default]
    Cubic = "cubic", cubic::Cubic;
    /// HighSpeed TCP, RFC 3649.
    HighSpeed = "highspeed", highspeed::HighSpeed;
    /// Scalable TCP (Kelly 2003).
    Scalable = "scalable", scalable::Scalable;
    /// H-TCP (Leith and Shorten 2004).
    Htcp = "htcp", htcp::Htcp;
    /// BIC (Xu, Harfoush and Rhee 2004).
    Bic = "bic", bic::Bic;
    /// Westwood+ (Grieco and Mascolo 2004).
    Westwood = "westwood", westwood::Westwood;
    /// Vegas (Brakmo and Peterson 1995).
    Vegas = "vegas", vegas::Vegas;
    /// BBR, version 1 (Cardwell et al. 2016).
    Bbr = "bbr", bbr::Bbr;
    /// Hybla (Caini and Firrincieli 2004).
    Hybla = "hybla", hybla::Hybla;
    /// DCTCP, RFC 8257: with ECN, by its own rules at both ends.
    Dctcp = "dctcp", dctcp::Dctcp;
}

impl Algorithm {
    /// Whether it sets its window and its pace by a model of the path, and has no threshold once that is found.
    pub const fn paces_by_model(self) -> bool {
        matches!(self, Algorithm::Bbr)
    }

    /// Whether it goes by marks: its connections use ECN, and its receivers say of each segment whether it was marked (RFC 8257 §3.2).
    pub const fn goes_by_marks(self) -> bool {
        matches!(self, Algorithm::Dctcp)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::tests::{ack_at, loss_at, seen, setup};
    use crate::flavour::Flavour;
    #[test]
    fn names_are_found_again() {
        for algorithm in Algorithm::ALL {
            assert_eq!(Algorithm::named(algorithm.name()), Some(*algorithm));
        }
        assert_eq!(Algorithm::named("tahoe"), None);
    }

    /// RFC 9438 §4.6 and its like: no algorithm reads a window it was not given, so a loss at two
    /// segments leaves something, and growth is never negative but for Vegas, which steers.
    #[test]
    fn every_algorithm_survives_the_smallest_window() {
        for algorithm in Algorithm::ALL {
            for flavour in [Flavour::Rfc, Flavour::Linux] {
                let mut control = Chosen::new(*algorithm, &setup(flavour));
                for n in 0..100_u64 {
                    let now = Time::from_ps(n * 10_000_000_000);
                    let left = control.reduce(&loss_at(now, 2.0));
                    assert!((0.0..=2.0).contains(&left), "{algorithm:?}: {left}");
                    control.watch(&seen(now, Duration::from_ms(100), n, 2.0, 1.0));
                    let more = control.increase(&ack_at(now, 2.0, 1.0));
                    // Hybla's ρ² = 16 segments a round trip of 100 ms, and this is half of one.
                    let most = if *algorithm == Algorithm::Hybla {
                        8.0
                    } else {
                        2.0
                    };
                    assert!((0.0..=most).contains(&more), "{algorithm:?}: {more}");
                    control.hold(now);
                    control.resume(now, now);
                    let settled = control.complete(1.0).unwrap_or(2.0);
                    assert!(settled >= 0.0, "{algorithm:?}: {settled}");
                }
                control.restart();
            }
        }
    }
}
