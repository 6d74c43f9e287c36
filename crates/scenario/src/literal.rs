//! A value of TOML: what it is, and as an argument writes it.

use toml::de::DeValue;

/// What it is, for a message.
pub(crate) fn found_word(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "text",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(f) if f.as_str().ends_with("nan") => "nan",
        DeValue::Float(f) if f.as_str().ends_with("inf") => "infinite",
        DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "an array",
        DeValue::Table(_) => "a table",
    }
}

/// A whole number, if the value is one.
pub(crate) fn whole(value: &DeValue<'_>) -> Option<i64> {
    match value {
        DeValue::Integer(i) => i64::from_str_radix(i.as_str(), i.radix()).ok(),
        _ => None,
    }
}

/// Any number, if the value is one.
pub(crate) fn number(value: &DeValue<'_>) -> Option<f64> {
    match value {
        DeValue::Integer(_) => whole(value).map(|i| i as f64),
        DeValue::Float(f) => f.as_str().parse().ok().filter(|f: &f64| f.is_finite()),
        _ => None,
    }
}

/// A value as a `--set` argument would write it.
pub(crate) fn written(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(s) => s.to_string(),
        DeValue::Integer(i) => i.to_string(),
        DeValue::Float(f) => f.to_string(),
        DeValue::Boolean(b) => b.to_string(),
        DeValue::Datetime(d) => d.to_string(),
        DeValue::Array(list) => {
            let items: Vec<String> = list.iter().map(|v| inner(v.get_ref())).collect();
            format!("[{}]", items.join(", "))
        }
        DeValue::Table(t) => {
            let items: Vec<String> = t
                .iter()
                .map(|(k, v)| format!("{} = {}", k.get_ref(), inner(v.get_ref())))
                .collect();
            format!("{{ {} }}", items.join(", "))
        }
    }
}

fn inner(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(s) => toml::Value::String(s.to_string()).to_string(),
        other => written(other),
    }
}
