//! Shell lines, read for what they set. Nothing is executed.

use farpath_tcp::Algorithm;
use farpath_units::Duration;

use crate::settings::{Manners, Settings};

/// Text of a file named by a shell line, such as `../common/defaults.sh`; `None` when there is none.
pub type Files<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Files that name files, at most this deep.
const DEPTH: u32 = 4;

/// What is asked of the endpoint besides settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Question {
    /// `sockstat … | grep -c STATE | grep N`: this many connections are in that state.
    Count { state: String, number: u32 },
}

/// Reads `text`: settings are made, questions returned.
///
/// # Errors
/// What cannot be had.
pub(crate) fn read(
    text: &str,
    settings: &mut Settings,
    files: Files<'_>,
) -> Result<Vec<Question>, String> {
    let mut questions = Vec::new();
    lines(text, settings, files, DEPTH, &mut questions)?;
    Ok(questions)
}

fn lines(
    text: &str,
    settings: &mut Settings,
    files: Files<'_>,
    depth: u32,
    questions: &mut Vec<Question>,
) -> Result<(), String> {
    let joined = text.replace("\\\r\n", " ").replace("\\\n", " ");
    for line in joined.lines() {
        let line = match line.trim_start().strip_prefix('#') {
            Some(_) => "",
            None => line.split(" #").next().unwrap_or_default(),
        };
        for command in line.split(';').flat_map(|part| part.split("&&")) {
            command_line(command.trim(), settings, files, depth, questions)?;
        }
    }
    Ok(())
}

fn command_line(
    command: &str,
    settings: &mut Settings,
    files: Files<'_>,
    depth: u32,
    questions: &mut Vec<Question>,
) -> Result<(), String> {
    let words = words(command);
    let Some(name) = words.first() else {
        return Ok(());
    };
    let base = name.rsplit('/').next().unwrap_or(name);
    match base {
        "sysctl" => assignments(&words[1..], settings),
        "set_sysctls.py" => assignments(&words[1..], settings),
        "echo" => echo(&words[1..], settings),
        "sockstat" => {
            questions.push(sockstat(command)?);
            Ok(())
        }
        "tc" if command.contains("limit 0") => Err("an interface that sends nothing".to_owned()),
        "tc" => {
            queue(&words, settings);
            Ok(())
        }
        "ip" => route(&words, settings),
        // Offload and caches of a real host: the endpoint has none.
        "ethtool" | "kldload" | "kldunload" | "true" | ":" | "set" | "export" | "sleep"
        | "modprobe" | "tcpdrop" => Ok(()),
        _ if base.starts_with("sysctl_restore") => Ok(()),
        _ if base.ends_with(".sh") => {
            if depth == 0 {
                return Err(format!(
                    "`{name}`: files that run files are nested too deeply"
                ));
            }
            let text = files(name).ok_or_else(|| format!("`{name}`: there is no such file"))?;
            lines(&text, settings, files, depth - 1, questions)
        }
        _ => Err(format!("the shell command `{base}`")),
    }
}

/// `tc qdisc replace dev tun0 root fq`: of all queues this one is seen, because it paces. Another one in its place, or
/// none, does not.
fn queue(words: &[String], settings: &mut Settings) {
    if words.get(1).is_some_and(|word| word == "qdisc") {
        settings.paces = words.iter().any(|word| word == "fq");
    }
}

