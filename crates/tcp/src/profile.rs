//! A host's rules of its time: what a requested socket buffer becomes, and the stack's defaults.

use farpath_units::Duration;

use crate::cc::Algorithm;
use crate::config::{
    Autotuning, ByteCounting, Config, DelayedAck, MtuProbing, Profile, Reading, Recovery,
    Reduction, RtoFloor, RtoRule, SlowStart,
};
use crate::flavour::Flavour;
use crate::retries::Retries;

/// What of a receive buffer is window, in 256ths: the payload's share of the memory that segments take, which a kernel
/// from 6.6 on measures with each new size of segment (`scaling_ratio`). As Linux 6.18 had it between hosts in namespaces,
/// with segments of 1448 and of 8948 bytes; drivers that waste more or less memory give other shares.
const PAYLOAD_SHARE: u64 = 169;

/// The largest window that can be said without scaling: 16 bits.
pub const UNSCALED_WINDOW: u64 = 65_535;

/// The largest window that scaling can say: 65 535 · 2¹⁴ bytes (RFC 7323 §2.3).
pub const LARGEST_WINDOW: u64 = 65_535 << 14;

impl Profile {
    /// The window in bytes that a receiver offers after `setsockopt(SO_RCVBUF, request)` under the
    /// sysctl `rmem_max`, both in bytes.
    ///
    /// The kernel clamps the request, doubles it, and keeps part of it for bookkeeping: a quarter
    /// in 2004 (`tcp_adv_win_scale` 2), half up to Linux 6.5 (scale 1), since then what segments take besides their
    /// payload. The scale of the window is chosen before that is known, for half of the buffer, and bounds what can be
    /// said. A BSD takes the request as it is. Never more than [`LARGEST_WINDOW`].
    pub fn receive_window(self, request: u64, rmem_max: u64) -> u64 {
        let buffer = doubled(request, rmem_max);
        match self {
            Profile::Bsd1999 => request.min(rmem_max).min(LARGEST_WINDOW),
            Profile::Linux6 => self.grown_window(buffer).min(most_said(buffer / 2)),
            Profile::Linux2004 | Profile::Linux5 => self.grown_window(buffer),
        }
    }

    /// The window in bytes that a receiver offers whose buffer grew to `buffer` bytes by itself.
    pub fn grown_window(self, buffer: u64) -> u64 {
        let window = match self {
            Profile::Bsd1999 => buffer,
            Profile::Linux2004 => buffer - buffer / 4,
            Profile::Linux5 => buffer / 2,
            Profile::Linux6 => buffer / 256 * PAYLOAD_SHARE + buffer % 256 * PAYLOAD_SHARE / 256,
        };
        window.min(LARGEST_WINDOW)
    }

    /// How a receiver's window grows whose buffer is at first `buffer` bytes (`tcp_rmem[1]`); `None`: it does not. Half of the
    /// buffer is taken for window at first, and what `grown_window` says when the first segment has come.
    pub fn autotuning(self, buffer: u64) -> Option<Autotuning> {
        let start = self.grown_window(buffer);
        matches!(self, Profile::Linux5 | Profile::Linux6).then_some(Autotuning {
            profile: self,
            first: buffer / 2,
            start,
        })
    }

    /// The unacknowledged payload in bytes that fits after `setsockopt(SO_SNDBUF, request)` under
    /// the sysctl `wmem_max`, both in bytes.
    ///
    /// The kernel clamps the request and doubles it. What remains for payload depends on memory per
    /// segment: three quarters are taken in 2004 (one allocation a segment); all of it in a current
    /// kernel, whose segments share large pages with little overhead. A BSD takes the request.
    pub fn send_buffer(self, request: u64, wmem_max: u64) -> u64 {
        let buffer = doubled(request, wmem_max);
        match self {
            Profile::Bsd1999 => request.min(wmem_max),
            Profile::Linux2004 => buffer - buffer / 4,
            Profile::Linux5 | Profile::Linux6 => buffer,
        }
    }

    /// The initial window in segments: one in 1999 (RFC 2581, obsoleted by RFC 5681, allowed two), RFC 6928's ten now.
    ///
    /// Two in 2004. Linux 2.4 and 2.6 had the numbers of RFC 3390, three segments of 1448 bytes,
    /// and took them only where the route remembered a round trip of an earlier connection; what a socket began
    /// with otherwise stayed two.
    pub const fn initial_window(self) -> u32 {
        match self {
            Profile::Bsd1999 => 1,
            Profile::Linux2004 => 2,
            Profile::Linux5 | Profile::Linux6 => 10,
        }
    }

    /// The default congestion control: Reno in 2004 (BIC became the default in 2.6.8), CUBIC now.
    pub fn algorithm(self) -> Algorithm {
        match self {
            Profile::Bsd1999 | Profile::Linux2004 => Algorithm::Reno,
            Profile::Linux5 | Profile::Linux6 => Algorithm::Cubic,
        }
    }

