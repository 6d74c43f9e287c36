//! Sizes in bytes.

/// A number of bytes. `kB MB GB` are decimal, `KiB MiB GiB` binary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Size(u64);

impl Size {
    /// A size from bytes.
    #[inline]
    pub const fn from_bytes(bytes: u64) -> Size {
        Size(bytes)
    }

    /// Bytes.
    #[inline]
    pub const fn as_bytes(self) -> u64 {
        self.0
    }
}
