//! What Junos firewall filters and policers of an interface make of the link that ends there.

use farpath_config::junos::model::{
    Applied, Condition, Filter, Policer, Router as Junos, Side, Term, Unit,
};
use farpath_units::{Rate, Size};

use super::interface::is_of;
use super::known::Known;
use crate::decode::{At, Fields};
use crate::diagnostic::Diagnostic;
use crate::model::{Bound, Configuration, Link, Match, PoliceAction, PoliceRule, Rule, Scenario};
use crate::sections::{Tables, name_of};

/// Adds filters and policers of the interfaces of every Junos router among the files, where the
/// scenario writes none.
pub(super) fn apply(
    configuration: &Configuration,
    tables: &Tables,
    scenario: &mut Scenario,
    faults: &mut Vec<Diagnostic>,
) {
    // The tests themselves are made once the paths are there.
    let kind = |f: &Fields| f.get::<String>("kind");
    let pings = tables
        .tests
        .iter()
        .any(|f| kind(f).as_deref() == Some("ping"));
    for (router, number, side, name) in configuration.junos_ends(tables, scenario) {
        let mut at = Site {
            configuration,
            router,
            name: &name,
            f: &tables.links[number],
            side,
            pings,
            faults,
        };
        let link = &mut scenario.links[number];
        at.arrivals(link);
        at.departures(link);
    }
}

/// An interface of a router, and the link that ends there.
struct Site<'a> {
    configuration: &'a Configuration,
    router: &'a Junos,
    name: &'a At<String>,
    f: &'a Fields,
    side: usize,
    /// Whether any test meets a term of ICMP.
    pings: bool,
    faults: &'a mut Vec<Diagnostic>,
}

/// Labelled frames, by their bits.
fn labels() -> Vec<Match> {
    (0..8).map(Match::Exp).collect()
}

