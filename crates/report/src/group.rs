//! Metrics of groups of tests: their paths, and what they are called.

/// How the path of a group's fairness begins; a test's path has one dot.
pub(crate) const GROUP: &str = "group.";

/// What Jain's index is called.
pub(crate) const FAIRNESS: &str = "fairness (Jain)";

/// The metrics of a group that each of its records holds: behind the group's name in a path they end as here.
pub(crate) const OF_GROUP: [(&str, &str, &str); 4] = [
    ("group_jain_index", "jain_index", FAIRNESS),
    (
        "group_goodput_ratio",
        "goodput_ratio",
        "goodput, least to greatest",
    ),
    (
        "group_streams_jain_index",
        "streams_jain_index",
        "fairness of connections (Jain)",
    ),
    ("group_convergence_s", "convergence_s", "convergence"),
];

/// Of a path of a group, `group.NAME.jain_index`: the group's name, the metric in records, and its label.
pub(crate) fn of_group(path: &str) -> Option<(&str, &'static str, &'static str)> {
    let rest = path.strip_prefix(GROUP)?;
    OF_GROUP.iter().find_map(|(metric, end, label)| {
        let name = rest.strip_suffix(end)?.strip_suffix('.')?;
        Some((name, *metric, *label))
    })
}

/// The path of a group's metric.
pub(crate) fn group_path(name: &str, metric: &str) -> Option<String> {
    let (_, end, _) = OF_GROUP.iter().find(|(known, ..)| *known == metric)?;
    Some(format!("{GROUP}{name}.{end}"))
}
