//! The two hosts: whose rules they follow, their buffers, and the window between them.

use farpath_predict::window::LARGEST;
use farpath_units::{Duration, Rate, Size};

use super::grounds::{Grounds, Said, assumed, rate};
use crate::cause::Cause;
use crate::ceiling::UNSCALED;
use crate::fact::{Figure, Of};
use crate::flows::flow::number;
use crate::known::{DEFAULT_WINDOWS, System};
use crate::windows::room::Room;

/// A host of the scenario.
#[derive(Clone, Debug)]
pub(super) struct HostModel {
    /// Whose rules its stack follows.
    pub(super) profile: Said<&'static str>,
    /// Memory of its sockets, bytes: at first, and at most. The sender's is for sending, the receiver's for receiving.
    pub(super) memory: Said<[u64; 2]>,
    /// Whether `fq` paces what it sends.
    pub(super) paced: Option<Said<bool>>,
    /// Whether it searches for the path's MTU behind a black hole, as `mtu_probing` says.
    pub(super) probes: Option<Said<u64>>,
    /// Rate it is held to by its own pacing.
    pub(super) nic: Option<Said<Rate>>,
}

/// What a socket's memory is at first, bytes, to send and to receive, where nothing says it: Linux's defaults.
const FIRST: [u64; 2] = [16_384, 131_072];

/// Memory that limits nothing has so many times what the path holds, and no fewer than 4 MiB.
const PLENTY: f64 = 8.0;

/// Least and largest memory of a socket, bytes.
const MEMORY: [f64; 2] = [4608.0, 2_147_483_647.0];

/// Both hosts, and the window where it is known to the byte.
pub(super) fn hosts(
    g: &Grounds<'_>,
    line: &Rate,
    rtt: Duration,
    fitted: &mut Vec<&'static str>,
) -> ([HostModel; 2], Option<Said<Size>>) {
    let plenty = PLENTY * line.as_bps() as f64 * rtt.as_secs_f64() / 8.0;
    let plenty = plenty.max(4_194_304.0);
    let mut sender = HostModel {
        profile: g.profile(0),
        memory: enough(plenty, FIRST[0]),
        paced: None,
        probes: None,
        nic: g.paced(),
    };
    let mut receiver = HostModel {
        profile: g.profile(1),
        memory: enough(plenty, FIRST[1]),
        paced: None,
        probes: None,
        nic: None,
    };
    if let Some(memory) = g.sending(fitted) {
        sender.memory = memory;
    }
    let window = g.receiving(&mut receiver, fitted);
    let mut both = [sender, receiver];
    both.iter_mut().for_each(HostModel::settle);
    (both, window)
}

impl HostModel {
    /// A buffer of a BSD of old does not grow: it has from the start what it has at most.
    pub(super) fn settle(&mut self) {
        if self.profile.value == "bsd-1999" {
            self.memory.value[0] = self.memory.value[1];
        }
    }
}

fn enough(bytes: f64, first: u64) -> Said<[u64; 2]> {
    let most = whole(bytes);
    assumed([first.min(most), most], "too large to limit")
}

fn whole(bytes: f64) -> u64 {
    bytes.clamp(MEMORY[0], MEMORY[1]) as u64
}

/// The part of a receive buffer that is window, by the rules of a profile.
fn part(profile: &str) -> f64 {
    match profile {
        "bsd-1999" => 1.0,
        "linux-2004" => 0.75,
        "linux-5" => 0.5,
        _ => 169.0 / 256.0,
    }
}

