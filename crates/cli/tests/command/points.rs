//! What `--set` leaves of a sweep: its captures, its table, and the text that says so.

use crate::farpath::{SMALL, farpath_in, with_small};

/// One point alone is not a sweep: to fix every key is enough for its captures.
#[test]
fn a_sweep_with_every_key_set_writes_captures() {
    let folder = with_small();
    let sweep = SMALL.replace("name = \"rb\"", "name = \"rb\"\ntap = true")
        + "\n[sweep]\n\"link.rb.delay\" = [\"5 ms\", \"5.5 ms\"]\n\"test.bulk.cc\" = [\"reno\", \"cubic\"]\n";
    std::fs::write(folder.path().join("sweep.toml"), sweep).expect("writable");
    let run = |out: &str, sets: &[&str]| {
        let args = ["run", "sweep.toml", "--simulate", "--out", out];
        let ran = farpath_in(folder.path(), &[&args, sets].concat());
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        (folder.path().join(out).join("rb.pcapng").exists(), ran.err)
    };
    let (written, said) = run("all", &["--set", "link.rb.delay=5 ms"]);
    assert!(!written && said.contains("--set each swept key"), "{said}");
    let both = ["--set", "link.rb.delay=5 ms", "--set", "test.bulk.cc=reno"];
    assert!(run("one", &both).0);
}

/// Of a transfer of so many bytes the time it took is the answer, and the table did not have it.
#[test]
fn the_table_has_the_completion_of_what_has_bytes() {
    let folder = with_small();
    let table = |args: &[&str]| {
        let all = [&["run", "small.toml", "--simulate"], args].concat();
        farpath_in(folder.path(), &all).out
    };
    let bytes = table(&["--set", "test.bulk.bytes=1 MB"]);
    assert!(bytes.contains("completion"), "{bytes}");
    assert!(!table(&[]).contains("completion"));
}

/// The folder of a run is run again with the same digest and the same records, whatever was set.
#[test]
fn the_folder_of_a_run_is_the_run() {
    let folder = with_small();
    let sweep = format!(
        "{SMALL}\n[sweep]\n\"link.rb.delay\" = [\"5 ms\", \"5.5 ms\"]\n\"test.bulk.cc\" = [\"reno\", \"cubic\"]\n"
    );
    std::fs::write(folder.path().join("small.toml"), sweep).expect("writable");
    let first = [
        "run",
        "small.toml",
        "--simulate",
        "--out",
        "q",
        "--seed",
        "99",
        "--set",
        "link.rb.delay=5 ms",
        "--set",
        "link.rb.loss=1e-2",
    ];
    farpath_in(folder.path(), &first);
    farpath_in(
        folder.path(),
        &[
            "run",
            "q/scenario.resolved.toml",
            "--simulate",
            "--out",
            "r",
        ],
    );
    let read = |file: &str| std::fs::read_to_string(folder.path().join(file)).expect("written");
    for file in ["records.json", "series.csv", "scenario.resolved.toml"] {
        assert_eq!(
            read(&format!("q/{file}")),
            read(&format!("r/{file}")),
            "{file}"
        );
    }
    assert!(read("q/records.json").contains("\"seed\": 99"));
}
