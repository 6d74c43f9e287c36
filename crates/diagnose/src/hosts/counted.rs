//! What counters of the hosts and other tests between them add to the evidence on a flow.

use crate::cause::Cause;
use crate::ceiling::Limit;
use crate::evidence::Evidence;
use crate::fact::{Fact, Figure, Of};
use crate::flows::alternating::Alternating;
use crate::flows::filed::file_of;
use crate::flows::flow::{Flow, number};
use crate::flows::other_test::OtherTest;
use crate::hosts::machine::FULL;
use crate::hosts::overrun::Overrun;
use crate::hosts::tally::HOSTS_MAX;
use crate::items::{Item, LOSSES, of, step};
use crate::known::SEGMENT;
use crate::lines::burst::AFTER_BURST;
use crate::losses::unlike_control::UnlikeControl;
use crate::programs::follow::TESTERS;
use crate::programs::requests::Requests;
use crate::programs::unasked_rate::USUAL;
use crate::read::Facts;
use crate::seen::{ASKED, Row, Side, Test};
use crate::windows::unread::Unread;

/// What was counted beside the flow itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counted {
    /// What the receiving program had not read.
    unread: Option<Unread>,
    /// How often the receiver closed its window.
    closed: Option<Figure>,
    /// What the receiver's kernel did as its socket was full.
    overrun: Overrun,
    /// Datagrams that a host dropped at a full socket, and whether that is what its count grew by.
    datagrams: Option<(Figure, bool)>,
    /// Of tests with more connections side by side: how many times the connections, how many times the rate.
    pub(crate) wider: Option<(f64, f64)>,
    /// Whether that test sent nothing again.
    pub(crate) wider_clean: bool,
    /// The highest rate of another test or copy between the same ends.
    pub(crate) most: Option<Figure>,
    /// Of a program that does not only test: the fastest test with no more connections, and how many times as fast it was.
    pub(crate) faster: Option<(&'static str, Figure, f64)>,
    /// Of a tool that only tests: another test that was faster.
    pub(crate) once: Option<OtherTest>,
    /// Whether that test sent nothing again.
    clean: bool,
    /// Of a program that does not only test: the fastest test with no more connections that asked for no buffer, which settings of the
    /// hosts let through.
    pub(crate) tested: Option<Figure>,
    /// What a connection of another test got whose hosts gave it its windows and buffers, and its tool.
    pub(crate) roomy: Option<(&'static str, Figure)>,
    /// Tests of one command that were fast and slow by turns, this one slow.
    pub(crate) alternating: Option<Alternating>,
    /// What a test with BBR got beside one with another control.
    pub(crate) unlike: Option<UnlikeControl>,
    /// Of a test with datagrams: the rate of TCP between the same hosts, where it lost segments.
    lossy: Option<Figure>,
    /// Of tests with datagrams: the rate that was sent, the share that was lost, and the rate that passed.
    datagram_tests: Vec<[Figure; 3]>,
}

impl Counted {
    /// Whether the receiver's kernel dropped segments at a full socket.
    pub(crate) fn overran(&self) -> bool {
        self.overrun.dropped_any()
    }

    /// Whether a count that was read once alone says that it did.
    pub(crate) fn overran_once(&self) -> bool {
        self.overrun.dropped_once()
    }

    /// Whether a count that was read once alone says that a host dropped datagrams.
    pub(crate) fn datagrams_once(&self) -> bool {
        self.datagrams.as_ref().is_some_and(|(_, grew)| !grew)
    }

    /// What the receiving program had not read.
    pub(crate) fn unread(&self) -> Option<&Unread> {
        self.unread.as_ref()
    }

    /// Whether nothing says if the receiving program reads.
    pub(crate) fn is_open(&self) -> bool {
        self.unread.is_none() && self.closed.is_none()
    }

    /// The rate that a faster test got between the same hosts, for people.
    pub(crate) fn faster_rate(&self) -> Option<String> {
        let (_, rate, _) = self.faster.as_ref()?;
        Some(crate::ceiling::bps(rate.value))
    }

    /// Whether a host dropped datagrams at a full socket buffer, as a tunnel's that the flow goes through.
    pub(crate) fn overflows(&self) -> bool {
        let dropped = self.datagrams.as_ref();
        dropped.is_some_and(|(datagrams, _)| datagrams.value >= 10.0)
    }

    /// Whether TCP between the same hosts lost segments, beside a test with datagrams.
    pub(crate) fn tcp_loses(&self) -> bool {
        self.lossy.is_some()
    }

    /// Whether no test with datagrams stands beside the flow.
    pub(crate) fn lacks_datagrams(&self) -> bool {
        self.datagram_tests.is_empty()
    }

    /// Of other tests with datagrams: the rate that was sent, the share that was lost, and the rate that passed.
    pub(crate) fn datagrams_beside(&self) -> &[[Figure; 3]] {
        &self.datagram_tests
    }

    /// The most that passed of datagrams that came faster than this, and of which many were lost, bit/s: what lets more through on one
    /// test does not hold it to less on another.
    pub(crate) fn passed(&self, above: f64) -> Option<Figure> {
        let lossy = |[rate, lost, _]: &&[Figure; 3]| lost.low > 0.03 && rate.value > above;
        let each = self.datagram_tests.iter().filter(lossy);
        let passed = each.map(|[_, _, passed]| passed.clone());
        passed.max_by(|a, b| a.value.total_cmp(&b.value))
    }
}

impl Evidence {
    /// What the hosts' counters grew by, and what stood in the receiver's socket.
    pub(crate) fn of_counters(&mut self, facts: &Facts, flow: &Flow) {
        self.counted_else.unread = Unread::of(facts, &flow.far_sockets);
        let test = flow.test.as_ref();
        let zero = test.and_then(|t| t.numbers.get("zero_windows"));
        self.counted_else.closed = zero
            .filter(|z| z.value > 0.0)
            .cloned()
            .or_else(|| growth(facts, &flow.receivers, "host_zero_windows"));
        self.counted_else.overrun = Overrun::of(facts, &flow.receivers);
        self.counted_else.datagrams = [&flow.receivers, &flow.senders]
            .into_iter()
            .filter_map(|end| dropped_datagrams(facts, end))
            .max_by(|a, b| a.0.value.total_cmp(&b.0.value))
            .filter(|(dropped, _)| dropped.value > 0.0);
        if self.retransmits.is_none() && !self.udp {
            self.retransmits = growth(facts, &flow.senders, "host_retransmits");
            self.again = self.retransmits.clone().and_then(|r| self.share_of(&r));
        }
        let counted = || crate::losses::duplicates::by_counters(facts, flow);
        self.duplicates = self.duplicates.take().or_else(counted);
        // How often the sender's kernel saw segments overtake each other.
        let name = "host_reordered";
        let grew = growth(facts, &flow.senders, name);
        let overtaken = || grew.or_else(|| crate::losses::duplicates::of_test(facts, flow, name));
        self.reordered = self.reordered.take().or_else(overtaken);
        self.of_reassembly(facts, flow);
        self.of_reverse_path(facts);
    }

    /// What other tests between the same hosts gave.
    pub(crate) fn of_other_tests(&mut self, facts: &Facts, flow: &Flow) {
        self.of_other_version(facts, flow);
        let own = (self.rate.as_ref(), self.streams);
        self.counted_else.most = crate::flows::carried_beside::fastest(flow, 0.0).cloned();
        for test in &flow.beside {
            let Some((rate, _)) = test.goodput() else {
                continue;
            };
            if test.udp {
                // What was lost while a link was down tells no kinds of loss apart.
                let down = test.recorded.as_ref().is_some_and(|r| r.down);
                let told = sent_and_lost(test).filter(|_| !down);
                self.counted_else.datagram_tests.extend(told);
                continue;
            }
            let (Some(mine), streams) = own else { continue };
            if self.udp && loses(test) {
                // The burst that a full bucket lets through is not what the path carries on.
                let lasting = test.numbers.get(AFTER_BURST);
                self.counted_else.lossy = Some(lasting.unwrap_or(rate).clone());
            }
            // What sent a file was held by what holds that: it shows nothing of the path.
            let tests = TESTERS.contains(&test.tool) && file_of(facts, test).is_none();
            let own_file = !self.tester || self.file.is_some();
            let more = f64::from(test.streams) / streams;
            let times = rate.value / mine.value;
            if self.udp || mine.value <= 0.0 {
                continue;
            }
            let before = self.counted_else.tested.as_ref().map_or(0.0, |t| t.value);
            if more <= 1.0 && tests && own_file && rate.value > before && !asks(facts, test) {
                self.counted_else.tested = Some(rate.clone());
            }
            if more <= 1.0 && tests && !own_file {
                let once = &mut self.counted_else.once;
                *once = OtherTest::faster(once.take(), test.tool, (rate, times));
            }
            let known = self.counted_else.faster.as_ref().map_or(1.0, |f| f.2);
            // A mount that is slower for itself does not share what limits a test.
            let itself = self.tester && times < 1.0 && Requests::of(test).is_some();
            if more > 1.0 && test.tool != "ss" && !itself {
                self.counted_else.wider = Some((more, times));
                self.counted_else.wider_clean = is_lossless(test);
            } else if more <= 1.0 && tests && own_file && times > known {
                self.counted_else.faster = Some((test.tool, rate.clone(), times));
                self.counted_else.clean = is_lossless(test);
            }
        }
        self.counted_else.roomy = crate::flows::roomy::roomiest(facts, flow);
        self.counted_else.alternating = Alternating::of(facts, flow);
        self.counted_else.unlike = UnlikeControl::of(self, (facts, flow));
        self.refute_rooms();
    }

    /// Datagrams that nobody lost, sent as fast as was asked: no more was to be expected. Of a rate that is known to have been asked
    /// for, or expected, nine tenths count. A sender whose processor is full may have been asked for more.
    pub(crate) fn is_as_asked(&self) -> bool {
        let all = self.udp && self.idle_loss.as_ref().is_some_and(|l| l.value < 0.005);
        let sends = |(side, _): &(Option<Side>, String)| *side != Some(Side::Receiver);
        let full = self.cpu.as_ref().is_some_and(|c| c.value >= FULL[1]);
        let busy = full && self.cpu_of.as_ref().is_none_or(sends);
        let all = all && !busy && self.lost_of_sent().is_none();
        let Some(rate) = self.rate.as_ref().filter(|_| all) else {
            return false;
        };
        let line = self.line.as_ref().map(|(line, _)| line);
        let full = line.is_some_and(|l| rate.value > 0.85 * l.value);
        let less = |asked: &Figure| rate.value < 0.9 * asked.value;
        !full
            && !self.application.as_ref().is_some_and(less)
            && !self.target.as_ref().is_some_and(less)
    }

    /// In how many episodes losses came, at most as many as there were losses; none where nothing counts them. Intervals with losses
    /// that follow on one another are one, where most intervals have none.
    pub(crate) fn loss_episodes(&self) -> Option<f64> {
        let all = self.retransmits.as_ref()?.value;
        let lossy = |r: &Row| r.retransmits.is_some_and(|n| n > 0.0);
        let rows = &self.counted;
        if 2 * rows.iter().filter(|r| lossy(r)).count() > rows.len() || rows.len() < 4 {
            return Some(all);
        }
        let starts = rows
            .windows(2)
            .filter(|two| !lossy(&two[0]) && lossy(&two[1]));
        let runs = starts.count() + usize::from(rows.first().is_some_and(lossy));
        Some(all.min(runs as f64))
    }

    /// Bytes in flight that rate and round trip imply; none where only the round trip at rest is known of transfers that waited.
    pub(crate) fn implied_flight(&self) -> Option<Figure> {
        if self.waits_both_ways().is_some() {
            return None;
        }
        let (rate, rtt) = (self.rate.as_ref()?, self.rtt.as_ref()?);
        let mut flight = rate.with(rtt);
        flight.value = rate.value * rtt.value / 8.0 / self.streams;
        flight.low = rate.low * rtt.low / 8.0 / self.streams;
        flight.high = rate.high * rtt.high / 8.0 / self.streams;
        Some(flight)
    }

    /// Bytes in flight that this rate and the round trip imply.
    pub(crate) fn settled_flight(&self) -> Option<Figure> {
        let (mean, settled) = (self.rate.as_ref()?.value, self.settled()?.value);
        let grown = if mean > 0.0 { settled / mean } else { 1.0 };
        Some(self.implied_flight()?.times(grown))
    }
}

/// Whether a test asked for a buffer of its own, by its report or the options that stand in the texts.
pub(crate) fn asks(facts: &Facts, test: &Test) -> bool {
    let option = |of| number(facts, of, "window_requested_bytes").is_some();
    ASKED.iter().any(|name| test.numbers.contains_key(name))
        || option(Of::Sender)
        || option(Of::Receiver)
}

/// Whether a test says that it sent nothing again.
fn is_lossless(test: &Test) -> bool {
    let again = test.numbers.get("retransmits");
    again.is_some_and(|again| again.value == 0.0)
}

/// Whether a test sent more than a thousandth of its segments again.
fn loses(test: &Test) -> bool {
    let report = test.received.as_ref().or(test.sent.as_ref());
    let bytes = report.and_then(|r| r.bytes.as_ref());
    let again = test.numbers.get("retransmits");
    again
        .zip(bytes)
        .is_some_and(|(again, bytes)| again.value * SEGMENT > 1e-3 * bytes.value)
}

/// The rate at which datagrams were sent, the share that was lost, and the rate that passed: the receiver's, where it reported.
fn sent_and_lost(test: &Test) -> Option<[Figure; 3]> {
    let (lost, all) = (
        test.numbers.get("datagrams_lost")?,
        test.numbers.get("datagrams")?,
    );
    if all.value < DATAGRAMS_LEAST {
        return None;
    }
    let mut share = lost.over(all);
    let spread = 2.0 * (lost.value + 1.0).sqrt() / all.value;
    // None of n lost says that fewer than 3/n are, 19 times of 20.
    let spread = spread.max(3.0 / all.value);
    (share.low, share.high) = ((share.value - spread).max(0.0), share.value + spread);
    let rate = match (&test.sent, &test.received) {
        (Some(sent), _) => sent.goodput.clone(),
        (None, Some(received)) => received.goodput.times(1.0 / (1.0 - share.value).max(0.01)),
        (None, None) => return None,
    };
    let arrived = test.received.as_ref().map(|r| r.goodput.clone());
    let passed = arrived.unwrap_or_else(|| rate.times(1.0 - share.value));
    Some([rate, share, passed])
}

/// Fewer datagrams than this say nothing of a share.
const DATAGRAMS_LEAST: f64 = 100.0;

/// By how much a counter of some hosts grew from the first of their texts to the last; none of one text alone.
pub(crate) fn growth(facts: &Facts, hosts: &[u32], name: &'static str) -> Option<Figure> {
    if hosts.len() > HOSTS_MAX {
        return None;
    }
    let said = facts
        .facts
        .iter()
        .filter(|f| f.name == name && matches!(f.of, Of::Host(host) if hosts.contains(&host)));
    let mut numbers = said.filter_map(Fact::number);
    let first = numbers.next()?;
    let last = numbers.next_back()?;
    let mut by = last.with(first);
    by.value = last.value - first.value;
    (by.low, by.high) = (by.value, by.value);
    (by.value >= 0.0).then_some(by)
}

/// Datagrams that hosts dropped at a full socket: by how much the count grew, or what it stood at where it was read once, and which of both.
fn dropped_datagrams(facts: &Facts, hosts: &[u32]) -> Option<(Figure, bool)> {
    let of = |name: &'static str| {
        let once = || {
            let each = hosts
                .iter()
                .filter_map(|h| number(facts, Of::Host(*h), name));
            each.max_by(|a, b| a.value.total_cmp(&b.value)).cloned()
        };
        let grew = growth(facts, hosts, name).map(|by| (by, true));
        grew.or_else(|| Some((once()?, false)))
    };
    of("host_datagrams_dropped").or_else(|| of("host_datagram_errors"))
}

