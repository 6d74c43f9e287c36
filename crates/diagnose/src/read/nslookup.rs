//! nslookup, of Windows and of BIND, and `Resolve-DnsName` of PowerShell: name servers that answered, and such as kept silent.

use core::net::IpAddr;

use super::dig::{gave_up, timed_out, unanswered};
use super::label::{behind_prompt, is_typed};
use super::{Facts, Line, Tool};
use crate::fact::Place;

/// The state of reading.
#[derive(Default)]
pub(super) struct Nslookup {
    /// Where the command was typed.
    typed: Option<Place>,
    /// It names no server: the host's own one is asked.
    own: bool,
    /// The server that it names by its address, or whose address was printed.
    server: Option<IpAddr>,
    /// The name of the server was printed: its address comes next.
    named: bool,
    /// That nothing came in time was said of this command.
    said: bool,
    /// PowerShell says where the error is.
    raised: bool,
}

/// What nslookup prints begins no farther below its command than so many lines.
const BELOW: u32 = 2;

/// Lines that carry nothing, by what they begin with.
const AROUND: [&str; 5] = [
    "timeout was ",
    "Non-authoritative answer:",
    "Authoritative answers can be found from:",
    "*** Can't find server name for address ",
    "*** Default servers are not available",
];

/// Lines of an answer, by what they begin with.
const ANSWER: [&str; 3] = ["Address:", "Addresses:", "Aliases:"];

/// What nslookup of Windows says after it waited in vain, in English and in German.
const WAITED: [&str; 2] = [
    "*** Request to ",
    "*** Zeitüberschreitung bei Anforderung an ",
];

/// Reasons behind `can't find`: of a server that answered, and of one that did not.
const ANSWERED: [&str; 3] = ["NXDOMAIN", "Non-existent domain", "No answer"];
const SILENT: &str = "No response from server";

impl Tool for Nslookup {
    fn name(&self) -> &'static str {
        "nslookup"
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let (text, at) = (line.bare, line.at);
        let below = self.typed.and_then(|above| at.lines_below(above));
        let below = below.is_some_and(|lines| lines <= BELOW);
        if let Some(said) = text.strip_prefix("Resolve-DnsName : ") {
            // Of another command than the last one that is known, nobody says whom it asked.
            if !below {
                *self = Nslookup::default();
            }
            if said.contains("timeout period") {
                self.keeps_silent(at, facts);
            }
            facts.says("Resolve-DnsName", said, at);
            self.raised = true;
            return true;
        }
        if let Some(command) = typed(text, at) {
            *self = command;
            return false;
        }
        if text == "DNS request timed out." {
            if !going && !below {
                *self = Nslookup::default();
            }
            if !core::mem::replace(&mut self.said, true) {
                facts.says("nslookup", text, at);
            }
            return true;
        }
        if !going && !below {
            return false;
        }
        if self.raised {
            let where_it_is = ["At line:", "+ "].iter().any(|b| text.starts_with(b));
            return where_it_is || text == "expired";
        }
        AROUND.iter().any(|begin| text.starts_with(begin))
            || self.of_server(text, at, facts)
            || self.fails(text, at, facts)
            || self.answers(text, at, facts)
            || going && is_answer(text)
    }
}

impl Nslookup {
    /// `Server:  UnKnown`, and `Address:  192.0.2.53` or, of BIND, `Address: 192.0.2.53#53` below it.
    fn of_server(&mut self, text: &str, at: Place, facts: &mut Facts) -> bool {
        let server = text.strip_prefix("Default ").unwrap_or(text);
        if server.starts_with("Server:") {
            self.named = true;
            return true;
        }
        let address = text.strip_prefix("Address:").filter(|_| self.named);
        let Some(address) = address.map(str::trim) else {
            return false;
        };
        self.named = false;
        let bare = address.split('#').next().unwrap_or(address);
        self.server = bare.parse().ok().or(self.server);
        // A resolver of BIND's host may try several in turn.
        if let Some(server) = self.server.filter(|_| self.own && bare == address) {
            facts.names.asks_first(server, at);
        }
        true
    }

    /// What is said where nothing was found.
    fn fails(&self, text: &str, at: Place, facts: &mut Facts) -> bool {
        if let Some(said) = unanswered(text) {
            let server = timed_out(said).or(self.server.filter(|_| gave_up(said)));
            if let Some(server) = server {
                facts.names.keeps_silent(server, at);
            }
            facts.says("nslookup", said, at);
            return true;
        }
        let [request, german] = WAITED.map(|begin| text.starts_with(begin));
        if request && text.ends_with("timed-out") || german {
            self.keeps_silent(at, facts);
            facts.says("nslookup", text, at);
            return true;
        }
        let lacks = text.starts_with("** ") || text.starts_with("*** ");
        if !lacks || !text.contains("an't find ") {
            return false;
        }
        let reason = text.rsplit(": ").next().unwrap_or("");
        match self.server {
            _ if reason == SILENT => self.keeps_silent(at, facts),
            Some(server) if ANSWERED.contains(&reason) => facts.names.replies(server, at),
            Some(server) => facts.names.fails(server),
            None => {}
        }
        facts.says("nslookup", text, at);
        true
    }

    /// `Name:    www.example.org`: the server answered.
    fn answers(&self, text: &str, at: Place, facts: &mut Facts) -> bool {
        let is = text.starts_with("Name:");
        if let Some(server) = self.server.filter(|_| is) {
            facts.names.replies(server, at);
        }
        is
    }

    fn keeps_silent(&self, at: Place, facts: &mut Facts) {
        if let Some(server) = self.server {
            facts.names.keeps_silent(server, at);
        }
    }
}

