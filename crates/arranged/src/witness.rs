//! A simulated run and everyone who saw it: the simulator, its record, and captures of its links.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use farpath_element::Mode;
use farpath_experiment::tap::{Sink, Taps, tapped};
use farpath_observe::{Connection, Observation};
use farpath_record::{Record, RunDocument};
use farpath_scenario::{Set, Source, parse};
use farpath_sim::{Keep, Options, WINDOW, observations, records, run};

/// A run of a scenario with one test over TCP.
#[derive(Debug)]
pub struct Witness {
    /// The connection as the simulator saw it.
    pub connection: Connection,
    /// Its record.
    pub record: Record,
    /// The captures, by link.
    pub captures: BTreeMap<String, Vec<u8>>,
}

#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Simulates a scenario whose first test is a connection, with captures of links; none where nothing was seen of it.
///
/// # Errors
/// What is wrong with the scenario or the run.
pub fn witness(text: &str, seed: u64, links: &[&str]) -> Result<Option<Witness>, String> {
    let source = Source {
        name: "arranged".to_owned(),
        text: text.to_owned(),
    };
    let tap = |link: &&str| -> Result<Set, String> {
        let text = format!("link.{link}.tap=true");
        text.parse().map_err(|e| format!("{e}"))
    };
    let sets: Vec<Set> = links.iter().map(tap).collect::<Result<_, _>>()?;
    let scenario = parse(&source, &sets).map_err(|e| format!("{e}\n{text}"))?;
    let (mut shared, mut sinks): (_, Vec<(_, Sink)>) = (Vec::new(), Vec::new());
    for link in tapped(&scenario) {
        let to = Shared::default();
        shared.push((scenario.links[link.0].name.clone(), to.clone()));
        sinks.push((link, Box::new(to)));
    }
    let taps = Taps::new(&scenario, sinks).map_err(|e| format!("{e}"))?;
    let options = Options {
        mode: Mode::Windowed(WINDOW),
        seed,
        intervals: 200,
        keep: Keep {
            sequence: 0,
            audit: false,
            taps: !links.is_empty(),
            clocks: !links.is_empty(),
        },
        progress: &mut |_| true,
        tap: &mut |scenario, built, frames| {
            // A capture in memory can always be written.
            let _written = taps.write(scenario, built, frames);
        },
    };
    let outcome = run(&scenario, options).map_err(|e| format!("{e}\n{text}"))?;
    taps.finish().map_err(|e| format!("{e}"))?;
    let record = records(&scenario, &outcome, &BTreeMap::new()).swap_remove(0);
    let connection = match observations(&scenario, &outcome).into_iter().next() {
        Some(Some(Observation::Connections(all, _))) => all.into_iter().next(),
        _ => None,
    };
    let taken = |(name, to): (String, Shared)| {
        let bytes = std::mem::take(&mut *to.0.lock().unwrap_or_else(PoisonError::into_inner));
        (name, bytes)
    };
    Ok(connection.map(|connection| Witness {
        connection,
        record,
        captures: shared.into_iter().map(taken).collect(),
    }))
}

/// The record of a scenario's first test, whatever it is.
///
/// # Errors
/// What is wrong with the scenario or the run.
pub fn record(text: &str, seed: u64) -> Result<Record, String> {
    let source = Source {
        name: "arranged".to_owned(),
        text: text.to_owned(),
    };
    let scenario = parse(&source, &[]).map_err(|e| format!("{e}\n{text}"))?;
    let options = Options {
        mode: Mode::Windowed(WINDOW),
        seed,
        intervals: 10,
        keep: Keep {
            sequence: 0,
            audit: false,
            taps: false,
            clocks: false,
        },
        progress: &mut |_| true,
        tap: &mut |_, _, _| {},
    };
    let outcome = run(&scenario, options).map_err(|e| format!("{e}\n{text}"))?;
    Ok(records(&scenario, &outcome, &BTreeMap::new()).swap_remove(0))
}

impl Witness {
    /// The document of a run that has this record alone, as JSON.
    pub fn document(&self) -> String {
        let mut document = RunDocument::new("arranged", 1, String::new());
        document.records.push(self.record.clone());
        document.to_json()
    }

    /// Seconds from the handshake to the last byte delivered.
    pub fn seconds(&self) -> f64 {
        let c = &self.connection;
        let until = c.finished.max(c.established);
        until.since(c.established).as_secs_f64()
    }

    /// Payload delivered over that time, bit/s; 0 where nothing was.
    pub fn goodput(&self) -> f64 {
        match self.seconds() {
            s if s > 0.0 => self.connection.delivered as f64 * 8.0 / s,
            _ => 0.0,
        }
    }

    /// Segments sent again.
    pub fn again(&self) -> f64 {
        let again = self.record.metrics.get("retransmits");
        again.copied().unwrap_or(0.0)
    }
}
