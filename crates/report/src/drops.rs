//! Where frames were lost: which link, which way, for which reason.

use farpath_record::{LinkRecord, Point, RunDocument, point_words};

/// Lines that are printed; the rest is counted.
const MOST: usize = 12;

/// One line for each direction of a link that dropped frames, those that dropped most first; empty
/// when nothing was lost.
pub(crate) fn lines(run: &RunDocument) -> Vec<String> {
    let mut lossy: Vec<(u64, &LinkRecord)> = run
        .links
        .iter()
        .map(|link| (link.drops.values().sum(), link))
        .filter(|(all, _)| *all > 0)
        .collect();
    // Of equals the order of the run holds.
    lossy.sort_by_key(|(all, _)| std::cmp::Reverse(*all));
    let several = run.links.iter().any(|l| l.origin != run.links[0].origin);
    let mut lines: Vec<String> = lossy
        .iter()
        .take(MOST)
        .map(|(_, link)| line(link, several))
        .collect();
    if lossy.len() > MOST {
        lines.push(format!("{} more directions of links", lossy.len() - MOST));
    }
    lines
}

/// One direction's line; with its origin where there are `several`.
fn line(link: &LinkRecord, several: bool) -> String {
    let mut reasons: Vec<(&String, &u64)> = link.drops.iter().filter(|(_, n)| **n > 0).collect();
    reasons.sort_by_key(|(_, n)| std::cmp::Reverse(**n));
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
        at(&link.point),
        words.join(", "),
        link.frames
    )
}

fn at(point: &Point) -> String {
    if point.is_empty() {
        String::new()
    } else {
        format!(" at {}", point_words(point))
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
    use std::collections::BTreeMap;

    fn link(name: &str, drops: &[(&str, u64)]) -> LinkRecord {
        LinkRecord {
            origin: Origin::Simulated,
            link: name.to_owned(),
            direction: "a>b".to_owned(),
            point: BTreeMap::new(),
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
