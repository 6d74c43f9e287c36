//! Passwords, keys and communities in statements and in what tools print: `***` stands in their place. Rather too much is hidden than too
//! little.

use core::ops::Range;

/// What stands in the place of a secret.
const HIDDEN: &str = "***";

/// Words behind which a secret stands; also as the end of a word: `wpa-psk`, `authentication-key`.
const NAMES: [&str; 6] = ["password", "passphrase", "secret", "key", "psk", "token"];

/// Others behind which one stands.
const OTHER_NAMES: [&str; 12] = [
    "passwd",
    "key-string",
    "key-hash",
    "hex-key-string",
    "plain-text-password-value",
    "password-encrypt",
    "pass-phrase",
    "enablepass",
    "community-name",
    "snmp-community",
    "apikey",
    "cak",
];

/// What ends as a name does, and has no secret behind it.
const PUBLIC: [&str; 3] = ["hash-key", "public-key", "trusted-key"];

/// How a secret is written, between the name and the secret; so is a single digit.
const FORMATS: [&str; 33] = [
    "encrypted",
    "unencrypted",
    "clear",
    "clear-text",
    "cleartext",
    "ascii-text",
    "hexadecimal",
    "ascii",
    "hex",
    "text",
    "level",
    "md5",
    "sha",
    "sha1",
    "sha-1",
    "sha-256",
    "sha256",
    "hmac-md5",
    "hmac-sha1",
    "hmac-sha-256",
    "aes",
    "aes-128",
    "des",
    "3des",
    "read-only",
    "read-write",
    "read-write-all",
    "read",
    "write",
    "cipher",
    "=",
    ":",
    "128",
];

/// What follows a name that is not one of a secret: `key chain CORE`, `password encryption aes`.
const STOPS: [&str; 11] = [
    "chain",
    "key-chain",
    "keychain",
    "generate",
    "zeroize",
    "mypubkey",
    "pubkey-chain",
    "encryption",
    "strength-check",
    "minimum-length",
    "policy",
];

/// Words of `snmp-server host ADDRESS` before its community.
const OF_TRAPS: [&str; 13] = [
    "traps",
    "trap",
    "informs",
    "inform",
    "version",
    "1",
    "2c",
    "3",
    "auth",
    "noauth",
    "priv",
    "clear",
    "encrypted",
];

/// Words before the `community` of a route, which is none of SNMP's: `set community 65000:100`.
const OF_ROUTES: [&str; 14] = [
    "set",
    "match",
    "from",
    "then",
    "if",
    "elseif",
    "and",
    "or",
    "not",
    "delete",
    "apply",
    "route",
    "bgp",
    "policy-options",
];

/// The text, of any length, with `***` for each secret in it: statements of a configuration, or what a tool printed.
pub fn masked(text: &str) -> String {
    Masked::of(text).text
}

/// A text without its secrets, and where its parts stand now.
pub(crate) struct Masked {
    pub(crate) text: String,
    hidden: Vec<Range<usize>>,
}

impl Masked {
    pub(crate) fn of(text: &str) -> Masked {
        let hidden = secrets(text);
        let mut out = String::with_capacity(text.len());
        let mut from = 0;
        for range in &hidden {
            out.push_str(&text[from..range.start]);
            out.push_str(HIDDEN);
            from = range.end;
        }
        out.push_str(&text[from..]);
        Masked { text: out, hidden }
    }

    /// Where a span of the text stands in the one without secrets.
    pub(crate) fn span(&self, span: &Range<usize>) -> Range<usize> {
        self.moved(span.start, 0)..self.moved(span.end, HIDDEN.len())
    }

    /// Where byte `at` has gone; one within a secret to byte `inside` of what stands for it.
    fn moved(&self, at: usize, inside: usize) -> usize {
        let (mut cut, mut put) = (0, 0);
        for range in self.hidden.iter().take_while(|r| r.start < at) {
            if at < range.end {
                return range.start - cut + put + inside;
            }
            cut += range.len();
            put += HIDDEN.len();
        }
        at - cut + put
    }
}

