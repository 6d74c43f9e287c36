//! Pause frames (IEEE 802.3 Annex 31B): the neighbour of an interface has no room for what comes, and holds it back. Nothing is lost then.

use crate::advice::Remedy;
use crate::cause::Cause;
use crate::document::Change;
use crate::evidence::Evidence;
use crate::fact::{Figure, Of};
use crate::flows::flow::Flow;
use crate::hosts::tally::{Tally, tally};
use crate::interfaces::port_pauses::PortPauses;
use crate::items::{Item, step};
use crate::read::Facts;
use crate::seen::Side;

/// What pause frames are worth where no text counts any between two readings, decibans: they are not a cause then.
pub(crate) const UNSEEN: f64 = -100.0;

/// What they are worth where one does: before a shaper, which leaves the same signs in the sender's socket.
const SEEN: f64 = 145.0;

/// The same at a port of a switch: the texts do not say that the flow crosses it. A choice.
const AT_PORT: f64 = 140.0;

/// The longest pause that a frame asks for: 65535 quanta of 512 bit times.
const LONGEST_BITS: f64 = 65_535.0 * 512.0;

/// From this bound of the paused time on, in parts of the test, pauses may hold a flow, and well may from the second.
const HELD: [f64; 2] = [0.2, 1.0];

/// So many that were counted once, nobody knows since when, are worth a second reading.
const MANY: f64 = 10_000.0;

/// So much of a line is full, whatever is paused meanwhile.
const FULL: [f64; 2] = [0.8, 0.93];

/// What hosts count of pause frames.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pauses {
    /// What the sender's interface was sent.
    heard: Option<Tally>,
    /// What the receiver's sent.
    sent: Option<Tally>,
    /// Speeds of both interfaces, bit/s.
    speeds: [Option<f64>; 2],
    /// What a switch counts.
    port: Option<PortPauses>,
}

impl Pauses {
    /// What the texts of hosts count that are of one end alone.
    pub(crate) fn of(facts: &Facts, flow: &Flow) -> Pauses {
        let of = |own: &[u32], other: &[u32], kinds: [&'static str; 2]| {
            let own = own.iter().filter(|h| !other.contains(h));
            let hosts: Vec<u32> = own.copied().collect();
            let speeds = hosts.iter().map(|h| flow.speed_of(facts, Of::Host(*h)));
            let speed = speeds.flatten().map(|f| f.value).reduce(f64::max);
            let [all, classes] = kinds.map(|kind| tally((facts, flow), &hosts, kind));
            let classes = classes.map_or(0.0, |c| c.count.value);
            // What holds back another class leaves this traffic alone.
            let some = |t: &Tally| t.count.value > 0.0 && classes < 0.5 * t.count.value;
            (all.filter(some), speed)
        };
        let (senders, receivers) = (&flow.senders, &flow.receivers);
        let heard = of(senders, receivers, ["pause_heard", "pause_heard_of_class"]);
        let sent = of(receivers, senders, ["pause_sent", "pause_sent_of_class"]);
        Pauses {
            heard: heard.0,
            sent: sent.0,
            speeds: [heard.1, sent.1],
            port: PortPauses::of(facts),
        }
    }
}

/// For how large a part of the test so many frames pause at most, 0 where nothing says how long it was.
fn paused_most(e: &Evidence, count: f64, speed: Option<f64>) -> f64 {
    let line = e.line.as_ref().map(|(line, _)| line.value);
    let speed = speed.or(line).or(e.rate.as_ref().map(|r| r.value));
    let seconds = e.seconds.filter(|s| *s > 0.0);
    let of = |(speed, seconds): (f64, f64)| count * LONGEST_BITS / speed.max(1.0) / seconds;
    speed.zip(seconds).map_or(0.0, of)
}