/// Whether a line is the rest of an answer: an address, or another name.
fn is_answer(text: &str) -> bool {
    ANSWER.iter().any(|begin| text.starts_with(begin))
        || text.contains("canonical name = ")
        || text.parse::<IpAddr>().is_ok()
}

/// The command that a line is; of another one nothing is known. None of lines that were not typed.
fn typed(text: &str, at: Place) -> Option<Nslookup> {
    let both = [behind_prompt(text), Some(text)];
    let command = both.into_iter().flatten().find_map(|c| asked(c, at));
    command.or_else(|| is_typed(text).then(Nslookup::default))
}

/// `nslookup NAME [SERVER]`, `Resolve-DnsName NAME -Server SERVER`.
fn asked(command: &str, at: Place) -> Option<Nslookup> {
    let words = command.split_whitespace();
    let mut words = words.take_while(|word| !word.starts_with(['|', '>']));
    let program = words.next()?;
    let is = |name: &str| program.trim_end_matches(".exe").eq_ignore_ascii_case(name);
    let (server, own) = if is("nslookup") {
        let server = words.filter(|word| !word.starts_with('-')).nth(1);
        (server, server.is_none())
    } else if is("Resolve-DnsName") {
        let option = |word: &&str| !word.eq_ignore_ascii_case("-Server");
        (words.skip_while(option).nth(1), false)
    } else {
        return None;
    };
    Some(Nslookup {
        typed: Some(at),
        own,
        server: server.and_then(|server| server.parse().ok()),
        ..Nslookup::default()
    })
}

#[cfg(test)]
mod tests {
    use crate::read::taken::whole as facts;

    const WAITED: &str = "C:\\>nslookup www.example.org\nDNS request timed out.\n    timeout was 2 seconds.\nServer:  UnKnown\nAddress:  192.0.2.53\n\nDNS request timed out.\n    timeout was 2 seconds.\n*** Request to UnKnown timed-out\n";

    /// Without a server in the command it is the host's own; with one it may be any.
    #[test]
    fn a_server_that_keeps_silent_decides_where_it_is_the_hosts_own() {
        let (own, whole) = facts(WAITED);
        assert!(whole, "{:?}", own.ignored);
        assert!(own.names.decide());
        let (other, whole) = facts(&WAITED.replace("example.org", "example.org 192.0.2.53"));
        assert!(whole, "{:?}", other.ignored);
        assert!(!other.names.decide());
        // Its own name alone it may not know.
        let answered = WAITED.replace(
            "*** Request to UnKnown timed-out",
            "Non-authoritative answer:\nName:    www.example.org\nAddresses:  2001:db8::7\n          198.51.100.7\nAliases:  example.org",
        );
        let (answered, whole) = facts(&answered);
        assert!(whole, "{:?}", answered.ignored);
        assert!(!answered.names.decide());
    }

    /// The list of the host says which is its first.
    #[test]
    fn lists_of_windows_and_of_systemd_say_which_server_is_first() {
        let windows = |first: &str, second: &str| {
            format!(
                "C:\\>nslookup www.example.org 192.0.2.53\nServer:  UnKnown\nAddress:  192.0.2.53\n\n*** Request to UnKnown timed-out\n\nC:\\>ipconfig /all\n\nWindows IP Configuration\n\nEthernet adapter Ethernet:\n\n   IPv4 Address. . . . . . . . . . . : 192.0.2.17(Preferred)\n   DNS Servers . . . . . . . . . . . : {first}\n                                       {second}\n   NetBIOS over Tcpip. . . . . . . . : Enabled\n"
            )
        };
        let linux = |list: &str| {
            format!(
                "$ resolvectl status | grep DNS\n{list}$ nslookup www.example.org 192.0.2.53\n;; connection timed out; no servers could be reached\n\n$ nslookup www.example.org 192.0.2.54\nServer:\t\t192.0.2.54\nAddress:\t192.0.2.54#53\n\nName:\twww.example.org\nAddress: 198.51.100.7\n"
            )
        };
        for (text, decides) in [
            (windows("192.0.2.53", "192.0.2.54"), true),
            (windows("192.0.2.54", "192.0.2.53"), false),
            (linux("         DNS Servers: 192.0.2.53\n"), true),
            (linux("DNS Servers: 192.0.2.53 192.0.2.54\n"), false),
            (
                linux("Current DNS Server: 192.0.2.53\nDNS Servers: 192.0.2.53 192.0.2.54\n"),
                true,
            ),
            (linux(""), false),
        ] {
            let (facts, whole) = facts(&text);
            assert!(whole, "{text}{:?}", facts.ignored);
            assert_eq!(facts.names.decide(), decides, "{text}");
        }
    }

    #[test]
    fn what_powershell_says_of_a_time_out_is_read() {
        let text = "PS C:\\> ipconfig /all\n   DNS Servers . . . . . . . . . . . : 192.0.2.53\nPS C:\\> Resolve-DnsName www.example.org -Server 192.0.2.53\nResolve-DnsName : www.example.org : This operation returned because the timeout period expired\nAt line:1 char:1\n+ Resolve-DnsName www.example.org -Server 192.0.2.53\n    + CategoryInfo          : OperationTimeout: (www.example.org:String) [Resolve-DnsName], Win32Exception\n";
        let (facts, whole) = facts(text);
        assert!(whole, "{:?}", facts.ignored);
        assert!(facts.names.decide());
    }

    /// Lines of other tools are none of nslookup's.
    #[test]
    fn lines_of_others_are_left() {
        let (facts, whole) = facts("Server:  UnKnown\nAddress:  192.0.2.53\nName: someone\n");
        assert!(!whole && !facts.names.decide());
    }
}
