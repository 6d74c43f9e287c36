//! Applications that read slowly: windows that close (RFC 9293 §3.8.6).

use farpath_tcp::{Config, Flavour, Out, Reading, Receiver, Sender};
use farpath_units::Duration;

use crate::harness::{Dialogue, Event, Path, RTT, config, ms};

fn told() -> Config {
    Config {
        reading: Reading::Told,
        receive_window: 20_000,
        amount: Some(200_000),
        ..config()
    }
}

#[test]
fn the_rate_of_reading_is_the_rate_of_the_transfer() {
    // 2000 bytes every 20 ms: 200 kB take 2 s, and the window fills with what is unread.
    let path = Path {
        reads: Some((Duration::from_ms(20), 2000)),
        ..Path::new(RTT)
    };
    let mut d = Dialogue::new(&told(), path);
    d.run_until(ms(1500));
    assert!(d.receiver.unread() > 5_000, "{}", d.receiver.unread());
    d.run_to_end();
    let took = d.now.as_ps() / 1_000_000_000;
    assert!((2000..2200).contains(&took), "{took} ms");
    assert_eq!(d.sender.stats().retransmits, 0);
    assert_eq!((d.receiver.delivered(), d.receiver.unread()), (200_000, 0));
    assert_eq!(d.receiver.stats().refused, 0);
}

/// RFC 9293 §3.8.6.2.2: neither a window of a few bytes is offered nor a segment of a few bytes sent.
#[test]
fn no_silly_windows_are_offered_and_no_silly_segments_sent() {
    let path = Path {
        reads: Some((Duration::from_ms(1), 100)),
        ..Path::new(RTT)
    };
    let mut d = Dialogue::new(&told(), path);
    d.run_to_end();
    let short = d.trace.iter().filter(
        |(_, e)| matches!(e, Event::Sent(Out::Data(s)) if s.len < 1000 && s.seq + 1000 < 200_000),
    );
    assert_eq!(short.count(), 0);
}

/// When the closed window was asked about, in milliseconds.
fn probes(d: &Dialogue) -> Vec<u64> {
    let probe = |(at, e): &(farpath_units::Time, Event)| {
        (*e == Event::Sent(Out::WindowProbe)).then_some(at.as_ps() / 1_000_000_000)
    };
    d.trace.iter().filter_map(probe).collect()
}

/// Linux 6.18 counts from the answer (`tcp_ack_probe`), the rules of the RFCs from the question.
#[test]
fn by_the_kernels_rules_the_next_probe_counts_from_the_answer() {
    for (flavour, answer) in [(Flavour::Linux, 100), (Flavour::Rfc, 0)] {
        let config = Config { flavour, ..told() };
        let mut d = Dialogue::new(&config, Path::new(RTT));
        d.run_until(ms(20_000));
        let asked = probes(&d);
        assert!(asked.len() >= 4, "{asked:?}");
        let waits: Vec<u64> = asked.windows(2).map(|p| p[1] - p[0] - answer).collect();
        for pair in waits.windows(2) {
            assert!(pair[1].abs_diff(2 * pair[0]) <= 1, "{flavour:?}: {asked:?}");
        }
    }
}

