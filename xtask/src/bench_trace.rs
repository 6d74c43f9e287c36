//! Captures read: bytes and packets a second beside tcptrace and tshark, and the memory that many packets and connections take.
//!
//! The captures are made here, always the same. Those that others read, too, are files in `target/bench`; those for memory are
//! made while they are read.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use farpath_trace::{Source, TraceDocument, analyse};

use crate::figure::{Figure, processor_ns};

/// Pairs of runs beside a peer.
const PAIRS: usize = 10;
/// Packets of the two files: full-size frames, and small ones.
const FULL: u64 = 330_000;
const SMALL: u64 = 3_000_000;
/// What tshark is given: a part, because it takes a hundred times as long.
const PART: u64 = 20;
/// For memory: packets of one capture, and connections of another with so many packets each.
const MANY: u64 = 100_000_000;
const CONNECTIONS: u64 = 100_000;
const EACH: u64 = 20;

/// A capture that is made as it is read: connections that take turns, two segments and an acknowledgement each.
struct Made {
    /// Packets that are still to come, and those that were.
    left: u64,
    done: u64,
    connections: u64,
    /// Payload of a segment, captured whole.
    payload: u32,
    ready: Vec<u8>,
    given: usize,
}

/// Ethernet, IPv4 and TCP without options.
const HEADERS: usize = 54;
/// Nanoseconds from one packet to the next.
const APART: u64 = 1000;

impl Made {
    fn new(packets: u64, connections: u64, payload: u32) -> Made {
        let mut head = Vec::new();
        // pcap 2.4 of nanoseconds, little-endian, of Ethernet.
        for word in [0xa1b2_3c4d_u32, 0x0004_0002, 0, 0, 65_535, 1] {
            head.extend(word.to_le_bytes());
        }
        Made {
            left: packets,
            done: 0,
            connections,
            payload,
            ready: head,
            given: 0,
        }
    }

    /// The next packet behind what is ready.
    fn packet(&mut self) {
        let n = self.done;
        let (connection, turn) = ((n / 3) % self.connections, n / 3 / self.connections);
        let is_ack = n % 3 == 2;
        let payload = if is_ack { 0 } else { self.payload };
        let length = HEADERS as u32 + payload;
        let at = n * APART;
        let seconds = 1_700_000_000 + at / 1_000_000_000;
        for word in [seconds as u32, (at % 1_000_000_000) as u32, length, length] {
            self.ready.extend(word.to_le_bytes());
        }
        let mut frame = [0_u8; HEADERS];
        frame[12..14].copy_from_slice(&[8, 0]);
        frame[14..16].copy_from_slice(&[0x45, 0]);
        frame[16..18].copy_from_slice(&((length - 14) as u16).to_be_bytes());
        frame[22..24].copy_from_slice(&[64, 6]);
        let ends = [0x0a00_0000 + connection as u32, 0x0b00_0001];
        let ports = [40_000_u16, 5001];
        let sent = (turn * 2) as u32;
        let acked = sent.wrapping_add(2).wrapping_mul(self.payload);
        let (own, other) = if is_ack { (1, 0) } else { (0, 1) };
        frame[26..30].copy_from_slice(&ends[own].to_be_bytes());
        frame[30..34].copy_from_slice(&ends[other].to_be_bytes());
        frame[34..36].copy_from_slice(&ports[own].to_be_bytes());
        frame[36..38].copy_from_slice(&ports[other].to_be_bytes());
        let seq = match n % 3 {
            2 => 1,
            second => sent
                .wrapping_add(second as u32)
                .wrapping_mul(self.payload)
                .wrapping_add(1),
        };
        let ack = if is_ack { acked.wrapping_add(1) } else { 1 };
        frame[38..42].copy_from_slice(&seq.to_be_bytes());
        frame[42..46].copy_from_slice(&ack.to_be_bytes());
        frame[46..50].copy_from_slice(&[0x50, 0x10, 0xff, 0xff]);
        self.ready.extend(frame);
        self.ready.resize(self.ready.len() + payload as usize, 0);
        self.done += 1;
        self.left -= 1;
    }
}

