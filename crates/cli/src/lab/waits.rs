//! How long an end of a connection waited for answers, by the frames of both.

mod deferred;
mod ends;
mod errands;
mod opening;
mod way;

use farpath_emu::plane::{
    Beat, Deferred, Errand, Handing, Left, OnLine, Overlap, Pings, Repairs, Streamed, Turns,
    Windows,
};
use farpath_observe::Limit;
use farpath_record::count_of;
use farpath_units::{Duration, Time};

use super::back::WINDOW;
use super::cause::{Cause, add, take, take_idle};

/// What one end waited for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waits {
    /// When the first frame with data was handed over; none where none was.
    begun: Option<Time>,
    /// From the first frame with data to the last.
    span: Duration,
    /// What of it this end waited for, and the other.
    waited: [Duration; 2],
    /// The other end had a request, and had not answered.
    other: Duration,
    /// What of the server's own turns was before it spoke first.
    greeting: Duration,
    /// Who opened the connection had it open for so long before it spoke first: that is not in the span.
    unasked: Duration,
    /// Since when the end that was asked to open it has had the first of several messages that it sent nothing back to.
    unheard: Option<Time>,
    /// The SYN carried data: setting it up took no time of its own.
    is_fast: bool,
    /// It is a subflow of Multipath TCP.
    is_multipath: bool,
    /// It joins another such connection.
    joins: bool,
    /// This end had all of an answer, and had not asked again; or it had something to answer, where turns overlap.
    own: Duration,
    /// What of its own turns this end's host waited for answers over UDP, and the other's.
    elsewhere: [Duration; 2],
    /// The same on other connections that it had opened.
    errands: [Errand; 2],
    /// A request or an answer was on the way.
    way: Duration,
    /// What this end waited for beside that, where turns overlap.
    overlap: Overlap,
    /// How the other end handed over what this one waited for, before the last of it was on the way.
    asking: Handing,
    /// How long this end's program paused within its messages.
    paused: Duration,
    /// The last answer of the other end, where it came in so many pieces that frames do not say whether this one waited for it.
    streamed: Option<Streamed>,
    /// When this end asked to open the connection, first and last, while nothing answered; none where an answer has come, or it did not ask.
    opening: Option<(Time, Time)>,
    /// Whether this end asked to open the connection.
    is_opener: bool,
    /// Whether frames know of all small writes of this end and the other what they cost.
    is_held_known: [bool; 2],
    /// How long a part of messages of this end and the other was on the way before all of it had left.
    handed: [Duration; 2],
    /// How long small writes of this end and the other were seen to wait for an acknowledgement, in messages that somebody waited for: at
    /// least. None where such writes waited, and none of them in a message that somebody is known to have waited for.
    held: [Option<Duration>; 2],
    /// How this end waited for messages of the other one that open a window.
    windows: Windows,
    /// How long a link was taken by what this end sends, and the other, without a pause.
    lines: [OnLine; 2],
    /// What was lost of what both ends sent, and what that cost.
    repairs: Repairs,
    /// Segments of requests and answers that were on the way at a time; none where they were many.
    at_a_time: Option<f64>,
    /// The other end had all, and closed after this time.
    closing: Duration,
    /// When this end, and the other, sent its FIN, or a reset; none where it has not closed both ways.
    closed: [Option<Time>; 2],
    /// When this end, and the other, first sent a reset, and whether each has sent data.
    reset: [Option<Time>; 2],
    has_sent: [bool; 2],
    /// When this end, and the other, closed with all that was sent to it, so that nothing was to come; none where it has not.
    done: [Option<Time>; 2],
    /// From when until when the other end had all that this one had sent, which closed then: an idle connection.
    idle: Option<(Time, Time)>,
    /// The same, whether either end has sent data since or not.
    was_idle: Option<(Time, Time)>,
    /// Whether this end, and the other, sent a request behind such a time, and got a reset for it.
    met_closed: [bool; 2],
    /// The same behind an answer with which the other one had closed.
    met_behind: [bool; 2],
    /// Whether this end sent a request so, whether it closed before it got a reset or not.
    tried_behind: bool,
    /// Whether this end, and the other, answered what had not all come, and closed first.
    cut_short: [bool; 2],
    /// Whether this end, and the other, closed first, with a request that it had answered nothing of, and had sent something before.
    left_request: [bool; 2],
    /// Whether this end had all that the other one had sent, which had sent last, and closed after a time, before the other one.
    has_paused_to_close: bool,
    /// Whether this end, and the other, reset it behind new data of its own, before the other one had closed.
    threw_away: [bool; 2],
    /// That the end which opened the connection closed it while an answer was on its way to it; none where that is not so.
    left: Option<Left>,
    /// That the server's kernel had the acknowledgement of its SYN-ACK, and sent that again; none where it did not.
    deferred: Option<Deferred>,
    /// The server ended it when the lab had ended the server, or was about to.
    is_ended_by_lab: bool,
    /// The last of an answer was on its way to an end that closed when it had all of it.
    landing: Duration,
    /// From the first SYN until its answer had come; none where that was not seen.
    pub(super) set_up: Option<Duration>,
    /// Since when the other end has had all that this one sent, and sent nothing; and since when this one has had all of the other's.
    unanswered: Option<Time>,
    asked: Option<Time>,
    /// Since when the other end has had all that this one sent, and has sent one record that may be a ticket of TLS, or the answer.
    ticketed: Option<Time>,
    /// Turns of this end and the other that came at equal times, and pings of both.
    pub(super) beats: [Beat; 2],
    pub(super) pings: Pings,
    /// When it was open, and how long it had been set up, where this end asked to open it; none where either was not seen.
    pub(super) opened: Option<(Time, Duration)>,
}

