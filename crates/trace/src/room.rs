//! Room for what is remembered, shared by all connections.

/// What all connections share: how much more may be remembered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    /// Segments not yet acknowledged.
    pub(crate) sent: usize,
    /// Segments acknowledged a moment ago.
    pub(crate) past: usize,
    /// Events.
    pub(crate) events: usize,
    /// Intervals of flights.
    pub(crate) intervals: usize,
    /// Passages.
    pub(crate) passages: usize,
    /// Requests.
    pub(crate) requests: usize,
}

impl Default for Room {
    fn default() -> Room {
        Room {
            sent: 2 << 20,
            past: 1 << 18,
            events: 1 << 20,
            intervals: 1 << 20,
            passages: 1 << 20,
            requests: 200_000,
        }
    }
}

/// Elements for which a list that is full makes room, at least.
const MORE_LEAST: usize = 4;

/// Makes room in a list that is full: by a half, and not twice as much. Of a hundred thousand connections each has short lists.
#[inline]
pub(crate) fn make_room<T>(list: &mut Vec<T>) {
    if list.len() == list.capacity() {
        more(list);
    }
}

/// Makes a list half as long: `join` makes one of each two; a last one without another stays.
pub(crate) fn join_pairs<T: Copy>(list: &mut Vec<T>, join: impl Fn(&mut T, &T)) {
    let pairs = list.chunks(2).map(|pair| {
        let mut one = pair[0];
        if let Some(other) = pair.get(1) {
            join(&mut one, other);
        }
        one
    });
    *list = pairs.collect();
}

#[cold]
fn more<T>(list: &mut Vec<T>) {
    let more = match list.len() {
        0 => 1,
        some => MORE_LEAST.max(some / 2),
    };
    list.reserve_exact(more);
}
