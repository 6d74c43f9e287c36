//! Cases between real kernels: the same paths in labs of farpath, with the tools' own output as evidence.
//!
//! What runs is `iperf3`, `ping`, `ss` and `sysctl` of this machine, in hosts of their own; the path between them is emulated. A
//! lab says itself whether it kept its promises: cases whose certificate is invalid are counted, and judged apart.

use std::path::Path;
use std::process::{Command, Stdio};

use farpath_diagnose::{Known, Source, read};
use farpath_units::Rate;

use super::case::Case;
use super::fit::Sample;
use super::judged::judged;
use super::level::Level;
use super::score::Outcome;

/// The program that runs labs, as it was built last.
const PROGRAM: &str = "target/checked/farpath";

/// Outcomes of one case, and whether its lab kept its promises.
pub(super) struct Seen {
    pub(super) outcomes: Vec<Outcome>,
    /// What the certificate says against it; `None` where it is valid.
    pub(super) invalid: Option<String>,
}

/// Where the texts of labs that kept their promises stay.
const KEPT: &str = "target/corpus-lab";

/// Runs a case in a lab and diagnoses what its tools printed; what went wrong with the lab as an error.
///
/// The texts of a lab that kept its promises stay, and the next run diagnoses these.
pub(super) fn seen(case: &Case) -> Result<Seen, String> {
    let kept = Path::new(KEPT).join(case.number.to_string());
    if kept.exists() {
        return Ok(Seen {
            outcomes: outcomes(case, &kept)?,
            invalid: None,
        });
    }
    let folder = Path::new(KEPT).join("running");
    let _before = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let seen = in_folder(
        case,
        &std::path::absolute(&folder).map_err(|e| e.to_string())?,
    )?;
    if seen.invalid.is_none() {
        std::fs::rename(&folder, &kept).map_err(|e| format!("{}: {e}", kept.display()))?;
    }
    Ok(seen)
}

fn in_folder(case: &Case, folder: &Path) -> Result<Seen, String> {
    let scenario = folder.join("case.toml");
    std::fs::write(&scenario, case.text()).map_err(|e| format!("{}: {e}", scenario.display()))?;
    let junit = folder.join("junit.xml");
    let at = |name: &str| folder.join(name).display().to_string();
    let settings =
        "sysctl net.ipv4.tcp_rmem net.ipv4.tcp_wmem net.ipv4.tcp_window_scaling; uname -a";
    let server = format!("({settings}) > {}; exec iperf3 -s -1", at("receiver.txt"));
    let asked = match case.cause {
        "ramp" => "-t 1".to_owned(),
        // What a program hands over at this pace is all there is to send.
        "application" => format!("-t {:.0} -b {:.0}", case.seconds, case.rate * case.share),
        _ => format!("-t {:.0}", case.seconds),
    };
    let client = format!(
        "ping -c 10 -i 0.2 d > {}; ({settings}) > {}; (sleep {:.1}; ss -tinm dst d > {}) & iperf3 -c d -C {} -i {:.1} {asked} > {}; wait",
        at("ping.txt"),
        at("sender.txt"),
        0.75 * case.seconds.max(0.4),
        at("ss.txt"),
        case.cc,
        (case.seconds / 12.0).max(0.25),
        at("log.txt")
    );
    let out = Command::new(PROGRAM)
        .args([
            "lab",
            "run",
            "-4",
            "--timeout",
            "90s",
            "--wait-port",
            "5201",
        ])
        .arg("--junit")
        .arg(&junit)
        .args(["--server", &server])
        .arg(&scenario)
        .args(["--", "bash", "-c", &client])
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("{PROGRAM}: {e}; build the program first"))?;
    if !out.status.success() {
        let said = String::from_utf8_lossy(&out.stderr);
        return Err(format!("case {}: {}", case.number, said.trim()));
    }
    let verdict = std::fs::read_to_string(&junit).unwrap_or_default();
    Ok(Seen {
        outcomes: outcomes(case, folder)?,
        invalid: fault(&verdict),
    })
}

/// Why the test of the certificate was skipped, from the JUnit text of a lab.
fn fault(verdict: &str) -> Option<String> {
    let (_, why) = verdict.split_once("<skipped")?;
    Some(why.split('>').next().unwrap_or_default().trim().to_owned())
}

fn outcomes(case: &Case, folder: &Path) -> Result<Vec<Outcome>, String> {
    let source = |name: &str| Source {
        name: name.to_owned(),
        bytes: std::fs::read(folder.join(name)).unwrap_or_default(),
    };
    let all = [
        "log.txt",
        "ping.txt",
        "sender.txt",
        "receiver.txt",
        "ss.txt",
    ]
    .map(source);
    let levels = [
        (Level::Log, 1),
        (Level::Ping, 2),
        (Level::Settings, 4),
        (Level::Ss, 5),
    ];
    let mut outcomes = Vec::new();
    for (level, texts) in levels {
        let mut facts = read(&all[..texts]);
        let known = Known {
            line: Rate::from_bps(case.rate as u64),
            ..Known::default()
        };
        known.tell(&mut facts);
        let flow = judged(&facts)?;
        let goodput = flow.observed.goodput_bps.unwrap_or(0.0);
        let full = if case.cc == "bbr" { 0.7 } else { 0.88 } * case.payload();
        let lossy = ["random_loss", "shallow_buffer", "policer"].contains(&case.cause);
        let truth = if lossy && goodput > full {
            "link"
        } else {
            case.cause
        };
        outcomes.push(Outcome {
            number: case.number,
            level,
            truth,
            other: None,
            injected: case.cause,
            said: flow.verdict.cause,
            confidence: flow.verdict.confidence,
            second: flow.verdict.second.as_ref().map(|s| s.cause),
            then: None,
            asked: flow.missing.iter().map(|m| m.fact).collect(),
            next: None,
            predicted: None,
            bounded: false,
            note: format!(
                "{case:?}, measured {goodput:.0}, because {:?}, ceilings {:?}",
                flow.verdict.because,
                flow.ceilings
                    .iter()
                    .map(|c| (c.cause, c.limit_bps))
                    .collect::<Vec<_>>()
            ),
            sample: Sample {
                case: case.number,
                level,
                truth,
                from: farpath_diagnose::unfitted(&facts).ok_or("a text without a flow")?,
            },
        });
    }
    Ok(outcomes)
}
