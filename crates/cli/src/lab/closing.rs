//! What the last lines of a `lab run` say.

use std::path::Path as File;

use farpath_emu::certify::Kind;
use farpath_record::{Certificate, Record, count_of};

use super::busiest::Busiest;
use super::datagrams::Sent;
use super::impaired::Impaired;
use super::refused::{self, Refused};
use crate::exit::{note, note_in_parts};
use crate::shell;

/// Of fewer samples than these the 99th percentile is the largest.
pub(crate) const PERCENTILE_LEAST: u64 = 100;

/// Round trips of the lab's own pings.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rtt {
    /// Their 99th percentile, of few the largest, nanoseconds.
    pub(super) p99_ns: f64,
    /// How many came back.
    pub(super) pings: u64,
}

impl Rtt {
    /// Those of a ping's record; none where none came back.
    pub(super) fn of(record: &Record) -> Option<Rtt> {
        let metric = |name: &str| record.metrics.get(name).copied();
        Some(Rtt {
            p99_ns: metric("rtt_p99_ns")?,
            pings: metric("received")? as u64,
        })
    }

    /// In words.
    fn words(self) -> String {
        let of = match self.pings {
            PERCENTILE_LEAST.. => "p99".to_owned(),
            few => format!("at most in {}", count_of(few, "ping", "pings")),
        };
        format!("RTT {:.2} ms {of}", self.p99_ns / 1e6)
    }
}

/// Above this share of a processor the data plane's own work is what a small machine lacks time for.
const MUCH: f64 = 0.5;

/// Nothing is said of connections that carried less than one part in so many of what datagrams did.
const PARTS: u64 = 10;

/// What is said of what the hosts sent: of connections only where datagrams did not carry much more, or where they were asked for by their
/// `ports`, with `more` on who sends what was sampled too rarely. Datagrams come first where queries among them took more time than connections.
pub(super) fn told(
    (connection, ports): (Option<&Busiest>, &[u16]),
    refused: &[Refused],
    datagrams: &[Sent],
    impaired: &[Impaired],
    more: &dyn Fn(usize) -> String,
) -> Vec<String> {
    let bytes: u64 = datagrams.iter().map(|sent| sent.bytes).sum();
    let open = connection.and_then(Busiest::open_ratio);
    let (first, last): (Vec<&Sent>, Vec<&Sent>) =
        datagrams.iter().partition(|sent| sent.outlasts(open));
    let words = |sent: &Sent| sent.line_beside(open);
    let connection = connection.filter(|c| !ports.is_empty() || counts_beside(c, bytes));
    let carried = connection.is_some_and(|c| c.bytes_sent > 0);
    let refused = refused::lines(refused);
    let connection = connection.filter(|c| carried || refused.is_empty() || c.in_vain.is_some());
    let none = || (!ports.is_empty() && refused.is_empty()).then(|| none_to(ports));
    let limit = connection.map(|c| c.line.clone()).or_else(none).into_iter();
    let unknown = connection.filter(|c| c.limited_by.is_none() && !c.is_never_open());
    let limit = limit.chain(unknown.map(|c| more(c.host)));
    let limit = limit.chain(refused.iter().cloned());
    let told = first.into_iter().map(words).chain(limit);
    let told = told.chain(last.into_iter().map(words));
    told.chain(impaired.iter().map(Impaired::line)).collect()
}

/// Whether a connection, and others of its sender, carried enough to be said beside datagrams of so many bytes, or any was asked for in vain.
fn counts_beside(connection: &Busiest, bytes: u64) -> bool {
    let carried = connection.all_bytes_sent.max(connection.bytes_sent);
    carried.saturating_mul(PARTS) >= bytes || connection.in_vain.is_some()
}

/// That no connection to any of these ports was seen to carry enough to be judged.
fn none_to(ports: &[u16]) -> String {
    let ports: Vec<String> = ports.iter().map(u16::to_string).collect();
    format!(
        "no connection to port {} was seen, or it was too short to say anything of it (--port)",
        ports.join(" or ")
    )
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

/// The congestion control, and whether `--cc` chose it.
pub(super) fn with_its_source(control: &str, is_asked: bool) -> String {
    match is_asked {
        true => format!("{control}, as --cc says"),
        false => format!("{control} by default"),
    }
}

/// Why a run that carried nothing is not judged by its certificate.
pub(super) const NOTHING: &str =
    "nothing was carried: no frame came to a host, and the certificate says nothing";

/// Why a certificate of the lab's own pings does not judge a run.
pub(super) const UNUSED: &str =
    "nothing of the command's crossed the path: the certificate is of the lab's own pings alone";

/// Why a certificate says nothing of a command that could not be started.
pub(super) const NOT_RUN: &str = "the command did not run, and the certificate is one of nothing";

/// Why a valid certificate says nothing of a run whose programs handed so many frames to the path; none where it says something.
pub(super) fn of_nothing(
    certificate: &Certificate,
    program_frames: Option<u64>,
) -> Option<&'static str> {
    match program_frames {
        _ if !certificate.valid => None,
        _ if is_of_nothing(certificate) => Some(NOTHING),
        Some(0) => Some(UNUSED),
        _ => None,
    }
}

