//! What the kernel of the sender is asked for.

use super::{Asking, MissingFact};
use crate::evidence::Evidence;
use crate::fact::Of;
use crate::flows::flow::{Flow, word};
use crate::known::System;
use crate::read::Facts;

/// What the sender's kernel knows of its connection, where nobody has said it.
pub(super) fn of_kernel(
    e: &Evidence,
    (facts, flow): (&Facts, &Flow),
    asking: &Asking,
) -> Option<MissingFact> {
    let silent = e.rwnd_share.is_none() && e.busy_share.is_none();
    let linux = e.systems[0].is_none_or(|s| s == System::Linux);
    (silent && linux).then(|| MissingFact {
        fact: "tcp_info",
        would_decide: "what the sender waited for: window, buffer, program or losses".to_owned(),
        command: match may_be_windows(facts, flow) {
            true => format!(
                "on the sender, if it is Linux, during a test: {}",
                asking.sockets()
            ),
            false => format!("on the sender, during a test: {}", asking.sockets()),
        },
    })
}

/// Whether a text of Windows may be of the sender, of whose system nothing else is known.
fn may_be_windows(facts: &Facts, flow: &Flow) -> bool {
    let is = |n: &u32| word(facts, Of::Host(*n), "system").is_some_and(|(s, _)| s == "windows");
    flow.systems[0].is_none() && flow.senders.iter().any(is)
}
