//! When nothing arrived of a connection: whoever sees each frame knows it exactly.

use std::collections::BTreeMap;

use farpath_units::{Duration, Time};

use super::packet::{Packet, Way};

/// A shorter time without a frame is nothing to keep.
const LEAST: Duration = Duration::from_ms(20);

/// So many ways are followed, and of each so many pauses are kept: what comes later is not known.
const WAYS: usize = 1 << 12;
const PAUSES: usize = 1 << 12;

/// What has arrived on one way of a connection.
#[derive(Clone, Debug)]
struct Heard {
    last: Time,
    /// The sequence number behind all payload so far.
    end: Option<u32>,
    pauses: Vec<(Time, Time)>,
}

/// All connections, each way by itself.
#[derive(Clone, Debug, Default)]
pub(super) struct Pauses(BTreeMap<Way, Heard>);

impl Pauses {
    /// A host was given so many bytes of `packet` from one on, at an instant, if it is of TCP. Payload that came before is nothing new: an
    /// end that hears nothing sends it again.
    pub(super) fn delivered(&mut self, packet: &Packet, (from, length): (u32, u32), at: Time) {
        let Some((way, seq, _)) = packet.tcp() else {
            return;
        };
        let is_room = self.0.len() < WAYS;
        let end = (length > 0).then(|| seq.wrapping_add(from).wrapping_add(length));
        match self.0.get_mut(&way) {
            Some(heard) => {
                let ahead = |(end, known): (u32, u32)| end.wrapping_sub(known) as i32 > 0;
                if !end.zip(heard.end).is_none_or(ahead) {
                    return;
                }
                heard.end = end.or(heard.end);
                if at.since(heard.last) >= LEAST && heard.pauses.len() < PAUSES {
                    heard.pauses.push((heard.last, at));
                }
                heard.last = heard.last.max(at);
            }
            None if is_room => {
                let pauses = Vec::new();
                let last = at;
                self.0.insert(way, Heard { last, end, pauses });
            }
            None => {}
        }
    }

    /// The pauses of each way in order; the last one has no end.
    pub(super) fn all(&self) -> impl Iterator<Item = (Way, Vec<(Time, Time)>)> + '_ {
        self.0.iter().map(|(way, heard)| {
            let mut pauses = heard.pauses.clone();
            pauses.push((heard.last, Time::MAX));
            (*way, pauses)
        })
    }
}
