//! A connection: its state, its two halves, and what its application does.

use std::collections::BTreeSet;

use farpath_tcp::{Config, DelayedAck, Pacing, Profile, Receiver, Recovery, Retries, Sender};
use farpath_units::{Duration, Time};
use farpath_wire::tcp::Control;

use super::{Errno, Packet};
use crate::settings::{Manners, Settings};

/// RFC 9293 §3.3.2. LISTEN is a socket's state, not a connection's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the RFC's")]
pub enum State {
    SynSent,
    SynReceived,
    Established,
    FinWait1,
    FinWait2,
    CloseWait,
    Closing,
    LastAck,
    TimeWait,
    Closed,
}

/// TIME-WAIT lasts this long (Linux; RFC 9293 §3.4.2 has twice four minutes).
pub(super) const TIME_WAIT: Duration = Duration::from_secs(60);
/// Bytes a timestamp option takes of each segment (RFC 7323 §3.2, padded).
const TIMESTAMP_BYTES: u16 = 12;
/// The largest burst that a Linux host hands to its card at once.
const LARGEST_BURST: u64 = 65_536;
/// MSS where the other side names none (RFC 9293 §3.7.1).
const DEFAULT_MSS: u16 = 536;

/// What both sides agreed on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Agreed {
    /// The other side's MSS option.
    pub(super) mss: u16,
    pub(super) timestamps: bool,
    pub(super) sack: bool,
    /// Shift of windows that arrive.
    pub(super) scale_in: u8,
    /// Shift of windows that leave.
    pub(super) scale_out: u8,
    pub(super) scaled: bool,
    /// RFC 3168.
    pub(super) ecn: bool,
}

/// One connection.
#[derive(Debug)]
pub struct Connection {
    pub(super) settings: Settings,
    pub(super) state: State,
    pub(super) agreed: Agreed,
    pub(super) sender: Sender,
    pub(super) receiver: Receiver,
    /// Initial sequence numbers: ours and theirs.
    pub(super) iss: u32,
    pub(super) irs: u32,
    pub(super) passive: bool,
    /// A SYN-ACK arrived, and is to be acknowledged.
    pub(super) answers: bool,
    /// SYNs sent, to play them again when the options are known.
    pub(super) syns: u32,
    pub(super) opened: Time,
    /// Bytes the sender was given, its FIN not counted.
    pub(super) written: u64,
    /// Bytes written and held back: Nagle, a cork, or the handshake.
    pub(super) held: u64,
    /// TCP_CORK.
    pub(super) corked: bool,
    /// MSG_MORE on the last write.
    pub(super) more: bool,
    /// When a cork gives way: what it holds back waits for an RTO at most.
    pub(super) cork_until: Time,
    /// Until this offset the last short segment reaches.
    pub(super) short_to: u64,
    pub(super) no_delay: bool,
    /// Where segments in flight begin and end.
    pub(super) cuts: BTreeSet<u64>,
    /// Ends of writes, which get a PSH.
    pub(super) pushes: Vec<u64>,
    /// A FIN is to follow what is written.
    pub(super) closing: bool,
    /// The offset of the FIN we sent or queued: one phantom byte of the stream.
    pub(super) fin_at: Option<u64>,
    /// The offset of their FIN.
    pub(super) peer_fin: Option<u64>,
    pub(super) peer_fin_seen: bool,
    /// Payload bytes the application took.
    pub(super) read: u64,
    /// No socket refers to it any more.
    pub(super) orphan: bool,
    pub(super) error: Option<Errno>,
    pub(super) space: u64,
    /// Right edge of the window offered, as an offset.
    pub(super) offered: u64,
    /// TS.Recent (RFC 7323 §4.3), and Last.ACK.sent.
    pub(super) ts_recent: u32,
    pub(super) last_ack_sent: u32,
    /// Timestamp of the first retransmission not acknowledged yet.
    pub(super) resent_ts: Option<u32>,
    pub(super) ack_now: bool,
    pub(super) time_wait: Time,
    /// Segments ready to go that neither half makes: RSTs, challenge ACKs.
    pub(super) extra: Vec<Packet>,
    pub(super) ece: bool,
    pub(super) last_data: Option<Time>,
    pub(super) accepted: bool,
    /// The window that arrived last, in bytes.
    pub(super) peer_window: u64,
    /// The largest that ever arrived: RFC 5961's MAX.SND.WND.
    pub(super) largest_window: u64,
    /// Time with unacknowledged data, up to the beginning of the one under way.
    pub(super) busy: Duration,
    pub(super) busy_from: Option<Time>,
}

