//! Loss: scripted by flow and segment, every n-th, Bernoulli, Gilbert–Elliott, bit errors.
//!
//! Random loss is drawn by skip: each flow has a remaining *hazard* (frames, or bits of frames)
//! until its next loss, so a frame costs one subtraction. The draw for a flow's k-th loss is a pure
//! function of (seed, link, direction, purpose, flow, pass, k): another flow on the link changes
//! nothing, and a folded path that crosses the link several times draws for each crossing.

use std::sync::Arc;

use farpath_units::{Key, Stream};
use farpath_wire::{Flags, FlowDir, Frame, Kind};

use crate::drops::Drop;
use crate::flows::Flows;

/// Probabilities of the two-state model, per frame (Gilbert 1960, Elliott 1963).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GilbertElliott {
    /// Good to bad.
    pub p: f64,
    /// Bad to good.
    pub r: f64,
    /// Loss in the good state.
    pub loss_good: f64,
    /// Loss in the bad state.
    pub loss_bad: f64,
}

impl GilbertElliott {
    /// Probability of loss in one of its states.
    fn chance(&self, bad: bool) -> f64 {
        if bad { self.loss_bad } else { self.loss_good }
    }
}

/// One cause of loss, as configured.
#[derive(Clone, Debug, PartialEq)]
pub enum LossSpec {
    /// The first transmission of the byte at this stream offset (TCP), or of this ordinal (UDP, echo).
    Scripted {
        /// The flow and direction it travels in.
        flow: FlowDir,
        /// What the frame to hit holds: it begins at its `seq`.
        seq: u64,
        /// Bytes of each datagram that are not payload. What is left is held from `seq` on, and one at least: none but `seq` itself where
        /// ordinals are counted, `u16::MAX`.
        header: u16,
    },
    /// Every n-th frame of each flow and direction; at least 1.
    EveryNth(u64),
    /// Each frame with this probability.
    Bernoulli(f64),
    /// Two states.
    GilbertElliott(GilbertElliott),
    /// Each bit of a frame with this probability, of those bytes in which a wrong bit loses it (`Framing::exposed_bytes`).
    BitError(f64),
}

/// One cause of loss at work.
#[derive(Debug)]
pub struct Loss {
    spec: LossSpec,
    flows: Flows<FlowState>,
    /// Scripted losses strike once.
    spent: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct FlowState {
    /// Losses (or sojourns) drawn so far.
    drawn: u64,
    /// Hazard that passes unharmed before the next loss; Gilbert–Elliott: frames left in the state.
    safe: u64,
    /// Gilbert–Elliott: in the bad state.
    bad: bool,
    /// Gilbert–Elliott: frames seen.
    seen: u64,
}

/// Hazard that never comes to an end.
const ENDLESS: u64 = u64::MAX;

/// Frames like another one that no loss strikes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Safe {
    /// So many of them.
    pub(crate) frames: u64,
    /// From this `seq` on.
    start: u64,
    /// Below this `seq`.
    end: u64,
}

impl Safe {
    /// All of them.
    pub(crate) const ALL: Safe = Safe {
        frames: u64::MAX,
        start: 0,
        end: u64::MAX,
    };

    /// Whether a frame with this `seq` is among them.
    #[inline]
    pub(crate) fn spares(&self, seq: u64) -> bool {
        self.start <= seq && seq < self.end
    }

    /// The frame that holds `seq` is struck, each with `held` from its own on: those before it are left, or those after it where `head`
    /// comes later.
    fn strike(&mut self, seq: u64, held: u64, head: u64) {
        if head <= seq {
            self.end = self.end.min((seq + 1).saturating_sub(held));
        } else {
            self.start = self.start.max(seq + 1);
        }
    }
}

impl Loss {
    /// A loss drawing from `key`, which names the link, its direction and what is drawn.
    ///
    /// # Panics
    /// When `spec` loses every 0th frame: there is none.
    pub fn new(spec: LossSpec, key: Key) -> Loss {
        assert!(spec != LossSpec::EveryNth(0), "there is no 0th frame");
        Loss {
            spec,
            flows: Flows::new(key),
            spent: false,
        }
    }

    /// Keys the luck of each flow by its name, by flow number, instead of the number: a flow that
    /// is added in front of others, and so renumbers them, leaves them their losses. A flow without
    /// a name keeps its number.
    #[must_use]
    pub fn with_flow_names(mut self, names: Arc<[String]>) -> Loss {
        self.flows.name(names);
        self
    }

    /// Whether it knows, but for single frames, how many pass before the next one it strikes: not where
    /// each frame has a draw of its own.
    pub(crate) fn looks_ahead(&self) -> bool {
        !matches!(self.spec, LossSpec::GilbertElliott(ge) if ge.loss_good > 0.0)
    }

