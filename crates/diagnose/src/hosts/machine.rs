//! What the hosts have to give: processors, and interfaces with room for what arrives.

use crate::advice::SOFTNET;
use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::fact::{Figure, Of};
use crate::flows::bystander::is_beside;
use crate::flows::flow::{Flow, number, word};
use crate::hosts::core::{ALL, Core, builds, is_public, is_tunnel, outside, receives};
use crate::hosts::tally::{Tally, tally};
use crate::infer::is_bare;
use crate::interfaces::duplex::Mismatch;
use crate::items::{Item, LOSSES, of, step};
use crate::read::command::ASKED;
use crate::read::{COPIES, Facts};
use crate::seen::{Side, Test};

impl Evidence {
    /// What hosts say of their processors and interfaces.
    pub(crate) fn of_machines(&mut self, facts: &Facts, flow: &Flow) {
        let known = flow.senders.iter().filter(|h| !flow.receivers.contains(h));
        let known: Vec<u32> = known.copied().collect();
        let arriving = tally((facts, flow), &flow.arrives_at(), "nic_drops");
        let leaving = tally((facts, flow), &flow.senders, "nic_unsent");
        self.nic_drops = arriving.into_iter().chain(leaving).max_by(Tally::order);
        self.nic_drops_back = tally((facts, flow), &known, "nic_drops");
        if self.cpu.is_none() {
            self.of_processors(facts, flow);
        }
        self.around.steal_unread = crate::hosts::steal::unread(facts, flow);
    }

    /// What an interface dropped for whatever reason where data arrives. Frames that no protocol took are among it, which no flow lost
    /// (Documentation/networking/statistics.rst): it counts where it grew by as many as were sent again, and these were not damaged.
    pub(crate) fn of_dropped(&mut self, facts: &Facts, flow: &Flow) {
        let e = &*self;
        let dropped = tally((facts, flow), &flow.arrives_at(), "nic_dropped");
        let dropped =
            dropped.filter(|d| d.grew && alike(e, &d.count) > SAID && !e.settled_by_damage());
        let others = self.nic_drops.take();
        self.nic_drops = others.into_iter().chain(dropped).max_by(Tally::order);
    }

    /// What a test reports of the processors of its sender and its receiver.
    pub(crate) fn of_tested_processors(&mut self, [sender, receiver]: [Option<Figure>; 2]) {
        let of = |f: &Option<Figure>| f.as_ref().map_or(0.0, |f| f.value);
        let receives = of(&receiver) > of(&sender);
        let (side, cpu, other) = match receives {
            true => (Side::Receiver, receiver, sender),
            false => (Side::Sender, sender, receiver),
        };
        if cpu.is_some() {
            (self.cpu, self.cpu_other) = (cpu, other);
            self.cpu_of = Some((Some(side), String::new()));
        }
    }

    /// The busiest processor of the hosts, or of a program on them; beside a tool that only tests another program's counts for nothing.
    fn of_processors(&mut self, facts: &Facts, flow: &Flow) {
        let tool = flow.test.as_ref().map_or("", |t| t.tool);
        let begins = tool.trim_end_matches(|c: char| c.is_ascii_digit());
        let mut sides: [Option<Figure>; 2] = [None, None];
        for (side, hosts) in [
            (Side::Sender, &flow.senders),
            (Side::Receiver, &flow.receivers),
        ] {
            for of in hosts.iter().map(|h| Of::Host(*h)) {
                let program = word(facts, of, "cpu_program").map_or("", |(name, _)| name);
                let kernel = program.is_empty() || receives(program);
                let tunnels = is_tunnel(program, &flow.to.host);
                let cpu = number(facts, of, "cpu_ratio");
                if tunnels && self.goes_beside(program, (facts, flow), cpu) {
                    continue;
                }
                if builds(program) && number(facts, of, ALL).is_none() {
                    self.passes_over(program, number(facts, of, "cpu_ratio"));
                    continue;
                }
                if self.tester && !kernel && !tunnels && !program.starts_with(begins) {
                    continue;
                }
                let cpu = number(facts, of, "cpu_ratio").cloned();
                let of_side = &mut sides[usize::from(side == Side::Receiver)];
                let more = |c: &&Figure| of_side.as_ref().is_none_or(|x| x.value < c.value);
                if let Some(cpu) = cpu.as_ref().filter(more) {
                    *of_side = Some(cpu.clone());
                }
                let busier = |c: &Figure| self.cpu.as_ref().is_none_or(|x| x.value < c.value);
                if let Some(cpu) = cpu.filter(busier) {
                    self.cpu = Some(cpu);
                    self.cpu_of = Some((self.end_of_processor(side, flow, of), program.to_owned()));
                    self.core = Core::of(facts, of, hosts);
                }
            }
        }
        // A host that may be either end is not another.
        let apart = !flow.senders.iter().any(|h| flow.receivers.contains(h));
        let busiest = self.cpu_of.as_ref().and_then(|(side, _)| *side);
        self.cpu_other = busiest.filter(|_| apart).and_then(|side| {
            let [sender, receiver] = sides;
            if side == Side::Sender {
                receiver
            } else {
                sender
            }
        });
    }