impl Site<'_> {
    fn says(&self, way: usize, key: &str) -> bool {
        let own = self.f.get::<Fields>(["forward", "reverse"][way]);
        self.f.has(key) || own.is_some_and(|o| o.has(key))
    }

    fn fault(&mut self, place: &farpath_config::Place, title: &str, help: &str) {
        let title = format!("{}: {title}", self.configuration.at(place));
        let d = Diagnostic::new(self.name.span(), title);
        self.faults.push(d.help(help.to_owned()));
    }

    fn arrivals(&mut self, link: &mut Link) {
        let way = 1 - self.side;
        if self.says(way, "mark") || self.says(way, "police") {
            return;
        }
        let rules = self.rules(link, way, Side::Input);
        let direction = &mut link.directions[way];
        let line = direction.reorder || !direction.impairments.is_none();
        if let (Some(at), true) = (self.applied(Side::Input).first(), line) {
            let title = format!(
                "`{}` of `{}` meets what arrives over link `{}`, whose frames may change their distance or order on the way",
                at.1.name.value,
                self.name.get_ref(),
                name_of(self.f)
            );
            let help =
                "a meter behind such a line is not simulated: put the impairment on another link";
            return self.fault(&at.1.name.place, &title, help);
        }
        direction
            .arrivals
            .extend(rules.into_iter().map(Rule::Police));
    }

    fn departures(&mut self, link: &mut Link) {
        let way = self.side;
        if self.says(way, "police") {
            return;
        }
        let rules = self.rules(link, way, Side::Output);
        link.directions[way].conditioning.policers.extend(rules);
    }

    /// The filters and policers of this interface for frames of one way, with their units.
    fn applied(&self, side: Side) -> Vec<(&'static str, Applied)> {
        let units = self.units();
        let all = units.iter().flat_map(|u| &u.conditioners);
        let all = all.filter(|a| a.side == side && a.family != "inet6");
        all.map(|a| (a.family, a.clone())).collect()
    }

    /// The units that the link's name of the interface stands for.
    fn units(&self) -> Vec<&Unit> {
        let written = self.name.get_ref();
        let ports = self.router.interfaces.iter();
        let named = ports.flat_map(|i| i.units.iter().map(move |u| (i, u)));
        let named = named.filter(|(i, u)| is_of(written, &format!("{}.{}", i.name, u.number)));
        named.map(|(_, unit)| unit).collect()
    }

    /// What is done with frames of one way, each of which meets the first that matches.
    fn rules(&mut self, link: &Link, way: usize, side: Side) -> Vec<PoliceRule> {
        let conditioned = self.units();
        let conditioned = conditioned.iter().filter(|u| {
            let mut all = u.conditioners.iter();
            all.any(|a| a.side == side && a.family != "inet6")
        });
        if conditioned.count() > 1 {
            let title = format!(
                "`{}` has units with filters of their own, and a link is one",
                self.name.get_ref()
            );
            let d = Diagnostic::new(self.name.span(), title);
            let help = "name the unit in `interfaces`, such as \"ge-1/1/0.591\"";
            self.faults.push(d.help(help));
            return Vec::new();
        }
        let applied = self.applied(side);
        let labelled = self.units().iter().any(|u| u.mpls.is_some());
        let mut rules = Vec::new();
        for (n, (family, at)) in applied.iter().enumerate() {
            if applied[..n].iter().any(|(other, _)| other == family) {
                let title = format!(
                    "family {family} of `{}` has a filter and a policer one way",
                    self.name.get_ref()
                );
                let help = "one meter behind another is not simulated: keep one of them, or write `police` on the link";
                self.fault(&at.name.place, &title, help);
                return Vec::new();
            }
            // Filters of inet and mpls count the packet, those of circuits the frame.
            let header = i32::try_from(link.framing.queue_bytes(0)).unwrap_or(0);
            let of = Family {
                name: family,
                overhead: if *family == "ccc" { 0 } else { -header },
                rate: link.directions[way].rate,
                labelled,
                pings: self.pings,
            };
            let found = match at.filter {
                true => self.filter(&of, at),
                false => self.policer(&of, at).into_iter().collect(),
            };
            rules.extend(found);
        }
        // A rule for datagrams leaves labelled frames alone.
        let only_inet = applied.iter().all(|(family, _)| *family == "inet");
        if labelled && only_inet && !rules.is_empty() {
            rules.push(passing("labels", labels()));
        }
        rules
    }

    /// A policer of the interface itself.
    fn policer(&mut self, of: &Family<'_>, at: &Applied) -> Option<PoliceRule> {
        let policer = self.defined(&at.name)?;
        let name = at.name.value.clone();
        self.metered(of, &policer, (name, of.matches(&Known::all())))
    }

    /// The policer of a name, or a fault.
    fn defined(&mut self, name: &farpath_config::junos::model::Stated<String>) -> Option<Policer> {
        let mut policers = self.router.policers.iter();
        let found = policers.find(|p| p.name.value == name.value).cloned();
        if found.is_none() {
            let title = format!("policer `{}` is not defined", name.value);
            let help = "define it under `firewall policer`, or take the reference out";
            self.fault(&name.place, &title, help);
        }
        found
    }

    /// A policer with its contract; none where it drops nothing.
    fn metered(
        &mut self,
        of: &Family<'_>,
        policer: &Policer,
        (name, matches): (String, Vec<Match>),
    ) -> Option<PoliceRule> {
        if !policer.discards {
            return Some(passing(&name, matches));
        }
        let share = policer.percent.as_ref().and_then(|p| {
            let bps = u128::from(of.rate.as_bps()) * u128::from(p.value) / 100;
            Rate::from_bps(u64::try_from(bps).ok()?)
        });
        let rate = policer.rate.as_ref().map(|r| r.value).or(share);
        let burst = policer.burst.as_ref().map(|b| b.value);
        let (Some(rate), Some(burst)) = (rate, burst) else {
            let title = format!("policer `{}` has no contract", policer.name.value);
            let help = "write `if-exceeding` with `bandwidth-limit` and `burst-size-limit`";
            self.fault(&policer.name.place, &title, help);
            return None;
        };
        Some(PoliceRule {
            rate,
            burst,
            overhead: of.overhead,
            actions: [PoliceAction::Pass, PoliceAction::Pass, PoliceAction::Drop],
            ..passing(&name, matches)
        })
    }

    /// The terms of a filter, and the discard that ends every filter.
    fn filter(&mut self, of: &Family<'_>, at: &Applied) -> Vec<PoliceRule> {
        let mut filters = self.router.filters.iter();
        let wanted = |f: &&Filter| f.family == of.name && f.name.value == at.name.value;
        let Some(filter) = filters.find(wanted).cloned() else {
            let title = format!(
                "filter `{}` of family {} is not defined",
                at.name.value, of.name
            );
            let help = format!("define it under `firewall family {} filter`", of.name);
            self.fault(&at.name.place, &title, &help);
            return Vec::new();
        };
        let mut rest = of.all();
        let mut rules = Vec::new();
        for term in &filter.terms {
            let mut known = match meeting(of, term) {
                Ok(known) => known,
                Err((place, what)) => {
                    let title = format!(
                        "term `{}` of filter `{}` asks for `{what}`, which is not simulated",
                        term.name, filter.name.value
                    );
                    let help = "frames are distinguished by `dscp`, `precedence` and `exp`; or write `police` on the link, which knows `protocol` and `test`";
                    self.fault(&place, &title, help);
                    return Vec::new();
                }
            };
            known.keep(&rest);
            rest.remove(&known);
            if known == Known::default() {
                continue;
            }
            let name = format!("{}-{}", filter.name.value, term.name);
            let matches = of.matches(&known);
            rules.extend(match (&term.policer, term.discards) {
                (_, true) => Some(discarding(&name, matches)),
                (Some(policer), false) => {
                    let found = self.defined(policer);
                    found.and_then(|p| self.metered(of, &p, (name, matches)))
                }
                (None, false) => Some(passing(&name, matches)),
            });
        }
        if rest != Known::default() {
            let name = format!("{}-discard", filter.name.value);
            rules.push(discarding(&name, of.matches(&rest)));
        }
        // Where nothing is measured and nothing dropped, there is nothing to do.
        let idle = |r: &PoliceRule| r.actions == [PoliceAction::Pass; 3];
        if rules.iter().all(idle) {
            rules.clear();
        }
        rules
    }
}

