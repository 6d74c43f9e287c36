//! What a sender's kernel keeps of a path from connections before (`ip tcp_metrics`): where slow start of the next one ends.

use core::net::IpAddr;

use crate::ceiling::bps;
use crate::fact::Place;
use crate::flow::{Flow, alike};
use crate::known::SEGMENT;
use crate::pinged::names;
use crate::read::Facts;
use crate::route_metrics::addresses;

/// Most paths that are kept.
const PATHS_MAX: usize = 1000;

/// Slow start that ends at so many segments or more is worth no word. A choice.
const SEGMENTS_MANY: f64 = 100.0;

/// What a kernel keeps of the path to a peer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CachedPath {
    /// The name at the prompt of the host that keeps it, which may be empty.
    pub(crate) prompt: String,
    /// The peer.
    pub(crate) peer: IpAddr,
    /// Where slow start of the next connection ends, segments; none where nothing is kept.
    pub(crate) ssthresh: Option<f64>,
    /// The congestion window of a connection before, segments.
    pub(crate) cwnd: Option<f64>,
    /// Its round trip, seconds.
    pub(crate) rtt_s: Option<f64>,
    /// Where it was read.
    pub(crate) at: Place,
}

impl Facts {
    /// Adds what a kernel keeps of a path.
    pub(crate) fn keeps_path(&mut self, path: CachedPath) {
        if self.cached_paths.len() < PATHS_MAX {
            self.cached_paths.push(path);
        }
    }

    /// What the sender's kernel keeps of the path to the receiver, as it was read last. What the receiver printed is not the sender's.
    pub(crate) fn cached_path(&self, flow: &Flow) -> Option<&CachedPath> {
        let peers = addresses(self, flow, 1);
        let receiver = names(flow, 1);
        let of_receiver = |path: &CachedPath| receiver.iter().any(|name| alike(name, &path.prompt));
        let mut all = self.cached_paths.iter().rev();
        all.find(|path| peers.contains(&path.peer) && !of_receiver(path))
    }
}

/// That slow start ends early by what is kept, for each path of a flow.
pub(crate) fn notes(facts: &Facts, flows: &[Flow]) -> Vec<String> {
    let paths = flows.iter().filter_map(|flow| facts.cached_path(flow));
    let mut all: Vec<String> = paths.filter_map(|path| note(facts, path)).collect();
    all.dedup();
    all
}

fn note(facts: &Facts, path: &CachedPath) -> Option<String> {
    let segments = path.ssthresh.filter(|own| *own < SEGMENTS_MANY)?;
    let rate = path.rtt_s.filter(|rtt| *rtt > 0.0);
    let rate = rate.map_or_else(String::new, |rtt| {
        format!(", {}", bps(8.0 * SEGMENT * segments / rtt))
    });
    let peer = path.peer;
    Some(format!(
        "{}: the kernel keeps `ssthresh {segments:.0}` of the path to {peer}, from losses of a connection before: slow start of the next one ends at {segments:.0} segments{rate}, and its window grows slowly from there. ip tcp_metrics delete {peer} forgets it; sysctl -w net.ipv4.tcp_no_metrics_save=1 keeps none (to undo, =0)",
        facts.place(path.at)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seen::End;

    fn facts(ssthresh: Option<f64>, prompt: &str) -> Facts {
        let mut facts = Facts::default();
        facts.source("a.txt");
        facts.keeps_path(CachedPath {
            prompt: prompt.to_owned(),
            peer: "203.0.113.77".parse().expect("an address"),
            ssthresh,
            cwnd: None,
            rtt_s: Some(0.28125),
            at: Place::Line(0, 9),
        });
        facts
    }

    fn flow(to: &str) -> Flow {
        let end = |host: &str| End {
            host: host.to_owned(),
            port: None,
        };
        Flow::of(None, &end("192.0.2.10"), &end(to))
    }

    #[test]
    fn a_kept_threshold_of_few_segments_is_noted_of_its_own_path() {
        let said = notes(&facts(Some(14.0), "lon1"), &[flow("203.0.113.77")]);
        assert_eq!(said.len(), 1);
        assert!(said[0].contains("ends at 14 segments"), "{said:?}");
        for (facts, flow) in [
            (facts(Some(14.0), "lon1"), flow("203.0.113.78")),
            (facts(Some(900.0), "lon1"), flow("203.0.113.77")),
            (facts(None, "lon1"), flow("203.0.113.77")),
        ] {
            assert!(notes(&facts, &[flow]).is_empty(), "{facts:?}");
        }
    }
}
