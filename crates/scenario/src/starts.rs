//! When tests and their connections start.

use farpath_units::{Duration, Key, Time};

use crate::model::{Scenario, Test, TestKind};

impl Scenario {
    /// Starts each connection as much later as the seed says, uniform from 0 to its test's `start_spread`; what another test
    /// has does not matter. Every start is then known, and no spread is left: a test starts with its first connection.
    pub fn draw_starts(&mut self, seed: u64) {
        for test in &mut self.tests {
            let luck = Key::new(seed).with("start").with(&test.name).stream();
            let spread = u128::from(test.start_spread.as_ps());
            // ⌊bits · (spread + 1) / 2⁶⁴⌋: every picosecond is as likely as the next, but for 1 part in 2⁶⁴ / spread.
            let draw = |n: u32| ((u128::from(luck.bits(n.into())) * (spread + 1)) >> 64) as u64;
            let mut drawn: Vec<u64> = (0..test.starts()).map(draw).collect();
            drawn.sort_unstable();
            let first = drawn[0];
            let later = |at: &u64| Duration::from_ps(at - first);
            test.start += Duration::from_ps(first);
            test.later = drawn.iter().map(later).collect();
            test.start_spread = Duration::ZERO;
        }
    }
}

impl Test {
    /// How many starts it has: one for each connection of `parallel`, else one. Arrivals of flows are drawn by themselves.
    pub fn starts(&self) -> u32 {
        match &self.kind {
            TestKind::Flows(_) => 1,
            kind => kind.tcp().map_or(1, |tcp| tcp.parallel.max(1)),
        }
    }

    /// When a connection of `parallel`, from 0, starts.
    pub fn start_of(&self, stream: u32) -> Time {
        let later = self.later.get(stream as usize).copied();
        self.start + later.unwrap_or(Duration::ZERO)
    }
}
