//! The kinds of test on real hosts: what is planned for each, and what is seen of it.

use farpath_probe::report::Report;
use farpath_scenario::{Test, TestKind};

use crate::planned::Planner;
use crate::records::{Collector, Seen};

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
}

impl Collector<'_, '_> {
    /// What the reports on a test come to.
    pub(crate) fn seen_of(&self, test: &Test, flows: &[usize]) -> Option<Seen> {
        let first = *flows.first()?;
        match &test.kind {
            TestKind::Ping(_) => self.find(first, |report| match report {
                Report::Ping(report) => Some(self.ping(report)),
                _ => None,
            }),
            TestKind::Udp(udp) => self.datagrams(first, udp.size),
            TestKind::Flows(_) => Some(self.flows(flows)),
            TestKind::Tcp(_) | TestKind::Transfer(_) | TestKind::Request(_) => {
                self.connections(test, flows)
            }
        }
    }
}
