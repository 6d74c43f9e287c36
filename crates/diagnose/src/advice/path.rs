//! What is to be changed on the path and its ports, and not in a host's settings.

mod hashed;
mod scheduler;
mod simple_queue;

use crate::advice::interface::with_name;
use crate::advice::systems::{DELETED, larger_instance, unseen_back};
use crate::advice::{End, marking, named, negotiated, policy_map, printed, shaper};
use crate::cause::Cause;
use crate::ceiling::{OVERHEAD_OF_QUEUE, bps, payload_share};
use crate::document::{Change, Then};
use crate::evidence::Evidence;
use crate::fact::{Figure, Of};
use crate::flows::flow::{Flow, word};
use crate::lines::group;
use crate::lines::service;
use crate::losses::member::Struck;
use crate::ports::{Kind, Port};
use crate::read::Facts;
use crate::seen::Side;

/// What the path needs, where that is all there is to do.
pub(super) fn changes_of_path(
    cause: Cause,
    e: &Evidence,
    (facts, flow): (&Facts, &Flow),
) -> Vec<Change> {
    if cause == Cause::Shaper {
        return of_shaper(e, (facts, flow));
    }
    if let Some(change) = e.change_router().filter(|_| cause == Cause::CongestionLoss) {
        return vec![change];
    }
    if cause == Cause::Marks {
        return vec![marking::change(e, flow)];
    }
    if let Some(change) = e.keep_connections().filter(|_| cause == Cause::SetUp) {
        return vec![change];
    }
    let ports = match cause {
        Cause::Link if e.around.group.is_none() => negotiated::changes(e),
        _ => Vec::new(),
    };
    let mut all = match ports.is_empty() {
        true => change_of_path(cause, e, (facts, flow))
            .into_iter()
            .collect(),
        false => ports,
    };
    if cause == Cause::Link {
        all.extend(crate::interfaces::bundle::changes(e, (facts, flow)));
        all.extend(super::air::change(cause, e, (facts, flow)));
    }
    all
}

/// A shorter queue before a shaper where others wait for it, and a higher rate of one that a text has. A pod has nobody beside it. What a
/// sender is shaped by itself may be left behind from a test: its rate comes first.
fn of_shaper(e: &Evidence, (facts, flow): (&Facts, &Flow)) -> Vec<Change> {
    if let Some(change) = e.around.cloud.single_flow(e).map(|_| cloud(flow)) {
        return vec![change];
    }
    let of_instance = e.around.cloud.surely(e).filter(|_| e.shaper.is_none());
    if let Some(of) = of_instance {
        return vec![Change {
            host: "the instance".to_owned(),
            commands: vec![larger_instance(of)],
            risk: "no setting of the hosts gives it more".to_owned(),
            ..Change::default()
        }];
    }
    let by_router = policy_map::changes(e, facts);
    if !by_router.is_empty() {
        return by_router;
    }
    if let Some(change) = scheduler::change(e, facts) {
        return vec![change];
    }
    let by_queue = simple_queue::changes(e, facts);
    if !by_queue.is_empty() {
        return by_queue;
    }
    let host = shaping(facts, e);
    let mut all = Vec::new();
    if e.waits().is_some() && !shaper::is_of_pod(e, facts) {
        let waits = e.waits_in_words();
        let change = match shaper::class(e) {
            Some(class) => of_class(&class, &host, &waits),
            None => shorter(e, &host, &waits, shaper::back(e, facts)),
        };
        let hosts: Vec<Of> = e.shaping_host().map(Of::Host).into_iter().collect();
        all.push(with_name(change, (facts, flow), &hosts));
    }
    let rate = shaper::rate(e, facts, &host);
    let is_own = |host: u32| flow.senders.contains(&host) && !flow.between.contains(&host);
    let own = e.shaping_host().is_some_and(is_own) && shaper::class(e).is_none();
    match rate {
        Some(rate) if own => {
            let stays = "only where the shaper and its rate are to stay: a queue that makes others wait less";
            all.iter_mut()
                .for_each(|queue| queue.commands.insert(0, stays.to_owned()));
            all.insert(0, rate);
        }
        rate => all.extend(rate),
    }
    all
}

