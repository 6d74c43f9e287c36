//! Progress on standard error for anything over a second, and Ctrl-C.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::exit::Failure;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Arranges that Ctrl-C asks the run to stop; a second one ends the process at once.
pub(crate) fn watch_interrupts() -> Result<(), Failure> {
    ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::SeqCst) {
            crate::output::discard_drafts();
            std::process::exit(130);
        }
    })
    .map_err(|e| Failure::environment(format!("catch Ctrl-C: {e}")))
}

/// Whether the user asked to stop.
pub(crate) fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}

/// One bar for a whole command, in thousandths.
pub(crate) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A bar over `parts` equal parts; invisible when standard error is no terminal.
    pub(crate) fn new(parts: u64) -> Progress {
        let bar = ProgressBar::with_draw_target(
            Some(parts * 1000),
            ProgressDrawTarget::stderr_with_hz(8),
        );
        if !std::io::stderr().is_terminal() {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        // The template is a constant; if it were wrong the default would still show progress.
        if let Ok(style) = ProgressStyle::with_template(
            "{msg:28!} [{bar:24}] {percent:>3} %  {elapsed} (left {eta})",
        ) {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.enable_steady_tick(Duration::from_millis(250));
        Progress { bar }
    }

    /// What is being done.
    pub(crate) fn say(&self, message: &str) {
        self.bar.set_message(message.to_owned());
    }

    /// Part `part` has come this far, in `[0, 1]`.
    pub(crate) fn advance_by(&self, thousandths: u64) {
        self.bar.inc(thousandths);
    }

    /// Takes the bar away.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
