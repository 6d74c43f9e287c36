//! Sessions that break where nobody typed for long.

use farpath_diagnose::Known;

use crate::{asked, because, commands, first, of};

const SESSION: &str = "$ ssh lab1
lab1$
client_loop: send disconnect: Broken pipe
";

const TEST: &str = "$ iperf3 -c lab1 -t 10 -i 0
[  5] local 10.0.0.7 port 45132 connected to 10.9.0.9 port 5201
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-10.00  sec  1.09 GBytes   938 Mbits/sec    0             sender
[  5]   0.00-10.01  sec  1.09 GBytes   935 Mbits/sec                  receiver
";

#[test]
fn a_session_that_broke_stands_beside_transfers_that_are_well() {
    let d = of(&format!("{SESSION}{TEST}"), &Known::default());
    let session = d.flows.iter().find(|f| f.unrated).expect("it broke");
    let flows = [session.clone(), first(SESSION)];
    for flow in &flows {
        assert_eq!(flow.verdict.cause, "middlebox", "{:#?}", flow.verdict);
        assert!(flow.verdict.confidence < 0.8, "{:#?}", flow.verdict);
        let says = "a session of ssh broke (ticket.txt:3)";
        assert!(because(flow).contains(says), "{}", because(flow));
        let commands = commands(flow);
        for says in ["ServerAliveInterval 60", "tcp_keepalive_time"] {
            assert!(commands.contains(says), "{says}: {commands}");
        }
        assert_eq!(asked(flow), ["idle_timeout"]);
    }
}

/// A copy over ssh that breaks off is never idle.
#[test]
fn a_copy_that_broke_off_is_not_an_idle_session() {
    let copy = "$ scp big.img lab1:/data/\nbig.img                                       100%   10GB  24.1MB/s   07:05\n";
    let d = of(&format!("{copy}{SESSION}"), &Known::default());
    assert!(d.flows.iter().all(|f| !f.unrated), "{:#?}", d.flows);
}
