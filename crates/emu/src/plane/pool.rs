//! The bytes of frames that are under way, and who still needs them.
//!
//! What a host sends is read straight into a chunk of memory and written straight from it. A *slot* is
//! one such packet: a frame, or a super-frame of many segments that the kernel handed over in one piece.
//! A slot lives until the last of its segments has been delivered or dropped; a chunk is used again when
//! its last slot is gone.

use std::io;

use memmap2::{Advice, MmapMut};

use super::packet::{Packet, SEGMENT_BITS, SEGMENTS};

/// Bytes of a chunk.
pub const CHUNK: usize = 1 << 20;

/// Bytes of a page of memory.
const PAGE: usize = 4096;

/// The largest packet: an offload header, an Ethernet header, a datagram of 65 535 bytes and some room.
pub const LARGEST: usize = 66 * 1024;

/// A packet, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct SlotId(u32);

/// What a frame's `side` holds: a slot and one of its segments. Never 0, which is "nothing".
pub(super) fn handle(slot: SlotId, segment: usize) -> u32 {
    (slot.0 + 1) << SEGMENT_BITS | segment as u32
}

/// The slot and the segment of a handle.
pub(super) fn unpack(handle: u32) -> (SlotId, usize) {
    let slot = (handle >> SEGMENT_BITS).saturating_sub(1);
    (SlotId(slot), (handle & (SEGMENTS as u32 - 1)) as usize)
}

struct Slot {
    chunk: u32,
    start: u32,
    len: u32,
    /// Segments on their way.
    live: u32,
    packet: Packet,
}

/// Memory for packets.
pub(super) struct Pool {
    /// Chunk after chunk.
    memory: MmapMut,
    /// Slots in each chunk.
    live: Vec<u32>,
    free: Vec<u32>,
    current: Option<u32>,
    /// Bytes of the current chunk that are taken.
    taken: usize,
    slots: Vec<Slot>,
    free_slots: Vec<u32>,
    least_free: usize,
}

impl Pool {
    /// A pool of at least `bytes`, of which the pages that hold the first `soon` bytes have been touched: the first touch of a page costs
    /// far more than what is done with it later. The others are touched when they are needed, which is later than `soon` is full.
    ///
    /// # Errors
    /// The system has no such amount of addresses.
    pub(super) fn new(bytes: u64, soon: u64) -> io::Result<Pool> {
        let count = (bytes.div_ceil(CHUNK as u64) as usize).max(4);
        let mut memory = MmapMut::map_anon(count * CHUNK)?;
        // What is under way for long is cold when it is written: with large pages half of the cost of finding
        // it falls away. A system without them goes without.
        _ = memory.advise(Advice::HugePage);
        let pages = soon.div_ceil(PAGE as u64) as usize;
        for page in memory.chunks_mut(PAGE).take(pages) {
            page[0] = 1;
        }
        Ok(Pool {
            memory,
            live: vec![0; count],
            free: (0..count as u32).rev().collect(),
            current: None,
            taken: 0,
            slots: Vec::new(),
            free_slots: Vec::new(),
            least_free: count,
        })
    }

    /// Room for a packet of [`LARGEST`] bytes, or nothing while every chunk is in use.
    pub(super) fn room(&mut self) -> Option<&mut [u8]> {
        let chunk = match self.current {
            Some(chunk) if self.taken + LARGEST <= CHUNK => chunk,
            _ => self.turn()?,
        };
        let start = chunk as usize * CHUNK;
        Some(&mut self.memory[start + self.taken..start + CHUNK])
    }

    fn turn(&mut self) -> Option<u32> {
        if let Some(full) = self.current
            && self.live[full as usize] == 0
        {
            self.taken = 0;
            return Some(full);
        }
        let next = self.free.pop()?;
        self.least_free = self.least_free.min(self.free.len());
        self.current = Some(next);
        self.taken = 0;
        Some(next)
    }

