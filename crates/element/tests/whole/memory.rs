//! What a frame in flight costs, and that a long run at a constant number of them does not grow.

use std::sync::Arc;

use farpath_element::qdisc::{Limit, WAITING_BYTES};
use farpath_element::{
    ChannelId, Element, Forwarding, Io, Mode, Network, Port, PortConfig, RouteAction, Sampling,
};
use farpath_predict::Framing;
use farpath_units::{Duration, Rate, Time};
use farpath_wire::{FlowDir, Frame, Kind};

#[expect(clippy::large_enum_variant, reason = "there is one of each")]
enum Part {
    Source(Time),
    Port(Port),
    Sink(u64),
}

/// 1538 bytes at 10 Gbit/s.
const FRAME: Duration = Duration::from_ps(1_230_400);

impl Element for Part {
    fn advance(&mut self, until: Time, io: &mut Io<'_>) {
        match self {
            Part::Port(port) => port.advance(until, io),
            Part::Source(next) => {
                while *next < until {
                    let mut frame = Frame::new(Kind::Udp, FlowDir::forward(0), 0, 1500);
                    frame.at = *next;
                    *next += FRAME;
                    io.output(0).push(frame);
                }
            }
            Part::Sink(seen) => {
                while io.input(0).pop_before(until).is_some() {
                    *seen += 1;
                }
            }
        }
    }

    fn deadline(&self) -> Time {
        match self {
            Part::Source(next) => *next,
            Part::Port(port) => port.deadline(),
            Part::Sink(_) => Time::MAX,
        }
    }
}

fn port(delay: Duration) -> Port {
    Port::new(PortConfig {
        rate: Rate::from_bps(10_000_000_000).expect("not zero"),
        framing: Framing::Ethernet,
        mtu: 1500,
        limit: Limit::Packets(10),
        delay,
        reorder: false,
        losses: Vec::new(),
        forwarding: Forwarding {
            routes: vec![RouteAction::Deliver],
            ..Forwarding::default()
        },
        headers: Arc::from([28]),
        sampling: Sampling::OFF,
        changes: false,
        queues: None,
        conditioning: Vec::new(),
        circuits: None,
    })
}

#[test]
fn a_hundred_thousand_frames_in_flight_stay_within_one_ring() {
    let mut network = Network::new();
    let delay = FRAME.times(100_000);
    let source = network.add(Part::Source(Time::ZERO));
    let line = port(delay);
    let lookahead = line.lookahead();
    let line = network.add(Part::Port(line));
    let sink = network.add(Part::Sink(0));
    network.connect(source, line, Duration::ZERO);
    let flight: ChannelId = network.connect(line, sink, lookahead);

    let window = Mode::Windowed(Duration::from_ms(5));
    network.run(Time::ZERO + delay.times(2), window);
    let capacity = network.channel(flight).capacity();
    assert!(network.channel(flight).in_flight() >= 100_000);
    network.run(Time::ZERO + delay.times(20), window);
    assert_eq!(network.channel(flight).capacity(), capacity);
    assert_eq!(capacity, 131_072, "the next power of two");
    let Part::Sink(seen) = network.element(sink) else {
        panic!("the sink is a sink")
    };
    assert!(*seen > 1_800_000, "{seen}");
}

#[test]
fn a_frame_in_flight_costs_at_most_112_bytes() {
    // A frame is in one ring, and while it waits one run at most is in a queue; both double when full.
    assert_eq!((size_of::<Frame>(), WAITING_BYTES), (32, 24));
    assert_eq!(2 * (size_of::<Frame>() + WAITING_BYTES), 112);
}
