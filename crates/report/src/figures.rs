//! Every figure of a page as SVG, without a browser: the script that draws them there, run by an engine of its own.

use rquickjs::{Context, Ctx, Function, Runtime};
use serde::Deserialize;

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
    /// The text of an SVG file that needs no style sheet.
    pub svg: String,
}

/// What upright lines around the points of repeats show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
    /// The script fails on what it was given.
    #[error("draw the figures: {0}")]
    Drawing(String),
}

/// Draws every figure of a report: the JSON of `report.json`.
///
/// # Errors
/// When the build lacks its web part, or the text is not that of a report.
pub fn figures(report: &str, bars: Bars) -> Result<Vec<Figure>, FiguresError> {
    if SCRIPT.is_empty() {
        return Err(FiguresError::NoScript);
    }
    let drawing = |e: rquickjs::Error| FiguresError::Drawing(e.to_string());
    let runtime = Runtime::new().map_err(drawing)?;
    runtime.set_memory_limit(MEMORY);
    runtime.set_max_stack_size(STACK);
    let context = Context::full(&runtime).map_err(drawing)?;
    let text = context.with(|ctx| {
        draw(&ctx, report, bars).map_err(|error| {
            let thrown = ctx.catch();
            let said = thrown.as_exception().and_then(|e| e.message());
            FiguresError::Drawing(said.unwrap_or_else(|| error.to_string()))
        })
    })?;
    serde_json::from_str(&text).map_err(|e| FiguresError::Drawing(e.to_string()))
}

fn draw(ctx: &Ctx<'_>, report: &str, bars: Bars) -> rquickjs::Result<String> {
    let bars = match bars {
        Bars::Range => "range",
        Bars::Ci95 => "ci95",
    };
    ctx.eval::<(), _>(SCRIPT)?;
    let figures: Function<'_> = ctx.globals().get("farpathFigures")?;
    figures.call((report, bars))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_texts_are_refused_with_the_reason() {
        let Err(error) = figures("{", Bars::Range) else {
            panic!("that is not JSON");
        };
        let wanted = match SCRIPT {
            "" => "without its web part",
            _ => "draw the figures: ",
        };
        assert!(error.to_string().contains(wanted), "{error}");
    }
}
