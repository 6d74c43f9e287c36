//! A model as a scenario.

use farpath_scenario::{Writer, Written};
use farpath_units::{Duration, Rate};

use super::model::Model;
use super::work::Work;
use crate::ceiling::bps;
use crate::flows::flow::Flow;
use crate::redact::redact;
use crate::verdict::Judged;

/// One-way propagation between the sender and its router.
const NEAR: Duration = Duration::from_us(1);

/// The sender's own link has so many times the rate of the line: the queue is the line's.
const FASTER: u64 = 10;

/// The scenario of a model.
pub(super) fn text(model: &Model, flow: &Flow, judged: &Judged, after: bool) -> String {
    let mut w = Writer::new(if after { "twin-after" } else { "twin" });
    let name = redact(&flow.name());
    w.put(
        "summary",
        format!("The twin of the flow {name}, made by farpath diagnose."),
    );
    if let Some(rate) = &judged.e.rate {
        let places: Vec<String> = rate
            .from
            .iter()
            .take(3)
            .map(|at| judged.facts.place(*at))
            .collect();
        w.remark(&format!(
            "Measured: {} ({}).",
            bps(rate.value),
            places.join(", ")
        ));
    }
    let cause = judged.cause();
    w.remark(&format!("Verdict: {}, {}.", cause.words(), cause.name()));
    w.remark("Behind each value stands the line it was read in, or that it is assumed.");
    hosts(model, &mut w);
    w.section("router").put("name", "middle");
    if model.hole.is_some() {
        w.put_from(
            "answers",
            false,
            "the verdict: nobody says that packets are too large",
        );
        // The receiver's own interface is larger, or it would ask for smaller segments.
        w.section("router").put("name", "beyond");
    }
    links(model, &mut w);
    test(model, &mut w);
    w.finish()
}

fn hosts(model: &Model, w: &mut Writer) {
    let ends = ["sender", "receiver"]
        .into_iter()
        .zip(["tcp_wmem", "tcp_rmem"]);
    for ((name, key), host) in ends.zip(&model.hosts) {
        w.section("host").put("name", name);
        // What bursts do to a queue that is assumed is in no text.
        if host.profile.value == "linux-6" {
            w.put("tso", false);
        }
        w.put_from("profile", host.profile.value, &host.profile.from);
        let [first, most] = host.memory.value;
        let least = 4096.min(first);
        w.put_from(key, format!("{least} {first} {most}"), &host.memory.from);
        if let Some(probes) = &host.probes {
            w.put_from("mtu_probing", probes.value, &probes.from);
        }
        if let Some(paced) = host.paced.as_ref().filter(|p| p.value) {
            w.put_from("qdisc", "fq", &paced.from);
        }
        if let Some(nic) = &host.nic {
            w.put_from("nic", nic.value, &nic.from);
        }
    }
}

fn links(model: &Model, w: &mut Writer) {
    let near = model.rate.value.as_bps().saturating_mul(FASTER);
    w.section("link").put("name", "access");
    w.put("ends", ["sender", "middle"]);
    let faster = Rate::from_bps(near).unwrap_or(model.rate.value);
    w.put_from("rate", faster, "assumed: faster than the line");
    w.put_from("delay", NEAR, "assumed");
    w.put_from("mtu", model.mtu.value, &model.mtu.from);
    w.section("link").put("name", "line");
    let end = match model.hole {
        Some(_) => "beyond",
        None => "receiver",
    };
    w.put("ends", ["middle", end]);
    w.put_from("rate", model.rate.value, &model.rate.from);
    let half = Duration::from_ps(model.rtt.value.as_ps() / 2).saturating_sub(NEAR);
    let round = format!(
        "half the round trip of {}: {}",
        model.rtt.value, model.rtt.from
    );
    w.put_from("delay", half, &round);
    let mtu = model.hole.as_ref().unwrap_or(&model.mtu);
    w.put_from("mtu", mtu.value, &mtu.from);
    match model.queue.value {
        Some(size) => w.put_from("forward.queue", size, &model.queue.from),
        None => w.put_from("forward.queue", "1bdp", &model.queue.from),
    };
    if let Some(loss) = &model.loss {
        w.put_from("forward.loss", loss.value, &loss.from);
    }
    if let Some(policer) = &model.policer {
        let (rate, burst) = policer.value;
        let rule = vec![
            ("name", Written::from("policer")),
            ("rate", rate.into()),
            ("burst", burst.into()),
        ];
        w.put_from("forward.police", Written::Table(rule), &policer.from);
    }
    if let Some(shaper) = &model.shaper {
        let rule = vec![("rate", Written::from(shaper.value))];
        w.put_from("forward.shape", Written::Table(rule), &shaper.from);
    }
    if model.hole.is_some() {
        w.section("link").put("name", "far");
        w.put("ends", ["beyond", "receiver"]);
        w.put_from("rate", faster, "assumed: faster than the line");
        w.put_from("delay", NEAR, "assumed");
        w.put_from("mtu", model.mtu.value, &model.mtu.from);
    }
}

fn test(model: &Model, w: &mut Writer) {
    w.section("test").put("name", "flow");
    let [from, to] = match model.work {
        // Who asks is who receives.
        Work::Blocks { .. } => ["receiver", "sender"],
        _ => ["sender", "receiver"],
    };
    let kind = match model.work {
        Work::Blocks { .. } => "request",
        Work::Datagrams { .. } => "udp",
        Work::Bulk { .. } | Work::Bytes(_) => "tcp",
    };
    w.put("kind", kind).put("from", from).put("to", to);
    match &model.work {
        Work::Bulk { duration, omit, .. } => {
            w.put_from("duration", duration.value, &duration.from);
            if let Some(omit) = omit {
                w.put_from("omit", omit.value, &omit.from);
            }
        }
        Work::Bytes(bytes) => {
            w.put_from("bytes", bytes.value, &bytes.from);
        }
        Work::Blocks {
            block,
            pause,
            duration,
        } => {
            w.put_from("block", block.value, &block.from);
            w.put_from("think_time", pause.value, &pause.from);
            w.put_from("duration", duration.value, &duration.from);
            w.put_from("idle_restart", false, "assumed: a pause costs itself alone");
        }
        Work::Datagrams {
            rate,
            size,
            duration,
        } => {
            w.put_from("rate", rate.value, &rate.from);
            w.put_from("size", *size, "assumed: full packets");
            w.put_from("duration", duration.value, &duration.from);
        }
    }
    if model.udp {
        return;
    }
    w.put_from("cc", model.cc.value, &model.cc.from);
    if model.streams.value > 1 {
        w.put_from("parallel", model.streams.value, &model.streams.from);
    }
    if let Some(window) = &model.window {
        w.put_from("window", window.value, &window.from);
    }
    w.put_from("timestamps", model.timestamps.value, &model.timestamps.from);
}
