//! Named signals: what a line leaves for frames.

use farpath_units::Rate;

use crate::atm::Aal5;
use crate::framing::Framing;
use crate::sonet;

/// A named signal: its line rate, the rate left for frames, and the framing it carries by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signal {
    /// The name a scenario or a stack uses, such as `stm64`.
    pub name: &'static str,
    /// Rate on the line, overheads included. For Ethernet the rate of the MAC, as it is spoken of;
    /// the line code (8B/10B, 64B/66B) lies below.
    pub line: Rate,
    /// Rate available to framed packets.
    pub payload: Rate,
    /// The framing meant when none is named.
    pub framing: Framing,
}

impl Signal {
    /// The signal of this name or alias (`oc192c` and `sts192c` are `stm64`); `None` if there is none.
    pub fn named(name: &str) -> Option<&'static Signal> {
        let canonical = ALIASES
            .iter()
            .find(|(alias, _)| *alias == name)
            .map_or(name, |(_, signal)| *signal);
        SIGNALS.iter().find(|s| s.name == canonical)
    }

    /// Every signal, slowest first within its family.
    pub fn all() -> &'static [Signal] {
        SIGNALS
    }

    /// The other names a signal answers to, each with the name it stands for.
    pub fn aliases() -> &'static [(&'static str, &'static str)] {
        ALIASES
    }

    /// Whether the payload is a SONET or SDH envelope.
    pub fn is_sonet(&self) -> bool {
        self.name.starts_with("stm")
    }
}

const SIGNALS: &[Signal] = &[
    ethernet("ethernet", 10_000_000),
    ethernet("fe", 100_000_000),
    ethernet("gbe", 1_000_000_000),
    ethernet("10gbe", 10_000_000_000),
    // IEEE 802.3 §50: 64B/66B blocks inside an STS-192c. Rounded from 9 294 196 363.6 bit/s.
    Signal {
        name: "10gbe-wan",
        line: rate(sonet::line_bps(192)),
        payload: rate((sonet::payload_bps(192) * 64 + 33) / 66),
        framing: Framing::Ethernet,
    },
    ethernet("25gbe", 25_000_000_000),
    ethernet("40gbe", 40_000_000_000),
    ethernet("100gbe", 100_000_000_000),
    ethernet("400gbe", 400_000_000_000),
    concatenated("stm1", 3),
    concatenated("stm4", 12),
    concatenated("stm16", 48),
    concatenated("stm64", 192),
    concatenated("stm256", 768),
    // ITU-T G.804: 12 cells in each PLCP frame of 125 us, 96 000 cells a second.
    Signal {
        name: "ds3-atm",
        line: rate(44_736_000),
        payload: rate(96_000 * crate::atm::CELL_BITS),
        framing: Framing::Atm(Aal5::Llc),
    },
    cells("stm1-atm", 3),
    cells("stm4-atm", 12),
    cells("stm16-atm", 48),
    cells("stm64-atm", 192),
];

const ALIASES: &[(&str, &str)] = &[
    ("1gbe", "gbe"),
    ("10gbase-r", "10gbe"),
    ("10gbase-w", "10gbe-wan"),
    ("oc3c", "stm1"),
    ("sts3c", "stm1"),
    ("oc12c", "stm4"),
    ("sts12c", "stm4"),
    ("oc48c", "stm16"),
    ("sts48c", "stm16"),
    ("oc192c", "stm64"),
    ("sts192c", "stm64"),
    ("oc768c", "stm256"),
    ("sts768c", "stm256"),
    ("oc3c-atm", "stm1-atm"),
    ("oc12c-atm", "stm4-atm"),
    ("oc48c-atm", "stm16-atm"),
    ("oc192c-atm", "stm64-atm"),
];

const fn ethernet(name: &'static str, bps: u64) -> Signal {
    Signal {
        name,
        line: rate(bps),
        payload: rate(bps),
        framing: Framing::Ethernet,
    }
}

const fn concatenated(name: &'static str, n: u64) -> Signal {
    Signal {
        name,
        line: rate(sonet::line_bps(n)),
        payload: rate(sonet::payload_bps(n)),
        framing: Framing::Pos,
    }
}

/// The same envelope filled with cells; the payload is the cell rate times 424 bits.
const fn cells(name: &'static str, n: u64) -> Signal {
    Signal {
        framing: Framing::Atm(Aal5::Llc),
        ..concatenated(name, n)
    }
}

const fn rate(bps: u64) -> Rate {
    Rate::from_bps(bps).expect("no signal has a rate of zero")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_alias_names_a_signal() {
        for (alias, name) in ALIASES {
            assert_eq!(Signal::named(alias).map(|s| s.name), Some(*name));
        }
        for signal in Signal::all() {
            assert_eq!(Signal::named(signal.name), Some(signal));
            assert!(signal.payload <= signal.line);
        }
        assert_eq!(Signal::named("stm65"), None);
    }

    #[test]
    fn payloads_follow_the_columns() {
        let payload = |name| Signal::named(name).expect("a signal").payload.as_bps();
        assert_eq!(payload("oc3c"), 149_760_000);
        assert_eq!(payload("oc12c"), 599_040_000);
        assert_eq!(payload("stm16"), 2_396_160_000);
        assert_eq!(payload("stm64"), 9_584_640_000);
        assert_eq!(payload("stm256"), 38_338_560_000);
        assert_eq!(payload("10gbe-wan"), 9_294_196_364);
        assert_eq!(sonet::payload_bps(1), 48_384_000);
        assert_eq!(
            Signal::named("stm64").expect("a signal").line.as_bps(),
            9_953_280_000
        );
    }
}
