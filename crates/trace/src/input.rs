//! The bytes of a capture: decompressed, read ahead in large pieces, seen in place.

use std::io::{self, Chain, Cursor, Read};

use flate2::read::MultiGzDecoder;

/// Bytes read ahead. Small enough to stay in a processor's second cache.
const AHEAD: usize = 1 << 18;

/// Largest piece of a capture that is seen as a whole: a block or a record. What is longer is skipped.
pub(crate) const PIECE_MAX: usize = 1 << 24;

/// Largest window of a zstd frame, as a power of two: what its decompressor may take of memory.
const ZSTD_WINDOW_LOG: u32 = 27;

type Plain<'a> = Chain<Cursor<Vec<u8>>, Box<dyn Read + 'a>>;

/// A capture's bytes, whatever they are packed in.
enum Packed<'a> {
    Plain(Plain<'a>),
    Gzip(Box<MultiGzDecoder<Plain<'a>>>),
    Zstd(Box<zstd::stream::read::Decoder<'static, io::BufReader<Plain<'a>>>>),
}

impl Read for Packed<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        match self {
            Packed::Plain(from) => from.read(to),
            Packed::Gzip(from) => from.read(to),
            Packed::Zstd(from) => from.read(to),
        }
    }
}

/// The first bytes of gzip and zstd.
const GZIP: [u8; 2] = [0x1f, 0x8b];
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Whether a file that begins with these bytes is packed.
pub(crate) fn is_packed(first: &[u8]) -> bool {
    first.starts_with(&GZIP) || first.starts_with(&ZSTD)
}

/// The bytes of one capture, from where the reader stands.
pub(crate) struct Input<'a> {
    from: Packed<'a>,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// Bytes of the capture before `start`.
    offset: u64,
    ended: bool,
}

impl<'a> Input<'a> {
    /// Reads the first bytes and unpacks gzip and zstd.
    ///
    /// # Errors
    /// Those of the reader.
    pub(crate) fn new(mut from: Box<dyn Read + 'a>) -> io::Result<Input<'a>> {
        let mut head = Vec::with_capacity(4);
        from.by_ref().take(4).read_to_end(&mut head)?;
        let packing: [u8; 4] = [0, 1, 2, 3].map(|n| head.get(n).copied().unwrap_or(0));
        let plain = Cursor::new(head).chain(from);
        let from = match packing {
            [a, b, ..] if [a, b] == GZIP => Packed::Gzip(Box::new(MultiGzDecoder::new(plain))),
            ZSTD => {
                let mut decoder = zstd::stream::read::Decoder::new(plain)?;
                decoder.window_log_max(ZSTD_WINDOW_LOG)?;
                Packed::Zstd(Box::new(decoder))
            }
            _ => Packed::Plain(plain),
        };
        Ok(Input {
            from,
            buffer: vec![0; AHEAD],
            start: 0,
            end: 0,
            offset: 0,
            ended: false,
        })
    }

    /// Bytes of the capture before the next one.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// Whether the next `count` bytes are there, at most [`PIECE_MAX`]; they are then in [`Input::bytes`].
    ///
    /// # Errors
    /// Those of the reader.
    #[inline]
    pub(crate) fn has(&mut self, count: usize) -> io::Result<bool> {
        if self.end - self.start >= count {
            return Ok(true);
        }
        self.fill(count)
    }

    #[cold]
    fn fill(&mut self, count: usize) -> io::Result<bool> {
        if count > self.buffer.len() - self.start {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
            if count > self.buffer.len() {
                self.buffer.resize(count.min(PIECE_MAX), 0);
            }
        }
        while self.end - self.start < count && !self.ended {
            match self.from.read(&mut self.buffer[self.end..]) {
                Ok(0) => self.ended = true,
                Ok(read) => self.end += read,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(self.end - self.start >= count)
    }

    /// What is there of the next bytes.
    #[inline]
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Steps over bytes that are there.
    #[inline]
    pub(crate) fn step(&mut self, count: usize) {
        let count = count.min(self.end - self.start);
        self.start += count;
        self.offset += count as u64;
    }

    /// Steps over bytes, there or not; whether all of them were.
    ///
    /// # Errors
    /// Those of the reader.
    pub(crate) fn skip(&mut self, mut count: u64) -> io::Result<bool> {
        loop {
            let here = (self.end - self.start) as u64;
            self.step(count.min(here) as usize);
            count -= count.min(here);
            if count == 0 {
                return Ok(true);
            }
            if !self.has(1)? {
                return Ok(false);
            }
        }
    }
}
