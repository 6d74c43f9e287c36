//! Transfers of one file by commands that differ: through a proxy, past it, by either version of IP.

use farpath_diagnose::{Diagnosis, FlowReport, Known};

use crate::{asked, because, commands, of};

/// 953 MB at 3012 kB/s, and at 107 MB/s: 36.4 times as fast.
const SLOW: &str =
    "100  953M  100  953M    0     0  3012k      0  0:05:24  0:05:24 --:--:-- 3020k\n";
const FAST: &str =
    "100  953M  100  953M    0     0   107M      0  0:00:08  0:00:08 --:--:--  108M\n";

const HEAD: &str = "  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current
                                 Dload  Upload   Total   Spent    Left  Speed
";

const PINGS: &str = "$ ping -c 10 proxy.corp
10 packets transmitted, 10 received, 0% packet loss, time 9020ms
rtt min/avg/max/mdev = 0.401/0.421/0.511/0.030 ms
$ ping -c 10 mirror.example.org
10 packets transmitted, 10 received, 0% packet loss, time 9020ms
rtt min/avg/max/mdev = 21.401/21.521/21.911/0.130 ms
";

/// Two commands, and what each printed.
fn two(first: [&str; 2], second: [&str; 2]) -> Diagnosis {
    let each = [first, second].map(|[command, row]| format!("$ {command}\n{HEAD}{row}"));
    let d = of(&(each.concat() + PINGS), &Known::default());
    assert_eq!(d.flows.len(), 2, "{:#?}", d.flows);
    d
}

/// Whether a round trip, ms, is the flow's, within 5 %.
fn has_rtt(flow: &FlowReport, ms: f64) -> bool {
    let rtt = flow.observed.rtt_ns;
    rtt.is_some_and(|ns| (ns / 1e6 / ms - 1.0).abs() < 0.05)
}

const THROUGH: &str =
    "curl -x http://proxy.corp:3128 -o /dev/null http://mirror.example.org/1g.bin";
const PAST: &str = "curl --noproxy '*' -o /dev/null http://mirror.example.org/1g.bin";

#[test]
fn a_proxy_past_which_the_same_file_is_faster_holds_the_rate() {
    let d = two([THROUGH, SLOW], [PAST, FAST]);
    let [slow, fast] = &d.flows[..] else {
        panic!("{d:#?}");
    };
    assert_eq!(
        slow.name,
        "proxy.corp > receiver (mirror.example.org through this proxy)"
    );
    assert_eq!(fast.name, "mirror.example.org > receiver");
    assert!(has_rtt(slow, 0.421), "{:#?}", slow.observed);
    assert!(has_rtt(fast, 21.521), "{:#?}", fast.observed);
    assert_eq!(slow.verdict.cause, "proxy", "{:#?}", slow.verdict);
    assert!(slow.verdict.confidence >= 0.6, "{:#?}", slow.verdict);
    let why = because(slow);
    for says in [
        "without a proxy the same file came at",
        "36.4 times as fast",
        "on the way through proxy.corp",
    ] {
        assert!(why.contains(says), "{says}: {why}");
    }
    assert_eq!(asked(slow), ["proxy_rate_bps"]);
    assert_eq!(slow.changes[0].host, "proxy.corp");
    assert!(commands(slow).contains("no_proxy=mirror.example.org"));
    let why = because(fast);
    let says = "through the proxy proxy.corp:3128 the same file came at";
    assert!(why.contains(says), "{why}");
    assert!(why.contains("36.4 times as slow"), "{why}");
    assert_ne!(fast.verdict.cause, "proxy", "{:#?}", fast.verdict);
}

