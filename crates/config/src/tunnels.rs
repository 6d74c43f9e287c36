//! QOS028: packets of a tunnel that do not fit what carries it, in files of whichever language.

use farpath_predict::IpVersion;

use crate::esp::Sealed;
use crate::finding::{Finding, Severity, quoted};
use crate::rules::QOS028;
use crate::source::Place;

/// IPv4's header without options, bytes (RFC 791 §3.1).
pub(crate) const IPV4: u32 = IpVersion::V4.header();
/// IPv6's header, bytes (RFC 8200 §3).
pub(crate) const IPV6: u32 = IpVersion::V6.header();
/// GRE's header without options (RFC 2784 §2.1), bytes.
pub(crate) const GRE: u32 = 4;
/// What a key adds to it (RFC 2890 §2), bytes.
pub(crate) const KEY: u32 = 4;
/// The least that ESP adds where its cipher and hash are not known: SPI and sequence number, two bytes of trailer, and 12
/// of a check value (RFC 4303 §2).
pub(crate) const ESP: u32 = 22;

/// Fixed headers of IPv4 and TCP, bytes.
pub(crate) const HEADERS: u32 = IpVersion::V4.fixed_headers();
/// Largest packet that most hosts send, bytes.
const USUAL: u32 = 1500;

/// What a tunnel puts around a packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wrapped {
    /// Bytes; with ESP the least of them.
    pub bytes: u32,
    /// As a message names it.
    pub what: &'static str,
    /// ESP, where it is sealed.
    pub sealed: Option<Sealed>,
}

impl Wrapped {
    /// The largest packet that fits in one of so many bytes; where its cipher is not known, that may fit. `None` where nothing does.
    pub(crate) fn fits(&self, outer: u64) -> Option<u64> {
        match self.sealed.as_ref().filter(|s| s.known) {
            Some(sealed) => Some(sealed.fits(outer)),
            None => outer.checked_sub(self.bytes.into()),
        }
    }
}

/// A tunnel's interface.
pub(crate) struct Tunnel<'a> {
    pub name: String,
    /// Where it is named.
    pub place: &'a Place,
    /// The key that states its largest packet, and what it states.
    pub key: &'static str,
    pub stated: Option<(u64, &'a Place)>,
    /// Whether the router itself makes it small enough where nothing is stated.
    pub by_itself: bool,
    pub wrapped: Wrapped,
    /// The largest packet of what carries it, and the interface's name; none where it is the largest of all.
    pub outer: (u64, Option<String>),
    /// What would lower the segments that TCP offers, where the file says so nowhere.
    pub lacks: Option<&'static str>,
}

impl Tunnel<'_> {
    /// The largest packet that fits in the tunnel, bytes; where its cipher is not known, that may fit.
    fn fits(&self) -> u64 {
        self.wrapped.fits(self.outer.0).unwrap_or(0)
    }

    /// The largest packet that fits whatever the cipher, bytes; `None` where the cipher is known, or none is there.
    fn surely(&self) -> Option<u64> {
        let unknown = self.wrapped.sealed.as_ref().filter(|s| !s.known)?;
        Some(unknown.fits(self.outer.0))
    }

    /// How large a packet what carries the tunnel takes.
    fn takes(&self) -> String {
        match &self.outer {
            (outer, Some(name)) => format!("{name} takes {outer} B"),
            (outer, None) => format!("no interface takes more than {outer} B"),
        }
    }

    /// What is around a packet of the tunnel, of so many bytes where one is stated.
    fn around(&self, stated: Option<u64>) -> String {
        let Wrapped {
            bytes,
            what,
            sealed,
        } = &self.wrapped;
        let takes = self.takes();
        let Some(sealed) = sealed else {
            return format!("{what} adds {bytes} B, and {takes}");
        };
        if !sealed.known {
            return format!("{what} adds at least {bytes} B, and {takes}");
        }
        let name = quoted(&sealed.transform.name);
        match stated {
            Some(packet) => format!(
                "{what} with `{name}` makes {} B of such a packet, and {takes}",
                sealed.whole(packet)
            ),
            None => format!("{what} with `{name}` leaves {} B, and {takes}", self.fits()),
        }
    }

    /// Of a stated size that fits or not by what the file does not say.
    fn open(&self, mtu: u64) -> Option<(String, String)> {
        let surely = self.surely().filter(|surely| mtu > *surely)?;
        let Wrapped { bytes, what, .. } = self.wrapped;
        let message = format!(
            "`{} {mtu}` of {}: {what} adds {bytes} B to {} B, by cipher, hash and mode, which the file does not say, and {}",
            self.key,
            self.name,
            self.outer.0.saturating_sub(surely),
            self.takes()
        );
        let remedy = format!(
            "`{} {surely}` leaves room for every cipher and hash",
            self.key
        );
        Some((message, remedy))
    }

    /// QOS028 of its packets, and of the segments that TCP offers.
    pub(crate) fn check(&self) -> Vec<Finding> {
        let (fits, key) = (self.fits(), self.key);
        let mut all = Vec::new();
        let customary = self.surely().map_or_else(String::new, |surely| {
            format!("; {surely} leaves room for every cipher and hash")
        });
        let remedy = format!("`{key} {fits}` at most{customary}");
        let mut say = |place: &Place, message: String, remedy: String, severity| {
            let mut finding = Finding::new(&QOS028, message, place.clone(), vec![remedy]);
            finding.severity = severity;
            all.push(finding);
        };
        match self.stated {
            Some((mtu, place)) if mtu > fits => {
                let message = format!("`{key} {mtu}` of {}: {}", self.name, self.around(Some(mtu)));
                say(place, message, remedy, Severity::Warning);
            }
            Some((mtu, place)) => {
                if let Some((message, remedy)) = self.open(mtu) {
                    say(place, message, remedy, Severity::Info);
                }
            }
            None if !self.by_itself => {
                let message = format!(
                    "{} states no `{key}`, and its default may be too large: {}",
                    self.name,
                    self.around(None)
                );
                say(self.place, message, remedy, Severity::Info);
            }
            None => {}
        }
        let packet = self.stated.map_or(fits, |(mtu, _)| mtu.min(fits));
        let short = packet < u64::from(USUAL);
        if let Some(lower) = self.lacks.filter(|_| short) {
            let segment = packet.saturating_sub(HEADERS.into());
            let message = format!(
                "nothing lowers the segments that TCP offers through {}: its packets have at most {packet} B, and hosts begin with segments of {} B",
                self.name,
                USUAL - HEADERS
            );
            let remedy = format!(
                "`{lower} {segment}`; without it each connection needs an answer by ICMP, which a firewall may keep"
            );
            say(self.place, message, remedy, Severity::Info);
        }
        all
    }
}
