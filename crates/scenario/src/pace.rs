//! When datagrams are due: equal or exponential gaps, on a clock that may run slower at night, stand
//! still between bursts, or follow what was written down.

use std::sync::Arc;

use farpath_predict::atm::CELL;
use farpath_units::{Duration, Key, Rate, Stream, Time};

use crate::model::{Arrivals, Envelope, OnOff, Replay, Udp};

/// The due times of one stream.
#[derive(Debug)]
pub struct Pace {
    start: Time,
    /// Payload bytes of a datagram.
    payload: u64,
    rate: Rate,
    /// Gaps drawn from here; equal gaps without.
    luck: Option<Stream>,
    /// The sum of the gaps drawn.
    drawn: Duration,
    clock: Clock,
    /// Cells that come together, and their rate.
    burst: Option<(u64, Rate)>,
}

/// From the time the source has been at work to the time that has passed.
#[derive(Debug)]
enum Clock {
    Even,
    Day(Envelope),
    Bursts(Bursts),
    Replay(Reader),
}

#[derive(Debug)]
struct Bursts {
    law: OnOff,
    luck: Stream,
    /// Number of the burst, when it began, in work and on the clock, and its length.
    number: u64,
    worked: Duration,
    began: Duration,
    length: Duration,
}

#[derive(Debug)]
struct Reader {
    replay: Arc<Replay>,
    /// The row reached, and what all rows before it amount to: bytes, or bit·ps.
    row: usize,
    before: u128,
}

impl Pace {
    /// The stream of a test; `key` names its luck.
    pub fn new(udp: &Udp, start: Time, key: Key) -> Pace {
        let clock = match (&udp.replay, udp.on_off, udp.envelope) {
            (Some(replay), ..) => Clock::Replay(Reader {
                replay: Arc::clone(replay),
                row: 0,
                before: 0,
            }),
            (None, Some(law), _) => {
                let luck = key.with("bursts").stream();
                Clock::Bursts(Bursts {
                    law,
                    luck,
                    number: 0,
                    worked: Duration::ZERO,
                    began: Duration::ZERO,
                    length: law.length(law.on, luck, 0),
                })
            }
            (None, None, Some(envelope)) => Clock::Day(envelope),
            (None, None, None) => Clock::Even,
        };
        let poisson = udp.arrivals == Arrivals::Poisson;
        Pace {
            start,
            // A cell counts whole.
            payload: udp.cells.map_or(udp.size, |_| CELL).into(),
            rate: udp.rate,
            luck: poisson.then(|| key.with("arrivals").stream()),
            drawn: Duration::ZERO,
            clock,
            burst: udp.cells.and_then(|cells| cells.burst),
        }
    }

    /// When datagram `ordinal` is due; asked in order. [`Time::MAX`] when there is none.
    pub fn due(&mut self, ordinal: u64) -> Time {
        let worked = match self.luck {
            None => self.steady(ordinal),
            Some(_) if ordinal == 0 => Duration::ZERO,
            Some(luck) => {
                let mean = self.payload as f64 * 8e12 / self.rate.as_bps() as f64;
                let gap = luck.exponential(ordinal - 1) * mean;
                self.drawn += Duration::from_ps(gap as u64);
                self.drawn
            }
        };
        let since = match &mut self.clock {
            Clock::Even => worked,
            Clock::Day(envelope) => envelope.when(worked),
            Clock::Bursts(bursts) => bursts.when(worked),
            Clock::Replay(reader) => match reader.when(ordinal + 1, self.payload) {
                Some(since) => since,
                None => return Time::MAX,
            },
        };
        self.start + since
    }

    /// At equal gaps, or in bursts of like frames at equal gaps.
    fn steady(&self, ordinal: u64) -> Duration {
        match self.burst {
            None => self.even(self.rate, ordinal),
            Some((cells, peak)) => {
                let (first, within) = (ordinal / cells * cells, ordinal % cells);
                self.even(self.rate, first) + self.even(peak, within)
            }
        }
    }

    /// The time datagram `ordinal` takes its turn at equal gaps: exact, so that rounding never adds
    /// up to another rate.
    fn even(&self, rate: Rate, ordinal: u64) -> Duration {
        let bits_ps = u128::from(ordinal) * u128::from(self.payload) * 8_000_000_000_000;
        let rate = u128::from(rate.as_bps());
        Duration::from_ps(((bits_ps + rate / 2) / rate) as u64)
    }
}

impl Bursts {
    fn when(&mut self, worked: Duration) -> Duration {
        while worked.saturating_sub(self.worked) >= self.length {
            let pause = self
                .law
                .length(self.law.off, self.luck, 2 * self.number + 1);
            self.number += 1;
            self.worked += self.length;
            self.began = self.began + self.length + pause;
            self.length = self.law.length(self.law.on, self.luck, 2 * self.number);
        }
        self.began + worked.saturating_sub(self.worked)
    }
}

impl Reader {
    /// When `count` datagrams of `payload` bytes have come together.
    fn when(&mut self, count: u64, payload: u64) -> Option<Duration> {
        let replay = Arc::clone(&self.replay);
        match &*replay {
            Replay::Bytes(rows) => {
                let wanted = u128::from(count) * u128::from(payload);
                while self.before + u128::from(rows.get(self.row)?.1) < wanted {
                    self.before += u128::from(rows[self.row].1);
                    self.row += 1;
                }
                Some(rows[self.row].0)
            }
            Replay::Rates(rows) => {
                let wanted = u128::from(count) * u128::from(payload) * 8_000_000_000_000;
                loop {
                    let (from, rate) = *rows.get(self.row)?;
                    let (until, _) = *rows.get(self.row + 1)?;
                    let here = u128::from(until.saturating_sub(from).as_ps()) * u128::from(rate);
                    if self.before + here >= wanted && rate > 0 {
                        let ps = (wanted - self.before).div_ceil(u128::from(rate));
                        return Some(from + Duration::from_ps(ps as u64));
                    }
                    self.before += here;
                    self.row += 1;
                }
            }
        }
    }
}
