//! The receiving end: reassembly, and when to acknowledge what (RFC 9293 §3.8.6, RFC 2018, RFC 5681 §4.2).

mod autotuning;
mod compressed;
mod full_segment;
mod held;
mod reading;
mod report;
mod round_trip;
mod run;
mod stamp;

use farpath_units::{Duration, Time};

use crate::Flavour;
use crate::config::{Config, Reading};
use crate::delayed_ack::Adapting;
use crate::ecn::Echo;
use crate::ranges::{Range, Ranges};
use crate::sack::{MAX_SACK_BLOCKS, SackBlock};
use autotuning::Tuned;
use compressed::Compressed;
use full_segment::{FullSegment, gathered};
use held::Held;

pub use report::{AckOut, ReceiverStats};
pub use run::InOrder;
pub use stamp::Stamp;

/// An idle time after which a receiver acknowledges one by one again: a retransmission timeout before
/// the first measurement, where it measures none.
const IDLE: Duration = Duration::from_secs(1);
/// The shortest time there is.
const INSTANT: Duration = Duration::from_ps(1);

/// The receiving end of one connection. The application reads at once, or as
/// [`on_read`](Receiver::on_read) says.
#[derive(Clone, Debug)]
pub struct Receiver {
    /// The next byte expected; `u64::MAX` before a SYN.
    next: u64,
    /// The acknowledgement last sent (RFC 7323's Last.ACK.sent).
    acked: u64,
    /// Unacknowledged bytes that make an ACK due.
    threshold: u64,
    /// The delayed-ACK timer.
    deadline: Time,
    due: bool,
    echo_retransmit: bool,
    in_order: bool,
    syn_ack_due: bool,
    sack_limit: u8,
    recent_count: u8,
    /// Segments that will still be acknowledged one by one.
    quick: u8,
    /// Most of them at the start and after an idle time or a duplicate.
    quick_limit: u8,
    /// When the last segment arrived.
    last: Time,
    /// A segment that comes so long after it is no longer the usual case.
    patience: Duration,
    /// What `threshold` is when quick ACKs are used up.
    usual_threshold: u64,
    /// The last segment was a duplicate, of these bytes, and is to be reported.
    twice: Option<SackBlock>,
    dsack: bool,
    echo: Echo,
    /// The application's own part, when it does not read at once.
    slow: Option<Slow>,
    full: FullSegment,
    segment: u64,
    /// Full segments for an ACK.
    every: u64,
    /// The window that is offered; the sender may still know the one before.
    window: u64,
    /// The window follows what arrives.
    tuned: Option<Box<Tuned>>,
    /// Acknowledgements of what is out of order are held back.
    compressed: Option<Box<Compressed>>,
    /// Of the delayed-ACK timer; with `gathers`, how long is gathered.
    timeout: Duration,
    gathers: Option<Gathers>,
    /// Gathered behind a gap.
    held: Option<Held>,
    /// The timer adapts to the gaps between segments.
    adapting: Option<Adapting>,
    above: Ranges,
    /// The ranges that last changed, the most recent first.
    recent: [SackBlock; MAX_SACK_BLOCKS],
    /// Blocks of the acknowledgement being sent, when a duplicate comes first.
    blocks: [SackBlock; MAX_SACK_BLOCKS],
    /// TS.Recent (RFC 7323 §4.3), where a retransmission set it.
    stamp: Stamp,
    flavour: Flavour,
    stats: ReceiverStats,
}

/// A host that gathers segments before its stack has them.
#[derive(Clone, Copy, Debug)]
struct Gathers {
    /// Of the delayed-ACK timer, which runs from the first segment.
    timeout: Duration,
    /// Unacknowledged bytes that are acknowledged with what was gathered.
    threshold: u64,
}

/// An application that does not read at once.
#[derive(Clone, Copy, Debug)]
struct Slow {
    /// Bytes it has read.
    read: u64,
    /// The first byte beyond the window last advertised, which never moves back.
    edge: u64,
}

