//! nuttcp, netperf and thrulay: rates in one line.

use super::{Facts, Line, Tool};
use crate::fact::{Figure, Place};
use crate::seen::{Report, Row, Side, Test};
use crate::words::{decimal, number};

/// The state of reading.
#[derive(Default)]
pub(super) struct Nuttcp {
    rows: Vec<Row>,
    /// Datagrams of these intervals that were lost, and that were sent; none of a connection.
    datagrams: Option<[f64; 2]>,
}

impl Nuttcp {
    /// Takes an interval: how long it was, its rate, bit/s, and what was sent again.
    fn interval(&mut self, seconds: f64, bps: f64, retransmits: Option<f64>, at: Place) {
        let from = self.rows.last().map_or(0.0, |r| r.until);
        self.rows.push(Row {
            from,
            until: from + seconds,
            bps,
            retransmits,
            cwnd: None,
            side: Side::Receiver,
            at,
        });
    }

    /// Takes the datagrams of an interval.
    fn counts(&mut self, datagrams: Option<[f64; 2]>) {
        if let Some([lost, sent]) = datagrams {
            let [all_lost, all_sent] = self.datagrams.unwrap_or_default();
            self.datagrams = Some([all_lost + lost, all_sent + sent]);
        }
    }
}

/// Datagrams that were lost, and that were sent: `62 / 25823 drop/pkt 0.24 %loss`, of an interval `~drop/pkt`. The rate is of what arrived.
fn dropped(rest: &[&str]) -> Option<[f64; 2]> {
    rest.windows(4).find_map(|words| match words {
        [lost, "/", sent, "drop/pkt" | "~drop/pkt"] => Some([decimal(lost)?, decimal(sent)?]),
        _ => None,
    })
}

/// Makes it a test with datagrams.
fn set_datagrams(test: &mut Test, [lost, sent]: [f64; 2], at: Place) {
    test.udp = true;
    test.set("datagrams_lost", Figure::exact(lost, at));
    test.set("datagrams", Figure::exact(sent, at));
}

impl Tool for Nuttcp {
    fn name(&self) -> &'static str {
        "nuttcp"
    }

    /// `  152.0000 MB /   2.01 sec =  635.2166 Mbps 3 %TX 1 %RX 0 retrans 0.24 msRTT`.
    fn line(&mut self, line: Line<'_>, _going: bool, facts: &mut Facts) -> bool {
        let words: Vec<&str> = line.bare.split_whitespace().collect();
        let [
            size,
            "MB",
            "/",
            seconds,
            "sec",
            "=",
            rate,
            "Mbps",
            rest @ ..,
        ] = &words[..]
        else {
            return false;
        };
        let at = line.at;
        let (Some(mib), Some(seconds), Some(mbit)) =
            (number(size, at), decimal(seconds), number(rate, at))
        else {
            return false;
        };
        let figure = |unit: &str| {
            let n = rest.iter().position(|w| w.trim_end_matches(',') == unit)?;
            n.checked_sub(1)
                .and_then(|n| rest.get(n))
                .and_then(|w| decimal(w))
        };
        let datagrams = dropped(rest);
        if figure("%TX").is_none() {
            self.interval(seconds, mbit.value * 1e6, figure("retrans"), at);
            self.counts(datagrams);
            return true;
        }
        let mut test = Test::new("nuttcp", at);
        test.rows = core::mem::take(&mut self.rows);
        self.datagrams = None;
        if let Some(datagrams) = datagrams {
            set_datagrams(&mut test, datagrams, at);
        }
        test.received = Some(Report {
            goodput: mbit.times(1e6),
            bytes: Some(mib.times(1_048_576.0)),
            seconds,
        });
        if let Some(again) = figure("retrans") {
            test.set("retransmits", Figure::exact(again, at));
        }
        if let Some(ms) = figure("msRTT").filter(|ms| *ms > 0.0) {
            test.set("handshake_rtt_ns", Figure::exact(ms * 1e6, at));
        }
        // `%TX` is of the end that sends, `%RX` of the one that receives (nuttcp, 8).
        for (unit, name) in [("%TX", "cpu_sender_ratio"), ("%RX", "cpu_receiver_ratio")] {
            if let Some(percent) = figure(unit) {
                test.set(name, Figure::exact(percent / 100.0, at));
            }
        }
        facts.tests.push(test);
        true
    }

    fn finish(&mut self, facts: &mut Facts) {
        let rows = core::mem::take(&mut self.rows);
        if let Some(first) = rows.first() {
            let mut test = Test::new("nuttcp", first.at);
            if let Some(datagrams) = self.datagrams.take() {
                set_datagrams(&mut test, datagrams, first.at);
            }
            test.rows = rows;
            facts.tests.push(test);
        }
    }
}

/// The state of reading netperf.
#[derive(Default)]
pub(super) struct Netperf {
    /// The columns were announced: in units of this many bit/s.
    unit: Option<f64>,
    head: bool,
    /// The client receives.
    fetches: bool,
}

