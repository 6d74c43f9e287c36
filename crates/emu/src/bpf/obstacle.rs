//! What the machine must be for BPF congestion control, found out before anything is done.

use std::path::Path;

use super::error::BpfError;

/// Capabilities that do: one of all power, or these together (linux/capability.h).
const SYS_ADMIN: (u32, &str) = (21, "CAP_SYS_ADMIN");
const PARTS: [(u32, &str); 3] = [(39, "CAP_BPF"), (38, "CAP_PERFMON"), (12, "CAP_NET_ADMIN")];

/// What the kernel's files say.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    /// `CapEff` of this process.
    capabilities: u64,
    /// `/proc/self/uid_map`.
    uid_map: String,
    /// The kernel's types are there.
    types: bool,
    /// `/proc/sys/net/core/bpf_jit_enable`, if there.
    jit: Option<String>,
    /// The network namespace is not the machine's first: the setting is not shown, and nothing is known.
    elsewhere: bool,
}

impl Facts {
    pub(super) fn read() -> Facts {
        let text = |path: &str| std::fs::read_to_string(path).ok();
        let status = text("/proc/self/status").unwrap_or_default();
        let capabilities = status
            .lines()
            .find_map(|line| line.strip_prefix("CapEff:"))
            .and_then(|digits| u64::from_str_radix(digits.trim(), 16).ok());
        Facts {
            capabilities: capabilities.unwrap_or(0),
            uid_map: text("/proc/self/uid_map").unwrap_or_default(),
            types: Path::new("/sys/kernel/btf/vmlinux").exists(),
            jit: text("/proc/sys/net/core/bpf_jit_enable"),
            elsewhere: !Path::new("/proc/sys/net/ipv4/tcp_mem").exists(),
        }
    }

    pub(super) fn judge(&self) -> Result<(), BpfError> {
        // The first namespace maps everybody to himself.
        if self.uid_map.split_whitespace().collect::<Vec<_>>() != ["0", "0", "4294967295"] {
            return Err(BpfError::UserNamespace);
        }
        let has = |bit: u32| self.capabilities >> bit & 1 == 1;
        if !has(SYS_ADMIN.0) {
            let missing: Vec<&str> = PARTS
                .iter()
                .filter(|(bit, _)| !has(*bit))
                .map(|(_, name)| *name)
                .collect();
            if !missing.is_empty() {
                let text = format!("{} (or {})", missing.join(", "), SYS_ADMIN.1);
                return Err(BpfError::Capabilities(text));
            }
        }
        if !self.types {
            return Err(BpfError::NoTypes);
        }
        match self.jit.as_deref().map(str::trim) {
            None if self.elsewhere => Ok(()),
            None | Some("0") => Err(BpfError::NoCompiler),
            Some(_) => Ok(()),
        }
    }
}

/// What may stand behind a refusal: the kernel's lockdown, where it is in force.
pub(super) fn lockdown() -> String {
    let text = std::fs::read_to_string("/sys/kernel/security/lockdown").unwrap_or_default();
    hint(&text)
}

fn hint(lockdown: &str) -> String {
    let mode = lockdown.split('[').nth(1).and_then(|t| t.split(']').next());
    match mode {
        None | Some("none") => String::new(),
        Some(mode) => format!(
            " (it is locked down: `{mode}` in /sys/kernel/security/lockdown, usually by secure boot)"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root() -> Facts {
        Facts {
            capabilities: 0x1ff_ffff_ffff,
            uid_map: "         0          0 4294967295\n".into(),
            types: true,
            jit: Some("1\n".into()),
            elsewhere: false,
        }
    }

    #[test]
    fn every_obstacle_is_named() {
        assert!(root().judge().is_ok());
        let said = |facts: Facts| facts.judge().unwrap_err().to_string();
        let facts = root();
        assert!(
            said(Facts {
                uid_map: "0 1000 1".into(),
                ..facts.clone()
            })
            .contains("user namespace")
        );
        let none = said(Facts {
            capabilities: 0,
            ..facts.clone()
        });
        assert!(
            none.contains("CAP_BPF, CAP_PERFMON, CAP_NET_ADMIN (or CAP_SYS_ADMIN)"),
            "{none}"
        );
        let bpf_alone = said(Facts {
            capabilities: 1 << 39,
            ..facts.clone()
        });
        assert!(
            bpf_alone.contains("needs CAP_PERFMON, CAP_NET_ADMIN"),
            "{bpf_alone}"
        );
        assert!(
            said(Facts {
                types: false,
                ..facts.clone()
            })
            .contains("/sys/kernel/btf/vmlinux")
        );
        for jit in [None, Some("0\n".to_owned())] {
            assert!(
                said(Facts {
                    jit,
                    ..facts.clone()
                })
                .contains("CONFIG_BPF_JIT")
            );
        }
    }

    #[test]
    fn a_setting_that_another_namespace_hides_is_no_obstacle() {
        let hidden = Facts {
            jit: None,
            elsewhere: true,
            ..root()
        };
        assert!(hidden.judge().is_ok());
        let jit = Some("0\n".to_owned());
        assert!(Facts { jit, ..hidden }.judge().is_err());
    }

    #[test]
    fn the_parts_of_cap_sys_admin_do_together() {
        let capabilities = PARTS.iter().map(|(bit, _)| 1 << bit).sum();
        let facts = Facts {
            capabilities,
            ..root()
        };
        assert!(facts.judge().is_ok());
    }

    #[test]
    fn lockdown_is_named_where_it_is_in_force() {
        assert_eq!(hint(""), "");
        assert_eq!(hint("[none] integrity confidentiality\n"), "");
        assert!(hint("none integrity [confidentiality]\n").contains("`confidentiality`"));
    }
}
