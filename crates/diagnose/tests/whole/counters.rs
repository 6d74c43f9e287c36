//! Counters, disks and processors of the hosts: what grew, what was busiest, and on which host it is to be changed.

use farpath_diagnose::{Diagnosis, FlowReport};

use crate::asked::socket;
use crate::{first_flow, of_files, on};

fn of(files: &[(&str, &str)]) -> Diagnosis {
    of_files(files, &on("25 Gbit/s"))
}

fn first(files: &[(&str, &str)]) -> FlowReport {
    first_flow(of(files))
}

/// A connection that sent so many segments again, of four million.
pub(crate) fn lossy(again: u32) -> String {
    let more = format!(
        "bytes_retrans:{} retrans:0/{again} notsent:2097152 snd_wnd:536870912",
        again * 1448
    );
    let ss = socket([50412, 50210], "cubic", &more).replace("8948", "1448");
    ss.replace("cwnd:21042", "cwnd:17150 ssthresh:14210")
        .replace("unacked:2781", "unacked:17189")
}

/// A reading of an interface that names it, of what it discarded.
fn discards(count: u32) -> String {
    format!(
        "[ams ~]$ ethtool -S ens1f0np0 | grep rx_\n     rx_packets: 512233412\n     rx_out_of_buffer: 120031\n     rx_discards_phy: {count}\n"
    )
}

#[test]
fn a_counter_that_did_not_grow_is_no_cause() {
    let sender = lossy(190);
    for stood in [0, 88, 120_031] {
        let receiver = discards(stood) + &discards(stood);
        let flow = first(&[("sender.txt", &sender), ("receiver.txt", &receiver)]);
        assert_ne!(flow.verdict.cause, "nic", "{stood} {:#?}", flow.verdict);
        let because = flow.verdict.because.join("\n");
        assert!(!because.contains("dropped"), "{because}");
    }
    // Read once it may be of any time: it is asked for again.
    let flow = first(&[("sender.txt", &sender), ("receiver.txt", &discards(188))]);
    assert!(
        flow.verdict.cause != "nic" || flow.verdict.confidence < 0.8,
        "{:#?}",
        flow.verdict
    );
}

#[test]
fn a_counter_that_grew_counts_by_its_growth() {
    let sender = lossy(190);
    let (before, after) = (discards(88), discards(276));
    let together = before.clone() + &after;
    let one = [("sender.txt", sender.as_str()), ("receiver.txt", &together)];
    let two = [
        ("sender.txt", sender.as_str()),
        ("receiver-1.txt", &before),
        ("receiver-2.txt", &after),
    ];
    for files in [&one[..], &two[..]] {
        let flow = first(files);
        assert_eq!(flow.verdict.cause, "nic", "{:#?}", flow.verdict);
        assert!(flow.verdict.confidence > 0.8, "{:#?}", flow.verdict);
        let because = flow.verdict.because.join("\n");
        let sentence =
            "dropped 188 packets from one reading to the next, and 190 segments were sent again";
        assert!(because.contains(sentence), "{because}");
        // The card is the receiver's, and has something to change.
        let change = &flow.changes[0];
        assert_eq!(change.host, "198.51.100.20");
        let commands = change.commands.join("\n");
        assert!(commands.contains("ethtool -G ens1f0np0 rx"), "{commands}");
        assert!(!change.undo.is_empty());
    }
}

/// Few packets are as telling as many where they are those that were lost, and many are not where far more were lost.
#[test]
fn drops_are_compared_with_what_was_sent_again() {
    let receiver = discards(88) + &discards(113);
    let flow = first(&[("sender.txt", &lossy(25)), ("receiver.txt", &receiver)]);
    assert_eq!(flow.verdict.cause, "nic", "{:#?}", flow.verdict);
    let flow = first(&[("sender.txt", &lossy(27_939)), ("receiver.txt", &receiver)]);
    assert_ne!(flow.verdict.cause, "nic", "{:#?}", flow.verdict);
}

