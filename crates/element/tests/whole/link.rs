//! One link against arithmetic done by hand.

use std::sync::Arc;

use farpath_element::impair::{Chance, Impairments, Line as Impaired, Loss, LossSpec};
use farpath_element::qdisc::{Classifier, Limit, Place, TokenBucket};
use farpath_element::{
    Action, Change, ChannelId, Circuit, Conditioner, Drop, Element, ElementId, Forwarding, Io,
    LabelAction, Meter, Mode, Network, Policer, Port, PortConfig, RouteAction, Sampling, Stage,
    Transmitter,
};
use farpath_predict::Framing;
use farpath_units::{Duration, Key, Rate, Time};
use farpath_wire::{FlowDir, Frame, Kind, LabelEntry};

#[expect(clippy::large_enum_variant, reason = "most elements are ports")]
enum Part {
    Port(Port),
    /// Filled, or read, from outside.
    End,
}

impl Element for Part {
    fn advance(&mut self, until: Time, io: &mut Io<'_>) {
        if let Part::Port(port) = self {
            port.advance(until, io);
        }
    }

    fn deadline(&self) -> Time {
        match self {
            Part::Port(port) => port.deadline(),
            Part::End => Time::MAX,
        }
    }
}

fn config() -> PortConfig {
    PortConfig {
        rate: rate(10_000_000_000),
        framing: Framing::Ethernet,
        mtu: 1500,
        limit: Limit::Packets(1000),
        delay: Duration::from_us(100),
        reorder: false,
        losses: Vec::new(),
        forwarding: Forwarding {
            routes: vec![RouteAction::Deliver],
            ..Forwarding::default()
        },
        headers: Arc::from([28]),
        sampling: Sampling::OFF,
        changes: true,
        queues: None,
        conditioning: Vec::new(),
        circuits: None,
    }
}

fn rate(bps: u64) -> Rate {
    Rate::from_bps(bps).expect("not zero")
}

/// Ports in a row between two ends.
struct Line {
    network: Network<Part>,
    ports: Vec<ElementId>,
    entry: ChannelId,
    exit: ChannelId,
}

impl Line {
    fn new(configs: Vec<PortConfig>) -> Line {
        let mut network = Network::new();
        let mut last = network.add(Part::End);
        let (mut lookahead, mut ports, mut channels) = (Duration::ZERO, Vec::new(), Vec::new());
        for config in configs {
            let port = Port::new(config);
            let ahead = port.lookahead();
            let id = network.add(Part::Port(port));
            channels.push(network.connect(last, id, lookahead));
            (last, lookahead) = (id, ahead);
            ports.push(id);
        }
        let end = network.add(Part::End);
        Line {
            exit: network.connect(last, end, lookahead),
            entry: channels[0],
            network,
            ports,
        }
    }

    fn offer(&mut self, at: Duration, seq: u64, len: u16) {
        let mut frame = Frame::new(Kind::Udp, FlowDir::forward(0), seq, len);
        frame.at = Time::ZERO + at;
        self.network.channel_mut(self.entry).push(frame);
    }

    fn run(&mut self, until: Duration) {
        let window = Mode::Windowed(Duration::from_ms(1));
        let until = Time::ZERO + until;
        self.network.run(until, window);
        (0..self.ports.len()).for_each(|n| self.port(n).catch_up(until));
    }

    fn port(&mut self, n: usize) -> &mut Port {
        match self.network.element_mut(self.ports[n]) {
            Part::Port(port) => port,
            Part::End => panic!("a port is a port"),
        }
    }

    fn change(&mut self, change: Change) {
        self.port(0).apply(change);
        let lookahead = self.port(0).lookahead();
        self.network.set_lookahead(self.ports[0], lookahead);
    }

    fn arrivals(&mut self) -> Vec<Frame> {
        let exit = self.network.channel_mut(self.exit);
        std::iter::from_fn(|| exit.pop_before(Time::MAX)).collect()
    }
}

#[test]
fn transmission_times_are_exact_on_ethernet_and_within_half_a_picosecond_elsewhere() {
    let ethernet = [10, 100, 1000, 10_000, 25_000, 40_000, 100_000, 400_000];
    let others = [
        149_760_000,
        599_040_000,
        2_396_160_000,
        9_584_640_000,
        7_123_456_789,
    ];
    let exact = ethernet.map(|mbps| (mbps * 1_000_000, true));
    let rounded = others.map(|bps| (bps, false));
    for (bps, exact) in exact.into_iter().chain(rounded) {
        let mut transmitter = Transmitter::new(rate(bps), Framing::Pos);
        for len in 20..9200_u16 {
            let frame = Frame::new(Kind::Data, FlowDir(0), 0, len);
            let time = u128::from(transmitter.time_for(&frame).as_ps());
            let bits = 8 * (u128::from(len) + 9) * 1_000_000_000_000;
            let error = (time * u128::from(bps)).abs_diff(bits);
            assert!(2 * error <= u128::from(bps), "{len} B at {bps} bit/s");
            assert!(!exact || error == 0, "{len} B at {bps} bit/s");
            // In proportion: 10⁻⁵ for all but the shortest frames on the fastest SDH signal.
            assert!(
                len < 60 || error * 100_000 <= bits,
                "{len} B at {bps} bit/s"
            );
        }
    }
}

