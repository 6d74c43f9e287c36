//! What a link of cells says: encapsulation, cell loss, contracts of policers and shapers.

use farpath_predict::Framing;
use farpath_predict::atm::{self, Aal5};
use farpath_units::{Duration, Rate, Ratio};

use crate::decode::{Fields, first};
use crate::diagnostic::Diagnostic;
use crate::key::Kind::{Bool, Choice, Int, Rate as RateKind, Ratio as RatioKind, Span, Table};
use crate::key::{Key, Section, key};

/// Largest datagram of IP over ATM unless set otherwise (RFC 2225 §7.2).
pub(crate) const MTU: u32 = 9180;

pub(crate) const ENCAPSULATION: Key = key(
    "encapsulation",
    Choice(&["llc", "vc", "bridged", "bridged-vc"]),
    "What AAL5 puts in front of a datagram: LLC and SNAP, nothing, or a bridged Ethernet header behind either (RFC 2684).",
)
.default("llc");

pub(crate) const CELL_LOSS: Key = key(
    "cell_loss",
    RatioKind,
    "Probability with which each cell is lost; one lost cell loses the frame.",
)
.default("0");

pub(crate) const CELL_GLUE: Key = key(
    "cell_glue",
    Bool,
    "Whether a frame whose last cell is lost takes the next frame of its flow with it.",
)
.default("true");

pub(crate) const POLICE_CELLS: Key = key(
    "police_cells",
    Table(&POLICER),
    "A policer of cells at the far end: GCRA, one contract for all flows of the direction.",
);

pub(crate) const SHAPE_CELLS: Key = key(
    "shape_cells",
    Table(&SHAPER),
    "A shaper of cells in front of the transmitter: what is sent keeps the contract.",
);

pub(crate) const CELL_QUEUE: Key = key(
    "cell_queue",
    Table(&QUEUE),
    "A switch's queue of cells in place of `queue`: flows are circuits whose cells mix.",
);

const QUEUE: Section = Section {
    name: "cell_queue",
    doc: "A queue of cells and what it discards.",
    keys: &[
        key(
            "limit",
            Int {
                min: 0,
                max: 1_000_000_000,
            },
            "Cells that may wait; the one in service does not count.",
        )
        .required(),
        key(
            "discard",
            Choice(&["plain", "ppd", "epd"]),
            "A cell that does not fit; the rest of its frame, too; or whole frames from `threshold` on.",
        )
        .default("plain"),
        key(
            "threshold",
            Int {
                min: 0,
                max: 1_000_000_000,
            },
            "Waiting cells from which no new frame is let in (epd).",
        )
        .default("half the limit"),
    ],
};

const PCR: Key = key(
    "pcr",
    RateKind,
    "Peak cell rate, in bit/s of whole cells (424 bits each).",
);
const SCR: Key = key(
    "scr",
    RateKind,
    "Sustained cell rate, likewise; none if absent.",
);
const MBS: Key = key(
    "mbs",
    Int {
        min: 1,
        max: 1_000_000_000,
    },
    "Most cells in a burst at the peak rate; `scr` needs it.",
);
const CDVT: Key = key(
    "cdvt",
    Span { zero: true },
    "Cell delay variation tolerance: how much earlier than its turn a cell may come.",
);
const IGNORED: Key = key(
    "scr_ignored",
    Bool,
    "The router's bug: `scr` is set, and only `pcr` is obeyed.",
);

const POLICER: Section = Section {
    name: "police_cells",
    doc: "A policer of cells (ITU-T I.371).",
    keys: &[
        PCR.required(),
        SCR,
        MBS,
        CDVT.default("1 us"),
        key(
            "action",
            Choice(&["drop", "tag"]),
            "What becomes of a cell that does not conform.",
        )
        .default("drop"),
        IGNORED.default("false"),
    ],
};

pub(crate) const METER: Section = Section {
    name: "contract",
    doc: "What received cells are held against (ITU-T I.371).",
    keys: &[PCR.required(), SCR, MBS, CDVT.default("1 us")],
};

const SHAPER: Section = Section {
    name: "shape_cells",
    doc: "A shaper of cells (ITU-T I.371).",
    keys: &[
        PCR.required(),
        SCR,
        MBS,
        CDVT.default("0 s"),
        IGNORED.default("false"),
    ],
};

