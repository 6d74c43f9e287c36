//! Items of evidence: what figures of a flow speak for and against.

use crate::cause::Cause;
use crate::ceiling::Limit;
use crate::evidence::Evidence;
use crate::fact::Figure;
use crate::part::part;

/// An item of evidence: how true it is, what it speaks for and against in decibans, and a sentence.
pub(crate) struct Item {
    /// 0 to 1.
    pub(crate) holds: f64,
    /// Decibans for a cause, or against it.
    pub(crate) weights: Vec<(Cause, f64)>,
    /// Why, for people; empty where it only speaks against.
    pub(crate) sentence: String,
}

/// 0 below, 1 above, and a straight way between the two.
pub(crate) fn step(value: f64, from: f64, to: f64) -> f64 {
    ((value - from) / (to - from)).clamp(0.0, 1.0)
}

/// Every item that holds.
pub(crate) fn items(e: &Evidence, ceilings: &[Limit]) -> Vec<Item> {
    let mut items = Vec::new();
    by_kernel(e, &mut items);
    by_losses(e, ceilings, &mut items);
    by_delay(e, &mut items);
    by_rates(e, ceilings, &mut items);
    crate::flows::asked_option::by_asked(e, &mut items);
    crate::hosts::machine::by_machines(e, &mut items);
    crate::hosts::counted::by_counters(e, &mut items);
    crate::hosts::counted::of_datagrams(e, &mut items);
    crate::hosts::counted::by_other_tests(e, ceilings, &mut items);
    crate::paths::around::by_surroundings(e, &mut items);
    crate::observed::by_account(e, &mut items);
    crate::programs::follow::by_window(e, &mut items);
    crate::windows::shrunk::by_shrunk(e, &mut items);
    crate::windows::shut_window::by_shut_window(e, &mut items);
    crate::losses::overshoot::by_overshoot(e, &mut items);
    crate::windows::recovering::by_cut(e, &mut items);
    crate::windows::growing::by_growth(e, &mut items);
    crate::windows::outgrown::by_outgrown(e, &mut items);
    crate::windows::grown_window::by_grown_window(e, &mut items);
    crate::windows::tiny_window::by_tiny_room(e, &mut items);
    crate::series::dip::by_dip(e, &mut items);
    crate::losses::falling::by_falling(e, &mut items);
    crate::losses::marked::by_marks(e, &mut items);
    crate::lines::own_queue::by_own_queue(e, &mut items);
    crate::interfaces::own_drops::by_own_drops(e, &mut items);
    crate::windows::tcp_memory::by_tcp_memory(e, &mut items);
    crate::paths::unlike_mtus::by_unlike_mtus(e, &mut items);
    crate::paths::mtu_bounds::by_bounds(e, &mut items);
    crate::interfaces::fixed_port::by_fixed_port(e, &mut items);
    crate::hosts::starved::by_starved(e, &mut items);
    crate::hosts::rss::by_rss(e, &mut items);
    crate::hosts::throttled::by_throttled(e, &mut items);
    crate::losses::stood::by_queue(e, &mut items);
    crate::windows::standing::by_standing(e, &mut items);
    crate::losses::member::by_connections(e, &mut items);
    crate::series::outage::by_outage(e, &mut items);
    crate::reach::link_log::by_link_log(e, &mut items);
    crate::reach::network_log::by_network_log(e, &mut items);
    crate::programs::requests::by_requests(e, &mut items);
    crate::programs::one_by_one::by_round_trips(e, &mut items);
    crate::programs::fetched::by_files(e, &mut items);
    crate::programs::turns::by_turns(e, &mut items);
    crate::flows::watched::by_readings(e, &mut items);
    crate::programs::opened::by_opening(e, &mut items);
    crate::reach::handshake::by_handshake(e, &mut items);
    crate::losses::unmissed::by_unmissed(e, &mut items);
    crate::flows::other_test::by_other_test(e, &mut items);
    crate::programs::split::by_split(e, &mut items);
    crate::flows::commanded::by_command(e, &mut items);
    crate::flows::scavenger::by_mark(e, &mut items);
    crate::programs::idle_session::by_idle_session(e, &mut items);
    crate::paths::routes::by_routes(e, &mut items);
    crate::lines::others_queue::by_others_queue(e, &mut items);
    crate::series::stepped::by_step(e, &mut items);
    crate::losses::way_back::by_way_back(e, &mut items);
    crate::losses::lossy_back::by_lossy_back(e, &mut items);
    crate::losses::before_losses::by_order(e, &mut items);
    crate::hosts::full_table::by_full_table(e, &mut items);
    crate::flows::mean_only::by_room(e, &mut items);
    crate::flows::both_loaded::by_both_loaded(e, &mut items);
    crate::lines::filled_shaper::by_filled_shaper(e, ceilings, &mut items);
    crate::interfaces::own_port::by_own_port(e, &mut items);
    crate::interfaces::slow_pair::by_slow_pair(e, &mut items);
    items.retain(|i| i.holds > 0.0);
    crate::windows::slow_reader::by_slow_reader(e, &mut items);
    items.retain(|i| i.holds > 0.0);
    items
}

