//! Hosts that are neither end of a flow: what they say of themselves is not the flow's.

use farpath_diagnose::{Diagnosis, FlowReport};

use crate::{of, on};

const TO: &str = "203.0.113.20";

/// A test from a host over 88 ms, and how fast it was.
fn test(prompt: &str, from: &str, port: u16, gbit: f64) -> String {
    let gbytes = gbit * 10.0 / 8.589_934_592;
    format!(
        "{prompt}iperf3 -c {TO} -t 10\nConnecting to host {TO}, port 5201\n[  5] local {from} port {port} connected to {TO} port 5201\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n[  5]   0.00-5.00   sec  {:.2} GBytes  {gbit:.2} Gbits/sec    0   52.1 MBytes\n[  5]   5.00-10.00  sec  {:.2} GBytes  {gbit:.2} Gbits/sec    0   52.1 MBytes\n- - - - - - - - - - - - - - - - - - - - - - - - -\n[ ID] Interval           Transfer     Bitrate         Retr\n[  5]   0.00-10.00  sec  {gbytes:.2} GBytes  {gbit:.2} Gbits/sec    0             sender\n[  5]   0.00-10.09  sec  {gbytes:.2} GBytes  {gbit:.2} Gbits/sec                  receiver\n\n",
        gbytes / 2.0,
        gbytes / 2.0
    )
}

fn ping(prompt: &str) -> String {
    format!(
        "{prompt}ping -c 20 {TO}\nPING {TO} ({TO}) 56(84) bytes of data.\n--- {TO} ping statistics ---\n20 packets transmitted, 20 received, 0% packet loss, time 19026ms\nrtt min/avg/max/mdev = 88.011/88.064/88.213/0.048 ms\n\n"
    )
}

fn settings(prompt: &str, wmem: u64, rmem: u64) -> String {
    format!(
        "{prompt}sysctl net.ipv4.tcp_wmem net.ipv4.tcp_rmem\nnet.ipv4.tcp_wmem = 4096 16384 {wmem}\nnet.ipv4.tcp_rmem = 4096 131072 {rmem}\n\n"
    )
}

const NEW: &str = "root@stor-new:~# ";
const OLD: &str = "root@stor-old:~# ";
const MIB: u64 = 1 << 20;

fn new() -> String {
    test(NEW, "198.51.100.10", 41822, 1.1) + &ping(NEW)
}

fn ceilings(flow: &FlowReport, cause: &str) -> usize {
    flow.ceilings.iter().filter(|c| c.cause == cause).count()
}

fn asked(flow: &FlowReport, fact: &str) -> bool {
    flow.missing.iter().any(|m| m.fact == fact)
}

fn notes(d: &Diagnosis) -> String {
    d.notes.join("\n")
}

/// 16 MiB would leave 1.1 Gbit/s: of whom, no text says.
#[test]
fn another_host_may_be_the_receiver_and_that_is_said() {
    let text = new() + &settings(OLD, 128 * MIB, 16 * MIB);
    let d = of(&text, &on("40Gbit/s"));
    let flow = &d.flows[0];
    let verdict = &flow.verdict;
    assert_eq!(verdict.cause, "receive_window");
    assert!(verdict.confidence <= 0.6, "{verdict:#?}");
    let why = verdict.because.join("\n");
    assert!(
        why.contains("stor-old says, which is assumed to be the receiver"),
        "{why}"
    );
    assert!(asked(flow, "host_name"), "{:#?}", flow.missing);
    let first = &flow.changes[0].commands[0];
    assert!(first.contains("stor-old is 203.0.113.20"), "{first}");
}

/// A host that pings or tests the target is another than the target.
#[test]
fn who_reaches_for_the_receiver_is_not_it() {
    let reaches = [
        test(OLD, "198.51.100.11", 51822, 8.9),
        ping(OLD),
        format!("{OLD}iperf3 -c {TO} -t 10 --json > old.json\n"),
    ];
    for reached in reaches {
        let text = new() + &reached + &settings(OLD, 128 * MIB, 16 * MIB);
        let d = of(&text, &on("40Gbit/s"));
        let flow = &d.flows[0];
        assert_eq!(ceilings(flow, "receive_window"), 0, "{flow:#?}");
        assert!(flow.verdict.confidence < 0.9, "{:#?}", flow.verdict);
        assert!(asked(flow, "receive_window_bytes"), "{:#?}", flow.missing);
        let left = notes(&d).contains("stor-old (ticket.txt:");
        assert_eq!(left, d.flows.len() == 1, "{}", notes(&d));
    }
}

#[test]
fn of_two_senders_the_slower_one_is_explained_and_compared() {
    let text = new()
        + &test(OLD, "198.51.100.11", 51822, 9.0)
        + &settings(NEW, 12 * MIB, 512 * MIB)
        + &settings(OLD, 128 * MIB, 16 * MIB);
    let d = of(&text, &on("40Gbit/s"));
    let verdict = &d.flows[0].verdict;
    assert_eq!(verdict.cause, "send_buffer", "{verdict:#?}");
    assert!(verdict.confidence > 0.9, "{verdict:#?}");
    for flow in &d.flows {
        assert_eq!(ceilings(flow, "receive_window"), 0, "{flow:#?}");
    }
    let notes = notes(&d);
    assert!(
        notes.contains(
            "198.51.100.10 sends 1.10 Gbit/s to 203.0.113.20, and 198.51.100.11 9.00 Gbit/s"
        ),
        "{notes}"
    );
    assert!(
        notes.contains("net.ipv4.tcp_wmem, its largest (12582912 and 134217728)"),
        "{notes}"
    );
}

