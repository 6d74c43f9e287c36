//! What to change, how to undo it, what may go wrong, and what rate to expect then.

mod systems;

use crate::cause::Cause;
use crate::ceiling::{Limit, payload_share};
use crate::document::{Change, Then};
use crate::evidence::Evidence;
use crate::fact::{Figure, Of};
use crate::flow::{Flow, number, word};
use crate::known::System;
use crate::read::Facts;
use systems::Sending;
pub(crate) use systems::{Buffers, End, Remedy, buffer, kept, power};

/// The buffer that is suggested where no rate is known: 4 MiB.
const MODEST: f64 = 4_194_304.0;

/// What to change against a cause, and against a second that holds besides; nothing where it is not a host's to change. Where the
/// cause may as well be another, both changes are named, and no rate is promised of the first alone.
pub(crate) fn changes(
    (cause, second, either): (Cause, Option<Cause>, Option<Cause>),
    e: &Evidence,
    (facts, flow): (&Facts, &Flow),
    ceilings: &[Limit],
) -> Vec<Change> {
    let mut gone = Vec::new();
    let mut all = Vec::new();
    if cause == Cause::Duplex {
        return vec![duplex(e)];
    }
    if let (Cause::Link, Some(_), Some(target)) = (cause, e.slow_port(), &e.target) {
        return vec![port(e, target)];
    }
    if let (Cause::Link, Some(_), Some((line, _))) = (cause, e.lower_port(), &e.line) {
        return vec![port(e, line)];
    }
    if let (Cause::Link, Some(added)) = (cause, e.bloat()) {
        return vec![shorter(e, added)];
    }
    let both = either.filter(|other| change(*other, e, (facts, flow)).is_some());
    for cause in [Some(cause), both.or(second)].into_iter().flatten() {
        let Some(mut change) = change(cause, e, (facts, flow)) else {
            continue;
        };
        gone.push(cause);
        let drawn = either.is_some_and(|other| !gone.contains(&other));
        if drawn && both.is_some() {
            let first = "it may as well be the change after this one: first get what is missing, or make both";
            change.commands.insert(0, first.to_owned());
        }
        // Nothing that a host changes removes a policer, other traffic in a full queue, or a hole: what is left then is not known.
        let next = match cause {
            Cause::Policer | Cause::CongestionLoss | Cause::MtuBlackHole => None,
            // Of datagrams as many arrive as are sent, or fewer: no ceiling says what more would pass.
            _ if e.udp || drawn => None,
            _ => next(&gone, second, e, ceilings),
        };
        if let Some((next, figure)) = next {
            change.predicted_bps = Some(figure.value);
            (change.low_bps, change.high_bps) = (Some(figure.low), Some(figure.high));
            change.then = Some(Then {
                cause: next.name(),
                limit_bps: figure.value,
            });
        }
        all.push(change);
    }
    all
}

