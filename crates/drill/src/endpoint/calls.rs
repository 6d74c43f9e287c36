//! System calls on sockets.

use farpath_units::{Rate, Time};

use super::socket::{Kind, Outcome, Socket};
use super::{Connection, Host, State};
use crate::settings::Manners;
use crate::syntax::{Call, Value};

use Outcome::{Blocks, Fails, Fills, Returns, Unsupported};

/// Most bytes one call writes or reads.
const CALL_BYTES: i64 = 1 << 32;

impl Host {
    /// Makes a call at `now`; what it sends waits for `flush`.
    pub(crate) fn call(&mut self, now: Time, call: &Call) -> Outcome {
        match call.name.as_str() {
            "socket" => self.socket(call),
            "bind" | "setsockopt" | "getsockopt" | "fcntl" | "ioctl" | "listen" | "accept"
            | "accept4" | "connect" | "close" | "shutdown" | "read" | "recv" | "recvfrom"
            | "readv" | "recvmsg" | "write" | "send" | "sendto" | "writev" | "sendmsg" => {
                let Some(fd) = call.int(0) else {
                    return Unsupported(format!("{} without a descriptor", call.name));
                };
                match self.sockets.get(&fd).copied() {
                    Some(socket) => self.call_on(now, fd, socket, call),
                    None => Fails("EBADF"),
                }
            }
            "poll" => self.poll(call),
            other => Unsupported(format!("the call {other}()")),
        }
    }

    fn call_on(&mut self, now: Time, fd: i64, socket: Socket, call: &Call) -> Outcome {
        match call.name.as_str() {
            "bind" => Returns(0),
            "setsockopt" => self.set_option(now, fd, call),
            "getsockopt" => self.option(socket, call),
            "fcntl" => self.fcntl(fd, socket, call),
            "ioctl" => self.ioctl(socket, call),
            "listen" => {
                self.socket_mut(fd, |s| s.kind = Kind::Listening);
                self.expectant = true;
                Returns(0)
            }
            "accept" | "accept4" => self.accept(fd, socket, call),
            "connect" => self.connect(now, fd, socket),
            "close" => self.close(now, fd, socket),
            "shutdown" => self.shutdown(now, fd, socket, call),
            "read" | "recv" | "recvfrom" | "readv" | "recvmsg" => self.read(socket, call),
            _ => self.write(now, socket, call),
        }
    }

    fn socket_mut(&mut self, fd: i64, change: impl FnOnce(&mut Socket)) {
        if let Some(socket) = self.sockets.get_mut(&fd) {
            change(socket);
        }
    }

    fn connection(&mut self, socket: Socket) -> Option<&mut Connection> {
        match socket.kind {
            Kind::Connected(n) => self.connections.get_mut(n),
            _ => None,
        }
    }

    fn socket(&mut self, call: &Call) -> Outcome {
        let kind = call.arguments.get(1);
        if !kind.is_some_and(|kind| kind.has("SOCK_STREAM")) {
            return Unsupported("sockets other than SOCK_STREAM".to_owned());
        }
        let fd = self.descriptor(call);
        let mut socket = Socket::new(Kind::Fresh);
        socket.non_blocking = kind.is_some_and(|kind| kind.has("SOCK_NONBLOCK"));
        self.sockets.insert(fd, socket);
        Returns(fd)
    }

    fn accept(&mut self, _fd: i64, socket: Socket, call: &Call) -> Outcome {
        if !socket.is_listening() {
            return Fails("EINVAL");
        }
        let waiting = self
            .connections
            .iter()
            .position(|c| c.passive && !c.accepted && !c.orphan && c.is_synchronised());
        let Some(n) = waiting else {
            return if socket.non_blocking {
                Fails("EAGAIN")
            } else {
                Blocks
            };
        };
        self.connections[n].accepted = true;
        self.connections[n].no_delay = socket.no_delay;
        let fd = self.descriptor(call);
        let mut accepted = Socket::new(Kind::Connected(n));
        accepted.connected = true;
        let flags = call.arguments.get(3);
        let inherits = self.settings.manners == Manners::FreeBsd && socket.non_blocking;
        accepted.non_blocking = inherits || flags.is_some_and(|f| f.has("SOCK_NONBLOCK"));
        self.sockets.insert(fd, accepted);
        Returns(fd)
    }

