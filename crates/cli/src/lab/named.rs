//! A lab that is up, by its name: where it is listed, and how commands for it begin.

use farpath_emu::state::{Lab, Registry};

use crate::exit::Failure;

/// The name of a lab that is given none.
pub(crate) const NAME: &str = "lab";

/// What commands for the lab of this name begin with.
pub(super) fn command(name: &str) -> String {
    match name {
        NAME => "farpath lab".to_owned(),
        other => format!("farpath lab --lab {other}"),
    }
}

/// The labs of this user.
pub(super) fn registry() -> Result<Registry, Failure> {
    Registry::open().map_err(Failure::environment)
}

/// A lab that is up. Of one that has ended by itself, where its last words are.
pub(super) fn running(name: &str) -> Result<Lab, Failure> {
    let registry = registry()?;
    registry.read(name).map_err(|e| {
        let log = registry.log_of(name);
        let failure = Failure::environment(e);
        match log.exists() {
            true => failure.hint(format!(
                "it has ended by itself, or was killed; its log is {}",
                log.display()
            )),
            false if registry.list().is_empty() => {
                failure.hint(format!("`{} up SCENARIO` starts one", command(name)))
            }
            false => failure,
        }
    })
}
