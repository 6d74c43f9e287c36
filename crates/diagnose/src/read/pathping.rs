//! pathping of Windows, in English: how many packets it sent to each hop, and how many of them came back.
//!
//! What stands under `Source to Here` is counted as of a trace. What stands under `This Node/Link` is worked out of that.

use super::route::{Answered, locate, name_of, target};
use super::{Facts, Line, Tool};
use crate::fact::{Figure, Of, Place};
use crate::words::{decimal, whole};

/// How its first line begins, which is that of tracert, too.
const HEAD: &str = "Tracing route to ";

/// The list of hops begins so many lines below it at most.
const NEAR: u32 = 4;

/// Most hops that a packet can pass.
const HOPS_MAX: usize = 255;

/// The state of reading.
#[derive(Default)]
pub(super) struct PathPing {
    /// Names and addresses of the target, and the first line, which says them.
    target: Option<(Vec<String>, Place)>,
    /// The number of the last hop in the list that stands before the counts.
    listed: Option<u64>,
    /// The table of counts has begun.
    counts: bool,
    /// Hops that answered.
    trail: Vec<Answered>,
    /// The last row.
    last: Option<(Hop, Place)>,
}

/// A row of a hop.
#[derive(Debug, PartialEq)]
struct Hop {
    number: f64,
    /// Its mean round trip, whole milliseconds; none where it did not answer.
    ms: Option<f64>,
    lost: f64,
    sent: f64,
    name: String,
}

impl Tool for PathPing {
    fn name(&self) -> &'static str {
        "pathping"
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        if text.starts_with(HEAD) {
            // Whether it is one of tracert the lines below say.
            self.close(facts);
            self.target = Some((target(text), line.at));
            return false;
        }
        if text.starts_with("Computing statistics for ") || text.starts_with("Source to Here ") {
            return true;
        }
        if text.starts_with("Hop ") && text.contains(" Lost/Sent = Pct ") {
            self.counts = true;
            return true;
        }
        if self.counts && going {
            if let Some(hop) = row(text) {
                self.takes(hop, line.at);
                return true;
            }
            return text.starts_with("0 ") && !text.contains('%')
                || text.ends_with('|') && text.contains('%')
                || text.starts_with("Trace complete");
        }
        self.lists(text, line.at, going)
    }

    fn held(&self) -> usize {
        let is_whole = |(hop, _): &(Hop, Place)| hop.ms.is_some();
        match &self.last {
            Some(last) if is_whole(last) => 6,
            Some(_) => 1,
            None => 0,
        }
    }

    fn finish(&mut self, facts: &mut Facts) {
        self.close(facts);
    }
}

impl PathPing {
    /// `0  PC.example [192.0.2.1]` and the hops below it, right behind the first line: tracert begins with hop 1.
    fn lists(&mut self, text: &str, at: Place, going: bool) -> bool {
        let words: Vec<&str> = text.split_whitespace().take(5).collect();
        let number = words.first().and_then(|word| whole(word));
        let head = self.target.as_ref().map(|(_, head)| *head);
        let near = head.and_then(|head| at.lines_below(head));
        let near = near.is_some_and(|lines| lines <= NEAR);
        let is_it = match number {
            Some(0) => near && (2..=3).contains(&words.len()),
            Some(n) => going && self.listed.map(|last| last + 1) == Some(n),
            None => false,
        };
        if is_it {
            self.listed = number;
        }
        is_it
    }

    fn takes(&mut self, hop: Hop, at: Place) {
        if hop.ms.is_some() && hop.sent > 0.0 && self.trail.len() < HOPS_MAX {
            self.trail.push((hop.name.clone(), hop.lost / hop.sent));
        }
        self.last = Some((hop, at));
    }

    /// Hands over what the last hop says, where it is the target.
    fn close(&mut self, facts: &mut Facts) {
        let all = core::mem::take(self);
        let Some((hop, at)) = all.last else { return };
        let names = all.target.map(|(names, _)| names).unwrap_or_default();
        let mut own = hop.name.split_whitespace().map(name_of);
        let is_end = names.is_empty() || own.any(|own| names.iter().any(|name| name == own));
        facts.exact(Of::Path, "hops", hop.number, at);
        facts.trace_targets.insert(at, names);
        let Some(ms) = hop.ms.filter(|_| is_end) else {
            facts.unreached("pathping", at, None);
            return;
        };
        // The mean is rounded to whole milliseconds, and nothing says how far the others lie from it.
        let mean = Figure::between(ms, (ms - 0.5).max(0.0), ms + 0.5, at).times(1e6);
        facts.took_times([mean.clone(), mean.clone(), mean]);
        facts.exact(Of::Path, "ping_sent", hop.sent, at);
        facts.exact(Of::Path, "ping_received", hop.sent - hop.lost, at);
        locate(&all.trail, hop.lost, at, facts);
    }
}

