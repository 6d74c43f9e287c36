//! Interfaces and ports that did not carry the flow: what they say and count is not its cause.

use farpath_diagnose::{Diagnosis, FlowReport, Known};

use crate::own_drops::TEST;
use crate::ports::ios;
use crate::{because, cables, first_flow, of, of_files};

/// A test of ten seconds from 192.0.2.5 at this rate, with so many segments sent again, and its round trip.
fn log(mbit: f64, again: u32) -> String {
    cables::log(mbit, again) + cables::PING
}

/// What `ethtool` says of an interface.
fn ethtool(name: &str, mbit: u32, duplex: &str, link: &str) -> String {
    format!(
        "Settings for {name}:\n\tSpeed: {mbit}Mb/s\n\tDuplex: {duplex}\n\tAuto-negotiation: on\n\tLink detected: {link}\n"
    )
}

fn notes(d: &Diagnosis) -> String {
    d.notes.join("\n")
}

fn diagnosis(text: &str) -> Diagnosis {
    of(text, &Known::default())
}

/// Of 488 Mbit/s nothing passed a port of 10, whichever is printed first.
#[test]
fn a_port_slower_than_the_flow_did_not_carry_it() {
    let (eno1, eno2) = (
        ethtool("eno1", 1000, "Full", "yes"),
        ethtool("eno2", 10, "Half", "yes"),
    );
    let both = [eno1.clone() + &eno2, eno2.clone() + &eno1].map(|said| {
        let d = diagnosis(&(log(488.0, 0) + &said));
        let text = d.contradictions.iter().map(|c| c.text.as_str());
        let all = text.collect::<Vec<_>>().join("\n");
        assert!(!all.contains("eno2"), "{all}");
        d
    });
    let alone = diagnosis(&(log(488.0, 0) + &eno2));
    for d in both.iter().chain([&alone]) {
        let flow = &d.flows[0];
        assert_ne!(flow.verdict.cause, "duplex", "{:#?}", flow.verdict);
        assert!(!because(flow).contains("half duplex"), "{}", because(flow));
        let said = notes(d);
        assert!(
            said.contains("eno2 of ") && said.contains("did not carry a flow of"),
            "{said}"
        );
        assert!(!said.contains("eno1 of "), "{said}");
    }
    let causes = both.each_ref().map(|d| d.flows[0].verdict.cause);
    assert_eq!(causes[0], causes[1]);
}

/// A copy of 570 Mbit/s that nothing makes six times smaller had a port of 100 Mbit/s of another host as its cause, 93 %. One of 250 Mbit/s may
/// have been made smaller.
#[test]
fn a_port_far_slower_than_a_copy_did_not_carry_it() {
    let half = "For the record:\nroot@sv-old:~# ethtool eth0 | egrep 'Speed|Duplex'\n\tSpeed: 100Mb/s\n\tDuplex: Half\n";
    let with = |rate: &str, time: &str| {
        let copy = format!(
            "$ scp big arch:/x\nbig                                   100%   50GB  {rate}MB/s   {time}    \n"
        );
        diagnosis(&(copy + half))
    };
    let fast = with("68.0", "12:33");
    assert_ne!(
        fast.flows[0].verdict.cause, "duplex",
        "{:#?}",
        fast.flows[0]
    );
    let said = notes(&fast);
    assert!(said.contains("did not carry a flow of"), "{said}");
    let slower = with("30.0", "28:26");
    assert!(!notes(&slower).contains("did not carry a flow"));
}

/// The same of a router's port whose line says its speed.
#[test]
fn a_routers_port_slower_than_the_flow_did_not_carry_it() {
    let junos = "Physical interface: fe-0/0/0, Enabled, Physical link is Up\n  Link-level type: Ethernet, MTU: 1514, Link-mode: Half-duplex, Speed: 100mbps, Loopback: Disabled\n";
    let with = |mbit: f64, again: u32| diagnosis(&(junos.to_owned() + &log(mbit, again)));
    let slow = with(6.2, 300);
    assert!(because(&slow.flows[0]).contains("half duplex"));
    assert!(!notes(&slow).contains("slower than the flow"));
    let fast = with(488.0, 0);
    assert!(!because(&fast.flows[0]).contains("half duplex"));
    let said = notes(&fast);
    assert!(said.contains("fe-0/0/0 is slower than the flow"), "{said}");
}

