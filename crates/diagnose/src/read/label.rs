//! Who printed what follows: a line `server:`, or the prompt before a command.

use super::{command, elsewhere};
use crate::redact;
use crate::seen::{Role, Side};

/// What a label says. It is in force until the next one, or until an empty line behind something that was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Label {
    /// The end that printed it, if the label says so.
    pub(super) side: Option<Role>,
    /// Name of the host, empty if only the end was named; [`WINDOWS`] at a prompt of Windows.
    pub(super) name: String,
    /// Whether it is a shell's prompt of a Unix.
    pub(super) unix: bool,
    /// Whether its mark is that of zsh, as macOS has it, or of csh: `%`.
    pub(super) percent: bool,
    /// Whether what is printed is of a host or container that the command names, and not of the one at whose prompt it was typed.
    pub(super) remote: bool,
    /// Whether something under it was read.
    pub(super) used: bool,
    /// Whether a command stands under it at a prompt without a name, which may be of another host.
    pub(super) unnamed: bool,
}

impl Label {
    /// What follows was printed by this host, as a line that names it alone says.
    pub(super) fn of_host(name: &str) -> Label {
        let host = name.rsplit('@').next().unwrap_or(name);
        Label {
            side: end(host.split('.').next().unwrap_or("")),
            name: redact(host),
            unix: true,
            remote: true,
            ..Label::default()
        }
    }

    /// A line under it that is not a label.
    pub(super) fn passes(&mut self, text: &str) {
        self.unnamed |= text.starts_with(['$', '%']) && is_typed(text);
    }
}

/// Longest line that is a label.
const LABEL_MAX: usize = 40;

/// Longest prompt.
const PROMPT_MAX: usize = 60;

/// The name of hosts whose prompt is a folder of Windows: no other host is called so.
pub(crate) const WINDOWS: &str = "C:\\";

/// Commands whose output is read: what follows a prompt has to begin with one.
const COMMANDS: [&str; 34] = [
    "sysctl",
    "iperf",
    "iperf2",
    "iperf3",
    "ping",
    "ss",
    "uname",
    "cat",
    "netstat",
    "nstat",
    "ethtool",
    "ip",
    "tc",
    "ifconfig",
    "nuttcp",
    "netperf",
    "grep",
    "sudo",
    "doas",
    "netsh",
    "top",
    "mpstat",
    "pidstat",
    "sar",
    "iostat",
    "tcpdump",
    "vmstat",
    "dmesg",
    "hostname",
    "ipconfig",
    "iw",
    "iwconfig",
    "conntrack",
    "lsusb",
];

/// Other commands that people type before what they paste.
const ALSO: [&str; 45] = [
    "arping",
    "nft",
    "rclone",
    "aria2c",
    "dd",
    "mtr",
    "traceroute",
    "tracepath",
    "tcptraceroute",
    "fping",
    "aws",
    "curl",
    "dig",
    "wget",
    "rsync",
    "scp",
    "nfsiostat",
    "fio",
    "owping",
    "pathping",
    "pgbench",
    "pscheduler",
    "globus",
    "globus-url-copy",
    "wg",
    "git",
    "apt",
    "apt-get",
    "speedtest",
    "speedtest-cli",
    "networkQuality",
    "Get-NetAdapter",
    "Get-NetAdapterStatistics",
    "Get-NetAdapterAdvancedProperty",
    "Get-NetAdapterRss",
    "Get-NetTCPSetting",
    "Get-SmbConnection",
    "Get-SmbMultichannelConnection",
    "smbstatus",
    "typeperf",
    "nslookup",
    "Resolve-DnsName",
    "ipconfig",
    "resolvectl",
    "systemd-resolve",
];

