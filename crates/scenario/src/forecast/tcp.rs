//! The forecast of a TCP test: the least of window, losses and line, less what its start costs; round
//! by round where single segments are named lost.

mod brief;
mod buckets;
mod bursts;
mod delivered;
mod few;
mod held;
mod kept;
pub(super) mod losses;
mod overflow;
mod ramp;
mod regain;
mod reservations;
mod short_path;
mod super_frames;

use farpath_predict::published::Place;
use farpath_predict::reduction::{Corner, Fall};
use farpath_predict::rounds::Connection;
use farpath_predict::slow_start::SlowStart;
use farpath_predict::{Cc, Rules};
use farpath_predict::{bic, law};
use farpath_record::{Record, Series};
use farpath_tcp::{Algorithm, ByteCounting, Config, Flavour, Reduction, fills_window};
use farpath_units::Duration;

use kept::Kept;
pub(super) use ramp::Ramp;

use super::beside::Waits;
use super::flow::Flow;
use super::{Path, put};
use crate::model::{Loss, QueueRule, Tcp, Test};
use crate::plan::{max_ssthresh, segments_per_growth};

/// Of the largest window: what a forecast window must differ from the one before to be kept.
const WINDOW_STEP: f64 = 1.0 / 400.0;
/// Segments in flight below which a loss is found by timeout.
const SEGMENTS_FEW: f64 = 4.0;
/// Segments behind a lost one that show its loss (RFC 5681 §3.2, RFC 6675 §2).
const SHOW_A_LOSS: u64 = 3;

