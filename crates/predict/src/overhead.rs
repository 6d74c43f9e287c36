//! Overhead ladders: what a line leaves to each layer of a stack of protocols.
//!
//! A stack is written from the line up, its layers parted by `/`:
//!
//! ```text
//! stack   = link { "/" layer }
//! link    = a signal's name (stm64, oc12c, oc12c-fixed-stuff-forgotten, gbe, 10gbe …)  |  a rate without a slash (622Mbps)
//! layer   = "eth" | "pos" | "atm" | "aal5-llc" | "aal5-vc" | "aal5-bridged" | "aal5-bridged-vc"
//!         | "vlan" | "pppoe" | "mpls" [ "*" depth ] | "ip" | "ip6" | "esp" | "tcp" | "tcp+ts" | "udp"
//! ```
//!
//! The first layers say how frames are delimited: `eth`, `pos`, or `atm` with an adaptation layer
//! above it. A signal brings its own when none is named; a bare rate has none. `vlan` tags the
//! nearest `eth` below it, and `pppoe` stands on either (RFC 2516 §4). An `eth` above labels or `pos` is a customer's frame carried in a tunnel:
//! its header only (14 bytes, 4 more for a tag), without preamble, FCS and gap (RFC 4448 §4).

use core::str::FromStr;

use farpath_units::{Rate, Size};
use serde::Serialize;

use crate::atm::{Aal5, CELL, CELL_PAYLOAD};
use crate::signal::Signal;
use crate::sonet;

mod grammar;

pub use grammar::StackError;

/// A stack of protocols over a line, ready to be priced for an MTU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stack {
    signal: Option<&'static Signal>,
    line: Rate,
    payload: Rate,
    delimiter: Delimiter,
    /// From the delimiter up.
    layers: Vec<Layer>,
}

/// How frames are marked off on the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Delimiter {
    None,
    /// Preamble 8 and gap 12 around a frame of at least 64 bytes.
    Ethernet,
    /// One flag of 1 byte.
    Pos,
    /// Cells of 53 bytes.
    Atm,
}

/// One header, with what it adds in front and behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layer {
    /// Header 14; FCS 4 when the link's own.
    Eth {
        own: bool,
    },
    /// Address and control 2, protocol 2, FCS 4 (RFC 2615, RFC 1662); the flag is the delimiter's.
    Pos,
    /// LLC and SNAP or nothing, trailer 8, padding to whole cells (RFC 2684, ITU-T I.363.5).
    Aal5 {
        encapsulation: Aal5,
    },
    Vlan,
    /// Header 6, PPP's protocol 2 (RFC 2516 §4).
    Pppoe,
    Mpls {
        depth: u32,
    },
    Ip,
    Ip6,
    Tcp {
        timestamps: bool,
    },
    Udp,
    /// AES-GCM (RFC 4303, RFC 4106).
    Esp,
}

/// SPI and sequence number 8, initialization vector 8, check value 16 (RFC 4303 §2, RFC 4106 §3).
const ESP: u32 = 32;
/// Lengths of padding and next header; what they end is padded to multiples of four bytes (RFC 4303 §2.4).
const ESP_TRAILER: u32 = 2;

impl Layer {
    fn name(self) -> String {
        match self {
            Layer::Eth { .. } => "eth".to_owned(),
            Layer::Pos => "pos".to_owned(),
            Layer::Aal5 { .. } => "aal5".to_owned(),
            Layer::Vlan => "vlan".to_owned(),
            Layer::Pppoe => "pppoe".to_owned(),
            Layer::Mpls { depth: 1 } => "mpls".to_owned(),
            Layer::Mpls { depth } => format!("mpls*{depth}"),
            Layer::Ip => "ip".to_owned(),
            Layer::Ip6 => "ip6".to_owned(),
            Layer::Tcp { timestamps: false } => "tcp".to_owned(),
            Layer::Tcp { timestamps: true } => "tcp+ts".to_owned(),
            Layer::Udp => "udp".to_owned(),
            Layer::Esp => "esp".to_owned(),
        }
    }

