//! Ethernet II and 802.1Q headers, without preamble and FCS.

use core::fmt;

use crate::header::{HeaderError, Reader};

/// EtherType of IPv4.
pub const TYPE_IPV4: u16 = 0x0800;
/// EtherType of IPv6.
pub const TYPE_IPV6: u16 = 0x86dd;
/// EtherType of unicast MPLS (RFC 3032 §5).
pub const TYPE_MPLS: u16 = 0x8847;
/// EtherType of an 802.1Q tag.
pub const TYPE_VLAN: u16 = 0x8100;
/// EtherType of Ethernet carried in Ethernet (transparent Ethernet bridging, RFC 1701).
pub const TYPE_ETHERNET: u16 = 0x6558;

/// A 48-bit address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mac(pub [u8; 6]);

impl Mac {
    /// A locally administered unicast address made from a number: node `n` of a model.
    pub const fn local(n: u32) -> Mac {
        let [a, b, c, d] = n.to_be_bytes();
        Mac([0x02, 0xfa, a, b, c, d])
    }

    /// A unicast address for documentation (RFC 9542 §2.1.2). Wireshark recognises Ethernet below a
    /// label by its two vendors, so a customer's interfaces had better have addresses of one.
    pub const fn documentation(n: u8) -> Mac {
        Mac([0x00, 0x00, 0x5e, 0x00, 0x53, n])
    }
}

impl fmt::Display for Mac {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d, e, g] = self.0;
        write!(f, "{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{g:02x}")
    }
}

/// An 802.1Q tag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Vlan {
    /// VLAN number, 12 bits.
    pub id: u16,
    /// Priority, 3 bits.
    pub priority: u8,
    /// Drop eligible.
    pub drop_eligible: bool,
}

impl Vlan {
    /// A tag with priority 0; only the low 12 bits of `id` count.
    pub const fn new(id: u16) -> Vlan {
        Vlan {
            id: id & 0xfff,
            priority: 0,
            drop_eligible: false,
        }
    }
}

/// An Ethernet II header with at most one tag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Ethernet {
    /// To.
    pub destination: Mac,
    /// From.
    pub source: Mac,
    /// The tag, if there is one.
    pub vlan: Option<Vlan>,
    /// EtherType of what follows.
    pub ethertype: u16,
}

impl Ethernet {
    /// Reads a header; returns it and what follows.
    ///
    /// # Errors
    /// When the bytes end inside the header, or the type field is an 802.3 length (below 0x0600).
    pub fn parse(bytes: &[u8]) -> Result<(Ethernet, &[u8]), HeaderError> {
        let mut r = Reader::new("Ethernet", bytes);
        let destination = Mac(r.array()?);
        let source = Mac(r.array()?);
        let mut ethertype = r.u16()?;
        let mut vlan = None;
        if ethertype == TYPE_VLAN {
            let tag = r.u16()?;
            vlan = Some(Vlan {
                id: tag & 0xfff,
                priority: (tag >> 13) as u8,
                drop_eligible: tag & 0x1000 != 0,
            });
            ethertype = r.u16()?;
        }
        if ethertype < 0x0600 {
            return Err(r.malformed("type"));
        }
        Ok((
            Ethernet {
                destination,
                source,
                vlan,
                ethertype,
            },
            r.rest(),
        ))
    }

    /// Appends the header: 14 bytes, 18 with a tag.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.destination.0);
        out.extend(self.source.0);
        if let Some(vlan) = self.vlan {
            let tag = u16::from(vlan.priority & 7) << 13
                | u16::from(vlan.drop_eligible) << 12
                | vlan.id & 0xfff;
            out.extend(TYPE_VLAN.to_be_bytes());
            out.extend(tag.to_be_bytes());
        }
        out.extend(self.ethertype.to_be_bytes());
    }
}