impl Path<'_> {
    /// A bulk test of whose shapers nothing but the rate counts.
    fn at_rates(&self, test: &Test, tcp: &Tcp, record: &mut Record) {
        let agreed = self.plan.tcp_config(self.scenario, self.flow, tcp);
        if self.swallowed(&agreed, record) {
            return;
        }
        let flow = self.flow_of(tcp);
        put(&mut record.metrics, "rtt_min_ns", flow.base.as_ns() as f64);
        let Some(ceiling) = self.ceiling(test, &flow, record) else {
            return;
        };
        let clean = ceiling.bps; // With every acknowledgement.
        let ceiling = self.behind_full_way_back(test, &flow, ceiling);
        let (steady, loss_bps, policed) = (ceiling.bps, ceiling.loss_bps, ceiling.policed);
        if steady >= clean && ceiling.queues_window() && !self.is_held(&flow) {
            self.longest(test, &flow, steady, record);
        }
        let ramp = flow.ramp(steady / flow.streams);
        let ramp = ramp.after(self.reported_after(&agreed) + flow.called_after(test));
        if ramp.ends_in(test, flow.config.amount) {
            put(&mut record.metrics, "ramp_s", ramp.seconds);
        }
        let lost: Vec<Vec<u64>> = (0..tcp.parallel).map(|n| self.named(test, n)).collect();
        let scripted = lost.iter().any(|l| !l.is_empty());
        let followed = scripted && flow.loss == 0.0 && policed.is_none();
        let exact = followed.then(|| flow.by_rounds(test, &lost)).flatten();
        if scripted && exact.is_none() && flow.cc.is_none() {
            record.notes.push(format!(
                "no closed form says how {} climbs back: as if nothing were lost",
                flow.called()
            ));
        }
        let short = self.short_queue(&flow, steady, exact.is_none());
        let kept = policed.map_or_else(|| flow.kept(short.as_ref()), |_| flow.kept_policed());
        let (goodput, completion) =
            exact.unwrap_or_else(|| flow.by_law(test, steady * kept.share, &ramp, kept));
        put(&mut record.metrics, "goodput_bps", goodput);
        completes(test, completion, record);
        nothing_measured(test, completion, record);
        if scripted {
            self.regains(test, &flow, record);
            record.notes.extend(flow.note_of_lost_tail(&lost));
        }
        if exact.is_some()
            && let [stream] = lost.as_slice()
            && let Some(windows) = flow.windows(test, stream)
        {
            record.series.insert("cwnd_bytes".to_owned(), windows);
        }
        let ends_s = flow.ends_s(steady * kept.share, &ramp, kept);
        let starts = ramp.limits(test, ends_s).filter(|_| exact.is_none());
        record.limited_by = Some(starts.unwrap_or(ceiling.by).to_owned());
        let amount = flow.config.amount;
        let met = self.meeting_buckets(test, &flow);
        record
            .notes
            .extend(met.doubts(test, loss_bps, &ramp, ends_s));
        let of_losses = flow.doubt_of_few_losses(test, loss_bps, short.as_ref(), ramp.late);
        record.notes.extend(flow.doubts_of_loss(loss_bps, amount));
        record.notes.extend(of_losses);
        record.notes.extend(kept.note(&flow, test, ends_s));
        self.note_queues(test, &flow, (clean, amount), short.as_ref(), record);
        record.notes.extend(self.unfilled(test, &flow));
        match policed {
            Some(bounds) => self.note_policed(&flow, bounds, goodput / steady, record),
            None => record.notes.extend(self.doubt_of_bucket(test, &flow)),
        }
        self.across(test, (&flow, &agreed), steady * kept.share, record);
    }

    /// The longest round trip of a connection alone on its path: more window than the path holds waits in front of its
    /// narrowest place, as much as the queue there takes.
    fn longest(&self, test: &Test, flow: &Flow, steady: f64, record: &mut Record) {
        let longest = if steady < flow.narrowest.bps * 0.9999 {
            flow.base
        } else {
            match self.own_queue(test, flow).0 {
                Waits::Nothing => flow.base,
                Waits::Always(queue) | Waits::Between(queue) => flow.base + queue,
                Waits::Unknown(_) => return,
            }
        };
        put(&mut record.metrics, "rtt_max_ns", longest.as_ns() as f64);
    }

    /// Whether the sender keeps its pace, or its host keeps back what its interface or processor cannot take: then no
    /// queue grows with the window.
    pub(super) fn is_held(&self, flow: &Flow) -> bool {
        let sender = self.scenario.hosts.get(self.plan.flows[self.flow].source.0);
        let holds = sender.is_some_and(|h| h.queue_rule() == QueueRule::Hold);
        let paced = flow.narrowest.place == "pacing";
        paced || (holds && flow.narrowest.place != "link")
    }

    pub(super) fn flow_of(&self, tcp: &Tcp) -> Flow {
        let mut config = self.plan.tcp_config(self.scenario, self.flow, tcp);
        config.mss = self.found_mss(&config).unwrap_or(config.mss);
        let header = self.header();
        let acks = 1.0 / f64::from(config.delayed_ack.every.max(1));
        let streams = f64::from(tcp.parallel);
        let most = config.pacing.and_then(|pacing| pacing.most);
        let pace_bps = most.map_or(f64::INFINITY, |rate| rate.as_bps() as f64);
        let base = self.rtt(config.mss + header, header);
        let window = most_in_flight(&config);
        let in_flight = window as f64 * 8.0 / base.as_secs_f64();
        let narrowest = self.narrowest(
            (config.mss + header, config.mss),
            (acks, header),
            in_flight.min(pace_bps) * streams,
        );
        let place = self
            .there
            .iter()
            .position(|hop| Some(hop.port) == narrowest.port);
        let before = place.map_or(&[][..], |at| &self.there[..at]);
        let rate = |port: usize| self.lasting_rate(port).as_bps() as f64;
        let fed = before
            .iter()
            .map(|hop| rate(hop.port))
            .fold(f64::INFINITY, f64::min);
        let feeds = narrowest
            .port
            .map_or(0.0, |port| (rate(port) / fed).min(1.0));
        let behind = place.map_or(&[][..], |at| &self.there[at..]);
        let room = narrowest
            .port
            .and_then(|p| self.own_room(p, config.mss + header));
        let alone_s = match narrowest.port {
            Some(_) => f64::from(config.mss) * 8.0 / narrowest.bps,
            None => 0.0,
        };
        let way = self.rtt(header, header) + self.one_way(config.mss + header);
        Flow {
            opens: way.saturating_sub(Duration::from_secs_f64(alone_s)),
            cc: law_of(&config),
            streams,
            narrowest: narrowest.paced(pace_bps * streams),
            base,
            window,
            loss: self.loss_ratio(config.mss + header, &self.there),
            lost_behind: self.loss_ratio(config.mss + header, behind),
            losses: self.how_losses_fall(),
            chain: self.chain(config.mss + header),
            feeds,
            bucket_first: false,
            room: room.map_or(f64::INFINITY, |segments| segments as f64),
            config,
        }
    }

    /// The segments of one stream of a test that are named lost anywhere, ascending.
    pub(super) fn named(&self, test: &Test, of: u32) -> Vec<u64> {
        let mut lost: Vec<u64> = self
            .scenario
            .links
            .iter()
            .flat_map(|l| &l.directions)
            .flat_map(|d| &d.losses)
            .filter_map(|l| match l {
                Loss::Scripted {
                    test: named,
                    stream,
                    segment,
                } if *named == test.name && *stream == of => Some(*segment),
                _ => None,
            })
            .collect();
        lost.sort_unstable();
        lost
    }
}

