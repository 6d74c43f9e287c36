//! What the script says of a segment, held against the one that was sent.

use std::collections::BTreeMap;

use farpath_units::Time;
use farpath_wire::tcp::{Control, Options, SackBlocks};

use crate::endpoint::Packet;
use crate::settings::Settings;
use crate::syntax::{Ecn, OptionList, PacketSpec, TcpOption};

/// Timestamps remembered at most.
const TIMESTAMPS: usize = 100_000;

/// How the script's numbers and the endpoint's belong together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Numbers {
    /// Endpoint's sequence numbers less the script's.
    offset: u32,
    /// A timestamp of the script and the endpoint's at the same place.
    anchor: Option<(u32, u32)>,
    /// The script's timestamps to the endpoint's.
    timestamps: BTreeMap<u32, u32>,
}

impl Numbers {
    /// A SYN leaves: the script counts from here.
    pub(crate) fn begin(&mut self, spec: &PacketSpec, sent: &Packet) {
        if sent.has(Control::SYN) {
            self.offset = sent.sequence.wrapping_sub(spec.sequence.unwrap_or(0));
        }
    }

    /// The endpoint's timestamp for one that the script echoes.
    fn echo(&self, script: u32) -> u32 {
        if let Some(sent) = self.timestamps.get(&script) {
            return *sent;
        }
        match self.anchor {
            Some((theirs, ours)) if script != 0 => script.wrapping_sub(theirs).wrapping_add(ours),
            _ => script,
        }
    }

    /// The endpoint's timestamp as the script would write it.
    fn script_timestamp(&self, sent: u32) -> u32 {
        match self.anchor {
            Some((theirs, ours)) => sent.wrapping_sub(ours).wrapping_add(theirs),
            None => sent,
        }
    }

    fn remember(&mut self, script: u32, sent: u32) {
        self.anchor.get_or_insert((script, sent));
        if self.timestamps.len() < TIMESTAMPS {
            self.timestamps.insert(script, sent);
        }
    }

    /// Remembers the timestamp of a segment that is not the script's in another field.
    pub(crate) fn learn(&mut self, spec: &PacketSpec, sent: &Packet) {
        let OptionList::These(list) = &spec.options else {
            return;
        };
        let value = list.iter().find_map(|option| match option {
            TcpOption::Timestamps(value, _) => Some(*value),
            _ => None,
        });
        if let Some((value, (sent, _))) = value.zip(sent.options.timestamps) {
            self.remember(value, sent);
        }
    }

    /// A segment of the script that arrives, in the endpoint's numbers.
    pub(crate) fn inbound(&self, spec: &PacketSpec) -> Packet {
        let mut options = Options::default();
        if let OptionList::These(list) = &spec.options {
            for option in list {
                match option {
                    TcpOption::Nop | TcpOption::Eol => {}
                    TcpOption::Mss(mss) => options.mss = Some(*mss),
                    TcpOption::SackOk => options.sack_permitted = true,
                    TcpOption::WindowScale(shift) => options.window_scale = Some(*shift),
                    TcpOption::Timestamps(value, echo) => {
                        options.timestamps = Some((*value, self.echo(*echo)));
                    }
                    TcpOption::Sack(blocks) => {
                        let mapped: Vec<(u32, u32)> = blocks
                            .iter()
                            .map(|(from, to)| {
                                (from.wrapping_add(self.offset), to.wrapping_add(self.offset))
                            })
                            .collect();
                        options.sack = SackBlocks::new(&mapped);
                    }
                }
            }
        }
        let acknowledges = spec.control.contains(Control::ACK);
        Packet {
            control: spec.control,
            sequence: spec.sequence.unwrap_or(0),
            acknowledgement: match spec.ack {
                Some(ack) if acknowledges => ack.wrapping_add(self.offset),
                _ => 0,
            },
            window: spec.window.unwrap_or(0).min(65_535) as u16,
            options,
            len: spec.len,
            ecn: match spec.ecn {
                Some(Ecn::Ect1) => 1,
                Some(Ecn::Ect0 | Ecn::Ect01) => 2,
                Some(Ecn::Ce) => 3,
                Some(Ecn::Not) | None => 0,
            },
            tunnel: spec.tunnel,
        }
    }

    /// A segment that was sent, as the script would write it.
    pub(crate) fn show(&self, sent: &Packet) -> String {
        let mut shown = *sent;
        shown.sequence = sent.sequence.wrapping_sub(self.offset);
        if let Some((value, echo)) = sent.options.timestamps {
            shown.options.timestamps = Some((self.script_timestamp(value), echo));
        }
        format!("> {shown}")
    }