impl Connection {
    pub(super) fn new(now: Time, settings: &Settings, iss: u32, state: State) -> Connection {
        let agreed = Agreed {
            mss: settings.mss(),
            timestamps: settings.timestamps,
            sack: settings.sack,
            ..Agreed::default()
        };
        let passive = state == State::SynReceived;
        let config = config(settings, &agreed, passive);
        Connection {
            settings: settings.clone(),
            state,
            agreed,
            sender: Sender::new(&config),
            receiver: Receiver::new(&config),
            iss,
            irs: 0,
            passive,
            answers: false,
            syns: 0,
            opened: now,
            written: 0,
            held: 0,
            corked: false,
            more: false,
            cork_until: Time::MAX,
            short_to: 0,
            no_delay: false,
            cuts: BTreeSet::new(),
            pushes: Vec::new(),
            closing: false,
            fin_at: None,
            peer_fin: None,
            peer_fin_seen: false,
            read: 0,
            orphan: false,
            error: None,
            space: u64::from(settings.receive_space),
            offered: 0,
            ts_recent: 0,
            last_ack_sent: 0,
            resent_ts: None,
            ack_now: false,
            time_wait: Time::MAX,
            extra: Vec::new(),
            ece: false,
            last_data: None,
            accepted: false,
            peer_window: 0,
            largest_window: 0,
            busy: Duration::ZERO,
            busy_from: None,
        }
    }

    /// Where the connection stands.
    pub fn state(&self) -> State {
        self.state
    }

    /// Our initial sequence number.
    pub fn iss(&self) -> u32 {
        self.iss
    }

    /// When something is due without a segment arriving.
    pub fn deadline(&self) -> Time {
        if self.state == State::Closed {
            return Time::MAX;
        }
        self.sender
            .deadline()
            .min(self.receiver.deadline())
            .min(self.time_wait)
            .min(self.cork_until)
    }

    /// What is due by `now` is done.
    pub(super) fn on_deadline(&mut self, now: Time) {
        if self.time_wait <= now {
            self.time_wait = Time::MAX;
            self.state = State::Closed;
            return;
        }
        if self.cork_until <= now {
            self.cork_until = Time::MAX;
            self.mark_push();
            self.release_all(now);
        }
        if self.sender.deadline() <= now {
            let handshake = matches!(self.state, State::SynSent | State::SynReceived);
            if handshake && self.syns > self.syns_again() {
                self.fail("ETIMEDOUT");
                return;
            }
            self.sender.on_deadline(now);
        }
        self.receiver.on_deadline(now);
    }

    /// How often a SYN, or a SYN-ACK, is sent again before the connection is given up.
    fn syns_again(&self) -> u32 {
        let settings = &self.settings;
        match (settings.manners, self.passive, self.state) {
            (Manners::Linux, true, _) => settings.syn_ack_retries,
            (Manners::Linux, false, State::SynSent) => settings.syn_retries + settings.syn_linear,
            _ => settings.syn_retries,
        }
    }

    /// Payload bytes of a full segment.
    pub(super) fn segment(&self) -> u64 {
        u64::from(payload(&self.settings, &self.agreed))
    }

    /// Payload bytes received in order; their FIN is not one.
    pub(super) fn received(&self) -> u64 {
        let delivered = self.receiver.delivered();
        match self.peer_fin {
            Some(fin) if delivered > fin => fin,
            _ => delivered,
        }
    }

    /// Payload bytes the application may read.
    pub(super) fn unread(&self) -> u64 {
        self.received() - self.read
    }

    /// Whether everything they sent, FIN included, has arrived.
    pub(super) fn peer_done(&self) -> bool {
        self.peer_fin
            .is_some_and(|fin| self.receiver.delivered() > fin)
    }

    /// Whether our FIN is acknowledged.
    pub(super) fn fin_acknowledged(&self) -> bool {
        self.fin_at.is_some_and(|fin| self.sender.una() > fin)
    }

