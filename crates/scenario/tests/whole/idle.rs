//! Keys that make no difference where they stand are findings, and others are not.

use farpath_scenario::{Document, Source, load, shipped};

fn found(text: &str) -> Vec<String> {
    found_in(&Source {
        name: "x".to_owned(),
        text: text.to_owned(),
    })
}

fn found_in(source: &Source) -> Vec<String> {
    let document = Document::open(source, &[]).expect("it reads");
    let scenario = document.scenario().unwrap_or_else(|e| panic!("{e}"));
    let all = document.without_effect(&scenario);
    let texts = all.render_warnings(false);
    assert_eq!(texts.is_empty(), all.faults.is_empty());
    assert!(all.faults.iter().all(|f| !f.remedies.is_empty()));
    all.faults.into_iter().map(|f| f.title).collect()
}

/// Two hosts, a router and a test, with these keys.
fn with(host: &str, link: &str, test: &str, more: &str) -> String {
    format!(
        "[scenario]\nname = \"x\"\n[[host]]\nname = \"a\"\n{host}\n[[host]]\nname = \"b\"\n[[router]]\nname = \"r\"\n\
         [[link]]\nname = \"in\"\nends = [\"a\", \"r\"]\nrate = \"1 Gbit/s\"\n\
         [[link]]\nname = \"out\"\nends = [\"r\", \"b\"]\nrate = \"1 Gbit/s\"\n{link}\n\
         [[test]]\nname = \"t\"\nkind = \"tcp\"\nfrom = \"a\"\nto = \"b\"\nduration = \"10 s\"\n{test}\n{more}\n"
    )
}

#[test]
fn what_is_in_use_is_not_found() {
    assert_eq!(found(&with("", "", "", "")), Vec::<String>::new());
    let used = with(
        "rmem_max = 1000000\nreceive_ring = 100\nreceive_per_packet = \"1 us\"",
        "jitter = { max = \"1 ms\" }\nreorder = true",
        "socket_buffer = \"1 MB\"\nslow_start = \"hystart\"\nsack = false\nnewreno = true",
        "[[event]]\nat = \"5 s\"\nlink = \"out\"\nloss = 0.1",
    );
    assert_eq!(found(&used), Vec::<String>::new());
}

#[test]
fn keys_without_effect_are_found_where_they_stand() {
    let host = |keys: &str| with(keys, "", "", "");
    let link = |keys: &str| with("", keys, "", "");
    let test = |keys: &str| with("", "", keys, "");
    let more = |keys: &str| with("", "", "", keys);
    for (text, said) in [
        (host("rmem_max = 1000000"), "`rmem_max` has no effect"),
        (
            host("disk_read = \"1 Gbit/s\""),
            "`disk_read` has no effect",
        ),
        (host("receive_ring = 100"), "`receive_ring` has no effect"),
        (
            with(
                "tcp_wmem = \"4096 65536 600000\"",
                "",
                "window = \"1 MB\"",
                "",
            ),
            "`tcp_wmem` has no effect",
        ),
        (link("reorder = true"), "`reorder` has no effect"),
        (
            link("interfaces = [\"e0\", \"e1\"]"),
            "`interfaces` has no effect",
        ),
        (
            link("scheduler = \"drr\"\nclass = [{ name = \"c\", weight = 3 }]"),
            "`weight` has no effect",
        ),
        (
            test("cc = \"bbr\"\nhystart = true"),
            "`hystart` has no effect",
        ),
        (
            test("sack = true\nnewreno = true"),
            "`newreno` has no effect",
        ),
        (test("group = \"g\""), "`group` has no effect"),
        (test("via = \"in\""), "`via` has no effect"),
        (
            more("[[event]]\nat = \"20 s\"\nlink = \"out\"\nloss = 0.1"),
            "every test has ended at 10 s",
        ),
        // Five pings, the last after 4 s, whose answer is waited for 5 s.
        (
            more(
                "[[test]]\nname = \"p\"\nkind = \"ping\"\nfrom = \"a\"\nto = \"b\"\nstart = \"8 s\"\n[[event]]\nat = \"17 s\"\nlink = \"out\"\nloss = 0.1",
            ),
            "every test has ended at 17 s",
        ),
        (
            more(
                "[[host]]\nname = \"c\"\n[[link]]\nname = \"spare\"\nends = [\"r\", \"c\"]\nrate = \"1 Gbit/s\"\n[[event]]\nat = \"1 s\"\nlink = \"spare\"\nloss = 0.1",
            ),
            "this event has no effect: no test crosses its link",
        ),
        (
            more(
                "[[host]]\nname = \"c\"\n[[link]]\nname = \"spare\"\nends = [\"r\", \"c\"]\nrate = \"1 Gbit/s\"",
            ),
            "host `c` takes part in no test",
        ),
    ] {
        let all = found(&text);
        assert!(
            all.iter().any(|t| t.contains(said)),
            "{said}: {all:?}\n{text}"
        );
    }
    let none = "[scenario]\nname = \"x\"\n[[host]]\nname = \"a\"\n";
    assert_eq!(found(none), ["there is no test: nothing is run"]);
}

/// A key that acts at any point of a sweep is in use. One that acts at no point is found once, where it stands.
#[test]
fn of_a_sweep_every_point_counts() {
    let keys = "rmem_max = 1000000\nreceive_ring = 100";
    let swept = "[sweep]\n\"test.t.socket_buffer\" = [\"1 MB\", \"2 MB\"]\n\"link.out.delay\" = [\"1 ms\", \"2 ms\"]";
    let all = found(&with(keys, "", "", swept));
    assert!(
        all.iter()
            .any(|t| t.contains("`receive_ring` has no effect")),
        "{all:?}"
    );
    assert!(!all.iter().any(|t| t.contains("rmem_max")), "{all:?}");
    assert_eq!(all.iter().filter(|t| t.contains("receive_ring")).count(), 1);
    let windows = "[sweep]\n\"test.t.window\" = [\"1 MB\", \"2 MB\"]";
    let all = found(&with(keys, "", "", windows));
    assert!(
        all.iter().any(|t| t.contains("`rmem_max` has no effect")),
        "{all:?}"
    );
}

#[test]
fn every_shipped_scenario_can_be_asked() {
    for shipped in shipped() {
        let all = found_in(&load(&shipped.name).expect("it is shipped"));
        assert!(all.len() < 12, "{}: {all:?}", shipped.name);
    }
}