    fn connect(&mut self, now: Time, fd: i64, socket: Socket) -> Outcome {
        match socket.kind {
            Kind::Listening => Fails("EISCONN"),
            Kind::Fresh => {
                let Some(n) = self.open(now, socket.udp_remote) else {
                    return Unsupported("so many connections".to_owned());
                };
                self.connections[n].no_delay = socket.no_delay;
                self.socket_mut(fd, |s| s.kind = Kind::Connected(n));
                if socket.non_blocking {
                    Fails("EINPROGRESS")
                } else {
                    Blocks
                }
            }
            Kind::Connected(n) => {
                let connection = &mut self.connections[n];
                if let Some(error) = connection.error.take() {
                    return Fails(error);
                }
                match connection.state() {
                    State::SynSent | State::SynReceived if socket.non_blocking => Fails("EALREADY"),
                    State::SynSent | State::SynReceived => Blocks,
                    State::Closed => Fails("ECONNABORTED"),
                    _ if socket.connected => Fails("EISCONN"),
                    _ => {
                        self.socket_mut(fd, |s| s.connected = true);
                        Returns(0)
                    }
                }
            }
        }
    }

    fn close(&mut self, now: Time, fd: i64, socket: Socket) -> Outcome {
        self.sockets.remove(&fd);
        match socket.kind {
            Kind::Fresh => {}
            Kind::Listening => {
                for c in self
                    .connections
                    .iter_mut()
                    .filter(|c| c.passive && !c.accepted)
                {
                    if c.state() == State::SynReceived {
                        c.state = State::Closed;
                    } else {
                        c.close(now, true);
                    }
                }
            }
            Kind::Connected(n) => self.connections[n].close(now, socket.abortive),
        }
        Returns(0)
    }

    fn shutdown(&mut self, now: Time, fd: i64, socket: Socket, call: &Call) -> Outcome {
        let how = call.arguments.get(1);
        let says = |name: &str| how.is_some_and(|how| how.has(name));
        if says("SHUT_RD") || says("SHUT_RDWR") {
            self.socket_mut(fd, |s| s.deaf = true);
        }
        match self.connection(socket) {
            Some(c) if c.is_synchronised() || c.state() == State::SynReceived => {
                if says("SHUT_WR") || says("SHUT_RDWR") {
                    c.close_writing(now);
                }
                Returns(0)
            }
            _ => Fails("ENOTCONN"),
        }
    }

    fn read(&mut self, socket: Socket, call: &Call) -> Outcome {
        let Some(wanted) = bytes(call) else {
            return Unsupported(format!("the arguments of {}()", call.name));
        };
        let flags = call
            .arguments
            .get(if call.name == "recvmsg" { 2 } else { 3 });
        let says = |name: &str| flags.is_some_and(|flags| flags.has(name));
        if says("MSG_ERRQUEUE") {
            return Unsupported("the error queue".to_owned());
        }
        let not_connected = Fails("ENOTCONN");
        let Some(c) = self.connection(socket) else {
            return not_connected;
        };
        if c.unread() > 0 && wanted > 0 {
            if nowhere(call) {
                return Fails("EFAULT");
            }
            let taken = c.take(wanted as u64, says("MSG_PEEK"));
            return Returns(taken as i64);
        }
        if let Some(error) = c.error.take() {
            return Fails(if error == "EPIPE" {
                "ECONNRESET"
            } else {
                error
            });
        }
        if c.peer_done() || socket.deaf || c.state() == State::Closed || wanted == 0 {
            return Returns(0);
        }
        if socket.non_blocking || says("MSG_DONTWAIT") {
            Fails("EAGAIN")
        } else {
            Blocks
        }
    }

