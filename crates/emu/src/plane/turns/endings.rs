//! How ends close: both ways or their own alone, with all that they had asked for or without. Who closes over TLS sends an alert before its FIN,
//! and asks for nothing.

use farpath_units::{Duration, Time};

use super::{Left, Talk};
use crate::plane::message::is_small;

/// Records of TLS (RFC 8446 §5.1): an alert, and data; the third and fourth byte behind that are the length, of an alert in data 19 (§5.2, §6).
const ALERT: u8 = 21;
const DATA: u8 = 23;
const MAJOR: u8 = 3;
const ALERT_LENGTH: [u8; 2] = [0, 19];

/// An alert so soon before a FIN is the farewell of who closes.
const SOON: Duration = Duration::from_ms(10);

/// Whether a payload may be an alert alone.
pub(in crate::plane) fn is_alert(payload: &[u8]) -> bool {
    match payload {
        [ALERT, MAJOR, ..] => true,
        // What has more behind it is a small piece of a request.
        [DATA, MAJOR, _, high, low, rest @ ..] => {
            let is_all = rest.len() <= usize::from(u16::from_be_bytes(ALERT_LENGTH));
            [*high, *low] == ALERT_LENGTH && is_all
        }
        _ => false,
    }
}

/// How an end has ended its part.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct End {
    /// What it had waited for when it sent its FIN, or a reset; none where it has sent neither.
    pub(super) waited: Option<Duration>,
    /// When that was.
    pub(super) closed: Option<Time>,
    /// When it was done so with all that the other end had sent, which had sent last.
    pub(super) done: Option<Time>,
    /// It had all that the other end had sent, which had sent last.
    pub(super) is_served: bool,
    /// It has sent a reset.
    pub(super) is_reset: bool,
    /// Data has come after its FIN.
    pub(super) is_sent_more: bool,
    /// What it sent to one that had closed is as long as a request of its own.
    pub(super) asks_again: bool,
}

/// What an end sends, by its length.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Asks {
    /// Bytes that its last message began with; 0 before any.
    bytes: u32,
    /// What it sent last is as long as a request.
    is_request: bool,
}

impl End {
    /// Whether it has closed its own way alone.
    pub(super) fn is_half(&self) -> bool {
        self.is_sent_more && !self.is_reset
    }

    /// What it waited for, of `all` that it seems to have.
    pub(super) fn waited(&self, all: Duration) -> Duration {
        self.waited.filter(|_| !self.is_half()).unwrap_or(all)
    }
}

impl Talk {
    /// Whether an end asked to open the connection.
    pub(super) fn has_opened(&self, end: usize) -> bool {
        self.asked.is_some_and(|(who, _)| who == end)
    }

    /// Whether an end sent data last.
    pub(super) fn has_spoken_last(&self, end: usize) -> bool {
        self.last.is_some_and(|(who, _)| who == end)
    }

    /// Whether neither end has closed.
    pub(super) fn is_open(&self) -> bool {
        self.over.iter().all(|over| over.waited.is_none())
    }

    /// An end closes `now`. Where it has answered all, and the other one, which opened the connection, has had that and asked for nothing since, the
    /// connection was idle.
    pub(super) fn closes_idle(&mut self, end: usize, now: Time) {
        let stream = &self.streams[end];
        let last = self.last.filter(|(who, _)| *who == end);
        let answered = last.filter(|_| stream.is_all_there());
        let answered = answered.map(|(_, then)| stream.grew.max(then));
        // Over TLS an alert goes before the FIN.
        let parting = self.parting.filter(|(who, _)| *who == end);
        let there = parting.map(|(_, there)| there).or(answered);
        if let Some(there) = there.filter(|_| self.is_open() && !self.has_opened(end)) {
            self.turns.idle[1 - end] = Some((there.min(now), now));
            self.turns.was_idle = self.turns.idle;
        }
    }

    /// An end sends new data of this length, other than a farewell. Where the other end had closed the idle connection, that data meets a closed one. Half
    /// as much as its longest segment is a request: a word such as QUIT is shorter than that.
    pub(super) fn goes_on_idle(&mut self, end: usize, length: u32) {
        if self.farewell != Some(end) {
            let idle = std::mem::take(&mut self.turns.idle);
            let is_idle = idle[end].is_some();
            self.turns.met_closed[end] |= is_idle;
            let behind = self.left_behind.take();
            let has_all = self.streams[1 - end].is_all_there();
            let is_behind = has_all && behind == Some(1 - end);
            self.turns.met_behind[end] |= is_behind;
            self.turns.tried_behind[end] |= is_behind;
            let is_long = length >= self.longest[end].div_ceil(2);
            self.over[end].asks_again |= is_long && (is_idle || is_behind);
        }
    }