/// What one connection gets more of in Amazon's cloud.
fn cloud(flow: &Flow) -> Change {
    let own = flow.test.as_ref().filter(|t| t.streams > 1);
    let more = match (own, several(flow)) {
        (Some(own), _) => format!(
            "more than these {} connections side by side, up to the bandwidth of the instance itself",
            own.streams
        ),
        (None, Some(most)) => format!(
            "several connections side by side, which had {} in all",
            bps(most)
        ),
        (None, None) => format!(
            "several connections side by side: iperf3 -c {} -P 8 -t 30 shows what they get",
            super::to(flow)
        ),
    };
    Change {
        host: "the instances".to_owned(),
        commands: vec![
            more,
            "both instances in one cluster placement group: 10 Gbit/s for a connection".to_owned(),
            "ENA Express, where both are of a type that has it and in one availability zone: up to 25 Gbit/s".to_owned(),
        ],
        risk: "no setting of the hosts gives one connection more".to_owned(),
        ..Change::default()
    }
}

/// What to change where a connection is held up before any data flows.
fn before_data(cause: Cause, e: &Evidence) -> Option<Change> {
    match cause {
        Cause::FullTable => e.empty_table(),
        Cause::AcceptQueue => e.empty_queue(),
        Cause::NameLookup => e.change_names(),
        Cause::ReversePath => e.open_reverse_path(),
        _ => None,
    }
}

fn change_of_path(cause: Cause, e: &Evidence, (facts, flow): (&Facts, &Flow)) -> Option<Change> {
    if cause == Cause::Middlebox {
        return Some(e.find_device(flow));
    }
    if cause == Cause::PauseFrames {
        return Some(crate::interfaces::pauses::change(e, flow));
    }
    if cause.is_before_data() {
        return before_data(cause, e);
    }
    if cause == Cause::Reassembly {
        return e.make_room_for_fragments(flow);
    }
    if e.is_killed(cause) {
        return e.change_killed(flow);
    }
    if cause == Cause::Outage {
        let link = || e.mend_link().or_else(|| e.mend_events());
        return e.mend_ip_version().or_else(link);
    }
    if cause == Cause::Application && e.around.server_wait.is_some() {
        return e.find_server_wait();
    }
    if cause == Cause::Client && e.around.overfull.is_some() {
        return e.change_datagram_sockets();
    }
    if cause == Cause::Proxy {
        return e.change_proxy();
    }
    if cause == Cause::CrossTraffic {
        let class = || e.change_class().or_else(|| e.change_others());
        let known = e.relieve_port().or_else(class);
        return known.or_else(|| e.find_fillers());
    }
    if cause == Cause::Duplex {
        return Some(duplex(e, (facts, flow)));
    }
    if cause == Cause::WayBack {
        let [from, to] = [Side::Receiver, Side::Sender].map(|side| flow.called(side));
        return Some(match e.loses_back() {
            Some(_) => e.find_way_back(&from, &to),
            None => e.clear_way_back(&from, &to),
        });
    }
    if cause != Cause::Link {
        return None;
    }
    if let Some(change) = e.mend_pair() {
        return Some(change);
    }
    if let Some(group) = &e.around.group {
        return Some(spread(&group.router, facts, flow));
    }
    if let Some((_, group::MEMBER)) = e.line {
        return Some(spread("", facts, flow));
    }
    if let (Some(speed), Some((line, _))) = (e.lower_port(), &e.line) {
        return Some(match several(flow).map(|most| most > ABOVE * speed) {
            Some(true) => spread("", facts, flow),
            None if speed >= group::MEMBERS => one_of_several(flow, speed),
            _ if e.may_cross_service() => service::change(speed),
            _ => port(e, speed, line),
        });
    }
    if let Some(change) = e.widen_port(cause) {
        return Some(change);
    }
    let waits = crate::lines::bloat::ms(e.bloat().or_else(|| e.waits_beside())?);
    Some(shorter(e, "the router before the line", &waits, None))
}