/// When the last byte is delivered, if the test does not stop before.
pub(super) fn completes(test: &Test, completion: Option<f64>, record: &mut Record) {
    let stops = test.duration.map(|d| (test.omit + d).as_secs_f64());
    match (completion, stops) {
        (Some(seconds), Some(stops)) if seconds > stops => {
            let why = format!("it would take {seconds:.3} s, and the test stops before");
            record.absent.insert("completion_ns".to_owned(), why);
        }
        (Some(seconds), _) => put(
            &mut record.metrics,
            "completion_ns",
            (seconds * 1e9).round(),
        ),
        (None, _) => {}
    }
}

/// A transfer that is over before `omit` is has no goodput.
pub(super) fn nothing_measured(test: &Test, completion: Option<f64>, record: &mut Record) {
    let omit = test.omit.as_secs_f64();
    if test.duration.is_none() && omit > 0.0 && completion.is_some_and(|all| all <= omit) {
        record.metrics.remove("goodput_bps");
        let why = format!("the last byte is delivered before `omit`, {omit} s, is over");
        record.absent.insert("goodput_bps".to_owned(), why);
    }
}

impl Flow {
    /// What published laws ask of a path and of the connections on it.
    pub(super) fn place(&self, bursts: bool) -> Place {
        Place {
            rtt_s: self.rtt_s(),
            mss: self.mss(),
            loss: self.loss,
            window: self.window as f64,
            streams: self.streams,
            bursts,
        }
    }

    pub(super) fn loses_nothing(&self) -> bool {
        self.loss <= 0.0
    }

    pub(super) fn loses_all(&self) -> bool {
        self.loss >= 1.0
    }

    /// Losses expected among so many bytes of payload.
    pub(super) fn losses_in(&self, bytes: f64) -> f64 {
        self.loss * bytes / self.mss()
    }

    fn rtt_s(&self) -> f64 {
        self.base.as_secs_f64()
    }

    fn mss(&self) -> f64 {
        f64::from(self.config.mss)
    }

    pub(super) fn window_bps(&self) -> f64 {
        let bps = self.each_round_bps(self.rtt_s() + self.waits_s());
        match self.cc {
            // What no loss shrinks stands still until each is repaired.
            Some(cc) if cc.is_bbr() => {
                let segments = (self.window as f64 / self.mss()).max(1.0);
                let arrives = 1.0 - self.loss.min(0.99);
                bps / (law::rounds_to_arrive(segments, self.loss) * arrives)
            }
            _ => bps,
        }
    }

    /// All connections together, long after their start.
    pub(super) fn steady(&self, loss_bps: f64) -> f64 {
        (self.window_bps().min(loss_bps) * self.streams).min(self.narrowest.bps)
    }

