//! What a path gives, what limits it and what to change, in a few lines.

use farpath_predict::window::{LARGEST, left_over};
use farpath_predict::{Answer, Cc, PathInput, law, path};
use farpath_record::count_of;
use farpath_report::{limit_words, markdown_cell, quantity};
use farpath_units::{Rate, Ratio, Size};

use super::figures::Figures;
use super::start::slow_start;
use crate::left::entry;

/// A jumbo frame's datagram, which hosts and paths of 10 Gbit/s often have.
const JUMBO: Size = Size::from_bytes(9000);
/// Of a law's rate: what a model with timeouts has at most where it is said.
const TIMEOUTS_MATTER: f64 = 0.9;

/// The page for `results`, which are those of `input`.
pub(super) fn page(input: &PathInput, results: &[Answer]) -> String {
    let mut text = String::new();
    for (word, rest) in rows(input, results) {
        entry(word, &rest, &mut text);
    }
    text.push_str(
        "\nEvery figure with its formula, source and note: --all. For programs: --json.\n",
    );
    text
}

/// The same as a Markdown table.
pub(super) fn markdown(input: &PathInput, results: &[Answer]) -> String {
    let mut text = "| the path | |\n| --- | --- |\n".to_owned();
    for (word, rest) in rows(input, results) {
        text += &format!("| {word} | {} |\n", markdown_cell(&rest));
    }
    text
}

/// What is said of a path: a word or two, and a sentence.
fn rows(input: &PathInput, results: &[Answer]) -> Vec<(&'static str, String)> {
    let figures = Figures(results);
    let mut rows = Vec::new();
    let mut line = |word, rest: String| rows.push((word, rest));
    let of_line = figures.shown("line_goodput_bps");
    let limit = figures.limit();
    line(
        "gives",
        match limit {
            None => format!("unknown; the line leaves {of_line} of payload"),
            Some("link") if figures.shown("goodput_bps") == of_line => {
                let most = match queue_is_unforeseen(input, &figures) {
                    true => "at most ",
                    false => "",
                };
                format!("{most}{of_line} of payload")
            }
            Some(limit) => format!(
                "{}{} of the {of_line} that the line leaves for payload{}",
                // Slow start and bursts of super-frames leave less of a short queue than its closed form does.
                match limit == "link" && figures.queue_is_short() {
                    true => "at most ",
                    false => "",
                },
                figures.goodput(input),
                with_timeouts(input, &figures)
            ),
        },
    );
    line("limited by", because(input, &figures));
    if let Some(change) = change(input, &figures) {
        line("to change", change);
    }
    if let Some(rate) = input.goodput {
        line("wanted", wanted(rate, &figures));
    }
    line("to fill it", to_fill(input, &figures));
    line(
        "takes",
        format!(
            "{}; {}",
            slow_start(input, &figures),
            recovery(input, &figures)
        ),
    );
    if let Some(words) = input.cc.forms_alone() {
        line("forecast", words.to_owned());
    }
    rows
}

/// What Padhye's model leaves where timeouts govern, which the law that limits has not; nothing elsewhere.
fn with_timeouts(input: &PathInput, figures: &Figures<'_>) -> String {
    let many = input.loss.is_some_and(|p| p.get() > law::LOSS_MAX);
    let by_law = figures.number("loss_limit_bps").unwrap_or(0.0) * TIMEOUTS_MATTER;
    let less = figures.number("pftk_bps").is_some_and(|bps| bps < by_law);
    if !(many && less && figures.limit() == Some("loss")) {
        return String::new();
    }
    let each = match input.streams {
        1 => "",
        _ => " each",
    };
    format!(
        ", by a law without timeouts; with them Reno has {}{each} (Padhye et al. 1998)",
        figures.shown("pftk_bps")
    )
}

