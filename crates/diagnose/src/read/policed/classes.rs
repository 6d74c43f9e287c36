//! Classes of IOS beside what a policy map states of them: how full the queue of one is, which marks it takes, and which of their rates count
//! beside one that all traffic meets. And rules of hosts that set a mark.

use super::Stated;
use crate::read::conditioned::{FEW, POLICER};
use crate::read::dscp::{class, number, point};
use crate::words::{after, whole};

/// The packets that the queue of a class may hold: `queue limit 208 packets`.
pub(super) fn limit(text: &str) -> Option<u64> {
    let (packets, unit) = text.strip_prefix("queue limit ")?.split_once(' ')?;
    let is_it = unit.starts_with("packets") || unit.starts_with("(packets)");
    whole(packets).filter(|n| is_it && *n > 0)
}

/// The packets that wait in it: `(queue depth/total drops/no-buffer drops) 201/431/0`.
pub(super) fn depth(text: &str) -> Option<u64> {
    let (names, values) = text.strip_prefix('(')?.split_once(") ")?;
    let mut names = names.split('/').map(str::trim);
    let at = names.position(|name| ["queue depth", "depth"].contains(&name))?;
    whole(values.split('/').nth(at)?.trim())
}

/// The code points that a class takes, as numbers with a blank between: of `Match: ip dscp cs1 (8) af11 (10)`. Empty of other lines.
pub(super) fn taken(text: &str) -> String {
    let of_dscp = text.strip_prefix("Match:").filter(|rest| {
        let mut words = rest.split_whitespace();
        words.any(|word| word == "dscp")
    });
    let words = of_dscp.unwrap_or("").split_whitespace();
    let numbers = words.filter_map(|w| whole(w.strip_prefix('(')?.strip_suffix(')')?));
    let numbers: Vec<String> = numbers.map(|n| n.to_string()).collect();
    numbers.join(" ")
}

/// The code point that a rule of a host sets: `DSCP set 0x08` of `iptables -L`, `-j DSCP --set-dscp 0x08` and `--set-dscp-class CS1` of its
/// commands, `ip dscp set cs1` of nftables.
pub(super) fn sets(text: &str) -> Option<u64> {
    let listed = || after(text, "DSCP set ").and_then(number);
    let typed = || after(text, "--set-dscp ").and_then(number);
    let named = || after(text, "--set-dscp-class ").and_then(class);
    let by_nft = || after(text, "dscp set ").and_then(point);
    let dscp = listed().or_else(typed).or_else(named).or_else(by_nft)?;
    (dscp < 64).then_some(dscp)
}

/// What is stated, each once: what all traffic meets, and beside it the few that classes have of their own.
pub(super) fn parted(found: Vec<Stated>) -> [Vec<Stated>; 2] {
    let of_all = found.iter().any(|one| !one.marked);
    let [mut all, mut of_classes] = [Vec::new(), Vec::new()];
    for one in found {
        let to: &mut Vec<Stated> = match one.marked && of_all {
            true => &mut of_classes,
            false => &mut all,
        };
        if !to.iter().any(|d| (d.name, d.bps) == (one.name, one.bps)) {
            to.push(one);
        }
    }
    if of_classes.len() > FEW {
        of_classes.clear();
    }
    [all, of_classes]
}

/// The name of a rate that only a class has.
pub(super) fn of_class(rate: &str) -> &'static str {
    match rate == POLICER {
        true => CLASS_POLICER,
        false => CLASS_SHAPER,
    }
}

/// Rates of classes that take what is marked, beside one that all traffic meets.
pub(crate) const CLASS_POLICER: &str = "class_policer_bps";
pub(crate) const CLASS_SHAPER: &str = "class_shaper_bps";

/// The code points that the class of a shaper takes, and the one that a rule of a host sets.
pub(crate) const CLASS_MARKS: &str = "shaper_marks";
pub(crate) const SET_MARK: &str = "rule_sets_dscp";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_says_what_waits_and_which_marks_it_takes() {
        assert_eq!(limit("queue limit 208 packets"), Some(208));
        assert_eq!(limit("queue limit 20 ms/ 250000 bytes"), None);
        let depths = "(queue depth/total drops/no-buffer drops) 201/431/0";
        assert_eq!(depth(depths), Some(201));
        assert_eq!(depth("(pkts output/bytes output) 410769/610560000"), None);
        assert_eq!(taken("Match: ip dscp cs1 (8) af11 (10)"), "8 10");
        assert_eq!(taken("Match:  dscp ef (46)"), "46");
        assert_eq!(taken("Match: any"), "");
    }

    #[test]
    fn a_rule_sets_a_mark_in_the_words_of_each_tool() {
        for (text, dscp) in [
            (
                "410K 611M DSCP all -- * * 0.0.0.0/0 198.51.100.0/24 DSCP set 0x08",
                Some(8),
            ),
            (
                "iptables -t mangle -A OUTPUT -j DSCP --set-dscp-class CS1",
                Some(8),
            ),
            (
                "-A OUTPUT -d 198.51.100.0/24 -j DSCP --set-dscp 0x2e",
                Some(46),
            ),
            ("ip daddr 198.51.100.0/24 ip dscp set af11", Some(10)),
            ("ip dscp set ef counter", Some(46)),
            ("the DSCP set by the switch", None),
            ("-A OUTPUT -j DSCP --set-dscp 0x80", None),
        ] {
            assert_eq!(sets(text), dscp, "{text}");
        }
    }
}