/// Turns overlap where that has one part in so many of the time on the way.
const OVERLAPS: f64 = 10.0;

/// A link took the time of requests where it was full for this part of that.
const FULL: f64 = 0.6;

/// Timers that took a smaller share of the time are not named.
const TIMERS_LEAST: f64 = 0.01;

/// A set-up that took a smaller share of the time is not named.
const SET_UP_LEAST: f64 = 0.1;

/// Some of a connection's time is always its own.
const GONE_MOST: f64 = 0.99;

impl Waits {
    /// Of the end of a connection that has this number.
    pub(super) fn of(turns: &Turns, end: usize) -> Waits {
        Waits {
            begun: turns.begun,
            span: turns.span,
            waited: [end, 1 - end].map(|who| turns.waited[who]),
            other: turns.at[1 - end],
            greeting: turns.greeting,
            unasked: turns.unasked,
            unheard: turns.unheard,
            is_fast: turns.is_fast,
            is_multipath: turns.is_multipath,
            joins: turns.joins,
            own: turns.at[end] + turns.overlapping[1 - end].other,
            elsewhere: [end, 1 - end].map(|who| turns.elsewhere[who]),
            errands: [end, 1 - end].map(|who| turns.errands[who]),
            way: turns.way,
            overlap: turns.overlapping[end],
            asking: turns.handing[1 - end],
            paused: turns.handing[end].paused,
            streamed: turns.streamed.filter(|of| of.end != end),
            opening: turns.opening.filter(|_| end == 0),
            is_opener: end == 0,
            is_held_known: [end, 1 - end].map(|who| {
                let Handing { held, is_open, .. } = turns.handing[who];
                held > Duration::ZERO && !is_open
            }),
            handed: [end, 1 - end].map(|who| turns.handing[who].way),
            held: [end, 1 - end].map(|who| {
                let Handing { held, is_open, .. } = turns.handing[who];
                (held > Duration::ZERO || !is_open).then_some(held)
            }),
            windows: turns.windows[end],
            lines: [end, 1 - end].map(|who| turns.lines[who]),
            repairs: both(turns.repairs),
            at_a_time: turns.at_a_time,
            closing: turns.closing[1 - end],
            closed: [end, 1 - end].map(|who| turns.closed[who]),
            reset: [end, 1 - end].map(|who| turns.reset[who]),
            has_sent: [end, 1 - end].map(|who| turns.has_sent[who]),
            done: [end, 1 - end].map(|who| turns.done[who]),
            idle: turns.idle[1 - end],
            was_idle: turns.was_idle[1 - end],
            met_closed: [end, 1 - end].map(|who| turns.met_closed[who]),
            met_behind: [end, 1 - end].map(|who| turns.met_behind[who]),
            tried_behind: turns.tried_behind[end],
            cut_short: [end, 1 - end].map(|who| turns.cut_short[who]),
            left_request: [end, 1 - end].map(|who| turns.left_request[who]),
            has_paused_to_close: turns.closing[end] > Duration::ZERO,
            threw_away: [end, 1 - end].map(|who| turns.threw_away[who]),
            left: turns.left,
            deferred: turns.deferred,
            is_ended_by_lab: false,
            landing: turns.landing[0] + turns.landing[1],
            set_up: turns.set_up,
            unanswered: turns.unanswered.filter(|(who, _)| *who == end).map(|u| u.1),
            asked: turns.unanswered.filter(|(who, _)| *who != end).map(|u| u.1),
            // The client is the first end.
            ticketed: turns.ticketed.filter(|_| end == 0),
            beats: [end, 1 - end].map(|who| turns.beats[who]),
            pings: turns.pings,
            opened: opened(turns).filter(|_| end == 0),
        }
    }

    /// From the first frame with data to the last.
    pub(super) fn span(&self) -> Duration {
        self.span
    }

    /// From the SYN, `set_up` or what was seen of that before it was open, and what its timers took, to the last frame; none without data.
    pub(super) fn open(&self, set_up: Duration) -> Option<(Time, Time)> {
        let begun = self.begun?;
        let seen = self.set_up.unwrap_or_default();
        let before = self.unasked + seen.max(set_up + self.repairs.opening);
        let from = Time::from_ps(begun.as_ps().saturating_sub(before.as_ps()));
        Some((from, begun + self.span))
    }

    /// The part of the span in which the command waited, where this is the end of a host that has this number: what it did between an
    /// answer and the next request is not in it, nor the round trip of a FIN, nor what the server sends after the command has closed. A FIN
    /// that waits behind lost data is late: nothing counts from the instant on at which the command had `left` its socket, if it did.
    pub(super) fn of_command(&self, host: usize, left: Option<Time>) -> Duration {
        let waited = self.waited[usize::from(host != 0)];
        let most = left
            .zip(self.begun)
            .map(|(left, begun)| left.since(begun.min(left)));
        most.map_or(waited, |most| waited.min(most))
    }

    /// How long the server had what the command had sent and had not answered, where this is the end of a host that has this number, seconds.
    pub(super) fn of_server(&self, host: usize) -> f64 {
        let time = match host {
            0 => self.other + self.overlap.other + self.asking.paused,
            _ => self.own + self.paused,
        };
        time.as_secs_f64()
    }

    /// The last answer of the other end, where it came in so many pieces that frames do not say whether this one waited for it.
    pub(super) fn streamed(&self) -> Option<Streamed> {
        self.streamed
    }

    /// When this end asked to open the connection, first and last, while nothing answered.
    pub(super) fn opening(&self) -> Option<(Time, Time)> {
        self.opening
    }

