//! `farpath conformance`: verdicts, exit codes, documents.

use std::fs;

use crate::farpath::farpath_in;

const HEAD: &str = "`sysctl -q net.ipv4.tcp_timestamps=0`\n0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n\
    +0 bind(3, ..., ...) = 0\n+0 listen(3, 1) = 0\n+.1 < S 0:0(0) win 65535 <mss 1000,sackOK>\n";

/// A folder with a script that passes, one that differs, one that is unsupported.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let below = folder.path().join("below");
    fs::create_dir(&below).expect("a folder");
    let script = |name: &str, text: &str| fs::write(below.join(name), text).expect("it is written");
    script(
        "a-pass.pkt",
        &format!("{HEAD}+0 > S. 0:0(0) ack 1 <mss 1460,nop,nop,sackOK>\n"),
    );
    script(
        "b-differs.pkt",
        &format!("{HEAD}+0 > S. 0:0(0) ack 2 <...>\n"),
    );
    script("c-unsupported.pkt", "`reboot`\n");
    script("not-a-script.txt", "hello");
    folder
}

#[test]
fn verdicts_are_counted_and_the_first_difference_shown() {
    let folder = folder();
    let output = farpath_in(
        folder.path(),
        &["conformance", "below", "--junit", "cases.xml"],
    );
    assert_eq!(output.code, Some(1));
    let text = output.out;

    assert!(
        text.contains("below/b-differs.pkt:6: differs (acknowledgement)"),
        "{text}"
    );
    assert!(text.contains("expected  > S. 0:0(0) ack 2 <...>"), "{text}");
    assert!(
        text.contains("got       > S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK> at 0.100000 s"),
        "{text}"
    );
    assert!(
        text.contains("3 scripts: 1 pass, 1 differ, 1 unsupported"),
        "{text}"
    );
    assert!(!text.contains("a-pass.pkt"), "{text}");
    let xml = fs::read_to_string(folder.path().join("cases.xml")).expect("it was written");
    assert!(
        xml.contains(r#"tests="3" skipped="1" failures="1""#),
        "{xml}"
    );
}

#[test]
fn verbose_lists_all_and_json_is_one_document() {
    let folder = folder();
    let output = farpath_in(folder.path(), &["conformance", "below", "--verbose"]);
    let text = output.out;
    assert!(text.contains("below/a-pass.pkt: pass"), "{text}");
    assert!(
        text.contains("below/c-unsupported.pkt:1: unsupported: the shell command `reboot`"),
        "{text}"
    );
    let output = farpath_in(folder.path(), &["conformance", "below", "--json"]);
    let document: serde_json::Value = serde_json::from_str(&output.out).expect("it is JSON");
    assert_eq!(document["schema"], "farpath.conformance/1");
    assert_eq!(document["counts"]["pass"], 1);
    assert_eq!(document["counts"]["differs"], 1);
    assert_eq!(document["reasons"]["the shell command `reboot`"], 1);
    assert_eq!(document["scripts"][1]["line"], 6);
}

#[test]
fn a_pass_alone_is_well_and_bad_text_is_said() {
    let folder = folder();
    let run = |args: &[&str]| farpath_in(folder.path(), args);
    assert_eq!(run(&["conformance", "below/a-pass.pkt"]).code, Some(0));
    let bad = run(&["conformance", "below/not-a-script.txt"]);
    assert_eq!(bad.code, Some(2));
    let text = bad.out;
    assert!(
        text.contains("below/not-a-script.txt:1: expected `(`"),
        "{text}"
    );
    assert_eq!(run(&["conformance", "nowhere"]).code, Some(2));
    assert_eq!(run(&["conformance", "."]).code, Some(1));
    assert_eq!(run(&["conformance"]).code, Some(2));
}

#[test]
fn what_a_script_prints_is_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let print = "+0 %{ print(tcpi_snd_cwnd, 'segments') }%";
    let script = format!(
        "{HEAD}+0 > S. 0:0(0) ack 1 <...>\n+.1 < . 1:1(0) ack 1 win 65535\n+0 accept(3, ..., ...) = 4\n{print}\n"
    );
    fs::write(folder.path().join("prints.pkt"), script).expect("it is written");
    let output = farpath_in(folder.path(), &["conformance", "prints.pkt"]);
    assert_eq!(output.code, Some(0));
    let text = output.out;
    assert!(text.contains("prints.pkt:9: printed 10 segments"), "{text}");
    let output = farpath_in(folder.path(), &["conformance", "prints.pkt", "--json"]);
    let document: serde_json::Value = serde_json::from_str(&output.out).expect("it is JSON");
    let printed = &document["scripts"][0]["printed"][0];
    assert_eq!(printed["line"], 9);
    assert_eq!(printed["text"], "10 segments");
}
