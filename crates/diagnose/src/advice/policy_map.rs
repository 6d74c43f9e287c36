//! What to change of a shaper that a router's policy map states, in the commands of IOS.

use crate::advice::printed;
use crate::ceiling::payload_share;
use crate::document::Change;
use crate::evidence::Evidence;
use crate::fact::{Figure, Value};
use crate::read::Facts;
use crate::read::conditioned::{OF_POLICER, OF_POLICY};

/// A class of a policy map that shapes: the router, the policy map, and the class, each empty where nothing says it.
type Shaping<'f> = [&'f str; 3];

/// Bytes of a full packet, and the least packets of a queue that a connection can use.
const PACKET: f64 = 1500.0;
const LEAST: f64 = 10.0;

/// Steps of a shaper's rate that releases of IOS before 15 take, bit/s.
const STEP: f64 = 8000.0;

/// A queue in which others no longer wait, where they do, and a higher rate; nothing where another shaper counts.
pub(super) fn changes(e: &Evidence, facts: &Facts) -> Vec<Change> {
    let (Some(shaping), Some(now)) = (shaping(e, facts), &e.shaper) else {
        return Vec::new();
    };
    let idle = e.rtt_floor.as_ref();
    let packets = idle.map(|rtt| (now.value * rtt.value / 8.0 / PACKET).ceil().max(LEAST));
    let waits = e.waits().map(|_| e.waits_in_words());
    let wanted = e.target.as_ref().map(|t| t.value / payload_share(e.mss));
    let shorter = waits.map(|waits| shorter(shaping, packets, &waits));
    let faster = faster(shaping, now.value, wanted);
    shorter.into_iter().chain([faster]).collect()
}

/// The policy map whose shaper holds the flow. One that lets through twice what passes and more does not.
fn shaping<'f>(e: &Evidence, facts: &'f Facts) -> Option<Shaping<'f>> {
    let shaper = e.shaper.as_ref()?;
    let limits = e.settled().is_none_or(|r| shaper.value < 2.0 * r.value);
    let all = beside(OF_POLICY, shaper, facts)?;
    limits.then_some(all)
}

/// The router, the policy map and the class of the policer that a text states, each empty where nothing says it.
pub(super) fn of_policer(e: &Evidence, facts: &Facts) -> Option<[String; 3]> {
    let all = beside(OF_POLICER, e.policer.as_ref()?, facts)?;
    Some(all.map(str::to_owned))
}

/// The words of these names that stand where a rate was read.
fn beside<'f>(names: [&str; 3], rate: &Figure, facts: &'f Facts) -> Option<[&'f str; 3]> {
    let mut all = [""; 3];
    for (word, name) in all.iter_mut().zip(names) {
        let mut beside = facts.facts.iter().filter(|f| f.name == name);
        let said = beside.find(|f| rate.from.contains(&f.at))?;
        match &said.value {
            Value::Word(said) => *word = said.as_str(),
            Value::Number(_) => return None,
        }
    }
    Some(all)
}

/// The way to the class, as it is typed, and a statement in it.
fn within([_, policy, class]: Shaping<'_>, statement: &str) -> Vec<String> {
    let or = |name: &str, otherwise: &str| match name {
        "" => otherwise.to_owned(),
        name => name.to_owned(),
    };
    vec![
        format!("policy-map {}", or(policy, "POLICY")),
        format!(" class {}", or(class, "CLASS")),
        format!("  {statement}"),
    ]
}

fn change(shaping: Shaping<'_>, commands: Vec<String>, undo: Vec<String>, risk: String) -> Change {
    let host = match shaping[0] {
        "" => "the router with the shaper",
        router => router,
    };
    Change {
        host: host.to_owned(),
        commands: printed::behind(commands, &undo),
        undo,
        persist: vec!["copy running-config startup-config".to_owned()],
        risk,
        ..Change::default()
    }
}

/// A queue for each flow of the class, or one that holds no more than the path needs.
fn shorter(shaping: Shaping<'_>, packets: Option<f64>, waits: &str) -> Change {
    let mut commands = within(shaping, "fair-queue");
    let (most, why) = match packets {
        Some(packets) => (
            format!("{packets:.0}"),
            ": the shaper's rate times the round trip of the idle path, in packets of 1500 bytes",
        ),
        None => ("PACKETS".to_owned(), ""),
    };
    commands.push(format!(
        "or, in place of fair-queue, which some platforms lack: queue-limit {most} packets{why}"
    ));
    let mut undo = within(shaping, "no fair-queue");
    let policy = undo[0].clone();
    undo.push(format!(
        "of a queue-limit: the one that `show {policy}` printed before; no queue-limit, where it printed none"
    ));
    let risk =
        format!("this flow gets no faster; what shares the class with it no longer waits {waits}");
    change(shaping, commands, undo, risk)
}

/// A higher rate of the class.
fn faster(shaping: Shaping<'_>, now: f64, wanted: Option<f64>) -> Change {
    let rate = match wanted {
        Some(bps) => format!("{:.0}", (bps / STEP).ceil() * STEP),
        None => "RATE".to_owned(),
    };
    let commands = within(shaping, &format!("shape average {rate}"));
    let undo = within(shaping, &format!("shape average {now:.0}"));
    let risk = "who set the rate had a reason: what others share the line with it, or what a contract allows";
    change(shaping, commands, undo, risk.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shaper_of_ios_is_changed_in_its_class() {
        let shaping = ["R1", "WAN", "class-default"];
        let change = faster(shaping, 2e7, Some(1e8));
        assert_eq!(change.host, "R1");
        assert_eq!(
            change.commands,
            [
                "policy-map WAN",
                " class class-default",
                "  shape average 100000000"
            ]
        );
        assert_eq!(change.undo[2], "  shape average 20000000");
        let change = shorter(["", "", ""], Some(29.0), "270 ms");
        assert_eq!(change.host, "the router with the shaper");
        let all = change.commands.join("\n");
        for words in [
            "show policy-map POLICY: keep what it prints",
            " class CLASS\n  fair-queue",
            "queue-limit 29 packets",
        ] {
            assert!(all.contains(words), "{words}: {all}");
        }
    }
}
