//! QOS027: bursts of policers and shapers that cannot be meant.

use farpath_units::{Duration, Rate, Size};

use crate::finding::{Finding, Severity};
use crate::rules::QOS027;
use crate::source::Place;

/// A bucket that lasts longer limits nothing that a test sends. Cisco's rule is 1.5 s of the rate and, for the
/// second bucket, twice that (IOS, "Configuring Traffic Policing"); Juniper's 5 ms of the line.
const LONG: Duration = Duration::from_secs(10);

/// A shaper's burst that lasts longer is what a policer behind it drops.
const LONG_SHAPE: Duration = Duration::from_secs(1);

/// A shaper's burst that lasts less, and holds no frame, was not meant in bits.
const SHORT_SHAPE: Duration = Duration::from_ms(1);

/// Largest IP packet that most hosts send, bytes.
const USUAL_MTU: u32 = 1500;

/// What Ethernet adds to it and policers count, bytes.
const HEADER: u64 = 14;

/// QOS027, of a policer's bucket. `mtu` is the largest IP packet of a port with it, in bytes, where one is stated.
pub(crate) fn odd_bucket(
    named: &str,
    (rate, burst): (Rate, Size),
    mtu: Option<u32>,
    place: &Place,
) -> Option<Finding> {
    let lasts = rate.time_for(burst);
    if let Some(mtu) =
        mtu.filter(|mtu| *mtu > USUAL_MTU && burst.as_bytes() < u64::from(*mtu) + HEADER)
        && burst.as_bytes() >= u64::from(USUAL_MTU) + HEADER
    {
        let message = format!(
            "{named}: a burst of {burst} holds no frame of the port's largest packets, {mtu} B: each of them exceeds it"
        );
        let remedy = format!(
            "{} B at least, ten such frames",
            10 * (u64::from(mtu) + HEADER)
        );
        let mut finding = Finding::new(&QOS027, message, place.clone(), vec![remedy]);
        finding.severity = Severity::Error;
        return Some(finding);
    }
    if lasts <= LONG {
        return None;
    }
    let message = format!(
        "{named}: a burst of {burst} lets {:.0} s of {rate} pass at the line's speed before anything is limited",
        lasts.as_secs_f64()
    );
    let remedy = format!(
        "{} B at most, 1.5 s of the rate; a policer's burst is in bytes (IOS states that of a shaper in bits)",
        rate.bytes_in(Duration::from_ms(1500)).as_bytes()
    );
    Some(Finding::new(&QOS027, message, place.clone(), vec![remedy]))
}

/// QOS027, of a shaper's burst.
pub(crate) fn odd_shape(
    named: &str,
    (rate, burst): (Rate, Size),
    place: &Place,
) -> Option<Finding> {
    let lasts = rate.time_for(burst);
    let frame = u64::from(USUAL_MTU) + HEADER;
    let why = match lasts {
        _ if lasts > LONG_SHAPE => {
            "what it lets out at once is more than a policer behind it takes, which drops the rest"
        }
        _ if lasts < SHORT_SHAPE && burst.as_bytes() < frame => "less than a frame",
        _ => return None,
    };
    let message = format!(
        "{named}: a shaper's burst of {} bit is {burst} and lasts {:.3} ms at {rate}: {why}",
        8 * burst.as_bytes(),
        lasts.as_secs_f64() * 1e3
    );
    let remedy = format!(
        "leave it out, and the router chooses it; or write {} bit, 8 ms of the rate (`shape` states bursts in bits, `police` in bytes)",
        (rate.as_bps() / 125).max(8 * frame)
    );
    Some(Finding::new(&QOS027, message, place.clone(), vec![remedy]))
}
