//! The round trip that a policer is judged for: the user's, that of the tests of a scenario which cross its port, or one
//! that is taken.

use farpath_units::{Duration, Rate};

use super::{Crossing, Options};

/// Taken where nothing says the round trip.
const TAKEN: Duration = Duration::from_ms(100);

/// A round trip, and how it is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Trip {
    /// There and back.
    pub(crate) rtt: Duration,
    /// The rate at which frames arrive, where the tests say it.
    pub(crate) line: Option<Rate>,
    known: Known,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Known {
    /// The user states it.
    Stated,
    /// Tests cross the port.
    OfTests,
    /// No test of the scenario crosses the port.
    Uncrossed,
    /// The files come without a scenario.
    Taken,
}

impl Trip {
    /// Whether it is that of a path and not one that is taken.
    pub(crate) fn is_known(self) -> bool {
        matches!(self.known, Known::Stated | Known::OfTests)
    }

    /// Goes behind the round trip in a message.
    pub(crate) fn how(self) -> &'static str {
        match self.known {
            Known::Stated => "",
            Known::OfTests => " (that of the tests through it)",
            Known::Uncrossed => " (taken: no test of the scenario passes it)",
            Known::Taken => " (taken; --rtt states it)",
        }
    }
}

impl Options {
    /// The round trip for what acts at these ports of a file.
    pub(crate) fn trip<'n>(&self, file: usize, ports: impl Iterator<Item = &'n str>) -> Trip {
        let taken = |known| Trip {
            rtt: TAKEN,
            line: None,
            known,
        };
        if let Some(rtt) = self.rtt {
            return Trip {
                rtt,
                ..taken(Known::Stated)
            };
        }
        let Some(all) = &self.crossings else {
            return taken(Known::Taken);
        };
        let ports: Vec<&str> = ports.collect();
        let at = |c: &&Crossing| c.file == file && ports.iter().any(|p| is_at(&c.interface, p));
        let at = all.iter().filter(at);
        match at.clone().map(|c| c.rtt).max() {
            None => taken(Known::Uncrossed),
            Some(rtt) => Trip {
                rtt,
                line: at.filter_map(|c| c.arrives).max(),
                known: Known::OfTests,
            },
        }
    }
}

/// Whether what acts at `port` meets what crosses `crossed`: the same, a part of it, or a VLAN's interface, whose port is
/// in no file.
fn is_at(crossed: &str, port: &str) -> bool {
    let part_of = |part: &str, whole: &str| {
        let rest = part.strip_prefix(whole);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    part_of(crossed, port)
        || part_of(port, crossed)
        || ["Vlan", "BVI", "irb.", "vlan."]
            .iter()
            .any(|kind| port.starts_with(kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_crossed_where_its_units_are() {
        for (crossed, port, same) in [
            ("ge-0/0/1", "ge-0/0/1.100", true),
            ("ge-0/0/1.100", "ge-0/0/1", true),
            ("ge-0/0/1.100", "ge-0/0/1.100", true),
            ("ge-0/0/1.100", "ge-0/0/1.200", false),
            ("ge-0/0/1", "ge-0/0/10", false),
            ("GigabitEthernet1/1", "Vlan100", true),
        ] {
            assert_eq!(is_at(crossed, port), same, "{crossed} {port}");
        }
    }
}
