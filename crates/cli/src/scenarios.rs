//! `farpath scenarios` and `farpath schema`: what is built in.

use farpath_report::wrap;
use farpath_scenario::{load, shipped};

use crate::args::ScenariosArgs;
use crate::exit::{Exit, Failure, print};

pub(crate) fn list(args: &ScenariosArgs) -> Result<Exit, Failure> {
    if let Some(name) = &args.name {
        let source = load(name).map_err(|e| Failure::usage(e.to_string()))?;
        print(&source.text)?;
        return Ok(Exit::Ok);
    }
    let mut text = String::new();
    for scenario in shipped() {
        text.push_str(&scenario.name);
        text.push('\n');
        for line in wrap(&scenario.summary, 76, 76) {
            text.push_str(&format!("    {line}\n"));
        }
    }
    print(&text)?;
    Ok(Exit::Ok)
}

pub(crate) fn schema() -> Result<Exit, Failure> {
    print(&format!("{:#}\n", farpath_scenario::schema()))?;
    Ok(Exit::Ok)
}
