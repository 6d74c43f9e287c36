//! The verdict on a run: whether what the machine added is small enough to believe the rest.

use std::collections::BTreeMap;

use farpath_record::{Certificate, count_of};
use farpath_units::Duration;

use crate::audit::Audit;
use crate::fidelity::{Fidelity, Histogram};

/// Frames may be late unless said otherwise by this.
pub const TOLERANCE: Duration = Duration::from_ms(1);

/// Share of frames that may be later than the tolerance.
const LATE_SHARE: f64 = 0.005;

/// Of fewer frames than these the late ones are counted, and not given as a share.
const FEW: u64 = 1000;

/// Fewer frames than these in a second are little work for any machine.
const LITTLE_WORK: f64 = 10_000.0;

/// The longest the data plane may stand still: what happened on the wire meanwhile happened all at once.
pub const LONGEST_GAP: Duration = Duration::from_ms(100);

/// By how much the machine's clock may be set.
pub const CLOCK_SET: Duration = Duration::from_us(100);

/// How long a program of a host may wait for a processor, p99.
pub const HOST_WAIT: Duration = Duration::from_ms(10);

/// Where packets of hosts found no memory for frames under way.
pub const MEMORY: &str = "memory for frames";

/// What stands behind the name of a host whose drops nobody can count any more.
pub(crate) const GONE: &str = ", which is gone";

/// What a verdict is given on.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// How long the data plane's thread was accounted.
    pub time: Duration,
    /// The wire time of a delivery.
    pub coalescing: Duration,
    /// What the machine did in that time.
    pub audit: Audit,
    /// How long programs of hosts waited for a processor.
    pub waits: Histogram,
    /// Drops the model did not order, by where.
    pub unordered: BTreeMap<String, u64>,
    /// Drops at buffers of programs that are not farpath's own.
    pub of_programs: BTreeMap<String, u64>,
    /// How far the clocks of any two hosts may lie apart, where hosts reported times.
    pub clock_error: Option<Duration>,
    /// What else makes the run worthless, by what happened and what would help.
    pub faults: Vec<String>,
    /// Memory for frames, and the most that was used, in bytes.
    pub memory: (u64, u64),
}

/// What a fault comes of, and so what helps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// More frames than this machine delivers.
    Overrun,
    /// Others had the processors that the data plane or programs of hosts wanted.
    Busy,
    /// The machine under a virtual one gave its processors to others.
    Stolen,
    /// The machine wakes the data plane late.
    WokenLate,
    /// The machine was suspended, its clock was set, or a host was killed.
    Disturbed,
    /// Frames under way found no memory.
    FrameMemory,
    /// The kernel ran out of memory for TCP.
    TcpMemory,
    /// A program read too slowly for its buffer.
    SocketBuffer,
    /// The data plane did not read fast enough.
    NotRead,
    /// What the caller found.
    Other,
}

/// Why a run may not be believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What it comes of.
    pub kind: Kind,
    /// What happened, and what would help.
    pub words: String,
}

impl Fault {
    fn new(kind: Kind, words: impl Into<String>) -> Fault {
        let words = words.into();
        Fault { kind, words }
    }
}

/// Everything for which a run may not be believed; of a valid one none.
pub fn faults(fidelity: &Fidelity, evidence: &Evidence) -> Vec<Fault> {
    let own = evidence.faults.iter();
    let mut faults: Vec<Fault> = own.map(|f| Fault::new(Kind::Other, f)).collect();
    faults.extend(late_frames(fidelity, evidence));
    if fidelity.longest_gap > LONGEST_GAP {
        let words = format!(
            "the data plane stalled for {} ms (limit {LONGEST_GAP}): the process or the VM was paused, or it got no CPU; run \
             it on an idle machine",
            above(ms(fidelity.longest_gap), ms(LONGEST_GAP), 0)
        );
        faults.push(Fault::new(Kind::Busy, words));
    }
    faults.extend(clock_faults(&evidence.audit));
    faults.extend(clocks_apart(evidence.clock_error, fidelity.tolerance));
    faults.extend(starved_hosts(&evidence.waits));
    let unordered = evidence.unordered.iter();
    faults.extend(unordered.filter_map(|(place, count)| dropped(place, *count)));
    faults
}

