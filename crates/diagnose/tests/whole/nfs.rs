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

/// 780 writes of 8 kB a second take 41.2 ms each over 0.17 ms, while reads take 0.8 ms: the server's, and the client changes nothing.
#[test]
fn writes_that_take_a_hundred_round_trips_wait_at_the_server() {
    let report = |[reads, writes]: [f64; 2], [read_ms, write_ms]: [f64; 2]| {
        let row = |per_s: f64, kib: f64, rtt: f64| {
            format!(
                "                  {per_s:.3}         {:.3}          {kib:.3}        0 (0.0%)           {rtt:.3}           {:.3}           0.040        0 (0.0%)\n",
                per_s * kib,
                rtt + 0.1
            )
        };
        let head = |way: &str| {
            format!(
                "{way:<18} ops/s            kB/s           kB/op         retrans    avg RTT (ms)    avg exe (ms)  avg queue (ms)          errors\n"
            )
        };
        format!(
            "filer:/vol/app mounted on /app:\n\n           ops/s       rpc bklog\n         812.200           0.000\n\n{}{}{}{}\n",
            head("read:"),
            row(reads, 10.0, read_ms),
            head("write:"),
            row(writes, 8.0, write_ms)
        )
    };
    let ping = "app9$ ping -c 3 -q filer\nPING filer (10.2.0.30) 56(84) bytes of data.\n\n--- filer ping statistics ---\n3 packets transmitted, 3 received, 0% packet loss, time 2052ms\nrtt min/avg/max/mdev = 0.151/0.170/0.190/0.016 ms\n";
    let text = |read_ms: f64| {
        let since_mount = report([11.8, 98.2], [read_ms, 38.7]);
        let now = report([11.8, 780.2], [read_ms, 41.2]);
        format!("app9$ nfsiostat 5 2\n{since_mount}{now}{ping}")
    };
    let d = of(&text(0.8), &known());
    let flow = &d.flows[0];
    let because = flow.verdict.because.join("\n");
    assert_eq!(flow.verdict.cause, "client", "{:#?}", flow.verdict);
    assert!(flow.verdict.confidence > 0.8, "{:#?}", flow.verdict);
    assert!(
        because.contains("99.6 % of each of these writes"),
        "{because}"
    );
    let change = &flow.changes[0];
    assert_eq!(
        (change.host.as_str(), change.predicted_bps),
        ("filer", None)
    );
    let commands = change.commands.join("\n");
    assert!(commands.contains("iostat -x"), "{commands}");
    assert!(!commands.contains("nconnect"), "{commands}");
    // Reads that wait as long may wait in a queue of the path.
    let d = of(&text(39.0), &known());
    let because = d.flows[0].verdict.because.join("\n");
    assert!(!because.contains("is spent at the server"), "{because}");
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

/// 16 requests of 32 KiB each 40.6 ms are 103 Mbit/s: more in number than a program that waits for each, and none waits on the way.
#[test]
fn a_client_that_asks_for_no_more_at_a_time() {
    let mount = "client$ mount | grep nfs\nfiler:/vol1 on /mnt type nfs (rw,relatime,vers=3,rsize=32768,wsize=32768,namlen=255,hard,proto=tcp,timeo=600,retrans=2,sec=sys,addr=10.0.9.9)\n";
    let dd = "client$ dd if=/mnt/big of=/dev/null bs=1M count=500\n500+0 records in\n500+0 records out\n524288000 bytes (524 MB, 500 MiB) copied, 41.2 s, 12.7 MB/s\n";
    let ping = "client$ ping -c 5 -q filer\n--- 10.0.9.9 ping statistics ---\n5 packets transmitted, 5 received, 0% packet loss, time 4004ms\nrtt min/avg/max/mdev = 40.0/40.1/40.2/0.1 ms\n";
    let stat = report(388.0, 32.0, [40.6, 40.7]).replace("dtn1:/export", "filer:/vol1");
    let stat = stat.replace("/mnt/data", "/mnt");
    let text = format!("{mount}{dd}{ping}client$ nfsiostat 5 2{stat}{stat}");
    let d = of(&text, &Known::default());
    let flow = &d.flows[0];
    let because = flow.verdict.because.join("\n");
    assert_eq!(flow.verdict.cause, "application", "{because}");
    let says = "15.8 requests of 32.8 kB each were on their way at a time";
    assert!(because.contains(says), "{because}");
    assert!(because.contains("nothing waits on the way"), "{because}");
    // What dd measured is the same transfer.
    assert!(!because.contains("disk was read"), "{because}");
    let note = "/mnt/big lies on the network's file system at /mnt:";
    assert!(d.notes.iter().any(|n| n.contains(note)), "{:?}", d.notes);
    let commands = flow.changes[0].commands.join("\n");
    assert!(commands.contains("nconnect"), "{commands}");
}

/// `fio` names its file in an option, or the folder of its files.
#[test]
fn a_file_of_fio_on_a_mount_is_a_transfer() {
    let mount = "dtn1:/srv on /mnt/far type fuse.sshfs (rw,nosuid,nodev,relatime)\n";
    let read = "   READ: bw=11.8MiB/s (12.4MB/s), 11.8MiB/s-11.8MiB/s (12.4MB/s-12.4MB/s), io=512MiB (537MB), run=43390-43390msec\n";
    for (option, named) in [
        ("--filename=/mnt/far/big", "/mnt/far/big lies on"),
        ("--directory=/mnt/far", "/mnt/far lies on"),
    ] {
        let fio = format!("client$ fio --name=r {option} --rw=read --bs=1M --size=512M\n{read}");
        let d = of(&format!("{mount}{fio}"), &known());
        let notes = d.notes.join("\n");
        assert!(notes.contains(named), "{notes}");
    }
}

/// The same file beside the mount is of a disk.
#[test]
fn a_file_beside_a_mount_is_of_a_disk() {
    let dd = "$ dd if=/srv/big of=/dev/null bs=1M count=500\n500+0 records in\n500+0 records out\n524288000 bytes (524 MB, 500 MiB) copied, 41.2 s, 12.7 MB/s\n";
    let d = of(&format!("{MOUNT}{dd}"), &known());
    assert!(
        !d.notes.iter().any(|n| n.contains("lies on the network")),
        "{:?}",
        d.notes
    );
}

/// A mount with `sync` has each write wait: one of 64 KiB in each round trip of 20.1 ms are 26.1 Mbit/s, and of 16 KiB a quarter of that.
#[test]
fn a_mount_with_sync_waits_for_each_write() {
    let mount = "client$ grep nfs /proc/mounts\nfiler:/vol1 /mnt nfs4 rw,relatime,sync,vers=4.1,rsize=65536,wsize=65536,namlen=255,hard,proto=tcp,timeo=600,retrans=2,sec=sys,clientaddr=10.0.0.5,local_lock=none,addr=10.9.0.9 0 0\n";
    let ping = "client$ ping -c 5 -q filer\n5 packets transmitted, 5 received, 0% packet loss, time 4008ms\nrtt min/avg/max/mdev = 20.001/20.122/20.400/0.110 ms\n";
    let dd = |piece: &str, bytes: &str| {
        format!(
            "client$ dd if=/dev/zero of=/mnt/x bs={piece} count=2000\n2000+0 records in\n2000+0 records out\n{bytes} copied, 42.1 s, 3.1 MB/s\n"
        )
    };
    for (piece, bytes, says) in [
        (
            "64k",
            "131072000 bytes (131 MB, 125 MiB)",
            "one write of 65.5 kB in each round trip",
        ),
        (
            "16k",
            "32768000 bytes (33 MB, 31 MiB)",
            "one write of 16.4 kB in each round trip",
        ),
    ] {
        let text = format!("{mount}{}{ping}", dd(piece, bytes));
        let d = of(&text, &known());
        let flow = &d.flows[0];
        let because = flow.verdict.because.join("\n");
        assert_eq!(flow.verdict.cause, "application", "{because}");
        assert!(because.contains(says), "{because}");
        assert!(because.contains("has the option sync"), "{because}");
        let commands = flow.changes[0].commands.join("\n");
        assert!(commands.contains("without the option sync"), "{commands}");
        // What is to be mounted says the same, where the text has no more of it.
        let table = "client$ grep nfs /etc/fstab\nfiler:/vol1 /mnt nfs4 defaults,sync 0 0\n";
        let d = of(&text.replace(mount, table), &known());
        let because = d.flows[0].verdict.because.join("\n");
        assert!(because.contains(says), "{because}");
        // Without the option nothing is said of it.
        let without = text.replace("relatime,sync,", "relatime,");
        let d = of(&without, &known());
        let because = d.flows[0].verdict.because.join("\n");
        assert!(!because.contains("option sync"), "{because}");
    }
}

/// 8000 writes of 64 KiB in 34.9 s are 4.36 ms each, of which the path is 0.21: the server commits each before it answers.
#[test]
fn a_server_that_commits_each_write_takes_its_time() {
    let mount = "client$ mount | grep proj\nnas:/proj on /proj type nfs4 (rw,relatime,sync,vers=4.2,rsize=1048576,wsize=1048576,namlen=255,hard,proto=tcp,timeo=600,retrans=2,sec=sys,clientaddr=10.5.0.2,local_lock=none,addr=10.5.0.9)\n";
    let dd = "client$ dd if=/dev/zero of=/proj/t bs=64k count=8000\n8000+0 records in\n8000+0 records out\n524288000 bytes (524 MB, 500 MiB) copied, 34.9 s, 15.0 MB/s\n";
    let ping = "client$ ping -c 5 -q nas\n5 packets transmitted, 5 received, 0% packet loss, time 4008ms\nrtt min/avg/max/mdev = 0.200/0.210/0.220/0.007 ms\n";
    let text = format!("{mount}{dd}{ping}");
    let flow = crate::first_flow(of(&text, &known()));
    let because = flow.verdict.because.join("\n");
    assert_eq!(flow.verdict.cause, "application", "{because}");
    for says in [
        "one write of 65.5 kB takes 4.4 ms",
        "has the option sync",
        "the server's commit of each write takes the rest",
    ] {
        assert!(because.contains(says), "{says}: {because}");
    }
    let commands = flow.changes[0].commands.join("\n");
    assert!(commands.contains("without the option sync"), "{commands}");
}

/// What nfsiostat counts of such a mount names the option as well, and no size that the mount has already.
#[test]
fn a_mount_with_sync_and_the_largest_writes() {
    let mount = MOUNT.replace("relatime,", "relatime,sync,");
    let writes = report(16.2, 1024.0, [61.3, 61.6])
        .replace("read:", "w:")
        .replace("write:", "read:")
        .replace("w:", "write:");
    let d = of(&format!("{mount}{writes}{writes}{PING}"), &known());
    let flow = &d.flows[0];
    let because = flow.verdict.because.join("\n");
    assert_eq!(flow.verdict.cause, "application", "{because}");
    assert!(because.contains("has the option sync"), "{because}");
    let commands = flow.changes[0].commands.join("\n");
    assert!(commands.contains("without the option sync"), "{commands}");
    assert!(!commands.contains("wsize=1048576"), "{commands}");
}

/// Without a report of nfsiostat what `dd` moved is the rate of the transfer, from the server to its client.
#[test]
fn what_dd_moved_on_a_mount_is_a_transfer() {
    let dd = "$ dd if=/mnt/data/big of=/dev/null bs=1M count=500\n500+0 records in\n500+0 records out\n524288000 bytes (524 MB, 500 MiB) copied, 41.2 s, 12.7 MB/s\n";
    let d = of(&format!("{MOUNT}{dd}{PING}"), &known());
    let flow = &d.flows[0];
    assert_eq!(flow.name, "dtn1 > receiver (NFS reads, /mnt/data)");
    let bps = flow.observed.goodput_bps.expect("dd says it");
    assert!((bps / 101.8e6 - 1.0).abs() < 0.01, "{bps}");
    assert_ne!(flow.verdict.cause, "disk", "{:#?}", flow.verdict);
}

/// The server's address is in `mountaddr`, too, where the options have no `addr`: a ping of it is of the path.
#[test]
fn a_mounts_address_and_its_servers_name_are_one_host() {
    let mount = "filer:/vol1 on /mnt type nfs (rw,vers=3,rsize=32768,wsize=32768,proto=tcp,mountaddr=10.0.9.9)\n";
    let dd = "$ dd if=/mnt/big of=/dev/null bs=1M count=500\n500+0 records in\n500+0 records out\n524288000 bytes (524 MB, 500 MiB) copied, 41.2 s, 12.7 MB/s\n";
    let ping = PING.replace("198.51.100.20", "10.0.9.9");
    let d = of(&format!("{mount}{dd}{ping}"), &known());
    let flow = &d.flows[0];
    assert_eq!(flow.name, "filer > receiver (NFS reads, /mnt)");
    let rtt = flow.observed.rtt_ns.expect("it was pinged");
    assert!((rtt - 60.042e6).abs() < 5e5, "{rtt}");
}

/// 61440 bytes in each round trip of 72.09 ms are 6.818 Mbit/s, which is what `dd` read: one request of SMB at a time.
#[test]
fn one_request_of_smb_at_a_time() {
    let options =
        "rw,relatime,vers=1.0,cache=none,addr=10.70.1.5,soft,unix,rsize=61440,wsize=65536";
    let dd = "edge7$ dd if=/mnt/images/a.iso of=/dev/null bs=1M count=50\n50+0 records in\n50+0 records out\n52428800 bytes (52 MB, 50 MiB) copied, 61.5 s, 852 kB/s\n";
    let ping = PING.replace("198.51.100.20", "10.70.1.5");
    let ping = ping.replace("60.011/60.042/60.313/0.060", "72.002/72.090/72.210/0.070");
    for mount in [
        format!("//10.70.1.5/images on /mnt/images type cifs ({options})\n"),
        format!("//10.70.1.5/images /mnt/images cifs {options} 0 0\n"),
    ] {
        let d = of(&format!("{mount}{dd}{ping}"), &crate::on("1Gbit/s"));
        read_whole(&d);
        let flow = &d.flows[0];
        assert_eq!(flow.name, "10.70.1.5 > receiver (SMB reads, /mnt/images)");
        let bps = flow.observed.goodput_bps.expect("dd says it");
        assert!((bps / 6.82e6 - 1.0).abs() < 0.01, "{bps}");
        let because = flow.verdict.because.join("\n");
        assert_eq!(flow.verdict.cause, "application", "{because}");
        let says = "the rate is one request of 61.4 kB in each round trip of 72.1 ms";
        assert!(because.contains(says), "{because}");
        let commands = flow.changes[0].commands.join("\n");
        assert!(commands.contains("vers=3.1.1"), "{commands}");
        // Over half the way two are under way at a time, and the sentence is left out.
        let near = ping.replace("72.002/72.090/72.210", "36.002/36.090/36.210");
        let d = of(&format!("{mount}{dd}{near}"), &crate::on("1Gbit/s"));
        let because = d.flows[0].verdict.because.join("\n");
        assert!(!because.contains("one request of"), "{because}");
    }
}

/// 32 KiB in each round trip of 39.9 ms, past the cache: what is read ahead changes nothing about that.
#[test]
fn a_test_past_the_cache_makes_its_own_limit() {
    let mount = "client$ grep nfs /proc/mounts\nfiler:/vol1 /mnt nfs4 rw,relatime,vers=4.1,rsize=32768,wsize=32768,namlen=255,hard,proto=tcp,timeo=600,retrans=2,sec=sys,clientaddr=10.2.0.7,local_lock=none,addr=10.9.1.2 0 0\n";
    let ping = "client$ ping -c 3 -q filer\n3 packets transmitted, 3 received, 0% packet loss, time 2003ms\nrtt min/avg/max/mdev = 39.871/39.940/40.010/0.056 ms\n";
    let dd = |flags: &str| {
        format!(
            "client$ dd if=/mnt/plate of=/dev/null bs=32k{flags}\n32768+0 records in\n32768+0 records out\n1073741824 bytes (1.1 GB, 1.0 GiB) copied, 1330.44 s, 807 kB/s\n"
        )
    };
    for (flags, direct) in [(" iflag=direct", true), ("", false)] {
        let d = of(&format!("{mount}{}{ping}", dd(flags)), &known());
        let flow = &d.flows[0];
        let because = flow.verdict.because.join("\n");
        assert_eq!(flow.verdict.cause, "application", "{because}");
        assert_eq!(because.contains("O_DIRECT"), direct, "{because}");
        let commands = flow.changes[0].commands.join("\n");
        let says = "the test makes its own limit";
        assert_eq!(commands.contains(says), direct, "{commands}");
        assert_eq!(commands.contains("read_ahead_kb"), !direct, "{commands}");
    }
}

/// 34.3 MB/s over 3.82 ms are 131 kB in each round trip, two requests of 64 KiB: what Linux reads ahead, and no buffer of that size.
#[test]
fn what_is_read_ahead_holds_a_reader() {
    let mount = "nas:/export on /mnt/nfs type nfs4 (rw,relatime,vers=4.2,rsize=65536,wsize=65536,namlen=255,hard,proto=tcp,timeo=600,retrans=2,sec=sys,clientaddr=192.0.2.10,local_lock=none,addr=198.51.100.20)\n";
    let dd = "$ dd if=/mnt/nfs/big of=/dev/null bs=1M count=2000\n2000+0 records in\n2000+0 records out\n2097152000 bytes (2.1 GB, 2.0 GiB) copied, 61.2 s, 34.3 MB/s\n";
    let ping = PING.replace("60.011/60.042/60.313", "3.800/3.820/3.900");
    let of = |said: &str| of(&format!("{mount}{dd}{said}{ping}"), &known());
    let d = of("$ cat /sys/class/bdi/0:52/read_ahead_kb\n128\n");
    read_whole(&d);
    let flow = &d.flows[0];
    let because = flow.verdict.because.join("\n");
    assert_eq!(flow.verdict.cause, "application", "{:#?}", flow.verdict);
    let says = "as much as the client asks for ahead of its program (read_ahead_kb 128)";
    assert!(because.contains(says), "{because}");
    let commands = flow.changes[0].commands.join("\n");
    assert!(commands.contains("read_ahead_kb"), "{commands}");
    // Nobody said how much that is: it is what the kernel has by itself.
    let d = of("");
    let because = d.flows[0].verdict.because.join("\n");
    assert!(because.contains("by itself since 5.4"), "{because}");
    // One that reads far more ahead is held by something else.
    let d = of("$ cat /sys/class/bdi/0:52/read_ahead_kb\n15360\n");
    let because = d.flows[0].verdict.because.join("\n");
    assert!(!because.contains("read_ahead_kb"), "{because}");
}

/// 8.8 MB/s of a mount beside 919 Mbit/s of iperf3 the same way, between the same hosts: windows and buffers shared the verdict.
#[test]
fn a_mount_that_is_far_slower_than_a_test_between_the_same_hosts() {
    let mount = "10.20.5.5:/export on /data type nfs4 (rw,relatime,vers=4.2,rsize=131072,wsize=131072,namlen=255,hard,proto=tcp,timeo=600,retrans=2,sec=sys,clientaddr=10.20.0.11,local_lock=none,addr=10.20.5.5)\n";
    let dd = "$ dd if=/data/run42.root of=/dev/null bs=1M count=2000\n2000+0 records in\n2000+0 records out\n2097152000 bytes (2.1 GB, 2.0 GiB) copied, 239.1 s, 8.8 MB/s\n";
    let test = "$ iperf3 -c 10.20.5.5 -R -t 10\nConnecting to host 10.20.5.5, port 5201\nReverse mode, remote host 10.20.5.5 is sending\n[  5] local 10.20.0.11 port 50001 connected to 10.20.5.5 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr\n[  5]   0.00-10.00  sec  1.08 GBytes   927 Mbits/sec    0             sender\n[  5]   0.00-10.06  sec  1.08 GBytes   919 Mbits/sec                  receiver\n";
    let ping = PING.replace("198.51.100.20", "10.20.5.5");
    let ping = ping.replace("60.011/60.042/60.313", "29.900/30.000/30.200");
    let text = format!("{mount}{dd}{test}{ping}");
    let of_mount = |text: &str| {
        let d = of(text, &Known::default());
        let flow = d.flows.into_iter().find(|f| f.name.contains("NFS reads"));
        flow.expect("dd says its rate")
    };
    for text in [&text, &text.replace("clientaddr=10.20.0.11,", "")] {
        let flow = of_mount(text);
        let because = flow.verdict.because.join("\n");
        assert_eq!(flow.verdict.cause, "application", "{:#?}", flow.verdict);
        for says in [
            "iperf3 between the same hosts got 919 Mbit/s",
            "2.0 requests of 131.1 kB in each round trip of 30.0 ms",
        ] {
            assert!(because.contains(says), "{says}: {because}");
        }
        let commands = flow.changes[0].commands.join("\n");
        assert!(commands.contains("nconnect=8"), "{commands}");
    }
    // A test of another client says nothing of this one.
    let flow = of_mount(&text.replace("local 10.20.0.11", "local 10.20.0.99"));
    let because = flow.verdict.because.join("\n");
    assert!(!because.contains("between the same hosts"), "{because}");
}
