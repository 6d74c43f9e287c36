//! When an end takes its turns: at equal times, as a timer has it, each so long after the one before, or so long after what it answers came; or as
//! soon as that has come.

use farpath_units::{Duration, Time};

/// A shorter pause does not count: what a program works between two messages may take as long each time.
const LEAST: Duration = Duration::from_ms(50);

/// Two times are equal where they differ by one part in so many at most, or by less than that time.
const PART: u64 = 50;
const NEAR: Duration = Duration::from_ms(1);

/// So many in a row do not come by chance.
const ROW: u64 = 4;

/// A turn that comes so soon, as a part of the time since the end's turn before it, has waited for nothing else.
const PROMPT: u64 = 8;

/// Turns of an end that came at equal times, four or more in a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Beat {
    /// All turns of the end that follow one of the other end, and those of them that came as soon as what they answer was there.
    pub taken: u64,
    /// See [`Self::taken`].
    pub prompt: u64,
    /// How many came at equal times.
    pub turns: u64,
    /// How long the end had all that the other one had sent before them, of all.
    pub paused: Duration,
    /// From the end's turn before each of them until it, of all but the first ones of a row: what came before these does not count.
    pub spanned: Duration,
    /// How many rows they are.
    pub rows: u64,
    /// Those of them that were pings over TLS, and what of `paused` was before these.
    pub pings: u64,
    /// See [`Self::pings`].
    pub pinged: Duration,
}

impl Beat {
    /// Both together.
    fn and(self, other: Beat) -> Beat {
        Beat {
            taken: self.taken + other.taken,
            prompt: self.prompt + other.prompt,
            turns: self.turns + other.turns,
            paused: self.paused + other.paused,
            spanned: self.spanned + other.spanned,
            rows: self.rows + other.rows,
            pings: self.pings + other.pings,
            pinged: self.pinged + other.pinged,
        }
    }
}

/// The turns of one end.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Beating {
    /// When the last turn began, how long the end had paused before it, and how long after the one before it came.
    begun: Option<Time>,
    paused: Option<Duration>,
    after: Option<Duration>,
    /// Those in a row so far, and those of longer rows.
    row: Beat,
    known: Beat,
    taken: u64,
    prompt: u64,
}

impl Beating {
    /// The end takes its turn `now`, so long after it had all that it answers; it may be a ping.
    pub(super) fn turn(&mut self, paused: Duration, now: Time, is_ping: bool) {
        let begun = self.begun.replace(now);
        let after = begun.map(|begun| now.since(begun.min(now)));
        let before = (self.paused.replace(paused), self.after);
        self.after = after;
        self.taken += 1;
        self.prompt += u64::from(after.is_some_and(|after| paused.times(PROMPT) <= after));
        let is_like = |a: Option<Duration>, b: Option<Duration>| a.zip(b).is_some_and(is_equal);
        let goes_on = is_like(before.0, Some(paused)) || is_like(before.1, after);
        if paused < LEAST || !goes_on {
            self.row = Beat::default();
        }
        if paused < LEAST {
            return;
        }
        let is_first = self.row.turns == 0;
        let one = Beat {
            turns: 1,
            paused,
            spanned: after.filter(|_| !is_first).unwrap_or_default(),
            rows: u64::from(is_first),
            pings: u64::from(is_ping),
            pinged: if is_ping { paused } else { Duration::ZERO },
            ..Beat::default()
        };
        self.row = self.row.and(one);
        self.known = match self.row.turns {
            0..ROW => self.known,
            ROW => self.known.and(self.row),
            _ => self.known.and(one),
        };
    }

    /// Those that came at equal times, and as soon as they could.
    pub(super) fn known(&self) -> Beat {
        Beat {
            taken: self.taken,
            prompt: self.prompt,
            ..self.known
        }
    }
}

/// Whether two times are equal, as of a timer.
fn is_equal((a, b): (Duration, Duration)) -> bool {
    let (short, long) = (a.min(b), a.max(b));
    let apart = long.saturating_sub(short);
    apart < NEAR || apart.times(PART) <= long
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Turns after these pauses, ms, each of which takes so long until it has its answer.
    fn known(pauses: &[u64], takes: impl Fn(usize) -> u64) -> Beat {
        let mut beating = Beating::default();
        let mut t = 7;
        for (n, pause) in pauses.iter().enumerate() {
            t += pause;
            let now = Time::ZERO + Duration::from_ms(t);
            beating.turn(Duration::from_ms(*pause), now, false);
            t += takes(n);
        }
        beating.known()
    }

    /// A second after each answer; a second after each request, whenever the answer came; and at times of the program's own.
    #[test]
    fn turns_at_equal_times_are_known() {
        let slept = known(&[1000, 1001, 1003, 1000, 1002], |_| 40);
        assert_eq!(slept.turns, 5);
        assert_eq!(slept.paused, Duration::from_ms(5006));
        assert_eq!(slept.spanned, Duration::from_ms(4006 + 4 * 40));
        assert_eq!(slept.rows, 1);
        // What an answer takes is taken off the pause.
        let waits = [0, 400, 100, 300, 200, 350];
        let due = waits.map(|wait| 1000 - wait);
        let timed = known(&due, |n| waits.get(n + 1).copied().unwrap_or_default());
        assert!(timed.turns >= 4, "{timed:?}");
        let own = known(&[1000, 700, 1200, 650, 1000, 900], |_| 40);
        assert_eq!((own.turns, own.taken, own.prompt), (0, 6, 0));
        let few = known(&[1000, 1000, 1000], |_| 40);
        assert_eq!(few.turns, 0);
        let prompt = known(&[1; 20], |_| 40);
        assert_eq!((prompt.turns, prompt.prompt), (0, 19));
    }

    /// A row of equal times, a pause, and another one of another length.
    #[test]
    fn rows_of_turns_add_up() {
        let rows = [&[1000; 5][..], &[4000], &[500; 4]].concat();
        let all = known(&rows, |_| 40);
        assert_eq!(all.turns, 9);
        assert_eq!(all.paused, Duration::from_ms(5 * 1000 + 4 * 500));
        assert_eq!(all.rows, 2);
        assert_eq!(all.spanned, Duration::from_ms(4 * 1040 + 3 * 540));
    }
}
