//! PPP in HDLC-like framing (RFC 1662), as packet over SONET/SDH carries it (RFC 2615): address,
//! control and protocol, without flag and FCS.

use crate::header::{HeaderError, Reader};

/// PPP protocol number of IPv4 (RFC 1332).
pub const PROTOCOL_IPV4: u16 = 0x0021;
/// PPP protocol number of IPv6 (RFC 5072).
pub const PROTOCOL_IPV6: u16 = 0x0057;
/// PPP protocol number of unicast MPLS (RFC 3032 §4.3).
pub const PROTOCOL_MPLS: u16 = 0x0281;
/// PPP protocol number of a bridged LAN frame (RFC 3518).
pub const PROTOCOL_BRIDGED: u16 = 0x0031;

/// All-stations address and unnumbered information control.
const ADDRESS_CONTROL: [u8; 2] = [0xff, 0x03];

/// Reads `FF 03` and the protocol number; returns the number and what follows.
///
/// # Errors
/// When the bytes end inside the header or do not begin with `FF 03`.
pub fn parse(bytes: &[u8]) -> Result<(u16, &[u8]), HeaderError> {
    let mut r = Reader::new("PPP", bytes);
    if r.array()? != ADDRESS_CONTROL {
        return Err(r.malformed("address and control"));
    }
    let protocol = r.u16()?;
    Ok((protocol, r.rest()))
}

/// Appends `FF 03` and the protocol number: 4 bytes.
pub fn write(protocol: u16, out: &mut Vec<u8>) {
    out.extend(ADDRESS_CONTROL);
    out.extend(protocol.to_be_bytes());
}
