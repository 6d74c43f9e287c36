//! Comments that begin with `farpath`: they say what the text cannot.

use farpath_predict::Signal;
use farpath_units::{Rate, Ratio};

use super::section::Targets;
use super::{Reader, Section, Statement, Tree, Words};
use crate::qos::{Intent, Interface, PortType, Stated};
use crate::rules::faults;

static NOTES: Section<Interface> = Section {
    undo: false,
    read: &[
        ("port-type", |s| {
            s.noted(parsed::<PortType>, |i| &mut i.queueing.port_type)
        }),
        ("wrr-unit", |s| s.noted(parsed, |i| &mut i.queueing.unit)),
        ("line", |s| s.noted(line_rate, |i| &mut i.line)),
        ("lbe", |s| s.noted(intent, |i| &mut i.intent)),
    ],
    over: &[],
};

/// Reads a comment of the interfaces `targets`.
pub(crate) fn note(
    reader: &mut Reader,
    tree: &Tree<'_>,
    line: usize,
    targets: Targets<'_, Interface>,
) {
    let (content, at) = (tree.content(line), tree.lines()[line].span.start);
    let bare = content.trim_start_matches(['!', '#']).trim_start();
    if let Some(text) = bare.strip_prefix("farpath ") {
        let words = Words::new(text, at + content.len() - text.len());
        reader.take_words(&NOTES, tree, line, words, targets);
    }
}

impl Statement<'_, '_, Interface> {
    /// Sets a field to what the rest of a note says.
    fn noted<V: Clone>(
        &mut self,
        read: fn(&str) -> Result<V, String>,
        field: fn(&mut Interface) -> &mut Option<Stated<V>>,
    ) -> Option<()> {
        match read(self.words.rest().text) {
            Ok(value) => return self.put(Some(value), field),
            Err(why) => self.reader.fault(
                &faults::RANGE,
                self.span.clone(),
                why,
                "notes are `! farpath port-type 1p2q2t`, `wrr-unit 1536 B`, `line stm4`, `lbe share 1 % dscp 8 mtu 9000`",
            ),
        }
        None
    }
}

fn parsed<V: core::str::FromStr<Err: ToString>>(text: &str) -> Result<V, String> {
    text.parse().map_err(|e: V::Err| e.to_string())
}

fn line_rate(text: &str) -> Result<Rate, String> {
    Signal::named(text).map_or_else(|| parsed(text), |signal| Ok(signal.payload))
}

fn intent(text: &str) -> Result<Intent, String> {
    let mut share = None;
    let mut dscp = 8;
    let mut mtu = None;
    let mut words = text.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let value = words.next().unwrap_or_default();
        match word {
            "share" => {
                let percent = words.next_if(|w| *w == "%").is_some();
                let text = if percent {
                    format!("{value} %")
                } else {
                    value.to_owned()
                };
                share = Some(parsed::<Ratio>(&text)?);
            }
            "dscp" => {
                let number: Option<u8> = value.parse().ok();
                dscp = number
                    .filter(|d| *d < 64)
                    .ok_or_else(|| format!("DSCP `{value}` is not one of 0 to 63"))?;
            }
            "mtu" => {
                mtu = Some(
                    value
                        .parse()
                        .map_err(|_| format!("MTU `{value}` is not a number of bytes"))?,
                )
            }
            _ => return Err(format!("`{word}` is not one of share, dscp, mtu")),
        }
    }
    let share = share.ok_or("an lbe note states a share, such as `share 1 %`")?;
    Ok(Intent { share, dscp, mtu })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_state_what_is_meant() {
        let meant = intent("share 1 % dscp 8 mtu 9000").expect("whole");
        assert_eq!(
            (meant.share.get(), meant.dscp, meant.mtu),
            (0.01, 8, Some(9000))
        );
        assert_eq!(intent("share 1%").expect("short").dscp, 8);
        for bad in [
            "",
            "share",
            "share 2",
            "share 1 % dscp 64",
            "share 1 % mtu x",
            "colour red",
        ] {
            assert!(intent(bad).is_err(), "{bad}");
        }
    }
}
