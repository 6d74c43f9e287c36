//! ATM and AAL5: cells a frame takes, what a lost cell costs, what a contract lets through.
//!
//! Cells have 53 bytes, 48 of them payload (ITU-T I.361). An AAL5 frame is the payload, padding and
//! an 8-byte trailer, in whole cells; the last is marked, none is numbered (ITU-T I.363.5). So one
//! lost cell costs the frame, and a lost last cell glues the next frame to it, which costs both.

use farpath_units::{Duration, Rate, Size};

/// Bytes of a cell.
pub const CELL: u32 = 53;

/// Payload bytes of a cell.
pub const CELL_PAYLOAD: u32 = 48;

/// Bits of a cell.
pub const CELL_BITS: u64 = CELL as u64 * 8;

/// Bytes of the AAL5 trailer.
const TRAILER: u32 = 8;

/// How an AAL5 frame says what it carries (RFC 2684).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Aal5 {
    /// Routed, LLC and SNAP headers in front: 8 bytes (§5.1).
    #[default]
    Llc,
    /// Routed, one protocol for the whole circuit: nothing (§6.1).
    Vc,
    /// Bridged Ethernet without its FCS behind LLC, SNAP and 2 bytes of padding: 10 + 14 bytes (§5.2).
    BridgedLlc,
    /// Bridged Ethernet without its FCS behind 2 bytes of padding: 2 + 14 bytes (§6.2).
    BridgedVc,
}

impl Aal5 {
    /// Bytes between the AAL5 frame's start and what it encloses.
    pub const fn header(self) -> u32 {
        match self {
            Aal5::Llc => 8,
            Aal5::Vc => 0,
            Aal5::BridgedLlc => 24,
            Aal5::BridgedVc => 16,
        }
    }

    /// Cells for `payload` enclosed bytes: ⌈(L + header + 8) / 48⌉.
    #[inline]
    pub const fn cells(self, payload: u32) -> u32 {
        cells(payload + self.header())
    }
}

/// Cells an AAL5 payload of `bytes` (encapsulation included) takes: ⌈(L + 8) / 48⌉.
pub const fn cells(bytes: u32) -> u32 {
    (bytes + TRAILER).div_ceil(CELL_PAYLOAD)
}

/// Share of frames of `cells` cells that miss at least one: 1 − (1 − q)^n, each cell lost with
/// probability `q` independently.
pub fn frame_loss(cells: u32, q: f64) -> f64 {
    -libm::expm1(f64::from(cells) * libm::log1p(-q))
}

/// The same, frames included that are whole but glued to one whose last cell was lost: what arrives
/// is a frame whose own cells all arrive and whose predecessor's last cell did, (1 − q)^(n + 1).
/// Predecessors of the same circuit.
pub fn frame_loss_glued(cells: u32, q: f64) -> f64 {
    frame_loss(cells + 1, q)
}

/// Frame loss over cell loss: n for small `q`. `q` above 0.
pub fn amplification(cells: u32, q: f64) -> f64 {
    frame_loss(cells, q) / q
}

/// Frames an isolated lost cell costs on average, gluing included: 1 + 1/n.
pub fn frames_per_lost_cell(cells: u32) -> f64 {
    1.0 + 1.0 / f64::from(cells)
}

/// Probability that a cell is discarded for its header at bit error ratio `ber`: the header check
/// corrects one wrong bit of 40 and finds two or more (ITU-T I.432.1 §4.3, in correction mode).
pub fn header_loss(ber: f64) -> f64 {
    let none = libm::exp(40.0 * libm::log1p(-ber));
    let one = 40.0 * ber * libm::exp(39.0 * libm::log1p(-ber));
    // For small ratios the difference from 1 is below what a double resolves: 780 pairs of bits.
    if ber < 1e-6 {
        780.0 * ber * ber
    } else {
        (1.0 - none - one).max(0.0)
    }
}

/// Long-run share of cells that conform when cells come evenly at `offered` and the contract
/// sustains `sustained`; both in bit/s of whole cells. One burst more conforms at the start.
pub fn conforming_ratio(offered: Rate, sustained: Rate) -> f64 {
    (sustained.as_bps() as f64 / offered.as_bps() as f64).min(1.0)
}

