//! Links between the Markdown pages: what a link names is there, and so is the heading after `#`.

use std::path::Path;

use super::finding::Finding;
use crate::tree::TextFile;

/// Checks every relative link; `root` is where files that are not text (pictures) are looked for.
pub(super) fn check(root: &Path, files: &[TextFile]) -> Vec<Finding> {
    let pages = files.iter().filter(|file| file.path.ends_with(".md"));
    pages
        .flat_map(|page| {
            links(&page.text)
                .into_iter()
                .filter_map(|(line, target)| {
                    let message = fault(root, files, page, target)?;
                    Some(Finding::new(&page.path, line, message))
                })
                .collect::<Vec<_>>()
        })
        .collect()
}

/// Each link target that is neither an address nor code, with its line from 1.
fn links(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut fenced = false;
    for (i, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        if fenced {
            continue;
        }
        for (at, _) in line.match_indices("](") {
            let in_code = line[..at].matches('`').count() % 2 == 1;
            let target = line[at + 2..].split([')', ' ']).next().unwrap_or_default();
            if !in_code && !target.contains("://") && !target.starts_with("mailto:") {
                found.push((i + 1, target));
            }
        }
    }
    found
}

/// What is wrong with a link to `target` on `page`.
fn fault(root: &Path, files: &[TextFile], page: &TextFile, target: &str) -> Option<String> {
    let (path, heading) = target.split_once('#').unwrap_or((target, ""));
    let Some(path) = resolve(&page.path, path) else {
        return Some(format!("`{target}` leads out of the repository"));
    };
    let file = files.iter().find(|file| file.path == path);
    if file.is_none() && !root.join(&path).exists() {
        return Some(format!("`{target}`: there is no `{path}`"));
    }
    let missing = !heading.is_empty()
        && file.is_some_and(|file| !headings(&file.text).any(|h| slug(h) == heading));
    missing.then(|| format!("`{target}`: `{path}` has no heading of that name"))
}

/// The path from the root that `target` names on the page `page`; none when it leads above the root.
fn resolve(page: &str, target: &str) -> Option<String> {
    if target.is_empty() {
        return Some(page.to_owned());
    }
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

fn headings(text: &str) -> impl Iterator<Item = &str> {
    let heading = |line: &&str| line.starts_with('#');
    text.lines()
        .filter(heading)
        .map(|line| line.trim_start_matches('#').trim())
}

/// A heading as browsers of repositories name it: lower case, blanks become `-`, signs are dropped.
fn slug(heading: &str) -> String {
    heading
        .to_lowercase()
        .chars()
        .filter(|c| c.is_alphanumeric() || " -_".contains(*c))
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let file = |path: &str, text: &str| TextFile {
            path: path.to_owned(),
            text: text.to_owned(),
        };
        let files = [
            file("README.md", "# One\n"),
            file("docs/a.md", text),
            file("docs/models/b.md", "## What is `lost`, and why\n"),
        ];
        check(Path::new("no such folder"), &files)
            .into_iter()
            .map(|finding| finding.to_string())
            .collect()
    }

    #[test]
    fn links_to_what_is_there_pass() {
        let text = "# Own\n[a](models/b.md), [b](../README.md#one) and [c](#own)\n\
                    [d](models/b.md#what-is-lost-and-why \"title\") [e](https://example.org/x.md)\n\
                    ![f](./models/b.md)\n";
        assert_eq!(found(text), [""; 0]);
    }

    #[test]
    fn links_to_nothing_fail_where_they_stand() {
        assert_eq!(
            found("\n[a](gone.md)"),
            ["docs/a.md:2: `gone.md`: there is no `docs/gone.md`"]
        );
        assert!(found("[a](models/b.md#gone)")[0].contains("no heading"));
        assert!(found("[a](../../elsewhere.md)")[0].contains("out of the repository"));
    }

    #[test]
    fn code_is_not_read() {
        assert_eq!(
            found("`a[0](gone.md)`\n```text\n[a](gone.md)\n```\n"),
            [""; 0]
        );
    }
}