impl Grounds<'_> {
    /// Whether the sender is of the time before CUBIC.
    pub(super) fn is_old(&self) -> bool {
        matches!(self.profile(0).value, "linux-2004" | "bsd-1999")
    }

    fn profile(&self, end: usize) -> Said<&'static str> {
        let hosts = [&self.flow.senders, &self.flow.receivers][end];
        let release = |h: &u32| number(self.facts, Of::Host(*h), "kernel_release");
        let release = hosts.iter().find_map(release);
        let of = |value, figure: &Figure| self.said(value, figure);
        match (self.e.systems[end], release) {
            (Some(System::Linux), Some(r)) if r.value < 2007.0 => of("linux-2004", r),
            // Since 6.6 a window is the payload's share of its buffer.
            (Some(System::Linux), Some(r)) if r.value < 6006.0 => of("linux-5", r),
            (Some(System::Linux), Some(r)) => of("linux-6", r),
            (Some(System::Linux), None) if self.is_of_old_log() => {
                assumed("linux-2004", "Linux of the time of its log")
            }
            (None | Some(System::Linux), None) => assumed("linux-6", "a current Linux"),
            (Some(System::OpenBsd | System::NetBsd | System::Bsd), Some(r)) if r.value < 5000.0 => {
                of("bsd-1999", r)
            }
            (Some(System::FreeBsd), Some(r)) if r.value < 7000.0 => of("bsd-1999", r),
            (Some(System::Bsd), None) => assumed("bsd-1999", "a BSD"),
            (Some(system), _) => {
                let why = format!("the nearest there is to {}", system.name());
                assumed("linux-5", &why)
            }
            (None, Some(_)) => assumed("linux-6", "a current Linux"),
        }
    }

    /// Whether the other end is of a system that old: hosts of one log are of one time.
    fn is_of_old_log(&self) -> bool {
        let hosts = self.flow.senders.iter().chain(&self.flow.receivers);
        let release = |h: &u32| number(self.facts, Of::Host(*h), "kernel_release");
        let old = |limit: f64| move |r: &Figure| r.value < limit;
        let bsd = |s: &Option<System>| s.is_some_and(|s| s != System::Linux);
        let limit = if self.e.systems.iter().any(bsd) {
            4000.0
        } else {
            2007.0
        };
        hosts.filter_map(release).any(old(limit))
    }

    /// The rate that the sender's pacing holds it to.
    fn paced(&self) -> Option<Said<Rate>> {
        let pacing = self.e.pacing.as_ref()?;
        let share = self.e.payload_share();
        let rate = rate(pacing.value / share)?;
        let mut said = self.said(rate, pacing);
        said.from
            .push_str(": pacing, with headers, as an interface of this rate");
        Some(said)
    }

    /// The sender's memory, where something says it or the verdict is that it limits.
    fn sending(&self, fitted: &mut Vec<&'static str>) -> Option<Said<[u64; 2]>> {
        let limits = self.cause == Cause::SendBuffer;
        if let Some(room) = self.room(&self.e.buffers, limits) {
            let memory = room.memory.as_ref().unwrap_or(&room.bytes);
            let first = self.first(&self.flow.senders, "wmem_default_bytes", FIRST[0]);
            return Some(self.memory(room, memory.value, memory, first));
        }
        let flight = self.e.implied_flight().filter(|_| limits)?;
        fitted.push("the send buffer");
        let bytes = whole(flight.value);
        let why = "rate by round trip, as no text says the buffer";
        Some(assumed([bytes.min(FIRST[0]), bytes], why))
    }

    /// The receiver's memory, or the window where it is known to the byte.
    fn receiving(
        &self,
        receiver: &mut HostModel,
        fitted: &mut Vec<&'static str>,
    ) -> Option<Said<Size>> {
        let window =
            |bytes: f64| Size::from_bytes(bytes.clamp(512.0, LARGEST.as_bytes() as f64) as u64);
        if self.cause == Cause::NoWindowScaling {
            let from = self
                .e
                .unscaled
                .map_or("you".to_owned(), |at| self.facts.place(at));
            let from = format!("{from}: without window scaling");
            let value = window(UNSCALED);
            return Some(Said { value, from });
        }
        let limits = self.cause == Cause::ReceiveWindow;
        if let Some(room) = self.room(&self.e.windows, limits) {
            let part = part(receiver.profile.value);
            let linux = receiver.profile.value.starts_with("linux");
            let bytes = match &room.memory {
                Some(memory) if linux && self.e.systems[1].is_none_or(|s| s == System::Linux) => {
                    memory.value
                }
                Some(_) => room.bytes.value / part,
                None => return Some(self.said(window(room.bytes.value), &room.bytes)),
            };
            let first = self.first(&self.flow.receivers, "rmem_default_bytes", FIRST[1]);
            receiver.memory = self.memory(room, bytes, &room.bytes, first);
            return None;
        }
        let flight = self.e.implied_flight().filter(|_| limits)?;
        fitted.push("the window");
        let near = DEFAULT_WINDOWS
            .iter()
            .find(|w| (flight.low * 0.94..flight.high * 1.18).contains(*w));
        Some(match near {
            Some(usual) => assumed(window(*usual), "a window that systems have by default"),
            None => assumed(
                window(flight.value),
                "rate by round trip, as no text says it",
            ),
        })
    }

    /// What a host's sockets have at first.
    fn first(&self, hosts: &[u32], name: &'static str, usual: u64) -> u64 {
        let of = |h: &u32| number(self.facts, Of::Host(*h), name);
        hosts.iter().find_map(of).map_or(usual, |f| whole(f.value))
    }

    fn memory(&self, room: &Room, bytes: f64, figure: &Figure, first: u64) -> Said<[u64; 2]> {
        let most = whole(bytes);
        // A buffer that was asked for does not grow.
        let first = if room.asked { most } else { first.min(most) };
        let mut said = self.said([first, most], figure);
        said.from.push_str(": ");
        said.from.push_str(&room.what);
        said
    }

    /// The room in force: of those that let the measured rate through, the narrowest that explains it if it is the limit,
    /// else the smallest.
    fn room<'r>(&self, rooms: &'r [Room], limits: bool) -> Option<&'r Room> {
        let flight = self.e.implied_flight();
        let least = flight.as_ref().map_or(0.0, |f| 0.9 * f.low);
        let open = || rooms.iter().filter(|r| r.bytes.high >= least);
        let by = |a: &&Room, b: &&Room| a.bytes.value.total_cmp(&b.bytes.value);
        let spread = |r: &Room| r.bytes.high / r.bytes.low.max(1.0);
        if let (true, Some(flight)) = (limits, &flight) {
            let explains =
                |r: &&Room| 0.8 * r.bytes.low <= flight.high && flight.low <= 1.1 * r.bytes.high;
            let narrow = open().filter(explains);
            let found = narrow.min_by(|a, b| spread(a).total_cmp(&spread(b)));
            return found.or_else(|| open().min_by(by));
        }
        open().min_by(by)
    }
}