/// What the goodput that is wanted needs.
fn wanted(rate: Rate, figures: &Figures<'_>) -> String {
    let given = figures.number("goodput_bps");
    let given = given.is_some_and(|bps| bps >= rate.as_bps() as f64 * (1.0 - 1e-9));
    let mut parts = Vec::new();
    let mut part = |name: &str, words: &dyn Fn(String) -> String| {
        if figures.number(name).is_some() {
            parts.push(words(figures.shown(name)));
        }
    };
    part("window_for_goodput_bytes", &|window| {
        format!("{window} in flight of each connection")
    });
    part("loss_ratio_for_goodput", &|loss| {
        format!("a loss ratio of at most {loss}")
    });
    part("streams_for_goodput", &|streams| match streams.as_str() {
        "1" => "one connection like this".to_owned(),
        _ => format!("or {streams} connections like this"),
    });
    if parts.is_empty() {
        return format!(
            "{rate}. {}",
            figures.answer("window_for_goodput_bytes").note
        );
    }
    let gives = match given {
        true => ", which it gives",
        false => "",
    };
    format!("{rate}{gives}: {}", parts.join("; "))
}

/// How long a loss is felt.
fn recovery(input: &PathInput, figures: &Figures<'_>) -> String {
    if figures.number("recovery_s").is_none() {
        return "a loss cuts it by no rule that is known here".to_owned();
    }
    let found = match figures.limit() {
        Some("policer") => " at the window that the policer leaves",
        Some("host_cpu") => " at the window that the host takes",
        _ if input.queue.is_some() && figures.window_outgrows_the_line() => " at a full queue",
        _ => "",
    };
    let never = match figures.number("loss_limit_bps") {
        Some(bps) if Some(bps) <= figures.number("goodput_bps") => {
            " at a full window, which the losses named do not allow"
        }
        _ => "",
    };
    let elsewhere = match input.cc {
        Cc::Reno if input.segments_per_ack > 1 => {
            ", half of it where bytes are counted, as Linux does (--segments-per-ack 1)".to_owned()
        }
        // What Linux does otherwise stands last in its note, and when Westwood+ takes longer.
        Cc::Cubic | Cc::Htcp | Cc::Westwood => {
            let note = &figures.answer("recovery_s").note;
            let from = match input.cc {
                Cc::Westwood => "That is where",
                _ => "Linux",
            };
            let last = note.find(from).map(|at| note[at..].trim_end_matches('.'));
            last.map_or_else(String::new, |text| format!(". {text}"))
        }
        _ => String::new(),
    };
    let seconds = figures.shown("recovery_s");
    let of_one = match input.streams {
        1 => "",
        _ => " of one connection",
    };
    format!("{seconds} to recover from a loss{of_one}{found}{never}{elsewhere}")
}

/// Whole segments that the window holds.
fn segments(input: &PathInput, figures: &Figures<'_>) -> u64 {
    let mss = figures.number("mss_bytes").map_or(1, |bytes| bytes as u64);
    input.window.unwrap_or(LARGEST).as_bytes() / mss.max(1)
}

/// What each of several connections has of a figure that is of all of them; none of one.
fn of_each(input: &PathInput, figures: &Figures<'_>, name: &str) -> Option<String> {
    let several = (input.streams > 1).then(|| f64::from(input.streams))?;
    Some(quantity(name, figures.number(name)? / several))
}

/// For how many round trips a window is in flight: of BBR more than one where losses are repaired meanwhile.
fn round_trips(input: &PathInput, figures: &Figures<'_>) -> String {
    let loss = input.loss.map_or(0.0, |p| p.get());
    match input.stands_still() {
        true => {
            let rounds = law::rounds_to_arrive(segments(input, figures) as f64, loss);
            format!("{rounds:.2} round trips, until what is lost of it has arrived too,")
        }
        false => "a round trip".to_owned(),
    }
}