    /// Whether data may go both ways, or did.
    pub(super) fn is_synchronised(&self) -> bool {
        !matches!(
            self.state,
            State::SynSent | State::SynReceived | State::Closed
        )
    }

    /// The connection is over, for this reason.
    pub(super) fn fail(&mut self, error: Errno) {
        self.state = State::Closed;
        self.error = Some(error);
        self.extra.retain(|p| p.has(Control::RST));
    }

    /// The application writes; `more` says that it goes on at once (a cork).
    pub(super) fn write(&mut self, now: Time, bytes: u64, more: bool) {
        self.held += bytes;
        self.more = more;
        if !more && !self.corked {
            self.pushes.push(self.written + self.held);
        }
        self.release(now);
    }

    /// What was held back by a cork ends a write.
    pub(super) fn mark_push(&mut self) {
        if self.held > 0 {
            self.pushes.push(self.written + self.held);
        }
    }

    /// Hands the sender everything, whatever holds it back: TCP_NODELAY says so.
    pub(super) fn release_all(&mut self, now: Time) {
        let (corked, more) = (self.corked, self.more);
        (self.corked, self.more) = (false, false);
        self.release(now);
        (self.corked, self.more) = (corked, more);
    }

    /// Hands the sender what neither Nagle's rule nor a cork holds back.
    pub(super) fn release(&mut self, now: Time) {
        if self.held == 0 || !self.is_synchronised() {
            return;
        }
        let pending = self.written - self.sender.nxt().min(self.written);
        let tail = (pending + self.held) % self.segment();
        // RFC 9293 §3.7.4, with Minshall's change: a short segment waits for a short one only.
        let small = !self.no_delay && self.short_to > self.sender.una();
        let waits = !self.closing && (self.corked || self.more || small);
        let give = if waits {
            self.held - tail.min(self.held)
        } else {
            self.held
        };
        self.cork_until = if give == self.held || !(self.corked || self.more) {
            Time::MAX
        } else if self.cork_until == Time::MAX {
            now + self.sender.rto()
        } else {
            self.cork_until
        };
        if give > 0 {
            self.held -= give;
            self.written += give;
            self.sender.write(now, give);
        }
        self.queue_fin(now);
    }

    /// The FIN goes behind the last byte written.
    fn queue_fin(&mut self, now: Time) {
        if self.closing && self.held == 0 && self.fin_at.is_none() && self.is_synchronised() {
            self.fin_at = Some(self.written);
            self.sender.write(now, 1);
        }
    }

    /// The application writes no more (RFC 9293 §3.10.4).
    pub(super) fn close_writing(&mut self, now: Time) {
        if self.closing || self.state == State::Closed {
            return;
        }
        self.closing = true;
        self.corked = false;
        self.more = false;
        match self.state {
            State::SynSent => self.state = State::Closed,
            State::Established => self.state = State::FinWait1,
            State::CloseWait => self.state = State::LastAck,
            _ => {}
        }
        self.release(now);
        self.queue_fin(now);
    }

    /// The socket is closed: in order, or by a RST where data would be lost (RFC 2525 §2.17).
    pub(super) fn close(&mut self, now: Time, abort: bool) {
        self.orphan = true;
        if self.is_synchronised() && self.state != State::TimeWait && (abort || self.unread() > 0) {
            let rst = self.reset(now);
            self.extra.push(rst);
            self.state = State::Closed;
            return;
        }
        self.close_writing(now);
    }

    /// The application reads up to `bytes`; `peek` leaves them.
    pub(super) fn take(&mut self, bytes: u64, peek: bool) -> u64 {
        let taken = bytes.min(self.unread());
        if !peek {
            self.read += taken;
            self.open_window();
        }
        taken
    }

    /// A window that was closed, or nearly, and opens again is announced (RFC 9293 §3.8.6.2.2).
    fn open_window(&mut self) {
        let delivered = self.receiver.delivered();
        if !self.is_synchronised() || self.peer_done() {
            return;
        }
        let left = self.offered.saturating_sub(delivered);
        let free = self.space.saturating_sub(self.unread());
        let worth = (2 * self.segment()).min(self.space / 2);
        if left < self.segment() && free >= left + worth {
            self.ack_now = true;
        }
    }

