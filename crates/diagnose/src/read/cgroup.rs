//! Files of Linux's control groups, as `cat` prints them: `cpu.stat`, `cpu.max`, `memory.events` and `memory.max`
//! (Documentation/admin-guide/cgroup-v2.rst of Linux), and `cpu.stat` of version 1.

use super::{Facts, Line, NOTES_MAX, Tool};
use crate::fact::{Of, Place};
use crate::oom::{KILLS, MEMORY};
use crate::throttled::{PERIODS, PROCESSORS, THROTTLED, WAITED};
use crate::words::whole;

/// The files that are read; of the first two a line has no name of its own.
const FILES: [&str; 4] = ["cpu.max", "memory.max", "cpu.stat", "memory.events"];

/// Rows that are of these files wherever they stand: the name, the fact, and what a unit of it is.
const ROWS: [(&str, &str, f64); 13] = [
    ("nr_periods", PERIODS, 1.0),
    ("nr_throttled", THROTTLED, 1.0),
    ("throttled_usec", WAITED, 1e3),
    ("throttled_time", WAITED, 1.0),
    ("oom_kill", KILLS, 1.0),
    ("usage_usec", "", 1.0),
    ("user_usec", "", 1.0),
    ("system_usec", "", 1.0),
    ("nice_usec", "", 1.0),
    ("core_sched.force_idle_usec", "", 1.0),
    ("nr_bursts", "", 1.0),
    ("burst_usec", "", 1.0),
    ("oom_group_kill", "", 1.0),
];

/// Rows that have these names only among the others.
const AMONG: [&str; 4] = ["low", "high", "max", "oom"];

/// Words of commands that run others elsewhere: in a container, or on another host. What names that is of it by its label.
const ELSEWHERE: [&str; 2] = [" exec ", "ssh "];

/// The state of reading.
#[derive(Default)]
pub(super) struct Cgroup {
    host: Option<Of>,
    /// Whether a line of `cpu.max` or of `memory.max` is to come yet.
    awaits: [bool; 2],
    /// Where what a command prints goes on.
    next: Option<Place>,
    /// What the last command printed is of another host than the one at whose prompt it was typed: nothing is made of it.
    elsewhere: bool,
}

impl Tool for Cgroup {
    fn name(&self) -> &'static str {
        "cgroup"
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        if let Some(awaits) = printed(text) {
            (self.host, self.awaits, self.next) = (None, awaits, behind(line.at));
            let far = ELSEWHERE.iter().any(|words| text.contains(words));
            self.elsewhere = far && !facts.label.remote;
            return false;
        }
        let follows = self.next == Some(line.at);
        if !follows {
            self.awaits = [false; 2];
        }
        if !follows && !going {
            (self.host, self.elsewhere) = (None, false);
        }
        let Some((name, value)) = self.said(text, follows || going) else {
            return false;
        };
        self.next = behind(line.at);
        let own = !name.is_empty() && !self.elsewhere;
        if self.elsewhere && name == PERIODS && facts.notes.len() < NOTES_MAX {
            let note = format!(
                "{}: of which host or container this control group is, its command does not say by a name: nothing is made of it. kubectl exec NAME -- cat /sys/fs/cgroup/cpu.stat, with its own name, does",
                facts.place(line.at)
            );
            facts.notes.push(note);
        }
        if let Some(value) = value.filter(|_| own) {
            let known = self.host.filter(|host| facts.may_be_here(*host));
            let host = known.unwrap_or_else(|| facts.host());
            self.host = Some(host);
            facts.exact(host, name, value, line.at);
        }
        true
    }
}

impl Cgroup {
    /// The fact of a line and its value, as far as it says one; none of a line of something else.
    fn said(&mut self, text: &str, among: bool) -> Option<(&'static str, Option<f64>)> {
        if self.awaits[0]
            && let Some(limit) = processors(text)
        {
            self.awaits[0] = false;
            return Some((PROCESSORS, limit));
        }
        let bytes = whole(text);
        if self.awaits[1] && (bytes.is_some() || text == "max") {
            self.awaits[1] = false;
            return Some((MEMORY, bytes.map(|bytes| bytes as f64)));
        }
        let (name, value) = text.split_once(' ')?;
        let value = whole(value)? as f64;
        if let Some((_, fact, unit)) = ROWS.iter().find(|(row, ..)| *row == name) {
            return Some((*fact, Some(value * unit)));
        }
        (among && AMONG.contains(&name)).then_some(("", None))
    }
}