    /// Keeps to be said that a program which carries nothing fills a processor of a host that has others.
    fn passes_over(&mut self, program: &str, cpu: Option<&Figure>) {
        if let Some(cpu) = cpu.filter(|c| c.value > FULL[0]) {
            self.around.other_program = Some(format!(
                "the program {program} used {:.0} % of a processor: it builds software and carries nothing of this flow, which has the other processors",
                cpu.value * 100.0
            ));
        }
    }

    /// Whether a flow does not go through the tunnel of a program, as far as its ends and its rate say; a full processor is kept to be said.
    fn goes_beside(
        &mut self,
        program: &str,
        (facts, flow): (&Facts, &Flow),
        cpu: Option<&Figure>,
    ) -> bool {
        let line = self.line.as_ref().map(|(line, _)| line.value);
        let rate = self.rate.as_ref().filter(|_| !self.udp);
        let bare = rate.is_some_and(|r| is_bare(r.value, self.mss, line));
        let ends = [flow.from.host.as_str(), flow.to.host.as_str()];
        let inside = rate.is_some_and(|r| outruns_tunnel(facts, flow, r.value));
        let inside = inside.then_some(SLOWER_INSIDE);
        let Some(why) = outside(program, ends, bare).or(inside) else {
            return false;
        };
        if let Some(cpu) = cpu.filter(|c| c.value > FULL[0]) {
            self.around.other_program = Some(format!(
                "the program {program} used {:.0} % of a processor for what goes through its tunnel, and of this flow {why}",
                cpu.value * 100.0
            ));
        }
        true
    }

    /// The end of a host whose processor is full. One whose text may be of either end is the receiver's where that is slow to read, and
    /// else it is not known whose.
    fn end_of_processor(&self, side: Side, flow: &Flow, host: Of) -> Option<Side> {
        let is = |n: &u32| Of::Host(*n) == host;
        let both = flow.senders.iter().any(is) && flow.receivers.iter().any(is);
        match (both, self.waits_for_window()) {
            (true, true) => Some(Side::Receiver),
            (true, false) => None,
            (false, _) => Some(side),
        }
    }

    /// What the busiest processor of the other end carries, bit/s: what passed, over the share of its time that this took.
    pub(crate) fn other_end_carries(&self) -> Option<Figure> {
        self.carries(self.cpu_other.as_ref()?)
    }

    /// The same of the busiest processor of either end.
    pub(crate) fn processor_carries(&self) -> Option<Figure> {
        self.carries(self.cpu.as_ref()?)
    }

    /// What a processor carries that was so busy; none where it had so much left that something else comes first.
    fn carries(&self, cpu: &Figure) -> Option<Figure> {
        let busy = Some(cpu).filter(|c| c.value >= BUSY)?;
        let mut carries = self.rate.as_ref()?.over(busy);
        carries.low = carries.low.min(self.rate.as_ref()?.value);
        Some(carries)
    }
}

