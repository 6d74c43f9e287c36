//! What accounts of a sender's time speak for and against: those of captures and of farpath's own records.

use crate::account::Account;
use crate::captured::LeftOut;
use crate::cause::Cause;
use crate::ceiling::UNSCALED;
use crate::evidence::Evidence;
use crate::fact::Figure;
use crate::items::{Item, LOSSES, of, step};

/// Where a kernel's own account stands beside it, a capture says the same once more.
const BESIDE_KERNEL: f64 = 0.5;

/// Weighs an account's shares.
pub(crate) fn by_account(e: &Evidence, items: &mut Vec<Item>) {
    if e.unscaled.is_some()
        && let Some(flight) = e.implied_flight().or_else(|| uncut(e))
    {
        items.push(Item {
            holds: 1.0 - step(flight.low, 66_000.0, 80_000.0),
            weights: vec![(Cause::NoWindowScaling, 20.0)],
            sentence: format!(
                "the ends did not agree on window scaling: 65535 bytes are the most{}",
                without(e.left_out)
            ),
        });
        // The window that is announced then is the same limit, and no second cause.
        items.push(Item {
            holds: step(flight.high, 0.7 * UNSCALED, 0.8 * UNSCALED)
                * (1.0 - step(flight.low, 66_000.0, 80_000.0)),
            weights: of(&[Cause::ReceiveWindow, Cause::SendBuffer], -12.0),
            sentence: String::new(),
        });
    }
    taken_out(e, items);
    never_arrived(e, items);
    in_time(e, items);
    let Some(account) = &e.account else { return };
    let kernel = e.rwnd_share.is_some() || e.busy_share.is_some();
    let trust = account.trust * if kernel { BESIDE_KERNEL } else { 1.0 };
    let first = items.len();
    by_hosts(e, account, items);
    by_path(e, account, items);
    for item in &mut items[first..] {
        item.holds *= trust;
    }
    of_bbr(e, account, trust, items);
    // Wherever it was seen, nothing but the sender's own rule looks like it.
    let mut waited = idle(0.0);
    waited.push((Cause::SmallWrites, 54.0));
    items.push(share(account, "small_writes", [0.15, 0.4], &waited));
}

/// Whose SYN was without the option, where that was seen.
fn without(left_out: Option<LeftOut>) -> String {
    match left_out {
        None => String::new(),
        Some(LeftOut::End(side)) => {
            format!(". The {}'s SYN left with no option for it", side.name())
        }
        Some(LeftOut::Beyond(side)) => {
            format!(". The {}'s SYN came with no option for it", side.name())
        }
        Some(LeftOut::Between) => {
            ". A SYN had the option for it at one capture, and not at the other".to_owned()
        }
    }
}

/// Without a round trip: the congestion window of one connection, which no loss has cut. It grows no further than what is sent.
fn uncut(e: &Evidence) -> Option<Figure> {
    let lossless = e.retransmits.as_ref().is_some_and(|r| r.value <= 1.0);
    e.cwnd.clone().filter(|_| lossless && e.streams == 1.0)
}

impl Evidence {
    /// Whether more was in flight than a window without scaling lets be, on each connection: then windows are scaled.
    pub(crate) fn beyond_unscaled(&self) -> bool {
        let each = |f: &Figure| f.low / self.streams > UNSCALED + self.mss;
        self.flight.as_ref().is_some_and(each)
    }
}

/// As much is in flight as a window without scaling lets be (RFC 7323 §2), where the settings allow far more.
fn taken_out(e: &Evidence, items: &mut Vec<Item>) {
    let settings = !e.windows.is_empty() && e.windows.iter().all(|w| w.bytes.low > 262_144.0);
    // The window opened in the first intervals: later ones show what it let through.
    let Some(flight) = e
        .settled_flight()
        .filter(|_| settings && e.unscaled.is_none() && !e.scaled && !e.beyond_unscaled())
    else {
        return;
    };
    let [low, value, high] = [flight.low, flight.value, flight.high];
    let narrow = high < 1.1 * low;
    // Whole segments are sent: up to one less than the window.
    let fits = high > 0.93 * (UNSCALED - e.mss) && low < 1.01 * UNSCALED;
    items.push(Item {
        holds: if narrow && fits { 1.0 } else { 0.0 },
        weights: vec![(Cause::NoWindowScaling, 20.0)],
        sentence: format!(
            "rate and round trip put {:.0} bytes in flight: as many as a window without scaling, 65535, though the settings allow more",
            value
        ),
    });
}

