//! What to change, how to undo it, what may go wrong, and what rate to expect then.

mod air;
mod backlog;
mod bounds;
mod core;
mod dropping;
mod fitting;
mod interface;
mod marking;
mod negotiated;
mod next;
mod options;
mod overrun;
mod own_drops;
mod path;
mod plateau;
mod plugs;
mod policy_map;
mod printed;
mod programs;
mod promised;
mod regrown;
mod roots;
mod shaper;
mod shared;
mod spread;
mod start;
mod systems;
mod tcp_memory;
mod throttled;
mod unscaled;
mod wanted;

use crate::cause::Cause;
use crate::ceiling::{Limit, payload_share};
use crate::document::Change;
use crate::evidence::Evidence;
use crate::fact::{Figure, Of};
use crate::flows::asked_option;
use crate::flows::flow::{Flow, number, word};
use crate::hosts::container_bridge;
use crate::hosts::ipsec;
use crate::hosts::tally::Tally;
use crate::interfaces::dropping_port::within_port;
use crate::known::{System, tuning};
use crate::read::Facts;
use crate::seen::{ASKED, Side, Test};
use crate::windows::channel::channel_bytes;
use crate::windows::route_metrics;
pub(crate) use backlog::SOFTNET;
use bounds::{lower, other_core, within_channel, within_processor, within_set};
pub(crate) use fitting::fitting;
use next::next;
use promised::promise_after;
pub(crate) use shared::{Shared, share};
use systems::Sending;
pub(crate) use systems::{
    Buffers, DELETED, End, NO_RISK, Remedy, buffer, is_kept, kept, unseen_back,
};
pub(crate) use unscaled::scales;
pub(crate) use wanted::wanted;
use wanted::{MODEST, for_usual_rates, goal};

/// What to change against a cause, and against a second that holds besides; nothing where it is not a host's to change. Where the
/// cause may as well be another, both changes are named, and no rate is promised of the first alone.
pub(crate) fn changes(
    causes: (Cause, Option<Cause>, Option<Cause>),
    e: &Evidence,
    of: (&Facts, &Flow),
    ceilings: &[Limit],
) -> Vec<Change> {
    // Of kinds that share a loss each is one, and none stands for the other.
    let causes = (causes.0, causes.1, causes.2.filter(|_| !e.shares_loss()));
    let mut all = on_path(causes.0, e, of, ceilings);
    // A queue that marks is the path's, and what holds besides may be a host's.
    if all.is_empty() || causes.0 == Cause::Marks {
        all.extend(of_causes(causes, e, of, ceilings));
    }
    for other in e.other_parts_of_loss(causes.0) {
        let change = change(other, e, of).map(|(change, _)| change);
        let known = |new: &Change| all.iter().any(|c| c.commands == new.commands);
        let change = change.filter(|new| !known(new));
        all.extend(change);
    }
    all.extend(options::let_through(causes.0, e));
    all.extend(dropping::change(causes.0, e));
    if let Some(assumed) = e.assumed_for(causes.0) {
        let first = all.iter_mut().take(1);
        first.for_each(|change| assumed.precede(causes.0, change));
    }
    e.shorten_way(causes.0, &mut all);
    let mut first = options::turned_on(causes.0, e, |side| of.1.called(side));
    let unlike = crate::reach::exstart::change(of.0).filter(|_| causes.0 == Cause::MtuBlackHole);
    first.extend(unlike);
    first.append(&mut all);
    first
}

