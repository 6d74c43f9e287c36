//! What ESP makes of a packet, by cipher, hash and mode (RFC 4303 §2).

/// SPI and sequence number, bytes.
const HEADER: u64 = 8;
/// Length of the padding and number of the next header, bytes.
const TRAILER: u64 = 2;
/// What is padded to a multiple of this where the cipher asks for no more, bytes (RFC 4303 §2.4).
const ALIGNED: u64 = 4;

/// Ciphers as IOS writes them: initialisation vector, block and check value of their own, bytes
/// (RFC 3602 §3 and RFC 4106 §3).
const CIPHERS: [(&str, [u64; 3]); 6] = [
    ("esp-des", [8, 8, 0]),
    ("esp-3des", [8, 8, 0]),
    ("esp-aes", [16, 16, 0]),
    ("esp-gcm", [8, ALIGNED, 16]),
    ("esp-gmac", [8, ALIGNED, 16]),
    ("esp-null", [0, ALIGNED, 0]),
];

/// Hashes as IOS writes them, and their check values, bytes (RFC 4868 §2.3).
const HASHES: [(&str, u64); 5] = [
    ("esp-md5-hmac", 12),
    ("esp-sha-hmac", 12),
    ("esp-sha256-hmac", 16),
    ("esp-sha384-hmac", 24),
    ("esp-sha512-hmac", 32),
];

/// Ciphers of Junos, by how their names begin, as [`CIPHERS`] calls them.
const CIPHERS_OF_JUNOS: [(&str, &str, &str); 4] = [
    ("des-", "cbc", "esp-des"),
    ("3des-", "cbc", "esp-3des"),
    ("aes-", "cbc", "esp-aes"),
    ("aes-", "gcm", "esp-gcm"),
];

/// Hashes of Junos, as [`HASHES`] calls them.
const HASHES_OF_JUNOS: [(&str, &str); 5] = [
    ("hmac-md5-96", "esp-md5-hmac"),
    ("hmac-sha1-96", "esp-sha-hmac"),
    ("hmac-sha-256-128", "esp-sha256-hmac"),
    ("hmac-sha-384", "esp-sha384-hmac"),
    ("hmac-sha-512", "esp-sha512-hmac"),
];

/// A cipher with its hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Transform {
    /// As the file calls it.
    pub name: String,
    /// Initialisation vector, bytes.
    vector: u64,
    /// What is padded to a multiple of this, bytes.
    block: u64,
    /// Check value, bytes.
    check: u64,
    /// Transport mode: the outer header is the tunnel's own.
    pub transport: bool,
}

impl Transform {
    /// The one that adds most: AES in blocks, a check value of 32 bytes, tunnel mode.
    pub(crate) fn widest() -> Transform {
        Transform {
            name: String::new(),
            vector: 16,
            block: 16,
            check: 32,
            transport: false,
        }
    }

    /// Of the words of a `transform-set` of IOS; `None` where one of them is not known.
    pub(crate) fn of_ios<'a>(
        name: &str,
        words: impl IntoIterator<Item = &'a str>,
    ) -> Option<Transform> {
        let mut made = Transform {
            name: name.to_owned(),
            vector: 0,
            block: ALIGNED,
            check: 0,
            transport: false,
        };
        let mut some = false;
        for word in words {
            let cipher = CIPHERS.iter().find(|(cipher, _)| *cipher == word);
            let hash = HASHES.iter().find(|(hash, _)| *hash == word);
            match (cipher, hash) {
                (Some((_, [vector, block, check])), _) => {
                    (made.vector, made.block) = (*vector, *block);
                    made.check += check;
                }
                (None, Some((_, check))) => made.check += check,
                // The length of a key, which adds nothing.
                (None, None) if matches!(word, "128" | "192" | "256") => continue,
                (None, None) => return None,
            }
            some = true;
        }
        some.then_some(made)
    }

    /// Of a proposal of Junos: `encryption-algorithm` and `authentication-algorithm`; `None` where one is not known.
    pub(crate) fn of_junos(
        name: &str,
        cipher: Option<&str>,
        hash: Option<&str>,
    ) -> Option<Transform> {
        let mut words = Vec::new();
        if let Some(cipher) = cipher {
            let is = |(begins, ends, _): &&(&str, &str, &str)| {
                cipher.starts_with(*begins) && cipher.ends_with(*ends)
            };
            words.push(CIPHERS_OF_JUNOS.iter().find(is)?.2);
        }
        if let Some(hash) = hash {
            words.push(HASHES_OF_JUNOS.iter().find(|(name, _)| *name == hash)?.1);
        }
        Transform::of_ios(name, words)
    }
}