#[test]
fn a_clump_leaves_at_the_rate_of_the_link() {
    let mut line = Line::new(vec![config()]);
    (0..50).for_each(|seq| line.offer(Duration::ZERO, seq, 1500));
    line.run(Duration::from_ms(1));
    for (k, frame) in line.arrivals().iter().enumerate() {
        // 1538 bytes at 10 Gbit/s are 1230.4 ns, of which the gap behind the last bit is 9.6.
        let at = 100_000_000 + 1_230_400 * (k as u64 + 1) - 9600;
        assert_eq!((frame.seq, frame.at.as_ps()), (k as u64, at));
    }
}

/// 8 bytes of preamble and 64 of frame, without the gap of 12.
#[test]
fn wrong_bits_are_those_of_the_frame_and_its_preamble() {
    let loss = || Loss::new(LossSpec::BitError(1e-4), Key::new(9));
    let mut line = Line::new(vec![PortConfig {
        losses: vec![loss()],
        ..config()
    }]);
    (0..900).for_each(|seq| line.offer(Duration::from_us(seq), seq, 46));
    line.run(Duration::from_ms(2));
    let arrived: Vec<u64> = line.arrivals().iter().map(|f| f.seq).collect();
    let mut alone = loss();
    let passes = |seq: &u64| {
        let frame = Frame::new(Kind::Udp, FlowDir::forward(0), *seq, 46);
        alone.strikes(&frame, 72).is_none()
    };
    let expected: Vec<u64> = (0..900).filter(passes).collect();
    assert_eq!(arrived, expected);
    assert!((820..880).contains(&arrived.len()), "{}", arrived.len());
}

#[test]
fn a_queue_of_k_holds_k_behind_the_frame_in_service() {
    for limit in [Limit::Packets(7), Limit::Bytes(7 * 1514)] {
        let mut line = Line::new(vec![PortConfig { limit, ..config() }]);
        (0..20).for_each(|seq| line.offer(Duration::ZERO, seq, 1500));
        // When the first transmission ends the queue moves up, and one more fits at that instant.
        line.offer(Duration::from_ps(1_230_400 - 1), 20, 1500);
        line.offer(Duration::from_ps(1_230_400), 21, 1500);
        line.run(Duration::from_ms(1));
        let seqs: Vec<u64> = line.arrivals().iter().map(|f| f.seq).collect();
        assert_eq!(seqs, [0, 1, 2, 3, 4, 5, 6, 7, 21]);
        assert_eq!(line.port(0).counters().dropped(Drop::Tail), 13);
        assert_eq!(line.port(0).counters().queue_max_bytes, 7 * 1514);
    }
}

#[test]
fn a_shorter_delay_overtakes_only_where_it_may() {
    for (reorder, order) in [(false, [0, 1, 2]), (true, [1, 2, 0])] {
        let mut line = Line::new(vec![PortConfig {
            reorder,
            ..config()
        }]);
        line.offer(Duration::ZERO, 0, 1500);
        line.run(Duration::from_us(10));
        line.change(Change::Delay(Duration::from_us(20)));
        line.offer(Duration::from_us(10), 1, 1500);
        line.offer(Duration::from_us(12), 2, 1500);
        line.run(Duration::from_ms(1));
        let arrivals = line.arrivals();
        assert_eq!(arrivals.iter().map(|f| f.seq).collect::<Vec<_>>(), order);
        // Held back, all arrive with the one in front of them.
        let held = arrivals.iter().all(|f| f.at == arrivals[0].at);
        assert_eq!(held, !reorder);
    }
}

#[test]
fn a_link_that_is_down_takes_nothing_and_finishes_what_waits() {
    let mut line = Line::new(vec![config()]);
    (0..3).for_each(|seq| line.offer(Duration::ZERO, seq, 1500));
    line.run(Duration::from_us(1));
    line.change(Change::Up(false));
    line.offer(Duration::from_us(2), 3, 1500);
    line.run(Duration::from_us(20));
    line.change(Change::Up(true));
    line.offer(Duration::from_us(20), 4, 1500);
    line.run(Duration::from_ms(1));
    let seqs: Vec<u64> = line.arrivals().iter().map(|f| f.seq).collect();
    assert_eq!(seqs, [0, 1, 2, 4]);
    assert_eq!(line.port(0).counters().dropped(Drop::Down), 1);
}

/// Customer's interface, core link, customer's interface: a circuit with one label.
fn circuit(tagged: bool, core_mtu: u32) -> Line {
    let access = |forwarding| PortConfig {
        mtu: 9000,
        forwarding,
        ..config()
    };
    let entry = Circuit {
        label: 16,
        output: 0,
        tagged,
    };
    let exit = Some(LabelAction::PopToInterface { output: 0 });
    Line::new(vec![
        access(Forwarding {
            circuit: Some(entry),
            ..Forwarding::default()
        }),
        PortConfig {
            mtu: core_mtu,
            ..access(Forwarding {
                labels: vec![exit],
                ..Forwarding::default()
            })
        },
        access(Forwarding {
            routes: vec![RouteAction::Deliver],
            ..Forwarding::default()
        }),
    ])
}

