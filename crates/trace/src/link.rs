//! What the interfaces of captures carry.

/// A link type, by its number in capture files (draft-ietf-opsawg-pcaplinktype).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LinkType(pub(crate) u16);

impl LinkType {
    pub(crate) const NULL: LinkType = LinkType(0);
    pub(crate) const ETHERNET: LinkType = LinkType(1);
    pub(crate) const PPP: LinkType = LinkType(9);
    pub(crate) const FDDI: LinkType = LinkType(10);
    /// What some systems write for ATM.
    const ATM_BSD: LinkType = LinkType(11);
    /// What some systems write for raw IP.
    const RAW_BSD: LinkType = LinkType(12);
    const RAW_OPENBSD: LinkType = LinkType(14);
    pub(crate) const PPP_HDLC: LinkType = LinkType(50);
    pub(crate) const PPP_ETHERNET: LinkType = LinkType(51);
    /// ATM with LLC and SNAP (RFC 2684 §5.1).
    pub(crate) const ATM: LinkType = LinkType(100);
    pub(crate) const RAW: LinkType = LinkType(101);
    pub(crate) const C_HDLC: LinkType = LinkType(104);
    pub(crate) const LOOP: LinkType = LinkType(108);
    pub(crate) const SLL: LinkType = LinkType(113);
    pub(crate) const MPLS: LinkType = LinkType(219);
    pub(crate) const IPV4: LinkType = LinkType(228);
    pub(crate) const IPV6: LinkType = LinkType(229);
    pub(crate) const SLL2: LinkType = LinkType(276);

    /// The link type of a number in a file.
    pub(crate) fn new(code: u16) -> LinkType {
        match LinkType(code) {
            LinkType::RAW_BSD | LinkType::RAW_OPENBSD => LinkType::RAW,
            LinkType::ATM_BSD => LinkType::ATM,
            other => other,
        }
    }

    /// Its name in documents: `ethernet`; the number where it has no name here.
    pub(crate) fn name(self) -> String {
        let known = self.known().map(str::to_owned);
        known.unwrap_or_else(|| format!("linktype_{}", self.0))
    }

    /// Whether packets of it are read.
    pub(crate) fn is_read(self) -> bool {
        self.known().is_some()
    }

    /// The name of a link type that is read.
    fn known(self) -> Option<&'static str> {
        Some(match self {
            LinkType::NULL | LinkType::LOOP => "loopback",
            LinkType::ETHERNET => "ethernet",
            LinkType::PPP | LinkType::PPP_HDLC | LinkType::PPP_ETHERNET => "ppp",
            LinkType::RAW | LinkType::IPV4 | LinkType::IPV6 => "raw_ip",
            LinkType::C_HDLC => "c_hdlc",
            LinkType::SLL => "sll",
            LinkType::SLL2 => "sll2",
            LinkType::MPLS => "mpls",
            LinkType::FDDI => "fddi",
            LinkType::ATM => "atm_rfc2684",
            _ => return None,
        })
    }
}
