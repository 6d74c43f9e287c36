//! When lines were printed, and beside which traffic: what `date` printed before them, and comments that name it.

use super::periods::Period;
use super::{Line, clocks, label, plain};
use crate::fact::Place;
use crate::programs::follow::TESTERS;
use crate::seen::{Side, Test};

/// Most dates, and most comments, that are kept.
const KEPT_MAX: usize = 10_000;

/// Most words of a comment that are weighed.
const WORDS_MAX: usize = 40;

/// How commands of routers begin that print what is counted.
const SHOWS: [&str; 7] = ["show ", "sho ", "sh ", "display ", "disp ", "dis ", "/"];

/// What is so many seconds apart, beside the length of a test, is of another time: queues and traffic are others. A choice.
const APART_S: f64 = 1800.0;

/// A report of mtr has so many lines at most behind the one that says its start: a packet passes fewer hops.
const REPORT_MAX: u32 = 64;

/// What began within so many lines below a date began at that time.
const RIGHT_ABOVE: u32 = 6;

/// What a router prints of one port has so many lines at most below its clock.
const CLOCK_ABOVE: u32 = 60;

/// How `date` calls the zone of what is printed without an offset from it.
const UTC: [&str; 2] = ["UTC", "GMT"];

/// Words that say that something goes on meanwhile, and words that say the opposite.
const MEANWHILE: [&str; 8] = [
    "with",
    "while",
    "during",
    "when",
    "beside",
    "running",
    "runs",
    "meanwhile",
];
const OVER: [&str; 10] = [
    "without", "no", "not", "stopped", "off", "before", "after", "idle", "paused", "finished",
];

/// Words that say that a ping was sent under load.
const LOADED: [&str; 6] = ["load", "loaded", "during", "meanwhile", "while", "running"];

/// Traffic that is not that of a program which measures.
const OTHERS: [&str; 8] = [
    "backup",
    "backups",
    "camera",
    "cameras",
    "cctv",
    "replication",
    "streaming",
    "others",
];

/// Traffic of one way, as clients call it.
const UPLOADS: [&str; 3] = ["upload", "uploads", "uploading"];
const DOWNLOADS: [&str; 3] = ["download", "downloads", "downloading"];

/// Dates and comments among the lines of texts, in their order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Moments {
    dates: Vec<(Place, Date)>,
    /// Their words, in small letters.
    comments: Vec<(Place, Vec<String>)>,
    /// Minutes of the day that stand above what follows.
    clocks: Vec<(Place, i64)>,
    /// Times that headings, comments and names of files name.
    headings: Vec<(Place, Period)>,
    /// Lines that say that what follows was sent under load, and headings that say the opposite.
    loads: Vec<(Place, bool)>,
    /// The names of hosts at prompts behind which something was typed.
    prompts: Vec<(Place, String)>,
    /// Lines on which a command was typed, of hosts and of routers, and the name at the prompt where that is a Unix shell's, which may be empty.
    commands: Vec<(Place, Option<String>)>,
    /// When reports of mtr began, seconds since 1970.
    starts: Vec<(Place, i64)>,
}

/// What `date` printed.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Date {
    /// Seconds since 1970 by the host's own clock and zone.
    seconds: i64,
    /// Its time zone, as printed.
    zone: String,
}

impl Moments {
    /// Takes a line that no tool took, where it is a date or a comment.
    pub(super) fn read(&mut self, line: Line<'_>) {
        self.load(line);
        if let Some(start) = start(line.bare).filter(|_| self.starts.len() < KEPT_MAX) {
            self.starts.push((line.at, start));
        }
        if let Some(period) = heading(line.bare).and_then(|text| Period::of(&words(text)))
            && self.headings.len() < KEPT_MAX
        {
            self.headings.push((line.at, period));
        }
        if let Some(date) = date(line.bare) {
            if self.dates.len() < KEPT_MAX {
                self.dates.push((line.at, date));
            }
        } else if let Some(words) = comment(line.bare)
            && self.comments.len() < KEPT_MAX
        {
            self.comments.push((line.at, words));
        }
    }