/// Reads a label; `before` is the one in force.
pub(super) fn label(text: &str, before: &Label) -> Option<Label> {
    if let Some(side) = heading(text) {
        return Some(Label {
            side: Some(side),
            ..Label::default()
        });
    }
    let far = elsewhere::host(text);
    let name = match (far, command::is_windows(text), prompt(text)) {
        (Some(host), ..) => redact(host),
        (None, true, _) => windows(text)?.to_owned(),
        (None, false, Some(name)) => redact(name),
        (None, false, None) => return nameless(text, before),
    };
    let same = before.name.is_empty() || before.name == name;
    Some(Label {
        side: end(name.split('.').next().unwrap_or("")).or(before.side.filter(|_| same)),
        name,
        unix: far.is_some() || is_unix(text),
        remote: far.is_some(),
        percent: mark(text).is_some_and(|at| text[at..].starts_with('%')),
        used: false,
        unnamed: false,
    })
}

/// What a prompt without a name says, `$ iperf3 -c far`: what is typed there is of a Unix, and of another host than what was typed at a
/// prompt of Windows, or at one of a shell whose mark is another: `%` beside `$`; and than one on which a command before it ran.
fn nameless(text: &str, before: &Label) -> Option<Label> {
    let first = text.chars().next()?;
    let typed = match first {
        '$' | '%' => is_typed(text),
        // A comment, or a heading, begins as root's prompt does.
        '#' => command::typed(text).is_some(),
        _ => false,
    };
    // Root's mark is the same in every shell.
    let percent = first == '%' || first == '#' && before.percent;
    let other = before.remote || before.unix && before.percent != percent;
    let named = !before.name.is_empty() && before.name != WINDOWS && !other;
    if !typed || named || !is_unix(text) {
        return None;
    }
    let side = before.side.filter(|_| before.name.is_empty() && !other);
    Some(Label {
        side,
        unix: true,
        percent,
        used: before.used && side.is_some(),
        ..Label::default()
    })
}

/// What shells of a Unix that run on Windows are called, and how its programs end.
const ON_WINDOWS: [&str; 4] = [".exe", "MINGW", "MSYS", "CYGWIN"];

/// Whether the prompt that a line begins with is one of a Unix: its mark is none of Windows, and nothing says that it runs there.
pub(super) fn is_unix(text: &str) -> bool {
    let mark = mark(text).and_then(|at| text[at..].chars().next());
    matches!(mark, Some('$' | '#' | '%')) && !ON_WINDOWS.iter().any(|w| text.contains(w))
}

/// What the name of a file calls the host it is of.
pub(super) fn role_of(name: &str) -> Option<Role> {
    let file = name
        .rsplit(['/', '\\'])
        .next()
        .unwrap_or(name)
        .to_ascii_lowercase();
    let roles = [
        ("sender", Role::End(Side::Sender)),
        ("receiver", Role::End(Side::Receiver)),
        ("client", Role::Client),
        ("server", Role::Server),
    ];
    let mut named = roles.iter().filter(|(word, _)| file.contains(word));
    let (_, role) = named.next()?;
    named.next().is_none().then_some(*role)
}

fn end(word: &str) -> Option<Role> {
    match word.to_ascii_lowercase().as_str() {
        "server" => Some(Role::Server),
        "receiver" => Some(Role::End(Side::Receiver)),
        "client" => Some(Role::Client),
        "sender" => Some(Role::End(Side::Sender)),
        _ => None,
    }
}

/// `server:`, `On the client:`, `== receiver ==`.
fn heading(text: &str) -> Option<Role> {
    if text.len() > LABEL_MAX || text.starts_with('-') && !text.ends_with('-') {
        return None;
    }
    let decoration = |c: char| matches!(c, '#' | '=' | '*' | '-' | '_' | '[' | ']' | ' ');
    let inner = text.trim_matches(decoration);
    let plain = inner.strip_suffix(':');
    if plain.is_none() && inner.len() == text.len() {
        return None;
    }
    let words = || {
        plain
            .unwrap_or(inner)
            .split([' ', ',', '\'', '(', ')'])
            .filter(|w| !w.is_empty())
    };
    let is_word = |w: &str| w.bytes().all(|b| b.is_ascii_alphabetic());
    if words().count() > 6 || !words().all(is_word) {
        return None;
    }
    let mut ends = words().filter_map(end);
    ends.next().filter(|_| ends.next().is_none())
}

