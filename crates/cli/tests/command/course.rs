//! The course: its commands work, and every solution's expectations hold.

use std::path::Path;

use crate::documents::{commands, type_in};
use crate::farpath::farpath_in;

const PAGES: [(&str, &str); 9] = [
    ("README", include_str!("../../../../docs/course/README.md")),
    (
        "cern-snaky",
        include_str!("../../../../docs/course/cern-snaky.md"),
    ),
    (
        "wan-2003",
        include_str!("../../../../docs/course/wan-2003.md"),
    ),
    (
        "infn-lbe",
        include_str!("../../../../docs/course/infn-lbe.md"),
    ),
    (
        "slac-binp",
        include_str!("../../../../docs/course/slac-binp.md"),
    ),
    (
        "lbnl-oc12",
        include_str!("../../../../docs/course/lbnl-oc12.md"),
    ),
    (
        "bufferbloat",
        include_str!("../../../../docs/course/bufferbloat.md"),
    ),
    (
        "slow-start",
        include_str!("../../../../docs/course/slow-start.md"),
    ),
    (
        "policer-and-shaper",
        include_str!("../../../../docs/course/policer-and-shaper.md"),
    ),
];

/// What the exercises of a page are solved by, as its blocks of commands say it: `COMMAND   # exercises 1 and 2`, or
/// `COMMAND   # exercise 3: METRIC, METRIC`.
struct Solution {
    command: String,
    exercises: Vec<u32>,
    metrics: Vec<String>,
}

fn solutions(page: &str) -> Vec<Solution> {
    let lines = page.lines().filter(|l| l.starts_with("farpath run "));
    let said = lines.filter_map(|l| l.split_once(" # exercise"));
    said.map(|(command, what)| {
        let (numbers, metrics) = what.split_once(": ").unwrap_or((what, ""));
        let numbers = numbers.split(|c: char| !c.is_ascii_digit());
        let metrics = metrics.split(", ").filter(|m| !m.is_empty());
        Solution {
            command: command.trim().to_owned(),
            exercises: numbers.filter_map(|n| n.parse().ok()).collect(),
            metrics: metrics.map(str::to_owned).collect(),
        }
    })
    .collect()
}

/// The numbers of a page's exercises.
fn exercises(page: &str) -> Vec<u32> {
    let (_, list) = page.split_once("## Exercises").unwrap_or_default();
    let numbers = list.lines().filter_map(|l| l.split_once(". "));
    numbers.filter_map(|(n, _)| n.parse().ok()).collect()
}

#[test]
fn every_command_of_the_course_works() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    // What they write stays out of the checkout.
    let folder = tempfile::tempdir().expect("a folder");
    std::os::unix::fs::symlink(root.join("docs"), folder.path().join("docs")).expect("a link");
    for (name, page) in PAGES {
        let solved = solutions(page);
        for line in commands("", page) {
            if solved.iter().any(|s| s.command == line) {
                continue;
            }
            // `make scenarios` runs the shipped ones whole.
            let of = line.strip_prefix("farpath run ");
            let typed = match of.filter(|of| !of.starts_with("docs/")) {
                Some(_) => format!("{line} --predict"),
                None => line,
            };
            type_in(folder.path(), &typed)
                .unwrap_or_else(|said| panic!("{name}: `{typed}` failed: {said}"));
        }
    }
}

/// The example of marks is of the lesson beside it: it was of a test that is not there.
#[test]
fn the_example_of_marks_fits_the_lesson() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (_, page) = PAGES[0];
    let (_, block) = page.split_once("```toml\n").expect("marks");
    let (marks, _) = block.split_once("```").expect("an end");
    let marks = marks.replace("\n  ", "\n");
    let lesson = std::fs::read_to_string(root.join("docs/course/lesson.toml")).expect("there");
    let answer: Vec<&str> = marks
        .lines()
        .filter(|l| !l.starts_with("stated_within"))
        .collect();
    let answered = format!("{lesson}\n{}\n", answer.join("\n"));
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in [
        ("marks", &marks),
        ("lesson", &lesson),
        ("answered", &answered),
    ] {
        std::fs::write(folder.path().join(format!("{name}.toml")), text).expect("writable");
    }
    for (name, code) in [("lesson", 1), ("answered", 0)] {
        let file = format!("{name}.toml");
        let point = ["test.bulk.window=512 KiB", "link.path.delay=50 ms"];
        let args = [
            "run",
            &file,
            "--expect",
            "marks.toml",
            "--set",
            point[0],
            "--set",
            point[1],
        ];
        // A point of the sweep leaves out expectations, and a note says so.
        let ran = farpath_in(folder.path(), &args);
        assert_eq!(ran.code, Some(code), "{}{}", ran.out, ran.err);
        assert_eq!(ran.out.contains("not stated"), code == 1, "{}", ran.out);
    }
}

