//! What hosts say to each other.

use std::io::IoSlice;
use std::path::Path;

use farpath_emu::driver::Clock;
use farpath_emu::lab::{Lab, Options};
use farpath_emu::layout::layout;
use farpath_emu::settings::Machine;
use farpath_emu::{Device, DeviceChoice, Host, Shaping, host};
use farpath_scenario::{Source, parse};
use farpath_units::{Duration, Rate, Size};
use nix::errno::Errno;

use crate::pump::{B, Pair, SETTINGS, spec, told};
use crate::role::{line, start};

pub(crate) const TESTS: &[(&str, fn())] = &[
    (
        "hosts_of_a_scenario_talk_through_its_network",
        hosts_of_a_scenario_talk_through_its_network,
    ),
    (
        "a_connection_waits_for_its_own_interface",
        a_connection_waits_for_its_own_interface,
    ),
    (
        "two_labs_do_not_see_each_other",
        two_labs_do_not_see_each_other,
    ),
    (
        "a_deleted_interface_is_noticed",
        a_deleted_interface_is_noticed,
    ),
    ("both_ways_over_ipv4_and_ipv6", both_ways_over_ipv4_and_ipv6),
    (
        "veth_and_packet_sockets_do_what_taps_do",
        veth_and_packet_sockets_do_what_taps_do,
    ),
    (
        "without_segmentation_offload_no_super_frame_leaves",
        without_segmentation_offload_no_super_frame_leaves,
    ),
    (
        "a_quiet_host_sends_nothing_unasked",
        a_quiet_host_sends_nothing_unasked,
    ),
    ("a_host_is_set_by_itself", a_host_is_set_by_itself),
    ("what_cannot_be_set_is_said", what_cannot_be_set_is_said),
];

/// Each host sends 32 MiB to the other at the same time, over IPv4, then over IPv6.
pub(crate) fn exchange_both(pair: &Pair) {
    for address in B {
        let mut server = start(&pair.b, &["server", address]);
        let mut heard = server.stdout.take().unwrap();
        assert_eq!(line(&mut heard), "listening");
        let mut client = start(&pair.a, &["client", address]);
        assert_eq!(line(client.stdout.as_mut().unwrap()), "equal");
        assert_eq!(line(&mut heard), "equal");
        assert!(client.wait().unwrap().success());
        assert!(server.wait().unwrap().success());
    }
}

fn both_ways_over_ipv4_and_ipv6() {
    let pair = Pair::new(DeviceChoice::Only(Device::Tap));
    exchange_both(&pair);
    let counters = pair.a.counters().unwrap();
    assert_eq!(counters.interfaces["eth0"].sent, 0);
    assert_eq!(counters.sack_reneging, 0);
    let super_frames = pair.stop();
    // 128 MiB in all; at one segment a frame there would be none.
    assert!(super_frames > 128, "{super_frames} super-frames");
}

fn veth_and_packet_sockets_do_what_taps_do() {
    let pair = Pair::new(DeviceChoice::Only(Device::Packet));
    exchange_both(&pair);
    assert!(pair.stop() > 128);
}

fn without_segmentation_offload_no_super_frame_leaves() {
    for device in [Device::Tap, Device::Packet] {
        let specs = ["a", "b"].map(|name| {
            let mut spec = spec(name, DeviceChoice::Only(device));
            spec.interfaces[0].segments_at_once = Some(1);
            spec
        });
        let pair = Pair::of(&specs[0], &specs[1]);
        exchange_both(&pair);
        assert_eq!(pair.stop(), 0, "{device:?}");
    }
}

fn a_quiet_host_sends_nothing_unasked() {
    for device in [Device::Tap, Device::Packet] {
        let host = Host::start(&spec("a", DeviceChoice::Only(device))).unwrap();
        let mut buffer = vec![0; farpath_emu::tap::LARGEST];
        assert_eq!(
            host.taps[0].read(&mut buffer),
            Err(Errno::EAGAIN),
            "{device:?}"
        );
    }
}

/// Two hosts with a router between them, 10 ms apart.
const ROUTED: &str = r#"
    [scenario]
    name = "routed"
    [[host]]
    name = "a"
    [[router]]
    name = "r"
    [[host]]
    name = "b"
    [[link]]
    name = "a-r"
    ends = ["a", "r"]
    framing = "gbe"
    [[link]]
    name = "r-b"
    ends = ["r", "b"]
    framing = "gbe"
    delay = "5 ms"
    queue = "4 MB"
