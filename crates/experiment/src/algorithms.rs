//! Congestion controls that a lab wants and the kernel does not have, and those of `--cc`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use farpath_emu::bpf::{self, Place, Registered, Source};
use farpath_emu::settings::asked;
use farpath_record::Origin as Name;
use farpath_scenario::{Congestion, Scenario, Set};
use farpath_tcp::{Algorithm, Flavour};

use crate::{Fault, Progress};

use crate::origin::{Findings, Origin};

/// What a congestion control begins with that is an object file.
const OBJECT: &str = "bpf:";

/// Programs registered for a lab. The kernel forgets them when this is dropped.
pub struct Programs {
    /// What the kernel has by itself, or had from others.
    available: Vec<String>,
    registered: BTreeMap<String, Registered>,
}

impl Programs {
    /// None yet. What crashed labs have left registered is unregistered.
    pub fn new(progress: &mut dyn Progress) -> Result<Programs, Fault> {
        sweep(progress);
        Ok(Programs {
            available: bpf::available().map_err(Fault::Controls)?,
            registered: BTreeMap::new(),
        })
    }

    /// By what is asked for, the kernel's name.
    pub fn names(&self) -> BTreeMap<String, String> {
        let names = self.registered.iter();
        names
            .map(|(asked, program)| (asked.clone(), program.name().to_owned()))
            .collect()
    }

    /// The kernel's name of what a test asks for, which is registered first if need be.
    pub fn of_test(
        &mut self,
        cc: &Congestion,
        progress: &mut dyn Progress,
    ) -> Result<String, Fault> {
        if let Some(path) = &cc.object {
            return self.register(asked(cc), Source::Object(Path::new(path)), progress);
        }
        let name = cc.algorithm.name();
        if self.has(name) {
            return Ok(name.to_owned());
        }
        if bpf::name(cc.algorithm, cc.flavour).is_none() {
            return Err(self.unknown(name));
        }
        self.register(asked(cc), Source::Ours(cc.algorithm, cc.flavour), progress)
    }

    /// The same of what `--cc` says.
    pub fn of_option(&mut self, text: &str, progress: &mut dyn Progress) -> Result<String, Fault> {
        if text.starts_with(OBJECT) {
            let path = object(text)?;
            let asked = format!("{OBJECT}{}", path.display());
            return self.register(asked, Source::Object(&path), progress);
        }
        if self.has(text) {
            return Ok(text.to_owned());
        }
        match Algorithm::named(text) {
            Some(algorithm) if bpf::name(algorithm, Flavour::Rfc).is_some() => self.register(
                text.to_owned(),
                Source::Ours(algorithm, Flavour::Rfc),
                progress,
            ),
            _ => Err(self.unknown(text)),
        }
    }

    /// Whether the kernel has it, perhaps as a module that it loads now.
    fn has(&mut self, name: &str) -> bool {
        let has = self.available.iter().any(|a| a == name);
        if !has && bpf::load(name) {
            self.available.push(name.to_owned());
            return true;
        }
        has
    }

    fn register(
        &mut self,
        asked: String,
        source: Source<'_>,
        progress: &mut dyn Progress,
    ) -> Result<String, Fault> {
        if let Some(program) = self.registered.get(&asked) {
            return Ok(program.name().to_owned());
        }
        let program = match bpf::register(&Place::default(), source) {
            Ok(program) => program,
            Err(error) => return Err(Fault::Program { asked, error }),
        };
        let name = program.name().to_owned();
        progress.note(&format!(
            "`{asked}` is the BPF program `{name}`, registered with this kernel for the run"
        ));
        self.registered.insert(asked, program);
        Ok(name)
    }

    fn unknown(&self, name: &str) -> Fault {
        Fault::NoControl {
            name: name.to_owned(),
            available: self.available.clone(),
        }
    }
}

