//! Windows of 0 in tcpdump's text: the receiver has no room, as its program does not read, and answers the sender's probes meanwhile
//! (RFC 9293 §3.8.6.1).

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::fact::Place;
use crate::flows::flow::{Flow, alike};
use crate::items::{Item, LOSSES, of};
use crate::read::Facts;
use crate::seen::End;

/// A window that is shut for so long, seconds, or in so many segments, is more than a moment's. Choices: the first probe waits for 200 ms.
const LONG_S: f64 = 0.2;
const OFTEN: usize = 3;

/// Most connections that are kept.
const KEPT_MAX: usize = 1000;

/// Windows of 0 that one end of a connection announced to the other.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ZeroWindow {
    /// Who announced them, and to whom.
    from: End,
    to: End,
    /// How many segments had one.
    count: usize,
    /// When it was shut, where it has not opened again, seconds.
    since: Option<f64>,
    /// The longest time for which it was, seconds.
    longest_s: f64,
    at: Place,
}

/// The window of a segment from one end to the other, and when it was seen, seconds of its day, where that is printed.
pub(crate) struct Announced<'a> {
    pub(crate) ends: [&'a End; 2],
    pub(crate) window: u64,
    pub(crate) time: Option<f64>,
    pub(crate) at: Place,
}

impl Facts {
    /// Takes the window that a segment announces; none of a segment that resets, which has 0 always.
    pub(crate) fn announces(&mut self, seen: &Announced<'_>) {
        let [from, to] = seen.ends;
        let room = self.zero_windows.len() < KEPT_MAX;
        let known = self
            .zero_windows
            .iter_mut()
            .find(|zero| zero.from == *from && zero.to == *to);
        match known {
            Some(zero) => zero.takes(seen),
            None if seen.window == 0 && room => {
                self.zero_windows.push(ZeroWindow {
                    from: from.clone(),
                    to: to.clone(),
                    count: 1,
                    since: seen.time,
                    longest_s: 0.0,
                    at: seen.at,
                });
            }
            None => {}
        }
    }
}

impl ZeroWindow {
    fn takes(&mut self, seen: &Announced<'_>) {
        if let Some((since, now)) = self.since.zip(seen.time) {
            self.longest_s = libm::fmax(self.longest_s, now - since);
        }
        match seen.window {
            0 => {
                self.count += 1;
                self.since = self.since.or(seen.time);
            }
            _ => self.since = None,
        }
    }

    /// Whether it was shut for more than a moment.
    pub(crate) fn lasts(&self) -> bool {
        self.count >= OFTEN || self.longest_s >= LONG_S
    }

    /// The one that was shut longest.
    pub(crate) fn longest(facts: &Facts) -> Option<ZeroWindow> {
        let all = facts.zero_windows.iter().filter(|zero| zero.lasts());
        let order = |zero: &ZeroWindow| (zero.longest_s, zero.count);
        let most = all.max_by(|a, b| {
            let ((a, n), (b, m)) = (order(a), order(b));
            a.total_cmp(&b).then(n.cmp(&m))
        });
        most.cloned()
    }

    /// Whether it may be of a flow: to its sender, by a name that both texts have, or of one without names.
    pub(crate) fn is_of(&self, flow: &Flow) -> bool {
        let aliases = flow.test.iter().flat_map(|t| t.aliases.iter().flatten());
        let mut names = [&flow.from.host, &flow.to.host].into_iter().chain(aliases);
        let unnamed = flow.from.host.is_empty() && flow.to.host.is_empty();
        unnamed || names.any(|name| !name.is_empty() && alike(name, &self.to.host))
    }

    /// What it shows, for people.
    fn sentence(&self) -> String {
        let long = match self.longest_s {
            s if s >= LONG_S => format!(", and it stayed shut for {s:.1} s at the longest"),
            _ => String::new(),
        };
        format!(
            "{} announced a window of 0 to {} in {} segments{long}: it answers, so that path and host are up, and its program does not read what came. No setting of buffers changes that",
            self.from.shown(),
            self.to.shown(),
            self.count
        )
    }
}

/// What holds a sender that has room to send.
const OTHERS: [Cause; 6] = [
    Cause::Application,
    Cause::Ramp,
    Cause::ReceiveWindow,
    Cause::NoWindowScaling,
    Cause::SendBuffer,
    Cause::Pacing,
];

/// Weighs windows of 0 where no text has a rate: what was measured of a flow says how much of its time they took.
pub(crate) fn by_zero_window(e: &Evidence, items: &mut Vec<Item>) {
    let zero = e.around.zero_window.as_ref();
    items.extend(zero.map(|zero| {
        Item {
            holds: 1.0,
            weights: match e.rate {
                Some(_) => Vec::new(),
                None => [
                    of(&LOSSES, -30.0),
                    of(&OTHERS, -40.0),
                    vec![(Cause::Client, 40.0)],
                ]
                .concat(),
            },
            sentence: zero.sentence(),
        }
    }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{Source, read};

    fn of_text(text: &str) -> Option<ZeroWindow> {
        let facts = read(&[Source {
            name: "t.txt".to_owned(),
            bytes: text.as_bytes().to_vec(),
        }]);
        ZeroWindow::longest(&facts)
    }

    fn segment(time: &str, flags: &str, window: u32) -> String {
        format!(
            "14:02:{time} IP 192.0.2.9.5432 > 198.51.100.5.40112: Flags [{flags}], ack 814897, win {window}, length 0\n"
        )
    }

    /// It "says nothing of a path".
    #[test]
    fn a_window_of_0_that_stays_is_its_programs() {
        let shut: String = ["11.101", "11.310", "11.720"]
            .map(|t| segment(t, ".", 0))
            .concat();
        let zero = of_text(&(shut + &segment("12.100", ".", 501))).expect("it was shut");
        assert_eq!(zero.count, 3);
        assert!((zero.longest_s - 0.999).abs() < 1e-6, "{zero:?}");
        assert!(
            zero.sentence()
                .contains("192.0.2.9:5432 announced a window of 0")
        );
    }

    #[test]
    fn a_moment_and_resets_are_none() {
        let moment = segment("11.101", ".", 0) + &segment("11.103", ".", 501);
        assert_eq!(of_text(&moment), None);
        let resets: String = ["11.1", "11.5", "11.9"]
            .map(|t| segment(t, "R.", 0))
            .concat();
        assert_eq!(of_text(&resets), None);
    }
}
