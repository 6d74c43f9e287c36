//! `struct tcp_info` (linux/tcp.h): grown over the years at its end, so what is there depends on how
//! many bytes the kernel gave.

use std::os::fd::BorrowedFd;

use nix::errno::Errno;
use nix::libc;

use crate::report::Sample;
use crate::sys;

/// What `getsockopt(TCP_INFO)` returned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TcpInfo {
    bytes: [u8; LEN],
    len: usize,
}

/// Long enough for everything that is read here; the kernel cuts off the rest.
const LEN: usize = 256;

/// `TCP_INFINITE_SSTHRESH`: no loss yet.
const NO_THRESHOLD: u32 = 0x7fff_ffff;

impl TcpInfo {
    /// Asks the kernel.
    pub(crate) fn of(socket: BorrowedFd<'_>) -> Result<TcpInfo, Errno> {
        let mut bytes = [0; LEN];
        let len = sys::read_bytes(socket, libc::IPPROTO_TCP, libc::TCP_INFO, &mut bytes)?;
        Ok(TcpInfo { bytes, len })
    }

    /// What `sock_diag` gave.
    pub(crate) fn of_bytes(given: &[u8]) -> TcpInfo {
        let len = given.len().min(LEN);
        let mut bytes = [0; LEN];
        bytes[..len].copy_from_slice(&given[..len]);
        TcpInfo { bytes, len }
    }

    fn field<const N: usize>(&self, at: usize) -> Option<[u8; N]> {
        let given = self.bytes.get(..self.len)?;
        given.get(at..at + N)?.try_into().ok()
    }

    fn u32(&self, at: usize) -> u32 {
        self.field(at).map_or(0, u32::from_ne_bytes)
    }

    fn u64(&self, at: usize) -> Option<u64> {
        self.field(at).map(u64::from_ne_bytes)
    }

    /// `tcpi_total_retrans`.
    pub(crate) fn retransmits(&self) -> u64 {
        self.u32(100).into()
    }

    /// `tcpi_total_rto` (Linux 6.7).
    pub(crate) fn rtos(&self) -> Option<u64> {
        self.field(240).map(|b| u16::from_ne_bytes(b).into())
    }

    /// `tcpi_min_rtt` (Linux 4.6); none before the first measurement.
    pub(crate) fn rtt_min_ns(&self) -> Option<u64> {
        let us = self.field(148).map(u32::from_ne_bytes)?;
        (us != u32::MAX && us != 0).then(|| u64::from(us) * 1000)
    }

    /// `tcpi_snd_mss`.
    pub(crate) fn mss(&self) -> u64 {
        self.u32(16).into()
    }

    /// `TCPI_OPT_WSCALE` of `tcpi_options`.
    pub(crate) fn is_scaled(&self) -> bool {
        self.bytes[5] & 4 != 0
    }

    /// `tcpi_rcv_rtt`; none where nothing was received.
    pub(crate) fn receiver_rtt_ns(&self) -> Option<u64> {
        let us = self.u32(92);
        (us > 0).then(|| u64::from(us) * 1000)
    }

    /// `tcpi_max_pacing_rate` (Linux 3.15), bit/s; none where the program set none.
    pub(crate) fn pacing_limit_bps(&self) -> Option<u64> {
        // All ones, of 32 or of 64 bits, mean that none was set, and one less than all that it is to be no bound; the
        // field is bytes a second.
        let bytes = self.u64(112)?;
        let is_set = bytes != 0 && bytes != u64::from(u32::MAX) && bytes < u64::MAX - 1;
        is_set.then(|| bytes.saturating_mul(8))
    }

    /// `tcpi_pacing_rate` (Linux 3.15), bit/s; none where it has no bound yet.
    fn pacing_bps(&self) -> Option<u64> {
        let bytes = self.u64(104).filter(|bytes| *bytes < u64::MAX - 1)?;
        Some(bytes.saturating_mul(8))
    }

    /// `tcpi_bytes_acked` (Linux 4.1); 0 where the kernel does not count.
    pub(crate) fn bytes_acked(&self) -> u64 {
        self.u64(120).unwrap_or(0)
    }

    /// `tcpi_bytes_received` (Linux 4.1); 0 where the kernel does not count.
    pub(crate) fn bytes_received(&self) -> u64 {
        self.u64(128).unwrap_or(0)
    }

    /// `tcpi_data_segs_out` (Linux 4.6); 0 where the kernel does not count.
    pub(crate) fn segments(&self) -> u64 {
        self.u32(156).into()
    }

    /// `tcpi_delivery_rate` (Linux 4.9), bit/s.
    pub(crate) fn delivery_bps(&self) -> Option<u64> {
        let bytes = self.u64(160)?;
        (bytes > 0).then(|| bytes.saturating_mul(8))
    }

    /// `tcpi_bytes_sent` (Linux 4.19).
    pub(crate) fn bytes_sent(&self) -> Option<u64> {
        self.u64(200)
    }

    /// `tcpi_bytes_retrans` (Linux 4.19).
    pub(crate) fn bytes_resent(&self) -> Option<u64> {
        self.u64(208)
    }

