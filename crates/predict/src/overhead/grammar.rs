//! Reading a stack, layer by layer, with a lesson where it does not fit.

use farpath_units::Rate;

use super::{Delimiter, Layer, Stack};
use crate::atm::Aal5;
use crate::framing::Framing;
use crate::signal::Signal;
use crate::sonet;

/// Most labels of one `mpls*N`: more than any network pushes, few enough for any MTU.
const DEPTH_MAX: u32 = 16;

/// Most layers in a stack: enough for any real one, few enough that no input costs much.
const LAYERS_MAX: usize = 32;

/// What a concatenated signal's name ends in that is to be counted as many tables do: with the
/// fixed-stuff columns as payload (1043 of 1080 for an OC-12c instead of 1040).
const FORGOTTEN: &str = "-fixed-stuff-forgotten";

/// Why a stack was refused; the message says what to write instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StackError {
    /// The text begins with no known link.
    #[error("a stack begins with its line: `{0}` is neither a signal ({signals}) nor a rate such as `622Mbps`", signals = signal_names())]
    Link(String),
    /// No layer of this name.
    #[error(
        "`{0}` is not a layer: use eth pos atm aal5-llc aal5-vc aal5-bridged aal5-bridged-vc vlan pppoe mpls*N ip ip6 esp tcp tcp+ts udp"
    )]
    Layer(String),
    /// A label stack's depth is not a number from 1 to 16.
    #[error("`{0}`: write the number of labels, 1 to {DEPTH_MAX}, as in `mpls*2`")]
    Depth(String),
    /// A layer where it cannot be.
    #[error("`{layer}` cannot follow `{below}`: {lesson}")]
    Order {
        /// The layer refused.
        layer: String,
        /// The layer below it.
        below: String,
        /// What belongs where.
        lesson: &'static str,
    },
    /// The stack carries no IP, so an MTU means nothing.
    #[error("the stack has no `ip` or `ip6`: add it, such as `{0}/ip/tcp+ts`")]
    NoIp(String),
    /// More layers than any real stack.
    #[error("more than {LAYERS_MAX} layers")]
    TooManyLayers,
}

fn signal_names() -> String {
    let names: Vec<&str> = Signal::all().iter().map(|s| s.name).collect();
    names.join(" ")
}

pub(super) fn read(text: &str) -> Result<Stack, StackError> {
    let text = text.trim();
    let mut parts = text.split('/').map(str::trim);
    let first = parts.next().unwrap_or_default();
    let mut stack = link(first)?;
    let mut below = first;
    for (n, part) in parts.enumerate() {
        if n >= LAYERS_MAX {
            return Err(StackError::TooManyLayers);
        }
        place(&mut stack, part, below)?;
        below = part;
    }
    if stack.delimiter == Delimiter::Atm
        && !matches!(stack.layers.first(), Some(Layer::Aal5 { .. }))
    {
        return Err(order(
            "(end)",
            "atm",
            "cells carry frames through an adaptation layer: add `aal5-llc` or `aal5-vc`",
        ));
    }
    if !stack.layers.iter().any(|l| l.is_ip()) {
        return Err(StackError::NoIp(short(text)));
    }
    settle_delimiter(&mut stack);
    Ok(stack)
}

/// The line a stack begins with; its default delimiter is filled in when the rest is known.
fn link(name: &str) -> Result<Stack, StackError> {
    let (plain, forgotten) = match name.strip_suffix(FORGOTTEN) {
        Some(plain) => (plain, true),
        None => (name, false),
    };
    let signal = Signal::named(plain).filter(|s| !forgotten || s.is_sonet());
    let rate = match signal {
        Some(signal) if forgotten => {
            let n = signal.line.as_bps() / sonet::line_bps(1);
            let with_stuff = Rate::from_bps(sonet::payload_bps_with_stuff(n));
            with_stuff.map(|payload| (signal.line, payload))
        }
        Some(signal) => Some((signal.line, signal.payload)),
        None => name.parse::<Rate>().ok().map(|rate| (rate, rate)),
    };
    let (line, payload) = rate.ok_or_else(|| StackError::Link(short(name)))?;
    Ok(Stack {
        signal,
        line,
        payload,
        delimiter: Delimiter::None,
        layers: Vec::new(),
    })
}

