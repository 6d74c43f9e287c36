//! Merging by either means is the order of (time, input number, order on the wire).

use farpath_element::{Element, Io, Merge, Mode, Network};
use farpath_units::{Duration, Time};
use farpath_wire::{FlowDir, Frame, Kind};

use crate::law::choices::Choices;

enum Part {
    /// Feeds the recorder; its channel is filled from outside.
    Feeder,
    Recorder {
        /// Or by [`Io::first_input`].
        merge: Option<Merge>,
        seen: Vec<(Time, u16, u64)>,
    },
}

impl Element for Part {
    fn advance(&mut self, until: Time, io: &mut Io<'_>) {
        let Part::Recorder { merge, seen } = self else {
            return;
        };
        if let Some(merge) = merge {
            merge.start(until, io);
        }
        loop {
            let first = match merge {
                Some(merge) => merge.first(until),
                None => io.first_input(until),
            };
            let Some((n, stays)) = first else { return };
            while let Some(frame) = io.input(n).pop_before(stays) {
                seen.push((frame.at, frame.flow.flow(), frame.seq));
            }
            if let Some(merge) = merge {
                merge.drained(io.input(n).head_at(), until);
            }
        }
    }
}

#[test]
fn inputs_merge_by_time_then_number_then_order_on_the_wire() {
    for seed in 0..400 {
        let mut c = Choices::from_seed(seed);
        let inputs = 1 + c.below(9) as u16;
        // So few instants that most arrivals are ties.
        let instants = 1 + c.below(12);
        let merge = c.chance(50).then(Merge::default);
        let mut network = Network::new();
        let mut expected = Vec::new();
        let feeders: Vec<_> = (0..inputs).map(|_| network.add(Part::Feeder)).collect();
        let recorder = network.add(Part::Recorder {
            merge,
            seen: Vec::new(),
        });
        for (n, feeder) in feeders.into_iter().enumerate() {
            let id = network.connect(feeder, recorder, Duration::from_ps(1));
            let count = c.below(10);
            let mut times: Vec<_> = (0..count).map(|_| 1 + c.below(instants)).collect();
            times.sort_unstable();
            for (seq, at) in times.into_iter().enumerate() {
                let flow = FlowDir::forward(n as u16);
                let mut frame = Frame::new(Kind::Udp, flow, seq as u64, 100);
                frame.at = Time::from_ps(at);
                network.channel_mut(id).push(frame);
                expected.push((frame.at, n as u16, frame.seq));
            }
        }
        expected.sort_unstable();
        let window = Duration::from_ps(1 + c.below(6));
        network.run(Time::from_ps(20), Mode::Windowed(window));
        let Part::Recorder { seen, .. } = network.element(recorder) else {
            panic!("the recorder records")
        };
        assert_eq!(*seen, expected, "seed {seed}");
    }
}