    /// `tcpi_dsack_dups` (Linux 4.19).
    pub(crate) fn needless(&self) -> u64 {
        self.u32(216).into()
    }

    /// `tcpi_reord_seen` (Linux 4.19).
    pub(crate) fn reordered(&self) -> u64 {
        self.u32(220).into()
    }

    /// `tcpi_rcv_ooopack` (Linux 5.4).
    pub(crate) fn out_of_order(&self) -> u64 {
        self.u32(224).into()
    }

    /// `tcpi_snd_wnd` (Linux 5.4).
    fn window(&self) -> Option<u64> {
        self.field(228).map(|b| u32::from_ne_bytes(b).into())
    }

    /// Whether the kernel keeps the timers that say what limited it (Linux 4.10).
    pub(crate) fn has_timers(&self) -> bool {
        self.u64(184).is_some()
    }

    /// What a series is made of.
    pub(crate) fn sample(&self, t_ns: u64, cpu_ns: u64) -> Sample {
        let segment = u64::from(self.u32(16));
        // tcp_packets_in_flight: unacked − (sacked + lost) + retrans.
        let gone = self.u32(28).saturating_add(self.u32(32));
        let in_flight = self.u32(24).saturating_add(self.u32(36));
        let threshold = self.u32(76);
        Sample {
            t_ns,
            cwnd: u64::from(self.u32(80)) * segment,
            ssthresh: (threshold < NO_THRESHOLD).then(|| u64::from(threshold) * segment),
            in_flight: u64::from(in_flight.saturating_sub(gone)) * segment,
            srtt_ns: u64::from(self.u32(68)) * 1000,
            retransmits: Some(self.retransmits()),
            state: self.bytes[1],
            // `tcpi_delivery_rate_app_limited`, the lowest bit (Linux 4.9).
            app_limited: self.bytes[7] & 1 == 1,
            // `tcpi_notsent_bytes` (Linux 4.6).
            unsent: self.field(144).map(|b| u32::from_ne_bytes(b).into()),
            full: false,
            pacing_bps: self.pacing_bps(),
            pacing_limit_bps: self.pacing_limit_bps(),
            delivery_bps: self.delivery_bps(),
            window: self.window(),
            rtt_min_ns: self.rtt_min_ns(),
            busy_us: self.u64(168).unwrap_or(0),
            rwnd_us: self.u64(176).unwrap_or(0),
            sndbuf_us: self.u64(184).unwrap_or(0),
            cpu_ns,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(fields: &[(usize, u32)], len: usize) -> TcpInfo {
        let mut bytes = [0; LEN];
        for (at, value) in fields {
            bytes[*at..at + 4].copy_from_slice(&value.to_ne_bytes());
        }
        TcpInfo { bytes, len }
    }

    #[test]
    fn what_an_older_kernel_does_not_say_is_absent() {
        // Linux 2.6 to 3.14 gave 104 bytes.
        let old = info(&[(100, 7), (148, 5), (240, 3)], 104);
        assert_eq!(old.retransmits(), 7);
        assert_eq!((old.rtt_min_ns(), old.rtos()), (None, None));
        assert!(!old.has_timers());
        assert_eq!(old.sample(0, 0).unsent, None);
        let new = info(&[(148, 5), (240, 3)], 248);
        assert_eq!((new.rtt_min_ns(), new.rtos()), (Some(5000), Some(3)));
        assert!(new.has_timers());
    }

    #[test]
    fn a_pace_is_the_programs_where_it_set_one() {
        let paced = |own: u32, [low, high]: [u32; 2]| {
            let fields = [(16, 1000), (104, own), (112, low), (116, high)];
            let info = info(&fields, 248);
            let sample = info.sample(0, 0);
            assert_eq!(sample.pacing_limit_bps, info.pacing_limit_bps());
            (sample.pacing_limit_bps, sample.pacing_bps)
        };
        assert_eq!(paced(5000, [u32::MAX; 2]), (None, Some(40_000)));
        assert_eq!(paced(5000, [u32::MAX - 1, u32::MAX]), (None, Some(40_000)));
        assert_eq!(paced(4499, [5000, 0]), (Some(40_000), Some(35_992)));
        assert_eq!(paced(5000, [5000, 0]), (Some(40_000), Some(40_000)));
    }

    #[test]
    fn windows_are_bytes_and_losses_are_not_in_flight() {
        let fields = [
            (16, 1000),
            (24, 10),
            (28, 3),
            (32, 2),
            (36, 1),
            (80, 20),
            (144, 7),
            (228, 9),
        ];
        let sample = info(&fields, 248).sample(5, 6);
        assert_eq!((sample.cwnd, sample.in_flight), (20_000, 6000));
        assert_eq!((sample.t_ns, sample.cpu_ns), (5, 6));
        assert_eq!((sample.ssthresh, sample.unsent), (Some(0), Some(7)));
        assert_eq!(sample.window, Some(9));
        let infinite = info(&[(16, 1000), (76, NO_THRESHOLD)], 248);
        assert_eq!(infinite.sample(0, 0).ssthresh, None);
    }
}
