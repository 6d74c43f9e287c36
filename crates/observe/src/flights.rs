//! Flights: what a capture shows of a sender, interval by interval, and nothing of its inside.
//!
//! Three things are seen and need no guess: that nothing was in flight or all that was written was, that the
//! receiver's window had no room, and that losses were being repaired. Of the first, a link takes the time in which what is under way
//! comes out of a queue at an even rate (`drains`), or the round is a full link's for the greater part. What is left of a round
//! trip goes to one limit, by the first rule that holds:
//!
//! 1. a link, where packets waited in a queue all the round long and what was delivered is near the most ever seen. Time in
//!    which the window was full is the link's then, too: a larger window would make the queue longer, and nothing faster. Not
//!    so where full windows go through faster without a queue: what is late then is jitter, and the window is the limit. Nor
//!    where the receiver offers far less than before, as its program has not read, or the path has carried twice as much.
//!    Without a queue, too, at the most that is delivered, where what was sent more at other times waited (`probes`);
//! 2. where packets pass evenly, without a pause, always at one rate, and no queue is seen: the sender's interface if
//!    they are seen as they leave it; a link if they are seen later and a loss, which makes windows smaller, did not
//!    make the rate smaller;
//!    a policer that is known to have this rate, in place of either, and of a link that probes or a queue show;
//! 3. the congestion window after a loss or an answer to marks of ECN, where there has been one;
//! 4. the application, where less was in flight than any congestion window holds: it writes little, or waits with the rest for an
//!    acknowledgement (Nagle's algorithm, RFC 1122 §4.2.3.4);
//! 5. slow start, while what is delivered grows from one round to the next, or will within a few, and what is in flight does not stay
//!    at one height: a send buffer or a program keeps it there;
//! 6. nobody that a capture shows.

use farpath_units::{Duration, Rate, Time};

use crate::connection::Connection;
use crate::drains::drained;
use crate::flight::{Flight, is_queue};
use crate::path::TO_THE_BRIM;
use crate::percentile;
use crate::probes::{Sight, find_a_line};
use crate::stretch::{Limit, Stretch};

/// A link is full when this share of the most ever delivered in a round is.
const NEAR: f64 = 0.85;
/// Nor is it behind a full window at less than this share of the most delivered in any round.
const CARRIED: f64 = 0.5;
/// So much of the time of full windows has to be without a queue for that to be judged.
const FREE: f64 = 0.1;
/// The fastest round is busy for this share of a round trip at least.
const PEAK: f64 = 0.5;
/// Rates within this of each other are one rate.
const STEADY: f64 = 0.95;
/// Packets leave evenly where no gap is longer than this many mean ones.
const EVEN: f64 = 4.0;
/// What is delivered grows in slow start by this from one round to the next, at least: HyStart's slower growth too.
const GROWS: f64 = 1.15;
/// A round in which this share of the time nothing was to be sent is a pause.
const PAUSE: f64 = 0.9;
/// Two full segments of Ethernet, bytes. With less than this in flight another has room in the smallest initial window since 2002,
/// 4380 bytes (RFC 3390 §1).
const SMALL: u64 = 2920;
/// What begins with a smaller window has so many times as much in flight in the next round.
const NEXT: f64 = 1.5;
/// Rounds that may pass between growth and growth in slow start: delayed and stretched acknowledgements.
const PATIENCE: usize = 4;
/// What is in flight stays at one height where so many rounds on end have as much, to the least growth. The slowest slow start, HyStart's
/// conservative one, has 1.25³ = 1.95 times as much by then (RFC 9406 §4.3).
const LEVEL: usize = 4;

/// A round trip, or a little more.
#[derive(Clone, Copy, Debug, Default)]
struct Round {
    flight: Flight,
    /// Of the time in which all that was written was under way, it came out of a queue.
    drained: Duration,
}

impl Round {
    fn seconds(&self) -> f64 {
        self.flight.until.since(self.flight.from).as_secs_f64()
    }

    /// What was delivered in a second of the time in which anything was under way.
    fn rate(&self) -> f64 {
        let busy = self.seconds() - self.flight.idle.as_secs_f64();
        if busy > 0.0 {
            self.flight.delivered as f64 / busy
        } else {
            0.0
        }
    }

