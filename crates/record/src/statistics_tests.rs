use super::*;

/// Newcombe, Statistics in Medicine 17 (1998), table II, 56 of 70 less 48 of 80, method 10: 0.0524 to 0.3339.
#[test]
fn a_difference_of_shares_has_the_published_interval() {
    let (many, few) = ((56.0 / 70.0, 70.0), (48.0 / 80.0, 80.0));
    assert!((shares(few, many) - (0.2 - 0.0524)).abs() < 5e-5);
    assert!((shares(many, few) - (0.2 - 0.0524)).abs() < 5e-5);
    // Nothing of ten is not nothing of ever: up to 27.75 % (Wilson).
    assert!((shares((0.0, 10.0), (0.1, 0.0)) - 0.2775).abs() < 5e-5);
    assert_eq!(shares((0.1, 0.0), (0.2, 0.0)), 0.0);
}

/// Means of one sum in two orders had a deviation of 5e-15.
#[test]
fn equal_values_do_not_deviate() {
    let third: f64 = 18.6 / 3.0;
    let rounded = f64::from_bits(third.to_bits() + 1);
    let equal = Summary::of(&[third, rounded, third, rounded, third]).expect("of five");
    assert_eq!((equal.sd, equal.ci95), (Some(0.0), Some(0.0)));
    assert_eq!((equal.mean, equal.ci95_high), (third, Some(third)));
    let apart = Summary::of(&[1.0, 1.0 + 1e-9]).expect("of two");
    assert!(apart.sd > Some(1e-10), "{apart:?}");
}

/// Student's t, upper quantiles 0.80 0.90 0.95 0.975 0.99 0.995 0.9995 (NIST/SEMATECH e-Handbook of
/// Statistical Methods, 1.3.6.7.2, and Fisher and Yates, table III).
const T: [(f64, [f64; 7]); 12] = [
    (1.0, [1.376, 3.078, 6.314, 12.706, 31.821, 63.657, 636.619]),
    (2.0, [1.061, 1.886, 2.920, 4.303, 6.965, 9.925, 31.599]),
    (3.0, [0.978, 1.638, 2.353, 3.182, 4.541, 5.841, 12.924]),
    (4.0, [0.941, 1.533, 2.132, 2.776, 3.747, 4.604, 8.610]),
    (5.0, [0.920, 1.476, 2.015, 2.571, 3.365, 4.032, 6.869]),
    (9.0, [0.883, 1.383, 1.833, 2.262, 2.821, 3.250, 4.781]),
    (10.0, [0.879, 1.372, 1.812, 2.228, 2.764, 3.169, 4.587]),
    (19.0, [0.861, 1.328, 1.729, 2.093, 2.539, 2.861, 3.883]),
    (30.0, [0.854, 1.310, 1.697, 2.042, 2.457, 2.750, 3.646]),
    (60.0, [0.848, 1.296, 1.671, 2.000, 2.390, 2.660, 3.460]),
    (120.0, [0.845, 1.289, 1.658, 1.980, 2.358, 2.617, 3.373]),
    (
        f64::INFINITY,
        [0.842, 1.282, 1.645, 1.960, 2.326, 2.576, 3.291],
    ),
];

#[test]
fn t_is_that_of_the_tables() {
    for (df, row) in T {
        for (p, printed) in [0.8, 0.9, 0.95, 0.975, 0.99, 0.995, 0.9995]
            .into_iter()
            .zip(row)
        {
            let t = t_quantile(p, df);
            assert!(
                (t - printed).abs() < 5.1e-4,
                "{df} {p}: {t} against {printed}"
            );
        }
    }
    // Where a form exists: tan(π(p − ½)) for one degree, and a cube root's worth for two.
    for p in [0.6, 0.9, 0.999] {
        let one = libm::tan(core::f64::consts::PI * (p - 0.5));
        assert!((t_quantile(p, 1.0) / one - 1.0).abs() < 1e-10);
        let two = (2.0 * p - 1.0) / libm::sqrt(2.0 * p * (1.0 - p));
        assert!((t_quantile(p, 2.0) / two - 1.0).abs() < 1e-10);
    }
    // Large numbers of degrees go over into the normal distribution without a step.
    assert!((t_quantile(0.975, 9.9e7) - t_quantile(0.975, 1.01e8)).abs() < 1e-6);
}

#[test]
fn a_summary_by_hand() {
    let values = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];
    let s = Summary::of(&values).expect("finite");
    // Mean 5, squares 32, 32/7.
    assert_eq!((s.n, s.min, s.max, s.mean), (8, 2.0, 9.0, 5.0));
    let sd = s.sd.expect("several");
    assert!((sd - libm::sqrt(32.0 / 7.0)).abs() < 1e-12);
    assert!((s.ci95.expect("several") - 2.364_624 * sd / libm::sqrt(8.0)).abs() < 1e-5);
    let one = Summary::of(&[3.0]).expect("finite");
    assert_eq!((one.sd, one.ci95), (None, None));
    assert_eq!(Summary::of(&[]), None);
    assert_eq!(Summary::of(&[1.0, f64::NAN]), None);
    // What does not vary has no deviation, to the last bit.
    let same = Summary::of(&[0.1; 7]).expect("finite");
    assert_eq!((same.mean, same.sd, same.ci95), (0.1, Some(0.0), Some(0.0)));
}

