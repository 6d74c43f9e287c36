//! The connections of both hosts while a command runs: samples of them, and what the kernels say of those that end.

use std::net::SocketAddr;
use std::path::Path as File;
use std::time::{Duration as Wall, Instant};

use farpath_emu::Host;
use farpath_emu::lab::Beside;
use farpath_probe::live::{Ends, Found, Sockets};
use farpath_units::Time;
use nix::time::{ClockId, clock_gettime};

use super::asleep::{Asleep, in_what};
use super::connections::Connections;
use super::inside::Inside;
use super::samples::pace;
use super::seen::{self, name_of};
use super::sockets::{opened, sockets_in_use};

/// How often to look, and to see whether what is waited for has come.
pub(super) const CHECK: Wall = Wall::from_millis(10);

/// How long the last words on a connection may take: a worker of the kernel says them when it gets round to it.
const PATIENCE: Wall = Wall::from_millis(300);

/// After a sample comes so many times its processor time without one: a list of sockets takes milliseconds of it.
const REST: u32 = 9;

/// How often to ask programs what they wait for, where no buffer is full.
const ASKED: Wall = Wall::from_millis(100);

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
    /// When programs were last asked what they wait for, whatever their buffers held.
    asked: Instant,
    /// How many connections the command's host had opened, and when that was last seen to grow.
    opened: (u64, Time),
    /// What stays inside each host is none of the path's.
    inside: [Inside; 2],
    /// What has none of these ports at an end is not of interest; all where they are none.
    ports: &'a [u16],
    connections: Connections,
}

impl<'a> Watch<'a> {
    /// From now on, on a path that holds so many bytes of what the command's host sends, and the server's; only of connections with
    /// one of these ports, where there are any.
    pub(super) fn begin(
        hosts: [&'a Host; 2],
        holds: [u64; 2],
        beside: &'a Beside,
        ports: &'a [u16],
    ) -> Watch<'a> {
        let listen = |host: &Host| host.init.in_network(Ends::listen).ok()?.ok();
        let list = |host: &Host| host.init.in_network(Sockets::open).ok()?.ok();
        let now = beside.now();
        Watch {
            hosts,
            beside,
            ends: hosts.map(listen),
            sockets: hosts.map(list),
            sampled: (now, Instant::now()),
            asked: Instant::now(),
            opened: (0, now),
            inside: Default::default(),
            ports,
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
        // One that closes yet has no last words for a round trip, and may have had no sample.
        if !self.connections.is_empty() || sockets_in_use(self.hosts[0].init) > 0 {
            self.sample();
        }
        self.hear();
        // One that has closed may have had no sample.
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
                let ends = [ended.local, ended.peer];
                let is_inside = self.inside[number].has(ends[0], ends[1]);
                match is_inside || !has_port(self.ports, ends) {
                    true => self.connections.pass_over(number),
                    false => self.connections.close(self.beside.now(), number, &ended),
                }
            }
        }
    }

    fn sample(&mut self) {
        let begun = own_time();
        let may_ask = self.asked.elapsed() >= ASKED;
        if may_ask {
            self.asked = Instant::now();
        }
        for (number, sockets) in self.sockets.iter_mut().enumerate() {
            let listed = sockets.as_mut().map(Sockets::list);
            let Some(Ok(listed)) = listed else {
                continue;
            };
            let now = self.beside.now();
            let inside = &mut self.inside[number];
            inside.learn(listed.iter().map(|c| c.local));
            let is_of_interest = |c: &&Found| {
                !inside.has(c.local, c.peer) && has_port(self.ports, [c.local, c.peer])
            };
            let listed = listed.iter().filter(is_of_interest);
            let fullest = fullest(listed.clone(), self.hosts[number], may_ask);
            let may_ask = may_ask && number == 0;
            let quietest = quietest(listed.clone(), self.hosts[number], may_ask);
            let each = listed.map(|c| {
                let mut seen = seen::of(now, c);
                let own = fullest.filter(|(inode, _)| *inode == c.inode);
                seen.end.asleep = own.map(|(_, asleep)| asleep);
                let own = quietest.filter(|(inode, _)| *inode == c.inode);
                seen.end.awaits = own.and_then(|(_, asleep)| asleep.is_for_data());
                seen.end.wakes = own.and_then(|(_, asleep)| asleep.wakes());
                ([c.local, c.peer].map(name_of), seen)
            });
            self.connections.note(now, number, each);
        }
        let took = own_time().saturating_sub(begun);
        self.sampled.1 = Instant::now() + took * REST;
    }
}

/// Whether one of two ends has one of these ports; any will do where they are none.
pub(super) fn has_port(ports: &[u16], ends: [SocketAddr; 2]) -> bool {
    ports.is_empty() || ends.iter().any(|end| ports.contains(&end.port()))
}

/// The socket of a host with most in its send buffer, by its inode, and what its program waits for; none where nobody sees it. Of
/// others that is not asked, and of one whose buffer is not full only where it `may` be: every process has to be gone through.
fn fullest<'a>(
    listed: impl Iterator<Item = &'a Found>,
    host: &Host,
    may: bool,
) -> Option<(u32, Asleep)> {
    let held = listed.filter(|c| c.inode > 0 && c.snapshot.sample.in_flight > 0);
    let most = held.max_by_key(|c| c.snapshot.send_queue)?;
    if !may && !most.snapshot.sample.full {
        return None;
    }
    Some((most.inode, programs_sleep(host, most.inode, &[])?))
}

/// The socket of a host that carried most of those with nothing in flight, by its inode, and what its program waits for. None where nobody
/// sees it, or where it `may` not be asked.
fn quietest<'a>(
    listed: impl Iterator<Item = &'a Found>,
    host: &Host,
    may: bool,
) -> Option<(u32, Asleep)> {
    if !may {
        return None;
    }
    let idle = listed.filter(|c| c.inode > 0 && c.snapshot.sample.in_flight == 0);
    let idle: Vec<&Found> = idle.collect();
    let carried = |c: &&&Found| c.snapshot.acked.max(c.snapshot.received);
    let most = idle.iter().max_by_key(carried)?;
    let read = idle.iter().filter(|c| c.snapshot.unread == 0);
    let quiet: Vec<u32> = read.map(|c| c.inode).collect();
    Some((most.inode, programs_sleep(host, most.inode, &quiet)?))
}

/// What the programs of a host wait for that hold a socket, where those of `quiet` have nothing under way and nothing unread.
fn programs_sleep(host: &Host, inode: u32, quiet: &[u32]) -> Option<Asleep> {
    let programs: Vec<i32> = host.init.programs(None).iter().map(|p| p.pid).collect();
    in_what(File::new("/proc"), &programs, inode, quiet)
}

/// Processor time of this thread: on a busy machine a list takes longer, and no more of that.
fn own_time() -> Wall {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(Wall::ZERO, Wall::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_at_either_end_is_enough() {
        let ends = ["198.18.0.1:40000", "198.18.0.2:7000"].map(|e| e.parse().expect(e));
        assert!(has_port(&[], ends));
        assert!(has_port(&[80, 7000], ends) && has_port(&[7000], [ends[1], ends[0]]));
        assert!(!has_port(&[80], ends) && !has_port(&[700], ends));
    }
}