/// ESP around the packets of a tunnel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sealed {
    /// The header outside, bytes.
    outer: u64,
    /// Between ESP's header and the packet, bytes.
    inside: u64,
    /// What is sealed with; the widest where the file does not say it.
    pub transform: Transform,
    /// Whether the file says it.
    pub known: bool,
}

impl Sealed {
    /// Of a tunnel whose own header has `header` bytes, with `own` bytes of GRE behind it. Without a header of its own
    /// (`bare`) its packets are ESP's payload themselves. An unknown transform is the widest.
    pub(crate) fn new(transform: Option<Transform>, header: u32, own: u32, bare: bool) -> Sealed {
        let known = transform.is_some();
        let transform = transform.unwrap_or_else(Transform::widest);
        let repeated = match bare || transform.transport {
            true => 0,
            false => header,
        };
        Sealed {
            outer: header.into(),
            inside: u64::from(own) + u64::from(repeated),
            transform,
            known,
        }
    }

    /// What a packet of so many bytes becomes, bytes.
    pub(crate) fn whole(&self, packet: u64) -> u64 {
        let Transform {
            vector,
            block,
            check,
            ..
        } = self.transform;
        let payload = packet + self.inside + TRAILER;
        self.outer + HEADER + vector + payload.next_multiple_of(block) + check
    }

    /// The largest packet that `mtu` bytes hold when sealed, bytes.
    pub(crate) fn fits(&self, mtu: u64) -> u64 {
        let Transform {
            vector,
            block,
            check,
            ..
        } = self.transform;
        let room = mtu.saturating_sub(self.outer + HEADER + vector + check);
        (room / block * block).saturating_sub(self.inside + TRAILER)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1500 bytes less what stands around, in whole blocks, less the trailer and what stands inside.
    #[test]
    fn what_fits_just_fits() {
        for (words, transport, header, own, bare, fits) in [
            ("esp-aes 256 esp-sha256-hmac", false, 20, 4, false, 1414),
            ("esp-aes 256 esp-sha256-hmac", true, 20, 4, false, 1434),
            ("esp-3des esp-sha-hmac", true, 20, 4, false, 1442),
            ("esp-gcm 256", false, 20, 4, false, 1422),
            ("esp-aes esp-sha-hmac", false, 20, 0, true, 1438),
            ("esp-aes esp-sha512-hmac", false, 20, 4, false, 1398),
        ] {
            let mut transform = Transform::of_ios("T", words.split(' ')).expect(words);
            transform.transport = transport;
            let sealed = Sealed::new(Some(transform), header, own, bare);
            assert_eq!(sealed.fits(1500), fits, "{words}");
            assert!(sealed.whole(fits) <= 1500, "{words}");
            assert!(sealed.whole(fits + 1) > 1500, "{words}");
        }
        let unknown = Sealed::new(None, 20, 4, false);
        assert_eq!((unknown.fits(1500), unknown.known), (1398, false));
    }

    #[test]
    fn what_is_not_known_is_not_guessed() {
        assert_eq!(Transform::of_ios("T", ["esp-seal"]), None);
        assert_eq!(Transform::of_ios("T", ["ah-sha-hmac", "esp-aes"]), None);
        assert_eq!(Transform::of_ios("T", []), None);
        assert_eq!(Transform::of_junos("T", Some("chacha"), None), None);
        let one = Transform::of_junos("T", Some("aes-256-cbc"), Some("hmac-sha-256-128"));
        assert_eq!(one, Transform::of_ios("T", ["esp-aes", "esp-sha256-hmac"]));
    }
}
