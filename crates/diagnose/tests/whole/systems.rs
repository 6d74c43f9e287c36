//! Settings of macOS and Windows: recognised by what they print, named as they name them, and changed in their words.

use farpath_diagnose::{Diagnosis, FlowReport, Known, Source, System, read, twin};

use crate::{asked_with, of_files, on};

/// A download over 96 ms that gets so many Mbit/s.
fn fetched(prompt: &str, mbits: f64) -> String {
    let mbytes = mbits * 10.0 / 8.0 / 1.048_576;
    format!(
        "{prompt}iperf3 -c 203.0.113.40 -R\nConnecting to host 203.0.113.40, port 5201\nReverse mode, remote host 203.0.113.40 is sending\n[  5] local 10.11.12.13 port 52311 connected to 203.0.113.40 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr\n[  5]   0.00-10.10  sec {:.1} MBytes  {:.1} Mbits/sec    0             sender\n[  5]   0.00-10.00  sec {mbytes:.1} MBytes  {mbits:.1} Mbits/sec                  receiver\n",
        mbytes * 1.01,
        mbits * 1.01
    )
}

const PING: &str = "PING 203.0.113.40 (203.0.113.40): 56 data bytes\n\n--- 203.0.113.40 ping statistics ---\n5 packets transmitted, 5 packets received, 0.0% packet loss\nround-trip min/avg/max/stddev = 95.9/96.0/96.2/0.1 ms\n";

const MAC: &str = "net.inet.tcp.sendspace: 131072\nnet.inet.tcp.recvspace: 131072\nnet.inet.tcp.autorcvbufmax: 393216\nnet.inet.tcp.win_scale_factor: 3\nkern.ipc.maxsockbuf: 67108864\n";

fn windows(level: &str) -> String {
    format!(
        "C:\\>netsh interface tcp show global\n\nTCP Global Parameters\n----------------------------------------------\nReceive Window Auto-Tuning Level    : {level}\nRFC {} Timestamps                 : disabled\n",
        1323
    )
}

/// The kernel of a server that waits for the receiver's window.
fn waits(window: u32) -> String {
    format!(
        "ESTAB 0 900000 10.0.0.7:5201 198.51.100.77:52311\n\t sack cubic wscale:3,7 rto:300 rtt:96.1/0.2 mss:1460 pmtu:1500 cwnd:900 bytes_sent:41000000 bytes_acked:40600000 bytes_received:37 delivery_rate 32000000bps busy:9900ms rwnd_limited:9500ms(96.0%) unacked:{} notsent:400000 minrtt:95.9 snd_wnd:{window}\n",
        window / 1460
    )
}

fn flow(d: &Diagnosis) -> &FlowReport {
    &d.flows[0]
}

fn asked<'d>(d: &'d Diagnosis, fact: &str) -> Option<&'d str> {
    asked_with(flow(d), fact)
}

#[test]
fn a_mac_is_one_by_its_settings_alone() {
    let log = fetched("mac:~ eva$ ", 32.6);
    let files = [
        ("client.txt", log.as_str()),
        ("ping.txt", PING),
        ("client-settings.txt", MAC),
        ("server-ss.txt", &waits(393_216)),
    ];
    let d = of_files(&files, &on("1Gbit/s"));
    let verdict = &flow(&d).verdict;
    assert_eq!(verdict.cause, "receive_window", "{verdict:#?}");
    let change = &flow(&d).changes[0];
    assert_eq!(change.os, "macos", "{change:#?}");
    // 12 MB in flight: twice that, and within what one socket may have. Nothing else is raised.
    assert_eq!(
        change.commands,
        ["sudo sysctl -w net.inet.tcp.autorcvbufmax=33554432"]
    );
    assert_eq!(
        change.undo,
        ["sudo sysctl -w net.inet.tcp.autorcvbufmax=393216"]
    );
    let quiet = of_files(&files[..3], &on("1Gbit/s"));
    let ceiling = flow(&quiet).ceilings.iter();
    let mut named = ceiling.filter(|c| c.formula.contains("net.inet.tcp.autorcvbufmax"));
    let named = named.next().expect("as the cited line has it");
    assert!(named.from.contains(&"client-settings.txt:3".to_owned()));
    let sources = files.map(|(name, text)| Source {
        name: name.to_owned(),
        bytes: text.as_bytes().to_vec(),
    });
    let twin = twin(&read(&sources), 0).expect("there is one");
    assert!(!twin.scenario.contains("bsd-1999"), "{}", twin.scenario);
}

