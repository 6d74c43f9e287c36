//! Where continuous integration runs a lab: roots with little in them, containers, `make -j`, and whatever is killed on the way.
//! The rows of `docs/guides/labs.md`. As root of the machine's first namespaces, or they fail.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::place::{Place, Ran, ran};

/// One command across a short path.
const RUN: &str = "lab run --rtt 20ms --rate 100Mbit/s -- ping -c 1 -W 10 server";

/// A root file system below a test's folder.
struct Root(PathBuf);

impl Root {
    /// The program, a shell and `programs`, with the libraries they need, and nothing else: no `/etc/hosts`, no `/dev`.
    fn with(place: &Place, programs: &[&str]) -> Root {
        let root = Root(place.path().join("root"));
        for folder in ["bin", "etc", "proc", "sys", "dev", "tmp", "lib64"] {
            std::fs::create_dir_all(root.0.join(folder)).expect("a folder");
        }
        // Where Debian has its programs: `PATH` and absolute names lead to the same.
        std::fs::create_dir(root.0.join("usr")).expect("a folder");
        for folder in ["usr/bin", "usr/sbin", "sbin"] {
            let up = "../".repeat(folder.matches('/').count());
            symlink(format!("{up}bin"), root.0.join(folder)).expect("a link");
        }
        let null = root.0.join("dev/null");
        let made = Command::new("mknod")
            .arg(&null)
            .args(["c", "1", "3"])
            .status();
        assert!(made.expect("mknod runs").success());
        let own = env!("CARGO_BIN_EXE_farpath");
        for program in ["sh", own].iter().chain(programs) {
            root.add(program);
        }
        root
    }

    fn add(&self, program: &str) {
        let script =
            "p=$(command -v \"$1\") && readlink -f \"$p\" && ldd \"$p\" | grep -o '/[^ ]*' || true";
        let found = Command::new("sh")
            .args(["-c", script, "sh", program])
            .output();
        let text = String::from_utf8(found.expect("a shell").stdout).expect("text");
        let mut files = text.lines().map(Path::new);
        let name = Path::new(program).file_name().expect("a name");
        let file = files
            .next()
            .unwrap_or_else(|| panic!("there is no {program}"));
        std::fs::copy(file, self.0.join("bin").join(name)).expect("it can be copied");
        for library in files {
            let to = self.0.join(library.strip_prefix("/").expect("absolute"));
            std::fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
            std::fs::copy(library, to).expect("it can be copied");
        }
    }

    /// A command line of the program below the root, with `/proc` and, if `bind`, the root as a mount of its own.
    fn farpath(&self, bind: bool, demand: &str, line: &str) -> Ran {
        let bound = if bind {
            "mount --rbind \"$0\" \"$0\" &&"
        } else {
            ""
        };
        let script = format!(
            "{bound} mount -t proc proc \"$0/proc\" && exec chroot \"$0\" /bin/farpath {line}"
        );
        let output = Command::new("unshare")
            .args(["-m", "sh", "-c", &script])
            .arg(&self.0)
            .env("FARPATH_LAB", demand)
            .env("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin")
            .env_remove("XDG_RUNTIME_DIR")
            .output();
        ran(output.expect("it starts"))
    }
}

/// What a root needs for a lab and for [`RUN`].
const ENOUGH: [&str; 3] = ["ip", "tc", "ping"];

#[test]
fn a_root_with_iproute2_and_nothing_else_will_do() {
    let place = Place::new();
    let root = Root::with(&place, &ENOUGH);
    let ran = root.farpath(true, "required", RUN).exits(0);
    assert!(ran.out.contains("1 received"), "{}", ran.out);
    assert!(!root.0.join("etc/hosts").exists(), "it is the host's own");
    let left = std::fs::read_dir(root.0.join("tmp")).expect("a folder");
    assert_eq!(left.count(), 0);
    // Programs are the root's, not the machine's.
    let line = RUN.replace("ping -c 1 -W 10 server", "/usr/bin/perl -e 1");
    root.farpath(true, "required", &line).exits(127);
}

#[test]
fn what_a_root_lacks_is_named_and_auto_skips() {
    let place = Place::new();
    let root = Root::with(&place, &[]);
    for (bind, remedy) in [
        (
            true,
            "install iproute2 (Debian, Ubuntu: apt install iproute2",
        ),
        (false, "`mount --rbind DIR DIR` before `chroot DIR`"),
    ] {
        let refused = root.farpath(bind, "required", RUN).exits(125);
        assert!(refused.err.contains(remedy), "{}", refused.err);
        let up = root.farpath(bind, "required", "run cern-snaky/one-pass --emulate");
        assert!(up.exits(3).err.contains(remedy));
        let skipped = root.farpath(bind, "auto", RUN).exits(0);
        let note = "note: emulation NOT RUN: ";
        assert!(skipped.err.contains(note), "{}", skipped.err);
    }
    root.add("ip");
    std::fs::remove_file(root.0.join("dev/null")).expect("it is there");
    let refused = root.farpath(true, "required", RUN).exits(125);
    let remedy = "there is no /dev/null: `mount --rbind /dev DIR/dev`";
    assert!(refused.err.contains(remedy), "{}", refused.err);
}

