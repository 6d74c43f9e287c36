//! `farpath predict`: the closed forms, without a scenario.

use farpath_element::qdisc::Limit;
use farpath_predict::overhead::Stack;
use farpath_predict::record::Announcement;
use farpath_predict::rfc6349::{Measured, ratios};
use farpath_predict::{Answer, Framing, IpVersion, PathInput, Place, Timestamps, path, rtt};
use farpath_report::{markdown_cell, wrap};
use farpath_scenario::{QueueLimit, Scenario};
use farpath_units::{Distance, Duration, Rate, Size};
use serde::Serialize;

use crate::args::{LineArgs, OverheadArgs, PathArgs, Predict, PredictArgs, Rfc6349Args, RouteArgs};
use crate::exit::{Exit, Failure, note, print, print_json};
use crate::value::{maybe, mtu, read};

mod figures;
mod headline;
mod start;
mod summary;

use figures::shown;

/// Columns of what is printed.
const WIDTH: usize = 80;

pub(crate) fn predict(args: &PredictArgs) -> Result<Exit, Failure> {
    match &args.what {
        Predict::Path(args) => predict_path(args),
        Predict::Overhead(args) => predict_overhead(args),
        Predict::Route(args) => predict_route(args),
        Predict::Rfc6349(args) => predict_rfc6349(args),
    }
}

#[derive(Serialize)]
struct PredictDocument {
    schema: &'static str,
    results: Vec<Answer>,
}

/// A path over this line, and nothing else said of it.
fn line(args: &LineArgs, rtt: Duration) -> Result<PathInput, Failure> {
    let named = Framing::NAMED
        .iter()
        .find(|(name, _)| *name == args.framing);
    let Some((_, framing)) = named else {
        let names = Framing::NAMED.map(|(name, _)| name).join(", ");
        return Err(Failure::usage(format!(
            "--framing {}: no such framing: use one of {names}",
            args.framing
        )));
    };
    let packet = mtu(&args.mtu)?;
    doubts(rtt, packet).iter().for_each(|doubt| note(doubt));
    Ok(PathInput {
        framing: *framing,
        timestamps: match args.no_timestamps {
            true => Timestamps::Off,
            false => Timestamps::On,
        },
        ip: match args.ipv6 {
            true => IpVersion::V6,
            false => IpVersion::V4,
        },
        ..PathInput::new(read("rate", &args.rate)?, rtt, packet)
    })
}

/// A round trip that no path on Earth has: the way to a satellite and back is 0.6 s.
const LONG: Duration = Duration::from_secs(5);

/// Sizes that are those of Ethernet frames with their header, a tag and a check sequence, and what they carry.
const FRAMES: [u64; 2] = [1500, 9000];
const HEADERS: [u64; 4] = [14, 18, 22, 26];

/// What of a round trip and an MTU is probably meant otherwise.
fn doubts(rtt: Duration, mtu: Size) -> Vec<String> {
    let mut all = Vec::new();
    if rtt >= LONG {
        all.push(format!("an RTT of {rtt}: are ms meant?"));
    }
    let bytes = mtu.as_bytes();
    let frame = FRAMES.iter().find(|packet| {
        let header = bytes.checked_sub(**packet);
        header.is_some_and(|header| HEADERS.contains(&header))
    });
    if let Some(packet) = frame {
        all.push(format!(
            "{bytes} is a frame of {packet} bytes with its header: --mtu counts the packet alone"
        ));
    }
    all
}

fn predict_path(args: &PathArgs) -> Result<Exit, Failure> {
    let input = PathInput {
        loss: maybe("loss", args.loss.as_deref())?,
        window: maybe("window", args.window.as_deref())?,
        cc: read("cc", &args.cc)?,
        host: maybe("host", args.host.as_deref())?,
        segments_per_ack: args.segments_per_ack,
        initial_window: args.initial_window,
        timeout: maybe("t0", args.t0.as_deref())?,
        policer: args.policer.as_deref().map(policer).transpose()?,
        beta: args.beta,
        streams: args.streams,
        goodput: maybe("goodput", args.goodput.as_deref())?,
        ..line(&args.line, read("rtt", &args.rtt)?)?
    };
    let limit = maybe("queue", args.queue.as_deref())?;
    let input = PathInput {
        queue: limit.map(|limit| in_bytes(limit, &input)),
        ..input
    };
    let results = path(&input).map_err(|e| Failure::usage(e.to_string()))?;
    if args.markdown {
        print(&match args.all {
            true => every_figure(&results),
            false => summary::markdown(&input, &results),
        })?;
        return Ok(Exit::Ok);
    }
    if args.all || args.json {
        return answers(results, args.json);
    }
    print(&summary::page(&input, &results))?;
    Ok(Exit::Ok)
}

