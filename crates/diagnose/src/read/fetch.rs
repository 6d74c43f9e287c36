//! Commands that fetch a file, or send one: whom curl and wget ask, through which proxy, and with which options.

use std::collections::BTreeSet;

use super::authority;
use super::environment::{Around, PROXIES, heeds};
use super::label::behind_prompt;
use super::shell::{before, setting, words};
use super::{Facts, Line};
use crate::fact::{Figure, Place};
use crate::seen::{End, Side, Test};

/// A command of one address.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fetch {
    /// Where it was typed.
    pub(crate) at: Place,
    /// The program; empty where nothing is known of the command.
    tool: &'static str,
    /// The address of the file, without what stands behind `?`.
    pub(crate) url: String,
    /// The host of that address.
    pub(crate) host: String,
    /// The port there, by the address or else by its scheme.
    pub(crate) port: Option<u16>,
    /// Whether it goes through a proxy.
    pub(crate) way: Way,
    /// Options that bear on its way or its rate.
    pub(crate) options: Vec<String>,
    /// What somebody wrote above it that sets it apart: `with VPN`.
    pub(crate) title: Option<String>,
    /// The rate of the first transfer below it, bit/s.
    pub(crate) rate: Option<Figure>,
}

/// Whether a command goes through a proxy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// It does not say; the environment may.
    Unsaid,
    /// It goes past every proxy.
    Direct,
    /// It goes through this one.
    Through(End),
}

/// Words that a line begins with which says how the command below it differs from another, and most bytes of it.
const TITLES: [&str; 8] = [
    "with", "without", "via", "through", "over", "on", "by", "using",
];
const TITLE_MAX: usize = 60;

/// Most commands that are kept.
const FETCHES_MAX: usize = 200;

/// Most bytes of an address or an option that is kept.
const LONG: usize = 300;

/// Letters of curl, and of wget, whose value is the rest of the word or the next one.
const LETTERS: [(&str, &str); 2] = [
    ("curl", "AbcCdDeEFhHKmoPQrtTuUwxXyYz"),
    ("wget", "aABDeiIloOPQRtTUwX"),
];

/// Long options of both whose value may be an address, or is kept, and stands in the next word where no `=` joins it; of curl [`PROXIES`]
/// besides.
const VALUED: [(&str, &[&str]); 2] = [
    (
        "curl",
        &[
            "noproxy",
            "interface",
            "limit-rate",
            "url",
            "referer",
            "doh-url",
        ],
    ),
    (
        "wget",
        &["execute", "limit-rate", "bind-address", "referer"],
    ),
];

/// Ports of services by the schemes of their addresses (IANA Service Name and Transport Protocol Port Number Registry).
const SCHEMES: [(&str, u16); 3] = [("http", 80), ("https", 443), ("ftp", 21)];

/// Options that bear on a way or a rate, and how they are shown; what has a value is shown with it.
const SHOWN: [(&str, &str); 14] = [
    ("4", "-4"),
    ("ipv4", "-4"),
    ("inet4-only", "-4"),
    ("6", "-6"),
    ("ipv6", "-6"),
    ("inet6-only", "-6"),
    ("interface", "--interface"),
    ("bind-address", "--bind-address"),
    ("limit-rate", "--limit-rate"),
    ("http1.0", "--http1.0"),
    ("http1.1", "--http1.1"),
    ("http2", "--http2"),
    ("http2-prior-knowledge", "--http2"),
    ("http3", "--http3"),
];

impl Facts {
    /// Keeps a line that was typed, where it is such a command.
    pub(super) fn typed_fetch(&mut self, line: Line<'_>) {
        self.environment(line);
        let text = line.bare;
        if let Some(title) = title(text) {
            self.titled = Some((line.at, crate::redact(title)));
        }
        if self.fetches.len() >= FETCHES_MAX || !text.contains("curl") && !text.contains("wget") {
            return;
        }
        let behind = behind_prompt(text);
        let known =
            behind.and_then(|command| fetch(command, line.at, self.surrounds(line, command)));
        let known = known.or_else(|| fetch(text, line.at, Around::default()));
        // What is printed below another command of theirs is not of the one before it.
        let another = || runs(text, behind).then(|| Fetch::unknown(line.at));
        if let Some(found) = known.or_else(another) {
            let title = self.title_above(line.at);
            self.fetches.push(Fetch { title, ..found });
        }
    }

