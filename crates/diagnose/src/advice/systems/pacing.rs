//! What a sender that loses to bursts or to a policer can change: its pace.

use crate::cause::Cause;

use super::policer;
use super::root::{self, Pace, Root};
use super::{NO_RISK, Remedy, before, kept};
use crate::asking::{counters, on_both};
use crate::known::System;

/// How a sender sends now, as far as it is known.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sending {
    /// Queueing discipline of its interface, or what new interfaces get.
    pub(crate) qdisc: Option<String>,
    /// The one at the root of its interface.
    pub(crate) root: Option<String>,
    /// What may stand there, of a host that nothing says is this one, for people.
    pub(crate) beside: Option<String>,
    /// The line has [`MANY_QUEUES`] or more, or its interface does.
    pub(crate) fast: bool,
    /// Congestion control that the host gives new connections.
    pub(crate) default: Option<String>,
    /// Congestion control of this connection.
    pub(crate) used: Option<String>,
    /// What a policer lets through, bit/s.
    pub(crate) policed: Option<f64>,
    /// A text states that rate: it is of whole packets.
    pub(crate) stated: bool,
    /// What a short bucket of that policer holds, and what it is to hold, bytes.
    pub(crate) bucket: Option<[f64; 2]>,
    /// What the bucket of that policer is stated to hold, bytes.
    pub(crate) burst: Option<f64>,
    /// Where it is stated, of IOS: the router, its policy map and its class, each empty where nothing says it.
    pub(crate) policer: Option<[String; 3]>,
    /// Where it is a rule of nftables: the host, which may be empty, and the rule.
    pub(crate) nft: Option<[String; 2]>,
    /// The round trip, seconds.
    pub(crate) round_s: Option<f64>,
    /// The rate that lasted, bit/s of payload.
    pub(crate) rate: Option<f64>,
    /// The rate that is wanted, bit/s of frames.
    pub(crate) goal: Option<f64>,
    /// The flat rate that losses all through left, bit/s.
    pub(crate) held: Option<f64>,
    /// What of a cloud's instance is known to be held, for people.
    pub(crate) instance: Option<&'static str>,
    /// Connections side by side in the largest test of the host.
    pub(crate) streams: f64,
    /// Where on the way packets are lost, for people.
    pub(crate) lost_at: Option<String>,
    /// Systems of sender and receiver.
    pub(crate) systems: [Option<System>; 2],
}

/// From this rate on an interface has several queues, bit/s, and one `fq` in front of them may be what holds it: a rule of thumb.
pub(crate) const MANY_QUEUES: f64 = 1e10;

/// What one queueing discipline for all queues of an interface costs.
const ONE_LOCK: &str = "; one fq in front of an interface with several queues makes all of them wait for one lock, which may itself limit from 10 Gbit/s on: watch the processors";

impl Sending {
    /// Whether the interface may have a queueing discipline for each of several queues, and one for all of them is to take its place.
    fn may_have_queues(&self) -> bool {
        self.root.is_none() && self.fast
    }

    /// What is known of the root of its interface.
    fn at_root(&self) -> Root<'_> {
        Root {
            kind: self.root.as_deref(),
            beside: self.beside.as_deref(),
        }
    }

    /// Whether packets leave one by one: `fq` does that, and BBR by itself.
    fn is_paced(&self) -> bool {
        self.qdisc.as_deref() == Some("fq") || is_bbr(self.used.as_ref())
    }
}

fn is_bbr(cc: Option<&String>) -> bool {
    cc.is_some_and(|name| name.starts_with("bbr"))
}

/// Pacing, and against random loss an algorithm that few losses do not slow down: what is not so already.
pub(crate) fn pacing(cause: Cause, now: &Sending) -> Remedy {
    let mut remedy = Remedy {
        risk: NO_RISK.to_owned(),
        ..Remedy::default()
    };
    let mut lost = None;
    if !now.is_paced() {
        remedy.persist = kept(&[("net.core.default_qdisc", "fq")]);
        let fq = Pace {
            fq: "fq".to_owned(),
            all: String::new(),
        };
        lost = root::put(now.at_root(), &fq, &mut remedy);
    }
    match cause {
        Cause::RandomLoss => {
            remedy.commands.insert(0, find(now));
            withstand(now, &mut remedy);
        }
        Cause::Policer => {
            // What a cloud lets an instance have for long is what lasted.
            let lasted = now.held.filter(|_| now.instance.is_some());
            let now = Sending {
                policed: now.policed.or(lasted),
                ..now.clone()
            };
            lost = below(&now, &mut remedy).or(lost);
        }
        _ => {}
    }
    if let Some(lost) = lost {
        remedy.risks(&lost);
    }
    remedy
}

