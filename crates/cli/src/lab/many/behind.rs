//! Connections that the server closed right behind an answer, after several requests on each: as with a limit of requests.

use crate::lab::sender::SENDERS;

/// How many they are, and the fewest and the most requests of one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Behind {
    connections: u64,
    fewest: u64,
    most: u64,
}

impl Behind {
    /// Those of connections with so many answers each: after one alone a server closes as a matter of course.
    pub(super) fn of(answers: impl Iterator<Item = u64>) -> Behind {
        let several = answers.filter(|answers| *answers > 1);
        several.fold(Behind::default(), |sum, answers| Behind {
            connections: sum.connections + 1,
            fewest: match sum.connections {
                0 => answers,
                _ => sum.fewest.min(answers),
            },
            most: sum.most.max(answers),
        })
    }

    /// What makes the command open fewer of so many connections, in words: half of the connections or more are closed by the server.
    pub(super) fn remedy(&self, all: u64) -> String {
        let Behind {
            connections,
            fewest,
            most,
        } = self;
        if 2 * connections < all {
            return "a connection that is kept open".to_owned();
        }
        let requests = match fewest == most {
            true => format!("{most} requests each"),
            false => format!("{fewest} to {most} requests"),
        };
        let [_, server] = SENDERS;
        format!(
            "{server} closed {connections} of them right behind its answer, after {requests}, as with a limit of requests for each: a higher one"
        )
    }
}
