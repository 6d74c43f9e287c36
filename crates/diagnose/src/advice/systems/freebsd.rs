//! Buffers of a FreeBSD: what they grow to, and whether they grow at all (tcp(4), "MIB Variables").

use super::{Buffers, End, LARGEST, Remedy, before, kept_by_bsd, larger, memory};

/// Commands that give a socket room for `wanted` bytes in flight. With tuning off the most that it would give counts for nothing.
pub(super) fn buffer(wanted: f64, end: End, now: &Buffers) -> Remedy {
    let enough = now.high_enough(wanted).filter(|_| now.fixed);
    let mut remedy = enough.unwrap_or_else(|| largest(wanted, end, now));
    if now.fixed {
        let key = format!("net.inet.tcp.{}buf_auto", way(end));
        remedy.commands.insert(0, format!("sysctl {key}=1"));
        remedy.undo.push(format!("sysctl {key}=0"));
        remedy.persist.insert(0, kept_by_bsd(&key, 1));
    }
    remedy
}

/// A higher limit of what tuning gives, and of what any socket gets.
fn largest(wanted: f64, end: End, now: &Buffers) -> Remedy {
    let twice = larger(wanted * 2.0, now.most);
    let auto = format!("net.inet.tcp.{}buf_max", way(end));
    let all = "kern.ipc.maxsockbuf";
    let most = twice
        .saturating_mul(2)
        .min(LARGEST)
        .max(now.core.unwrap_or(0));
    Remedy {
        commands: vec![
            format!("sysctl {all}={most}"),
            format!("sysctl {auto}={twice}"),
        ],
        undo: vec![
            before(&auto, now.most, "sysctl "),
            before(all, now.core, "sysctl "),
        ],
        persist: vec![kept_by_bsd(all, most), kept_by_bsd(&auto, twice)],
        risk: format!(
            "{}; `netstat -m` shows whether mbufs run out",
            memory(twice)
        ),
        room: Some(twice),
    }
}

/// What the names of an end's settings begin with.
fn way(end: End) -> &'static str {
    match end {
        End::Receiver => "recv",
        End::Sender => "send",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1 MB in flight takes 2 MB of buffer: the most of 2 MiB is enough, that of 1 MiB is not.
    #[test]
    fn buffers_that_do_not_grow_are_let_grow_first() {
        let of = |most: u64, fixed: bool| {
            let now = Buffers {
                most: Some(most),
                core: Some(2_097_152),
                space: Some(262_144),
                fixed,
                ..Buffers::default()
            };
            buffer(1e6, End::Sender, &now)
        };
        let enough = of(2_097_152, true);
        assert_eq!(enough.commands, ["sysctl net.inet.tcp.sendbuf_auto=1"]);
        assert_eq!(enough.undo, ["sysctl net.inet.tcp.sendbuf_auto=0"]);
        assert_eq!(enough.room, Some(2_097_152));
        let more = of(1_048_576, true);
        assert_eq!(more.commands[0], "sysctl net.inet.tcp.sendbuf_auto=1");
        assert!(more.commands[2].starts_with("sysctl net.inet.tcp.sendbuf_max="));
        assert_eq!(more.undo.len(), more.commands.len());
        assert_eq!(more.persist.len(), more.commands.len());
        let grows = of(1_048_576, false);
        assert!(!grows.commands.join("\n").contains("sendbuf_auto"));
    }
}