/// A reading of an interface of `ams`, as net-tools, old and new, the kernel and FreeBSD print it: frames with errors, and dropped ones.
fn tables(errors: u32, dropped: u32) -> [String; 5] {
    [
        format!(
            "[ams ~]$ ifconfig ens1f0np0
ens1f0np0: flags=4163<UP,BROADCAST,RUNNING,MULTICAST>  mtu 1500
        inet 198.51.100.20  netmask 255.255.255.0  broadcast 198.51.100.255
        ether 02:00:00:00:00:01  txqueuelen 1000  (Ethernet)
        RX packets 512233412  bytes 741713980576 (690.7 GiB)
        RX errors {errors}  dropped {dropped}  overruns 0  frame {errors}
        TX packets 5400000  bytes 410000000 (391.0 MiB)
        TX errors 0  dropped 0 overruns 0  carrier 0  collisions 0
"
        ),
        format!(
            "[ams ~]$ ifconfig ens1f0np0
ens1f0np0 Link encap:Ethernet  HWaddr 02:00:00:00:00:01
          inet addr:198.51.100.20  Bcast:198.51.100.255  Mask:255.255.255.0
          UP BROADCAST RUNNING MULTICAST  MTU:1500  Metric:1
          RX packets:512233412 errors:{errors} dropped:{dropped} overruns:0 frame:{errors}
          TX packets:5400000 errors:0 dropped:0 overruns:0 carrier:0
          collisions:0 txqueuelen:1000
          RX bytes:741713980576 (690.7 GiB)  TX bytes:410000000 (391.0 MiB)
"
        ),
        format!(
            "[ams ~]$ netstat -i
Kernel Interface table
Iface             MTU    RX-OK RX-ERR RX-DRP RX-OVR    TX-OK TX-ERR TX-DRP TX-OVR Flg
ens1f0np0        1500 512233412 {errors:6} {dropped:6} 0       5400000      0      0      0 BMRU
lo              65536    97412      7      7 0         97412      0      0      0 LRU
"
        ),
        format!(
            "[ams ~]$ cat /proc/net/dev
Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo: 8123345   97412    7    7    0     0          0         0  8123345   97412    0    0    0     0       0          0
ens1f0np0: 741713980576 512233412 {errors} {dropped}    0 {errors}          0       120 410000000 5400000    0    0    0     0       0          0
"
        ),
        format!(
            "[ams ~]$ netstat -i
Name         Mtu Network           Address               Ipkts Ierrs Idrop    Opkts Oerrs  Coll
ens1f0np0   1500 <Link#1>          02:00:00:00:00:01 512233412 {errors} {dropped} 5400000     0     0
ens1f0np0      - 198.51.100.0/24   198.51.100.20     512230000     -     -  5399000     -     -
lo0        16384 <Link#2>          lo0                   97412     7     7    97412     0     0
"
        ),
    ]
}

/// The same of `ip -s link`.
fn link(errors: u32, dropped: u32) -> String {
    format!(
        "[ams ~]$ ip -s link show ens1f0np0
3: ens1f0np0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP mode DEFAULT group default qlen 1000
    link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff
    RX:  bytes packets errors dropped  missed   mcast
    741713980576 512233412 {errors} {dropped} 0 120
    TX:  bytes packets errors dropped carrier collsns
    410000000 5400000 0 0 0 0
"
    )
}

/// Two readings of an interface in each of these ways: the counts of the first, and of the second.
fn twice(first: [u32; 2], second: [u32; 2]) -> Vec<String> {
    let all = |[errors, dropped]: [u32; 2]| {
        let tables = tables(errors, dropped).into_iter();
        tables.chain([link(errors, dropped)])
    };
    let pairs = all(first).zip(all(second));
    pairs.map(|(before, after)| before + &after).collect()
}

