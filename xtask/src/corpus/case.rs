//! Cases: a path and what limits a flow on it.

use std::fmt::Write;

use farpath_units::{Key, Stream};

/// The injected causes, by their names in diagnoses; `link` is a healthy path.
pub(super) const CAUSES: [&str; 8] = [
    "receive_window",
    "send_buffer",
    "random_loss",
    "policer",
    "shallow_buffer",
    "ramp",
    "application",
    "link",
];

/// The causes of odd paths: round trips that vary at rest, and what no other case has.
const ODD_CAUSES: [&str; 8] = [
    "receive_window",
    "mtu_black_hole",
    "random_loss",
    "policer",
    "shallow_buffer",
    "no_window_scaling",
    "application",
    "link",
];

/// The place of a healthy path among them.
pub(super) const HEALTHY_CASE: u64 = 7;

/// A case.
#[derive(Clone, Debug)]
pub(super) struct Case {
    /// Its number, from which all else follows.
    pub(super) number: u64,
    /// Of the test half: another topology, and other congestion controls.
    pub(super) test: bool,
    /// What limits it.
    pub(super) cause: &'static str,
    /// Rate of the line, bit/s.
    pub(super) rate: f64,
    /// Round-trip time, seconds.
    pub(super) rtt: f64,
    /// Largest IP packet.
    pub(super) mtu: f64,
    /// Share of the line that the cause leaves.
    pub(super) share: f64,
    /// Loss ratio, where there is one.
    pub(super) loss: f64,
    /// Buffers of the hosts.
    pub(super) wmem: u64,
    /// Receive memory, of which a window is a part.
    pub(super) rmem: u64,
    /// Congestion control.
    pub(super) cc: &'static str,
    /// Length of the test.
    pub(super) seconds: f64,
    /// Share of the line that is left once the first of two causes is gone.
    pub(super) share2: f64,
    /// The most by which a round trip without load is longer than the shortest, seconds: half of it on each way.
    pub(super) jitter: f64,
    /// What holds besides, where two causes do.
    pub(super) second: Option<&'static str>,
}

/// Two causes that hold at once: the first is removed, and the second is what limits next.
const TWO_CAUSES: [[&str; 2]; 4] = [
    ["application", "receive_window"],
    ["receive_window", "send_buffer"],
    ["receive_window", "random_loss"],
    ["application", "random_loss"],
];

/// How long datagrams are sent at most, seconds: as long as the command says.
const DATAGRAM_SECONDS: f64 = 10.0;

/// How many are sent at most, but for those of a second.
const DATAGRAMS_MAX: f64 = 60_000.0;

/// Most packets of a run.
const PACKETS_MAX: f64 = 1.2e6;

/// Cases from this number on are of the test half.
pub(super) const TEST: u64 = 1_000_000;

/// Cases from this number on were not seen by whoever set or fitted a weight: their figures are those that are quoted.
pub(super) const BLIND: u64 = 3_000_000;

/// Cases from this number on have two causes.
pub(super) const TWO: u64 = 5_000_000;

/// Cases from this number on are slow and short enough for labs with real kernels.
pub(super) const LAB: u64 = 7_000_000;

/// Cases from this number on have odd paths.
pub(super) const ODD: u64 = 9_000_000;

/// By how many bytes a black hole is smaller than the hosts' packets.
const HOLE: f64 = 100.0;

/// The window of a connection without scaling, bytes (RFC 7323 §2).
const UNSCALED: f64 = 65_535.0;

/// Longest test of a lab, seconds.
const LAB_SECONDS: f64 = 8.0;

/// Smallest send buffer of a lab, bytes.
const LAB_BUFFER: u64 = 131_072;

/// A window is this part of the memory on the simulated hosts (Linux 6.18).
pub(super) const WINDOW_PART: f64 = 169.0 / 256.0;

impl Case {
    /// The case of a number.
    pub(super) fn draw(number: u64) -> Case {
        let stream = Key::new(20_261_123)
            .with("corpus")
            .with_number(number)
            .stream();
        (0..1000)
            .find_map(|n| Case::try_draw(number, &stream, n * 16))
            .unwrap_or_else(|| Case::plain(number))
    }

    fn plain(number: u64) -> Case {
        Case {
            number,
            test: number >= TEST,
            cause: "link",
            rate: 1e7,
            rtt: 0.02,
            mtu: 1500.0,
            share: 1.0,
            loss: 0.0,
            wmem: 1 << 26,
            rmem: 1 << 26,
            cc: "cubic",
            seconds: 10.0,
            share2: 1.0,
            jitter: 0.0,
            second: None,
        }
    }

