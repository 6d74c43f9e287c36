//! What many connections have in common, in words.

use farpath_record::count_of;

use super::{ADVISED, FIRST_WINDOW, FURTHER, Many, WINDOW_LEAST, named};
use crate::lab::bytes::quantity;
use crate::lab::held::{self, UNHELD};
use crate::lab::sender::SENDERS;

impl Many {
    /// In words, of the sender's host that has this number.
    pub(in crate::lab) fn words(&self, host: usize) -> String {
        self.said(host, "")
    }

    /// The same where connections were open for this part of the command's time alone: setting them up took less of that.
    pub(in crate::lab) fn words_of_part(&self, host: usize, part: f64) -> String {
        let whole = format!(", {:.0} % of the command's", 100.0 * part * self.opened());
        self.said(host, &whole)
    }

    /// In words, with the share of the `whole` that opening them took.
    fn said(&self, host: usize, whole: &str) -> String {
        let bytes = quantity(self.bytes_sent);
        let way = if self.from { "from" } else { "to" };
        let share = self.opened();
        let spared = match self.tls_round_trips > 0.0 {
            true => "them",
            false => "it",
        };
        // What one of a pool spends on its set-up, the others fill the link with.
        let is_full = self.side_by_side().is_some() && self.fill_a_link();
        let is_spared = !(is_full || self.is_unheard() || self.is_excessive());
        let advice = match share >= ADVISED && is_spared {
            true => format!(
                "; {} spares {spared}{}",
                self.behind.remedy(self.connections),
                self.growth()
            ),
            false => String::new(),
        };
        let mut causes = [
            (self.share_of(self.server_s), self.served()),
            (named(self.on_line()), self.lined()),
            (self.share_of(self.timers_s), self.repaired()),
            (self.share_of(self.late_s), self.answered_late()),
            (
                self.share_of(self.undecided.seconds),
                self.undecided.words(),
            ),
            (1.0, self.ended()),
        ];
        causes.sort_by(|a, b| b.0.total_cmp(&a.0));
        let said = causes.iter().filter(|(_, words)| !words.is_empty());
        let (mut first, mut last) = (String::new(), String::new());
        for (of, words) in said {
            match *of > share {
                true => first.push_str(&format!("{words}; ")),
                false => last.push_str(&format!("; {words}")),
            }
        }
        format!(
            "{} sent {bytes} over {} connections {way} port {}: {first}{}{advice}{last}{}{}",
            SENDERS[host],
            self.connections,
            self.port,
            self.trips(whole),
            self.held(host),
            self.idle(),
        )
    }

    /// How many round trips each took, and the share of the `whole` that opening them took; or that this is unknown.
    fn trips(&self, whole: &str) -> String {
        if let Some(open) = self.open_s.filter(|_| self.is_excessive()) {
            return format!(
                "how many round trips each took is unknown: what was measured of them adds up to {:.1} s, and they were open for {open:.1} s",
                self.lived()
            );
        }
        format!(
            "each took {:.1} round trips, {} ({:.0} % of their time{whole})",
            self.counted(),
            self.opening(),
            100.0 * self.opened(),
        )
    }

    /// How many round trips each took, without the server's time and that of timers: these are as long over any path.
    fn counted(&self) -> f64 {
        let least = self.opened() * self.lived();
        let others = self.server_s + self.timers_s + self.late_s;
        (self.lived() - others).max(least) / self.round_trips_s.max(f64::MIN_POSITIVE)
    }

    /// For how long the command did something else while it had them open, where they were open one after the other and that is worth naming.
    fn idle(&self) -> String {
        let whole = self.open_s.filter(|_| self.is_serial);
        match whole.filter(|whole| self.idle_s >= ADVISED * whole) {
            Some(whole) => format!(
                "; for {:.1} s of the {whole:.1} s in which they were open {} neither waited for them nor asked",
                self.idle_s.min(whole),
                SENDERS[0]
            ),
            None => String::new(),
        }
    }