/// A test of the one receiver says nothing of the other's window.
#[test]
fn of_two_receivers_each_has_its_own_settings() {
    let lima = |text: String| text.replace(TO, "lima");
    let second = "root@stor-new:~# iperf3 -c quito -t 10\nConnecting to host quito, port 5201\n[  5] local 198.51.100.10 port 41830 connected to 203.0.113.30 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr\n[  5]   0.00-10.00  sec  8.00 GBytes  6.87 Gbits/sec    0             sender\n[  5]   0.00-10.09  sec  8.00 GBytes  6.81 Gbits/sec                  receiver\n\n";
    let first = lima(test(NEW, "198.51.100.10", 41822, 1.1))
        .replace("connected to lima", "connected to 203.0.113.20");
    let text = first + &ping(NEW) + second + &settings("root@quito:~# ", 128 * MIB, 16 * MIB);
    let d = of(&text, &on("40Gbit/s"));
    let of_first = d.flows.iter().find(|f| f.name.ends_with(TO));
    let of_first = of_first.expect("it is there");
    assert_eq!(ceilings(of_first, "receive_window"), 0, "{of_first:#?}");
}

/// What ties a host to the receiver: a server, a socket with its address, an interface with it.
#[test]
fn a_host_that_is_tied_to_the_receiver_is_it() {
    let dtn = "root@dtn7:~# ";
    let ties = [
        format!("{dtn}iperf3 -s\n"),
        format!(
            "{dtn}ss -tin\nState Recv-Q Send-Q Local Address:Port Peer Address:Port\nESTAB 0 0 {TO}:5201 198.51.100.10:41822\n\t cubic wscale:14,14 rto:289 rtt:88.1/0.4 mss:1448 cwnd:10 bytes_received:1373000000\n\n"
        ),
        format!(
            "{dtn}ip addr show dev eno1\n2: eno1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP group default qlen 1000\n    link/ether 02:00:5e:00:53:01 brd ff:ff:ff:ff:ff:ff\n    inet {TO}/24 brd 203.0.113.255 scope global eno1\n       valid_lft forever preferred_lft forever\n\n"
        ),
        format!("{dtn}hostname -I\n{TO} fe80::1 \n"),
        format!("{dtn}hostname -i\n{TO}\n"),
        format!("{dtn}ipconfig getifaddr en0\n{TO}\n"),
    ];
    for tie in ties {
        let text = new() + &tie + &settings(dtn, 128 * MIB, 16 * MIB);
        let d = of(&text, &on("40Gbit/s"));
        let verdict = &d.flows[0].verdict;
        assert_eq!(verdict.cause, "receive_window", "{tie} {verdict:#?}");
        assert!(verdict.confidence > 0.9, "{tie} {verdict:#?}");
        let why = verdict.because.join("\n");
        assert!(!why.contains("assumed to be"), "{why}");
        // Beside it another host is neither end.
        let text = text + &settings(OLD, 64 * MIB, 4 * MIB);
        let d = of(&text, &on("40Gbit/s"));
        assert_eq!(ceilings(&d.flows[0], "receive_window"), 1, "{tie}");
        assert!(notes(&d).contains("stor-old"), "{}", notes(&d));
    }
}

/// The command of a test says which end its host is, where no line of the test does.
#[test]
fn a_host_whose_command_ran_the_test_is_an_end_of_it() {
    let dtn = "root@dtn7:~# ";
    let report = "[  5]   0.00-10.00  sec  1.28 GBytes  1.10 Gbits/sec    0             sender\n[  5]   0.00-10.09  sec  1.28 GBytes  1.10 Gbits/sec                  receiver\n\n";
    for (option, wmem, rmem) in [("", 12 * MIB, 512 * MIB), (" -R", 512 * MIB, 16 * MIB)] {
        let command = format!("{dtn}iperf3 -c {TO} -t 10{option} | tail -3\n{report}");
        let text = command + &ping(dtn) + &settings(dtn, wmem, rmem);
        let d = of(&text, &on("40Gbit/s"));
        let flow = &d.flows[0];
        let why = flow.verdict.because.join("\n");
        assert!(!why.contains("no text ties dtn7"), "{why}");
        assert!(!asked(flow, "host_name"), "{:#?}", flow.missing);
        let commands = crate::commands(flow);
        assert!(!commands.contains("first make sure"), "{commands}");
    }
}

/// The usual paste: the target is called what the other prompt is.
#[test]
fn the_target_by_name_is_the_host_of_that_prompt() {
    let text = new().replace(&format!("-c {TO}"), "-c lima").replace(
        &format!("Connecting to host {TO}"),
        "Connecting to host lima",
    ) + &settings("root@lima:~# ", 128 * MIB, 16 * MIB);
    let verdict = of(&text, &on("40Gbit/s")).flows.remove(0).verdict;
    assert_eq!(verdict.cause, "receive_window", "{verdict:#?}");
    assert!(verdict.confidence > 0.9, "{verdict:#?}");
}

