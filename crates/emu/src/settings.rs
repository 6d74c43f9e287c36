//! What of a scenario's hosts and tests can be set in the kernel, and what cannot.
//!
//! A network namespace has its own copy of most TCP settings. It has none of `net.core.rmem_max` and
//! `wmem_max`, of `net.ipv4.tcp_mem`, of the list of congestion controls everyone may use, nor of CUBIC's HyStart: these
//! are the machine's, and become [`Need`]s, which `--tune-host` can meet.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{fmt, io};

use farpath_scenario::{Congestion, Host, NodeId, Scenario, Tcp};
use farpath_tcp::{Algorithm, Flavour, MtuProbing, Profile, SlowStart};
use farpath_units::{Duration, Size};

/// What bears on hosts and is the machine's. A network namespace that is not the machine's first, a container's for
/// one, does not show all of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// `net.core.rmem_max`; unknown where an older kernel does not show it.
    pub rmem_max: Option<Size>,
    /// `net.core.wmem_max`; likewise.
    pub wmem_max: Option<Size>,
    /// Second figure of `net.ipv4.tcp_mem`, where TCP begins to save; shown in the first network namespace alone.
    pub tcp_mem: Option<Size>,
    /// Congestion controls the kernel has.
    pub available: Vec<String>,
    /// Those that anybody may use, and that can be a namespace's default.
    pub allowed: Vec<String>,
    /// Whether a host can have a floor of its retransmission timer (Linux 6.11 and later).
    pub rto_min: bool,
    /// Whether a sender with SACK finds losses by RACK whatever is set ([`has_rack_alone`]).
    pub rack_alone: bool,
    /// Whether CUBIC leaves slow start by HyStart; unknown where the kernel has no CUBIC or does not show it.
    pub hystart: Option<bool>,
    /// BPF programs registered for the lab: what a scenario asks for, as [`asked`] says it, and the name the
    /// kernel has it by.
    pub programs: BTreeMap<String, String>,
    /// What every host is to have as its default, by the kernel's name, whatever its tests say.
    pub control: Option<String>,
}

/// A congestion control as a scenario asks for it, in words.
pub fn asked(cc: &Congestion) -> String {
    match (&cc.object, cc.flavour) {
        (Some(object), _) => format!("bpf:{object}"),
        (None, Flavour::Rfc) => cc.algorithm.name().to_owned(),
        (None, Flavour::Linux) => format!("{} (linux)", cc.algorithm.name()),
    }
}

impl Machine {
    /// The kernel's name of what is asked for: that of a program registered for it, or its own.
    pub fn name_of(&self, cc: &Congestion) -> String {
        let program = self.programs.get(&asked(cc)).cloned();
        program.unwrap_or_else(|| cc.algorithm.name().to_owned())
    }

    /// Whether a host can have this algorithm as its default.
    pub fn allows(&self, name: &str) -> bool {
        self.allowed.iter().any(|a| a == name)
    }

    /// What `root/proc/sys` says; `root` is `/` but in tests.
    ///
    /// # Errors
    /// A setting that cannot be read or is not a number, by its key.
    pub fn read(root: &Path) -> Result<Machine, String> {
        let nth = |key: &str, n: usize| -> Result<Option<u64>, String> {
            let text = match std::fs::read_to_string(setting_file(root, key)) {
                Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
                other => other.map_err(|e| format!("read {key}: {e}"))?,
            };
            let number = text.split_whitespace().nth(n).map(str::parse);
            match number {
                Some(Ok(number)) => Ok(Some(number)),
                _ => Err(format!("read {key}: `{}`", text.trim())),
            }
        };
        let pages = |n: u64| Size::from_bytes(n.saturating_mul(page_size()));
        let controls = |key: &str| controls(root, key).map_err(|e| format!("read {key}: {e}"));
        Ok(Machine {
            rmem_max: nth(RMEM_MAX, 0)?.map(Size::from_bytes),
            wmem_max: nth(WMEM_MAX, 0)?.map(Size::from_bytes),
            tcp_mem: nth(TCP_MEM, 1)?.map(pages),
            available: controls(AVAILABLE)?,
            allowed: controls(ALLOWED)?,
            rto_min: setting_file(root, RTO_MIN).exists(),
            rack_alone: std::fs::read_to_string(setting_file(root, RELEASE))
                .is_ok_and(|release| has_rack_alone(&release)),
            hystart: nth(HYSTART, 0)?.map(|on| on != 0),
            programs: BTreeMap::new(),
            control: None,
        })
    }
}