impl Evidence {
    /// Leaves out disks that the flow does not use: beside a tool that sends from memory, and such as are busy with something else.
    pub(crate) fn of_disks(&mut self, facts: &Facts, flow: &Flow) {
        // Whoever reads a file with a test, and does not show the command, shows the disk's rate.
        let met = |d: &Figure| self.goes_at_disk(d);
        let written = word(facts, Of::Receiver, ASKED).is_some();
        let file = self.file.is_some() || written;
        if self.tester && !file && !self.around.disk.as_ref().is_some_and(met) {
            self.around.busy = None;
            self.around.disk = None;
            self.around.disk_of = None;
            return;
        }
        let Some(busy) = self.around.busy.as_ref().filter(|_| self.rate.is_some()) else {
            return;
        };
        let rate = self.after_fall();
        let (hosts, own, other) = match self.around.disk_of {
            Some(Side::Receiver) => (&flow.receivers, "disk_written_bps", "disk_read_bps"),
            _ => (&flow.senders, "disk_read_bps", "disk_written_bps"),
        };
        let elsewhere = |host: &u32| {
            let get = |name| number(facts, Of::Host(*host), name).map_or(0.0, |f| f.value);
            let moved = get(own) + get(other);
            get("disk_busy_ratio") == busy.value && moved > 0.0 && get(own) < OWN_DISK * rate
        };
        if hosts.iter().any(elsewhere) {
            self.around.busy = None;
        }
    }
}

/// Whether a host that may be either end of a copy is the other one, by what its disk moves: it writes what comes, and reads what it sends.
pub(crate) fn is_other_end(facts: &Facts, flow: &Flow, of: (u32, Side), rate: f64) -> bool {
    let (host, side) = of;
    let either = flow.senders.contains(&host) && flow.receivers.contains(&host);
    let test = flow.test.as_ref();
    let copies = test.is_some_and(|test| COPIES.contains(&test.tool));
    let moves = |name: &'static str| {
        let moved = number(facts, Of::Host(host), name);
        moved.is_some_and(|moved| moved.value >= OWN_DISK * rate)
    };
    let [reads, writes] = ["disk_read_bps", "disk_written_bps"].map(moves);
    let other = match side {
        Side::Sender => writes && !reads,
        Side::Receiver => reads && !writes,
    };
    either && copies && rate > 0.0 && other
}

impl Evidence {
    /// Whether the processor that is full did nothing for the kernel beside a test that a window of the settings explains: another program had it.
    fn is_filled_beside_window(&self) -> bool {
        let beside = self.core.as_ref().is_some_and(Core::is_of_program_alone);
        self.tester && beside && self.is_met_by_settings(BY_WINDOW)
    }

    /// Whether a processor is full that explains the rate.
    pub(crate) fn is_held_by_core(&self) -> bool {
        let full = self.cpu.as_ref().is_some_and(|cpu| cpu.value >= FULL[1]);
        full && !self.is_filled_beside_window()
    }

    /// What a full processor speaks for.
    fn weights_of_full(&self) -> Vec<(Cause, f64)> {
        match self.is_filled_beside_window() {
            true => Vec::new(),
            false => vec![(Cause::HostCpu, 26.0)],
        }
    }
}

/// A window that leaves so many times the rate at most explains it.
const BY_WINDOW: f64 = 1.2;

/// A processor that is less busy than this has so much left that something else comes first.
const BUSY: f64 = 0.25;

/// A disk that moves less than this part of a flow, one way, is not what the flow comes from or goes to.
const OWN_DISK: f64 = 0.5;

/// A processor is full from here on, for sure from the second.
pub(crate) const FULL: [f64; 2] = [0.88, 0.95];

/// The same of one that soft interrupts use, each for a segment by itself. A choice.
const UNJOINED: [f64; 2] = [0.75, 0.85];

/// What speaks against a flow going through a tunnel that another test shows.
const SLOWER_INSIDE: &str = "it is far faster than another test between two private addresses of one network, as a tunnel has them";

/// A flow with so many times the rate of a test inside a tunnel does not go through it. A choice.
const OUTRUNS: f64 = 2.0;

/// Whether a test between two private addresses of one network, as the ends of a tunnel have them, was far slower than a flow whose ends are not of
/// one.
fn outruns_tunnel(facts: &Facts, flow: &Flow, rate: f64) -> bool {
    let one_network = |from: &str, to: &str| is_beside(from, to) && !is_public(from);
    let slower = |test: &Test| {
        let goodput = test.goodput();
        goodput.is_some_and(|(own, _)| OUTRUNS * own.value < rate)
    };
    let inside = |test: &&Test| one_network(&test.from.host, &test.to.host) && slower(test);
    let ends = [&flow.from.host, &flow.to.host];
    let known = ends.iter().all(|end| !end.is_empty());
    known && !is_beside(ends[0], ends[1]) && facts.tests.iter().any(|t| inside(&t))
}