/// A queue's limit in bytes: packets are whole ones, a time and products of bandwidth and delay are at the rate of the line.
fn in_bytes(limit: QueueLimit, path: &PathInput) -> Size {
    match Scenario::queue_limit(limit, path.rate, path.rtt) {
        Limit::Bytes(bytes) => Size::from_bytes(bytes),
        Limit::Packets(n) => Size::from_bytes(n.saturating_mul(path.mtu.as_bytes())),
    }
}

/// A policer as it is written: its rate, a comma, its burst.
fn policer(text: &str) -> Result<(Rate, Size), Failure> {
    let Some((rate, burst)) = text.split_once(',') else {
        let message = format!("--policer {text}: rate and burst belong together: 1Gbit/s,125kB");
        return Err(Failure::usage(message));
    };
    Ok((
        read("policer", rate.trim())?,
        read("policer", burst.trim())?,
    ))
}

fn predict_route(args: &RouteArgs) -> Result<Exit, Failure> {
    let ends = maybe::<Place>("from", args.from.as_deref())?.zip(maybe("to", args.to.as_deref())?);
    let between = ends.map(|(from, to): (Place, Place)| from.distance_to(to));
    let named = maybe::<Distance>("distance", args.distance.as_deref())?;
    let length = named.or(between).unwrap_or_default();
    if length == Distance::default() {
        return Err(Failure::usage("the distance is zero".to_owned()));
    }
    let mut results = rtt::route(length, maybe("rtt", args.rtt.as_deref())?);
    if let Some(rate) = maybe("rate", args.rate.as_deref())? {
        let announced = Announcement {
            route: length,
            rate,
            mark_tbm_per_s: args.mark,
            volume: maybe("volume", args.volume.as_deref())?,
            time: maybe("time", args.time.as_deref())?,
        };
        results.extend(announced.answers());
    }
    answers(results, args.json)
}

fn predict_rfc6349(args: &Rfc6349Args) -> Result<Exit, Failure> {
    let rtt = maybe::<Duration>("rtt", args.rtt.as_deref())?;
    let measured = Measured {
        bytes: read("bytes", &args.bytes)?,
        time: read("time", &args.time)?,
        retransmitted: maybe("retransmitted", args.retransmitted.as_deref())?,
        rtt,
        loaded_rtt: maybe("loaded-rtt", args.loaded_rtt.as_deref())?,
    };
    for (flag, time) in [("time", Some(measured.time)), ("rtt", rtt)] {
        if time == Some(Duration::ZERO) {
            return Err(Failure::usage(format!("--{flag} 0: it takes some time")));
        }
    }
    // The rate of the line's payload does not depend on the RTT.
    let input = line(&args.line, rtt.unwrap_or(Duration::from_ms(1)))?;
    let of_line = path(&input).map_err(|e| Failure::usage(e.to_string()))?;
    let rate = of_line.iter().find(|a| a.name == "line_goodput_bps");
    let rate = rate.and_then(|a| a.value.number());
    let rate = rate.expect("a path has a rate");
    answers(ratios(rate, &measured), args.json)
}

/// Prints them, as JSON or as a table.
fn answers(results: Vec<Answer>, as_json: bool) -> Result<Exit, Failure> {
    if as_json {
        print_json(&PredictDocument {
            schema: "farpath.predict/1",
            results,
        })?;
        return Ok(Exit::Ok);
    }
    let mut text = String::new();
    for answer in &results {
        text.push_str(&format!("{:<22} {:>20}\n", answer.name, shown(answer)));
        let said = [answer.formula, answer.source, &answer.note];
        for line in said.iter().filter(|l| !l.is_empty()) {
            for part in wrap(line, WIDTH - 4, WIDTH - 4) {
                text.push_str(&format!("    {part}\n"));
            }
        }
    }
    print(&text)?;
    Ok(Exit::Ok)
}

/// All of them as a Markdown table.
fn every_figure(results: &[Answer]) -> String {
    let mut text =
        "| figure | value | formula | source | note |\n| --- | ---: | --- | --- | --- |\n"
            .to_owned();
    for answer in results {
        let value = shown(answer);
        let cells = [
            answer.name,
            &value,
            answer.formula,
            answer.source,
            &answer.note,
        ];
        text += &format!("| {} |\n", cells.map(markdown_cell).join(" | "));
    }
    text
}

fn predict_overhead(args: &OverheadArgs) -> Result<Exit, Failure> {
    let stack: Stack = read("stack", &args.stack)?;
    let ladder = stack
        .ladder(mtu(&args.mtu)?)
        .map_err(|e| Failure::usage(e.to_string()))?;
    if args.json {
        print_json(&ladder)?;
        return Ok(Exit::Ok);
    }
    let mut text = String::new();
    for rung in &ladder.layers {
        text.push_str(&format!(
            "{:<14} {:>20}\n",
            rung.name,
            farpath_report::quantity("rate_bps", rung.rate_bps)
        ));
    }
    print(&text)?;
    Ok(Exit::Ok)
}
