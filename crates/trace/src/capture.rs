//! Capture files: pcap and pcapng, packet by packet, in place.

mod pcap;
mod pcapng;
mod sorted;

use std::collections::BTreeSet;
use std::io::Read;

use farpath_record::trace::TraceFile;

use crate::error::TraceError;
use crate::input::{Input, is_packed};
use crate::link::LinkType;
use crate::work;
use sorted::Sorted;

/// One packet of a capture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packet<'a> {
    /// When it was captured, nanoseconds since 1970, or of whatever clock the capture has.
    pub(crate) at: i64,
    /// The number of its interface.
    pub(crate) interface: u16,
    /// What its interface carries.
    pub(crate) link: LinkType,
    /// Its length on the link.
    pub(crate) original: u32,
    /// Its first bytes.
    pub(crate) bytes: &'a [u8],
}

/// A packet whose bytes are between two places of the input's, and which ends `step` bytes further on.
#[derive(Clone, Copy, Debug)]
struct Head {
    at: i64,
    interface: u16,
    link: LinkType,
    original: u32,
    from: usize,
    until: usize,
    step: usize,
}

/// What became of the next piece of a capture.
enum Next {
    /// A packet.
    Packet(Head),
    /// The capture is over.
    End,
    /// It goes on, but not from here: why.
    Broken(String),
}

enum Format {
    Pcap(pcap::Header),
    Pcapng(pcapng::Sections),
}

/// Times of a damaged file are kept within this, so that differences of any two can be had: 36 years before and after 1970
/// would do, and this is 73.
const TIME_MAX: i64 = 1 << 61;

/// Most notes of one file.
const NOTES_MAX: usize = 16;

/// Whether a file that begins with these bytes, four at least, is a capture, or packed as captures are: pcap, pcapng, gzip, zstd.
pub fn is_capture(first: &[u8]) -> bool {
    pcapng::begins(first) || pcap::begins(first) || is_packed(first)
}

/// One capture file.
pub(crate) struct Capture<'a> {
    input: Input<'a>,
    format: Format,
    /// What is said of it so far.
    pub(crate) file: TraceFile,
    /// Bytes of the last packet, not yet stepped over.
    behind: usize,
    /// Link types met, and the last one.
    links: BTreeSet<LinkType>,
    link: Option<LinkType>,
    done: bool,
    /// Packets of several interfaces that wait for earlier ones.
    sorted: Sorted,
}

impl<'a> Capture<'a> {
    /// Reads a capture's header.
    ///
    /// # Errors
    /// When there is nothing to read, or no capture.
    pub(crate) fn new(name: &str, from: Box<dyn Read + 'a>) -> Result<Capture<'a>, TraceError> {
        let file = name.to_owned();
        let cannot = |offset| {
            let file = file.clone();
            move |error| TraceError::Read {
                file,
                offset,
                error,
            }
        };
        let mut input = Input::new(from).map_err(cannot(0))?;
        if !input.has(1).map_err(cannot(0))? {
            return Err(TraceError::Empty { file });
        }
        // As many as a message shows.
        input.has(8).map_err(cannot(0))?;
        let whole = input.has(4).map_err(cannot(0))?;
        let format = if whole && pcapng::begins(input.bytes()) {
            Format::Pcapng(pcapng::Sections::default())
        } else if whole && pcap::begins(input.bytes()) {
            if !input.has(pcap::HEADER_BYTES).map_err(cannot(0))? {
                return Err(TraceError::Short { file, offset: 0 });
            }
            let header = pcap::Header::parse(input.bytes());
            input.step(pcap::HEADER_BYTES);
            Format::Pcap(header)
        } else {
            let begins = input.bytes().iter().take(8).map(|b| format!("{b:02x}"));
            let begins = begins.collect::<Vec<_>>().join(" ");
            return Err(TraceError::Foreign { file, begins });
        };
        let file = TraceFile {
            name: name.to_owned(),
            ..TraceFile::default()
        };
        Ok(Capture {
            input,
            format,
            file,
            behind: 0,
            links: BTreeSet::new(),
            link: None,
            done: false,
            sorted: Sorted::default(),
        })
    }

    /// The next packet; none at the end. A file that breaks off ends there, with a note. Packets of several interfaces come
    /// in order of time, as far as they can.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<Packet<'_>> {
        if self.sorted.is_empty() {
            let head = self.read()?;
            let several = match &self.format {
                Format::Pcap(_) => false,
                Format::Pcapng(sections) => sections.has_several(),
            };
            if !several {
                return Some(Packet {
                    at: head.at,
                    interface: head.interface,
                    link: head.link,
                    original: head.original,
                    bytes: &self.input.bytes()[head.from..head.until],
                });
            }
            self.keep(&head);
        }
        while !self.sorted.is_due()
            && let Some(head) = self.read()
        {
            self.keep(&head);
        }
        self.sorted.take()
    }

    #[inline]
    fn keep(&mut self, head: &Head) {
        let bytes = &self.input.bytes()[head.from..head.until];
        self.sorted.keep(head, bytes);
    }

    /// The next packet as the file has it.
    #[inline]
    fn read(&mut self) -> Option<Head> {
        if self.done {
            return None;
        }
        self.input.step(self.behind);
        self.behind = 0;
        let next = match &mut self.format {
            Format::Pcap(header) => header.next(&mut self.input),
            Format::Pcapng(sections) => sections.next(&mut self.input, &mut self.file),
        };
        match next {
            Ok(Next::Packet(mut head)) => {
                head.at = head.at.clamp(-TIME_MAX, TIME_MAX);
                self.behind = head.step;
                self.count(head.at, head.link, head.original);
                head.original = head.original.max((head.until - head.from) as u32);
                Some(head)
            }
            Ok(Next::End) => self.end(),
            Ok(Next::Broken(why)) => {
                self.broken(&why);
                None
            }
            Err(error) => {
                self.broken(&error.to_string());
                None
            }
        }
    }

    #[inline]
    fn count(&mut self, at: i64, link: LinkType, original: u32) {
        if self.file.packets == 0 {
            self.file.first_ns = at;
            self.file.last_ns = at;
        }
        if self.link != Some(link) {
            self.link = Some(link);
            self.meet(link);
        }
        work::count(1);
        self.file.packets += 1;
        self.file.bytes += u64::from(original);
        self.file.last_ns = self.file.last_ns.max(at);
        self.file.first_ns = self.file.first_ns.min(at);
    }

    #[cold]
    fn meet(&mut self, link: LinkType) {
        if !self.links.insert(link) {
            return;
        }
        self.file.link_types.push(link.name());
        if !link.is_read() {
            let text = format!(
                "packets of link type {} are counted and not read: capture on an interface that gives IP or Ethernet",
                link.0
            );
            note(&mut self.file, text);
        }
    }

    fn end<T>(&mut self) -> Option<T> {
        self.done = true;
        None
    }

    #[cold]
    fn broken(&mut self, why: &str) {
        self.done = true;
        self.file.truncated = true;
        let at = self.input.offset();
        note(
            &mut self.file,
            format!(
                "byte {at}: {why}: what follows was not read; copy the file again, or capture again"
            ),
        );
    }

    /// Bytes read so far.
    pub(crate) fn offset(&self) -> u64 {
        self.input.offset()
    }
}

/// Notes something of a file, unless there is much already.
pub(crate) fn note(file: &mut TraceFile, text: String) {
    if file.notes.len() < NOTES_MAX && !file.notes.contains(&text) {
        file.notes.push(text);
    }
}
