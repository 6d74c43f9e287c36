//! How long the path of a `lab run` was down while its command ran: also where no connection lasted long enough to see all of it.

use std::time::Duration as Wall;

use farpath_units::{Duration, Time};

use super::at_rest::AtRest;
use super::busiest::Busiest;
use super::one_way;
use super::sender::SENDERS;

/// A connection that found the path down for this part of the time has said it.
const ALL: f64 = 0.95;

/// The part of a run in which its path was down.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outages {
    down: Duration,
    took: Duration,
    /// The host, 0 for the command's and 1 for the server's, of which alone the frames may have found it down.
    from: Option<usize>,
}

impl Outages {
    /// Those of a command that ran so long; none where a link of the path went down too often to follow.
    pub(super) fn of((path, lab, evidence): AtRest<'_>, took: Wall) -> Option<Outages> {
        let plan = &lab.plane.wan().plan;
        let [there, _] = path.ways(plan);
        // Either direction is in it.
        let way = evidence.way(there);
        way.notes.is_empty().then(|| {
            let from = one_way::down_from(path, plan, lab.plane.scenario());
            Outages::within(&way.down, took, from)
        })
    }

    /// Of times down in order, those before a command ended that ran so long.
    fn within(down: &[(Time, Time)], took: Wall, from: Option<usize>) -> Outages {
        let took = Duration::from_ns(u64::try_from(took.as_nanos()).unwrap_or(u64::MAX / 1000));
        let end = Time::ZERO + took;
        let lasted = |(from, until): &(Time, Time)| (*until).min(end).since((*from).min(end));
        Outages {
            down: down.iter().map(lasted).fold(Duration::ZERO, |a, b| a + b),
            took,
            from,
        }
    }

    /// The time in which the path was down, seconds.
    pub(super) fn seconds(&self) -> f64 {
        self.down.as_secs_f64()
    }

    /// That the path was down; none where it never was, or where the lines that are said already have it of a `connection` that saw it all.
    pub(super) fn sentence(&self, connection: Option<&Busiest>, said: &[String]) -> Option<String> {
        let is_said = said.iter().any(|line| line.contains(" was down for "));
        let saw_all = connection.is_some_and(|c| c.path_down_s >= ALL * self.seconds());
        let way = self.from.map_or(String::new(), |from| {
            format!(" from {} to {}", SENDERS[from], SENDERS[1 - from])
        });
        (self.down > Duration::ZERO && !(is_said && saw_all)).then(|| {
            format!(
                "the path{way} was down for {:.1} of the {:.1} that the command ran",
                self.down, self.took
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    /// `--down 1s-3s --down 9s-`, and a program that opens a connection after the other: none saw the outage from its start to its end.
    #[test]
    fn an_outage_between_connections_is_said_of_the_run() {
        let down = [(at(1000), at(3000)), (at(9000), Time::MAX)];
        let of = |ms: u64, from| Outages::within(&down, Wall::from_millis(ms), from);
        let whole = of(6000, None);
        assert!((whole.seconds() - 2.0).abs() < 1e-9);
        let said = whole.sentence(None, &[]).expect("it was down");
        assert_eq!(
            said,
            "the path was down for 2.0 s of the 6.0 s that the command ran"
        );
        let back = of(10_000, Some(1))
            .sentence(None, &[])
            .expect("it was down");
        let wanted = "the path from the server to your command was down for 3.0 s of the 10.0 s that the command ran";
        assert_eq!(back, wanted);
        assert_eq!(of(900, None).sentence(None, &[]), None);
    }

    #[test]
    fn what_a_connection_saw_whole_is_not_said_again() {
        let whole = Outages::within(&[(at(1000), at(3000))], Wall::from_secs(6), None);
        let mut connection = Busiest::default();
        let line =
            ["the path was down for 2.0 s, and nothing new was delivered for 2.6 s".to_owned()];
        for (seconds, is_said) in [(2.0, true), (0.3, false)] {
            connection.path_down_s = seconds;
            let more = whole.sentence(Some(&connection), &line);
            assert_eq!(more.is_none(), is_said, "{more:?}");
            assert!(whole.sentence(Some(&connection), &[]).is_some());
        }
    }
}