/// A group of links: what spreads connections over its members.
fn spread(router: &str, facts: &Facts, flow: &Flow) -> Change {
    let host = match router {
        "" => "both ends of the group of links".to_owned(),
        router => format!("{router}, and the other end of its group of links"),
    };
    let all = flow.senders.iter().chain(&flow.receivers);
    let hashed = all
        .clone()
        .find_map(|h| word(facts, Of::Host(*h), "bond_hash"));
    let same = hashed.filter(|(policy, _)| !group::by_port(policy));
    let narrow = hashed::narrow(router, facts);
    let more = match (same, narrow) {
        (Some((policy, _)), _) => format!(
            "no more connections: {policy} has no ports in it, so that all between two hosts are on one member, and iperf3 -P 8 gives no more than -P 1"
        ),
        (None, Some(hash)) => hashed::no_more(hash),
        (None, None) => {
            "more connections side by side, such as iperf3 -P 32: the hash spreads many better than few"
                .to_owned()
        }
    };
    let mut commands = vec![
        more,
        "a hash of addresses and ports (layer3+4), such as port-channel load-balance src-dst-port of IOS"
            .to_owned(),
    ];
    let mut undo = vec!["the hash that each end had before".to_owned()];
    if let Some(hash) = narrow {
        commands.insert(0, hashed::wider(router, hash));
        undo.insert(0, hashed::set(router, hash));
    }
    if let Some((policy, _)) = hashed {
        commands.push(match group::by_port(policy) {
            true => format!("nothing at the bond of the hosts: it hashes by {policy} already"),
            false => format!(
                "ip link set dev BOND type bond xmit_hash_policy layer3+4, where it is {policy} now"
            ),
        });
    }
    if let Some((policy, _)) = same {
        commands.push("or xmit_hash_policy layer2+3, where a router stands between the hosts and members are to be shared by many hosts: two hosts still have one member".to_owned());
        undo.insert(
            0,
            format!("ip link set dev BOND type bond xmit_hash_policy {policy}"),
        );
    }
    Change {
        host,
        commands,
        undo,
        risk: "one connection never gets more than one member; changing the hash moves connections, and packets under way may overtake each other".to_owned(),
        ..Change::default()
    }
}

/// One member of a group of links, or one of several paths, that takes packets of the connections on it.
pub(super) fn damaged_member(struck: &Struck, flow: &Flow) -> Change {
    let (host, port) = (super::to(flow), struck.port_to_ask());
    let commands = [
        "counters of each member of every group of links on the path, before and after a test: show interfaces of each port, ethtool -S of each port of a host's bond. The member whose errors (CRC, FCS, input errors) grow is damaged, and the one whose output drops grow is full".to_owned(),
        format!(
            "iperf3 -c {host} --cport {port} -t 30, and once more from ports that lost nothing: losses that stay with the port are of the member or path that its hash takes"
        ),
        "which member that is: show port-channel load-balance forwarding-path of NX-OS, test etherchannel load-balance of IOS; of routes of equal cost traceroute with the ports of the flow".to_owned(),
        "take a damaged member out of the group, and clean or change its plugs, cable and transceivers".to_owned(),
    ];
    Change {
        host: "the routers and bonds of the path".to_owned(),
        commands: commands.to_vec(),
        undo: vec!["put the member back into the group".to_owned()],
        risk:
            "a group with one member less carries less; connections move to other members meanwhile"
                .to_owned(),
        ..Change::default()
    }
}

/// Connections side by side that have so many times what a port carries do not all cross it.
const ABOVE: f64 = 1.03;

