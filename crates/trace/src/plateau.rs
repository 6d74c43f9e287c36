//! What is in flight stays at one height, round after round, and neither the receiver's window nor a loss or a mark keeps it
//! there.
//!
//! Without either a congestion window goes on growing, by half a segment a round at the slowest (RFC 9438 §4.3). So it is something of the
//! sender's own that holds it: its send buffer, where the program writes as soon as an acknowledgement makes room; or a pace.

use farpath_observe::{Flight, Limit};
use farpath_record::trace::TraceDirection;
use farpath_units::Duration;

use crate::observed::Direction;
use crate::spacing::{Spacing, spacing};

/// So many rounds at least: in eight of these the slowest window grows by four segments.
const ROUNDS: usize = 16;

/// In so many rounds the height may change by a segment, from one half to the other: that is half of the slowest growth. Buffers count
/// memory, and not bytes.
const SLACK: u64 = 8;

/// The height is what this share of the rounds do not exceed: some do, before a buffer is counted, and some are late.
const HEIGHT: f64 = 0.75;

/// It begins with the first round that has this part of it.
const HIGH: f64 = 0.9;

/// A round in which less than this part was in flight is none of it, and so many of a hundred may be so.
const LOW: f64 = 0.6;
const LOW_PERCENT: usize = 20;

/// It is named where nothing else explains this share of the time.
const NAMED: f64 = 0.5;

/// The most in flight in each round trip in which something was sent, bytes.
fn rounds(flights: &[Flight], round_trip: Duration) -> Vec<u64> {
    let mut all: Vec<u64> = Vec::new();
    let mut begun = None;
    for flight in flights.iter().filter(|f| f.sent > 0 || f.delivered > 0) {
        match (begun, all.last_mut()) {
            (Some(from), Some(most)) if flight.until.since(from) <= round_trip => {
                *most = flight.peak.max(*most);
            }
            _ => {
                begun = Some(flight.from);
                all.push(flight.peak);
            }
        }
    }
    all
}

/// The height of some rounds.
fn height(rounds: &[u64]) -> u64 {
    let mut sorted = rounds.to_vec();
    sorted.sort_unstable();
    let at = (HEIGHT * sorted.len() as f64) as usize;
    sorted.get(at).or(sorted.last()).copied().unwrap_or(0)
}

/// Whether the most in flight stays where it is, by segments of this size.
fn stays(rounds: &[u64], mss: u64) -> bool {
    let most = height(rounds);
    let is = |part: f64, peak: u64| peak as f64 >= part * most as f64;
    let begun = rounds.iter().position(|peak| is(HIGH, *peak));
    // The last one ends with what was written.
    let end = rounds.len().saturating_sub(1);
    let rounds = rounds.get(begun.unwrap_or(end)..end).unwrap_or_default();
    if rounds.len() < ROUNDS {
        return false;
    }
    let low = rounds.iter().filter(|peak| !is(LOW, **peak)).count();
    let slack = rounds.len() as u64 / SLACK * mss;
    let (early, late) = rounds.split_at(rounds.len() / 2);
    low * 100 <= LOW_PERCENT * rounds.len() && height(early).abs_diff(height(late)) <= slack
}

/// Names a send buffer in the shares of a direction that was captured at its sender, where what nobody explains has that shape. Data that leaves at
/// even distances shows a pace, or may. It does where an interface seems to be the limit as well, which has let more out at once.
pub(crate) fn name_own(d: &mut TraceDirection, seen: &Direction, mss: u32) {
    let share = |limit: Limit| d.limit_shares.get(limit.name()).copied().unwrap_or(0.0);
    let open = share(Limit::Unknown);
    let of_interface = share(Limit::Nic);
    let uncut = seen.repairs.is_empty() && seen.cuts.is_empty();
    let is_whole = uncut && seen.observed.retransmits == Some(0);
    let is_named = open + of_interface >= NAMED;
    if !is_named || !seen.at_sender || !is_whole || seen.round_trip <= 0 {
        return;
    }
    let round_trip = Duration::from_ns(seen.round_trip.unsigned_abs());
    let flights = &seen.observed.flights;
    if !stays(&rounds(flights, round_trip), u64::from(mss)) {
        return;
    }
    let is_open = open >= NAMED;
    match spacing(flights, round_trip) {
        Spacing::Slower => {
            rename(d, &[Limit::Unknown, Limit::Nic], Limit::Pacing);
        }
        Spacing::Own if is_open => {
            rename(d, &[Limit::Unknown], Limit::Pacing);
        }
        Spacing::Uneven if is_open => rename(d, &[Limit::Unknown], Limit::SendBuffer),
        _ => {}
    }
}

/// Gives the shares of some limits to another one.
fn rename(d: &mut TraceDirection, some: &[Limit], to: Limit) {
    let taken = some.iter().filter_map(|l| d.limit_shares.remove(l.name()));
    let all: f64 = taken.sum();
    *d.limit_shares.entry(to.name().to_owned()).or_default() += all;
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1448;

    #[test]
    fn a_window_that_grows_is_no_plateau() {
        // Slow start, and then 46 kB, of which two thirds are there when the program comes back.
        let start = [10, 20].map(|n| n * MSS);
        let full = [32, 31, 32, 33].map(|n| n * MSS);
        let held: Vec<u64> = start
            .into_iter()
            .chain(full.into_iter().cycle().take(20))
            .collect();
        assert!(stays(&held, MSS));
        assert!(!stays(&held[..12], MSS), "too short");
        // A kernel's buffer of 342 kB, with more before it was full, and rounds of a busy host.
        let late = |n: u64| {
            if n.is_multiple_of(7) {
                150_000
            } else {
                342_160
            }
        };
        let busy: Vec<u64> = [365_328].into_iter().chain((0..40).map(late)).collect();
        assert!(stays(&busy, MSS));
        // CUBIC's slowest growth.
        let grows: Vec<u64> = (0..40).map(|n| 32 * MSS + n * MSS / 2).collect();
        assert!(!stays(&grows, MSS));
        // A program that writes now and then.
        let pauses: Vec<u64> = (0..40)
            .map(|n: u64| if n.is_multiple_of(4) { 2 } else { 32 } * MSS)
            .collect();
        assert!(!stays(&pauses, MSS));
        assert!(!stays(&[], MSS));
    }
}