    /// Whose rules its congestion control follows: the kernel's from 5 on. What was different in 2004 and before is not
    /// modelled.
    pub fn flavour(self) -> Flavour {
        match self {
            Profile::Bsd1999 | Profile::Linux2004 => Flavour::Rfc,
            Profile::Linux5 | Profile::Linux6 => Flavour::Linux,
        }
    }

    /// How it starts with an algorithm: HyStart is a part of Linux's CUBIC, and on.
    pub fn slow_start(self, algorithm: Algorithm) -> SlowStart {
        match (self.flavour(), algorithm) {
            (Flavour::Linux, Algorithm::Cubic) => SlowStart::HyStart,
            _ => SlowStart::Standard,
        }
    }

    /// Both ends of a connection with `algorithm` between two such hosts, nothing set, nothing but congestion control in
    /// the way, segments of 1448 bytes.
    pub fn config(self, algorithm: Algorithm) -> Config {
        Config {
            algorithm,
            flavour: self.flavour(),
            slow_start: self.slow_start(algorithm),
            initial_window: self.initial_window(),
            sack: self.sack(),
            delayed_ack: DelayedAck {
                every: 2,
                timeout: self.delayed_ack_timeout(),
            },
            rto_min: self.rto_min(),
            rto: self.rto(),
            retries: self.retries(),
            byte_counting: self.byte_counting(),
            recovery: self.recovery(),
            quick_acks: self.quick_acks(),
            ..Config::default()
        }
    }

    /// How slow start counts: by ACK in 2004, by everything acknowledged now.
    pub fn byte_counting(self) -> ByteCounting {
        match self {
            Profile::Bsd1999 | Profile::Linux2004 => ByteCounting::Off,
            Profile::Linux5 | Profile::Linux6 => ByteCounting::Full,
        }
    }

    /// Whether selective acknowledgements are on: not yet in 1999.
    pub fn sack(self) -> bool {
        self != Profile::Bsd1999
    }

    /// Loss recovery: RFC 6582 (NewReno) alone in 1999; SACK, D-SACK, Eifel undo and rate halving in
    /// 2004; RACK-TLP, PRR and F-RTO besides now. ECN is off everywhere unless asked for.
    pub fn recovery(self) -> Recovery {
        let linux = self != Profile::Bsd1999;
        let current = matches!(self, Profile::Linux5 | Profile::Linux6);
        Recovery {
            rack: current,
            reduction: match self {
                Profile::Bsd1999 => Reduction::AtOnce,
                Profile::Linux2004 => Reduction::RateHalving,
                Profile::Linux5 | Profile::Linux6 => Reduction::Prr,
            },
            frto: current,
            newreno: linux,
            limited_transmit: linux,
            dsack: linux,
            eifel: linux,
            ecn: false,
        }
    }

    /// The retransmission timer: half-second ticks and 3 s at first in 1999, exact and 1 s now
    /// (RFC 1122 §4.2.3.1, RFC 6298); 3 s at first in 2004 too.
    pub fn rto(self) -> RtoRule {
        match self {
            Profile::Bsd1999 => RtoRule {
                floor: RtoFloor::Timeout,
                granularity: Duration::from_ms(500),
                initial: Duration::from_secs(3),
                largest: Duration::from_secs(64),
            },
            Profile::Linux2004 => RtoRule {
                initial: Duration::from_secs(3),
                ..RtoRule::default()
            },
            Profile::Linux5 | Profile::Linux6 => RtoRule::default(),
        }
    }

    /// How often a sender tries before it gives up. A BSD of 1999 gave up a SYN after 75 s, which
    /// two retransmissions come closest to, and data after nine minutes, as the time of fifteen with 64 s at most is.
    pub fn retries(self) -> Retries {
        let (syn, syn_linear) = match self {
            Profile::Bsd1999 => (2, 0),
            Profile::Linux2004 => (5, 0),
            Profile::Linux5 => (6, 0),
            Profile::Linux6 => (6, 4),
        };
        Retries {
            syn,
            syn_linear,
            ..Retries::default()
        }
    }

    /// Floor of the retransmission timeout: two ticks in 1999, Linux's 200 ms.
    pub fn rto_min(self) -> Duration {
        match self {
            Profile::Bsd1999 => Duration::from_secs(1),
            Profile::Linux2004 | Profile::Linux5 | Profile::Linux6 => Duration::from_ms(200),
        }
    }

    /// How long an acknowledgement is held back at most: 200 ms in 1999, Linux's 40 ms.
    pub fn delayed_ack_timeout(self) -> Duration {
        match self {
            Profile::Bsd1999 => Duration::from_ms(200),
            Profile::Linux2004 | Profile::Linux5 | Profile::Linux6 => Duration::from_ms(40),
        }
    }

