//! Connections that were reset by a packet whose TTL is not that of the end it claims to come from: something between sent it.

use farpath_record::trace::{Reset, TraceConnection};

use crate::cause::Cause;
use crate::document::MissingFact;
use crate::evidence::Evidence;
use crate::fact::Place;
use crate::flows::flow::Flow;
use crate::read::Facts;

/// A reset in midstream, as `trace` calls it.
const MIDSTREAM: &str = "mid_stream";

/// Nothing was sent for so long before a reset that a device may have forgotten the connection, seconds. A choice: the shortest timeouts of
/// connections that are open are of about that.
const IDLE_S: f64 = 20.0;

/// Most resets that are kept.
const RESETS_MAX: usize = 8;

/// The most that is said of a program that sends little on such a connection: it is not what ended it.
const NOT_THE_MATTER: f64 = 0.39;

/// A reset that something between may have sent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ForeignReset {
    /// The connection.
    at: Place,
    /// The end that it claims to come from.
    by: String,
    /// Its TTL, and the most of that end's other packets.
    ttl: [u8; 2],
    /// For how long nothing was sent before it, or before the request that it answers, seconds.
    idle_s: f64,
}

/// For how long nothing was sent before a reset, nanoseconds. A device that forgot the connection answers the next request by it.
fn idle_ns(connection: &TraceConnection, reset: &Reset) -> u64 {
    let before = match &connection.requests[..] {
        [.., before, last] if last.response_bytes == 0 && last.at_ns <= reset.at_ns => {
            let idle = last.at_ns.saturating_sub(before.at_ns);
            let soon = reset.at_ns - last.at_ns < idle;
            if soon { idle } else { 0 }
        }
        _ => 0,
    };
    before.max(reset.idle_ns)
}

impl ForeignReset {
    /// That of a captured connection, if it has one.
    fn of(source: u32, connection: &TraceConnection) -> Option<ForeignReset> {
        let reset = connection.reset.as_ref()?;
        let foreign = reset.middlebox_suspected && reset.answers == MIDSTREAM;
        let [_, usual] = reset.ttl_usual.filter(|_| foreign)?;
        let end = match reset.by.as_str() {
            "a" => &connection.a,
            _ => &connection.b,
        };
        Some(ForeignReset {
            at: Place::Connection(source, connection.id),
            by: crate::redact(end),
            ttl: [reset.ttl, usual],
            idle_s: idle_ns(connection, reset) as f64 / 1e9,
        })
    }

    /// Whether nothing was sent for long before it.
    fn is_idle(&self) -> bool {
        self.idle_s >= IDLE_S
    }

    /// What is said of it, for people.
    fn sentence(&self) -> String {
        let [own, usual] = self.ttl;
        let idle = match self.is_idle() {
            true => format!(
                " after {:.0} s without traffic. A firewall, NAT or load balancer that ends idle connections does that: keepalives below that time (SO_KEEPALIVE, net.ipv4.tcp_keepalive_time) keep them, or a longer timeout there",
                self.idle_s
            ),
            false => ". Firewalls and other filters end connections in this way".to_owned(),
        };
        format!(
            "the connection was reset by a packet in the name of {} with a TTL of {own}, where its others have {usual}: something between may have sent it{idle}",
            self.by
        )
    }
}

impl Facts {
    /// Takes what connections of a capture show of such resets.
    pub(crate) fn resets_of(&mut self, source: u32, connections: &[TraceConnection]) {
        let found = connections
            .iter()
            .filter_map(|c| ForeignReset::of(source, c));
        let room = RESETS_MAX.saturating_sub(self.foreign_resets.len());
        self.foreign_resets.extend(found.take(room));
    }
}

/// What there is to note of them.
pub(crate) fn notes(facts: &Facts) -> Vec<String> {
    let all = facts.foreign_resets.iter();
    all.map(|reset| format!("{}: {}", facts.place(reset.at), reset.sentence()))
        .collect()
}

impl Evidence {
    /// Takes the reset of a flow's own connection.
    pub(crate) fn of_foreign_reset(&mut self, facts: &Facts, flow: &Flow) {
        let captured = flow.captured.iter().map(|n| facts.captured[*n].test.at);
        let own: Vec<Place> = captured.collect();
        let mut all = facts.foreign_resets.iter();
        self.foreign_reset = all.find(|reset| own.contains(&reset.at)).cloned();
    }

