//! What is to be checked where nothing answers, or nobody listens: no test says more until that is mended.

use crate::asking::Asking;
use crate::cause::Cause;
use crate::document::MissingFact;
use crate::evidence::Evidence;
use crate::interfaces::dead_port::DeadPort;
use crate::programs::one_by_one::OneByOne;
use crate::programs::slow_login::SlowLogin;
use crate::reach::answered_twice::TWO_HOSTS;
use crate::reach::ip_versions::OneVersion;
use crate::reach::unopened::Unopened;
use crate::read::Facts;

/// Whether what is slow is explained, `first` by the likeliest cause, and nothing is left to ask.
pub(super) fn are_enough(e: &Evidence, first: Option<&Cause>) -> bool {
    match e.around.one_version.as_ref().map(OneVersion::asks) {
        Some(asks) => asks.is_empty(),
        None => {
            let opens = first == Some(&Cause::SetUp) && e.request_trips().is_some();
            let group = first.is_some_and(|cause| e.is_throttled_server(*cause));
            let group = group && e.asks_throttled_server().is_none();
            opens || group || first == Some(&Cause::Outage) || e.explains_waiting()
        }
    }
}

/// Whether a host says by itself what is wrong with it, and nothing was measured nor shows a cause, `first` the likeliest: what it says names its
/// commands, and no transfer is asked for.
pub(super) fn names_fault(e: &Evidence, first: Option<&Cause>) -> bool {
    let shows = first.is_some_and(|cause| e.shows_without_rate(*cause));
    let two = |said: &String| said.starts_with(TWO_HOSTS);
    let says = e.around.fault.is_some() || e.twice.as_ref().is_some_and(two);
    let settled = e.unopened.as_ref().is_some_and(Unopened::is_settled);
    e.rate.is_none() && (says || settled) && !shows
}

/// What to check; nothing where a rate was measured, or something answered and nothing was refused.
pub(super) fn of_answers(e: &Evidence, facts: &Facts, asking: &Asking) -> Vec<MissingFact> {
    if e.rate.is_some() {
        return e.asks_proxy().into_iter().collect();
    }
    if e.around.one_by_one.is_some() {
        return vec![OneByOne::asks()];
    }
    if let Some(long) = &e.around.long_requests {
        return vec![long.asks()];
    }
    if e.around.login.is_some() {
        return vec![SlowLogin::asks()];
    }
    if let Some(one) = &e.around.one_version {
        return one.asks();
    }
    if let Some(queue) = &e.around.accept_queue {
        return queue.asks();
    }
    if let Some(session) = &e.idle_session {
        return vec![session.asks()];
    }
    if let Some(asks) = before_data(e, facts, asking) {
        return asks;
    }
    if let Some(asks) = e.asks_throttled_server() {
        return vec![asks];
    }
    if let Some(waited) = &e.around.server_wait {
        return waited.asks();
    }
    if let Some(overfull) = &e.around.overfull {
        return overfull.asks();
    }
    if let Some(full) = &e.around.full_port {
        return full.asks();
    }
    if e.damage_loses_pings() {
        return e.asks_again(&[Cause::RandomLoss]).into_iter().collect();
    }
    if let Some(asks) = e.asks_air(asking).or_else(|| e.asks_request()) {
        return vec![asks];
    }
    let once = e.around.counted_once.as_ref();
    if let Some(asks) = e.asks_complaint().or_else(|| Some(once?.asks())) {
        return vec![asks];
    }
    let mut all: Vec<MissingFact> = of_silence(e, facts, asking);
    let unopened = e.unopened.as_ref();
    // A host that says how its ports are used up has said all that there is to ask.
    let said = |u: &&Unopened| u.is_portless() && e.around.fault.is_some();
    let asks = unopened.filter(|u| !said(u) && !u.is_settled());
    let asks = asks.map(|unopened| unopened.asks(asking));
    let asks = asks.or_else(|| e.failed_test.as_ref()?.asks(asking));
    let asks = asks.filter(|asks| {
        all.iter()
            .all(|other: &MissingFact| other.fact != asks.fact)
    });
    all.extend(asks);
    let known = unopened.is_some_and(Unopened::is_refused);
    if facts.refused.connection && !known {
        all.push(MissingFact {
            fact: "listening",
            would_decide: "whether anything listens on that port: a refused connection was answered, so that a host with this address was there, and nothing listened, or a firewall rejects"
                .to_owned(),
            command: format!("on {}: iperf3 -s, then ss -ltnp and nft list ruleset", asking.host),
        });
    }
    all
}