    /// An end closes. Where it has answered all that the other one had asked, which opened the connection, and the answer is still under way, a
    /// request behind that answer meets a closed connection. Where data of the other one is under way then, more of it may come by itself.
    pub(super) fn closes_behind(&mut self, end: usize, is_reset: bool) {
        let has_answered = self.has_spoken_last(end) && !self.has_opened(end);
        let has_all = self.streams[1 - end].is_all_there() && self.streams[1 - end].sent > 0;
        let is_under_way = !self.streams[end].is_all_there();
        if self.is_open() && has_answered && has_all && is_under_way && !is_reset {
            self.left_behind = Some(end);
        }
    }

    /// An end is about to send new data of this length. Half as much as its longest segment, or as its message before, is a request; a farewell is
    /// not.
    pub(super) fn asks(&mut self, end: usize, length: u32) {
        let is_same = self.has_spoken_last(end) && !self.streams[end].is_all_there();
        let is_farewell = self.farewell == Some(end);
        let longest = self.longest[end];
        let asks = &mut self.asks[end];
        let usual = match asks.bytes {
            0 => longest,
            before => before.min(longest),
        };
        let is_long = length >= usual.div_ceil(2) && !is_farewell;
        asks.is_request = is_long || (is_same && asks.is_request);
        if !is_same {
            asks.bytes = length;
        }
    }

    /// An end closes `now`. Where it had all of a request of the other one, which opened the connection, before it closed first without a reset, and had
    /// sent something before that, it left this request without an answer.
    pub(super) fn leaves_request(&mut self, end: usize, is_reset: bool, now: Time) {
        let asked = &self.streams[1 - end];
        let last = self.last.filter(|(who, _)| *who != end);
        // What comes behind the FIN was under way as it left.
        let has_it = last.is_some_and(|(_, then)| asked.grew.max(then) <= now);
        let is_first = self.is_open() && !is_reset && !self.has_opened(end);
        // What is missing of Multipath TCP may go by another subflow.
        let has_answered = self.streams[end].sent > 0 && !self.turns.is_multipath;
        let is_request = self.asks[1 - end].is_request && asked.is_all_there();
        self.turns.left_request[end] |= has_it && is_first && has_answered && is_request;
    }

    /// An end closes. Where it has answered a part of what the other one sends, and a segment or more of that is under way, it takes none of it. Less may
    /// be a word on what has come.
    pub(super) fn cuts_short(&mut self, end: usize) {
        let stream = &self.streams[1 - end];
        let under_way = stream.sent.saturating_sub(stream.arrived);
        let is_under_way = !u32::try_from(under_way).is_ok_and(is_small);
        // What is missing of Multipath TCP may go by another subflow.
        let is_known = self.is_open() && !self.turns.is_multipath;
        self.turns.cut_short[end] |= is_known && is_under_way && self.answers_part[end];
    }

    /// An end closes. Where it resets the connection behind new data of its own, before either has closed, what had not arrived is lost. A
    /// farewell of TLS does not count.
    pub(super) fn throws_away(&mut self, end: usize, is_reset: bool) {
        let is_behind_data = self.has_spoken_last(end) && self.farewell != Some(end);
        self.turns.threw_away[end] |= is_reset && self.is_open() && is_behind_data;
    }

    /// An end closes `now`: the one that opened the connection, perhaps, while the other one's answer is on its way.
    pub(super) fn leaves(&mut self, end: usize, now: Time) {
        let is_again = self.over[end].closed.is_some();
        let answer = &self.streams[1 - end];
        // Pings and words on windows do not answer.
        let is_aside = self.control.has(1 - end, (answer.arrived, answer.sent));
        let is_answered = self.has_spoken_last(1 - end);
        let is_under_way = is_answered && !answer.is_all_there() && !is_aside;
        let is_left = end == 0 && self.has_opened(end) && !is_again && is_under_way;
        if let Some((asked, had)) = self.question.filter(|_| is_left) {
            self.turns.left = Some(Left {
                asked,
                closed: now,
                is_begun: answer.arrived > had,
            });
        }
    }

    /// An end closes: who does without a reset to what it has sent asked for nothing, unless that was as long as a request. One that reads the other
    /// one's FIN in place of an answer closes before the reset has come.
    pub(super) fn closes_unmet(&mut self, end: usize) {
        let is_met = self.over[1 - end].is_reset || self.over[end].asks_again;
        self.turns.met_closed[end] &= is_met;
        self.turns.met_behind[end] &= is_met;
    }

