//! Links, and what they say of one direction or of both.

use core::ops::Range;

use farpath_predict::IpVersion;
use farpath_wire::FlowDir;

use super::line::Line;
use super::{Reader, is_within};
use crate::decode::Fields;
use crate::diagnostic::Diagnostic;
use crate::model::{LinkId, NodeId, Way as Side};
use crate::plan::port_of;
use crate::sections::name_of;
use crate::{queueing, table};

/// How fast and how far a direction is: that says something of a link on which nothing is sent, too.
const OF_DISTANCE: [&str; 5] = ["rate", "delay", "mtu", "reorder", "rate_trace"];

/// What one direction makes of the keys of a link.
struct Heard {
    /// A host sends: what is a router's work is not meant for it.
    host: bool,
    /// Some test's data go this way.
    data: bool,
    /// Keys it takes no notice of.
    unheard: Vec<Range<usize>>,
    /// What makes no difference to it.
    found: Vec<Diagnostic>,
}

impl Heard {
    fn agrees(&self, finding: &Diagnostic) -> bool {
        let Some(place) = finding.places.first().map(|p| &p.span) else {
            return false;
        };
        let within = |r: &Range<usize>| is_within(place, r);
        let same = |d: &Diagnostic| d.places.first().is_some_and(|p| p.span == *place);
        self.unheard.iter().any(within) || self.found.iter().any(same)
    }
}

/// Keys that say what a direction does to frames.
fn keys() -> impl Iterator<Item = &'static str> {
    let all = table::DIRECTION.keys.iter().map(|key| key.name);
    all.filter(|name| !OF_DISTANCE.contains(name))
}

