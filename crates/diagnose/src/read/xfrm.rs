//! `/proc/net/xfrm_stat`: what IPsec of a Linux host dropped.

use super::{Facts, Line, Tool};
use crate::fact::Of;
use crate::ipsec::{BEGIN, DROPS};
use crate::words::whole;

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