/// That too many frames were late.
fn late_frames(fidelity: &Fidelity, evidence: &Evidence) -> Option<Fault> {
    let frames = fidelity.lateness.total();
    let share = fidelity.late as f64 / frames.max(1) as f64;
    if share <= LATE_SHARE {
        return None;
    }
    let of_all = match (frames < FEW, fidelity.late) {
        (true, 1) => format!("1 of {frames} frames was"),
        (true, late) => format!("{late} of {frames} frames were"),
        (false, _) => format!(
            "{} % of the frames were",
            above(share * 100.0, LATE_SHARE * 100.0, 1)
        ),
    };
    let (kind, why) = cause(evidence, share, frames);
    let words = format!(
        "{of_all} delivered more than {:.1} ms late (limit {:.1} %): {why}{}",
        fidelity.tolerance.as_secs_f64() * 1e3,
        LATE_SHARE * 100.0,
        too_few(fidelity, frames)
    );
    Some(Fault::new(kind, words))
}

/// That so few frames have no room for a late one, and how late the latest was.
fn too_few(fidelity: &Fidelity, frames: u64) -> String {
    // The fewest of which one does not exceed its share.
    let fewest = (1.0 / LATE_SHARE).round() as u64;
    if frames >= fewest {
        return String::new();
    }
    format!(
        ". One late frame is more than {:.1} % of fewer than {fewest}: the latest was {:.1} ms late, and a longer run has room for it",
        LATE_SHARE * 100.0,
        ms(fidelity.lateness.max())
    )
}

/// That so many packets were dropped at a place, which nobody ordered.
fn dropped(place: &str, count: u64) -> Option<Fault> {
    if count == 0 {
        return None;
    }
    if let Some(host) = place.strip_suffix(GONE) {
        let words = format!("host `{host}` is gone, and what it dropped is unknown; run it again");
        return Some(Fault::new(Kind::Disturbed, words));
    }
    let what = match place {
        MEMORY => {
            let times = count_of(count, "time", "times");
            format!("packets of hosts waited {times} for {MEMORY}")
        }
        _ => {
            let drops = count_of(count, "drop", "drops");
            format!("{drops} at {place} that the model did not order")
        }
    };
    let (kind, remedy) = remedy(place);
    Some(Fault::new(kind, format!("{what}: {remedy}")))
}

/// The certificate of a run.
pub fn certify(fidelity: &Fidelity, evidence: &Evidence) -> Certificate {
    let lateness = &fidelity.lateness;
    let frames = lateness.total();
    let faults = faults(fidelity, evidence).into_iter();
    let faults: Vec<String> = faults.map(|fault| fault.words).collect();
    Certificate {
        valid: faults.is_empty(),
        faults,
        frames,
        lateness_p50_ns: lateness.quantile(0.5).as_ns(),
        lateness_p99_ns: lateness.quantile(0.99).as_ns(),
        lateness_max_ns: lateness.max().as_ns(),
        tolerance_ns: fidelity.tolerance.as_ns(),
        late_frames: fidelity.late,
        coalescing_ns: evidence.coalescing.as_ns(),
        unordered_drops: evidence.unordered.clone(),
        program_drops: evidence.of_programs.clone(),
        cpu_share: evidence.audit.thread_share(evidence.time),
        starved_ns: evidence.audit.starved_ns,
        longest_gap_ns: fidelity.longest_gap.as_ns(),
        host_wait_p99_ns: evidence.waits.quantile(0.99).as_ns(),
        host_wait_max_ns: evidence.waits.max().as_ns(),
        machine_share: evidence.audit.machine_share(),
        stolen_share: evidence.audit.stolen_share(),
        clock_error_ns: evidence.clock_error.map(|error| error.as_ns()),
        memory_bytes: evidence.memory.0,
        memory_used_bytes: evidence.memory.1,
    }
}

