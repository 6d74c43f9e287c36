//! Proxies that the environment of a shell names, its aliases and the file of curl's options, as they are set or printed there: later commands
//! at the same prompt go through them.

use super::command::is_windows;
use super::label::{behind_prompt, is_typed};
use super::shell::{setting, words};
use super::{Facts, Line};
use crate::fact::Place;

/// What the environment of a shell says of proxies.
#[derive(Clone, Debug, Default)]
pub(super) struct Environment {
    /// The source, and the prompt as far as its folder.
    shell: (u32, String),
    /// Whether it is one of Windows, which knows no capitals in names.
    windows: bool,
    /// Names and values, those in capitals first: the others take precedence.
    settings: Vec<(String, String)>,
    /// Options of curl's file.
    curlrc: Vec<(String, String)>,
    /// Programs, and the words that stand for their names.
    aliases: Vec<(String, Vec<String>)>,
    /// What a command prints below it.
    lists: Lists,
}

/// What a command prints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Lists {
    #[default]
    Nothing,
    Variables,
    Options,
}

/// What is known of a shell that a command is typed in.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Around<'a> {
    pub(super) settings: &'a [(String, String)],
    pub(super) curlrc: &'a [(String, String)],
    pub(super) aliases: &'a [(String, Vec<String>)],
}

/// Options of curl that name a proxy.
pub(super) const PROXIES: [&str; 6] = [
    "proxy",
    "preproxy",
    "socks4",
    "socks4a",
    "socks5",
    "socks5-hostname",
];

/// Most options, and most aliases, that are kept.
const KEPT_MAX: usize = 16;

/// Variables that say which proxy is used, or past what; in capitals, too.
const NAMES: [&str; 5] = [
    "http_proxy",
    "https_proxy",
    "ftp_proxy",
    "all_proxy",
    "no_proxy",
];

impl Facts {
    /// Takes what a line sets, or prints, of the environment.
    pub(super) fn environment(&mut self, line: Line<'_>) {
        let Place::Line(source, _) = line.at else {
            return;
        };
        let text = line.bare;
        let behind = behind_prompt(text).unwrap_or("");
        let windows = is_windows(text);
        let own = &mut self.environment;
        if let Some(lists) = sets(behind, windows) {
            own.begins((source, shell(text, behind)), windows);
            own.lists = lists;
            match windows {
                true => own.typed_in_windows(behind),
                false => own.typed_all(behind),
            }
            return;
        }
        let here = own.shell.0 == source;
        match own.lists {
            _ if is_typed(text) => own.lists = Lists::Nothing,
            Lists::Variables if here && text.contains('=') => own.printed(text),
            Lists::Options if here => own.option(text),
            _ => own.headed(text),
        }
    }

    /// What is known of the environment that a command at a prompt is typed in.
    pub(super) fn surrounds(&self, line: Line<'_>, behind: &str) -> Around<'_> {
        let own = &self.environment;
        match line.at {
            Place::Line(source, _) if own.shell == (source, shell(line.bare, behind)) => Around {
                settings: &own.settings,
                curlrc: &own.curlrc,
                aliases: &own.aliases,
            },
            _ => Around::default(),
        }
    }
}

/// What a command lists that sets variables, options or aliases, or prints them; none of another command.
fn sets(command: &str, windows: bool) -> Option<Lists> {
    let mut words = command.split_whitespace();
    let first = words.next()?;
    let lower = first.to_ascii_lowercase();
    let of_file = words.any(|word| word.ends_with(".curlrc") || word.ends_with("_curlrc"));
    match first {
        "cat" | "grep" | "type" if of_file => Some(Lists::Options),
        "set" if windows => Some(Lists::Variables),
        _ if windows && lower.starts_with("$env:") => Some(Lists::Nothing),
        _ if windows && lower == "remove-item" => Some(Lists::Nothing),
        _ if windows => None,
        "env" | "printenv" | "export" | "declare" | "alias" => Some(Lists::Variables),
        "unset" | "setenv" | "unsetenv" | "unalias" => Some(Lists::Nothing),
        _ => None,
    }
}

/// The prompt that a line begins with, as far as its folder: `root@a:/tmp# env` has `root@a`, and `$ env` has `$`.
fn shell(text: &str, behind: &str) -> String {
    let prompt = text.strip_suffix(behind).unwrap_or("");
    let name = prompt.split(':').next().unwrap_or("").trim();
    name.to_owned()
}

impl Environment {
    /// What follows is of this shell.
    fn begins(&mut self, shell: (u32, String), windows: bool) {
        if self.shell != shell {
            *self = Environment {
                shell,
                windows,
                ..Environment::default()
            };
        }
    }