/// A prompt without a name is not that of the host above it: what was typed there says nothing of which end that host is.
#[test]
fn a_ping_at_a_prompt_without_a_name_is_of_no_named_host() {
    let old = settings(OLD, 128 * MIB, 16 * MIB);
    let text = new() + old.trim_end() + "\n" + &ping("$ ");
    let d = of(&text, &on("40Gbit/s"));
    let flow = &d.flows[0];
    assert_eq!(ceilings(flow, "receive_window"), 1, "{flow:#?}");
    let why = flow.verdict.because.join("\n");
    assert!(why.contains("no text ties stor-old"), "{why}");
}

/// The client's own `uname`, pasted first, is not the kernel of the host whose settings stand behind the next prompt with a name.
#[test]
fn a_kernel_at_a_prompt_without_a_name_is_of_no_named_host() {
    let remote = "remote# sysctl net.ipv4.tcp_rmem\nnet.ipv4.tcp_rmem = 4096 131072 16777216\nremote# uname -r\n5.14.0-427.el9.x86_64\n";
    let window = |first: &str| {
        let log = test("$ ", "198.51.100.10", 41822, 0.7);
        let text = format!("{first}{log}{}{remote}", ping("$ "));
        let flow = of(&text, &on("40Gbit/s")).flows.remove(0);
        let limit = flow.ceilings.iter().find(|c| c.cause == "receive_window");
        limit.expect("it is known").limit_bps
    };
    assert_eq!(window("$ uname -r\n6.12.9\n\n"), window(""));
}

/// Both ends are named, and the radio link is of neither.
#[test]
fn the_radio_of_a_third_host_is_not_the_line() {
    let log = test(NEW, "198.51.100.10", 41822, 0.09)
        .replace(&format!("-c {TO}"), "-c lima")
        .replace(
            &format!("Connecting to host {TO}"),
            "Connecting to host lima",
        );
    let link = "laptop$ iw dev wlan0 link\nConnected to 02:00:00:00:00:01 (on wlan0)\n\tSSID: corp\n\tfreq: 5240\n\tsignal: -71 dBm\n\ttx bitrate: 144.4 MBit/s MCS 15\n";
    let text = log + &ping(NEW) + link + "root@lima:~# uname -r\n6.12.0\n";
    let d = of(&text, &farpath_diagnose::Known::default());
    assert_eq!(ceilings(&d.flows[0], "link"), 0, "{:#?}", d.flows[0]);
    assert!(notes(&d).contains("laptop (ticket.txt:"), "{}", notes(&d));
}

/// A copy from `ws` to `archive`, over 2 ms.
const COPY: &str = "ws$ rsync -a big archive:/data/\n\nsent 107,400,400,112 bytes  received 250 bytes  233,542,237.00 bytes/sec\ntotal size is 107,374,182,400  speedup is 1.00\n\n$ ping -c 20 archive\nPING archive (archive) 56(84) bytes of data.\n--- archive ping statistics ---\n20 packets transmitted, 20 received, 0% packet loss, time 20020ms\nrtt min/avg/max/mdev = 1.900/2.000/2.200/0.100 ms\n";

/// What a verdict on the copy is, beside what a host prints.
fn copied(host: &str, printed: &str) -> FlowReport {
    let text = format!("{COPY}{}", printed.replace("HOST", host));
    of(&text, &farpath_diagnose::Known::default())
        .flows
        .remove(0)
}

#[test]
fn a_compiler_on_one_of_many_processors_is_not_what_holds_a_copy() {
    let table = "HOST$ pidstat -u 5 1\nLinux 6.1.0 (HOST) \t11/30/26 \t_x86_64_\t(64 CPU)\n\n03:20:01      UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command\n03:20:06     1000    120011   99.80    0.10    0.00    0.00   99.90    12  cc1plus\n";
    for host in ["ws", "archive", "build7"] {
        let verdict = copied(host, table).verdict;
        assert_ne!(verdict.cause, "host_cpu", "{host}: {verdict:#?}");
        let why = verdict.because.join("\n");
        assert!(why.contains("builds software"), "{host}: {why}");
    }
    // It fills a host that has no other, and a program that may copy is not left out.
    for (from, to) in [("64 CPU", "1 CPU"), ("cc1plus", "ssh")] {
        let verdict = copied("ws", &table.replace(from, to)).verdict;
        assert_eq!(verdict.cause, "host_cpu", "{to}: {verdict:#?}");
        assert!(verdict.confidence > 0.8, "{to}: {verdict:#?}");
    }
}

