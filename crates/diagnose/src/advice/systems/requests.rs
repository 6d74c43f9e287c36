//! What a client of NFS or SMB has changed that asks for little at a time.

use super::Remedy;
use crate::requests::Requests;

/// How the two are had as before.
const READ_AHEAD_BACK: &str = "echo KIB > /sys/class/bdi/0:52/read_ahead_kb, with what `cat /sys/class/bdi/0:52/read_ahead_kb` printed before";
const OPTIONS_BACK: &str = "the options that the mount had, as mount prints them before";

/// What changes requests of this kind.
pub(crate) fn of_requests(of: Requests) -> Remedy {
    match of.old {
        true => newer_dialect(),
        false => requests(of.reads, of.smb),
    }
}

/// More requests at a time: of reads those that are asked for ahead, and of both several files or connections.
pub(super) fn requests(reads: bool, smb: bool) -> Remedy {
    if smb {
        return of_smb(reads);
    }
    let ahead = "on Linux: mountpoint -d MOUNT prints the number of its device, such as 0:52; cat /sys/class/bdi/0:52/read_ahead_kb, and keep what it prints (128 since Linux 5.4); then echo 15360 > /sys/class/bdi/0:52/read_ahead_kb: so many KiB are asked for ahead";
    let waits = "a program that writes with O_SYNC or calls fsync after each piece waits for each: let it write larger pieces, or several at a time";
    let commands = [
        if reads { ahead } else { waits },
        "several files at a time: each has requests of its own",
        "rsize=1048576,wsize=1048576,nconnect=8 among the options of the mount (nconnect from Linux 5.3): they hold from the next mount on, and not after a remount",
    ];
    Remedy {
        commands: commands.map(str::to_owned).to_vec(),
        undo: match reads {
            true => vec![READ_AHEAD_BACK.to_owned(), OPTIONS_BACK.to_owned()],
            false => vec![OPTIONS_BACK.to_owned()],
        },
        risk: match reads {
            true => "what is asked for ahead and not used is read in vain",
            false => "an unmount fails while a file of the mount is open",
        }
        .to_owned(),
        ..Remedy::default()
    }
}

/// The same for SMB: what its old dialect and a mount without a cache hold back.
fn of_smb(reads: bool) -> Remedy {
    let cache = "where the mount has cache=none: mount without it. With it each read goes to the server by itself, and nothing is asked for ahead";
    let waits = "where the mount has cache=none: mount without it. With it each write goes to the server by itself";
    let commands = [
        "where the mount has vers=1.0: mount with vers=3.1.1,rsize=4194304,wsize=4194304, if the server has that. mount prints what both agreed on, and requests of the old dialect carry some 60 kB",
        if reads { cache } else { waits },
        "several files at a time: each has requests of its own",
    ];
    Remedy {
        commands: commands.map(str::to_owned).to_vec(),
        undo: vec![OPTIONS_BACK.to_owned()],
        risk: "an unmount fails while a file of the mount is open".to_owned(),
        ..Remedy::default()
    }
}

/// A later dialect for a client of Windows that speaks the first with its server.
pub(super) fn newer_dialect() -> Remedy {
    let commands = [
        "on the server: Get-SmbServerConfiguration | Select EnableSMB2Protocol; where that is False: Set-SmbServerConfiguration -EnableSMB2Protocol $true (of Samba: server max protocol = SMB3 in smb.conf). SMB 2 and 3 have many requests under way",
        "on the client: sc.exe qc lanmanworkstation: MRxSmb20 has to stand among its dependencies. Get-SmbConnection shows what both agree on once the share is connected again",
        "until then several files at a time, each with a request of its own: robocopy /MT:16",
    ];
    Remedy {
        commands: commands.map(str::to_owned).to_vec(),
        undo: vec![
            "Set-SmbServerConfiguration -EnableSMB2Protocol VALUE, with the one that `Get-SmbServerConfiguration | Select EnableSMB2Protocol` printed before".to_owned(),
        ],
        risk: "a server that has SMB 1 alone has to be renewed".to_owned(),
        ..Remedy::default()
    }
}
