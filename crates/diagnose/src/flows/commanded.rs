//! A test or a copy that was asked for a rate, and sent as fast: nothing else held it.

use crate::advice::{NO_RISK, Remedy};
use crate::cause::Cause;
use crate::ceiling::bps;
use crate::evidence::Evidence;
use crate::fact::Of;
use crate::flows::flow::{Flow, word};
use crate::items::{Item, step};
use crate::read::{Facts, RATE_OPTION};
use crate::seen::Side;

/// From this part of what was asked for on, the whole rate is that; what is more than this is another.
const MET: [f64; 2] = [0.95, 0.985];
const OTHER: [f64; 2] = [1.02, 1.06];

impl Evidence {
    /// Takes the option by which the program of a flow held its own rate, as it was typed.
    pub(crate) fn of_rate_option(&mut self, facts: &Facts, flow: &Flow) {
        let own = flow.test.as_ref();
        let own = own.and_then(|test| test.words.get(RATE_OPTION).cloned());
        let alone = facts.tests.is_empty();
        let typed = word(facts, Of::Sender, RATE_OPTION).filter(|_| alone);
        let typed = typed.map(|(option, _)| option.to_owned());
        let side = flow.test.as_ref().map_or(Side::Sender, |t| t.client);
        self.around.rate_option = own.or(typed).map(|option| (option, side));
    }

    /// The option by which a program held its own rate, where it reached that, and the end whose program it is.
    pub(crate) fn holds_itself(&self) -> Option<(&str, Side)> {
        let (option, side) = self.around.rate_option.as_ref()?;
        let share = self.settled()?.value / self.application.as_ref()?.value;
        (MET[0]..OTHER[1])
            .contains(&share)
            .then_some((option.as_str(), *side))
    }

    /// What there is to change of a program that held its own rate.
    pub(crate) fn without_option(&self) -> Option<Remedy> {
        let (option, _) = self.holds_itself()?;
        Some(Remedy {
            commands: vec![format!(
                "leave out {option}, or give it more: it is the program's own limit, and none of the path"
            )],
            risk: NO_RISK.to_owned(),
            ..Remedy::default()
        })
    }
}

/// Weighs a rate that was asked for and met.
pub(crate) fn by_command(e: &Evidence, items: &mut Vec<Item>) {
    let (Some(asked), Some(rate), false) = (&e.application, e.settled(), e.udp) else {
        return;
    };
    let share = rate.value / asked.value;
    let (weights, sentence) = match e.holds_itself() {
        Some((option, _)) => (
            vec![
                (Cause::Application, 40.0),
                // A program that reads no faster leaves its window full.
                (Cause::ReceiveWindow, -10.0),
                (Cause::Client, -10.0),
            ],
            format!(
                "{option}, holds the program to {}, and that was reached: it does not show what the path carries",
                bps(asked.value)
            ),
        ),
        None => (
            vec![(Cause::Application, 18.0)],
            format!(
                "the test was asked for {} and sent that: it does not show what the path carries",
                bps(asked.value)
            ),
        ),
    };
    items.push(Item {
        holds: step(share, MET[0], MET[1]) * (1.0 - step(share, OTHER[0], OTHER[1])),
        weights,
        sentence,
    });
}
