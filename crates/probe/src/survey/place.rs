//! Where a host runs: bare metal or a virtual machine, a container, a network namespace; and what its user may do.

use farpath_record::survey::Survey;

use super::files::Files;

/// `CAP_NET_ADMIN`, by its bit (capabilities(7)).
const NET_ADMIN: u32 = 12;

/// What the paths of control groups are called in containers, and of what kind.
const GROUPS: [(&str, &str); 6] = [
    ("kubepods", "Kubernetes"),
    ("docker", "Docker"),
    ("libpod", "Podman"),
    ("containerd", "containerd"),
    ("lxc", "LXC"),
    ("machine.slice", "systemd-nspawn"),
];

pub(super) fn read(files: &mut Files, survey: &mut Survey) {
    machine(files, survey);
    survey.place.virtual_machine = virtual_machine(files);
    survey.place.container = container(files);
    // A setting of the whole machine: only its first network namespace has it.
    survey.place.network_namespace = files.has("/proc/sys/net/core")
        && !survey.settings.contains_key("net.core.netdev_max_backlog");
    let mounts = files.text("/proc/self/mounts").unwrap_or_default();
    survey.place.read_only = is_read_only(&mounts);
    let status = files.text("/proc/self/status").unwrap_or_default();
    survey.place.privileged = may_change(&status);
}

/// Processors, memory, what sets the frequency.
fn machine(files: &mut Files, survey: &mut Survey) {
    let online = files.word("/sys/devices/system/cpu/online");
    survey.cpus = online.as_deref().and_then(count).or_else(|| {
        let text = files.text("/proc/cpuinfo")?;
        let count = text.lines().filter(|l| l.starts_with("processor")).count();
        u32::try_from(count).ok().filter(|n| *n > 0)
    });
    survey.governor = files.word("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    let memory = files.text("/proc/meminfo").unwrap_or_default();
    survey.memory_bytes = memory.lines().find_map(|line| {
        let kib = line.strip_prefix("MemTotal:")?.trim().strip_suffix("kB")?;
        kib.trim().parse::<u64>().ok()?.checked_mul(1024)
    });
}

/// How many numbers a list such as `0-3,8` has.
fn count(list: &str) -> Option<u32> {
    let mut sum = 0_u32;
    for part in list.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        sum = sum.checked_add(last.checked_sub(first)?.checked_add(1)?)?;
    }
    Some(sum)
}

fn virtual_machine(files: &mut Files) -> Option<String> {
    let cpus = files.text("/proc/cpuinfo").unwrap_or_default();
    let flags = cpus.lines().find(|l| l.starts_with("flags"));
    let is_flagged = flags.is_some_and(|l| l.split_whitespace().any(|w| w == "hypervisor"));
    let kind = files.word("/sys/hypervisor/type");
    let maker = files.word("/sys/class/dmi/id/sys_vendor");
    let known = [
        "QEMU",
        "VMware",
        "Xen",
        "innotek",
        "Microsoft",
        "Amazon EC2",
        "Google",
    ];
    let named = maker.filter(|m| known.iter().any(|k| m.contains(k)));
    if !is_flagged && kind.is_none() && named.is_none() {
        return None;
    }
    Some(named.or(kind).unwrap_or_else(|| "unnamed".to_owned()))
}

fn container(files: &mut Files) -> Option<String> {
    let groups = files.text("/proc/1/cgroup").unwrap_or_default();
    let named = GROUPS.iter().find(|(word, _)| groups.contains(word));
    if let Some((_, kind)) = named {
        return Some((*kind).to_owned());
    }
    let marks = [("/.dockerenv", "Docker"), ("/run/.containerenv", "Podman")];
    let mark = marks.iter().find(|(file, _)| files.has(file));
    mark.map(|(_, kind)| (*kind).to_owned())
}

/// Whether the last mount that covers settings of the network is read-only.
fn is_read_only(mounts: &str) -> bool {
    let covers = |place: &str| matches!(place, "/proc" | "/proc/sys" | "/proc/sys/net");
    let last = mounts.lines().rfind(|line| {
        let mut words = line.split(' ');
        words.nth(1).is_some_and(covers)
    });
    let options = last.and_then(|line| line.split(' ').nth(3));
    options.is_some_and(|o| o.split(',').any(|o| o == "ro"))
}

fn may_change(status: &str) -> bool {
    let line = status.lines().find_map(|l| l.strip_prefix("CapEff:"));
    let mask = line.and_then(|m| u64::from_str_radix(m.trim(), 16).ok());
    mask.is_some_and(|m| m >> NET_ADMIN & 1 == 1)
}
