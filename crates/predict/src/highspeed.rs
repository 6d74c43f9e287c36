//! HighSpeed TCP: a(w), b(w), and the table made of them (RFC 3649 §5, appendix B).

/// Window in segments at and below which HighSpeed TCP is Reno (RFC 3649 §5).
pub const LOW_WINDOW: f64 = 38.0;
/// Window in segments at which b(w) has fallen to its least (RFC 3649 §5).
pub const HIGH_WINDOW: f64 = 83_000.0;
/// b(w) there (RFC 3649 §5).
const HIGH_DECREASE: f64 = 0.1;

/// The largest window of the last row but one of Linux's table, in segments: above it all are in the last (`hstcp_aimd_vals`).
pub const LINUX_LAST: f64 = 84_035.0;
/// What the last row gains in a round trip, segments.
pub const LINUX_INCREASE: f64 = 72.0;
/// What a loss takes of a window there.
pub const LINUX_DECREASE: f64 = 24.0 / 256.0;

/// Share of the window given up at a loss: 0.5 at 38 segments and below, falling with log w to 0.1
/// at 83 000 and above.
pub fn b(window: f64) -> f64 {
    slope(window).clamp(HIGH_DECREASE, 0.5)
}

fn slope(window: f64) -> f64 {
    let along = libm::log(window / LOW_WINDOW) / libm::log(HIGH_WINDOW / LOW_WINDOW);
    (HIGH_DECREASE - 0.5) * along + 0.5
}

/// Segments gained each round trip: w²·p(w)·2b/(2 − b) with p(w) = 1/(12.8 w^1.2); never below 1.
pub fn a(window: f64) -> f64 {
    libm::fmax(grown(window, b(window)), 1.0)
}

fn grown(window: f64, b: f64) -> f64 {
    window * window * 2.0 * b / ((2.0 - b) * libm::pow(window, 1.2) * 12.8)
}

/// HighSpeed TCP's own mean window (RFC 3649 §5): 0.12/p^0.835 segments. Reno governs where that is
/// less than Reno's.
pub fn own_window(loss: f64) -> f64 {
    0.12 / libm::pow(loss, EXPONENT)
}

/// The loss ratio at which [`own_window`] is `window`.
pub fn own_loss_for(window: f64) -> f64 {
    libm::pow(0.12 / window, 1.0 / EXPONENT)
}

const EXPONENT: f64 = 0.835;

/// One line of the table: from this window on, `a` segments are gained and `b` of the window lost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// Window in segments.
    pub window: u32,
    /// Segments gained each round trip.
    pub a: u32,
    /// Share given up at a loss.
    pub b: f64,
}

/// The table of RFC 3649 appendix B up to `top` segments: a row wherever a(w) has grown by more
/// than one since the last.
pub fn table(top: u32) -> Vec<Row> {
    let mut rows = vec![Row {
        window: 38,
        a: 1,
        b: 0.5,
    }];
    let mut last = 1.0;
    for window in 38..top {
        let b = slope(window.into());
        let a = grown(window.into(), b);
        if a > last + 1.0 {
            let whole = a as u32;
            rows.push(Row {
                window,
                a: whole,
                b,
            });
            last = a;
        }
    }
    rows
}
