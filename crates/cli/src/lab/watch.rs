//! The connections of both hosts while a command runs: samples of them, and what the kernels say of those that end.

use std::time::{Duration as Wall, Instant};

use farpath_emu::Host;
use farpath_emu::lab::Beside;
use farpath_probe::live::{Ends, Sockets};
use farpath_units::Time;
use nix::time::{ClockId, clock_gettime};

use super::connections::{Connections, name_of};
use super::inside::Inside;
use super::programs::{CHECK, opened, pace, sockets_in_use};
use super::seen;

/// How long the last words on a connection may take: a worker of the kernel says them when it gets round to it.
const PATIENCE: Wall = Wall::from_millis(300);

/// After a sample comes so many times its processor time without one: a list of sockets takes milliseconds of it.
const REST: u32 = 9;

/// Who watches.
pub(super) struct Watch<'a> {
    hosts: [&'a Host; 2],
    beside: &'a Beside,
    /// None where the kernel tells nobody.
    ends: [Option<Ends>; 2],
    /// None where the kernel lists none.
    sockets: [Option<Sockets>; 2],
    /// When the last sample was taken, and until when there is to be none.
    sampled: (Time, Instant),
    /// How many connections the command's host had opened, and when that was last seen to grow.
    opened: (u64, Time),
    /// What stays inside each host is none of the path's.
    inside: [Inside; 2],
    connections: Connections,
}

impl<'a> Watch<'a> {
    /// From now on, on a path that holds so many bytes of what the command's host sends, and the server's.
    pub(super) fn begin(hosts: [&'a Host; 2], holds: [u64; 2], beside: &'a Beside) -> Watch<'a> {
        let listen = |host: &Host| host.init.in_network(Ends::listen).ok()?.ok();
        let list = |host: &Host| host.init.in_network(Sockets::open).ok()?.ok();
        let now = beside.now();
        Watch {
            hosts,
            beside,
            ends: hosts.map(listen),
            sockets: hosts.map(list),
            sampled: (now, Instant::now()),
            opened: (0, now),
            inside: Default::default(),
            connections: Connections::across(holds),
        }
    }

    /// Whether one of the hosts has ended, and with it all that ran there.
    pub(super) fn is_left_alone(&self) -> bool {
        self.hosts.iter().any(|host| host.is_ending())
    }

    /// Hears of what has ended, and samples what is open if that is due.
    pub(super) fn look(&mut self) {
        self.hear();
        let now = self.beside.now();
        let opened = opened(self.hosts[0].init);
        if opened != self.opened.0 {
            self.opened = (opened, now);
        }
        let pace = pace(now.since(self.opened.1), now.since(Time::ZERO));
        if now.since(self.sampled.0) < pace || Instant::now() < self.sampled.1 {
            return;
        }
        // A sample costs more than everything else an idle lab does.
        match sockets_in_use(self.hosts[0].init) {
            0 => self.connections.none_at(now),
            _ => self.sample(),
        }
        self.sampled.0 = now;
    }

    /// The command has ended: what is under way yet, the kernel goes on sending.
    pub(super) fn command_ended(&mut self) {
        if !self.connections.is_empty() {
            self.sample();
        }
        self.hear();
        // A short connection may have had no sample.
        self.listen_while(Watch::lacks_some);
        self.connections.stop();
        self.listen_while(|watch| watch.connections.misses_some());
    }

    /// Hears of what has ended as long as something is `awaited`, and not for long.
    fn listen_while(&mut self, awaited: impl Fn(&Watch<'a>) -> bool) {
        let begun = Instant::now();
        let hears = self.ends.iter().all(Option::is_some);
        while hears && awaited(self) && begun.elapsed() < PATIENCE {
            std::thread::park_timeout(CHECK);
            self.hear();
        }
    }

    /// Whether connections of the command's host have ended of which nothing was heard.
    fn lacks_some(&self) -> bool {
        let host = self.hosts[0].init;
        opened(host) > self.connections.heard() + sockets_in_use(host)
    }

    /// What was seen until the command ended. Of a connection that was over by then, and that a program had not closed, the
    /// kernel speaks when the program has ended.
    pub(super) fn finish(mut self) -> Connections {
        self.hear();
        self.connections.settle();
        self.connections
    }

    fn hear(&mut self) {
        for (number, ends) in self.ends.iter().enumerate() {
            for ended in ends.iter().flat_map(Ends::ended) {
                match self.inside[number].has(ended.local, ended.peer) {
                    true => self.connections.pass_over(number),
                    false => self.connections.close(self.beside.now(), number, &ended),
                }
            }
        }
    }

    fn sample(&mut self) {
        let begun = own_time();
        for (number, sockets) in self.sockets.iter_mut().enumerate() {
            let listed = sockets.as_mut().map(Sockets::list);
            let Some(Ok(listed)) = listed else {
                continue;
            };
            let now = self.beside.now();
            let inside = &mut self.inside[number];
            inside.learn(listed.iter().map(|c| c.local));
            let each = listed.iter().filter(|c| !inside.has(c.local, c.peer));
            let each = each.map(|c| ([c.local, c.peer].map(name_of), seen::of(now, c)));
            self.connections.note(now, number, each);
        }
        let took = own_time().saturating_sub(begun);
        self.sampled.1 = Instant::now() + took * REST;
    }
}

/// Processor time of this thread: on a busy machine a list takes longer, and no more of that.
fn own_time() -> Wall {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(Wall::ZERO, Wall::from)
}
