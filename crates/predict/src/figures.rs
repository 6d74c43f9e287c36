//! The figures of one path, each with its grounds.

use farpath_units::{Duration, Size};

use crate::answer::{Answer, Value, answer};
use crate::cc::{Cc, Rules};
use crate::climb::Climb;
use crate::law::{self, Conditions};
use crate::overhead::{MtuError, checked_datagram};
use crate::parallel::streams_to_fill;
use crate::path::{PathError, PathInput, check_count, check_policer, check_queue, check_window};
use crate::pftk::Pftk;
use crate::recovery::Losses;
use crate::slow_start::Cost;
use crate::window::seconds;
use crate::{bic, htcp, recovery, window};

mod buffers;
mod linux;
mod losses;
mod policed;
mod regain;
mod time;
mod wanted;

use policed::Policed;
pub use policed::policed_range;

/// Of a round trip: how long a segment may take on the line without a word.
const SHORT: f64 = 1e-3;
/// Of what a whole window gives: what its last part of a segment must be for a note.
const WORTH: f64 = 1e-2;

const OUTSIDE: &str = "Outside the formula's range: above 2 % timeouts govern. ";

/// What several answers share.
pub(crate) struct Figures<'i> {
    input: &'i PathInput,
    mss: Size,
    wire: Size,
    /// What its frame takes in a queue.
    queued: Size,
    rtt_s: f64,
    /// Payload rate of the link.
    line_bps: f64,
    /// The window named, or the largest there is where the pipe holds more.
    window: Option<Size>,
    window_bps: Option<f64>,
    /// What the whole segments of that window give: a sender waits with the rest of one.
    whole_bps: Option<f64>,
    loss_bps: Option<f64>,
    policed: Option<Policed>,
    /// Loss, a policer or a queue was named, and the algorithm has no law for it.
    lawless: bool,
    /// Segments that each connection has in flight at most, by the window or by the host named; without bound where neither is less than
    /// the line.
    most: f64,
    /// Segments in flight of each connection that its share of the link, or the window or the host if that is less, allows.
    full: f64,
    slow_start: Cost,
    /// The window, in segments, at which slow start overflows the queue named, in a round that begins with less than fills the path.
    overflowing: Option<f64>,
}

