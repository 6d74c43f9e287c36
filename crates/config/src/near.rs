//! The name that is probably meant by one that is unknown: of a closed set of words, or of names that users chose.

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

/// Most bytes of a name of a user's that is compared: the work grows with both lengths.
const LONGEST_OWN: usize = 100;

/// Most names of a user's that are compared with a wrong one.
const MOST_COMPARED: usize = 500;

/// What to do about a name that nothing defines, where `defined` has one that is nearest: `define it; `X` is defined`.
pub(crate) fn define<'k>(
    defined: impl IntoIterator<Item = &'k str>,
    wanted: &str,
) -> Option<String> {
    let short = |name: &&str| name.len().max(wanted.len()) < LONGEST_OWN;
    let known = defined.into_iter().filter(short);
    let near = known.min_by_key(|name| strsim::osa_distance(name, wanted))?;
    Some(format!("define it; `{near}` is defined"))
}

/// The one of a user's names that was probably meant by a wrong one: two letters in three are right.
pub(crate) fn alike<'n>(names: impl IntoIterator<Item = &'n str>, wrong: &str) -> Option<&'n str> {
    let short = |name: &&str| name.len().max(wrong.len()) < LONGEST_OWN;
    let known = names.into_iter().filter(short).take(MOST_COMPARED);
    let edits = known.map(|name| (strsim::osa_distance(wrong, name), name));
    let near = edits.filter(|(edits, name)| *edits > 0 && edits * 3 <= name.len().max(wrong.len()));
    near.min_by_key(|(edits, _)| *edits).map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::{alike, define, nearest};

    #[test]
    fn names_of_users_are_compared_up_to_a_length() {
        let long = "x".repeat(200);
        let known = ["uplink", "customer", long.as_str()];
        assert_eq!(
            define(known, "custmer").as_deref(),
            Some("define it; `customer` is defined")
        );
        assert_eq!(define(known, &long), None);
        assert_eq!(define([], "customer"), None);
        assert_eq!(alike(known, "upnlik"), Some("uplink"));
        assert_eq!(alike(known, "downlink"), None);
        assert_eq!(alike(known, &long), None);
    }

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
