//! What was read of all texts, as their readers hand it over.

use std::collections::{BTreeMap, BTreeSet};

use super::aside::Aside;
use super::bundles::Member;
use super::channels::Channels;
use super::copy_typed::{CopyTyped, Program};
use super::drives::Drives;
use super::environment::Environment;
use super::failed::Refused;
use super::fetch::Fetch;
use super::label::Label;
use super::logins::Logins;
use super::modes::{Duplexed, Negotiated};
use super::moments::Moments;
use super::qdisc::Queue;
use super::rate_file::RateFiles;
use super::rate_option::Limited;
use super::route::{TcpTrace, Traced};
use super::simple_queues::SimpleQueue;
use super::ss::FullSocket;
use super::tcpdump::Syn;
use super::tunnels::Tunnel;
use super::wireguard::Peer;
use crate::captured::Captured;
use crate::fact::{Fact, Of, Place};
use crate::flows::bystander::Prompts;
use crate::hosts::tally::Reading;
use crate::interfaces::passed::{DefaultRoute, Linked, Owner, Passed};
use crate::interfaces::port::{FullDuplexPort, PortReading};
use crate::losses::lost_answers::LostAnswers;
use crate::losses::one_way::OneWay;
use crate::names::Names;
use crate::paths::detour::Way;
use crate::paths::long_way::LongWay;
use crate::paths::unlike_mtus::Interface;
use crate::programs::request_times::Timed;
use crate::programs::searched_names::Searched;
use crate::programs::server_wait::ServerWait;
use crate::reach::foreign_reset::ForeignReset;
use crate::reach::intercepted::Intercepted;
use crate::reach::ip_versions::Tries;
use crate::reach::routing_loop::RoutingLoop;
use crate::reach::unseen_syn::UnseenSyn;
use crate::seen::{End, Role, Test};
use crate::windows::remembered::Remembered;
use crate::windows::route_metrics::SetRoute;
use crate::windows::zero_window::ZeroWindow;

/// Most facts, tests and sockets that are kept.
const FACTS_MAX: usize = 200_000;

/// Most ignored lines that are named.
const IGNORED_NAMED: usize = 200;