/// How busy the busiest processor is, for people.
fn of_processor(e: &Evidence, cpu: &Figure) -> String {
    let percent = cpu.value * 100.0;
    match &e.cpu_of {
        Some((_, program)) if !program.is_empty() && e.core.as_ref().is_some_and(|c| c.all) => {
            format!(
                "all processors of a host were {percent:.0} % busy, and the busiest program was {program}"
            )
        }
        Some((_, program)) if !program.is_empty() => {
            format!("the program {program} used {percent:.0} % of a processor")
        }
        _ => {
            let said = e.core.as_ref().and_then(Core::sentence);
            said.unwrap_or_else(|| format!("a processor was {percent:.0} % busy"))
        }
    }
}

/// What a verdict leaves out though nobody is to miss it, whatever leads. Of drops: counters of routers' ports, and packets that an
/// interface, IPsec or a queue of the sender's own dropped. Of the path: unlike MTUs, where a trace has its loss, another round trip than
/// before, a link that went down in a stop. Of the rest: a full processor, options that are missing.
pub(crate) fn unsaid(e: &Evidence, said: &[String]) -> Option<String> {
    let full = e.cpu.as_ref().filter(|cpu| cpu.value >= FULL[1]);
    let drops = e
        .nic_drops
        .as_ref()
        .filter(|drops| is_worth_saying(e, drops));
    let hosts = [
        full.map(|cpu| of_processor(e, cpu)),
        drops.map(|drops| dropped(e, drops)),
        e.around.other_program.clone(),
        e.own_drops_in_words(),
        e.fixed_in_words(),
        e.unlike_mtus_in_words(),
        e.lost_at_in_words(),
        e.moved_in_words(),
        e.flaps_besides(),
    ];
    let all = e
        .around
        .ports
        .standing(e)
        .into_iter()
        .chain(hosts)
        .flatten()
        .chain(crate::hosts::ipsec::sentences(e))
        .chain(crate::windows::options::sentences(e));
    let left: Vec<String> = all.filter(|s| !said.contains(s)).collect();
    (!left.is_empty()).then(|| format!("seen besides: {}", left.join("; ")))
}

/// What they speak for.
pub(crate) fn by_machines(e: &Evidence, items: &mut Vec<Item>) {
    if let Some(cpu) = &e.cpu {
        items.push(Item {
            holds: step(cpu.value, FULL[0], FULL[1]),
            weights: e.weights_of_full(),
            sentence: of_processor(e, cpu),
        });
        let waits = e.core.as_ref().map_or(0.0, Core::waits);
        items.push(Item {
            holds: waits * (1.0 - step(cpu.value, FULL[0], FULL[1])),
            weights: vec![
                (Cause::HostCpu, 26.0),
                (Cause::SendBuffer, -8.0),
                (Cause::ReceiveWindow, -8.0),
            ],
            sentence: format!(
                "{}; packets wait until it is given back, though it is idle at other times",
                of_processor(e, cpu)
            ),
        });
        let unjoined = e.core.as_ref().is_some_and(Core::is_unjoined);
        items.push(Item {
            holds: f64::from(u8::from(unjoined))
                * step(cpu.value, UNJOINED[0], UNJOINED[1])
                * (1.0 - step(cpu.value, FULL[0], FULL[1])),
            weights: vec![
                (Cause::HostCpu, 26.0),
                (Cause::SendBuffer, -8.0),
                (Cause::ReceiveWindow, -8.0),
            ],
            sentence: format!(
                "{}, and receive offload (GRO) is off there: it handles each segment by itself, and what is full for moments only is less on average",
                of_processor(e, cpu)
            ),
        });
        let carries = e.other_end_carries();
        items.push(Item {
            holds: carries
                .as_ref()
                .map_or(0.0, |_| step(cpu.value, FULL[0], FULL[1])),
            weights: Vec::new(),
            sentence: format!(
                "at the other end a processor was {:.0} % busy: it carries no more than {}",
                e.cpu_other.as_ref().map_or(0.0, |c| c.value * 100.0),
                crate::ceiling::bps(carries.map_or(0.0, |c| c.value))
            ),
        });
        // A group that waits for its share leaves its processors idle.
        if e.throttled_first().is_none() {
            crate::hosts::steal::by_idle(e, cpu, items);
        }
    }
    items.extend(by_full_tunnel(e));
    items.extend(e.around.other_program.clone().map(|sentence| Item {
        holds: 1.0,
        weights: Vec::new(),
        sentence,
    }));
    by_drops(e, items);
    if e.half_duplex.is_some() {
        let shown = e.around.mismatch.as_ref().and_then(Mismatch::shown);
        items.push(Item {
            holds: 1.0,
            // Collisions are losses, and chance would have them so too.
            weights: [of(&LOSSES, -12.0), vec![(Cause::Duplex, 34.0)]].concat(),
            sentence: shown.unwrap_or_else(|| "an interface is at half duplex".to_owned()),
        });
    }
}

