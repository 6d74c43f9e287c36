//! The rate of a host's shaper, raised where it is set.

use crate::ceiling::payload_share;
use crate::document::Change;
use crate::evidence::Evidence;
use crate::fact::Of;
use crate::flows::flow::word;
use crate::lines::leaves::{is_root, most};
use crate::read::Facts;
use crate::read::classes::NEXT;

/// What the names of interfaces begin with that a node gives its pods: the kernel's own, Calico's, Cilium's, Amazon's, and those that the
/// bandwidth plugin of CNI shapes what a pod sends with.
const OF_PODS: [&str; 5] = ["veth", "cali", "lxc", "eni", "bwp"];

/// The interface of the shaper that counts; empty where no text names it.
fn port<'f>(e: &Evidence, facts: &'f Facts) -> Option<&'f str> {
    let host = Of::Host(e.shaping_host()?);
    word(facts, host, "shaper_port").map(|(port, _)| port)
}

/// Whether a node shapes one of its pods.
pub(super) fn is_of_pod(e: &Evidence, facts: &Facts) -> bool {
    port(e, facts).is_some_and(|port| OF_PODS.iter().any(|begin| port.starts_with(begin)))
}

/// How the shaper is had again once another queue discipline stands in its place; none where no host's text has it.
pub(super) fn back(e: &Evidence, facts: &Facts) -> Option<String> {
    let (kind, _) = word(facts, Of::Host(e.shaping_host()?), "shaper_kind")?;
    let port = super::interface::UNNAMED;
    Some(format!(
        "tc qdisc replace dev {port} root {kind}, with the values that `tc qdisc show dev {port}` printed of it before"
    ))
}

/// The class that holds the flow, of a shaper that has several; none of one that has no classes.
pub(super) fn class(e: &Evidence) -> Option<String> {
    e.shaping_host()?;
    e.around.held.as_ref().map(|held| held.leaf().to_owned())
}

/// The classes that let through the least of those that the flow is in, or less than it is to get, each with a higher rate, and as it was. A
/// class borrows up to its `ceil` from the one above; a root has nobody above it, and its `rate` is raised, too.
fn raised(port: &str, classes: &str, wanted: Option<f64>, bits: &str) -> [Vec<String>; 2] {
    let all = classes.split(NEXT).filter_map(most);
    let least = all.reduce(libm::fmin).unwrap_or(0.0);
    let holds = |most: f64| most <= 1.001 * least || wanted.is_some_and(|w| most < w);
    let [mut to, mut back] = [Vec::new(), Vec::new()];
    for class in classes.split(NEXT) {
        let Some((named, rates)) = class.split_once(" rate ") else {
            continue;
        };
        let own = rates.split_whitespace().next().unwrap_or("");
        if most(class).is_none_or(holds) {
            let own = if is_root(class) { bits } else { own };
            to.push(format!(
                "tc class change dev {port} {named} rate {own} ceil {bits}"
            ));
            back.push(format!("tc class change dev {port} {class}"));
        }
    }
    [to, back]
}

/// A higher rate: by the annotation of a pod, else by `tc`; none where no host's text has the shaper.
pub(super) fn rate(e: &Evidence, facts: &Facts, host: &str) -> Option<Change> {
    let shaper = Of::Host(e.shaping_host()?);
    let (kind, _) = word(facts, shaper, "shaper_kind")?;
    let port = match port(e, facts)? {
        "" => super::interface::UNNAMED,
        port => port,
    };
    let now = e.shaper.as_ref()?.value;
    let wanted = e.target.as_ref().map(|t| t.value / payload_share(e.mss));
    let [bits, quantity] = match wanted {
        Some(bps) => ["mbit", "M"].map(|unit| format!("{:.0}{unit}", (bps / 1e6).ceil())),
        None => ["RATE"; 2].map(str::to_owned),
    };
    let held = e.around.held.as_ref();
    let classes = held.map(|h| h.classes.as_str()).filter(|_| kind == "htb");
    let set = |verb: &str, rate: &str| {
        let name = if kind == "cake" { "bandwidth" } else { "rate" };
        format!(
            "tc qdisc {verb} dev {port} root {kind} {name} {rate}, with what else tc qdisc show dev {port} prints of it"
        )
    };
    let [by_tc, before] = match classes {
        Some(classes) => raised(port, classes, wanted, &bits),
        // Where it was taken away there is nothing to change.
        None => [
            ("change", bits.clone()),
            ("replace", format!("{:.0}kbit", (now / 1e3).round())),
        ]
        .map(|(verb, rate)| vec![set(verb, &rate)]),
    };
    if !is_of_pod(e, facts) {
        return Some(Change {
            host: host.to_owned(),
            commands: match classes {
                Some(_) => by_tc,
                None => by_tc.into_iter().chain([format!("or, where it was left behind by somebody's test: tc qdisc show dev {port}, and keep what it prints; tc qdisc del dev {port} root")]).collect(),
            },
            undo: before,
            risk: "who set the rate had a reason: what others share the line with it, or what a contract allows".to_owned(),
            ..Change::default()
        });
    }
    let annotations = format!(
        "in the template of the pod: kubernetes.io/ingress-bandwidth: \"{quantity}\" for what it receives, kubernetes.io/egress-bandwidth for what it sends, or neither; a pod has it once it is made anew (kubectl rollout restart deployment NAME)"
    );
    let by_tc = by_tc
        .iter()
        .map(|set| format!("until then, on the node: {set}"));
    let by_annotation = [
        "kubectl describe pod POD | grep bandwidth: which annotation the pod has".to_owned(),
        annotations,
    ];
    let undo = ["the annotation that the pod had before".to_owned()];
    Some(Change {
        host: host.to_owned(),
        commands: by_annotation.into_iter().chain(by_tc).collect(),
        undo: undo.into_iter().chain(before).collect(),
        persist: vec![
            "the annotation is kept with the template; tc's rate is lost with the pod".to_owned(),
        ],
        risk:
            "the pod may take what others on its node are to have; its restart ends its connections"
                .to_owned(),
        ..Change::default()
    })
}
