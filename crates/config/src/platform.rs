//! Which machine an IOS text is for: what is a fault on one is right on another.

use core::fmt;

/// A family of machines whose configuration looks like that of IOS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Platform {
    /// Catalyst 6500 and Cisco 7600: `mls qos`, port types.
    Catalyst6500,
    /// Catalyst switches with `mls qos` and `srr-queue`: 2960, 3560, 3750.
    Catalyst,
    /// Catalyst switches with IOS XE, 3650, 3850 and 9000: marks are trusted, and policies alone make queues.
    CatalystXe,
    /// Routers with IOS.
    IosRouter,
    /// Routers with IOS-XE: ASR 1000, ISR 4000.
    IosXe,
    /// Routers with IOS XR: ASR 9000, NCS 5500.
    IosXr,
    /// Switches with NX-OS: Nexus.
    NxOs,
}

/// How many lines are read.
const LINES: usize = 4000;

/// What a sign counts that names the machine: others stand in every section.
const SURE: u32 = 1_000_000;

/// A line's beginning or part, and what it speaks for. `^` stands for the beginning of a statement.
const SIGNS: [(&str, Platform, u32); 62] = [
    ("ios xr configuration", Platform::IosXr, 100),
    ("^end-policy", Platform::IosXr, 20),
    ("^ipv4 address ", Platform::IosXr, 5),
    ("^interface bundle-ether", Platform::IosXr, 20),
    ("^interface mgmteth", Platform::IosXr, 20),
    ("^interface tengige0/", Platform::IosXr, 20),
    ("^interface hundredgige0/", Platform::IosXr, 20),
    ("^interface gigabitethernet0/0/0/", Platform::IosXr, 20),
    ("^hw-module ", Platform::IosXr, 5),
    ("^end-policy-map", Platform::IosXr, 20),
    ("!command: show running-config", Platform::NxOs, 100),
    ("^feature ", Platform::NxOs, 20),
    ("^vdc ", Platform::NxOs, 20),
    ("^interface ethernet1/", Platform::NxOs, 10),
    ("^vrf context ", Platform::NxOs, 20),
    ("^system qos", Platform::NxOs, 20),
    ("^class-map type ", Platform::NxOs, 20),
    ("^policy-map type ", Platform::NxOs, 10),
    ("^boot nxos ", Platform::NxOs, 50),
    ("^boot kickstart ", Platform::NxOs, 50),
    ("^platform qfp ", Platform::IosXe, 50),
    ("asr1000", Platform::IosXe, 30),
    ("isr4", Platform::IosXe, 30),
    ("pid asr", Platform::IosXe, 50),
    ("^platform punt-keepalive", Platform::IosXe, 30),
    ("^platform hardware throughput", Platform::IosXe, 30),
    ("^interface gigabitethernet0/0/", Platform::IosXe, 10),
    ("^interface tengigabitethernet0/", Platform::IosXe, 10),
    ("^wrr-queue ", Platform::Catalyst6500, 10),
    ("^rcv-queue ", Platform::Catalyst6500, 10),
    ("^priority-queue cos-map", Platform::Catalyst6500, 10),
    ("farpath port-type", Platform::Catalyst6500, 20),
    ("^mls ", Platform::Catalyst6500, 4),
    ("s72033", Platform::Catalyst6500, 50),
    ("s3223", Platform::Catalyst6500, 50),
    ("^fabric ", Platform::Catalyst6500, 10),
    ("^mls qos srr-queue", Platform::Catalyst, 30),
    ("^srr-queue ", Platform::Catalyst, 30),
    ("^switch 1 provision", Platform::Catalyst, 50),
    ("^auto qos ", Platform::Catalyst, 10),
    ("^interface gigabitethernet1/0/", Platform::Catalyst, 10),
    ("^interface tengigabitethernet1/0/", Platform::Catalyst, 10),
    ("^license boot level ip", Platform::Catalyst, 20),
    ("^license boot level lan", Platform::Catalyst, 20),
    ("provision c9", Platform::CatalystXe, SURE),
    ("provision ws-c3850", Platform::CatalystXe, SURE),
    ("provision ws-c3650", Platform::CatalystXe, SURE),
    ("provision c3850", Platform::CatalystXe, SURE),
    ("provision c3650", Platform::CatalystXe, SURE),
    ("license udi pid c9", Platform::CatalystXe, SURE),
    ("license udi pid ws-c3850", Platform::CatalystXe, SURE),
    ("license udi pid ws-c3650", Platform::CatalystXe, SURE),
    ("license udi pid c8", Platform::IosXe, SURE),
    ("cat9k_", Platform::CatalystXe, SURE),
    ("cat3k_caa", Platform::CatalystXe, SURE),
    ("^license boot level network-", Platform::CatalystXe, 2),
    ("^switchport", Platform::Catalyst6500, 1),
    ("^interface serial", Platform::IosRouter, 5),
    ("^interface atm", Platform::IosRouter, 5),
    ("^interface pos", Platform::IosRouter, 5),
    ("^interface gigabitethernet0/", Platform::IosRouter, 3),
    ("^interface dialer", Platform::IosRouter, 5),
];

