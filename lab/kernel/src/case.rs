//! The cases: a path, a connection and one loss, said once for the kernel and for the simulator.

use farpath_units::{Duration, Rate};

/// One comparison.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// Congestion control, as both sides call it.
    pub(crate) control: &'static str,
    /// CUBIC's slow start: the kernel's switch, and the model's word for it.
    pub(crate) hystart: bool,
    pub(crate) mbit: u64,
    /// One way.
    pub(crate) delay_ms: u64,
    /// Packets that may wait at the bottleneck.
    pub(crate) queue: u64,
    /// The data segment whose first transmission is lost, from 1.
    pub(crate) lose: Option<u64>,
    pub(crate) seconds: u64,
}

impl Case {
    pub(crate) fn rate(&self) -> Rate {
        Rate::from_bps(self.mbit * 1_000_000).expect("no case has a rate of 0")
    }

    pub(crate) fn delay(&self) -> Duration {
        Duration::from_ms(self.delay_ms)
    }

    /// The same as a scenario, whose congestion control is of that `flavour`.
    pub(crate) fn scenario(&self, flavour: &str) -> String {
        let slow_start = if self.hystart { "hystart" } else { "standard" };
        let lose = self.lose.map_or(String::new(), |n| {
            format!("forward.lose = {{ flow = \"bulk\", segment = {n} }}\n")
        });
        // The kernel's hosts send segment by segment; a paced model would send in bursts of 64 KiB.
        let burst = if self.control == "bbr" {
            "gso = \"1448 B\"\n"
        } else {
            ""
        };
        format!(
            "[scenario]\nname = \"{name}\"\n\n\
             [[host]]\nname = \"a\"\nmtu = 1500\ntxqueuelen = 20000\n\n\
             [[host]]\nname = \"b\"\nmtu = 1500\ntxqueuelen = 20000\n\n\
             [[router]]\nname = \"r\"\n\n\
             [[link]]\nname = \"access\"\nends = [\"a\", \"r\"]\nframing = \"none\"\nrate = \"10 Gbit/s\"\n\
             delay = \"1 us\"\nmtu = 1500\n\n\
             [[link]]\nname = \"wan\"\nends = [\"r\", \"b\"]\nframing = \"none\"\nrate = \"{mbit} Mbit/s\"\n\
             delay = \"{delay} ms\"\nmtu = 1500\nqueue = \"{queue} packets\"\n{lose}\n\
             [[test]]\nname = \"bulk\"\nkind = \"tcp\"\nfrom = \"a\"\nto = \"b\"\nduration = \"{seconds} s\"\n\
             window = \"64 MiB\"\ncc = \"{control}\"\n\
             flavour = \"{flavour}\"\nslow_start = \"{slow_start}\"\n{burst}",
            name = self.name,
            mbit = self.mbit,
            delay = self.delay_ms,
            queue = self.queue,
            seconds = self.seconds,
            control = self.control,
        )
    }
}

/// The model's flavours, the one that means to be this kernel first.
pub(crate) const FLAVOURS: [&str; 2] = ["linux", "rfc"];

/// The cases, in order. The queue is deep where one scripted loss is the only one.
pub(crate) const CASES: [Case; 10] = [
    Case {
        name: "reno-20M-100ms",
        control: "reno",
        hystart: false,
        mbit: 20,
        delay_ms: 50,
        queue: 1000,
        lose: Some(300),
        seconds: 25,
    },
    Case {
        name: "reno-50M-50ms",
        control: "reno",
        hystart: false,
        mbit: 50,
        delay_ms: 25,
        queue: 1000,
        lose: Some(400),
        seconds: 20,
    },
    Case {
        name: "cubic-20M-100ms",
        control: "cubic",
        hystart: false,
        mbit: 20,
        delay_ms: 50,
        queue: 1000,
        lose: Some(300),
        seconds: 14,
    },
    Case {
        name: "cubic-50M-50ms",
        control: "cubic",
        hystart: false,
        mbit: 50,
        delay_ms: 25,
        queue: 1000,
        lose: Some(400),
        seconds: 14,
    },
    Case {
        name: "cubic-100M-120ms",
        control: "cubic",
        hystart: false,
        mbit: 100,
        delay_ms: 60,
        queue: 3000,
        lose: Some(2000),
        seconds: 25,
    },
    Case {
        name: "cubic-hystart-20M-100ms",
        control: "cubic",
        hystart: true,
        mbit: 20,
        delay_ms: 50,
        queue: 1000,
        lose: Some(3000),
        seconds: 16,
    },
    Case {
        name: "reno-overflow-20M-100ms",
        control: "reno",
        hystart: false,
        mbit: 20,
        delay_ms: 50,
        queue: 167,
        lose: None,
        seconds: 30,
    },
    Case {
        name: "cubic-overflow-20M-100ms",
        control: "cubic",
        hystart: false,
        mbit: 20,
        delay_ms: 50,
        queue: 167,
        lose: None,
        seconds: 30,
    },
    Case {
        name: "bbr-20M-100ms",
        control: "bbr",
        hystart: false,
        mbit: 20,
        delay_ms: 50,
        queue: 1000,
        lose: Some(3000),
        seconds: 25,
    },
    Case {
        name: "bbr-100M-120ms",
        control: "bbr",
        hystart: false,
        mbit: 100,
        delay_ms: 60,
        queue: 3000,
        lose: Some(20_000),
        seconds: 25,
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use farpath_scenario::{Source, parse};

    #[test]
    fn every_case_is_a_valid_scenario_of_its_own_name() {
        let mut names: Vec<_> = CASES.iter().map(|c| c.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), CASES.len());
        for case in &CASES {
            let source = Source {
                name: case.name.to_owned(),
                text: case.scenario(FLAVOURS[0]),
            };
            let scenario = parse(&source, &[]).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(scenario.name, case.name);
        }
    }
}
