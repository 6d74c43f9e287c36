//! SONET and SDH: line and payload rates by the columns rule (ITU-T G.707, ANSI T1.105).
//!
//! An STS-N frame is 9 rows by 90·N columns of bytes, 8000 times a second. Transport overhead takes
//! 3·N columns; a concatenated STS-Nc gives 1 column to path overhead and N/3 − 1 to fixed stuff.
//! What is left is 260·N/3 columns: 149.76 Mbit/s for each STS-3c's worth.

/// Bits a second of one column: 9 bytes, 8000 frames a second.
const COLUMN_BPS: u64 = 9 * 8 * 8000;

/// Columns of the whole STS-N frame.
pub const fn total_columns(n: u64) -> u64 {
    90 * n
}

/// Columns left for payload in an STS-Nc; `n` is 1 or a multiple of 3. An STS-1 carrying a
/// contiguous payload gives 1 column to path overhead and 2 to fixed stuff.
pub const fn payload_columns(n: u64) -> u64 {
    let envelope = total_columns(n) - 3 * n;
    let fixed_stuff = if n == 1 { 2 } else { n / 3 - 1 };
    envelope - 1 - fixed_stuff
}

/// Line rate of an STS-N in bit/s: N × 51.84 Mbit/s.
pub const fn line_bps(n: u64) -> u64 {
    total_columns(n) * COLUMN_BPS
}

/// Payload rate of an STS-Nc in bit/s; `n` as in [`payload_columns`].
pub const fn payload_bps(n: u64) -> u64 {
    payload_columns(n) * COLUMN_BPS
}

/// What the payload of an STS-Nc would be with its fixed stuff left in: a common mistake
/// (600.768 Mbit/s for an STS-12c), kept so that it can be recognised.
pub const fn payload_bps_with_stuff(n: u64) -> u64 {
    let fixed_stuff = if n == 1 { 2 } else { n / 3 - 1 };
    (payload_columns(n) + fixed_stuff) * COLUMN_BPS
}
