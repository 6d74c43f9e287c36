//! Tickets by which a session of TLS 1.3 is resumed (RFC 8446 §4.6.1): a client does not wait for them.
//!
//! They come ciphered, behind the client's last message of the handshake. What a server says first, as one of mail does, comes there as well.
//! So tickets are known where several records of one length come there and nothing else, as OpenSSL sends two. A server whose own second ticket
//! waits for an acknowledgement sends it when the request comes: one record, then one of its length and more behind it are tickets, too.

/// Records: what they carry (RFC 8446 §5.1), their version, and bytes of their header.
const CHANGE: u8 = 20;
const HANDSHAKE: u8 = 22;
const DATA: u8 = 23;
const MAJOR: u8 = 3;
const HEADER: usize = 5;

/// A record that only says that ciphers change is so long, header included.
const CHANGE_LENGTH: usize = 6;

/// A client's hello among messages of a handshake (RFC 8446 §4).
const HELLO: u8 = 1;

/// One record may be anything.
const SEVERAL: u64 = 2;

/// How far a handshake has come.
#[derive(Clone, Copy, Debug, Default)]
enum Stage {
    #[default]
    Begun,
    /// The client has sent a hello.
    Greeted,
    /// The server has answered it.
    Answered,
    /// The client has sent its last message of TLS 1.3.
    Finished,
    /// One record has come behind it, and then the client has sent more.
    Asked,
    /// Another record of that length has come, and nothing else.
    Followed,
    /// More has come than tickets, or it is not TLS 1.3.
    Over,
}

/// What a message says of small writes behind a handshake.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Behind {
    /// Nothing.
    #[default]
    Other,
    /// It is the client's, and tickets alone were sent to it since its handshake was over.
    Tickets,
    /// It is the client's, and one record was sent to it since: a ticket, or what the server says first.
    OneRecord,
    /// It is the server's, and the record before the client's last message was a ticket.
    SecondTicket,
}

/// What the ends of a connection have sent that may be tickets.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tickets {
    stage: Stage,
    records: u64,
    /// Bytes of each, header included.
    length: usize,
    /// The client has sent more than the end of its handshake.
    has_asked: bool,
}

impl Tickets {
    /// Whether none will come that would be known.
    pub(super) fn is_over(&self) -> bool {
        matches!(self.stage, Stage::Over)
    }

    /// An end, 0 that of the client, has sent new data of this payload: what it follows.
    pub(super) fn sent(&mut self, end: usize, payload: &[u8]) -> Behind {
        let another = self.another(payload);
        let behind = match (self.stage, end, self.records) {
            (Stage::Finished, 0, SEVERAL..) => Behind::Tickets,
            (Stage::Finished, 0, 1) => Behind::OneRecord,
            (Stage::Asked, 1, _) if another.is_some_and(is_data) => Behind::SecondTicket,
            (Stage::Followed, 1, _) if is_data(payload) => Behind::SecondTicket,
            _ => Behind::Other,
        };
        self.has_asked |= match (self.stage, end) {
            (Stage::Finished | Stage::Asked, 0) => true,
            (Stage::Answered, 0) => record(behind_change(payload)).is_some_and(|r| !r.1.is_empty()),
            _ => false,
        };
        self.stage = match (self.stage, end) {
            (Stage::Begun, 0) if is_hello(payload) => Stage::Greeted,
            (Stage::Greeted, 0) => Stage::Greeted,
            (Stage::Greeted | Stage::Answered, 1) => Stage::Answered,
            (Stage::Answered, 0) => match behind_change(payload) {
                [] => Stage::Answered,
                [DATA, MAJOR, ..] => Stage::Finished,
                // The server wanted another.
                hello if is_hello(hello) => Stage::Greeted,
                _ => Stage::Over,
            },
            (Stage::Finished, 0) if self.records == 0 => Stage::Finished,
            (Stage::Finished, 0) if self.records == 1 => Stage::Asked,
            (Stage::Finished, 1) if self.takes(payload) => Stage::Finished,
            (Stage::Asked, 0) => Stage::Asked,
            (Stage::Asked, 1) if another.is_some_and(<[u8]>::is_empty) => Stage::Followed,
            _ => Stage::Over,
        };
        behind
    }

    /// Whether what an end has just sent may be tickets alone, to a client that has asked already; and whether it is known that it is.
    pub(super) fn beside(&self, end: usize) -> Option<bool> {
        let is_known = match self.stage {
            Stage::Finished => self.records >= SEVERAL,
            Stage::Followed => false,
            _ => return None,
        };
        (end == 1 && self.has_asked).then_some(is_known)
    }

    /// What follows a record of the length of those that may be tickets, if one stands in front.
    fn another<'a>(&self, payload: &'a [u8]) -> Option<&'a [u8]> {
        let (length, behind) = record(payload)?;
        (length == self.length).then_some(behind)
    }

    /// Takes what may be tickets, whole ones; false where it is anything else.
    fn takes(&mut self, payload: &[u8]) -> bool {
        let mut rest = payload;
        while let Some((length, behind)) = record(rest) {
            if self.records > 0 && length != self.length {
                return false;
            }
            (self.length, rest) = (length, behind);
            self.records += 1;
        }
        rest.is_empty()
    }
}

/// The length of the whole ciphered record that stands in front, its header included, and what follows it.
fn record(payload: &[u8]) -> Option<(usize, &[u8])> {
    let [DATA, MAJOR, _, high, low, ..] = payload else {
        return None;
    };
    let length = HEADER + usize::from(u16::from_be_bytes([*high, *low]));
    Some((length, payload.get(length..)?))
}