/// The limit and its cause.
fn because(input: &PathInput, figures: &Figures<'_>) -> String {
    let each = |name: &str| match input.streams {
        1 => String::new(),
        _ => format!(", {} for each stream", figures.shown(name)),
    };
    let share = || {
        let each = of_each(input, figures, "goodput_bps");
        each.map_or_else(String::new, |each| format!(", {each} for each stream"))
    };
    match figures.limit() {
        Some("receive_window") => {
            let window = match input.window {
                Some(window) => window.to_string(),
                None => format!("{LARGEST} (the largest of TCP)"),
            };
            let held = segments(input, figures);
            let left = left_over(held, input.segments_per_ack);
            format!(
                "the window: {window}, {}, in flight in {} of {}{}{}",
                count_of(held, "whole segment", "whole segments"),
                round_trips(input, figures),
                input.rtt,
                share(),
                left.map_or_else(String::new, |left| format!(". {left}"))
            )
        }
        Some("loss") => format!(
            "loss: what {} makes of it{}. {}",
            input.cc,
            each("loss_limit_bps"),
            figures.answer("loss_limit_bps").note
        ),
        Some("policer") => format!("the policer. {}", figures.answer("policer_limit_bps").note),
        Some("host_cpu") => "the host".to_owned(),
        Some(_) if figures.queue_is_short() => format!(
            "the line's queue of {}: each time it is full a loss cuts the window below what fills the line. Bursts of hosts that it cannot \
             hold leave less still: simulate it",
            input.queue.map(|q| q.to_string()).unwrap_or_default()
        ),
        Some(_) => {
            let probing = law::probing_words(input.cc, input.rtt.as_secs_f64());
            let probing = probing.map_or_else(String::new, |words| format!(" {words}"));
            // What bears losses does not hang on it.
            let queue = input.queue.filter(|_| !input.cc.doubles());
            let of_queue = match (input.streams, queue, figures.number("utilisation")) {
                (2.., Some(_), _) => format!(" {}", figures.answer("utilisation").note),
                (1, Some(queue), None) if queue_is_unforeseen(input, figures) => format!(
                    " A queue of {queue} may leave less of it: {} has no closed form for that; {}.",
                    input.cc,
                    input.cc.without_form()
                ),
                _ => String::new(),
            };
            format!(
                "the line. {}{}{of_queue}{probing}",
                figures.answer("line_goodput_bps").note,
                beside_the_line(input, figures)
            )
        }
        None => {
            let lossy = input.loss.is_some_and(|p| p.get() > 0.0);
            let named = match figures.number("policer_limit_bps") {
                None if input.policer.is_some() => "policer_limit_bps",
                _ if lossy && figures.number("loss_limit_bps").is_none() => "loss_limit_bps",
                _ => "utilisation",
            };
            format!("unknown. {}", figures.answer(named).note)
        }
    }
}

/// Whether one connection has a queue that may leave it less than the line, and its algorithm no closed form for that. BBR bears losses.
fn queue_is_unforeseen(input: &PathInput, figures: &Figures<'_>) -> bool {
    let unknown = input.queue.is_some() && figures.number("utilisation").is_none();
    unknown && input.streams == 1 && !input.cc.doubles()
}

/// What losses make of a line that their law fills.
fn beside_the_line(input: &PathInput, figures: &Figures<'_>) -> String {
    let words = || {
        let all = figures.number("loss_limit_bps")? * f64::from(input.streams);
        let over = all / figures.number("line_goodput_bps")?;
        law::beside_the_line(input.cc, input.loss?.get(), over)
    };
    let less = figures.number("pftk_bps") < figures.number("goodput_bps");
    let reno = match input.loss {
        Some(loss) if less && loss.get() > law::LOSS_MAX => {
            format!("; Reno with them has {}", figures.shown("pftk_bps"))
        }
        _ => String::new(),
    };
    words().map_or_else(String::new, |words| format!(" But {words}{reno}."))
}

