//! What a program of single packets does in its station.

use std::fmt::Debug;

use farpath_element::Io;
use farpath_observe::Observation;
use farpath_units::Time;
use farpath_wire::Frame;

use crate::host::Host;

/// What a node of that number is called.
pub(crate) type NodeName<'a> = dyn Fn(u32) -> &'a str + 'a;

/// A program that sends single packets or hears them, so few that a call through a table costs nothing.
pub trait Prober: Debug + Send {
    /// When it next does something of its own accord; [`Time::MAX`] for never, the default.
    fn deadline(&self) -> Time {
        Time::MAX
    }

    /// That instant has come; nothing by default.
    fn on_deadline(&mut self, _now: Time, _host: &mut Host, _io: &mut Io<'_>) {}

    /// A frame of its flow has arrived.
    fn on_frame(&mut self, now: Time, frame: &Frame);

    /// Whether it waits for nothing more.
    fn is_done(&self, now: Time) -> bool;

    /// What it measured, with notes for a reader; none at an end that knows less than the other.
    fn seen(&self, name: &NodeName<'_>, notes: &mut Vec<String>) -> Option<Observation>;
}
