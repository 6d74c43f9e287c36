//! `farpath lab set`: what changes of a running lab's links.

use farpath_element::Change;
use farpath_element::qdisc::Limit;
use farpath_emu::lab::memory_for;
use farpath_emu::plane::Plane;
use farpath_emu::tap::Tap;
use farpath_scenario::plan::port_of;
use farpath_scenario::{Direction, LinkId, Loss, QueueLimit, Scenario, Set, Source, Way, nearest};
use farpath_units::Ratio;

use super::limits;
use super::named::command;
use super::present::{self, Present};

/// What errors point at.
const OPTION: &str = "lab set";
const EARLIER: &str = "an earlier lab set";

/// What can be changed.
const KEYS: [&str; 14] = [
    "rate",
    "delay",
    "queue",
    "loss",
    "lose",
    "lose_every",
    "gilbert_elliott",
    "bit_error_rate",
    "jitter",
    "reordering",
    "duplication",
    "corruption",
    "reorder",
    "up",
];

/// The same in words.
fn changeable() -> String {
    let keys = KEYS.map(|key| format!("`{key}`")).join(", ");
    format!(
        "of a link that is up, or of its direction `forward` or `reverse`, {keys} can be changed"
    )
}

/// Changes that can be made, all of them.
pub(super) struct Planned {
    /// What commands for this lab begin with.
    command: String,
    /// What the scenario becomes.
    pub(super) scenario: Scenario,
    /// What may wait in front of each port then, by number.
    pub(super) limits: Vec<Limit>,
    /// All keys that were set since the lab was started.
    pub(super) sets: Vec<Set>,
    changes: Vec<(usize, Change)>,
    said: String,
}

/// What `wanted` comes to for lab `name` that was started with `sets` and is as `present` says, which was read of `source`.
///
/// # Errors
/// What is wrong with one of them, in words: then none is to be made.
pub(super) fn planned(
    plane: &Plane<Tap>,
    (name, present, source): (&str, &Present, &str),
    sets: &[Set],
    wanted: &[String],
) -> Result<Planned, String> {
    let scenario = &present.scenario;
    let mut planned = Planned {
        command: command(name),
        scenario: scenario.clone(),
        limits: present.limits.clone(),
        sets: sets.to_vec(),
        changes: Vec::new(),
        said: String::new(),
    };
    for text in wanted {
        match up_or_down(&planned.scenario, text, &planned.command)? {
            Some((link, ways, up)) => planned.turn(link, &ways, up),
            None => planned.set(plane, source, (text.as_str(), wanted))?,
        }
    }
    for set in &mut planned.sets[sets.len()..] {
        let text = set.to_string();
        *set = set.clone().of_option(EARLIER, &text);
    }
    planned.queue(scenario);
    let set_aside = plane.memory().0;
    let needed = |scenario| memory_for(scenario).unwrap_or_default();
    if let Some(short) = short_of_memory(set_aside, needed(scenario), needed(&planned.scenario)) {
        planned.said.push_str(&short);
    }
    Ok(planned)
}

impl Planned {
    /// Makes the changes, and says what has changed.
    pub(super) fn apply(&mut self, plane: &mut Plane<Tap>) -> String {
        for (port, change) in self.changes.drain(..) {
            plane.apply(port, change);
        }
        std::mem::take(&mut self.said)
    }

    fn say(&mut self, (link, way): (LinkId, Way), what: &str) {
        let name = &self.scenario.links[link.0].name;
        let direction = self.scenario.direction_name(link, way);
        self.said.push_str(&format!("{name} {direction}: {what}\n"));
    }

    /// Queues that hold more or less than in `old`.
    fn queue(&mut self, old: &Scenario) {
        for changed in limits::changed(old, &self.scenario, &self.limits) {
            let (link, way) = changed.place;
            let port = port_of(link, way);
            if changed.is_ports {
                self.changes.push((port, Change::Limit(changed.limit)));
            }
            if let Some(held) = self.limits.get_mut(port) {
                *held = changed.limit;
            }
            self.say(changed.place, &changed.words);
            if let Some(short) = &changed.short {
                self.say(changed.place, short);
            }
        }
    }

