//! What the slot of an interface card carries, as `lspci -vv` and the kernel say.

use crate::words::{after, between, decimal};

/// Whose lines are read.
#[derive(Default)]
pub(super) struct Slots {
    /// Whether the lines that follow are of one card that was asked for, or of one of a network.
    card: bool,
}

/// What a slot carries, and what its card could use of another, bit/s, as far as a line says it.
pub(super) type Said = [Option<f64>; 2];

/// Classes of cards of a network, as `lspci` writes them.
const CLASSES: [&str; 4] = [
    "Ethernet controller",
    "Network controller",
    "Infiniband controller",
    "InfiniBand controller",
];

/// Drivers of other cards whose slots a kernel speaks of, and its own words for a card without one.
const OTHERS: [&str; 9] = [
    "pci",
    "nvme",
    "nvidia",
    "nouveau",
    "amdgpu",
    "radeon",
    "i915",
    "mpt3sas",
    "megaraid_sas",
];

impl Slots {
    /// Takes a line about slots; what it says.
    pub(super) fn line(&mut self, text: &str) -> Option<Said> {
        if let Some((_, options)) = text.split_once("lspci ") {
            let mut words = options.split_whitespace();
            self.card = words.any(|word| word == "-s");
            return options.contains("-v").then_some([None; 2]);
        }
        if let Some(class) = headed(text) {
            self.card = CLASSES.iter().any(|c| class.starts_with(c));
            return Some([None; 2]);
        }
        if let Some(said) = of_kernel(text) {
            return Some(said);
        }
        let said = match (text.strip_prefix("LnkSta:"), text.strip_prefix("LnkCap:")) {
            (Some(state), _) => [link(state), None],
            (None, Some(most)) => [None, link(most)],
            (None, None) => return None,
        };
        Some(if self.card { said } else { [None; 2] })
    }
}

/// The class in `81:00.0 Ethernet controller: …`, the head of a device.
fn headed(text: &str) -> Option<&str> {
    let (address, class) = text.split_once(' ')?;
    let (bus, function) = address.rsplit_once('.')?;
    let hex = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_hexdigit());
    let is_address = bus.contains(':') && bus.split(':').all(hex) && function.len() == 1;
    (is_address && hex(function) && class.contains(": ")).then_some(class)
}

/// What `Speed 8GT/s (downgraded), Width x4 (downgraded)` carries, bit/s: each lane eight bits of ten, and from 8 GT/s on 128 of 130
/// (PCI Express Base Specification, 3.0 and later).
fn link(text: &str) -> Option<f64> {
    let speed = between(text, "Speed ", "GT/s").and_then(decimal)?;
    let lanes = after(text, "Width x")?.trim_end_matches(',');
    let lanes = decimal(lanes).filter(|n| *n > 0.0)?;
    let coded = if speed < 8.0 { 0.8 } else { 128.0 / 130.0 };
    Some(speed * 1e9 * coded * lanes).filter(|bps| *bps > 0.0)
}

/// `mlx5_core 0000:81:00.0: 31.504 Gb/s available PCIe bandwidth, limited by 8.0 GT/s PCIe x4 link at 0000:80:01.0 (capable of 252.048 Gb/s …)`.
fn of_kernel(text: &str) -> Option<Said> {
    let (head, rest) = text.split_once(" Gb/s available PCIe bandwidth")?;
    let mut words = head.split_whitespace().rev();
    let carries = decimal(words.next()?)? * 1e9;
    let driver = words.nth(1).unwrap_or("");
    let most = between(rest, "capable of ", " Gb/s").and_then(decimal);
    let own = carries > 0.0 && !OTHERS.contains(&driver);
    Some(match own {
        true => [Some(carries), most.map(|gbit| gbit * 1e9)],
        false => [None; 2],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_carries_its_lanes() {
        let near = |said: Option<Said>, carries: f64, most: f64| {
            let of = |value: Option<f64>| value.unwrap_or(0.0);
            let [a, b] = said.expect("a line of lspci");
            assert!((of(a) - carries).abs() < 1e6, "{a:?}");
            assert!((of(b) - most).abs() < 1e6, "{b:?}");
        };
        let mut slots = Slots::default();
        let state = "LnkSta:\tSpeed 8GT/s (downgraded), Width x4 (downgraded)";
        // Of which card, nobody said.
        assert_eq!(slots.line(state), Some([None; 2]));
        let command = "h$ lspci -vv -s 81:00.0 | egrep 'LnkCap|LnkSta:'";
        assert_eq!(slots.line(command), Some([None; 2]));
        near(slots.line(state), 31.508e9, 0.0);
        let most = "LnkCap:\tPort #0, Speed 16GT/s, Width x16, ASPM not supported";
        near(slots.line(most), 0.0, 252.062e9);
        let old = "LnkSta: Speed 2.5GT/s, Width x1, TrErr- Train- SlotClk+";
        near(slots.line(old), 2e9, 0.0);
        let disk = "02:00.0 Non-Volatile memory controller: Samsung";
        assert_eq!(slots.line(disk), Some([None; 2]));
        assert_eq!(slots.line(state), Some([None; 2]));
        let card = "0000:81:00.0 Ethernet controller: Mellanox Technologies MT2892";
        assert_eq!(slots.line(card), Some([None; 2]));
        near(slots.line(state), 31.508e9, 0.0);
        assert_eq!(slots.line("we ran lspci and saw nothing"), None);
    }

    #[test]
    fn a_kernel_says_it_of_each_card() {
        let said = |driver: &str| {
            Slots::default().line(&format!(
                "[   12.345678] {driver} 0000:81:00.0: 31.504 Gb/s available PCIe bandwidth, limited by 8.0 GT/s PCIe x4 link at 0000:80:01.0 (capable of 252.048 Gb/s with 16.0 GT/s PCIe x16 link)"
            ))
        };
        assert_eq!(said("mlx5_core"), Some([Some(31.504e9), Some(252.048e9)]));
        assert_eq!(said("nvme"), Some([None; 2]));
    }
}