    /// What somebody wrote just above a place, with an empty line between or without.
    fn title_above(&mut self, at: Place) -> Option<String> {
        let (above, title) = self.titled.take()?;
        matches!(at.lines_below(above), Some(1 | 2)).then_some(title)
    }

    /// Gives transfers the ends that their commands name, where several ask one host in different ways, as nothing else tells them apart, and
    /// where they go through a proxy, which is their end then.
    pub(super) fn settle_fetches(&mut self) {
        let Facts { tests, fetches, .. } = self;
        let of = |test: &Test| command(fetches, test);
        let each: Vec<Option<usize>> = tests.iter().map(of).collect();
        for (test, n) in tests.iter().zip(&each) {
            let rate = test.goodput().map(|(rate, _)| rate.clone());
            if let (Some(n), Some(rate)) = (*n, rate) {
                fetches[n].rate.get_or_insert(rate);
            }
        }
        let used: BTreeSet<usize> = each.iter().flatten().copied().collect();
        let is_beside = |n: &usize| used.iter().any(|m| fetches[*m].is_beside(&fetches[*n]));
        let is_through = |n: &usize| matches!(fetches[*n].way, Way::Through(_));
        let named = used.iter().copied();
        let named: BTreeSet<usize> = named.filter(|n| is_beside(n) || is_through(n)).collect();
        let mut through = Vec::new();
        for (test, n) in tests.iter_mut().zip(each) {
            if let Some(n) = n.filter(|n| named.contains(n)) {
                fetches[n].name_ends(test);
                let asked = match test.client {
                    Side::Receiver => &test.from,
                    Side::Sender => &test.to,
                };
                if let Way::Through(proxy) = &fetches[n].way
                    && asked.host == proxy.host
                {
                    through.push((fetches[n].tool, proxy.clone(), fetches[n].at));
                }
            }
        }
        for (tool, proxy, at) in through {
            self.goes_through((tool, "its command or environment"), &proxy, at);
        }
    }

    /// The last command above a place in its text.
    pub(crate) fn fetch_above(&self, at: Place) -> Option<&Fetch> {
        above(&self.fetches, at).and_then(|n| self.fetches.get(n))
    }

    /// The command that a transfer was typed with.
    pub(crate) fn fetched_by(&self, test: &Test) -> Option<&Fetch> {
        command(&self.fetches, test).and_then(|n| self.fetches.get(n))
    }
}

/// The number of the command above a place in its text: the last one of those.
fn above(fetches: &[Fetch], at: Place) -> Option<usize> {
    let Place::Line(own, _) = at else {
        return None;
    };
    // They stand in the order in which they were read.
    let above = fetches.partition_point(|fetch| fetch.at <= at);
    // Behind the last that is kept there may be others.
    let n = above.checked_sub(1).filter(|n| n + 1 < FETCHES_MAX)?;
    let here = matches!(fetches.get(n)?.at, Place::Line(source, _) if source == own);
    here.then_some(n)
}

/// The number of the command above a transfer, where it is of the same tool.
fn command(fetches: &[Fetch], test: &Test) -> Option<usize> {
    let n = above(fetches, test.at)?;
    (fetches.get(n)?.tool == test.tool).then_some(n)
}

/// Whether a line runs one of the two programs, by its first word, or by any behind a prompt.
fn runs(text: &str, behind: Option<&str>) -> bool {
    let is_one = |word: &str| tool(word).is_some();
    let first = text.split_whitespace().next();
    first.is_some_and(is_one) || behind.is_some_and(|text| text.split_whitespace().any(is_one))
}

/// What a line above a command says of it, without its colon: `without VPN:`.
fn title(text: &str) -> Option<&str> {
    let said = text.strip_suffix(':').filter(|t| t.len() <= TITLE_MAX)?;
    let first = said.split_whitespace().next()?.to_ascii_lowercase();
    TITLES.contains(&first.as_str()).then_some(said)
}

/// The tool that a word of a command runs.
fn tool(word: &str) -> Option<&'static str> {
    let program = word.rsplit(['/', '\\']).next()?;
    match program.trim_end_matches(".exe") {
        "curl" => Some("curl"),
        "wget" => Some("wget"),
        _ => None,
    }
}

impl Fetch {
    /// A command of which nothing is known.
    fn unknown(at: Place) -> Fetch {
        Fetch {
            at,
            tool: "",
            url: String::new(),
            host: String::new(),
            port: None,
            way: Way::Unsaid,
            options: Vec::new(),
            title: None,
            rate: None,
        }
    }

