//! What switches and routers log of their ports beside links that go: ports shut, and too little light. It may explain a time in which nothing passed.

use crate::document::MissingFact;
use crate::evidence::Evidence;
use crate::items::Item;
use crate::read::Facts;

/// A kind of event of such a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A switch shut a port by itself.
    Shut,
    /// A port receives too little light.
    Dim,
}

impl Event {
    /// All of them, those first that say most of why nothing passes.
    const ALL: [Event; 2] = [Event::Shut, Event::Dim];

    /// The name of its fact, which is a word: what was logged.
    pub(crate) fn fact(self) -> &'static str {
        match self {
            Event::Shut => "port_shut",
            Event::Dim => "light_alarm",
        }
    }

    /// What it means for what passes there.
    fn means(self) -> &'static str {
        match self {
            Event::Shut => {
                "a switch shut that port by itself, and nothing passes there until it is opened"
            }
            Event::Dim => "a port receives too little light: its link loses frames, or is down",
        }
    }

    /// What shows why.
    fn shown_by(self) -> &'static str {
        match self {
            Event::Shut => {
                "on that switch: show interfaces status err-disabled, show errdisable recovery; what is plugged in there: of bpduguard a switch, or a host that bridges two of its interfaces. Once it is gone: shutdown and no shutdown of the port"
            }
            Event::Dim => {
                "at both ends of that link: show interfaces transceiver (Junos: show interfaces diagnostics optics), twice, some minutes apart: what one end sends and the other receives; clean the plugs, then change the patch cable, then the optics, one at a time"
            }
        }
    }
}

/// What logs have of a kind.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Seen {
    event: Event,
    /// The first of them and how many more there are, for people.
    said: String,
}

/// What logs have of each kind.
pub(crate) fn seen(facts: &Facts) -> Vec<Seen> {
    let each = Event::ALL.into_iter();
    each.filter_map(|event| Seen::of(facts, event)).collect()
}

impl Seen {
    fn of(facts: &Facts, event: Event) -> Option<Seen> {
        // What is logged says why; a table of states does not.
        let all = || facts.all_words(event.fact());
        let by_log = all().find(|(_, word)| word.starts_with('%'));
        let (first, word) = by_log.or_else(|| all().next())?;
        let more = match all().count() {
            0 | 1 => String::new(),
            2 => ", and one more line of that kind".to_owned(),
            n => format!(", and {} more lines of that kind", n - 1),
        };
        Some(Seen {
            event,
            said: format!("{}: {word}{more}", facts.place(first.at)),
        })
    }

    /// What a log has, and what it means, for people.
    pub(crate) fn means(&self) -> String {
        format!("{}: {}", self.said, self.event.means())
    }

    /// Whether it is what stopped a test, which was silent at that time.
    pub(crate) fn asks(&self, when: &str) -> MissingFact {
        MissingFact {
            fact: "outage_events",
            would_decide: format!(
                "whether that is what was down {when}, by its times beside those of the test, and why: {}",
                self.said
            ),
            command: format!("date on each; {}", self.event.shown_by()),
        }
    }

    /// Why a port is shut behind which a host does not answer.
    pub(crate) fn asks_why_shut(&self) -> MissingFact {
        MissingFact {
            fact: "port_down",
            would_decide: format!(
                "why nothing answers, where the way to that host leads through this port: {}",
                self.means()
            ),
            command: self.event.shown_by().to_owned(),
        }
    }

    /// Whether it says by itself that a port carries nothing.
    pub(crate) fn is_shut(&self) -> bool {
        self.event == Event::Shut
    }
}

/// What logs have, where a stop was seen that no link explains by itself, or no rate was measured. It weighs nothing: which of both was first, times say.
pub(crate) fn by_network_log(e: &Evidence, items: &mut Vec<Item>) {
    let stopped = e.down() > 0.0;
    if !stopped && e.rate.is_some() {
        return;
    }
    let whether = match stopped {
        true => "whether that was when nothing passed, the times of both say",
        false => "the texts do not say whether that was when something was slow",
    };
    // What is said first of a port that is shut need not stand there twice.
    let dead = e.dead_port().is_some();
    let all = e.around.network_log.iter();
    let all = all.filter(|seen| !(dead && seen.is_shut()));
    items.extend(all.map(|seen| Item {
        holds: 1.0,
        weights: Vec::new(),
        sentence: format!("{}; {whether}", seen.means()),
    }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{Source, read};

    fn facts(text: &str) -> Facts {
        read(&[Source {
            name: "t.txt".to_owned(),
            bytes: text.as_bytes().to_vec(),
        }])
    }

    /// They were lines that no known tool prints.
    #[test]
    fn a_port_that_is_shut_is_named_by_its_log() {
        let text = "\
acc-c3#show logging | i 1/0/9
Nov 25 02:10:11: %SPANTREE-2-BLOCK_BPDUGUARD: Received BPDU on port GigabitEthernet1/0/9 with BPDU Guard enabled. Disabling port.
Nov 25 02:10:11: %PM-4-ERR_DISABLE: bpduguard error detected on Gi1/0/9, putting Gi1/0/9 in err-disable state
";
        let all = seen(&facts(text));
        let kinds: Vec<Event> = all.iter().map(|s| s.event).collect();
        assert_eq!(kinds, [Event::Shut]);
        let said = all[0].asks("for 4.0 s").would_decide;
        assert!(
            said.contains("t.txt:2: %SPANTREE-2-BLOCK_BPDUGUARD"),
            "{said}"
        );
        assert!(said.contains("one more line"), "{said}");
    }

    /// What a log has weighs nothing, and is not said of a flow that did not stop.
    #[test]
    fn a_flow_that_did_not_stop_hears_nothing_of_a_log() {
        let mut e = Evidence::default();
        e.around.network_log = vec![Seen {
            event: Event::Dim,
            said: String::new(),
        }];
        let mut items = Vec::new();
        by_network_log(&e, &mut items);
        assert!(items.iter().all(|item| item.weights.is_empty()));
        assert_eq!(items.len(), 1);
        e.rate = Some(crate::fact::Figure::exact(1e9, crate::fact::Place::You));
        items.clear();
        by_network_log(&e, &mut items);
        assert!(items.is_empty());
    }
}
