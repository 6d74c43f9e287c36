//! A receiving program that leaves datagrams in its socket until it is full.

use super::{Remedy, before, kept};
use crate::ceiling::{bps, bytes};
use crate::known::System;
use farpath_predict::window::power;

/// For so long a busy host may keep a program from reading, seconds: a rule of thumb, held against no measurement.
const UNREAD_S: f64 = 0.05;

/// A larger socket buffer; by the limit that the receiver has now, where that is known, and the rate that arrives, bit/s.
pub(crate) fn reader_of_datagrams(
    system: Option<System>,
    now: Option<u64>,
    rate: Option<f64>,
) -> Remedy {
    let linux = system.is_none_or(|s| s == System::Linux);
    let larger = "let the receiving program ask for a larger socket buffer (SO_RCVBUF; iperf3 has -w on the client, for both ends)";
    let slow = "where it still loses, its processor is too slow for so many datagrams: top -H meanwhile; larger datagrams are fewer";
    if let (true, Some(now), Some(rate)) = (linux, now, rate) {
        let unread = rate / 8.0 * UNREAD_S;
        let most = power(2.0 * unread).max(now);
        let key = "net.core.rmem_max";
        let sized = format!(
            "{larger}: {:.0} MiB; in {:.0} ms {} brings {}, and the kernel counts about twice that",
            most as f64 / 1_048_576.0,
            UNREAD_S * 1e3,
            bps(rate),
            bytes(unread)
        );
        let mut remedy = Remedy::without_risk([sized.as_str(), slow]);
        if most > now {
            remedy.commands.insert(0, format!("sysctl -w {key}={most}"));
            remedy.undo = vec![before(key, Some(now), "sysctl -w ")];
            remedy.persist = kept(&[(key, &most.to_string())]);
            remedy.risk =
                format!("each socket that asks may then use up to {most} bytes of kernel memory");
        }
        return remedy;
    }
    let most = "it gets no more than the receiver's net.core.rmem_max: sysctl net.core.rmem_max";
    let most = linux.then_some(most);
    Remedy::without_risk([Some(larger), most, Some(slow)].into_iter().flatten())
}
