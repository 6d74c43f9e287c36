//! What the conductor and a host say to each other, after the host's job: one JSON text a line.

use std::io::{self, BufRead, Read, Write};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::clock::ClockName;
use crate::report::Report;
use crate::system::System;

/// An order to a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Say what your clock shows, with this number.
    Stamp(u32),
    /// Begin.
    Start {
        /// What the host's own CLOCK_MONOTONIC shows at the run's time zero, in nanoseconds.
        zero_ns: u64,
    },
    /// End this flow: its other end has failed.
    End {
        /// Number of the flow.
        flow: usize,
    },
}

/// A message from a host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Message {
    /// Everything listens: others may begin.
    Ready {
        /// The clock its times are on; none where it reports no times.
        clock: Option<ClockName>,
        /// What it runs on; none of who does its part by itself.
        system: Option<System>,
    },
    /// What its clock showed.
    Stamp {
        /// Number of the order.
        number: u32,
        /// When the order was heard, in nanoseconds.
        heard_ns: u64,
        /// When this was said.
        answered_ns: u64,
    },
    /// What one task came to.
    Report {
        /// Number of the flow.
        flow: usize,
        /// Its result.
        report: Report,
    },
    /// A task that could not be done, or not to its end.
    Fault {
        /// Number of the flow; none when the host as a whole failed.
        flow: Option<usize>,
        /// What failed, and why.
        fault: String,
    },
    /// All tasks are over.
    Done,
}

/// Longest line of either: a job with millions of datagrams' times.
const LONGEST_LINE: u64 = 1 << 28;

/// Reads the next line; none at the end.
pub(crate) fn hear(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut text = String::new();
    Read::take(&mut *input, LONGEST_LINE).read_line(&mut text)?;
    Ok((!text.is_empty()).then_some(text))
}

/// Understands a line.
pub(crate) fn understand<T: DeserializeOwned>(line: &str) -> Result<T, String> {
    // The beginning of a line that cannot be read is enough for the message.
    let begin: String = line.trim_end().chars().take(200).collect();
    serde_json::from_str(line).map_err(|e| format!("{e}: {begin}"))
}

/// Says something in one line.
pub(crate) fn say(output: &mut impl Write, what: &impl Serialize) -> io::Result<()> {
    let mut text = serde_json::to_string(what)?;
    text.push('\n');
    output.write_all(text.as_bytes())?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Sample, TcpSendReport};
    use crate::sys;
    use proptest::prelude::*;

    fn report() -> Message {
        let sample = Sample {
            t_ns: 7,
            ssthresh: Some(8),
            ..Sample::default()
        };
        let report = TcpSendReport {
            samples: vec![sample],
            rtos: Some(9),
            ..TcpSendReport::default()
        };
        let report = Report::TcpSend(report);
        Message::Report { flow: 3, report }
    }

    #[test]
    fn what_is_said_is_one_line_and_survives_it() {
        let fault = Message::Fault {
            flow: None,
            fault: "two\nlines".to_owned(),
        };
        let clock = Some(ClockName::own());
        let system = sys::system();
        let (number, heard_ns, answered_ns) = (1, 2, u64::MAX);
        let stamp = Message::Stamp {
            number,
            heard_ns,
            answered_ns,
        };
        let all = [
            Message::Ready { clock, system },
            Message::Ready {
                clock: None,
                system: None,
            },
            stamp,
            Message::Done,
            fault,
            report(),
        ];
        let mut text = Vec::new();
        all.iter().for_each(|m| say(&mut text, m).expect("a line"));
        let mut input = &text[..];
        for message in all {
            let line = hear(&mut input).expect("a text").expect("a line");
            assert_eq!(understand(&line), Ok(message));
        }
        assert_eq!(hear(&mut input).expect("the end"), None);
        for order in [
            Order::Stamp(1),
            Order::Start { zero_ns: 2 },
            Order::End { flow: 3 },
        ] {
            let text = serde_json::to_string(&order).expect("a text");
            assert_eq!(understand(&text), Ok(order));
        }
    }

    proptest! {
        #[test]
        fn no_text_is_too_strange(at in 0..400_usize, skip in 0..9_usize, with in "[-0-9eE\\[\\]{}\",:a-z]{0,6}") {
            let text = serde_json::to_string(&report()).expect("a text");
            let at = at.min(text.len());
            let end = (at + skip).min(text.len());
            let text = format!("{}{with}{}", &text[..at], &text[end..]);
            if let Ok(message) = understand::<Message>(&text) {
                let again = serde_json::to_string(&message).expect("a text");
                prop_assert_eq!(understand(&again), Ok(message));
            }
        }
    }
}
