//! The configuration of hosts: sysctl settings and commands, as far as they bear on a path's figures.

mod amounts;
mod buffer;
mod command;
mod names;
mod path;
mod prompt;
mod scale;
mod setting;
mod socket;
mod sysctl;
mod tc;

use crate::commands::Words;
use crate::dialect::Dialect;
use crate::finding::{Finding, Rule};
use crate::qos::Options;
use crate::report::Report;
use crate::rules::HOST013;
use crate::source::{Place, Source};
use farpath_predict::window::{WindowPart, window_part};
use path::Path;

pub use sysctl::CONTROLS;

/// DSCP and precedence of a TOS byte: `iperf -S 0x20` sends DSCP 8, precedence 1.
pub const fn marks_of_tos(tos: u8) -> (u8, u8) {
    (tos >> 2, tos >> 5)
}

/// Whether a line is of this language.
pub(crate) fn is_host_line(line: &str) -> bool {
    let line = bare(line);
    let setting = line.split_once('=').or_else(|| line.split_once(": "));
    let setting = setting.map(|(key, _)| setting::dotted(key));
    setting.is_some_and(|key| key.starts_with("net.") && !key.contains(char::is_whitespace))
        || line.contains("/proc/sys/")
        || line.contains("setsockopt")
        || command::is_one(line)
}

/// A line without what a terminal shows before a command, and without `sudo`.
fn bare(line: &str) -> &str {
    let line = line.trim();
    prompt::command(line).unwrap_or(prompt::without_runner(line))
}

/// What is known of the host whose file is read, and what was found.
struct Host {
    path: Path,
    file: usize,
    /// What of a receive buffer is window, on its kernel.
    window: WindowPart,
    /// Its `tcp_adv_win_scale`, if the file sets it.
    scale: Option<i32>,
    /// Its kernel's release, if the user states it.
    kernel: Option<(u32, u32)>,
    /// What its receive buffers begin with, bytes.
    default_buffer: u64,
    /// MTUs, as stated.
    mtus: Vec<(u64, Place)>,
    findings: Vec<Finding>,
}

impl Host {
    fn find(
        &mut self,
        rule: &'static Rule,
        place: &Place,
        text: String,
        remedy: impl Into<String>,
    ) -> &mut Finding {
        let finding = Finding::new(rule, text, place.clone(), vec![remedy.into()]);
        self.findings.push(finding);
        self.findings.last_mut().expect("one was added")
    }

    /// The place of a part of a text.
    fn at(&self, span: core::ops::Range<usize>) -> Place {
        Place {
            file: self.file,
            span,
        }
    }
}

/// Reads and checks the files of hosts among `sources`.
pub(crate) fn check(sources: &[Source], options: &Options, report: &mut Report) {
    let mut mtus: Vec<(u64, Place)> = Vec::new();
    for number in report.files_in(&[Dialect::Hosts]) {
        let text = &sources[number].text;
        let scale = scale::stated(text);
        let mut host = Host {
            path: Path::of(options),
            file: number,
            window: window_part(
                scale::holds(scale, options.kernel).map(f64::from),
                options.kernel,
            ),
            scale,
            kernel: options.kernel,
            default_buffer: sysctl::default_buffer(text),
            mtus: Vec::new(),
            findings: Vec::new(),
        };
        let mut at = 0;
        let overridden = setting::overridden(text);
        for (line_number, raw) in text.split_inclusive('\n').enumerate() {
            let content = bare(raw);
            let start = at + (content.as_ptr() as usize - raw.as_ptr() as usize);
            at += raw.len();
            if content.is_empty() || content.starts_with(['#', ';']) {
                continue;
            }
            let place = host.at(start..start + content.len());
            if let Some(later) = overridden.get(&line_number) {
                sysctl::is_overridden(content, later + 1, &place, &mut host);
                report.files[number].recognised += 1;
                report.files[number].without_effect.push(place);
            } else if line(content, &place, &mut host) {
                report.files[number].recognised += 1;
                report.files[number].without_effect.push(place);
            } else {
                report.files[number].unrecognised.push(place);
            }
        }
        report.findings.append(&mut host.findings);
        mtus.append(&mut host.mtus);
    }
    report.findings.extend(differing(&mtus));
}

