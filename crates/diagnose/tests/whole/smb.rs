//! Copies by SMB, whose dialect a text shows.

use farpath_diagnose::Known;

use crate::{because, commands, of};

/// A copy of 65536 bytes in each round trip of 80 ms, 6.5536 Mbit/s, and the dialect that its connection speaks.
fn ticket(dialect: &str) -> String {
    format!(
        "C:\\> robocopy \\\\hq\\iso D:\\iso big.iso
------------------------------------------------------------------------------
               Total    Copied   Skipped  Mismatch    FAILED    Extras
    Dirs :         1         0         1         0         0         0
   Files :         1         1         0         0         0         0
   Bytes :   9.765 g   9.765 g         0         0         0         0
   Times :   3:33:12   3:33:12                       0:00:00   0:00:00

   Speed :              819200 Bytes/sec.
   Speed :              46.875 MegaBytes/min.
C:\\> ping hq
Reply from 10.1.1.1: bytes=32 time=80ms TTL=120
Reply from 10.1.1.1: bytes=32 time=80ms TTL=120

Ping statistics for 10.1.1.1:
    Packets: Sent = 4, Received = 4, Lost = 0 (0% loss),
Approximate round trip times in milli-seconds:
    Minimum = 80ms, Maximum = 80ms, Average = 80ms
PS C:\\> Get-SmbConnection
ServerName ShareName UserName     Credential   Dialect NumOpens
---------- --------- --------     ----------   ------- --------
hq         iso       CORP\\jdoe    CORP\\jdoe    {dialect}     1
"
    )
}

const TEST: &str = "PS> iperf3.exe -c hq -R -t 10
[  4] local 10.9.1.7 port 51022 connected to 10.1.1.1 port 5201
[  4]   0.00-10.00  sec   220 MBytes   185 Mbits/sec    0             sender
[  4]   0.00-10.00  sec   219 MBytes   184 Mbits/sec                  receiver
";

/// One request under way is the program's, whether a test shows larger windows or not.
#[test]
fn one_request_of_smb_1_is_the_programs() {
    for text in [ticket("1.5"), ticket("1.5") + TEST] {
        let d = of(&text, &Known::default());
        let flow = &d.flows[0];
        let because = because(flow);
        assert_eq!(flow.verdict.cause, "application", "{because}");
        let says = "the rate is 65.5 kB in each round trip of 80.0 ms: by SMB 1";
        assert!(because.contains(says), "{because}");
        let commands = commands(flow);
        assert!(commands.contains("EnableSMB2Protocol"), "{commands}");
    }
}

/// A later dialect has many under way, and another rate is not that of one.
#[test]
fn other_dialects_and_rates_are_not_one_request() {
    let faster = ticket("1.5").replace("819200", "1638400");
    for text in [ticket("3.1.1"), faster] {
        let d = of(&text, &Known::default());
        let because = because(&d.flows[0]);
        assert!(!because.contains("by SMB 1"), "{because}");
    }
}

