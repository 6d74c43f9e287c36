//! What limited a connection by counts alone, where samples are too few: these are exact, and may say that losses did.
//!
//! Known to the last microsecond and frame are the kernel's own totals, what the path dropped and why, and when its links were full. What they
//! leave of the time is the congestion window's, if data waited for it. Losses by chance account for the window where it is about what the
//! response function of its algorithm has for so many (`farpath_predict::law`).

use farpath_observe::limit::Outage;
use farpath_observe::{Limit, Path, Sample, Timers};
use farpath_predict::Cc;
use farpath_predict::law::{Conditions, borne, window};
use farpath_units::{Duration, Time};

use super::evidence::{ROUND, SEGMENT};
use super::{Connections, Watched};
use crate::lab::busiest::Busiest;
use crate::lab::cause::{Cause, named};
use crate::lab::lost::Lost;
use crate::lab::waits::Waits;

/// Requests and answers that take a larger share of the time say more of it than losses do.
const TURNS_MOST: f64 = 0.2;

/// So many samples, and this share of all, have to show data that waits to be sent.
const WAITING_LEAST: usize = 3;
const WAITING_SHARE: f64 = 0.75;

/// A window that is so many times what losses leave is not theirs, nor one that is so small a part of it: timeouts, which response functions
/// leave out, and chance among few losses explain less than that.
const WINDOW_MOST: f64 = 2.0;
const WINDOW_LEAST: f64 = 0.25;

/// What takes this share of the time is the limit, as losses may.
const SHARE_LEAST: f64 = 0.5;

/// What is known of a connection whatever its samples are.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    /// None where its frames were not followed.
    pub(super) lost: Option<Lost>,
    /// When the first segment was lost.
    first_lost: Option<Time>,
    /// Shares of its time in which a link of its way was full.
    full: Vec<(Cause, f64)>,
    /// A link of its path was down in the run.
    goes_down: bool,
    /// From the first frame with data to the last.
    span: Duration,
    /// Share of its time that requests and answers took.
    turns: f64,
}

/// What losses did to a connection that they limited.
struct ByLosses {
    /// Shares of its time by what limited it.
    shares: Vec<(Cause, f64)>,
    words: String,
}

impl Connections {
    /// What is known of one of them, by its own end and the other, whose data goes this way.
    pub(super) fn counts(
        &self,
        ends: &[String; 2],
        one: &Watched,
        way: Option<&Path<'_>>,
    ) -> Counts {
        let segments = self.segments.get(ends);
        let waits = self.waits.get(ends);
        let full = way.map(|way| way.full(one.begun(), one.last.sample.t, ROUND));
        let full = full.into_iter().flatten();
        Counts {
            lost: segments.map(Lost::of),
            first_lost: segments.and_then(|s| s.first_lost),
            full: full.map(|(f, s)| (Cause::Limit(f.limit), s)).collect(),
            goes_down: way.is_some_and(|way| !way.down.is_empty()),
            span: waits.map_or(Duration::ZERO, Waits::span),
            turns: waits.map_or(0.0, |waits| waits.turns(one.time())),
        }
    }
}

