//! What to change of a scheduler of Junos whose class holds the flow, or of a port that is shaped.

use crate::ceiling::payload_share;
use crate::document::Change;
use crate::evidence::Evidence;
use crate::fact::Value;
use crate::read::Facts;
use crate::read::conditioned::OF_SCHEDULER;

/// A higher rate of the class or port; none where another shaper counts, or it lets through twice what passes and more.
pub(super) fn change(e: &Evidence, facts: &Facts) -> Option<Change> {
    let shaper = e.shaper.as_ref()?;
    let limits = e.settled().is_none_or(|r| shaper.value < 2.0 * r.value);
    let mut said = [""; 3];
    for (word, name) in said.iter_mut().zip(OF_SCHEDULER) {
        let mut beside = facts.facts.iter().filter(|f| f.name == name);
        let fact = beside.find(|f| shaper.from.contains(&f.at))?;
        match &fact.value {
            Value::Word(said) => *word = said.as_str(),
            Value::Number(_) => return None,
        }
    }
    let wanted = e.target.as_ref().map(|t| t.value / payload_share(e.mss));
    limits.then(|| faster(said, shaper.value, wanted))
}

/// The same of a router, by what the statement stands in, `schedulers BE`, and the statement that holds the flow.
fn faster([router, name, statement]: [&str; 3], now: f64, wanted: Option<f64>) -> Change {
    let set = |rate: &str| {
        let statement = statement.replace("RATE", rate);
        format!("set class-of-service {name} {statement}")
    };
    let rate = wanted.map_or_else(|| "RATE".to_owned(), |bps| format!("{:.0}", bps.ceil()));
    let host = match router {
        "" => "the router with the class or port",
        router => router,
    };
    Change {
        host: host.to_owned(),
        commands: vec![set(&rate), "commit confirmed 10, and commit".to_owned()],
        undo: vec![set(&format!("{now:.0}")), "commit".to_owned()],
        risk: "who set the rate had a reason: what other classes share the line with it, or what a contract allows".to_owned(),
        ..Change::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_of_junos_is_changed_in_its_scheduler() {
        let change = faster(
            ["mx1", "schedulers BE", "transmit-rate RATE exact"],
            1e9,
            Some(2e9),
        );
        assert_eq!(change.host, "mx1");
        assert_eq!(
            change.commands[0],
            "set class-of-service schedulers BE transmit-rate 2000000000 exact"
        );
        assert_eq!(
            change.undo[0],
            "set class-of-service schedulers BE transmit-rate 1000000000 exact"
        );
        let change = faster(["", "interfaces ge-0/0/3", "shaping-rate RATE"], 1e9, None);
        assert_eq!(change.host, "the router with the class or port");
        let set = "set class-of-service interfaces ge-0/0/3 shaping-rate RATE";
        assert_eq!(change.commands[0], set);
    }
}
