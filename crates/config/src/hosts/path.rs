//! The path a host's settings are judged for.

use farpath_units::{Duration, Rate};

use super::Host;
use crate::finding::Severity;
use crate::qos::Options;
use crate::rules::{HOST003, HOST012, HOST019};
use crate::source::Place;

/// The round-trip time a window is judged at, unless the user states another.
const RTT: Duration = Duration::from_ms(250);

/// Where no rate is stated, a window that gives less than this is worth a warning.
pub(super) const SLOW: u64 = 10_000_000;

/// Frames that a host's queue should hold where the line is fast: Linux' own default.
const USUAL_QUEUE: u64 = 1000;

/// A round-trip time and a rate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Path {
    pub(super) rtt: Duration,
    /// The rate it is to carry, if the user states it.
    pub(super) rate: Option<Rate>,
    rtt_stated: bool,
}

impl Path {
    pub(super) fn of(options: &Options) -> Path {
        Path {
            rtt: options.rtt.unwrap_or(RTT),
            rate: options.rate,
            rtt_stated: options.rtt.is_some(),
        }
    }

    /// Bytes in flight that fill it.
    pub(super) fn product(&self) -> Option<u64> {
        Some(self.rate?.bytes_in(self.rtt).as_bytes())
    }

    /// The rate that a window of `bytes` allows.
    pub(super) fn rate_of(&self, bytes: u64) -> u64 {
        let bits = u128::from(bytes) * 8 * 1_000_000_000_000;
        u64::try_from(bits / u128::from(self.rtt.as_ps().max(1))).unwrap_or(u64::MAX)
    }

    /// `120 ms`, or that it is taken.
    pub(super) fn rtt_text(&self) -> String {
        let assumed = if self.rtt_stated { "" } else { ", taken" };
        format!("{}{assumed}", self.rtt)
    }
}

/// A rate for people.
pub(super) fn shown(bps: u64) -> String {
    let rate = Rate::from_bps(bps);
    rate.map_or_else(|| "nothing".to_owned(), |r| format!("{r:.1}"))
}

/// HOST003: a window of `bytes`, of which there are `flows`, against the path; whether there was something to find.
pub(super) fn window(
    host: &mut Host,
    place: &Place,
    (what, bytes, flows): (&str, u64, u64),
    remedy: &str,
) -> bool {
    let path = host.path;
    let wanted = path.rate.map_or(SLOW, |r| r.as_bps());
    let allowed = path.rate_of(bytes.saturating_mul(flows));
    if allowed >= wanted || bytes == 0 {
        return false;
    }
    let several = match flows {
        1 => String::new(),
        n => format!("{n} times "),
    };
    let of = path.rate.map_or_else(String::new, |r| format!(" of {r}"));
    let message = format!(
        "{what} allows {}{of} at a round trip of {}: {several}{bytes} bytes in flight",
        shown(allowed),
        path.rtt_text()
    );
    let remedy = match path.product() {
        Some(product) => format!("{remedy}; the path holds {} bytes", product.div_ceil(flows)),
        None => remedy.to_owned(),
    };
    let finding = host.find(&HOST003, place, message, remedy);
    // Less than half of a rate that is stated is not what was meant.
    if path.rate.is_some() && allowed < wanted / 2 {
        finding.severity = Severity::Error;
    }
    true
}

/// HOST019: something of the host's that lets out `rate`, held against the rate that is planned; `what` says what does it.
pub(super) fn held(host: &mut Host, place: &Place, what: &str, rate: Rate) {
    let Some(planned) = host.path.rate.filter(|planned| rate < *planned) else {
        return;
    };
    let message = format!("{what} at most {rate:.1}, of the {planned:.1} that are planned");
    let remedy = "nothing, if what is planned takes another way; else that rate or more";
    host.find(&HOST019, place, message, remedy);
}

/// HOST012: what a host's queue holds, and for how long.
pub(super) fn queue(frames: u64, mtu: u64, place: &Place, host: &mut Host) {
    let Some(rate) = host.path.rate else { return };
    let bits = u128::from(frames) * u128::from(mtu.clamp(68, 65_535)) * 8;
    let ps = bits * 1_000_000_000_000 / u128::from(rate.as_bps());
    let time = Duration::from_ps(u64::try_from(ps).unwrap_or(u64::MAX));
    let message = format!("{frames} frames of {mtu} bytes are {time} at {rate}");
    let short = frames < USUAL_QUEUE;
    let long = time > host.path.rtt;
    let (said, remedy) = match (short, long) {
        (true, false) => (
            "a burst that does not fit is lost in the host itself",
            "write 1000 or more; 10 000 on a path of 10 Gbit/s",
        ),
        (_, true) => (
            "more than a round trip waits in the host",
            "write less, or use the queue discipline fq",
        ),
        _ => return,
    };
    host.find(&HOST012, place, format!("{message}: {said}"), remedy);
}
