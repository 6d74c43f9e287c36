//! A receive buffer that nobody asked for: its window begins small and follows what arrives, as Linux tunes it.

use farpath_units::{Duration, Time};

use super::Receiver;
use super::round_trip::RoundTrip;
use crate::{Autotuning, Config, Profile};

/// Segments of the first round trip: what is taken to have arrived before anything did.
const FIRST_SEGMENTS: u64 = 10;
/// Shorter segments do not open the window (in Linux, less than an SKB's header).
const LEAST: u64 = 128;
/// What timestamps tell apart.
const MS: Duration = Duration::from_ms(1);
/// Segments granted beyond what the rule gives (until Linux 6.15).
const CUSHION: u64 = 16;

/// The window of one receiver, and what it follows from.
#[derive(Clone, Debug)]
pub(super) struct Tuned {
    rule: Autotuning,
    segment: u64,
    /// The largest window.
    end: u64,
    /// What the buffer has room for.
    room: u64,
    /// What is offered of it: it opens by two bytes for each that arrives.
    offer: u64,
    /// The first byte that was never offered.
    edge: u64,
    /// Most bytes that the application read in a round trip.
    most: u64,
    /// Bytes read when the round trip in hand began, and when that was.
    read: u64,
    since: Time,
    /// Acknowledgements up to this one do not show that the sender knows the window; none when it does.
    unknown: Option<u64>,
    /// It opened since the last acknowledgement: the next is not delayed.
    opened: bool,
    trip: RoundTrip,
}

impl Tuned {
    pub(super) fn new(rule: Autotuning, config: &Config) -> Tuned {
        let segment = config.segment();
        let first = config.first_offer();
        // Room for a segment is kept.
        let room = rule.first.saturating_sub(segment).max(2 * segment);
        let room = room.min(config.receive_window);
        let offer = first.min(room);
        Tuned {
            rule,
            segment,
            end: config.receive_window,
            room,
            offer,
            edge: first,
            most: (FIRST_SEGMENTS * segment).min(offer),
            read: 0,
            since: Time::ZERO,
            unknown: Some(u64::MAX),
            opened: false,
            trip: RoundTrip::default(),
        }
    }

    fn is_whole(&self) -> bool {
        self.offer >= self.end && self.unknown.is_none()
    }
}

impl Autotuning {
    /// What a SYN-ACK offers: whole segments.
    pub(crate) fn first_offer(&self, segment: u64) -> u64 {
        match self.first / segment {
            0 => self.first,
            whole => whole * segment,
        }
    }
}

impl Receiver {
    /// Whether the window still follows what arrives: [`Receiver::on_answer`], [`Receiver::on_received`] and
    /// [`Receiver::on_read_by_now`] are then to be called for each segment.
    #[inline]
    pub fn is_tuned(&self) -> bool {
        self.tuned.is_some()
    }

    /// The window that is offered now.
    #[inline]
    pub fn window(&self) -> u64 {
        self.window
    }

    /// Whether the sender is known to know the window, so that an acknowledgement need not say it.
    pub fn is_window_known(&self) -> bool {
        self.tuned.as_ref().is_none_or(|t| t.unknown.is_none())
    }

    /// A segment of `len` bytes is about to be handed to `on_data` whose sender had `una` acknowledged, of which these are the low
    /// 32 bits. That is what the echoed timestamp tells a receiver; `read` bytes have been read by the application.
    pub fn on_answer(&mut self, now: Time, una: u32, len: u64, read: u64) {
        let (next, segment) = (self.delivered(), self.segment);
        let Some(tuned) = &mut self.tuned else {
            return;
        };
        let behind = (next as u32).wrapping_sub(una);
        let una = next.saturating_sub(u64::from(behind));
        if tuned.unknown.is_some_and(|ack| una > ack) {
            tuned.unknown = None;
        }
        if len >= segment {
            tuned.trip.on_answer(now, una, read >= next);
        }
    }

