//! A program that reads slowly: what stands in its socket whenever it is read, and a window that is small beside that.

use farpath_diagnose::{FlowReport, Known, diagnose, read};
use farpath_observe::Flight;
use farpath_record::trace::{TraceConnection, TraceDirection};
use farpath_units::{Duration, Time};

use crate::{because, commands, first_flow, of_files};

/// Between real kernels, 34 ms: the receiver's program reads 60 kB and sleeps 20 ms.
const SENDER: &str = "\
backup1:~$ ping -c 5 10.9.3.2
PING 10.9.3.2 (10.9.3.2) 56(84) bytes of data.
64 bytes from 10.9.3.2: icmp_seq=1 ttl=62 time=35.9 ms
64 bytes from 10.9.3.2: icmp_seq=2 ttl=62 time=38.3 ms
64 bytes from 10.9.3.2: icmp_seq=3 ttl=62 time=34.4 ms
64 bytes from 10.9.3.2: icmp_seq=4 ttl=62 time=40.0 ms
64 bytes from 10.9.3.2: icmp_seq=5 ttl=62 time=34.4 ms

--- 10.9.3.2 ping statistics ---
5 packets transmitted, 5 received, 0% packet loss, time 814ms
rtt min/avg/max/mdev = 34.386/36.601/40.007/2.223 ms

backup1:~$ ss -tinm dst 10.9.3.2
State Recv-Q Send-Q  Local Address:Port  Peer Address:PortProcess
ESTAB 0      2009336      10.9.1.1:45606     10.9.3.2:5201
\t skmem:(r0,rb131072,t0,tb2598912,f8,w2072568,o0,bl0,d0) bbr wscale:7,10 rto:256 rtt:54.217/0.228 mss:1348 pmtu:1400 rcvmss:536 advmss:1348 cwnd:212 ssthresh:146 bytes_sent:10177932 bytes_acked:10053917 segs_out:7570 segs_in:232 data_segs_out:7568 bbr:(bw:24916584bps,mrtt:34.19,pacing_gain:1,cwnd_gain:2) send 42167733bps lastrcv:3568 lastack:8 pacing_rate 24667416bps delivery_rate 24676144bps delivered:7477 busy:3568ms rwnd_limited:504ms(14.1%) unacked:92 rcv_space:13480 rcv_ssthresh:64188 notsent:1885320 minrtt:34.19 snd_wnd:177920

backup1:~$ ss -tinm dst 10.9.3.2
State Recv-Q Send-Q  Local Address:Port  Peer Address:PortProcess
ESTAB 0      2364604      10.9.1.1:45606     10.9.3.2:5201
\t skmem:(r0,rb131072,t0,tb2598912,f964,w2436156,o0,bl0,d0) bbr wscale:7,10 rto:256 rtt:54.196/0.681 mss:1348 pmtu:1400 rcvmss:536 advmss:1348 cwnd:276 ssthresh:146 bytes_sent:12571352 bytes_acked:12416217 segs_out:9350 segs_in:272 data_segs_out:9348 bbr:(bw:27694024bps,mrtt:34.19,pacing_gain:1.25,cwnd_gain:2) send 54918887bps lastsnd:4 lastrcv:4388 lastack:16 pacing_rate 34271352bps delivery_rate 24000592bps delivered:9233 busy:4388ms rwnd_limited:580ms(13.2%) unacked:116 rcv_space:13480 rcv_ssthresh:64188 notsent:2209468 minrtt:34.19 snd_wnd:156416

backup1:~$ ss -tinm dst 10.9.3.2
State Recv-Q Send-Q  Local Address:Port  Peer Address:PortProcess
ESTAB 0      1779268      10.9.1.1:45606     10.9.3.2:5201
\t skmem:(r0,rb131072,t0,tb2598912,f1404,w1849988,o0,bl0,d0) bbr wscale:7,10 rto:256 rtt:54.092/0.203 mss:1348 pmtu:1400 rcvmss:536 advmss:1348 cwnd:220 ssthresh:146 bytes_sent:14971080 bytes_acked:14813265 segs_out:11133 segs_in:312 data_segs_out:11131 bbr:(bw:25272040bps,mrtt:34.19,pacing_gain:1.25,cwnd_gain:2) send 43860090bps lastsnd:4 lastrcv:5200 lastack:16 pacing_rate 31274152bps delivery_rate 24014840bps delivered:11014 busy:5200ms rwnd_limited:672ms(12.9%) unacked:118 rcv_space:13480 rcv_ssthresh:64188 notsent:1621452 minrtt:34.19 snd_wnd:159104
";
const RECEIVER: &str = "\
backup2:~$ ss -tmn
State Recv-Q Send-Q Local Address:Port Peer Address:Port Process
ESTAB 45236  0           10.9.3.2:5201     10.9.1.1:45606
\t skmem:(r78336,rb335473,t0,tb69120,f3584,w0,o0,bl0,d0)
backup2:~$ ss -tmn
State Recv-Q Send-Q Local Address:Port Peer Address:Port Process
ESTAB 98656  0           10.9.3.2:5201     10.9.1.1:45606
\t skmem:(r170496,rb335473,t0,tb69120,f1536,w0,o0,bl0,d0)
backup2:~$ ss -tmn
State Recv-Q Send-Q Local Address:Port Peer Address:Port Process
ESTAB 51864  0           10.9.3.2:5201     10.9.1.1:45606
\t skmem:(r89856,rb335473,t0,tb69120,f256,w0,o0,bl0,d0)
";

