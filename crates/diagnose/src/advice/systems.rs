//! The commands of each system, how to undo them, how to keep them, and what may go wrong.

mod card;
mod datagrams;
mod disk;
mod freebsd;
mod holes;
mod pacing;
mod policer;
mod requests;
mod restart;
mod root;
mod scaling;
mod tested;
mod windows;

pub(crate) use card::{SPREADING, interface, interface_of, spread_back};
pub(crate) use datagrams::reader_of_datagrams;
pub(crate) use disk::disk;
pub(crate) use holes::{Between, probing};
pub(crate) use pacing::{MANY_QUEUES, Sending, bearing, finding, in_order, pacing, unpaced};
pub(crate) use policer::larger_instance;
pub(crate) use requests::{at_server, of_requests};
pub(crate) use restart::restart;
pub(crate) use root::{DELETED, is_kept, unseen_back};
pub(crate) use scaling::{OFFERED_TO_ALL, option_between, scaling};
pub(crate) use tested::{own_buffer, tester, threads};

use super::printed;
use crate::cause::Cause;
use crate::ceiling::bytes;
use crate::document::Change;
use crate::fact::Figure;
use crate::flows::asked_option::AskedBy;
use crate::known::System;
use crate::seen::Side;
use crate::windows::channel::Channel;
use farpath_predict::window::{SETTING_MOST as LARGEST, power, room_for};

/// Commands against a cause.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Remedy {
    /// What to type.
    pub(crate) commands: Vec<String>,
    /// What to type to have it as before.
    pub(crate) undo: Vec<String>,
    /// What keeps it after the next start.
    pub(crate) persist: Vec<String>,
    /// What may go wrong.
    pub(crate) risk: String,
    /// The largest buffer that a connection has room for then, bytes; none where it is not set to a number.
    pub(crate) room: Option<u64>,
}

/// Which end of a flow is to be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The one that sends.
    Sender = 0,
    /// The one that receives.
    Receiver = 1,
}

impl From<Side> for End {
    fn from(side: Side) -> End {
        match side {
            Side::Sender => End::Sender,
            Side::Receiver => End::Receiver,
        }
    }
}

/// What the buffers of an end are set to now, bytes; none where nothing says so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Buffers {
    /// Least of Linux's triple.
    pub(crate) least: Option<u64>,
    /// Default of Linux's triple.
    pub(crate) default: Option<u64>,
    /// Most that the kernel gives by itself.
    pub(crate) most: Option<u64>,
    /// Most that a program may ask for.
    pub(crate) core: Option<u64>,
    /// What a connection begins with on a BSD.
    pub(crate) space: Option<u64>,
    /// The host is a Windows before Vista, which tunes no window.
    pub(crate) old: bool,
    /// How far Windows lets a window grow, by its own word.
    pub(crate) level: Option<&'static str>,
    /// Window scaling is known to be off.
    pub(crate) unscaled: bool,
    /// Linux's tuning of receive buffers is off: they stay at the default.
    pub(crate) untuned: bool,
    /// Tuning of a FreeBSD's or a Mac's buffers is off: they stay at what they begin with.
    pub(crate) fixed: bool,
    /// How the test asked for a buffer of its own, where it did.
    pub(crate) asked: Option<&'static AskedBy>,
}

/// What may go wrong with commands that change nothing.
pub(crate) const NO_RISK: &str = "none known";

