//! Progress on standard error for anything over a second, and Ctrl-C.

use std::cell::Cell;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::exit::{Failure, note};

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

/// Where standard error is no terminal, a run longer than this says every tenth it has done.
const LONG: Duration = Duration::from_secs(10);

/// One bar for a whole command, in thousandths; lines instead where there is no terminal.
pub(crate) struct Progress {
    bar: ProgressBar,
    terminal: bool,
    /// Whether the bar is to be shown once the run takes long.
    waiting: Cell<bool>,
    /// The last tenth a line was printed for.
    tenth: Cell<u64>,
}

impl Progress {
    /// A bar over `parts` equal parts.
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
            terminal: std::io::stderr().is_terminal(),
            waiting: Cell::new(true),
            tenth: Cell::new(0),
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
        if !self.terminal {
            let tenth = 10 * self.bar.position() / self.bar.length().unwrap_or(1).max(1);
            if tenth > self.tenth.get() && self.bar.elapsed() >= LONG {
                self.tenth.set(tenth);
                note(&format!("{} {} %", self.bar.message(), 10 * tenth));
            }
        } else if self.waiting.get() && self.bar.elapsed() >= PATIENCE {
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