    /// The same where this end waited for those pieces.
    pub(super) fn with_streamed(&self) -> Waits {
        let handing = self.streamed.map(|of| of.handing).unwrap_or_default();
        Waits {
            asking: self.asking.and(handing),
            streamed: None,
            ..*self
        }
    }

    /// What was lost of what both ends sent, and what that cost.
    pub(super) fn repairs(&self) -> Repairs {
        self.repairs
    }

    /// What timers cost a connection of this `time`, in words; empty where that is little.
    pub(super) fn repaired(&self, time: Duration) -> String {
        let Repairs {
            timers,
            opening,
            syns,
            ..
        } = self.repairs;
        let all = self.all(time) + opening.as_secs_f64();
        let share = timers.as_secs_f64() / all;
        let of_syns = match syns {
            0 => String::new(),
            n => format!(", {} among them,", count_of(n, "SYN", "SYNs")),
        };
        match share >= TIMERS_LEAST {
            true => format!(
                "; retransmission timers of what was lost{of_syns} took {:.1} s ({:.0} % of the time)",
                timers.as_secs_f64(),
                100.0 * share
            ),
            false => String::new(),
        }
    }

    /// How long a link was taken by what this end sends, and the other, without a pause, seconds.
    pub(super) fn on_line(&self) -> [f64; 2] {
        self.lines.map(|line| line.all.as_secs_f64())
    }

    /// That what this end sends filled a link for half of a connection's `time` or more, in words.
    pub(super) fn lined(&self, time: Duration) -> Option<String> {
        let [line, _] = self.lines;
        let share = line.all.as_secs_f64() / self.all(time);
        let link = self.filled();
        (2.0 * share >= 1.0).then(|| format!("{link} was full {:.0} % of the time", 100.0 * share))
    }

