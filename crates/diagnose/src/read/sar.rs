//! `sar -n DEV` of sysstat: what each interface of a host or a router carried, and how full that made it.

use std::collections::BTreeMap;

use super::{Facts, Line, Tool};
use crate::fact::{Of, Place};
use crate::words::decimal;

/// The columns with what was received and sent, KiB a second, and with the part of the interface's rate that the greater of them is, percent.
const RECEIVED: &str = "rxkB/s";
const SENT: &str = "txkB/s";
const FULL: &str = "%ifutil";

/// Bits of a KiB.
const KIB: f64 = 8192.0;

/// From so many percent on the share says the rate of the interface well enough.
const SAYS: f64 = 10.0;

/// Rates of interfaces, bit/s; what is as near to one as this part of it is that.
const RATES: [f64; 11] = [
    1e7, 1e8, 1e9, 2.5e9, 5e9, 1e10, 2.5e10, 4e10, 5e10, 1e11, 4e11,
];
const NEAR: f64 = 0.03;

/// Most interfaces of a host.
const PORTS_MAX: usize = 256;

/// What stands before the means of all intervals.
const MEAN: &str = "Average:";

/// The state of reading: the columns behind that of the names, and the last interval of each interface.
#[derive(Default)]
pub(super) struct Sar {
    columns: Vec<String>,
    last: BTreeMap<String, Carried>,
}

/// What an interface carried, bit/s.
#[derive(Clone, Copy)]
struct Carried {
    received: f64,
    sent: f64,
    /// Its own rate, where that follows.
    speed: Option<f64>,
    at: Place,
}

impl Tool for Sar {
    fn name(&self) -> &'static str {
        "sar"
    }

    /// `08:00:01 PM IFACE rxpck/s txpck/s rxkB/s txkB/s rxcmp/s txcmp/s rxmcst/s %ifutil`, and rows under it.
    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let words: Vec<&str> = line.bare.split_whitespace().collect();
        if let Some(name) = words.iter().position(|w| *w == "IFACE") {
            let columns = &words[name + 1..];
            let carries = [RECEIVED, SENT].iter().all(|c| columns.contains(c));
            if carries && !going {
                self.hand_over(facts);
            }
            let columns = columns.iter().filter(|_| carries);
            self.columns = columns.map(|w| (*w).to_owned()).collect();
            return carries;
        }
        if !going || self.columns.is_empty() {
            return false;
        }
        let Some((name, carried)) = self.row(&words, line.at) else {
            return false;
        };
        let known = self.last.contains_key(name);
        // A mean counts where the text has no interval.
        let newer = !known || words.first() != Some(&MEAN);
        if name != "lo" && newer && (known || self.last.len() < PORTS_MAX) {
            self.last.insert(name.to_owned(), carried);
        }
        true
    }

    fn held(&self) -> usize {
        2 * self.last.len()
    }

    fn finish(&mut self, facts: &mut Facts) {
        self.hand_over(facts);
    }
}

impl Sar {
    /// The interface of a row, and what it carried.
    fn row<'w>(&self, words: &[&'w str], at: Place) -> Option<(&'w str, Carried)> {
        let names = words.len().checked_sub(self.columns.len() + 1)?;
        let (name, cells) = words.get(names..)?.split_first()?;
        let numbers: Option<Vec<f64>> = cells.iter().map(|cell| decimal(cell)).collect();
        let numbers = numbers.filter(|_| names > 0)?;
        let of = |column: &str| {
            let at = self.columns.iter().position(|c| c == column)?;
            numbers.get(at).copied()
        };
        let (received, sent) = (KIB * of(RECEIVED)?, KIB * of(SENT)?);
        let share = of(FULL).filter(|percent| *percent >= SAYS);
        let speed = share.map(|percent| rate_near(100.0 * received.max(sent) / percent));
        let carried = Carried {
            received,
            sent,
            speed,
            at,
        };
        Some((*name, carried))
    }

    /// Hands over what each interface carried.
    fn hand_over(&mut self, facts: &mut Facts) {
        for carried in core::mem::take(&mut self.last).into_values() {
            let at = carried.at;
            facts.word(Of::Path, "interface", "linux", at);
            if let Some(speed) = carried.speed {
                facts.exact(Of::Path, "interface_bps", speed, at);
            }
            facts.exact(Of::Path, "interface_received_bps", carried.received, at);
            facts.exact(Of::Path, "interface_sent_bps", carried.sent, at);
        }
    }
}

/// The rate of an interface that a computed one is near to, or that one.
fn rate_near(bps: f64) -> f64 {
    let near = |rate: &f64| libm::fabs(bps - rate) <= NEAR * rate;
    RATES.into_iter().find(near).unwrap_or(bps)
}

#[cfg(test)]
mod tests {
    use crate::fact::{Fact, Of};
    use crate::read::taken::whole;

    const HEAD: &str = "$ sar -n DEV 300 3 --iface=ens1
Linux 5.14.0 (border) \t11/30/2026 \t_x86_64_\t(16 CPU)

08:00:01 PM     IFACE   rxpck/s   txpck/s    rxkB/s    txkB/s   rxcmp/s   txcmp/s  rxmcst/s   %ifutil
";

    #[test]
    fn the_last_interval_says_what_an_interface_carries_and_its_rate() {
        let rows = "08:05:01 PM      ens1  91221.12  81221.10  21221.10  11221.10      0.00      0.00      1.00     17.38
08:10:01 PM      ens1  91421.12  81221.10 121221.10  81221.10      0.00      0.00      1.00     99.30
Average:         ens1  91321.12  81221.10  71221.10  46221.10      0.00      0.00      1.00     58.34
";
        let (facts, _) = whole(&format!("{HEAD}{rows}"));
        let of = |name: &str| {
            let own = facts
                .facts
                .iter()
                .rfind(|f| f.of == Of::Path && f.name == name);
            own.and_then(Fact::number).map(|f| f.value)
        };
        assert_eq!(of("interface_bps"), Some(1e9));
        assert_eq!(of("interface_received_bps"), Some(121_221.10 * 8192.0));
        assert_eq!(of("interface_sent_bps"), Some(81_221.10 * 8192.0));
    }

    #[test]
    fn errors_and_the_loopback_are_not_rates() {
        let rows = "08:05:01 PM        lo      1.00      1.00    100.00    100.00      0.00      0.00      0.00      0.00
08:05:01 PM     IFACE   rxerr/s   txerr/s    coll/s  rxdrop/s  txdrop/s  txcarr/s  rxfram/s  rxfifo/s  txfifo/s
08:05:01 PM      ens1      0.00      0.00      0.00      0.00      0.00      0.00      0.00      0.00      0.00
";
        let (facts, _) = whole(&format!("{HEAD}{rows}"));
        assert!(
            facts
                .facts
                .iter()
                .all(|f| f.name != "interface_received_bps")
        );
    }
}
