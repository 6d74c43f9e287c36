//! iproute2's programs, run where the caller is.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Where a program may be when it is not on the caller's path: Debian's users have no `sbin` there.
pub(crate) const FOLDERS: [&str; 4] = ["/usr/sbin", "/sbin", "/usr/bin", "/bin"];

/// The folders in which programs are looked for: those of `PATH` first.
pub(crate) fn folders() -> impl Iterator<Item = PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let own: Vec<PathBuf> = std::env::split_paths(&path).collect();
    own.into_iter().chain(FOLDERS.iter().map(PathBuf::from))
}

/// A command for `program` of iproute2.
pub(crate) fn iproute(program: &str) -> Result<Command, String> {
    let found = folders()
        .map(|folder| folder.join(program))
        .find(|f| f.is_file());
    found.map(Command::new).ok_or_else(|| {
        format!(
            "no `{program}` in PATH or {}: install iproute2 (Debian, Ubuntu: apt install iproute2; Alpine: apk add iproute2)",
            FOLDERS.join(", ")
        )
    })
}

/// Has `program` do `lines`, with these options; the error names the line it stopped at.
pub(crate) fn batch(program: &str, options: &[&str], lines: &[String]) -> Result<(), String> {
    if lines.is_empty() {
        return Ok(());
    }
    let mut child = iproute(program)?
        .args(options)
        .args(["-batch", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| match Path::new("/dev/null").exists() {
            true => format!("start {program}: {e}"),
            // What it prints is to go there.
            false => format!("start {program}: there is no /dev/null: `mount --rbind /dev DIR/dev` before `chroot DIR`"),
        })?;
    let mut input = child.stdin.take().expect("its input is a pipe");
    // What it does not read, it has stopped before: its exit code and words say why.
    _ = input.write_all((lines.join("\n") + "\n").as_bytes());
    drop(input);
    let output = child
        .wait_with_output()
        .map_err(|e| format!("wait for {program}: {e}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(explained(program, lines, &said))
}

/// `said` with the line in place of its number.
fn explained(program: &str, lines: &[String], said: &str) -> String {
    let number = said
        .split_once("Command failed -:")
        .and_then(|(_, rest)| rest.split_whitespace().next()?.parse::<usize>().ok());
    let line = number.and_then(|n| lines.get(n.checked_sub(1)?));
    let words: Vec<&str> = said
        .lines()
        .filter(|l| !l.starts_with("Command failed") && !l.trim().is_empty())
        .collect();
    if said.contains("BusyBox") {
        return format!(
            "this `{program}` is BusyBox's and knows no -batch: install iproute2 (Alpine: apk add iproute2)"
        );
    }
    match line {
        Some(line) => format!("{program} {line}: {}", words.join("; ")),
        None => format!("{program}: {}", said.trim()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_that_failed_is_named() {
        let lines = [
            "link set dev lo up".to_owned(),
            "link set dev x up".to_owned(),
        ];
        let said = "Cannot find device \"x\"\nCommand failed -:2\n";
        assert_eq!(
            explained("ip", &lines, said),
            "ip link set dev x up: Cannot find device \"x\""
        );
        assert_eq!(explained("ip", &lines, "no\n"), "ip: no");
        let small = "ip: unrecognized option: batch\nBusyBox v1.36.1 multi-call binary.\n\nUsage: ip [OPTIONS]\n";
        assert!(explained("ip", &lines, small).contains("apk add iproute2"));
    }

    #[test]
    fn a_missing_program_comes_with_its_package() {
        let fault = iproute("no-such-program").unwrap_err();
        assert!(fault.contains("apt install iproute2"), "{fault}");
    }
}