"#;

fn hosts_of_a_scenario_talk_through_its_network() {
    let source = Source {
        name: "routed.toml".to_owned(),
        text: ROUTED.to_owned(),
    };
    let scenario = parse(&source, &[]).unwrap_or_else(|e| panic!("{e}"));
    let machine = Machine::read(Path::new("/")).unwrap();
    let layouts = layout(&scenario, &machine).unwrap();
    // Hosts are numbered before routers: b is the second node.
    let b = layouts[1].spec.interfaces[0].addresses.clone();
    let mut lab = Lab::up(&scenario, layouts, Options::default()).unwrap();
    let hosts = std::mem::take(&mut lab.hosts);
    let clock = Clock::start(Duration::ZERO);
    for address in b {
        let address = address.to_string();
        let mut server = start(&hosts[1], &["server", &address]);
        let mut heard = server.stdout.take().unwrap();
        assert_eq!(line(&mut heard), "listening");
        let mut client = start(&hosts[0], &["client", &address]);
        lab.run(clock, |_, _, _| client.try_wait().unwrap().is_none())
            .unwrap();
        assert!(client.wait().unwrap().success());
        // What it is owed is on its way: the server has all but the last acknowledgement.
        server.kill().unwrap();
        server.wait().unwrap();
    }
    let traffic = lab.plane.traffic();
    assert_eq!((traffic.strays, traffic.refused), (0, 0), "{traffic:?}");
    // 128 MiB in frames of 1500 bytes, in fewer packets.
    assert!(traffic.frames_in > (128 << 20) / 1448, "{traffic:?}");
    assert!(traffic.packets_in < traffic.frames_in / 2, "{traffic:?}");
}

/// The send buffer grows to 4 MiB and eight would fit into the queue: what keeps it short is that the
/// kernel knows how much of it waits (TCP Small Queues).
fn a_connection_waits_for_its_own_interface() {
    let mut sender = spec("a", DeviceChoice::Only(Device::Tap));
    let shaping = Shaping {
        rate: Rate::from_bps(400_000_000).unwrap(),
        burst: Size::from_bytes(140_000),
        limit: Size::from_bytes(8 << 20),
    };
    sender.interfaces[0].shaping = Some(shaping);
    let receiver = spec("b", DeviceChoice::Only(Device::Tap));
    let pair = Pair::of(&sender, &receiver);
    let mut server = start(&pair.b, &["server", B[0]]);
    assert_eq!(line(server.stdout.as_mut().unwrap()), "listening");
    let mut client = start(&pair.a, &["client", B[0]]);
    let (mut longest, mut samples) = (0, 0);
    while client.try_wait().unwrap().is_none() {
        let queues = said(&pair.a, "tc", &["-s", "-j", "qdisc", "show", "dev", "eth0"]);
        let queues: serde_json::Value = serde_json::from_str(&queues).unwrap();
        longest = longest.max(queues[0]["backlog"].as_u64().unwrap());
        samples += 1;
    }
    assert!(client.wait().unwrap().success());
    assert!(server.wait().unwrap().success());
    assert!(
        longest < 1 << 20,
        "{longest} bytes waited, of {samples} samples"
    );
    assert!(longest > 0, "nothing ever waited, of {samples} samples");
    assert_eq!(pair.a.queue_drops().unwrap()["eth0"], 0);
    pair.stop();
}

fn two_labs_do_not_see_each_other() {
    // The same names and addresses, at the same time.
    let pairs = [(); 2].map(|()| Pair::new(DeviceChoice::Available));
    std::thread::scope(|scope| {
        for pair in &pairs {
            scope.spawn(|| exchange_both(pair));
        }
    });
    for pair in pairs {
        assert!(pair.stop() > 0);
    }
}

