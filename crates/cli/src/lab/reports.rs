//! The reports of a `lab run`: `--json` and `--junit`.

use std::path::Path as File;

use farpath_report::junit::{Case, Told, write_cases};

use super::name::Name;
use super::outcomes::{Outcomes, SUITE};
use crate::exit::Failure;
use crate::output::{Pending, prepare_report};

/// Where reports go; the files are tried before anything runs.
pub(super) struct Files {
    json: Option<Pending>,
    junit: Option<Pending>,
}

impl Files {
    /// Those that are named; an error has each that cannot be written.
    pub(super) fn prepare(json: Option<&File>, junit: Option<&File>) -> Result<Files, Failure> {
        let mut failed = Vec::new();
        let mut prepare = |file: Option<&File>| {
            let prepared = file.map(prepare_report).transpose();
            prepared.unwrap_or_else(|failure| {
                failed.push(failure);
                None
            })
        };
        let (json, junit) = (prepare(json), prepare(junit));
        together(failed).map_or(Ok(Files { json, junit }), Err)
    }

    /// Writes what a run came to, each report whatever became of the other: those that could not be written, and behind them
    /// how the command ended.
    pub(super) fn write(self, name: &Name, outcomes: Outcomes) -> Vec<Failure> {
        let end = outcomes.report.end();
        let json = self.json.map_or(Ok(()), |file| {
            let mut text =
                serde_json::to_string_pretty(&outcomes.report).map_err(Failure::environment)?;
            text.push('\n');
            file.write(text.as_bytes())
        });
        let junit = self
            .junit
            .map_or(Ok(()), |file| write_junit(name, file, outcomes));
        let failed = [json, junit].into_iter().filter_map(Result::err);
        let mut failed: Vec<Failure> = failed.collect();
        if let Some(last) = failed.pop() {
            failed.push(match end {
                Some(end) => last.line(&end),
                None => last,
            });
        }
        failed
    }
}

/// Several failures as one; none of none.
pub(super) fn together(failures: Vec<Failure>) -> Option<Failure> {
    failures.into_iter().reduce(Failure::also)
}

/// Writes what came of the command and of the certificate.
fn write_junit(name: &Name, file: Pending, outcomes: Outcomes) -> Result<(), Failure> {
    let case = |name: &str, outcome| {
        Told::from(Case {
            name: name.to_owned(),
            outcome,
        })
    };
    let mut command = case(&name.command, outcomes.command);
    command.took = outcomes.took;
    command.said = outcomes.said;
    let server = outcomes.server.map(|outcome| case("server", outcome));
    let certificate = case("certificate", outcomes.certificate);
    let cases: Vec<Told> = [Some(command), server, Some(certificate)]
        .into_iter()
        .flatten()
        .collect();
    let mut xml = Vec::new();
    let class = [SUITE, &name.place].join(" ");
    write_cases(class.trim_end(), &cases, &mut xml).map_err(Failure::environment)?;
    // Of arguments that are not understood nobody knows which run they were meant to be.
    if !name.place.is_empty() {
        file.say_replaced(&xml, 2, SUITE);
    }
    file.write(&xml)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::outcomes::tests::came;

    /// Both are in a folder that is a file.
    #[test]
    fn each_report_that_cannot_be_written_is_named_at_the_start() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("file");
        std::fs::write(&file, "").expect("writable");
        let [json, junit] = ["y.json", "y.xml"].map(|name| file.join(name));
        let failed = Files::prepare(Some(&json), Some(&junit)).map_err(|f| f.to_string());
        let Err(said) = failed else {
            panic!("they cannot be written");
        };
        assert!(said.contains("y.json") && said.contains("y.xml"), "{said}");
    }

    /// `/dev/full` takes nothing, as a full disk.
    #[test]
    fn a_report_that_cannot_be_written_loses_no_other_and_not_the_exit_code() {
        let folder = tempfile::tempdir().expect("a folder");
        let full = File::new("/dev/full");
        let whole = folder.path().join("whole.xml");
        let write = |json, junit| {
            let files = Files::prepare(Some(json), Some(junit)).expect("they can be tried");
            let (name, outcomes) = came(&[], 7, 1);
            together(files.write(&name, outcomes)).map(|f| f.to_string())
        };
        let said = write(full, &whole).expect("one fails");
        assert!(said.contains("write /dev/full: "), "{said}");
        assert!(
            said.contains("the command ended with exit code 7"),
            "{said}"
        );
        let xml = std::fs::read_to_string(&whole).expect("it is written");
        assert!(xml.contains("exit code 7"), "{xml}");
        let both = write(full, full).expect("both fail");
        assert_eq!(both.matches("write /dev/full: ").count(), 2, "{both}");
        assert_eq!(both.matches("exit code 7").count(), 1, "{both}");
    }
}
