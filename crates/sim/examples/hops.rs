//! How many packet-hops a second pure forwarding reaches, and what merging many inputs costs.
//!
//! `cargo run --release -p farpath-sim --example hops [PART-OF-NAME [SIMULATED-SECONDS]]`

#![allow(
    clippy::disallowed_methods,
    reason = "a measuring program reads its own processor time"
)]

use std::hint::black_box;
use std::sync::Arc;

use farpath_element::qdisc::Limit;
use farpath_element::{
    Element, ElementId, Forwarding, Io, Mode, Network, Port, PortConfig, RouteAction, Sampling,
};
use farpath_predict::Framing;
use farpath_units::{Duration, Rate, Time};
use farpath_wire::{FlowDir, Frame, Kind};

/// Frames at a constant gap, for ever.
struct Source {
    flow: u16,
    next: Time,
    gap: Duration,
    seq: u64,
}

#[expect(clippy::large_enum_variant, reason = "most elements are ports")]
enum Part {
    Source(Source),
    Port(Port),
    Sink,
}

impl Element for Part {
    fn advance(&mut self, until: Time, io: &mut Io<'_>) {
        match self {
            Part::Port(port) => port.advance(until, io),
            Part::Source(source) => {
                while source.next < until {
                    let to = FlowDir::forward(source.flow);
                    let mut frame = Frame::new(Kind::Data, to, source.seq, 1500);
                    frame.at = source.next;
                    source.seq += 1500;
                    source.next += source.gap;
                    io.output(0).push(frame);
                }
            }
            Part::Sink => {
                for n in 0..io.inputs() {
                    while let Some(frame) = io.input(n).pop_before(until) {
                        black_box(frame.seq);
                    }
                }
            }
        }
    }

    fn deadline(&self) -> Time {
        match self {
            Part::Source(source) => source.next,
            Part::Port(port) => port.deadline(),
            Part::Sink => Time::MAX,
        }
    }
}

fn port(flows: usize, rate: u64, output: impl Fn(usize) -> u16, changes: bool) -> Port {
    let routes = (0..2 * flows).map(|i| RouteAction::Forward {
        output: output(i / 2),
        mtu: 9000,
    });
    Port::new(PortConfig {
        rate: Rate::from_bps(rate).expect("not zero"),
        framing: Framing::Ethernet,
        mtu: 9000,
        limit: Limit::Bytes(10_000_000),
        delay: Duration::from_ms(5),
        reorder: false,
        losses: Vec::new(),
        forwarding: Forwarding {
            routes_ip: true,
            routes: routes.collect(),
            ..Forwarding::default()
        },
        headers: Arc::from(vec![40_u16; 2 * flows]),
        sampling: Sampling {
            every: Duration::from_ms(10),
            count: 1000,
        },
        changes,
        queues: None,
        conditioning: Vec::new(),
        circuits: None,
    })
}

fn join(network: &mut Network<Part>, from: ElementId, to: ElementId) {
    let lookahead = match network.element(from) {
        Part::Port(port) => port.lookahead(),
        _ => Duration::ZERO,
    };
    network.connect(from, to, lookahead);
}

/// `flows` sources, an access port each, one shared port, an egress port each, one sink.
fn dumbbell(flows: usize, changes: bool) -> Network<Part> {
    let mut network = Network::new();
    let shared_rate = 10_000_000_000;
    let frame = Duration::from_ps(1_230_400);
    let shared = network.add(Part::Port(port(flows, shared_rate, |f| f as u16, changes)));
    let sink = network.add(Part::Sink);
    for flow in 0..flows {
        let source = network.add(Part::Source(Source {
            flow: flow as u16,
            // Not in step: the shared port sees bursts of several inputs, and queues a little.
            next: Time::ZERO + Duration::from_ps(137_137 * flow as u64),
            gap: frame.times(flows as u64),
            seq: 0,
        }));
        let access = network.add(Part::Port(port(flows, shared_rate, |_| 0, changes)));
        let egress = network.add(Part::Port(port(flows, shared_rate, |_| 0, changes)));
        join(&mut network, source, access);
        join(&mut network, access, shared);
        join(&mut network, shared, egress);
        join(&mut network, egress, sink);
    }
    network
}

/// One source, `length` ports in a row, one sink.
fn chain(length: usize, changes: bool) -> Network<Part> {
    let mut network = Network::new();
    let source = Source {
        flow: 0,
        next: Time::ZERO,
        gap: Duration::from_ps(1_230_400),
        seq: 0,
    };
    let mut last = network.add(Part::Source(source));
    for _ in 0..length {
        let next = network.add(Part::Port(port(1, 10_000_000_000, |_| 0, changes)));
        join(&mut network, last, next);
        last = next;
    }
    let sink = network.add(Part::Sink);
    join(&mut network, last, sink);
    network
}

/// Seconds this process was on a CPU: what others on the machine do does not count.
#[expect(
    clippy::disallowed_methods,
    reason = "the kernel's account is the figure wanted"
)]
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/schedstat").expect("Linux has schedstat");
    let ns = stat.split_whitespace().next().and_then(|n| n.parse().ok());
    ns.map_or(0.0, |ns: u64| ns as f64 * 1e-9)
}

fn measure(name: &str, build: impl Fn() -> Network<Part>, mode: Mode, span: Duration) {
    let mut best = f64::INFINITY;
    let mut hops = 0;
    for _ in 0..5 {
        let mut network = build();
        let start = cpu_seconds();
        network.run(Time::ZERO + span, mode);
        best = best.min(cpu_seconds() - start);
        hops = network.hops();
    }
    let rate = hops as f64 / best / 1e6;
    println!("{name:40} {hops:>10} hops {rate:>8.1} M hops/s");
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let only = arguments.next().unwrap_or_default();
    let seconds = arguments.next().and_then(|s| s.parse().ok()).unwrap_or(4.0);
    let windowed = Mode::Windowed(Duration::from_ms(2));
    let span = Duration::from_secs_f64(seconds);
    for (mode, text, share) in [(windowed, "windowed", 1), (Mode::EventByEvent, "events", 8)] {
        for changes in [false, true] {
            let service = if changes { "by pull" } else { "on arrival" };
            let span = Duration::from_ps(span.as_ps() / share);
            let case = |name: &str, build: &dyn Fn() -> Network<Part>| {
                let name = format!("{name}, {text}, {service}");
                if name.contains(&only) {
                    measure(&name, build, mode, span);
                }
            };
            case("chain of 3", &|| chain(3, changes));
            for flows in [1, 10, 100] {
                case(&format!("{flows} merging"), &|| dumbbell(flows, changes));
            }
        }
    }
}