/// Two readings of a port of IOS, whose state is this, and how many packets came and left between them.
fn half_of_ios(state: &str, grew: [u64; 2]) -> Diagnosis {
    let port = |[came, left]: [u64; 2]| {
        format!(
            "r1#show interfaces Gi0/2
GigabitEthernet0/2 is {state}
  MTU 1500 bytes, BW 100000 Kbit/sec, DLY 100 usec,
     reliability 255/255, txload 1/255, rxload 1/255
  Half-duplex, 100Mb/s, media type is RJ45
     {came} packets input, 91283746152 bytes, 0 no buffer
     {left} packets output, 1283746152 bytes, 0 underruns
"
        )
    };
    let later = [1_000_000 + grew[0], 500_000 + grew[1]];
    let router = port([1_000_000, 500_000]) + &port(later);
    let test = log(6.2, 300);
    let files = [("t.txt", test.as_str()), ("router.txt", router.as_str())];
    of_files(&files, &Known::default())
}

/// Of 7.75 MB at least 430 packets passed: a port with 120 and 90, and one without a link, did not carry it.
#[test]
fn a_routers_port_at_half_duplex_that_few_packets_passed_did_not_carry_it() {
    let up = "up, line protocol is up";
    let busy = half_of_ios(up, [2700, 5400]);
    let why = because(&busy.flows[0]);
    assert!(why.contains("half duplex"), "{why}");
    assert!(!notes(&busy).contains("its duplex is not weighed"));
    let quiet = half_of_ios(up, [120, 90]);
    let why = because(&quiet.flows[0]);
    assert!(!why.contains("half duplex"), "{why}");
    let said = notes(&quiet);
    let idle = "at GigabitEthernet0/2 of r1 120 packets arrived and 90 left between its readings";
    assert!(said.contains(idle), "{said}");
    for down in [
        "down, line protocol is down (notconnect)",
        "administratively down, line protocol is down",
    ] {
        let d = half_of_ios(down, [2700, 5400]);
        let why = because(&d.flows[0]);
        assert!(!why.contains("half duplex"), "{down} {why}");
    }
}

#[test]
fn a_port_without_a_link_did_not_carry_it() {
    let with = |link: &str| diagnosis(&(log(8.0, 500) + &ethtool("eno2", 100, "Half", link)));
    let up = with("yes");
    assert!(because(&up.flows[0]).contains("half duplex"));
    assert!(!notes(&up).contains("eno2"), "{}", notes(&up));
    let down = with("no");
    assert!(!because(&down.flows[0]).contains("half duplex"));
    assert!(notes(&down).contains("had no link"), "{}", notes(&down));
}

/// The interface with the flow's address, or by which its route leaves, carried it, and no other one of that host.
#[test]
fn an_interface_without_the_flows_address_did_not_carry_it() {
    let brief = |own: &str, other: &str| {
        format!(
            "lo               UNKNOWN        127.0.0.1/8 ::1/128\n{own}             UP             192.0.2.5/24\n{other}             UP             198.51.100.7/24\n"
        )
    };
    let whole = |own: &str, other: &str| {
        let of = |n: u32, name: &str, address: &str| {
            format!(
                "{n}: {name}: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc fq state UP group default qlen 1000\n    link/ether 02:00:00:00:00:0{n} brd ff:ff:ff:ff:ff:ff\n    inet {address}/24 scope global {name}\n       valid_lft forever preferred_lft forever\n"
            )
        };
        of(2, own, "192.0.2.5") + &of(3, other, "198.51.100.7")
    };
    let route =
        |own: &str, _: &str| format!("192.0.2.40 dev {own} src 192.0.2.5 uid 1000\n    cache\n");
    let half = ethtool("eno2", 100, "Half", "yes");
    let with = |said: String| {
        let orders = [said.clone() + &half, half.clone() + &said];
        orders.map(|said| diagnosis(&(log(8.0, 500) + &said)))
    };
    for said in [
        brief("eno1", "eno2"),
        whole("eno1", "eno2"),
        route("eno1", "eno2"),
    ] {
        for d in with(said.clone()) {
            let why = because(&d.flows[0]);
            assert!(!why.contains("half duplex"), "{said}{why}");
            let noted = notes(&d);
            assert!(noted.contains("the address of eno1"), "{said}{noted}");
            let left: usize = d.read.iter().map(|r| r.ignored_lines.len()).sum();
            assert_eq!(left, 0, "{:?}", d.read);
        }
    }
    for said in [
        brief("eno2", "eno1"),
        whole("eno2", "eno1"),
        route("eno2", "eno1"),
    ] {
        for d in with(said.clone()) {
            let why = because(&d.flows[0]);
            assert!(why.contains("half duplex"), "{said}{why}");
            assert!(!notes(&d).contains("eno2 of "), "{said}{}", notes(&d));
        }
    }
    // A bond has the address, and its members carry what it sends.
    for d in with(brief("bond0", "eno1")) {
        assert!(because(&d.flows[0]).contains("half duplex"));
    }
}