    /// Takes a time of day above what follows, also where a tool knows its line.
    pub(super) fn clock(&mut self, line: Line<'_>) {
        if let Some(minute) = clocks::of_day(line.bare)
            && self.clocks.len() < KEPT_MAX
        {
            self.clocks.push((line.at, minute));
        }
    }

    /// Takes a line on which a command was typed, also where a tool knows it, and what a comment behind it says of other traffic.
    pub(super) fn command(&mut self, line: Line<'_>) {
        if let Some(words) = behind_command(line.bare).filter(|words| speaks_of_others(words))
            && self.comments.len() < KEPT_MAX
        {
            self.comments.push((line.at, words));
        }
        let shows = |text: &str| SHOWS.iter().any(|w| text.starts_with(w));
        let typed = label::behind_prompt(line.bare);
        let typed = typed.is_some_and(|text| shows(text) || label::is_known(text));
        if typed && self.commands.len() < KEPT_MAX {
            let name = || crate::redact(label::name_at_prompt(line.bare).unwrap_or_default());
            let shell = label::is_unix(line.bare).then(name);
            self.commands.push((line.at, shell));
        }
    }

    /// Whether the last command above a place was typed at a shell's prompt without a name.
    pub(crate) fn is_typed_unnamed(&self, at: Place) -> bool {
        self.shell(at) == Some("")
    }

    /// The name at the prompt of the last command above a place, which may be empty; none where the prompt is of another system.
    fn shell(&self, at: Place) -> Option<&str> {
        before(&self.commands, at)?.1.as_deref()
    }

    /// Whether a command was typed between two places.
    pub(crate) fn is_typed_between(&self, first: Place, last: Place) -> bool {
        let above = self.commands.partition_point(|(at, _)| *at <= first);
        self.commands.get(above).is_some_and(|(at, _)| *at < last)
    }

    /// Whether `date` printed something between two places.
    pub(crate) fn is_dated_between(&self, first: Place, last: Place) -> bool {
        let above = self.dates.partition_point(|(at, _)| *at <= first);
        self.dates.get(above).is_some_and(|(at, _)| *at < last)
    }

    /// Takes what a line says of the load under which what follows was sent.
    fn load(&mut self, line: Line<'_>) {
        let heads = heading(line.bare);
        let prose = heads.or(Some(line.bare).filter(|text| !label::is_typed(text)));
        let words = prose.map(words).unwrap_or_default();
        let (over, loaded) = (has(&words, &OVER), has(&words, &LOADED));
        if (loaded && !over || over && heads.is_some()) && self.loads.len() < KEPT_MAX {
            self.loads.push((line.at, !over));
        }
    }

    /// A test was started in the background: what follows was sent beside it.
    pub(super) fn under_way(&mut self, at: Place) {
        if self.loads.len() < KEPT_MAX {
            self.loads.push((at, true));
        }
    }

    /// Whether a text says that what was printed at a place was sent under load.
    pub(crate) fn is_loaded(&self, at: Place) -> bool {
        before(&self.loads, at).is_some_and(|(_, loaded)| *loaded)
    }

    /// Takes a line that is a heading of a time alone, such as `Monday:`, whatever tool printed the lines before it.
    pub(super) fn heads(&mut self, line: Line<'_>) -> bool {
        let alone = line.bare.ends_with(':') && !label::is_typed(line.bare);
        let heads = alone && Period::of(&words(line.bare)).is_some();
        if heads {
            self.read(line);
        }
        heads
    }

    /// Something was typed at the prompt of a host of this name, which may be empty.
    pub(super) fn prompt(&mut self, at: Place, name: &str) {
        if !name.is_empty() && self.prompts.len() < KEPT_MAX {
            self.prompts.push((at, name.to_owned()));
        }
    }

    /// Whether what was printed at a place was over before a test began: both were typed at one prompt, one after the other.
    pub(crate) fn is_over_before(&self, test: &Test, at: Place) -> bool {
        let shell = |at| before(&self.prompts, at).map(|(_, name)| name);
        let earlier = test.at.lines_below(at).is_some_and(|lines| lines > 0);
        earlier && shell(at).is_some() && shell(at) == shell(test.at)
    }

    /// Whether nothing says that what was printed at two places was typed at prompts of two hosts.
    pub(crate) fn may_share_shell(&self, one: Place, other: Place) -> bool {
        let named = |at| self.shell(at).filter(|name| !name.is_empty());
        let both = named(one).zip(named(other));
        both.is_none_or(|(one, other)| one == other)
    }

