//! Waiting: for a socket, for an instant, or for the word that everything ends now.

use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::{Arc, Mutex};

use nix::errno::Errno;

use crate::clock::Clock;
use crate::sys::{self, Ready};

/// Hears that everything is to end; cheap to clone.
#[derive(Clone, Debug)]
pub struct Stop {
    pipe: Arc<PipeReader>,
}

/// Says that everything is to end: by [`Stopper::stop`], or when its last clone is dropped.
#[derive(Clone, Debug)]
pub struct Stopper {
    pipe: Arc<Mutex<Option<PipeWriter>>>,
}

impl Stop {
    /// A new pair.
    ///
    /// # Errors
    /// When the process has no descriptors left.
    pub fn new() -> io::Result<(Stopper, Stop)> {
        let (read, write) = io::pipe()?;
        let stopper = Stopper {
            pipe: Arc::new(Mutex::new(Some(write))),
        };
        let stop = Stop {
            pipe: Arc::new(read),
        };
        Ok((stopper, stop))
    }

    fn wish(&self) -> (BorrowedFd<'_>, Ready) {
        (self.pipe.as_fd(), READ)
    }

    /// Whether the word has been said.
    pub(crate) fn is_said(&self) -> bool {
        sys::poll([self.wish()], 0).is_ok_and(|ready| ready[0].read)
    }
}

impl Stopper {
    /// Ends everything that hears it, now; once is enough.
    pub fn stop(&self) {
        // A thread that panicked with the lock leaves nothing half done here.
        let mut pipe = match self.pipe.lock() {
            Ok(pipe) => pipe,
            Err(poisoned) => poisoned.into_inner(),
        };
        *pipe = None;
    }
}

/// Why a wait is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Woken {
    /// The socket has what was waited for.
    Ready,
    /// The instant has come.
    Due,
    /// Everything ends.
    Stopped,
}

/// There is something to read.
pub(crate) const READ: Ready = Ready {
    read: true,
    write: false,
};
/// There is room to write.
pub(crate) const WRITE: Ready = Ready {
    read: false,
    write: true,
};

/// A clock and two words to stop, to everything and to one task: what every waiting program has.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    pub(crate) clock: Clock,
    pub(crate) stop: [Stop; 2],
}

impl Watch {
    /// Waits until `t_ns` of the run.
    pub(crate) fn until(&self, t_ns: u64) -> Result<Woken, Errno> {
        let until = self.clock.monotonic(t_ns);
        loop {
            let [all, own] = &self.stop;
            let ready = sys::poll([all.wish(), own.wish()], until)?;
            if ready[0].read || ready[1].read {
                return Ok(Woken::Stopped);
            }
            if self.clock.now() >= t_ns {
                return Ok(Woken::Due);
            }
        }
    }

    /// Waits for a socket, until `t_ns` of the run.
    pub(crate) fn socket(
        &self,
        socket: BorrowedFd<'_>,
        wish: Ready,
        t_ns: u64,
    ) -> Result<Woken, Errno> {
        self.either([(socket, wish), (socket, wish)], t_ns)
    }

    /// Waits for one of two sockets, until `t_ns` of the run.
    pub(crate) fn either(
        &self,
        wishes: [(BorrowedFd<'_>, Ready); 2],
        t_ns: u64,
    ) -> Result<Woken, Errno> {
        let until = self.clock.monotonic(t_ns);
        let [one, other] = wishes;
        loop {
            let [all, own] = &self.stop;
            let ready = sys::poll([all.wish(), own.wish(), one, other], until)?;
            if ready[0].read || ready[1].read {
                return Ok(Woken::Stopped);
            }
            let come =
                |ready: Ready, wish: Ready| ready.read && wish.read || ready.write && wish.write;
            if come(ready[2], one.1) || come(ready[3], other.1) {
                return Ok(Woken::Ready);
            }
            if self.clock.now() >= t_ns {
                return Ok(Woken::Due);
            }
        }
    }

    /// Whether one of the words has been said.
    pub(crate) fn stopped(&self) -> bool {
        self.stop.iter().any(Stop::is_said)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_ends_every_wait() {
        for number in 0..2 {
            let (all, own) = (Stop::new().expect("a pipe"), Stop::new().expect("a pipe"));
            let watch = Watch {
                clock: Clock::from_zero(sys::monotonic_ns()),
                stop: [all.1, own.1],
            };
            assert_eq!(watch.until(0).expect("a wait"), Woken::Due);
            assert!(!watch.stopped());
            [all.0, own.0][number].stop();
            assert!(watch.stopped());
            assert_eq!(watch.until(u64::MAX).expect("a wait"), Woken::Stopped);
        }
    }
}
