//! The verdict on a run: whether what the machine added is small enough to believe the rest.

use std::collections::BTreeMap;

use farpath_record::Certificate;
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

/// What a verdict is given on.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// Length of the run.
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

/// The certificate of a run.
pub fn certify(fidelity: &Fidelity, evidence: &Evidence) -> Certificate {
    let lateness = &fidelity.lateness;
    let frames = lateness.total();
    let mut faults = evidence.faults.clone();
    let share = fidelity.late as f64 / frames.max(1) as f64;
    if share > LATE_SHARE {
        let of_all = match frames < FEW {
            true => format!("{} of {frames} frames", fidelity.late),
            false => format!(
                "{} % of the frames",
                above(share * 100.0, LATE_SHARE * 100.0, 1)
            ),
        };
        let mut why = format!(
            "{of_all} were delivered more than {:.1} ms late (limit {:.1} %)",
            fidelity.tolerance.as_secs_f64() * 1e3,
            LATE_SHARE * 100.0
        );
        why.push_str(&cause(evidence, share, frames));
        faults.push(why);
    }
    if fidelity.longest_gap > LONGEST_GAP {
        faults.push(format!(
            "the data plane stalled for {} ms (limit {LONGEST_GAP}): the process or the VM was paused, or it got no CPU; run \
             it on an idle machine",
            above(ms(fidelity.longest_gap), ms(LONGEST_GAP), 0)
        ));
    }
    faults.extend(clock_faults(&evidence.audit));
    faults.extend(clocks_apart(evidence.clock_error, fidelity.tolerance));
    faults.extend(starved_hosts(&evidence.waits));
    for (place, count) in &evidence.unordered {
        if *count > 0 {
            let what = match place.as_str() {
                MEMORY => format!("packets of hosts waited {count} times for {MEMORY}"),
                _ => format!("{count} drops at {place} that the model did not order"),
            };
            faults.push(format!("{what}: {}", remedy(place)));
        }
    }
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
fn clock_faults(audit: &Audit) -> Vec<String> {
    let mut faults = Vec::new();
    if audit.clock_set_ns.unsigned_abs() > CLOCK_SET.as_ns() {
        faults.push(format!(
            "the machine's clock was set by {:+.3} s meanwhile: receipts of ping and udp bear its time; run it again, \
             with the clock left alone",
            audit.clock_set_ns as f64 / 1e9
        ));
    }
    if audit.suspended_ns > LONGEST_GAP.as_ns() {
        faults.push(format!(
            "the machine was suspended for {:.1} s meanwhile; run it again",
            audit.suspended_ns as f64 / 1e9
        ));
    }
    faults
}

/// That times of one host may be off beside another's by more than a frame may be late.
fn clocks_apart(error: Option<Duration>, tolerance: Duration) -> Option<String> {
    let error = error.filter(|error| *error > tolerance)?;
    Some(format!(
        "clocks of hosts may lie {} ms apart (limit {tolerance}): they do not say that they are one clock, and an exchange \
         of time stamps took twice that; run it on an idle machine",
        above(ms(error), ms(tolerance), 3)
    ))
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
fn starved_hosts(waits: &Histogram) -> Option<String> {
    let wait = waits.quantile(0.99);
    (wait > HOST_WAIT).then(|| {
        format!(
            "host programs were starved of CPU: p99 scheduling delay {} ms (limit {HOST_WAIT}); run it on an idle \
             machine or one with more processors, or with fewer programs in hosts",
            above(ms(wait), ms(HOST_WAIT), 0)
        )
    })
}

/// What most probably made that `share` of so many frames late, and what would help.
fn cause(evidence: &Evidence, share: f64, frames: u64) -> String {
    let audit = &evidence.audit;
    let starved = audit.starved_ns as f64 / evidence.time.as_ns().max(1) as f64;
    let stolen = audit.stolen_share();
    let at_work = audit.thread_share(evidence.time) > 0.5;
    // Between frames that are close the data plane stays awake: that is not work.
    let much = frames as f64 > LITTLE_WORK * evidence.time.as_secs_f64();
    // Who is late half of the time was not held up for a moment.
    let overrun = share > 0.5 && at_work && much;
    if !overrun && stolen > 0.01 && stolen > starved {
        format!(
            ": the hypervisor gave {:.1} % of this VM's CPU time to others; run it where processors are not shared",
            stolen * 100.0
        )
    } else if !overrun && starved > 0.02 {
        ": the data plane was starved of CPU by other processes; run it on an idle machine"
            .to_owned()
    } else if at_work && much {
        ": more frames than this machine delivers; lower the rate or use larger frames".to_owned()
    } else if at_work {
        ": other processes, or the machine below this one, held the data plane up; run it on an idle machine".to_owned()
    } else {
        ": this machine wakes the data plane late; use --busy".to_owned()
    }
}

fn remedy(place: &str) -> &'static str {
    if place == MEMORY {
        "more is under way than the scenario's rates, delays and queues hold; lower the rate or use larger packets"
    } else if place.starts_with("tcp memory") {
        "the kernel ran out of memory for TCP; --tune-host raises net.ipv4.tcp_mem for the run"
    } else if place.starts_with("socket") {
        "a program read too slowly or its receive buffer was too small; run it on an idle machine or give it a larger one"
    } else {
        "the data plane did not read fast enough; lower the rate or run it on an idle machine"
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
            cause(&evidence, share, frames)
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
