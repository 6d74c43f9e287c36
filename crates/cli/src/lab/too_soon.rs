//! Connections that the command closed while the answer was on its way, as a client does whose timeout is shorter than the round trip and the
//! server's work together.

use serde::Serialize;

use super::sender::SENDERS;

/// How many they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct TooSoon {
    /// Connections that carried anything.
    connections: u64,
    /// Those that the command closed when nothing of the answer had come, and when a part of it had.
    before: u64,
    within: u64,
}

impl TooSoon {
    /// Takes in a connection that the command closed so, with some of the answer or none, if it did.
    pub(super) fn counts(&mut self, left: Option<bool>) {
        self.connections += 1;
        self.before += u64::from(left == Some(false));
        self.within += u64::from(left == Some(true));
    }

    /// This, where there are any.
    pub(super) fn known(self) -> Option<TooSoon> {
        (self.before + self.within > 0).then_some(self)
    }

    /// Whether they are half of all or more.
    pub(super) fn is_most(&self) -> bool {
        2 * (self.before + self.within) >= self.connections
    }

    /// In words.
    pub(super) fn words(&self) -> String {
        let [command, _] = SENDERS;
        let which = |n: u64| match self.connections {
            0 | 1 => "the connection".to_owned(),
            all => format!("{n} of {all} connections"),
        };
        let kinds = [
            (self.before, "the answer had come, which was on its way"),
            (
                self.within,
                "all of the answer had come, the rest of which was on its way",
            ),
        ];
        let kinds = kinds.into_iter().filter(|(n, _)| *n > 0);
        let said = kinds.map(|(n, what)| format!("{command} closed {} before {what}", which(n)));
        said.collect::<Vec<String>>().join("; ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_command_closed_too_soon_is_counted_among_all() {
        let of = |left: &[Option<bool>]| {
            let mut all = TooSoon::default();
            left.iter().for_each(|left| all.counts(*left));
            all.known().map(|all| (all.words(), all.is_most()))
        };
        let five = "your command closed 5 of 5 connections before the answer had come, which was on its way";
        assert_eq!(of(&[Some(false); 5]), Some((five.to_owned(), true)));
        let one = "your command closed the connection before all of the answer had come, the rest of which was on its way";
        assert_eq!(of(&[Some(true)]), Some((one.to_owned(), true)));
        let (both, is_most) = of(&[Some(true), Some(false), None, None, None]).expect("two");
        assert!(both.contains("closed 1 of 5 connections before the answer") && !is_most);
        assert!(both.contains("; your command closed 1 of 5 connections before all"));
        assert_eq!(of(&[None; 5]), None);
    }
}