    /// Which of the ends that `sent` a request to one that had closed got a reset for it.
    pub(super) fn by_reset(&self, sent: [bool; 2]) -> [bool; 2] {
        [0, 1].map(|end| sent[end] && self.over[1 - end].is_reset)
    }

    /// When each of the ends closed with all that was sent to it, or the other one an idle connection; none where it has not, or has closed its own
    /// way alone.
    pub(super) fn done(&self) -> [Option<Time>; 2] {
        [0, 1].map(|end| {
            let over = &self.over[end];
            let idle = self.turns.idle[end].map(|(_, until)| until);
            let own = over.done.filter(|_| !over.is_half());
            [own, idle].into_iter().flatten().min()
        })
    }

    /// An end is about to send new data of this payload: an alert, perhaps, once it has all that the other one has answered.
    pub(super) fn says_farewell(&mut self, end: usize, payload: &[u8]) {
        let is_alert = is_alert(payload);
        let is_answered = self.has_spoken_last(1 - end);
        let has_all = self.streams[1 - end].is_all_there();
        self.farewell = (is_alert && is_answered && has_all).then_some(end);
        let stream = &self.streams[end];
        let own = self.last.filter(|(who, _)| *who == end);
        let own = own.filter(|_| is_alert && stream.is_all_there());
        self.parting = own.map(|(_, then)| (end, stream.grew.max(then)));
    }

    /// Whether an end that closes now has just said farewell, and nothing came since.
    pub(super) fn is_farewell(&self, end: usize, now: Time) -> bool {
        let last = self.last.filter(|(who, _)| *who == end);
        let is_soon = last.is_some_and(|(_, then)| now.since(then.min(now)) <= SOON);
        self.farewell == Some(end) && is_soon && self.streams[1 - end].is_all_there()
    }

    /// Whether an end opened the connection, and closed before the other one has.
    pub(super) fn gives_up(&self, end: usize) -> bool {
        let [own, other] = [end, 1 - end].map(|who| self.over[who].closed);
        let is_first = own.is_some_and(|own| other.is_none_or(|other| own <= other));
        is_first && self.has_opened(end)
    }

    /// These times of the ends, without that of one that has closed its own way alone.
    pub(super) fn unless_half(&self, times: [Duration; 2]) -> [Duration; 2] {
        [0, 1].map(|end| match self.over[end].is_half() {
            true => Duration::ZERO,
            false => times[end],
        })
    }

    /// How long the last of an answer was under way to an end that had asked, and closed: with all of the answer, or its own way alone before it.
    pub(super) fn landing(&self, end: usize) -> Duration {
        let over = &self.over[end];
        if !over.is_half() {
            return self.turns.landing[end];
        }
        let stream = &self.streams[1 - end];
        let answered = self
            .last
            .filter(|(who, _)| *who != end && stream.is_all_there());
        let is_asked = self.streams[end].sent > 0 && !over.is_served;
        answered
            .filter(|_| is_asked)
            .map_or(Duration::ZERO, |(_, then)| {
                stream.grew.max(then).since(then)
            })
    }
}

#[cfg(test)]
mod tests {
    use super::super::Turns;
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    /// A client that closes 200 ms after its request, of which the answer of two segments left the server at this time: it comes 75 ms later, or
    /// a first part of it sooner, and meets a reset or not.
    #[test]
    fn an_answer_that_was_on_its_way_to_who_closed_is_known() {
        let left = |answered: u64, first: bool, is_reset: bool| {
            let ends = ["198.18.0.1:4000", "198.18.0.2:70"].map(|end| end.parse().expect(end));
            let mut talk = Talk::new(ends);
            talk.opens(0, 1, at(0));
            talk.sent(0, (1, 80), at(150));
            talk.arrived(0, (1, 80), at(225));
            talk.sent(1, (1, 100), at(answered));
            talk.sent(1, (101, 100), at(answered));
            if first {
                talk.arrived(1, (1, 100), at(answered + 75));
            }
            if answered + 75 < 350 && !first {
                talk.arrived(1, (1, 200), at(answered + 75));
            }
            talk.ended(0, false, at(350));
            talk.arrived(1, (1, 200), at(answered + 80));
            if is_reset {
                talk.ended(0, true, at(answered + 80));
            }
            talk.turns().left
        };
        let found = left(325, false, true).expect("it left");
        let wanted = [at(150), at(350)];
        assert_eq!(
            ([found.asked, found.closed], found.is_begun),
            (wanted, false)
        );
        assert!(left(274, true, true).is_some_and(|left| left.is_begun));
        // Its own way alone, and all of the answer.
        assert_eq!(left(325, false, false), None);
        assert_eq!(left(230, false, true), None);
    }

