//! `farpath lab ls`: the labs of this user that are up.

use farpath_units::Duration;
use serde::Serialize;

use super::named::registry;
use crate::args::LabLsArgs;
use crate::exit::{Exit, Failure, print, print_json};

/// One lab, as `--json` prints it.
#[derive(Serialize)]
struct Listed {
    name: String,
    scenario: String,
    /// The command with which it ends, of `lab run`.
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<String>,
    hosts: Vec<String>,
    pid: i32,
    age_ns: u64,
}

/// All of them.
#[derive(Serialize)]
struct List {
    schema: &'static str,
    labs: Vec<Listed>,
}

pub(super) fn list(args: &LabLsArgs) -> Result<Exit, Failure> {
    let labs = registry()?.list().into_iter().map(|lab| Listed {
        name: lab.name,
        scenario: lab.scenario,
        command: lab.command,
        hosts: lab.hosts.into_iter().map(|(name, _)| name).collect(),
        pid: lab.data_plane.pid,
        age_ns: lab.data_plane.age().as_ns(),
    });
    let labs: Vec<Listed> = labs.collect();
    if args.json {
        let schema = "farpath.labs/1";
        print_json(&List { schema, labs })?;
    } else {
        print(&table(&labs))?;
    }
    Ok(Exit::Ok)
}

fn table(labs: &[Listed]) -> String {
    if labs.is_empty() {
        return "no lab of yours is up\n".to_owned();
    }
    let name = labs.iter().map(|l| l.name.len()).max().unwrap_or(0).max(4);
    let mut text = format!(
        "{:<name$} {:>8} {:>9}  scenario or command, hosts\n",
        "name", "process", "age"
    );
    for lab in labs {
        text.push_str(&format!(
            "{:<name$} {:>8} {:>9}  {}: {}\n",
            lab.name,
            lab.pid,
            age(Duration::from_ns(lab.age_ns)),
            lab.command.as_deref().map_or(lab.scenario.clone(), brief),
            lab.hosts.join(", ")
        ));
    }
    text
}

/// Most characters of a command in the table; its JSON has all.
const BRIEF: usize = 40;

/// The beginning of a command, on one line.
fn brief(command: &str) -> String {
    let line = command.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(BRIEF) {
        Some((at, _)) => format!("{} ...", line[..at].trim_end()),
        None => line,
    }
}

/// In the two largest units.
fn age(age: Duration) -> String {
    let seconds = age.as_ns() / 1_000_000_000;
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, minutes) => format!("{minutes} min {} s", seconds % 60),
        (0, hours, minutes) => format!("{hours} h {minutes} min"),
        (days, hours, _) => format!("{days} d {hours} h"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_command_is_shown_by_its_beginning() {
        assert_eq!(brief("ping -c 3 server"), "ping -c 3 server");
        let script = "bash -c set -e\nfor n in 1 2 3; do\n  ping -c 3 server\ndone";
        assert_eq!(
            brief(script),
            "bash -c set -e for n in 1 2 3; do ping - ..."
        );
    }

    /// A scenario's name is copied into other commands.
    #[test]
    fn the_name_of_a_scenario_is_whole() {
        let scenario = "a-path-whose-name-is-longer-than-forty-characters";
        let listed = |command: Option<&str>| Listed {
            name: "lab".to_owned(),
            scenario: scenario.to_owned(),
            command: command.map(str::to_owned),
            hosts: vec!["a".to_owned(), "b".to_owned()],
            pid: 7,
            age_ns: 0,
        };
        let whole = table(&[listed(None)]);
        assert!(whole.ends_with(&format!(" {scenario}: a, b\n")), "{whole}");
        let command = "sh -c 'for n in 1 2 3; do ping -c 3 server; done'";
        let brief = table(&[listed(Some(command))]);
        assert!(brief.contains(" ...: a, b"), "{brief}");
    }

    #[test]
    fn an_age_has_two_units() {
        for (seconds, text) in [
            (0, "0 s"),
            (59, "59 s"),
            (61, "1 min 1 s"),
            (3660, "1 h 1 min"),
            (90_000, "1 d 1 h"),
        ] {
            assert_eq!(age(Duration::from_secs(seconds)), text);
        }
    }
}