/// What to change against one cause.
fn change(cause: Cause, e: &Evidence, (facts, flow): (&Facts, &Flow)) -> Option<Change> {
    let end = match cause {
        Cause::ReceiveWindow | Cause::NoWindowScaling | Cause::Client => End::Receiver,
        Cause::SendBuffer
        | Cause::Application
        | Cause::MtuBlackHole
        | Cause::Ramp
        | Cause::ShallowBuffer
        | Cause::Policer
        | Cause::RandomLoss
        | Cause::CongestionLoss => End::Sender,
        _ => return None,
    };
    let (named, otherwise, texts) = match end {
        End::Sender => (&flow.from.host, "the sender", &flow.senders),
        End::Receiver => (&flow.to.host, "the receiver", &flow.receivers),
    };
    let host = if named.is_empty() { otherwise } else { named };
    let system = e.systems[end as usize];
    let hosts: Vec<Of> = texts.iter().map(|n| Of::Host(*n)).collect();
    let remedy = match cause {
        _ if e.udp && end == End::Sender => {
            systems::datagrams(cause, e.rate.as_ref().map(|r| r.value))
        }
        Cause::ReceiveWindow | Cause::SendBuffer => {
            let carried = e.settled_flight().map_or(0.0, |f| f.high);
            let wanted = wanted(e).max(carried);
            buffer(system, wanted, end, &Buffers::of(facts, &hosts, end))
        }
        Cause::NoWindowScaling => {
            let on = |texts: &[u32]| {
                let mut said = texts
                    .iter()
                    .filter_map(|n| number(facts, Of::Host(*n), "window_scaling"));
                said.next().map(|on| on.value != 0.0)
            };
            match (on(&flow.senders), on(&flow.receivers)) {
                (Some(true), Some(true)) => {
                    let between = "the firewall or router between";
                    return Some(systems::scaling_between().change(between, None, None));
                }
                (Some(false), Some(true)) => {
                    let host = match flow.from.host.as_str() {
                        "" => "the sender",
                        host => host,
                    };
                    let system = e.systems[0];
                    return Some(systems::scaling(system).change(host, system, None));
                }
                _ => systems::scaling(system),
            }
        }
        Cause::MtuBlackHole => systems::probing(&fitting(facts, e)),
        Cause::Ramp => systems::longer(match flow.to.host.as_str() {
            "" => "HOST",
            host => host,
        }),
        Cause::Application if e.tester => systems::tester(),
        Cause::Application => systems::program(),
        Cause::Client => systems::reader(),
        _ if system.is_none_or(|s| s == System::Linux) => against_loss(cause, e, facts, &hosts),
        _ => return None,
    };
    Some(remedy.change(host, system, None))
}

/// What a Linux sender can do against a kind of loss; `hosts` are its texts.
fn against_loss(cause: Cause, e: &Evidence, facts: &Facts, hosts: &[Of]) -> Remedy {
    let said = |name| {
        let found = hosts.iter().find_map(|h| word(facts, *h, name));
        found.map(|(word, _)| word.to_owned())
    };
    let now = Sending {
        qdisc: said("qdisc"),
        default: said("cc"),
        used: e.cc.clone(),
        policed: e.policed().map(|p| p.value / e.streams),
    };
    let mut remedy = systems::pacing(cause, &now);
    if cause == Cause::RandomLoss && e.around.is_damaged() {
        let first = "clean or change the plugs, cable and transceiver of the interface that counts damaged frames, and of the one at the other end";
        remedy.commands.insert(0, first.to_owned());
    }
    remedy
}

/// A size of packets that passes, and how that is known: what a router reported, or else the largest ping that was answered,
/// or else the least that IPv6 asks of a link (RFC 8200 §5), or IPv4 of a host (RFC 791 §3.1).
fn fitting(facts: &Facts, e: &Evidence) -> (u64, &'static str) {
    let all = |name| facts.of_path(name).map(|figure| figure.value);
    let lost = e.large_lost.as_ref().map_or(e.mss + 52.0, |l| l.value);
    let lost = all("ping_large_lost_bytes").fold(lost, libm::fmin);
    let told = e.swallowed.as_ref().and_then(|s| s.mtu.as_ref());
    let told = told.map(|m| m.value).into_iter();
    let told = told
        .chain(all("mtu_reported_bytes"))
        .chain(all("mtu_bytes"));
    if let Some(told) = told.filter(|m| *m < lost).reduce(libm::fmin) {
        return (told as u64, "which is what a router reports");
    }
    let answered = all("ping_answered_bytes").filter(|b| *b < lost && *b >= SMALL);
    match answered.reduce(libm::fmax) {
        Some(bytes) => (bytes as u64, "the largest ping that was answered"),
        None if lost > LINKS => (LINKS as u64, "which every link of IPv6 carries"),
        None => (SMALL as u64, "which every host of IPv4 takes"),
    }
}

/// What every link of IPv6 carries, bytes (RFC 8200 §5).
const LINKS: f64 = 1280.0;

