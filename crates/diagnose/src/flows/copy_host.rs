//! The host on which a copy ran: the one at whose prompt its program was typed, or whose table of processes has that program.

use crate::fact::{Of, Place};
use crate::flows::flow::{Flow, alike, word};
use crate::read::{COPIES, Facts, HEADED};
use crate::windows::channel::OVER_SSH;

/// Whether the program of a flow, which copies, ran on a host: by the name at the prompt of its command. Where that has none, a table says it
/// that was printed at such a prompt of the same text, too, and in which that very program is the busiest.
pub(crate) fn ran_on(facts: &Facts, flow: &Flow, host: u32) -> bool {
    let test = flow.test.as_ref().filter(|t| COPIES.contains(&t.tool));
    let names = facts.hosts.get(host as usize);
    let (Some(test), Some(names)) = (test, names) else {
        return false;
    };
    match facts.copy_typed_at(test) {
        None => false,
        Some("") => has_program(facts, (test.tool, test.at), host),
        Some(name) => names.iter().any(|own| alike(own, name)),
    }
}

/// Whether the busiest program in a table of a host is that of a copy, and both were typed at prompts without a name in one text.
fn has_program(facts: &Facts, (tool, at): (&str, Place), host: u32) -> bool {
    let of = Of::Host(host);
    let (Some((_, head)), Some((busiest, _))) =
        (word(facts, of, HEADED), word(facts, of, "cpu_program"))
    else {
        return false;
    };
    let carries = busiest == "ssh" && OVER_SSH.contains(&tool);
    let own = tool.split(' ').next().is_some_and(|name| busiest == name);
    at.source() == head.source() && facts.moments.is_typed_unnamed(head) && (own || carries)
}
