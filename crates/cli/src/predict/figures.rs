//! The results of a path, by name.

use farpath_predict::{Answer, PathInput, Value};

use super::headline;

/// Results by name.
pub(super) struct Figures<'a>(pub(super) &'a [Answer]);

impl Figures<'_> {
    pub(super) fn answer(&self, name: &str) -> &Answer {
        let found = self.0.iter().find(|a| a.name == name);
        found.expect("a path has every result")
    }

    pub(super) fn number(&self, name: &str) -> Option<f64> {
        self.answer(name).value.number()
    }

    pub(super) fn shown(&self, name: &str) -> String {
        shown(self.answer(name))
    }

    /// What `input`, whose figures these are, gives.
    pub(super) fn goodput(&self, input: &PathInput) -> String {
        let bps = self.number("goodput_bps");
        bps.map_or_else(
            || self.shown("goodput_bps"),
            |bps| headline::goodput(input, self.limit(), bps),
        )
    }

    /// A word of `limited_by`; nothing where the algorithm has no law for the loss.
    pub(super) fn limit(&self) -> Option<&str> {
        self.answer("limit").value.text()
    }

    /// Whether a window holds more than fills the line.
    pub(super) fn window_outgrows_the_line(&self) -> bool {
        let window = self.number("window_limit_bps").unwrap_or(f64::INFINITY);
        Some(window) > self.number("line_goodput_bps")
    }

    /// Whether the queue named keeps one flow from filling the line.
    pub(super) fn queue_is_short(&self) -> bool {
        let filled = self.number("utilisation").unwrap_or(1.0);
        filled < 1.0 && self.number("goodput_bps") < self.number("line_goodput_bps")
    }
}

/// The value of a result, with its unit.
pub(super) fn shown(answer: &Answer) -> String {
    match &answer.value {
        Value::Number(v) if answer.unit == "Tb m/s" => format!("{v:.1} Tb m/s"),
        Value::Number(v) => farpath_report::quantity(answer.name, *v),
        Value::Text(text) => text.clone(),
        Value::Null => "-".to_owned(),
    }
}
