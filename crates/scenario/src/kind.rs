//! The kinds of test: how each is read, and what is forecast of it.
//!
//! What a kind has to itself lies in a file of its own beside.

mod periodic;
pub(crate) mod words;

use farpath_observe::metric::Subject;
use farpath_record::Record;

use crate::decode::Fields;
use crate::diagnostic::Diagnostic;
use crate::forecast::Path;
use crate::model::{NodeId, Periodic, Scenario, Test, TestKind};
use crate::source::Beside;
use crate::stack::stacks;
use crate::traffic;

impl TestKind {
    /// A test between two nodes, `from` and `to`, as its table says; none where that is at fault.
    pub(crate) fn read(
        f: &Fields,
        name: &str,
        (scenario, [from, to]): (&Scenario, [NodeId; 2]),
        folder: &Beside,
        faults: &mut Vec<Diagnostic>,
    ) -> Option<TestKind> {
        let ends = stacks(scenario, f, from, to);
        Some(match Subject::of_test(&f.get::<String>("kind")?)? {
            Subject::Ping => TestKind::Ping(Periodic::read(f)),
            Subject::OneWay => TestKind::OneWay(Periodic::read(f)),
            Subject::Udp => TestKind::Udp(traffic::udp(f, name, folder, faults)?),
            Subject::Cells => TestKind::Udp(traffic::cells(f, name, faults)?),
            Subject::Tcp => TestKind::Tcp(traffic::tcp(f, ends, faults)),
            Subject::Flows => {
                let tcp = traffic::tcp(f, ends, faults);
                TestKind::Flows(traffic::flows(f, tcp, faults)?)
            }
            Subject::Transfer => TestKind::Transfer(traffic::transfer(f, ends, faults)?),
            Subject::Request => {
                let [asker, answerer] = ends;
                TestKind::Request(traffic::request(f, [answerer, asker], faults))
            }
            _ => return None,
        })
    }

    /// The closed forms' answer for a test on its path.
    pub(crate) fn predict(&self, test: &Test, path: &Path<'_>, record: &mut Record) {
        match self {
            TestKind::Ping(all) => {
                if !path.expires(all, record) {
                    path.periodic(all, ("rtt", &[&path.there, &path.back]), record);
                }
            }
            TestKind::OneWay(all) => path.periodic(all, ("delay", &[&path.there]), record),
            TestKind::Udp(udp) if udp.cells.is_some() => path.cells(test, udp, record),
            TestKind::Udp(udp) => path.udp(test, udp, record),
            TestKind::Tcp(tcp) => path.tcp(test, tcp, record),
            TestKind::Transfer(_) | TestKind::Request(_) => path.exchange(test, record),
            TestKind::Flows(flows) => path.flows(test, flows, record),
        }
    }
}
