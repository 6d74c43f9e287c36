//! A survey of this host: its settings, interfaces and counters, read from `/proc` and `/sys`, and what only the kernel
//! says of interfaces. Nothing is changed, nothing is sent, and no privilege is needed.

mod counters;
mod files;
mod interfaces;
mod kernel;
mod place;

use std::path::Path;

use farpath_record::survey::{Setting, Survey};

use files::Files;

/// Settings of words; all others are of numbers.
const WORDS: [&str; 3] = [
    "net.core.default_qdisc",
    "net.ipv4.tcp_available_congestion_control",
    "net.ipv4.tcp_congestion_control",
];

/// Settings of three numbers: the least, the default or the pressure, and the most.
const TRIPLES: [&str; 3] = ["net.ipv4.tcp_mem", "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"];

/// Settings that bear on a path, by their names in `sysctl`.
const SETTINGS: [&str; 27] = [
    "net.core.default_qdisc",
    "net.core.netdev_budget",
    "net.core.netdev_max_backlog",
    "net.core.optmem_max",
    "net.core.rmem_default",
    "net.core.rmem_max",
    "net.core.wmem_default",
    "net.core.wmem_max",
    "net.ipv4.tcp_adv_win_scale",
    "net.ipv4.tcp_available_congestion_control",
    "net.ipv4.tcp_congestion_control",
    "net.ipv4.tcp_ecn",
    "net.ipv4.tcp_limit_output_bytes",
    "net.ipv4.tcp_mem",
    "net.ipv4.tcp_moderate_rcvbuf",
    "net.ipv4.tcp_mtu_probing",
    "net.ipv4.tcp_no_metrics_save",
    "net.ipv4.tcp_notsent_lowat",
    "net.ipv4.tcp_pacing_ca_ratio",
    "net.ipv4.tcp_pacing_ss_ratio",
    "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_sack",
    "net.ipv4.tcp_shrink_window",
    "net.ipv4.tcp_slow_start_after_idle",
    "net.ipv4.tcp_timestamps",
    "net.ipv4.tcp_window_scaling",
    "net.ipv4.tcp_wmem",
];

/// Why a host could not be surveyed.
#[derive(Debug, thiserror::Error)]
pub enum SurveyError {
    /// There are no settings to read.
    #[error(
        "read {file}: {cause}; a survey needs the settings of a Linux kernel there (on this host: mount -t proc proc /proc)"
    )]
    Unreadable {
        /// The file.
        file: String,
        /// Why.
        cause: String,
    },
    /// No interface has this name.
    #[error("no interface is called {name}; there are {known}")]
    NoInterface {
        /// The name.
        name: String,
        /// Those there are.
        known: String,
    },
}

/// Surveys the host whose `/proc` and `/sys` are below `root`; `/` is this one, and its kernel is then asked too what no
/// file says. With `interface`, only the interface of this name is listed, and it is the way out.
///
/// # Errors
/// Where not one setting can be read, and where no interface has that name.
pub fn survey(root: &Path, interface: Option<&str>) -> Result<Survey, SurveyError> {
    let mut files = Files::new(root);
    let mut survey = Survey {
        page_bytes: kernel::page_bytes(),
        ..Survey::default()
    };
    let unparsed = settings(&mut files, &mut survey)?;
    survey.name = files.word("/proc/sys/kernel/hostname");
    survey.kernel = files.word("/proc/sys/kernel/osrelease");
    place::read(&mut files, &mut survey);
    counters::read(&mut files, &mut survey);
    interfaces::read(&mut files, &mut survey);
    if root == Path::new("/") {
        kernel::complete(&mut survey);
    }
    choose(&mut survey, interface)?;
    survey.unread = files.unread();
    survey.unread.extend(unparsed);
    Ok(survey)
}

/// The counters of this host's network namespace, by their names in `nstat`, and those of its interfaces as
/// `NAME.rx_dropped`: what to subtract before from after.
pub fn counters() -> std::collections::BTreeMap<String, u64> {
    let mut files = Files::new(Path::new("/"));
    let mut survey = Survey::default();
    counters::read(&mut files, &mut survey);
    interfaces::read(&mut files, &mut survey);
    let mut all = survey.counters;
    for interface in survey.interfaces {
        for (name, value) in interface.statistics {
            all.insert(format!("{}.{name}", interface.name), value);
        }
    }
    if let Some(softnet) = survey.softnet {
        all.insert("softnet.dropped".to_owned(), softnet.dropped);
        all.insert("softnet.squeezed".to_owned(), softnet.squeezed);
    }
    all
}

/// Reads the settings; of those without a number where one belongs, what is wrong.
fn settings(files: &mut Files, survey: &mut Survey) -> Result<Vec<String>, SurveyError> {
    let mut unparsed = Vec::new();
    for key in SETTINGS {
        let file = format!("/proc/sys/{}", key.replace('.', "/"));
        let Some(text) = files.full(&file) else {
            continue;
        };
        let words: Vec<&str> = text.split_whitespace().collect();
        let value = words.join(" ");
        if is_value(key, &words) {
            let setting = Setting { value, file };
            survey.settings.insert(key.to_owned(), setting);
        } else {
            let start: String = value.chars().take(40).collect();
            unparsed.push(format!("{file}: not what a kernel prints there: {start}"));
        }
    }
    let first = "/proc/sys/net/ipv4/tcp_rmem";
    // One file with a word in it is a host's: what the others would say is unknown.
    match survey.settings.is_empty() && unparsed.is_empty() {
        false => Ok(unparsed),
        true => Err(SurveyError::Unreadable {
            file: files.shown(first),
            cause: files.why(first),
        }),
    }
}

/// Whether a kernel prints a setting so: three numbers, one, or words.
fn is_value(key: &str, words: &[&str]) -> bool {
    let numbers = match key {
        _ if WORDS.contains(&key) => return true,
        _ if TRIPLES.contains(&key) => 3,
        _ => 1,
    };
    words.len() == numbers && words.iter().all(|w| w.parse::<i64>().is_ok())
}

/// Leaves the interfaces that are of use: the one that is named, or those that are up and not the loopback.
fn choose(survey: &mut Survey, name: Option<&str>) -> Result<(), SurveyError> {
    let Some(name) = name else {
        survey.interfaces.retain(|i| i.name != "lo");
        return Ok(());
    };
    let known: Vec<String> = survey.interfaces.iter().map(|i| i.name.clone()).collect();
    survey.interfaces.retain(|i| i.name == name);
    if survey.interfaces.is_empty() {
        return Err(SurveyError::NoInterface {
            name: name.to_owned(),
            known: match known.is_empty() {
                true => "none that is up".to_owned(),
                false => known.join(", "),
            },
        });
    }
    survey.default_interface = name.to_owned();
    Ok(())
}

#[cfg(test)]
mod tests;