#[test]
fn tables_of_interfaces_are_read_as_ip_link_is() {
    let sender = lossy(25);
    for receiver in twice([26, 0], [51, 0]) {
        let d = of(&[("sender.txt", &sender), ("receiver.txt", &receiver)]);
        let own = d
            .read
            .iter()
            .filter(|p| p.source.starts_with("receiver.txt"));
        let left: Vec<u32> = own.flat_map(|p| p.ignored_lines.clone()).collect();
        assert_eq!(left, Vec::<u32>::new(), "{receiver}");
        let flow = first_flow(d);
        let verdict = &flow.verdict;
        assert_eq!(verdict.cause, "random_loss", "{receiver} {verdict:#?}");
        let because = verdict.because.join("\n");
        let damaged = "at ens1f0np0 51 frames arrived damaged, 25 of them from one reading";
        assert!(because.contains(damaged), "{receiver} {because}");
    }
}

/// Whatever an interface drops is in one count. It is the flow's where it grew by as many as were sent again, and not where it grew by
/// what no protocol took.
#[test]
fn what_a_receiver_dropped_is_compared_with_what_was_sent_again() {
    let sender = lossy(190);
    for receiver in twice([0, 88], [0, 276]) {
        let flow = first(&[("sender.txt", &sender), ("receiver.txt", &receiver)]);
        let verdict = &flow.verdict;
        assert_eq!(verdict.cause, "nic", "{receiver} {verdict:#?}");
        let because = verdict.because.join("\n");
        let dropped = "dropped 188 packets from one reading to the next, and 190 segments";
        assert!(because.contains(dropped), "{receiver} {because}");
        assert_eq!(flow.changes[0].host, "198.51.100.20");
    }
    for receiver in twice([0, 88], [0, 120_088]) {
        let flow = first(&[("sender.txt", &sender), ("receiver.txt", &receiver)]);
        assert_ne!(flow.verdict.cause, "nic", "{receiver} {:#?}", flow.verdict);
    }
}

/// The table of FreeBSD names its system, and so does `uname`: what to change is in its words.
#[test]
fn a_freebsd_that_drops_is_changed_in_its_own_words() {
    let table = |dropped| {
        let [.., free] = tables(0, dropped);
        free.replace("ens1f0np0", "ix0")
    };
    let receiver = table(88) + &table(276);
    let system = "[ams ~]$ uname -a\nFreeBSD ams 14.1-RELEASE FreeBSD 14.1-RELEASE GENERIC amd64\n";
    for before in ["", system] {
        let receiver = format!("{before}{receiver}");
        let flow = first(&[("sender.txt", &lossy(190)), ("receiver.txt", &receiver)]);
        assert_eq!(flow.verdict.cause, "nic", "{:#?}", flow.verdict);
        let change = &flow.changes[0];
        assert_eq!(change.os, "freebsd", "{change:#?}");
        let commands = change.commands.join("\n");
        assert!(commands.contains("sysctl dev.ix.0.fc"), "{commands}");
        assert!(!commands.contains("ethtool"), "{commands}");
        assert_eq!(change.undo.len(), 2, "{change:#?}");
    }
}

#[test]
fn losses_that_leave_less_than_was_measured_came_in_bursts() {
    let flow = first(&[("sender.txt", &lossy(190))]);
    let because = flow.verdict.because.join("\n");
    assert!(because.contains("most came in bursts"), "{because}");
    // Where the receiver's interface counts as many drops, that is how they came.
    let table = |dropped| {
        let [.., free] = tables(0, dropped);
        free
    };
    let receiver = table(88) + &table(276);
    let flow = first(&[("sender.txt", &lossy(190)), ("receiver.txt", &receiver)]);
    assert_eq!(flow.verdict.cause, "nic", "{:#?}", flow.verdict);
    let because = flow.verdict.because.join("\n");
    assert!(!because.contains("in bursts"), "{because}");
}

