//! NFS: mounts, and what nfsiostat says of their requests.

use farpath_diagnose::{Diagnosis, Known};

use crate::of;

const MOUNT: &str = "dtn1:/export on /mnt/data type nfs4 (rw,relatime,vers=4.2,rsize=1048576,wsize=1048576,namlen=255,hard,proto=tcp,nconnect=2,timeo=600,retrans=2,sec=sys,clientaddr=192.0.2.10,local_lock=none,addr=198.51.100.20)\n";

const STAT: &str = "/mnt/data from dtn1:/export\n Flags:\trw,relatime,vers=4.2,rsize=1048576,wsize=1048576,proto=tcp,addr=198.51.100.20\n";

/// A report of nfsiostat: reads a second of so many KiB, and what each took, ms.
fn report(per_s: f64, kib: f64, [rtt, exe]: [f64; 2]) -> String {
    format!(
        "
dtn1:/export mounted on /mnt/data:

           ops/s       rpc bklog
          {per_s:.3}           0.000

read:              ops/s            kB/s           kB/op         retrans    avg RTT (ms)    avg exe (ms)  avg queue (ms)          errors
                  {per_s:.3}        {:.3}         {kib:.3}        0 (0.0%)          {rtt:.3}          {exe:.3}           0.012        0 (0.0%)
write:             ops/s            kB/s           kB/op         retrans    avg RTT (ms)    avg exe (ms)  avg queue (ms)          errors
                   0.000           0.000           0.000        0 (0.0%)           0.000           0.000           0.000        0 (0.0%)
",
        per_s * kib
    )
}

const PING: &str = "PING 198.51.100.20 (198.51.100.20) 56(84) bytes of data.\n\n--- 198.51.100.20 ping statistics ---\n20 packets transmitted, 20 received, 0% packet loss, time 19031ms\nrtt min/avg/max/mdev = 60.011/60.042/60.313/0.060 ms\n";

fn known() -> Known {
    crate::on("10Gbit/s")
}

fn read_whole(d: &Diagnosis) {
    assert!(d.read.iter().all(|p| p.tool != "unknown"), "{:?}", d.read);
}

/// One request of 128 KiB at a time, each of which takes the path's round trip: 16 a second, 17.0 Mbit/s.
#[test]
fn a_client_that_asks_for_little_at_a_time() {
    let since_mount = report(0.2, 90.0, [61.0, 61.4]);
    let text = format!(
        "{MOUNT}{since_mount}{}{PING}",
        report(16.2, 128.0, [61.3, 61.6])
    );
    let d = of(&text, &known());
    read_whole(&d);
    let flow = &d.flows[0];
    assert_eq!(flow.name, "dtn1 > receiver (NFS reads, /mnt/data)");
    let rate = flow.observed.goodput_bps.expect("it was counted");
    assert!((16.9e6..17.1e6).contains(&rate), "{rate}");
    let because = flow.verdict.because.join("\n");
    assert_eq!(flow.verdict.cause, "application", "{because}");
    let says = "1.0 requests of 131.1 kB each were on their way at a time, and each took 61.3 ms, which is the path's round trip";
    assert!(because.contains(says), "{because}");
    let commands = flow.changes[0].commands.join("\n");
    assert!(commands.contains("read_ahead_kb"), "{commands}");
}

/// Requests that take far longer than the path's round trip wait for the server.
#[test]
fn a_server_that_takes_its_time() {
    let text = format!(
        "{STAT}{}{}{PING}",
        report(0.2, 90.0, [61.0, 61.4]),
        report(4.1, 1024.0, [240.0, 241.0])
    );
    let d = of(&text, &known());
    read_whole(&d);
    let flow = &d.flows[0];
    let because = flow.verdict.because.join("\n");
    assert!(
        because.contains("each took 240 ms, of which the path's round trip is 60.0 ms"),
        "{because}"
    );
    assert!(
        !because.contains("waits for an answer before it asks"),
        "{because}"
    );
}

/// A mount alone, and one report, are known, and it is said what to give instead.
#[test]
fn what_says_no_rate_is_listed() {
    for (text, says) in [
        (MOUNT.to_owned(), "an NFS mount; nfsiostat 5 2 on its client"),
        (STAT.to_owned(), "an NFS mount; nfsiostat 5 2 on its client"),
        ("dtn1:/export /mnt/data nfs4 rw,vers=4.2,rsize=131072,wsize=131072,addr=198.51.100.20 0 0\n".to_owned(), "an NFS mount"),
        (report(16.2, 128.0, [61.3, 61.6]), "one report of nfsiostat is of all the time since the mount"),
    ] {
        let d = of(&text, &known());
        read_whole(&d);
        assert!(d.notes.iter().any(|n| n.contains(says)), "{says}: {:?}", d.notes);
        assert_eq!(d.flows[0].verdict.cause, "unknown");
    }
}
