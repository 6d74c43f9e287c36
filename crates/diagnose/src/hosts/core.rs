//! What the busiest processor did: a program's work, soft interrupts, or nothing at all while the hypervisor had it.

use core::net::Ipv4Addr;

use crate::fact::Of;
use crate::flows::flow::number;
use crate::items::step;
use crate::read::Facts;

/// The busiest processor of a host, by a table with its columns (`mpstat -P ALL`).
#[derive(Clone, Debug)]
pub(crate) struct Core {
    /// Its number, as the kernel counts from 0.
    number: f64,
    /// Share of its time in soft interrupts, 0 to 1.
    soft: f64,
    /// Share of its time that the hypervisor gave to others, 0 to 1.
    steal: f64,
    /// Share of its time in the kernel's own work, 0 to 1, where the table has it.
    system: Option<f64>,
    /// Other processors of the host that were idle.
    idle: f64,
    /// The figures are of all processors together, which are full.
    pub(crate) all: bool,
    /// Segments that arrive are not joined on its host: generic receive offload (GRO) is off there.
    unjoined: bool,
}

/// How busy all processors of a host were together, 0 to 1, where all are full.
pub(crate) const ALL: &str = "cpu_all_ratio";

/// Soft interrupts that take this share of a processor are what fills it.
const SOFT: f64 = 0.5;

/// A hypervisor that takes this share of a full processor is what is changed first.
const STEAL: f64 = 0.2;

/// One that takes this share of any makes what is to be sent wait for its turn, surely: a processor that is given and taken has idle time, too.
const WAITS: f64 = 0.5;

/// A test that fills a processor spends more than this part of its time in the kernel, which sends and receives for it. A choice.
const OF_KERNEL: f64 = 0.02;

impl Core {
    /// What a host's text says of it; the end of the flow that it is may have other names.
    pub(crate) fn of(facts: &Facts, host: Of, names: &[u32]) -> Option<Core> {
        let get = |name| number(facts, host, name).map(|f| f.value);
        let gro = |name: &u32| number(facts, Of::Host(*name), "offload_gro");
        let all = get(ALL).zip(get("cpu_ratio"));
        Some(Core {
            all: all.is_some_and(|(all, own)| own <= all),
            unjoined: names.iter().filter_map(gro).any(|on| on.value <= 0.0),
            number: get("cpu_number")?,
            soft: get("cpu_soft_ratio")?,
            steal: get("cpu_steal_ratio")?,
            system: get("cpu_system_ratio"),
            idle: get("cpu_idle_count")?,
        })
    }

    /// Whether soft interrupts fill it.
    pub(crate) fn is_soft(&self) -> bool {
        self.soft > SOFT && !self.is_stolen()
    }

    /// Whether a program's own work is all that it did, while another processor was idle: what sends and receives for a test is the kernel.
    pub(crate) fn is_of_program_alone(&self) -> bool {
        let kernel = self.system.map(|system| system + self.soft + self.steal);
        kernel.is_some_and(|kernel| kernel < OF_KERNEL) && self.idle > 0.0 && !self.all
    }

    /// Whether soft interrupts take most of what it is used for, and handle each segment by itself.
    pub(crate) fn is_unjoined(&self) -> bool {
        self.unjoined && self.is_soft()
    }

    /// Whether the hypervisor takes much of it.
    pub(crate) fn is_stolen(&self) -> bool {
        self.steal > STEAL
    }

    /// How surely the hypervisor takes so much of it that packets wait, though it is not full, 0 to 1.
    pub(crate) fn waits(&self) -> f64 {
        step(self.steal, STEAL, WAITS)
    }

    /// What it did, for people; none where it was a program's own work.
    pub(crate) fn sentence(&self) -> Option<String> {
        let number = self.number;
        if self.is_stolen() {
            let whole = match self.all {
                true => "the time of all processors".to_owned(),
                false => format!("processor {number:.0}"),
            };
            return Some(format!(
                "{:.0} % of {whole} was taken by the hypervisor (%steal): other machines on that host had it",
                100.0 * self.steal
            ));
        }
        if self.all && self.is_soft() {
            return Some(format!(
                "all processors spent {:.0} % of their time in soft interrupts (%soft), which is where packets are received",
                100.0 * self.soft
            ));
        }
        let beside = match self.idle {
            0.0 => String::new(),
            1.0 => ", while 1 other was idle".to_owned(),
            idle => format!(", while {idle:.0} others were idle"),
        };
        self.is_soft().then(|| {
            format!(
                "processor {number:.0} spent {:.0} % of its time in soft interrupts (%soft), which is where packets are received{beside}",
                100.0 * self.soft
            )
        })
    }
}

/// Programs and threads that carry other programs' packets through a tunnel.
const TUNNELS: [&str; 9] = [
    "openvpn",
    "wireguard",
    "boringtun",
    "tailscaled",
    "zerotier-one",
    "stunnel",
    "vtund",
    "tincd",
    "n2n",
];

/// Whether a thread is one of those in which the kernel receives packets: of soft interrupts, or of an interface by itself (threaded NAPI).
pub(crate) fn receives(program: &str) -> bool {
    program.starts_with("ksoftirqd") || program.starts_with("napi/")
}

