//! Commands that were typed: `iperf -c host -w 8m`, also behind a shell's prompt.

use super::dscp::{of_tos, point};
use super::{Facts, Line, NOTES_MAX, Tool};
use crate::fact::{Figure, Of, Place};
use crate::figures::bps;
use crate::flows::scavenger::DSCP;
use crate::seen::Side;
use crate::words::{decimal, option_rate, option_size, size, whole};

/// What a command says of the file that a test sends, and what is said once it was sent.
pub(crate) const ASKED: &str = "test_file";
pub(crate) const SENT: &str = "test_file_sent";

/// The interface that a test was bound to, as facts have it.
pub(crate) const BOUND: &str = "bound_interface";

/// The state of reading: none.
pub(super) struct Commands;

impl Tool for Commands {
    fn name(&self) -> &'static str {
        "command"
    }

    fn line(&mut self, line: Line<'_>, _going: bool, facts: &mut Facts) -> bool {
        if let Some((before, file)) = line.bare.split_once("%) of ")
            && before.starts_with("Sent ")
        {
            // What iperf3 says of the file it sent.
            facts.word(Of::Sender, SENT, file, line.at);
            return true;
        }
        if let Some(said) = of_bytes(line.bare) {
            if facts.notes.len() < NOTES_MAX {
                let note = format!("{}: {said}", facts.place(line.at));
                facts.notes.push(note);
            }
            return true;
        }
        if let Some(windows) = of_nuttcp(line.bare) {
            for (of, bytes) in windows {
                let figure = Figure::exact(bytes, line.at);
                facts.number(of, "window_requested_bytes", figure);
            }
            return true;
        }
        let Some(typed) = typed(line.bare) else {
            return false;
        };
        match typed.server {
            true => facts.serves(),
            false => {
                facts.connects(line, typed.side());
                facts.reached(typed.target().into_iter());
            }
        }
        if !typed.server && typed.has("&") {
            facts.moments.under_way(line.at);
        }
        read_options(&typed.options, typed.server, line.at, facts);
        if is_windows(line.bare) {
            let reversed = typed.options.contains(&"-R");
            let of = match typed.server != reversed {
                true => Of::Receiver,
                false => Of::Sender,
            };
            facts.word(of, "system", "windows", line.at);
        }
        true
    }
}

/// What a rate stands behind in commands of `tc`.
const RATES: [&str; 5] = ["rate", "ceil", "bandwidth", "maxrate", "peakrate"];

/// That `tc` takes a rate for bytes, where a command sets one in `bps` (tc, 8, RATES).
fn of_bytes(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().take(60).collect();
    let is_tc = |w: &&str| w.rsplit(['/', '$', '#', '>', '%']).next() == Some("tc");
    let start = words.iter().position(is_tc)?;
    let options = &words[start + 1..];
    let sets = |w: &&str| ["add", "replace", "change"].contains(w);
    let what = |w: &&str| ["qdisc", "class"].contains(w);
    if !options.iter().any(sets) || !options.iter().any(what) {
        return None;
    }
    let pair = options.windows(2).find(|pair| {
        let bytes = pair[1].to_ascii_lowercase().ends_with("bps");
        RATES.contains(&pair[0]) && bytes
    })?;
    let rate = pair[1].to_ascii_lowercase();
    let rate = rate.strip_suffix("bps")?;
    let end = rate.find(|c: char| c.is_ascii_alphabetic());
    let (digits, prefix) = rate.split_at(end.unwrap_or(rate.len()));
    let worth = match prefix {
        "" => 1.0,
        "k" => 1e3,
        "m" => 1e6,
        "g" => 1e9,
        "t" => 1e12,
        _ => return None,
    };
    let bytes = decimal(digits)? * worth;
    Some(format!(
        "tc takes `{} {}` as bytes a second: {}, not {}; in bits it is `{digits}{prefix}bit`",
        pair[0],
        pair[1],
        bps(8.0 * bytes),
        bps(bytes)
    ))
}

/// The windows that a command of nuttcp asks for: `-w4m` at both ends, `-ws4m` at the server alone; bare numbers are of KiB (nuttcp, 8).
fn of_nuttcp(text: &str) -> Option<Vec<(Of, f64)>> {
    let words: Vec<&str> = text.split_whitespace().take(60).collect();
    let is_it = |w: &&str| w.rsplit(['/', '$', '#', '>', '%']).next() == Some("nuttcp");
    let start = words.iter().position(is_it)?;
    let options = &words[start + 1..];
    // With `-r` the server sends.
    let server = match options.contains(&"-r") {
        true => Of::Sender,
        false => Of::Receiver,
    };
    let mut all = Vec::new();
    for option in options.iter().filter_map(|w| w.strip_prefix("-w")) {
        let (asked, both) = match option.strip_prefix('s') {
            Some(asked) => (asked, false),
            None => (option, true),
        };
        let kib = whole(asked).map(|n| n as f64 * 1024.0);
        let Some(bytes) = kib.or_else(|| option_size(asked)) else {
            continue;
        };
        let ends = [Of::Sender, Of::Receiver].into_iter();
        all.extend(
            ends.filter(|of| both || *of == server)
                .map(|of| (of, bytes)),
        );
    }
    (!all.is_empty()).then_some(all)
}

/// Options of iperf by which a test goes both ways.
const BOTH_WAYS: [&str; 6] = [
    "--bidir",
    "--full-duplex",
    "--dualtest",
    "--tradeoff",
    "-d",
    "-r",
];

