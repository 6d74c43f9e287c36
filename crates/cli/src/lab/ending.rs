//! How the server ended a connection that the command had not closed.

use farpath_units::Time;
use serde::Serialize;

use super::sender::SENDERS;

/// What the server did first, where that is worth saying: who has answered closes as a matter of course.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Ending {
    /// It closed, and had answered nothing of what the command had sent.
    ClosedUnanswered,
    /// It reset the connection, and had answered nothing.
    ResetUnanswered,
    /// It closed, had answered nothing, and reset the connection as more came, or with what it had not read.
    ClosedAndResetUnanswered,
    /// It closed with a request of the command, had answered nothing of that, and had answered before.
    ClosedOnRequest,
    /// It reset the connection behind or within what it had sent.
    Reset,
    /// It answered before it had all that the command was sending, and closed, or reset the connection.
    CutShort,
    /// It had answered and closed an idle connection, and reset it as the command asked again.
    ClosedIdle,
    /// It had closed right behind its answer, and reset the connection as the command asked again.
    ClosedBehind,
    /// It had answered and closed an idle connection, or one right behind its answer on which the command asked again. The command opened another one
    /// afterwards.
    LeftIdle,
    /// It had answered nothing, and not read all, when the lab ended it behind the command.
    EndedByLab,
}

/// That the command reset the connection behind new data of its own, before the server had closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Reset {
    /// The server had sent nothing.
    Unanswered,
    /// The server had sent something before.
    BehindAnswers,
}

impl Reset {
    /// In words.
    pub(super) fn words(self) -> String {
        let [command, server] = SENDERS;
        let how = match self {
            Reset::Unanswered => "as SO_LINGER of 0 s does",
            Reset::BehindAnswers => "as SO_LINGER of 0 s does, or closing with data unread",
        };
        format!(
            "{command} reset the connection behind its own data, {how}: what was unsent, under way or unread by {server} may be lost"
        )
    }
}

impl Ending {
    /// Of a connection by what the command's end and the server's did: when each of them `closed`, by a FIN or a reset, when the server's sent a
    /// `reset`, and whether each `has_sent` data. None where the command sent none, or closed first.
    pub(super) fn of(
        closed: [Option<Time>; 2],
        reset: Option<Time>,
        has_sent: [bool; 2],
    ) -> Option<Ending> {
        let [command, server] = closed;
        let [asked, answered] = has_sent;
        let at = server?;
        let is_first = command.is_none_or(|command| at <= command);
        let is_at_once = reset == Some(at);
        match (answered, reset.is_some()) {
            _ if !asked || !is_first => None,
            (true, _) => is_at_once.then_some(Ending::Reset),
            (false, false) => Some(Ending::ClosedUnanswered),
            (false, true) if is_at_once => Some(Ending::ResetUnanswered),
            (false, true) => Some(Ending::ClosedAndResetUnanswered),
        }
    }

    /// Whether the server had answered nothing.
    pub(super) fn is_unanswered(self) -> bool {
        !matches!(
            self,
            Ending::Reset
                | Ending::ClosedOnRequest
                | Ending::CutShort
                | Ending::ClosedIdle
                | Ending::ClosedBehind
                | Ending::LeftIdle
                | Ending::EndedByLab
        )
    }

    /// Whether the command's last request had no answer, as the server closed or reset the connection: the first one, or another one behind answers.
    pub(super) fn is_without_answer(self) -> bool {
        self == Ending::ClosedOnRequest || self.is_unanswered()
    }

    /// Whether it had closed the connection, with all answered, before the command asked again: as an idle one, or right behind its answer.
    pub(super) fn is_idle(self) -> bool {
        matches!(self, Ending::LeftIdle) || self.is_met()
    }

    /// Whether the command asked again on such a connection, and got a reset.
    pub(super) fn is_met(self) -> bool {
        matches!(self, Ending::ClosedIdle | Ending::ClosedBehind)
    }

    /// In words.
    pub(super) fn words(self) -> String {
        let [command, server] = SENDERS;
        match self {
            Ending::ClosedUnanswered => {
                format!("{server} closed the connection without an answer")
            }
            Ending::ResetUnanswered => {
                format!("{server} reset the connection without an answer")
            }
            Ending::ClosedAndResetUnanswered => {
                format!("{server} closed the connection without an answer, and reset it")
            }
            Ending::ClosedOnRequest => format!(
                "{server} closed the connection without an answer to what {command} had sent last"
            ),
            Ending::Reset => {
                format!("{server} reset the connection, which {command} had open")
            }
            Ending::CutShort => {
                format!(
                    "{server} answered before it had all that {command} was sending, and closed the connection"
                )
            }
            Ending::EndedByLab => {
                format!(
                    "the lab ended {server} behind {command}, before it had read all that was sent to it"
                )
            }
            Ending::LeftIdle => {
                format!("{server} had closed the idle connection before {command} asked again")
            }
            Ending::ClosedBehind => {
                format!(
                    "{server} had closed the connection right behind its answer before {command} asked again, and reset it then"
                )
            }
            Ending::ClosedIdle => {
                format!(
                    "{server} had closed the idle connection before {command} asked again, and answered with a reset"
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use farpath_units::Duration;

    use super::*;

    #[test]
    fn what_the_server_did_first_is_named() {
        let at = |ms: u64| Some(Time::ZERO + Duration::from_ms(ms));
        let both = [true, true];
        let alone = [true, false];
        for (closed, reset, has_sent, ending) in [
            (
                [at(200), at(60)],
                None,
                alone,
                Some(Ending::ClosedUnanswered),
            ),
            ([None, at(60)], at(60), alone, Some(Ending::ResetUnanswered)),
            (
                [at(200), at(60)],
                at(150),
                alone,
                Some(Ending::ClosedAndResetUnanswered),
            ),
            ([None, at(300)], at(300), both, Some(Ending::Reset)),
            // An answer and a FIN, and what comes behind a farewell of TLS.
            ([at(350), at(300)], None, both, None),
            ([at(350), at(300)], at(400), both, None),
            // The command closed first, asked nothing, or neither has closed.
            ([at(50), at(60)], at(60), alone, None),
            ([None, at(60)], None, [false, false], None),
            ([None, None], None, alone, None),
        ] {
            let found = Ending::of(closed, reset, has_sent);
            assert_eq!(found, ending, "{closed:?} {reset:?} {has_sent:?}");
        }
        let on_request = Ending::ClosedOnRequest;
        assert!(on_request.is_without_answer() && !on_request.is_unanswered());
        assert!(!Ending::Reset.is_without_answer() && !on_request.is_idle());
        assert!(!Ending::Reset.is_unanswered() && Ending::ResetUnanswered.is_unanswered());
        assert!(!Ending::ClosedIdle.is_unanswered() && !Ending::EndedByLab.is_unanswered());
        assert!(!Ending::CutShort.is_unanswered() && !Ending::CutShort.is_idle());
        assert!(!Ending::LeftIdle.is_unanswered() && Ending::LeftIdle.is_idle());
        assert!(!Ending::ClosedBehind.is_unanswered() && Ending::ClosedBehind.is_met());
        assert!(Ending::ClosedBehind.is_idle() && !Ending::LeftIdle.is_met());
    }
}