    /// Receive window for the next segment in bytes; what was offered is never taken back.
    pub(super) fn window(&mut self) -> u64 {
        let delivered = self.receiver.delivered();
        let free = self.space.saturating_sub(self.unread());
        let edge = match self.settings.manners {
            Manners::Linux => self.offered.max(delivered + free),
            Manners::FreeBsd => (delivered + free).max(self.offered.min(delivered + self.space)),
        };
        self.offered = edge;
        edge.saturating_sub(delivered)
    }
}

/// Payload bytes of a full segment: the smaller MSS less the options every segment carries.
fn payload(settings: &Settings, agreed: &Agreed) -> u16 {
    let mss = agreed
        .mss
        .min(settings.room())
        .min(settings.user_mss.unwrap_or(u16::MAX));
    let options = if agreed.timestamps {
        TIMESTAMP_BYTES
    } else {
        0
    };
    mss.saturating_sub(options).max(1)
}

/// The MSS of a SYN without the option.
pub(super) fn default_mss() -> u16 {
    DEFAULT_MSS
}

/// What both halves are made with; `passive`: their SYN came first, and what is sent again is a SYN-ACK.
pub(super) fn config(settings: &Settings, agreed: &Agreed, passive: bool) -> Config {
    let asked = settings.paces || settings.pacing_rate.is_some();
    let pacing = asked.then(|| Pacing {
        most: settings.pacing_rate,
        ..Pacing::default()
    });
    // A sender that does not pace has no super-frames here: how it cuts them is not compared.
    let paces = asked || settings.algorithm.paces_by_model();
    // What a scenario's hosts have where nothing is said.
    let host = match settings.manners {
        Manners::Linux => Config {
            compressed_sacks: settings.compressed_sacks,
            ..Profile::Linux6.config(settings.algorithm)
        },
        Manners::FreeBsd => Config {
            algorithm: settings.algorithm,
            quick_acks: 0,
            ..Config::default()
        },
    };
    Config {
        mss: u32::from(payload(settings, agreed)),
        initial_window: settings.initial_window,
        sack: agreed.sack,
        timestamps: agreed.timestamps,
        delayed_ack: DelayedAck {
            every: 2,
            timeout: settings.delayed_ack,
        },
        amount: Some(0),
        rto_min: settings.rto_min,
        idle_restart: settings.slow_start_after_idle,
        pacing,
        tso: match settings.manners == Manners::Linux && paces && settings.longer_bursts {
            true => LARGEST_BURST,
            false => 0,
        },
        recovery: recovery(settings, agreed),
        retries: retries(settings, passive),
        ..host
    }
}

/// The timeouts of 1 s before those that double are a SYN's alone: a SYN-ACK's timeout doubles from the first on (Linux 6.18,
/// `reqsk_timer_handler`; RFC 6298 §5.5).
fn retries(settings: &Settings, passive: bool) -> Retries {
    let (syn, syn_linear) = match passive {
        true => (settings.syn_ack_retries.max(settings.syn_retries), 0),
        false => (settings.syn_retries, settings.syn_linear),
    };
    Retries {
        syn,
        syn_linear,
        ..Retries::default()
    }
}

fn recovery(settings: &Settings, agreed: &Agreed) -> Recovery {
    let linux = settings.manners == Manners::Linux;
    Recovery {
        // One switch for both: a script that turns the probe off gets losses by count too.
        rack: linux && settings.rack && settings.tail_probe,
        frto: linux && settings.frto,
        dsack: settings.dsack,
        ecn: agreed.ecn,
        ..Profile::Linux6.recovery()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use farpath_tcp::Algorithm;

    /// A scenario's hosts are made of the same: `crates/scenario/tests/whole/defaults.rs`.
    #[test]
    fn what_is_played_is_a_host_of_today() {
        let settings = Settings::default();
        let agreed = Agreed {
            mss: 1460,
            timestamps: true,
            sack: true,
            ..Agreed::default()
        };
        let host = Config {
            amount: Some(0),
            ..Profile::Linux6.config(Algorithm::Cubic)
        };
        assert_eq!(config(&settings, &agreed, false), host);
    }
}
