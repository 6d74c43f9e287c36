//! The configuration of hosts: sysctl settings and test commands, as far as they bear on a path's figures.

use farpath_units::Duration;

use crate::commands::Words;
use crate::dialect::Dialect;
use crate::finding::{Finding, Rule, Severity};
use crate::qos::Options;
use crate::report::Report;
use crate::rules::{HOST001, HOST002, HOST003, HOST004};
use crate::source::{Place, Source};

/// DSCP and precedence of a TOS byte: `iperf -S 0x20` sends DSCP 8, precedence 1.
pub const fn marks_of_tos(tos: u8) -> (u8, u8) {
    (tos >> 2, tos >> 5)
}

/// The round-trip time a window is judged at, unless the user states another.
const RTT: Duration = Duration::from_ms(250);
/// A window that gives less than this at that round-trip time is worth a warning.
const SLOW_BPS: f64 = 10e6;

/// Whether a line is of this language.
pub(crate) fn is_host_line(line: &str) -> bool {
    let setting = line.split_once('=').map(|(key, _)| bare(key));
    setting.is_some_and(|key| key.starts_with("net.") && !key.contains(char::is_whitespace))
        || line.contains("/proc/sys/")
        || line.starts_with("iperf")
}

/// The key of `sysctl -w KEY`, or of a line of a settings file.
fn bare(key: &str) -> &str {
    let key = key.trim().trim_start_matches("sysctl").trim();
    key.trim_start_matches("-w").trim()
}

/// Reads and checks the files of hosts among `sources`.
pub(crate) fn check(sources: &[Source], options: &Options, report: &mut Report) {
    let rtt = options.rtt.unwrap_or(RTT);
    for number in report.files_in(&[Dialect::Hosts]) {
        let mut at = 0;
        for raw in sources[number].text.split_inclusive('\n') {
            let content = raw.trim();
            let start = at + (raw.len() - raw.trim_start().len());
            at += raw.len();
            if content.is_empty() || content.starts_with(['#', ';']) {
                continue;
            }
            let place = Place {
                file: number,
                span: start..start + content.len(),
            };
            if let Some(mut found) = line(content, &place, rtt) {
                report.files[number].recognised += 1;
                report.findings.append(&mut found);
            } else {
                report.files[number].unrecognised.push(place);
            }
        }
    }
}

/// What one line gives rise to; `None` if it is not understood.
fn line(content: &str, place: &Place, rtt: Duration) -> Option<Vec<Finding>> {
    if content.starts_with("iperf") {
        return Some(tos(content, place).into_iter().collect());
    }
    let (key, value) = match content.split_once("/proc/sys/") {
        Some((before, key)) => {
            let value = before
                .trim()
                .strip_prefix("echo")?
                .trim()
                .trim_end_matches('>')
                .trim();
            (key.trim().replace('/', "."), value)
        }
        None => {
            let (key, value) = content.split_once('=')?;
            (bare(key).to_owned(), value)
        }
    };
    let value = value.split('#').next().unwrap_or_default();
    let numbers = value
        .trim()
        .trim_matches(['"', '\''])
        .split_whitespace()
        .map(str::parse);
    let numbers: Vec<u64> = numbers.collect::<Result<_, _>>().ok()?;
    match key.as_str() {
        "net.ipv4.tcp_rmem" | "net.ipv4.tcp_wmem" | "net.ipv4.tcp_mem" => {
            Some(triple(&key, &numbers, place))
        }
        "net.inet.tcp.recvspace"
        | "net.inet.tcp.sendspace"
        | "net.core.rmem_max"
        | "net.core.wmem_max"
        | "net.core.rmem_default"
        | "net.core.wmem_default" => {
            let [bytes] = numbers.as_slice() else {
                return None;
            };
            Some(window(&key, *bytes, place, rtt).into_iter().collect())
        }
        key if key.starts_with("net.") => Some(Vec::new()),
        _ => None,
    }
}

fn found(rule: &'static Rule, place: &Place, text: String, remedy: &str) -> Finding {
    Finding::new(rule, text, place.clone(), vec![remedy.to_owned()])
}