/// The loop of the guide has a line for each file, whatever is in it.
#[test]
fn a_folder_of_hand_ins_is_marked_in_one_table() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("writable");
    };
    std::fs::create_dir(folder.path().join("in")).expect("writable");
    let small = crate::farpath::SMALL;
    write("in/anna.toml", small);
    write("in/ben.toml", &small.replace("\"5 ms\"", "\"50 ms\""));
    write("in/carl.toml", "oops\n");
    // Of a forecast and of what was simulated: one question, two cases.
    let marks = "[[expect]]\nmetric = \"ping.rtt_avg_ns\"\nmax = \"12 ms\"\n";
    write("marks.toml", marks);
    let binary = Path::new(env!("CARGO_BIN_EXE_farpath"));
    let beside = binary.parent().expect("a folder").display();
    let path = std::env::var("PATH").unwrap_or_default();
    let ran = std::process::Command::new("sh")
        .arg(root.join("docs/course/mark.sh"))
        .args(["marks.toml", "in"])
        .current_dir(folder.path())
        .env("PATH", format!("{beside}:{path}"))
        .output()
        .expect("there is a shell");
    let table = String::from_utf8(ran.stdout).expect("UTF-8");
    let rows: Vec<Vec<&str>> = table
        .lines()
        .map(|line| line.split_whitespace().take(3).collect())
        .collect();
    let wanted = [
        ["name", "marks", "cases"],
        ["anna", "1/1", "2/2"],
        ["ben", "0/1", "0/2"],
        ["carl", "none", "none"],
    ];
    assert_eq!(rows, wanted, "{table}");
}

/// A time or a rate as it is printed.
#[derive(Debug)]
struct Figure {
    value: f64,
    decimals: i32,
    unit: String,
}

impl Figure {
    /// Two words such as `44.9` and `ms`; none where they are something else.
    fn of(number: &str, unit: &str) -> Option<Figure> {
        let is_one = matches!(unit, "ms" | "s" | "kbit/s" | "Mbit/s" | "Gbit/s");
        let decimals = number.split_once('.').map_or(0, |(_, d)| d.len());
        let value = number.parse().ok().filter(|_| is_one)?;
        Some(Figure {
            value,
            decimals: i32::try_from(decimals).ok()?,
            unit: unit.to_owned(),
        })
    }

    /// Whether it is what `printed` rounds to.
    fn stands_for(&self, printed: &Figure) -> bool {
        let half = 0.5 * 10f64.powi(-self.decimals);
        self.unit == printed.unit && (self.value - printed.value).abs() <= half * 1.001
    }
}

/// All times and rates of a printed text.
fn figures(text: &str) -> Vec<Figure> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let pairs = words.windows(2);
    pairs
        .filter_map(|pair| Figure::of(pair[0], pair[1]))
        .collect()
}

/// The cells of a page's tables that are a time or a rate, each with its row.
fn cells(page: &str) -> Vec<(&str, Figure)> {
    let rows = page.lines().filter(|line| line.starts_with('|'));
    let cells = rows.flat_map(|row| row.split('|').map(move |cell| (row, cell.trim())));
    let figure = |(row, cell): (_, &str)| {
        let (number, unit) = cell.split_once(' ')?;
        Some((row, Figure::of(number, unit)?))
    };
    cells.filter_map(figure).collect()
}

/// The solution of an exercise is an expectation that holds, with the reason beside it: in a scenario beside the page, or
/// in a shipped one that says which. What the tables of the page say comes of the same runs.
#[test]
fn the_solution_of_every_exercise_is_an_expectation() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (name, page) in PAGES.into_iter().skip(1) {
        let solved = solutions(page);
        assert!(!solved.is_empty(), "{name}");
        let mut numbers: Vec<u32> = solved.iter().flat_map(|s| s.exercises.clone()).collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers, exercises(page), "{name}");
        let mut all = String::new();
        for solution in solved {
            let printed = type_in(&root, &solution.command)
                .unwrap_or_else(|said| panic!("{name}: `{}`: {said}", solution.command));
            assert!(printed.contains(" ok, 0 failed"), "{name}: {printed}");
            all += &printed;
            let what = solution.command.trim_start_matches("farpath run ");
            let file = match what.strip_suffix(".toml") {
                Some(_) => root.join(what),
                None => root.join("scenarios").join(format!("{what}.toml")),
            };
            let text = std::fs::read_to_string(&file).expect("the scenario is there");
            for metric in &solution.metrics {
                let judged = format!("\nmetric = \"{metric}\"\n");
                assert!(text.contains(&judged), "{name}: {what}: {metric}");
            }
            for number in solution.exercises {
                let why = printed.contains(&format!("Exercise {number}: "));
                assert!(
                    why || !solution.metrics.is_empty(),
                    "{name}: {what}: {number}"
                );
            }
        }
        let given = figures(&all);
        for (row, cell) in cells(page) {
            let is_given = given.iter().any(|g| cell.stands_for(g));
            assert!(
                is_given,
                "{name}: {cell:?} in `{row}` is in no run of the page"
            );
        }
    }
}
