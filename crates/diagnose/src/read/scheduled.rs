//! Classes of Junos that are held to a rate: `transmit-rate` with `exact` or `rate-limit`, and `shaping-rate`, of a scheduler. A map gives it to
//! a class, and a port has the map. Statements with braces are read, and those of `display set`.

use std::collections::BTreeMap;

use super::conditioned::{FEW, OF_SCHEDULER, SHAPER};
use super::{Facts, Line, Tool};
use crate::fact::{Of, Place};
use crate::port::{Kind, Port, PortReading};
use crate::words::{decimal, option_rate};

/// The state of reading.
#[derive(Default)]
pub(super) struct Scheduled {
    router: String,
    /// The statements whose braces are open.
    open: Vec<String>,
    /// By router and name.
    schedulers: BTreeMap<[String; 2], Scheduler>,
    /// Routers, maps, and the classes and schedulers in them.
    classes: Vec<[String; 4]>,
    /// Routers, ports, and the maps that they have.
    ports: Vec<[String; 3]>,
}

/// What a scheduler states.
#[derive(Default)]
struct Scheduler {
    /// Its `transmit-rate`, bit/s.
    rate: Option<(f64, Place)>,
    /// What makes that rate the most, too.
    most: Option<&'static str>,
    /// Its `shaping-rate`, bit/s.
    shaping: Option<(f64, Place)>,
}

/// Statements that are read without a command before them.
const SECTIONS: [&str; 3] = ["class-of-service {", "schedulers {", "scheduler-maps {"];

/// Most braces within each other, the longest of what opens one or stands in a command, and most schedulers, classes and ports.
const DEPTH: usize = 8;
const NAME_MAX: usize = 200;
const KEPT: usize = 200;

impl Tool for Scheduled {
    fn name(&self) -> &'static str {
        "class-of-service"
    }

    fn line(&mut self, line: Line<'_>, going: bool, _facts: &mut Facts) -> bool {
        let text = line.bare;
        if let Some((router, open)) = command(text) {
            self.router = crate::redact(router);
            self.open = open;
            return true;
        }
        if let Some(rest) = text.strip_prefix("set class-of-service ") {
            self.states(rest, line.at);
            return true;
        }
        let begins = SECTIONS.contains(&text);
        if begins && !going {
            self.open.clear();
        }
        let inside = going && !self.open.is_empty();
        (begins || inside) && self.braced(text, line.at)
    }

    fn held(&self) -> usize {
        let all = self.schedulers.values();
        let holds = |s: &&Scheduler| s.shaping.is_some() || s.rate.and(s.most).is_some();
        all.filter(holds).count()
    }

    fn finish(&mut self, facts: &mut Facts) {
        let all = core::mem::take(&mut self.schedulers);
        let held = all.into_iter().filter_map(|(of, s)| Some((of, s.most()?)));
        let held: Vec<_> = held.collect();
        let few = held.len() <= FEW;
        for ([router, name], (bps, at, statement)) in held {
            for port in self.queues(&router, &name) {
                facts.ports.push(PortReading {
                    port,
                    kind: Kind::Shaped,
                    value: bps,
                    packets: None,
                    sent: None,
                    at,
                });
            }
            if few {
                facts.exact(Of::Path, SHAPER, bps, at);
            }
            for (fact, word) in OF_SCHEDULER.into_iter().zip([&router, &name, &statement]) {
                facts.word(Of::Path, fact, word, at);
            }
        }
    }
}

impl Scheduled {
    /// `BE {`, `transmit-rate 1g exact;`, `}`.
    fn braced(&mut self, text: &str, at: Place) -> bool {
        if let Some(name) = text.strip_suffix('{') {
            let room = self.open.len() < DEPTH && name.len() < NAME_MAX;
            if room {
                self.open.push(name.trim().to_owned());
            }
            return room;
        }
        if text == "}" {
            self.open.pop();
            return true;
        }
        let Some(statement) = text.strip_suffix(';') else {
            return false;
        };
        let whole = format!("{} {statement}", self.open.join(" "));
        self.states(&whole, at);
        true
    }

    /// A statement with all that it stands in: `schedulers BE transmit-rate 1g exact`.
    fn states(&mut self, text: &str, at: Place) {
        let words: Vec<&str> = text.split_whitespace().collect();
        let words = match &words[..] {
            ["class-of-service", rest @ ..] => rest,
            all => all,
        };
        let kept = |name: &str| crate::redact(name);
        let router = self.router.clone();
        match words {
            ["schedulers", name, rest @ ..] if self.schedulers.len() < KEPT => {
                let scheduler = self.schedulers.entry([router, kept(name)]);
                scheduler.or_default().states(rest, at);
            }
            [
                "scheduler-maps",
                map,
                "forwarding-class",
                class,
                "scheduler",
                name,
            ] if self.classes.len() < KEPT => {
                let [map, class, name] = [map, class, name].map(|n| kept(n));
                self.classes.push([router, map, class, name]);
            }
            ["interfaces", port, .., "scheduler-map", map] if self.ports.len() < KEPT => {
                self.ports.push([router, kept(port), kept(map)]);
            }
            _ => {}
        }
    }

