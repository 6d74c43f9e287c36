//! Small writes of either end that wait for acknowledgements: what they cost a connection.

use farpath_observe::Limit;

use super::cause::Cause;
use super::sender::SENDERS;

/// What spares the wait.
pub(super) const UNHELD: &str = "one write for both, or TCP_NODELAY, spares that wait";

/// Small writes that waited in this share of the samples are named.
pub(super) const HELD_LEAST: f64 = 0.2;

/// That small writes of the host that has this number waited.
pub(super) fn words(host: usize) -> String {
    format!(
        "a small write of {} waited for the acknowledgement of the one before (Nagle's algorithm)",
        SENDERS[host]
    )
}

/// Takes the time in which a small write waited out of that in which the sender, the host of this number, had nothing to send. `held` are
/// the shares of the time by samples of it and of the other end, `most` is what frames leave for both, and `known` the share that frames
/// explain otherwise. What nothing explains is taken for more of the same, where it is no more than samples have: they are few.
pub(super) fn share(
    host: usize,
    (held, most): ([f64; 2], f64),
    known: f64,
    causes: &mut Vec<(Cause, f64)>,
) {
    let all: f64 = held.iter().sum();
    free_pace(all, causes);
    let idle = |c: &&mut (Cause, f64)| c.0 == Cause::Limit(Limit::Application);
    let Some((_, idle)) = causes.iter_mut().find(idle) else {
        return;
    };
    let seen = all.min(*idle);
    let open = (*idle - seen - known).max(0.0);
    let more = if open <= seen { open } else { 0.0 };
    let waited = (seen + more).min(most);
    *idle -= waited;
    let parts = [host, 1 - host].into_iter().zip(held);
    let parts = parts.filter(|(_, share)| *share > 0.0);
    causes.extend(parts.map(|(host, share)| (Cause::Held(host), waited * share / all)));
    causes.retain(|(_, share)| *share > 0.0);
    causes.sort_by(|a, b| b.1.total_cmp(&a.1));
}

/// Samples of a sender that paces, as BBR does, have a small write that waits as its pace: so much of the time it had nothing to send then.
fn free_pace(held: f64, causes: &mut Vec<(Cause, f64)>) {
    let of = |cause: Limit| move |c: &(Cause, f64)| c.0 == Cause::Limit(cause);
    let idle = causes.iter().find(|c| of(Limit::Application)(c));
    let due = held - idle.map_or(0.0, |(_, share)| *share);
    let Some(pace) = causes
        .iter()
        .position(of(Limit::Pacing))
        .filter(|_| due > 0.0)
    else {
        return;
    };
    let moved = due.min(causes[pace].1);
    causes[pace].1 -= moved;
    match causes.iter().position(of(Limit::Application)) {
        Some(idle) => causes[idle].1 += moved,
        None => causes.push((Cause::Limit(Limit::Application), moved)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDLE: Cause = Cause::Limit(Limit::Application);

    #[test]
    fn a_small_write_that_waits_is_no_pace() {
        let pace = Cause::Limit(Limit::Pacing);
        let mut causes = vec![(Cause::Way, 0.5), (pace, 0.4), (IDLE, 0.1)];
        share(1, ([0.0, 0.3], 1.0), 0.0, &mut causes);
        let of = |cause| causes.iter().find(|c| c.0 == cause).map(|c| c.1);
        assert!(
            (of(pace).expect("the rest") - 0.2).abs() < 1e-9,
            "{causes:?}"
        );
        assert!(
            (of(Cause::Held(0)).expect("named") - 0.3).abs() < 1e-9,
            "{causes:?}"
        );
        assert_eq!(of(IDLE), None);
    }

    fn shared(held: [f64; 2], known: f64) -> Vec<(Cause, f64)> {
        let mut causes = vec![(IDLE, 0.6), (Cause::Way, 0.4)];
        share(1, (held, 1.0), known, &mut causes);
        let sum: f64 = causes.iter().map(|c| c.1).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{causes:?}");
        causes
    }

    /// A header and a body in two writes: the command's, whose answers are larger, and the server's own.
    #[test]
    fn small_writes_of_either_side_take_the_time_that_they_cost() {
        let of_command = shared([0.0, 0.5], 0.0);
        assert_eq!(of_command[0].0, Cause::Held(0));
        assert!((of_command[0].1 - 0.6).abs() < 1e-9, "{of_command:?}");
        assert_eq!(shared([0.5, 0.0], 0.0)[0].0, Cause::Held(1));
        assert_eq!(shared([0.0, 0.0], 0.0)[0], (IDLE, 0.6));
        let names = of_command.iter().map(|c| c.0.name());
        assert_eq!(names.collect::<Vec<_>>(), ["small_writes", "on_the_way"]);
    }

    /// What frames explain, and what samples saw little of, does not count as a wait of a small write.
    #[test]
    fn small_writes_take_no_more_than_is_open() {
        let causes = shared([0.0, 0.35], 0.25);
        assert!(causes.contains(&(Cause::Held(0), 0.35)), "{causes:?}");
        let few = shared([0.05, 0.05], 0.0);
        let of = |cause| few.iter().find(|c| c.0 == cause).map(|c| c.1);
        assert_eq!(of(Cause::Held(0)), of(Cause::Held(1)));
        assert!((of(IDLE).unwrap_or(0.0) - 0.5).abs() < 1e-9, "{few:?}");
        let mut none = vec![(Cause::Way, 1.0)];
        share(1, ([0.0, 0.5], 1.0), 0.0, &mut none);
        assert_eq!(none, [(Cause::Way, 1.0)]);
    }

    /// Samples met a wait in half of the time, and frames leave 0.52 of it for one.
    #[test]
    fn small_writes_take_no_more_than_frames_leave() {
        let mut causes = vec![(IDLE, 0.6), (Cause::Way, 0.4)];
        share(1, ([0.0, 0.5], 0.52), 0.0, &mut causes);
        assert_eq!(causes[0].0, Cause::Held(0));
        assert!((causes[0].1 - 0.52).abs() < 1e-9, "{causes:?}");
        let sum: f64 = causes.iter().map(|c| c.1).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{causes:?}");
    }
}
