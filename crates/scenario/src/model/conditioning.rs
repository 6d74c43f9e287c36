//! Marks and policers of one direction of a link, and of what arrives somewhere.

use farpath_units::{Rate, Size};

use super::Match;

/// Marks and policers of one direction, each for the first match.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conditioning {
    /// First.
    pub marks: Vec<MarkRule>,
    /// Then.
    pub policers: Vec<PoliceRule>,
}

/// What is done with frames that arrive somewhere; each meets the first rule that matches.
#[derive(Clone, Debug, PartialEq)]
pub enum Rule {
    /// They are marked.
    Mark(MarkRule),
    /// They are measured.
    Police(PoliceRule),
}

/// Frames whose DSCP is set.
#[derive(Clone, Debug, PartialEq)]
pub struct MarkRule {
    /// The frames; none: all.
    pub matches: Vec<Match>,
    /// Their new DSCP.
    pub dscp: u8,
}

/// A policer.
#[derive(Clone, Debug, PartialEq)]
pub struct PoliceRule {
    /// Its name.
    pub name: String,
    /// The frames; none: all.
    pub matches: Vec<Match>,
    /// Committed rate.
    pub rate: Rate,
    /// Committed burst.
    pub burst: Size,
    /// What makes three colours of two.
    pub bound: Bound,
    /// Frames have a colour to begin with.
    pub colour_aware: bool,
    /// What is done with green, yellow and red frames; without a second bound none is yellow.
    pub actions: [PoliceAction; 3],
    /// Bytes each frame counts for beyond those it takes in a queue; below zero, short of them.
    pub overhead: i32,
}

/// A policer's second bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// None: two colours.
    None,
    /// A burst beyond the committed one (RFC 2697).
    Excess(Size),
    /// A peak rate and its burst (RFC 2698).
    Peak(Rate, Size),
}

/// What is done with frames of a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoliceAction {
    /// Nothing.
    Pass,
    /// They are dropped.
    Drop,
    /// Their DSCP is set.
    Mark(u8),
}
