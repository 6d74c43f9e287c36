//! Facts that would decide, and the commands that get them.

mod alone;
mod answers;
mod hole;
mod kernel;
mod windows;

use crate::asking::{
    Asking, counters, datagrams, disks, on_both, processors, queues, segments, shows_busy_disks,
    speed,
};
use crate::cause::Cause;
use crate::ceiling::Limit;
use crate::document::MissingFact;
use crate::evidence::Evidence;
use crate::flows::flow::Flow;
use crate::infer::Ranking;
use crate::known::System;
use crate::programs::follow::TESTERS;
use crate::read::{COPIES, Facts};
use crate::verdict::at_most;

/// Most facts that are asked for.
const ASKED_MAX: usize = 4;

/// What is missing, the most useful first.
pub(crate) fn missing(
    e: &Evidence,
    (facts, flow): (&Facts, &Flow),
    ceilings: &[Limit],
    ranking: &[Ranking],
) -> Vec<MissingFact> {
    let likely = ranking.iter().filter(|r| r.confidence > 0.04);
    let likely: Vec<Cause> = likely.map(|r| r.cause).collect();
    let sure = ranking
        .first()
        .is_some_and(|r| r.confidence.min(at_most(e, r.cause)) >= 0.9);
    if answers::are_enough(e, likely.first()) {
        return e.asks_why_down(likely.first()).into_iter().collect();
    }
    let asking = &Asking::of(facts, flow);
    let mut all = answers::of_answers(e, facts, asking);
    if !all.is_empty() {
        return all;
    }
    if hole::asked(e, (facts, flow), asking, &likely, &mut all) {
        return all;
    }
    if e.shut.is_some() || e.shows_zero_window() {
        return e.asks_shut();
    }
    all.extend(hole::of_way_back(e, asking));
    all.extend(e.asks_way_back());
    let alone = alone::asked(e, (facts, flow), asking);
    if !alone.is_empty() || answers::names_fault(e, likely.first()) {
        all.extend(alone);
        return each_once(all);
    }
    let mut ask = |fact, would_decide: &str, command: String| {
        all.push(MissingFact {
            fact,
            would_decide: would_decide.to_owned(),
            command,
        });
    };
    if e.rate.is_none() {
        let why = "what is to be explained: the rate of a test";
        ask("rate", why, asking.test("-t 30"));
    }
    if e.rtt.is_none() {
        let (why, command) = of_round_trip(flow, asking);
        ask("rtt", &why, command);
    }
    if e.udp {
        return of_datagrams(e, asking, all, sure);
    }
    all.extend(of_members(e, &likely, sure));
    all.extend(of_struck(e).into_iter().chain(e.asks_who(&likely)));
    all.extend(of_copy(e, flow, asking).into_iter().filter(|_| !sure));
    all.extend(windows::of_scaling(e, (facts, flow), &likely));
    all.extend(windows::of_buffers(e, (facts, flow), &likely, sure));
    all.extend(e.asks_shaper(asking, &likely));
    all.extend(kernel::of_kernel(e, (facts, flow), asking).filter(|_| !sure));
    all.extend(of_program(e, &likely));
    all.extend(of_reader(e, &likely, sure));
    all.extend(of_cloud(e, &likely, sure));
    all.extend(of_path(e, asking, ceilings, &likely, sure));
    all.extend(of_interfaces(e, &likely, sure));
    all.extend(of_queue(e, asking, &likely));
    all.extend(of_segments(e, asking, ceilings, &likely));
    all.splice(0..0, of_line(e, asking, &likely, sure));
    let first = e.asks_full_router(sure).or_else(|| e.asks_varying());
    let first = first.or_else(|| e.asks_unmarked(asking));
    all.splice(0..0, first.or_else(|| e.asks_whose_group()));
    each_once(all)
}

/// What is asked first: what the line, its queues and its service are.
fn of_line(e: &Evidence, asking: &Asking, likely: &[Cause], sure: bool) -> Vec<MissingFact> {
    let first = [
        e.asks_foreign_reset(),
        e.asks_other_version(),
        e.asks_rest(asking, likely),
        e.asks_own_queue(asking, likely),
        e.asks_own_drops(asking, likely),
        e.asks_marking(likely),
        e.asks_service()
            .or_else(|| e.asks_slower_line(asking, likely)),
        e.asks_guessed_line(likely),
        e.asks_processors_of_both().filter(|_| !sure),
        e.outgrown().and_then(|_| of_queue(e, asking, likely)),
        e.asks_again(likely).filter(|_| !sure),
    ];
    first.into_iter().flatten().collect()
}

