//! iperf3 as the tool of a test: what `iperf3 -J` prints, and the child processes that print it.

mod child;

use serde::Deserialize;

use crate::report::{Iperf3Interval, Iperf3Report};

pub(crate) use child::{Iperf3Error, Server, client};

/// Why a text is not a result of iperf3.
#[derive(Debug, thiserror::Error, PartialEq)]
#[non_exhaustive]
pub(crate) enum ReadError {
    /// It is not JSON as iperf3 writes it.
    #[error("iperf3 printed no result: {0}")]
    Strange(String),
    /// iperf3 says what went wrong.
    #[error("iperf3: {0}")]
    Said(String),
    /// It has no stream.
    #[error("iperf3 printed a result without a stream")]
    NoStream,
}

/// What is read of iperf3's JSON; what else it has is skipped.
#[derive(Debug, Deserialize)]
struct Document {
    #[serde(default)]
    start: Start,
    #[serde(default)]
    intervals: Vec<Interval>,
    #[serde(default)]
    end: End,
    error: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Start {
    version: String,
    test_start: TestStart,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct TestStart {
    omit: f64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Interval {
    streams: Vec<Part>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct End {
    streams: Vec<Stream>,
    sum_sent: Option<Part>,
    sum_received: Option<Part>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Stream {
    sender: Option<Part>,
    receiver: Option<Part>,
    udp: Option<Part>,
}

/// Numbers of an interval, or of one end over all of the time.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Part {
    end: f64,
    bytes: f64,
    bits_per_second: f64,
    retransmits: Option<f64>,
    snd_cwnd: Option<f64>,
    rtt: Option<f64>,
    max_snd_cwnd: Option<f64>,
    min_rtt: Option<f64>,
    mean_rtt: Option<f64>,
    max_rtt: Option<f64>,
    jitter_ms: Option<f64>,
    lost_packets: Option<f64>,
    packets: Option<f64>,
    out_of_order: Option<f64>,
    omitted: bool,
}

/// Reads what `iperf3 -J` printed for a test of one stream.
pub(crate) fn read(text: &str) -> Result<Iperf3Report, ReadError> {
    let document: Document =
        serde_json::from_str(text).map_err(|e| ReadError::Strange(e.to_string()))?;
    if let Some(error) = document.error {
        return Err(ReadError::Said(error));
    }
    let stream = document.end.streams.first().ok_or(ReadError::NoStream)?;
    let mut report = Iperf3Report {
        version: document.start.version,
        intervals: intervals(&document.intervals, document.start.test_start.omit),
        ..Iperf3Report::default()
    };
    if let Some(udp) = &stream.udp {
        let sent = document.end.sum_sent.as_ref().unwrap_or(udp);
        let received = document.end.sum_received.as_ref().unwrap_or(udp);
        report.sent_bps = count(sent.bits_per_second);
        report.goodput_bps = count(received.bits_per_second);
        report.completion_ns = ns(received.end);
        report.packets = udp.packets.map(count);
        report.lost = udp.lost_packets.map(count);
        report.reordered = udp.out_of_order.map(count);
        report.jitter_ns = udp.jitter_ms.map(|ms| ms * 1e6);
        // The bytes of a UDP stream are those sent; what arrived is so many of its datagrams.
        let arrived = match (udp.packets, udp.lost_packets) {
            (Some(all), Some(lost)) if all > 0.0 => (1.0 - lost / all).clamp(0.0, 1.0),
            _ => 1.0,
        };
        report.bytes = count(udp.bytes * arrived);
        return Ok(report);
    }
    let (Some(sender), Some(receiver)) = (&stream.sender, &stream.receiver) else {
        return Err(ReadError::NoStream);
    };
    report.sent_bps = count(sender.bits_per_second);
    report.goodput_bps = count(receiver.bits_per_second);
    report.bytes = count(receiver.bytes);
    report.completion_ns = ns(receiver.end);
    report.retransmits = sender.retransmits.map(count);
    // 0 where the end that prints is not the one that knows.
    let known = |v: Option<f64>| v.filter(|v| *v > 0.0).map(count);
    report.cwnd_max = known(sender.max_snd_cwnd);
    let of_us = |v: Option<f64>| known(v.map(|us| us * 1000.0));
    report.rtt_ns = match [sender.min_rtt, sender.mean_rtt, sender.max_rtt].map(of_us) {
        [Some(least), Some(mean), Some(most)] => Some([least, mean, most]),
        _ => None,
    };
    Ok(report)
}

/// The intervals of the first stream. iperf3 counts their time anew when `omit` seconds are over.
fn intervals(all: &[Interval], omit_s: f64) -> Vec<Iperf3Interval> {
    let parts = all.iter().filter_map(|interval| interval.streams.first());
    let read = |part: &Part| {
        let before = if part.omitted { 0.0 } else { omit_s };
        Iperf3Interval {
            end_ns: ns(part.end + before),
            goodput_bps: count(part.bits_per_second),
            cwnd: part.snd_cwnd.map(count),
            srtt_ns: part.rtt.map(|us| count(us * 1000.0)),
        }
    };
    let mut intervals: Vec<Iperf3Interval> = parts.map(read).collect();
    intervals.sort_by_key(|interval| interval.end_ns);
    intervals
}

/// A count; 0 for a negative number, and for what is not a number.
fn count(value: f64) -> u64 {
    // `as` saturates, and makes 0 of what is not a number.
    value.round().max(0.0) as u64
}

fn ns(seconds: f64) -> u64 {
    count(seconds * 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TCP: &str = include_str!("../tests/fixtures/iperf3-tcp.json");
    const REVERSE: &str = include_str!("../tests/fixtures/iperf3-reverse.json");
    const UDP: &str = include_str!("../tests/fixtures/iperf3-udp.json");
    const REFUSED: &str = include_str!("../tests/fixtures/iperf3-refused.json");

    /// `iperf3 -c 127.0.0.1 --cport 51999 -J -t 2 -i 0.5 -O 1`, version 3.12.
    #[test]
    fn a_tcp_result_is_read() {
        let report = read(TCP).expect("a result");
        assert_eq!(report.version, "iperf 3.12");
        assert_eq!(report.bytes, 2770468864);
        assert_eq!(report.retransmits, Some(15));
        assert_eq!(report.cwnd_max, Some(1440626));
        assert_eq!(report.rtt_ns, Some([40, 82, 164].map(|us| us * 1000)));
        // Two intervals of half a second are omitted, four are measured.
        let ends = report
            .intervals
            .iter()
            .map(|i| (i.end_ns + 50_000_000) / 100_000_000);
        assert_eq!(ends.collect::<Vec<_>>(), [5, 10, 15, 20, 25, 30]);
        assert!(report.intervals.iter().all(|i| i.cwnd.is_some()));
        assert_eq!((report.packets, report.jitter_ns), (None, None));
    }

    /// `iperf3 -c 127.0.0.1 -J -R -n 2M`: the client knows no windows.
    #[test]
    fn a_reversed_result_is_read() {
        let report = read(REVERSE).expect("a result");
        assert_eq!(report.bytes, 2 << 20);
        assert_eq!((report.cwnd_max, report.rtt_ns), (None, None));
        assert_eq!(report.retransmits, Some(1));
    }

    /// `iperf3 -c 127.0.0.1 -u -b 20M -l 1000 -J -t 1 -i 0.5`.
    #[test]
    fn a_udp_result_is_read() {
        let report = read(UDP).expect("a result");
        assert_eq!((report.packets, report.lost), (Some(2498), Some(0)));
        assert_eq!(report.reordered, Some(0));
        assert_eq!(report.bytes, 2_498_000);
        assert_eq!(report.sent_bps, 19_982_202);
        assert_eq!(report.jitter_ns.map(f64::round), Some(6922.0));
        assert_eq!(report.intervals.len(), 2);
    }

    #[test]
    fn what_iperf3_complains_of_is_an_error() {
        let said = "unable to connect to server: Connection refused".to_owned();
        assert_eq!(read(REFUSED), Err(ReadError::Said(said)));
        assert_eq!(read("{}"), Err(ReadError::NoStream));
        assert!(matches!(read("iperf3: error"), Err(ReadError::Strange(_))));
    }

    proptest! {
        #[test]
        fn no_text_is_too_strange(cut in 0..TCP.len(), with in "[-0-9eE\\[\\]{}\",:a-z]{0,6}", skip in 0..9_usize) {
            // A result with some bytes of it replaced; it is ASCII.
            let end = (cut + skip).min(TCP.len());
            let text = format!("{}{with}{}", &TCP[..cut], &TCP[end..]);
            if let Ok(report) = read(&text) {
                prop_assert!(report.intervals.is_sorted_by_key(|i| i.end_ns));
            }
        }
    }
}