    /// Each of the commands of a line that a shell of a Unix is given.
    fn typed_all(&mut self, line: &str) {
        for command in line.split("&&").flat_map(|part| part.split(';')) {
            self.typed(&words(command.trim()));
        }
    }

    /// A line that sets a variable in a shell of Windows, or takes it away: `set https_proxy=http://192.0.2.8:3128`,
    /// `$env:https_proxy = "http://192.0.2.8:3128"`, `Remove-Item Env:https_proxy`.
    fn typed_in_windows(&mut self, line: &str) {
        let all = words(line);
        let Some((command, rest)) = all.split_first() else {
            return;
        };
        let lower = command.to_ascii_lowercase();
        if lower.starts_with("$env:") {
            // White space may stand around the sign.
            let whole = format!("{}{}", &command["$env:".len()..], rest.concat());
            if let Some((name, value)) = setting(&whole) {
                self.has(name, value);
            }
        } else if lower == "set" {
            if let Some((name, value)) = rest.first().and_then(|word| setting(word)) {
                self.has(name, value);
            }
        } else if lower == "remove-item" {
            for word in rest {
                if let Some((drive, name)) = word.split_once(':')
                    && drive.eq_ignore_ascii_case("env")
                {
                    self.has(name.trim_start_matches(['\\', '/']), "");
                }
            }
        } else {
            self.curlrc.clear();
        }
    }

    /// A command sets variables, or takes them away.
    fn typed(&mut self, words: &[String]) {
        let Some((command, rest)) = words.split_first() else {
            return;
        };
        match (command.as_str(), rest) {
            ("setenv", [name, value]) => self.has(name, value),
            ("unsetenv", [name]) => self.has(name, ""),
            ("alias", rest) => rest.iter().for_each(|word| self.alias(word)),
            ("unalias", rest) => self.aliases.retain(|(name, _)| !rest.contains(name)),
            ("cat" | "grep" | "type", _) => self.curlrc.clear(),
            _ => {}
        }
        let away = command == "unset" || rest.iter().any(|word| word == "-n");
        for word in rest {
            match setting(word) {
                // What `env` sets is of the command behind it alone.
                Some((name, value)) if command == "export" => {
                    self.has(name, if away { "" } else { value });
                }
                Some(_) => {}
                None if away => self.has(word, ""),
                None => {}
            }
        }
    }

    /// A line below a command that prints the environment.
    fn printed(&mut self, text: &str) {
        if let Some(alias) = text.strip_prefix("alias ") {
            if let [word] = &words(alias)[..] {
                self.alias(word);
            }
            return;
        }
        let heads = ["declare -x ", "export "];
        let rest = heads.iter().find_map(|head| text.strip_prefix(head));
        let all = words(rest.unwrap_or(text));
        if let [word] = &all[..]
            && let Some((name, value)) = setting(word)
        {
            self.has(name, value);
        }
    }

    /// Other words that stand for a program: `curl=curl -x http://192.0.2.8:3128`.
    fn alias(&mut self, word: &str) {
        let Some((name, value)) = setting(word).filter(|(n, _)| ["curl", "wget"].contains(n))
        else {
            return;
        };
        self.aliases.retain(|(known, _)| known != name);
        if self.aliases.len() < KEPT_MAX {
            self.aliases.push((name.to_owned(), words(value)));
        }
    }