/// Causes that lose segments.
pub(crate) const LOSSES: [Cause; 4] = [
    Cause::RandomLoss,
    Cause::CongestionLoss,
    Cause::ShallowBuffer,
    Cause::Policer,
];

/// The same weight for several causes.
pub(crate) fn of(causes: &[Cause], weight: f64) -> Vec<(Cause, f64)> {
    causes.iter().map(|c| (*c, weight)).collect()
}

/// While a window or buffer holds the sender, its congestion window, which losses cut, does not: for most of the time.
fn elsewhere(share: &Figure) -> Item {
    Item {
        holds: step(share.value, 0.5, 0.8),
        weights: of(&LOSSES, -12.0),
        sentence: String::new(),
    }
}

/// What the sender's kernel says of its own time.
fn by_kernel(e: &Evidence, items: &mut Vec<Item>) {
    let percent = |f: &Figure| format!("{:.0} %", f.value * 100.0);
    if let Some(share) = &e.rwnd_share {
        items.push(Item {
            holds: step(share.value, 0.2, 0.5),
            weights: vec![
                (Cause::ReceiveWindow, 22.0),
                (Cause::NoWindowScaling, 14.0),
                (Cause::Client, 18.0),
                // It is what a program waits for that does not read.
                (Cause::Disk, if e.disk_receives() { 18.0 } else { 6.0 }),
            ],
            sentence: format!(
                "the sender's kernel spent {} of its time waiting for the receiver's window",
                percent(share)
            ),
        });
        items.push(elsewhere(share));
        // A congestion window that has grown up to the receiver's and no further is full as well: the kernel counts no waiting then.
        let open = f64::from(u8::from(e.full_window.is_none()));
        let windows = [Cause::ReceiveWindow, Cause::NoWindowScaling, Cause::Client];
        items.push(Item {
            holds: open * (1.0 - step(share.value, 0.02, 0.2)),
            weights: of(&windows, -18.0),
            sentence: String::new(),
        });
    }
    if let Some(share) = &e.sndbuf_share {
        items.push(Item {
            holds: step(share.value, 0.2, 0.5),
            weights: vec![(Cause::SendBuffer, 24.0)],
            sentence: format!(
                "the send buffer was full for {} of the time",
                percent(share)
            ),
        });
        items.push(elsewhere(share));
        items.push(Item {
            holds: 1.0 - step(share.value, 0.02, 0.2),
            weights: vec![(Cause::SendBuffer, -18.0)],
            sentence: String::new(),
        });
    }
    if let Some(share) = &e.busy_share {
        items.push(Item {
            holds: 1.0 - step(share.value, 0.5, 0.8),
            weights: crate::observed::idle(22.0),
            sentence: format!(
                "the sender had something to send for {} of the time only",
                percent(share)
            ),
        });
        // What comes in small pieces is busy without a rest, though its window has room.
        items.push(Item {
            holds: step(share.value, 0.8, 0.95) * (1.0 - e.roomy()),
            weights: vec![(Cause::Application, -16.0)],
            sentence: String::new(),
        });
    }
    crate::windows::restart::by_restart(e, items);
    crate::windows::snapshot::by_snapshot(e, items);
    crate::windows::room::by_settings(e, items);
    if e.app_limited.is_some() {
        items.push(Item {
            holds: 1.0,
            weights: vec![(Cause::Application, 6.0), (Cause::SendBuffer, 3.0)],
            sentence: "the kernel marks its rates as limited by the application".to_owned(),
        });
    }
}

