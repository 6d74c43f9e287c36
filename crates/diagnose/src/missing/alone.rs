//! What is asked where the texts have nothing but pings and traces: where loss and waiting begin, or else what it is that is slow.

use crate::asking::Asking;
use crate::document::MissingFact;
use crate::evidence::Evidence;
use crate::fact::{Fact, Of, Place};
use crate::flows::flow::Flow;
use crate::known::System;
use crate::losses::located::is_of_target_alone;
use crate::read::Facts;

/// Tools that send pings, or trace.
const TOOLS: [&str; 8] = [
    "ping",
    "arping",
    "mtr",
    "traceroute",
    "tracepath",
    "pathping",
    "owping",
    "pscheduler",
];

/// Those of them that count what each hop answers.
const OF_HOPS: [&str; 2] = ["mtr", "pathping"];

/// How the names of their facts begin.
const BEGINS: [&str; 6] = ["rtt_", "ping_", "loss_", "mtu_", "hops", "doubtful_"];

/// Pings wait where the longest took so many times the shortest, and so much more, seconds. Choices.
const LONGER: f64 = 3.0;
const LONGER_S: f64 = 0.03;

/// What decides where loss and waiting begin, or what is slow; nothing where the texts have more than pings and traces.
pub(super) fn asked(
    e: &Evidence,
    (facts, flow): (&Facts, &Flow),
    asking: &Asking,
) -> Vec<MissingFact> {
    if !are_alone(e, facts, flow) {
        return Vec::new();
    }
    if is_of_target_alone(facts) {
        return vec![of_target(asking), of_way_back(asking)];
    }
    if e.queueing().is_some_and(|added| added > LONGER_S) {
        let gateway = flow.pings.near.len() < 2;
        let gateway = gateway.then(|| of_loaded_gateway(asking));
        return gateway.into_iter().chain([of_uplink(asking)]).collect();
    }
    if !show_trouble(e) {
        let twice = crate::reach::answered_twice::asks(facts, &asking.host);
        let all = twice.or_else(|| e.twice.is_none().then(|| of_complaint(asking)));
        return all.into_iter().collect();
    }
    let mut pieces = facts.pieces.iter();
    let traced = pieces.any(|p| OF_HOPS.contains(&p.tool));
    let lost = e.idle_loss.as_ref().is_some_and(|l| l.value > 0.0);
    if traced && !lost {
        return vec![of_load(asking)];
    }
    let gateway = !traced && flow.pings.near.is_empty();
    let gateway = gateway.then(|| of_gateway(asking));
    let hops = match traced {
        true => of_way_back(asking),
        false => of_hops(asking),
    };
    let all = [gateway, Some(hops), Some(of_times(asking))];
    all.into_iter().flatten().collect()
}

/// Whether pings and traces are all that was read, none of them of packets that are too large.
fn are_alone(e: &Evidence, facts: &Facts, flow: &Flow) -> bool {
    let is_of_pings = |f: &Fact| {
        let of = matches!(f.of, Of::Path | Of::Ping(_));
        let named = of && BEGINS.iter().any(|begin| f.name.starts_with(begin));
        f.at != Place::You && (named || f.name == "system")
    };
    let sockets = flow.sockets.len() + flow.far_sockets.len() + flow.captured.len();
    let untested = flow.test.is_none() && facts.tests.is_empty() && sockets == 0;
    let sizes = e.large_lost.is_some() || e.found_mtu.is_some() || e.refused.is_some();
    let open = e.rate.is_none() && e.rtt.is_some() && !sizes;
    let mut pieces = facts.pieces.iter().filter(|p| p.facts > 0);
    let alone = pieces.all(|p| TOOLS.contains(&p.tool));
    untested && open && alone && facts.facts.iter().all(is_of_pings)
}

/// Whether pings were lost, or took now less and now far more.
fn show_trouble(e: &Evidence) -> bool {
    let lost = e.idle_loss.as_ref().is_some_and(|l| l.value > 0.0);
    let waits = |low: f64, high: f64| high > LONGER * low && high - low > LONGER_S;
    lost || e.rtt_idle.as_ref().is_some_and(|r| waits(r.low, r.high))
}