    /// The link that what this end sends takes longest.
    fn filled(&self) -> &'static str {
        match self.lines[0].is_own {
            true => "its host's own link",
            false => "a link of the path",
        }
    }

    /// The part of a connection's `time`, which ends at an instant, in which nothing was to come any more. It begins when the command's end has all
    /// that was sent to it, and closes. This is the end of a host that has this number.
    fn gone(&self, (host, until): (usize, Time), time: Duration) -> f64 {
        let done = self.done[usize::from(host != 0)];
        let after = done.map_or(Duration::ZERO, |done| until.since(done.min(until)));
        after.as_secs_f64() / self.all(time)
    }

    /// The share of a connection's `time` that requests and answers took, whosever turn it was.
    pub(super) fn turns(&self, time: Duration) -> f64 {
        let Overlap { way, other } = self.overlap;
        let all = self.own + self.other + self.way + way + other;
        all.as_secs_f64() / self.all(time)
    }

    /// How long small writes of this end and the other were seen to wait for an acknowledgement, seconds: at least, and none where it is
    /// not known whether anybody waited.
    pub(super) fn held_small(&self) -> [Option<f64>; 2] {
        self.held.map(|held| held.map(Duration::as_secs_f64))
    }

    /// The same where this end waited for the other one for this time at the end, whichever of them sent last.
    pub(super) fn with_closing(&self, closing: Duration) -> Waits {
        Waits { closing, ..*self }
    }

    /// The same where nothing was to come to this end after an instant any more, which had waited until then.
    pub(super) fn over_at(&self, at: Time) -> Waits {
        let [own, other] = self.done;
        Waits {
            done: [own.or(Some(at)), other],
            ..*self
        }
    }

    /// Names the time without anything to send as that of neither side, where pings alone were sent for half of it or more.
    pub(super) fn name_quiet(&self, time: Duration, causes: &mut [(Cause, f64)]) {
        let quiet = self.pings.quiet.as_secs_f64() / self.all(time);
        let idle = |c: &&mut (Cause, f64)| c.0 == Cause::Limit(Limit::Application);
        if let Some(cause) = causes.iter_mut().find(idle)
            && quiet > 0.0
            && 2.0 * quiet >= cause.1
        {
            cause.0 = Cause::Quiet;
        }
    }

    /// Names the time of a server's program as that of requests it had not answered, where they are half of it or more: before its greeting it has
    /// none.
    pub(super) fn name_asked(&self, time: Duration, causes: &mut [(Cause, f64)]) {
        let idle = |c: &&mut (Cause, f64)| c.0 == Cause::Limit(Limit::Application);
        let all = time.max(self.span).as_secs_f64();
        if let Some(cause) = causes.iter_mut().find(idle)
            && 2.0 * self.own.saturating_sub(self.greeting).as_secs_f64() >= cause.1 * all
        {
            cause.0 = Cause::Asked;
        }
    }

    /// Gives these times their shares of a connection's `time`: frames say them exactly, and samples had them as time without
    /// anything to send, or as something else. Of `lost`, an outage's share, none is given twice.
    pub(super) fn share(&self, time: Duration, lost: f64, causes: &mut Vec<(Cause, f64)>) {
        let all = self.all(time);
        let share = |time: Duration| time.as_secs_f64() / all;
        let other = share(self.other + self.closing).min(1.0 - lost);
        // What an outage held up was on the way.
        let way = (share(self.way) - lost).clamp(0.0, (1.0 - lost - other).max(0.0));
        let mut due = other + way;
        let idle = |c: &&mut (Cause, f64)| c.0 == Cause::Limit(Limit::Application);
        if let Some((_, share)) = causes.iter_mut().find(idle) {
            let from = due.min(*share);
            *share -= from;
            due -= from;
        }
        let rest: f64 = causes.iter().map(|(_, share)| share).sum();
        for (_, share) in causes.iter_mut().filter(|_| rest > 0.0) {
            *share *= ((rest - due) / rest).max(0.0);
        }
        causes.extend([(Cause::Other, other), (Cause::Way, way)]);
        causes.retain(|(_, share)| *share > 0.0);
        causes.sort_by(|a, b| b.1.total_cmp(&a.1));
    }

    /// Gives the path the time in which the last of an answer was on its way: samples had it as time without anything to send.
    pub(super) fn share_landing(&self, time: Duration, causes: &mut Vec<(Cause, f64)>) {
        let landing = self.landing.as_secs_f64() / self.all(time);
        let [landing, _] = take_idle(causes, [landing, 0.0]);
        add(causes, Cause::Way, landing);
    }

    /// Takes the time after which nothing was to come any more out of that without anything to send: it is nobody's. What share it was.
    pub(super) fn take_gone(
        &self,
        end: (usize, Time),
        time: Duration,
        causes: &mut [(Cause, f64)],
    ) -> f64 {
        let is_idle = |cause: Cause| cause == Cause::Limit(Limit::Application);
        take(causes, is_idle, self.gone(end, time).min(GONE_MOST))
    }

    /// Makes the shares of a connection's `time` those of the time in which something was to come: without what was `gone`. Its set-up is one of
    /// them where that is worth naming.
    pub(super) fn share_set_up(&self, gone: f64, time: Duration, causes: &mut Vec<(Cause, f64)>) {
        if causes.is_empty() {
            return;
        }
        let left = (1.0 - gone) * self.all(time);
        let set_up = self.set_up.unwrap_or_default().as_secs_f64();
        let set_up = match set_up >= SET_UP_LEAST * (set_up + left) {
            true => set_up,
            false => 0.0,
        };
        let whole = set_up + left;
        let part = self.all(time) / whole;
        causes.iter_mut().for_each(|(_, share)| *share *= part);
        add(causes, Cause::SetUp, set_up / whole);
    }

    /// The share of a connection's `time` that is known to be none of a small write: that of the end's own turn, and of overlapping turns.
    pub(super) fn known(&self, time: Duration) -> f64 {
        let known = self.own + self.overlap.way + self.overlap.other;
        known.as_secs_f64() / self.all(time)
    }

    /// The shares of a connection's `time` that small writes of this end and the other took, by frames, and of those in which samples met one. Then
    /// the most that both can have taken: data that nobody answers is late, and nobody waits for it.
    pub(super) fn held(&self, time: Duration, held: [f64; 2]) -> ([f64; 2], f64) {
        let all = self.all(time);
        let seen = self
            .held
            .map(|held| held.unwrap_or_default().as_secs_f64() / all);
        // Small writes held up messages for no longer than these were on the way.
        let most = [0, 1].map(|who| match self.is_held_known[who] {
            true => seen[who],
            false => seen[who].max((self.handed[who] + self.way).as_secs_f64() / all),
        });
        let took = [0, 1].map(|who| held[who].min(most[who]).max(seen[who]));
        // Of an end that samples never met so, nothing is taken.
        let ends = [0, 1].into_iter().filter(|who| took[*who] > 0.0);
        (took, ends.map(|who| most[who]).sum())
    }

    /// Gives the time in which the other end handed over what this one waited for its share. It is the path's, or that of a link that was
    /// `full` for a part of all the time; where its program paused, it is the other side's.
    pub(super) fn share_asking(&self, time: Duration, full: f64, causes: &mut Vec<(Cause, f64)>) {
        let all = self.all(time);
        let [way, other] = [self.asking.way, self.asking.paused].map(|t| t.as_secs_f64() / all);
        let line = self.lines[1];
        let full = full.max(line.all.saturating_sub(line.way).as_secs_f64() / all);
        let [way, other] = take_idle(causes, [way, other]);
        let cause = match way > 0.0 && full >= FULL * way {
            true => Cause::Asking,
            false => Cause::Way,
        };
        add(causes, cause, way);
        add(causes, Cause::Other, other);
    }

    /// Gives what the end waited for where turns overlap its share of a connection's `time`: samples had it as time without anything
    /// to send, and no other time is taken for it.
    pub(super) fn share_overlap(&self, time: Duration, causes: &mut Vec<(Cause, f64)>) {
        let Overlap { way, other } = self.overlap;
        let all = self.all(time);
        let [way, other] = [way, other].map(|time| time.as_secs_f64() / all);
        let [of_way, of_other] = take_idle(causes, [way, other]);
        add(causes, Cause::Other, of_other);
        add(causes, Cause::Way, of_way);
        let several = self.at_a_time.map_or(0, |n| n.round() as u32);
        if let Some((cause, share)) = causes.iter_mut().find(|c| c.0 == Cause::Way)
            && several > 1
            && OVERLAPS * way > *share
        {
            *cause = Cause::Ways(several);
        }
    }

    /// Gives a link the time in which either end's data took it without a pause, for a round trip or longer. Until now that was on the way,
    /// or the window's: samples and intervals are too coarse for messages of a few round trips.
    pub(super) fn share_lines(&self, time: Duration, causes: &mut Vec<(Cause, f64)>) {
        let all = self.all(time);
        let share = |time: Duration| time.as_secs_f64() / all;
        let [own, other] = self.lines;
        let link = match own.is_own {
            true => Limit::Nic,
            false => Limit::Link,
        };
        let is_way = |cause: Cause| matches!(cause, Cause::Way | Cause::Ways(_));
        let of_own = take(causes, is_way, share(own.way));
        add(causes, Cause::Limit(link), of_own);
        let of_other = take(causes, is_way, share(other.way));
        add(causes, Cause::Asking, of_other);
        let is_full = |cause: Cause| matches!(cause, Cause::Limit(Limit::Link | Limit::Nic));
        let full = causes.iter().filter(|c| is_full(c.0)).map(|c| c.1);
        let rest = share(own.all) - full.sum::<f64>();
        let is_window = |cause: Cause| match cause {
            Cause::Limit(limit) => WINDOW.contains(&limit),
            other => matches!(other, Cause::Ways(_)),
        };
        let of_window = take(causes, is_window, rest);
        add(causes, Cause::Limit(link), of_window);
        // A window or buffer that is full is not the limit where a larger one would fill the link no more.
        let is_in_flight = |cause: Cause| {
            matches!(
                cause,
                Cause::Limit(Limit::SendBuffer | Limit::ReceiveWindow)
            )
        };
        let of_full = take(
            causes,
            is_in_flight,
            (rest - of_window).min(share(own.brim)),
        );
        add(causes, Cause::Limit(link), of_full);
    }

    /// Gives timers that had what was lost sent again the time that was on the way until then. Of `lost`, an outage's share, none is given
    /// twice.
    pub(super) fn share_timers(&self, time: Duration, lost: f64, causes: &mut Vec<(Cause, f64)>) {
        let Repairs {
            timers, opening, ..
        } = self.repairs;
        let share = timers.saturating_sub(opening).as_secs_f64() / self.all(time);
        let of_way = take(causes, |cause| cause == Cause::Way, share - lost);
        add(causes, Cause::Timers, of_way);
    }

    /// The connection's time in seconds, by samples or by frames.
    fn all(&self, time: Duration) -> f64 {
        time.max(self.span).as_secs_f64().max(1e-9)
    }
}