    /// A draw; none if the path cannot be run, or the cause does not limit.
    fn try_draw(number: u64, stream: &Stream, from: u64) -> Option<Case> {
        let unit = |n: u64| stream.uniform(from + n);
        let log = |n: u64, low: f64, high: f64| low * libm_pow(high / low, unit(n));
        let pair = TWO_CAUSES[(number % TWO_CAUSES.len() as u64) as usize];
        let (odd, lab) = (number >= ODD, (LAB..ODD).contains(&number));
        let at = (number % CAUSES.len() as u64) as usize;
        let (cause, second) = match number {
            n if n >= ODD => (ODD_CAUSES[at], None),
            n if (TWO..LAB).contains(&n) => (pair[0], Some(pair[1])),
            _ => (CAUSES[at], None),
        };
        let mut case = Case {
            cause,
            second,
            rate: log(0, 1e6, 1e11),
            rtt: log(1, 2e-4, 0.6),
            mtu: if unit(2) < 0.3 { 9000.0 } else { 1500.0 },
            share: log(3, 0.03, 0.7),
            cc: match number >= TEST {
                false => ["cubic", "cubic", "cubic"],
                true => ["bbr", "reno", "cubic"],
            }[(unit(4) * 3.0) as usize % 3],
            ..Case::plain(number)
        };
        if lab {
            case.suit_a_lab(&log);
        }
        if odd && !["mtu_black_hole", "no_window_scaling"].contains(&cause) {
            // What other traffic adds to a long path; a radio, which is slow, adds some milliseconds to a short one.
            let radio = if case.rate < 3e8 { 0.004 } else { 0.0 };
            case.jitter = (case.rtt * log(6, 0.05, 0.5)).max(radio);
        }
        if second == Some("random_loss") && case.cc == "bbr" {
            // Losses of this size do not hold BBR down.
            case.cc = "cubic";
        }
        let mss = case.mtu - 52.0;
        let bdp = case.rate * case.rtt / 8.0;
        if bdp < 30.0 * mss {
            return None;
        }
        let window = bdp * case.share;
        let large = ((bdp * 8.0) as u64).max(1 << 22);
        (case.wmem, case.rmem) = (large, large);
        case.seconds = (60.0 * case.rtt).clamp(2.0, 40.0);
        if lab {
            case.seconds = case.seconds.clamp(3.0, 6.0);
        }
        case.inject(cause, window)?;
        if cause == "no_window_scaling" {
            case.share = UNSCALED / bdp;
        }
        if lab && !case.fits_a_lab() {
            return None;
        }
        // The second leaves a little more than the first.
        let next = 1.3 + 0.7 * unit(5);
        if let Some(second) = second {
            case.share2 = case.share * next;
            if case.share2 > 0.85 {
                return None;
            }
            let factor = if cause == "application" { 1.0 } else { next };
            case.inject(second, window * factor)?;
        }
        let busy = if matches!(cause, "link" | "shallow_buffer") {
            1.0
        } else {
            case.share
        };
        let packets = case.rate * busy * case.seconds / 8.0 / case.mtu;
        let too_small = window < 6.0 * mss || case.wmem < 4608 || case.rmem < 4608;
        (packets < PACKETS_MAX && !too_small).then_some(case)
    }

    /// Draws it again within what a lab can run.
    fn suit_a_lab(&mut self, log: &dyn Fn(u64, f64, f64) -> f64) {
        (self.rate, self.rtt) = (log(0, 1e6, 6e7), log(1, 4e-3, 0.1));
        (self.mtu, self.share) = (1500.0, log(3, 0.08, 0.7));
        if self.cause == "ramp" {
            // iperf3 lasts a second at least: a round trip of which that is a dozen.
            (self.rate, self.rtt) = (log(0, 2e7, 6e7), log(1, 0.06, 0.1));
        }
    }

    /// Whether a lab can run it. A kernel holds more than a small send buffer allows, by what one write brings.
    fn fits_a_lab(&self) -> bool {
        self.seconds <= LAB_SECONDS && self.wmem >= LAB_BUFFER && self.rmem >= LAB_BUFFER / 4
    }

