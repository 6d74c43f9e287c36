//! What is said of the connection that carried most.

use std::collections::BTreeMap;
use std::time::Duration as Wall;

use farpath_record::count_of;
use farpath_units::Duration;
use serde::Serialize;

use super::bytes::quantity;
use super::connections::{Alerts, Empty, InVain, Spent};
use super::ending::{Ending, Reset};
use super::failed::Failed;
use super::held::{self, HELD_LEAST, UNHELD};
use super::lost::Lost;
use super::many::Many;
use super::samples::{MANY, SHARED_LEAST, within};
use super::sender::SENDERS;
use super::too_soon::TooSoon;
use super::totals::Totals;

/// What is said of the connection that carried most.
#[derive(Debug, Default, Serialize)]
pub(super) struct Busiest {
    /// Whose it is: 0 the command's host, 1 the server's.
    #[serde(skip)]
    pub(super) host: usize,
    /// Who sends most of what it carries.
    pub(super) sender: &'static str,
    /// None where it was never sampled.
    pub(super) cc: Option<String>,
    /// The kernel's last figures of it are missing: it carried at least what is said here.
    pub(super) at_least: bool,
    /// By the kernel's counters, each byte once; segments with those sent again.
    pub(super) bytes_sent: u64,
    pub(super) segments_sent: u64,
    pub(super) segments_sent_again: u64,
    /// What the path dropped of its segments with data, by cause; none where its frames were not followed.
    pub(super) lost: Option<Lost>,
    /// The same of the other end's.
    pub(super) lost_back: Option<Lost>,
    /// Time that both ends waited for their timers to send again what was lost, seconds; 0 where frames were not followed.
    pub(super) timers_s: f64,
    /// How the server ended it before the command did; none where it did not, or had answered and closed.
    pub(super) server_ended: Option<Ending>,
    /// That the command reset it behind new data of its own, before the server had closed; none where it did not.
    pub(super) command_reset: Option<Reset>,
    /// Another connection between the same hosts may have steered how the server ended it.
    #[serde(skip)]
    pub(super) is_steered: bool,
    /// It is a subflow of Multipath TCP: its kernel's totals are not those of the connection.
    #[serde(skip)]
    pub(super) is_multipath: bool,
    /// Bytes that the command had written when the lab ended the server, and those of them that this had got; none where that is not so.
    #[serde(skip)]
    pub(super) cut_off: Option<[u64; 2]>,
    /// Acknowledgements without data that its receiver sent, and those of them that the path dropped on the way back.
    pub(super) acks: u64,
    pub(super) acks_lost: u64,
    /// How often the connection was sampled.
    pub(super) samples: usize,
    /// Share of the samples in which a small write waited for the acknowledgement of the one before.
    pub(super) held_small_ratio: f64,
    /// The same of the other end, in its own samples; none where they are few.
    pub(super) other_held_small_ratio: Option<f64>,
    /// Time that small writes of it and of the other end waited so, seconds, at least: by frames, in messages that somebody waited for. None
    /// where its frames were not followed, or do not say whether anybody waited.
    pub(super) held_small_s: Option<f64>,
    pub(super) other_held_small_s: Option<f64>,
    /// Share of its receiver's samples in which at least a segment lay unread; none where there are none.
    pub(super) unread_ratio: Option<f64>,
    /// Of the time before samples in which its program was seen to wait, with something in flight, the share in which it waited for
    /// room; none where there are none.
    pub(super) waited_for_room_ratio: Option<f64>,
    /// Why what limited it is doubtful: an invalid certificate; none with a valid one.
    pub(super) doubt: Option<String>,
    /// Connections of the same sender that carried anything, this one among them; what they sent together, each byte once; and what of
    /// it again.
    pub(super) connections: u64,
    pub(super) all_bytes_sent: u64,
    pub(super) all_segments_sent_again: u64,
    /// The least share of the time in which any of these was open for which one of them had a request outstanding, of a pool that the server kept
    /// busy; none where they are not such a pool.
    pub(super) outstanding_ratio: Option<f64>,
    /// On each of these the command asked again as soon as it was answered.
    #[serde(skip)]
    pub(super) is_back_to_back: bool,
    /// The most in any sample; none where they are too few, or none met any.
    pub(super) in_flight_max_bytes: Option<u64>,
    pub(super) path_holds_bytes: u64,
    /// Shares of its time by what limited it, those of `limited_by` in records, of what it waited for, and of the time in
    /// which nothing came through because the path had been down: they add up to 1. None where samples are too few.
    pub(super) limited_by: Option<BTreeMap<&'static str, f64>>,
    /// By how much a share of these may be off, as few samples are: none where they are none.
    pub(super) limited_by_within: Option<f64>,
    /// Time in which the path was down, and in which nothing arrived at the sender because of it, in seconds; 0 where there was none.
    pub(super) path_down_s: f64,
    /// Whose frames alone may have found it down; none where both may, or it was up.
    pub(super) path_down_from: Option<&'static str>,
    pub(super) silent_s: f64,
    /// The kernel's own totals; none where it said none.
    pub(super) kernel: Option<Totals>,
    /// What many small connections of the same sender have in common; none where one carried much of it.
    pub(super) many: Option<Many>,
    /// Time in which any connection was open, of those that were watched, seconds; none where that is not known.
    pub(super) open_s: Option<f64>,
    /// What of that this one was open, seconds; none where that is not known.
    pub(super) this_open_s: Option<f64>,
    /// Connections that the command asked for, and that nothing answered; none where that took no time.
    #[serde(skip)]
    pub(super) in_vain: Option<InVain>,
    /// Connections that the server ended without an answer.
    #[serde(skip)]
    pub(super) failed: Failed,
    /// Connections that the command closed while the answer was on its way; none where there are none.
    pub(super) closed_early: Option<TooSoon>,
    /// Connections that the command opened and that carried nothing; none where they are few.
    #[serde(skip)]
    pub(super) empty: Option<Empty>,
    /// Handshakes of TLS that ended with an alert.
    #[serde(skip)]
    pub(super) alerts: Alerts,
    /// What all connections of the command waited for.
    #[serde(skip)]
    pub(super) spent: Spent,
    /// Seconds between two connections that the command opened at equal times; none where it did not.
    #[serde(skip)]
    pub(super) opened_each_s: Option<f64>,
    /// Connections that the command asked for and that were refused.
    #[serde(skip)]
    pub(super) refused: u64,
    /// Time that the command ran, seconds; none where connections to some ports alone were watched.
    #[serde(skip)]
    pub(super) took_s: Option<f64>,
    /// What timers cost it, in words; empty where that is little.
    #[serde(skip)]
    pub(super) repaired: String,
    /// How long its handshake of TLS took, in words; empty where there was none, or that is little.
    #[serde(skip)]
    pub(super) handshake: String,
    /// What limited it, in words; empty where samples are too few and the kernel's totals say nothing.
    #[serde(skip)]
    pub(super) cause: String,
    /// What else there is to say, in words.
    #[serde(skip)]
    pub(super) figures: String,
    /// The same in a sentence: who sends, what limited it, and then the figures.
    #[serde(skip)]
    pub(super) line: String,
}

