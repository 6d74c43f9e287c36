//! ATM circuits.

use farpath_units::Rate;

use super::interface::each;
use super::read::{Reader, Taken};
use super::tree::Tree;
use super::words::Words;
use crate::qos::{Category, Contract, Encapsulation, Pvc};

/// Reads `pvc [NAME] VPI/VCI` and its section.
pub(crate) fn pvc(
    reader: &mut Reader,
    tree: &Tree<'_>,
    line: usize,
    off: bool,
    targets: &[usize],
) -> Taken {
    let span = tree.lines()[line].span.clone();
    let mut words = Words::new(tree.content(line), span.start);
    words.accept("no");
    words.accept("default");
    words.accept("pvc");
    let Some(mut word) = words.next() else {
        return Taken::Unknown;
    };
    let mut name = None;
    if !word.text.contains('/') && !word.text.starts_with(|c: char| c.is_ascii_digit()) {
        name = Some(word.text.to_owned());
        let Some(next) = words.next() else {
            return Taken::Unknown;
        };
        word = next;
    }
    let (vpi, vci) = word
        .text
        .split_once('/')
        .map_or(("0", word.text), |ends| ends);
    let vci_at = word.at + word.text.len() - vci.len();
    let vpi = reader.number(&mut Words::new(vpi, word.at), "a VPI", 0..=4095);
    let vci = reader.number(&mut Words::new(vci, vci_at), "a VCI", 1..=65_535);
    let (Some(vpi), Some(vci)) = (vpi, vci) else {
        return Taken::Unknown;
    };
    let place = reader.place(span);
    let mut circuit = Pvc {
        name,
        place,
        vpi: vpi as u16,
        vci: vci as u16,
        contract: None,
        encapsulation: None,
        unknown: Vec::new(),
    };
    for inner in tree.statements(line) {
        let taken = statement(reader, tree, inner, &mut circuit);
        if reader.count(taken) {
            circuit
                .unknown
                .push(reader.place(tree.lines()[inner].span.clone()));
        }
    }
    each(reader, targets, |i| {
        i.pvcs
            .retain(|p| (p.vpi, p.vci) != (circuit.vpi, circuit.vci));
        if !off {
            i.pvcs.push(circuit.clone());
        }
    });
    Taken::Understood
}

fn statement(reader: &mut Reader, tree: &Tree<'_>, line: usize, circuit: &mut Pvc) -> Taken {
    let span = tree.lines()[line].span.clone();
    let mut words = Words::new(tree.content(line), span.start);
    if words.accept("no") || words.accept("default") {
        return Taken::PassedOver;
    }
    let Some(word) = words.next() else {
        return Taken::Unknown;
    };
    let category = match word.text {
        "ubr" => Category::Ubr,
        "vbr-nrt" => Category::VbrNrt,
        "vbr-rt" => Category::VbrRt,
        "cbr" => Category::Cbr,
        "encapsulation" => {
            let value = match words.next().map(|w| w.text) {
                Some("aal5snap") => Encapsulation::Snap,
                Some("aal5mux") => Encapsulation::Mux,
                _ => return Taken::Unknown,
            };
            circuit.encapsulation = Some(reader.stated(value, span));
            return Taken::Understood;
        }
        "protocol" | "broadcast" | "inarp" | "oam-pvc" | "oam" | "tx-ring-limit"
        | "description" => {
            return Taken::PassedOver;
        }
        _ => return Taken::Unknown,
    };
    let variable = matches!(category, Category::VbrNrt | Category::VbrRt);
    let mut contract = Contract {
        category,
        peak: None,
        sustained: None,
        burst: None,
    };
    if category != Category::Ubr || words.peek().is_some() {
        contract.peak = rate(reader, &mut words, "a peak cell rate in kbit/s");
        if contract.peak.is_none() {
            return Taken::Unknown;
        }
    }
    if variable {
        contract.sustained = rate(reader, &mut words, "a sustainable cell rate in kbit/s");
        if contract.sustained.is_none() {
            return Taken::Unknown;
        }
        if words
            .peek()
            .is_some_and(|w| w.text.starts_with(|c: char| c.is_ascii_digit()))
        {
            contract.burst = reader
                .number(&mut words, "a burst in cells", 1..=65_535)
                .map(|n| n as u32);
        }
    }
    reader.finish(words);
    circuit.contract = Some(reader.stated(contract, span));
    Taken::Understood
}

fn rate(reader: &mut Reader, words: &mut Words<'_>, what: &str) -> Option<Rate> {
    let kbps = reader.number(words, what, 1..=100_000_000)?;
    Rate::from_bps(kbps * 1000)
}