/// A shaper of another interface holds nothing of the flow.
#[test]
fn a_shaper_of_another_interface_is_not_the_flows() {
    let with = |dev: &str| {
        let route = format!("192.0.2.40 dev {dev} src 192.0.2.5 uid 1000\n    cache\n");
        let tc = "qdisc tbf 8001: dev eth1 root refcnt 2 rate 100Mbit burst 64Kb lat 50ms\n Sent 9000000 bytes 9000 pkt (dropped 0, overlimits 2 requeues 0)\n backlog 0b 0p requeues 0\n";
        diagnosis(&(log(94.0, 0) + &route + tc))
    };
    let shaped = |d: &Diagnosis| d.flows[0].ceilings.iter().any(|c| c.cause == "shaper");
    assert!(shaped(&with("eth1")));
    let other = with("eth0");
    assert!(!shaped(&other), "{:#?}", other.flows[0].ceilings);
    assert!(
        notes(&other).contains("the address of eth0"),
        "{}",
        notes(&other)
    );
}

/// A root of an interface, as `tc` prints it: bytes and packets sent, packets dropped.
fn root(port: &str, [bytes, packets, dropped]: [u64; 3]) -> String {
    format!(
        "qdisc pfifo 8001: dev {port} root refcnt 2 limit 20p\n Sent {bytes} bytes {packets} pkt (dropped {dropped}, overlimits 0 requeues 0)\n backlog 0b 0p requeues 0\n"
    )
}

/// The test of 750 MB between two readings, each of these interfaces.
fn between(readings: [Vec<String>; 2]) -> (FlowReport, String) {
    let command = "[user@dtn ~]# tc -s qdisc show\n".to_owned();
    let text = readings.map(|roots| command.clone() + &roots.concat());
    let text = text.concat();
    let files = [("t.txt", TEST), ("sender.txt", text.as_str())];
    let d = of_files(&files, &Known::default());
    let said = notes(&d);
    (first_flow(d), said)
}

#[test]
fn drops_of_an_interface_that_passed_far_less_are_of_something_else() {
    let plain = first_flow(of_files(&[("t.txt", TEST)], &Known::default()));
    let large = [[1_000_000, 900, 0], [761_000_000, 526_000, 0]];
    let small = [[500_000, 500, 12], [10_500_000, 10_500, 96]];
    let flow = [0, 1].map(|n| vec![root("eth0", large[n]), root("eth1", small[n])]);
    let turned = [0, 1].map(|n| vec![root("eth1", small[n]), root("eth0", large[n])]);
    for readings in [flow, turned] {
        let (flow, said) = between(readings);
        assert_eq!(flow.verdict.cause, plain.verdict.cause, "{said}");
        assert!(!because(&flow).contains("dropped 84"), "{}", because(&flow));
        assert!(
            said.contains("eth1 of ") && said.contains("sent 10.0 MB between its readings"),
            "{said}"
        );
        assert!(!said.contains("eth0 of "), "{said}");
    }
    // The same drops at the interface that carried it are the cause.
    let large = [[1_000_000, 900, 12], [761_000_000, 526_000, 96]];
    let small = [[500_000, 500, 0], [10_500_000, 10_500, 0]];
    let readings = [0, 1].map(|n| vec![root("eth0", large[n]), root("eth1", small[n])]);
    let (flow, said) = between(readings);
    assert_eq!(flow.verdict.cause, "shallow_buffer", "{:#?}", flow.verdict);
    assert!(!said.contains("between its readings"), "{said}");
}

/// A reading of `/proc/net/dev`: bytes and packets received, frames damaged.
fn proc(bytes: u64, packets: u64, errors: u32) -> String {
    format!(
        "Inter-|   Receive                                                |  Transmit\n face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed\n  eth1: {bytes} {packets} {errors} 0 0 {errors} 0 0 410000000 5400000 0 0 0 0 0 0\n"
    )
}