    /// Whether another command asks the same host in another way.
    pub(crate) fn is_beside(&self, other: &Fetch) -> bool {
        let differs = self.way != other.way || self.options != other.options;
        differs && self.host.eq_ignore_ascii_case(&other.host)
    }

    /// Whether another command is the same, and what somebody wrote above each says that something else differs.
    pub(crate) fn is_again(&self, other: &Fetch) -> bool {
        let same = self.way == other.way && self.options == other.options;
        let titled = self.title.is_some() && other.title.is_some() && self.title != other.title;
        titled && same && !self.url.is_empty() && self.url == other.url
    }

    /// Names the end of a transfer that was asked, and what sets it apart.
    fn name_ends(&self, test: &mut Test) {
        let asked = match test.client {
            Side::Receiver => &mut test.from,
            Side::Sender => &mut test.to,
        };
        if asked.host.is_empty() {
            *asked = match &self.way {
                Way::Through(proxy) => proxy.clone(),
                Way::Unsaid | Way::Direct => End {
                    host: self.host.clone(),
                    port: None,
                },
            };
        }
        let through = match &self.way {
            Way::Through(_) => Some(format!("{} through this proxy", self.host)),
            Way::Unsaid | Way::Direct => None,
        };
        let options = (!self.options.is_empty()).then(|| self.options.join(" "));
        let all: Vec<String> = through.into_iter().chain(options).collect();
        if test.name.is_empty() {
            test.name = all.join(", ");
        }
    }
}

/// A command that fetches one file, if a text is one, with what is known of its environment.
fn fetch(text: &str, at: Place, known: Around<'_>) -> Option<Fetch> {
    let all = expanded(words(text), known);
    let begin = before(&all);
    let tool = tool(all.get(begin)?)?;
    // These do not hand their environment on.
    let anew = |word: &String| ["sudo", "doas"].contains(&word.as_str());
    let handed = !all[..begin].iter().any(anew);
    let own = parts(tool, &all[begin + 1..]);
    // Without its file where that is said, or another user's.
    let is_bare = |(name, _): &(String, String)| ["q", "disable"].contains(&name.as_str());
    let of_file = handed && tool == "curl" && !own.iter().any(is_bare);
    let of_file = known.curlrc.iter().filter(|_| of_file).cloned();
    let parts: Vec<(String, String)> = of_file.chain(own).collect();
    let urls = parts.iter().filter(|(name, value)| {
        let schemes = ["http://", "https://", "ftp://"];
        let is_url = schemes.iter().any(|scheme| value.starts_with(scheme));
        is_url && ["", "url"].contains(&name.as_str())
    });
    let urls: Vec<&str> = urls.map(|(_, url)| url.as_str()).collect();
    let [url] = urls[..] else { return None };
    let (scheme, rest) = url.split_once("://")?;
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let End { host, port } = end(authority)?;
    let usual = SCHEMES.iter().find(|(known, _)| *known == scheme);
    let port = port.or(usual.map(|(_, port)| *port));
    let file = path.split(['?', '#']).next().unwrap_or("");
    let around = known
        .settings
        .iter()
        .filter(|(name, _)| handed && heeds(tool, name))
        .map(|(name, value)| (name.as_str(), value.as_str()));
    let settings = all[..begin].iter().filter_map(|word| setting(word));
    let of_wget = parts.iter().filter(|(name, _)| name == "execute");
    let settings: Vec<(&str, &str)> = around
        .chain(settings)
        .chain(of_wget.filter_map(|(_, value)| setting(value)))
        .collect();
    let url = format!("{scheme}://{host}{file}");
    Some(Fetch {
        at,
        tool,
        url: crate::redact(&url).chars().take(LONG).collect(),
        way: way((scheme, &host), &parts, &settings),
        options: options(&parts),
        title: None,
        host,
        port,
        rate: None,
    })
}

/// The words of a command with what its shell puts in the place of the program's name.
fn expanded(mut all: Vec<String>, known: Around<'_>) -> Vec<String> {
    let begin = before(&all);
    // Of what a program runs the shell knows nothing; `time` is its own word.
    let own = |word: &String| word == "time" || setting(word).is_some();
    let alias = known
        .aliases
        .iter()
        .find(|(name, _)| all.get(begin) == Some(name))
        .filter(|_| all[..begin].iter().all(own));
    if let Some((_, words)) = alias {
        all.splice(begin..=begin, words.iter().cloned());
    }
    all
}

