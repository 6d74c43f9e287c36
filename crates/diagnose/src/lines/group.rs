//! Links side by side of which each connection takes one: groups of ports (LAG, LACP, bonds) and routes of equal cost (ECMP).
//!
//! Such a group carries many connections at the sum of its members, and one at the rate of a single member. It shows in ports of a router
//! that are full beside one that is not, or in connections of one test whose rates add up, some here and some there, to what a port of a
//! usual speed leaves.

use crate::cause::Cause;
use crate::ceiling::{self, Limit, bps, payload_share};
use crate::evidence::Evidence;
use crate::fact::{Figure, Of, Place};
use crate::flows::flow::{Flow, number, word};
use crate::interfaces::bundle::by_last_member;
use crate::items::{Item, JUMBO, of, step};
use crate::lines::lower_port::SPEEDS;
use crate::lines::named_speed::named_speed;
use crate::losses::member::Struck;
use crate::paths::around::PORT;
use crate::ports::{self, Kind, Port};
use crate::read::Facts;
use crate::seen::Test;

/// A group of links, and which of its members are full.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// Speed of a member, bit/s.
    speed: Figure,
    /// Size of segments that the members' rates were taken to be of, bytes.
    mss: f64,
    /// How many members are full.
    full: f64,
    /// The router whose ports they are; empty where connections alone show them.
    pub(crate) router: String,
    /// What shows them.
    sentence: String,
    /// How surely, decibans.
    weight: f64,
    /// What others of the texts have of the full ones, bit/s.
    others: f64,
    /// What the full ones dropped, and the segments that were sent again, where both were counted.
    dropped: Option<(String, f64, f64)>,
}

impl Group {
    /// Whether a router's ports show it.
    pub(crate) fn is_seen(&self) -> bool {
        self.weight > SURE
    }
}

/// A port of a router that may be a member.
struct Member {
    port: Port,
    speed: Figure,
    carried: Figure,
    dropped: f64,
}

/// A port that carries this part of its speed is full: headers that its counters leave out are the rest.
const FULL: f64 = 0.94;

/// A member that carries less than this part of its speed has room.
const ROOM: f64 = 0.7;

/// A full member carries little else than the flow where the flow has this part of what is carried.
const OWN: f64 = 0.7;

/// What connections on one member add up to, of what it leaves: their start takes a part.
const ADDS_UP: [f64; 2] = [0.93, 1.015];

/// The same of a connection that has a member for itself.
const ALONE: [f64; 2] = [0.96, 1.012];

/// Connections on one member share it: the slowest has this part less than the fastest at most.
const ALIKE: f64 = 0.2;

/// Where three connections share a member and two another, rates differ by half.
const SHARED: f64 = 1.4;

/// Connections whose rates differ by so many times are hardly limited by the same.
const UNEQUAL: f64 = 1.8;

/// Slower ports are in no group today, bit/s.
pub(crate) const SLOWEST: f64 = 1e9;

/// A flow needs a line so many times as fast as a member for the member to be one of several.
const SEVERAL: f64 = 1.5;

/// Ports that show it weigh more than this, decibans.
const SURE: f64 = 25.0;

/// Most that is said of a group that no port shows. A choice, and no measurement.
const SUSPECTED: f64 = 0.85;

/// From this speed on a port is often one of several, bit/s.
pub(crate) const MEMBERS: f64 = 10e9;

/// What a line is called that is a member of a host's bond.
pub(crate) const MEMBER: &str = "a member of a host's bond";

/// The same of the one that carries everything, while the others wait.
pub(crate) const ACTIVE: &str = "the active member of a host's bond";

impl Evidence {
    /// Links side by side that texts show.
    pub(crate) fn of_group(&mut self, facts: &Facts, flow: &Flow) {
        self.around.each = each(facts, flow);
        self.around.others = flow.shared.others;
        self.around.struck = Struck::of(flow, self);
        self.of_bond(facts, flow);
        self.around.group = by_ports(self, facts).or_else(|| by_connections(self));
        self.of_last_member(facts);
    }

