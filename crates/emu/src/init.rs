//! A host's first process: makes the host of the namespaces it was born into, then keeps it.
//!
//! Its standard input is one end of a socket pair; the data plane holds the other. When that closes,
//! however the data plane came to its end, this process ends, and as it is process 1 of its PID
//! namespace the kernel kills every other process of the host; interfaces and mounts go with their
//! namespaces. `PR_SET_PDEATHSIG` would say less: it watches the thread that made the host.

use std::fs::{File, OpenOptions};
use std::io::{self, IoSlice, Read as _, Write as _};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;

use nix::errno::Errno;
use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sched::{CloneFlags, unshare};
use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::SignalFd;
use nix::sys::socket::sockopt::{RcvBuf, RcvBufForce};
use nix::sys::socket::{ControlMessage, MsgFlags, sendmsg, setsockopt};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{sethostname, setsid};

use crate::bound;
use crate::orders::{Answer, Orders};
use crate::program::batch;
use crate::settings::{ALLOWED, CONTROL};
use crate::spec::DeviceChoice;
use crate::sys;
use crate::tap::Device;

/// Most interfaces of a host: as many descriptors go into one message (`SCM_MAX_FD`).
pub(crate) const MOST_INTERFACES: usize = 253;

/// Bytes that may wait in a packet socket: a limit, not a reservation. A TAP counts packets instead.
const PACKET_BUFFER: usize = 256 << 20;

/// What an init does from beginning to end; its exit code.
pub(crate) fn run() -> i32 {
    // A session of its own: signals of the terminal are for the data plane.
    if setsid().is_err() {
        return 1;
    }
    let Ok(control) = io::stdin().as_fd().try_clone_to_owned() else {
        return 1;
    };
    match live(UnixStream::from(control)) {
        Ok(()) => 0,
        // Nobody is left who could read a message.
        Err(_) => 1,
    }
}

fn live(mut control: UnixStream) -> io::Result<()> {
    let orders: Orders = receive(&mut control)?;
    let (answer, descriptors) = match Host::make(&orders) {
        Ok(host) => {
            let Host {
                device,
                descriptors,
                notes,
            } = host;
            (Answer::Ready { device, notes }, descriptors)
        }
        Err(fault) => (Answer::Fault(fault), Vec::new()),
    };
    send(&mut control, &answer, &descriptors)?;
    drop(descriptors);
    if matches!(answer, Answer::Fault(_)) {
        return Ok(());
    }
    keep(&control)
}

/// Reaps what is orphaned until the other end of `control` is closed.
fn keep(control: &UnixStream) -> io::Result<()> {
    let mut children = SigSet::empty();
    children.add(Signal::SIGCHLD);
    children.thread_block()?;
    let children = SignalFd::new(&children)?;
    loop {
        loop {
            match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
                Ok(WaitStatus::StillAlive) | Err(_) => break,
                Ok(_) => {}
            }
        }
        let mut waited = [
            PollFd::new(control.as_fd(), PollFlags::POLLIN),
            PollFd::new(children.as_fd(), PollFlags::POLLIN),
        ];
        match poll(&mut waited, PollTimeout::NONE) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(e) => return Err(e.into()),
        }
        if waited[0].any() == Some(true) {
            return Ok(());
        }
        if waited[1].any() == Some(true) {
            children.read_signal()?;
        }
    }
}

/// A length in four bytes, then JSON.
pub(crate) fn receive<T: serde::de::DeserializeOwned>(from: &mut UnixStream) -> io::Result<T> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    receive_body(from, length)
}

/// The JSON whose length has been read.
pub(crate) fn receive_body<T: serde::de::DeserializeOwned>(
    from: &mut UnixStream,
    length: [u8; 4],
) -> io::Result<T> {
    let mut text = vec![0; u32::from_ne_bytes(length) as usize];
    from.read_exact(&mut text)?;
    Ok(serde_json::from_slice(&text)?)
}

/// The same, with `descriptors` beside it.
pub(crate) fn send<T: serde::Serialize>(
    to: &mut UnixStream,
    message: &T,
    descriptors: &[OwnedFd],
) -> io::Result<()> {
    let text = serde_json::to_vec(message)?;
    let length = u32::try_from(text.len())
        .map_err(io::Error::other)?
        .to_ne_bytes();
    let raw: Vec<_> = descriptors.iter().map(AsRawFd::as_raw_fd).collect();
    let rights = [ControlMessage::ScmRights(&raw)];
    let rights = if raw.is_empty() { &[][..] } else { &rights };
    let parts = [IoSlice::new(&length)];
    sendmsg::<()>(to.as_raw_fd(), &parts, rights, MsgFlags::MSG_NOSIGNAL, None)?;
    to.write_all(&text)
}

/// What becomes of orders.
struct Host {
    device: Device,
    descriptors: Vec<OwnedFd>,
    notes: Vec<String>,
}

