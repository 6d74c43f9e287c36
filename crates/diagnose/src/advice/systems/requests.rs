//! What a client of NFS or SMB has changed that asks for little at a time.

use super::Remedy;
use crate::programs::requests::Requests;

/// How the two are had as before.
const READ_AHEAD_BACK: &str = "echo KIB > /sys/class/bdi/0:52/read_ahead_kb, with what `cat /sys/class/bdi/0:52/read_ahead_kb` printed before";
const OPTIONS_BACK: &str = "the options that the mount had, as mount prints them before";

/// What changes requests of this kind.
pub(crate) fn of_requests(of: Requests) -> Remedy {
    if of.old {
        return newer_dialect();
    }
    if of.direct {
        return Remedy::without_risk(THROUGH_CACHE);
    }
    let mut remedy = match of.smb {
        true => of_smb(of.reads),
        false => of_nfs(of.reads, of.largest),
    };
    if of.sync {
        remedy
            .commands
            .splice(0..0, WITHOUT_SYNC.map(str::to_owned));
        remedy.risks(
            "a client that fails loses what its programs had written and not closed or handed to fsync",
        );
    }
    remedy
}

/// Against a server of files that takes nearly all of the time of its requests.
pub(crate) fn at_server() -> Remedy {
    Remedy::without_risk([
        "on the server, meanwhile: iostat -x 5 2 and top -b -n 1, of an appliance its own statistics of the volume's disks: whether a disk, its log of writes or a processor is busy",
        "nfsiostat 5 2 on other clients of the same volume: they wait as long, and one of them may be what fills the server",
        "nothing of this client or the path shortens that; more requests at a time only where the server has room for them",
    ])
}
/// Against pieces that go past the kernel's cache, one after the other.
const THROUGH_CACHE: [&str; 4] = [
    "test without iflag=direct and oflag=direct: the test makes its own limit with it, as each piece (bs=) waits for a round trip, and nothing is read ahead, whatever the kernel is set to",
    "or with larger pieces: bs=16M, of which all requests go out together; twice the piece is about twice the rate, until something else holds it",
    "whether the program that is slow opens its files so (O_DIRECT), as databases and hypervisors do: strace -f -e trace=openat,read,pread64 -p PID. Let it ask for larger pieces, or for several at a time (asynchronous I/O)",
    "several files at a time: each has requests of its own",
];

/// Against the option of a mount by which each write waits.
const WITHOUT_SYNC: [&str; 2] = [
    "mount without the option sync, also in /etc/fstab or the automounter's map: umount MOUNT, and mount it with the other options that mount prints. async is the default, and what a program closes or hands to fsync is on the server all the same",
    "as long as it has sync: larger writes (dd bs=1M, or a larger buffer of the program), as each waits for a round trip",
];

/// More requests at a time, of NFS: of reads those that are asked for ahead, and of both several files or connections; `largest` where they
/// carry all that they can.
fn of_nfs(reads: bool, largest: bool) -> Remedy {
    let ahead = "on Linux: mountpoint -d MOUNT prints the number of its device, such as 0:52; cat /sys/class/bdi/0:52/read_ahead_kb, and keep what it prints (128 since Linux 5.4); then echo 15360 > /sys/class/bdi/0:52/read_ahead_kb: so many KiB are asked for ahead";
    let waits = "a program that writes with O_SYNC or calls fsync after each piece waits for each: let it write larger pieces, or several at a time";
    let commands = [
        if reads { ahead } else { waits },
        "several files at a time: each has requests of its own",
        match largest {
            true => {
                "nconnect=8 among the options of the mount (from Linux 5.3): it holds from the next mount on, and not after a remount"
            }
            false => {
                "rsize=1048576,wsize=1048576,nconnect=8 among the options of the mount (nconnect from Linux 5.3): they hold from the next mount on, and not after a remount"
            }
        },
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

/// A remedy of each kind, for tests.
#[cfg(test)]
pub(super) fn all() -> Vec<Remedy> {
    let ways = [true, false];
    let mut all: Vec<Remedy> = ways.map(of_smb).to_vec();
    for reads in ways {
        all.extend(ways.map(|largest| of_nfs(reads, largest)));
    }
    all.push(newer_dialect());
    all
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
fn newer_dialect() -> Remedy {
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