/// A proxy that the environment names is that of a command without an option of its own.
#[test]
fn a_proxy_of_the_environment_is_that_of_a_bare_command() {
    let bare = "curl -o /dev/null http://mirror.example.org/1g.bin";
    let of_shell = |environment: &str| {
        let text = format!("{environment}$ {bare}\n{HEAD}{SLOW}$ {PAST}\n{HEAD}{FAST}{PINGS}");
        of(&text, &Known::default())
    };
    for environment in [
        "$ env | grep -i proxy\nhttp_proxy=http://proxy.corp:3128\nno_proxy=localhost,.corp\n",
        "$ export http_proxy=http://proxy.corp:3128\n",
        "$ cat ~/.curlrc\nproxy = \"http://proxy.corp:3128\"\n",
        "$ alias curl='curl -x http://proxy.corp:3128'\n",
    ] {
        let d = of_shell(environment);
        let slow = &d.flows[0];
        assert_eq!(
            slow.name,
            "proxy.corp > receiver (mirror.example.org through this proxy)"
        );
        assert_eq!(slow.verdict.cause, "proxy", "{:#?}", slow.verdict);
    }
    let d = of_shell("$ env | grep -i proxy\nhttps_proxy=http://proxy.corp:3128\n");
    for flow in &d.flows {
        assert_ne!(flow.verdict.cause, "proxy", "{:#?}", flow.verdict);
    }
}

/// What `top` shows on the proxy: one program has a processor for itself.
const TOP: &str = "proxy# top -b -n1 | head -9
top - 03:11:20 up 88 days,  2:11,  1 user,  load average: 1.31, 1.22, 1.20
Tasks: 133 total,   2 running, 131 sleeping,   0 stopped,   0 zombie
%Cpu(s): 24.1 us,  3.9 sy,  0.0 ni, 71.0 id,  0.0 wa,  0.0 hi,  1.0 si,  0.0 st

    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND
    812 proxy     20   0   18220  12202   8112 R  99.3   0.6 201:11.22 squid
";

#[test]
fn a_full_processor_of_a_proxy_is_of_the_way_through_it_alone() {
    let each = [[THROUGH, SLOW], [PAST, FAST]];
    let each = each.map(|[command, row]| format!("$ {command}\n{HEAD}{row}"));
    let d = of(&(each.concat() + PINGS + TOP), &Known::default());
    let [slow, fast] = &d.flows[..] else {
        panic!("{d:#?}");
    };
    assert_eq!(slow.verdict.cause, "host_cpu", "{:#?}", slow.verdict);
    let why = because(slow);
    let says = "a processor of proxy.corp is 99 % busy with squid";
    assert!(why.contains(says), "{why}");
    assert!(commands(slow).contains("workers N"), "{slow:#?}");
    assert!(asked(slow).iter().all(|fact| *fact != "proxy_rate_bps"));
    assert_ne!(fast.verdict.cause, "host_cpu", "{:#?}", fast.verdict);
    assert!(!because(fast).contains("squid"), "{fast:#?}");
}

/// A proxy that is faster than the way past it, or as fast, holds nothing.
#[test]
fn a_proxy_that_is_not_slower_is_not_the_cause() {
    let d = two([THROUGH, FAST], [PAST, SLOW]);
    for flow in &d.flows {
        assert_ne!(flow.verdict.cause, "proxy", "{:#?}", flow.verdict);
    }
    let why = because(&d.flows[1]);
    assert!(why.contains("the proxy keeps copies"), "{why}");
    let d = two([THROUGH, SLOW], [PAST, SLOW]);
    for flow in &d.flows {
        assert_ne!(flow.verdict.cause, "proxy", "{:#?}", flow.verdict);
        assert!(!because(flow).contains("the same file"), "{flow:#?}");
    }
}

#[test]
fn options_that_differ_are_said_with_the_faster_one() {
    let url = "-o /dev/null http://mirror.example.org/1g.bin";
    let [four, six] = ["-4", "-6"].map(|version| format!("curl {version} {url}"));
    let d = two([&four, SLOW], [&six, FAST]);
    assert_eq!(d.flows[0].name, "mirror.example.org > receiver (-4)");
    let why = because(&d.flows[0]);
    assert!(why.contains("with -6 the same file came at"), "{why}");
    let why = because(&d.flows[1]);
    assert!(why.contains("with -4 the same file came at"), "{why}");
}

/// What is asked of a copy that was tied to a version of IP goes by that version.
#[test]
fn round_trips_are_asked_for_by_the_version_of_the_copy() {
    let url = "-o /dev/null http://mirror.example.org/1g.bin";
    let text = format!("$ curl -4 {url}\n{HEAD}{SLOW}$ curl -6 {url}\n{HEAD}{FAST}");
    let d = of(&text, &Known::default());
    for (flow, version) in d.flows.iter().zip(["-4", "-6"]) {
        let commands: Vec<&str> = flow.missing.iter().map(|m| m.command.as_str()).collect();
        let ping = format!("ping {version} -c 20 mirror.example.org");
        assert!(commands.join("\n").contains(&ping), "{ping}: {commands:?}");
    }
}

