//! What to change, how to undo it, what may go wrong, and what rate to expect then.

mod systems;

use crate::cause::Cause;
use crate::ceiling::Limit;
use crate::document::Change;
use crate::evidence::Evidence;
use crate::fact::{Figure, Of};
use crate::flow::{Flow, number, word};
use crate::known::System;
use crate::read::Facts;
pub(crate) use systems::{Buffers, End, Remedy, buffer, kept, power};

/// The buffer that is suggested where no rate is known: 4 MiB.
const MODEST: f64 = 4_194_304.0;

/// What to change against a cause; nothing where it is not a host's to change.
pub(crate) fn changes(
    cause: Cause,
    e: &Evidence,
    (facts, flow): (&Facts, &Flow),
    ceilings: &[Limit],
) -> Vec<Change> {
    let end = match cause {
        Cause::ReceiveWindow | Cause::NoWindowScaling => End::Receiver,
        Cause::SendBuffer
        | Cause::ShallowBuffer
        | Cause::Policer
        | Cause::RandomLoss
        | Cause::CongestionLoss => End::Sender,
        _ => return Vec::new(),
    };
    let (named, otherwise, texts) = match end {
        End::Sender => (&flow.from.host, "the sender", &flow.senders),
        End::Receiver => (&flow.to.host, "the receiver", &flow.receivers),
    };
    let host = if named.is_empty() { otherwise } else { named };
    let system = e.systems[end as usize];
    let hosts: Vec<Of> = texts.iter().map(|n| Of::Host(*n)).collect();
    let remedy = match cause {
        Cause::ReceiveWindow | Cause::SendBuffer => {
            buffer(system, wanted(e), end, &Buffers::of(facts, &hosts, end))
        }
        Cause::NoWindowScaling => systems::scaling(system),
        _ if system.is_none_or(|s| s == System::Linux) => {
            let cc = hosts.iter().find_map(|h| word(facts, *h, "cc"));
            systems::pacing(cause, cc.map(|(name, _)| name))
        }
        _ => return Vec::new(),
    };
    vec![remedy.change(host, system, predicted(cause, e, ceilings))]
}

impl Buffers {
    /// What the texts of these hosts say of the buffers of one end.
    fn of(facts: &Facts, hosts: &[Of], end: End) -> Buffers {
        let get = |name: &'static str| {
            let said = hosts.iter().find_map(|h| number(facts, *h, name));
            said.map(|f| f.value as u64)
        };
        let [default, most, core, space] = match end {
            End::Receiver => [
                "rmem_default_bytes",
                "rmem_max_bytes",
                "core_rmem_max_bytes",
                "recvspace_bytes",
            ],
            End::Sender => [
                "wmem_default_bytes",
                "wmem_max_bytes",
                "core_wmem_max_bytes",
                "sendspace_bytes",
            ],
        };
        let most_of_bsd = match end {
            End::Receiver => "recvbuf_max_bytes",
            End::Sender => "sendbuf_max_bytes",
        };
        Buffers {
            least: None,
            default: get(default),
            most: get(most).or_else(|| get(most_of_bsd)),
            core: get(core).or_else(|| get("maxsockbuf_bytes")),
            space: get(space),
        }
    }
}

/// The lowest of the other ceilings: what is left once this cause is gone.
fn predicted(cause: Cause, e: &Evidence, ceilings: &[Limit]) -> Option<Figure> {
    let rate = e.rate.as_ref()?.value;
    let others = ceilings
        .iter()
        .filter(|c| c.cause != cause && c.cause != Cause::Ramp);
    let next = others.min_by(|a, b| a.rate.value.total_cmp(&b.rate.value))?;
    let known = next.cause == Cause::Link || ceilings.iter().any(|c| c.cause == Cause::Link);
    // A ceiling of the other end alone bounds nothing from below: the path in between is not known.
    (next.rate.value > rate * 1.05).then(|| {
        let mut figure = next.rate.clone();
        if !known {
            figure.low = rate;
        }
        figure
    })
}

/// Bytes in flight that fill the line, or the target.
pub(crate) fn wanted(e: &Evidence) -> f64 {
    let goal = e
        .target
        .as_ref()
        .or(e.line.as_ref().map(|(l, _)| l))
        .map(|f| f.value);
    match (goal, &e.rtt) {
        (Some(goal), Some(rtt)) => goal * rtt.high / 8.0 / e.streams,
        _ => MODEST,
    }
}
