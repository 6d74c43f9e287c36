//! Classes of Junos that are held to a rate: `transmit-rate` with `exact` or `rate-limit`, and `shaping-rate`, of a scheduler. A map gives it to
//! a class, and a port has the map. And the `shaping-rate` of a port, of a unit, or of a profile. Statements with braces are read, those of
//! `display set`, and what `show class-of-service interface` prints.

use std::collections::BTreeMap;

use super::conditioned::{FEW, OF_SCHEDULER, SHAPER};
use super::{Facts, Line, Tool};
use crate::fact::{Of, Place};
use crate::interfaces::port::{Kind, Port, PortReading};
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
    /// Routers, the statements that a rate stands in, `interfaces ge-0/0/3`, and the rate, bit/s.
    shapers: Vec<([String; 2], (f64, Place))>,
    /// While `show class-of-service interface` is read, the statement that a rate would stand in; empty before the first port.
    shown: Option<String>,
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

/// How lines of `show class-of-service interface` begin that say nothing of a rate.
const SHOWN: [&str; 13] = [
    "Maximum usable queues:",
    "Queues supported:",
    "Total non-default queues",
    "Scheduler map:",
    "Scheduler-map ",
    "Chassis scheduler map:",
    "Congestion-notification:",
    "Input scheduler map:",
    "Output traffic-control-profile",
    "Object ",
    "Classifier ",
    "Rewrite ",
    "Rewrite-Output ",
];

impl Tool for Scheduled {
    fn name(&self) -> &'static str {
        "class-of-service"
    }

    fn line(&mut self, line: Line<'_>, going: bool, _facts: &mut Facts) -> bool {
        let text = line.bare;
        if let Some((router, open)) = command(text) {
            self.router = crate::redact(router);
            self.open = open;
            self.shown = None;
            return true;
        }
        if self.of_show(text, line.at, going) {
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
        all.filter(holds).count() + self.shapers.len()
    }

    fn finish(&mut self, facts: &mut Facts) {
        let all = core::mem::take(&mut self.schedulers);
        let held = all.into_iter().filter_map(|(of, s)| Some((of, s.most()?)));
        let held: Vec<_> = held.collect();
        for ([router, name], (bps, at, _)) in &held {
            for port in self.queues(router, name) {
                facts.ports.push(PortReading {
                    port,
                    kind: Kind::Shaped,
                    value: *bps,
                    packets: None,
                    sent: None,
                    at: *at,
                });
            }
        }
        let of_classes = held.into_iter();
        let of_classes =
            of_classes.map(|([router, name], most)| ([router, format!("schedulers {name}")], most));
        let of_ports = core::mem::take(&mut self.shapers).into_iter();
        let of_ports = of_ports.map(|(of, (bps, at))| (of, (bps, at, SHAPING.to_owned())));
        let held: Vec<_> = of_classes.chain(of_ports).collect();
        let few = held.len() <= FEW;
        for ([router, name], (bps, at, statement)) in held {
            if few {
                facts.exact(Of::Path, SHAPER, bps, at);
            }
            for (fact, word) in OF_SCHEDULER.into_iter().zip([&router, &name, &statement]) {
                facts.word(Of::Path, fact, word, at);
            }
        }
    }
}

/// The statement of a shaper, with `RATE` in place of its rate.
const SHAPING: &str = "shaping-rate RATE";

impl Scheduled {
    /// `Physical interface: ge-0/0/3, Index: 150`, `Shaping rate: 500000000 bps`, and what stands between.
    fn of_show(&mut self, text: &str, at: Place, going: bool) -> bool {
        if let Some(router) = shows(text) {
            self.router = crate::redact(router);
            self.open.clear();
            self.shown = Some(String::new());
            return true;
        }
        if !going {
            self.shown = None;
        }
        if let Some(port) = headed(text) {
            if self.shown.is_none() {
                self.router.clear();
                self.open.clear();
            }
            self.shown = Some(stands_in(&crate::redact(port)));
            return true;
        }
        let Some(shown) = self.shown.clone() else {
            return false;
        };
        let Some(rate) = text.strip_prefix("Shaping rate:") else {
            return SHOWN.iter().any(|begin| text.starts_with(begin));
        };
        let rate = rate.trim();
        if !shown.is_empty() {
            self.shapes(shown, rate.strip_suffix(" bps").unwrap_or(rate), at);
        }
        true
    }

