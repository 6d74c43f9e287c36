//! Requests and their answers over two connections, one for each direction of data.
//!
//! Nothing in them says where a request ends but their length; the bytes are zeroes.

use std::collections::VecDeque;
use std::os::fd::{AsFd, OwnedFd};

use nix::errno::Errno;

use crate::job::ExchangeWork;
use crate::report::{AskReport, TcpSendReport};
use crate::socket::{Opened, Prepared, SocketError, abort, refused};
use crate::sys::{self, Ready};
use crate::tcp::{Outgoing, Sink, Source};
use crate::watch::{READ, WRITE, Watch, Woken};

/// Bytes taken from the kernel at once.
const READ_BYTES: usize = 1 << 20;

/// As many times of responses are reported: about 1 MB of JSON.
const TIMES: usize = 1 << 17;

/// Nothing is waited for.
const NOTHING: Ready = Ready {
    read: false,
    write: false,
};

/// The two connections of an exchange before their start.
pub(crate) struct Both {
    asking: Prepared,
    answering: Prepared,
}

impl Both {
    pub(crate) fn new(work: &ExchangeWork) -> Result<Both, SocketError> {
        Ok(Both {
            asking: Prepared::new(&work.asking)?,
            answering: Prepared::new(&work.answering)?,
        })
    }

    fn open(self, watch: &Watch, start_ns: u64) -> Result<([Opened; 2], Vec<String>), SocketError> {
        let mut notes = self.asking.notes.clone();
        notes.extend(self.answering.notes.clone());
        let both = [self.asking, self.answering];
        Ok((Prepared::open_both(both, watch, start_ns)?, notes))
    }
}

/// Writes what there is room for; how much that was.
fn write(out: &mut Outgoing, socket: &OwnedFd) -> Result<u64, SocketError> {
    let mut sent = 0;
    while out.left > 0
        && let Some(bytes) = out.offer(socket.as_fd())?
    {
        sent += bytes;
    }
    Ok(sent)
}

fn wish(out: &Outgoing) -> Ready {
    if out.left > 0 { WRITE } else { NOTHING }
}

/// What a connection gave.
enum Incoming {
    Bytes(u64),
    Nothing,
    End,
}

fn take(opened: &Opened) -> Result<Incoming, SocketError> {
    match opened.discard(READ_BYTES) {
        Ok(0) => Ok(Incoming::End),
        Ok(bytes) => Ok(Incoming::Bytes(bytes as u64)),
        Err(error) if sys::would_block(error) => Ok(Incoming::Nothing),
        Err(Errno::ECONNRESET) => Ok(Incoming::End),
        Err(error) => refused("receive", Err(error)),
    }
}

/// The end that asks: what it has asked and what it has been answered.
#[derive(Debug)]
struct Asker<'a> {
    work: &'a ExchangeWork,
    asked: u64,
    answered: u64,
    /// When each request without an answer was made.
    pending: VecDeque<u64>,
    /// When the next requests are made.
    thinking: VecDeque<u64>,
    out: Outgoing,
    report: AskReport,
}

impl Asker<'_> {
    fn new(work: &ExchangeWork) -> Asker<'_> {
        Asker {
            work,
            asked: 0,
            answered: 0,
            pending: VecDeque::new(),
            thinking: VecDeque::new(),
            out: Outgoing::new(0),
            report: AskReport::default(),
        }
    }

    fn ask(&mut self, now: u64, count: u64) {
        let may = self.work.requests.unwrap_or(u64::MAX) - self.asked;
        for _ in 0..count.min(may) {
            self.asked += 1;
            self.pending.push_back(now);
            self.out.left = self.out.left.saturating_add(self.work.request);
        }
    }

    /// `bytes` of answers have been delivered in all.
    fn delivered(&mut self, now: u64, bytes: u64) {
        let span = &self.work.span;
        let whole = bytes / self.work.answer.max(1);
        let new = whole - self.answered;
        if new == 0 {
            return;
        }
        (self.answered, self.report.last_answer_ns) = (whole, now);
        for _ in 0..new {
            let took = now - self.pending.pop_front().unwrap_or(now);
            if now >= span.from && span.until.is_none_or(|until| now < until) {
                let [least, most, sum] = &mut self.report.response_ns;
                *least = if self.report.measured == 0 {
                    took
                } else {
                    took.min(*least)
                };
                *most = took.max(*most);
                *sum += took;
                if self.report.times_ns.len() < TIMES {
                    self.report.times_ns.push(took);
                }
                self.report.measured += 1;
            }
            if self.work.think > 0 {
                self.thinking.push_back(now + self.work.think);
            }
        }
        if self.work.think == 0 {
            self.ask(now, new);
        }
    }

    fn think(&mut self, now: u64) {
        while self.thinking.front().is_some_and(|at| *at <= now) {
            self.thinking.pop_front();
            self.ask(now, 1);
        }
    }

    fn done(&self) -> bool {
        self.work.requests == Some(self.answered)
    }
}