impl Platform {
    /// Every platform.
    pub const ALL: [Platform; 7] = [
        Platform::Catalyst6500,
        Platform::Catalyst,
        Platform::CatalystXe,
        Platform::IosRouter,
        Platform::IosXe,
        Platform::IosXr,
        Platform::NxOs,
    ];

    /// Its name on the command line and in results.
    pub const fn name(self) -> &'static str {
        match self {
            Platform::Catalyst6500 => "catalyst-6500",
            Platform::Catalyst => "catalyst",
            Platform::CatalystXe => "catalyst-9000",
            Platform::IosRouter => "ios-router",
            Platform::IosXe => "ios-xe",
            Platform::IosXr => "ios-xr",
            Platform::NxOs => "nx-os",
        }
    }

    /// The platform of this name.
    pub fn named(name: &str) -> Option<Platform> {
        Platform::ALL.into_iter().find(|p| p.name() == name)
    }

    /// Whether quality of service is switched on with `mls qos`, and marks are believed where it is said.
    pub const fn is_catalyst(self) -> bool {
        matches!(self, Platform::Catalyst6500 | Platform::Catalyst)
    }

    /// Bytes of the frame's header that `mtu` of an Ethernet port counts: IOS XR does, 14.
    pub const fn header_in_mtu(self) -> u32 {
        match self {
            Platform::IosXr => 14,
            _ => 0,
        }
    }

    /// The platform `text` looks most like. Without any sign it is a router's: its port does what
    /// its policies say, and no more.
    pub fn detect(text: &str) -> Platform {
        let mut score = [0_u32; 7];
        let mut xe = false;
        for line in text.lines().take(LINES) {
            let line = line.trim().to_ascii_lowercase();
            let statement = line.strip_prefix("no ").unwrap_or(&line);
            xe |= ["version 16.", "version 17."]
                .iter()
                .any(|v| statement.starts_with(v));
            for (sign, platform, weight) in SIGNS {
                let fits = match sign.strip_prefix('^') {
                    Some(begin) => statement.starts_with(begin),
                    None => line.contains(sign),
                };
                if fits {
                    let at = &mut score[platform as usize];
                    *at = at.saturating_add(weight);
                }
            }
        }
        let best = score.iter().copied().max().unwrap_or(0);
        if best == 0 {
            return Platform::IosRouter;
        }
        let first = score.iter().position(|s| *s == best).unwrap_or(0);
        match Platform::ALL[first] {
            // Switches with `mls qos` end with IOS 15: the ports alone do not tell them from later ones.
            Platform::Catalyst if xe || score[Platform::CatalystXe as usize] > 0 => {
                Platform::CatalystXe
            }
            found => found,
        }
    }
}

impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Platform::Catalyst6500 => "Catalyst 6500",
            Platform::Catalyst => "Catalyst",
            Platform::CatalystXe => "Catalyst with IOS XE",
            Platform::IosRouter => "IOS router",
            Platform::IosXe => "IOS-XE router",
            Platform::IosXr => "IOS XR",
            Platform::NxOs => "NX-OS",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_lines_show_the_machine() {
        for (text, platform) in [
            (
                "mls qos\ninterface GigabitEthernet3/1\n wrr-queue bandwidth 1 9\n",
                Platform::Catalyst6500,
            ),
            (
                "boot system flash sup-bootdisk:s72033-ipservicesk9.bin\n",
                Platform::Catalyst6500,
            ),
            (
                "mls qos\nswitch 1 provision ws-c3750g-24ts\ninterface GigabitEthernet1/0/1\n srr-queue bandwidth share 1 30 35 5\n",
                Platform::Catalyst,
            ),
            (
                "version 17.6\nlicense boot level network-advantage\nswitch 1 provision c9300-48u\ninterface GigabitEthernet1/0/1\n",
                Platform::CatalystXe,
            ),
            (
                "version 16.12\nswitch 1 provision ws-c3850-48t\ninterface GigabitEthernet1/0/1\n switchport mode access\n",
                Platform::CatalystXe,
            ),
            (
                "license boot level network-essentials\ninterface GigabitEthernet1/0/1\n",
                Platform::CatalystXe,
            ),
            (
                "version 17.6\nlicense boot level network-advantage\nlicense udi pid C8000V sn 1\ninterface GigabitEthernet1\n",
                Platform::IosXe,
            ),
            (
                "version 15.5\nplatform qfp utilization monitor load 80\ninterface GigabitEthernet0/0/0\n",
                Platform::IosXe,
            ),
            (
                "hostname r\ninterface ATM1/0\n pvc 0/100\n",
                Platform::IosRouter,
            ),
            (
                "policy-map p\n class c\n  police 1000000 20000\n",
                Platform::IosRouter,
            ),
            (
                "!! IOS XR Configuration 7.5.2\nhostname a\n",
                Platform::IosXr,
            ),
            (
                "interface TenGigE0/0/0/1\n ipv4 address 192.0.2.1/30\n",
                Platform::IosXr,
            ),
            (
                "!Command: show running-config\nhostname a\n",
                Platform::NxOs,
            ),
            (
                "feature bgp\ninterface Ethernet1/1\n mtu 9216\n",
                Platform::NxOs,
            ),
        ] {
            assert_eq!(Platform::detect(text), platform, "{text}");
        }
        for platform in Platform::ALL {
            assert_eq!(Platform::named(platform.name()), Some(platform));
        }
    }
}
