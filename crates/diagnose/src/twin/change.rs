//! The twin after the first change.

use farpath_predict::window::power;
use farpath_units::{Duration, Size};

use super::grounds::{Said, assumed};
use super::host::HostModel;
use super::model::Model;
use super::work::{PACKETS_MAX, Work};
use crate::advice::{Shared, wanted};
use crate::cause::Cause;
use crate::known::System;
use crate::verdict::Judged;
use crate::windows::channel::window_of_channel;

/// Round trips that are left out, so that windows are open, and that are measured then.
const ROUNDS: f64 = 40.0;

/// And no fewer seconds.
const SECONDS: f64 = 5.0;

/// Packets that a sender's `fq` and a larger window may need beyond those of the first run.
const PACKETS_AFTER: f64 = 2.0 * PACKETS_MAX;

/// The model after the change that the verdict asks for; none where no scenario can say it.
pub(super) fn changed(model: &Model, judged: &Judged, shared: &Shared) -> Option<Model> {
    let mut after = model.clone();
    let cause = judged.cause();
    match cause {
        Cause::ReceiveWindow | Cause::NoWindowScaling => {
            after.window = None;
            after.hosts[1].memory = grown(model.hosts[1].memory.value[0], judged, (1, shared));
        }
        Cause::SendBuffer => {
            after.hosts[0].memory = grown(model.hosts[0].memory.value[0], judged, (0, shared));
        }
        // Elsewhere what loses is to be found, and nothing of the sender is changed.
        Cause::RandomLoss if judged.e.weak_radio().is_some() => return None,
        Cause::RandomLoss if judged.e.is_mended_by_plugs() => return None,
        Cause::RandomLoss if judged.e.systems[0].is_none_or(|s| s == System::Linux) => {
            after.cc = changed_to("bbr");
            after.hosts[0].paced = Some(changed_to(true));
        }
        Cause::CongestionLoss | Cause::ShallowBuffer | Cause::Policer => {
            after.hosts[0].paced = Some(changed_to(true));
        }
        Cause::MtuBlackHole => after.hosts[0].probes = Some(changed_to(1)),
        _ => return None,
    }
    if let Some(window) = window_of_channel(&judged.e) {
        let window = Size::from_bytes(window as u64);
        let smaller = |w: &Said<Size>| w.value <= window;
        if !after.window.as_ref().is_some_and(smaller) {
            after.window = Some(assumed(window, "the window of a channel of OpenSSH"));
        }
    }
    after.hosts.iter_mut().for_each(HostModel::settle);
    let line = model.rate.value.as_bps() as f64;
    if let Work::Bulk { duration, omit, .. } = &mut after.work {
        let rtt = model.rtt.value.as_secs_f64();
        let most = PACKETS_AFTER * model.mtu.value as f64 * 8.0 / line;
        let part = (ROUNDS * rtt).max(SECONDS).min(most / 2.0);
        let span = Duration::from_secs_f64((part * 1e3).ceil() / 1e3);
        *duration = assumed(span, "some round trips of the changed flow");
        *omit = Some(assumed(
            span,
            "slow start, of which the prediction knows nothing",
        ));
    }
    Some(after)
}

fn changed_to<T>(value: T) -> Said<T> {
    Said {
        value,
        from: "changed".to_owned(),
    }
}

/// The memory that `advice` gives a socket of this end.
fn grown(first: u64, judged: &Judged, (end, shared): (usize, &Shared)) -> Said<[u64; 2]> {
    // A twin has a round trip.
    let wanted = wanted(&judged.e).unwrap_or(0.0).max(shared.room[end]);
    let once = matches!(
        judged.e.systems[end],
        Some(System::OpenBsd | System::NetBsd | System::Bsd)
    );
    let most = power(if once { wanted } else { wanted * 2.0 });
    changed_to([first.min(most), most])
}
