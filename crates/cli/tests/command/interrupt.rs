//! Ctrl-C: exit 130, and no file that was not finished.
//!
//! The scenario comes through a named pipe. Writing it blocks until the program opens the pipe, and it does that
//! after it has installed its signal handlers. So the signal finds it ready, and no test waits for a time.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::farpath::{Ran, SMALL, command, farpath_in, names, ran, with_small};

fn shell(folder: &Path, line: &str) {
    let done = Command::new("sh")
        .arg("-c")
        .arg(line)
        .current_dir(folder)
        .status();
    assert!(done.is_ok_and(|s| s.success()), "{line}");
}

/// A run of hours, which reads its scenario from a pipe.
fn start(folder: &Path, text: &str, args: &[&str]) -> Child {
    shell(folder, "mkfifo pipe");
    let child = command()
        .current_dir(folder)
        .args(["run", "pipe"])
        .args(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary was built");
    fs::write(folder.join("pipe"), text).expect("the program reads it");
    child
}

fn interrupt(child: Child, folder: &Path) -> Ran {
    end(child, folder, "INT")
}

fn end(child: Child, folder: &Path, signal: &str) -> Ran {
    shell(folder, &format!("kill -{signal} {}", child.id()));
    ran(child.wait_with_output().expect("it ends"))
}

fn long() -> String {
    SMALL.replace("duration = \"2 s\"", "duration = \"900000 s\"")
}

#[test]
fn an_interrupted_run_is_exit_130_and_leaves_nothing_but_its_junit() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let child = start(
        folder.path(),
        &long(),
        &["--out", "out", "--junit", "j.xml", "--json"],
    );
    interrupt(child, folder.path())
        .exits(130)
        .says(&["interrupted"]);
    let xml = fs::read_to_string(folder.path().join("j.xml")).expect("it is written");
    assert!(
        xml.contains(r#"<testcase name="run" classname="small">"#)
            && xml.contains("0 of 1 points had ended"),
        "{xml}"
    );
    // Nothing that was not judged passes.
    assert!(
        xml.contains(r#"tests="3" skipped="2" errors="0" failures="1""#)
            && xml.contains("stopped before it was judged"),
        "{xml}"
    );
    assert!(!folder.path().join("out").exists());
    assert!(names(folder.path()).iter().all(|n| !n.ends_with(".part")));
}

/// An earlier run's results are not taken away before there are others, and a moment of virtual time has few digits.
#[test]
fn an_interrupted_run_leaves_the_results_of_an_earlier_one() {
    let folder = with_small();
    let args = ["run", "small.toml", "--simulate", "--out", "out"];
    farpath_in(folder.path(), &args).exits(0);
    let out = folder.path().join("out");
    let there = names(&out);
    let child = start(folder.path(), &long(), &["--out", "out"]);
    let ran = interrupt(child, folder.path()).exits(130);
    assert_eq!(names(&out), there);
    let (first, rest) = ran.err.split_once('\n').expect("lines");
    assert!(
        rest.contains("out has the results of an earlier run"),
        "{rest}"
    );
    let at = first
        .strip_prefix("error: interrupted at ")
        .and_then(|t| t.split(' ').next());
    let digits = at.and_then(|t| t.split_once('.')).map(|(_, d)| d.len());
    assert!(digits.is_none_or(|n| n == 1), "{first}");
}

/// SIGTERM has the effect of Ctrl-C; a folder that was there before stays.
#[test]
fn a_terminated_run_leaves_nothing_but_what_was_there() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::create_dir(folder.path().join("out")).expect("a new name");
    let child = start(folder.path(), &long(), &["--out", "out"]);
    end(child, folder.path(), "TERM").exits(130);
    assert!(names(&folder.path().join("out")).is_empty());
}

/// The same in the midst of a capture, which has been begun when its file is there.
#[test]
fn an_interrupted_capture_leaves_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = long().replace("loss = 0.001", "tap = true");
    let mut child = start(folder.path(), &text, &["--out", "out"]);
    let out = folder.path().join("out");
    let begun = || out.exists() && names(&out).iter().any(|n| n.contains("pcapng"));
    while !begun() {
        let ended = child.try_wait().expect("it can be asked");
        assert!(ended.is_none(), "it ended by itself: {ended:?}");
        std::thread::yield_now();
    }
    interrupt(child, folder.path())
        .exits(130)
        .says(&["interrupted"]);
    assert!(!out.exists());
}

/// The second file is a pipe that nobody has written to yet: the signal comes while the program waits for it.
#[test]
fn an_interrupted_twin_is_exit_130_and_nothing_is_printed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    shell(folder.path(), "mkfifo first second");
    let child = command()
        .current_dir(folder.path())
        .args(["diagnose", "first", "second", "--verify", "--json"])
        .args([
            "--measured",
            "20Mbit/s",
            "--rtt",
            "20ms",
            "--line",
            "1Gbit/s",
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary was built");
    fs::write(folder.path().join("first"), "net.ipv4.tcp_sack = 1\n").expect("it is read");
    shell(folder.path(), &format!("kill -INT {}", child.id()));
    fs::write(folder.path().join("second"), "net.ipv4.tcp_sack = 1\n").expect("it is read");
    ran(child.wait_with_output().expect("it ends"))
        .exits(130)
        .says(&["interrupted"]);
}

#[test]
fn a_live_capture_that_is_interrupted_says_what_came() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut child = command()
        .args(["trace", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary was built");
    // pcap 2.4, little-endian, of Ethernet: as much as no pipe holds, so that it was read, and the handler installed before.
    let mut capture = Vec::new();
    for word in [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 65_535, 1] {
        capture.extend(word.to_le_bytes());
    }
    let packets = 50_000_u32;
    for n in 0..packets {
        for word in [n / 1000, n % 1000, 60, 60] {
            capture.extend(word.to_le_bytes());
        }
        capture.extend([0; 60]);
    }
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(&capture).expect("the program reads it");
    shell(folder.path(), &format!("kill -INT {}", child.id()));
    drop(stdin);
    let done = child.wait_with_output().expect("it ends");
    let out = ran(done).exits(0).out;
    let seen = out.strip_prefix("-: ").and_then(|t| t.split(' ').next());
    let seen: u32 = seen.and_then(|n| n.parse().ok()).expect("how many packets");
    // What is still in the pipe when Ctrl-C comes is not read.
    assert!((packets / 2..=packets).contains(&seen), "{out}");
}