/// What a host prints whose name the command of the copy does not have is assumed to be of the far end, and that is said.
#[test]
fn a_host_that_the_command_of_a_copy_does_not_name_is_only_assumed() {
    let processors = "HOST$ mpstat -P ALL 5 1\nLinux 6.8.0 (HOST) \t11/30/26 \t_x86_64_\t(8 CPU)\n\n03:11:02     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle\n03:11:07     all    0.30    0.00    4.10    0.00    0.00   12.60    0.00    0.00    0.00   83.00\n03:11:07       2    0.20    0.00    4.60    0.00    0.00    0.20    0.00    0.00    0.00   94.80\n03:11:07       3    0.20    0.00    0.20    0.00    0.00   99.60    0.00    0.00    0.00    0.00\n";
    let disks = "HOST$ iostat -x 5 1\nLinux 6.1.0 (HOST) \t11/30/26 \t_x86_64_\t(64 CPU)\n\navg-cpu:  %user   %nice %system %iowait  %steal   %idle\n           1.10    0.00    2.40    7.90    0.00   88.60\n\nDevice r/s rkB/s w/s wkB/s w_await aqu-sz %util\nmd0 0.00 0.00 801.00 228000.00 88.20 70.10 99.80\n";
    for (printed, cause) in [(processors, "host_cpu"), (disks, "disk")] {
        let verdict = copied("archive", printed).verdict;
        assert_eq!(verdict.cause, cause, "{verdict:#?}");
        assert!(verdict.confidence > 0.8, "{verdict:#?}");
        let why = verdict.because.join("\n");
        assert!(!why.contains("assumed to be"), "{why}");
        let verdict = copied("build7", printed).verdict;
        assert!(verdict.confidence <= 0.6, "{verdict:#?}");
        let why = verdict.because.join("\n");
        assert!(why.contains("no text ties build7 to archive"), "{why}");
    }
}

/// The prompt of the receiver's socket has another name: a disk that only writes is not the sender's either.
#[test]
fn the_disk_of_a_third_host_is_not_what_a_receiver_waits_for() {
    let socket = "rx$ ss -tmn src 192.0.2.5\nState Recv-Q  Send-Q Local Address:Port  Peer Address:Port\nESTAB 6220112 0      192.0.2.5:51422     198.51.100.3:443\n\t skmem:(r6291456,rb6291456,t0,tb87040,f0,w0,o0,bl0,d0)\n";
    let copy = "rx$ rclone copy s3ams:run42 /ceph/run42 --transfers 1 -P\nTransferred:   \t    5.012 GiB / 5.012 GiB, 100%, 31.020 MiB/s, ETA 0s\nTransferred:            1 / 1, 100%\nElapsed time:      2m45.1s\n\n";
    let disk = "backup-srv$ iostat -x 5 1\nLinux 6.1.0 (backup-srv) \t11/30/26 \t_x86_64_\t(64 CPU)\n\navg-cpu:  %user   %nice %system %iowait  %steal   %idle\n           1.10    0.00    2.40    7.90    0.00   88.60\n\nDevice r/s rkB/s w/s wkB/s w_await aqu-sz %util\nmd0 0.00 0.00 801.00 410100.00 88.20 70.10 99.80\n";
    let text = format!("{socket}{socket}{copy}{disk}");
    let verdict = of(&text, &farpath_diagnose::Known::default())
        .flows
        .remove(0)
        .verdict;
    assert_eq!(verdict.cause, "client", "{verdict:#?}");
}

/// The command has the far end's address, and the disk's text its name: what it writes is what comes. It was taken for the near end, which reads, and
/// nothing was said of it.
#[test]
fn a_busy_disk_says_which_end_of_a_copy_its_host_is() {
    let copy = "$ rsync -a --progress /data/big.img backup@10.20.0.5:/vol1/\nsending incremental file list\nbig.img\n 10,737,418,240 100%   22.41MB/s    0:07:37 (xfr#1, to-chk=0/1)\n\nsent 10,740,040,000 bytes  received 35 bytes  23,474,404.44 bytes/sec\ntotal size is 10,737,418,240  speedup is 1.00\n";
    let disks = |reads: &str, writes: &str| {
        let table = format!(
            "Device r/s rkB/s w/s wkB/s w_await aqu-sz %util\nsda 44.20 {reads} 44.20 {writes} 701.30 31.40 99.92\n\n"
        );
        format!(
            "backup@nas:~$ iostat -xd 5 2\nLinux 6.1.0-18-amd64 (nas) \t12/01/2026 \t_x86_64_\t(4 CPU)\n\n{table}{table}"
        )
    };
    let verdict = |disks: String| {
        let d = of(
            &format!("{copy}{disks}"),
            &farpath_diagnose::Known::default(),
        );
        d.flows.into_iter().next().expect("there is one").verdict
    };
    for (reads, writes) in [("8.00", "22912.00"), ("22912.00", "8.00")] {
        let found = verdict(disks(reads, writes));
        assert_eq!(found.cause, "disk", "{found:#?}");
        assert!(
            found.confidence <= 0.6,
            "no text ties nas to an end: {found:#?}"
        );
    }
    let other = verdict(disks("11000.00", "11000.00"));
    assert_ne!(other.cause, "disk", "{other:#?}");
}

/// What a copy was typed at has no name: that a host with a name is it is assumed. Its full processor had 88 %, without a word on that.
#[test]
fn a_host_beside_a_copy_at_a_prompt_without_a_name_is_only_assumed() {
    let copy = "$ scp big arch:/x\nbig                                   100%   50GB  68.0MB/s   12:33    \n";
    let processors = "root@HOST:~# mpstat -P ALL 2 1 | tail -3\nAverage:     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle\nAverage:       0    0.30    0.00    0.20    0.00    0.00    0.30    0.00    0.00    0.00   99.20\nAverage:       1   99.90    0.00    0.10    0.00    0.00    0.00    0.00    0.00    0.00    0.00\n";
    let verdict = |host: &str| {
        let text = format!("{copy}{}", processors.replace("HOST", host));
        let d = of(&text, &farpath_diagnose::Known::default());
        d.flows.into_iter().next().expect("there is one").verdict
    };
    let other = verdict("backup7");
    assert!(other.confidence <= 0.6, "{other:#?}");
    let why = other.because.join("\n");
    assert!(why.contains("no text ties backup7"), "{why}");
    // The host that the command names is its other end.
    let named = verdict("arch");
    assert_eq!(named.cause, "host_cpu", "{named:#?}");
    assert!(named.confidence > 0.8, "{named:#?}");
}

