//! Tables of adapters that say whether they spread what arrives: `Get-NetAdapterRss | ft Name, Enabled`, and the row `*RSS` of
//! `Get-NetAdapterAdvancedProperty` (Microsoft, standardized INF keywords for RSS: 0 is off, 1 is on).

/// Columns whose values are one word each.
const SINGLE: [&str; 8] = [
    ENABLED,
    "NumberOfReceiveQueues",
    "Profile",
    "BaseProcessorGroup",
    "BaseProcessorNumber",
    "MaxProcessorGroup",
    "MaxProcessorNumber",
    "MaxProcessors",
];
const ENABLED: &str = "Enabled";

/// A column whose values are of several words.
const DESCRIPTION: &str = "InterfaceDescription";

/// The heads of the table of properties.
const PROPERTIES: [&str; 5] = [
    "Name",
    "DisplayName",
    "DisplayValue",
    "RegistryKeyword",
    "RegistryValue",
];

/// A table, by its head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Table {
    /// Where the column behind the names begins, characters.
    names_end: usize,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// So many columns stand behind that of `Enabled`, each of one word; `words` is how many a row has behind the name, where that is known.
    Enabled {
        behind: usize,
        words: Option<usize>,
    },
    Properties,
}

/// What a row says: the adapter, and whether it spreads what arrives; none of a property that says nothing of it.
pub(super) type Row<'t> = Option<(&'t str, bool)>;

impl Table {
    /// The table of which a line is the head; one of `Get-NetAdapterRss` only where that command `is_above`.
    pub(super) fn headed(text: &str, is_above: bool) -> Option<Table> {
        if !text.starts_with("Name ") {
            return None;
        }
        let heads: Vec<&str> = text.split_whitespace().collect();
        let second = heads.get(1)?;
        let at = text.find(&format!(" {second}"))? + 1;
        let names_end = text[..at].chars().count();
        if heads[..] == PROPERTIES {
            let kind = Kind::Properties;
            return Some(Table { names_end, kind });
        }
        let known = |head: &&str| SINGLE.contains(head) || *head == DESCRIPTION;
        let enabled = heads.iter().position(|head| *head == ENABLED)?;
        let behind = &heads[enabled + 1..];
        let described = heads.contains(&DESCRIPTION);
        // Of columns that stand no wider apart than words nobody sees where one ends.
        let apart = !described || text.contains(&format!("  {DESCRIPTION}"));
        let fits = heads[1..].iter().all(known) && !behind.contains(&DESCRIPTION);
        (is_above && fits && apart).then(|| Table {
            names_end,
            kind: Kind::Enabled {
                behind: behind.len(),
                words: (!described).then_some(heads.len() - 1),
            },
        })
    }

    /// A row; none of another line, or where a column was cut off.
    pub(super) fn row<'t>(&self, text: &'t str) -> Option<Row<'t>> {
        let (end, _) = text.char_indices().nth(self.names_end)?;
        let (name, rest) = text.split_at(end);
        let is_cut = |word: &str| word.ends_with("...") || word.ends_with('…');
        let apart = name.ends_with(' ');
        let name = name.trim();
        if !apart || name.is_empty() || is_cut(name) {
            return None;
        }
        let words: Vec<&str> = rest.split_whitespace().collect();
        match self.kind {
            Kind::Enabled { behind, words: all } => {
                let fits = all.is_none_or(|all| all == words.len());
                let at = words.len().checked_sub(behind + 1).filter(|_| fits)?;
                let known = ["False", "True"].iter().position(|w| *w == words[at])?;
                Some(Some((name, known == 1)))
            }
            Kind::Properties => match words[..] {
                [.., "*RSS", "{0}"] => Some(Some((name, false))),
                [.., "*RSS", "{1}"] => Some(Some((name, true))),
                [.., last] if last.starts_with('{') || is_cut(last) => Some(None),
                _ => None,
            },
        }
    }
}