/// A root with BusyBox alone: its `ip` is not enough, and iproute2's is asked for. Whole where `FARPATH_LONG` is set, with a
/// program that needs no library; else with its libraries.
#[test]
fn busybox_alone_is_not_enough() {
    let place = Place::new();
    let root = Root::with(&place, &["busybox"]);
    for applet in ["sh", "ip", "ping"] {
        let at = root.0.join("bin").join(applet);
        drop(std::fs::remove_file(&at));
        symlink("busybox", at).expect("a link");
    }
    if std::env::var_os("FARPATH_LONG").is_some() {
        std::fs::remove_dir_all(root.0.join("lib64")).expect("they are there");
        drop(std::fs::remove_dir_all(root.0.join("lib")));
        std::fs::copy(static_program(), root.0.join("bin/farpath")).expect("it was built");
    }
    let refused = root.farpath(true, "required", RUN).exits(125);
    let remedy = "this `ip` is BusyBox's and knows no -batch: install iproute2";
    assert!(refused.err.contains(remedy), "{}", refused.err);
    root.farpath(true, "auto", RUN).exits(0);
    // What needs no lab needs nothing else.
    root.farpath(true, "required", "run cern-snaky/one-pass --predict")
        .exits(0);
}

/// The program without libraries: minutes of building.
fn static_program() -> PathBuf {
    let top = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let target = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let built = Command::new(env!("CARGO"))
        .args([
            "build", "--quiet", "--locked", "-p", "farpath", "--target", &target,
        ])
        .args(["--target-dir", "target/static"])
        .env("RUSTFLAGS", "-C target-feature=+crt-static")
        .current_dir(top)
        .status();
    assert!(built.expect("cargo runs").success());
    Path::new(top)
        .join("target/static")
        .join(target)
        .join("debug/farpath")
}

/// Debian's smallest root, from its archive: minutes of fetching, once for a checkout.
#[test]
fn a_minimal_debian_will_do() {
    if std::env::var_os("FARPATH_LONG").is_none() {
        // Its like without the archive: `a_root_with_iproute2_and_nothing_else_will_do`.
        return;
    }
    let kept = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/roots/debian");
    let root = Root(PathBuf::from(kept));
    if !root.0.join("done").exists() {
        let packages = "--include=iproute2,iputils-ping";
        let made = Command::new("debootstrap")
            .args(["--variant=minbase", packages, "stable"])
            .arg(&root.0)
            .status();
        assert!(made.expect("debootstrap runs").success());
        std::fs::write(root.0.join("done"), "").expect("it can be written to");
    }
    std::fs::copy(env!("CARGO_BIN_EXE_farpath"), root.0.join("bin/farpath")).expect("a copy");
    let ran = root.farpath(true, "required", RUN).exits(0);
    assert!(ran.out.contains("1 received"), "{}", ran.out);
}

/// The program in a container of podman's on `root`, under the default seccomp profile.
fn contained(place: &Place, root: &Root, demand: &str, options: &[&str]) -> Ran {
    // Control groups of the older kind are nothing to crun; limits may not be raised without CAP_SYS_RESOURCE.
    let script = "test \"$(stat -fc %T /sys/fs/cgroup)\" = cgroup2fs || \
        { umount -R /sys/fs/cgroup && mount -t cgroup2 none /sys/fs/cgroup; }; exec podman \"$@\"";
    let state = |name: &str| place.path().join(name).display().to_string();
    let output = Command::new("unshare")
        .args(["-m", "sh", "-c", script, "sh"])
        .args(["--root", &state("storage"), "--runroot", &state("run")])
        .args([
            "--storage-driver",
            "vfs",
            "run",
            "--rm",
            "--cgroups=disabled",
        ])
        .args(["--network", "none", "--ulimit", "nofile=1024:1024"])
        .args(["--ulimit", "nproc=4096:4096"])
        .args(["--env", &format!("FARPATH_LAB={demand}")])
        .args(options)
        .arg("--rootfs")
        .arg(&root.0)
        .arg("/bin/farpath")
        .args(RUN.split(' '))
        .env_remove("XDG_RUNTIME_DIR")
        .output();
    ran(output.expect("it starts"))
}