#[test]
fn a_circuit_carries_what_fits_behind_its_label_and_drops_the_rest_in_silence() {
    // A core link that encloses 1500 bytes: 4 of label, 14 of the customer's Ethernet, or 18.
    for (tagged, largest) in [(false, 1482), (true, 1478)] {
        let mut line = circuit(tagged, 1500);
        line.offer(Duration::ZERO, 0, largest);
        line.offer(Duration::ZERO, 1, largest + 1);
        line.run(Duration::from_ms(2));
        let arrivals = line.arrivals();
        assert_eq!(arrivals.len(), 1);
        assert_eq!(arrivals[0].len, largest);
        assert_eq!((arrivals[0].ttl, arrivals[0].label), (64, LabelEntry::NONE));
        assert_eq!(line.port(1).counters().dropped(Drop::Mtu), 1);
        // On the wire: 20 of preamble and gap, 18 of header and FCS around 1500.
        assert_eq!(line.port(1).counters().bytes, 1538);
        assert_eq!(
            line.port(1).counters().payload_bytes,
            u64::from(largest) - 28
        );
    }
}

/// A 962-byte datagram takes 1000 bytes on the line, 8 us, and 976 in a queue; 488 Mbit/s are 488 bytes
/// in that time.
fn policed(burst: u64, far: bool) -> (Vec<(u64, u8)>, u64) {
    let meter = Meter::Single(TokenBucket::new(rate(488_000_000), burst));
    let policer = Policer {
        meter,
        colour_aware: false,
        actions: [Action::Pass, Action::Pass, Action::Drop],
        overhead: 0,
        counted: [(0, 0); 3],
    };
    let stage = |conditioner| Stage {
        classifier: Classifier::new(Place::default()),
        conditioners: vec![conditioner],
    };
    let stages = vec![
        stage(Conditioner::Police(Box::new(policer))),
        stage(Conditioner::Mark(8)),
    ];
    let (near, stages) = if far {
        (Vec::new(), stages)
    } else {
        (stages, Vec::new())
    };
    let gigabit = PortConfig {
        rate: rate(1_000_000_000),
        conditioning: near,
        ..config()
    };
    let mut line = Line::new(vec![gigabit]);
    line.port(0).condition_arrivals(stages);
    (0..40).for_each(|n| line.offer(Duration::ZERO, n, 962));
    line.run(Duration::from_ms(10));
    let arrived = line
        .arrivals()
        .iter()
        .map(|f| (f.seq, f.class >> 2))
        .collect();
    (arrived, line.port(0).counters().frames)
}

#[test]
fn a_far_node_meters_frames_as_the_line_spaces_them() {
    let seqs = |burst, far| -> Vec<u64> { policed(burst, far).0.iter().map(|f| f.0).collect() };
    // Half of the line's rate: every other frame, from the first on.
    let every_other: Vec<u64> = (0..40).step_by(2).collect();
    assert_eq!(seqs(976, true), every_other);
    // Ten frames' burst loses half a frame with each: 19 frames, then every other.
    let with_burst: Vec<u64> = (0..19).chain((20..40).step_by(2)).collect();
    assert_eq!(seqs(9760, true), with_burst);
    // Before the queue all come at once.
    assert_eq!(seqs(9760, false), (0..10).collect::<Vec<_>>());
    // What the far node drops was sent; what it lets in has its mark.
    let (arrived, sent) = policed(976, true);
    assert!(sent == 40 && arrived.iter().all(|f| f.1 == 8));
    assert_eq!(policed(976, false).1, 1);
}

#[test]
fn a_line_that_is_exchanged_leaves_alone_what_is_on_it() {
    let names: Arc<[String]> = Arc::from(["t".to_owned()]);
    let exchanged = |impairments: &Impairments| Change::Line {
        line: Box::new(Impaired::new(impairments, Key::new(1), &names)),
        overtaking: false,
    };
    let held = Impairments {
        reordering: Some((Chance::EveryNth(1), Duration::from_us(50))),
        ..Impairments::default()
    };
    let mut line = Line::new(vec![config()]);
    line.offer(Duration::ZERO, 0, 1500);
    line.run(Duration::from_us(10));
    line.change(exchanged(&held));
    line.offer(Duration::from_us(10), 1, 1500);
    line.run(Duration::from_us(20));
    line.change(exchanged(&Impairments::default()));
    line.offer(Duration::from_us(20), 2, 1500);
    line.run(Duration::from_ms(1));
    // 1220.8 ns of transmission without the gap and 100 us of propagation; the second is held back for 50 us more.
    let found = line.arrivals();
    let found: Vec<(u64, u64)> = found.iter().map(|f| (f.seq, f.at.as_ps())).collect();
    let us = |us: u64| us * 1_000_000 + 1_220_800;
    assert_eq!(found, [(0, us(100)), (2, us(120)), (1, us(160))]);
}