    /// Most quick ACKs: 16 on a Linux.
    pub fn quick_acks(self) -> u8 {
        match self {
            Profile::Bsd1999 => 0,
            Profile::Linux2004 | Profile::Linux5 | Profile::Linux6 => 16,
        }
    }
}

/// A current Linux on Ethernet with timestamps (MSS 1448), no limit but congestion control,
/// sending until stopped.
impl Default for Config {
    fn default() -> Config {
        Config {
            mss: 1448,
            receive_window: LARGEST_WINDOW,
            send_buffer: u64::MAX,
            initial_window: 10,
            sack: true,
            timestamps: true,
            window_scaling: [true, true],
            delayed_ack: DelayedAck {
                every: 2,
                timeout: Duration::from_ms(40),
            },
            algorithm: Algorithm::Cubic,
            flavour: Flavour::Rfc,
            slow_start: SlowStart::Standard,
            initial_ssthresh: None,
            remembered_window: None,
            largest_window: None,
            pacing: None,
            idle_restart: true,
            amount: None,
            rto_min: Duration::from_ms(200),
            byte_counting: ByteCounting::Full,
            recovery: Profile::Linux6.recovery(),
            rto: RtoRule::default(),
            retries: Retries::default(),
            mtu_probing: MtuProbing::Off,
            quick_acks: Profile::Linux6.quick_acks(),
            gro: Duration::ZERO,
            autotuning: None,
            compressed_sacks: 0,
            tso: 0,
            reading: Reading::AtOnce,
        }
    }
}

/// The largest window that can be said with the scale that Linux chooses for `space` bytes (RFC 7323 §2.3).
fn most_said(space: u64) -> u64 {
    let scale = space.max(1).ilog2().saturating_sub(15).min(14);
    65_535 << scale
}

fn doubled(request: u64, max: u64) -> u64 {
    request.min(max).saturating_mul(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;
    /// The `rmem_max` of the five-pass tunnel's hosts.
    const RMEM_MAX: u64 = 128_388_607;

    #[test]
    fn a_2004_host_offers_three_quarters_of_twice_the_request() {
        assert_eq!(
            Profile::Linux2004.receive_window(64 * MIB, RMEM_MAX),
            96 * MIB
        );
        assert_eq!(
            Profile::Linux2004.receive_window(256 * MIB, RMEM_MAX),
            192_582_911
        );
        assert_eq!(Profile::Linux2004.send_buffer(64 * MIB, RMEM_MAX), 96 * MIB);
    }

    #[test]
    fn a_host_of_linux_5_offers_half_of_twice_the_request() {
        assert_eq!(Profile::Linux5.receive_window(64 * MIB, RMEM_MAX), 64 * MIB);
        assert_eq!(Profile::Linux5.receive_window(64 * MIB, 212_992), 212_992);
        assert_eq!(Profile::Linux5.send_buffer(64 * MIB, RMEM_MAX), 128 * MIB);
        assert_eq!(Profile::Linux5.grown_window(6 * MIB), 3 * MIB);
    }

    /// Linux 6.18.44, what a sender in a namespace was offered (`snd_wnd` of `ss`) after `SO_RCVBUF`: 178 024 bytes with
    /// segments of 1448 bytes and 177 384 with those of 8948 for 135 000, 262 140 for 200 000.
    #[test]
    fn a_current_host_offers_the_payloads_share_as_far_as_its_scale_can_say() {
        let window = Profile::Linux6.receive_window(135_000, u64::MAX);
        assert!((177_384..=178_500).contains(&window), "{window}");
        assert_eq!(Profile::Linux6.receive_window(200_000, u64::MAX), 262_140);
        assert_eq!(Profile::Linux6.send_buffer(64 * MIB, RMEM_MAX), 128 * MIB);
        assert_eq!(Profile::Linux6.grown_window(32 * MIB), 22_151_168);
    }

    #[test]
    fn no_window_exceeds_what_scaling_can_say() {
        assert_eq!(
            Profile::Linux6.receive_window(u64::MAX, u64::MAX),
            LARGEST_WINDOW
        );
        assert_eq!(LARGEST_WINDOW, 1_073_725_440);
    }

    /// RFC 6928 §2, in segments, and what came before: the first connection to a destination.
    #[test]
    fn initial_windows() {
        let all = [
            Profile::Bsd1999,
            Profile::Linux2004,
            Profile::Linux5,
            Profile::Linux6,
        ];
        assert_eq!(all.map(Profile::initial_window), [1, 2, 10, 10]);
        let config = Profile::Linux2004.config(Algorithm::Reno);
        assert_eq!(config.initial_window, 2);
    }
}
