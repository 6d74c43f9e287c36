//! Commands that print what policers count.

use super::follows;
use crate::words::{behind_show, shortens};

/// The router and the interface of `R1#sh policy-map int Gi0/1`.
pub(super) fn command(text: &str) -> Option<(&str, &str)> {
    let (router, mut words) = behind_show(text)?;
    let (map, interface) = (words.next()?, words.next()?);
    let is_it = shortens(map, "policy-map", 6) && shortens(interface, "interface", 3);
    let router = router.rsplit(['@', ':']).next().unwrap_or("");
    is_it.then(|| (router, words.next().unwrap_or("")))
}

/// The interface whose filters a command of `tc` prints: `hv1# tc -s filter show dev vnet7 ingress`.
pub(super) fn filters(text: &str) -> Option<&str> {
    let words: Vec<&str> = text.split_whitespace().take(20).collect();
    let is_tc = |w: &&str| w.rsplit(['/', '#', '$', '>']).next() == Some("tc");
    let command = &words[words.iter().position(is_tc)?..];
    let prints = command.contains(&"filter");
    follows(command, "dev").filter(|_| prints)
}