/// Against the pacing of an interface's queue, by its rate if it has one and by what stands at the root, or of the program's own socket.
pub(crate) fn unpaced(of_queue: Option<f64>, root: Option<&str>) -> Remedy {
    let Some(bps) = of_queue else {
        return Remedy::without_risk([
            "leave the pacing out: iperf3 without --fq-rate, a program without SO_MAX_PACING_RATE, or with the rate that is wanted",
        ]);
    };
    let below = root.is_some_and(|kind| kind != "fq");
    let (at, which) = match below {
        true => (
            "parent PARENT",
            ", with each PARENT of an fq with maxrate that tc qdisc show dev INTERFACE prints",
        ),
        false => ("root", ""),
    };
    let set = |rate: &str| format!("tc qdisc change dev INTERFACE {at} fq maxrate {rate}{which}");
    Remedy {
        commands: vec![set(UNHELD)],
        undo: vec![set(&format!("{bps:.0}bit"))],
        risk: "the rate was set for a reason: a policer or a short queue on the path may drop what comes faster".to_owned(),
        ..Remedy::default()
    }
}

/// The largest round rate that `fq` takes: 32 bits of bytes a second. Without one named the old one stays.
const UNHELD: &str = "34gbit";

/// What loses is to be found, whatever the sender is: counters of both hosts, each in its own words, and of what lies between.
fn find(now: &Sending) -> String {
    let at = now
        .lost_at
        .as_ref()
        .map_or(String::new(), |at| format!(" {at}"));
    let counters = on_both(now.systems, counters);
    format!("find what loses{at}: {counters}, counters and optics of each link between")
}

/// What loses is to be found, at a sender whose pace and algorithm are not known to be its own to change.
pub(crate) fn finding(now: &Sending) -> Remedy {
    Remedy {
        commands: vec![find(now)],
        risk: NO_RISK.to_owned(),
        ..Remedy::default()
    }
}

/// By how many segments Linux takes one to be late at first.
const REORDERING: &str = "net.ipv4.tcp_reordering";

/// Against segments that overtake each other: where they part, and a sender that waits for them. With the host whose bond sends them over
/// its links in turn.
pub(crate) fn in_order(bond: Option<&str>) -> Remedy {
    let mut remedy = along_the_path();
    let Some(host) = bond else { return remedy };
    let own = [
        format!(
            "the bond of {host}: mode 802.3ad with xmit_hash_policy layer3+4 in place of balance-rr, in the configuration of its network, and LACP on the ports of the switch; a connection then stays on one link, and has no more than that"
        ),
        format!(
            "or, where balance-rr has to stay: sysctl {REORDERING}, and keep what it prints; sysctl -w {REORDERING}=127 on {host}, so that it takes a segment for lost no sooner than 127 later ones have arrived"
        ),
    ];
    remedy.commands.splice(0..0, own);
    remedy.undo.splice(
        0..0,
        [
            "mode balance-rr for that bond, and its ports of the switch as they were".to_owned(),
            before(REORDERING, None, "sysctl -w "),
        ],
    );
    remedy.risks("what is really lost is then sent again later; a change of a bond's mode takes it down for some seconds");
    remedy
}

/// The same where nothing says which device it is.
fn along_the_path() -> Remedy {
    let mut remedy = Remedy::without_risk([
        "on the devices of the path: balance a group of links (LAG, ECMP) by flow, not packet by packet: a hash of addresses and ports, which is the usual setting",
        "sysctl net.ipv4.tcp_recovery net.ipv4.tcp_max_reordering: with 1 (RACK, the default) a Linux sender waits up to a round trip for what is late, and counts up to 300 segments as late",
        "mtr -u -n HOST on both hosts, with the other one as HOST: whether consecutive probes take different ways",
    ]);
    let undo = "the balancing that each device had, as its running configuration says before";
    remedy.undo.push(undo.to_owned());
    remedy.risks(
        "another hash moves connections to other links, which may carry more then than before",
    );
    remedy
}

/// An algorithm that few losses do not slow down, and nothing besides.
pub(crate) fn bearing(now: &Sending) -> Remedy {
    let mut remedy = Remedy::default();
    withstand(now, &mut remedy);
    remedy
}

