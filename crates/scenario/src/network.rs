//! Hosts, routers and links, with the defaults a user expects.

use farpath_element::impair::Impairments;
use farpath_predict::Framing;
use farpath_tcp::{MtuProbing, Profile};
use farpath_units::{Duration, Rate, Ratio, Size};

use crate::atm;
use crate::conditioning;
use crate::decode::{At, Fields, first, octets};
use crate::diagnostic::Diagnostic;
use crate::model::{
    Conditioning, Direction, Host, HostLimits, Link, Loss, NodeId, Qdisc, QueueLimit, Router,
};
use crate::names::Names;
use crate::queueing;
use crate::signal;
use crate::source::Beside;

const DEFAULT_DELAY: Duration = Duration::from_ns(500);
const RATE_HELP: &str = "add `rate = \"1 Gbit/s\"`, or a signal that brings one: framing = \"gbe\"";
const DEFAULT_QUEUE: QueueLimit = QueueLimit::Packets(1000);

impl Host {
    /// `net.core.rmem_max` and `wmem_max` of an unconfigured machine of its time.
    pub const fn usual_max(profile: Profile) -> Size {
        Size::from_bytes(match profile {
            Profile::Bsd1999 => 262_144,
            Profile::Linux2004 => 131_071,
            Profile::Linux5 | Profile::Linux6 => 212_992,
        })
    }
}

/// A host; absent sysctls are those of an unconfigured machine of its time.
pub(crate) fn host(f: &Fields) -> Host {
    let profile = match f.get::<String>("profile").as_deref() {
        Some("bsd-1999") => Profile::Bsd1999,
        Some("linux-2004") => Profile::Linux2004,
        Some("linux-5") => Profile::Linux5,
        _ => Profile::Linux6,
    };
    // FreeBSD 3: kern.ipc.maxsockbuf, net.inet.tcp.recvspace and sendspace, which never grow.
    // Linux 2.6: net/core/sock.c and net/ipv4/tcp.c on a machine with enough memory; Linux 6: the same.
    let (rmem, wmem) = match profile {
        Profile::Bsd1999 => ([4096, 16_384, 16_384], [4096, 16_384, 16_384]),
        Profile::Linux2004 => ([4096, 87_380, 174_760], [4096, 16_384, 131_072]),
        Profile::Linux5 => ([4096, 131_072, 6_291_456], [4096, 16_384, 4_194_304]),
        // Read from a running 6.18; 6.12 has the buffers of Linux 5.
        Profile::Linux6 => ([4096, 131_072, 33_554_432], [4096, 16_384, 4_194_304]),
    };
    Host {
        name: f.get("name").unwrap_or_default(),
        profile,
        nic: f.get("nic"),
        mtu: octets(f, "mtu"),
        txqueuelen: f.get::<i64>("txqueuelen").map(i64::unsigned_abs),
        gro: f.get("gro"),
        tso: f.get("tso"),
        comp_sack_nr: octets(f, "comp_sack_nr"),
        window_scaling: f.get("window_scaling").unwrap_or(true),
        qdisc: match f.get::<String>("qdisc").as_deref() {
            Some("fq") => Qdisc::Fq,
            _ => Qdisc::PfifoFast,
        },
        rmem_max: f.get("rmem_max").unwrap_or(Host::usual_max(profile)),
        wmem_max: f.get("wmem_max").unwrap_or(Host::usual_max(profile)),
        tcp_rmem: f.get("tcp_rmem").unwrap_or(rmem.map(Size::from_bytes)),
        tcp_wmem: f.get("tcp_wmem").unwrap_or(wmem.map(Size::from_bytes)),
        mtu_probing: match f.get::<i64>("mtu_probing") {
            Some(1) => MtuProbing::BlackHole,
            Some(2) => MtuProbing::Always,
            _ => MtuProbing::Off,
        },
        limits: limits(f),
    }
}

/// What the machine can do; what is not said does not limit.
fn limits(f: &Fields) -> HostLimits {
    let time = |key: &str| f.get(key).unwrap_or_default();
    HostLimits {
        send_per_packet: time("send_per_packet"),
        send_per_byte: time("send_per_byte"),
        receive_per_packet: time("receive_per_packet"),
        receive_per_byte: time("receive_per_byte"),
        memory_bus: f.get("memory_bus"),
        receive_ring: f.get::<i64>("receive_ring").map_or(1000, i64::unsigned_abs),
        disk_read: f.get("disk_read"),
        disk_write: f.get("disk_write"),
    }
}

/// A router.
pub(crate) fn router(f: &Fields) -> Router {
    Router {
        name: f.get("name").unwrap_or_default(),
        answers: f.get("answers").unwrap_or(true),
    }
}