/// Where no delimiter was named, the signal's own goes to the bottom.
fn settle_delimiter(stack: &mut Stack) {
    if stack.delimiter != Delimiter::None {
        return;
    }
    let default = match stack.signal.map(|s| s.framing) {
        Some(Framing::Pos) => (Delimiter::Pos, Layer::Pos),
        Some(Framing::Ethernet | Framing::EthernetTagged) => {
            (Delimiter::Ethernet, Layer::Eth { own: true })
        }
        Some(Framing::Atm(aal5)) => (
            Delimiter::Atm,
            Layer::Aal5 {
                encapsulation: aal5,
            },
        ),
        Some(Framing::None) | None => return,
    };
    stack.delimiter = default.0;
    stack.layers.insert(0, default.1);
}

/// Puts the layer `part` on the stack, whose topmost layer was written `below`.
fn place(stack: &mut Stack, part: &str, below: &str) -> Result<(), StackError> {
    let lowest = stack.layers.is_empty() && stack.delimiter == Delimiter::None;
    let ethernet_line = stack.signal.is_some_and(|s| s.framing == Framing::Ethernet);
    let cell_line = stack.signal.is_some_and(|s| s.framing.is_atm());
    if lowest && matches!(part, "pos" | "atm" | "eth") {
        let sonet_line = stack.signal.is_some_and(Signal::is_sonet);
        if part == "eth" && sonet_line {
            return Err(order(
                part,
                below,
                "SONET and SDH carry packets through `pos` or `atm`; Ethernet on them is the signal `10gbe-wan`",
            ));
        }
        if part != "eth" && ethernet_line {
            return Err(order(
                part,
                below,
                "this line is Ethernet: its framing is `eth`, and needs no naming",
            ));
        }
        if part != "atm" && cell_line {
            return Err(order(
                part,
                below,
                "this line carries cells: name an adaptation layer, or nothing for `aal5-llc`",
            ));
        }
        delimit(stack, part);
        return Ok(());
    }
    if lowest && cell_line {
        delimit(stack, "atm");
        if !part.starts_with("aal5") {
            stack.layers.push(aal5(Aal5::Llc));
        }
    }
    let lowest = lowest && !cell_line;
    let layer = layer(part)?;
    let top = stack.layers.last().copied();
    let ethernet_below = lowest && ethernet_line;
    if let Some(lesson) = misplaced(layer, top, stack.delimiter, ethernet_below) {
        return Err(order(part, below, lesson));
    }
    if ethernet_below {
        delimit(stack, "eth");
    }
    stack.layers.push(layer);
    Ok(())
}

/// The layer of this name, above the line's own framing.
fn layer(part: &str) -> Result<Layer, StackError> {
    Ok(match part {
        "pos" | "atm" => Layer::Pos,
        "aal5-llc" => aal5(Aal5::Llc),
        "aal5-vc" => aal5(Aal5::Vc),
        "aal5-bridged" => aal5(Aal5::BridgedLlc),
        "aal5-bridged-vc" => aal5(Aal5::BridgedVc),
        "eth" => Layer::Eth { own: false },
        "vlan" => Layer::Vlan,
        "pppoe" => Layer::Pppoe,
        "ip" => Layer::Ip,
        "ip6" => Layer::Ip6,
        "tcp" => Layer::Tcp { timestamps: false },
        "tcp+ts" => Layer::Tcp { timestamps: true },
        "udp" => Layer::Udp,
        "esp" => Layer::Esp,
        _ if part == "mpls" || part.starts_with("mpls*") => Layer::Mpls {
            depth: depth(part)?,
        },
        _ => return Err(StackError::Layer(short(part))),
    })
}

