//! Which tool takes a line.

use super::{Facts, Line, Tool};

/// Offers a line to the tool that is going, then to the others, or to these first where that one guesses; the one that took it.
pub(super) fn offer(
    tools: &mut [Box<dyn Tool>],
    current: Option<usize>,
    line: Line<'_>,
    facts: &mut Facts,
) -> Option<usize> {
    let before = facts.count();
    let guesses = |n: &usize| tools[*n].guesses(line.bare);
    let [first, last] = match current.filter(guesses) {
        Some(guessing) => [None, Some(guessing)],
        None => [current, None],
    };
    let others = (0..tools.len()).filter(|n| Some(*n) != current);
    for n in first.into_iter().chain(others).chain(last) {
        let held = tools[n].held();
        if tools[n].line(line, Some(n) == current, facts) {
            let gained = (facts.count() + tools[n].held()).saturating_sub(before + held);
            facts.took(tools[n].name(), line.at, gained, Some(n) == current);
            return Some(n);
        }
    }
    None
}
