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
}

impl Undecided {
    /// Those among all of these.
    pub(super) fn of(all: impl Iterator<Item = Unheard>) -> Undecided {
        let mut sum = Undecided::default();
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
        match self.connections {
            0 => String::new(),
            n => format!(
                "at the end of {n} of them {server} had all of it and sent nothing back, {:.1} s in all, and whether {command} waited for \
                 that is unknown{why}",
                self.seconds
            ),
        }
    }
}
