//! DNS over UDP (RFC 1035 §4): queries, their answers, and the names of addresses.

use std::collections::{BTreeMap, BTreeSet};

use farpath_record::trace::{DnsFound, DnsQuery};

use crate::rtt::Samples;
use crate::work;

/// Queries of one client to one server that wait at the same time.
const WAITING_MAX: usize = 1 << 12;
/// A query waits this long when others need its place, nanoseconds.
const PATIENCE_NS: i64 = 10_000_000_000;
/// Further ports that one query is sent again from, and waiting queries of one number that it is compared with.
const PORTS_MAX: usize = 8;
const ALIKE_MAX: usize = 16;
/// Queries that are listed by name, of each kind.
const LISTED: usize = 5;
/// Longest name (RFC 1035 §2.3.4), and labels and pointers followed in one.
const NAME_MAX: usize = 255;
const STEPS_MAX: usize = 128;
/// Answers of one message that are read.
const ANSWERS_MAX: usize = 64;
/// Addresses with names, and names of one address.
const NAMED_MAX: usize = 1 << 16;
const NAMES_EACH: usize = 4;

fn two(b: &[u8], at: usize) -> Option<u16> {
    let bytes = b.get(at..at + 2)?;
    Some(u16::from_be_bytes([bytes[0], bytes[1]]))
}

/// A name and where it ends; pointers are followed.
fn name(b: &[u8], from: usize) -> Option<(String, usize)> {
    let (mut text, mut at, mut end) = (String::new(), from, None);
    for _ in 0..STEPS_MAX {
        let length = *b.get(at)?;
        match length >> 6 {
            0 if length == 0 => {
                let end = end.unwrap_or(at + 1);
                if text.is_empty() {
                    text.push('.');
                }
                return Some((text, end));
            }
            0 => {
                let label = b.get(at + 1..at + 1 + usize::from(length))?;
                if !text.is_empty() {
                    text.push('.');
                }
                text.extend(label.iter().map(|c| match c {
                    b'!'..=b'~' => char::from(*c),
                    _ => '?',
                }));
                if text.len() > NAME_MAX {
                    return None;
                }
                at += 1 + usize::from(length);
            }
            3 => {
                end.get_or_insert(at + 2);
                at = usize::from(two(b, at)? & 0x3fff);
            }
            _ => return None,
        }
    }
    None
}

/// A message, as far as it is needed.
#[derive(Debug)]
pub(crate) struct Message {
    id: u16,
    is_answer: bool,
    is_cut: bool,
    rcode: u8,
    name: String,
    record: u16,
    addresses: Vec<u128>,
}

/// Reads a message with one question; none where it is not one.
pub(crate) fn read(b: &[u8]) -> Option<Message> {
    let flags = two(b, 2)?;
    let questions = two(b, 4)?;
    // Only standard queries: an opcode of 0, and a bit that is always 0 (RFC 1035 §4.1.1, RFC 4035 §3.1.6).
    if flags & 0x7840 != 0 || questions != 1 {
        return None;
    }
    let (question, mut at) = name(b, 12)?;
    let mut message = Message {
        id: two(b, 0)?,
        is_answer: flags & 0x8000 != 0,
        is_cut: flags & 0x0200 != 0,
        rcode: (flags & 15) as u8,
        name: question,
        record: two(b, at)?,
        addresses: Vec::new(),
    };
    at += 4;
    let answers = usize::from(two(b, 6)?).min(ANSWERS_MAX);
    for _ in 0..answers {
        let Some(next) = answer(b, at, &mut message.addresses) else {
            break;
        };
        at = next;
    }
    Some(message)
}

/// Reads the record at a place, which may be an address; where the next one is.
fn answer(b: &[u8], at: usize, addresses: &mut Vec<u128>) -> Option<usize> {
    let (_, at) = name(b, at)?;
    let (kind, length) = (two(b, at)?, usize::from(two(b, at + 8)?));
    let data = b.get(at + 10..at + 10 + length)?;
    match (kind, data.len()) {
        (1, 4) => {
            let four = u32::from_be_bytes(data.try_into().ok()?);
            addresses.push(0xffff_0000_0000 | u128::from(four));
        }
        (28, 16) => addresses.push(u128::from_be_bytes(data.try_into().ok()?)),
        _ => {}
    }
    Some(at + 10 + length)
}

