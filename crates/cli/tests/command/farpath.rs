//! Running the binary.

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// What a run of the binary left behind.
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// The binary, in an empty environment but for what a locale and a width may change.
pub(crate) fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_farpath"));
    command
        .env_remove("COLUMNS")
        .env("NO_COLOR", "1")
        .stdin(Stdio::null());
    command
}

/// Runs the binary in `folder`.
pub(crate) fn farpath_in(folder: &Path, args: &[&str]) -> Ran {
    let output = command()
        .current_dir(folder)
        .args(args)
        .output()
        .expect("the binary was built");
    ran(output)
}

/// Runs the binary somewhere.
pub(crate) fn farpath(args: &[&str]) -> Ran {
    farpath_in(Path::new("."), args)
}

pub(crate) fn ran(output: Output) -> Ran {
    Ran {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).expect("UTF-8 on standard output"),
        err: String::from_utf8(output.stderr).expect("UTF-8 on standard error"),
    }
}

impl Ran {
    /// Asserts the exit code; on success nothing is said on standard error but how far it is.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Ran {
        assert_eq!(
            self.code,
            Some(code),
            "\n--- out\n{}\n--- err\n{}",
            self.out,
            self.err
        );
        if code == 0 {
            let mut lines = self.err.lines();
            let progress = |l: &str| l.starts_with("progress: ");
            assert!(lines.all(progress), "{}", self.err);
        }
        self
    }

    /// Asserts that standard error holds every one of these, and standard output nothing.
    #[track_caller]
    pub(crate) fn says(self, words: &[&str]) -> Ran {
        for word in words {
            assert!(self.err.contains(word), "`{word}` is not in\n{}", self.err);
        }
        assert_eq!(self.out, "");
        self
    }
}

/// Two hosts, one router, a ping and then a short transfer, with expectations that hold.
pub(crate) const SMALL: &str = r#"[scenario]
name = "small"

[[host]]
name = "a"

[[host]]
name = "b"

[[router]]
name = "r"

[[link]]
name = "ar"
ends = ["a", "r"]
rate = "100 Mbit/s"

[[link]]
name = "rb"
ends = ["r", "b"]
rate = "100 Mbit/s"
delay = "5 ms"
queue = "1 MB"
loss = 0.001

[[test]]
name = "ping"
kind = "ping"
from = "a"
to = "b"
count = 3
interval = "100 ms"

[[test]]
name = "bulk"
kind = "tcp"
from = "a"
to = "b"
start = "1 s"
duration = "2 s"

[[expect]]
metric = "ping.rtt_avg_ns"
min = "10 ms"
max = "12 ms"
stated = "about ten"

[[expect]]
metric = "bulk.goodput_bps"
min = "1 Mbit/s"
"#;

/// A folder with `SMALL` in `small.toml`.
pub(crate) fn with_small() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("small.toml"), SMALL).expect("it is writable");
    folder
}

/// Names of the files in a folder, sorted.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let name = |e: std::io::Result<std::fs::DirEntry>| {
        e.expect("an entry")
            .file_name()
            .into_string()
            .expect("UTF-8")
    };
    let mut names: Vec<String> = entries.map(name).collect();
    names.sort();
    names
}
