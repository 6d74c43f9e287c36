//! A report as one JSON document, `farpath.config/1`.

use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use crate::ccc::{Chain, Circuit, End, Hop, Port};
use crate::finding::{Finding, Role, doubts, location, place};
use crate::platform::Platform;
use crate::report::{Fault, FileReport, Report, Structure};
use crate::rules::rule;
use crate::source::{Lines, Place, Source};

/// The document as text; `docs/reference/config.md` says what it holds.
pub fn document(report: &Report, sources: &[Source]) -> String {
    document_with_path(report, sources, &Value::Null)
}

/// The document as text, with the path that its files make.
pub fn document_with_path(report: &Report, sources: &[Source], path: &Value) -> String {
    let lines = sources.iter().map(Lines::of).collect();
    let writer = Writer {
        report,
        lines,
        path,
    };
    serde_json::to_string_pretty(&writer).expect("its keys are texts, and nothing in it can fail")
}

struct Writer<'s> {
    report: &'s Report,
    lines: Vec<Lines<'s>>,
    path: &'s Value,
}

/// Lists are written as they are walked: a large network has a hundred thousand findings.
impl Serialize for Writer<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap;
        let report = self.report;
        let mut map = to.serialize_map(Some(6))?;
        map.serialize_entry("schema", "farpath.config/1")?;
        map.serialize_entry("files", &List(&report.files, |f| self.file(f)))?;
        map.serialize_entry("findings", &List(&report.findings, |f| self.finding(f)))?;
        map.serialize_entry("circuits", &List(&report.circuits, |c| self.circuit(c)))?;
        map.serialize_entry("path", self.path)?;
        map.serialize_entry("coverage", &coverage(report))?;
        map.end()
    }
}

/// A list, and what is written of each.
struct List<'a, T, F>(&'a [T], F);

impl<'a, T, U: Serialize, F: Fn(&'a T) -> U> Serialize for List<'a, T, F> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.0.iter().map(&self.1))
    }
}

#[derive(Serialize)]
struct At<'a> {
    file: &'a str,
    line: usize,
    column: usize,
}

#[derive(Serialize)]
struct Related<'a> {
    place: At<'a>,
    message: &'a str,
}

/// A finding, and what its keys were called before it became one type with others.
#[derive(Serialize)]
struct Found<'a> {
    id: &'a str,
    name: &'a str,
    message: &'a str,
    explanation: &'a str,
    place: At<'a>,
    related: Vec<Related<'a>>,
    uncertain: Vec<At<'a>>,
    #[serde(flatten)]
    finding: farpath_record::Finding,
}

fn coverage(report: &Report) -> Value {
    let recognised: usize = report.files.iter().map(|f| f.recognised).sum();
    let unrecognised: usize = report.files.iter().map(|f| f.unrecognised.len()).sum();
    json!({"recognised": recognised, "unrecognised": unrecognised})
}

impl Writer<'_> {
    fn place(&self, place: &Place) -> At<'_> {
        let (line, column) = self.lines[place.file].line_and_column(place.span.start);
        let file = &self.report.files[place.file].name;
        At { file, line, column }
    }

    fn places<'p>(&self, places: impl IntoIterator<Item = &'p Place>) -> Vec<At<'_>> {
        places.into_iter().map(|p| self.place(p)).collect()
    }

    fn file(&self, file: &FileReport) -> Value {
        json!({
            "name": file.name,
            "dialect": file.language(),
            "platform": file.platform.map(Platform::name),
            "status": file.status().name(),
            "recognised": file.recognised,
            "unrecognised": self.places(&file.unrecognised),
            "without_effect": self.places(&file.without_effect),
            "faults": file.faults.iter().map(|f| self.fault(f)).collect::<Vec<_>>(),
            "defined": self.structures(&file.defined),
            "undefined": self.structures(&file.undefined),
            "unused": self.structures(&file.unused),
        })
    }

    fn structures(&self, all: &[Structure]) -> Vec<Value> {
        let one =
            |s: &Structure| json!({"kind": s.kind, "name": s.name, "place": self.place(&s.place)});
        all.iter().map(one).collect()
    }

    fn fault(&self, fault: &Fault) -> Value {
        json!({"message": fault.message, "remedy": fault.remedy, "place": self.place(&fault.place)})
    }

    fn finding<'a>(&'a self, finding: &'a Finding) -> Found<'a> {
        let related = finding.with(Role::Related).map(|e| Related {
            place: self.place(&e.place),
            message: &e.note,
        });
        let rule = rule(&finding.rule);
        Found {
            id: rule.id,
            name: rule.title,
            message: &finding.text,
            explanation: rule.explanation,
            place: self.place(place(finding)),
            related: related.collect(),
            uncertain: self.places(doubts(finding)),
            finding: finding.located(|p| {
                let name = &self.report.files[p.file].name;
                location(p, name, &self.lines[p.file])
            }),
        }
    }

    fn router(&self, number: usize) -> &str {
        &self.report.routers[number].name
    }

    fn port(&self, port: &Port) -> Value {
        json!({"router": self.router(port.router), "interface": port.interface})
    }

    fn hop(&self, hop: &Hop) -> Value {
        json!({"from": self.port(&hop.from), "to": self.port(&hop.to)})
    }

    fn chain(&self, chain: &Chain) -> Value {
        let (router, connection) = chain.start;
        let crossing = |c: &crate::ccc::Crossing| {
            json!({
                "from": self.router(c.from),
                "to": self.router(c.to),
                "lsp": c.lsp,
                "hops": c.hops.iter().map(|h| self.hop(h)).collect::<Vec<_>>(),
                "taken_by": c.taken_by,
            })
        };
        json!({
            "start": self.end(router, connection),
            "crossings": chain.crossings.iter().map(crossing).collect::<Vec<_>>(),
            "end": match chain.end {
                End::At { router, connection } => self.end(router, connection),
                _ => Value::Null,
            },
        })
    }

    fn end(&self, router: usize, connection: usize) -> Value {
        let router = &self.report.routers[router];
        let connection = &router.connections[connection];
        let interface = connection.interfaces().first().map(|i| i.value.clone());
        json!({"router": router.name, "connection": connection.name, "interface": interface})
    }

    fn circuit(&self, circuit: &Circuit) -> Value {
        let load = |l: &crate::ccc::Load| json!({"hop": self.hop(&l.hop), "forward": l.forward, "reverse": l.reverse});
        json!({
            "name": circuit.name,
            "complete": circuit.complete,
            "forward": self.chain(&circuit.forward),
            "reverse": circuit.reverse.as_ref().map(|r| self.chain(r)),
            "loads": circuit.loads.iter().map(load).collect::<Vec<_>>(),
            "one_way_divisor": circuit.one_way(),
            "one_way_back_divisor": circuit.one_way_back(),
            "both_ways_divisor": circuit.both_ways(),
            "round_trip_crossings": circuit.crossings(),
        })
    }
}
