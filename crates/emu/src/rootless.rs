//! Whether this process may have hosts, how, and if not, what stands in the way and what removes it.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

use nix::errno::Errno;
use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};
use nix::unistd::{getgid, getuid};

use crate::host::Host;
use crate::spec::HostSpec;

/// First argument that makes this program a trial of user namespaces.
pub(crate) const TRY: &str = "farpath-host-try";

/// How hosts are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// With the privileges the process has.
    Privileged,
    /// In a user namespace, where it has them.
    UserNamespace,
}

/// What a process finds out about itself and the machine before anything is started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// It has CAP_SYS_ADMIN, CAP_NET_ADMIN and CAP_NET_RAW.
    pub privileged: bool,
    /// `kernel.unprivileged_userns_clone`, on kernels that have it (Debian's).
    pub userns_clone: Option<u64>,
    /// `user.max_user_namespaces`.
    pub max_user_namespaces: Option<u64>,
    /// `kernel.apparmor_restrict_unprivileged_userns`, on kernels that have it (Ubuntu's).
    pub apparmor_restricts: Option<u64>,
    /// It is under a filter of system calls (seccomp), or files are there that container engines leave in theirs: who
    /// refuses then is a container, or something like it.
    pub container: bool,
    /// It is root, of whatever it may do.
    pub root: bool,
    /// It has no capability at all.
    pub stripped: bool,
    /// `/proc` is not there, or is that of another PID namespace.
    pub foreign_proc: bool,
    /// What a child found that tried a user namespace: step and error of the first refusal.
    pub refused: Option<(String, Errno)>,
}

/// What stands in the way of hosts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Obstacle {
    /// `kernel.unprivileged_userns_clone` is 0.
    #[error(
        "user namespaces are for root on this machine (kernel.unprivileged_userns_clone = 0): run as root, or `sysctl -w kernel.unprivileged_userns_clone=1` as root"
    )]
    UsernsClone,
    /// `user.max_user_namespaces` is 0.
    #[error(
        "this machine allows no user namespaces (user.max_user_namespaces = 0): run as root, or `sysctl -w user.max_user_namespaces=16384` as root"
    )]
    NoUserNamespaces,
    /// AppArmor gives user namespaces without capabilities.
    #[error(
        "AppArmor withholds capabilities in user namespaces (kernel.apparmor_restrict_unprivileged_userns = 1, the default of Ubuntu 23.10 and later): run as root; or give the program a profile, in /etc/apparmor.d/farpath `abi <abi/4.0>, include <tunables/global> profile farpath {program} flags=(unconfined) {{ userns, }}`, then `apparmor_parser -r /etc/apparmor.d/farpath`; or `sysctl -w kernel.apparmor_restrict_unprivileged_userns=0` as root"
    )]
    AppArmor {
        /// The program the profile is for.
        program: String,
    },
    /// A container without the privileges.
    #[error(
        "this container makes no namespaces ({step}: {errno}): start it with `docker run --cap-add NET_ADMIN --cap-add SYS_ADMIN --device /dev/net/tun --security-opt apparmor=unconfined --security-opt systempaths=unconfined` (podman takes the same and `--cap-add NET_RAW`; a GitHub job `options: --privileged` below `container:`, a pod of Kubernetes `securityContext: {{privileged: true}}`)"
    )]
    Container {
        /// What was refused.
        step: String,
        /// How.
        errno: Errno,
    },
    /// Root, of which somebody has taken the capabilities.
    #[error(
        "this root lacks CAP_SYS_ADMIN, CAP_NET_ADMIN or CAP_NET_RAW, and a user namespace that would bring them was refused ({step}: {errno}): run it as another user, or with the capabilities (`setpriv`, `capsh` and the CapabilityBoundingSet of a systemd unit take them away); in a container with `--cap-add NET_ADMIN --cap-add SYS_ADMIN`"
    )]
    Stripped {
        /// What was refused.
        step: String,
        /// How.
        errno: Errno,
    },
    /// Process numbers mean nothing here.
    #[error(
        "/proc is missing, or shows the processes of another namespace: `mount -t proc proc /proc` first (unshare has --mount-proc)"
    )]
    Proc,
    /// A host was tried and could not be.
    #[error("{0}")]
    Host(String),
    /// Something else.
    #[error(
        "hosts need CAP_SYS_ADMIN, CAP_NET_ADMIN and CAP_NET_RAW, and a user namespace that would bring them was refused ({step}: {errno}): run as root"
    )]
    Refused {
        /// What was refused.
        step: String,
        /// How.
        errno: Errno,
    },
}

