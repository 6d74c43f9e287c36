use std::collections::BTreeMap;
use std::path::Path;

use super::*;

/// A folder that stands for a host's root, with these files in it.
#[allow(
    clippy::disallowed_methods,
    reason = "what is read are files: the test writes them"
)]
fn root(files: &[(&str, &str)]) -> tempfile::TempDir {
    let root = tempfile::tempdir().expect("a folder");
    for (path, text) in files {
        let file = root.path().join(path);
        let folder = file.parent().expect("it is below the root");
        std::fs::create_dir_all(folder).expect("it is writable");
        std::fs::write(file, text).expect("it is writable");
    }
    root
}

/// Settings and counters as Linux 6.18 has them, in a virtual machine with one card.
const MACHINE: [(&str, &str); 26] = [
    ("proc/sys/kernel/hostname", "dtn1\n"),
    ("proc/sys/kernel/osrelease", "6.18.44-generic\n"),
    ("proc/sys/net/ipv4/tcp_rmem", "4096\t131072\t33554432\n"),
    ("proc/sys/net/ipv4/tcp_wmem", "4096\t16384\t4194304\n"),
    ("proc/sys/net/ipv4/tcp_congestion_control", "cubic\n"),
    ("proc/sys/net/core/netdev_max_backlog", "1000\n"),
    ("proc/sys/net/core/rmem_max", "4194304\n"),
    (
        "proc/meminfo",
        "MemTotal:        8051164 kB\nMemFree: 1 kB\n",
    ),
    (
        "proc/cpuinfo",
        "processor\t: 0\nflags\t\t: fpu sse2 hypervisor lahf_lm\n",
    ),
    ("sys/devices/system/cpu/online", "0-3,8\n"),
    (
        "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
        "powersave\n",
    ),
    ("sys/class/dmi/id/sys_vendor", "QEMU\n"),
    ("proc/1/cgroup", "0::/init.scope\n"),
    ("proc/self/mounts", "proc /proc proc rw,nosuid 0 0\n"),
    (
        "proc/self/status",
        "Name:\tfarpath\nCapEff:\t0000000000001000\n",
    ),
    (
        "proc/net/dev",
        "Inter-|   Receive\n face |bytes\n    lo: 1 2\n  eth0: 1 2\n  eth1: 0 0\n",
    ),
    ("sys/class/net/lo/flags", "0x9\n"),
    ("sys/class/net/eth0/flags", "0x1003\n"),
    ("sys/class/net/eth0/operstate", "up\n"),
    ("sys/class/net/eth0/speed", "10000\n"),
    ("sys/class/net/eth0/duplex", "full\n"),
    ("sys/class/net/eth0/mtu", "9000\n"),
    ("sys/class/net/eth0/statistics/rx_missed_errors", "17\n"),
    ("sys/class/net/eth1/flags", "0x1002\n"),
    (
        "proc/net/netstat",
        "TcpExt: SyncookiesSent PruneCalled\nTcpExt: 0 12\nIpExt: InNoRoutes\nIpExt: 3\n",
    ),
    (
        "proc/net/softnet_stat",
        "00000020 00000002 00000001 00000000\n00001d27 00000001 0000000a 00000000\n",
    ),
];

#[test]
fn a_host_is_what_its_files_say() {
    let root = root(&MACHINE);
    let survey = survey(root.path(), None).expect("its settings are there");
    assert_eq!(survey.name.as_deref(), Some("dtn1"));
    assert_eq!(survey.kernel_version(), Some((6, 18)));
    assert_eq!(
        survey.setting("net.ipv4.tcp_rmem"),
        Some("4096 131072 33554432")
    );
    assert_eq!(
        survey.settings["net.core.rmem_max"].file,
        "/proc/sys/net/core/rmem_max"
    );
    assert_eq!(survey.cpus, Some(5), "0-3 and 8");
    assert_eq!(survey.memory_bytes, Some(8_051_164 * 1024));
    assert_eq!(survey.governor.as_deref(), Some("powersave"));
    assert_eq!(survey.place.virtual_machine.as_deref(), Some("QEMU"));
    assert_eq!(survey.place.container, None);
    // Bit 12 of the mask is CAP_NET_ADMIN (capabilities(7)).
    assert!(survey.place.privileged && !survey.place.read_only);
    assert!(!survey.place.network_namespace);
    assert_eq!(survey.counter("TcpExtPruneCalled"), 12);
    assert_eq!(survey.counter("IpExtInNoRoutes"), 3);
    let softnet = survey.softnet.expect("it is there");
    assert_eq!(
        (softnet.processed, softnet.dropped, softnet.squeezed),
        (0x1d47, 3, 11)
    );
    let names: Vec<&str> = survey.interfaces.iter().map(|i| i.name.as_str()).collect();
    assert_eq!(names, ["eth0"], "eth1 is down, and lo was not asked for");
    let eth0 = &survey.interfaces[0];
    assert_eq!(eth0.speed_bps, Some(10_000_000_000));
    assert_eq!(
        (eth0.mtu_bytes, eth0.duplex.as_deref()),
        (Some(9000), Some("full"))
    );
    assert_eq!(eth0.statistics["rx_missed_errors"], 17);
    assert_eq!(eth0.qdisc, None, "no file says it");
    assert_eq!(survey.unread, Vec::<String>::new());
}

