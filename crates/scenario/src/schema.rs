//! The JSON Schema of scenario files, for editors: made from the table that decodes them.

use serde_json::{Map, Value, json};

use crate::key::{Key, Kind, Section};
use crate::quantity::example;
use crate::table::{ARRAYS, SCENARIO};

/// The schema (JSON Schema 2020-12) of a scenario file, as an editor's TOML extension reads it.
pub fn schema() -> Value {
    let mut properties = Map::new();
    properties.insert("scenario".to_owned(), object(&SCENARIO));
    for section in ARRAYS {
        let items = object(section);
        properties.insert(
            section.name.to_owned(),
            json!({ "type": "array", "description": section.doc, "items": items }),
        );
    }
    let values = json!({ "type": "array", "minItems": 1 });
    properties.insert(
        "sweep".to_owned(),
        json!({
            "type": "object",
            "description": "`--set` paths and the values tried; points multiply, the last key varies fastest.",
            "properties": { "together": {
                "type": "array",
                "description": "Keys whose n-th values go together, in lists of one length.",
                "items": {
                    "type": "object",
                    "properties": { "label": {
                        "type": "object",
                        "description": "The name of the steps, and a word for each.",
                        "maxProperties": 1,
                        "additionalProperties": values,
                    } },
                    "additionalProperties": values,
                },
            } },
            "additionalProperties": values,
        }),
    );
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "farpath scenario",
        "type": "object",
        "properties": properties,
        "required": ["scenario"],
        "additionalProperties": false,
    })
}

/// A table; where `kind` decides which keys it has, one shape for each.
fn object(section: &Section) -> Value {
    let variants = section.variants();
    if variants.is_empty() {
        return shape(section, None);
    }
    let shapes: Vec<Value> = variants.iter().map(|v| shape(section, Some(v))).collect();
    json!({ "description": section.doc, "oneOf": shapes })
}

fn shape(section: &Section, variant: Option<&'static str>) -> Value {
    let fits = |k: &&Key| k.only.is_empty() || variant.is_none_or(|v| k.only.contains(&v));
    let mut properties = Map::new();
    for key in section.keys.iter().filter(fits) {
        let mut value = match (key.name, variant) {
            ("kind", Some(v)) => json!({ "const": v }),
            _ => of_kind(&key.kind),
        };
        if let Value::Object(fields) = &mut value {
            let mut doc = key.doc.to_owned();
            if !key.default.is_empty() {
                doc.push_str(&format!(" Default: {}.", key.default));
            }
            fields.insert("description".to_owned(), json!(doc));
        }
        properties.insert(key.name.to_owned(), value);
    }
    let required: Vec<&str> = section
        .keys
        .iter()
        .filter(fits)
        .filter(|k| k.required)
        .map(|k| k.name)
        .collect();
    json!({
        "type": "object",
        "description": section.doc,
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn of_kind(kind: &Kind) -> Value {
    let name = json!({ "type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$" });
    // Patterns are no stricter than the decoder: a number and a unit.
    let quantity = |unit: &str| json!({ "type": "string", "pattern": unit, "examples": [example(kind).trim_matches('"')] });
    let number_or_text = |number: Value| json!({ "anyOf": [number, { "type": "string" }] });
    match kind {
        Kind::Text => json!({ "type": "string" }),
        Kind::Name | Kind::Ref(_) => name,
        Kind::Bool => json!({ "type": "boolean" }),
        Kind::Int { min, max } => json!({ "type": "integer", "minimum": min, "maximum": max }),
        Kind::Octets { min, max } => {
            number_or_text(json!({ "type": "integer", "minimum": min, "maximum": max }))
        }
        Kind::Span { .. } => quantity("^\\s*[0-9.]+\\s*(ps|ns|us|µs|μs|ms|s|min|h|d)\\s*$"),
        Kind::Rate => quantity("^\\s*[0-9.]+\\s*[A-Za-z/]+\\s*$"),
        Kind::Size { .. } => quantity("^\\s*[0-9.]+\\s*[kKMGT]?i?B\\s*$"),
        Kind::Queue => quantity("^\\s*[0-9.]+\\s*[A-Za-zµμ]+\\s*$"),
        Kind::Sysctl => number_or_text(json!({ "type": "integer", "minimum": 1 })),
        Kind::SysctlTriple => {
            json!({ "type": "string", "pattern": "^\\s*[0-9]+\\s+[0-9]+\\s+[0-9]+\\s*$" })
        }
        Kind::Ratio => number_or_text(json!({ "type": "number", "minimum": 0, "maximum": 1 })),
        Kind::Number { above, max } => {
            json!({ "type": "number", "exclusiveMinimum": above, "maximum": max })
        }
        Kind::BitErrorRate => {
            number_or_text(json!({ "type": "number", "minimum": 0, "exclusiveMaximum": 1 }))
        }
        Kind::Class => number_or_text(json!({ "type": "integer", "minimum": 0, "maximum": 255 })),
        Kind::Codes { max, names } => {
            let number = json!({ "type": "integer", "minimum": 0, "maximum": max });
            let one = if *names {
                number_or_text(number)
            } else {
                number
            };
            json!({ "anyOf": [one, { "type": "array", "items": one, "minItems": 1 }] })
        }
        Kind::Bound => number_or_text(json!({ "type": "number" })),
        Kind::Framing => json!({ "enum": crate::signal::words() }),
        Kind::Choice(words) => json!({ "enum": words }),
        Kind::Control(words) => {
            json!({ "anyOf": [{ "enum": words }, { "type": "string", "pattern": "^bpf:." }] })
        }
        Kind::Choices(words) => {
            json!({ "type": "array", "items": { "enum": words }, "minItems": 1 })
        }
        Kind::Refs { min, max, .. } => {
            json!({ "type": "array", "items": name, "minItems": min, "maxItems": max })
        }
        Kind::Texts => json!({ "type": "array", "items": { "type": "string" }, "minItems": 1 }),
        Kind::Table(section) => object(section),
        Kind::Tables(section) => {
            let one = object(section);
            json!({ "anyOf": [one, { "type": "array", "items": one }] })
        }
        Kind::Point => json!({ "type": "object" }),
    }
}