/// Whether the last of these words of one statement is a secret, or within one.
pub(crate) fn ends_in_secret(words: &[&str]) -> bool {
    let text = words.join(" ");
    let hidden = secrets(&text);
    hidden.last().is_some_and(|range| range.end == text.len())
}

/// The bytes of each secret, in order.
fn secrets(text: &str) -> Vec<Range<usize>> {
    let mut all = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        of_line(line.trim_end(), start, &mut all);
        start += line.len();
    }
    all
}

/// A word of a line, or what stands between quotes.
struct Token<'a> {
    /// Without quotes, and without `;` behind it.
    text: &'a str,
    /// Where that begins.
    at: usize,
    /// Where the word ends, with its quotes.
    stop: usize,
    quoted: bool,
    /// Whether a `;` ends the statement here.
    ends: bool,
}

impl Token<'_> {
    /// Whether it is more than a brace or a `;`.
    fn is_word(&self) -> bool {
        self.quoted || !matches!(self.text, "" | "{" | "}")
    }

    fn is_one_of(&self, words: &[&str]) -> bool {
        words.iter().any(|w| self.text.eq_ignore_ascii_case(w))
    }

    fn is_numeral(&self) -> bool {
        !self.text.is_empty() && self.text.bytes().all(|b| b.is_ascii_digit())
    }

    fn is_format(&self) -> bool {
        self.is_one_of(&FORMATS) || self.text.len() == 1 && self.is_numeral()
    }
}

/// The words of a line that begins at byte `start`.
fn tokens(line: &str, start: usize) -> Vec<Token<'_>> {
    let mut all = Vec::new();
    let mut rest = line.trim_start();
    while !rest.is_empty() {
        let at = start + line.len() - rest.len();
        let (token, long) = match rest.strip_prefix('"') {
            Some(inside) => {
                let end = closing_quote(inside);
                let long = 1 + end + usize::from(end < inside.len());
                let token = Token {
                    text: &inside[..end],
                    at: at + 1,
                    stop: at + long,
                    quoted: true,
                    ends: false,
                };
                (token, long)
            }
            None => {
                let long = rest.find(char::is_whitespace).unwrap_or(rest.len());
                let text = rest[..long].trim_end_matches(';');
                let token = Token {
                    text,
                    at,
                    stop: at + text.len(),
                    quoted: false,
                    ends: text.len() < long,
                };
                (token, long)
            }
        };
        rest = rest[long..].trim_start();
        all.push(token);
    }
    all
}

/// Where the quote that closes a text stands; its end where none does.
fn closing_quote(inside: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in inside.bytes().enumerate() {
        match byte {
            b'"' if !escaped => return at,
            _ => escaped = byte == b'\\' && !escaped,
        }
    }
    inside.len()
}

fn of_line(line: &str, start: usize, all: &mut Vec<Range<usize>>) {
    let tokens = tokens(line, start);
    if let [first, second, _, rest @ ..] = tokens.as_slice()
        && first.is_one_of(&["snmp-server"])
        && second.is_one_of(&["host"])
    {
        all.extend(of_traps(rest));
        return;
    }
    let mut number = 0;
    while let Some(token) = tokens.get(number) {
        let after = &tokens[number + 1..];
        let taken = if !token.quoted && token.is_one_of(&["description", "remark"]) {
            prose(after, line, start, all)
        } else if let Some(extent) = extent(&tokens, number) {
            behind(token, extent, after, all)
        } else {
            all.extend(alone(token));
            0
        };
        number += 1 + taken;
    }
}

/// How far a secret reaches.
#[derive(Clone, Copy, PartialEq)]
enum Extent {
    /// A word.
    Word,
    /// All of the statement, for it may have blanks; a word where it is quoted.
    Rest,
}

