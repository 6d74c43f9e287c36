//! What a full port's scheduler leaves connections in several of its classes.

use farpath_predict::served::{Stream, parts};

use super::{EqualShare, ROUNDING, Rival, is_beside};
use crate::forecast::Path;
use crate::model::Test;

/// What a class is served that has nothing but what rounding leaves, bit/s.
const NOTHING_BPS: f64 = 1.0;

/// Connections of one class of a port.
struct Group {
    streams: f64,
    /// Payload of each, bit/s.
    each_bps: f64,
}

impl Rival<'_, '_> {
    /// The frames of all its connections as they come to a port.
    fn stream(&self, port: usize) -> Stream {
        let (len, payload) = self.size;
        let frames_s = self.most_bps * self.streams / 8.0 / f64::from(payload.max(1));
        self.path.stream_at(port, len, frames_s)
    }
}

impl Path<'_> {
    /// What a port's scheduler leaves the first of some tests, where nothing but this port is full of them and they are in several of its classes;
    /// `None` where that is not so, or not known.
    pub(super) fn class_share(
        &self,
        all: &[(usize, &Path<'_>)],
        rivals: &[Rival<'_, '_>],
    ) -> Option<EqualShare> {
        let port = only_full(rivals)?;
        let is_known = in_classes(port, rivals)
            && self.serves_evenly(port)
            && self.line_taken_bps(port) <= 0.0;
        let queueing = self.queueing(port).filter(|_| is_known)?;
        let streams: Vec<Stream> = rivals.iter().map(|r| r.stream(port)).collect();
        let mut classes = vec![Vec::new(); queueing.classes.len()];
        for (n, rival) in rivals.iter().enumerate() {
            classes[rival.path.class_number(port)?].push(n);
        }
        let turns = self.class_turns(port, queueing, &streams, &classes)?;
        let parts = parts(&streams, &turns.tiers);
        let group = |members: &[usize]| {
            let all_of = |n: &usize| rivals[*n].most_bps * rivals[*n].streams;
            let streams: f64 = members.iter().map(|n| rivals[*n].streams).sum();
            let served: f64 = members.iter().map(|n| parts[*n] * all_of(n)).sum();
            Group {
                streams,
                each_bps: served / streams,
            }
        };
        let test = |n: usize| (&self.scenario.tests[all[n].0], all[n].1);
        let (own, _) = test(0);
        for members in &classes {
            let group = group(members);
            let fills = |n: &usize| {
                let (other, path) = test(*n);
                is_beside(own, other) && path.fills_class(other, port, &group)
            };
            if !members.iter().all(fills) {
                return None;
            }
        }
        let class = self.class_number(port)?;
        let mates = &classes[class];
        let group = group(mates);
        // Only such as are alike have equal shares of their class.
        let shared = self.sharing(own, port, group.streams, group.each_bps)?;
        let alike = |n: &usize| {
            let (other, path) = test(*n);
            path.goes_by_losses(other) && self.is_like((own, &shared), other, path)
        };
        let is_known = mates.len() == 1 || mates.iter().all(alike);
        is_known.then(|| EqualShare {
            of_alone: Some(group.each_bps / rivals[0].most_bps),
            words: format!(
                "tests in several classes fill {}, which serves them {}: the forecast is what that leaves class `{}`",
                self.port_name(port),
                turns.words,
                queueing.classes[class].name
            ),
        })
    }

    /// Whether a test's connections take all that a port serves of their class, until its time is over.
    fn fills_class(&self, test: &Test, port: usize, group: &Group) -> bool {
        let Some(flow) = self.sharing(test, port, group.streams, group.each_bps) else {
            return false;
        };
        flow.config.amount.is_none()
            && flow.loses_nothing()
            && self.dropping(test).is_empty()
            && (group.each_bps < NOTHING_BPS || self.stays_full(port, &flow))
    }
}

/// The port that is asked for more than it carries, if there is one such on the ways of some tests.
fn only_full(rivals: &[Rival<'_, '_>]) -> Option<usize> {
    let hops = rivals.iter().flat_map(|r| &r.path.there);
    let mut ports: Vec<usize> = hops.map(|hop| hop.port).collect();
    ports.sort_unstable();
    ports.dedup();
    let load = |port: usize, rival: &Rival<'_, '_>| {
        let stream = rival.stream(port);
        stream.frames_s * stream.takes_s
    };
    ports.retain(|port| rivals.iter().map(|r| load(*port, r)).sum::<f64>() > 1.0 + ROUNDING);
    match ports.as_slice() {
        [port] => Some(*port),
        _ => None,
    }
}

/// Whether some tests are in several classes of a port.
pub(super) fn in_classes(port: usize, rivals: &[Rival<'_, '_>]) -> bool {
    let class = |rival: &Rival<'_, '_>| rival.path.class_number(port);
    let mut classes: Vec<usize> = rivals.iter().filter_map(class).collect();
    classes.sort_unstable();
    classes.dedup();
    classes.len() > 1
}