impl Remedy {
    /// Commands that change nothing which would have to be undone.
    pub(super) fn without_risk<'t>(commands: impl IntoIterator<Item = &'t str>) -> Remedy {
        Remedy {
            commands: commands.into_iter().map(str::to_owned).collect(),
            risk: NO_RISK.to_owned(),
            ..Remedy::default()
        }
    }

    /// This may go wrong besides.
    pub(super) fn risks(&mut self, what: &str) {
        if self.risk.is_empty() || self.risk == NO_RISK {
            what.clone_into(&mut self.risk);
        } else {
            self.risk.push_str("; ");
            self.risk.push_str(what);
        }
    }

    /// Both: what may go wrong is what may with the other.
    pub(crate) fn and(mut self, other: Remedy) -> Remedy {
        self.commands.extend(other.commands);
        self.undo.extend(other.undo);
        self.persist.extend(other.persist);
        Remedy {
            risk: other.risk,
            ..self
        }
    }

    /// The same, of a host and with the rate to expect then. What the undo takes of a command's output is printed first.
    pub(crate) fn change(
        self,
        host: &str,
        system: Option<System>,
        after: Option<Figure>,
    ) -> Change {
        Change {
            host: host.to_owned(),
            os: system.map_or("", System::name),
            commands: printed::behind(self.commands, &self.undo),
            undo: self.undo,
            persist: self.persist,
            risk: self.risk,
            predicted_bps: after.as_ref().map(|f| f.value),
            low_bps: after.as_ref().map(|f| f.low),
            high_bps: after.as_ref().map(|f| f.high),
            then: None,
            start_ns: None,
        }
    }
}

/// What tells a program from its path.
const COMPARE: &str = "iperf3 -s on one host, and iperf3 -c HOST -t 30 on the other with the first as HOST: what the path gives without the program";

/// Against pauses of a program; with what a test between the same hosts got.
pub(crate) fn program(tested: Option<&str>) -> Remedy {
    let path = match tested {
        Some(rate) => format!(
            "the path carried {rate} in a test between the same hosts: what is left is the program, and the disk or processor it waits for"
        ),
        None => COMPARE.to_owned(),
    };
    Remedy::without_risk([
        "ask for larger pieces, or for the next before the last has come: each pause costs a round trip",
        &path,
    ])
}

/// Against small writes that wait for acknowledgements (RFC 1122 §4.2.3.4).
pub(crate) fn small_writes() -> Remedy {
    Remedy::without_risk([
        "set TCP_NODELAY on the connection: a small write then leaves at once",
        "or hand over header and body in one write (writev, a buffered writer that is flushed once): each wait costs a round trip",
    ])
}

/// Against pauses of OpenSSH, which has a window of its own: what the bytes in flight speak for comes first.
pub(crate) fn ssh(channel: Channel) -> Remedy {
    let disk = |why: &str| {
        format!(
            "iostat -x 5 on both hosts meanwhile: a disk that is busy gives no more; the window of OpenSSH's channel, 2 MiB, is not what holds it, as {why}"
        )
    };
    let first = match channel {
        Channel::Open => "OpenSSH lets 2 MiB of a channel be in flight, whatever TCP's window: several transfers side by side, or a tool that copies without ssh, get more".to_owned(),
        Channel::Beyond => disk("more is in flight"),
        Channel::Empty(flight) => disk(&format!("only {} of it were in flight", bytes(flight))),
    };
    let commands = [
        first.as_str(),
        "top -H on both hosts meanwhile: where ssh or sshd fills a processor, a cipher that the processor knows (-c aes128-gcm@openssh.com) is faster",
        COMPARE,
    ];
    Remedy::without_risk(commands)
}

/// Against a processor that is full.
pub(crate) fn processor(ssh: bool, threads: Option<String>) -> Remedy {
    let cipher = "a cipher that the processor knows: ssh -c aes128-gcm@openssh.com, without -C";
    let share = match (ssh, &threads) {
        (true, _) => cipher,
        (false, Some(threads)) => threads.as_str(),
        (false, None) => {
            "share the work: several processes or connections side by side, or a program with a thread for each"
        }
    };
    let commands = [
        "top -H meanwhile: which thread fills a processor",
        share,
        "where interrupts (ksoftirqd, %soft) fill it: ethtool -x INTERFACE, and keep what it prints; ethtool -X INTERFACE equal N spreads them over N queues; the program belongs on other processors (taskset)",
    ];
    let mut remedy = Remedy::without_risk(commands);
    remedy.undo.push(spread_back("INTERFACE"));
    remedy.risks(SPREADING);
    remedy
}