    /// Bytes of header, trailer and padding around `inside` bytes.
    fn adds(self, inside: u32) -> u32 {
        match self {
            Layer::Eth { own: false } => 14,
            // A short payload is padded to the 64-byte minimum. A tag counts towards it, and is
            // part of `inside`.
            Layer::Eth { own: true } => (inside + 18).max(64) - inside,
            Layer::Pos => 8,
            Layer::Aal5 { encapsulation } => encapsulation.cells(inside) * CELL_PAYLOAD - inside,
            Layer::Vlan => 4,
            Layer::Mpls { depth } => 4 * depth,
            Layer::Ip | Layer::Tcp { timestamps: false } => 20,
            Layer::Ip6 => 40,
            Layer::Tcp { timestamps: true } => 32,
            Layer::Udp | Layer::Pppoe => 8,
            // Padding fills what is left of a datagram as long as the MTU.
            Layer::Esp => ESP + ESP_TRAILER + inside.saturating_sub(ESP) % 4,
        }
    }

    fn is_ip(self) -> bool {
        matches!(self, Layer::Ip | Layer::Ip6)
    }
}

/// What a stack leaves to each of its layers. Serialises as `predict overhead --json` prints it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ladder {
    /// From the line up to the application.
    pub layers: Vec<Rung>,
    /// Formula common to the rungs.
    pub formula: &'static str,
    /// Documents the header lengths come from.
    pub source: &'static str,
    /// Where the figures hold.
    pub range: &'static str,
    /// What is left out, and what is often got wrong here.
    pub notes: Vec<String>,
}

/// One layer of a ladder.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rung {
    /// `line`, `payload` (where a line has overhead of its own), the names of the stack, and
    /// `application` for what TCP or UDP delivers.
    pub name: String,
    /// Bits a second of this layer's units (its header to its trailer) on a line kept busy.
    pub rate_bps: f64,
    /// Bytes of one such unit when the IP datagram is as long as the MTU; absent for the line.
    pub bytes: Option<u32>,
}

impl Ladder {
    /// The rate at the top: what the highest layer gets, in bit/s.
    pub fn top_bps(&self) -> f64 {
        self.layers.last().map_or(0.0, |rung| rung.rate_bps)
    }

    /// The rung of this name, the highest if there are several.
    pub fn rung(&self, name: &str) -> Option<&Rung> {
        self.layers.iter().rev().find(|rung| rung.name == name)
    }
}

/// Why a stack cannot carry datagrams of this size.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MtuError {
    /// Below the least MTU the Internet protocol allows.
    #[error("mtu {mtu} is below {least}, the least {protocol} allows")]
    BelowMinimum {
        /// The MTU asked for.
        mtu: Size,
        /// 68 B (RFC 791 §3.2) or 1280 B (RFC 8200 §5).
        least: Size,
        /// IPv4 or IPv6.
        protocol: &'static str,
    },
    /// No room for payload behind the headers.
    #[error("mtu {mtu} leaves no payload behind the headers")]
    NoPayload {
        /// The MTU asked for.
        mtu: Size,
    },
    /// Longer than an IP datagram can be.
    #[error("mtu {mtu} is above 65535 B, the longest IP datagram")]
    AboveMaximum {
        /// The MTU asked for.
        mtu: Size,
    },
}

/// The MTU as a checked number of bytes, for the IP version.
pub(crate) fn checked_mtu(mtu: Size, v6: bool) -> Result<u32, MtuError> {
    let (least, protocol) = if v6 { (1280, "IPv6") } else { (68, "IPv4") };
    let bytes = checked_datagram(mtu)?;
    if bytes < least {
        return Err(MtuError::BelowMinimum {
            mtu,
            least: Size::from_bytes(u64::from(least)),
            protocol,
        });
    }
    Ok(bytes)
}

/// The length of a datagram as a checked number of bytes, which no least MTU bounds.
pub(crate) fn checked_datagram(length: Size) -> Result<u32, MtuError> {
    let bytes = u32::try_from(length.as_bytes()).ok();
    bytes
        .filter(|b| *b <= 65_535)
        .ok_or(MtuError::AboveMaximum { mtu: length })
}

