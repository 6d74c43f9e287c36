//! Files of Linux's control groups, as `cat` prints them: `cpu.stat`, `cpu.max`, `memory.events` and `memory.max`
//! (Documentation/admin-guide/cgroup-v2.rst of Linux), and `cpu.stat`, `cpu.cfs_quota_us` and `cpu.cfs_period_us` of version 1.

use super::label::folder;
use super::{Facts, Line, NOTES_MAX, Tool};
use crate::fact::{Of, Place};
use crate::words::whole;

/// Periods in which a group ran, those of them in which it used up its share and waited, and for how long it waited, nanoseconds.
pub(crate) const PERIODS: &str = "cgroup_period_count";
pub(crate) const THROTTLED: &str = "cgroup_throttled_count";
pub(crate) const WAITED: &str = "cgroup_throttled_ns";

/// How many processors a group may use.
pub(crate) const PROCESSORS: &str = "cgroup_cpu_count";

/// Whether its limit is one of version 1 of control groups.
pub(crate) const FIRST_VERSION: &str = "cgroup_first_version";

/// The folder that the prompt shows at which a group was read, in place of a name.
pub(crate) const FOLDER: &str = "cgroup_prompt";

/// How many programs of a group were killed as its memory ran out, and the memory that it may have, bytes.
pub(crate) const KILLS: &str = "cgroup_oom_kill_count";
pub(crate) const MEMORY: &str = "cgroup_memory_max_bytes";

/// The files that are read; of the first two a line has no name of its own.
const FILES: [&str; 6] = [
    "cpu.max",
    "memory.max",
    "cpu.stat",
    "memory.events",
    CFS[0],
    CFS[1],
];

/// Files of version 1: what a group may use of its processors in each period, and the period, microseconds (Documentation/scheduler/sched-bwc.rst).
const CFS: [&str; 2] = ["cpu.cfs_quota_us", "cpu.cfs_period_us"];

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
    /// The folder that the prompt of the command shows in place of a name.
    folder: Option<String>,
    /// Whether a line of `cpu.max` or of `memory.max` is to come yet.
    awaits: [bool; 2],
    /// Which of the files of version 1 are to come yet, by their numbers.
    cfs: Vec<usize>,
    /// The prompt at which these were printed, and what they say, microseconds.
    times: ((u32, String), [Option<u64>; 2]),
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
            self.cfs = of_first_version(text);
            self.folder = folder(text).map(str::to_owned);
            return false;
        }
        let follows = self.next == Some(line.at);
        if !follows {
            self.awaits = [false; 2];
            self.cfs.clear();
        }
        if !follows && !going {
            (self.host, self.elsewhere, self.folder) = (None, false, None);
        }
        let limit = self.limit(text, facts.prompt());
        if self.elsewhere {
            self.times = Default::default();
        }
        let said = match limit {
            Some(limit) => Some((PROCESSORS, limit)),
            None => self.said(text, follows || going),
        };
        let Some((name, value)) = said else {
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
            let host = known.unwrap_or_else(|| self.begins(facts, line.at));
            self.host = Some(host);
            facts.exact(host, name, value, line.at);
            if limit.is_some() {
                facts.exact(host, FIRST_VERSION, 1.0, line.at);
            }
        }
        true
    }
}

impl Cgroup {
    /// A new host, with the folder that its prompt shows.
    fn begins(&self, facts: &mut Facts, at: Place) -> Of {
        let host = facts.host();
        if let Some(folder) = &self.folder {
            facts.word(host, FOLDER, folder, at);
        }
        host
    }

    /// How many processors a group of version 1 may use, once its quota and its period are both known; none of a line of something else. A
    /// quota of -1 sets no limit.
    fn limit(&mut self, text: &str, prompt: (u32, String)) -> Option<Option<f64>> {
        let named = CFS
            .iter()
            .position(|file| text.contains(&format!("{file}:")));
        let (file, value) = match named {
            Some(file) => (file, text.rsplit_once(':')?.1),
            None => (*self.cfs.first()?, text),
        };
        let value = match value {
            "-1" => None,
            digits => Some(whole(digits)?),
        };
        if named.is_none() {
            self.cfs.remove(0);
        }
        if self.times.0 != prompt {
            self.times = (prompt, [None; 2]);
        }
        self.times.1[file] = value;
        let [quota, period] = self.times.1;
        let both = quota.zip(period.filter(|period| *period > 0));
        Some(both.map(|(quota, period)| quota as f64 / period as f64))
    }

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

/// Which files of version 1 a command prints, in their order, where all that it prints has a line of its own or is a list.
fn of_first_version(text: &str) -> Vec<usize> {
    let mut words = text.split_whitespace();
    let cat = words.find(|word| *word == "cat" || word.ends_with("$cat") || word.ends_with("#cat"));
    let names: Vec<&str> = words.map(|w| w.rsplit('/').next().unwrap_or(w)).collect();
    let known = |name: &&str| *name != FILES[0] && *name != FILES[1] && FILES.contains(name);
    if cat.is_none() || !names.iter().all(known) {
        return Vec::new();
    }
    let number = |name: &&str| CFS.iter().position(|file| file == name);
    names.iter().filter_map(number).collect()
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

    /// Both files of version 1 in one command, each in its own, and with their names before their lines. One of them alone says nothing.
    #[test]
    fn the_quota_of_version_1_is_a_part_of_its_period() {
        let path = "/sys/fs/cgroup/cpu/cpu.cfs";
        for text in [
            format!("pod-a$ cat {path}_quota_us {path}_period_us\n20000\n100000\n"),
            format!("pod-a$ cat {path}_period_us\n100000\npod-a$ cat {path}_quota_us\n20000\n"),
            format!("pod-a$ grep . {path}_*\n{path}_period_us:100000\n{path}_quota_us:20000\n"),
        ] {
            assert_eq!(said(&text, super::PROCESSORS), (vec![0.2], 0), "{text}");
            let first = said(&text, super::FIRST_VERSION).0;
            assert_eq!(first, [1.0], "{text}");
        }
        for text in [
            format!("pod-a$ cat {path}_quota_us {path}_period_us\n-1\n100000\n"),
            format!("pod-a$ cat {path}_quota_us\n20000\n"),
            format!("pod-a$ cat {path}_quota_us\n20000\npod-b$ cat {path}_period_us\n100000\n"),
            format!(
                "pod-a$ cat cpu.shares {path}_quota_us {path}_period_us\n1024\n20000\n100000\n"
            ),
        ] {
            assert_eq!(
                said(&text, super::PROCESSORS).0,
                Vec::<f64>::new(),
                "{text}"
            );
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