    /// Keeps the first `len` bytes of [`Pool::room`] for `packet`, whose segments are all on their way.
    pub(super) fn keep(&mut self, len: usize, packet: Packet) -> SlotId {
        let chunk = self.current.unwrap_or_default();
        let slot = Slot {
            chunk,
            start: self.taken as u32,
            len: len as u32,
            live: packet.segments() as u32,
            packet,
        };
        self.taken += len.next_multiple_of(64);
        self.live[chunk as usize] += 1;
        match self.free_slots.pop() {
            Some(n) => {
                self.slots[n as usize] = slot;
                SlotId(n)
            }
            None => {
                self.slots.push(slot);
                SlotId(self.slots.len() as u32 - 1)
            }
        }
    }

    /// The bytes of a packet.
    pub(super) fn bytes(&self, id: SlotId) -> &[u8] {
        let slot = &self.slots[id.0 as usize];
        let start = slot.chunk as usize * CHUNK + slot.start as usize;
        &self.memory[start..start + slot.len as usize]
    }

    /// What a packet is.
    pub(super) fn packet(&self, id: SlotId) -> &Packet {
        &self.slots[id.0 as usize].packet
    }

    /// One more copy of a segment is on its way.
    pub(super) fn copied(&mut self, handle: u32) {
        let (id, _) = unpack(handle);
        self.slots[id.0 as usize].live += 1;
    }

    /// `count` segments of a packet have arrived somewhere or are lost.
    pub(super) fn release(&mut self, id: SlotId, count: u32) {
        let slot = &mut self.slots[id.0 as usize];
        slot.live -= count;
        if slot.live > 0 {
            return;
        }
        let chunk = slot.chunk as usize;
        self.free_slots.push(id.0);
        self.live[chunk] -= 1;
        if self.live[chunk] > 0 {
            return;
        }
        // Memory just used is in the processor's cache: the current chunk begins again at once.
        match self.current == Some(chunk as u32) {
            true => self.taken = 0,
            false => self.free.push(chunk as u32),
        }
    }

    /// Each packet that is under way, and how many of its segments are: copies count.
    pub(super) fn under_way(&self) -> impl Iterator<Item = (SlotId, &Packet, u32)> {
        let all = (0..).map(SlotId).zip(&self.slots);
        let live = all.filter(|(_, slot)| slot.live > 0);
        live.map(|(id, slot)| (id, &slot.packet, slot.live))
    }

    /// Packets under way.
    pub(super) fn packets(&self) -> usize {
        self.slots.len() - self.free_slots.len()
    }

    /// Bytes of all chunks.
    pub(super) fn size(&self) -> u64 {
        self.memory.len() as u64
    }

    /// Bytes of the chunks that were in use at once, at most.
    pub(super) fn most_used(&self) -> u64 {
        ((self.live.len() - self.least_free) * CHUNK) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_is_never_nothing_and_comes_apart_again() {
        for (slot, segment) in [(0, 0), (0, 43), (7, 1023), (4_000_000, 5)] {
            let handle = handle(SlotId(slot), segment);
            assert_ne!(handle, 0);
            assert_eq!(unpack(handle), (SlotId(slot), segment));
        }
    }

    #[test]
    fn chunks_go_round_and_a_held_packet_blocks_only_its_own() {
        let mut pool = Pool::new(4 << 20, 4 << 20).expect("a little memory");
        let held = {
            assert!(pool.room().is_some());
            pool.keep(60_000, Packet::plain(60_000))
        };
        for n in 0..10_000 {
            let room = pool.room().expect("all others are free");
            room[0] = n as u8;
            let id = pool.keep(60_000, Packet::plain(60_000));
            assert_eq!(pool.bytes(id)[0], n as u8);
            pool.release(id, 1);
        }
        assert_eq!(pool.packets(), 1);
        assert_eq!(pool.under_way().map(|(_, _, live)| live).sum::<u32>(), 1);
        assert!(pool.most_used() <= 3 << 20);
        pool.release(held, 1);
        assert_eq!(pool.packets(), 0);
        assert_eq!(pool.under_way().count(), 0);
    }

    #[test]
    fn a_full_pool_says_so_and_recovers() {
        // Of which nothing has been touched.
        let mut pool = Pool::new(4 << 20, 0).expect("a little memory");
        let mut kept = Vec::new();
        while pool.room().is_some() {
            kept.push(pool.keep(65_000, Packet::plain(65_000)));
        }
        assert!((50..=64).contains(&kept.len()));
        for id in kept {
            pool.release(id, 1);
        }
        assert!(pool.room().is_some());
    }
}