impl Stack {
    /// The rate each layer gets when the line is busy with IP datagrams of `mtu` bytes.
    ///
    /// # Errors
    /// An MTU that IP does not allow or that leaves no payload.
    pub fn ladder(&self, mtu: Size) -> Result<Ladder, MtuError> {
        let ip = self
            .layers
            .iter()
            .position(|l| l.is_ip())
            .unwrap_or(self.layers.len());
        let datagram = checked_mtu(mtu, self.layers.get(ip) == Some(&Layer::Ip6))?;
        // Units from the datagram outwards, then from the datagram inwards.
        let mut unit = datagram;
        let mut below: Vec<Rung> = Vec::new();
        for layer in self.layers[..ip].iter().rev() {
            unit += layer.adds(unit);
            below.push(self.rung(layer.name(), unit));
        }
        let wire = self.wire_bytes(unit);
        let mut layers = self.foot(wire);
        layers.extend(below.into_iter().rev());
        let mut inside = datagram;
        for layer in &self.layers[ip..] {
            layers.push(self.rung(layer.name(), inside));
            inside = inside
                .checked_sub(layer.adds(inside))
                .ok_or(MtuError::NoPayload { mtu })?;
        }
        if self
            .layers
            .last()
            .is_some_and(|l| matches!(l, Layer::Tcp { .. } | Layer::Udp))
        {
            if inside == 0 {
                return Err(MtuError::NoPayload { mtu });
            }
            layers.push(self.rung("application".to_owned(), inside));
        }
        for rung in &mut layers {
            if let Some(bytes) = rung.bytes {
                rung.rate_bps = self.payload.as_bps() as f64 * f64::from(bytes) / f64::from(wire);
            }
        }
        Ok(Ladder {
            layers,
            formula: "payload rate × bytes of the layer's unit / bytes of line time per frame",
            source: "IEEE 802.3 §3, §4; IEEE 802.1Q §9; RFC 2615, 1662; ITU-T G.707, I.363.5; \
                     RFC 2684, 2516; RFC 3032 §2.1; RFC 791, 8200, 9293, 768, 7323 §3.2, 4303, 4106",
            range: "the line kept busy with datagrams as long as the MTU",
            notes: self.notes(),
        })
    }

    fn rung(&self, name: String, bytes: u32) -> Rung {
        Rung {
            name,
            rate_bps: 0.0,
            bytes: Some(bytes),
        }
    }

    /// Bytes of line time one outermost unit costs.
    fn wire_bytes(&self, unit: u32) -> u32 {
        match self.delimiter {
            Delimiter::None => unit,
            Delimiter::Ethernet => unit + 20,
            Delimiter::Pos => unit + 1,
            Delimiter::Atm => unit / CELL_PAYLOAD * CELL,
        }
    }

    /// The rungs below the frames: the line, its payload, cells.
    fn foot(&self, wire: u32) -> Vec<Rung> {
        let fixed = |name: &str, rate: Rate| Rung {
            name: name.to_owned(),
            rate_bps: rate.as_bps() as f64,
            bytes: None,
        };
        let mut foot = vec![fixed("line", self.line)];
        if self.payload != self.line {
            foot.push(fixed("payload", self.payload));
        }
        if self.delimiter == Delimiter::Atm {
            foot.push(self.rung("atm".to_owned(), wire));
        }
        foot
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some(signal) = self.signal.filter(|s| s.is_sonet()) {
            let n = signal.line.as_bps() / sonet::line_bps(1);
            let (columns, of) = (sonet::payload_columns(n), sonet::total_columns(n));
            notes.push(format!(
                "{} leaves {} of its {} line rate, {columns} of {of} columns: transport overhead, path \
                 overhead and fixed stuff are gone.",
                signal.name, signal.payload, signal.line
            ));
            let with_stuff = sonet::payload_bps_with_stuff(n);
            let stuff = n / 3 - 1;
            if with_stuff != signal.payload.as_bps()
                && let Some(wrong) = Rate::from_bps(with_stuff)
            {
                notes.push(if self.payload == wrong {
                    format!("Here the {stuff} fixed-stuff columns are counted as payload: a mistake.")
                } else {
                    format!(
                        "Tables that print {wrong} left the {stuff} fixed-stuff columns in: see {}-fixed-stuff-forgotten.",
                        signal.name
                    )
                });
            }
        }
        if self.delimiter == Delimiter::Pos {
            notes.push(
                "Octet stuffing is left out: on random data it costs 2 bytes more in 256."
                    .to_owned(),
            );
        }
        if !self.layers.contains(&Layer::Tcp { timestamps: true })
            && self.layers.contains(&Layer::Tcp { timestamps: false })
        {
            notes.push(
                "TCP without options: timestamps, usually on, take 12 bytes more (tcp+ts)."
                    .to_owned(),
            );
        }
        if self.layers.contains(&Layer::Pppoe) {
            notes.push(
                "An Ethernet of 1500 bytes leaves datagrams of 1492 within PPPoE (RFC 2516 §7): give `--mtu 1492`."
                    .to_owned(),
            );
        }
        notes
    }
}

impl FromStr for Stack {
    type Err = StackError;

    /// Reads a stack such as `stm64/pos/mpls*1/eth/vlan/ip/tcp+ts`.
    fn from_str(text: &str) -> Result<Stack, StackError> {
        grammar::read(text)
    }
}
