//! Programs that ask piece by piece, such as a client of NFS or SMB: how many requests are on their way at a time, and what each waits for.

use crate::cause::Cause;
use crate::ceiling::UNSCALED;
use crate::evidence::{Evidence, NS};
use crate::fact::{Fact, Value};
use crate::items::{self, Item, step};
use crate::lines::bloat::ms;
use crate::read::{DIALECT, Facts, OLD_DIALECT};
use crate::seen::{Side, Test};

/// Numbers of a test that says it: requests a second, their bytes, how long an answer took once one was sent, and from when it was made.
pub(crate) const PER_S: &str = "requests_per_s";
pub(crate) const SIZE: &str = "request_bytes";
pub(crate) const TOOK: &str = "request_rtt_ns";
pub(crate) const WHOLE: &str = "request_ns";

/// How long an answer took to requests of the other way, of the same mount in the same time.
pub(crate) const OTHER: &str = "request_other_rtt_ns";

/// The most bytes of a request, of a test that says nothing else of them.
pub(crate) const MOST: &str = "request_most_bytes";

/// The most bytes of a request that a mount and its server agreed on (`rsize`, `wsize`), of every test of a mount that says it.
pub(crate) const AGREED: &str = "mount_request_bytes";

/// The address of a mount's client, as its options say it (`clientaddr`).
pub(crate) const MOUNTER: &str = "mount_client";

/// Of writes to a mount with the option `sync`, by which each waits until the server has it.
pub(crate) const SYNC: &str = "mount_sync";

/// Of pieces that a program reads or writes past the kernel's cache (O_DIRECT): each waits for its answer.
pub(crate) const DIRECT: &str = "requests_direct";

/// No request of Linux to a server of NFS carries more, bytes (nfs(5): `rsize`, `wsize`).
const NFS_MOST: f64 = 1_048_576.0;

/// The port of an SMB server, as IANA registers it.
pub(crate) const SMB_PORT: u16 = 445;

/// Requests of one kind, on average.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Requests {
    per_s: f64,
    /// Bytes of each.
    bytes: f64,
    /// From when one was sent to its answer, seconds.
    took_s: f64,
    /// The same with its wait in the client, seconds.
    whole_s: f64,
    /// The data comes to whoever asks.
    pub(crate) reads: bool,
    /// They are of SMB.
    pub(crate) smb: bool,
    /// They are of its first dialect, as a text says.
    pub(crate) old: bool,
    /// Each write waits until the server has it, by an option of the mount.
    pub(crate) sync: bool,
    /// The mount has the largest requests that there are.
    pub(crate) largest: bool,
    /// Each is of one piece that the program reads or writes past the kernel's cache.
    pub(crate) direct: bool,
    /// Each carries what the program writes at a time, which is less than the mount agreed on.
    single: bool,
    /// Nothing counted them: they are what the rate makes of the largest, one at a time.
    supposed: bool,
    /// How long answers took of the other way meanwhile, seconds.
    other_s: Option<f64>,
}

/// So few requests at a time are those of a program that waits for answers; of more the path's window or the server may be what holds them.
const FEW: [f64; 2] = [3.0, 8.0];

/// An answer that takes so many times the path's round trip took time elsewhere.
const ELSEWHERE: [f64; 2] = [1.3, 2.0];

/// Up to the first of these times the path's round trip nothing waited on the way, however many were: a line or a window that is full makes
/// answers wait.
const AT_ONCE: [f64; 2] = [1.1, 1.3];

impl Requests {
    /// Of a test that says it.
    pub(crate) fn of(test: &Test) -> Option<Requests> {
        let value = |name: &str| test.numbers.get(name).map(|f| f.value);
        let ports = [test.from.port, test.to.port];
        let reads = test.client == Side::Receiver;
        let smb = ports.contains(&Some(SMB_PORT));
        let sync = value(SYNC).is_some();
        let largest = value(AGREED).is_some_and(|bytes| bytes >= NFS_MOST);
        let of = match value(MOST) {
            Some(bytes) => {
                let per_s = test.goodput()?.0.value / (8.0 * bytes);
                Requests {
                    per_s,
                    bytes,
                    took_s: 1.0 / per_s,
                    whole_s: 1.0 / per_s,
                    reads,
                    smb,
                    old: false,
                    sync,
                    largest,
                    direct: value(DIRECT).is_some(),
                    single: value(AGREED).is_some_and(|agreed| bytes < agreed),
                    supposed: true,
                    other_s: None,
                }
            }
            None => Requests {
                per_s: value(PER_S)?,
                bytes: value(SIZE)?,
                took_s: value(TOOK)? * NS,
                whole_s: value(WHOLE)? * NS,
                reads,
                smb,
                old: false,
                sync,
                largest,
                direct: false,
                single: false,
                supposed: false,
                other_s: value(OTHER).map(|ns| ns * NS),
            },
        };
        (of.per_s > 0.0 && of.took_s > 0.0).then_some(of)
    }

