//! What is slow and not a transfer, in texts whose transfers have rates: look-ups of names, new connections, requests, IPv6, datagrams that a
//! program does not read, sessions without traffic.

use core::net::IpAddr;

use crate::cause::Cause;
use crate::document::FlowReport;
use crate::evidence::Evidence;
use crate::fact::Of;
use crate::flows::flow::{Flow, number};
use crate::missing::missing;
use crate::paths::pinged;
use crate::read::Facts;
use crate::read::queries::COUNT;
use crate::seen::End;
use crate::verdict::{Judged, observed};

/// Below this confidence nothing is said of it beside a transfer: most texts with a rate are about the rate. A choice, as those below.
const SAID: f64 = 0.6;

/// From this confidence on it stands before transfers that nothing holds back; and IPv6 is said to be down, of which pings alone say less.
const SURE: f64 = 0.8;

/// A transfer that fills this part of its line is not held back.
const FULL: f64 = 0.9;

/// What is slow and not a transfer, where a transfer has a rate and no flow says it already.
pub(crate) fn report(facts: &Facts, flows: &[Flow], reports: &[FlowReport]) -> Option<FlowReport> {
    if !may_show(facts) || !reports.iter().any(is_rated) {
        return None;
    }
    let mut flow = Flow::of(None, &End::default(), &End::default());
    flow.unrated = true;
    flow.pings = pinged::of_flow(facts, &flow);
    let judged = Judged::of(facts, &flow);
    let name = name(&judged)?;
    let least = match judged.cause() {
        Cause::Outage => SURE,
        _ => SAID,
    };
    let cause = judged.verdict.cause;
    let mut others = reports.iter().filter(|r| !is_rated(r));
    let known = others.any(|r| r.verdict.cause == cause);
    if judged.verdict.confidence < least || known || is_refuted(&judged, facts, flows, reports) {
        return None;
    }
    let ranking = &judged.weighed.ranking;
    let missing = missing(&judged.e, (facts, &flow), &judged.limits, ranking);
    let observed = observed(facts, &flow, &judged.e);
    let mut verdict = judged.verdict;
    // What transfers have already is not of this alone.
    let is_said = |text: &String| reports.iter().any(|r| r.verdict.because.contains(text));
    verdict.because.retain(|text| !is_said(text));
    Some(FlowReport {
        name: name.to_owned(),
        unrated: true,
        observed,
        streams: Vec::new(),
        ceilings: Vec::new(),
        missing,
        target: None,
        changes: judged.changes,
        verdict,
        verify: None,
    })
}

/// Whether what is slow and not a transfer comes first: it is sure, and nothing is known to hold the transfers back.
pub(crate) fn leads(reports: &[FlowReport]) -> bool {
    let is_sure = |r: &FlowReport| r.unrated && r.verdict.confidence >= SURE;
    reports.iter().any(is_sure) && reports.iter().all(|r| r.unrated || is_free(r))
}

/// Whether a transfer fills its line, got what was asked for, or is held by nothing that is known.
pub(crate) fn is_free(report: &FlowReport) -> bool {
    let free = [Cause::Link, Cause::None, Cause::Unknown];
    let free = free.iter().any(|c| c.name() == report.verdict.cause);
    let mut ceilings = report.ceilings.iter();
    let line = ceilings.find(|c| c.cause == Cause::Link.name());
    let both = line.zip(report.observed.goodput_bps);
    free || both.is_some_and(|(line, rate)| rate >= FULL * line.limit_bps)
}

fn is_rated(report: &FlowReport) -> bool {
    report.observed.goodput_bps.is_some_and(|rate| rate > 0.0)
}

/// Whether texts hold any sign of it, which is found sooner than weighed.
fn may_show(facts: &Facts) -> bool {
    let refused = &facts.refused;
    let late = refused.asked_again.is_some() || refused.timed_out.is_some();
    let full = refused.full_queue.is_some() || refused.table_full.is_some();
    let waits = facts.server_wait.is_some() || facts.names.decide() || facts.timed.is_some();
    let counted = || facts.facts.iter().any(|f| f.name == COUNT);
    let dropped = !facts.datagram_sockets.is_empty();
    let breaks = refused.session.is_some();
    breaks || late || full || waits || dropped || facts.shows_one_version() || counted()
}

/// What is slow, for people; none where the cause is of a transfer.
fn name(judged: &Judged<'_>) -> Option<&'static str> {
    let around = &judged.e.around;
    let requests = around.server_wait.is_some() || around.one_by_one.is_some();
    match judged.cause() {
        Cause::FullTable | Cause::AcceptQueue | Cause::ReversePath => Some("new connections"),
        Cause::NameLookup => Some("look-ups of names"),
        Cause::Application if requests => Some("requests"),
        Cause::SetUp if judged.e.request_trips().is_some() => Some("requests"),
        cause if judged.e.is_throttled_server(cause) => Some("requests"),
        Cause::Outage if around.one_version.is_some() => Some("connections by IPv6"),
        Cause::Client if around.overfull.is_some() => Some("reading of datagrams"),
        Cause::Middlebox if judged.e.idle_session.is_some() => Some("sessions without traffic"),
        _ => None,
    }
}

/// Whether transfers say otherwise: what the path loses delays answers, too, one went by IPv6 or has datagrams, or a socket shows the requests
/// by itself.
fn is_refuted(judged: &Judged<'_>, facts: &Facts, flows: &[Flow], reports: &[FlowReport]) -> bool {
    let address = |end: &End| end.host.parse::<IpAddr>().ok();
    let by_ipv6 = |end: &End| address(end).is_some_and(|a| a.to_canonical().is_ipv6());
    let any = |is: fn(&Evidence) -> bool| flows.iter().any(|f| is(&Evidence::of(facts, f)));
    let broken = [Cause::RandomLoss, Cause::Outage];
    let is_broken = |r: &FlowReport| broken.iter().any(|c| c.name() == r.verdict.cause);
    match judged.cause() {
        Cause::Outage => flows.iter().any(|f| by_ipv6(&f.from) || by_ipv6(&f.to)),
        // The full socket may be that of a test of datagrams, whose verdict has it.
        Cause::Client => any(|e| e.udp),
        Cause::Application if judged.e.around.one_by_one.is_some() => {
            any(|e| e.around.one_by_one.is_some())
        }
        Cause::Application | Cause::HostCpu => {
            let loses = |e: &Evidence| e.idle_loss.as_ref().is_some_and(|lost| lost.low > 0.0);
            reports.iter().any(is_broken) || any(loses) || loses_elsewhere(facts, flows)
        }
        _ => false,
    }
}

/// Whether pings were lost that are of no transfer's path: they may be of the way to the server.
fn loses_elsewhere(facts: &Facts, flows: &[Flow]) -> bool {
    let count = |n: u32, name: &'static str| number(facts, Of::Ping(n), name).map(|f| f.value);
    let is_lossy = |n: u32| {
        let both = count(n, "ping_sent").zip(count(n, "ping_received"));
        both.is_some_and(|(sent, received)| received < sent)
    };
    let is_taken = |n: u32| flows.iter().any(|f| f.pings.is_own(Of::Ping(n)));
    let mut all = 0..facts.pings.len() as u32;
    all.any(|n| !is_taken(n) && is_lossy(n))
}