#[test]
fn every_mark_of_a_mac_does() {
    for mark in [
        "net.inet.tcp.win_scale_factor: 3",
        "net.inet.tcp.doautosndbuf: 1",
        "kern.osproductversion: 14.4",
        "ProductName:\t\tmacOS",
        "Darwin air.local 23.4.0 Darwin Kernel Version 23.4.0: root:xnu-10063 arm64",
    ] {
        let text = format!("net.inet.tcp.recvspace: 131072\n{mark}\n");
        let source = Source {
            name: "mac.txt".to_owned(),
            bytes: text.into_bytes(),
        };
        let facts = read(&[source]);
        let said = facts.facts.iter().rfind(|f| f.name == "system");
        let said = format!("{:?}", said.map(|f| &f.value));
        assert!(said.contains("\"macos\""), "{mark}: {said}");
    }
}

/// 65535 · 2^shift bytes over 96 ms.
#[test]
fn windows_levels_are_ceilings_by_their_scale() {
    for (level, shift) in [
        ("disabled", 0),
        ("highlyrestricted", 2),
        ("restricted", 4),
        ("normal", 8),
    ] {
        let text = windows(level);
        let files = [
            ("client.txt", fetched("C:\\>", 5.0)),
            ("ping.txt", PING.to_owned()),
            ("client-settings.txt", text),
        ];
        let files = files.each_ref().map(|(n, t)| (*n, t.as_str()));
        let d = of_files(&files, &on("1Gbit/s"));
        let named = format!("auto-tuning level {level} of Windows");
        let mut all = flow(&d).ceilings.iter();
        let own = all.find(|c| c.formula.contains(&named));
        let own = own.unwrap_or_else(|| panic!("{:#?}", flow(&d).ceilings));
        let bps = 65_535.0 * f64::from(1 << shift) * 8.0 / 0.096;
        assert!((own.limit_bps / bps - 1.0).abs() < 0.01, "{level}: {own:?}");
    }
}

#[test]
fn undoing_a_level_is_the_level_that_was_printed() {
    let ss = waits(262_140);
    let log = fetched("C:\\>", 21.6);
    let level = windows("highlyrestricted");
    let mut files = vec![
        ("client.txt", log.as_str()),
        ("ping.txt", PING),
        ("server-ss.txt", &ss),
    ];
    let before = of_files(&files, &on("1Gbit/s"));
    let asks = |d: &Diagnosis| {
        let mut all = flow(d).missing.iter();
        all.any(|m| m.command.contains("netsh"))
    };
    let undo = &flow(&before).changes[0].undo[0];
    assert!(undo.contains("printed before"), "{undo}");
    assert!(!undo.contains("=disabled"), "{undo}");
    files.push(("client-settings.txt", &level));
    let d = of_files(&files, &on("1Gbit/s"));
    let change = &flow(&d).changes[0];
    assert_eq!(
        (change.host.as_str(), change.os),
        ("10.11.12.13", "windows")
    );
    assert!(change.commands[0].ends_with("autotuninglevel=normal"));
    assert!(change.undo[0].ends_with("autotuninglevel=highlyrestricted"));
    assert!(!asks(&d), "{:#?}", flow(&d).missing);
    // Without timestamps 1460 of 1538 bytes are payload.
    let line = flow(&d).ceilings.iter().find(|c| c.cause == "link");
    let line = line.expect("it was said").limit_bps;
    assert!(
        (line / (1e9 * 1460.0 / 1538.0) - 1.0).abs() < 1e-6,
        "{line}"
    );
}

/// The client is behind a NAT: its server is what it can reach, and the server picks sockets by its own port.
#[test]
fn commands_are_those_of_who_asks() {
    let of = |log: &str| of_files(&[("client.txt", log)], &Known::default());
    let d = of(&fetched("C:\\Tools>", 5.0));
    assert_eq!(asked(&d, "rtt"), Some("ping -n 20 203.0.113.40"));
    let d = of(&fetched("$ ", 5.0));
    assert_eq!(asked(&d, "rtt"), Some("ping -c 20 203.0.113.40"));
    let sockets = "on the sender, during a test: ss -tinm sport = :5201";
    assert_eq!(asked(&d, "tcp_info"), Some(sockets));
    let known = Known {
        receiver: Some(System::Windows),
        ..Known::default()
    };
    let d = of_files(&[("client.txt", &fetched("$ ", 5.0))], &known);
    assert_eq!(asked(&d, "rtt"), Some("ping -n 20 203.0.113.40"));
}

