//! What a certificate makes of a run: its exit code, the certificate's case of JUnit, and why `--strict` fails it.

use farpath_record::Certificate;
use farpath_report::junit::Outcome;

use super::closing::{NOT_RUN, of_nothing};
use super::programs::{By, Ended};
use crate::args::LabRunArgs;
use crate::exit::Exit;

/// What comes of a certificate.
pub(super) struct Judged {
    /// The exit code of the run: the command's, or that of a certificate.
    pub(super) code: u8,
    /// The certificate's case of JUnit.
    pub(super) case: Outcome,
    /// Why `--strict` fails the run; none where it does not.
    pub(super) failure: Option<String>,
}

/// Whether a certificate may fail a run that ended so, and whose programs handed so many frames to the path: one that was asked for, of a
/// command that ran and that the user has not ended.
pub(super) fn is_strict(args: &LabRunArgs, ended: &Ended, program_frames: Option<u64>) -> bool {
    args.strict && ended.by != By::User && !ended.ran_nothing(program_frames)
}

/// An invalid certificate says that the machine was too busy, and nothing of the program: it fails a run only where that
/// is asked for. So does one of nothing, or of the lab's own pings alone, unless the command has failed already. Where the command
/// did not run it says nothing, whatever else passed meanwhile.
pub(super) fn judged(
    certificate: Option<&Certificate>,
    (ended, is_strict): (&Ended, bool),
    program_frames: Option<u64>,
) -> Judged {
    let own = |case| Judged {
        code: ended.code,
        case,
        failure: None,
    };
    let failed = |why: &str, failure: String| Judged {
        code: Exit::Certificate as u8,
        case: Outcome::Fail(why.to_owned()),
        failure: Some(failure),
    };
    let Some(certificate) = certificate else {
        return own(Outcome::Pass);
    };
    if ended.ran_nothing(program_frames) {
        return own(Outcome::Skip(NOT_RUN.to_owned()));
    }
    let nothing = of_nothing(certificate, program_frames);
    match (Outcome::from(certificate), nothing) {
        (Outcome::Fail(why), _) if is_strict => {
            failed(&why, format!("the certificate is invalid: {why}"))
        }
        (Outcome::Fail(why), _) => own(Outcome::Skip(format!("invalid: {why}"))),
        (_, Some(why)) if is_strict && ended.code == 0 => failed(why, why.to_owned()),
        (_, Some(why)) => own(Outcome::Skip(why.to_owned())),
        (other, None) => own(other),
    }
}
