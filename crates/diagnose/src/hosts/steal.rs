//! A virtual machine of which no text has what its hypervisor took: an idle processor inside it does not exclude that it waits for its turn.

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::fact::{Figure, Of};
use crate::flows::flow::{Flow, number, word};
use crate::items::{Item, step};
use crate::read::Facts;
use crate::seen::Side;

/// Drivers of interfaces that a hypervisor gives its machines.
const DRIVERS: [&str; 7] = [
    "virtio_net",
    "vmxnet3",
    "hv_netvsc",
    "xen_netfront",
    "vif",
    "ena",
    "gve",
];

/// What the release of a kernel ends with that is made for virtual machines.
const KERNELS: [&str; 6] = ["-kvm", "-aws", "-azure", "-gcp", "-oracle", "-cloud-amd64"];

/// What says how much a hypervisor took, of one processor or of all.
const STEAL: [&str; 2] = ["cpu_steal_ratio", "cpu_steal_all_ratio"];

/// A processor that is idle, inside a machine whose hypervisor nobody asked, counts so much against processors, decibans.
const IDLE: f64 = -8.0;

/// What shows that a host is virtual; none where nothing does.
fn virtual_by(facts: &Facts, host: u32) -> Option<&str> {
    let said = |name| word(facts, Of::Host(host), name).map(|(value, _)| value);
    let driver = said("driver").filter(|name| DRIVERS.contains(name));
    let kernel = said("kernel").filter(|release| KERNELS.iter().any(|k| release.ends_with(k)));
    driver.or(kernel)
}

/// The first end that is a virtual machine and whose texts have no steal, for people.
pub(crate) fn unread(facts: &Facts, flow: &Flow) -> Option<String> {
    let ends = [
        (Side::Sender, &flow.senders),
        (Side::Receiver, &flow.receivers),
    ];
    ends.into_iter().find_map(|(side, hosts)| {
        let by = hosts.iter().find_map(|host| virtual_by(facts, *host))?;
        let has = |host: &u32| {
            let of = |name| number(facts, Of::Host(*host), name).is_some();
            STEAL.into_iter().any(of)
        };
        let called = || format!("{} is a virtual machine ({by})", flow.called(side));
        (!hosts.iter().any(has)).then(called)
    })
}

/// What a processor that is not full speaks against processors. It holds from this share of its time in use down, and fully from that on.
const UNUSED: [f64; 2] = [0.5, 0.85];

/// Weighs a processor that is not full; of a virtual machine whose hypervisor nobody asked it says little.
pub(crate) fn by_idle(e: &Evidence, cpu: &Figure, items: &mut Vec<Item>) {
    let (weight, sentence) = match &e.around.steal_unread {
        None => (-18.0, String::new()),
        Some(machine) => (
            IDLE,
            format!(
                "{machine}, and what its hypervisor took from it (%steal) was not read: a processor that is idle inside it may still wait for its turn, which mpstat -P ALL 5 1 during a test shows"
            ),
        ),
    };
    items.push(Item {
        holds: 1.0 - step(cpu.value, UNUSED[0], UNUSED[1]),
        weights: vec![(Cause::HostCpu, weight)],
        sentence,
    });
}
