//! Whether a client keeps several requests outstanding, though its ends seem to take turns: each answer brings the next request.
//!
//! At a server that is slower than the path each request waits behind others, and its answer is the one to an earlier request. That shows
//! where the conversation begins and where it ends. So many requests are sent before an answer comes, and as many answers come after the last
//! request, as far apart as those before.

use super::Exchange;

/// Fewer requests that were answered do not say what is usual.
const LEAST: usize = 3;

/// Requests are alike within this factor, and so are answers.
const ALIKE: f64 = 1.5;

/// Sizes are a multiple of the usual one within this part of it.
const NEAR: f64 = 0.1;

/// Answers that come one by one are this part of the usual time apart, at least.
const APART: f64 = 0.5;

/// How many requests are outstanding at a time, of these with the `last` one behind them; none where no more than one is seen to be.
pub(super) fn outstanding(list: &[Exchange], last: Option<&Exchange>) -> Option<u64> {
    let last = last.filter(|e| e.response_bytes > 0)?;
    let before: Vec<&Exchange> = list.iter().filter(|e| e.response_bytes > 0).collect();
    if before.len() < LEAST {
        return None;
    }
    let request = median(before.iter().map(|e| e.request_bytes))?;
    let response = median(before.iter().map(|e| e.response_bytes))?;
    let since = |pair: &[&Exchange]| {
        pair[1]
            .response_first
            .saturating_sub(pair[0].response_first)
    };
    let gap = median(
        before
            .windows(2)
            .map(|pair| since(pair).max(0).unsigned_abs()),
    )?;
    let answers = whole(last.response_bytes as f64 / response).filter(|n| *n > 1)?;
    let lasted = last.response_last.saturating_sub(last.response_first);
    let is_apart = lasted as f64 >= APART * (answers - 1) as f64 * gap;
    let is_usual = |e: &Exchange| {
        is_alike(e.request_bytes as f64, request) && is_alike(e.response_bytes as f64, response)
    };
    let asks_several = |e: &Exchange| {
        let asked = whole(e.request_bytes as f64 / request);
        asked == Some(answers) && is_alike(e.response_bytes as f64, response)
    };
    let usual = before.iter().filter(|e| is_usual(e)).count();
    let is_seen = is_apart && 2 * usual > before.len() && before.iter().any(|e| asks_several(e));
    is_seen.then_some(answers)
}

/// The median; none where that is 0.
fn median(values: impl Iterator<Item = u64>) -> Option<f64> {
    let mut values: Vec<u64> = values.collect();
    values.sort_unstable();
    let middle = values.get(values.len() / 2).copied();
    middle.filter(|value| *value > 0).map(|value| value as f64)
}

/// A number that is nearly a whole one.
fn whole(number: f64) -> Option<u64> {
    let rounded = number.round();
    ((number - rounded).abs() <= NEAR).then_some(rounded as u64)
}

fn is_alike(size: f64, usual: f64) -> bool {
    size <= ALIKE * usual && usual <= ALIKE * size
}