/// Whether a sender of Linux `release`, as `6.18.44-generic`, finds losses by RACK where it has SACK, whatever `net.ipv4.tcp_recovery` says:
/// from 6.17 on, which counts duplicate acknowledgements no more (commit 1c120191dcec). False where the text is not a release.
pub fn has_rack_alone(release: &str) -> bool {
    let numbers = release.split(|c: char| !c.is_ascii_digit());
    let mut numbers = numbers.map(|number| number.parse::<u32>().ok());
    let version = numbers.next().flatten().zip(numbers.next().flatten());
    version.is_some_and(|version| version >= (6, 17))
}

/// The congestion controls in the list `key`. Older kernels have such lists in the first network namespace alone: elsewhere
/// those that are there and allowed for certain, reno and the namespace's default.
pub(crate) fn controls(root: &Path, key: &str) -> io::Result<Vec<String>> {
    let words = |key: &str| -> io::Result<Vec<String>> {
        let text = std::fs::read_to_string(setting_file(root, key))?;
        Ok(text.split_whitespace().map(str::to_owned).collect())
    };
    match words(key) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            let mut sure = words(CONTROL)?;
            if sure != ["reno"] {
                sure.push("reno".to_owned());
            }
            Ok(sure)
        }
        other => other,
    }
}

/// Bytes of a page of memory, which `tcp_mem` counts in.
pub(crate) fn page_size() -> u64 {
    let size = nix::unistd::sysconf(nix::unistd::SysconfVar::PAGE_SIZE);
    size.ok().flatten().map_or(4096, |n| n.unsigned_abs())
}

/// Where a setting lies below `root`: a sysctl, or a parameter of the module `tcp_cubic`.
pub(crate) fn setting_file(root: &Path, key: &str) -> std::path::PathBuf {
    match key.strip_prefix("tcp_cubic.") {
        Some(parameter) => root.join("sys/module/tcp_cubic/parameters").join(parameter),
        None => root.join("proc/sys").join(key.replace('.', "/")),
    }
}

pub(crate) const RMEM_MAX: &str = "net.core.rmem_max";
pub(crate) const WMEM_MAX: &str = "net.core.wmem_max";
pub(crate) const TCP_MEM: &str = "net.ipv4.tcp_mem";
pub(crate) const ALLOWED: &str = "net.ipv4.tcp_allowed_congestion_control";
pub(crate) const AVAILABLE: &str = "net.ipv4.tcp_available_congestion_control";
const MTU_PROBING: &str = "net.ipv4.tcp_mtu_probing";
const WINDOW_SCALING: &str = "net.ipv4.tcp_window_scaling";
const COMP_SACK_NR: &str = "net.ipv4.tcp_comp_sack_nr";
pub(crate) const CONTROL: &str = "net.ipv4.tcp_congestion_control";
const RELEASE: &str = "kernel.osrelease";
const RECOVERY: &str = "net.ipv4.tcp_recovery";
pub(crate) const HYSTART: &str = "tcp_cubic.hystart";

/// Something that can only be set for the machine as a whole.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// Sockets that are to have this receive buffer: root may exceed the limit, others may not.
    ReceiveBuffer(Size),
    /// The same of send buffers.
    SendBuffer(Size),
    /// TCP may hold this much at once; where it may not, the kernel drops what it has acknowledged.
    TcpMemory(Size),
    /// A congestion control that everyone may use and that can be a default.
    Allowed(String),
    /// CUBIC that leaves slow start by HyStart, or does not.
    HyStart(bool),
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Need::ReceiveBuffer(size) => write!(f, "{RMEM_MAX} of at least {size}"),
            Need::SendBuffer(size) => write!(f, "{WMEM_MAX} of at least {size}"),
            Need::TcpMemory(size) => {
                write!(f, "{TCP_MEM} without memory pressure below {size}")
            }
            Need::Allowed(name) => write!(f, "`{name}` in {ALLOWED}"),
            Need::HyStart(on) => {
                let how = if *on { "with" } else { "without" };
                write!(f, "CUBIC to leave slow start {how} HyStart ({HYSTART})")
            }
        }
    }
}