/// A query that waits for its answer.
#[derive(Clone, Debug)]
struct Waiting {
    name: String,
    record: u16,
    at: i64,
    /// Other ports of the client that it was sent again from.
    elsewhere: Vec<u16>,
}

/// What a query is known by: its number, and the client's port.
type Key = (u16, u16);

/// Queries of one client to one server.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dns {
    waiting: BTreeMap<Key, Waiting>,
    /// The same by when they were sent.
    oldest: BTreeSet<(i64, Key)>,
    queries: u64,
    repeated: u64,
    answered: u64,
    given_up: u64,
    /// Queries that were not followed, because too many waited.
    pub(crate) left_out: u64,
    rcodes: BTreeMap<u8, u64>,
    truncated: u64,
    times: Samples,
    slowest: Vec<DnsQuery>,
    unanswered: Vec<DnsQuery>,
}

impl Dns {
    /// Takes in a message of the client's port `port`; `began` is the flow's first packet, `room` what may wait in all
    /// flows together.
    pub(crate) fn take(&mut self, m: &Message, port: u16, at: i64, began: i64, room: &mut usize) {
        let key = (m.id, port);
        if !m.is_answer {
            self.query(m, key, at, began, room);
            return;
        }
        let asked = self.asked(m, key);
        let Some((key, waiting)) = asked.and_then(|key| self.waiting.remove_entry(&key)) else {
            return;
        };
        self.oldest.remove(&(waiting.at, key));
        *room += 1;
        let took = (at - waiting.at).max(0);
        self.answered += 1;
        self.times.add(took);
        *self.rcodes.entry(m.rcode).or_default() += 1;
        self.truncated += u64::from(m.is_cut);
        let took = took as u64;
        let place = self.slowest.partition_point(|q| q.answer_ns >= Some(took));
        if place < LISTED {
            let query = described(waiting, began, Some((took, m.rcode)));
            self.slowest.insert(place, query);
            self.slowest.truncate(LISTED);
        }
    }

    fn query(&mut self, m: &Message, key: Key, at: i64, began: i64, room: &mut usize) {
        if let Some(waiting) = self.waiting.get(&key)
            && waiting.name == m.name
            && waiting.record == m.record
        {
            self.repeated += 1;
            return;
        }
        if let Some(first) = self.first(m, key, at)
            && let Some(waiting) = self.waiting.get_mut(&first)
        {
            self.repeated += 1;
            if !waiting.elsewhere.contains(&key.1) {
                waiting.elsewhere.push(key.1);
            }
            return;
        }
        if self.waiting.len() >= WAITING_MAX || *room == 0 {
            self.give_up(Some(at - PATIENCE_NS), began, room);
        }
        if self.waiting.len() >= WAITING_MAX || *room == 0 {
            self.left_out += 1;
            return;
        }
        self.queries += 1;
        let waiting = Waiting {
            name: m.name.clone(),
            record: m.record,
            at,
            elsewhere: Vec::new(),
        };
        self.oldest.insert((at, key));
        match self.waiting.insert(key, waiting) {
            Some(other) => {
                // Of the same instant they are one entry.
                if other.at != at {
                    self.oldest.remove(&(other.at, key));
                }
                self.without_answer(other, began);
            }
            None => *room -= 1,
        }
    }

    /// The query that waits, not long yet, and that one from another port sends again: of the same number and question.
    fn first(&self, m: &Message, key: Key, at: i64) -> Option<Key> {
        if self.waiting.contains_key(&key) {
            return None;
        }
        let is_again = |w: &Waiting| {
            let is_known = w.elsewhere.contains(&key.1);
            at - w.at <= PATIENCE_NS && (is_known || w.elsewhere.len() < PORTS_MAX)
        };
        let mut alike = self.alike(m);
        alike.find(|&(_, w)| is_again(w)).map(|(first, _)| first)
    }

    /// The query that an answer to this port belongs to.
    fn asked(&self, m: &Message, key: Key) -> Option<Key> {
        if self.waiting.contains_key(&key) {
            return Some(key);
        }
        let mut alike = self.alike(m);
        let asked = alike.find(|&(_, w)| w.elsewhere.contains(&key.1));
        asked.map(|(first, _)| first)
    }

