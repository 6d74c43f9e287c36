//! What became of the UDP datagrams of a program: by the lab's own count, packet by packet.

use std::time::Duration as Wall;

use farpath_element::Drop;
use farpath_emu::lab::Lab;
use farpath_record::count_of;
use farpath_scenario::NodeId;
use farpath_scenario::plan::Hop;
use farpath_units::{Duration, Time};
use serde::Serialize;

use super::at_rest::{AtRest, SAMPLING};
use super::refused::Refused;
use super::sender::SENDERS;

/// What one of the two hosts sent.
#[derive(Debug, Default, Serialize)]
pub(super) struct Sent {
    /// Who.
    sender: &'static str,
    /// Datagrams, whether they left the host or not.
    datagrams: u64,
    /// Payload of those that left it, in bytes.
    pub(super) bytes: u64,
    /// Those that the host's own queue, in front of its interface, dropped; one in fragments with the first of them.
    host_dropped: u64,
    /// Those that waited in front of the host's interface when the run ended: at least so many.
    host_waiting: u64,
    /// Those that the path dropped, anywhere; one in fragments with the first of them.
    dropped: u64,
    /// Those of the dropped ones that were larger than a link carries; none where none was.
    too_large: Option<TooLarge>,
    /// Those of the dropped ones whose TTL ended at a router.
    expired: u64,
    /// Those of the dropped ones that exceeded a policer's rate, and those that were lost by chance or on purpose.
    policer: u64,
    chance: u64,
    /// Those that were on the path when the run ended, on a link or in a queue.
    under_way: u64,
    /// Those that arrived with a wrong checksum: the receiver's kernel throws them away.
    damaged: u64,
    /// Frames of all kinds that found a queue on their way full.
    queue_full: u64,
    /// Frames of all kinds that found a link on their way down.
    path_down: u64,
    /// Share of the command's time, of its first hour in a longer one, in which frames of all kinds filled a link on their way.
    link_full_ratio: f64,
    /// Queries among them that the other host answered.
    answered: u64,
    /// Share of the command's time in which the other host had one of these or more, and had not answered.
    answering_ratio: f64,
    /// Share of the command's time in which one of the answered queries or more, or an answer, was on the way.
    asking_ratio: f64,
    /// How often one of the answered queries was sent again, as it or its answer was lost, and the share of the command's time in which one of
    /// them or more waited for that.
    retried: u64,
    retrying_ratio: f64,
    /// Queries that arrived at the other host, were never answered, and were asked again: at least; and the time until then, in which one of them
    /// or more waited, seconds.
    unanswered: u64,
    unanswered_s: f64,
    /// Others that arrived at the other host and had nothing back until the next one was sent, and for how long, seconds.
    #[serde(skip)]
    given_up: u64,
    #[serde(skip)]
    silent_s: f64,
    /// Why what limited them is doubtful: an invalid certificate; none with a valid one.
    doubt: Option<String>,
    /// The other host refused some.
    #[serde(skip)]
    is_refused: bool,
    /// The other host sent none at all.
    #[serde(skip)]
    is_alone: bool,
    /// Both sent so many that one may acknowledge what the other sends.
    #[serde(skip)]
    is_two_way: bool,
}

/// Datagrams that were larger than a link carries.
#[derive(Debug, Serialize)]
struct TooLarge {
    datagrams: u64,
    /// Bytes of the largest IP packet among them, of a fragment where they came in fragments.
    largest_bytes: u64,
    /// The first link of that way that was too narrow for a frame, and the largest IP packet that it carries, in bytes.
    link: Option<String>,
    mtu_bytes: Option<u32>,
}

impl TooLarge {
    /// Those of a host whose datagrams go over `hops`: none where none was too large.
    fn of(lab: &Lab, hops: &[Hop], (datagrams, largest_bytes): (u64, u64)) -> Option<TooLarge> {
        let plane = &lab.plane;
        let own = |hop: &Hop| plane.port(hop.port).counters().dropped(Drop::Mtu) > 0;
        let behind = |hop: &Hop| plane.dropped_behind(hop.port)[Drop::Mtu as usize] > 0;
        let mut ways = hops.iter().enumerate();
        let narrow = ways.find_map(|(n, hop)| match (own(hop), behind(hop)) {
            (true, _) => Some(hop),
            (false, true) => hops.get(n + 1),
            (false, false) => None,
        });
        let link = narrow.map(|hop| {
            let port = &plane.wan().plan.ports[hop.port];
            let link = &plane.scenario().links[port.link.0];
            (link.name.clone(), link.direction_from(port.from).mtu)
        });
        let (link, mtu_bytes) = link.unzip();
        (datagrams > 0).then_some(TooLarge {
            datagrams,
            largest_bytes,
            link,
            mtu_bytes,
        })
    }

