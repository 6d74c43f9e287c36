//! Reading: which tool printed which lines, and what they said.
//!
//! A text is offered line by line to the tool that took the line before, and then to every other in a fixed order.
//! The first that knows the line takes it; a line that nobody knows is counted, and nothing is made of it. So several
//! things pasted into one text are kept apart, with prose between them. JSON is read whole, from the line it begins on.

mod aria2;
mod arping;
mod aside;
mod asp_drop;
mod authority;
mod aws_s3;
mod broken;
mod bundles;
mod cable_test;
pub(crate) mod carrier;
pub(crate) mod cgroup;
mod channel_count;
mod channels;
pub(crate) mod classes;
mod clocks;
pub(crate) mod command;
pub(crate) mod conditioned;
mod copies;
mod copy_typed;
pub(crate) mod counters;
pub(crate) mod curl;
mod dig;
pub(crate) mod disk;
mod drives;
mod dscp;
mod elsewhere;
mod environment;
mod facts;
mod failed;
mod fetch;
mod firewall_cpu;
mod flent;
mod flow_control;
mod foreign;
pub(crate) mod frames;
mod globus_task;
mod globus_url_copy;
pub(crate) mod here;
pub(crate) mod ip_interface;
mod iperf2;
mod iperf3;
mod iperf_closing;
mod iperf_row;
mod json;
pub(crate) mod kernel_log;
mod label;
mod licensed;
mod live;
mod logins;
mod mixed;
mod modes;
mod moments;
mod net_tools;
mod network_log;
mod network_quality;
mod nfs;
mod nft;
mod nic;
mod noted;
mod nslookup;
mod offered;
pub(crate) mod offload;
mod optics;
mod others;
mod own_address;
mod own_ports;
mod owping;
mod parted;
mod pathping;
mod periods;
mod pgbench;
pub(crate) mod ping;
mod place;
mod plain;
mod pods;
mod policed;
mod policy;
mod port_bytes;
mod ports;
mod powershell;
mod printable;
pub(crate) mod processor;
mod procurve;
mod protocols;
mod proxied;
mod pscheduler;
mod pscheduler_latency;
mod pscheduler_rtt;
mod qdisc;
pub(crate) mod queries;
pub(crate) mod radio;
mod rate_file;
mod rate_option;
mod rate_program;
mod rclone;
mod read_ahead;
pub(crate) mod reported_mtu;
pub(crate) mod resolvers;
mod robocopy;
pub(crate) mod route;
mod routed;
mod router;
mod router_cpu;
mod routeros;
mod routeros_ping;
mod rss;
mod sar;
mod scheduled;
mod shell;
pub(crate) mod simple_queues;
mod smb;
mod smb_channels;
pub(crate) mod sockstat;
mod speedtest;
mod sqlplus;
mod sros;
pub(crate) mod ss;
mod standing;
mod survey;
mod sys_mtu;
mod sys_net;
pub(crate) mod sysctl;
pub(crate) mod sysopt;
#[cfg(test)]
mod taken;
mod tcp_metrics;
mod tcpdump;
mod timed_copy;
pub(crate) mod tries;
pub(crate) mod tunnels;
mod typeperf;
pub(crate) mod uname;
mod usb;
mod vrp;
mod windows;
pub(crate) mod wireguard;
pub(crate) mod xfrm;
mod xrdcp;