    /// A source of this number begins, and its file may be named by a time: `monday.txt`.
    pub(super) fn file(&mut self, number: u32, name: &str) {
        let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
        let period = Period::of(&words(file)).filter(|_| self.headings.len() < KEPT_MAX);
        let place = Place::Line(number, 0);
        self.headings.extend(period.map(|period| (place, period)));
    }

    /// Whether texts have neither, and name no times.
    pub(crate) fn is_empty(&self) -> bool {
        let timed = !self.dates.is_empty() || !self.clocks.is_empty() || !self.starts.is_empty();
        !timed && self.comments.is_empty() && self.headings.is_empty()
    }

    /// Whether a text has a date within half an hour of one by another clock, in seconds since 1970, whatever their zones.
    pub(crate) fn has_date_near(&self, seconds: i64) -> bool {
        let mut apart = self.dates.iter().map(|(_, d)| (d.seconds - seconds).abs());
        apart.any(|apart| apart as f64 <= APART_S)
    }

    /// How many minutes lie between the times of day above two places; none where one has none.
    pub(crate) fn minutes_apart(&self, one: Place, other: Place) -> Option<i64> {
        let of = |at| before(&self.clocks, at).map(|(_, minute)| *minute);
        Some(clocks::apart(of(one)?, of(other)?))
    }

    /// The second of the day that `date` printed right above a place, by the clock of its host; none where none stands there.
    pub(crate) fn second_of_day(&self, at: Place) -> Option<f64> {
        let (above, date) = before(&self.dates, at)?;
        let near = at
            .lines_below(*above)
            .is_some_and(|lines| lines <= RIGHT_ABOVE);
        near.then(|| date.seconds.rem_euclid(86_400) as f64)
    }

    /// How many seconds lie between the dates above two places, by clocks of one zone; none where a date stands far above, or above both.
    pub(crate) fn seconds_between(&self, one: Place, other: Place) -> Option<f64> {
        let above = |at: Place| {
            let (place, date) = before(&self.dates, at)?;
            let near = at.lines_below(*place).is_some_and(|n| n <= CLOCK_ABOVE);
            near.then_some((*place, date))
        };
        let ((first, began), (last, ended)) = (above(one)?, above(other)?);
        let apart = first != last && began.zone == ended.zone;
        apart.then(|| (ended.seconds - began.seconds) as f64)
    }

    /// Whether headings or dates say that what was printed at a place is of another time than a test.
    pub(crate) fn is_of_another_time(&self, test: &Test, at: Place) -> bool {
        let both = before(&self.dates, test.at).zip(before(&self.dates, at));
        let report = test.received.as_ref().or(test.sent.as_ref());
        let took = report.map_or(0.0, |r| r.seconds);
        let under = |at| before(&self.headings, at).map(|(_, period)| period);
        let minutes = self.minutes_apart(test.at, at);
        let clocks = minutes.is_some_and(|minutes| (60 * minutes) as f64 > APART_S + took);
        let earlier = self.began_before(test, at);
        // Where clocks above both agree, a later report on the same day says nothing of this one.
        let least = minutes.map_or(APART_S + took, |_| 20.0 * 3600.0);
        let earlier = earlier.is_some_and(|seconds| seconds > least);
        if clocks || earlier || Period::differ(under(test.at), under(at)) {
            return true;
        }
        both.is_some_and(|((_, test), (_, other))| {
            let apart = (test.seconds - other.seconds).abs() as f64;
            test.zone == other.zone && apart > APART_S + took
        })
    }

    /// By how many seconds a report of mtr that stands at a place began before the latest of all texts, or was away from the date above a test
    /// where that has the same zone; none where it says no start.
    fn began_before(&self, test: &Test, at: Place) -> Option<f64> {
        let (head, own) = before(&self.starts, at)?;
        let near = at
            .lines_below(*head)
            .is_some_and(|lines| lines <= REPORT_MAX);
        if !near || self.is_typed_between(*head, at) {
            return None;
        }
        let dated = before(&self.dates, test.at).map(|(_, date)| date);
        let dated = dated.filter(|date| UTC.contains(&date.zone.as_str()));
        let latest = self.starts.iter().map(|(_, start)| *start).max();
        let apart = match dated {
            Some(date) => (date.seconds - own).abs(),
            None => latest? - own,
        };
        Some(apart as f64)
    }

