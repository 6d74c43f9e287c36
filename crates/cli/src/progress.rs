//! Progress on standard error for anything over a second, and Ctrl-C.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use farpath_experiment::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::drafts;
use crate::exit::{Failure, note};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// What comes within this time of the first signal is the same request: timeout(1) signals the program and then its group.
const ONE_REQUEST: Duration = Duration::from_millis(200);

/// When the first signal came, on a clock that is an argument.
#[derive(Default)]
struct Signals {
    first: Option<Duration>,
}

impl Signals {
    /// Takes a signal at `now`; true where the user does not want to wait any longer.
    fn is_impatient(&mut self, now: Duration) -> bool {
        let first = *self.first.get_or_insert(now);
        now.saturating_sub(first) > ONE_REQUEST
    }
}

#[allow(
    clippy::disallowed_methods,
    reason = "signals come in real time, and how far apart they are makes their meaning"
)]
fn clock() -> Instant {
    Instant::now()
}

/// Arranges, once, that Ctrl-C asks the run to stop; a second one ends the process at once.
pub(crate) fn watch_interrupts() -> Result<(), Failure> {
    static WATCHED: AtomicBool = AtomicBool::new(false);
    if WATCHED.swap(true, Ordering::SeqCst) {
        return Ok(());
    }
    let (began, mut signals) = (clock(), Signals::default());
    let install = || {
        ctrlc::set_handler(move || {
            INTERRUPTED.store(true, Ordering::SeqCst);
            if signals.is_impatient(began.elapsed()) {
                drafts::discard();
                std::process::exit(130);
            }
        })
    };
    #[cfg(target_os = "linux")]
    let installed = farpath_emu::keep_hangups_ignored(install)
        .map_err(|e| Failure::environment(format!("keep hangups ignored: {e}")))?;
    #[cfg(not(target_os = "linux"))]
    let installed = install();
    installed.map_err(|e| Failure::environment(format!("catch Ctrl-C: {e}")))
}

/// Whether the user asked to stop.
pub(crate) fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}

/// A run shorter than this shows no bar: it would only flicker.
const PATIENCE: Duration = Duration::from_secs(1);

/// Where standard error is not a terminal, a run longer than this prints a line after every tenth of its work.
const LONG: Duration = Duration::from_secs(10);

/// A progress bar on standard error; where that is not a terminal, lines. Each call of `expect` starts it from 0. Notes go to standard
/// error, too, and Ctrl-C interrupts.
pub(crate) struct Bar {
    bar: ProgressBar,
    terminal: bool,
    /// Whether the bar is to be shown once the run takes long.
    waiting: bool,
    /// The last tenth a line was printed for.
    tenth: u64,
}

impl Bar {
    /// A bar that shows nothing until it is known how much there is to do.
    pub(crate) fn new() -> Bar {
        let bar = ProgressBar::with_draw_target(Some(1000), ProgressDrawTarget::hidden());
        // The template is a constant; if it were wrong the default would still show progress.
        if let Ok(style) = ProgressStyle::with_template(
            "{msg:28!} [{bar:24}] {percent:>3} %  {elapsed} (left {eta})",
        ) {
            bar.set_style(style.progress_chars("=> "));
        }
        Bar {
            bar,
            terminal: std::io::stderr().is_terminal(),
            waiting: true,
            tenth: 0,
        }
    }

    fn show(&mut self) {
        if !self.terminal {
            let tenth = 10 * self.bar.position() / self.bar.length().unwrap_or(1).max(1);
            if tenth > self.tenth && self.bar.elapsed() >= LONG {
                self.tenth = tenth;
                let line = in_words(10 * tenth, &self.bar.message());
                // Nobody may be reading.
                drop(writeln!(std::io::stderr(), "{line}"));
            }
        } else if self.waiting && self.bar.elapsed() >= PATIENCE {
            self.waiting = false;
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

/// A line of progress, for a file: how much is done, and what is in hand.
fn in_words(percent: u64, label: &str) -> String {
    match label {
        "" => format!("progress: {percent} % done"),
        _ => format!("progress: {percent} % done, at {label}"),
    }
}

impl Progress for Bar {
    fn expect(&mut self, parts: u64) {
        self.bar.set_length(parts * 1000);
        self.bar.reset();
        self.tenth = 0;
    }

    fn say(&mut self, label: &str) {
        self.bar.set_message(label.to_owned());
        self.show();
    }

    fn advance(&mut self, thousandths: u64) {
        self.bar.inc(thousandths);
        self.show();
    }

    fn note(&mut self, text: &str) {
        note(text);
    }

    fn interrupted(&self) -> bool {
        interrupted()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The twin before the change, and then after it.
    #[test]
    fn a_second_run_begins_with_nothing() {
        let mut bar = Bar::new();
        bar.expect(2);
        bar.advance(2000);
        bar.expect(1);
        bar.advance(300);
        assert_eq!((bar.bar.position(), bar.bar.length()), (300, Some(1000)));
    }

    /// A file of standard error has findings as notes; how far a run has come is none.
    #[test]
    fn lines_of_progress_are_no_notes() {
        let line = in_words(70, "bbr 1e-4 3/3");
        assert_eq!(line, "progress: 70 % done, at bbr 1e-4 3/3");
        assert_eq!(in_words(10, ""), "progress: 10 % done");
    }

    /// `timeout 5 farpath …` sends SIGTERM twice, to the program and to its group.
    #[test]
    fn signals_at_about_one_time_are_one_request() {
        let mut signals = Signals::default();
        let first = Duration::from_secs(7);
        let after = |ms| first + Duration::from_millis(ms);
        assert!(!signals.is_impatient(first));
        assert!(!signals.is_impatient(first));
        assert!(!signals.is_impatient(after(1)));
        assert!(!signals.is_impatient(after(200)));
        assert!(
            signals.is_impatient(after(201)),
            "of the first, not the last"
        );
    }
}
