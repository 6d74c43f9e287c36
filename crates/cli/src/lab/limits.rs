//! What may wait in front of a running lab's links: a queue that is written as a time or in `bdp` goes by the path as it is.

use farpath_element::qdisc::Limit;
use farpath_emu::lab::queue_limits;
use farpath_record::count_of;
use farpath_scenario::plan::port_of;
use farpath_scenario::{LinkId, QueueLimit, Scenario, Way};

use super::bytes::quantity;
use super::short_queue::few_of_link;

/// A queue that holds more or less.
pub(super) struct Changed {
    pub(super) place: (LinkId, Way),
    /// What it holds now, and held before.
    pub(super) words: String,
    /// That it has room for few packets, where it follows from a rate; none where it has more, or a host's kernel holds it.
    pub(super) short: Option<String>,
    pub(super) limit: Limit,
    /// Its port has that limit to change. Where it is the queue of a host's own interface, what waits there waits in the host.
    pub(super) is_ports: bool,
}

/// Queues whose limit is another in `new` than in `old`: those that are written otherwise, and those that hold more or less as a rate or a
/// round trip changed. Before, they `held` as much by port, as events and earlier changes left them; what is not known of that, `old` says.
pub(super) fn changed(old: &Scenario, new: &Scenario, held: &[Limit]) -> Vec<Changed> {
    // Both have been planned: they run.
    let [before, now] = [old, new].map(|s| queue_limits(s).unwrap_or_default());
    let mut changed = Vec::new();
    for (number, link) in new.links.iter().enumerate() {
        for (n, way) in [Way::Forward, Way::Reverse].into_iter().enumerate() {
            let place = (LinkId(number), way);
            let port = port_of(place.0, way);
            let (Some(before), Some(now)) = (before.get(port), now.get(port)) else {
                continue;
            };
            let held = held.get(port).unwrap_or(before);
            let queue = link.directions[n].queue;
            let is_set = old.links[number].directions[n].queue != queue;
            let is_ports = link.ends[n].0 >= new.hosts.len();
            let follows = matches!(queue, QueueLimit::Bdp(_) | QueueLimit::Time(_));
            let short = match now {
                Limit::Bytes(bytes) if is_ports && follows => {
                    few_of_link(&link.name, *bytes, link.directions[n].mtu)
                }
                _ => None,
            };
            if is_set || (before != now && held != now) {
                changed.push(Changed {
                    place,
                    words: words(queue, [held, now]),
                    short,
                    limit: *now,
                    is_ports,
                });
            }
        }
    }
    changed
}

/// What a queue holds now, and held before.
fn words(queue: QueueLimit, [before, now]: [&Limit; 2]) -> String {
    let written = match queue {
        QueueLimit::Time(time) => format!("{time} = "),
        QueueLimit::Bdp(times) => format!("{times}bdp = "),
        QueueLimit::Bytes(_) | QueueLimit::Packets(_) => String::new(),
    };
    let amount = |limit: &Limit| match limit {
        Limit::Bytes(bytes) => quantity(*bytes),
        Limit::Packets(packets) => count_of(*packets, "packet", "packets"),
    };
    format!("queue {written}{}, was {}", amount(now), amount(before))
}

#[cfg(test)]
mod tests {
    use farpath_scenario::{Set, Source, parse};

    use super::*;

    /// Between two routers, at 20 Mbit/s and 50 ms each way.
    fn scenario(queue: &str, sets: &[&str]) -> Scenario {
        let text = format!(
            "[scenario]\nname = \"x\"\n[[host]]\nname = \"a\"\n[[host]]\nname = \"b\"\n[[router]]\nname = \"west\"\n[[router]]\nname = \"east\"\n\
             [[link]]\nname = \"in\"\nends = [\"a\", \"west\"]\nrate = \"1 Gbit/s\"\n[[link]]\nname = \"path\"\nends = [\"west\", \"east\"]\n\
             rate = \"20 Mbit/s\"\ndelay = \"50 ms\"\nqueue = \"{queue}\"\n[[link]]\nname = \"out\"\nends = [\"east\", \"b\"]\nrate = \"1 Gbit/s\"\n"
        );
        let name = "x.toml".to_owned();
        let sets: Vec<Set> = sets.iter().map(|s| s.parse().expect("a key")).collect();
        parse(&Source { name, text }, &sets).expect("a scenario")
    }