    /// A link, or a direction of it, goes down or up.
    fn turn(&mut self, link: LinkId, ways: &[Way], up: bool) {
        for way in ways {
            self.changes.push((port_of(link, *way), Change::Up(up)));
            self.say((link, *way), if up { "up" } else { "down" });
        }
    }

    /// Sets the key of a path that the language refuses and would have written in full, where that is refused here as well.
    fn set_in_full(
        &mut self,
        plane: &Plane<Tap>,
        source: &str,
        (path, value): (&str, &str),
        wanted: &[String],
    ) -> Result<(), String> {
        self.sets.pop();
        match in_full(&self.scenario, path) {
            Some(full) => {
                let text = format!("{full}={value}");
                self.set(plane, source, (text.as_str(), wanted))
            }
            None => Ok(()),
        }
    }

    /// One key of the scenario, of all that are `wanted`.
    fn set(
        &mut self,
        plane: &Plane<Tap>,
        source: &str,
        (text, wanted): (&str, &[String]),
    ) -> Result<(), String> {
        let set: Set = text.parse().map_err(|e| format!("{OPTION}: {e}"))?;
        let asked = set.value.clone();
        let set = match nothing(&set.path, &set.value) {
            Some(value) => Set::new(set.path, value),
            None => set,
        };
        let (path, value) = (set.path.clone(), set.value.clone());
        self.sets.push(set.of_option(OPTION, text));
        let name = source;
        let source = farpath_scenario::load(name).map_err(|e| e.to_string())?;
        let new = match farpath_scenario::parse(&source, &self.sets) {
            Ok(new) => new,
            Err(why) => {
                self.set_in_full(plane, name, (path.as_str(), asked.as_str()), wanted)?;
                return Err(nothing_to_set(&path).unwrap_or_else(|| why.to_string()));
            }
        };
        let earlier = &self.sets[..self.sets.len() - 1];
        let before = farpath_scenario::parse(&source, earlier).map_err(|e| e.to_string())?;
        let kept = kept(
            &source,
            &self.sets,
            [&before, &new],
            (path.as_str(), value.as_str()),
            wanted,
        );
        let new = present::over(&source, &self.sets, [&self.scenario, &before, &new]);
        if new == self.scenario {
            if kept.is_empty() {
                self.said.push_str(&format!("{path} is {asked} already\n"));
            }
            self.said.push_str(&kept);
            return Ok(());
        }
        let mut found = Vec::new();
        for (number, link) in new.links.iter().enumerate() {
            for way in [Way::Forward, Way::Reverse] {
                let n = usize::from(way == Way::Reverse);
                let old = &self.scenario.links[number].directions[n];
                let place = (LinkId(number), way);
                let changes = changes(plane, (&new, place), (old, &link.directions[n]), text);
                found.extend(changes.into_iter().map(|change| (place, change)));
            }
        }
        // Queues are compared when all is set.
        if found.is_empty() && queues(&new) == queues(&self.scenario) {
            let lab = &self.command;
            return Err(format!(
                "`{path}` stays as the lab was started with it: {}\n\
                 hint: `{lab} down`, then `{lab} up` with --set {path}={value}",
                why_not(&path, lab)
            ));
        }
        self.scenario = new;
        for (place, (what, change)) in found {
            self.changes.push((port_of(place.0, place.1), change));
            self.say(place, &what);
        }
        self.said.push_str(&kept);
        Ok(())
    }
}

/// What may wait in front of each direction of each link, as it is written.
fn queues(scenario: &Scenario) -> Vec<QueueLimit> {
    let ways = scenario.links.iter().flat_map(|l| &l.directions);
    ways.map(|way| way.queue).collect()
}

