//! What logs have of links that went down and came up: those of Linux' kernel, and of routers with IOS, NX-OS, EOS,
//! Junos and RouterOS.

use super::message;
use crate::fact::Of;
use crate::read::plain::MONTHS;
use crate::read::{Facts, Line};
use crate::words::{decimal, whole};

/// The words of a path whose link went down, and came up: the name of its interface or port.
pub(crate) const DOWN: &str = "link_down";
pub(crate) const UP: &str = "link_up";

/// When a line of a log said something, seconds by the clock of its log.
pub(crate) const WHEN: &str = "link_log_s";

/// Most lines that are kept: a link that flaps fills logs.
const KEPT_MAX: usize = 10_000;

/// How drivers say that a link went down, or came up.
const STATES: [(&str, bool); 10] = [
    ("Link is Down", false),
    ("Link is down", false),
    ("Link Down", false),
    ("Link down", false),
    ("link status definitely down", false),
    ("Link is Up", true),
    ("Link is up", true),
    ("Link Up", true),
    ("Link up", true),
    ("link status definitely up", true),
];

/// Words before that which are not the name of an interface.
const KINDS: [&str; 5] = ["NIC", "Copper", "Fiber", "slave", "kernel"];

/// Events of routers and switches about links.
const EVENTS: [&str; 3] = ["LINEPROTO-", "LINK-", "ETHPORT-"];

/// The state of reading: how many lines were kept, and whether the last one is a router's.
#[derive(Default)]
pub(super) struct Links {
    kept: usize,
    pub(super) router: bool,
}

impl Links {
    /// Takes a line that says that a link went down, or came up.
    pub(super) fn line(&mut self, line: Line<'_>, facts: &mut Facts) -> bool {
        let by_router = by_router(line.bare);
        self.router = by_router.is_some();
        let Some((port, is_up)) = by_router.or_else(|| of_kernel(line.bare)) else {
            return false;
        };
        self.kept += 1;
        if self.kept <= KEPT_MAX {
            let name = if is_up { UP } else { DOWN };
            facts.dated_word(name, port, line);
        }
        true
    }
}

impl Facts {
    /// Adds what a log says of the path, and when.
    pub(in crate::read) fn dated_word(&mut self, name: &'static str, said: &str, line: Line<'_>) {
        self.word(Of::Path, name, said, line.at);
        if let Some(seconds) = moment(line.bare) {
            self.exact(Of::Path, WHEN, seconds, line.at);
        }
    }
}

/// Whether a line says that a link went down, or came up.
pub(super) fn is_of(text: &str) -> bool {
    by_router(text).or_else(|| of_kernel(text)).is_some()
}

/// The port of an event of whichever router, and whether it came up.
fn by_router(text: &str) -> Option<(&str, bool)> {
    of_router(text).or_else(|| of_routeros(text))
}

/// The port of a router's event, and whether it came up: `%LINEPROTO-5-UPDOWN: Line protocol on Interface Gi0/8, changed state to down`,
/// `%ETHPORT-5-IF_DOWN_LINK_FAILURE: Interface Ethernet1/1 is down (Link failure)`,
/// `SNMP_TRAP_LINK_DOWN: ifIndex 523, ifAdminStatus up(1), ifOperStatus down(2), ifName ge-0/0/3`.
fn of_router(text: &str) -> Option<(&str, bool)> {
    if let Some((_, trap)) = text.split_once("SNMP_TRAP_LINK_") {
        let is_up = trap.starts_with("UP");
        let (_, port) = trap.split_once("ifName ")?;
        let is_trap = is_up || trap.starts_with("DOWN");
        return Some((first_of(port)?, is_up)).filter(|_| is_trap);
    }
    let (before, behind) = text.split_once("Interface ")?;
    let (_, event) = before.split_once('%')?;
    let states = behind.split_once("changed state to ");
    let (_, state) = states.or_else(|| behind.split_once(" is "))?;
    let state = state.to_ascii_lowercase();
    let is_up = state.starts_with("up");
    let is_down = state.starts_with("down") || state.starts_with("administratively down");
    let is_event = EVENTS.iter().any(|e| event.contains(*e)) && (is_up || is_down);
    Some((first_of(behind)?, is_up)).filter(|_| is_event)
}