    fn write(&mut self, now: Time, socket: Socket, call: &Call) -> Outcome {
        let Some(length) = bytes(call) else {
            return Unsupported(format!("the arguments of {}()", call.name));
        };
        let flags = call
            .arguments
            .get(if call.name == "sendmsg" { 2 } else { 3 });
        let says = |name: &str| flags.is_some_and(|flags| flags.has(name));
        for (flag, what) in [
            ("MSG_FASTOPEN", "TCP Fast Open"),
            ("MSG_ZEROCOPY", "zero copy"),
            ("MSG_OOB", "urgent data"),
        ] {
            if says(flag) {
                return Unsupported(what.to_owned());
            }
        }
        let unconnected = if call.name == "sendto" {
            Unsupported("TCP Fast Open".to_owned())
        } else if self.settings.manners == Manners::Linux {
            Fails("EPIPE")
        } else {
            Fails("ENOTCONN")
        };
        let Some(c) = self.connection(socket) else {
            return unconnected;
        };
        if let Some(error) = c.error.take() {
            return Fails(error);
        }
        if c.closing || c.state() == State::Closed {
            return Fails("EPIPE");
        }
        if matches!(c.state(), State::SynSent | State::SynReceived) {
            return if socket.non_blocking {
                Fails("EAGAIN")
            } else {
                Blocks
            };
        }
        if nowhere(call) && length > 0 {
            return Fails("EFAULT");
        }
        c.write(now, length as u64, says("MSG_MORE"));
        Returns(length)
    }

    fn fcntl(&mut self, fd: i64, socket: Socket, call: &Call) -> Outcome {
        let Some(command) = call.arguments.get(1) else {
            return Unsupported("fcntl() without a command".to_owned());
        };
        let non_blocking = match self.settings.manners {
            Manners::Linux => 0o4000,
            Manners::FreeBsd => 4,
        };
        if command.has("F_GETFL") {
            return Returns(2 | if socket.non_blocking { non_blocking } else { 0 });
        }
        if command.has("F_SETFL") {
            let flags = call.arguments.get(2);
            let on = flags.is_some_and(|f| {
                f.has("O_NONBLOCK") || f.int().is_some_and(|n| n & non_blocking != 0)
            });
            self.socket_mut(fd, |s| s.non_blocking = on);
            return Returns(0);
        }
        Unsupported(format!("fcntl({command})"))
    }

    fn ioctl(&mut self, socket: Socket, call: &Call) -> Outcome {
        let Some(request) = call.arguments.get(1) else {
            return Unsupported("ioctl() without a request".to_owned());
        };
        let expected = call.arguments.get(2).and_then(Value::int);
        let Some(c) = self.connection(socket) else {
            return Fails("EINVAL");
        };
        let value = if request.has("SIOCINQ") || request.has("FIONREAD") {
            c.unread()
        } else if request.has("SIOCOUTQ") {
            c.written + c.held - c.sender.una().min(c.written)
        } else {
            return Unsupported(format!("ioctl({request})"));
        };
        filled(expected, value as i64)
    }