/// The most that connections side by side had between the same hosts, bit/s.
fn several(flow: &Flow) -> Option<f64> {
    let tests = flow.beside.iter().filter(|t| t.streams > 1 && !t.udp);
    let rates = tests.filter_map(|t| Some(t.goodput()?.0.value));
    rates.reduce(f64::max)
}

/// A connection that fills a port below the line: several connections tell a slow port from a member of a group.
fn one_of_several(flow: &Flow, speed: f64) -> Change {
    Change {
        host: named(flow, End::Sender),
        commands: vec![format!(
            "iperf3 -c {} -P 8 -t 30: more than {} in all is a group of links, which gives each connection one member; no more is a port, a service or a shaper of that rate",
            super::to(flow),
            bps(speed)
        )],
        risk: super::NO_RISK.to_owned(),
        ..Change::default()
    }
}

/// The host whose text has the shaper that counts, for people.
fn shaping(facts: &Facts, e: &Evidence) -> String {
    let names = e.shaping_host().and_then(|h| facts.hosts.get(h as usize));
    let name = names.and_then(|names| names.first());
    name.cloned()
        .unwrap_or_else(|| "the host or router with the shaper".to_owned())
}

/// What a queue discipline is configured with so that its queue is the one that fills, bit/s: a little less than what passes, counted as it
/// counts, with the headers of Ethernet and without preamble and gap.
fn shaped(e: &Evidence) -> f64 {
    let rate = e.settled().map_or(0.0, |r| r.value);
    let passes = rate * (e.mss + OVERHEAD_OF_QUEUE) / e.mss;
    let stated = e.shaper.as_ref().or(e.line.as_ref().map(|(l, _)| l));
    // What was said counts where it is what passes.
    let stated = stated.map(|s| s.value).filter(|s| passes > 0.8 * s);
    0.95 * stated.unwrap_or(passes)
}

/// The queue of a class that makes all in it wait: one for each flow. The other classes stay.
fn of_class(class: &str, host: &str, waits: &str) -> Change {
    let commands = vec![format!(
        "tc qdisc replace dev INTERFACE parent {class} fq_codel"
    )];
    let undo = vec![format!(
        "tc qdisc replace dev INTERFACE parent {class} KIND, with the kind and the values that `tc qdisc show dev INTERFACE` printed there before; pfifo, where it printed none"
    )];
    Change {
        host: host.to_owned(),
        commands: printed::behind(commands, &undo),
        undo,
        risk: format!(
            "this flow gets no faster; what shares the class with it no longer waits {waits}"
        ),
        ..Change::default()
    }
}

/// A queue before a full line that makes everybody on it wait: a shorter one, or one for each flow. With how what stands there comes back,
/// where a text has it.
fn shorter(e: &Evidence, host: &str, waits: &str, back: Option<String>) -> Change {
    let shaped = shaped(e);
    let line = shaped / 0.95;
    let mut commands = vec![
        format!(
            "tc qdisc replace dev INTERFACE root cake bandwidth {:.0}kbit",
            (shaped / 1e3).round()
        ),
        "or, where its own interface is the line: tc qdisc replace dev INTERFACE root fq_codel"
            .to_owned(),
    ];
    commands.extend(e.rtt_floor.as_ref().map(|rtt| {
        format!(
            "or a queue of {} at most: the line's rate times the round trip of the idle path",
            crate::ceiling::bytes((line * rtt.value / 8.0).max(15_000.0))
        )
    }));
    let (undo, first, deleted) = match back {
        Some(back) => (vec![back], None, String::new()),
        None => (
            [unseen_back(), vec!["or the length that the queue had".to_owned()]].concat(),
            Some("tc qdisc show dev INTERFACE: a new root deletes what stands there, with all below it. Keep what it prints, and where that has classes (htb, hfsc, prio) put fq_codel into these, with parent CLASS in place of root".to_owned()),
            format!("; {DELETED}"),
        ),
    };
    let first = first.or_else(|| printed::first(&commands, &undo));
    Change {
        host: host.to_owned(),
        commands: first.into_iter().chain(commands).collect(),
        undo,
        risk: format!(
            "this flow gets no faster, and with cake a twentieth slower; what shares the line with it no longer waits {waits}{deleted}"
        ),
        ..Change::default()
    }
}

