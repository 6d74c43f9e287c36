//! Commands that print what policers count.

use super::follows;
use crate::words::shortens;

/// The router and the interface of `R1#sh policy-map int Gi0/1`.
pub(super) fn command(text: &str) -> Option<(&str, &str)> {
    let (router, command) = text.split_once(['#', '>'])?;
    let words: Vec<&str> = command.split_whitespace().collect();
    let [show, map, interface, ref rest @ ..] = words[..] else {
        return None;
    };
    let is_it = shortens(show, "show", 2) && shortens(map, "policy-map", 6);
    let router = router.rsplit(['@', ':']).next().unwrap_or("");
    let name = rest.first().copied().unwrap_or("");
    (is_it && shortens(interface, "interface", 3)).then_some((router, name))
}

/// The interface whose filters a command of `tc` prints: `hv1# tc -s filter show dev vnet7 ingress`.
pub(super) fn filters(text: &str) -> Option<&str> {
    let words: Vec<&str> = text.split_whitespace().take(20).collect();
    let is_tc = |w: &&str| w.rsplit(['/', '#', '$', '>']).next() == Some("tc");
    let command = &words[words.iter().position(is_tc)?..];
    let prints = command.contains(&"filter");
    follows(command, "dev").filter(|_| prints)
}
