//! `farpath predict`: the closed forms, without a scenario.

use farpath_predict::overhead::Stack;
use farpath_predict::{Answer, PathInput, Value, path};
use serde::Serialize;

use crate::args::{OverheadArgs, PathArgs, Predict, PredictArgs};
use crate::exit::{Exit, Failure, print, print_json};
use crate::value::{maybe, mtu, read};

pub(crate) fn predict(args: &PredictArgs) -> Result<Exit, Failure> {
    match &args.what {
        Predict::Path(args) => predict_path(args),
        Predict::Overhead(args) => predict_overhead(args),
    }
}

#[derive(Serialize)]
struct PredictDocument {
    schema: &'static str,
    results: Vec<Answer>,
}

fn predict_path(args: &PathArgs) -> Result<Exit, Failure> {
    let input = PathInput {
        loss: maybe("loss", args.loss.as_deref())?,
        window: maybe("window", args.window.as_deref())?,
        cc: read("cc", &args.cc)?,
        host: maybe("host", args.host.as_deref())?,
        segments_per_ack: args.segments_per_ack,
        initial_window: args.initial_window,
        ..PathInput::new(
            read("rate", &args.rate)?,
            read("rtt", &args.rtt)?,
            mtu(&args.mtu)?,
        )
    };
    let results = path(&input).map_err(|e| Failure::usage(e.to_string()))?;
    if args.json {
        print_json(&PredictDocument {
            schema: "farpath.predict/1",
            results,
        })?;
        return Ok(Exit::Ok);
    }
    let mut text = String::new();
    for answer in &results {
        text.push_str(&format!(
            "{:<22} {:>20}   {}\n",
            answer.name,
            shown(answer),
            answer.formula
        ));
        if !answer.note.is_empty() {
            text.push_str(&format!("{:<22} {:>20}   {}\n", "", "", answer.note));
        }
    }
    print(&text)?;
    Ok(Exit::Ok)
}

fn shown(answer: &Answer) -> String {
    match &answer.value {
        Value::Number(v) => farpath_report::quantity(answer.name, *v),
        Value::Text(text) => text.clone(),
        Value::Null => "-".to_owned(),
    }
}

fn predict_overhead(args: &OverheadArgs) -> Result<Exit, Failure> {
    let stack: Stack = read("stack", &args.stack)?;
    let ladder = stack
        .ladder(mtu(&args.mtu)?)
        .map_err(|e| Failure::usage(e.to_string()))?;
    if args.json {
        print_json(&ladder)?;
        return Ok(Exit::Ok);
    }
    let mut text = String::new();
    for rung in &ladder.layers {
        text.push_str(&format!(
            "{:<14} {:>20}\n",
            rung.name,
            farpath_report::quantity("rate_bps", rung.rate_bps)
        ));
    }
    print(&text)?;
    Ok(Exit::Ok)
}