/// Cells that come in bursts at equal intervals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bursts {
    /// Mean rate, in bit/s of whole cells.
    pub mean: Rate,
    /// Cells of a burst; at least 1.
    pub cells: u64,
    /// The rate at which they come, not below the mean.
    pub peak: Rate,
}

impl Bursts {
    /// Long-run share of the cells that keep to a contract. Of a burst of n, δ apart, 1 + ⌊((n − 1)δ + L)/I⌋ do by each of its rates (ITU-T
    /// I.371 §A): they are to come I apart, and may come L early. Of all no more than the sustained rate do.
    pub fn conforming_ratio(&self, contract: &Shaper) -> f64 {
        let apart_s = |rate: Rate| CELL_BITS as f64 / rate.as_bps() as f64;
        let (cells, peak_s) = (self.cells as f64, apart_s(contract.peak));
        let early_s = contract.tolerance.as_secs_f64();
        let lasts_s = (cells - 1.0).max(0.0) * apart_s(self.peak);
        // A hair more: equal rates have equal intervals.
        let first =
            |early_s: f64, due_s: f64| 1.0 + libm::floor((lasts_s + early_s) / due_s + 1e-9);
        let mut most = first(early_s, peak_s);
        let mut lasting_s = peak_s;
        if let Some((rate, burst)) = contract.sustained {
            let due_s = apart_s(rate).max(peak_s);
            let burst_s = burst.saturating_sub(1) as f64 * (due_s - peak_s);
            most = most.min(first(early_s + burst_s, due_s));
            lasting_s = due_s;
        }
        let of_all = apart_s(self.mean) / lasting_s;
        (most / cells.max(1.0)).min(of_all).min(1.0)
    }
}

/// What a shaper of cells keeps to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shaper {
    /// Peak cell rate, in bit/s of whole cells.
    pub peak: Rate,
    /// How much earlier than its turn at that rate a cell may leave.
    pub tolerance: Duration,
    /// Sustained cell rate, and the most cells in a burst at the peak rate; at least 1.
    pub sustained: Option<(Rate, u64)>,
}

