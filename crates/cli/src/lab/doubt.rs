//! Why what is said to have limited a connection is doubtful: a run whose certificate is invalid was not the one that was asked for.

use farpath_emu::certify::Kind;

use super::busiest::Busiest;

/// Why a run with faults of these kinds says nothing certain of what limited a connection; none of a valid one.
pub(super) fn doubt(is_valid: bool, kinds: &[Kind]) -> Option<String> {
    let is_busy = |kind: &Kind| {
        matches!(
            kind,
            Kind::Overrun | Kind::Busy | Kind::Stolen | Kind::WokenLate | Kind::NotRead
        )
    };
    let why = match kinds.iter().any(is_busy) {
        true => {
            "the machine was too busy for the path and the programs, and what waits for a processor may look like any limit"
        }
        false => "the run did not go as it should have, as the certificate says",
    };
    (!is_valid).then(|| why.to_owned())
}

impl Busiest {
    /// The same with a doubt, where something is said of what limited it, or many like it.
    pub(super) fn doubted(mut self, why: Option<String>) -> Busiest {
        let counted = self.kernel.and_then(|kernel| kernel.words());
        let is_judged = self.limited_by.is_some() || counted.is_some() || self.many.is_some();
        self.doubt = why.filter(|_| is_judged);
        self.in_words()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_machine_makes_a_limit_doubtful() {
        assert_eq!(doubt(true, &[]), None);
        for kind in [
            Kind::Overrun,
            Kind::Busy,
            Kind::Stolen,
            Kind::WokenLate,
            Kind::NotRead,
        ] {
            let words = doubt(false, &[Kind::FrameMemory, kind]).expect("it is invalid");
            assert!(words.contains("the machine was too busy"), "{words}");
        }
        let words = doubt(false, &[Kind::FrameMemory]).expect("it is invalid");
        assert_eq!(
            words,
            "the run did not go as it should have, as the certificate says"
        );
    }
}
