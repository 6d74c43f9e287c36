//! How a connection began, and who broke it off.

use farpath_record::trace::{Opening, Reset};

use crate::segment::{Segment, control};

/// What is kept of a SYN or SYN-ACK.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Syn {
    pub(crate) seq: u32,
    pub(crate) stamps: Option<(u32, u32)>,
    pub(crate) ip_id: u16,
    pub(crate) mss: Option<u16>,
    pub(crate) scale: Option<u8>,
    pub(crate) ttl: u8,
    pub(crate) sack_permitted: bool,
    /// It asks for ECN, or agrees to it (RFC 3168 §6.1.1).
    pub(crate) ecn: bool,
    /// It acknowledges another.
    pub(crate) is_answer: bool,
    /// Not all options were captured.
    pub(crate) options_cut: bool,
}

impl Syn {
    pub(crate) fn of(segment: &Segment) -> Syn {
        Syn {
            seq: segment.seq,
            stamps: segment.stamps,
            ip_id: segment.ip_id,
            mss: segment.mss,
            scale: segment.scale,
            ttl: segment.ttl,
            sack_permitted: segment.sack_permitted,
            ecn: segment.is(control::ECE) && segment.is(control::CWR) != segment.is(control::ACK),
            is_answer: segment.is(control::ACK),
            options_cut: segment.options_cut,
        }
    }
}

/// A SYN or SYN-ACK that was seen before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SynAgain {
    pub(crate) at: i64,
    /// The network doubled it.
    pub(crate) is_copy: bool,
}

/// SYNs and SYN-ACKs of a connection.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Syns {
    /// Of `a` and of `b`.
    counts: [u64; 2],
    first: i64,
    last: i64,
    answer: Option<i64>,
    /// The first and the last answer that came behind the acknowledgement of one, and before any data.
    behind: Option<[i64; 2]>,
}

impl Syns {
    /// Takes in a SYN; `is_answer` of one that acknowledges another.
    pub(crate) fn take(&mut self, at: i64, is_answer: bool) {
        let count = &mut self.counts[usize::from(is_answer)];
        *count += 1;
        match is_answer {
            false if *count == 1 => (self.first, self.last) = (at, at),
            false if self.answer.is_none() => self.last = at,
            false => {}
            true => {
                self.answer.get_or_insert(at);
            }
        }
    }

    /// An answer comes again, which has been acknowledged, and no data has come.
    pub(crate) fn comes_behind(&mut self, at: i64) {
        let [first, _] = self.behind.unwrap_or([at, at]);
        self.behind = Some([first, at]);
    }

    /// From the first answer to those behind an acknowledgement, nanoseconds; none where the network doubled one of these.
    fn acknowledged_again(&self, again: &[SynAgain]) -> Option<[u64; 2]> {
        let (answer, behind) = self.answer.zip(self.behind)?;
        let is_copied = |at: i64| again.iter().any(|s| s.is_copy && s.at == at);
        let is_sent = behind.into_iter().all(|at| !is_copied(at));
        is_sent.then(|| behind.map(|at| (at - answer).max(0) as u64))
    }

    /// What is said of them, without those of `again` that are copies; none without a SYN. What was `acknowledged` was answered,
    /// though the answer was not captured.
    pub(crate) fn stated(
        &self,
        syns: [Option<&Syn>; 2],
        handshake: Option<i64>,
        acknowledged: bool,
        again: &[Vec<SynAgain>; 2],
    ) -> Option<Opening> {
        if self.counts[0] == 0 {
            return None;
        }
        let copies = |end: usize| again[end].iter().filter(|s| s.is_copy).count() as u64;
        let count = self.counts[0].saturating_sub(copies(0)).max(1);
        let answers = self.counts[1].saturating_sub(copies(1));
        let before = self.last_sent(&again[0]);
        let late = self.late(&again[0]);
        let [a, b] = syns.map(|s| s.map_or_else(Vec::new, options));
        let not_agreed = match syns {
            [Some(a), Some(b)] => missing(a, b),
            _ => Vec::new(),
        };
        Some(Opening {
            syns: count,
            syn_retransmissions: count - 1,
            syn_ack_retransmissions: answers.saturating_sub(1),
            answered: self.answer.is_some() || acknowledged,
            syn_ack_ns: self.answer.map(|at| (at - self.first).max(0) as u64),
            waited_ns: (before - self.first).max(0) as u64,
            syns_after_answer: late.len() as u64,
            waited_after_answer_ns: late.last().map_or(0, |at| (at - before).max(0) as u64),
            acknowledged_again_ns: self.acknowledged_again(&again[1]),
            handshake_ns: handshake.map(|ns| ns.max(0) as u64),
            offered: a,
            answered_with: b,
            not_agreed,
        })
    }