    /// The same without losses, where losses are what holds them at `bps`.
    pub(super) fn unheld(&self, bps: f64) -> Option<f64> {
        let clean = self.steady(f64::INFINITY);
        (!self.loses_nothing() && bps < clean).then_some(clean)
    }

    /// Segments for each ACK as growth in congestion avoidance counts them: Reno's steps, what Linux's BIC measures, and those of an ACK
    /// where each is a step, as of Linux's HighSpeed.
    pub(super) fn counted_per_ack(&self) -> f64 {
        match self.cc {
            Some(Cc::Bic) => bic::ack_ratio(self.config.delayed_ack.every.max(1).into()),
            _ if self.counts_acks() => f64::from(self.config.delayed_ack.every.max(1)),
            _ => self.segments_per_step(),
        }
    }

    /// Segments for each step of Reno's growth in congestion avoidance.
    fn segments_per_step(&self) -> f64 {
        match self.config.byte_counting {
            ByteCounting::Off => f64::from(self.config.delayed_ack.every.max(1)),
            ByteCounting::Limit(_) | ByteCounting::Full => 1.0,
        }
    }

    /// Segments of the first flight: a receiver whose window grows offers 64 KiB at first, at most.
    fn initial(&self) -> f64 {
        let offered = (self.config.first_offer() as f64 / self.mss()).max(1.0);
        f64::from(self.config.first_window()).min(offered)
    }

    /// Slow start up to a window of `full` segments.
    fn slow_start(&self, full: f64) -> SlowStart {
        SlowStart {
            full: full.max(1.0),
            initial: self.initial(),
            segments_per_ack: segments_per_growth(&self.config),
            max_ssthresh: max_ssthresh(&self.config),
            rounds_each: match (self.cc, self.rules()) {
                (Some(Cc::Vegas), Rules::Document) => 2,
                _ => 1,
            },
            quick: self.quick(),
        }
    }

    /// Segments that are acknowledged one by one at first: what is gathered is acknowledged together.
    fn quick(&self) -> f64 {
        match self.config.gro > Duration::ZERO {
            true => 0.0,
            false => f64::from(self.config.first_quick_acks()),
        }
    }

    /// Where who fetches opens the connection, data waits for the ACK that answers its sender's SYN-ACK: half a round trip.
    pub(super) fn called_after(&self, test: &Test) -> Duration {
        match test.kind.is_reverse() {
            true => Duration::from_ps(self.base.as_ps() / 2),
            false => Duration::ZERO,
        }
    }

    /// Slow start up to `bps`.
    pub(super) fn ramp(&self, bps: f64) -> Ramp {
        let rtt_s = self.rtt_s();
        let slow_start = self.slow_start(bps * rtt_s / 8.0 / self.mss());
        let cost = slow_start.cost();
        let reached = SlowStart {
            full: (slow_start.full * farpath_observe::REACHED).max(1.0),
            ..slow_start
        };
        Ramp {
            seconds: (f64::from(reached.cost().rounds) + 1.5) * rtt_s,
            wasted_s: (cost.wasted_rtts + 1.5) * rtt_s,
            slow_start,
            mss: self.config.mss,
            rtt: self.base,
            opens: self.opens,
            cap: self.cap(),
            window_bps: self.window_bps(),
            apart: self.base + Duration::from_secs_f64(self.waits_s() + self.held_s()),
            line_bps: self.narrowest.bps / self.streams,
            late: Duration::ZERO,
        }
    }

