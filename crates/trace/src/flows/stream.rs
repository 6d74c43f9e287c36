//! Which numbered streams a direction of UDP carries: iperf's, RTP's, or none.
//!
//! Nothing is taken from ports. A form of header is believed when several datagrams in a row agree on it: their numbers
//! go on, and their times of sending as fast as the capture's.

use farpath_record::trace::NumberedStream;

use crate::flows::numbered::{Jitter, Numbered};

/// Datagrams that must agree before a form is believed, at the end of the capture.
const AGREE_LEAST: u32 = 4;
/// Datagrams after which it is decided.
const TRIED_MAX: u32 = 64;
/// A step of numbers within this goes on.
const STEP_MAX: u64 = 1000;
/// Two clocks' times between neighbours differ by less: a second, nanoseconds.
const APART_MAX: i64 = 1_000_000_000;
/// RTP sources of one direction that are followed.
const SOURCES_MAX: usize = 16;

/// What a datagram's header says under one form.
#[derive(Clone, Copy, Debug)]
struct Header {
    number: u64,
    /// Time of sending by the sender's clock, nanoseconds.
    sent: i64,
}

fn four(b: &[u8], at: usize) -> Option<u32> {
    let bytes = b.get(at..at + 4)?;
    Some(u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
}

fn time(seconds: u32, micros: u32) -> Option<i64> {
    let plausible = micros < 1_000_000;
    plausible.then(|| i64::from(seconds) * 1_000_000_000 + i64::from(micros) * 1000)
}

/// iperf3: seconds, microseconds, a number of 32 bits, or of 64 with `--udp-counters-64bit`.
fn iperf3(b: &[u8]) -> Option<Header> {
    let sent = time(four(b, 0)?, four(b, 4)?)?;
    let number = match (four(b, 8)?, four(b, 12)) {
        // No program sends 0 of 32 bits: it is the upper half.
        (0, Some(lower)) => lower,
        (number, _) => number,
    };
    Some(Header {
        number: u64::from(number),
        sent,
    })
}

/// iperf 2: a number, seconds, microseconds. The last datagrams of a test have it negative.
fn iperf2(b: &[u8]) -> Option<Header> {
    let number = (four(b, 0)? as i32).unsigned_abs();
    Some(Header {
        number: u64::from(number),
        sent: time(four(b, 4)?, four(b, 8)?)?,
    })
}

/// The two forms of iperf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Iperf2,
    Iperf3,
}

impl Form {
    fn read(self, b: &[u8]) -> Option<Header> {
        match self {
            Form::Iperf2 => iperf2(b),
            Form::Iperf3 => iperf3(b),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Form::Iperf2 => "iperf2",
            Form::Iperf3 => "iperf3",
        }
    }
}

/// One form, tried.
#[derive(Clone, Debug)]
struct Iperf {
    form: Form,
    numbered: Numbered,
    jitter: Jitter,
    agree: u32,
    last: Option<(Header, i64)>,
    /// The negative number that ends a test was seen.
    ended: bool,
}

impl Iperf {
    fn new(form: Form) -> Iperf {
        Iperf {
            form,
            numbered: Numbered::default(),
            jitter: Jitter::default(),
            agree: 0,
            last: None,
            ended: false,
        }
    }

    fn take(&mut self, at: i64, bytes: &[u8]) {
        let Some(header) = self.form.read(bytes) else {
            return;
        };
        if let Some((last, last_at)) = self.last {
            let step = header.number.abs_diff(last.number);
            let apart = (header.sent - last.sent) - (at - last_at);
            self.agree += u32::from((1..=STEP_MAX).contains(&step) && apart.abs() < APART_MAX);
        }
        self.last = Some((header, at));
        if self.form == Form::Iperf2 && bytes[0] & 0x80 != 0 {
            // It is sent until it is answered, and counts once.
            if self.ended {
                return;
            }
            self.ended = true;
        }
        self.numbered.take(header.number);
        self.jitter.take((at - header.sent) as f64);
    }

    fn stated(&self) -> NumberedStream {
        let mut stream = self.numbered.stated(self.form.name());
        self.jitter.state(&mut stream);
        stream
    }
}

/// Rates of RTP clocks (RFC 3551 §6, RFC 7587), Hz.
const CLOCKS: [u32; 9] = [
    8000, 11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 90_000,
];

/// The clock of a payload type with a fixed meaning (RFC 3551 §6).
fn clock_of(payload_type: u8) -> Option<u32> {
    Some(match payload_type {
        0 | 3..=5 | 7..=9 | 12 | 13 | 15 | 18 => 8000,
        6 => 16_000,
        10 | 11 => 44_100,
        14 | 25 | 26 | 28 | 31..=34 => 90_000,
        16 => 11_025,
        17 => 22_050,
        _ => return None,
    })
}

/// One RTP source (RFC 3550 §5.1).
#[derive(Clone, Debug)]
struct Rtp {
    ssrc: u32,
    payload_type: u8,
    numbered: Numbered,
    last_number: u16,
    agree: u32,
    first_at: i64,
    last_at: i64,
    /// The first timestamp, and ticks since then, unwrapped.
    first_stamp: u32,
    ticks: i64,
    /// Jitter by each rate that the clock may have.
    jitters: [Jitter; CLOCKS.len()],
}

