//! The timestamp of a retransmission on its way: rare, and kept beside the frames as what acknowledgements carry is.

use farpath_element::AckExtras;
use farpath_tcp::Stamp;

/// What waits for the receiver: the timestamp, and what its sender had acknowledged, the low 32 bits.
pub(super) fn carried(stamp: Stamp, answers: u32) -> AckExtras {
    let mut extras = AckExtras {
        window: stamp.older_below,
        ..AckExtras::default()
    };
    extras.blocks[0] = (stamp.ms, answers.into());
    extras
}

/// The same at the receiver.
pub(super) fn read(extras: &AckExtras) -> (Stamp, u32) {
    let (ms, answers) = extras.blocks[0];
    let stamp = Stamp {
        ms,
        older_below: extras.window,
    };
    (stamp, answers as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_what_was_carried() {
        let stamp = Stamp {
            ms: 7,
            older_below: 1 << 40,
        };
        assert_eq!(read(&carried(stamp, u32::MAX)), (stamp, u32::MAX));
    }
}