/// The receiver counts as many damaged frames as were sent again: the plug to clean is there, and that is all to change.
#[test]
fn a_plug_is_cleaned_on_the_host_that_counts() {
    let counters = |crc: u32| {
        format!("[ams ~]$ ethtool -S ens1f0np0 | grep rx_\n     rx_crc_errors_phy: {crc}\n")
    };
    let receiver = counters(26) + &counters(51);
    let flow = first(&[("sender.txt", &lossy(25)), ("receiver.txt", &receiver)]);
    assert_eq!(flow.verdict.cause, "random_loss", "{:#?}", flow.verdict);
    let hosts: Vec<&str> = flow.changes.iter().map(|c| c.host.as_str()).collect();
    assert_eq!(hosts, ["198.51.100.20"]);
    let (plugs, commands) = (&flow.changes[0], crate::commands(&flow));
    assert!(!commands.contains("sysctl"), "{commands}");
    assert!(plugs.undo.is_empty(), "{plugs:#?}");
    assert!(plugs.risk.contains("BBR at the sender"), "{plugs:#?}");
    assert!(
        commands.contains("counts damaged frames (receiver.txt:4)"),
        "{commands}"
    );
    // What stood there before and does not grow damages nothing today.
    let still = counters(26) + &counters(26);
    let flow = first(&[("sender.txt", &lossy(25)), ("receiver.txt", &still)]);
    let because = flow.verdict.because.join("\n");
    assert!(!because.contains("damaged"), "{because}");
}

/// `iostat -x`: kB read and written a second, and how busy.
fn iostat(disks: &[(&str, f64, f64, f64)]) -> String {
    let rows = disks.iter().map(|(name, read, written, busy)| {
        format!("{name} 363.20 {read:.2} 0.00 92.20 {written:.2} 7.94 {busy:.2}\n")
    });
    let rows: String = rows.collect();
    format!("Device r/s rkB/s r_await w/s wkB/s aqu-sz %util\n{rows}")
}

const FULL: (&str, f64, f64, f64) = ("sda", 93_090.0, 14.4, 99.8);
const IDLE: (&str, f64, f64, f64) = ("nvme0n1", 4.8, 0.0, 0.02);

#[test]
fn an_idle_disk_hides_no_full_one() {
    let more = "app_limited snd_wnd:536870912";
    let sender = socket([50412, 50210], "cubic", more);
    for disks in [&[FULL][..], &[FULL, IDLE], &[IDLE, FULL]] {
        let flow = first(&[("sender.txt", &sender), ("sender-io.txt", &iostat(disks))]);
        assert_eq!(flow.verdict.cause, "disk", "{disks:?} {:#?}", flow.verdict);
        let because = flow.verdict.because.join("\n");
        assert!(because.contains("busy for 100 % of the time"), "{because}");
        assert_eq!(flow.changes[0].host, "203.0.113.10");
    }
    // The last reading of a disk is the one that counts.
    let calm = iostat(&[FULL, IDLE]) + &iostat(&[("sda", 10.0, 0.0, 0.5), IDLE]);
    let flow = first(&[("sender.txt", &sender), ("sender-io.txt", &calm)]);
    assert_ne!(flow.verdict.cause, "disk", "{:#?}", flow.verdict);
}

/// A program that does not read leaves its buffer of 1 GiB full, and the window small: what the window is once it reads is not this one.
#[test]
fn a_window_that_its_program_left_small_is_not_what_is_left() {
    let waits = "rwnd_limited:57000ms(93.6%) notsent:2097152 snd_wnd:24903680";
    let sender = socket([50412, 50210], "cubic", waits);
    let receiver = "ESTAB 511967232 0 198.51.100.20:50210 203.0.113.10:50412\n\t skmem:(r1023934464,rb1073741824,t0,tb87040,f2048,w0,o0,bl0,d0) cubic wscale:14,14 rto:463 rtt:262.1/131 mss:8948 pmtu:9000 cwnd:10 bytes_received:5814000000 rcv_space:49807360 rcv_ssthresh:536870912 minrtt:262.1\nnet.ipv4.tcp_rmem = 4096 131072 1073741824\n";
    let busy = iostat(&[("sdb", 0.8, 94_720.4, 99.6)]);
    for io in ["", &busy] {
        let receiver = format!("{receiver}{io}");
        let flow = first(&[("sender.txt", &sender), ("receiver.txt", &receiver)]);
        let verdict = &flow.verdict;
        // The disk, at the flow's own rate, is what the program waits for.
        let cause = if io.is_empty() { "client" } else { "disk" };
        assert_eq!(verdict.cause, cause, "{verdict:#?}");
        let second = verdict.second.as_ref().map(|s| s.cause);
        assert!(io.is_empty() || second == Some("client"), "{verdict:#?}");
        assert_eq!(flow.changes[0].host, "198.51.100.20");
        // Half of 1 GiB over 262 ms are 16.4 Gbit/s; the line leaves 24.8.
        let after = flow.changes[0].predicted_bps.expect("both are known");
        assert!(after > 10e9, "{after}");
        let because = flow.verdict.because.join("\n");
        assert_eq!(
            because.contains("the rate of a disk: 776 Mbit/s"),
            !io.is_empty(),
            "{because}"
        );
    }
}