/// Whether a ciphered record stands in front.
fn is_data(payload: &[u8]) -> bool {
    matches!(payload, [DATA, MAJOR, ..])
}

/// What follows a change of ciphers, if one stands in front.
pub(super) fn behind_change(payload: &[u8]) -> &[u8] {
    match payload {
        [CHANGE, MAJOR, ..] => payload.get(CHANGE_LENGTH..).unwrap_or_default(),
        _ => payload,
    }
}

fn is_hello(payload: &[u8]) -> bool {
    matches!(payload, [HANDSHAKE, MAJOR, _, _, _, HELLO, ..])
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLIENT_HELLO: &[u8] = &[22, 3, 1, 2, 0, 1, 0];
    const SERVER: &[u8] = &[22, 3, 3, 0, 122, 2, 0];
    const FINISHED: &[u8] = &[20, 3, 3, 0, 1, 1, 23, 3, 3, 0, 53, 9];
    const CLIENT_KEY: &[u8] = &[22, 3, 3, 0, 37, 16, 0];
    const TICKET: &[u8] = &[23, 3, 3, 0, 3, 7, 7, 7];
    const OTHER: &[u8] = &[23, 3, 3, 0, 2, 7, 7];

    /// What the last words followed.
    fn last(talk: &[(usize, &[u8])]) -> Behind {
        let mut tickets = Tickets::default();
        talk.iter().fold(Behind::Other, |_, (end, payload)| {
            tickets.sent(*end, payload)
        })
    }

    /// Whether the client's last words followed tickets alone.
    fn is_known(talk: &[(usize, &[u8])]) -> bool {
        last(talk) == Behind::Tickets
    }

    /// The second ticket waits for the acknowledgement of the first, which comes with the request, and the answer follows alone or with it.
    #[test]
    fn a_ticket_behind_the_request_shows_that_the_record_before_was_one() {
        let answered = [TICKET, OTHER].concat();
        let answered = answered.as_slice();
        let begun = [(0, CLIENT_HELLO), (1, SERVER), (0, FINISHED), (1, TICKET)];
        let with = |rest: &[(usize, &[u8])]| last(&[&begun[..], rest].concat());
        let asks = (0, OTHER);
        assert_eq!(with(&[asks]), Behind::OneRecord);
        assert_eq!(with(&[asks, (1, TICKET)]), Behind::Other);
        assert_eq!(with(&[asks, (1, TICKET), (1, OTHER)]), Behind::SecondTicket);
        assert_eq!(with(&[asks, asks, (1, answered)]), Behind::SecondTicket);
        // What a server says first and then, in records of one length, may be anything.
        assert_eq!(with(&[asks, (1, TICKET), asks]), Behind::Other);
        assert_eq!(with(&[asks, (1, OTHER), (1, TICKET)]), Behind::Other);
        let twice = [asks, (1, TICKET), (1, OTHER), asks, (1, TICKET), (1, OTHER)];
        assert_eq!(with(&twice), Behind::Other);
    }

    /// A request that leaves with the end of the handshake, or right behind it, before tickets come.
    #[test]
    fn tickets_behind_a_request_are_beside_the_answer() {
        let with_request = [FINISHED, &[0; 52], OTHER].concat();
        let whole = [FINISHED, &[0; 52]].concat();
        let beside = |rest: &[(usize, &[u8])]| {
            let mut tickets = Tickets::default();
            let begun = [(0, CLIENT_HELLO), (1, SERVER)];
            for (end, payload) in begun.iter().chain(rest) {
                tickets.sent(*end, payload);
            }
            tickets.beside(rest.last().map_or(0, |last| last.0))
        };
        let both = [TICKET, TICKET].concat();
        let plain: &[u8] = b"HTTP/1.1";
        let (asks, ends) = ((0, with_request.as_slice()), (0, whole.as_slice()));
        let one = (1, TICKET);
        assert_eq!(beside(&[asks, one]), Some(false));
        assert_eq!(beside(&[ends, (0, OTHER), one]), Some(false));
        assert_eq!(beside(&[asks, (1, both.as_slice())]), Some(true));
        // Nothing was asked, or it is not a ticket.
        assert_eq!(beside(&[ends, one]), None);
        assert_eq!(beside(&[asks, (1, plain)]), None);
        assert_eq!(beside(&[asks, one, (0, OTHER)]), None);
    }

    #[test]
    fn several_records_of_one_length_behind_a_handshake_are_tickets() {
        let (both, more) = ([TICKET, TICKET].concat(), [TICKET, OTHER].concat());
        let (both, more) = (both.as_slice(), more.as_slice());
        let plain: &[u8] = b"GET /";
        let asks = (0, OTHER);
        let begun = [(0, CLIENT_HELLO), (1, SERVER), (1, OTHER)];
        let with = |rest: &[(usize, &[u8])]| is_known(&[&begun[..], rest].concat());
        let done = (0, FINISHED);
        assert!(with(&[done, (1, TICKET), (1, TICKET), asks]));
        assert!(with(&[done, (1, both), asks]));
        // The server wanted another group.
        assert!(with(&[
            (0, CLIENT_HELLO),
            (1, SERVER),
            done,
            (1, both),
            asks
        ]));
        // It may be what the server says first, or an answer.
        assert!(!with(&[done, (1, TICKET), asks]));
        assert!(!with(&[done, (1, TICKET), (1, OTHER), asks]));
        assert!(!with(&[done, (1, more), asks]));
        assert!(!with(&[done, (1, both), asks, (1, OTHER), asks]));
        assert!(!with(&[done, asks]));
        assert!(!with(&[(0, CLIENT_KEY), (1, both), asks]));
        assert!(!is_known(&[(0, plain), (1, both), asks]));
    }
}
