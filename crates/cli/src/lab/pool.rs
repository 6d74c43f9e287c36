//! A pool of connections that always had a request outstanding.

use super::many::Each;

/// One is none.
const LEAST: usize = 2;

/// Requests of a connection follow its answers where it has so many, and this part of them are made as soon as the one before is answered.
const REQUESTS: u64 = 5;
const AT_ONCE: f64 = 0.8;

/// The least share of the time that is worth naming.
const NAMED: f64 = 0.9;

/// The least share of the time in which any was open, `open_s` seconds, for which one of these was set up or the command waited for it. None where
/// they are one, or that is less than nine tenths; or where the server did not have requests for half of it, and they were not made back to back.
pub(super) fn outstanding(all: &[Each], open_s: Option<f64>) -> Option<f64> {
    let open = open_s.filter(|open| *open > 0.0)?;
    let served: f64 = all.iter().map(|each| each.served).sum::<Option<f64>>()?;
    let busy: f64 = all.iter().map(|each| each.busy).sum();
    let shares = all
        .iter()
        .map(|each| (each.busy + each.rtt.filter(|_| !each.is_fast).unwrap_or(0.0)) / open);
    let least = shares.fold(1.0, f64::min);
    let is_asked = 2.0 * served >= busy || is_back_to_back(all);
    let is_pool = all.len() >= LEAST && is_asked;
    (is_pool && least >= NAMED).then_some(least)
}

/// Whether the command asked again on each of these as soon as it was answered.
pub(super) fn is_back_to_back(all: &[Each]) -> bool {
    let follows = |each: &Each| {
        let [requests, at_once] = each.requests;
        requests >= REQUESTS && at_once as f64 >= AT_ONCE * requests as f64
    };
    !all.is_empty() && all.iter().all(follows)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two connections of 4 s each, 50 ms away, to a server that has requests for three quarters of it.
    #[test]
    fn connections_that_are_always_busy_are_a_pool() {
        let asked = |requests: [u64; 2], count: u16, busy: f64, served: f64, open: f64| {
            let each = |n: u16| {
                let of = Each::numbered(n, 7000, 2000);
                let each = Each {
                    rtt: Some(0.05),
                    busy,
                    ..of
                };
                each.with_served(Some(served)).with_requests(requests)
            };
            let all: Vec<Each> = (0..count).map(each).collect();
            outstanding(&all, Some(open))
        };
        let of = |count, busy, served, open| asked([0; 2], count, busy, served, open);
        let two = of(2, 3.85, 3.0, 4.0).expect("they are busy");
        assert!((two - 0.975).abs() < 1e-9, "{two}");
        assert_eq!(of(1, 3.85, 3.0, 4.0), None, "it is one");
        assert_eq!(of(2, 3.85, 1.0, 4.0), None, "the path has most");
        assert_eq!(of(2, 3.85, 3.0, 8.0), None, "one after the other");
        // Requests back to back are of a pool whoever has their time.
        let far = asked([40, 38], 2, 3.85, 1.0, 4.0);
        assert_eq!(far, Some(two));
        assert_eq!(asked([40, 20], 2, 3.85, 1.0, 4.0), None, "they pause");
        assert_eq!(asked([4, 4], 2, 3.85, 1.0, 4.0), None, "they are few");
        assert_eq!(of(30, 3.85, 3.0, 4.0), Some(two));
        let unknown = Each::of(["198.18.0.1:1", "198.18.0.2:2"], 1, None);
        let unknown = unknown.expect("it has ports");
        assert_eq!(outstanding(&[unknown; 2], Some(4.0)), None);
    }
}
