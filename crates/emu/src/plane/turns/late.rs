//! Answers to a client that has closed: it has given its request up, and they answer nothing.

use super::{Aside, Talk, Turns};

impl Talk {
    /// An end is about to send new data: the server, perhaps, to a client that has sent last and has closed.
    pub(super) fn answers_late(&mut self, end: usize) {
        let is_closed = self.over[0].closed.is_some() && !self.over[0].is_served;
        let is_opener = self.has_opened(0);
        let last = self.last.filter(|(who, _)| *who == 0);
        if let Some(last) = last.filter(|_| end == 1 && is_closed && is_opener)
            && self.late.is_none()
        {
            let of_client = (self.message, self.carried[0]);
            self.late = Some(Aside::of(&self.turns, last, of_client, false));
        }
    }

    /// Whether an end has all that the other one sent only since it has closed.
    pub(super) fn is_too_late(&self, end: usize) -> bool {
        end == 0 && self.late.is_some()
    }

    /// What is known of them so far. What came to a client that had closed both ways answers nothing: its request has no answer.
    pub(super) fn turns(&self) -> Turns {
        match self.late.filter(|_| !self.over[0].is_half()) {
            Some(late) => {
                let mut talk = self.clone();
                talk.aside = None;
                talk.takes_back(&late);
                talk.known()
            }
            None => self.known(),
        }
    }
}

#[cfg(test)]
mod tests {
    use farpath_units::{Duration, Time};

    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    /// A request that the server has from 30 ms on and answers at 1030 ms, of a client that closes after 200 ms: both ways, and gets the answer
    /// with no program left to take it, or its own way alone.
    #[test]
    fn an_answer_to_who_has_closed_answers_nothing() {
        let found = |is_reset: bool| {
            let ends = ["198.18.0.1:4000", "198.18.0.2:70"].map(|end| end.parse().expect(end));
            let mut talk = Talk::new(ends);
            talk.opens(0, 1, at(0));
            talk.answers(1, at(20));
            talk.sent(0, (1, 80), at(20));
            talk.arrived(0, (1, 80), at(30));
            talk.ended(0, false, at(220));
            talk.sent(1, (1, 200), at(1030));
            talk.arrived(1, (1, 200), at(1040));
            if is_reset {
                talk.ended(0, true, at(1040));
            }
            talk.turns()
        };
        let given_up = found(true);
        assert_eq!(given_up.at, [Duration::ZERO; 2]);
        assert_eq!(given_up.unanswered, Some((0, at(30))));
        assert_eq!(given_up.closed[0], Some(at(220)));
        assert_eq!(
            (given_up.done[0], given_up.landing[0]),
            (None, Duration::ZERO)
        );
        assert_eq!(given_up.waited[0], Duration::from_ms(10));
        let half = found(false);
        assert_eq!(half.at, [0, 1000].map(Duration::from_ms));
        assert_eq!(half.unanswered, Some((1, at(1040))));
    }
}
