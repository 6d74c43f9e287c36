//! Tests that ask and are answered: what an application's own window makes of a path.

use farpath_predict::Cc;
use farpath_predict::idle::{Answers, Restart};
use farpath_record::Record;
use farpath_tcp::{Flavour, RtoFloor};

use super::flow::Flow;
use super::{Path, put};
use crate::model::{Exchange, Tcp, Test};
use crate::plan::{max_ssthresh, segments_per_growth};

/// What is asked for on all connections together.
struct Asks {
    streams: f64,
    /// Answers under way at most.
    under_way: f64,
    /// Of an answer.
    bits: f64,
    think_s: f64,
}

impl Asks {
    /// Payload bit/s where nothing else gives less, and one answer alone takes `alone_s`.
    fn bps(&self, alone_s: f64) -> f64 {
        self.under_way * self.bits / (alone_s + self.think_s)
    }

    /// What one answer takes where they come at `bps` altogether, in seconds: [`Asks::bps`] turned round.
    fn each_s(&self, bps: f64) -> f64 {
        self.under_way * self.bits / bps - self.think_s
    }
}

impl Path<'_> {
    /// Each connection has `outstanding` answers under way, one of which takes a round trip, the thinking and its own time on
    /// the way: outstanding · answer / (RTT + think + its time), as long as nothing else gives less. All connections together
    /// have what the path carries; then an answer takes what that leaves (the asymptotic bounds of Denning and Buzen 1978).
    pub(crate) fn exchange(&self, test: &Test, record: &mut Record) {
        let (Some(tcp), Some(exchange)) = (test.kind.tcp(), test.kind.exchange(0)) else {
            return;
        };
        let streams = f64::from(tcp.parallel);
        let agreed = self.plan.tcp_config(self.scenario, self.flow, tcp);
        if exchange.answer >= agreed.mss.into() && self.swallowed(&agreed, record) {
            return;
        }
        let flow = self.flow_of(tcp);
        let m = &mut record.metrics;
        put(m, "rtt_min_ns", flow.base.as_ns() as f64);
        put(m, "request_rate", 0.0);
        let Some(path) = self.ceiling(test, &flow, record) else {
            if record.limited_by.is_none() {
                record.metrics.remove("request_rate");
            }
            return;
        };
        let asks = Asks {
            streams,
            under_way: streams * exchange.outstanding as f64,
            bits: exchange.answer as f64 * 8.0,
            think_s: exchange.think.as_secs_f64(),
        };
        let by_itself = asks.bps(self.response_s(test, tcp, &exchange, false));
        let meets = path.policed.is_some() && !self.spares(test, &flow, &asks, by_itself);
        let (path, asking_bps) = match meets {
            true => {
                // One that its bucket holds is not slowed down, by itself.
                let of_one = exchange.answer.saturating_mul(exchange.outstanding) as f64;
                let slows = !self.holds(test, &flow, of_one);
                let alone_s = self.response_s(test, tcp, &exchange, slows);
                (path, asks.bps(alone_s))
            }
            false => (path.unpoliced(&flow), by_itself),
        };
        let path = match path.policed {
            None => path.spared(
                &flow,
                spared(test, &flow, &exchange, asks.each_s(asking_bps)),
            ),
            Some(_) => path,
        };
        let path = path.through_disk(self.disk_bps(&exchange));
        let bps = asking_bps.min(path.bps * flow.share_borne());
        // Most of an answer's time is the policer's, then.
        let policed = meets && asking_bps * 2.0 < by_itself;
        let by = match asking_bps < path.bps && !policed {
            true => "application",
            false => path.by,
        };
        record.limited_by = Some(by.to_owned());
        if let Some(bounds) = path.policed {
            self.note_policed(&flow, bounds, bps / path.bps, record);
            record.limited_by = Some(by.to_owned());
        }
        let doubts = doubts(&flow, asks.under_way, exchange.answer);
        record.notes.extend(doubts.into_iter().flatten());
        let behind_one_another = exchange.answer.saturating_mul(exchange.outstanding);
        self.note_bulk(test, &flow, path.loss_bps, Some(behind_one_another), record);
        self.answered(test, &flow, (bps, asking_bps < path.bps), &asks, record);
        let short = self.short_queue(&flow, bps, false);
        let carries = (bps, Some(behind_one_another));
        self.note_queues(test, &flow, carries, short.as_ref(), record);
        if exchange.answer >= agreed.mss.into() {
            self.note_crossing(test, (&flow, &agreed), record);
        }
    }

    /// The figures of answers that come at `bps` altogether, or as fast as they are `asked` for.
    fn answered(
        &self,
        test: &Test,
        flow: &Flow,
        (bps, asked): (f64, bool),
        asks: &Asks,
        record: &mut Record,
    ) {
        let (Some(tcp), Some(exchange)) = (test.kind.tcp(), test.kind.exchange(0)) else {
            return;
        };
        let m = &mut record.metrics;
        if exchange.outstanding == 1 {
            put(m, "response_avg_ns", (asks.each_s(bps) * 1e9).round());
        }
        let mut counted = (0..tcp.parallel).map(|s| test.kind.exchange(s)?.requests);
        let all = counted.try_fold(0_u64, |sum, one| Some(sum.saturating_add(one?)));
        let all_bits = all.map_or(f64::INFINITY, |requests| requests as f64 * asks.bits);
        if let Some(duration) = test.duration {
            // The last that is counted may come before the time is over.
            let left = (all_bits - bps * test.omit.as_secs_f64()).max(0.0);
            let measured = bps.min(left / duration.as_secs_f64());
            put(m, "request_rate", measured / asks.bits);
            put(m, "goodput_bps", measured);
            if asked {
                record.notes.extend(self.doubt_of_start(test, bps, asks));
            }
            return;
        }
        // The handshake, and half a round trip more where who asks is called; what slow start costs where answers follow one another.
        let base_s = flow.base.as_secs_f64();
        let opened_s = base_s * if test.kind.is_reverse() { 1.0 } else { 1.5 };
        let start_s = match asked {
            true => opened_s - asks.think_s,
            false => opened_s.max(flow.ramp(bps / asks.streams).wasted_s),
        };
        let mut seconds = all_bits / bps + start_s;
        if let Some(several) = self.several(test, (bps / asks.streams, asked), asks) {
            let late_s = opened_s + several.seconds;
            if asked && several.starts_s > 0.5 * late_s {
                record.limited_by = Some("cwnd_slow_start".to_owned());
            }
            seconds = seconds.max(late_s);
        }
        let m = &mut record.metrics;
        put(m, "completion_ns", (seconds * 1e9).round());
        put(m, "goodput_bps", all_bits / seconds);
        // Until the last answer: no thinking follows it.
        put(m, "request_rate", all_bits / seconds / asks.bits);
    }

    /// Whether policers drop nothing of what is asked for: their bucket holds all that is under way, and fills as fast as it comes.
    fn spares(&self, test: &Test, flow: &Flow, asks: &Asks, asking_bps: f64) -> bool {
        let under_way = asks.under_way * asks.bits / 8.0;
        let all = self.meets_policers(test, flow);
        all.iter()
            .all(|met| asking_bps <= met.all_bps() && met.holds(under_way))
    }

    /// Whether the buckets of the policers on the way hold so many bytes of payload that come behind one another.
    fn holds(&self, test: &Test, flow: &Flow, bytes: f64) -> bool {
        let all = self.meets_policers(test, flow);
        all.iter().all(|met| met.holds(bytes))
    }

    fn disk_bps(&self, exchange: &Exchange) -> f64 {
        match exchange.disks {
            true => self.disks_bps(),
            false => f64::INFINITY,
        }
    }

    /// From a request to the end of its answer, on one connection alone, on average. Until a loss strikes the connection answers go as
    /// if there were none, and then as losses hold it.
    /// `policed`: a policer drops of them.
    fn response_s(&self, test: &Test, tcp: &Tcp, exchange: &Exchange, policed: bool) -> f64 {
        let flow = self.flow_of(&Tcp {
            parallel: 1,
            ..tcp.clone()
        });
        let path = self.ceiling_alone(test, &flow, policed);
        let held_s = self.response_at_s(test, &flow, exchange, path.bps);
        let Some(clean) = flow.unheld(path.bps).filter(|_| !policed) else {
            return held_s;
        };
        let clean_s = self.response_at_s(test, &flow, exchange, clean);
        held_s + (clean_s - held_s) * spared(test, &flow, exchange, held_s)
    }

    /// The same where the connection has at most `path_bps`: a round trip, and the answer's time on the way. The first answers go through
    /// slow start.
    fn response_at_s(&self, test: &Test, flow: &Flow, exchange: &Exchange, path_bps: f64) -> f64 {
        let (answers, turn_s) = self.answers(flow, exchange, path_bps);
        let begins = flow.base.as_secs_f64() + turn_s;
        let from_s = test.omit.as_secs_f64() - begins;
        let until_s = test
            .duration
            .map_or(f64::INFINITY, |d| from_s + d.as_secs_f64());
        let most = exchange.requests.unwrap_or(u64::MAX);
        turn_s + answers.mean_between((from_s, until_s), answers.pause_s, most)
    }

    /// The answers of a connection that has at most `path_bps`, and the round trip before one, in seconds. A window that the ends hold leaves
    /// in whole flights, unless it is paced.
    fn answers(&self, flow: &Flow, exchange: &Exchange, path_bps: f64) -> (Answers, f64) {
        let bps = path_bps.min(self.disk_bps(exchange));
        let config = &flow.config;
        let mss = config.mss;
        let header = self.header();
        // The request's own length, and the first segment of the answer, are in the round trip.
        let segment = |bytes: u64| u32::try_from(bytes).unwrap_or(u32::MAX).min(mss) + header;
        let turn = self.rtt(segment(exchange.answer), segment(exchange.request));
        let turn_s = turn.as_secs_f64();
        let segment_s = f64::from(mss) * 8.0 / bps;
        let paced = config.pacing.is_some() || flow.cc.is_some_and(Cc::is_bbr);
        let flights = flow.ramp(bps).flights(bps).filter(|_| !paced);
        let timeout = match config.rto.floor {
            RtoFloor::Variation => flow.base + config.rto_min,
            RtoFloor::Timeout => flow.base.max(config.rto_min),
        };
        let answers = Answers {
            segments: exchange.answer as f64 / f64::from(mss),
            initial: f64::from(config.first_window()),
            segments_per_ack: segments_per_growth(config),
            max_ssthresh: max_ssthresh(config),
            full: flights.map_or(flow.base.as_secs_f64() / segment_s, |_| flow.cap()),
            rtt_s: flow.base.as_secs_f64(),
            segment_s,
            flights,
            // Several answers of a connection come to lie evenly apart: one that waits for a round comes later ever after.
            pause_s: (turn_s + exchange.think.as_secs_f64()) / exchange.outstanding as f64,
            timeout_s: timeout.min(config.rto.largest).as_secs_f64(),
            restart: restart(flow),
        };
        (answers, turn_s)
    }

    /// All answers of a connection that has several requests outstanding and carries `bps` in the end, or as much as is `asked` for; `None`
    /// where one is asked for at a time, or nothing says how many there are.
    fn several(&self, test: &Test, (bps, asked): (f64, bool), asks: &Asks) -> Option<Several> {
        let (tcp, exchange) = (test.kind.tcp()?, test.kind.exchange(0)?);
        let count = match test.duration {
            Some(d) => Some((bps * d.as_secs_f64() / asks.bits) as u64),
            None => exchange.requests,
        };
        let count = count.filter(|n| *n > 0 && exchange.outstanding > 1)?;
        let one = self.flow_of(&Tcp {
            parallel: 1,
            ..tcp.clone()
        });
        // Where less is asked for than the path carries, an answer has all of it; until a loss strikes, as if none did.
        let path_bps = match asked {
            true => {
                let path_bps = self.ceiling_alone(test, &one, false).bps;
                one.unheld(path_bps).unwrap_or(path_bps)
            }
            false => bps,
        };
        let (answers, turn_s) = self.answers(&one, &exchange, path_bps);
        let all = |answers: &Answers| {
            let between_s = turn_s + asks.think_s;
            let (followed, seconds) = answers.several(exchange.outstanding, count, between_s);
            turn_s + seconds + (count - followed) as f64 * asks.bits / bps
        };
        let seconds = all(&answers);
        let without = all(&Answers {
            initial: f64::INFINITY,
            ..answers
        });
        Some(Several {
            seconds,
            starts_s: (seconds - without).max(0.0),
        })
    }

    /// Where slow start takes much of the time in which several requests are to be outstanding: the forecast has them all under way from the
    /// beginning.
    fn doubt_of_start(&self, test: &Test, bps: f64, asks: &Asks) -> Option<String> {
        let duration_s = test.duration?.as_secs_f64();
        let several = self.several(test, (bps / asks.streams, true), asks)?;
        let starts_s = several.starts_s - test.omit.as_secs_f64();
        (starts_s > START_WORTH * duration_s).then(|| {
            format!(
                "as if every answer that is asked for were under way from the beginning: slow start lets fewer go at first, which takes some \
                 {starts_s:.2} s of the {duration_s} s measured"
            )
        })
    }
}

