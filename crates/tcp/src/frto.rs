//! F-RTO (RFC 5682): after a timeout, two new segments tell a delay from a loss.

/// Where the test of a timeout stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Frto {
    /// No test: the timeout is believed.
    #[default]
    Idle,
    /// Step 1 done: the first segment was sent again.
    Resent,
    /// Step 2: so many new segments may go out in place of retransmissions.
    Probing(u8),
}

/// What an acknowledgement says about the timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Nothing yet.
    Open,
    /// Step 3b: what was never sent again arrived, so nothing was lost.
    Spurious,
    /// Step 3a, or no new data to test with.
    Real,
}

impl Frto {
    /// An acknowledgement in the test. `advanced`: una moved; `covered`: up to everything sent before
    /// the timeout; `old_sacked`, `new_sacked`: it SACKed data sent before, or after, the timeout;
    /// `duplicate`: it is a duplicate ACK.
    pub(crate) fn on_ack(
        &mut self,
        advanced: bool,
        covered: bool,
        old_sacked: bool,
        new_sacked: bool,
        duplicate: bool,
    ) -> Verdict {
        let verdict = match *self {
            Frto::Idle => Verdict::Open,
            // Step 2: an ACK of everything leaves nothing to test; without progress, wait.
            Frto::Resent if !advanced => Verdict::Open,
            Frto::Resent if covered => Verdict::Real,
            Frto::Resent => {
                *self = Frto::Probing(2);
                return Verdict::Open;
            }
            Frto::Probing(_) if new_sacked => Verdict::Real,
            Frto::Probing(_) if advanced || old_sacked => Verdict::Spurious,
            Frto::Probing(_) if duplicate => Verdict::Real,
            Frto::Probing(_) => Verdict::Open,
        };
        if verdict != Verdict::Open {
            *self = Frto::Idle;
        }
        verdict
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rfc5682_3_two_advances_in_a_row_mean_that_nothing_was_lost() {
        let mut test = Frto::Resent;
        assert_eq!(test.on_ack(false, false, true, false, true), Verdict::Open);
        assert_eq!(test.on_ack(true, false, false, false, false), Verdict::Open);
        assert_eq!(test, Frto::Probing(2));
        assert_eq!(
            test.on_ack(true, false, false, false, false),
            Verdict::Spurious
        );
        assert_eq!(test, Frto::Idle);
    }

    #[test]
    fn rfc5682_3_a_duplicate_or_news_of_new_data_means_a_loss() {
        for (new_sacked, duplicate) in [(true, true), (false, true)] {
            let mut test = Frto::Probing(0);
            let verdict = test.on_ack(false, false, false, new_sacked, duplicate);
            assert_eq!(verdict, Verdict::Real);
        }
        let mut test = Frto::Resent;
        assert_eq!(test.on_ack(true, true, false, false, false), Verdict::Real);
    }
}
