//! The names that texts use: of systems, congestion controls, queueing disciplines and levels of tuning; and what systems have by default.

use farpath_config::CONTROLS;

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

/// Payload of a segment where nothing is said, bytes: Ethernet, IPv4, timestamps.
pub(crate) const SEGMENT: f64 = 1448.0;

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
