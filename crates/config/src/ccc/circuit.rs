//! A circuit through several routers, as plain data.

/// A logical interface of a router.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Port {
    /// Number of the router.
    pub router: usize,
    /// `so-1/0/0.0`.
    pub interface: String,
}

/// One link, one way.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hop {
    /// Where it is sent.
    pub from: Port,
    /// Where it arrives.
    pub to: Port,
}

/// A circuit's way over one LSP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crossing {
    /// Router where the LSP starts.
    pub from: usize,
    /// Router where it ends.
    pub to: usize,
    /// The LSP's name.
    pub lsp: String,
    /// The links it takes, by its path or the fewest links; empty where none is known.
    pub hops: Vec<Hop>,
    /// Name of the connection at its end that takes from it; `None` where none does.
    pub taken_by: Option<String>,
}

/// How a chain of crossings ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// At the interface of this router's connection.
    At {
        /// Number of the router.
        router: usize,
        /// Number of its connection.
        connection: usize,
    },
    /// On this router, where nothing takes from the LSP.
    Open {
        /// Number of the router.
        router: usize,
    },
    /// The LSP that should go on is not defined on this router.
    NoLsp {
        /// Number of the router.
        router: usize,
        /// Number of its connection.
        connection: usize,
    },
    /// The LSP goes to a router whose configuration is not among the files.
    Leaves {
        /// Number of the router it leaves.
        router: usize,
    },
    /// It comes back to a connection it has been to, or has more than 1024 crossings.
    Loop {
        /// Number of the router.
        router: usize,
        /// Number of its connection.
        connection: usize,
    },
}

/// One direction of a circuit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// Router and connection it starts at.
    pub start: (usize, usize),
    /// The LSPs it takes, in order.
    pub crossings: Vec<Crossing>,
    /// How it ends.
    pub end: End,
}

impl Chain {
    /// The link directions it crosses, in order.
    pub(super) fn hops(&self) -> impl DoubleEndedIterator<Item = &Hop> {
        self.crossings.iter().flat_map(|c| &c.hops)
    }
}

/// How often a circuit crosses one direction of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Load {
    /// The direction.
    pub hop: Hop,
    /// Crossings of the forward chain, m_f.
    pub forward: u32,
    /// Crossings of the reverse chain, m_r.
    pub reverse: u32,
}

/// A circuit from an interface, and what comes back to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Circuit {
    /// The name of its first end's connection.
    pub name: String,
    /// From the first end.
    pub forward: Chain,
    /// From the far end; `None` where the forward chain reaches none.
    pub reverse: Option<Chain>,
    /// Each chain ends where the other starts.
    pub complete: bool,
    /// The links it crosses, in the order it first does.
    pub loads: Vec<Load>,
}

impl Circuit {
    /// The most crossings of one link direction by the forward chain, 1 at least: with C the link's
    /// rate, C divided by it is what one direction alone can carry.
    pub fn one_way(&self) -> u32 {
        self.most(|l| l.forward)
    }

    /// The same for the reverse chain.
    pub fn one_way_back(&self) -> u32 {
        self.most(|l| l.reverse)
    }

    /// The most crossings of one link direction by both chains, 1 at least: C divided by it is what
    /// both directions can carry at once.
    pub fn both_ways(&self) -> u32 {
        self.most(|l| l.forward + l.reverse)
    }

    fn most(&self, crossings: impl Fn(&Load) -> u32) -> u32 {
        self.loads.iter().map(crossings).max().unwrap_or(1).max(1)
    }

    /// Crossings there and back: the round-trip time is the sum of their one-way delays.
    pub fn crossings(&self) -> usize {
        let back = self.reverse.as_ref().map_or(0, |r| r.crossings.len());
        self.forward.crossings.len() + back
    }
}

/// Counts how often each link direction is crossed.
pub(super) fn loads(forward: &Chain, reverse: Option<&Chain>) -> Vec<Load> {
    let mut loads: Vec<Load> = Vec::new();
    let chains = [(Some(forward), true), (reverse, false)];
    for (chain, is_forward) in chains {
        for hop in chain.iter().flat_map(|c| c.hops()) {
            let at = loads.iter().position(|l| l.hop == *hop);
            let at = at.unwrap_or_else(|| {
                loads.push(Load {
                    hop: hop.clone(),
                    forward: 0,
                    reverse: 0,
                });
                loads.len() - 1
            });
            if is_forward {
                loads[at].forward += 1;
            } else {
                loads[at].reverse += 1;
            }
        }
    }
    loads
}
