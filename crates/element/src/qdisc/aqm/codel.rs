//! Controlled delay (RFC 8289): frames that waited too long for too long are dropped at the head.

use farpath_units::{Duration, Time};

use super::{Aqm, Head, Served, Waiting};

/// What is too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodelConfig {
    /// Acceptable standing delay (RFC 8289 §4.3).
    pub target: Duration,
    /// Time in which ends react, about the largest RTT (RFC 8289 §4.4).
    pub interval: Duration,
    /// Datagrams of ECN-capable transports are marked instead of dropped (RFC 8289 §5.4).
    pub ecn: bool,
}

/// The controller of one queue (RFC 8289 §5).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Codel {
    config: CodelConfig,
    /// Bytes of a full frame: a queue of no more is left alone.
    frame: u32,
    /// When the delay will have been too long for an interval, if it is too long.
    first_above: Option<Time>,
    drop_next: Time,
    count: u32,
    last_count: u32,
    dropping: bool,
}

/// The controller forgets nothing within this many intervals (RFC 8289 §5.3).
const MEMORY: u64 = 16;

impl Codel {
    pub(crate) fn new(config: CodelConfig, frame: u32) -> Codel {
        Codel {
            config,
            frame,
            first_above: None,
            drop_next: Time::ZERO,
            count: 0,
            last_count: 0,
            dropping: false,
        }
    }

    /// The frame to send at `now`, after drops.
    pub(crate) fn take<H: Head>(&mut self, now: Time, head: &mut H) -> Option<H::Item> {
        let (mut item, mut too_long) = self.pop(now, head)?;
        if self.dropping && !too_long {
            self.dropping = false;
        }
        if self.dropping {
            while self.dropping && now >= self.drop_next {
                self.count = self.count.saturating_add(1);
                if self.config.ecn && head.mark(&mut item) {
                    self.drop_next = self.next(self.drop_next);
                    return Some(item);
                }
                head.drop(item);
                let Some((next, still)) = self.pop(now, head) else {
                    self.dropping = false;
                    return None;
                };
                (item, too_long) = (next, still);
                self.dropping = too_long;
                if too_long {
                    self.drop_next = self.next(self.drop_next);
                }
            }
        } else if too_long {
            let marked = self.config.ecn && head.mark(&mut item);
            let next = if marked {
                Some(item)
            } else {
                head.drop(item);
                self.pop(now, head).map(|(item, _)| item)
            };
            self.dropping = true;
            // Begin near the rate that controlled the queue last, if that was not long ago.
            let delta = self.count.saturating_sub(self.last_count);
            let memory = self.config.interval.times(MEMORY);
            let recent = now < self.drop_next + memory;
            self.count = if delta > 1 && recent { delta } else { 1 };
            self.drop_next = self.next(now);
            self.last_count = self.count;
            return next;
        }
        Some(item)
    }

    /// The control law (RFC 8289 §3.2.1): the next drop after the one at `from`.
    fn next(&self, from: Time) -> Time {
        let step = self.config.interval.as_ps() as f64 / f64::from(self.count.max(1)).sqrt();
        from + Duration::from_ps(step as u64)
    }

    /// The frame at the head, and whether its wait has been too long for an interval.
    fn pop<H: Head>(&mut self, now: Time, head: &mut H) -> Option<(H::Item, bool)> {
        let Some((item, came, left)) = head.pop() else {
            self.first_above = None;
            return None;
        };
        if now.since(came) < self.config.target || left <= u64::from(self.frame) {
            self.first_above = None;
            return Some((item, false));
        }
        let above = *self.first_above.get_or_insert(now + self.config.interval);
        Some((item, now >= above))
    }
}

impl Aqm for Codel {
    fn take(&mut self, now: Time, head: &mut Served<'_>) -> Option<Waiting> {
        self.take(now, head)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A queue whose frames have all waited 10 ms and never run out.
    struct Standing {
        dropped: Vec<Time>,
        now: Time,
        ecn: bool,
        marked: u32,
    }

    impl Head for Standing {
        type Item = ();
        fn pop(&mut self) -> Option<((), Time, u64)> {
            let came = self.now.as_ps() - Duration::from_ms(10).as_ps();
            Some(((), Time::from_ps(came), 1 << 20))
        }
        fn drop(&mut self, (): ()) {
            self.dropped.push(self.now);
        }
        fn mark(&mut self, (): &mut ()) -> bool {
            self.marked += u32::from(self.ecn);
            self.ecn
        }
    }

    /// Takes a frame every 10 µs for 3 s.
    fn three_seconds(ecn: bool) -> Standing {
        let mut queue = Standing {
            dropped: Vec::new(),
            now: Time::ZERO,
            ecn,
            marked: 0,
        };
        let config = CodelConfig {
            target: Duration::from_ms(5),
            interval: Duration::from_ms(100),
            ecn: true,
        };
        let mut codel = Codel::new(config, 1514);
        for n in 0..300_000_u64 {
            queue.now = Time::ZERO + Duration::from_ms(20) + Duration::from_us(10).times(n);
            assert!(codel.take(queue.now, &mut queue).is_some());
        }
        queue
    }

    /// The first drop comes an interval after the delay first was too long; drop k + 1 follows drop k
    /// after interval/√k (RFC 8289 §3.2.1), to the granularity of the takes.
    #[test]
    fn drops_follow_the_control_law() {
        let drops = three_seconds(false).dropped;
        let first = drops[0].since(Time::ZERO + Duration::from_ms(20));
        assert_eq!(first, Duration::from_ms(100));
        let mut due = drops[0].as_ps() as f64;
        for (k, drop) in drops.iter().enumerate().skip(1) {
            due += 1e11 / (k as f64).sqrt();
            assert!(
                (drop.as_ps() as f64 - due).abs() < 1.1e7,
                "drop {k}: {drop} for {due}"
            );
        }
        // Drops in t after the first: the k of the sum of 1/√j up to k, which is 2√k − 1.46.
        let (t, k) = (2.88e12 / 1e11, drops.len() as f64);
        assert!((2.0 * k.sqrt() - 1.46 - t).abs() < 0.5, "{k} drops");
    }

    #[test]
    fn marks_come_when_drops_would() {
        let marked = three_seconds(true);
        assert!(marked.dropped.is_empty());
        assert_eq!(marked.marked as usize, three_seconds(false).dropped.len());
    }
}
