//! What came of a `lab run`: its exit code, the cases of JUnit, and what `--json` writes.

use std::time::Duration as Wall;

use farpath_record::Certificate;
use farpath_report::junit::Outcome;
use serde::Serialize;

use super::busiest::Busiest;
use super::datagrams::Sent;
use super::impaired::Impaired;
use super::judged::{is_strict, judged};
use super::name::Name;
use super::programs::{self, Ended, FAULT};
use super::refused::Refused;
use crate::args::LabRunArgs;
use crate::exit::{Exit, Failure};

/// The name of what `--json` writes.
pub(crate) const SCHEMA: &str = "farpath.lab-run/1";

/// What the JUnit suite of every run is called, before the options of its path.
pub(super) const SUITE: &str = "farpath lab run";

/// What came of a run: the exit code, of the command or of the certificate, and the cases of JUnit.
pub(super) struct Outcomes {
    pub(super) code: u8,
    pub(super) command: Outcome,
    /// How long the command ran.
    pub(super) took: Option<Wall>,
    /// Of a run with a server.
    pub(super) server: Option<Outcome>,
    pub(super) certificate: Outcome,
    /// The closing line.
    pub(super) said: String,
    /// What `--json` writes.
    pub(super) report: Report,
    /// What went wrong when the command had ended.
    pub(super) late: Vec<Failure>,
}

/// What `--json` writes.
#[derive(Serialize)]
pub(super) struct Report {
    pub(super) schema: &'static str,
    pub(super) command: String,
    /// None where no lab can be, and that is allowed.
    pub(super) exit_code: Option<u8>,
    /// Why there was no run, or why it did not end.
    pub(super) fault: Option<String>,
    /// Why `--strict` fails the run, whatever the command's exit code; none where it does not.
    pub(super) failure: Option<String>,
    pub(super) took_ns: Option<u64>,
    /// Of the lab's own ping; none where no answer came.
    pub(super) rtt_p99_ns: Option<f64>,
    pub(super) rtt_pings: Option<u64>,
    pub(super) certificate: Option<Certificate>,
    /// Of the connections to these ports alone; of all where they are none.
    pub(super) ports: Vec<u16>,
    /// The connection that carried most; none where there was none.
    pub(super) connection: Option<Busiest>,
    /// Seconds of the command's time in which the path was down; none where it went down too often to follow.
    pub(super) path_down_s: Option<f64>,
    /// Frames that programs of all hosts handed to the path, the lab's own pings not among them; none without a run.
    pub(super) program_frames: Option<u64>,
    /// Of each of the two hosts that sent any.
    pub(super) datagrams: Vec<Sent>,
    /// Of the ways on which frames were delayed, reordered, copied or marked.
    pub(super) impaired: Vec<Impaired>,
    /// Connections and datagrams that were refused, by the end they were for.
    pub(super) refused: Vec<Refused>,
    /// Sentences on times down and events that the command ended too early for.
    pub(super) not_reached: Vec<String>,
}

impl Report {
    /// How the command ended, for who gets no report.
    pub(super) fn end(&self) -> Option<String> {
        let code = self.exit_code.filter(|_| self.took_ns.is_some())?;
        let why = self.fault.iter().map(|why| format!(" ({why})"));
        let why: String = why.collect();
        Some(format!("the command ended with exit code {code}{why}"))
    }

    /// That of a run that came to nothing.
    pub(super) fn none(name: &Name, exit_code: Option<u8>, why: &str) -> Report {
        Report {
            schema: SCHEMA,
            command: name.command.clone(),
            exit_code,
            fault: Some(why.to_owned()),
            failure: None,
            took_ns: None,
            rtt_p99_ns: None,
            rtt_pings: None,
            certificate: None,
            ports: Vec::new(),
            connection: None,
            path_down_s: None,
            program_frames: None,
            datagrams: Vec::new(),
            impaired: Vec::new(),
            refused: Vec::new(),
            not_reached: Vec::new(),
        }
    }
}

impl Outcomes {
    /// Those of a machine that can have no lab, where that is allowed.
    pub(super) fn skipped(name: &Name, why: &str) -> Outcomes {
        let skip = || Outcome::Skip(why.to_owned());
        Outcomes {
            code: Exit::Ok as u8,
            command: skip(),
            took: None,
            server: name.has_server.then(skip),
            certificate: skip(),
            said: String::new(),
            report: Report::none(name, None, why),
            late: Vec::new(),
        }
    }

    /// Those of a run that failed, and not by its command.
    pub(super) fn fault(name: &Name, failure: &Failure) -> Outcomes {
        let why = failure.to_string();
        let interrupted = failure.is_interruption();
        let (code, command, certificate) = match interrupted {
            true => (
                Exit::Interrupted as u8,
                Outcome::Fail(why.clone()),
                "the run did not end",
            ),
            false => {
                let said = format!("not run: {why}");
                (FAULT, Outcome::Error(said), "there was no run")
            }
        };
        let fault = if interrupted {
            programs::INTERRUPTED
        } else {
            &why
        };
        let skip = |why: &str| Outcome::Skip(why.to_owned());
        let mut outcomes = Outcomes {
            code,
            command,
            took: None,
            server: name.has_server.then(|| skip(certificate)),
            certificate: skip(certificate),
            said: String::new(),
            report: Report::none(name, Some(code), fault),
            late: Vec::new(),
        };
        if failure.is_of_server() {
            outcomes.server = Some(Outcome::Fail(why));
            outcomes.command = skip("the server did not listen");
        }
        outcomes
    }