/// What every host of IPv4 takes, bytes (RFC 791 §3.1).
const SMALL: f64 = 576.0;

impl Buffers {
    /// Whether nothing says how large they may be, and a change would have to know.
    pub(crate) fn are_unknown(facts: &Facts, flow: &Flow, end: End) -> bool {
        let (texts, system) = match end {
            End::Sender => (&flow.senders, flow.systems[0]),
            End::Receiver => (&flow.receivers, flow.systems[1]),
        };
        let hosts: Vec<Of> = texts.iter().map(|n| Of::Host(*n)).collect();
        let now = Buffers::of(facts, &hosts, end);
        systems::is_tuned(system) && now.most.is_none() && now.space.is_none()
    }

    /// What the texts of these hosts say of the buffers of one end.
    fn of(facts: &Facts, hosts: &[Of], end: End) -> Buffers {
        let get = |name: &'static str| {
            let said = hosts.iter().find_map(|h| number(facts, *h, name));
            said.map(|f| f.value as u64)
        };
        let [default, most, core, space] = match end {
            End::Receiver => [
                "rmem_default_bytes",
                "rmem_max_bytes",
                "core_rmem_max_bytes",
                "recvspace_bytes",
            ],
            End::Sender => [
                "wmem_default_bytes",
                "wmem_max_bytes",
                "core_wmem_max_bytes",
                "sendspace_bytes",
            ],
        };
        let most_of_bsd = match end {
            End::Receiver => "recvbuf_max_bytes",
            End::Sender => "sendbuf_max_bytes",
        };
        Buffers {
            least: None,
            default: get(default),
            most: get(most).or_else(|| get(most_of_bsd)),
            core: get(core).or_else(|| get("maxsockbuf_bytes")),
            space: get(space),
        }
    }
}

/// What is left once some causes are gone: the lowest of the other ceilings that the rate does not contradict. A sender
/// that had pauses goes on, without them, as fast as it was between them, where a second cause without a ceiling held it then.
fn next(
    gone: &[Cause],
    second: Option<Cause>,
    e: &Evidence,
    ceilings: &[Limit],
) -> Option<(Cause, Figure)> {
    let rate = &e.settled()?;
    // A window that a send buffer never filled, and that only a capture shows, grows with what is sent.
    let tuned = gone == [Cause::SendBuffer] && e.announced && e.windows.len() == 1;
    // With scaling a window is no longer the one that was announced without.
    let unscaled = ceilings.iter().find(|c| c.cause == Cause::NoWindowScaling);
    let unscaled = unscaled.filter(|u| gone.contains(&u.cause));
    let as_small = |c: &Limit| {
        let small = unscaled.is_some_and(|u| c.rate.value <= u.rate.value * 1.02);
        c.cause == Cause::ReceiveWindow && small
    };
    let is_gone = |c: Cause| {
        gone.contains(&c)
            || c == Cause::RandomLoss && gone.iter().any(|g| g.is_loss())
            || c == Cause::ReceiveWindow && tuned
    };
    let others = ceilings
        .iter()
        .filter(|c| !is_gone(c.cause) && !as_small(c) && c.cause != Cause::Ramp)
        .filter(|c| c.rate.high.max(c.bursts.unwrap_or(0.0)) > rate.value * 0.95);
    let stated = second.filter(|s| others.clone().any(|c| c.cause == *s));
    let known = ceilings.iter().any(|c| c.cause == Cause::Link);
    let least = others.min_by(|a, b| a.rate.value.total_cmp(&b.rate.value));
    let mut least = least.map(|next| {
        let mut figure = next.rate.clone();
        // A ceiling of the other end alone bounds nothing from below: the path in between is not known.
        if !known || tuned {
            figure.low = rate.value;
        }
        figure.value = figure.value.max(rate.value);
        figure.high = figure.high.max(figure.value);
        (next.cause, figure)
    });
    let paused = gone.first() == Some(&Cause::Application);
    if let (true, Some(second), Some(idle)) = (paused, second, e.share(Cause::Application))
        && !is_gone(second)
        && stated.is_none()
        && idle < 0.95
    {
        let between = rate.times(1.0 / (1.0 - idle));
        if least.as_ref().is_none_or(|(_, l)| between.value < l.value) {
            least = Some((second, between));
        }
    }
    least
}