/// A host with a name beside a download that was typed at a prompt without one may be either end, or none: its processor had 88 %.
#[test]
fn a_host_that_may_be_either_end_is_only_assumed_to_be_one() {
    let fetch = "$ wget http://h.example/f\n2026-11-25 10:11:12 (50.0 MB/s) - 'f' saved [524288000/524288000]\n";
    let table = "Average:     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle\nAverage:       0    0.30    0.00    0.20    0.00    0.00    0.30    0.00    0.00    0.00   99.20\nAverage:       1   99.90    0.00    0.10    0.00    0.00    0.00    0.00    0.00    0.00    0.00\n";
    let flow = |prompt: &str| {
        let text = format!("{fetch}{prompt}mpstat -P ALL 2 1 | tail -3\n{table}");
        let d = of(&text, &farpath_diagnose::Known::default());
        d.flows.into_iter().next().expect("there is one")
    };
    let other = flow("root@backup7:~# ");
    assert!(other.verdict.confidence <= 0.6, "{:#?}", other.verdict);
    let why = other.verdict.because.join("\n");
    assert!(why.contains("no text ties backup7 to one"), "{why}");
    assert!(asked(&other, "host_name"), "{:#?}", other.missing);
    // Its damaged frames and its radio say no more.
    let errors = "root@sv-old:~# ethtool -S eth0 | grep -i err\n     rx_crc_errors: 81231\n";
    let radio = "me@laptop:~$ iw dev wlan0 link\nConnected to 02:00:00:00:00:01 (on wlan0)\n\tsignal: -81 dBm\n\ttx bitrate: 6.5 MBit/s MCS 0\n";
    for said in [errors, radio] {
        let d = of(
            &format!("{fetch}{said}"),
            &farpath_diagnose::Known::default(),
        );
        let verdict = &d.flows[0].verdict;
        assert!(verdict.confidence <= 0.6, "{verdict:#?}");
    }
    // What was typed at the same kind of prompt is of the same host.
    let own = flow("$ ").verdict;
    assert_eq!(own.cause, "host_cpu", "{own:#?}");
    assert!(own.confidence > 0.8, "{own:#?}");
}

/// A test of 20 s that stood still twice, as the port of a switch on its way was down.
const STOPPED: &str = "ops@cern-a:~$ date; iperf3 -c 198.51.100.140 -t 20
Wed Nov 25 02:41:00 UTC 2026
Connecting to host 198.51.100.140, port 5201
[  5] local 192.0.2.20 port 41022 connected to 198.51.100.140 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-1.00   sec   109 MBytes   914 Mbits/sec    0   3.01 MBytes
[  5]   1.00-2.00   sec   112 MBytes   940 Mbits/sec    0   3.01 MBytes
[  5]   2.00-3.00   sec   112 MBytes   940 Mbits/sec    0   3.01 MBytes
[  5]   3.00-4.00   sec   112 MBytes   940 Mbits/sec    0   3.01 MBytes
[  5]   4.00-5.00   sec  45.0 MBytes   377 Mbits/sec    1   1.41 KBytes
[  5]   5.00-6.00   sec  0.00 Bytes  0.00 bits/sec    2   1.41 KBytes
[  5]   6.00-7.00   sec  0.00 Bytes  0.00 bits/sec    0   1.41 KBytes
[  5]   7.00-8.00   sec  0.00 Bytes  0.00 bits/sec    1   1.41 KBytes
[  5]   8.00-9.00   sec  78.8 MBytes   661 Mbits/sec  311   2.10 MBytes
[  5]   9.00-10.00  sec   112 MBytes   940 Mbits/sec    0   2.40 MBytes
[  5]  10.00-11.00  sec   112 MBytes   940 Mbits/sec    0   2.60 MBytes
[  5]  11.00-12.00  sec   112 MBytes   940 Mbits/sec    0   2.72 MBytes
[  5]  12.00-13.00  sec  61.2 MBytes   513 Mbits/sec    1   1.41 KBytes
[  5]  13.00-14.00  sec  0.00 Bytes  0.00 bits/sec    2   1.41 KBytes
[  5]  14.00-15.00  sec  0.00 Bytes  0.00 bits/sec    0   1.41 KBytes
[  5]  15.00-16.00  sec  0.00 Bytes  0.00 bits/sec    1   1.41 KBytes
[  5]  16.00-17.00  sec  71.2 MBytes   597 Mbits/sec  287   2.01 MBytes
[  5]  17.00-18.00  sec   112 MBytes   940 Mbits/sec    0   2.33 MBytes
[  5]  18.00-19.00  sec   112 MBytes   940 Mbits/sec    0   2.51 MBytes
[  5]  19.00-20.00  sec   112 MBytes   940 Mbits/sec    0   2.66 MBytes
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-20.00  sec  1.45 GBytes   622 Mbits/sec  606             sender
[  5]   0.00-20.02  sec  1.44 GBytes   619 Mbits/sec                  receiver

