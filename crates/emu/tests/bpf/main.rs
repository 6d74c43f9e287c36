//! BPF congestion control on this machine's kernel. Needs root, clang and bpftool, or fails.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests of the real machine: its files, its programs, its clock"
)]

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use farpath_emu::bpf::{BpfError, Place, Source, register, unregister_stale};
use farpath_tcp::{Algorithm, Flavour};

/// An object with Scalable's rules under a name that nobody else has.
fn object(folder: &Path, name: &str) -> PathBuf {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/bpf/scalable.bpf.c");
    let object = folder.join(format!("{name}.o"));
    let status = Command::new("clang")
        .args(["-target", "bpf", "-mcpu=v3", "-O2", "-g", "-DFP_LINUX=0"])
        .arg(format!("-DFP_NAME={name}"))
        .args(["-c", source, "-o"])
        .arg(&object)
        .status()
        .unwrap();
    assert!(status.success());
    object
}

fn is_available(name: &str) -> bool {
    fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control")
        .unwrap()
        .split_whitespace()
        .any(|available| available == name)
}

/// A name for this process alone, within the kernel's 15 bytes.
fn own_name(letter: char) -> String {
    format!("fpt{letter}{}", std::process::id())
}

fn own_place(folder: &Path) -> Place {
    Place {
        folder: folder.join("state"),
        ..Place::default()
    }
}

#[test]
fn the_last_user_of_an_object_unregisters_it() {
    let folder = tempfile::tempdir().unwrap();
    let (name, place) = (own_name('a'), own_place(folder.path()));
    let object = object(folder.path(), &name);
    let first = register(&place, Source::Object(&object)).unwrap();
    assert_eq!(first.name(), name);
    assert!(is_available(&name));
    let second = register(&place, Source::Object(&object)).unwrap();
    assert_eq!(second.name(), name);
    first.unregister().unwrap();
    assert!(is_available(&name));
    assert!(unregister_stale(&place).unwrap().is_empty());
    drop(second);
    assert!(!is_available(&name));
}

/// What a killed process leaves: a registration, a record of it and no lock.
#[test]
fn what_the_dead_left_is_swept() {
    let folder = tempfile::tempdir().unwrap();
    let (name, place) = (own_name('b'), own_place(folder.path()));
    let object = object(folder.path(), &name);
    let holder = register(&place, Source::Object(&object)).unwrap();
    let record = fs::read_dir(&place.folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|e| e == "registered"))
        .unwrap();
    // A new file of the same name: nobody locks that one.
    let text = fs::read_to_string(&record).unwrap();
    fs::remove_file(&record).unwrap();
    fs::write(&record, text).unwrap();
    let swept = unregister_stale(&place).unwrap();
    assert_eq!(swept, [name.as_str()]);
    assert!(!is_available(&name));
    assert!(!record.exists());
    assert!(holder.unregister().is_err());
}

#[test]
fn another_algorithm_of_the_same_name_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (name, place) = (own_name('c'), own_place(folder.path()));
    let object = object(folder.path(), &name);
    let _held = register(&place, Source::Object(&object)).unwrap();
    let elsewhere = own_place(&folder.path().join("elsewhere"));
    let error = register(&elsewhere, Source::Object(&object)).unwrap_err();
    let said = error.to_string();
    assert!(matches!(error, BpfError::NameTaken(_)), "{said}");
    assert!(said.contains(&name), "{said}");
}

#[test]
fn what_is_no_bpf_object_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let (place, path) = (own_place(folder.path()), folder.path().join("text.o"));
    fs::write(&path, "no object").unwrap();
    let error = register(&place, Source::Object(&path)).unwrap_err();
    assert!(matches!(error, BpfError::NoObject { .. }), "{error}");
    assert!(error.to_string().contains("text.o"), "{error}");
    let missing = folder.path().join("missing.o");
    let error = register(&place, Source::Object(&missing)).unwrap_err();
    assert!(matches!(error, BpfError::File { .. }), "{error}");
}

#[test]
fn missing_programs_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let ours = Source::Ours(Algorithm::HighSpeed, Flavour::Rfc);
    let mut place = own_place(folder.path());
    place.search = OsString::new();
    let error = register(&place, ours).unwrap_err();
    assert!(matches!(error, BpfError::NoProgram("bpftool")), "{error}");
    // With bpftool alone.
    let bpftool = std::env::split_paths(&std::env::var_os("PATH").unwrap())
        .map(|folder| folder.join("bpftool"))
        .find(|path| path.is_file())
        .unwrap();
    std::os::unix::fs::symlink(bpftool, folder.path().join("bpftool")).unwrap();
    place.search = folder.path().into();
    let error = register(&place, ours).unwrap_err();
    assert!(matches!(error, BpfError::NoProgram("clang")), "{error}");
    assert!(error.to_string().contains("apt-get install clang bpftool"));
    let error = register(&place, Source::Ours(Algorithm::Vegas, Flavour::Rfc)).unwrap_err();
    assert!(matches!(error, BpfError::NotWritten("vegas")), "{error}");
}