    /// The end of the client in tests of the way that the comment above a place says was loaded meanwhile; none where it names no way, or both.
    pub(crate) fn way_beside(&self, at: Place) -> Option<Side> {
        let (_, words) = before(&self.comments, at)?;
        let meanwhile = has(words, &MEANWHILE) && !has(words, &OVER);
        match (has(words, &UPLOADS), has(words, &DOWNLOADS)) {
            (true, false) if meanwhile => Some(Side::Sender),
            (false, true) if meanwhile => Some(Side::Receiver),
            _ => None,
        }
    }

    /// Whether the comment above a place names traffic that is not a test's, and the test stands under another, which names none.
    pub(crate) fn is_beside_others(&self, test: &Test, at: Place) -> bool {
        let own = before(&self.comments, test.at);
        let Some((place, words)) = before(&self.comments, at) else {
            return false;
        };
        let beside = |words: &[String]| {
            let another_way = match test.client {
                Side::Receiver => has(words, &UPLOADS),
                Side::Sender => has(words, &DOWNLOADS),
            };
            (has(words, &OTHERS) || another_way) && has(words, &MEANWHILE) && !has(words, &OVER)
        };
        let as_well = own.is_some_and(|(own, words)| own == place || beside(words));
        TESTERS.contains(&test.tool) && beside(words) && !as_well
    }
}

/// Whether one of some words is in a list.
fn has(words: &[String], list: &[&str]) -> bool {
    words.iter().any(|w| list.contains(&w.as_str()))
}

/// Whether words name traffic that may go on beside a test's.
fn speaks_of_others(words: &[String]) -> bool {
    has(words, &OTHERS) || has(words, &UPLOADS) || has(words, &DOWNLOADS)
}

/// The words of a comment behind a command that was typed: `$ iperf3 -c far  # while the backup runs`.
fn behind_command(text: &str) -> Option<Vec<String>> {
    let typed = label::behind_prompt(text).filter(|_| label::is_typed(text))?;
    let (_, comment) = typed.split_once(" #")?;
    Some(words(comment))
}

/// The last of a list that stands above a line of the same text.
fn before<T>(all: &[(Place, T)], at: Place) -> Option<&(Place, T)> {
    let Place::Line(source, _) = at else {
        return None;
    };
    let above = all.partition_point(|(place, _)| *place < at);
    let last = all[..above].last()?;
    matches!(last.0, Place::Line(own, _) if own == source).then_some(last)
}

/// The words of a shell's comment, or of a line that ends with a colon.
fn comment(text: &str) -> Option<Vec<String>> {
    if label::is_typed(text) {
        return None;
    }
    let behind = || label::behind_prompt(text).filter(|t| t.starts_with('#'));
    let is_comment = text.starts_with('#') || text.ends_with(':') || behind().is_some();
    let words = words(behind().unwrap_or(text));
    (is_comment && words.len() > 1).then_some(words)
}

/// The words of a text as far as they are weighed, in small letters.
pub(super) fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    let words = words.filter(|w| !w.is_empty()).take(WORDS_MAX);
    words.map(str::to_lowercase).collect()
}

/// When a report of mtr began, seconds since 1970: `Start: 2026-11-18T10:00:01+0000`, without its zone `Start: Wed Nov 18 10:00:01 2026`.
fn start(text: &str) -> Option<i64> {
    let said = text.strip_prefix("Start: ")?.trim();
    if let Some(date) = date(said) {
        return Some(date.seconds);
    }
    let (day, clock) = said.split_once('T')?;
    let mut parts = day.split('-').map(|part| part.parse::<i64>().ok());
    let (year, month, of_month) = (parts.next()??, parts.next()??, parts.next()??);
    let fits = (1970..=9999).contains(&year) && (1..=12).contains(&month);
    if !fits || !(1..=31).contains(&of_month) || parts.next().is_some() {
        return None;
    }
    let (hours, minutes) = minutes(clock.get(..8)?)?;
    let zone = clock.get(8..).unwrap_or("").replace(':', "");
    let offset = match (zone.get(..1), zone.get(1..3), zone.get(3..5)) {
        (Some(sign @ ("+" | "-")), Some(hours), Some(minutes)) => {
            let ahead = 3_600 * hours.parse::<i64>().ok()? + 60 * minutes.parse::<i64>().ok()?;
            if sign == "+" { ahead } else { -ahead }
        }
        _ => 0,
    };
    let second = second_of(clock);
    Some(days(year, month, of_month) * 86_400 + hours * 3_600 + minutes * 60 + second - offset)
}

