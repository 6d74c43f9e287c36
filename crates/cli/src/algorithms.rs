//! Congestion controls that a lab wants and the kernel does not have, and those of `--cc`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use farpath_emu::bpf::{self, Place, Registered, Source};
use farpath_emu::settings::asked;
use farpath_record::Origin;
use farpath_scenario::{Congestion, Scenario, Set};
use farpath_tcp::{Algorithm, Flavour};

use crate::exit::{Failure, note};
use crate::simulate::Point;

/// What a congestion control begins with that is an object file.
const OBJECT: &str = "bpf:";

/// Programs registered for a lab. The kernel forgets them when this is dropped.
pub(crate) struct Programs {
    /// What the kernel has by itself, or had from others.
    available: Vec<String>,
    registered: BTreeMap<String, Registered>,
}

impl Programs {
    /// None yet. What crashed labs have left registered is unregistered.
    pub(crate) fn new() -> Result<Programs, Failure> {
        sweep();
        Ok(Programs {
            available: bpf::available().map_err(|e| Failure::environment(e.to_string()))?,
            registered: BTreeMap::new(),
        })
    }

    /// By what is asked for, the kernel's name.
    pub(crate) fn names(&self) -> BTreeMap<String, String> {
        let names = self.registered.iter();
        names
            .map(|(asked, program)| (asked.clone(), program.name().to_owned()))
            .collect()
    }

    /// The kernel's name of what a test asks for, which is registered first if need be.
    pub(crate) fn of_test(&mut self, cc: &Congestion) -> Result<String, Failure> {
        if let Some(path) = &cc.object {
            return self.register(asked(cc), Source::Object(Path::new(path)));
        }
        let name = cc.algorithm.name();
        if self.available.iter().any(|a| a == name) {
            return Ok(name.to_owned());
        }
        if bpf::name(cc.algorithm, cc.flavour).is_none() {
            return Err(self.unknown(name));
        }
        self.register(asked(cc), Source::Ours(cc.algorithm, cc.flavour))
    }

    /// The same of what `--cc` says.
    pub(crate) fn of_option(&mut self, text: &str) -> Result<String, Failure> {
        if text.starts_with(OBJECT) {
            let path = object(text)?;
            let asked = format!("{OBJECT}{}", path.display());
            return self.register(asked, Source::Object(&path));
        }
        if self.available.iter().any(|a| a == text) {
            return Ok(text.to_owned());
        }
        match Algorithm::named(text) {
            Some(algorithm) if bpf::name(algorithm, Flavour::Rfc).is_some() => {
                self.register(text.to_owned(), Source::Ours(algorithm, Flavour::Rfc))
            }
            _ => Err(self.unknown(text)),
        }
    }

    fn register(&mut self, asked: String, source: Source<'_>) -> Result<String, Failure> {
        if let Some(program) = self.registered.get(&asked) {
            return Ok(program.name().to_owned());
        }
        let program = bpf::register(&Place::default(), source)
            .map_err(|e| Failure::environment(format!("`{asked}`: {e}")))?;
        let name = program.name().to_owned();
        note(&format!(
            "`{asked}` is the BPF program `{name}`, registered with this kernel for the run"
        ));
        self.registered.insert(asked, program);
        Ok(name)
    }

    fn unknown(&self, name: &str) -> Failure {
        Failure::environment(format!(
            "this kernel has no congestion control `{name}`, and there is no BPF program for it"
        ))
        .hint(format!(
            "it has {}; highspeed, scalable and htcp come as BPF programs; bpf:FILE.o is one of your own",
            self.available.join(", ")
        ))
    }
}

/// Unregisters what crashed labs have left. Who may not do that has left nothing either.
pub(crate) fn sweep() {
    match bpf::unregister_stale(&Place::default()) {
        Ok(names) if names.is_empty() => {}
        Ok(names) => note(&format!(
            "unregistered {}, which a killed lab had left with the kernel",
            names.join(", ")
        )),
        Err(e) => note(&format!(
            "BPF programs of killed labs may still be registered: {e}"
        )),
    }
}

