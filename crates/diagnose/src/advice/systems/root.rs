//! Queueing disciplines at the root of an interface: what a command puts there or below it, and how what was there comes back.
//!
//! `tc qdisc replace` of the kind that stands there changes the values it names and leaves the others, and of another kind or handle it
//! takes its place. An interface without one gets the kernel's default. `tc qdisc del` of what a `tbf` or an `mq` holds leaves a queue that
//! drops everything (Linux, net/sched: sch_api.c, sch_tbf.c, sch_generic.c).

use super::{Remedy, before};

/// What neither shapes nor sorts for somebody: nothing but values goes with it.
const PLAIN: [&str; 10] = [
    "pfifo_fast",
    "pfifo",
    "bfifo",
    "noqueue",
    "fq",
    "fq_codel",
    "codel",
    "sfq",
    "pie",
    "fq_pie",
];

/// One for each queue of an interface; the kernel's own where it has several.
const EACH: &str = "mq";

/// A handle that nobody has: with it another `mq` takes the place of one that stands there.
const ANEW: &str = "100:";

/// What a queueing discipline loses that is replaced while packets wait in it.
const WAITING: &str =
    "what waits in the old queue at that instant is dropped, and TCP sends it again";

/// Shows what stands there.
const SHOW: &str = "tc qdisc show dev INTERFACE, and keep what it prints";

/// Whether a queueing discipline was put at the root for what it does there, which another one in its place would end.
pub(crate) fn is_kept(kind: &str) -> bool {
    kind != EACH && !PLAIN.contains(&kind)
}

/// What is known of the root of an interface.
#[derive(Clone, Copy)]
pub(super) struct Root<'r> {
    /// The kind that stands there.
    pub(super) kind: Option<&'r str>,
    /// What may stand there, of a host that nothing says is this one, for people.
    pub(super) beside: Option<&'r str>,
}

/// How a sender is to pace.
pub(super) struct Pace {
    /// `fq` with its values.
    pub(super) fq: String,
    /// The rate of all connections together, for what has one for all of them; empty without.
    pub(super) all: String,
}

/// Has an interface pace: sets commands and undo, and gives what may go wrong with these; none where nothing is changed.
pub(super) fn put(root: Root<'_>, pace: &Pace, remedy: &mut Remedy) -> Option<String> {
    match root.kind {
        None => Some(unseen(root, pace, remedy)),
        Some(EACH) => Some(in_each(pace, remedy)),
        Some("cake") => of_cake(pace, remedy),
        Some(kind) if is_kept(kind) => Some(below(kind, pace, remedy)),
        Some(kind) => Some(in_place(root, kind, pace, remedy)),
    }
}

/// What may stand there, which a command would delete.
fn doubt(root: Root<'_>) -> Option<String> {
    let other = root.beside?;
    Some(format!(
        "{SHOW}: whether the {other} stands there, which the next line would delete"
    ))
}

/// Nobody says what stands there.
fn unseen(root: Root<'_>, pace: &Pace, remedy: &mut Remedy) -> String {
    let show = doubt(root).unwrap_or_else(|| {
        format!("{SHOW}: the next line deletes what stands at the root, with all below it")
    });
    remedy.commands = vec![
        format!(
            "{show}. Where that is a tbf, htb, hfsc or prio, write parent HANDLE in place of root; where it is a cake, leave that line out"
        ),
        format!("tc qdisc replace dev INTERFACE root {}", pace.fq),
    ];
    remedy.undo = unseen_back();
    format!("{DELETED}; {WAITING}")
}

/// What may go wrong where something unknown at a root is replaced.
pub(crate) const DELETED: &str = "what stands at the root is deleted, an htb with its classes or an mq with its queues, and tc qdisc del brings back the kernel's default alone";

/// How what stood at a root comes back that nobody named.
pub(crate) fn unseen_back() -> Vec<String> {
    vec![
        "tc qdisc del dev INTERFACE root, which brings back the kernel's default and nothing else"
            .to_owned(),
        "another that stood there: tc qdisc replace dev INTERFACE root KIND, with the kind and the values that `tc qdisc show dev INTERFACE` printed before"
            .to_owned(),
    ]
}

/// Another in the place of one that has nothing but values.
fn in_place(root: Root<'_>, kind: &str, pace: &Pace, remedy: &mut Remedy) -> String {
    let replaces = format!("tc qdisc replace dev INTERFACE root {}", pace.fq);
    let doubt = doubt(root).map(|doubt| format!("{doubt}: where it does, leave that line out"));
    remedy.commands = doubt.into_iter().chain([replaces]).collect();
    let values = "with the values that `tc qdisc show dev INTERFACE` printed of it before";
    // Of the same kind what is not named stays as it is.
    remedy.undo = match kind {
        "fq" => vec![
            "tc qdisc del dev INTERFACE root".to_owned(),
            format!("tc qdisc add dev INTERFACE root fq, {values}"),
        ],
        _ => vec![format!(
            "tc qdisc replace dev INTERFACE root {kind}, {values}"
        )],
    };
    WAITING.to_owned()
}

