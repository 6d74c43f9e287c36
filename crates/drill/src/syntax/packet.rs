//! TCP segments: `> P. 1:1001(1000) ack 1 win 257 <nop,nop,sack 1:2>`.

use core::fmt;

use farpath_wire::tcp::Control;

use super::ParseError;
use super::cursor::Cursor;
use crate::tunnel::Tunnel;

/// Most options on one segment: 40 bytes of them.
const OPTIONS: usize = 40;
/// The letters of the control bits, in the order they are written.
const LETTERS: [(u8, Control); 8] = [
    (b'F', Control::FIN),
    (b'S', Control::SYN),
    (b'R', Control::RST),
    (b'P', Control::PSH),
    (b'E', Control::ECE),
    (b'W', Control::CWR),
    (b'U', Control::URG),
    (b'.', Control::ACK),
];

/// Which way a segment goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// `<`: to the endpoint.
    Inbound,
    /// `>`: from the endpoint.
    Outbound,
}

/// The ECN field of the IP header (RFC 3168 §5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ecn {
    Not,
    Ect0,
    Ect1,
    /// Either ECT codepoint.
    Ect01,
    Ce,
}

/// One TCP option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TcpOption {
    Nop,
    Eol,
    Mss(u16),
    SackOk,
    WindowScale(u8),
    Timestamps(u32, u32),
    Sack(Vec<(u32, u32)>),
}

/// The options of a segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum OptionList {
    /// `<...>`: whatever there is.
    Any,
    /// These.
    These(Vec<TcpOption>),
}

/// A segment of a script. Numbers are the script's own: each direction counts from its SYN.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PacketSpec {
    pub(crate) direction: Direction,
    pub(crate) ecn: Option<Ecn>,
    pub(crate) control: Control,
    /// `None`: any sequence number.
    pub(crate) sequence: Option<u32>,
    /// `!`: the number is the one in the header.
    pub(crate) absolute: bool,
    pub(crate) len: u32,
    pub(crate) ack: Option<u32>,
    pub(crate) window: Option<u32>,
    pub(crate) urgent: Option<u16>,
    pub(crate) options: OptionList,
    /// `/udp(1 > 9811)`: the ports of the datagram around it.
    pub(crate) tunnel: Option<Tunnel>,
    /// As the script has it, for messages.
    pub(crate) text: String,
}

/// What stands behind `<` or `>`.
pub(super) enum Read {
    Segment(PacketSpec),
    /// Something other than TCP over plain IP.
    Unsupported(String),
}

/// Control bits as the script writes them.
pub(crate) struct Letters(pub(crate) Control);

impl fmt::Display for Letters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut any = false;
        for (letter, bit) in LETTERS {
            if self.0.contains(bit) {
                any = true;
                write!(f, "{}", char::from(letter))?;
            }
        }
        if any { Ok(()) } else { f.write_str("-") }
    }
}

/// Reads a packet whose direction was read already.
pub(super) fn read(direction: Direction, at: &mut Cursor<'_>) -> Result<Read, ParseError> {
    let arrow = if direction == Direction::Inbound {
        '<'
    } else {
        '>'
    };
    at.blanks();
    let text = format!("{arrow} {}", whole(at));
    for (word, what) in [
        ("icmp", "ICMP"),
        ("udp", "UDP"),
        ("encap", "encapsulated packets"),
        ("gre", "GRE encapsulation"),
        ("GRE", "GRE encapsulation"),
        ("mpls", "MPLS encapsulation"),
        ("ipv4", "IP in IP encapsulation"),
        ("ipv6", "IP in IP encapsulation"),
        ("sctp", "SCTP"),
        ("arp", "ARP"),
        ("(", "IP header fields"),
    ] {
        if at.starts_with(word) {
            at.while_is(|b| b != b'\n');
            return Ok(Read::Unsupported(what.to_owned()));
        }
    }
    let mut spec = PacketSpec {
        direction,
        ecn: None,
        control: Control(0),
        sequence: None,
        absolute: false,
        len: 0,
        ack: None,
        window: None,
        urgent: None,
        options: OptionList::These(Vec::new()),
        tunnel: None,
        text,
    };
    if at.take("[") {
        spec.ecn = ecn(at)?;
        at.blanks();
    }
    if let Some(reason) = control(&mut spec, at)? {
        return Ok(Read::Unsupported(reason));
    }
    at.blanks();
    sequence(&mut spec, at)?;
    fields(&mut spec, at)?;
    if at.take("<")
        && let Some(reason) = options(&mut spec, at)?
    {
        at.while_is(|b| b != b'\n');
        return Ok(Read::Unsupported(reason));
    }
    at.blanks();
    if at.take("/udp") {
        spec.tunnel = Some(tunnel(at)?);
    }
    if direction == Direction::Inbound && spec.window.is_none() {
        // A window is needed by what arrives; a RST without one means nothing by it.
        spec.window = Some(0);
    }
    Ok(Read::Segment(spec))
}

