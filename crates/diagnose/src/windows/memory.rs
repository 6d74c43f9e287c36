//! Memory that a sender's socket has for what it sends: what its program set, and what stands at the kernel's limit; and windows that a peer
//! offers far beyond what is used.

use farpath_predict::window;

use crate::cause::Cause;
use crate::ceiling::{kernel, socket_room};
use crate::evidence::Evidence;
use crate::fact::{Figure, Of};
use crate::flows::asked_option;
use crate::flows::flow::{Flow, number};
use crate::known::System;
use crate::read::Facts;
use crate::seen::Test;
use crate::windows::room::Room;

/// What Linux lets a send buffer grow to where nobody set it, bytes: the third number of `tcp_wmem` (tcp(7)).
const USUAL_MOST: f64 = 4_194_304.0;

/// What Linux gives a receive buffer at first where nobody set it, bytes: the second number of `tcp_rmem` (tcp(7)).
const USUAL_FIRST: f64 = 131_072.0;

/// Linux gives a send buffer that it tunes room for two congestion windows (`tcp_sndbuf_expand`): one that has less than this was set, or
/// has all that the settings allow.
const TUNED: f64 = 1.5;

/// A window does not limit, nor does it say how large it may become, where so many times what is in flight was offered.
const OFFERED: f64 = 2.0;

/// Linux puts a segment of the size that its interfaces cut up into a send buffer as long as anything is free, bytes.
const WHOLE_SEGMENT: f64 = 65_536.0;

/// What the last segment may be beyond a send buffer's size: no more than is there.
pub(crate) fn beyond(bytes: f64) -> f64 {
    libm::fmin(WHOLE_SEGMENT, bytes)
}

/// A send buffer's memory, and who set it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct SendMemory {
    /// Bytes that a program set itself.
    pub(crate) set: Option<f64>,
    /// It is as large as Linux lets it grow by default, and nobody says what the setting is.
    pub(crate) at_usual_most: bool,
    /// Both buffers of the sender's socket are as large, as only a program sets them that asks for one size (`iperf3 -w`).
    pub(crate) both: bool,
    /// The window that the receiver offered was never used up, so that it is as large as tuning had made it: more is offered to who sends more.
    pub(crate) window_grows: bool,
}

/// From this part of the time on it counts that a sender waited for a full buffer, or for a window: what is less is the time in which they
/// grew.
const WAITED: f64 = 0.1;

/// Room for less than so many times what is in flight may be what holds a flow.
const MET: f64 = 1.25;

/// Of a buffer that was asked for Linux gives twice as much memory: at most so much of what was asked for becomes window, and so much
/// data that is sent (`tcp_adv_win_scale`; a segment's memory is charged).
const MOST_GIVEN: [f64; 2] = [1.5, 2.0];

/// A host's limit may leave no more than this part of what was asked for.
const LEAST_GIVEN: f64 = 0.02;

/// What a report calls the buffers that the kernel of the end which printed it gave a test that asked for some: the sender's, the receiver's.
pub(crate) const GIVEN: [&str; 2] = ["send_buffer_given_bytes", "receive_buffer_given_bytes"];

/// A buffer that a test was given: what its end's kernel says of it. Linux doubles what was asked for, and data are a part of that.
fn given(test: &Test, asked: &Figure, name: &str, what: &str) -> Option<Room> {
    let got = test.numbers.get(name)?;
    let system = (got.value > asked.value).then_some(System::Linux);
    socket_room(Some(got), Some(asked), system, what)
}

impl SendMemory {
    /// Whether what is known of a window is only how far tuning had made it grow.
    pub(crate) fn grows(self, cause: Cause) -> bool {
        cause == Cause::ReceiveWindow && self.window_grows
    }
}