/// What speaks against a cause of datagrams that only connections have, decibans.
pub(crate) const UNCONNECTED: f64 = -40.0;

/// What only connections have.
const CONNECTED: [Cause; 8] = [
    Cause::ReceiveWindow,
    Cause::NoWindowScaling,
    Cause::SendBuffer,
    Cause::Ramp,
    Cause::RandomLoss,
    Cause::ShallowBuffer,
    Cause::MtuBlackHole,
    Cause::Reordering,
];

/// A smaller share of datagrams than this is lost now and then by any path: as where an item on them begins to count.
const UNLOST_MOST: f64 = 0.0005;

/// What is said where all datagrams arrived, and besides where as many were sent as was asked for.
const UNLOST: &str = "next to none of the datagrams were lost: as much arrived as was sent";
const WELL: &str = ", and nothing is wrong on this way at this rate. More than that, the other way and TCP are not tested by it";

/// Datagrams wait for nobody: what arrives is what was sent, less what was lost.
pub(crate) fn of_datagrams(e: &Evidence, items: &mut Vec<Item>) {
    if !e.udp {
        return;
    }
    items.push(Item {
        holds: 1.0,
        weights: of(&CONNECTED, UNCONNECTED),
        sentence: String::new(),
    });
    let Some(lost) = &e.idle_loss else { return };
    items.push(Item {
        holds: step(lost.value, 0.002, 0.02),
        weights: vec![
            (Cause::Application, -20.0),
            (Cause::Client, 12.0),
            (Cause::Nic, 10.0),
            (Cause::Policer, 6.0),
            (Cause::CongestionLoss, 4.0),
        ],
        sentence: format!("{:.1} % of the datagrams were lost", 100.0 * lost.value),
    });
    let named = match e.is_as_asked() {
        true => (Cause::None, 45.0),
        false => (Cause::Application, 6.0),
    };
    let well = named.0 == Cause::None && lost.value < UNLOST_MOST;
    let usual = if e.has_unasked_rate() { USUAL } else { "" };
    items.push(Item {
        holds: match e.lost_of_sent() {
            Some(_) => 0.0,
            None => 1.0 - step(lost.value, 0.0005, 0.005),
        },
        weights: [of(&LOSSES, -16.0), vec![named]].concat(),
        sentence: match well {
            true => format!("{UNLOST}{WELL}{usual}"),
            false => UNLOST.to_owned(),
        },
    });
    passed(e, lost, items);
    crate::losses::datagrams::by_ceiling(e, items);
    crate::losses::lost_alike::by_pings(e, lost, items);
    crate::losses::lost_datagrams::by_lost(e, items);
    crate::hosts::reassembly::by_reassembly(e, items);
    crate::lines::usual_datagrams::by_usual_line(e, items);
}

