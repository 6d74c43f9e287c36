//! Responses that were lost on their way to the client: where they are captured behind the loss, they seem to be late.

use farpath_record::count_of;
use farpath_record::trace::TraceConnection;

use crate::connection::{Connection, Vantage};

/// A sender's retransmission timer is no shorter than this in Linux (`TCP_RTO_MIN`), nanoseconds.
const TIMER_LEAST_NS: u64 = 200_000_000;

/// What of the time before responses is known to be a loss's, and that more of the server's may be where the capture cannot decide it.
pub(crate) fn notes(connection: &Connection, described: &TraceConnection) -> Vec<String> {
    let Some(totals) = &described.request_totals else {
        return Vec::new();
    };
    let (lost, waited_ns) = connection.exchanges.lost(connection.turns());
    let mut notes = Vec::new();
    if lost > 0 {
        notes.push(format!(
            "{} lost before any of it came here, by the numbers of the server's acknowledgements: {:.2} s until it was sent again are time of \
             the response, and not of the server",
            count_of(lost, "response was", "responses were"),
            waited_ns as f64 / 1e9
        ));
    }
    let is_at_client = connection.vantage() == Vantage::At(connection.client);
    let is_late = totals.server_thinking_max_ns >= TIMER_LEAST_NS;
    let is_lossy = lost > 0 || described.requests.iter().any(|r| r.repeated);
    if is_at_client && is_late && is_lossy {
        notes.push(
            "captured at the client: a response that was lost and sent again counts as time of the server where nothing shows here that it was \
             sent before; a capture at the server decides it"
                .to_owned(),
        );
    }
    notes
}
