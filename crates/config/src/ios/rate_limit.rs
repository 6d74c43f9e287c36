//! `rate-limit` of an interface: the policer of IOS before policy maps (committed access rate).

use farpath_units::{Rate, Size};

use super::rates::{LEAST, too_slow};
use crate::commands::{BURST, RATE, Statement};
use crate::qos::{Direction, Interface, RateLimit};

/// `rate-limit input|output [access-group …|dscp …|qos-group …] RATE BURST BURST conform-action … exceed-action …`.
pub(super) fn rate_limit(s: &mut Statement<'_, '_, Interface>) -> Option<()> {
    let direction = s.choice(&[("input", Direction::Input), ("output", Direction::Output)])?;
    if s.words.accept("access-group") {
        s.words.accept("rate-limit");
        s.next()?;
    } else if s.words.accept("dscp") || s.words.accept("qos-group") {
        s.next()?;
    }
    let word = s.words.peek();
    let bps: u64 = s.number(RATE)?;
    if let Some(word) = word.filter(|_| bps < LEAST) {
        too_slow(s.reader, word, bps);
        return None;
    }
    let rate = Rate::from_bps(bps)?;
    let bursts: [u64; 2] = [s.number(BURST)?, s.number(BURST)?];
    let [normal, excess] = bursts.map(Size::from_bytes);
    let exceed = s.words.rest().text.split_once("exceed-action")?.1;
    let stated = s.stated(RateLimit {
        direction,
        rate,
        burst: normal.max(excess),
        drops: exceed.split_whitespace().next() == Some("drop"),
    });
    let off = s.off;
    s.each(|i| match off {
        true => i.rate_limits.retain(|r| r.value != stated.value),
        false => i.rate_limits.push(stated.clone()),
    })
}