/// Against a program that does not read.
/// A tool that only tests need not be tried against itself.
pub(crate) fn reader(tester: bool) -> Remedy {
    let commands = [
        "find out what the receiving program waits for: a disk, a processor, a lock; a larger window does not help",
        match tester {
            true => {
                "top -H on the receiver meanwhile: whether a thread of the test's server fills a processor"
            }
            false => COMPARE,
        },
    ];
    Remedy::without_risk(commands)
}

/// Against a window that the receiver's settings do not hold; `zero` where its SYN arrived with a scale of 0.
/// `core` is what `net.core.rmem_max` lets a program ask for, bytes.
pub(crate) fn left_small(zero: bool, core: Option<u64>) -> Remedy {
    let commands = [
        "ss -tmn on the receiver meanwhile, several times: a Recv-Q that stays is a program that does not read; no setting helps it",
        "with an empty Recv-Q the program asked for a small buffer (SO_RCVBUF; -w of iperf, `socket options` of rsync): leave that out. The kernel's settings allow more already, and tcp_rmem bounds no buffer that was asked for",
    ];
    let mut remedy = Remedy::without_risk(commands);
    let asks = match core {
        Some(core) => format!(
            "or let it ask for more: net.core.rmem_max, now {core}, is what it gets at most"
        ),
        None => {
            "or let it ask for more: sysctl net.core.rmem_max is what it gets at most".to_owned()
        }
    };
    remedy.commands.push(asks);
    if zero {
        remedy.commands.push(
            "or a firewall set the receiver's window scale to 0: of a new connection, on both hosts: tcpdump -vni INTERFACE 'tcp[tcpflags] & tcp-syn != 0' | grep Flags. A scale that the receiver sends and that does not arrive is the firewall's, and one that is 0 where it is sent is the small buffer's"
                .to_owned(),
        );
    }
    remedy
}

/// A value as it was, or where nothing says what it was how it is known.
pub(super) fn before(key: &str, value: Option<u64>, write: &str) -> String {
    match value {
        Some(value) => format!("{write}{key}={value}"),
        None => format!("{write}{key}=VALUE, with the value that `sysctl {key}` printed before"),
    }
}

/// Commands that give a socket room for `wanted` bytes in flight.
pub(crate) fn buffer(system: Option<System>, wanted: f64, end: End, now: &Buffers) -> Remedy {
    let mut remedy = match system {
        Some(System::FreeBsd) => freebsd::buffer(wanted, end, now),
        Some(System::OpenBsd | System::NetBsd | System::Bsd) => bsd(wanted, end, now),
        Some(System::MacOs) => macos(wanted, end, now),
        Some(System::Windows) => windows::buffer(end, now),
        Some(System::Solaris) => solaris(wanted, end),
        Some(System::Linux) | None => linux(wanted, end, now),
    };
    if is_tuned(system) && now.most.is_none() && now.space.is_none() {
        let first = format!(
            "print them first, with {}: what is larger already stays as it is, and then the program asks for a buffer of its own (SO_RCVBUF, SO_SNDBUF)",
            crate::missing::settings(system, end == End::Receiver)
        );
        remedy.commands.insert(0, first);
    }
    remedy
}

/// A buffer goes by the round trip, and no text says that: what it takes to know its size, of connections side by side that are to have
/// `goal`, bit/s, together.
pub(crate) fn unsized_buffer(host: &str, goal: Option<f64>, streams: f64, now: &Buffers) -> Remedy {
    let measure = format!(
        "ping -c 20 {host}, then farpath diagnose --rtt TIME ... with its mean: a buffer goes by the round trip, which no text says, so that no size is named"
    );
    let rule = match goal {
        Some(goal) => format!(
            "what {} needs{}: {} of buffer for each millisecond of round trip, twice what is in flight",
            crate::ceiling::bps(goal),
            if streams > 1.0 { " of each connection" } else { "" },
            bytes(2.0 * goal / 8.0 / streams * 1e-3)
        ),
        None => "and --line or --target with the rate that is wanted: rate · round trip is in flight, and the buffer is twice that".to_owned(),
    };
    let mut remedy = Remedy {
        commands: vec![measure, rule],
        risk: NO_RISK.to_owned(),
        ..Remedy::default()
    };
    if now.untuned {
        tune(&mut remedy);
    }
    remedy
}