/// What either end of a link said before, and how that is had again.
const AS_BEFORE: &str = "ethtool -s INTERFACE with the speed, duplex and autoneg that `ethtool INTERFACE` printed before; the port of the switch as it was";

/// A port that runs slower than it was meant to.
fn port(e: &Evidence, speed: f64, target: &Figure) -> Change {
    let all = target.times(payload_share(e.mss));
    Change {
        host: "the host with the slow port, and its switch".to_owned(),
        commands: negotiated::unsaid("INTERFACE", speed, false),
        undo: vec![AS_BEFORE.to_owned()],
        risk: "the link goes down for some seconds".to_owned(),
        predicted_bps: Some(all.value),
        low_bps: Some(all.low * 0.9),
        high_bps: Some(all.high),
        ..Change::default()
    }
}

/// Both ends of a cable have to negotiate, or neither.
fn duplex(e: &Evidence, (facts, flow): (&Facts, &Flow)) -> Change {
    let line = e.line.as_ref().map(|(l, _)| l);
    let share = payload_share(e.mss);
    // A port that is slower may stay so at full duplex.
    let slowest = e.around.ports.slowest().unwrap_or(f64::INFINITY);
    let of_router = e.half_duplex.and_then(|at| e.around.ports.half_duplex(at));
    let (host, commands, undo) = match of_router {
        Some((port, kind)) => negotiating(port, kind, facts),
        None => negotiating_host(e, (facts, flow)),
    };
    let undo = vec![undo];
    Change {
        host,
        commands: printed::behind(commands, &undo),
        undo,
        risk: "the link goes down for some seconds; a port that is fixed to full duplex makes the other end choose half".to_owned(),
        predicted_bps: line.map(|l| l.value * share),
        low_bps: line.map(|l| libm::fmin(l.low, slowest) * share * 0.9),
        high_bps: line.map(|l| l.high * 0.985),
        then: line.map(|l| Then {
            cause: Cause::Link.name(),
            limit_bps: l.value * share,
        }),
        ..Change::default()
    }
}

/// What a host at half duplex needs, and its switch. One that negotiates already runs so by its port, which does not (IEEE 802.3 clause 28).
fn negotiating_host(e: &Evidence, (facts, flow): (&Facts, &Flow)) -> (String, Vec<String>, String) {
    let switch = "on the switch: duplex auto, speed auto for its port";
    let mut halves = facts.duplexes.iter();
    let half = halves.find(|d| Some(d.at) == e.half_duplex && d.half);
    match half.filter(|half| crate::interfaces::negotiated::negotiates(facts, half) == Some(true)) {
        Some(half) => {
            let host = flow.host_called(facts, half.host, "the host at half duplex");
            let port = match half.name.as_str() {
                "" => "INTERFACE",
                name => name,
            };
            (
                format!("the switch that {port} of {host} is plugged into"),
                vec![
                    format!(
                        "{switch}: the host negotiates already, and a port that is fixed does not answer it"
                    ),
                    format!("ethtool {port} on {host}: that it is at full duplex then"),
                ],
                "the port of the switch as it was".to_owned(),
            )
        }
        None => (
            "the host at half duplex, and its switch".to_owned(),
            vec![
                "ethtool -s INTERFACE autoneg on".to_owned(),
                switch.to_owned(),
            ],
            AS_BEFORE.to_owned(),
        ),
    }
}