/// What is asked where a name, a filter or a full table holds connections up; none where none of them does.
fn before_data(e: &Evidence, facts: &Facts, asking: &Asking) -> Option<Vec<MissingFact>> {
    if let Some(names) = &e.around.names {
        return Some(names.asks().into_iter().collect());
    }
    if let Some(filter) = e.reverse_path.as_ref().filter(|f| f.is_tied()) {
        return Some(vec![filter.asks()]);
    }
    match &e.around.full_table {
        Some(table) => Some(table.asks().into_iter().collect()),
        None => on_the_way(e, facts, asking).map(|asks| vec![asks]),
    }
}

/// What is asked where a trace or a host itself says why nothing answers: a loop of routers, or a neighbour that is not found.
fn on_the_way(e: &Evidence, facts: &Facts, asking: &Asking) -> Option<MissingFact> {
    if let Some((looped, _)) = &e.around.looped {
        return Some(looped.asks());
    }
    if let Some((unseen, _)) = &e.around.unseen_syn {
        return Some(unseen.asks());
    }
    if let Some((lost, _)) = &e.around.lost_answers {
        return Some(lost.asks());
    }
    let refused = &facts.refused;
    let unreachable = refused.unreachable.is_some();
    if !e.answers_no_ping() && !unreachable {
        return None;
    }
    let own = crate::reach::barred::asks_own(facts, asking);
    let near = own.or_else(|| crate::reach::unresolved::asks(facts, asking));
    let said = near.or_else(|| crate::reach::barred::asks_way(facts, asking));
    said.or_else(|| {
        let by = refused.expired.as_ref().filter(|_| !unreachable)?;
        Some(MissingFact {
            fact: "reachable",
            would_decide: format!(
                "why nothing answers: {by} says that the time to live of a packet had ended there (RFC 792, time exceeded). It went round in a loop of routers, or its own was too small. No firewall gives this picture"
            ),
            command: asking.reaches(),
        })
    })
}

/// Why nothing answers, where nothing does.
fn of_silence(e: &Evidence, facts: &Facts, asking: &Asking) -> Vec<MissingFact> {
    let unreachable = &facts.refused.unreachable;
    if !e.answers_no_ping() && unreachable.is_none() {
        return Vec::new();
    }
    let dead = e.dead_port().map(DeadPort::asks);
    let answered = e.idle_loss.as_ref().is_some_and(|lost| lost.value < 1.0);
    let meant = match unreachable.as_deref() {
        Some("") if answered => "its pings are answered, so that a way leads there: the firewall of that host, or one before it, rejects what else is sent".to_owned(),
        Some("") => "the own host has no route to it, or a firewall rejects".to_owned(),
        Some(by) => format!(
            "{by} says that the host is unreachable: its network has no host with this address that answers (ARP, ND), or no way leads there"
        ),
        None if dead.is_some() => {
            "where that port is not on the way, a firewall that drops pings, or another link"
                .to_owned()
        }
        None => "a firewall that drops pings gives the same picture".to_owned(),
    };
    let reachable = MissingFact {
        fact: "reachable",
        would_decide: format!("why nothing answers: {meant}"),
        command: asking.reaches(),
    };
    dead.into_iter().chain([reachable]).collect()
}