#[test]
fn a_container_needs_one_flag_and_says_which() {
    let place = Place::new();
    let root = Root::with(&place, &ENOUGH);
    let flags = "--security-opt systempaths=unconfined";
    let refused = contained(&place, &root, "required", &[]).exits(125);
    assert!(
        refused.err.starts_with("error: no lab: "),
        "{}",
        refused.err
    );
    assert!(refused.err.contains(flags), "{}", refused.err);
    let skipped = contained(&place, &root, "auto", &[]).exits(0);
    assert!(skipped.err.contains("NOT RUN"), "{}", skipped.err);
    let least: Vec<&str> = flags.split(' ').collect();
    let raw = [
        "--cap-add",
        "SYS_ADMIN",
        "--cap-add",
        "NET_ADMIN",
        "--cap-add",
        "NET_RAW",
    ];
    for options in [
        &least[..],
        &[&least[..], &["--device", "/dev/net/tun"]].concat(),
        &raw,
        &["--privileged"],
    ] {
        let ran = contained(&place, &root, "required", options).exits(0);
        assert!(ran.out.contains("1 received"), "{options:?}: {}", ran.out);
    }
}

#[test]
fn make_runs_four_at_a_time() {
    let place = Place::new();
    let words = RUN.split_once("lab run").expect("it is one").1;
    let text = format!(
        "all: a b c d\na b c d:\n\t$(FARPATH) lab run --junit $@.xml{words}\n.PHONY: all a b c d\n"
    );
    place.write("Makefile", &text);
    let program = format!("FARPATH={}", env!("CARGO_BIN_EXE_farpath"));
    let output = Command::new("make")
        .args(["-j4", &program])
        .current_dir(place.path())
        .env("XDG_RUNTIME_DIR", place.path())
        .output();
    let ran = ran(output.expect("make runs")).exits(0);
    assert_eq!(ran.out.matches("1 received").count(), 4, "{}", ran.out);
    for name in ["a", "b", "c", "d"] {
        assert!(place.path().join(format!("{name}.xml")).exists());
    }
    assert_eq!(place.left(), Vec::<PathBuf>::new());
}

/// The children of a process, by number.
fn children(pid: u32) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter();
    let lists = tasks
        .flatten()
        .flatten()
        .map(|task| task.path().join("children"));
    let texts = lists.filter_map(|list| std::fs::read_to_string(list).ok());
    texts
        .flat_map(|t| {
            t.split(' ')
                .filter_map(|w| w.parse().ok())
                .collect::<Vec<_>>()
        })
        .collect()
}

fn is_there(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ")
        .is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

/// At once, with its hosts made, with its server started, with its command at work: nothing is left, and the next runs.
#[test]
fn a_run_that_is_killed_at_any_stage_leaves_nothing() {
    for signal in ["-KILL", "-TERM"] {
        for stage in ["begun", "hosts", "server", "command"] {
            let place = Place::new();
            let touched = |name: &str| place.path().join(name).exists();
            let mut command = place.command();
            command.args(["lab", "run", "--rtt", "20ms", "--rate", "100Mbit/s"]);
            command.args(["--server", "touch server; exec tail -f /dev/null", "--"]);
            command.args(["sh", "-c", "touch command; exec tail -f /dev/null"]);
            let mut child = command
                .stdout(std::process::Stdio::null())
                .stderr(std::process::Stdio::null())
                .spawn()
                .expect("it starts");
            let mut seen = Vec::new();
            loop {
                seen = if seen.is_empty() {
                    children(child.id())
                } else {
                    seen
                };
                let there = match stage {
                    "begun" => true,
                    "hosts" => !seen.is_empty(),
                    other => touched(other),
                };
                if there {
                    break;
                }
                let ended = child.try_wait().expect("it is ours");
                assert_eq!(ended, None, "{stage}: it ended early");
                std::thread::yield_now();
            }
            seen.extend(children(child.id()));
            let pid = child.id().to_string();
            let killed = Command::new("kill").args([signal, &pid]).status();
            assert!(killed.expect("kill runs").success());
            let status = child.wait().expect("it is ours");
            // Before it listens to signals, SIGTERM ends it as SIGKILL does.
            assert!(!status.success(), "{stage} {signal}: {status}");
            // The kernel ends the hosts a moment after it: what is never true would hang.
            while seen.iter().any(|pid| is_there(*pid)) {
                std::thread::yield_now();
            }
            place.lab_run(&["--", "true"]).exits(0);
            assert_eq!(place.left(), Vec::<PathBuf>::new(), "{stage} {signal}");
        }
    }
}