impl<'i> Figures<'i> {
    pub(crate) fn of(input: &'i PathInput) -> Result<Figures<'i>, PathError> {
        let mtu = checked_datagram(input.mtu)?;
        if input.rtt == Duration::ZERO {
            return Err(PathError::ZeroRtt);
        }
        if input.timeout == Some(Duration::ZERO) {
            return Err(PathError::ZeroTimeout);
        }
        let mss = u64::from(mtu)
            .checked_sub(input.header_bytes())
            .filter(|b| *b > 0);
        let mss = Size::from_bytes(mss.ok_or(MtuError::NoPayload { mtu: input.mtu })?);
        check_window(input.window, mss)?;
        check_queue(input, mtu)?;
        if input.loss.is_some_and(|p| p.get() >= 1.0) {
            return Err(PathError::AllLost);
        }
        match input.beta {
            Some(_) if input.cc != Cc::Htcp => return Err(PathError::BetaOfOthers),
            Some(beta) if !(htcp::BETA..=htcp::BETA_MOST).contains(&beta) => {
                return Err(PathError::Beta(beta));
            }
            _ => {}
        }
        check_count("initial window", input.initial_window, 65_535)?;
        check_count("segments for each ACK", input.segments_per_ack, 64)?;
        check_count("the number of streams", input.streams, 1_000_000)?;
        check_policer(input)?;
        let wire = Size::from_bytes(u64::from(input.framing.wire_bytes(mtu)));
        let queued = Size::from_bytes(u64::from(input.framing.queue_bytes(mtu)));
        let rtt_s = seconds(input.rtt);
        let line_bps = input.rate.as_bps() as f64 * mss.as_bytes() as f64 / wire.as_bytes() as f64;
        let pipe = recovery::pipe_segments(input.rate, input.rtt, wire);
        let streams = f64::from(input.streams);
        let beyond = line_bps * rtt_s / 8.0 > window::LARGEST.as_bytes() as f64 * streams;
        let window = input.window.or(beyond.then_some(window::LARGEST));
        let most = segments_of(window, mss).min(hosted(input, mss, line_bps));
        let full = (pipe / streams).min(most);
        let slow_start = buffers::slow_start(input, full);
        let loss = input.loss.map(|p| p.get()).filter(|p| *p > 0.0);
        let loss_bps = loss.and_then(|p| loss_limit_bps(input, mss, p, line_bps));
        let policed = Policed::of(input, mss, mtu);
        let cuts_paced = policed.as_ref().is_some_and(|p| p.cuts_paced)
            || buffers::cut_bursts(input, [wire, queued], pipe, full).is_some();
        Ok(Figures {
            input,
            mss,
            wire,
            queued,
            rtt_s,
            line_bps,
            window,
            window_bps: window.map(|w| window::window_limit_bps(w, input.rtt)),
            whole_bps: window.map(|w| window::window_limit_bps(whole(w, mss), input.rtt)),
            loss_bps,
            policed,
            lawless: cuts_paced || loss.is_some() && loss_bps.is_none(),
            most,
            full,
            slow_start: slow_start.cost(),
            overflowing: buffers::overflowing(input, slow_start, queued, pipe, most * streams),
        })
    }

    pub(crate) fn about_windows(&self) -> Vec<Answer> {
        let streams = f64::from(self.input.streams);
        let arriving = law::borne(self.input.cc, self.loss(), self.input.streams).unwrap_or(1.0);
        let arriving_each = arriving * self.line_bps * self.rtt_s / 8.0 / streams;
        let needed = match self.input.stands_still() {
            false => self.line_bps * self.rtt_s / 8.0,
            true => {
                let mss = self.mss.as_bytes() as f64;
                self.in_flight(arriving_each / mss) * mss * streams
            }
        };
        let shift = window::shift_for(needed / streams);
        let each = match self.input.streams {
            1 => String::new(),
            n => format!("{:.0} B of each of {n} connections.", needed / streams),
        };
        let cover = match shift {
            Some(0) => "It fits without window scaling.".to_owned(),
            Some(shift) => {
                format!("Window scaling must offer a shift of {shift} or more (RFC 7323 §2.3).")
            }
            None => {
                "Beyond window scaling (1073725440 B): one flow cannot fill this path.".to_owned()
            }
        };
        vec![
            answer(
                "bdp_bytes",
                window::bdp_bytes(self.input.rate, self.input.rtt),
                "B",
            )
            .by("C × RTT / 8", "RFC 6349 §3.3.1")
            .note("C is the rate of frames, headers and framing included.")
            .holds("any path; the RTT of the idle path"),
            answer("window_needed_bytes", needed, "B")
                .by("goodput of the line × RTT / 8", "RFC 7323 §1.1")
                .note("Payload in flight; round up to whole segments.")
                .note(each)
                .note(match self.input.stands_still() {
                    true => "More than what arrives in a round trip: it stands still until lost segments have arrived.",
                    false => "",
                })
                .note(&cover)
                .holds("empty queues; what waits in a queue needs window on top"),
            answer("window_limit_bps", self.window_bps, "bit/s")
                .by("8 × W / RTT", "RFC 7323 §1.1")
                .note(self.window_note())
                .holds("W exact payload in flight, empty queues; a sender sends whole segments"),
            answer("window_scale", shift.map(f64::from), "")
                .by(
                    "least s ≤ 14 with 65535 × 2^s ≥ window needed",
                    "RFC 7323 §2.3",
                )
                .holds("receive windows in TCP headers"),
            answer("mss_bytes", self.mss.as_bytes() as f64, "B")
                .by(
                    "MTU − IP header − TCP header and options",
                    "RFC 9293 §3.7.1; RFC 7323 §3.2",
                )
                .note(format!("Each segment takes {} of the line.", self.wire))
                .holds("full-sized data segments"),
        ]
    }

    fn window_note(&self) -> String {
        let Some(window) = self.window else {
            return "No window was named.".to_owned();
        };
        if self.input.window.is_none() {
            return format!(
                "No window was named: {window} is the largest that window scaling offers (RFC 7323 §2.3)."
            );
        }
        let count = whole(window, self.mss).as_bytes() / self.mss.as_bytes();
        let exact = self.whole_bps.unwrap_or(0.0);
        let mut note = format!(
            "Whole segments: {count} of {}, {:.6} Mbit/s.",
            self.mss,
            exact / 1e6
        );
        let filled = self.window_bps.unwrap_or(exact);
        if count >= 4 && exact < filled * (1.0 - WORTH) {
            note.push_str(&format!(
                " Linux with TSO sends the rest of the window as well, up to {:.6} Mbit/s.",
                filled / 1e6
            ));
        }
        let sending = seconds(self.input.rate.time_for(self.wire));
        if sending > self.rtt_s * SHORT {
            note.push_str(&format!(
                " The RTT is that of a full segment and its ACK. One of small packets is shorter by a segment's time on each \
                 line, {:.3} ms on this one, which leaves {:.6} Mbit/s.",
                sending * 1e3,
                exact * self.rtt_s / (self.rtt_s + sending) / 1e6
            ));
        }
        if count == 1 && self.input.segments_per_ack > 1 {
            note.push_str(
                " A segment by itself is acknowledged when the receiver's timer expires, after up to 500 ms \
                 (RFC 5681 §4.2): each round trip is longer by that. Not between kernels of Linux: a receiver acknowledges half of its window \
                 at once, where its program has read it.",
            );
        }
        let streams = f64::from(self.input.streams);
        let pauses = self
            .window_bps
            .is_some_and(|bps| bps * streams < self.line_bps);
        if let Some(left) = window::left_over(count, self.input.segments_per_ack)
            && pauses
        {
            note.push_str(&format!(" {left}"));
        }
        if self.window_bps.is_some_and(|bps| bps < self.line_bps) {
            note.push_str(
                " If more was measured, the number may have been a socket buffer: Linux doubles \
                 what is asked for, and 3/4 of that (2004) became window.",
            );
        }
        note
    }

    pub(crate) fn about_rates(&self) -> Vec<Answer> {
        let (limit, goodput) = self.limit();
        let grounds = law::grounds(self.input.cc);
        vec![
            answer("line_goodput_bps", self.line_bps, "bit/s")
                .by(
                    "C × MSS / bytes of line time per frame",
                    "IEEE 802.3 §3, §4 (Ethernet); \
                    RFC 2615 (POS)",
                )
                .note(format!("{} of payload in {} of line.", self.mss, self.wire))
                .holds("full-sized segments back to back"),
            answer("loss_limit_bps", self.loss_bps, "bit/s")
                .by(grounds.window, grounds.source)
                .note(self.loss_note())
                .holds(grounds.range),
            self.policer_limit(),
            answer("goodput_bps", goodput, "bit/s")
                .by(
                    "min(line, host, n × min(whole segments of the window, loss, policer))",
                    "RFC 6349 §3.3; RFC 9293 §3.8.6.2.1",
                )
                .note(match self.input.streams {
                    1 => String::new(),
                    n => format!("Of {n} streams together."),
                })
                .note(match self.filled() {
                    1.0 => "",
                    _ => "Of the line what `utilisation` says of the queue named.",
                })
                .note(self.unforeseen())
                .note(self.of_cut_bursts())
                .note(self.beside_the_line())
                .note(self.first_climb())
                .note(match self.input.window {
                    Some(_) => self.standing(),
                    None => String::new(),
                })
                .note(law::probing_words(self.input.cc, self.rtt_s).unwrap_or_default())
                .note("Long after slow start; queueing adds to the RTT and is left out.")
                .holds("no other traffic, steady state"),
            answer("limit", limit, "")
                .by(
                    "the least of line, window, loss, policer and host",
                    "RFC 6349 §3.3",
                )
                .note(
                    "link: the line; receive_window: the window named, or the largest there is; loss: the response to \
                    losses; policer; host_cpu: what was named for the host.",
                )
                .holds("no other traffic, steady state"),
            self.loss_to_fill(),
        ]
    }

    fn climb(&self, top: f64) -> Climb {
        Climb {
            cc: self.input.cc,
            top,
            rtt_s: self.rtt_s,
            segments_per_ack: counted_per_ack(self.input),
            htcp: htcp::Growth::keeping(self.input.beta.unwrap_or(htcp::BETA)),
            rules: Rules::Document,
        }
    }

    fn conditions(&self) -> Conditions {
        conditions(self.input)
    }

    /// What each of the connections has of it, segments.
    fn share_of_pipe(&self) -> f64 {
        self.pipe() / f64::from(self.input.streams)
    }

    fn pipe(&self) -> f64 {
        recovery::pipe_segments(self.input.rate, self.input.rtt, self.wire)
    }

    /// What losses, buffers and neighbours make of the path.
    pub(crate) fn about_more(&self) -> Vec<Answer> {
        vec![
            self.pftk(),
            self.utilisation(),
            self.with_queue(),
            self.full_buffer(),
            self.streams(),
        ]
    }

    /// Reno with timeouts.
    fn pftk(&self) -> Answer {
        let model = Pftk {
            segments_per_ack: f64::from(self.input.segments_per_ack),
            window: self.window.map_or(f64::INFINITY, |w| {
                (w.as_bytes() / self.mss.as_bytes()) as f64
            }),
            timeout_s: self.input.timeout.map_or(4.0 * self.rtt_s, seconds),
            ..Pftk::of_rtt(self.rtt_s)
        };
        let loss = self.input.loss.map(|p| p.get());
        let loss = loss.filter(|p| *p > 0.0 && *p < 1.0);
        let bps = loss.map(|p| model.full(p) * self.mss.as_bytes() as f64 * 8.0);
        let note = match loss {
            None => "No loss was named.",
            Some(p) if p > 0.3 => "Outside the formula's range.",
            Some(_) if self.input.cc == Cc::Reno => "",
            Some(_) => "Reno's, to compare with.",
        };
        let is_limited = loss.is_some_and(|p| model.is_limited(p));
        let (formula, bound) = match is_limited {
            true => (
                "8 × MSS × ((1−p)/p + Wm + Q/(1−p)) / (RTT (b Wm/8 + (1−p)/(p Wm) + 2) + Q T0 f(p)/(1−p)), T0 = 4 RTT if not named",
                format!(
                    "Of a window of at most Wm = {} segments, which losses would leave larger.",
                    model.window
                ),
            ),
            false => (
                "8 × MSS × ((1−p)/p + W + Q/(1−p)) / (RTT (bW/2 + 1) + Q T0 f(p)/(1−p)), T0 = 4 RTT if not named",
                String::new(),
            ),
        };
        answer("pftk_bps", bps, "bit/s")
            .by(formula, "Padhye et al., SIGCOMM 1998; RFC 5348 §4.3 (T0)")
            .note(note)
            .note(bound)
            .holds("Reno, losses in a round taken together, p up to 0.3; the line is not counted")
    }

    /// Connections that fill the line together.
    fn streams(&self) -> Answer {
        let mut each = f64::INFINITY;
        let policed = self.policed.as_ref().map(|p| p.likely_bps);
        for bps in [self.whole_bps, self.loss_bps, policed]
            .into_iter()
            .flatten()
        {
            each = each.min(bps);
        }
        let lawless = self.lawless || self.input.cc.is_bbr();
        let streams = streams_to_fill(self.line_bps, each).filter(|_| !lawless);
        answer("streams_to_fill", streams.map(f64::from), "")
            .by(
                "⌈line / min(window, loss)⌉",
                "Hacker, Athey, Noble, IPDPS 2002",
            )
            .holds("streams that lose by themselves; near the line they also lose to each other")
    }

    /// What limits, in the words of a record's `limited_by`, and to how much; nothing where loss
    /// or a policer was named and the algorithm has no law.
    fn limit(&self) -> (Value, Value) {
        if self.lawless {
            return (Value::Null, Value::Null);
        }
        let borne = borne(self.input, self.loss());
        // What is lost behind the line took its time there, too.
        let arrives = borne.unwrap_or(1.0 - self.loss());
        let mut least = ("link", self.line_bps * arrives);
        let together = |each: Option<f64>| Some(each? * f64::from(self.input.streams));
        let policed = self.policed.as_ref();
        let host = self.input.host.map(|r| r.as_bps() as f64);
        for (name, bps) in [
            ("receive_window", together(self.window_under_loss())),
            ("loss", together(self.loss_bps.filter(|_| borne.is_none()))),
            (
                "policer",
                policed.map(|p| p.together(p.likely_bps, self.input.streams)),
            ),
            ("policer", policed.map(|p| p.all_bps)),
            ("host_cpu", host.map(|bps| bps * arrives)),
        ] {
            if let Some(bps) = bps
                && bps < least.1
            {
                least = (name, bps);
            }
        }
        if least.0 == "link" {
            least.1 *= self.filled();
        }
        (Value::Text(least.0.to_owned()), Value::from(least.1))
    }

    /// What a receive window gives: of BBR, which does not shrink it, less for the round trips in which it stands still.
    fn window_under_loss(&self) -> Option<f64> {
        let bps = self.whole_bps?;
        if !self.input.cc.is_bbr() {
            return Some(bps);
        }
        let segments = bps * self.rtt_s / 8.0 / self.mss.as_bytes() as f64;
        let sending = 1.0 - law::probing(self.input.cc, self.rtt_s);
        Some(bps * sending / law::rounds_to_arrive(segments, self.loss()))
    }

    fn loss(&self) -> f64 {
        self.input.loss.map_or(0.0, |p| p.get())
    }
}

/// Segments for which slow start's window grows by one.
fn segments_per_growth(input: &PathInput) -> u32 {
    match input.cc.doubles() {
        true => 1,
        false => input.segments_per_ack,
    }
}

/// Segments for each ACK as growth in congestion avoidance counts them.
fn counted_per_ack(input: &PathInput) -> f64 {
    match input.cc {
        Cc::Bic => bic::ack_ratio(input.segments_per_ack),
        _ => f64::from(input.segments_per_ack),
    }
}

fn conditions(input: &PathInput) -> Conditions {
    Conditions {
        rtt_s: seconds(input.rtt),
        segments_per_ack: counted_per_ack(input),
        losses: Losses::Periodic,
        htcp: htcp::Growth::keeping(input.beta.unwrap_or(htcp::BETA)),
    }
}

/// What of a window is whole segments. A sender does not send the part of one that is left (RFC 9293 §3.8.6.2.1).
fn whole(window: Size, mss: Size) -> Size {
    Size::from_bytes(window.as_bytes() / mss.as_bytes() * mss.as_bytes())
}

/// Segments that a window holds; without one any number.
fn segments_of(window: Option<Size>, mss: Size) -> f64 {
    window.map_or(f64::INFINITY, |w| {
        w.as_bytes() as f64 / mss.as_bytes() as f64
    })
}

/// The window of each connection, segments, from which on the host named is the limit; infinite where the line is no faster than it.
fn hosted(input: &PathInput, mss: Size, line_bps: f64) -> f64 {
    let slower = input.host.map(|rate| rate.as_bps() as f64);
    let slower = slower.filter(|bps| *bps < line_bps);
    slower.map_or(f64::INFINITY, |bps| {
        bps * seconds(input.rtt) / 8.0 / mss.as_bytes() as f64 / f64::from(input.streams)
    })
}

/// What BBR delivers of the line, lost or not: its limit is another. None for all others.
fn borne(input: &PathInput, loss: f64) -> Option<f64> {
    let share = law::borne(input.cc, loss, input.streams)?;
    Some(share * (1.0 - law::probing(input.cc, seconds(input.rtt))))
}

/// What losses leave; `None` without a law.
fn loss_limit_bps(input: &PathInput, mss: Size, loss: f64, line_bps: f64) -> Option<f64> {
    borne(input, loss)
        .map(|share| share * line_bps)
        .or_else(|| {
            let window = law::window(input.cc, loss, conditions(input))?;
            Some(recovery::segments_bps(window, mss, input.rtt))
        })
}
