//! What the last lines of a `lab run` say.

use std::path::Path as File;

use farpath_record::Certificate;

use super::busiest::Busiest;
use super::datagrams::Sent;
use super::impaired::Impaired;
use crate::exit::note;
use crate::shell;

/// Above this share of a processor the data plane's own work is what a small machine lacks time for.
const MUCH: f64 = 0.5;

/// What is said of what the hosts sent: of connections only where they carried most, with `more` on who sends
/// what was sampled too rarely.
pub(super) fn told(
    connection: Option<&Busiest>,
    datagrams: &[Sent],
    impaired: &[Impaired],
    more: &dyn Fn(usize) -> String,
) -> Vec<String> {
    let bytes: u64 = datagrams.iter().map(|sent| sent.bytes).sum();
    let connection = connection.filter(|c| c.bytes_sent >= bytes);
    let limit = connection.map(|c| c.line.clone()).into_iter();
    let unknown = connection.filter(|c| c.limited_by.is_none());
    let limit = limit.chain(unknown.map(|c| more(c.host)));
    let told = limit.chain(datagrams.iter().map(Sent::line));
    told.chain(impaired.iter().map(Impaired::line)).collect()
}

/// What says more of a connection that was sampled too rarely: what its sender's host captured, into a folder or not yet.
pub(super) fn help(folder: Option<&File>, host: &str) -> String {
    let words = |folder: &str| {
        let file = format!("{}/{host}.pcapng", folder.trim_end_matches('/'));
        format!("`farpath trace {}`", shell::line([file.as_str()]))
    };
    match folder {
        Some(folder) => format!(
            "{} says it by every packet",
            words(&folder.to_string_lossy())
        ),
        None => format!(
            "with --capture DIR, {} says it by every packet",
            words("DIR")
        ),
    }
}

/// The closing line, and what made the run invalid if something did; where that fails a `strict` run, what would help.
pub(super) fn say(closing: &str, certificate: &Certificate, strict: bool) {
    note(closing);
    certificate.faults.iter().for_each(|f| note(f));
    if strict && !certificate.valid {
        note(&remedy(certificate, processors()));
    }
    certificate.notes().iter().for_each(|n| note(n));
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// What to change after a run that `--strict` fails, on a machine with so many processors.
fn remedy(certificate: &Certificate, processors: usize) -> String {
    let work = format!("{:.0} % of a processor", 100.0 * certificate.cpu_share);
    let change = match certificate.cpu_share > MUCH {
        true => format!(
            "the data plane took {work}: a lower --rate, fewer connections or a larger --mtu give it less to do"
        ),
        false => format!(
            "the data plane took {work}, of {processors} that were {:.0} % busy: a lower --rate changes little; run one lab at a \
             time and nothing beside it, with fewer threads in the command and its server",
            100.0 * certificate.machine_share
        ),
    };
    format!(
        "--strict: exit code 4, as the certificate is invalid; {change}. Run it again, or leave --strict out where the test is not \
         about times"
    )
}

/// What the run came to, in one line.
pub(super) fn closing(
    (rtt, control): (Option<f64>, Option<&str>),
    certificate: &Certificate,
    told: &[String],
) -> String {
    let verdict = match certificate.valid {
        true => "certificate valid",
        false => "certificate INVALID",
    };
    let head = match rtt {
        Some(ns) => format!("RTT {:.2} ms p99, {verdict}", ns / 1e6),
        None if certificate.valid && certificate.frames == 0 => {
            "nothing was carried: no RTT, and a certificate of nothing".to_owned()
        }
        None => format!("no RTT measured, {verdict}"),
    };
    let control = control.map(str::to_owned).into_iter();
    let all = core::iter::once(head).chain(control);
    all.chain(told.iter().cloned())
        .collect::<Vec<String>>()
        .join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(rtt: Option<f64>, frames: u64, valid: bool) -> String {
        let certificate = Certificate {
            valid,
            frames,
            ..Certificate::default()
        };
        closing((rtt, Some("cubic by default")), &certificate, &[])
    }

    #[test]
    fn where_nothing_was_carried_the_last_line_says_that() {
        let nothing = "nothing was carried: no RTT, and a certificate of nothing; cubic by default";
        assert_eq!(said(None, 0, true), nothing);
        let lost = "no RTT measured, certificate valid; cubic by default";
        assert_eq!(said(None, 3, true), lost);
        let late = "no RTT measured, certificate INVALID; cubic by default";
        assert_eq!(said(None, 0, false), late);
        let measured = "RTT 20.50 ms p99, certificate valid; cubic by default";
        assert_eq!(said(Some(20.5e6), 9, true), measured);
    }

    #[test]
    fn who_was_sampled_too_rarely_is_sent_to_the_capture() {
        let kept = help(Some(File::new("my packets/")), "server");
        assert_eq!(
            kept,
            "`farpath trace 'my packets/server.pcapng'` says it by every packet"
        );
        let none = help(None, "client");
        assert_eq!(
            none,
            "with --capture DIR, `farpath trace DIR/client.pcapng` says it by every packet"
        );
    }

    #[test]
    fn what_fails_a_strict_run_has_a_remedy() {
        let words = |cpu_share| {
            let certificate = Certificate {
                cpu_share,
                machine_share: 0.97,
                ..Certificate::default()
            };
            remedy(&certificate, 2)
        };
        let small = words(0.08);
        let why = "8 % of a processor, of 2 that were 97 % busy: a lower --rate changes little; run one lab at a time";
        assert!(small.contains(why), "{small}");
        assert!(words(0.9).contains("90 % of a processor: a lower --rate"));
        assert!(small.contains("exit code 4") && small.contains("leave --strict out"));
    }
}