/// The place of the line behind this one.
fn behind(at: Place) -> Option<Place> {
    match at {
        Place::Line(source, line) => Some(Place::Line(source, line + 1)),
        _ => None,
    }
}

/// Whether a command prints such files, and which of the first two: `pod$ cat /sys/fs/cgroup/cpu.max`.
fn printed(text: &str) -> Option<[bool; 2]> {
    let mut words = text.split_whitespace();
    words.find(|word| *word == "cat" || word.ends_with("$cat") || word.ends_with("#cat"))?;
    let file = |word: &str| word.rsplit('/').next().unwrap_or(word).to_owned();
    let names: Vec<String> = words.map(file).collect();
    let has = |name: &str| names.iter().any(|n| n == name);
    let any = FILES.into_iter().any(&has);
    any.then(|| [FILES[0], FILES[1]].map(has))
}

/// How many processors `20000 100000` lets a group use, microseconds of each period; `max 100000` says that nothing is set.
fn processors(text: &str) -> Option<Option<f64>> {
    let (quota, period) = text.split_once(' ')?;
    let period = whole(period).filter(|n| *n > 0)? as f64;
    match quota {
        "max" => Some(None),
        quota => Some(Some(whole(quota)? as f64 / period)),
    }
}

#[cfg(test)]
mod tests {
    use crate::read::{Source, read};

    /// The numbers that a text says, by name, and how many of its lines nobody knew.
    fn said(text: &str, name: &str) -> (Vec<f64>, usize) {
        let source = Source {
            name: "a.txt".to_owned(),
            bytes: text.as_bytes().to_vec(),
        };
        let facts = read(&[source]);
        let own = facts.facts.iter().filter(|f| f.name == name);
        let values = own.filter_map(|f| f.number()).map(|n| n.value).collect();
        (values, facts.ignored_count[0])
    }

    #[test]
    fn files_of_a_group_are_read_as_they_are_printed() {
        let text = "pod-a$ cat /sys/fs/cgroup/cpu.max\n20000 100000\npod-a$ cat /sys/fs/cgroup/cpu.stat\nusage_usec 8812331\nuser_usec 812331\nsystem_usec 8000000\nnr_periods 512\nnr_throttled 498\nthrottled_usec 39912331\npod-a$ cat /sys/fs/cgroup/memory.events\nlow 0\nhigh 0\nmax 12\noom 3\noom_kill 2\noom_group_kill 0\npod-a$ cat /sys/fs/cgroup/memory.max\n536870912\n";
        for (name, value) in [
            (super::PROCESSORS, 0.2),
            (super::PERIODS, 512.0),
            (super::THROTTLED, 498.0),
            (super::WAITED, 39_912_331_000.0),
            (super::KILLS, 2.0),
            (super::MEMORY, 536_870_912.0),
        ] {
            assert_eq!(said(text, name), (vec![value], 0), "{name}");
        }
    }

    /// A group without a limit says none, rows stand without a command, and numbers that no command asked for are left.
    #[test]
    fn what_no_command_printed_is_not_a_limit() {
        let open = "pod-a$ cat /sys/fs/cgroup/cpu.max /sys/fs/cgroup/memory.max\nmax 100000\nmax\n";
        assert_eq!(said(open, super::PROCESSORS), (Vec::new(), 0));
        assert_eq!(said(open, super::MEMORY), (Vec::new(), 0));
        let rows = "nr_periods 512\nnr_throttled 498\nthrottled_time 39912331\n";
        assert_eq!(said(rows, super::WAITED), (vec![39_912_331.0], 0));
        let other = "pod-a$ cat /sys/fs/cgroup/cpu.max\ncat: no such file\n20000 100000\n";
        assert_eq!(said(other, super::PROCESSORS).0, Vec::<f64>::new());
        // What runs in a container is not of the host at whose prompt it was typed.
        let inside = |pod: &str| {
            format!("node1$ kubectl exec {pod} -- cat /sys/fs/cgroup/cpu.stat\nnr_periods 512\n")
        };
        assert_eq!(said(&inside("$POD"), super::PERIODS).0, Vec::<f64>::new());
        assert_eq!(said(&inside("pod-a"), super::PERIODS).0, vec![512.0]);
    }
}
