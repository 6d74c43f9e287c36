//! Object files: our sources, compiled on this machine when they are needed, and users' files.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use farpath_tcp::{Algorithm, Flavour};
use sha2::{Digest, Sha256};

use super::error::{BpfError, at};
use super::record::Folder;
use super::tool::find;

/// What is to be registered.
#[derive(Clone, Copy, Debug)]
pub enum Source<'a> {
    /// One of ours, by these rules.
    Ours(Algorithm, Flavour),
    /// A user's object file, compiled for BPF, with one `struct tcp_congestion_ops` in section `.struct_ops`.
    Object(&'a Path),
}

const KERNEL: &str = include_str!("../../bpf/kernel.bpf.h");
const HIGHSPEED: &str = include_str!("../../bpf/highspeed.bpf.c");
const SCALABLE: &str = include_str!("../../bpf/scalable.bpf.c");
const HTCP: &str = include_str!("../../bpf/htcp.bpf.c");

/// Our sources in each flavour, by the name the kernel gets: 15 bytes at most.
pub(super) const OURS: [Ours; 6] = [
    Ours::new(
        "fp_highspeed",
        Algorithm::HighSpeed,
        Flavour::Rfc,
        HIGHSPEED,
    ),
    Ours::new(
        "fp_highspeed_lx",
        Algorithm::HighSpeed,
        Flavour::Linux,
        HIGHSPEED,
    ),
    Ours::new("fp_scalable", Algorithm::Scalable, Flavour::Rfc, SCALABLE),
    Ours::new(
        "fp_scalable_lx",
        Algorithm::Scalable,
        Flavour::Linux,
        SCALABLE,
    ),
    Ours::new("fp_htcp", Algorithm::Htcp, Flavour::Rfc, HTCP),
    Ours::new("fp_htcp_lx", Algorithm::Htcp, Flavour::Linux, HTCP),
];

/// One of our algorithms.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ours {
    pub(super) name: &'static str,
    algorithm: Algorithm,
    flavour: Flavour,
    text: &'static str,
}

impl Ours {
    const fn new(
        name: &'static str,
        algorithm: Algorithm,
        flavour: Flavour,
        text: &'static str,
    ) -> Ours {
        Ours {
            name,
            algorithm,
            flavour,
            text,
        }
    }

    pub(super) fn of(algorithm: Algorithm, flavour: Flavour) -> Option<Ours> {
        OURS.into_iter()
            .find(|ours| ours.algorithm == algorithm && ours.flavour == flavour)
    }

    /// `-mcpu=v3` is of Linux 5.1; struct_ops with kernel functions is of 5.13.
    fn arguments(&self) -> [String; 7] {
        let linux = u8::from(self.flavour == Flavour::Linux);
        [
            "-target".into(),
            "bpf".into(),
            "-mcpu=v3".into(),
            "-O2".into(),
            "-g".into(),
            format!("-DFP_LINUX={linux}"),
            format!("-DFP_NAME={}", self.name),
        ]
    }

    fn compile(&self, clang: &Path, folder: &Path) -> Result<PathBuf, BpfError> {
        let (header, source) = (folder.join("kernel.bpf.h"), folder.join("source.bpf.c"));
        let (part, object) = (folder.join("part.o"), folder.join("object.o"));
        if object.exists() {
            return Ok(object);
        }
        std::fs::create_dir_all(folder).map_err(at(folder))?;
        std::fs::write(&header, KERNEL).map_err(at(&header))?;
        std::fs::write(&source, self.text).map_err(at(&source))?;
        let output = Command::new(clang)
            .args(self.arguments())
            .arg("-c")
            .arg(&source)
            .arg("-o")
            .arg(&part)
            .output()
            .map_err(|source| BpfError::Program {
                program: "clang",
                source,
            })?;
        if !output.status.success() {
            return Err(BpfError::Compile {
                name: self.name,
                log: String::from_utf8_lossy(&output.stderr).into_owned(),
            });
        }
        std::fs::rename(&part, &object).map_err(at(&object))?;
        Ok(object)
    }
}

