//! D-SACK (RFC 2883 §4): what a receiver reports of what arrived twice.

use farpath_tcp::{Config, Profile, Receiver};

use crate::harness::{config, ms};

/// What arrives (first byte, bytes), and the acknowledgement it draws.
type Step = (u64, u32, u64, &'static [(u64, u64)]);

/// Every segment is acknowledged; what arrived before the example begins ends at `from`.
fn hear(from: u64, steps: &[Step]) {
    let mut r = Receiver::new(&Config {
        recovery: Profile::Linux6.recovery(),
        quick_acks: 255,
        mss: 500,
        ..config()
    });
    r.on_syn(ms(0));
    r.poll(ms(0));
    r.on_data(ms(1), 0, from as u32, false);
    r.poll(ms(1));
    for (seq, len, ack, sack) in steps {
        assert!(r.on_data(ms(2), *seq, *len, false));
        let answer = r.poll(ms(2)).expect("every segment is acknowledged");
        let blocks: Vec<(u64, u64)> = answer.sack.iter().map(|b| (b.start, b.end)).collect();
        assert_eq!((answer.ack, &blocks[..]), (*ack, *sack), "after {seq}");
    }
}

#[test]
fn rfc2883_4_1_1_a_duplicate_segment() {
    hear(
        3000,
        &[
            (3000, 500, 3500, &[]),
            (3500, 500, 4000, &[]),
            (3000, 500, 4000, &[(3000, 3500)]),
        ],
    );
}

#[test]
fn rfc2883_4_1_2_an_out_of_order_segment_and_a_duplicate_one() {
    hear(
        4000,
        &[
            (4500, 500, 4000, &[(4500, 5000)]),
            (3000, 500, 4000, &[(3000, 3500), (4500, 5000)]),
        ],
    );
}

#[test]
fn rfc2883_4_1_3_a_duplicate_of_an_out_of_order_segment() {
    hear(
        4000,
        &[
            (4500, 500, 4000, &[(4500, 5000)]),
            (5000, 500, 4000, &[(4500, 5500)]),
            (5000, 500, 4000, &[(5000, 5500), (4500, 5500)]),
        ],
    );
}

#[test]
fn rfc2883_4_2_1_a_single_duplicate_part() {
    hear(
        500,
        &[
            (500, 500, 1000, &[]),
            (2000, 500, 1000, &[(2000, 2500)]),
            (1000, 500, 1500, &[(2000, 2500)]),
            (1000, 1000, 2500, &[(1000, 1500)]),
        ],
    );
}

/// Of two parts of one segment that arrived before, the lower is reported: RFC 2883 §4.2.2 and
/// §4.2.3 (examples 5 and 6), where the cumulative acknowledgement covers them or does not.
#[test]
fn rfc2883_4_2_2_only_the_first_of_two_duplicate_parts_is_reported() {
    hear(
        500,
        &[
            (500, 500, 1000, &[]),
            (2000, 500, 1000, &[(2000, 2500)]),
            (3000, 500, 1000, &[(3000, 3500), (2000, 2500)]),
            (1000, 500, 1500, &[(3000, 3500), (2000, 2500)]),
            (1000, 2500, 3500, &[(1000, 1500)]),
        ],
    );
    hear(
        1000,
        &[
            (2000, 500, 1000, &[(2000, 2500)]),
            (3000, 500, 1000, &[(3000, 3500), (2000, 2500)]),
            (1500, 2500, 1000, &[(2000, 2500), (1500, 4000)]),
        ],
    );
}