use crate::fact::Place;
pub(crate) use bundles::{Member, State};
pub(crate) use channel_count::{QUEUES, QUEUES_MOST};
pub(crate) use copies::COPIES;
pub(crate) use dig::{GIVEN_UP, SLOW_MS};
pub(crate) use drives::{COPIER, SHARES};
use facts::Described;
pub use facts::Facts;
pub(crate) use facts::Read;
pub(crate) use failed::{FullQueue, TableFull};
pub(crate) use fetch::{Fetch, Way as FetchedBy};
pub(crate) use kernel_log::LOGGED;
pub(crate) use label::WINDOWS;
pub use live::{LiveFlow, LiveRow};
pub(crate) use modes::{Duplexed, Negotiated};
pub(crate) use net_tools::TABLE_OF;
pub(crate) use nic::{MEAN, PORT};
use offered::offer;
pub(crate) use policed::classes::{CLASS_MARKS, CLASS_POLICER, CLASS_SHAPER, SET_MARK};
pub(crate) use port_bytes::PortBytes;
pub(crate) use processor::HEADED;
pub(crate) use qdisc::Queue;
pub(crate) use radio::SIGNAL;
pub(crate) use rate_option::RATE_OPTION;
pub(crate) use read_ahead::AHEAD;
pub(crate) use rss::{RSS_OFF, RSS_ON};
pub(crate) use smb::{DIALECT, OLD_DIALECT};
pub(crate) use tcpdump::Syn;

/// What stands for servers that programs choose by themselves and do not name: nobody pings them.
pub(crate) const OWN_SERVERS: [&str; 2] = [speedtest::SERVER, network_quality::SERVER];

/// A text, and what to call it.
#[derive(Clone, Debug)]
pub struct Source {
    /// Name of the file as the user gave it.
    pub name: String,
    /// Its bytes; what is not UTF-8 is replaced.
    pub bytes: Vec<u8>,
}

/// Most lines of a source that are read.
const LINES_MAX: usize = 4_000_000;

/// Longest line that is offered to readers of lines.
const LINE_MAX: usize = 16_384;

/// What is shorter than so many bytes and opens a brace need not be JSON.
const TRUNCATED: usize = 512;

/// Most notes on JSON that was cut off.
const NOTES_MAX: usize = 20;

/// A line, offered to a tool.
#[derive(Clone, Copy)]
pub(crate) struct Line<'a> {
    /// Without white space around it.
    pub(crate) bare: &'a str,
    /// Where it stands.
    pub(crate) at: Place,
}

/// A reader of what one tool prints, line by line.
pub(crate) trait Tool {
    /// The tool's name in results.
    fn name(&self) -> &'static str;

    /// Takes a line if it is one of the tool's; `going` says that the line before was.
    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool;

    /// Whether it would take this line only because it took the one before: a tool that knows the line is asked first.
    fn guesses(&self, _text: &str) -> bool {
        false
    }

    /// Whether what it prints stands indented below its first line, so that such a line which nobody knows does not end it.
    fn is_indented(&self) -> bool {
        false
    }

    /// How many facts it has read and not handed over.
    fn held(&self) -> usize {
        0
    }

    /// The text is over: what is half read is finished.
    fn finish(&mut self, _facts: &mut Facts) {}
}

/// Every reader of lines, in the order in which they are asked.
fn tools() -> Vec<Box<dyn Tool>> {
    let mut all = of_ends();
    all.extend(of_ways());
    all
}