/// Losses so many that they cut whatever window there was.
fn cut_again(e: &Evidence, share: &Figure, items: &mut Vec<Item>) {
    // A window that is cut so often does not stand; a program that pauses may lose at the start of each piece.
    let cut = if e.is_bbr() { 0.1 } else { 0.006 };
    let lasting = (1.0 - e.start_only()) * (1.0 - e.uncommon());
    let of_start = crate::losses::lookalike::is_of_start(e);
    let policed = crate::losses::unslowed::policed(e, share.value) * lasting;
    crate::lines::conditioned::by_tiny_bucket(e, policed, items);
    items.push(Item {
        holds: step(share.value, cut, 3.0 * cut) * lasting,
        weights: [
            of(&[Cause::ReceiveWindow, Cause::SendBuffer], -6.0),
            vec![(Cause::Application, -5.0)],
        ]
        .concat(),
        sentence: String::new(),
    });
    items.push(Item {
        holds: policed,
        weights: vec![(Cause::Policer, 7.0)],
        sentence: match of_start {
            // What only the start lost says nothing of a rate.
            true => String::new(),
            false => format!(
                "{:.1} % of the segments were sent again: a policer takes whatever comes above its rate",
                share.value * 100.0
            ),
        },
    });
}

/// What nothing was lost by. What is sent again for nothing is held back all the same.
fn none_lost(e: &Evidence) -> Vec<(Cause, f64)> {
    let others: &[Cause] = match e.resends_for_nothing() {
        true => &[Cause::Duplex],
        false => &[Cause::Reordering, Cause::Duplex],
    };
    [of(&LOSSES, -20.0), of(others, -10.0)].concat()
}

fn by_losses(e: &Evidence, ceilings: &[Limit], items: &mut Vec<Item>) {
    crate::losses::holes::by_holes(e, items);
    if let Some(again) = &e.retransmits {
        let segments = e.bytes.as_ref().map_or(1e4, |b| b.value / e.mss);
        // None of a window's worth says nothing, none of many thousands says that loss is not it.
        let enough = step(segments, 30.0, 1000.0);
        let none = match again.value {
            // Losses that nothing was sent again for hold nothing down.
            0.0 => enough.max(step(segments, 5.0, 20.0) * 0.6),
            n if n <= 1.0 => enough,
            _ => 0.0,
        };
        items.push(Item {
            holds: none,
            weights: none_lost(e),
            sentence: match again.value {
                _ if e.resends_for_nothing() => {
                    "nothing that was sent again had been lost".to_owned()
                }
                0.0 => e.none_again_in_words(),
                _ => "hardly a segment was sent again".to_owned(),
            },
        });
    }
    if let Some(share) = &e.again {
        let many = match e.is_bbr() {
            true => step(share.value, 0.02, 0.15),
            false => step(libm::log10(share.value.max(1e-9)), -6.0, -3.5),
        };
        let lasting = 1.0 - e.start_only();
        items.push(Item {
            holds: many * lasting,
            weights: of(&LOSSES, 5.0)
                .into_iter()
                .chain(of(
                    &[Cause::ReceiveWindow, Cause::SendBuffer, Cause::Application],
                    -4.0,
                ))
                .collect(),
            sentence: match e.mss_said {
                true => format!("{} of the segments were sent again", part(share.value)),
                false => format!(
                    "{} of the segments were sent again, if they are of {:.0} bytes, which nobody said",
                    part(share.value), e.mss
                ),
            },
        });
        cut_again(e, share, items);
        crate::losses::unslowed::by_unslowed(e, share, items);
    }
    crate::paths::rest::at_rest(e, items);
    in_bursts(e, ceilings, items);
    if let Some(reordered) = &e.reordered {
        items.push(Item {
            holds: step(reordered.value, 5.0, 100.0),
            weights: vec![(Cause::Reordering, 14.0)],
            sentence: format!("{:.0} segments arrived out of order", reordered.value),
        });
    }
}