/// A link; `None` when a name or a rate is missing. `folder` has the files it may name.
pub(crate) fn link(
    f: &Fields,
    names: &Names,
    hosts: &[Host],
    folder: &Beside,
    faults: &mut Vec<Diagnostic>,
) -> Option<Link> {
    let name: String = f.get("name")?;
    let ends: Vec<At<String>> = f.get("ends")?;
    let nodes: Vec<_> = ends.iter().map(|e| names.node(e, faults)).collect();
    let [Some(a), Some(b)] = nodes[..] else {
        return None;
    };
    if a == b {
        let title = format!("link `{name}` ends where it begins");
        let d = Diagnostic::new(f.place("ends"), title);
        faults.push(d.help("`ends` names two different nodes"));
        return None;
    }
    let word = f
        .get::<String>("framing")
        .unwrap_or_else(|| "ethernet".to_owned());
    let vlan = f.get::<i64>("vlan").and_then(|v| u16::try_from(v).ok());
    let (framing, signal_rate) = framing(f, &name, &word, vlan, faults)?;
    let usual = usual_mtu(framing);
    let own = [a, b].iter().filter_map(|n| hosts.get(n.0)?.mtu).max();
    let mtu = own.unwrap_or(usual).max(usual);
    let mut way = |side: &str, from: NodeId| {
        let own = f.get::<Fields>(side);
        let layers: Vec<&Fields> = own.iter().chain([f]).collect();
        let (impairments, traced) =
            crate::impair::of_way(&layers, hosts.get(from.0), folder, faults);
        let Some(rate) = traced.or(first(&layers, "rate")).or(signal_rate) else {
            // A rate that was refused has been reported already.
            let refused = f.has("framing") && f.get::<String>("framing").is_none();
            if !refused && !layers.iter().any(|l| l.has("rate") || l.has("rate_trace")) {
                let d = Diagnostic::new(f.span.clone(), format!("link `{name}` has no rate"));
                faults.push(d.help(RATE_HELP));
            }
            return None;
        };
        atm::check_rate(&layers, (rate, framing), signal_rate, &word, faults)?;
        let mtu = octets_of(&layers, "mtu").unwrap_or(mtu);
        let signal = (rate, framing);
        let mut direction = direction(&layers, signal, mtu, hosts.get(from.0), names, faults);
        served(own.as_ref(), f, from, &mut direction, hosts, names, faults);
        direction.impairments = impairments;
        queued_cells(&direction, &layers, faults);
        Some(direction)
    };
    let (forward, reverse) = (way("forward", a)?, way("reverse", b)?);
    Some(Link {
        ends: [a, b],
        framing,
        signal: signal_rate.is_some().then_some(word),
        vlan,
        tap: f.get("tap").unwrap_or(false),
        segments: ["adjust_mss", "adjust_mss_ipv6"].map(|key| octets(f, key)),
        directions: [forward, reverse],
        name,
    })
}

/// How a link delimits frames, and the rate that comes with it.
fn framing(
    f: &Fields,
    name: &str,
    word: &str,
    vlan: Option<u16>,
    faults: &mut Vec<Diagnostic>,
) -> Option<(Framing, Option<Rate>)> {
    let (framing, rate) = signal::framing(word)?;
    let framing = match (framing, vlan) {
        (Framing::Ethernet, Some(_)) => Framing::EthernetTagged,
        (Framing::None | Framing::Pos | Framing::Atm(_), Some(_)) => {
            let title = format!("`vlan` on link `{name}`, whose framing is `{word}`");
            let help = "only Ethernet has 802.1Q tags; remove `vlan`, or write framing = \"gbe\" or the like";
            faults.push(Diagnostic::new(f.place("vlan"), title).help(help));
            return None;
        }
        (framing, _) => framing,
    };
    let framing = atm::framing(f, framing, word, faults)?;
    Some((framing, rate))
}

fn usual_mtu(framing: Framing) -> u32 {
    match framing {
        Framing::Pos => 4470,
        Framing::Atm(_) => atm::MTU,
        _ => 1500,
    }
}

/// One direction of a link; `sender` is the host it leaves, if it leaves one.
fn direction(
    layers: &[&Fields],
    (rate, framing): (Rate, Framing),
    mtu: u32,
    sender: Option<&Host>,
    names: &Names,
    faults: &mut Vec<Diagnostic>,
) -> Direction {
    let txqueue = sender.and_then(|h| h.txqueuelen).map(QueueLimit::Packets);
    let written = first(layers, "queue");
    if let (Some(host), Some(its), Some(queue)) = (sender, txqueue, written)
        && its != queue
    {
        faults.push(two_queues(layers, host));
    }
    Direction {
        rate,
        mtu,
        delay: first(layers, "delay").unwrap_or(DEFAULT_DELAY),
        reorder: first(layers, "reorder").unwrap_or(false),
        queue: written.or(txqueue).unwrap_or(DEFAULT_QUEUE),
        losses: losses(layers, names, faults),
        queueing: None,
        conditioning: Conditioning::default(),
        arrivals: Vec::new(),
        impairments: Impairments::default(),
        cells: framing.is_atm().then(|| atm::cells(layers, rate, faults)),
    }
}