/// Options by name with their values, and other words without a name.
fn parts(tool: &str, words: &[String]) -> Vec<(String, String)> {
    let letters = LETTERS.iter().find(|(name, _)| *name == tool);
    let letters = letters.map(|(_, letters)| *letters).unwrap_or_default();
    let valued = VALUED.iter().find(|(name, _)| *name == tool);
    let valued = valued.map(|(_, names)| *names).unwrap_or_default();
    let is_valued =
        |name: &str| valued.contains(&name) || tool == "curl" && PROXIES.contains(&name);
    let mut all = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        if let Some(long) = word.strip_prefix("--") {
            let (name, joined) = match long.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (long, None),
            };
            let value = match joined {
                None if is_valued(name) => rest.next().cloned(),
                joined => joined,
            };
            all.push((name.to_owned(), value.unwrap_or_default()));
            continue;
        }
        let Some(short) = word.strip_prefix('-').filter(|short| !short.is_empty()) else {
            all.push((String::new(), word.clone()));
            continue;
        };
        // `-nv` and the like of wget are of two letters.
        if tool == "wget" && short.starts_with('n') {
            continue;
        }
        for (n, letter) in short.char_indices() {
            if !letters.contains(letter) {
                all.push((letter.to_string(), String::new()));
                continue;
            }
            let joined = &short[n + letter.len_utf8()..];
            let value = match joined {
                "" => rest.next().cloned().unwrap_or_default(),
                joined => joined.to_owned(),
            };
            all.push((named(tool, letter), value));
            break;
        }
    }
    all
}

/// The long name of a letter that is of use here.
fn named(tool: &str, letter: char) -> String {
    match (tool, letter) {
        ("curl", 'x') => "proxy".to_owned(),
        ("wget", 'e') => "execute".to_owned(),
        _ => letter.to_string(),
    }
}