/// A receiver that has data to read in more of its samples than this is slow.
const SLOW: f64 = 0.5;

/// A smaller part of the time is not named.
const NAMED: f64 = 0.1;

/// Connections that were open for less than this part of a command's time leave most of it to something else.
const SELDOM: f64 = 0.5;

/// Small writes that frames know of, and that cost one part in so many of the samples that met one, kept nobody waiting for most of it.
const SELDOM_WAITED: f64 = 4.0;

impl Busiest {
    /// Puts its words together: the cause first, then figures, and at the end whether the cause is doubtful. Of many small connections what
    /// they have in common is said instead.
    pub(super) fn in_words(mut self) -> Busiest {
        self.doubt_held();
        let doubt = self.doubt.as_ref();
        let of_it = doubt.map_or(String::new(), |why| {
            format!("; what limited it is doubtful: {why}")
        });
        let doubt = doubt.map_or(String::new(), |why| format!("; that is doubtful: {why}"));
        if let Some(empty) = self.empty.as_ref().filter(|_| self.carries_nothing()) {
            self.line = self.before() + &empty.words(self.took_s) + &self.behind();
        } else if let Some(many) = &self.many {
            let part = self.open_part().or_else(|| many.part(self.took_s));
            let is_shared = part.is_none() && many.is_part(self.took_s);
            let shared = self.spent_words().filter(|_| is_shared);
            let words = match part {
                Some(part) => many.words_of_part(self.host, part),
                None => many.words(self.host),
            };
            let words = words + &self.outstanding();
            let few = self.so_few();
            let few = few.map(|few| format!("; {} samples, {few}", self.samples));
            let few = few.unwrap_or_default();
            // What waits for a processor takes more round trips, too. A link that all of them fill is the limit of each.
            let is_of_one = many.is_little() && !many.fill_a_link();
            let line = match is_of_one && !self.cause.is_empty() {
                true => format!(
                    "what {} sends{}, the largest of its connections: {}{few}; {words}{doubt}",
                    self.sender,
                    self.control(),
                    self.cause
                ),
                false => words + &doubt,
            };
            self.line = self.before() + &shared.unwrap_or_default() + &line + &self.behind();
        } else if !self.cause.is_empty() {
            let part = self.part();
            // Of the rest of the run all of them together say more.
            let spent = part.as_ref().and_then(|_| self.spent_words());
            self.line = format!(
                "{}{}what {} sends{}{}: {}{}; {}{}{of_it}",
                self.before(),
                spent.unwrap_or_default(),
                self.sender,
                self.control(),
                part.unwrap_or_default(),
                self.cause,
                self.handshake,
                self.figures,
                self.behind()
            );
        } else if !self.figures.is_empty() {
            // Nothing is known of the largest: what all of them waited for may be.
            let spent = self.spent_words().unwrap_or_default();
            self.line = self.before() + &spent + &self.figures + &self.behind();
        } else if let Some(in_vain) = &self.in_vain {
            self.line = in_vain.words();
        }
        self
    }