    /// In words.
    fn words(&self) -> String {
        let are = if self.datagrams == 1 { "was" } else { "were" };
        let (link, mtu) = match (&self.link, self.mtu_bytes) {
            (Some(link), Some(mtu)) => (
                format!("link `{link}`"),
                format!(", and its MTU is {mtu} B"),
            ),
            _ => ("a link".to_owned(), String::new()),
        };
        format!(
            "; {} of these {are} too large for {link}: packets of up to {} B{mtu}",
            self.datagrams, self.largest_bytes
        )
    }
}

/// Whether a link is full is judged over rounds of this length.
const ROUND: Duration = Duration::from_ms(200);

/// A link that was full for this share of the time is named; fewer datagrams than these say nothing of a pace.
const NAMED: f64 = 0.1;
const STREAM: u64 = 100;

/// Who acknowledges datagrams sends one for so many at most.
const ACKNOWLEDGED: u64 = 20;

/// Where more than this share had not arrived yet when the run ended, what was sent says nothing of a sender that is slow.
const LEFT_MOST: f64 = 0.1;

/// A host that had queries for this share of the time is what they waited for; so is the path, where they were on it for so long.
const SLOW: f64 = 0.5;

/// What the hosts sent, the command's first, in the time that the command `took`; without who sent none.
pub(super) fn sent((path, lab, evidence): AtRest<'_>, took: Wall) -> Vec<Sent> {
    let plane = &lab.plane;
    let plan = &plane.wan().plan;
    let ways = path.ways(plan);
    let noted = SAMPLING.every.times(SAMPLING.count as u64);
    let took = Duration::from_ns(u64::try_from(took.as_nanos()).unwrap_or(u64::MAX / 1000));
    let end = Time::ZERO + took.min(noted);
    let of = |n: usize| {
        let node = NodeId(path.hosts[n]);
        let counted = plane.datagrams(node);
        // A host that is gone is a fault of the certificate.
        let host = lab.hosts.get(path.hosts[n]);
        let host_dropped = host.and_then(|host| host.datagrams_dropped().ok());
        let host_dropped = host_dropped.unwrap_or_default();
        let strays = plane.traffic().strays;
        let waiting = host.and_then(|host| host.datagrams_waiting(counted.sent, strays).ok());
        let host_waiting = waiting.unwrap_or_default();
        let datagrams = counted.sent + host_dropped + host_waiting;
        if datagrams == 0 {
            return None;
        }
        let queries = plane.queries(NodeId(path.hosts[1 - n]));
        let hops = plan.walk(plane.scenario(), ways[n]);
        let frames = |reason: Drop| {
            let ports = hops.iter().map(|hop| plane.port(hop.port));
            ports.map(|port| port.counters().dropped(reason)).sum()
        };
        let share = |time: Duration| (time.as_secs_f64() / took.as_secs_f64().max(1e-9)).min(1.0);
        let large = (counted.too_large, counted.too_large_bytes);
        Some(Sent {
            sender: SENDERS[n],
            datagrams,
            bytes: counted.bytes,
            host_dropped,
            host_waiting,
            // A fragment in front of one that the host dropped may be lost, too.
            dropped: counted.lost.min(counted.sent),
            too_large: TooLarge::of(lab, &hops, large),
            expired: counted.expired,
            policer: counted.policed,
            chance: counted.by_chance,
            under_way: plane
                .datagrams_under_way(node)
                .min(counted.sent.saturating_sub(counted.lost)),
            damaged: counted.damaged,
            queue_full: frames(Drop::Tail),
            path_down: frames(Drop::Down),
            link_full_ratio: evidence
                .way(ways[n])
                .full(Time::ZERO, end, ROUND)
                .values()
                // An empty sum is -0.
                .fold(0.0, |sum, share| sum + share),
            answered: queries.answered,
            answering_ratio: share(queries.at),
            asking_ratio: share(queries.way),
            retried: queries.retried,
            retrying_ratio: share(queries.retrying),
            unanswered: queries.unanswered,
            unanswered_s: queries.unheeded.as_secs_f64(),
            given_up: queries.given_up,
            silent_s: queries.silent.as_secs_f64(),
            ..Sent::default()
        })
    };
    let mut all: Vec<Sent> = [0, 1].into_iter().filter_map(of).collect();
    note_ways(&mut all);
    all
}