/// The first of them, each fact once.
fn each_once(mut all: Vec<MissingFact>) -> Vec<MissingFact> {
    let mut asked = Vec::new();
    all.retain(|m| {
        let new = !asked.contains(&m.fact);
        asked.push(m.fact);
        new
    });
    all.truncate(ASKED_MAX);
    all
}

/// Why the round trip is asked for, and what gets it: pings to several hosts may be of another path each.
fn of_round_trip(flow: &Flow, asking: &Asking) -> (String, String) {
    let why =
        "what windows, buffers and losses leave of the rate: all of it goes by the round trip";
    let command = asking.ping(20);
    match &flow.pings.others[..] {
        [] => (why.to_owned(), command),
        [one] => (
            format!("{why}. The ping in the texts went to {one}, which is not an end of this flow"),
            command,
        ),
        several => (
            format!(
                "{why}. Which of the pings is of this path? Those in the texts went to {}",
                several.join(", ")
            ),
            format!("{command}, or farpath diagnose --rtt 100ms ... with the one that is"),
        ),
    }
}

/// What tells a copy's program and disks from its path: a test that uses neither, and the disks; of a test that wrote a file, its disk. What is
/// asked of the path alone says nothing of them.
fn of_copy(e: &Evidence, flow: &Flow, asking: &Asking) -> Vec<MissingFact> {
    let copies = flow.test.as_ref().is_some_and(|t| COPIES.contains(&t.tool));
    if !copies {
        return e.asks_disk_of_fall().into_iter().collect();
    }
    let tested = flow.beside.iter().any(|t| TESTERS.contains(&t.tool));
    let test = MissingFact {
        fact: "test_rate_bps",
        would_decide:
            "whether it is the path at all: a test from memory, without the program and its disks"
                .to_owned(),
        command: format!(
            "{}, the way the copy went (-R for the other)",
            asking.test("-t 30")
        ),
    };
    let disk = MissingFact {
        fact: "disk_busy_ratio",
        would_decide: "whether a disk holds the copy back".to_owned(),
        command: format!("during a copy: {}", on_both(e.systems, disks)),
    };
    let shows = e.systems.into_iter().any(shows_busy_disks);
    let busy = e.around.disk_of.is_none() && shows;
    let lacks = [(!tested, test), (busy, disk)];
    let lacks = lacks.into_iter().filter(|(lacks, _)| *lacks);
    lacks.map(|(_, fact)| fact).collect()
}

/// How large segments are, where a law of losses goes by that and nobody said it.
fn of_segments(
    e: &Evidence,
    asking: &Asking,
    ceilings: &[Limit],
    likely: &[Cause],
) -> Option<MissingFact> {
    let law = ceilings.iter().any(|c| c.bursts.is_some());
    let lossy = likely.first().is_some_and(|c| c.is_loss());
    (law && lossy && !e.mss_said).then(|| MissingFact {
        fact: "mtu_bytes",
        would_decide: format!(
            "how large segments are, which the law of losses goes by: {:.0} bytes are assumed",
            e.mss
        ),
        command: format!(
            "{}: where it is answered, farpath diagnose --mtu 9000 ...",
            asking.whole(3, 8972.0)
        ),
    })
}

/// What a program waits for that sends too little: a processor, a disk, or itself. The remedy goes by that, however sure it is that it
/// is the program.
fn of_program(e: &Evidence, likely: &[Cause]) -> Vec<MissingFact> {
    // A tool that only tests waits for nothing but its file.
    let never = e.tester && e.file.is_none();
    let own = e.turns.is_none() && e.application.is_none() && e.around.one_by_one.is_none();
    let program = likely.first() == Some(&Cause::Application) && !never && own;
    let ask = |fact, would_decide: &str, command: &str| MissingFact {
        fact,
        would_decide: would_decide.to_owned(),
        command: command.to_owned(),
    };
    let cpu = ask(
        "cpu_ratio",
        "whether the program fills a processor",
        &format!(
            "on the sender, during a transfer: {}",
            processors(e.sends_on())
        ),
    );
    let disk = ask(
        "disk_busy_ratio",
        "whether the program waits for a disk",
        &match e.file {
            Some(_) => format!(
                "on the sender, during a test: {}, or nfsiostat 5 2 where it is NFS",
                disks(e.sends_on())
            ),
            None => format!("on the sender, during a transfer: {}", disks(e.sends_on())),
        },
    );
    let busy = e.around.disk_of.is_none() && shows_busy_disks(e.sends_on());
    let lacks = [(e.cpu.is_none(), cpu), (busy, disk)];
    let lacks = lacks.into_iter().filter(|(lacks, _)| program && *lacks);
    lacks.map(|(_, fact)| fact).collect()
}