/// What takes away what a key adds to a path, where the value asks for that.
fn nothing(path: &str, value: &str) -> Option<&'static str> {
    let (_, key) = path.rsplit_once('.')?;
    let bare: String = value.chars().filter(|c| !"\"' ".contains(*c)).collect();
    let asks = ["none", "0", "0%", "0ms", "0s", "false", "{}"].contains(&bare.as_str());
    let value = match key {
        "jitter" => "{ max = \"0 ms\" }",
        "max" if path.ends_with(".jitter.max") => "0 ms",
        "reordering" => "{ share = \"0 %\", by = \"1 ms\" }",
        "duplication" | "corruption" => "{ share = \"0 %\" }",
        "loss" => "0 %",
        _ => return None,
    };
    asks.then_some(value)
}

/// Of a key set for both directions of a link, that a direction kept a value of its own: the same key, set for it alone, would make the
/// scenario another one. What is set for the direction by one of those `wanted` at once needs no word.
fn kept(
    source: &Source,
    sets: &[Set],
    [old, new]: [&Scenario; 2],
    (path, value): (&str, &str),
    wanted: &[String],
) -> String {
    let words: Vec<&str> = path.split('.').collect();
    let [link, name, keys @ ..] = &words[..] else {
        return String::new();
    };
    if *link != "link"
        || keys
            .first()
            .is_none_or(|k| ["forward", "reverse"].contains(k))
    {
        return String::new();
    }
    let key = keys.join(".");
    let mut said = String::new();
    let directions = |scenario: &Scenario| {
        let link = scenario.links.iter().find(|l| l.name == **name);
        link.map(|link| link.directions.clone())
    };
    let (Some(old), Some(set)) = (directions(old), directions(new)) else {
        return said;
    };
    for (n, way) in ["forward", "reverse"].into_iter().enumerate() {
        if old[n] != set[n] {
            continue;
        }
        let own = format!("link.{name}.{way}.{key}");
        let is_own = |text: &String| {
            text.split_once('=')
                .is_some_and(|(key, _)| key.trim() == own)
        };
        if wanted.iter().any(is_own) {
            continue;
        }
        // What may not be said of one direction is none's own.
        if present::stays((source, sets), new, Set::new(own.as_str(), value)) == Some(false) {
            said.push_str(&format!(
                "{name} {way} kept its own {key}: `{own}={value}` sets that\n"
            ));
        }
    }
    said
}

/// That a key which the scenario's language refuses is none that could be changed either: the language's own keys would not
/// help.
fn nothing_to_set(path: &str) -> Option<String> {
    let key = match path.split('.').collect::<Vec<_>>()[..] {
        ["link", name, way, key, ..] if KEYS.contains(&key) && !is_known(way) => {
            return Some(format!(
                "`{path}`: a link has no direction `{way}`\n\
                 hint: its directions are `forward`, from the first of its `ends` to the second, and `reverse`: \
                 link.{name}.forward.{key}, link.{name}.reverse.{key}"
            ));
        }
        ["link", _, "forward" | "reverse", key, ..] | ["link", _, key, ..] => key,
        _ => return None,
    };
    (!KEYS.contains(&key)).then(|| {
        let hint = match nearest(key, &KEYS) {
            Some(near) => format!("did you mean `{near}`?"),
            None => changeable(),
        };
        format!("`{path}`: a link has no `{key}` to be changed\nhint: {hint}")
    })
}