    fn set_option(&mut self, now: Time, fd: i64, call: &Call) -> Outcome {
        let Some(name) = symbol(call.arguments.get(2)) else {
            return Unsupported("a socket option without a name".to_owned());
        };
        let value = call.arguments.get(3);
        let number = value.and_then(Value::int).unwrap_or(0);
        match name.as_str() {
            "SO_REUSEADDR" | "SO_REUSEPORT" | "SO_SNDBUF" | "SO_SNDBUFFORCE" | "SO_PRIORITY"
            | "SO_KEEPALIVE" | "IP_TOS" | "IPV6_TCLASS" | "IP_MTU_DISCOVER"
            | "IPV6_MTU_DISCOVER" | "IPV6_V6ONLY" | "SO_DEBUG" | "SO_OOBINLINE" => {}
            "SO_RCVBUF" | "SO_RCVBUFFORCE" => {
                self.settings.receive_space = number.clamp(256, 1 << 30) as u32;
                self.settings.receive_space_asked = self.settings.manners == Manners::Linux;
            }
            "SO_MAX_PACING_RATE" => {
                // Bytes a second; all ones mean unbounded.
                let bits = u64::try_from(number).ok().and_then(|n| n.checked_mul(8));
                let bounded = bits.filter(|_| number != i64::from(u32::MAX));
                self.settings.pacing_rate = bounded.and_then(Rate::from_bps);
            }
            "SO_LINGER" => {
                let field = |name: &str| value?.field(name)?.int();
                let on = field("onoff").or_else(|| field("l_onoff")).unwrap_or(0) != 0;
                let time = field("linger").or_else(|| field("l_linger")).unwrap_or(0);
                self.socket_mut(fd, |s| s.abortive = on && time == 0);
            }
            "TCP_NODELAY" => {
                self.socket_mut(fd, |s| s.no_delay = number != 0);
                self.on_connection(fd, |c| {
                    c.no_delay = number != 0;
                    c.release_all(now);
                });
            }
            "TCP_QUICKACK" => self.on_connection(fd, |c| c.receiver.set_quick(number != 0)),
            "TCP_CORK" | "TCP_NOPUSH" => {
                self.on_connection(fd, |c| {
                    c.corked = number != 0;
                    c.more = false;
                    if number == 0 {
                        c.mark_push();
                    }
                    c.release(now);
                });
            }
            "TCP_MAXSEG" => self.settings.user_mss = u16::try_from(number).ok(),
            "TCP_REMOTE_UDP_ENCAPS_PORT" => return self.set_udp_port(fd, number),
            "TCP_CONGESTION" => return self.set_congestion(fd, value),
            other => return Unsupported(format!("the socket option {other}")),
        }
        Returns(0)
    }

    fn on_connection(&mut self, fd: i64, change: impl FnOnce(&mut Connection)) {
        if let Some(socket) = self.sockets.get(&fd).copied()
            && let Some(c) = self.connection(socket)
        {
            change(c);
        }
    }

    fn option(&mut self, socket: Socket, call: &Call) -> Outcome {
        let Some(name) = symbol(call.arguments.get(2)) else {
            return Unsupported("a socket option without a name".to_owned());
        };
        let expected = call.arguments.get(3).and_then(Value::int);
        let mss = i64::from(self.settings.mss());
        let space = i64::from(self.settings.receive_space);
        match name.as_str() {
            "SO_ERROR" => {
                let error = self.connection(socket).and_then(|c| c.error.take());
                let got = format!("[{}]", error.unwrap_or("0"));
                let expected = call.arguments.get(3).map(Value::to_string);
                match expected {
                    Some(expected) if expected != got && expected != "..." => {
                        Fills { expected, got }
                    }
                    _ => Returns(0),
                }
            }
            "TCP_MAXSEG" => {
                let value = self.connection(socket).map_or(mss, |c| c.segment() as i64);
                filled(expected, value)
            }
            "TCP_NODELAY" => filled(expected, i64::from(socket.no_delay)),
            "TCP_REMOTE_UDP_ENCAPS_PORT" => {
                let of_connection = self.connection(socket).map(|c| c.settings.udp_remote);
                let port = of_connection.unwrap_or(socket.udp_remote);
                filled(expected, i64::from(port.unwrap_or(0)))
            }
            "SO_RCVBUF" if self.settings.manners == Manners::FreeBsd => {
                let value = self.connection(socket).map_or(space, |c| c.space as i64);
                filled(expected, value)
            }
            other => Unsupported(format!("the socket option {other}")),
        }
    }

