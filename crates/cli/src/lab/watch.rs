//! The connections of both hosts while a command runs: samples of them, and what the kernels say of those that end.

use std::time::{Duration as Wall, Instant};

use farpath_emu::Host;
use farpath_emu::lab::Beside;
use farpath_probe::live::Ends;
use farpath_units::Time;

use super::connections::Connections;
use super::programs::{CHECK, SAMPLES, opened, pace, sockets_in_use};

/// How long the last words on a connection may take: a worker of the kernel says them when it gets round to it.
const PATIENCE: Wall = Wall::from_millis(300);

/// Who watches.
pub(super) struct Watch<'a> {
    hosts: [&'a Host; 2],
    beside: &'a Beside,
    /// None where the kernel tells nobody.
    ends: [Option<Ends>; 2],
    next_sample: Time,
    connections: Connections,
}

impl<'a> Watch<'a> {
    /// From now on, on a path that holds so many bytes of what the command's host sends, and the server's.
    pub(super) fn begin(hosts: [&'a Host; 2], holds: [u64; 2], beside: &'a Beside) -> Watch<'a> {
        let listen = |host: &Host| host.init.in_network(Ends::listen).ok()?.ok();
        Watch {
            hosts,
            beside,
            ends: hosts.map(listen),
            next_sample: beside.now() + SAMPLES[0],
            connections: Connections::across(holds),
        }
    }

    /// Hears of what has ended, and samples what is open if that is due.
    pub(super) fn look(&mut self) {
        self.hear();
        let now = self.beside.now();
        if now < self.next_sample {
            return;
        }
        self.next_sample = now + pace(now.since(Time::ZERO));
        // A sample costs more than everything else an idle lab does.
        match sockets_in_use(self.hosts[0].init) {
            0 => self.connections.none_at(now),
            _ => self.sample(),
        }
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
                self.connections.close(self.beside.now(), number, &ended);
            }
        }
    }

    fn sample(&mut self) {
        for (number, host) in self.hosts.into_iter().enumerate() {
            let output = Connections::sample(&mut host.command("ss")).output();
            if let Ok(output) = output {
                let text = String::from_utf8_lossy(&output.stdout);
                self.connections.note(self.beside.now(), number, &text);
            }
        }
    }
}