/// Linux's tuning of receive buffers, on.
fn tune(remedy: &mut Remedy) {
    let key = "net.ipv4.tcp_moderate_rcvbuf";
    remedy.commands.insert(0, format!("sysctl -w {key}=1"));
    remedy.undo.insert(0, format!("sysctl -w {key}=0"));
    if remedy.risk == NO_RISK {
        remedy.risks("each connection may then use as much kernel memory as tcp_rmem allows");
    }
    match remedy.persist.is_empty() {
        true => remedy.persist = kept(&[(key, "1")]),
        false => remedy.persist.insert(1, format!("{key} = 1")),
    }
}

/// Whether a system's buffers are numbers that are set.
pub(crate) fn is_tuned(system: Option<System>) -> bool {
    !matches!(system, Some(System::Windows | System::Solaris))
}

/// The buffer for `wanted` bytes: a power of two, and more than there is now, which is what limits.
fn larger(wanted: f64, now: Option<u64>) -> u64 {
    let least = now.map_or(0.0, |now| now as f64 + 1.0);
    power(wanted.max(least))
}

fn memory(bytes: u64) -> String {
    format!("each connection may then use up to {bytes} bytes of kernel memory")
}

impl Buffers {
    /// What a connection gets where the most is high enough for `wanted` bytes, and no buffer grows to it: nothing is to be raised.
    fn high_enough(&self, wanted: f64) -> Option<Remedy> {
        let most = self.most.filter(|most| *most as f64 >= 2.0 * wanted)?;
        Some(Remedy {
            risk: memory(most),
            room: Some(most),
            ..Remedy::default()
        })
    }
}

fn linux(wanted: f64, end: End, now: &Buffers) -> Remedy {
    let enough = now.high_enough(wanted).filter(|_| now.untuned);
    let mut remedy = enough.unwrap_or_else(|| largest(wanted, end, now));
    if now.untuned {
        tune(&mut remedy);
    }
    if let Some(by) = now.asked {
        remedy.commands.insert(0, tested::leave_out(by));
    }
    remedy
}

/// A higher third number of Linux's triple, and the limit of what programs ask for where that is lower.
fn largest(wanted: f64, end: End, now: &Buffers) -> Remedy {
    let twice = room_for(wanted, now.most);
    let (way, usual) = match end {
        End::Receiver => ("r", 131_072),
        End::Sender => ("w", 16_384),
    };
    let (core, triple) = (
        format!("net.core.{way}mem_max"),
        format!("net.ipv4.tcp_{way}mem"),
    );
    let (least, default) = (now.least.unwrap_or(4096), now.default.unwrap_or(usual));
    let new = format!("{least} {default} {twice}");
    let mut remedy = Remedy {
        commands: vec![format!("sysctl -w {triple}=\"{new}\"")],
        undo: vec![match (now.default, now.most) {
            (Some(default), Some(most)) => {
                format!("sysctl -w {triple}=\"{least} {default} {most}\"")
            }
            _ => before(&triple, None, "sysctl -w "),
        }],
        persist: kept(&[(&triple, &new)]),
        risk: format!(
            "{}; with pfifo_fast a larger window may overflow short queues: use fq",
            memory(twice)
        ),
        room: Some(twice),
    };
    // Only programs that ask for a buffer are held by it.
    if now.core.is_none_or(|core| core < twice) {
        remedy
            .commands
            .insert(0, format!("sysctl -w {core}={twice}"));
        remedy.undo.insert(0, before(&core, now.core, "sysctl -w "));
        remedy.persist.insert(1, format!("{core} = {twice}"));
    }
    remedy
}

/// What keeps settings of Linux after the next start: lines of a file.
pub(crate) fn kept(settings: &[(&str, &str)]) -> Vec<String> {
    let lines = settings
        .iter()
        .map(|(key, value)| format!("{key} = {value}"));
    let file = "in /etc/sysctl.d/90-farpath.conf (to undo, delete them there):".to_owned();
    [file].into_iter().chain(lines).collect()
}

