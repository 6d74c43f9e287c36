//! Traces by TCP that are answered far sooner than pings to the same address: something on the way answers in its stead.

use crate::cause::Cause;
use crate::evidence::{Evidence, NS};
use crate::fact::{Fact, Figure, Of};
use crate::flows::flow::{Flow, alike, word};
use crate::items::Item;
use crate::lines::bloat::ms;
use crate::programs::split::is_far_shorter;
use crate::read::Facts;
use crate::read::curl::PASSED_ON;
use crate::read::route::{TIMES, TcpTrace};

/// One whose answers came far sooner than those to pings.
#[derive(Clone, Debug)]
pub(crate) struct Intercepted {
    trace: TcpTrace,
    /// The number of the ping.
    ping: u32,
    /// The least that pings took, nanoseconds.
    pinged_ns: f64,
}

/// Ports that proxies of the web answer.
const WEB: [u16; 4] = [80, 443, 3128, 8080];

/// Most traces by TCP that are held against pings.
const TRACES_MAX: usize = 100;

impl Facts {
    /// A run over the path took so long: least, mean and greatest, nanoseconds.
    pub(crate) fn took_times(&mut self, run: [Figure; 3]) {
        for (name, time) in TIMES.into_iter().zip(run) {
            self.number(Of::Path, name, time);
        }
    }

    /// A trace reached its target by TCP: all pings have to be read before its times count. Where it only may be by TCP they count until
    /// something speaks against it.
    pub(crate) fn traced_by_tcp(&mut self, mut trace: TcpTrace) {
        let kept = self.traces.len() < TRACES_MAX;
        if !kept || trace.port.is_none() {
            trace.taken = Some(self.facts.len());
            self.took_times(trace.run.clone());
        }
        if kept {
            self.traces.push(trace);
        }
    }

    /// All is read: times of traces by TCP are those of the path, unless pings to the same address took far longer, or a proxy may have
    /// answered and no ping says that it did not.
    pub(crate) fn settle_traces(&mut self) {
        for trace in core::mem::take(&mut self.traces) {
            let longer = self.pinged_longer(&trace);
            let proxied = self.may_be_proxied(&trace);
            let others = match trace.port {
                Some(_) => longer.is_some() || proxied && !self.is_pinged(&trace),
                None => proxied && (longer.is_some() || !self.is_pinged(&trace)),
            };
            match (others, trace.taken) {
                (true, Some(first)) => self.gives_back(first),
                (false, None) => self.took_times(trace.run.clone()),
                _ => {}
            }
            match longer.filter(|_| trace.port.is_some()) {
                Some((ping, pinged_ns)) => self.intercepted.push(Intercepted {
                    trace,
                    ping,
                    pinged_ns,
                }),
                None if others => self.notes.push(self.doubted(&trace)),
                None => {}
            }
        }
    }

    /// Whether a proxy is known of that may answer a trace.
    fn may_be_proxied(&self, trace: &TcpTrace) -> bool {
        let web = trace.port.is_none_or(|port| WEB.contains(&port));
        web && self.latest(Of::Path, PASSED_ON).is_some()
    }

    /// Whether pings went to a trace's target.
    fn is_pinged(&self, trace: &TcpTrace) -> bool {
        let mut names = self.pings.iter().flatten();
        names.any(|a| trace.names.iter().any(|b| alike(a, b)))
    }

    /// That a trace does not count, as a proxy may have answered it, for people.
    fn doubted(&self, trace: &TcpTrace) -> String {
        let at = trace.run[0].from.first();
        let place = at.map_or_else(String::new, |at| format!("{}: ", self.place(*at)));
        let what = match trace.port {
            Some(port) => format!("the trace by TCP to port {port}"),
            None => "the trace, which may be by TCP as its command is missing,".to_owned(),
        };
        let target = trace.names.last().map_or("HOST", String::as_str);
        format!(
            "{place}{what} may be answered by the proxy or cache that the header of an HTTP answer names: it does not count as the path at rest; ping -c 20 {target} says how far that is"
        )
    }

    /// The ping to a trace's target that took least, and how long, nanoseconds, where that is far longer than the trace says.
    fn pinged_longer(&self, trace: &TcpTrace) -> Option<(u32, f64)> {
        let is_target = |n: u32| {
            let mut names = self.pings[n as usize].iter();
            names.any(|a| trace.names.iter().any(|b| alike(a, b)))
        };
        let least = |f: &Fact| match f.of {
            Of::Ping(n) if f.name == "rtt_min_ns" && is_target(n) => Some((n, f.number()?.low)),
            _ => None,
        };
        let all = self.facts.iter().filter_map(least);
        let (ping, pinged) = all.min_by(|a, b| a.1.total_cmp(&b.1))?;
        is_far_shorter(trace.run[2].high, pinged).then_some((ping, pinged))
    }
}

impl Intercepted {
    /// What it says, for people; `meets` says that the connection goes to the port of the trace.
    fn sentence(&self, meets: bool) -> String {
        let trace = &self.trace;
        let beside = match meets {
            true => {
                "; this connection goes to that port: its rate is what that device passes on, no setting of the peer changes that, and whoever runs it can say what it allows"
            }
            false => "",
        };
        let port = trace
            .port
            .map_or_else(String::new, |p| format!(" to port {p}"));
        format!(
            "a trace by TCP{port} is answered after {} at hop {:.0}, and pings to the same address take {} at least: something on the way answers in its stead (a transparent proxy, a firewall, a WAN accelerator), or the pings went elsewhere or stood in a queue. The trace does not count as the path at rest{beside}",
            ms(trace.run[1].value * NS),
            trace.hop,
            ms(self.pinged_ns * NS)
        )
    }
}

impl Evidence {
    /// What traces show of who answers in the stead of a flow's peer.
    pub(crate) fn of_intercepted(&mut self, facts: &Facts, flow: &Flow) {
        let own = |i: &&Intercepted| flow.pings.is_own(Of::Ping(i.ping));
        self.around.intercepted = facts.intercepted.iter().find(own).map(|found| {
            let port = found.trace.port;
            let meets = flow.from.port == port || flow.to.port == port;
            (found.clone(), port.is_some() && meets)
        });
        let fetched = flow.test.as_ref().is_some_and(|t| t.tool == "curl");
        let said = word(facts, Of::Path, PASSED_ON);
        let said = said.filter(|_| fetched || self.around.intercepted.is_some());
        self.around.passed_on = said.map(|(header, _)| header.to_owned());
    }

    /// Whether something on the way ends this connection, and begins another.
    pub(crate) fn is_split(&self) -> bool {
        let traced = self.around.intercepted.as_ref();
        self.around.split.is_some() || traced.is_some_and(|(_, meets)| *meets)
    }
}

/// Windows that a connection to such a port waits for are those of what answers.
pub(crate) fn by_intercepted(e: &Evidence, items: &mut Vec<Item>) {
    let windows = [Cause::ReceiveWindow, Cause::NoWindowScaling, Cause::Client];
    items.extend(e.around.intercepted.as_ref().map(|(found, meets)| {
        Item {
            holds: 1.0,
            weights: windows
                .into_iter()
                .filter(|_| *meets)
                .map(|cause| (cause, -24.0))
                .collect(),
            sentence: found.sentence(*meets),
        }
    }));
    items.extend(e.around.passed_on.as_ref().map(|header| Item {
        holds: 1.0,
        weights: Vec::new(),
        sentence: format!(
            "an HTTP answer has the header {header}: a proxy or a cache passed it on, and what fetched it is connected to that device"
        ),
    }));
}
