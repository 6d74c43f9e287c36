//! Requests to a running lab, and its answers: a line of JSON each, over a socket in the lab's folder.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{registry, running};
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

/// The listening end, polled between frames.
pub(super) struct Listener(UnixListener);

impl Listener {
    pub(super) fn new(folder: &Path) -> std::io::Result<Listener> {
        let listener = UnixListener::bind(socket(folder))?;
        listener.set_nonblocking(true)?;
        Ok(Listener(listener))
    }

    /// Answers one waiting request, if there is one.
    pub(super) fn serve(&self, answer: impl FnOnce(Request) -> Answer) {
        let Ok((stream, _)) = self.0.accept() else {
            return;
        };
        // Whoever connects has its line ready; who does not is not waited for.
        let talk = || -> std::io::Result<()> {
            stream.set_nonblocking(false)?;
            stream.set_read_timeout(Some(Duration::from_millis(5)))?;
            let mut line = String::new();
            BufReader::new(&stream).read_line(&mut line)?;
            let said = match serde_json::from_str(&line) {
                Ok(request) => answer(request),
                Err(e) => Answer::Wrong(e.to_string()),
            };
            writeln!(&stream, "{}", serde_json::to_string(&said)?)
        };
        drop(talk());
    }
}