/// What keeps a setting of a BSD, whose file has lines of others.
pub(super) fn kept_by_bsd(key: &str, value: u64) -> String {
    format!(
        "in /etc/sysctl.conf: {key}={value} (to undo, delete it there, or write the line of {key} that stood there)"
    )
}

fn bsd(wanted: f64, end: End, now: &Buffers) -> Remedy {
    let once = larger(wanted, now.space);
    let space = if end == End::Receiver { "recv" } else { "send" };
    let key = format!("net.inet.tcp.{space}space");
    Remedy {
        commands: vec![
            format!("sysctl {key}={once}"),
            "if that is refused: the kernel's limit on socket buffers (SB_MAX, 262144 in old kernels) has to be raised, or the system renewed".to_owned(),
        ],
        undo: vec![before(&key, now.space, "sysctl ")],
        persist: vec![kept_by_bsd(&key, once)],
        risk: "every connection of the host starts with this buffer; a kernel with little memory for mbufs may run out of them".to_owned(),
        room: Some(once),
    }
}

fn macos(wanted: f64, end: End, now: &Buffers) -> Remedy {
    let twice = larger(wanted * 2.0, now.most);
    let way = if end == End::Receiver { "rcv" } else { "snd" };
    let auto = format!("net.inet.tcp.auto{way}bufmax");
    let all = "kern.ipc.maxsockbuf";
    let mut remedy = Remedy {
        commands: vec![format!("sudo sysctl -w {auto}={twice}")],
        undo: vec![before(&auto, now.most, "sudo sysctl -w ")],
        persist: vec![
            "a LaunchDaemon that runs the commands: current releases read no sysctl.conf"
                .to_owned(),
        ],
        risk: memory(twice),
        room: Some(twice),
    };
    // No buffer is larger than this limit allows.
    if now.core.is_none_or(|core| core < twice) {
        let most = twice.saturating_mul(2).min(LARGEST);
        remedy
            .commands
            .insert(0, format!("sudo sysctl -w {all}={most}"));
        remedy.undo.push(before(all, now.core, "sudo sysctl -w "));
        remedy
            .risk
            .push_str("; older releases refuse more than kern.ipc.maxsockbuf allows");
    }
    if now.fixed {
        let key = format!("net.inet.tcp.doauto{way}buf");
        remedy.commands.insert(0, format!("sudo sysctl -w {key}=1"));
        remedy.undo.push(format!("sudo sysctl -w {key}=0"));
    }
    remedy
}

/// A send buffer of `set` bytes that the program asked for itself: the kernel tunes it no more, whatever its settings are.
pub(crate) fn set_by_program(set: f64, wanted: f64, now: &Buffers) -> Remedy {
    let most = now.most.unwrap_or(0);
    let mut remedy = match (most as f64) < wanted {
        true => largest(wanted, End::Sender, now),
        false => Remedy {
            risk: memory(most),
            room: Some(most),
            ..Remedy::default()
        },
    };
    let room = remedy.room.unwrap_or(most);
    let first = format!(
        "have the program ask for no send buffer (SO_SNDBUF; -w of iperf3): it set one, of {set:.0} bytes, which the kernel tunes no more, so that net.ipv4.tcp_wmem changes nothing. Without it up to {room} bytes are given"
    );
    remedy.commands.insert(0, first);
    let ask = power(wanted);
    let key = "net.core.wmem_max";
    remedy.commands.push(match now.core {
        Some(core) if core >= ask => {
            format!("or have it ask for {ask} bytes, as {key}, {core}, allows")
        }
        _ => {
            // The larger buffer raises it as well, and its undo has it then.
            let undone = before(key, now.core, "sysctl -w ");
            if !remedy.undo.contains(&undone) {
                remedy.undo.push(undone);
            }
            match now.core.filter(|core| set == 2.0 * *core as f64) {
                Some(core) => format!(
                    "or sysctl -w {key}={ask}, and start it anew: its buffer is all that this setting gives now, twice {core}, so that it asked for that or more"
                ),
                None => format!(
                    "or have it ask for {ask} bytes, after sysctl -w {key}={ask}: it gets no more than that setting"
                ),
            }
        }
    });
    remedy
}