const TOP: &str = "[dtn1 ~]$ top -b -n1 | head -9\ntop - 03:12:44 up 41 days,  2:11,  2 users,  load average: 1.31, 1.20, 1.02\nTasks: 812 total,   2 running, 810 sleeping,   0 stopped,   0 zombie\n%Cpu(s):  3.2 us,  0.4 sy,  0.0 ni, 96.3 id,  0.0 wa,  0.0 hi,  0.1 si,  0.0 st\nMiB Mem : 257412.3 total,  81234.1 free,  20123.9 used, 156054.3 buff/cache\n\n    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND\n  41233 data      20   0   24812  11884   8812 R  99.7   0.0   4:12.31 ssh\n  41232 data      20   0   13320   4812   4120 S   4.0   0.0   0:10.02 scp\n";

const MPSTAT: &str = "[dtn1 ~]$ mpstat -P ALL 5 1\nLinux 5.14.0-427.13.1.el9_4.x86_64 (dtn1) \t11/25/2026 \t_x86_64_\t(4 CPU)\n\n03:12:40 AM  CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle\n03:12:45 AM  all   24.20    0.00    1.40    0.00    0.00    0.20    0.00    0.00    0.00   74.20\n03:12:45 AM    0    0.20    0.00    0.20    0.00    0.00    0.40    0.00    0.00    0.00   99.20\n03:12:45 AM    1   96.20    0.00    3.60    0.00    0.00    0.20    0.00    0.00    0.00    0.00\n\nAverage:     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle\nAverage:     all   24.20    0.00    1.40    0.00    0.00    0.20    0.00    0.00    0.00   74.20\nAverage:       1   96.20    0.00    3.60    0.00    0.00    0.20    0.00    0.00    0.00    0.00\n";

const PIDSTAT: &str = "[dtn1 ~]$ pidstat -u 5 1\nLinux 5.14.0-427.13.1.el9_4.x86_64 (dtn1) \t11/25/2026 \t_x86_64_\t(4 CPU)\n\n03:12:40 AM   UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command\n03:12:45 AM  1000     41233   96.20    3.60    0.00    0.00   99.80     1  ssh\n";

#[test]
fn a_program_that_fills_a_processor_is_named() {
    let sender = socket([50412, 22], "cubic", "app_limited snd_wnd:536870912");
    let named = "the program ssh used 100 % of a processor";
    for (printed, sentence) in [
        (TOP, named),
        (PIDSTAT, named),
        (MPSTAT, "a processor was 100 % busy"),
    ] {
        let d = of(&[("sender.txt", &(sender.clone() + printed))]);
        let flow = &d.flows[0];
        assert_eq!(flow.verdict.cause, "host_cpu", "{:#?}", flow.verdict);
        let because = flow.verdict.because.join("\n");
        assert!(because.contains(sentence), "{because}");
        let commands = flow.changes[0].commands.join("\n");
        assert!(commands.contains("aes128-gcm"), "{commands}");
        // Every line is known but the command, which nobody misses.
        let ignored = d.read.iter().flat_map(|p| &p.ignored_lines);
        assert_eq!(ignored.count(), 0, "{:#?}", d.read);
    }
    // What makes the data smaller is not the cipher's work.
    let packs = sender.clone() + &TOP.replace(" ssh\n", " gzip\n");
    let flow = first(&[("sender.txt", &packs)]);
    assert_eq!(flow.verdict.cause, "host_cpu", "{:#?}", flow.verdict);
    let commands = flow.changes[0].commands.join("\n");
    assert!(commands.contains("pigz"), "{commands}");
    assert!(!commands.contains("aes128-gcm"), "{commands}");
    // Where none is full, it is none of them.
    let calm = TOP.replace("99.7", "12.7");
    let flow = first(&[("sender.txt", &(sender + &calm))]);
    assert_eq!(flow.verdict.cause, "application", "{:#?}", flow.verdict);
}

