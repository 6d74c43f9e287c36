//! Pause frames (IEEE 802.3 Annex 31B): a neighbour without room holds an interface back, and nothing is lost.

use farpath_diagnose::FlowReport;

use crate::{asked, because, commands, first_flow, of, on};

/// A sender at 25 Gbit/s whose counter of pauses is read before and after a test of ten seconds at 3.1 Gbit/s. What the program handed
/// over waits in its socket, though neither window is full.
fn ticket(counter: &str, [before, after]: [u64; 2]) -> String {
    let reading = |n: u64| {
        format!(
            "dtn1$ ethtool -S ens1f0 | grep -i pause\n     rx_prio0_pause: 0\n     {counter}: {n}\n     tx_pause_ctrl_phy: 0\n"
        )
    };
    let test = "dtn1$ iperf3 -c 198.51.100.20 -t 10
[  5] local 192.0.2.10 port 41022 connected to 198.51.100.20 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-5.00   sec  1.81 GBytes  3.11 Gbits/sec    0   40.2 MBytes
[  5]   5.00-10.00  sec  1.80 GBytes  3.10 Gbits/sec    0   40.2 MBytes
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-10.00  sec  3.61 GBytes  3.10 Gbits/sec    0             sender
[  5]   0.00-10.02  sec  3.60 GBytes  3.09 Gbits/sec                  receiver
";
    let ss = "dtn1$ ss -tin dst 198.51.100.20
State Recv-Q Send-Q Local Address:Port Peer Address:Port Process
ESTAB 0      41450000 192.0.2.10:41022 198.51.100.20:5201
\t cubic wscale:14,14 rto:228 rtt:28.2/0.4 mss:8948 pmtu:9000 rcvmss:536 advmss:8948 cwnd:4711 bytes_sent:3876000000 bytes_acked:3864000000 segs_out:433200 segs_in:110110 data_segs_out:433180 send 11958000000bps lastrcv:9810 pacing_rate 14349000000bps delivery_rate 3101000000bps delivered:431800 busy:9800ms unacked:1220 notsent:30500000 minrtt:20.1 snd_wnd:67108864
dtn1$ ethtool ens1f0 | grep Speed
\tSpeed: 25000Mb/s
";
    format!("{}{test}{}{ss}", reading(before), reading(after))
}

fn flow(text: &str) -> FlowReport {
    first_flow(of(text, &on("10 Gbit/s")))
}

/// 708 561 frames in ten seconds of 25 Gbit/s: each pauses for 1.34 ms at most, so that they may well have paused all of it.
#[test]
fn a_neighbour_that_pauses_the_sender_is_the_cause() {
    for counter in ["rx_pause_ctrl_phy", "rx_flow_control_xoff", "rx_pause"] {
        let flow = flow(&ticket(counter, [1_203_311, 1_911_872]));
        assert_eq!(flow.verdict.cause, "pause_frames", "{:#?}", flow.verdict);
        assert!(flow.verdict.confidence > 0.9, "{:#?}", flow.verdict);
        let because = because(&flow);
        assert!(
            because.contains("interface ens1f0 was sent 708561 pause frames"),
            "{because}"
        );
        let commands = commands(&flow);
        assert!(commands.contains("ethtool -a ens1f0"), "{commands}");
        assert!(commands.contains("ethtool -A ens1f0 rx off"), "{commands}");
        assert_eq!(flow.changes[0].undo, ["ethtool -A ens1f0 rx on"]);
        assert!(!asked(&flow).contains(&"shaper_bps"), "{:?}", flow.missing);
    }
}

/// 20 frames pause for 27 ms at most, of ten seconds: they hold nothing. What stood there before the test was of another time, and what is
/// counted for another class (IEEE 802.1Qbb) leaves this traffic alone.
#[test]
fn pauses_that_are_few_old_or_of_another_class_are_no_cause() {
    let few = ticket("rx_pause_ctrl_phy", [1_203_311, 1_203_331]);
    let still = ticket("rx_pause_ctrl_phy", [1_203_311, 1_203_311]);
    let all = ticket("rx_pause_ctrl_phy", [1_203_311, 1_911_872]);
    let class = |n: u64| format!("rx_pause_ctrl_phy: {n}\n     rx_prio3_pause: {n}\n");
    let other = all
        .replace("rx_pause_ctrl_phy: 1203311\n", &class(1_203_311))
        .replace("rx_pause_ctrl_phy: 1911872\n", &class(1_911_872));
    for text in [few, still, other] {
        let flow = flow(&text);
        assert_ne!(flow.verdict.cause, "pause_frames", "{:#?}", flow.verdict);
    }
}

