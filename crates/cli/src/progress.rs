//! Progress on standard error for anything over a second, and Ctrl-C.

use std::cell::Cell;
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

/// A run shorter than this shows no bar: it would only flicker.
const PATIENCE: Duration = Duration::from_secs(1);

/// One bar for a whole command, in thousandths.
pub(crate) struct Progress {
    bar: ProgressBar,
    /// Whether it is to be shown once the run takes long.
    waiting: Cell<bool>,
}

impl Progress {
    /// A bar over `parts` equal parts; it never shows where standard error is no terminal.
    pub(crate) fn new(parts: u64) -> Progress {
        let bar = ProgressBar::with_draw_target(Some(parts * 1000), ProgressDrawTarget::hidden());
        // The template is a constant; if it were wrong the default would still show progress.
        if let Ok(style) = ProgressStyle::with_template(
            "{msg:28!} [{bar:24}] {percent:>3} %  {elapsed} (left {eta})",
        ) {
            bar.set_style(style.progress_chars("=> "));
        }
        Progress {
            bar,
            waiting: Cell::new(std::io::stderr().is_terminal()),
        }
    }

    /// What is being done.
    pub(crate) fn say(&self, message: &str) {
        self.bar.set_message(message.to_owned());
        self.show();
    }

    /// So many thousandths of a part are done.
    pub(crate) fn advance_by(&self, thousandths: u64) {
        self.bar.inc(thousandths);
        self.show();
    }

    fn show(&self) {
        if self.waiting.get() && self.bar.elapsed() >= PATIENCE {
            self.waiting.set(false);
            self.bar
                .set_draw_target(ProgressDrawTarget::stderr_with_hz(8));
            self.bar.enable_steady_tick(Duration::from_millis(250));
        }
    }

    /// Takes the bar away.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
