//! The metrics that exist: name, what they are of, how those of streams are taken together, their words.
//!
//! One registry for every origin. What an expectation may name, the tables of `docs/reference/record.md` and the page's
//! labels are made from it. The unit of a metric is the end of its name ([`Unit::of`]).

/// What a metric may be of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// A test of kind `ping`.
    Ping,
    /// A test of kind `tcp`.
    Tcp,
    /// A test of kind `transfer`.
    Transfer,
    /// A test of kind `request`.
    Request,
    /// A test of kind `flows`.
    Flows,
    /// A test of kind `udp`.
    Udp,
    /// A test of kind `cells`.
    Cells,
    /// A test of kind `oneway`.
    OneWay,
    /// A test of kind `bandwidth`.
    Bandwidth,
    /// A search.
    Search,
    /// One direction of a link.
    Link,
    /// One class's queue of a link.
    Queue,
    /// One policer of a link.
    Policer,
}

use Subject::{
    Bandwidth, Cells, Flows, Link, OneWay, Ping, Policer, Queue, Request, Search, Tcp, Transfer,
    Udp,
};

impl Subject {
    /// Kinds of tests, what scenarios and records call them, and what they do. The last is one of records alone.
    #[rustfmt::skip]
    pub const TESTS: [(Subject, &'static str, &'static str); 9] = [
        (Ping, "ping", "echo requests at an `interval`, answered by every node itself"),
        (Tcp, "tcp", "connections that write as fast as they may, for `duration` or until `bytes` are delivered"),
        (Transfer, "transfer", "files from disk to disk, each asked for over one connection and sent over another"),
        (Request, "request", "blocks, asked for one by one over one connection and answered over another"),
        (Flows, "flows", "connections that come and go, each of a size of its own"),
        (Udp, "udp", "a stream of datagrams"),
        (Cells, "cells", "a tester's stream of single ATM cells"),
        (OneWay, "oneway", "datagrams at an `interval`, and how long each takes one way (RFC 7679)"),
        (Bandwidth, "bandwidth", "the capacity of a path and what is left of it"),
    ];

    /// The kind of test of that name.
    pub fn of_test(kind: &str) -> Option<Subject> {
        let found = Subject::TESTS.iter().find(|test| test.1 == kind);
        found.map(|test| test.0)
    }

    /// What a kind of test is called; a search by its own name.
    pub fn name(self) -> &'static str {
        let found = Subject::TESTS.iter().find(|test| test.0 == self);
        found.map_or("search", |test| test.1)
    }
}

/// How a test's metric comes of those of its streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merge {
    /// Their sum; absent where one of them is.
    Sum,
    /// The largest of those that are there.
    Largest,
    /// The smallest of those that are there.
    Smallest,
    /// The mean of those that are there.
    Mean,
    /// No stream has it.
    Never,
}

/// The unit a metric's name ends in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// `_bps`: bit/s.
    Bps,
    /// `_ns`: nanoseconds.
    Ns,
    /// `_s`: seconds.
    S,
    /// `bytes`.
    Bytes,
    /// `_ratio`: 0 to 1.
    Ratio,
    /// No unit: a count or an index.
    Count,
}

impl Unit {
    /// The unit of a metric, alone or at the end of a path.
    pub fn of(path: &str) -> Unit {
        let last = path.rsplit('.').next().unwrap_or(path);
        match last {
            "bytes" => Unit::Bytes,
            _ if last.ends_with("_bps") => Unit::Bps,
            _ if last.ends_with("_ns") => Unit::Ns,
            _ if last.ends_with("_s") => Unit::S,
            _ if last.ends_with("_bytes") => Unit::Bytes,
            _ if last.ends_with("_ratio") => Unit::Ratio,
            _ => Unit::Count,
        }
    }
}