/// Everything that was read.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// What was said of paths, hosts and sockets.
    pub facts: Vec<Fact>,
    /// The place among them of the last fact of each name and subject.
    pub(super) latest: BTreeMap<(Of, &'static str), usize>,
    /// What was said of tests.
    pub tests: Vec<Test>,
    /// The two ends of each socket, the own one first.
    pub sockets: Vec<[End; 2]>,
    /// The number of the socket between two ends that have ports, the own one first.
    pub(crate) sockets_between: BTreeMap<[End; 2], u32>,
    /// Names of the host that each ping went to.
    pub(crate) pings: Vec<Vec<String>>,
    /// The name at the prompt under which each ping began, which may be empty.
    pub(crate) pinged_at: Vec<String>,
    /// Whether a ping that its command tied to one version of IP went by IPv6, by its number.
    pub(crate) by_ipv6: BTreeMap<u32, bool>,
    /// When lines were printed, and beside which traffic.
    pub(crate) moments: Moments,
    /// What passed ports of routers, where that was read.
    pub(super) port_bytes: Vec<super::PortBytes>,
    /// The target of each trace, by the place of its times: as it was typed and printed, and what answered there.
    pub(crate) trace_targets: BTreeMap<Place, Vec<String>>,
    /// The name at the prompt under which each trace began, which may be empty, by the place of its times.
    pub(crate) traced_at: BTreeMap<Place, String>,
    /// Hops of the last trace that stayed silent with answers from behind them, for people, and where the trace begins.
    pub(crate) silent_hops: Option<(String, Place)>,
    /// Ends of traces that count what their hops answer.
    pub(crate) traced: Vec<Traced>,
    /// Where the round trip of the last trace grows at once, and stays so to its end.
    pub(crate) long_way: Option<LongWay>,
    /// Traces that reached their ends.
    pub(crate) ways: Vec<Way>,
    /// TTL of answers to pings, and where they were read.
    pub(crate) reply_ttls: Vec<(Place, u32, Of)>,
    /// TTL of answers before and after it changed in a run of pings whose times stayed.
    pub(crate) turned: Vec<(Of, [u32; 2])>,
    /// What was counted of packets that went one way, in the order of the texts.
    pub(crate) one_way: Vec<OneWay>,
    /// Traces by TCP that are to be held against pings.
    pub(crate) traces: Vec<TcpTrace>,
    /// Those that were answered in the stead of their targets.
    pub(crate) intercepted: Vec<Intercepted>,
    /// Names of hosts of farpath's own records: each is of one host.
    pub(crate) recorded_hosts: BTreeSet<String>,
    /// SYNs that texts show, in their order.
    pub(crate) syns: Vec<Syn>,
    /// Readings of counters of hosts' interfaces, in the order of the texts.
    pub(crate) counters: Vec<Reading>,
    /// Readings of what hosts' interfaces passed, in the order of the texts.
    pub(crate) passed: Vec<Passed>,
    /// What hosts say of their interfaces' links.
    pub(crate) linked: Vec<Linked>,
    /// Addresses of interfaces, and routes that leave by them.
    pub(crate) owners: Vec<Owner>,
    /// Default routes of hosts.
    pub(crate) default_routes: Vec<DefaultRoute>,
    /// Slow-start thresholds that kernels keep of other hosts, in the order of the texts.
    pub(crate) remembered: Vec<Remembered>,
    /// Resets of captured connections that something between may have sent.
    pub(crate) foreign_resets: Vec<ForeignReset>,
    /// Routes of hosts with what they set of TCP, in the order of the texts.
    pub(crate) set_routes: Vec<SetRoute>,
    /// Queues at the roots of hosts' interfaces, in the order of the texts.
    pub(crate) queues: Vec<Queue>,
    /// What hosts say of their interfaces' duplex, in the order of the texts.
    pub(crate) duplexes: Vec<Duplexed>,
    /// Ports of routers and switches at full duplex, in the order of the texts.
    pub(crate) full_ports: Vec<FullDuplexPort>,
    /// Interfaces of tunnels.
    pub(crate) tunnels: Vec<Tunnel>,
    /// Peers of WireGuard, in the order of the texts.
    pub(crate) wireguard: Vec<Peer>,
    /// Interfaces of hosts that are not down, in the order of the texts.
    pub(crate) interfaces: Vec<Interface>,
    /// Readings of counters of routers' ports and policers, in the order of the texts.
    pub(crate) ports: Vec<PortReading>,
    /// Where rows of tables of ports stand whose counts are among these.
    pub(crate) rows: BTreeSet<Place>,
    /// What tables of several ports counted, until all texts are read.
    pub(super) tabled: Vec<PortReading>,
    /// The only port of a table that counts damaged frames, where it is a member of a group of links, for people.
    pub(crate) damaged_member: Option<String>,
    /// Simple queues of RouterOS, in the order of the texts.
    pub(crate) simple_queues: Vec<SimpleQueue>,
    /// Which ports are of one port channel, and what routers hash.
    pub(crate) channels: Channels,
    /// Readings of members of bonds and port channels, in the order of the texts.
    pub(crate) members: Vec<Member>,
    /// What hosts say that their interfaces negotiated, in the order of the texts.
    pub(crate) negotiated: Vec<Negotiated>,
    /// Names that each pasted piece about a host gave that host.
    pub hosts: Vec<Vec<String>>,
    /// Directions of captured connections, of each capture the largest first.
    pub(crate) captured: Vec<Captured>,
    /// What the name of its file calls each of them: `sender.txt`, `client.log`, `receiver.txt`, `server.log`.
    pub sides: Vec<Option<Role>>,
    /// Who is said to have printed the lines that are read now.
    pub(super) label: Label,
    /// The ends that were printed on the host of a shell: its source, its name at the prompt, which may be empty, and its address.
    pub(crate) shells: BTreeSet<(u32, String, String)>,
    /// Names at prompts, which may be empty, and the gateways through which the default routes that were printed there lead.
    pub(crate) gateways: BTreeSet<(String, String)>,
    /// The first loop of routers in which a trace ended.
    pub(crate) routing_loop: Option<RoutingLoop>,
    /// The source of each host's text.
    pub(crate) host_sources: Vec<u32>,
    /// What was typed and printed at prompts that have a name.
    pub(crate) prompts: Prompts,
    /// Hosts whose texts stand below a line that sets them aside.
    pub(crate) aside: Aside,
    /// The last line that names the host of the table below it, `Linux 6.1.0 (rx)  11/27/2026 _x86_64_ (8 CPU)`, and that host.
    pub(super) head: Option<(Place, Of)>,
    /// The host whose system or settings were read last in a source, and which of the two.
    pub(super) described: Option<(u32, Of, Described)>,
    /// Whether that was printed at a prompt of a Unix without a name: one with a name is of another host.
    pub(super) described_unnamed: bool,
    /// What each stretch of lines was.
    pub pieces: Vec<Read>,
    /// Names of the sources.
    pub sources: Vec<String>,
    /// Lines of each source that nobody knew, the first of them.
    pub ignored: Vec<Vec<u32>>,
    /// How many lines of each source nobody knew.
    pub ignored_count: Vec<usize>,
    /// Commands that fetch files, in the order of the texts.
    pub(crate) fetches: Vec<Fetch>,
    /// The last line that sets what is typed below it apart, and where it stands.
    pub(super) titled: Option<(Place, String)>,
    /// Commands that copy files between two hosts, in the order of the texts.
    pub(super) copied: Vec<CopyTyped>,
    /// Where the last line that was typed stands, if it asks several interfaces: what it prints without a name may be of any.
    pub(super) mixed_ports: Option<Place>,
    /// Where it stands, if it asks several hosts.
    pub(crate) mixed_hosts: Option<Place>,
    /// The hosts over which it loops, whose names may head what each printed.
    pub(super) looped_hosts: Vec<String>,
    /// Programs that were typed, in the order of the texts.
    pub(super) programs: Vec<Program>,
    /// Commands of programs that may hold their own rate, in the order of the texts.
    pub(super) limited: Vec<Limited>,
    /// What files of such programs say of rates.
    pub(super) rate_files: RateFiles,
    /// What the environment of the shell that is read now says of proxies.
    pub(super) environment: Environment,
    /// Letters of drives that are of shares, and copies between folders.
    pub(super) drives: Drives,
    /// Tries to reach hosts by one version of IP.
    pub(crate) tries: Tries,
    /// What was said of names that are looked up, and of their servers.
    pub(crate) names: Names,
    /// The request that waited longest for its server, where it waited for most of its time.
    pub(crate) server_wait: Option<ServerWait>,
    /// How names are completed before they are looked up.
    pub(crate) searched: Searched,
    /// What was said of logins.
    pub(crate) logins: Logins,
    /// The longest request that a client timed.
    pub(crate) timed: Option<Timed>,
    /// Sockets of datagrams that are full, or have dropped some.
    pub(crate) datagram_sockets: Vec<FullSocket>,
    /// A captured connection whose answers to SYNs were lost.
    pub(crate) lost_answers: Option<LostAnswers>,
    /// Answers to SYNs that a firewall drops, as it did not see the SYNs.
    pub(crate) unseen_syn: Option<UnseenSyn>,
    /// The queue of a port that drops most as its text is printed, packets a second, and where.
    pub(crate) full_queue: Option<(String, u64, Place)>,
    /// Windows of 0 that segments announced, by their connections.
    pub(crate) zero_windows: Vec<ZeroWindow>,
    /// What keeps anybody from connecting.
    pub(crate) refused: Refused,
    /// What stopped the reading of something.
    pub notes: Vec<String>,
}

