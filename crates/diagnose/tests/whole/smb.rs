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
