//! What limits the connections of a program nobody asked: samples of them from outside.

mod alerts;
mod answers;
mod counted;
mod each;
mod empty;
mod evidence;
mod frames;
mod handshake;
mod lasting;
mod open;
mod opened;
mod others;
mod queued;
mod room;
mod silence;
mod spent;
mod timer;
mod unopened;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use farpath_emu::plane::{Acks, Segments};
use farpath_observe::limit::{Outage, account, outage};
use farpath_observe::{Connection, Limit, Path, RoundTrips, Sample, Surroundings};
use farpath_probe::live::{Ended, Snapshot};
use farpath_units::{Duration, Time};

pub(super) use self::alerts::Alerts;
pub(super) use self::empty::Empty;
pub(super) use self::open::together;
use self::queued::Queued;
use self::silence::Silence;
pub(super) use self::spent::Spent;
pub(super) use self::unopened::InVain;
use super::back;
use super::buffer;
use super::busiest::Busiest;
use super::cause::{Cause, join_losses, named};
use super::failed::Failed;
use super::many::{Each, Many};
use super::pool::{is_back_to_back, outstanding};
use super::samples::{SAMPLES_LEAST, within};
use super::seen::{End, Seen, name_of};
use super::sender::SENDERS;
use super::totals::Totals;
use super::waits::Waits;

/// The largest cause is named with the one after it, where that has this share of the time at least: less behind one below `CLEAR`.
const CLEAR: f64 = 0.6;
const NEXT: f64 = 0.05;
const NEXT_TO_CLEAR: f64 = 0.15;

/// A connection: all samples of it, and the words of the last one, or the kernel's last.
#[derive(Debug, Default)]
struct Watched {
    last: Seen,
    /// The kernel has said that it ended, and what it came to.
    is_closed: bool,
    /// It ended, and what it came to nobody has heard.
    is_missed: bool,
    /// It carried little beside others, and is sampled no more.
    is_given_up: bool,
    samples: Vec<Sample>,
    ends: Vec<End>,
    /// Bytes acknowledged between two samples, by the later one.
    intervals: Vec<(Time, u64)>,
    /// Whose it is: 0 the command's host, 1 the server's.
    host: usize,
    /// Since which sample no program holds it; none where one did in the last.
    left: Option<Time>,
    /// How long no program held it yet.
    queued: Queued,
}

/// All connections seen, each at both of its ends, by its own end and the other.
#[derive(Debug, Default)]
pub(super) struct Connections {
    all: BTreeMap<[String; 2], Watched>,
    /// When the rounds of samples were taken.
    rounds: Vec<Time>,
    /// Ends on the command's host of which the kernel has said its last words.
    heard: u64,
    /// The command has ended: what happens later is not reported.
    is_over: bool,
    /// Bytes that the path holds of what the command's host sends, and the server's.
    holds: [u64; 2],
    /// When nothing arrived at an end, by its own end and the other, where the path itself says so.
    pauses: BTreeMap<[String; 2], Vec<(Time, Time)>>,
    /// How long an end waited, by its own end and the other, as the path itself saw it.
    waits: BTreeMap<[String; 2], Waits>,
    /// Acknowledgements without data that came back to an end, by its own end and the other, as the path itself saw them.
    acks: BTreeMap<[String; 2], Acks>,
    /// Segments with data that an end sent, by its own end and the other, as the path itself saw them.
    segments: BTreeMap<[String; 2], Segments>,
    /// Round trips of handshakes of TLS, and those of them for the window, by both ends in either order.
    tls: BTreeMap<[String; 2], [u32; 2]>,
    /// The end that ended a handshake of TLS with an alert, if one did, by who opened the connection and the other.
    alerts: BTreeMap<[String; 2], Option<usize>>,
    /// Connections that were asked for and refused, by who asked and the other end.
    refused: BTreeSet<[String; 2]>,
    /// Addresses of the command's host; none where that is known by its connections alone.
    command: BTreeSet<String>,
    /// When the lab was about to end the server; none where that is not known.
    server_ended: Option<Time>,
    /// When the command was ended by the lab or the user, at the earliest; none where it ended by itself.
    cut_at: Option<Time>,
}

impl Connections {
    /// None yet, on a path that holds so many bytes of what the command's host sends, and the server's.
    pub(super) fn across(holds: [u64; 2]) -> Connections {
        Connections {
            holds,
            ..Connections::default()
        }
    }

    /// Whether none was seen.
    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Takes in what a kernel listed at an instant of the run, each connection by its own end and the other: first of the command's
    /// host. The host is 0 for the command's, 1 for the server's.
    pub(super) fn note(
        &mut self,
        now: Time,
        host: usize,
        listed: impl IntoIterator<Item = ([String; 2], Seen)>,
    ) {
        if host == 0 {
            self.rounds.push(now);
        }
        for (ends, seen) in listed {
            // The other end is there, whether it is seen or not.
            self.all.entry(turned(&ends)).or_default().host = 1 - host;
            let watched = self.all.entry(ends).or_default();
            // What was acknowledged never becomes less.
            if watched.is_closed || seen.end.acked < watched.last.end.acked {
                // Another between the same ends.
                *watched = Watched::default();
            }
            let before = watched.last.end.acked;
            watched.last = seen;
            watched.last.end.round = self.rounds.len();
            let is_left = watched.last.end.is_left;
            watched.left = is_left.then(|| watched.left.unwrap_or(now));
            watched.queued.sees(now, &watched.last.end);
            let more = watched.last.end.acked.saturating_sub(before);
            watched.intervals.push((now, more));
            watched.host = host;
            if watched.is_given_up {
                watched.intervals.clear();
                continue;
            }
            watched.samples.push(watched.last.sample);
            watched.ends.push(watched.last.end);
        }
        self.make_room();
    }

    /// Takes in that nothing is open at an instant of the run.
    pub(super) fn none_at(&mut self, now: Time) {
        self.rounds.push(now);
    }

    /// Takes in a kernel's last words on a connection of the host that has this number.
    pub(super) fn close(&mut self, now: Time, host: usize, ended: &Ended) {
        let ends = [ended.local, ended.peer].map(name_of);
        let known = self.all.get(&ends);
        let other = self.other(&ends);
        // The other end's last words may come first.
        let closed = other.filter(|c| c.is_closed).map(|c| c.last.sample.t);
        let gone = known.and_then(|c| c.ended_before(&self.rounds));
        let now = match gone.or(closed) {
            Some(then) if self.is_over => then,
            None if self.is_over => return,
            _ => now,
        };
        self.all.entry(turned(&ends)).or_default().host = 1 - host;
        let watched = self.all.entry(ends).or_default();
        watched.host = host;
        watched.close(now, &ended.last);
        self.heard += u64::from(host == 0);
    }

    /// Takes in a kernel's last words on a connection that stayed inside the host of this number: it counts as heard of.
    pub(super) fn pass_over(&mut self, host: usize) {
        self.heard += u64::from(host == 0);
    }

    /// The command has ended.
    pub(super) fn stop(&mut self) {
        self.is_over = true;
    }

    /// Of how many ends on the command's host the kernel has said its last words.
    pub(super) fn heard(&self) -> u64 {
        self.heard
    }

    /// Whether the last words on a connection are missing that was sampled and has ended.
    pub(super) fn misses_some(&self) -> bool {
        let missed = |c: &Watched| c.ended_before(&self.rounds).is_some();
        self.all.values().any(missed)
    }

    /// No more last words will be heard.
    pub(super) fn settle(&mut self) {
        for watched in self.all.values_mut() {
            if let Some(then) = watched.ended_before(&self.rounds) {
                watched.is_missed = true;
                watched.last.sample.t = then;
            }
        }
    }

    /// The other end of the connection that has these ends.
    fn other(&self, ends: &[String; 2]) -> Option<&Watched> {
        self.all.get(&turned(ends))
    }

    /// The command's end of the connection of which `one` has these ends.
    fn of_command<'a>(&'a self, ends: &[String; 2], one: &'a Watched) -> Option<&'a Watched> {
        match one.host {
            0 => Some(one),
            _ => self.other(ends),
        }
    }

    /// Takes in what connections of the same sender carried, of which `told` is one, and those on which a server of them sent nothing back.
    fn beside(&self, told: &mut Busiest) {
        let mut each = Vec::new();
        for (ends, one) in self.all.iter().filter(|(_, c)| c.host == told.host) {
            let sent = one.sent(self.other(ends));
            let joins = self.waits.get(ends).is_some_and(Waits::joins);
            if sent > 0 {
                told.connections += u64::from(!joins);
                told.all_bytes_sent += sent;
                told.all_segments_sent_again += one.last.retransmits;
            }
            if !joins && (sent > 0 || self.is_asked_in_vain(ends, one)) {
                each.extend(self.each(ends, one, sent));
            }
        }
        let each = Each::settled(each);
        told.failed = self.failed();
        told.closed_early = self.closed_early();
        told.empty = self.empty();
        told.alerts = self.alerts();
        told.spent = self.spent();
        told.in_vain = self.in_vain();
        told.opened_each_s = self.opened_each();
        told.refused = self.refused();
        told.many = Many::of(&each);
        told.open_s = self.open().map(Duration::as_secs_f64);
        told.outstanding_ratio = outstanding(&each, told.open_s);
        told.is_back_to_back = is_back_to_back(&each);
        let all_s = self.open_of_all();
        let with_open = |many: Many| many.with_open(told.open_s).with_open_of_all(all_s);
        told.many = told.many.map(with_open);
    }