/// Less arrives than was sent, and TCP between the same hosts gets no more than that and loses, too, or fewer datagrams lost none:
/// it is the path that lets so much through, and not the receiving host.
fn passed(e: &Evidence, lost: &Figure, items: &mut Vec<Item>) {
    let Some(rate) = &e.rate else { return };
    let counted = &e.counted_else;
    let held = |tcp: &&Figure| tcp.value > 0.3 * rate.value && tcp.value < 1.05 * rate.value;
    // What let others through at a higher rate lets more through.
    let more = |[_, _, passed]: &[Figure; 3]| passed.low > 1.1 * rate.value;
    if counted.datagram_tests.iter().any(more) {
        return;
    }
    let line = e.line.as_ref().map_or(f64::INFINITY, |(l, _)| l.value);
    let Some(tcp) = counted.lossy.as_ref().filter(held) else {
        return;
    };
    let under_line = 1.0 - step(rate.value / line, 0.8, 0.93);
    items.push(Item {
        holds: step(lost.value, 0.005, 0.03) * under_line,
        weights: vec![
            (Cause::Policer, 18.0),
            (Cause::Shaper, 6.0),
            (Cause::Client, -14.0),
            (Cause::Nic, -10.0),
            (Cause::CongestionLoss, -8.0),
        ],
        sentence: format!(
            "TCP between the same hosts got {} and lost segments, too: the path lets no more than {} through",
            crate::ceiling::bps(tcp.value),
            crate::ceiling::bps(rate.value)
        ),
    });
}