/// A counter that was read once may be of any time: it is said, whatever the cause is, and asked for again by its interface.
#[test]
fn a_counter_that_was_read_once_is_named_and_asked_for() {
    let flow = first(&[("sender.txt", &lossy(4028)), ("receiver.txt", &discards(0))]);
    let because = flow.verdict.because.join("\n");
    let sentence = "dropped 120031 packets since it was started, and 4028 segments were sent again: one reading does not say how many of them in this test";
    assert!(because.contains(sentence), "{because}");
    let asked = flow.missing.iter().find(|m| m.fact == "nic_drops");
    let asked = asked.unwrap_or_else(|| panic!("{:#?}", flow.missing));
    assert!(asked.command.contains("ethtool -S ens1f0np0"), "{asked:?}");
    let missed = "[ams ~]$ ip -s -s link show ens1f0np0\n4: ens1f0np0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 9000 qdisc mq state UP mode DEFAULT group default qlen 1000\n    link/ether 02:00:5e:10:00:07 brd ff:ff:ff:ff:ff:ff\n    RX:  bytes packets errors dropped  missed   mcast\n    712345678901 81234567      0       0   19022    1203\n";
    let flow = first(&[("sender.txt", &lossy(4028)), ("receiver.txt", missed)]);
    let because = flow.verdict.because.join("\n");
    assert!(
        because.contains("dropped 19022 packets since it was started"),
        "{because}"
    );
}

/// Growth that is a part of what was lost is said with that part.
#[test]
fn a_part_of_the_losses_is_said_as_a_part() {
    for (grown, said) in [(40, "1.0 %"), (1000, "24.8 %")] {
        let receiver = discards(88) + &discards(88 + grown);
        let flow = first(&[("sender.txt", &lossy(4028)), ("receiver.txt", &receiver)]);
        let because = flow.verdict.because.join("\n");
        let sentence = format!(
            "dropped {grown} packets from one reading to the next, {said} of the 4028 segments that were sent again"
        );
        assert!(because.contains(&sentence), "{because}");
    }
}

/// The text names the interface, and how long its ring may be: the commands are those to type, and to take back.
#[test]
fn commands_name_the_interface_of_the_text() {
    let ring = |now: u32| {
        format!(
            "[ams ~]$ ethtool -g ens1f0np0\nRing parameters for ens1f0np0:\nPre-set maximums:\nRX:\t\t4096\nRX Mini:\tn/a\nTX:\t\t4096\nCurrent hardware settings:\nRX:\t\t{now}\nRX Mini:\tn/a\nTX:\t\t512\n"
        )
    };
    let counters = discards(88) + &discards(276);
    let of = |receiver: &str| {
        let flow = first(&[("sender.txt", &lossy(190)), ("receiver.txt", receiver)]);
        assert_eq!(flow.verdict.cause, "nic", "{:#?}", flow.verdict);
        flow.changes.into_iter().next().expect("a change")
    };
    let change = of(&(ring(512) + &counters));
    assert_eq!(change.commands[1], "ethtool -G ens1f0np0 rx 4096");
    assert_eq!(change.undo[0], "ethtool -G ens1f0np0 rx 512");
    // An offload that is off comes behind a ring that is short, and else first.
    let off =
        "[ams ~]$ ethtool -k ens1f0np0\nFeatures for ens1f0np0:\ngeneric-receive-offload: off\n";
    let gro = "ethtool -K ens1f0np0 gro on";
    let short = of(&(ring(512) + off + &counters));
    assert_eq!(short.commands[1], "ethtool -G ens1f0np0 rx 4096");
    assert!(short.commands[2].starts_with(gro), "{short:#?}");
    let open = of(&(off.to_owned() + &counters));
    assert!(open.commands[0].starts_with(gro), "{open:#?}");
    let undone = open
        .undo
        .iter()
        .any(|u| u == "ethtool -K ens1f0np0 gro off");
    assert!(undone, "{open:#?}");
    let all = [&change.commands[..], &change.undo].concat().join("\n");
    assert!(!all.contains("INTERFACE"), "{all}");
    let change = of(&(ring(4096) + &counters));
    assert!(
        change.commands[1].contains("has its most, 4096 frames, already"),
        "{change:#?}"
    );
    let undo = change.undo.join("\n");
    assert!(!undo.contains("ethtool -G"), "{undo}");
}