    /// Of a copy by the first dialect of SMB.
    fn of_old(test: &Test) -> Option<Requests> {
        let per_s = test.goodput()?.0.value / (8.0 * OLD[1]);
        (per_s > 0.0).then(|| Requests {
            per_s,
            bytes: OLD[1],
            took_s: 1.0 / per_s,
            whole_s: 1.0 / per_s,
            reads: test.client == Side::Receiver,
            smb: true,
            old: true,
            sync: false,
            largest: false,
            direct: false,
            single: false,
            supposed: true,
            other_s: None,
        })
    }

    /// How many are on their way at a time, on average (Little's law).
    fn at_a_time(self) -> f64 {
        self.per_s * self.took_s
    }

    /// Why each write waits, where an option of the mount says it, for people.
    fn by_sync(self) -> &'static str {
        match self.sync {
            true => {
                "; the mount has the option sync, by which each write waits until the server has it on its disk"
            }
            false => "",
        }
    }

    fn shown(self) -> String {
        format!(
            "{:.1} requests of {} each were on their way at a time, and each took {}",
            self.at_a_time(),
            crate::ceiling::bytes(self.bytes),
            ms(self.took_s)
        )
    }
}

impl Evidence {
    /// Takes a copy of Windows by the first dialect of SMB, where that is the only one which the texts show.
    pub(crate) fn of_old_smb(&mut self, facts: &Facts, test: &Test) {
        let dialects = || facts.facts.iter().filter(|f| f.name == DIALECT);
        let is_old = |fact: &Fact| fact.value == Value::Word(OLD_DIALECT.to_owned());
        let all = dialects().next().is_some() && dialects().all(is_old);
        if all && test.tool == "robocopy" && self.requests.is_none() {
            self.requests = Requests::of_old(test);
        }
    }
}

/// Weighs what requests wait for.
pub(crate) fn by_requests(e: &Evidence, items: &mut Vec<Item>) {
    crate::programs::read_ahead::by_read_ahead(e, items);
    let Some(of) = e.requests else { return };
    if of.supposed {
        items.extend(one_at_a_time(e, of));
        return;
    }
    let path = e.rtt_idle.as_ref().or(e.rtt_floor.as_ref());
    let mut add = |holds: f64, weights: Vec<(Cause, f64)>, sentence: String| {
        items.push(Item {
            holds,
            weights,
            sentence,
        });
    };
    let waits = of.whole_s - of.took_s;
    if waits > of.took_s {
        let text = format!(
            "requests wait {} in the client before they are sent: its slots, or its connections, are full",
            ms(waits)
        );
        add(1.0, Vec::new(), text);
    }
    let Some(path) = path.map(|p| p.value).filter(|p| *p > 0.0) else {
        add(1.0, Vec::new(), of.shown());
        return;
    };
    if e.waits_at_server() {
        add(1.0, at_server(e, of), of.beyond(path));
        return;
    }
    let elsewhere = step(of.took_s / path, ELSEWHERE[0], ELSEWHERE[1]);
    let few = 1.0 - step(of.at_a_time(), FEW[0], FEW[1]);
    let text = format!(
        "{}, which is the path's round trip: the client waits for an answer before it asks for more{}",
        of.shown(),
        of.by_sync()
    );
    // What a window or a buffer held would wait in the client.
    let program = |worth: f64| {
        vec![
            (Cause::Application, worth),
            (Cause::ReceiveWindow, -10.0),
            (Cause::SendBuffer, -10.0),
        ]
    };
    add((1.0 - elsewhere) * few, program(40.0), text);
    let text = format!(
        "{}, which is the path's round trip: nothing waits on the way, so that how many are asked for at a time is the limit (rsize or wsize, what is read ahead, nconnect)",
        of.shown()
    );
    let at_once = 1.0 - step(of.took_s / path, AT_ONCE[0], AT_ONCE[1]);
    add(at_once * (1.0 - few), program(30.0), text);
    let text = format!(
        "{}, of which the path's round trip is {}: the server and its disk, a queue, or what passes of one at a time take the rest",
        of.shown(),
        ms(path)
    );
    add(elsewhere, Vec::new(), text);
}