/// A host has one queue in front of an interface.
fn two_queues(layers: &[&Fields], host: &Host) -> Diagnostic {
    let place = layers.iter().find(|f| f.has("queue"));
    let place = place.map_or(0..0, |f| f.place("queue"));
    let name = &host.name;
    let title = format!("`queue` where host `{name}` sends, and a `txqueuelen` that differs");
    let help = "both are the queue in front of the host's interface: leave one out; a router's own \
                direction has its `queue` in [link.forward] or [link.reverse]";
    Diagnostic::new(place, title).help(help)
}

/// A whole number of the first layer that has the key, as [`octets`].
fn octets_of(layers: &[&Fields], key: &str) -> Option<u32> {
    layers.iter().find_map(|f| octets(f, key))
}

/// Cells that are shaped or wait as cells have one queue, and a line that only delays and loses.
fn queued_cells(direction: &Direction, layers: &[&Fields], faults: &mut Vec<Diagnostic>) {
    let says = |key: &str| layers.iter().find(|f| f.has(key)).map(|f| f.place(key));
    let queue = says("cell_queue");
    let beside = match direction.queueing {
        Some(_) => "a scheduler",
        None if queue.is_some() && !direction.impairments.is_none() => "impairments",
        None => return,
    };
    if let Some(place) = queue.or(says("shape_cells")) {
        let title = format!("cells that are queued or shaped, beside {beside}");
        let help =
            "a link does one or the other: put a [[router]] and a second [[link]] in between";
        let d = Diagnostic::new(place, title).help(help);
        if !faults.contains(&d) {
            faults.push(d);
        }
    }
}

/// How a router serves a direction. A fault both directions share is said once.
fn served(
    own: Option<&Fields>,
    link: &Fields,
    sender: NodeId,
    direction: &mut Direction,
    hosts: &[Host],
    names: &Names,
    faults: &mut Vec<Diagnostic>,
) {
    if let Some(host) = hosts.get(sender.0) {
        let ends = link.get::<Vec<At<String>>>("ends").unwrap_or_default();
        let only_hosts = ends.iter().all(|e| names.is_host(e.get_ref()));
        for f in own.into_iter().chain(only_hosts.then_some(link)) {
            if let Some(key) = queueing::keys().find(|k| f.has(k)) {
                let title = format!("`{key}` where host `{}` sends", host.name);
                let d = Diagnostic::new(f.place(key), title);
                let help = "this is a router's work: put a [[router]] in between";
                faults.push(d.help(help));
            }
        }
        return;
    }
    let layers: Vec<&Fields> = own.into_iter().chain([link]).collect();
    let mut found = Vec::new();
    direction.queueing = queueing::queueing(&layers, direction.queue, names, &mut found);
    direction.conditioning = conditioning::conditioning(&layers, names, &mut found);
    found.retain(|d| !faults.contains(d));
    faults.append(&mut found);
}

/// Whether a table says anything about losses.
pub(crate) fn says_loss(f: &Fields) -> bool {
    [
        "loss",
        "lose",
        "lose_every",
        "gilbert_elliott",
        "bit_error_rate",
    ]
    .iter()
    .any(|k| f.has(k))
}

/// All causes of loss, in the order they act: scripted, every n-th, random, bursts, bit errors.
pub(crate) fn losses(layers: &[&Fields], names: &Names, faults: &mut Vec<Diagnostic>) -> Vec<Loss> {
    let mut all = Vec::new();
    for lost in first::<Vec<Fields>>(layers, "lose").unwrap_or_default() {
        let Some(test) = lost.at::<String>("flow") else {
            continue;
        };
        let Some(number) = names.test(&test, faults) else {
            continue;
        };
        if names.test_kinds.get(number).is_some_and(|k| k == "ping") {
            faults.push(
                Diagnostic::new(
                    test.span(),
                    format!("`{}` is a ping, which has no segments", test.get_ref()),
                )
                .help("name a tcp or a udp test"),
            );
        }
        all.push(Loss::Scripted {
            test: test.into_inner(),
            stream: octets(&lost, "stream").unwrap_or(0),
            segment: lost.get::<i64>("segment").map_or(1, i64::unsigned_abs),
        });
    }
    if let Some(n) = first::<i64>(layers, "lose_every") {
        all.push(Loss::EveryNth(n.unsigned_abs()));
    }
    if let Some(p) = first::<Ratio>(layers, "loss").filter(|p| p.get() > 0.0) {
        all.push(Loss::Bernoulli(p));
    }
    if let Some(g) = first::<Fields>(layers, "gilbert_elliott") {
        let ratio =
            |key: &str, otherwise: f64| g.get(key).or(Ratio::new(otherwise)).unwrap_or_default();
        all.push(Loss::GilbertElliott {
            p: ratio("p", 0.0),
            r: ratio("r", 0.0),
            loss_good: ratio("loss_good", 0.0),
            loss_bad: ratio("loss_bad", 1.0),
        });
    }
    if let Some(p) = first::<f64>(layers, "bit_error_rate").filter(|p| *p > 0.0) {
        all.push(Loss::BitError(p));
    }
    all
}