/// What a router's or switch's port at half duplex needs, and its other end: the box, the commands, and how to undo them.
fn negotiating(port: &Port, kind: Kind, facts: &Facts) -> (String, Vec<String>, String) {
    let Port { router, name } = port;
    let router = match router.is_empty() {
        true => "the router or switch",
        false => router,
    };
    let commands = match kind {
        Kind::HalfOfJunos => vec![
            format!("delete interfaces {name} link-mode"),
            format!("delete interfaces {name} speed"),
            format!(
                "set interfaces {name} ether-options auto-negotiation (gigether-options on MX), and commit"
            ),
        ],
        Kind::HalfOfVrp => vec![
            format!("interface {name}"),
            " undo duplex".to_owned(),
            " undo speed".to_owned(),
            " negotiation auto".to_owned(),
        ],
        Kind::HalfOfRouterOs => vec![format!(
            "/interface ethernet set {name} auto-negotiation=yes"
        )],
        Kind::HalfOfProCurve => vec![format!(
            "interface {} speed-duplex auto",
            name.trim_start_matches("port ")
        )],
        Kind::HalfOfSrOs => vec![format!(
            "configure port {name} ethernet autonegotiate; of the MD-CLI autonegotiate true, and commit"
        )],
        _ => vec![
            format!("interface {name}"),
            " duplex auto".to_owned(),
            " speed auto".to_owned(),
        ],
    };
    let hosts = &facts.negotiated;
    let on = !hosts.is_empty() && hosts.iter().all(|n| n.automatic == Some(true));
    let other = match on {
        true => {
            "on the device at the other end of its cable: negotiation, too; the interfaces in the texts of hosts have it on"
        }
        false => {
            "on the device at the other end of its cable: negotiation, too; of a host ethtool -s INTERFACE autoneg on"
        }
    };
    let settings = match kind {
        Kind::HalfOfVrp => format!("display current-configuration interface {name}"),
        Kind::HalfOfRouterOs => "/interface ethernet export".to_owned(),
        Kind::HalfOfProCurve => "show interfaces config".to_owned(),
        Kind::HalfOfSrOs => format!("show port {name} detail"),
        _ => format!("show running-config interface {name}"),
    };
    let undo = match kind {
        Kind::HalfOfJunos => {
            "rollback 1, and commit; the other end as `ethtool INTERFACE` printed before".to_owned()
        }
        _ => format!(
            "on {name} the duplex and speed that `{settings}` printed before; the other end as `ethtool INTERFACE` printed before"
        ),
    };
    let commands = commands.into_iter().chain([other.to_owned()]).collect();
    (format!("{router}, {name}"), commands, undo)
}

/// What of the cables, of a weak radio link, and of the members of a bundle, there is to change against losses by chance.
pub(super) fn against_losses(e: &Evidence, (facts, flow): (&Facts, &Flow)) -> Vec<Change> {
    let mut all: Vec<Change> = Vec::new();
    all.extend(super::plugs::of_interface(e, facts, flow));
    all.extend(super::plugs::of_port(e, facts));
    // The last of these is the change against the cause itself then, with what it promises.
    if e.is_mended_by_plugs() {
        all.pop();
    }
    all.extend(super::air::change(Cause::RandomLoss, e, (facts, flow)));
    all.extend(e.struck().map(|struck| damaged_member(struck, flow)));
    all
}

#[cfg(test)]
mod tests {
    use super::of_class;

    /// A new root would delete the other classes with their rates.
    #[test]
    fn a_queue_is_put_into_its_class() {
        let change = of_class("1:10", "router", "20.0 ms");
        assert!(change.commands[0].starts_with("tc qdisc show dev INTERFACE: keep"));
        assert_eq!(
            change.commands[1..],
            ["tc qdisc replace dev INTERFACE parent 1:10 fq_codel"]
        );
        assert!(change.undo[0].starts_with("tc qdisc replace dev INTERFACE parent 1:10 KIND"));
    }
}
