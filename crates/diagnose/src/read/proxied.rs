//! git and apt behind a proxy: by their own settings (git-config, 1, `http.proxy`; apt-transport-http, 1, `Acquire::http::Proxy`), and by the
//! environment of their shell. What they wait for lies on the way through that proxy, and pings to the server show another path.

use super::environment::heeds;
use super::fetch::{Way, end, way};
use super::label::behind_prompt;
use super::shell::{before, setting, words};
use super::{Facts, Line, NOTES_MAX};
use crate::fact::Place;
use crate::seen::End;

/// What stands in every line that is read here.
const MARKS: [&str; 4] = ["git ", "apt ", "apt-get ", "Acquire::"];

/// The setting of git, which is of servers by HTTP and HTTPS.
const OF_GIT: &str = "http.proxy";

/// Settings of apt.
const OF_APT: [&str; 2] = ["Acquire::http::Proxy", "Acquire::https::Proxy"];

/// Commands of apt that fetch something.
const FETCHES: [&str; 7] = [
    "update",
    "install",
    "upgrade",
    "full-upgrade",
    "dist-upgrade",
    "download",
    "source",
];

/// What says that a program goes through a proxy without a setting of its own.
const ENVIRONMENT: &str = "its environment";

/// A program that goes through a proxy.
#[derive(Clone, Debug, PartialEq)]
struct Proxied {
    program: &'static str,
    /// What says so.
    by: &'static str,
    proxy: End,
}

impl Facts {
    /// Says of a command of git or apt, or of a line of apt's settings, that its way is a proxy's.
    pub(super) fn typed_through(&mut self, line: Line<'_>) {
        let text = line.bare;
        if !MARKS.iter().any(|mark| text.contains(mark)) || self.notes.len() >= NOTES_MAX {
            return;
        }
        let behind = behind_prompt(text);
        let at_prompt = behind.and_then(|typed| {
            let around = self.surrounds(line, typed);
            command(typed, around.settings)
        });
        let found = at_prompt
            .or_else(|| command(text, &[]))
            .or_else(|| printed(text));
        let Some(found) = found else { return };
        self.goes_through((found.program, found.by), &found.proxy, line.at);
    }

    /// Says once that a program goes through a proxy, by what, and what of the texts is of another path then.
    pub(super) fn goes_through(&mut self, (program, by): (&str, &str), proxy: &End, at: Place) {
        let begin = format!("{program} goes through the proxy {}", proxy.shown());
        let known = self.notes.iter().any(|note| note.contains(&begin));
        if known || self.notes.len() >= NOTES_MAX {
            return;
        }
        self.notes.push(format!(
            "{}: {begin} ({by}): its way is the leg to that proxy, the proxy itself and the leg behind it. Pings and traces to the server show another path; ping -c 20 {} shows the first leg",
            self.place(at),
            proxy.host
        ));
    }
}

/// The proxy of a command of git or apt that is typed with these settings around it.
fn command(text: &str, around: &[(String, String)]) -> Option<Proxied> {
    let all = words(text);
    let begin = before(&all);
    let program = all.get(begin)?.rsplit('/').next()?;
    // These do not hand their environment on.
    let anew = |word: &String| ["sudo", "doas"].contains(&word.as_str());
    let handed = !all[..begin].iter().any(anew);
    let around = around
        .iter()
        .filter(|(name, _)| handed && heeds("curl", name))
        .map(|(name, value)| (name.as_str(), value.as_str()));
    let own = all[..begin].iter().filter_map(|word| setting(word));
    let settings: Vec<(&str, &str)> = around.chain(own).collect();
    let rest = &all[begin + 1..];
    match program {
        "git" => git(rest, &settings),
        "apt" | "apt-get" => apt(rest, &settings),
        _ => None,
    }
}

/// The proxy that settings of the environment name for a server.
fn by_environment(server: (&str, &str), settings: &[(&str, &str)]) -> Option<End> {
    match way(server, &[], settings) {
        Way::Through(proxy) => Some(proxy),
        Way::Direct | Way::Unsaid => None,
    }
}

/// The proxy in a value of a setting: `http://192.0.2.8:3128/`; none of one that says that there is none.
fn named(value: &str) -> Option<End> {
    let none = ["direct", "false"].contains(&value.to_ascii_lowercase().as_str());
    let (_, authority) = value.split_once("://").unwrap_or(("", value));
    let authority = authority.split('/').next().unwrap_or(authority);
    end(authority).filter(|_| !none)
}

/// `git -c http.proxy=URL clone https://HOST/PATH`, `git config --global http.proxy URL`, and a command with the address of a server.
fn git(rest: &[String], settings: &[(&str, &str)]) -> Option<Proxied> {
    let of = |by, proxy| Proxied {
        program: "git",
        by,
        proxy,
    };
    if rest.first().is_some_and(|word| word == "config") {
        let away = rest.iter().any(|word| word.starts_with("--unset"));
        let at = rest.iter().position(|word| is_key_of_git(word));
        let value = rest.get(at.filter(|_| !away)? + 1)?;
        return named(value).map(|proxy| of(OF_GIT, proxy));
    }
    let options = rest.windows(2).filter(|two| two[0] == "-c");
    let mut options = options.filter_map(|two| two[1].split_once('='));
    let set = options.rfind(|(key, _)| is_key_of_git(key));
    let mut servers = rest.iter().filter(|word| setting_of(word).is_none());
    let server = servers.clone().find_map(|word| word.split_once("://"));
    let by_ssh = servers.any(|word| word.contains('@') && !word.contains("://"));
    let by_web = server.is_none_or(|(scheme, _)| ["http", "https"].contains(&scheme));
    if by_ssh || !by_web {
        return None;
    }
    if let Some((_, value)) = set {
        return named(value).map(|proxy| of(OF_GIT, proxy));
    }
    let (scheme, address) = server?;
    let host = end(address.split('/').next()?)?.host;
    let proxy = by_environment((scheme, &host), settings)?;
    Some(of(ENVIRONMENT, proxy))
}

