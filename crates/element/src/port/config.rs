//! What a port is made of, and what of it may change.

use std::sync::Arc;

use farpath_predict::Framing;
use farpath_units::{Duration, Rate};

use crate::atm::CircuitsConfig;
use crate::conditioner::Stage;
use crate::counters::Sampling;
use crate::forwarding::Forwarding;
use crate::impair::{Line, Loss};
use crate::qdisc::{DisciplineConfig, Limit};

/// What a port is made of.
pub struct PortConfig {
    /// Rate left for framed packets.
    pub rate: Rate,
    /// How frames are delimited.
    pub framing: Framing,
    /// Largest payload of the framing.
    pub mtu: u32,
    /// What may wait.
    pub limit: Limit,
    /// One-way propagation.
    pub delay: Duration,
    /// A change of delay may let frames overtake.
    pub reorder: bool,
    /// Causes of loss, in order.
    pub losses: Vec<Loss>,
    /// The node at the far end.
    pub forwarding: Forwarding,
    /// Bytes of IP and transport headers in a data frame, by `FlowDir::index`.
    pub headers: Arc<[u16]>,
    /// How often counters are noted.
    pub sampling: Sampling,
    /// The port will be changed during the run.
    pub changes: bool,
    /// What frames meet before any queue.
    pub conditioning: Vec<Stage>,
    /// A discipline that stands in place of the plain queue and its `limit`.
    pub queues: Option<DisciplineConfig>,
    /// What happens to cells, where the framing has any.
    pub circuits: Option<CircuitsConfig>,
}

/// A change of configuration during a run.
pub enum Change {
    /// Rate of frames whose transmission starts from now on.
    Rate(Rate),
    /// Propagation of frames whose transmission starts from now on.
    Delay(Duration),
    /// All causes of loss.
    Losses(Vec<Loss>),
    /// The queue's limit.
    Limit(Limit),
    /// Whether the link carries anything; what is offered meanwhile is dropped.
    Up(bool),
    /// What else than loss happens to frames whose transmission ends from now on, and whether jitter and changes of delay
    /// let them overtake. Times up and down of its own, and a rate that follows a trace, stay as they are.
    Line {
        /// What happens to frames.
        line: Box<Line>,
        /// Whether later ones may overtake.
        overtaking: bool,
    },
}