/// The same of RouterOS: `nov/30 03:12:01 interface,info ether1 link up (speed 1G, full duplex)`.
fn of_routeros(text: &str) -> Option<(&str, bool)> {
    let (_, said) = text.split_once("interface,info ")?;
    let (port, state) = said.split_once(" link ")?;
    let is_up = state == "up" || state.starts_with("up (");
    let is_event = !port.is_empty() && (is_up || state == "down");
    is_event.then_some((port, is_up))
}

/// The first word of a text, without the comma behind it.
fn first_of(text: &str) -> Option<&str> {
    let first = text.split_whitespace().next()?;
    Some(first.trim_end_matches(',')).filter(|word| !word.is_empty())
}

/// The interface of a line of a kernel's log, and whether it came up: `igb 0000:02:00.0 eno1: igb: eno1 NIC Link is Down`,
/// `mlx5_core 0000:01:00.0 ens1f0np0: Link down`, `bond0: (slave eth0): link status definitely down, disabling slave`.
fn of_kernel(text: &str) -> Option<(&str, bool)> {
    let said = message(text);
    let find = |(words, is_up): &(&str, bool)| Some((said.find(*words)?, *is_up));
    let (at, is_up) = STATES.iter().find_map(find)?;
    let before = said[..at].trim_end();
    let kind = KINDS[..3].iter().any(|kind| before.ends_with(*kind));
    let logged = said.len() < text.len() || before.matches(':').count() > 1;
    if !(kind || logged && before.ends_with(':')) {
        return None;
    }
    let words = before.split_whitespace();
    let bare = words.map(|w| w.trim_matches([':', '(', ')']));
    let mut names = bare.filter(|w| is_interface(w));
    let driver = names.next()?;
    // The driver stands before its interface, or is not named.
    Some((names.next().unwrap_or(driver), is_up))
}

/// Whether a word may be the name of an interface.
fn is_interface(word: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '@' | '/');
    word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.chars().all(part)
        && !KINDS.contains(&word)
}

/// Seconds of a day, and days of the longest month: times of a log are held against each other within a day.
const DAY_S: f64 = 86_400.0;
const MONTH_DAYS: u64 = 31;

/// When a line was logged, seconds by the clock of its log: since the host's start, `[812345.123456]`, or within a year,
/// `[Mon Nov 30 02:44:12 2026]`, `Nov 30 02:44:12.101:`, `2026-11-30T02:44:12,101000+00:00`.
pub(crate) fn moment(text: &str) -> Option<f64> {
    let bracketed = text.strip_prefix('[').and_then(|t| t.split_once(']'));
    let (time, _) = bracketed.unwrap_or((text, ""));
    if let Some(since_start) = decimal(time.trim()).filter(|_| bracketed.is_some()) {
        return Some(since_start);
    }
    let words: Vec<&str> = time.split_whitespace().take(4).collect();
    let first = words.first()?;
    if let Some((date, time)) = first.split_once('T')
        && let [year, month, day] = date.split('-').collect::<Vec<&str>>()[..]
    {
        whole(year)?;
        return Some(of_year(whole(month)?, whole(day)?) + clock(time)?);
    }
    let is_month = |word: &&str| MONTHS.contains(&word.trim_start_matches('*'));
    let at = words.iter().take(2).position(is_month)?;
    let name = words[at].trim_start_matches('*');
    let month = MONTHS.iter().position(|m| *m == name)? as u64 + 1;
    Some(of_year(month, whole(words.get(at + 1)?)?) + clock(words.get(at + 2)?)?)
}

/// The second of the day at which a line with a date was logged, by the clock of its log.
pub(super) fn second_of_day(text: &str) -> Option<f64> {
    let dated = moment(text).filter(|_| !text.starts_with('['));
    dated.map(|seconds| seconds.rem_euclid(DAY_S))
}

/// Seconds of a day of the year, as if all months were of one length.
fn of_year(month: u64, day: u64) -> f64 {
    (month.min(12) * MONTH_DAYS + day.min(MONTH_DAYS)) as f64 * DAY_S
}

