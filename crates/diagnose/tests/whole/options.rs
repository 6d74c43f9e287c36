//! Options of TCP that are on at both hosts and off in the connection.

use farpath_diagnose::{FlowReport, Known};

use crate::{because, first_flow, of_files};

fn socket(options: &str, scale: &str, again: &str) -> String {
    format!(
        "State Recv-Q Send-Q Local Address:Port   Peer Address:Port\nESTAB 0      1342320 192.0.2.1:33456 198.51.100.2:5201\n\t skmem:(r0,rb131072,t0,tb4207360,f3880,w1558640,o0,bl0,d0) {options}cubic {scale}rto:352 rtt:150.825/0.724 mss:1448 pmtu:1500 rcvmss:536 advmss:1448 cwnd:92 ssthresh:71 bytes_sent:26032810 {again}bytes_acked:25390220 segs_out:18260 segs_in:5990 data_segs_out:18240 send 7066084bps lastsnd:28 lastrcv:63960 lastack:28 pacing_rate 8479300bps delivery_rate 3416584bps delivered:17800 busy:63920ms unacked:88 rcv_space:14280 rcv_ssthresh:64108 notsent:699720 minrtt:150.102 snd_wnd:4194304\n"
    )
}

fn settings(host: &str, sack: u8) -> String {
    format!(
        "root@{host}:~# sysctl -a | grep tcp_\nnet.ipv4.tcp_sack = {sack}\nnet.ipv4.tcp_timestamps = 1\nnet.ipv4.tcp_window_scaling = 1\n"
    )
}

fn flow(socket: &str, sender: &str, receiver: &str) -> FlowReport {
    let files = [
        ("ss.txt", socket),
        ("sender.txt", sender),
        ("receiver.txt", receiver),
    ];
    let used: Vec<_> = files
        .into_iter()
        .filter(|(_, text)| !text.is_empty())
        .collect();
    first_flow(of_files(&used, &Known::default()))
}

const AGAIN: &str = "bytes_retrans:289600 retrans:0/200 ";

#[test]
fn what_both_hosts_offer_and_the_connection_lacks_is_taken_out_on_the_way() {
    let own = (settings("a", 1), settings("b", 1));
    let lacks = flow(&socket("ts ", "wscale:7,7 ", AGAIN), &own.0, &own.1);
    let said = because(&lacks);
    assert!(
        said.contains("both hosts have SACK on (net.ipv4.tcp_sack = 1), and the connection goes without: a device on the way"),
        "{said}"
    );
    assert!(
        said.contains("costs a round trip") && said.contains("tcpdump"),
        "{said}"
    );
    let change = lacks.changes.iter().find(|c| c.host.contains("firewall"));
    let commands = change.expect("it is advised").commands.join("\n");
    assert!(
        commands.contains("takes the SACK option out of the SYN"),
        "{commands}"
    );
    // Both others; `ss` prints a scale without being asked for options.
    let said = because(&flow(&socket("ts ", "", AGAIN), &own.0, &own.1));
    assert!(
        said.contains("both hosts have SACK and window scaling on"),
        "{said}"
    );
    assert!(said.contains("65535 bytes"), "{said}");
    // None.
    let said = because(&flow(
        &socket("ts sack ", "wscale:7,7 ", AGAIN),
        &own.0,
        &own.1,
    ));
    assert!(!said.contains("goes without"), "{said}");
}

/// `ss -tin` and `ss -tinm` leave out `ts sack`: `-o` alone prints them. A firewall was accused.
#[test]
fn options_that_were_not_asked_for_are_not_missing() {
    let own = (settings("a", 1), settings("b", 1));
    let lacks = flow(&socket("", "wscale:7,7 ", AGAIN), &own.0, &own.1);
    assert!(
        !because(&lacks).contains("goes without"),
        "{}",
        because(&lacks)
    );
    assert!(lacks.changes.iter().all(|c| !c.host.contains("firewall")));
    let said = because(&flow(&socket("", "", AGAIN), &own.0, &own.1));
    assert!(said.contains("both hosts have window scaling on"), "{said}");
}

#[test]
fn one_hosts_setting_leaves_two_to_ask() {
    let text = socket("ts ", "wscale:7,7 ", AGAIN);
    let said = because(&flow(&text, &settings("a", 1), ""));
    assert!(said.contains("goes without"), "{said}");
    assert!(
        said.contains("has it off, or a device on the way takes it out"),
        "{said}"
    );
    // A host that has it off is the reason, and without settings nobody knows.
    for sender in [settings("a", 0), String::new()] {
        let said = because(&flow(&text, &sender, ""));
        assert!(!said.contains("goes without"), "{said}");
    }
}

/// A host that has SACK off repairs one loss in a round trip: said where something was sent again, whatever limits.
#[test]
fn sack_that_is_off_is_said_where_segments_were_sent_again() {
    let text = socket("ts ", "wscale:7,7 ", AGAIN);
    for (sender, receiver, end) in [(0, 1, "the sender"), (1, 0, "the receiver")] {
        let said = because(&flow(
            &text,
            &settings("a", sender),
            &settings("b", receiver),
        ));
        let off = format!("SACK is off on {end} (net.ipv4.tcp_sack = 0)");
        assert!(said.contains(&off), "{said}");
        assert!(said.contains("sysctl -w net.ipv4.tcp_sack=1"), "{said}");
    }
    for (sender, again) in [(1, AGAIN), (0, "")] {
        let text = socket("ts ", "wscale:7,7 ", again);
        let said = because(&flow(&text, &settings("a", sender), &settings("b", 1)));
        assert!(!said.contains("SACK is off"), "{said}");
    }
}