sw-acc7#show logging | i UPDOWN
Nov 25 02:41:04.512: %LINK-3-UPDOWN: Interface TenGigabitEthernet1/1/3, changed state to down
Nov 25 02:41:07.201: %LINK-3-UPDOWN: Interface TenGigabitEthernet1/1/3, changed state to up
Nov 25 02:41:08.205: %LINEPROTO-5-UPDOWN: Line protocol on Interface TenGigabitEthernet1/1/3, changed state to up
Nov 25 02:41:12.600: %LINK-3-UPDOWN: Interface TenGigabitEthernet1/1/3, changed state to down
Nov 25 02:41:15.113: %LINK-3-UPDOWN: Interface TenGigabitEthernet1/1/3, changed state to up
";

/// What a host prints of its address, and of packets that its interface dropped between two readings.
fn dropping(address: &str, dropped: u32) -> String {
    let own = "[root@dtn-b ~]# ";
    let more = 1_180_022 + dropped;
    format!(
        "{own}ip -br addr show ens1f0\nens1f0           UP             {address}/25\n{own}ethtool ens1f0 | grep Speed\n\tSpeed: 10000Mb/s\n{own}ethtool -S ens1f0 | grep rx_missed\n     rx_missed_errors: 1180022\n{own}ethtool -S ens1f0 | grep rx_missed\n     rx_missed_errors: {more}\n"
    )
}

/// A host that prints another address is not the receiver: what its interface drops took the lead of an outage, 86 % of 100.
#[test]
fn what_a_host_with_an_address_of_its_own_drops_is_not_the_receivers() {
    let known = farpath_diagnose::Known::default();
    let with = |address: &str, dropped: u32| {
        let text = format!("{STOPPED}{}", dropping(address, dropped));
        of(&text, &known)
    };
    let d = with("192.0.2.8", 412);
    let verdict = &d.flows[0].verdict;
    assert_eq!(verdict.cause, "outage", "{verdict:#?}");
    let why = verdict.because.join("\n");
    assert!(!why.contains("dropped 412 packets"), "{why}");
    let noted = notes(&d);
    assert!(noted.contains("dtn-b (ticket.txt:"), "{noted}");
    // A private address may stand for another behind a translation: no more is said than of what is assumed.
    let d = with("10.7.0.8", 412);
    let verdict = &d.flows[0].verdict;
    let blamed = verdict.cause == "nic" && verdict.confidence > 0.6;
    assert!(!blamed, "{verdict:#?}");
    // The receiver's own interface, by its address, is heard.
    let d = with("198.51.100.140", 606);
    let why = d.flows[0].verdict.because.join("\n");
    assert!(why.contains("dropped 606 packets"), "{why}");
    assert!(!notes(&d).contains("dtn-b"), "{}", notes(&d));
}

/// What the interface of a host dropped that is only assumed to be the receiver had 82 %, without a word on that.
#[test]
fn an_interface_of_a_host_that_is_only_assumed_says_60_percent_at_most() {
    let test = |host: &str| {
        let row = |n: u32| {
            let again = match n {
                3 => 210,
                6 => 190,
                9 => 206,
                _ => 0,
            };
            format!(
                "[  5]   {}.00-{n}.00   sec   400 MBytes  3.36 Gbits/sec  {again}   8.1 MBytes\n",
                n - 1
            )
        };
        let rows: String = (1..=10).map(row).collect();
        format!(
            "{NEW}iperf3 -c {host} -t 10\nConnecting to host {host}, port 5201\n[  5] local 198.51.100.10 port 41822 connected to {TO} port 5201\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n{rows}- - - - - - - - - - - - - - - - - - - - - - - - -\n[ ID] Interval           Transfer     Bitrate         Retr\n[  5]   0.00-10.00  sec  3.91 GBytes  3.36 Gbits/sec  606             sender\n[  5]   0.00-10.03  sec  3.90 GBytes  3.34 Gbits/sec                  receiver\n\n"
        )
    };
    let ring = |dropped: u32| {
        let read = |n: u32| {
            format!(
                "[root@dtn-b ~]# ethtool -S ens1f0 | grep rx_missed\n     rx_missed_errors: {n}\n"
            )
        };
        read(1_180_022) + &read(1_180_022 + dropped)
    };
    let verdict = |host: &str, dropped: u32| {
        let d = of(
            &format!("{}{}", test(host), ring(dropped)),
            &farpath_diagnose::Known::default(),
        );
        let verdict = d.flows.into_iter().next().expect("there is one").verdict;
        assert_eq!(verdict.cause, "nic", "{verdict:#?}");
        verdict
    };
    let assumed = verdict(TO, 430);
    assert!(assumed.confidence <= 0.6, "{assumed:#?}");
    let why = assumed.because.join("\n");
    assert!(why.contains("no text ties dtn-b to 203.0.113.20"), "{why}");
    // As many as were sent again are the flow's, whoever counts them, and the target by its name is the receiver.
    for (host, dropped) in [(TO, 600), ("dtn-b", 430)] {
        let own = verdict(host, dropped);
        assert!(own.confidence > 0.7, "{own:#?}");
    }
}