    /// That the connection which is spoken of was open for a small part of the time in which any was; none where it is a large one, or unknown.
    fn part(&self) -> Option<String> {
        let (this, any) = (self.this_open_s?, self.open_s?);
        (this < SELDOM * any).then(|| {
            format!(", on one connection, open for {this:.1} s of the {any:.1} s in which any was")
        })
    }

    /// What all connections of the command waited for, to stand in front of what is said of one; none where that says little.
    fn spent_words(&self) -> Option<String> {
        let spent = self.spent.words(self.took_s?)?;
        Some(format!("{spent}; "))
    }

    /// Leaves open how long small writes waited that samples saw and frames did not: what leaves with an acknowledgement and data together may
    /// answer that, or have waited for the first.
    fn doubt_held(&mut self) {
        let other = self.other_held_small_ratio.unwrap_or(0.0);
        let ends = [
            (self.held_small_ratio, &mut self.held_small_s),
            (other, &mut self.other_held_small_s),
        ];
        for (seen, held) in ends {
            *held = held.filter(|held| *held > 0.0 || seen < HELD_LEAST);
        }
    }

    /// The same of a command that ran for so long, where all of its connections were watched.
    pub(super) fn of_command(mut self, took: Wall, ports: &[u16]) -> Busiest {
        self.took_s = ports.is_empty().then_some(took.as_secs_f64());
        self.in_words()
    }

    /// The part of the command's time in which a connection was open, where that is little.
    fn open_part(&self) -> Option<f64> {
        self.open_share().filter(|part| *part < SELDOM)
    }

    /// The part of the command's time in which one of many short connections was open, where that is known.
    pub(super) fn open_ratio(&self) -> Option<f64> {
        self.many.and(self.open_share())
    }

    /// The part of the command's time in which any connection was open, where that is known.
    fn open_share(&self) -> Option<f64> {
        Some(self.open_s? / self.took_s?.max(f64::MIN_POSITIVE))
    }