/// Registers what the tests of a run ask for; returns the kernel's names of it by test.
pub(crate) fn provide(
    scenario: &Scenario,
    programs: &mut Programs,
) -> Result<BTreeMap<usize, String>, Failure> {
    let mut names = BTreeMap::new();
    for (number, test) in scenario.tests.iter().enumerate() {
        if let Some(tcp) = test.kind.tcp() {
            let name = programs.of_test(&tcp.cc);
            let name = name.map_err(|e| e.within(&format!("test `{}`", test.name)))?;
            names.insert(number, name);
        }
    }
    Ok(names)
}

/// Object files of a scenario lie in its folder.
pub(crate) fn find_objects(scenario: &mut Scenario, source: &str) {
    let folder = Path::new(source).parent().unwrap_or(Path::new(""));
    let tests = scenario.tests.iter_mut();
    for tcp in tests.filter_map(|t| t.kind.tcp_mut()) {
        if let Some(object) = &mut tcp.cc.object {
            *object = folder.join(&*object).display().to_string();
        }
    }
}

/// What `--cc` comes to: every connection of the scenario asks for it.
pub(crate) fn sets(scenario: &Scenario, cc: &str) -> Result<Vec<Set>, Failure> {
    let mut value = cc.to_owned();
    if cc.starts_with(OBJECT) {
        value = format!("{OBJECT}{}", object(cc)?.display());
    }
    let connected = scenario.tests.iter().filter(|t| t.kind.tcp().is_some());
    let sets: Vec<Set> = connected
        .map(|t| Set::new(format!("test.{}.cc", t.name), &value))
        .collect();
    if sets.is_empty() {
        let name = &scenario.name;
        return Err(Failure::usage(format!(
            "--cc {cc}: no test of `{name}` has a TCP connection"
        )));
    }
    Ok(sets)
}

/// The file of an option, wherever it is looked at from.
fn object(text: &str) -> Result<PathBuf, Failure> {
    let name = text.strip_prefix(OBJECT).unwrap_or(text);
    if name.is_empty() {
        return Err(
            Failure::usage(format!("--cc {text}: no file is named")).hint("write --cc bpf:my.o")
        );
    }
    std::path::absolute(name).map_err(|e| Failure::usage(format!("--cc {text}: {e}")))
}

/// Says so where only a kernel could run a test.
pub(crate) fn need_no_kernel(scenario: &Scenario) -> Result<(), Failure> {
    let foreign = scenario.tests.iter().find_map(|t| {
        let cc = &t.kind.tcp()?.cc;
        cc.object.is_some().then(|| (&t.name, asked(cc)))
    });
    let Some((test, asked)) = foreign else {
        return Ok(());
    };
    Err(Failure::usage(format!(
        "test `{test}`: `{asked}` is known to kernels only, and is neither predicted nor simulated"
    ))
    .hint("add --emulate"))
}

/// Takes out of a point what models said of tests whose congestion control no model knows, and says so
/// on the rest.
pub(crate) fn leave_out(scenario: &Scenario, point: &mut Point) {
    let foreign = scenario.tests.iter().filter_map(|t| {
        let cc = &t.kind.tcp()?.cc;
        cc.object
            .is_some()
            .then(|| (t.name.clone(), asked(cc), cc.algorithm.name()))
    });
    let foreign: Vec<_> = foreign.collect();
    let known = |test: &str| !foreign.iter().any(|f| f.0 == test);
    point
        .records
        .retain(|r| r.origin == Origin::Emulated || known(&r.test));
    point.sequences.retain(|s| known(&s.test));
    for (test, asked, stand_in) in foreign {
        for record in &mut point.records {
            match (record.test == test, record.origin) {
                (true, _) => record.notes.push(format!(
                    "not modelled: `{asked}` is known to kernels only, it is neither predicted nor simulated"
                )),
                (false, Origin::Simulated) => record.notes.push(format!(
                    "beside `{test}`, whose `{asked}` is not modelled: {stand_in} stood in for it"
                )),
                (false, _) => {}
            }
        }
    }
}
