//! What a receiving program has not read: of one reading of its socket much, of several what stands in each of them.

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::fact::{Fact, Figure, Of};
use crate::items::{Item, step};
use crate::read::Facts;

/// What stood in a receiver's socket.
#[derive(Clone, Debug)]
pub(crate) struct Unread {
    /// The middle one of its readings, the larger of two, bytes.
    usual: Figure,
    /// What stood there in nearly every reading, bytes.
    stands: f64,
    /// How often it was read.
    readings: usize,
    /// What the socket's buffer may take, bytes.
    buffer: Option<f64>,
}

/// One of so many readings may find a socket empty whose program does not keep up: it was read that moment.
const EMPTY: usize = 5;

/// What stands in every reading is that of a program that does not read from these parts of what is in flight on. A choice: a program
/// that keeps up empties its socket within a few hundred microseconds, and a reading rarely comes between.
const STANDS: [f64; 2] = [0.1, 0.2];

/// Bytes in flight of a path so short that a socket always has some.
const FLIGHT_LEAST: f64 = 16_384.0;

/// From this part of its time on a sender waits for the window now and then.
const WAITS: f64 = 0.05;

/// What stands in every one of so many readings says without any rate that its program does not read. It has to be this part of what
/// the socket's buffer takes, or so many bytes where that is not printed. A choice: a program that reads leaves far less.
const ALONE: usize = 3;
const OF_BUFFER: f64 = 0.25;
const BYTES_ALONE: f64 = 262_144.0;

impl Unread {
    /// Of the receiver's sockets that in which most stood.
    pub(crate) fn of(facts: &Facts, sockets: &[u32]) -> Option<Unread> {
        let each = sockets.iter().filter_map(|s| Unread::of_socket(facts, *s));
        each.max_by(|a, b| a.usual.value.total_cmp(&b.usual.value))
    }

    fn of_socket(facts: &Facts, socket: u32) -> Option<Unread> {
        let of = |f: &&Fact| f.of == Of::Socket(socket) && f.name == "receive_queue_bytes";
        let mut all: Vec<&Figure> = facts
            .facts
            .iter()
            .filter(of)
            .filter_map(Fact::number)
            .collect();
        all.sort_by(|a, b| a.value.total_cmp(&b.value));
        Some(Unread {
            usual: (*all.get(all.len() / 2)?).clone(),
            stands: all[all.len() / EMPTY].value,
            readings: all.len(),
            buffer: facts
                .latest(Of::Socket(socket), "receive_memory_bytes")
                .and_then(Fact::number)
                .map(|b| b.value),
        })
    }

    /// Whether so much stands in every reading that no rate is needed to see that the program does not read.
    pub(crate) fn speaks_alone(&self) -> bool {
        let part = self.buffer.map_or(BYTES_ALONE, |b| OF_BUFFER * b);
        self.readings >= ALONE && self.stands >= libm::fmax(part, FLIGHT_LEAST)
    }

    /// How surely it stands in every reading while the sender waits for the window that is left beside it, 0 to 1.
    fn stays(&self, e: &Evidence, flight: f64) -> f64 {
        if e.stands_unread() {
            return 1.0;
        }
        let share = e.rwnd_share.as_ref().map_or(0.0, |s| s.value);
        let often = match self.readings {
            0 | 1 => 0.0,
            2 => 0.5,
            _ => 1.0,
        };
        match e.waits_for_window() || share > WAITS {
            true => often * step(self.stands / flight, STANDS[0], STANDS[1]),
            false => 0.0,
        }
    }
}

impl Evidence {
    /// Whether the receiver's program is seen not to read, where nothing says how fast it all was.
    pub(crate) fn stands_unread(&self) -> bool {
        let unread = self.counted_else.unread();
        self.rate.is_none() && !self.udp && unread.is_some_and(Unread::speaks_alone)
    }

    /// Whether a cause is that program, or what keeps it from reading: neither needs a rate then.
    pub(crate) fn is_unread(&self, cause: Cause) -> bool {
        let keeps = match cause {
            Cause::Client => true,
            Cause::HostCpu => self.reads_slowly() > 0.5,
            Cause::Disk => self.disk_receives(),
            _ => false,
        };
        let zero = self.around.zero_window.is_some();
        keeps && (self.stands_unread() || self.shut.is_some() || zero)
    }
}

/// What stood in the receiver's socket speaks for its program, and a window that is small beside it is what that leaves.
pub(crate) fn by_unread(e: &Evidence, unread: &Unread, items: &mut Vec<Item>) {
    let flight = e.implied_flight().map_or(FLIGHT_LEAST, |f| f.value);
    let flight = libm::fmax(flight, FLIGHT_LEAST);
    // A program that reads leaves what came in the last moment; one that does not leaves as much as a round trip brings, or more.
    let left = unread.usual.value / flight;
    let (much, stays) = (step(left, 0.5, 1.0), unread.stays(e, flight));
    items.push(Item {
        holds: much.max(stays),
        weights: crate::hosts::counted::reader(e, 26.0),
        sentence: match stays > 0.5 {
            true => format!(
                "{:.0} bytes and more stood in the receiver's socket whenever it was read, {} times: its program does not read as fast as they come, and the window is what they leave of its buffer",
                unread.stands, unread.readings
            ),
            false => format!(
                "{:.0} bytes stood in the receiver's socket, and its program had not read them",
                unread.usual.value
            ),
        },
    });
    items.push(Item {
        holds: stays,
        weights: vec![(Cause::ReceiveWindow, -24.0)],
        sentence: String::new(),
    });
    items.push(Item {
        holds: (1.0 - step(left, 0.1, 0.5)) * (1.0 - stays),
        weights: vec![(Cause::Client, -16.0)],
        sentence: String::new(),
    });
}
