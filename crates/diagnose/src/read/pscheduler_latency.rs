//! What `pscheduler task latency` prints: packets that go one way, and how many of them did not arrive. Its command says which way.

use super::label::behind_prompt;
use super::{Facts, Line, Tool};
use crate::losses::one_way::OneWay;
use crate::words::{decimal, whole};

/// How the lines of its report begin.
const LINES: [&str; 10] = [
    "Packets ",
    "One-way Latency Statistics",
    "Delay ",
    "Max Clock Error ",
    "Common Jitter Measurements:",
    "P95 - P50 ",
    "P75 - P25 ",
    "Variance ",
    "Std Deviation ",
    "Histogram:",
];

/// The state of reading.
#[derive(Default)]
pub(super) struct Latency {
    /// Whom packets go from and to, by the command; empty of the host where it was typed.
    way: Option<[String; 2]>,
    /// The report has begun.
    open: bool,
    sent: Option<u64>,
    /// Least delay, ms, once the run was handed over.
    least: Option<f64>,
}

impl Tool for Latency {
    fn name(&self) -> &'static str {
        "pscheduler"
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        if let Some(way) = typed(text) {
            *self = Latency {
                way: Some(way),
                ..Latency::default()
            };
            return false;
        }
        if text == "Packet Statistics" {
            // Without a command nothing says which way they went.
            self.open = self.way.is_some();
            return self.open;
        }
        if !self.open || !going {
            return false;
        }
        if let Some(sent) = count(text, "Packets Sent ") {
            self.sent = Some(sent);
        } else if let Some(lost) = count(text, "Packets Lost ") {
            self.close(lost, line, facts);
        } else if let Some(run) = facts.one_way.last_mut().filter(|_| self.way.is_none()) {
            self.of_run(text, run);
        }
        LINES.iter().any(|begin| text.starts_with(begin))
            || text.starts_with("TTL Histogram:")
            || text.contains(": ") && text.ends_with(" packets")
    }
}

impl Latency {
    /// Takes what stands below the packets that were lost.
    fn of_run(&mut self, text: &str, run: &mut OneWay) {
        for name in ["Packets Duplicated ", "Packets Reordered "] {
            run.disordered |= count(text, name).is_some_and(|n| n > 0);
        }
        self.least = delay(text, "Delay Minimum ").or(self.least);
        let most = delay(text, "Delay Maximum ");
        let varied = most.zip(self.least).map(|(most, least)| most - least);
        run.varied_ms = varied.or(run.varied_ms);
    }

    /// Hands over a run that lost so many packets.
    fn close(&mut self, lost: u64, line: Line<'_>, facts: &mut Facts) {
        let both = self.way.take().zip(self.sent.take());
        if let Some(([from, to], sent)) = both.filter(|(_, sent)| *sent > 0 && lost <= *sent) {
            facts.one_way.push(OneWay {
                from,
                to,
                sent: sent as f64,
                lost: lost as f64,
                varied_ms: None,
                least_ms: None,
                disordered: false,
                at: line.at,
            });
        }
    }
}

/// The packets of `Packets Sent ......... 600 packets`.
fn count(text: &str, name: &str) -> Option<u64> {
    let value = text.strip_prefix(name)?.strip_suffix(" packets")?;
    whole(value.trim_start_matches(['.', ' ']))
}

/// The milliseconds of `Delay Minimum ........ 2.51 ms`.
fn delay(text: &str, name: &str) -> Option<f64> {
    let value = text.strip_prefix(name)?.strip_suffix(" ms")?;
    decimal(value.rsplit(' ').next()?)
}

/// The way that packets go, if a line is such a command: `$ pscheduler task latency --source a.example --dest b.example`.
fn typed(text: &str) -> Option<[String; 2]> {
    let words = behind_prompt(text).unwrap_or(text).split_whitespace();
    let words: Vec<&str> = words.take(64).collect();
    let ["pscheduler", "task", rest @ ..] = &words[..] else {
        return None;
    };
    if !rest.iter().any(|w| ["latency", "latencybg"].contains(w)) {
        return None;
    }
    let of = |option: &str| {
        let joined = format!("{option}=");
        let at = rest.iter().position(|w| *w == option);
        let behind = at.and_then(|at| rest.get(at + 1).copied());
        let own = || rest.iter().find_map(|w| w.strip_prefix(joined.as_str()));
        behind.or_else(own).map_or_else(String::new, crate::redact)
    };
    let way = [of("--source"), of("--dest")];
    let known = way.iter().any(|end| !end.is_empty());
    let [from, to] = way;
    known.then(|| match rest.contains(&"--reverse") {
        true => [to, from],
        false => [from, to],
    })
}

#[cfg(test)]
mod tests {
    use crate::read::taken::whole as read_whole;

    /// A run of this command, of which 14 of 600 packets were lost.
    fn run(command: &str) -> String {
        format!(
            "{command}
Packet Statistics
-----------------
Packets Sent ......... 600 packets
Packets Received ..... 586 packets
Packets Lost ......... 14 packets
Packets Duplicated ... 0 packets
Packets Reordered .... 0 packets

One-way Latency Statistics
--------------------------
Delay Median ......... 2.60 ms
Delay Minimum ........ 2.51 ms
Delay 25th Percentile ... 2.57 ms
Max Clock Error ...... 0.27 ms
Common Jitter Measurements:
    P95 - P50 ........ 0.16 ms
    Variance ......... 18.64 ms
    Std Deviation .... 4.32 ms
Histogram:
    2.51 ms: 4 packets

TTL Histogram:
    252: 586 packets
"
        )
    }

    #[test]
    fn the_command_says_which_way_packets_went() {
        for (command, from, to) in [
            (
                "$ pscheduler task latency --source a.example --dest b.example",
                "a.example",
                "b.example",
            ),
            (
                "$ pscheduler task latency --dest=b.example",
                "",
                "b.example",
            ),
            (
                "$ pscheduler task latency --reverse --dest b.example",
                "b.example",
                "",
            ),
        ] {
            let (facts, all) = read_whole(&run(command));
            assert!(all, "{:?}", facts.ignored);
            let [way] = &facts.one_way[..] else {
                panic!("{command}: {:?}", facts.one_way)
            };
            assert_eq!((way.from.as_str(), way.to.as_str()), (from, to));
            assert_eq!((way.sent, way.lost), (600.0, 14.0));
        }
    }

    #[test]
    fn a_report_without_its_command_says_of_no_way() {
        let (facts, _) = read_whole(&run("the report:"));
        assert!(facts.one_way.is_empty());
    }
}