/// `2    9ms     0/ 100 =  0%     0/ 100 =  0%  gw.example [192.0.2.1]`: of a hop that did not answer `---` stands for its time.
fn row(text: &str) -> Option<Hop> {
    let parts: Vec<&str> = text.splitn(3, '%').collect();
    let [here, of_node, name] = parts[..] else {
        return None;
    };
    let (here, of_node) = (words(here), words(of_node));
    let [number, time, lost, sent, _] = here[..] else {
        return None;
    };
    if of_node.len() != 3 {
        return None;
    }
    let ms = match time {
        "---" => None,
        time => Some(decimal(time.strip_suffix("ms")?)?),
    };
    let (lost, sent) = (whole(lost)? as f64, whole(sent)? as f64);
    let name = name.trim();
    (lost <= sent && sent > 0.0 && !name.is_empty()).then_some(Hop {
        number: whole(number)? as f64,
        ms,
        lost,
        sent,
        name: name.to_owned(),
    })
}

/// The words of a part of a row, without the signs between numbers.
fn words(part: &str) -> Vec<&str> {
    let ends = |c: char| c.is_whitespace() || matches!(c, '/' | '=');
    part.split(ends).filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flows::flow::{number, word};
    use crate::read::taken::whole as read_whole;

    /// A run to this target: three hops, of which the last two miss 7 of 100.
    fn run(head: &str) -> String {
        format!(
            "{head}
  0  10.8.1.22
  1  10.8.1.1
  2  198.51.100.37
  3  192.0.2.177

Computing statistics for 75 seconds...
            Source to Here   This Node/Link
Hop  RTT    Lost/Sent = Pct  Lost/Sent = Pct  Address
  0                                           10.8.1.22
                                0/ 100 =  0%   |
  1    1ms     0/ 100 =  0%     0/ 100 =  0%  10.8.1.1
                                7/ 100 =  7%   |
  2   18ms     7/ 100 =  7%     0/ 100 =  0%  198.51.100.37
                                0/ 100 =  0%   |
  3   18ms     7/ 100 =  7%     0/ 100 =  0%  192.0.2.177

Trace complete.
"
        )
    }

    #[test]
    fn counts_of_hops_say_where_packets_are_lost() {
        let head = "Tracing route to 192.0.2.177 over a maximum of 30 hops";
        let (facts, all) = read_whole(&run(head));
        assert!(all, "{:?}", facts.ignored);
        let get = |name| number(&facts, Of::Path, name).map(|n| n.value);
        assert_eq!(get("ping_sent"), Some(100.0));
        assert_eq!(get("ping_received"), Some(93.0));
        assert_eq!(get("rtt_avg_ns"), Some(18e6));
        let hop = word(&facts, Of::Path, "loss_hop").map(|(name, _)| name);
        assert_eq!(hop, Some("198.51.100.37"));
        let before = word(&facts, Of::Path, "loss_after_hop").map(|(name, _)| name);
        assert_eq!(before, Some("10.8.1.1"));
    }

    #[test]
    fn a_router_on_the_way_is_not_the_target() {
        let head = "Tracing route to 192.0.2.200 over a maximum of 30 hops";
        let (facts, _) = read_whole(&run(head));
        assert_eq!(number(&facts, Of::Path, "rtt_avg_ns"), None);
        let unreached = |note: &String| note.contains("pathping did not reach its target");
        assert!(facts.notes.iter().any(unreached), "{:?}", facts.notes);
    }

    #[test]
    fn a_hop_that_does_not_answer_has_no_time() {
        let silent = row("5  ---     100/ 100 =100%   100/ 100 =100%  192.0.2.1");
        let silent = silent.expect("it is a row");
        assert_eq!((silent.ms, silent.lost), (None, 100.0));
        let named = row("2    9ms     0/ 100 =  0%     0/ 100 =  0%  gw.example [192.0.2.1]");
        assert_eq!(
            named.map(|hop| hop.name),
            Some("gw.example [192.0.2.1]".to_owned())
        );
        for other in ["0/ 100 =  0%   |", "2    9ms  192.0.2.1", "0  10.8.1.22"] {
            assert_eq!(row(other), None, "{other}");
        }
    }
}
