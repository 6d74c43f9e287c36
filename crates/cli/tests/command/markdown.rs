//! `--markdown` of what prints tables: the tables are whole, and say what the terminal's do.

use crate::farpath::{farpath, farpath_in, with_small};

/// The tables of a text: each a list of rows of trimmed cells, its rule left out.
#[track_caller]
fn tables(text: &str) -> Vec<Vec<Vec<String>>> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for block in lines.split(|l| !l.starts_with('|')) {
        let mut rows: Vec<Vec<String>> = block.iter().map(|l| cells(l)).collect();
        let Some(width) = rows.first().map(Vec::len) else {
            continue;
        };
        assert!(rows.iter().all(|r| r.len() == width), "{text}");
        let rule = rows.remove(1);
        assert!(rule.iter().all(|c| c == "---" || c == "---:"), "{text}");
        found.push(rows);
    }
    found
}

/// The cells between the bars that stand for themselves.
fn cells(line: &str) -> Vec<String> {
    let line = line.replace("\\|", "\u{1}");
    let inner = line.strip_prefix('|').and_then(|l| l.strip_suffix('|'));
    let cell = |c: &str| c.trim().replace('\u{1}', "|");
    inner.expect("a row").split('|').map(cell).collect()
}

/// The row that begins so.
#[track_caller]
fn row<'a>(table: &'a [Vec<String>], name: &str) -> &'a [String] {
    let found = table.iter().find(|r| r[0] == name);
    found.unwrap_or_else(|| panic!("no {name} in {table:?}"))
}

#[test]
fn a_run_has_its_tables_with_what_was_lost_and_notes() {
    let folder = with_small();
    let at = folder.path();
    let args = ["run", "small.toml", "--repeat", "3", "--markdown"];
    let text = farpath_in(at, &args).exits(0).out;
    let tables = tables(&text);
    let [results, repeats, lost] = &tables[..] else {
        panic!("three tables: {text}")
    };
    assert_eq!(
        results[0],
        [
            "test, metric",
            "stated",
            "predicted",
            "simulated",
            "allowed",
            ""
        ]
    );
    assert_eq!(
        row(results, "rtt\\_avg"),
        [
            "rtt\\_avg",
            "about ten",
            "10.036 ms",
            "10.036 ms",
            "10 to 12 ms",
            "ok"
        ]
    );
    assert!(results.iter().any(|r| r[0].starts_with("**bulk, limited")));
    assert_eq!(
        repeats[0],
        [
            "test, metric",
            "n",
            "min",
            "max",
            "mean",
            "std",
            "± 95 %",
            "cut at"
        ]
    );
    let goodput = row(repeats, "goodput, Mbit/s");
    assert!(goodput[1] == "3" && goodput[2] < goodput[3]);
    assert!(
        text.contains("### small, seed 1\n\n")
            && text.contains("\n\n**Frames lost, medians of 3 repeats**\n\n| "),
        "{text}"
    );
    assert_eq!(lost[0], ["link, direction", "lost", "offered", "how"]);
    // The terminal's own has none of it, and the same figures.
    let plain = farpath_in(at, &args[..4]).exits(0).out;
    assert!(!plain.contains('|') && !plain.contains("**"), "{plain}");
    for cell in &row(repeats, "goodput, Mbit/s")[1..] {
        assert!(plain.contains(cell.as_str()), "{cell} is not in\n{plain}");
    }
}

#[test]
fn a_comparison_has_a_row_for_each_metric() {
    let folder = with_small();
    let at = folder.path();
    for (out, seed) in [("a", "1"), ("b", "9")] {
        let args = ["run", "small.toml", "--repeat", "3", "--out", out];
        farpath_in(at, &[&args[..], &["--seed", seed]].concat()).exits(0);
    }
    let text = farpath_in(at, &["compare", "a", "b", "--markdown"])
        .exits(0)
        .out;
    let tables = tables(&text);
    let [table] = &tables[..] else {
        panic!("one table: {text}")
    };
    assert_eq!(
        table[0],
        ["test, metric", "A", "B", "B − A", "± 95 %", "d", ""]
    );
    row(table, "**bulk: simulated, A × 3, B × 3**");
    let predicted = table
        .iter()
        .position(|r| r[0] == "**bulk: predicted, A, B**");
    let goodput = row(&table[predicted.expect("a heading")..], "goodput, Mbit/s");
    assert_eq!(goodput[1], goodput[2]);
    assert_eq!(goodput[3], "0.00 %");
}

#[test]
fn a_prediction_is_a_table_brief_and_whole() {
    let path = [
        "predict",
        "path",
        "--rtt",
        "100ms",
        "--rate",
        "1Gbit/s",
        "--markdown",
    ];
    let brief = tables(&farpath(&path).exits(0).out);
    assert_eq!(brief[0][0], ["the path", ""]);
    assert_eq!(
        row(&brief[0], "gives"),
        ["gives", "941.48 Mbit/s of payload"]
    );
    let all = tables(&farpath(&[&path[..], &["--all"]].concat()).exits(0).out);
    // 100 ms of 1 Gbit/s.
    assert!(row(&all[0], "bdp\\_bytes")[1].starts_with("12.5"));
    assert!(all[0].len() > 10, "{all:?}");
}

/// Lines of a paragraph are joined where Markdown is read: whose files they are stands in a list.
#[test]
fn a_comparison_names_its_files_one_below_the_other() {
    let folder = with_small();
    let at = folder.path();
    for name in ["one", "two"] {
        farpath_in(at, &["run", "small.toml", "--out", name]).exits(0);
    }
    let text = farpath_in(at, &["compare", "one", "two", "--markdown"]).out;
    assert!(
        text.starts_with("- A: one/records.json\n- B: two/records.json\n\n"),
        "{text}"
    );
    let plain = farpath_in(at, &["compare", "one", "two"]).out;
    assert!(plain.starts_with("A: one/records.json\nB: two"), "{plain}");
}

/// The table's figures of several repeats are their medians, and it says so.
#[test]
fn a_repeated_run_says_what_its_figures_are() {
    let folder = with_small();
    let run = ["run", "small.toml", "--repeat", "3"];
    let text = farpath_in(folder.path(), &run).exits(0).out;
    assert!(text.contains("the table above has their medians"), "{text}");
}