    /// Sets what makes a cause leave a window of so many bytes; none where it cannot.
    fn inject(&mut self, cause: &'static str, window: f64) -> Option<()> {
        let mss = self.mtu - 52.0;
        match cause {
            "receive_window" => self.rmem = (window / WINDOW_PART) as u64,
            "send_buffer" => self.wmem = window as u64,
            "random_loss" => {
                // RFC 9438 §5.1 and Mathis: the loss that leaves this window.
                let w = window / mss;
                let reno = 1.5 / (w * w);
                let cubic = self.rtt * libm_pow(1.054 / w, 4.0 / 3.0);
                self.loss = if self.cc == "reno" {
                    reno
                } else {
                    reno.max(cubic)
                };
                if !(1e-7..=1e-2).contains(&self.loss) {
                    return None;
                }
                // Some tens of losses, or it is one loss and no law.
                let bits = 20.0 * mss * 8.0;
                self.seconds = self
                    .seconds
                    .max(bits / (self.loss * self.rate * self.share))
                    .min(200.0);
            }
            "ramp" => self.seconds = 0.0,
            "no_window_scaling" => {
                self.rmem = (UNSCALED / WINDOW_PART) as u64;
                if UNSCALED > 0.7 * self.rate * self.rtt / 8.0 {
                    return None;
                }
            }
            _ => {}
        }
        Some(())
    }

    /// The same path without its first cause, where that is a buffer or a window; none of another.
    pub(super) fn changed(&self) -> Option<Case> {
        let large = ((self.rate * self.rtt) as u64).max(1 << 22);
        let mut case = self.clone();
        match self.cause {
            "receive_window" => case.rmem = large,
            "send_buffer" => case.wmem = large,
            "application" if self.second.is_some() => {}
            _ => return None,
        }
        case.cause = self.second.unwrap_or("link");
        if self.cause != "application" {
            case.share = self.share2;
        }
        case.second = None;
        // What is to be compared is the rate after the start.
        case.seconds = case.seconds.max(self.rtt * 100.0);
        let packets = case.rate * case.seconds / 8.0 / case.mtu;
        (packets < 3.0 * PACKETS_MAX).then_some(case)
    }

    /// What the line leaves for payload, bit/s.
    pub(super) fn payload(&self) -> f64 {
        self.rate * (self.mtu - 52.0) / (self.mtu + 38.0)
    }

    /// Bytes of a transfer that is over before its window opened.
    pub(super) fn ramp_bytes(&self) -> f64 {
        self.rate * self.rtt / 8.0 * self.share.max(0.2)
    }

    /// The same path with datagrams of this rate, bit/s, instead of the connection.
    pub(super) fn datagrams(&self, bps: f64) -> String {
        let text = self.text();
        let path = text.split("[[test]]").next().unwrap_or("");
        format!(
            "{path}[[test]]\nname = \"bulk\"\nfrom = \"s\"\nto = \"d\"\nkind = \"udp\"\nsize = {}\nrate = \"{} bit/s\"\nduration = \"{} ms\"\n",
            self.datagram(),
            bps as u64,
            (self.datagram_seconds(bps) * 1e3) as u64
        )
    }

    /// How long datagrams of this rate are sent, seconds.
    pub(super) fn datagram_seconds(&self, bps: f64) -> f64 {
        (DATAGRAMS_MAX * self.datagram() as f64 * 8.0 / bps).clamp(1.0, DATAGRAM_SECONDS)
    }

    /// Payload of a datagram, bytes.
    pub(super) fn datagram(&self) -> u64 {
        (self.mtu - 28.0) as u64
    }

    fn hosts(&self, text: &mut String) {
        for (name, wmem, rmem) in [("s", self.wmem, 1 << 26), ("d", 1 << 26, self.rmem)] {
            let (wfirst, rfirst) = (wmem.min(16_384), rmem.min(131_072));
            let _written = write!(
                text,
                "\n[[host]]\nname = \"{name}\"\nwmem_max = {wmem}\nrmem_max = {rmem}\ntcp_wmem = \"4096 {wfirst} {wmem}\"\ntcp_rmem = \"4096 {rfirst} {rmem}\"\n"
            );
        }
    }