    /// The most that is said of a program on a connection that something between ended while it was idle.
    pub(crate) fn at_most_of_reset(&self, cause: Cause) -> f64 {
        let idle = self.foreign_reset.as_ref().is_some_and(|r| r.is_idle());
        match idle && cause == Cause::Application {
            true => NOT_THE_MATTER,
            false => 1.0,
        }
    }

    /// What is said first of such a connection.
    pub(crate) fn foreign_reset_in_words(&self) -> Option<String> {
        self.foreign_reset.as_ref().map(ForeignReset::sentence)
    }

    /// Who sent it.
    pub(crate) fn asks_foreign_reset(&self) -> Option<MissingFact> {
        let own = self.foreign_reset.as_ref()?;
        Some(MissingFact {
            fact: "reset_sender",
            would_decide: format!(
                "who sent the reset: one that arrives and that {} never sent is of a device between",
                own.by
            ),
            command: "on both hosts until it comes again: tcpdump -vni INTERFACE 'tcp[tcpflags] & tcp-rst != 0'; then the log and the timeout of idle connections of each firewall, NAT and load balancer between".to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use farpath_record::trace::Request;

    fn connection(suspected: bool, answers: &str, idle_s: u64) -> TraceConnection {
        TraceConnection {
            id: 1,
            a: "10.1.0.1:4002".to_owned(),
            b: "10.2.0.2:5432".to_owned(),
            reset: Some(Reset {
                by: "b".to_owned(),
                answers: answers.to_owned(),
                idle_ns: idle_s * 1_000_000_000,
                ttl: 255,
                ttl_usual: Some([58, 58]),
                middlebox_suspected: suspected,
                ..Reset::default()
            }),
            ..TraceConnection::default()
        }
    }

    /// It was said of the program that it asks for too little, and of the reset nothing.
    #[test]
    fn a_reset_of_something_between_is_said_and_the_program_is_not_blamed() {
        let found = ForeignReset::of(0, &connection(true, MIDSTREAM, 360)).expect("it is one");
        let said = found.sentence();
        assert!(
            said.contains("a TTL of 255, where its others have 58"),
            "{said}"
        );
        assert!(said.contains("after 360 s without traffic"), "{said}");
        let e = Evidence {
            foreign_reset: Some(found),
            ..Evidence::default()
        };
        assert!(e.at_most_of_reset(Cause::Application) < 0.4);
        assert!(e.at_most_of_reset(Cause::Link) > 0.9);
        assert!(e.asks_foreign_reset().is_some());
    }

    /// The request after 360 s is what the reset answers, 0.4 ms later.
    #[test]
    fn a_request_after_a_long_silence_is_answered_by_the_reset() {
        let request = |at_ms: u64, response_bytes: u64| Request {
            at_ns: at_ms * 1_000_000,
            response_bytes,
            ..Request::default()
        };
        let mut own = connection(true, MIDSTREAM, 0);
        own.requests = vec![request(800, 900), request(361_000, 0)];
        let reset = own.reset.as_mut().expect("it has one");
        reset.at_ns = 361_000_400_000;
        let found = ForeignReset::of(0, &own).expect("it is one");
        assert!(found.is_idle(), "{found:?}");
        // One that was answered is not what the reset answers.
        own.requests[1].response_bytes = 900;
        assert!(ForeignReset::of(0, &own).is_some_and(|found| !found.is_idle()));
    }

    #[test]
    fn resets_of_the_ends_themselves_say_nothing() {
        assert_eq!(
            ForeignReset::of(0, &connection(false, MIDSTREAM, 360)),
            None
        );
        assert_eq!(
            ForeignReset::of(0, &connection(true, "closed_port", 0)),
            None
        );
        // In mid-transfer the rate is still a matter.
        let busy = ForeignReset::of(0, &connection(true, MIDSTREAM, 0));
        let e = Evidence {
            foreign_reset: busy,
            ..Evidence::default()
        };
        assert!(e.foreign_reset_in_words().is_some());
        assert!(e.at_most_of_reset(Cause::Application) > 0.9);
    }
}
