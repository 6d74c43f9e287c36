//! Programs that a kernel killed as memory ran out: that of the host, or of a control group (`memory.max`). Their connections break.

use crate::advice::Remedy;
use crate::cause::Cause;
use crate::ceiling::bytes;
use crate::document::Change;
use crate::evidence::Evidence;
use crate::fact::{Of, Place};
use crate::flows::flow::{Flow, number, word};
use crate::items::Item;
use crate::read::Facts;
use crate::read::cgroup::{KILLS, MEMORY};
use crate::read::kernel_log::{KILLED, KILLED_IN_GROUP};
use crate::seen::Side;

/// What it is worth beside a transfer of that program which broke off, decibans, and the most that is said by it: the log need not be of the
/// time of the transfer. Choices.
const WEIGHT: f64 = 30.0;
const LOGGED: f64 = 0.6;

/// Programs that answer requests of curl and wget.
const SERVERS: [&str; 12] = [
    "nginx", "httpd", "apache2", "caddy", "lighttpd", "haproxy", "squid", "envoy", "java", "node",
    "php-fpm", "gunicorn",
];

/// A program that a kernel killed.
#[derive(Clone, Debug)]
pub(crate) struct Killed {
    /// The end whose kernel it was, where that is known.
    side: Option<Side>,
    /// The program, empty where no text names it.
    program: String,
    /// It was the memory of its control group that ran out.
    in_group: bool,
    /// What that group may have, bytes.
    most: Option<f64>,
    /// Where it was read, for people.
    at: String,
    /// Where a transfer of that program broke off, for people; none where no text says so.
    broke: Option<String>,
}

/// What a host says: the program, whether it was in a group, and where.
fn killed(facts: &Facts, host: u32) -> Option<(String, bool, Place)> {
    let of = Of::Host(host);
    let logged = |name| word(facts, of, name).map(|(program, at)| (program.to_owned(), at));
    let in_group = logged(KILLED_IN_GROUP).map(|(program, at)| (program, true, at));
    let of_host = || logged(KILLED).map(|(program, at)| (program, false, at));
    let counted = || {
        let kills = number(facts, of, KILLS).filter(|kills| kills.value > 0.0)?;
        Some((String::new(), true, *kills.from.first()?))
    };
    in_group.or_else(of_host).or_else(counted)
}

/// Whether a program that was killed at an end is one whose transfer a tool saw break off.
fn fits(program: &str, side: Side, tool: &str) -> bool {
    let fetched = ["curl", "wget"].contains(&tool) && side == Side::Sender;
    let serves = fetched && SERVERS.iter().any(|name| program.starts_with(name));
    serves || !tool.is_empty() && program.starts_with(tool)
}

impl Killed {
    /// On the first host of a flow that says so.
    fn of(facts: &Facts, flow: &Flow) -> Option<Killed> {
        let mut hosts = flow.senders.iter().chain(&flow.receivers).copied();
        let (host, (program, in_group, at)) =
            hosts.find_map(|host| Some((host, killed(facts, host)?)))?;
        let side = flow.end_of(host).filter(|_| !flow.assumed.contains(&host));
        let tool = flow.test.as_ref().map(|test| test.tool);
        let is_own = |(by, _): &(&'static str, Place)| {
            let own = tool.is_none_or(|tool| tool == *by);
            own && side.is_some_and(|side| fits(&program, side, by))
        };
        let broke = facts.refused.broken.filter(is_own);
        let all = flow.senders.iter().chain(&flow.receivers);
        let mut limits = all.filter_map(|host| number(facts, Of::Host(*host), MEMORY));
        Some(Killed {
            side,
            in_group,
            most: limits.next().map(|most| most.value).filter(|_| in_group),
            at: facts.place(at),
            broke: broke.map(|(_, at)| facts.place(at)),
            program,
        })
    }

    /// The cause that it is, where a transfer of the program broke off.
    fn cause(&self) -> Option<Cause> {
        let side = self.side.filter(|_| self.broke.is_some())?;
        Some(match side {
            Side::Sender => Cause::Application,
            Side::Receiver => Cause::Client,
        })
    }

    fn sentence(&self) -> String {
        let whose = match self.side {
            Some(side) => format!("the {}'s kernel", side.name()),
            None => "the kernel of a host of which no text says which end it is".to_owned(),
        };
        let program = match self.program.as_str() {
            "" => "a program".to_owned(),
            name => format!("the program {name}"),
        };
        let memory = match (self.in_group, self.most.map(bytes)) {
            (true, Some(most)) => format!("its control group had the {most} that it may have"),
            (true, None) => "its control group had all the memory that it may have".to_owned(),
            (false, _) => "the memory of the host ran out".to_owned(),
        };
        let beside = match &self.broke {
            Some(at) => {
                format!("a transfer broke off ({at}), as connections of a killed program do")
            }
            None => "whether it is of this transfer its time says (dmesg -T)".to_owned(),
        };
        format!(
            "{whose} killed {program} as {memory} ({}): {beside}",
            self.at
        )
    }

    /// More memory for it, or less that it needs.
    fn change(&self, flow: &Flow) -> Option<Change> {
        let room = match self.in_group {
            true => {
                "a higher memory.max of its control group: of Kubernetes resources.limits.memory of the container; of Docker docker update --memory SIZE CONTAINER; of systemd systemctl set-property UNIT MemoryMax=SIZE"
            }
            false => {
                "more memory for the host, or a limit for what else grows there: of systemd systemctl set-property UNIT MemoryMax=SIZE"
            }
        };
        let remedy = Remedy {
            commands: vec![
                "dmesg -T | grep -i 'out of memory': when it was killed, and how much memory it had then (anon-rss)".to_owned(),
                room.to_owned(),
                "or have the program need less: fewer workers and connections at once, smaller buffers and caches of its own".to_owned(),
                "journalctl -u UNIT: whether it was started again, and since when".to_owned(),
            ],
            undo: vec!["the limit as it was before".to_owned()],
            risk: "what else runs on that host gets less memory".to_owned(),
            ..Remedy::default()
        };
        Some(remedy.change(&flow.called(self.side?), None, None))
    }
}

impl Evidence {
    /// Takes a program that a kernel of an end killed.
    pub(crate) fn of_killed(&mut self, facts: &Facts, flow: &Flow) {
        self.around.killed = Killed::of(facts, flow);
    }

    /// Whether it is such a program that makes this cause.
    pub(crate) fn is_killed(&self, cause: Cause) -> bool {
        let own = self.around.killed.as_ref().and_then(Killed::cause);
        own == Some(cause)
    }

    /// The most that is said of a cause by a log that may be of another time.
    pub(crate) fn at_most_of_killed(&self, cause: Cause) -> f64 {
        if self.is_killed(cause) { LOGGED } else { 1.0 }
    }

    /// What to change about it.
    pub(crate) fn change_killed(&self, flow: &Flow) -> Option<Change> {
        self.around.killed.as_ref()?.change(flow)
    }
}

/// Weighs it.
pub(crate) fn by_killed(e: &Evidence, items: &mut Vec<Item>) {
    let Some(killed) = &e.around.killed else {
        return;
    };
    let weight = killed.cause().map(|cause| (cause, WEIGHT));
    items.push(Item {
        holds: 1.0,
        weights: weight.into_iter().collect(),
        sentence: killed.sentence(),
    });
}