impl Host {
    fn make(orders: &Orders) -> Result<Host, String> {
        let mut notes = Vec::new();
        // The seccomp profile of a container may withhold it; nothing else depends on it.
        if let Err(e) = sethostname(&orders.name) {
            notes.push(format!(
                "it has the machine's host name: set the host name: {e}"
            ));
        }
        mount_own(&orders.etc_hosts, &mut notes)?;
        let mut links = orders.links.clone();
        for (key, value) in &orders.settings {
            let file = format!("/proc/sys/{}", key.replace('.', "/"));
            match std::fs::write(&file, value) {
                Ok(()) => {}
                // The list of those that may be a default is the machine's: another lab's end can shorten it at any time.
                Err(e) if key == CONTROL && e.kind() == io::ErrorKind::PermissionDenied => {
                    choose_by_routes(&mut links, value);
                    notes.push(format!(
                        "`{value}` cannot be its default any more ({ALLOWED} has changed): its routes choose it"
                    ));
                }
                Err(e) => return Err(format!("set {key} to {value}: {e}")),
            }
        }
        let (device, descriptors) = attach(orders, &mut notes)?;
        batch("ip", &[], &links)?;
        for (version, rules) in ["-4", "-6"].iter().zip(&orders.rules) {
            batch("ip", &[version], rules).map_err(|why| {
                format!(
                    "{why} (a test that goes `via` another link needs CONFIG_IP_MULTIPLE_TABLES)"
                )
            })?;
        }
        if let Err(why) = bound::set(&orders.bounds) {
            notes.push(format!(
                "congestion windows may grow beyond `window`, so that a loss cuts what was never used ({why})"
            ));
        }
        for line in &orders.shaping {
            if let Err(why) = batch("tc", &[], std::slice::from_ref(line)) {
                notes.push(format!(
                    "the host does not feel its interface's rate, its connections are never held back by it ({why})"
                ));
            }
        }
        Ok(Host {
            device,
            descriptors,
            notes,
        })
    }
}

/// Adds the congestion control to every route in `links`, where no route has one.
fn choose_by_routes(links: &mut [String], control: &str) {
    for line in links.iter_mut().filter(|l| l.starts_with("route ")) {
        *line += &format!(" congctl {control}");
    }
}

/// Mounts of the host's own: `/etc/hosts`, `/proc` of its processes, `/sys` of its network.
fn mount_own(etc_hosts: &str, notes: &mut Vec<String>) -> Result<(), String> {
    const NONE: Option<&str> = None;
    let quiet = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
    let failed = |what: &'static str| {
        move |e: Errno| match e {
            Errno::EINVAL => format!("{what}: {e}; {CHROOT_REMEDY}"),
            e => format!("{what}: {e}; {MOUNT_REMEDY}"),
        }
    };
    mount(NONE, "/", NONE, MsFlags::MS_REC | MsFlags::MS_PRIVATE, NONE)
        .map_err(failed("make the mounts private"))?;
    // The file needs a file system for a moment: one that lies where /proc will be.
    mount(Some("farpath"), "/proc", Some("tmpfs"), quiet, NONE).map_err(failed("mount a tmpfs"))?;
    std::fs::write("/proc/hosts", etc_hosts).map_err(|e| format!("write the host's names: {e}"))?;
    if let Err(why) = place_names() {
        notes.push(format!("names do not resolve in the host: {why}"));
    }
    umount2("/proc", MntFlags::MNT_DETACH).map_err(failed("unmount the tmpfs"))?;
    mount(Some("proc"), "/proc", Some("proc"), quiet, NONE).map_err(failed("mount /proc"))?;
    if let Err(e) = mount(Some("sysfs"), "/sys", Some("sysfs"), quiet, NONE) {
        notes.push(format!(
            "/sys shows the machine's interfaces, not the host's: mount sysfs: {e}"
        ));
    }
    Ok(())
}

/// Puts the names in `/proc/hosts` where programs read them.
fn place_names() -> Result<(), String> {
    const NONE: Option<&str> = None;
    let bound = mount(
        Some("/proc/hosts"),
        "/etc/hosts",
        NONE,
        MsFlags::MS_BIND,
        NONE,
    );
    match bound {
        // As in the smallest of roots: there is nothing to bind it to.
        Err(Errno::ENOENT) => own_etc().map_err(|e| format!("make an /etc: {e}")),
        other => other.map_err(|e| format!("bind /etc/hosts: {e}")),
    }
}

/// An `/etc` of the host's own with a `hosts` in it; all else leads to the machine's, which stays as it is.
fn own_etc() -> io::Result<()> {
    const NONE: Option<&str> = None;
    const MACHINE: &str = ".machine";
    let entries = std::fs::read_dir("/etc")?;
    let names: Vec<_> = entries.flatten().map(|e| e.file_name()).collect();
    // From inside, what is covered can still be named.
    std::env::set_current_dir("/etc")?;
    let quiet = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
    mount(
        Some("farpath"),
        "/etc",
        Some("tmpfs"),
        quiet,
        Some("mode=755"),
    )?;
    let etc = Path::new("/etc");
    let machine = etc.join(MACHINE);
    std::fs::create_dir(&machine)?;
    let all = MsFlags::MS_BIND | MsFlags::MS_REC;
    mount(Some("."), &machine, NONE, all, NONE)?;
    std::env::set_current_dir("/")?;
    for name in names {
        std::os::unix::fs::symlink(Path::new(MACHINE).join(&name), etc.join(&name))?;
    }
    std::fs::copy("/proc/hosts", etc.join("hosts")).map(drop)
}

