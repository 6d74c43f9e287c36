//! The channel of OpenSSH, which has a window of its own, whatever TCP's is.

use crate::cause::Cause;
use crate::ceiling::{Limit, formula, limit};
use crate::evidence::Evidence;
use crate::fact::{Figure, Place};
use crate::flows::flow::Flow;
use crate::infer::UNDER;
use crate::seen::Test;

/// The port of SSH (IANA).
pub(crate) const SSH_PORT: u16 = 22;

/// Programs that copy over SSH.
pub(crate) const OVER_SSH: [&str; 3] = ["rsync", "scp", "sftp"];

/// Whether a flow is of SSH, by its port, its tool, or what the tool was set to go through.
pub(crate) fn is_ssh(flow: &Flow) -> bool {
    let ports = [flow.from.port, flow.to.port];
    let through = |test: &Test| test.words.get(SHELL).is_some_and(|shell| shell == "ssh");
    let is = |test: &Test| test.tool == "scp" || through(test);
    ports.contains(&Some(SSH_PORT)) || flow.test.as_ref().is_some_and(is)
}

/// What a copy goes through, among the words of its test.
pub(crate) const SHELL: &str = "remote_shell";

/// What OpenSSH lets be in flight of a channel, bytes: `CHAN_SES_WINDOW_DEFAULT`, 64 packets of 32 KiB. It is opened again where three
/// packets of it were used.
const CHANNEL: [f64; 2] = [61.0 * 32_768.0, 64.0 * 32_768.0];

/// Whether more is in flight than a channel of OpenSSH has room for: another program, or one that was built with a larger window.
pub(crate) fn beyond_channel(e: &Evidence) -> bool {
    let implied = e.implied_flight().map(|f| f.times(e.streams));
    let beyond = |f: &Figure| f.low > 1.06 * CHANNEL[1] * e.streams;
    // A snapshot may be of a pause: what the rate needs in flight refutes the window as well.
    e.flight.as_ref().is_some_and(beyond) || implied.as_ref().is_some_and(beyond)
}

/// How much of its channel's window a connection of OpenSSH has in flight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Channel {
    /// More than there is room for.
    Beyond,
    /// It may be full.
    Open,
    /// Next to nothing, bytes: something else holds the program back.
    Empty(f64),
}

/// A channel of which less than this part is in flight is not what holds its program back.
const NEXT_TO_NOTHING: f64 = 0.25;

/// How full the channel of a connection of OpenSSH is, as far as its kernel shows it.
pub(crate) fn channel_of(e: &Evidence) -> Channel {
    let flight = e.flight.as_ref().map(|f| f.high / e.streams);
    match flight.filter(|f| *f < NEXT_TO_NOTHING * CHANNEL[1]) {
        _ if beyond_channel(e) => Channel::Beyond,
        Some(flight) => Channel::Empty(flight),
        None => Channel::Open,
    }
}

/// What a connection of OpenSSH lets be in flight, bytes, whatever TCP's window is; none of what is not OpenSSH's, or has more in flight.
pub(crate) fn channel_bytes(e: &Evidence) -> Option<f64> {
    (e.ssh && !beyond_channel(e)).then_some(CHANNEL[1])
}

/// The window of a channel, and what it leaves over this round trip, bit/s; none of what is not OpenSSH's, or has more in flight.
fn leaves(e: &Evidence, rtt: &Figure) -> Option<(Figure, Figure)> {
    channel_bytes(e)?;
    let at = rtt.from.first().copied().unwrap_or(Place::You);
    let bytes = Figure::between(CHANNEL[1], CHANNEL[0], CHANNEL[1], at);
    let most = bytes.over(rtt).times(8.0 * e.streams);
    Some((bytes, most))
}

/// What the channel of a connection of OpenSSH leaves of any gain, bit/s.
pub(crate) fn left_by_channel(e: &Evidence) -> Option<(Cause, Figure)> {
    let (_, most) = leaves(e, e.rtt_by_itself()?)?;
    Some((Cause::Application, most))
}

/// The window that OpenSSH's channel is for a connection whose other windows are larger, bytes.
pub(crate) fn window_of_channel(e: &Evidence) -> Option<f64> {
    leaves(e, e.rtt_by_itself()?).map(|_| CHANNEL[1])
}

/// What is slower than this part of what a channel leaves is held by something else.
const USED: f64 = 0.75;

/// A connection of OpenSSH has a window of its own in its channel. What is faster than that is another program, and what is much slower
/// is held by something else.
pub(crate) fn channel(e: &Evidence, all: &mut Vec<Limit>) {
    let (Some(rtt), Some(rate)) = (e.rtt_by_itself(), &e.rate) else {
        return;
    };
    let Some((bytes, mut most)) = leaves(e, rtt) else {
        return;
    };
    if rate.value < USED * most.value || rate.value > 1.06 * most.high {
        return;
    }
    // What is opened again late leaves less of it.
    most.low = libm::fmin(most.low, USED / UNDER * most.value);
    let formula = formula(e, &bytes, rtt, "the window of a channel of OpenSSH");
    all.push(limit(Cause::Application, most, formula));
}
