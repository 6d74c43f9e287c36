//! Connections that the server ended without an answer, beside others.

use super::ending::Ending;
use super::sender::SENDERS;

/// How many they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Failed {
    /// Connections that carried anything.
    all: u64,
    /// Those that the server closed or reset with a request that had no answer.
    unanswered: u64,
    /// Those that it closed, with all answered, before the command asked again, and those of them on which it asked and got a reset.
    closed_idle: u64,
    reset_idle: u64,
}

impl Failed {
    /// Takes in a connection that the server ended so, if it did.
    pub(super) fn counts(&mut self, ending: Option<Ending>) {
        self.all += 1;
        self.unanswered += u64::from(ending.is_some_and(Ending::is_without_answer));
        self.closed_idle += u64::from(ending.is_some_and(Ending::is_idle));
        self.reset_idle += u64::from(ending.is_some_and(Ending::is_met));
    }

    /// Whether they are half of all or more.
    pub(super) fn is_most(&self) -> bool {
        2 * (self.unanswered + self.closed_idle) >= self.all
    }

    /// In words; none where they are none, or all there is: of one alone more is known.
    pub(super) fn words(&self) -> Option<String> {
        let [command, server] = SENDERS;
        let all = self.all;
        let unanswered = match self.unanswered {
            0 => None,
            n => Some(format!(
                "{server} closed or reset {n} of {all} connections without an answer"
            )),
        };
        let reset = match self.reset_idle == self.closed_idle {
            true => ", and answered with a reset",
            false => "",
        };
        let closed_idle = match self.closed_idle {
            0 => None,
            n => Some(format!(
                "{server} had closed {n} of {all} connections, which were idle, before {command} asked again{reset}"
            )),
        };
        let said: Vec<String> = [unanswered, closed_idle].into_iter().flatten().collect();
        (all > 1 && !said.is_empty()).then(|| said.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_server_ended_is_said_of_several() {
        let of = |endings: &[Option<Ending>]| {
            let mut failed = Failed::default();
            endings.iter().for_each(|ending| failed.counts(*ending));
            (failed.words(), failed.is_most())
        };
        let closed = Some(Ending::ClosedUnanswered);
        let (words, is_most) = of(&[closed, closed, None]);
        let wanted = "the server closed or reset 2 of 3 connections without an answer";
        assert_eq!((words.as_deref(), is_most), (Some(wanted), true));
        let (words, is_most) = of(&[None, Some(Ending::ClosedIdle), None]);
        let wanted = "the server had closed 1 of 3 connections, which were idle, before your command asked again, and answered with a reset";
        assert_eq!((words.as_deref(), is_most), (Some(wanted), false));
        let (words, is_most) = of(&[Some(Ending::LeftIdle), Some(Ending::ClosedIdle), None]);
        let wanted = "the server had closed 2 of 3 connections, which were idle, before your command asked again";
        assert_eq!((words.as_deref(), is_most), (Some(wanted), true));
        assert_eq!(of(&[closed]).0, None, "its own line says it");
        assert_eq!(of(&[None, Some(Ending::Reset)]).0, None);
    }
}
