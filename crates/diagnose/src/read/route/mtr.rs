//! What mtr prints: its report, and its screen, as people copy it.

use std::net::IpAddr;

use super::{Hop, Routes, name_of};
use crate::fact::Place;
use crate::read::{Facts, Line};
use crate::words::{decimal, number};

/// The lines of mtr's screen above those of its hops.
pub(super) struct Screen {
    /// Where the first of them stands.
    pub(super) at: Place,
    /// Name and address of the target, where it prints them (0.94 and later).
    target: Vec<String>,
}

/// Lines between the first of the screen and those of its hops, at most. A choice.
const HEAD_MAX: u32 = 8;

/// Whether a line is that above the hops, of a report or of the screen: `HOST: here  Loss%   Snt   Last …`, ` Host  Loss%   Snt …`.
pub(super) fn heads(text: &str) -> bool {
    let host = text.starts_with("HOST: ") || text.starts_with("Host ");
    host && text.contains("Loss%") && text.contains("Snt")
}

/// Both names of a target: `here (192.0.2.1) -> far (192.0.2.9)   2026-11-30T02:14:11+0000`.
fn target(text: &str) -> Option<Vec<String>> {
    let (here, there) = text.split_once(" -> ")?;
    let is_address = |word: &str| {
        let inside = word.strip_prefix('(').and_then(|w| w.strip_suffix(')'));
        inside.is_some_and(|w| w.parse::<IpAddr>().is_ok())
    };
    let mut own = here.split_whitespace();
    let mut far = there.split_whitespace();
    let (_, address) = (own.next()?, own.next()?);
    let (name, other) = (far.next()?, far.next()?);
    let both = is_address(address) && own.next().is_none() && is_address(other);
    both.then(|| vec![name.to_owned(), name_of(other).to_owned()])
}

/// Another router at the same distance, as the screen has it: its name or its address, and nothing else.
pub(super) fn is_alternative(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let last = words.last().map(|word| name_of(word));
    words.len() <= 2 && last.is_some_and(|word| word.parse::<IpAddr>().is_ok())
}

impl Routes {
    /// Takes a line of the screen above that of its columns.
    pub(super) fn heads_screen(&mut self, line: Line<'_>, facts: &mut Facts) -> bool {
        let text = line.bare;
        let target = target(text);
        let titled = text.starts_with("My traceroute") && text.contains('[');
        let keyed = text.starts_with("Keys:") && text.contains("quit");
        let above = self.screen.as_ref().map(|screen| screen.at);
        let inside = above.and_then(|at| line.at.lines_below(at));
        let inside = inside.is_some_and(|n| n <= HEAD_MAX);
        if titled || target.is_some() && !inside || keyed && !inside {
            self.close(facts);
            self.kind = "mtr";
            self.screen = Some(Screen {
                at: line.at,
                target: target.unwrap_or_default(),
            });
            return true;
        }
        let Some(screen) = self.screen.as_mut().filter(|_| inside) else {
            return false;
        };
        let columns = text.starts_with("Packets ") && text.ends_with("Pings");
        // Before 0.94 the second line has the own host alone, and the time.
        let own = line.at.lines_below(screen.at) == Some(1) && text.contains('(');
        let is_target = target.is_some();
        screen.target.extend(target.unwrap_or_default());
        keyed || columns || own || is_target
    }

    /// The hops of a screen begin: its target is that of the trace, unless a command above names another.
    pub(super) fn shows(&mut self, screen: Option<Screen>) {
        let Some(screen) = screen else {
            return;
        };
        let address = screen.target.last().cloned();
        self.goal = self.goal.take().or(address);
        self.target = screen.target;
    }
}

/// `  3.|-- 10.0.0.1   0.0%   10   1.2   1.3   1.1   1.6   0.1`.
pub(super) fn hop(text: &str, at: Place) -> Option<Hop> {
    let (n, rest) = text.split_once(".|--").or_else(|| text.split_once(". "))?;
    decimal(n.trim())?;
    let words: Vec<&str> = rest.split_whitespace().collect();
    if words == ["(waiting", "for", "reply)"] || words == ["???"] {
        // The screen has no figures of a hop that never answers.
        return Some(Hop {
            times: Vec::new(),
            loss: None,
            name: String::new(),
            at,
        });
    }
    let is_share = |w: &&str| w.strip_suffix('%').is_some_and(|v| decimal(v).is_some());
    // Of a hop that never answers some versions leave the sign out.
    let first = match words.iter().position(is_share) {
        Some(first) => first,
        None if words.contains(&"100.0") => words.iter().position(|w| *w == "100.0")?,
        None => return None,
    };
    let loss = decimal(words[first].trim_end_matches('%'))?;
    let sent = words.get(first + 1).and_then(|w| decimal(w))?;
    let value = |n: usize| words.get(first + n).and_then(|w| number(w, at));
    // Last, average, best, worst.
    let times = match (value(4), value(3), value(5)) {
        (Some(best), Some(mean), Some(worst)) if loss < 100.0 => vec![best, mean, worst],
        _ => Vec::new(),
    };
    // Of other columns nobody knows what was counted.
    let counted = loss >= 100.0 || !times.is_empty();
    Some(Hop {
        times,
        loss: counted.then_some((sent, sent * loss / 100.0)),
        name: words[..first].join(" "),
        at,
    })
}

#[cfg(test)]
mod tests {
    use super::{heads, hop, is_alternative, target};
    use crate::fact::Place;

    #[test]
    fn the_screen_has_its_target_above_its_hops() {
        let line = "pc (192.0.2.33) -> far.example (198.51.100.9)   2026-11-24T10:00:01+0100";
        let both = ["far.example", "198.51.100.9"].map(str::to_owned);
        assert_eq!(target(line), Some(both.to_vec()));
        for other in ["pc (192.0.2.33)   2026-11-24T10:00:01+0100", "a -> b"] {
            assert_eq!(target(other), None, "{other}");
        }
        assert!(heads(
            "Host      Loss%   Snt   Last   Avg  Best  Wrst StDev"
        ));
        assert!(!heads("Host   port"));
    }

    #[test]
    fn hops_of_the_screen_are_read() {
        let line = "2. 198.51.100.1   7.0%   200    0.9   0.8   0.7   1.9   0.2";
        let read = hop(line, Place::You).expect("a hop");
        assert_eq!(read.loss, Some((200.0, 14.0)));
        assert_eq!((read.name.as_str(), read.times.len()), ("198.51.100.1", 3));
        for silent in ["3. (waiting for reply)", "3. ???"] {
            assert!(hop(silent, Place::You).is_some_and(|hop| hop.is_silent()));
        }
        assert!(is_alternative("core (198.51.100.7)") && !is_alternative("see 198.51.100.7 there"));
    }
}