const CHROOT_REMEDY: &str =
    "`/` is not a mount point, as below a bare chroot: `mount --rbind DIR DIR` before `chroot DIR`";

const MOUNT_REMEDY: &str = "inside a container it must not hide parts of /proc and may mount: docker run \
     --cap-add SYS_ADMIN --security-opt apparmor=unconfined --security-opt systempaths=unconfined (podman needs the last of these \
     alone)";

/// The far ends of all interfaces.
fn attach(orders: &Orders, notes: &mut Vec<String>) -> Result<(Device, Vec<OwnedFd>), String> {
    let mut without = String::new();
    if orders.device != DeviceChoice::Only(Device::Packet) {
        match taps(&orders.interfaces, notes) {
            Ok(taps) => return Ok((Device::Tap, taps)),
            Err(why) if orders.device == DeviceChoice::Available => without = why,
            Err(why) => return Err(why),
        }
    }
    let interfaces = orders.interfaces.clone();
    // A thread's network namespace is its own: this one's is the data plane's, which the sockets keep.
    let plane = std::thread::spawn(move || packet_sockets(&interfaces));
    let sockets = plane.join();
    let sockets = sockets.map_err(|_| "the data plane's namespace: a panic")?;
    if without.is_empty() {
        return Ok((Device::Packet, sockets?));
    }
    let sockets = sockets.map_err(|why| {
        format!("neither a TAP ({without}) nor a veth pair ({why}): `modprobe tun`, or `modprobe veth`, as root of the machine; \
             in a container: docker run --device /dev/net/tun --cap-add NET_RAW")
    })?;
    notes.push(format!(
        "/dev/net/tun cannot be used ({without}): veth pairs and packet sockets in its place, about a tenth slower; \
         in a container: docker run --device /dev/net/tun"
    ));
    Ok((Device::Packet, sockets))
}

fn taps(names: &[String], notes: &mut Vec<String>) -> Result<Vec<OwnedFd>, String> {
    let mut all = Vec::new();
    let mut udp_offload = true;
    for name in names {
        let tun = OpenOptions::new()
            .read(true)
            .write(true)
            .open("/dev/net/tun");
        let tun: File = tun.map_err(|e| format!("open /dev/net/tun: {e}"))?;
        let failed = |what: &str, e: Errno| format!("{what} {name}: {e}");
        udp_offload &= sys::attach_tap(tun.as_fd(), name).map_err(|e| failed("create TAP", e))?;
        let flags = nix::fcntl::FcntlArg::F_SETFL(nix::fcntl::OFlag::O_NONBLOCK);
        nix::fcntl::fcntl(&tun, flags).map_err(|e| failed("set up TAP", e))?;
        all.push(OwnedFd::from(tun));
    }
    if !udp_offload {
        notes.push(
            "this kernel's TAPs take no UDP super-frames (Linux 6.2 and later do)".to_owned(),
        );
    }
    Ok(all)
}

/// A veth pair for each name, its far end in a new namespace with a packet socket on it. Moves the
/// calling thread there.
fn packet_sockets(names: &[String]) -> Result<Vec<OwnedFd>, String> {
    unshare(CloneFlags::CLONE_NEWNET)
        .map_err(|e| format!("create the data plane's namespace: {e}"))?;
    // Nothing but the data plane speaks there. A kernel without IPv6 has nothing to switch off.
    match std::fs::write("/proc/sys/net/ipv6/conf/default/disable_ipv6", "1") {
        Err(e) if e.kind() != io::ErrorKind::NotFound => {
            return Err(format!("silence the data plane's namespace: {e}"));
        }
        _ => {}
    }
    let far = |number: usize| format!("far{number}");
    let mut lines = Vec::new();
    for (number, name) in names.iter().enumerate() {
        let far = far(number);
        lines.push(format!(
            "link add {far} mtu 65535 type veth peer name {name} netns 1"
        ));
        lines.push(format!("link set dev {far} arp off up"));
    }
    batch("ip", &[], &lines)?;
    let socket = |number: usize| {
        let failed = |e: Errno| format!("open a packet socket for {}: {e}", names[number]);
        let socket = sys::packet_socket(&far(number)).map_err(failed)?;
        setsockopt(&socket, RcvBufForce, &PACKET_BUFFER)
            .or_else(|_| setsockopt(&socket, RcvBuf, &PACKET_BUFFER))
            .map_err(failed)?;
        Ok(socket)
    };
    (0..names.len()).map(socket).collect()
}