    /// When SYNs were seen behind the answer that are not copies.
    fn late(&self, again: &[SynAgain]) -> Vec<i64> {
        let Some(answer) = self.answer else {
            return Vec::new();
        };
        let late = again.iter().filter(|s| !s.is_copy && s.at > answer);
        late.map(|s| s.at).collect()
    }

    /// When the last SYN before the answer was seen that is not a copy.
    fn last_sent(&self, again: &[SynAgain]) -> i64 {
        if !again.iter().any(|s| s.is_copy && s.at == self.last) {
            return self.last;
        }
        let sent = again.iter().filter(|s| !s.is_copy && s.at < self.last);
        sent.map(|s| s.at).max().unwrap_or(self.first)
    }
}

/// A kernel whose accept queue is full sends its SYN-ACK again after a second (RFC 6298 §2), nanoseconds; one that waits for data may take longer.
const FULL_QUEUE_NS: u64 = 2_000_000_000;

/// That a SYN-ACK was sent again though it had been acknowledged, across this round trip, nanoseconds; none where it was not, or where the
/// acknowledgement was still on its way.
pub(crate) fn deferred_note(opening: &Opening, round_trip: Option<i64>) -> Option<String> {
    let [first, last] = opening.acknowledged_again_ns?;
    let round_trip = round_trip.filter(|ns| *ns > 0)?.unsigned_abs();
    if first <= round_trip {
        return None;
    }
    let why = match first >= FULL_QUEUE_NS {
        true => {
            "b waits for data before its program has the connection (TCP_DEFER_ACCEPT), or the acknowledgement was lost"
        }
        false => {
            "the acknowledgement was lost, b's accept queue was full, or b waits for data before its program has the connection (TCP_DEFER_ACCEPT)"
        }
    };
    Some(format!(
        "the SYN-ACK came again {} ms after the first, which had been acknowledged, and no data came until then: {why}",
        last / 1_000_000
    ))
}

/// Whether the SYNs that were seen show that SACK was not agreed: one of them, with all its options, does not offer it.
pub(crate) fn without_sack(syns: [Option<&Syn>; 2]) -> bool {
    let lacks = |syn: &Syn| !syn.sack_permitted && !syn.options_cut;
    syns.into_iter().flatten().any(lacks)
}

/// The options of a SYN, by name.
pub(crate) fn options(syn: &Syn) -> Vec<String> {
    let mut all = Vec::new();
    if let Some(mss) = syn.mss {
        all.push(format!("mss {mss}"));
    }
    if let Some(scale) = syn.scale {
        all.push(format!("window_scale {scale}"));
    }
    if syn.sack_permitted {
        all.push("sack".to_owned());
    }
    if syn.stamps.is_some() {
        all.push("timestamps".to_owned());
    }
    if syn.ecn {
        all.push("ecn".to_owned());
    }
    all
}

/// Options of one SYN that the other lacks.
pub(crate) fn missing(of: &Syn, in_other: &Syn) -> Vec<String> {
    if in_other.options_cut {
        return Vec::new();
    }
    let all = [
        ("mss", of.mss.is_some(), in_other.mss.is_some()),
        ("window_scale", of.scale.is_some(), in_other.scale.is_some()),
        ("sack", of.sack_permitted, in_other.sack_permitted),
        ("timestamps", of.stamps.is_some(), in_other.stamps.is_some()),
        ("ecn", of.ecn, in_other.ecn),
    ];
    let missing = all.into_iter().filter(|o| o.1 && !o.2);
    missing.map(|o| o.0.to_owned()).collect()
}

