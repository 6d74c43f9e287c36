//! The maps between marks, and policers.

use farpath_units::{Rate, Size};

use super::Command;
use crate::commands::{BURST_KBIT, DSCP, KBPS, Number, Words, eight, shortened};
use crate::qos::{Action, Class, Police, PolicyMap};
use crate::rules::faults;

/// `set qos cos-dscp-map` or `ipprec-dscp-map`, and eight values.
pub(super) fn eight_values(s: Command<'_, '_, '_>, map: &str) -> Option<()> {
    let command = Words::new(s.tree.content(s.line), s.span.start).nth(2)?;
    let message = format!("`set qos {}` takes eight DSCP values", command.text);
    let remedy = "write one for each of 0 to 7, such as 0 8 16 24 32 40 48 56";
    eight(s, map, command, message, remedy)?;
    s.finish();
    s.mapped(map)
}

/// `set qos dscp-cos-map 8-15:1 16:2`.
pub(super) fn dscp_map(s: Command<'_, '_, '_>, map: &str, most: u64) -> Option<()> {
    for word in s.words {
        let Some((from, to)) = word.text.split_once(':') else {
            let message = format!(
                "`{}` is not a DSCP list and the value it becomes",
                shortened(word.text)
            );
            let remedy = "write DSCP values, a colon and the value, such as 8-15:1";
            s.reader.fault(&faults::RANGE, word.span(), message, remedy);
            return None;
        };
        let at = word.at + word.text.len() - to.len();
        let from: Option<Vec<u8>> = s.reader.numbers(&mut Words::new(from, word.at), DSCP);
        let becomes = Number("the value they become", 0, most);
        let to = s.reader.number(&mut Words::new(to, at), becomes);
        let (from, to) = from.zip(to)?;
        for dscp in from {
            s.map(map)?[usize::from(dscp)] = to;
        }
    }
    s.mapped(map)
}

/// `set qos policer aggregate|microflow NAME rate KBPS policed-dscp|drop burst KBIT`. A policer is a
/// policy of its own name with one class here.
pub(super) fn policer(s: Command<'_, '_, '_>) -> Option<()> {
    let name = s.next()?.to_owned();
    let (mut rate, mut burst, mut exceed) = (None::<u64>, None::<u64>, Action::Drop);
    while let Some(word) = s.next() {
        match word {
            "rate" => rate = s.number(KBPS),
            "burst" => burst = s.number(BURST_KBIT),
            "drop" => exceed = Action::Drop,
            "policed-dscp" => exceed = Action::MarkDown,
            _ => return None,
        }
    }
    let police = Police {
        rate: Rate::from_bps(rate? * 1000)?,
        burst: Size::from_bytes(burst? * 125),
        taken: None,
        max_burst: None,
        peak: None,
        conform: Action::Transmit,
        exceed,
        violate: None,
    };
    let mut class = Class::named("class-default", s.place());
    class.police = Some(s.stated(police));
    let policy = PolicyMap {
        name,
        place: s.place(),
        classes: vec![class],
        unknown: Vec::new(),
    };
    s.reader.device.policy_maps.push(policy);
    Some(())
}
