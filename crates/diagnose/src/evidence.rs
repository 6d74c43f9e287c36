//! The evidence on one flow: every figure the ceilings and the weighing ask for, or that it is not there.

mod sockets;

use crate::account::Account;
use crate::captured::{LeftOut, Swallowed};
use crate::ceiling::socket_room;
use crate::fact::{Figure, Of, Place};
use crate::flows::both_loaded::{LOADED_BOTH, OTHER_WAY};
use crate::flows::bystander::Assumed;
use crate::flows::flow::{Flow, number, word};
use crate::flows::recounted::Recounted;
use crate::flows::watched::Watched;
use crate::hosts::container_bridge::ContainerBridge;
use crate::hosts::core::Core;
use crate::hosts::counted::Counted;
use crate::hosts::fell::Fell;
use crate::hosts::router_full::FullRouter;
use crate::hosts::tally::Tally;
use crate::interfaces::fixed_port::FixedPort;
use crate::interfaces::negotiated::SlowPort;
use crate::known::{SEGMENT, System};
use crate::lines::exceeded::Exceeded;
use crate::losses::holes::MtuBy;
use crate::losses::lost_beside::LOST_BESIDE;
use crate::losses::marked::Delivered;
use crate::losses::overshoot::Overshoot;
use crate::losses::stood::Stood;
use crate::losses::unmissed::Unmissed;
use crate::paths::around::Around;
use crate::paths::detour::Detour;
use crate::programs::fetched::Fetched;
use crate::programs::idle_session::IdleSession;
use crate::programs::opened::Opened;
use crate::programs::read_ahead::ReadAhead;
use crate::programs::requests::Requests;
use crate::programs::turns::Turns;
use crate::reach::failed_test::FailedTest;
use crate::reach::path_events::PathEvents;
use crate::reach::stuck::Stuck;
use crate::reach::unopened::Unopened;
use crate::read::{COPIES, Facts};
use crate::seen::{Row, Side, Test};
use crate::series::outage::Recorded;
use crate::series::stops::Stop;
use crate::windows::memory::{SendMemory, beyond};
use crate::windows::options::Stripped;
use crate::windows::remembered::Thresholds;
use crate::windows::restart::Restart;
use crate::windows::room::Room;
use crate::windows::shrunk::Shrunk;
use crate::windows::shut_window::ShutWindow;

/// A receiver's estimate of the segments that arrive begins with this, bytes (`TCP_MSS_DEFAULT`): it says nothing.
const SMALLEST_FULL: f64 = 537.0;

