//! Who left window scaling out, as the handshakes of captures show it.

use farpath_record::trace::TraceConnection;

use super::{Captured, Vantage};
use crate::seen::Side;

/// Who left window scaling out of a handshake: both SYNs have to have the option (RFC 7323 §2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LeftOut {
    /// An end, beside which its SYN was captured.
    End(Side),
    /// An end, or what lies between it and the capture.
    Beyond(Side),
    /// What lies between two captures: one shows the option where the other does not.
    Between,
}

/// Whose SYN had no window scale option. An answer has none where it was not offered one, so that the SYN that was first counts.
pub(super) fn of_handshake(
    connection: &TraceConnection,
    reverse: bool,
    vantage: Vantage,
) -> Option<LeftOut> {
    let opening = connection.opening.as_ref()?;
    let scales = |options: &[String]| options.iter().any(|o| o.starts_with("window_scale"));
    let opener = if reverse {
        Side::Receiver
    } else {
        Side::Sender
    };
    let side = match scales(&opening.offered) {
        false => opener,
        true if opening.syn_ack_ns.is_some() && !scales(&opening.answered_with) => opener.other(),
        true => return None,
    };
    let beside = match vantage {
        Vantage::Sender => Some(Side::Sender),
        Vantage::Receiver => Some(Side::Receiver),
        Vantage::Middle | Vantage::Unknown => None,
    };
    Some(match beside == Some(side) {
        true => LeftOut::End(side),
        false => LeftOut::Beyond(side),
    })
}

/// What several captures of one handshake show together: where they differ, the option was taken out between them.
pub(crate) fn who_left_out(all: &[&Captured]) -> Option<LeftOut> {
    let mut each = all.iter().filter_map(|c| c.left_out);
    let first = each.next()?;
    let side = |l: LeftOut| match l {
        LeftOut::End(side) | LeftOut::Beyond(side) => Some(side),
        LeftOut::Between => None,
    };
    Some(each.fold(first, |one, other| match other {
        _ if side(one) != side(other) => LeftOut::Between,
        LeftOut::End(_) => other,
        _ => one,
    }))
}