/// Words, quotes taken off. A redirection ends them, but for `echo`, which needs its target.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for c in command.chars() {
        match (c, quote) {
            ('"' | '\'', None) => quote = Some(c),
            (c, Some(q)) if c == q => quote = None,
            (' ' | '\t', None) => words.push(String::new()),
            (c, _) => {
                if let Some(word) = words.last_mut() {
                    word.push(c);
                }
            }
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// `name=value` words; switches and redirections are passed over.
fn assignments(words: &[String], settings: &mut Settings) -> Result<(), String> {
    for word in words {
        if word.starts_with('>') || word.starts_with("2>") || word == "|" {
            break;
        }
        if word.starts_with('-') || word.starts_with("/dev/") {
            continue;
        }
        let Some((name, value)) = word.split_once('=') else {
            // Reading a setting asks for nothing.
            continue;
        };
        let name = name
            .strip_prefix("/proc/sys/")
            .unwrap_or(name)
            .replace('/', ".");
        sysctl(&name, value.trim(), settings)?;
    }
    Ok(())
}

/// `echo VALUE > /proc/sys/…`.
fn echo(words: &[String], settings: &mut Settings) -> Result<(), String> {
    let Some(target) = words.iter().find_map(|word| {
        let path = word.trim_start_matches('>');
        path.strip_prefix("/proc/sys/")
    }) else {
        return Ok(());
    };
    let value = words.first().map_or("", |word| word.as_str());
    sysctl(&target.replace('/', "."), value, settings)
}

fn number(name: &str, value: &str) -> Result<u64, String> {
    let parsed = match value.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16),
        None => value.parse(),
    };
    parsed.map_err(|_| format!("sysctl {name}={value}"))
}

/// The last of several numbers; `$((15*1024*1024))` is understood.
fn last_number(name: &str, value: &str) -> Result<u64, String> {
    let last = value.split_whitespace().next_back().unwrap_or_default();
    let inner = last
        .strip_prefix("$((")
        .and_then(|rest| rest.strip_suffix("))"))
        .unwrap_or(last);
    let mut product = 1u64;
    for factor in inner.split('*') {
        product = product.saturating_mul(number(name, factor.trim())?);
    }
    Ok(product)
}

fn sysctl(name: &str, value: &str, settings: &mut Settings) -> Result<(), String> {
    if let Some(name) = name.strip_prefix("net.inet.") {
        return freebsd(name, value, settings);
    }
    if name.starts_with("kern.") {
        if name == "kern.ipc.maxsockbuf" {
            settings.receive_space_max = number(name, value)?;
        }
        return Ok(());
    }
    let short = name
        .strip_prefix("net.ipv4.tcp_")
        .ok_or_else(|| format!("sysctl {name}"))?;
    let unsupported = || Err(format!("sysctl {name}={value}"));
    match short {
        "timestamps" => settings.timestamps = number(name, value)? != 0,
        "sack" => settings.sack = number(name, value)? != 0,
        "window_scaling" => settings.window_scaling = number(name, value)? != 0,
        "ecn" => match number(name, value)? {
            n @ 0..=2 => settings.ecn = n as u8,
            _ => return Err("accurate ECN".to_owned()),
        },
        "rmem" => settings.receive_space_max = last_number(name, value)?,
        "slow_start_after_idle" => settings.slow_start_after_idle = number(name, value)? != 0,
        "syn_retries" => settings.syn_retries = number(name, value)?.min(127) as u32,
        "tso_rtt_log" => settings.longer_bursts = number(name, value)? != 0,
        "syn_linear_timeouts" => settings.syn_linear = number(name, value)?.min(127) as u32,
        "synack_retries" => settings.syn_ack_retries = number(name, value)?.min(255) as u32,
        "congestion_control" => match Algorithm::named(value) {
            Some(algorithm) => settings.algorithm = algorithm,
            None => return unsupported(),
        },
        "rto_min_us" => settings.rto_min = Duration::from_us(number(name, value)?.min(10_000_000)),
        "dsack" => settings.dsack = number(name, value)? != 0,
        "early_retrans" => settings.tail_probe = number(name, value)? != 0,
        "recovery" => settings.rack = number(name, value)? & 1 != 0,
        "frto" => settings.frto = number(name, value)? != 0,
        "comp_sack_nr" => settings.compressed_sacks = number(name, value)?.min(255) as u32,
        // The model's are Linux's defaults, and do not change.
        "reordering" | "fack" => {}
        // Send buffers, offload, pacing without a pacing queue, cookies and timers that no script
        // can see without other calls that are refused.
        "wmem" | "tso_win_divisor" | "pacing_ss_ratio" | "pacing_ca_ratio" | "notsent_lowat"
        | "fastopen" | "fastopen_key" | "syncookies" | "ecn_option" | "min_tso_segs"
        | "no_metrics_save" | "autocorking" | "fastopen_cookies" | "fin_timeout" | "tw_reuse"
        | "min_snd_mss" | "moderate_rcvbuf" | "shrink_window" | "retries1" | "retries2"
        | "ecn_option_beacon" | "ecn_fallback" | "limit_output_bytes" | "invalid_ratelimit"
        | "plb_enabled" => {}
        _ => return unsupported(),
    }
    Ok(())
}

