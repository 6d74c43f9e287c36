//! Tests whose packets are marked for a class that gets what others leave.

use farpath_diagnose::Known;

use crate::{asked, because, first_flow, of};

#[test]
fn a_test_of_a_lower_class_is_to_be_made_again_without_its_mark() {
    let rows = [(6.2, 3), (5.1, 2), (7.4, 0), (4.8, 4), (6.6, 1), (5.5, 2)];
    let log = crate::alike::log(40000, &rows, 90.0);
    let of = |options: &str| {
        let typed = format!("$ iperf3 -c 198.51.100.2 -t 6 {options}\n");
        first_flow(of(&(typed + &log), &Known::default()))
    };
    for (options, class) in [
        ("-S 32", "DSCP 8 (CS1)"),
        ("--tos=0x20", "DSCP 8 (CS1)"),
        ("--dscp cs1", "DSCP 8 (CS1)"),
        ("--dscp le", "DSCP 1 (LE)"),
    ] {
        let flow = of(options);
        let why = because(&flow);
        assert!(why.contains(class), "{options}: {why}");
        assert!(asked(&flow).contains(&"unmarked_rate"), "{options}");
    }
    for options in ["", "-S 0xb8"] {
        let flow = of(options);
        assert!(!because(&flow).contains("DSCP"), "{}", because(&flow));
        assert!(!asked(&flow).contains(&"unmarked_rate"), "{options}");
    }
}
