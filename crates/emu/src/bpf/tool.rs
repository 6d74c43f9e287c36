//! bpftool: what it is asked, and what it answers.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use super::error::BpfError;
use super::listed::available;
use super::obstacle;

/// The kind of structure that is a congestion control.
const KIND: &str = "tcp_congestion_ops";
const BPFTOOL: &str = "bpftool";
/// Lines of a refusal that are shown: the verifier's verdict is at the end.
const LOG_LINES: usize = 40;
/// What bpftool says when the verifier was content and the registration failed.
const NOT_TAKEN: &str = "can't register struct_ops";
/// What it says of an object that brings none.
const NONE: &str = "no struct_ops found";

/// A struct_ops map that the kernel holds.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Map {
    pub(super) id: u32,
    pub(super) name: String,
}

/// Where bpftool is.
#[derive(Clone, Debug)]
pub(super) struct Bpftool {
    path: PathBuf,
}

/// The program of that name in the first of these folders that has it.
pub(super) fn find(program: &'static str, search: &OsStr) -> Result<PathBuf, BpfError> {
    std::env::split_paths(search)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(program))
        .find(|path| path.is_file())
        .ok_or(BpfError::NoProgram(program))
}

impl Bpftool {
    pub(super) fn find(search: &OsStr) -> Result<Bpftool, BpfError> {
        find(BPFTOOL, search).map(|path| Bpftool { path })
    }

    /// Registers an object's algorithms.
    pub(super) fn register(&self, object: &Path, what: &str) -> Result<Vec<Map>, BpfError> {
        let output = self.run(&["register".into(), object.into()], false)?;
        let said = said(&output);
        if !output.status.success() {
            return Err(refusal(&said, what, object, &available()?));
        }
        let (maps, others) = registered(&said);
        // An object may hold structures of other kinds: nobody asked for those.
        for id in others {
            self.unregister(id)?;
        }
        Ok(maps)
    }

    pub(super) fn unregister(&self, id: u32) -> Result<(), BpfError> {
        let words = ["unregister".into(), "id".into(), id.to_string().into()];
        self.ask(&words).map(|_| ())
    }

    /// The congestion controls that are registered.
    pub(super) fn live(&self) -> Result<Vec<Map>, BpfError> {
        let answer = self.ask(&["list".into()])?;
        let maps = answer.as_array().ok_or_else(|| unexpected(&answer))?;
        maps.iter()
            .filter(|map| map["kernel_struct_ops"] == KIND)
            .map(|map| read_map(map).ok_or_else(|| unexpected(map)))
            .collect()
    }

    /// The name of a map's algorithm.
    pub(super) fn algorithm(&self, id: u32) -> Result<String, BpfError> {
        let answer = self.ask(&["dump".into(), "id".into(), id.to_string().into()])?;
        algorithm(&answer).ok_or_else(|| unexpected(&answer))
    }

    fn ask(&self, words: &[OsString]) -> Result<Value, BpfError> {
        let output = self.run(words, true)?;
        if !output.status.success() {
            return Err(failed(io::Error::other(said(&output))));
        }
        let text = String::from_utf8_lossy(&output.stdout);
        read_answer(&text).map_err(|source| failed(source.into()))
    }

    fn run(&self, words: &[OsString], json: bool) -> Result<Output, BpfError> {
        Command::new(&self.path)
            .args(json.then_some("--json"))
            .arg("struct_ops")
            .args(words)
            .output()
            .map_err(failed)
    }
}

/// Why an object was not registered, from what bpftool said; `available` are the algorithms there are.
fn refusal(said: &str, what: &str, object: &Path, available: &[String]) -> BpfError {
    let path = object.to_owned();
    if said.contains(NONE) {
        return BpfError::NotOne { path, found: 0 };
    }
    let words = said.split(NOT_TAKEN).nth(1);
    let name = words.map(|w| w.trim().split(':').next().unwrap_or_default());
    if let Some(name) = name
        && available.iter().any(|a| a == name)
    {
        return BpfError::NameTaken(name.to_owned());
    }
    let lines: Vec<&str> = said.lines().collect();
    BpfError::Refused {
        what: what.to_owned(),
        hint: match name {
            Some(_) => " (there is an algorithm of that name, or one of ssthresh, undo_cwnd and \
                        cong_avoid or cong_control is missing)"
                .to_owned(),
            None => obstacle::lockdown(),
        },
        log: lines[lines.len().saturating_sub(LOG_LINES)..].join("\n"),
    }
}

fn failed(source: io::Error) -> BpfError {
    BpfError::Program {
        program: BPFTOOL,
        source,
    }
}

fn unexpected(answer: &Value) -> BpfError {
    failed(io::Error::other(format!("an unexpected answer: {answer}")))
}

fn said(output: &Output) -> String {
    let text = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
    String::from_utf8_lossy(&text).trim().to_owned()
}

/// The document, or documents with commas between them that bpftool 7 prints for a dump.
fn read_answer(text: &str) -> serde_json::Result<Value> {
    serde_json::from_str(text).or_else(|_| serde_json::from_str(&format!("[{text}]")))
}

fn read_map(map: &Value) -> Option<Map> {
    Some(Map {
        id: map["id"].as_u64()?.try_into().ok()?,
        name: map["name"].as_str()?.to_owned(),
    })
}

/// "Registered KIND NAME id NUMBER", a line for each: congestion controls, and the numbers of others.
fn registered(said: &str) -> (Vec<Map>, Vec<u32>) {
    let (mut maps, mut others) = (Vec::new(), Vec::new());
    for line in said.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let ["Registered", kind, name, "id", number, ..] = words[..] else {
            continue;
        };
        let Ok(id) = number.parse() else { continue };
        if kind == KIND {
            let name = name.to_owned();
            maps.push(Map { id, name });
        } else {
            others.push(id);
        }
    }
    (maps, others)
}

/// The name in the structure, which need not be the map's.
fn algorithm(dump: &Value) -> Option<String> {
    match dump {
        Value::Array(parts) => parts.iter().find_map(algorithm),
        Value::Object(_) => {
            let data = &dump[format!("bpf_struct_ops_{KIND}")]["data"];
            data["name"].as_str().map(str::to_owned)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registrations_are_read() {
        let said = "libbpf: a word\nRegistered tcp_congestion_ops fp_htcp id 12\nRegistered sched_ext_ops x id 13";
        let (maps, others) = registered(said);
        let name = "fp_htcp".to_owned();
        assert_eq!(maps, [Map { id: 12, name }]);
        assert_eq!(others, [13]);
    }

    #[test]
    fn a_dump_in_pieces_is_read() {
        let text = r#"{"bpf_map_info":{"name":"map"}},{"bpf_struct_ops_tcp_congestion_ops":{"data":{"name":"mine","flags":1}}}"#;
        let dump = read_answer(text).unwrap();
        assert_eq!(algorithm(&dump).as_deref(), Some("mine"));
    }

    #[test]
    fn what_is_not_in_path_is_named() {
        for search in ["", ".", "/nonexistent"] {
            let error = find("clang", OsStr::new(search)).unwrap_err().to_string();
            assert!(
                error.contains("`clang`") && error.contains("apt-get install"),
                "{error}"
            );
        }
    }
}