/// Whether the receiving program reads, and what it waits for that does not: the remedy goes by that, however sure it is that it is the
/// program, or a window that its settings do not hold.
fn of_reader(e: &Evidence, likely: &[Cause], sure: bool) -> Vec<MissingFact> {
    let first = likely.first();
    if e.stream_window.is_some() {
        return Vec::new();
    }
    let left = e.left_small() > 0.5 && first == Some(&Cause::ReceiveWindow);
    let blamed = first == Some(&Cause::Client) || left;
    let reads = likely.contains(&Cause::Client) && !sure || blamed;
    let queue = queues(e.systems[1]).map(|command| MissingFact {
        fact: "receive_queue_bytes",
        would_decide: "whether the receiving program reads what comes: its Recv-Q".to_owned(),
        command: format!("on the receiver, during a test, several times: {command}"),
    });
    let disk = MissingFact {
        fact: "disk_busy_ratio",
        would_decide: "whether the receiving program waits for a disk".to_owned(),
        command: format!(
            "on the receiver, during a transfer: {}",
            disks(e.systems[1])
        ),
    };
    let lacks = [
        queue.filter(|_| reads && e.counted_else.is_open()),
        (blamed && !e.tester && !e.disk_receives() && shows_busy_disks(e.systems[1]))
            .then_some(disk),
    ];
    lacks.into_iter().flatten().collect()
}

/// Drops that were counted once may be of any time; and where segments are lost again and again, an interface that nobody read may drop them.
fn of_interfaces(e: &Evidence, likely: &[Cause], sure: bool) -> Option<MissingFact> {
    let lossy = likely.first().is_some_and(|c| c.is_loss());
    let (why, host, port) = match &e.nic_drops {
        Some(drops) if !drops.grew && drops.count.value > 0.0 => {
            let blamed = lossy || likely.contains(&Cause::Nic);
            let why = format!(
                "whether the {:.0} packets that an interface {} are of this flow: by how much they grow",
                drops.count.value,
                drops.did()
            );
            blamed.then_some((why, "that host", drops.interface.as_str()))?
        }
        None if lossy && e.loses_again() => {
            let why =
                "whether an interface of a host drops what is lost: by how much its counters grow";
            (why.to_owned(), "both hosts", "")
        }
        _ => return None,
    };
    let foreign = |system: &Option<System>| system.is_some_and(|s| s != System::Linux);
    let command = match (port, e.systems.iter().any(foreign)) {
        ("", true) => format!("before and after a test: {}", on_both(e.systems, counters)),
        _ => {
            let port = if port.is_empty() { "INTERFACE" } else { port };
            format!(
                "on {host}, before and after a test: ethtool -S {port} | grep -E 'drop|discard|missed|buffer'; ip -s -s link show {port}"
            )
        }
    };
    (!sure).then_some(MissingFact {
        fact: "nic_drops",
        would_decide: why,
        command,
    })
}

/// Whether a cloud holds an instance back: its interface counts that.
fn of_cloud(e: &Evidence, likely: &[Cause], sure: bool) -> Option<MissingFact> {
    let lossy = likely.first().is_some_and(|c| c.is_loss());
    // Drivers of Windows count it elsewhere.
    let counts = !e.systems.contains(&Some(System::Windows));
    (lossy && counts && !sure && e.around.cloud.is_open()).then(|| MissingFact {
        fact: "allowance_exceeded",
        would_decide: "whether the cloud drops what is beyond the instance's bandwidth or packets a second: by how much its counters grow".to_owned(),
        command: "on both hosts, before and after a test: ethtool -S INTERFACE | grep allowance"
            .to_owned(),
    })
}

/// Which links of a group are full: only their ports say it.
fn of_members(e: &Evidence, likely: &[Cause], sure: bool) -> Option<MissingFact> {
    let seen = e.around.group.as_ref().is_some_and(|group| group.is_seen());
    let may = likely.first() == Some(&Cause::Link) && e.member_at_most() < 1.0;
    (may && !seen && !sure).then(|| MissingFact {
        fact: "member_rates_bps",
        would_decide: "whether a member of a group of links is full while another has room"
            .to_owned(),
        command: "during a test, on the routers of the path: show interfaces, of each member of a bundle; of hosts with a bond: cat /proc/net/bonding/bond0"
            .to_owned(),
    })
}

