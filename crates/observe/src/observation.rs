//! What was seen of one test.

use farpath_record::Record;

use crate::connection::Connection;
use crate::connections::{self, unfinished};
use crate::datagrams::Datagrams;
use crate::exchange::{self, Asker};
use crate::flows;
use crate::packets::Packets;
use crate::span::Span;
use crate::surroundings::Surroundings;

/// What was seen of one test, of any origin.
#[derive(Clone, Debug, PartialEq)]
pub enum Observation {
    /// Packets one at a time.
    Packets(Packets),
    /// A stream of datagrams or cells.
    Datagrams(Datagrams),
    /// Connections side by side, and who asked for what they carried, where somebody did.
    Connections(Vec<Connection>, Vec<Asker>),
    /// Connections that come and go.
    Flows(Vec<Connection>),
}

impl Observation {
    /// Writes metrics, streams, series and what limited the test into its record. `around` gives what is known of
    /// the surroundings of the connection of that number.
    pub fn fill<'a>(
        &self,
        span: &Span,
        around: &dyn Fn(usize) -> Surroundings<'a>,
        record: &mut Record,
    ) {
        match self {
            Observation::Packets(packets) => {
                packets.fill(record);
                let path = around(0).path;
                record.notes.extend(packets.taken(path.as_ref()));
            }
            Observation::Datagrams(datagrams) => datagrams.fill(span, record),
            Observation::Connections(all, askers) => {
                connections::fill(all, span, around, record);
                record.limited_at = crate::limited_at::of(all, span, around, record);
                if !askers.is_empty() {
                    exchange::fill(askers, span, record);
                    if let Some(why) = unfinished(all).filter(|_| span.duration.is_none()) {
                        record.unset("request_rate", why);
                    }
                }
            }
            Observation::Flows(all) => flows::fill(all, span, record),
        }
        if let Observation::Connections(all, _) | Observation::Flows(all) = self
            && record.limited_by.is_none()
            && all.iter().all(|connection| connection.delivered == 0)
        {
            // Connections that were never open have no account of their time.
            let taker = around(0).path.and_then(|path| path.took_everything());
            record.limited_by = taker.map(|limit| limit.name().to_owned());
        }
    }
}
