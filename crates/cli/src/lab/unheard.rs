//! Requests at the end of connections that the server had, and never answered.

use super::sender::SENDERS;

/// What came of the last request of one connection, where the server had it and sent nothing back.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum Unheard {
    /// It was answered, or the command did not wait for an answer.
    #[default]
    Nothing,
    /// The command waited for so many seconds. It had sent last where `is_unanswered`; else the server closed.
    Awaited { seconds: f64, is_unanswered: bool },
    /// Whether the command waited is unknown for so many seconds, for this reason.
    Unknown(f64, &'static str),
}

impl Unheard {
    /// Seconds in which the command waited.
    pub(super) fn waited_s(self) -> f64 {
        match self {
            Unheard::Awaited { seconds, .. } => seconds,
            Unheard::Nothing | Unheard::Unknown(..) => 0.0,
        }
    }

    /// Whether a request was never answered that the command waited for.
    pub(super) fn is_unanswered(self) -> bool {
        matches!(
            self,
            Unheard::Awaited {
                is_unanswered: true,
                ..
            }
        )
    }
}

/// Connections of which it is unknown whether the command waited at their end.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Undecided {
    pub(super) connections: u64,
    /// How long the server sent nothing at the end of all, seconds.
    pub(super) seconds: f64,
    /// Why it is unknown; none where that differs.
    why: Option<&'static str>,
    /// How long the server had each request before the command closed, seconds, where that was so long of all: a deadline of its own.
    deadline: Option<f64>,
}

/// So many pauses or more are those of one deadline where the longest is at most so many times the shortest: a busy machine makes some longer.
const LEAST: usize = 3;
const ALIKE: f64 = 1.5;

/// How long on average the server had requests that it never answered before the command closed, seconds, where it is known that the command waited for them
/// and where it is not: none where they are few, or not alike.
pub(super) fn deadline(all: impl Iterator<Item = Unheard>) -> Option<f64> {
    let pause = |one: Unheard| match one {
        Unheard::Awaited {
            seconds,
            is_unanswered: true,
        }
        | Unheard::Unknown(seconds, _) => Some(seconds),
        _ => None,
    };
    let pauses: Vec<f64> = all.filter_map(pause).collect();
    let least = pauses.iter().copied().fold(f64::INFINITY, f64::min);
    let most = pauses.iter().copied().fold(0.0, f64::max);
    let is_one = pauses.len() >= LEAST && most <= ALIKE * least;
    is_one.then(|| pauses.iter().sum::<f64>() / pauses.len() as f64)
}

impl Undecided {
    /// Those among all of these.
    pub(super) fn of(all: impl Iterator<Item = Unheard> + Clone) -> Undecided {
        let mut sum = Undecided {
            deadline: deadline(all.clone()),
            ..Undecided::default()
        };
        for one in all {
            if let Unheard::Unknown(seconds, why) = one {
                sum.why = match sum.connections {
                    0 => Some(why),
                    _ => sum.why.filter(|known| *known == why),
                };
                sum.connections += 1;
                sum.seconds += seconds;
            }
        }
        sum
    }

    /// In words; empty where it is known of all.
    pub(super) fn words(&self) -> String {
        let [command, server] = SENDERS;
        let why = self.why.map_or(String::new(), |why| format!(": {why}"));
        let deadline = self.deadline.map_or(String::new(), |after| {
            format!("; {command} closed each some {after:.2} s after {server} had all, as at a deadline of its own")
        });
        match self.connections {
            0 => String::new(),
            n => format!(
                "at the end of {n} of them {server} had all of it and sent nothing back, {:.1} s in all, and whether {command} waited for \
                 that is unknown{why}{deadline}",
                self.seconds
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Five requests that the command gives up, after 0.1 s each or after longer and longer.
    #[test]
    fn requests_that_are_given_up_after_equal_times_have_a_deadline() {
        let why = "the run was too short to see what it slept in";
        let said = |pauses: [f64; 5]| {
            let all = pauses.into_iter().map(|pause| Unheard::Unknown(pause, why));
            Undecided::of(all).words()
        };
        let equal = said([0.1, 0.1, 0.11, 0.1, 0.09]);
        let words = "it slept in; your command closed each some 0.10 s after the server had all, as at a deadline of its own";
        assert!(equal.ends_with(words), "{equal}");
        let backing_off = said([0.1, 0.2, 0.4, 0.8, 1.6]);
        assert!(backing_off.ends_with(why), "{backing_off}");
    }
}
