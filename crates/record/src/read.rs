//! Reading documents that others may have touched: what is wrong, where, and what to do.

use serde::Deserialize;

use crate::document::{RECORD_SCHEMA, RUN_SCHEMA};
use crate::{Record, RunDocument};

/// Why a document was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("read {place}: {cause}")]
pub struct ReadError {
    /// The file, with line and column, or with the record.
    pub place: String,
    /// What is wrong there.
    pub cause: String,
    /// What to do about it.
    pub remedy: String,
}

/// The end of `serde_json`'s messages that says where.
const AT_LINE: &str = " at line ";

const WRITE_AGAIN: &str =
    "write it again with `farpath run SCENARIO --json > FILE` or `--out FOLDER`";

/// Reads `farpath.run/1`. Unknown keys are skipped, since later versions add some; what is there
/// must be whole.
///
/// # Errors
/// Text that is not JSON or not a document of this schema; a record of another schema, without a name,
/// or with a series whose two lists differ in length.
pub fn read(name: &str, text: &str) -> Result<RunDocument, ReadError> {
    let document: RunDocument = serde_json::from_str(text).map_err(|e| syntax(name, text, &e))?;
    if document.schema != RUN_SCHEMA {
        return Err(schema(name, &document.schema));
    }
    for (number, record) in document.records.iter().enumerate() {
        if let Some(cause) = fault(record) {
            return Err(ReadError {
                place: format!("{name}, record {number} ({})", shown(&record.test)),
                cause,
                remedy: WRITE_AGAIN.to_owned(),
            });
        }
    }
    Ok(document)
}

fn fault(record: &Record) -> Option<String> {
    if record.schema != RECORD_SCHEMA {
        return Some(format!(
            "its schema is `{}`, not `{RECORD_SCHEMA}`",
            shown(&record.schema)
        ));
    }
    if record.test.is_empty() {
        return Some("it names no test".to_owned());
    }
    if record.metrics.keys().any(String::is_empty) {
        return Some("it has a metric without a name".to_owned());
    }
    let uneven = record
        .series
        .iter()
        .find(|(_, s)| s.t_ns.len() != s.v.len());
    uneven.map(|(name, s)| {
        format!(
            "its series `{}` has {} instants and {} values",
            shown(name),
            s.t_ns.len(),
            s.v.len()
        )
    })
}

/// At most forty characters of what someone else wrote, none of them a control character.
fn shown(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(40).collect()
}

fn schema(name: &str, found: &str) -> ReadError {
    ReadError {
        place: name.to_owned(),
        cause: format!("its schema is `{}`, not `{RUN_SCHEMA}`", shown(found)),
        remedy: "name a file written by `farpath run --json`, or the records.json of `--out`"
            .to_owned(),
    }
}

/// The one key that is asked for when the rest is wrong.
#[derive(Deserialize)]
struct Head {
    schema: String,
}

fn syntax(name: &str, text: &str, error: &serde_json::Error) -> ReadError {
    if let Ok(head) = serde_json::from_str::<Head>(text)
        && head.schema != RUN_SCHEMA
    {
        return schema(name, &head.schema);
    }
    let message = error.to_string();
    let cause = message.rsplit_once(AT_LINE).map_or(&*message, |(c, _)| c);
    let remedy = if error.is_eof() {
        "the file ends too early: it was cut, or is still being written"
    } else {
        WRITE_AGAIN
    };
    ReadError {
        place: format!("{name}:{}:{}", error.line(), error.column()),
        cause: cause
            .chars()
            .filter(|c| !c.is_control())
            .take(200)
            .collect(),
        remedy: remedy.to_owned(),
    }
}
