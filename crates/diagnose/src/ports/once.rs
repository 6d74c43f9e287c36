//! Counters of ports that were read once. As many as a flow sent again may be chance where they count for hours, and so small a share of all
//! that every line has it is none.

use super::queue::{CLEARED_S, as_large, since_cleared};
use super::{Counted, Ports};
use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::flows::read_again::Once;
use crate::hosts::machine::alike;
use crate::interfaces::port::{OF_NFT, OF_TC};
use crate::items::step;
use crate::losses::error_share::NOISE;

/// What a count says that is as many as a flow sent again, and is of hours, of weeks or of always, 0 to 1. Of counts that may be anything from
/// one to a million one of fourteen is as near by chance, 11 decibans. A choice.
const OF_HOURS: f64 = 0.3;

/// The most that is said of a cause that such a count speaks for by itself, and of one whose age nobody knows. Choices.
const OLD: f64 = 0.6;
const OF_ANY_TIME: f64 = 0.7;

/// What is said behind a count that is old.
pub(super) const OF_OLD: &str = "; these counters were not cleared for hours, or never, so that as many may be chance: a second reading after a test tells";

/// What a count says that was read once, and is as many as a flow sent again, by how long ago its port was cleared, 0 to 1.
pub(super) fn by_age(cleared_s: Option<f64>) -> f64 {
    match is_old(cleared_s) {
        true => OF_HOURS,
        false => 1.0,
    }
}

/// Whether counters are known to be of other times.
fn is_old(cleared_s: Option<f64>) -> bool {
    cleared_s.is_some_and(|s| s > CLEARED_S)
}

/// Damaged frames that are noise, and those that are not.
pub(super) fn apart(damaged: Option<Counted>) -> (Option<Counted>, Option<Counted>) {
    match damaged {
        Some(damaged) if damaged.is_noise() => (Some(damaged), None),
        damaged => (None, damaged),
    }
}

impl Counted {
    /// Whether what was read once is so small a share of all that every line has it.
    fn is_noise(&self) -> bool {
        !self.grew && self.share().is_some_and(|share| share < NOISE)
    }

    /// How long before its text was printed its port was cleared, seconds.
    fn cleared_s(&self, ports: &Ports) -> Option<f64> {
        let own = ports.cleared.iter().find(|c| c.port == self.port);
        own.map(|c| c.count.value)
    }

    /// What it says by being as many as a flow sent again, 0 to 1.
    pub(super) fn alone(&self, e: &Evidence) -> f64 {
        match self.grew {
            true => 1.0,
            false => by_age(self.cleared_s(&e.around.ports)),
        }
    }
}

impl Ports {
    /// What the queue of a port dropped, where it speaks by its number alone: it was read once, and is as many as the flow sent again.
    fn drops_by_number(&self, e: &Evidence) -> Option<&Counted> {
        let dropped = self.dropped.as_ref().filter(|d| !d.grew && !e.udp)?;
        let number = alike(e, &dropped.count) > 0.5 && !self.drop_back(e);
        let more = as_large(e, dropped) > 0.5 || since_cleared(e, dropped) > 0.5;
        (number && !more && !self.drops_now(e)).then_some(dropped)
    }

    /// Whether these are of counters that are known to be old.
    pub(super) fn drops_of_old(&self, e: &Evidence) -> bool {
        self.drops_by_number(e).is_some() && is_old(self.dropping_cleared_s)
    }

    /// Whether damaged frames speak by their number alone, and are of counters that are known to be old.
    fn damage_of_old(&self, e: &Evidence) -> bool {
        let damaged = self.damaged.as_ref().filter(|d| !d.grew && !e.udp);
        let lost = e.again.as_ref().map_or(0.0, |again| again.value);
        damaged.is_some_and(|damaged| {
            let share = damaged.share().filter(|_| lost > 0.0);
            let as_large = share.map_or(0.0, |share| step(share / lost, 0.1, 0.4));
            alike(e, &damaged.count) > 0.5 && as_large <= 0.5 && is_old(damaged.cleared_s(self))
        })
    }

    /// Whether damaged frames are of another time, or of flows that this one is not known to share a port with.
    fn damage_of_others(&self, e: &Evidence) -> bool {
        let damaged = self.damaged.as_ref();
        damaged.is_some_and(|damaged| damaged.is_far_more(e))
    }

    /// What a policer dropped, what arrived damaged at a port and what its queue dropped, where it was read once and may be of this flow.
    pub(crate) fn read_once(&self, e: &Evidence) -> [Option<Once>; 3] {
        let policed = self.policed.as_ref();
        let policed = policed.filter(|p| !p.grew && p.may_be_lost(e));
        let policed = policed.filter(|_| self.drops_as_large(e) <= 0.5).map(|p| {
            let policer = p.port.named("a router's policer");
            let is_of = |name: &str| p.port.name.starts_with(name);
            let shows = match (is_of(OF_TC), is_of(OF_NFT)) {
                (true, _) => "tc -s filter show",
                (_, true) => "nft list ruleset",
                _ => "show policy-map interface, show policer of Junos, or display traffic policy statistics of VRP",
            };
            Once {
                cause: Cause::Policer,
                fact: "policer_drops",
                counted: format!("{:.0} packets that {policer} dropped", p.count.value),
                command: format!("before and after a test: {shows}, of {policer}"),
            }
        });
        let damaged = self.damaged.as_ref();
        let damaged = damaged.filter(|d| !d.grew && d.accounts(e) > 0.0).map(|d| {
            let port = d.port.named("the router's port");
            Once {
                cause: Cause::RandomLoss,
                fact: "interface_errors",
                counted: format!("{:.0} damaged frames at {port}", d.count.value),
                command: format!("before and after a test: show interfaces, of {port}"),
            }
        });
        let dropped = self.drops_by_number(e).map(|d| {
            let port = d.port.named("a router's port");
            Once {
                cause: Cause::ShallowBuffer,
                fact: "port_drops",
                counted: format!(
                    "{:.0} packets that the queue of {port} dropped",
                    d.count.value
                ),
                command: format!("before and after a test, what printed them: the drops of {port}"),
            }
        });
        [policed, damaged, dropped]
    }
}

impl Evidence {
    /// The most that is said of a cause for which a port's count speaks that was read once: no number decides it. Where datagrams were sent or
    /// pings were lost, these say more.
    pub(crate) fn at_most_of_once(&self, cause: Cause) -> f64 {
        let ports = &self.around.ports;
        let pinged = self.idle_loss.as_ref().is_some_and(|l| l.value > 0.0);
        let alone = self.counted_else.lacks_datagrams();
        match cause {
            Cause::ShallowBuffer if alone && ports.drops_of_old(self) => OLD,
            Cause::ShallowBuffer if alone && ports.drops_by_number(self).is_some() => OF_ANY_TIME,
            Cause::RandomLoss
                if alone
                    && !pinged
                    && (ports.damage_of_old(self) || ports.damage_of_others(self)) =>
            {
                OLD
            }
            _ => 1.0,
        }
    }
}

/// Damaged frames that are noise, for people.
pub(super) fn of_noise(noise: &Counted) -> String {
    format!(
        "at {} {:.0} frames arrived damaged, {:.1e} of all: so few are noise, and no cause",
        noise.port.named("a router's port"),
        noise.count.value,
        noise.share().unwrap_or(0.0)
    )
}