/// Those of tests, copies, and what hosts say of themselves; they are asked first.
fn of_ends() -> Vec<Box<dyn Tool>> {
    vec![
        Box::new(sros::ShowPort::default()),
        Box::new(foreign::Foreign::default()),
        Box::new(iperf3::Iperf3::default()),
        Box::new(iperf2::Iperf2::default()),
        Box::new(ss::Ss::default()),
        Box::new(tcpdump::Tcpdump::default()),
        Box::new(arping::Arping::default()),
        Box::new(ping::Ping::default()),
        Box::new(owping::OwPing::default()),
        Box::new(pathping::PathPing::default()),
        Box::new(route::Routes::default()),
        Box::new(sysctl::Sysctl::default()),
        Box::new(classes::Classes::default()),
        Box::new(channel_count::ChannelCount::default()),
        Box::new(nic::Nic::default()),
        Box::new(routed::Routed),
        Box::new(own_address::OwnAddress::default()),
        Box::new(pods::Pods::default()),
        Box::new(carrier::Carrier::default()),
        Box::new(sys_mtu::SysMtu::default()),
        Box::new(read_ahead::ReadAhead::default()),
        Box::new(sockstat::Sockstat::default()),
        Box::new(own_ports::OwnPorts::default()),
        Box::new(tcp_metrics::TcpMetrics::default()),
        Box::new(cgroup::Cgroup::default()),
        Box::new(xfrm::Xfrm::default()),
        Box::new(wireguard::WireGuard::default()),
        Box::new(net_tools::NetTools::default()),
        Box::new(protocols::Protocols::default()),
        Box::new(counters::Counters::default()),
        Box::new(smb::Smb::default()),
        Box::new(smb_channels::Multichannel::default()),
        Box::new(radio::Wlan::default()),
        Box::new(windows::Netsh::default()),
        Box::new(rss::Rss::default()),
        Box::new(powershell::PowerShell::default()),
        Box::new(windows::Registry::default()),
        Box::new(others::Nuttcp::default()),
        Box::new(others::Netperf::default()),
        Box::new(others::Thrulay::default()),
        Box::new(speedtest::Speedtest::default()),
        Box::new(network_quality::NetworkQuality::default()),
        Box::new(pscheduler::PScheduler::default()),
        Box::new(pscheduler_rtt::RoundTrips::default()),
        Box::new(pscheduler_latency::Latency::default()),
        Box::new(flent::Flent::default()),
        Box::new(copies::Scp::default()),
        Box::new(copies::Rsync::default()),
        Box::new(timed_copy::TimedCopy::default()),
        Box::new(curl::Curl::default()),
        Box::new(nslookup::Nslookup::default()),
        Box::new(resolvers::Resolvers::default()),
        Box::new(dig::Dig::default()),
        Box::new(copies::Wget::default()),
        Box::new(robocopy::Robocopy::default()),
        Box::new(aws_s3::AwsS3::default()),
        Box::new(rclone::Rclone::default()),
        Box::new(aria2::Aria2::default()),
        Box::new(xrdcp::Xrdcp::default()),
        Box::new(globus_url_copy::GlobusUrlCopy::default()),
        Box::new(globus_task::GlobusTask::default()),
        Box::new(drives::NetUse),
    ]
}

/// Those of routers and switches, and of what else is printed.
fn of_ways() -> Vec<Box<dyn Tool>> {
    vec![
        Box::new(nft::Nft::default()),
        Box::new(licensed::Licensed::default()),
        Box::new(policed::Policed::default()),
        Box::new(policy::PolicyMap::default()),
        Box::new(scheduled::Scheduled::default()),
        Box::new(bundles::Bundles::default()),
        Box::new(procurve::ProCurve::default()),
        Box::new(cable_test::CableTest::default()),
        Box::new(ip_interface::IpInterface::default()),
        Box::new(router::Interfaces::default()),
        Box::new(vrp::Transceivers::default()),
        Box::new(vrp::Statistics::default()),
        Box::new(vrp::Queues::default()),
        Box::new(vrp::Display::default()),
        Box::new(routeros::RouterOs::default()),
        Box::new(simple_queues::SimpleQueues::default()),
        Box::new(router_cpu::Processes::default()),
        Box::new(sysopt::Sysopt),
        Box::new(routeros_ping::RouterOsPing::default()),
        Box::new(firewall_cpu::Firewalls::default()),
        Box::new(asp_drop::AspDrop::default()),
        Box::new(nfs::Nfs::default()),
        Box::new(sar::Sar::default()),
        Box::new(disk::Disk::default()),
        Box::new(typeperf::Typeperf::default()),
        Box::new(processor::Processor::default()),
        Box::new(radio::Radio::default()),
        Box::new(radio::Iwconfig::default()),
        Box::new(radio::Wireless::default()),
        Box::new(network_log::NetworkLog::default()),
        Box::new(kernel_log::KernelLog::default()),
        Box::new(uname::Uname::default()),
        Box::new(usb::Usb),
        Box::new(queries::Queries),
        Box::new(logins::Login::default()),
        Box::new(sqlplus::SqlPlus::default()),
        Box::new(pgbench::PgBench::default()),
        Box::new(command::Commands),
    ]
}