/// Which member of a group of links loses, or which path, where only some of several connections lost: whatever the verdict is.
fn of_struck(e: &Evidence) -> Option<MissingFact> {
    let told = e.around.group.as_ref().is_some_and(|group| group.is_seen());
    let struck = e.struck().filter(|_| !told)?;
    let port = struck.port_to_ask();
    Some(MissingFact {
        fact: "member_errors",
        would_decide: "which member of a group of links, or which of several paths, loses packets: some connections lose, and others none"
            .to_owned(),
        command: format!(
            "before and after a test: show interfaces, of each member of a bundle; of hosts with a bond: ethtool -S of each of its ports; and the test again with --cport {port}, and with other ports"
        ),
    })
}

/// How long others wait at a queue that the log alone shows.
fn of_queue(e: &Evidence, asking: &Asking, likely: &[Cause]) -> Option<MissingFact> {
    let full = matches!(likely.first(), Some(Cause::Link | Cause::Shaper));
    let outgrown = e.outgrown().is_some() || e.saw().is_some();
    let fills = outgrown || e.window_outgrows() > 0.5;
    let known = e.rtt_loaded.is_some() || e.waits_beside().is_some();
    let asked = full && !known && fills;
    asked.then(|| MissingFact {
        fact: "rtt_loaded_ns",
        would_decide: "how long the queue that fills makes others wait".to_owned(),
        command: format!("{}, once at rest and once during a test", asking.ping(20)),
    })
}

/// What is missing of a test with datagrams: who lost them.
fn of_datagrams(
    e: &Evidence,
    asking: &Asking,
    mut all: Vec<MissingFact>,
    sure: bool,
) -> Vec<MissingFact> {
    all.retain(|m| m.fact != "rtt");
    all.extend(e.asks_ceiling(asking));
    let lost = e.idle_loss.as_ref().is_some_and(|l| l.low > 0.001);
    all.extend(e.asks_where_lost().filter(|_| !sure));
    if (lost || e.lost_of_sent().is_some()) && !sure {
        all.push(MissingFact {
            fact: "receiver_drops",
            would_decide: "whether the receiving host lost them, at a full socket or its interface, or the path"
                .to_owned(),
            command: format!("on the receiver, before and after a test: {}", datagrams(e.systems[1])),
        });
    }
    let open = e.line.is_none() || e.slower_line_of_datagrams().is_some();
    if open && !sure {
        all.push(MissingFact {
            fact: "line_bps",
            would_decide: e.above_line("whether more was sent than the line carries"),
            command: line_command(e),
        });
    }
    all
}

/// What is missing of the path: its line and its losses.
fn of_path(
    e: &Evidence,
    asking: &Asking,
    ceilings: &[Limit],
    likely: &[Cause],
    sure: bool,
) -> Vec<MissingFact> {
    let has = |cause| ceilings.iter().any(|c| c.cause == cause);
    let mut all = Vec::new();
    let mut ask = |fact, would_decide: &str, command: String| {
        all.push(MissingFact {
            fact,
            would_decide: would_decide.to_owned(),
            command,
        });
    };
    if e.line.is_none() && !sure {
        ask(
            "line_bps",
            &e.above_line("whether the line is full, or something holds the flow back"),
            line_command(e),
        );
    }
    let losses = likely.iter().any(|c| c.is_loss());
    if losses && e.retransmits.is_none() && !has(Cause::RandomLoss) && !sure {
        ask(
            "retransmits",
            "whether losses hold the rate down",
            format!(
                "{}{}, or {} before and after a test",
                asking.test("-t 30 --json"),
                asking.way(),
                segments(e.systems[0])
            ),
        );
    } else if losses && !sure {
        // They tell all that a ping of thousands does, and more.
        if e.counted_else.lacks_datagrams()
            && let Some(rates) = rates(e)
        {
            let lasts = if e.line.is_some() { 10 } else { 5 };
            let command = |bps: &f64| asking.test(&format!("-u -b {:.0}k -t {lasts}", bps / 1e3));
            let mut each: Vec<String> = rates.iter().map(command).collect();
            // Near the line they are one rate.
            each.dedup();
            let mut why = "which kind of loss it is: chance takes datagrams at any rate, a policer those above its rate, a short queue none; meanwhile it takes as much from others on the path".to_owned();
            if e.line.is_none() {
                why.push_str("; what the path carries is unknown: where it loses none, double it");
            } else if rates.iter().any(|bps| *bps > DATAGRAMS_MANY) {
                why.push_str(", so ask them first; one flow of datagrams takes one member of a group of links (LAG, ECMP), and loses what that does not carry");
            }
            ask("datagram_loss_ratio", &why, each.join("; "));
        }
        let open = e
            .idle_loss
            .as_ref()
            .is_none_or(|l| l.low == 0.0 && l.high > 0.001);
        if open {
            ask(
                "idle_loss_ratio",
                "whether packets are lost without load too",
                asking.many(),
            );
        }
    }
    all
}