impl Watched {
    /// Says what counts say of a connection that was sampled too rarely, and of how it `paused` at the end, in words; and behind a wait for the
    /// path what `others` did meanwhile.
    pub(super) fn say_counts(
        &self,
        told: &mut Busiest,
        (counts, outage): (&Counts, &Outage),
        (waits, paused): (Option<&Waits>, Option<String>),
        others: &str,
    ) {
        let time = self.time();
        let errand = waits.and_then(|w| w.beside_words(self.host, time));
        let (first, beside) = match errand {
            Some((share, words)) if share >= SHARE_LEAST => (Some(words), None),
            errand => (None, errand.map(|(_, words)| words)),
        };
        let served = waits.and_then(|w| {
            let served = first.or_else(|| w.served(self.host, time));
            served.or_else(|| w.command_paused(self.host, time))
        });
        let lost = counts.lost.filter(|lost| lost.all() > 0);
        let (known, unknown) = match lost.map(|lost| self.by_losses(&lost, counts, told)) {
            Some(Ok(found)) => {
                told.limited_by = Some(named(found.shares.into_iter()));
                (Some(found.words), None)
            }
            Some(Err(why)) => (None, Some(why)),
            None => (None, None),
        };
        let served = served.or(paused);
        let lined = waits.filter(|_| known.is_none());
        let lined = lined.and_then(|waits| waits.lined(time));
        let is_known = known.is_some() || served.is_some() || lined.is_some();
        let end = (self.host, self.last.sample.t);
        let way = waits.filter(|_| !is_known);
        let way = way.and_then(|waits| waits.on_the_way(end, time));
        let way = way.map(|words| words + others);
        let known = known.into_iter().chain(served).chain(lined);
        let parts = waits.filter(|_| !is_known && way.is_none());
        let parts = parts.and_then(|waits| waits.parts(self.host, time));
        let known = known.chain(way).chain(parts).chain(beside);
        let known = known.chain(told.how_ended()).collect();
        told.counted(time, known, outage.words());
        let deferred = waits.map_or(String::new(), |waits| waits.deferred_words(time));
        if !told.cause.is_empty() {
            told.cause.push_str(&deferred);
        }
        let besides = told.besides();
        told.figures.push_str(&besides);
        if let Some(why) = unknown {
            let words = format!("; whether lost segments limited it is unknown: {why}");
            told.figures.push_str(&words);
        }
    }

