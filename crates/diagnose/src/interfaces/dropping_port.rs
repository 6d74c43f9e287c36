//! A router's port whose queue dropped what a flow sent again: the flow crosses it, and gets no more than it carries, whatever the
//! interfaces of hosts run at.

use crate::cause::Cause;
use crate::ceiling::{Limit, carried};
use crate::evidence::Evidence;
use crate::fact::Figure;
use crate::ports::queue::queue_holds;

/// From so surely on what a port dropped is what the flow sent again, 0 to 1.
const CROSSED: f64 = 0.5;

impl Evidence {
    /// The speed of a port that dropped what this flow sent again, and what it is called; none where the line that is known is not faster, or
    /// the flow was faster than the port. Where no text says its speed, its name does, within a line that is known.
    fn dropping_port(&self) -> Option<(Figure, String)> {
        let ports = &self.around.ports;
        let named = ports.dropping_named.filter(|_| self.line.is_some());
        let (dropped, speed) = ports.dropped.as_ref().zip(ports.dropping.or(named))?;
        let slower = |figure: &Figure| figure.low < speed;
        let crossed = self.rate.as_ref().is_some_and(slower)
            && queue_holds(self, dropped) > CROSSED
            && self
                .line
                .as_ref()
                .is_none_or(|(line, _)| speed < line.value);
        let at = dropped.count.from.first().copied()?;
        crossed.then(|| {
            let called = dropped.port.named("a router's port");
            let by = match ports.dropping {
                Some(_) => "",
                None => ", by its name",
            };
            (Figure::exact(speed, at), format!("{called}{by}"))
        })
    }

    /// The rate of the line that is known, or of a port which dropped and is slower, bit/s; none where no line is known.
    pub(crate) fn narrowest(&self) -> Option<f64> {
        let (line, _) = self.line.as_ref()?;
        let port = self.dropping_port().map(|(speed, _)| speed.value);
        Some(port.unwrap_or(line.value))
    }

    /// What a port that dropped leaves for payload, where it is slower than the line that is known.
    pub(crate) fn left_by_port(&self) -> Option<Limit> {
        let (speed, called) = self.dropping_port()?;
        Some(carried(self.payload_share(), &speed, &called))
    }
}

/// What is left after a change, and no more than a port carries that dropped what the flow lost.
pub(crate) fn within_port(next: (Cause, Figure), e: &Evidence) -> (Cause, Figure) {
    match e.left_by_port() {
        Some(port) if port.rate.value < next.1.value => {
            let mut figure = port.rate;
            figure.low = figure.low.min(next.1.low);
            (Cause::Link, figure)
        }
        _ => next,
    }
}