    /// What stands in front of what limited the connection: what the command asked for in vain for half of its time or more, and that it had no
    /// connection for most of it.
    fn before(&self) -> String {
        let said = self.in_vain_or_ended(true).into_iter();
        said.map(|words| words + "; ").collect::<String>() + &self.none_open()
    }

    /// What the command asked for in vain, and what either end ended too soon, in words: where that is most of what there was, or where it is not.
    fn in_vain_or_ended(&self, is_most: bool) -> Vec<String> {
        let in_vain = self.in_vain.as_ref().map(InVain::words);
        let early = self.closed_early.as_ref();
        let is_early_most = early.is_some_and(TooSoon::is_most);
        let said = [
            (self.is_mostly_in_vain(), in_vain),
            (self.failed.is_most(), self.failed()),
            (is_early_most, early.map(TooSoon::words)),
            (self.alerts.is_most(), self.alerts.words()),
        ];
        let said = said.into_iter().filter(|(most, _)| *most == is_most);
        said.filter_map(|(_, words)| words).collect()
    }

    /// That the server ended connections without an answer, where nothing else says of how many.
    fn failed(&self) -> Option<String> {
        self.failed.words().filter(|_| self.many.is_none())
    }

    /// Whether no connection carried anything.
    fn carries_nothing(&self) -> bool {
        self.bytes_sent == 0 && self.connections == 0
    }

    /// What stands behind it: what the command asked for in vain for a shorter time.
    fn behind(&self) -> String {
        let empty = self.empty.as_ref().filter(|_| !self.carries_nothing());
        let empty = empty.filter(|empty| self.is_worth_naming(empty.seconds));
        let empty = empty.map(|empty| empty.words(self.took_s));
        let said = self.in_vain_or_ended(false).into_iter().chain(empty);
        said.map(|words| format!("; {words}")).collect()
    }

    /// Whether so many seconds are a part worth naming of the command's time, or of that in which any connection was open where it is not known.
    fn is_worth_naming(&self, seconds: f64) -> bool {
        let whole = self.took_s.or(self.open_s);
        whole.is_none_or(|whole| seconds >= NAMED * whole)
    }

    /// Whether nothing is known but that the command asked for connections in vain.
    pub(super) fn is_never_open(&self) -> bool {
        self.in_vain.is_some() && self.cause.is_empty() && self.figures.is_empty()
    }

    /// Whether the command asked for connections in vain for half of its time or more, or of that in which any was open where it is not known.
    fn is_mostly_in_vain(&self) -> bool {
        let seconds = self.in_vain.as_ref().map_or(0.0, |vain| vain.seconds);
        let whole = self.took_s.or(self.open_s);
        whole.is_none_or(|whole| seconds >= SELDOM * whole)
    }

    /// That the command had no connection for most of its time, to stand in front of what is said of them; empty where it had.
    fn none_open(&self) -> String {
        let by_timer = self.opened_each_s.map_or(String::new(), |each| {
            format!(", and opened one each {each:.2} s, as by a timer")
        });
        let refused = match self.refused {
            0 => String::new(),
            1 => ", and one that it asked for was refused".to_owned(),
            n => format!(", and {n} that it asked for were refused"),
        };
        match (self.open_part(), self.open_s, self.took_s) {
            (Some(_), Some(open), Some(took)) => format!(
                "connections across the path were open for {open:.1} s of {took:.1} s; for the rest your command had none open{by_timer}{refused}; "
            ),
            _ => String::new(),
        }
    }

    /// How much was in flight, and what was sent again.
    pub(super) fn in_flight(&self) -> String {
        let again = match self.segments_sent_again {
            0 => String::new(),
            n => format!(
                "; sent {}{} again",
                self.bound(),
                count_of(n, "segment", "segments")
            ),
        };
        let most = match self.in_flight_max_bytes {
            Some(most) => format!("at most {} in flight in {}", quantity(most), self.samples),
            None => format!("nothing in flight in any of {}", self.samples),
        };
        let few = self.so_few();
        let few = few.map_or(String::new(), |few| format!(", {few},"));
        let holds = quantity(self.path_holds_bytes);
        format!("{most} samples{few} on a path that holds {holds}{again}")
    }

