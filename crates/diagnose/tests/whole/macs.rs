//! A Mac that receives from a server of Linux, both in one text, whatever stands at their prompts.

use farpath_diagnose::Known;

use crate::{commands, of};

const SERVER: &str = "\
server:
$ ss -tino state established '( sport = :443 )' dst 192.0.2.55
Recv-Q Send-Q  Local Address:Port   Peer Address:Port
0      1812240 198.51.100.3:443     192.0.2.55:61222  timer:(on,212ms,0)
	 cubic wscale:3,7 rto:432 rtt:229.4/0.31 mss:1448 pmtu:1500 rcvmss:536 advmss:1448 cwnd:1210 ssthresh:984 bytes_sent:612033120 bytes_acked:611510112 bytes_received:812 segs_out:422700 segs_in:211033 data_segs_out:422698 data_segs_in:3 send 61.1Mbps lastrcv:251020 pacing_rate 73.3Mbps delivery_rate 18.2Mbps delivered:422338 busy:251020ms rwnd_limited:248410ms(99.0%) unacked:362 rcv_space:14480 rcv_ssthresh:64088 notsent:1289232 minrtt:228.9 snd_wnd:524280
";

/// What is typed at a prompt of the Mac: its settings, and a download.
fn mac(prompt: &str) -> String {
    format!(
        "{prompt}sysctl net.inet.tcp | grep -E 'win_scale|autorcvbufmax|recvspace|doautorcvbuf'
net.inet.tcp.doautorcvbuf: 0
net.inet.tcp.autorcvbufmax: 4194304
net.inet.tcp.recvspace: 524280
net.inet.tcp.win_scale_factor: 3
{prompt}curl -o /dev/null https://dl.example.com/img.bin
  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current
                                 Dload  Upload   Total   Spent    Left  Speed
 29 2048M   29  583M    0     0  2286k      0  0:15:17  0:04:21  0:10:56 2288k
"
    )
}

#[test]
fn a_mac_behind_a_prompt_of_zsh_is_not_the_server_of_linux() {
    for heading in ["", "mac:\n"] {
        for prompt in ["% ", "mac% ", "kenji@mbp ~ % "] {
            let d = of(
                &format!("{SERVER}{heading}{}", mac(prompt)),
                &Known::default(),
            );
            let all: Vec<String> = d.flows.iter().map(commands).collect();
            let all = all.join("\n");
            assert!(all.contains("net.inet.tcp."), "{heading}{prompt}: {all}");
            assert!(
                !all.contains("net.ipv4.tcp_rmem"),
                "{heading}{prompt}: {all}"
            );
        }
    }
}