impl Read for Made {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if self.given == self.ready.len() {
            self.ready.clear();
            self.given = 0;
            while self.left > 0 && self.ready.len() < to.len() {
                self.packet();
            }
        }
        let count = to.len().min(self.ready.len() - self.given);
        to[..count].copy_from_slice(&self.ready[self.given..self.given + count]);
        self.given += count;
        Ok(count)
    }
}

/// A capture in `target/bench`, and its length in bytes.
fn file(name: &str, mut made: Made) -> Result<(PathBuf, u64), String> {
    let folder = Path::new("target/bench");
    let path = folder.join(name);
    let broken = |e: io::Error| format!("write {}: {e}", path.display());
    std::fs::create_dir_all(folder).map_err(broken)?;
    let mut out = std::fs::File::create(&path).map_err(broken)?;
    let length = io::copy(
        &mut io::BufReader::with_capacity(1 << 20, &mut made),
        &mut out,
    );
    length.map_err(broken).map(|length| (path.clone(), length))
}

fn ours(from: Box<dyn Read + '_>) -> Result<(TraceDocument, f64), String> {
    let begun = processor_ns();
    let source = Source {
        name: "made".to_owned(),
        bytes: from,
    };
    let found = analyse([source], &mut ()).map_err(|e| e.to_string())?;
    Ok((found.document, (processor_ns() - begun) as f64 * 1e-9))
}

fn opened(path: &Path) -> Result<Box<dyn Read>, String> {
    let file = std::fs::File::open(path).map_err(|e| format!("read {}: {e}", path.display()))?;
    Ok(Box::new(file))
}

/// Processor time of a program that reads a capture, seconds; none where it is not installed.
fn theirs(words: &[&str]) -> Option<f64> {
    let before = children_s()?;
    let mut command = Command::new(words[0]);
    command
        .args(&words[1..])
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let status = command.status().ok()?;
    status.success().then_some(children_s()? - before)
}

/// Processor time of the programs that have ended, seconds: fields 16 and 17 of proc(5)'s `stat`, in hundredths.
fn children_s() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    let after = text.rsplit_once(')')?.1;
    let mut fields = after.split_whitespace().skip(13);
    let (user, system): (u64, u64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    Some((user + system) as f64 / 100.0)
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let half = values.len() / 2;
    match values.len() {
        0 => 0.0,
        n if n % 2 == 1 => values[half],
        _ => (values[half - 1] + values[half]) / 2.0,
    }
}

/// A rate of ours beside a program's, run in turn: medians, the median ratio, and how far the ratios lie apart.
fn beside(
    (name, unit): (&str, &str),
    (path, amount): (&Path, f64),
    (peer, words, share): (&str, &[&str], f64),
) -> Result<Vec<Figure>, String> {
    let (mut own, mut others, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..PAIRS {
        let (_, seconds) = ours(opened(path)?)?;
        own.push(amount / seconds);
        let Some(other) = theirs(words) else { continue };
        let rate = amount * share / other.max(0.01);
        others.push(rate);
        ratios.push(amount / seconds / rate);
    }
    let value = median(&mut own);
    if ratios.is_empty() {
        return Ok(vec![Figure::of(name, value, unit)]);
    }
    let ratio = median(&mut ratios);
    let spread = format!(
        "{peer}, {} pairs, {:.2} to {:.2} times",
        ratios.len(),
        ratios[0],
        ratios[ratios.len() - 1]
    );
    let theirs = format!("{peer}.{}", name.trim_start_matches("trace."));
    Ok(vec![
        Figure::of(name, value, unit).against(spread, ratio),
        Figure::of(&theirs, median(&mut others), unit),
    ])
}

/// The most memory that the process has held since it was last asked, bytes.
fn most_memory(work: impl FnOnce() -> Result<(), String>) -> Result<f64, String> {
    // proc(5): 5 resets the peak.
    let reset = std::fs::write("/proc/self/clear_refs", "5");
    reset.map_err(|e| format!("write /proc/self/clear_refs: {e}"))?;
    work()?;
    let text = std::fs::read_to_string("/proc/self/status").map_err(|e| e.to_string())?;
    let line = text.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|l| l.split_whitespace().next()?.parse::<f64>().ok());
    kilobytes
        .map(|kb| kb * 1024.0)
        .ok_or_else(|| "no VmHWM".to_owned())
}