    /// A rate that stands in a statement. Of a share of the port's speed none is made.
    fn shapes(&mut self, stands_in: String, rate: &str, at: Place) {
        let Some(bps) = bits(rate).filter(|_| self.shapers.len() < KEPT) else {
            return;
        };
        let of = [self.router.clone(), stands_in];
        let known = |(known, (rate, _)): &([String; 2], (f64, Place))| *known == of && *rate == bps;
        if !self.shapers.iter().any(known) {
            self.shapers.push((of, (bps, at)));
        }
    }

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
            ["interfaces", port, "shaping-rate", rate, ..] => {
                self.shapes(format!("interfaces {}", kept(port)), rate, at);
            }
            ["interfaces", port, "unit", unit, "shaping-rate", rate, ..] => {
                let unit = format!("interfaces {} unit {}", kept(port), kept(unit));
                self.shapes(unit, rate, at);
            }
            ["traffic-control-profiles", name, "shaping-rate", rate, ..] => {
                self.shapes(format!("traffic-control-profiles {}", kept(name)), rate, at);
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
        let shaping = shaping.map(|(bps, at)| (bps, at, SHAPING.to_owned()));
        let both = exact.into_iter().chain(shaping);
        both.min_by(|a, b| a.0.total_cmp(&b.0))
    }
}

/// A rate of Junos: `1g`, `64000`.
fn bits(text: &str) -> Option<f64> {
    let bps = decimal(text).or_else(|| option_rate(text));
    bps.filter(|bps| *bps > 0.0)
}

/// The router of `noc@mx1> show class-of-service interface ge-0/0/3`.
fn shows(text: &str) -> Option<&str> {
    let (prompt, _) = text.split_once("show class-of-service interface")?;
    let router = prompt.trim_end().trim_end_matches(['>', '#', '%']);
    let router = router.rsplit(['@', ':']).next().unwrap_or("");
    let prose = router.contains(char::is_whitespace) || text.len() > NAME_MAX;
    (!prose).then_some(router)
}

/// The port or unit of `Physical interface: ge-0/0/3, Index: 150`: `show interfaces` prints other words behind the name.
fn headed(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("Physical interface: ");
    let rest = rest.or_else(|| text.strip_prefix("Logical interface: "))?;
    let (name, index) = rest.split_once(", Index: ")?;
    let is_name = !name.is_empty() && name.len() < NAME_MAX && !name.contains([' ', ',']);
    let is_index = index.starts_with(|c: char| c.is_ascii_digit());
    (is_name && is_index).then_some(name)
}

/// The statement that holds what is set of a port or of a unit.
fn stands_in(port: &str) -> String {
    match port.split_once('.') {
        Some((port, unit)) => format!("interfaces {port} unit {unit}"),
        None => format!("interfaces {port}"),
    }
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

    #[test]
    fn a_port_that_is_shaped_has_a_rate() {
        let set = "set class-of-service";
        for text in [
            "noc@mx1> show class-of-service interface ge-0/0/3
Physical interface: ge-0/0/3, Index: 150
Maximum usable queues: 8, Queues in use: 4
Shaping rate: 500000000 bps
  Scheduler map: SM-CUST, Index: 45611
"
            .to_owned(),
            format!("{set} interfaces ge-0/0/3 scheduler-map SM\n{set} interfaces ge-0/0/3 shaping-rate 500m\n"),
            format!("{set} interfaces ge-0/0/3 unit 100 shaping-rate 500m\n"),
            format!("{set} traffic-control-profiles T shaping-rate 500m\n"),
            "noc@mx1> show configuration class-of-service interfaces\nge-0/0/3 {\n    shaping-rate 500m;\n}\n".to_owned(),
        ] {
            assert_eq!(of(&text), (vec![5e8], Vec::new()), "{text}");
        }
        let share = format!("{set} interfaces ge-0/0/3 shaping-rate percent 50\n");
        assert_eq!(of(&share), (Vec::new(), Vec::new()));
    }

    #[test]
    fn what_other_commands_print_is_not_of_a_shaper() {
        let up = "Physical interface: ge-0/0/3, Enabled, Physical link is Up";
        assert_eq!(headed(up), None);
        assert_eq!(
            headed("Logical interface: ge-0/0/3.100, Index: 334"),
            Some("ge-0/0/3.100")
        );
        assert_eq!(stands_in("ge-0/0/3.100"), "interfaces ge-0/0/3 unit 100");
    }
}