/// Whether a program carries the packets of others: so does the kernel's thread of WireGuard, and `ssh` where the test goes to the host
/// itself.
pub(crate) fn is_tunnel(program: &str, to: &str) -> bool {
    let own = ["localhost", "::1"].contains(&to) || to.starts_with("127.");
    TUNNELS.iter().any(|t| program.starts_with(t))
        || program.contains("wg-crypt")
        || own && program.starts_with("ssh")
}

/// Programs that carry what others send from one connection to another, and one that sets up tunnels of IPsec.
const PROXIES: [&str; 5] = ["squid", "haproxy", "nginx", "envoy", "charon"];

/// Programs that compile and link: none of them is part of a flow.
const BUILDERS: [&str; 14] = [
    "cc1", "cc1plus", "cc1obj", "lto1", "f951", "clang", "clang++", "rustc", "ghc", "javac", "ld",
    "ld.lld", "ld.gold", "mold",
];

/// Whether a program builds software: what it takes of one processor is not what holds a flow on a host with several.
pub(crate) fn builds(program: &str) -> bool {
    let name = program.rsplit('/').next().unwrap_or(program);
    BUILDERS.contains(&name)
}

/// Whether a program carries what others send, so that its host may lie between the ends of a flow.
pub(crate) fn may_lie_between(program: &str) -> bool {
    let name = program.rsplit('/').next().unwrap_or(program);
    is_tunnel(name, "") || is_tunnel(program, "") || PROXIES.contains(&name.trim_end_matches(':'))
}

/// Tunnels that carry bytes and not packets: their ends have any address, and their headers take next to nothing.
const OF_BYTES: [&str; 2] = ["ssh", "stunnel"];

/// What speaks against a flow between two ends going through the tunnel of a program, for people; `bare` where it is as fast as a line leaves
/// without a tunnel's headers.
pub(crate) fn outside(program: &str, ends: [&str; 2], bare: bool) -> Option<&'static str> {
    if OF_BYTES.iter().any(|t| program.starts_with(t)) {
        return None;
    }
    if ends.into_iter().all(is_public) {
        return Some("both of its ends have public addresses");
    }
    bare.then_some("it is as fast as a line leaves without a tunnel's headers")
}

/// Whether an address is a public one of IPv4, which no two hosts have: networks of tunnels are private or of 100.64.0.0/10, nearly always,
/// and so are those behind a translation (RFC 6598). Those of IPv6 are often public in a tunnel, too.
pub(crate) fn is_public(host: &str) -> bool {
    host.parse::<Ipv4Addr>().is_ok_and(|a| {
        let shared = u32::from(a) >> 22 == SHARED;
        !a.is_private() && !a.is_loopback() && !a.is_link_local() && !shared
    })
}

/// The first ten bits of 100.64.0.0/10.
const SHARED: u32 = (100 << 2) | (64 >> 6);

#[cfg(test)]
mod tests {
    use super::{Core, builds, is_tunnel, may_lie_between, outside};

    /// All of a processor in %usr is another program's than a test's; a twentieth in %sys may be the test's.
    #[test]
    fn a_processor_without_work_of_the_kernel_is_of_a_program_alone() {
        let core = |system: Option<f64>, idle: f64| Core {
            number: 0.0,
            soft: 0.0,
            steal: 0.0,
            system,
            idle,
            all: false,
            unjoined: false,
        };
        assert!(core(Some(0.0), 3.0).is_of_program_alone());
        for other in [core(Some(0.05), 3.0), core(Some(0.0), 0.0), core(None, 3.0)] {
            assert!(!other.is_of_program_alone(), "{other:?}");
        }
    }

    #[test]
    fn a_compiler_is_known_by_its_program() {
        assert!(builds("cc1plus") && builds("/usr/lib/llvm/bin/clang"));
        for program in ["rsync", "ssh", "python3", "java", "", "nginx:"] {
            assert!(!builds(program), "{program}");
        }
    }

    #[test]
    fn a_tunnel_is_known_by_its_program() {
        assert!(is_tunnel("openvpn", "b") && is_tunnel("kworker/3:1-wg-crypt-wg0", "b"));
        assert!(is_tunnel("ssh", "127.0.0.1") && !is_tunnel("ssh", "192.0.2.1"));
        assert!(!is_tunnel("python3", "b"));
        for program in ["openvpn", "kworker/3:1-wg-crypt-wg0", "haproxy", "nginx:"] {
            assert!(may_lie_between(program), "{program}");
        }
        assert!(!may_lie_between("iperf3") && !may_lie_between("ssh"));
    }

    #[test]
    fn a_tunnel_is_of_what_goes_through_it() {
        let public = ["198.51.100.2", "203.0.113.2"];
        assert!(outside("openvpn", public, false).is_some());
        assert_eq!(outside("stunnel", public, true), None);
        for inside in ["10.8.0.6", "100.127.255.254", "b", "2001:db8::1"] {
            assert_eq!(outside("openvpn", [inside, public[1]], false), None);
            assert!(outside("openvpn", [inside, public[1]], true).is_some());
        }
        assert_ne!(outside("openvpn", ["100.128.0.1", public[1]], false), None);
    }
}