fn of_causes(
    (cause, second, either): (Cause, Option<Cause>, Option<Cause>),
    e: &Evidence,
    (facts, flow): (&Facts, &Flow),
    ceilings: &[Limit],
) -> Vec<Change> {
    let (mut gone, mut all) = (Vec::new(), Vec::new());
    if cause == Cause::RandomLoss {
        all = path::against_losses(e, (facts, flow));
        if e.struck().is_some() || e.damage_loses_pings() || e.weak_radio().is_some() {
            return all;
        }
    }
    let commands = |c: Cause| change(c, e, (facts, flow)).map(|(change, _)| change.commands);
    // What is changed alike against either is said once.
    let differs = |c: &Cause| commands(*c).is_some_and(|of| Some(of) != commands(cause));
    let both = either.filter(differs);
    let alike = either.filter(|c| both.is_none() && commands(*c).is_some());
    let first = [Some(cause), both.or(second)].into_iter().flatten();
    let mut causes: Vec<Cause> = first.collect();
    let (mut at, mut set) = (0, Vec::new());
    while let Some(cause) = causes.get(at).copied() {
        at += 1;
        let Some((mut change, room)) = change(cause, e, (facts, flow)) else {
            continue;
        };
        gone.push(cause);
        set.extend(room.map(|bytes| (cause, bytes)));
        let drawn = either.is_some_and(|other| !gone.contains(&other));
        if drawn && both.is_some() {
            let first = "it may as well be the change after this one: first get what is missing, or make both";
            change.commands.insert(0, first.to_owned());
        }
        // What is left behind a policer, in a queue that others fill or behind a hole is unknown; after small writes the other end counts.
        let next = match cause {
            Cause::Policer | Cause::CongestionLoss | Cause::MtuBlackHole => None,
            Cause::SmallWrites | Cause::SetUp | Cause::Recovery => None,
            Cause::Application if e.turns.is_some() => None,
            // Of datagrams as many arrive as are sent, or fewer: no ceiling says what more would pass. Nor how long pauses are.
            _ if e.udp || drawn || e.leaves_unsaid(cause) => None,
            // What the kernel gives by itself, nobody said.
            _ if e.lacks_memory(cause) || is_blind(cause, e, (facts, flow)) => None,
            Cause::HostCpu => lower(next(&gone, second, e, ceilings), other_core(e)),
            _ => next(&gone, second, e, ceilings).map(|n| within_set(n, &set, e, (facts, flow))),
        };
        let shared = e.streams <= 1.0 || old_threads(facts, flow).is_some();
        let next = next.map(|n| within_processor(n, &gone, e, shared));
        let next = next.map(|n| within_port(within_channel(cause, n, e, &mut change), e));
        match next {
            // A setting that gives no more than was measured is not changed, unless what holds it as well goes with it.
            Some(ref next @ (other, _)) if is_vain(cause, next, e) => {
                if !WITH_IT.contains(&other) || causes.contains(&other) {
                    continue;
                }
                causes.push(other);
            }
            Some(next) => {
                promise_after(cause, &mut change, &next, e);
                interface::one_thread(&mut change, cause, e, old_threads(facts, flow));
            }
            None => {}
        }
        if cause == Cause::NoWindowScaling {
            all.extend(unscaled::others(e, (facts, flow), &change));
        }
        change.risk.extend(alike.filter(|_| at == 1).map(as_well));
        all.push(change);
    }
    all
}

/// What there is to change on the path, where that is all.
fn on_path(cause: Cause, e: &Evidence, of: (&Facts, &Flow), ceilings: &[Limit]) -> Vec<Change> {
    let all = path::changes_of_path(cause, e, of).into_iter();
    all.map(|change| match cause {
        Cause::Link => negotiated::within_others(change, e, ceilings),
        _ => change,
    })
    .collect()
}

/// That another cause, which is changed alike, is as likely.
fn as_well(other: Cause) -> String {
    let other = other.words();
    format!("; it may as well be {other}: first get what is missing")
}

/// Windows and buffers, which each end has one of.
const ROOMS: [Cause; 2] = [Cause::ReceiveWindow, Cause::SendBuffer];
/// What is changed together with a setting that gives nothing alone: the other end's, and a processor that is full.
const WITH_IT: [Cause; 3] = [ROOMS[0], ROOMS[1], Cause::HostCpu];

/// Whether a change of settings gives no more than was measured. What asks a program or a disk is worth the asking, and damage the
/// mending.
fn is_vain(cause: Cause, (_, then): &(Cause, Figure), e: &Evidence) -> bool {
    let mended = cause == Cause::RandomLoss && e.is_mended_by_plugs();
    let loss = cause.is_loss() && !mended;
    let settings = ROOMS.contains(&cause) || cause == Cause::NoWindowScaling || loss;
    let rate = e.settled().map(|rate| rate.value);
    settings && rate.is_some_and(|rate| then.value <= GAIN * rate)
}