/// Full segments go into a hole: what the connection delivered besides says nothing of programs, windows or losses.
fn never_arrived(e: &Evidence, items: &mut Vec<Item>) {
    let Some(gone) = &e.swallowed else { return };
    let others = [
        Cause::Application,
        Cause::Ramp,
        Cause::ReceiveWindow,
        Cause::SendBuffer,
        Cause::Link,
    ];
    let reported = match (&gone.mtu, gone.by.as_str()) {
        (_, "") => String::new(),
        (Some(mtu), by) => format!(
            "; {by} reports that it carries {:.0} bytes at most",
            mtu.value
        ),
        (None, by) => format!("; {by} reports that they are too large"),
    };
    items.push(Item {
        holds: 1.0,
        weights: [of(&LOSSES, -14.0), of(&others, -24.0), vec![(Cause::MtuBlackHole, 50.0)]].concat(),
        sentence: format!(
            "full segments were sent again {:.0} times and never arrived, while small ones did{reported}",
            gone.again.value
        ),
    });
}

/// So many losses whose gaps are those of chance leave little room for a window that climbs to a full queue between them, fully from the
/// second on, and what that is worth, decibans. Choices.
const MANY: [f64; 2] = [50.0, 150.0];
const OF_MANY: f64 = 5.0;

/// A round trip grows by less than this part of its least where no queue stands.
const UNQUEUED: f64 = 0.05;

/// How surely many losses of a capture are of chance, 0 to 1: none where a queue shows.
fn strewn(e: &Evidence) -> f64 {
    let grew = e.queueing().zip(e.rtt_floor.as_ref());
    let still = grew.is_some_and(|(grew, floor)| grew < UNQUEUED * floor.value);
    let random = e.loss_pattern.as_deref() == Some("random") && still && e.stood.is_none();
    let losses = e.retransmits.as_ref().filter(|_| random);
    losses.map_or(0.0, |losses| step(losses.value, MANY[0], MANY[1]))
}

/// How a capture's losses lie in time. Chance leaves gaps that vary as much as their mean; a window that climbs until a queue is
/// full makes them even.
fn in_time(e: &Evidence, items: &mut Vec<Item>) {
    let (weight, sentence) = match e.loss_pattern.as_deref() {
        // A burst beside them does not make single losses less so.
        Some("random" | "mixed") => (
            6.0,
            "the capture's losses lie in time as chance would have them",
        ),
        Some("periodic") => (-8.0, ""),
        // As a policer and a full queue take them; so does a line that is bad for a while.
        Some("clustered") => (
            -8.0,
            "the capture's losses come one behind the other, as chance would not have them",
        ),
        _ => return,
    };
    items.push(Item {
        holds: 1.0,
        weights: vec![(Cause::RandomLoss, weight)],
        sentence: sentence.to_owned(),
    });
    items.push(Item {
        holds: strewn(e),
        weights: vec![(Cause::RandomLoss, OF_MANY)],
        sentence: String::new(),
    });
}

/// A share that speaks for causes from `least` on, fully from `most` on.
fn share(account: &Account, word: &str, span: [f64; 2], weights: &[(Cause, f64)]) -> Item {
    let share = account.share(word);
    let what = match word {
        "application" => "nothing new was there to send",
        "small_writes" => {
            "a small write waited for the acknowledgement of one before (Nagle's algorithm)"
        }
        "receive_window" => "the receiver's window had no room",
        "send_buffer" => "the send buffer was full",
        "host_cpu" => "a processor was busy",
        "disk" => "a disk was waited for",
        "mtu" => "packets were larger than a link carries",
        "pacing" => "the sender's pacing was the limit",
        "link" => "what was sent more waited in a queue, and the rate stayed at its most",
        "policer" => "losses of a policer were repaired",
        "cwnd_slow_start" => "slow start had not ended",
        _ => "",
    };
    Item {
        holds: step(share, span[0], span[1]),
        weights: weights.to_vec(),
        sentence: format!(
            "{}: for {:.0} % of the time {what}",
            account.by,
            share * 100.0
        ),
    }
}

