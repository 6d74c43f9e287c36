//! Commands that run another one on another host, in a container or in a network namespace: `ssh HOST iperf3`, `kubectl exec POD -- cat FILE`,
//! `docker exec NAME ss`, `ip netns exec NAME ss`.
//! What is printed then is of that host.

use super::label::{behind_prompt, is_command, is_known};

/// Programs that run a command in a container, behind the word `exec`.
const CONTAINERS: [&str; 7] = [
    "kubectl", "oc", "docker", "podman", "nerdctl", "lxc", "incus",
];

/// Options of these programs that have a value in the word behind them.
const VALUED: [&str; 10] = [
    "-n",
    "--namespace",
    "-c",
    "--container",
    "-u",
    "--user",
    "-e",
    "--env",
    "-w",
    "--workdir",
];

/// Options of ssh that have a value in the word behind them (ssh, 1).
const OF_SSH: &str = "BbcDEeFIiJLlmOopQRSWw";

/// Shells that run what stands behind `-c`, or what is typed below.
const SHELLS: [&str; 6] = ["sh", "bash", "ash", "/bin/sh", "/bin/bash", "/bin/ash"];

/// Programs that run a command on several hosts.
const ON_SEVERAL: [&str; 7] = [
    "pssh",
    "parallel-ssh",
    "pdsh",
    "dsh",
    "clush",
    "ansible",
    "salt",
];

/// What stands for the hosts of such a program: it is the name of none.
const SEVERAL: &str = "*";

/// The host or container whose output stands below a line, where a command behind its prompt runs there, and no other one prints beside it.
pub(super) fn host(text: &str) -> Option<&str> {
    let mut found: Option<&str> = None;
    for part in parts(behind_prompt(text)?) {
        match of_command(part) {
            Some(name) if found.is_some_and(|known| known != name) => return None,
            Some(name) => found = Some(name),
            None if is_command(part) => return None,
            None => {}
        }
    }
    found.filter(|name| is_name(name))
}

/// The commands of a line, as `;` and `&` part them outside of quotes.
pub(super) fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut quote: Option<char> = None;
    text.split(move |c: char| {
        match quote {
            Some(open) if open == c => quote = None,
            None if matches!(c, '\'' | '"') => quote = Some(c),
            _ => {}
        }
        quote.is_none() && matches!(c, ';' | '&')
    })
}

/// Where one command runs another that is known: `ssh b ss`, `do ssh $h ss`, `echo a b | xargs -I{} ssh {} ss`.
pub(super) fn of_command(part: &str) -> Option<&str> {
    let run = match part.split_once("xargs ") {
        Some((_, run)) => &run[run.find("ssh ")?..],
        None => part,
    };
    let mut words = run.split_whitespace();
    let mut program = words.next()?;
    while matches!(program, "sudo" | "do" | "then" | "time") {
        program = words.next()?;
    }
    if ON_SEVERAL.contains(&program) {
        let bare = |word: &str| is_known(word.trim_start_matches(['\'', '"']));
        return words.any(bare).then_some(SEVERAL);
    }
    let (name, inner) = match program {
        "ssh" => {
            let name = behind_options(&mut words, |option| {
                let mut letters = option.chars().skip(1);
                let first = letters.next().is_some_and(|c| OF_SSH.contains(c));
                first && letters.next().is_none()
            })?;
            (name, words.next()?)
        }
        // A network of its own on the same host, as a container has it.
        "ip" => {
            let runs = words.next()? == "netns" && words.next()? == "exec";
            let name = words.next().filter(|_| runs)?;
            (name, words.next()?)
        }
        _ if CONTAINERS.contains(&program) => {
            words.find(|word| *word == "exec")?;
            let name = behind_options(&mut words, |option| VALUED.contains(&option))?;
            let rest: Vec<&str> = words.collect();
            let behind = rest.iter().position(|word| *word == "--");
            let inner = &rest[behind.map_or(0, |at| at + 1)..];
            let runs = is_inner(inner) || matches!(inner, [shell] if SHELLS.contains(shell));
            return runs.then(|| name.rsplit('/').next().unwrap_or(name));
        }
        _ => return None,
    };
    let rest: Vec<&str> = core::iter::once(inner).chain(words).collect();
    let host = name.rsplit('@').next().unwrap_or(name);
    is_inner(&rest).then_some(host)
}

/// The first word that is neither an option nor the value of one.
fn behind_options<'t>(
    words: &mut impl Iterator<Item = &'t str>,
    valued: impl Fn(&str) -> bool,
) -> Option<&'t str> {
    while let Some(word) = words.next() {
        if !word.starts_with('-') {
            return Some(word);
        }
        if valued(word) {
            words.next();
        }
    }
    None
}

/// Whether these words begin with a command that is known, or with a shell that runs one.
fn is_inner(words: &[&str]) -> bool {
    let bare = |word: &&str| is_known(word.trim_start_matches(['\'', '"']));
    match words {
        [shell, option, rest @ ..] if SHELLS.contains(shell) && option.ends_with('c') => {
            rest.first().is_some_and(bare)
        }
        [first, ..] => bare(first),
        [] => false,
    }
}

/// Whether a word may be the name or the address of a host.
fn is_name(word: &str) -> bool {
    let is_part = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_' | b':');
    word.starts_with(|c: char| c.is_ascii_alphanumeric()) && word.bytes().all(is_part)
}

#[cfg(test)]
mod tests {
    use super::host;

    #[test]
    fn what_runs_elsewhere_names_its_host() {
        for (typed, name) in [
            ("$ kubectl exec api-7c9 -- iperf3 -c 10.244.3.9", "api-7c9"),
            (
                "$ kubectl -n shop exec -it pod/api-7c9 -c app -- cat /sys/fs/cgroup/cpu.stat",
                "api-7c9",
            ),
            (
                "$ sleep 30; ssh api-7c9 cat /sys/fs/cgroup/cpu.stat",
                "api-7c9",
            ),
            ("a$ ssh -p 2222 -q root@192.0.2.7 ss -tin", "192.0.2.7"),
            ("a$ ssh gw1 ss -tin; echo done", "gw1"),
            ("# ip netns exec ns1 iperf3 -c 192.0.2.9", "ns1"),
            ("a$ sudo ip netns exec ns1 ss -tin", "ns1"),
            ("a$ ssh gw1 'ss -tin; nstat -az'", "gw1"),
            ("a# sudo docker exec -u root db1 sh -c 'ss -tin'", "db1"),
            ("PS C:\\> ssh gw1 ping -c 3 b", "gw1"),
            ("$ kubectl exec -it api-7c9 -- sh", "api-7c9"),
            ("a# docker exec -it db1 bash", "db1"),
        ] {
            assert_eq!(host(typed), Some(name), "{typed}");
        }
        for other in [
            "$ ssh gw1",
            "$ ssh gw1 'iperf3 -s -D' && iperf3 -c gw1",
            "$ kubectl exec $POD -- cat /sys/fs/cgroup/cpu.stat",
            "$ docker ps",
            "$ docker exec -it db1 psql",
            "ssh gw1 ss -tin",
            "$ iperf3 -c a; ssh gw1 ss -tin",
            "$ ssh gw1 ss -tin; ssh gw2 ss -tin",
            "$ echo gw1 gw2 | xargs -n1 -I{} ssh {} ss -tin",
            "$ pdsh -w gw1,gw2 ss -tin",
            "a# ip link show eth0",
            "a# ip netns exec ns1 bash",
        ] {
            assert_eq!(host(other), None, "{other}");
        }
    }
}
