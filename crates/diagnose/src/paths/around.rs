//! What stands around a flow: disks of its hosts, radio links, and interfaces of routers on the path.

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::fact::{Figure, Of};
use crate::flows::flow::Flow;
use crate::hosts::cloud::Cloud;
use crate::hosts::end_disk::busy_disk;
use crate::hosts::tally::{Tally, tally};
use crate::interfaces::duplex::Mismatch;
use crate::interfaces::half_port::half_on_path;
use crate::interfaces::interface::{Carried, fullest};
use crate::interfaces::own_drops::OwnDrops;
use crate::interfaces::pauses::Pauses;
use crate::interfaces::radio_link::Signal;
use crate::items::Item;
use crate::lines::group::Group;
use crate::lines::leaves::Held;
use crate::losses::located::{
    by_trace, by_trace_alone, by_trace_unrated, lost_at, own_answers, silent_hops,
};
use crate::losses::member::Struck;
use crate::ports::{Kind, Ports, by_ports, collided};
use crate::reach::link_log::LinkLog;
use crate::read::Facts;
use crate::read::carrier::TRANSITIONS;
use crate::seen::Side;

/// What was said of disks and interfaces.
#[derive(Clone, Debug, Default)]
pub(crate) struct Around {
    /// Rate at which a disk of a host reads or writes, bit/s.
    pub(crate) disk: Option<Figure>,
    /// Share of the time in which a disk of a host was busy, 0 to 1.
    pub(crate) busy: Option<Figure>,
    /// The end whose disk is the busiest or was measured.
    pub(crate) disk_of: Option<Side>,
    /// The fullest interface on the path.
    pub(crate) interface: Option<Carried>,
    /// Collisions at an interface, and how many of them were late.
    pub(crate) collisions: [Option<Tally>; 2],
    /// Frames that an interface did not send, as its carrier was lost.
    pub(crate) carrier: Option<Tally>,
    /// How often the link of an interface went down or came up between two readings.
    pub(crate) flapped: Option<Tally>,
    /// Interfaces of both ends of which one is at half duplex.
    pub(crate) mismatch: Option<Mismatch>,
    /// Frames that arrived damaged at the receiver, or at a host that may be it.
    pub(crate) damaged: Option<Tally>,
    /// Those that are too few of all frames to be weighed.
    pub(crate) noise: Option<Tally>,
    /// No ping was answered, and a transfer arrived all the same.
    pub(crate) silent_pings: bool,
    /// Those at the sender, where none of what it sends arrives.
    pub(crate) damaged_back: Option<Tally>,
    /// Segments that a test counts as sent again.
    sent_again: Option<f64>,
    /// The host whose transceiver says that too little light arrives, or is sent.
    pub(crate) dark: Option<u32>,
    /// What routers count.
    pub(crate) ports: Ports,
    /// Links side by side, of which each connection takes one.
    pub(crate) group: Option<Group>,
    /// Which of the connections side by side lost.
    pub(crate) struck: Option<Struck>,
    /// Rates of the connections side by side, the fastest first, bit/s.
    pub(crate) each: Vec<f64>,
    /// The host whose shaper has the lowest rate: the sender, or one on the way.
    pub(crate) shaper_of: Option<u32>,
    /// Its classes that hold the flow, where it has some.
    pub(crate) held: Option<Held>,
    /// How long that shaper lets packets wait at most, seconds.
    pub(crate) shaper_queue: Option<Figure>,
    /// Packets that its queue dropped.
    pub(crate) shaper_drops: Option<Figure>,
    /// Packets that the shaper held back, and all that it sent.
    pub(crate) shaper_held: Option<[f64; 2]>,
    /// What a cloud lets the hosts send and receive.
    pub(crate) cloud: Cloud,
    /// The share that was lost of pings to the peer of a test with datagrams, which counts its own losses.
    pub(crate) pings_lost: Option<Figure>,
    /// What packets that went one way lost.
    pub(crate) one_way: Option<crate::losses::one_way::OneWayLoss>,
    /// Where on the way packets are lost, for people.
    pub(crate) lost_at: Option<String>,
    /// What the only trace says, where texts hold nothing else of a path, for people.
    pub(crate) trace_alone: Option<String>,
    /// A loop of routers in which a trace ended, and what it shows, for people.
    pub(crate) looped: Option<(crate::reach::routing_loop::RoutingLoop, String)>,
    /// Answers to SYNs that are lost behind a capture, and what they show, for people.
    pub(crate) lost_answers: Option<(crate::losses::lost_answers::LostAnswers, String)>,
    /// Windows of 0 that an end of the flow announced, or any of texts that name no ends.
    pub(crate) zero_window: Option<crate::windows::zero_window::ZeroWindow>,
    /// Answers to SYNs that a firewall drops, and what they show, for people.
    pub(crate) unseen_syn: Option<(crate::reach::unseen_syn::UnseenSyn, String)>,
    /// Whether a router or a host says why packets do not go on.
    pub(crate) barred: bool,
    /// A request that a client timed, where no rate was measured.
    pub(crate) request: Option<crate::programs::request_times::Request>,
    /// What hosts say is wrong with them, for people.
    pub(crate) fault: Option<String>,
    /// What a kernel logged of an interface that did not send.
    pub(crate) stalled: Option<String>,
    /// What a router does not answer, though those behind it do, for people.
    pub(crate) own_answers: Option<String>,
    /// Hops of a trace that do not answer, though those behind them do, for people.
    pub(crate) silent_hops: Option<String>,
    /// What pings to a first hop say of where loss and waiting begin, for people.
    pub(crate) first_hop: Vec<String>,
    /// Mean round trips of pings at rest, and of the fastest run that varies where they do not, seconds.
    pub(crate) uneven: Option<[f64; 2]>,
    /// Least round trips of pings that hardly varied and of others that were slower on average, where the latter took less, seconds.
    pub(crate) below: Option<[f64; 2]>,
    /// A shaper by the name of the sender's queue, and how much that says, decibans.
    pub(crate) own_queue: Option<(&'static str, f64)>,
    /// The end whose memory of TCP is used up, as its kernel logged or counts, and what it says of it.
    pub(crate) tcp_memory: Option<(Side, crate::windows::tcp_memory::UsedUp)>,
    /// A host of which the same is known and which may be either end, for people.
    pub(crate) tcp_open: Option<String>,
    /// What a queue of the sender's own dropped.
    pub(crate) own_drops: Option<OwnDrops>,
    /// The receiver's interface drops what its processor, full of soft interrupts, does not take in time.
    pub(crate) starved: bool,
    /// The adapter of a receiver of Windows that has receive side scaling off.
    pub(crate) rss_off: Option<String>,
    /// A firewall that says of itself that it drops data.
    pub(crate) firewall: Option<crate::reach::firewall::Firewall>,
    /// A control group of an end that waits for its share of the processors.
    pub(crate) throttled: Option<crate::hosts::throttled::Throttled>,
    /// A program of an end that its kernel killed as memory ran out.
    pub(crate) killed: Option<crate::hosts::oom::Killed>,
    /// Interfaces of both ends with unlike MTUs.
    pub(crate) unlike_mtus: Option<crate::paths::unlike_mtus::Unlike>,
    /// Ports of switches that are too narrow for packets that are lost.
    pub(crate) narrow_ports: Vec<crate::interfaces::narrow_port::NarrowPort>,
    /// The round trip of a connection, and the longer one of pings to its peer, seconds: something on the way answers.
    pub(crate) split: Option<[f64; 2]>,
    /// What answers a trace by TCP in the peer's stead, and whether this connection goes to the port of the trace.
    pub(crate) intercepted: Option<(crate::reach::intercepted::Intercepted, bool)>,
    /// A header of an answer that a proxy or a cache passed on.
    pub(crate) passed_on: Option<String>,
    /// A queue that pings to another host met.
    pub(crate) shared_queue: Option<crate::lines::shared_queue::SharedQueue>,
    /// Requests that wait for a round trip each.
    pub(crate) one_by_one: Option<crate::programs::one_by_one::OneByOne>,
    /// A login that takes seconds.
    pub(crate) login: Option<crate::programs::slow_login::SlowLogin>,
    /// Requests that take far longer than the path's round trip.
    pub(crate) long_requests: Option<crate::programs::long_requests::LongRequests>,
    /// The option by which a program held its own rate, for people, and the end whose program it is.
    pub(crate) rate_option: Option<(String, Side)>,
    /// The way, down or up, that a test of an access went.
    pub(crate) access: Option<&'static str>,
    /// Two runs of pings far apart of which neither varies.
    pub(crate) routes: Option<crate::paths::routes::Routes>,
    /// Runs of pings of two hosts that lie far apart, and may be of two paths.
    pub(crate) vantages: Option<crate::paths::vantage::Vantages>,
    /// Pings of another time than the test, whose round trip lies far from that of its time.
    pub(crate) moved: Option<crate::paths::routes::Moved>,
    /// How the path changed in mid-test.
    pub(crate) stepped: Option<crate::series::stepped::Stepped>,
    /// TTL of answers before and after it changed, where the round trip stayed.
    pub(crate) turned: Option<[u32; 2]>,
    /// What captures show of the way back.
    pub(crate) way_back: Option<crate::losses::way_back::WayBack>,
    /// Pause frames that the sender's interface was sent, or the receiver's sent.
    pub(crate) pauses: Pauses,
    /// Small writes that wait in a sender's socket.
    pub(crate) held_small: Option<crate::programs::held_small::HeldSmall>,
    /// A bond of the sender that sends round and round, and what its kernel has seen to be late.
    pub(crate) round_robin: crate::lines::round_robin::RoundRobin,
    /// An end that is a virtual machine, and of which no text has what its hypervisor took, for people.
    pub(crate) steal_unread: Option<String>,
    /// A program that fills a processor and does not carry this flow, and what says so, for people.
    pub(crate) other_program: Option<String>,
    /// A full table of connections, beside some that did not open.
    pub(crate) full_table: Option<crate::hosts::full_table::FullTable>,
    /// A server's full accept queue, as two of three signs show it.
    pub(crate) accept_queue: Option<crate::hosts::accept_queue::AcceptQueue>,
    /// A transfer of the same host's files by another command.
    pub(crate) fetched_beside: Option<crate::programs::fetches::Beside>,
    /// What others of the texts carry at the same time, counted with all headers, bit/s.
    pub(crate) others: f64,
    /// Many small files that were copied.
    pub(crate) small_files: Option<crate::programs::small_files::SmallFiles>,
    /// Whether the program that copies is one of Windows.
    pub(crate) by_windows: bool,
    /// What a radio link of an end repeats, and gives up.
    pub(crate) air: Option<crate::interfaces::air::Air>,
    /// A queue that others fill at the test's time.
    pub(crate) others_queue: Option<crate::lines::others_queue::OthersQueue>,
    /// A radio link of an end that is weak.
    pub(crate) weak_radio: Option<crate::interfaces::weak_radio::WeakRadio>,
    /// What IPsec of the hosts dropped.
    pub(crate) ipsec: Vec<crate::hosts::ipsec::Dropped>,
    /// A host that IPv4 reaches and IPv6 does not.
    pub(crate) one_version: Option<crate::reach::ip_versions::OneVersion>,
    /// A wait for a name.
    pub(crate) names: Option<crate::names::NameWait>,
    /// What a router's port counts that this flow fills, for people.
    pub(crate) own_port: Option<String>,
    /// A router's port that is full and drops, where no test says how fast a flow was.
    pub(crate) full_port: Option<crate::interfaces::full_port::FullPort>,
    /// An interface of an end that others fill.
    pub(crate) full_host: Option<crate::interfaces::full_host::FullHost>,
    /// Drops that counters of a host have, where they are all that texts have and were read once.
    pub(crate) counted_once: Option<crate::interfaces::counted_once::CountedOnce>,
    /// A queue that drops as its text is printed, for people.
    pub(crate) full_queue: Option<String>,
    /// Datagrams that a host dropped at full sockets, where no test says how fast they came.
    pub(crate) overfull: Option<crate::hosts::datagram_socket::Overfull>,
    /// A wait for a server, where nothing else explains it.
    pub(crate) server_wait: Option<crate::programs::server_wait::Waited>,
    /// The network adapter at a slow port of USB.
    pub(crate) usb: Option<crate::interfaces::usb_port::UsbPort>,
    /// The slot of an interface card that carries least.
    pub(crate) slot: Option<crate::interfaces::slot::Slot>,
    /// That the last member of a port channel is full of the flow, for people.
    pub(crate) last_member: Option<String>,
    /// Links that logs say went down.
    pub(crate) link_log: Option<LinkLog>,
    /// What logs of switches and routers have beside it.
    pub(crate) network_log: Vec<crate::reach::network_log::Seen>,
    /// A port that agreed on 100 Mbit/s and can run faster.
    pub(crate) slow_pair: Option<crate::interfaces::slow_pair::SlowPair>,
    /// A port of a switch or router that carries nothing.
    pub(crate) dead_port: Option<crate::interfaces::dead_port::DeadPort>,
    /// The weakest radio signal of a host.
    pub(crate) signal: Option<Signal>,
}

impl Around {
    /// Whether a host's text says that its line damages frames.
    pub(crate) fn is_damaged(&self) -> bool {
        self.dark.is_some() || self.damaged.as_ref().is_some_and(|d| d.count.value > 0.0)
    }
}

/// Growth of damaged frames says nothing below this, whatever was sent again.
pub(crate) const DAMAGED_LEAST: f64 = 5.0;

/// So many times the segments that were sent again are more of them, and not as many.
pub(crate) const MORE: f64 = 1.5;

impl Evidence {
    /// Segments that were sent again: what a test counts of all its time, or a socket, which may have been read before its end.
    pub(crate) fn sent_again(&self) -> Option<f64> {
        let socket = self.retransmits.as_ref().map(|r| r.value);
        socket
            .into_iter()
            .chain(self.around.sent_again)
            .reduce(libm::fmax)
    }

