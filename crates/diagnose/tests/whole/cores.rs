//! Processors by what fills them: soft interrupts, the hypervisor, a tunnel; and a bond whose hash has no ports.

use farpath_diagnose::Known;

use crate::{because, commands, first, of};

const COLUMNS: &str =
    "CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle";

/// A server's own text: its table is headed by an empty line, behind which no prompt counts any more.
#[test]
fn soft_interrupts_of_the_receiver_are_changed_there() {
    let log = "$ iperf3 -s
Server listening on 5201 (test #1)
Accepted connection from 192.0.2.1, port 40000
[  5] local 198.51.100.7 port 5201 connected to 192.0.2.1 port 40002
[ ID] Interval           Transfer     Bitrate
[  5]   0.00-10.00  sec  11.6 GBytes  9.96 Gbits/sec                  receiver
";
    let table = format!(
        "$ mpstat -P ALL 5 1
Linux 6.1.0-20-amd64 (sink) 	11/27/2026 	_x86_64_	(4 CPU)

10:00:00 AM  {COLUMNS}
10:00:05 AM  all    0.50    0.00    3.00    0.00    0.00   24.00    0.00    0.00    0.00   72.50
10:00:05 AM    0    0.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00  100.00
10:00:05 AM    1    1.00    0.00   30.00    0.00    0.00    1.00    0.00    0.00    0.00   68.00
10:00:05 AM    3    0.10    0.00    0.90    0.00    0.00   99.00    0.00    0.00    0.00    0.00
"
    );
    // With a prompt of its own, or without one.
    for prompt in ["sink", ""] {
        let text = format!("{log}\n{table}").replace('$', &format!("{prompt}$"));
        let flow = first(&text);
        assert_eq!(flow.verdict.cause, "host_cpu", "{:?}", flow.verdict);
        assert_eq!(flow.changes[0].host, "198.51.100.7", "{prompt}");
        let because = flow.verdict.because.join("\n");
        let said = "processor 3 spent 99 % of its time in soft interrupts (%soft)";
        assert!(because.contains(said), "{because}");
        assert!(because.contains("1 other was idle"), "{because}");
        let commands = commands(&flow);
        assert!(
            commands.contains("RSS") && commands.contains("RPS"),
            "{commands}"
        );
        assert!(!commands.contains("3.16"), "{commands}");
    }
}

/// 9.28 Gbit/s are 1.4 % below what a port of 10 Gbit/s leaves, and one second is 3.2 % below it: the full processor of the receiver holds it.
#[test]
fn a_full_processor_counts_more_than_a_slower_port_that_is_nearly_full() {
    let rows: String = [9.45, 9.19, 9.28, 9.11, 9.19, 9.28]
        .into_iter()
        .enumerate()
        .map(|(n, gbit)| {
            format!(
                "[  5]   {n}.00-{}.00   sec  1.08 GBytes  {gbit} Gbits/sec    0   1.30 MBytes\n",
                n + 1
            )
        })
        .collect();
    let text = format!(
        "[root@hv1 ~]# iperf3 -c hv2 -t 6
[  5] local 10.50.0.1 port 44120 connected to 10.50.0.2 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
{rows}- - - - - - - - - - - - - - - - - - - - - - - - -
[  5]   0.00-6.00   sec  6.46 GBytes  9.25 Gbits/sec    0             sender
[  5]   0.00-6.00   sec  6.46 GBytes  9.25 Gbits/sec                  receiver
[root@hv2 ~]# mpstat -P ALL 5 1
Linux 5.14.0-427.el9.x86_64 (hv2) \t11/30/2026 \t_x86_64_\t(4 CPU)

03:22:11 AM  {COLUMNS}
03:22:16 AM  all    0.40    0.00    3.10    0.00    0.20   12.40    0.00    0.00    0.00   83.90
03:22:16 AM    0    0.20    0.00    0.40    0.00    0.00    0.00    0.00    0.00    0.00   99.40
03:22:16 AM    1    0.40    0.00   22.10    0.00    0.00    0.60    0.00    0.00    0.00   76.90
03:22:16 AM    2    0.00    0.00    0.20    0.00    1.00   98.80    0.00    0.00    0.00    0.00
03:22:16 AM    3    0.40    0.00    0.40    0.00    0.00    0.00    0.00    0.00    0.00   99.20
[root@hv2 ~]# ethtool ens1f0 | grep -i speed
\tSpeed: 25000Mb/s
"
    );
    let flow = first(&text);
    assert_eq!(flow.verdict.cause, "host_cpu", "{:?}", flow.verdict);
    let because = because(&flow);
    let said = "processor 2 spent 99 % of its time in soft interrupts (%soft)";
    assert!(because.contains(said), "{because}");
    assert!(!because.contains("is what Ethernet at"), "{because}");
    // What the sender's processors carry no text says: the port's rate is not promised.
    let change = &flow.changes[0];
    assert_eq!(change.predicted_bps, None, "{change:#?}");
    let said = "that takes away this processor's limit";
    assert!(change.risk.contains(said), "{change:#?}");
}

const CLIENT: &str = "a$ iperf3 -c 198.51.100.7 -t 10
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-10.00  sec   262 MBytes   220 Mbits/sec    0             sender
[  5]   0.00-10.12  sec   259 MBytes   215 Mbits/sec                  receiver
";

#[test]
fn time_that_the_hypervisor_takes_is_given_back_by_nothing_inside() {
    let text = format!(
        "{CLIENT}a$ mpstat -P ALL 5 1
Linux 5.15.0-1051-kvm (a) 	11/27/2026 	_x86_64_	(2 CPU)

10:00:00     {COLUMNS}
10:00:05       0    3.00    0.00   40.00    0.00    0.00    2.00   54.80    0.00    0.00    0.20
10:00:05       1    0.50    0.00    7.00    0.00    0.00    6.00   20.00    0.00    0.00   66.50
"
    );
    let flow = first(&text);
    assert_eq!(flow.verdict.cause, "host_cpu", "{:?}", flow.verdict);
    let because = flow.verdict.because.join("\n");
    let said = "55 % of processor 0 was taken by the hypervisor (%steal)";
    assert!(because.contains(said), "{because}");
    let commands = commands(&flow);
    assert!(commands.contains("dedicated processor"), "{commands}");
    assert!(!commands.contains("3.16"), "{commands}");
}

/// Three fifths of every processor are taken, and a seventh to a quarter is idle in between: what waits for its turn fills no buffer.
#[test]
fn time_that_the_hypervisor_takes_counts_beside_idle_time() {
    let table = |taken: [f64; 2], idle: [f64; 2]| {
        format!(
            "{CLIENT}a$ mpstat -P ALL 5 1
Linux 6.1.0-18-amd64 (a) \t11/27/2026 \t_x86_64_\t(2 CPU)

10:00:00     {COLUMNS}
10:00:05       0    1.20    0.00   11.00    0.00    0.00   11.80   {:.2}    0.00    0.00   {:.2}
10:00:05       1    2.00    0.00   13.20    0.00    0.00    0.60   {:.2}    0.00    0.00   {:.2}
a$ ping -c 5 -q 198.51.100.7
--- 198.51.100.7 ping statistics ---
5 packets transmitted, 5 received, 0% packet loss, time 4004ms
rtt min/avg/max/mdev = 0.5/0.6/0.7/0.1 ms
",
            taken[0], idle[0], taken[1], idle[1]
        )
    };
    let flow = first(&table([62.0, 60.0], [14.0, 24.2]));
    assert_eq!(flow.verdict.cause, "host_cpu", "{:?}", flow.verdict);
    let because = flow.verdict.because.join("\n");
    let said = "62 % of processor 0 was taken by the hypervisor (%steal)";
    assert!(because.contains(said), "{because}");
    assert!(commands(&flow).contains("dedicated processor"), "{flow:?}");
    let flow = first(&table([0.0, 0.0], [76.0, 84.2]));
    assert_ne!(flow.verdict.cause, "host_cpu", "{:?}", flow.verdict);
}

/// A virtual machine whose processors are idle, by a text without what its hypervisor took: that was not read, and is said.
#[test]
fn a_virtual_machine_without_steal_is_said_to_be_open() {
    let text = |summary: &str, driver: &str| {
        format!(
            "{CLIENT}a$ ethtool -i eth0\ndriver: {driver}\nversion: 1.0.0\na$ top -b -n 1 | head -9
top - 03:12:01 up 9 days,  1:02,  1 user,  load average: 0.10, 0.12, 0.11
{summary}
    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND
   4412 nobody    20   0   19120   9012   6011 R  21.7   0.0  11:20.21 iperf3
"
        )
    };
    let said = "%steal) was not read";
    let open = first(&text("", "virtio_net"));
    assert!(because(&open).contains(said), "{}", because(&open));
    let summary =
        "%Cpu(s):  3.0 us, 12.0 sy,  0.0 ni, 84.9 id,  0.0 wa,  0.0 hi,  0.1 si,  0.0 st\n";
    let read = first(&text(summary, "virtio_net"));
    assert!(!because(&read).contains(said), "{}", because(&read));
    let real = first(&text("", "ixgbe"));
    assert!(!because(&real).contains(said), "{}", because(&real));
    let busy = " 1  0      0 812300  41232 912344    0    0     0     0 9101 1202  3 12 85  0  0\n";
    let rows = [SINCE_START, busy];
    let read = first(&(text("", "virtio_net") + &vmstat(&rows)));
    assert!(!because(&read).contains(said), "{}", because(&read));
    // The row since the machine was started is of other times.
    let open = first(&(text("", "virtio_net") + &vmstat(&rows[..1])));
    assert!(because(&open).contains(said), "{}", because(&open));
}

/// The first row of `vmstat`: all the time since the machine was started.
const SINCE_START: &str =
    " 1  0      0 812344  41232 912344    0    0     4    12  101  202  9  9 82  0  0\n";

/// What `vmstat` prints on the sender, with these rows.
fn vmstat(rows: &[&str]) -> String {
    format!(
        "a$ vmstat 1 {}
procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st
{}",
        rows.len(),
        rows.concat()
    )
}

/// All processors are full, and the hypervisor has two thirds of them: by a table that has no row of each.
#[test]
fn vmstat_says_what_the_hypervisor_takes_of_full_processors() {
    let full = " 3  0      0 812300  41232 912344    0    0     0     0 9101 1202  4 32  0  0 64\n";
    let flow = first(&(CLIENT.to_owned() + &vmstat(&[SINCE_START, full, full])));
    assert_eq!(flow.verdict.cause, "host_cpu", "{:?}", flow.verdict);
    let said = "64 % of the time of all processors was taken by the hypervisor (%steal)";
    assert!(because(&flow).contains(said), "{}", because(&flow));
}

/// No thread of WireGuard has all of a processor, and together they have all of them.
#[test]
fn a_tunnel_that_fills_all_processors_counts_though_no_thread_fills_one() {
    let text = format!(
        "{CLIENT}a$ top -b -n1 | head -12
top - 03:20:55 up 12 days,  8:01,  1 user,  load average: 3.88, 2.77, 1.41
Tasks: 118 total,   5 running, 113 sleeping,   0 stopped,   0 zombie
%Cpu(s):  1.1 us, 71.0 sy,  0.0 ni,  4.1 id,  0.0 wa,  0.0 hi, 23.8 si,  0.0 st

    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND
   8812 root      20   0       0      0      0 R  88.1   0.0   0:41.12 kworker/0:2-wg-crypt-wg0
   8120 root      20   0       0      0      0 R  81.2   0.0   0:38.90 kworker/3:1-wg-crypt-wg0
"
    );
    let flow = first(&text);
    assert_eq!(flow.verdict.cause, "host_cpu", "{:?}", flow.verdict);
    let said = "all processors of a host were 96 % busy, and the busiest program was kworker/0:2-wg-crypt-wg0";
    assert!(because(&flow).contains(said), "{}", because(&flow));
    let commands = commands(&flow);
    assert!(
        commands.contains("encrypts on all processors"),
        "{commands}"
    );
    assert!(!commands.contains("ovpn-dco"), "{commands}");
}

#[test]
fn a_tunnel_that_fills_a_processor_counts_beside_a_test() {
    let top = |program: &str| {
        format!(
            "{CLIENT}a$ top -b -n 1 | head -9
top - 03:12:01 up 9 days,  1:02,  1 user,  load average: 1.10, 0.72, 0.31

    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND
   4412 nobody    20   0   19120   9012   6011 R  99.7   0.0  11:20.21 {program}
"
        )
    };
    let flow = first(&top("openvpn"));
    assert_eq!(flow.verdict.cause, "host_cpu", "{:?}", flow.verdict);
    assert!(
        flow.verdict.because.join("\n").contains("openvpn"),
        "{:?}",
        flow.verdict
    );
    assert!(commands(&flow).contains("ovpn-dco"), "{flow:?}");
    // Any other program does not belong to the test.
    assert_ne!(first(&top("backup")).verdict.cause, "host_cpu");
}

/// A tunnel's program without time left drops packets itself: few losses are not another cause.
#[test]
fn few_losses_of_a_full_tunnel_are_its_own() {
    let text = "[root@vpn1 ~]# iperf3 -c 10.8.0.1 -t 5
[  5] local 10.8.0.6 port 39100 connected to 10.8.0.1 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-1.00   sec  5.62 MBytes  47.2 Mbits/sec    6    184 KBytes
[  5]   1.00-2.00   sec  5.50 MBytes  46.1 Mbits/sec    2    162 KBytes
[  5]   2.00-3.00   sec  5.38 MBytes  45.1 Mbits/sec    3    171 KBytes
[  5]   3.00-4.00   sec  5.50 MBytes  46.1 Mbits/sec    1    177 KBytes
[  5]   4.00-5.00   sec  5.38 MBytes  45.1 Mbits/sec    3    168 KBytes
- - - - - - - - - - - - - - - - - - - - - - - - -
[  5]   0.00-5.00   sec  27.4 MBytes  46.0 Mbits/sec   15             sender
[  5]   0.00-5.03   sec  27.1 MBytes  45.2 Mbits/sec                  receiver
[root@vpn1 ~]# ping -c 5 -q 10.8.0.1
5 packets transmitted, 5 received, 0% packet loss, time 4008ms
rtt min/avg/max/mdev = 24.101/24.322/24.700/0.210 ms
[root@vpn1 ~]# top -b -n1 | head -9
top - 03:11:20 up 88 days,  2:11,  1 user,  load average: 1.31, 1.22, 1.20
Tasks: 133 total,   2 running, 131 sleeping,   0 stopped,   0 zombie
%Cpu(s): 24.1 us,  3.9 sy,  0.0 ni, 71.0 id,  0.0 wa,  0.0 hi,  1.0 si,  0.0 st

    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND
    812 nobody    20   0   18220  12202   8112 R  99.3   0.6 201:11.22 openvpn
";
    let flow = first(text);
    assert_eq!(flow.verdict.cause, "host_cpu", "{:#?}", flow.verdict);
    let why = because(&flow);
    assert!(why.contains("the few losses are those of openvpn"), "{why}");
    // A processor with time left has dropped none of them.
    let calm = first(&text.replace("R  99.3", "R  29.3"));
    assert_ne!(calm.verdict.cause, "host_cpu", "{:#?}", calm.verdict);
}

/// A tunnel's box lies between the ends of what goes through it: the change is there, by its own name, and not at the receiver.
#[test]
fn a_full_tunnel_is_changed_on_its_own_host() {
    let text = "admin@cl:~$ iperf3 -c 10.0.0.9 -t 8
Connecting to host 10.0.0.9, port 5201
[  5] local 10.8.8.6 port 47312 connected to 10.0.0.9 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-1.00 sec  7.27 MBytes  61.0 Mbits/sec    2   410 KBytes
[  5]   1.00-2.00 sec  7.18 MBytes  60.2 Mbits/sec    0   430 KBytes
[  5]   2.00-3.00 sec  7.13 MBytes  59.8 Mbits/sec    1   440 KBytes
[  5]   3.00-4.00 sec  7.21 MBytes  60.5 Mbits/sec    0   420 KBytes
[  5]   4.00-5.00 sec  7.16 MBytes  60.1 Mbits/sec    0   430 KBytes
[  5]   5.00-6.00 sec  7.14 MBytes  59.9 Mbits/sec    2   450 KBytes
[  5]   6.00-7.00 sec  7.19 MBytes  60.3 Mbits/sec    0   440 KBytes
[  5]   7.00-8.00 sec  7.15 MBytes  60.0 Mbits/sec    1   430 KBytes
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-8.00 sec  57.4 MBytes  60.2 Mbits/sec  6             sender
[  5]   0.00-8.04 sec  57.4 MBytes  60.2 Mbits/sec                  receiver

vpnsrv:~$ top -b -n 1 | head -12
top - 02:21:11 up 91 days,  1:01,  1 user,  load average: 1.02, 1.01, 0.98
Tasks: 101 total,   2 running,  99 sleeping,   0 stopped,   0 zombie
%Cpu(s): 24.1 us,  2.0 sy,  0.0 ni, 73.1 id,  0.0 wa,  0.0 hi,  0.8 si,  0.0 st
MiB Mem :   3901.1 total,   2811.2 free,    401.1 used,    688.8 buff/cache
MiB Swap:      0.0 total,      0.0 free,      0.0 used.   3311.0 avail Mem

    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND
    811 nobody    20   0   11212   6112   5011 R  99.7   0.2 911:11.02 openvpn
   1211 root      20   0   10112   3811   3211 R   0.3   0.1   0:00.02 top

admin@cl:~$ ping -c 4 10.0.0.9
PING 10.0.0.9 (10.0.0.9) 56(84) bytes of data.
64 bytes from 10.0.0.9: icmp_seq=1 ttl=54 time=22.1 ms
64 bytes from 10.0.0.9: icmp_seq=2 ttl=54 time=22.4 ms
64 bytes from 10.0.0.9: icmp_seq=3 ttl=54 time=22.2 ms
64 bytes from 10.0.0.9: icmp_seq=4 ttl=54 time=22.3 ms

--- 10.0.0.9 ping statistics ---
4 packets transmitted, 4 received, 0% packet loss, time 4004ms
rtt min/avg/max/mdev = 22.100/22.250/22.400/0.112 ms
";
    let flow = first(text);
    assert_eq!(flow.verdict.cause, "host_cpu", "{:#?}", flow.verdict);
    assert!(flow.verdict.confidence <= 0.6, "{:#?}", flow.verdict);
    let why = because(&flow);
    assert!(why.contains("vpnsrv says, whose openvpn carries"), "{why}");
    assert!(!why.contains("assumed to be the receiver"), "{why}");
    assert_eq!(flow.changes[0].host, "vpnsrv");
    let commands = commands(&flow);
    assert!(!commands.contains("first make sure"), "{commands}");
    let asked = crate::asked_with(&flow, "host_name").expect("it is asked for");
    assert!(asked.contains("traceroute -n 10.0.0.9"), "{asked}");
}

/// A gateway whose tunnel is busy, and a test between public addresses beside it.
#[test]
fn a_tunnel_is_not_blamed_for_what_goes_beside_it() {
    let text = "gw-a$ top -b -n1 | head -9
top - 02:11:09 up 41 days,  3:22,  1 user,  load average: 1.04, 0.98, 0.60
Tasks: 121 total,   2 running, 119 sleeping,   0 stopped,   0 zombie
%Cpu(s): 22.1 us,  4.9 sy,  0.0 ni, 71.8 id,  0.0 wa,  0.0 hi,  1.2 si,  0.0 st

    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND
   1412 nobody    20   0   12344   7120   5312 R  99.7   0.2  88:12.44 openvpn
gw-a$ iperf3 -c 203.0.113.2 -t 10
[  5] local 198.51.100.2 port 40012 connected to 203.0.113.2 port 5201
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-10.00  sec  1.08 GBytes   931 Mbits/sec    3             sender
[  5]   0.00-10.02  sec  1.08 GBytes   928 Mbits/sec                  receiver
";
    let flow = first(text);
    assert_ne!(flow.verdict.cause, "host_cpu", "{:?}", flow.verdict);
    // Within the tunnel, and slower than a line, it is what holds the rate.
    let inside = text
        .replace("203.0.113.2", "10.8.0.1")
        .replace("198.51.100.2", "10.8.0.6")
        .replace("1.08 GBytes   931", " 262 MBytes   220")
        .replace("1.08 GBytes   928", " 259 MBytes   215")
        .replace("    3             sender", "    0             sender");
    let flow = first(&inside);
    assert_eq!(flow.verdict.cause, "host_cpu", "{:?}", flow.verdict);
}

#[test]
fn a_hash_without_ports_leaves_one_member_to_all_connections() {
    let streams: String = [5, 7]
        .map(|n| {
            format!(
                "[  {n}]   0.00-10.00  sec  5.46 GBytes  4.69 Gbits/sec  900             sender
[  {n}]   0.00-10.03  sec  5.45 GBytes  4.67 Gbits/sec                  receiver
"
            )
        })
        .concat();
    let text = format!(
        "{streams}[SUM]   0.00-10.00  sec  10.9 GBytes  9.38 Gbits/sec  1800             sender
[SUM]   0.00-10.03  sec  10.9 GBytes  9.34 Gbits/sec                  receiver
rtt min/avg/max/mdev = 5.011/5.014/5.019/0.003 ms
Ethernet Channel Bonding Driver: v6.1.0

Bonding Mode: IEEE 802.3ad Dynamic link aggregation
Transmit Hash Policy: layer2 (0)

802.3ad info
LACP active: on

Slave Interface: eth0
Speed: 10000 Mbps

Slave Interface: eth1
Speed: 10000 Mbps
"
    );
    let d = of(&text, &Known::default());
    let ignored: usize = d.read.iter().map(|p| p.ignored_lines.len()).sum();
    assert_eq!(ignored, 0, "{:?}", d.read);
    let flow = &d.flows[0];
    assert_eq!(flow.verdict.cause, "link", "{:?}", flow.verdict);
    let commands = commands(flow);
    for said in [
        "xmit_hash_policy layer3+4",
        "layer2+3",
        "iperf3 -P 8 gives no more than -P 1",
    ] {
        assert!(commands.contains(said), "{said} {commands}");
    }
    assert!(!commands.contains("-P 32"), "{commands}");
    let missing: String = flow.missing.iter().map(|m| m.command.as_str()).collect();
    assert!(!missing.contains("/proc/net/bonding"), "{missing}");
}

/// A window of the receiver's settings holds the flow, and another program fills a processor of the sender: all of it is in %usr.
#[test]
fn a_processor_of_another_program_does_not_weaken_a_window() {
    let rows: String = (0..10)
        .map(|n| {
            format!(
                "[  5]   {n}.00-{}.00  sec  63.1 MBytes  530 Mbits/sec    0   9.80 MBytes\n",
                n + 1
            )
        })
        .collect();
    let text = |table: &str| {
        format!(
            "[root@ps1 ~]# ip -4 addr show eno1
2: eno1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP group default qlen 1000
    inet 192.0.2.10/24 brd 192.0.2.255 scope global eno1
[root@ps1 ~]# iperf3 -c 198.51.100.20 -t 10
Connecting to host 198.51.100.20, port 5201
[  5] local 192.0.2.10 port 43112 connected to 198.51.100.20 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
{rows}- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-10.00 sec   631 MBytes   529 Mbits/sec    0             sender
[  5]   0.00-10.04 sec   631 MBytes   527 Mbits/sec                  receiver
[root@ps1 ~]# ping -qc 20 198.51.100.20
20 packets transmitted, 20 received, 0% packet loss, time 19027ms
rtt min/avg/max/mdev = 94.811/94.990/95.090/0.041 ms
[root@ps2 ~]# ip -4 addr show eno1
2: eno1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP group default qlen 1000
    inet 198.51.100.20/24 brd 198.51.100.255 scope global eno1
[root@ps2 ~]# sysctl net.ipv4.tcp_rmem
net.ipv4.tcp_rmem = 4096\t87380\t12582912
[root@ps1 ~]# sysctl net.ipv4.tcp_wmem
net.ipv4.tcp_wmem = 4096\t65536\t134217728
[root@ps1 ~]# ethtool eno1 | grep Speed
\tSpeed: 10000Mb/s
{table}"
        )
    };
    let table = format!(
        "[root@ps1 ~]# mpstat -P ALL 5 1
Linux 5.14.0-427.el9.x86_64 (ps1) \t11/30/2026 \t_x86_64_\t(4 CPU)

03:31:01 AM  {COLUMNS}
03:31:06 AM  all   25.60    0.00    2.10    0.00    0.00    0.10    0.00    0.00    0.00   72.20
03:31:06 AM    0  100.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00
03:31:06 AM    1    1.00    0.00    6.30    0.00    0.00    0.10    0.00    0.00    0.00   92.60
"
    );
    let alone = first(&text("")).verdict;
    assert_eq!(alone.cause, "receive_window", "{alone:#?}");
    let beside = first(&text(&table)).verdict;
    assert_eq!(beside.cause, "receive_window", "{beside:#?}");
    assert!(beside.confidence + 0.05 > alone.confidence, "{beside:#?}");
    // What the kernel fills may be the test's.
    let kernel = table.replace("0  100.00    0.00    0.00", "0    3.00    0.00   97.00");
    let kernel = first(&text(&kernel)).verdict;
    assert!(kernel.confidence + 0.1 < beside.confidence, "{kernel:#?}");
}

/// A tunnel whose program is full carries 80 Mbit/s: the test of 472 Mbit/s to the public address of its host goes beside it.
#[test]
fn a_test_outside_a_tunnel_is_not_held_by_its_program() {
    let test = |from: &str, to: &str, mbit: f64| {
        let rows: String = (0..10)
            .map(|n| {
                let size = mbit / 8.388_608;
                format!(
                    "[  5]   {n}.00-{}.00  sec  {size:.1} MBytes  {mbit} Mbits/sec    0   410 KBytes\n",
                    n + 1
                )
            })
            .collect();
        format!(
            "user@lap:~$ iperf3 -c {to} -t 10
Connecting to host {to}, port 5201
[  5] local {from} port 43112 connected to {to} port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
{rows}- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-10.00 sec  {:.1} MBytes  {mbit} Mbits/sec  0             sender
[  5]   0.00-10.04 sec  {:.1} MBytes  {mbit} Mbits/sec                  receiver

",
            mbit * 1.192,
            mbit * 1.192
        )
    };
    let top = "[root@vpn ~]# top -b -n 1 -H | head -12
top - 03:31:10 up 120 days,  4:11,  1 user,  load average: 1.02, 1.00, 0.98
%Cpu(s): 21.1 us,  4.4 sy,  0.0 ni, 74.0 id,  0.0 wa,  0.0 hi,  0.5 si,  0.0 st

    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND
   1188 nobody    20   0   12880   7012   5400 R  99.3   0.1   9121:10 openvpn
";
    let inside = test("10.8.0.6", "10.8.0.1", 80.1);
    let outside = test("192.168.1.20", "198.51.100.1", 472.0);
    let d = of(&format!("{inside}{outside}{top}"), &Known::default());
    let causes: Vec<&str> = d.flows.iter().map(|f| f.verdict.cause).collect();
    assert_eq!(causes.len(), 2, "{d:#?}");
    assert_eq!(causes[0], "host_cpu", "{d:#?}");
    assert_ne!(causes[1], "host_cpu", "{d:#?}");
}

/// nuttcp's `%TX` and `%RX`, of which one was said of the sender whichever it was.
#[test]
fn processors_of_nuttcp_are_of_their_ends() {
    let host = |busy: &str| {
        let text = format!(
            "$ nuttcp -T 10 dtn-ge\n 3629.5000 MB /  10.00 sec = 3044.5512 Mbps {busy} 0 retrans 0.42 msRTT\n"
        );
        let flow = first(&text);
        assert_eq!(flow.verdict.cause, "host_cpu", "{:#?}", flow.verdict);
        flow.changes[0].host.clone()
    };
    assert_eq!(host("31 %TX 99 %RX"), "the receiver");
    assert_eq!(host("99 %TX 31 %RX"), "the sender");
}