/// The settings of one host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Keys and values, for the host's namespaces.
    pub sysctls: Vec<(String, String)>,
    /// What is asked for and cannot be so.
    pub notes: Vec<String>,
    /// Settings of the machine that would have to change.
    pub needs: Vec<Need>,
    /// The congestion control that its routes choose, where it cannot be the default.
    pub control: Option<String>,
}

/// The settings of host `node` of `scenario`.
pub fn settings(scenario: &Scenario, node: NodeId, machine: &Machine) -> Settings {
    let mut settings = Settings::default();
    let Some(host) = scenario.hosts.get(node.0) else {
        return settings;
    };
    let triple = |sizes: [Size; 3]| sizes.map(|s| s.as_bytes().to_string()).join(" ");
    settings.set("net.ipv4.tcp_rmem", triple(host.tcp_rmem));
    settings.set("net.ipv4.tcp_wmem", triple(host.tcp_wmem));
    match host.mtu_probing {
        MtuProbing::Off => {}
        MtuProbing::BlackHole => settings.set(MTU_PROBING, "1"),
        MtuProbing::Always => settings.set(MTU_PROBING, "2"),
    }
    if !host.window_scaling {
        settings.set(WINDOW_SCALING, "0");
    }
    settings.compressed_sacks(host);
    if host.gro.is_some() {
        settings.notes.push(
            "its `gro` is of the models alone: it gets as one what the data plane writes as one, which spans 50 us"
                .to_owned(),
        );
    }
    if !matches!(host.profile, Profile::Linux5 | Profile::Linux6) {
        settings.notes.push(
            "its profile is of the models alone: the kernel is this machine's, set as far as it can be"
                .to_owned(),
        );
    }
    let slow = host.limits.slows_frames()
        || host.limits.disk_read.is_some()
        || host.limits.disk_write.is_some();
    if slow {
        let note =
            "its processor, bus and disks are this machine's: their limits are modelled only";
        settings.notes.push(note.to_owned());
    }
    let tests = tests_of(scenario, node);
    settings.stack(&tests, machine);
    settings.initial_windows(scenario, node);
    settings.control(host, &tests, machine);
    settings.slow_start(&tests, machine);
    settings.buffers(host, &tests, machine);
    settings
}

/// The connections `node` is an end of.
fn tests_of(scenario: &Scenario, node: NodeId) -> Vec<&Tcp> {
    let of_node = scenario
        .tests
        .iter()
        .filter(|t| t.from == node || t.to == node);
    of_node.filter_map(|t| t.kind.tcp()).collect()
}

/// A setting of a namespace that a test can ask for: key, what the kernel has, what the test wants.
type Wish = (&'static str, &'static str, fn(&Tcp) -> String);

fn flag(on: bool) -> String {
    u8::from(on).to_string()
}

/// What is for a whole host in the kernel and for a connection in a scenario.
const WISHES: [Wish; 8] = [
    ("net.ipv4.tcp_sack", "1", |t| flag(t.sack)),
    ("net.ipv4.tcp_timestamps", "1", |t| flag(t.timestamps)),
    ("net.ipv4.tcp_dsack", "1", |t| {
        flag(t.recovery.dsack || !t.sack)
    }),
    // RACK, and tail loss probes with it.
    (RECOVERY, "1", |t| flag(t.recovery.rack || !t.sack)),
    ("net.ipv4.tcp_early_retrans", "3", |t| {
        if t.recovery.rack || !t.sack { "3" } else { "0" }.to_owned()
    }),
    ("net.ipv4.tcp_frto", "2", |t| {
        if t.recovery.frto { "2" } else { "0" }.to_owned()
    }),
    // 2: only when the other end asks.
    ("net.ipv4.tcp_ecn", "2", |t| {
        if t.recovery.ecn { "1" } else { "2" }.to_owned()
    }),
    ("net.ipv4.tcp_slow_start_after_idle", "1", |t| {
        flag(t.cc.idle_restart)
    }),
];