/// A change gives so many times what was measured at least.
const GAIN: f64 = 1.02;

/// The end that is changed against a cause; none where it is neither, nor where something answers in the peer's stead.
fn changed(cause: Cause, e: &Evidence) -> Option<End> {
    let end = match cause {
        Cause::HostCpu => end_of(e.cpu_of.as_ref().and_then(|(side, _)| *side), End::Sender),
        Cause::Disk => end_of(e.around.disk_of, End::Sender),
        Cause::ReceiveWindow | Cause::Client => End::Receiver,
        Cause::Application if e.waits_at_server() => End::Sender,
        // Who reads asks for it.
        Cause::Application if e.requests.is_some_and(|r| r.reads) => End::Receiver,
        Cause::Application if e.holds_itself().is_some() => End::from(e.holds_itself()?.1),
        Cause::Application if e.turns.is_some() => e.turns?.end(),
        Cause::Application if e.around.one_by_one.is_some() => {
            End::from(e.around.one_by_one?.asker)
        }
        Cause::Application if e.around.small_files.is_some() => {
            End::from(e.around.small_files?.program)
        }
        Cause::SetUp => e.opened.as_ref().map_or(End::Receiver, |o| o.end()),
        Cause::SendBuffer
        | Cause::Application
        | Cause::SmallWrites
        | Cause::Pacing
        | Cause::MtuBlackHole
        | Cause::Ramp
        | Cause::ShallowBuffer
        | Cause::Policer
        | Cause::RandomLoss
        | Cause::Reordering
        | Cause::Recovery
        | Cause::CongestionLoss => End::Sender,
        _ => return None,
    };
    Some(end).filter(|end| *end != End::Receiver || !e.is_split())
}

/// What is changed against a cause at a host, and in words, of its own.
fn whole(cause: Cause, e: &Evidence, (facts, flow): (&Facts, &Flow)) -> Option<Change> {
    match cause {
        Cause::Nic => Some(interface::of_card(e, (facts, flow))),
        Cause::NoWindowScaling if !e.is_split() => unscaled::changes(e, (facts, flow)).pop(),
        Cause::RandomLoss => plugs::cure(e, facts, flow).or_else(|| ipsec::change(cause, e)),
        Cause::Reordering if e.bond_in_turn().is_none() => ipsec::change(cause, e),
        Cause::MtuBlackHole => container_bridge::change(e),
        Cause::HostCpu => throttled::change(e, flow),
        Cause::None => {
            let client = flow.test.as_ref().map_or(Side::Sender, |t| t.client);
            e.asks_more_datagrams(flow.called(client))
        }
        _ => None,
    }
}