/// Up to the first of these shares of segments sent again a full tunnel's program explains them, and from the second on the path may
/// lose them. A choice.
const FEW_LOST: [f64; 2] = [0.005, 0.02];

/// A tunnel's program that fills its processor drops what it has no time for, in its socket's buffer or in its interface's queue: few
/// losses beside it are its own.
fn by_full_tunnel(e: &Evidence) -> Option<Item> {
    let cpu = e.cpu.as_ref()?;
    let (_, program) = e.cpu_of.as_ref().filter(|(_, by)| is_tunnel(by, ""))?;
    let again = e.again.as_ref().filter(|share| share.value > 0.0)?.value;
    let few = 1.0 - step(again, FEW_LOST[0], FEW_LOST[1]);
    Some(Item {
        holds: step(cpu.value, FULL[0], FULL[1]) * few,
        weights: [of(&LOSSES, -16.0), vec![(Cause::HostCpu, 14.0)]].concat(),
        sentence: format!(
            "a tunnel's program that has no time left drops packets itself, in its socket or its interface: the few losses are those of {program}"
        ),
    })
}

/// Packets that an interface of a host had no room for. They are of this flow where they account for what was sent again.
fn by_drops(e: &Evidence, items: &mut Vec<Item>) {
    let back = e.nic_drops_back.as_ref();
    if let Some(back) = back.filter(|d| d.grew && d.count.value > 0.0) {
        items.push(Item {
            holds: 1.0,
            weights: Vec::new(),
            sentence: format!(
                "an interface of the sender dropped {:.0} packets that arrived{}, {}: they were acknowledgements, or what others sent to it, and none of the segments that it sent again",
                back.count.value,
                match back.interface.as_str() {
                    "" => String::new(),
                    name => format!(" at {name}"),
                },
                back.since()
            ),
        });
    }
    let Some(drops) = &e.nic_drops else { return };
    let count = drops.count.value;
    let accounts = drops.accounts(e);
    let surely = drops.surely_accounts(e);
    let sentence = dropped(e, drops);
    let holds = drops.holds(1.0, 50.0).max(surely) * accounts.unwrap_or(1.0);
    let found = drops.grew && holds > SAID;
    items.push(Item {
        holds,
        weights: vec![(Cause::Nic, 14.0)],
        sentence: if found {
            sentence.clone()
        } else {
            String::new()
        },
    });
    items.extend(cut_by(e, drops).filter(|_| found));
    // What may be of another time, or is a part of what was lost, is said whatever the cause is.
    let as_many = !drops.grew && alike(e, &drops.count) > SAID;
    let said = is_worth_saying(e, drops) && !found && !as_many;
    items.push(Item {
        holds: if said { 1.0 } else { 0.0 },
        weights: Vec::new(),
        sentence: sentence.clone(),
    });
    // As many as were lost are those that were lost.
    items.push(Item {
        holds: surely,
        weights: [of(&LOSSES, -10.0), vec![(Cause::Nic, 16.0)]].concat(),
        sentence: String::new(),
    });
    if !drops.grew {
        dropped_there(e, &drops.count, &sentence, items);
    }
    items.push(Item {
        holds: if drops.grew && count == 0.0 { 1.0 } else { 0.0 },
        weights: vec![(Cause::Nic, -10.0)],
        sentence: String::new(),
    });
}

