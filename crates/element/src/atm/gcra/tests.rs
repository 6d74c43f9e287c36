use super::*;

/// The two forms of ITU-T I.371 §A, cell by cell, on exact fractions of a picosecond.
struct Form {
    increment: i128,
    limit: i128,
    /// Virtual scheduling: the theoretical arrival time. Leaky bucket: its content.
    state: i128,
    /// Leaky bucket: the last conforming arrival.
    last: i128,
}

impl Form {
    fn new(increment: i128, limit: i128) -> Form {
        Form {
            increment,
            limit,
            state: 0,
            last: 0,
        }
    }

    fn virtual_scheduling(&self, at: i128) -> bool {
        at >= self.state - self.limit
    }

    fn schedule(&mut self, at: i128) {
        self.state = self.state.max(at) + self.increment;
    }

    fn leaky_bucket(&self, at: i128) -> bool {
        self.state - (at - self.last) <= self.limit
    }

    fn pour(&mut self, at: i128) {
        self.state = (self.state - (at - self.last)).max(0) + self.increment;
        self.last = at;
    }
}

fn rate(bps: u64) -> Rate {
    Rate::from_bps(bps).expect("not zero")
}

fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

const LINES: [u64; 4] = [2_396_160_000, 599_040_000, 149_760_000, 40_704_000];

/// A random contract on a random line, OC-48 among them; peak and sustained below or above the line.
fn draw(luck: &mut u64) -> (Contract, Rate) {
    let line = LINES[(random(luck) % 4) as usize];
    let peak = (line / 1000) * (1 + random(luck) % 1200);
    let share = 1 + random(luck) % 100;
    let sustained = (!random(luck).is_multiple_of(4)).then(|| Sustained {
        rate: rate((peak * share / 100).max(1)),
        burst: 1 + random(luck) % 400,
    });
    let contract = Contract {
        peak: rate(peak),
        tolerance: Duration::from_ns(random(luck) % 20_000 * (random(luck) % 2)),
        sustained,
    };
    (contract, rate(line))
}

/// Increments, limits and spacing of a contract as the module sees them.
fn forms(gcra: &Gcra) -> Vec<Form> {
    let buckets = [Some(gcra.peak), gcra.sustained];
    let buckets = buckets.into_iter().flatten();
    buckets.map(|b| Form::new(b.increment, b.limit)).collect()
}

/// Trains of cells, back to back or with gaps.
fn trains(luck: &mut u64, spacing_ps: u64) -> Vec<(Time, u32)> {
    let mut now = 0;
    (0..40)
        .map(|_| {
            let cells = [1, 2, 32, 192, random(luck) % 400 + 1][(random(luck) % 5) as usize];
            let start = Time::from_ps(now);
            now += cells * (spacing_ps + 1) + random(luck) % 3 * (random(luck) % 400_000_000);
            (start, cells as u32)
        })
        .collect()
}

#[test]
fn trains_are_policed_as_cells_one_by_one_in_either_form() {
    let mut luck = 1;
    let (mut failed, mut passed) = (0, 0);
    for case in 0..400 {
        let (contract, line) = draw(&mut luck);
        let mut gcra = Gcra::new(&contract, line);
        let (unit, spacing) = (gcra.unit, gcra.spacing);
        assert!(unit <= 1 << 50);
        let (mut scheduled, mut poured) = (forms(&gcra), forms(&gcra));
        for (start, cells) in trains(&mut luck, (spacing / unit) as u64) {
            let mut expected = Conformance::default();
            for n in 0..cells {
                let at = i128::from(start.as_ps()) * unit + i128::from(n) * spacing;
                let conforms = scheduled.iter().all(|b| b.virtual_scheduling(at));
                assert_eq!(conforms, poured.iter().all(|b| b.leaky_bucket(at)));
                if conforms {
                    scheduled.iter_mut().for_each(|b| b.schedule(at));
                    poured.iter_mut().for_each(|b| b.pour(at));
                    passed += 1;
                } else {
                    expected.first = expected.first.or(Some(n));
                    expected.failed += 1;
                    failed += 1;
                }
                expected.last = !conforms;
            }
            assert_eq!(gcra.police(start, cells), expected, "case {case}");
        }
    }
    assert!(failed > 10_000 && passed > 10_000, "{failed} {passed}");
}

