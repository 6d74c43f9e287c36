//! `farpath figures`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use farpath_predict::published::Published;

/// `farpath figures`.
#[derive(Args, Debug)]
#[command(
    after_help = "Each file needs no style sheet and no font of its own, and can be edited. \
    The buttons at each figure of the page give the same, and PNG; \
    the choice beside them is that of --dark and --width.\n\n\
    Exit codes: 0 written, 2 no run of farpath or no such figure, 3 the folder cannot be written.\n\n\
    Examples:\n  \
    farpath figures report\n  \
    farpath figures report --name goodput --into slides\n  \
    farpath figures report --name goodput --title 'A window is a rate' --log xy\n  \
    farpath figures report --dark --width 640 --into slides\n  \
    farpath figures report --from 2s --to 5s --into close"
)]
pub(crate) struct FiguresArgs {
    /// A folder written by `farpath run --out`, or the report.json in it
    #[arg(value_name = "RUN")]
    pub(crate) run: PathBuf,
    /// Where to write them; without it, the folder `figures` beside report.json
    #[arg(long, value_name = "FOLDER")]
    pub(crate) into: Option<PathBuf>,
    /// Only figures whose file names contain this, or those of one metric by its name without the unit: goodput is goodput_bps
    /// where that has figures. Without it, all
    #[arg(long, value_name = "TEXT")]
    pub(crate) name: Option<String>,
    /// How wide they are, in pixels; text keeps its size, so that it is larger on a page in a narrower figure
    #[arg(long, value_name = "N", default_value_t = 960, value_parser = clap::value_parser!(u32).range(320..=4000))]
    pub(crate) width: u32,
    /// Light on dark, in the colours of a page in dark mode, for a beamer; without it, on white
    #[arg(long)]
    pub(crate) dark: bool,
    /// What stands above each figure; '' for nothing. Without it, the scenario's name and what is drawn
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// Calls a name or value of a sweep's figures something else: link.neck.forward.queue=buffer, 'cubic=CUBIC', 'cc=' for
    /// nothing. Keys and metrics by their whole name or as figures have them. Can be given several times; the last = divides
    #[arg(long, value_name = "TEXT=NEW")]
    pub(crate) rename: Vec<String>,
    /// Draws a published law over the goodput of a sweep, as a thin line. all draws those that change there
    /// and are of the run's congestion controls, and the window limit where a window is set. Can be given several times
    #[arg(long, value_name = "NAME", value_parser = laws())]
    pub(crate) law: Vec<String>,
    /// What stands around the points of repeats
    #[arg(long, value_enum, default_value_t = Bars::Range)]
    pub(crate) bars: Bars,
    /// Which axes of a sweep's figures are logarithmic; without it, those of values that span decades
    #[arg(long, value_enum)]
    pub(crate) log: Option<Log>,
    /// Only values of a sweep's x axis from one to another: 1MiB..64MiB
    #[arg(long, value_name = "LOW..HIGH")]
    pub(crate) x_range: Option<String>,
    /// Only a part of the y axis of a sweep's figures, those whose metric has such values: 0..100Mbit/s
    #[arg(long, value_name = "LOW..HIGH")]
    pub(crate) y_range: Option<String>,
    /// Where figures over time begin, since the start of the run: 2s
    #[arg(long, value_name = "TIME")]
    pub(crate) from: Option<String>,
    /// Where figures over time end: 5s
    #[arg(long, value_name = "TIME")]
    pub(crate) to: Option<String>,
}

/// The names of the laws, and that of all of them.
fn laws() -> PossibleValuesParser {
    let names = Published::ALL.into_iter().map(Published::name);
    PossibleValuesParser::new(names.chain(["all"]))
}

/// What upright lines around the points of repeats show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Bars {
    Range,
    Ci95,
}

/// Logarithmic axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Log {
    None,
    X,
    Y,
    Xy,
}