/// A metric.
#[derive(Clone, Copy, Debug)]
pub struct Metric {
    /// Its name; the unit is last.
    pub name: &'static str,
    /// What may have it.
    pub of: &'static [Subject],
    /// How streams are taken together.
    pub merge: Merge,
    /// What tables and pages call it, without its unit.
    pub label: &'static str,
    /// What it is, in one phrase; the same for every origin.
    pub is: &'static str,
}

/// Tests that have connections.
const CONNECTED: &[Subject] = &[Tcp, Transfer, Request];
/// Tests that ask and are answered.
const ASKED: &[Subject] = &[Transfer, Request];

const fn metric(
    name: &'static str,
    of: &'static [Subject],
    merge: Merge,
    label: &'static str,
    is: &'static str,
) -> Metric {
    Metric {
        name,
        of,
        merge,
        label,
        is,
    }
}

/// Every metric of a test or a search, in the order in which a page shows them.
#[rustfmt::skip]
pub const METRICS: &[Metric] = {
    use Merge::{Largest, Mean, Never, Smallest, Sum};
    &[
    metric("highest_bps", &[Search], Never, "highest that holds", "the highest rate at which the search's bound holds"),
    metric("lowest_failing_bps", &[Search], Never, "lowest that fails", "the lowest rate found at which it does not"),
    metric("highest_bytes", &[Search], Never, "highest that holds", "the largest size at which the search's bound holds"),
    metric("lowest_failing_bytes", &[Search], Never, "lowest that fails", "the smallest size found at which it does not"),
    metric("highest_s", &[Search], Never, "highest that holds", "the longest time at which the search's bound holds"),
    metric("lowest_failing_s", &[Search], Never, "lowest that fails", "the shortest time found at which it does not"),
    metric("highest_packets", &[Search], Never, "highest that holds", "the largest number of packets at which the search's bound holds"),
    metric("lowest_failing_packets", &[Search], Never, "lowest that fails", "the smallest number of packets found at which it does not"),
    metric("highest_bdp", &[Search], Never, "highest that holds", "the largest queue in bandwidth-delay products at which the search's bound holds"),
    metric("lowest_failing_bdp", &[Search], Never, "lowest that fails", "the smallest one found at which it does not"),
    metric("highest_ratio", &[Search], Never, "highest that holds", "the highest ratio at which the search's bound holds"),
    metric("lowest_failing_ratio", &[Search], Never, "lowest that fails", "the lowest ratio found at which it does not"),
    metric("lowest_bps", &[Search], Never, "lowest that holds", "of a search with `find = \"lowest\"` the lowest rate at which its bound holds"),
    metric("highest_failing_bps", &[Search], Never, "highest that fails", "the highest rate found at which it does not"),
    metric("lowest_bytes", &[Search], Never, "lowest that holds", "of a search with `find = \"lowest\"` the smallest size at which its bound holds"),
    metric("highest_failing_bytes", &[Search], Never, "highest that fails", "the largest size found at which it does not"),
    metric("lowest_s", &[Search], Never, "lowest that holds", "of a search with `find = \"lowest\"` the shortest time at which its bound holds"),
    metric("highest_failing_s", &[Search], Never, "highest that fails", "the longest time found at which it does not"),
    metric("lowest_packets", &[Search], Never, "lowest that holds", "of a search with `find = \"lowest\"` the smallest number of packets at which its bound holds"),
    metric("highest_failing_packets", &[Search], Never, "highest that fails", "the largest number of packets found at which it does not"),
    metric("lowest_bdp", &[Search], Never, "lowest that holds", "of a search with `find = \"lowest\"` the smallest queue in bandwidth-delay products at which its bound holds"),
    metric("highest_failing_bdp", &[Search], Never, "highest that fails", "the largest one found at which it does not"),
    metric("lowest_ratio", &[Search], Never, "lowest that holds", "of a search with `find = \"lowest\"` the lowest ratio at which its bound holds"),
    metric("highest_failing_ratio", &[Search], Never, "highest that fails", "the highest ratio found at which it does not"),
    metric("goodput_bps", &[Tcp, Transfer, Request, Flows, Udp], Sum, "goodput",
        "payload delivered to the receiving application in [start + omit, start + omit + duration), over duration, or over the time to the last byte where there is none, of several connections from the first SYN to the last byte of all; the start includes the handshake. What came before and waited behind a hole counts: where that is more than the path carries, a note says so"),
    metric("sent_bps", &[Udp], Never, "sent rate", "payload sent in the measurement, over duration"),
    metric("recovery_s", CONNECTED, Largest, "recovery",
        "from the last cut of the window until it is as large as it was, or until the sending host has been the limit for a whole window of data; a cut during the repair of another, in the slow start after it, or, of simulations, for what was sent before it, is part of the other. Absent where the test ends before that, where the loss is seen after the last byte was sent, and of BBR, which no loss cuts"),
    metric("rtt_min_ns", &[Ping, Tcp, Transfer, Request], Smallest, "RTT, min", "smallest round-trip time: of the echoes, or of the sender's samples in the whole test, what `omit` leaves out too. A kernel's is in whole microseconds, and up to one too small. Where segments were lost Linux may have measured by TCP timestamps alone, which count milliseconds: then it is up to 1 ms too small"),
    metric("rtt_avg_ns", &[Ping, Tcp, Transfer, Request], Mean, "RTT, mean",
        "mean round-trip time, likewise. A simulated sender has one for each acknowledgement that comes, from the oldest segment that it is of, and of one that measures nothing the last one again: `trace` has fewer. Of kernels and iperf3 the mean of the smoothed ones (RFC 6298 §2)"),
    metric("rtt_max_ns", &[Ping, Tcp, Transfer, Request], Largest, "RTT, max",
        "largest round-trip time, likewise; a kernel's smoothed ones give a lower bound, and `uncertainty` says so. Less the smallest it is not the queue alone: an acknowledgement that waits for a second segment adds up to the `delayed_ack_timeout`, and `delayed_ack = 1` nothing"),
    metric("rtt_p50_ns", &[Ping], Never, "RTT, p50", "median round-trip time of the echoes"),
    metric("rtt_p99_ns", &[Ping], Never, "RTT, p99", "99th percentile of the round-trip times of the echoes, of fewer than 100 the largest"),
    metric("hop_rtt_min_ns", &[Ping], Never, "RTT to the hop, min", "smallest time until a node at which the TTL of a request ran out had answered (ICMP time exceeded): such a request counts as lost. Of simulations and forecasts"),
    metric("hop_rtt_avg_ns", &[Ping], Never, "RTT to the hop, mean", "mean of these times"),
    metric("hop_rtt_max_ns", &[Ping], Never, "RTT to the hop, max", "largest of them"),
    metric("delay_min_ns", &[OneWay], Never, "one-way delay, min", "shortest time from the sending of a datagram to its arrival"),
    metric("delay_avg_ns", &[OneWay], Never, "one-way delay, mean", "mean of these times"),
    metric("delay_max_ns", &[OneWay], Never, "one-way delay, max", "longest of them"),
    metric("delay_p50_ns", &[OneWay], Never, "one-way delay, p50", "their median"),
    metric("delay_p99_ns", &[OneWay], Never, "one-way delay, p99", "their 99th percentile, of fewer than 100 the largest"),
    metric("sent", &[Ping, Udp, OneWay], Never, "sent", "echo requests sent; datagrams sent in the measurement"),
    metric("received", &[Ping, Udp, OneWay], Never, "received", "replies received; of those datagrams, received"),
    metric("loss_ratio", &[Ping, Udp, Cells, OneWay], Never, "loss", "1 − received / sent"),
    metric("retransmits", &[Tcp, Transfer, Request, Flows], Sum, "retransmits", "segments sent again in the whole test, what `omit` leaves out too; of iperf3 without that. Of simulated hosts those with data; a kernel's own count (`tcpi_total_retrans`) has repeated SYNs as well"),
    metric("measured_retransmits", CONNECTED, Sum, "retransmits, measured",
        "of those, in the measurement. Known to an interval of the series (`--intervals`), or a sample"),
    metric("loss_events", CONNECTED, Sum, "loss events",
        "times in the measurement that a repair began, one by a tail loss probe alone among them (RFC 8985 §7.4), a timeout ran out or an ECN echo was answered (RFC 5348 §5.2), known likewise; of kernels as samples show them"),
    metric("rtos", &[Tcp, Transfer, Request, Flows], Sum, "timeouts", "retransmission timeouts in the whole test. Of simulated hosts those of data; a kernel's own count (`tcpi_total_rto`) has those of SYNs as well"),
    metric("ramp_s", CONNECTED, Never, "ramp",
        "from the start to the beginning of the first round trip at 95 % of the rate: what one in ten hundredths of the test exceeds, or what three round trips had before the first cut of the window, if that is more. Known to a thirty-second of a round trip, or a two-thousandth of itself; of real hosts, to an interval of the series"),
    metric("silent_s", CONNECTED, Never, "silence at the start",
        "from the start until anything is delivered, where that takes two seconds or more. Of real hosts it may be an interval of the series longer"),
    metric("outage_ratio", CONNECTED, Never, "outage",
        "share of the measured time in which nothing came through because the path was down, the wait for the sender's timer behind it included; absent where it never was, which counts as 0. `limited_by` of each stream is of the rest"),
    metric("stall_s", CONNECTED, Largest, "longest stall",
        "longest time in the measurement in which nothing new was delivered, to the application in order: the empty intervals in a row of its series. The gap itself lasts longer, by less than two intervals: one of 2.18 s leaves 1 s where intervals last a second. A gap of less than two intervals may leave none, as in long tests, whose intervals are wide. Not what a test waits for at its start, nor what is shorter than a round trip or 200 ms: absent then, which counts as 0"),
    metric("completion_ns", &[Tcp, Transfer, Request, Flows], Largest, "completion", "from the SYN to the delivery of the last byte, of several connections from the first SYN to the last byte of all; of a transfer, to the disk"),
    metric("cwnd_max_bytes", CONNECTED, Largest, "cwnd, max", "largest congestion window of the whole test"),
    metric("bytes", &[Tcp, Transfer, Request, Flows, Udp], Sum, "bytes delivered", "payload delivered to the receiving application in the whole test, with what was under way at its end and arrives later: `goodput_bps` and series end with the test; of iperf3 in the measurement"),
    metric("jain_index", CONNECTED, Never, "fairness (Jain)", "Jain's fairness index over the test's streams: 1 when all are equal, 1/n when one has everything"),
    metric("group_jain_index", &[Tcp, Transfer, Request, Flows, Udp], Never, "fairness in the group", "the same over the goodputs of the tests of a `group`; of tests measured at different times over those of the time in which all are, by their series. Absent where they share none, and where one has no series of its goodput"),
    metric("group_goodput_ratio", &[Tcp, Transfer, Request, Flows, Udp], Never, "goodput in the group, least to greatest",
        "the least goodput of the tests of a `group` over the greatest: of two tests with different round trips their RTT fairness"),
    metric("group_streams_jain_index", &[Tcp, Transfer, Request, Udp], Never, "fairness of connections in the group", "Jain's index over the goodputs of all connections of these tests, a stream of datagrams as one; where one of the tests has several, and all are measured at one time"),
    metric("group_convergence_s", &[Tcp, Transfer, Request, Flows, Udp], Never, "convergence of the group",
        "from the start of the group's last test until its tests have equal shares and keep them: to the first second in which, and in the ten from there on together, Jain's index of their goodputs is 0.95 or more, as it is over nine of ten stretches of ten seconds from there to the end; absent where there is none before the last fifth of the time that all tests share, and of predictions"),
    metric("cut_s", CONNECTED, Never, "cut", "when the congestion window was the largest for the last time before the one cut that its series shows, since the start of the run: up to a round trip after the loss was seen, as recovery may begin with the old window. Absent where the series shows several cuts, or has fewer than two samples a round trip (`--intervals`)"),
    metric("cwnd_before_bytes", CONNECTED, Never, "cwnd before the cut", "the window in use before that cut: what was in flight, where that was less ([witnesses](../models/witnesses.md))"),
    metric("cwnd_nrmse_predicted_ratio", CONNECTED, Never, "cwnd, NRMSE to predicted",
        "how far this congestion window lies from the predicted one, from the cut to the end of the recovery: root of the mean squared difference, over the window before"),
    metric("cwnd_nrmse_simulated_ratio", CONNECTED, Never, "cwnd, NRMSE to simulated", "the same, from the simulated one"),
    metric("cwnd_nrmse_emulated_ratio", CONNECTED, Never, "cwnd, NRMSE to emulated", "the same, from the emulated one"),
    metric("cwnd_nrmse_measured_ratio", CONNECTED, Never, "cwnd, NRMSE to measured", "the same, from the measured one"),
    metric("requests", ASKED, Never, "requests", "whole answers (files) in the measurement"),
    metric("request_rate", ASKED, Never, "requests a second", "the same, a second"),
    metric("response_min_ns", ASKED, Never, "response, min", "shortest time from a request to its whole answer"),
    metric("response_avg_ns", ASKED, Never, "response, mean", "mean time from a request to its whole answer"),
    metric("response_max_ns", ASKED, Never, "response, max", "longest time from a request to its whole answer"),
    metric("response_p50_ns", ASKED, Never, "response, p50", "median time from a request to its whole answer"),
    metric("response_p99_ns", ASKED, Never, "response, p99", "99th percentile of these times, of fewer than 100 the largest; absent where one stream had more than 131 072"),
    metric("flows", &[Flows], Never, "flows", "flows completed in the whole test, what `omit` leaves out too"),
    metric("offered_bps", &[Flows], Never, "offered", "what was asked for from the first start to the last"),
    metric("size_mean_bytes", &[Flows], Never, "size, mean", "mean size of a flow"),
    metric("flow_time_avg_ns", &[Flows], Never, "flow time, mean", "mean time from a flow's SYN to its last byte, of those that `flows` counts; where others did not end, a note says how many"),
    metric("flow_time_p50_ns", &[Flows], Never, "flow time, p50", "its median"),
    metric("flow_time_p99_ns", &[Flows], Never, "flow time, p99", "its 99th percentile, of fewer than 100 the largest"),
    metric("jitter_ns", &[Udp, Cells], Never, "jitter", "interarrival jitter at the end of the whole test (RFC 3550 §6.4.1)"),
    metric("reordered", &[Udp], Never, "reordered", "datagrams that arrived after a later one, in the whole test"),
    metric("duplicates", &[Udp, Ping, OneWay], Never, "duplicates", "copies that arrived of what had arrived; absent when none did, which counts as 0"),
    metric("cells_sent", &[Cells], Never, "cells sent", "single cells sent in the measurement"),
    metric("cells_received", &[Cells], Never, "cells received", "of those, received"),
    metric("conforming_ratio", &[Cells], Never, "conforming", "share of the received cells that keep the test's `contract`"),
    metric("cdv_ns", &[Cells], Never, "cell delay variation", "cell delay variation, peak to peak: longest time under way less the shortest"),
    metric("capacity_bps", &[Bandwidth], Never, "capacity", "rate of the narrowest link"),
    metric("available_bps", &[Bandwidth], Never, "available", "unused rate of the tightest link"),
    metric("available_stderr_bps", &[Bandwidth], Never, "available, standard error", "its standard error"),
    ]
};

