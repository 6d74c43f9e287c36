//! Addresses replaced so that equal prefixes stay equal, and nobody without the key can tell which they were.
//!
//! Each bit is flipped or not by a keyed hash of the bits before it: the scheme of Xu, Fan, Ammar and Moon,
//! "Prefix-Preserving IP Address Anonymization" (ICNP 2002). The key is drawn for each run and forgotten.

use std::collections::BTreeMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use farpath_record::trace::TraceDocument;
use sha2::{Digest, Sha256};

/// Replaces every address and name of a document, and the names of its files, which may tell of hosts.
pub(super) fn replace(document: &mut TraceDocument) {
    // The system's own randomness, which std takes its hash keys from.
    let drawn = [0u8, 1, 2, 3].map(|n| RandomState::new().hash_one(n));
    let key: Vec<u8> = drawn.iter().flat_map(|n| n.to_be_bytes()).collect();
    for connection in &mut document.connections {
        connection.a = end(&connection.a, &key);
        connection.b = end(&connection.b, &key);
    }
    let files: Vec<String> = document.files.iter().map(|f| f.name.clone()).collect();
    let mut names = Names::default();
    for connection in &mut document.connections {
        names.replace(connection.name.as_mut());
        names.replace(connection.tls.as_mut().and_then(|t| t.name.as_mut()));
    }
    for flow in &mut document.flows {
        flow.a = end(&flow.a, &key);
        flow.b = end(&flow.b, &key);
        names.replace(flow.name.as_mut());
        for query in flow.dns.iter_mut().flat_map(|d| &mut d.slowest) {
            names.replace(Some(&mut query.name));
        }
    }
    for pair in &mut document.pairs {
        pair.a = end(&pair.a, &key);
        pair.b = end(&pair.b, &key);
        for name in &mut pair.files {
            if let Some(number) = files.iter().position(|f| f == name) {
                *name = format!("file {}", number + 1);
            }
        }
    }
    for error in &mut document.icmp_errors {
        for text in [
            &mut error.from,
            &mut error.to,
            &mut error.flow_from,
            &mut error.flow_to,
        ] {
            *text = end(text, &key);
        }
    }
    // What is noted of errors names who reported them.
    for connection in &mut document.connections {
        connection.notes.retain(|n| !n.contains(" reports "));
    }
    for (number, file) in document.files.iter_mut().enumerate() {
        file.name = format!("file {}", number + 1);
        file.sha256.clear();
    }
}

/// Names, and what stands for them: equal names have equal numbers.
#[derive(Default)]
struct Names(BTreeMap<String, usize>);

impl Names {
    fn replace(&mut self, name: Option<&mut String>) {
        if let Some(name) = name {
            let next = self.0.len() + 1;
            let number = *self.0.entry(name.clone()).or_insert(next);
            *name = format!("name-{number}");
        }
    }
}

/// An address, or `address:port`, with another address.
fn end(text: &str, key: &[u8]) -> String {
    if let Ok(address) = text.parse::<IpAddr>() {
        return other(address, key).to_string();
    }
    match text.parse::<SocketAddr>() {
        Ok(end) => SocketAddr::new(other(end.ip(), key), end.port()).to_string(),
        Err(_) => text.to_owned(),
    }
}

/// Another address, the same for the same one.
fn other(address: IpAddr, key: &[u8]) -> IpAddr {
    match address {
        IpAddr::V4(v4) => {
            let bits = flipped(u128::from(v4.to_bits()) << 96, 32, key) >> 96;
            IpAddr::V4(Ipv4Addr::from_bits(bits as u32))
        }
        IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from_bits(flipped(v6.to_bits(), 128, key))),
    }
}

/// The first `count` bits, each flipped by what stands before it.
fn flipped(bits: u128, count: u32, key: &[u8]) -> u128 {
    let mut now = bits;
    for n in 0..count {
        let before = if n == 0 { 0 } else { bits >> (128 - n) };
        let hash = Sha256::new()
            .chain_update(key)
            .chain_update(count.to_be_bytes())
            .chain_update(n.to_be_bytes())
            .chain_update(before.to_be_bytes())
            .finalize();
        now ^= u128::from(hash[0] & 1) << (127 - n);
    }
    now
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_prefixes_stay_equal_and_different_ones_different() {
        let of = |text: &str| -> u32 {
            let text = end(text, b"key");
            let (address, port) = text.rsplit_once(':').unwrap();
            assert_eq!(port, "80");
            address.parse::<std::net::Ipv4Addr>().unwrap().to_bits()
        };
        let [a, b, c] = ["10.1.2.3:80", "10.1.2.200:80", "10.1.130.3:80"].map(of);
        assert_eq!(a >> 8, b >> 8, "24 bits in common");
        assert_ne!(a & 0x80, b & 0x80, "and no more");
        assert_eq!((a ^ c).leading_zeros(), 16);
        assert!(end("[2001:db8::1]:5001", b"key").ends_with("]:5001"));
        assert_ne!(of("10.1.2.3:80"), 0x0a01_0203);
        let alone: Ipv4Addr = end("10.1.2.3", b"key").parse().unwrap();
        assert_eq!(alone.to_bits(), a, "with a port and without");
    }
}
