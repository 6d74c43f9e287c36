//! The closed forms against published and carried tables, to the digits printed there.

mod table;

use farpath_predict::folded::{Capacity, Crossing, Folded, LinkUse, capacity};
use farpath_predict::record::{
    Announcement, Contradiction, implied_bps, implied_m, product_tbm_per_s,
};
use farpath_predict::recovery::{self, Losses};
use farpath_predict::rtt::{Hop, fibre_floor_s, fibre_m_within, ping_answer, ping_rtt};
use farpath_predict::slow_start::SlowStart;
use farpath_predict::{
    Cc, Framing, PathInput, Signal, overhead::Stack, path, rfc6349, sonet, window,
};
use farpath_units::{Distance, Duration, Rate, Ratio, Size};

macro_rules! carried {
    ($name:literal) => {
        table::rows(include_str!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/data/",
            $name,
            ".csv"
        )))
    };
}

fn mbps(x: f64) -> Rate {
    Rate::from_bps((x * 1e6).round() as u64).expect("not zero")
}

fn gbps(x: f64) -> Rate {
    mbps(x * 1e3)
}

fn ms(x: f64) -> Duration {
    Duration::from_secs_f64(x / 1e3)
}

fn bytes(n: f64) -> Size {
    Size::from_bytes(n as u64)
}

fn signal(name: &str) -> Signal {
    *Signal::named(name).expect("a signal")
}

mod laws;
mod links;
mod records;
mod starts;
mod statements;
mod windows;