/// A path that begins with the name of something, such as `ocean.mtu`, with what that is in front: none where the path has it, or names a key
/// of a link that can be changed.
fn in_full(scenario: &Scenario, path: &str) -> Option<String> {
    let (head, below) = path.split_once('.')?;
    let is_named = |name: &String| name == head;
    let sections = [
        ("link", scenario.links.iter().map(|l| &l.name).any(is_named)),
        ("test", scenario.tests.iter().map(|t| &t.name).any(is_named)),
        ("host", scenario.hosts.iter().map(|h| &h.name).any(is_named)),
    ];
    if sections.iter().any(|(section, _)| *section == head) {
        return None;
    }
    let (section, _) = sections.iter().find(|(_, is_it)| *is_it)?;
    let mut keys = below.split('.');
    let key = keys.find(|key| !["forward", "reverse"].contains(key));
    let is_changeable = *section == "link" && key.is_some_and(|key| KEYS.contains(&key));
    (!is_changeable).then(|| format!("{section}.{path}"))
}

/// Whether this may stand behind a link's name.
fn is_known(word: &str) -> bool {
    KEYS.contains(&word) || ["forward", "reverse"].contains(&word)
}

/// Why a key cannot be changed of a link that is up, and what can be changed instead; `lab` begins commands.
fn why_not(path: &str, lab: &str) -> String {
    let keys: Vec<&str> = path.split('.').collect();
    let has = |key: &str| keys.contains(&key);
    if has("flap") {
        "the times of a link that goes down and up by itself count from the start of the lab; \
         `up=false` and `up=true` turn it off and on"
            .to_owned()
    } else if has("rate_trace") {
        "the file is followed from the start of the lab; `rate` sets a rate that stays".to_owned()
    } else if has("mtu") {
        format!(
            "interfaces, routes and the routers' answers are made for one MTU; inside a host, \
             `{lab} exec HOST -- ip link set eth0 mtu N` makes that of its interface smaller"
        )
    } else {
        changeable()
    }
}

/// `link.NAME.up=false`, or of one direction `link.NAME.forward.up=false`; nothing if it is another key.
fn up_or_down(
    scenario: &Scenario,
    text: &str,
    lab: &str,
) -> Result<Option<(LinkId, Vec<Way>, bool)>, String> {
    let Some((path, value)) = text.split_once('=') else {
        return Ok(None);
    };
    let parts: Vec<&str> = path.trim().split('.').collect();
    let (name, ways) = match parts[..] {
        ["link", name, "up"] => (name, vec![Way::Forward, Way::Reverse]),
        ["link", name, "forward", "up"] => (name, vec![Way::Forward]),
        ["link", name, "reverse", "up"] => (name, vec![Way::Reverse]),
        _ => return Ok(None),
    };
    let Some(number) = scenario.links.iter().position(|l| l.name == name) else {
        let known: Vec<&str> = scenario.links.iter().map(|l| l.name.as_str()).collect();
        return Err(format!(
            "{text}: there is no link `{name}`\nhint: the lab has {}",
            known.join(", ")
        ));
    };
    let flaps = |way: &Way| {
        let direction = scenario.links[number].direction(*way);
        direction.impairments.flap.is_some()
    };
    if ways.iter().any(flaps) {
        return Err(format!(
            "{text}: link `{name}` goes down and up by itself (`flap`), and a link has one or the other"
        ));
    }
    match value.trim() {
        "true" => Ok(Some((LinkId(number), ways, true))),
        "false" => Ok(Some((LinkId(number), ways, false))),
        other => Err(format!(
            "{text}: `up` is true or false, not `{other}`\nhint: {lab} set {}=false",
            path.trim()
        )),
    }
}

/// What is to be said where a change makes the frames that a path can have under way, which were `before` bytes, outgrow the
/// memory a lab was started with. What has outgrown it already was said then.
fn short_of_memory(set_aside: u64, before: u64, needed: u64) -> Option<String> {
    let missing = needed.saturating_sub(set_aside.max(before));
    (missing > needed / SHORT_PARTS).then(|| {
        let [has, needs] = apart(set_aside, needed);
        format!(
            "the lab was started with {has} MB of memory for what is under way, and this path can hold {needs} MB: what is more than \
             that waits in the hosts; start it with these values to have it all\n"
        )
    })
}