    /// The same, if what one acknowledgement says came just too late for this round: two segments (RFC 9293 §3.8.6.3), of
    /// Ethernet's size at most.
    fn rate_at_most(&self) -> f64 {
        let f = &self.flight;
        let mut late = *self;
        late.flight.delivered += (2 * f.sent / u64::from(f.packets.max(1))).min(SMALL);
        late.rate()
    }

    /// Almost nothing was to be sent.
    fn is_pause(&self) -> bool {
        self.flight.idle.as_secs_f64() >= PAUSE * self.seconds()
    }

    fn add(&mut self, next: &Flight, drains: bool) {
        self.drained += drain(next, drains);
        let f = &mut self.flight;
        f.until = next.until;
        f.idle += next.idle;
        f.under_way += next.under_way;
        f.window += next.window;
        f.held += next.held;
        f.recovery += next.recovery;
        f.timeout += next.timeout;
        f.sent += next.sent;
        f.delivered += next.delivered;
        f.peak = f.peak.max(next.peak);
        f.rtt = match (f.rtt, next.rtt) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        f.packets += next.packets;
        f.gap = f.gap.max(next.gap);
    }
}

/// The account of a connection's flights from `from` on.
pub(crate) fn stretches(connection: &Connection, from: Time) -> Vec<Stretch> {
    let floor = connection.round();
    let rounds = rounds(&connection.flights, floor);
    let mut rates: Vec<f64> = rounds
        .iter()
        .map(Round::rate)
        .filter(|r| *r > 0.0)
        .collect();
    rates.sort_by(f64::total_cmp);
    let most = if rates.is_empty() {
        0.0
    } else {
        percentile(&rates, 0.9)
    };
    let mut reader = Reader {
        floor,
        most,
        peak: peak(&rounds, floor),
        lost: false,
        steady: is_steady(&rates),
        established: connection.established,
        rtt: None,
        window_fills: true,
        probed: false,
        line: line(connection, most),
    };
    let sights: Vec<Sight> = rounds.iter().map(|round| reader.sight(round)).collect();
    reader.probed = reader.steady && find_a_line(&sights, most);
    reader.window_fills = reader.fills(&rounds);
    let mut growing = growing(&rounds);
    if floor > Duration::ZERO {
        level(&rounds, &mut growing);
    }
    let all = rounds.iter().zip(growing).enumerate();
    let all = all.map(|(n, (round, grows))| {
        let next = rounds.get(n + 1).map_or(0, |next| next.flight.peak);
        let small = round.flight.peak < SMALL && (next as f64) < NEXT * round.flight.peak as f64;
        reader.stretch(round, Shape { grows, small })
    });
    all.filter(|stretch| stretch.until > from).collect()
}

/// What carries no more than `most`, bytes of payload a second: a policer, where one is known that has this rate; else a link.
fn line(connection: &Connection, most: f64) -> Limit {
    let is_its_rate = |policer: Rate| {
        let share = 8.0 * most / policer.as_bps() as f64;
        (NEAR..=1.0 / NEAR).contains(&share)
    };
    match connection.policed.is_some_and(is_its_rate) {
        true => Limit::Policer,
        false => Limit::Link,
    }
}

/// What the fastest round delivered, bytes a second: those of a round trip at least, most of it with something under way.
fn peak(rounds: &[Round], floor: Duration) -> f64 {
    let whole = |r: &&Round| {
        let busy = r.seconds() - r.flight.idle.as_secs_f64();
        busy >= PEAK * floor.as_secs_f64()
    };
    rounds
        .iter()
        .filter(whole)
        .map(Round::rate)
        .fold(0.0, f64::max)
}

/// What a flight has of a drain, where it is part of one.
fn drain(flight: &Flight, drains: bool) -> Duration {
    match drains {
        true => flight.under_way,
        false => Duration::ZERO,
    }
}