/// The frames a family's filters meet, and how they count them.
struct Family<'a> {
    name: &'a str,
    overhead: i32,
    rate: Rate,
    /// Labelled frames go over the interface, too.
    labelled: bool,
    /// Some of the frames are those of pings.
    pings: bool,
}

impl Family<'_> {
    /// Every frame of the family, as far as marks tell.
    fn all(&self) -> Known {
        match self.name {
            "inet" => Known::datagrams(),
            "mpls" => Known::labelled(),
            _ => Known::all(),
        }
    }

    fn matches(&self, known: &Known) -> Vec<Match> {
        let mut known = known.clone();
        known.keep(&self.all());
        match (self.name, self.labelled) {
            ("inet", true) | ("mpls", _) => known.listed(),
            _ => known.matches(),
        }
    }
}

/// The frames that meet a term, or the condition that nothing here can decide.
fn meeting(of: &Family<'_>, term: &Term) -> Result<Known, (farpath_config::Place, String)> {
    let mut known = of.all();
    for condition in &term.from {
        // Tests of TCP and UDP meet no term of another protocol; pings may.
        if condition.value.is_of_no_data() && !of.pings {
            return Ok(Known::default());
        }
        let one = match &condition.value {
            Condition::Protocol(_) => {
                return Err((condition.place.clone(), "protocol".to_owned()));
            }
            Condition::Dscp(all) => Known::of_dscps(all),
            Condition::Precedence(all) => Known::of_precedences(all),
            Condition::Exp(all) => Known::of_exps(all),
            Condition::Other(what) => return Err((condition.place.clone(), what.clone())),
        };
        if of.name == "ccc" {
            return Err((
                condition.place.clone(),
                "a field of the datagram".to_owned(),
            ));
        }
        known.keep(&one);
    }
    Ok(known)
}

/// A rule that lets frames pass and counts them; its contract is one that no frame exceeds.
fn passing(name: &str, matches: Vec<Match>) -> PoliceRule {
    PoliceRule {
        name: name.to_owned(),
        matches,
        rate: Rate::from_bps(1_000_000_000_000).expect("it is not zero"),
        burst: Size::from_bytes(1_000_000_000),
        bound: Bound::None,
        colour_aware: false,
        actions: [PoliceAction::Pass; 3],
        overhead: 0,
    }
}

/// A rule that drops frames.
fn discarding(name: &str, matches: Vec<Match>) -> PoliceRule {
    PoliceRule {
        actions: [PoliceAction::Drop; 3],
        ..passing(name, matches)
    }
}