/// When a connection was open, and how long it had been set up; none where either is unknown.
fn opened(turns: &Turns) -> Option<(Time, Duration)> {
    let begun = turns.begun?.as_ps();
    let open = Time::from_ps(begun.saturating_sub(turns.unasked.as_ps()));
    Some((open, turns.set_up?))
}

/// What was lost of what either end sent.
fn both([a, b]: [Repairs; 2]) -> Repairs {
    Repairs {
        lost: a.lost + b.lost,
        syns: a.syns + b.syns,
        timers: a.timers + b.timers,
        opening: a.opening + b.opening,
    }
}

#[cfg(test)]
mod tests {
    use farpath_emu::plane::Way;

    use super::*;

    fn ends() -> Way {
        ["198.18.0.1:40000", "198.18.0.2:7000"].map(|end| end.parse().expect(end))
    }

    /// Two requests with a pause between, by the frames of both ends: 280 ms for each answer, 50 ms of it at the server, and a second of the
    /// command's.
    #[test]
    fn what_a_command_waited_is_without_its_pauses() {
        let turns = Turns {
            span: Duration::from_ms(1560),
            waited: [560, 1460].map(Duration::from_ms),
            at: [1000, 100].map(Duration::from_ms),
            way: Duration::from_ms(320),
            ..Turns::between(ends())
        };
        for end in [0, 1] {
            let waited = Waits::of(&turns, end).of_command(end, None);
            assert_eq!(waited, Duration::from_ms(560), "{end}");
            let other = Waits::of(&turns, end).of_command(1 - end, None);
            assert_eq!(other, Duration::from_ms(1460), "{end}");
            let served = Waits::of(&turns, end).of_server(end);
            assert!((served - 0.1).abs() < 1e-9, "{end}: {served}");
        }
    }

    /// A command that gives up after half a second while the path is down: its kernel goes on for two more, and its FIN is seen then.
    #[test]
    fn nothing_is_waited_for_once_the_command_has_left() {
        let at = |ms| Time::ZERO + Duration::from_ms(ms);
        let turns = Turns {
            begun: Some(at(1000)),
            span: Duration::from_ms(2200),
            waited: [2200, 2100].map(Duration::from_ms),
            at: [0, 0].map(Duration::from_ms),
            way: Duration::from_ms(160),
            ..Turns::between(ends())
        };
        let waited = |left| Waits::of(&turns, 0).of_command(0, left);
        assert_eq!(waited(Some(at(1510))), Duration::from_ms(510));
        assert_eq!(waited(Some(at(9000))), Duration::from_ms(2200));
        assert_eq!(waited(None), Duration::from_ms(2200));
    }

    /// Connect, ask, read, close, 800 ms away: the kernel of the client has its end for 1.6 s from its first data on, as its FIN takes a round
    /// trip. The server's kernel has its own from when the request comes until the FIN is answered.
    #[test]
    fn a_set_up_and_one_answer_are_half_of_the_time_each() {
        let at = |ms| Time::ZERO + Duration::from_ms(ms);
        let turns = Turns {
            begun: Some(at(800)),
            span: Duration::from_ms(800),
            way: Duration::from_ms(400),
            landing: [400, 0].map(Duration::from_ms),
            done: [Some(at(1600)), None],
            set_up: Some(Duration::from_ms(800)),
            ..Turns::between(ends())
        };
        for (end, until) in [(0, 2400), (1, 2800)] {
            let waits = Waits::of(&turns, end);
            let time = Duration::from_ms(1600);
            let mut causes = vec![(Cause::Limit(Limit::Application), 1.0)];
            waits.share(time, 0.0, &mut causes);
            waits.share_landing(time, &mut causes);
            let gone = waits.take_gone((end, at(until)), time, &mut causes);
            waits.share_set_up(gone, time, &mut causes);
            let shares = causes.iter().map(|(c, share)| (*c, (share * 1e3).round()));
            let wanted = [(Cause::Way, 500.0), (Cause::SetUp, 500.0)];
            assert_eq!(shares.collect::<Vec<_>>(), wanted, "{end}");
        }
        assert_eq!(Cause::SetUp.name(), "set_up");
    }

