//! What manages the queues of a scenario, with every value that holds: what nobody wrote has a default.

use farpath_element::qdisc::{AqmConfig, CodelConfig};

use crate::model::{Class, Direction, FqCodel, Link, QueueLimit, RedCurve, Scenario};

/// How the lines begin that [`with_managers`] adds.
const HEAD: &str = "\n# What manages queues, with every value that holds; comments:\n";

/// Each queue that is managed, in the order of the links: `link rb, r to b: red = { min = "8 packets", … }`, every key of its table
/// there.
pub fn managers(scenario: &Scenario) -> Vec<String> {
    let of_link = |link: &Link| -> Vec<String> {
        let ways = [(0, 1), (1, 0)].map(|(from, to)| {
            let [from, to] = [from, to].map(|end: usize| scenario.node_name(link.ends[end]));
            format!("{from} to {to}")
        });
        let [there, back] = [0, 1].map(|n: usize| of_direction(link, &link.directions[n]));
        if there == back {
            return there
                .iter()
                .map(|words| format!("link {}{words}", link.name))
                .collect();
        }
        let named = ways.iter().zip([there, back]);
        named
            .flat_map(|(way, all)| {
                let line = move |words: String| format!("link {}, {way}{words}", link.name);
                all.into_iter().map(line).collect::<Vec<_>>()
            })
            .collect()
    };
    scenario.links.iter().flat_map(of_link).collect()
}

/// A scenario's text and below it, as comments, what manages its queues; the text alone where nothing does.
pub fn with_managers(text: &str, managers: &[String]) -> String {
    let text = without_managers(text);
    if managers.is_empty() {
        return text.to_owned();
    }
    let end = if text.ends_with('\n') { "" } else { "\n" };
    let lines: String = managers.iter().map(|line| format!("# {line}\n")).collect();
    format!("{text}{end}{HEAD}{lines}")
}

/// The text without what [`with_managers`] added: what is run again is the same scenario.
pub fn without_managers(text: &str) -> &str {
    match text.rsplit_once(HEAD) {
        Some((before, after)) if after.lines().all(|line| line.starts_with("# ")) => before,
        _ => text,
    }
}

/// `: KEY = { … }` of each managed queue of a direction, behind the name of its class where it has several.
fn of_direction(link: &Link, direction: &Direction) -> Vec<String> {
    let Some(queueing) = &direction.queueing else {
        return Vec::new();
    };
    if let Some(fair) = &queueing.fq_codel {
        let full_frame = link.framing.queue_bytes(direction.mtu);
        return vec![format!(": {}", fq_codel(fair, full_frame))];
    }
    let several = queueing.classes.len() > 1;
    let class = |class: &Class| {
        let name = if several {
            format!(", class {}", class.name)
        } else {
            String::new()
        };
        Some(format!("{name}: {}", manager(class)?))
    };
    queueing.classes.iter().filter_map(class).collect()
}

fn manager(class: &Class) -> Option<String> {
    Some(match class.aqm? {
        AqmConfig::Red(red) => {
            let RedCurve { min, max, max_p } = class.curve?;
            let curve = format!(
                "min = \"{}\", max = \"{}\", max_p = {max_p}",
                limit(min),
                limit(max)
            );
            format!(
                "red = {{ {curve}, weight = {}, gentle = {}, ecn = {} }}",
                red.weight, red.gentle, red.ecn
            )
        }
        AqmConfig::Codel(codel) => format!("codel = {{ {} }}", controller(&codel)),
        AqmConfig::Pie(pie) => {
            let times = format!("target = \"{}\", update = \"{}\"", pie.target, pie.update);
            let gains = format!(
                "alpha = {}, beta = {}, burst = \"{}\"",
                pie.alpha, pie.beta, pie.burst
            );
            let ecn = match pie.mark_below > 0.0 {
                true => format!("ecn = true, mark_below = {}", pie.mark_below),
                false => "ecn = false".to_owned(),
            };
            format!("pie = {{ {times}, {gains}, {ecn} }}")
        }
    })
}

fn controller(codel: &CodelConfig) -> String {
    let CodelConfig {
        target,
        interval,
        ecn,
    } = codel;
    format!("target = \"{target}\", interval = \"{interval}\", ecn = {ecn}")
}

/// Without a quantum of its own a queue sends a full frame in its turn, bytes.
fn fq_codel(fair: &FqCodel, full_frame: u32) -> String {
    let FqCodel {
        flows,
        quantum,
        packets,
        memory,
        codel,
    } = fair;
    let queues = format!(
        "flows = {flows}, quantum = {}, packets = {packets}, memory = \"{memory}\"",
        quantum.unwrap_or(full_frame)
    );
    format!("fq_codel = {{ {queues}, {} }}", controller(codel))
}

/// As a scenario writes it.
fn limit(limit: QueueLimit) -> String {
    match limit {
        QueueLimit::Bytes(size) => size.to_string(),
        QueueLimit::Packets(1) => "1 packet".to_owned(),
        QueueLimit::Packets(n) => format!("{n} packets"),
        QueueLimit::Time(time) => time.to_string(),
        QueueLimit::Bdp(x) => format!("{}bdp", (x * 1e6).round() / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;
    use crate::routed::between_routers;

    fn read(keys: &str) -> Vec<String> {
        managers(&parse(&between_routers(keys), &[]).unwrap_or_else(|e| panic!("{e}")))
    }

    /// `aqm = "red"` ran with values that stood nowhere.
    #[test]
    fn every_value_that_holds_is_written() {
        let usual = [
            (
                "red",
                "red = { min = \"8 packets\", max = \"25 packets\", max_p = 0.1, weight = 0.002, gentle = true, ecn = false }",
            ),
            (
                "codel",
                "codel = { target = \"5 ms\", interval = \"100 ms\", ecn = false }",
            ),
            (
                "pie",
                "pie = { target = \"15 ms\", update = \"15 ms\", alpha = 0.125, beta = 1.25, burst = \"150 ms\", ecn = false }",
            ),
            (
                "fq-codel",
                "fq_codel = { flows = 1024, quantum = 1514, packets = 10240, memory = \"32 MB\", target = \"5 ms\", interval = \"100 ms\", ecn = true }",
            ),
        ];
        for (word, all) in usual {
            let found = read(&format!("queue = \"100 packets\"\naqm = \"{word}\""));
            assert_eq!(found, [format!("link rs: {all}")]);
            // What is said can be written, and is the same.
            let again = read(&format!("queue = \"100 packets\"\naqm = \"{word}\"\n{all}"));
            assert_eq!(again, found);
        }
        assert!(read("queue = \"100 packets\"").is_empty());
        let one = read("queue = \"1bdp\"\nforward.aqm = \"red\"");
        assert!(
            one[0].starts_with("link rs, r to s: red = { min = \"0.083333bdp\", max = \"0.25bdp\""),
            "{one:?}"
        );
    }

    #[test]
    fn comments_are_added_once_and_come_off_again() {
        let lines = ["link rs: codel = {}".to_owned()];
        let one = with_managers("a = 1\n", &lines);
        assert!(one.ends_with("comments:\n# link rs: codel = {}\n"), "{one}");
        assert_eq!(with_managers(&one, &lines), one);
        assert_eq!(without_managers(&one), "a = 1\n");
        assert_eq!(with_managers("a = 1\n", &[]), "a = 1\n");
        let more = format!("{one}b = 2\n");
        assert_eq!(without_managers(&more), more, "somebody wrote on");
    }
}