/// From the first to the second of these shares of a flow's segments losses keep a window from standing. Choices.
const CUTS: [f64; 2] = [1e-4, 5e-4];

/// What an interface dropped during a test whose sender does not say what it sent again: so many cut the window, whatever it may be.
fn cut_by(e: &Evidence, drops: &Tally) -> Option<Item> {
    let bytes = e
        .bytes
        .as_ref()
        .filter(|_| e.retransmits.is_none() && !e.udp)?;
    let share = drops.count.value / (bytes.value / e.mss).max(1.0);
    let rooms = [Cause::ReceiveWindow, Cause::SendBuffer, Cause::Application];
    Some(Item {
        holds: step(share, CUTS[0], CUTS[1]),
        weights: [of(&rooms, -8.0), vec![(Cause::Nic, 4.0)]].concat(),
        sentence: format!(
            "these drops are {share:.1e} of the segments that this test had: each is sent again, and cuts the window"
        ),
    })
}

/// Whether packets that an interface dropped may be the flow's: a part of what was lost, or of a time that nobody knows.
pub(crate) fn is_worth_saying(e: &Evidence, drops: &Tally) -> bool {
    let part = match drops.grew {
        true => share_of_lost(e, drops) > PART,
        false => drops.accounts(e).is_none_or(|share| share > 0.0),
    };
    drops.count.value > 0.0 && part
}

/// What holds more than this is a reason that is named.
const SAID: f64 = 0.3;

/// From this part of what was sent again on it is said what an interface dropped of it.
const PART: f64 = 0.005;

/// What an interface dropped, as a part of what was sent again; 0 where nothing was, or nothing says how much.
fn share_of_lost(e: &Evidence, drops: &Tally) -> f64 {
    let again = e.retransmits.as_ref().filter(|a| a.value > 0.0 && !e.udp);
    again.map_or(0.0, |again| drops.count.value / again.value)
}

/// What an interface dropped, for people.
fn dropped(e: &Evidence, drops: &Tally) -> String {
    let share = share_of_lost(e, drops);
    let again = e.retransmits.as_ref().map_or(0.0, |a| a.value);
    let beside = match (drops.grew, share) {
        (_, share) if share <= 0.0 => String::new(),
        (true, share) if share < 0.7 => format!(
            ", {:.1} % of the {again:.0} segments that were sent again: the rest was lost elsewhere",
            100.0 * share
        ),
        (true, _) => format!(", and {again:.0} segments were sent again"),
        (false, _) if alike(e, &drops.count) > SAID => {
            format!(", about as many as segments were sent again, {again:.0}")
        }
        (false, _) => format!(
            ", and {again:.0} segments were sent again: one reading does not say how many of them in this test"
        ),
    };
    let by = match (drops.counter, drops.interface.as_str()) {
        (SOFTNET, _) => "a processor's queue (netdev_max_backlog)",
        (_, "") => "an interface",
        (_, name) => name,
    };
    format!(
        "{by} of a host {} {:.0} packets {}{beside}",
        drops.did(),
        drops.count.value,
        drops.since()
    )
}

/// Whether as many packets were dropped as segments were sent again, 0 to 1.
pub(crate) fn alike(e: &Evidence, drops: &Figure) -> f64 {
    let again = e.retransmits.as_ref().filter(|a| a.value >= DROPS_LEAST);
    again.map_or(0.0, |again| {
        1.0 - step(libm::fabs(libm::log(drops.value / again.value)), 0.5, 1.0)
    })
}

/// As many packets were dropped at an interface of a host as segments were sent again: nothing on the path has to have lost any.
fn dropped_there(e: &Evidence, drops: &Figure, sentence: &str, items: &mut Vec<Item>) {
    items.push(Item {
        holds: alike(e, drops),
        weights: [of(&LOSSES, -14.0), vec![(Cause::Nic, 18.0)]].concat(),
        sentence: sentence.to_owned(),
    });
}

/// Fewer are as many by chance.
pub(crate) const DROPS_LEAST: f64 = 20.0;