/// The floor of the retransmission timer, since Linux 6.11.
const RTO_MIN: &str = "net.ipv4.tcp_rto_min_us";
/// Its default.
const USUAL_RTO_MIN: Duration = Duration::from_ms(200);

impl Settings {
    fn set(&mut self, key: &str, value: impl Into<String>) {
        self.sysctls.push((key.to_owned(), value.into()));
    }

    /// What every test of the host agrees on.
    fn stack(&mut self, tests: &[&Tcp], machine: &Machine) {
        for (key, usual, wish) in WISHES {
            match agreed(tests, wish) {
                Some(value) if value != usual => self.set(key, value),
                Some(_) => {}
                None if tests.is_empty() => {}
                None => self.notes.push(format!(
                    "its tests do not agree on {key}, which is for all connections of a host: it stays {usual}"
                )),
            }
        }
        if machine.rack_alone && tests.iter().any(|t| t.sack && !t.recovery.rack) {
            self.notes.push(format!(
                "its connections with SACK have RACK, whatever {RECOVERY} says: Linux from 6.17 on finds losses by nothing else"
            ));
        }
        match agreed(tests, |t| t.rto_min) {
            Some(floor) if floor == USUAL_RTO_MIN => {}
            Some(floor) if machine.rto_min => {
                self.set(RTO_MIN, (floor.as_ns() / 1000).to_string());
            }
            Some(floor) => self.notes.push(format!(
                "the floor of its retransmission timer is {USUAL_RTO_MIN}, not {floor}: {RTO_MIN} is of Linux 6.11"
            )),
            None if !tests.is_empty() => self.notes.push(format!(
                "its tests do not agree on {RTO_MIN}, which is for all connections of a host: it stays 200000"
            )),
            _ => {}
        }
    }

    /// Initial windows that no route can have, as tests to one node differ in them.
    fn initial_windows(&mut self, scenario: &Scenario, node: NodeId) {
        let mut windows: BTreeMap<NodeId, BTreeSet<u32>> = BTreeMap::new();
        for test in &scenario.tests {
            let (source, sink) = test.data_ends();
            if let Some(tcp) = test.kind.tcp().filter(|_| source == node) {
                windows.entry(sink).or_default().insert(tcp.initial_window);
            }
        }
        for (to, _) in windows.iter().filter(|(_, all)| all.len() > 1) {
            self.notes.push(format!(
                "its tests to `{}` do not agree on `initial_window`, which is for all connections of a route: it stays 10",
                scenario.node_name(*to)
            ));
        }
    }