/// 40 211 files in 9062 s over 28 ms: 8.0 round trips for each, one file after another.
#[test]
fn many_small_files_wait_for_round_trips_of_their_own() {
    let text = "PS C:\\> ping fs-dublin

Pinging fs-dublin [10.12.0.5] with 32 bytes of data:
Reply from 10.12.0.5: bytes=32 time=28ms TTL=124
Reply from 10.12.0.5: bytes=32 time=28ms TTL=124

Ping statistics for 10.12.0.5:
    Packets: Sent = 4, Received = 4, Lost = 0 (0% loss),
Approximate round trip times in milli-seconds:
    Minimum = 28ms, Maximum = 28ms, Average = 28ms

PS C:\\> robocopy D:\\small \\\\fs-dublin\\in /E
               Total    Copied   Skipped  Mismatch    FAILED    Extras
    Dirs :        12        12         0         0         0         0
   Files :     40211     40211         0         0         0         0
   Bytes :   1.310 g   1.310 g         0         0         0         0
   Times :   2:31:11   2:31:02                       0:00:00   0:00:09

   Speed :              155231 Bytes/sec.
   Speed :               8.882 MegaBytes/min.
";
    let d = of(text, &Known::default());
    let flow = &d.flows[0];
    let why = because(flow);
    assert_eq!(flow.verdict.cause, "application", "{why}");
    assert!(why.contains("40211 files of 35.0 kB each"), "{why}");
    assert!(why.contains("8.0 round trips of 28.0 ms"), "{why}");
    assert!(commands(flow).contains("/MT:32"), "{flow:#?}");
    // A host of Windows is asked in its own words.
    let mut asked = flow.missing.iter().map(|m| m.command.as_str());
    assert!(asked.all(|c| !c.contains("iostat")), "{flow:#?}");
    // The program that reads a share runs on the host that receives.
    let read = text.replace("D:\\small \\\\fs-dublin\\in", "\\\\fs-dublin\\in D:\\small");
    let d = of(&read, &Known::default());
    let own = &d.flows[0];
    assert!(commands(own).contains("/MT:32"), "{own:#?}");
    assert!(!own.changes[0].host.contains("fs-dublin"), "{own:#?}");
    // Several at a time say nothing of each.
    let several = text.replace("in /E", "in /E /MT:16");
    let why = because(&of(&several, &Known::default()).flows[0]);
    assert!(!why.contains("files of"), "{why}");
}

/// A copy of 97 MB/s between two folders, its host's disk D:, and what `net use` prints.
fn busy_copy(folders: &str, net_use: &str) -> String {
    format!(
        "C:\\> robocopy {folders} big.iso
   ROBOCOPY     ::     Robust File Copy for Windows
   Bytes :   9.765 g   9.765 g         0         0         0         0
   Times :   0:01:48   0:01:48                       0:00:00   0:00:00
   Speed :            97000000 Bytes/sec.
{net_use}
C:\\> typeperf \"\\PhysicalDisk(*)\\% Disk Time\" \"\\PhysicalDisk(*)\\Disk Write Bytes/sec\" -sc 2

\"(PDH-CSV 4.0)\",\"\\\\PC7\\PhysicalDisk(1 D:)\\% Disk Time\",\"\\\\PC7\\PhysicalDisk(1 D:)\\Disk Write Bytes/sec\"
\"11/30/2026 02:11:01.001\",\"98.000000\",\"96000000.000000\"
\"11/30/2026 02:11:02.001\",\"100.000000\",\"98000000.000000\"
The command completed successfully.
"
    )
}

/// A copy from a share is received here, and a disk that is full is the receiver's. Of two letters nothing says which is of a share, but the
/// disk that writes is where the copy goes.
#[test]
fn a_full_disk_below_a_copy_from_a_share_is_the_receivers() {
    let mapped = "C:\\> net use\nStatus       Local     Remote                    Network\n\n-------------------------------------------------------------------------------\nOK           Z:        \\\\hq\\iso                  Microsoft Windows Network\nThe command completed successfully.\n";
    for (folders, net_use, side) in [
        ("\\\\hq\\iso D:\\iso", "", Some("receiver")),
        ("Z:\\ D:\\iso", mapped, Some("receiver")),
        ("Z:\\ D:\\iso", "", None),
    ] {
        let d = of(&busy_copy(folders, net_use), &Known::default());
        let flow = &d.flows[0];
        let why = because(flow);
        assert_eq!(flow.observed.side, side, "{folders}");
        assert_eq!(flow.verdict.cause, "disk", "{why}");
        assert!(flow.changes[0].host.contains("receiver"), "{flow:#?}");
        let open = "no text says which way this copy went";
        let says = d.notes.iter().any(|note| note.contains(open));
        assert_eq!(says, side.is_none(), "{:?}", d.notes);
    }
}