/// What was done to the machine's clocks.
fn clock_faults(audit: &Audit) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut disturbed = |words| faults.push(Fault::new(Kind::Disturbed, words));
    if audit.clock_set_ns.unsigned_abs() > CLOCK_SET.as_ns() {
        disturbed(format!(
            "the machine's clock was set by {:+.3} s meanwhile: receipts of ping and udp bear its time; run it again, \
             with the clock left alone",
            audit.clock_set_ns as f64 / 1e9
        ));
    }
    if audit.suspended_ns > LONGEST_GAP.as_ns() {
        disturbed(format!(
            "the machine was suspended for {:.1} s meanwhile; run it again",
            audit.suspended_ns as f64 / 1e9
        ));
    }
    faults
}

/// That times of one host may be off beside another's by more than a frame may be late.
fn clocks_apart(error: Option<Duration>, tolerance: Duration) -> Option<Fault> {
    let error = error.filter(|error| *error > tolerance)?;
    let words = format!(
        "clocks of hosts may lie {} ms apart (limit {tolerance}): they do not say that they are one clock, and an exchange \
         of time stamps took twice that; run it on an idle machine",
        above(ms(error), ms(tolerance), 3)
    );
    Some(Fault::new(Kind::Busy, words))
}

fn ms(time: Duration) -> f64 {
    // One division, so that whole milliseconds are whole.
    time.as_ps() as f64 / 1e9
}

/// A value above its limit, with this many decimals, or as many more as it takes to be seen above it.
fn above(value: f64, limit: f64, decimals: usize) -> String {
    let shown = |n: usize| format!("{value:.n$}");
    let is_above = |text: &String| text.parse::<f64>().is_ok_and(|v| v > limit);
    let mut more = (decimals..decimals + 9).map(shown);
    more.find(is_above).unwrap_or_else(|| shown(decimals))
}

/// That programs of hosts had no processor when they wanted one.
fn starved_hosts(waits: &Histogram) -> Option<Fault> {
    let wait = waits.quantile(0.99);
    (wait > HOST_WAIT).then(|| {
        let words = format!(
            "host programs were starved of CPU: p99 scheduling delay {} ms (limit {HOST_WAIT}); run it on an idle \
             machine or one with more processors, or with fewer programs in hosts",
            above(ms(wait), ms(HOST_WAIT), 0)
        );
        Fault::new(Kind::Busy, words)
    })
}

/// What most probably made that `share` of so many frames late, and what would help.
fn cause(evidence: &Evidence, share: f64, frames: u64) -> (Kind, String) {
    let audit = &evidence.audit;
    let starved = audit.starved_ns as f64 / evidence.time.as_ns().max(1) as f64;
    let stolen = audit.stolen_share();
    let at_work = audit.thread_share(evidence.time) > 0.5;
    // Between frames that are close the data plane stays awake: that is not work.
    let much = frames as f64 > LITTLE_WORK * evidence.time.as_secs_f64();
    // Who is late half of the time was not held up for a moment.
    let overrun = share > 0.5 && at_work && much;
    let (kind, why) = if !overrun && stolen > 0.01 && stolen > starved {
        let share = stolen * 100.0;
        let words = format!(
            "the hypervisor gave {share:.1} % of this VM's CPU time to others; run it where processors are not shared"
        );
        return (Kind::Stolen, words);
    } else if !overrun && starved > 0.02 {
        (
            Kind::Busy,
            "the data plane was starved of CPU by other processes; run it on an idle machine",
        )
    } else if at_work && much {
        (
            Kind::Overrun,
            "more frames than this machine delivers; lower the rate or use larger frames",
        )
    } else if at_work {
        (
            Kind::Busy,
            "other processes, or the machine below this one, held the data plane up; run it on an idle machine",
        )
    } else {
        (
            Kind::WokenLate,
            "this machine wakes the data plane late; use --busy",
        )
    };
    (kind, why.to_owned())
}

