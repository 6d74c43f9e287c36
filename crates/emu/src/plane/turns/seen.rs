//! What is known of a conversation: how its two ends waited for each other.

use farpath_units::{Duration, Time};

use super::{Beat, Deferred, Errand, Pings};
use crate::plane::lines::OnLine;
use crate::plane::message::{Handing, Streamed};
use crate::plane::overlap::{Overlap, Windows};
use crate::plane::packet::Way;
use crate::plane::repairs::Repairs;

/// That the end which opened a connection closed it while an answer was on its way to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Left {
    /// When it last sent data.
    pub asked: Time,
    /// When it sent its FIN, or a reset.
    pub closed: Time,
    /// Some of the answer had come.
    pub is_begun: bool,
}

/// How a connection's two ends waited for each other, as far as frames say. Of an end that sends again before the other has
/// answered, or answers before it has all that was sent, the time is in `overlapping`, if it is known to have waited.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turns {
    /// The end whose frame was seen first, and the other.
    pub ends: Way,
    /// When the first frame with data was handed over, or the connection was open whose server spoke first; none where none was.
    pub begun: Option<Time>,
    /// From there to the last one that was sent or arrived.
    pub span: Duration,
    /// What of the span each of the ends waited for: without its own turns, and without what came after it had closed. An end that has sent
    /// its FIN has closed, unless it takes data afterwards without a reset (RFC 9293 §3.6).
    pub waited: [Duration; 2],
    /// Time in which each of the ends had all that the other had sent, and had not answered yet.
    pub at: [Duration; 2],
    /// What of that its host waited for answers to queries over UDP.
    pub elsewhere: [Duration; 2],
    /// What of that its host waited for on other connections, which it had opened.
    pub errands: [Errand; 2],
    /// Time in which the last of a message, all handed over, was under way to the end that answered it.
    pub way: Duration,
    /// How each of the ends handed over its messages that were answered, and the last answer.
    pub handing: [Handing; 2],
    /// The last answer, where it came in so many pieces that it is not among these: who asked may have waited for it, or not.
    pub streamed: Option<Streamed>,
    /// What each of the ends waited for beside that, where turns overlap.
    pub overlapping: [Overlap; 2],
    /// How each of the ends waited for messages of the other one that open a window, in the middle of what it sent.
    pub windows: [Windows; 2],
    /// How long the slowest link on the way of each of the ends was taken by its data, without a pause.
    pub lines: [OnLine; 2],
    /// What was lost of what each of the ends sent, and what that cost.
    pub repairs: [Repairs; 2],
    /// Segments with data that were under way at a time, on average of the time with any; none where they were more than requests are.
    pub at_a_time: Option<f64>,
    /// Time in which each of the ends had all that the other had sent, which had sent last, before it closed: of the end that closed first,
    /// where that was the end of it.
    pub closing: [Duration; 2],
    /// When each of the ends sent its FIN, or a reset; none where it has sent neither, or took data afterwards without a reset.
    pub closed: [Option<Time>; 2],
    /// When each of the ends first sent a reset; none where it has sent none.
    pub reset: [Option<Time>; 2],
    /// Whether each of the ends has sent data.
    pub has_sent: [bool; 2],
    /// When each of the ends sent its FIN, or a reset, with all that the other had sent, which had sent last: nothing was to come after that. None
    /// where it has closed otherwise, or not, or took data afterwards without a reset. Of an idle connection that the other end closed first it is
    /// when that one did.
    pub done: [Option<Time>; 2],
    /// From when until when each of the ends had all that the other one had sent, which sent nothing more and closed: an idle connection. None where
    /// that was not so, or either has sent data since.
    pub idle: [Option<(Time, Time)>; 2],
    /// The same, whether either has sent data since or not.
    pub was_idle: [Option<(Time, Time)>; 2],
    /// Whether each of the ends has sent a request behind such a time, after the other one had closed, and got a reset for it: one that
    /// closed before the reset came has done so where that was as long as its requests.
    pub met_closed: [bool; 2],
    /// The same where the other one had closed right behind its answer, and the request came once all of that was there.
    pub met_behind: [bool; 2],
    /// Whether each of the ends has sent such a request, and got a reset, whether it closed before that came or not.
    pub tried_behind: [bool; 2],
    /// Whether each of the ends answered what had not all come, and closed first, while data of the other one was under way.
    pub cut_short: [bool; 2],
    /// Whether each of the ends closed first, without a reset, when it had all of a request of the other one, which opened the connection, and had
    /// answered nothing of that, though it had sent something before.
    pub left_request: [bool; 2],
    /// Whether each of the ends reset the connection, without a FIN, behind new data of its own, before the other one had closed.
    pub threw_away: [bool; 2],
    /// That the first end opened the connection and closed it while data of the second one, which had sent last, was on its way. None where that is
    /// not so, or it took the data afterwards without a reset.
    pub left: Option<Left>,
    /// Time in which the last of an answer was under way to each of the ends, which had asked, and closed when it had all of it.
    pub landing: [Duration; 2],
    /// When the first end asked to open the connection, for the first time and the last, while nothing answered. None where an answer has come.
    pub opening: Option<(Time, Time)>,
    /// From the first SYN until the answer to it had come; none where that was not seen.
    pub set_up: Option<Duration>,
    /// The end that sent last, and since when the other one has all of it and has sent nothing; none where a part is under way, or the other
    /// one has closed. Where the end that opened the connection sent last and closed before the other one, it has given up: it stays known.
    pub unanswered: Option<(usize, Time)>,
    /// Since when the second end has had all of a request behind a handshake of TLS, and has sent one record alone that may be a ticket or the
    /// answer. None where that is not so.
    pub ticketed: Option<Time>,
    /// That the second end had the acknowledgement of its SYN-ACK and sent that again before any data; none where it has not.
    pub deferred: Option<Deferred>,
    /// How long the second end had the open connection before it spoke first, of its time in `at`; 0 where the first end did.
    pub greeting: Duration,
    /// How long the first end, which opened the connection, had it open before it spoke first: that is not in the span. 0 where the second end spoke
    /// first, or the opening was not seen.
    pub unasked: Duration,
    /// Since when the second end has had the first of what the first end has sent since the second one last spoke. None where that one spoke last, or
    /// `unanswered` says nothing of it.
    pub unheard: Option<Time>,
    /// The first end's SYN carried data (TCP Fast Open): `set_up` is 0, as what it asked was on the way meanwhile.
    pub is_fast: bool,
    /// Both ends agreed on Multipath TCP: this is one of its subflows.
    pub is_multipath: bool,
    /// It joins another such connection.
    pub joins: bool,
    /// Which turns of each of the ends came at equal times.
    pub beats: [Beat; 2],
    /// Pings of either end, which count for nobody's turn.
    pub pings: Pings,
}