/// The TTLs of one end's packets.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ttls {
    range: Option<[u8; 2]>,
}

impl Ttls {
    #[inline]
    pub(crate) fn take(&mut self, ttl: u8) {
        match &mut self.range {
            Some([least, most]) => {
                *least = ttl.min(*least);
                *most = ttl.max(*most);
            }
            None => self.range = Some([ttl, ttl]),
        }
    }

    pub(crate) fn range(&self) -> Option<[u8; 2]> {
        self.range
    }
}

/// What a reset answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answers {
    ClosedPort,
    SynAck,
    DataAfterClose,
    AfterClose,
    MidStream,
}

/// The first reset of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Broken {
    pub(crate) by: usize,
    pub(crate) at: i64,
    pub(crate) idle: i64,
    pub(crate) ttl: u8,
    pub(crate) answers: Answers,
}

impl Broken {
    pub(crate) fn stated(&self, started: i64, usual: Ttls) -> Reset {
        let answers = match self.answers {
            Answers::ClosedPort => "closed_port",
            Answers::SynAck => "syn_ack",
            Answers::DataAfterClose => "data_after_close",
            Answers::AfterClose => "after_close",
            Answers::MidStream => "mid_stream",
        };
        let is_other = |[least, most]: [u8; 2]| self.ttl < least || self.ttl > most;
        Reset {
            by: ["a", "b"][self.by].to_owned(),
            at_ns: (self.at - started).max(0) as u64,
            answers: answers.to_owned(),
            idle_ns: self.idle.max(0) as u64,
            ttl: self.ttl,
            ttl_usual: usual.range(),
            middlebox_suspected: usual.range().is_some_and(is_other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn syn(control: u8) -> Syn {
        Syn::of(&Segment {
            control,
            ..Segment::default()
        })
    }

    /// RFC 3168 §6.1.1. What answers AccECN has other bits.
    #[test]
    fn two_bits_ask_for_ecn_and_one_of_them_agrees() {
        let (asks, answer) = (control::SYN, control::SYN | control::ACK);
        let both = control::ECE | control::CWR;
        let (asked, agreed) = (syn(asks | both), syn(answer | control::ECE));
        assert!(asked.ecn && agreed.ecn);
        assert_eq!(options(&asked), ["ecn"]);
        assert!(missing(&asked, &agreed).is_empty());
        for other in [asks, asks | control::ECE, answer, answer | both] {
            assert!(!syn(other).ecn, "{other:#x}");
        }
        assert_eq!(missing(&asked, &syn(answer)), ["ecn"]);
    }

    /// A SYN-ACK that comes again 7.2 s after the first, which was acknowledged; one that comes after a second; and a copy of the network's.
    #[test]
    fn an_answer_behind_its_acknowledgement_is_named() {
        let said_across = |at: i64, is_copy: bool, round_trip: Option<i64>| {
            let mut syns = Syns::default();
            syns.take(0, false);
            syns.take(50_000_000, true);
            syns.take(at, true);
            syns.comes_behind(at);
            let again = [Vec::new(), vec![SynAgain { at, is_copy }]];
            let opening = syns.stated([None, None], Some(51_000_000), true, &again);
            deferred_note(&opening.expect("there is a SYN"), round_trip)
        };
        let said = |at, is_copy| said_across(at, is_copy, Some(100_000_000));
        let late = said(7_250_000_000, false).expect("it came again");
        assert!(
            late.contains("came again 7200 ms after the first"),
            "{late}"
        );
        assert!(
            late.contains(": b waits for data before its program"),
            "{late}"
        );
        let soon = said(1_050_000_000, false).expect("it came again");
        assert!(
            soon.contains(": the acknowledgement was lost, b's accept queue"),
            "{soon}"
        );
        assert_eq!(said(7_250_000_000, true), None);
        assert_eq!(deferred_note(&Opening::default(), Some(1)), None);
        let under_way = said_across(1_050_000_000, false, Some(2_400_000_000));
        assert_eq!(under_way, None, "its acknowledgement had not come");
    }
}
