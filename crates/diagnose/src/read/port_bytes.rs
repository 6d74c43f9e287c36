//! What a router's port carried between two readings, where each stands below a clock: the growth of its bytes over that time.

use std::collections::BTreeMap;

use super::Facts;
use crate::fact::Place;
use crate::interfaces::port::{Kind, Port, PortReading};
use crate::words::whole;

/// Most readings that are kept.
const KEPT_MAX: usize = 100_000;

/// Clocks show whole seconds, so that less time between two of them says little of a rate.
const LEAST_S: f64 = 10.0;

/// A clock shows up to so much less than the time at which the counter was read.
const GRAIN_S: f64 = 1.0;

/// A reading of the bytes that passed a port.
#[derive(Clone, Debug)]
pub(crate) struct PortBytes {
    port: Port,
    way: Kind,
    bytes: f64,
    at: Place,
}

impl Facts {
    /// Takes the bytes of a line that counts the packets of a port one way.
    pub(super) fn port_passed(&mut self, port: &Port, way: Kind, text: &str, at: Place) {
        if let Some(bytes) = bytes(text).filter(|_| self.port_bytes.len() < KEPT_MAX) {
            self.port_bytes.push(PortBytes {
                port: port.clone(),
                way,
                bytes,
                at,
            });
        }
    }

    /// Makes a rate of the bytes of each port that was read below two clocks of one zone.
    pub(super) fn settle_port_bytes(&mut self) {
        let mut before: BTreeMap<(&Port, Kind), &PortBytes> = BTreeMap::new();
        let mut rates = Vec::new();
        for reading in &self.port_bytes {
            let known = before.insert((&reading.port, reading.way), reading);
            let Some(known) = known else { continue };
            let seconds = self.moments.seconds_between(known.at, reading.at);
            let grew = reading.bytes - known.bytes;
            let enough = |s: &f64| *s >= LEAST_S && grew > 0.0 && !reading.port.name.is_empty();
            let Some(seconds) = seconds.filter(enough) else {
                continue;
            };
            rates.push(PortReading {
                port: reading.port.clone(),
                kind: reading.way,
                value: 8.0 * grew / (seconds + GRAIN_S),
                packets: None,
                sent: None,
                at: reading.at,
            });
        }
        self.ports.extend(rates);
    }
}

/// The bytes of `2200000 packets output, 3100000000 bytes, 0 underruns` of IOS and EOS, and of `61836697 output packets  45012837461 bytes` of
/// NX-OS.
fn bytes(text: &str) -> Option<f64> {
    let mut words = text.split_whitespace().map(|w| w.trim_end_matches(','));
    let mut last = "";
    let found = words.find_map(|word| {
        let number = (word == "bytes").then_some(last);
        last = word;
        number
    })?;
    whole(found).map(|n| n as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::taken::whole as read_whole;

    /// Rates that leave port Te0/1 of a router, read so many bytes apart at these times, Mbit/s.
    fn leaves(clocks: [&str; 2]) -> Vec<f64> {
        let reading = |clock: &str, bytes: u64| {
            format!(
                "r3#show clock\n*{clock}.123 UTC Mon Nov 30 2026\nr3#show interfaces TenGigabitEthernet0/1\nTenGigabitEthernet0/1 is up, line protocol is up\n     2200000 packets output, {bytes} bytes, 0 underruns\n"
            )
        };
        let text = reading(clocks[0], 3_100_000_000) + &reading(clocks[1], 10_725_000_000);
        let (facts, _) = read_whole(&text);
        let own = facts.ports.iter().filter(|r| r.kind == Kind::Leaves);
        own.map(|r| (r.value / 1e6).round()).collect()
    }

    #[test]
    fn bytes_between_two_clocks_are_a_rate() {
        assert_eq!(leaves(["10:00:00", "10:01:00"]), [1000.0]);
        // Too near, and the other way round in time.
        assert!(leaves(["10:00:00", "10:00:05"]).is_empty());
        assert!(leaves(["10:01:00", "10:00:00"]).is_empty());
    }
}