/// What to change against one cause, and the largest buffer that this sets, bytes.
fn change(
    cause: Cause,
    e: &Evidence,
    (facts, flow): (&Facts, &Flow),
) -> Option<(Change, Option<u64>)> {
    if let Some(change) = whole(cause, e, (facts, flow)) {
        return Some((change, None));
    }
    let end = changed(cause, e)?;
    let open = cause == Cause::HostCpu && e.cpu_of.as_ref().is_some_and(|(side, _)| side.is_none());
    let full = open.then(|| "the host whose processor is full".to_owned());
    let host = &full.unwrap_or_else(|| named(flow, end));
    let (hosts, system) = at_end(e, (facts, flow), end);
    let remedy = match cause {
        Cause::HostCpu if system == Some(System::Windows) => {
            spread::remedy(facts, &hosts, end == End::Receiver, threads(facts, flow))
        }
        Cause::HostCpu => core::with_offloads(of_processor(e, (facts, flow)), facts, &hosts, end),
        Cause::Disk => systems::disk(end, system, e.rate.as_ref().map(|r| r.value)),
        Cause::RandomLoss if e.udp => systems::finding(&sending(e, (facts, flow), &hosts)),
        // Who loses some of what is sent is not to send more.
        Cause::Application if e.lost_of_sent().is_some() => return None,
        // Who got no answer at all has nothing to ask for in larger pieces.
        Cause::Application if e.unanswered => return None,
        _ if e.udp && end == End::Sender => {
            let [passed, stated] = [&e.rate, &e.policer].map(|of| of.as_ref().map(|f| f.value));
            systems::datagrams(cause, passed, stated)
        }
        _ if e.lacks_memory(cause) => tcp_memory::remedy(e),
        _ if e.is_held_by_route(cause) => route_metrics::remedy(e)?,
        _ if e.is_left(cause) && !asked(facts, flow) => left_small((facts, flow), &hosts),
        Cause::ReceiveWindow | Cause::SendBuffer => {
            let now = Buffers {
                asked: (asked(facts, flow) || e.memory.both).then(|| asked_option::of_flow(flow)),
                ..Buffers::of(facts, &hosts, end)
            };
            room(e, (facts, flow), (system, end), &now)
        }
        Cause::MtuBlackHole => fitting::against_hole(system, e, (facts, flow)),
        Cause::Reordering => systems::in_order(e.bond_in_turn()),
        Cause::Ramp => start::against(e, system, &to(flow)),
        Cause::Application | Cause::Client if e.waits_at_server() => systems::at_server(),
        Cause::Application => of_program(e),
        Cause::SmallWrites => systems::small_writes(),
        Cause::SetUp => of_set_up(e)?,
        Cause::Recovery => regrown::remedy(e, &sending(e, (facts, flow), &hosts))?,
        Cause::Pacing => {
            let of = |h: &Of| Some(number(facts, *h, "pacing_rate_bps")?.value);
            let root = |h: &Of| Some(word(facts, *h, "root_qdisc")?.0);
            systems::unpaced(hosts.iter().find_map(of), hosts.iter().find_map(root))
        }
        Cause::Client if e.udp => {
            let now = Buffers::of(facts, &hosts, End::Receiver).core;
            systems::reader_of_datagrams(system, now, e.rate.as_ref().map(|r| r.value))
        }
        Cause::Client => overrun::client(e),
        _ if system.is_none_or(|s| s == System::Linux) => {
            let paced = systems::pacing(cause, &sending(e, (facts, flow), &hosts));
            own_drops::against(cause, e, paced)
        }
        Cause::RandomLoss => systems::finding(&sending(e, (facts, flow), &hosts)),
        _ => return None,
    };
    let room = remedy.room;
    // A sender that paces already has nothing to change against a full queue.
    (!remedy.commands.is_empty()).then(|| {
        let change = remedy.change(host, system, None);
        (interface::with_name(change, (facts, flow), &hosts), room)
    })
}

/// Against a full processor.
fn of_processor(e: &Evidence, (facts, flow): (&Facts, &Flow)) -> Remedy {
    // Another program's processor is not the cipher's.
    let unnamed = e.cpu_of.as_ref().is_none_or(|(_, by)| by.is_empty());
    let usual = || systems::processor(e.ssh && unnamed, threads(facts, flow));
    core::remedy(e, &flow.to.host).unwrap_or_else(usual)
}

/// Against connections that are opened anew: those of a capture, or of files that were fetched.
fn of_set_up(e: &Evidence) -> Option<Remedy> {
    match &e.opened {
        Some(opened) => Some(opened.remedy()),
        None => e.fetched.map(|files| files.remedy()),
    }
}

/// Against a window that the settings of these hosts do not hold.
fn left_small((facts, flow): (&Facts, &Flow), hosts: &[Of]) -> Remedy {
    let core = Buffers::of(facts, hosts, End::Receiver).core;
    systems::left_small(peer_shifts_none(facts, flow), core)
}

/// Whether the receiver's SYN arrived with a window scale of 0.
fn peer_shifts_none(facts: &Facts, flow: &Flow) -> bool {
    let of = |s: &u32| word(facts, Of::Socket(*s), "peer_shifts_none").is_some();
    flow.sockets.iter().any(of)
}