    /// The default for connections that choose none: the tests', or that of the host's time.
    fn control(&mut self, host: &Host, tests: &[&Tcp], machine: &Machine) {
        let of_tests = agreed(tests, |t| machine.name_of(&t.cc));
        let wanted = machine.control.clone().or(of_tests);
        let wanted = wanted.unwrap_or_else(|| host.profile.algorithm().name().to_owned());
        // Where nothing is to connect, a host has that of its time if it may, and else the machine's without a word.
        let is_asked = machine.control.is_some() || !tests.is_empty();
        let is_agreed =
            machine.control.is_some() || agreed(tests, |t| machine.name_of(&t.cc)).is_some();
        if machine.allows(&wanted) {
            self.set(CONTROL, wanted);
        } else if is_asked && machine.available.contains(&wanted) {
            self.needs.push(Need::Allowed(wanted.clone()));
            let only = machine.allowed.join(", ");
            if is_agreed {
                self.notes.push(format!(
                    "its routes choose `{wanted}`, as this machine has only {only} as defaults of hosts: a program that asks for another \
                     before it connects has `{wanted}` as well; --tune-host makes `{wanted}` the default"
                ));
                self.control = Some(wanted);
            } else {
                self.notes.push(format!(
                    "no default is `{wanted}`, as this machine has only {only} as defaults of hosts: a program must ask for `{wanted}` on each \
                     socket, as root; --tune-host changes that"
                ));
            }
        }
        for tcp in tests {
            let name = machine.name_of(&tcp.cc);
            let note = format!(
                "this kernel has no congestion control `{name}`, only {}",
                machine.available.join(", ")
            );
            if !machine.available.contains(&name) && !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
    }

    /// How the kernel's own CUBIC leaves slow start, which is one switch for the whole machine.
    fn slow_start(&mut self, tests: &[&Tcp], machine: &Machine) {
        let cubic = |cc: &Congestion| {
            cc.algorithm == Algorithm::Cubic
                && cc.object.is_none()
                && !machine.programs.contains_key(&asked(cc))
        };
        let mut wanted = tests.iter().filter_map(|tcp| match tcp.cc.slow_start {
            SlowStart::Standard if cubic(&tcp.cc) => Some(false),
            SlowStart::HyStart if cubic(&tcp.cc) => Some(true),
            _ => None,
        });
        let (Some(first), Some(has)) = (wanted.next(), machine.hystart) else {
            return;
        };
        if first == has && wanted.all(|on| on == has) {
            return;
        }
        self.needs.push(Need::HyStart(first));
    }

    /// Acknowledgements of what is out of order, held back where the host says how many.
    fn compressed_sacks(&mut self, host: &Host) {
        let Some(most) = host.comp_sack_nr else {
            return;
        };
        // The kernel's counter is a byte.
        let taken = most.min(u8::MAX.into());
        if taken < most {
            self.notes.push(format!(
                "{COMP_SACK_NR} is {taken}, the most a kernel takes, not {most}"
            ));
        }
        self.set(COMP_SACK_NR, taken.to_string());
    }

    /// What `setsockopt` would be clamped to, and what TCP may hold in all.
    fn buffers(&mut self, host: &Host, tests: &[&Tcp], machine: &Machine) {
        let asked = tests.iter().filter_map(|t| t.socket_buffer).max();
        if let Some(asked) = asked {
            let (receive, send) = (asked.min(host.rmem_max), asked.min(host.wmem_max));
            if machine.rmem_max.is_none_or(|most| receive > most) {
                self.needs.push(Need::ReceiveBuffer(receive));
            }
            if machine.wmem_max.is_none_or(|most| send > most) {
                self.needs.push(Need::SendBuffer(send));
            }
        }
        for (key, own, machines) in [
            (RMEM_MAX, host.rmem_max, machine.rmem_max),
            (WMEM_MAX, host.wmem_max, machine.wmem_max),
        ] {
            // What no scenario asked for is missed by nobody.
            let is_asked = own != Host::usual_max(host.profile);
            if let Some(machines) = machines.filter(|m| is_asked && *m != own) {
                self.notes.push(format!(
                    "{key} is the machine's {machines}, not {own}: programs that call setsockopt meet it; tests of the scenario do not"
                ));
            }
        }
        let held = |tcp: &&Tcp| {
            let doubled = |most: Size| {
                let asked = tcp.socket_buffer.map(|b| b.min(most).as_bytes());
                asked.map(|b| b.saturating_mul(2))
            };
            let receive = doubled(host.rmem_max).unwrap_or(host.tcp_rmem[2].as_bytes());
            let send = doubled(host.wmem_max).unwrap_or(host.tcp_wmem[2].as_bytes());
            receive.max(send).saturating_mul(tcp.parallel.into())
        };
        let held = tests.iter().map(held).fold(0, u64::saturating_add);
        let held = Size::from_bytes(held);
        // The other end may hold as much.
        if let Some(saves) = machine.tcp_mem
            && held.as_bytes().saturating_mul(2) > saves.as_bytes()
        {
            self.needs.push(Need::TcpMemory(held));
            self.notes.push(format!(
                "its connections could hold {held}, those at their other ends as much, and the machine's TCP begins to save at {saves} ({TCP_MEM}): a run that gets there is not valid; --tune-host raises it"
            ));
        }
    }
}

/// What all of `tests` say, if they say the same.
fn agreed<T: PartialEq>(tests: &[&Tcp], say: impl Fn(&Tcp) -> T) -> Option<T> {
    let mut all = tests.iter().map(|t| say(t));
    let first = all.next()?;
    all.all(|other| other == first).then_some(first)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use farpath_scenario::{Source, parse};

    pub(crate) fn machine() -> Machine {
        Machine {
            rmem_max: Some(Size::from_bytes(212_992)),
            wmem_max: Some(Size::from_bytes(212_992)),
            tcp_mem: Some(Size::from_bytes(1 << 30)),
            available: ["reno", "cubic"].map(str::to_owned).to_vec(),
            allowed: vec!["reno".to_owned()],
            rto_min: true,
            rack_alone: false,
            hystart: None,
            programs: BTreeMap::new(),
            control: None,
        }
    }

    fn told(host: &str, tests: &str, machine: &Machine) -> Settings {
        let text = format!(
            r#"
            [scenario]
            name = "t"
            [[host]]
            name = "a"
            {host}
            [[host]]
            name = "b"
            [[link]]
            name = "l"
            ends = ["a", "b"]
            framing = "gbe"
            {tests}"#
        );
        let name = "test.toml".to_owned();
        let scenario = parse(&Source { name, text }, &[]).unwrap_or_else(|e| panic!("{e}"));
        settings(&scenario, NodeId(0), machine)
    }

    fn test(name: &str, keys: &str) -> String {
        format!(
            "[[test]]\nname = \"{name}\"\nkind = \"tcp\"\nfrom = \"a\"\nto = \"b\"\nduration = \"1 s\"\n{keys}\n"
        )
    }

    fn value<'a>(settings: &'a Settings, key: &str) -> Option<&'a str> {
        let found = settings.sysctls.iter().find(|(k, _)| k == key);
        found.map(|(_, value)| value.as_str())
    }

    fn notes_of(settings: &Settings, word: &str) -> usize {
        settings.notes.iter().filter(|n| n.contains(word)).count()
    }

    #[test]
    fn hystart_is_needed_where_the_machine_differs_and_by_cubic_alone() {
        let off = Machine {
            allowed: ["reno", "cubic"].map(str::to_owned).to_vec(),
            hystart: Some(false),
            ..machine()
        };
        let on = Machine {
            hystart: Some(true),
            ..off.clone()
        };
        let unknown = Machine {
            hystart: None,
            ..off.clone()
        };
        let (plain, hystart) = ("cc = \"cubic\"\nflavour = \"rfc\"", "cc = \"cubic\"");
        for (keys, machine, needs) in [
            (plain, &on, vec![Need::HyStart(false)]),
            (plain, &off, vec![]),
            (hystart, &on, vec![]),
            (hystart, &off, vec![Need::HyStart(true)]),
            (hystart, &unknown, vec![]),
            ("cc = \"reno\"", &on, vec![]),
        ] {
            assert_eq!(told("", &test("t", keys), machine).needs, needs, "{keys}");
        }
    }

    #[test]
    fn a_plain_host_gets_its_memory_and_nothing_it_has_already() {
        let settings = told("", &test("t", "cc = \"reno\""), &machine());
        assert_eq!(
            settings.sysctls,
            [
                ("net.ipv4.tcp_rmem", "4096 131072 33554432"),
                ("net.ipv4.tcp_wmem", "4096 16384 4194304"),
                ("net.ipv4.tcp_congestion_control", "reno"),
            ]
            .map(|(k, v)| (k.to_owned(), v.to_owned()))
        );
        assert_eq!((settings.notes, settings.needs), (vec![], vec![]));
    }

    #[test]
    fn what_all_tests_ask_for_is_set() {
        let keys = "sack = false\ntimestamps = false\nrto_min = \"1 s\"\ncc = \"reno\"";
        let settings = told("", &(test("t", keys) + &test("u", keys)), &machine());
        assert_eq!(value(&settings, "net.ipv4.tcp_sack"), Some("0"));
        assert_eq!(value(&settings, "net.ipv4.tcp_timestamps"), Some("0"));
        assert_eq!(value(&settings, RTO_MIN), Some("1000000"));
        let old = Machine {
            rto_min: false,
            ..machine()
        };
        let settings = told("", &test("t", keys), &old);
        assert_eq!(value(&settings, RTO_MIN), None);
        assert_eq!(notes_of(&settings, "Linux 6.11"), 1);
    }

    #[test]
    fn rack_that_a_kernel_always_has_is_said() {
        let new = Machine {
            rack_alone: true,
            ..machine()
        };
        for (keys, machine, notes) in [
            ("rack = false", &new, 1),
            ("rack = false", &machine(), 0),
            ("rack = true", &new, 0),
            ("sack = false", &new, 0),
        ] {
            let settings = told("", &test("t", keys), machine);
            assert_eq!(notes_of(&settings, "Linux from 6.17 on"), notes, "{keys}");
        }
        for (release, alone) in [
            ("6.17.0-rc1\n", true),
            ("6.18.44-fc-v595", true),
            ("7.0", true),
            ("6.16.12", false),
            ("5.19.0", false),
            ("6", false),
            ("", false),
        ] {
            assert_eq!(has_rack_alone(release), alone, "{release}");
        }
    }

    #[test]
    fn a_host_that_probes_its_paths_says_so_to_the_kernel() {
        for (key, set) in [("", None), ("1", Some("1")), ("2", Some("2"))] {
            let host = match key {
                "" => String::new(),
                n => format!("mtu_probing = {n}"),
            };
            let settings = told(&host, "", &machine());
            assert_eq!(value(&settings, MTU_PROBING), set);
        }
    }

    #[test]
    fn a_host_without_window_scaling_says_so_to_the_kernel() {
        for (key, set) in [
            ("", None),
            ("window_scaling = true", None),
            ("window_scaling = false", Some("0")),
        ] {
            assert_eq!(
                value(&told(key, "", &machine()), WINDOW_SCALING),
                set,
                "{key}"
            );
        }
    }

    #[test]
    fn compressed_sacks_are_the_kernels_own_unless_written() {
        for (key, set, notes) in [
            ("", None, 0),
            ("comp_sack_nr = 0", Some("0"), 0),
            ("comp_sack_nr = 255", Some("255"), 0),
            ("comp_sack_nr = 256", Some("255"), 1),
        ] {
            let settings = told(key, "", &machine());
            assert_eq!(value(&settings, COMP_SACK_NR), set, "{key}");
            assert_eq!(notes_of(&settings, COMP_SACK_NR), notes, "{key}");
        }
    }

    #[test]
    fn what_of_the_receivers_card_is_modelled_only_is_said() {
        assert_eq!(notes_of(&told("gro = \"0 s\"", "", &machine()), "`gro`"), 1);
        assert_eq!(notes_of(&told("", "", &machine()), "`gro`"), 0);
    }

    #[test]
    fn what_tests_do_not_agree_on_is_said() {
        let tests = test("t", "sack = false") + &test("u", "");
        let settings = told("", &tests, &machine());
        assert_eq!(value(&settings, "net.ipv4.tcp_sack"), None);
        assert_eq!(notes_of(&settings, "do not agree on net.ipv4.tcp_sack"), 1);
        let (three, ten) = (test("t", "initial_window = 3"), test("u", ""));
        let differing = "to `b` do not agree on `initial_window`";
        for (tests, notes) in [
            (three.clone() + &ten, 1),
            (three.clone() + &test("u", "reverse = true"), 0),
            (three, 0),
        ] {
            let settings = told("", &tests, &machine());
            assert_eq!(notes_of(&settings, differing), notes, "{tests}");
        }
    }

    #[test]
    fn a_default_that_is_not_allowed_is_a_need() {
        let settings = told("", &test("t", ""), &machine());
        assert_eq!(settings.needs, [Need::Allowed("cubic".to_owned())]);
        assert_eq!(value(&settings, CONTROL), None);
        assert_eq!(
            notes_of(
                &settings,
                "its routes choose `cubic`, as this machine has only"
            ),
            1
        );
        assert_eq!(settings.control.as_deref(), Some("cubic"));
        // Where no test asks for it, nothing is missing.
        let settings = told("", "", &machine());
        assert_eq!(value(&settings, CONTROL), None);
        assert_eq!((settings.needs, settings.notes), (vec![], vec![]));
        let settings = told("", &test("t", "cc = \"highspeed\""), &machine());
        assert_eq!(notes_of(&settings, "no congestion control `highspeed`"), 1);
    }

    #[test]
    fn large_buffers_are_needs_of_the_machine() {
        let host = "rmem_max = 67108864\nwmem_max = 67108864";
        let keys = "socket_buffer = \"64 MiB\"\ncc = \"reno\"\nparallel = 10";
        let settings = told(host, &test("t", keys), &machine());
        let most = Size::from_bytes(64 << 20);
        let all = Size::from_bytes(10 * (128 << 20));
        assert_eq!(
            settings.needs,
            [
                Need::ReceiveBuffer(most),
                Need::SendBuffer(most),
                Need::TcpMemory(all),
            ]
        );
        assert_eq!(notes_of(&settings, "net.core.rmem_max is the machine's"), 1);
        assert_eq!(notes_of(&settings, "TCP begins to save"), 1);
        // Of what nobody asked for nothing is said.
        let larger = Machine {
            rmem_max: Some(Size::from_bytes(4 << 20)),
            ..machine()
        };
        assert_eq!(notes_of(&told("", "", &larger), "rmem_max"), 0);
        let asked = told("rmem_max = 1000000", "", &larger);
        assert_eq!(notes_of(&asked, "net.core.rmem_max is the machine's"), 1);
    }

    #[test]
    fn a_host_of_another_time_is_said_to_be_this_machine() {
        let settings = told("profile = \"linux-2004\"", "", &machine());
        assert_eq!(notes_of(&settings, "profile"), 1);
        assert_eq!(
            value(&settings, "net.ipv4.tcp_rmem"),
            Some("4096 87380 174760")
        );
        let settings = told("disk_read = \"1 Gbit/s\"", "", &machine());
        assert_eq!(notes_of(&settings, "modelled only"), 1);
    }

    /// A folder with these settings below its `proc/sys`.
    fn root(settings: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (key, value) in settings {
            let file = setting_file(folder.path(), key);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, value).unwrap();
        }
        folder
    }

    #[test]
    fn this_machine_can_be_read() {
        let machine = Machine::read(Path::new("/")).unwrap();
        assert!(
            machine.available.contains(&"reno".to_owned()),
            "{machine:?}"
        );
        let folder = root(&[
            (CONTROL, "cubic\n"),
            (RMEM_MAX, "4194304\n"),
            (TCP_MEM, "1\t2\t3\n"),
            (AVAILABLE, "reno bbr cubic\n"),
            (ALLOWED, "reno\n"),
            (RELEASE, "6.18.44-generic\n"),
        ]);
        let machine = Machine::read(folder.path()).unwrap();
        assert_eq!(machine.rmem_max, Some(Size::from_bytes(4_194_304)));
        assert_eq!(machine.tcp_mem, Some(Size::from_bytes(2 * page_size())));
        assert_eq!(machine.available, ["reno", "bbr", "cubic"]);
        assert!(machine.allows("reno") && !machine.allows("cubic"));
        assert!(machine.rack_alone);
        let strange = root(&[(CONTROL, "cubic"), (RMEM_MAX, "none")]);
        let fault = Machine::read(strange.path()).unwrap_err();
        assert_eq!(fault, "read net.core.rmem_max: `none`");
    }

    #[test]
    fn a_network_namespace_shows_less_of_the_machine() {
        // An older kernel in a container: neither the machine's limits nor the lists.
        let folder = root(&[(CONTROL, "cubic\n")]);
        let machine = Machine::read(folder.path()).unwrap();
        assert_eq!((machine.rmem_max, machine.tcp_mem), (None, None));
        assert_eq!(machine.available, ["cubic", "reno"]);
        assert!(machine.allows("cubic"));
        let large = "socket_buffer = \"64 MiB\"\ncc = \"reno\"";
        let host = "rmem_max = 67108864\nwmem_max = 67108864";
        let settings = told(host, &test("t", large), &machine);
        let most = Size::from_bytes(64 << 20);
        let needs = [Need::ReceiveBuffer(most), Need::SendBuffer(most)];
        assert_eq!(settings.needs, needs);
        assert_eq!(settings.notes, Vec::<String>::new());
        let nothing = Machine::read(Path::new("/nowhere")).unwrap_err();
        assert!(nothing.contains("tcp_available_congestion_control"));
    }
}