/// Values of `netsh` are the same in every language, and so is the command behind its prompt.
#[test]
fn netsh_is_read_in_other_languages() {
    let german = "C:\\>netsh interface tcp show global
Der aktive Status wird abgefragt...

Globale TCP-Parameter
----------------------------------------------
Zustand der empfangsseitigen Skalierung                : enabled
Autom. Abstimmungsgrad Empfangsfenster  : disabled
Add-On-Anbieter für Überlastungssteuerung  : default
ECN-Funktion                          : disabled
RFC\u{20}1323-Zeitstempel                  : disabled
Anfänglicher RTO-Wert                 : 1000
";
    let french = "C:\\>netsh int tcp show global
Paramètres TCP globaux
----------------------------------------------
Niveau de réglage auto fenêtre de réception : disabled
";
    let english = "C:\\>netsh int tcp show global
Querying active state...

TCP Global Parameters
----------------------------------------------
Receive Window Auto-Tuning Level    : disabled
";
    let ping = "rtt min/avg/max/mdev = 210.0/210.0/210.0/0.0 ms\n";
    for text in [
        german,
        french,
        english,
        &german[german.find("Glob").unwrap_or(0)..],
    ] {
        let d = crate::of(&format!("{text}\n{ping}"), &Known::default());
        let flow = &d.flows[0];
        let window = flow.ceilings.iter().find(|c| c.cause == "receive_window");
        let most = window.map_or(0.0, |c| c.limit_bps);
        // 65535 bytes in 210 ms.
        assert!(
            (most / 2.497e6 - 1.0).abs() < 0.01,
            "{text}{:?}",
            flow.ceilings
        );
        let left: usize = d.read.iter().map(|r| r.ignored_lines.len()).sum();
        assert_eq!(left, 0, "{text}{:?}", d.read);
        let asked = format!("{:?}", flow.missing);
        assert!(!asked.contains("tcp_rmem"), "{asked}");
    }
}

/// Settings of a Windows host and of a Linux host in one text, of which nobody says which end they are: the one whose window explains the
/// rate receives, and the change is made there, in its words.
#[test]
fn two_systems_are_at_the_ends_that_the_cause_speaks_of() {
    let both = |level: &str, rmem: u32| {
        format!(
            "{}\nroot@store:~# sysctl net.ipv4.tcp_rmem net.ipv4.tcp_wmem\nnet.ipv4.tcp_rmem = 4096\t65536\t{rmem}\nnet.ipv4.tcp_wmem = 4096\t16384\t4194304\n",
            windows(level)
        )
    };
    // 65 535 bytes over 40 ms are 13.1 Mbit/s; half of 128 KiB to three quarters are 13.1 to 19.7 Mbit/s.
    for (level, rmem, mbits, os, command) in [
        (
            "disabled",
            6_291_456,
            "12.6 Mbit/s",
            "windows",
            "autotuninglevel=normal",
        ),
        (
            "normal",
            131_072,
            "16 Mbit/s",
            "linux",
            "net.ipv4.tcp_rmem=",
        ),
    ] {
        let known = Known {
            rtt: Some("40 ms".parse().expect("a time")),
            measured: Some(mbits.parse().expect("a rate")),
            ..on("100 Mbit/s")
        };
        let text = both(level, rmem);
        let d = of_files(&[("ticket.txt", &text)], &known);
        let verdict = &flow(&d).verdict;
        assert_eq!(verdict.cause, "receive_window", "{verdict:#?}");
        let change = &flow(&d).changes[0];
        assert_eq!(change.os, os, "{change:#?}");
        let commands = change.commands.join("\n");
        assert!(commands.contains(command), "{commands}");
        assert_eq!(commands.contains("mem"), os == "linux", "{commands}");
        let undo = change.undo.join("\n");
        assert_eq!(undo.contains(level), os == "windows", "{undo}");
        let windows = flow(&d).ceilings.iter();
        let windows = windows.filter(|c| c.cause == "receive_window");
        assert_eq!(windows.count(), 1, "{:#?}", flow(&d).ceilings);
    }
}

