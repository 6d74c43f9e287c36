//! Commands that were typed: `iperf -c host -w 8m`, also behind a shell's prompt.

use super::{Facts, Line, Tool};
use crate::fact::{Figure, Of, Place};
use crate::words::{option_rate, size};

/// The state of reading: none.
pub(super) struct Commands;

impl Tool for Commands {
    fn name(&self) -> &'static str {
        "command"
    }

    fn line(&mut self, line: Line<'_>, _going: bool, facts: &mut Facts) -> bool {
        let words: Vec<&str> = line.bare.split_whitespace().take(60).collect();
        let is_iperf = |w: &&str| {
            let end = w
                .rsplit(['/', '>', '$', '#', '}', '%', ':'])
                .next()
                .unwrap_or(w);
            matches!(end, "iperf" | "iperf2" | "iperf3")
        };
        let Some(start) = words.iter().position(is_iperf) else {
            return false;
        };
        let apart: Vec<&str> = words[start + 1..].iter().flat_map(|w| split(w)).collect();
        let options = &apart[..];
        let server = options.contains(&"-s");
        let client = options.contains(&"-c");
        if server == client {
            return false;
        }
        read_options(options, server, line.at, facts);
        true
    }
}

fn read_options(options: &[&str], server: bool, at: Place, facts: &mut Facts) {
    let reversed = options.contains(&"-R");
    let of = match server != reversed {
        true => Of::Receiver,
        false => Of::Sender,
    };
    let of_window: &[Of] = if server || !options.contains(&"-R") {
        &[of]
    } else {
        &[Of::Receiver]
    };
    let udp = options.contains(&"-u");
    for pair in options.windows(2) {
        let (name, value) = (pair[0], pair[1]);
        match name {
            "-w" | "--window" => {
                if let Some(bytes) = size(value) {
                    for of in of_window {
                        facts.number(*of, "window_requested_bytes", Figure::exact(bytes, at));
                    }
                }
            }
            "-b" | "--bitrate" | "--bandwidth" if !udp && !server => {
                if let Some(bps) = option_rate(value).filter(|b| *b > 0.0) {
                    facts.number(Of::Sender, "application_rate_bps", Figure::exact(bps, at));
                }
            }
            "--fq-rate" => {
                if let Some(bps) = option_rate(value).filter(|b| *b > 0.0) {
                    facts.number(Of::Sender, "pacing_rate_bps", Figure::exact(bps, at));
                }
            }
            "-C" | "-Z" | "--congestion" | "--linux-congestion" => {
                if let Some(cc) = crate::known::control(value) {
                    facts.word(Of::Sender, "cc", cc, at);
                }
            }
            _ => {}
        }
    }
}

/// `-w8m` is `-w 8m`, `--window=8m` is `--window 8m`.
fn split(word: &str) -> Vec<&str> {
    if let Some((name, value)) = word.split_once('=').filter(|(n, _)| n.starts_with("--")) {
        return vec![name, value];
    }
    let joined = ["-w", "-b", "-t", "-P", "-p", "-C", "-Z"]
        .iter()
        .find(|o| word.starts_with(**o) && word.len() > 2);
    match joined {
        Some(_) => vec![&word[..2], &word[2..]],
        None => vec![word],
    }
}
