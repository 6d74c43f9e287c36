//! What to change about a control group that may use too little of the processors.

use super::systems::Remedy;
use crate::document::Change;
use crate::evidence::Evidence;
use crate::flows::flow::Flow;

/// A higher limit, where a group waits for its next period and no processor is full.
pub(super) fn change(e: &Evidence, flow: &Flow) -> Option<Change> {
    let own = e.throttled_first()?;
    let server = own.served.as_ref().map(|served| served.server.clone());
    let host = server.unwrap_or(flow.called(own.side?));
    let now = own.processors.map_or_else(String::new, |count| {
        format!(", which is {count:.2} processors now")
    });
    let (file, open, old) = match own.first_version {
        true => ("/sys/fs/cgroup/cpu/GROUP/cpu.cfs_quota_us", "-1", "QUOTA"),
        false => ("/sys/fs/cgroup/GROUP/cpu.max", "max 100000", "QUOTA PERIOD"),
    };
    let stat = match own.first_version {
        true => "/sys/fs/cgroup/cpu/cpu.stat",
        false => "/sys/fs/cgroup/cpu.stat",
    };
    let remedy = Remedy {
        commands: vec![
            format!(
                "cat {stat}, in the container, before and after a test: that nr_throttled grows with nr_periods"
            ),
            format!(
                "a higher limit{now}: of Kubernetes resources.limits.cpu of that container; of Docker docker update --cpus N CONTAINER; of systemd systemctl set-property UNIT CPUQuota=N%"
            ),
            format!(
                "or at once, on the host of that container: cat {file}, and keep what it prints; echo \"{open}\" > {file}, with the folder of its group as GROUP"
            ),
            "fewer threads in it, where its limit has to stay: all of them use one quota, and wait together when it is used up".to_owned(),
        ],
        undo: vec![format!(
            "the limit as it was: echo \"{old}\" > {file}, with what `cat {file}` printed before"
        )],
        risk: "what else runs on that host gets less of its processors".to_owned(),
        ..Remedy::default()
    };
    Some(remedy.change(&host, None, None))
}
