//! A test that sends less than it could.

use super::{Buffers, Remedy};
use crate::flows::asked_option::AskedBy;

/// What comes before any setting of a host whose test asked for a buffer.
pub(super) fn leave_out(by: &AskedBy) -> String {
    format!(
        "leave {} out of the {}: a buffer that is asked for ends the kernel's own tuning, and the settings below say nothing of it",
        by.option, by.what
    )
}

/// Against a buffer that the test asked for itself: the kernel's own tuning gives `wanted` bytes without it, as far as is known. None
/// where the settings are known to give less.
pub(crate) fn own_buffer(wanted: f64, now: &Buffers, by: &AskedBy) -> Option<Remedy> {
    let leave = format!(
        "leave {} out of the {}: a buffer that is asked for (SO_RCVBUF, SO_SNDBUF) ends the kernel's own tuning at both ends, and tcp_rmem and tcp_wmem do not count",
        by.option, by.what
    );
    let again = "then test again: where a window or a buffer is still the limit, read the settings of that end next";
    let (most, set) = (now.most, now.most.or(now.space).or(now.core));
    let (commands, room) = match (most, set) {
        (Some(most), _) if most as f64 >= 2.0 * wanted && !now.untuned && !now.fixed => {
            (vec![leave.as_str()], Some(most))
        }
        (None, None) if !now.old && now.level.is_none() => (vec![leave.as_str(), again], None),
        _ => return None,
    };
    Some(Remedy {
        room,
        ..Remedy::without_risk(commands)
    })
}

/// Against a test that sends less than it could. With the file that it read, if it did, and what the same path carried from memory.
pub(crate) fn tester(file: Option<&str>, memory: Option<&str>) -> Remedy {
    let Some(file) = file else {
        return Remedy::without_risk([
            "test without a rate (-b), from memory and not from a file (-F), in pieces of 128 KiB or more (-l)",
            "top -H on the sender meanwhile: a processor that is full is the limit then",
        ]);
    };
    let carries = match memory {
        Some(rate) => format!(
            "the file's source is suspected, and not the path, which carried {rate} from memory: findmnt -T {file} says which storage that is"
        ),
        None => format!(
            "test from memory, without -F: what is faster then is not the path, but the file's source; findmnt -T {file} says which storage that is"
        ),
    };
    let commands = [
        carries,
        format!("dd if={file} of=/dev/null bs=4M iflag=direct: what the storage gives without the network"),
        "nfsiostat 5 2 meanwhile where it is NFS, iostat -x 5 2 where it is a disk: which of them waits"
            .to_owned(),
    ];
    Remedy {
        commands: commands.to_vec(),
        risk: super::NO_RISK.to_owned(),
        ..Remedy::default()
    }
}

/// The first release of iperf3 with a thread for each connection, the major one by a thousand.
const THREADED: f64 = 3016.0;

/// How the connections of iperf3 get a processor each; none where they have.
pub(crate) fn threads(release: Option<f64>) -> Option<String> {
    let old = match release {
        Some(release) if release >= THREADED => return None,
        Some(release) => format!("iperf 3.{:.0} has", release % 1000.0),
        None => "iperf3 before 3.16 has".to_owned(),
    };
    Some(format!(
        "{old} one thread for all its connections: iperf3 3.16 or later has one for each (-P); or several iperf3 processes at once, each on a port of its own (-p)"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flows::asked_option;

    #[test]
    fn each_program_leaves_its_own_option_out() {
        for (tool, leave) in [
            ("iperf3", "leave -w out of the test: "),
            ("globus-url-copy", "leave -tcp-bs out of the copy: "),
        ] {
            let by = asked_option::of(tool).expect("it has one");
            let own = own_buffer(1e6, &Buffers::default(), by).expect("nothing is set");
            assert!(own.commands[0].starts_with(leave), "{:?}", own.commands);
            assert!(leave_out(by).starts_with(leave));
        }
    }
}