/// From what was found, how hosts are made.
///
/// # Errors
/// What stands in the way; where several things do, the one that is named most exactly.
pub fn decide(facts: &Facts) -> Result<Way, Obstacle> {
    if facts.foreign_proc {
        return Err(Obstacle::Proc);
    }
    if facts.privileged {
        return Ok(Way::Privileged);
    }
    let Some((step, errno)) = facts.refused.clone() else {
        return Ok(Way::UserNamespace);
    };
    Err(if facts.userns_clone == Some(0) {
        Obstacle::UsernsClone
    } else if facts.max_user_namespaces == Some(0) {
        Obstacle::NoUserNamespaces
    } else if facts.apparmor_restricts.is_some_and(|n| n > 0) {
        let program = std::env::current_exe().unwrap_or_else(|_| "farpath".into());
        Obstacle::AppArmor {
            program: program.display().to_string(),
        }
    } else if facts.root && facts.stripped {
        Obstacle::Stripped { step, errno }
    } else if facts.container {
        Obstacle::Container { step, errno }
    } else if facts.root {
        Obstacle::Stripped { step, errno }
    } else {
        Obstacle::Refused { step, errno }
    })
}

/// Makes this process one that may have hosts, and tries one: call it before any thread is started, and before
/// anything is opened as the user one was. Afterwards it may be root of a user namespace, with the
/// user's own files and no others.
///
/// # Errors
/// What stands in the way.
pub fn prepare() -> Result<Way, Obstacle> {
    let way = decide(&Facts::observe())?;
    if way == Way::UserNamespace {
        become_root().map_err(|(step, errno)| Obstacle::Refused { step, errno })?;
    }
    // The rest is found out by doing it: mounts, a TAP or veth, `ip`.
    let host = Host::start(&HostSpec::trial());
    host.map_err(|e| Obstacle::Host(e.to_string()))?;
    Ok(way)
}

impl Facts {
    /// Reads them, and tries a user namespace in a child if need be. [`crate::init_main`] must be
    /// called first thing in `main`: the child is this program.
    pub fn observe() -> Facts {
        let number = |file: &str| {
            let text = std::fs::read_to_string(Path::new("/proc/sys").join(file)).ok()?;
            text.trim().parse().ok()
        };
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let privileged = has_capabilities(&status);
        let marks = ["/.dockerenv", "/run/.containerenv"];
        let marked = marks.iter().any(|f| Path::new(f).exists());
        let own = std::fs::read_link("/proc/self").ok();
        Facts {
            privileged,
            foreign_proc: own.as_deref() != Some(Path::new(&std::process::id().to_string())),
            userns_clone: number("kernel/unprivileged_userns_clone"),
            max_user_namespaces: number("user/max_user_namespaces"),
            apparmor_restricts: number("kernel/apparmor_restrict_unprivileged_userns"),
            container: marked || is_filtered(&status),
            root: getuid().is_root(),
            stripped: capabilities(&status) == Some(0),
            refused: if privileged { None } else { trial() },
        }
    }
}

/// Whether `CapEff` in `/proc/self/status` has CAP_NET_ADMIN (12), CAP_NET_RAW (13), without which nothing pings, and
/// CAP_SYS_ADMIN (21).
fn has_capabilities(status: &str) -> bool {
    capabilities(status).is_some_and(|set| [12, 13, 21].iter().all(|n| set & (1 << n) != 0))
}

