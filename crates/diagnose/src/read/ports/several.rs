//! Tables of what several ports counted: nothing in them says which port a flow crosses.

use std::collections::BTreeSet;

use crate::fact::Place;
use crate::interfaces::port::{Kind, Port, PortReading};
use crate::read::{Facts, optics};

/// What tables counted, until all of a text is read.
#[derive(Default)]
pub(in crate::read) struct Several {
    rows: Vec<PortReading>,
}

/// Most counts that are kept, and most ports that these are looked for among.
const ROWS_MAX: usize = 10_000;
const KNOWN_MAX: usize = 1000;

impl Several {
    /// A count of a port, and the packets that had arrived at it, where that is known.
    pub(in crate::read) fn adds(
        &mut self,
        port: Port,
        (kind, value): (Kind, f64),
        packets: Option<f64>,
        at: Place,
    ) {
        if self.rows.len() < ROWS_MAX {
            self.rows.push(PortReading {
                port,
                kind,
                value,
                packets,
                sent: None,
                at,
            });
        }
    }

    /// How much light a port receives, dBm, and whether that is too little (1, or a half for a warning), where it is known.
    pub(in crate::read) fn receives(&mut self, port: Port, dbm: f64, weak: Option<f64>, at: Place) {
        self.adds(port.clone(), (Kind::Received, dbm), None, at);
        if let Some(weak) = weak {
            self.adds(port, (Kind::Dark, weak), None, at);
        }
    }

    /// How many counts it has.
    pub(in crate::read) fn held(&self) -> usize {
        self.rows.len()
    }

    /// Nothing follows: counts of a single port are its own, and so are those of ports that the text names elsewhere. What such a port is
    /// said to be there is not read of a table. What others counted is settled after all texts.
    pub(in crate::read) fn ends(&mut self, facts: &mut Facts) {
        let rows = core::mem::take(&mut self.rows);
        let Some((first, here)) = rows.first().map(|r| (r.port.clone(), source(r.at))) else {
            return;
        };
        let alone = rows.iter().all(|r| r.port == first);
        // A table of pause frames names all ports.
        let by_itself = |r: &&PortReading| !matches!(r.kind, Kind::PausesHeard | Kind::PausesSent);
        let named = facts.ports.iter().filter(by_itself);
        let named: BTreeSet<Port> = named.map(|r| r.port.clone()).collect();
        let own = facts.ports.iter().filter(|r| source(r.at) == here);
        let read: BTreeSet<(Port, Kind)> = own.map(|r| (r.port.clone(), r.kind)).collect();
        for mut row in rows {
            let is_it =
                |p: &&Port| p.router == row.port.router && optics::is_same(&p.name, &row.port.name);
            match named.iter().take(KNOWN_MAX).find(is_it) {
                Some(port) if !row.kind.counts_up() && read.contains(&(port.clone(), row.kind)) => {
                }
                Some(port) => {
                    row.port = port.clone();
                    facts.rows.insert(row.at);
                    facts.ports.push(row);
                }
                None if alone => {
                    facts.rows.insert(row.at);
                    facts.ports.push(row);
                }
                None if facts.tabled.len() < ROWS_MAX => facts.tabled.push(row),
                None => {}
            }
        }
    }
}

/// The text that a reading is of.
fn source(at: Place) -> Option<u32> {
    match at {
        Place::Line(source, _) => Some(source),
        Place::You | Place::Connection(..) => None,
    }
}