/// Seconds of `02:44:12`, `02:44:12.101:`, `02:44:12,101000+00:00`.
fn clock(text: &str) -> Option<f64> {
    let time = text.split(['+', '-', 'Z']).next()?.trim_end_matches(':');
    let mut parts = time.split(':');
    let (hours, minutes) = (whole(parts.next()?)?, whole(parts.next()?)?);
    let seconds = decimal(&parts.next()?.replace(',', "."))?;
    (parts.next().is_none() && hours < 24 && minutes < 60)
        .then(|| (hours * 3600 + minutes * 60) as f64 + seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_name_the_interface_whose_link_went() {
        let igb = "igb 0000:02:00.0 eno1: igb: eno1 NIC Link is Down";
        for text in [
            igb.to_owned(),
            format!("[Mon Nov 30 02:44:12 2026] {igb}"),
            format!("[812345.123456] {igb}"),
            format!("2026-11-30T02:44:12,101000+00:00 {igb}"),
            format!("Nov 30 02:44:12 fw kernel: {igb}"),
        ] {
            assert_eq!(of_kernel(&text), Some(("eno1", false)), "{text}");
        }
        for (text, said) in [
            (
                "[1.5] mlx5_core 0000:01:00.0 ens1f0np0: Link up",
                ("ens1f0np0", true),
            ),
            (
                "bond0: (slave eth0): link status definitely down, disabling slave",
                ("eth0", false),
            ),
            ("bnx2: eth0 NIC Copper Link is Down", ("eth0", false)),
            (
                "[812348.2] igb 0000:02:00.0 eno1: igb: eno1 NIC Link is Up 1000 Mbps Full Duplex",
                ("eno1", true),
            ),
        ] {
            assert_eq!(of_kernel(text), Some(said), "{text}");
        }
        for prose in ["Link is down since Monday", "Update: Link is down"] {
            assert_eq!(of_kernel(prose), None, "{prose}");
        }
    }

    #[test]
    fn times_of_logs_are_seconds_apart() {
        for (down, up) in [
            ("[812345.123456] igb: x", "[812348.123456] igb: x"),
            ("[ 8123.5] igb: x", "[ 8126.5] igb: x"),
            (
                "[Mon Nov 30 02:44:12 2026] igb: x",
                "[Mon Nov 30 02:44:15 2026] igb: x",
            ),
            (
                "Nov 30 02:44:12 fw kernel: x",
                "Nov 30 02:44:15 fw kernel: x",
            ),
            (
                "Nov 30 02:44:12.101: %LINK-3-UPDOWN: x",
                "Nov 30 02:44:15.101: %LINK-3-UPDOWN: x",
            ),
            (
                "*Mar  1 00:01:12.333: %LINK-3-UPDOWN: x",
                "*Mar  1 00:01:15.333: %LINK-3-UPDOWN: x",
            ),
            (
                "2026-11-30T02:44:12,101000+00:00 igb: x",
                "2026-11-30T02:44:15,101000+00:00 igb: x",
            ),
        ] {
            let [from, until] = [down, up].map(|text| moment(text).expect("a time"));
            assert!((until - from - 3.0).abs() < 1e-3, "{down}");
        }
        for text in ["igb: eno1 NIC Link is Down", "", "[x] igb", "Nov we saw it"] {
            assert_eq!(moment(text), None, "{text}");
        }
    }

    #[test]
    fn routers_name_the_port_whose_link_went() {
        for (text, said) in [
            (
                "Nov 30 02:44:12.101: %LINEPROTO-5-UPDOWN: Line protocol on Interface GigabitEthernet0/8, changed state to down",
                ("GigabitEthernet0/8", false),
            ),
            (
                "Nov 30 02:44:15.201: %LINK-3-UPDOWN: Interface GigabitEthernet0/8, changed state to up",
                ("GigabitEthernet0/8", true),
            ),
            (
                "%ETHPORT-5-IF_DOWN_LINK_FAILURE: Interface Ethernet1/1 is down (Link failure)",
                ("Ethernet1/1", false),
            ),
            (
                "Nov 30 02:44:12  r1 mib2d[2100]: SNMP_TRAP_LINK_DOWN: ifIndex 523, ifAdminStatus up(1), ifOperStatus down(2), ifName ge-0/0/3",
                ("ge-0/0/3", false),
            ),
        ] {
            assert_eq!(of_router(text), Some(said), "{text}");
        }
        assert_eq!(of_router("Interface Gi0/8 is down, 100 % of it"), None);
        for (text, said) in [
            (
                "03:12:01 interface,info ether1 link down",
                ("ether1", false),
            ),
            (
                "2026-11-30 03:12:04 interface,info ether1 link up (speed 1G, full duplex)",
                ("ether1", true),
            ),
        ] {
            assert_eq!(of_routeros(text), Some(said), "{text}");
        }
        let other = "03:12:01 interface,info ether1 detect LAN";
        assert_eq!(of_routeros(other), None);
    }
}