fn known() -> Known {
    Known {
        measured: Some("23Mbit/s".parse().expect("a rate")),
        line: Some("1Gbit/s".parse().expect("a rate")),
        ..Known::default()
    }
}

fn flow(sender: &str, receiver: &str) -> FlowReport {
    first_flow(of_files(
        &[("sender.txt", sender), ("receiver.txt", receiver)],
        &known(),
    ))
}

/// Readings of the receiver's socket.
fn readings(bytes: &[u32]) -> String {
    let each = bytes.iter().map(|b| {
        format!(
            "backup2:~$ ss -tmn\nState Recv-Q Send-Q Local Address:Port Peer Address:Port Process\nESTAB {b} 0 10.9.3.2:5201 10.9.1.1:45606\n\t skmem:(r0,rb335473,t0,tb69120,f256,w0,o0,bl0,d0)\n"
        )
    });
    each.collect()
}

/// The samples of the sender's socket in another order: the window is not full in the last of them.
fn turned() -> String {
    let mut parts: Vec<&str> = SENDER.split("backup1:~$ ss").collect();
    parts.swap(1, 3);
    parts.join("backup1:~$ ss")
}

#[test]
fn what_stands_in_every_reading_is_the_program_and_not_its_window() {
    let settings = "$ sysctl net.ipv4.tcp_rmem net.core.rmem_max\nnet.ipv4.tcp_rmem = 4096\t131072\t33554432\nnet.core.rmem_max = 212992\n";
    let tuned = RECEIVER.to_owned() + "\n" + settings;
    let turned = turned();
    for (sender, receiver) in [(SENDER, RECEIVER), (SENDER, &tuned), (&turned, RECEIVER)] {
        let flow = flow(sender, receiver);
        let verdict = &flow.verdict;
        assert_eq!(verdict.cause, "client", "{verdict:#?}");
        assert!(verdict.confidence > 0.8, "{verdict:#?}");
        let because = because(&flow);
        assert!(because.contains("45236 bytes and more stood"), "{because}");
        let commands = commands(&flow);
        assert!(!commands.contains("sysctl -w"), "{commands}");
    }
}

#[test]
fn a_reading_or_two_of_a_program_that_keeps_up_leave_the_window() {
    for bytes in [&[12_000][..], &[0, 12_000, 0], &[9_000, 3_000, 0, 0]] {
        let flow = flow(SENDER, &readings(bytes));
        assert_eq!(
            flow.verdict.cause, "receive_window",
            "{bytes:?} {:#?}",
            flow.verdict
        );
        assert!(flow.verdict.confidence > 0.8, "{:#?}", flow.verdict);
    }
}

/// Readings of a receiver's socket in which its whole buffer stands, and what its host is busy with.
fn stands(bytes: [u32; 3], host: &str) -> String {
    let each = bytes.iter().map(|b| {
        format!(
            "recv$ ss -tmn sport = :1521\nState Recv-Q Send-Q Local Address:Port Peer Address:Port\nESTAB {b} 0 10.9.0.2:1521 10.8.0.2:44120\n\t skmem:(r6291456,rb6291456,t0,tb87040,f0,w0,o0,bl0,d0)\n"
        )
    });
    each.collect::<String>() + host
}

const FULL: &str = "recv$ top -b -n1 | head -9
top - 03:12:44 up 41 days,  2:11,  1 user,  load average: 1.02, 1.01, 0.98
Tasks: 121 total,   2 running, 119 sleeping,   0 stopped,   0 zombie
%Cpu(s): 12.6 us,  0.4 sy,  0.0 ni, 86.9 id,  0.0 wa,  0.0 hi,  0.1 si,  0.0 st
MiB Mem :  32012.1 total,  21012.0 free,   3011.1 used,   7989.0 buff/cache
MiB Swap:      0.0 total,      0.0 free,      0.0 used.  28511.2 avail Mem

    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND
   4711 ingest    20   0  812344 210032   9012 R  99.7   0.6   9120:11 ingestd