    /// An upload of three pieces, of which the second end has one or all when it answers and closes.
    #[test]
    fn an_upload_that_is_cut_short_is_known() {
        let cut = |pieces: u32, answers: bool| {
            let ends = ["198.18.0.1:4000", "198.18.0.2:80"].map(|end| end.parse().expect(end));
            let mut talk = Talk::new(ends);
            talk.opens(0, 1, at(0));
            for n in 0..3 {
                talk.sent(0, (1 + 1000 * n, 1000), at(50));
            }
            for n in 0..pieces {
                talk.arrived(0, (1 + 1000 * n, 1000), at(75));
            }
            if answers {
                talk.sent(1, (1, 80), at(80));
            }
            talk.ended(1, false, at(81));
            talk.turns().cut_short
        };
        assert_eq!(cut(1, true), [false, true]);
        assert_eq!(cut(3, true), [false; 2], "it had all");
        assert_eq!(cut(1, false), [false; 2], "it answered nothing");
    }

    /// 80 B asked and 200 B answered, 50 ms each way.
    fn open() -> Talk {
        let ends = ["198.18.0.1:4000", "198.18.0.2:70"].map(|end| end.parse().expect(end));
        let mut talk = Talk::new(ends);
        talk.opens(0, 1, at(0));
        talk.sent(0, (1, 80), at(100));
        talk.arrived(0, (1, 80), at(150));
        talk.sent(1, (1, 200), at(150));
        talk.arrived(1, (1, 200), at(200));
        talk
    }

    /// The same, and a server that closes its idle end after two seconds.
    fn idle() -> Talk {
        let mut talk = open();
        talk.ended(1, false, at(2150));
        talk
    }

    /// The client closes two seconds later: nothing was to come from the server's FIN on.
    #[test]
    fn a_server_that_closes_an_idle_connection_was_asked_for_nothing() {
        let mut talk = idle();
        talk.ended(0, false, at(4200));
        let turns = talk.turns();
        assert_eq!(turns.idle, [Some((at(200), at(2150))), None]);
        assert_eq!(
            (turns.done[0], turns.closing),
            (Some(at(2150)), [Duration::ZERO; 2])
        );
        assert_eq!(turns.met_closed, [false; 2]);
        // Who closes right behind its answer was not idle.
        let ends = turns.ends;
        let mut at_once = Talk::new(ends);
        at_once.opens(0, 1, at(0));
        at_once.sent(0, (1, 80), at(100));
        at_once.arrived(0, (1, 80), at(150));
        at_once.sent(1, (1, 200), at(150));
        at_once.ended(1, false, at(150));
        at_once.arrived(1, (1, 200), at(200));
        assert_eq!(at_once.turns().idle, [None; 2]);
    }

    /// Over TLS the server says farewell before its FIN, and so does the client.
    #[test]
    fn an_alert_before_a_fin_ends_an_idle_time() {
        let mut talk = open();
        talk.reads(1, (201, 24), &[23, 3, 3, 0, 19, 7]);
        talk.sent(1, (201, 24), at(2150));
        talk.ended(1, false, at(2150));
        talk.arrived(1, (201, 24), at(2200));
        talk.reads(0, (81, 24), &[23, 3, 3, 0, 19, 7]);
        talk.sent(0, (81, 24), at(4200));
        talk.ended(0, false, at(4200));
        let turns = talk.turns();
        assert_eq!(turns.idle, [Some((at(200), at(2150))), None]);
        assert_eq!(
            (turns.done[0], turns.met_closed),
            (Some(at(2150)), [false; 2])
        );
    }

    /// A client that asks again on it, and gets a reset, or closes before that has come; and one that says farewell, by an alert of TLS or by a short
    /// word that it does not wait for.
    #[test]
    fn a_request_on_a_connection_that_the_server_has_closed_is_known() {
        let met = |payload: &[u8], closes: bool| -> Turns {
            let mut talk = idle();
            talk.longest[0] = 80;
            let length = payload.len() as u32;
            talk.reads(0, (81, length), payload);
            talk.sent(0, (81, length), at(3000));
            if closes {
                talk.ended(0, false, at(3000));
            }
            talk.arrived(0, (81, length), at(3050));
            talk.ended(1, true, at(3050));
            talk.turns()
        };
        let asked = met(&[7; 80], false);
        assert_eq!((asked.met_closed, asked.idle), ([true, false], [None; 2]));
        assert_eq!(met(&[7; 80], true).met_closed, [true, false]);
        let closed = met(&[7; 6], true);
        assert_eq!((closed.met_closed, closed.idle), ([false; 2], [None; 2]));
        assert_eq!(closed.was_idle, [Some((at(200), at(2150))), None]);
        let alert = [&[23, 3, 3, 0, 19][..], &[7; 19]].concat();
        assert_eq!(met(&alert, false).met_closed, [false; 2]);
    }