    /// Whether as many frames arrived damaged from one reading to the next as segments were sent again: it is known what lost them.
    pub(crate) fn settled_by_damage(&self) -> bool {
        let damaged = self.around.damaged.as_ref();
        let by_host = |d: &Tally| d.count.value >= DAMAGED_LEAST && d.surely_accounts(self) >= 1.0;
        damaged.is_some_and(by_host) || self.around.ports.settle_damage(self)
    }
}

/// Of a radio link's bit rate payload gets from a third to six sevenths: preambles, contention and acknowledgements take the rest.
/// A rule of thumb, held against no measurement.
const OF_RADIO: [f64; 3] = [0.35, 0.7, 0.86];

impl Evidence {
    /// Takes what segments show that do not arrive, or that announce no window.
    fn of_segments_seen(&mut self, facts: &Facts, flow: &Flow) {
        let looped = facts.routing_loop.as_ref();
        self.around.looped = looped.map(|found| (found.clone(), found.said(facts)));
        let lost = crate::losses::lost_answers::LostAnswers::of(facts);
        self.around.lost_answers = lost.map(|lost| {
            let said = lost.said(facts);
            (lost, said)
        });
        let zero = crate::windows::zero_window::ZeroWindow::longest(facts);
        self.around.zero_window = zero.filter(|zero| zero.is_of(flow));
        let unseen = facts.unseen_syn.as_ref();
        self.around.unseen_syn = unseen.map(|found| (found.clone(), found.said(facts)));
    }

