//! What a running host feels of its own links: its token buckets, changed over netlink, which takes less than a
//! millisecond where starting `tc` takes many.

use std::io;
use std::os::fd::AsRawFd as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration as Wall;

use farpath_units::Time;
use nix::net::if_::if_nametoindex;
use nix::sys::socket::{
    AddressFamily, MsgFlags, NetlinkAddr, SockFlag, SockProtocol, SockType, recv, sendto, socket,
};

use crate::driver::Clock;
use crate::ends::Ends;
use crate::layout::Bucket;
use crate::process::Process;
use crate::spec::Shaping;

/// `RTM_NEWQDISC` and `RTM_DELQDISC`.
const NEW: u16 = 36;
const DELETE: u16 = 37;

/// `NLM_F_REQUEST | NLM_F_ACK`, and `NLM_F_CREATE | NLM_F_REPLACE`.
const ASK: u16 = 0x5;
const PUT: u16 = 0x500;

/// `NLMSG_ERROR`, which an acknowledgement is, too, with error 0.
const ANSWER: u16 = 2;

/// Length of a message's header (`struct nlmsghdr`).
const HEADER: usize = 16;

/// `TC_H_ROOT`: in front of the interface.
const ROOT: u32 = u32::MAX;

/// `TCA_KIND`, `TCA_OPTIONS`, and of these `TCA_TBF_PARMS`, `TCA_TBF_RATE64`, `TCA_TBF_BURST`.
const KIND: u16 = 1;
const OPTIONS: u16 = 2;
const PARAMETERS: u16 = 1;
const RATE: u16 = 4;
const TOKENS: u16 = 6;

/// `TC_LINKLAYER_ETHERNET`.
const ETHERNET: u8 = 1;

/// The longest wait for a change that is due later, so that the end of the run is noticed.
const PATIENCE: Wall = Wall::from_millis(20);

/// Has a host, by its first process, feel another rate of an interface from now on. What waits goes on waiting.
pub(crate) fn shape(host: Process, interface: &str, shaping: Option<Shaping>) -> io::Result<()> {
    let asked = host.in_network(|| {
        let index = if_nametoindex(interface)?;
        match shaping {
            Some(shaping) => ask(&message(NEW, ASK | PUT, index, &bucket(shaping))),
            None => ask(&message(DELETE, ASK, index, &[])),
        }
    });
    asked.map_err(io::Error::other)?
}

/// Does `work` while the changes of `buckets` are made at their times on `clock`, and says what hosts feel otherwise than
/// they are to. Of each host there are its name and its first process.
pub(crate) fn beside<T>(
    buckets: &[(Time, Bucket)],
    hosts: &[(String, Process)],
    clock: Clock,
    work: impl FnOnce() -> T,
) -> (T, Vec<String>) {
    if buckets.is_empty() {
        return (work(), Vec::new());
    }
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let faults = scope.spawn(|| follow(buckets, hosts, clock, &over));
        let ends = Ends(&over);
        let done = work();
        drop(ends);
        (done, faults.join().unwrap_or_default())
    })
}

fn follow(
    buckets: &[(Time, Bucket)],
    hosts: &[(String, Process)],
    clock: Clock,
    over: &AtomicBool,
) -> Vec<String> {
    let mut faults = Vec::new();
    for (at, bucket) in buckets {
        let left = || Wall::from_nanos(at.since(clock.now()).as_ns());
        while left() > Wall::ZERO && !over.load(Ordering::Relaxed) {
            std::thread::park_timeout(left().min(PATIENCE));
        }
        if over.load(Ordering::Relaxed) {
            break;
        }
        let Some((name, process)) = hosts.get(bucket.host) else {
            continue;
        };
        if let Err(e) = shape(*process, &bucket.interface, bucket.shaping) {
            faults.push(format!(
                "`{name}` still feels the old rate of {}: {e}",
                bucket.interface
            ));
        }
    }
    faults
}

/// Sends a message to the kernel in this thread's network, and hears its answer.
fn ask(message: &[u8]) -> io::Result<()> {
    let kernel = NetlinkAddr::new(0, 0);
    let socket = socket(
        AddressFamily::Netlink,
        SockType::Raw,
        SockFlag::SOCK_CLOEXEC,
        SockProtocol::NetlinkRoute,
    )?;
    sendto(socket.as_raw_fd(), message, &kernel, MsgFlags::empty())?;
    let mut answer = [0; 4096];
    let length = recv(socket.as_raw_fd(), &mut answer, MsgFlags::empty())?;
    let answer = &answer[..length];
    let word = |at: usize| answer.get(at..at + 4).and_then(|b| b.try_into().ok());
    let kind = answer.get(4..6).and_then(|b| b.try_into().ok());
    match (kind.map(u16::from_ne_bytes), word(HEADER)) {
        (Some(ANSWER), Some(error)) => match i32::from_ne_bytes(error) {
            0 => Ok(()),
            error => Err(io::Error::from_raw_os_error(-error)),
        },
        _ => Err(io::Error::other("the kernel's answer is none")),
    }
}

/// A message about what stands in front of an interface (`struct tcmsg` behind the header).
fn message(kind: u16, flags: u16, interface: u32, attributes: &[u8]) -> Vec<u8> {
    let mut body = vec![0; 4];
    for word in [interface, 0, ROOT, 0] {
        body.extend(word.to_ne_bytes());
    }
    body.extend(attributes);
    let mut message = ((HEADER + body.len()) as u32).to_ne_bytes().to_vec();
    message.extend(kind.to_ne_bytes());
    message.extend(flags.to_ne_bytes());
    message.extend([0; 8]);
    message.extend(body);
    message
}

/// A token bucket (`struct tc_tbf_qopt` with the rate in 64 bits and the burst in bytes).
fn bucket(shaping: Shaping) -> Vec<u8> {
    let clamped = |n: u64| u32::try_from(n).unwrap_or(u32::MAX).to_ne_bytes();
    let bytes = shaping.rate.as_bps() / 8;
    let mut parameters = vec![0, ETHERNET, 0, 0, 0, 0, 0, 0];
    parameters.extend(clamped(bytes));
    // No peak rate.
    parameters.extend([0; 12]);
    parameters.extend(clamped(shaping.limit.as_bytes()));
    // The burst in ticks, which that in bytes replaces, and the largest packet at the peak rate.
    parameters.extend([0; 8]);
    let options = [
        attribute(PARAMETERS, &parameters),
        attribute(RATE, &bytes.to_ne_bytes()),
        attribute(TOKENS, &clamped(shaping.burst.as_bytes())),
    ];
    [
        attribute(KIND, b"tbf\0"),
        attribute(OPTIONS, &options.concat()),
    ]
    .concat()
}

/// An attribute (`struct nlattr`), filled up to four bytes.
fn attribute(kind: u16, value: &[u8]) -> Vec<u8> {
    let length = 4 + value.len();
    let mut attribute = (length as u16).to_ne_bytes().to_vec();
    attribute.extend(kind.to_ne_bytes());
    attribute.extend(value);
    attribute.resize(length.next_multiple_of(4), 0);
    attribute
}