/// The ports behind `/udp`.
fn tunnel(at: &mut Cursor<'_>) -> Result<Tunnel, ParseError> {
    const REMEDY: &str = "write the two UDP ports: /udp(1 > 9811)";
    let port = |at: &mut Cursor<'_>| {
        at.blanks();
        let here = at.clone();
        let number = at.number32()?;
        at.blanks();
        u16::try_from(number).map_err(|_| here.error("the UDP port is too large", REMEDY))
    };
    at.need("(", REMEDY)?;
    let from = port(at)?;
    at.need(">", REMEDY)?;
    let to = port(at)?;
    at.need(")", REMEDY)?;
    Ok(Tunnel { from, to })
}

/// The packet's text up to its comment.
fn whole(at: &Cursor<'_>) -> String {
    let line = at.clone().while_is(|b| b != b'\n');
    let text = line.split("//").next().unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn ecn(at: &mut Cursor<'_>) -> Result<Option<Ecn>, ParseError> {
    let here = at.clone();
    let inside = at.until("]")?;
    Ok(match inside.trim() {
        "noecn" => Some(Ecn::Not),
        "ect0" => Some(Ecn::Ect0),
        "ect1" => Some(Ecn::Ect1),
        "ect01" => Some(Ecn::Ect01),
        "ce" => Some(Ecn::Ce),
        "nocheck" => None,
        other => {
            return Err(here.error(
                format!("unknown ECN codepoint `{other}`"),
                "write noecn, ect0, ect1, ect01 or ce",
            ));
        }
    })
}

/// The control bits; a reason when they cannot be had.
fn control(spec: &mut PacketSpec, at: &mut Cursor<'_>) -> Result<Option<String>, ParseError> {
    let here = at.clone();
    let word = at.while_is(|b| b.is_ascii_alphanumeric() || b == b'.' || b == b'-');
    if word == "-" {
        return Ok(None);
    }
    if word.is_empty() {
        return Err(here.expected("TCP flags", "such as S, S., ., P., F., R"));
    }
    for letter in word.bytes() {
        if letter == b'A' || letter.is_ascii_digit() {
            return Ok(skipped(at, "accurate ECN"));
        }
        let Some((_, bit)) = LETTERS.iter().find(|(l, _)| *l == letter) else {
            return Err(here.error(
                format!("unknown TCP flags `{word}`"),
                "write letters of SFRPEWU and a dot for ACK, or -",
            ));
        };
        spec.control = spec.control.with(*bit);
    }
    Ok(None)
}

fn skipped(at: &mut Cursor<'_>, reason: &str) -> Option<String> {
    at.while_is(|b| b != b'\n');
    Some(reason.to_owned())
}

/// `1:1001(1000)`, `...(0)`, or nothing.
fn sequence(spec: &mut PacketSpec, at: &mut Cursor<'_>) -> Result<(), ParseError> {
    const REMEDY: &str = "write first:next(bytes), as 1:1001(1000)";
    let here = at.clone();
    if at.take("...") {
        at.need("(", REMEDY)?;
        spec.len = at.number32()?;
        return at.need(")", REMEDY);
    }
    if !at.peek().is_some_and(|b| b.is_ascii_digit()) {
        return Ok(());
    }
    let first = at.number32()?;
    at.need(":", REMEDY)?;
    let next = at.number32()?;
    at.need("(", REMEDY)?;
    let len = at.number32()?;
    at.need(")", REMEDY)?;
    spec.absolute = at.take("!");
    if next.wrapping_sub(first) != len || len > 1 << 26 {
        return Err(here.error(
            format!("{first}:{next} are not {len} bytes"),
            "the number in parentheses is the difference of the two before it",
        ));
    }
    spec.sequence = Some(first);
    spec.len = len;
    Ok(())
}

/// `ack 1 win 257 urg 3`.
fn fields(spec: &mut PacketSpec, at: &mut Cursor<'_>) -> Result<(), ParseError> {
    loop {
        at.blanks();
        let here = at.clone();
        if at.take("ack ") {
            at.blanks();
            spec.ack = Some(at.number32()?);
            at.take("!");
        } else if at.take("win ") {
            at.blanks();
            spec.window = Some(at.number32()?);
        } else if at.take("urg ") {
            at.blanks();
            let urgent = at.number32()?;
            spec.urgent = Some(u16::try_from(urgent).map_err(|_| {
                here.error("the urgent pointer is too large", "at most 65535 fits")
            })?);
        } else {
            return Ok(());
        }
    }
}

/// Options up to `>`; a reason when one of them is not supported.
fn options(spec: &mut PacketSpec, at: &mut Cursor<'_>) -> Result<Option<String>, ParseError> {
    if at.take("...>") {
        spec.options = OptionList::Any;
        return Ok(None);
    }
    let mut all = Vec::new();
    loop {
        at.space()?;
        if at.take(">") {
            break;
        }
        if all.len() >= OPTIONS {
            return Err(at.error("too many TCP options", "40 bytes of them fit a header"));
        }
        match option(at)? {
            Ok(option) => all.push(option),
            Err(reason) => return Ok(Some(reason)),
        }
        at.space()?;
        if !at.take(",") {
            at.need(">", "options are separated by commas and end with >")?;
            break;
        }
    }
    spec.options = OptionList::These(all);
    Ok(None)
}

fn option(at: &mut Cursor<'_>) -> Result<Result<TcpOption, String>, ParseError> {
    let here = at.clone();
    let word = at.word();
    at.blanks();
    Ok(Ok(match word.as_str() {
        "nop" => TcpOption::Nop,
        "eol" => TcpOption::Eol,
        "sackOK" => TcpOption::SackOk,
        "mss" if at.peek().is_some_and(|b| b.is_ascii_alphabetic()) => {
            return Ok(Err("names defined outside the script".to_owned()));
        }
        "mss" => {
            let value = at.number32()?;
            TcpOption::Mss(
                u16::try_from(value)
                    .map_err(|_| here.error("the MSS is too large", "at most 65535 fits"))?,
            )
        }
        "wscale" => {
            let value = at.number32()?;
            TcpOption::WindowScale(
                u8::try_from(value)
                    .map_err(|_| here.error("the scale is too large", "at most 255 fits"))?,
            )
        }
        "TS" => {
            at.need("val", "write TS val 1 ecr 0")?;
            at.blanks();
            let value = at.number32()?;
            at.blanks();
            at.need("ecr", "write TS val 1 ecr 0")?;
            at.blanks();
            TcpOption::Timestamps(value, at.number32()?)
        }
        "sack" => {
            let mut blocks = Vec::new();
            while at.peek().is_some_and(|b| b.is_ascii_digit()) && blocks.len() < OPTIONS {
                let from = at.number32()?;
                at.need(":", "write sack 1:1001 2001:3001")?;
                blocks.push((from, at.number32()?));
                at.blanks();
            }
            TcpOption::Sack(blocks)
        }
        "FO" | "FOEXP" => return Ok(Err("TCP Fast Open".to_owned())),
        "md5" => return Ok(Err("TCP MD5 signatures".to_owned())),
        "ECN" | "AccECN" | "e0b" | "e1b" | "ceb" => return Ok(Err("accurate ECN".to_owned())),
        "" => return Err(here.expected("a TCP option", "such as mss 1460, nop, sackOK")),
        other if other.contains("udp") => return Ok(Err("TCP over UDP".to_owned())),
        other => return Ok(Err(format!("the TCP option `{other}`"))),
    }))
}