/// An answer that takes so many times the path's round trip, of a path that carries far more, is its server's. A choice.
const FAR: f64 = 10.0;

impl Requests {
    /// Whether the path is known to carry far more than these: a test between the same hosts got that, or requests of the other way, which
    /// would wait in the same queues, were answered far sooner.
    fn have_room(self, e: &Evidence) -> bool {
        let rate = 8.0 * self.per_s * self.bytes;
        let faster = e.counted_else.faster.as_ref();
        let narrow = e
            .line
            .as_ref()
            .is_some_and(|(line, _)| line.high < ROOM * rate);
        let sooner = self.other_s.is_some_and(|other| other < self.took_s / ROOM);
        faster.is_some_and(|(.., times)| *times > ROOM) || sooner && !narrow
    }

    /// What of them is spent beyond the path, seconds, for people.
    fn beyond(self, path_s: f64) -> String {
        let kind = if self.reads { "reads" } else { "writes" };
        let other = if self.reads { "writes" } else { "reads" };
        let sooner = self.other_s.map_or_else(String::new, |other_s| {
            format!("; {other} of the same mount took {} meanwhile", ms(other_s))
        });
        format!(
            "{}, of which the path's round trip is {}: {:.1} % of each of these {kind} is spent at the server, by its disks, its log or what else it waits for{}{sooner}",
            self.shown(),
            ms(path_s),
            100.0 * (1.0 - path_s / self.took_s),
            self.by_sync()
        )
    }
}

impl Evidence {
    /// Whether requests wait for their server for nearly all of their time, and the path carries far more.
    pub(crate) fn waits_at_server(&self) -> bool {
        let path = self.rtt_idle.as_ref().or(self.rtt_floor.as_ref());
        let of = self.requests.filter(|of| !of.supposed && !self.udp);
        let Some((of, path)) = of.zip(path) else {
            return false;
        };
        let sent = of.whole_s <= 2.0 * of.took_s;
        let far = path.value > 0.0 && of.took_s >= FAR * path.value;
        far && sent && of.have_room(self)
    }
}

/// For the program at the server's end, which writes go to and reads come from, or its disk where a text has one.
fn at_server(e: &Evidence, of: Requests) -> Vec<(Cause, f64)> {
    let (own, other) = match of.reads {
        true => (Cause::Application, Cause::Client),
        false => (Cause::Client, Cause::Application),
    };
    let against = [
        Cause::ReceiveWindow,
        Cause::SendBuffer,
        Cause::Link,
        Cause::Shaper,
        other,
    ];
    let disk = (!of.reads && e.disk_receives()).then_some((Cause::Disk, 50.0));
    let both = [items::of(&items::LOSSES, -20.0), items::of(&against, -20.0)];
    let own = [(own, 50.0)].into_iter().chain(disk);
    both.concat().into_iter().chain(own).collect()
}

/// One request at a time takes the path's round trip within the first of these parts of it, and surely not from the second on. A choice.
const ONE: [f64; 2] = [0.05, 0.1];

/// Weighs the largest request of a mount against its rate: whether one of them in each round trip is all that passes.
fn one_at_a_time(e: &Evidence, of: Requests) -> Option<Item> {
    let path = e.rtt_idle.as_ref().or(e.rtt_floor.as_ref())?.value;
    if path <= 0.0 {
        return None;
    }
    if of.old {
        return Some(one_of_old(of, path));
    }
    if of.sync {
        return Some(match of.single && of.took_s >= ELSEWHERE[1] * path {
            true => one_at_the_server(e, of, path),
            false => one_that_waits(of, path),
        });
    }
    let apart = (of.took_s / path - 1.0).abs();
    if apart >= ONE[1] {
        return few_at_a_time(e, of, path);
    }
    let rate = format!(
        "the rate is one request of {} in each round trip of {}",
        crate::ceiling::bytes(of.bytes),
        ms(path)
    );
    // A window of the same size leaves the same rate.
    let alike = (of.bytes / UNSCALED - 1.0).abs() < ONE[0];
    let (weights, sentence) = match alike {
        true => (
            vec![(Cause::Application, 10.0), (Cause::ReceiveWindow, 10.0)],
            format!("{rate}, which a window without scaling leaves, too"),
        ),
        false => (
            vec![
                (Cause::Application, 40.0),
                (Cause::ReceiveWindow, -10.0),
                (Cause::SendBuffer, -10.0),
            ],
            match of.direct {
                true => format!(
                    "{rate}: past the cache (O_DIRECT) nothing is asked for ahead, and each piece of the program waits for its answer"
                ),
                false => format!("{rate}: the client waits for an answer before it asks for more"),
            },
        ),
    };
    Some(Item {
        holds: 1.0 - step(apart, ONE[0], ONE[1]),
        weights,
        sentence,
    })
}