/// What gives more, and how much.
fn change(input: &PathInput, figures: &Figures<'_>) -> Option<String> {
    let then = |better: PathInput| gain(&better, figures);
    let text = match figures.limit()? {
        "receive_window" if input.window.is_none_or(|w| w >= LARGEST) => {
            let streams = figures.number("streams_to_fill")?;
            format!(
                "{} connections side by side: TCP has no larger window",
                quantity("streams", streams)
            )
        }
        "receive_window" => format!(
            "let {} be in flight{}, by the buffers of both hosts (Linux: the third value of \
             net.ipv4.tcp_wmem and tcp_rmem; `farpath config check` judges them){}",
            match figures.number("window_scale") {
                Some(_) => of_each(input, figures, "window_needed_bytes")
                    .unwrap_or_else(|| figures.shown("window_needed_bytes")),
                None => LARGEST.to_string(),
            },
            match input.streams {
                1 => String::new(),
                n => format!(" of each of {n} connections"),
            },
            then(PathInput {
                window: None,
                ..input.clone()
            })
        ),
        "loss" => {
            let fill = fewer_losses(input, figures);
            let bbr = then(PathInput {
                cc: Cc::Bbr,
                beta: None,
                ..input.clone()
            });
            match bbr.is_empty() {
                true => fill,
                false => format!(
                    "{fill}; or BBR, at most {}",
                    bbr.trim_start_matches([':', ' '])
                ),
            }
        }
        "policer" => policed(input, figures),
        "link" if figures.queue_is_short() => longer_queue(input, figures),
        "link" if input.mtu < JUMBO => {
            let more = then(PathInput {
                mtu: JUMBO,
                ..input.clone()
            });
            if more.is_empty() {
                return None;
            }
            format!("an MTU of 9000 on the whole path{more}")
        }
        _ => return None,
    };
    Some(text)
}

/// Of a loss ratio that reaches a limit: with so much of it the limit is reached for certain.
const BELOW: f64 = 0.999;

/// The loss ratio with which the next limit is reached, the line or what gives less, such as a window; and what that gives.
fn fewer_losses(input: &PathInput, figures: &Figures<'_>) -> String {
    let less = "lose less".to_owned();
    let Ok(lossless) = path(&PathInput {
        loss: None,
        ..input.clone()
    }) else {
        return less;
    };
    let next = Figures(&lossless);
    let rate = next.number("goodput_bps").map(|bps| bps as u64);
    let wanted = PathInput {
        goodput: rate.and_then(Rate::from_bps),
        ..input.clone()
    };
    let ratio = |of: &Figures<'_>, name: &str| Some((of.number(name)?, of.shown(name)));
    let found = match next.limit() {
        Some("link") | None => ratio(figures, "loss_ratio_to_fill"),
        Some(_) => path(&wanted)
            .ok()
            .and_then(|results| ratio(&Figures(&results), "loss_ratio_for_goodput")),
    };
    let Some((loss, shown)) = found else {
        return less;
    };
    let better = PathInput {
        loss: Ratio::new(loss * BELOW),
        ..input.clone()
    };
    format!(
        "lose at most {shown} of the segments{}",
        gain(&better, figures)
    )
}

/// A policer's burst is what holds a path back that has less than this part of what its rate leaves.
const OF_ITS_RATE: f64 = 0.9;

/// What helps against a policer: a larger burst where that is the fault, and another rate where it leaves no more.
fn policed(input: &PathInput, figures: &Figures<'_>) -> String {
    let bbr = gain(
        &PathInput {
            cc: Cc::Bbr,
            beta: None,
            ..input.clone()
        },
        figures,
    );
    match (burst(input, figures), bbr.is_empty()) {
        (Some(burst), true) => format!("{burst}; or shape to the policer's rate before it"),
        (Some(burst), false) => {
            format!("{burst}; or shape to the policer's rate before it, or use BBR{bbr}")
        }
        (None, true) => "ask for a higher rate, and a burst of some packets at least".to_owned(),
        (None, false) => format!(
            "shape to the policer's rate before it, ask for a larger burst, or use BBR{bbr}"
        ),
    }
}

