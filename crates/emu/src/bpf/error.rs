//! Why an algorithm is not registered, or not unregistered.

use std::io;
use std::path::{Path, PathBuf};

use crate::program::FOLDERS;

/// Where the kernel lists what a socket may choose.
pub(super) const AVAILABLE: &str = "/proc/sys/net/ipv4/tcp_available_congestion_control";

/// Why an algorithm is not registered, or not unregistered.
#[derive(Debug, thiserror::Error)]
pub enum BpfError {
    /// There is no BPF program of ours for it.
    #[error("no BPF program for `{0}`: there is one for highspeed, scalable and htcp")]
    NotWritten(&'static str),
    /// The kernel lets root of the machine alone do it.
    #[error(
        "BPF congestion control needs root of the machine, and this is a user namespace: run the lab as root, or choose an algorithm of `cat {AVAILABLE}`"
    )]
    UserNamespace,
    /// Capabilities are missing.
    #[error("BPF congestion control needs {0}: run as root, in a container with these added")]
    Capabilities(String),
    /// The kernel was built without type information.
    #[error(
        "BPF congestion control needs the kernel's types, and /sys/kernel/btf/vmlinux is missing: a kernel with CONFIG_DEBUG_INFO_BTF is needed"
    )]
    NoTypes,
    /// The kernel does not compile BPF programs.
    #[error(
        "BPF congestion control needs the kernel's BPF compiler (CONFIG_BPF_JIT, and net.core.bpf_jit_enable = 1)"
    )]
    NoCompiler,
    /// A program that is needed is not installed.
    #[error(
        "BPF congestion control needs `{0}`, which is neither in PATH nor in {others}: apt-get install clang bpftool",
        others = FOLDERS.join(", ")
    )]
    NoProgram(&'static str),
    /// A program could not be run, or said something else than it should.
    #[error("run {program}: {source}")]
    Program {
        /// Its name.
        program: &'static str,
        /// Why.
        source: io::Error,
    },
    /// Reading or writing a file failed.
    #[error("{path}: {source}", path = path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// clang refused our source.
    #[error("clang cannot compile `{name}` for BPF:\n{log}")]
    Compile {
        /// The algorithm.
        name: &'static str,
        /// What clang said.
        log: String,
    },
    /// The kernel or bpftool refused an object.
    #[error("the kernel refuses {what}{hint}:\n{log}")]
    Refused {
        /// The algorithm or file.
        what: String,
        /// What may be the reason, or nothing.
        hint: String,
        /// The end of what bpftool said, the verifier's log included.
        log: String,
    },
    /// A file is not a BPF object.
    #[error(
        "{path} is not a BPF object ({found}): make one with `clang -target bpf -mcpu=v3 -O2 -g -c FILE.c -o FILE.o`",
        path = path.display()
    )]
    NoObject {
        /// The file.
        path: PathBuf,
        /// What it is.
        found: &'static str,
    },
    /// An algorithm of that name exists and is not this one.
    #[error(
        "congestion control `{0}` is registered already, by another version or another program: end it, or `bpftool struct_ops unregister name {0}`; or choose another .name in your own object"
    )]
    NameTaken(String),
    /// A user's object does not hold one congestion control.
    #[error("{path} has {found} congestion controls: one is needed, a struct tcp_congestion_ops in section .struct_ops", path = path.display())]
    NotOne {
        /// The object.
        path: PathBuf,
        /// How many it registered; they are unregistered again.
        found: usize,
    },
}

/// Says which file an error is about.
pub(super) fn at(path: &Path) -> impl FnOnce(io::Error) -> BpfError + use<> {
    let path = path.to_owned();
    move |source| BpfError::File { path, source }
}