/// Payload of a segment in a jumbo frame of 9000 bytes.
pub(crate) const JUMBO: f64 = 8948.0;

/// More than the law leaves of so many losses: they did not come one by one.
fn in_bursts(e: &Evidence, ceilings: &[Limit], items: &mut Vec<Item>) {
    let law = ceilings.iter().find(|l| l.bursts.is_some());
    let (Some(law), Some(rate)) = (law, &e.rate) else {
        return;
    };
    // The law is proportional to the size of segments.
    let larger = if e.mss_said { 1.0 } else { JUMBO / e.mss };
    let above = rate.low > law.rate.high * 1.15 * larger;
    // Where a counter says who dropped them no other reason is needed.
    let port = e.around.ports.dropped.as_ref();
    let port = port.map_or(0.0, |dropped| crate::ports::queue::queue_holds(e, dropped));
    let host = e.nic_drops.as_ref().filter(|drops| drops.grew);
    let host = host.map_or(0.0, |drops| crate::hosts::machine::alike(e, &drops.count));
    let open = port.max(host) <= 0.5;
    items.push(Item {
        holds: if above && open { 1.0 } else { 0.0 },
        weights: Vec::new(),
        sentence: format!(
            "so many losses one by one would leave {} in the long run: most came in bursts, or the window of the start still counts{}",
            crate::ceiling::span(law.rate.low, law.rate.high),
            match e.cc {
                Some(_) => "",
                None => ", or the sender is one that losses hardly slow down, such as BBR",
            }
        ),
    });
}

/// From this part of its least on, what a round trip grew by is said as a multiple.
const SEVERAL: f64 = 2.0;

/// Of so few segments in flight no queue fills: their acknowledgements may be delayed. A choice.
const QUEUE_LEAST: f64 = 8.0;

impl Evidence {
    /// Whether a program that sends too little has so few segments in flight that its round trips show no queue.
    fn sends_few(&self) -> bool {
        let few = |f: &Figure| f.value < QUEUE_LEAST * self.mss;
        self.app_limited.is_some() && self.flight.as_ref().is_some_and(few)
    }
}

/// What the round-trip time does under load.
fn by_delay(e: &Evidence, items: &mut Vec<Item>) {
    crate::paths::rest::by_unsteady(e, items);
    // A short queue is what every access has, and a shaper that keeps it short. Acknowledgements that wait make round trips longer, too.
    if e.may_be_sold() || e.sends_few() {
        return;
    }
    let (Some(floor), Some([mean, most]), Some(loaded)) =
        (&e.rtt_floor, e.rtt_at_rest(), &e.rtt_loaded)
    else {
        return;
    };
    // What round trips vary by without load was not added by a queue that filled.
    let added = libm::fmax(loaded.value - most, 0.0);
    let grown = added / floor.value;
    let grew = e.queueing().unwrap_or(added);
    let holds = step(grown, 0.1, 0.4).min(step(added, 0.0003, 0.002));
    items.push(Item {
        holds,
        weights: vec![
            (Cause::Link, 10.0),
            (Cause::CongestionLoss, 10.0),
            (Cause::Shaper, 10.0),
            (Cause::CrossTraffic, 6.0),
            (Cause::ReceiveWindow, -4.0),
            (Cause::SendBuffer, -4.0),
            (Cause::RandomLoss, -6.0),
            (Cause::Policer, -8.0),
            (Cause::ShallowBuffer, -8.0),
        ],
        sentence: format!(
            "under load the round trip grew by {}, {}: a queue filled",
            crate::lines::bloat::grown(grew, loaded),
            match grew / floor.value {
                share if share < SEVERAL => format!("{:.0} %", 100.0 * share),
                share => format!("to {:.0} times what it is at rest", share + 1.0),
            }
        ),
    });
    // A policer delays nothing. Windows that others hold queue a little on every path.
    items.push(Item {
        holds: holds.min(step(grown, 0.25, 0.4)),
        weights: vec![(Cause::Policer, -10.0)],
        sentence: String::new(),
    });
    items.push(Item {
        holds: 1.0 - step((loaded.value - mean) / floor.value, 0.02, 0.1),
        // BBR keeps queues short where it can.
        weights: vec![
            (Cause::Link, if e.is_bbr() { -2.0 } else { -8.0 }),
            (Cause::CongestionLoss, -10.0),
            (Cause::Shaper, -8.0),
            (Cause::ShallowBuffer, 2.0),
            (Cause::RandomLoss, if e.is_bbr() { 0.0 } else { 3.0 }),
        ],
        sentence: "the mean round trip hardly grew under load: no queue stood for long".to_owned(),
    });
}

