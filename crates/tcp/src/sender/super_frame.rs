//! How much a sender that does not pace hands to its host's card at once, and when it waits to make that more: Linux's
//! autosizing and deferral of super-frames (TCP segmentation offload).

use farpath_units::{Duration, Time};

use super::{Sender, State};
use crate::Config;
use crate::pacing::{self, HEADERS, longer_by, window_rate};

/// After a pause as long nothing is held back, nor while the next acknowledgement is farther away.
const SOON: Duration = Duration::from_ms(1);
/// This part of the window is never held back (`tcp_tso_win_divisor`).
const PART: u64 = 3;

/// What bounds the bursts of one sender.
#[derive(Clone, Copy, Debug)]
pub(super) struct SuperFrames {
    /// Bytes of the largest; 0: there are none.
    largest: u64,
    /// Where the receiver's window cut a segment: the byte behind what left of it.
    cut_at: u64,
}

impl SuperFrames {
    /// As configured; none for a sender that paces, which has bursts of its own.
    pub(super) fn of(config: &Config, paces: bool) -> SuperFrames {
        let largest = if paces { 0 } else { config.tso };
        SuperFrames {
            largest: largest.saturating_sub(HEADERS),
            cut_at: 0,
        }
    }

    /// Those of a sender that `config` describes, which paces where it says so or its algorithm does.
    fn configured(config: &Config) -> SuperFrames {
        let paces = config.pacing.is_some() || config.algorithm.paces_by_model();
        SuperFrames::of(config, paces)
    }

    /// The first byte that may not leave before it was worked out: none where nothing is ever held, which is where no super-frame is
    /// and nothing is paced.
    pub(super) fn first_edge(config: &Config, paces: bool) -> u64 {
        let holds = paces || SuperFrames::of(config, paces).is_on();
        if holds { 0 } else { u64::MAX }
    }

    #[inline]
    pub(super) fn is_on(self) -> bool {
        self.largest > 0
    }

    /// Bytes of a burst at a `rate` in bytes a second.
    fn burst(self, rate: f64, least_rtt: Option<Duration>, segment: u64) -> u64 {
        let more = longer_by(self.largest, least_rtt);
        pacing::burst(rate, more, self.largest, segment)
    }

    /// Bytes of a whole super-frame: no more than half of the receiver's window.
    fn whole(self, window: u64, segment: u64) -> u64 {
        let half = (window / 2).min(self.largest);
        (half / segment).max(1) * segment
    }
}

/// Bytes that a sender waits for before it sends some of them, on a path of round trip `rtt` where acknowledgements come `apart`: the
/// mean of the bursts that make a whole super-frame, at most the segments that make a third of the window. 0: it waits for nothing.
/// A receiver's `window` in bytes holds it and nothing was lost; or losses hold it at `cwnd` bytes, which is less.
pub fn waits_for(
    config: &Config,
    window: u64,
    cwnd: Option<f64>,
    rtt: Duration,
    apart: Duration,
) -> u64 {
    let frames = SuperFrames::configured(config);
    if !frames.is_on() || window == 0 || is_far(apart, rtt) {
        return 0;
    }
    let segment = u64::from(config.mss);
    // What was cut stands above its threshold, where growth is slow.
    let (held, threshold) = cwnd.map_or((window as f64, f64::INFINITY), |cwnd| (cwnd, cwnd));
    let rate = window_rate(held, threshold, rtt.as_secs_f64());
    let whole = frames.whole(window, segment);
    let bursts = whole.div_ceil(frames.burst(rate, Some(rtt), segment));
    (whole / bursts).min((held as u64 / PART).div_ceil(segment) * segment)
}

/// Whether a sender that the receiver's window holds fills all of it, with a part of a segment where one is left: its super-frames are
/// two segments at least, and neither its buffer nor cwnd ends before the window.
pub fn fills_window(config: &Config) -> bool {
    let (frames, segment) = (SuperFrames::configured(config), u64::from(config.mss));
    let window = config.receive_window;
    let above = config
        .largest_window
        .is_none_or(|most| most >= window + segment);
    frames.is_on()
        && frames.whole(window, segment) > segment
        && window <= config.send_buffer
        && above
}

/// Whether the next acknowledgement is too far away to be waited for.
fn is_far(answer: Duration, srtt: Duration) -> bool {
    answer > SOON.min(Duration::from_ps(srtt.as_ps() / 2))
}

impl Sender {
    /// Works out how far what the windows allow may leave at `now`. A driver calls it before it takes segments with
    /// [`Sender::poll_full`]; [`Sender::poll`] needs no such call.
    #[inline]
    pub fn prepare(&mut self, now: Time) {
        let may_hold = self.super_frames.is_on() && self.plain && !self.repair.probe_due;
        if may_hold && self.nxt + self.segment > self.limit {
            self.release_burst(now);
        }
    }