/// Answers of a connection that has several requests outstanding.
struct Several {
    /// From the first request to the end of the last answer.
    seconds: f64,
    /// Of these, what slow start takes.
    starts_s: f64,
}

/// A smaller share of the measured time is not worth a word.
const START_WORTH: f64 = 0.1;

/// The mean share of the measured answers of a connection that end before a loss strikes any, one of which takes `each_s`. A number k of
/// them, 1 for the first, does with chance q^k.
fn spared(test: &Test, flow: &Flow, exchange: &Exchange, each_s: f64) -> f64 {
    let q = libm::exp(-flow.losses_in(exchange.answer as f64));
    if q >= 1.0 {
        return 1.0;
    }
    let turn_s = (each_s + exchange.think.as_secs_f64()) / exchange.outstanding as f64;
    let before = (test.omit.as_secs_f64() / turn_s).floor();
    let within = test
        .duration
        .map_or(f64::INFINITY, |d| d.as_secs_f64() / turn_s);
    let most = exchange.requests.map_or(f64::INFINITY, |n| n as f64);
    let count = within.min(most - before).max(1.0);
    libm::pow(q, before + 1.0) * (1.0 - libm::pow(q, count)) / (count * (1.0 - q))
}

/// What a forecast of so many answers of `bytes` under way leaves out.
fn doubts(flow: &Flow, under_way: f64, bytes: u64) -> [Option<String>; 2] {
    let pipe = flow.narrowest.bps * flow.base.as_secs_f64() / 8.0;
    let held = pipe + flow.room * f64::from(flow.config.mss);
    let all = under_way * bytes as f64;
    let of_losses = (all > held).then(|| {
        format!(
            "as if nothing were lost: {under_way:.0} answers under way are {:.1} times what path and queue hold, and where they meet losses take time",
            all / held
        )
    });
    let measures = flow.cc.is_some_and(Cc::is_bbr) && (bytes as f64) < pipe;
    let of_pace = measures.then(|| {
        "as if answers left at the path's rate: BBR paces them by what it has measured of short ones, up to a round trip longer".to_owned()
    });
    [of_losses, of_pace]
}

/// What an idle time does to the windows of a flow's sender. BBR keeps its pace.
fn restart(flow: &Flow) -> Restart {
    let keeps = !flow.config.idle_restart || flow.cc.is_some_and(Cc::is_bbr);
    match flow.config.flavour {
        _ if keeps => Restart::Never,
        Flavour::Linux => Restart::Halved,
        Flavour::Rfc => Restart::Initial,
    }
}