/// A share that is too small for causes.
fn hardly(account: &Account, word: &str, span: [f64; 2], weights: &[(Cause, f64)]) -> Item {
    Item {
        holds: 1.0 - step(account.share(word), span[0], span[1]),
        weights: weights.to_vec(),
        sentence: String::new(),
    }
}

/// A sender that has nothing to send most of the time is not held back by losses, however many there are.
pub(crate) fn idle(weight: f64) -> Vec<(Cause, f64)> {
    [of(&LOSSES, -9.0), vec![(Cause::Application, weight)]].concat()
}

/// What waits for hosts: programs, windows, buffers, interfaces.
fn by_hosts(e: &Evidence, account: &Account, items: &mut Vec<Item>) {
    use Cause::{
        Application, Client, Disk, HostCpu, MtuBlackHole, NoWindowScaling, Pacing, Ramp,
        ReceiveWindow, SendBuffer,
    };
    let half = [0.2, 0.5];
    let little = [0.02, 0.2];
    items.extend([
        share(account, "application", half, &idle(22.0)),
        hardly(account, "application", little, &[(Application, -16.0)]),
        share(
            account,
            "receive_window",
            half,
            &[
                (ReceiveWindow, 22.0),
                (NoWindowScaling, 14.0),
                (Client, 12.0),
            ],
        ),
        hardly(
            account,
            "receive_window",
            little,
            &[
                (ReceiveWindow, -18.0),
                (NoWindowScaling, -18.0),
                (Client, -18.0),
            ],
        ),
        crate::lines::own_pace::by_pace(e, account, half),
        share(account, "host_cpu", half, &[(HostCpu, 30.0)]),
        share(account, "disk", half, &[(Disk, 34.0)]),
        share(account, "mtu", half, &[(MtuBlackHole, 44.0)]),
        share(account, "pacing", half, &[(Pacing, 30.0)]),
        share(account, "cwnd_slow_start", [0.3, 0.7], &[(Ramp, 12.0)]),
        hardly(account, "cwnd_slow_start", [0.1, 0.4], &[(Ramp, -12.0)]),
    ]);
    if account.sees_buffers {
        // The run itself counted what its policers dropped.
        let dropped = share(account, "policer", [0.1, 0.4], &[(Cause::Policer, 24.0)]);
        items.push(dropped);
        items.push(share(account, "send_buffer", half, &[(SendBuffer, 24.0)]));
        items.push(hardly(
            account,
            "send_buffer",
            little,
            &[(SendBuffer, -18.0)],
        ));
        return;
    }
    let open = account.share("unknown");
    items.push(Item {
        holds: step(open, 0.3, 0.6),
        weights: vec![(SendBuffer, 14.0), (Pacing, 5.0), (HostCpu, 3.0)],
        sentence: format!(
            "{}: for {:.0} % of the time neither window, loss nor queue held the sender",
            account.by,
            open * 100.0
        ),
    });
    items.push(hardly(
        account,
        "unknown",
        [0.05, 0.3],
        &[(SendBuffer, -16.0)],
    ));
}

/// What the path does: queues and losses.
fn by_path(e: &Evidence, account: &Account, items: &mut Vec<Item>) {
    items.push(share(
        account,
        "link",
        [0.25, 0.6],
        &[
            (Cause::Link, 10.0),
            (Cause::CongestionLoss, 8.0),
            (Cause::Shaper, 7.0),
            (Cause::CrossTraffic, 4.0),
            (Cause::RandomLoss, -6.0),
            (Cause::Policer, -6.0),
        ],
    ));
    let lossy = account.losses();
    let marked = e.cut_by_marks().is_some();
    let causes: &[Cause] = if marked { &[Cause::Marks] } else { &LOSSES };
    let what = match (marked, e.marks.is_some()) {
        (true, _) => "the window was made smaller for marks",
        (false, true) => "losses were repaired, or marks answered",
        (false, false) => "losses were repaired",
    };
    items.push(Item {
        holds: step(lossy, 0.25, 0.6),
        weights: of(causes, 8.0)
            .into_iter()
            .chain(of(
                &[Cause::ReceiveWindow, Cause::SendBuffer, Cause::Application],
                -6.0,
            ))
            .collect(),
        sentence: format!(
            "{}: for {:.0} % of the time {what}, or the window grew after them",
            account.by,
            lossy * 100.0
        ),
    });
    items.push(Item {
        holds: 1.0 - step(lossy + account.share("link"), 0.02, 0.15),
        weights: of(&LOSSES, -10.0),
        sentence: String::new(),
    });
    crate::losses::fitted::by_fit(e, account.by, items);
}