/// Every metric of one direction of a link, of a class's queue (after `queue.CLASS.`) and of a policer (after
/// `police.NAME.`).
#[rustfmt::skip]
pub const LINK_METRICS: &[Metric] = {
    use Merge::Never;
    &[
    metric("bytes", &[Link, Queue], Never, "all bytes on the wire", "bytes on the wire, framing included"),
    metric("payload_bytes", &[Link], Never, "payload", "TCP and UDP payload in them"),
    metric("frames", &[Link, Queue], Never, "frames", "frames transmitted"),
    metric("offered", &[Link, Queue], Never, "offered", "frames offered, transmitted or not"),
    metric("marked", &[Queue], Never, "marked", "frames marked as having met congestion"),
    metric("loss_ratio", &[Queue], Never, "loss", "drops over frames offered"),
    metric("delay_max_ns", &[Queue], Never, "delay, max", "longest wait of a frame that was sent"),
    metric("delay_mean_ns", &[Queue], Never, "delay, mean", "mean wait of frames that were sent"),
    metric("drops", &[Link, Queue], Never, "drops", "all frames dropped in the whole run, what `omit` leaves out too"),
    metric("drops.tail", &[Link, Queue], Never, "drops (queue full)", "the queue was full"),
    metric("drops.red", &[Link, Queue], Never, "drops (early)", "early, by active queue management: RED, CoDel, PIE and FQ-CoDel alike"),
    metric("drops.policed", &[Link], Never, "drops (policed)", "a policer found them out of contract"),
    metric("drops.error", &[Link], Never, "drops (by chance)", "lost or damaged on the way, by chance"),
    metric("drops.mtu", &[Link], Never, "drops (too large)", "larger than the link carries"),
    metric("drops.ttl", &[Link], Never, "drops (TTL)", "their TTL ran out"),
    metric("drops.no_route", &[Link], Never, "drops (no route)", "nowhere to go"),
    metric("drops.down", &[Link], Never, "drops (link down)", "the link was down"),
    metric("drops.host", &[Link], Never, "drops (host)", "the host could not take them"),
    metric("drops.scripted", &[Link], Never, "drops (scripted)", "lost on purpose, by name"),
    metric("drops.checksum", &[Link], Never, "drops (checksum)", "damaged on the way, and found by the end host's checksum"),
    metric("drops.cell", &[Link], Never, "drops (cells lost)", "cells of them, or the end of the frame before, were lost"),
    metric("drops.every_nth", &[Link], Never, "drops (every n-th)", "every n-th frame of a flow (`lose_every`)"),
    metric("rate_max_bps", &[Link], Never, "rate, max", "largest rate of an interval"),
    metric("rate_mean_bps", &[Link, Queue], Never, "rate, mean of the run", "mean rate of all intervals of the run, from its start until nothing is under way: idle ones too. Origins end at different times; a page has it over the time that all of them saw"),
    metric("queue_max_bytes", &[Link, Queue], Never, "queue, max", "most bytes that ever waited"),
    metric("queue_mean_bytes", &[Link], Never, "queue, mean of samples", "mean of samples of the whole run: the bytes waiting at the end of each interval, idle ones too; what waited between is not in it"),
    metric("measured_rate_mean_bps", &[Link], Never, "rate, mean of the measured time", "the mean rate while tests are measured: from the first start behind its `omit` to the last end, of all tests but pings and the like"),
    metric("measured_queue_mean_bytes", &[Link], Never, "queue, mean of samples, measured time", "mean of the same samples, in the same time"),
    metric("queue_p50_bytes", &[Link], Never, "queue, p50 of samples", "their median, of the whole run"),
    metric("queue_p99_bytes", &[Link], Never, "queue, p99 of samples", "what 99 % of them do not exceed"),
    metric("cells", &[Link], Never, "cells", "cells sent"),
    metric("cells_lost", &[Link], Never, "cells lost", "cells lost on the way"),
    metric("cells_tagged", &[Link], Never, "cells tagged", "cells tagged by a policer"),
    metric("cell_loss_ratio", &[Link], Never, "cell loss", "cells lost over cells sent"),
    metric("jitter_mean_ns", &[Link], Never, "jitter, mean", "mean of the jitter that was added"),
    metric("jitter_std_ns", &[Link], Never, "jitter, std", "its standard deviation"),
    metric("jitter_min_ns", &[Link], Never, "jitter, min", "the least"),
    metric("jitter_max_ns", &[Link], Never, "jitter, max", "the most"),
    metric("reordered", &[Link], Never, "reordered", "frames that left after a later one"),
    metric("reordered_ratio", &[Link], Never, "reordered", "their share"),
    metric("reorder_extent_max", &[Link], Never, "reorder extent, max", "most places by which one was late"),
    metric("reorder_extent_mean", &[Link], Never, "reorder extent, mean", "mean of the places"),
    metric("duplicated", &[Link], Never, "duplicated", "frames that were doubled"),
    metric("crc_errors", &[Link], Never, "CRC errors", "damaged frames that the line found"),
    metric("damaged", &[Link], Never, "damaged", "damaged frames that it did not"),
    metric("undetected", &[Link], Never, "undetected", "of those, such as no checksum finds"),
    metric("cut", &[Link], Never, "cut", "frames cut by an outage"),
    metric("outages", &[Link], Never, "outages", "times the link went down"),
    metric("down_ratio", &[Link], Never, "down", "share of the time it was"),
    metric("trace_mean_bps", &[Link], Never, "trace rate, mean", "mean rate of its rate trace"),
    metric("green", &[Policer], Never, "green", "frames that conformed"),
    metric("yellow", &[Policer], Never, "yellow", "frames in excess"),
    metric("red", &[Policer], Never, "red", "frames out of contract"),
    metric("green_bytes", &[Policer], Never, "green bytes", "bytes that conformed, as the policer counts"),
    metric("yellow_bytes", &[Policer], Never, "yellow bytes", "bytes in excess"),
    metric("red_bytes", &[Policer], Never, "red bytes", "bytes out of contract"),
    metric("conforming_ratio", &[Policer], Never, "conforming", "green frames over all"),
    ]
};