    /// By how much shares may be off, where samples are few.
    fn so_few(&self) -> Option<String> {
        // Distances are never quite equal.
        let few = |off: &f64| *off > within(MANY as f64 - 0.5);
        let off = self.limited_by_within.filter(few)?;
        Some(format!(
            "so few that shares may be {:.0} % off",
            100.0 * off
        ))
    }

    /// Says what is `known` of a connection sampled too rarely in its `time`, what an outage did, and the kernel's totals, which may be a
    /// cause.
    pub(super) fn counted(&mut self, time: Duration, known: Vec<String>, outage: Option<String>) {
        let is_short = usize::from(self.samples < SHARED_LEAST);
        let why = ["samples too far apart", "too few samples"][is_short];
        let totals = self.kernel.as_ref().filter(|_| !self.is_multipath);
        let totals = totals.and_then(Totals::words);
        let all = match known.is_empty() && totals.is_none() {
            true => "what limited it",
            false => "all that limited it",
        };
        let known = known.into_iter().chain(totals).chain(outage);
        let known: Vec<String> = known.collect();
        self.cause = known.join("; ");
        let control = match self.cause.is_empty() {
            true => self.control(),
            false => String::new(),
        };
        // Bytes that the other end has got may be known of a connection whose segments nobody counted.
        let segments = match self.segments_sent {
            0 if self.bytes_sent > 0 => String::new(),
            n => format!(
                " in {}, {} of them again",
                count_of(n, "segment", "segments"),
                self.segments_sent_again
            ),
        };
        self.figures = format!(
            "{} sent {}{}{control}{segments}; {why} ({} in {:.1} s) to say what was in flight and {all}",
            self.sender,
            self.bound(),
            quantity(self.bytes_sent),
            self.samples,
            time.as_secs_f64(),
        );
    }

    /// The line of a connection to this end that never was open.
    pub(super) fn unopened(&self, to: &str) -> String {
        let how = match self.segments_sent_again {
            0 => "was refused, or given up before an answer had come",
            _ => "was never answered",
        };
        format!("{} sent nothing: its connection to {to} {how}", self.sender)
    }

    /// That small writes waited, what was lost on the way there and back, and what other connections of the sender carried.
    pub(super) fn besides(&self) -> String {
        let other = self.other_held_small_ratio.unwrap_or(0.0);
        let ratios = [self.held_small_ratio, other];
        let by_frames = [self.held_small_s, self.other_held_small_s];
        let is_known = self.limited_by.is_some();
        let held: String = [self.host, 1 - self.host]
            .map(held::words)
            .into_iter()
            .zip(ratios.into_iter().zip(by_frames))
            .filter(|(words, (share, _))| {
                is_known && *share >= HELD_LEAST && !self.cause.contains(words.as_str())
            })
            .map(|(words, (share, by_frames))| {
                format!(
                    "; in {:.0} % of the samples {words}: {}",
                    100.0 * share,
                    self.came_of_it(share, by_frames)
                )
            })
            .collect();
        let held = held + &self.held_by_frames();
        let others = match self.connections {
            0 | 1 => String::new(),
            n => format!(
                "; it is the largest of {n} connections, which sent {} in all, {} again{}",
                quantity(self.all_bytes_sent),
                count_of(self.all_segments_sent_again, "segment", "segments"),
                self.outstanding()
            ),
        };
        let ways = [(self.lost, "there"), (self.lost_back, "back")];
        let data = ways.map(|(lost, way)| lost.map_or(String::new(), |lost| lost.words(way)));
        let data = data.concat() + &self.repaired;
        let lost = match self.acks_lost {
            0 => String::new(),
            n => format!(
                "; on the way back {n} of {} {} lost",
                count_of(self.acks, "acknowledgement", "acknowledgements"),
                if n == 1 { "was" } else { "were" }
            ),
        };
        held + &data + &lost + &others
    }

