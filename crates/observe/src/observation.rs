//! What was seen of one test.

use farpath_record::Record;
use farpath_units::{Duration, Time};

use crate::connection::{Connection, unfinished};
use crate::datagrams::Datagrams;
use crate::exchange::{self, Asker};
use crate::flows;
use crate::limit::Surroundings;
use crate::packets::Packets;

/// When a test was measured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Span {
    /// Its start.
    pub start: Time,
    /// From its start to the start of the measurement.
    pub omit: Duration,
    /// Length of the measurement; none until all is delivered.
    pub duration: Option<Duration>,
}

impl Span {
    /// Start of the measurement.
    pub fn from(&self) -> Time {
        self.start + self.omit
    }

    /// What a test has only at its end is absent from its record, for this reason.
    pub(crate) fn not_ended(&self, record: &mut Record, why: String) {
        if self.duration.is_none() {
            record.unset("goodput_bps", why.clone());
        }
        record.unset("completion_ns", why);
    }
}

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
                crate::connection::fill(all, span, around, record);
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
