//! What `TCP_INFO` says of a connection.

use farpath_tcp::{Limit, Phase};
use farpath_units::{Duration, Time};

use super::{Connection, State};
use crate::code::Datum;

/// Values a script's code may name without asking a connection.
const CONSTANTS: [(&str, i64); 35] = [
    ("TCP_INFINITE_SSTHRESH", 0x7fff_ffff),
    ("TCP_CA_Open", 0),
    ("TCP_CA_Disorder", 1),
    ("TCP_CA_CWR", 2),
    ("TCP_CA_Recovery", 3),
    ("TCP_CA_Loss", 4),
    ("TCPI_OPT_TIMESTAMPS", 1),
    ("TCPI_OPT_SACK", 2),
    ("TCPI_OPT_WSCALE", 4),
    ("TCPI_OPT_ECN", 8),
    ("TCPI_OPT_ECN_SEEN", 16),
    ("TCPI_OPT_SYN_DATA", 32),
    ("TCP_ESTABLISHED", 1),
    ("TCP_SYN_SENT", 2),
    ("TCP_SYN_RECV", 3),
    ("TCP_FIN_WAIT1", 4),
    ("TCP_FIN_WAIT2", 5),
    ("TCP_TIME_WAIT", 6),
    ("TCP_CLOSE", 7),
    ("TCP_CLOSE_WAIT", 8),
    ("TCP_LAST_ACK", 9),
    ("TCP_LISTEN", 10),
    ("TCP_CLOSING", 11),
    ("TCPI_ESTABLISHED", 1),
    ("TCPI_CLOSED", 7),
    ("TCPI_LISTEN", 10),
    ("TCPI_SYN_SENT", 2),
    ("TCPI_SYN_RECEIVED", 3),
    ("TCPI_FIN_WAIT_1", 4),
    ("TCPI_FIN_WAIT_2", 5),
    ("TCPI_TIME_WAIT", 6),
    ("TCPI_CLOSE_WAIT", 8),
    ("TCPI_LAST_ACK", 9),
    ("TCPI_CLOSING", 11),
    ("TCPI_SYN_RCVD", 3),
];

/// A constant's value.
pub(crate) fn constant(name: &str) -> Option<Datum> {
    CONSTANTS
        .iter()
        .find(|(n, _)| *n == name)
        .map(|(_, value)| Datum::Int(*value))
}

/// `tcpi_state` of a socket without a connection: listening or closed.
pub(super) fn state_without_connection(listening: bool) -> i64 {
    if listening { 10 } else { 7 }
}

fn state_number(state: State) -> i64 {
    match state {
        State::Established => 1,
        State::SynSent => 2,
        State::SynReceived => 3,
        State::FinWait1 => 4,
        State::FinWait2 => 5,
        State::TimeWait => 6,
        State::Closed => 7,
        State::CloseWait => 8,
        State::LastAck => 9,
        State::Closing => 11,
    }
}

fn micros(d: Duration) -> i64 {
    (d.as_ps() / 1_000_000) as i64
}

impl Connection {
    /// A field of `TCP_INFO` at `now`; `None` for what is not modelled.
    pub(super) fn info(&self, now: Time, field: &str) -> Option<i64> {
        let sender = &self.sender;
        let segment = self.segment();
        // Linux counts in segments; a short one counts as one. The FIN is not data.
        let segments = |bytes: u64| bytes.div_ceil(segment) as i64;
        let whole = |bytes: u64| (bytes / segment) as i64;
        let stats = sender.stats();
        let queued = sender.nxt() - sender.una();
        Some(match field {
            "tcpi_state" => state_number(self.state),
            "tcpi_snd_cwnd" => whole(sender.cwnd_bytes()).max(1),
            "tcpi_snd_ssthresh" => match sender.ssthresh_bytes() {
                u64::MAX => i64::from(i32::MAX),
                bytes => whole(bytes),
            },
            "tcpi_ca_state" => self.ca_state(),
            "tcpi_unacked" => segments(queued),
            "tcpi_sacked" => segments(sender.sacked_bytes()),
            "tcpi_lost" => segments(sender.lost_bytes()),
            "tcpi_retrans" => segments(sender.resent_bytes()),
            "tcpi_total_retrans" => stats.retransmits as i64,
            "tcpi_bytes_retrans" => stats.retransmitted_bytes as i64,
            "tcpi_bytes_acked" => sender.una() as i64,
            "tcpi_bytes_received" => self.received() as i64,
            "tcpi_notsent_bytes" => (self.written + self.held).saturating_sub(sender.nxt()) as i64,
            "tcpi_rtt" => micros(sender.srtt()?),
            "tcpi_rttvar" => micros(sender.rttvar()),
            "tcpi_min_rtt" => micros(sender.rtt_min()?),
            "tcpi_rto" => micros(sender.rto()),
            "tcpi_backoff" => i64::from(sender.backoff()),
            "tcpi_pacing_rate" => (sender.pacing_rate()?.as_bps() / 8) as i64,
            "tcpi_snd_mss" => segment as i64,
            "tcpi_advmss" => {
                let options = if self.agreed.timestamps { 12 } else { 0 };
                i64::from(self.settings.mss()) - options
            }
            "tcpi_snd_wscale" => i64::from(self.agreed.scale_in),
            "tcpi_rcv_wscale" => i64::from(self.agreed.scale_out),
            // Never below the duplicate threshold, nor above `tcp_max_reordering`.
            "tcpi_reordering" => segments(sender.overtakings().1).clamp(3, 300),
            "tcpi_reord_seen" => i64::from(sender.overtakings().0),
            "tcpi_busy_time" => micros(self.busy_until(now)),
            "tcpi_rwnd_limited" => micros(sender.limited(now).spent(Limit::ReceiveWindow)),
            "tcpi_options" => self.options_bits(),
            "tcpi_last_data_recv" => {
                micros(now.since(self.last_data.unwrap_or(self.opened))) / 1000
            }
            _ => return None,
        })
    }

    /// Time with data sent or to be sent and not acknowledged.
    fn busy_until(&self, now: Time) -> Duration {
        self.busy
            + self
                .busy_from
                .map_or(Duration::ZERO, |from| now.since(from))
    }

    /// What was written or acknowledged at `now` begins a busy time, or ends one.
    pub(super) fn note_busy(&mut self, now: Time) {
        let is_busy = self.sender.una() < self.written + self.held;
        match (is_busy, self.busy_from) {
            (true, None) => self.busy_from = Some(now),
            (false, Some(from)) => {
                self.busy += now.since(from);
                self.busy_from = None;
            }
            _ => {}
        }
    }

    fn options_bits(&self) -> i64 {
        let agreed = &self.agreed;
        i64::from(agreed.timestamps)
            | i64::from(agreed.sack) << 1
            | i64::from(agreed.scaled) << 2
            | i64::from(agreed.ecn) << 3
    }

    /// Linux's five states.
    fn ca_state(&self) -> i64 {
        let sender = &self.sender;
        let is_lossless = sender.lost_bytes() == 0 && sender.resent_bytes() == 0;
        match sender.phase() {
            Phase::Loss => 4,
            _ if is_lossless && sender.answers_echo() => 2,
            Phase::Recovery => 3,
            _ if sender.sacked_bytes() > 0 => 1,
            _ => 0,
        }
    }
}