    /// Goodput and time where segments are named lost, round by round; `None` where the algorithm's answer
    /// to a loss is not known. Each stream has its share of the line.
    fn by_rounds(&self, test: &Test, lost: &[Vec<u64>]) -> Option<(f64, Option<f64>)> {
        let cc = self.cc?;
        let of = |lost| self.connection(cc, lost);
        let late = self.opens.as_secs_f64() + self.called_after(test).as_secs_f64();
        let segments = |bytes: u64| bytes as f64 / self.mss();
        let last = self.config.amount.and_then(|bytes| {
            let each = |one: &Vec<u64>| self.last_s(cc, one, segments(bytes));
            let mut all = lost.iter().map(each);
            all.try_fold(0.0, |last: f64, one| Some(last.max(one? + late)))
        });
        match (test.duration, self.config.amount) {
            (None, Some(bytes)) => {
                let (omit_s, segments) = (test.omit.as_secs_f64(), segments(bytes));
                let (last, mut before) = (last?, 0.0);
                for stream in lost {
                    before += of(stream)
                        .sent(0.0, (omit_s - late).max(0.0))?
                        .min(segments);
                }
                let bits = (bytes as f64 * self.streams - before * self.mss()) * 8.0;
                Some((bits / (last - omit_s), Some(last)))
            }
            (duration, _) => {
                let (from, span) = (test.omit.as_secs_f64() - late, duration?.as_secs_f64());
                let most = self.config.amount.map_or(f64::INFINITY, segments);
                let mut sum = 0.0;
                for stream in lost {
                    let left = most - of(stream).sent(0.0, from.max(0.0))?;
                    sum += of(stream)
                        .sent(from.max(0.0), from + span)?
                        .min(left.max(0.0));
                }
                Some((sum * self.mss() * 8.0 / span, last))
            }
        }
    }

    /// Seconds from a connection's first segment to the last of so many, those sent again among them: what is lost comes a round trip later.
    fn last_s(&self, cc: Cc, lost: &[u64], segments: f64) -> Option<f64> {
        let connection = self.connection(cc, lost);
        let all = connection.time_s(segments)?;
        let last = lost.iter().rev().find(|n| **n as f64 <= segments.ceil());
        let Some(last) = last else {
            return Some(all);
        };
        let repaired = connection.time_s(*last as f64)? + self.rtt_s();
        Some(all.max(repaired))
    }

    /// Says where one of the last segments is named lost, of those that end of themselves: too few come behind it to show that.
    fn note_of_lost_tail(&self, lost: &[Vec<u64>]) -> Option<String> {
        let whole = self.config.amount?.div_ceil(self.config.mss.into());
        let last = |n: &u64| *n <= whole && *n + SHOW_A_LOSS > whole;
        lost.iter().flatten().any(last).then(|| {
            "one of the last three segments is named lost: too few come behind it to show that, and what the sender's probe or timer \
             waits for is not in the completion"
                .to_owned()
        })
    }