    /// What came of it that small writes waited in this share of the samples, of an end of which frames know such waits, or not.
    fn came_of_it(&self, share: f64, by_frames: Option<f64>) -> &'static str {
        let all = self.limited_by.as_ref();
        let cost = all.and_then(|all| all.get("small_writes")).copied();
        match cost {
            None => "its data was late, and nobody waited for it",
            Some(cost) if by_frames > Some(0.0) && SELDOM_WAITED * cost < share => {
                "its data was late, and nobody waited for most of it"
            }
            Some(_) => UNHELD,
        }
    }

    /// That small writes waited, by frames, where samples say nothing of what limited it.
    fn held_by_frames(&self) -> String {
        let ends = [
            (self.host, self.held_small_s),
            (1 - self.host, self.other_held_small_s),
        ];
        let known = |(host, held): (usize, Option<f64>)| {
            let held = held.filter(|held| self.limited_by.is_none() && *held > 0.0)?;
            Some(format!("; for {held:.2} s {}: {UNHELD}", held::words(host)))
        };
        ends.into_iter().filter_map(known).collect()
    }

    /// That all connections of a pool were busy, behind how many they are.
    fn outstanding(&self) -> String {
        let waits = match self.is_back_to_back {
            true => format!(
                ", and asked again as soon as it was answered: where they are a pool of {}, further requests wait until one is free",
                self.connections
            ),
            false => String::new(),
        };
        self.outstanding_ratio.map_or(String::new(), |least| {
            format!(
                ", each with a request outstanding at least {:.0} % of the time in which any was open{waits}",
                100.0 * least
            )
        })
    }

    /// How the server or the command ended it, behind a cause; empty where that is nothing to say.
    pub(super) fn ended(&self) -> String {
        self.how_ended()
            .map_or(String::new(), |words| format!("; {words}"))
    }

    /// The same without what is in front of it.
    pub(super) fn how_ended(&self) -> Option<String> {
        let reset = self.command_reset.map(Reset::words);
        self.server_ended().or(reset)
    }

    /// How the server ended it; none where that is nothing to say.
    fn server_ended(&self) -> Option<String> {
        let ending = self.server_ended?;
        let [command, server] = SENDERS;
        Some(match (ending, self.cut_off) {
            (Ending::EndedByLab, Some([written, got])) => format!(
                "{command} ended with data still under way: {server} had got some {} of {} when the lab ended it",
                quantity(got),
                quantity(written)
            ),
            _ if self.is_steered && ending.is_without_answer() => format!(
                "{}: another connection between both was in use then, and may have arranged that",
                ending.words()
            ),
            _ => ending.words(),
        })
    }

    /// Why the window of a receiver of this name was full: it reads slowly, or its buffer is small.
    pub(super) fn reading(&self, receiver: &str) -> String {
        match self.unread_ratio {
            None => String::new(),
            Some(share) if share > SLOW => format!(
                "; {receiver} read slowly, and had data to read in {:.0} % of its samples",
                100.0 * share
            ),
            Some(_) => format!(
                "; {receiver} read what came: a larger receive buffer (SO_RCVBUF, tcp_rmem) lets more through"
            ),
        }
    }

    /// That the sender of a connection whose receiver reads slowly does not read either: it had data to read in this share of its samples. The receiver
    /// waited for room in this share of its own time, as far as that was seen.
    pub(super) fn stuck(&self, unread: Option<f64>, room: Option<f64>) -> String {
        let is_unread = [self.unread_ratio, unread].map(|share| share.is_some_and(|s| s > SLOW));
        let rooms = [self.waited_for_room_ratio, room];
        let is_elsewhere = rooms.into_iter().flatten().any(|share| share <= SLOW);
        match unread.filter(|_| is_unread == [true; 2] && !is_elsewhere) {
            Some(share) => format!(
                ", and {} had in {:.0} %: where each writes all before it reads, both wait for the other one to read, and neither goes on (a deadlock)",
                self.sender,
                100.0 * share
            ),
            None => String::new(),
        }
    }

    /// What stands before a number that may be too small.
    fn bound(&self) -> &'static str {
        if self.at_least { "at least " } else { "" }
    }

    /// The congestion control, in brackets.
    fn control(&self) -> String {
        let cc = self.cc.as_ref();
        cc.map_or(String::new(), |cc| format!(" ({cc})"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::many::Each;

    /// Both ends write, and neither reads; and a sender that reads what comes, or that waits for something else.
    #[test]
    fn two_ends_that_wait_for_each_other_to_read_are_named() {
        let told = Busiest {
            sender: "your command",
            unread_ratio: Some(0.97),
            waited_for_room_ratio: Some(1.0),
            ..Busiest::default()
        };
        let words =
            ", and your command had in 95 %: where each writes all before it reads, both wait";
        for room in [None, Some(0.9)] {
            let said = told.stuck(Some(0.95), room);
            assert!(said.starts_with(words), "{said}");
        }
        assert_eq!(told.stuck(Some(0.1), Some(0.9)), "");
        assert_eq!(told.stuck(None, Some(0.9)), "");
        assert_eq!(told.stuck(Some(0.95), Some(0.0)), "");
    }

    /// Twenty of a round trip to be set up and one for an answer, 60 ms away, and half a second of something else after each.
    #[test]
    fn a_command_without_a_connection_for_most_of_its_time_is_said_first() {
        let said = |took_ms: u64, ports: &[u16]| {
            let each = |n: u16| {
                let of = Each::numbered(n, 80, 500);
                Each {
                    rtt: Some(0.06),
                    busy: 0.06,
                    ..of
                }
            };
            let all: Vec<Each> = (0..20).map(each).collect();
            let told = Busiest {
                many: Many::of(&all),
                open_s: Some(2.4),
                ..Busiest::default()
            };
            told.of_command(Wall::from_millis(took_ms), ports).line
        };
        let seldom = said(12_000, &[]);
        let first = "connections across the path were open for 2.4 s of 12.0 s; for the rest your command had none open; your command sent";
        assert!(seldom.starts_with(first), "{seldom}");
        let hint =
            "(50 % of their time, 10 % of the command's); a connection that is kept open spares it";
        assert!(seldom.ends_with(hint), "{seldom}");
        let by_timer = Busiest {
            figures: "figures".to_owned(),
            open_s: Some(1.0),
            took_s: Some(10.0),
            opened_each_s: Some(1.04),
            ..Busiest::default()
        };
        let by_timer = by_timer.in_words().line;
        let words =
            "your command had none open, and opened one each 1.04 s, as by a timer; figures";
        assert!(by_timer.ends_with(words), "{by_timer}");
        let refused = Busiest {
            figures: "figures".to_owned(),
            open_s: Some(1.0),
            took_s: Some(10.0),
            refused: 16,
            ..Busiest::default()
        };
        let refused = refused.in_words().line;
        let words = "your command had none open, and 16 that it asked for were refused; figures";
        assert!(refused.ends_with(words), "{refused}");
        for often in [said(3000, &[]), said(12_000, &[80])] {
            assert!(often.starts_with("your command sent"), "{often}");
        }
    }

    /// One request of 0.2 s behind a sleep of 3 s, with a cause and without.
    #[test]
    fn one_short_connection_of_a_long_command_is_said_to_be_that() {
        let said = |cause: &str, took_ms: u64, ports: &[u16]| {
            let told = Busiest {
                sender: "your command",
                cause: cause.to_owned(),
                figures: "your command sent 200 B".to_owned(),
                open_s: Some(0.2),
                ..Busiest::default()
            };
            told.of_command(Wall::from_millis(took_ms), ports)
        };
        let first = "connections across the path were open for 0.2 s of 3.2 s; for the rest your command had none open; ";
        let short = said("setting it up took 50 % of the time", 3200, &[]);
        let words = format!("{first}what your command sends: setting it up took 50 %");
        assert!(short.line.starts_with(&words), "{}", short.line);
        assert_eq!(short.open_ratio(), None, "it is one");
        let unknown = said("", 3200, &[]).line;
        assert_eq!(unknown, format!("{first}your command sent 200 B"));
        for often in [said("", 300, &[]), said("", 3200, &[80])] {
            assert_eq!(often.line, "your command sent 200 B");
        }
    }

    /// One of several connections, as a data connection of FTP, open for 1.3 s or for most of the time in which any was.
    #[test]
    fn a_connection_that_covers_a_part_of_the_run_is_said_to_be_one() {
        let said = |this: Option<f64>| {
            let told = Busiest {
                sender: "the server",
                cause: "setting it up took 50 % of the time".to_owned(),
                figures: "figures".to_owned(),
                open_s: Some(17.0),
                this_open_s: this,
                ..Busiest::default()
            };
            told.of_command(Wall::from_secs(18), &[]).line
        };
        let part = "what the server sends, on one connection, open for 1.3 s of the 17.0 s in which any was: setting it up took 50 % of the time; figures";
        assert_eq!(said(Some(1.3)), part);
        let whole = "what the server sends: setting it up took 50 % of the time; figures";
        assert_eq!(said(Some(9.0)), whole);
        assert_eq!(said(None), whole);
    }

    /// Bytes of a connection that was never sampled, and of which the other end's kernel alone spoke.
    #[test]
    fn segments_that_nobody_counted_are_not_said_to_be_none() {
        let said = |segments_sent| {
            let mut told = Busiest {
                sender: "your command",
                bytes_sent: 14_000,
                segments_sent,
                ..Busiest::default()
            };
            told.counted(Duration::ZERO, Vec::new(), None);
            told.figures
        };
        assert!(said(0).starts_with("your command sent 14 kB; too few samples"));
        assert!(said(10).starts_with("your command sent 14 kB in 10 segments, 0 of them again; "));
    }

    /// Small writes in two of three samples, which cost 4 % of the time, or all of that.
    #[test]
    fn small_writes_of_a_stream_keep_nobody_waiting() {
        let said = |cost: Option<f64>, held_small_s: Option<f64>| {
            let shares = cost.map(|cost| ("small_writes", cost));
            let told = Busiest {
                held_small_ratio: 0.67,
                held_small_s,
                limited_by: Some(shares.into_iter().collect()),
                ..Busiest::default()
            };
            told.besides()
        };
        let stream = said(Some(0.04), Some(0.08));
        assert!(stream.ends_with("nobody waited for most of it"), "{stream}");
        for (cost, seen) in [(0.6, Some(1.8)), (0.04, Some(0.0)), (0.04, None)] {
            let spared = said(Some(cost), seen);
            assert!(spared.ends_with(UNHELD), "{spared}");
        }
        assert!(said(None, None).ends_with("nobody waited for it"));
    }

    /// Requests that leave with an acknowledgement and an answer together: samples saw that they wait.
    #[test]
    fn small_writes_that_samples_alone_saw_are_unknown_by_frames() {
        let known = |held_small_ratio, held: f64| {
            let told = Busiest {
                held_small_ratio,
                held_small_s: Some(held),
                other_held_small_s: Some(0.0),
                ..Busiest::default()
            };
            let told = told.in_words();
            (told.held_small_s, told.other_held_small_s)
        };
        assert_eq!(known(0.96, 0.0), (None, Some(0.0)));
        assert_eq!(known(0.96, 1.5), (Some(1.5), Some(0.0)));
        assert_eq!(known(0.05, 0.0), (Some(0.0), Some(0.0)));
    }

    #[test]
    fn a_pool_that_is_always_busy_is_said_to_be() {
        let said = |outstanding_ratio| {
            let told = Busiest {
                connections: 2,
                outstanding_ratio,
                ..Busiest::default()
            };
            told.besides()
        };
        let words = " again, each with a request outstanding at least 98 % of the time in which any was open";
        let busy = said(Some(0.98));
        assert!(busy.ends_with(words), "{busy}");
        assert!(said(None).ends_with(" again"));
    }

    #[test]
    fn one_acknowledgement_was_lost_and_two_were() {
        let said = |acks_lost| {
            let told = Busiest {
                acks: 31,
                acks_lost,
                ..Busiest::default()
            };
            told.besides()
        };
        assert_eq!(
            said(1),
            "; on the way back 1 of 31 acknowledgements was lost"
        );
        assert_eq!(
            said(2),
            "; on the way back 2 of 31 acknowledgements were lost"
        );
        assert_eq!(said(0), "");
    }
}
