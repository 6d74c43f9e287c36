//! What to change where the receiving host drops what arrives, as its socket is full.

use super::systems::{Remedy, reader};
use crate::evidence::Evidence;

/// Against a program that does not read; where its kernel dropped segments, against memory that is short, too.
pub(super) fn client(e: &Evidence) -> Remedy {
    if let Some(own) = crate::programs::stream_window::remedy(e) {
        return own;
    }
    let mut remedy = reader(e.tester);
    if !e.counted_else.overran() {
        return remedy;
    }
    let commands = [
        "sysctl net.ipv4.tcp_mem net.ipv4.tcp_rmem net.core.rmem_max, and cat /proc/net/sockstat meanwhile: TCP's `mem` at the second or third value of tcp_mem (pages) is memory that is short for all sockets, and tcp_mem is to be raised",
        "else a socket's own: raise the third value of net.ipv4.tcp_rmem, or what the program asks for (SO_RCVBUF; then net.core.rmem_max bounds it). It pays for whole packets: small ones in large buffers fill it early, with GRO off above all (ethtool -k INTERFACE)",
        "ss -tmn meanwhile, several times: a Recv-Q that stays is a program that does not read: find out what it waits for, a disk, a processor, a lock",
        "nstat -az TcpExtTCPRcvQDrop TcpExtPruneCalled before and after shows whether it helped",
    ];
    remedy.commands.splice(0..1, commands.map(str::to_owned));
    let undo = "each setting that was raised, with the value that the first of these commands printed of it";
    remedy.undo.push(undo.to_owned());
    remedy.risks("larger limits take kernel memory from the rest of the host");
    remedy
}