fn solaris(wanted: f64, end: End) -> Remedy {
    let once = power(wanted);
    let [property, old] = match end {
        End::Receiver => ["recv_buf", "tcp_recv_hiwat"],
        End::Sender => ["send_buf", "tcp_xmit_hiwat"],
    };
    Remedy {
        commands: vec![
            format!("ipadm set-prop -p max_buf={once} tcp"),
            format!("ipadm set-prop -p {property}={once} tcp"),
            format!(
                "before Solaris 11: ndd -set /dev/tcp tcp_max_buf {once}; ndd -set /dev/tcp {old} {once}"
            ),
        ],
        undo: vec![
            format!(
                "ipadm set-prop -p {property}=VALUE tcp, with the value that `ipadm show-prop -p {property} tcp` printed before"
            ),
            "ipadm set-prop -p max_buf=VALUE tcp, with the value that `ipadm show-prop -p max_buf tcp` printed before"
                .to_owned(),
            format!(
                "before Solaris 11: ndd -set /dev/tcp with what ndd /dev/tcp tcp_max_buf and ndd /dev/tcp {old} printed before"
            ),
        ],
        persist: vec!["ipadm keeps it; ndd's is lost at the next start".to_owned()],
        risk: "every connection of the host starts with this buffer".to_owned(),
        room: Some(once),
    }
}

/// The test was over before the window had opened.
pub(crate) fn longer(host: &str) -> Remedy {
    Remedy {
        commands: vec![format!("test for longer, without the start: iperf3 -c {host} -t 60 -O 10")],
        undo: Vec::new(),
        persist: Vec::new(),
        room: None,
        risk: "transfers as short as this one stay as slow: only a shorter round trip or one connection for many of them helps".to_owned(),
    }
}

