//! A transfer by HTTP/2 that the window of its stream holds, and not that of TCP: the same file by HTTP/1.1 is far faster.

use crate::advice::Remedy;
use crate::cause::Cause;
use crate::ceiling::bps;
use crate::evidence::Evidence;
use crate::flows::flow::Flow;
use crate::items::Item;
use crate::read::{Facts, Fetch};

/// The window that a stream of HTTP/2 has at first, bytes (RFC 9113 §6.9.2).
const INITIAL: f64 = 65_535.0;

/// A transfer is held by it where it has this part of it in flight, as its rate with all handshakes says. A choice.
const IN_FLIGHT: [f64; 2] = [0.85, 1.08];

/// HTTP/1.1 was so many times as fast at least. A choice.
const FASTER: f64 = 3.0;

/// What it is worth for the program that gives the window, and against what TCP has, decibans. Choices.
const WORTH: f64 = 40.0;
const AGAINST: f64 = 30.0;

/// The most that is said by it where its command says HTTP/2, and where HTTPS alone lets expect it. Choices.
const SAID: f64 = 0.95;
const ASSUMED: f64 = 0.8;

/// Options of the older version, and of this one.
const OLDER: [&str; 2] = ["--http1.1", "--http1.0"];
const OWN: &str = "--http2";

/// What TCP of the hosts would hold as well, and held no faster transfer of the same file.
const OF_TCP: [Cause; 4] = [
    Cause::ReceiveWindow,
    Cause::SendBuffer,
    Cause::NoWindowScaling,
    Cause::RandomLoss,
];

/// A transfer that the window of its stream holds, for people.
#[derive(Clone, Debug)]
pub(crate) struct StreamWindow {
    /// Whether its command says that it is by HTTP/2.
    said: bool,
    sentence: String,
}

/// Whether a command may have used HTTP/2: it says so, or asks by HTTPS and says nothing.
fn may_use(fetch: &Fetch) -> bool {
    let says = |option: &str| fetch.options.iter().any(|own| own == option);
    let older = OLDER.iter().any(|option| says(option));
    says(OWN) || !older && fetch.url.starts_with("https://")
}

impl Evidence {
    /// Takes a transfer that has as much in flight as a stream of HTTP/2 has at first, beside one by HTTP/1.1 that was far faster.
    pub(crate) fn of_stream_window(&mut self, facts: &Facts, flow: &Flow) {
        self.stream_window = self.held_by_stream(facts, flow);
    }

    /// The most that is said of the program that gives such a window: no text shows the window itself.
    pub(crate) fn at_most_of_stream(&self, cause: Cause) -> f64 {
        match &self.stream_window {
            Some(own) if cause == Cause::Client && own.said => SAID,
            Some(_) if cause == Cause::Client => ASSUMED,
            _ => 1.0,
        }
    }

    fn held_by_stream(&self, facts: &Facts, flow: &Flow) -> Option<StreamWindow> {
        let own = facts.fetched_by(flow.test.as_ref()?)?;
        let rate = self.rate.as_ref().filter(|rate| rate.value > 0.0)?.value;
        let flight = self.settled_flight()?.value;
        if !may_use(own) || !(IN_FLIGHT[0]..=IN_FLIGHT[1]).contains(&(flight / INITIAL)) {
            return None;
        }
        let is_older = |other: &&Fetch| {
            let mut options = other.options.iter();
            let older = options.any(|option| OLDER.contains(&option.as_str()));
            older && other.url == own.url && other.way == own.way
        };
        let rates = facts.fetches.iter().filter(is_older);
        let rates = rates.filter_map(|other| other.rate.as_ref());
        let there = rates.max_by(|a, b| a.value.total_cmp(&b.value))?;
        let place = there.from.first().map(|at| facts.place(*at));
        (there.value >= FASTER * rate).then(|| StreamWindow {
            said: own.options.iter().any(|option| option == OWN),
            sentence: format!(
                "{flight:.0} bytes were in flight, as many as a stream of HTTP/2 may have at first, {INITIAL:.0} (RFC 9113). By HTTP/1.1 the same file went at {}{}: TCP of both hosts carries that, and the window which the receiving program gives the stream does not",
                bps(there.value),
                place.map_or_else(String::new, |place| format!(" ({place})"))
            ),
        })
    }
}