fn summary(n: u32, mean: f64, sd: f64) -> Summary {
    Summary {
        n,
        min: mean,
        max: mean,
        mean,
        sd: Some(sd),
        ci95: None,
        ci95_low: None,
        ci95_high: None,
        median: None,
        two_kinds: None,
    }
}

/// Three Jain's indices near 1: their interval reached to 1.08.
#[test]
fn an_interval_ends_where_the_metric_does() {
    let fair = Summary::of(&[0.9, 0.99, 0.999]).expect("finite");
    let half = fair.ci95.expect("several");
    assert!(fair.mean + half > 1.0);
    assert_eq!(fair.cut(), (None, None));
    let cut = fair.within((0.0, 1.0));
    assert_eq!(cut.cut(), (None, Some(1.0)));
    assert_eq!(
        (cut.ci95_low, cut.ci95),
        (Some(fair.mean - half), Some(half))
    );
    let few = Summary::of(&[0.0, 0.0, 3.0]).expect("finite");
    let few = few.within((0.0, f64::INFINITY));
    assert_eq!((few.cut(), few.median), ((Some(0.0), None), Some(0.0)));
    let one = Summary::of(&[3.0]).expect("finite").within((0.0, 1.0));
    assert_eq!((one.cut(), one.median), ((None, None), Some(3.0)));
}

/// Two lots of fifteen values whose comparison is printed in many places: means 20.82 and 22.98, variances 2.79 and
/// 3.85 hence about 27 degrees of freedom (Welch's formula by hand).
#[test]
fn welch_by_hand() {
    let (a, b) = (summary(15, 20.82, 1.670_3), summary(15, 22.98, 1.962_1));
    let w = welch(&a, &b);
    assert!((w.difference - 2.16).abs() < 1e-9);
    let (va, vb) = ((1.670_3 * 1.670_3) / 15.0, (1.962_1 * 1.962_1) / 15.0);
    let df = (va + vb) * (va + vb) / (va * va / 14.0 + vb * vb / 14.0);
    assert!((w.df - df).abs() < 1e-9 && (df - 27.3).abs() < 0.05, "{df}");
    // t(0.975, 27.3) is between 2.052 (27) and 2.048 (28).
    let t = w.ci95 / libm::sqrt(va + vb);
    assert!((2.048..2.052).contains(&t), "{t}");
    assert!((w.effect - 2.16 / libm::sqrt((2.789_9 + 3.849_8) / 2.0)).abs() < 1e-3);
    // Equal deviations and numbers: Student's 2n − 2 degrees.
    assert!((welch(&summary(10, 0.0, 1.0), &summary(10, 1.0, 1.0)).df - 18.0).abs() < 1e-9);
    // Against a value known exactly: n − 1.
    let exact = Summary::of(&[5.0]).expect("finite");
    assert!((welch(&exact, &summary(6, 0.0, 1.0)).df - 5.0).abs() < 1e-9);
    let still = welch(&summary(5, 1.0, 0.0), &summary(5, 2.0, 0.0));
    assert_eq!((still.ci95, still.effect), (0.0, f64::INFINITY));
    assert_eq!(welch(&exact, &exact).effect, 0.0);
}

#[test]
fn runs_that_tell() {
    // A difference of one standard deviation: 17 on each side (Cohen 1988, table 2.4.1: d = 1.00, power
    // 0.80, two-sided 0.05); half of one: 64; a fifth: 393 or 394.
    let runs = |d| runs_to_tell(&summary(5, 0.0, 1.0), &summary(5, d, 1.0));
    assert_eq!(runs(1.0), Some(17));
    assert_eq!(runs(0.5), Some(64));
    assert!(matches!(runs(0.2), Some(393 | 394)), "{:?}", runs(0.2));
    assert_eq!(runs(0.001), None);
    assert_eq!(runs(0.0), None);
    assert_eq!(
        runs_to_tell(
            &Summary::of(&[1.0]).expect("finite"),
            &Summary::of(&[2.0]).expect("finite")
        ),
        None
    );
}

/// Hours of sleep that ten patients gained by two drugs (Student, Biometrika 6, 1908, p. 20; R's `sleep`): the differences have
/// mean 1.58, t = 4.0621 with 9 degrees of freedom, and a 95 % interval of 0.7001 to 2.4599.
#[test]
fn students_own_pairs() {
    let first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0];
    let second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];
    let differences: Vec<f64> = first.iter().zip(&second).map(|(a, b)| b - a).collect();
    let of = |values: &[f64]| Summary::of(values).expect("finite");
    let (a, b) = (of(&first), of(&second));
    let found = paired(&a, &b, &of(&differences));
    assert!((found.difference - 1.58).abs() < 1e-9);
    assert!((found.ci95 - 0.879_9).abs() < 5e-5, "{}", found.ci95);
    assert!((found.df - 9.0).abs() < 1e-12);
    // Taken as strangers the two drugs do not differ: 1.58 to 1.78 (R's t.test).
    assert!(welch(&a, &b).ci95 > 1.7);
}
