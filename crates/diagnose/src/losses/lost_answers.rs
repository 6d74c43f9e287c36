//! Answers to SYNs that are lost behind a capture: the SYN passes it, its SYN-ACK passes it, and the client asks again.

use std::collections::BTreeMap;

use farpath_record::trace::TraceConnection;

use crate::captured::{Vantage, end};
use crate::document::MissingFact;
use crate::fact::Place;
use crate::read::{Facts, Syn};
use crate::seen::End;

/// How what is said of them begins.
pub(crate) const LOST_BACK: &str = "the answer to a SYN is lost on its way back";

/// So many SYNs come again behind an answer before that is said: one may have crossed it.
const AGAIN_LEAST: usize = 2;

/// A connection that was asked for again and again, and answered each time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LostAnswers {
    client: End,
    server: End,
    /// SYNs of this connection, and answers to them.
    asked: usize,
    answered: usize,
    at: Place,
}

/// What SYNs and answers of one connection share that were seen at one place: its text, the host at its prompt, and both ends.
fn connection(syn: &Syn) -> (Option<u32>, &str, [&End; 2]) {
    (syn.at.source(), syn.shell.as_str(), syn.ends())
}

impl LostAnswers {
    /// The first one of the texts; none beside a transfer that did not begin to another address.
    pub(crate) fn of(facts: &Facts) -> Option<LostAnswers> {
        if facts.lost_answers.is_some() {
            return facts.lost_answers.clone();
        }
        let mut connections: BTreeMap<_, Vec<&Syn>> = BTreeMap::new();
        for syn in &facts.syns {
            connections.entry(connection(syn)).or_default().push(syn);
        }
        let mut first = facts.syns.iter().filter(|syn| !syn.answers);
        let found =
            first.find_map(|syn| LostAnswers::behind(syn, connections.get(&connection(syn))?))?;
        let other = |u: &crate::reach::unopened::Unopened| !u.may_be_to(&found.server.host);
        let apart = facts.refused.unopened.as_ref().is_some_and(other);
        (!apart).then_some(found)
    }

    /// Of a captured connection that carried no data; not where the client itself was the place, and had the answers.
    pub(crate) fn captured(source: u32, connection: &TraceConnection) -> Option<LostAnswers> {
        let opening = connection.opening.as_ref()?;
        let bare = connection.a2b.unique_bytes + connection.b2a.unique_bytes == 0;
        let own = Vantage::of(connection, false) == Vantage::Sender;
        let lost = opening.syns_after_answer >= AGAIN_LEAST as u64;
        (bare && lost && !own).then(|| LostAnswers {
            client: end(&connection.a),
            server: end(&connection.b),
            asked: opening.syn_retransmissions as usize + 1,
            answered: connection.b2a.packets as usize,
            at: Place::Connection(source, connection.id),
        })
    }

    /// Of this SYN, where it came again behind an answer in its connection.
    fn behind(first: &Syn, own: &[&Syn]) -> Option<LostAnswers> {
        let number = first.packet[0]?;
        let asks = |syn: &Syn| !syn.answers && syn.packet[0] == Some(number);
        let answers = |syn: &Syn| syn.answers;
        let answer = own.iter().position(|syn| answers(syn))?;
        let again = own.iter().skip(answer).filter(|syn| asks(syn)).count();
        let count = |is: &dyn Fn(&Syn) -> bool| own.iter().filter(|syn| is(syn)).count();
        (again >= AGAIN_LEAST && first.from.port.is_some()).then(|| LostAnswers {
            client: first.from.clone(),
            server: first.to.clone(),
            asked: count(&asks),
            answered: count(&answers),
            at: first.at,
        })
    }

    /// What it shows, for people.
    pub(crate) fn said(&self, facts: &Facts) -> String {
        format!(
            "{LOST_BACK}: {} sent its SYN to {} {} times, and {} answers passed the capture ({}). The way there is open, and something listens. Between that capture and the client the SYN-ACK is dropped: by a firewall that did not see the SYN (another way back, a failover without its table of connections), or by a filter",
            self.client.shown(),
            self.server.shown(),
            self.asked,
            self.answered,
            facts.place(self.at)
        )
    }

    /// What finds the place.
    pub(crate) fn asks(&self) -> MissingFact {
        let port = self
            .server
            .port
            .map_or(String::new(), |port| format!(" and tcp port {port}"));
        let (client, server) = (&self.client.host, &self.server.host);
        MissingFact {
            fact: "reachable",
            would_decide: "which device on the way back drops the SYN-ACK".to_owned(),
            command: format!(
                "on {client}: tcpdump -n host {server}{port}, whether the SYN-ACK arrives; on {server}: traceroute -n {client}, beside traceroute -n {server} on {client}: whether both ways cross the same firewall; on each firewall: its table of connections, and its log of drops"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{Source, read};

    const ASKED: &str = "03:40:01.1 IP 203.0.113.50.51220 > 192.0.2.150.443: Flags [S], seq 101020, win 64240, options [mss 1460], length 0\n";
    const ANSWERED: &str = "03:40:01.2 IP 192.0.2.150.443 > 203.0.113.50.51220: Flags [S.], seq 777, ack 101021, win 65160, options [mss 1460], length 0\n";

    fn of(text: &str) -> Option<LostAnswers> {
        let facts = read(&[Source {
            name: "t.txt".to_owned(),
            bytes: text.as_bytes().to_vec(),
        }]);
        LostAnswers::of(&facts)
    }

    /// It was asked whether SYNs arrive and answers leave.
    #[test]
    fn a_syn_that_comes_again_behind_its_answer_shows_the_way_back() {
        let round = format!("{ASKED}{ANSWERED}");
        let lost = of(&round.repeat(3)).expect("the answers are lost");
        assert_eq!((lost.asked, lost.answered), (3, 3));
        assert!(lost.asks().command.contains("tcp port 443"));
        let other = "curl: (28) Failed to connect to 192.0.2.99 port 443 after 10001 ms: Timeout was reached\n";
        assert_eq!(of(&format!("{other}{}", round.repeat(3))), None);
    }

    #[test]
    fn handshakes_that_end_and_syns_without_an_answer_are_none() {
        assert_eq!(of(&format!("{ASKED}{ANSWERED}")), None);
        assert_eq!(of(&ASKED.repeat(3)), None);
        // Several connections, each answered once.
        let next = |text: &str| text.replace("51220", "51230").replace("101020", "5");
        let both = format!("{ASKED}{ANSWERED}{}{}", next(ASKED), next(ANSWERED));
        assert_eq!(of(&both), None);
    }

    /// A capture was "nothing in it could be read".
    #[test]
    fn a_captured_connection_shows_it_as_well() {
        let connection = |again: u64| TraceConnection {
            a: "203.0.113.50:51220".to_owned(),
            b: "192.0.2.150:443".to_owned(),
            vantage: "sender_of_b".to_owned(),
            opening: Some(farpath_record::trace::Opening {
                syn_retransmissions: again,
                syns_after_answer: again,
                ..Default::default()
            }),
            ..TraceConnection::default()
        };
        let found = LostAnswers::captured(0, &connection(2)).expect("its answers are lost");
        assert_eq!((found.asked, found.server.port), (3, Some(443)));
        assert_eq!(LostAnswers::captured(0, &connection(1)), None);
    }
}