    /// A server that closes right behind its answer (50 ms each way), and a client that asks on it 1.3 s later and gets a reset. One whose request
    /// was under way by then did not ask behind the answer, nor does one that says farewell or closes.
    #[test]
    fn a_request_behind_an_answer_with_a_fin_is_known() {
        let met = |asks_at: u64, payload: &[u8], closes: bool| {
            let ends = ["198.18.0.1:4000", "198.18.0.2:70"].map(|end| end.parse().expect(end));
            let mut talk = Talk::new(ends);
            let length = payload.len() as u32;
            talk.longest[0] = 80;
            talk.opens(0, 1, at(0));
            talk.sent(0, (1, 80), at(100));
            talk.arrived(0, (1, 80), at(150));
            if asks_at < 150 {
                talk.sent(0, (81, length), at(asks_at));
            }
            talk.sent(1, (1, 200), at(150));
            talk.ended(1, false, at(151));
            talk.arrived(1, (1, 200), at(200));
            if asks_at > 200 {
                talk.reads(0, (81, length), payload);
                talk.sent(0, (81, length), at(asks_at));
            }
            if closes {
                talk.ended(0, false, at(asks_at));
            }
            talk.arrived(0, (81, length), at(asks_at + 50));
            talk.ended(1, true, at(asks_at + 50));
            talk.turns()
        };
        let asked = met(1500, &[7; 80], false);
        assert_eq!(
            (asked.met_behind, asked.met_closed),
            ([true, false], [false; 2])
        );
        assert_eq!(asked.idle, [None; 2], "it was not idle");
        assert_eq!(met(1500, &[7; 80], true).met_behind, [true, false]);
        let closes = met(1500, &[7; 6], true);
        assert_eq!(
            (closes.met_behind, closes.tried_behind),
            ([false; 2], [true, false])
        );
        let alert = [&[23, 3, 3, 0, 19][..], &[7; 19]].concat();
        for none in [met(149, &[7; 80], false), met(1500, &alert, false)] {
            assert_eq!(
                (none.met_behind, none.tried_behind),
                ([false; 2], [false; 2])
            );
        }
    }

    /// A server that answers and closes by FIN or reset, 50 ms from a client that asks again at 300 ms: with the request, which came at 350 ms, or
    /// without it. A word that is shorter than a request is left alone.
    #[test]
    fn a_request_that_the_server_had_as_it_closed_is_known() {
        let left = |closes: u64, length: u32, is_reset: bool| {
            let mut talk = Talk::new(open().turns.ends);
            talk.longest[0] = 80;
            talk.opens(0, 1, at(0));
            for (n, t) in [(0, 100), (1, 200)] {
                talk.sent(0, (1 + 80 * n, 80), at(t));
                talk.arrived(0, (1 + 80 * n, 80), at(t + 50));
                talk.sent(1, (1 + 200 * n, 200), at(t + 50));
                talk.arrived(1, (1 + 200 * n, 200), at(t + 100));
            }
            talk.sent(0, (161, length), at(300));
            if closes >= 350 {
                talk.arrived(0, (161, length), at(350));
            }
            talk.ended(1, is_reset, at(closes));
            talk.turns().left_request
        };
        assert_eq!(left(351, 80, false), [false, true]);
        assert_eq!(left(450, 40, false), [false, true]);
        for none in [
            left(349, 80, false),
            left(351, 6, false),
            left(351, 80, true),
        ] {
            assert_eq!(none, [false; 2]);
        }
    }

    /// A client that resets behind what it sends, as SO_LINGER 0 does; one that does with all of its answer, and one whose server closed first.
    #[test]
    fn an_end_that_resets_behind_its_own_data_is_known() {
        let threw = |asks: bool, closed: bool, is_reset: bool| {
            let mut talk = open();
            if asks {
                talk.sent(0, (81, 4000), at(300));
            }
            if closed {
                talk.ended(1, false, at(301));
            }
            talk.ended(0, is_reset, at(310));
            talk.turns().threw_away
        };
        assert_eq!(threw(true, false, true), [true, false]);
        assert_eq!(threw(false, false, true), [false; 2]);
        assert_eq!(threw(true, true, true), [false; 2]);
        assert_eq!(threw(true, false, false), [false; 2]);
    }
}