    /// A line of curl's file: `proxy = "http://192.0.2.8:3128"`, `--noproxy=.example.org`.
    fn option(&mut self, text: &str) {
        let between = |c: char| c.is_whitespace() || c == '=' || c == ':';
        let end = text.find(between).unwrap_or(text.len());
        let (name, value) = text.split_at(end);
        let value = value.trim_start_matches(between).trim_matches('"');
        let name = match name.trim_start_matches('-') {
            "x" => "proxy",
            name => name,
        };
        let known = PROXIES.contains(&name) || name == "noproxy";
        let is_value = value.contains(['.', ':', '*']) && !value.contains(char::is_whitespace);
        if known && is_value && self.curlrc.len() < KEPT_MAX {
            self.curlrc.push((name.to_owned(), value.to_owned()));
        }
    }

    /// A heading or a comment: what follows a prompt without a name may be of another host.
    fn headed(&mut self, text: &str) {
        let named = self.shell.1.contains(char::is_alphanumeric);
        let heads = text.ends_with(':') || text.starts_with('#');
        if heads && !named && !text.contains('=') {
            self.settings.clear();
            self.curlrc.clear();
            self.aliases.clear();
        }
    }

    /// A variable has a value; an empty one is as good as none.
    fn has(&mut self, name: &str, value: &str) {
        let lower = name.to_ascii_lowercase();
        let name = if self.windows { lower.as_str() } else { name };
        let capitals = name == name.to_ascii_uppercase();
        if !NAMES.contains(&lower.as_str()) || !capitals && name != lower {
            return;
        }
        let value = self.stands_for(value);
        self.settings.retain(|(known, _)| known != name);
        let Some(value) = value.filter(|value| !value.is_empty()) else {
            return;
        };
        let place = if capitals { 0 } else { self.settings.len() };
        self.settings.insert(place, (name.to_owned(), value));
    }