/// Datagrams that are sent as fast as a program is asked to.
pub(crate) fn datagrams(cause: Cause, passed: Option<f64>, stated: Option<f64>) -> Remedy {
    let command = match (cause, passed) {
        (Cause::Application, _) => {
            "send faster: the program's rate is what arrives (iperf3 -u -b RATE)".to_owned()
        }
        (_, Some(bps)) => format!(
            "send no more than what arrived: {:.0} kbit/s",
            pacing::known(bps) / 1e3
        ),
        (_, None) => "send more slowly".to_owned(),
    };
    let held = passed.filter(|_| matches!(cause, Cause::Policer | Cause::Shaper));
    let ask = held.map(|passed| match stated.filter(|_| cause == Cause::Policer) {
        Some(stated) => policer::higher_for_datagrams(stated, passed),
        None => policer::ask(passed),
    });
    Remedy {
        commands: ask.into_iter().chain([command]).collect(),
        risk: NO_RISK.to_owned(),
        ..Remedy::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 10 Gbit/s over 150 ms are 187.5 MB in flight; twice that, and the next power of two, are 512 MiB.
    #[test]
    fn linux_is_put_back_to_what_it_had() {
        let now = Buffers {
            least: Some(4096),
            default: Some(16_384),
            most: Some(4_194_304),
            core: Some(212_992),
            ..Buffers::default()
        };
        let remedy = buffer(Some(System::Linux), 187.5e6, End::Sender, &now);
        assert_eq!(
            remedy.commands[..2],
            [
                "sysctl -w net.core.wmem_max=536870912",
                "sysctl -w net.ipv4.tcp_wmem=\"4096 16384 536870912\""
            ]
        );
        assert_eq!(
            remedy.undo,
            [
                "sysctl -w net.core.wmem_max=212992",
                "sysctl -w net.ipv4.tcp_wmem=\"4096 16384 4194304\""
            ]
        );
        assert_eq!(
            remedy.persist,
            [
                "in /etc/sysctl.d/90-farpath.conf (to undo, delete them there):",
                "net.core.wmem_max = 536870912",
                "net.ipv4.tcp_wmem = 4096 16384 536870912"
            ]
        );
        // A limit that is high enough is left.
        let roomy = Buffers {
            core: Some(1 << 30),
            ..now
        };
        let remedy = buffer(None, 187.5e6, End::Sender, &roomy);
        assert!(!remedy.commands.iter().any(|c| c.contains("net.core")));
    }

    #[test]
    fn every_system_has_commands_an_undo_and_a_risk() {
        for (name, system) in System::NAMES {
            for end in [End::Sender, End::Receiver] {
                for remedy in [
                    buffer(Some(system), 1e6, end, &Buffers::default()),
                    scaling(Some(system), &Buffers::default()),
                ] {
                    assert!(!remedy.commands.is_empty(), "{name}");
                    assert!(!remedy.undo.is_empty(), "{name}");
                    assert!(!remedy.persist.is_empty(), "{name}");
                    assert!(!remedy.risk.is_empty(), "{name}");
                }
            }
        }
        // No system takes a buffer above a signed number of 32 bits.
        let most = buffer(
            Some(System::FreeBsd),
            1e12,
            End::Sender,
            &Buffers::default(),
        );
        assert_eq!(most.commands[1], "sysctl kern.ipc.maxsockbuf=2147483647");
    }

    /// A remedy of each kind, of hosts of which nothing is known and of some that are.
    fn remedies() -> Vec<Remedy> {
        let now = Buffers {
            untuned: true,
            ..Buffers::default()
        };
        let mut all = vec![
            processor(false, None),
            disk(End::Receiver, None, None),
            interface("", "eth0", None),
            interface_of(System::FreeBsd, "", "ix0"),
            interface_of(System::Solaris, "", "net0"),
            unsized_buffer("b", None, 1.0, &now),
            set_by_program(65_536.0, 1e6, &Buffers::default()),
            probing(&(1400, "a guess"), Between::default()),
            probing(
                &(1400, "a guess"),
                Between {
                    system: Some(System::Windows),
                    bridged: true,
                    located: false,
                    clamp: None,
                },
            ),
            restart(),
            reader_of_datagrams(None, Some(212_992), Some(1e9)),
        ];
        all.extend(requests::all());
        for root in [
            None,
            Some("mq"),
            Some("fq"),
            Some("pfifo_fast"),
            Some("tbf"),
            Some("cake"),
        ] {
            all.push(unpaced(Some(1e9), root));
            for (cause, policed) in [
                (Cause::CongestionLoss, None),
                (Cause::RandomLoss, None),
                (Cause::Policer, None),
                (Cause::Policer, Some(1e9)),
            ] {
                let sending = Sending {
                    root: root.map(str::to_owned),
                    policed,
                    ..Sending::default()
                };
                all.push(pacing(cause, &sending));
            }
        }
        for (_, system) in System::NAMES {
            for end in [End::Sender, End::Receiver] {
                all.push(buffer(Some(system), 1e6, end, &now));
            }
            all.push(scaling(Some(system), &now));
        }
        all
    }

    #[test]
    fn what_writes_has_an_undo_and_a_risk() {
        let writes = [
            "sysctl -w ",
            "tc qdisc replace",
            "tc qdisc change",
            "ethtool -X ",
            "ethtool -G ",
            "ip link set ",
            "> /sys/",
            "dd if=/dev/zero",
            "netsh interface tcp set",
            "netsh winsock set",
            "ipadm set-prop",
        ];
        for remedy in remedies() {
            let commands = remedy.commands.join("\n");
            if writes.iter().any(|write| commands.contains(write)) {
                assert!(!remedy.undo.is_empty(), "{remedy:?}");
                assert!(
                    remedy.risk != NO_RISK && !remedy.risk.is_empty(),
                    "{remedy:?}"
                );
            }
        }
    }

    #[test]
    fn what_an_undo_takes_is_printed_by_a_command() {
        for remedy in remedies() {
            let change = remedy.change("a", None, None);
            assert_eq!(
                printed::first(&change.commands, &change.undo),
                None,
                "{change:?}"
            );
        }
    }
}