/// `CapEff` in `/proc/self/status`.
fn capabilities(status: &str) -> Option<u64> {
    let set = status.lines().find_map(|l| l.strip_prefix("CapEff:"));
    u64::from_str_radix(set?.trim(), 16).ok()
}

/// Whether system calls are filtered: mode 2 of `Seccomp` in `/proc/self/status`.
fn is_filtered(status: &str) -> bool {
    let mode = status.lines().find_map(|l| l.strip_prefix("Seccomp:"));
    mode.is_some_and(|m| m.trim() == "2")
}

/// The first refusal a child meets on the way this process would go.
fn trial() -> Option<(String, Errno)> {
    let mut child = Command::new("/proc/self/exe");
    child.arg(TRY).stdin(Stdio::null()).stderr(Stdio::null());
    let unknown = || ("try a user namespace".to_owned(), Errno::EIO);
    let Ok(output) = child.output() else {
        return Some(unknown());
    };
    if output.status.success() {
        return None;
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let said = text.trim().split_once(' ').and_then(|(errno, step)| {
        let errno = Errno::from_raw(errno.parse().ok()?);
        Some((step.to_owned(), errno))
    });
    Some(said.unwrap_or_else(unknown))
}

/// What the child does; its exit code.
#[allow(clippy::print_stdout, reason = "the parent reads it")]
pub(crate) fn attempt() -> i32 {
    let spaces = CloneFlags::CLONE_NEWNET
        | CloneFlags::CLONE_NEWNS
        | CloneFlags::CLONE_NEWPID
        | CloneFlags::CLONE_NEWUTS;
    let private = MsFlags::MS_REC | MsFlags::MS_PRIVATE;
    let done = become_root()
        .and_then(|()| {
            unshare(spaces).map_err(|e| ("create network, mount and process namespaces".into(), e))
        })
        .and_then(|()| {
            mount(None::<&str>, "/", None::<&str>, private, None::<&str>)
                .map_err(|e| ("make mounts private".into(), e))
        });
    match done {
        Ok(()) => 0,
        Err((step, errno)) => {
            println!("{} {step}", errno as i32);
            1
        }
    }
}

/// Moves the process into a user namespace of its own, as root of it.
fn become_root() -> Result<(), (String, Errno)> {
    let (uid, gid) = (getuid(), getgid());
    unshare(CloneFlags::CLONE_NEWUSER).map_err(|e| ("create a user namespace".to_owned(), e))?;
    // A group can be mapped only by who has given up changing groups (user_namespaces(7)).
    let maps = [
        ("setgroups", "deny".to_owned()),
        ("uid_map", format!("0 {uid} 1")),
        ("gid_map", format!("0 {gid} 1")),
    ];
    for (file, text) in maps {
        std::fs::write(format!("/proc/self/{file}"), text).map_err(|e| {
            let errno = Errno::from_raw(e.raw_os_error().unwrap_or_default());
            (format!("write {file}"), errno)
        })?;
    }
    Ok(())
}

/// What `FARPATH_LAB` asks for where hosts cannot be had.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Demand {
    /// A failure.
    #[default]
    Required,
    /// A plain NOT RUN.
    Auto,
}