#[test]
fn a_container_and_a_namespace_are_noticed() {
    let root = root(&[
        ("proc/sys/net/ipv4/tcp_rmem", "4096 131072 6291456"),
        ("proc/sys/net/core/somaxconn", "4096"),
        (
            "proc/self/mounts",
            "proc /proc proc rw 0 0\nproc /proc/sys proc ro,nosuid,nodev 0 0\n",
        ),
        ("proc/self/status", "CapEff:\t0000000000000000\n"),
        ("proc/1/cgroup", "0::/kubepods/burstable/pod1/2\n"),
    ]);
    let survey = survey(root.path(), None).expect("its settings are there");
    assert_eq!(survey.place.container.as_deref(), Some("Kubernetes"));
    assert!(survey.place.network_namespace, "no netdev_max_backlog");
    assert!(survey.place.read_only && !survey.place.privileged);
    assert_eq!(survey.place.virtual_machine, None);
    assert!(survey.interfaces.is_empty() && survey.softnet.is_none());
}

#[test]
fn the_default_route_with_the_smallest_metric_is_the_way_out() {
    let v4 = "Iface Destination Gateway Flags RefCnt Use Metric Mask MTU Window IRTT
eth0 00000000 010200C0 0003 0 0 100 00000000 0 0 0
eth1 00000000 010200C0 0003 0 0 20 00000000 0 0 0
eth2 000200C0 00000000 0001 0 0 0 00FFFFFF 0 0 0
";
    let zeros = "0".repeat(32);
    let v6 = format!(
        "{zeros} 00 {zeros} 00 {zeros} 00000400 00000002 00000000 00000003     eth3\n\
         {zeros} 00 {zeros} 00 {zeros} ffffffff 00000001 00000000 00200200       lo\n"
    );
    let settings = ("proc/sys/net/ipv4/tcp_rmem", "4096 131072 6291456");
    let of = |files: &[(&str, &str)]| {
        let root = root(files);
        let survey = survey(root.path(), None).expect("its settings are there");
        survey.default_interface
    };
    let routes = [
        settings,
        ("proc/net/route", v4),
        ("proc/net/ipv6_route", &v6),
    ];
    assert_eq!(of(&routes), "eth1");
    assert_eq!(of(&[routes[0], routes[2]]), "eth3");
    assert_eq!(of(&[settings]), "");
}

#[test]
fn what_cannot_be_surveyed_says_why() {
    let empty = root(&[]);
    let error = survey(empty.path(), None).expect_err("there is nothing");
    let text = error.to_string();
    assert!(
        text.contains("tcp_rmem") && text.contains("No such file"),
        "{text}"
    );
    let root = root(&MACHINE);
    let error = survey(root.path(), Some("eth7")).expect_err("there is no such interface");
    assert!(error.to_string().contains("lo, eth0"), "{error}");
    let one = survey(root.path(), Some("lo")).expect("it is there");
    assert_eq!(one.interfaces.len(), 1);
    assert_eq!(one.way_out().map(|i| i.name.as_str()), Some("lo"));
}

