//! Which language a configuration is written in.

use core::fmt;

/// A configuration language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// Junos, `interfaces { … }`.
    Junos,
    /// Junos, `set interfaces …`.
    JunosSet,
    /// Cisco IOS.
    Ios,
    /// Cisco CatOS, `set qos …`.
    CatOs,
    /// Hosts: sysctl settings and test commands.
    Hosts,
    /// Listings of `show cdp neighbors detail` and `show lldp neighbors`.
    Neighbors,
}

impl Dialect {
    /// Every dialect.
    pub const ALL: [Dialect; 6] = [
        Dialect::Junos,
        Dialect::JunosSet,
        Dialect::Ios,
        Dialect::CatOs,
        Dialect::Hosts,
        Dialect::Neighbors,
    ];

    /// Its name on the command line and in results.
    pub const fn name(self) -> &'static str {
        match self {
            Dialect::Junos => "junos",
            Dialect::JunosSet => "junos-set",
            Dialect::Ios => "ios",
            Dialect::CatOs => "catos",
            Dialect::Hosts => "hosts",
            Dialect::Neighbors => "neighbors",
        }
    }

    /// The dialect of this name.
    pub fn named(name: &str) -> Option<Dialect> {
        Dialect::ALL.into_iter().find(|d| d.name() == name)
    }

    /// Whether it is one of the two forms of Junos.
    pub const fn is_junos(self) -> bool {
        matches!(self, Dialect::Junos | Dialect::JunosSet)
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