/// Weighs it.
pub(crate) fn by_stream_window(e: &Evidence, items: &mut Vec<Item>) {
    items.extend(e.stream_window.as_ref().map(|own| {
        let others = OF_TCP.iter().map(|cause| (*cause, -AGAINST));
        Item {
            holds: 1.0,
            weights: others.chain([(Cause::Client, WORTH)]).collect(),
            sentence: own.sentence.clone(),
        }
    }));
}

/// A larger window of the receiving program; nothing where no such window holds the transfer.
pub(crate) fn remedy(e: &Evidence) -> Option<Remedy> {
    e.stream_window.as_ref()?;
    Some(Remedy {
        commands: vec![
            "a larger window for streams and connections of HTTP/2, of the program that receives: rate · round trip at least, such as 16 MiB".to_owned(),
            "of nginx for uploads: http2_body_preread_size; of Apache: H2WindowSize; of HAProxy: tune.h2.fe.initial-window-size (be towards servers); of Envoy: initial_stream_window_size and initial_connection_window_size; of Go: MaxUploadBufferPerStream and MaxUploadBufferPerConnection".to_owned(),
            "where a proxy or a balancer stands before the server, it is that program".to_owned(),
            "meanwhile by HTTP/1.1: curl --http1.1".to_owned(),
        ],
        undo: vec!["the value that stood there, or none".to_owned()],
        risk: "each stream may then take as much memory of that program".to_owned(),
        ..Remedy::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{Source, read};

    /// Whether the first transfer is held by the window of its stream: what each command printed, as speed in bytes a second.
    fn held(first: (&str, u32), second: (&str, u32), ms: f64) -> bool {
        let one = |(option, speed): (&str, u32)| {
            let total = 104_857_600.0 / f64::from(speed);
            let first = total - 0.09;
            format!(
                "sin$ curl {option} -T run.h5 -o /dev/null -s -w 'v=%{{http_version}} connect=%{{time_connect}} tls=%{{time_appconnect}} ttfb=%{{time_starttransfer}} total=%{{time_total}} up=%{{size_upload}} speed=%{{speed_upload}}\\n' https://portal.example/up/\nv=2 connect=0.090412 tls=0.275300 ttfb={first:.3} total={total:.3} up=104857600 speed={speed}\n"
            )
        };
        let ping = format!(
            "sin$ ping -c 4 -q portal.example\nPING portal.example (198.51.100.9) 56(84) bytes of data.\n\n--- portal.example ping statistics ---\n4 packets transmitted, 4 received, 0% packet loss, time 3004ms\nrtt min/avg/max/mdev = {ms:.3}/{ms:.3}/{ms:.3}/0.048 ms\n"
        );
        let facts = read(&[Source {
            name: "t.txt".to_owned(),
            bytes: format!("{}{}{ping}", one(first), one(second)).into_bytes(),
        }]);
        let flows = crate::flows::flow::flows(&facts);
        Evidence::of(&facts, &flows[0]).stream_window.is_some()
    }

    /// 725 046 bytes a second in 90.2 ms are 65 399 bytes.
    #[test]
    fn a_window_of_a_stream_shows_beside_http_1() {
        let fast = ("--http1.1", 36_519_207);
        assert!(held(("--http2", 725_046), fast, 90.2));
        // Without an option HTTPS is by HTTP/2.
        assert!(held(("--compressed", 725_046), fast, 90.2));
    }

    #[test]
    fn other_windows_and_paths_as_slow_are_left() {
        // Twice as much was in flight.
        assert!(!held(
            ("--http2", 1_450_000),
            ("--http1.1", 36_519_207),
            90.2
        ));
        // HTTP/1.1 is as slow: it is the path, or a window without scaling.
        assert!(!held(("--http2", 725_046), ("--http1.1", 730_000), 90.2));
        // Both are by HTTP/1.1.
        assert!(!held(
            ("--http1.0", 725_046),
            ("--http1.1", 36_519_207),
            90.2
        ));
    }
}