    /// A host's bond gives a connection one member. Hashed without ports it gives all between two hosts the same, as one with members that
    /// only wait does.
    fn of_bond(&mut self, facts: &Facts, flow: &Flow) {
        for host in flow.senders.iter().chain(&flow.receivers) {
            let host = Of::Host(*host);
            if let Some(speed) = number(facts, host, "bond_active_bps") {
                let line = self.line.as_ref();
                if line.is_none_or(|(l, _)| speed.value < l.value) {
                    self.line = Some((speed.clone(), ACTIVE));
                }
            }
            let Some(speed) = number(facts, host, "bond_member_bps") else {
                continue;
            };
            let hashed = word(facts, host, "bond_hash").map(|(policy, _)| by_port(policy));
            let one = self.streams <= 1.0 || hashed == Some(false);
            let slower = self.line.as_ref().is_none_or(|(l, what)| {
                speed.value < l.value && (*what == PORT || self.streams <= 1.0)
            });
            if one && slower && hashed.is_some() {
                self.line = Some((speed.clone(), MEMBER));
            }
        }
    }

    /// The most that is said of a line that only connections show to be a member of a group, or a slower port that may be one.
    pub(crate) fn member_at_most(&self) -> f64 {
        match &self.around.group {
            Some(group) if group.is_seen() => 1.0,
            Some(_) => SUSPECTED,
            None if self.lower_port().is_some_and(|speed| speed >= MEMBERS) => {
                match self.counted_else.wider {
                    Some((_, times)) if times > 1.6 => 1.0,
                    _ => SUSPECTED,
                }
            }
            None => 1.0,
        }
    }

    /// How many times the slowest connection of a test the fastest one got.
    fn inequality(&self) -> f64 {
        match self.around.each[..] {
            [first, .., last] => first / last.max(1.0),
            _ => 1.0,
        }
    }
}

/// Whether a hash policy of Linux goes by ports.
pub(crate) fn by_port(policy: &str) -> bool {
    policy.ends_with("3+4")
}

/// The rates of connections side by side, the fastest first, bit/s.
fn each(facts: &Facts, flow: &Flow) -> Vec<f64> {
    let of_test = flow.test.as_ref().map_or(&[][..], Test::each);
    let mut all: Vec<f64> = of_test.iter().map(|r| r.value).collect();
    if flow.test.is_none() && flow.sockets.len() > 1 {
        let rate = |n: &u32| {
            let get = |name| number(facts, Of::Socket(*n), name).map(|f| f.value);
            Some(get("bytes_acked")? * 8e9 / get("busy_ns").filter(|b| *b > 0.0)?)
        };
        all = flow.sockets.iter().filter_map(rate).collect();
    }
    all.sort_by(|a, b| b.total_cmp(a));
    all.truncate(EACH_MAX);
    all
}

/// Most connections that are compared.
const EACH_MAX: usize = 256;