/// A window smaller than the next segment ends the doubling by the RFCs' rules. By Linux's (`tcp_ack_probe`) only a window does that the
/// segment fits.
#[test]
fn by_the_kernels_rules_a_window_too_small_for_a_segment_ends_no_doubling() {
    for (flavour, doubled) in [(Flavour::Linux, 1), (Flavour::Rfc, 0)] {
        let mut s = Sender::new(&Config {
            flavour,
            receive_window: 2000,
            amount: Some(5000),
            ..config()
        });
        s.open(ms(0));
        assert_eq!(s.poll(ms(0)), Some(Out::Syn));
        s.on_syn_ack(ms(100));
        while s.poll(ms(100)).is_some() {}
        s.on_ack(ms(200), 2000, 0, false, &[]);
        assert_eq!(s.poll(ms(200)), None);
        let due = s.deadline();
        s.on_deadline(due);
        assert_eq!(s.poll(due), Some(Out::WindowProbe));
        let wait = s.rto();
        let answer = due + Duration::from_ms(100);
        s.on_ack(answer, 2000, 500, false, &[]);
        assert_eq!(s.poll(answer), None);
        assert_eq!(s.backoff(), doubled, "{flavour:?}");
        let from = if doubled > 0 { answer } else { due };
        assert_eq!(s.deadline(), from + wait, "{flavour:?}");
        // A window that is large enough ends it by both.
        s.on_ack(answer, 2000, 2000, false, &[]);
        assert_eq!(s.backoff(), 0, "{flavour:?}");
        assert!(matches!(s.poll(answer), Some(Out::Data(_))));
    }
}

#[test]
fn rfc9293_3_8_6_1_a_closed_window_is_asked_about() {
    // The application reads nothing for a long time, and the update that opens the window is lost.
    let mut d = Dialogue::new(&told(), Path::new(RTT));
    d.run_until(ms(20_000));
    assert_eq!(d.receiver.unread(), 20_000);
    // Every one waits twice as long as the one before.
    let asked = probes(&d);
    assert!(asked.len() >= 4, "{asked:?}");
    let gaps: Vec<u64> = asked.windows(2).map(|p| p[1] - p[0]).collect();
    for pair in gaps.windows(2) {
        assert!(pair[1].abs_diff(2 * pair[0]) <= 1, "{gaps:?}");
    }
    // Everything is read, and the update lost.
    assert_eq!(d.receiver.on_read(d.now, u64::MAX), 20_000);
    let update = d.receiver.poll(d.now).expect("a window update");
    assert_eq!(update.window, 20_000);
    let silent = d.now;
    d.run_until(silent + Duration::from_secs(60));
    assert!(d.receiver.delivered() >= 40_000);
    assert_eq!(d.sender.stats().rtos, 0);
}

/// `tcp_retries2` probes without an answer; any answer, a closed window too, starts the count anew.
#[test]
fn a_closed_window_is_given_up_when_fifteen_probes_are_not_answered() {
    let mut d = Dialogue::new(&told(), Path::new(RTT));
    // Two hours of a closed window that is confirmed: more than sixty probes.
    d.run_until(ms(7_200_000));
    assert_eq!(d.sender.gave_up(), None);
    let mut probes = 0;
    while d.sender.gave_up().is_none() {
        let now = d.sender.deadline();
        assert!(now < ms(14_400_000), "no end in sight");
        d.sender.on_deadline(now);
        while let Some(out) = d.sender.poll(now) {
            assert_eq!(out, Out::WindowProbe);
            probes += 1;
        }
    }
    assert!((14..=15).contains(&probes), "{probes}");
}

#[test]
fn a_window_update_waits_for_two_segments_or_half_the_buffer() {
    let mut r = Receiver::new(&told());
    r.on_syn(ms(0));
    r.poll(ms(0));
    for n in 0..10 {
        r.on_data(ms(1), n * 1000, 1000, false);
        r.poll(ms(1));
    }
    assert_eq!(r.unread(), 10_000);
    assert_eq!(r.on_read(ms(2), 1999), 1999);
    assert!(r.poll(ms(2)).is_none());
    assert_eq!(r.on_read(ms(2), 1), 1);
    let update = r.poll(ms(2)).expect("two segments are free");
    assert_eq!((update.ack, update.window), (10_000, 12_000));
    // A window smaller than a segment is news as soon as it holds one.
    for n in 10..22 {
        r.on_data(ms(3), n * 1000, 1000, false);
        r.poll(ms(3));
    }
    assert_eq!(r.on_read(ms(4), 999), 999);
    assert!(r.poll(ms(4)).is_none());
    r.on_read(ms(4), 1);
    assert_eq!(r.poll(ms(4)).map(|a| a.window), Some(1000));
}
