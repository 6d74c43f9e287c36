//! Commands in one line that ask several interfaces, or several hosts: what they print without a name may be of any of them.

use super::label::Label;
use super::{Facts, Line, NOTES_MAX, elsewhere, label};
use crate::fact::Place;

/// What asks for an interface, before its name.
const ASKS: [&str; 2] = ["ethtool ", "qdisc show dev "];

/// What a line that was typed without a prompt begins with.
const BARE: [&str; 4] = ["ethtool ", "sudo ethtool ", "tc ", "for "];

/// Most hosts of a loop that are kept.
const LOOPED_MAX: usize = 64;

/// What people have a loop print around the name of each host: `== a ==`, `--- a`, `a:`.
const AROUND: [char; 6] = ['=', '-', '#', '*', ':', ' '];

/// How ansible and pssh say how a command went, before or behind the name of its host.
const WENT: [&str; 4] = ["SUCCESS", "CHANGED", "FAILED", "FAILURE"];

impl Facts {
    /// A line that was typed: whether what follows is of several interfaces or hosts, up to the next such line.
    pub(super) fn typed_mixed(&mut self, line: Line<'_>) {
        if let Some(host) = self.heads_host(line.bare) {
            let host = Label::of_host(host);
            self.labels(host, line.at);
            return;
        }
        let far = is_of_hosts(line.bare);
        let typed = label::is_typed(line.bare) || BARE.iter().any(|b| line.bare.starts_with(b));
        if !typed && !far {
            return;
        }
        self.mixed_hosts = far.then_some(line.at);
        self.looped_hosts = match far {
            true => looped_hosts(line.bare),
            false => Vec::new(),
        };
        self.mixed_ports = is_mixed(line.bare).then_some(line.at);
    }

    /// The host whose output stands below a line, where that is its name alone, of a loop over hosts, or a heading of ansible or pssh.
    fn heads_host<'t>(&self, text: &'t str) -> Option<&'t str> {
        let bare = text.trim_matches(AROUND);
        let looped = || self.looped_hosts.iter().any(|host| host == bare);
        went(text).or_else(|| Some(bare).filter(|_| looped()))
    }

    /// Says once that something below a line for several interfaces is left out.
    pub(super) fn leaves_unnamed(&mut self) {
        self.leaves(self.mixed_ports, "interfaces");
    }

    /// Says once that something below a line for several hosts is left out.
    pub(super) fn leaves_unplaced(&mut self) {
        self.leaves(self.mixed_hosts, "hosts");
    }

    fn leaves(&mut self, at: Option<Place>, whom: &str) {
        let Some(at) = at else {
            return;
        };
        let note = format!(
            "{}: this line asks several {whom}, and what it prints without a name is left out: a line for each says which is which",
            self.place(at)
        );
        if !self.notes.contains(&note) && self.notes.len() < NOTES_MAX {
            self.notes.push(note);
        }
    }
}

/// What prints something of the host that it runs on, and does not name it.
const OF_HOST: [&str; 21] = [
    "sysctl", "cat", "grep", "ss", "netstat", "nstat", "ethtool", "ip", "tc", "ifconfig", "iw",
    "uname", "dmesg", "top", "mpstat", "pidstat", "sar", "iostat", "vmstat", "head", "tail",
];

/// Whether a command line asks another host beside this one, or several: `sysctl KEY; ssh b sysctl KEY`, `for h in a b; do ssh $h nstat; done`.
fn is_of_hosts(text: &str) -> bool {
    let Some(behind) = label::behind_prompt(text) else {
        return false;
    };
    let says = |part: &&str| {
        let mut words = part.split(|c: char| c.is_whitespace() || matches!(c, '\'' | '"'));
        words.any(|word| OF_HOST.contains(&word.rsplit('/').next().unwrap_or(word)))
    };
    let asked = elsewhere::parts(behind).filter(says);
    let hosts: Vec<Option<&str>> = asked.map(elsewhere::of_command).collect();
    let far = hosts.iter().any(Option::is_some);
    let several = hosts.iter().any(|host| *host != hosts[0]);
    far && (several || elsewhere::host(text).is_none())
}

/// The hosts of `for h in a b; do ssh $h nstat; done`.
fn looped_hosts(text: &str) -> Vec<String> {
    let list = text
        .split_once("for ")
        .and_then(|(_, rest)| rest.split_once(" in "));
    let list = list.and_then(|(_, rest)| rest.split([';', '\n']).next());
    let is_host = |word: &&str| word.starts_with(|c: char| c.is_ascii_alphanumeric());
    let words = list.unwrap_or("").split_whitespace().filter(is_host);
    words.take(LOOPED_MAX).map(str::to_owned).collect()
}

/// The host of `a | CHANGED | rc=0 >>` of ansible, and of `[1] 10:00:01 [SUCCESS] a` of pssh.
fn went(text: &str) -> Option<&str> {
    if let Some((name, rest)) = text.split_once(" | ") {
        let (how, code) = rest.split_once(" | ")?;
        return (WENT.contains(&how) && code.starts_with("rc=")).then_some(name);
    }
    let numbered = text.starts_with('[') && text[1..].starts_with(|c: char| c.is_ascii_digit());
    let (before, name) = text.rsplit_once("] ").filter(|_| numbered)?;
    let (_, how) = before.rsplit_once('[')?;
    let alone = !name.contains(char::is_whitespace);
    (WENT.contains(&how) && alone).then_some(name)
}

