//! How busy the processors of firewalls are: `get system performance status` of FortiOS and `show running resource-monitor` of PAN-OS, of which
//! the fullest core counts, and `show security monitoring fpc` of Junos on an SRX.

use super::router_cpu::is_busy;
use super::{Facts, Line, NOTES_MAX, Tool};
use crate::fact::Of;
use crate::hosts::router_full::ALL;
use crate::reach::firewall::CONSERVING;
use crate::words::whole;

/// Whose command it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum System {
    FortiOs,
    PanOs,
    Srx,
}

/// The state of reading: the command whose lines may follow, the firewall that it was typed on, and its fullest core.
#[derive(Default)]
pub(super) struct Firewalls {
    asked: Option<System>,
    firewall: String,
    most: Option<u64>,
    /// Cores of PAN-OS whose latest row follows.
    cores: usize,
}

/// From this part of the time on a core is full, percent. A choice.
const FULL: u64 = 90;

impl Tool for Firewalls {
    fn name(&self) -> &'static str {
        match self.asked {
            Some(System::Srx) => "show security monitoring",
            Some(System::PanOs) => "show running resource-monitor",
            _ => "FortiOS",
        }
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        if let Some((system, firewall)) = asks(text) {
            *self = Firewalls {
                asked: Some(system),
                firewall: crate::redact(firewall),
                ..Firewalls::default()
            };
            return true;
        }
        let Some(system) = self.asked.filter(|_| going) else {
            return false;
        };
        if system == System::FortiOs && is_conserving(text) {
            facts.word(Of::Path, CONSERVING, &self.firewall, line.at);
        }
        let load = match system {
            System::FortiOs => core(text),
            System::PanOs => self.of_panos(text).map(|busy| ("a core", busy)),
            System::Srx => on_srx(text).map(|busy| ("the CPU", busy)),
        };
        let Some((core, busy)) = load else {
            return follows(system, text);
        };
        if self.most.is_some_and(|most| most >= busy) {
            return true;
        }
        self.most = Some(busy);
        is_busy(&self.firewall, [busy, busy], ALL, line.at, facts);
        if busy >= FULL && facts.notes.len() < NOTES_MAX {
            let note = format!(
                "{}: {core} of {} was busy for {busy} % of the time: what it forwards with its processor, as inspection, VPN and NAT are, passes no faster than that",
                facts.place(line.at),
                self.firewall
            );
            facts.notes.push(note);
        }
        true
    }
}

impl Firewalls {
    /// How busy the fullest core of PAN-OS is, percent, by the first row below `core    0    1    2    3`, which is the latest; a core that has other
    /// work has a `*`. Of longer spans each core has a mean and a maximum, and the means count.
    fn of_panos(&mut self, text: &str) -> Option<u64> {
        let words: Vec<&str> = text.split_whitespace().collect();
        if let ["core", rest @ ..] = &words[..] {
            self.cores = rest.len();
            return None;
        }
        let every = words
            .len()
            .checked_div(self.cores)
            .filter(|n| [1, 2].contains(n))?;
        let number = |word: &&str| if *word == "*" { Some(0) } else { whole(word) };
        let all: Option<Vec<u64>> = words.iter().map(number).collect();
        let all = all.filter(|all| all.len() == every * self.cores)?;
        self.cores = 0;
        all.into_iter().step_by(every).max().filter(|n| *n <= 100)
    }
}

/// Whether a command of FortiOS prints how busy its cores are, or whether it is short of memory.
pub(super) fn is_of_fortios(command: &str) -> bool {
    command.starts_with("get system performance status")
        || command.starts_with("diagnose hardware sysinfo conserve")
}

/// What stands before the state of a FortiOS that may be short of memory, by version and by what has too little.
const CONSERVE: [&str; 4] = [
    "memory conserve mode:",
    "kernel conserve mode:",
    "proxy conserve mode:",
    "conserve mode:",
];

/// Whether a line says that a FortiOS is short of memory: `memory conserve mode:      on`.
fn is_conserving(text: &str) -> bool {
    let mut said = CONSERVE.iter().filter_map(|head| text.strip_prefix(head));
    said.any(|state| state.trim() == "on")
}