/// Each queue of an interface has one of its own: by the kernel's default, or one after the other.
fn in_each(pace: &Pace, remedy: &mut Remedy) -> String {
    let anew = format!("tc qdisc replace dev INTERFACE root handle {ANEW} mq");
    let key = "net.core.default_qdisc";
    let back = "tc qdisc del dev INTERFACE root, which brings back the kernel's own mq; what `tc qdisc show dev INTERFACE` printed below it before goes back with parent HANDLE"
        .to_owned();
    if pace.all.is_empty() {
        remedy.commands = vec![format!("sysctl -w {key}=fq"), anew];
        remedy.undo = vec![before(key, None, "sysctl -w "), back];
    } else {
        let each = format!(
            "tc qdisc replace dev INTERFACE parent {ANEW}1 {}, and the same for each further queue, {ANEW}2 and on in hexadecimal ({ANEW}a is the tenth): ls -d /sys/class/net/INTERFACE/queues/tx-* lists them",
            pace.fq
        );
        remedy.commands = vec![anew, each];
        remedy.undo = vec![back];
    }
    format!("what stands below the mq is deleted with it; {WAITING}")
}

/// `cake` has nothing below it, and shares its rate by flow.
fn of_cake(pace: &Pace, remedy: &mut Remedy) -> Option<String> {
    remedy.persist = Vec::new();
    let keep = "keep the cake at the root: with a bandwidth it lets packets out one by one";
    if pace.all.is_empty() {
        remedy.commands = vec![keep.to_owned()];
        return None;
    }
    let set = "tc qdisc change dev INTERFACE root cake bandwidth";
    remedy.commands = vec![format!(
        "{keep}, and below the policer's: {set} {}",
        pace.all
    )];
    remedy.undo = vec![format!(
        "{set} with the bandwidth that `tc qdisc show dev INTERFACE` printed before"
    )];
    Some("all that leaves the interface together is held to that bandwidth".to_owned())
}

/// `fq` below what shapes or sorts at the root, which stays.
fn below(kind: &str, pace: &Pace, remedy: &mut Remedy) -> String {
    remedy.persist = Vec::new();
    let (parent, default) = match kind {
        "tbf" | "netem" | "red" => (
            "the handle that tc qdisc show dev INTERFACE prints and a 1 as PARENT (8001: is 8001:1)",
            "bfifo limit BYTES, BYTES its rate times its latency",
        ),
        _ => (
            "each class without others below it that tc class show dev INTERFACE prints as PARENT",
            "pfifo",
        ),
    };
    let fq = &pace.fq;
    remedy.commands = vec![format!(
        "keep the {kind} at the root, and put fq below it, with {parent}: tc qdisc replace dev INTERFACE parent PARENT {fq}"
    )];
    remedy.undo = vec![match kind {
        "netem" => "tc qdisc del dev INTERFACE parent PARENT".to_owned(),
        _ => format!(
            "tc qdisc replace dev INTERFACE parent PARENT KIND, with the kind and the values that `tc qdisc show dev INTERFACE` printed there before; {default}, where it printed none"
        ),
    }];
    match kind {
        "netem" => WAITING.to_owned(),
        _ => format!(
            "tc qdisc del below the {kind} may leave a queue that drops everything; {WAITING}"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(kind: Option<&str>, rate: &str) -> (Remedy, Option<String>) {
        let pace = Pace {
            fq: match rate {
                "" => "fq".to_owned(),
                rate => format!("fq maxrate {rate}"),
            },
            all: rate.to_owned(),
        };
        let root = Root { kind, beside: None };
        let mut remedy = Remedy::default();
        let lost = put(root, &pace, &mut remedy);
        (remedy, lost)
    }

    /// What shapes or sorts is never taken from the root, whatever its kind.
    #[test]
    fn what_was_put_at_the_root_stays() {
        for kind in [
            "tbf", "htb", "hfsc", "prio", "mqprio", "cake", "netem", "ets",
        ] {
            for rate in ["", "900mbit"] {
                let (remedy, _) = of(Some(kind), rate);
                let said = remedy.commands.join("\n");
                assert!(said.contains(&format!("keep the {kind}")), "{said}");
                assert!(
                    !said.contains("root fq") && !said.contains("qdisc del"),
                    "{said}"
                );
                // What a tbf holds is replaced, and not taken away.
                let undo = remedy.undo.join("\n");
                assert!(kind == "netem" || !undo.contains("qdisc del"), "{undo}");
            }
        }
    }

    #[test]
    fn what_is_not_known_is_printed_and_kept_before_it_is_deleted() {
        let (remedy, lost) = of(None, "900mbit");
        assert!(remedy.commands[0].starts_with("tc qdisc show dev INTERFACE"));
        assert_eq!(
            remedy.commands[1],
            "tc qdisc replace dev INTERFACE root fq maxrate 900mbit"
        );
        assert!(remedy.undo[0].contains("the kernel's default and nothing else"));
        assert!(lost.expect("a risk").contains("an htb with its classes"));
    }

    /// To replace an fq by an fq changes what is named alone: without a maxrate the old one stays.
    #[test]
    fn what_is_replaced_comes_back_by_its_kind() {
        let (remedy, _) = of(Some("fq"), "900mbit");
        assert_eq!(remedy.undo[0], "tc qdisc del dev INTERFACE root");
        assert!(remedy.undo[1].starts_with("tc qdisc add dev INTERFACE root fq, with the values"));
        let (remedy, _) = of(Some("pfifo_fast"), "");
        assert!(remedy.undo[0].starts_with("tc qdisc replace dev INTERFACE root pfifo_fast,"));
        let (remedy, _) = of(Some("mq"), "900mbit");
        assert!(!remedy.commands.join("\n").contains("root fq"));
        assert!(remedy.commands[1].contains("parent 100:1 fq maxrate 900mbit"));
    }
}
