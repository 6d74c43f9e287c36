//! What to change of a simple queue of RouterOS that holds the flow.

use crate::ceiling::payload_share;
use crate::document::Change;
use crate::evidence::Evidence;
use crate::read::Facts;
use crate::read::simple_queues::SimpleQueue;

/// A queue in which others no longer wait, where they do, and a higher rate; nothing where another shaper counts, or it lets through twice
/// what passes and more.
pub(super) fn changes(e: &Evidence, facts: &Facts) -> Vec<Change> {
    let Some(now) = &e.shaper else {
        return Vec::new();
    };
    let limits = e.settled().is_none_or(|r| now.value < 2.0 * r.value);
    let mut queues = facts.simple_queues.iter();
    let Some(queue) = queues.find(|q| limits && now.from.contains(&q.at)) else {
        return Vec::new();
    };
    let wanted = e.target.as_ref().map(|t| t.value / payload_share(e.mss));
    let shorter = e.waits().map(|_| shorter(queue, &e.waits_in_words()));
    let faster = faster(queue, now.value, wanted);
    shorter.into_iter().chain([faster]).collect()
}

/// A change of the queue: these statements, and those that were before.
fn change(queue: &SimpleQueue, commands: Vec<String>, undo: Vec<String>, risk: String) -> Change {
    let host = match queue.router.as_str() {
        "" => "the router with the queue",
        router => router,
    };
    Change {
        host: host.to_owned(),
        commands,
        undo,
        risk,
        ..Change::default()
    }
}

/// The command that sets something of the queue.
fn set(queue: &SimpleQueue, what: &str) -> String {
    format!("/queue simple set [find name=\"{}\"] {what}", queue.name)
}

/// A queue for each flow.
fn shorter(queue: &SimpleQueue, waits: &str) -> Change {
    let commands = vec![
        "with RouterOS 7: /queue type add name=each-flow kind=fq-codel".to_owned(),
        set(queue, "queue=each-flow/each-flow"),
    ];
    let undo = vec![
        set(
            queue,
            "queue=BEFORE, with the value that `/queue simple print` printed before",
        ),
        "/queue type remove [find name=each-flow]".to_owned(),
    ];
    let risk =
        format!("this flow gets no faster; what shares the queue with it no longer waits {waits}");
    let commands = crate::advice::printed::behind(commands, &undo);
    change(queue, commands, undo, risk)
}

/// A higher rate for what is held at `now`, bit/s.
fn faster(queue: &SimpleQueue, now: f64, wanted: Option<f64>) -> Change {
    let limits = |rate: &str| {
        let [upload, download] = queue.most.map(|most| match most {
            Some(bps) if bps == now => rate.to_owned(),
            Some(bps) => format!("{bps:.0}"),
            None => "0".to_owned(),
        });
        set(queue, &format!("max-limit={upload}/{download}"))
    };
    let rate = wanted.map_or_else(|| "RATE".to_owned(), |bps| format!("{:.0}", bps.ceil()));
    let risk = "who set the rate had a reason: what others share the line with it, or what a contract allows";
    change(
        queue,
        vec![limits(&rate)],
        vec![limits(&format!("{now:.0}"))],
        risk.to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::Place;

    #[test]
    fn the_way_that_is_held_is_raised() {
        let queue = SimpleQueue {
            router: "gw1".to_owned(),
            name: "cust1".to_owned(),
            parent: String::new(),
            targets: Vec::new(),
            most: [Some(1e7), Some(5e7)],
            stated: true,
            acts: true,
            narrowed: false,
            at: Place::You,
        };
        let set = "/queue simple set [find name=\"cust1\"] max-limit=";
        let change = faster(&queue, 5e7, Some(1e8));
        assert_eq!(change.host, "gw1");
        assert_eq!(change.commands, [format!("{set}10000000/100000000")]);
        assert_eq!(change.undo, [format!("{set}10000000/50000000")]);
        let open = SimpleQueue {
            router: String::new(),
            most: [Some(1e7), None],
            ..queue
        };
        let change = faster(&open, 1e7, None);
        assert_eq!(change.host, "the router with the queue");
        assert_eq!(change.commands, [format!("{set}RATE/0")]);
        let change = shorter(&open, "270 ms");
        let all = change.commands.join("\n");
        assert!(all.contains("queue=each-flow/each-flow"), "{all}");
        assert!(
            all.contains("/queue simple print: keep what it prints"),
            "{all}"
        );
    }
}
