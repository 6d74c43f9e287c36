//! What this program is when the tests start it again.

use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};

use farpath_emu::{DeviceChoice, Host, rootless};

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
        ["victim"] => victim(),
        ["rootless"] => rootless_pair(),
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

/// Starts two hosts and a program in one, says who they are, and waits to be killed.
fn victim() {
    let a = Host::start(&spec("a", DeviceChoice::Available)).unwrap();
    let b = Host::start(&spec("b", DeviceChoice::Available)).unwrap();
    let mut program = a.command("cat");
    let program = program.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut program = program.spawn().unwrap();
    // It runs when it answers.
    program.stdin.as_mut().unwrap().write_all(b"x\n").unwrap();
    let mut line = String::new();
    let mut answers = BufReader::new(program.stdout.take().unwrap());
    answers.read_line(&mut line).unwrap();
    assert_eq!(line, "x\n");
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

/// The one child of a process.
pub(crate) fn children(pid: u32) -> String {
    let file = format!("/proc/{pid}/task/{pid}/children");
    std::fs::read_to_string(file).unwrap().trim().to_owned()
}

/// As somebody without privileges: prepares, then does what root does.
fn rootless_pair() {
    let found = rootless::prepare().unwrap();
    println!("{found:?}");
    let pair = Pair::new(DeviceChoice::Available);
    assert_eq!(pair.a.notes, Vec::<String>::new());
    traffic::exchange_both(&pair);
    pair.stop();
    println!("carried");
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
