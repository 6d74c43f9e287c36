//! What a sender's kernel added up of a connection by itself, however few its samples are.

use farpath_observe::Timers;
use farpath_units::Duration;
use serde::Serialize;

/// A kernel's totals of a connection (`tcpi_busy_time`, `tcpi_rwnd_limited` and `tcpi_sndbuf_limited`, Linux 4.10), seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Totals {
    /// Data waited to be sent or to be acknowledged.
    pub(super) busy_s: f64,
    /// Of that the receiver's window was used up.
    pub(super) receive_window_s: f64,
    /// Of that the program waited for room in the send buffer, and all in it was in flight.
    pub(super) send_buffer_s: f64,
}

/// From this share of the busy time on a limit is named.
const NAMED: f64 = 0.1;

impl Totals {
    /// Those of a kernel's timers; none where it has none, and where nothing was sent.
    pub(super) fn of(timers: Option<Timers>) -> Option<Totals> {
        let timers = timers?;
        let [busy_s, receive_window_s, send_buffer_s] =
            [timers.busy, timers.receive_window, timers.send_buffer].map(Duration::as_secs_f64);
        (busy_s > 0.0).then_some(Totals {
            busy_s,
            receive_window_s,
            send_buffer_s,
        })
    }

    /// What limited it by them; none where neither did for long, as other limits have no total.
    pub(super) fn words(&self) -> Option<String> {
        let share = |seconds: f64| seconds / self.busy_s.max(f64::MIN_POSITIVE);
        let mut limits = [
            ("the receiver's window", share(self.receive_window_s)),
            ("its send buffer", share(self.send_buffer_s)),
        ];
        limits.sort_by(|a, b| b.1.total_cmp(&a.1));
        let named = limits.iter().filter(|(_, share)| *share >= NAMED);
        let said: Vec<String> = named
            .map(|(limit, share)| format!("{limit} limited it {:.0} %", 100.0 * share.min(1.0)))
            .collect();
        let said = said.join(" and ");
        (!said.is_empty())
            .then(|| format!("{said} of the time it was busy (the kernel's own totals)"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_name_what_limited_for_long() {
        let said = |busy_s, receive_window_s, send_buffer_s| {
            let totals = Totals {
                busy_s,
                receive_window_s,
                send_buffer_s,
            };
            totals.words()
        };
        assert_eq!(
            said(8.0, 7.44, 0.1).as_deref(),
            Some(
                "the receiver's window limited it 93 % of the time it was busy (the kernel's own totals)"
            )
        );
        assert_eq!(
            said(10.0, 3.0, 5.0).as_deref(),
            Some(
                "its send buffer limited it 50 % and the receiver's window limited it 30 % of the time it was busy (the kernel's own \
                 totals)"
            )
        );
        assert_eq!(said(8.0, 0.1, 0.1), None);
    }
}