";

/// What stands in each of three readings, and is a good part of the buffer, needs no rate: the program does not read.
#[test]
fn a_program_that_is_seen_not_to_read_needs_no_rate() {
    let of = |text: &str| {
        let d = of_files(&[("receiver.txt", text)], &Known::default());
        first_flow(d)
    };
    let flow = of(&stands([6_012_944, 6_100_880, 6_045_208], ""));
    assert_eq!(flow.verdict.cause, "client", "{:#?}", flow.verdict);
    assert!(
        because(&flow).contains("6012944 bytes and more stood"),
        "{:#?}",
        flow.verdict
    );
    let flow = of(&stands([6_012_944, 6_100_880, 6_045_208], FULL));
    assert!(
        ["client", "host_cpu"].contains(&flow.verdict.cause),
        "{:#?}",
        flow.verdict
    );
    // A socket that is empty now and then is read.
    let flow = of(&stands([0, 6_100_880, 20_000], ""));
    assert_eq!(flow.verdict.cause, "unknown", "{:#?}", flow.verdict);
}

/// A capture of 16 Mbit/s over 30 ms, taken at an end. Two thirds of the time the window is full, and for this part of each ten milliseconds it
/// is far smaller than the 812032 bytes that it once had.
fn captured(vantage: &str, held_us: u64) -> FlowReport {
    const ROUNDS: u64 = 812;
    let bytes = 20_000 * ROUNDS;
    let shares = [
        ("receive_window", 0.68),
        ("unknown", 0.25),
        ("cwnd_slow_start", 0.07),
    ];
    let a2b = TraceDirection {
        unique_bytes: bytes,
        segments: bytes / 1448,
        mss: Some(1448),
        goodput_bps: 16_000_000,
        window_scale: Some(10),
        window_max_bytes: 812_032,
        flight_max_bytes: 790_000,
        limit_shares: shares.map(|(word, share)| (word.to_owned(), share)).into(),
        ..TraceDirection::default()
    };
    let connection = TraceConnection {
        id: 1,
        a: "192.0.2.1:40000".to_owned(),
        b: "198.51.100.2:7000".to_owned(),
        vantage: vantage.to_owned(),
        duration_ns: ROUNDS * 10_000_000,
        handshake_rtt_ns: Some(30_200_000),
        a2b,
        ..TraceConnection::default()
    };
    let mut analysis = crate::analysis(connection, bytes, [30.2, 32.0, 66.0]);
    let at = |n: u64| Time::ZERO + Duration::from_ms(10 * n);
    let flight = |n: u64| Flight {
        from: at(n),
        until: at(n + 1),
        window: Duration::from_us(6700),
        held: Duration::from_us(held_us),
        sent: 20_000,
        delivered: 20_000,
        peak: 60_000,
        packets: 14,
        ..Flight::default()
    };
    let seen = analysis.found[0][0].observed.as_mut().expect("it has data");
    seen.finished = at(ROUNDS);
    seen.lasted = Some(Duration::from_ms(10 * ROUNDS));
    seen.flights = (0..ROUNDS).map(flight).collect();
    let mut facts = read(&[]);
    facts.capture("end.pcapng", &analysis);
    first_flow(diagnose(&facts, "0"))
}

/// A window that shrinks and stays full is what a program leaves of its buffer: no setting of either end is its limit, wherever that is seen.
#[test]
fn a_captured_window_that_shrinks_is_that_of_a_program_that_does_not_read() {
    for vantage in ["sender_of_a", "sender_of_b"] {
        let flow = captured(vantage, 6700);
        let verdict = &flow.verdict;
        assert_eq!(verdict.cause, "client", "{vantage}: {verdict:#?}");
        assert!(verdict.confidence > 0.8, "{vantage}: {verdict:#?}");
        let why = because(&flow);
        let said = "shrank from 812.0 kB to 60.0 kB, and was full so for 67 % of the time";
        assert!(why.contains(said), "{why}");
        let all = commands(&flow);
        for setting in ["tcp_rmem=", "tcp_wmem="] {
            assert!(!all.contains(setting), "{all}");
        }
    }
    // One that stays as large as it was is a window.
    let flow = captured("sender_of_a", 0);
    assert_ne!(flow.verdict.cause, "client", "{:#?}", flow.verdict);
}