/// What the rate and its intervals say.
fn by_rates(e: &Evidence, ceilings: &[Limit], items: &mut Vec<Item>) {
    if let Some((rate, bytes)) = &e.filled {
        let arrived = e.rate.as_ref().map_or(0.0, |r| r.value);
        items.push(Item {
            holds: 1.0,
            weights: of(&[Cause::Application, Cause::SendBuffer, Cause::Disk, Cause::HostCpu], -14.0),
            sentence: format!(
                "the sender's first {} are its own socket buffer filling: {} went into it at once, and {}",
                crate::ceiling::bps(rate.value),
                crate::ceiling::bytes(*bytes),
                match arrived {
                    0.0 => "nothing of it arrived".to_owned(),
                    bps => format!("left at {}", crate::ceiling::bps(bps)),
                }
            ),
        });
    }
    of_line(e, ceilings, items);
    crate::lines::below_line::by_line_above(e, items);
    crate::lines::unnamed_line::by_unnamed_line(e, items);
    if let (Some(rate), Some(target)) = (&e.rate, &e.target) {
        items.push(Item {
            holds: step(rate.value / target.value, 0.93, 0.97),
            weights: vec![(Cause::None, 60.0)],
            sentence: "the rate is what was asked for".to_owned(),
        });
        items.push(Item {
            holds: 1.0 - step(rate.value / target.value, 0.8, 0.93),
            weights: vec![(Cause::None, -40.0)],
            sentence: String::new(),
        });
    } else if !e.is_as_asked() {
        items.push(Item {
            holds: 1.0,
            weights: vec![(Cause::None, -40.0)],
            sentence: String::new(),
        });
    }
    if let Some(flight) = e.implied_flight() {
        items.push(Item {
            holds: 1.0 - step(flight.value, 30_000.0, 50_000.0),
            weights: vec![(Cause::ReceiveWindow, 3.0)],
            sentence: String::new(),
        });
        // No window is smaller than a segment: something else left the path idle.
        items.push(Item {
            holds: 1.0 - step(flight.value / e.mss, 1.0, 2.0),
            weights: of(&[Cause::ReceiveWindow, Cause::SendBuffer], -8.0),
            sentence: String::new(),
        });
    }
    crate::series::even::steadiness(e, items);
    crate::lines::burst::by_burst(e, items);
    peaks(e, ceilings, items);
    crate::windows::opening::opening(e, ceilings, items);
}

/// What the line leaves.
fn rest_of_line(e: &Evidence, link: &Limit) -> String {
    let Some((line, _)) = e.line.as_ref().filter(|_| e.around.group.is_none()) else {
        return String::new();
    };
    let [of, left] = [line.value, link.rate.value].map(crate::ceiling::bps);
    if e.rate
        .as_ref()
        .is_some_and(|r| r.value > 1.005 * link.rate.value)
    {
        return format!(
            ", {left} of its {of} in segments of {:.0} bytes: they are larger, or a figure is rounded",
            e.mss
        );
    }
    format!(", {left} of its {of} beside headers and the gaps between frames")
}

