//! What this program is when the tests start it again.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use farpath_emu::state::Registry;
use farpath_emu::{Device, DeviceChoice, Host, Process, rootless};

use crate::pump::{Pair, spec};
use crate::traffic;

/// The first argument of a role.
pub(crate) const ROLE: &str = "role";

/// Bytes each end of an exchange sends.
const BYTES: usize = 32 << 20;

pub(crate) fn play(arguments: &[String]) {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["server", address] => {
            let listener = TcpListener::bind((*address, 5001)).unwrap();
            println!("listening");
            exchange(listener.accept().unwrap().0, 2, 1);
        }
        ["client", address] => exchange(TcpStream::connect((*address, 5001)).unwrap(), 1, 2),
        ["victim", folder] => victim(Path::new(folder)),
        ["rootless"] => rootless_pair(),
        ["exec", pid, start, program] => exec(pid, start, program),
        other => panic!("no role {other:?}"),
    }
}

/// Sends a stream of its own while the other's comes in, and compares that byte by byte.
fn exchange(stream: TcpStream, own: u64, other: u64) {
    let out = stream.try_clone().unwrap();
    let sending = std::thread::spawn(move || {
        let mut out = out;
        out.write_all(&bytes(own)).unwrap();
        out.shutdown(std::net::Shutdown::Write).unwrap();
    });
    let mut came = Vec::new();
    let mut stream = stream;
    stream.read_to_end(&mut came).unwrap();
    sending.join().unwrap();
    assert!(
        came == bytes(other),
        "{} bytes came, not those sent",
        came.len()
    );
    println!("equal");
}

/// A stream no two places of which are alike.
fn bytes(seed: u64) -> Vec<u8> {
    let mut state = seed;
    let mut word = || {
        // A full-period congruential generator (Knuth's MMIX).
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        state.to_le_bytes()
    };
    (0..BYTES / 8).flat_map(|_| word()).collect()
}

/// A lab of two hosts and a program in one; says who they are, and waits to be killed.
fn victim(folder: &Path) {
    let mut state = Registry::at(folder)
        .unwrap()
        .create("doomed", "test")
        .unwrap();
    let a = Host::start(&spec("a", DeviceChoice::Available)).unwrap();
    let b = Host::start(&spec("b", DeviceChoice::Available)).unwrap();
    state.set_hosts([&a, &b]).unwrap();
    // Something that nothing but a signal ends.
    let mut program = a.command("sh");
    let program = program.args(["-c", "echo x; exec tail -f /dev/null"]);
    let mut program = program.stdout(Stdio::piped()).spawn().unwrap();
    assert_eq!(line(program.stdout.as_mut().unwrap()), "x");
    let shadow = program.id();
    println!(
        "{} {} {} {}",
        a.init.pid,
        b.init.pid,
        shadow,
        children(shadow)
    );
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
    program.kill().unwrap();
    program.wait().unwrap();
}

/// Runs a program in a host of another process.
fn exec(pid: &str, start: &str, program: &str) {
    let (pid, start) = (pid.parse().unwrap(), start.parse().unwrap());
    let status = Process { pid, start }.command(program).status().unwrap();
    assert!(status.success(), "{status}");
}

/// The one child of a process.
pub(crate) fn children(pid: u32) -> String {
    let file = format!("/proc/{pid}/task/{pid}/children");
    std::fs::read_to_string(file).unwrap().trim().to_owned()
}

/// As somebody without privileges: prepares, then does what root does; the last host is held until the
/// input ends, for others to enter.
fn rootless_pair() {
    println!("{:?}", rootless::prepare().unwrap());
    for device in [Device::Tap, Device::Packet] {
        let pair = Pair::new(DeviceChoice::Only(device));
        assert_eq!(pair.a.notes, Vec::<String>::new());
        traffic::exchange_both(&pair);
        pair.stop();
        println!("{device:?}");
    }
    let host = Host::start(&spec("held", DeviceChoice::Available)).unwrap();
    println!("{} {}", host.init.pid, host.init.start);
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
}

/// This program in a role.
pub(crate) fn command(role: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([ROLE, role]);
    command
}

/// The same in a host, with pipes for input and output.
pub(crate) fn start(host: &Host, arguments: &[&str]) -> Child {
    let mut command = host.command(std::env::current_exe().unwrap());
    command.arg(ROLE).args(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    command.spawn().unwrap()
}

/// The next line a child says.
pub(crate) fn line(from: &mut impl Read) -> String {
    let mut text = Vec::new();
    let mut byte = [0];
    while from.read(&mut byte).unwrap() == 1 && byte[0] != b'\n' {
        text.push(byte[0]);
    }
    String::from_utf8(text).unwrap()
}
