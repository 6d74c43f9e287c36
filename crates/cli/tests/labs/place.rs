//! A folder of a test's own, a share of the machine, and the program run there.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Two hosts and a router.
pub(crate) const SMALL: &str = r#"[scenario]
name = "small"

[[host]]
name = "left"

[[host]]
name = "right"

[[router]]
name = "middle"

[[link]]
name = "near"
ends = ["left", "middle"]
rate = "100 Mbit/s"
delay = "1 ms"

[[link]]
name = "far"
ends = ["middle", "right"]
rate = "100 Mbit/s"
delay = "9 ms"

[[test]]
name = "rtt"
kind = "ping"
from = "left"
to = "right"
count = 3
interval = "50 ms"

[[test]]
name = "bulk"
kind = "tcp"
from = "left"
to = "right"
start = "300 ms"
bytes = "1 MB"
"#;

/// Two labs on one machine make each other late, and one that starves the machine starves all.
static MACHINE: RwLock<()> = RwLock::new(());

#[expect(dead_code, reason = "held, not read")]
enum Machine {
    Shared(RwLockReadGuard<'static, ()>),
    Alone(RwLockWriteGuard<'static, ()>),
}

/// A folder with `small.toml` in it, in which labs leave what they leave.
pub(crate) struct Place {
    folder: tempfile::TempDir,
    _machine: Machine,
}

/// How the program ended and what it said.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Place {
    /// Beside other tests: for what does not depend on how late anything is. One to a test.
    pub(crate) fn new() -> Place {
        let shared = MACHINE.read().unwrap_or_else(PoisonError::into_inner);
        Place::with(Machine::Shared(shared))
    }

    /// While no other test of this binary runs a lab.
    pub(crate) fn alone() -> Place {
        let alone = MACHINE.write().unwrap_or_else(PoisonError::into_inner);
        Place::with(Machine::Alone(alone))
    }

    fn with(machine: Machine) -> Place {
        let place = Place {
            folder: tempfile::tempdir().expect("a folder can be made"),
            _machine: machine,
        };
        place.write("small.toml", SMALL);
        place
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path().join(name), text).expect("it can be written to");
    }

    /// The program, here.
    pub(crate) fn command(&self) -> Command {
        self.prepared(Command::new(env!("CARGO_BIN_EXE_farpath")))
    }

    /// Another program with the program as the rest of its arguments.
    pub(crate) fn through(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = self.prepared(Command::new(program));
        command.args(arguments).arg(env!("CARGO_BIN_EXE_farpath"));
        command
    }

    fn prepared(&self, mut command: Command) -> Command {
        command
            .env("XDG_RUNTIME_DIR", self.path())
            .env("NO_COLOR", "1")
            .env_remove("FARPATH_LAB")
            .current_dir(self.path())
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn farpath(&self, arguments: &[&str]) -> Ran {
        ran(self
            .command()
            .args(arguments)
            .output()
            .expect("the binary was built"))
    }

    /// `farpath lab run` on a short path.
    pub(crate) fn lab_run(&self, more: &[&str]) -> Ran {
        let path = ["lab", "run", "--rtt", "20ms", "--rate", "100Mbit/s"];
        self.farpath(&[&path, more].concat())
    }

    /// What labs have left here.
    pub(crate) fn left(&self) -> Vec<PathBuf> {
        let folder = std::fs::read_dir(self.path().join("farpath"));
        let entries = folder.into_iter().flatten().flatten();
        entries.map(|e| e.path()).collect()
    }
}

pub(crate) fn ran(output: Output) -> Ran {
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ran {
        code: output.status.code(),
        out: text(output.stdout),
        err: text(output.stderr),
    }
}

impl Ran {
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Ran {
        assert_eq!(
            self.code,
            Some(code),
            "\n--- out\n{}\n--- err\n{}",
            self.out,
            self.err
        );
        self
    }
}

/// The test's own name for a program of its own: within the kernel's 15 bytes.
pub(crate) fn own_name(letter: char) -> String {
    format!("fpc{letter}{}", std::process::id())
}

/// Compiles C for BPF into the folder.
pub(crate) fn compile(folder: &Path, object: &str, source: &Path, name: &str) -> PathBuf {
    let object = folder.join(object);
    let status = Command::new("clang")
        .args(["-target", "bpf", "-mcpu=v3", "-O2", "-g", "-DFP_LINUX=0"])
        .arg(format!("-DFP_NAME={name}"))
        .arg("-I")
        .arg(PROGRAMS)
        .arg("-c")
        .arg(source)
        .arg("-o")
        .arg(&object)
        .status()
        .expect("clang runs");
    assert!(status.success());
    object
}

/// Where our programs' sources lie.
const PROGRAMS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../emu/bpf");

/// Scalable's rules under a name of the test's own, as a user would have them.
pub(crate) fn object(folder: &Path, name: &str) -> PathBuf {
    let source = Path::new(PROGRAMS).join("scalable.bpf.c");
    compile(folder, "mine.o", &source, name)
}

pub(crate) fn setting(key: &str) -> String {
    let file = Path::new("/proc/sys").join(key.replace('.', "/"));
    let text = std::fs::read_to_string(file).expect(key);
    text.trim().to_owned()
}

pub(crate) const ALLOWED: &str = "net.ipv4.tcp_allowed_congestion_control";
const AVAILABLE: &str = "net.ipv4.tcp_available_congestion_control";

pub(crate) fn is_available(name: &str) -> bool {
    setting(AVAILABLE).split(' ').any(|a| a == name)
}