impl Reader<'_> {
    pub(super) fn links(&mut self) {
        let tables = self.tables;
        for (number, f) in tables.links.iter().enumerate() {
            if !self.carries(number) {
                let title = format!(
                    "no test crosses link `{}`: none of its keys has an effect",
                    name_of(f)
                );
                let d = Diagnostic::new(f.span.clone(), title);
                let help = "give a test `via`, or ends that this link is between";
                self.found.push(d.help(help));
                continue;
            }
            self.interfaces(number, f);
            self.adjusted(number, f, ("adjust_mss", IpVersion::V4));
            self.adjusted(number, f, ("adjust_mss_ipv6", IpVersion::V6));
            let sides = [("forward", Side::Forward), ("reverse", Side::Reverse)];
            let heard = sides.map(|(key, side)| self.direction(number, side, f, f.get(key)));
            self.of_both(f, &heard);
            for (_, side) in sides {
                self.where_a_host_sends(number, side, f);
            }
        }
    }

    /// Whether some test's frames may cross a link, or another member of its bundle.
    pub(super) fn carries(&self, link: usize) -> bool {
        let mut bundles = self.scenario.bundles.iter();
        self.crossed.contains(&link) || bundles.any(|b| b.links.contains(&LinkId(link)))
    }

    fn interfaces(&mut self, number: usize, f: &Fields) {
        let ends = self.scenario.links[number].ends;
        if f.has("interfaces") && !ends.iter().any(|e| self.configured(*e)) {
            let why = "neither end has a configuration";
            self.say(
                f,
                "interfaces",
                why,
                "give a router its `config`, or remove it",
            );
        }
    }

    /// An MSS that no SYN over the link offers more than.
    fn adjusted(&mut self, number: usize, f: &Fields, (key, version): (&str, IpVersion)) {
        let Some(mss) = f.get::<i64>(key) else {
            return;
        };
        // What an MSS leaves out of a datagram (RFC 9293 §3.7.1).
        let headers = version.fixed_headers();
        let (plan, scenario) = (self.plan, self.scenario);
        let crosses = |flow: usize| {
            let there = FlowDir::forward(u16::try_from(flow).unwrap_or(0));
            let ways = [there, there.turned()].map(|dir| plan.walk(scenario, dir));
            let mut hops = ways.iter().flatten();
            hops.any(|hop| plan.ports[hop.port].link == LinkId(number))
        };
        let lowered = |flow: usize| {
            let offered = plan
                .datagram_of_ends(scenario, flow)
                .saturating_sub(headers);
            i64::from(offered) > mss
        };
        let mut flows = plan.flows.iter().enumerate();
        let acts = flows.any(|(flow, of)| {
            let test = scenario.tests.get(of.test);
            let is_offered = test.is_some_and(|t| t.version() == version && t.kind.tcp().is_some());
            is_offered && crosses(flow) && lowered(flow)
        });
        if !acts {
            let name = match version {
                IpVersion::V4 => "IPv4",
                IpVersion::V6 => "IPv6",
            };
            let why = format!("no SYN over {name} that crosses this link offers more");
            let help =
                format!("write {headers} less than the smallest MTU of the way, or remove it");
            self.say(f, key, &why, &help);
        }
    }

    /// Whether a router brings its configuration.
    fn configured(&self, node: NodeId) -> bool {
        let router = node.0.checked_sub(self.tables.hosts.len());
        let router = router.and_then(|r| self.tables.routers.get(r));
        router.is_some_and(|r| r.has("config"))
    }

    /// Finds what the keys of one direction do not do, and returns what it makes of those of both.
    fn direction(&mut self, number: usize, side: Side, f: &Fields, own: Option<Fields>) -> Heard {
        let port = port_of(LinkId(number), side);
        let host = !self.scenario.is_router(self.plan.ports[port].from);
        let mut heard = Heard {
            host,
            data: self.traffic.on(port).iter().any(|sort| sort.data),
            unheard: Vec::new(),
            found: Vec::new(),
        };
        if self.traffic.on(port).is_empty() {
            heard
                .unheard
                .extend(keys().filter(|k| f.has(k)).map(|k| f.place(k)));
            let mut said = own.iter().flat_map(|own| keys().filter(|k| own.has(k)));
            if let (Some(own), Some(key)) = (&own, said.next()) {
                let link = &self.scenario.links[number];
                let name = self.scenario.direction_name(LinkId(number), side);
                let title = format!(
                    "`{key}` has no effect: no test sends anything from {} on link `{}`",
                    name.replace('>', " to "),
                    link.name
                );
                let help = "write it for the other direction, or add a test that sends this way";
                self.found
                    .push(Diagnostic::new(own.place(key), title).help(help));
            }
            return heard;
        }
        let layers: Vec<&Fields> = own.iter().chain([f]).collect();
        let mut line = Line {
            reader: self,
            link: LinkId(number),
            side,
            port,
            layers: &layers,
            found: Vec::new(),
        };
        line.all();
        let found = line.found;
        for finding in found {
            // It stands in the link's own table unless it is in that of the direction.
            let place = finding.places.first().map(|p| &p.span);
            let of_own = own
                .iter()
                .zip(place)
                .any(|(own, place)| stands_in(own, place));
            match of_own {
                true => self.found.push(finding),
                false => heard.found.push(finding),
            }
        }
        let again = keys().filter(|k| own.as_ref().is_some_and(|own| own.has(k)));
        heard
            .unheard
            .extend(again.filter(|k| f.has(k)).map(|k| f.place(k)));
        heard
    }

    /// A router's work in the table of a link whose data a host sends: it acts the other way alone.
    fn where_a_host_sends(&mut self, number: usize, side: Side, f: &Fields) {
        let port = port_of(LinkId(number), side);
        let [from, to] = [&self.plan.ports[port].from, &self.plan.ports[port].to];
        let served = !self.scenario.is_router(*from) && self.scenario.is_router(*to);
        if !served || !self.traffic.on(port).iter().any(|sort| sort.data) {
            return;
        }
        let way = self.scenario.direction_name(LinkId(number), side);
        let other = match side {
            Side::Forward => "reverse",
            Side::Reverse => "forward",
        };
        for key in queueing::keys().filter(|key| f.has(key)) {
            let at = f.place(key);
            if self
                .found
                .iter()
                .any(|d| d.places.iter().any(|p| is_within(&p.span, &at)))
            {
                continue;
            }
            let title = format!(
                "`{key}` has no effect from {}: a host sends there, and this is a router's work",
                way.replace('>', " to ")
            );
            let help = format!(
                "put a [[router]] in between, or write it under `{other}`, the way it acts"
            );
            self.found.push(Diagnostic::new(at, title).help(help));
        }
    }

    /// Keys of a link that do nothing in either direction they are meant for.
    fn of_both(&mut self, f: &Fields, heard: &[Heard; 2]) {
        let routers: Vec<&'static str> = queueing::keys().collect();
        let of_router = |d: &Diagnostic| {
            let place = d.places.first().map(|p| p.span.clone()).unwrap_or_default();
            let within = |k: &&str| f.has(k) && is_within(&place, &f.place(k));
            routers.iter().any(within)
        };
        let mut done: Vec<Diagnostic> = Vec::new();
        for finding in heard.iter().flat_map(|h| &h.found) {
            // Points of a sweep compare what a queue does to data, not to acknowledgements.
            let of_data = self.is_point && finding.title.starts_with("`queue` has no effect");
            let meant = |h: &&Heard| !(h.host && of_router(finding)) && (h.data || !of_data);
            let all = heard.iter().filter(meant).all(|h| h.agrees(finding));
            let said = |d: &Diagnostic| d.places.first() == finding.places.first();
            let found_there = heard
                .iter()
                .filter(meant)
                .any(|h| h.found.contains(finding));
            if all && found_there && !done.iter().any(said) {
                done.push(finding.clone());
            }
        }
        self.found.append(&mut done);
        for key in keys().filter(|k| f.has(k)) {
            let place = f.place(key);
            let meant = |h: &&Heard| !(h.host && routers.contains(&key));
            let unheard = |h: &Heard| h.unheard.contains(&place);
            if heard.iter().filter(meant).all(unheard) {
                let why = "each direction has its own, or nothing to do with it";
                self.say(
                    f,
                    key,
                    why,
                    "remove it, or write it under `forward` or `reverse`",
                );
            }
        }
    }
}

/// Whether a place is in a key of a table, or in one of the tables that stand under it by themselves, as `[[link.forward.class]]` does.
fn stands_in(table: &Fields, place: &Range<usize>) -> bool {
    let tables = |key: &str| table.get::<Vec<Fields>>(key);
    let mut below = ["class", "drop", "mark", "police"]
        .into_iter()
        .filter_map(tables)
        .flatten();
    let mut keys = table.keys();
    keys.any(|key| is_within(place, &table.place(key)))
        || below.any(|f| f.span == *place || stands_in(&f, place))
}