/// Memory and speed of a capture that is made while it is read; `wanted` is how many connections it has.
fn in_passing(name: &str, packets: u64, connections: u64) -> Result<Vec<Figure>, String> {
    let mut rate = 0.0;
    let memory = most_memory(|| {
        let (document, seconds) = ours(Box::new(Made::new(packets, connections, 10)))?;
        let seen = document.files[0].packets;
        let listed = document.connections.len() as u64;
        if (seen, listed) != (packets, connections) {
            return Err(format!("{name}: {seen} packets, {listed} connections"));
        }
        rate = packets as f64 / seconds;
        Ok(())
    })?;
    Ok(vec![
        Figure::of(&format!("{name}.memory"), memory, "B"),
        Figure::of(&format!("{name}.packets_per_s_made_as_read"), rate, "1/s"),
    ])
}

/// All figures of captures.
pub(crate) fn figures() -> Result<Vec<Figure>, String> {
    let (full, bytes) = file("full.pcap", Made::new(FULL, 1, 1446))?;
    let (small, _) = file("small.pcap", Made::new(SMALL, 1, 10))?;
    let (full_part, _) = file("full-part.pcap", Made::new(FULL / PART, 1, 1446))?;
    let (small_part, _) = file("small-part.pcap", Made::new(SMALL / PART, 1, 10))?;
    let text = |path: &PathBuf| path.display().to_string();
    let names = [
        text(&full),
        text(&small),
        text(&full_part),
        text(&small_part),
    ];
    let tcptrace = |file| ["tcptrace", "-l", "-r", "-W", file];
    let tshark = |file| ["tshark", "-q", "-z", "conv,tcp", "-r", file];
    let part = 1.0 / PART as f64;
    let (by_bytes, by_packets) = (
        (full.as_path(), bytes as f64),
        (small.as_path(), SMALL as f64),
    );
    let mut all = Vec::new();
    let bytes_name = ("trace.full_frames_bytes_per_s", "B/s");
    let packets_name = ("trace.small_packets_per_s", "1/s");
    all.extend(beside(
        bytes_name,
        by_bytes,
        ("tcptrace", &tcptrace(&names[0]), 1.0),
    )?);
    all.extend(beside(
        packets_name,
        by_packets,
        ("tcptrace", &tcptrace(&names[1]), 1.0),
    )?);
    all.extend(beside(
        bytes_name,
        by_bytes,
        ("tshark", &tshark(&names[2]), part),
    )?);
    all.extend(beside(
        packets_name,
        by_packets,
        ("tshark", &tshark(&names[3]), part),
    )?);
    for path in [full, small, full_part, small_part] {
        std::fs::remove_file(&path).map_err(|e| format!("remove {}: {e}", path.display()))?;
    }
    all.extend(in_passing(
        "trace.hundred_thousand_connections",
        CONNECTIONS * EACH * 3,
        CONNECTIONS,
    )?);
    all.extend(in_passing("trace.hundred_million_packets", MANY, 1)?);
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn made_captures_are_clean_connections() {
        let (document, _) = ours(Box::new(Made::new(600, 2, 100))).expect("a capture");
        assert_eq!(document.connections.len(), 2);
        for c in &document.connections {
            assert_eq!((c.a2b.unique_bytes, c.a2b.segments), (20_000, 200));
            assert_eq!(c.a2b.retransmitted_segments + c.a2b.reordered_segments, 0);
            assert_eq!(c.quality.get("bytes_missed_by_capture"), None);
        }
    }
}