/// Everything on one flow.
#[derive(Clone, Debug, Default)]
pub(crate) struct Evidence {
    /// Rate of payload, bit/s.
    pub(crate) rate: Option<Figure>,
    /// Whose report it is.
    pub(crate) side: Option<Side>,
    /// Length of the test in seconds.
    pub(crate) seconds: Option<f64>,
    /// Payload, bytes.
    pub(crate) bytes: Option<Figure>,
    /// Datagrams.
    pub(crate) udp: bool,
    /// The file that a test sent, where it was not from memory.
    pub(crate) file: Option<String>,
    /// The socket repeats what it sent, and nothing is acknowledged.
    pub(crate) stuck: Option<Stuck>,
    /// A transfer of curl that did not begin.
    pub(crate) unopened: Option<Unopened>,
    /// A test of iperf3 that failed, before it began or while it ran.
    pub(crate) failed_test: Option<FailedTest>,
    /// The largest pings to the receiver that were answered and that no router might cut, bytes with their headers; 0 without any.
    pub(crate) passes_whole: f64,
    /// The largest such pings along the path, whomever they went to; 0 without any.
    pub(crate) answered_whole: f64,
    /// The socket waits for its window to open, and nothing moves.
    pub(crate) shut: Option<ShutWindow>,
    /// That interfaces show nothing wrong, for people, where texts have nothing else.
    pub(crate) quiet: Option<String>,
    /// A session without traffic that broke.
    pub(crate) idle_session: Option<IdleSession>,
    /// A program that copies was connected, and nothing of what it asked for came.
    pub(crate) unanswered: bool,
    /// The program only tests: it sends as fast as it can, unless it was asked not to.
    pub(crate) tester: bool,
    /// What a program asks for piece by piece, where a text counts that.
    pub(crate) requests: Option<Requests>,
    /// How much its client reads ahead of its program.
    pub(crate) read_ahead: Option<ReadAhead>,
    /// Files that were fetched one by one.
    pub(crate) fetched: Option<Fetched>,
    /// Connections side by side.
    pub(crate) streams: f64,
    /// Round-trip time: its mean, least and most, seconds.
    pub(crate) rtt: Option<Figure>,
    /// Of the idle path: what the user knows, or the mean of pings, seconds.
    pub(crate) rtt_idle: Option<Figure>,
    /// The least that was seen, seconds.
    pub(crate) rtt_floor: Option<Figure>,
    /// During the test, seconds.
    pub(crate) rtt_loaded: Option<Figure>,
    /// Payload of a segment, bytes; [`SEGMENT`] where nothing is said.
    pub(crate) mss: f64,
    /// Whether something says how large segments are.
    pub(crate) mss_said: bool,
    /// Of datagrams of a size that is known: what is left of a line's rate for their payload.
    pub(crate) datagram_share: Option<f64>,
    /// Rate of the slowest link that is known, and what it is.
    pub(crate) line: Option<(Figure, &'static str)>,
    /// The rate of the slowest link that was stated, whatever interfaces say.
    pub(crate) stated: Option<Figure>,
    /// Interfaces of the ends that are the slowest known link.
    pub(crate) ports: Vec<SlowPort>,
    /// Rate that was expected.
    pub(crate) target: Option<Figure>,
    /// Share of packets the path loses whatever is sent.
    pub(crate) idle_loss: Option<Figure>,
    /// Share of packets that a test lost beside its transfers.
    pub(crate) lost_beside: Option<Figure>,
    /// Datagrams of the test that were lost.
    pub(crate) datagrams_lost: Option<f64>,
    /// Bytes of pings of which none was answered, while smaller ones were.
    pub(crate) large_lost: Option<Figure>,
    /// The path MTU that a trace found by itself, or else that the host of the pings knows, or else that a router reported to it.
    pub(crate) found_mtu: Option<(Figure, MtuBy)>,
    /// How often a segment was sent again as large as before, though a router had reported a smaller MTU.
    pub(crate) mtu_unheeded: f64,
    /// A bridge of containers whose MTU is above that of the path, as its host knows that.
    pub(crate) container_bridge: Option<ContainerBridge>,
    /// Bytes of the smallest pings that were refused with a word.
    pub(crate) refused: Option<Figure>,
    /// A path MTU below that of the sender's interface: its socket or a trace found it.
    pub(crate) smaller_mtu: Option<Figure>,
    /// Share of segments sent again.
    pub(crate) again: Option<Figure>,
    /// Segments sent again in all.
    pub(crate) retransmits: Option<Figure>,
    /// Segments besides that a capture shows to be sent again though they had arrived.
    pub(crate) needless: Option<Figure>,
    /// A test that counts far more of them than its socket.
    pub(crate) recounted: Option<Recounted>,
    /// What the receiver's window may be.
    pub(crate) windows: Vec<Room>,
    /// One of them is what a capture shows: a receiver that tunes it has it ahead of what is sent, and not at its most.
    pub(crate) announced: bool,
    /// What the send buffer may be.
    pub(crate) buffers: Vec<Room>,
    /// Who set the send buffer's memory.
    pub(crate) memory: SendMemory,
    /// Shares of the time that the kernel says: window, buffer.
    pub(crate) rwnd_share: Option<Figure>,
    /// Share of the time in which the send buffer was full.
    pub(crate) sndbuf_share: Option<Figure>,
    /// Share of the time in which there was something to send.
    pub(crate) busy_share: Option<Figure>,
    /// The kernel says that the program sent too little.
    pub(crate) app_limited: Option<Place>,
    /// What shows that its window begins anew after pauses.
    pub(crate) restart: Option<Restart>,
    /// Options that its connections go without, though hosts have them on.
    pub(crate) stripped: Vec<Stripped>,
    /// Ends whose settings have SACK off.
    pub(crate) sack_off: Vec<Side>,
    /// Bytes that the program had handed over and its kernel had not sent yet.
    pub(crate) unsent: Option<Figure>,
    /// Bytes that the kernels count as acknowledged, and the longest time that one of them was at work, seconds.
    pub(crate) worked: Option<(f64, f64)>,
    /// What its socket did between two readings.
    pub(crate) watched: Option<Watched>,
    /// Bytes handed over and not acknowledged.
    pub(crate) queued: Option<Figure>,
    /// What the receiver's window had room for, where it was full, bytes.
    pub(crate) full_window: Option<Figure>,
    /// That window shrank.
    pub(crate) shrunk: Option<Shrunk>,
    /// The round trip while both ways were loaded at the same time, seconds: it is of neither alone.
    pub(crate) both_loaded: Option<Figure>,
    /// How many times as fast the other way was, of a test that loads both.
    pub(crate) other_way: Option<f64>,
    /// The way is longer than another trace has it.
    pub(crate) detour: Option<Detour>,
    /// Bytes in flight by the congestion window.
    pub(crate) cwnd: Option<Figure>,
    /// Slow-start thresholds of its socket and of its sender's kernel.
    pub(crate) thresholds: Thresholds,
    /// Bytes in flight.
    pub(crate) flight: Option<Figure>,
    /// Rate at which the kernel saw data delivered.
    pub(crate) delivery: Option<Figure>,
    /// Rates that the sender was held to: pacing, application.
    pub(crate) pacing: Option<Figure>,
    /// Rate that the program was asked to send.
    pub(crate) application: Option<Figure>,
    /// Rates of shapers and policers in the texts.
    pub(crate) shaper: Option<Figure>,
    /// Rate of a policer, and what its bucket holds, bytes.
    pub(crate) policer: Option<Figure>,
    pub(crate) policer_burst: Option<Figure>,
    /// Highest share of a processor in use, 0 to 1.
    pub(crate) cpu: Option<Figure>,
    /// The end whose processor or program that is, none where it may be either's; and the program where it is known.
    pub(crate) cpu_of: Option<(Option<Side>, String)>,
    /// What that processor did, where a table says it.
    pub(crate) core: Option<Core>,
    /// How busy the busiest processor of the other end was.
    pub(crate) cpu_other: Option<Figure>,
    /// The connection is one of OpenSSH.
    pub(crate) ssh: bool,
    /// What the settings of the receiver allow its window to be, whatever was announced.
    pub(crate) tuned: Vec<Room>,
    /// Drops and errors of interfaces of the hosts.
    pub(crate) nic_drops: Option<Tally>,
    /// Those that arrived at the sender, where none of what it sends does.
    pub(crate) nic_drops_back: Option<Tally>,
    /// Half duplex.
    pub(crate) half_duplex: Option<Place>,
    /// An interface or port that is fixed to full duplex.
    pub(crate) fixed_port: Option<FixedPort>,
    /// Segments that arrived out of order.
    pub(crate) reordered: Option<Figure>,
    /// Of what was sent again, the share that had arrived, 0 to 1.
    pub(crate) duplicates: Option<Figure>,
    /// Neither end offered window scaling.
    pub(crate) unscaled: Option<Place>,
    /// Who left it out, as captures show it.
    pub(crate) left_out: Option<LeftOut>,
    /// The end whose SYN permits no SACK, the one that opened before the other.
    pub(crate) no_sack: Option<Side>,
    /// The largest window that the scale of the receiver's SYN can say, bytes.
    pub(crate) shifted_most: Option<Figure>,
    /// Whether a socket shows that both ends scale their windows.
    pub(crate) scaled: bool,
    /// Congestion control of the sender.
    pub(crate) cc: Option<String>,
    /// Hosts that are taken for an end without anything that ties them to it.
    pub(crate) assumed: Vec<Assumed>,
    /// Systems of sender and receiver.
    pub(crate) systems: [Option<System>; 2],
    /// How much the sender's kernel took at once into its buffer: rate, and the bytes.
    pub(crate) filled: Option<(Figure, f64)>,
    /// Rates of the intervals after the start.
    pub(crate) steady: Vec<f64>,
    /// The fastest interval, bit/s; 0 without any.
    pub(crate) peak: f64,
    /// The same without the first.
    pub(crate) later_peak: f64,
    /// How long an interval after the start is, seconds; 0 without any.
    pub(crate) interval_s: f64,
    /// By how much of their mean intervals differ by whole writes alone.
    pub(crate) grain: f64,
    /// By how much the rate of one interval may be too high because of that, bit/s.
    pub(crate) peak_grain: f64,
    /// The sender's intervals in which losses are counted.
    pub(crate) counted: Vec<Row>,
    /// A rate that stepped down once and stayed.
    pub(crate) fell: Option<Fell>,
    /// What held the sender back, by shares of its time: of captures and records.
    pub(crate) account: Option<Account>,
    /// Rate of the policer that a capture's losses show, bit/s.
    pub(crate) found_policer: Option<Figure>,
    /// Full segments that a capture shows to be sent again and again, and never to arrive.
    pub(crate) swallowed: Option<Swallowed>,
    /// A time in which nothing arrived: of several alike the longest, which has the time of all.
    pub(crate) stop: Option<Stop>,
    /// What a record of the run shows besides.
    pub(crate) recorded: Option<Recorded>,
    /// How a capture's losses lie in time.
    pub(crate) loss_pattern: Option<String>,
    /// How a capture's losses lie by the queue that its round trips show.
    pub(crate) stood: Option<Stood>,
    /// How often a capture shows that the window was made smaller for marks of ECN.
    pub(crate) marks: Option<Figure>,
    /// The mark of its packets and its name, where it is of a class that gets what others leave.
    pub(crate) lower_class: Option<(f64, &'static str)>,
    /// What logs have of the network beside its links.
    pub(crate) events: Option<PathEvents>,
    /// What another test between the same hosts got whose packets have no such mark, bit/s.
    pub(crate) unmarked: Option<Figure>,
    /// Segments that arrived, and how many of them a queue had marked, as its sockets count them.
    pub(crate) delivered: Option<Delivered>,
    /// Captures saw all that was sent, and nothing was lost.
    pub(crate) lossless: bool,
    /// How the ends wait for each other.
    pub(crate) turns: Option<Turns>,
    /// It is several short connections.
    pub(crate) opened: Option<Opened>,
    /// What came after losses of the start alone.
    pub(crate) overshoot: Option<Overshoot>,
    /// What counters of hosts and other tests add.
    pub(crate) counted_else: Counted,
    /// A router whose processor is full, and which drops.
    pub(crate) router_full: Option<FullRouter>,
    /// A line that carried more than it can, and was left out.
    pub(crate) exceeded: Option<Exceeded>,
    /// A loss of pings that the flow does not share, and was left out.
    pub(crate) unmissed: Option<Unmissed>,
    /// SYNs of its connection that were sent again before the answer.
    pub(crate) lost_syns: Option<crate::reach::lost_syns::LostSyns>,
    /// A reset of its connection that something between may have sent.
    pub(crate) foreign_reset: Option<crate::reach::foreign_reset::ForeignReset>,
    /// A far faster test by the other version of IP.
    pub(crate) other_version: Option<crate::flows::other_version::OtherVersion>,
    /// The window of a stream of HTTP/2 that holds the transfer.
    pub(crate) stream_window: Option<crate::programs::stream_window::StreamWindow>,
    /// What the receiver's route holds its window to.
    pub(crate) route_window: Option<crate::windows::route_metrics::RouteWindow>,
    /// Datagrams that the receiver did not put together from their fragments.
    pub(crate) reassembly: Option<crate::hosts::reassembly::Reassembly>,
    /// A host's filter that drops what comes in by another interface than its routes lead out by.
    pub(crate) reverse_path: Option<crate::hosts::reverse_path::ReversePath>,
    /// Pings with more answers than one, or an address of two hosts, for people.
    pub(crate) twice: Option<String>,
    /// What disks, radio links and interfaces on the path add.
    pub(crate) around: Around,
}

pub(crate) const NS: f64 = 1e-9;

impl Evidence {
    /// Collects what was said of a flow.
    pub(crate) fn of(facts: &Facts, flow: &Flow) -> Evidence {
        let mut e = Evidence {
            streams: 1.0,
            mss: SEGMENT,
            systems: flow.systems,
            unopened: Unopened::first(facts),
            ..Evidence::default()
        };
        if let Some(test) = &flow.test {
            e.of_test(test);
            e.of_access(test);
            e.of_old_smb(facts, test);
            e.read_ahead = ReadAhead::of(facts, test);
            e.of_file(facts, test);
        }
        e.ssh = crate::windows::channel::is_ssh(flow);
        if flow.test.is_none() && flow.sockets.len() > 1 {
            e.streams = flow.sockets.len() as f64;
        }
        e.of_sockets(facts, flow);
        e.passes_whole = crate::reach::stuck::passes(facts, flow);
        e.of_step(flow);
        e.of_captures(facts, flow);
        e.of_foreign_reset(facts, flow);
        e.of_handshake(facts, flow);
        e.of_options(facts, flow);
        e.of_rate_option(facts, flow);
        e.of_mark(facts, flow);
        e.of_pauses(facts, flow);
        e.of_path(facts, flow);
        e.of_hosts(facts, flow);
        e.of_probe_rtt();
        e.of_interfaces(facts, flow);
        e.assumed = Assumed::of(facts, flow);
        e.of_shapers(facts, flow);
        e.of_memory(facts, flow);
        e.of_route_metrics(facts, flow);
        e.of_asked(facts, flow);
        e.of_tcp_memory(facts, flow);
        e.of_machines(facts, flow);
        e.of_surroundings(facts, flow);
        e.of_fixed_port(facts, flow);
        e.of_idle_session(facts);
        e.of_failed_test(facts, flow);
        e.of_quiet_ports(facts);
        e.of_counted_once(facts);
        e.of_unmissed(facts, flow);
        e.of_exceeded(facts, flow);
        e.of_disks(facts, flow);
        e.of_counters(facts, flow);
        e.of_dropped(facts, flow);
        e.of_starved(flow);
        e.of_rss(facts, flow);
        e.of_throttled(facts, flow);
        e.of_killed(facts, flow);
        e.of_other_tests(facts, flow);
        e.of_others_queue(flow);
        e.of_shift();
        e.weigh_account();
        e.of_own_queue(facts, flow);
        e.of_one_by_one(facts, flow);
        e.of_long_requests(facts, flow);
        e.of_login(facts);
        e.twice = crate::reach::answered_twice::first(facts);
        e.of_own_drops(facts, flow);
        e.of_unlike_mtus(facts, flow);
        e.of_narrow_ports(facts, flow);
        e.of_full_router(facts);
        e.of_first_buffer(flow);
        e.overshoot = e.of_start();
        e
    }

    fn of_test(&mut self, test: &Test) {
        self.udp = test.udp;
        self.tester = crate::programs::follow::TESTERS.contains(&test.tool);
        self.streams = f64::from(test.streams.max(1));
        let report = test.received.as_ref().or(test.sent.as_ref());
        if let Some((rate, side)) = test.goodput() {
            self.rate = Some(rate.clone());
            let said = test.at != Place::You && test.says_its_way();
            self.side = said.then_some(side);
        } else if let Some(first) = test.rows.first() {
            let until = test.rows.iter().map(|r| r.until).fold(0.0, f64::max);
            let bits: f64 = test.rows.iter().map(|r| r.bps * (r.until - r.from)).sum();
            self.rate = (until > 0.0).then(|| Figure::exact(bits / until, first.at));
            self.side = Some(first.side);
            self.seconds = Some(until);
        }
        // What says only how fast it was does not say for how long.
        let lasted = report.filter(|r| r.bytes.is_some()).map(|r| r.seconds);
        self.seconds = self.seconds.or(lasted);
        self.bytes = report.and_then(|r| r.bytes.clone());
        let nothing = self.rate.as_ref().is_some_and(|r| r.value <= 0.0);
        self.unanswered = nothing && COPIES.contains(&test.tool);
        if test.numbers.contains_key("bytes_before") {
            // It was watched from its middle on: how long it took says nothing of its start.
            self.seconds = None;
        }
        let get = |name: &str| test.numbers.get(name).cloned();
        if let Some(mss) = get("mss_bytes").filter(|m| (64.0..65_536.0).contains(&m.value)) {
            (self.mss, self.mss_said) = (mss.value, true);
        }
        self.rtt_loaded = get("rtt_loaded_ns")
            .filter(|r| r.value > 0.0)
            .map(|r| r.times(NS));
        self.rtt_floor = get("handshake_rtt_ns")
            .filter(|r| r.value > 0.0)
            .map(|r| r.times(NS));
        self.both_loaded = get(LOADED_BOTH).map(|r| r.times(NS));
        self.other_way = get(OTHER_WAY).map(|n| n.value);
        self.retransmits = get("retransmits");
        self.lost_beside = get(LOST_BESIDE);
        self.cpu = get("cpu_ratio");
        let ends = [get("cpu_sender_ratio"), get("cpu_receiver_ratio")];
        self.of_tested_processors(ends);
        self.cwnd = get("cwnd_bytes");
        self.application = get("application_rate_bps");
        self.pacing = get("pacing_rate_bps");
        self.reordered = get("reordered");
        if let Some((lost, sent)) = get("datagrams_lost")
            .zip(get("datagrams"))
            .filter(|(_, s)| s.value > 0.0)
        {
            self.datagrams_lost = Some(lost.value);
            self.idle_loss = Some(lost.over(&sent));
        }
        self.cc = test.words.get("cc").cloned();
        self.account.clone_from(&test.account);
        self.requests = Requests::of(test);
        self.fetched = Fetched::of(test);
        self.flight = get("flight_max_bytes");
        self.fill(test);
        self.intervals(test);
        self.of_outage(test);
        self.of_buffers(test);
    }

    /// Windows and buffers that the test itself reports.
    fn of_buffers(&mut self, test: &Test) {
        let lent = |name: &str| test.numbers.get(name);
        // Where the congestion window is larger than what the receiver announces, it is the latter that binds.
        let binds = |w: &Figure| self.cwnd.as_ref().is_some_and(|c| c.value > 1.05 * w.value);
        if let Some(window) = lent("window_announced_bytes").cloned().filter(binds) {
            self.windows.push(Room::announced(window));
        }
        if let Some(room) = socket_room(
            lent("receive_buffer_bytes"),
            lent("receive_buffer_requested_bytes"),
            self.systems[1],
            "the receiver's socket buffer",
        ) {
            self.windows.push(room);
        }
        if let Some(mut room) = socket_room(
            lent("send_buffer_bytes"),
            lent("send_buffer_requested_bytes"),
            self.systems[0],
            "the sender's socket buffer",
        ) {
            if self.systems[0] == Some(System::Linux) {
                room.bytes.high += beyond(room.bytes.high);
            }
            self.buffers.push(room);
        }
    }

    fn of_path(&mut self, facts: &Facts, flow: &Flow) {
        let all = |name| facts.along(flow, name).cloned().reduce(|a, b| a.with(&b));
        let loaded = self.of_pings(facts, flow);
        self.around.turned = crate::series::stepped::turned(facts, flow);
        let is_rest = |f: &&Figure| !loaded.iter().flatten().any(|l| l == *f);
        let rest = |name| {
            let each = facts.along(flow, name).filter(is_rest).cloned();
            each.reduce(|a, b| a.with(&b))
        };
        let (least, mean, most) = (rest("rtt_min_ns"), rest("rtt_avg_ns"), rest("rtt_max_ns"));
        let known = all("rtt_known_ns");
        let ping = least.as_ref().map(|least| {
            let most = most.as_ref().unwrap_or(least);
            let mut whole = least.with(most);
            whole.value = mean.as_ref().map_or(whole.value, |m| m.value);
            whole.times(NS)
        });
        if let Some(floor) = known.as_ref().or(least.as_ref()) {
            let floor = floor.times(NS);
            self.rtt_floor = match self.rtt_floor.take() {
                Some(own) if own.value < floor.value => Some(own),
                _ => Some(floor),
            };
        }
        let known = known.map(|k| k.times(NS));
        self.rtt_idle = known.clone().or(ping.clone()).filter(|r| r.value > 0.0);
        self.rtt = self
            .rtt_loaded
            .clone()
            .or(known)
            .or(ping)
            .or(self.rtt_floor.clone());
        self.rtt = self.rtt.take().filter(|r| r.low > 0.0 && r.value > 0.0);
        self.span_routes();
        self.of_split(facts, flow);
        self.rtt_floor = self.rtt_floor.take().filter(|r| r.low > 0.0);
        if let Some(line) = all("line_bps") {
            self.stated = Some(line.clone());
            self.line = Some((line, "the line"));
        }
        self.target = all("target_bps");
        let alone = flow.test.is_none() && !flow.unrated;
        if let Some(measured) = all("measured_bps").filter(|_| alone) {
            // What you say is of one connection, however many sockets stand beside it.
            self.rate = Some(measured);
            self.streams = 1.0;
        }
        self.loss_of_path(
            (facts, flow),
            all("loss_known_ratio"),
            all("loss_path_ratio"),
        );
        self.large_lost = crate::losses::holes::smallest_lost(facts, flow);
        self.refused = crate::losses::holes::smallest_refused(facts, flow);
        self.answered_whole = crate::losses::holes::largest_whole(facts, flow);
        let by_trace = all("mtu_discovered_bytes");
        self.smaller_mtu = self.smaller_mtu.take().or(by_trace.clone());
        let found = by_trace.map(|mtu| (mtu, MtuBy::Trace));
        let known = || Some((all("mtu_known_there_bytes")?, MtuBy::Host));
        let reported = || Some((all("mtu_router_bytes")?, MtuBy::Router));
        self.found_mtu = found.or_else(known).or_else(reported);
        let unheeded = facts.along(flow, crate::read::reported_mtu::UNHEEDED);
        self.mtu_unheeded = unheeded.map(|n| n.value).fold(0.0, libm::fmax);
        self.container_bridge = ContainerBridge::of(facts, self.found_mtu.as_ref());
        self.of_conditioners(facts, flow);
        self.of_segments(facts, flow);
    }

    fn of_hosts(&mut self, facts: &Facts, flow: &Flow) {
        let ofs = |hosts: &[u32], end: Of| -> Vec<Of> {
            hosts.iter().map(|h| Of::Host(*h)).chain([end]).collect()
        };
        let senders = ofs(&flow.senders, Of::Sender);
        let receivers = ofs(&flow.receivers, Of::Receiver);
        // What was typed for another test is not of this one.
        let typed = crate::flows::typed::word(facts, flow.test.as_ref(), "cc");
        self.cc = self.cc.take().or(typed.map(|(cc, _)| cc.to_owned()));
        for of in &senders {
            let get =
                |name: &'static str| crate::flows::typed::said(facts, flow, *of, name).cloned();
            self.application = self
                .application
                .take()
                .or_else(|| get("application_rate_bps"));
            self.pacing = self.pacing.take().or_else(|| get("pacing_rate_bps"));
            let cc = word(facts, *of, "cc").filter(|_| *of != Of::Sender);
            self.cc = self.cc.take().or(cc.map(|(w, _)| w.to_owned()));
        }
        crate::ceiling::rooms(self, (facts, flow), &senders, &receivers);
        let halves = crate::interfaces::duplex::halves(facts, flow);
        for of in senders.iter().chain(&receivers) {
            let get = |name: &'static str| number(facts, *of, name).cloned();
            if let Some(speed) = flow.speed_of(facts, *of) {
                self.of_port(*of, &speed, (facts, flow));
            }
            let half = match of {
                Of::Host(host) => halves.get(host).copied(),
                _ => word(facts, *of, "half_duplex").map(|(_, at)| at),
            };
            self.half_duplex = self.half_duplex.or(half);
            if let Some(off) = get("window_scaling").filter(|s| s.value == 0.0) {
                self.unscaled = self.unscaled.or(off.from.first().copied());
            }
        }
    }
}
