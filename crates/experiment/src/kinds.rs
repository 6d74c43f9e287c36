//! The kinds of test on real hosts: what is planned for each, and what is seen of it.

use farpath_observe::{Observation, Packets, too_late};
use farpath_probe::report::Report;
use farpath_probe::work::OneWay;
use farpath_probe::{UDP_HEADER, UDP_MOST_BYTES};
use farpath_scenario::{Periodic, Test, TestKind};
use farpath_units::{Duration, Time};

use crate::planned::{Planner, said};
use crate::records::{Collector, Seen, at};

impl Planner<'_> {
    /// Adds the jobs of a test; `flows` carry its data.
    pub(crate) fn plan(
        &mut self,
        number: usize,
        test: &Test,
        flows: &[usize],
    ) -> Result<(), String> {
        match &test.kind {
            TestKind::Ping(ping) => self.ping(test, ping, flows[0]),
            TestKind::OneWay(all) => self.one_way(test, all, flows[0]),
            TestKind::Udp(udp) => self.udp(test, udp, flows[0]),
            TestKind::Flows(kind) => self.flows(test, kind, flows),
            TestKind::Tcp(tcp) => {
                let mut flows = flows.iter();
                flows.try_for_each(|flow| self.bulk(test, tcp, *flow, None))
            }
            TestKind::Transfer(_) | TestKind::Request(_) => {
                if test.kind.exchange(0).is_some_and(|e| e.disks) {
                    self.note(
                        number,
                        "files come from memory and go nowhere: the scenario's disks are those of the model",
                    );
                }
                let mut flows = flows.iter();
                flows.try_for_each(|flow| self.exchange(test, *flow))
            }
        }
    }

    fn one_way(&mut self, test: &Test, all: &Periodic, flow: usize) -> Result<(), String> {
        let [source, sink] = self.marked(self.ends(test, flow), flow);
        let one_way = OneWay {
            source,
            sink,
            class: test.class,
            size: payload(all.size, test.ip)?,
            start: test.start,
            interval: all.interval,
            count: all.count,
            timeout: all.timeout,
        };
        let jobs = &mut self.planned.jobs;
        jobs.one_way(flow, &one_way).map_err(said)
    }
}

/// Bytes of payload of a UDP datagram whose IP datagram has `size` bytes; else between which its size may be.
fn payload(size: u32, version: u8) -> Result<u32, String> {
    let headers: u32 = if version == 6 { 48 } else { 28 };
    let [least, most] = [UDP_HEADER as u64, UDP_MOST_BYTES].map(|bytes| headers + bytes as u32);
    match (least..=most).contains(&size) {
        true => Ok(size - headers),
        false => Err(format!(
            "an IP datagram that carries a number and a time has {least} to {most} bytes in a lab, and `size` is {size}"
        )),
    }
}

impl Collector<'_, '_> {
    /// What the reports on a test come to.
    pub(crate) fn seen_of(&self, test: &Test, flows: &[usize]) -> Option<Seen> {
        let first = *flows.first()?;
        match &test.kind {
            TestKind::Ping(all) => self.find(first, |report| match report {
                Report::Ping(report) => Some(self.ping(report, all)),
                _ => None,
            }),
            TestKind::OneWay(all) => self.one_way(first, all),
            TestKind::Udp(udp) => self.datagrams(first, udp.size),
            TestKind::Flows(_) => Some(self.flows(flows)),
            TestKind::Tcp(_) | TestKind::Transfer(_) | TestKind::Request(_) => {
                self.connections(test, flows)
            }
        }
    }

    fn one_way(&self, flow: usize, all: &Periodic) -> Option<Seen> {
        let sent = self.find(flow, |report| match report {
            Report::UdpSend(report) => Some(report.sent),
            _ => None,
        });
        self.find(flow, |report| match report {
            Report::OneWay(report) => Some(Seen {
                last: None,
                notes: {
                    let late = too_late("datagrams", report.late, all.count.into(), all.timeout);
                    late.into_iter()
                        .chain(report.notes.iter().cloned())
                        .collect()
                },
                observation: Observation::Packets(Packets {
                    timed: "delay",
                    sent: sent.unwrap_or(all.count.into()),
                    arrived: arrived(&report.arrived),
                    duplicates: report.duplicates,
                    exceeded: Vec::new(),
                }),
            }),
            _ => None,
        })
    }
}

fn arrived(told: &[(u64, u64)]) -> Vec<(Time, Duration)> {
    let one = |(sent, delay): &(u64, u64)| (at(*sent), Duration::from_ns(*delay));
    told.iter().map(one).collect()
}
