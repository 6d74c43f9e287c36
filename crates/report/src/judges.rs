//! Who judges a run: the scenario by its own expectations, and each file of `--expect`.

use std::collections::BTreeMap;

use farpath_record::{Expectation, RunDocument, count_of};

/// One question of a file: an `[[expect]]` of it, judged in a case for each point and origin.
struct Question<'a> {
    metric: &'a str,
    /// Cases that hold.
    held: usize,
    cases: usize,
}

/// A file's questions by their numbers; none where they have no numbers, as in documents of earlier versions.
fn questions<'a>(its: &[&'a Expectation]) -> BTreeMap<u32, Question<'a>> {
    let mut all = BTreeMap::new();
    for e in its {
        let Some(number) = e.question else { continue };
        let one = all.entry(number).or_insert(Question {
            metric: &e.metric,
            held: 0,
            cases: 0,
        });
        one.cases += 1;
        one.held += usize::from(e.pass);
    }
    all
}

/// How many of these questions hold: those all of whose cases do.
fn right(questions: &BTreeMap<u32, Question<'_>>) -> usize {
    let all_hold = |q: &&Question<'_>| q.held == q.cases;
    questions.values().filter(all_hold).count()
}

/// How many questions of the files of `--expect` hold, and how many there are; nothing without any.
pub(crate) fn marks(run: &RunDocument) -> Option<[usize; 2]> {
    let all: Vec<&Expectation> = run.expectations.iter().collect();
    let judges = of(&all).into_iter();
    let files = judges.map(|(_, its)| questions(&its));
    let [held, asked] = files.fold([0, 0], |[held, asked], file| {
        [held + right(&file), asked + file.len()]
    });
    (asked > 0).then_some([held, asked])
}

/// The marks of a file: how many of its questions hold, and of how many cases each; nothing where they have no numbers.
fn marked(its: &[&Expectation]) -> (String, String) {
    let questions = questions(its);
    if questions.is_empty() {
        return Default::default();
    }
    let line = |(number, q): (&u32, &Question<'_>)| {
        format!(
            "  - question {number}, {}: {} of {} cases hold\n",
            q.metric, q.held, q.cases
        )
    };
    (
        format!(
            "; questions that hold: {} of {}",
            right(&questions),
            questions.len()
        ),
        questions.iter().map(line).collect(),
    )
}

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

/// How many figures are judged and how many hold, an expectation of two origins at three points being six; of each who judges, where files do, too,
/// and then by questions.
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
            let (marks, lines) = marked(its);
            text += &format!("- {whose}: {}{marks}\n{lines}", words(its));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use farpath_record::Origin;

    fn case(question: u32, pass: bool) -> Expectation {
        Expectation {
            actual: Some(1.0),
            file: Some("marks.toml".to_owned()),
            question: Some(question),
            pass,
            ..Expectation::new(Origin::Simulated, "t.goodput_bps")
        }
    }

    /// A question without `at` in a sweep of 24 points had 24 marks of 26.
    #[test]
    fn a_question_is_one_mark_at_however_many_points() {
        let mut run = RunDocument::new("s", 1, String::new());
        run.expectations = (0..24).map(|point| case(1, point > 0)).collect();
        run.expectations.extend([case(2, true), case(3, true)]);
        assert_eq!(marks(&run), Some([2, 3]));
        let text = counted(&run);
        for line in [
            "\n26 figures judged: 25 ok, 1 failed\n",
            "\n- marks.toml: 25 ok, 1 failed; questions that hold: 2 of 3\n",
            "\n  - question 1, t.goodput_bps: 23 of 24 cases hold\n",
            "\n  - question 3, t.goodput_bps: 1 of 1 cases hold\n",
        ] {
            assert!(text.contains(line), "{text}");
        }
        // The scenario's own, and those of earlier versions, have no number.
        run.expectations.iter_mut().for_each(|e| e.question = None);
        assert_eq!(marks(&run), None);
        assert!(counted(&run).ends_with("- marks.toml: 25 ok, 1 failed\n"));
    }
}
