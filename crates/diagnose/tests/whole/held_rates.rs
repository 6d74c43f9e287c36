//! Programs that were typed with an option that holds their own rate.

use farpath_diagnose::{FlowReport, Known};

use crate::{because, commands, first, of};

const HEAD: &str = "  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current
                                 Dload  Upload   Total   Spent    Left  Speed
";

/// A download at so many MiB/s, by curl with this option.
fn curl(option: &str, mib: f64) -> String {
    format!(
        "$ curl {option} -o f https://h.example/f\n{HEAD}100 1024M  100 1024M    0     0  {mib:.1}M      0  0:01:42  0:01:42 --:--:-- {mib:.1}M\n"
    )
}

/// Each in the unit of its program: the rate is the option's, and neither the path nor a window holds it.
#[test]
fn a_rate_that_its_option_asks_for_is_the_programs_own() {
    let wget = "$ wget --limit-rate=500k http://h.example/f\n2026-11-25 10:11:12 (500 KB/s) - \u{2018}f\u{2019} saved [524288000/524288000]\n";
    let rsync = "$ rsync -a --bwlimit=5000 big b.example:/data/\n\nsent 1,000,000,000 bytes  received 35 bytes  5,120,000.00 bytes/sec\ntotal size is 1,000,000,000  speedup is 1.00\n";
    let scp = "$ scp -l 8000 big.tar b.example:/data/\nbig.tar    100% 1000MB 1000.0KB/s   17:04\n";
    for (text, option, host) in [
        (
            curl("--limit-rate 10M", 10.0).as_str(),
            "--limit-rate 10M of curl, which counts in bytes a second",
            "the receiver",
        ),
        (
            wget,
            "--limit-rate 500k of wget, which counts in bytes a second",
            "the receiver",
        ),
        (
            rsync,
            "--bwlimit 5000 of rsync, which counts in KiB a second",
            "the sender",
        ),
        (scp, "-l 8000 of scp, which counts in kbit/s", "the sender"),
    ] {
        let flow = first(text);
        assert_eq!(
            flow.verdict.cause, "application",
            "{text}: {:#?}",
            flow.verdict
        );
        let why = because(&flow);
        assert!(why.contains(option), "{option}: {why}");
        let said = commands(&flow);
        assert!(said.contains(&format!("leave out {option}")), "{said}");
        assert_eq!(flow.changes[0].host, host, "{option}");
    }
}

/// What the program's own file says is its option as well, wherever the text prints it.
#[test]
fn a_rate_of_a_printed_file_is_the_programs_own() {
    let saved = "$ wget http://h.example/f\n2026-11-25 10:11:12 (500 KB/s) - \u{2018}f\u{2019} saved [524288000/524288000]\n";
    let wgetrc = "$ cat ~/.wgetrc\nlimit_rate = 500k\n";
    let curlrc = "$ cat ~/.curlrc\nlimit-rate = 10M\n".to_owned();
    for (text, option) in [
        (
            format!("{saved}{wgetrc}"),
            "limit_rate = 500k in wget's file wgetrc",
        ),
        (
            curlrc.clone() + &curl("-s", 10.0),
            "limit-rate = 10M in curl's file curlrc",
        ),
    ] {
        let flow = first(&text);
        assert_eq!(flow.verdict.cause, "application", "{:#?}", flow.verdict);
        assert!(because(&flow).contains(option), "{}", because(&flow));
        let said = commands(&flow);
        assert!(said.contains(&format!("leave out {option}")), "{said}");
    }
    // A command without the file, another program's, and another host's.
    let other = format!("b{wgetrc}").replace("b$", "root@b:~#");
    for text in [
        curlrc.clone() + &curl("-q -s", 10.0),
        curlrc + saved,
        format!("{saved}{other}"),
    ] {
        let flow = first(&text);
        assert!(!commands(&flow).contains("leave out"), "{text}");
    }
}

/// Far below its option a program is held by something else, and one without it is held by none.
#[test]
fn an_option_that_was_not_reached_holds_nothing() {
    for text in [curl("--limit-rate 10M", 2.0), curl("-s", 10.0)] {
        let flow = first(&text);
        let why = because(&flow);
        assert!(!why.contains("holds the program"), "{text}: {why}");
        assert!(!commands(&flow).contains("leave out"), "{text}");
    }
}

/// The option is of the command above a transfer, and not of one before that.
#[test]
fn an_option_is_of_its_own_command() {
    let text = curl("--limit-rate 10M", 10.0) + &curl("-s", 9.9);
    let d = of(&text, &Known::default());
    let is_held = |f: &&FlowReport| because(f).contains("--limit-rate");
    let held = d.flows.iter().filter(is_held);
    assert_eq!(held.count(), 1, "{:#?}", d.flows);
}

/// The command stands in a crontab or a script that somebody printed, above the copy's own report or behind it.
#[test]
fn a_rate_of_a_crontab_or_a_script_is_the_programs_own() {
    let cron = "[root@bk1 ~]# cat /etc/cron.d/backup\n0 22 * * * root rsync -a --bwlimit=5000 --stats /backup/ dr:/backup/ >> /var/log/backup.log 2>&1\n";
    let script = "[root@bk1 ~]# cat /usr/local/bin/backup\n#!/bin/sh\ncd /backup && ionice -c3 rsync -a --bwlimit=5000 . dr:/backup/\n";
    let log = "[root@bk1 ~]# tail -2 /var/log/backup.log\nsent 1,000,000,000 bytes  received 35 bytes  5,120,000.00 bytes/sec\ntotal size is 1,000,000,000  speedup is 1.00\n";
    for text in [
        format!("{cron}{log}"),
        format!("{script}{log}"),
        format!("{log}{cron}"),
    ] {
        let flow = first(&text);
        assert_eq!(
            flow.verdict.cause, "application",
            "{text}: {:#?}",
            flow.verdict
        );
        let why = because(&flow);
        assert!(why.contains("--bwlimit 5000 of rsync"), "{why}");
    }
    // A comment runs nothing.
    let off = cron.replace("0 22", "#0 22");
    assert_ne!(first(&format!("{off}{log}")).verdict.cause, "application");
}
