//! The data of a page in fewer bytes: times that series share stand once, and like objects are columns. `web/src/packed.ts`
//! undoes it; `report.json` is as it always was.

use farpath_record::page::ReportData;
use serde_json::{Map, Value, json};

/// The JSON of a page's script.
pub(super) fn packed(data: &ReportData) -> String {
    let plain = serde_json::to_value(data).expect("string keys and plain values always serialise");
    of(plain).to_string()
}

fn of(mut value: Value) -> Value {
    let mut times = Vec::new();
    pack(&mut value, &mut times);
    let column = |list: &Vec<Value>| column(list.iter().map(Some).collect());
    value["times"] = times.iter().map(column).collect();
    value
}

/// Lists that have a value for each of the times beside them.
const TIMED: [&str; 3] = ["v", "rate_bps", "queue_bytes"];

/// Puts the number of a list of times in the place of each `t_ns`, and columns in that of each `bursts`.
fn pack(value: &mut Value, times: &mut Vec<Vec<Value>>) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(|v| pack(v, times)),
        Value::Object(map) => {
            if let Some(Value::Array(list)) = map.get_mut("t_ns") {
                let list = std::mem::take(list);
                let known = times.iter().position(|t| *t == list);
                let number = known.unwrap_or_else(|| {
                    times.push(list);
                    times.len() - 1
                });
                map.remove("t_ns");
                map.insert("times".to_owned(), number.into());
                for (_, values) in map
                    .iter_mut()
                    .filter(|(key, _)| TIMED.contains(&key.as_str()))
                {
                    if let Value::Array(list) = values {
                        *values = column(list.iter().map(Some).collect());
                    }
                }
            }
            if let Some(Value::Array(list)) = map.get("bursts") {
                let columns = columns(list);
                map.insert("bursts".to_owned(), columns);
            }
            map.values_mut().for_each(|v| pack(v, times));
        }
        _ => {}
    }
}

/// A list of objects as how many there are, and a column for each of their keys.
fn columns(rows: &[Value]) -> Value {
    let objects = || rows.iter().filter_map(Value::as_object);
    let mut keys: Vec<&String> = objects().flat_map(Map::keys).collect();
    keys.sort_unstable();
    keys.dedup();
    let of = |key: &&String| {
        let values = objects().map(|row| row.get(key.as_str())).collect();
        ((*key).clone(), column(values))
    };
    let columns: Map<String, Value> = keys.iter().map(of).collect();
    json!({ "count": rows.len(), "columns": columns })
}

/// One value a row, where it has one: `rows` are the steps from row to row that has one, absent where all do; its values are
/// one for `all`, or a `list`, or whole numbers by the `steps` between them (each alike: `every`, from the first on), or
/// `runs` of equal ones, or words and which of them.
fn column(values: Vec<Option<&Value>>) -> Value {
    let mut found = Map::new();
    if values.iter().any(Option::is_none) {
        let rows = values.iter().enumerate().filter(|(_, v)| v.is_some());
        found.insert("rows".to_owned(), steps(rows.map(|(n, _)| n as i64)));
    }
    let values: Vec<Value> = values.into_iter().flatten().map(whole).collect();
    let (kind, packed) = match values.first() {
        Some(first) if values.iter().all(|v| v == first) => {
            found.insert("count".to_owned(), values.len().into());
            ("all", first.clone())
        }
        Some(Value::String(_)) => {
            let mut words: Vec<Value> = Vec::new();
            for value in &values {
                if !words.contains(value) {
                    words.push(value.clone());
                }
            }
            let at = values.iter().map(|v| words.iter().position(|w| w == v));
            found.insert("at".to_owned(), at.collect());
            ("words", words.into())
        }
        _ => numbers(values),
    };
    found.insert(kind.to_owned(), packed);
    Value::Object(found)
}

/// Numbers in the shortest of their forms; of forms as short, in the plainest.
fn numbers(values: Vec<Value>) -> (&'static str, Value) {
    let whole: Option<Vec<i64>> = values.iter().map(Value::as_i64).collect();
    let mut forms = vec![("list", Value::from(values.clone()))];
    match whole.map(|w| steps(w.into_iter())) {
        Some(Value::Array(by)) if by.len() > 2 && by[1..].iter().all(|s| *s == by[1]) => {
            let every = json!({ "first": by[0], "step": by[1], "count": by.len() });
            return ("every", every);
        }
        Some(by) => forms.push(("steps", by)),
        None => {}
    }
    forms.push(("runs", runs(&values)));
    let shortest = forms
        .into_iter()
        .min_by_key(|(_, form)| form.to_string().len());
    shortest.expect("a list is a form")
}

/// Values that follow each other and are alike: each once, and how many they are.
fn runs(values: &[Value]) -> Value {
    let each = values.chunk_by(|a, b| a == b);
    let (values, counts): (Vec<&Value>, Vec<usize>) = each.map(|r| (&r[0], r.len())).unzip();
    json!([values, counts])
}

/// The first of some whole numbers, and from each to the next.
fn steps(values: impl Iterator<Item = i64>) -> Value {
    let mut before = 0;
    values
        .map(|v| v - std::mem::replace(&mut before, v))
        .collect()
}

/// A whole number without a fraction, as JavaScript reads both.
fn whole(value: &Value) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match value.as_f64() {
        Some(v) if value.is_f64() && v.fract() == 0.0 && v.abs() < EXACT => json!(v as i64),
        _ => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The page's own tests unpack the same text.
    #[test]
    fn a_page_is_packed_as_its_script_unpacks_it() {
        let text = include_str!("../../../../web/fixtures/packed.json");
        let mut both: Value = serde_json::from_str(text).expect("JSON");
        let (plain, packed) = (both["plain"].take(), both["packed"].take());
        assert_eq!(of(plain), packed);
    }
}
