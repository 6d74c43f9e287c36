//! Kinds of interface.

/// Kinds of interface, in full.
const KINDS: &str = "GigabitEthernet FastEthernet TenGigabitEthernet HundredGigE FortyGigabitEthernet Ethernet Port-channel Vlan Loopback ATM POS Serial Tunnel Null TenGigE FortyGigE TwentyFiveGigE TwoGigabitEthernet FiveGigabitEthernet FiftyGigE TwoHundredGigE FourHundredGigE Bundle-Ether BVI MgmtEth";

/// The name of an interface in full, where its kind is known.
pub(crate) fn full_name(name: &str) -> String {
    let digits = name
        .find(|c: char| c.is_ascii_digit())
        .unwrap_or(name.len());
    let (kind, number) = name.split_at(digits);
    let starts = |k: &&str| k.len() >= kind.len() && k[..kind.len()].eq_ignore_ascii_case(kind);
    let known = KINDS.split(' ').find(starts);
    match known.filter(|_| kind.len() > 1 && kind.is_ascii()) {
        Some(full) => format!("{full}{number}"),
        None => name.to_owned(),
    }
}