    fn poll(&mut self, call: &Call) -> Outcome {
        let Some(Value::List(list)) = call.arguments.first() else {
            return Unsupported("the arguments of poll()".to_owned());
        };
        let mut ready = 0;
        for entry in list {
            let (Some(fd), Some(events)) = (
                entry.field("fd").and_then(Value::int),
                entry.field("events"),
            ) else {
                return Unsupported("the arguments of poll()".to_owned());
            };
            let got = self.events(fd, events);
            if let Some(expected) = entry.field("revents") {
                let wanted = match expected {
                    Value::Symbols(all) => all.clone(),
                    _ => Vec::new(),
                };
                let same =
                    wanted.len() == got.len() && wanted.iter().all(|w| got.contains(&w.as_str()));
                if !same && call.int(2) == Some(0) {
                    return Fills {
                        expected: format!("revents={expected}"),
                        got: format!("revents={}", got.join("|")),
                    };
                }
            }
            ready += i64::from(!got.is_empty());
        }
        if ready == 0 && call.int(2) != Some(0) {
            Blocks
        } else {
            Returns(ready)
        }
    }

    fn events(&mut self, fd: i64, wanted: &Value) -> Vec<&'static str> {
        let mut got = Vec::new();
        let Some(socket) = self.sockets.get(&fd).copied() else {
            return vec!["POLLNVAL"];
        };
        let acceptable = socket.is_listening()
            && self
                .connections
                .iter()
                .any(|c| c.passive && !c.accepted && c.is_synchronised());
        let Some(c) = self.connection(socket) else {
            if acceptable && wanted.has("POLLIN") {
                got.push("POLLIN");
            }
            return got;
        };
        let over = c.state() == State::Closed;
        if wanted.has("POLLIN") && (c.unread() > 0 || c.peer_done() || over) {
            got.push("POLLIN");
        }
        if wanted.has("POLLOUT") && (c.is_synchronised() || over) {
            got.push("POLLOUT");
        }
        if wanted.has("POLLRDHUP") && (c.peer_done() || over) {
            got.push("POLLRDHUP");
        }
        if c.error.is_some() {
            got.push("POLLERR");
        }
        if over || (c.peer_done() && c.closing) {
            got.push("POLLHUP");
        }
        got
    }
}

fn filled(expected: Option<i64>, value: i64) -> Outcome {
    match expected {
        Some(n) if n != value => Fills {
            expected: format!("[{n}]"),
            got: format!("[{value}]"),
        },
        _ => Returns(0),
    }
}

fn symbol(value: Option<&Value>) -> Option<String> {
    match value {
        Some(Value::Symbols(all)) if all.len() == 1 => all.first().cloned(),
        _ => None,
    }
}

/// Whether a call's bytes are to come from, or go to, no address at all.
fn nowhere(call: &Call) -> bool {
    call.arguments.get(1).is_some_and(|at| at.has("NULL"))
}

/// How many bytes a call is about: its third argument, or the sum of an I/O vector.
fn bytes(call: &Call) -> Option<i64> {
    let count = match call.name.as_str() {
        "writev" | "readv" => vector(call.arguments.get(1)?)?,
        "sendmsg" | "recvmsg" => {
            let message = call.arguments.get(1)?;
            vector(message.field("msg_iov")?)?
        }
        _ => call.int(2)?,
    };
    (0..=CALL_BYTES).contains(&count).then_some(count)
}

/// The sum of the lengths of `[{..., 1000}, {..., 500}]`.
fn vector(value: &Value) -> Option<i64> {
    let Value::List(list) = value else {
        return None;
    };
    list.iter().try_fold(0i64, |sum, part| match part {
        Value::Struct(fields) => fields
            .iter()
            .rev()
            .find_map(|(_, v)| v.int())
            .and_then(|n| sum.checked_add(n)),
        _ => None,
    })
}
