//! A host: sockets, and the connections behind them.

use std::collections::BTreeMap;

use farpath_tcp::Algorithm;
use farpath_units::Time;
use farpath_wire::tcp::Control;

use super::info::{constant, state_without_connection};
use super::socket::{Kind, Outcome, Socket};
use super::{Connection, Packet, State, Tunnel};
use crate::code::Datum;
use crate::settings::{Manners, Settings};
use crate::syntax::{Call, Returned, Value};

/// Initial sequence numbers: far enough up that every script wraps around sooner or later, and a
/// stride between connections.
const FIRST_ISS: u32 = 0xffff_f000;
const ISS_STRIDE: u32 = 0x0001_f1a3;
/// Most sockets and connections of one script.
const CONNECTIONS: usize = 4096;

/// A host with sockets. Time is an argument; what it sends goes to the caller's list.
#[derive(Debug)]
pub struct Host {
    pub(super) settings: Settings,
    pub(super) sockets: BTreeMap<i64, Socket>,
    pub(super) connections: Vec<Connection>,
    /// A socket has begun to listen, and nothing arrived since.
    pub(super) expectant: bool,
}

impl Host {
    /// A host without sockets.
    pub fn new(settings: Settings) -> Host {
        Host {
            settings,
            sockets: BTreeMap::new(),
            connections: Vec::new(),
            expectant: false,
        }
    }

    /// The settings of connections to come.
    pub fn settings_mut(&mut self) -> &mut Settings {
        &mut self.settings
    }

    /// How many connections there have been.
    pub fn connections(&self) -> usize {
        self.connections.len()
    }

    /// The connection that segments go to: the youngest.
    pub fn current(&self) -> Option<&Connection> {
        self.connections.last()
    }

    /// When something is due without a segment arriving; [`Time::MAX`] if nothing is.
    pub fn deadline(&self) -> Time {
        self.connections
            .iter()
            .map(Connection::deadline)
            .min()
            .unwrap_or(Time::MAX)
    }

    /// What is due by `now` is done.
    pub fn on_deadline(&mut self, now: Time, out: &mut Vec<Packet>) {
        for connection in &mut self.connections {
            if connection.deadline() <= now {
                connection.on_deadline(now);
            }
        }
        self.flush(now, out);
    }

    /// Everything that is to go at `now` goes to `out`; of what others than the youngest connection send, which no script
    /// can name, nothing.
    pub fn flush(&mut self, now: Time, out: &mut Vec<Packet>) {
        if let Some((current, others)) = self.connections.split_last_mut() {
            for connection in others {
                connection.flush(now, &mut Vec::new());
            }
            let before = out.len();
            current.flush(now, out);
            let tunnel = current.settings.tunnel();
            out[before..].iter_mut().for_each(|p| p.tunnel = tunnel);
        }
    }

    /// A segment arrived; what answers it goes to `out`.
    pub fn on_packet(&mut self, now: Time, p: &Packet, out: &mut Vec<Packet>) {
        if p.tunnel
            .is_some_and(|t| Some(t.to) != self.settings.udp_port)
        {
            // A datagram to a port where nobody takes segments out of them.
            return;
        }
        let before = out.len();
        self.take(now, p, out);
        // What answers a segment outside a connection goes back as that came.
        let back = p.tunnel.map(Tunnel::turned);
        out[before..].iter_mut().for_each(|p| p.tunnel = back);
        self.flush(now, out);
    }

    fn take(&mut self, now: Time, p: &Packet, out: &mut Vec<Packet>) {
        let opens = p.has(Control::SYN) && !p.has(Control::ACK);
        let listening = self.sockets.values().any(Socket::is_listening);
        // What arrives first after listen() comes from a peer of its own, as packetdrill has it.
        let stranger = core::mem::take(&mut self.expectant) && listening;
        let takes = !stranger
            && self.connections.last().is_some_and(|c| match c.state() {
                State::Closed => false,
                // RFC 9293 §3.10.7.4: a SYN beyond what was received may open anew.
                State::TimeWait => !(opens && listening && c.is_beyond(p.sequence)),
                _ => true,
            });
        let sender = p.tunnel.map(|t| t.from);
        match self.connections.last_mut() {
            // The right addresses, and not the datagrams of this connection.
            Some(c) if takes && c.settings.udp_remote != sender => self.on_packet_closed(p, out),
            Some(c) if takes => c.on_packet(now, p),
            _ if listening => self.on_packet_listening(now, p, out),
            _ => self.on_packet_closed(p, out),
        }
    }

    /// RFC 9293 §3.10.7.2.
    fn on_packet_listening(&mut self, now: Time, p: &Packet, out: &mut Vec<Packet>) {
        if p.has(Control::RST) {
            return;
        }
        if p.has(Control::ACK) {
            // Deviation from RFC 9293 §3.10.7.2: FreeBSD does not answer a SYN-ACK.
            if !p.has(Control::SYN) || self.settings.manners == Manners::Linux {
                out.push(Packet::bare(Control::RST, p.acknowledgement, 0));
            }
            return;
        }
        let odd = p.has(Control::FIN) && self.settings.drop_syn_fin;
        if p.has(Control::SYN) && !odd && self.connections.len() < CONNECTIONS {
            let iss = self.next_iss();
            let settings = Settings {
                udp_remote: p.tunnel.map(|t| t.from),
                ..self.settings.clone()
            };
            self.connections
                .push(Connection::passive(now, &settings, iss, p));
        }
    }

