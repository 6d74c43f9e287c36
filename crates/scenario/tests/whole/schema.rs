//! The JSON Schema accepts what the reader accepts.

use farpath_scenario::{schema, shipped, template};
use serde_json::Value;

/// The part of JSON Schema that the generated one uses, patterns left out.
fn valid(value: &Value, schema: &Value) -> bool {
    let list = |key: &str| schema.get(key).and_then(Value::as_array);
    let bound = |key: &str, ok: fn(f64, f64) -> bool| match (
        schema.get(key).and_then(Value::as_f64),
        value.as_f64(),
    ) {
        (Some(limit), Some(v)) => ok(v, limit),
        _ => true,
    };
    let kind = match schema.get("type").and_then(Value::as_str) {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        _ => true,
    };
    kind && schema.get("const").is_none_or(|c| c == value)
        && list("enum").is_none_or(|words| words.contains(value))
        && list("oneOf").is_none_or(|all| all.iter().filter(|s| valid(value, s)).count() == 1)
        && list("anyOf").is_none_or(|all| all.iter().any(|s| valid(value, s)))
        && bound("minimum", |v, limit| v >= limit)
        && bound("maximum", |v, limit| v <= limit)
        && members(value, schema)
}

fn members(value: &Value, schema: &Value) -> bool {
    if let (Some(items), Some(array)) = (schema.get("items"), value.as_array()) {
        return array.iter().all(|v| valid(v, items));
    }
    let (Some(object), Some(properties)) = (value.as_object(), schema.get("properties")) else {
        return true;
    };
    let required = schema.get("required").and_then(Value::as_array);
    let complete = required.is_none_or(|r| {
        r.iter()
            .filter_map(Value::as_str)
            .all(|k| object.contains_key(k))
    });
    let others = schema.get("additionalProperties").filter(|s| s.is_object());
    let of = |k: &String| properties.get(k).or(others);
    complete
        && object
            .iter()
            .all(|(k, v)| of(k).is_some_and(|s| valid(v, s)))
}

fn as_json(text: &str) -> Value {
    let table: toml::Table = toml::from_str(text).expect("TOML");
    serde_json::to_value(table).expect("JSON holds all of it")
}

#[test]
fn every_shipped_scenario_fits_the_schema() {
    let schema = schema();
    for s in shipped() {
        assert!(valid(&as_json(s.text), &schema), "{}", s.name);
    }
    assert!(valid(&as_json(template()), &schema));
}

#[test]
fn the_schema_refuses_what_the_reader_refuses() {
    let schema = schema();
    let right = "[scenario]\nname = \"x\"\n[[test]]\nname = \"t\"\nkind = \"ping\"\nfrom = \"a\"\nto = \"b\"\n";
    assert!(valid(&as_json(right), &schema));
    for (from, to) in [
        ("kind = \"ping\"", "kind = \"pong\""),
        ("to = \"b\"\n", ""),
        ("to = \"b\"", "to = \"b\"\nwindow = \"1 MiB\""),
        ("to = \"b\"", "to = \"b\"\nttl = 256"),
        ("[scenario]", "[scenery]"),
        ("name = \"t\"", "nmae = \"t\""),
    ] {
        assert!(right.contains(from));
        assert!(!valid(&as_json(&right.replace(from, to)), &schema), "{to}");
    }
}

/// An editor can explain every key it offers.
#[test]
fn every_key_of_a_section_has_a_description() {
    let schema = schema();
    let mut keys = 0;
    let mut open = vec![&schema["properties"]];
    while let Some(properties) = open.pop() {
        for (name, key) in properties.as_object().into_iter().flatten() {
            let shapes = [Some(key), key.get("items")].into_iter().flatten();
            let inner = shapes
                .flat_map(|s| {
                    [Some(s)]
                        .into_iter()
                        .chain((0..3).map(|i| s.pointer(&format!("/oneOf/{i}"))))
                })
                .flatten();
            open.extend(inner.filter_map(|s| s.get("properties")));
            let doc = key.get("description").and_then(Value::as_str);
            assert!(doc.is_some_and(|d| d.ends_with('.')), "{name}: {doc:?}");
            keys += 1;
        }
    }
    assert!(keys > 100, "only {keys} keys were found");
}
