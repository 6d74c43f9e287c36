//! Requests to a running lab, and its answers: a line of JSON each, over a socket in the lab's folder.

use std::cell::RefCell;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::named::{registry, running};
use crate::exit::Failure;

/// Name of the socket in the lab's folder.
const SOCKET: &str = "control";

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// What is asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Request {
    /// Change keys of the scenario: `link.path.delay=50ms`; all of them or none.
    Set(Vec<String>),
    /// How things are, as JSON.
    Status,
}

/// The answer: text, or why there is none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Answer {
    /// Done, or what was asked for.
    Said(String),
    /// The request is wrong.
    Wrong(String),
}

pub(super) fn socket(folder: &Path) -> PathBuf {
    folder.join(SOCKET)
}

/// Asks the lab of that name.
pub(super) fn ask(name: &str, request: &Request) -> Result<String, Failure> {
    if let Some(command) = running(name)?.command {
        let title = format!("lab `{name}` runs one command, `{command}`, and answers nothing else");
        return Err(Failure::usage(title).hint(format!(
            "farpath lab --lab {name} exec HOST -- ss -tin reads its sockets, `down` ends it; `lab up` makes a path with `status` and `set`"
        )));
    }
    let registry = registry()?;
    let path = socket(&registry.folder().join(name));
    let talk = || -> std::io::Result<Answer> {
        let mut stream = UnixStream::connect(&path)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        writeln!(stream, "{}", serde_json::to_string(request)?)?;
        let mut line = String::new();
        BufReader::new(stream).read_line(&mut line)?;
        Ok(serde_json::from_str(&line)?)
    };
    match talk() {
        Ok(Answer::Said(text)) => Ok(text),
        Ok(Answer::Wrong(why)) => Err(Failure::usage(why)),
        Err(e) => Err(
            Failure::environment(format!("lab `{name}` does not answer: {e}"))
                .hint(format!("farpath lab --lab {name} down, then up again")),
        ),
    }
}

/// Longest request, bytes.
const LONGEST: u64 = 1 << 20;

/// How long one may take to read its answer.
const READS_WITHIN: Duration = Duration::from_secs(1);

/// Most who may be connected at once.
const WAITING_MAX: usize = 16;

/// The listening end, polled between frames, and who has connected and not asked yet.
pub(super) struct Listener(UnixListener, RefCell<Vec<Asking>>);

/// Who has connected, and what came of its line so far.
struct Asking {
    stream: UnixStream,
    line: Vec<u8>,
}

impl Listener {
    pub(super) fn new(folder: &Path) -> std::io::Result<Listener> {
        let listener = UnixListener::bind(socket(folder))?;
        listener.set_nonblocking(true)?;
        Ok(Listener(listener, RefCell::default()))
    }

    /// Answers one request whose line is there, if there is one. Nobody's line is waited for: frames are on their way.
    pub(super) fn serve(&self, answer: impl FnOnce(Request) -> Answer) {
        let mut waiting = self.1.borrow_mut();
        if let Ok((stream, _)) = self.0.accept()
            && stream.set_nonblocking(true).is_ok()
        {
            let line = Vec::new();
            waiting.push(Asking { stream, line });
        }
        let over = waiting.len().saturating_sub(WAITING_MAX);
        waiting.drain(..over);
        let asked = waiting.iter_mut().position(Asking::has_asked);
        if let Some(asking) = asked.map(|n| waiting.remove(n)) {
            drop(asking.reply(answer));
        }
    }
}

impl Asking {
    /// Reads what has come; whether that is all that will.
    fn has_asked(&mut self) -> bool {
        let read = (&self.stream)
            .take(LONGEST.saturating_sub(self.line.len() as u64))
            .read_to_end(&mut self.line);
        let more = read.is_err_and(|e| e.kind() == ErrorKind::WouldBlock);
        !more || self.line.ends_with(b"\n")
    }

    fn reply(self, answer: impl FnOnce(Request) -> Answer) -> std::io::Result<()> {
        self.stream.set_nonblocking(false)?;
        self.stream.set_write_timeout(Some(READS_WITHIN))?;
        let said = match serde_json::from_slice(&self.line) {
            Ok(request) => answer(request),
            Err(e) => Answer::Wrong(e.to_string()),
        };
        writeln!(&self.stream, "{}", serde_json::to_string(&said)?)
    }
}