    /// A segment was handed to `on_data`, and `len` bytes more are in order: the window opens. Returns whether `poll` has
    /// something to send now.
    pub fn on_received(&mut self, now: Time, len: u64) -> bool {
        let (next, window) = (self.delivered(), self.window);
        let Some(tuned) = &mut self.tuned else {
            return self.due || self.has_ahead();
        };
        // The first segment tells what share of the buffer is payload.
        tuned.room = tuned.room.max(tuned.rule.start.min(tuned.end));
        tuned.trip.on_window(now, next, window);
        if len >= LEAST && tuned.offer < tuned.room {
            let more = 2 * tuned.segment.max(len);
            tuned.offer = tuned.room.min(tuned.offer + more);
            tuned.opened = true;
            self.offer_tuned();
            // Linux acknowledges at once what opens the window.
            self.due |= self.gathers.is_none();
        }
        self.due || self.has_ahead()
    }

    /// The application has read `read` bytes by now: once in a round trip the buffer grows to what that asks for.
    pub fn on_read_by_now(&mut self, now: Time, read: u64) {
        let next = self.delivered();
        let Some(tuned) = &mut self.tuned else {
            return;
        };
        let trip = tuned.trip.smoothed();
        if trip > Duration::ZERO && now.since(tuned.since) >= trip {
            let unread = next.saturating_sub(read);
            let some = (read - tuned.read).saturating_sub(unread);
            if some > tuned.most {
                let above = self
                    .above
                    .last()
                    .map_or(0, |last| last.end.saturating_sub(next));
                tuned.grow(some, above);
            }
            (tuned.read, tuned.since) = (read, now);
        }
        if tuned.is_whole() {
            self.tuned = None;
        }
    }

    /// What is offered has changed: the next acknowledgement says so.
    fn offer_tuned(&mut self) {
        let next = self.delivered();
        let Some(tuned) = &mut self.tuned else {
            return;
        };
        let window = tuned.offer.max(tuned.edge.saturating_sub(next));
        if window != self.window {
            self.window = window;
            tuned.unknown = Some(u64::MAX);
        }
    }

    /// An acknowledgement is on its way.
    #[cold]
    pub(super) fn note_acknowledged(&mut self, now: Time) {
        self.offer_tuned();
        let (next, window) = (self.next, self.window);
        let Some(tuned) = &mut self.tuned else {
            return;
        };
        tuned.opened = false;
        tuned.edge = tuned.edge.max(next + window);
        tuned.trip.note_sent(now, next);
        if tuned.unknown == Some(u64::MAX) {
            tuned.unknown = Some(next);
        }
    }

    /// Whether the window opened since the last acknowledgement: Linux does not delay the next.
    pub(super) fn has_opened(&self) -> bool {
        self.tuned.as_ref().is_some_and(|t| t.opened)
    }

    /// Bytes that the sender may send at most: the end of what was offered.
    pub(super) fn offered_edge(&self) -> u64 {
        let edge = self.next.saturating_add(self.window);
        self.tuned.as_ref().map_or(edge, |t| t.edge.max(edge))
    }
}

impl Tuned {
    /// The application read `some` bytes in the last round trip, and `above` bytes from the next one to the last are here in part.
    fn grow(&mut self, some: u64, above: u64) {
        let current = self.rule.profile != Profile::Linux5;
        // A window is one round trip late; and a sender may double its rate again.
        let twice = 2 * some + if current { 0 } else { CUSHION * self.segment };
        let growth = u128::from(twice) * u128::from(some - self.most);
        let growth = (growth / u128::from(self.most.max(1))).min(self.end.into()) as u64;
        let wanted = twice + 2 * growth + if current { above } else { 0 };
        self.most = some;
        self.room = self.room.max(wanted.min(self.end));
    }

    /// Until when, and up to which byte and which answer, nothing but the ordinary happens: see [`Receiver::begin_run`]. Never
    /// beyond this millisecond, so that what is sent within is one entry.
    pub(super) fn quiet(&self, now: Time, window: u64) -> Option<(Time, u64, u64)> {
        let trip = self.trip.smoothed();
        let answer = self.trip.next_answer();
        let steady = self.offer >= self.room && self.offer == window && !self.opened;
        if trip == Duration::ZERO || answer == 0 || !steady {
            return None;
        }
        let ms = now.as_ps() / MS.as_ps() + 1;
        let until = Time::from_ps(ms * MS.as_ps()).min(self.since + trip);
        Some((until, self.trip.next_window(), answer))
    }

    /// A run of segments ended in which the last acknowledgement was of `ack`, within the millisecond of `last`.
    pub(super) fn note_run(&mut self, last: Time, ack: u64) {
        self.edge = self.edge.max(ack + self.offer);
        self.trip.note_sent(last, ack);
    }
}