/// Reads everything.
pub fn read(sources: &[Source]) -> Facts {
    let mut facts = Facts::default();
    for (number, source) in (0_u32..).zip(sources) {
        facts.source(&source.name);
        text(number, source, &mut facts);
    }
    facts.settle_drives();
    facts.settle_traces();
    facts.settle_fetches();
    facts.settle_limits();
    facts.settle_tables();
    facts.settle_port_bytes();
    facts
}

/// Reads one source.
fn text(number: u32, source: &Source, facts: &mut Facts) {
    let name = facts.sources[number as usize].clone();
    if plain::is_binary(&source.bytes) {
        let note = format!(
            "{name}: not text; save what the tools printed, and give captures to a tool that reads them"
        );
        facts.notes.push(note);
        return;
    }
    let text = broken::mended(printable::written(plain::plain(&source.bytes)));
    if router::configuration(number, &name, &text, facts) {
        return;
    }
    Reader {
        number,
        text: &text,
        tools: tools(),
        current: None,
        margin: 0,
        stream: json::Stream::default(),
        budget: text.len().saturating_mul(3).saturating_add(1 << 20),
    }
    .lines(&name, facts);
}

/// One source, while it is read.
struct Reader<'t> {
    number: u32,
    text: &'t str,
    tools: Vec<Box<dyn Tool>>,
    /// The tool that took the last line.
    current: Option<usize>,
    /// The bytes of white space before the first line that it took.
    margin: usize,
    stream: json::Stream,
    /// Bytes that may still be tried as JSON: each beginning that is none costs what was read of it.
    budget: usize,
}

impl Facts {
    /// What a command that was typed does: it fetches or copies files, holds its own rate or prints what does, tries one version of IP. A time
    /// of day that somebody typed above it says when.
    fn typed(&mut self, line: Line) {
        self.moments.clock(line);
        self.moments.command(line);
        self.typed_mixed(line);
        self.typed_fetch(line);
        self.typed_through(line);
        self.typed_limit(line);
        self.typed_copy(line);
        self.typed_program(line);
        self.typed_rate_file(line);
        self.tries_of(line);
    }
}