/// A command whose address is not known stands between: what is below it is of no other.
#[test]
fn what_another_command_printed_is_not_of_the_one_before() {
    let looped = "for n in 1; do curl -o /dev/null $URL; done";
    let text = format!("$ {THROUGH}\n$ {looped}\n{HEAD}{SLOW}$ {PAST}\n{HEAD}{FAST}");
    let d = of(&text, &Known::default());
    let names: Vec<&str> = d.flows.iter().map(|f| f.name.as_str()).collect();
    let tested = |line: u32| format!("sender > receiver (test at ticket.txt:{line})");
    let [first, last] = names[..] else {
        panic!("{names:?}")
    };
    assert!(
        first == tested(5) && last.starts_with("sender > receiver (test at"),
        "{names:?}"
    );
}

/// What one command fetched twice has nothing beside it, and its ends stay unnamed.
#[test]
fn one_command_alone_is_not_compared() {
    let d = two([PAST, SLOW], [PAST, FAST]);
    for flow in &d.flows {
        assert!(
            flow.name.starts_with("sender > receiver (test at"),
            "{}",
            flow.name
        );
        assert!(!because(flow).contains("the same file"), "{flow:#?}");
    }
}

/// The same command twice, of which somebody wrote above each what differs.
#[test]
fn what_is_written_above_two_commands_sets_them_apart() {
    let text =
        format!("without VPN:\n$ {PAST}\n{HEAD}{FAST}\nwith VPN:\n$ {PAST}\n{HEAD}{SLOW}{PINGS}");
    let d = of(&text, &Known::default());
    let [fast, slow] = &d.flows[..] else {
        panic!("{d:#?}");
    };
    let why = because(slow);
    for says in [
        "by the same command \"without VPN\" the same file came at",
        "36.4 times as fast",
        "this one is \"with VPN\"",
    ] {
        assert!(why.contains(says), "{says}: {why}");
    }
    let why = because(fast);
    let says = "\"with VPN\" the same file came at";
    assert!(why.contains(says), "{why}");
}

/// The window was held against the 21.5 ms to the server, which nothing of this connection crosses.
#[test]
fn a_transfer_through_a_proxy_is_of_the_way_to_that() {
    let verbose = "$ curl -v -o /dev/null https://mirror.example.org/1g.bin
* Connected to proxy.corp (192.0.2.8) port 3128
> CONNECT mirror.example.org:443 HTTP/1.1
> Host: mirror.example.org:443
> Proxy-Connection: Keep-Alive
>
< HTTP/1.1 200 Connection established
";
    let wget = "$ wget http://mirror.example.org/1g.bin
Connecting to proxy.corp (proxy.corp)|192.0.2.8|:3128... connected.
Proxy request sent, awaiting response... 200 OK
2026-12-01 10:06:40 (2.56 MB/s) - ‘1g.bin’ saved [1073741824/1073741824]

";
    for (text, proxy) in [
        (format!("$ {THROUGH}\n{HEAD}{SLOW}"), "proxy.corp"),
        (format!("{verbose}{HEAD}{SLOW}"), "192.0.2.8"),
        (wget.to_owned(), "192.0.2.8"),
    ] {
        let d = of(&(text + PINGS), &Known::default());
        let flow = &d.flows[0];
        let begin = format!("{proxy} > receiver");
        assert!(flow.name.starts_with(&begin), "{}", flow.name);
        assert!(flow.name.contains("through this proxy"), "{}", flow.name);
        assert!(has_rtt(flow, 0.421), "{:#?}", flow.observed);
        let said = format!("goes through the proxy {proxy}:3128");
        assert!(d.notes.iter().any(|n| n.contains(&said)), "{:?}", d.notes);
    }
    // A ping to the server alone is of no leg of that way.
    let (_, server) = PINGS.split_at(PINGS.find("$ ping -c 10 mirror").expect("it is there"));
    let text = format!("$ {THROUGH}\n{HEAD}{SLOW}{server}");
    let d = of(&text, &Known::default());
    assert_eq!(
        d.flows[0].observed.rtt_ns, None,
        "{:#?}",
        d.flows[0].observed
    );
}
