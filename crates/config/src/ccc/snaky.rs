//! The configuration of a folded tunnel: a circuit that crosses one link several times, as two
//! routers need it.

use core::fmt::Write as _;
use core::net::Ipv4Addr;

use farpath_units::Rate;

use crate::dialect::Dialect;
use crate::junos;

/// Most passes: a frame's label starts with a TTL of 255 and each stitch takes one.
pub const MOST_PASSES: u32 = 253;

/// One router of the tunnel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Router {
    /// Host name: letters, digits, `-`, `_`.
    pub name: String,
    /// Interface of the link between the two: `so-1/0/0`.
    pub core: String,
    /// Its address.
    pub address: Ipv4Addr,
    /// The customer's interface: `ge-1/1/0`.
    pub access: String,
}

/// A folded tunnel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snaky {
    /// How often a frame crosses the link on its way: odd.
    pub passes: u32,
    /// The two routers.
    pub routers: [Router; 2],
    /// Length of the prefix the link's two addresses share.
    pub prefix: u8,
    /// The customer's VLAN.
    pub vlan: u16,
    /// The customer's largest IP packet.
    pub mtu: u32,
    /// The link's rate, of which each LSP reserves its part.
    pub rate: Rate,
}

/// Why no tunnel can be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SnakyError {
    /// An even number of passes.
    #[error(
        "a tunnel of {0} passes ends on the router it starts on: an even number of crossings leads back"
    )]
    Even(u32),
    /// None, or more than a label lives.
    #[error(
        "a tunnel has 1 to {MOST_PASSES} passes, not {0}: each stitch takes one from a label's TTL of 255"
    )]
    Passes(u32),
    /// A name Junos or farpath would not take.
    #[error("`{0}` cannot be a name: write letters, digits, `-` and `_`")]
    Name(String),
    /// An interface's name.
    #[error("`{0}` is not an interface: write `so-1/0/0`, `xe-0/0/1`, without a unit")]
    Interface(String),
    /// Both routers are called the same, or both interfaces of one are the same.
    #[error("`{0}` is given twice")]
    Twice(String),
    /// Addresses that do not see each other.
    #[error("{0} and {1} are not two hosts of one subnet of length {2}")]
    Addresses(Ipv4Addr, Ipv4Addr, u8),
    /// A VLAN's number.
    #[error("a VLAN is a number from 1 to 4094, not {0}")]
    Vlan(u16),
    /// A packet no port carries.
    #[error("an MTU of {0} bytes does not fit: 576 to {MOST_MTU} do")]
    Mtu(u32),
    /// Too little for each LSP.
    #[error("{0} parted by {1} passes leaves nothing to reserve")]
    Rate(Rate, u32),
}

/// Junos's largest port MTU is 9192; header, label, and the customer's tagged header come off.
const MOST_MTU: u32 = 9192 - 14 - 4 - 18;

impl Snaky {
    /// The configuration of both routers, in `dialect`, one of the two forms of Junos.
    pub fn write(&self, dialect: Dialect) -> Result<[String; 2], SnakyError> {
        self.check()?;
        Ok([0, 1].map(|side| {
            let lines = self.lines(side);
            if dialect == Dialect::JunosSet {
                return lines;
            }
            let parsed = junos::parse(&lines, Dialect::JunosSet);
            junos::print::to_braces(&parsed.tree)
        }))
    }

    /// What to expect of it, a line each.
    pub fn expectation(&self) -> Vec<String> {
        let n = self.passes;
        let most = n.div_ceil(2);
        let share = |parts: u32| {
            let rate = Rate::from_bps(self.rate.as_bps() / u64::from(parts));
            rate.map_or("nothing".to_owned(), |r| r.to_string())
        };
        vec![
            format!("round trip: {n} times the link's"),
            format!(
                "one way alone: 1/{most} of {} is {}",
                self.rate,
                share(most)
            ),
            format!("both ways at once: 1/{n} of {} is {}", self.rate, share(n)),
            "with the rate that frames get, framing taken off the line's rate".to_owned(),
        ]
    }