fn tos(content: &str, place: &Place) -> Option<Finding> {
    let mut words = Words::new(content, place.span.start);
    words.find(|w| matches!(w.text, "-S" | "--tos"))?;
    let word = words.next()?;
    let tos = match word.text.strip_prefix("0x") {
        Some(hex) => u8::from_str_radix(hex, 16),
        None => word.text.parse(),
    };
    let place = Place {
        file: place.file,
        span: word.span(),
    };
    let Ok(tos) = tos else {
        let message = format!("`{}` is not a TOS byte", word.text);
        let mut finding = found(
            &HOST001,
            &place,
            message,
            "write 0x00 to 0xff; 0x20 is DSCP 8",
        );
        finding.severity = Severity::Error;
        return Some(finding);
    };
    let (dscp, precedence) = marks_of_tos(tos);
    let ecn = match tos & 3 {
        0 => String::new(),
        bits => format!(", ECN bits {bits}"),
    };
    let message = format!("TOS 0x{tos:02x} is DSCP {dscp}, precedence {precedence}{ecn}");
    Some(found(
        &HOST001,
        &place,
        message,
        "the switches must keep it, and queue by it",
    ))
}

fn triple(key: &str, numbers: &[u64], place: &Place) -> Vec<Finding> {
    let remedy = "write least, default and most in bytes";
    let [least, default, most] = numbers else {
        let message = format!("{key} has {} numbers instead of three", numbers.len());
        return vec![found(&HOST004, place, message, remedy)];
    };
    let mut all = Vec::new();
    if least > default || default > most {
        let message = format!("{key}: {least}, {default}, {most} do not rise");
        all.push(found(&HOST004, place, message, remedy));
    }
    let power = default.checked_next_power_of_two().unwrap_or(0);
    for near in [power, power / 2] {
        if *default != near && u128::from(default.abs_diff(near)) * 1000 < u128::from(near) {
            let message = format!("{key}: the default {default} is not {near}");
            all.push(found(
                &HOST002,
                place,
                message,
                &format!("write {near}, if that is meant"),
            ));
        }
    }
    all
}

fn window(key: &str, bytes: u64, place: &Place, rtt: Duration) -> Option<Finding> {
    let bps = bytes as f64 * 8.0 / rtt.as_secs_f64();
    if bps > SLOW_BPS || bytes == 0 {
        return None;
    }
    let ms = rtt.as_secs_f64() * 1e3;
    let message = format!(
        "{key} = {bytes} limits a {ms}-ms path to {:.3} Mb/s",
        bps / 1e6
    );
    Some(found(
        &HOST003,
        place,
        message,
        "set it to rate times round-trip time, or leave it to the kernel's own tuning",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Vec<(String, String)> {
        let source = Source {
            name: "hosts".to_owned(),
            text: text.to_owned(),
        };
        let report = crate::check(&[source], &[]);
        assert_eq!(report.files[0].dialect, Dialect::Hosts, "{text}");
        report
            .findings
            .into_iter()
            .map(|f| (f.rule.into_owned(), f.text))
            .collect()
    }

    #[test]
    fn settings_of_the_documents() {
        assert_eq!(
            said("sysctl -w net.ipv4.tcp_wmem=\"4096 65530 128388607\"\n"),
            [(
                "HOST002".to_owned(),
                "net.ipv4.tcp_wmem: the default 65530 is not 65536".to_owned()
            )]
        );
        assert_eq!(
            said("echo \"4096 65530 128388607\" > /proc/sys/net/ipv4/tcp_wmem\n"),
            [(
                "HOST002".to_owned(),
                "net.ipv4.tcp_wmem: the default 65530 is not 65536".to_owned()
            )]
        );
        assert_eq!(
            said("net.inet.tcp.recvspace = 16384\n"),
            [(
                "HOST003".to_owned(),
                "net.inet.tcp.recvspace = 16384 limits a 250-ms path to 0.524 Mb/s".to_owned()
            )]
        );
        assert_eq!(
            said("iperf -c 192.0.2.1 -u -b 100M -S 0x20 -t 60\n"),
            [(
                "HOST001".to_owned(),
                "TOS 0x20 is DSCP 8, precedence 1".to_owned()
            )]
        );
    }

    #[test]
    fn sound_settings_give_nothing() {
        assert_eq!(
            said(
                "# tuned\nnet.ipv4.tcp_rmem = 4096 87380 128388607\nnet.core.rmem_max = 67108864\n"
            ),
            []
        );
    }

    #[test]
    fn triples_rise() {
        assert_eq!(said("net.ipv4.tcp_rmem = 4096 4000 2000\n")[0].0, "HOST004");
        assert_eq!(said("net.ipv4.tcp_rmem = 4096 4000\n")[0].0, "HOST004");
        assert_eq!(said("iperf -S 0x200\n")[0].1, "`0x200` is not a TOS byte");
    }

    #[test]
    fn a_tos_byte_is_dscp_and_ecn() {
        assert_eq!(marks_of_tos(0x20), (8, 1));
        assert_eq!(marks_of_tos(0xb8), (46, 5));
    }
}
