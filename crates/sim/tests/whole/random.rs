//! Random small networks with everything in them, as scenario text.

use std::fmt::Write as _;

use farpath_element::Mode;
use farpath_tcp::Algorithm;
use proptest::prelude::*;

use crate::law::{WINDOWS, assert_conserved, assert_same};
use crate::world::{run_in, scenario};

/// A random scenario, in small numbers that shrink well.
#[derive(Clone, Debug)]
struct Sketch {
    /// Routers in a chain, 1 to 3.
    routers: usize,
    /// LSP passes of a circuit over the first trunk: 0, 1, 3 or 5.
    passes: usize,
    explicit_null: bool,
    /// Which trunks carry less than their neighbours, and how much less.
    narrow: u8,
    /// Routers that say nothing of it, and how hosts probe.
    silent: u8,
    probing: u8,
    /// An IP tunnel through all routers.
    tunnel: bool,
    trunk_kbps: u32,
    delay_us: u32,
    queue: u8,
    loss: u8,
    reorder: bool,
    tap: bool,
    /// What limits the hosts, by host.
    hosts: [u8; 4],
    tests: Vec<Test>,
    events: Vec<Event>,
}

#[derive(Clone, Debug)]
struct Test {
    kind: u8,
    from: u8,
    to: u8,
    start_ms: u16,
    size: u16,
    option: u8,
}

#[derive(Clone, Debug)]
struct Event {
    at_us: u32,
    trunk: u8,
    direction: u8,
    change: u8,
    size: u16,
}

fn test() -> impl Strategy<Value = Test> {
    (
        0..14_u8,
        0..8_u8,
        0..8_u8,
        0..60_u16,
        1..1000_u16,
        any::<u8>(),
    )
        .prop_map(|(kind, from, to, start_ms, size, option)| Test {
            kind,
            from,
            to,
            start_ms,
            size,
            option,
        })
}

fn event() -> impl Strategy<Value = Event> {
    (0..400_000_u32, 0..3_u8, 0..3_u8, 0..7_u8, 1..1000_u16).prop_map(
        |(at_us, trunk, direction, change, size)| Event {
            at_us,
            trunk,
            direction,
            change,
            size,
        },
    )
}

fn sketch() -> impl Strategy<Value = Sketch> {
    (
        (1..4_usize, 0..4_usize, any::<bool>(), any::<bool>()),
        (0..8_u8, 0..8_u8, 0..3_u8),
        (
            200..20_000_u32,
            0..30_000_u32,
            0..5_u8,
            0..7_u8,
            any::<bool>(),
            any::<bool>(),
            prop::array::uniform4(0..16_u8),
        ),
        prop::collection::vec(test(), 1..6),
        prop::collection::vec(event(), 0..5),
    )
        .prop_map(|(shape, mtu, trunk, tests, events)| Sketch {
            narrow: mtu.0,
            silent: mtu.1,
            probing: mtu.2,
            routers: shape.0,
            passes: [0, 1, 3, 5][shape.1],
            explicit_null: shape.2,
            tunnel: shape.3,
            trunk_kbps: trunk.0,
            delay_us: trunk.1,
            queue: trunk.2,
            loss: trunk.3,
            reorder: trunk.4,
            tap: trunk.5,
            hosts: trunk.6,
            tests,
            events,
        })
}

fn loss(kind: u8) -> &'static str {
    match kind {
        1 => "loss = 0.02",
        2 => "lose_every = 13",
        3 => "gilbert_elliott = { p = 0.02, r = 0.3 }",
        4 => "bit_error_rate = 1e-6",
        5 => "lose_every = 40\nloss = 0.01",
        _ => "",
    }
}

