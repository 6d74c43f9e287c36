//! Proxies that the environment of a shell names, as it is printed or exported there: later commands at the same prompt go through them.

use super::fetch::{setting, words};
use super::label::{behind_prompt, is_typed};
use super::{Facts, Line};
use crate::fact::Place;

/// What the environment of a shell says of proxies.
#[derive(Clone, Debug, Default)]
pub(super) struct Environment {
    /// The source, and the prompt as far as its folder.
    shell: (u32, String),
    /// Names and values, those in capitals first: the others take precedence.
    settings: Vec<(String, String)>,
    /// Whether a command prints the environment below it.
    lists: bool,
}

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
        let own = &mut self.environment;
        match behind.split_whitespace().next().unwrap_or("") {
            command @ ("env" | "printenv" | "export" | "declare" | "unset") => {
                own.begins((source, shell(text, behind)));
                own.lists = command != "unset";
                own.typed(&words(behind));
            }
            _ if is_typed(text) => own.lists = false,
            _ if own.lists && own.shell.0 == source && text.contains('=') => own.printed(text),
            _ => own.headed(text),
        }
    }

    /// What is known of the environment that a command at a prompt is typed in.
    pub(super) fn surrounds(&self, line: Line<'_>, behind: &str) -> &[(String, String)] {
        let own = &self.environment;
        match line.at {
            Place::Line(source, _) if own.shell == (source, shell(line.bare, behind)) => {
                &own.settings
            }
            _ => &[],
        }
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
    fn begins(&mut self, shell: (u32, String)) {
        if self.shell != shell {
            *self = Environment {
                shell,
                ..Environment::default()
            };
        }
    }

    /// A command sets variables, or takes them away.
    fn typed(&mut self, words: &[String]) {
        let Some((command, rest)) = words.split_first() else {
            return;
        };
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
        let heads = ["declare -x ", "export "];
        let rest = heads.iter().find_map(|head| text.strip_prefix(head));
        let all = words(rest.unwrap_or(text));
        if let [word] = &all[..]
            && let Some((name, value)) = setting(word)
        {
            self.has(name, value);
        }
    }

    /// A heading or a comment: what follows a prompt without a name may be of another host.
    fn headed(&mut self, text: &str) {
        let named = self.shell.1.contains(char::is_alphanumeric);
        let heads = text.ends_with(':') || text.starts_with('#');
        if heads && !named && !text.contains('=') {
            self.settings.clear();
        }
    }

    /// A variable has a value; an empty one is as good as none.
    fn has(&mut self, name: &str, value: &str) {
        let lower = name.to_ascii_lowercase();
        let capitals = name == name.to_ascii_uppercase();
        if !NAMES.contains(&lower.as_str()) || !capitals && name != lower {
            return;
        }
        self.settings.retain(|(known, _)| known != name);
        // What stands for another variable is not known.
        if value.is_empty() || value.contains('$') {
            return;
        }
        let place = if capitals { 0 } else { self.settings.len() };
        let known = (name.to_owned(), value.to_owned());
        self.settings.insert(place, known);
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
        let all = facts.surrounds(Line { bare, at }, behind).iter();
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
    fn programs_differ_in_what_they_go_by() {
        assert!(heeds("curl", "HTTPS_PROXY") && heeds("curl", "all_proxy"));
        assert!(!heeds("curl", "HTTP_PROXY") && heeds("wget", "https_proxy"));
        assert!(!heeds("wget", "HTTPS_PROXY") && !heeds("wget", "all_proxy"));
    }
}
