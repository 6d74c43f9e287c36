//! Marks of explicit congestion notification (RFC 3168), and what is counted of them.

use farpath_element::Drop;
use farpath_element::qdisc::{
    AqmConfig, ClassesConfig, Classifier, Curve, Discipline, DisciplineConfig, Footprint, Level,
    Limit, Place, QueueConfig, QueueSite, QueuesConfig, RedConfig, Rounds,
};
use farpath_units::{Duration, Key, Time};
use farpath_wire::{FlowDir, Frame, Kind};

/// ECN-capable transport, and congestion experienced (RFC 3168 §5).
const ECT: u8 = 2;
const CE: u8 = 3;

/// Room for two frames under RED that takes each sample for the mean: it leaves the frame that finds nothing waiting alone, and marks
/// all that find 100 to 200 bytes.
fn marks_from_the_second_on() -> Discipline {
    let red = RedConfig {
        weight: 1.0,
        gentle: true,
        ecn: true,
    };
    let curve = Curve {
        min: 50.0,
        max: 100.0,
        max_p: 1.0,
    };
    let site = QueueSite {
        frame: 100,
        frame_time: Duration::from_us(1),
        key: Key::new(1),
        names: Default::default(),
    };
    let queue = QueueConfig {
        levels: vec![Level {
            threshold: None,
            curve: Some(curve),
        }],
        aqm: Some((AqmConfig::Red(red), site)),
        ..QueueConfig::tail(None, Limit::Packets(2))
    };
    Discipline::new(DisciplineConfig {
        queues: QueuesConfig::Classes(ClassesConfig {
            classifier: Classifier::new(Place::default()),
            rounds: Rounds::Drr,
            queues: vec![queue],
            memory: u64::MAX,
        }),
        shaper: None,
    })
}

/// Frames of 100, 50 and 50 bytes: the second is marked, the third would be and meets a full queue. One mark is on the line.
#[test]
fn a_frame_that_a_full_queue_drops_is_not_counted_as_marked() {
    let mut queue = marks_from_the_second_on();
    let offered = [100_u16, 50, 50].map(|bytes| {
        let mut frame = Frame::new(Kind::Udp, FlowDir::forward(0), 0, bytes);
        frame.class = ECT;
        let cost = Footprint {
            queue_bytes: bytes.into(),
            wire_bytes: bytes.into(),
            ..Footprint::default()
        };
        let place = queue.place(&frame);
        queue.offer(&frame, &cost, place, true)
    });
    assert_eq!(offered, [Ok(()), Ok(()), Err(Drop::Tail)]);
    let all = queue.counters();
    let (counter, waiting) = all[0];
    assert_eq!((counter.marked, counter.tail, counter.early), (1, 1, 0));
    assert_eq!((counter.offered, waiting), (3, 2));
    drop(all);
    let sent = [(); 2].map(|()| {
        let frame = queue.take(Time::ZERO, |f| f.len.into());
        frame.expect("two wait").class
    });
    assert_eq!(sent, [ECT, CE]);
}
