//! What the path itself saw of connections, frame by frame.

use std::net::{IpAddr, SocketAddr};

use farpath_emu::plane::{Acks, Opening, Segments, Turns, Way};
use farpath_units::Time;

use super::unopened::address;
use super::{Connections, Watched};
use crate::lab::busiest::Busiest;
use crate::lab::lost::Lost;
use crate::lab::seen::name_of;
use crate::lab::waits::Waits;

impl Connections {
    /// Takes in when nothing was delivered from one end to the other, as the path itself saw it.
    pub(in crate::lab) fn pause(&mut self, [from, to]: Way, pauses: Vec<(Time, Time)>) {
        self.pauses.insert([to, from].map(name_of), pauses);
    }

    /// Takes in whose turn it was in a connection, as the path itself saw it.
    pub(in crate::lab) fn take_turns(&mut self, turns: &Turns) {
        let [a, b] = turns.ends.map(name_of);
        let way = [b.clone(), a.clone()];
        self.waits.insert(way, Waits::of(turns, 1));
        self.waits.insert([a, b], Waits::of(turns, 0));
    }

    /// Takes in the addresses of the command's host.
    pub(in crate::lab) fn take_command(&mut self, addresses: impl IntoIterator<Item = IpAddr>) {
        let names = addresses
            .into_iter()
            .map(|a| name_of(SocketAddr::new(a, 0)));
        let own = names.map(|name| address(&name).to_owned());
        self.command.extend(own);
    }

    /// Takes in how many acknowledgements without data one end sent to the other, and what the path dropped of them.
    pub(in crate::lab) fn take_acks(&mut self, [from, to]: Way, acks: Acks) {
        self.acks.insert([to, from].map(name_of), acks);
    }

    /// Takes in how many segments with data one end sent to the other, and what the path dropped of them.
    pub(in crate::lab) fn take_segments(&mut self, way: Way, segments: Segments) {
        self.segments.insert(way.map(name_of), segments);
    }

    /// Says what was lost on the way back of one of them, by its own end and the other, what timers cost, and how the server
    /// ended it. An outage says that itself.
    pub(super) fn repairs(&self, ends: &[String; 2], one: &Watched, told: &mut Busiest) {
        let [own, peer] = ends.clone();
        told.lost_back = self.segments.get(&[peer, own]).map(Lost::of);
        let acks = self.acks.get(ends).copied().unwrap_or_default();
        (told.acks, told.acks_lost) = (acks.sent, acks.lost);
        let Some(waits) = self.waits.get(ends) else {
            return;
        };
        told.timers_s = waits.repairs().timers.as_secs_f64();
        told.server_ended = waits.ending(one.host);
        if !self.pauses.contains_key(ends) {
            told.repaired = waits.repaired(one.time());
        }
    }

    /// Takes in how a connection began, as the path itself saw it.
    pub(in crate::lab) fn take_opening(&mut self, opening: &Opening) {
        let [a, b] = opening.ends.map(name_of);
        for ends in [[a.clone(), b.clone()], [b, a]] {
            self.tls.insert(ends, opening.tls_round_trips);
        }
    }
}