    /// Leaves in `safe` only frames like `head`, with `bytes` that a wrong bit spoils, that it does not strike. Of frames
    /// that pass, [`Loss::passed`] must be informed.
    pub(crate) fn narrow(&mut self, safe: &mut Safe, head: &Frame, bytes: u32) {
        if let LossSpec::Scripted { flow, seq, header } = self.spec {
            if !self.spent && may_be_scripted(head, flow) {
                safe.strike(seq, held(head, header), head.seq);
            }
            return;
        }
        let hazard = self.hazard(bytes);
        let (_, state) = self.flows.of(head);
        let frames = match (&self.spec, state) {
            (_, FlowState { drawn: 0, .. }) => 0,
            (LossSpec::GilbertElliott(ge), state) if ge.chance(state.bad) > 0.0 => 0,
            (_, FlowState { safe: ENDLESS, .. }) => ENDLESS,
            (_, state) => state.safe / hazard,
        };
        safe.frames = safe.frames.min(frames);
    }

    /// `count` frames like `head` passed unharmed.
    pub(crate) fn passed(&mut self, head: &Frame, bytes: u32, count: u64) {
        if matches!(self.spec, LossSpec::Scripted { .. }) {
            return;
        }
        let hazard = self.hazard(bytes);
        let (_, state) = self.flows.of(head);
        state.seen += count;
        if state.safe != ENDLESS {
            state.safe -= hazard * count;
        }
    }

    /// What a frame takes of what passes unharmed.
    fn hazard(&self, bytes: u32) -> u64 {
        match self.spec {
            LossSpec::BitError(_) => u64::from(bytes) * 8,
            _ => 1,
        }
    }

    /// Whether `frame` is lost, and why: a wrong bit spoils it in `bytes` of its bytes on this link (`Framing::exposed_bytes`).
    #[inline]
    pub fn strikes(&mut self, frame: &Frame, bytes: u32) -> Option<Drop> {
        match self.spec {
            LossSpec::Scripted { flow, seq, header } => {
                let behind = seq.wrapping_sub(frame.seq);
                let holds = behind < held(frame, header);
                let hit = !self.spent && holds && may_be_scripted(frame, flow);
                self.spent |= hit;
                hit.then_some(Drop::Scripted)
            }
            LossSpec::EveryNth(n) => self.counted(frame, 1, |_, _| n - 1),
            LossSpec::Bernoulli(p) => self.counted(frame, 1, move |luck, k| luck.geometric(k, p)),
            LossSpec::BitError(ber) => {
                let bits = u64::from(bytes) * 8;
                self.counted(frame, bits, move |luck, k| luck.geometric(k, ber))
            }
            LossSpec::GilbertElliott(ge) => self.two_state(frame, ge),
        }
    }

    /// The frame it has to strike, where that has not come by.
    pub fn waits_for(&self) -> Option<(FlowDir, u64)> {
        match self.spec {
            LossSpec::Scripted { flow, seq, .. } if !self.spent => Some((flow, seq)),
            _ => None,
        }
    }

    /// Consumes `hazard` units; a loss when the remaining safe units end within them. What is left
    /// of a frame after its first error is not examined: the next loss is drawn from its end.
    #[inline]
    fn counted(
        &mut self,
        frame: &Frame,
        hazard: u64,
        draw: impl Fn(Stream, u64) -> u64,
    ) -> Option<Drop> {
        let (luck, state) = self.flows.of(frame);
        if state.drawn == 0 {
            state.safe = draw(luck, 0);
            state.drawn = 1;
        }
        if state.safe >= hazard {
            if state.safe != ENDLESS {
                state.safe -= hazard;
            }
            return None;
        }
        state.safe = draw(luck, state.drawn);
        state.drawn += 1;
        Some(match self.spec {
            LossSpec::EveryNth(_) => Drop::EveryNth,
            _ => Drop::Error,
        })
    }

    fn two_state(&mut self, frame: &Frame, ge: GilbertElliott) -> Option<Drop> {
        let (luck, state) = self.flows.of(frame);
        if state.drawn == 0 {
            // A sojourn lasts at least one frame; the chain starts in the good state.
            state.safe = luck.geometric(0, ge.p);
            state.drawn = 1;
        } else if state.safe == 0 {
            state.bad = !state.bad;
            let leave = if state.bad { ge.r } else { ge.p };
            state.safe = luck.geometric(state.drawn, leave);
            state.drawn += 1;
        } else if state.safe != ENDLESS {
            state.safe -= 1;
        }
        let chance = ge.chance(state.bad);
        let ordinal = (1 << 63) | state.seen;
        state.seen += 1;
        (chance > 0.0 && luck.uniform(ordinal) < chance).then_some(Drop::Error)
    }
}

/// How much of what its `seq` counts a frame holds, of whose bytes `header` are not payload.
#[inline]
fn held(frame: &Frame, header: u16) -> u64 {
    u64::from(frame.len.saturating_sub(header).max(1))
}

/// Whether `frame` is a first transmission of `flow`, which a script may be about.
#[inline]
fn may_be_scripted(frame: &Frame, flow: FlowDir) -> bool {
    frame.flow == flow
        && matches!(frame.kind, Kind::Data | Kind::Udp | Kind::EchoRequest)
        && !frame.flags().contains(Flags::RETRANSMIT)
}

#[cfg(test)]
mod tests;