fn a_deleted_interface_is_noticed() {
    let host = Host::start(&spec("a", DeviceChoice::Only(Device::Tap))).unwrap();
    let mut buffer = vec![0; farpath_emu::tap::LARGEST];
    said(&host, "ip", &["link", "set", "dev", "eth0", "down"]);
    assert_eq!(host.taps[0].read(&mut buffer), Err(Errno::EAGAIN));
    assert_eq!(
        host.taps[0].write(&[IoSlice::new(&[0; 70])]),
        Err(Errno::EIO)
    );
    said(&host, "ip", &["link", "delete", "dev", "eth0"]);
    assert_eq!(host.taps[0].read(&mut buffer), Err(Errno::EBADFD));
    assert_eq!(
        host.taps[0].write(&[IoSlice::new(&[0; 70])]),
        Err(Errno::EBADFD)
    );
}

/// What `program` says in `host`.
fn said(host: &Host, program: &str, arguments: &[&str]) -> String {
    let output = host.command(program).args(arguments).output().unwrap();
    assert!(
        output.status.success(),
        "{program} {arguments:?}: {output:?}"
    );
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn a_host_is_set_by_itself() {
    let before = |file| std::fs::read_to_string(file).unwrap();
    let (hosts, memory) = (before("/etc/hosts"), before("/proc/sys/net/ipv4/tcp_rmem"));
    let name = nix::unistd::gethostname().unwrap();
    let spec = told("a");
    let host = Host::start(&spec).unwrap();
    assert_eq!(host.notes, Vec::<String>::new());
    for (key, value) in SETTINGS {
        let set = said(&host, "sysctl", &["-n", key]);
        let set: Vec<&str> = set.split_whitespace().collect();
        assert_eq!(set.join(" "), value, "{key}");
    }
    assert_eq!(said(&host, "hostname", &[]), "a");
    assert!(said(&host, "getent", &["hosts", "b"]).starts_with("2001:db8::2"));
    assert_eq!(
        said(&host, "getent", &["ahostsv4", "b"]).split(' ').next(),
        Some("198.18.0.2")
    );
    // Its init is process 1, and the only other process is the shell that asks.
    let processes = said(&host, "sh", &["-c", "cd /proc; echo [0-9]*"]);
    assert!(processes.starts_with("1 "), "{processes}");
    assert_eq!(processes.split(' ').count(), 2, "{processes}");
    assert!(said(&host, "tc", &["qdisc", "show", "dev", "eth0"]).contains("tbf"));
    assert_eq!(host.queue_drops().unwrap()["eth0"], 0);
    let faster = Shaping {
        rate: Rate::from_bps(2_000_000_000).unwrap(),
        ..spec.interfaces[0].shaping.unwrap()
    };
    host.shape("eth0", Some(faster)).unwrap();
    assert!(said(&host, "tc", &["qdisc", "show", "dev", "eth0"]).contains("rate 2Gbit"));
    host.shape("eth0", None).unwrap();
    assert!(!said(&host, "tc", &["qdisc", "show", "dev", "eth0"]).contains("tbf"));
    assert_eq!(said(&host, "ls", &["/sys/class/net"]), "eth0\nlo");
    // The machine has not noticed.
    assert_eq!(before("/etc/hosts"), hosts);
    assert_eq!(before("/proc/sys/net/ipv4/tcp_rmem"), memory);
    assert_eq!(nix::unistd::gethostname().unwrap(), name);
    assert!(!Path::new("/sys/class/net/eth0/tun_flags").exists());
}

fn what_cannot_be_set_is_said() {
    let fault = |change: fn(&mut farpath_emu::HostSpec)| {
        let mut spec = spec("a", DeviceChoice::Available);
        change(&mut spec);
        let fault: host::HostError = Host::start(&spec).unwrap_err();
        fault.to_string()
    };
    let unknown = fault(|s| {
        s.settings
            .push(("net.ipv4.tcp_nonsense".to_owned(), "1".to_owned()))
    });
    assert!(
        unknown.starts_with("host `a`: set net.ipv4.tcp_nonsense to 1: "),
        "{unknown}"
    );
    let name = fault(|s| s.interfaces[0].name = "much-too-long-name".to_owned());
    assert!(name.contains("create TAP much-too-long-name"), "{name}");
    let route = fault(|s| s.interfaces[0].addresses.clear());
    assert!(
        route.contains("ip route add 198.18.0.2 dev eth0 src 198.18.0.1"),
        "{route}"
    );
    let mtu = fault(|s| s.interfaces[0].mtu = 65_535);
    assert!(
        mtu.contains("an interface takes 68 to 65521 bytes"),
        "{mtu}"
    );
}
