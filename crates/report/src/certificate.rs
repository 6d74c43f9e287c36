//! How far emulated runs may be believed, in a line each.

use farpath_record::{Certificate, Keys, Point, RunDocument};

/// The certificate of each emulated run once, with its sweep point and repeat, in the order of the records.
pub(crate) fn each(run: &RunDocument) -> Vec<(&Point, u32, &Certificate)> {
    let mut seen: Vec<(&Point, u32, &Certificate)> = Vec::new();
    for record in &run.records {
        if let Some(certificate) = &record.certificate {
            let one = (&record.point, record.repeat, certificate);
            if !seen.contains(&one) {
                seen.push(one);
            }
        }
    }
    seen
}

/// What they say, in a line each.
pub(crate) fn lines(run: &RunDocument) -> Vec<String> {
    let keys = Keys::of(run);
    let line = |(point, _, certificate): &(&Point, u32, &Certificate)| {
        let at = keys.words(point);
        let comma = if at.is_empty() { "" } else { ", " };
        format!("{at}{comma}{}", certificate.line())
    };
    each(run).iter().map(line).collect()
}