impl Evidence {
    /// What sockets say of their memory, and of windows that do not limit.
    pub(crate) fn of_memory(&mut self, facts: &Facts, flow: &Flow) {
        let most = |name: &'static str| {
            let each = flow.sockets.iter();
            let each = each.filter_map(|n| number(facts, Of::Socket(*n), name));
            each.max_by(|a, b| a.value.total_cmp(&b.value)).cloned()
        };
        let (send, receive) = (most("send_memory_bytes"), most("receive_memory_bytes"));
        if let (Some(send), Some(receive)) = (&send, &receive) {
            self.memory.both = send.value == receive.value && send.value != USUAL_FIRST;
        }
        self.of_send_memory(send, facts, flow);
        let test = flow.test.as_ref();
        let of_test = test.and_then(|t| t.numbers.get("window_announced_bytes"));
        let offered = of_test.cloned().or_else(|| most("window_announced_bytes"));
        let used = self.settled_flight().map_or(f64::INFINITY, |f| f.high);
        let roomy = offered.filter(|w| w.low > OFFERED * used && self.windows.is_empty());
        let flight = self.flight.as_ref().map_or(0.0, |f| f.value);
        let beyond = roomy.as_ref().is_some_and(|w| w.low > OFFERED * flight);
        let waited = self.rwnd_share.as_ref().is_none_or(|s| s.value >= WAITED);
        self.memory.window_grows = beyond && !waited;
        self.windows.extend(roomy.map(Room::announced));
    }

    /// What a test or a copy asked for, where nothing else says how large a window and a buffer are.
    pub(crate) fn of_asked(&mut self, facts: &Facts, flow: &Flow) {
        let linux = self.systems.iter().flatten().all(|s| *s == System::Linux);
        let test = flow.test.as_ref().filter(|t| linux && !t.udp);
        let Some((test, by)) = test.and_then(|t| Some((t, asked_option::of(t.tool)?))) else {
            return;
        };
        let room = |asked: &Figure, most: f64| {
            let mut bytes = asked.clone();
            (bytes.low, bytes.high) = (LEAST_GIVEN * asked.value, most * asked.value);
            Room {
                bytes,
                memory: Some(asked.times(2.0)),
                what: by.room(),
                asked: false,
            }
        };
        let [window, buffer] = MOST_GIVEN;
        let [sends, receives] = GIVEN;
        let [sent, received] = asked_option::at_ends(facts, test);
        if let Some(asked) = received.filter(|_| self.windows.is_empty()) {
            let what = "the receiver's socket buffer, as its kernel gave it to the test (-w)";
            let given = given(test, asked, receives, what);
            self.windows
                .push(given.unwrap_or_else(|| room(asked, window)));
        }
        if let Some(asked) = sent.filter(|_| self.buffers.is_empty()) {
            let what = "the sender's socket buffer, as its kernel gave it to the test (-w)";
            let given = given(test, asked, sends, what);
            let mut room = given.unwrap_or_else(|| room(asked, buffer));
            if room.asked {
                room.bytes.high += beyond(room.bytes.high);
            }
            self.buffers.push(room);
        }
    }

    /// Leaves out what settings are said to allow, or usually do, where a test between the same hosts had more in flight and asked for no
    /// buffer of its own: it was under the same settings. What may hold the flow itself stays.
    pub(crate) fn refute_rooms(&mut self) {
        let tested = self.counted_else.tested.as_ref();
        let Some((tested, rtt)) = tested.zip(self.rtt_by_itself()) else {
            return;
        };
        let flight = tested.low * rtt.low / 8.0 / self.streams;
        let own = self.settled_flight().map_or(0.0, |f| MET * f.value);
        let may_hold =
            |room: &Room| room.asked || room.bytes.high >= flight || room.bytes.value < own;
        self.buffers.retain(may_hold);
        self.windows.retain(may_hold);
        self.memory.at_usual_most &= !self.buffers.is_empty();
    }

    /// A buffer that has less than the kernel's tuning gives: a ceiling, whoever set it, where something shows that it filled or was set.
    fn of_send_memory(&mut self, send: Option<Figure>, facts: &Facts, flow: &Flow) {
        let cwnd = self.cwnd.as_ref().map_or(0.0, |c| c.value) / self.streams;
        let Some(send) = send.filter(|s| s.value < TUNED * cwnd) else {
            return;
        };
        let hosts = || flow.senders.iter().map(|n| Of::Host(*n));
        let most = hosts().find_map(|of| number(facts, of, "wmem_max_bytes"));
        // One that never filled did not have to grow: it is as large as tuning had made it.
        let filled = self.sndbuf_share.as_ref().map(|s| s.value >= WAITED);
        let what = match most {
            Some(most)
                if send.value > most.value
                    || send.value < most.value && (filled == Some(true) || self.memory.both) =>
            {
                self.memory.set = Some(send.value);
                // What the settings allow is not what holds such a socket.
                self.buffers.retain(|b| b.asked);
                "the sender's socket buffer, which its program set"
            }
            Some(_) => return,
            None if send.value == USUAL_MOST => {
                self.memory.at_usual_most = true;
                "the sender's socket buffer, at the most that Linux gives by default"
            }
            None if filled == Some(false) && !self.memory.both => return,
            None => "the sender's socket buffer",
        };
        if self.buffers.iter().any(|b| b.asked) {
            return;
        }
        self.buffers.clear();
        let of = window::sent_part(hosts().find_map(|of| kernel(facts, of)));
        let mut bytes = send.times(of.usual);
        bytes.low = send.low * of.least;
        bytes.high = send.high * of.most + beyond(send.high);
        self.buffers.push(Room {
            bytes,
            memory: Some(send),
            what: what.to_owned(),
            asked: self.memory.set.is_some(),
        });
    }
}
