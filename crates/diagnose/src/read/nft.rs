//! `nft list ruleset` of Linux: rules that drop what exceeds a rate, and what they count.

use super::conditioned::POLICER;
use super::label::is_typed;
use super::policed::classes::CLASS_POLICER;
use super::{Facts, Line, Tool};
use crate::fact::Of;
use crate::interfaces::port::{Kind, OF_NFT, Port, PortReading};
use crate::words::{after, whole};

/// Families of tables (nft, 8).
const FAMILIES: [&str; 6] = ["ip", "ip6", "inet", "arp", "bridge", "netdev"];

/// Most rules whose rates are kept.
const RULES_MAX: usize = 64;

/// Most of a rule that is said.
const SAID_MAX: usize = 100;

/// The state of reading.
#[derive(Default)]
pub(super) struct Nft {
    /// How many braces are open.
    depth: usize,
    /// The host at whose prompt rules were printed, and the rules, whose rates are stated once each.
    stated: Vec<(String, String)>,
}

/// A rule that drops what comes above a rate.
#[derive(Debug, PartialEq)]
struct Rule<'t> {
    /// What it matches, empty where that is everything.
    matches: &'t str,
    /// Its limit, as it is written.
    limit: &'t str,
    /// Its rate, bit/s; none where it is of packets.
    bps: Option<f64>,
    /// What its bucket holds, bytes.
    burst: Option<f64>,
    /// Packets that exceeded the rate, and were dropped.
    dropped: Option<u64>,
}

impl Tool for Nft {
    fn name(&self) -> &'static str {
        "nft"
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        if !going || is_typed(text) {
            self.depth = 0;
        }
        let inside = self.depth > 0;
        if let Some(rule) = rule(text) {
            self.take(&rule, line, facts);
            return true;
        }
        if inside || is_table(text) {
            self.depth += text.matches('{').count();
            self.depth = self.depth.saturating_sub(text.matches('}').count());
            return true;
        }
        false
    }
}

impl Nft {
    fn take(&mut self, rule: &Rule<'_>, line: Line<'_>, facts: &mut Facts) {
        let said = format!("{} {}", rule.matches, rule.limit);
        let said: String = crate::redact(said.trim()).chars().take(SAID_MAX).collect();
        let (_, host) = facts.prompt();
        let own = (host.clone(), said.clone());
        let new = !self.stated.contains(&own) && self.stated.len() < RULES_MAX;
        if let Some(bps) = rule.bps.filter(|_| new) {
            // What matches a part of all traffic is as a class: it counts where the flow fills it.
            let name = match rule.matches.is_empty() {
                true => POLICER,
                false => CLASS_POLICER,
            };
            facts.exact(Of::Path, name, bps, line.at);
            if let Some(burst) = rule.burst {
                facts.exact(Of::Path, "policer_burst_bytes", burst, line.at);
            }
            self.stated.push(own);
        }
        if let Some(dropped) = rule.dropped {
            facts.ports.push(PortReading {
                port: Port {
                    router: host,
                    name: format!("{OF_NFT} `{said}`"),
                },
                kind: Kind::Policed,
                value: dropped as f64,
                packets: None,
                sent: None,
                at: line.at,
            });
        }
    }
}

/// `table inet filter {`.
fn is_table(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().take(5).collect();
    match words[..] {
        ["table", family, _, "{"] => FAMILIES.contains(&family),
        _ => false,
    }
}

/// `ip daddr 192.0.2.0/24 limit rate over 50 mbytes/second burst 512 kbytes counter packets 771 bytes 1156500 drop`. A counter that stands
/// before the limit counts what passes as well.
fn rule(text: &str) -> Option<Rule<'_>> {
    let text = text.split(" # handle").next()?.trim_end();
    let (matches, rest) = match text.strip_prefix("limit rate over ") {
        Some(rest) => ("", rest),
        None => text.split_once(" limit rate over ")?,
    };
    let words: Vec<&str> = rest.split_whitespace().collect();
    if words.last() != Some(&"drop") {
        return None;
    }
    let (count, unit) = match words[..] {
        [first, second, ..] if first.contains('/') => (first, second),
        [count, unit, ..] => (count, unit),
        _ => return None,
    };
    let limit = &text[text.len() - rest.len() - "limit rate over ".len()..];
    let limit = limit.split(" burst ").next()?.split(" counter ").next()?;
    let limit = limit.trim_end_matches(" drop");
    let matched = matches.split(" counter ").next()?;
    Some(Rule {
        matches: matched.trim(),
        limit,
        bps: bits(count, unit),
        burst: burst(rest),
        dropped: after(rest, "counter packets ").and_then(whole),
    })
}