    /// The queues that a scheduler serves, as counters of drops call them.
    fn queues(&self, router: &str, scheduler: &str) -> Vec<Port> {
        let mut all = Vec::new();
        let own = |c: &&[String; 4]| c[0] == router && c[3] == scheduler;
        for [_, map, class, _] in self.classes.iter().filter(own) {
            let have = |p: &&[String; 3]| p[0] == router && p[2] == *map;
            all.extend(self.ports.iter().filter(have).map(|[_, port, _]| Port {
                router: router.to_owned(),
                name: format!("{class} at {port}"),
            }));
        }
        all
    }
}

impl Scheduler {
    /// `transmit-rate 1g exact`, `transmit-rate rate-limit`, `shaping-rate 500m`. Of a share of the port's speed no rate is made.
    fn states(&mut self, words: &[&str], at: Place) {
        match words {
            ["transmit-rate", words @ ..] if !words.contains(&"percent") => {
                for word in words {
                    self.rate = bits(word).map(|bps| (bps, at)).or(self.rate);
                    let most = ["exact", "rate-limit"].into_iter().find(|m| m == word);
                    self.most = most.or(self.most);
                }
            }
            ["shaping-rate", rate, ..] => self.shaping = bits(rate).map(|bps| (bps, at)),
            _ => {}
        }
    }

    /// The most that its classes get, bit/s, and the statement that says so, with `RATE` in place of the rate.
    fn most(&self) -> Option<(f64, Place, String)> {
        let exact = self.rate.zip(self.most);
        let exact = exact.map(|((bps, at), most)| (bps, at, format!("transmit-rate RATE {most}")));
        let shaping = self.shaping;
        let shaping = shaping.map(|(bps, at)| (bps, at, "shaping-rate RATE".to_owned()));
        let both = exact.into_iter().chain(shaping);
        both.min_by(|a, b| a.0.total_cmp(&b.0))
    }
}

/// A rate of Junos: `1g`, `64000`.
fn bits(text: &str) -> Option<f64> {
    let bps = decimal(text).or_else(|| option_rate(text));
    bps.filter(|bps| *bps > 0.0)
}

/// The router, and the statements that stand open, of `noc@mx1> show configuration class-of-service schedulers BE`.
fn command(text: &str) -> Option<(&str, Vec<String>)> {
    let (prompt, rest) = text.split_once("show configuration class-of-service")?;
    let router = prompt.trim_end().trim_end_matches(['>', '#', '%']);
    let router = router.rsplit(['@', ':']).next().unwrap_or("");
    let prose = router.contains(char::is_whitespace) || text.len() > NAME_MAX;
    let names = rest.split('|').next().unwrap_or("");
    let open = ["class-of-service"]
        .into_iter()
        .chain(names.split_whitespace());
    (!prose).then(|| (router, open.map(str::to_owned).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::taken::taken;

    /// The rates of shapers that are stated, and the queues that are shaped. Every line is taken.
    fn of(text: &str) -> (Vec<f64>, Vec<(String, f64)>) {
        let facts = taken(Scheduled::default(), text);
        let all = facts.facts.iter().filter(|f| f.name == SHAPER);
        let rates = all.filter_map(|f| Some(f.number()?.value)).collect();
        let shaped = facts.ports.iter().filter(|r| r.kind == Kind::Shaped);
        let shaped = shaped.map(|r| (r.port.named(""), r.value)).collect();
        (rates, shaped)
    }

    #[test]
    fn a_scheduler_that_is_exact_holds_its_class() {
        let command = "noc@mx1> show configuration class-of-service";
        let braces = "BE {\n    transmit-rate {\n        1g;\n        exact;\n    }\n}\n";
        let set = "set class-of-service schedulers BE transmit-rate";
        for text in [
            format!("{command} schedulers BE\ntransmit-rate 1g exact;\nbuffer-size percent 10;\n"),
            format!("{command} schedulers\n{braces}"),
            format!("{command} | display set\n{set} 1g\n{set} exact\n"),
            "schedulers {\n    BE {\n        shaping-rate 1g;\n    }\n}\n".to_owned(),
        ] {
            assert_eq!(of(&text), (vec![1e9], Vec::new()), "{text}");
        }
        // What is guaranteed alone holds nobody, and a share is of a port's speed.
        for words in ["1g", "percent 10 exact"] {
            let text = format!("{set} {words}\n");
            assert_eq!(of(&text), (Vec::new(), Vec::new()), "{text}");
        }
    }

    #[test]
    fn maps_say_which_queue_has_the_rate() {
        let text = "noc@mx1> show configuration class-of-service
interfaces {
    xe-0/1/0 {
        scheduler-map SM;
    }
}
scheduler-maps {
    SM {
        forwarding-class best-effort scheduler BE;
        forwarding-class network-control scheduler NC;
    }
}
schedulers {
    BE {
        transmit-rate 1g exact;
    }
    NC {
        transmit-rate 50m;
    }
}
";
        let queue = "best-effort at xe-0/1/0 of mx1".to_owned();
        assert_eq!(of(text), (vec![1e9], vec![(queue, 1e9)]));
    }
}