/// Losses of a Windows sender, of which next to nothing is known: what is asked of it is asked in its own words.
#[test]
fn nothing_of_linux_is_asked_of_a_windows_sender() {
    let log = "Connecting to host 203.0.113.9, port 5201\n[  4] local 192.0.2.61 port 50311 connected to 203.0.113.9 port 5201\n[ ID] Interval           Transfer     Bandwidth\n[  4]   0.00-10.00  sec  14.8 MBytes  12.4 Mbits/sec                  sender\n[  4]   0.00-10.00  sec  14.7 MBytes  12.3 Mbits/sec                  receiver\n";
    let ping = "Ping statistics for 203.0.113.9:\n    Packets: Sent = 2000, Received = 1991, Lost = 9 (0% loss),\nApproximate round trip times in milli-seconds:\n    Minimum = 24ms, Maximum = 27ms, Average = 24ms\n";
    for (system, ours) in [
        (System::Windows, "Get-NetAdapter"),
        (System::FreeBsd, "ifconfig INTERFACE"),
    ] {
        let known = Known {
            sender: Some(system),
            receiver: Some(system),
            ..Known::default()
        };
        let d = of_files(&[("log.txt", log), ("ping.txt", ping)], &known);
        let asked = d.flows[0].missing.iter().map(|m| m.command.as_str());
        let told = d.flows[0].changes.iter().flat_map(|c| &c.commands);
        let all: Vec<&str> = asked.chain(told.map(String::as_str)).collect();
        assert!(all.iter().any(|c| c.contains(ours)), "{all:#?}");
        for words in ["ethtool", "nstat ", "ss -t", "sysctl net.ipv4", "ip -s"] {
            assert!(!all.iter().any(|c| c.contains(words)), "{words}: {all:#?}");
        }
        assert!(!d.ticket.contains("farpath diagnose"), "{}", d.ticket);
        let lineless = d.flows[0].missing.iter().any(|m| m.fact == "line_bps");
        assert_eq!(
            d.ticket.contains("tell us the rate of the line"),
            lineless,
            "{}",
            d.ticket
        );
    }
}

/// 262144 B over 155 ms are 13.5 Mbit/s: with tuning off no buffer grows to `sendbuf_max`, however high that is.
#[test]
fn a_buffer_of_freebsd_that_does_not_grow_is_let_grow() {
    let uname = "fs# uname -a\nFreeBSD fs 13.2-RELEASE FreeBSD 13.2-RELEASE releng/13.2-n254617-525ecfdad597 GENERIC amd64\n";
    let settings = |auto: u32| {
        format!(
            "fs# sysctl net.inet.tcp.sendbuf_auto net.inet.tcp.sendbuf_max net.inet.tcp.sendspace kern.ipc.maxsockbuf\nnet.inet.tcp.sendbuf_auto: {auto}\nnet.inet.tcp.sendbuf_max: 262144\nnet.inet.tcp.sendspace: 262144\nkern.ipc.maxsockbuf: 2097152\n"
        )
    };
    let log = "fs# iperf3 -c perth -t 10 -i 5\nConnecting to host perth, port 5201\n[  5] local 10.0.0.3 port 40002 connected to 203.0.113.120 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n[  5]   0.00-5.00   sec  7.88 MBytes  13.2 Mbits/sec    0    812 KBytes\n[  5]   5.00-10.00  sec  8.00 MBytes  13.4 Mbits/sec    0   1.21 MBytes\n- - - - - - - - - - - - - - - - - - - - - - - - -\n[ ID] Interval           Transfer     Bitrate         Retr\n[  5]   0.00-10.00  sec  15.9 MBytes  13.3 Mbits/sec    0             sender\n[  5]   0.00-10.16  sec  15.9 MBytes  13.1 Mbits/sec                  receiver\n";
    let ping = "fs# ping -c 3 -q perth\n--- perth ping statistics ---\n3 packets transmitted, 3 packets received, 0.0% packet loss\nround-trip min/avg/max/stddev = 155.010/155.100/155.201/0.080 ms\n";
    for (auto, is_let) in [(0, true), (1, false)] {
        let text = format!("{uname}{}{log}{ping}", settings(auto));
        let flow = crate::of(&text, &Known::default()).flows.remove(0);
        assert_eq!(flow.verdict.cause, "send_buffer", "{:#?}", flow.verdict);
        let commands = crate::commands(&flow);
        let has = commands.contains("sysctl net.inet.tcp.sendbuf_auto=1");
        assert_eq!(has, is_let, "{commands}");
        assert!(commands.contains("sendbuf_max="), "{commands}");
    }
}

/// A host that fetches at a prompt of Windows is one of Windows: what its disk does is asked in its words.
#[test]
fn who_fetches_at_a_prompt_of_windows_is_asked_in_its_words() {
    let text = "C:\\> curl -o NUL http://203.0.113.5/big.iso
  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current
                                 Dload  Upload   Total   Spent    Left  Speed
100  400M  100  400M    0     0   786k      0  0:08:41  0:08:41 --:--:--  790k
";
    let d = crate::of(text, &Known::default());
    let asked = d.flows.iter().flat_map(|f| &f.missing);
    for missing in asked.filter(|m| m.fact == "disk_busy_ratio") {
        assert!(missing.command.contains("typeperf"), "{missing:#?}");
    }
}