    /// A set-up of 100 ms in front of 2 s is not worth naming, and what comes in 2 s more after the end is nobody's.
    #[test]
    fn what_comes_after_the_end_is_nobodys() {
        let at = |ms| Time::ZERO + Duration::from_ms(ms);
        let turns = Turns {
            span: Duration::from_ms(2000),
            done: [Some(at(2100)), None],
            set_up: Some(Duration::from_ms(100)),
            ..Turns::between(ends())
        };
        let waits = Waits::of(&turns, 0);
        let time = Duration::from_ms(4000);
        let window = Cause::Limit(Limit::CwndSlowStart);
        let mut causes = vec![(Cause::Limit(Limit::Application), 0.6), (window, 0.4)];
        let gone = waits.take_gone((0, at(4100)), time, &mut causes);
        assert!((gone - 0.5).abs() < 1e-9, "{gone}");
        waits.share_set_up(gone, time, &mut causes);
        assert_eq!(causes.len(), 2, "{causes:?}");
        assert_eq!(causes[0].0, window);
        assert!((causes[0].1 - 0.8).abs() < 1e-9, "{causes:?}");
        assert!((causes[1].1 - 0.2).abs() < 1e-9, "{causes:?}");
    }

    /// `psql -c "select pg_sleep(3)"`: the server has the request for three seconds of four. Before it greets it has none.
    #[test]
    fn a_server_that_was_asked_is_waited_for() {
        let turns = |asked: u64, greeting: u64| Turns {
            greeting: Duration::from_ms(greeting),
            span: Duration::from_ms(4000),
            at: [100, asked].map(Duration::from_ms),
            way: Duration::from_ms(600),
            ..Turns::between(ends())
        };
        for (asked, greeting, wanted) in
            [(3000, 0, "asked"), (3000, 2800, "idle"), (200, 0, "idle")]
        {
            let mut causes = [(Cause::Limit(Limit::Application), 0.79)];
            Waits::of(&turns(asked, greeting), 1).name_asked(Duration::from_secs(4), &mut causes);
            let is_asked = causes[0].0 == Cause::Asked;
            assert_eq!(is_asked, wanted == "asked", "{asked}");
            assert_eq!(causes[0].0.name(), "application");
        }
    }

    /// A file in 200 ms, and a client that has all of it and closes 800 ms later: the server had nothing to send, as nobody asked for more.
    #[test]
    fn the_pause_before_a_client_closes_is_not_the_servers() {
        let turns = Turns {
            span: Duration::from_ms(200),
            closing: [800, 0].map(Duration::from_ms),
            ..Turns::between(ends())
        };
        for (end, wanted) in [(1, Cause::Other), (0, Cause::Limit(Limit::Application))] {
            let mut causes = vec![
                (Cause::Limit(Limit::Application), 0.8),
                (Cause::Limit(Limit::CwndSlowStart), 0.2),
            ];
            Waits::of(&turns, end).share(Duration::from_ms(1000), 0.0, &mut causes);
            assert_eq!(causes[0].0, wanted, "{causes:?}");
            assert!((causes[0].1 - 0.8).abs() < 1e-9, "{causes:?}");
            assert_eq!(causes[1].0, Cause::Limit(Limit::CwndSlowStart));
        }
    }

    /// Ten queries on the way at a time: samples have all of the server's time as time without anything to send.
    #[test]
    fn requests_that_overlap_are_waited_for() {
        let overlap = |way, other| Overlap {
            way: Duration::from_ms(way),
            other: Duration::from_ms(other),
        };
        let shared = |overlapping: Overlap, at_a_time: f64| {
            let turns = Turns {
                span: Duration::from_ms(1000),
                way: Duration::from_ms(50),
                overlapping: [Overlap::default(), overlapping],
                at_a_time: Some(at_a_time),
                ..Turns::between(ends())
            };
            let time = Duration::from_ms(1000);
            let waits = Waits::of(&turns, 1);
            let mut causes = vec![
                (Cause::Limit(Limit::Application), 0.9),
                (Cause::Limit(Limit::CwndSlowStart), 0.1),
            ];
            waits.share(time, 0.0, &mut causes);
            waits.share_overlap(time, &mut causes);
            let sum: f64 = causes.iter().map(|c| c.1).sum();
            assert!((sum - 1.0).abs() < 1e-9, "{causes:?}");
            causes
        };
        let share = |causes: &[(Cause, f64)], cause| {
            let found = causes.iter().find(|c| c.0 == cause);
            found.map_or(0.0, |c| (c.1 * 1e6).round() / 1e6)
        };
        let piped = shared(overlap(800, 30), 9.8);
        assert_eq!(share(&piped, Cause::Ways(10)), 0.85, "{piped:?}");
        assert_eq!(share(&piped, Cause::Other), 0.03);
        assert_eq!(piped[0].0.name(), "on_the_way");
        // No more than the sender had nothing to send.
        let full = shared(overlap(2000, 0), 2.0);
        assert_eq!(share(&full, Cause::Ways(2)), 0.9);
        assert_eq!(share(&full, Cause::Limit(Limit::CwndSlowStart)), 0.1);
        let turns = shared(overlap(0, 0), 3.0);
        assert_eq!(share(&turns, Cause::Way), 0.05);
    }

