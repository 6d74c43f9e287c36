//! A round trip of the idle path that was given by hand and that no ping of the texts comes near: it is another path's, or another unit was
//! meant.

use crate::document::Contradiction;
use crate::evidence::NS;
use crate::fact::Figure;
use crate::flows::flow::Flow;
use crate::lines::bloat::ms;
use crate::read::Facts;

/// The least of all pings is so many times what was given or more, and none of them is so many times the least: a queue that filled meanwhile
/// would make some longer than others. Choices.
const FAR: f64 = 2.0;
const EVEN: f64 = 1.5;

/// That the given round trip and the pings cannot both be of this path.
pub(crate) fn contradicted(facts: &Facts, flow: &Flow) -> Option<Contradiction> {
    let known = facts.along(flow, "rtt_known_ns").next_back()?;
    let by_value = |a: &&Figure, b: &&Figure| a.value.total_cmp(&b.value);
    let least = facts.along(flow, "rtt_min_ns").min_by(by_value)?;
    let most = facts.along(flow, "rtt_max_ns").max_by(by_value)?;
    let far = least.value >= FAR * known.value && most.value < EVEN * least.value;
    far.then(|| {
        let text = format!(
            "{}: a round trip of {} was given (--rtt), and no ping of the texts took less than {}: no ping is faster than its path, unless a queue stood through all of them",
            flow.name(),
            ms(known.value * NS),
            ms(least.value * NS)
        );
        let from = known.from.iter().chain(&least.from);
        Contradiction {
            text,
            from: from.map(|at| facts.place(*at)).collect(),
        }
    })
}