/// A speed of -1 is "unknown" (linux/ethtool.h, SPEED_UNKNOWN).
#[test]
fn odd_files_leave_values_unknown() {
    let root = root(&[
        ("proc/sys/net/ipv4/tcp_rmem", "many words"),
        ("proc/sys/net/ipv4/tcp_mem", "1 2"),
        ("proc/sys/net/ipv4/tcp_wmem", "4096 16384 4194304"),
        ("proc/net/dev", "no colon\n eth0: 1\n ../x: 1\n"),
        ("sys/class/net/eth0/speed", "-1"),
        ("sys/class/net/eth0/duplex", "unknown"),
        ("sys/class/net/eth0/mtu", "99999999999999999999"),
        (
            "proc/net/snmp",
            "Tcp: MaxConn\nUdp: 1\nTcp: A B\nTcp: -1 2\nTcp: x",
        ),
        (
            "proc/net/softnet_stat",
            "zz 1\n\nffffffffffffffff ffffffffffffffff\n1 1\n",
        ),
        ("sys/devices/system/cpu/online", "5-2"),
        ("proc/meminfo", "MemTotal: 99999999999999999999 kB"),
    ]);
    let survey = survey(root.path(), None).expect("a setting is there");
    assert_eq!(survey.interfaces.len(), 1);
    let eth0 = &survey.interfaces[0];
    assert_eq!(
        (eth0.speed_bps, &eth0.duplex, eth0.mtu_bytes),
        (None, &None, None)
    );
    assert_eq!(survey.counters, BTreeMap::from([("TcpB".to_owned(), 2)]));
    assert_eq!((survey.cpus, survey.memory_bytes), (None, None));
    // What is not a number is not a setting, and said.
    assert_eq!(survey.settings.len(), 1, "{:?}", survey.settings);
    assert_eq!(survey.unread.len(), 2, "{:?}", survey.unread);
    assert!(survey.unread[1].ends_with("tcp_rmem: not what a kernel prints there: many words"));
    assert_eq!(survey.kernel_version(), None);
}

/// GNU tar stores the files of /proc with the 0 bytes that they say they have, and fills those of /sys up to a page.
#[test]
fn empty_copies_are_unreadable_and_say_so() {
    let empty = [
        ("proc/sys/net/ipv4/tcp_rmem", ""),
        ("proc/sys/net/ipv4/tcp_wmem", "\n"),
        ("proc/sys/net/ipv4/tcp_mem", ""),
        ("proc/sys/net/ipv4/tcp_congestion_control", ""),
        ("proc/net/netstat", ""),
        ("proc/net/dev", ""),
        ("sys/class/net/eth0/mtu", "1500\n\0\0\0\0"),
    ];
    let all = root(&empty);
    let error = survey(all.path(), None).expect_err("nothing can be read");
    assert!(error.to_string().contains("it is empty, as tar"), "{error}");
    let mut one = empty;
    one[1].1 = "4096 16384 4194304";
    let one = root(&one);
    let survey = survey(one.path(), None).expect("a window can be read");
    assert_eq!(survey.settings.len(), 1, "{:?}", survey.settings);
    assert_eq!(survey.unread.len(), 1, "{:?}", survey.unread);
    let said = &survey.unread[0];
    assert!(
        said.contains("tcp_mem") && said.contains("and 1 more: empty"),
        "{said}"
    );
    assert_eq!(survey.interfaces[0].mtu_bytes, Some(1500));
}

/// Without a window and a buffer the other settings are shown, and the file is named.
#[test]
fn a_host_without_windows_is_surveyed() {
    for (text, says) in [("\n", "tcp_rmem: empty"), ("abc\n", "prints there: abc")] {
        let files = [
            ("proc/sys/net/ipv4/tcp_rmem", text),
            ("proc/sys/net/core/rmem_max", "212992\n"),
        ];
        let root = root(&files);
        let survey = survey(root.path(), None).expect("a setting is there");
        assert_eq!(survey.settings.len(), 1, "{:?}", survey.settings);
        assert!(survey.settings.contains_key("net.core.rmem_max"));
        let named = survey.unread.iter().any(|u| u.contains(says));
        assert!(named, "{:?}", survey.unread);
    }
}

#[test]
fn this_host_can_be_surveyed() {
    let survey = survey(Path::new("/"), Some("lo")).expect("tests run on Linux");
    assert!(survey.kernel_version().is_some());
    // Every loopback is without a queue (noqueue), and 65 536 bytes wide by default.
    assert!(survey.interfaces[0].mtu_bytes.is_some());
    assert!(survey.interfaces[0].qdisc.is_some(), "{survey:?}");
    assert!(counters().contains_key("TcpInSegs"));
}