/// Unregisters what crashed labs have left. Who may not do that has left nothing either.
pub fn sweep(progress: &mut dyn Progress) {
    match bpf::unregister_stale(&Place::default()) {
        Ok(names) if names.is_empty() => {}
        Ok(names) => progress.note(&format!(
            "unregistered {}, which a killed lab had left with the kernel",
            names.join(", ")
        )),
        Err(e) => progress.note(&format!(
            "BPF programs of killed labs may still be registered: {e}"
        )),
    }
}

/// Registers what the tests of a run ask for; returns the kernel's names of it by test.
pub(crate) fn provide(
    scenario: &Scenario,
    programs: &mut Programs,
    progress: &mut dyn Progress,
) -> Result<BTreeMap<usize, String>, Fault> {
    let mut names = BTreeMap::new();
    for (number, test) in scenario.tests.iter().enumerate() {
        if let Some(tcp) = test.kind.tcp() {
            let name = programs.of_test(&tcp.cc, progress);
            let name = name.map_err(|e| e.at(format!("test `{}`", test.name)))?;
            names.insert(number, name);
        }
    }
    Ok(names)
}

/// Names of congestion controls, as scenarios and `--cc` have them.
pub fn names() -> impl Iterator<Item = &'static str> {
    Algorithm::NAMES.iter().copied()
}

/// What `--cc` comes to: every connection of the scenario asks for it.
pub(crate) fn sets(scenario: &Scenario, cc: &str) -> Result<Vec<Set>, Fault> {
    let mut value = cc.to_owned();
    if cc.starts_with(OBJECT) {
        value = format!("{OBJECT}{}", object(cc)?.display());
    }
    let connected = scenario.tests.iter().filter(|t| t.kind.tcp().is_some());
    let sets: Vec<Set> = connected
        .map(|t| Set::new(format!("test.{}.cc", t.name), &value).of_option("--cc", cc))
        .collect();
    if sets.is_empty() {
        return Err(Fault::NoConnection {
            cc: cc.to_owned(),
            scenario: scenario.name.clone(),
        });
    }
    Ok(sets)
}

/// The file of an option, as an absolute path: it is valid from any folder.
fn object(text: &str) -> Result<PathBuf, Fault> {
    let name = text.strip_prefix(OBJECT).unwrap_or(text);
    let cc = text.to_owned();
    if name.is_empty() {
        return Err(Fault::NoObject { cc });
    }
    std::path::absolute(name).map_err(|error| Fault::ObjectPath { cc, error })
}

/// Says so where only a kernel could run a test.
pub(crate) fn need_no_kernel(scenario: &Scenario) -> Result<(), Fault> {
    let foreign = scenario.tests.iter().find_map(|t| {
        let cc = &t.kind.tcp()?.cc;
        cc.object.is_some().then(|| Fault::KernelOnly {
            test: t.name.clone(),
            asked: asked(cc),
        })
    });
    foreign.map_or(Ok(()), Err)
}

/// Of tests whose congestion control no model knows: takes out what a model said of them, and says so on the rest.
pub(crate) fn leave_out(scenario: &Scenario, origin: &dyn Origin, found: &mut Findings) {
    let foreign = scenario.tests.iter().filter_map(|t| {
        let cc = &t.kind.tcp()?.cc;
        cc.object
            .is_some()
            .then(|| (t.name.as_str(), asked(cc), cc.algorithm.name()))
    });
    let foreign: Vec<_> = foreign.collect();
    if !origin.kernels() {
        let known = |test: &str| !foreign.iter().any(|f| f.0 == test);
        found.records.retain(|r| known(&r.test));
        found.sequences.retain(|s| known(&s.test));
    }
    for (test, asked, stand_in) in foreign {
        for record in &mut found.records {
            if record.test == test {
                record.notes.push(format!(
                    "not modelled: `{asked}` is known to kernels only, it is neither predicted nor simulated"
                ));
            } else if record.origin == Name::Simulated {
                record.notes.push(format!(
                    "beside `{test}`, whose `{asked}` is not modelled: {stand_in} stood in for it"
                ));
            }
        }
    }
}
