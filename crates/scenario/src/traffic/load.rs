//! The shape of traffic: datagrams by law or by file, flows that come and go.

use std::sync::Arc;

use farpath_units::{Duration, Rate, Ratio, Size};

use crate::atm;
use crate::columns;
use crate::decode::{Fields, octets};
use crate::diagnostic::Diagnostic;
use crate::model::{Arrivals, CellSource, Envelope, Flows, OnOff, Sizes, Steps, Tcp, Udp};
use crate::replay;
use crate::source::Beside;

/// A stream of datagrams; `folder` has the files it may name.
pub(crate) fn udp(
    f: &Fields,
    name: &str,
    folder: &Beside,
    faults: &mut Vec<Diagnostic>,
) -> Option<Udp> {
    let arrivals = match f.get::<String>("arrivals").as_deref() {
        Some("poisson") => Arrivals::Poisson,
        _ => Arrivals::Constant,
    };
    let replay = match f.at::<String>("replay") {
        Some(path) => {
            let found = columns::read(folder, &path, &["csv"], replay::parse, faults)?;
            Some(Arc::new(found))
        }
        None => None,
    };
    if replay.is_some() {
        for key in ["arrivals", "on_off", "envelope"] {
            if f.has(key) {
                let title = format!("`{key}` beside `replay` in test `{name}`");
                let help = "the file says when what is sent: remove one of them";
                faults.push(Diagnostic::new(f.place(key), title).help(help));
            }
        }
    }
    if f.has("on_off") && f.has("envelope") {
        let title = format!("`on_off` and `envelope` in test `{name}`");
        let help = "one source has one of them; write two tests to have both";
        faults.push(Diagnostic::new(f.place("envelope"), title).help(help));
    }
    if !f.has("rate") && !f.has("replay") {
        let title = format!("test `{name}` has no `rate`");
        let help = "add `rate`: rate of UDP payload";
        faults.push(Diagnostic::new(f.span.clone(), title).help(help));
    }
    let mean = replay.as_ref().map(|r| {
        let (span, bits) = r.total();
        (bits / span.as_secs_f64().max(1e-3)).max(1.0) as u64
    });
    Some(Udp {
        rate: f.get("rate").or_else(|| Rate::from_bps(mean?))?,
        size: octets(f, "size").unwrap_or(1472),
        arrivals,
        on_off: f.get::<Fields>("on_off").and_then(|t| on_off(&t)),
        envelope: envelope(f),
        replay,
        cells: None,
    })
}

/// UDP payload of a datagram that fills one cell, with or without LLC and SNAP.
const CELL_PAYLOAD: u32 = 4;

/// A tester's stream of cells.
pub(crate) fn cells(f: &Fields, name: &str, faults: &mut Vec<Diagnostic>) -> Option<Udp> {
    let mut refuse = |key: &str, title: String, help: &str| {
        faults.push(Diagnostic::new(f.place(key), title).help(help));
    };
    if f.get::<i64>("ip") == Some(6) {
        let title = format!("`ip = 6` in test `{name}`, whose datagrams are single cells");
        refuse(
            "ip",
            title,
            "an IPv6 header and LLC do not fit a cell: remove `ip`",
        );
    }
    let Some(rate) = f.get::<Rate>("rate") else {
        if !f.has("rate") {
            let title = format!("test `{name}` has no `rate`");
            let help = "add `rate`: rate of whole cells, 424 bits each";
            faults.push(Diagnostic::new(f.span.clone(), title).help(help));
        }
        return None;
    };
    let (burst, peak) = (f.get::<i64>("burst"), f.get::<Rate>("peak"));
    match (burst, peak) {
        (Some(_), None) => {
            let title = format!("`burst` without `peak` in test `{name}`");
            let help = "say how fast the cells of a burst come: peak = \"599.04 Mbit/s\"";
            refuse("burst", title, help);
        }
        (None, Some(_)) => {
            let title = format!("`peak` without `burst` in test `{name}`");
            refuse(
                "peak",
                title,
                "say how many cells come together: burst = 100",
            );
        }
        (_, Some(peak)) if peak < rate => {
            let title = format!("a peak of {peak} below the mean rate of {rate}");
            refuse("peak", title, "a burst comes faster than the mean");
        }
        _ => {}
    }
    let contract = f
        .get::<Fields>("contract")
        .and_then(|c| atm::contract(&c, None, Duration::from_us(1), faults));
    Some(Udp {
        rate,
        size: CELL_PAYLOAD,
        arrivals: Arrivals::Constant,
        on_off: None,
        envelope: None,
        replay: None,
        cells: Some(CellSource {
            burst: burst.map(i64::unsigned_abs).zip(peak),
            contract,
        }),
    })
}

fn on_off(f: &Fields) -> Option<OnOff> {
    Some(OnOff {
        on: f.get("on")?,
        off: f.get("off")?,
        alpha: f.get("alpha").unwrap_or(1.5),
    })
}

fn envelope(f: &Fields) -> Option<Envelope> {
    let f: Fields = f.get("envelope")?;
    Some(Envelope {
        period: f.get("period")?,
        low: f.get::<Ratio>("low")?,
        steps: match f.get::<String>("shape").as_deref() {
            Some("steps") => Steps::Halves,
            _ => Steps::Sinusoid,
        },
    })
}

/// Flows that come and go: `tcp` says what each is like.
pub(crate) fn flows(f: &Fields, mut tcp: Tcp, faults: &mut Vec<Diagnostic>) -> Option<Flows> {
    tcp.parallel = octets(f, "flows")?;
    Some(Flows {
        tcp,
        spacing: f.get("spacing")?,
        sizes: sizes(&f.get::<Fields>("sizes")?, faults)?,
        envelope: envelope(f),
    })
}

fn sizes(f: &Fields, faults: &mut Vec<Diagnostic>) -> Option<Sizes> {
    match f.get::<String>("kind")?.as_str() {
        "fixed" => Some(Sizes::Fixed(f.get("size")?)),
        "lognormal" => Some(Sizes::Lognormal {
            median: f.get("median")?,
            sigma: f.get("sigma").unwrap_or(1.5),
        }),
        _ => {
            let (least, most): (Size, Size) = (f.get("least")?, f.get("most")?);
            if most <= least {
                let title = format!("the largest size is {most}, the smallest {least}");
                faults.push(
                    Diagnostic::new(f.place("most"), title)
                        .help("let `most` be larger than `least`, or write kind = \"fixed\""),
                );
            }
            Some(Sizes::Pareto {
                least,
                most,
                alpha: f.get("alpha").unwrap_or(1.2),
            })
        }
    }
}