    fn connection<'l>(&self, cc: Cc, lost: &'l [u64]) -> Connection<'l> {
        Connection {
            cc,
            rtt_s: self.rtt_s(),
            pipe: self.pipe(),
            cap: self.cap(),
            ceiling: self.ceiling(),
            initial: self.initial(),
            segments_per_growth: segments_per_growth(&self.config),
            max_ssthresh: max_ssthresh(&self.config),
            quick: self.quick(),
            segments_per_ack: self.counted_per_ack(),
            rules: self.rules(),
            lost,
        }
    }

    /// One connection's window in bytes, round by round from the handshake to the end of `test`;
    /// rounds on a straight stretch are left out. `None` as for [`Self::by_rounds`].
    fn windows(&self, test: &Test, lost: &[u64]) -> Option<Series> {
        let until = test.omit.as_secs_f64() + test.duration?.as_secs_f64();
        let connection = self.connection(self.cc?, lost);
        let step = connection.cap * WINDOW_STEP;
        let mut kept = Kept {
            opened_ns: (test.start + self.base + self.called_after(test)).as_ns(),
            mss: self.mss(),
            series: Series::default(),
        };
        let mut rounds = connection.rounds()?;
        let mut last = rounds.next()?;
        kept.keep(last.start_s, last.window);
        let mut drawn = last.window;
        for round in rounds {
            let over = round.end_s + self.rtt_s() > until;
            let full = round.window >= connection.cap && last.window < connection.cap;
            if let Some(fall) = round.fall {
                for (share, window) in self.corners(&fall) {
                    kept.keep(round.start_s + share * self.rtt_s(), window);
                }
                drawn = round.window;
            } else {
                if (round.window - last.window).abs() >= step {
                    kept.keep(last.start_s, last.window);
                }
                if over || full || (round.window - drawn).abs() >= step {
                    kept.keep(round.start_s, round.window);
                    drawn = round.window;
                }
            }
            if over {
                break;
            }
            last = round;
        }
        Some(kept.series)
    }

    /// How the window comes down: rate halving, which answers to what is in flight and not to
    /// ssthresh, is drawn as the cut alone.
    fn corners(&self, fall: &Fall) -> [Corner; 4] {
        match self.config.recovery.reduction {
            Reduction::Prr | Reduction::PrrConservative | Reduction::PrrSlowStart => {
                fall.proportional()
            }
            Reduction::RateHalving | Reduction::AtOnce => fall.at_once(),
        }
    }

    pub(super) fn limit(&self, steady: f64, loss_bps: f64) -> &'static str {
        if steady >= self.narrowest.bps * 0.9999 {
            self.narrowest.place
        } else if loss_bps < self.window_bps() {
            "loss"
        } else if self.config.send_buffer < self.config.receive_window {
            "send_buffer"
        } else {
            "receive_window"
        }
    }

    /// Where the forecast is outside the range of its formulas.
    fn doubts(&self, test: &Test, loss_bps: f64, ramp: &Ramp, ends_s: f64) -> Vec<String> {
        let mut doubts = Vec::new();
        let each = self.pipe();
        let fills = self.steady(loss_bps) >= self.narrowest.bps * 0.9999
            && ramp.ends_in(test, self.config.amount);
        let ends_early = matches!(
            self.config.slow_start,
            farpath_tcp::SlowStart::HyStart | farpath_tcp::SlowStart::HyStartPlusPlus
        );
        if fills && ends_early {
            doubts.push("ramp_s is of a slow start that doubles up to the path: the host may end it earlier".to_owned());
        } else if fills {
            doubts.extend(self.note_of_late_ramp(test, self.config.amount));
        }
        if self.streams > 1.0 && each < SEGMENTS_FEW {
            doubts.push(format!(
                "outside the formulas' range: {:.0} streams share the path, {each:.1} segments each, and losses among them are found by timeout",
                self.streams
            ));
        }
        doubts.extend(self.doubt_of_paced_start(test));
        let steady = self.steady(loss_bps);
        // A window that is never full neither waits nor is odd.
        if ramp.ends_in(test, self.config.amount) {
            doubts.extend(self.note_of_waiting(steady));
            doubts.extend(self.note_of_odd_window(steady));
            doubts.extend(self.note_of_one_segment(steady));
            doubts.extend(self.note_of_parted_window(steady));
        }
        let overflows = self
            .doubt_of_repair(test, ends_s)
            .or_else(|| self.doubt_of_overflow(test, self.config.amount))
            .or_else(|| self.doubt_of_burst(test, ends_s));
        doubts.extend(overflows);
        doubts.extend(self.doubt_of_second_cut(test, self.config.amount));
        doubts.extend(self.doubt_of_threshold(loss_bps, self.config.amount));
        doubts.extend(self.doubt_of_first_offer(test));
        doubts.extend(self.doubt_of_short_test(test, ramp));
        doubts.extend(self.note_of_flights(test, loss_bps, ramp));
        doubts
    }
}

/// The closed forms' name for an algorithm: both lists use the algorithms' own names. Of BIC the
/// closed forms are Linux's, which climbs in steps half as large as the paper's.
fn law_of(config: &Config) -> Option<Cc> {
    if config.algorithm == Algorithm::Bic && config.flavour != Flavour::Linux {
        return None;
    }
    // Losses cut it as they cut Reno; what marks leave it is said apart.
    if config.algorithm.goes_by_marks() {
        return Some(Cc::Reno);
    }
    config.algorithm.name().parse().ok()
}

/// Bytes in flight at most: whole segments only, but of a sender that fills its receiver's window.
fn most_in_flight(config: &Config) -> u64 {
    let window = config.receive_window.min(config.send_buffer);
    if fills_window(config) {
        return window;
    }
    (window / u64::from(config.mss)).max(1) * u64::from(config.mss)
}