/// Whether both hosts sent, and each of them more than acknowledgements.
fn note_ways(all: &mut [Sent]) {
    match all {
        [one] => one.is_alone = true,
        [one, other] => {
            let is_enough = |a: u64, b: u64| a.saturating_mul(ACKNOWLEDGED) >= b;
            let [a, b] = [one.datagrams, other.datagrams];
            let is_two_way = is_enough(a, b) && is_enough(b, a);
            (one.is_two_way, other.is_two_way) = (is_two_way, is_two_way);
        }
        _ => {}
    }
}

impl Sent {
    /// The same with a doubt of what limited them.
    pub(super) fn doubted(self, doubt: Option<String>) -> Sent {
        Sent { doubt, ..self }
    }

    /// The same beside all that was `refused`: a program that hears of it sends no more.
    pub(super) fn refused(self, refused: &[Refused]) -> Sent {
        let is_refused = refused.iter().any(|r| r.is_of_datagrams(self.sender));
        Sent { is_refused, ..self }
    }

    /// Those that a policer and chance took, of the dropped ones.
    fn causes(&self) -> String {
        let policer = match self.policer {
            0 => String::new(),
            n => format!("; {n} of these exceeded a policer's rate: a slower pace spares that"),
        };
        let chance = match self.chance {
            0 => String::new(),
            1 => "; 1 of these was lost by chance".to_owned(),
            n => format!("; {n} of these were lost by chance"),
        };
        policer + &chance
    }

    /// What frames found on their way where datagrams were dropped: all frames, of TCP, pings and fragments as well.
    fn found(&self) -> String {
        let found = [
            (self.queue_full, "a queue full"),
            (self.path_down, "the path down"),
        ];
        let found = found
            .into_iter()
            .filter(|(n, _)| *n > 0 && self.dropped > 0)
            .map(|(n, what)| format!("{n} found {what}"));
        match found.collect::<Vec<_>>() {
            none if none.is_empty() => String::new(),
            some => format!(
                "; of frames of all kinds that went this way {}",
                some.join(", and ")
            ),
        }
    }

    /// What limited them beside connections that were `open` for this share of the time, and whether that is doubtful.
    fn pace(&self, open: Option<f64>) -> String {
        let doubt = self.doubt.as_ref();
        let doubt = doubt.map_or(String::new(), |why| format!("; that is doubtful: {why}"));
        match self.limit(open) {
            none if none.is_empty() => none,
            some => some + &doubt,
        }
    }

