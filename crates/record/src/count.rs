//! Counts in words.

/// A count and what is counted: `1 request`, `2 requests`. Each form may go on with its verb.
///
/// ```
/// use farpath_record::count_of;
///
/// assert_eq!(count_of(1, "SYN was", "SYNs were"), "1 SYN was");
/// assert_eq!(count_of(0, "query", "queries"), "0 queries");
/// ```
pub fn count_of(count: u64, one: &str, many: &str) -> String {
    let what = if count == 1 { one } else { many };
    format!("{count} {what}")
}