/// The least burst, to two digits, that gives nine tenths of what the policer's rate leaves, and what it gives; none where the path has that, or
/// something else keeps it from it.
fn burst(input: &PathInput, figures: &Figures<'_>) -> Option<String> {
    let (rate, now) = input.policer?;
    let better = |bytes: u64| PathInput {
        policer: Some((rate, Size::from_bytes(bytes))),
        ..input.clone()
    };
    let with = |bytes: u64| {
        let results = path(&better(bytes)).ok()?;
        Figures(&results).number("goodput_bps")
    };
    let pipe = (rate.as_bps() as f64 * input.rtt.as_secs_f64() / 8.0) as u64;
    let most = pipe.max(BURST).saturating_mul(4);
    // A sender that paces gets all of it, but for BBR's probes.
    let paced = PathInput {
        cc: Cc::Bbr,
        beta: None,
        policer: Some((rate, Size::from_bytes(most))),
        ..input.clone()
    };
    let paced = path(&paced).ok()?;
    let sending = 1.0 - law::probing(Cc::Bbr, input.rtt.as_secs_f64());
    let all = Figures(&paced).number("policer_limit_bps")? / sending;
    let enough = |bytes: u64| with(bytes).is_some_and(|bps| bps >= OF_ITS_RATE * all);
    if figures.number("goodput_bps")? >= OF_ITS_RATE * all || !enough(most) {
        return None;
    }
    let (mut low, mut high) = (now.as_bytes(), most);
    while high > low + low / 100 + 1 {
        let middle = low.midpoint(high);
        match enough(middle) {
            true => high = middle,
            false => low = middle,
        }
    }
    let unit = 10_u64.pow(high.max(10).ilog10() - 1);
    let bytes = high.div_ceil(unit) * unit;
    let larger = better(bytes);
    let results = path(&larger).ok()?;
    let then = Figures(&results);
    Some(format!(
        "a burst of {}: {}, {:.0} % of what the policer's rate leaves",
        Size::from_bytes(bytes),
        then.goodput(&larger),
        100.0 * then.number("goodput_bps")? / all
    ))
}

/// Bursts up to four times this are tried on any path, bytes: on a short one a window is some hundred kilobytes.
const BURST: u64 = 250_000;

/// A queue with which one connection fills the line.
fn longer_queue(input: &PathInput, figures: &Figures<'_>) -> String {
    let pipe = input.rate.as_bps() as f64 * input.rtt.as_secs_f64() / 8.0;
    let queue = Size::from_bytes(pipe.round() as u64);
    let better = PathInput {
        queue: Some(queue),
        ..input.clone()
    };
    format!(
        "a queue of a bandwidth-delay product, {queue}{}; or pace the sender (BBR, or fq with a rate below the line's)",
        gain(&better, figures)
    )
}

/// What the better path gives; empty where that is no more, or unknown.
fn gain(better: &PathInput, figures: &Figures<'_>) -> String {
    let Ok(results) = path(better) else {
        return String::new();
    };
    let then = Figures(&results);
    let now = figures.number("goodput_bps").unwrap_or(0.0);
    match then.number("goodput_bps") {
        Some(more) if more > now * 1.001 => {
            let limit = match then.limit() {
                Some("link") | None => String::new(),
                Some(word) => format!(", limited by {}", limit_words(word)),
            };
            format!(": {}{limit}", then.goodput(better))
        }
        _ => String::new(),
    }
}

/// What one connection, or several, need to fill the line.
fn to_fill(input: &PathInput, figures: &Figures<'_>) -> String {
    let scale = match figures.number("window_scale") {
        Some(0.0) => String::new(),
        Some(shift) => format!(" (window scale {shift} or more)"),
        None => " (beyond window scaling: several connections)".to_owned(),
    };
    let each = of_each(input, figures, "window_needed_bytes").map_or_else(String::new, |each| {
        format!(", {each} of each of {} connections", input.streams)
    });
    let all = figures.shown("window_needed_bytes");
    let mut text = format!("{all} in flight{each}{scale}");
    match figures.number("loss_ratio_to_fill") {
        // What its law says of more is not what governs there.
        Some(fill) if fill > law::LOSS_MAX && !input.cc.is_bbr() => {
            text.push_str("; a loss ratio below 0.02, where timeouts begin to govern");
        }
        Some(_) => text.push_str(&format!(
            "; a loss ratio of at most {}",
            figures.shown("loss_ratio_to_fill")
        )),
        None => {}
    }
    if let Some(streams) = figures.number("streams_to_fill")
        && input.policer.is_none()
        && streams > 1.0
        && streams > f64::from(input.streams)
    {
        text.push_str(&format!(
            "; or {} streams like this",
            quantity("streams", streams)
        ));
    }
    if let (1, Some(queue), Some(share)) =
        (input.streams, input.queue, figures.number("utilisation"))
    {
        text.push_str(&format!(
            ". With a queue of {queue}, a connection that loses a segment each time it is full fills {:.1} % of the line; a full one adds {} to the round trip",
            share * 100.0,
            input.rate.time_for(queue)
        ));
    }
    text
}