/// How surely pauses that were counted hold the flow: enough of them, a line that is not full, and no window that is.
fn holds(e: &Evidence, count: f64, speed: Option<f64>) -> f64 {
    let rate = e.settled().map_or(0.0, |r| r.value);
    let line = e.line.as_ref().map(|(l, _)| l.value * e.payload_share());
    let line = line.or(speed);
    let free = line.map_or(1.0, |line| 1.0 - step(rate / line, FULL[0], FULL[1]));
    let share = |s: &Option<Figure>| s.as_ref().map_or(0.0, |s| s.value);
    let windows = libm::fmax(share(&e.rwnd_share), share(&e.sndbuf_share));
    let busy = e
        .busy_share
        .as_ref()
        .map_or(1.0, |b| step(b.value, 0.5, 0.8));
    let full = if e.full_window.is_some() { 0.0 } else { 1.0 };
    let most = paused_most(e, count, speed);
    step(most, HELD[0], HELD[1]) * free * busy * full * (1.0 - step(windows, 0.2, 0.5))
}

/// How an interface is called.
fn interface(tally: &Tally) -> String {
    match tally.interface.as_str() {
        "" => "interface".to_owned(),
        name => format!("interface {name}"),
    }
}

/// Weighs pause frames: what grew from one reading to the next counts, and what stands there is a hint.
pub(crate) fn by_pauses(e: &Evidence, items: &mut Vec<Item>) {
    let pauses = &e.around.pauses;
    let ends = [
        (
            &pauses.heard,
            "sender",
            "was sent",
            "its neighbour held it back",
            (Cause::PauseFrames, SEEN),
        ),
        (
            &pauses.sent,
            "receiver",
            "sent",
            "it held its switch back, as it had no room for what came",
            (Cause::Nic, 40.0),
        ),
    ];
    for ((tally, whose, did, so, cause), speed) in ends.into_iter().zip(pauses.speeds) {
        let Some(tally) = tally else { continue };
        let held = holds(e, tally.count.value, speed);
        let begin = format!(
            "the {whose}'s {} {did} {:.0} pause frames",
            interface(tally),
            tally.count.value
        );
        items.push(match tally.grew {
            true => Item {
                holds: held,
                weights: vec![cause],
                sentence: format!("{begin} from one reading to the next: {so}"),
            },
            false => Item {
                holds: if tally.count.value >= MANY { held } else { 0.0 },
                weights: Vec::new(),
                sentence: format!(
                    "{begin}, nobody knows since when: ethtool -S before and after a test says whether {so}"
                ),
            },
        });
    }
    by_port(e, items);
}

/// Weighs what grew at a port of a switch, where no interface of the sender counts any that did.
fn by_port(e: &Evidence, items: &mut Vec<Item>) {
    let pauses = &e.around.pauses;
    let own = pauses.heard.as_ref().is_some_and(|heard| heard.grew);
    let Some(port) = pauses.port.as_ref().filter(|_| !own) else {
        return;
    };
    items.push(Item {
        holds: holds(e, port.count.value, port.speed),
        weights: match port.alone {
            true => vec![(Cause::PauseFrames, AT_PORT)],
            false => Vec::new(),
        },
        sentence: port.sentence(),
    });
}

/// What to check where a neighbour holds the sender back.
pub(crate) fn change(e: &Evidence, flow: &Flow) -> Change {
    let pauses = &e.around.pauses;
    let own = pauses.heard.as_ref().is_some_and(|heard| heard.grew);
    if let Some(port) = pauses.port.as_ref().filter(|_| !own) {
        return port.change();
    }
    let named = e.around.pauses.heard.as_ref().map(|t| t.interface.as_str());
    let name = named.filter(|n| !n.is_empty()).unwrap_or("INTERFACE");
    let host = flow.called(Side::Sender);
    let remedy = Remedy {
        commands: vec![
            format!(
                "the switch port that {name} is plugged into has no room for what comes, and pauses this host: read its counters (show interfaces, show interfaces flowcontrol), and those of the port behind it, which is slower or full"
            ),
            format!("ethtool -a {name}: whether it obeys pause frames (RX: on)"),
            format!(
                "as an experiment, ethtool -A {name} rx off, and the test again: the switch drops then what it has no room for, and TCP finds the rate of the port behind it"
            ),
        ],
        undo: vec![format!("ethtool -A {name} rx on")],
        risk: "the link may go down for some seconds; storage that needs a lossless network (RoCE, FCoE) must not share this interface".to_owned(),
        ..Remedy::default()
    };
    remedy.change(&host, None, None)
}
