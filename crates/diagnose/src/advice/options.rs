//! Options of TCP that something on the way takes out, or that a host has off.

use super::systems;
use crate::cause::Cause;
use crate::document::Change;
use crate::evidence::Evidence;
use crate::known::System;
use crate::seen::Side;

/// Selective acknowledgements, let through where losses are to be repaired. Window scaling is a cause of its own, and timestamps cost little.
pub(super) fn let_through(cause: Cause, e: &Evidence) -> Option<Change> {
    let again = e.retransmits.as_ref().map_or(0.0, |r| r.value);
    let stripped = e.stripped.iter().any(|s| s.is_sack_between());
    (stripped && (cause.is_loss() || again > 0.0)).then(|| {
        systems::option_between("SACK", "both hosts offer it already").change(
            "the firewall or router between",
            None,
            None,
        )
    })
}

/// Selective acknowledgements, turned on at each end that has them off, where losses are to be repaired: a setting that costs nothing comes
/// before what the path has to give.
pub(super) fn turned_on(
    cause: Cause,
    e: &Evidence,
    called: impl Fn(Side) -> String,
) -> Vec<Change> {
    let again = e.retransmits.as_ref().map_or(0.0, |r| r.value);
    if e.udp || !cause.is_loss() || again <= 0.0 {
        return Vec::new();
    }
    let linux = |side: &&Side| e.systems[**side as usize].is_none_or(|s| s == System::Linux);
    let own = e.sack_off.iter().filter(linux);
    own.map(|side| Change {
        host: called(*side),
        commands: vec![
            "sysctl -w net.ipv4.tcp_sack=1, for new connections: of several losses in a window each costs a round trip without (RFC 6582)".to_owned(),
        ],
        undo: vec!["sysctl -w net.ipv4.tcp_sack=0".to_owned()],
        persist: vec!["net.ipv4.tcp_sack = 1".to_owned()],
        risk: "somebody turned it off on purpose: ask why".to_owned(),
        ..Change::default()
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::{Figure, Place};

    /// It stood under what was seen besides, behind another congestion control.
    #[test]
    fn a_host_with_sack_off_turns_it_on_where_segments_are_lost() {
        let with = |off: &[Side], again: f64| Evidence {
            sack_off: off.to_vec(),
            retransmits: Some(Figure::exact(again, Place::You)),
            ..Evidence::default()
        };
        let called = |side: Side| side.name().to_owned();
        let count = |e: &Evidence, cause| turned_on(cause, e, called).len();
        let off = with(&[Side::Sender], 40.0);
        assert_eq!(count(&off, Cause::RandomLoss), 1);
        assert_eq!(count(&off, Cause::ReceiveWindow), 0);
        assert_eq!(count(&with(&[], 40.0), Cause::RandomLoss), 0);
        assert_eq!(count(&with(&[Side::Sender], 0.0), Cause::RandomLoss), 0);
    }
}