    /// What about `sent` is not as the script says; `None` when all is.
    pub(crate) fn differs(
        &mut self,
        spec: &PacketSpec,
        sent: &Packet,
        settings: &Settings,
    ) -> Option<&'static str> {
        // PSH is the sender's own business (RFC 9293 §3.9.1.2), and Linux sets it by the cut of its
        // super-segments.
        let significant = |control: Control| control.0 & !Control::PSH.0;
        if significant(spec.control) != significant(sent.control) {
            return Some("flags");
        }
        let base = if spec.absolute { 0 } else { self.offset };
        if spec
            .sequence
            .is_some_and(|s| s.wrapping_add(base) != sent.sequence)
        {
            return Some("sequence number");
        }
        if spec.len != sent.len {
            return Some("length");
        }
        if spec.control.contains(Control::ACK)
            && spec.ack.is_some_and(|a| a != sent.acknowledgement)
        {
            return Some("acknowledgement");
        }
        if spec.window.is_some_and(|w| w != u32::from(sent.window)) {
            return Some("window");
        }
        if spec.tunnel != sent.tunnel {
            return Some("UDP ports");
        }
        let ecn = match spec.ecn {
            Some(Ecn::Not) => sent.ecn == 0,
            Some(Ecn::Ect1) => sent.ecn == 1,
            Some(Ecn::Ect0) => sent.ecn == 2,
            Some(Ecn::Ect01) => sent.ecn == 1 || sent.ecn == 2,
            Some(Ecn::Ce) => sent.ecn == 3,
            None => true,
        };
        if !ecn {
            return Some("ECN codepoint");
        }
        match &spec.options {
            OptionList::Any => None,
            OptionList::These(list) => self.options_differ(list, &sent.options, settings),
        }
    }

    /// Options by kind; their order and padding do not matter.
    fn options_differ(
        &mut self,
        list: &[TcpOption],
        sent: &Options,
        settings: &Settings,
    ) -> Option<&'static str> {
        let mut wanted = Options::default();
        let mut blocks: &[(u32, u32)] = &[];
        for option in list {
            match option {
                TcpOption::Nop | TcpOption::Eol => {}
                TcpOption::Mss(mss) => wanted.mss = Some(*mss),
                TcpOption::SackOk => wanted.sack_permitted = true,
                TcpOption::WindowScale(shift) => wanted.window_scale = Some(*shift),
                TcpOption::Timestamps(value, echo) => wanted.timestamps = Some((*value, *echo)),
                TcpOption::Sack(list) => blocks = list,
            }
        }
        if wanted.mss != sent.mss {
            return Some("MSS");
        }
        if wanted.sack_permitted != sent.sack_permitted {
            return Some("SACK permitted");
        }
        if wanted.window_scale != sent.window_scale {
            return Some("window scale");
        }
        if blocks != sent.sack.blocks() {
            return Some("SACK blocks");
        }
        match (wanted.timestamps, sent.timestamps) {
            (None, None) => None,
            (Some((value, echo)), Some((sent_value, sent_echo))) => {
                let known = self.anchor.is_some();
                let shown = self.script_timestamp(sent_value);
                self.remember(value, sent_value);
                if echo != sent_echo {
                    return Some("timestamp echo");
                }
                let tick = settings.timestamp_tick?;
                let apart = u64::from((shown.wrapping_sub(value) as i32).unsigned_abs());
                let allowed = settings.tolerance.as_ps() / tick.as_ps().max(1) + 1;
                (known && apart > allowed).then_some("timestamp")
            }
            _ => Some("timestamps"),
        }
    }
}

/// A segment and when it was sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent {
    pub(crate) at: Time,
    pub(crate) packet: Packet,
}

impl Sent {
    /// Joins `next` on, if it continues this segment: super-segments of an offloading host are cut
    /// into segments here.
    pub(crate) fn join(&mut self, next: &Sent) -> bool {
        let (a, b) = (&mut self.packet, &next.packet);
        let plain = |p: &Packet| p.control.0 & (Control::SYN.0 | Control::RST.0) == 0;
        let continues = b.sequence == a.sequence.wrapping_add(a.len)
            && b.acknowledgement == a.acknowledgement
            && !a.has(Control::FIN)
            && plain(a)
            && plain(b)
            && (b.len > 0 || b.has(Control::FIN));
        if continues {
            a.len = a.len.wrapping_add(b.len);
            a.control = a.control.with(b.control);
            a.window = b.window;
            self.at = next.at;
        }
        continues
    }

    /// Cuts off the first `len` bytes; the rest stays.
    pub(crate) fn split(&mut self, len: u32) -> Sent {
        let mut first = *self;
        first.packet.len = len;
        first.packet.control = Control(first.packet.control.0 & !(Control::FIN.0 | Control::PSH.0));
        self.packet.sequence = self.packet.sequence.wrapping_add(len);
        self.packet.len -= len;
        first
    }
}
