//! Junos: text with braces or `set` lines, and what it says.

mod attached;
mod brace;
mod buffers;
mod check;
mod class;
mod firewall;
mod grammar;
mod groups;
mod held;
mod icmp;
pub mod lex;
pub mod model;
mod names;
pub mod print;
mod problem;
mod read;
pub(crate) mod routes;
mod schema;
mod sealed;
mod segments;
mod set;
pub mod tree;
mod units;
mod values;

use crate::ccc::{self, Network, Unknown};
use crate::dialect::Dialect;
use crate::finding::{self, Finding};
use crate::qos::Options;
use crate::report::Report;
use crate::rules::{CCC017, QOS013};
use crate::source::{Place, Source};
use lex::Tokens;
pub use problem::{MOST_NESTED, MOST_WORDS, Problem};
use tree::Tree;

/// Most bytes of a text.
pub const MOST_BYTES: usize = 1 << 28;

/// A text that was read.
#[derive(Clone, Debug)]
pub struct Parsed<'a> {
    /// Every byte of it.
    pub tokens: Tokens<'a>,
    /// What it says.
    pub tree: Tree<'a>,
    /// What could not be read; the rest was.
    pub problems: Vec<Problem>,
}

/// Reads `text`, which is in one of the two forms of Junos. What is wrong is said and left out, and
/// reading goes on.
pub fn parse(text: &str, dialect: Dialect) -> Parsed<'_> {
    let read = &text[..text.floor_char_boundary(MOST_BYTES)];
    let tokens = lex::lex(read);
    let (mut tree, mut problems) = match dialect {
        Dialect::JunosSet => set::read(&tokens),
        _ => brace::read(&tokens),
    };
    if read.len() < text.len() {
        let message = format!("more than {MOST_BYTES} bytes of configuration");
        problems.push(Problem::new(0..0, message, "give the parts that matter"));
    }
    groups::expand(&mut tree, &mut problems);
    Parsed {
        tokens,
        tree,
        problems,
    }
}

/// Reads and checks the Junos files among `sources`, all together; gives what nobody understood.
pub(crate) fn check(sources: &[Source], options: &Options, report: &mut Report) -> Vec<Unknown> {
    let mut unknown: Vec<Unknown> = Vec::new();
    for number in report.files_in(&[Dialect::Junos, Dialect::JunosSet]) {
        let source = &sources[number];
        let mut parsed = parse(&source.text, report.files[number].dialect);
        let tree = &parsed.tree;
        let place = |id: tree::Id| Place {
            file: number,
            span: tree.node(id).start as usize..tree.node(id).end as usize,
        };
        let names = names::survey(tree, &place);
        let coverage = schema::survey(tree, &names.idle);
        let stem = source.name.rsplit('/').next().unwrap_or(&source.name);
        let stem = stem.split_once('.').map_or(stem, |(stem, _)| stem);
        let (routers, problems) = read::routers(tree, number, stem);
        unknown.extend(
            coverage
                .unrecognised
                .iter()
                .map(|id| unrecognised(tree, *id, &place)),
        );
        report
            .findings
            .extend(check::names(&names.undefined, &names.defined));
        report.findings.extend(attached::check(tree, &place));
        for router in &routers {
            report.findings.extend(check::policers(router, options));
            report.findings.extend(segments::check(router));
            report.findings.extend(check::datagrams(router));
            report.findings.extend(check::classes(router));
            report.findings.extend(buffers::check(router, options));
            report.findings.extend(check::filters(router));
            report.findings.extend(icmp::check(router));
            report.findings.extend(check::planned(router, options));
            report.findings.extend(units::units(router));
        }
        let file = &mut report.files[number];
        file.recognised = coverage.recognised;
        file.unrecognised = coverage.unrecognised.iter().map(|id| place(*id)).collect();
        let idle = coverage.without_effect.iter().map(|id| place(*id));
        file.without_effect = idle.collect();
        file.defined = names.defined;
        file.undefined = names.undefined;
        file.unused = names.unused;
        parsed.problems.extend(problems);
        let faults = parsed.problems.into_iter().map(|p| p.fault(number));
        file.faults.extend(faults);
        report.routers.extend(routers);
    }
    ccc::order_unknown(&mut unknown);
    let network = Network::new(&report.routers);
    let circuits = ccc::circuits(&network);
    let findings = ccc::check(&network, &circuits, &unknown, options.rate);
    // What is said of a circuit's port is not said again.
    let of_circuits = findings.iter().filter(|f| f.rule == CCC017.id);
    let said: Vec<&Place> = of_circuits.map(finding::place).collect();
    let again = |f: &Finding| f.rule == QOS013.id && said.contains(&finding::place(f));
    report.findings.retain(|f| !again(f));
    report.hops = network.hops;
    report.circuits = circuits;
    report.findings.extend(findings);
    unknown
}

/// A statement nobody understood, by the router it belongs to.
fn unrecognised(tree: &Tree<'_>, id: tree::Id, place: &impl Fn(tree::Id) -> Place) -> Unknown {
    let path = tree.path(id);
    let system = (path.len() > 2 && path[0] == "logical-systems")
        .then(|| tree.at(tree::ROOT, &path[..2]))
        .flatten();
    let skip = if system.is_some() { 2 } else { 0 };
    Unknown {
        place: place(id),
        path: path[skip..].iter().map(|w| (*w).to_owned()).collect(),
        router: place(system.unwrap_or(tree::ROOT)),
    }
}
