//! A server that speaks first, as those of SMTP, FTP, SSH and MySQL do: who opened the connection waits for its greeting.

use farpath_units::Time;

use super::Talk;

impl Talk {
    /// An end is about to send new data `now`. Where it is the first of all, and its end did not open the connection, it has had its turn since
    /// the connection was open to it: what opened it was on the way until then.
    pub(super) fn greets(&mut self, end: usize, now: Time) {
        let opener = self.asked.filter(|_| end == 1 && self.last.is_none());
        let is_new = self.begun.is_none() && self.over[0].closed.is_none();
        let asked = opener.filter(|(who, _)| *who == 0 && is_new);
        if let Some(((_, first), set_up)) = asked.zip(self.turns.set_up) {
            let opened = (first + set_up).min(now);
            let there = self.heard[1].max(opened).min(now);
            self.begun = Some(opened);
            self.turns.way += there.since(opened);
            self.turns.at[1] += now.since(there);
            self.turns.greeting = now.since(there);
            self.turn = Some(there);
        }
    }
}

#[cfg(test)]
mod tests {
    use farpath_units::Duration;

    use super::super::Turns;
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    /// 60 ms away. A server that greets three seconds after the client's acknowledgement has come, and answers a request at once; and one that
    /// is asked first.
    fn talk(greets: bool) -> Turns {
        let ends = ["198.18.0.1:4000", "198.18.0.2:25"].map(|end| end.parse().expect(end));
        let mut talk = Talk::new(ends);
        talk.opens(0, 1, at(0));
        talk.opens(1, 1, at(30));
        talk.answers(1, at(60));
        talk.heard[1] = at(90);
        let number = match greets {
            true => {
                talk.sent(1, (1, 8), at(3090));
                talk.arrived(1, (1, 8), at(3120));
                9
            }
            false => 1,
        };
        talk.sent(0, (1, 10), at(3120));
        talk.arrived(0, (1, 10), at(3150));
        talk.sent(1, (number, 8), at(3150));
        talk.arrived(1, (number, 8), at(3180));
        talk.turns()
    }

    #[test]
    fn a_server_has_its_turn_until_it_greets() {
        let greeted = talk(true);
        assert_eq!(greeted.at, [0, 3000].map(Duration::from_ms));
        assert_eq!(greeted.greeting, Duration::from_secs(3));
        assert_eq!(
            (greeted.begun, greeted.span),
            (Some(at(60)), Duration::from_ms(3120))
        );
        // The acknowledgement, the greeting and the request.
        assert_eq!(greeted.way, Duration::from_ms(90));
        assert_eq!(greeted.waited[0], Duration::from_ms(3120));
        let asked = talk(false);
        assert_eq!(
            (asked.at, asked.greeting),
            ([Duration::ZERO; 2], Duration::ZERO)
        );
        assert_eq!(
            (asked.begun, asked.way),
            (Some(at(3120)), Duration::from_ms(30))
        );
    }
}