/// What searches find; each has two of them.
const FOUND: &[&str] = &[
    "highest_bps",
    "lowest_failing_bps",
    "highest_bytes",
    "lowest_failing_bytes",
    "highest_s",
    "lowest_failing_s",
    "highest_packets",
    "lowest_failing_packets",
    "highest_bdp",
    "lowest_failing_bdp",
    "highest_ratio",
    "lowest_failing_ratio",
    "lowest_bps",
    "highest_failing_bps",
    "lowest_bytes",
    "highest_failing_bytes",
    "lowest_s",
    "highest_failing_s",
    "lowest_packets",
    "highest_failing_packets",
    "lowest_bdp",
    "highest_failing_bdp",
    "lowest_ratio",
    "highest_failing_ratio",
];

/// What is shown of a kind of test without being asked for.
pub const HEADLINES: [(Subject, &[&str]); 10] = [
    (Ping, &["rtt_avg_ns"]),
    (Tcp, &["goodput_bps", "recovery_s"]),
    (Transfer, &["completion_ns", "goodput_bps"]),
    (Request, &["request_rate", "response_avg_ns", "goodput_bps"]),
    (Flows, &["offered_bps", "goodput_bps", "flow_time_avg_ns"]),
    (Udp, &["goodput_bps", "loss_ratio"]),
    (
        OneWay,
        &["delay_avg_ns", "delay_p50_ns", "delay_p99_ns", "loss_ratio"],
    ),
    (Bandwidth, &["capacity_bps", "available_bps"]),
    (
        Cells,
        &["cdv_ns", "cells_received", "cells_sent", "conforming_ratio"],
    ),
    (Search, FOUND),
];

