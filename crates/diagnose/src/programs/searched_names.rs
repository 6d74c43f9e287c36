//! Names that a host completes before it asks for them as they stand: `search` and `ndots` of its `/etc/resolv.conf` (resolv.conf, 5). Each
//! suffix is a look-up of its own, one after the other.

use crate::advice::Remedy;
use crate::document::Change;
use crate::fact::Place;
use crate::read::Facts;

/// A host completes names with fewer dots than this where nobody set it.
const USUAL: u64 = 1;

/// Suffixes, dots and answers that texts have.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Searched {
    /// How many suffixes names are completed by.
    suffixes: usize,
    /// Names with fewer dots are completed first, and where that was read.
    dots: Option<(u64, Place)>,
    /// Answers that a name does not exist, and where the first was read.
    absent: u32,
    first: Option<Place>,
}

impl Facts {
    /// A line of `/etc/resolv.conf` that says how names are completed; `false` of another.
    pub(crate) fn completes_names(&mut self, text: &str, at: Place) -> bool {
        let searched = &mut self.searched;
        if let Some(suffixes) = text.strip_prefix("search ") {
            let are = suffixes.split_whitespace().all(is_suffix);
            if are {
                searched.suffixes = suffixes.split_whitespace().count();
            }
            return are;
        }
        let Some(options) = text.strip_prefix("options ") else {
            return false;
        };
        let mut options = options.split_whitespace();
        let dots = options.find_map(|option| option.strip_prefix("ndots:"));
        let dots: Option<u64> = dots.and_then(|n| n.parse().ok());
        searched.dots = dots.map(|n| (n, at)).or(searched.dots);
        dots.is_some()
    }

    /// A line of `tcpdump port 53`; `false` of another. Answers that a name does not exist are counted.
    pub(crate) fn asks_for_names(&mut self, text: &str, at: Place) -> bool {
        let to = text.split_once(": ").map_or(text, |(ends, _)| ends);
        let domain = |end: &str| end.ends_with(".53") || end.ends_with(".domain");
        let mut ends = to.rsplit(" > ");
        let (Some(to), Some(from)) = (ends.next(), ends.next()) else {
            return false;
        };
        let from = from.split_whitespace().next_back().unwrap_or("");
        if !domain(to) && !domain(from) {
            return false;
        }
        if domain(from) && text.contains(" NXDomain") {
            self.searched.absent += 1;
            self.searched.first.get_or_insert(at);
        }
        true
    }
}

/// Whether a word is a suffix of names, and not of a sentence: `svc.cluster.local`.
fn is_suffix(word: &str) -> bool {
    let is_part = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_');
    word.contains('.') && word.bytes().all(is_part)
}

impl Searched {
    /// What is known of it, for people; none where names are not completed first.
    pub(crate) fn said(&self, facts: &Facts) -> Option<String> {
        let (dots, at) = self.dots.filter(|(dots, _)| *dots > USUAL)?;
        let suffixes = match self.suffixes {
            0 => "the suffixes of its line `search`".to_owned(),
            n => format!("{n} suffixes, one after the other,"),
        };
        let absent = match (self.absent, self.first) {
            (1, Some(first)) => format!(
                "; an answer says that such a name does not exist (NXDOMAIN, {})",
                facts.place(first)
            ),
            (n, Some(first)) => format!(
                "; {n} answers say that such a name does not exist (NXDOMAIN, from {} on)",
                facts.place(first)
            ),
            (_, None) => String::new(),
        };
        Some(format!(
            "a name with fewer than {dots} dots is completed by {suffixes} before it is asked for as it stands (ndots, {}){absent}",
            facts.place(at)
        ))
    }

    /// Names that are asked for at once.
    pub(crate) fn change(&self) -> Option<Change> {
        let (dots, _) = self.dots.filter(|(dots, _)| *dots > USUAL)?;
        let remedy = Remedy {
            commands: vec![
                "a dot at the end of the name in the program's settings (api.example.com.): it is asked for as it stands".to_owned(),
                "or fewer dots: of a pod dnsConfig.options with ndots 1 or 2 in its spec; elsewhere options ndots:1 in /etc/resolv.conf, by what writes that file".to_owned(),
                "or a cache on the host, which holds the answers that a name does not exist, too: NodeLocal DNSCache of Kubernetes, systemd-resolved, dnsmasq".to_owned(),
                "and connections that stay open: each needs one look-up only".to_owned(),
            ],
            undo: vec![format!("ndots {dots}, as before")],
            risk: "short names of other namespaces are not found any more with fewer dots".to_owned(),
            ..Remedy::default()
        };
        Some(remedy.change("the host that asks", None, None))
    }
}

#[cfg(test)]
mod tests {
    use crate::fact::Place;
    use crate::read::Facts;

    #[test]
    fn suffixes_dots_and_absent_names_are_counted() {
        let mut facts = Facts::default();
        facts.source("t.txt");
        let at = Place::Line(0, 1);
        assert!(facts.completes_names("search shop.svc.cluster.local svc.cluster.local", at));
        assert!(facts.completes_names("options ndots:5", at));
        for other in [
            "options timeout:1",
            "search for it",
            "nameserver 192.0.2.53",
        ] {
            assert!(!facts.completes_names(other, at), "{other}");
        }
        let answer =
            "03:11:09.180911 IP 10.96.0.10.53 > 10.244.1.9.41120: 51233 NXDomain*- 0/1/0 (153)";
        assert!(facts.asks_for_names(answer, at));
        let asked =
            "03:11:09.100102 IP 10.244.1.9.41120 > 10.96.0.10.53: 51233+ A? a.example. (60)";
        assert!(facts.asks_for_names(asked, at));
        assert!(!facts.asks_for_names("10.0.0.1.22 > 10.0.0.2.40000: Flags [.]", at));
        let said = facts.searched.said(&facts).expect("names are completed");
        for says in ["fewer than 5 dots", "2 suffixes", "an answer says"] {
            assert!(said.contains(says), "{said}");
        }
    }
}
