//! Accept queues that were full: connections wait until their handshake is sent again, and the program that listens seems slow.

use farpath_emu::Host;
use farpath_record::count_of;

/// A sentence for each host on which new connections found the accept queue of a program full, by its kernel's count.
pub(super) fn accept_queues(hosts: &[Host]) -> Vec<String> {
    let of = |host: &Host| {
        // A host that is gone is a fault of the certificate.
        let counters = host.counters().ok()?;
        full(&host.name, counters.listen_overflows)
    };
    hosts.iter().filter_map(of).collect()
}

/// That new connections found one full on this host, so many times; none where it was none.
fn full(host: &str, times: u64) -> Option<String> {
    (times > 0).then(|| {
        format!(
            "on host `{host}` new connections found the accept queue of a program full {}: a SYN, or the last part of a handshake, was \
             dropped, and its connection waited until one was sent again, which may count as the server's time. A larger backlog in \
             listen(), and in net.core.somaxconn, which bounds it, holds more of them",
            count_of(times, "time", "times")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `listen(1)` and eight clients at once.
    #[test]
    fn an_accept_queue_that_overflows_is_named_with_its_remedy() {
        let said = full("server", 11).expect("it was full");
        for words in [
            "host `server`",
            "full 11 times",
            "listen()",
            "net.core.somaxconn",
        ] {
            assert!(said.contains(words), "{said}");
        }
        assert!(full("server", 1).is_some_and(|said| said.contains("full 1 time:")));
        assert_eq!(full("server", 0), None);
    }
}
