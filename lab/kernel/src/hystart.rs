//! CUBIC's HyStart switch, a parameter of the kernel module and so of the whole machine: set for a run
//! and put back after it.

use std::path::Path;

use crate::fault::Fault;

const SWITCH: &str = "/sys/module/tcp_cubic/parameters/hystart";

/// The switch as a run wants it; what it was is restored when this goes.
#[derive(Debug)]
pub(crate) struct HyStart {
    was: Option<String>,
}

impl HyStart {
    /// Sets the switch, if it stands otherwise.
    pub(crate) fn set(on: bool) -> Result<HyStart, Fault> {
        if !Path::new(SWITCH).exists() {
            return Err(Fault::Environment(format!(
                "{SWITCH} is missing: this kernel has no CUBIC module parameters"
            )));
        }
        let was = std::fs::read_to_string(SWITCH)
            .map_err(|e| Fault::Environment(format!("read {SWITCH}: {e}")))?;
        let wanted = if on { "1" } else { "0" };
        if was.trim() == wanted {
            return Ok(HyStart { was: None });
        }
        std::fs::write(SWITCH, wanted)
            .map_err(|e| Fault::Environment(format!("set {SWITCH} to {wanted}: {e}")))?;
        Ok(HyStart { was: Some(was) })
    }
}

impl Drop for HyStart {
    fn drop(&mut self) {
        if let Some(was) = &self.was
            && let Err(e) = std::fs::write(SWITCH, was.trim())
        {
            eprintln!("could not put {SWITCH} back to {}: {e}", was.trim());
        }
    }
}
