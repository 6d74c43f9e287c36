//! How a connection began, and what was asked on it, as text.

use farpath_record::count_of;
use farpath_record::quantity::quantity;
use farpath_record::trace::{Request, TraceConnection};

/// Requests that are printed, those that took longest.
const REQUESTS_MAX: usize = 3;

fn time(ns: u64) -> String {
    quantity("duration_ns", ns as f64)
}

/// Name, handshake, TLS.
pub(super) fn opening(connection: &TraceConnection) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(name) = &connection.name {
        lines.push(format!("name of {}: {name}", connection.b));
    }
    if let Some(ns) = connection.handshake_rtt_ns {
        let mut text = format!("handshake: {}", quantity("rtt_ns", ns as f64));
        let opening = connection.opening.as_ref();
        if let Some(answer) = opening.and_then(|o| o.syn_ack_ns) {
            text += &format!(", SYN-ACK after {}", time(answer));
        }
        lines.push(text);
    }
    if let Some(tls) = &connection.tls {
        let mut text = "TLS".to_owned();
        if let Some(version) = &tls.version {
            text += &format!(" {version}");
        }
        if let Some(ns) = tls.handshake_ns {
            text += &format!(": handshake {}", time(ns));
        }
        if let Some(code) = tls.alert {
            text += &format!(": ended by alert {code}");
        }
        lines.push(text);
    }
    lines
}

/// Requests in all, and those that took longest.
pub(super) fn requests(connection: &TraceConnection) -> Vec<String> {
    let Some(t) = &connection.request_totals else {
        return Vec::new();
    };
    let mut text = format!(
        "{}: client sending {}, wire {}, server {}, response {}, client {}",
        count_of(t.requests, "request", "requests"),
        time(t.client_sending_ns),
        time(t.wire_ns),
        match t.requests {
            0 | 1 => time(t.server_thinking_ns),
            _ => format!(
                "{} in all, the longest {}",
                time(t.server_thinking_ns),
                time(t.server_thinking_max_ns)
            ),
        },
        time(t.response_ns),
        time(t.client_thinking_ns)
    );
    if t.slow_reader_ns > 0 {
        text += &format!(
            "; the client's window was closed for {}",
            time(t.slow_reader_ns)
        );
    }
    let mut lines = vec![text];
    let took = |r: &Request| r.client_sending_ns + r.wire_ns + r.server_thinking_ns + r.response_ns;
    let mut longest: Vec<&Request> = connection.requests.iter().collect();
    longest.sort_by_key(|r| (std::cmp::Reverse(took(r)), r.at_ns));
    match longest.len() {
        0 | 1 => {}
        all if all > REQUESTS_MAX => lines.push(format!("the slowest {REQUESTS_MAX} of {all}:")),
        _ => lines.push("the slowest first:".to_owned()),
    }
    for r in longest.into_iter().take(REQUESTS_MAX) {
        lines.push(format!(
            "  at {}: {} asked, {} answered in {}: client sending {}, wire {}, server {}, response {}{}{}",
            time(r.at_ns),
            quantity("bytes", r.request_bytes as f64),
            quantity("bytes", r.response_bytes as f64),
            time(took(r)),
            time(r.client_sending_ns),
            time(r.wire_ns),
            time(r.server_thinking_ns),
            time(r.response_ns),
            if r.repeated {
                "; segments of it were sent again"
            } else {
                ""
            },
            if r.tls_handshake {
                " (TLS handshake)"
            } else {
                ""
            }
        ));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use farpath_record::trace::RequestTotals;

    fn asked(took: &[u64]) -> Vec<String> {
        let mut totals = RequestTotals::default();
        let request = |(n, ms): (usize, &u64)| Request {
            at_ns: n as u64 * 1_000_000_000,
            server_thinking_ns: ms * 1_000_000,
            ..Request::default()
        };
        let all: Vec<Request> = took.iter().enumerate().map(request).collect();
        all.iter().for_each(|r| totals.add(r));
        requests(&TraceConnection {
            requests: all,
            request_totals: Some(totals),
            ..TraceConnection::default()
        })
    }

    #[test]
    fn a_sum_and_the_longest_of_requests_are_told_apart() {
        let ms = |n: u64| time(n * 1_000_000);
        let lines = asked(&[11, 150, 8]);
        let said = format!(
            "server {} in all, the longest {}, response",
            ms(169),
            ms(150)
        );
        assert!(lines[0].contains(&said), "{lines:?}");
        assert_eq!(lines[1], "the slowest first:");
        assert!(lines[2].contains(&format!("at {}:", ms(1000))), "{lines:?}");
        let alone = asked(&[11]);
        let said = format!("server {}, response", ms(11));
        assert!(alone[0].contains(&said), "{alone:?}");
        assert_eq!(alone.len(), 2, "{alone:?}");
    }
}
