//! What PowerShell prints of a Windows host.

use farpath_diagnose::{Facts, Source, Value, read};

use crate::counters::lossy;
use crate::{because, of_files, on};

fn facts(text: &str) -> Facts {
    let facts = read(&[Source {
        name: "t".to_owned(),
        bytes: text.as_bytes().to_vec(),
    }]);
    assert_eq!(facts.ignored_count, [0], "{text}");
    facts
}

/// The numbers of a fact.
fn said(facts: &Facts, name: &str) -> Vec<f64> {
    let all = facts.facts.iter().filter(|f| f.name == name);
    let numbers = all.filter_map(|f| match &f.value {
        Value::Number(figure) => Some(figure.value),
        Value::Word(_) => None,
    });
    numbers.collect()
}

/// `Get-NetAdapter`, with these rows.
fn adapters(rows: &str) -> String {
    format!(
        "PS C:\\Users\\eva> Get-NetAdapter

Name                      InterfaceDescription                    ifIndex Status       MacAddress             LinkSpeed
----                      --------------------                    ------- ------       ----------             ---------
{rows}
"
    )
}

const WIRED: &str = "Ethernet 2                Intel(R) Ethernet Connection (7) I2...      12 Up           00-00-5E-00-53-01         1 Gbps\n";

#[test]
fn the_speed_of_the_only_adapter_with_a_link_is_read() {
    let others = "Wi-Fi                     Intel(R) Wi-Fi 6 AX200 160MHz                 8 Disconnected 00-00-5E-00-53-02          0 bps
vEthernet (Default Swi... Hyper-V Virtual Ethernet Adapter             25 Up           00-00-5E-00-53-03        10 Gbps
";
    let f = facts(&adapters(&format!("{WIRED}{others}")));
    assert_eq!(said(&f, "nic_bps"), [1e9]);
    assert!(f.notes.is_empty(), "{:?}", f.notes);
    // Where two have a link, nothing says which is the flow's.
    let second = "Ethernet                  Mellanox ConnectX-5 Adapter                   7 Up           00-00-5E-00-53-04        25 Gbps\n";
    let f = facts(&adapters(&format!("{WIRED}{second}")));
    assert_eq!(said(&f, "nic_bps"), Vec::<f64>::new());
    let note = f.notes.join("\n");
    assert!(note.contains("several adapters have a link"), "{note}");
    // By which of them a host is reached another command says.
    let route = "PS C:\\Users\\eva> Test-NetConnection fs1

ComputerName   : fs1
RemoteAddress  : 192.0.2.9
InterfaceAlias : Ethernet 2
SourceAddress  : 192.0.2.7
PingSucceeded  : True

";
    let f = facts(&(adapters(&format!("{WIRED}{second}")) + route));
    assert_eq!(said(&f, "nic_bps"), [1e9]);
    assert!(f.notes.is_empty(), "{:?}", f.notes);
    let radio = "Wi-Fi                     Intel(R) Wi-Fi 6 AX200 160MHz                 8 Up           00-00-5E-00-53-02     866.7 Mbps\n";
    let f = facts(&adapters(radio));
    assert_eq!(said(&f, "nic_bps"), Vec::<f64>::new());
    assert_eq!(said(&f, "radio_sends_bps").len(), 1);
}

/// What somebody chose of it, as in `ft Name, LinkSpeed, FullDuplex`.
#[test]
fn the_chosen_columns_of_an_adapter_are_read() {
    let table = |rows: &str| {
        format!(
            "PS C:\\Users\\eva> Get-NetAdapter | ft Name,LinkSpeed,FullDuplex\n\nName       LinkSpeed FullDuplex\n----       --------- ----------\n{rows}"
        )
    };
    let f = facts(&table("Ethernet 2 100 Mbps      False\n"));
    assert_eq!(said(&f, "nic_bps"), [1e8]);
    let half = f.facts.iter().filter(|f| f.name == "half_duplex");
    assert_eq!(half.count(), 1);
    let f = facts(&table("Wi-Fi      866.7 Mbps     True\n"));
    assert_eq!(said(&f, "radio_sends_bps").len(), 1);
    assert!(f.facts.iter().all(|f| f.name != "half_duplex"));
}

/// Sixteen times 65 535 bytes is what a restricted level leaves.
#[test]
fn the_template_in_force_is_read_of_a_table_of_settings() {
    let table = "PS C:\\Users\\eva> Get-NetTCPSetting | select SettingName, AutoTuningLevelLocal, CongestionProvider

SettingName      AutoTuningLevelLocal CongestionProvider
-----------      -------------------- ------------------
Automatic
InternetCustom   Normal               CUBIC
DatacenterCustom Normal               DCTCP
Compat           Normal               NewReno
Datacenter       Normal               DCTCP
Internet         Restricted           CUBIC
";
    let f = facts(table);
    assert_eq!(said(&f, "recvspace_bytes"), [16.0 * 65_535.0]);
    let cc = f.facts.iter().filter(|f| f.name == "cc");
    let cc: Vec<&Value> = cc.map(|f| &f.value).collect();
    assert_eq!(cc, [&Value::Word("cubic".to_owned())]);
}

/// What an adapter discarded counts by its growth, as with other systems.
#[test]
fn discards_of_an_adapter_are_those_of_the_receiver() {
    let list = |discarded: u32| {
        format!(
            "PS C:\\Users\\eva> Get-NetAdapterStatistics -Name Ethernet | Format-List *

ifAlias                  : Ethernet
InterfaceAlias           : Ethernet
ifDesc                   : Intel(R) Ethernet Controller X550
Caption                  : MSFT_NetAdapterStatisticsSettingData 'Intel(R) Ethernet Controller X550'
Name                     : Ethernet
Source                   : 2
OutboundDiscardedPackets : 0
OutboundPacketErrors     : 0
RdmaStatistics           :
ReceivedBytes            : 741713980576
ReceivedDiscardedPackets : {discarded}
ReceivedPacketErrors     : 0
ReceivedUnicastPackets   : 512233412
SentBytes                : 410000000
SentUnicastPackets       : 5400000
SupportedStatistics      : 4163583

"
        )
    };
    let receiver = list(88) + &list(276);
    let d = of_files(
        &[("sender.txt", &lossy(190)), ("receiver.txt", &receiver)],
        &on("25 Gbit/s"),
    );
    let unread: usize = d.read.iter().map(|r| r.ignored_lines.len()).sum();
    assert_eq!(unread, 0, "{:#?}", d.read);
    let flow = &d.flows[0];
    assert_eq!(flow.verdict.cause, "nic", "{:#?}", flow.verdict);
    let said = "dropped 188 packets from one reading to the next, and 190 segments";
    assert!(because(flow).contains(said), "{}", because(flow));
}