    /// What came of a command that ended so, said and reported as it is here.
    pub(super) fn of(args: &LabRunArgs, ended: Ended, said: String, report: Report) -> Outcomes {
        let frames = report.program_frames;
        let how = (&ended, is_strict(args, &ended, frames));
        let judged = judged(report.certificate.as_ref(), how, frames);
        let failed = ended.server.map_or(Outcome::Pass, Outcome::Fail);
        let command = match (ended.code, ended.why) {
            (0, _) => Outcome::Pass,
            (_, Some(why)) => Outcome::Fail(why),
            (code, None) => Outcome::Fail(format!("exit code {code}")),
        };
        Outcomes {
            code: judged.code,
            command,
            took: Some(ended.took),
            server: args.server.as_ref().map(|_| failed),
            certificate: judged.case,
            said,
            report: Report {
                failure: judged.failure,
                ..report
            },
            late: Vec::new(),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use clap::Parser as _;
    use farpath_units::Time;

    use super::*;
    use crate::args::{Cli, Command, LabCommand};
    use crate::lab::closing::{NOT_RUN, NOTHING, UNUSED};
    use crate::lab::programs::By;

    /// The arguments of `lab run` with a path, these options, and the command `true`.
    pub(in crate::lab) fn asked(options: &[&str]) -> LabRunArgs {
        let path = [
            "farpath", "lab", "run", "--rtt", "80ms", "--rate", "20Mbit/s",
        ];
        let words = path.iter().chain(options).chain(&["--", "true"]);
        let cli = Cli::try_parse_from(words).expect("they are options");
        let Command::Lab(lab) = cli.command else {
            panic!("it is a lab");
        };
        let LabCommand::Run(run) = lab.command else {
            panic!("it is a run");
        };
        *run
    }

    /// A command that came to its own end with this exit code.
    fn ended(code: u8) -> Ended {
        Ended {
            code,
            why: None,
            by: By::Itself,
            took: Wall::from_millis(10),
            until: [Time::MAX; 2],
            server: None,
            listening: Vec::new(),
        }
    }

    /// What comes of a command with this exit code, of `lab run` with these options and a certificate of so many frames.
    pub(in crate::lab) fn came(options: &[&str], code: u8, frames: u64) -> (Name, Outcomes) {
        let args = asked(options);
        let name = Name::of(&args);
        let mut report = Report::none(&name, Some(code), "");
        (report.fault, report.took_ns) = (None, Some(10_000_000));
        report.certificate = Some(Certificate {
            valid: true,
            frames,
            ..Certificate::default()
        });
        let outcomes = Outcomes::of(&args, ended(code), String::new(), report);
        (name, outcomes)
    }

    #[test]
    fn a_strict_run_that_carried_nothing_does_not_pass() {
        let came = |options: &[&str], code, frames| came(options, code, frames).1;
        let none = came(&["--strict"], 0, 0);
        assert_eq!(none.code, Exit::Certificate as u8);
        assert_eq!(none.certificate, Outcome::Fail(NOTHING.to_owned()));
        assert_eq!(none.report.failure.as_deref(), Some(NOTHING));
        assert_eq!(came(&["--strict"], 0, 1).code, 0);
        assert_eq!(came(&["--strict"], 0, 1).certificate, Outcome::Pass);
        // A command that failed says more itself.
        let failed = came(&["--strict"], 7, 0);
        assert_eq!((failed.code, failed.report.failure), (7, None));
        assert_eq!(failed.certificate, Outcome::Skip(NOTHING.to_owned()));
        let usual = came(&[], 0, 0);
        assert_eq!(usual.code, 0);
        assert_eq!(usual.certificate, Outcome::Skip(NOTHING.to_owned()));
    }

    /// `true` on a path that the lab's own pings cross.
    #[test]
    fn a_strict_run_of_pings_alone_does_not_pass() {
        let came = |options: &[&str], code, program_frames| {
            let args = asked(options);
            let (_, Outcomes { report, .. }) = came(options, code, 20);
            let report = Report {
                program_frames: Some(program_frames),
                ..report
            };
            Outcomes::of(&args, ended(code), String::new(), report)
        };
        let none = came(&["--strict"], 0, 0);
        assert_eq!(none.code, Exit::Certificate as u8);
        assert_eq!(none.certificate, Outcome::Fail(UNUSED.to_owned()));
        assert_eq!(none.report.failure.as_deref(), Some(UNUSED));
        assert_eq!(came(&["--strict"], 0, 1).code, 0);
        assert_eq!(came(&["--strict"], 0, 1).certificate, Outcome::Pass);
        assert_eq!(came(&["--strict"], 7, 0).code, 7);
        assert_eq!(came(&[], 0, 0).code, 0);
    }

    /// `nosuchcmd`: whether a ping of the lab's own had passed by then, or the machine was busy, is chance.
    #[test]
    fn of_a_command_that_did_not_run_one_thing_is_said() {
        for (code, frames, valid) in [(127, 0, true), (127, 20, true), (126, 20, false)] {
            let args = asked(&["--strict"]);
            let (_, Outcomes { report, .. }) = came(&[], code, frames);
            let certificate = report.certificate.map(|c| Certificate { valid, ..c });
            let report = Report {
                program_frames: Some(0),
                certificate,
                ..report
            };
            let came = Outcomes::of(&args, ended(code), String::new(), report);
            assert_eq!((came.code, came.report.failure), (code, None));
            assert_eq!(came.certificate, Outcome::Skip(NOT_RUN.to_owned()));
        }
        // What it started is not found, and it had used the path before.
        let args = asked(&["--strict"]);
        let (_, Outcomes { report, .. }) = came(&[], 127, 20);
        let report = Report {
            program_frames: Some(9),
            ..report
        };
        let used = Outcomes::of(&args, ended(127), String::new(), report);
        assert_eq!(used.certificate, Outcome::Pass);
    }
}