impl Reader<'_> {
    fn lines(mut self, name: &str, facts: &mut Facts) {
        let mut long = 0_usize;
        // JSON that was read ends at this byte.
        let mut until = 0;
        let mut at_byte = 0;
        for (n, whole) in self.text.split_inclusive('\n').enumerate() {
            let begin = at_byte;
            at_byte += whole.len();
            if begin < until {
                continue;
            }
            let n = n as u32 + 1;
            if n as usize > LINES_MAX || facts.is_full() {
                facts.notes.push(format!(
                    "{name}: read as far as line {n}, which is the limit"
                ));
                break;
            }
            let bare = whole.trim();
            if bare.is_empty() {
                facts.label_ends();
                continue;
            }
            let at = Place::Line(self.number, n);
            match label::label(bare, &facts.label) {
                Some(label) => facts.labels(label, at),
                None => facts.label.passes(bare),
            }
            if bare.starts_with(['{', '['])
                && let Some(end) = self.json(begin, n, facts)
            {
                until = end;
                continue;
            }
            if bare.len() > LINE_MAX {
                long += 1;
                facts.ignore(self.number, n);
                self.current = None;
                continue;
            }
            let line = Line { bare, at };
            facts.typed(line);
            if let Some((tool, said)) = failed::failed(bare) {
                facts.gave_up(tool, said, line.at);
                continue;
            }
            if facts.says_so(line) || facts.moments.heads(line) {
                continue;
            }
            let taken = offer(&mut self.tools, self.current, line, facts);
            if taken.is_none() {
                facts.moments.read(line);
            }
            // A rule between two things is of neither, and the time of day of none.
            if taken.is_none() && (!bare.contains(char::is_alphanumeric) || plain::is_date(bare)) {
                continue;
            }
            self.goes_on(whole, taken);
            if taken.is_none() && !label::is_typed(bare) && !facts.holds_rate_at(at) {
                facts.ignore(self.number, n);
                facts.aside.line(bare);
            }
        }
        self.finish(facts);
        if long > 0 {
            facts.notes.push(format!(
                "{name}: {long} lines longer than {LINE_MAX} bytes were left"
            ));
        }
    }

    /// A line was taken by this tool, or by none: then the tool of the line before goes on where it indents what it prints, as this line is.
    fn goes_on(&mut self, whole: &str, taken: Option<usize>) {
        let margin = whole.len() - whole.trim_start().len();
        let indents = |n: usize| self.tools[n].is_indented() && margin > self.margin;
        if taken.is_none() && self.current.is_some_and(indents) {
            return;
        }
        if taken != self.current {
            self.margin = margin;
        }
        self.current = taken;
    }

    /// The text is over: what is half read is finished.
    fn finish(&mut self, facts: &mut Facts) {
        for tool in &mut self.tools {
            tool.finish(facts);
        }
        let before = facts.count();
        self.stream.finish(facts);
        let gained = facts.count().saturating_sub(before);
        let mut pieces = facts.pieces.iter_mut().rev();
        if let Some(piece) = pieces.find(|p| p.source == self.number && p.tool == "iperf3") {
            piece.facts += gained;
        }
    }

    /// Charges bytes that were read in vain.
    fn pay(&mut self, bytes: usize) -> Option<usize> {
        self.budget = self.budget.saturating_sub(bytes);
        None
    }

    /// Reads JSON that begins in this line; the byte behind it, if a known tool printed it.
    fn json(&mut self, begin: usize, line: u32, facts: &mut Facts) -> Option<usize> {
        let rest = &self.text[begin..];
        let skip = rest.find(['{', '['])?;
        // `[  3]` begins a row of iperf: JSON goes on with a value.
        let next = rest[skip + 1..].trim_start().chars().next()?;
        let opens = next == '{' || next == '"' && rest[skip..].starts_with('{');
        if !opens || self.budget == 0 {
            return None;
        }
        let mut values =
            serde_json::Deserializer::from_str(&rest[skip..]).into_iter::<serde_json::Value>();
        let value = match values.next() {
            Some(Ok(value)) => value,
            // What was read in vain is paid for, so that a hostile text cannot have it read again and again.
            Some(Err(e)) if e.is_eof() => {
                if begin == 0 || rest.len() > TRUNCATED {
                    let note = format!(
                        "{}:{line}: JSON that begins here has no end: the text was cut off; save all of it",
                        facts.place(Place::Line(self.number, 0))
                    );
                    if !facts.notes.contains(&note) && facts.notes.len() < NOTES_MAX {
                        facts.notes.push(note);
                    }
                }
                return self.pay(rest.len());
            }
            _ => return self.pay(rest.len() / 8 + 64),
        };
        let end = begin + skip + values.byte_offset();
        let at = Place::Line(self.number, line);
        let before = facts.count();
        let list = match value {
            serde_json::Value::Array(list) => list,
            one => vec![one],
        };
        let mut known = None;
        for value in &list {
            known = json::read(value, at, &mut self.stream, facts).or(known);
        }
        let Some(tool) = known else {
            return self.pay(values.byte_offset());
        };
        let gained = facts.count().saturating_sub(before);
        let going = facts
            .pieces
            .last()
            .is_some_and(|p| p.tool == tool && p.source == self.number && p.last + 1 == line);
        facts.took(tool, at, gained, going);
        if let Some(piece) = facts.pieces.last_mut() {
            piece.last = line + self.text[begin..end].trim_end().matches('\n').count() as u32;
        }
        self.current = None;
        Some(end)
    }
}
