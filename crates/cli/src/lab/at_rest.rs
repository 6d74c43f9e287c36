//! A path when its command has ended: the lab that made it, at rest, and what its links saw.

use farpath_element::Sampling;
use farpath_emu::lab::Lab;
use farpath_experiment::lab::Evidence;
use farpath_units::Duration;

use super::path::Path;

/// What the links carried is noted ten times a second, for an hour.
pub(super) const SAMPLING: Sampling = Sampling {
    every: Duration::from_ms(100),
    count: 36_000,
};

/// A path, the lab that made it, at rest, and what its links saw.
pub(super) type AtRest<'a> = (&'a Path, &'a Lab, &'a Evidence<'a>);
