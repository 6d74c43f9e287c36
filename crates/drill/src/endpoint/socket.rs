//! Sockets, and how calls on them end.

use super::Errno;

/// What a socket is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Fresh,
    Listening,
    /// Index of its connection.
    Connected(usize),
}

/// A socket.
#[derive(Clone, Copy, Debug)]
pub(super) struct Socket {
    pub(super) kind: Kind,
    pub(super) non_blocking: bool,
    pub(super) no_delay: bool,
    /// SO_LINGER with a time of 0: closing resets.
    pub(super) abortive: bool,
    /// `connect` has said how it went.
    pub(super) connected: bool,
    pub(super) deaf: bool,
    /// TCP_REMOTE_UDP_ENCAPS_PORT: segments go in datagrams to this port.
    pub(super) udp_remote: Option<u16>,
}

impl Socket {
    pub(super) fn new(kind: Kind) -> Socket {
        Socket {
            kind,
            non_blocking: false,
            no_delay: false,
            abortive: false,
            connected: false,
            deaf: false,
            udp_remote: None,
        }
    }

    pub(super) fn is_listening(&self) -> bool {
        self.kind == Kind::Listening
    }
}

/// How a call ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Returns(i64),
    Fails(Errno),
    /// Not yet: the caller waits.
    Blocks,
    /// An argument that the call fills in holds something else.
    Fills {
        expected: String,
        got: String,
    },
    Unsupported(String),
}