/// Asks until the test ends.
pub(crate) fn ask(
    both: Both,
    work: &ExchangeWork,
    watch: &Watch,
) -> Result<AskReport, SocketError> {
    let ([asking, answering], notes) = both.open(watch, work.span.start)?;
    let mut sink = Sink::new(&answering, work.span, notes);
    let mut asker = Asker::new(work);
    let stop_ns = work.span.until.unwrap_or(u64::MAX);
    asker.ask(watch.clock.now(), work.outstanding);
    while !asker.done() && watch.clock.now() < stop_ns {
        asker.think(watch.clock.now());
        write(&mut asker.out, &asking.socket)?;
        match take(&answering)? {
            Incoming::Bytes(bytes) => {
                let now = watch.clock.now();
                sink.deliver(now, bytes);
                asker.delivered(now, sink.bytes());
            }
            Incoming::End => break,
            Incoming::Nothing => {
                let next = asker.thinking.front().copied().unwrap_or(u64::MAX);
                let wishes = [
                    (answering.socket.as_fd(), READ),
                    (asking.socket.as_fd(), wish(&asker.out)),
                ];
                let woken = watch.either(wishes, stop_ns.min(next));
                if refused("wait for an answer", woken)? == Woken::Stopped {
                    break;
                }
            }
        }
    }
    // The other end hears that it is over.
    abort(asking.socket)?;
    abort(answering.socket)?;
    asker.report.received = sink.end();
    Ok(asker.report)
}

/// Answers until the other end is done.
pub(crate) fn answer(
    both: Both,
    work: &ExchangeWork,
    watch: &Watch,
) -> Result<TcpSendReport, SocketError> {
    let ([asking, answering], notes) = both.open(watch, work.span.start)?;
    let mut source = Source::new(&answering, work.span, false, notes);
    let (mut out, mut heard, mut answered) = (Outgoing::new(0), 0, 0);
    let stop_ns = work.span.until.unwrap_or(u64::MAX);
    loop {
        let now = watch.clock.now();
        if now >= stop_ns {
            break;
        }
        source.look(&answering.socket, now)?;
        source.wrote(write(&mut out, &answering.socket).unwrap_or(0));
        match take(&asking)? {
            Incoming::Bytes(bytes) => {
                heard += bytes;
                let whole = heard / work.request.max(1);
                let new = whole - answered;
                out.left = out.left.saturating_add(new.saturating_mul(work.answer));
                answered = whole;
            }
            Incoming::End => break,
            Incoming::Nothing => {
                let wishes = [
                    (asking.socket.as_fd(), READ),
                    (answering.socket.as_fd(), wish(&out)),
                ];
                let woken = watch.either(wishes, stop_ns.min(source.due()));
                if refused("wait for a request", woken)? == Woken::Stopped {
                    break;
                }
            }
        }
    }
    let report = source.end(&answering.socket, watch.clock.now())?;
    abort(asking.socket)?;
    abort(answering.socket)?;
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{Connection, Ends, Side, Span};

    fn work(requests: Option<u64>, think: u64) -> ExchangeWork {
        let address = "127.0.0.1:9".parse().expect("an address");
        let connection = Connection {
            ends: Ends {
                local: address,
                remote: address,
                class: 0,
                mark: 0,
            },
            side: Side::Connect,
            algorithm: "cubic".to_owned(),
            window_clamp: None,
            pacing: None,
            receive_buffer: None,
            send_buffer: None,
        };
        ExchangeWork {
            asking: connection.clone(),
            answering: connection,
            span: Span {
                start: 0,
                from: 100,
                until: None,
                settle: 0,
                every: 1,
                counted: 0,
            },
            request: 10,
            answer: 100,
            outstanding: 2,
            think,
            requests,
        }
    }

    #[test]
    fn an_answer_brings_the_next_request() {
        let work = work(Some(3), 0);
        let mut asker = Asker::new(&work);
        asker.ask(0, work.outstanding);
        assert_eq!(asker.out.left, 20);
        asker.delivered(50, 100);
        assert_eq!(asker.asked, 3, "and no more than three");
        asker.delivered(120, 199);
        assert_eq!(asker.answered, 1);
        asker.delivered(150, 300);
        assert!(asker.done());
        // The first answer came before the measurement; the others took 150 and 100.
        assert_eq!(asker.report.measured, 2);
        assert_eq!(asker.report.response_ns, [100, 150, 250]);
        assert_eq!(asker.report.last_answer_ns, 150);
    }

    #[test]
    fn thinking_takes_its_time() {
        let work = work(None, 40);
        let mut asker = Asker::new(&work);
        asker.ask(0, 1);
        asker.delivered(100, 100);
        asker.think(139);
        assert_eq!(asker.asked, 1);
        asker.think(140);
        assert_eq!(asker.asked, 2);
    }
}