/// What was counted speaks of the receiving program, and of sockets that were full.
pub(crate) fn by_counters(e: &Evidence, items: &mut Vec<Item>) {
    let counted = &e.counted_else;
    if let Some(unread) = &counted.unread {
        crate::windows::unread::by_unread(e, unread, items);
    }
    if let Some(closed) = &counted.closed {
        items.push(Item {
            holds: step(closed.value, 0.5, 3.0),
            weights: reader(e, 22.0),
            sentence: format!(
                "the receiver closed its window {:.0} times: its program did not read what had come",
                closed.value
            ),
        });
    }
    counted.overrun.items(e, items);
    crate::hosts::reverse_path::by_reverse_path(e, items);
    crate::windows::route_metrics::by_route(e, items);
    let otherwise = |_: &&(Figure, bool)| e.around.overfull.is_none();
    if let Some((datagrams, grew)) = counted.datagrams.as_ref().filter(otherwise) {
        let weights = match e.udp {
            true => vec![(Cause::Client, 24.0)],
            // A tunnel's, if the path has one.
            false => vec![(Cause::ShallowBuffer, 10.0)],
        };
        items.push(Item {
            holds: step(datagrams.value, 10.0, 200.0),
            weights,
            sentence: format!(
                "a host dropped {:.0} datagrams at a full socket buffer{}{}",
                datagrams.value,
                if *grew { "" } else { " since it was started" },
                match e.udp {
                    true => "",
                    false => ", a tunnel's if the path has one",
                }
            ),
        });
    }
}