/// An algorithm that few losses do not slow down, where the connection has another.
fn withstand(now: &Sending, remedy: &mut Remedy) {
    let cure = "finding and repairing what loses is the cure";
    if is_bbr(now.used.as_ref()) {
        remedy.risk = cure.to_owned();
        return;
    }
    remedy.risk = format!("BBR takes more than its share from others on a shared path; {cure}");
    let key = "net.ipv4.tcp_congestion_control";
    if let Some(default) = now.default.as_ref().filter(|d| is_bbr(Some(d))) {
        let used = now.used.as_deref().unwrap_or("another");
        remedy.commands.push(format!(
            "this connection runs {used}, though {key} is {default}: its program asks for {used}, or it is older than the setting, or in another network namespace, or its route says so; change it there"
        ));
        return;
    }
    remedy.commands.push(format!("sysctl -w {key}=bbr"));
    remedy.undo.push(match &now.default {
        Some(default) => format!("sysctl -w {key}={default}"),
        None => before(key, None, "sysctl -w "),
    });
    if remedy.persist.is_empty() {
        remedy.persist = kept(&[(key, "bbr")]);
    } else {
        remedy.persist.push(format!("{key} = bbr"));
    }
}

/// What a rate of `fq` costs.
const HELD: &str = "every connection through this interface is held to that rate";

/// A rate with the three digits that are known of it, rounded down.
pub(super) fn known(bps: f64) -> f64 {
    let unit = libm::pow(10.0, libm::floor(libm::log10(bps.max(1.0))) - 2.0);
    (bps / unit + 1e-6).floor() * unit
}

/// What is paced is held to this part of a rate that a policer is stated to have: what it counts of headers, and bursts of several segments,
/// have room then. A choice.
const BELOW: f64 = 0.95;

/// Below what a policer lets through nothing is dropped. Gives what a command at the root of the interface loses.
fn below(now: &Sending, remedy: &mut Remedy) -> Option<String> {
    if let Some(bps) = now.policed {
        let streams = now.streams.max(1.0);
        let paced = if now.stated { BELOW * bps } else { bps };
        remedy.persist = Vec::new();
        // `maxrate` is of each connection: all of them together have to stay below the policer.
        let kbit = |bps: f64| format!("{:.0}kbit", known(bps) / 1e3);
        let pace = Pace {
            fq: format!("fq maxrate {}", kbit(paced / streams)),
            all: kbit(paced),
        };
        let lost = root::put(now.at_root(), &pace, remedy);
        match now.instance {
            Some(of) => {
                let first = [policer::larger_instance(of), policer::OR_BELOW.to_owned()];
                remedy.commands.splice(0..0, first);
            }
            None => {
                let first = policer::raised(now, bps).into_iter();
                let first = first.chain([policer::OR_BELOW.to_owned()]);
                remedy.commands.splice(0..0, first);
                remedy.undo.push(policer::back(now, bps));
            }
        }
        let share = match streams {
            n if n > 1.0 => format!(
                ", a share of {} for each of {n:.0} side by side: one alone may have all of that",
                crate::ceiling::bps(paced)
            ),
            _ => String::new(),
        };
        let lock = if now.may_have_queues() { ONE_LOCK } else { "" };
        remedy.risk = format!("{HELD}{share}{lock}");
        return lost;
    }
    let left = now.held.map_or(String::new(), |bps| {
        format!(" ({} passed after the start)", crate::ceiling::bps(bps))
    });
    if let Some(of) = now.instance {
        remedy.commands.insert(0, policer::larger_instance(of));
        remedy.risk = "pacing helps only below what the instance has for long".to_owned();
        return None;
    }
    if remedy.commands.is_empty() {
        let ask = format!(
            "ask who runs the policer for its rate{left} and its burst, or for higher ones: the sender paces, and all the same above it. RATE below is a little less than that rate"
        );
        let pace = Pace {
            fq: "fq maxrate RATE".to_owned(),
            all: "RATE".to_owned(),
        };
        let lost = root::put(now.at_root(), &pace, remedy);
        remedy.commands.insert(0, ask);
        remedy.risk = HELD.to_owned();
        return lost;
    }
    remedy.risk = format!(
        "pacing helps only below the policer's rate{left}, which the contract says, or who runs the policer: ask for a higher one, or a larger burst"
    );
    None
}
