//! Closed forms.

use farpath_record::Origin as Name;
use farpath_scenario::forecast;

use crate::origin::{Findings, Origin, Setting};
use crate::{Fault, Progress};

/// What the path should give.
pub(crate) struct Predict;

impl Origin for Predict {
    fn name(&self) -> Name {
        Name::Predicted
    }

    fn lucky(&self) -> bool {
        false
    }

    fn run(&self, setting: &Setting<'_>, _: &mut dyn Progress) -> Result<Findings, Fault> {
        Ok(Findings {
            records: forecast(setting.scenario, setting.plan, setting.point),
            ..Findings::default()
        })
    }
}
