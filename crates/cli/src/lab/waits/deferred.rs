//! That the server's kernel kept a connection from its program though the command had acknowledged it.
//!
//! With TCP_DEFER_ACCEPT a server that speaks first waits for data that does not come. Linux sends its SYN-ACK again when that time is over: 3 s or
//! more but for the shortest of these. One that did so a second later may have found its accept queue full as well.

use farpath_units::Duration;

use super::Waits;
use crate::lab::sender::SENDERS;

/// A kernel that finds its accept queue full sends the SYN-ACK again after a second (RFC 6298 §2), and one that defers may wait for longer.
const FULL_QUEUE: Duration = Duration::from_secs(2);

/// A smaller part of a connection's time is not named.
const NAMED: f64 = 0.1;

impl Waits {
    /// That the server's kernel did so, behind what else is said of a connection of this `time`; empty where it took little of that.
    pub(in crate::lab) fn deferred_words(&self, time: Duration) -> String {
        let Some(deferred) = self.deferred else {
            return String::new();
        };
        let seconds = deferred.held.as_secs_f64();
        if seconds < NAMED * self.all(time) {
            return String::new();
        }
        let [command, server] = SENDERS;
        let why = match deferred.first >= FULL_QUEUE {
            true => "it waits for data before its program has the connection (TCP_DEFER_ACCEPT)",
            false => {
                "its accept queue was full, or it waits for data before its program has the connection (TCP_DEFER_ACCEPT)"
            }
        };
        format!(
            "; for {seconds:.1} s the kernel of {server} had the acknowledgement of {command}, and sent its SYN-ACK again: {why}"
        )
    }
}

#[cfg(test)]
mod tests {
    use farpath_emu::plane::{Deferred, Turns};

    use super::*;

    /// A connection of 7.5 s whose server's kernel sent its SYN-ACK again after so many milliseconds; and one where it did not.
    #[test]
    fn a_kernel_that_defers_its_program_is_named() {
        let said = |first: Option<u64>| {
            let ends = ["198.18.0.1:4000", "198.18.0.2:25"].map(|end| end.parse().expect(end));
            let turns = Turns {
                span: Duration::from_ms(7500),
                deferred: first.map(|first| Deferred {
                    first: Duration::from_ms(first),
                    held: Duration::from_ms(first - 100),
                }),
                ..Turns::between(ends)
            };
            Waits::of(&turns, 1).deferred_words(Duration::ZERO)
        };
        let words = "; for 7.1 s the kernel of the server had the acknowledgement of your command, and sent its SYN-ACK again: it waits for data before its program has the connection (TCP_DEFER_ACCEPT)";
        assert_eq!(said(Some(7200)), words);
        let either = said(Some(1040));
        assert!(
            either.contains("its accept queue was full, or it waits for data"),
            "{either}"
        );
        assert_eq!(said(Some(500)), "", "it is little of the time");
        assert_eq!(said(None), "");
    }
}
