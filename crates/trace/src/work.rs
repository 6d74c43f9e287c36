//! Work that is counted, in tests only: what a capture costs must grow as its length does, whoever made it.

/// So many steps of a search, a replay or a move are done. Outside of tests this is nothing.
#[inline(always)]
pub(crate) fn count(steps: usize) {
    #[cfg(test)]
    tests::DONE.with(|done| done.set(done.get() + steps as u64));
    let _ = steps;
}

#[cfg(test)]
mod tests;