/// Flights taken together to round trips.
fn rounds(flights: &[Flight], floor: Duration) -> Vec<Round> {
    let mut all: Vec<Round> = Vec::new();
    for (flight, drains) in flights.iter().zip(drained(flights, floor)) {
        match all.last_mut() {
            Some(last) if last.flight.until.since(last.flight.from) < floor => {
                last.add(flight, drains);
            }
            _ => all.push(Round {
                flight: *flight,
                drained: drain(flight, drains),
            }),
        }
    }
    all
}

/// Which rounds belong to growth: those that deliver more than all before them since the last pause, and those between two of
/// these, or between the last one and the end, where they are few.
fn growing(rounds: &[Round]) -> Vec<bool> {
    let mut growing = vec![false; rounds.len()];
    // The most that was delivered since the last pause, bytes a second.
    let (mut most, mut last) = (0.0, 0);
    for (n, round) in rounds.iter().enumerate() {
        let rate = round.rate();
        if rate >= GROWS * most || n + 1 == rounds.len() {
            if n - last <= PATIENCE {
                growing[last..=n].fill(true);
            }
            growing[n] |= rate >= GROWS * most;
            last = n;
        }
        // A pause begins anew; else what has been reached is not growth when it comes again.
        most = match round.is_pause() {
            true => 0.0,
            false => rate.max(most),
        };
    }
    growing
}

/// Takes rounds out of growth that have no more in flight than those before them: in slow start there is more in each.
fn level(rounds: &[Round], growing: &mut [bool]) {
    for (n, few) in rounds.windows(LEVEL).enumerate() {
        let peaks = || few.iter().map(|round| round.flight.peak);
        let (least, most) = (peaks().min().unwrap_or(0), peaks().max().unwrap_or(0));
        if least > 0 && (most as f64) < GROWS * least as f64 {
            // What the first one has may be new.
            growing[n + 1..n + LEVEL].fill(false);
        }
    }
}

/// Whether half of all rates, the middle ones, are one.
fn is_steady(sorted: &[f64]) -> bool {
    sorted.len() >= 8 && percentile(sorted, 0.25) >= STEADY * percentile(sorted, 0.75)
}

/// A round beside its neighbours.
#[derive(Clone, Copy)]
struct Shape {
    /// It belongs to growth.
    grows: bool,
    /// So little was in flight that a congestion window had room, and no more in the round behind it.
    small: bool,
}

struct Reader {
    floor: Duration,
    /// The most that is delivered, bytes a second.
    most: f64,
    /// The same of the fastest round of all that lasted a round trip, however short the connection was so fast.
    peak: f64,
    /// There has been a loss, or an answer to marks.
    lost: bool,
    steady: bool,
    established: Time,
    /// The shortest round trip of the last round that had one.
    rtt: Option<Duration>,
    /// Full windows behind a queue fill a link, as far as full windows without one show.
    window_fills: bool,
    /// Probes show that a line is full at the most that is delivered.
    probed: bool,
    /// What lets no more through than the most that is delivered: a link, or a policer of this rate.
    line: Limit,
}

impl Reader {
    /// What a round shows of probes.
    fn sight(&self, round: &Round) -> Sight {
        Sight {
            sent: round.flight.sent as f64 / round.seconds().max(f64::MIN_POSITIVE),
            delivered: round.rate(),
            waited: round.flight.rtt.is_some_and(|rtt| self.is_queue(rtt)),
        }
    }