/// Room for what is wanted in flight: the kernel's to give, or the program's that set its buffer itself.
fn room(
    e: &Evidence,
    (facts, flow): (&Facts, &Flow),
    (system, end): (Option<System>, End),
    now: &Buffers,
) -> Remedy {
    let carried = e.settled_flight().map_or(0.0, |f| f.high);
    let own = match wanted(e) {
        None if systems::is_tuned(system) => {
            return systems::unsized_buffer(&to(flow), goal(e), e.streams, now);
        }
        own => own.unwrap_or(MODEST).max(carried),
    };
    let own = channel_bytes(e).map_or(own, |most| own.min(most));
    let wanted = own.max(flow.shared.room[end as usize]);
    if asked(facts, flow)
        && let Some(remedy) = systems::own_buffer(wanted, now, asked_option::of_flow(flow))
    {
        return remedy;
    }
    // What it set itself holds it, however much its kernel would give.
    if let Some(set) = e.memory.set.filter(|_| end == End::Sender) {
        return systems::set_by_program(set, wanted, now);
    }
    // A program with a channel of its own has no use for more than twice that.
    let enough = |most: u64| channel_bytes(e).is_some() && most as f64 >= 2.0 * wanted;
    if now.most.is_some_and(enough) {
        return systems::ssh(crate::windows::channel::channel_of(e));
    }
    let mut remedy = buffer(system, wanted, end, now);
    let usual = for_usual_rates(e, (system, end), (now.most, remedy.room));
    remedy.commands.extend(usual);
    remedy
}

/// The host that a flow goes to, as a command names it.
fn to(flow: &Flow) -> String {
    match flow.to.host.as_str() {
        "" => "HOST".to_owned(),
        host => host.to_owned(),
    }
}

/// What is to be known of the threads of the program that tests.
fn threads(facts: &Facts, flow: &Flow) -> Option<String> {
    let is_it = flow.test.as_ref().is_some_and(|t| t.tool == "iperf3");
    let release = number(facts, Of::Path, "iperf3_release").map(|r| r.value);
    is_it.then(|| systems::threads(release))?
}

/// The same where its release is known.
fn old_threads(facts: &Facts, flow: &Flow) -> Option<String> {
    number(facts, Of::Path, "iperf3_release").and_then(|_| threads(facts, flow))
}

/// What a sending program can do: a tool that tests, a copy over SSH, or another.
fn of_program(e: &Evidence) -> Remedy {
    let tested = e.counted_else.faster_rate();
    if let Some(remedy) = e.without_option() {
        return remedy;
    }
    if let Some(requests) = e.requests {
        return systems::of_requests(requests);
    }
    if let Some(turns) = e.turns {
        return turns.remedy();
    }
    if let Some(requests) = e.around.one_by_one {
        return requests.remedy();
    }
    if let Some(files) = e.around.small_files {
        return files.remedy();
    }
    let program = match (e.tester, e.ssh) {
        (true, _) => systems::tester(e.file.as_deref(), tested.as_deref()),
        (false, true) => systems::ssh(crate::windows::channel::channel_of(e)),
        (false, false) => systems::program(tested.as_deref()),
    };
    match e.restart {
        Some(_) => program.and(systems::restart()),
        None => program,
    }
}

/// The texts that may be of a host at this end, and its system.
fn at_end(e: &Evidence, (facts, flow): (&Facts, &Flow), end: End) -> (Vec<Of>, Option<System>) {
    let texts = match end {
        End::Sender => &flow.senders,
        End::Receiver => &flow.receivers,
    };
    let hosts: Vec<Of> = texts.iter().map(|n| Of::Host(*n)).collect();
    let system = e.systems[end as usize].or_else(|| of_settings(facts, &hosts, end));
    (hosts, system)
}

/// The system of the texts whose settings an end's window or buffer goes by, though they may be of the other end as well: one that
/// limits is the one to be changed.
fn of_settings(facts: &Facts, hosts: &[Of], end: End) -> Option<System> {
    let rules = |host: &&Of| {
        let now = Buffers::of(facts, &[**host], end);
        let own = now.space.or(now.most).or(now.core).is_some();
        // Levels of tuning are those of receive windows.
        own || now.unscaled || end == End::Receiver && now.level.is_some()
    };
    let ruling: Vec<&Of> = hosts.iter().filter(rules).collect();
    let system = |host: &&Of| System::named(word(facts, **host, "system")?.0);
    let first = system(ruling.first()?)?;
    ruling
        .iter()
        .all(|h| system(h) == Some(first))
        .then_some(first)
}