#[test]
fn trains_are_shaped_as_cells_one_by_one_and_then_conform() {
    let mut luck = 2;
    for case in 0..400 {
        let (contract, line) = draw(&mut luck);
        let mut gcra = Gcra::new(&contract, line);
        let (unit, spacing) = (gcra.unit, gcra.spacing);
        let mut buckets = forms(&gcra);
        let mut busy = Time::ZERO;
        for (offered, cells) in trains(&mut luck, (spacing / unit) as u64) {
            let ready = offered.max(busy);
            let mut at = i128::from(ready.as_ps()) * unit;
            let mut first = None;
            for _ in 0..cells {
                let earliest = buckets
                    .iter()
                    .map(|b| b.state - b.limit)
                    .fold(at, i128::max);
                assert!(buckets.iter().all(|b| b.virtual_scheduling(earliest)));
                buckets.iter_mut().for_each(|b| b.schedule(earliest));
                first = first.or(Some(earliest));
                at = earliest + spacing;
            }
            let up = |units: i128| Time::from_ps(((units + unit - 1) / unit) as u64);
            let found = gcra.shape(ready, cells);
            assert_eq!(found, (up(first.expect("a cell")), up(at)), "case {case}");
            busy = found.1;
        }
    }
}

/// CBR cells against a contract of 600 and 300 Mbit/s and bursts of 100 cells for 10 s: own
/// calculation for the OC-12 document's tester.
#[test]
fn a_steady_source_conforms_by_its_share() {
    let cell = |bps: u64, n: u64| {
        let ps = (u128::from(n) * CELL_PS_BPS + u128::from(bps) / 2) / u128::from(bps);
        Time::from_ps(ps as u64)
    };
    for (offered, honoured, ignored) in [(299, 1.0, 1.0), (301, 0.9967, 1.0), (600, 0.5, 1.0)] {
        for (obeys, expected) in [(true, honoured), (false, ignored)] {
            let sustained = Sustained {
                rate: rate(300_000_000),
                burst: 100,
            };
            let contract = Contract {
                peak: rate(600_000_000),
                // The source's instants are whole picoseconds.
                tolerance: Duration::from_ps(1),
                sustained: obeys.then_some(sustained),
            };
            let mut gcra = Gcra::new(&contract, rate(600_000_000));
            let count = offered * 1_000_000 * 10 / CELL_BITS;
            let cells = (0..count).map(|n| cell(offered * 1_000_000, n));
            let failed: u64 = cells.map(|at| u64::from(gcra.police(at, 1).failed)).sum();
            let share = 1.0 - failed as f64 / count as f64;
            assert!((share - expected).abs() < 0.0002, "{offered}: {share}");
        }
    }
}

/// A burst of MBS cells at the peak rate conforms, one cell more does not.
#[test]
fn a_burst_of_the_contract_conforms_and_no_more() {
    for burst in [1, 2, 100, 192] {
        let sustained = Sustained {
            rate: rate(200_000_000),
            burst,
        };
        let contract = Contract {
            peak: rate(599_040_000),
            tolerance: Duration::ZERO,
            sustained: Some(sustained),
        };
        let mut gcra = Gcra::new(&contract, rate(599_040_000));
        let found = gcra.police(Time::from_ps(5), burst as u32 + 1);
        assert_eq!((found.failed, found.first), (1, Some(burst as u32)));
    }
}

/// An hour at the sustained rate, frame by frame: the last cell leaves when the rate says, to 1 ps.
#[test]
fn nothing_drifts_in_an_hour() {
    let contract = Contract {
        peak: rate(571_100_000),
        tolerance: Duration::ZERO,
        sustained: None,
    };
    let mut gcra = Gcra::new(&contract, rate(599_040_000));
    let mut free = Time::ZERO;
    let frames = 25_000_000_u64;
    for _ in 0..frames {
        free = gcra.shape(free, 191).1;
    }
    let cells = u128::from(frames) * 191 - 1;
    let spacing = CELL_PS_BPS.div_ceil(599_040_000);
    let expected = (cells * CELL_PS_BPS).div_ceil(571_100_000) + spacing;
    assert!(u128::from(free.as_ps()).abs_diff(expected) <= 1);
}