impl Rtp {
    fn new(ssrc: u32, payload_type: u8, number: u16, stamp: u32, at: i64) -> Rtp {
        Rtp {
            ssrc,
            payload_type,
            numbered: Numbered::default(),
            last_number: number.wrapping_sub(1),
            agree: 0,
            first_at: at,
            last_at: at,
            first_stamp: stamp,
            ticks: 0,
            jitters: Default::default(),
        }
    }

    fn take(&mut self, payload_type: u8, number: u16, stamp: u32, at: i64) {
        let step = number.wrapping_sub(self.last_number) as i16;
        self.agree += u32::from(step != 0 && step.unsigned_abs() <= STEP_MAX as u16);
        self.last_number = number;
        self.payload_type = payload_type;
        let wide = self.numbered.unwrapped(number);
        self.numbered.take(wide);
        let now = self.first_stamp.wrapping_add(self.ticks as u32);
        self.ticks += i64::from(stamp.wrapping_sub(now) as i32);
        self.last_at = at;
        let since = (at - self.first_at) as f64;
        for (jitter, hz) in self.jitters.iter_mut().zip(CLOCKS) {
            jitter.take(since - self.ticks as f64 * 1e9 / f64::from(hz));
        }
    }

    /// The rate of its clock: by its type, or the known one within 5 % of what the whole stream kept to.
    fn clock(&self) -> Option<u32> {
        clock_of(self.payload_type).or_else(|| {
            let seconds = (self.last_at - self.first_at) as f64 / 1e9;
            let hz = self.ticks as f64 / seconds;
            CLOCKS
                .into_iter()
                .find(|c| (hz / f64::from(*c) - 1.0).abs() < 0.05)
        })
    }

    fn stated(&self) -> NumberedStream {
        let mut stream = self.numbered.stated("rtp");
        // Numbers are those of the header, of which unwrapping adds to the upper bits.
        stream.first_number &= 0xffff;
        stream.ssrc = Some(self.ssrc);
        stream.payload_type = Some(self.payload_type);
        stream.clock_hz = self.clock();
        let place = CLOCKS.iter().position(|c| Some(*c) == stream.clock_hz);
        if let Some(place) = place {
            self.jitters[place].state(&mut stream);
        }
        stream
    }
}

/// What a direction may carry.
#[derive(Clone, Debug)]
pub(crate) struct Streams {
    tried: u32,
    iperf: Vec<Iperf>,
    rtp: Vec<Rtp>,
    /// Datagrams that have the form of RTP.
    formed: u32,
    decided: bool,
}

impl Streams {
    pub(crate) fn new() -> Streams {
        Streams {
            tried: 0,
            iperf: vec![Iperf::new(Form::Iperf2), Iperf::new(Form::Iperf3)],
            rtp: Vec::new(),
            formed: 0,
            decided: false,
        }
    }

    /// Takes in a datagram's payload; false where nothing more need be read of this direction.
    pub(crate) fn take(&mut self, at: i64, bytes: &[u8]) -> bool {
        for iperf in &mut self.iperf {
            iperf.take(at, bytes);
        }
        if !self.decided || !self.rtp.is_empty() {
            self.rtp(at, bytes);
        }
        self.tried += 1;
        if !self.decided && self.tried >= TRIED_MAX {
            self.decide();
        }
        !(self.decided && self.iperf.is_empty() && self.rtp.is_empty())
    }

    fn rtp(&mut self, at: i64, bytes: &[u8]) {
        let (Some(stamp), Some(ssrc)) = (four(bytes, 4), four(bytes, 8)) else {
            return;
        };
        let (first, second) = (bytes[0], bytes[1]);
        // Version 2; what RTCP's types would be are left out (RFC 5761 §4).
        let payload_type = second & 0x7f;
        if first >> 6 != 2 || (64..96).contains(&payload_type) {
            return;
        }
        self.formed += u32::from(!self.decided);
        let number = u16::from_be_bytes([bytes[2], bytes[3]]);
        let known = self.rtp.iter().position(|r| r.ssrc == ssrc);
        let place = match known {
            Some(place) => place,
            None if self.rtp.len() < SOURCES_MAX => {
                self.rtp
                    .push(Rtp::new(ssrc, payload_type, number, stamp, at));
                self.rtp.len() - 1
            }
            None => return,
        };
        self.rtp[place].take(payload_type, number, stamp, at);
    }

    /// Leaves what enough datagrams agree on: three of four of those that could.
    fn decide(&mut self) {
        self.decided = true;
        let most = self.iperf.iter().map(|i| i.agree).max().unwrap_or(0);
        let needed = AGREE_LEAST.max(self.tried * 3 / 4);
        self.iperf
            .retain(|i| i.agree == most && i.agree + 1 >= needed);
        self.iperf.truncate(1);
        let agree: u32 = self.rtp.iter().map(|r| r.agree).sum();
        let is_rtp = self.iperf.is_empty() && agree >= AGREE_LEAST && agree * 4 >= self.formed * 3;
        if !is_rtp {
            self.rtp.clear();
        }
        self.rtp.retain(|r| r.agree >= AGREE_LEAST);
    }

    /// What it carries: none where nothing is believed.
    pub(crate) fn stated(&mut self) -> Vec<NumberedStream> {
        if !self.decided {
            self.decide();
        }
        let mut all: Vec<NumberedStream> = self.iperf.iter().map(Iperf::stated).collect();
        self.rtp.retain(|r| r.agree >= AGREE_LEAST);
        all.extend(self.rtp.iter().map(Rtp::stated));
        all
    }
}
