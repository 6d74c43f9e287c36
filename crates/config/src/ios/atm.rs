//! ATM circuits.

use farpath_units::Rate;

use crate::commands::{
    BURST_CELLS, DIAL_POOL, Number, PEAK_CELLS, SUSTAINED_CELLS, Section, Statement, VCI, VPI,
    Words,
};
use crate::qos::{Category, Contract, Encapsulation, Interface, Pvc};

static CIRCUIT: Section<Pvc> = Section {
    undo: false,
    read: &[
        ("ubr", |s| contract(s, Category::Ubr)),
        ("vbr-nrt", |s| contract(s, Category::VbrNrt)),
        ("vbr-rt", |s| contract(s, Category::VbrRt)),
        ("cbr", |s| contract(s, Category::Cbr)),
        ("encapsulation aal5snap", |s| {
            s.put(Some(Encapsulation::Snap), |c| &mut c.encapsulation)
        }),
        ("encapsulation aal5mux", |s| {
            s.put(Some(Encapsulation::Mux), |c| &mut c.encapsulation)
        }),
        ("pppoe-client dial-pool-number", |s| {
            let pool = s.number(DIAL_POOL)?;
            s.put(Some(pool), |c| &mut c.dial_pool)
        }),
    ],
    over: &[
        "~no|default",
        "protocol|broadcast|inarp|oam-pvc|oam|tx-ring-limit|description",
    ],
};

/// `pvc [NAME] VPI/VCI` and its section.
pub(super) fn pvc(s: &mut Statement<'_, '_, Interface>) -> Option<()> {
    let mut word = s.words.next()?;
    let mut name = None;
    if !word.text.contains('/') && !word.is_numeral() {
        name = Some(word.text.to_owned());
        word = s.words.next()?;
    }
    let (vpi, vci) = word.text.split_once('/').unwrap_or(("0", word.text));
    let vci_at = word.at + word.text.len() - vci.len();
    let vpi = s.reader.number(&mut Words::new(vpi, word.at), VPI);
    let vci = s.reader.number(&mut Words::new(vci, vci_at), VCI);
    let mut circuit = Pvc {
        name,
        place: s.place(),
        vpi: vpi?,
        vci: vci?,
        contract: None,
        encapsulation: None,
        dial_pool: None,
        unknown: Vec::new(),
    };
    circuit.unknown = s.section(&CIRCUIT, &mut |_, _, _, f| f(&mut circuit));
    let off = s.off;
    s.each(|i| {
        i.pvcs
            .retain(|p| (p.vpi, p.vci) != (circuit.vpi, circuit.vci));
        i.pvcs.extend((!off).then(|| circuit.clone()));
    })
}

fn contract(s: &mut Statement<'_, '_, Pvc>, category: Category) -> Option<()> {
    let mut contract = Contract {
        category,
        peak: None,
        sustained: None,
        burst: None,
    };
    if category != Category::Ubr || s.words.peek().is_some() {
        contract.peak = Some(cells(s, PEAK_CELLS)?);
    }
    if matches!(category, Category::VbrNrt | Category::VbrRt) {
        contract.sustained = Some(cells(s, SUSTAINED_CELLS)?);
        if s.words.peek().is_some_and(|w| w.is_numeral()) {
            contract.burst = s.number(BURST_CELLS);
        }
    }
    s.finish();
    s.put(Some(contract), |c| &mut c.contract)
}

fn cells(s: &mut Statement<'_, '_, Pvc>, rate: Number) -> Option<Rate> {
    Rate::from_bps(s.number::<u64>(rate)? * 1000)
}
