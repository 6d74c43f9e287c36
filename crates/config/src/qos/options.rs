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
    /// Round-trip time of the TCP connections that policers are to let through; 100 ms unless stated.
    pub rtt: Option<Duration>,
    /// Rate of the test that is to run over a circuit, one way.
    pub rate: Option<Rate>,
    /// Release of the Linux kernels that settings of hosts are for.
    pub kernel: Option<(u32, u32)>,
    /// The share the low class is to have.
    pub share: Option<Ratio>,
}
