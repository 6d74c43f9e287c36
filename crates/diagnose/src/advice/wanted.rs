//! How fast a flow is wanted to be, and what has to be in flight for that.

use super::End;
use crate::ceiling::bps;
use crate::evidence::Evidence;
use crate::known::System;
use crate::lines::bloat::ms;
use crate::windows::channel::channel_bytes;
use farpath_predict::window::room_for;

/// What is suggested to be in flight over a round trip that is known, where no rate is: 4 MiB.
pub(super) const MODEST: f64 = 4_194_304.0;

/// The rate that is wanted: the target, or the line's, or else the most that the path carried in other tests, bit/s.
pub(super) fn goal(e: &Evidence) -> Option<f64> {
    let said = e.target.as_ref().map(|target| target.value);
    said.or_else(|| e.narrowest()).or_else(|| carried(e))
}

/// What other tests between the same hosts got that were faster or had more connections, all of these together, bit/s.
fn carried(e: &Evidence) -> Option<f64> {
    let own = e.rate.as_ref()?.value;
    let wider = e.counted_else.wider.map(|(_, times)| times * own);
    let faster = e
        .counted_else
        .faster
        .as_ref()
        .map(|(_, rate, _)| rate.value);
    let most = wider.into_iter().chain(faster).reduce(f64::max);
    most.filter(|most| *most > own)
}

/// Bytes in flight of a connection that fill the line, or the target, and no more than its channel lets be in flight; none without a round
/// trip, which it goes by.
pub(crate) fn wanted(e: &Evidence) -> Option<f64> {
    let rtt = e.rtt_by_itself()?;
    let fills = goal(e).map_or(MODEST, |goal| goal * rtt.high / 8.0 / e.streams);
    Some(channel_bytes(e).map_or(fills, |most| fills.min(most)))
}

/// Rates of ports that hosts commonly have, bit/s: what a buffer is named for where nobody says which rate is wanted.
const USUAL: [f64; 2] = [1e9, 1e10];

/// The setting of the most that a socket's buffer grows to by itself, for people; none of systems that have no such number.
fn setting(system: Option<System>, end: End) -> Option<&'static str> {
    Some(match (system, end) {
        (None | Some(System::Linux), End::Receiver) => "the third number of net.ipv4.tcp_rmem",
        (None | Some(System::Linux), End::Sender) => "the third number of net.ipv4.tcp_wmem",
        (Some(System::FreeBsd), End::Receiver) => {
            "net.inet.tcp.recvbuf_max (with kern.ipc.maxsockbuf twice that)"
        }
        (Some(System::FreeBsd), End::Sender) => {
            "net.inet.tcp.sendbuf_max (with kern.ipc.maxsockbuf twice that)"
        }
        (Some(System::MacOs), End::Receiver) => {
            "net.inet.tcp.autorcvbufmax (with kern.ipc.maxsockbuf twice that)"
        }
        (Some(System::MacOs), End::Sender) => {
            "net.inet.tcp.autosndbufmax (with kern.ipc.maxsockbuf twice that)"
        }
        _ => return None,
    })
}

/// What the largest buffer of an end of Linux, FreeBSD or macOS has to be for usual rates over the round trip, where no rate is wanted; with
/// what it is `now` and `then`, bytes. None where it goes by something else, or is enough.
pub(super) fn for_usual_rates(
    e: &Evidence,
    (system, end): (Option<System>, End),
    (now, then): (Option<u64>, Option<u64>),
) -> Option<String> {
    let setting = setting(system, end)?;
    if goal(e).is_some() || channel_bytes(e).is_some() {
        return None;
    }
    let rtt = e.rtt_by_itself()?;
    let measured = e.settled().map_or(0.0, |rate| rate.value);
    let sizes = USUAL.into_iter().filter_map(|usual| {
        let most = room_for(usual * rtt.high / 8.0 / e.streams, None);
        let more = usual > measured && now.is_none_or(|now| most > now);
        more.then(|| format!("{most} for {}", bps(usual)))
    });
    let sizes: Vec<String> = sizes.collect();
    if sizes.is_empty() {
        return None;
    }
    let was = match (now, then) {
        (Some(now), Some(then)) if then > now => format!(", {now} now and {then} then,"),
        _ => String::new(),
    };
    Some(format!(
        "no text says which rate is wanted (--target or --line does): over the round trip of {} {setting}{was} is to be {}; until something else limits, twice as much gives twice the rate",
        ms(rtt.value),
        sizes.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::{Figure, Place};

    /// 11.4 MB are in flight of 1 Gbit/s over 91.2 ms, and the buffer is twice that.
    #[test]
    fn where_no_rate_is_wanted_usual_ones_have_their_buffers() {
        let exact = |value: f64| Figure::exact(value, Place::You);
        let e = Evidence {
            rate: Some(exact(2.7e8)),
            rtt: Some(exact(0.0912)),
            streams: 1.0,
            mss: 1448.0,
            ..Evidence::default()
        };
        let linux = (Some(System::Linux), End::Receiver);
        let buffers = (Some(6_291_456), Some(8_388_608));
        let said = for_usual_rates(&e, linux, buffers).expect("it is said");
        let sizes = "the third number of net.ipv4.tcp_rmem, 6291456 now and 8388608 then, is to be 33554432 for 1.00 Gbit/s, 268435456 for 10.0 Gbit/s;";
        assert!(said.contains(sizes), "{said}");
        // Of a rate that is wanted the change itself has the buffer.
        let wanted = Evidence {
            target: Some(exact(5e9)),
            ..e.clone()
        };
        assert_eq!(for_usual_rates(&wanted, linux, buffers), None);
        // FreeBSD and macOS have settings of their own, and Windows has none.
        for (system, name) in [
            (System::MacOs, "net.inet.tcp.autorcvbufmax"),
            (System::FreeBsd, "net.inet.tcp.recvbuf_max"),
        ] {
            let own = (Some(system), End::Receiver);
            let said = for_usual_rates(&e, own, buffers).expect("it is said");
            let sizes = format!(
                "{name} (with kern.ipc.maxsockbuf twice that), 6291456 now and 8388608 then, is to be 33554432 for 1.00 Gbit/s, 268435456 for 10.0 Gbit/s;"
            );
            assert!(said.contains(&sizes), "{said}");
        }
        let windows = (Some(System::Windows), End::Receiver);
        assert_eq!(for_usual_rates(&e, windows, buffers), None);
        let enough = (Some(268_435_456), None);
        assert_eq!(for_usual_rates(&e, linux, enough), None);
    }
}
