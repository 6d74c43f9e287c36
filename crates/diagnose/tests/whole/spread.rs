//! A receiver of Windows whose adapter leaves all connections to one processor.

use farpath_diagnose::Known;

use crate::{because, first_flow, of, of_files};

const SENDER: &str = "\
lin$ iperf3 -c hv1 -t 10 -i 0
Connecting to host hv1, port 5201
[  5] local 10.0.0.7 port 45132 connected to 10.0.0.20 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-10.00  sec  4.11 GBytes  3.53 Gbits/sec  312   1.02 MBytes
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-10.00  sec  4.11 GBytes  3.53 Gbits/sec  312             sender
[  5]   0.00-10.00  sec  4.10 GBytes  3.53 Gbits/sec                  receiver
";

/// What the receiver prints; receive side scaling is off or on.
fn receiver(enabled: &str) -> String {
    format!(
        "PS C:\\> Get-NetAdapterRss -Name \"SLOT 2\"

Name                                            : SLOT 2
InterfaceDescription                            : Intel(R) Ethernet Converged Network Adapter X710
Enabled                                         : {enabled}
NumberOfReceiveQueues                           : 1
Profile                                         : Closest
BaseProcessor: [Group:Number]                   : 0:0

PS C:\\> typeperf \"\\Processor(*)\\% Processor Time\" -sc 2

\"(PDH-CSV 4.0)\",\"\\\\HV1\\Processor(0)\\% Processor Time\",\"\\\\HV1\\Processor(1)\\% Processor Time\",\"\\\\HV1\\Processor(_Total)\\% Processor Time\"
\"11/30/2026 03:01:11.201\",\"100.000000\",\"3.120331\",\"51.548436\"
\"11/30/2026 03:01:12.203\",\"99.870331\",\"2.910332\",\"51.505331\"
"
    )
}

#[test]
fn a_receiver_of_windows_spreads_what_arrives_in_its_own_words() {
    for enabled in ["False", "True"] {
        let receiver = receiver(enabled);
        let one = of(&format!("{SENDER}\n{receiver}"), &Known::default());
        let files = [("sender.txt", SENDER), ("receiver.txt", receiver.as_str())];
        for d in [one, of_files(&files, &Known::default())] {
            let flow = first_flow(d);
            let mut changes = flow.changes.iter();
            let change = changes.find(|c| c.os == "windows");
            let all = change.map(|c| c.commands.join("\n")).unwrap_or_default();
            // Commands of Linux are of another host.
            assert!(all.contains("typeperf"), "{:#?}", flow.changes);
            assert!(!all.contains("ethtool"), "{all}");
            let off = enabled == "False";
            let enables = "Enable-NetAdapterRss -Name \"SLOT 2\"";
            assert_eq!(all.contains(enables), off, "{all}");
            assert_eq!(because(&flow).contains("of SLOT 2 is off"), off);
        }
    }
}
