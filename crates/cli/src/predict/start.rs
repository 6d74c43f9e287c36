//! How slow start ends, and when.

use farpath_predict::climb::hybla_rho;
use farpath_predict::overflow::HEARD;
use farpath_predict::{Cc, PathInput, path};

use super::figures::{self, Figures};

/// How long slow start takes, or what ends it before.
pub(super) fn slow_start(input: &PathInput, figures: &Figures<'_>) -> String {
    if figures.number("slow_start_overflow_bytes").is_some() {
        // What follows stands last in its note.
        let note = &figures.answer("slow_start_overflow_bytes").note;
        let follows = note
            .find(HEARD)
            .map_or("", |at| note[at..].trim_end_matches('.'));
        return format!(
            "slow start overflows the queue at a window of some {}; {follows}",
            figures.shown("slow_start_overflow_bytes")
        );
    }
    format!(
        "{} of slow start{}{}",
        figures.shown("slow_start_s"),
        counting_bytes(input),
        match input.cc == Cc::Hybla && hybla_rho(input.rtt.as_secs_f64()) > 1.0 {
            true => ", as Reno's; Hybla's own is shorter (--all)",
            false => "",
        }
    )
}

/// What slow start takes of a sender that counts bytes, where that is less.
fn counting_bytes(input: &PathInput) -> String {
    if input.segments_per_ack == 1 || input.cc.doubles() {
        return String::new();
    }
    let counting = PathInput {
        segments_per_ack: 1,
        ..input.clone()
    };
    let results = path(&counting).unwrap_or_default();
    let shown = |name| results.iter().find(|a| a.name == name).map(figures::shown);
    match shown("slow_start_s") {
        Some(less) => {
            format!(" where ACKs are counted ({less} where bytes are, as Linux does)")
        }
        None => String::new(),
    }
}
