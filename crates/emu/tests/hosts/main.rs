//! Real hosts on this machine's kernel. Needs root, or fails.
//!
//! A program with a main of its own, because a host's first process, the shadows of programs in hosts
//! and the programs of these tests are this program started again.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "tests of the real machine, and the programs they run in hosts"
)]

mod life;
mod pump;
mod role;
mod traffic;

use std::panic::catch_unwind;

type Test = (&'static str, fn());

fn main() {
    farpath_emu::init_main();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [role, rest @ ..] = arguments.as_slice()
        && role == role::ROLE
    {
        return role::play(rest);
    }
    let tests: Vec<Test> = traffic::TESTS.iter().chain(life::TESTS).copied().collect();
    std::process::exit(run(&tests, &arguments));
}

/// What cargo's own harness does, one test at a time: hosts share one machine.
fn run(tests: &[Test], arguments: &[String]) -> i32 {
    if arguments.iter().any(|a| a == "--list") {
        for (name, _) in tests {
            println!("{name}: test");
        }
        return 0;
    }
    let wanted: Vec<&String> = arguments.iter().filter(|a| !a.starts_with('-')).collect();
    let chosen = |name: &str| wanted.is_empty() || wanted.iter().any(|w| name.contains(*w));
    let (mut passed, mut failed) = (0, 0);
    for (name, test) in tests.iter().filter(|(name, _)| chosen(name)) {
        let ok = catch_unwind(test).is_ok();
        println!("test {name} ... {}", if ok { "ok" } else { "FAILED" });
        passed += u32::from(ok);
        failed += u32::from(!ok);
    }
    let left_out = tests.len() as u32 - passed - failed;
    let verdict = if failed == 0 { "ok" } else { "FAILED" };
    println!(
        "\ntest result: {verdict}. {passed} passed; {failed} failed; 0 ignored; 0 measured; {left_out} filtered out"
    );
    i32::from(failed > 0) * 101
}