    /// RFC 9293 §3.10.7.1.
    fn on_packet_closed(&mut self, p: &Packet, out: &mut Vec<Packet>) {
        if p.has(Control::RST) || self.settings.blackhole {
            return;
        }
        out.push(if p.has(Control::ACK) {
            Packet::bare(Control::RST, p.acknowledgement, 0)
        } else {
            Packet::bare(
                Control::RST.with(Control::ACK),
                0,
                p.sequence.wrapping_add(p.space()),
            )
        });
    }

    pub(super) fn next_iss(&self) -> u32 {
        FIRST_ISS.wrapping_add(ISS_STRIDE.wrapping_mul(self.connections.len() as u32))
    }

    /// Makes an active connection, in datagrams to the UDP port `remote` if there is one; `None` when there are too many.
    pub(super) fn open(&mut self, now: Time, remote: Option<u16>) -> Option<usize> {
        if self.connections.len() >= CONNECTIONS {
            return None;
        }
        let settings = Settings {
            udp_remote: remote,
            ..self.settings.clone()
        };
        let connection = Connection::active(now, &settings, self.next_iss());
        self.connections.push(connection);
        Some(self.connections.len() - 1)
    }

    /// Before there is a connection, and to no port where none is set for this side.
    pub(super) fn set_udp_port(&mut self, fd: i64, number: i64) -> Outcome {
        let known = number == 0 || self.settings.udp_port.is_some();
        let socket = self.sockets.get_mut(&fd);
        let fresh = socket.filter(|s| known && s.kind == Kind::Fresh);
        match (u16::try_from(number), fresh) {
            (Ok(port), Some(socket)) => {
                socket.udp_remote = (port > 0).then_some(port);
                Outcome::Returns(0)
            }
            _ => Outcome::Fails("EINVAL"),
        }
    }

    /// TCP_CONGESTION: of connections to come. One that has begun keeps the algorithm that it has.
    pub(super) fn set_congestion(&mut self, fd: i64, value: Option<&Value>) -> Outcome {
        let asked = match value {
            Some(Value::Text(name)) => name.as_str(),
            Some(Value::List(list)) => match list.first() {
                Some(Value::Text(name)) => name.as_str(),
                _ => "",
            },
            _ => "",
        };
        let name = if asked == "newreno" { "reno" } else { asked };
        let Some(algorithm) = Algorithm::named(name) else {
            return Outcome::Unsupported(format!("congestion control `{asked}`"));
        };
        let begun = match self.sockets.get(&fd).map(|socket| socket.kind) {
            Some(Kind::Connected(n)) => self.connections.get(n),
            _ => None,
        };
        match begun.map(|connection| connection.settings.algorithm) {
            None => self.settings.algorithm = algorithm,
            Some(has) if has == algorithm => {}
            Some(_) => {
                return Outcome::Unsupported(format!(
                    "congestion control `{asked}` of a connection that has begun"
                ));
            }
        }
        Outcome::Returns(0)
    }

    /// The descriptor the script wants, where that is free; else the lowest free one. A script's
    /// descriptors are its own names, not a host's numbers.
    pub(super) fn descriptor(&self, call: &Call) -> i64 {
        match call.returned {
            Returned::Value(n) if n >= 0 && !self.sockets.contains_key(&n) => n,
            _ => self.free_descriptor(),
        }
    }

    /// The lowest file descriptor that is free, from 3.
    fn free_descriptor(&self) -> i64 {
        let mut free = 3;
        while self.sockets.contains_key(&free) {
            free += 1;
        }
        free
    }

    /// A name of a script's code: a constant, or a field of `TCP_INFO` of the youngest connection.
    pub(crate) fn name(&self, now: Time, name: &str) -> Option<Datum> {
        if let Some(constant) = constant(name) {
            return Some(constant);
        }
        let Some(connection) = self.current() else {
            let listening = self.sockets.values().any(Socket::is_listening);
            return (name == "tcpi_state").then(|| Datum::Int(state_without_connection(listening)));
        };
        connection.info(now, name).map(Datum::Int)
    }

    /// Sockets and connections in a state named as `sockstat` does.
    pub(crate) fn count(&self, state: &str) -> u32 {
        let wanted = |s: State| {
            matches!(
                (s, state),
                (State::SynSent, "SYN_SENT")
                    | (State::SynReceived, "SYN_RCVD")
                    | (State::Established, "ESTABLISHED")
                    | (State::FinWait1, "FIN_WAIT_1")
                    | (State::FinWait2, "FIN_WAIT_2")
                    | (State::CloseWait, "CLOSE_WAIT")
                    | (State::Closing, "CLOSING")
                    | (State::LastAck, "LAST_ACK")
                    | (State::TimeWait, "TIME_WAIT")
            )
        };
        let connections = self
            .connections
            .iter()
            .filter(|c| wanted(c.state()))
            .count();
        let sockets = self
            .sockets
            .values()
            .filter(|socket| match socket.kind {
                Kind::Listening => state == "LISTEN",
                Kind::Fresh => state == "CLOSED",
                Kind::Connected(n) => {
                    state == "CLOSED" && self.connections[n].state() == State::Closed
                }
            })
            .count();
        (connections + sockets) as u32
    }
}