    /// Answers of 50 kB at 2 Mbit/s, one at a time, 20 ms away: the line has 2.16 s of 2.36 s. Requests as large fill a link of the other
    /// direction. What intervals had found full already is not counted twice, and the server's time stays its own.
    #[test]
    fn a_message_that_fills_a_link_is_not_on_the_way() {
        let shared = |lines: [OnLine; 2], known: [(Cause, f64); 3]| {
            let turns = Turns {
                span: Duration::from_ms(2360),
                way: Duration::from_ms(1700),
                lines,
                ..Turns::between(ends())
            };
            let mut causes = known.to_vec();
            let waits = Waits::of(&turns, 0);
            waits.share_lines(Duration::from_ms(2360), &mut causes);
            let sum: f64 = causes.iter().map(|c| c.1).sum();
            assert!((sum - 1.0).abs() < 1e-9, "{causes:?}");
            let share = |wanted| {
                let found = causes.iter().find(|c| c.0 == wanted);
                found.map_or(0.0, |c| (c.1 * 1e3).round() / 1e3)
            };
            let link = share(Cause::Limit(Limit::Link));
            [link, share(Cause::Way), share(Cause::Asking)]
        };
        let line = OnLine {
            all: Duration::from_ms(2160),
            brim: Duration::from_ms(2160),
            way: Duration::from_ms(1600),
            is_own: false,
        };
        let none = OnLine::default();
        let [grows, full, buffer] =
            [Limit::CwndSlowStart, Limit::Link, Limit::SendBuffer].map(Cause::Limit);
        let seen = |cause| [(Cause::Way, 0.72), (cause, 0.2), (Cause::Other, 0.08)];
        assert_eq!(shared([line, none], seen(grows)), [0.878, 0.042, 0.0]);
        assert_eq!(shared([line, none], seen(full)), [0.878, 0.042, 0.0]);
        assert_eq!(shared([line, none], seen(buffer)), [0.878, 0.042, 0.0]);
        let gaps = OnLine {
            brim: Duration::ZERO,
            ..line
        };
        assert_eq!(shared([gaps, none], seen(buffer)), [0.678, 0.042, 0.0]);
        assert_eq!(shared([none, line], seen(grows)), [0.0, 0.042, 0.678]);
        assert_eq!(shared([none; 2], seen(grows)), [0.0, 0.72, 0.0]);
    }

    /// 40 requests, 60 ms away, of which four are lost, and three answers: 1.4 s of 3.9 s are timers. The second time an outage has a fifth of the time.
    #[test]
    fn timers_of_lost_requests_and_answers_are_named() {
        let repairs = |lost: u64, timers: u64| Repairs {
            lost,
            timers: Duration::from_ms(timers),
            ..Repairs::default()
        };
        let turns = Turns {
            span: Duration::from_ms(3900),
            way: Duration::from_ms(3860),
            repairs: [repairs(4, 800), repairs(3, 600)],
            ..Turns::between(ends())
        };
        let (waits, time) = (Waits::of(&turns, 1), Duration::from_ms(3900));
        for (lost, timers, way) in [(0.0, 0.359, 0.631), (0.2, 0.159, 0.631)] {
            let mut causes = vec![(Cause::Way, 0.99 - lost), (Cause::Other, 0.01)];
            waits.share_timers(time, lost, &mut causes);
            let share = |wanted: Cause| {
                let found = causes.iter().find(|c| c.0 == wanted);
                found.map_or(0.0, |c| (c.1 * 1e3).round() / 1e3)
            };
            assert_eq!([share(Cause::Timers), share(Cause::Way)], [timers, way]);
        }
        assert_eq!(Cause::Timers.name(), "loss");
        assert_eq!(
            waits.repaired(time),
            "; retransmission timers of what was lost took 1.4 s (36 % of the time)"
        );
        // The timer of a SYN runs before all that.
        let syn = Repairs {
            syns: 1,
            opening: Duration::from_ms(200),
            ..repairs(1, 200)
        };
        let opened = Turns {
            repairs: [syn, Repairs::default()],
            ..turns
        };
        assert_eq!(
            Waits::of(&opened, 0).repaired(time),
            "; retransmission timers of what was lost, 1 SYN among them, took 0.2 s (5 % of the time)"
        );
        let mut causes = vec![(Cause::Way, 1.0)];
        Waits::of(&opened, 0).share_timers(time, 0.0, &mut causes);
        assert_eq!(causes, [(Cause::Way, 1.0)]);
    }

    /// A command that resolves a name before each request: of 0.75 s of its turns 0.7 s are that.
    #[test]
    fn time_of_queries_beside_a_connection_is_not_the_other_sides() {
        let turns = Turns {
            span: Duration::from_ms(1000),
            at: [750, 0].map(Duration::from_ms),
            elsewhere: [700, 0].map(Duration::from_ms),
            way: Duration::from_ms(250),
            ..Turns::between(ends())
        };
        let idle = Cause::Limit(Limit::Application);
        for (end, of) in [(1, Cause::Other), (0, idle)] {
            let mut causes = vec![(of, 0.75), (Cause::Way, 0.25)];
            let time = Duration::from_ms(1000);
            Waits::of(&turns, end).share_elsewhere(end, time, &mut causes);
            assert_eq!(causes[0].0, Cause::Queries(0), "{causes:?}");
            let shares: Vec<f64> = causes.iter().map(|c| (c.1 * 1e6).round() / 1e6).collect();
            assert_eq!(shares, [0.7, 0.25, 0.05]);
        }
        assert_eq!(Cause::Queries(0).name(), "udp_queries");
    }

