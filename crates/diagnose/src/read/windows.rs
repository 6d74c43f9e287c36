//! `netsh interface tcp show global` of Windows, in other languages too, PowerShell's `Get-NetTCPSetting`, `ver`, and TCP's values of the registry.

use farpath_predict::window::UNSCALED_MAX;

use super::{Facts, Line, Tool};
use crate::fact::{Of, Place};

/// The state of reading.
#[derive(Default)]
pub(super) struct Netsh {
    host: Option<Of>,
    /// The command was read, and not yet the head of what it prints.
    asked: bool,
}

/// What heads its list, where the command was not pasted with it.
const HEADS: [&str; 2] = ["TCP Global Parameters", "Globale TCP-Parameter"];

/// What its languages call a receive window: its values are not translated. German as in a pasted list; the others are the usual words.
const WINDOWS: [&str; 5] = [
    "Empfangsfenster",
    "fenêtre de réception",
    "ventana de recepción",
    "finestra di ricezione",
    "janela de recepção",
];

/// Whether a line of the list says the level of tuning.
fn is_tuning(key: &str) -> bool {
    ["Receive Window Auto-Tuning Level", "AutoTuningLevelLocal"].contains(&key)
        || WINDOWS.iter().any(|words| key.contains(words))
}

/// Whether a line is the command, behind a prompt: `C:\>netsh int tcp show global`.
fn asks(text: &str) -> bool {
    let Some((prompt, command)) = text.split_once("netsh ") else {
        return false;
    };
    let words: Vec<&str> = command.split_whitespace().collect();
    let whole = matches!(words[..], ["int" | "interface", "tcp", "show", "global"]);
    whole && (prompt.is_empty() || prompt.trim_end().ends_with('>'))
}

impl Tool for Netsh {
    fn name(&self) -> &'static str {
        "netsh"
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let asked = asks(line.bare);
        if asked || HEADS.contains(&line.bare) {
            // The command and the head of what it prints are of one host.
            if asked || !going || self.host.is_none() || !self.asked {
                let host = facts.host();
                facts.word(host, "system", "windows", line.at);
                self.host = Some(host);
            }
            self.asked = asked;
            return true;
        }
        if line.bare.starts_with("SettingName ") && line.bare.contains(" : ") {
            // The first of several templates: which is in force depends on the round trip.
            if self.host.is_none() || !going {
                let host = facts.host();
                facts.word(host, "system", "windows", line.at);
                self.host = Some(host);
            }
            return true;
        }
        let Some(host) = self.host.filter(|_| going) else {
            return false;
        };
        let Some((key, value)) = line.bare.split_once(" : ") else {
            let between = line.bare.bytes().all(|b| b == b'-') || line.bare.ends_with("...");
            // Whatever the language, a head stands between the command and its rule.
            return between || core::mem::take(&mut self.asked);
        };
        let (key, value) = (key.trim(), value.trim().to_ascii_lowercase());
        match (key, value.as_str()) {
            (key, level) if is_tuning(key) => tuned(host, level, line.at, facts),
            (key, "disabled") if key.ends_with("Timestamps") || key.contains("1323") => {
                facts.exact(host, "timestamps", 0.0, line.at);
            }
            (
                "Add-On Congestion Control Provider"
                | "Congestion Control Provider"
                | "CongestionProvider",
                name,
            ) => {
                if let Some(cc) = crate::known::control(name) {
                    facts.word(host, "cc", cc, line.at);
                }
            }
            _ => {}
        }
        true
    }
}

/// Takes the level of tuning of a host, in any case of letters.
pub(super) fn tuned(host: Of, level: &str, at: Place, facts: &mut Facts) {
    if let Some((level, shift)) = crate::known::tuning(level) {
        facts.word(host, "tuning_level", level, at);
        // With tuning off, Windows offers 64 KiB and does not scale it.
        let most = UNSCALED_MAX as f64 * f64::from(1_u32 << shift);
        facts.exact(host, "recvspace_bytes", most, at);
    }
}

/// The state of reading: the host whose registry is printed.
#[derive(Default)]
pub(super) struct Registry {
    host: Option<Of>,
}

/// The first release that tunes windows by itself is Vista, 6.0.
const TUNES: u64 = 6;

impl Tool for Registry {
    fn name(&self) -> &'static str {
        "registry"
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        if let Some(major) = version(line.bare) {
            let host = facts.system_of();
            facts.word(host, "system", "windows", line.at);
            if major < TUNES {
                facts.word(host, "before_vista", "before Vista", line.at);
            }
            return true;
        }
        if line.bare.starts_with("HKEY_LOCAL_MACHINE\\") {
            self.host = None;
            return line
                .bare
                .to_ascii_lowercase()
                .contains("\\tcpip\\parameters");
        }
        let words: Vec<&str> = line.bare.split_whitespace().collect();
        let [name, "REG_DWORD", value] = words[..] else {
            return false;
        };
        let Some(value) = dword(value) else {
            return false;
        };
        let of_window = ["TcpWindowSize", "GlobalMaxTcpWindowSize"];
        let of_options = name.eq_ignore_ascii_case("Tcp1323Opts");
        if !of_options && !of_window.iter().any(|w| name.eq_ignore_ascii_case(w)) {
            return going && self.host.is_some();
        }
        let host = match self.host {
            Some(host) => host,
            None => facts.settings_of(),
        };
        self.host = Some(host);
        facts.word(host, "system", "windows", line.at);
        match of_options {
            // Bit 0 is scaling, bit 1 timestamps.
            true => facts.exact(host, "window_scaling", f64::from(value & 1), line.at),
            false => facts.exact(host, "recvspace_bytes", f64::from(value), line.at),
        }
        true
    }

    fn finish(&mut self, _facts: &mut Facts) {
        self.host = None;
    }
}

/// The major release of `Microsoft Windows [Version 5.2.3790]`, in any language.
fn version(text: &str) -> Option<u64> {
    let rest = text.strip_prefix("Microsoft Windows [")?;
    let (_, number) = rest.strip_suffix(']')?.split_once(' ')?;
    crate::words::whole(number.split('.').next()?)
}

/// `0xfaf0`, or a decimal number.
fn dword(text: &str) -> Option<u32> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}