    fn stretch(&mut self, round: &Round, shape: Shape) -> Stretch {
        let f = &round.flight;
        let mut stretch = Stretch::new(f.from, f.until);
        let whole = round.seconds();
        self.lost |= f.recovery > Duration::ZERO || f.timeout > Duration::ZERO;
        // Before the handshake is over nothing may be sent.
        let handshake = self
            .established
            .min(f.until)
            .since(f.from.min(self.established));
        let handshake = handshake.as_secs_f64();
        stretch.add(Limit::CwndSlowStart, handshake);
        let whole = (whole - handshake).max(0.0);
        // While losses are repaired there are no samples: the queue is as it was.
        self.rtt = f.rtt.or(self.rtt);
        let waits = self.waits(round);
        // What a timeout repairs is under way, even where nothing more was written.
        let timeout = match waits {
            true => 0.0,
            false => f.timeout.as_secs_f64().min(whole),
        };
        stretch.add(Limit::Loss, timeout);
        let idle = (f.idle.as_secs_f64() - handshake).clamp(0.0, whole - timeout);
        let window = f.window.as_secs_f64().min(whole - timeout - idle);
        let mut rest = whole - timeout - idle - window;
        let drained = drained_of(round, waits, window + rest).min(idle);
        stretch.add(Limit::Link, drained);
        stretch.add(Limit::Application, idle - drained);
        stretch.set_idle(idle - f.under_way.as_secs_f64());
        if waits {
            stretch.add(self.line, window + rest);
            return stretch;
        }
        stretch.add(Limit::ReceiveWindow, window);
        let limit = self.rest(round, shape);
        if limit != self.line {
            let recovery = f.recovery.as_secs_f64().min(rest);
            stretch.add(Limit::CwndRecovery, recovery);
            rest -= recovery;
        }
        stretch.add(limit, rest);
        stretch
    }

    /// Whether full windows behind a queue are as fast as those without one, to the share that fills a link: a link that they fill
    /// carries no more, and a window that is late by jitter less.
    fn fills(&self, rounds: &[Round]) -> bool {
        let mut rtt = None;
        // Bytes and busy seconds: without a queue, and behind one.
        let mut sums = [(0.0, 0.0); 2];
        for round in rounds {
            let f = &round.flight;
            rtt = f.rtt.or(rtt);
            let Some(rtt) = rtt.filter(|_| f.window > Duration::ZERO) else {
                continue;
            };
            let (bytes, seconds) = &mut sums[usize::from(self.is_queue(rtt))];
            *bytes += f.delivered as f64;
            *seconds += round.seconds() - f.idle.as_secs_f64();
        }
        let [free, queued] = sums;
        let rate = |(bytes, seconds): (f64, f64)| bytes / seconds.max(f64::MIN_POSITIVE);
        free.1 < FREE * (free.1 + queued.1) || rate(queued) >= TO_THE_BRIM * rate(free)
    }

    /// Whether packets wait in a queue all the round long, at nearly the most that is ever delivered: as nearly as a round of few
    /// packets can show.
    fn waits(&self, round: &Round) -> bool {
        let most = NEAR * self.most;
        let f = &round.flight;
        let is_late = !self.window_fills && f.window > Duration::ZERO;
        // What a receiver has taken back does not come back sooner from a link with less to carry.
        let is_held = f.held > Duration::ZERO && f.held.times(2) >= f.window;
        // A link that has carried far more is not full with this.
        let is_slow = f.window > Duration::ZERO && round.rate() < CARRIED * self.peak;
        !(is_late || is_held || is_slow)
            && self.rtt.is_some_and(|rtt| self.is_queue(rtt))
            && round.rate_at_most() >= most
    }

    /// What a round without a queue is left to.
    fn rest(&self, round: &Round, shape: Shape) -> Limit {
        let f = &round.flight;
        let rate = round.rate();
        if self.probed && rate >= STEADY * self.most {
            return self.line;
        }
        let mean = round.seconds() / f64::from(f.packets.max(1));
        let even = f.packets >= 4 && f.gap.as_secs_f64() <= EVEN * mean;
        if even && self.steady && rate >= STEADY * self.most {
            match (f.far, self.lost) {
                _ if self.line == Limit::Policer => return self.line,
                (false, _) => return Limit::Nic,
                (true, true) => return self.line,
                (true, false) => {}
            }
        }
        if self.lost {
            Limit::CwndRecovery
        } else if shape.small {
            Limit::Application
        } else if shape.grows {
            Limit::CwndSlowStart
        } else {
            Limit::Unknown
        }
    }

    fn is_queue(&self, rtt: Duration) -> bool {
        is_queue(rtt, self.floor)
    }
}

