//! What of a command crossed its path, and what that path did to all of it: whether any connection saw it or not.

use std::time::Duration as Wall;

use farpath_record::count_of;

use super::accept_queue::accept_queues;
use super::at_rest::{AtRest, SAMPLING};
use super::outages::Outages;
use super::refusals::Refusals;
use super::short_queue::short_queue;
use super::standing::standing;
use crate::args::LabRunArgs;

/// What is said of the whole run.
pub(super) struct Crossed {
    /// Frames that programs of all hosts handed to the path.
    pub(super) frames: u64,
    /// None where the path went down too often to follow.
    pub(super) outages: Option<Outages>,
    /// How long connections took that the server refused, in words; none where that is little.
    pub(super) refusals: Option<String>,
    /// That a queue stood in front of a link of the path, in words; none where none did.
    pub(super) standing: Option<String>,
    /// Sentences on what makes it another test than it seems to be.
    pub(super) notes: Vec<String>,
}

impl Crossed {
    /// Of a lab whose command ran so long.
    pub(super) fn of(args: &LabRunArgs, rest: AtRest<'_>, took: Wall) -> Crossed {
        let (path, lab, _) = rest;
        let frames = lab.plane.traffic().others_in;
        // A host that is gone is a fault of the certificate.
        let host = lab.hosts.get(path.hosts[0]);
        let loopback = host.and_then(|host| host.loopback_packets().ok());
        let short = args.scenario.is_none().then(|| short_queue(path, lab));
        // Once something has crossed it, a name that was asked for beside that is nobody's concern.
        let counters = host
            .filter(|_| frames == 0)
            .map(farpath_emu::Host::counters);
        let no_routes = counters.and_then(Result::ok).map_or(0, |c| c.no_routes);
        let names: Vec<&str> = lab.hosts.iter().map(|host| host.name.as_str()).collect();
        let looped = looped(frames, loopback.unwrap_or_default());
        Crossed {
            frames,
            outages: Outages::of(rest, took),
            refusals: Refusals::at_rest(rest, &args.port).words(took.as_secs_f64()),
            standing: standing(rest, took),
            notes: short
                .flatten()
                .into_iter()
                .chain(looped)
                .chain(outside(no_routes, &names))
                .chain(unnoted(took))
                .chain(accept_queues(&lab.hosts))
                .collect(),
        }
    }
}

/// That what the links carried is not known of all the time that a command took.
fn unnoted(took: Wall) -> Option<String> {
    let noted = SAMPLING.every.times(SAMPLING.count as u64);
    (took.as_secs_f64() > noted.as_secs_f64()).then(|| {
        format!(
            "what the links carried was noted for the first {:.0} min of the command: of full links nothing is known after that",
            noted.as_secs_f64() / 60.0
        )
    })
}

/// That nothing of a command and a server crossed the path, as they handed it so many frames, and so many packets went over the loopback
/// interface of the command's host.
fn looped(frames: u64, loopback: u64) -> Option<String> {
    let nothing = "nothing that your command sent crossed the path";
    match (frames, loopback) {
        (0, 0) => Some(format!("{nothing}: nothing was tested on it")),
        (0, _) => Some(format!(
            "{nothing}: {} went over the loopback interface of its own host. What is to cross it needs a server on the other \
             host, as --server starts one, and its name in place of localhost or 127.0.0.1",
            count_of(loopback, "packet", "packets")
        )),
        _ => None,
    }
}

/// That the command's host, one of these, had no route to what it was asked for so many times.
fn outside(no_routes: u64, hosts: &[&str]) -> Option<String> {
    (no_routes > 0).then(|| {
        format!(
            "your command's host had no route to an address that was asked for, {}: a lab has its own hosts alone, {}. The Internet is out of \
             reach of it, and so is what resolves other names; --server starts on the other host what your command is to talk to",
            count_of(no_routes, "time", "times"),
            hosts.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A download from the Internet: its name does not resolve, and its address has no route.
    #[test]
    fn a_command_that_asks_outside_the_lab_is_said() {
        let said = outside(2, &["client", "server"]).expect("it had none");
        let words = "asked for, 2 times: a lab has its own hosts alone, client, server. The Internet is out of reach";
        assert!(said.contains(words), "{said}");
        assert_eq!(outside(0, &["client", "server"]), None);
    }

    #[test]
    fn a_run_of_more_than_an_hour_is_not_noted_to_its_end() {
        assert_eq!(unnoted(Wall::from_secs(3600)), None);
        let long = unnoted(Wall::from_secs(3700));
        assert!(long.is_some_and(|said| said.contains("the first 60 min of the command")));
    }

    #[test]
    fn a_command_that_talks_to_itself_is_said() {
        let said = looped(0, 12).expect("nothing crossed");
        assert!(said.starts_with("nothing that your command sent crossed the path: 12 packets "));
        assert!(looped(0, 1).is_some_and(|said| said.contains("path: 1 packet went over")));
        assert_eq!(looped(2, 12), None);
        // A test that selected nothing.
        assert!(looped(0, 0).is_some_and(|said| said.contains("nothing was tested")));
    }
}