impl Tool for Netperf {
    fn name(&self) -> &'static str {
        "netperf"
    }

    /// The table of a stream test: receive socket, send socket, message, seconds, rate.
    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        let is_title = [
            "TCP STREAM TEST",
            "MIGRATED TCP STREAM TEST",
            "TCP MAERTS TEST",
            "MIGRATED TCP MAERTS TEST",
        ];
        if is_title.iter().any(|t| text.starts_with(t)) {
            *self = Netperf {
                head: true,
                unit: None,
                fetches: text.contains("MAERTS"),
            };
            return true;
        }
        if !self.head || !going {
            return false;
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        if let Some(unit) = words.last().and_then(|w| w.strip_suffix("bits/sec")) {
            let power = unit.strip_prefix("10^").and_then(decimal);
            self.unit = power.map(|p| libm::pow(10.0, p));
            return self.unit.is_some();
        }
        let numbers: Option<Vec<Figure>> = words.iter().map(|w| number(w, line.at)).collect();
        match (numbers.as_deref(), self.unit) {
            (Some([receive, send, _, seconds, rate, ..]), Some(unit)) => {
                let mut test = netperf(receive, send, (seconds.value, rate.times(unit)), line.at);
                if self.fetches {
                    test.client = Side::Receiver;
                }
                facts.tests.push(test);
                self.head = false;
                true
            }
            (Some(_), _) => false,
            (None, _) => words
                .iter()
                .any(|w| matches!(*w, "Recv" | "Socket" | "Size" | "bytes")),
        }
    }
}

fn netperf(receive: &Figure, send: &Figure, (seconds, rate): (f64, Figure), at: Place) -> Test {
    let mut test = Test::new("netperf", at);
    test.received = Some(Report {
        bytes: Some(rate.times(seconds / 8.0)),
        goodput: rate,
        seconds,
    });
    // What sockets had at the start: kernels that tune by themselves go beyond it.
    test.set("receive_buffer_start_bytes", receive.clone());
    test.set("send_buffer_start_bytes", send.clone());
    test
}

/// The state of reading thrulay.
#[derive(Default)]
pub(super) struct Thrulay {
    test: Option<Test>,
}

impl Tool for Thrulay {
    fn name(&self) -> &'static str {
        "thrulay"
    }

    /// `# local window = 4194304B; remote window = 227328B`, rows of stream, begin, end, Mbit/s, RTT and jitter in ms.
    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        let at = line.at;
        if text.starts_with("# local window = ") || text.starts_with("# MTU") && going {
            let test = self.test.get_or_insert_with(|| Test::new("thrulay", at));
            let bytes = |key: &str| {
                let rest = crate::words::between(text, key, "B")?;
                number(rest, at)
            };
            if let Some(window) = bytes("remote window = ") {
                test.set("receive_buffer_bytes", window);
            }
            if let Some(window) = bytes("local window = ") {
                test.set("send_buffer_bytes", window);
            }
            return true;
        }
        let Some(test) = self.test.as_mut().filter(|_| going) else {
            return false;
        };
        if let Some(rest) = text.strip_prefix("#(**)") {
            self.close(&numbers(rest, at), at, facts);
            return true;
        }
        if text.starts_with('#') {
            return true;
        }
        let bare = text.trim_start_matches('(').replacen(')', " ", 1);
        let row = numbers(&bare, at);
        let [_, from, until, rate, ..] = &row[..] else {
            return false;
        };
        test.rows.push(Row {
            from: from.value,
            until: until.value,
            bps: rate.value * 1e6,
            retransmits: None,
            cwnd: None,
            side: Side::Receiver,
            at,
        });
        true
    }

    fn held(&self) -> usize {
        self.test.as_ref().map_or(0, Test::facts)
    }

    fn finish(&mut self, facts: &mut Facts) {
        if let Some(test) = self.test.take() {
            facts.tests.push(test);
        }
    }
}

fn numbers(text: &str, at: Place) -> Vec<Figure> {
    text.split_whitespace()
        .map_while(|w| number(w, at))
        .collect()
}

impl Thrulay {
    /// The closing row: begin, end, rate, round trip.
    fn close(&mut self, row: &[Figure], at: Place, facts: &mut Facts) {
        let Some(mut test) = self.test.take() else {
            return;
        };
        if let [from, until, rate, rest @ ..] = row {
            let seconds = until.value - from.value;
            let goodput = rate.times(1e6);
            test.received = Some(Report {
                bytes: Some(goodput.times(seconds / 8.0)),
                goodput,
                seconds,
            });
            if let Some(rtt) = rest.first().filter(|r| r.value > 0.0) {
                test.set(
                    "rtt_loaded_ns",
                    Figure::between(rtt.value * 1e6, rtt.low * 1e6, rtt.high * 1e6, at),
                );
            }
        }
        facts.tests.push(test);
    }
}