/// Ports of one router and speed: some are full of this flow, alone or with others of the texts, and others are not, or it needs several.
fn by_ports(e: &Evidence, facts: &Facts) -> Option<Group> {
    let rate = e.settled()?;
    let line = e.line.as_ref().map_or(f64::INFINITY, |(l, _)| l.value);
    let ways = [Kind::Leaves, Kind::Arrives].map(|way| members(facts, way));
    let all = ways.into_iter().find(|all| all.iter().any(is_full))?;
    let first = all.iter().find(|m| is_full(m))?;
    let same =
        |m: &&Member| m.port.router == first.port.router && m.speed.value == first.speed.value;
    let group: Vec<&Member> = all.iter().filter(same).collect();
    let full: Vec<&Member> = group.iter().copied().filter(|m| is_full(m)).collect();
    let mut roomy: Vec<&Member> = group.iter().copied().filter(|m| has_room(m)).collect();
    let joined = |m: &&Member| facts.are_of_one_channel(&first.port, &m.port);
    let known = roomy.iter().any(joined);
    if known {
        roomy.retain(joined);
    }
    let carried: f64 = full.iter().map(|m| m.carried.value).sum();
    let together = e.fills_with_others(carried);
    let own = rate.value / payload_share(e.mss) / carried;
    // One full port beside another is a group only where more than one port is known to be meant.
    let several = full.len() > 1 || !roomy.is_empty() && line.is_finite();
    let is_one = known || several && line >= SEVERAL * first.speed.value;
    let fills = together || own >= OWN;
    if !is_one || !fills || full.len() as f64 > e.streams {
        return None;
    }
    let others = if together { e.around.others } else { 0.0 };
    Some(Group {
        speed: first.speed.clone(),
        mss: if e.mss_said { e.mss } else { JUMBO },
        full: full.len() as f64,
        router: first.port.router.clone(),
        sentence: of_ports(&full, &roomy, first) + &of_others(others),
        weight: 26.0,
        others,
        dropped: dropped(e, &full),
    })
}

fn is_full(m: &Member) -> bool {
    m.carried.value > FULL * m.speed.value
}

fn has_room(m: &Member) -> bool {
    m.carried.value < ROOM * m.speed.value
}

/// The speeds that names of ports say which carry no more than that, and of which no text prints a speed.
fn by_names<'c>(
    facts: &Facts,
    carried: &'c [ports::Counted],
) -> impl Iterator<Item = (&'c Port, Figure)> {
    let printed = ports::counts(facts, Kind::Speed);
    carried.iter().filter_map(move |c| {
        let speed = named_speed(&c.port.name)?;
        let open = printed.iter().all(|p| p.port != c.port);
        let at = c.count.from.first().copied()?;
        let fits = open && c.count.value <= ports::STATED * speed;
        fits.then_some((&c.port, Figure::exact(speed, at)))
    })
}

/// Ports of which both are known, the speed and what they carry one way.
fn members(facts: &Facts, way: Kind) -> Vec<Member> {
    let speeds = ports::speeds(facts);
    let [carried, dropped] = [way, Kind::Dropped].map(|kind| ports::counts(facts, kind));
    let of = |all: &[ports::Counted], port: &Port| {
        let found = all.iter().find(|c| c.port == *port);
        found.map(|c| c.count.clone())
    };
    let member = |(port, speed): (&Port, Figure)| {
        Some(Member {
            port: port.clone(),
            speed,
            carried: of(&carried, port)?,
            dropped: of(&dropped, port).map_or(0.0, |d| d.value),
        })
    };
    let named = speeds.iter().filter(|s| !s.port.name.is_empty());
    let stated = named.map(|s| (&s.port, s.count.clone()));
    let all = stated.chain(by_names(facts, &carried));
    all.filter_map(member).collect()
}

/// Which are full, and which are not.
fn of_ports(full: &[&Member], roomy: &[&Member], first: &Member) -> String {
    let rates = |all: &[&Member]| listed(all.iter().map(|m| bps(m.carried.value)));
    let at = match first.port.router.is_empty() {
        true => String::new(),
        false => format!(" of {}", first.port.router),
    };
    let idle = match roomy {
        [] => String::new(),
        _ => format!(", {} has room ({})", names(roomy), rates(roomy)),
    };
    format!(
        "{}{at} {} full ({} of {}){idle}",
        names(full),
        if full.len() > 1 { "are" } else { "is" },
        rates(full),
        bps(first.speed.value)
    )
}

/// What others of the texts have of full ports, counted with all headers, bit/s.
fn of_others(bps: f64) -> String {
    match bps > 0.0 {
        true => format!(
            ": this flow, and others of these texts with {} of it, are all that is carried there",
            ceiling::bps(bps)
        ),
        false => String::new(),
    }
}

fn names(all: &[&Member]) -> String {
    listed(all.iter().map(|m| m.port.name.clone()))
}

