//! What the user knows and no text says, and the names that texts use.

use farpath_config::CONTROLS;
use farpath_units::{Duration, Rate, Ratio, Size};

use crate::fact::{Figure, Of, Place};
use crate::read::Facts;

/// The system of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum System {
    /// Linux.
    Linux,
    /// FreeBSD.
    FreeBsd,
    /// OpenBSD.
    OpenBsd,
    /// NetBSD.
    NetBsd,
    /// One of the BSDs; which one is not known.
    Bsd,
    /// macOS.
    MacOs,
    /// Windows.
    Windows,
    /// Solaris.
    Solaris,
}

impl System {
    /// Every system with its name in options and results.
    pub const NAMES: [(&'static str, System); 8] = [
        ("linux", System::Linux),
        ("freebsd", System::FreeBsd),
        ("openbsd", System::OpenBsd),
        ("netbsd", System::NetBsd),
        ("bsd", System::Bsd),
        ("macos", System::MacOs),
        ("windows", System::Windows),
        ("solaris", System::Solaris),
    ];

    /// The system of this name.
    pub fn named(name: &str) -> Option<System> {
        let found = System::NAMES.iter().find(|(n, _)| *n == name);
        found.map(|(_, system)| *system)
    }

    /// Its name in options and results.
    pub fn name(self) -> &'static str {
        let found = System::NAMES.iter().find(|(_, s)| *s == self);
        found.map_or("", |(name, _)| name)
    }

    /// Whether both may be the same host's.
    pub(crate) fn agrees(self, other: System) -> bool {
        let is_bsd = |s| {
            matches!(
                s,
                System::FreeBsd | System::OpenBsd | System::NetBsd | System::Bsd | System::MacOs
            )
        };
        self == other
            || self == System::Bsd && is_bsd(other)
            || other == System::Bsd && is_bsd(self)
    }
}

/// What the user knows: each becomes a fact from "you".
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// Round-trip time of the idle path.
    pub rtt: Option<Duration>,
    /// Rate of the slowest link of the path.
    pub line: Option<Rate>,
    /// Rate that was expected.
    pub target: Option<Rate>,
    /// Rate that was measured.
    pub measured: Option<Rate>,
    /// Share of segments that the path loses.
    pub loss: Option<Ratio>,
    /// Largest IP packet.
    pub mtu: Option<Size>,
    /// System of the sender.
    pub sender: Option<System>,
    /// System of the receiver.
    pub receiver: Option<System>,
    /// Congestion control of the sender.
    pub cc: Option<String>,
    /// Largest send buffer, in bytes of data.
    pub send_buffer: Option<Size>,
    /// Largest receive window.
    pub window: Option<Size>,
}

/// A satellite and its queues take a second or two.
const LONG: Duration = Duration::from_secs(5);

impl Known {
    /// Adds them to what was read.
    pub fn tell(&self, facts: &mut Facts) {
        let at = Place::You;
        let mut number = |of, name, value: Option<f64>| {
            if let Some(value) = value {
                facts.number(of, name, Figure::exact(value, at));
            }
        };
        let bps = |rate: Option<Rate>| rate.map(|r| r.as_bps() as f64);
        let bytes = |size: Option<Size>| size.map(|s| s.as_bytes() as f64);
        let rtt = self.rtt.map(|r| r.as_ps() as f64 / 1000.0);
        let long = self.rtt.filter(|rtt| *rtt > LONG);
        number(Of::Path, "rtt_known_ns", rtt.filter(|r| *r > 0.0));
        number(Of::Path, "line_bps", bps(self.line));
        number(Of::Path, "target_bps", bps(self.target));
        number(Of::Path, "measured_bps", bps(self.measured));
        number(Of::Path, "loss_known_ratio", self.loss.map(Ratio::get));
        number(Of::Path, "mtu_bytes", bytes(self.mtu));
        number(
            Of::Sender,
            "send_buffer_known_bytes",
            bytes(self.send_buffer),
        );
        number(Of::Receiver, "window_known_bytes", bytes(self.window));
        if let Some(rtt) = long {
            let thousandth = Duration::from_ps(rtt.as_ps() / 1000);
            facts.notes.push(format!(
                "you: a round trip of {rtt} is longer than any path on Earth has: was {thousandth} meant?"
            ));
        }
        for (of, system) in [(Of::Sender, self.sender), (Of::Receiver, self.receiver)] {
            if let Some(system) = system {
                facts.word(of, "system", system.name(), at);
            }
        }
        if let Some(cc) = self.cc.as_deref().and_then(control) {
            facts.word(Of::Sender, "cc", cc, at);
        }
    }
}

/// The name of a congestion control, if a kernel has it.
pub(crate) fn control(name: &str) -> Option<&'static str> {
    let name = name.trim();
    // macOS has LEDBAT, which no setting names.
    let all = CONTROLS.iter().chain(&["ledbat"]);
    all.copied().find(|c| c.eq_ignore_ascii_case(name))
}

/// Queueing disciplines by their names in Linux.
const QDISCS: [&str; 16] = [
    "fq",
    "fq_codel",
    "pfifo_fast",
    "pfifo",
    "bfifo",
    "noqueue",
    "mq",
    "tbf",
    "htb",
    "hfsc",
    "netem",
    "cake",
    "codel",
    "sfq",
    "red",
    "fq_pie",
];

/// The name of a queueing discipline, if Linux has it.
pub(crate) fn qdisc(name: &str) -> Option<&'static str> {
    QDISCS.into_iter().find(|q| *q == name.trim())
}

/// How far Windows lets a receive window grow: the level by its own word, and the shift of the largest window (Microsoft, "Performance
/// tuning network adapters", and `Set-NetTCPSetting -AutoTuningLevelLocal`).
const TUNING: [(&str, u32); 5] = [
    ("disabled", 0),
    ("highlyrestricted", 2),
    ("restricted", 4),
    ("normal", 8),
    ("experimental", 14),
];

/// A level of Windows' tuning, in any case of letters, and its shift.
pub(crate) fn tuning(level: &str) -> Option<(&'static str, u32)> {
    let named = |(name, _): &(&str, u32)| name.eq_ignore_ascii_case(level);
    TUNING.into_iter().find(named)
}

/// Windows that systems have when nobody set one, bytes: they come up again and again.
///
/// Sources: 8192 and 16384 are the defaults of 4.4BSD and of OpenBSD and NetBSD; 17520 is twelve segments of
/// Ethernet (Windows 2000 and XP); 24576 and 49152 are those of Solaris; 32768 and 65535 are those of FreeBSD and the
/// largest without scaling (RFC 7323 §2); 65536 is that of Windows, one byte more than the largest; 87380 three quarters of which are a window is the
/// default of Linux 2.4 to 4.
pub(crate) const DEFAULT_WINDOWS: [f64; 8] = [
    8192.0, 16384.0, 17520.0, 24576.0, 32768.0, 49152.0, 65535.0, 262_144.0,
];

/// Send buffers that systems have when nobody set one, bytes, from the same sources: 8192, 16384 and 32768 of the BSDs, 24576 and
/// 49152 of Solaris, 65536 of Windows since Vista, 131072 of macOS, 262144 of AIX.
pub(crate) const DEFAULT_BUFFERS: [f64; 8] = [
    8192.0, 16384.0, 24576.0, 32768.0, 49152.0, 65536.0, 131_072.0, 262_144.0,
];