    /// What disks, radio links and interfaces of routers say.
    pub(crate) fn of_surroundings(&mut self, facts: &Facts, flow: &Flow) {
        let ends = [
            (Side::Sender, &flow.senders, "radio_sends_bps"),
            (Side::Receiver, &flow.receivers, "radio_receives_bps"),
        ];
        for (side, hosts, radio) in ends {
            for host in hosts {
                self.of_disk((facts, flow), (*host, side));
                let bits = flow.radio(facts, *host, radio);
                let Some(bits) = bits.filter(|bits| flow.radio_is_of(side, *host, bits)) else {
                    continue;
                };
                let mut air = bits.times(OF_RADIO[1]);
                (air.low, air.high) = (bits.low * OF_RADIO[0], bits.high * OF_RADIO[2]);
                if self.line.as_ref().is_none_or(|(l, _)| air.value < l.value) {
                    self.line = Some((air, RADIO));
                }
            }
        }
        let counted = flow
            .test
            .as_ref()
            .and_then(|t| t.numbers.get("retransmits"));
        self.around.sent_again = counted.map(|again| again.value);
        self.around.interface = fullest(facts);
        self.of_logs(facts, flow);
        self.around.network_log = crate::reach::network_log::seen(facts);
        self.around.slow_pair = crate::interfaces::slow_pair::SlowPair::of(facts);
        let log = &self.around.network_log;
        self.around.dead_port = crate::interfaces::dead_port::DeadPort::of(facts, log);
        self.around.lost_at = lost_at(facts, flow);
        self.around.trace_alone = by_trace_alone(facts);
        self.of_segments_seen(facts, flow);
        self.around.barred = crate::reach::barred::is_said(facts);
        self.around.stalled = crate::windows::no_rate::stalled(facts);
        self.around.fault = crate::hosts::host_fault::fault(facts);
        self.around.own_answers = own_answers(facts);
        self.around.silent_hops = silent_hops(facts);
        self.around.first_hop = self.first_hop(facts, flow);
        self.around.cloud = Cloud::of(facts, flow);
        self.around.pauses = Pauses::of(facts, flow);
        self.around.round_robin = crate::lines::round_robin::RoundRobin::of(facts, flow);
        self.of_cables(facts, flow);
        self.of_group(facts, flow);
        self.of_own_port(facts);
        self.of_slow_pair(facts);
        self.of_slots(facts, flow);
        self.of_usb(facts, flow);
        self.of_held_small(facts, flow);
        self.of_full_table(facts);
        self.of_accept_queue(facts);
        self.of_names(facts);
        self.of_ip_versions(facts);
        self.of_server_wait(facts);
        self.of_datagram_sockets(facts);
        self.of_full_port(facts);
        self.of_full_host(facts, flow);
        self.of_full_queue(facts);
        self.of_fetches(facts, flow);
        self.of_small_files(flow);
        self.of_air(facts, flow);
        self.of_ipsec(facts, flow);
    }

