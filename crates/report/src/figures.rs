//! Every figure of a page as SVG, without a browser: the script that draws them there, run by an engine of its own.

use rquickjs::{Context, Ctx, Function, Runtime};
use serde::{Deserialize, Serialize};

const SCRIPT: &str = include_str!(concat!(env!("OUT_DIR"), "/figures.js"));
/// Memory that the script may take, in bytes: a report of 100 MB fits.
const MEMORY: usize = 4 << 30;
/// Bytes of the script's stack.
const STACK: usize = 4 << 20;

/// A figure as a file.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Figure {
    /// What its file is called, without an ending; no two of a run are alike.
    pub name: String,
    /// The text of an SVG file that needs no style sheet; empty of a figure that was not asked for.
    pub svg: String,
}

/// How figures are drawn; what is none is decided by what is drawn.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Look {
    /// What upright lines around the points of repeats show.
    pub bars: Bars,
    /// How wide figures are, in pixels, where they can be; 960 by default. Text keeps its size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<u32>,
    /// Whether they are drawn in light colours on the dark ground of a page; by default in dark ones on white.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dark: bool,
    /// What stands above each figure, nothing if it is empty; by default what was run and what is drawn of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Where figures over time begin, in seconds since the start of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<f64>,
    /// Where figures over time end, in seconds since the start of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<f64>,
    /// Which axes of a sweep's figures are logarithmic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<Log>,
    /// The least and the greatest value along x of a sweep's figures, as texts with their units.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<(String, String)>,
    /// The least and the greatest value along y of a sweep's figures, likewise.
    #[serde(rename = "yRange", skip_serializing_if = "Option::is_none")]
    pub y_range: Option<(String, String)>,
    /// Names and values of a sweep's figures, and what they are called instead; nothing if that is empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rename: Vec<(String, String)>,
    /// Names of the laws that are drawn over a sweep's figures, `all` for those of its connections; none if that is empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub laws: Vec<String>,
    /// Only figures whose names contain this are drawn, or those of the metric that it is but for its unit; all by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// Logarithmic axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Log {
    /// None of them.
    None,
    /// That of the quantity swept.
    X,
    /// That of the metric.
    Y,
    /// Both.
    Xy,
}

/// What upright lines around the points of repeats show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Bars {
    /// The median, from the least to the greatest.
    #[default]
    Range,
    /// The mean with its 95 % confidence interval.
    Ci95,
}

/// Why there are no figures.
#[derive(Debug, thiserror::Error)]
pub enum FiguresError {
    /// This build has no script.
    #[error("this farpath was built without its web part")]
    NoScript,
    /// What was asked for cannot be drawn of this run.
    #[error("{0}")]
    Refused(String),
    /// The script fails on what it was given.
    #[error("draw the figures: {0}")]
    Drawing(String),
}

/// Draws every figure of a report: the JSON of `report.json`.
///
/// # Errors
/// When the build lacks its web part, the text is not that of a report, or the run has nothing of what `look` asks for.
pub fn figures(report: &str, look: &Look) -> Result<Vec<Figure>, FiguresError> {
    if SCRIPT.is_empty() {
        return Err(FiguresError::NoScript);
    }
    let drawing = |e: rquickjs::Error| FiguresError::Drawing(e.to_string());
    let options = serde_json::to_string(look).map_err(|e| FiguresError::Drawing(e.to_string()))?;
    let runtime = Runtime::new().map_err(drawing)?;
    runtime.set_memory_limit(MEMORY);
    runtime.set_max_stack_size(STACK);
    let context = Context::full(&runtime).map_err(drawing)?;
    let text = context.with(|ctx| {
        draw(&ctx, report, &options).map_err(|error| {
            let thrown = ctx.catch();
            let said = thrown.as_exception().and_then(|e| e.message());
            FiguresError::Drawing(said.unwrap_or_else(|| error.to_string()))
        })
    })?;
    let drawn: Drawn =
        serde_json::from_str(&text).map_err(|e| FiguresError::Drawing(e.to_string()))?;
    match drawn.refused {
        Some(why) => Err(FiguresError::Refused(why)),
        None => Ok(drawn.figures),
    }
}

/// What the script gives.
#[derive(Deserialize)]
struct Drawn {
    figures: Vec<Figure>,
    #[serde(default)]
    refused: Option<String>,
}

fn draw(ctx: &Ctx<'_>, report: &str, options: &str) -> rquickjs::Result<String> {
    ctx.eval::<(), _>(SCRIPT)?;
    let figures: Function<'_> = ctx.globals().get("farpathFigures")?;
    figures.call((report, options))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_texts_are_refused_with_the_reason() {
        let Err(error) = figures("{", &Look::default()) else {
            panic!("that is not JSON");
        };
        let wanted = match SCRIPT {
            "" => "without its web part",
            _ => "draw the figures: ",
        };
        assert!(error.to_string().contains(wanted), "{error}");
    }
}