/// A command that starts an end of iperf.
pub(super) struct Typed<'a> {
    /// Whether it is the server's.
    pub(super) server: bool,
    /// Its options and their values.
    options: Vec<&'a str>,
}

impl<'a> Typed<'a> {
    /// What stands behind an option.
    pub(super) fn value(&self, option: &str) -> Option<&'a str> {
        let at = self.options.iter().position(|o| *o == option)?;
        self.options.get(at + 1).copied()
    }

    /// The host that a client is to reach.
    fn target(&self) -> Option<&'a str> {
        let is = |o: &&str| is_flag(o, 'c') || *o == "--client";
        let at = self.options.iter().position(is)?;
        self.options.get(at + 1).copied()
    }

    /// The end that a client's host is; none where the test goes both ways.
    fn side(&self) -> Option<Side> {
        if self.options.iter().any(|o| BOTH_WAYS.contains(o)) {
            return None;
        }
        let is = |o: &&str| is_flag(o, 'R') || *o == "--reverse";
        Some(match self.options.iter().any(is) {
            true => Side::Receiver,
            false => Side::Sender,
        })
    }

    /// Whether an option stands among them.
    pub(super) fn has(&self, option: &str) -> bool {
        self.options.contains(&option)
    }
}

impl Typed<'_> {
    /// The rate of datagrams that was asked for, bit/s.
    pub(super) fn datagram_rate(&self) -> Option<f64> {
        let udp = self
            .options
            .iter()
            .any(|o| is_flag(o, 'u') || *o == "--udp");
        let asked = ["-b", "--bitrate", "--bandwidth"];
        let bps = asked.iter().find_map(|o| option_rate(self.value(o)?));
        bps.filter(|b| udp && *b > 0.0)
    }
}

/// A command that starts an end of iperf, if a line is one, also behind a shell's prompt.
pub(super) fn typed(text: &str) -> Option<Typed<'_>> {
    if !text.contains("iperf") {
        return None;
    }
    let words: Vec<&str> = text.split_whitespace().take(60).collect();
    let is_iperf = |w: &&str| {
        let end = w
            .rsplit(['/', '\\', '>', '$', '#', '}', '%', ':'])
            .next()
            .unwrap_or(w);
        matches!(end.trim_end_matches(".exe"), "iperf" | "iperf2" | "iperf3")
    };
    let start = words.iter().position(is_iperf)?;
    let options: Vec<&str> = words[start + 1..]
        .iter()
        .take_while(|w| **w != "|")
        .flat_map(|w| split(w))
        .collect();
    let server = options.iter().any(|o| is_flag(o, 's'));
    let client = options.iter().any(|o| is_flag(o, 'c'));
    (server != client).then_some(Typed { server, options })
}

/// Whether a word is this short option, or has it among others: `-Vc` is `-V -c`.
fn is_flag(word: &str, flag: char) -> bool {
    let Some(letters) = word.strip_prefix('-') else {
        return false;
    };
    letters.len() <= 6 && letters.contains(flag) && letters.bytes().all(|b| b.is_ascii_alphabetic())
}

/// Whether a line begins with the prompt of Windows: `C:\iperf>`, `PS C:\>`.
pub(super) fn is_windows(text: &str) -> bool {
    let text = text.strip_prefix("PS ").unwrap_or(text);
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic())
        && chars.as_str().starts_with(":\\")
        && text.contains('>')
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
    let udp = options.iter().any(|o| is_flag(o, 'u') || *o == "--udp");
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
            "-F" | "--file" => facts.word(of, ASKED, value, at),
            "--bind-dev" => facts.word(of, BOUND, value, at),
            "-B" | "--bind" => {
                if let Some((_, interface)) = value.split_once('%') {
                    facts.word(of, BOUND, interface, at);
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
            "-S" | "--tos" | "--dscp" if !server => {
                let dscp = match name {
                    "--dscp" => point(value),
                    _ => of_tos(value),
                };
                if let Some(dscp) = dscp {
                    facts.exact(Of::Sender, DSCP, dscp as f64, at);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_of_nuttcp_are_of_one_end_or_both() {
        let both = |bytes: f64| vec![(Of::Sender, bytes), (Of::Receiver, bytes)];
        assert_eq!(
            of_nuttcp("$ nuttcp -T30 -w4m -i1 dtn2"),
            Some(both(4_194_304.0))
        );
        assert_eq!(
            of_nuttcp("dtn1$ nuttcp -r -w512 dtn2"),
            Some(both(524_288.0))
        );
        let server = Some(vec![(Of::Sender, 8_388_608.0)]);
        assert_eq!(of_nuttcp("nuttcp -r -ws8m dtn2"), server);
        assert_eq!(of_nuttcp("nuttcp -T30 dtn2"), None);
    }

    #[test]
    fn a_rate_of_tc_in_bps_is_of_bytes() {
        let typed =
            "root@gw:~# tc qdisc add dev eth0 root tbf rate 100mbps burst 64kb latency 50ms";
        let said = of_bytes(typed).expect("it is of bytes");
        assert!(
            said.starts_with("tc takes `rate 100mbps` as bytes a second: 800")
                && said.ends_with("in bits it is `100mbit`"),
            "{said}"
        );
        for text in [
            "tc qdisc add dev eth0 root tbf rate 100mbit burst 64kb latency 50ms",
            "tc -s qdisc show dev eth0",
            "set it by tc to a rate of 100mbps",
            "police rate 100 mbps",
        ] {
            assert!(of_bytes(text).is_none(), "{text}");
        }
    }
}
