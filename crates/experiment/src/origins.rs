//! The origins that there are.

use farpath_record::Origin as Name;

use crate::origin::{Findings, Origin, Setting};
use crate::{Fault, Progress, Request, algorithms, emulate, predict, simulate};

/// Every origin that can be asked, in the order of their records. Adding one is a file and a line here.
const ORIGINS: [(Name, Make); 3] = [
    (Name::Predicted, |_| Box::new(predict::Predict)),
    (Name::Simulated, |r| Box::new(simulate::Simulate::new(r))),
    (Name::Emulated, |r| Box::new(emulate::Emulate::new(r))),
];

type Make = fn(&Request) -> Box<dyn Origin>;

/// The origins that a request asks.
pub(crate) fn asked(request: &Request) -> Vec<Box<dyn Origin>> {
    let asked = ORIGINS
        .iter()
        .filter(|(name, _)| request.origins.contains(name));
    asked.map(|(_, make)| make(request)).collect()
}

/// Answers a setting, and leaves out what a model cannot say of it.
pub(crate) fn answer(
    origin: &dyn Origin,
    setting: &Setting<'_>,
    progress: &mut dyn Progress,
) -> Result<Findings, Fault> {
    let mut found = origin.run(setting, progress)?;
    algorithms::leave_out(setting.scenario, origin, &mut found);
    Ok(found)
}
