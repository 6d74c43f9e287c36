//! PPP over Ethernet: an interface that dials, or answers.

use super::Stated;

/// The statements of PPPoE on an interface.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pppoe {
    /// `dialer pool`: of a dialer, by which interfaces it dials.
    pub pool: Option<Stated<u32>>,
    /// `pppoe-client dial-pool-number`: the pool that the interface dials for.
    pub client: Option<Stated<u32>>,
    /// `pppoe enable`: it takes PPPoE's frames.
    pub enabled: Option<Stated<()>>,
    /// `pppoe-client ppp-max-payload`: larger packets are offered.
    pub larger: Option<Stated<()>>,
}