/// What drops at a place come of, and what would help.
fn remedy(place: &str) -> (Kind, &'static str) {
    if place == MEMORY {
        (
            Kind::FrameMemory,
            "more is under way than the scenario's rates, delays and queues hold; lower the rate or use larger packets",
        )
    } else if place.starts_with("tcp memory") {
        (
            Kind::TcpMemory,
            "the kernel ran out of memory for TCP; --tune-host raises net.ipv4.tcp_mem for the run",
        )
    } else if place.starts_with("socket") {
        (
            Kind::SocketBuffer,
            "a program read too slowly or its receive buffer was too small; run it on an idle machine or give it a larger one",
        )
    } else {
        (
            Kind::NotRead,
            "the data plane did not read fast enough; lower the rate or run it on an idle machine",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_on_time_is_valid_and_says_how_late_it_was() {
        let mut fidelity = Fidelity::new(TOLERANCE);
        fidelity.delivered(Duration::from_us(10), 990);
        fidelity.delivered(Duration::from_us(400), 9);
        fidelity.delivered(Duration::from_ms(2), 1);
        let certificate = certify(&fidelity, &Evidence::default());
        assert!(certificate.valid, "{:?}", certificate.faults);
        assert_eq!((certificate.frames, certificate.late_frames), (1000, 1));
        assert_eq!(certificate.lateness_max_ns, 2_000_000);
    }

    #[test]
    fn what_is_above_its_limit_is_seen_to_be() {
        assert_eq!(above(30.2, 10.0, 0), "30");
        assert_eq!(above(10.04, 10.0, 0), "10.04");
        assert_eq!(above(0.501, 0.5, 1), "0.501");
        let mut fidelity = Fidelity::new(TOLERANCE);
        fidelity.gap(LONGEST_GAP + Duration::from_us(40));
        let faults = certify(&fidelity, &Evidence::default()).faults;
        assert!(
            faults[0].contains("stalled for 100.04 ms (limit 100 ms)"),
            "{faults:?}"
        );
    }

    #[test]
    fn a_data_plane_that_stood_still_is_a_fault() {
        let mut fidelity = Fidelity::new(TOLERANCE);
        fidelity.delivered(Duration::from_us(10), 1000);
        fidelity.gap(LONGEST_GAP);
        assert!(certify(&fidelity, &Evidence::default()).valid);
        fidelity.gap(Duration::from_ms(300));
        let certificate = certify(&fidelity, &Evidence::default());
        assert!(!certificate.valid);
        assert!(
            certificate.faults[0].starts_with(
                "the data plane stalled for 300 ms (limit 100 ms): the process or the VM"
            ),
            "{:?}",
            certificate.faults
        );
    }

    #[test]
    fn a_starved_data_plane_is_named() {
        let mut fidelity = Fidelity::new(TOLERANCE);
        fidelity.delivered(Duration::from_ms(20), 10);
        let evidence = Evidence {
            time: Duration::from_secs(1),
            audit: Audit {
                starved_ns: 100_000_000,
                ..Audit::default()
            },
            ..Evidence::default()
        };
        let certificate = certify(&fidelity, &evidence);
        assert!(
            certificate.faults[0].contains("(limit 0.5 %): the data plane was starved of CPU"),
            "{:?}",
            certificate.faults
        );
    }

    #[test]
    fn clocks_that_may_lie_further_apart_than_the_tolerance_are_a_fault() {
        let of = |clock_error| {
            let evidence = Evidence {
                clock_error,
                ..Evidence::default()
            };
            certify(&Fidelity::new(TOLERANCE), &evidence)
        };
        let known = [None, Some(Duration::ZERO), Some(TOLERANCE)];
        assert!(known.into_iter().all(|error| of(error).valid));
        assert_eq!(of(Some(Duration::ZERO)).clock_error_ns, Some(0));
        let apart = of(Some(TOLERANCE + Duration::from_us(500)));
        assert!(!apart.valid);
        assert_eq!(apart.clock_error_ns, Some(1_500_000));
        let fault = "clocks of hosts may lie 1.500 ms apart (limit 1 ms)";
        assert!(apart.faults[0].starts_with(fault), "{:?}", apart.faults);
    }

    #[test]
    fn a_clock_that_was_set_and_a_machine_that_slept_are_faults() {
        let of = |audit| {
            let evidence = Evidence {
                audit,
                ..Evidence::default()
            };
            certify(&Fidelity::new(TOLERANCE), &evidence).faults
        };
        let (clock_set_ns, suspended_ns) = (-2_000_000_000, 3_000_000_000);
        let audit = Audit::default();
        let set = of(Audit {
            clock_set_ns,
            ..audit
        });
        assert!(set[0].contains("was set by -2.000 s"), "{set:?}");
        let slept = of(Audit {
            suspended_ns,
            ..audit
        });
        assert!(slept[0].contains("suspended for 3.0 s"), "{slept:?}");
    }

    #[test]
    fn hosts_without_a_processor_are_a_fault() {
        let waited = |times| {
            let mut waits = Histogram::default();
            waits.add(Duration::from_us(100), 100 - times);
            waits.add(Duration::from_ms(30), times);
            let evidence = Evidence {
                waits,
                ..Evidence::default()
            };
            certify(&Fidelity::new(TOLERANCE), &evidence)
        };
        assert!(waited(1).valid);
        assert_eq!(waited(1).host_wait_max_ns, 30_000_000);
        let certificate = waited(2);
        assert!(!certificate.valid);
        assert!(
            certificate.faults[0].starts_with(
                "host programs were starved of CPU: p99 scheduling delay 30 ms (limit 10 ms)"
            ),
            "{:?}",
            certificate.faults
        );
    }

    #[test]
    fn late_frames_and_drops_nobody_ordered_are_faults_with_a_remedy() {
        let mut fidelity = Fidelity::new(TOLERANCE);
        fidelity.delivered(Duration::from_us(10), 90);
        fidelity.delivered(Duration::from_ms(20), 10);
        let unordered = BTreeMap::from([("tap a eth0".to_owned(), 3), ("memory".to_owned(), 0)]);
        let evidence = Evidence {
            unordered,
            ..Evidence::default()
        };
        let certificate = certify(&fidelity, &evidence);
        assert!(!certificate.valid);
        assert_eq!(certificate.faults.len(), 2, "{:?}", certificate.faults);
        assert!(certificate.line().contains("INVALID"));
    }

    #[test]
    fn frames_are_late_for_a_reason() {
        let late = |audit, share, frames| {
            let evidence = Evidence {
                time: Duration::from_secs(1),
                audit,
                ..Evidence::default()
            };
            cause(&evidence, share, frames).1
        };
        let because = |audit| late(audit, 0.01, 100_000);
        let audit = Audit {
            machine: [150, 0, 200],
            ..Audit::default()
        };
        let (starved_ns, thread_ns) = (100_000_000, 900_000_000);
        let machine = [150, 8, 200];
        assert!(because(audit).contains("--busy"));
        assert!(because(Audit { thread_ns, ..audit }).contains("more frames"));
        assert!(
            because(Audit {
                starved_ns,
                thread_ns,
                ..audit
            })
            .contains("by other processes")
        );
        assert!(
            because(Audit {
                machine,
                starved_ns: 30_000_000,
                ..audit
            })
            .contains("4.0 %")
        );
        let saturated = Audit {
            machine,
            thread_ns,
            ..audit
        };
        assert!(late(saturated, 0.97, 100_000).contains("more frames"));
        // A hundred frames a second are too many for no machine, however awake the data plane was.
        let awake = Audit { thread_ns, ..audit };
        assert!(late(awake, 0.007, 100).contains("other processes"));
        assert!(late(saturated, 0.97, 100).contains("hypervisor"));
    }

    #[test]
    fn late_frames_are_counted_where_they_are_few() {
        let fault = |times: u64| {
            let mut fidelity = Fidelity::new(TOLERANCE);
            fidelity.delivered(Duration::from_us(10), 2 * times);
            fidelity.delivered(Duration::from_ms(20), 2 * times);
            certify(&fidelity, &Evidence::default()).faults[0].clone()
        };
        assert!(
            fault(1)
                .starts_with("2 of 4 frames were delivered more than 1.0 ms late (limit 0.5 %)")
        );
        assert!(fault(1000).starts_with("50.0 % of the frames were delivered"));
    }

    /// The rule is the same for any number; where one frame breaks it, that is said.
    #[test]
    fn of_few_frames_one_late_one_is_too_many() {
        let faults = |on_time| {
            let mut fidelity = Fidelity::new(TOLERANCE);
            fidelity.delivered(Duration::from_us(10), on_time);
            fidelity.delivered(Duration::from_ms(20), 1);
            certify(&fidelity, &Evidence::default()).faults
        };
        let few = faults(30);
        assert!(
            few[0].starts_with("1 of 31 frames was delivered more than 1.0 ms late"),
            "{few:?}"
        );
        assert!(
            few[0].contains(
                "One late frame is more than 0.5 % of fewer than 200: the latest was 20.0 ms late"
            ),
            "{few:?}"
        );
        assert!(!faults(198).is_empty());
        assert!(faults(199).is_empty());
    }

    /// Who reads a kind need not read the words.
    #[test]
    fn every_fault_has_a_kind() {
        let kinds = |fidelity: &Fidelity, evidence: &Evidence| -> Vec<Kind> {
            let all = faults(fidelity, evidence);
            all.into_iter().map(|fault| fault.kind).collect()
        };
        let on_time = Fidelity::new(TOLERANCE);
        let places = [
            (MEMORY, Kind::FrameMemory),
            ("tcp memory of a", Kind::TcpMemory),
            ("socket backlog of a", Kind::SocketBuffer),
            ("tap eth0 of a", Kind::NotRead),
            ("a, which is gone", Kind::Disturbed),
        ];
        for (place, kind) in places {
            let evidence = Evidence {
                unordered: BTreeMap::from([(place.to_owned(), 3)]),
                ..Evidence::default()
            };
            assert_eq!(kinds(&on_time, &evidence), [kind], "{place}");
        }
        let mut late = Fidelity::new(TOLERANCE);
        late.delivered(Duration::from_ms(20), 1_000_000);
        late.gap(Duration::from_secs(1));
        let evidence = Evidence {
            time: Duration::from_secs(1),
            audit: Audit {
                thread_ns: 900_000_000,
                suspended_ns: 3_000_000_000,
                ..Audit::default()
            },
            faults: vec!["of the caller".to_owned()],
            ..Evidence::default()
        };
        let all = [Kind::Other, Kind::Overrun, Kind::Busy, Kind::Disturbed];
        assert_eq!(kinds(&late, &evidence), all);
        assert_eq!(certify(&late, &evidence).faults.len(), all.len());
        assert_eq!(kinds(&late, &Evidence::default())[0], Kind::WokenLate);
    }

    /// A host that was killed had drops that nobody can count.
    #[test]
    fn a_host_that_is_gone_did_not_read_too_slowly() {
        let fault = dropped("client, which is gone", 1).expect("it is one");
        let words = "host `client` is gone, and what it dropped is unknown; run it again";
        assert_eq!((fault.kind, fault.words.as_str()), (Kind::Disturbed, words));
        assert_eq!(dropped("client, which is gone", 0), None);
        let one = dropped("tap eth0 of a", 1).expect("it is one");
        assert!(one.words.starts_with("1 drop at tap eth0 of a that"));
    }

    /// A test of a program with a small buffer is about those drops: they are counted, and no fault.
    #[test]
    fn drops_at_a_programs_own_buffer_are_a_note() {
        let place = "socket buffers (udp) of client".to_owned();
        let drops = BTreeMap::from([(place, 418)]);
        let fidelity = Fidelity::new(TOLERANCE);
        let own = Evidence {
            of_programs: drops.clone(),
            ..Evidence::default()
        };
        let certificate = certify(&fidelity, &own);
        assert!(certificate.valid, "{:?}", certificate.faults);
        let [note] = &certificate.notes()[..] else {
            panic!("one note")
        };
        assert!(
            note.starts_with("418 drops at socket buffers (udp) of client"),
            "{note}"
        );
        // Of a program of farpath's they are the machine's fault.
        let unordered = Evidence {
            unordered: drops,
            ..Evidence::default()
        };
        let certificate = certify(&fidelity, &unordered);
        assert!(!certificate.valid && certificate.notes().is_empty());
    }
}
