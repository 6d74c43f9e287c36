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
    /// The program had nothing more to send (`app_limited`).
    idle: bool,
    /// The congestion window, bytes.
    cwnd: u64,
}

impl Look {
    /// Nine tenths of the congestion window are in flight: it is what holds the sender back.
    fn full(&self) -> bool {
        self.in_flight >= self.cwnd / 10 * 9 && self.in_flight > 0
    }
}

/// A connection: the last look at it, and of all looks how many found its window full, and how many its program idle.
#[derive(Debug, Default)]
struct Connection {
    last: Look,
    most_in_flight: u64,
    looks: u64,
    full: u64,
    idle: u64,
}

/// All connections seen, by their two ends.
#[derive(Debug, Default)]
pub(super) struct Connections(BTreeMap<String, Connection>);

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
            let ends: Vec<&str> = pair[0].split_whitespace().skip(2).collect();
            let seen = self.0.entry(ends.join(" ")).or_default();
            let look = read(pair[1]);
            seen.most_in_flight = seen.most_in_flight.max(look.in_flight);
            seen.looks += 1;
            seen.full += u64::from(look.full());
            seen.idle += u64::from(look.idle && !look.full());
            seen.last = look;
        }
    }

    /// One line about the connection that carried most, if there was one; `bdp` is what the path holds.
    pub(super) fn line(&self, bdp: u64) -> Option<String> {
        let most = self.0.values().max_by_key(|c| c.last.acked)?;
        let look = &most.last;
        let share = |ms: f64| 100.0 * ms / look.busy_ms.max(1e-9);
        let held = |ms: f64| ms > 0.3 * look.busy_ms && look.busy_ms > 0.0;
        let why = if held(look.window_ms) {
            format!(
                "the receiver's window limited it {:.0} % of the time",
                share(look.window_ms)
            )
        } else if held(look.buffer_ms) {
            format!(
                "its send buffer limited it {:.0} % of the time",
                share(look.buffer_ms)
            )
        } else if most.most_in_flight >= bdp / 10 * 9 {
            "the path limited it".to_owned()
        } else if 2 * most.idle > most.looks {
            format!(
                "the program limited it: it had nothing to send in {} of {} looks",
                most.idle, most.looks
            )
        } else if look.retransmits > 0 {
            format!(
                "{} segments were sent again; the congestion window limited it",
                look.retransmits
            )
        } else if 2 * most.full > most.looks {
            "the congestion window limited it: it was still growing".to_owned()
        } else {
            format!(
                "the congestion window limited it in {} of {} looks, the program in {}",
                most.full, most.looks, most.idle
            )
        };
        Some(format!(
            "your program ({}) kept at most {} in flight on a path that holds {}; {why}",
            look.control,
            quantity(most.most_in_flight),
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
    let (mut unacked, mut cwnd) = (0, 0);
    for word in line.split_whitespace() {
        let Some((name, value)) = word.split_once(':') else {
            look.idle |= word == "app_limited";
            // Before it stand at most the socket's options (`ts sack ecn`); behind it come words of `send 27Mbps`.
            if !WORDS.contains(&word) && look.control.is_empty() {
                look.control = word.to_owned();
            }
            continue;
        };
        match name {
            "mss" => mss = number(value) as u64,
            "cwnd" => cwnd = number(value) as u64,
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
    look.cwnd = cwnd * mss;
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

    /// What a look finds: whether the kernel says `app_limited`, and how many of 100 segments of window are in flight.
    fn look(idle: bool, unacked: u64, more: &str) -> String {
        let idle = if idle { " app_limited" } else { "" };
        format!(
            "0 0 198.18.0.1:40000 198.18.0.2:5201\n\t cubic mss:1000 cwnd:100 bytes_acked:1000 busy:500ms \
             unacked:{unacked}{idle} {more}\n"
        )
    }

    #[test]
    fn who_held_back_is_told_apart() {
        let told = |looks: &[String]| {
            let mut connections = Connections::default();
            looks.iter().for_each(|l| connections.note(l));
            let line = connections.line(10_000_000).expect("there is one");
            line.rsplit_once("; ").map(|(_, why)| why.to_owned())
        };
        let (idle, full) = (look(true, 10, ""), look(false, 100, ""));
        let said = |text: &str| Some(text.to_owned());
        assert_eq!(
            told(&[idle.clone(), idle.clone(), full.clone()]),
            said("the program limited it: it had nothing to send in 2 of 3 looks")
        );
        assert_eq!(
            told(&[idle.clone(), full.clone(), full.clone()]),
            said("the congestion window limited it: it was still growing")
        );
        assert_eq!(
            told(&[idle.clone(), full.clone()]),
            said("the congestion window limited it in 1 of 2 looks, the program in 1")
        );
        assert_eq!(
            told(&[idle, full, look(false, 99, "retrans:0/7")]),
            said("the congestion window limited it")
        );
        let path = look(true, 9000, "");
        assert_eq!(told(&[path]), said("the path limited it"));
    }

    #[test]
    fn nothing_seen_is_nothing_said() {
        let mut connections = Connections::default();
        connections.note("");
        connections.note("half a pair\n");
        assert_eq!(connections.line(1), None);
    }
}
