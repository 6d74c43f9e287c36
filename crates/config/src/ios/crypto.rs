//! `crypto ipsec`: what packets of a tunnel are sealed with. It has no bearing on a run, and QOS028 asks for it.

use crate::commands::Statement;
use crate::esp::Transform;

/// The words of each line below a statement.
fn below<'t>(s: &Statement<'_, 't, ()>) -> Vec<Vec<&'t str>> {
    let tree = s.tree;
    let lines = tree.statements(s.line);
    lines
        .map(|line| tree.content(line).split_whitespace().collect())
        .collect()
}

/// `crypto ipsec transform-set NAME WORDS`, and `mode` below it.
pub(super) fn transform_set(s: &mut Statement<'_, '_, ()>) -> Option<()> {
    let Some(name) = s.next().map(str::to_owned) else {
        return s.pass_over();
    };
    let mut set = Transform::of_ios(&name, s.words.rest().text.split_whitespace());
    let transport = |words: &Vec<&str>| words.starts_with(&["mode", "transport"]);
    if let Some(set) = &mut set {
        set.transport = below(s).iter().any(transport);
    }
    let sets = &mut s.reader.device.ipsec.sets;
    sets.retain(|(known, _)| *known != name);
    if !s.off {
        sets.push((name, set));
    }
    s.pass_over()
}

/// `crypto ipsec profile NAME`, and `set transform-set NAMES` below it.
pub(super) fn profile(s: &mut Statement<'_, '_, ()>) -> Option<()> {
    let Some(name) = s.next().map(str::to_owned) else {
        return s.pass_over();
    };
    let lines = below(s);
    let offers = lines
        .iter()
        .filter_map(|words| words.strip_prefix(&["set", "transform-set"]));
    let names: Vec<String> = offers.flatten().map(|name| (*name).to_owned()).collect();
    let profiles = &mut s.reader.device.ipsec.profiles;
    profiles.retain(|(known, _)| *known != name);
    if !s.off && !names.is_empty() {
        profiles.push((name, names));
    }
    s.pass_over()
}

/// The profile that `tunnel protection WORDS` names; empty where none is named.
pub(super) fn profile_of(words: &str) -> &str {
    let mut words = words.split_whitespace();
    match words.find(|w| *w == "profile") {
        Some(_) => words.next().unwrap_or_default(),
        None => "",
    }
}
