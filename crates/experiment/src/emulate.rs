//! The emulation: real hosts in real time, with the scenario's network between them.

use farpath_emu::lab::{Lab, Options};
use farpath_emu::layout::Layout;
use farpath_probe::Results;
use farpath_record::{Certificate, Origin as Name, Record};
use farpath_scenario::plan::address;
use farpath_sim::{nominal_end, sampling};
use farpath_units::{Duration, Time};

use crate::algorithms::{self, Programs};
use crate::lab::{Ground, begin, evidence, polling, swallowed, tell};
use crate::origin::{Findings, Origin, Setting};
use crate::planned::{Hosts, Planned, plan_jobs};
use crate::progress::AtPoint;
use crate::records::records;
use crate::tap::lab::LabCaptures;
use crate::{Fault, Progress, Request};

/// How long the measuring processes are listened to before progress is shown.
const LISTENING: std::time::Duration = std::time::Duration::from_millis(100);

/// How long after its expected end a run is broken off.
const OVERTIME: Duration = Duration::from_secs(120);

/// Runs real hosts.
pub(crate) struct Emulate {
    busy: bool,
    tune_host: bool,
}

impl Emulate {
    /// As busy, and with as much say over the machine, as is asked.
    pub(crate) fn new(request: &Request) -> Emulate {
        Emulate {
            busy: request.busy,
            tune_host: request.tune_host,
        }
    }
}

impl Origin for Emulate {
    fn name(&self) -> Name {
        Name::Emulated
    }

    fn real_time(&self) -> bool {
        true
    }

    fn kernels(&self) -> bool {
        true
    }

    fn run(&self, setting: &Setting<'_>, progress: &mut dyn Progress) -> Result<Findings, Fault> {
        let mut named = AtPoint::new(setting.point, progress);
        point(self, setting, &mut named)
    }
}

/// Runs one point with real hosts.
fn point(
    manner: &Emulate,
    setting: &Setting<'_>,
    progress: &mut dyn Progress,
) -> Result<Findings, Fault> {
    let (scenario, plan, at) = (setting.scenario, setting.plan, setting.point);
    let mut programs = Programs::new(progress)?;
    let algorithms = algorithms::provide(scenario, &mut programs, progress)?;
    let ground = Ground::prepare(scenario, (programs, None), manner.tune_host, progress)?;
    let hosts = Hosts {
        address: &address,
        algorithm: &|test| algorithms.get(&test).cloned(),
        mark: &|host, flow| mark(&ground.layouts, host, flow),
    };
    let planned = plan_jobs(scenario, plan, setting.seed, &hosts);
    for (test, why) in &planned.skipped {
        let name = &scenario.tests[*test].name;
        progress.note(&format!("test `{name}` is not emulated: {why}"));
    }
    let nominal = nominal_end(scenario, plan);
    tell(&ground.layouts, progress);
    let strayed = unmarked(&ground.layouts, &planned);
    let mut faults: Vec<String> = strayed.iter().map(|(_, fault)| fault.clone()).collect();
    let options = Options {
        seed: setting.seed,
        sampling: sampling(nominal, scenario.intervals.into()),
        polling: polling(manner.busy),
        ..Options::default()
    };
    let mut lab = ground.up(scenario, options, progress)?;
    let captures = LabCaptures::begin(&mut lab, scenario, setting.taps)?;
    let results = measure(&mut lab, &planned, nominal, progress)?;
    faults.extend(results.faults.iter().map(|(flow, fault)| {
        let test = flow.map(|f| &scenario.tests[plan.flows[f].test].name);
        let place = test.map_or_else(String::new, |t| format!("test `{t}`: "));
        format!("{place}{fault}")
    }));
    let clock_error = results.largest_clock_error_ns().map(Duration::from_ns);
    let certificate = lab.certificate(clock_error, faults);
    if runs_any(&planned) {
        progress.note(&certificate.line());
        certificate.faults.iter().for_each(|f| progress.note(f));
    }
    let evidence = evidence(&lab);
    let found = records(
        scenario,
        plan,
        (&planned, &results),
        Name::Emulated,
        at,
        &|flow| (strayed.iter().all(|(f, _)| *f != flow)).then(|| evidence.path(flow)),
    );
    let mut links = lab.links();
    links.retain(|_| runs_any(&planned));
    let swallowed = swallowed(&lab);
    swallowed.iter().for_each(|s| progress.note(s));
    let records = complete(setting, &planned, found, (&certificate, &swallowed));
    captures.finish(lab, progress)?;
    ground.restore()?;
    links.iter_mut().for_each(|l| l.point.clone_from(at));
    Ok(Findings {
        records,
        links,
        sequences: Vec::new(),
    })
}

/// Whether a host runs any of the tests.
fn runs_any(planned: &Planned) -> bool {
    !planned.jobs.hosts().is_empty()
}

/// One record for every test, in file order: those `found` with what was `swallowed`, and of each that no host ran why. All
/// have the certificate, unless nothing was run that it could be of.
fn complete(
    setting: &Setting<'_>,
    planned: &Planned,
    found: Vec<Record>,
    (certificate, swallowed): (&Certificate, &[String]),
) -> Vec<Record> {
    let mut records = found;
    for record in &mut records {
        record.notes.extend(swallowed.iter().cloned());
        record.notes.extend(certificate.faults.iter().cloned());
    }
    for (number, why) in &planned.skipped {
        let scenario = setting.scenario;
        let mut record = scenario.record(&scenario.tests[*number], Name::Emulated, setting.point);
        record.notes.push(format!("not run: {why}"));
        record.not_run = Some(why.clone());
        // Those before it are there: numbers come in order.
        records.insert(*number, record);
    }
    if runs_any(planned) {
        for record in &mut records {
            record.valid = certificate.valid;
            record.certificate = Some(certificate.clone());
        }
    }
    records
}