    /// What losses did to it, or why it is unknown whether they limited it.
    fn by_losses(
        &self,
        lost: &Lost,
        counts: &Counts,
        told: &Busiest,
    ) -> Result<ByLosses, &'static str> {
        const NO_LAW: &str = "what they leave of a window of its congestion control is unknown";
        let Some(timers) = self.last.sample.timers.filter(|_| self.is_closed) else {
            return Err("the kernel's last figures of it are missing");
        };
        self.may_be_lost(lost, counts)?;
        let known = timers.min_rtt.filter(|rtt| *rtt > Duration::ZERO);
        let rtt = known.ok_or("its round trip is unknown")?.as_secs_f64();
        let cc: Cc = self.last.control.parse().map_err(|_| NO_LAW)?;
        if borne(cc, lost.ratio(), 1).is_some() {
            return Err("its congestion control is made to bear so many");
        }
        let left = window(cc, lost.ratio(), Conditions::of_linux(cc, rtt)).ok_or(NO_LAW)?;
        let busy = timers.busy.as_secs_f64().max(f64::MIN_POSITIVE);
        let had = lost.sent as f64 * rtt / busy;
        if had > WINDOW_MOST * left {
            return Err("it sent more than so many losses leave a window for");
        }
        if had < WINDOW_LEAST * left {
            return Err("it sent far less than so many losses leave a window for");
        }
        let shares = self.shares(counts, timers);
        let share = shares.iter().find(|c| c.0 == Cause::Limit(Limit::Loss));
        let share = share.map_or(0.0, |c| c.1);
        if share < SHARE_LEAST {
            return Err("for half of its time or more something else may have limited it");
        }
        let once = self.last.segments.saturating_sub(self.last.retransmits);
        let segment = told.bytes_sent as f64 / once.max(1) as f64;
        let holds = told.path_holds_bytes as f64 / segment.max(1.0);
        let words = format!(
            "losses by chance limited it {:.0} % of the time: {:.1} % of its segments were lost, which leaves {cc} a window of some {left:.0} \
             segments; it had {had:.1} on average on a path that holds {holds:.0}",
            100.0 * share,
            100.0 * lost.ratio()
        );
        Ok(ByLosses { shares, words })
    }

    /// Whether losses by chance may have limited it, or why that is unknown.
    fn may_be_lost(&self, lost: &Lost, counts: &Counts) -> Result<(), &'static str> {
        let waits = |s: &&Sample| s.timers.is_some_and(|t| t.unsent >= Some(SEGMENT));
        let waiting = self.samples.iter().filter(waits).count();
        let most = WAITING_SHARE * self.samples.len() as f64;
        match () {
            () if 2 * lost.by_chance() <= lost.all() => {
                Err("not more than 50 % of them went by chance")
            }
            () if counts.goes_down => Err("the path was down as well"),
            () if counts.turns > TURNS_MOST => Err("requests and answers took part of its time"),
            () if self.is_asked_to_pace() => Err("its program set a pace"),
            () if waiting < WAITING_LEAST || (waiting as f64) < most => {
                Err("too few samples show data that waited for the window")
            }
            () => Ok(()),
        }
    }

    /// Shares of its time by the kernel's totals, by when links were full, and by when the first segment was lost: what is left is of the
    /// window that losses cut. The largest is first.
    fn shares(&self, counts: &Counts, timers: Timers) -> Vec<(Cause, f64)> {
        let time = self.time().max(counts.span).as_secs_f64().max(1e-9);
        let share = |time_of: Duration| time_of.as_secs_f64() / time;
        let busy = share(timers.busy).min(1.0);
        let first = counts.first_lost.unwrap_or_else(|| self.begun());
        let grew = share(first.since(self.begun().min(first)));
        let of_kernel = [
            (
                Cause::Limit(Limit::ReceiveWindow),
                share(timers.receive_window),
            ),
            (Cause::Limit(Limit::SendBuffer), share(timers.send_buffer)),
        ];
        let grew = [(Cause::Limit(Limit::CwndSlowStart), grew)];
        let mut left = busy;
        let mut causes = vec![(Cause::Limit(Limit::Application), 1.0 - busy)];
        for (cause, share) in [&of_kernel[..], &counts.full, &grew].concat() {
            let taken = share.min(left);
            left -= taken;
            causes.push((cause, taken));
        }
        causes.push((Cause::Limit(Limit::Loss), left));
        causes.retain(|(_, share)| *share > 0.0);
        causes.sort_by(|a, b| b.1.total_cmp(&a.1));
        causes
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use super::*;
    use crate::lab::seen::ss::read_all;
    use farpath_element::Drop;
    use farpath_emu::plane::{Segments, Turns};
    use farpath_probe::live::{Ended, Snapshot};

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    const ENDS: [&str; 2] = ["198.18.0.1:40000", "198.18.0.2:5201"];

    /// A second of a bulk transfer across 80 ms that sent 100 segments and lost two for a reason: four samples, with so much unsent.
    fn told(cc: &str, reason: Drop, unsent: u64) -> Busiest {
        let mut connections = Connections::across([250_000; 2]);
        for n in 1..=4 {
            let text = format!(
                "0 0 {} {}\n\t {cc} rtt:80/1 minrtt:80 mss:1448 cwnd:8 bytes_sent:{sent} bytes_acked:{sent} data_segs_out:{} busy:{}ms \
                 unacked:8 notsent:{unsent}\n",
                ENDS[0],
                ENDS[1],
                n * 25,
                n * 250,
                sent = n * 25 * 1448,
            );
            let now = at(n * 250);
            connections.note(now, 0, read_all(now, &text));
        }
        let [local, peer] = ENDS.map(|end| end.parse().expect(end));
        let mut last = Snapshot {
            acked: 98 * 1448,
            sent: Some(100 * 1448),
            resent: Some(2 * 1448),
            segments: 100,
            retransmits: 2,
            ..Snapshot::default()
        };
        last.sample.busy_us = 1_000_000;
        last.sample.rtt_min_ns = Some(80_000_000);
        connections.close(at(1000), 0, &Ended { local, peer, last });
        let mut segments = Segments {
            sent: 100,
            first_lost: Some(at(150)),
            ..Segments::default()
        };
        segments.lost[reason as usize] = 2;
        connections.take_segments([local, peer], segments);
        connections.told([None, None]).expect("there is one")
    }

    /// √(3/2 / 0.02) is a window of 8.7 segments (Mathis et al., CCR 27(3), 1997), and 100 segments in a second are 8 a round trip.
    #[test]
    fn few_samples_and_exact_counts_name_losses() {
        let told = told("reno", Drop::Error, 90_000);
        let shares = told.limited_by.as_ref().expect("counts are enough");
        assert!((shares["loss"] - 0.85).abs() < 1e-6, "{shares:?}");
        assert!((shares["cwnd_slow_start"] - 0.15).abs() < 1e-6);
        assert_eq!(told.limited_by_within, None, "they are not by samples");
        for words in [
            "losses by chance limited it 85 % of the time: 2.0 % of its segments were lost, which leaves reno a window of some 9 segments; it had \
             8.0 on average on a path that holds 173; ",
            "; on the way there 2 of 100 segments with data were lost: 2 by chance",
        ] {
            assert!(told.line.contains(words), "{words}: {}", told.line);
        }
    }

    /// A window that does not go by losses, a program that writes too slowly to wait for it, and a queue that took them.
    #[test]
    fn what_counts_leave_open_stays_unknown() {
        for (cc, reason, unsent, why) in [
            (
                "bbr",
                Drop::Error,
                90_000,
                "its congestion control is made to bear so many",
            ),
            (
                "vegas",
                Drop::Error,
                90_000,
                "window of its congestion control is unknown",
            ),
            (
                "reno",
                Drop::Error,
                0,
                "too few samples show data that waited",
            ),
            (
                "reno",
                Drop::Tail,
                90_000,
                "not more than 50 % of them went by chance",
            ),
        ] {
            let told = told(cc, reason, unsent);
            assert_eq!(told.limited_by, None, "{}", told.line);
            let words = "; whether lost segments limited it is unknown: ";
            let found = told.line.split_once(words).map(|(_, found)| found);
            assert!(found.is_some_and(|f| f.contains(why)), "{}", told.line);
            let lost = "; on the way there 2 of 100 segments with data were lost: 2 ";
            assert!(told.line.contains(lost), "{}", told.line);
        }
    }

    /// A command that writes 1 MB and ends, and a server whose end is closed and reset at 310 ms, behind 700 kB: by the lab, or before that.
    #[test]
    fn what_the_lab_ends_is_not_charged_to_the_server() {
        let said = |lab: u64| {
            let ends: [SocketAddr; 2] = ENDS.map(|end| end.parse().expect(end));
            let mut connections = Connections::across([250_000; 2]);
            connections.take_command([ends[0].ip()]);
            connections.take_end(at(lab));
            let text = format!(
                "0 0 {} {}\n\t cubic rtt:80/1 minrtt:80 mss:1448 cwnd:8 bytes_sent:700000 bytes_acked:700000 busy:200ms notsent:300000\n",
                ENDS[0], ENDS[1]
            );
            connections.note(at(250), 0, read_all(at(250), &text));
            connections.take_turns(&Turns {
                begun: Some(at(100)),
                closed: [None, Some(at(310))],
                reset: [None, Some(at(390))],
                has_sent: [true, false],
                ..Turns::between(ends)
            });
            connections.told([None, None]).expect("there is one").line
        };
        let cut = said(300);
        let words = "your command ended with data still under way: the server had got some 700 kB of 1000 kB when the lab ended it";
        assert!(cut.contains(words), "{cut}");
        assert!(!cut.contains("without an answer"), "{cut}");
        let own = said(320);
        let words = "the server closed the connection without an answer, and reset it";
        assert!(own.contains(words), "{own}");
    }

    /// A server that closes as soon as it has the connection, and resets it as the request comes.
    #[test]
    fn a_server_that_does_not_answer_is_named() {
        let said = |reset: Option<u64>| {
            let [local, peer] = ENDS.map(|end| end.parse().expect(end));
            let mut connections = Connections::across([250_000; 2]);
            let mut last = Snapshot {
                acked: 200,
                sent: Some(200),
                segments: 1,
                ..Snapshot::default()
            };
            last.sample.busy_us = 100_000;
            connections.close(at(300), 0, &Ended { local, peer, last });
            connections.take_turns(&Turns {
                begun: Some(at(100)),
                closed: [None, Some(at(50))],
                reset: [None, reset.map(at)],
                has_sent: [true, false],
                ..Turns::between([local, peer])
            });
            connections.told([None, None]).expect("there is one").line
        };
        let closed = said(None);
        let words = "what your command sends: the server closed the connection without an answer; your command sent 200 B in 1 segment";
        assert!(closed.starts_with(words), "{closed}");
        let words = "the server closed the connection without an answer, and reset it; ";
        assert!(said(Some(150)).contains(words), "{}", said(Some(150)));
        let words = "the server reset the connection without an answer; ";
        assert!(said(Some(50)).contains(words), "{}", said(Some(50)));
    }
}
