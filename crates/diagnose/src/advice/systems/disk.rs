//! A disk that has no more to give: what it does without the network.

use super::{End, Remedy};
use crate::asking::disks;
use crate::ceiling::bytes;
use crate::known::System;

/// A test of a disk is as long as this at the rate that was measured, seconds: a cache of a controller is full before.
const TEST_S: f64 = 20.0;

/// The least and the most that such a test writes, MiB, and what it does where no rate was measured. Choices.
const WRITTEN: [f64; 2] = [256.0, 4096.0];
const UNKNOWN: f64 = 1024.0;

const MIB: f64 = 1_048_576.0;

/// Against a disk that has no more to give, by the system of its host and the rate that was measured, bit/s.
pub(crate) fn disk(end: End, system: Option<System>, rate: Option<f64>) -> Remedy {
    let busy = format!(
        "{} meanwhile: which disk is busy, and with how much",
        disks(system)
    );
    let faster = "move the files to a faster disk, to several side by side, or use larger requests; a larger window does not help";
    let mut remedy = Remedy::without_risk([busy.as_str(), faster]);
    let direct = system.is_none_or(|s| s == System::Linux);
    match (end, direct) {
        (End::Sender, true) => remedy.commands.insert(
            1,
            "dd if=FILE of=/dev/null bs=4M iflag=direct: what the disk reads without the network"
                .to_owned(),
        ),
        (End::Receiver, true) => writes(rate, &mut remedy),
        // Without a way round the memory a test of seconds says little of the disk.
        _ => {}
    }
    remedy
}

/// What the disk writes, into a file that is new: `dd` refuses one that is there (`conv=excl`).
fn writes(rate: Option<f64>, remedy: &mut Remedy) {
    let [least, most] = WRITTEN;
    let count = rate.map_or(UNKNOWN, |bps| {
        (bps / 8.0 * TEST_S / MIB).clamp(least, most).ceil()
    });
    let file = "FOLDER/dd.test";
    let size = bytes(count * MIB);
    remedy.commands.insert(
        1,
        format!(
            "df -h FOLDER; dd if=/dev/zero of={file} bs=1M count={count:.0} oflag=direct conv=excl, with FOLDER where the files go: what the disk writes without the network. It writes {size}, of zeros, which a file system that compresses does not write"
        ),
    );
    remedy.undo.push(format!("rm {file}"));
    remedy.risks(&format!(
        "dd takes {size} of room in FOLDER until the file is removed, and others wait for the disk meanwhile"
    ));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 20 s of 800 Mbit/s are 2 GB, 1908 MiB: it ends, goes into a new file, and is removed.
    #[test]
    fn a_test_of_writing_has_a_size_and_an_end() {
        let of = |rate| disk(End::Receiver, None, rate);
        for (rate, count) in [
            (Some(800e6), 1908),
            (Some(1e6), 256),
            (Some(1e12), 4096),
            (None, 1024),
        ] {
            let remedy = of(rate);
            let dd = &remedy.commands[1];
            let sized = format!("bs=1M count={count} oflag=direct conv=excl");
            assert!(dd.contains(&sized), "{dd}");
            assert_eq!(remedy.undo, ["rm FOLDER/dd.test"]);
            assert!(remedy.risk.starts_with("dd takes "), "{}", remedy.risk);
        }
        // Reading writes nothing.
        let reads = disk(End::Sender, None, Some(800e6));
        assert!(reads.commands[1].contains("of=/dev/null"));
        assert!(reads.undo.is_empty());
    }
}
