//! What a client of NFS has changed that asks for little at a time.

use super::Remedy;

/// More requests at a time: of reads those that are asked for ahead, and of both several files or connections.
pub(crate) fn requests(reads: bool) -> Remedy {
    let ahead = "on Linux: mountpoint -d MOUNT prints the number of its device, such as 0:52; then echo 15360 > /sys/class/bdi/0:52/read_ahead_kb (128 since Linux 5.4): so much is asked for ahead";
    let waits = "a program that writes with O_SYNC or calls fsync after each piece waits for each: let it write larger pieces, or several at a time";
    let commands = [
        if reads { ahead } else { waits },
        "several files at a time: each has requests of its own",
        "rsize=1048576,wsize=1048576,nconnect=8 among the options of the mount (nconnect from Linux 5.3): they hold from the next mount on, and not after a remount",
    ];
    Remedy {
        commands: commands.map(str::to_owned).to_vec(),
        undo: match reads {
            true => vec!["echo 128 > /sys/class/bdi/0:52/read_ahead_kb, or what it was".to_owned()],
            false => Vec::new(),
        },
        risk: "what is asked for ahead and not used is read in vain".to_owned(),
        ..Remedy::default()
    }
}