/// What a text said of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Described {
    System,
    Settings,
    Both,
}

/// A stretch of lines that one tool printed.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    /// Number of the source.
    pub source: u32,
    /// First line, from 1.
    pub first: u32,
    /// Last line.
    pub last: u32,
    /// The tool.
    pub tool: &'static str,
    /// How many facts it gave.
    pub facts: usize,
}

impl Facts {
    /// A source more; its number.
    pub(crate) fn source(&mut self, name: &str) -> u32 {
        self.sources.push(crate::redact(name));
        self.ignored.push(Vec::new());
        self.ignored_count.push(0);
        self.label = Label::default();
        (self.mixed_ports, self.mixed_hosts) = (None, None);
        self.looped_hosts.clear();
        self.aside.ends();
        let number = self.sources.len() as u32 - 1;
        self.moments.file(number, name);
        number
    }

    /// Whether nothing was read.
    pub fn is_empty(&self) -> bool {
        self.facts.is_empty()
            && self.counters.is_empty()
            && self.ports.is_empty()
            && self.simple_queues.is_empty()
            && self.members.is_empty()
            && self.one_way.is_empty()
            && self.captured.is_empty()
            && self.syns.is_empty()
            && !self.refused.shows_full_queue()
            && self.refused.unopened.is_none()
            && self.refused.test.is_none()
            && self.refused.barred.is_none()
            && self.lost_answers.is_none()
            && self.unseen_syn.is_none()
            && !self.zero_windows.iter().any(ZeroWindow::lasts)
            && self.routing_loop.is_none()
            && !self.names.decide()
            && !self.shows_one_version()
            && self.server_wait.is_none()
            && self.timed.is_none()
            && self.datagram_sockets.is_empty()
            && self.tests.iter().all(|t| t.facts() == 0)
    }

    pub(super) fn is_full(&self) -> bool {
        let own = self.facts.len() + self.counters.len() + self.tests.len() + self.syns.len();
        let own = own + self.ports.len() + self.queues.len() + self.simple_queues.len();
        let own = own + self.interfaces.len() + self.duplexes.len() + self.members.len();
        let own = own + self.passed.len() + self.linked.len() + self.owners.len();
        let own = own + self.full_ports.len() + self.one_way.len();
        own + self.sockets.len() + self.pings.len() > FACTS_MAX
    }

    pub(super) fn count(&self) -> usize {
        let own = self.facts.len() + self.counters.len() + self.ports.len();
        let own = own + self.tests.len() + self.syns.len() + self.simple_queues.len();
        let own = own + self.members.len() + self.wireguard.len() + self.one_way.len();
        // Only the last test can have grown.
        own + self.tests.last().map_or(0, Test::facts)
    }

    pub(super) fn ignore(&mut self, source: u32, line: u32) {
        let n = source as usize;
        self.ignored_count[n] += 1;
        if self.ignored[n].len() < IGNORED_NAMED {
            self.ignored[n].push(line);
        }
    }

    /// A line belongs to a tool: its piece grows, or a new one begins.
    pub(crate) fn took(&mut self, tool: &'static str, at: Place, gained: usize, going: bool) {
        let Place::Line(source, line) = at else {
            return;
        };
        self.label.used = true;
        if let Some(last) = self.pieces.last_mut()
            && going
            && last.tool == tool
            && last.source == source
        {
            last.last = line;
            last.facts += gained;
            return;
        }
        self.pieces.push(Read {
            source,
            first: line,
            last: line,
            tool,
            facts: gained,
        });
    }
}