/// Whether a command line asks more than one interface: `ethtool -S a | grep crc; ethtool -S b | grep crc`, or a loop over them. One that
/// asks the same one twice, with a pause between, does not.
fn is_mixed(text: &str) -> bool {
    let looped = looped(text);
    ASKS.iter().any(|asks| {
        let mut parts = text.split(*asks);
        let mut far = parts.next().and_then(far_host);
        let mut first = None;
        for part in parts {
            let Some(name) = name(part) else {
                continue;
            };
            let varies = |word: &str| {
                let is_it = |var: &str| word.trim_matches(['$', '{', '}']) == var;
                word.starts_with('$') && looped.is_some_and(is_it)
            };
            let is_loop = varies(name) || far.is_some_and(varies);
            let asked = (far, name);
            if is_loop || *first.get_or_insert(asked) != asked {
                return true;
            }
            far = far_host(part).or(far);
        }
        false
    })
}

/// The host on which the next command runs: `b` of `; ssh b `.
fn far_host(text: &str) -> Option<&str> {
    let (_, rest) = text.rsplit_once("ssh ")?;
    rest.split_whitespace().next()
}

/// The interface that is asked, behind the program and its option: `-S eth0 | grep crc`.
fn name(part: &str) -> Option<&str> {
    let mut words = part.split_whitespace();
    let word = words.find(|word| !word.starts_with('-'))?;
    let name = word.trim_matches(['"', '\'', ';', '&', ')']);
    let is_name = name.starts_with(|c: char| c == '$' || c.is_ascii_alphabetic());
    is_name.then_some(name)
}

/// The variable of a loop: `i` of `for i in eth0 eth1; do`.
fn looped(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("for ")?;
    let mut words = rest.split_whitespace();
    words.next().filter(|_| words.next() == Some("in"))
}

#[cfg(test)]
mod tests {
    use super::{is_mixed, is_of_hosts};
    use crate::read::taken::whole;

    #[test]
    fn a_line_may_ask_several_interfaces() {
        for text in [
            "$ ethtool -S ens1f0 | grep crc; ethtool -S eno1 | grep crc",
            "$ ethtool -S ens1f0 | grep crc && ethtool -S eno1 | grep crc",
            "$ ethtool eno1 | grep Speed; ethtool ens2f0 | grep Speed",
            "$ for i in ens1f0 eno1; do ethtool -S $i | grep crc; done",
            "$ for i in a1 b1; do echo $i; ethtool \"${i}\" | grep Speed; done",
            "$ ethtool eno1 | grep Speed; ssh b ethtool eno1 | grep Speed",
        ] {
            assert!(is_mixed(text), "{text}");
        }
        for text in [
            "$ ethtool -S eno1 | grep -E 'crc|fcs'",
            "$ ethtool -S eno1 | grep crc; sleep 20; ethtool -S eno1 | grep crc",
            "$ ethtool eno1 | grep Speed; ethtool -S eno1 | grep crc",
            "$ for i in 1 2 3; do ethtool -S eno1 | grep crc; sleep 5; done",
            "$ ssh b ethtool -S eno1 | grep crc; sleep 9; ssh b ethtool -S eno1 | grep crc",
            "$ date; ethtool -S eno1",
        ] {
            assert!(!is_mixed(text), "{text}");
        }
    }

    #[test]
    fn counters_of_several_interfaces_are_no_readings_of_one() {
        let counts = "     rx_crc_errors: 0\n     rx_crc_errors: 1120\n";
        let asked = "[op@dst ~]$ ethtool -S ens1f0 | grep crc; ethtool -S eno1 | grep crc\n";
        let (facts, _) = whole(&format!("{asked}{counts}"));
        assert!(facts.counters.is_empty());
        let said = "this line asks several interfaces";
        assert!(facts.notes.iter().any(|n| n.contains(said)));
        let speeds = "$ ethtool eno1 | grep Speed; ethtool ens2f0 | grep Speed\n\tSpeed: 1000Mb/s\n\tSpeed: 10000Mb/s\n";
        assert!(whole(speeds).0.negotiated.is_empty());
        // The next command is of its own interface again.
        let (facts, _) = whole(&format!(
            "{speeds}$ ethtool eno1 | grep Speed\n\tSpeed: 1000Mb/s\n"
        ));
        assert_eq!(facts.negotiated.len(), 1);
        // With the names that ethtool prints, each is of its own.
        let heads = "$ ethtool eno1; ethtool eno2\nSettings for eno1:\n\tSpeed: 1000Mb/s\nSettings for eno2:\n\tSpeed: 10000Mb/s\n";
        assert_eq!(whole(heads).0.negotiated.len(), 2);
    }

    /// What a fact of `net.core.rmem_max` is called.
    const ROOM: &str = "core_rmem_max_bytes";