/// An account that is believed so far says its shares itself.
const SAID: f64 = 0.3;

/// Of BBR a full line shows wherever a capture was taken: what its probes send more waits, losses do not end it, and a policer makes nothing
/// wait. So much is added as trust takes from the share elsewhere.
fn of_bbr(e: &Evidence, account: &Account, trust: f64, items: &mut Vec<Item>) {
    if !e.is_bbr() || e.found_policer.is_some() {
        return;
    }
    let left = 1.0 - trust;
    let weights = [
        (Cause::Link, 10.0 * left),
        (Cause::Shaper, 7.0 * left),
        (Cause::CrossTraffic, 4.0 * left),
        (Cause::RandomLoss, -6.0),
        (Cause::Policer, -12.0),
    ];
    let mut item = share(account, "link", [0.25, 0.6], &weights);
    if trust > SAID {
        item.sentence.clear();
    }
    items.push(item);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::Place;
    use crate::infer::weigh;

    /// A socket with 121 380 bytes in flight, whose mean was 68 041: it was asked whether windows are scaled.
    #[test]
    fn more_in_flight_than_a_window_without_scaling_lets_be_is_scaled() {
        let of = |flight: f64, streams: f64| Evidence {
            flight: Some(Figure::exact(flight, Place::You)),
            streams,
            mss: 1428.0,
            ..Evidence::default()
        };
        assert!(of(121_380.0, 1.0).beyond_unscaled());
        assert!(!of(65_000.0, 1.0).beyond_unscaled());
        assert!(!of(121_380.0, 2.0).beyond_unscaled());
        assert!(!Evidence::default().beyond_unscaled());
    }

    /// 182 losses whose gaps are those of chance, over 80 ms that hardly grow.
    #[test]
    fn many_losses_by_chance_without_a_queue_are_of_chance() {
        let exact = |value: f64| Some(Figure::exact(value, Place::You));
        let of = |losses: f64, loaded_s: f64, pattern: &str| {
            strewn(&Evidence {
                rtt_floor: exact(0.080_1),
                rtt_loaded: exact(loaded_s),
                retransmits: exact(losses),
                loss_pattern: Some(pattern.to_owned()),
                ..Evidence::default()
            })
        };
        assert_eq!(of(182.0, 0.0806, "random"), 1.0);
        assert_eq!(of(40.0, 0.0806, "random"), 0.0);
        assert_eq!(of(182.0, 0.12, "random"), 0.0);
        assert_eq!(of(182.0, 0.0806, "clustered"), 0.0);
    }

    /// A web server at 280 ms, by a capture at either end: half of the time the end of an answer waited.
    #[test]
    fn small_writes_that_waited_are_a_cause_wherever_they_were_seen() {
        let ranked = |waited: f64, trust: f64| {
            let shares = [
                ("small_writes", waited),
                ("application", 0.94 - waited),
                ("cwnd_slow_start", 0.06),
            ];
            let e = Evidence {
                account: Some(Account::captured(shares, trust)),
                streams: 1.0,
                mss: 1448.0,
                ..Evidence::default()
            };
            weigh(&e, &[])
        };
        for trust in [1.0, 0.25] {
            let weighed = ranked(0.48, trust);
            assert_eq!(weighed.ranking[0].cause, Cause::SmallWrites, "{trust}");
            assert!(weighed.ranking[0].confidence > 0.8, "{trust}");
            let first = ranked(0.05, trust).ranking[0].cause;
            assert_ne!(first, Cause::SmallWrites, "{trust}");
        }
    }
}
