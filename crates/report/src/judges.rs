//! Who judges a run: the scenario by its own expectations, and each file of `--expect`.

use farpath_record::{Expectation, RunDocument, count_of};

/// The expectations of each who judges: the scenario's own first, then those of each file.
pub(crate) fn of<'a>(all: &[&'a Expectation]) -> Vec<(Option<&'a str>, Vec<&'a Expectation>)> {
    let mut judges: Vec<(Option<&str>, Vec<&Expectation>)> = Vec::new();
    for e in all.iter().copied() {
        let file = e.file.as_deref();
        match judges.iter_mut().find(|(judge, _)| *judge == file) {
            Some((_, its)) => its.push(e),
            None => judges.push((file, vec![e])),
        }
    }
    judges
}

/// A file without its folders.
pub(crate) fn short(file: &str) -> &str {
    file.rsplit('/').next().unwrap_or(file)
}

/// A judge's verdict of these: one word for what was found, another for what was not answered.
pub(crate) fn verdict(its: &[&Expectation]) -> &'static str {
    let outside = |e: &&Expectation| !(e.pass || e.is_inside() && e.unstated.is_some());
    let outside = its.iter().any(outside);
    match (outside, its.iter().any(|e| e.unstated.is_some())) {
        (false, false) => "ok",
        (true, false) => "FAIL",
        (false, true) => "not stated",
        (true, true) => "FAIL and not stated",
    }
}

/// How many figures are judged and how many hold, an expectation of two origins at three points being six; of each who judges, where files do, too.
pub(crate) fn counted(run: &RunDocument) -> String {
    let words = |all: &[&Expectation]| {
        let ok = all.iter().filter(|e| e.pass).count();
        format!("{ok} ok, {} failed", all.len() - ok)
    };
    let all: Vec<&Expectation> = run.expectations.iter().collect();
    let judged = count_of(all.len() as u64, "figure", "figures");
    let mut text = format!("\n{judged} judged: {}\n", words(&all));
    let judges = of(&all);
    if judges.iter().any(|(file, _)| file.is_some()) {
        for (file, its) in &judges {
            let whose = file.unwrap_or("the scenario's own");
            text += &format!("- {whose}: {}\n", words(its));
        }
    }
    text
}
