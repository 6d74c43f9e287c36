//! Policers of policy maps.

use farpath_units::{Duration, Rate, Size};

use super::rates::rate;
use crate::commands::{BURST, Marks, Number, PEAK_RATE, PERCENT, RATE, Statement, Taken, Words};
use crate::platform::Platform;
use crate::qos::{Action, Class, Police, PolicePercent};

/// A rate as a policer states it.
#[derive(Clone, Copy)]
enum Amount {
    Rate(Rate),
    /// Of the interface's rate.
    Percent(u32),
    /// Of packets or cells, not of bytes.
    Packets,
}

/// A bucket as a policer states it.
#[derive(Clone, Copy)]
enum Depth {
    Bytes(u64),
    Time(Duration),
    Packets,
}

impl Depth {
    fn at(self, rate: Rate) -> Option<Size> {
        match self {
            Depth::Bytes(bytes) => Some(Size::from_bytes(bytes)),
            Depth::Time(time) => Some(rate.bytes_in(time)),
            Depth::Packets => None,
        }
    }
}

/// A statement of a class.
type Said<'s, 'r, 't> = &'s mut Statement<'r, 't, Class>;

/// What may follow a policer's rate.
struct Options {
    burst: Option<Depth>,
    max_burst: Option<Depth>,
    peak: Option<Amount>,
    conform: Action,
    exceed: Action,
    violate: Option<Action>,
}

/// `police`: `RATE BURST [BURST]`, `cir RATE [bc BURST] [be BURST] [pir RATE]`, or
/// `rate RATE bps [burst BURST bytes] [peak-rate RATE bps peak-burst BURST bytes]`. A rate may be
/// `percent N`, and a burst then `N ms`.
pub(super) fn police(s: Said<'_, '_, '_>) -> Option<()> {
    if !s.words.accept("cir") {
        s.words.accept("rate");
    }
    let amount = amount(s, RATE)?;
    let mut options = Options {
        burst: None,
        max_burst: None,
        peak: None,
        conform: Action::Transmit,
        exceed: Action::Drop,
        violate: None,
    };
    while option(s, &mut options)? {}
    s.finish();
    // Actions may stand on lines of their own below.
    for line in s.tree.statements(s.line) {
        s.words = Words::new(s.tree.content(line), s.tree.lines()[line].span.start);
        while option(s, &mut options)? {}
        s.finish();
        s.reader.count(Taken::Understood, s.tree, line);
    }
    match amount {
        Amount::Rate(rate) => {
            let police = of_rate(rate, &options, s.reader.device.platform);
            s.put(Some(police), |c| &mut c.police)
        }
        Amount::Percent(percent) => {
            let burst = match options.burst {
                Some(Depth::Time(time)) => Some(time),
                _ => None,
            };
            let police = PolicePercent {
                percent,
                burst,
                exceed: options.exceed,
            };
            s.put(Some(police), |c| &mut c.police_percent)?;
            s.pass_over()
        }
        Amount::Packets => s.pass_over(),
    }
}

/// The time of its rate that a bucket holds where no burst is stated: IOS a quarter of a second, NX-OS 200 ms, IOS XR 100 ms.
/// Platforms of IOS XR differ, which their files do not show: the CRS has 250 ms and at most 2 097 120 bytes (Cisco, IOS XR
/// Modular QoS Command Reference for the CRS, Release 4.0), the NCS 540 and 5500 have 10 ms. The 100 ms lie between them.
const fn by_default(platform: Platform) -> Duration {
    match platform {
        Platform::IosXr => Duration::from_ms(100),
        Platform::NxOs => Duration::from_ms(200),
        _ => Duration::from_ms(250),
    }
}

fn of_rate(rate: Rate, options: &Options, platform: Platform) -> Police {
    let peak = match options.peak {
        Some(Amount::Rate(peak)) => Some(peak),
        _ => None,
    };
    let stated = options.burst.and_then(|burst| burst.at(rate));
    let taken = by_default(platform);
    Police {
        rate,
        burst: stated.unwrap_or(rate.bytes_in(taken)),
        taken: stated.is_none().then_some(taken),
        max_burst: options
            .max_burst
            .and_then(|burst| burst.at(peak.unwrap_or(rate))),
        peak,
        conform: options.conform,
        exceed: options.exceed,
        violate: options.violate,
    }
}