/// The same by `netstat -i`, which counts packets alone.
fn netstat(packets: u64, errors: u32) -> String {
    format!(
        "Kernel Interface table\nIface      MTU    RX-OK RX-ERR RX-DRP RX-OVR    TX-OK TX-ERR TX-DRP TX-OVR Flg\neth1      1500 {packets} {errors} 0 0 5400000 0 0 0 BMRU\n"
    )
}

/// Frames that arrived damaged at an interface of the receiver that received 10 MB meanwhile, by `ip`, `ifconfig` and the kernel's table.
#[test]
fn damaged_frames_of_an_interface_that_passed_far_less_are_of_something_else() {
    let ip = |bytes: u64, packets: u64, errors: u32| {
        format!(
            "3: eth1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP mode DEFAULT group default qlen 1000\n    link/ether 02:00:00:01:02:03 brd ff:ff:ff:ff:ff:ff\n    RX:  bytes packets errors dropped  missed   mcast\n    {bytes} {packets} {errors} 0 0 0\n    TX:  bytes packets errors dropped carrier collsns\n    410000000 5400000 0 0 0 0\n"
        )
    };
    let ifconfig = |bytes: u64, packets: u64, errors: u32| {
        format!(
            "eth1: flags=4163<UP,BROADCAST,RUNNING,MULTICAST>  mtu 1500\n        ether 02:00:00:01:02:03  txqueuelen 1000  (Ethernet)\n        RX packets {packets}  bytes {bytes} (85.1 GiB)\n        RX errors {errors}  dropped 0  overruns 0  frame {errors}\n        TX packets 5400000  bytes 410000000 (391.0 MiB)\n        TX errors 0  dropped 0 overruns 0  carrier 0  collisions 0\n"
        )
    };
    let with = |readings: [String; 2]| {
        let text = readings.map(|r| "[root@recv ~]# date\n".to_owned() + &r);
        let text = text.concat();
        of_files(
            &[("t.txt", TEST), ("receiver.txt", text.as_str())],
            &Known::default(),
        )
    };
    let few = [
        (91_000_000_000, 11_000_000, 0),
        (91_010_000_000, 11_008_000, 82),
    ];
    let many = [
        (91_000_000_000, 11_000_000, 0),
        (91_760_000_000, 11_525_000, 82),
    ];
    for (few, many) in [
        (
            few.map(|(b, p, e)| ip(b, p, e)),
            many.map(|(b, p, e)| ip(b, p, e)),
        ),
        (
            few.map(|(b, p, e)| ifconfig(b, p, e)),
            many.map(|(b, p, e)| ifconfig(b, p, e)),
        ),
        (
            few.map(|(b, p, e)| proc(b, p, e)),
            many.map(|(b, p, e)| proc(b, p, e)),
        ),
    ] {
        let d = with(few);
        assert!(!because(&d.flows[0]).contains("arrived damaged"));
        let said = notes(&d);
        assert!(
            said.contains("received 10.0 MB between its readings"),
            "{said}"
        );
        let d = with(many);
        let why = because(&d.flows[0]);
        assert!(why.contains("82 frames arrived damaged"), "{why}");
    }
    // Where packets alone are counted, so few that no segments of a card hold the flow.
    let packets = |grew: u64| with([(0, 0), (grew, 82)].map(|(n, e)| netstat(11_000_000 + n, e)));
    let d = packets(2000);
    assert!(!because(&d.flows[0]).contains("arrived damaged"));
    let said = notes(&d);
    assert!(said.contains("received 2000 packets between"), "{said}");
    let d = packets(525_000);
    let why = because(&d.flows[0]);
    assert!(why.contains("82 frames arrived damaged"), "{why}");
}

#[test]
fn errors_of_a_routers_port_that_few_packets_reached_are_of_something_else() {
    let with = |packets: u64| {
        let router = ios(1_000_000, 10) + &ios(1_000_000 + packets, 50);
        let files = [("t.txt", TEST), ("router.txt", router.as_str())];
        of_files(&files, &Known::default())
    };
    let few = with(130);
    assert!(!because(&few.flows[0]).contains("arrived damaged"));
    assert!(
        notes(&few).contains("130 packets arrived between its readings"),
        "{}",
        notes(&few)
    );
    let many = with(600_000);
    let why = because(&many.flows[0]);
    assert!(why.contains("40 frames arrived damaged"), "{why}");
    assert!(
        !notes(&many).contains("arrived between"),
        "{}",
        notes(&many)
    );
}