/// Bit/s of `50 mbytes/second`, whose prefixes are powers of 1024 (nft, 8); none of packets.
fn bits(count: &str, unit: &str) -> Option<f64> {
    let (unit, time) = unit.split_once('/')?;
    let seconds = match time {
        "second" => 1.0,
        "minute" => 60.0,
        "hour" => 3600.0,
        "day" => 86_400.0,
        _ => return None,
    };
    let bytes = whole(count)? as f64 * unit_bytes(unit)?;
    (bytes > 0.0).then_some(8.0 * bytes / seconds)
}

/// What a bucket holds, bytes; none of one of packets.
fn burst(rest: &str) -> Option<f64> {
    let (_, rest) = rest.split_once("burst ")?;
    let mut words = rest.split_whitespace();
    let count = whole(words.next()?)?;
    Some(count as f64 * unit_bytes(words.next()?)?)
}

fn unit_bytes(unit: &str) -> Option<f64> {
    match unit {
        "bytes" => Some(1.0),
        "kbytes" => Some(1024.0),
        "mbytes" => Some(1_048_576.0),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::taken::whole as read_whole;

    #[test]
    fn rules_that_drop_above_a_rate_are_policers() {
        let text = "ip daddr 192.0.2.0/24 limit rate over 50 mbytes/second burst 512 kbytes counter packets 771 bytes 1156500 drop";
        let own = Rule {
            matches: "ip daddr 192.0.2.0/24",
            limit: "limit rate over 50 mbytes/second",
            bps: Some(419_430_400.0),
            burst: Some(524_288.0),
            dropped: Some(771),
        };
        assert_eq!(rule(text), Some(own));
        let all = "limit rate over 1000 kbytes/second drop # handle 4";
        let all = rule(all).expect("it is one");
        assert_eq!((all.matches, all.bps), ("", Some(8_192_000.0)));
        assert_eq!(
            (all.limit, all.dropped),
            ("limit rate over 1000 kbytes/second", None)
        );
        // A counter before the limit counts all that matches, and packets have no rate in bits.
        let before = rule(
            "tcp dport 22 counter packets 9 bytes 540 limit rate over 10/second burst 5 packets drop",
        );
        let before = before.expect("it is one");
        assert_eq!((before.matches, before.bps), ("tcp dport 22", None));
        assert_eq!((before.burst, before.dropped), (None, None));
    }

    /// What a rule lets through, and what it drops whatever its rate is, is of no policer.
    #[test]
    fn other_rules_are_left() {
        for text in [
            "tcp dport 22 limit rate 10/minute accept",
            "limit rate over 50 mbytes/second counter packets 9 bytes 540 accept",
            "counter packets 9 bytes 540 drop",
            "ct state invalid drop",
        ] {
            assert_eq!(rule(text), None, "{text}");
        }
    }

    #[test]
    fn a_ruleset_is_read_whole_and_states_each_rate_once() {
        let ruleset = |dropped: u32| {
            format!(
                "fw5$ sudo nft list chain inet filter forward\ntable inet filter {{\n\tchain forward {{\n\t\ttype filter hook forward priority filter; policy accept;\n\t\tlimit rate over 50 mbytes/second burst 512 kbytes counter packets {dropped} bytes 9 drop\n\t}}\n}}\n"
            )
        };
        let (facts, whole) = read_whole(&format!("{}{}", ruleset(771), ruleset(912)));
        assert!(whole, "{:?}", facts.ignored);
        let rates = facts.facts.iter().filter(|f| f.name == POLICER);
        assert_eq!(rates.count(), 1);
        let counts: Vec<f64> = facts.ports.iter().map(|p| p.value).collect();
        assert_eq!(counts, [771.0, 912.0]);
        assert_eq!(facts.ports[0].port, facts.ports[1].port);
        assert_eq!(facts.ports[0].port.router, "fw5");
    }
}