/// What the host of a prompt of Windows is called, where a command that is read stands behind it: `C:\\iperf>`, `PS C:\\>`.
fn windows(text: &str) -> Option<&'static str> {
    let (_, command) = text.split_once('>')?;
    is_known(command).then_some(WINDOWS)
}

/// Whether a text begins with a command whose output is read, or one of several in a line does: `date; ethtool -S eth0`.
pub(super) fn is_command(text: &str) -> bool {
    runs(text, &COMMANDS)
}

/// Words of a shell that stand before a command: `for i in 1 2; do ss -ti; done`.
const BEFORE: [&str; 3] = ["do", "then", "time"];

/// Whether a text begins with one of these commands, or one of several in a line does.
fn runs(text: &str, commands: &[&str]) -> bool {
    let is_known = |part: &str| {
        let mut words = part.split_whitespace();
        let command = words.find(|word| !BEFORE.contains(word)).unwrap_or("");
        let command = command.rsplit(['/', '\\']).next().unwrap_or(command);
        commands.contains(&command.trim_end_matches(".exe"))
    };
    text.split([';', '&']).any(is_known)
}

/// What stands behind a prompt, if a line begins with one.
pub(super) fn behind_prompt(text: &str) -> Option<&str> {
    Some(text[mark(text)? + 1..].trim())
}

/// Whether a line is what was typed at a prompt, and nothing else: `$ dd if=a of=/dev/null`, `C:\\>ping b`.
pub(super) fn is_typed(text: &str) -> bool {
    let behind = behind_prompt(text).unwrap_or("");
    is_known(behind) || elsewhere::host(text).is_some()
}

/// Whether a text begins with a command that people type before what they paste, or one of several in a line does.
pub(super) fn is_known(text: &str) -> bool {
    is_command(text) || runs(text, &ALSO)
}

/// Where a prompt ends, if a line begins with one.
fn mark(text: &str) -> Option<usize> {
    let mut begin = text.char_indices().take(PROMPT_MAX);
    let ends = |c: &char| matches!(c, '#' | '$' | '%' | '>' | '}');
    begin.find(|(_, c)| ends(c)).map(|(at, _)| at)
}

/// The host of a shell's prompt: `server# `, `root@server:~$ `, `[root@server ~]# `, `rainbow:guest {159} `.
pub(super) fn prompt(text: &str) -> Option<&str> {
    let mark = mark(text)?;
    let typed = is_command(&text[mark + 1..]);
    host_of(&text[..mark]).filter(|_| typed)
}

/// The host of a Unix shell's prompt behind which any command stands that people type: `ws$ rsync -a big b:/data/`.
pub(super) fn shell_name(text: &str) -> Option<&str> {
    let mark = mark(text)?;
    let typed = is_unix(text) && is_known(&text[mark + 1..]);
    host_of(&text[..mark]).filter(|_| typed)
}

/// The name in a shell's prompt, whatever stands behind it.
pub(super) fn name_at_prompt(text: &str) -> Option<&str> {
    host_of(&text[..mark(text)?])
}

/// The host that a prompt names before its mark.
fn host_of(prompt: &str) -> Option<&str> {
    let head = prompt.trim_start_matches(['[', '(']);
    let head = head.split_once('@').map_or(head, |(_, host)| host);
    let end = head.find([':', ' ', ']', ')', '~']).unwrap_or(head.len());
    let name = &head[..end];
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_'));
    is_name.then_some(name)
}

/// The folder that stands before the mark of a prompt and names no host: `/ # cat a`, `~ $ ss`, `/app # ping b`.
pub(super) fn folder(text: &str) -> Option<&str> {
    let head = text[..mark(text)?].trim_end();
    head.starts_with(['/', '~']).then_some(head)
}