/// Seconds that a link takes of a round while all that was written is under way; `open` are those in which more was to be sent, behind a
/// queue all the round long where it `waits`.
fn drained_of(round: &Round, waits: bool, open: f64) -> f64 {
    let under_way = round.flight.under_way.as_secs_f64();
    match waits && round.flight.delivered > 0 && under_way <= open {
        true => under_way,
        false => round.drained.as_secs_f64(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connection::RoundTrips;
    use crate::limit::{Surroundings, shares};

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    /// Flights of 10 ms each, with what each delivers, in segments.
    fn seen(delivered: &[u64], change: impl Fn(usize, &mut Flight)) -> Connection {
        let flight = |(n, bytes): (usize, &u64)| {
            let mut flight = Flight {
                from: at(10 * n as u64),
                until: at(10 * (n as u64 + 1)),
                delivered: *bytes,
                sent: *bytes,
                peak: *bytes * 1460,
                rtt: Some(Duration::from_ms(10)),
                ..Flight::default()
            };
            change(n, &mut flight);
            flight
        };
        Connection {
            delivered: 1,
            flights: delivered.iter().enumerate().map(flight).collect(),
            rtt: Some(RoundTrips {
                min_ns: 1e7,
                avg_ns: 1e7,
                max_ns: 2e7,
                smoothed: false,
            }),
            ..Connection::default()
        }
    }

    fn found(connection: &Connection) -> std::collections::BTreeMap<String, f64> {
        shares(connection, Time::ZERO, &Surroundings::default())
    }

    #[test]
    fn growth_is_slow_start_until_it_ends() {
        let all = found(&seen(&[1, 2, 4, 8, 16, 16, 16, 16, 16, 16], |_, _| {}));
        assert_eq!(all["cwnd_slow_start"], 0.5);
        assert_eq!(all["unknown"], 0.5, "it stayed so to the end");
        let patient = [1, 2, 4, 4, 4, 4, 8, 8, 8, 8];
        let all = found(&seen(&patient, |n, f| f.peak = 3000 << n));
        assert_eq!(all["cwnd_slow_start"], 1.0, "with some patience");
        let all = found(&seen(&patient, |_, _| {}));
        assert!((all["cwnd_slow_start"] - 0.4).abs() < 1e-9, "{all:?}");
        assert!((all["unknown"] - 0.6).abs() < 1e-9, "{all:?}");
    }

    /// 65.7 kB in flight in each round from the fourth on. What is delivered in busy time is more once, and grows anew behind that pause.
    #[test]
    fn what_stays_in_flight_at_one_height_is_no_slow_start() {
        let all = found(&seen(&[10, 20, 40, 45, 45, 45, 45, 45, 45, 45], |n, f| {
            f.peak = f.delivered * 1460;
            f.idle = Duration::from_us(if n == 6 { 9500 } else { 0 });
        }));
        assert!((all["cwnd_slow_start"] - 0.3).abs() < 1e-9, "{all:?}");
        assert!((all["application"] - 0.095).abs() < 1e-9, "{all:?}");
        assert!((all["unknown"] - 0.605).abs() < 1e-9, "{all:?}");
    }

    /// Answers of two segments, of which the second waits for the acknowledgement of the first (RFC 1122 §4.2.3.4).
    #[test]
    fn what_is_less_than_any_window_is_the_applications() {
        let all = found(&seen(&[1628, 1172, 1628, 1172, 1628, 1172], |n, f| {
            f.peak = f.delivered;
            f.idle = Duration::from_ms(if n % 2 == 0 { 0 } else { 10 });
        }));
        assert_eq!(all["application"], 1.0);
        // A host of 1999 begins with one segment.
        let all = found(&seen(&[1, 2, 4, 8], |_, _| {}));
        assert_eq!(all["cwnd_slow_start"], 1.0);
    }

    /// A request of one segment that is lost twice: nothing more is written, and the time is the timeouts'.
    #[test]
    fn what_waits_for_a_timeout_is_the_losses() {
        let all = found(&seen(&[0, 0, 0, 0, 0, 300, 300, 300], |n, f| {
            f.idle = Duration::from_ms(10);
            f.timeout = Duration::from_ms(if (1..5).contains(&n) { 10 } else { 0 });
        }));
        assert_eq!(all["loss"], 0.5);
        assert_eq!(all["application"], 0.5);
    }

    #[test]
    fn what_is_seen_is_not_guessed() {
        let all = found(&seen(&[100; 10], |n, f| {
            f.window = Duration::from_ms(7);
            f.idle = Duration::from_ms(if n < 5 { 2 } else { 0 });
        }));
        assert!((all["receive_window"] - 0.7).abs() < 1e-9);
        assert!((all["application"] - 0.1).abs() < 1e-9);
    }

    /// Answers of 35 kB, each sent at once. Twelve rounds of its fifteen have a part of it, at one rate, and the last of these is left out.
    #[test]
    fn what_drains_through_a_queue_is_a_links_though_all_is_written() {
        let answers = |rtt_ms: fn(usize) -> u64| {
            found(&seen(&[0; 60], |n, f| {
                let of_answer = n % 15;
                f.idle = Duration::from_ms(10);
                f.under_way = Duration::from_ms(if of_answer < 13 { 10 } else { 0 });
                f.sent = if of_answer == 0 { 12 * 2920 } else { 0 };
                if (1..13).contains(&of_answer) {
                    f.delivered = 2920;
                    f.rtt = Some(Duration::from_ms(rtt_ms(of_answer)));
                }
            }))
        };
        let all = answers(|n| 10 + 10 * n as u64);
        assert!((all["link"] - 11.0 / 15.0).abs() < 1e-9, "{all:?}");
        assert!((all["application"] - 4.0 / 15.0).abs() < 1e-9, "{all:?}");
        assert_eq!(answers(|_| 10)["application"], 1.0, "without a queue");
    }

    /// A full line whose sender now and then has written nothing more, for a part of each round: a larger window would not help, nor would
    /// more that is written.
    #[test]
    fn what_is_under_way_in_a_round_of_a_full_link_is_the_links() {
        let all = |under_way_ms: u64| {
            found(&seen(&[100; 10], |n, f| {
                f.rtt = Some(Duration::from_ms(if n == 0 { 10 } else { 15 }));
                f.idle = Duration::from_ms(3);
                f.under_way = Duration::from_ms(under_way_ms);
            }))
        };
        let under_way = all(3);
        assert!((under_way["link"] - 0.9).abs() < 1e-9, "{under_way:?}");
        let pauses = all(0);
        assert!((pauses["link"] - 0.63).abs() < 1e-9, "{pauses:?}");
        assert!((pauses["application"] - 0.3).abs() < 1e-9, "{pauses:?}");
    }

    #[test]
    fn a_queue_at_the_full_rate_is_a_links_and_losses_are_repaired_within_it() {
        let all = found(&seen(&[100; 10], |n, f| {
            f.rtt = Some(Duration::from_ms(if n < 5 { 10 } else { 15 }));
            f.recovery = Duration::from_ms(if n % 2 == 0 { 5 } else { 0 });
        }));
        assert_eq!(all["link"], 0.5);
        assert_eq!(all["cwnd_recovery"], 0.5);
    }

    /// A slow line behind a short queue carries so few packets in a round that one more or less is a fifth of them.
    #[test]
    fn a_round_of_few_packets_is_as_full_as_two_more_would_make_it() {
        let few = |least: u64| {
            let all = [5, least, 5, 4, 5, least, 5, 4, 5, 5].map(|n| n * 1460);
            found(&seen(&all, |n, f| {
                f.packets = (f.sent / 1460) as u32;
                f.rtt = Some(Duration::from_ms(if n == 0 { 10 } else { 15 }));
                f.recovery = Duration::from_ms(2);
            }))
        };
        assert!((few(3)["link"] - 0.9).abs() < 1e-9, "{:?}", few(3));
        assert!((few(2)["link"] - 0.7).abs() < 1e-9, "{:?}", few(2));
    }

    #[test]
    fn a_window_that_is_full_while_a_queue_stands_is_not_what_limits() {
        let full = |rtt_ms: u64| {
            found(&seen(&[100; 10], |n, f| {
                f.rtt = Some(Duration::from_ms(if n == 0 { 10 } else { rtt_ms }));
                f.window = Duration::from_ms(8);
            }))
        };
        assert!((full(10)["receive_window"] - 0.8).abs() < 1e-9);
        let waits = full(14);
        assert!((waits["link"] - 0.9).abs() < 1e-9, "{waits:?}");
        assert!((waits["receive_window"] - 0.08).abs() < 1e-9, "{waits:?}");
    }

    /// A full window of 100 segments in each round trip, of 10 ms or, on a machine that is late, of 12 ms; and the same on a link that
    /// carries 100 in 10 ms.
    #[test]
    fn a_full_window_that_comes_late_is_the_windows() {
        let late = |n: usize| n.is_multiple_of(3) && n > 0;
        let of = |fast: u64| {
            let bytes = [100, fast, fast, 100].repeat(9);
            found(&seen(&bytes, |n, f| {
                f.delivered = if late(n) { 100 } else { fast };
                f.rtt = Some(Duration::from_ms(if late(n) { 12 } else { 10 }));
                f.window = Duration::from_ms(9);
            }))
        };
        let window = of(110);
        assert!(!window.contains_key("link"), "{window:?}");
        assert!((window["receive_window"] - 0.9).abs() < 1e-9, "{window:?}");
        let link = of(100);
        assert!(link["link"] > 0.3, "{link:?}");
    }

    /// A program that reads slowly: its acknowledgements are late, always at one rate, and its window is used up.
    #[test]
    fn a_window_that_its_receiver_takes_back_is_no_link() {
        let slow = |n: usize, f: &mut Flight| {
            f.rtt = Some(Duration::from_ms(if n == 0 { 10 } else { 14 }));
            f.window = Duration::from_ms(9);
        };
        let held = found(&seen(&[100; 10], |n, f| {
            slow(n, f);
            f.held = Duration::from_ms(8);
        }));
        assert!((held["receive_window"] - 0.9).abs() < 1e-9, "{held:?}");
        assert!(!held.contains_key("link"), "{held:?}");
        // A smaller buffer than that, and it was empty at first.
        let mut bytes = [100; 20];
        bytes[1] = 300;
        let fast = found(&seen(&bytes, slow));
        assert!(
            !fast.get("link").is_some_and(|share| *share > 0.06),
            "{fast:?}"
        );
        assert!(fast["receive_window"] > 0.85, "{fast:?}");
        // At first as fast as later.
        let link = found(&seen(&[100; 20], slow));
        assert!(link["link"] > 0.9, "{link:?}");
    }

    /// BBR on a line: in pairs, or in bursts of a millisecond, mostly without a queue. Each eighth round it sends a quarter more, which
    /// waits. A host's own interface lets nothing more out.
    #[test]
    fn a_rate_that_probes_do_not_raise_is_a_links() {
        let paced = |probes: bool, gap_ms: u64| {
            found(&seen(&[100; 48], |n, f| {
                f.packets = 10;
                f.gap = Duration::from_ms(gap_ms);
                if probes && n % 8 == 2 {
                    f.sent = 125;
                    f.rtt = Some(Duration::from_ms(12));
                }
            }))
        };
        for gap_ms in [1, 9] {
            assert_eq!(paced(true, gap_ms)["link"], 1.0, "{gap_ms}");
        }
        assert_eq!(paced(false, 1)["nic"], 1.0);
    }

    /// 80 kbit/s behind a loss, seen from afar.
    #[test]
    fn an_even_rate_that_is_a_known_policers_is_its() {
        let named = |policer_bps: Option<u64>| {
            let mut even = seen(&[100; 10], |n, f| {
                (f.far, f.packets, f.gap) = (true, 10, Duration::from_ms(1));
                if n == 0 {
                    f.recovery = Duration::from_ms(1);
                }
            });
            even.policed = policer_bps.and_then(Rate::from_bps);
            found(&even)
        };
        assert_eq!(named(None)["link"], 1.0);
        assert_eq!(named(Some(83_000))["policer"], 1.0);
        assert_eq!(named(Some(200_000))["link"], 1.0, "of another rate");
    }

    #[test]
    fn an_even_and_steady_rate_without_a_queue_is_the_interfaces() {
        let all = found(&seen(&[100; 10], |_, f| {
            f.packets = 10;
            f.gap = Duration::from_ms(1);
        }));
        assert_eq!(all["nic"], 1.0);
    }
}
