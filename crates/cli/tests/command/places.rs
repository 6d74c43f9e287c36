//! Where results go that are asked for by name: links, pipes and streams are written through and stay what they are.

use std::fs;
use std::os::unix::fs::{FileTypeExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::farpath::{command, farpath_in, ran, with_small};

const RUN: [&str; 5] = ["run", "small.toml", "--simulate", "--junit", "j.xml"];

fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink())
}

/// As `/dev/stdout` is one.
#[test]
fn a_link_to_a_stream_stays_and_the_stream_has_the_report() {
    let folder = with_small();
    let link = folder.path().join("j.xml");
    symlink("/proc/self/fd/1", &link).expect("a link");
    let piped = farpath_in(folder.path(), &RUN).exits(0).out;
    assert!(is_link(&link));
    // A file that the shell has opened has what else is said, too.
    let file = fs::File::create(folder.path().join("out")).expect("a file");
    let mut written = command();
    written.current_dir(folder.path()).args(RUN).stdout(file);
    let output = written.output().expect("the binary was built");
    let filed = fs::read_to_string(folder.path().join("out")).expect("it was written");
    assert!(ran(output).code == Some(0) && is_link(&link));
    for text in [piped, filed] {
        assert!(text.contains("</testsuites>"), "{text}");
        assert!(text.contains("bulk"), "{text}");
        assert_eq!(text.matches("<?xml").count(), 1, "{text}");
    }
}

#[test]
fn a_report_to_a_dash_is_printed() {
    let folder = with_small();
    let line = ["run", "small.toml", "--simulate", "--junit", "-"];
    let text = farpath_in(folder.path(), &line).exits(0).out;
    assert!(text.contains("</testsuites>"), "{text}");
    assert!(!folder.path().join("-").exists());
}

#[test]
fn a_fifo_stays_and_its_reader_has_the_report() {
    let folder = with_small();
    let fifo = folder.path().join("j.xml");
    let made = Command::new("mkfifo").arg(&fifo).status();
    assert!(made.expect("mkfifo").success());
    let mut reader = Command::new("cat");
    let reader = reader.arg(&fifo).stdout(Stdio::piped()).spawn();
    let reader = reader.expect("cat");
    farpath_in(folder.path(), &RUN).exits(0);
    let read = reader.wait_with_output().expect("it ends").stdout;
    let text = String::from_utf8(read).expect("UTF-8");
    assert!(text.ends_with("</testsuites>\n"), "{text}");
    let found = fs::symlink_metadata(&fifo).expect("it is there");
    assert!(found.file_type().is_fifo());
}

#[test]
fn two_reports_in_one_file_are_refused() {
    let folder = with_small();
    let both = ["--json", "q.out", "--junit", "./q.out", "--", "true"];
    let line = [&["lab", "run"][..], &both].concat();
    farpath_in(folder.path(), &line)
        .exits(125)
        .says(&["write ./q.out: another result goes there, too", "hint: "]);
    assert!(!folder.path().join("q.out").exists());
}