/// Reads one line; `false` if it is not understood.
fn line(content: &str, place: &Place, host: &mut Host) -> bool {
    if content.contains("setsockopt") {
        return socket::option(content, place, host);
    }
    if command::is_one(content) {
        return command::read(Words::new(content, place.span.start), place, host);
    }
    if tc::is_counters(content) {
        return true;
    }
    sysctl::read(content, place, host).is_some()
}

/// HOST013, of hosts' MTUs.
fn differing(mtus: &[(u64, Place)]) -> Option<Finding> {
    let (first, rest) = mtus.split_first()?;
    let (mtu, place) = rest.iter().find(|(mtu, _)| *mtu != first.0)?;
    let message = format!("an MTU of {mtu} here and of {} elsewhere", first.0);
    let remedy = "give all interfaces of one path one MTU, or see that routers may answer (ICMP, packet too big)";
    let mut finding = Finding::new(&HOST013, message, place.clone(), vec![remedy.to_owned()]);
    finding.relate(first.1.clone(), "the other MTU");
    Some(finding)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Severity;

    fn said(text: &str) -> Vec<(String, String)> {
        let source = Source {
            name: "hosts".to_owned(),
            text: text.to_owned(),
        };
        let report = crate::check(&[source], &[]);
        assert_eq!(report.files[0].dialect, Dialect::Hosts, "{text}");
        report
            .findings
            .into_iter()
            .map(|f| (f.rule.into_owned(), f.text))
            .collect()
    }

    #[test]
    fn settings_of_the_documents() {
        assert_eq!(
            said("sysctl -w net.ipv4.tcp_wmem=\"4096 65530 128388607\"\n"),
            [(
                "HOST002".to_owned(),
                "net.ipv4.tcp_wmem: the default 65530 is not 65536".to_owned()
            )]
        );
        assert_eq!(
            said("echo \"4096 65530 128388607\" > /proc/sys/net/ipv4/tcp_wmem\n"),
            [(
                "HOST002".to_owned(),
                "net.ipv4.tcp_wmem: the default 65530 is not 65536".to_owned()
            )]
        );
        assert_eq!(
            said("net.inet.tcp.recvspace = 16384\n"),
            [(
                "HOST003".to_owned(),
                "net.inet.tcp.recvspace = 16384 allows 524.3 kbit/s at a round trip of 250 ms, taken: 16384 bytes in flight".to_owned()
            )]
        );
        assert_eq!(
            said("iperf -c 192.0.2.1 -u -b 100M -S 0x20 -t 60\n"),
            [(
                "HOST001".to_owned(),
                "TOS 0x20 is DSCP 8, precedence 1".to_owned()
            )]
        );
    }

    /// Prompts of shells, as documents show them: with brackets, with a folder, with a history's number.
    #[test]
    fn commands_are_read_behind_prompts() {
        for line in [
            "[root@nl-host pytlos]# iperf -i 2 -f m -m -t 300  -w 65537  -c 192.0.2.51",
            "[root@nl-host pytlos]# ./iperf -s -w 65537 -i 2",
            "siberia:petrov {158}bin/iperf -s -w 65537 -p 5011 &",
            "0petrov@test-host:~>iperf -c siberia.example -p 5011 -t 20 -i 5 -w 65537",
            "user@host:~$ iperf3 -c h -w 65537",
            "user@host:/tmp % sudo iperf3 -c h -w 65537",
            "root@host:~# time iperf3 -c h -w 65537",
            "# iperf -c h -w 65537",
        ] {
            let found = said(line);
            assert!(found.iter().any(|f| f.0 == "HOST002"), "{line}: {found:?}");
        }
        // A setting that is commented out, a router's prompt, and words about a command are none.
        for line in [
            "# net.core.rmem_max = 65537",
            "edge#show ip route",
            "then see \"iperf -w 65537\": it is odd # iperf -c h -w 65537",
        ] {
            assert!(
                !is_host_line(line) || prompt::command(line).is_none(),
                "{line}"
            );
        }
    }

    /// Source of the words: 65535 and 131071 are one less than a power of two.
    #[test]
    fn buffers_of_other_tests_are_judged_as_those_of_iperf() {
        for (line, words) in [
            ("ttcp -t -s -b 65535 h", "65535 is not 65536"),
            ("nttcp -w 65535 h", "65535 is not 65536"),
            ("netperf -H h -l 60 -- -s 131071", "131071 is not 131072"),
            (
                "netperf -H h -- -m 64K -S 65536,131071",
                "131071 is not 131072",
            ),
            ("iperf -c h -w 64 M", "`64 M` has a space in it: 64 bytes"),
        ] {
            let found = said(line);
            let fits = |f: &(String, String)| f.0 == "HOST002" && f.1.contains(words);
            assert!(found.iter().any(fits), "{line}: {found:?}");
        }
        // `netperf -s` before the test's own options is another one, and a number of seconds.
        assert_eq!(said("netperf -H h -s 131071 -l 60"), []);
        assert_eq!(said("ttcp -t -b 64000000 h"), []);
    }

    /// As `grep . FILE ...` prints files of `/proc/sys`, and with slashes: 600000 · 8 / 0.12 s is 40 Mbit/s.
    #[test]
    fn settings_are_read_however_a_tool_prints_them() {
        for line in [
            "/proc/sys/net/ipv4/tcp_wmem:4096\t65536\t600000",
            "/proc/sys/net/ipv4/tcp_wmem = 4096 65536 600000",
            "net/ipv4/tcp_wmem = 4096 65536 600000",
            "sysctl -w net/ipv4/tcp_wmem=\"4096 65536 600000\"",
            "net.ipv4.tcp_wmem: 4096 65536 600000",
        ] {
            assert_eq!(Dialect::detect(line), Dialect::Hosts, "{line}");
            let found = on_a_long_path(line);
            let slow =
                |f: &(String, Severity, String)| f.0 == "HOST003" && f.2.contains("40.0 Mbit/s");
            assert!(found.iter().any(slow), "{line}: {found:?}");
        }
    }

    #[test]
    fn settings_are_read_behind_the_folder_of_sysctl() {
        for line in [
            "/sbin/sysctl -w net.ipv4.tcp_sack=0",
            "# /usr/sbin/sysctl -q -w net.ipv4.tcp_sack=0",
            "sudo sysctl net.ipv4.tcp_sack=0",
            "[root@a b]# echo 0 > /proc/sys/net/ipv4/tcp_sack",
        ] {
            let found = said(line);
            assert!(found.iter().any(|f| f.0 == "HOST006"), "{line}: {found:?}");
        }
    }

    /// 50 000 frames of 9000 bytes at 1 Gbit/s are 3.6 s, whichever is stated first.
    #[test]
    fn a_queue_is_judged_by_the_mtu_of_its_line() {
        for line in [
            "ifconfig eth0 mtu 9000 txqueuelen 50000",
            "ifconfig eth0 txqueuelen 50000 mtu 9000",
        ] {
            let source = Source {
                name: "hosts".to_owned(),
                text: line.to_owned(),
            };
            let options = Options {
                rate: farpath_units::Rate::from_bps(1_000_000_000),
                ..Options::default()
            };
            let report = crate::check_with(&[source], &[Some(Dialect::Hosts)], &options);
            let said: Vec<_> = report.findings.iter().map(|f| f.text.as_str()).collect();
            let held = "50000 frames of 9000 bytes are 3.6 s at 1 Gbit/s";
            assert!(said.iter().any(|s| s.starts_with(held)), "{line}: {said:?}");
        }
    }

    #[test]
    fn sound_settings_give_nothing() {
        assert_eq!(
            said(
                "# tuned\nnet.ipv4.tcp_rmem = 4096 87380 128388607\nnet.core.rmem_max = 67108864\n"
            ),
            []
        );
    }

    #[test]
    fn triples_rise() {
        assert_eq!(said("net.ipv4.tcp_rmem = 4096 4000 2000\n")[0].0, "HOST004");
        assert_eq!(said("net.ipv4.tcp_rmem = 4096 4000\n")[0].0, "HOST004");
        assert_eq!(said("iperf -S 0x200\n")[0].1, "`0x200` is not a TOS byte");
    }

    #[test]
    fn a_tos_byte_is_dscp_and_ecn() {
        assert_eq!(marks_of_tos(0x20), (8, 1));
        assert_eq!(marks_of_tos(0xb8), (46, 5));
    }

    /// What is found for a path of 10 Gbit/s and 120 ms: ids, severities and words.
    fn on_a_long_path(text: &str) -> Vec<(String, Severity, String)> {
        let source = Source {
            name: "hosts".to_owned(),
            text: text.to_owned(),
        };
        let options = Options {
            rtt: Some(farpath_units::Duration::from_ms(120)),
            rate: farpath_units::Rate::from_bps(10_000_000_000),
            ..Options::default()
        };
        let report = crate::check_with(&[source], &[Some(Dialect::Hosts)], &options);
        assert_eq!(report.files[0].unrecognised, [], "{text}");
        let findings = report.findings.into_iter();
        findings
            .map(|f| (f.rule.into_owned(), f.severity, f.text))
            .collect()
    }

    /// The part of a receive buffer that is window is what `predict` says of the release: 6291456 B · part · 8 / 0.12 s.
    #[test]
    fn a_window_is_the_part_of_a_buffer_that_the_release_gives() {
        let text = "net.ipv4.tcp_rmem = 4096 131072 6291456";
        for (kernel, before, rate) in [
            (None, "", "230.7 Mbit/s"),
            (Some((6, 18)), "", "276.9 Mbit/s"),
            // The kernel's own scale is 1 from Linux 3.4 to 6.5.
            (Some((6, 5)), "", "209.7 Mbit/s"),
            (Some((3, 4)), "", "209.7 Mbit/s"),
            (Some((3, 2)), "", "230.7 Mbit/s"),
            (
                Some((5, 15)),
                "net.ipv4.tcp_adv_win_scale = 1\n",
                "209.7 Mbit/s",
            ),
            (None, "net.ipv4.tcp_adv_win_scale = 2\n", "314.6 Mbit/s"),
            (None, "net.ipv4.tcp_adv_win_scale = -2\n", "104.9 Mbit/s"),
            (
                Some((6, 18)),
                "net.ipv4.tcp_adv_win_scale = -2\n",
                "276.9 Mbit/s",
            ),
        ] {
            let source = Source {
                name: "hosts".to_owned(),
                text: format!("{before}{text}\n"),
            };
            let options = Options {
                rtt: Some(farpath_units::Duration::from_ms(120)),
                rate: farpath_units::Rate::from_bps(10_000_000_000),
                kernel,
                ..Options::default()
            };
            let report = crate::check_with(&[source], &[Some(Dialect::Hosts)], &options);
            let said = report.findings.iter().find(|f| f.rule == "HOST003");
            let said = said.map(|f| f.text.as_str()).unwrap_or_default();
            assert!(said.contains(rate), "{kernel:?} {before}: {said}");
        }
    }

    /// `grep . FILES` prints a file's name before what it holds, and `sysctl` takes slashes: none of it was understood, and the file passed.
    #[test]
    fn settings_are_read_as_files_and_with_slashes() {
        for text in [
            "/proc/sys/net/ipv4/tcp_wmem:4096\t65536\t600000\n",
            "net/ipv4/tcp_wmem = 4096 65536 600000\n",
        ] {
            let found = on_a_long_path(text);
            let rules: Vec<&str> = found.iter().map(|(rule, ..)| rule.as_str()).collect();
            assert_eq!(rules, ["HOST003"], "{text}: {found:?}");
        }
    }

    /// Without tuning a third number of `tcp_rmem` is of no use: the second is the buffer, 65536 · 0.55 · 8 / 0.12 s.
    #[test]
    fn a_buffer_that_is_not_tuned_stays_at_its_default() {
        let text = "net.ipv4.tcp_moderate_rcvbuf = 0\nnet.ipv4.tcp_rmem = 4096 65536 536870912\n";
        let found = on_a_long_path(text);
        let (id, severity, words) = &found[0];
        assert_eq!((id.as_str(), *severity), ("HOST005", Severity::Error));
        assert!(
            words.contains("65536 bytes, which allows 2.4 Mbit/s"),
            "{words}"
        );
        // Without a rate it is not known whether that is too little.
        let source = Source {
            name: "hosts".to_owned(),
            text: text.to_owned(),
        };
        let report = crate::check(&[source], &[]);
        assert_eq!(report.findings[0].severity, Severity::Warning);
    }

    /// 65535 · 8 / 2 ms are 262.1 Mbit/s: enough for 100 Mbit/s, and not for 300 or 1000.
    #[test]
    fn a_window_that_fits_the_path_is_no_fault() {
        for (mbps, severity) in [
            (100, None),
            (300, Some(Severity::Warning)),
            (1000, Some(Severity::Error)),
        ] {
            let source = Source {
                name: "hosts".to_owned(),
                text: "net.ipv4.tcp_window_scaling = 0\n".to_owned(),
            };
            let options = Options {
                rtt: Some(farpath_units::Duration::from_ms(2)),
                rate: farpath_units::Rate::from_bps(mbps * 1_000_000),
                ..Options::default()
            };
            let report = crate::check_with(&[source], &[], &options);
            assert_eq!(report.findings.first().map(|f| f.severity), severity);
        }
        let untuned =
            "net.ipv4.tcp_moderate_rcvbuf = 0\nnet.ipv4.tcp_rmem = 4096 536870912 536870912\n";
        assert_eq!(on_a_long_path(untuned), []);
        let found = on_a_long_path("net.ipv4.tcp_limit_output_bytes = 3000\n");
        assert_eq!(found[0].0, "HOST012");
        assert_eq!(
            on_a_long_path("net.ipv4.tcp_limit_output_bytes = 1048576\n"),
            []
        );
    }

    #[test]
    fn settings_that_a_kernel_no_longer_has_are_named() {
        let found = |text: &str, kernel| {
            let source = Source {
                name: "hosts".to_owned(),
                text: text.to_owned(),
            };
            let options = Options {
                kernel,
                ..Options::default()
            };
            let report = crate::check_with(&[source], &[Some(Dialect::Hosts)], &options);
            let texts = report.findings.into_iter();
            texts
                .map(|f| (f.rule.into_owned(), f.text))
                .collect::<Vec<_>>()
        };
        let text = "net.ipv4.tcp_tw_recycle = 1\n";
        assert_eq!(
            found(text, Some((6, 1))),
            [(
                "HOST016".to_owned(),
                "net.ipv4.tcp_tw_recycle: Linux has no such setting since 4.12".to_owned()
            )]
        );
        assert_eq!(found(text, Some((4, 11))), []);
        assert_eq!(found(text, None), []);
    }

    /// Source of the figures: a window a round trip, 600000 · 8 / 0.12 s; of 212 992 bytes that are asked for, 2 · 0.55 are window.
    #[test]
    fn settings_are_held_against_the_path() {
        let mut missed = Vec::new();
        for (text, id, severity, words) in [
            (
                "net.ipv4.tcp_wmem = 4096 65536 600000",
                "HOST003",
                Severity::Error,
                "40.0 Mbit/s of 10 Gbit/s",
            ),
            (
                "net.ipv4.tcp_rmem = 4096 131072 6291456",
                "HOST003",
                Severity::Error,
                "230.7 Mbit/s",
            ),
            (
                "net.core.rmem_max = 212992",
                "HOST003",
                Severity::Warning,
                "15.6 Mbit/s",
            ),
            (
                "net.ipv4.tcp_wmem = 4096 65536 100000000",
                "HOST003",
                Severity::Warning,
                "6.7 Gbit/s",
            ),
            (
                "net.ipv4.tcp_window_scaling = 0",
                "HOST005",
                Severity::Error,
                "4.4 Mbit/s",
            ),
            (
                "net.ipv4.tcp_sack = 0",
                "HOST006",
                Severity::Warning,
                "one a round trip",
            ),
            (
                "net.ipv4.tcp_timestamps = 0",
                "HOST007",
                Severity::Warning,
                "1.7 s",
            ),
            (
                "net.ipv4.tcp_mtu_probing = 0",
                "HOST008",
                Severity::Info,
                "stands still",
            ),
            (
                "net.ipv4.tcp_congestion_control = reno",
                "HOST009",
                Severity::Warning,
                "51795 round trips, 104 min",
            ),
            (
                "net.ipv4.tcp_congestion_control = cubik",
                "HOST009",
                Severity::Warning,
                "no kernel",
            ),
            (
                "net.ipv4.tcp_slow_start_after_idle = 1",
                "HOST010",
                Severity::Info,
                "round trips of 120 ms",
            ),
            (
                "net.ipv4.tcp_moderate_rcvbuf = 0",
                "HOST005",
                Severity::Error,
                "131072 bytes, which allows 4.8 Mbit/s of 10 Gbit/s",
            ),
            (
                "iperf3 -c h -w 4M -t 60",
                "HOST003",
                Severity::Error,
                "279.6 Mbit/s",
            ),
            (
                "sudo iperf3 -c h -w 75M -P 2",
                "HOST003",
                Severity::Info,
                "",
            ),
            (
                "iperf -c h --window=18769",
                "HOST002",
                Severity::Info,
                "not a multiple of 1024",
            ),
            ("iperf -c h -w64m", "HOST003", Severity::Error, "4.3 Gbit/s"),
            (
                "$ ip link set dev eth0 txqueuelen 100",
                "HOST012",
                Severity::Warning,
                "120 µs",
            ),
            (
                "/sbin/ifconfig eth0 mtu 9000 txqueuelen 100",
                "HOST012",
                Severity::Warning,
                "720 µs",
            ),
            (
                "ifconfig eth0 mtu 1000",
                "HOST011",
                Severity::Warning,
                "IPv6 needs 1280",
            ),
            (
                "ethtool -K eth0 tso off gro on",
                "HOST014",
                Severity::Info,
                "tso off",
            ),
            (
                "ethtool -G eth0 rx 256 tx 4096",
                "HOST014",
                Severity::Info,
                "ring of 256",
            ),
            (
                "setsockopt(s, SOL_SOCKET, SO_RCVBUF, &(int){262144}, 4);",
                "HOST003",
                Severity::Error,
                "17.5 Mbit/s",
            ),
            (
                "ip route change default via 192.0.2.1 window 65535",
                "HOST003",
                Severity::Error,
                "4.4 Mbit/s",
            ),
            (
                "net.ipv4.tcp_rmem_max = 16777216",
                "HOST016",
                Severity::Warning,
                "no Linux",
            ),
            (
                "net.core.rmem_max = 256M",
                "HOST004",
                Severity::Error,
                "plain numbers",
            ),
            (
                "net.ipv4.tcp_rmem = 4096,87380,67108864",
                "HOST004",
                Severity::Error,
                "plain numbers",
            ),
            (
                "net.ipv4.tcp_mem = 268435456 268435456 268435456",
                "HOST004",
                Severity::Warning,
                "1024 GiB",
            ),
            // 2000 pages of 4096 bytes in 0.12 s, of which 0.66 are payload on the receiving side.
            (
                "net.ipv4.tcp_mem = 1000 2000 3000",
                "HOST018",
                Severity::Warning,
                "360.4 Mbit/s receiving and 546.1 Mbit/s sending",
            ),
            (
                "net.ipv4.tcp_mem = 100000 200000 300000",
                "HOST018",
                Severity::Warning,
                "",
            ),
            (
                "net.core.netdev_max_backlog = 30",
                "HOST012",
                Severity::Warning,
                "dropped before TCP",
            ),
            (
                "net.ipv4.tcp_wmem = 4096 65536 600000\nnet.ipv4.tcp_wmem = 4096 65536 536870912",
                "HOST017",
                Severity::Info,
                "in line 2",
            ),
            (
                "net.ipv4.tcp_wmem = 4096 65536 600000\nnet.ipv4.tcp_wmem = 4096 65536 536870912",
                "HOST003",
                Severity::Error,
                "",
            ),
            (
                "tc qdisc add dev eth0 root tbf rate 1gbit burst 10kb latency 1ms",
                "HOST019",
                Severity::Warning,
                "`tbf` sends at most 1.0 Gbit/s, of the 10.0 Gbit/s that are planned",
            ),
            (
                "tc class add dev eth0 parent 1: classid 1:1 htb rate 1gbit ceil 2gbit",
                "HOST019",
                Severity::Warning,
                "at most 2.0 Gbit/s",
            ),
            (
                "tc class add dev eth0 parent 1: classid 1:2 est 1sec 8sec htb rate 1gbit ceil 10gbit",
                "HOST019",
                Severity::Warning,
                "",
            ),
            (
                "tc qdisc replace dev eth0 root handle 1: cake bandwidth 900mbit",
                "HOST019",
                Severity::Warning,
                "at most 900.0 Mbit/s",
            ),
            (
                "tc qdisc add dev eth0 root fq maxrate 5gbit",
                "HOST019",
                Severity::Warning,
                "`fq` lets each connection send at most 5.0 Gbit/s",
            ),
            (
                "ethtool -s eth0 speed 1000 duplex full",
                "HOST019",
                Severity::Warning,
                "the interface sends at most 1.0 Gbit/s",
            ),
            (
                "net.core.default_qdisc = fq_kodel",
                "HOST020",
                Severity::Warning,
                "queue discipline `fq_kodel`",
            ),
            (
                "tc qdisc add dev eth0 root fq_kodel",
                "HOST020",
                Severity::Warning,
                "queue discipline `fq_kodel`",
            ),
            (
                "net.core.rmem_max = 4294967296",
                "HOST004",
                Severity::Error,
                "refuses 4294967296",
            ),
            (
                "net.ipv4.tcp_wmem = 4096 65536 4194304000000",
                "HOST004",
                Severity::Error,
                "keeps what it had, as the most is 2147483647",
            ),
            (
                "iperf3 -c h -w 4G",
                "HOST002",
                Severity::Error,
                "at most 2147483647 bytes, not 4294967296",
            ),
            (
                "tc qdisc add dev eth0 root netem delay 60ms",
                "HOST015",
                Severity::Warning,
                "200.0 Mbit/s",
            ),
            (
                "tc qdisc add dev eth0 root netem delay 60ms limit 100000",
                "HOST021",
                Severity::Info,
                "netem on eth0 delays frames by 60 ms",
            ),
            (
                "tc qdisc add dev eth0 root netem loss random 1% limit 100000",
                "HOST021",
                Severity::Warning,
                "netem on eth0 loses 1 % of frames",
            ),
            (
                "tc qdisc add dev eth0 root netem loss 0% limit 100000",
                "HOST021",
                Severity::Warning,
                "",
            ),
            (
                "tc qdisc add dev eth0 root pfifo limit 5",
                "HOST012",
                Severity::Warning,
                "`pfifo` holds 5 frames",
            ),
            (
                "qdisc bfifo 8003: dev eth0 root refcnt 2 limit 5000b",
                "HOST012",
                Severity::Warning,
                "`bfifo` holds 3 frames",
            ),
            (
                "tc qdisc add dev eth0 root pfifo limit 100",
                "HOST012",
                Severity::Warning,
                "120 µs",
            ),
            (
                "tc qdisc add dev eth0 parent 1:1 pfifo limit 100",
                "HOST012",
                Severity::Warning,
                "",
            ),
            (
                "tc qdisc add dev eth0 root tbf rate 10gbit burst 1000 latency 50ms",
                "HOST023",
                Severity::Error,
                "a packet of 1500 bytes is 1514",
            ),
            (
                "qdisc tbf 8002: dev eth0 root refcnt 2 rate 10Gbit burst 10Kb lat 50ms",
                "HOST023",
                Severity::Info,
                "1250000 pass in 1 ms at 10.0 Gbit/s",
            ),
            (
                "tc qdisc add dev eth0 root tbf rate 100m burst 64kb latency 50ms",
                "HOST022",
                Severity::Error,
                "no unit `m`",
            ),
            (
                "tc class add dev eth0 parent 1: classid 1:1 htb rate 50%",
                "HOST022",
                Severity::Error,
                "",
            ),
            (
                "tc qdisc add dev eth0 root tbf rate 100mbps burst 64kb latency 50ms",
                "HOST025",
                Severity::Info,
                "`rate 100mbps` as bytes a second: 800.0 Mbit/s, not 100.0 Mbit/s",
            ),
            (
                "tc qdisc add dev eth0 root tbf rate 100mbit burst 64kb latency 50ms",
                "HOST025",
                Severity::Info,
                "",
            ),
            (
                "net.ipv4.tcp_adv_win_scale = -2",
                "HOST024",
                Severity::Warning,
                "one part in 4",
            ),
            (
                "net.ipv4.tcp_adv_win_scale = -1",
                "HOST024",
                Severity::Warning,
                "",
            ),
            (
                "net.ipv4.tcp_adv_win_scale = 40",
                "HOST004",
                Severity::Error,
                "from -31 to 31",
            ),
        ] {
            let found = on_a_long_path(text);
            if words.is_empty() {
                assert!(found.iter().all(|f| f.0 != id), "{text}: {found:?}");
                continue;
            }
            let fits = |f: &&(String, Severity, String)| {
                f.0 == id && f.1 == severity && f.2.contains(words)
            };
            if !found.iter().any(|f| fits(&f)) {
                missed.push((text, found));
            }
        }
        assert!(missed.is_empty(), "{missed:#?}");
    }

    /// As `tc -s qdisc show` prints it: 10 Gbit/s for 60 ms are 50 000 frames, more than 1000.
    #[test]
    fn what_tc_shows_is_read() {
        let text = "tc -s qdisc show
qdisc netem 8001: dev eth0 root refcnt 2 limit 1000 delay 60ms loss 0.1%
 Sent 4096 bytes 12 pkt (dropped 1, overlimits 0 requeues 0)
 backlog 0b 0p requeues 0
qdisc noqueue 0: dev lo root refcnt 2
qdisc fq_codel 0: dev eth1 parent :1 limit 10240p flows 1024 quantum 1514 target 5ms interval 100ms memory_limit 32Mb ecn
class htb 1:10 parent 1:1 prio 0 rate 1Gbit ceil 10Gbit burst 1375b cburst 1375b
";
        assert_eq!(Dialect::detect(text), Dialect::Hosts);
        let found = on_a_long_path(text);
        let rules: Vec<&str> = found.iter().map(|(rule, ..)| rule.as_str()).collect();
        assert_eq!(rules, ["HOST015", "HOST021"], "{found:?}");
        let words = "netem on eth0 loses 0.1 % of frames, delays frames by 60 ms";
        assert_eq!(found[1].2, words);
    }

    /// What is probably meant by a name that no kernel has.
    #[test]
    fn misspelt_names_are_answered_with_the_nearest() {
        for (text, remedy) in [
            ("net.core.default_qdisc = fq_kodel\n", "`fq_codel` is one"),
            (
                "net.ipv4.tcp_congestion_control = cubik\n",
                "write cubic, which is one",
            ),
        ] {
            let source = Source {
                name: "hosts".to_owned(),
                text: text.to_owned(),
            };
            let report = crate::check(&[source], &[]);
            assert_eq!(report.findings[0].remedies, [remedy], "{text}");
        }
    }

    #[test]
    fn what_fills_the_path_gives_nothing() {
        let tuned = "net.core.rmem_max = 536870912
net.core.default_qdisc = fq
net.ipv4.tcp_rmem = 4096 131072 536870912
net.ipv4.tcp_wmem = 4096 16384 536870912
net.ipv4.tcp_congestion_control = cubic
net.ipv4.tcp_available_congestion_control = reno cubic bbr
net.ipv4.tcp_sack = 1
net.ipv4.tcp_mtu_probing = 1
kernel.pid_max = 4194304
vm.swappiness = 60
ip link set dev eth0 mtu 9000 txqueuelen 10000
ip route show
iperf3 -c h -w 256M -t 60
iperf3 -c h -u -b 5G -w 64K
ethtool -K eth0 tso on gso on gro on
tc qdisc add dev eth0 root fq
tc qdisc add dev eth2 root tbf rate 10gbit burst 2mb latency 50ms
tc qdisc add dev eth3 root handle 1: htb default 10
tc class add dev eth3 parent 1: classid 1:10 htb rate 1gbit ceil 10gbit
tc filter add dev eth3 parent 1: protocol ip u32 match ip dport 80 0xffff flowid 1:10
ethtool -s eth0 speed 10000 duplex full autoneg off
";
        assert_eq!(on_a_long_path(tuned), []);
    }

    #[test]
    fn mtus_of_two_hosts_are_compared() {
        let source = |name: &str, mtu: u32| Source {
            name: name.to_owned(),
            text: format!("ip link set dev eth0 mtu {mtu}\n"),
        };
        let report = crate::check(&[source("a", 9000), source("b", 1500)], &[]);
        let [found] = &report.findings[..] else {
            panic!("{:?}", report.findings)
        };
        assert_eq!(found.rule, "HOST013");
        assert_eq!(
            crate::check(&[source("a", 9000), source("b", 9000)], &[]).findings,
            []
        );
    }
}