/// Less than one part in so many is not worth a word.
const SHORT_PARTS: u64 = 100;

/// Two amounts of bytes in MB, with as many decimals as show that they differ.
fn apart(a: u64, b: u64) -> [String; 2] {
    let written = |places: usize| [a, b].map(|bytes| format!("{:.places$}", bytes as f64 / 1e6));
    let differ = |[a, b]: &[String; 2]| a != b;
    (0..6)
        .map(written)
        .find(differ)
        .unwrap_or_else(|| written(6))
}

/// What changes of one direction of a link, in words and for its port.
fn changes(
    plane: &Plane<Tap>,
    (scenario, (link, way)): (&Scenario, (LinkId, Way)),
    (old, new): (&Direction, &Direction),
    text: &str,
) -> Vec<(String, Change)> {
    let mut changes = Vec::new();
    let wan = plane.wan();
    let port = port_of(link, way);
    if old.rate != new.rate {
        changes.push((format!("rate {}", new.rate), Change::Rate(new.rate)));
    }
    if old.delay != new.delay {
        changes.push((format!("delay {}", new.delay), Change::Delay(new.delay)));
    }
    if old.losses != new.losses {
        let losses = wan.losses(plane.scenario(), port, &new.losses, None);
        changes.push((lost(&new.losses), Change::Losses(losses)));
    }
    let (before, after) = (&old.impairments, &new.impairments);
    let single = before.jitter != after.jitter
        || before.reordering != after.reordering
        || before.duplication != after.duplication
        || before.corruption != after.corruption;
    if single || old.reorder != new.reorder {
        let line = Box::new(wan.line(scenario, port));
        let overtaking = new.reorder;
        let what = text.rsplit_once("link.").map_or(text, |(_, key)| key);
        let what = what.split_once('.').map_or(what, |(_, key)| key);
        changes.push((what.to_owned(), Change::Line { line, overtaking }));
    }
    changes
}

/// The causes of loss, in words.
fn lost(losses: &[Loss]) -> String {
    let one = |loss: &Loss| match loss {
        Loss::Bernoulli(ratio) => format!("loss {}", percent(*ratio)),
        Loss::EveryNth(n) => format!("loss of every {n}th frame of a flow"),
        Loss::BitError(ratio) => format!("bit errors {ratio:e}"),
        Loss::GilbertElliott { p, r, .. } => {
            let (into, out) = (percent(*p), percent(*r));
            format!("losses in bursts, {into} into and {out} out of them")
        }
        Loss::Scripted { test, segment, .. } => format!("loss of segment {segment} of `{test}`"),
    };
    match losses {
        [] => "no loss".to_owned(),
        some => some.iter().map(one).collect::<Vec<_>>().join(", "),
    }
}

