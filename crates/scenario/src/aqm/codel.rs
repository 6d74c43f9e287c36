//! Controlled delay, of one queue or of one for each flow.

use farpath_element::qdisc::CodelConfig;
use farpath_units::{Duration, Size};

use super::ECN;
use crate::decode::Fields;
use crate::key::Kind::{Int, Octets, Table};
use crate::key::{ANY_SIZE, COUNT, Key, POSITIVE_TIME, Section, key};
use crate::model::FqCodel;

const TARGET: Key = key("target", POSITIVE_TIME, "Acceptable standing delay.").default("5 ms");
const INTERVAL: Key = key(
    "interval",
    POSITIVE_TIME,
    "About the largest RTT: how long ends need to react.",
)
.default("100 ms");

pub(super) const KEY: Key = key(
    "codel",
    Table(&TABLE),
    "Controlled delay (RFC 8289): drops at the head by how long frames waited. `codel = {}` is enough.",
);

const TABLE: Section = Section {
    name: "codel",
    doc: "Controlled delay (RFC 8289).",
    keys: &[TARGET, INTERVAL, ECN.default("false")],
};

pub(crate) const FQ_CODEL: Key = key(
    "fq_codel",
    Table(&FQ_CODEL_TABLE),
    "Details of `scheduler = \"fq-codel\"`.",
);

const FQ_CODEL_TABLE: Section = Section {
    name: "fq_codel",
    doc: "A queue for each hashed flow, each with controlled delay (RFC 8290).",
    keys: &[
        key(
            "flows",
            Int {
                min: 1,
                max: 65_535,
            },
            "Queues that flows are hashed to.",
        )
        .default("1024"),
        key(
            "quantum",
            Octets {
                min: 1,
                max: 1_000_000,
            },
            "Bytes a queue sends before the next one's turn.",
        )
        .default("a full frame"),
        key("packets", COUNT, "Frames that may wait in all queues.").default("10240"),
        key("memory", ANY_SIZE, "Bytes that may wait in all queues.").default("32 MB"),
        TARGET,
        INTERVAL,
        ECN.default("true"),
    ],
};

pub(super) fn read(f: &Fields) -> CodelConfig {
    controller(f, false)
}

/// The controller a table describes; `ecn` if it does not say.
fn controller(f: &Fields, ecn: bool) -> CodelConfig {
    CodelConfig {
        target: f.get("target").unwrap_or(Duration::from_ms(5)),
        interval: f.get("interval").unwrap_or(Duration::from_ms(100)),
        ecn: f.get("ecn").unwrap_or(ecn),
    }
}

/// Flow queueing, with or without a table of details.
pub(crate) fn fq_codel(f: Option<&Fields>) -> FqCodel {
    let empty = Fields::empty();
    let f = f.unwrap_or(&empty);
    let count = |key: &str| f.get::<i64>(key).map(i64::unsigned_abs);
    FqCodel {
        flows: count("flows")
            .and_then(|n| u16::try_from(n).ok())
            .unwrap_or(1024),
        quantum: count("quantum").and_then(|n| u32::try_from(n).ok()),
        packets: count("packets").unwrap_or(10_240),
        memory: f.get("memory").unwrap_or(Size::from_bytes(32_000_000)),
        codel: controller(f, true),
    }
}