impl Receiver {
    /// The receiving end of a connection, waiting for a SYN.
    pub fn new(config: &Config) -> Receiver {
        let every = u64::from(config.delayed_ack.every.max(1));
        let segment = config.segment();
        let quick = config.first_quick_acks();
        let timeout = config.delayed_ack.timeout;
        let adapting = (config.flavour == Flavour::Linux).then(|| Adapting::new(timeout));
        let full = FullSegment::of(config);
        let threshold = full.due(every, segment);
        let gathers = (config.gro > Duration::ZERO).then_some(Gathers { timeout, threshold });
        let usual_threshold = match gathers {
            Some(_) => gathered(threshold, segment),
            None => threshold,
        };
        Receiver {
            next: u64::MAX,
            acked: 0,
            threshold: if quick > 0 { 1 } else { usual_threshold },
            deadline: Time::MAX,
            due: false,
            echo_retransmit: false,
            in_order: false,
            syn_ack_due: false,
            sack_limit: match (config.sack, config.timestamps) {
                (false, _) => 0,
                (true, true) => 3,
                (true, false) => 4,
            },
            recent_count: 0,
            quick,
            quick_limit: quick,
            last: Time::ZERO,
            patience: adapting.map_or(IDLE, |a| a.steady()) + INSTANT,
            adapting,
            usual_threshold,
            twice: None,
            dsack: config.recovery.dsack && config.sack,
            echo: Echo::new(config.recovery.ecn, config.algorithm.goes_by_marks()),
            slow: (config.reading == Reading::Told).then_some(Slow {
                read: 0,
                edge: config.receive_window,
            }),
            full,
            segment,
            every,
            window: config.first_offer(),
            tuned: config
                .autotuning
                .map(|rule| Box::new(Tuned::new(rule, config))),
            compressed: Compressed::of(config),
            timeout: gathers.map_or(timeout, |_| config.gro),
            gathers,
            held: None,
            above: Ranges::default(),
            recent: [SackBlock::default(); MAX_SACK_BLOCKS],
            blocks: [SackBlock::default(); MAX_SACK_BLOCKS],
            stamp: Stamp::default(),
            flavour: config.flavour,
            stats: ReceiverStats::default(),
        }
    }

    /// A SYN arrived. A repeated one is answered again.
    pub fn on_syn(&mut self, now: Time) {
        self.open(now);
        self.syn_ack_due = true;
    }

    /// The connection is there: data is accepted from now on. For an end that sent the SYN itself. Does nothing the second
    /// time.
    pub fn open(&mut self, now: Time) {
        if self.next == u64::MAX {
            self.next = 0;
            self.in_order = self.slow.is_none();
            self.last = now;
        }
    }

    /// Data arrived: `len` bytes at `seq`, a retransmission or not. Returns whether `poll` has
    /// something to send now.
    #[inline]
    pub fn on_data(&mut self, now: Time, seq: u64, len: u32, retransmit: bool) -> bool {
        self.stats.segments += 1;
        if seq != self.next || !self.in_order {
            return self.on_data_out_of_order(now, seq, len, retransmit);
        }
        // RFC 7323 §4.3 (2): the segment at or before the last ACK sent sets the timestamp echoed.
        if seq <= self.acked {
            self.echo_retransmit = retransmit;
        }
        self.next = seq + u64::from(len);
        self.acknowledge_later(now)
    }

    /// The segment about to be handed to `on_data` was marked CE, or carries CWR (RFC 3168 §6.1.3).
    /// A mark that begins is acknowledged at once, as by Linux; RFC 3168 leaves the echo to the next
    /// ACK. Ignored unless ECN is on.
    pub fn on_ecn(&mut self, ce: bool, cwr: bool) {
        let before = self.echo.echoing;
        self.echo.note(ce, cwr);
        self.due |= self.echo.echoing && !before && !self.echo.is_exact;
    }

    /// The next segment is marked or not: call it before `on_ecn`, where the sender goes by marks. Returns whether `poll` has something to send
    /// before that segment is handed in: an acknowledgement is held back for others, which were not as it is (RFC 8257 §3.2).
    pub fn parts_marks(&mut self, ce: bool) -> bool {
        let echo = &self.echo;
        let parts = echo.on && echo.is_exact && ce != echo.echoing && self.next > self.acked;
        self.due |= parts;
        parts
    }

    #[inline]
    fn acknowledge_later(&mut self, now: Time) -> bool {
        if now.since(self.last) >= self.patience {
            self.note_gap(now);
        }
        self.last = now;
        if self.next - self.acked >= self.threshold {
            self.due = true;
        } else if self.deadline == Time::MAX {
            self.deadline = now + self.timeout;
        }
        self.due
    }

    /// A segment came after a pause, or while the timer adapts.
    #[cold]
    fn note_gap(&mut self, now: Time) {
        let silent = match &mut self.adapting {
            Some(adapting) => adapting.on_gap(now.since(self.last)),
            None => true,
        };
        self.adapt();
        if silent {
            self.acknowledge_quickly();
        }
    }

    /// The timer and what it takes for usual follow from the gaps so far.
    fn adapt(&mut self) {
        if let Some(adapting) = &self.adapting {
            match &mut self.gathers {
                Some(gathers) => gathers.timeout = adapting.timeout(),
                None => self.timeout = adapting.timeout(),
            }
            self.patience = match adapting.is_least() {
                true => adapting.steady() + INSTANT,
                false => Duration::ZERO,
            };
        }
    }

