//! What the test sends, and for how long.

use farpath_units::{Duration, Rate, Size};

use super::grounds::{Grounds, Said, assumed, rate};
use crate::cause::Cause;

/// What is sent.
#[derive(Clone, Debug)]
pub(super) enum Work {
    /// As much as goes, for a time; measured after the first part of it where the time was shortened.
    Bulk {
        duration: Said<Duration>,
        omit: Option<Said<Duration>>,
        shortened: bool,
    },
    /// So many bytes on each connection.
    Bytes(Said<Size>),
    /// Blocks with pauses between them.
    Blocks {
        block: Said<Size>,
        pause: Said<Duration>,
        duration: Said<Duration>,
    },
    /// Datagrams at a rate.
    Datagrams {
        rate: Said<Rate>,
        size: u64,
        duration: Said<Duration>,
    },
}

/// Most packets that a run is to have; longer tests are shortened.
pub(super) const PACKETS_MAX: f64 = 4e6;

/// The least rate of datagrams.
const LEAST: Rate = match Rate::from_bps(1000) {
    Some(rate) => rate,
    None => panic!("above zero"),
};

/// A test that nobody timed, seconds.
const USUAL: f64 = 10.0;

pub(super) fn work(
    g: &Grounds<'_>,
    line: f64,
    rtt: f64,
    mtu: u64,
    fitted: &mut Vec<&'static str>,
) -> Work {
    let e = g.e;
    let rate = e.rate.as_ref().filter(|_| g.is_measured());
    let rate = rate.map_or(line, |r| r.value);
    let (duration, shortened) = duration(g, rate, rtt, mtu as f64);
    if e.udp {
        let asked = e.application.as_ref().or(e.rate.as_ref());
        let bps = asked.map_or(line / 2.0, |r| r.value).max(1e3);
        let from = asked.map_or_else(
            || "assumed: half of the line".to_owned(),
            |r| g.said((), r).from,
        );
        let value = self::rate(bps).unwrap_or(LEAST);
        return Work::Datagrams {
            rate: Said { value, from },
            size: mtu.saturating_sub(28),
            duration,
        };
    }
    if g.cause == Cause::Application {
        return blocks(g, line, rtt, duration, fitted);
    }
    if let (Cause::Ramp, Some(bytes)) = (g.cause, &e.bytes) {
        let each = Size::from_bytes((bytes.value / e.streams).clamp(1.0, 1e15) as u64);
        return Work::Bytes(g.said(each, bytes));
    }
    // A long test hides the slow start of its flow, and a rate that somebody states is one that lasts.
    let part = match shortened {
        true => (12.0 * rtt).min(duration.value.as_secs_f64() / 3.0),
        false => LASTING.max(100.0 * rtt).min(most(rate, mtu as f64)),
    };
    let omitted = shortened || e.seconds.is_none() && g.is_measured();
    let why = "slow start, which a rate that lasts leaves out";
    let omit = omitted.then(|| assumed(span(part), why));
    Work::Bulk {
        duration,
        omit,
        shortened,
    }
}

/// Seconds that are left out before a rate that somebody states without a time.
const LASTING: f64 = 20.0;

/// Seconds in which this rate sends the most packets that a run is to have.
fn most(rate: f64, mtu: f64) -> f64 {
    PACKETS_MAX * mtu * 8.0 / rate.max(1.0)
}

fn span(seconds: f64) -> Duration {
    Duration::from_secs_f64((seconds.clamp(1e-3, 1e6) * 1e3).round() / 1e3)
}

/// How long the test took, shortened to what can be simulated quickly; and whether it was.
fn duration(g: &Grounds<'_>, rate: f64, rtt: f64, mtu: f64) -> (Said<Duration>, bool) {
    let most = most(rate, mtu);
    let at = g.e.rate.as_ref().filter(|_| g.flow.test.is_some());
    let at = at.map(|r| g.said((), r).from);
    let (seconds, from) = match (g.e.seconds, at) {
        (Some(s), Some(at)) => (s, at),
        (Some(s), None) => (s, "the sockets' busy time".to_owned()),
        (None, _) => (
            USUAL.max(40.0 * rtt),
            "assumed: no text says how long it took".to_owned(),
        ),
    };
    if seconds <= most {
        let value = span(seconds);
        return (Said { value, from }, false);
    }
    let why = format!("{seconds:.0} s ({from}) shortened to some four million packets");
    (assumed(span(most), &why), true)
}

/// Blocks and pauses that leave the measured rate, or the one that the program was asked for.
fn blocks(
    g: &Grounds<'_>,
    line: f64,
    rtt: f64,
    duration: Said<Duration>,
    fitted: &mut Vec<&'static str>,
) -> Work {
    let e = g.e;
    let asked = e.application.as_ref();
    let (rate, from) = match (asked, &e.rate) {
        (Some(asked), _) => (asked.value, g.said((), asked).from),
        (None, measured) => {
            fitted.push("the program's pauses");
            let rate = measured.as_ref().map_or(line / 4.0, |r| r.value);
            (
                rate,
                "assumed: so that the measured rate comes of it".to_owned(),
            )
        }
    };
    let rate = (rate / e.streams).min(0.9 * line);
    // A block takes a round trip and its time on the line; the rest of its turn is a pause. What the kernel says of the
    // sender's busy time gives the length of a turn.
    let busy = e.busy_share.as_ref().map(|b| b.value - rate / line);
    let turn = match busy {
        Some(share) if share > 0.0 => (rtt / share).clamp(1.5 * rtt, 100.0 * rtt),
        _ => 4.0 * rtt,
    };
    let turn = turn.max(2e-3);
    let block = (rate * turn / 8.0).clamp(1000.0, 1e12);
    let pause = (turn - rtt - block * 8.0 / line).max(0.0);
    let said = |value| Said {
        value,
        from: from.clone(),
    };
    Work::Blocks {
        block: said(Size::from_bytes(block as u64)),
        pause: assumed(
            Duration::from_us((pause * 1e6) as u64),
            "what such blocks leave of their turns",
        ),
        duration,
    }
}

impl Work {
    /// What of the start is not measured, if anything.
    pub(super) fn omitted(&self) -> Option<Duration> {
        match self {
            Work::Bulk { omit, .. } => omit.as_ref().map(|said| said.value),
            _ => None,
        }
    }

    /// Whether it is shorter than the test was.
    pub(super) fn is_shortened(&self) -> bool {
        matches!(
            self,
            Work::Bulk {
                shortened: true,
                ..
            }
        )
    }
}
