//! Hosts whose memory is short: what they move between memory and disk, by `vmstat`.

use crate::fact::{Figure, Of, Place};
use crate::flows::flow::number;
use crate::read::Facts;
use crate::read::processor::SWAPPED;

/// Less than this both ways is what is moved once, bit/s. A choice.
const LEAST: f64 = 16e6;

/// Most hosts that are named.
const NAMED_MAX: usize = 4;

/// A rate in the unit of disks, for people.
fn mbytes(rate: &Figure) -> String {
    format!("{:.1} MB/s", rate.value / 8e6)
}

/// Which hosts swap, and what that does.
fn each(facts: &Facts) -> impl Iterator<Item = (Place, String)> {
    let said = move |(n, names): (u32, &Vec<String>)| {
        let [back, out] = SWAPPED.map(|name| number(facts, Of::Host(n), name));
        let (back, out) = (back?, out?);
        let much = back.value + out.value >= LEAST && out.value > 0.0;
        let at = out.from.first().filter(|_| much)?;
        let host = names.first().map_or("a host", String::as_str);
        let text = format!(
            "{host} reads {} back from swap and writes {} to it: its memory is short, and a program there, also one that sends or receives, stops while its memory comes back. free -m and ps aux --sort=-rss show what has it: fewer or smaller programs there, or more memory",
            mbytes(back),
            mbytes(out)
        );
        Some((*at, text))
    };
    (0_u32..).zip(&facts.hosts).filter_map(said)
}

/// The same, a note for each host.
pub(crate) fn notes(facts: &Facts) -> Vec<String> {
    let all = each(facts).take(NAMED_MAX);
    all.map(|(at, text)| format!("{}: {text}", facts.place(at)))
        .collect()
}

/// The same of the first of them.
pub(crate) fn first(facts: &Facts) -> Option<String> {
    let (at, text) = each(facts).next()?;
    Some(format!("{text} ({})", facts.place(at)))
}
