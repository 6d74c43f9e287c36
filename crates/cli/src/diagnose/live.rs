//! `farpath diagnose --live`: running connections watched until they end, and what limits each.

use std::io::{IsTerminal, Write};
use std::net::{IpAddr, ToSocketAddrs};
use std::path::Path;

use farpath_diagnose::{Diagnosis, Known};
use farpath_experiment::live::{Now, facts, grown, judged, now};
use farpath_probe::live::{Ask, Filter, Watched, watch};
use farpath_probe::{Stop, counters, survey};
use farpath_report::{limit_words, quantity};
use farpath_units::Duration;

use crate::args::DiagnoseArgs;
use crate::exit::{Failure, note};
use crate::progress::{interrupted, watch_interrupts};
use crate::value;

/// Connections in the table.
const ROWS_MAX: usize = 16;

/// Where nobody watches the table, it is printed once in so long, nanoseconds.
const SELDOM_NS: u64 = 5_000_000_000;

/// How often the table is drawn on a terminal.
const OFTEN_NS: u64 = 500_000_000;

/// What to do where nothing was seen.
const UNSEEN: &str = "only connections of this network namespace are seen: look from inside a container with \
    `nsenter -t PID -n farpath diagnose --live ...`; `ss -tn` lists what there is";

/// Watches what `text` names, and judges it.
pub(super) fn live(text: &str, args: &DiagnoseArgs, known: &Known) -> Result<Diagnosis, Failure> {
    let filter = Filter::parse(text, &resolve).map_err(|e| {
        Failure::usage(format!("--live '{text}': {e}"))
            .hint("for example --live 'dst 192.0.2.1 and port 5201'")
    })?;
    let every: Duration = value::read("every", args.every.as_deref().unwrap_or("100ms"))?;
    if every < Duration::from_ms(1) {
        let message = format!("--every {every}: more often than a thousand times a second");
        return Err(Failure::usage(message).hint("write 1ms or more; 100ms is usual"));
    }
    let length: Option<Duration> = value::maybe("for", args.length.as_deref())?;
    let ask = Ask {
        filter,
        every_ns: every.as_ns(),
        for_ns: length.map(Duration::as_ns),
    };
    watch_interrupts()?;
    let survey = survey(Path::new("/"), None).map_err(Failure::environment)?;
    let before = counters();
    let watched = rounds(&ask, text)?;
    let grown = grown(&before, &counters());
    if watched.connections.is_empty() {
        let lasted = Duration::from_ms(watched.lasted_ns / 1_000_000);
        let message = format!("nothing seen: no connection matched '{text}' in {lasted}");
        return Err(match interrupted() {
            true => Failure::interrupted(message),
            false => Failure::usage(message).hint(UNSEEN),
        });
    }
    let (flows, left) = judged(&watched);
    if flows.is_empty() {
        let message = format!(
            "nothing seen: {} matched '{text}' and carried nothing",
            connections(watched.connections.len())
        );
        return Err(Failure::usage(message).hint("watch longer, or while data is sent"));
    }
    let mut facts = facts(&flows, &survey, &grown);
    if left > 0 {
        let are = if left == 1 { "is" } else { "are" };
        facts.notes.push(format!(
            "{} that carried little or nothing beside the busiest {are} left out",
            connections(left)
        ));
    }
    if !flows.iter().any(|f| f.sends) {
        facts
            .notes
            .push("this host receives: what the sender waits for is to be seen there".to_owned());
    }
    known.tell(&mut facts);
    Ok(farpath_diagnose::diagnose(
        &facts,
        env!("CARGO_PKG_VERSION"),
    ))
}

fn connections(n: usize) -> String {
    match n {
        1 => "1 connection".to_owned(),
        n => format!("{n} connections"),
    }
}

/// The addresses of a name.
fn resolve(name: &str) -> std::io::Result<Vec<IpAddr>> {
    Ok((name, 0).to_socket_addrs()?.map(|a| a.ip()).collect())
}

/// All rounds, with the table on standard error.
fn rounds(ask: &Ask, text: &str) -> Result<Watched, Failure> {
    let (stopper, stop) =
        Stop::new().map_err(|e| Failure::environment(format!("open a pipe: {e}")))?;
    let mut table = Table::new(text);
    let each = |so_far: &Watched| {
        if interrupted() {
            stopper.stop();
        }
        table.draw(so_far);
    };
    let watched = watch(ask, &stop, each).map_err(|e| {
        Failure::environment(format!("ask the kernel for its connections (sock_diag): {e}"))
            .hint("save what `ss -tinm` prints while the transfer runs, and give that file to `farpath diagnose`")
    })?;
    table.clear();
    Ok(watched)
}

/// The table while it is drawn.
struct Table<'t> {
    text: &'t str,
    terminal: bool,
    /// Lines of it on the terminal.
    drawn: usize,
    last_ns: Option<u64>,
    waiting: bool,
}