impl Shaper {
    /// How much later the last of `cells` cells leaves than on the bare `line`, where the shaper was idle: cell j leaves at the
    /// latest of jδ, jI − L of the peak rate and jI − L of the sustained one, whose L is (MBS − 1)(1/SCR − 1/PCR) more
    /// (ITU-T I.371 §A).
    pub fn holds(&self, cells: u32, line: Rate) -> Duration {
        let time =
            |rate: Rate, cells: u64| rate.time_for(Size::from_bytes(cells * u64::from(CELL)));
        let last = u64::from(cells.saturating_sub(1));
        let bare = time(line, last);
        let at_peak = time(self.peak, last).saturating_sub(self.tolerance);
        let lasting = self.sustained.map_or(Duration::ZERO, |(rate, burst)| {
            let most = burst.saturating_sub(1);
            let burst = time(rate, most).saturating_sub(time(self.peak, most));
            time(rate, last).saturating_sub(self.tolerance + burst)
        });
        at_peak.max(lasting).saturating_sub(bare)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 100 cells together at 149.76 Mbit/s, 10 Mbit/s on average, of which a contract of 10 Mbit/s takes bursts of 50: 52.3 of its own and those that
    /// become due meanwhile, 53. One that takes 100 takes them all, and one of half the rate 50.
    #[test]
    fn bursts_keep_to_a_contract_as_far_as_it_takes_bursts() {
        let tens = |kbps: u64| Rate::from_bps(kbps * 10_000).expect("a rate");
        let bursts = Bursts {
            mean: tens(1000),
            cells: 100,
            peak: tens(14_976),
        };
        let ratio = |scr: u64, burst: u64| {
            let contract = Shaper {
                peak: tens(14_976),
                tolerance: Duration::from_us(3),
                sustained: Some((tens(scr), burst)),
            };
            bursts.conforming_ratio(&contract)
        };
        assert_eq!(ratio(1000, 50), 0.53);
        assert_eq!(ratio(1000, 100), 1.0);
        assert!((ratio(500, 100) - 0.5).abs() < 1e-9);
        // At half the peak every second one of a burst is early.
        let slow = Shaper {
            peak: tens(7488),
            tolerance: Duration::ZERO,
            sustained: None,
        };
        assert_eq!(bursts.conforming_ratio(&slow), 0.5);
    }

    #[test]
    fn cells_of_common_datagrams() {
        let both = |len| (Aal5::Vc.cells(len), Aal5::Llc.cells(len));
        assert_eq!(both(40), (1, 2));
        assert_eq!(both(52), (2, 2));
        assert_eq!(Aal5::Llc.cells(1500), 32);
        assert_eq!(Aal5::Llc.cells(4470), 94);
        assert_eq!(Aal5::Llc.cells(9180), 192);
        assert_eq!(Aal5::Llc.cells(9140), 191);
        assert_eq!(Aal5::BridgedLlc.cells(1500), 32);
        assert_eq!(Aal5::BridgedVc.cells(16), 1);
    }

    /// Own calculation for the OC-12 document's path: cell loss, cells, frame loss, amplification.
    #[test]
    fn cell_loss_is_amplified_by_the_cells_of_a_frame() {
        let table = [
            (1e-8, 32, 3.2e-7, 32.0),
            (1e-8, 192, 1.92e-6, 192.0),
            (1e-6, 32, 3.2e-5, 32.0),
            (1e-6, 192, 1.92e-4, 191.98),
            (1e-5, 32, 3.2e-4, 31.995),
            (1e-5, 192, 1.918e-3, 191.82),
        ];
        for (q, cells, loss, amplified) in table {
            assert!((frame_loss(cells, q) / loss - 1.0).abs() < 3e-4);
            assert!((amplification(cells, q) / amplified - 1.0).abs() < 1e-4);
            let glued = frame_loss_glued(cells, q) / q;
            let expected = f64::from(cells) * frames_per_lost_cell(cells);
            assert!((glued / expected - 1.0).abs() < 2e-3);
        }
    }

    #[test]
    fn the_header_check_corrects_one_bit() {
        assert!((header_loss(1e-9) / 7.8e-16 - 1.0).abs() < 1e-6);
        // Continuous where the two forms meet.
        assert!((header_loss(1.000_001e-6) / header_loss(0.999_999e-6) - 1.0).abs() < 1e-3);
        assert!(header_loss(0.5) > 0.999_999);
    }

    /// A line of 599.04 Mbit/s, 300 Mbit/s sustained, bursts of 100: the other 92 of 192 cells take 0.7055 us more each.
    #[test]
    fn a_shaper_spreads_what_is_longer_than_its_burst() {
        let line = Rate::from_bps(599_040_000).expect("not zero");
        let sustained = Rate::from_bps(300_000_000).expect("not zero");
        let shaper = |peak, burst| Shaper {
            peak,
            tolerance: Duration::ZERO,
            sustained: Some((sustained, burst)),
        };
        let ns = |of: Shaper, cells| of.holds(cells, line).as_ns();
        assert_eq!(ns(shaper(line, 100), 192), 64_909);
        assert_eq!(ns(shaper(line, 100), 100), 0);
        // At 1/SCR from the first on, and no faster than that whatever the burst.
        assert_eq!(ns(shaper(line, 1), 192), 134_757);
        assert_eq!(ns(shaper(sustained, 100), 192), 134_757);
    }

    /// A policer of 300 Mbit/s: 299, 301 and 600 offered.
    #[test]
    fn a_contract_lets_its_share_through() {
        let rate = |mbps: u64| Rate::from_bps(mbps * 1_000_000).expect("not zero");
        for (offered, share) in [(299, 1.0), (301, 0.9967), (600, 0.5)] {
            let found = conforming_ratio(rate(offered), rate(300));
            assert!((found - share).abs() < 5e-5, "{offered}: {found}");
        }
    }
}