/// Whether a command goes through a proxy, by its options and settings.
pub(super) fn way(
    (scheme, host): (&str, &str),
    parts: &[(String, String)],
    settings: &[(&str, &str)],
) -> Way {
    let option = |names: &[&str]| {
        let mut all = parts.iter().rev();
        let found = all.find(|(name, _)| names.contains(&name.as_str()));
        found.map(|(_, value)| value.as_str())
    };
    let set = |name: &str| {
        let mut all = settings.iter().rev();
        let found = all.find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map(|(_, value)| *value)
    };
    let excepted = option(&["noproxy"]).or_else(|| set("no_proxy"));
    // A name stands for what is below it, too.
    let lower = host.to_ascii_lowercase();
    let is_below = |name: &str| {
        let rest = lower.strip_suffix(&name.to_ascii_lowercase());
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    let is_excepted = |list: &str| {
        let names = list.split([',', ' ']);
        let mut each = names.map(|name| name.trim_start_matches('.'));
        each.any(|name| name == "*" || !name.is_empty() && is_below(name))
    };
    let off = set("use_proxy").is_some_and(|value| ["no", "off"].contains(&value));
    if off || option(&["no-proxy"]).is_some() || excepted.is_some_and(is_excepted) {
        return Way::Direct;
    }
    let by_scheme = format!("{scheme}_proxy");
    let proxy = option(&PROXIES).or_else(|| set(&by_scheme).or_else(|| set("all_proxy")));
    match proxy {
        None => Way::Unsaid,
        Some("") => Way::Direct,
        Some(proxy) => {
            let authority = proxy.split_once("://").map_or(proxy, |(_, rest)| rest);
            let authority = authority.split('/').next().unwrap_or(authority);
            end(authority).map_or(Way::Unsaid, Way::Through)
        }
    }
}

/// The options that are shown, each once.
fn options(parts: &[(String, String)]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for (name, value) in parts {
        let Some((_, shown)) = SHOWN.iter().find(|(known, _)| known == name) else {
            continue;
        };
        let text = match value.as_str() {
            "" => (*shown).to_owned(),
            value => format!("{shown} {}", crate::redact(value)),
        };
        let text: String = text.chars().take(LONG).collect();
        if !all.contains(&text) {
            all.push(text);
        }
    }
    all
}

/// The host and port of `user:secret@192.0.2.8:3128`, without the first; none without a host.
pub(super) fn end(authority: &str) -> Option<End> {
    let (host, port) = authority::parts(authority);
    let is_host = |c: char| c.is_ascii_alphanumeric() || ".-_:".contains(c);
    let known = !host.is_empty() && host.len() < LONG && host.chars().all(is_host);
    known.then(|| End {
        host: crate::address(host),
        port: port.and_then(|port| port.parse().ok()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<Fetch> {
        let bare = |command: &str| fetch(command, Place::You, Around::default());
        behind_prompt(text).and_then(bare).or_else(|| bare(text))
    }

    fn proxy(host: &str, port: Option<u16>) -> Way {
        Way::Through(End {
            host: host.to_owned(),
            port,
        })
    }

    #[test]
    fn a_command_names_its_host_and_its_proxy() {
        let squid = || proxy("proxy.corp", Some(3128));
        for (text, way) in [
            (
                "$ curl -x http://proxy.corp:3128 -o a http://h.example/f",
                squid(),
            ),
            (
                "$ curl -sSo a -xproxy.corp:3128 http://h.example/f?key=1",
                squid(),
            ),
            (
                "C:\\> curl.exe --proxy http://u:p@proxy.corp:3128/ http://h.example/f",
                squid(),
            ),
            (
                "a# http_proxy=http://proxy.corp:3128 curl http://h.example/f | wc -c",
                squid(),
            ),
            (
                "$ wget -e use_proxy=yes -e http_proxy=proxy.corp:3128 http://h.example/f",
                squid(),
            ),
            (
                "$ curl -x '' -w '%{speed_download}; %{url}' http://h.example/f",
                Way::Direct,
            ),
            (
                "$ curl --noproxy '*' -x proxy.corp:3128 http://h.example/f",
                Way::Direct,
            ),
            (
                "$ http_proxy=proxy.corp no_proxy=localhost,.example curl http://h.example/f",
                Way::Direct,
            ),
            (
                "$ wget --no-proxy -O /dev/null http://h.example/f",
                Way::Direct,
            ),
            (
                "curl -e http://other.example/ http://h.example/f",
                Way::Unsaid,
            ),
            (
                "$ https_proxy=proxy.corp:3128 curl http://h.example/f",
                Way::Unsaid,
            ),
        ] {
            let fetch = of(text).expect(text);
            assert_eq!(fetch.way, way, "{text}");
            assert_eq!(fetch.url, "http://h.example/f", "{text}");
            assert_eq!(fetch.host, "h.example", "{text}");
        }
        for text in [
            "$ curl http://a.example/f http://b.example/f",
            "$ curl --version",
            "we use curl for http://a.example/f",
            "$ iperf3 -c curl",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
    }

    #[test]
    fn a_file_of_options_and_an_alias_name_a_proxy() {
        let file = [("proxy".to_owned(), "http://proxy.corp:3128".to_owned())];
        let alias = ["curl", "-x", "proxy.corp:3128"].map(str::to_owned);
        let aliases = [("curl".to_owned(), alias.to_vec())];
        let of_file = Around {
            curlrc: &file,
            ..Around::default()
        };
        let of_alias = Around {
            aliases: &aliases,
            ..Around::default()
        };
        let way = |text: &str, known| fetch(text, Place::You, known).expect(text).way;
        let squid = || proxy("proxy.corp", Some(3128));
        assert_eq!(way("curl http://h.example/f", of_file), squid());
        assert_eq!(way("time curl http://h.example/f", of_alias), squid());
        // An option of the command's own comes behind those of the file.
        let other = way("curl -x other:80 http://h.example/f", of_file);
        assert_eq!(other, proxy("other", Some(80)));
        for (text, known) in [
            ("curl -q http://h.example/f", of_file),
            ("curl --noproxy '*' http://h.example/f", of_alias),
            ("sudo curl http://h.example/f", of_alias),
            ("wget http://h.example/f", of_file),
        ] {
            assert_ne!(way(text, known), squid(), "{text}");
        }
    }

    #[test]
    fn options_that_bear_on_a_way_or_a_rate_are_kept() {
        let text =
            "$ curl -4 -s --limit-rate 2M --interface eth1 -H 'A: -6' https://[2001:db8::1]:8443/f";
        let fetch = of(text).expect("it is one");
        assert_eq!(fetch.options, ["-4", "--limit-rate 2M", "--interface eth1"]);
        assert_eq!(fetch.host, "2001:db8::1");
        let wget = of("$ wget -nv -6 --limit-rate=300k -O a http://h.example/f").expect("one");
        assert_eq!(wget.options, ["-6", "--limit-rate 300k"]);
    }
}