    /// The host that they were sent to.
    fn other(&self) -> &'static str {
        let [command, server] = SENDERS;
        match self.sender == server {
            true => command,
            false => server,
        }
    }

    /// Whether queries among them, or their answers, took more of the command's time than its connections, which were `open` for this share of
    /// it, where that is known.
    pub(super) fn outlasts(&self, open: Option<f64>) -> bool {
        let share = self.answering_ratio.max(self.asking_ratio);
        open.is_some_and(|open| share >= NAMED && share > open)
    }

    /// That queries among them waited to be answered, or were on the way, the larger share first; nothing where that took little. Between many
    /// short connections, which were `open` for a known share of the time, less is worth naming than of queries alone.
    fn waiting(&self, open: Option<f64>) -> String {
        let [at, way] = [self.answering_ratio, self.asking_ratio];
        // Neither may be half where both together are.
        let is_shared = at.min(way) >= NAMED && at + way >= SLOW;
        let least = match open.is_some() || is_shared {
            true => NAMED,
            false => SLOW,
        };
        let had = format!(
            "; {} had a query, and had not answered, for {:.0} % of the command's time: {} answered",
            self.other(),
            100.0 * at,
            self.answered
        );
        let went = format!(
            "; a query, or its answer, was on the way for {:.0} % of the command's time: {} answered, a round trip for each",
            100.0 * way,
            self.answered
        );
        // Where a link is full, they wait for that.
        let is_way = way >= least && self.link_full_ratio < way.min(SLOW);
        let mut all = [(at, at >= least, had), (way, is_way, went)];
        all.sort_by(|a, b| b.0.total_cmp(&a.0));
        let said = all.into_iter().filter(|(_, is_said, _)| *is_said);
        said.map(|(_, _, words)| words).collect()
    }

    /// What limited them: a full link, a slow answer, or that no more was sent. The last is not known in an invalid run, nor where much was
    /// still on its way, or nothing listens.
    fn limit(&self, open: Option<f64>) -> String {
        let share = self.link_full_ratio;
        let full = format!(
            "; a link of that way was full at least {:.0} % of the command's time",
            100.0 * share
        );
        match self.waiting(open) {
            none if none.is_empty() => {}
            some if share >= NAMED => return some + &full,
            some => return some,
        }
        let held_up = self.host_dropped + self.queue_full + self.path_down + self.policer;
        let is_dropped = held_up > 0;
        let left = (self.under_way + self.host_waiting) as f64;
        let is_left = left > LEFT_MOST * self.datagrams as f64;
        let is_told = self.unanswered + self.given_up > 0;
        let is_unknown = self.doubt.is_some() || self.is_refused || is_left || is_told;
        match share >= NAMED {
            true => full,
            false if is_dropped || is_unknown || self.datagrams < STREAM => String::new(),
            false => format!(
                "; {} sent no faster: a link of that way was full {:.0} % of the command's time{}",
                self.sender,
                100.0 * share,
                self.held_back()
            ),
        }
    }

    /// That losses may have held them back, where the other host may acknowledge them, as QUIC does: what the program makes of losses is not seen.
    fn held_back(&self) -> &'static str {
        match self.is_two_way && self.dropped > 0 {
            true => {
                "; whether losses held it back is unknown: a program that controls congestion, as QUIC does, sends less after one"
            }
            false => "",
        }
    }

    /// What retries cost; nothing where none was answered.
    fn retries(&self) -> String {
        match self.retried {
            0 => String::new(),
            n => format!(
                "; for {:.0} % of the command's time a query waited to be sent again: {} after it, or its answer, was lost",
                100.0 * self.retrying_ratio,
                count_of(n, "retry", "retries")
            ),
        }
    }

    /// What queries cost that arrived and were never answered; nothing where none is known.
    fn silences(&self) -> String {
        let (was, it) = match self.unanswered {
            0 => return String::new(),
            1 => ("was", "it was"),
            _ => ("were", "they were"),
        };
        format!(
            "; {} arrived at {} and {was} never answered: {:.1} s of waiting until {it} asked again",
            count_of(self.unanswered, "query", "queries"),
            self.other(),
            self.unanswered_s
        )
    }

    /// What datagrams cost that arrived and had nothing back, between queries that were answered.
    fn given_up(&self) -> String {
        match self.given_up {
            0 => String::new(),
            n => format!(
                "; {} arrived at {} and had nothing back until {} sent the next one: {:.1} s of silence, as of queries that were never answered",
                count_of(n, "datagram", "datagrams"),
                self.other(),
                self.sender,
                self.silent_s
            ),
        }
    }

    /// Those that did not arrive.
    fn gone(&self) -> u64 {
        self.host_dropped + self.host_waiting + self.dropped + self.under_way
    }

    /// That nothing came back for those that arrived; nothing where these were many, as a stream is, or the other host refused some.
    fn unheard(&self) -> String {
        let arrived = self.datagrams.saturating_sub(self.gone() + self.damaged);
        let is_unheard = self.is_alone && !self.is_refused && arrived > 0;
        if !is_unheard || self.datagrams >= STREAM {
            return String::new();
        }
        let what = match (arrived, arrived == self.datagrams) {
            (1, true) => "it arrived".to_owned(),
            (n, true) => format!("all {n} arrived"),
            (n, false) => format!("{n} arrived"),
        };
        format!("; {what}, and {} sent no datagram back", self.other())
    }

    /// What had neither arrived nor been dropped when the run ended; nothing where all had.
    fn left(&self) -> String {
        let share = |count: u64| 100.0 * count as f64 / self.datagrams as f64;
        let left = [
            (self.under_way, "on the path"),
            (self.host_waiting, "in the host's own interface queue"),
        ];
        let left = left.into_iter().filter(|(count, _)| *count > 0);
        let said = left.map(|(count, at)| format!("{count} ({:.1} %) {at}", share(count)));
        match said.collect::<Vec<_>>() {
            none if none.is_empty() => String::new(),
            some => format!("; at the end of the run still {}", some.join(", and ")),
        }
    }

    /// In words, beside connections that were `open` for this share of the command's time, where that is known.
    pub(super) fn line_beside(&self, open: Option<f64>) -> String {
        let all = count_of(self.datagrams, "datagram", "datagrams");
        let share = |count: u64| 100.0 * count as f64 / self.datagrams as f64;
        let counted = |count: u64| format!("{count} ({:.1} %)", share(count));
        let sender = self.sender;
        let mut line = match (self.host_dropped, self.dropped) {
            (0, 0) => format!("the path dropped none of {all} that {sender} sent"),
            (0, n) => format!(
                "of {all} that {sender} sent the path dropped {}",
                counted(n)
            ),
            (own, n) => {
                let verb = if own == 1 { "was" } else { "were" };
                let of_path = if n == 0 {
                    "none".to_owned()
                } else {
                    counted(n)
                };
                format!(
                    "of {all} that {sender} sent {} {verb} dropped in the host's own interface queue, and the path dropped \
                     {of_path}",
                    counted(own)
                )
            }
        };
        line += &self
            .too_large
            .as_ref()
            .map_or(String::new(), TooLarge::words);
        if self.expired > 0 {
            line += &format!("; {} of these at the end of their TTL", self.expired);
        }
        line += &self.causes();
        line += &self.found();
        line += &self.left();
        line += &self.pace(open);
        line += &self.retries();
        line += &(self.silences() + &self.given_up());
        line += &self.unheard();
        if self.damaged > 0 {
            // Of those that arrived, as `--corrupt` asks for it.
            let arrived = self.datagrams.saturating_sub(self.gone()).max(self.damaged);
            let share = 100.0 * self.damaged as f64 / arrived as f64;
            line += &format!(
                "; {} arrived damaged (wrong checksum, {share:.1} % of those that arrived)",
                self.damaged
            );
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Sent {
        /// In words, without a connection.
        fn line(&self) -> String {
            self.line_beside(None)
        }
    }

    /// Eight queries that arrive at a server which answers none; a stream needs no answer.
    #[test]
    fn a_server_that_answers_no_datagram_is_named() {
        let said = |datagrams, dropped, is_refused, is_alone| {
            let sent = Sent {
                sender: SENDERS[0],
                datagrams,
                dropped,
                is_refused,
                is_alone,
                ..Sent::default()
            };
            sent.line()
        };
        let back = "and the server sent no datagram back";
        let ends = |line: String, words: &str| {
            let wanted = format!("; {words}, {back}");
            assert!(line.ends_with(&wanted), "{line}");
        };
        ends(said(8, 0, false, true), "all 8 arrived");
        ends(said(1, 0, false, true), "it arrived");
        ends(said(8, 2, false, true), "6 arrived");
        for line in [
            said(8, 0, false, false),
            said(8, 0, true, true),
            said(8, 8, false, true),
            said(100, 0, false, true),
        ] {
            assert!(!line.contains(back), "{line}");
        }
    }

    /// Fifteen lost by chance, of a flow that is acknowledged and of one that is not.
    #[test]
    fn losses_may_hold_back_who_hears_of_them() {
        let said = |is_two_way, dropped| {
            let sent = Sent {
                sender: SENDERS[1],
                datagrams: 1500,
                dropped,
                is_two_way,
                ..Sent::default()
            };
            sent.line()
        };
        let words = "whether losses held it back is unknown";
        assert!(said(true, 15).contains(words), "{}", said(true, 15));
        assert!(!said(false, 15).contains(words) && !said(true, 0).contains(words));
    }

    #[test]
    fn what_the_path_dropped_is_said_with_its_share() {
        let sent = |dropped, damaged, queue_full, path_down| Sent {
            sender: SENDERS[0],
            datagrams: 1500,
            bytes: 1_500_000,
            dropped,
            damaged,
            queue_full,
            path_down,
            ..Sent::default()
        };
        let unhurried =
            "; your command sent no faster: a link of that way was full 0 % of the command's time";
        assert_eq!(
            sent(0, 0, 0, 0).line(),
            format!("the path dropped none of 1500 datagrams that your command sent{unhurried}")
        );
        assert_eq!(
            sent(0, 75, 0, 0).line(),
            format!(
                "the path dropped none of 1500 datagrams that your command sent{unhurried}; 75 arrived damaged (wrong checksum, 5.0 % of \
                 those that arrived)"
            )
        );
        let lost = sent(750, 75, 0, 0).line();
        let share = "; 75 arrived damaged (wrong checksum, 10.0 % of those that arrived)";
        assert!(lost.ends_with(share), "{lost}");
        assert_eq!(
            sent(525, 0, 500, 0).line(),
            "of 1500 datagrams that your command sent the path dropped 525 (35.0 %); of frames of all kinds that went this way \
             500 found a queue full"
        );
        assert_eq!(
            sent(525, 0, 500, 25).line(),
            "of 1500 datagrams that your command sent the path dropped 525 (35.0 %); of frames of all kinds that went this way \
             500 found a queue full, and 25 found the path down"
        );
        let own = |host_dropped, dropped| Sent {
            host_dropped,
            ..sent(dropped, 0, dropped, 0)
        };
        assert_eq!(
            own(900, 150).line(),
            "of 1500 datagrams that your command sent 900 (60.0 %) were dropped in the host's own interface queue, and the \
             path dropped 150 (10.0 %); of frames of all kinds that went this way 150 found a queue full"
        );
        assert_eq!(
            own(1, 0).line(),
            "of 1500 datagrams that your command sent 1 (0.1 %) was dropped in the host's own interface queue, and the path \
             dropped none"
        );
    }

    /// A stream that its program ends in the middle: what is in queues then has neither arrived nor been dropped.
    #[test]
    fn what_is_still_under_way_at_the_end_is_said() {
        let left = |under_way, host_waiting| {
            let sent = Sent {
                sender: SENDERS[0],
                datagrams: 10_000,
                dropped: 100,
                queue_full: 100,
                under_way,
                host_waiting,
                ..Sent::default()
            };
            sent.line()
        };
        let both = left(390, 10);
        let words = "100 found a queue full; at the end of the run still 390 (3.9 %) on the path, and 10 (0.1 %) in the host's own \
                     interface queue";
        assert!(both.ends_with(words), "{both}");
        assert!(left(390, 0).ends_with(" still 390 (3.9 %) on the path"));
        assert!(!left(0, 0).contains("at the end"));
    }

    /// 50 queries, and a server that takes 300 ms for each, across 20 ms.
    #[test]
    fn a_slow_server_of_queries_is_named() {
        let said = |answering_ratio| {
            let sent = Sent {
                sender: SENDERS[0],
                datagrams: 50,
                bytes: 2000,
                answered: 50,
                answering_ratio,
                ..Sent::default()
            };
            sent.line()
        };
        let words = "; the server had a query, and had not answered, for 94 % of the command's time: 50 answered";
        assert!(said(0.94).ends_with(words), "{}", said(0.94));
        assert!(!said(0.2).contains("had not answered"));
    }

    /// 200 queries one after the other across 20 ms, as of names: the path is what they wait for, and not a sender that is slow.
    #[test]
    fn queries_that_wait_for_the_path_are_named() {
        let said = |asking_ratio, link_full_ratio| {
            let sent = Sent {
                sender: SENDERS[0],
                datagrams: 200,
                bytes: 8000,
                answered: 200,
                answering_ratio: 0.02,
                asking_ratio,
                link_full_ratio,
                ..Sent::default()
            };
            sent.line()
        };
        let words = "; a query, or its answer, was on the way for 95 % of the command's time: 200 answered, a round trip for each";
        let line = said(0.95, 0.0);
        assert!(line.ends_with(words), "{line}");
        assert!(!line.contains("sent no faster"));
        assert!(said(0.3, 0.0).contains("sent no faster"));
        assert!(said(0.95, 0.9).contains("a link of that way was full at least 90 %"));
    }

    /// A server that takes about as long for each query as the path does: neither has half of the time. Less than a tenth of it is not named
    /// beside the other.
    #[test]
    fn queries_that_wait_for_server_and_path_alike_are_named() {
        let said = |answering_ratio, asking_ratio| {
            let sent = Sent {
                sender: SENDERS[0],
                datagrams: 200,
                answered: 200,
                answering_ratio,
                asking_ratio,
                ..Sent::default()
            };
            sent.line()
        };
        let both = said(0.496, 0.464);
        let words = "; the server had a query, and had not answered, for 50 % of the command's time: 200 answered; a query, or its answer, \
                     was on the way for 46 % of the command's time: 200 answered, a round trip for each";
        assert!(both.ends_with(words), "{both}");
        let most = said(0.2, 0.7);
        assert!(most.contains("for 20 % of the command's time"), "{most}");
        assert!(said(0.05, 0.48).contains("sent no faster"));
        assert!(said(0.1, 0.35).contains("sent no faster"));
    }

    /// Four of 50 queries, or the answers to them, are lost, and a client that waits 0.6 s asks again: 2.4 of 3.2 s.
    #[test]
    fn queries_that_were_sent_again_are_named() {
        let said = |retried: u64| {
            let sent = Sent {
                sender: SENDERS[0],
                datagrams: 54,
                dropped: 2,
                answered: 50,
                retried,
                retrying_ratio: 0.75,
                ..Sent::default()
            };
            sent.line()
        };
        let words = "; for 75 % of the command's time a query waited to be sent again: 4 retries after it, or its answer, was lost";
        assert!(said(4).ends_with(words), "{}", said(4));
        assert!(!said(0).contains("again"), "{}", said(0));
    }

    /// Twenty queries of which each second one has no answer, by other bytes each time.
    #[test]
    fn datagrams_that_have_nothing_back_are_named() {
        let said = |given_up: u64| {
            let sent = Sent {
                sender: SENDERS[0],
                datagrams: 39,
                answered: 20,
                given_up,
                silent_s: 9.5,
                ..Sent::default()
            };
            sent.line()
        };
        let words = "; 19 datagrams arrived at the server and had nothing back until your command sent the next one: 9.5 s of silence, as of queries \
                     that were never answered";
        assert!(said(19).ends_with(words), "{}", said(19));
        assert!(!said(0).contains("silence"), "{}", said(0));
    }

    /// Ten queries of which a server drops nine once each, and a client that waits half a second.
    #[test]
    fn queries_that_were_never_answered_are_named() {
        let said = |unanswered: u64, unanswered_s: f64| {
            let sent = Sent {
                sender: SENDERS[0],
                datagrams: 190,
                answered: 100,
                unanswered,
                unanswered_s,
                ..Sent::default()
            };
            sent.line()
        };
        let words = "; 9 queries arrived at the server and were never answered: 4.5 s of waiting until they were asked again";
        let nine = said(9, 4.5);
        assert!(nine.ends_with(words), "{nine}");
        assert!(!nine.contains("sent no faster"), "{nine}");
        let one = "; 1 query arrived at the server and was never answered: 0.5 s of waiting until it was asked again";
        assert!(said(1, 0.5).ends_with(one), "{}", said(1, 0.5));
        assert!(said(0, 0.0).contains("sent no faster"));
    }

    /// Three names in front of each of twelve connections: 48 % of the time, of which connections have 36 %.
    #[test]
    fn queries_between_connections_are_named_where_they_take_more() {
        let sent = Sent {
            sender: SENDERS[0],
            datagrams: 36,
            answered: 36,
            answering_ratio: 0.04,
            asking_ratio: 0.48,
            ..Sent::default()
        };
        let words = "; a query, or its answer, was on the way for 48 % of the command's time: 36 answered, a round trip for each";
        let line = sent.line_beside(Some(0.36));
        assert!(line.ends_with(words), "{line}");
        // Where connections took more, it is said behind them: from a tenth on.
        for (open, is_said) in [(Some(0.5), true), (None, false)] {
            let line = sent.line_beside(open);
            assert_eq!(line.ends_with(words), is_said, "{line}");
            assert!(!sent.outlasts(open));
        }
        let slow = Sent {
            answering_ratio: 0.45,
            asking_ratio: 0.2,
            ..sent
        };
        let line = slow.line_beside(Some(0.3));
        let words = "; the server had a query, and had not answered, for 45 % of the command's time: 36 answered; a query, or its answer, was \
                     on the way for 20 % of the command's time: 36 answered, a round trip for each";
        assert!(line.ends_with(words), "{line}");
        let seldom = Sent {
            answering_ratio: 0.09,
            asking_ratio: 0.09,
            ..slow
        };
        let line = seldom.line_beside(Some(0.3));
        assert!(!line.contains("query"), "{line}");
    }

    /// A flood into a policer on a line that loses some by chance, too.
    #[test]
    fn a_policer_is_told_apart_from_chance() {
        let said = |policer: u64, chance: u64| {
            let sent = Sent {
                sender: SENDERS[0],
                datagrams: 2495,
                dropped: policer + chance,
                policer,
                chance,
                ..Sent::default()
            };
            sent.line()
        };
        let both = said(991, 70);
        let words = "the path dropped 1061 (42.5 %); 991 of these exceeded a policer's rate: a slower pace spares that; 70 of these were lost by \
                     chance";
        assert!(both.ends_with(words), "{both}");
        let one = said(0, 1);
        assert!(one.contains("; 1 of these was lost by chance; "), "{one}");
        assert!(one.contains("sent no faster"), "{one}");
    }

    /// What traceroute sends.
    #[test]
    fn what_ended_at_a_router_is_said_to() {
        let sent = Sent {
            sender: SENDERS[0],
            datagrams: 12,
            dropped: 9,
            expired: 9,
            ..Sent::default()
        };
        assert_eq!(
            sent.line(),
            "of 12 datagrams that your command sent the path dropped 9 (75.0 %); 9 of these at the end of their TTL"
        );
    }

    /// Full packets into a link that carries less, and what is known where the link is not.
    #[test]
    fn what_was_too_large_is_named_with_link_and_mtu() {
        let said = |datagrams, link: Option<&str>| {
            let sent = Sent {
                sender: SENDERS[0],
                datagrams: 50,
                dropped: datagrams,
                too_large: Some(TooLarge {
                    datagrams,
                    largest_bytes: 1500,
                    link: link.map(str::to_owned),
                    mtu_bytes: link.map(|_| 1400),
                }),
                ..Sent::default()
            };
            sent.line()
        };
        assert_eq!(
            said(20, Some("wan")),
            "of 50 datagrams that your command sent the path dropped 20 (40.0 %); 20 of these were too large for link `wan`: \
             packets of up to 1500 B, and its MTU is 1400 B"
        );
        let one = said(1, None);
        let words = "; 1 of these was too large for a link: packets of up to 1500 B";
        assert!(one.ends_with(words), "{one}");
    }

    /// A burst most of which is on the way yet, and a machine that was too busy for the path and the program.
    #[test]
    fn a_sender_is_not_called_slow_where_that_is_unknown() {
        let said = |under_way, host_waiting, link_full_ratio, doubt: Option<&str>| {
            let sent = Sent {
                sender: SENDERS[0],
                datagrams: 1000,
                under_way,
                host_waiting,
                link_full_ratio,
                ..Sent::default()
            };
            sent.doubted(doubt.map(str::to_owned)).line()
        };
        assert!(said(60, 40, 0.0, None).contains("sent no faster"));
        assert!(!said(60, 41, 0.0, None).contains("sent no faster"));
        let busy = Some("the machine was busy");
        let slow = said(0, 0, 0.0, busy);
        assert!(slow.ends_with("that your command sent"), "{slow}");
        let full = said(0, 0, 0.93, busy);
        let words =
            " full at least 93 % of the command's time; that is doubtful: the machine was busy";
        assert!(full.ends_with(words), "{full}");
    }

    /// A stream into a link that it fills, one that it does not fill, and two queries.
    #[test]
    fn what_limited_datagrams_is_said() {
        let said = |datagrams, queue_full, link_full_ratio| {
            let sent = Sent {
                sender: SENDERS[1],
                datagrams,
                bytes: 1000 * datagrams,
                dropped: queue_full,
                queue_full,
                link_full_ratio,
                ..Sent::default()
            };
            sent.line()
        };
        let full = said(1000, 300, 0.93);
        let words = "300 found a queue full; a link of that way was full at least 93 % of the command's time";
        assert!(full.ends_with(words), "{full}");
        let slow = said(1000, 0, 0.02);
        assert!(slow.contains("; the server sent no faster: "), "{slow}");
        // A burst overflows a queue in less time than a link is judged by.
        assert!(said(1000, 30, 0.02).ends_with(" found a queue full"));
        assert!(said(2, 0, 0.0).ends_with("that the server sent"));
    }
}