    /// 1.5 MB up at 4 Mbit/s, 1.6 MB down at 20 Mbit/s: the request is 3.3 s of 4.2 s on the way, and its link is full for 3.1 s. Where the
    /// server works a second, that is its own.
    #[test]
    fn the_time_of_a_large_request_is_none_of_the_servers() {
        let shared = |way: u64, paused: u64, full: f64| {
            let turns = Turns {
                span: Duration::from_ms(4200),
                at: [0, 34].map(Duration::from_ms),
                way: Duration::from_ms(60),
                handing: [
                    Handing {
                        way: Duration::from_ms(way),
                        paused: Duration::from_ms(paused),
                        ..Handing::default()
                    },
                    Handing::default(),
                ],
                ..Turns::between(ends())
            };
            let time = Duration::from_ms(4200);
            let waits = Waits::of(&turns, 1);
            let mut causes = vec![
                (Cause::Limit(Limit::Application), 0.8),
                (Cause::Limit(Limit::Link), 0.2),
            ];
            waits.share_asking(time, full, &mut causes);
            let sum: f64 = causes.iter().map(|c| c.1).sum();
            assert!((sum - 1.0).abs() < 1e-9, "{causes:?}");
            causes
        };
        let near = |(cause, share): (Cause, f64), wanted: Cause, of: f64| {
            assert_eq!(cause, wanted);
            assert!((share - of).abs() < 0.001, "{share}");
        };
        near(
            shared(3250, 0, 3.1 / 4.2)[0],
            Cause::Asking,
            3250.0 / 4200.0,
        );
        near(shared(3250, 0, 0.1)[0], Cause::Way, 3250.0 / 4200.0);
        near(shared(500, 2500, 0.1)[0], Cause::Other, 2500.0 / 4200.0);
        let own = shared(500, 0, 0.1)[0];
        near(own, Cause::Limit(Limit::Application), 0.8 - 500.0 / 4200.0);
    }

    /// 300 B every 20 ms that nobody answers, held back all the time: its program sends no sooner if they go at once.
    #[test]
    fn small_writes_cost_nothing_where_nobody_waits() {
        let turns = |way: u64, handed: u64| Turns {
            span: Duration::from_ms(1000),
            way: Duration::from_ms(way),
            handing: [
                Handing {
                    way: Duration::from_ms(handed),
                    ..Handing::default()
                },
                Handing::default(),
            ],
            ..Turns::between(ends())
        };
        let time = Duration::from_ms(1000);
        let stream = Waits::of(&turns(0, 0), 0);
        assert_eq!(stream.held(time, [1.0, 0.0]).0, [0.0; 2]);
        let asked = Waits::of(&turns(500, 500), 0);
        assert_eq!(asked.held(time, [0.5, 0.0]), ([0.5, 0.0], 1.0));
    }

    /// A header, a body of full segments, and the rest of it behind the acknowledgement of the header, in answers 80 ms away: samples seldom
    /// meet that, and frames know all of it.
    #[test]
    fn small_writes_that_samples_miss_are_known_by_frames() {
        let held = |is_open: bool| {
            let handing = Handing {
                way: Duration::from_ms(480),
                held: Duration::from_ms(450),
                is_open,
                ..Handing::default()
            };
            let turns = Turns {
                span: Duration::from_ms(1000),
                way: Duration::from_ms(500),
                handing: [Handing::default(), handing],
                ..Turns::between(ends())
            };
            let waits = Waits::of(&turns, 1);
            let (took, most) = waits.held(Duration::from_ms(1000), [0.0; 2]);
            let [took, most] = [took[0], most].map(|share| (share * 1e3).round());
            (took, most)
        };
        assert_eq!(held(false), (450.0, 450.0));
        assert_eq!(held(true), (450.0, 980.0), "others may have waited, too");
    }

    /// An answer in pieces, of which frames do not say whether the command waited for them.
    #[test]
    fn an_answer_in_pieces_is_waited_for_where_that_is_known() {
        let streamed = Streamed {
            end: 1,
            from: Time::ZERO + Duration::from_ms(100),
            until: Time::ZERO + Duration::from_ms(950),
            handing: Handing {
                paused: Duration::from_ms(850),
                ..Handing::default()
            },
        };
        let turns = Turns {
            span: Duration::from_ms(1000),
            streamed: Some(streamed),
            ..Turns::between(ends())
        };
        assert_eq!(Waits::of(&turns, 1).streamed(), None);
        let waits = Waits::of(&turns, 0);
        assert_eq!(waits.streamed(), Some(streamed));
        let shared = |waits: Waits| {
            let mut causes = vec![(Cause::Limit(Limit::Application), 1.0)];
            waits.share_asking(Duration::from_ms(1000), 0.0, &mut causes);
            causes[0].0
        };
        assert_eq!(shared(waits), Cause::Limit(Limit::Application));
        assert_eq!(shared(waits.with_streamed()), Cause::Other);
        assert!((waits.with_streamed().of_server(0) - 0.85).abs() < 1e-9);
    }

    /// That nothing waited is not that nobody knows.
    #[test]
    fn a_wait_that_nobody_is_known_to_share_is_unknown() {
        let of = |held: u64, is_open: bool| {
            let handing = Handing {
                held: Duration::from_ms(held),
                is_open,
                ..Handing::default()
            };
            let turns = Turns {
                span: Duration::from_ms(1000),
                handing: [handing, Handing::default()],
                ..Turns::between(ends())
            };
            Waits::of(&turns, 0).held_small()
        };
        assert_eq!(of(0, false), [Some(0.0), Some(0.0)]);
        assert_eq!(of(0, true), [None, Some(0.0)]);
        assert_eq!(of(500, true), [Some(0.5), Some(0.0)]);
    }
}