/// Whether a certificate is valid because there was nothing to be late.
fn is_of_nothing(certificate: &Certificate) -> bool {
    certificate.valid && certificate.frames == 0
}

/// Says the closing line, and what made the run invalid if something did; where that fails a `strict` run, whose command had that
/// exit code, what would help against faults of these kinds, or why it certifies nothing where programs handed so many frames to the path.
/// Also `notes` on what the run did not test. Its words for JUnit.
pub(super) fn say(
    closing: String,
    (certificate, kinds): (&Certificate, &[Kind]),
    (strict, program_frames): (Option<u8>, u64),
    notes: &[String],
) -> String {
    note_in_parts(&closing);
    certificate.faults.iter().for_each(|f| note(f));
    match (strict, of_nothing(certificate, Some(program_frames))) {
        (Some(_), _) if !certificate.valid => note(&remedy(certificate, kinds, processors())),
        (Some(0), Some(why)) => note(&format!(
            "--strict: exit code 4, as {why}. Let the command send something across the path, or leave --strict out where \
             nothing is to come through"
        )),
        _ => {}
    }
    let more = [certificate.notes(), notes.to_vec()].concat();
    more.iter().for_each(|n| note(n));
    [vec![closing], more].concat().join("; ")
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// What to change after a run that `--strict` fails, on a machine with so many processors: by the kind of each fault that failed it.
fn remedy(certificate: &Certificate, kinds: &[Kind], processors: usize) -> String {
    let mut changes: Vec<String> = Vec::new();
    for kind in kinds {
        let change = change(*kind, certificate, processors);
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

/// What to change of a run that failed by a fault of this kind.
fn change(kind: Kind, certificate: &Certificate, processors: usize) -> String {
    let work = format!("{:.0} % of a processor", 100.0 * certificate.cpu_share);
    let text = match kind {
        Kind::Overrun | Kind::NotRead if certificate.cpu_share > MUCH => {
            return format!(
                "the data plane took {work}: a lower --rate, fewer connections or a larger --mtu give it less to do"
            );
        }
        Kind::WokenLate => {
            return format!(
                "the data plane took {work}, and woke late: --busy keeps it awake, where a processor of the {processors} is to spare"
            );
        }
        Kind::FrameMemory => {
            "a lower --rate, a shorter --queue or larger packets take less memory for frames under way"
        }
        Kind::TcpMemory => "--tune-host lets the kernel give TCP more memory",
        Kind::SocketBuffer => {
            "a program that reads sooner, or asks for a larger receive buffer, drops less"
        }
        Kind::Stolen => {
            "the machine under this one was busy: take one whose processors are not shared"
        }
        Kind::Disturbed => "that was not the run's doing",
        Kind::Overrun | Kind::NotRead | Kind::Busy | Kind::Other => {
            return format!(
                "the machine was busy: the data plane took {work}, of {processors} that were {:.0} % busy. Run it alone, one lab at a \
                 time and nothing beside it, with fewer threads in the command and its server; a lower --rate changes little",
                100.0 * certificate.machine_share
            );
        }
    };
    text.to_owned()
}

/// What the run came to, in one line: what limited it first, what the path and the lab did last, whether nothing was run, and how
/// many frames its programs handed to the path.
pub(super) fn closing(
    (rtt, ran_nothing, program_frames): (Option<Rtt>, bool, Option<u64>),
    control: Option<&str>,
    certificate: &Certificate,
    told: &[String],
) -> String {
    let verdict = match certificate.valid {
        true => "certificate valid",
        false => "certificate INVALID",
    };
    let head = match rtt {
        _ if ran_nothing => NOT_RUN.to_owned(),
        Some(rtt) => format!("{}, {verdict}", rtt.words()),
        None if of_nothing(certificate, program_frames).is_some() => {
            "nothing was carried: no RTT, and a certificate of nothing".to_owned()
        }
        None => format!("no RTT measured, {verdict}"),
    };
    let control = control.map(str::to_owned).into_iter();
    let all = told.iter().cloned().chain([head]).chain(control);
    all.collect::<Vec<String>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pings: u64) -> Option<Rtt> {
        let p99_ns = 20.5e6;
        Some(Rtt { p99_ns, pings })
    }

    fn said(rtt: Option<Rtt>, frames: u64, valid: bool) -> String {
        let certificate = Certificate {
            valid,
            frames,
            ..Certificate::default()
        };
        let head = (rtt, false, Some(frames));
        closing(head, Some("cubic by default"), &certificate, &[])
    }

    /// Whether a ping had passed by then is chance.
    #[test]
    fn of_a_command_that_did_not_run_the_last_line_says_one_thing() {
        for (rtt, frames) in [(None, 0), (None, 3), (of(3), 9)] {
            let certificate = Certificate {
                valid: true,
                frames,
                ..Certificate::default()
            };
            let head = (rtt, true, Some(frames));
            assert_eq!(closing(head, None, &certificate, &[]), NOT_RUN);
        }
    }

    #[test]
    fn where_nothing_was_carried_the_last_line_says_that() {
        let nothing = "nothing was carried: no RTT, and a certificate of nothing; cubic by default";
        assert_eq!(said(None, 0, true), nothing);
        // One of the lab's own pings may have been under way as the command ended.
        let certificate = Certificate {
            valid: true,
            frames: 1,
            ..Certificate::default()
        };
        let head = (None, false, Some(0));
        let ended = closing(head, Some("cubic by default"), &certificate, &[]);
        assert_eq!(ended, nothing);
        let lost = "no RTT measured, certificate valid; cubic by default";
        assert_eq!(said(None, 3, true), lost);
        let late = "no RTT measured, certificate INVALID; cubic by default";
        assert_eq!(said(None, 0, false), late);
    }

    /// Of few pings one that was late by chance is the 99th percentile.
    #[test]
    fn a_percentile_of_few_is_called_the_largest() {
        for (pings, words) in [
            (1, "at most in 1 ping"),
            (3, "at most in 3 pings"),
            (99, "at most in 99 pings"),
            (100, "p99"),
        ] {
            let wanted = format!("RTT 20.50 ms {words}, certificate valid; cubic by default");
            assert_eq!(said(of(pings), 9, true), wanted);
        }
    }

    /// A query of a name over UDP, and an answer over TCP that was too large for that.
    #[test]
    fn connections_are_said_beside_datagrams_of_a_like_size() {
        let of = |bytes_sent, all_bytes_sent| Busiest {
            bytes_sent,
            all_bytes_sent,
            ..Busiest::default()
        };
        assert!(counts_beside(&of(5000, 5000), 9000));
        assert!(counts_beside(&of(0, 0), 0));
        // Many small ones carry as much together.
        assert!(counts_beside(&of(500, 20_000), 9000));
        assert!(!counts_beside(&of(500, 800), 9000));
    }

    #[test]
    fn ports_that_nothing_went_to_are_said() {
        let said = |ports: &[u16]| told((None, ports), &[], &[], &[], &|_| String::new());
        assert!(said(&[]).is_empty());
        assert_eq!(
            said(&[80, 7000]),
            [
                "no connection to port 80 or 7000 was seen, or it was too short to say anything of it (--port)"
            ]
        );
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

    /// The remedy goes by the kind of the fault, not by how much the data plane worked beside it.
    #[test]
    fn what_fails_a_strict_run_has_the_remedy_of_its_fault() {
        let words = |cpu_share, kinds: &[Kind]| {
            let certificate = Certificate {
                cpu_share,
                machine_share: 0.97,
                ..Certificate::default()
            };
            remedy(&certificate, kinds, 2)
        };
        let short = words(0.58, &[Kind::Busy]);
        let why = "58 % of a processor, of 2 that were 97 % busy. Run it alone, one lab at a time";
        assert!(short.contains(why), "{short}");
        assert!(!short.contains("less to do"), "{short}");
        assert!(short.contains("exit code 4") && short.contains("leave --strict out"));
        let full = words(0.9, &[Kind::Overrun]);
        assert!(
            full.contains("90 % of a processor: a lower --rate"),
            "{full}"
        );
        assert!(!full.contains("alone"), "{full}");
        let idle = words(0.08, &[Kind::WokenLate]);
        assert!(idle.contains("--busy keeps it awake"), "{idle}");
        let both = words(0.9, &[Kind::Overrun, Kind::Busy, Kind::Busy]);
        assert!(both.contains("less to do; the machine was busy"), "{both}");
        assert_eq!(both.matches("Run it alone").count(), 1, "{both}");
        // A run with little work has too little memory all the same.
        let held = words(0.1, &[Kind::FrameMemory]);
        assert!(held.contains("a shorter --queue"), "{held}");
        let stolen = words(0.1, &[Kind::Stolen]);
        assert!(stolen.contains("processors are not shared"), "{stolen}");
        assert!(!held.contains("busy") && !stolen.contains("alone"));
    }
}