    /// Queries of this number and question that wait, from any port.
    fn alike(&self, m: &Message) -> impl Iterator<Item = (Key, &Waiting)> {
        let of_number = self.waiting.range((m.id, 0)..=(m.id, u16::MAX));
        let few = of_number.take(ALIKE_MAX).inspect(|_| work::count(1));
        few.map(|(key, w)| (*key, w))
            .filter(move |(_, w)| w.record == m.record && w.name == m.name)
    }

    /// Queries sent before an instant, or all, will not be answered.
    fn give_up(&mut self, before: Option<i64>, began: i64, room: &mut usize) {
        let is_over = |at: i64| before.is_none_or(|instant| at < instant);
        while let Some((_, key)) = self.oldest.first().copied().filter(|o| is_over(o.0)) {
            work::count(1);
            self.oldest.pop_first();
            if let Some(waiting) = self.waiting.remove(&key) {
                self.without_answer(waiting, began);
                *room += 1;
            }
        }
    }

    fn without_answer(&mut self, waiting: Waiting, began: i64) {
        self.given_up += 1;
        if self.unanswered.len() < LISTED {
            self.unanswered.push(described(waiting, began, None));
        }
    }

    /// Whether any query or answer was understood.
    pub(crate) fn is_any(&self) -> bool {
        self.queries + self.left_out > 0 || self.answered > 0
    }

    pub(crate) fn stated(&mut self, began: i64, room: &mut usize) -> DnsFound {
        self.give_up(None, began, room);
        self.unanswered.sort_by_key(|q| q.at_ns);
        let times = self.times.stated();
        let rcodes = self.rcodes.iter().map(|(code, n)| (rcode(*code), *n));
        DnsFound {
            queries: self.queries,
            repeated: self.repeated,
            answered: self.answered,
            unanswered: self.given_up,
            rcodes: rcodes.collect(),
            truncated: self.truncated,
            answer_min_ns: times.map(|t| t.min_ns),
            answer_avg_ns: times.map(|t| t.avg_ns),
            answer_max_ns: times.map(|t| t.max_ns),
            slowest: self
                .unanswered
                .iter()
                .chain(&self.slowest)
                .cloned()
                .collect(),
        }
    }
}

fn described(waiting: Waiting, began: i64, answer: Option<(u64, u8)>) -> DnsQuery {
    DnsQuery {
        name: waiting.name,
        record: record(waiting.record),
        at_ns: (waiting.at - began).max(0) as u64,
        answer_ns: answer.map(|a| a.0),
        rcode: answer.map(|a| rcode(a.1)),
    }
}

/// The name of an answer's code (RFC 6895 §2.3).
fn rcode(code: u8) -> String {
    let names = [
        "NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED", "YXDOMAIN", "YXRRSET",
        "NXRRSET", "NOTAUTH", "NOTZONE",
    ];
    let known = names.get(usize::from(code));
    known.map_or_else(|| format!("RCODE{code}"), |n| (*n).to_owned())
}

/// The name of a type of record (RFC 6895 §3.1).
fn record(code: u16) -> String {
    let name = match code {
        1 => "A",
        2 => "NS",
        5 => "CNAME",
        6 => "SOA",
        12 => "PTR",
        15 => "MX",
        16 => "TXT",
        28 => "AAAA",
        33 => "SRV",
        35 => "NAPTR",
        43 => "DS",
        48 => "DNSKEY",
        64 => "SVCB",
        65 => "HTTPS",
        255 => "ANY",
        other => return format!("TYPE{other}"),
    };
    name.to_owned()
}

/// Names of addresses, as answers gave them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names(BTreeMap<u128, Vec<(i64, String)>>);

impl Names {
    /// Takes in the addresses of an answer.
    pub(crate) fn take(&mut self, message: &Message, at: i64) {
        for address in message.addresses.iter().filter(|_| message.is_answer) {
            if self.0.len() >= NAMED_MAX && !self.0.contains_key(address) {
                continue;
            }
            let names = self.0.entry(*address).or_default();
            if names.last().is_some_and(|n| n.1 == message.name) {
                continue;
            }
            if names.len() >= NAMES_EACH {
                names.remove(0);
            }
            names.push((at, message.name.clone()));
        }
    }

    /// The name that was given last before an instant, or else the first one.
    pub(crate) fn of(&self, address: u128, at: i64) -> Option<&str> {
        let names = self.0.get(&address)?;
        let before = names.iter().rev().find(|n| n.0 <= at);
        before.or(names.first()).map(|n| n.1.as_str())
    }
}