/// What happens to cells on one direction of a link.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cells {
    /// Each cell is lost with this probability.
    pub loss: Ratio,
    /// A frame without its last cell takes the next one of its flow with it.
    pub glue: bool,
    /// The policer at the far end.
    pub police: Option<CellPolicer>,
    /// The shaper in front of the transmitter.
    pub shape: Option<CellContract>,
    /// The queue of cells in front of the transmitter.
    pub queue: Option<CellQueue>,
}

/// A queue of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellQueue {
    /// Cells that may wait.
    pub limit: u64,
    /// What is discarded.
    pub discard: CellDiscard,
}

/// What a queue of cells discards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellDiscard {
    /// Cells.
    Plain,
    /// What is left of a frame.
    Partial,
    /// Frames that begin when so many cells wait; else as before.
    Early(u64),
}

impl Cells {
    /// Chance that a frame of `wire_bytes` is lost through cells lost by chance.
    /// One of a tester's single cells takes no other with it.
    pub(crate) fn frame_loss(&self, wire_bytes: u32, unit: LostAtOnce) -> f64 {
        let (cells, q) = (wire_bytes / atm::CELL, self.loss.get());
        match self.glue && unit == LostAtOnce::Frame {
            true => atm::frame_loss_glued(cells, q),
            false => atm::frame_loss(cells, q),
        }
    }
}

/// What is lost at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LostAtOnce {
    /// A frame, of one cell or many.
    Frame,
    /// A tester's cell.
    Cell,
}

/// What a circuit may send; rates in bit/s of whole cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellContract {
    /// Peak cell rate.
    pub pcr: Rate,
    /// Sustained cell rate and most cells in a burst.
    pub sustained: Option<(Rate, u64)>,
    /// Cell delay variation tolerance.
    pub cdvt: Duration,
    /// The sustained rate is set but not obeyed.
    pub scr_ignored: bool,
}

impl CellContract {
    /// The sustained rate and burst that are obeyed.
    pub fn obeyed(&self) -> Option<(Rate, u64)> {
        self.sustained.filter(|_| !self.scr_ignored)
    }

    /// The rate that cannot be exceeded for long.
    pub fn lasting(&self) -> Rate {
        self.obeyed()
            .map_or(self.pcr, |(rate, _)| rate.min(self.pcr))
    }
}

/// A contract and what becomes of cells outside it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellPolicer {
    /// The contract.
    pub contract: CellContract,
    /// Cells are tagged instead of discarded.
    pub tags: bool,
}

/// Keys that say something about cells.
const OF_CELLS: [&str; 5] = [
    "cell_loss",
    "cell_glue",
    "police_cells",
    "shape_cells",
    "cell_queue",
];

/// The framing with its encapsulation; a fault where something is said of cells and there are none.
pub(crate) fn framing(
    f: &Fields,
    framing: Framing,
    word: &str,
    faults: &mut Vec<Diagnostic>,
) -> Option<Framing> {
    let Framing::Atm(_) = framing else {
        let sides = ["forward", "reverse"].map(|side| f.get::<Fields>(side));
        let layers = sides.iter().flatten().chain([f]);
        let mut odd = layers.flat_map(|layer| {
            let said = |key: &&&str| layer.has(key);
            let keys = OF_CELLS.iter().chain(&["encapsulation"]);
            keys.filter(said).map(move |key| (layer, *key))
        });
        let Some((layer, key)) = odd.next() else {
            return Some(framing);
        };
        let title = format!("`{key}` on a link whose framing is `{word}`");
        let help =
            "only ATM has cells: write framing = \"oc12c-atm\" or the like, or remove the key";
        faults.push(Diagnostic::new(layer.place(key), title).help(help));
        return None;
    };
    Some(Framing::Atm(
        match f.get::<String>("encapsulation").as_deref() {
            Some("vc") => Aal5::Vc,
            Some("bridged") => Aal5::BridgedLlc,
            Some("bridged-vc") => Aal5::BridgedVc,
            _ => Aal5::Llc,
        },
    ))
}

/// A rate above what the signal has room for is a fault.
pub(crate) fn check_rate(
    layers: &[&Fields],
    (rate, framing): (Rate, Framing),
    signal: Option<Rate>,
    word: &str,
    faults: &mut Vec<Diagnostic>,
) -> Option<()> {
    let Some(most) = signal.filter(|most| framing.is_atm() && rate > *most) else {
        return Some(());
    };
    let layer = layers.iter().find(|l| l.has("rate"))?;
    let title = format!("a cell rate of {rate}, and {word} has room for {most}");
    let help = "write a rate that fits, or leave it out: the signal brings its own";
    let fault = Diagnostic::new(layer.place("rate"), title).help(help);
    if !faults.contains(&fault) {
        faults.push(fault);
    }
    None
}