impl Demand {
    /// Reads the value of `FARPATH_LAB`; [`Demand::Required`] where it is not set.
    ///
    /// # Errors
    /// Any other value, with those there are.
    pub fn read(value: Option<&OsStr>) -> Result<Demand, String> {
        match value.map(|v| v.to_string_lossy().into_owned()).as_deref() {
            None | Some("required") => Ok(Demand::Required),
            Some("auto") => Ok(Demand::Auto),
            Some(other) => Err(format!(
                "FARPATH_LAB is `{other}`: it can be `required` (a lab that cannot run is a failure) or `auto` (it is NOT RUN)"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused() -> Facts {
        Facts {
            max_user_namespaces: Some(16_384),
            refused: Some(("create a user namespace".to_owned(), Errno::EPERM)),
            ..Facts::default()
        }
    }

    fn says(facts: &Facts) -> String {
        decide(facts).unwrap_err().to_string()
    }

    #[test]
    fn privileges_are_used_as_they_are() {
        let facts = Facts {
            privileged: true,
            ..refused()
        };
        assert_eq!(decide(&facts), Ok(Way::Privileged));
        assert_eq!(decide(&Facts::default()), Ok(Way::UserNamespace));
    }

    #[test]
    fn every_obstacle_is_named_with_its_remedy() {
        let debian = Facts {
            userns_clone: Some(0),
            ..refused()
        };
        assert!(says(&debian).contains("sysctl -w kernel.unprivileged_userns_clone=1"));
        let none = Facts {
            max_user_namespaces: Some(0),
            ..refused()
        };
        assert!(says(&none).contains("sysctl -w user.max_user_namespaces=16384"));
        let ubuntu = Facts {
            userns_clone: Some(1),
            apparmor_restricts: Some(1),
            ..refused()
        };
        assert!(says(&ubuntu).contains("/etc/apparmor.d/farpath"));
        assert!(says(&ubuntu).contains("sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"));
        let docker = Facts {
            container: true,
            apparmor_restricts: Some(0),
            ..refused()
        };
        assert!(says(&docker).contains("docker run --cap-add NET_ADMIN --cap-add SYS_ADMIN"));
        assert!(says(&docker).contains("`securityContext: {privileged: true}`"));
        let stripped = Facts {
            root: true,
            ..refused()
        };
        // Engines leave root some: who has none has been stripped, in a container or not.
        let all_taken = Facts {
            stripped: true,
            container: true,
            ..stripped.clone()
        };
        assert!(says(&all_taken).contains("run it as another user, or with the capabilities"));
        assert!(says(&stripped).contains("this root lacks CAP_SYS_ADMIN"));
        assert!(!says(&stripped).contains("docker"), "{}", says(&stripped));
        let foreign = Facts {
            privileged: true,
            foreign_proc: true,
            ..Facts::default()
        };
        assert!(says(&foreign).contains("mount -t proc proc /proc"));
        assert!(
            says(&refused()).contains("create a user namespace: EPERM"),
            "{}",
            says(&refused())
        );
    }

    #[test]
    fn an_allowed_namespace_beats_a_suspicious_setting() {
        let facts = Facts {
            apparmor_restricts: Some(1),
            container: true,
            ..Facts::default()
        };
        assert_eq!(decide(&facts), Ok(Way::UserNamespace));
    }

    #[test]
    fn capabilities_are_read_from_the_effective_set() {
        assert!(has_capabilities("Name:\tx\nCapEff:\t000001ffffffffff\n"));
        assert!(has_capabilities("CapEff:\t0000000000203000\n"));
        assert!(!has_capabilities("CapEff:\t0000000000201000\n"));
        assert!(!has_capabilities(
            "CapPrm:\t000001ffffffffff\nCapEff:\t0000000000001000\n"
        ));
        assert!(!has_capabilities(""));
    }

    #[test]
    fn a_filter_of_system_calls_is_seen() {
        assert!(is_filtered(
            "NoNewPrivs:\t0\nSeccomp:\t2\nSeccomp_filters:\t1\n"
        ));
        assert!(!is_filtered("Seccomp:\t0\nSeccomp_filters:\t0\n"));
        assert!(!is_filtered(""));
    }

    #[test]
    fn farpath_lab_has_two_values() {
        let read = |v: &str| Demand::read(Some(OsStr::new(v)));
        assert_eq!(Demand::read(None), Ok(Demand::Required));
        assert_eq!(read("required"), Ok(Demand::Required));
        assert_eq!(read("auto"), Ok(Demand::Auto));
        assert!(read("yes").unwrap_err().contains("`required`"));
        assert!(read("").is_err());
    }
}
