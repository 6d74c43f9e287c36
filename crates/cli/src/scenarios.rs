//! `farpath scenarios` and `farpath schema`: what is built in.

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
        for line in wrap(&scenario.summary, 76) {
            text.push_str(&format!("    {line}\n"));
        }
    }
    print(&text)?;
    Ok(Exit::Ok)
}

fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is always a line");
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(word.to_owned());
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}

pub(crate) fn schema() -> Result<Exit, Failure> {
    print(&format!("{:#}\n", farpath_scenario::schema()))?;
    Ok(Exit::Ok)
}