/// What is to be registered, and the hash that identifies it.
pub(super) struct Wanted<'a> {
    kind: Kind<'a>,
    /// SHA-256 of what it is made from, in hexadecimal digits.
    pub(super) hash: String,
}

enum Kind<'a> {
    Ours(Ours),
    File(&'a Path),
}

impl<'a> Wanted<'a> {
    pub(super) fn of(source: Source<'a>) -> Result<Wanted<'a>, BpfError> {
        match source {
            Source::Ours(algorithm, flavour) => {
                let ours =
                    Ours::of(algorithm, flavour).ok_or(BpfError::NotWritten(algorithm.name()))?;
                let arguments = ours.arguments().join(" ");
                let hash = digest([KERNEL, ours.text, &arguments].join("\0"));
                Ok(Wanted {
                    kind: Kind::Ours(ours),
                    hash,
                })
            }
            Source::Object(path) => {
                let bytes = std::fs::read(path).map_err(at(path))?;
                is_bpf(&bytes).map_err(|found| BpfError::NoObject {
                    path: path.to_owned(),
                    found,
                })?;
                Ok(Wanted {
                    kind: Kind::File(path),
                    hash: digest(bytes),
                })
            }
        }
    }

    /// The algorithm's name, where it is known before it is registered.
    pub(super) fn name(&self) -> Option<&'static str> {
        match &self.kind {
            Kind::Ours(ours) => Some(ours.name),
            Kind::File(_) => None,
        }
    }

    /// How errors call it.
    pub(super) fn what(&self) -> String {
        match &self.kind {
            Kind::Ours(ours) => ours.name.to_owned(),
            Kind::File(path) => path.display().to_string(),
        }
    }

    /// The object file, compiled if need be.
    pub(super) fn object(&self, folder: &Folder, search: &OsStr) -> Result<PathBuf, BpfError> {
        match &self.kind {
            Kind::Ours(ours) => {
                ours.compile(&find("clang", search)?, &folder.path().join(&self.hash))
            }
            Kind::File(path) => Ok(path.to_path_buf()),
        }
    }
}

/// Whether an ELF file is for the kernel's virtual machine (`EM_BPF`), or what it is.
fn is_bpf(bytes: &[u8]) -> Result<(), &'static str> {
    const EM_BPF: u16 = 247;
    let machine = match bytes {
        [0x7f, b'E', b'L', b'F', _, order, ..] => bytes.get(18..20).map(|m| match order {
            2 => u16::from_be_bytes([m[0], m[1]]),
            _ => u16::from_le_bytes([m[0], m[1]]),
        }),
        _ => None,
    };
    match machine {
        Some(EM_BPF) => Ok(()),
        Some(_) => Err("it is compiled for a processor"),
        None => Err("it is not an ELF file"),
    }
}

fn digest(bytes: impl AsRef<[u8]>) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit_and_tell_the_flavours_apart() {
        for ours in OURS {
            assert!(ours.name.len() < 16, "{}", ours.name);
            assert_eq!(OURS.iter().filter(|o| o.name == ours.name).count(), 1);
            assert_eq!(
                super::super::name(ours.algorithm, ours.flavour),
                Some(ours.name)
            );
        }
        assert_eq!(super::super::name(Algorithm::Reno, Flavour::Rfc), None);
    }

    #[test]
    fn what_it_is_made_from_tells_objects_apart() {
        let hash = |flavour| {
            Wanted::of(Source::Ours(Algorithm::Htcp, flavour))
                .unwrap()
                .hash
        };
        assert_eq!(hash(Flavour::Rfc), hash(Flavour::Rfc));
        assert_ne!(hash(Flavour::Rfc), hash(Flavour::Linux));
        assert_eq!(hash(Flavour::Rfc).len(), 64);
    }
}