/// What says how fast the line is; the example is one that carries what was measured.
pub(crate) fn line_command(e: &Evidence) -> String {
    let own = e.rate.as_ref().map_or(0.0, |r| r.value);
    let usual = ETHERNET.into_iter().find(|l| *l >= 1e9 && *l > own * 1.02);
    let example = usual.map_or("RATE".to_owned(), |bps| format!("{:.0}Gbit/s", bps / 1e9));
    format!(
        "farpath diagnose --line {example} ..., or {}",
        on_both(e.systems, speed)
    )
}

/// Rates at which datagrams would tell kinds of loss apart, bit/s: above what TCP gets, and nearly the line's, as on a long path TCP may get
/// a small part of a policer's rate. Of a line that nobody said little more is asked than it carried. One flow of datagrams takes one
/// member of a group of links, and no more than one connection may be asked of it.
fn rates(e: &Evidence) -> Option<Vec<f64>> {
    let own = e.lasting().filter(|own| *own > 0.0)?;
    // A line that nobody said is the slowest Ethernet that carries what was measured, or less.
    let usual = ETHERNET.into_iter().find(|l| *l > own * 1.02);
    let line = e.narrowest();
    let most = libm::fmin(0.88 * line.or(usual)?, DATAGRAMS_MAX);
    let more = most > 1.05 * own || line.is_some() && own < DATAGRAMS_MAX;
    let times = line.map_or(vec![1.25], |_| vec![1.6, 4.0, f64::INFINITY]);
    let all = times.into_iter().map(|times| (times * own).min(most));
    (more && e.around.group.is_none()).then(|| all.collect())
}

/// More datagrams than this, bit/s, hardly a host sends from one program, and no path is to be asked to carry them for a test.
const DATAGRAMS_MAX: f64 = 5e9;

/// From this rate on it is said what datagrams cost others, bit/s.
const DATAGRAMS_MANY: f64 = 1e9;

/// Rates of Ethernet, bit/s (IEEE 802.3).
const ETHERNET: [f64; 7] = [10e6, 100e6, 1e9, 10e9, 25e9, 40e9, 100e9];

/// The command that prints a host's buffers.
pub(crate) fn settings(system: Option<System>, receive: bool) -> String {
    let word = |r: &str, s: &str| if receive { r.to_owned() } else { s.to_owned() };
    match system {
        Some(System::Linux) => word(
            "sysctl net.ipv4.tcp_rmem net.core.rmem_max",
            "sysctl net.ipv4.tcp_wmem net.core.wmem_max",
        ),
        Some(System::FreeBsd) => word(
            "sysctl net.inet.tcp.recvspace net.inet.tcp.recvbuf_auto net.inet.tcp.recvbuf_max",
            "sysctl net.inet.tcp.sendspace net.inet.tcp.sendbuf_auto net.inet.tcp.sendbuf_max",
        ),
        Some(System::MacOs) => word(
            "sysctl net.inet.tcp.recvspace net.inet.tcp.autorcvbufmax",
            "sysctl net.inet.tcp.sendspace net.inet.tcp.autosndbufmax",
        ),
        Some(System::OpenBsd | System::NetBsd | System::Bsd) => word(
            "sysctl net.inet.tcp.recvspace",
            "sysctl net.inet.tcp.sendspace",
        ),
        Some(System::Windows) => word(
            "netsh interface tcp show global",
            "netsh winsock show autotuning",
        ),
        Some(System::Solaris) => word("ndd /dev/tcp tcp_recv_hiwat", "ndd /dev/tcp tcp_xmit_hiwat"),
        None => word(
            "sysctl -a | grep -E 'tcp_rmem|rmem_max|recvspace|recvbuf'",
            "sysctl -a | grep -E 'tcp_wmem|wmem_max|sendspace|sendbuf'",
        ),
    }
}