    /// The handshake took so long, from the SYN-ACK to its answer: the most that a timer that adapts
    /// waits for.
    pub fn on_round_trip(&mut self, rtt: Duration) {
        if let Some(compressed) = &mut self.compressed {
            compressed.on_round_trip(rtt);
        }
        if let Some(adapting) = &mut self.adapting {
            adapting.on_round_trip(rtt);
        }
        self.adapt();
    }

    /// The next segments are acknowledged one by one (Linux's quick ACKs).
    #[cold]
    fn acknowledge_quickly(&mut self) {
        self.quick = self.quick_limit;
        if self.quick > 0 {
            self.threshold = 1;
        }
    }

    #[cold]
    fn on_data_out_of_order(&mut self, now: Time, seq: u64, len: u32, retransmit: bool) -> bool {
        if self.next == u64::MAX {
            self.stats.refused += 1;
            return false;
        }
        let segment = (seq, seq.saturating_add(u64::from(len)));
        if !retransmit && len > 0 && self.is_outdated(seq) {
            return self.discard(segment.0, segment.1);
        }
        match self.gathers {
            Some(_) => self.gather(now, self.timeout, segment, retransmit),
            None => self.take(now, segment, retransmit),
        }
        self.due || self.has_ahead()
    }

    /// The stack has a segment from `seq` to `end`.
    fn take(&mut self, now: Time, (seq, end): (u64, u64), retransmit: bool) {
        if self.sets_echo(seq, end) {
            self.echo_retransmit = retransmit;
        }
        let had_ahead = self.has_ahead();
        // RFC 5681 §4.2: out of order, filling a gap, or unacceptable (RFC 9293 §3.10.7.4): at once.
        let quiet = self.above.is_empty() && seq <= self.next && end > self.next;
        if self.is_beyond_window(end) {
            self.stats.refused += 1;
            self.due = true;
            return;
        }
        if self.dsack && seq < end {
            self.note_twice(seq, end);
        }
        let is_old = end <= self.next || seq == end;
        if is_old {
            self.stats.duplicates += 1;
        } else if seq <= self.next {
            self.deliver(end);
        } else {
            self.keep(Range::new(seq, end));
        }
        if quiet {
            self.acknowledge_later(now);
            return;
        }
        self.last = now;
        // The acknowledgement that this segment made leave is for it, too.
        if had_ahead || !self.has_ahead() {
            self.due = self.due || is_old || !self.holds_back(now);
        }
    }

    /// RFC 2883 §4: which bytes of `seq .. end` arrived before, if any; the first of them in a row.
    fn note_twice(&mut self, seq: u64, end: u64) {
        let twice = if seq < self.next {
            Some((seq, end.min(self.next)))
        } else {
            self.above.first_within(seq, end)
        };
        if let Some((start, end)) = twice {
            self.twice = Some(SackBlock { start, end });
            // Linux: a duplicate says that ACKs are lost or late.
            self.acknowledge_quickly();
        }
    }

    /// In order up to `end`, and on through what waited above.
    fn deliver(&mut self, end: u64) {
        self.next = end;
        while let Some(end) = self.above.take_reached(self.next) {
            self.next = self.next.max(end);
        }
        let waits = !self.above.is_empty() || self.held.is_some() || self.slow.is_some();
        self.in_order = !waits && !self.is_outdated(self.next);
        let next = self.next;
        self.retain_recent(|block| block.start > next);
    }

    fn keep(&mut self, range: Range) {
        self.stats.out_of_order += 1;
        let before = self.above.bytes();
        let whole = self.above.insert(range, |_| {});
        if self.above.bytes() == before {
            self.stats.duplicates += 1;
        }
        self.in_order = false;
        if self.compressed.is_some() {
            let mut recent = self.recent[..usize::from(self.recent_count)].iter();
            let place = recent.position(|b| b.end >= whole.start && b.start <= whole.end);
            self.let_go_before(place.unwrap_or(usize::from(self.recent_count)), range);
        }
        self.retain_recent(|block| block.end < whole.start || block.start > whole.end);
        let kept = usize::from(self.recent_count).min(MAX_SACK_BLOCKS - 1);
        self.recent.copy_within(0..kept, 1);
        self.recent[0] = SackBlock {
            start: whole.start,
            end: whole.end,
        };
        self.recent_count = kept as u8 + 1;
    }

    fn retain_recent(&mut self, keep: impl Fn(&SackBlock) -> bool) {
        let mut kept = 0;
        for i in 0..usize::from(self.recent_count) {
            if keep(&self.recent[i]) {
                self.recent[kept] = self.recent[i];
                kept += 1;
            }
        }
        self.recent_count = kept as u8;
    }

