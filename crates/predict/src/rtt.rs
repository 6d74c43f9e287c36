//! The round trip of a small packet on an idle path: propagation and serialisation, hop by hop.

use farpath_units::{Distance, Duration, Rate};

use crate::answer::{Answer, answer};
use crate::framing::Framing;

/// Speed of light in vacuum, metres a second (exact by definition of the metre).
pub const LIGHT_M_PER_S: f64 = 299_792_458.0;

/// Group index of standard single-mode fibre at 1550 nm.
pub const FIBRE_INDEX: f64 = 1.468;

/// One link as one packet crosses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// Rate left for frames.
    pub rate: Rate,
    /// How frames are delimited.
    pub framing: Framing,
    /// Bytes carried between the framing and the IP datagram: labels (4 each), a customer's
    /// layer-2 header (14, or 18 tagged).
    pub carried: u32,
    /// One-way propagation.
    pub delay: Duration,
}

impl Hop {
    /// Propagation plus the time on the wire of a datagram of `datagram` bytes, until its last bit.
    pub fn time_for(&self, datagram: u32) -> Duration {
        let payload = datagram.saturating_add(self.carried);
        self.delay + self.framing.time_for(self.rate, payload)
    }
}

/// The RTT of an IP datagram of `datagram` bytes echoed in full (a ping): every hop there and back,
/// store and forward, empty queues, no time in hosts. Exact, in picoseconds.
pub fn ping_rtt(out: &[Hop], back: &[Hop], datagram: u32) -> Duration {
    out.iter()
        .chain(back)
        .fold(Duration::ZERO, |sum, hop| sum + hop.time_for(datagram))
}

/// [`ping_rtt`] with its grounds, in nanoseconds as records count them: `rtt_min_ns`.
pub fn ping_answer(out: &[Hop], back: &[Hop], datagram: u32) -> Answer {
    let rtt = ping_rtt(out, back, datagram);
    let propagation = out
        .iter()
        .chain(back)
        .fold(Duration::ZERO, |sum, hop| sum + hop.delay);
    answer("rtt_min_ns", rtt.as_ps() as f64 / 1e3, "ns")
        .by(
            "Σ over hops, both ways, of delay + 8 L / C",
            "RFC 792 (echo); the framing of each hop",
        )
        .note(format!(
            "Propagation {propagation}, serialisation {}.",
            rtt.saturating_sub(propagation)
        ))
        .holds(
            "idle path, store and forward, echo of the same length, no time in hosts and routers",
        )
}

/// The least RTT a route of this length allows in fibre: 2·d·n/c with n = 1.468, in seconds.
pub fn fibre_floor_s(route: Distance) -> f64 {
    2.0 * route.as_m() as f64 * FIBRE_INDEX / LIGHT_M_PER_S
}

/// The fibre route in metres a measured RTT leaves room for: c·RTT/(2·n).
pub fn fibre_m_within(rtt: Duration) -> f64 {
    crate::window::seconds(rtt) * LIGHT_M_PER_S / (2.0 * FIBRE_INDEX)
}

/// What the length of a route says: the least RTT in fibre, and how much longer than the route the fibre of a
/// measured RTT could be.
pub fn route(length: Distance, rtt: Option<Duration>) -> Vec<Answer> {
    let fibre = rtt.map(fibre_m_within);
    let m = length.as_m() as f64;
    vec![
        answer("distance_km", m / 1e3, "km").holds("the route as it was named, or a great circle"),
        answer("rtt_floor_s", fibre_floor_s(length), "s")
            .by("2 d n / c, n = 1.468", FIBRE)
            .holds("fibre laid along the distance; real routes are longer"),
        answer("fibre_within_km", fibre.map(|m| m / 1e3), "km")
            .by("c RTT / (2 n)", FIBRE)
            .holds("one way as long as the other; routers and queues take some of the RTT"),
        answer(
            "detour_ratio",
            fibre.map(|fibre| fibre / m).filter(|_| m > 0.0),
            "",
        )
        .by("fibre within the RTT / distance", FIBRE)
        .note(match fibre {
            Some(fibre) if fibre < m => "Below 1 one of the two is wrong: no signal is that fast.",
            _ => "",
        }),
    ]
}

const FIBRE: &str = "group index of ITU-T G.652 fibre at 1550 nm";