/// Bytes in flight that fill the line, or the target.
pub(crate) fn wanted(e: &Evidence) -> f64 {
    let goal = e
        .target
        .as_ref()
        .or(e.line.as_ref().map(|(l, _)| l))
        .map(|f| f.value);
    match (goal, &e.rtt) {
        (Some(goal), Some(rtt)) => goal * rtt.high / 8.0 / e.streams,
        _ => MODEST,
    }
}

/// A queue before a full line that makes everybody on it wait: a shorter one, or one for each flow.
fn shorter(e: &Evidence, added: f64) -> Change {
    let line = e.line.as_ref().map(|(l, _)| l).or(e.rate.as_ref());
    let line = line.map_or(0.0, |l| l.value);
    let rtt = e.rtt_floor.as_ref().map_or(0.0, |f| f.value);
    // A little less than the line, so that the queue stands where it can be managed.
    let shaped = (line * 0.95 / 1e3).round();
    Change {
        host: "the router before the line".to_owned(),
        os: "",
        commands: vec![
            format!("tc qdisc replace dev INTERFACE root cake bandwidth {shaped:.0}kbit"),
            "or, where its own interface is the line: tc qdisc replace dev INTERFACE root fq_codel"
                .to_owned(),
            format!(
                "or a queue of {} at most: the line's rate times the round trip of the idle path",
                crate::ceiling::bytes((line * rtt / 8.0).max(15_000.0))
            ),
        ],
        undo: vec!["tc qdisc del dev INTERFACE root, or the length that the queue had".to_owned()],
        persist: Vec::new(),
        risk: format!(
            "this flow gets no faster; what shares the line with it no longer waits {:.0} ms",
            added * 1e3
        ),
        predicted_bps: None,
        low_bps: None,
        high_bps: None,
        then: None,
    }
}

/// A port that runs slower than it was meant to.
fn port(e: &Evidence, target: &Figure) -> Change {
    let all = target.times(payload_share(e.mss));
    Change {
        host: "the host with the slow port, and its switch".to_owned(),
        os: "",
        commands: vec![
            "ethtool INTERFACE: what it advertises, and what its partner does".to_owned(),
            "change the cable: 1 Gbit/s and more need all four pairs".to_owned(),
            "ethtool -s INTERFACE autoneg on, and auto for the port of the switch".to_owned(),
        ],
        undo: vec!["set both back to what ethtool INTERFACE and the switch said before".to_owned()],
        persist: Vec::new(),
        risk: "the link goes down for some seconds".to_owned(),
        predicted_bps: Some(all.value),
        low_bps: Some(all.low * 0.9),
        high_bps: Some(all.high),
        then: None,
    }
}

/// Both ends of a cable have to negotiate, or neither.
fn duplex(e: &Evidence) -> Change {
    let line = e.line.as_ref().map(|(l, _)| l);
    let share = payload_share(e.mss);
    Change {
        host: "the host at half duplex, and its switch".to_owned(),
        os: "",
        commands: vec![
            "ethtool -s INTERFACE autoneg on".to_owned(),
            "on the switch: duplex auto, speed auto for its port".to_owned(),
        ],
        undo: vec!["set both back to what ethtool INTERFACE and the switch said before".to_owned()],
        persist: Vec::new(),
        risk: "the link goes down for some seconds; a port that is fixed to full duplex makes the other end choose half".to_owned(),
        predicted_bps: line.map(|l| l.value * share),
        low_bps: line.map(|l| l.low * share * 0.9),
        high_bps: line.map(|l| l.high * 0.985),
        then: line.map(|l| Then {
            cause: Cause::Link.name(),
            limit_bps: l.value * share,
        }),
    }
}