impl Turns {
    /// Of a connection that has carried nothing.
    pub fn between(ends: Way) -> Turns {
        Turns {
            ends,
            begun: None,
            span: Duration::ZERO,
            waited: Default::default(),
            at: [Duration::ZERO; 2],
            elsewhere: [Duration::ZERO; 2],
            errands: Default::default(),
            way: Duration::ZERO,
            handing: Default::default(),
            streamed: None,
            overlapping: Default::default(),
            windows: Default::default(),
            lines: Default::default(),
            repairs: Default::default(),
            at_a_time: None,
            closing: Default::default(),
            closed: [None; 2],
            reset: [None; 2],
            has_sent: [false; 2],
            done: [None; 2],
            idle: [None; 2],
            was_idle: [None; 2],
            met_closed: [false; 2],
            met_behind: [false; 2],
            tried_behind: [false; 2],
            cut_short: [false; 2],
            left_request: [false; 2],
            threw_away: [false; 2],
            left: None,
            landing: Default::default(),
            opening: None,
            set_up: None,
            unanswered: None,
            ticketed: None,
            deferred: None,
            greeting: Duration::ZERO,
            unasked: Duration::ZERO,
            unheard: None,
            is_fast: false,
            is_multipath: false,
            joins: false,
            beats: Default::default(),
            pings: Pings::default(),
        }
    }
}
