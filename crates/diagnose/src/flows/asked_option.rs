//! Options by which commands ask for socket buffers, and what each end of a test or a copy was asked for.

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::fact::{Fact, Figure, Of, Place};
use crate::flows::flow::Flow;
use crate::items::{Item, step};
use crate::read::{COPIES, Facts};
use crate::seen::{ASKED, Test};

/// How a program asks for the buffers of its sockets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AskedBy {
    /// The program, as results call it.
    tool: &'static str,
    /// Its option.
    pub(crate) option: &'static str,
    /// What it does, for people.
    pub(crate) what: &'static str,
}

/// Programs whose option asks for buffers at the ends that `at_ends` has. That of iperf3 and of globus-url-copy is of both ends (iperf3, 1;
/// the guide to GridFTP), that of nuttcp too, but for `-ws` (nuttcp, 8), and that of rsync of its own end, to a daemon alone (rsync, 1).
static PROGRAMS: [AskedBy; 4] = [
    of_tool("iperf3", "-w", "test"),
    of_tool("nuttcp", "-w", "test"),
    of_tool("globus-url-copy", "-tcp-bs", "copy"),
    of_tool("rsync", "--sockopts", "copy"),
];

const fn of_tool(tool: &'static str, option: &'static str, what: &'static str) -> AskedBy {
    AskedBy { tool, option, what }
}

/// How what a program asked for ends, where nothing says how much its hosts gave.
const MAY_BE_LESS: &str = ", of which its hosts may give less";

/// In flight is what was asked for between the inner two of these parts of it, and not beyond the outer ones.
const AS_ASKED: [f64; 4] = [0.8, 0.88, 1.06, 1.15];

/// What it speaks for a window and a buffer that as much is in flight as was asked for, decibans: that a rate is so near by chance is one of
/// ten. A choice.
const NEAR: f64 = 7.0;

impl AskedBy {
    /// What a room is called that was asked for, where nothing says how much of it was given.
    pub(crate) fn room(&self) -> String {
        format!(
            "what the {} asked for ({}){MAY_BE_LESS}",
            self.what, self.option
        )
    }
}

/// As much in flight as the command asked for.
pub(crate) fn by_asked(e: &Evidence, items: &mut Vec<Item>) {
    let Some(flight) = e.settled_flight() else {
        return;
    };
    let windows = e.windows.iter().map(|r| (Cause::ReceiveWindow, r));
    let rooms = windows.chain(e.buffers.iter().map(|r| (Cause::SendBuffer, r)));
    let rooms: Vec<_> = rooms.collect();
    // What is known more closely of either end speaks by itself.
    let closer = rooms.iter().any(|(_, r)| !r.what.ends_with(MAY_BE_LESS));
    let asked = rooms.iter().filter(|_| !closer);
    let all: Vec<(Cause, f64)> = asked.map(|(cause, r)| (*cause, r.bytes.value)).collect();
    let Some((_, bytes)) = all.first() else {
        return;
    };
    let part = flight.value / bytes;
    let [from, full, until, none] = AS_ASKED;
    items.push(Item {
        holds: step(part, from, full) * (1.0 - step(part, until, none)),
        weights: all.iter().map(|(cause, _)| (*cause, NEAR)).collect(),
        sentence: format!(
            "{:.0} bytes are in flight in a round trip, as the {bytes:.0} bytes leave that the command asked for",
            flight.value
        ),
    });
}

/// How a program asks for buffers; none of one whose option is not known.
pub(crate) fn of(tool: &str) -> Option<&'static AskedBy> {
    PROGRAMS.iter().find(|p| p.tool == tool)
}

/// How the program of a flow asks for buffers; as iperf does where it is another.
pub(crate) fn of_flow(flow: &Flow) -> &'static AskedBy {
    let own = flow.test.as_ref().and_then(|t| of(t.tool));
    own.unwrap_or(&PROGRAMS[0])
}

/// What the copy of a flow asked for at an end: of the sender 0, of the receiver 1; none of a test, whose options are facts.
pub(crate) fn of_copy(flow: &Flow, end: usize) -> Option<Figure> {
    let test = flow.test.as_ref();
    let test = test.filter(|t| COPIES.contains(&t.tool))?;
    test.numbers.get(ASKED[end]).cloned()
}

/// The buffers that the ends of a test or a copy were asked for, the sender's first, bytes: by the command above it, or by its report.
pub(crate) fn at_ends<'f>(facts: &'f Facts, test: &'f Test) -> [Option<&'f Figure>; 2] {
    let typed = typed(facts, test);
    match (test.tool, typed) {
        ("iperf3", Some(fact)) => [fact.number(); 2],
        ("nuttcp", Some(fact)) => [Of::Sender, Of::Receiver].map(|of| {
            let own = |f: &&Fact| f.of == of && f.name == fact.name && f.at == fact.at;
            facts.facts.iter().rfind(own).and_then(Fact::number)
        }),
        _ => ASKED.map(|name| test.numbers.get(name)),
    }
}

/// What the command of a test asked for: the last one before its report, with no other test between.
fn typed<'f>(facts: &'f Facts, test: &Test) -> Option<&'f Fact> {
    let Place::Line(source, line) = test.at else {
        return None;
    };
    let before = |fact: &&Fact| {
        let is_it = fact.name == "window_requested_bytes";
        is_it && matches!(fact.at, Place::Line(s, l) if s == source && l <= line)
    };
    let asked = facts.facts.iter().rfind(before)?;
    let between = |other: &Test| {
        let Place::Line(s, l) = other.at else {
            return false;
        };
        s == source && l < line && Place::Line(s, l) > asked.at
    };
    Some(asked).filter(|_| !facts.tests.iter().any(between))
}
