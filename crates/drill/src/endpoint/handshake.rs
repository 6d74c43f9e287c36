//! Opening: SYNs, what they agree on, and the sender that begins with it.

use farpath_tcp::{Receiver, Sender};
use farpath_units::Time;
use farpath_wire::tcp::{Control, Options};

use super::connection::{Agreed, config, default_mss};
use super::{Connection, Packet, State};
use crate::settings::{Manners, Settings};

impl Connection {
    /// An active open: a SYN is due.
    pub(super) fn active(now: Time, settings: &Settings, iss: u32) -> Connection {
        let mut connection = Connection::new(now, settings, iss, State::SynSent);
        connection.sender.open(now);
        connection
    }

    /// A SYN arrived at a listening socket: a SYN-ACK is due.
    pub(super) fn passive(now: Time, settings: &Settings, iss: u32, syn: &Packet) -> Connection {
        let mut connection = Connection::new(now, settings, iss, State::SynReceived);
        connection.agree(syn, false);
        connection.renew(now);
        connection.learn_peer(now, syn);
        connection
    }

    /// Their SYN: sequence numbers, timestamp, window.
    pub(super) fn learn_peer(&mut self, now: Time, syn: &Packet) {
        self.irs = syn.sequence;
        self.last_ack_sent = syn.sequence.wrapping_add(1);
        if let Some((value, _)) = syn.options.timestamps {
            self.ts_recent = value;
        }
        self.receiver.on_syn(now);
        // The SYN is answered by what the connection itself sends.
        while self.receiver.poll(now).is_some() {}
    }

    /// What our SYN offered, or would have, and theirs does. In a SYN-ACK, options count only if
    /// both sides sent them.
    pub(super) fn agree(&mut self, syn: &Packet, answer: bool) {
        let settings = &self.settings;
        let theirs = &syn.options;
        let scale = settings.window_scale();
        let asks_ecn = syn.has(Control::ECE) && (answer || syn.has(Control::CWR));
        let wants_ecn = if answer {
            settings.ecn == 1
        } else {
            settings.ecn > 0
        };
        self.agreed = Agreed {
            mss: theirs.mss.unwrap_or_else(default_mss),
            timestamps: settings.timestamps && theirs.timestamps.is_some(),
            sack: settings.sack && theirs.sack_permitted,
            scaled: scale.is_some() && theirs.window_scale.is_some(),
            scale_in: match (scale, theirs.window_scale) {
                // RFC 7323 §2.3: a larger shift is taken as 14.
                (Some(_), Some(shift)) => shift.min(14),
                _ => 0,
            },
            scale_out: match (scale, theirs.window_scale) {
                (Some(ours), Some(_)) => ours,
                _ => 0,
            },
            ecn: asks_ecn && wants_ecn && syn.has(Control::SYN),
        };
    }

    /// Both halves anew with what was agreed; the SYNs sent so far are played again, so that the
    /// round trip is measured and a lost SYN remembered.
    pub(super) fn renew(&mut self, now: Time) {
        let config = config(&self.settings, &self.agreed, self.passive);
        let mut sender = Sender::new(&config);
        sender.open(self.opened);
        let mut at = self.opened;
        for _ in 0..self.syns {
            while sender.poll(at).is_some() {}
            let next = sender.deadline();
            if next > now {
                break;
            }
            at = next;
            sender.on_deadline(at);
        }
        self.sender = sender;
        self.receiver = Receiver::new(&config);
    }

    /// The other side acknowledged our SYN.
    pub(super) fn establish(&mut self, now: Time, segment: &Packet) {
        self.last_data = Some(now);
        let echo = segment.options.timestamps.map(|(_, echo)| echo);
        if echo == Some(self.clock(self.opened)) {
            self.sender.first_syn_answered();
        }
        self.sender.on_syn_ack(now);
        if let Some(rtt) = self.sender.srtt() {
            self.receiver.on_round_trip(rtt);
        }
        self.state = match (self.closing, self.peer_done()) {
            (true, _) => State::FinWait1,
            (false, true) => State::CloseWait,
            (false, false) => State::Established,
        };
        let scale = if segment.has(Control::SYN) {
            0
        } else {
            self.agreed.scale_in
        };
        let window = u64::from(segment.window) << scale;
        self.sender.on_ack(now, 0, window, false, &[]);
        self.round_space();
    }

    /// FreeBSD rounds the buffer up to whole segments once it knows their size.
    pub(super) fn round_space(&mut self) {
        let segment = self.segment();
        if self.settings.manners == Manners::FreeBsd && self.space > segment {
            self.space = self.space.div_ceil(segment) * segment;
        }
    }

    /// Our SYN or SYN-ACK.
    pub(super) fn syn(&mut self, now: Time) -> Packet {
        self.syns += 1;
        let answer = self.state == State::SynReceived;
        let offer = |agreed: bool, ours: bool| if answer { agreed } else { ours };
        let scale = self.settings.window_scale();
        let timestamps = offer(self.agreed.timestamps, self.settings.timestamps);
        let options = Options {
            mss: Some(self.settings.mss()),
            window_scale: scale.filter(|_| !answer || self.agreed.scaled),
            sack_permitted: offer(self.agreed.sack, self.settings.sack),
            timestamps: timestamps
                .then(|| (self.clock(now), if answer { self.ts_recent } else { 0 })),
            ..Options::default()
        };
        let mut control = Control::SYN;
        let mut acknowledgement = 0;
        if answer {
            control = control.with(Control::ACK);
            acknowledgement = self.irs.wrapping_add(1);
            if self.agreed.ecn {
                control = control.with(Control::ECE);
            }
        } else if self.settings.ecn == 1 {
            control = control.with(Control::ECE).with(Control::CWR);
        }
        // Linux begins with whole segments of the size it announces.
        let whole = match self.settings.receive_space_asked {
            true => u64::from(self.settings.mss()),
            false => 1,
        };
        let window = (self.space - self.space % whole).max(whole).min(65_535);
        self.offered = window;
        Packet {
            window: window as u16,
            options,
            ..Packet::bare(control, self.iss, acknowledgement)
        }
    }
}