    /// A value, or that of the variable which stands for it: `$http_proxy`, `${http_proxy}`, `$env:http_proxy`; none of others.
    fn stands_for(&self, value: &str) -> Option<String> {
        if !value.contains('$') {
            return Some(value.to_owned());
        }
        let other = value.strip_prefix('$')?.trim_matches(['{', '}']);
        let other = other.strip_prefix("env:").unwrap_or(other);
        let mut known = self.settings.iter();
        let found = known.find(|(name, _)| name == other);
        found.map(|(_, value)| value.clone())
    }
}

/// Whether a program goes by a variable: curl does not by `HTTP_PROXY`, and wget by small letters alone, and by no `all_proxy`.
pub(super) fn heeds(tool: &str, name: &str) -> bool {
    match tool {
        "curl" => name != "HTTP_PROXY",
        _ => name != "all_proxy" && name == name.to_ascii_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Facts {
        let mut facts = Facts::default();
        for (n, bare) in (1_u32..).zip(text.lines()) {
            let at = Place::Line(0, n);
            facts.environment(Line { bare, at });
        }
        facts
    }

    fn at(facts: &Facts, bare: &str) -> Vec<String> {
        let at = Place::Line(0, 90);
        let behind = behind_prompt(bare).expect("a prompt");
        let all = facts.surrounds(Line { bare, at }, behind).settings.iter();
        all.map(|(name, value)| format!("{name}={value}")).collect()
    }

    const CURL: &str = "root@a:/tmp# curl http://h.example/f";

    #[test]
    fn what_is_printed_or_exported_is_of_its_prompt() {
        let printed = "root@a:~# env | grep -i proxy\nhttps_proxy=http://p:3128\nALL_PROXY=http://q:1080\nSHELL=/bin/sh";
        let facts = of(printed);
        let both = ["ALL_PROXY=http://q:1080", "https_proxy=http://p:3128"];
        assert_eq!(at(&facts, CURL), both);
        assert!(at(&facts, "root@b:/tmp# curl http://h.example/f").is_empty());
        let facts = of("root@a:~# export http_proxy='http://p:3128' no_proxy=.corp");
        let both = ["http_proxy=http://p:3128", "no_proxy=.corp"];
        assert_eq!(at(&facts, CURL), both);
    }

    #[test]
    fn what_is_taken_away_or_of_another_command_is_not_there() {
        for text in [
            "root@a:~# export http_proxy=http://p:3128\nroot@a:~# unset http_proxy",
            "root@a:~# env http_proxy=http://p:3128 curl http://h.example/f",
            "root@a:~# cat /etc/environment\nhttp_proxy=http://p:3128",
            "root@a:~# export http_proxy=$proxy",
            "http_proxy=http://p:3128",
        ] {
            assert!(at(&of(text), CURL).is_empty(), "{text}");
        }
        let nameless = "$ export http_proxy=http://p:3128\n";
        let curl = "$ curl http://h.example/f";
        assert_eq!(at(&of(nameless), curl).len(), 1);
        assert!(at(&of(&format!("{nameless}On the laptop:")), curl).is_empty());
    }

    #[test]
    fn shells_of_windows_and_others_set_variables_in_their_own_words() {
        for (typed, curl) in [
            (
                "C:\\>set HTTPS_PROXY=http://p:3128\nC:\\>set no_proxy=.corp",
                "C:\\tmp>curl.exe https://h.example/f",
            ),
            (
                "PS C:\\> $env:https_proxy = \"http://p:3128\"\nPS C:\\> $env:NO_PROXY='.corp'",
                "PS C:\\tmp> curl.exe https://h.example/f",
            ),
            (
                "C:\\>set | findstr /i proxy\nHTTPS_PROXY=http://p:3128\nno_proxy=.corp",
                "C:\\>curl.exe https://h.example/f",
            ),
            (
                "a% setenv https_proxy http://p:3128\na% setenv no_proxy .corp",
                "a% curl https://h.example/f",
            ),
            (
                "$ export http_proxy=http://p:3128 && export https_proxy=$http_proxy; export no_proxy=.corp\n$ unset http_proxy",
                "$ curl https://h.example/f",
            ),
        ] {
            let both = ["https_proxy=http://p:3128", "no_proxy=.corp"];
            assert_eq!(at(&of(typed), curl), both, "{typed}");
        }
        for away in [
            "PS C:\\> $env:https_proxy = 'http://p:3128'\nPS C:\\> $env:https_proxy = $null",
            "PS C:\\> $env:https_proxy = 'http://p:3128'\nPS C:\\> Remove-Item Env:\\HTTPS_PROXY",
            "$ set https_proxy=http://p:3128",
        ] {
            for curl in [
                "PS C:\\> curl.exe https://h.example/f",
                "$ curl https://h.example/f",
            ] {
                assert!(at(&of(away), curl).is_empty(), "{away}");
            }
        }
    }

    #[test]
    fn options_of_a_file_and_aliases_are_those_of_later_commands() {
        let text = "$ cat ~/.curlrc\n# what all have\nproxy = \"http://p:3128\"\n--noproxy=.corp\nproxy is slow\n$ alias curl='curl -4 -s'\n";
        let facts = of(text);
        let curl = "$ curl http://h.example/f";
        let behind = behind_prompt(curl).expect("a prompt");
        let at = Place::Line(0, 90);
        let around = facts.surrounds(Line { bare: curl, at }, behind);
        let option = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let options = [option("proxy", "http://p:3128"), option("noproxy", ".corp")];
        assert_eq!(around.curlrc, options);
        let words = ["curl", "-4", "-s"].map(str::to_owned);
        assert_eq!(around.aliases, [("curl".to_owned(), words.to_vec())]);
    }

    #[test]
    fn programs_differ_in_what_they_go_by() {
        assert!(heeds("curl", "HTTPS_PROXY") && heeds("curl", "all_proxy"));
        assert!(!heeds("curl", "HTTP_PROXY") && heeds("wget", "https_proxy"));
        assert!(!heeds("wget", "HTTPS_PROXY") && !heeds("wget", "all_proxy"));
    }
}
