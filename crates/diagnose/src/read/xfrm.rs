//! `/proc/net/xfrm_stat`: what IPsec of a Linux host dropped.

use super::{Facts, Line, Tool};
use crate::fact::Of;
use crate::words::whole;

/// How the names of all these counters begin.
pub(crate) const BEGIN: &str = "Xfrm";

/// The counter of packets outside of the replay window.
pub(crate) const REPLAY: &str = "XfrmInStateSeqError";

/// The counters, and what each means (Documentation/networking/xfrm_proc.rst of Linux).
pub(crate) const DROPS: [(&str, &str); 28] = [
    ("XfrmInError", "an error that no other counter has"),
    ("XfrmInBufferError", "no memory for the packet"),
    ("XfrmInHdrError", "a header that cannot be read"),
    (
        "XfrmInNoStates",
        "no security association has their SPI, address and protocol: the peer sends by one that is gone here, or was never set up",
    ),
    (
        "XfrmInStateProtoError",
        "the key is wrong, or the packet was damaged",
    ),
    ("XfrmInStateModeError", "the ends differ in their mode"),
    (
        REPLAY,
        "a number outside of the replay window: packets overtake each other by more than that, or came twice. A larger replay window lets them in",
    ),
    (
        "XfrmInStateExpired",
        "the security association had expired: renew it earlier",
    ),
    (
        "XfrmInStateMismatch",
        "another encapsulation than the security association has, such as UDP for NAT",
    ),
    (
        "XfrmInStateInvalid",
        "the security association is not valid, as while it is set up or taken down",
    ),
    (
        "XfrmInTmplMismatch",
        "no policy fits the security association by which they came",
    ),
    (
        "XfrmInNoPols",
        "no policy lets in what came by the security association",
    ),
    ("XfrmInPolBlock", "a policy blocks them"),
    ("XfrmInPolError", "an error in a policy"),
    (
        "XfrmAcquireError",
        "the security association was not set up yet",
    ),
    ("XfrmFwdHdrError", "they may not be forwarded"),
    ("XfrmOutError", "an error that no other counter has"),
    (
        "XfrmOutBundleGenError",
        "no route and security association could be put together for them",
    ),
    (
        "XfrmOutBundleCheckError",
        "what was put together for them is not valid any more",
    ),
    (
        "XfrmOutNoStates",
        "no security association yet: what comes while one is negotiated is dropped",
    ),
    ("XfrmOutStateProtoError", "the encryption failed"),
    (
        "XfrmOutStateModeError",
        "the mode of the security association does not take them",
    ),
    (
        "XfrmOutStateSeqError",
        "the numbers of the security association are used up: renew it earlier",
    ),
    (
        "XfrmOutStateExpired",
        "the security association had expired: renew it earlier",
    ),
    (
        "XfrmOutStateInvalid",
        "the security association is not valid, as while it is set up or taken down",
    ),
    ("XfrmOutPolBlock", "a policy blocks them"),
    ("XfrmOutPolDead", "their policy is taken down"),
    ("XfrmOutPolError", "an error in a policy"),
];

/// The state of reading.
#[derive(Default)]
pub(super) struct Xfrm {
    host: Option<Of>,
}

impl Tool for Xfrm {
    fn name(&self) -> &'static str {
        "xfrm_stat"
    }

    /// `XfrmInStateSeqError      123`; of a counter that is not known nothing is made.
    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let words: Vec<&str> = line.bare.split_whitespace().take(3).collect();
        let [name, value] = words[..] else {
            return false;
        };
        let Some(value) = whole(value).filter(|_| name.starts_with(BEGIN)) else {
            return false;
        };
        let host = match self.host.filter(|_| going) {
            Some(host) => host,
            None => facts.host(),
        };
        self.host = Some(host);
        if let Some((known, _)) = DROPS.iter().find(|(known, _)| *known == name) {
            facts.exact(host, known, value as f64, line.at);
        }
        true
    }
}
