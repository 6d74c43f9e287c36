//! What this program is when it was started to be a part of a host.

use std::ffi::OsString;

use crate::host::{ENTER, INIT};
use crate::process::Process;
use crate::{init, rootless};

/// Exit code of a shadow that could not enter.
const FAULT: i32 = 125;

/// Call this first thing in `main`, before any thread is started: where this process was started to
/// be a host's init or a shadow in one, it is that and does not return.
pub fn init_main() {
    let mut arguments = std::env::args_os().skip(1);
    let Some(role) = arguments.next() else {
        return;
    };
    if role == INIT {
        std::process::exit(init::run());
    }
    if role == rootless::TRY {
        std::process::exit(rootless::attempt());
    }
    if role == ENTER {
        std::process::exit(shadow(arguments));
    }
}

/// `PID START PROGRAM [ARGUMENT]...`
#[allow(
    clippy::print_stderr,
    reason = "the shadow can report only to the caller's terminal"
)]
fn shadow(mut arguments: impl Iterator<Item = OsString>) -> i32 {
    let mut number = || arguments.next()?.to_str()?.parse::<u64>().ok();
    let init = number().zip(number());
    let init = init.and_then(|(pid, start)| {
        let pid = i32::try_from(pid).ok()?;
        Some(Process { pid, start })
    });
    let (Some(init), Some(program)) = (init, arguments.next()) else {
        return FAULT;
    };
    let rest: Vec<OsString> = arguments.collect();
    init.run(&program, &rest).unwrap_or_else(|e| {
        eprintln!("farpath: {e}");
        FAULT
    })
}