/// For the receiving program, or the disk it waits for, and against a window that is too small for the path.
pub(crate) fn reader(e: &Evidence, weight: f64) -> Vec<(Cause, f64)> {
    let windows = [Cause::ReceiveWindow, Cause::NoWindowScaling];
    let not = of(&windows, -16.0).into_iter();
    let disk = e.disk_receives().then_some((Cause::Disk, weight));
    not.chain([(Cause::Client, weight)]).chain(disk).collect()
}

/// What each connection has for itself, and what connections share. Pacing is of a connection (`SO_MAX_PACING_RATE`, `fq maxrate`), and may be
/// that of all alike.
const APART: [Cause; 4] = [
    Cause::ReceiveWindow,
    Cause::SendBuffer,
    Cause::NoWindowScaling,
    Cause::RandomLoss,
];
const SHARED: [Cause; 5] = [
    Cause::Link,
    Cause::Shaper,
    Cause::Policer,
    Cause::Nic,
    Cause::Disk,
];

/// What the path does to every connection between two hosts.
const OF_PATH: [Cause; 11] = [
    Cause::Link,
    Cause::CrossTraffic,
    Cause::Shaper,
    Cause::Policer,
    Cause::RandomLoss,
    Cause::CongestionLoss,
    Cause::ShallowBuffer,
    Cause::Reordering,
    Cause::MtuBlackHole,
    Cause::Duplex,
    Cause::Nic,
];