/// A share of a hundred, to the millionth.
pub(super) fn percent(ratio: Ratio) -> String {
    format!("{} %", (ratio.get() * 1e8).round() / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_changed_is_named_with_its_reason() {
        for (path, words) in [
            ("link.wan.flap.up", "`up=false`"),
            ("link.wan.forward.rate_trace.file", "`rate` sets"),
            ("link.wan.mtu", "ip link set"),
            ("host.a.nic", "can be changed"),
        ] {
            let said = why_not(path, "farpath lab");
            assert!(said.contains(words), "{path}: {said}");
        }
    }

    /// What cannot be changed is not to be written in full first.
    #[test]
    fn a_path_without_its_section_is_tried_in_full_where_it_stays() {
        let source = Source {
            name: "one-path".to_owned(),
            text: one_path(""),
        };
        let scenario = farpath_scenario::parse(&source, &[]).expect("a scenario");
        for (path, full) in [
            ("path.mtu", Some("link.path.mtu")),
            ("path.forward.mtu", Some("link.path.forward.mtu")),
            ("t.bytes", Some("test.t.bytes")),
            ("a.nic", Some("host.a.nic")),
            ("path.delay", None),
            ("path.reverse.loss", None),
            ("path.up", None),
            ("link.path.mtu", None),
            ("other.mtu", None),
            ("mtu", None),
        ] {
            assert_eq!(in_full(&scenario, path).as_deref(), full, "{path}");
        }
    }

    #[test]
    fn a_direction_that_kept_its_own_value_is_named() {
        let source = |forward: &str| {
            let text = one_path(forward);
            Source {
                name: "one-path".to_owned(),
                text,
            }
        };
        let said_beside = |forward: &str, text: &str, wanted: &[String]| {
            let set: Set = text.parse().expect(text);
            let (path, value) = (set.path.clone(), set.value.clone());
            let source = source(forward);
            let old = farpath_scenario::parse(&source, &[]).expect("a scenario");
            let sets = [set];
            let new = farpath_scenario::parse(&source, &sets).expect("a scenario");
            kept(
                &source,
                &sets,
                [&old, &new],
                (path.as_str(), value.as_str()),
                wanted,
            )
        };
        let said = |forward: &str, text: &str| said_beside(forward, text, &[]);
        let own = "forward.delay = \"60ms\"";
        assert_eq!(
            said(own, "link.path.delay=10ms"),
            "path forward kept its own delay: `link.path.forward.delay=10ms` sets that\n"
        );
        let both = ["link.path.delay=10ms", "link.path.forward.delay=20ms"].map(str::to_owned);
        assert_eq!(said_beside(own, "link.path.delay=10ms", &both), "");
        assert_eq!(said(own, "link.path.rate=10Mbit/s"), "");
        assert_eq!(said(own, "link.path.reverse.delay=10ms"), "");
        assert_eq!(said(own, "link.path.delay=60ms"), "", "it is the same");
        assert_eq!(said("", "link.path.delay=10ms"), "");
    }

    /// A path of one link, with a line for one of its directions.
    fn one_path(forward: &str) -> String {
        format!(
            "[scenario]\nname = \"one-path\"\n[[host]]\nname = \"a\"\n[[host]]\nname = \"b\"\n[[link]]\nname = \"path\"\nends = [\"a\", \"b\"]\n\
             rate = \"20 Mbit/s\"\ndelay = \"40 ms\"\n{forward}\n[[test]]\nname = \"t\"\nkind = \"tcp\"\nfrom = \"a\"\nto = \"b\"\nduration = \"1 s\"\n"
        )
    }

    /// A list of all keys of the language would name those that cannot be set.
    #[test]
    fn a_key_that_no_link_has_is_answered_with_those_that_can_be_set() {
        for path in ["link.wan.foo", "link.wan.forward.foo", "link.wan.tap"] {
            let said = nothing_to_set(path).unwrap_or_default();
            assert!(said.contains(&changeable()), "{path}: {said}");
        }
        let said = nothing_to_set("link.wan.dealy").unwrap_or_default();
        assert!(said.contains("did you mean `delay`?"), "{said}");
        for path in ["link.sat.backward.loss", "link.sat.back.up"] {
            let said = nothing_to_set(path).unwrap_or_default();
            assert!(said.contains("a link has no direction `back"), "{said}");
            assert!(
                said.contains("`forward`") && said.contains("link.sat.reverse."),
                "{said}"
            );
        }
        for path in [
            "link.wan.delay",
            "link.wan.reverse.jitter.max",
            "host.a.nic",
        ] {
            assert_eq!(nothing_to_set(path), None, "{path}");
        }
    }

    #[test]
    fn short_memory_is_said_when_a_change_outgrows_it_and_not_again() {
        let said = |before, needed| short_of_memory(336_000_000, before, needed);
        assert_eq!(said(0, 336_000_000), None);
        let first = said(300_000_000, 379_000_000).expect("it outgrows");
        assert!(
            first.contains("with 336 MB") && first.contains("hold 379 MB"),
            "{first}"
        );
        assert_eq!(said(379_000_000, 379_000_000), None, "another key was set");
        assert_eq!(said(379_000_000, 340_000_000), None, "it has become less");
        assert!(said(379_000_000, 400_000_000).is_some());
        assert_eq!(said(0, 338_000_000), None, "hardly more");
        let near = short_of_memory(40_600_000, 0, 41_400_000).expect("it outgrows");
        assert!(
            near.contains("40.6 MB") && near.contains("41.4 MB"),
            "{near}"
        );
    }

    /// Whatever was added to a path is taken away by a word.
    #[test]
    fn what_was_added_is_taken_away_by_none() {
        let source = Source {
            name: "one-path".to_owned(),
            text: one_path(
                "jitter = { max = \"5 ms\" }\nloss = \"1 %\"\nduplication = { every = 10 }\ncorruption = { share = \"1 %\" }",
            ),
        };
        let add: Set = "link.path.reordering={ share = \"5 %\", by = \"9 ms\" }"
            .parse()
            .expect("a value");
        let mut sets = vec![add, Set::new("link.path.reorder", "false")];
        for (key, value) in [
            ("jitter", "none"),
            ("loss", "0"),
            ("reordering", "none"),
            ("duplication", "0 %"),
            ("corruption", "none"),
        ] {
            let path = format!("link.path.{key}");
            let nothing = nothing(&path, value).expect("it takes it away");
            sets.push(Set::new(path, nothing));
        }
        let left = farpath_scenario::parse(&source, &sets).expect("a scenario");
        for direction in &left.links[0].directions {
            assert_eq!(direction.impairments, Default::default());
            assert!(direction.losses.is_empty());
        }
        assert_eq!(nothing("link.path.jitter", "5ms"), None);
        assert_eq!(nothing("link.path.rate", "0"), None);
    }

    /// A lab that was started without jitter, one that was started with it, and 0 between values.
    #[test]
    fn jitter_is_set_again_after_none() {
        let max = |line: &str, wanted: &[&str]| {
            let source = Source {
                name: "one-path".to_owned(),
                text: one_path(line),
            };
            let of = |text: &&str| {
                let set: Set = text.parse().expect(text);
                match nothing(&set.path, &set.value) {
                    Some(value) => Set::new(set.path, value),
                    None => set,
                }
            };
            let sets: Vec<Set> = wanted.iter().map(of).collect();
            let read = farpath_scenario::parse(&source, &sets).expect("a scenario");
            let jitter = &read.links[0].directions[0].impairments.jitter;
            jitter.as_ref().map(|(delays, _)| delays.quantile(1.0, 1.0))
        };
        let five = Some(farpath_units::Duration::from_ms(5));
        let (some, own) = ("link.path.jitter.max=5ms", "jitter = { max = \"9 ms\" }");
        for none in [
            "link.path.jitter=0",
            "link.path.jitter=none",
            "link.path.jitter.max=0",
            "link.path.jitter.max=0ms",
        ] {
            for line in ["", own] {
                assert_eq!(max(line, &[none]), None, "{none}");
                assert_eq!(max(line, &[some, none]), None, "{none}");
                assert_eq!(max(line, &[some, none, some]), five, "{none}");
                assert_eq!(max(line, &[none, some]), five, "{none}");
            }
        }
    }

    #[test]
    fn what_is_lost_is_said_as_it_was_set() {
        let ratio = |r| Ratio::new(r).expect("a share");
        assert_eq!(lost(&[]), "no loss");
        assert_eq!(lost(&[Loss::Bernoulli(ratio(1.0))]), "loss 100 %");
        assert_eq!(lost(&[Loss::Bernoulli(ratio(1e-4))]), "loss 0.01 %");
        let two = [Loss::EveryNth(7), Loss::BitError(1e-9)];
        let words = "loss of every 7th frame of a flow, bit errors 1e-9";
        assert_eq!(lost(&two), words);
    }
}