/// Whether a word is the name of git's setting, which has no capitals of its own.
fn is_key_of_git(word: &str) -> bool {
    word.eq_ignore_ascii_case(OF_GIT)
}

/// A setting of git in a word: `http.proxy=URL`.
fn setting_of(word: &str) -> Option<(&str, &str)> {
    let (key, value) = word.split_once('=')?;
    key.contains('.').then_some((key, value))
}

/// The setting of apt that a word is.
fn key_of_apt(word: &str) -> Option<&'static str> {
    OF_APT
        .into_iter()
        .find(|key| key.eq_ignore_ascii_case(word))
}

/// `apt-get -o Acquire::http::Proxy=URL update`, and a command that fetches.
fn apt(rest: &[String], settings: &[(&str, &str)]) -> Option<Proxied> {
    let of = |by, proxy| Proxied {
        program: "apt",
        by,
        proxy,
    };
    let each = rest.iter().map(|w| w.strip_prefix("-o").unwrap_or(w));
    let mut set = each.filter_map(|word| {
        let (key, value) = word.split_once('=')?;
        Some((key_of_apt(key)?, value))
    });
    if let Some((key, value)) = set.next() {
        return named(value).map(|proxy| of(key, proxy));
    }
    let fetches = rest.iter().any(|word| FETCHES.contains(&word.as_str()));
    let proxy = by_environment(("http", ""), settings).filter(|_| fetches)?;
    Some(of(ENVIRONMENT, proxy))
}

/// A line of apt's settings, as a file or `apt-config dump` has it: `Acquire::http::Proxy "http://192.0.2.8:3128/";`.
fn printed(text: &str) -> Option<Proxied> {
    let (key, value) = text.split_once(char::is_whitespace)?;
    let by = key_of_apt(key)?;
    let value = value.trim().strip_suffix(';')?;
    let proxy = named(value.trim().trim_matches('"'))?;
    let program = "apt";
    Some(Proxied { program, by, proxy })
}

#[cfg(test)]
mod tests {
    use crate::read::taken::whole as facts;

    /// What is said of proxies in a text.
    fn said(text: &str) -> Vec<String> {
        let (facts, _) = facts(text);
        let notes = facts.notes.iter();
        let own = notes.filter(|note| note.contains("goes through the proxy"));
        own.cloned().collect()
    }

    #[test]
    fn git_and_apt_behind_a_proxy_are_said_once() {
        for (text, says) in [
            (
                "$ git -c http.proxy=http://192.0.2.8:3128 clone https://git.example/a.git\n$ git -c http.proxy=http://192.0.2.8:3128 clone https://git.example/a.git\n",
                "git goes through the proxy 192.0.2.8:3128 (http.proxy)",
            ),
            (
                "$ git config --global http.proxy http://proxy.corp:3128\n",
                "git goes through the proxy proxy.corp:3128 (http.proxy)",
            ),
            (
                "$ env\nHOME=/root\nhttps_proxy=http://192.0.2.8:3128\n$ git clone https://git.example/a.git\n",
                "git goes through the proxy 192.0.2.8:3128 (its environment)",
            ),
            (
                "# apt-get -o Acquire::http::Proxy=http://192.0.2.8:3128 update\n",
                "apt goes through the proxy 192.0.2.8:3128 (Acquire::http::Proxy)",
            ),
            (
                "# export http_proxy=http://192.0.2.8:3128\n# apt update\n",
                "apt goes through the proxy 192.0.2.8:3128 (its environment)",
            ),
            (
                "# cat /etc/apt/apt.conf.d/95proxy\nAcquire::http::Proxy \"http://192.0.2.8:3128/\";\n",
                "apt goes through the proxy 192.0.2.8:3128 (Acquire::http::Proxy)",
            ),
        ] {
            let notes = said(text);
            assert_eq!(notes.len(), 1, "{text}: {notes:?}");
            assert!(notes[0].contains(says), "{text}: {notes:?}");
        }
    }

    #[test]
    fn what_goes_past_every_proxy_is_not_said() {
        for text in [
            "$ git clone https://git.example/a.git\n",
            "$ git -c http.proxy=http://192.0.2.8:3128 clone git@git.example:a.git\n",
            "$ git -c http.proxy= clone https://git.example/a.git\n",
            "$ git config --global --unset http.proxy\n",
            "$ export https_proxy=http://192.0.2.8:3128 no_proxy=.example\n$ git clone https://git.example/a.git\n",
            "$ export http_proxy=http://192.0.2.8:3128\n$ sudo apt update\n",
            "# cat /etc/apt/apt.conf.d/95proxy\nAcquire::http::Proxy \"DIRECT\";\n",
            "we use git and apt behind the proxy http://192.0.2.8:3128\n",
        ] {
            assert_eq!(said(text), Vec::<String>::new(), "{text}");
        }
    }
}
