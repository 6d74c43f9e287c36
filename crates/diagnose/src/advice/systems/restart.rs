//! Linux's window after a pause.

use super::{Remedy, kept};

/// A window that stays open over pauses.
pub(crate) fn restart() -> Remedy {
    let key = "net.ipv4.tcp_slow_start_after_idle";
    Remedy {
        commands: vec![
            format!("sysctl -w {key}=0"),
            "and keep connections open: one that is opened for each answer begins at 10 segments whatever this is"
                .to_owned(),
        ],
        undo: vec![format!("sysctl -w {key}=1")],
        persist: kept(&[(key, "0")]),
        risk: "after a pause a whole window leaves at once, which may overflow a short queue: fq as queue discipline paces it".to_owned(),
        room: None,
    }
}
