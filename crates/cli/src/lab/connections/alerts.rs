//! Handshakes of TLS that one side ended with an alert: a certificate that is missing or not trusted, no version or cipher in common.

use super::unopened::address;
use super::{Connections, turned};
use crate::lab::sender::SENDERS;

/// How many they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::lab) struct Alerts {
    /// All handshakes of the command.
    all: u64,
    /// Those that the command ended so, and the server.
    by: [u64; 2],
}

impl Alerts {
    /// Whether they are half of all or more.
    pub(in crate::lab) fn is_most(&self) -> bool {
        2 * (self.by[0] + self.by[1]) >= self.all
    }

    /// In words; none where there are none.
    pub(in crate::lab) fn words(&self) -> Option<String> {
        const WHY: [&str; 2] = [
            "as where it does not trust the other one's certificate",
            "as where it wants another certificate of the client, or one at all; its own log says why",
        ];
        let said = SENDERS.into_iter().zip(self.by).zip(WHY);
        let said = said.filter(|((_, n), _)| *n > 0);
        let said = said.map(|((who, n), why)| {
            let which = match self.all {
                1 => "the handshake".to_owned(),
                all => format!("{n} of {all} handshakes"),
            };
            format!("{who} ended {which} of TLS with an alert, before anything was answered, {why}")
        });
        let said: Vec<String> = said.collect();
        (!said.is_empty()).then(|| said.join("; "))
    }
}

impl Connections {
    /// Handshakes of the command's connections.
    pub(super) fn alerts(&self) -> Alerts {
        let own = self.own_addresses();
        let opened = self.alerts.iter();
        let opened = opened.filter(|([from, _], _)| own.contains(address(from)));
        let mut alerts = Alerts::default();
        for (_, alert) in opened {
            alerts.all += 1;
            if let Some(end) = alert {
                alerts.by[*end] += 1;
            }
        }
        alerts
    }

    /// Whether the handshake of a connection of these ends, in either order, ended so.
    pub(super) fn is_rejected(&self, ends: &[String; 2]) -> bool {
        let opened = self.alerts.get(ends).or(self.alerts.get(&turned(ends)));
        opened.is_some_and(Option::is_some)
    }
}

#[cfg(test)]
mod tests {
    use farpath_emu::plane::Opening;
    use farpath_units::Time;

    use super::*;

    /// So many handshakes of the command, of which the server ended the first ones.
    fn alerts(all: u16, ended: u16) -> Alerts {
        let mut connections = Connections::across([100_000; 2]);
        connections.take_command(["198.18.0.1".parse().expect("an address")]);
        for n in 0..all {
            let own = format!("198.18.0.1:{}", 40_000 + n);
            let ends = [own.as_str(), "198.18.0.2:443"].map(|end| end.parse().expect("an end"));
            connections.take_opening(&Opening {
                ends,
                asked: Time::ZERO,
                taken: Some(Time::ZERO),
                is_refused: false,
                tls_round_trips: 1,
                tls_windows: 0,
                alert: (n < ended).then_some(1),
            });
        }
        connections.alerts()
    }

    #[test]
    fn handshakes_that_the_server_ended_are_counted() {
        assert_eq!(alerts(3, 0).words(), None);
        let said = alerts(3, 2);
        assert!(said.is_most());
        let words = said.words().expect("some ended");
        assert!(
            words.starts_with("the server ended 2 of 3 handshakes of TLS with an alert"),
            "{words}"
        );
        let one = alerts(1, 1).words().expect("it ended");
        assert!(
            one.starts_with("the server ended the handshake of TLS"),
            "{one}"
        );
    }
}