    #[test]
    fn settings_of_several_hosts_are_of_none() {
        for text in [
            "[noc@a1 ~]$ sysctl net.ipv4.tcp_wmem; ssh b1 sysctl net.ipv4.tcp_rmem",
            "[noc@a1 ~]$ ssh a sysctl net.ipv4.tcp_rmem; ssh b sysctl net.ipv4.tcp_rmem",
            "$ for h in a b; do ssh $h sysctl net.ipv4.tcp_rmem; done",
            "[noc@a1 ~]$ echo a b | xargs -n1 -I{} ssh {} sysctl net.ipv4.tcp_rmem",
            "[noc@a1 ~]$ ssh b1 cat /proc/net/snmp; sysctl net.core.rmem_max",
            "[noc@a1 ~]$ ansible all -m shell -a 'sysctl net.core.rmem_max'",
        ] {
            assert!(is_of_hosts(text), "{text}");
            let (facts, _) = whole(&format!("{text}\nnet.core.rmem_max = 212992\n"));
            assert!(!facts.facts.iter().any(|f| f.name == ROOM), "{text}");
        }
        for text in [
            "[noc@a1 ~]$ sysctl net.ipv4.tcp_wmem; sysctl net.ipv4.tcp_rmem",
            "[noc@a1 ~]$ ssh b1 sysctl net.ipv4.tcp_rmem",
            "[noc@a1 ~]$ ssh b1 'sysctl net.ipv4.tcp_rmem; cat /proc/net/snmp'",
            "[noc@a1 ~]$ ssh b1 iperf3 -s -D; sysctl net.ipv4.tcp_rmem",
            "[noc@a1 ~]$ sysctl net.ipv4.tcp_rmem",
        ] {
            assert!(!is_of_hosts(text), "{text}");
            let (facts, _) = whole(&format!("{text}\nnet.core.rmem_max = 212992\n"));
            assert!(facts.facts.iter().any(|f| f.name == ROOM), "{text}");
        }
    }

    #[test]
    fn what_several_hosts_print_behind_one_prompt_is_of_none() {
        let above = "[noc@a1 ~]$ ssh b1 nstat -az; nstat -az\n";
        let counts = "#kernel\nTcpInSegs  900  0.0\nTcpExtTCPRcvQDrop  5310  0.0\n";
        let (facts, _) = whole(&format!("{above}{counts}{counts}"));
        assert!(!facts.hosts.is_empty());
        for (n, names) in (0_u32..).zip(&facts.hosts) {
            assert!(names.is_empty() && facts.aside.is_mixed(n));
        }
        let said = "this line asks several hosts";
        assert!(facts.notes.iter().any(|n| n.contains(said)));
        // Sockets name their ends, and tie no address to the prompt.
        let sockets = "ESTAB 0 0 192.0.2.9:5201 192.0.2.1:40112\n\t cubic rtt:80.1/1 mss:1448 cwnd:10\nESTAB 0 0 192.0.2.1:40112 192.0.2.9:5201\n\t cubic rtt:80.1/1 mss:1448 cwnd:10\n";
        let (facts, _) = whole(&format!("[noc@a1 ~]$ ssh b1 ss -tin; ss -tin\n{sockets}"));
        assert!(facts.shells.is_empty(), "{:?}", facts.shells);
    }

    #[test]
    fn what_stands_below_the_name_of_a_host_is_of_that() {
        let room = |bytes: u32| format!("net.core.rmem_max = {bytes}\n");
        let both = |first: &str, second: &str| {
            format!("{first}\n{}{second}\n{}", room(212_992), room(425_984))
        };
        for text in [
            "$ for h in a1 b1; do echo \"== $h\"; ssh $h sysctl net.core.rmem_max; done\n"
                .to_owned()
                + &both("== a1", "== b1"),
            "$ ansible all -m shell -a 'sysctl net.core.rmem_max'\n".to_owned()
                + &both("a1 | CHANGED | rc=0 >>", "b1 | CHANGED | rc=0 >>"),
            "$ pssh -i -H 'a1 b1' sysctl net.core.rmem_max\n".to_owned()
                + &both("[1] 10:00:01 [SUCCESS] a1", "[2] 10:00:01 [SUCCESS] b1"),
        ] {
            let (facts, _) = whole(&text);
            let names: Vec<&str> = facts.hosts.iter().flatten().map(String::as_str).collect();
            assert_eq!(names, ["a1", "b1"], "{text}");
            let read = facts.facts.iter().filter(|f| f.name == ROOM);
            assert_eq!(read.count(), 2, "{text}");
        }
        // Rows of iperf begin with a number in brackets, too.
        assert_eq!(super::went("[  5] local 192.0.2.1 port 40112"), None);
        assert_eq!(super::went("[5] 0.00-1.00 sec"), None);
    }

    #[test]
    fn one_interface_twice_is_read_twice() {
        let text = "[op@dst ~]$ ethtool -S eno1 | grep crc; sleep 20; ethtool -S eno1 | grep crc\n     rx_crc_errors: 1098\n     rx_crc_errors: 1120\n";
        assert_eq!(whole(text).0.counters.len(), 2);
    }
}
