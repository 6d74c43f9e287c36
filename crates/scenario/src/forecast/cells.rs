//! What closed forms say about a tester's stream of cells.

use farpath_predict::atm::{Bursts, CELL, CELL_BITS, Shaper, conforming_ratio};
use farpath_record::Record;
use farpath_units::Duration;

use super::{Path, put};
use crate::atm::{CellContract, LostAtOnce};
use crate::model::{Test, Udp};
use crate::plan::Hop;

impl Path<'_> {
    /// Share of the cells that pass every policer and cause of loss on the way, and their number.
    pub(crate) fn cells(&self, test: &Test, udp: &Udp, record: &mut Record) {
        let seconds = test.duration.unwrap_or_default().as_secs_f64();
        let sent = (udp.rate.as_bps() as f64 * seconds / CELL_BITS as f64).floor();
        let header = self.header();
        let mut arrives =
            1.0 - self.loss_ratio_of(udp.size + header, &self.there, LostAtOnce::Cell);
        for hop in &self.there {
            let port = &self.plan.ports[hop.port];
            let link = &self.scenario.links[port.link.0];
            let cells = &link.direction(port.way).cells;
            let police = cells.as_ref().and_then(|c| c.police).filter(|p| !p.tags);
            let through = police.map_or(1.0, |p| keeps(udp, &p.contract));
            let line = conforming_ratio(udp.rate, self.lasting_rate(hop.port));
            arrives *= through.min(line);
        }
        let m = &mut record.metrics;
        put(m, "cells_sent", sent);
        put(m, "cells_received", (sent * arrives).round());
        put(m, "loss_ratio", 1.0 - arrives);
        record
            .notes
            .push("a long stream: the burst a contract allows at its start is left out".to_owned());
    }
    /// How long the shapers of cells on `walk` hold a datagram of `len` bytes up that comes alone.
    pub(crate) fn shaped_cells(&self, walk: &[Hop], len: u32) -> Duration {
        let held = walk.iter().filter_map(|hop| {
            let port = &self.plan.ports[hop.port];
            let link = &self.scenario.links[port.link.0];
            let contract = link.direction(port.way).cells.as_ref()?.shape?;
            let shaper = obeyed(&contract);
            let cells = link.framing.wire_bytes(len + hop.extra) / CELL;
            Some(shaper.holds(cells, port.rate))
        });
        held.fold(Duration::ZERO, |sum, time| sum + time)
    }
}

fn obeyed(contract: &CellContract) -> Shaper {
    Shaper {
        peak: contract.pcr,
        tolerance: contract.cdvt,
        sustained: contract.obeyed(),
    }
}

/// Share of a stream's cells that keep to a contract.
fn keeps(udp: &Udp, contract: &CellContract) -> f64 {
    let burst = udp.cells.and_then(|cells| cells.burst);
    burst.map_or_else(
        || conforming_ratio(udp.rate, contract.lasting()),
        |(cells, peak)| {
            let mean = udp.rate;
            Bursts { mean, cells, peak }.conforming_ratio(&obeyed(contract))
        },
    )
}