/// Weighs a few of a mount's largest requests in each round trip against a path that carries far more: no more are asked for at a time.
fn few_at_a_time(e: &Evidence, of: Requests, path_s: f64) -> Option<Item> {
    let (.., times) = e.counted_else.faster.as_ref()?;
    let number = of.per_s * path_s;
    (*times > ROOM && number > 1.0 + ONE[1]).then(|| Item {
        holds: 1.0 - step(number, FEW[0], FEW[1]),
        weights: vec![(Cause::Application, 10.0)],
        sentence: format!(
            "the rate is {number:.1} requests of {} in each round trip of {}, and the path carries far more: so few are asked for at a time, or the server takes longer",
            crate::ceiling::bytes(of.bytes),
            ms(path_s)
        ),
    })
}

/// One request at a time in each round trip: the program's protocol, and not a window of the same size.
const NO_WINDOW: [(Cause, f64); 4] = [
    (Cause::Application, 40.0),
    (Cause::ReceiveWindow, -10.0),
    (Cause::SendBuffer, -10.0),
    (Cause::NoWindowScaling, -10.0),
];

/// One write that waits for its server takes the path's round trip within the first of these parts of it, its own bytes and the server's disk
/// included, and surely not from the second on. A choice.
const WAITS: [f64; 2] = [0.15, 0.25];

/// Weighs one write of a mount with the option `sync` against its rate. A window of the same size would leave as much, and no window has
/// writes wait.
fn one_that_waits(of: Requests, path_s: f64) -> Item {
    let apart = (of.took_s / path_s - 1.0).abs();
    Item {
        holds: 1.0 - step(apart, WAITS[0], WAITS[1]),
        weights: NO_WINDOW.to_vec(),
        sentence: format!(
            "the rate is one write of {} in each round trip of {}{}",
            crate::ceiling::bytes(of.bytes),
            ms(path_s),
            of.by_sync()
        ),
    }
}

/// A path that carries so many times the rate does not hold it. A choice.
const ROOM: f64 = 4.0;

/// Weighs one such write that takes far longer than the path's round trip: its server's, where the path is known to carry far more.
fn one_at_the_server(e: &Evidence, of: Requests, path_s: f64) -> Item {
    let rate = 8.0 * of.per_s * of.bytes;
    let (line, faster) = (e.line.as_ref(), e.counted_else.faster.as_ref());
    let room = line.is_some_and(|(line, _)| line.low > ROOM * rate)
        || faster.is_some_and(|(.., times)| *times > ROOM);
    let unless = match room {
        true => "",
        false => ", unless the path is as slow: a test between the two hosts shows what it carries",
    };
    Item {
        holds: 1.0,
        weights: if room { NO_WINDOW.to_vec() } else { Vec::new() },
        sentence: format!(
            "one write of {} takes {}, of which the path's round trip is {}{}: the server's commit of each write takes the rest{unless}",
            crate::ceiling::bytes(of.bytes),
            ms(of.took_s),
            ms(path_s),
            of.by_sync()
        ),
    }
}

/// The largest request of the first dialect of SMB, bytes: a server says 61440 of large reads, and 65536 is what the length of one can say.
const OLD: [f64; 2] = [61_440.0, 65_536.0];

/// Weighs the one request that a copy by this dialect has under way. A window of the same size would leave as much, and no window leaves more.
fn one_of_old(of: Requests, path_s: f64) -> Item {
    let carried = of.per_s * of.bytes * path_s;
    let apart = (1.0 - carried / OLD[0]).max(carried / OLD[1] - 1.0);
    Item {
        holds: 1.0 - step(apart, ONE[0], ONE[1]),
        weights: NO_WINDOW.to_vec(),
        sentence: format!(
            "the rate is {} in each round trip of {}: by SMB 1, which the texts show, a copy has one request of 60 to 64 KiB under way, whatever the windows are",
            crate::ceiling::bytes(carried),
            ms(path_s)
        ),
    }
}
