//! What limited a connection, in words.

use farpath_observe::Limit;

use super::Watched;
use crate::lab::cause::{self, Cause};
use crate::lab::held::{self, UNHELD};
use crate::lab::sender::SENDERS;

impl Watched {
    /// That the congestion window limited it, in its first growth and behind it.
    pub(super) fn window(&self, causes: [(Cause, f64); 2]) -> String {
        let all: f64 = causes.iter().map(|(_, share)| 100.0 * share).sum();
        let parts = causes.map(|(cause, share)| {
            let when = match cause {
                Cause::Limit(Limit::CwndSlowStart) => "still growing",
                _ if self.last.retransmits > 0 => "after losses",
                _ => "behind its first growth",
            };
            format!("{when} for {:.0} %", 100.0 * share)
        });
        let parts = parts.join(", ");
        format!("the congestion window limited it {all:.0} % of the time: {parts}")
    }

    /// Whether the program asked for a pace, so that none is the algorithm's own.
    pub(super) fn is_asked_to_pace(&self) -> bool {
        let timers = self.last.sample.timers;
        timers.is_some_and(|t| t.pacing_limit_bps.is_some())
    }

    /// What a cause did, for a share of the time.
    pub(super) fn limited(&self, (cause, share): (Cause, f64)) -> String {
        let percent = format!("{:.0} % of the time", 100.0 * share);
        let [own, other] = [self.host, 1 - self.host].map(|host| SENDERS[host]);
        let limit = match cause {
            Cause::Limit(limit) => limit,
            Cause::Down => return format!("the path was down {percent}"),
            Cause::Back => {
                return format!("the way back was full {percent}: acknowledgements waited for it");
            }
            Cause::Asking => {
                return format!(
                    "{own} waited {percent} for what {other} sends, which filled a link of the path"
                );
            }
            Cause::Asked => {
                let [command, server] = SENDERS;
                return format!(
                    "{command} waited for {server} {percent}: it had a request, and had not answered"
                );
            }
            Cause::Quiet => return cause::quiet(&percent),
            Cause::Other => return format!("{own} waited for {other} {percent}"),
            Cause::Way => {
                return format!(
                    "it waited for the path {percent}: a request or an answer was on the way"
                );
            }
            Cause::Ways(several) => {
                return format!(
                    "it waited for the path {percent}: about {several} segments of requests and answers were on the way at a time"
                );
            }
            Cause::SetUp => return format!("setting it up took {percent}"),
            Cause::Timers => return format!("it waited for retransmission timers {percent}"),
            Cause::Queries(host) => return cause::elsewhere(host, &percent),
            Cause::Errand { host, to } => return cause::errand(host, to, &percent),
            Cause::Held(host) => return format!("{} {percent}: {UNHELD}", held::words(host)),
        };
        match limit {
            Limit::ReceiveWindow => format!("the receiver's window limited it {percent}"),
            Limit::SendBuffer => format!(
                "its send buffer limited it {percent}: a larger one (SO_SNDBUF, tcp_wmem) lets more through"
            ),
            Limit::Application => {
                format!("{own} limited it: it had nothing to send {percent}")
            }
            Limit::CwndSlowStart => {
                format!("the congestion window limited it {percent}: it was still growing")
            }
            Limit::CwndRecovery | Limit::Loss => {
                let after = match self.last.retransmits {
                    0 => "",
                    _ => ", after losses",
                };
                format!("the congestion window limited it {percent}{after}")
            }
            Limit::Pacing if self.is_asked_to_pace() => {
                format!("{own} limited it: it set a pace, which the kernel kept {percent}")
            }
            Limit::Pacing => format!("its own pace limited it {percent}"),
            Limit::Nic => format!("its host's own link was full {percent}"),
            Limit::HostCpu | Limit::Disk => format!("its host was busy {percent}"),
            Limit::Link => format!("a link of the path was full {percent}"),
            Limit::Policer => format!("a policer limited it {percent}"),
            Limit::Mtu => {
                format!("the MTU limited it {percent}: what was sent is larger than a link carries")
            }
            Limit::Unknown => format!("what limited it is unknown {percent}"),
        }
    }
}