/// What other tests between the same hosts say of this one.
pub(crate) fn by_other_tests(e: &Evidence, ceilings: &[Limit], items: &mut Vec<Item>) {
    if let Some((streams, rates)) = e.counted_else.wider {
        let sentence =
            format!("{streams:.0} times the connections carried {rates:.1} times as much");
        items.push(Item {
            holds: step(rates, 1.2, 1.6),
            weights: of(&SHARED, -14.0)
                .into_iter()
                .chain(of(&APART, 6.0))
                .collect(),
            sentence: format!("{sentence}: each has a limit of its own, as a window, losses, pacing, or a rate that a server gives each"),
        });
        items.push(Item {
            holds: 1.0 - step(rates, 1.05, 1.2),
            weights: of(&SHARED, 8.0)
                .into_iter()
                .chain(of(&APART, -12.0))
                .collect(),
            sentence: format!("{sentence}: they share what limits them"),
        });
    }
    if let Some((tool, rate, times)) = &e.counted_else.faster {
        let own = [
            (Cause::Application, 6.0),
            (Cause::Disk, 4.0),
            (Cause::HostCpu, 4.0),
        ];
        // What begins anew after each pause goes no faster on a path that carries more.
        let anew = e.restart.is_some().then_some((Cause::Ramp, 6.0));
        let own = own.into_iter().chain(anew);
        items.push(Item {
            holds: step(*times, 1.3, 2.5),
            weights: of(&OF_PATH, -14.0).into_iter().chain(own).collect(),
            sentence: format!(
                "{tool} between the same hosts got {}, {times:.1} times as much: the path carries that, and this {}",
                crate::ceiling::bps(rate.value),
                match &e.file {
                    Some(file) => format!("test sent a file, {file}"),
                    None if e.restart.is_some() => "connection begins anew with less".to_owned(),
                    None => "program sends less".to_owned(),
                }
            ),
        });
    }
    crate::lines::each_connection::by_each(e, ceilings, items);
    crate::lines::filled_beside::by_filled(e, items);
    crate::flows::other_version::by_other_version(e, items);
    crate::losses::unlike_control::by_unlike_control(e, items);
    crate::flows::roomy::by_room_of_others(e, items);
    if e.counted_else.clean {
        items.push(Item {
            holds: 1.0,
            weights: of(&LOSSES, -14.0),
            sentence: String::new(),
        });
    }
    for test in &e.counted_else.datagram_tests {
        crate::losses::datagrams::by_datagrams(e, ceilings, test, items);
    }
}