/// The command of a line, and the firewall at its prompt: `FGT60 # get system performance status`, `noc@srx> show security monitoring fpc 0`.
fn asks(text: &str) -> Option<(System, &str)> {
    if let Some((prompt, command)) = text.split_once(" # ") {
        let name = prompt.split(' ').next()?;
        return is_of_fortios(command.trim_start()).then_some((System::FortiOs, name));
    }
    let (prompt, command) = text.split_once('>')?;
    let name = prompt.rsplit('@').next()?;
    let named = !name.is_empty() && !name.contains(char::is_whitespace);
    let command = command.trim_start();
    let of = [
        ("show security monitoring", System::Srx),
        ("show running resource-monitor", System::PanOs),
    ];
    let asked = of.into_iter().find(|(asked, _)| command.starts_with(asked));
    let (_, system) = asked.filter(|_| named)?;
    // `admin@pa850(active)> …`
    Some((system, name.split('(').next().unwrap_or(name)))
}

/// A core, or all of them, and how busy it was, percent: `CPU0 states: 2% user 3% system 0% nice 0% idle 0% iowait 0% irq 95% softirq`.
fn core(text: &str) -> Option<(&str, u64)> {
    let (core, states) = text.split_once(" states: ")?;
    let number = core.strip_prefix("CPU")?;
    let words: Vec<&str> = states.split_whitespace().collect();
    let share = |name: &str| {
        let at = words.iter().position(|word| *word == name)?;
        whole(words.get(at.checked_sub(1)?)?.strip_suffix('%')?)
    };
    let free = share("idle")? + share("iowait").unwrap_or(0);
    let is_core = number.bytes().all(|b| b.is_ascii_digit());
    (is_core && free <= 100).then(|| (core, 100 - free))
}

/// The same of an SRX: `CPU utilization          :   99 %`.
fn on_srx(text: &str) -> Option<u64> {
    let (key, value) = text.split_once(':')?;
    let share = value.trim().strip_suffix('%')?.trim_end();
    let busy = whole(share).filter(|n| *n <= 100)?;
    (key.trim_end() == "CPU utilization").then_some(busy)
}

/// Whether a line may be one of the others that the command prints.
fn follows(system: System, text: &str) -> bool {
    let begins: &[&str] = match system {
        System::FortiOs => &[
            "Memory",
            "memory ",
            "kernel conserve mode:",
            "proxy conserve mode:",
            "conserve mode:",
            "total RAM",
            "Average ",
            "Maximal ",
            "Virus caught",
            "IPS attacks",
            "Uptime",
        ],
        System::PanOs => &["Resource ", "CPU load", "core ", "avg", ":", "*"],
        System::Srx => &[
            "FPC ",
            "PIC ",
            "Memory utilization",
            "Current ",
            "Max ",
            "Total Session",
        ],
    };
    let row = system == System::PanOs
        && text
            .split_whitespace()
            .all(|word| word == "*" || whole(word).is_some());
    row || begins.iter().any(|head| text.starts_with(head))
}

#[cfg(test)]
mod tests {
    use super::{Firewalls, System, asks, core, is_conserving, on_srx};

    #[test]
    fn the_cores_of_a_firewall_are_read() {
        let line = "CPU0 states: 2% user 3% system 0% nice 0% idle 0% iowait 0% irq 95% softirq";
        assert_eq!(core(line), Some(("CPU0", 100)));
        assert!(is_conserving(
            "memory conserve mode:                         on"
        ));
        assert!(is_conserving("conserve mode: on"));
        assert!(!is_conserving(
            "memory conserve mode:                         off"
        ));
        let all = "CPU states: 1% user 2% system 0% nice 23% idle 0% iowait 0% irq 74% softirq";
        assert_eq!(core(all), Some(("CPU", 77)));
        assert_eq!(core("%CPU states: 1% user"), None);
        assert_eq!(on_srx("CPU utilization          :   99 %"), Some(99));
        assert_eq!(on_srx("Memory utilization       :   71 %"), None);
    }

    #[test]
    fn commands_name_the_firewall() {
        let forti = asks("FGT60 # get system performance status");
        assert_eq!(forti, Some((System::FortiOs, "FGT60")));
        let srx = asks("noc@srx> show security monitoring fpc 0");
        assert_eq!(srx, Some((System::Srx, "srx")));
        assert_eq!(asks("noc@srx> show interfaces xe-0/0/0"), None);
        let pan = asks("admin@pa850(active)> show running resource-monitor second last 5");
        assert_eq!(pan, Some((System::PanOs, "pa850")));
    }

    #[test]
    fn the_latest_row_of_cores_counts() {
        let of = |rows: [&str; 3]| {
            let mut own = Firewalls::default();
            rows.map(|row| own.of_panos(row))
        };
        let seconds = ["core    0    1    2", "*   97   12", "*   20   10"];
        assert_eq!(of(seconds), [None, Some(97), None]);
        let minutes = ["core    0         1", "avg max avg max", "3   9   88  99"];
        assert_eq!(of(minutes), [None, None, Some(88)]);
    }
}