    fn check(&self) -> Result<(), SnakyError> {
        let [a, b] = &self.routers;
        if self.passes == 0 || self.passes > MOST_PASSES {
            return Err(SnakyError::Passes(self.passes));
        }
        if self.passes.is_multiple_of(2) {
            return Err(SnakyError::Even(self.passes));
        }
        for router in &self.routers {
            let name = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
            if router.name.is_empty() || router.name.len() > 60 || !router.name.chars().all(name) {
                return Err(SnakyError::Name(router.name.clone()));
            }
            for interface in [&router.core, &router.access] {
                if !is_interface(interface) {
                    return Err(SnakyError::Interface(interface.clone()));
                }
            }
            if router.core == router.access {
                return Err(SnakyError::Twice(router.core.clone()));
            }
        }
        if a.name == b.name {
            return Err(SnakyError::Twice(a.name.clone()));
        }
        let net = |address: Ipv4Addr| u32::from(address) >> (32 - self.prefix);
        let length = (1..=31).contains(&self.prefix);
        if !length || a.address == b.address || net(a.address) != net(b.address) {
            return Err(SnakyError::Addresses(a.address, b.address, self.prefix));
        }
        if !(1..=4094).contains(&self.vlan) {
            return Err(SnakyError::Vlan(self.vlan));
        }
        if !(576..=MOST_MTU).contains(&self.mtu) {
            return Err(SnakyError::Mtu(self.mtu));
        }
        if self.rate.as_bps() / u64::from(self.passes) < 1000 {
            return Err(SnakyError::Rate(self.rate, self.passes));
        }
        Ok(())
    }

    fn lines(&self, side: usize) -> String {
        let mut out = String::new();
        let mut line = |text: String| writeln!(out, "set {text}").expect("a string takes all");
        let (here, there) = (&self.routers[side], &self.routers[1 - side]);
        line(format!("system host-name {}", here.name));
        self.interfaces(here, &mut line);
        let core = format!("{}.0", here.core);
        line(format!("protocols rsvp interface {core}"));
        line(format!("protocols mpls interface {core}"));
        let bandwidth = reserved(self.rate.as_bps() / u64::from(self.passes));
        for k in 1..=self.passes {
            let lsp = format!("protocols mpls label-switched-path {}", lsp(k, here, there));
            line(format!("{lsp} from {}", here.address));
            line(format!("{lsp} to {}", there.address));
            line(format!("{lsp} bandwidth {bandwidth}"));
            line(format!("{lsp} no-cspf"));
        }
        self.connections(here, there, &mut line);
        out
    }

    fn interfaces(&self, here: &Router, line: &mut impl FnMut(String)) {
        let frame = self.mtu + 18;
        let family = frame + 4;
        let header = if here.core.starts_with("so-") { 4 } else { 14 };
        let core = format!("interfaces {}", here.core);
        line(format!("{core} mtu {}", family + header));
        line(format!(
            "{core} unit 0 family inet address {}/{}",
            here.address, self.prefix
        ));
        line(format!("{core} unit 0 family mpls mtu {family}"));
        let access = format!("interfaces {}", here.access);
        line(format!("{access} vlan-tagging"));
        line(format!("{access} mtu {frame}"));
        line(format!("{access} encapsulation vlan-ccc"));
        let unit = format!("{access} unit {}", self.vlan);
        line(format!("{unit} encapsulation vlan-ccc"));
        line(format!("{unit} vlan-id {}", self.vlan));
        line(format!("{unit} family ccc"));
    }

    fn connections(&self, here: &Router, there: &Router, line: &mut impl FnMut(String)) {
        let top = "protocols connections";
        let remote = format!("{top} remote-interface-switch snaky-{}", self.vlan);
        line(format!("{remote} interface {}.{}", here.access, self.vlan));
        line(format!("{remote} transmit-lsp {}", lsp(1, here, there)));
        line(format!(
            "{remote} receive-lsp {}",
            lsp(self.passes, there, here)
        ));
        for k in 1..self.passes {
            let stitch = format!("{top} lsp-switch S{k}-S{}", k + 1);
            line(format!("{stitch} transmit-lsp {}", lsp(k + 1, here, there)));
            line(format!("{stitch} receive-lsp {}", lsp(k, there, here)));
        }
    }
}

/// The LSP of crossing `k` of the chain that is under way from one router to the other: both chains
/// number their crossings from their own start, and of each number one crosses each way.
fn lsp(k: u32, from: &Router, to: &Router) -> String {
    format!("S{k}-{}-{}", from.name, to.name)
}

/// A rate as Junos writes it, rounded down to a kilobit.
fn reserved(bps: u64) -> String {
    match bps {
        n if n.is_multiple_of(1_000_000_000) => format!("{}g", n / 1_000_000_000),
        n if n.is_multiple_of(1_000_000) => format!("{}m", n / 1_000_000),
        n => format!("{}k", n / 1000),
    }
}

fn is_interface(name: &str) -> bool {
    let Some((kind, place)) = name.split_once('-') else {
        return false;
    };
    let letters = kind.len() == 2 && kind.chars().all(|c| c.is_ascii_lowercase());
    let numbers = place
        .split('/')
        .all(|n| !n.is_empty() && n.chars().all(|c| c.is_ascii_digit()));
    letters && numbers && place.len() < 20
}