/// What is shown of a kind, named as in a record; nothing of a kind that is unknown.
pub fn headline(kind: &str) -> &'static [&'static str] {
    let found = HEADLINES.iter().find(|(of, _)| of.name() == kind);
    found.map_or(&[], |(_, names)| names)
}

/// Why frames are dropped, in words, by the key of a link's record (`tail`, of the metric `drops.tail`); the key itself
/// where it is unknown.
pub fn drop_words(reason: &str) -> &str {
    let of = |m: &&Metric| m.name.strip_prefix("drops.") == Some(reason);
    let label = LINK_METRICS.iter().find(of).map(|m| m.label);
    let inner = |l: &'static str| l.strip_prefix("drops (")?.strip_suffix(')');
    label.and_then(inner).unwrap_or(reason)
}

/// The metrics of a subject, in order.
pub fn of(subject: Subject) -> impl Iterator<Item = &'static Metric> {
    let all = METRICS.iter().chain(LINK_METRICS);
    all.filter(move |m| m.of.contains(&subject))
}

/// The metric of that name of a test or search.
pub fn named(name: &str) -> Option<&'static Metric> {
    METRICS.iter().find(|m| m.name == name)
}

/// What tables call the metric of that name of a test or search.
pub fn label(name: &str) -> Option<&'static str> {
    named(name).map(|m| m.label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_once_for_each_subject() {
        for (_, list) in [("tests", METRICS), ("links", LINK_METRICS)] {
            for (n, metric) in list.iter().enumerate() {
                assert!(
                    !metric.of.is_empty() && !metric.is.is_empty(),
                    "{}",
                    metric.name
                );
                assert!(
                    list[..n].iter().all(|m| m.name != metric.name),
                    "{}",
                    metric.name
                );
            }
        }
    }

    #[test]
    fn what_is_absent_where_it_is_zero_is_a_metric_of_these_tests() {
        for (name, kinds) in farpath_record::ABSENT_IS_ZERO {
            let metric = named(name).expect("it is a metric");
            let has = kinds.iter().filter_map(|kind| Subject::of_test(kind));
            let mut has: Vec<Subject> = has.collect();
            let mut of = metric.of.to_vec();
            has.sort();
            of.sort();
            assert_eq!(has, of, "{name}");
            assert!(metric.is.contains("counts as 0"), "{name}");
        }
    }

    #[test]
    fn every_reason_for_a_drop_has_words() {
        let reasons = LINK_METRICS
            .iter()
            .filter_map(|m| Some((m, m.name.strip_prefix("drops.")?)));
        for (metric, reason) in reasons {
            assert_eq!(metric.label, format!("drops ({})", drop_words(reason)));
        }
        // RED, CoDel, PIE and FQ-CoDel count under one key.
        assert_eq!(drop_words("red"), "early");
        assert_eq!(drop_words("gossip"), "gossip");
    }

    #[test]
    fn headlines_are_metrics_of_their_kind() {
        for (subject, names) in HEADLINES {
            for name in names {
                assert!(of(subject).any(|m| m.name == *name), "{subject:?} {name}");
            }
        }
        assert_eq!(headline("udp"), ["goodput_bps", "loss_ratio"]);
        assert_eq!(headline("oneway").first(), Some(&"delay_avg_ns"));
        assert!(headline("gossip").is_empty());
    }

    #[test]
    fn the_unit_is_the_end_of_the_name() {
        for (path, unit) in [
            ("bulk.goodput_bps", Unit::Bps),
            ("link.l.a>b.bytes", Unit::Bytes),
            ("rtt_min_ns", Unit::Ns),
            ("ramp_s", Unit::S),
            ("loss_ratio", Unit::Ratio),
            ("drops.tail", Unit::Count),
        ] {
            assert_eq!(Unit::of(path), unit, "{path}");
        }
    }
}