fn amount(s: Said<'_, '_, '_>, number: Number) -> Option<Amount> {
    if s.words.accept("percent") {
        return Some(Amount::Percent(s.number(PERCENT)?));
    }
    let rate = rate(s, number)?;
    if s.words.accept("pps") || s.words.accept("cps") {
        return Some(Amount::Packets);
    }
    Some(Amount::Rate(rate))
}

fn depth(s: Said<'_, '_, '_>) -> Option<Depth> {
    let number: u64 = s.number(BURST)?;
    if s.words.accept("ms") {
        return Some(Depth::Time(Duration::from_ms(number)));
    }
    if s.words.accept("us") {
        return Some(Depth::Time(Duration::from_us(number)));
    }
    if s.words.accept("packets") || s.words.accept("cells") {
        return Some(Depth::Packets);
    }
    const LARGER: [(&str, u64); 4] = [
        ("bytes", 1),
        ("kbytes", 1_000),
        ("mbytes", 1_000_000),
        ("gbytes", 1_000_000_000),
    ];
    let unit = s.choice(&LARGER).unwrap_or(1);
    Some(Depth::Bytes(number.saturating_mul(unit)))
}

/// One option of a policer; `None` after a fault, `false` if there is none.
fn option(s: Said<'_, '_, '_>, options: &mut Options) -> Option<bool> {
    let Some(word) = s.words.peek() else {
        return Some(false);
    };
    match word.text {
        "conform-action" | "exceed-action" | "violate-action" | "conform" | "exceed"
        | "violate" | "pir" | "be" | "bc" | "burst" | "peak-rate" | "peak-burst" => {
            s.next();
        }
        _ if word.is_numeral() => {}
        _ => return Some(false),
    }
    match word.text {
        "conform-action" | "conform" => options.conform = action(s)?,
        "exceed-action" | "exceed" => options.exceed = action(s)?,
        "violate-action" | "violate" => options.violate = Some(action(s)?),
        "pir" | "peak-rate" => options.peak = Some(amount(s, PEAK_RATE)?),
        "bc" | "burst" => options.burst = Some(depth(s)?),
        _ if options.burst.is_none() && word.is_numeral() => options.burst = Some(depth(s)?),
        _ => options.max_burst = Some(depth(s)?),
    }
    Some(true)
}

/// Whether a word begins another action of a policer.
fn is_action(word: &str) -> bool {
    word.ends_with("-action") || matches!(word, "conform" | "exceed" | "violate")
}

/// What becomes of a frame; marks other than the DSCP are passed over.
fn action(s: Said<'_, '_, '_>) -> Option<Action> {
    Some(match s.next()? {
        "transmit" => Action::Transmit,
        "drop" => Action::Drop,
        "policed-dscp-transmit" | "policed-dscp" => Action::MarkDown,
        // IOS XR: `set dscp af11`, `set mpls experimental topmost 1`.
        "set" => match s.next()? {
            // `set dscp dscp table MAP` of NX-OS: what the map makes of it.
            "dscp" if s.words.accept("dscp") => {
                s.words.accept("table");
                s.next()?;
                Action::MarkDown
            }
            "dscp" => Action::SetDscp(s.mark(Marks::Dscp)?),
            "precedence" => Action::SetDscp(8 * s.mark(Marks::Precedence)?),
            _ => {
                while s.words.peek().is_some_and(|w| !is_action(w.text)) {
                    s.next();
                }
                Action::Transmit
            }
        },
        "set-dscp-transmit" => Action::SetDscp(s.mark(Marks::Dscp)?),
        "set-prec-transmit" => Action::SetDscp(8 * s.mark(Marks::Precedence)?),
        "set-cos-transmit"
        | "set-discard-class-transmit"
        | "set-mpls-exp-imposition-transmit"
        | "set-mpls-exp-topmost-transmit"
        | "set-qos-transmit" => {
            s.next()?;
            Action::Transmit
        }
        _ => return None,
    })
}