    /// What is known of the connection that was given most to carry, or was asked for in vain, if there was one; the links that cross what each
    /// of the two hosts sends say what the connection does not.
    pub(super) fn told(&self, ways: [Option<Path<'_>>; 2]) -> Option<Busiest> {
        let told = self.largest(ways).or_else(|| self.unopened_alone());
        told.map(Busiest::in_words)
    }

    /// The same of one of which a kernel has said something, without its words.
    fn largest(&self, mut ways: [Option<Path<'_>>; 2]) -> Option<Busiest> {
        let other = |ends: &[String; 2]| self.other(ends);
        let sent = |(ends, c): &(&[String; 2], &Watched)| c.sent(other(ends));
        // What the path swallows is written, and never acknowledged. What has ended sends no more of it.
        let written = |c: &(&[String; 2], &Watched)| sent(c) + c.1.last.end.unsent;
        // Of two that sent as much as each other it is the command's.
        let rank = |c: &(&[String; 2], &Watched)| (written(c), c.1.host == 0);
        let (ends, most) = self.all.iter().max_by_key(rank)?;
        let is_counted = most.is_closed || other(ends).is_some_and(|c| c.is_closed);
        let at_least = most.is_missed || (is_counted && !most.is_closed);
        let mut told = most.counts(sent(&(ends, most)), at_least, self.holds[most.host]);
        self.beside(&mut told);
        told.unread_ratio = other(ends).and_then(Watched::unread);
        let other_end = other(ends).filter(|c| c.ends.len() >= SAMPLES_LEAST);
        told.other_held_small_ratio = other_end.map(Watched::held_small);
        let way = ways[most.host].take();
        let counts = self.counts(ends, most, way.as_ref());
        told.lost = counts.lost;
        let others = most.others([way.as_ref(), ways[1 - most.host].as_ref()]);
        self.repairs(ends, most, &mut told);
        let pauses = self.pauses.get(ends).cloned();
        let waits = self.waits.get(ends);
        let command = self.of_command(ends, most);
        let silence = self.silence(ends, most, command);
        let judged = waits.map(|w| silence.map_or(*w, |s| s.judges(most.host, w)));
        let waits = judged.as_ref();
        let pieces = waits.and_then(|w| answers::Pieces::of((most.host, w), command));
        let waits = pieces.as_ref().map(answers::Pieces::judged).or(waits);
        [told.held_small_s, told.other_held_small_s] =
            waits.map(Waits::held_small).unwrap_or_default();
        // Where no sample was taken at the start, frames know of more of its time.
        let span = waits.map_or(Duration::ZERO, Waits::span);
        let is_seen = most.is_seen_throughout();
        // An outage is known without samples where each frame was seen.
        let is_by_frames = pauses.is_some();
        let (mut causes, mut lost) = most.causes(way, pauses, span);
        if !is_by_frames && !is_seen {
            lost = Outage::default();
        }
        [told.path_down_s, told.silent_s] = [lost.down, lost.silent].map(Duration::as_secs_f64);
        if is_seen {
            let back = ways[1 - most.host].as_ref();
            most.share_waits((waits, other_end), back, lost.share, &mut causes);
            told.in_flight_max_bytes = Some(most.in_flight_max()).filter(|most| *most > 0);
            let shares = causes.iter().copied().chain([(Cause::Down, lost.share)]);
            told.limited_by = Some(named(shares));
            told.limited_by_within = Some(within(most.worth()));
            let largest = causes.first().copied();
            let first = largest.map(|(cause, _)| cause);
            told.cause = most.why(causes, lost, silence);
            told.cause += &pieces.map_or(String::new(), |p| p.words(first));
            let beside = most.at_times(waits, largest) + &told.ended();
            let opened = waits.map_or(String::new(), |w| w.opened_words(most.time()));
            told.cause += &(beside + &opened);
            if first == Some(Cause::Limit(Limit::ReceiveWindow)) {
                told.cause.push_str(&most.reading(&told, other(ends)));
            }
            if first.is_some_and(|cause| cause.is_way() || cause.is_window()) {
                told.cause.push_str(&others);
            }
            told.cause += &most.in_queue(first, [other(ends), Some(most)][most.host]);
            told.figures = told.in_flight() + &told.besides();
        } else if most.is_unopened() {
            told.line = told.unopened(&ends[1]);
        } else {
            let paused = silence.and_then(|s| s.alone(most.host, most.time()));
            most.say_counts(&mut told, (&counts, &lost), (waits, paused), &others);
        }
        Some(told)
    }
}

impl Watched {
    /// Takes in what the kernel had counted when it ended.
    fn close(&mut self, now: Time, said: &Snapshot) {
        let resent = said.resent.unwrap_or(0);
        let sent = said.sent.map_or(0, |all| all.saturating_sub(resent));
        if self.is_closed {
            // Two between the same ends, neither sampled: the larger is kept.
            if sent <= self.last.end.sent.unwrap_or(0) {
                return;
            }
            *self = Watched {
                host: self.host,
                ..Watched::default()
            };
        }
        let Seen {
            end,
            sample,
            segments,
            retransmits,
            ..
        } = &mut self.last;
        let more = said.acked.saturating_sub(end.acked);
        (*segments, *retransmits) = (said.segments, said.retransmits);
        (end.sent, end.acked, end.unsent) = (Some(sent), said.acked, 0);
        // A FIN counts as one.
        end.received = said.received.saturating_sub(1);
        sample.t = now;
        let busy = Duration::from_us(said.sample.busy_us);
        let timers = sample.timers.get_or_insert_default();
        timers.busy = timers.busy.max(busy);
        let [window, buffer] = [said.sample.rwnd_us, said.sample.sndbuf_us].map(Duration::from_us);
        timers.receive_window = timers.receive_window.max(window);
        timers.send_buffer = timers.send_buffer.max(buffer);
        timers.min_rtt = said
            .sample
            .rtt_min_ns
            .map(Duration::from_ns)
            .or(timers.min_rtt);
        self.intervals.push((now, more));
        self.is_closed = true;
    }

    /// When it was found to have ended, where it was open in a round of samples and not in the next, and the kernel has not
    /// said so.
    fn ended_before(&self, rounds: &[Time]) -> Option<Time> {
        let open = !self.is_closed && (self.is_given_up || !self.samples.is_empty());
        let next = rounds.get(self.last.end.round);
        next.copied().filter(|_| open)
    }

    /// What the kernel counted of it; what limited it is not known yet.
    fn counts(&self, bytes_sent: u64, at_least: bool, path_holds_bytes: u64) -> Busiest {
        Busiest {
            host: self.host,
            sender: SENDERS[self.host],
            cc: Some(self.last.control.clone()).filter(|cc| !cc.is_empty()),
            at_least,
            bytes_sent,
            segments_sent: self.last.segments,
            segments_sent_again: self.last.retransmits,
            lost: None,
            lost_back: None,
            timers_s: 0.0,
            server_ended: None,
            command_reset: None,
            cut_off: None,
            is_steered: false,
            is_multipath: false,
            acks: 0,
            acks_lost: 0,
            samples: self.samples.len(),
            held_small_ratio: self.held_small(),
            other_held_small_ratio: None,
            held_small_s: None,
            other_held_small_s: None,
            unread_ratio: None,
            waited_for_room_ratio: self.waited_for_room(),
            doubt: None,
            connections: 0,
            all_bytes_sent: 0,
            all_segments_sent_again: 0,
            outstanding_ratio: None,
            is_back_to_back: false,
            in_flight_max_bytes: None,
            path_holds_bytes,
            limited_by: None,
            limited_by_within: None,
            path_down_s: 0.0,
            path_down_from: None,
            silent_s: 0.0,
            kernel: Totals::of(self.last.sample.timers),
            many: None,
            open_s: None,
            this_open_s: None,
            in_vain: None,
            failed: Failed::default(),
            closed_early: None,
            empty: None,
            alerts: Alerts::default(),
            spent: Spent::default(),
            opened_each_s: None,
            refused: 0,
            took_s: None,
            repaired: String::new(),
            handshake: String::new(),
            cause: String::new(),
            figures: String::new(),
            line: String::new(),
        }
    }

    /// Bytes sent, each once: what the other end has received, this one has sent, whether it was seen to or not.
    fn sent(&self, other: Option<&Watched>) -> u64 {
        let own = self.last.end.sent.unwrap_or(self.last.end.acked);
        match (self.is_closed, other) {
            (false, Some(other)) => own.max(other.last.end.received),
            _ => own,
        }
    }

    /// Share of the samples in which at least a segment lay unread.
    fn unread(&self) -> Option<f64> {
        let unread = self.ends.iter().filter(|end| end.leaves_unread).count();
        let all = self.ends.len();
        (all >= SAMPLES_LEAST).then(|| unread as f64 / all as f64)
    }

    /// Share of the time in which its program was seen to wait for room.
    fn waited_for_room(&self) -> Option<f64> {
        buffer::waited_ratio(&self.samples, &self.ends)
    }

    /// Why the window of its receiver, the `other` end, was full, in words.
    fn reading(&self, told: &Busiest, other: Option<&Watched>) -> String {
        let room = other.and_then(Watched::waited_for_room);
        told.reading(SENDERS[1 - self.host]) + &told.stuck(self.unread(), room)
    }

    /// The most bytes in flight in any sample: the kernel counts segments, and no more bytes than were sent.
    fn in_flight_max(&self) -> u64 {
        // Of who opened it, the SYN is among what is acknowledged.
        let excess = |end: &End| end.acked.saturating_sub(end.sent.unwrap_or(end.acked));
        // With one byte acknowledged that is the SYN alone: where it is data, one byte too many is in flight.
        let is_syn = self.ends.iter().any(|end| end.acked == 1);
        let syn = self.ends.iter().map(excess).max().unwrap_or(0);
        let syn = syn.max(u64::from(is_syn));
        let of = |(sample, end): (&Sample, &End)| {
            let segments = sample.in_flight.unwrap_or(0);
            // A FIN is a segment under way, and no byte of it is data.
            end.sent.map_or(segments, |sent| {
                segments.min((sent + syn).saturating_sub(end.acked))
            })
        };
        let samples = self.samples.iter().zip(&self.ends);
        samples.map(of).max().unwrap_or(0)
    }

    /// What limited it by shares of its time, the largest first, and what outages cost: nothing arrived in `pauses`.
    fn causes(
        &self,
        path: Option<Path<'_>>,
        pauses: Option<Vec<(Time, Time)>>,
        span: Duration,
    ) -> (Vec<(Cause, f64)>, Outage) {
        let begun = self.begun();
        let connection = Connection {
            opened: begun,
            established: begun,
            samples: self.judged(),
            delivered: self.last.end.acked,
            rtt: RoundTrips::of_samples(&self.samples, self.min_rtt()),
            intervals: self.intervals.clone(),
            retransmits: Some(self.last.retransmits),
            rtos: Some(u64::from(self.last.backs_off())),
            paces_by_model: self.last.control.starts_with("bbr"),
            pauses,
            ..Connection::default()
        };
        let around = Surroundings { path, hosts: None };
        // The kernel says whether the timer backs off now, and not how often it has run out.
        let lost = Outage {
            without_timer: false,
            ..outage(&self.whole(&connection, span), Time::ZERO, &around)
        };
        let stretches = account(&connection, Time::ZERO, &around);
        let path = around.path.as_ref();
        let mut causes = back::causes(&stretches, path, &self.waiting(path));
        causes.iter_mut().for_each(|c| c.1 *= 1.0 - lost.share);
        causes.retain(|(_, share)| *share > 0.0);
        (causes, lost)
    }

    /// The largest cause in words, and where it does not stand out the next one, with an outage by its share, and a pause at the
    /// end.
    fn why(&self, mut causes: Vec<(Cause, f64)>, lost: Outage, silence: Option<Silence>) -> String {
        let largest = causes.first().map_or(0.0, |(_, share)| *share);
        if let Some(words) = lost.words().filter(|_| lost.share > largest) {
            return words;
        }
        join_losses(&mut causes);
        let largest = causes.first().map_or(0.0, |(_, share)| *share);
        let least = if largest < CLEAR { NEXT } else { NEXT_TO_CLEAR };
        causes.truncate(2);
        causes.retain(|(_, share)| *share >= largest.min(least));
        let mut said: Vec<(f64, String)> = match causes[..] {
            [(a, first), (b, second)] if a.is_window() && b.is_window() => {
                vec![(first + second, self.window([(a, first), (b, second)]))]
            }
            _ => causes
                .into_iter()
                .map(|cause| (cause.1, self.with_silence(cause, silence)))
                .collect(),
        };
        if said.is_empty() {
            said.push((1.0, "what limited it is unknown".to_owned()));
        }
        said.extend(lost.words().map(|words| (lost.share, words)));
        said.sort_by(|a, b| b.0.total_cmp(&a.0));
        let said: Vec<String> = said.into_iter().map(|(_, words)| words).collect();
        said.join("; ")
    }
}

/// The ends of a connection as the other one of them has them.
fn turned([own, peer]: &[String; 2]) -> [String; 2] {
    [peer.clone(), own.clone()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::asleep::Asleep;
    use crate::lab::seen::ss::read_all;
    use farpath_emu::plane::Turns;

    const TEXT: &str = "0 1234 198.18.0.1:40000 198.18.0.2:5201\n\t skmem:(r0,rb131072,t0,tb4194304,f56,w1280264,o0,bl0,d0) ts sack cubic wscale:7,7 rto:500 rtt:300.1/0.1 mss:1448 \
        pmtu:1500 cwnd:700 ssthresh:500 bytes_sent:90000000 bytes_acked:88000000 segs_out:1 send 27Mbps \
        busy:9000ms rwnd_limited:6000ms(66.7%) unacked:620 retrans:0/3 notsent:1\n";

    const UNKNOWN: [Option<Path<'_>>; 2] = [None, None];

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    impl Connections {
        /// Takes in what `ss` printed.
        fn printed(&mut self, now: Time, host: usize, text: &str) {
            self.note(now, host, read_all(now, text));
        }
    }

    /// Twenty samples of a host, 500 ms apart, each as `TEXT` with `changed` in place of the segments sent again.
    fn followed(host: usize, changed: &str) -> Connections {
        let mut connections = Connections::across([37_500_000; 2]);
        for n in 1..=20 {
            let timers = format!("busy:{}ms rwnd_limited:{}ms", n * 450, n * 300);
            let text = TEXT.replace("busy:9000ms rwnd_limited:6000ms(66.7%)", &timers);
            connections.printed(at(n * 500), host, &text.replace("retrans:0/3", changed));
        }
        connections
    }

    #[test]
    fn samples_are_read_and_explained_in_one_line() {
        let connections = followed(0, "retrans:0/3");
        let line = connections.told(UNKNOWN).expect("there is one").line;
        assert_eq!(
            line,
            "what your command sends (cubic): the receiver's window limited it 60 % of the time; your command limited it: it had nothing to \
             send 40 % of the time; at most 898 kB in flight in 20 samples \
             on a path that holds 37.5 MB; sent 3 segments again"
        );
    }

    #[test]
    fn a_window_that_grew_and_was_cut_is_one_cause() {
        let [grew, cut, loss] =
            [Limit::CwndSlowStart, Limit::CwndRecovery, Limit::Loss].map(Cause::Limit);
        let said = |retransmits, causes: &[(Cause, f64)]| {
            let watched = Watched {
                last: Seen {
                    retransmits,
                    ..Seen::default()
                },
                ..Watched::default()
            };
            watched.why(causes.to_vec(), Outage::default(), None)
        };
        assert_eq!(
            said(9, &[(grew, 0.52), (cut, 0.42)]),
            "the congestion window limited it 94 % of the time: still growing for 52 %, after losses for 42 %"
        );
        assert_eq!(
            said(9, &[(cut, 0.4), (grew, 0.3), (loss, 0.25)]),
            "the congestion window limited it 95 % of the time: after losses for 65 %, still growing for 30 %"
        );
        assert_eq!(
            said(0, &[(cut, 0.7)]),
            "the congestion window limited it 70 % of the time"
        );
    }

    /// 58 % of a window, an outage of 38 %, and 4 % of something else: that is not worth a word, nor are 10 % behind 80, and 20 % come behind the outage.
    #[test]
    fn causes_and_an_outage_are_said_by_their_shares() {
        let said = |idle: f64, outage: f64| {
            let causes = vec![
                (Cause::Limit(Limit::ReceiveWindow), 1.0 - idle - outage),
                (Cause::Limit(Limit::Application), idle),
            ];
            let lost = Outage {
                down: Duration::from_secs(3),
                silent: Duration::from_secs(4),
                share: outage,
                ..Outage::default()
            };
            Watched::default().why(causes, lost, None)
        };
        let place = |said: &str, words: &str| said.find(words).unwrap_or(usize::MAX);
        let little = said(0.04, 0.38);
        assert!(
            little.starts_with("the receiver's window limited it 58 %"),
            "{little}"
        );
        assert!(
            little.contains("was down") && !little.contains("to send"),
            "{little}"
        );
        let some = said(0.2, 0.3);
        assert!(place(&some, "was down") < place(&some, "to send"), "{some}");
        assert!(
            some.ends_with("it had nothing to send 20 % of the time"),
            "{some}"
        );
        let more = said(0.1, 0.1);
        assert!(
            !more.contains("to send") && more.contains("was down"),
            "{more}"
        );
    }

    /// What `ss` of iproute2 6.1 prints with more than one state: the state first, and one line for what has no account.
    #[test]
    fn a_connection_is_followed_after_its_program_has_closed_it() {
        let mut connections = Connections::across([37_500_000; 2]);
        let (_, account) = TEXT.split_once('\n').expect("two lines");
        for n in 1..=10 {
            let state = if n < 3 { "ESTAB" } else { "FIN-WAIT-1" };
            let text = format!(
                "TIME-WAIT 0 0 198.18.0.1:40002 198.18.0.2:5201\n\
                 {state} 0 1234 [::ffff:198.18.0.1]:40000 [::ffff:198.18.0.2]:5201\n{}",
                account.replace("retrans:0/3", &format!("retrans:0/{n}"))
            );
            connections.printed(at(n * 100), 1, &text);
        }
        let line = connections.told(UNKNOWN).expect("there is one").line;
        assert!(line.contains("sent 10 segments again"), "{line}");
        assert_eq!(
            connections.all.len(),
            2,
            "one connection, its other end unseen"
        );
        let ends = ["198.18.0.1:40000", "198.18.0.2:5201"].map(str::to_owned);
        assert_eq!(connections.all.keys().next(), Some(&ends));
    }

    /// Three requests in 300 ms, 210 of them at the server: too short for samples, and known by frames.
    #[test]
    fn a_short_connection_that_waited_for_the_server_says_so() {
        let said = |other: u64| {
            let mut connections = Connections::across([500_000; 2]);
            for n in 1..=3 {
                let own = format!("bytes_sent:{n}00 bytes_acked:{n}00 busy:{n}0ms");
                connections.printed(at(n * 100), 0, &end(0, &own));
            }
            let ends = ["198.18.0.1:40000", "198.18.0.2:5201"];
            connections.take_turns(&Turns {
                span: Duration::from_ms(300),
                at: [0, other].map(Duration::from_ms),
                way: Duration::from_ms(300 - other),
                ..Turns::between(ends.map(|end| end.parse().expect(end)))
            });
            connections.told(UNKNOWN).expect("there is one").line
        };
        let slow = said(210);
        let words = ": your command waited for the server 70 % of the time; ";
        assert!(slow.contains(words), "{slow}");
        assert!(slow.contains("and all that limited it"), "{slow}");
        let far = said(30);
        assert!(!far.contains("waited for the server"), "{far}");
    }

    /// A pure receiver that has closed: its FIN waits for an acknowledgement, and is a segment to the kernel.
    #[test]
    fn nothing_is_in_flight_of_who_sent_nothing() {
        let mut connections = Connections::across([100_000; 2]);
        for n in 1..=20_u64 {
            let account = "bytes_sent:0 bytes_acked:1 unacked:1 busy:2000ms";
            connections.printed(at(n * 100), 0, &end(0, account));
        }
        let told = connections.told(UNKNOWN).expect("there is one");
        assert_eq!((told.bytes_sent, told.in_flight_max_bytes), (0, None));
        assert!(told.line.contains("nothing in flight"), "{}", told.line);
    }

    /// Samples that grow apart with a connection's age: what they are worth goes by the time they stand for.
    #[test]
    fn samples_of_a_short_connection_are_worth_what_they_stand_for() {
        let mut connections = Connections::across([100_000; 2]);
        let (mut ms, mut count) = (10, 0);
        while ms < 1000 {
            let account = format!("bytes_sent:{ms}00 bytes_acked:{ms}00 busy:{ms}ms unacked:9");
            connections.printed(at(ms), 0, &end(0, &account));
            (ms, count) = (ms + (ms / 16).max(10), count + 1);
        }
        let told = connections.told(UNKNOWN).expect("there is one");
        assert_eq!(told.samples, count);
        let within = told.limited_by_within.expect("they are enough");
        assert!(within > 1.0 / (count as f64).sqrt(), "{within} of {count}");
        assert!(!told.line.contains("so few"), "{}", told.line);
        assert!(told.limited_by.is_some());
    }

    /// Requests whose time the path saw: what samples have of it counts no more.
    #[test]
    fn a_side_that_waits_says_so_by_frames() {
        let told = |rounds: u64, account: &str, other: u64, way: u64| {
            let mut connections = Connections::across([500_000; 2]);
            for n in 1..=rounds {
                let own = format!(
                    "bytes_sent:{n}00 bytes_acked:{n}00 busy:{}ms {account}",
                    n * 100
                );
                connections.printed(at(n * 100), 0, &end(0, &own));
            }
            // The server's frame was seen first.
            let ends = ["198.18.0.2:5201", "198.18.0.1:40000"];
            connections.take_turns(&Turns {
                span: Duration::from_ms(rounds * 100),
                at: [other, 0].map(Duration::from_ms),
                way: Duration::from_ms(way),
                ..Turns::between(ends.map(|end| end.parse().expect(end)))
            });
            let told = connections.told(UNKNOWN).expect("there is one");
            let shares = told.limited_by.expect("samples are many enough");
            let sum: f64 = shares.values().sum();
            assert!((sum - 1.0).abs() < 1e-9, "{shares:?}");
            for (name, ms) in [("other_side", other), ("on_the_way", way)] {
                let wanted = ms as f64 / (rounds * 100) as f64;
                assert!((shares[name] - wanted).abs() < 1e-9, "{shares:?}");
            }
            told.line
        };
        let idle = "app_limited unacked:1";
        let slow = told(50, idle, 3750, 1000);
        let words = ": your command waited for the server 75 % of the time; ";
        assert!(slow.contains(words), "{slow}");
        let far = told(50, idle, 20, 4900);
        let words =
            ": it waited for the path 98 % of the time: a request or an answer was on the way; ";
        assert!(far.contains(words), "{far}");
        // Samples met a full window each time.
        told(50, "unacked:10", 200, 4700);
        let short = told(12, idle, 100, 100);
        let few = "12 samples, so few that shares may be 29 % off, on a path";
        assert!(short.contains(few), "{short}");
    }

    /// A way back that acknowledgements fill, as `ss` has it of a sender whose window grows slowly: neither the window nor losses
    /// are named, and what the path dropped of them is.
    #[test]
    fn a_full_way_back_is_named_and_lost_acknowledgements_are_counted() {
        let told = |queue_bytes: u64| {
            let mut connections = Connections::across([500_000; 2]);
            for n in 1..=20_u64 {
                let own = format!(
                    "bytes_sent:{n}000 bytes_acked:{n}000 busy:{}ms unacked:10 ssthresh:20 retrans:0/3",
                    n * 500
                );
                connections.printed(at(n * 500), 0, &end(0, &own));
            }
            let interval = farpath_observe::Interval {
                bytes: 800,
                queue_bytes,
            };
            let intervals = [interval; 100];
            let back = farpath_observe::Hop {
                name: "access s>c",
                own: false,
                waits_unseen: false,
                rates: vec![(
                    Time::ZERO,
                    farpath_units::Rate::from_bps(64_000).expect("a rate"),
                )],
                intervals: &intervals,
                dropped: farpath_observe::Dropped::default(),
                frame_bytes: 0,
            };
            let path = Path {
                every: Duration::from_ms(100),
                hops: Vec::new(),
                back: vec![back],
                down: Vec::new(),
                notes: Vec::new(),
            };
            let way = ["198.18.0.2:5201", "198.18.0.1:40000"].map(|e| e.parse().expect(e));
            connections.take_acks(
                way,
                Acks {
                    sent: 900,
                    lost: 300,
                },
            );
            connections.told([Some(path), None]).expect("there is one")
        };
        let full = told(300);
        let words = ": the way back was full 100 % of the time: acknowledgements waited for it; ";
        assert!(full.line.contains(words), "{}", full.line);
        let lost = "; on the way back 300 of 900 acknowledgements were lost";
        assert!(full.line.ends_with(lost), "{}", full.line);
        let shares = full.limited_by.expect("samples are many enough");
        assert!((shares["way_back"] - 1.0).abs() < 1e-9, "{shares:?}");
        assert_eq!((full.acks, full.acks_lost), (900, 300));
        let window = told(0).line;
        assert!(
            window.contains(": the congestion window limited it 100 %"),
            "{window}"
        );
    }

    /// A receiver whose window is full leaves data unread, or reads what comes: one is slow, and of the other the buffer is small.
    #[test]
    fn a_full_window_is_of_a_slow_reader_or_of_a_small_buffer() {
        let told = |unread: u64| {
            let mut connections = followed(0, "retrans:0/0");
            let ends = ["198.18.0.2:5201", "198.18.0.1:40000"].map(str::to_owned);
            for n in 1..=20 {
                let mut seen = Seen::default();
                seen.sample.t = at(n * 500);
                seen.end.received = n * 1000;
                seen.end.leaves_unread = n <= unread;
                connections.note(at(n * 500), 1, [(ends.clone(), seen)]);
            }
            connections.told(UNKNOWN).expect("there is one")
        };
        let slow = told(19);
        let words = ": the receiver's window limited it 60 % of the time; your command limited it: it had nothing to send 40 % of the time; \
                     the server read slowly, and had data to read in 95 % of its samples; ";
        assert!(slow.line.contains(words), "{}", slow.line);
        assert_eq!(slow.unread_ratio, Some(0.95));
        let small = told(2).line;
        let words = "; the server read what came: a larger receive buffer (SO_RCVBUF, tcp_rmem) lets more through; ";
        assert!(small.contains(words), "{small}");
    }

    /// A thousand connections at once, for so long that their samples would fill the memory: those that carry most are still followed.
    #[test]
    fn samples_of_many_connections_are_bounded() {
        let mut connections = Connections::across([500_000; 2]);
        let of = |port: u64, n: u64| {
            let ends = [format!("198.18.0.1:{port}"), "198.18.0.2:80".to_owned()];
            let mut seen = Seen::default();
            seen.sample.t = at(n * 100);
            seen.sample.timers = Some(farpath_observe::Timers::default());
            seen.end.acked = n * port;
            (ends, seen)
        };
        for n in 1..=700 {
            connections.note(at(n * 100), 0, (1..=1000).map(|port| of(port, n)));
        }
        let kept: usize = connections.all.values().map(|c| c.samples.len()).sum();
        assert!(kept < room::KEPT_MOST, "{kept}");
        let samples = |port: u64| connections.all[&of(port, 1).0].samples.len();
        assert_eq!((samples(1000), samples(1)), (700, 0));
        // What is known of all of them is what they carried.
        assert_eq!(connections.all[&of(1, 1).0].last.end.acked, 700);
        let told = connections.told(UNKNOWN).expect("there is one");
        assert_eq!((told.bytes_sent, told.connections), (700_000, 1000));
    }

    /// A port that is used again between two rounds, and nobody heard of the first connection that it ended.
    #[test]
    fn another_connection_between_the_same_ends_begins_anew() {
        let mut connections = Connections::across([500_000; 2]);
        for (ms, sent) in [(100, 900_000), (200, 1_000_000), (300, 10), (400, 4000)] {
            let own = format!("bytes_sent:{sent} bytes_acked:{sent} busy:{}ms", ms % 250);
            connections.printed(at(ms), 0, &end(0, &own));
        }
        let ends = ["198.18.0.1:40000", "198.18.0.2:5201"].map(str::to_owned);
        let watched = &connections.all[&ends];
        assert_eq!((watched.samples.len(), watched.last.end.acked), (2, 4000));
        assert_eq!(watched.intervals.iter().map(|i| i.1).sum::<u64>(), 4000);
    }

    /// A request that the server keeps to itself until the end.
    #[test]
    fn a_request_without_an_answer_is_said() {
        let told = |since: u64| {
            let mut connections = Connections::across([500_000; 2]);
            for n in 1..=30 {
                let own = format!("bytes_sent:100 bytes_acked:100 busy:{n}ms app_limited");
                connections.printed(at(n * 100), 0, &end(0, &own));
            }
            let ends = ["198.18.0.1:40000", "198.18.0.2:5201"];
            connections.take_turns(&Turns {
                span: Duration::from_ms(60),
                unanswered: Some((0, at(since))),
                ..Turns::between(ends.map(|end| end.parse().expect(end)))
            });
            connections.told(UNKNOWN).expect("there is one").line
        };
        let words = "for the last 2.9 s the server had all of it and sent nothing back";
        assert!(told(100).contains(words), "{}", told(100));
        let late = told(2500);
        assert!(late.contains("your command limited it"), "{late}");
    }

    /// Who sends and has nothing to send is named, on either side; doubt stands at the end.
    #[test]
    fn the_cause_is_first_and_names_who_limited() {
        for (host, sender) in [(0, "your command"), (1, "the server")] {
            let mut connections = Connections::across([100_000; 2]);
            for n in 1..=20 {
                let account = format!(
                    "bytes_sent:{n}00 bytes_acked:{n}00 busy:{n}00ms app_limited unacked:1"
                );
                connections.printed(at(n * 100), 0, "");
                connections.printed(at(n * 100), host, &end(host, &account));
            }
            let told = connections.told(UNKNOWN).expect("there is one");
            let told = told.doubted(Some("the machine was busy".to_owned()));
            let words = format!(
                "what {sender} sends (cubic): {sender} limited it: it had nothing to send 100 % of the time; nothing in flight "
            );
            assert!(told.line.starts_with(&words), "{}", told.line);
            let doubt = "; what limited it is doubtful: the machine was busy";
            assert!(told.line.ends_with(doubt), "{}", told.line);
        }
    }

    /// Nothing listens on the port: a reset answers the SYN.
    #[test]
    fn a_connection_that_was_refused_is_said_to_be() {
        let said = |acked: u64| {
            let mut connections = Connections::across([500_000; 2]);
            let ended = Ended {
                local: "198.18.0.1:40000".parse().expect("an address"),
                peer: "198.18.0.2:7001".parse().expect("an address"),
                last: Snapshot {
                    acked,
                    ..Snapshot::default()
                },
            };
            connections.close(at(100), 0, &ended);
            connections.told(UNKNOWN).expect("there is one").line
        };
        assert_eq!(
            said(0),
            "your command sent nothing: its connection to 198.18.0.2:7001 was refused, or given up before an answer had come"
        );
        assert!(!said(1).contains("refused"), "{}", said(1));
    }

    /// A header of four bytes and a body, in two writes: `ss` as Linux 6.18 printed it.
    #[test]
    fn small_writes_that_wait_are_said() {
        let told = |held: u64| {
            let mut connections = Connections::across([500_000; 2]);
            for n in 1..=20 {
                let waits = match n > 20 - held {
                    true => "unacked:1 notsent:1024",
                    false => "app_limited",
                };
                let own = format!("bytes_sent:{n}00 bytes_acked:{n}00 busy:{n}0ms {waits}");
                connections.printed(at(n * 100), 0, &end(0, &own));
            }
            connections.told(UNKNOWN).expect("there is one")
        };
        let half = told(10);
        assert!(!half.line.contains("nothing to send"), "{}", half.line);
        assert_eq!(half.line.matches("Nagle").count(), 1, "{}", half.line);
        assert!((half.held_small_ratio - 0.5).abs() < 1e-9);
        let shares = half.limited_by.expect("samples are many enough");
        assert!((shares["small_writes"] - 1.0).abs() < 1e-6, "{shares:?}");
        assert!(!told(1).line.contains("Nagle"));
    }

    /// The same of a client whose answers are larger than its requests: the server sends most, and waits for a client that waits.
    #[test]
    fn small_writes_of_who_sends_less_are_said() {
        let told = |held: u64| {
            let mut connections = Connections::across([500_000; 2]);
            for n in 1..=20 {
                let waits = match n > 20 - held {
                    true => "unacked:1 notsent:100",
                    false => "app_limited",
                };
                let own = format!("bytes_sent:{n}00 bytes_acked:{n}00 busy:{n}0ms {waits}");
                connections.printed(at(n * 100), 0, &end(0, &own));
                let answers =
                    format!("bytes_sent:{n}000 bytes_acked:{n}000 busy:{n}0ms app_limited");
                connections.printed(at(n * 100), 1, &end(1, &answers));
            }
            connections.told(UNKNOWN).expect("there is one")
        };
        let half = told(10);
        assert_eq!(half.sender, "the server");
        let words = ": a small write of your command waited for the acknowledgement of the one before (Nagle's algorithm) 100 % of the time: \
                     one write for both, or TCP_NODELAY, spares that wait; ";
        assert!(half.line.contains(words), "{}", half.line);
        assert_eq!(half.line.matches("Nagle").count(), 1, "{}", half.line);
        let ratios = (half.held_small_ratio, half.other_held_small_ratio);
        assert_eq!(ratios, (0.0, Some(0.5)));
        let shares = half.limited_by.expect("samples are many enough");
        assert!((shares["small_writes"] - 1.0).abs() < 1e-6, "{shares:?}");
        let few = told(5);
        let shares = few.limited_by.expect("samples are many enough");
        assert!((shares["small_writes"] - 0.25).abs() < 0.02, "{shares:?}");
        assert!(few.line.contains("the server limited it"), "{}", few.line);
        let words = "; a small write of your command waited for the acknowledgement of the one before (Nagle's algorithm) 26 % of the time";
        assert!(few.line.contains(words), "{}", few.line);
    }

    /// What one of several carried is not what the command sent.
    #[test]
    fn several_connections_are_said_to_be() {
        let mut connections = Connections::across([500_000; 2]);
        for n in 1..=12_u64 {
            let of = |port: u64| {
                format!(
                    "ESTAB 0 0 198.18.0.1:{port} 198.18.0.2:5201\n\t cubic mss:1428 cwnd:10 bytes_sent:{} bytes_acked:{0} busy:{n}00ms retrans:0/2 unacked:10\n",
                    n * (1000 + port)
                )
            };
            let text: String = (1..=3).map(|k| of(40_000 + k)).collect();
            connections.printed(at(n * 100), 0, &text);
        }
        let told = connections.told(UNKNOWN).expect("there is one");
        assert_eq!(told.connections, 3);
        let words =
            "; it is the largest of 3 connections, which sent 1476 kB in all, 6 segments again";
        assert!(told.line.ends_with(words), "{}", told.line);
    }

    /// Two samples of a connection that the path saw go silent: the outage is said all the same.
    #[test]
    fn an_outage_is_said_where_samples_are_few() {
        let mut connections = Connections::across([100_000; 2]);
        for n in [1, 30] {
            let account = format!("bytes_sent:{n}00 bytes_acked:{n}00 busy:{n}00ms");
            connections.printed(at(n * 100), 0, &end(0, &account));
        }
        let way = ["198.18.0.2:5201", "198.18.0.1:40000"].map(|e| e.parse().expect(e));
        connections.pause(way, vec![(at(1000), at(2500)), (at(3000), Time::MAX)]);
        let path = Path {
            every: Duration::ZERO,
            hops: Vec::new(),
            back: Vec::new(),
            down: vec![(at(900), at(2000))],
            notes: Vec::new(),
        };
        let told = connections.told([Some(path), None]).expect("there is one");
        assert_eq!(told.limited_by, None);
        let outage = " was down for 1.1 s, and the sender heard nothing for 1.5 s (50 % of the time): it waited for its timer; your \
                      command sent ";
        let whole = format!(": the path{outage}");
        assert!(told.line.contains(&whole), "{}", told.line);
        let told = told.down_one_way(None);
        assert!(told.line.contains(&whole), "{}", told.line);
        // `--down back:…`: acknowledgements found it down.
        let back = told.down_one_way(Some(1));
        let whole = format!(": the path from the server to your command{outage}");
        assert!(back.line.contains(&whole), "{}", back.line);
        assert_eq!(back.path_down_from, Some("the server"));
    }

    #[test]
    fn two_causes_are_named_where_neither_is_most_of_the_time() {
        let of = |window: u64, buffer: u64| {
            let more = |n| {
                format!(
                    "rwnd_limited:{}ms sndbuf_limited:{}ms",
                    n * window,
                    n * buffer
                )
            };
            let mut connections = Connections::across([10_000_000; 2]);
            for n in 1..=10 {
                let text = format!(
                    "0 0 198.18.0.1:40000 198.18.0.2:5201\n\t cubic mss:1000 cwnd:100 ssthresh:50 bytes_acked:1000 \
                     busy:{}ms unacked:100 {}\n",
                    n * 100,
                    more(n)
                );
                connections.printed(at(n * 100), 0, &text);
            }
            connections.told(UNKNOWN).expect("a line").cause
        };
        let clear = "the receiver's window limited it 90 % of the time";
        assert_eq!(of(90, 4), clear);
        let clear = "the receiver's window limited it 61 % of the time";
        let buffer = "its send buffer limited it 30 % of the time: a larger one (SO_SNDBUF, tcp_wmem) lets more through";
        assert_eq!(of(61, 30), format!("{clear}; {buffer}"));
        let both = "the receiver's window limited it 55 % of the time; its send buffer limited it 40 % of the time: a larger one \
                    (SO_SNDBUF, tcp_wmem) lets more through";
        assert_eq!(of(55, 40), both);
    }

    #[test]
    fn what_has_arrived_or_is_lost_is_not_in_flight() {
        // 620 unacknowledged: 300 arrived, 200 lost, of which 20 are under way again (RFC 6675 §4, `pipe`).
        let connections = followed(1, "retrans:20/45 sacked:300 lost:200");
        let line = connections.told(UNKNOWN).expect("there is one").line;
        let wanted = "; at most 203 kB in flight in 20 samples on a path that holds 37.5 MB; sent 45 segments again";
        assert!(
            line.starts_with("what the server sends (cubic): "),
            "{line}"
        );
        assert!(line.ends_with(wanted), "{line}");
    }

    /// One line of `ss` for a host's end of a connection between 198.18.0.1:40000 and 198.18.0.2:5201.
    fn end(host: usize, account: &str) -> String {
        let ends = match host {
            0 => "198.18.0.1:40000 198.18.0.2:5201",
            _ => "198.18.0.2:5201 198.18.0.1:40000",
        };
        format!("ESTAB 0 0 {ends}\n\t cubic mss:1428 cwnd:10 {account}\n")
    }

    /// A client that opened the connection and sends 200 bytes at a time, which the kernel counts as segments.
    #[test]
    fn no_more_is_in_flight_than_was_sent() {
        let mut connections = Connections::across([100_000; 2]);
        for n in 1..=10_u64 {
            let account = match n {
                1 => "bytes_acked:1",
                2..=5 => "bytes_sent:600 bytes_acked:1 data_segs_out:3 unacked:3",
                _ => "bytes_sent:600 bytes_acked:601 data_segs_out:3",
            };
            connections.printed(at(n * 100), 0, &end(0, account));
        }
        let told = connections.told(UNKNOWN).expect("there is one");
        assert_eq!(told.in_flight_max_bytes, Some(600));
        assert_eq!((told.bytes_sent, told.segments_sent), (600, 3));
        assert_eq!(told.samples, 10);
    }

    /// 108 bytes into an outage, first sampled when they were under way.
    #[test]
    fn all_is_in_flight_where_the_syn_alone_is_acknowledged() {
        let mut connections = Connections::across([100_000; 2]);
        for n in 1..=10_u64 {
            let account = "bytes_sent:108 bytes_acked:1 data_segs_out:1 unacked:1";
            connections.printed(at(n * 100), 0, &end(0, account));
        }
        let told = connections.told(UNKNOWN).expect("there is one");
        assert_eq!(told.in_flight_max_bytes, Some(108));
    }

    /// 2 s without a sample in a run of 4 s, in which most was sent.
    #[test]
    fn what_was_hardly_looked_at_is_not_explained() {
        let mut connections = Connections::across([100_000; 2]);
        for n in (1..=10_u64).chain(30..=40) {
            let sent = if n > 10 { 90_000 } else { 600 };
            let account = format!(
                "bytes_sent:{sent} bytes_acked:{sent} data_segs_out:66 retrans:0/2 app_limited"
            );
            connections.printed(at(n * 100), 0, &end(0, &account));
        }
        let told = connections.told(UNKNOWN).expect("there is one");
        assert_eq!((told.bytes_sent, told.samples), (90_000, 21));
        assert_eq!((told.in_flight_max_bytes, &told.limited_by), (None, &None));
        assert_eq!(
            told.line,
            "your command sent 90 kB (cubic) in 66 segments, 2 of them again; samples too far apart (21 in 3.9 s) to say what was in \
             flight and what limited it"
        );
    }

    /// What a host has received, the other has sent, though the other was last sampled before.
    #[test]
    fn who_sends_most_is_known_by_who_received_it() {
        let mut connections = Connections::across([100_000; 2]);
        for n in 1..=10_u64 {
            let [asked, answer] = [n * 60, n * 9000];
            let own = format!("bytes_sent:{asked} bytes_acked:{asked} bytes_received:{answer}");
            connections.printed(at(n * 100), 0, &end(0, &own));
            let account = if n == 1 {
                "bytes_sent:40 bytes_acked:40"
            } else {
                "bytes_sent:50 bytes_acked:50"
            };
            connections.printed(at(n * 100), 1, &end(1, account));
        }
        let told = connections.told(UNKNOWN).expect("there is one");
        assert_eq!((told.sender, told.bytes_sent), ("the server", 90_000));
    }

    /// What the server's kernel said last of its connection to a port of the command's host.
    fn last(port: u16, sent: u64, resent: u64) -> Ended {
        Ended {
            local: "[2001:db8::2]:8000".parse().expect("an address"),
            peer: format!("[2001:db8::1]:{port}").parse().expect("an address"),
            last: Snapshot {
                sent: Some(sent + resent),
                resent: Some(resent),
                acked: sent,
                segments: (sent + resent).div_ceil(1428),
                retransmits: resent.div_ceil(1428),
                ..Snapshot::default()
            },
        }
    }

    /// Ten samples of a connection of the server's, 100 ms apart from `from` on, with so much sent in each and 1.2 MB waiting.
    fn downloads(connections: &mut Connections, port: u16, from: u64, rate: u64) {
        for n in 1..=10 {
            let sent = n * rate;
            let text = format!(
                "ESTAB 0 0 [2001:db8::2]:8000 [2001:db8::1]:{port}\n\t cubic mss:1428 cwnd:10 bytes_sent:{sent} bytes_acked:{sent} \
                 data_segs_out:9 busy:{}ms notsent:1200000\n",
                n * 100
            );
            connections.printed(at(from + n * 100), 0, "");
            connections.printed(at(from + n * 100), 1, &text);
        }
    }

    /// A download that was broken off and resumed: most of what the first had to send was never sent, and samples of the
    /// second are old.
    #[test]
    fn what_carried_most_is_known_by_the_kernels_last_figures() {
        let mut connections = Connections::across([100_000; 2]);
        downloads(&mut connections, 40_000, 0, 70_000);
        connections.close(at(2000), 1, &last(40_000, 776_876, 90_000));
        downloads(&mut connections, 40_002, 2000, 60_000);
        connections.close(at(5000), 1, &last(40_002, 1_348_920, 2856));
        connections.none_at(at(5500));
        connections.stop();
        assert!(!connections.misses_some());
        connections.settle();
        let told = connections.told(UNKNOWN).expect("there is one");
        assert_eq!((told.bytes_sent, told.at_least), (1_348_920, false));
        assert_eq!((told.segments_sent, told.segments_sent_again), (947, 2));
        // It lived for 3 s, and two of them nobody saw.
        assert_eq!(told.limited_by, None);
        let wanted = "the server sent 1349 kB (cubic) in 947 segments, 2 of them again; samples too far apart (10 in 3.0 s) to say ";
        assert!(told.line.starts_with(wanted), "{}", told.line);
    }

    /// A second of samples, and 2.1 s that nobody saw, with an outage in them: what frames and the kernel say is said all the same.
    #[test]
    fn an_outage_is_a_share_of_the_whole_connection() {
        let mut connections = Connections::across([100_000; 2]);
        downloads(&mut connections, 40_000, 0, 70_000);
        let mut ended = last(40_000, 776_876, 90_000);
        ended.last.sample.busy_us = 3_000_000;
        ended.last.sample.rwnd_us = 2_790_000;
        connections.close(at(3100), 1, &ended);
        let way = [ended.peer, ended.local];
        connections.pause(way, vec![(at(1500), at(2600))]);
        let path = Path {
            every: Duration::ZERO,
            hops: Vec::new(),
            back: Vec::new(),
            down: vec![(at(1450), at(2000))],
            notes: Vec::new(),
        };
        let told = connections.told([None, Some(path)]).expect("there is one");
        assert_eq!(told.limited_by, None);
        assert!((told.silent_s - 1.1).abs() < 1e-9, "{told:?}");
        assert!((told.path_down_s - 0.55).abs() < 1e-9, "{told:?}");
        let outage =
            "the sender heard nothing for 1.1 s (35 % of the time): it waited for its timer; ";
        assert!(told.line.contains(outage), "{}", told.line);
        let window = "what the server sends (cubic): the receiver's window limited it 93 % of the time it was busy (the kernel's own totals); ";
        assert!(told.line.contains(window), "{}", told.line);
        let share = told.kernel.map(|k| k.receive_window_s);
        assert_eq!(share, Some(2.79));
    }

    /// A program that talks to itself alone.
    #[test]
    fn what_stays_inside_a_host_is_passed_over() {
        let mut connections = Connections::across([100_000; 2]);
        connections.none_at(at(100));
        connections.pass_over(0);
        connections.pass_over(1);
        assert_eq!(connections.heard(), 1);
        assert!(connections.is_empty() && connections.told(UNKNOWN).is_none());
    }

    /// One that ended between two samples, however many of them it had.
    #[test]
    fn a_short_connection_is_told_by_the_kernels_last_figures() {
        for samples in [0, 1, 4, 5] {
            let mut connections = Connections::across([100_000; 2]);
            for n in 1..=samples {
                let text = "ESTAB 0 0 [2001:db8::2]:8000 [2001:db8::1]:40000\n\t cubic mss:1428 cwnd:10 bytes_sent:9 busy:9ms\n";
                connections.printed(at(n * 100), 0, "");
                connections.printed(at(n * 100), 1, text);
            }
            connections.close(at(600), 1, &last(40_000, 300_000, 0));
            let told = connections.told(UNKNOWN).expect("there is one");
            assert_eq!((told.bytes_sent, told.segments_sent), (300_000, 211));
            assert!(!told.at_least && told.limited_by.is_none(), "{told:?}");
            assert!(told.line.contains("in 211 segments"), "{}", told.line);
        }
    }

    /// Twelve connections of one server at once, each in few samples: shares of the largest are as rough as anywhere.
    #[test]
    fn few_samples_of_the_largest_of_many_are_said() {
        let mut connections = Connections::across([100_000; 2]);
        for n in 1..=11 {
            let one = |port: u32| {
                format!(
                    "ESTAB 0 0 198.18.0.2:7000 198.18.0.1:{port}\n\t cubic mss:1428 cwnd:10 minrtt:20 bytes_sent:{n}000 bytes_acked:{n}000 \
                     busy:{n}00ms unacked:10\n"
                )
            };
            let all: String = (40_000..40_012).map(one).collect();
            connections.printed(at(n * 100), 0, "");
            connections.printed(at(n * 100), 1, &all);
        }
        let line = connections.told(UNKNOWN).expect("there is one").line;
        let words = "; 11 samples, so few that shares may be 30 % off; the server sent 132 kB over 12 connections";
        assert!(line.contains(words), "{line}");
    }

    #[test]
    fn of_two_ends_that_sent_the_same_it_is_the_commands() {
        let mut connections = Connections::across([100_000; 2]);
        for host in [0, 1] {
            let account = "bytes_sent:4 bytes_acked:4 bytes_received:4 busy:2000ms";
            connections.printed(at(100), host, &end(host, account));
        }
        let told = connections.told(UNKNOWN).expect("there is one");
        assert_eq!((told.sender, told.bytes_sent), ("your command", 4));
    }

    /// The end that received has gone before the command, and what the other sent is heard of later, or never.
    #[test]
    fn the_other_ends_last_words_may_come_after_the_command() {
        let mut connections = Connections::across([100_000; 2]);
        let Ended {
            local,
            peer,
            last: said,
        } = last(40_000, 300_000, 0);
        let received = Ended {
            local: peer,
            peer: local,
            last: Snapshot {
                received: 300_001,
                ..Snapshot::default()
            },
        };
        connections.close(at(600), 0, &received);
        connections.stop();
        let told = connections.told(UNKNOWN).expect("there is one");
        assert_eq!(
            (told.sender, told.bytes_sent, told.at_least),
            ("the server", 300_000, true)
        );
        connections.close(
            at(900),
            1,
            &Ended {
                local,
                peer,
                last: said,
            },
        );
        let told = connections.told(UNKNOWN).expect("there is one");
        assert_eq!((told.segments_sent, told.at_least), (211, false));
    }

    /// Open in one round of samples and gone in the next, and the kernel has not said what it came to.
    #[test]
    fn what_an_old_sample_had_is_no_total() {
        let mut connections = Connections::across([100_000; 2]);
        downloads(&mut connections, 40_000, 0, 70_000);
        connections.none_at(at(1100));
        assert!(connections.misses_some());
        connections.stop();
        connections.settle();
        let told = connections.told(UNKNOWN).expect("there is one");
        assert_eq!((told.bytes_sent, told.at_least), (700_000, true));
        assert!(told.limited_by.is_some(), "{told:?}");
        let seen = told.line.starts_with("what the server sends (cubic): ");
        assert!(seen, "{}", told.line);
        let mut connections = Connections::across([100_000; 2]);
        downloads(&mut connections, 40_000, 0, 70_000);
        connections.none_at(at(4000));
        connections.settle();
        let told = connections.told(UNKNOWN).expect("there is one");
        let wanted = "the server sent at least 700 kB (cubic) in 9 segments, 0 of them again; samples too far apart (10 in 4.0 s) to say ";
        assert!(told.line.starts_with(wanted), "{}", told.line);
    }

    /// The kernel speaks of a connection when its program lets go of it: after the command, when the server is ended.
    #[test]
    fn last_words_after_the_command_count_where_it_had_ended_before() {
        let mut connections = Connections::across([100_000; 2]);
        downloads(&mut connections, 40_000, 0, 70_000);
        connections.none_at(at(1100));
        connections.stop();
        connections.close(at(9000), 1, &last(40_000, 710_000, 0));
        connections.close(at(9000), 1, &last(40_002, 9_999_999, 0));
        connections.settle();
        let told = connections.told(UNKNOWN).expect("there is one");
        assert_eq!((told.bytes_sent, told.at_least), (710_000, false));
        // What was open when the command ended went on.
        let mut connections = Connections::across([100_000; 2]);
        downloads(&mut connections, 40_000, 0, 70_000);
        connections.stop();
        connections.close(at(9000), 1, &last(40_000, 9_999_999, 0));
        connections.settle();
        let told = connections.told(UNKNOWN).expect("there is one");
        assert_eq!((told.bytes_sent, told.at_least), (700_000, false));
    }

    /// Ten samples, 100 ms apart, always busy: whether the kernel says `app_limited`, how many of 100 segments of
    /// window are in flight, what else it says.
    fn samples(idle: bool, unacked: u64, more: impl Fn(u64) -> String) -> Option<String> {
        let idle = if idle { " app_limited" } else { "" };
        let mut connections = Connections::across([10_000_000; 2]);
        for n in 1..=10 {
            let text = format!(
                "0 0 198.18.0.1:40000 198.18.0.2:5201\n\t cubic mss:1000 cwnd:100 bytes_acked:1000 busy:{}ms \
                 unacked:{unacked}{idle} {}\n",
                n * 100,
                more(n)
            );
            connections.printed(at(n * 100), 0, &text);
        }
        Some(connections.told(UNKNOWN)?.cause)
    }

    #[test]
    fn who_held_back_is_told_apart() {
        let none = |_| String::new();
        for (found, wanted) in [
            (
                samples(true, 10, none),
                "your command limited it: it had nothing to send 100 % of the time",
            ),
            (
                samples(true, 95, none),
                "the congestion window limited it 100 % of the time: it was still growing",
            ),
            (
                samples(false, 100, |_| "ssthresh:100 retrans:0/7".to_owned()),
                "the congestion window limited it 100 % of the time, after losses",
            ),
            (
                samples(false, 50, |n| format!("sndbuf_limited:{}ms", n * 80)),
                "its send buffer limited it 80 % of the time: a larger one (SO_SNDBUF, tcp_wmem) lets more through; your command limited it: \
                 it had nothing to send 20 % of the time",
            ),
        ] {
            assert_eq!(found.as_deref(), Some(wanted));
        }
    }

    /// Lines of `ss` as Linux 6.18 printed them on 20 Mbit/s x 100 ms on 2026-11-24 (iperf3 -C bbr --fq-rate 5M; -C bbr).
    #[test]
    fn who_paces_a_flow_is_told_from_a_full_link() {
        let all = |line: &str| {
            let mut connections = Connections::across([250_000; 2]);
            for n in 1..=10 {
                let text = format!(
                    "0 0 198.18.0.1:40000 198.18.0.2:5201\n\t {line} bytes_acked:{n}00000 busy:{}ms\n",
                    n * 100
                );
                connections.printed(at(n * 100), 0, &text);
            }
            connections.told(UNKNOWN).expect("there is one").cause
        };
        let paced = all(
            "bbr wscale:10,10 rto:304 rtt:101.618/0.836 mss:1428 cwnd:100 ssthresh:50 bbr:(bw:4951368bps,mrtt:100.203,pacing_gain:1,cwnd_gain:2) \
             send 11691787bps pacing_rate 4951368bps/5000000bps delivery_rate 4951832bps unacked:44 notsent:789684 minrtt:100.203",
        );
        assert_eq!(
            paced,
            "your command limited it: it set a pace, which the kernel kept 100 % of the time"
        );
        let link = all(
            "bbr wscale:10,10 rto:316 rtt:113.398/1.361 mss:1428 cwnd:388 ssthresh:178 bbr:(bw:18708776bps,mrtt:100.189,pacing_gain:1,cwnd_gain:2) \
             send 36771019bps pacing_rate 18478816bps delivery_rate 18517936bps unacked:222 notsent:2611704 minrtt:100.189",
        );
        assert_eq!(link, "a link of the path was full 100 % of the time");
    }

    /// Nothing is acknowledged from 400 ms on; the path is down from 350 ms to 600 ms, and the sender tries again at 900 ms.
    #[test]
    fn a_path_that_was_down_is_named_and_not_the_window() {
        let seen = |down: &[(Time, Time)], pauses: &[(Time, Time)]| {
            let mut connections = Connections::across([10_000_000; 2]);
            if !pauses.is_empty() {
                let way = ["198.18.0.2:5201", "198.18.0.1:40000"].map(|e| e.parse().expect(e));
                connections.pause(way, pauses.to_vec());
            }
            for n in 1..=10 {
                let acked = if (4..9).contains(&n) { 4 } else { n };
                let text = format!(
                    "0 0 198.18.0.1:40000 198.18.0.2:5201\n\t cubic mss:1000 cwnd:100 ssthresh:100 \
                     bytes_acked:{acked}000 busy:{}ms unacked:100 retrans:0/3\n",
                    n * 100
                );
                connections.printed(at(n * 100), 0, &text);
            }
            let path = Path {
                every: Duration::ZERO,
                hops: Vec::new(),
                back: Vec::new(),
                down: down.to_vec(),
                notes: Vec::new(),
            };
            let told = connections.told([Some(path), None]);
            let told = told.expect("there is one");
            let shares = told.limited_by.expect("samples are many enough");
            let sum: f64 = shares.values().sum();
            assert!((sum - 1.0).abs() < 1e-9, "{shares:?}");
            let outage = told.line.contains("the path was down");
            assert_eq!(shares.contains_key("path_down"), outage, "{shares:?}");
            told.cause
        };
        let why = |down: &[(Time, Time)]| seen(down, &[]);
        let window = "the congestion window limited it 100 % of the time, after losses";
        assert_eq!(why(&[]), window);
        assert_eq!(why(&[(at(5000), at(6000))]), window);
        let outage = "the path was down for 250.0 ms, and nothing new was delivered for 400.0 ms to 550.0 ms (55 % of the time without an answer): the sender waited for its timer";
        assert_eq!(why(&[(at(350), at(600))]), outage);
        // The path saw each frame: between the samples, one came at 370 ms and the next at 850 ms.
        let exact = "the congestion window limited it 52 % of the time, after losses; the path was down for 250.0 ms, and nothing new was delivered for 400.0 ms to 550.0 ms (48 % of the time without an answer): the sender waited for its timer";
        let pauses = [(at(370), at(850)), (at(990), Time::MAX)];
        assert_eq!(seen(&[(at(350), at(600))], &pauses), exact);
        let short = why(&[(at(880), at(890))]);
        assert!(
            short.starts_with("the congestion window limited it 99 % of the time, after losses"),
            "{short}"
        );
        assert!(
            short.ends_with("; the path was down for 10.0 ms (1 % of the time)"),
            "{short}"
        );
    }

    /// One program, again and again, with 4 MiB of send buffer and 37.5 MB of path: whichever timers ran, and whether the
    /// kernel says so or not, the answer is the same.
    #[test]
    fn a_full_send_buffer_is_the_limit_on_every_repeat() {
        let full = "skmem:(r0,rb131072,t0,tb4194304,f0,w3030696,o0,bl0,d0)";
        let half = "skmem:(r0,rb131072,t0,tb4194304,f0,w2030696,o0,bl0,d0)";
        let limit = |idle, more: &dyn Fn(u64) -> String| samples(idle, 35, more).expect("a line");
        for more in [
            &|_| full.to_owned() as String,
            &|n: u64| format!("{full} rwnd_limited:{}ms", n * 32),
            &|n: u64| {
                format!(
                    "{full} rwnd_limited:{}ms sndbuf_limited:{}ms",
                    n * 5,
                    n * 70
                )
            },
        ] as [&dyn Fn(u64) -> String; 3]
        {
            for idle in [true, false] {
                let why = limit(idle, more);
                assert!(why.starts_with("its send buffer limited it"), "{why}");
            }
        }
        let program = limit(true, &|_| half.to_owned());
        assert!(program.starts_with("your command limited it"), "{program}");
    }

    /// A server that writes 8 kB every 20 ms and was blocked for 0.01 of 3.7 s: what it has under way takes two thirds of the
    /// buffer that the kernel gave it at first, and `sndbuf_limited` stays 0.
    #[test]
    fn a_slow_program_is_not_limited_by_a_buffer_it_never_waited_for() {
        let memory = "skmem:(r0,rb131072,t0,tb46080,f0,w40000,o0,bl0,d0)";
        for idle in [true, false] {
            let why = samples(idle, 35, |_| memory.to_owned()).expect("a line");
            assert_eq!(
                why,
                "your command limited it: it had nothing to send 100 % of the time"
            );
        }
    }

    /// The same in a buffer that it asked for: what it has under way takes more than two thirds in most samples. Where the kernel counted
    /// a wait, it waited.
    #[test]
    fn a_slow_program_is_not_limited_by_a_buffer_of_its_own_either() {
        let memory = |n: u64| {
            let queued = [80_000, 92_000, 102_000, 113_000][n as usize % 4];
            format!("skmem:(r0,rb131072,t0,tb131072,f0,w{queued},o0,bl0,d0)")
        };
        let program = "your command limited it: it had nothing to send 100 % of the time";
        let buffer = "its send buffer limited it 100 % of the time: a larger one (SO_SNDBUF, tcp_wmem) lets more through";
        let waited = |n: u64| format!("{} sndbuf_limited:{}ms", memory(n), n * 100);
        for idle in [true, false] {
            let never = samples(idle, 35, memory).expect("a line");
            assert_eq!(never, program);
            assert_eq!(samples(idle, 35, waited).expect("a line"), buffer);
        }
    }

    /// All is sent, and 95 of 100 segments of window are in flight: what the program sleeps in says what it waits for.
    #[test]
    fn no_window_holds_back_who_sleeps_with_all_sent() {
        let why = |asleep: Option<Asleep>| {
            let mut connections = Connections::across([10_000_000; 2]);
            for n in 1..=10 {
                let text = format!(
                    "0 0 198.18.0.1:40000 198.18.0.2:5201\n\t cubic mss:1000 cwnd:100 ssthresh:90 bytes_acked:1000 busy:{}ms unacked:95\n",
                    n * 100
                );
                let mut listed = read_all(at(n * 100), &text);
                listed[0].1.end.asleep = asleep;
                connections.note(at(n * 100), 0, listed);
            }
            let told = connections.told(UNKNOWN).expect("there is one");
            (told.cause, told.waited_for_room_ratio)
        };
        let program = "your command limited it: it had nothing to send 100 % of the time";
        let buffer = "its send buffer limited it 100 % of the time: a larger one (SO_SNDBUF, tcp_wmem) lets more through";
        let window = "the congestion window limited it 100 % of the time";
        let cases = [
            (Some(Asleep::Elsewhere), program, Some(0.0)),
            (Some(Asleep::ForRoom), buffer, Some(1.0)),
            (None, window, None),
        ];
        for (asleep, wanted, ratio) in cases {
            assert_eq!(why(asleep), (wanted.to_owned(), ratio), "{asleep:?}");
        }
    }

    /// A short download whose command ends before the last words of its kernels: they come a round trip later.
    #[test]
    fn a_connection_that_closes_yet_is_said() {
        let mut connections = Connections::across([1_000_000; 2]);
        let short = "0 0 198.18.0.2:8000 198.18.0.1:40000\n\t bbr mss:1448 cwnd:10 bytes_sent:20115 bytes_acked:20115 data_segs_out:15 \
                     busy:80ms app_limited\n";
        connections.printed(at(300), 0, "");
        connections.printed(at(300), 1, short);
        connections.stop();
        connections.settle();
        let told = connections.told(UNKNOWN).expect("it is known");
        assert_eq!((told.bytes_sent, told.at_least), (20_115, false));
        assert!(
            told.line
                .starts_with("the server sent 20 kB (bbr) in 15 segments"),
            "{}",
            told.line
        );
    }

    #[test]
    fn nothing_seen_is_nothing_said() {
        let mut connections = Connections::across([1; 2]);
        connections.printed(at(1), 0, "");
        connections.printed(at(2), 0, "half a pair\n");
        assert!(connections.told(UNKNOWN).is_none());
    }
}