    /// That a connection that is kept open has a window that has grown, too, where each of these sent more than a first one and took further round
    /// trips that nothing else accounts for. How much each message was is not known.
    fn growth(&self) -> &'static str {
        let of_messages = self.set_up_s + self.round_trips_s * (1.0 + self.tls_round_trips);
        let of_ends = self.server_s + self.held_small_s + self.other_held_small_s;
        let further =
            self.lived() - of_messages - of_ends - self.line_s - self.timers_s - self.late_s;
        let is_large = self.bytes_sent > FIRST_WINDOW * self.connections;
        match is_large && further >= FURTHER * self.round_trips_s {
            true => {
                ", and of messages that are larger than the first window (10 segments by default) most of its growth as well, where that is \
                 not taken back in idle times (net.ipv4.tcp_slow_start_after_idle)"
            }
            false => "",
        }
    }

    /// The part of their time that so many seconds are; 0 where it is not worth naming.
    fn share_of(&self, seconds: f64) -> f64 {
        named((seconds / self.lived()).min(1.0))
    }

    /// That the command waited for the server, where that took a part of their time worth naming.
    fn served(&self) -> String {
        let [command, server] = SENDERS;
        let words = self.took(self.server_s, &format!("{command} waited for {server}"));
        let words = match !words.is_empty() && 2.0 * self.errand_s >= self.server_s {
            true => format!("{words}, which waited for other connections of its own"),
            false => words,
        };
        let queued = self.share_of(self.accept_queue_s);
        let never = match self.unanswered {
            0 => String::new(),
            n => format!(
                "{} not answered before {command} closed",
                count_of(n, "request was", "requests were")
            ),
        };
        let words = match words.is_empty() || queued <= 0.0 {
            true => words,
            false => format!(
                "{words}, {:.0} % at least in its accept queue, as its program had not taken them",
                100.0 * queued
            ),
        };
        match words.is_empty() || never.is_empty() {
            true => words + &never,
            false => format!("{words}: {never}"),
        }
    }

    /// That the server ended some of them before the command did, without an answer, or with a reset.
    fn ended(&self) -> String {
        let [_, server] = SENDERS;
        let idle = match self.reset_idle == self.closed_idle {
            true => ", which were idle, before your command asked again, and answered with a reset",
            false => ", which were idle, before your command asked again",
        };
        let ends = [
            (
                self.closed_unanswered - self.closed_on_request,
                "closed or reset",
                " without an answer",
            ),
            (
                self.closed_on_request,
                "closed",
                " without an answer to the last request, behind earlier answers",
            ),
            (self.reset_answered, "reset", ", which had sent something"),
            (
                self.cut_short,
                "answered",
                " before it had all that your command was sending, and closed them",
            ),
            (self.closed_idle, "had closed", idle),
        ];
        let ends = ends.into_iter().filter(|(n, ..)| *n > 0);
        let said = ends.map(|(n, did, how)| format!("{server} {did} {n} of them{how}"));
        said.collect::<Vec<String>>().join("; ")
    }

    /// That what they carried filled a link, where that took a part of their time worth naming.
    fn lined(&self) -> String {
        let of = match self.side_by_side() {
            Some(_) => "the time in which any of them was open",
            None => "their time",
        };
        match named(self.on_line()) {
            0.0 => String::new(),
            share => format!(
                "a link of the path was full of what they carried {:.0} % of {of}",
                100.0 * share
            ),
        }
    }

    /// What took so many seconds, and the part of their time that it is, where that is worth naming.
    fn took(&self, seconds: f64, what: &str) -> String {
        match self.share_of(seconds) {
            0.0 => String::new(),
            share => format!("{what} {:.0} % of their time", 100.0 * share),
        }
    }

    /// What was lost of them, and what timers cost.
    fn repaired(&self) -> String {
        let syns = match self.syns_lost {
            0 => String::new(),
            n => format!(", {} among them", count_of(n, "SYN", "SYNs")),
        };
        match self.lost {
            0 => String::new(),
            n => format!(
                "{} lost{syns}: retransmission timers took {:.1} s ({:.0} % of their time)",
                count_of(n, "segment was", "segments were"),
                self.timers_s,
                100.0 * self.timers_s / self.lived()
            ),
        }
    }

    /// That the server left SYNs unanswered at first, as where its accept queue is full, where that took a part of their time worth naming.
    fn answered_late(&self) -> String {
        let [_, server] = SENDERS;
        let what = format!(
            "{server} left the first SYN of {} of them without an answer, which took",
            self.late
        );
        self.took(self.late_s, &what)
    }

    /// That small writes of either end waited, where that took a part of their time worth naming.
    fn held(&self, host: usize) -> String {
        let ends = [
            (host, self.held_small_s),
            (1 - host, self.other_held_small_s),
        ];
        let of = |(host, held): (usize, f64)| {
            let share = held / self.lived();
            (share >= ADVISED).then(|| {
                format!(
                    "; for {:.0} % of their time {}: {UNHELD}",
                    100.0 * share,
                    held::words(host)
                )
            })
        };
        ends.into_iter().filter_map(of).collect()
    }

    /// What was spent before the first request.
    fn opening(&self) -> String {
        let set_up = match self.fast {
            0 => "one of them to be set up".to_owned(),
            all if all == self.connections => {
                "none of them to be set up, as SYNs carried data (TCP Fast Open)".to_owned()
            }
            fast => format!(
                "one of them to be set up where the SYN carried no data, as on {} of {} (TCP Fast Open)",
                self.connections - fast,
                self.connections
            ),
        };
        let tls = match self.tls_round_trips {
            0.0 => return set_up,
            1.0 => "one".to_owned(),
            2.0 => "two".to_owned(),
            n => format!("{n:.1}"),
        };
        let window = match self.tls_window_round_trips {
            none if none < WINDOW_LEAST => "",
            _ => ", as the server's certificates are larger than its first window",
        };
        format!("{set_up} and {tls} for TLS{window}")
    }
}
