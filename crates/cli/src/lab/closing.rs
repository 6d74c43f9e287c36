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

/// Why a run that carried nothing is not judged by its certificate.
pub(super) const NOTHING: &str =
    "nothing was carried: no frame came to a host, and the certificate says nothing";

/// Whether a certificate is valid because there was nothing to be late.
pub(super) fn is_of_nothing(certificate: &Certificate) -> bool {
    certificate.valid && certificate.frames == 0
}

/// Says the closing line, and what made the run invalid if something did; where that fails a `strict` run, whose command had that
/// exit code, what would help. Also what the command never reached. Its words for JUnit.
pub(super) fn say(
    closing: String,
    certificate: &Certificate,
    strict: Option<u8>,
    not_reached: &[String],
) -> String {
    note(&closing);
    certificate.faults.iter().for_each(|f| note(f));
    match strict {
        Some(_) if !certificate.valid => note(&remedy(certificate, processors())),
        Some(0) if is_of_nothing(certificate) => note(&format!(
            "--strict: exit code 4, as {NOTHING}. Let the command send something across the path, or leave --strict out where \
             nothing is to come through"
        )),
        _ => {}
    }
    let more = [certificate.notes(), not_reached.to_vec()].concat();
    more.iter().for_each(|n| note(n));
    [vec![closing], more].concat().join("; ")
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// What to change after a run that `--strict` fails, on a machine with so many processors: by each fault that failed it.
fn remedy(certificate: &Certificate, processors: usize) -> String {
    let mut changes: Vec<String> = Vec::new();
    for fault in &certificate.faults {
        let change = change(fault, certificate, processors);
        if !changes.contains(&change) {
            changes.push(change);
        }
    }
    let changes = changes.join("; ");
    format!(
        "--strict: exit code 4, as the certificate is invalid; {changes}. Run it again, or leave --strict out where the test is not \
         about times"
    )
}

/// What to change of a run that failed by this fault. A fault says itself what it comes of.
fn change(fault: &str, certificate: &Certificate, processors: usize) -> String {
    let work = format!("{:.0} % of a processor", 100.0 * certificate.cpu_share);
    if fault.contains("lower the rate") && certificate.cpu_share > MUCH {
        format!(
            "the data plane took {work}: a lower --rate, fewer connections or a larger --mtu give it less to do"
        )
    } else if fault.contains("use --busy") {
        format!(
            "the data plane took {work}, and woke late: --busy keeps it awake, where a processor of the {processors} is to spare"
        )
    } else if fault.contains("--tune-host") {
        "--tune-host lets the kernel give TCP more memory".to_owned()
    } else if fault.contains("; run it again") {
        "that was not the run's doing".to_owned()
    } else {
        format!(
            "the machine was busy: the data plane took {work}, of {processors} that were {:.0} % busy. Run it alone, one lab at a \
             time and nothing beside it, with fewer threads in the command and its server; a lower --rate changes little",
            100.0 * certificate.machine_share
        )
    }
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
        None if is_of_nothing(certificate) => {
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

    /// The remedy goes by the fault, in the words of `emu::certify`, not by how much the data plane worked beside it.
    #[test]
    fn what_fails_a_strict_run_has_the_remedy_of_its_fault() {
        let words = |cpu_share, faults: &[&str]| {
            let certificate = Certificate {
                cpu_share,
                machine_share: 0.97,
                faults: faults.iter().map(|f| (*f).to_owned()).collect(),
                ..Certificate::default()
            };
            remedy(&certificate, 2)
        };
        let starved = "host programs were starved of CPU: p99 scheduling delay 18 ms (limit 10 ms); run it on an idle machine";
        let more = "60.0 % of the frames were delivered late: more frames than this machine delivers; lower the rate or use larger frames";
        let late = "0.7 % of the frames were delivered late: this machine wakes the data plane late; use --busy";
        let short = words(0.58, &[starved]);
        let why = "58 % of a processor, of 2 that were 97 % busy. Run it alone, one lab at a time";
        assert!(short.contains(why), "{short}");
        assert!(!short.contains("less to do"), "{short}");
        assert!(short.contains("exit code 4") && short.contains("leave --strict out"));
        let full = words(0.9, &[more]);
        assert!(
            full.contains("90 % of a processor: a lower --rate"),
            "{full}"
        );
        assert!(!full.contains("alone"), "{full}");
        let idle = words(0.08, &[late]);
        assert!(idle.contains("--busy keeps it awake"), "{idle}");
        let both = words(0.9, &[more, starved, starved]);
        assert!(both.contains("less to do; the machine was busy"), "{both}");
        assert_eq!(both.matches("Run it alone").count(), 1, "{both}");
    }
}
