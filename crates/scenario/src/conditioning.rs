//! What a router does to frames before they meet the queue of a direction: marks and policers.

use farpath_units::{Rate, Size};

use crate::decode::{At, Fields, first};
use crate::diagnostic::{Diagnostic, shorten};
use crate::model::{Bound, Conditioning, MarkRule, Match, PoliceAction, PoliceRule};
use crate::named::policer_name;
use crate::names::Names;
use crate::quantity;
use crate::queueing::matches;

/// Marks and policers of a direction whose tables are `layers`, the first winning.
pub(crate) fn conditioning(
    layers: &[&Fields],
    names: &Names,
    faults: &mut Vec<Diagnostic>,
) -> Conditioning {
    let marks: Vec<Fields> = first(layers, "mark").unwrap_or_default();
    let marks = marks
        .iter()
        .filter_map(|f| mark(f, names, faults))
        .collect();
    let tables: Vec<Fields> = first(layers, "police").unwrap_or_default();
    for (n, f) in tables.iter().enumerate() {
        let name = policer_name(f);
        if let Some(other) = tables[..n].iter().find(|o| policer_name(o) == name) {
            let title = format!("two policers of the name `{name}`");
            let d = Diagnostic::new(f.place("name"), title);
            let d = d.see(other.place("name"), "the first one");
            faults.push(d.help("give one of them another name"));
        }
    }
    let policers = tables
        .iter()
        .filter_map(|f| policer(f, names, faults))
        .collect();
    Conditioning { marks, policers }
}

fn of(f: &Fields, names: &Names, faults: &mut Vec<Diagnostic>) -> Vec<Match> {
    let all = matches(f, names, faults);
    all.into_iter().map(At::into_inner).collect()
}

fn mark(f: &Fields, names: &Names, faults: &mut Vec<Diagnostic>) -> Option<MarkRule> {
    let set: Vec<At<u8>> = f.get("set")?;
    if let Some(second) = set.get(1) {
        let title = "`set` has two DSCPs and can set one";
        faults.push(Diagnostic::new(second.span(), title).help("write a `mark` table for each"));
    }
    Some(MarkRule {
        matches: of(f, names, faults),
        dscp: *set.first()?.get_ref(),
    })
}

fn policer(f: &Fields, names: &Names, faults: &mut Vec<Diagnostic>) -> Option<PoliceRule> {
    let (rate, burst): (Rate, Size) = (f.get("rate")?, f.get("burst")?);
    let bound = match (f.get::<Size>("excess_burst"), f.get::<Rate>("peak_rate")) {
        (_, Some(peak)) => {
            if peak < rate {
                let title = "`peak_rate` is below `rate`";
                let help = "the peak is the higher of the two rates (RFC 2698 §2)";
                faults.push(Diagnostic::new(f.place("peak_rate"), title).help(help));
            }
            Bound::Peak(peak, f.get("peak_burst").unwrap_or(burst))
        }
        (Some(excess), None) => Bound::Excess(excess),
        (None, None) => Bound::None,
    };
    let mut without = |key: &str, needs: &str| {
        if f.has(key) {
            let title = format!("`{key}` without {needs}");
            let d = Diagnostic::new(f.place(key), title);
            faults.push(d.help(format!("remove it, or add {needs}")));
        }
    };
    if !matches!(bound, Bound::Peak(..)) {
        without("peak_burst", "`peak_rate`");
    }
    if bound == Bound::None {
        without("violate", "`excess_burst` or `peak_rate`");
        without("colour_aware", "`excess_burst` or `peak_rate`");
    }
    let mut action = |key: &str, usual| action(f, key, usual, faults);
    let green = action("conform", PoliceAction::Pass);
    let actions = match bound {
        Bound::None => {
            let red = action("exceed", PoliceAction::Drop);
            [green, PoliceAction::Pass, red]
        }
        _ => [
            green,
            action("exceed", PoliceAction::Pass),
            action("violate", PoliceAction::Drop),
        ],
    };
    Some(PoliceRule {
        name: policer_name(f),
        matches: of(f, names, faults),
        rate,
        burst,
        bound,
        colour_aware: f.get("colour_aware").unwrap_or(false),
        actions,
        overhead: f
            .get::<i64>("overhead")
            .and_then(|n| i32::try_from(n).ok())
            .unwrap_or(0),
    })
}

/// `pass`, `drop` or a DSCP.
fn action(
    f: &Fields,
    key: &str,
    usual: PoliceAction,
    faults: &mut Vec<Diagnostic>,
) -> PoliceAction {
    let Some(word) = f.get::<String>(key) else {
        return usual;
    };
    let dscp = || {
        let number = word.parse::<u8>().ok().filter(|n| *n < 64);
        number.or(quantity::class(key, &word).ok().map(|tos| tos >> 2))
    };
    match (word.as_str(), dscp()) {
        ("pass", _) => PoliceAction::Pass,
        ("drop", _) => PoliceAction::Drop,
        (_, Some(dscp)) => PoliceAction::Mark(dscp),
        (_, None) => {
            let title = format!("unknown policer action `{}`", shorten(&word));
            let help = "write \"pass\", \"drop\", or the DSCP frames get, such as \"le\" or \"8\"";
            faults.push(Diagnostic::new(f.place(key), title).help(help));
            usual
        }
    }
}