const fn aal5(encapsulation: Aal5) -> Layer {
    Layer::Aal5 { encapsulation }
}

/// Why `layer` cannot stand on `top`; `None` when it can.
fn misplaced(
    layer: Layer,
    top: Option<Layer>,
    delimiter: Delimiter,
    ethernet_below: bool,
) -> Option<&'static str> {
    let cells_bare = delimiter == Delimiter::Atm && top.is_none();
    let carried = top.is_some_and(|l| {
        matches!(
            l,
            Layer::Ip | Layer::Ip6 | Layer::Tcp { .. } | Layer::Udp | Layer::Esp
        )
    });
    let sealed = top == Some(Layer::Esp);
    match layer {
        Layer::Pos => Some("it delimits frames on the line, so it comes directly after the line"),
        Layer::Aal5 { .. } => {
            (!cells_bare).then_some("AAL5 fills cells: write it directly after `atm`")
        }
        _ if cells_bare => Some(
            "cells carry frames through an adaptation layer: write `aal5-llc` or `aal5-vc` first",
        ),
        Layer::Mpls { .. } => carried.then_some("labels stand below the datagram they carry"),
        Layer::Eth { .. } => (!matches!(top, Some(Layer::Mpls { .. } | Layer::Pos)))
            .then_some("a customer's Ethernet frame is carried by labels or by `pos`"),
        Layer::Vlan => (!ethernet_below && !matches!(top, Some(Layer::Eth { .. } | Layer::Vlan)))
            .then_some(
                "a tag belongs to an Ethernet header: write it after `eth` or an Ethernet line",
            ),
        Layer::Pppoe => (!ethernet_below && !top.is_some_and(is_ethernet)).then_some(
            "a PPPoE session crosses an Ethernet: write it after `eth`, `vlan`, `aal5-bridged` or an Ethernet line",
        ),
        Layer::Ip | Layer::Ip6 => (carried && !sealed).then_some(
            "one datagram is enough: tunnels are those of `esp`; IP in IP is not part of this grammar",
        ),
        Layer::Tcp { .. } | Layer::Udp => (!sealed && !top.is_some_and(Layer::is_ip))
            .then_some("TCP and UDP stand on `ip`, `ip6` or `esp`"),
        Layer::Esp => (!top.is_some_and(|l| l.is_ip() || l == Layer::Udp))
            .then_some("ESP stands on `ip` or `ip6`, or on `udp` behind a NAT"),
    }
}

/// Whether what stands on this layer is the payload of an Ethernet frame.
const fn is_ethernet(layer: Layer) -> bool {
    match layer {
        Layer::Eth { .. } | Layer::Vlan => true,
        Layer::Aal5 { encapsulation } => {
            matches!(encapsulation, Aal5::BridgedLlc | Aal5::BridgedVc)
        }
        _ => false,
    }
}

fn delimit(stack: &mut Stack, name: &str) {
    let (delimiter, layer) = match name {
        "pos" => (Delimiter::Pos, Some(Layer::Pos)),
        "atm" => (Delimiter::Atm, None),
        _ => (Delimiter::Ethernet, Some(Layer::Eth { own: true })),
    };
    stack.delimiter = delimiter;
    stack.layers.extend(layer);
}

fn depth(part: &str) -> Result<u32, StackError> {
    let Some(count) = part.strip_prefix("mpls*") else {
        return Ok(1);
    };
    let digits = !count.is_empty() && count.bytes().all(|b| b.is_ascii_digit());
    let depth = count
        .parse()
        .ok()
        .filter(|n| digits && (1..=DEPTH_MAX).contains(n));
    depth.ok_or_else(|| StackError::Depth(short(part)))
}

fn order(layer: &str, below: &str, lesson: &'static str) -> StackError {
    StackError::Order {
        layer: short(layer),
        below: short(below),
        lesson,
    }
}

fn short(text: &str) -> String {
    text.chars().take(40).collect()
}