#[cfg(test)]
mod tests {
    use super::{Label, WINDOWS, end, folder, is_typed, label, prompt};

    #[test]
    fn a_prompt_may_show_a_folder_and_no_host() {
        for (typed, shown) in [
            ("/ # cat /sys/fs/cgroup/cpu.stat", Some("/")),
            ("~ $ iperf3 -c 192.0.2.9", Some("~")),
            ("/app # ss -tin", Some("/app")),
            ("$ ss -tin", None),
            ("# ss -tin", None),
            ("root@web:/# ss -tin", None),
        ] {
            assert_eq!(folder(typed), shown, "{typed}");
        }
    }

    #[test]
    fn what_was_typed_is_known_by_its_prompt() {
        for typed in [
            "$ dd if=/dev/zero of=a bs=1M count=4",
            "[root@recv ~]# ip -s link",
            "C:\\>ping 192.0.2.1",
            "sw$ date; ethtool -S eth0",
            "sw$ for i in 1 2; do ss -ti; sleep 1; done",
        ] {
            assert!(is_typed(typed), "{typed}");
        }
        for prose in ["Dear all,", "50 % of it", "$ ls", "the tunnel > gateway"] {
            assert!(!is_typed(prose), "{prose}");
        }
    }

    #[test]
    fn a_prompt_of_a_unix_is_of_another_host_than_one_of_windows() {
        let windows = Label {
            name: WINDOWS.to_owned(),
            ..Label::default()
        };
        let unnamed = Label {
            unix: true,
            ..Label::default()
        };
        for typed in [
            "$ iperf3 -c 192.0.2.9 -t 10",
            "# iperf3 -c 192.0.2.9",
            "$ ss -tin",
        ] {
            assert_eq!(label(typed, &windows), Some(unnamed.clone()), "{typed}");
        }
        for other in [
            "# iperf3 results",
            "$ ./iperf3.exe -c 192.0.2.9",
            "$ 100 a month",
        ] {
            assert_eq!(label(other, &windows), None, "{other}");
        }
        let named = |text: &str| label(text, &windows).map(|l| (l.name, l.unix));
        assert_eq!(
            named("[ops@srv7 ~]$ ss -tin"),
            Some(("srv7".to_owned(), true))
        );
        assert_eq!(
            named("srv7> ping 192.0.2.9"),
            Some(("srv7".to_owned(), false))
        );
        assert_eq!(
            named("C:\\>ping 192.0.2.9"),
            Some((WINDOWS.to_owned(), false))
        );
    }

    #[test]
    fn a_prompt_of_zsh_is_of_another_host_than_one_of_bash() {
        let server = Label {
            side: end("server"),
            unix: true,
            used: true,
            ..Label::default()
        };
        let mac = Label {
            unix: true,
            percent: true,
            ..Label::default()
        };
        let typed = "% sysctl net.inet.tcp.recvspace";
        assert_eq!(label(typed, &server), Some(mac));
        let kept = label("$ ss -ti", &server);
        assert_eq!(kept.map(|l| l.side), Some(server.side));
        // What curl prints above its meter, and what top does, is typed nowhere.
        for other in ["% Total    % Received % Xferd", "%Cpu(s): 1.0 us"] {
            assert_eq!(label(other, &server), None, "{other}");
        }
        let named = label("kenji@mbp ~ % sysctl net.inet.tcp", &Label::default());
        let named = named.map(|l| (l.name, l.percent));
        assert_eq!(named, Some(("mbp".to_owned(), true)));
    }

    #[test]
    fn a_table_of_processors_is_of_the_host_whose_prompt_stands_above_it() {
        for command in [
            "vmstat 1 5",
            "mpstat -P ALL 5 1",
            "sar -P ALL 5 1",
            "for i in 1 2; do vmstat 1 5; done",
        ] {
            assert_eq!(prompt(&format!("gw$ {command}")), Some("gw"));
        }
    }
}