/// One reading of a large count is a hint, and no cause.
#[test]
fn a_count_that_was_read_once_is_a_hint() {
    let text = ticket("rx_pause_ctrl_phy", [1_203_311, 1_911_872]);
    let (_, later) = text.split_once("dtn1$ iperf3").expect("the test");
    let flow = flow(&format!("dtn1$ iperf3{later}"));
    assert_ne!(flow.verdict.cause, "pause_frames", "{:#?}", flow.verdict);
    let because = because(&flow);
    assert!(
        because.contains("1911872 pause frames, nobody knows since when"),
        "{because}"
    );
}

/// A full line is the line, whatever is paused meanwhile: 23.5 of 25 Gbit/s.
#[test]
fn a_full_line_is_the_line_beside_pauses() {
    let text = ticket("rx_pause_ctrl_phy", [1_203_311, 1_911_872])
        .replace("3.11 Gbits", "24.7 Gbits")
        .replace("3.10 Gbits", "24.7 Gbits")
        .replace("3.09 Gbits", "24.7 Gbits")
        .replace("3.61 GBytes", "28.8 GBytes")
        .replace("3.60 GBytes", "28.8 GBytes");
    let flow = first_flow(of(&text, &on("25 Gbit/s")));
    assert_eq!(flow.verdict.cause, "link", "{:#?}", flow.verdict);
}

/// A receiver that sends pauses has no room for what comes: its ring, its processor or its bus.
#[test]
fn a_receiver_that_pauses_its_switch_is_too_slow() {
    let receiver = |n: u64| {
        format!(
            "dtn2$ ethtool -S ens1f0 | grep -i pause\n     rx_pause_ctrl_phy: 0\n     tx_pause_ctrl_phy: {n}\n"
        )
    };
    let sender = ticket("rx_pause_ctrl_phy", [5, 5]);
    let files = [
        ("sender.txt", sender.as_str()),
        (
            "receiver.txt",
            &format!("{}\n{}", receiver(12), receiver(708_573)),
        ),
    ];
    let flow = first_flow(crate::of_files(&files, &on("10 Gbit/s")));
    assert_eq!(flow.verdict.cause, "nic", "{:#?}", flow.verdict);
    let because = because(&flow);
    assert!(
        because.contains("the receiver's interface ens1f0 sent 708561 pause frames"),
        "{because}"
    );
}

/// The port of a switch that is sent pauses is held back by what is plugged into it, whether a table or its own counters say so.
#[test]
fn a_switch_that_is_paused_is_the_cause() {
    let table = |n: u64| {
        format!(
            "n9k-1# show interface ethernet 1/14 flowcontrol\n--------\nPort         Send FlowControl  Receive FlowControl  RxPause TxPause\n             admin    oper     admin    oper\n--------\nEth1/14      on       on       on       on          {n} 0\n"
        )
    };
    let own = |n: u64| {
        format!(
            "n9k-1# show interface ethernet 1/14\nEthernet1/14 is up\nadmin state is up, Dedicated Interface\n  RX\n    91221 unicast packets  12 multicast packets  1 broadcast packets\n    {n} Rx pause\n  TX\n    0 Tx pause\n"
        )
    };
    let still = ticket("rx_pause_ctrl_phy", [5, 5]);
    let (before, after) = (1_203_311, 1_911_872);
    for [first, second] in [[table(before), table(after)], [own(before), own(after)]] {
        let flow = flow(&format!("{first}{still}{second}"));
        assert_eq!(flow.verdict.cause, "pause_frames", "{:#?}", flow.verdict);
        let because = because(&flow);
        assert!(
            because.contains("was sent 708561 pause frames"),
            "{because}"
        );
        let commands = commands(&flow);
        assert!(commands.contains("flowcontrol receive off"), "{commands}");
    }
    // Of several ports nobody says which one the flow crosses.
    let second =
        |n: u64| table(n) + &format!("Eth1/15      on       on       on       on          {n} 0\n");
    let several = flow(&format!("{}{still}{}", second(before), second(after)));
    assert_ne!(
        several.verdict.cause, "pause_frames",
        "{:#?}",
        several.verdict
    );
    let why = because(&several);
    assert!(why.contains("which of them the flow crosses"), "{why}");
    // What does not grow is of another time.
    let flow = flow(&format!("{}{still}{}", table(before), table(before)));
    assert_ne!(flow.verdict.cause, "pause_frames", "{:#?}", flow.verdict);
}