impl<'t> Table<'t> {
    fn new(text: &'t str) -> Table<'t> {
        Table {
            text,
            terminal: std::io::stderr().is_terminal(),
            drawn: 0,
            last_ns: None,
            waiting: false,
        }
    }

    /// Draws it, if it is time again.
    fn draw(&mut self, so_far: &Watched) {
        if so_far.connections.is_empty() {
            if !self.waiting {
                note(&format!(
                    "no connection matches '{}' yet: waiting (Ctrl-C ends)",
                    self.text
                ));
                self.waiting = true;
            }
            return;
        }
        let every = if self.terminal { OFTEN_NS } else { SELDOM_NS };
        let due = self
            .last_ns
            .is_none_or(|last| so_far.lasted_ns >= last + every);
        if !due {
            return;
        }
        // The first snapshot of a connection says no rate yet.
        if self.last_ns.is_none() && so_far.connections.iter().all(|c| c.snapshots.len() < 3) {
            return;
        }
        self.last_ns = Some(so_far.lasted_ns);
        let lines = lines(so_far);
        self.clear();
        let mut text = lines.join("\n");
        text.push('\n');
        // Nobody may be reading.
        drop(std::io::stderr().write_all(text.as_bytes()));
        self.drawn = if self.terminal { lines.len() } else { 0 };
    }

    /// Takes it off the terminal.
    fn clear(&mut self) {
        if self.drawn > 0 {
            drop(write!(std::io::stderr(), "\x1b[{}A\x1b[J", self.drawn));
            self.drawn = 0;
        }
    }
}

/// The table: a line a connection, at most 80 columns.
fn lines(so_far: &Watched) -> Vec<String> {
    let all = now(so_far);
    let seconds = so_far.lasted_ns as f64 * 1e-9;
    let mut lines = vec![row(["peer", "rate", "RTT", "cwnd", "flight", "limited by"])];
    lines.extend(all.iter().take(ROWS_MAX).map(|c| {
        row([
            &peer(c),
            &quantity("goodput_bps", c.bps),
            &c.rtt_ns
                .map_or("-".to_owned(), |ns| format!("{:.1} ms", ns as f64 * 1e-6)),
            &bytes(c.cwnd),
            // A FIN, or the last request, is not what a receiver's connection does.
            &match c.sends {
                true => bytes(c.in_flight),
                false => "-".to_owned(),
            },
            &limit(c),
        ])
    }));
    let more = all.len().saturating_sub(ROWS_MAX);
    let more = if more > 0 {
        format!(", {more} more")
    } else {
        String::new()
    };
    lines.push(format!("{seconds:.1} s{more}; Ctrl-C ends and judges"));
    lines
}

/// Columns of a peer.
const PEER: usize = 18;

/// A line of the table: the peer, rate, round trip, congestion window, bytes in flight, and what limits it. A line of a terminal is never
/// two, as the table is drawn over.
fn row([peer, rate, rtt, cwnd, flight, limit]: [&str; 6]) -> String {
    let text = format!("{peer:<PEER$} {rate:>13} {rtt:>8} {cwnd:>8} {flight:>8} {limit}");
    text.trim_end().chars().take(80).collect()
}

/// A peer, its end kept where it is too long: ports tell connections apart.
fn peer(c: &Now) -> String {
    let text = c.peer.to_string();
    let long = text.chars().count();
    match long > PEER {
        true => format!(
            "~{}",
            text.chars().skip(long + 1 - PEER).collect::<String>()
        ),
        false => text,
    }
}

fn bytes(n: u64) -> String {
    match n {
        0..10_000 => format!("{n} B"),
        10_000..10_000_000 => format!("{:.0} kB", n as f64 / 1e3),
        _ => format!("{:.1} MB", n as f64 / 1e6),
    }
}

fn limit(c: &Now) -> String {
    match (&c.limit, c.open, c.sends) {
        (_, false, _) => "ended".to_owned(),
        (Some(limit), ..) => limit_words(limit),
        (None, _, false) => "receives".to_owned(),
        (None, ..) => "idle".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The longest of each column, and what limits in whole words.
    #[test]
    fn a_line_of_the_table_has_80_columns_and_whole_words() {
        for limit in [
            "application",
            "send_buffer",
            "receive_window",
            "cwnd_slow_start",
            "cwnd_recovery",
            "nic",
        ] {
            let words = limit_words(limit);
            let peer = "~99.100.200:65535";
            let line = row([
                peer,
                "989.97 Mbit/s",
                "580.1 ms",
                "123.4 MB",
                "123.4 MB",
                &words,
            ]);
            assert!(line.chars().count() <= 80, "{line}");
            assert!(line.ends_with(&words), "{line}");
        }
    }
}