/// What one direction says of cells.
pub(crate) fn cells(layers: &[&Fields], line: Rate, faults: &mut Vec<Diagnostic>) -> Cells {
    let mut found = Vec::new();
    let police = first::<Fields>(layers, "police_cells").and_then(|f| {
        let contract = contract(&f, Some(line), Duration::from_us(1), &mut found)?;
        let tags = f.get::<String>("action").as_deref() == Some("tag");
        Some(CellPolicer { contract, tags })
    });
    let shape = first::<Fields>(layers, "shape_cells")
        .and_then(|f| contract(&f, Some(line), Duration::ZERO, &mut found));
    let queue = first::<Fields>(layers, "cell_queue").and_then(|f| queue(&f, &mut found));
    let contract = layers.iter().find_map(|l| {
        ["police_cells", "shape_cells"]
            .into_iter()
            .find(|k| l.has(k))
            .map(|k| (l, k))
    });
    if let (Some(_), Some((layer, key))) = (queue, contract) {
        let title = format!("`{key}` beside `cell_queue`");
        let help = "contracts are kept where frames follow one another: put them on the next link";
        found.push(Diagnostic::new(layer.place(key), title).help(help));
    }
    // What both directions say is said once.
    found.retain(|fault| !faults.contains(fault));
    faults.append(&mut found);
    Cells {
        loss: first(layers, "cell_loss").unwrap_or_default(),
        glue: first(layers, "cell_glue").unwrap_or(true),
        police,
        shape,
        queue,
    }
}

fn queue(f: &Fields, faults: &mut Vec<Diagnostic>) -> Option<CellQueue> {
    let limit = f.get::<i64>("limit")?.unsigned_abs();
    let threshold = f.get::<i64>("threshold").map(i64::unsigned_abs);
    let word = f.get::<String>("discard");
    let discard = match word.as_deref() {
        Some("epd") => CellDiscard::Early(threshold.unwrap_or(limit / 2)),
        Some("ppd") => CellDiscard::Partial,
        _ => CellDiscard::Plain,
    };
    if threshold.is_some() && !matches!(discard, CellDiscard::Early(_)) {
        let title = "`threshold` without early packet discard".to_owned();
        let help = "write discard = \"epd\", or remove `threshold`";
        faults.push(Diagnostic::new(f.place("threshold"), title).help(help));
    }
    if threshold.is_some_and(|t| t > limit) {
        let title = format!(
            "a threshold of {} above the limit of {limit}",
            threshold.unwrap_or(0)
        );
        let help = "write a threshold within the limit: the room above is for frames under way";
        faults.push(Diagnostic::new(f.place("threshold"), title).help(help));
    }
    Some(CellQueue { limit, discard })
}

/// A contract; `line` is the rate it cannot exceed, if there is one.
pub(crate) fn contract(
    f: &Fields,
    line: Option<Rate>,
    usual: Duration,
    faults: &mut Vec<Diagnostic>,
) -> Option<CellContract> {
    let pcr: Rate = f.get("pcr")?;
    let (scr, mbs) = (f.get::<Rate>("scr"), f.get::<i64>("mbs"));
    let mut refuse = |key: &str, title: String, help: &str| {
        faults.push(Diagnostic::new(f.place(key), title).help(help));
        None
    };
    if let Some(line) = line.filter(|line| pcr > *line) {
        return refuse(
            "pcr",
            format!("a peak cell rate of {pcr} on a line of {line}"),
            "a contract above the line says nothing: write one that the line can reach",
        );
    }
    match (scr, mbs) {
        (Some(_), None) => refuse(
            "scr",
            "`scr` without `mbs`".to_owned(),
            "say how many cells may come at the peak rate: mbs = 100",
        ),
        (None, Some(_)) => refuse(
            "mbs",
            "`mbs` without `scr`".to_owned(),
            "a burst is one above the sustained rate: add scr = \"300 Mbit/s\", or remove `mbs`",
        ),
        (Some(scr), _) if scr > pcr => refuse(
            "scr",
            format!("a sustained cell rate of {scr} above the peak of {pcr}"),
            "write scr at most as high as pcr",
        ),
        (scr, mbs) => Some(CellContract {
            pcr,
            sustained: scr.zip(mbs.map(i64::unsigned_abs)),
            cdvt: f.get("cdvt").unwrap_or(usual),
            scr_ignored: f.get("scr_ignored").unwrap_or(false),
        }),
    }
}
