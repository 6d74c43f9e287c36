//! What keeps a capture from being read.

use std::io;

/// Why a capture could not be read at all. What is wrong further on in a file is a note of it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TraceError {
    /// The file cannot be read or decompressed.
    #[error("read {file}: byte {offset}: {error}")]
    Read {
        /// Name of the file.
        file: String,
        /// Bytes of the capture read before.
        offset: u64,
        /// What the system or the decompressor said.
        error: io::Error,
    },
    /// The file has no bytes.
    #[error("read {file}: the file is empty")]
    Empty {
        /// Name of the file.
        file: String,
    },
    /// The file begins like no capture.
    #[error("read {file}: byte 0: not a capture: it begins with {begins}")]
    Foreign {
        /// Name of the file.
        file: String,
        /// Its first bytes, as hexadecimal numbers.
        begins: String,
    },
    /// The file ends inside its own header.
    #[error("read {file}: byte {offset}: the file ends inside its header")]
    Short {
        /// Name of the file.
        file: String,
        /// Where the header begins.
        offset: u64,
    },
    /// A filter cannot be understood.
    #[error("filter `{text}`: {cause}")]
    Filter {
        /// The filter as written.
        text: String,
        /// What is wrong with it.
        cause: String,
    },
    /// The ends of a connection cannot be understood.
    #[error("{0}: no ends of a connection")]
    Ends(String),
    /// The reader of progress asked to stop.
    #[error("interrupted")]
    Interrupted,
}

impl TraceError {
    /// What to do about it.
    pub fn remedy(&self) -> Option<&'static str> {
        match self {
            TraceError::Read { .. } => Some(
                "check that the file can be read and was copied whole; pcap, pcapng, gzip and zstd are read",
            ),
            TraceError::Empty { .. } => {
                Some("capture again: `tcpdump -w FILE`, and end tcpdump with Ctrl-C")
            }
            TraceError::Foreign { .. } => Some(
                "pcap and pcapng are read, also inside gzip or zstd; `editcap -F pcapng FILE NEW` converts others",
            ),
            TraceError::Short { .. } => Some("the file was cut while it was copied: copy it again"),
            TraceError::Filter { .. } => Some(
                "write `host A and port N`, with `and`, `or`, `not`, brackets, and the words host, src, dst, net, port, tcp, udp, icmp, icmp6",
            ),
            TraceError::Ends(_) => Some("write both as 192.0.2.1:80 or [2001:db8::1]:80"),
            TraceError::Interrupted => None,
        }
    }
}