/// Stacks and machines of all kinds; half of the hosts have no limits.
fn host(kind: u8) -> &'static str {
    match kind {
        1 => "profile = \"linux-2004\"\ntxqueuelen = 8",
        2 => {
            "profile = \"linux-2004\"\nsend_per_packet = \"400 us\"\nreceive_per_byte = \"100 ns\""
        }
        3 => "receive_per_packet = \"600 us\"\nreceive_ring = 3",
        4 => "send_per_byte = \"350 ns\"\nreceive_per_packet = \"20 us\"",
        5 => {
            "memory_bus = \"9 Mbit/s\"\nreceive_per_packet = \"100 us\"\nsend_per_packet = \"100 us\"\nreceive_ring = 1"
        }
        6 => "memory_bus = \"20 Mbit/s\"\ndisk_read = \"2 Mbit/s\"",
        7 => "disk_write = \"1 Mbit/s\"\ndisk_read = \"15 Mbit/s\"",
        8 => "disk_write = \"7 Mbit/s\"\nreceive_per_packet = \"50 us\"",
        9 => "gro = \"2 ms\"",
        10 => "gro = \"100 us\"\nqdisc = \"fq\"",
        11 => "tcp_rmem = \"4096 20000 100000\"\ncomp_sack_nr = 2",
        12 => "profile = \"linux-5\"\ntcp_rmem = \"4096 8000 60000\"\ntso = true\ncomp_sack_nr = 5",
        13 => "tcp_rmem = \"4096 30000 40000\"\ndisk_write = \"6 Mbit/s\"\ntso = false",
        _ => "txqueuelen = 50",
    }
}

fn queue(kind: u8) -> &'static str {
    ["10 packets", "6 kB", "5 ms", "1bdp", "100 packets"][usize::from(kind)]
}

impl Sketch {
    /// `h` hosts are on router 0, `g` hosts on the last one; `x` and `y` are joined by the circuit.
    fn text(&self) -> String {
        let mut text = String::from("[scenario]\nname = \"random\"\n");
        let last = self.routers - 1;
        for (name, kind) in ["h0", "h1", "g0", "g1"].into_iter().zip(self.hosts) {
            let (probing, own) = (self.probing, host(kind));
            writeln!(
                text,
                "[[host]]\nname = \"{name}\"\nmtu_probing = {probing}\n{own}"
            )
            .expect("a String");
        }
        if self.is_folded() {
            text.push_str("[[host]]\nname = \"x\"\n[[host]]\nname = \"y\"\n");
        }
        for router in 0..self.routers {
            let answers = self.silent >> router & 1 == 0;
            writeln!(
                text,
                "[[router]]\nname = \"r{router}\"\nanswers = {answers}"
            )
            .expect("a String");
        }
        for (host, router) in [("h0", 0), ("h1", 0), ("g0", last), ("g1", last)] {
            writeln!(
                text,
                "[[link]]\nname = \"{host}\"\nends = [\"{host}\", \"r{router}\"]\nrate = \"30 Mbit/s\"\ndelay = \"10 us\""
            )
            .expect("a String");
        }
        for trunk in 0..last {
            writeln!(
                text,
                "[[link]]\nname = \"t{trunk}\"\nends = [\"r{trunk}\", \"r{}\"]\nrate = \"{} kbit/s\"\ndelay = \"{} us\"\nqueue = \"{}\"\nreorder = {}\nmtu = {}\ntap = {}\n{}",
                trunk + 1,
                self.trunk_kbps,
                self.delay_us,
                queue(self.queue),
                self.reorder,
                self.mtu(trunk),
                self.tap,
                loss(self.loss),
            )
            .expect("a String");
        }
        self.circuit(&mut text);
        self.tunnel(&mut text);
        for (number, test) in self.tests.iter().enumerate() {
            self.test(&mut text, number, test);
        }
        for event in &self.events {
            self.event(&mut text, event);
        }
        text
    }

    /// A circuit needs all of it.
    fn mtu(&self, trunk: usize) -> u32 {
        match self.narrow {
            _ if self.is_folded() => 1560,
            1 => 1400,
            2 | 3 if trunk == 0 => 1400,
            3 if trunk == 1 => 800,
            4 if trunk == 1 => 1300,
            _ => 1560,
        }
    }

    fn is_folded(&self) -> bool {
        self.passes > 0 && self.routers > 1
    }

