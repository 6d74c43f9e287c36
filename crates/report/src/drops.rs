//! Where frames were lost: which link, which way, for which reason.

use std::collections::{BTreeMap, BTreeSet};

use farpath_record::{Keys, LinkRecord, Point, RunDocument, median};

/// Lines that are printed; the rest is counted.
const MOST: usize = 12;

/// One direction of a link, whatever the repeat.
struct Lossy<'a> {
    repeats: Vec<&'a LinkRecord>,
    /// Frames lost, of all reasons.
    all: f64,
}

/// What stands above the lines.
pub(crate) fn heading(run: &RunDocument) -> String {
    match run.repeats.as_ref().map(|r| r.count) {
        Some(n) => format!("\nFrames lost, medians of {n} repeats\n"),
        None => "\nFrames lost\n".to_owned(),
    }
}

/// One line for each direction of a link that dropped frames, those that dropped most first; empty when nothing was lost.
/// Several repeats count by their median.
pub(crate) fn lines(run: &RunDocument) -> Vec<String> {
    let mut lossy: Vec<Lossy<'_>> = Vec::new();
    let mut places = BTreeMap::new();
    for link in &run.links {
        let key = (link.origin, &link.link, &link.direction, &link.point);
        let at = *places.entry(key).or_insert(lossy.len());
        match lossy.get_mut(at) {
            Some(known) => known.repeats.push(link),
            None => lossy.push(Lossy {
                repeats: vec![link],
                all: 0.0,
            }),
        }
    }
    for one in &mut lossy {
        one.all = one.median(|l| l.drops.values().sum());
    }
    lossy.retain(|l| l.repeats.iter().any(|r| r.drops.values().any(|n| *n > 0)));
    // Of equals the order of the run holds.
    lossy.sort_by(|a, b| b.all.total_cmp(&a.all));
    let several = run.links.iter().any(|l| l.origin != run.links[0].origin);
    let keys = Keys::of(run);
    let mut lines: Vec<String> = lossy
        .iter()
        .take(MOST)
        .map(|l| l.line(several, &keys))
        .collect();
    if lossy.len() > MOST {
        lines.push(format!("{} more directions of links", lossy.len() - MOST));
    }
    lines
}

impl Lossy<'_> {
    fn median(&self, of: impl Fn(&LinkRecord) -> u64) -> f64 {
        let values = self.repeats.iter().map(|l| of(l) as f64).collect();
        median(values).unwrap_or(0.0)
    }

    /// Its line; with its origin where there are `several`.
    fn line(&self, several: bool, keys: &Keys) -> String {
        let link = self.repeats[0];
        let drops = self.repeats.iter().flat_map(|l| &l.drops);
        let names: BTreeSet<&String> = drops.filter(|(_, n)| **n > 0).map(|(r, _)| r).collect();
        let lost = |reason: &str| self.median(|l| l.drops.get(reason).copied().unwrap_or(0));
        let mut reasons: Vec<(&String, f64)> = names.into_iter().map(|r| (r, lost(r))).collect();
        reasons.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        let words: Vec<String> = reasons
            .iter()
            .map(|(reason, n)| format!("{n} {}", in_words(reason)))
            .collect();
        let origin = if several {
            format!(", {}", link.origin.name())
        } else {
            String::new()
        };
        format!(
            "{} {}{}{origin}: {}; {} frames sent",
            link.link,
            link.direction,
            at(&link.point, keys),
            words.join(", "),
            self.median(|l| l.frames).round()
        )
    }
}

fn at(point: &Point, keys: &Keys) -> String {
    if point.is_empty() {
        String::new()
    } else {
        format!(" at {}", keys.words(point))
    }
}

fn in_words(reason: &str) -> &str {
    match reason {
        "tail" => "by a full queue (tail)",
        "error" => "by chance (error)",
        "scripted" => "by order (scripted)",
        "cell" => "through lost cells (cell)",
        "host" => "by the host behind (host)",
        "checksum" => "found damaged by the host behind (checksum)",
        "mtu" => "too large (mtu)",
        "ttl" => "at the end of their TTL (ttl)",
        "down" => "while it was down (down)",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use farpath_record::Origin;

    fn link(name: &str, drops: &[(&str, u64)]) -> LinkRecord {
        LinkRecord {
            origin: Origin::Simulated,
            link: name.to_owned(),
            direction: "a>b".to_owned(),
            point: BTreeMap::new(),
            repeat: 0,
            bytes: 0,
            payload_bytes: 0,
            frames: 1000,
            drops: drops.iter().map(|(k, n)| ((*k).to_owned(), *n)).collect(),
            t_ns: Vec::new(),
            rate_bps: Vec::new(),
            queue_bytes: Vec::new(),
            queues: Vec::new(),
            policers: Vec::new(),
            realised: std::collections::BTreeMap::new(),
            cells: BTreeMap::new(),
        }
    }

    #[test]
    fn the_worst_link_comes_first_with_all_its_reasons() {
        let mut run = RunDocument::new("x", 1, String::new());
        run.links = vec![
            link("clean", &[("tail", 0)]),
            link("near", &[("tail", 3)]),
            link("far", &[("error", 2), ("tail", 40)]),
        ];
        assert_eq!(
            lines(&run),
            [
                "far a>b: 40 by a full queue (tail), 2 by chance (error); 1000 frames sent",
                "near a>b: 3 by a full queue (tail); 1000 frames sent"
            ]
        );
        // Three repeats: the middle one counts, also where a reason is missing in one.
        let mut repeated = run.clone();
        for (repeat, drops) in [(1, &[("tail", 9)][..]), (2, &[("tail", 4), ("error", 1)])] {
            let mut again = link("near", drops);
            again.repeat = repeat;
            repeated.links.push(again);
        }
        assert_eq!(
            lines(&repeated)[1],
            "near a>b: 4 by a full queue (tail), 0 by chance (error); 1000 frames sent"
        );
        run.links[1].origin = Origin::Emulated;
        assert_eq!(
            lines(&run)[1],
            "near a>b, emulated: 3 by a full queue (tail); 1000 frames sent"
        );
        run.links.truncate(1);
        assert!(lines(&run).is_empty());
        run.links = (0..20)
            .map(|n| link(&format!("l{n}"), &[("host", 1)]))
            .collect();
        assert_eq!(lines(&run).len(), MOST + 1);
        assert_eq!(lines(&run)[MOST], "8 more directions of links");
    }
}