    /// The next acknowledgement to send at `now`, if one is due. Call until `None`.
    #[inline]
    pub fn poll(&mut self, now: Time) -> Option<AckOut<'_>> {
        if self.has_ahead() {
            return self.poll_ahead(now);
        }
        if !self.due && !self.syn_ack_due {
            return None;
        }
        if self.tuned.is_some() {
            self.note_acknowledged(now);
        }
        let syn_ack = self.syn_ack_due;
        let mut count = 0;
        if syn_ack {
            self.syn_ack_due = false;
        } else {
            self.due = false;
            self.set_timer(Time::MAX);
            if self.quick > 0 {
                self.use_quick_acks();
            }
            self.acked = self.next;
            self.let_go();
            self.stats.acks += 1;
            count = usize::from(self.recent_count.min(self.sack_limit));
        }
        let window = self.offer();
        let window_known = self.is_window_known();
        let mut sack = &self.recent[..count];
        if let Some(twice) = self.twice.filter(|_| !syn_ack) {
            self.twice = None;
            let kept = count.min(usize::from(self.sack_limit) - 1);
            self.blocks[0] = twice;
            self.blocks[1..=kept].copy_from_slice(&self.recent[..kept]);
            sack = &self.blocks[..=kept];
        }
        Some(AckOut {
            syn_ack,
            ack: self.next,
            window,
            window_known,
            echo_retransmit: self.echo_retransmit,
            sack,
            ecn_echo: self.echo.echoing && !syn_ack,
        })
    }

    /// An acknowledgement uses up as many quick ACKs as segments it is for.
    fn use_quick_acks(&mut self) {
        let segments = (self.next - self.acked)
            .div_ceil(self.segment)
            .clamp(1, 255);
        self.quick = self.quick.saturating_sub(segments as u8);
        if self.quick == 0 {
            self.threshold = self.usual_threshold;
        }
    }

    /// A data segment going the other way carries the acknowledgement: none is due any more.
    pub fn carried(&mut self, _now: Time) {
        if self.next != u64::MAX {
            self.due = false;
            self.set_timer(Time::MAX);
            self.let_go();
            if self.quick > 0 && self.next > self.acked {
                self.use_quick_acks();
            }
            self.acked = self.next;
        }
    }

    /// The next segments are acknowledged one by one, or not (Linux's `TCP_QUICKACK`).
    pub fn set_quick(&mut self, quick: bool) {
        self.quick = if quick { self.quick_limit } else { 0 };
        self.threshold = if self.quick > 0 {
            1
        } else {
            self.usual_threshold
        };
    }

    /// The number of the acknowledgement due, if one is and nothing about it is unusual: it offers
    /// `window`, echoes a first transmission and reports nothing out of order. Else [`Receiver::poll`]
    /// has the answer.
    #[inline]
    pub fn poll_usual(&mut self, _now: Time, window: u64) -> Option<u64> {
        if !self.due || !self.is_usual(window) || self.tuned.is_some() {
            return None;
        }
        self.due = false;
        self.set_timer(Time::MAX);
        self.acked = self.next;
        self.let_go();
        self.stats.acks += 1;
        Some(self.next)
    }

    /// When the delayed-ACK timer runs out; [`Time::MAX`] when it is not running.
    #[inline]
    pub fn deadline(&self) -> Time {
        self.deadline
    }

    /// The delayed-ACK timer, if it has run out by `now`, makes an ACK due; so does the end of a gathering.
    pub fn on_deadline(&mut self, now: Time) {
        if self.has_gathered(now) {
            self.hand_over(now);
        } else if now >= self.deadline {
            if self.holds() {
                self.set_timer(Time::MAX);
                self.due = true;
                return;
            }
            if self.quick == 0
                && let Some(gathers) = self.gathers
            {
                if self.next - self.acked >= gathers.threshold || self.has_opened() {
                    self.set_timer(Time::MAX);
                    self.due = true;
                    return;
                }
                // Too little for an ACK of its own: it waits as ever, and goes with the next segment.
                let rest = gathers.timeout.saturating_sub(self.timeout);
                self.set_timer(self.deadline + rest.max(INSTANT));
                self.quick = 1;
                self.threshold = 1;
                return;
            }
            self.set_timer(Time::MAX);
            self.due = true;
            if let Some(adapting) = &mut self.adapting {
                adapting.on_missed();
            }
            self.adapt();
        }
    }

    /// In-order bytes handed to the application.
    #[inline]
    pub fn delivered(&self) -> u64 {
        if self.next == u64::MAX { 0 } else { self.next }
    }

    /// Whether the other end's SYN or SYN-ACK has arrived.
    pub fn is_open(&self) -> bool {
        self.next != u64::MAX
    }

    /// Bytes that wait above a gap.
    pub fn waiting(&self) -> u64 {
        self.above.bytes()
    }

    /// The counters.
    pub fn stats(&self) -> &ReceiverStats {
        &self.stats
    }
}