    fn circuit(&self, text: &mut String) {
        if !self.is_folded() {
            return;
        }
        for (host, router) in [("x", 0), ("y", 1)] {
            writeln!(
                text,
                "[[link]]\nname = \"{host}\"\nends = [\"{host}\", \"r{router}\"]\nrate = \"10 Mbit/s\"\ndelay = \"10 us\""
            )
            .expect("a String");
        }
        // Pass n of the way out goes from r0 to r1 when n is even; the way back mirrors it.
        for (way, first) in [("o", 0), ("b", 1)] {
            for pass in 0..self.passes {
                let from = (first + pass) % 2;
                writeln!(
                    text,
                    "[[lsp]]\nname = \"{way}{pass}\"\npath = [\"r{from}\", \"r{}\"]\nexplicit_null = {}",
                    1 - from,
                    self.explicit_null
                )
                .expect("a String");
                if pass > 0 {
                    writeln!(
                        text,
                        "[[ccc]]\nname = \"s{way}{pass}\"\nkind = \"lsp-switch\"\nrouter = \"r{from}\"\nreceive_lsp = \"{way}{}\"\ntransmit_lsp = \"{way}{pass}\"",
                        pass - 1
                    )
                    .expect("a String");
                }
            }
        }
        let end = self.passes - 1;
        for (host, router, transmit, receive) in [
            ("x", 0, "o0", format!("b{end}")),
            ("y", 1, "b0", format!("o{end}")),
        ] {
            writeln!(
                text,
                "[[ccc]]\nname = \"c{host}\"\nkind = \"remote-interface-switch\"\nrouter = \"r{router}\"\ninterface = \"{host}\"\nencapsulation = \"ethernet-ccc\"\ntransmit_lsp = \"{transmit}\"\nreceive_lsp = \"{receive}\""
            )
            .expect("a String");
        }
    }

    fn tunnel(&self, text: &mut String) {
        if !self.tunnel || self.routers < 2 {
            return;
        }
        let path: Vec<String> = (0..self.routers).map(|r| format!("\"r{r}\"")).collect();
        writeln!(
            text,
            "[[lsp]]\nname = \"ip\"\npath = [{}]\nexplicit_null = {}",
            path.join(", "),
            self.explicit_null
        )
        .expect("a String");
    }

    fn node(&self, number: u8) -> String {
        let names = ["h0", "h1", "g0", "g1"];
        match names.get(usize::from(number)) {
            Some(name) => (*name).to_owned(),
            None => format!("r{}", usize::from(number) % self.routers),
        }
    }