    fn said(queue: &str, before: &[&str], now: &[&str]) -> Vec<String> {
        let found = changed(&scenario(queue, before), &scenario(queue, now), &[]);
        let each = found.into_iter();
        each.map(|c| format!("{:?}: {}", c.place.1, c.words))
            .collect()
    }

    /// An event has made the path slower, and its queue stays as large as it was until a new delay is set.
    #[test]
    fn a_queue_held_what_it_was_given_whatever_an_event_made_of_the_rate() {
        let at_first = scenario("1bdp", &[]);
        let slow = ["link.path.rate=1Mbit/s"];
        let later = [slow[0], "link.path.delay=20ms"];
        let held = queue_limits(&at_first).expect("it runs");
        let [slow, later] = [scenario("1bdp", &slow), scenario("1bdp", &later)];
        let found = changed(&slow, &later, &held);
        let words: Vec<&str> = found.iter().map(|c| c.words.as_str()).collect();
        assert_eq!(words, ["queue 1bdp = 5000 B, was 250 kB"; 2]);
        // Back at the rate by which it was made, nothing changes.
        assert!(changed(&slow, &at_first, &held).is_empty());
    }

    /// A tenth of the rate and two fifths of the round trip: what `1bdp` is then.
    #[test]
    fn a_queue_in_bdp_goes_by_rate_and_round_trip_as_they_are() {
        let slow = ["link.path.rate=1Mbit/s", "link.path.delay=20ms"];
        assert_eq!(
            said("1bdp", &[], &slow),
            [
                "Forward: queue 1bdp = 5000 B, was 250 kB",
                "Reverse: queue 1bdp = 5000 B, was 250 kB"
            ]
        );
        let found = changed(&scenario("1bdp", &[]), &scenario("1bdp", &slow), &[]);
        assert!(
            found.iter().all(|c| c.short.is_some()),
            "3.3 packets are few"
        );
        let other = ["link.path.queue=40kB", slow[0], slow[1]];
        assert_eq!(
            said("1bdp", &other, &slow),
            [
                "Forward: queue 1bdp = 5000 B, was 40 kB",
                "Reverse: queue 1bdp = 5000 B, was 40 kB"
            ]
        );
        // The round trip is of both ways.
        assert_eq!(
            said("1bdp", &[], &["link.path.forward.delay=10ms"])[1],
            "Reverse: queue 1bdp = 150 kB, was 250 kB"
        );
    }

    /// What waits in front of a host's own interface follows its rate as well, and waits in the host.
    #[test]
    fn the_queue_of_a_hosts_own_interface_is_said_too() {
        let sets = ["link.in.queue=1bdp", "link.in.rate=500Mbit/s"];
        assert_eq!(
            said("1bdp", &sets[..1], &sets),
            [
                "Forward: queue 1bdp = 6250 kB, was 12.5 MB",
                "Reverse: queue 1bdp = 6250 kB, was 12.5 MB"
            ]
        );
        // A port that was given a limit of its own would keep it, as the host's queue goes on to follow the rate.
        for (before, now) in [(&sets[..0], &sets[..1]), (&sets[..1], &sets[..])] {
            let found = changed(&scenario("1bdp", before), &scenario("1bdp", now), &[]);
            let changes = found.iter().map(|c| c.is_ports);
            assert_eq!(changes.collect::<Vec<_>>(), [false, true]);
        }
    }

    #[test]
    fn a_queue_in_time_goes_by_the_rate_and_one_in_bytes_stays() {
        let rate = ["link.path.forward.rate=2Mbit/s"];
        let forward = ["Forward: queue 10 ms = 2500 B, was 25 kB"];
        assert_eq!(said("10ms", &[], &rate), forward);
        assert!(said("10ms", &[], &["link.path.delay=9ms"]).is_empty());
        assert!(said("64kB", &[], &rate).is_empty());
        assert!(said("50 packets", &[], &rate).is_empty());
        assert_eq!(
            said("64kB", &[], &["link.path.reverse.queue=1 packets"]),
            ["Reverse: queue 1 packet, was 64 kB"]
        );
    }
}