/// A window that is full while the receiver's processor is: a larger one gives no more than the processor carries at its share.
#[test]
fn a_processor_bounds_what_a_larger_window_gives() {
    let ticket = |sender: f64, receiver: f64| {
        let mut all = String::from(
            "iperf 3.12\nLinux dtn1 6.1.0-18-amd64 #1 SMP x86_64\n[  5] local 192.0.2.1 port 43210 connected to 198.51.100.2 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n",
        );
        for n in 0..10 {
            all += &format!(
                "[  5]  {n:>2}.00-{}.00  sec  1.05 GBytes  9.02 Gbits/sec    0   5.91 MBytes\n",
                n + 1
            );
        }
        all + &format!(
            "[  5]   0.00-10.00  sec  10.5 GBytes  9.02 Gbits/sec    0             sender
[  5]   0.00-10.00  sec  10.5 GBytes  9.02 Gbits/sec                  receiver
CPU Utilization: local/sender {sender}% (0.9%u/40.3%s), remote/receiver {receiver}% (3.1%u/96.6%s)
10 packets transmitted, 10 received, 0% packet loss, time 9009ms
rtt min/avg/max/mdev = 2.74/2.75/2.76/0.01 ms
"
        )
    };
    let known = farpath_diagnose::Known {
        window: Some("3100 kB".parse().expect("a size")),
        ..on("100 Gbit/s")
    };
    let flow = |sender: f64, receiver: f64| {
        let d = of_files(&[("ticket.txt", &ticket(sender, receiver))], &known);
        first_flow(d)
    };
    let full = flow(41.2, 99.7);
    assert_eq!(full.verdict.cause, "receive_window", "{:#?}", full.verdict);
    let window = &full.changes[0];
    let most = window.predicted_bps.unwrap_or(0.0);
    assert!(most < 10e9, "{window:#?}");
    // The processor goes with it: that is what the other end leaves then.
    let commands = full.changes.iter().flat_map(|c| &c.commands);
    assert!(
        commands.clone().any(|c| c.contains("top -H")),
        "{:#?}",
        full.changes
    );
    for change in &full.changes {
        assert!(change.predicted_bps.is_none_or(|b| b < 22e9), "{change:#?}");
    }
    let some = &flow(41.2, 70.0).changes[0];
    assert_eq!(some.then.as_ref().map(|t| t.cause), Some("host_cpu"));
    assert!(
        some.predicted_bps.is_some_and(|b| b > 12e9 && b < 13.5e9),
        "{some:#?}"
    );
    // Less than a quarter of its time says nothing of what comes first.
    let idle = &flow(15.0, 20.0).changes[0];
    assert!(idle.predicted_bps.is_some_and(|b| b > 90e9), "{idle:#?}");
}

/// 4.1 of 91 million segments, and nothing else: nothing was said of it.
#[test]
fn what_a_host_sent_again_of_all_is_said_where_nothing_else_is() {
    let counts = |again: u64| {
        format!(
            "web2$ nstat -az\n#kernel\nTcpOutSegs                      91234567           0.0\nTcpRetransSegs                  {again}            0.0\n"
        )
    };
    let notes = |again: u64| of(&[("web2.txt", &counts(again))]).notes.join("\n");
    let much = notes(4_102_312);
    assert!(
        much.contains("web2 sent 4.50 % of its TCP segments again"),
        "{much}"
    );
    assert!(!notes(1_023).contains("again since"));
}