    fn test(&self, text: &mut String, number: usize, test: &Test) {
        let (mut from, mut to) = (self.node(test.from % 4), self.node(test.to));
        if self.is_folded() && test.option.is_multiple_of(3) {
            (from, to) = ("x".to_owned(), "y".to_owned());
        }
        let kind = test.kind;
        if kind > 2 && to.starts_with('r') {
            to = self.node(test.to % 4);
        }
        if from == to {
            (from, to) = ("h0".to_owned(), "g0".to_owned());
        }
        let head = format!(
            "[[test]]\nname = \"n{number}\"\nfrom = \"{from}\"\nto = \"{to}\"\nstart = \"{} ms\"\nip = {}",
            test.start_ms,
            if test.option & 4 == 0 { 4 } else { 6 }
        );
        let option = test.option;
        let rest = match kind {
            0..=2 => format!(
                "kind = \"ping\"\ncount = {}\ninterval = \"{} us\"\nsize = {}\nttl = {}\ntimeout = \"300 ms\"",
                1 + option % 9,
                100 + u32::from(test.size) * 7,
                60 + u32::from(test.size),
                if kind == 2 { 1 + option % 4 } else { 64 },
            ),
            3 | 4 => format!(
                "kind = \"udp\"\nrate = \"{} kbit/s\"\nsize = {}\narrivals = \"{}\"\nduration = \"150 ms\"\nomit = \"10 ms\"",
                100 + u32::from(option) * 20,
                20 + test.size,
                if kind == 3 { "constant" } else { "poisson" },
            ),
            11 => format!(
                "kind = \"udp\"\nrate = \"{} kbit/s\"\nsize = {}\non_off = {{ on = \"{} us\", off = \"4 ms\" }}\narrivals = \"{}\"\nduration = \"150 ms\"",
                100 + u32::from(option) * 40,
                20 + test.size,
                100 + u32::from(test.size) * 10,
                if option & 4 == 0 {
                    "constant"
                } else {
                    "poisson"
                },
            ),
            12 => format!(
                "kind = \"udp\"\nrate = \"{} kbit/s\"\nsize = {}\nenvelope = {{ period = \"40 ms\", low = {}, shape = \"{}\" }}\narrivals = \"{}\"\nduration = \"150 ms\"",
                100 + u32::from(option) * 40,
                20 + test.size,
                if option & 8 == 0 { "0" } else { "0.3" },
                if option & 16 == 0 {
                    "sinusoid"
                } else {
                    "steps"
                },
                if option & 4 == 0 {
                    "constant"
                } else {
                    "poisson"
                },
            ),
            13 => format!(
                "kind = \"flows\"\nflows = {}\nspacing = \"{} us\"\nsizes = {{ kind = \"pareto\", least = \"100 B\", most = \"40 kB\" }}\nduration = \"{} ms\"",
                1 + option % 30,
                100 + u32::from(test.size) * 20,
                if option & 4 == 0 { 100 } else { 900 },
            ),
            8 => format!(
                "kind = \"transfer\"\nfiles = {}\nfile_size = \"{} B\"\npipelining = {}\nparallel = {}\nreverse = {}\nwindow = \"{} kB\"\n{}",
                1 + option % 7,
                50 * u32::from(test.size),
                1 + option % 3,
                1 + option % 2,
                option & 8 == 0,
                3 + test.size / 8,
                if option & 16 == 0 {
                    "duration = \"250 ms\""
                } else {
                    "duration = \"2 s\""
                },
            ),
            9 | 10 => format!(
                "kind = \"request\"\nblock = \"{} B\"\nrequest_size = \"{} B\"\noutstanding = {}\nparallel = {}\nthink_time = \"{} us\"\nwindow = \"{} kB\"\n{}",
                1 + 20 * u32::from(test.size),
                1 + u32::from(option) * 9,
                1 + option % 5,
                1 + option % 3,
                if option & 4 == 0 {
                    0
                } else {
                    u32::from(test.size) * 40
                },
                3 + test.size / 8,
                if kind == 9 {
                    "duration = \"250 ms\"\nomit = \"20 ms\""
                } else {
                    "requests = 12\nduration = \"2 s\""
                },
            ),
            _ => {
                let cc = Algorithm::NAMES
                    [(usize::from(test.size) + usize::from(option)) % Algorithm::NAMES.len()];
                format!(
                    "kind = \"tcp\"\npacing = {}\ncc = \"{}\"\nflavour = \"{}\"\nhystart = {}\nparallel = {}\nreverse = {}\nsack = {}\nwindow = \"{} kB\"\ndelayed_ack = {}\n{}",
                    cc == "bbr" || option.is_multiple_of(3),
                    cc,
                    if option & 1 == 0 { "rfc" } else { "linux" },
                    option & 2 == 0,
                    1 + option % 3,
                    option & 8 == 0,
                    cc == "bbr" || option & 16 == 0,
                    3 + test.size,
                    1 + option % 4,
                    if kind == 7 {
                        format!("bytes = \"{} kB\"\nduration = \"2 s\"", 1 + test.size / 4)
                    } else {
                        "duration = \"250 ms\"\nomit = \"20 ms\"".to_owned()
                    },
                )
            }
        };
        writeln!(text, "{head}\n{rest}").expect("a String");
    }

    fn event(&self, text: &mut String, event: &Event) {
        let link = match usize::from(event.trunk) {
            trunk if trunk < self.routers - 1 => format!("t{trunk}"),
            _ => "h0".to_owned(),
        };
        let size = u32::from(event.size);
        let change = match event.change {
            0 => format!("delay = \"{} us\"", size * 20),
            1 => format!("rate = \"{} kbit/s\"", 100 + size * 60),
            2 => "up = false".to_owned(),
            3 | 4 => "up = true".to_owned(),
            5 => loss(1 + (event.size % 5) as u8).to_owned(),
            _ => format!("queue = \"{}\"", queue((event.size % 5) as u8)),
        };
        writeln!(
            text,
            "[[event]]\nat = \"{} us\"\nlink = \"{link}\"\ndirection = \"{}\"\n{change}",
            event.at_us,
            ["forward", "reverse", "both"][usize::from(event.direction)]
        )
        .expect("a String");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60 * ProptestConfig::default().cases / 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_network_is_the_same_in_every_mode(sketch in sketch(), seed in 0..1000_u64) {
        let text = sketch.text();
        let oracle = run_in(scenario(&text), Mode::EventByEvent, seed);
        for window in WINDOWS {
            let windowed = run_in(scenario(&text), Mode::Windowed(window), seed);
            assert_same(&format!("{window}\n{text}"), &oracle, &windowed);
        }
        assert_conserved(&text, &oracle);
    }
}
