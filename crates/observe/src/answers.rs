//! Pings that a router answered instead of the far end, in few sentences.

/// What a router answers a ping with that does not get through (RFC 792, RFC 4443).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The TTL ran out there.
    TimeExceeded,
    /// The request is larger than the next link carries.
    FragmentationNeeded,
    /// There is no way on, or nobody wants it.
    Unreachable,
}

impl Refusal {
    fn words(self) -> &'static str {
        match self {
            Refusal::TimeExceeded => "its TTL ended there (ICMP time exceeded)",
            Refusal::FragmentationNeeded => {
                "it is too large for the next link (ICMP fragmentation needed)"
            }
            Refusal::Unreachable => "there is no way on (ICMP unreachable)",
        }
    }
}

/// A sentence for each node and reason: `requests 1 to 5 were answered by r: …`. Requests count from 1.
pub fn answers(errors: &[(u64, &str, Refusal)]) -> Vec<String> {
    let mut found: Vec<(&str, Refusal, Vec<u64>)> = Vec::new();
    for (request, by, why) in errors {
        match found.iter_mut().find(|(b, w, _)| b == by && w == why) {
            Some((_, _, requests)) => requests.push(*request),
            None => found.push((by, *why, vec![*request])),
        }
    }
    let sentence = |(by, why, requests): &(&str, Refusal, Vec<u64>)| {
        let verb = if requests.len() == 1 { "was" } else { "were" };
        format!(
            "{} {verb} answered by {by}: {}",
            listed(requests),
            why.words()
        )
    };
    found.iter().map(sentence).collect()
}

/// `request 3`, `requests 1 to 5`, or how many of which.
fn listed(requests: &[u64]) -> String {
    let first = requests.iter().min().copied().unwrap_or(0);
    let last = requests.iter().max().copied().unwrap_or(0);
    let count = requests.len() as u64;
    if count == 1 {
        format!("request {first}")
    } else if last - first + 1 == count {
        format!("requests {first} to {last}")
    } else {
        format!("{count} requests from {first} to {last}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_sentence_stands_for_all_that_a_router_answered_alike() {
        let errors = [
            (1, "r", Refusal::FragmentationNeeded),
            (2, "r", Refusal::FragmentationNeeded),
            (3, "r", Refusal::FragmentationNeeded),
            (1, "s", Refusal::TimeExceeded),
            (4, "t", Refusal::Unreachable),
            (9, "t", Refusal::Unreachable),
        ];
        let expected = [
            "requests 1 to 3 were answered by r: it is too large for the next link (ICMP fragmentation needed)",
            "request 1 was answered by s: its TTL ended there (ICMP time exceeded)",
            "2 requests from 4 to 9 were answered by t: there is no way on (ICMP unreachable)",
        ];
        assert_eq!(answers(&errors), expected);
        assert!(answers(&[]).is_empty());
    }
}