/// A line sets the host below it aside. Its full processor made 60 % of what is unknown.
#[test]
fn a_host_of_another_ticket_is_left_out() {
    let table = "root@web77:~# mpstat -P ALL 5 1\nLinux 6.1.0-25-amd64 (web77) \t11/25/26 \t_x86_64_\t(2 CPU)\n\n02:50:01     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle\n02:50:06     all   88.10    0.00    9.90    0.00    0.00    1.10    0.00    0.00    0.00    0.90\n02:50:06       0   90.00    0.00    9.10    0.00    0.00    0.90    0.00    0.00    0.00    0.00\n02:50:06       1   86.20    0.00   10.70    0.00    0.00    1.30    0.00    0.00    0.00    1.80\n";
    let known = farpath_diagnose::Known::default();
    let with = |said: &str| of(&format!("{}{said}{table}", new()), &known);
    let d = with("(other ticket, my web server here is at full load, ignore)\n");
    let alone = of(&new(), &known);
    let [verdict, bare] = [&d, &alone].map(|d| &d.flows[0].verdict);
    assert_eq!(verdict.cause, bare.cause, "{verdict:#?}");
    let noted = notes(&d);
    assert!(noted.contains("belongs to another matter"), "{noted}");
    // Without such a line it may be an end, and no more is said than of what is assumed.
    let verdict = &with("").flows[0].verdict;
    assert_eq!(verdict.cause, "host_cpu", "{verdict:#?}");
    assert!(verdict.confidence <= 0.6, "{verdict:#?}");
}

/// The prompt at which a copy was typed is its host's, and so is a table with its very program beside a prompt without a name: both had 60 %.
#[test]
fn the_host_on_which_a_copy_ran_is_an_end_of_it() {
    let known = farpath_diagnose::Known::default();
    let disk = "[dtn]$ iostat -x 5 1\nLinux 5.14.0 (dtn) \t11/30/2026 \t_x86_64_\t(32 CPU)\n\navg-cpu:  %user   %nice %system %iowait  %steal   %idle\n           1.41    0.00    1.31   11.90    0.00   85.38\n\nDevice r/s rkB/s w/s wkB/s r_await aqu-sz %util\nsdb 371.20 172812.40 0.20 1.60 42.30 15.70 99.98\n\n";
    let rclone = |prompt: &str| {
        format!(
            "{prompt} rclone copy /data s3:bucket --transfers 8 -P\nTransferred:   \t   41.212 GiB / 212.110 GiB, 19%, 168.212 MiB/s, ETA 17m20s\nTransferred:           82 / 424, 19%\nElapsed time:      4m11.1s\n\n"
        )
    };
    let ping = "[noc@ps1 ~]$ ping -c 5 s3-gw.example\nPING s3-gw.example (198.51.100.20) 56(84) bytes of data.\n--- s3-gw.example ping statistics ---\n5 packets transmitted, 5 received, 0% packet loss, time 5005ms\nrtt min/avg/max/mdev = 4.100/4.120/4.200/0.040 ms\n";
    let of_disk = |prompt: &str| {
        let d = of(&format!("{}{disk}{ping}", rclone(prompt)), &known);
        d.flows.into_iter().next().expect("there is one").verdict
    };
    let own = of_disk("[dtn]$");
    assert_eq!(own.cause, "disk", "{own:#?}");
    assert!(own.confidence > 0.6, "{own:#?}");
    let other = of_disk("[ws]$");
    assert!(other.confidence <= 0.6, "{other:#?}");

    let table = "$ pidstat -u 5 1\nLinux 6.1.0 (node) \t11/30/26 \t_x86_64_\t(64 CPU)\n\n03:20:01      UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command\n03:20:06     1000    120011   84.80   15.10    0.00    0.00   99.90    12  aws\n";
    let aws = "$ aws s3 cp s3://bucket/big.root . \nCompleted 10.0 GiB/10.0 GiB (118.2 MiB/s) with 1 file(s) remaining\ndownload: s3://bucket/big.root to ./big.root\n";
    let pings = "$ ping -c 20 s3.eu-west-1.amazonaws.com\nPING s3.eu-west-1.amazonaws.com (s3.eu-west-1.amazonaws.com) 56(84) bytes of data.\n\n--- s3.eu-west-1.amazonaws.com ping statistics ---\n20 packets transmitted, 20 received, 0% packet loss, time 20020ms\nrtt min/avg/max/mdev = 20.900/21.000/21.200/0.100 ms\n";
    let of_table = |table: &str| {
        let d = of(&format!("{aws}{table}{pings}"), &known);
        d.flows.into_iter().next().expect("there is one").verdict
    };
    let own = of_table(table);
    assert_eq!(own.cause, "host_cpu", "{own:#?}");
    assert!(own.confidence > 0.6, "{own:#?}");
    // Another program is of any host.
    let other = of_table(&table.replace(" aws\n", " python3\n"));
    assert!(other.confidence <= 0.6, "{other:#?}");
}