/// How much of the line was used.
fn of_line(e: &Evidence, ceilings: &[Limit], items: &mut Vec<Item>) {
    if let (Some(rate), Some(line)) = (&e.rate, ceilings.iter().find(|c| c.cause == Cause::Link)) {
        // Once slow start and its repair are over, it is the later intervals that show what the path leaves.
        // More than the line carries went into a socket: that says nothing of what left it.
        let carried = |late: &f64| !e.udp && *late <= line.rate.high;
        let late = e.late().filter(carried).unwrap_or(0.0);
        let behind = e.behind_start().filter(carried).unwrap_or(0.0);
        let share = rate.value.max(late).max(behind) / line.rate.value;
        // BBR drains the queue and probes for its floor: it leaves more of a line that is its own.
        let full = if e.is_bbr() { 0.65 } else { 0.85 };
        let what = match e.around.group {
            Some(_) => "the full members leave",
            None => "the line leaves",
        };
        let start = match rate.value < (full + 0.08) * line.rate.value {
            true => e.start_in_words(),
            false => String::new(),
        };
        items.push(Item {
            holds: step(share, full, full + 0.08),
            weights: match e.is_bbr() {
                // At this rate nobody takes a fixed share of BBR's packets: a queue too short for it does.
                true => vec![
                    (Cause::Link, 18.0),
                    (Cause::RandomLoss, -8.0),
                    (Cause::Policer, -8.0),
                ],
                false => vec![(Cause::Link, 16.0)],
            },
            sentence: match late > rate.value * 1.05 {
                true => format!(
                    "the middle one of the intervals after the start had {:.0} % of what {what} for payload",
                    share * 100.0
                ),
                false => format!(
                    "the rate is {:.0} % of what {what} for payload{}{start}",
                    rate.value / line.rate.value * 100.0,
                    rest_of_line(e, line)
                ),
            },
        });
        items.push(Item {
            holds: match e.lower_port() {
                Some(_) => 0.0,
                None => 1.0 - step(share, 0.5, 0.8),
            },
            weights: vec![(Cause::Link, -22.0)],
            sentence: String::new(),
        });
        // What a policer lets through it lets through in every interval: none after the start is as fast as the line.
        let most = e.steady.iter().copied().fold(0.0, f64::max) * (1.0 - e.grain).max(0.0);
        items.push(Item {
            holds: step(most / line.rate.value, 0.8, 0.92),
            weights: vec![(Cause::Policer, -18.0)],
            sentence: String::new(),
        });
    }
}

/// Whether some interval was as fast as the line, while most were not.
fn peaks(e: &Evidence, ceilings: &[Limit], items: &mut Vec<Item>) {
    let line = ceilings.iter().find(|c| c.cause == Cause::Link);
    let (Some(line), Some(rate)) = (line, &e.rate) else {
        return;
    };
    if e.burst().is_some() {
        return;
    }
    let full = if e.is_bbr() { 0.65 } else { 0.9 };
    let usual = rate.value.max(e.late().unwrap_or(0.0));
    if e.peak <= 0.0 || usual > full * line.rate.value {
        return;
    }
    // What no line carries went into the sender's socket, which is filled first.
    let peaks = [e.peak, e.later_peak].map(|peak| peak / line.rate.value);
    let Some(share) = peaks.into_iter().find(|share| *share < 1.1) else {
        return;
    };
    // An interval may count one write more than left the host in it.
    let least = share - e.peak_grain / line.rate.value;
    // No peak is what others hardly lie below.
    let above = step(share * line.rate.value / usual, 1.1, 1.3);
    items.push(Item {
        holds: step(least, 0.35, 0.6) * above,
        weights: vec![
            (Cause::ShallowBuffer, 9.0),
            (Cause::CongestionLoss, 6.0),
            (Cause::CrossTraffic, 4.0),
            (Cause::Policer, -8.0),
            (Cause::ReceiveWindow, -8.0),
            (Cause::SendBuffer, -8.0),
            (Cause::Pacing, -8.0),
            (Cause::Shaper, -8.0),
        ],
        sentence: format!(
            "an interval was as fast as {:.0} % of the line, and others were not",
            100.0 * share
        ),
    });
    items.push(Item {
        holds: 1.0 - step(share, 0.15, 0.35),
        weights: vec![(Cause::ShallowBuffer, -6.0), (Cause::CongestionLoss, -6.0)],
        sentence: String::new(),
    });
}

/// The intervals' deviation over their mean; none of fewer than four.
pub(crate) fn spread(intervals: &[f64]) -> Option<f64> {
    let n = intervals.len() as f64;
    let mean = intervals.iter().sum::<f64>() / n.max(1.0);
    if intervals.len() < 4 || mean <= 0.0 {
        return None;
    }
    let off = intervals.iter().map(|r| (r - mean) * (r - mean));
    Some((off.sum::<f64>() / n).sqrt() / mean)
}