/// `a, b and c`; of many the first.
fn listed(words: impl Iterator<Item = String>) -> String {
    let all: Vec<String> = words.collect();
    match &all[..] {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] if all.len() <= NAMED_MAX => {
            format!("{} and {last}", first.join(", "))
        }
        _ => format!(
            "{} and {} more",
            all[..NAMED_MAX].join(", "),
            all.len() - NAMED_MAX
        ),
    }
}

/// Most ports, or rates, that a sentence names.
const NAMED_MAX: usize = 6;

/// What full members dropped beside what was sent again.
fn dropped(e: &Evidence, full: &[&Member]) -> Option<(String, f64, f64)> {
    let again = e.retransmits.as_ref().filter(|a| !e.udp && a.value > 0.0)?;
    let some: Vec<&Member> = full.iter().copied().filter(|m| m.dropped > 0.0).collect();
    let all: f64 = some.iter().map(|m| m.dropped).sum();
    (all > 0.0).then(|| (names(&some), all, again.value))
}

/// Connections that add up to what members of a usual speed leave, here one and there several.
fn by_connections(e: &Evidence) -> Option<Group> {
    let each = &e.around.each;
    let line = e.line.as_ref().map_or(f64::INFINITY, |(l, _)| l.value);
    if e.udp || e.inequality() < SHARED {
        return None;
    }
    let speeds = SPEEDS.into_iter().rev();
    let speeds = speeds.filter(|s| *s >= SLOWEST && SEVERAL * s <= line);
    let tried = speeds.flat_map(|speed| e.segments(speed).map(move |mss| (speed, mss)));
    let found = tried.filter_map(|(speed, mss)| {
        let shares = shares(each, speed * payload_share(mss))?;
        let all = shares.iter().sum::<usize>() == each.len();
        let alone = shares[0] == 1;
        // One alone says something only where the line is known to carry more.
        let one = alone && line.is_finite() && e.inequality() >= UNEQUAL;
        let enough = shares.len() > 1 && all || one;
        enough.then_some((speed, mss, shares, all))
    });
    let (speed, mss, shares, all) =
        found.max_by_key(|(_, _, shares, _)| shares.iter().sum::<usize>())?;
    let weight = match (all, shares.len()) {
        (true, 2..) => 20.0,
        (_, 2..) => 15.0,
        _ => 9.0,
    };
    let counts = listed(shares.iter().map(usize::to_string));
    let sentence = match shares.len() {
        1 => format!(
            "the fastest of them has just what {} leaves for payload",
            bps(speed)
        ),
        n => format!(
            "{counts} of them add up to what {} leaves for payload: {n} full links of that speed",
            bps(speed)
        ),
    };
    let at = e.rate.as_ref().and_then(|r| r.from.first()).copied();
    Some(Group {
        speed: Figure::exact(speed, at.unwrap_or(Place::You)),
        mss,
        full: shares.len() as f64,
        router: String::new(),
        sentence,
        weight,
        others: 0.0,
        dropped: None,
    })
}

/// How many connections, the fastest first, fill each of several members that leave this rate; none where not even the fastest do.
fn shares(each: &[f64], leaves: f64) -> Option<Vec<usize>> {
    let mut all = Vec::new();
    let mut rest = each;
    while let [first, ..] = rest {
        let count = ((leaves / first).round() as usize).clamp(1, rest.len());
        // One more or less than the fastest would have it: they share within some tenths.
        let fits = |n: &usize| {
            let [least, most] = if *n == 1 { ALONE } else { ADDS_UP };
            let sum: f64 = rest[..*n].iter().sum();
            let alike = rest[*n - 1] > (1.0 - ALIKE) * first;
            alike && sum > least * leaves && sum < most * leaves
        };
        let near = [count, count + 1, count.saturating_sub(1)];
        let Some(n) = near
            .into_iter()
            .filter(|n| (1..=rest.len()).contains(n))
            .find(fits)
        else {
            break;
        };
        all.push(n);
        rest = &rest[n..];
    }
    (!all.is_empty()).then_some(all)
}

