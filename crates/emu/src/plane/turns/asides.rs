//! What a server of TLS sends beside its answers: tickets, right behind the handshake, to a client that has asked already. They are nobody's
//! turn. One record alone may be a ticket or the answer: what comes next says it.

use farpath_units::{Duration, Time};

use super::{Carried, Handing, Message, Talk, Turns};

/// Whose turn it was before the server, the second end, sent what may be tickets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Aside {
    /// The end that had sent data last, the client, and when.
    pub(super) last: (usize, Time),
    /// What it had sent, and what its links had carried of that.
    pub(super) message: Message,
    pub(super) carried: Carried,
    /// They are tickets, and nothing else.
    pub(super) is_known: bool,
    at: Duration,
    way: Duration,
    handing: Handing,
}

impl Aside {
    /// Of a conversation that has come so far.
    pub(super) fn of(
        turns: &Turns,
        last: (usize, Time),
        (message, carried): (Message, Carried),
        is_known: bool,
    ) -> Aside {
        Aside {
            last,
            message,
            carried,
            is_known,
            at: turns.at[1],
            way: turns.way,
            handing: turns.handing[0],
        }
    }

    /// Takes back what was counted since.
    pub(super) fn restore(&self, turns: &mut Turns) {
        turns.at[1] = self.at;
        turns.way = self.way;
        turns.handing[0] = self.handing;
    }
}

impl Talk {
    /// An end is about to go on, or to answer. Where the server goes on behind what may have been tickets, these did not answer. Nor did tickets
    /// where the client goes on behind them, as with the second piece of a request that waited for an acknowledgement, or closes.
    pub(super) fn sets_aside(&mut self, end: usize) {
        let beside = self.beside.take();
        let is_taken_back = |aside: &Aside| end == 1 || aside.is_known;
        if let Some(aside) = self.aside.take().filter(is_taken_back) {
            self.takes_back(&aside);
            self.farewell = None;
        }
        if let Some((is_known, last)) = beside.zip(self.last.filter(|(who, _)| *who != end)) {
            let of_client = (self.message, self.carried[0]);
            self.aside = Some(Aside::of(&self.turns, last, of_client, is_known));
        }
    }

    /// It is the server's turn again, as before.
    pub(super) fn takes_back(&mut self, aside: &Aside) {
        aside.restore(&mut self.turns);
        self.last = Some(aside.last);
        self.message = aside.message;
        self.carried[0] = aside.carried;
    }

    /// Who has sent data last, and when, without tickets; and who has asked, where one record that may be a ticket is all that came since.
    pub(super) fn beside_tickets(&self) -> [Option<(usize, Time)>; 2] {
        let last = |is_known: bool| {
            let aside = self.aside.filter(|aside| aside.is_known == is_known);
            aside.map(|aside| aside.last)
        };
        let is_there = |(end, _): &(usize, Time)| self.streams[*end].is_all_there();
        [last(true).or(self.last), last(false).filter(is_there)]
    }
}