    /// The scenario.
    pub(super) fn text(&self) -> String {
        let mut text = format!("[scenario]\nname = \"case\"\nseed = {}\n", self.number + 1);
        let access = self.rate * if self.test { 3.0 } else { 10.0 };
        self.hosts(&mut text);
        let bdp = self.rate * self.rtt / 8.0;
        let queue = match self.cause {
            "shallow_buffer" => bdp * 0.03,
            _ => bdp,
        };
        let queue = queue.max(3.0 * self.mtu) as u64;
        let mut more = format!("[link.forward]\nqueue = \"{queue} B\"\n");
        if self.loss > 0.0 {
            more.push_str(&format!("loss = {:e}\n", self.loss));
        }
        let policer = [Some(self.cause), self.second].contains(&Some("policer"));
        if policer {
            let share = if self.second.is_some() {
                self.share2
            } else {
                self.share
            };
            let rate = (self.rate * share) as u64;
            let burst = (rate as f64 * 0.02 / 8.0).max(10.0 * self.mtu) as u64;
            more.push_str(&format!(
                "police = {{ name = \"p\", rate = \"{rate} bit/s\", burst = \"{burst} B\" }}\n"
            ));
        }
        let delay = (self.rtt * 5e8) as u64;
        // The test half has its length on both sides of the bottleneck, and one router more.
        let (delay, near, far) = match self.test {
            false => (delay, 100, None),
            true => (delay / 5, delay * 2 / 5, Some(delay * 2 / 5)),
        };
        if let Some(far) = far {
            let _written = write!(
                text,
                "\n[[router]]\nname = \"q\"\n\n[[link]]\nname = \"tail\"\nends = [\"q\", \"z\"]\nrate = \"{} bit/s\"\nmtu = {}\ndelay = \"{far} ns\"\n",
                access as u64, self.mtu
            );
        }
        let end = if self.test { "q" } else { "z" };
        let (hole, silent) = match self.cause {
            "mtu_black_hole" => (self.mtu - HOLE, "answers = false\n"),
            _ => (self.mtu, ""),
        };
        let jitter = match self.jitter {
            0.0 => String::new(),
            // Each way has its own.
            most => format!(
                "jitter = {{ max = \"{} ns\", correlation = 0.95 }}\n",
                (most * 5e8) as u64
            ),
        };
        let _written = write!(
            text,
            "\n[[router]]\nname = \"r\"\n{silent}\n[[link]]\nname = \"access\"\nends = [\"s\", \"r\"]\nrate = \"{} bit/s\"\nmtu = {}\ndelay = \"{near} ns\"\n{jitter}\n[[link]]\nname = \"wan\"\nends = [\"r\", \"{end}\"]\nrate = \"{} bit/s\"\nmtu = {}\ndelay = \"{delay} ns\"\n{more}\n",
            access as u64, self.mtu, self.rate as u64, hole
        );
        // The last link is where the receiver's capture is taken.
        let _written = write!(
            text,
            "\n[[router]]\nname = \"z\"\n\n[[link]]\nname = \"last\"\nends = [\"z\", \"d\"]\nrate = \"{} bit/s\"\nmtu = {}\ndelay = \"100 ns\"\n\n",
            access as u64, self.mtu
        );
        let kind = self.test_keys();
        let _written = write!(
            text,
            "[[test]]\nname = \"bulk\"\nfrom = \"s\"\nto = \"d\"\ncc = \"{}\"\n{kind}",
            self.cc
        );
        text
    }

    /// What its test sends, and for how long.
    fn test_keys(&self) -> String {
        match self.cause {
            "ramp" => format!(
                "kind = \"tcp\"\nbytes = \"{} B\"\n",
                self.ramp_bytes() as u64
            ),
            "application" => {
                // Blocks that take a round trip each, and pauses that leave this share.
                let bdp = self.rate * self.rtt / 8.0;
                // With a window beside it a block takes ten round trips, and the pause as long.
                let (block, pause) = match self.second {
                    Some(_) => (10.0 * bdp * self.share, 10.0 * self.rtt),
                    None => {
                        let block = (bdp * 0.3).max(20_000.0);
                        (block, block * 8.0 / (self.rate * self.share) + self.rtt)
                    }
                };
                format!(
                    "kind = \"request\"\nblock = \"{} B\"\nthink_time = \"{} us\"\nduration = \"{} ms\"\n",
                    block as u64,
                    (pause * 1e6) as u64,
                    (self.seconds * 1e3) as u64
                )
            }
            _ => format!(
                "kind = \"tcp\"\nduration = \"{} ms\"\n",
                (self.seconds * 1e3) as u64
            ),
        }
    }
}

fn libm_pow(x: f64, y: f64) -> f64 {
    #[allow(
        clippy::disallowed_methods,
        reason = "a tool that draws cases: the last bits decide nothing"
    )]
    x.powf(y)
}
