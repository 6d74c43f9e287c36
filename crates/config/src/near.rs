//! The word of a closed set that is probably meant by one that is none of them.

/// No name of a closed set is as long as this.
const LONGEST: usize = 40;

/// The nearest of `known` to `word`: a letter away, or two of more than four; neighbours that are swapped count as one.
pub(crate) fn nearest<'k>(known: impl IntoIterator<Item = &'k str>, word: &str) -> Option<&'k str> {
    if word.len() > LONGEST {
        return None;
    }
    let near = known
        .into_iter()
        .map(|name| (strsim::osa_distance(name, word), name));
    let near = near.filter(|(far, name)| match far {
        1 => name.len() > 1,
        2 => name.len() > 4,
        _ => false,
    });
    Some(near.min()?.1)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn slips_are_near_and_other_words_are_not() {
        let known = ["cos", "dscp", "ip-precedence"];
        for (word, meant) in [
            ("dcsp", Some("dscp")),
            ("ip-precedense", Some("ip-precedence")),
            ("cost", Some("cos")),
            ("device", None),
            ("does", None),
            ("", None),
        ] {
            assert_eq!(nearest(known, word), meant, "{word}");
        }
    }
}