/// What may name a time for the lines below: a shell's comment, also behind a command, a line that begins with a rule, and one that ends with
/// a colon.
fn heading(text: &str) -> Option<&str> {
    if label::is_typed(text) {
        let (_, comment) = label::behind_prompt(text)?.split_once(" #")?;
        return Some(comment);
    }
    let behind = label::behind_prompt(text).filter(|t| t.starts_with('#'));
    let begins = text.starts_with('#') || text.starts_with("--");
    let is_heading = begins || text.ends_with(':') || behind.is_some();
    is_heading.then_some(behind.unwrap_or(text))
}

/// Seconds since 1970 of what `date` or `dmesg -T` printed, by the clock and the zone of its host.
pub(super) fn seconds(text: &str) -> Option<i64> {
    Some(date(text)?.seconds)
}

/// What `date` printed, if a line is that: `Thu Nov 26 02:58:10 UTC 2026`, `Thu 26 Nov 02:58:10 PM CET 2026`.
fn date(text: &str) -> Option<Date> {
    if !plain::is_date(text) {
        return None;
    }
    let (mut year, mut month, mut day, mut clock) = (None, None, None, None);
    let (mut noon, mut zone, mut second) = (None, "", 0);
    let words = text.split_whitespace();
    for word in words.filter(|w| !plain::DAYS.contains(w)) {
        let word = word.trim_start_matches(['*', '.']);
        let is_number = word.bytes().all(|b| b.is_ascii_digit());
        let number: Option<i64> = word.parse().ok().filter(|_| is_number);
        match (word, number) {
            (_, Some(n @ 1..=31)) => day = Some(n),
            (_, Some(n @ 1970..=9999)) => year = Some(n),
            ("AM", _) => noon = Some(0),
            ("PM", _) => noon = Some(12),
            _ if word.contains(':') => (clock, second) = (minutes(word), second_of(word)),
            _ => match plain::MONTHS.iter().position(|m| *m == word) {
                Some(n) => month = Some(n as i64 + 1),
                None => zone = word,
            },
        }
    }
    let (hours, minutes) = clock?;
    let hours = noon.map_or(hours, |noon| hours % 12 + noon);
    Some(Date {
        seconds: days(year?, month?, day?) * 86_400 + hours * 3_600 + minutes * 60 + second,
        zone: zone.to_owned(),
    })
}

/// Hours and minutes of `02:58:10`.
fn minutes(clock: &str) -> Option<(i64, i64)> {
    let mut parts = clock.split(':').map(|part| part.parse::<u8>().ok());
    let (hours, minutes) = (parts.next()??, parts.next()??);
    (hours < 24 && minutes < 60).then_some((i64::from(hours), i64::from(minutes)))
}

/// The seconds of `02:58:10`, 0 where it has none.
fn second_of(clock: &str) -> i64 {
    let third = clock.split(':').nth(2).and_then(|text| text.get(..2));
    let second = third.and_then(|text| text.parse::<u8>().ok());
    second.map_or(0, i64::from)
}