    /// What interfaces say of cables, light, radio and duplex.
    fn of_cables(&mut self, facts: &Facts, flow: &Flow) {
        self.half_duplex = self.half_duplex.or(half_on_path(facts, flow));
        self.around.mismatch = Mismatch::of(facts, flow);
        let hosts: Vec<u32> = flow
            .senders
            .iter()
            .chain(&flow.receivers)
            .copied()
            .collect();
        let ends = [&flow.receivers[..], &flow.senders];
        let counted = |kind, of_port: Kind| {
            let of_hosts = Tally::of_ends((facts, flow), ends, kind);
            let of_path = collided((facts, flow), of_port).map(|c| Tally {
                interface: match c.port.name.is_empty() {
                    true => String::new(),
                    false => c.port.named(""),
                },
                ..Tally::once(&c.count)
            });
            let all = of_hosts.into_iter().chain(of_path);
            let some = all.filter(|t| t.count.value > 0.0);
            some.max_by(|a, b| a.count.value.total_cmp(&b.count.value))
        };
        self.around.carrier = Tally::of_ends((facts, flow), ends, "nic_carrier");
        let flapped = Tally::of_ends((facts, flow), ends, TRANSITIONS);
        self.around.flapped = flapped.filter(|t| t.grew && t.count.value > 0.0);
        self.around.collisions = [
            counted("nic_collisions", Kind::Collided),
            counted("nic_late_collisions", Kind::Late),
        ];
        let [receivers, senders] = ends;
        let known = senders.iter().filter(|h| !receivers.contains(h));
        let known: Vec<u32> = known.copied().collect();
        let damaged = tally((facts, flow), &flow.arrives_at(), "nic_damaged");
        self.around.damaged = damaged.clone().filter(|d| !d.is_noise());
        self.around.noise = damaged.filter(Tally::is_noise);
        self.around.damaged_back = tally((facts, flow), &known, "nic_damaged");
        self.of_either_way();
        self.around.ports = Ports::of(facts, flow);
        self.of_full_class();
        self.of_damaging_port();
        let is_dark =
            |h: &u32| crate::flows::flow::word(facts, Of::Host(*h), "optics_dark").is_some();
        self.around.dark = hosts.iter().copied().find(is_dark);
        let signals = hosts.iter().filter_map(|h| Signal::of(facts, flow, *h));
        self.around.signal = signals.max_by(|a, b| a.below.value.total_cmp(&b.below.value));
    }
}

/// A disk that is busy for more of the time than this has no more to give.
pub(crate) const FULL_DISK: f64 = 0.9;

/// What a line is called that is a host's radio link.
pub(crate) const RADIO: &str = "the radio link, seven tenths of its bit rate";

/// What a line is called that is a host's own interface.
pub(crate) const PORT: &str = "the interface of a host";

/// What they speak for.
pub(crate) fn by_surroundings(e: &Evidence, items: &mut Vec<Item>) {
    crate::hosts::accept_queue::by_accept_queue(e, items);
    crate::names::by_names(e, items);
    crate::reach::ip_versions::by_ip_versions(e, items);
    crate::programs::server_wait::by_server_wait(e, items);
    crate::programs::request_times::by_request(e, items);
    crate::hosts::datagram_socket::by_datagram_sockets(e, items);
    crate::losses::error_share::by_lost_pings(e, items);
    crate::interfaces::full_port::by_full_port(e, items);
    crate::interfaces::full_host::by_full_host(e, items);
    crate::programs::fetches::by_fetches(e, items);
    crate::programs::small_files::by_small_files(e, items);
    crate::hosts::oom::by_killed(e, items);
    crate::hosts::ipsec::by_ipsec(e, items);
    let Some(rate) = &e.rate else {
        // A disk that keeps a program from reading needs no rate.
        if e.stands_unread() {
            busy_disk(e, items);
        }
        if e.air_loses_pings() {
            crate::interfaces::weak_radio::by_radio(e, items);
        }
        by_trace_unrated(e, items);
        return;
    };
    crate::hosts::end_disk::by_disk(e, rate, items);
    crate::hosts::fell::by_fall(e, items);
    busy_disk(e, items);
    crate::interfaces::interface::by_interface(e, rate, items);
    crate::interfaces::duplex::by_duplex(e, items);
    damage(e, items);
    by_ports(e, items);
    crate::losses::duplicates::by_duplicates(e, items);
    crate::lines::round_robin::by_round_robin(e, items);
    slow_port(e, items);
    crate::lines::lower_port::by_lower_port(e, items);
    by_trace(e, items);
    crate::lines::bloat::by_bloat(e, items);
    crate::lines::group::by_group(e, items);
    crate::hosts::cloud::by_cloud(e, items);
    crate::interfaces::pauses::by_pauses(e, items);
    crate::interfaces::slot::by_slot(e, items);
    crate::interfaces::usb_port::by_usb(e, items);
    crate::programs::held_small::by_held_small(e, items);
    crate::interfaces::weak_radio::by_radio(e, items);
    crate::interfaces::air::by_air(e, items);
}

/// `at eth0 4767 frames arrived damaged, 56 of them from one reading to the next`.
pub(crate) fn frames(damaged: &Tally) -> String {
    let at = match damaged.interface.as_str() {
        "" => "an interface",
        name => name,
    };
    let begin = format!("at {at} {:.0} frames arrived damaged", damaged.stood);
    match damaged.grew {
        true => format!(
            "{begin}, {:.0} of them from one reading to the next",
            damaged.count.value
        ),
        false => match damaged.share_of_all() {
            Some(share) => format!("{begin}, {share:.1e} of all"),
            None => begin,
        },
    }
}

/// Damaged frames speak from the first of these on, and fully from the second.
const FRAMES: [f64; 2] = [1.0, 50.0];

/// Frames that arrived damaged where the data goes, beside the segments that were sent again: fewer of them speak for that part alone.
fn arrived(e: &Evidence, damaged: &Tally, items: &mut Vec<Item>) {
    let part = damaged.part_of(e);
    let settles = e.settled_by_damage();
    let others = [(Cause::CongestionLoss, -8.0), (Cause::ShallowBuffer, -8.0)];
    let own = [(Cause::RandomLoss, 16.0), (Cause::Policer, -6.0)];
    let weights = own
        .into_iter()
        .chain(others.into_iter().filter(|_| settles));
    let holds = match (part, damaged.grew) {
        (Some(part), true) => part,
        (Some(part), false) => damaged.holds_by_share(e, FRAMES).min(part),
        (None, _) => damaged.holds_by_share(e, FRAMES),
    };
    let again = e.sent_again().unwrap_or(0.0);
    let beside = match part.filter(|_| damaged.grew && again > 0.0) {
        None => String::new(),
        Some(_) if settles && damaged.count.value > MORE * again => {
            format!(": more than the {again:.0} segments that were sent again")
        }
        Some(_) if settles => format!(": as many as the {again:.0} segments that were sent again"),
        Some(part) => format!(
            ": at most {:.0} % of the {again:.0} segments that were sent again",
            100.0 * part
        ),
    };
    let sentence = format!("{}{beside}", frames(damaged));
    let few = damaged.grew && damaged.count.value > 0.0 && holds <= 0.3;
    items.push(Item {
        holds,
        weights: weights.collect(),
        sentence: sentence.clone(),
    });
    items.push(Item {
        holds: if few { 1.0 } else { 0.0 },
        weights: Vec::new(),
        sentence,
    });
}

/// Frames that arrive damaged, and light that is too weak.
fn damage(e: &Evidence, items: &mut Vec<Item>) {
    let around = &e.around;
    let collide = around.collisions.iter().any(Option::is_some);
    if let Some(damaged) = around.damaged.as_ref().filter(|_| !collide) {
        arrived(e, damaged, items);
    }
    if let Some(back) = around.damaged_back.as_ref().filter(|d| d.count.value > 0.0) {
        items.push(Item {
            holds: if collide { 0.0 } else { 1.0 },
            weights: Vec::new(),
            sentence: format!(
                "{}, which is the sender's: they were acknowledgements, or what others sent to it, and none of the segments that it sent again",
                frames(back)
            ),
        });
    }
    items.extend(around.noise.as_ref().map(|noise| Item {
        holds: 1.0,
        weights: Vec::new(),
        sentence: format!("{}: so few are noise, and no cause", frames(noise)),
    }));
    if around.dark.is_some() {
        items.push(Item {
            holds: 1.0,
            weights: vec![(Cause::RandomLoss, 12.0)],
            sentence: "a transceiver raises the alarm that its light is too weak".to_owned(),
        });
    }
}

/// A port slower than what was stated or expected, or that could be faster.
fn slow_port(e: &Evidence, items: &mut Vec<Item>) {
    let beyond = e.beyond_port().is_some();
    for sentence in e.ports_in_words() {
        items.push(Item {
            holds: 1.0,
            weights: vec![(Cause::Link, if beyond { 2.0 } else { 0.0 })],
            sentence,
        });
    }
}
