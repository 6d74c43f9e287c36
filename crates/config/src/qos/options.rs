//! What the user knows and the text does not say.

use farpath_units::{Duration, Rate, Ratio, Size};

use super::PortType;
use crate::platform::Platform;

/// Facts that override what is taken by default, and targets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// The machine that IOS texts are for; detected from each unless stated.
    pub platform: Option<Platform>,
    /// The type of every port.
    pub port_type: Option<PortType>,
    /// Bytes of credit per unit of weight.
    pub unit: Option<Size>,
    /// Round-trip time of the TCP connections that policers are to let through. Unless stated it is that of
    /// [`Options::crossings`], or 100 ms.
    pub rtt: Option<Duration>,
    /// The ports that the tests of a scenario cross; `None` without a scenario.
    pub crossings: Option<Vec<Crossing>>,
    /// The cables of a scenario, each as two ports: the number of the file and the interface. `None` without a scenario,
    /// where descriptions and listings of neighbours say them.
    pub cables: Option<Vec<[(usize, String); 2]>>,
    /// Rate of the test that is to run over a circuit, one way.
    pub rate: Option<Rate>,
    /// Release of the Linux kernels that settings of hosts are for.
    pub kernel: Option<(u32, u32)>,
    /// The share the low class is to have.
    pub share: Option<Ratio>,
}

/// A port of a router in a scenario, as the tests that cross it see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crossing {
    /// Number of the router's file.
    pub file: usize,
    /// The interface, with or without its unit.
    pub interface: String,
    /// The longest round trip of these tests, propagation alone.
    pub rtt: Duration,
    /// The fastest at which their frames come to this port or, where they leave by it, to the router: the slowest line before.
    pub arrives: Option<Rate>,
}