/// The mark of what leaves a host another way than its routes; 0 for the rest.
fn mark(layouts: &[Layout], host: &str, flow: usize) -> u32 {
    let layout = layouts.iter().find(|l| l.spec.name == host);
    let bound = layout.and_then(|l| l.bound.iter().find(|b| b.flow == flow));
    bound.map_or(0, |b| b.mark)
}

/// Says which flows cannot be marked, and so go wrong.
fn unmarked(layouts: &[Layout], planned: &Planned) -> Vec<(usize, String)> {
    let mut faults = Vec::new();
    for layout in layouts {
        let host = &layout.spec.name;
        let job = planned.jobs.hosts().get(host);
        for bound in &layout.bound {
            if !job.is_some_and(|job| job.marks(bound.flow)) {
                let (flow, interface) = (bound.flow, &bound.interface);
                let fault = format!(
                    "flow {flow} of `{host}` is to leave by {interface}, and went where the host's routes go: \
                     the sockets of iperf3 and the kernel's own answers cannot be bound to an interface; \
                     leave out `tool`, or `via`"
                );
                faults.push((flow, fault));
            }
        }
    }
    faults
}

/// Runs the jobs to their end.
fn measure(
    lab: &mut Lab,
    planned: &Planned,
    nominal: Time,
    progress: &mut dyn Progress,
) -> Result<Results, Fault> {
    let hosts = std::mem::take(&mut lab.hosts);
    let (mut conductor, clock) = begin(planned, &hosts)?;
    let mut told = 0;
    let mut late = false;
    let ran = lab.run_beside(clock, |beside| {
        while !beside.is_over() && !late && !progress.interrupted() {
            let now = beside.now();
            let done = (now.as_secs_f64() / nominal.as_secs_f64() * 1000.0) as u64;
            let done = done.clamp(told, 1000);
            progress.advance(done - told);
            told = done;
            late = now > nominal + OVERTIME;
            if conductor.listen(LISTENING) {
                break;
            }
        }
    });
    lab.hosts = hosts;
    progress.advance(1000 - told);
    ran?;
    if progress.interrupted() {
        return Err(Fault::LabInterrupted);
    }
    let mut results = conductor.finish();
    if late {
        let seconds = OVERTIME.as_secs_f64();
        results.faults.push((
            None,
            format!("broken off {seconds} s after its expected end"),
        ));
    }
    Ok(results)
}

#[cfg(test)]
mod tests {
    use farpath_record::Point;
    use farpath_scenario::plan::Plan;
    use farpath_scenario::{Source, parse};

    use super::*;

    const TEXT: &str = r#"[scenario]
name = "s"
[[host]]
name = "a"
[[host]]
name = "b"
[[link]]
name = "l"
ends = ["a", "b"]
rate = "10 Mbit/s"
delay = "5 ms"
[[test]]
name = "ow"
kind = "oneway"
from = "a"
to = "b"
size = 28
[[test]]
name = "rtt"
kind = "ping"
from = "a"
to = "b"
"#;

    /// The records of the scenario's first tests, so many of them, where `found` were run.
    fn records_of(tests: usize, found: &[&str]) -> Vec<Record> {
        let (name, text) = ("s.toml".to_owned(), TEXT.to_owned());
        let mut scenario = parse(&Source { name, text }, &[]).expect("a scenario");
        scenario.tests.truncate(tests);
        let plan = Plan::new(&scenario).expect("a plan");
        let planned = plan_jobs(&scenario, &plan, 1, &Hosts::at(&address));
        let point = Point::new();
        let setting = Setting {
            scenario: &scenario,
            plan: &plan,
            point: &point,
            seed: 1,
            sequence: 0,
            taps: None,
        };
        let found = found.iter();
        let found = found.map(|test| Record::new(Name::Emulated, test, "ping", "a", "b"));
        let certificate = Certificate {
            valid: true,
            ..Certificate::default()
        };
        complete(&setting, &planned, found.collect(), (&certificate, &[]))
    }

    #[test]
    fn a_test_that_no_host_runs_has_a_record_that_says_why() {
        let both = records_of(2, &["rtt"]);
        let names: Vec<&str> = both.iter().map(|r| r.test.as_str()).collect();
        assert_eq!(names, ["ow", "rtt"]);
        let why = "an IP datagram that carries a number and a time has 44 to 65515 bytes in a lab, and `size` is 28";
        assert_eq!(both[0].not_run.as_deref(), Some(why));
        assert_eq!(both[0].notes, [format!("not run: {why}")]);
        assert_eq!(both[1].not_run, None);
        assert!(both.iter().all(|r| r.certificate.is_some()));
        // A run whose hosts ran no test has no certificate.
        let alone = records_of(1, &[]);
        assert_eq!(alone.len(), 1);
        assert!(alone[0].valid && alone[0].certificate.is_none());
    }
}
