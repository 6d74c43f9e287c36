//! Captures of a lab: what each host sent and was given, as its own `tcpdump` would have it, and what a link carried.
//!
//! The data plane only copies the head of a packet and goes on; a thread of its own writes. What it cannot keep up with is
//! counted in the file.

use std::io::{self, IoSlice, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Instant, SystemTime};

use farpath_wire::packet::LinkType;
use farpath_wire::pcapng::{Interface, Writer};

use crate::sys::HEADER;

/// Bytes kept of each packet: every header, and nothing to speak of beyond.
pub const SNAP: usize = 128;

/// Packets that may wait for the thread that writes.
const WAITING: usize = 1 << 16;

/// Where the bytes of a capture go.
pub type Sink = Box<dyn Write + Send>;

/// One packet's head.
struct Seen {
    interface: u32,
    /// Nanoseconds since 1970 (UTC) at a host, since the clock's zero on a link.
    at_ns: u64,
    head: Vec<u8>,
    /// Length of the whole frame in bytes.
    length: u32,
}

/// When a capture began, by the clock on the wall and by the one that nobody sets: times go by the second.
#[derive(Clone, Copy, Debug)]
struct Began {
    utc_ns: u64,
    at: Instant,
}

impl Began {
    fn now() -> Began {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        Began {
            utc_ns: since.map_or(0, |d| d.as_nanos() as u64),
            at: Instant::now(),
        }
    }

    /// Nanoseconds since 1970 (UTC).
    fn now_ns(&self) -> u64 {
        self.utc_ns + self.at.elapsed().as_nanos() as u64
    }
}

/// What an interface puts into a capture.
#[derive(Debug)]
pub(crate) struct Watch {
    interface: u32,
    began: Began,
    to: SyncSender<Seen>,
    dropped: Arc<AtomicU64>,
}

impl Watch {
    /// A packet passes, given in parts, offload header first.
    pub(crate) fn see(&self, parts: &[IoSlice<'_>]) {
        let whole: usize = parts.iter().map(|p| p.len()).sum();
        let bytes = parts.iter().flat_map(|part| part.iter().copied());
        let head = bytes.skip(HEADER).take(SNAP).collect();
        let length = whole.saturating_sub(HEADER) as u32;
        self.saw(self.began.now_ns(), head, length);
    }

    /// A packet passed at a time of its own: its first bytes, and its length.
    pub(crate) fn saw(&self, at_ns: u64, head: Vec<u8>, length: u32) {
        let seen = Seen {
            interface: self.interface,
            at_ns,
            head,
            length,
        };
        if self.to.try_send(seen).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// The capture of one host or link, being written.
#[derive(Debug)]
pub struct Capture {
    dropped: Arc<AtomicU64>,
    thread: JoinHandle<io::Result<()>>,
}

impl Capture {
    /// Begins a capture whose interfaces have these names; what each puts into it.
    ///
    /// # Errors
    /// Those of the sink.
    pub(crate) fn begin(interfaces: &[String], sink: Sink) -> io::Result<(Capture, Vec<Watch>)> {
        let mut writer = Writer::new(io::BufWriter::new(sink))?;
        let numbers = interfaces
            .iter()
            .map(|name| writer.interface(name, LinkType::Ethernet))
            .collect::<io::Result<Vec<_>>>()?;
        let (to, from) = sync_channel(WAITING);
        let dropped = Arc::new(AtomicU64::new(0));
        let began = Began::now();
        let watches = (0..interfaces.len() as u32)
            .map(|interface| Watch {
                interface,
                began,
                to: to.clone(),
                dropped: Arc::clone(&dropped),
            })
            .collect();
        let lost = Arc::clone(&dropped);
        let thread = std::thread::spawn(move || write(writer, &numbers, &from, &lost));
        Ok((Capture { dropped, thread }, watches))
    }

    /// Waits until everything is written; the interfaces are gone by then. How many packets are missing.
    ///
    /// # Errors
    /// The file is not complete.
    pub fn finish(self) -> io::Result<u64> {
        let written = self
            .thread
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        written.map(|()| self.dropped.load(Ordering::Relaxed))
    }
}

/// Writes until every interface is gone.
fn write<W: Write>(
    mut writer: Writer<W>,
    interfaces: &[Interface],
    from: &Receiver<Seen>,
    dropped: &AtomicU64,
) -> io::Result<()> {
    let mut last_ns = 0;
    for seen in from {
        last_ns = seen.at_ns;
        let interface = interfaces[seen.interface as usize];
        writer.packet_at_ns(interface, seen.at_ns, &seen.head, seen.length)?;
    }
    let lost = dropped.load(Ordering::Relaxed);
    if let Some(first) = interfaces.first().filter(|_| lost > 0) {
        writer.dropped(*first, last_ns, lost)?;
    }
    writer.finish().map(drop)
}