/// What is slow, where pings show nothing.
fn of_complaint(asking: &Asking) -> MissingFact {
    MissingFact {
        fact: "complaint",
        would_decide: "what is to be explained: these pings show neither loss nor waiting, and say nothing of how fast anything is".to_owned(),
        command: format!(
            "what is slow (a page, a copy, a call), between which hosts, since when and at which hours; and a time of it: curl -o FILE -w '%{{time_total}} %{{speed_download}}\\n' URL, or {}",
            asking.test("-t 30")
        ),
    }
}

/// Whether it begins on the own link.
fn of_gateway(asking: &Asking) -> MissingFact {
    MissingFact {
        fact: "first_hop_loss_ratio",
        would_decide: "whether loss and waiting begin on the own link: then pings to the gateway have them, too, and otherwise they begin behind it".to_owned(),
        command: asking.beside_gateway(200),
    }
}

/// Whether the queue that fills under load is on the own link.
fn of_loaded_gateway(asking: &Asking) -> MissingFact {
    MissingFact {
        fact: "first_hop_rtt_loaded_ns",
        would_decide: "whether the queue that fills under load is on the own link, as of a radio link, or behind the gateway".to_owned(),
        command: format!("during the same load, {}", asking.beside_gateway(20)),
    }
}

/// How fast the line is whose queue fills: what keeps it short goes by that.
fn of_uplink(asking: &Asking) -> MissingFact {
    MissingFact {
        fact: "line_bps",
        would_decide: "how fast the line is that way: a shaper a little below that at the router before it (SQM: cake, fq_codel) keeps the queue short".to_owned(),
        command: format!(
            "at a quiet hour, {} and the same with -R, or a speed test; on the router: its settings of the uplink (SQM, QoS)",
            asking.test("-t 30")
        ),
    }
}

/// Where on the way it begins.
fn of_hops(asking: &Asking) -> MissingFact {
    MissingFact {
        fact: "loss_hop",
        would_decide: "at which hop loss and waiting begin and last to the end: what one hop alone leaves unanswered is its own".to_owned(),
        command: asking.hops(),
    }
}

/// Whether packets are lost at all, where the target alone leaves them unanswered.
fn of_target(asking: &Asking) -> MissingFact {
    let host = &asking.host;
    let trace = match asking.system {
        Some(System::Windows) => format!("Test-NetConnection {host} -Port PORT, again and again"),
        _ => format!("mtr -bwc 100 -T -P PORT {host}, with a port that is open there"),
    };
    MissingFact {
        fact: "segments_lost",
        would_decide: "whether packets of programs are lost too, or only answers to ICMP, which the target holds to a rate: then every SYN is answered, and hardly a segment is sent again".to_owned(),
        command: format!("{trace}; or {}, whose Retr counts them", asking.test("-t 30")),
    }
}

/// Whether it is the way there or the way back, where a trace shows the place.
fn of_way_back(asking: &Asking) -> MissingFact {
    MissingFact {
        fact: "loss_hop_back",
        would_decide: "whether the way there or the way back loses them: a trace shows both as one"
            .to_owned(),
        command: format!(
            "on {}: mtr -bwc 100 ADDRESS, with that of the host of these texts",
            asking.host
        ),
    }
}

/// Whether the own traffic makes them wait, where a trace shows the place and nothing is lost.
fn of_load(asking: &Asking) -> MissingFact {
    MissingFact {
        fact: "rtt_loaded_ns",
        would_decide: "whether an upload or a download of the own line fills the queue in which they wait; where they wait as long at rest, it is what others send, or a radio link".to_owned(),
        command: format!(
            "at a quiet hour, and again at a busy one: {}, once at rest, once during an upload and once during a download",
            asking.ping(30)
        ),
    }
}

/// How it lies in time.
fn of_times(asking: &Asking) -> MissingFact {
    MissingFact {
        fact: "idle_loss_ratio",
        would_decide: "how large a share is lost, and when: together with the waiting and at busy hours, as in a full queue, or evenly at all hours, as of a fault".to_owned(),
        command: format!(
            "for a longer time, at a busy and at a quiet hour: {}",
            asking.ping(1000)
        ),
    }
}
