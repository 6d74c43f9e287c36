//! What limits the connections of a program nobody asked: looks at them from outside, by `ss`.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};

/// One look at one connection.
#[derive(Clone, Debug, Default, PartialEq)]
struct Look {
    /// The congestion control, as the kernel names it.
    control: String,
    /// Bytes in flight.
    in_flight: u64,
    /// Bytes acknowledged so far.
    acked: u64,
    /// Times of the kernel's own accounts, milliseconds: busy, limited by the receiver's window, by the
    /// send buffer.
    busy_ms: f64,
    window_ms: f64,
    buffer_ms: f64,
    /// Segments sent again.
    retransmits: u64,
    /// Age of the connection's account of itself: the time it could send.
    cwnd: u64,
}

/// All connections seen.
#[derive(Debug, Default)]
pub(super) struct Connections {
    seen: BTreeMap<String, Look>,
    most_in_flight: u64,
}

impl Connections {
    /// The command that looks; its output is for [`Connections::note`].
    pub(super) fn look(command: &mut Command) -> &mut Command {
        command
            .args(["-tinH", "state", "established"])
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .stdout(Stdio::piped())
    }

    /// Takes in what `ss` printed: two lines a connection.
    pub(super) fn note(&mut self, text: &str) {
        let lines: Vec<&str> = text.lines().collect();
        for pair in lines.chunks_exact(2) {
            let name = pair[0]
                .split_whitespace()
                .skip(2)
                .collect::<Vec<_>>()
                .join(" ");
            let look = read(pair[1]);
            self.most_in_flight = self.most_in_flight.max(look.in_flight);
            self.seen.insert(name, look);
        }
    }

    /// One line about the connection that carried most, if there was one; `bdp` is what the path holds,
    /// `elapsed_ms` how long it could have been busy.
    pub(super) fn line(&self, bdp: u64) -> Option<String> {
        let most = self.seen.values().max_by_key(|l| l.acked)?;
        let kept = quantity(self.most_in_flight);
        let busy = most.busy_ms.max(1e-9);
        let share = |ms: f64| 100.0 * ms / busy;
        let why = if most.window_ms > 0.3 * busy {
            format!(
                "the receiver's window limited it {:.0} % of the time",
                share(most.window_ms)
            )
        } else if most.buffer_ms > 0.3 * busy {
            format!(
                "its send buffer limited it {:.0} % of the time",
                share(most.buffer_ms)
            )
        } else if most.retransmits > 0 {
            format!(
                "{} segments were sent again; the congestion window limited it",
                most.retransmits
            )
        } else if self.most_in_flight >= bdp / 10 * 9 {
            "the path limited it".to_owned()
        } else {
            "the congestion window or the program itself limited it".to_owned()
        };
        Some(format!(
            "your program ({}) kept at most {kept} in flight on a path that holds {}; {why}",
            most.control,
            quantity(bdp)
        ))
    }
}

fn quantity(bytes: u64) -> String {
    match bytes {
        0..10_000 => format!("{bytes} B"),
        10_000..10_000_000 => format!("{:.0} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

/// What `ss` says of a connection in one word, beside its congestion control (`tcp_info_print` of iproute2).
const WORDS: [&str; 8] = [
    "ts", "usec_ts", "sack", "ecn", "ecnseen", "accecn", "fastopen", "tcp-ao",
];

/// The second line of a connection: words, most of them `name:value`.
fn read(line: &str) -> Look {
    let mut look = Look::default();
    let mut mss = 0;
    let number = |text: &str| {
        let digits = text.split(|c: char| !c.is_ascii_digit() && c != '.').next();
        digits.and_then(|d| d.parse::<f64>().ok()).unwrap_or(0.0)
    };
    let mut unacked = 0;
    for word in line.split_whitespace() {
        let Some((name, value)) = word.split_once(':') else {
            // Before it stand at most the socket's options (`ts sack ecn`); behind it come words of `send 27Mbps`.
            if !WORDS.contains(&word) && look.control.is_empty() {
                look.control = word.to_owned();
            }
            continue;
        };
        match name {
            "mss" => mss = number(value) as u64,
            "cwnd" => look.cwnd = number(value) as u64,
            "unacked" => unacked = number(value) as u64,
            "bytes_acked" => look.acked = number(value) as u64,
            "busy" => look.busy_ms = number(value),
            "rwnd_limited" => look.window_ms = number(value),
            "sndbuf_limited" => look.buffer_ms = number(value),
            // `retrans:0/12`: now and in all.
            "retrans" => {
                look.retransmits = value.split_once('/').map_or(0.0, |v| number(v.1)) as u64
            }
            _ => {}
        }
    }
    look.in_flight = unacked * mss;
    look
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "0 1234 198.18.0.1:40000 198.18.0.2:5201\n\t ts sack cubic wscale:7,7 rto:500 rtt:300.1/0.1 mss:1448 \
        pmtu:1500 cwnd:700 ssthresh:500 bytes_sent:90000000 bytes_acked:88000000 segs_out:1 send 27Mbps \
        busy:9000ms rwnd_limited:6000ms(66.7%) unacked:620 retrans:0/3 notsent:1\n";

    #[test]
    fn a_look_is_read_and_told_in_one_line() {
        let mut connections = Connections::default();
        connections.note(TEXT);
        let line = connections.line(37_500_000).expect("there is one");
        assert_eq!(
            line,
            "your program (cubic) kept at most 898 kB in flight on a path that holds 37.5 MB; the receiver's \
             window limited it 67 % of the time"
        );
    }

    #[test]
    fn nothing_seen_is_nothing_said() {
        let mut connections = Connections::default();
        connections.note("");
        connections.note("half a pair\n");
        assert_eq!(connections.line(1), None);
    }
}
