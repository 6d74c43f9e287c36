//! What a sender keeps to find losses by time, to probe a silent tail and to take a reduction back.

use farpath_units::Time;

use super::LossEvent;
use super::give_up::Patience;
use crate::Config;
use crate::config::Recovery;
use crate::ecn::Ecn;
use crate::frto::Frto;
use crate::rack::Rack;
use crate::ranges::Range;
use crate::scoreboard::Scoreboard;
use crate::send_log::{Acknowledged, Cursor, SendLog};
use crate::undo::Undo;

/// Which of a sender's timers its deadline is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Timer {
    /// The retransmission timer, of a SYN or of data.
    Rto,
    /// Tail loss probe (RFC 8985 §7), set for a longer time because one segment alone was in flight.
    ProbeAlone,
    /// Tail loss probe.
    Probe,
    /// RACK's reordering timer (RFC 8985 §6.3).
    Reorder,
    /// The window is closed, or smaller than a segment (RFC 9293 §3.8.6.1).
    Persist,
}

/// A tail loss probe that is not answered yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Probe {
    /// Its first byte.
    pub(super) start: u64,
    /// `nxt` when it had been sent (TLP.end_seq).
    pub(super) end: u64,
    /// When it was sent.
    pub(super) at: Time,
    /// Whether it repeated the last segment (TLP.is_retrans).
    pub(super) again: bool,
}

/// How far the log of one round has been walked.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Walk {
    /// To the highest byte delivered.
    pub(super) delivered: Cursor,
    /// To the lost edge.
    pub(super) lost: Cursor,
    /// To what was sent before the newest delivery.
    pub(super) older: Cursor,
}

/// The send times of what was sent again in one round.
#[derive(Clone, Debug, Default)]
pub(super) struct Again {
    pub(super) log: SendLog,
    pub(super) walk: Walk,
}

/// Everything about loss recovery besides the scoreboard.
#[derive(Debug)]
pub(super) struct Repair {
    /// What is on; what cannot work without SACK or timestamps is off without them.
    pub(super) rules: Recovery,
    pub(super) rack: Rack,
    pub(super) frto: Frto,
    /// Whether the ACK at hand covers data that was sent before the timeout and never again.
    pub(super) covers_original: bool,
    /// The last segment sent for the first time that was not a full one; empty before the first.
    pub(super) odd: Range,
    /// What the last tail loss probe sent again; empty before the first.
    pub(super) probed: Range,
    pub(super) undo: Undo,
    /// A cut was taken back: a cut of what was in flight then, below this byte, belongs to the same loss, which is made good at this
    /// window.
    pub(super) taken_back: Option<(u64, f64)>,
    /// The cut that made the last loss one that lasts after one of its cuts was taken back, and those that belong to it: the last
    /// loss where this cut is taken back as well.
    pub(super) reopening: Option<LossEvent>,
    /// What the last ACK said of a mistake waits for repairs in flight: until the next one nothing is marked lost or sent again.
    pub(super) held: bool,
    /// When the timer of a tail loss probe last ran out early, without news since: nothing is sent because of that.
    pub(super) early_at: Time,
    /// Segments that D-SACKs reported since the start.
    pub(super) copies: u64,
    pub(super) ecn: Ecn,
    pub(super) probe: Option<Probe>,
    pub(super) probe_due: bool,
    pub(super) window_probe_due: bool,
    pub(super) patience: Patience,
    /// When anything but new data was sent last: a retransmission, or the end of the handshake.
    pub(super) sent_at: Time,
    /// When the first SYN was sent.
    pub(super) first_syn_at: Time,
    /// SYN-ACKs that left because the other end sent its SYN again.
    pub(super) asked_again: u32,
    /// RACK's reordering timer is to run out then, as of the last detection.
    pub(super) reorder_at: Time,
    /// The originals' log is the sender's own.
    pub(super) walk: Walk,
    /// Entry n: what was lost in round n and sent again.
    pub(super) again: Vec<Again>,
}

impl Repair {
    pub(super) fn new(config: &Config) -> Repair {
        let asked = config.recovery;
        Repair {
            rules: Recovery {
                rack: asked.rack && config.sack,
                dsack: asked.dsack && config.sack,
                eifel: asked.eifel && config.timestamps,
                ..asked
            },
            rack: Rack::default(),
            frto: Frto::default(),
            covers_original: false,
            odd: Range::default(),
            probed: Range::default(),
            undo: Undo::default(),
            taken_back: None,
            reopening: None,
            held: false,
            early_at: Time::MAX,
            copies: 0,
            ecn: Ecn::new(asked.ecn),
            probe: None,
            probe_due: false,
            window_probe_due: false,
            patience: Patience::new(config.retries),
            sent_at: Time::ZERO,
            first_syn_at: Time::ZERO,
            asked_again: 0,
            reorder_at: Time::MAX,
            walk: Walk::default(),
            again: Vec::new(),
        }
    }

    /// The walks begin again from una, because the lost edges were taken back.
    pub(super) fn walk_again(&mut self) {
        self.walk.lost = Cursor::default();
        for again in &mut self.again {
            again.walk.lost = Cursor::default();
        }
    }

    /// What was lost in `round` is sent again from `seq` on; everything below una is forgotten when
    /// nothing of that round is outstanding.
    pub(super) fn log_again(&mut self, round: usize, fresh: bool, una: u64, seq: u64, now: Time) {
        while self.again.len() <= round {
            self.again.push(Again::default());
        }
        let log = &mut self.again[round].log;
        if fresh {
            log.restart(una);
        }
        log.append(seq, now);
    }

    /// `una` to `ack` is acknowledged: what the logs say of what was sent again there. Send times of
    /// the last transmission of `una`, and of the one sent last of all with its end.
    pub(super) fn acknowledge(
        &mut self,
        board: &Scoreboard,
        una: u64,
        ack: u64,
    ) -> (Option<Acknowledged>, Option<(Time, u64)>) {
        let mut head = None;
        let mut newest: Option<(Time, u64)> = None;
        for (n, again) in self.again.iter_mut().enumerate().take(board.depth()) {
            let edge = board.resent_edge(n);
            if edge <= una || again.log.is_empty() {
                break;
            }
            let sent = again.log.acknowledge(ack);
            head = Some(sent);
            let last = (sent.newest, edge.min(ack));
            newest = Some(newest.map_or(last, |n| n.max(last)));
        }
        (head, newest)
    }
}
