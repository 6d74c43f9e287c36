//! Results for people: the terminal table, the HTML report, JUnit XML. Reads a finished
//! `RunDocument`; computes nothing that is not in it.

mod allowed;
mod band;
mod certificate;
pub mod compare;
mod drops;
mod failures;
mod few;
pub mod figures;
mod forecast;
mod gaps;
mod grid;
mod group;
mod headline;
pub mod html;
mod judges;
pub mod junit;
mod layout;
mod limit;
mod markdown;
mod metric;
mod paths;
mod points;
mod repeats;
mod rows;
mod stacked;
mod stated;
pub mod table;
mod taken;
pub mod trace;
pub mod trace_page;
mod untouched;
mod validity;
mod wrapped;

pub use farpath_record::quantity::{exact, quantity, unitless};
pub use grid::wrap;
pub use limit::limit_words;
pub use markdown::cell as markdown_cell;
pub use taken::utc;
pub use validity::fails;