impl Group {
    /// What the members that are full leave together.
    pub(crate) fn ceiling(&self) -> Limit {
        let share = payload_share(self.mss);
        // What others of the texts have is theirs.
        let own = self.full * (1.0 - self.others / (self.full * self.speed.value)).max(0.0);
        let mut rate = self.speed.times(own * share);
        rate.low = self.speed.low * own * share * 0.93;
        rate.high = self.speed.high * own * share.max(0.991);
        let members = match self.full {
            1.0 => "a full member".to_owned(),
            n => format!("{n} full members"),
        };
        let formula = format!(
            "{members} of a group of links, each {} · {share:.3} of payload{}",
            bps(self.speed.value),
            match self.others > 0.0 {
                true => format!(", without the {} of other flows here", bps(self.others)),
                false => String::new(),
            }
        );
        ceiling::limit(Cause::Link, rate, formula)
    }
}

/// What a group of links does with connections, for people.
const HASHED: &str = "a group of links (LAG, ECMP) gives each connection one member, by a hash of its addresses: more connections, or a hash that takes their ports, too, spread better, and no setting of a host gives one more than its member";

/// What a group of links says, and what of connections that differ is all that is known.
pub(crate) fn by_group(e: &Evidence, items: &mut Vec<Item>) {
    by_last_member(e, items);
    let unequal = e.inequality() >= UNEQUAL;
    let spread = format!(
        "{} connections side by side got {} each",
        e.around.each.len(),
        ceiling::span(
            e.around.each.last().copied().unwrap_or(0.0),
            e.around.each.first().copied().unwrap_or(0.0)
        )
    );
    let Some(group) = &e.around.group else {
        // Where some alone lose, that is why they differ.
        let open = unequal && !e.udp && e.struck().is_none();
        items.push(Item {
            holds: if open { 1.0 } else { 0.0 },
            weights: Vec::new(),
            sentence: format!("{spread}: not all are limited by the same, or a group of links (LAG, ECMP) hashes more of them to one member than to another"),
        });
        return of_member(e, items);
    };
    let losses = [
        Cause::RandomLoss,
        Cause::CongestionLoss,
        Cause::ShallowBuffer,
    ];
    let others = vec![(Cause::Policer, -16.0), (Cause::Link, group.weight)];
    items.push(Item {
        holds: 1.0,
        weights: [of(&losses, -10.0), others].concat(),
        sentence: match e.inequality() >= SHARED {
            true => format!("{spread}; {}", group.sentence),
            false => group.sentence.clone(),
        },
    });
    items.push(Item {
        holds: 1.0,
        weights: vec![(Cause::Link, 1.0)],
        sentence: HASHED.to_owned(),
    });
    if let Some((ports, dropped, again)) = &group.dropped {
        items.push(Item {
            holds: step(dropped / again, 0.2, 0.7),
            weights: vec![(Cause::Link, 8.0), (Cause::Policer, -12.0), (Cause::RandomLoss, -6.0)],
            sentence: format!(
                "{ports} dropped {dropped:.0} packets, and {again:.0} segments were sent again: these were lost where a member is full"
            ),
        });
    }
}

/// A connection alone that fills a port of a lower speed, where several carried more: what it fills is one of several members.
fn of_member(e: &Evidence, items: &mut Vec<Item>) {
    let (Some(speed), Some((streams, rates))) = (e.lower_port(), e.counted_else.wider) else {
        return;
    };
    items.push(Item {
        holds: step(rates, 1.2, 1.6),
        weights: vec![(Cause::Link, 20.0)],
        sentence: format!(
            "{streams:.0} times the connections carried {rates:.1} times as much, more than {}: it is one member of a group of links, which takes each connection to one",
            bps(speed)
        ),
    });
}