/// Whether a buffer that was asked for is to go, and nothing says what the kernel gives instead.
fn is_blind(cause: Cause, e: &Evidence, (facts, flow): (&Facts, &Flow)) -> bool {
    let unknown = |end| Buffers::are_unknown(facts, flow, end);
    ROOMS.contains(&cause) && asked(facts, flow) && changed(cause, e).is_some_and(unknown)
}

/// Whether the test's own options or report say that it asked for a buffer.
pub(crate) fn asked(facts: &Facts, flow: &Flow) -> bool {
    let has = |t: &Test| ASKED.iter().any(|name| t.numbers.contains_key(name));
    let sent = crate::flows::typed::option(facts, flow, "window_requested_bytes").is_some();
    let received = number(facts, Of::Receiver, "window_requested_bytes").is_some();
    flow.test.as_ref().is_some_and(has) || sent || received
}

/// How a sender sends now; `hosts` are its texts.
fn sending(e: &Evidence, (facts, flow): (&Facts, &Flow), hosts: &[Of]) -> Sending {
    let hosts = roots::of_sender(e, (facts, flow), hosts);
    let said = |name| {
        let found = hosts.iter().find_map(|h| word(facts, *h, name));
        found.map(|(word, _)| word.to_owned())
    };
    Sending {
        qdisc: said("qdisc"),
        root: said("root_qdisc"),
        beside: roots::beside((facts, flow), &hosts),
        fast: e
            .line
            .as_ref()
            .is_some_and(|(line, _)| line.value >= systems::MANY_QUEUES),
        default: said("cc"),
        used: e.cc.clone(),
        policed: e.policed().map(|p| p.value),
        stated: e.policer.is_some(),
        bucket: e.short_bucket(),
        burst: e.policer_burst.as_ref().map(|b| b.value),
        policer: policy_map::of_policer(e, facts),
        nft: e.around.ports.nft_rule(),
        round_s: e.rtt.as_ref().map(|r| r.value),
        rate: e.lasting(),
        goal: e.target.as_ref().map(|t| t.value / payload_share(e.mss)),
        held: e.held(),
        instance: e.around.cloud.surely(e),
        streams: e.streams.max(flow.shared.streams),
        lost_at: e.around.lost_at.clone(),
        systems: e.systems,
    }
}

/// The host at an end of a flow, for people.
fn named(flow: &Flow, end: End) -> String {
    flow.called(match end {
        End::Sender => Side::Sender,
        End::Receiver => Side::Receiver,
    })
}

/// The end of a side that is known.
fn end_of(side: Option<Side>, otherwise: End) -> End {
    side.map_or(otherwise, End::from)
}

/// The host whose text a counter is in: an end of the flow where it is that of one end alone, else what it is called.
fn host_of(facts: &Facts, flow: &Flow, host: u32) -> String {
    flow.host_called(facts, host, "the host that counts them")
}

/// Where a counter was read last: ` (receiver.txt:12)`.
fn places(facts: &Facts, counter: Option<&Tally>) -> String {
    let at = counter.and_then(|c| c.count.from.first());
    at.map_or_else(String::new, |at| format!(" ({})", facts.place(*at)))
}

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
        let [most_of_bsd, auto] = match end {
            End::Receiver => ["recvbuf_max_bytes", "recvbuf_auto"],
            End::Sender => ["sendbuf_max_bytes", "sendbuf_auto"],
        };
        Buffers {
            least: None,
            default: get(default),
            most: get(most).or_else(|| get(most_of_bsd)),
            core: get(core).or_else(|| get("maxsockbuf_bytes")),
            space: get(space),
            old: hosts
                .iter()
                .any(|h| word(facts, *h, "before_vista").is_some()),
            level: hosts
                .iter()
                .find_map(|h| word(facts, *h, "tuning_level"))
                .and_then(|(level, _)| tuning(level).map(|(name, _)| name)),
            unscaled: get("window_scaling") == Some(0),
            untuned: end == End::Receiver && get("moderate_rcvbuf") == Some(0),
            fixed: get(auto) == Some(0),
            asked: None,
        }
    }
}