/// How far the secret behind word `number` reaches; `None` where none stands there.
fn extent(tokens: &[Token<'_>], number: usize) -> Option<Extent> {
    let token = &tokens[number];
    let next = tokens.get(number + 1);
    // Of quoted words only those of JSON are names: `"password": "…"`.
    if token.quoted && next.is_none_or(|t| !t.text.starts_with([':', '='])) {
        return None;
    }
    let has = |words: &[&str]| tokens.iter().any(|t| t.is_one_of(words));
    let before = number.checked_sub(1).map(|n| &tokens[n]);
    let word = |is: bool| is.then_some(Extent::Word);
    let lower = token.text.to_ascii_lowercase();
    match lower.as_str() {
        "community" => {
            let of_snmp = |t: &Token<'_>| t.text.to_ascii_lowercase().starts_with("snmp");
            let members = tokens.get(number + 2).is_some_and(|t| t.text == "members");
            let of_routes = members || before.is_some_and(|t| t.is_one_of(&OF_ROUTES));
            word(tokens.iter().any(of_snmp) || !of_routes)
        }
        // `md5 1 key SECRET` has a name of its own behind it.
        "md5" => {
            let mut after = tokens[number + 1..].iter();
            word(!after.any(|t| is_name(&t.text.to_ascii_lowercase())))
        }
        "bearer" => Some(Extent::Word),
        "authentication" => {
            let text = next.is_some_and(|t| t.is_one_of(&["text"]));
            word(text || has(&["nhrp", "standby", "vrrp", "glbp", "hsrp"]))
        }
        "auth" | "priv" => word(has(&["snmp-server"]) && has(&["user"])),
        "key" if before.is_some_and(|t| t.is_one_of(&["tunnel"])) => None,
        "key" if has(&["isakmp"]) => Some(Extent::Word),
        other if other.ends_with("authorization:") => Some(Extent::Rest),
        other => is_name(other).then_some(Extent::Rest),
    }
}

/// Whether a secret stands behind this word, in lower case.
fn is_name(word: &str) -> bool {
    let word = word.trim_matches(['"', '\'', '{', ':', '=', ',']);
    let ends = |name: &&str| {
        let lead = word.strip_suffix(*name);
        lead.is_some_and(|l| l.is_empty() || l.ends_with(['-', '_']))
    };
    !PUBLIC.contains(&word) && (OTHER_NAMES.contains(&word) || NAMES.iter().any(ends))
}

/// Hides the secret behind `name`; how many words after it that takes.
fn behind(
    name: &Token<'_>,
    mut extent: Extent,
    after: &[Token<'_>],
    all: &mut Vec<Range<usize>>,
) -> usize {
    if name.ends {
        return 0;
    }
    let mut number = 0;
    while let Some(token) = after.get(number).filter(|t| t.is_word()) {
        if extent == Extent::Rest && !token.quoted && token.is_one_of(&STOPS) {
            return number;
        }
        let next = after.get(number + 1).filter(|t| t.is_word() && !token.ends);
        let is_number = |next: &Token<'_>| token.is_numeral() && next.is_format();
        if !token.quoted && next.is_some_and(|n| token.is_format() || is_number(n)) {
            number += 1;
            continue;
        }
        // `key 1` is the number of a key, and so is `md5 1 {`.
        let lower = name.text.to_ascii_lowercase();
        let numbered = lower.ends_with("key") || lower == "md5";
        if numbered && next.is_none() && token.is_numeral() && token.text.len() <= 3 {
            return number;
        }
        if is_name(&token.text.to_ascii_lowercase()) {
            extent = Extent::Rest;
        }
        if token.quoted {
            all.push(token.at..token.at + token.text.len());
            return number + 1;
        }
        let last = match extent {
            Extent::Word => number,
            Extent::Rest => last_of_statement(after, number),
        };
        all.push(token.at..after[last].stop);
        return last + 1;
    }
    number
}

/// The number of the last word of the statement that word `from` is in.
fn last_of_statement(tokens: &[Token<'_>], from: usize) -> usize {
    let mut last = from;
    while !tokens[last].ends && tokens.get(last + 1).is_some_and(Token::is_word) {
        last += 1;
    }
    last
}

/// The community of `snmp-server host ADDRESS`, in what follows the address.
fn of_traps(rest: &[Token<'_>]) -> Option<Range<usize>> {
    let mut words = rest.iter();
    while let Some(token) = words.next() {
        if token.is_one_of(&["vrf", "use-vrf", "udp-port", "source-interface"]) {
            words.next();
        } else if !token.is_one_of(&OF_TRAPS) {
            return Some(token.at..token.at + token.text.len());
        }
    }
    None
}

/// What is a secret by itself: `$9$…`, `password=…`, and who signs in, in an address.
fn alone(token: &Token<'_>) -> Option<Range<usize>> {
    let text = token.text;
    let all = token.at..token.at + text.len();
    let kind = text.strip_prefix('$').and_then(|rest| rest.find('$'));
    if kind.is_some_and(|long| (1..=3).contains(&long)) {
        return Some(all);
    }
    if let Some(from) = value_at(text) {
        return Some(token.at + from..all.end);
    }
    let from = text.find("://")? + 3;
    let long = text[from..].rfind('@').filter(|long| *long > 0)?;
    Some(token.at + from..token.at + from + long)
}

/// Where the value of `password=…` or `password:…` begins.
fn value_at(text: &str) -> Option<usize> {
    let behind = |sign: char| {
        let (name, value) = text.split_once(sign)?;
        let lower = name.to_ascii_lowercase();
        let named = is_name(&lower) || lower == "community" || lower.ends_with("authorization");
        (named && !value.is_empty()).then_some(name.len() + 1)
    };
    behind('=').or_else(|| behind(':'))
}

/// Hides what may be a password in a description: words with more than letters, behind `password` or the like. How many
/// words the description has.
fn prose(after: &[Token<'_>], line: &str, start: usize, all: &mut Vec<Range<usize>>) -> usize {
    if after.is_empty() {
        return 0;
    }
    let first = &after[0];
    let last = match first.quoted {
        true => 0,
        false => last_of_statement(after, 0),
    };
    let mut at = first.at;
    let mut said = false;
    for word in line[first.at - start..after[last].stop - start].split(' ') {
        let bare = word.trim_matches(['"', ',', '.', ':', ';', '(', ')']);
        let end = at + word.trim_end_matches('"').len();
        if said && bare.chars().any(|c| !c.is_alphabetic()) {
            all.push(at..end);
        } else if let Some(from) = value_at(word).filter(|from| at + from < end) {
            all.push(at + from..end);
        }
        let lower = bare.to_ascii_lowercase();
        said |= is_name(&lower) && !lower.ends_with("key");
        at += word.len() + 1;
    }
    last + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_hidden_and_its_keyword_stays() {
        for (line, shown) in [
            ("enable secret 5 $1$abcd$XYZ", "enable secret 5 ***"),
            (
                "username admin privilege 15 password 0 Passw0rd",
                "username admin privilege 15 password 0 ***",
            ),
            (" password 0 two words", " password 0 ***"),
            (
                "snmp-server community s3cr3t RW",
                "snmp-server community *** RW",
            ),
            (
                "snmp-server host 10.0.0.9 version 2c s3cr3t",
                "snmp-server host 10.0.0.9 version 2c ***",
            ),
            (
                "snmp-server user u network-admin auth md5 0xab priv aes-128 0xcd localizedkey",
                "snmp-server user u network-admin auth md5 *** priv aes-128 *** localizedkey",
            ),
            (
                "ip ospf message-digest-key 10 md5 7 0822455D0A16",
                "ip ospf message-digest-key 10 md5 7 ***",
            ),
            (
                "standby 1 authentication hsrpkey",
                "standby 1 authentication ***",
            ),
            (
                "ip nhrp authentication NHRPKEY",
                "ip nhrp authentication ***",
            ),
            (
                "crypto isakmp key VPNKEY address 192.0.2.1",
                "crypto isakmp key *** address 192.0.2.1",
            ),
            ("tacacs-server key 7 0822", "tacacs-server key 7 ***"),
            (
                "radius-server host 192.0.2.1 auth-port 1812 key shared",
                "radius-server host 192.0.2.1 auth-port 1812 key ***",
            ),
            ("wpa-psk ascii 0 correct", "wpa-psk ascii 0 ***"),
            (
                "set snmp community read-only inner",
                "set snmp community read-only ***",
            ),
            (
                "encrypted-password \"$6$abc\"; ## SECRET-DATA",
                "encrypted-password \"***\"; ## SECRET-DATA",
            ),
            (
                "pre-shared-key ascii-text \"$9$abc\";",
                "pre-shared-key ascii-text \"***\";",
            ),
            (
                "authentication { plain-text-password-value bobpw; }",
                "authentication { plain-text-password-value ***; }",
            ),
            (
                "community topsecret { authorization read-only; }",
                "community *** { authorization read-only; }",
            ),
            ("description password hunter2", "description password ***"),
            (
                "snmp-agent community read cipher s3cr3t",
                "snmp-agent community read cipher ***",
            ),
            ("area 1 md5 7 0822455D", "area 1 md5 7 ***"),
            (
                "archive path ftp://u:p@192.0.2.1/",
                "archive path ftp://***@192.0.2.1/",
            ),
        ] {
            assert_eq!(masked(line), shown);
        }
    }

    #[test]
    fn what_only_resembles_a_secret_stays() {
        for line in [
            "key chain CORE",
            " key 1",
            "tunnel key 4711",
            "description password reset desk",
            "service password-encryption",
            "password encryption aes",
            "crypto key generate rsa",
            "neighbor 192.0.2.1 send-community both",
            "set community 65000:100 additive",
            "community CUSTOMERS members 65000:1;",
            "ip ospf authentication message-digest",
            "aaa authentication login default group tacacs+ local",
            "isis authentication mode md5",
            "md5 1 {",
            "authentication-algorithm md5;",
            "set policy-options policy-statement IN term a from community BLUE",
            "match community 10",
            "description bearer AB-1234",
            "aaa authorization exec default group tacacs+ local",
            "interface GigabitEthernet0/1\n mtu 1500\n",
        ] {
            assert_eq!(masked(line), line);
        }
    }

    #[test]
    fn what_tools_print_has_secrets_too() {
        for (text, shown) in [
            ("Authorization: Bearer abc", "Authorization: ***"),
            (
                "curl -H \"Authorization: Basic abc\"",
                "curl -H \"Authorization:***\"",
            ),
            ("token: abc", "token: ***"),
            ("apikey=abc", "apikey=***"),
            ("password:hunter2", "password:***"),
            ("the community publ1c", "the community ***"),
            ("{\"password\": \"two words\"}", "{\"password\": \"***\"}"),
            ("\"secret\": \"abc\"", "\"secret\": \"***\""),
        ] {
            assert_eq!(masked(text), shown);
        }
    }

    #[test]
    fn places_move_with_what_is_hidden() {
        let text = "key 7 0822455D0A16\nspeed 100\n";
        let masked = Masked::of(text);
        assert_eq!(masked.text, "key 7 ***\nspeed 100\n");
        let word = |from: &str| text.find(from).expect("it is there");
        let speed = word("speed");
        let moved = masked.span(&(speed..speed + 5));
        assert_eq!(&masked.text[moved], "speed");
        let within = word("2245");
        let moved = masked.span(&(within..within + 2));
        assert_eq!(&masked.text[moved], "***");
        assert_eq!(masked.span(&(0..text.len())), 0..masked.text.len());
    }
}
