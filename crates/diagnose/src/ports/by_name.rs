//! What a port carries at most by its name, where no text says its speed: `GigabitEthernet3/12`, `xe-0/1/2`.

use super::{Counted, Kind, STATED, counts};
use crate::read::Facts;

/// How names of ports begin before their numbers, and what such a port carries at most, bit/s.
const CISCO: [(&str, f64); 19] = [
    ("Fa", 100e6),
    ("FastEthernet", 100e6),
    ("Gi", 1e9),
    ("GigabitEthernet", 1e9),
    ("TwoGigabitEthernet", 2.5e9),
    ("FiveGigabitEthernet", 5e9),
    ("Te", 10e9),
    ("TenGigE", 10e9),
    ("TenGigabitEthernet", 10e9),
    ("Twe", 25e9),
    ("TwentyFiveGigE", 25e9),
    ("TwentyFiveGigabitEthernet", 25e9),
    ("Fo", 40e9),
    ("FortyGigE", 40e9),
    ("FortyGigabitEthernet", 40e9),
    ("Hu", 100e9),
    ("HundredGigE", 100e9),
    ("HundredGigabitEthernet", 100e9),
    ("FourHundredGigE", 400e9),
];

/// The same of Junos; `et-` is of several speeds.
const JUNOS: [(&str, f64); 3] = [("fe-", 100e6), ("ge-", 1e9), ("xe-", 10e9)];

/// What the port carries at most whose queue dropped, by its name, bit/s. Nothing where a text says its speed, or more passes there than a
/// port of that name carries.
pub(crate) fn speed(facts: &Facts, dropped: &Counted) -> Option<f64> {
    let queue = dropped.port.without_cause();
    let bps = of_name(queue.name.rsplit(" at ").next()?)?;
    let any = |kind: Kind, is: &dyn Fn(f64) -> bool| {
        let all = counts(facts, kind);
        all.iter()
            .any(|c| queue.is_queue_of(&c.port) && is(c.count.value))
    };
    let said = any(Kind::Speed, &|_| true);
    let above = [Kind::Leaves, Kind::Arrives, Kind::Serves]
        .into_iter()
        .any(|way| any(way, &|rate| rate > STATED * bps));
    (!said && !above).then_some(bps)
}

/// What a port of this name carries at most, bit/s. A number without a slash is that of a virtual router, whose ports have no speed.
fn of_name(name: &str) -> Option<f64> {
    let digit = name.find(|c: char| c.is_ascii_digit())?;
    let (begin, number) = name.split_at(digit);
    let is_number = |c: char| c.is_ascii_digit() || ['/', '.', ':'].contains(&c);
    if !number.contains('/') || !number.chars().all(is_number) {
        return None;
    }
    let begin = begin.trim_end();
    let all = CISCO.iter().chain(&JUNOS);
    let mut own = all.filter(|(name, _)| begin.eq_ignore_ascii_case(name));
    own.next().map(|(_, bps)| *bps)
}

#[cfg(test)]
mod tests {
    use super::of_name;

    #[test]
    fn a_name_says_what_a_port_carries_at_most() {
        for (name, bps) in [
            ("GigabitEthernet3/12", Some(1e9)),
            ("TenGigE0/0/0/7.310", Some(10e9)),
            ("TenGigabitEthernet 0/1", Some(10e9)),
            ("xe-0/1/2:0", Some(10e9)),
            ("ge-0/0/5", Some(1e9)),
            // Of several speeds, of a virtual router, and with a speed of its own behind the number.
            ("et-0/0/1", None),
            ("Ethernet1/48", None),
            ("GigabitEthernet1", None),
            ("GigabitEthernet0/1/0(10G)", None),
            ("", None),
        ] {
            assert_eq!(of_name(name), bps, "{name}");
        }
    }
}
