//! How much Linux reads ahead of programs from a mount of the network, as the mount's file prints it: `cat /sys/class/bdi/0:52/read_ahead_kb`.

use super::{Facts, Line, Tool};
use crate::fact::{Of, Place};
use crate::words::whole;

/// What is read ahead, bytes, as facts have it.
pub(crate) const AHEAD: &str = "mount_read_ahead_bytes";

/// Where the file of a device lies, and what it is called.
const FOLDER: &str = "/sys/class/bdi/";
const FILE: &str = "/read_ahead_kb";

/// The number of the device of what has no disk of its own begins so, such as that of a mount of the network.
const WITHOUT_DISK: &str = "0:";

/// The state of reading.
#[derive(Default)]
pub(super) struct ReadAhead {
    host: Option<Of>,
    /// Whether the file of such a device follows; none where another line does.
    asked: Option<bool>,
}

impl Tool for ReadAhead {
    fn name(&self) -> &'static str {
        "read_ahead_kb"
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        if let Some(file) = line
            .bare
            .split_once("cat ")
            .and_then(|(_, file)| device(file))
        {
            self.host = self.host.filter(|h| going && facts.may_be_here(*h));
            self.asked = Some(file.starts_with(WITHOUT_DISK));
            return true;
        }
        let asked = self.asked.take().filter(|_| going);
        if let (Some(kib), Some(mounted)) = (whole(line.bare), asked) {
            self.takes(kib, mounted, line.at, facts);
            return true;
        }
        // `grep` prints the file's name before it.
        let listed = line.bare.rsplit_once(':');
        let listed = listed.and_then(|(file, kib)| Some((device(file)?, whole(kib)?)));
        let Some((device, kib)) = listed else {
            return false;
        };
        self.takes(kib, device.starts_with(WITHOUT_DISK), line.at, facts);
        true
    }
}

impl ReadAhead {
    /// So many KiB are read ahead, from a mount of the network or from a disk.
    fn takes(&mut self, kib: u64, mounted: bool, at: Place, facts: &mut Facts) {
        let host = *self.host.get_or_insert_with(|| facts.host());
        if mounted && kib > 0 {
            facts.exact(host, AHEAD, kib as f64 * 1024.0, at);
        }
    }
}

/// The number of the device whose file this is.
fn device(file: &str) -> Option<&str> {
    let device = file.trim().strip_prefix(FOLDER)?.strip_suffix(FILE)?;
    (!device.contains(['/', ' ', '*'])).then_some(device)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::taken::taken;

    #[test]
    fn a_mount_says_what_is_read_ahead_and_a_disk_does_not() {
        for (text, bytes) in [
            (
                "$ cat /sys/class/bdi/0:52/read_ahead_kb\n128",
                Some(131_072.0),
            ),
            (
                "/sys/class/bdi/0:52/read_ahead_kb:15360",
                Some(15_728_640.0),
            ),
            ("$ cat /sys/class/bdi/8:0/read_ahead_kb\n128", None),
        ] {
            let facts = taken(ReadAhead::default(), text);
            let own = facts.facts.iter().find(|f| f.name == AHEAD);
            let own = own.and_then(|f| f.number()).map(|f| f.value);
            assert_eq!(own, bytes, "{text}");
        }
    }
}
