//! The text of a scenario as keys with their values, each key as `--set` has it: what two texts differ in.

use std::collections::BTreeMap;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::literal::written;

/// Every key of a scenario's text with its value: `test.bulk.cc` and `reno`. What has no name counts from 1: `expect.2.metric`. Empty
/// of a text that is not TOML.
pub fn keys_of(text: &str) -> BTreeMap<String, String> {
    let mut keys = BTreeMap::new();
    if let Ok(tree) = DeTable::parse(text) {
        table("", tree.get_ref(), &mut keys);
    }
    keys
}

fn table(path: &str, of: &DeTable<'_>, keys: &mut BTreeMap<String, String>) {
    for (key, value) in of.iter() {
        let dot = if path.is_empty() { "" } else { "." };
        let path = format!("{path}{dot}{}", key.get_ref());
        match value.get_ref() {
            DeValue::Table(inner) => table(&path, inner, keys),
            DeValue::Array(list) if !list.is_empty() && list.iter().all(is_table) => {
                for (number, one) in (1..).zip(list.iter()) {
                    let name = name(one).unwrap_or_else(|| number.to_string());
                    if let DeValue::Table(inner) = one.get_ref() {
                        table(&format!("{path}.{name}"), inner, keys);
                    }
                }
            }
            plain => {
                keys.insert(path, written(plain));
            }
        }
    }
}

fn is_table(value: &Spanned<DeValue<'_>>) -> bool {
    matches!(value.get_ref(), DeValue::Table(_))
}

/// The name that a table of a list has.
fn name(value: &Spanned<DeValue<'_>>) -> Option<String> {
    let DeValue::Table(table) = value.get_ref() else {
        return None;
    };
    match table.get("name")?.get_ref() {
        DeValue::String(name) => Some(name.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_those_of_set() {
        let text = r#"
            [scenario]
            seed = 7
            [[link]]
            name = "ocean"
            rate = "10 Gbit/s"
            forward.queue = "1 MB"
            [[expect]]
            metric = "bulk.goodput_bps"
            [sweep]
            "test.bulk.cc" = ["reno", "cubic"]
        "#;
        let keys = keys_of(text);
        for (key, value) in [
            ("scenario.seed", "7"),
            ("link.ocean.rate", "10 Gbit/s"),
            ("link.ocean.forward.queue", "1 MB"),
            ("expect.1.metric", "bulk.goodput_bps"),
            ("sweep.test.bulk.cc", r#"["reno", "cubic"]"#),
        ] {
            assert_eq!(keys.get(key).map(String::as_str), Some(value), "{key}");
        }
        assert!(keys_of("rate = ").is_empty());
    }
}
