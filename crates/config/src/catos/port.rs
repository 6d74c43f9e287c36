//! `set port …`: one port's line, and what it carries.

use core::ops::Range;

use super::Command;
use crate::commands::Reader;
use crate::qos::{ChannelGroup, Direction, Duplex, Interface, OF_TYPE, Speed, Stated, Switchport};
use crate::vlan::{Tag, Vlans};

pub(super) fn speed_or_duplex(s: Command<'_, '_, '_>) -> Option<()> {
    if let Some(duplex) = s.choice(&[("half", Duplex::Half), ("full", Duplex::Full)]) {
        return s.put(Some(duplex), |i| &mut i.duplex);
    }
    let speed = match s.next()? {
        "auto" => Speed::Auto,
        mbps => Speed::Fixed(mbps.parse().ok()?),
    };
    s.put(Some(speed), |i| &mut i.speed)
}

pub(super) fn jumbo(s: Command<'_, '_, '_>) -> Option<()> {
    // Jumbo frames of CatOS ports are 9216 bytes.
    let mtu = (s.next()? == "enable").then_some(9216);
    s.put(mtu, |i| &mut i.mtu)
}

pub(super) fn name(s: Command<'_, '_, '_>) -> Option<()> {
    let first = s.next().unwrap_or_default();
    let name = format!("{first} {}", s.words.rest().text);
    s.put(Some(name.trim_end().to_owned()), |i| &mut i.description)
}

pub(super) fn flow_control(s: Command<'_, '_, '_>) -> Option<()> {
    let direction = s.choice(&[("send", Direction::Output), ("receive", Direction::Input)])?;
    let wanted = s.next().is_some_and(|w| matches!(w, "on" | "desired"));
    let stated = s.stated((direction, wanted));
    s.each(|i| i.flow_control.push(stated.clone()))
}

pub(super) fn channel(s: Command<'_, '_, '_>) -> Option<()> {
    match s.next()?.parse() {
        Ok(number) => s.put(Some(ChannelGroup { number, mode: None }), |i| {
            &mut i.channel
        }),
        Err(_) => s.pass_over(),
    }
}

pub(super) fn shutdown(s: Command<'_, '_, '_>, on: bool) -> Option<()> {
    match s.next() {
        None => s.each(|i| i.shutdown = on),
        Some(_) => None,
    }
}

/// `set trunk PORT [MODE] [VLANS] [TYPE]`: VLANs are added to what it carries.
pub(super) fn trunk(s: Command<'_, '_, '_>) -> Option<()> {
    let words = [
        ("off", Switchport::Access),
        ("on", Switchport::Trunk),
        ("nonegotiate", Switchport::Trunk),
        ("desirable", Switchport::Dynamic),
        ("auto", Switchport::Dynamic),
    ];
    let bare = s.words.peek().is_none();
    let stated = match bare {
        true => Some(Switchport::Access),
        false => s.choice(&words),
    };
    let kinds = [("isl", true), ("dot1q", false), ("negotiate", false)];
    while let Some(word) = s.words.peek() {
        if word.is_numeral() {
            vlans(s, true)?;
        } else {
            let tag = s.choice(&kinds)?.then_some(Tag::Other);
            s.put(tag, |i| &mut i.tag)?;
        }
    }
    match stated {
        None => Some(()),
        mode => s.put(mode, |i| &mut i.switchport),
    }
}

/// `clear trunk PORT VLANS`: it no longer carries these.
pub(super) fn clear_trunk(s: Command<'_, '_, '_>) -> Option<()> {
    vlans(s, false)
}

fn vlans(s: Command<'_, '_, '_>, carried: bool) -> Option<()> {
    let list = s.next()?.to_owned();
    Vlans::none().list(&list, true)?;
    let place = s.place();
    s.each(|i| {
        let before = i.trunk_vlans.as_ref().map(|v| v.value.clone());
        let mut value = before.unwrap_or_else(Vlans::all);
        let _ = value.list(&list, carried);
        i.trunk_vlans = Some(Stated {
            value,
            place: place.clone(),
        });
    })
}

/// `set vlan ID PORTS`: the VLAN of ports, untagged where they are trunks. Names of VLANs are passed over.
pub(super) fn vlan(s: Command<'_, '_, '_>) -> Option<()> {
    let ports = s.words.peek().filter(|w| w.text.contains('/'));
    let (Some(ports), Ok(id)) = (ports, s.named.parse::<u16>()) else {
        return s.pass_over();
    };
    s.words.next();
    ports
        .text
        .starts_with(|c: char| c.is_ascii_digit())
        .then_some(())?;
    (1..=4094).contains(&id).then_some(())?;
    s.named = ports.text.to_owned();
    s.put(Some(id), |i| &mut i.access_vlan)?;
    s.put(Some(id), |i| &mut i.native_vlan)
}

/// Does `f` to every port of a list such as `3/1-4,4/2`, or to those of a type.
pub(super) fn each(
    reader: &mut Reader,
    list: &str,
    span: &Range<usize>,
    f: &mut dyn FnMut(&mut Interface),
) {
    let names = match list.starts_with(OF_TYPE) {
        true => vec![list.to_owned()],
        false => ports(list),
    };
    for name in names {
        let number = reader.interface(&name, span.clone());
        f(&mut reader.device.interfaces[number]);
    }
}

fn ports(list: &str) -> Vec<String> {
    let mut all = Vec::new();
    for part in list.split(',').filter(|p| !p.is_empty()) {
        let (module, range) = part.split_once('/').unwrap_or(("", part));
        let (from, to) = range.split_once('-').unwrap_or((range, range));
        let to = to.rsplit('/').next().unwrap_or(to);
        match (from.parse::<u32>(), to.parse::<u32>()) {
            (Ok(a), Ok(b)) if a <= b && b - a < 1024 => {
                all.extend((a..=b).map(|n| format!("{module}/{n}")))
            }
            _ => all.push(part.to_owned()),
        }
    }
    all
}