fn freebsd(name: &str, value: &str, settings: &mut Settings) -> Result<(), String> {
    if settings.manners != Manners::FreeBsd {
        settings.manners = Manners::FreeBsd;
        settings.drop_syn_fin = false;
    }
    let on = || number(name, value).map(|n| n != 0);
    match name {
        "tcp.rfc1323" => {
            settings.timestamps = on()?;
            settings.window_scaling = on()?;
        }
        "tcp.sack.enable" => settings.sack = on()?,
        "tcp.ecn.enable" => settings.ecn = number(name, value)?.min(3) as u8,
        "tcp.recvspace" => settings.receive_space = number(name, value)?.min(1 << 30) as u32,
        "tcp.insecure_rst" => settings.insecure_reset = on()?,
        "tcp.insecure_syn" => settings.insecure_syn = on()?,
        "tcp.blackhole" => settings.blackhole = on()?,
        "tcp.delacktime" => settings.delayed_ack = Duration::from_ms(number(name, value)?.min(500)),
        "tcp.initcwnd_segments" => {
            settings.initial_window = number(name, value)?.clamp(1, 1000) as u32;
        }
        "tcp.sendspace"
        | "tcp.hostcache.purgenow"
        | "tcp.hostcache.enable"
        | "tcp.rexmit_drop_options"
        | "tcp.rexmit_slop"
        | "tcp.rexmit_initial"
        | "tcp.syncookies_only"
        | "tcp.syncookies"
        | "tcp.fastopen.client_enable"
        | "tcp.fastopen.server_enable"
        | "tcp.keepinit"
        | "icmp.icmplim"
        | "tcp.functions_default"
        | "tcp.sendbuf_auto"
        | "tcp.recvbuf_auto" => {}
        "tcp.udp_tunneling_port" => {
            let port = u16::try_from(number(name, value)?).unwrap_or(0);
            settings.udp_port = (port > 0).then_some(port);
        }
        "tcp.udp_tunneling_overhead" => {
            settings.udp_overhead = number(name, value)?.min(1024) as u16;
        }
        "tcp.drop_synfin" => settings.drop_syn_fin = on()?,
        "tcp.icmp_may_rst" | "tcp.path_mtu_discovery" => {}
        _ => return Err(format!("sysctl net.inet.{name}")),
    }
    Ok(())
}

/// `ip route … initcwnd N`; other settings of a route are refused.
fn route(words: &[String], settings: &mut Settings) -> Result<(), String> {
    let mut rest = words.iter().skip(1);
    match rest.next().map(String::as_str) {
        Some("tcp_metrics") => return Ok(()),
        Some("route" | "ro" | "-6") => {}
        _ => return Err("the shell command `ip`".to_owned()),
    }
    while let Some(word) = rest.next() {
        match word.as_str() {
            "initcwnd" => {
                let value = rest.next().map_or("", String::as_str);
                settings.initial_window = number("initcwnd", value)?.clamp(1, 1000) as u32;
            }
            "advmss" => {
                let value = rest.next().map_or("", String::as_str);
                settings.advertised_mss = u16::try_from(number("advmss", value)?).ok();
            }
            "mtu" | "quickack" | "rto_min" | "congctl" | "features" | "window" | "initrwnd" => {
                return Err(format!("a route's {word}"));
            }
            _ => {}
        }
    }
    Ok(())
}

fn sockstat(command: &str) -> Result<Question, String> {
    let refused = || format!("the shell command `{command}`");
    let mut greps = command.rsplit('|').map(str::trim);
    let number = greps.next().and_then(|g| g.strip_prefix("grep "));
    let state = greps.next().and_then(|g| g.strip_prefix("grep -c "));
    match (number.and_then(|n| n.trim().parse().ok()), state) {
        (Some(number), Some(state)) => Ok(Question::Count {
            state: state.trim().to_owned(),
            number,
        }),
        _ => Err(refused()),
    }
}
