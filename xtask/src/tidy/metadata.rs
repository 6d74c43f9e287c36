//! The document that `cargo metadata` prints.

use serde_json::Value;

/// The packages of a `cargo metadata` document.
pub(super) fn packages(metadata: &Value) -> impl Iterator<Item = &Value> {
    metadata["packages"].as_array().into_iter().flatten()
}

/// A text field of a JSON object, empty when absent.
pub(super) fn text<'a>(object: &'a Value, field: &str) -> &'a str {
    object[field].as_str().unwrap_or_default()
}
