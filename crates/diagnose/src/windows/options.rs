//! Options of TCP that a connection goes without, though its hosts have them on.

use crate::evidence::Evidence;
use crate::fact::{Figure, Of};
use crate::flows::flow::{Flow, number, word};
use crate::known::System;
use crate::read::Facts;
use crate::seen::Side;

/// An option of TCP that both SYNs have to have.
#[derive(Debug, PartialEq)]
struct Kind {
    name: &'static str,
    /// What the setting is called, here and by Linux.
    setting: [&'static str; 2],
    /// The word of a socket that goes without.
    without: &'static str,
    /// What that costs, for people.
    costs: &'static str,
}

const KINDS: [Kind; 3] = [
    Kind {
        name: "SACK",
        setting: ["sack", "tcp_sack"],
        without: "without_sack",
        costs: "without SACK each of several losses in a window costs a round trip (RFC 6582)",
    },
    Kind {
        name: "timestamps",
        setting: ["timestamps", "tcp_timestamps"],
        without: "without_stamps",
        costs: "without timestamps round trips are measured less often (RFC 7323 §4)",
    },
    Kind {
        name: "window scaling",
        setting: ["window_scaling", "tcp_window_scaling"],
        without: "unscaled",
        costs: "without window scaling 65535 bytes are in flight at most (RFC 7323 §2.2)",
    },
];

/// An option that is missing, and the end that is known to have it on; none where both have.
#[derive(Clone, Debug)]
pub(crate) struct Stripped {
    kind: &'static Kind,
    on: Option<Side>,
}

impl Stripped {
    /// Whether both hosts permit SACK.
    pub(crate) fn is_sack_between(&self) -> bool {
        *self.kind == KINDS[0] && self.on.is_none()
    }
}

impl Evidence {
    /// Holds the options of sockets against the settings of both hosts.
    pub(crate) fn of_options(&mut self, facts: &Facts, flow: &Flow) {
        let sack = |n| number(facts, Of::Host(n), KINDS[0].setting[0]).map(|f| f.value > 0.0);
        let sides = [Side::Sender, Side::Receiver].into_iter();
        self.sack_off = sides
            .filter(|s| flow.said(*s, sack) == Some(false))
            .collect();
        let missing = |kind: &&Kind| {
            let mut all = flow.sockets.iter().chain(&flow.far_sockets);
            all.any(|s| word(facts, Of::Socket(*s), kind.without).is_some())
        };
        for kind in KINDS.iter().filter(missing) {
            let setting = |n| number(facts, Of::Host(n), kind.setting[0]).map(|f| f.value > 0.0);
            let on = [Side::Sender, Side::Receiver].map(|side| flow.said(side, setting));
            let on = match on {
                [Some(true), Some(true)] => None,
                [Some(true), None] => Some(Side::Sender),
                [None, Some(true)] => Some(Side::Receiver),
                _ => continue,
            };
            // Windows has no timestamps unless they are turned on.
            let other = on.and_then(|side| flow.systems[usize::from(side == Side::Sender)]);
            if other != Some(System::Windows) || kind.name != "timestamps" {
                self.stripped.push(Stripped { kind, on });
            }
        }
    }
}

/// How it is proved who takes an option out.
const PROOF: &str = "tcpdump -vni INTERFACE 'tcp[tcpflags] & tcp-syn != 0' on both hosts shows it: the option is in a SYN where it is sent, and not where it arrives";

/// That a host has SACK off, where segments were sent again.
fn sack_off(e: &Evidence) -> Option<String> {
    let some = |n: &Option<Figure>| n.as_ref().is_some_and(|n| n.value > 0.0);
    let lossy = !e.udp && (some(&e.retransmits) || some(&e.again));
    let who = match &e.sack_off[..] {
        [] => return None,
        [side] => format!("the {}", side.name()),
        _ => "the hosts whose settings were read".to_owned(),
    };
    lossy.then(|| {
        format!(
            "SACK is off on {who} (net.ipv4.tcp_sack = 0), and segments were sent again: {}; sysctl -w net.ipv4.tcp_sack=1 there turns it on for new connections",
            KINDS[0].costs
        )
    })
}

/// What is said of missing options, whatever limits.
pub(crate) fn sentences(e: &Evidence) -> Vec<String> {
    let mut said: Vec<String> = sack_off(e).into_iter().collect();
    for on in [None, Some(Side::Sender), Some(Side::Receiver)] {
        let all = e.stripped.iter().filter(|s| s.on == on);
        let list = |of: fn(&Kind) -> String, between: &str| {
            let each: Vec<String> = all.clone().map(|s| of(s.kind)).collect();
            each.join(between)
        };
        let names = list(|k| k.name.to_owned(), " and ");
        if names.is_empty() {
            continue;
        }
        let settings = list(|k| format!("net.ipv4.{} = 1", k.setting[1]), ", ");
        let costs = list(|k| k.costs.to_owned(), "; ");
        let who = match on {
            None => format!(
                "both hosts have {names} on ({settings}), and the connection goes without: a device on the way takes it out, such as a firewall that rewrites TCP options or a proxy (PEP)"
            ),
            Some(side) => {
                let [own, other] = match side {
                    Side::Sender => ["sender", "receiver"],
                    Side::Receiver => ["receiver", "sender"],
                };
                format!(
                    "the {own} has {names} on ({settings}), and the connection goes without: the {other} has it off, or a device on the way takes it out"
                )
            }
        };
        said.push(format!("{who}; {costs}; {PROOF}"));
    }
    said
}