/// Days from a fixed one to a date of the Gregorian calendar.
fn days(year: i64, month: i64, day: i64) -> i64 {
    // A year that begins in March has its leap day last.
    let year = if month <= 2 { year - 1 } else { year };
    let since_march = (month + 9) % 12;
    let of_years = 365 * year + year / 4 - year / 100 + year / 400;
    of_years + (since_march * 306 + 5) / 10 + day
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(text: &str) -> i64 {
        date(text).expect("a date").seconds
    }

    #[test]
    fn dates_are_seconds_apart() {
        let first = seconds("Sun Nov 29 04:00:00 UTC 2026");
        assert_eq!(seconds("Sun Nov 29 20:30:00 UTC 2026") - first, 59_400);
        assert_eq!(seconds("Sun 29 Nov 04:00:00 PM UTC 2026") - first, 43_200);
        assert_eq!(seconds("Tue Dec  1 04:00:00 UTC 2026") - first, 172_800);
        let leap = seconds("Thu Feb 29 00:00:00 UTC 2024");
        assert_eq!(seconds("Fri Mar  1 00:00:00 UTC 2024") - leap, 86_400);
        let router = seconds("*04:00:30.112 UTC Sun Nov 29 2026");
        assert_eq!(router - first, 30);
        assert_eq!(date("Thu we saw it at 02:58 for the first time"), None);
    }

    /// Of last week, and of today an hour apart in two zones, which is one time.
    #[test]
    fn a_report_of_mtr_says_when_it_began() {
        let seconds = |text: &str| start(text).expect("a start");
        let then = seconds("Start: 2026-11-18T10:00:01+0000");
        let now = seconds("Start: 2026-11-25T10:00:01+0000");
        assert_eq!(now - then, 7 * 86_400);
        assert_eq!(seconds("Start: 2026-11-25T11:00:01+01:00"), now);
        assert_eq!(seconds("Start: Wed Nov 25 10:00:01 2026"), now);
        for none in [
            "Start: 5/16/23, 16:44:44",
            "Start: soon",
            "2026-11-18T10:00:01",
        ] {
            assert_eq!(start(none), None, "{none}");
        }
        let mut moments = Moments::default();
        let place = |line| Place::Line(0, line);
        let heads = [
            (2, "Start: 2026-11-18T10:00:01+0000"),
            (12, "Start: 2026-11-25T10:00:01+0000"),
        ];
        for (line, bare) in heads {
            let at = place(line);
            moments.read(Line { bare, at });
        }
        let test = Test::new("iperf3", place(20));
        assert!(moments.is_of_another_time(&test, place(8)));
        assert!(!moments.is_of_another_time(&test, place(18)));
        assert!(!moments.is_of_another_time(&test, place(1)));
    }

    #[test]
    fn a_line_behind_a_rule_names_a_time() {
        let period = |text: &str| heading(text).and_then(|text| Period::of(&words(text)));
        let past = Some(Period::Past("last".to_owned()));
        assert_eq!(period("-- archived from last week, 18 Nov"), past);
        assert_eq!(period("-- today 25 Nov 03:10"), Some(Period::Present));
        for none in [
            "- - - - -",
            "--- 192.0.2.1 ping statistics ---",
            "we saw it last week",
        ] {
            assert_eq!(period(none), None, "{none}");
        }
    }

    #[test]
    fn load_is_what_a_line_above_says() {
        let mut moments = Moments::default();
        let place = |line| Place::Line(0, line);
        let lines = [
            (1, "Ticket 4711"),
            (3, "Ping during the transfer"),
            (5, "Thanks"),
            (7, "# before the test"),
            (9, "a$ ping far  # while it is running"),
        ];
        for (line, bare) in lines {
            let at = place(line);
            moments.read(Line { bare, at });
        }
        moments.under_way(place(11));
        let loaded = [2, 4, 6, 8, 10, 12].map(|line| moments.is_loaded(place(line)));
        assert_eq!(loaded, [false, true, true, false, true, true]);
        assert!(!moments.is_loaded(Place::Line(1, 2)));
    }

    #[test]
    fn a_comment_behind_a_command_is_known() {
        let said = |text: &str| behind_command(text).is_some_and(|w| speaks_of_others(&w));
        assert!(said("pc$ iperf3 -c far -R   # while backup runs"));
        assert!(said("[root@a ~]# ping far  # upload stopped"));
        assert!(!said("pc$ iperf3 -c far -R   # first try"));
        assert!(!said("pc$ # while the backup runs"));
    }

    #[test]
    fn comments_are_known() {
        assert!(comment("pc$ # now with the CCTV upload running").is_some());
        assert!(comment("# with the backup running").is_some());
        assert!(comment("While the backup runs:").is_some());
        assert!(comment("# ping 192.0.2.1").is_none());
        assert!(comment("Dear all").is_none());
    }
}
