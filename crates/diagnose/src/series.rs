//! A test in time: its intervals, stops, dips and steps.

pub(crate) mod blackout;
pub(crate) mod dip;
pub(crate) mod even;
pub(crate) mod intervals;
pub(crate) mod middle;
pub(crate) mod outage;
pub(crate) mod pettitt;
pub(crate) mod silences;
pub(crate) mod stepped;
pub(crate) mod stops;