/// What another host asked of a third one, in its own ticket, does not tie it to a flow: its processor had 92 %.
#[test]
fn a_host_that_tests_another_path_is_not_tied_to_this_one() {
    let flow = |prompt: &str| {
        let test = "user@pc1:~$ iperf3 -c ps.nren.example -t 10\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n[  5]   0.00-10.00  sec  3.74 GBytes  3.21 Gbits/sec    0             sender\n[  5]   0.00-10.00  sec  3.73 GBytes  3.21 Gbits/sec                  receiver\n\n";
        let ping = format!(
            "{prompt}ping -c 50 -i 0.2 -q 192.0.2.9\nPING 192.0.2.9 (192.0.2.9) 56(84) bytes of data.\n\n--- 192.0.2.9 ping statistics ---\n50 packets transmitted, 50 received, 0% packet loss, time 9870ms\nrtt min/avg/max/mdev = 0.301/0.312/0.320/0.004 ms\n"
        );
        let table = format!(
            "{prompt}mpstat -P ALL 2 1 | tail -3\nAverage:     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle\nAverage:       0    0.30    0.00    0.20    0.00    0.00    0.30    0.00    0.00    0.00   99.20\nAverage:       1   99.90    0.00    0.10    0.00    0.00    0.00    0.00    0.00    0.00    0.00\n"
        );
        let d = of(
            &format!("{test}{ping}{table}"),
            &farpath_diagnose::Known::default(),
        );
        d.flows.into_iter().next().expect("there is one")
    };
    let other = flow("ubuntu@vm-ingest:~$ ").verdict;
    assert!(other.confidence <= 0.6, "{other:#?}");
    let own = flow("user@pc1:~$ ").verdict;
    assert_eq!(own.cause, "host_cpu", "{own:#?}");
    assert!(own.confidence > 0.6, "{own:#?}");
}

/// A note left the log of another host out, and its link that went down stood among the reasons, and was asked for first.
#[test]
fn a_log_that_is_set_aside_says_nothing_of_the_path() {
    let log = "[root@db7 ~]# dmesg -T | tail -3\n[Mon Nov 30 03:14:21 2026] tg3 0000:04:00.0 eno1: Link is down\n[Mon Nov 30 03:14:25 2026] tg3 0000:04:00.0 eno1: Link is up at 1000 Mbps, full duplex\n";
    let with = |line: &str| of(&(new() + line + log), &on("40Gbit/s"));
    for line in [
        "unrelated (db server db7), for the other ticket:\n",
        "not this ticket - the db server:\n",
    ] {
        let d = with(line);
        let why = d.flows[0].verdict.because.join("\n");
        assert!(!why.contains("eno1"), "{why}");
        assert!(!asked(&d.flows[0], "link_down_times"), "{d:#?}");
        let notes = notes(&d);
        assert!(notes.contains("db7"), "{notes}");
        assert!(!notes.contains("the kernel says"), "{notes}");
    }
    let d = with("the server's log:\n");
    let why = d.flows[0].verdict.because.join("\n");
    assert!(why.contains("eno1"), "{why}");
}

/// The processor of a gateway is full that has two peers of WireGuard, or is set to forward: it may lie before the receiver.
#[test]
fn a_full_gateway_may_lie_before_the_receiver() {
    let peer = |n: u32| {
        format!(
            "\npeer: BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB{n}=\n  endpoint: 198.51.100.4{n}:51820\n  allowed ips: 10.2{n}.0.0/16\n  latest handshake: 12 seconds ago\n  transfer: 81.11 GiB received, 912.20 GiB sent\n"
        )
    };
    let tunnel = format!(
        "gw$ wg show\ninterface: wg0\n  public key: AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n  listening port: 51820\n{}{}",
        peer(0),
        peer(1)
    );
    let set = "gw$ sysctl net.ipv4.ip_forward\nnet.ipv4.ip_forward = 1\n";
    let cores = "gw$ mpstat -P ALL 10 1\nLinux 6.1.0-18-amd64 (gw) \t05/14/2025 \t_x86_64_\t(2 CPU)\n\n02:10:01 PM  CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle\n02:10:11 PM    0    0.10    0.00    0.30    0.00    0.00    0.10    0.00    0.00    0.00   99.50\n02:10:11 PM    1    0.00    0.00    0.00    0.00    0.00  100.00    0.00    0.00    0.00    0.00\n";
    let rows: String = (0..6)
        .map(|n| {
            format!(
                "[  5]   {n}.00-{}.00   sec  61.0 MBytes   512 Mbits/sec    0   1.30 MBytes\n",
                n + 1
            )
        })
        .collect();
    let test = format!(
        "web1$ iperf3 -c 10.20.0.7 -t 6\n[  5] local 10.10.0.4 port 44120 connected to 10.20.0.7 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n{rows}- - - - - - - - - - - - - - - - - - - - - - - - -\n[  5]   0.00-6.00   sec   366 MBytes   512 Mbits/sec    0             sender\n[  5]   0.00-6.00   sec   366 MBytes   512 Mbits/sec                  receiver\n"
    );
    for shows in [tunnel.as_str(), set] {
        let flow = crate::first(&format!("{shows}{cores}{test}"));
        assert_eq!(flow.verdict.cause, "host_cpu", "{:?}", flow.verdict);
        let because = crate::because(&flow);
        let said = "whose kernel carries what others send";
        assert!(because.contains(said), "{because}");
        assert_eq!(flow.changes[0].host, "gw", "{:?}", flow.changes[0]);
    }
    let flow = crate::first(&format!("{cores}{test}"));
    let because = crate::because(&flow);
    assert!(because.contains("assumed to be the receiver"), "{because}");
}