    /// Whether `len` bytes that the windows allow may leave at `now`; if not, more is waited for.
    #[inline]
    pub(super) fn may_burst(&mut self, now: Time, len: u64) -> bool {
        !self.super_frames.is_on() || self.draws_from_burst(now, len)
    }

    #[inline(never)]
    fn draws_from_burst(&mut self, now: Time, len: u64) -> bool {
        if self.nxt + len > self.pace_edge {
            self.release_burst(now);
        }
        let may = self.nxt + len <= self.pace_edge;
        if !may {
            let limit = if self.cwnd_edge < self.window_edge {
                self.cwnd_limit()
            } else {
                self.window_limit()
            };
            self.note_limit(now, limit);
        }
        may
    }

    /// The same where something is out of order and nothing is lost yet: the windows allow `room` bytes. As in Linux more is waited for
    /// then, too, but not in recovery.
    pub(super) fn may_burst_within(&mut self, now: Time, len: u64, room: u64) -> bool {
        if !self.super_frames.is_on() || self.state != State::Open {
            return true;
        }
        if self.nxt + len > self.pace_edge {
            let edge = self.nxt.saturating_add(room).min(self.window_edge);
            self.pace_edge = self.burst_edge(now, edge.min(self.end));
        }
        let may = self.nxt + len <= self.pace_edge;
        if !may {
            self.note_limit(now, self.cwnd_limit());
        }
        may
    }

    #[inline(never)]
    fn release_burst(&mut self, now: Time) {
        let edge = self.window_edge.min(self.cwnd_edge).min(self.end);
        self.pace_edge = self.burst_edge(now, edge);
        self.refresh_limit();
    }

    /// The first byte that may not leave at `now`, where the windows allow what is below `edge`: less than a whole burst waits for the
    /// next acknowledgement, if that is near.
    fn burst_edge(&self, now: Time, edge: u64) -> u64 {
        let (burst, whole) = (self.burst(), self.whole());
        let mut to = self.nxt;
        if self.waits_beside_probe(now) {
            return to;
        }
        while to + self.segment.min(self.end - to) <= edge && to < edge {
            // Buffers of the stream are cut at whole super-frames, and none leaves in one with the next. Less than a segment that is
            // left of one goes with the segment that has it.
            let rest = (whole - to % whole).div_ceil(self.segment) * self.segment;
            let rest = rest.min(self.end - to);
            let open = edge - to;
            if rest <= self.segment || open >= burst.min(rest) {
                to += burst.min(rest);
            } else if self.waits(now, open, to > self.nxt) {
                return to;
            } else {
                return edge;
            }
        }
        to.min(edge)
    }

    /// Bytes of the part of a segment that is left of the receiver's window, if it leaves at `now`.
    ///
    /// Linux cuts a super-frame at the end of the window and not at its last whole segment (`tcp_mss_split_point`, 6.18). So the part
    /// leaves in the super-frame of the whole ones before it, and by itself it waits (RFC 9293 §3.8.6.2.1).
    pub(super) fn rest_of_window(&mut self, now: Time) -> Option<u64> {
        let rest = self.window_edge.min(self.end).saturating_sub(self.nxt);
        let binds =
            self.peer_window <= self.send_buffer && self.nxt + self.segment <= self.cwnd_edge;
        let is_part = self.super_frames.is_on() && binds && 0 < rest && rest < self.segment;
        let begun = self.una < self.nxt
            && !self.waits_beside_probe(now)
            && self.super_frames.cut_at != self.nxt
            && self.last_sent() == now
            && !self.nxt.is_multiple_of(self.whole());
        if !is_part || !begun {
            return None;
        }
        self.super_frames.cut_at = self.nxt + rest;
        Some(rest)
    }

    /// A tail loss probe is one segment (RFC 8985 §7.3): what was held back beside it waits on. So it does where the probe's timer ran out
    /// early.
    fn waits_beside_probe(&self, now: Time) -> bool {
        self.repair.early_at == now || self.repair.probe.is_some_and(|probe| probe.at == now)
    }

    fn burst(&self) -> u64 {
        let rate = window_rate(self.cwnd, self.ssthresh, self.rtt.srtt_secs());
        self.super_frames.burst(rate, self.rtt.min(), self.segment)
    }

    fn whole(&self) -> u64 {
        self.super_frames.whole(self.peer_window, self.segment)
    }

    /// Whether `open` bytes wait for more. `wrote`: some have just left.
    fn waits(&self, now: Time, open: u64, wrote: bool) -> bool {
        let window = self.peer_window.min(self.cwnd as u64);
        let late = !wrote && now.since(self.last_sent()) > SOON;
        let Some(srtt) = self.rtt.srtt().filter(|_| self.una < self.nxt) else {
            return false;
        };
        let answer = (self.log.oldest() + srtt).since(now);
        self.state == State::Open && !late && !is_far(answer, srtt) && open < window / PART
    }
}
