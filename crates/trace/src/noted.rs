//! Notes on a connection: what the evidence lacks, and what is odd about it.

use farpath_record::count_of;
use farpath_record::trace::{Opening, Reset, TraceConnection, TraceDirection};

use crate::connection::{Connection, Vantage};
use crate::found::DirectionFound;
use crate::lost_answers;
use crate::opening::deferred_note;
use crate::stream::Stream;

/// A reset in words.
fn reset_text(reset: &Reset) -> String {
    let answers = match reset.answers.as_str() {
        "closed_port" => ", which has no program at that port, or a filter before it",
        "syn_ack" => ", which did not want the SYN-ACK",
        "data_after_close" => ", which had closed and was sent more data",
        "after_close" => " after both ends had closed",
        _ => " in midstream",
    };
    let mut text = format!("reset by {}{answers}", reset.by);
    if reset.middlebox_suspected {
        let usual = reset.ttl_usual.map_or(0, |t| t[1]);
        text += &format!(
            ": its TTL is {}, that of the end's other packets {usual}: something between may have sent it",
            reset.ttl
        );
    }
    text
}

/// SYNs without an answer.
fn unanswered(opening: Option<&Opening>) -> String {
    match opening {
        Some(opening) if opening.syns > 1 => format!(
            "nobody answered {} SYNs in {:.1} s: they are filtered, or nothing has that address",
            opening.syns,
            opening.waited_ns as f64 / 1e9
        ),
        _ => "nobody answered the SYN".to_owned(),
    }
}

/// What became of an answer behind which SYNs were sent again.
enum Answered {
    /// Later than a round trip after it a SYN came that had left without it.
    Lost,
    /// It was captured where the SYNs come from.
    NotTaken,
    /// It may have been under way still.
    Unknown,
}

fn what_became_of_answer(connection: &Connection, opening: &Opening) -> Answered {
    let last = opening.waited_ns + opening.waited_after_answer_ns;
    let behind = last.saturating_sub(opening.syn_ack_ns.unwrap_or(last));
    match connection.round_trip() {
        _ if connection.vantage() == Vantage::At(0) => Answered::NotTaken,
        Some(round_trip) if round_trip > 0 && behind > round_trip as u64 => Answered::Lost,
        _ => Answered::Unknown,
    }
}

/// SYNs that were lost, and options that were not agreed.
fn opening_notes(connection: &Connection, opening: &Opening) -> Vec<String> {
    let mut notes = Vec::new();
    let sent_again = |syns: u64, when: &str, waited_ns: u64| {
        let syns = count_of(syns, "SYN was", "SYNs were");
        format!("{syns} sent again {when}: {} ms", waited_ns / 1_000_000)
    };
    let (after, waited) = (opening.syns_after_answer, opening.waited_after_answer_ns);
    let before = opening.syn_retransmissions.saturating_sub(after);
    if opening.answered && before > 0 {
        notes.push(sent_again(before, "before the answer", opening.waited_ns));
    }
    if after > 0 {
        let when = match what_became_of_answer(connection, opening) {
            Answered::Lost => "after the answer, which was lost",
            Answered::NotTaken => "after the answer, which was here and not taken",
            Answered::Unknown => "after the answer, which was lost or late",
        };
        notes.push(sent_again(after, when, waited));
    }
    notes.extend(deferred_note(opening, connection.round_trip()));
    if !opening.not_agreed.is_empty() {
        let options = opening.not_agreed.join(", ").replace('_', " ");
        notes.push(format!(
            "a offered {options}, and b's answer lacks it: b does not want it, or something between took it out"
        ));
    }
    notes
}

/// What the evidence lacks.
fn quality_notes(connection: &Connection, described: &TraceConnection) -> Vec<String> {
    let mut notes = Vec::new();
    let count = |name: &str| described.quality.get(name).copied().unwrap_or(0);
    if connection.streams.iter().all(|s| s.syn.is_none()) {
        notes.push("it began before the capture: the window's shift is inferred".to_owned());
    }
    if described.offload {
        notes.push("segments larger than the network's: the capturing host's offload; short times between packets mean nothing".to_owned());
    }
    let one_way = connection.streams.iter().any(|s| s.packets == 0);
    if count("bytes_missed_by_capture") > 0 && !one_way {
        let missed = count("bytes_missed_by_capture");
        notes.push(format!(
            "{} acknowledged and not captured: the capture lost packets",
            count_of(missed, "byte was", "bytes were")
        ));
    }
    if count("bytes_after_their_acks") > 0 {
        let late = count("bytes_after_their_acks");
        notes.push(format!(
            "{} after the acknowledgement: the clocks of two interfaces differ, or their packets are not in order",
            count_of(late, "byte came", "bytes came")
        ));
    }
    if count("doubled_packets") > 0 {
        let doubled = count("doubled_packets");
        notes.push(format!(
            "{} in the capture twice and counted once",
            count_of(doubled, "packet is", "packets are")
        ));
    }
    if count("wrong_checksums") > 0 {
        notes.push("wrong checksums of most packets of one end: they were captured before the interface computed them".to_owned());
    }
    if count("clock_steps") > 0 {
        let steps = count("clock_steps");
        notes.push(format!(
            "time goes backwards {}: the capture's clock was set, or interfaces are not in order",
            count_of(steps, "time", "times")
        ));
    }
    if one_way && !connection.is_half_open() {
        notes.push("one direction only is in the capture".to_owned());
    }
    notes
}

/// An acknowledgement that is later than this was delayed: Linux waits for 40 ms at least, and RFC 1122 §4.2.3.2 allows 500 ms.
const DELAYED_NS: u64 = 20_000_000;

/// That small segments waited for acknowledgements, and for how long.
fn held_note(sender: &str, d: &TraceDirection) -> Option<String> {
    let held = d.held_small?;
    let ms = |ns: u64| format!("{:.1} ms", ns as f64 / 1e6);
    let delayed = match held.ack_delay_avg_ns {
        delay if delay >= DELAYED_NS => format!(
            ", {} of it as the other end delayed its acknowledgement",
            ms(delay)
        ),
        _ => String::new(),
    };
    Some(format!(
        "{sender} held {} of {} back until the one before was acknowledged (Nagle's algorithm), {} each{delayed}: one write for both, or \
         TCP_NODELAY, spares that",
        held.segments,
        count_of(d.segments, "segment", "segments"),
        ms(held.waited_ns / held.segments.max(1)),
    ))
}

/// That a receiver's program reads slowly: its window is the room that is left in its buffer.
pub(crate) fn unread_notes(
    described: &TraceConnection,
    found: &[DirectionFound; 2],
) -> Vec<String> {
    let both = [
        (&described.b, &described.a2b, &found[0]),
        (&described.a, &described.b2a, &found[1]),
    ];
    let note = |(receiver, d, found): (&String, &TraceDirection, &DirectionFound)| {
        let back = found.observed.as_ref()?.taken_back()?;
        Some(format!(
            "{receiver} offered {} B of window at most, and for {:.0} % of the time no more than some {:.0} B, which were full: its program \
             does not read what has come",
            d.window_max_bytes,
            100.0 * back.share,
            back.bytes
        ))
    };
    both.into_iter().filter_map(note).collect()
}

/// That what a sender sent again was never acknowledged, until the capture's end.
pub(crate) fn in_vain_notes(
    described: &TraceConnection,
    found: &[DirectionFound; 2],
) -> Vec<String> {
    let both = [(&described.a, &found[0]), (&described.b, &found[1])];
    let note = |(sender, found): (&String, &DirectionFound)| {
        let silent = found.unanswered?;
        let why = match silent.heard {
            true => "the other end is heard of, and takes no more of it",
            false => "the path or a device on it drops the data, or the other end is gone",
        };
        Some(format!(
            "{sender} sent data again {} and nothing more of it was acknowledged in the last {:.1} s: {why}",
            count_of(silent.again as u64, "time", "times"),
            (silent.until_ns - silent.since_ns) as f64 / 1e9
        ))
    };
    both.into_iter().filter_map(note).collect()
}

/// What a reader must know of a connection.
pub(crate) fn notes(connection: &Connection, described: &mut TraceConnection) {
    let mut notes = quality_notes(connection, described);
    let both = [
        (&described.a, &described.a2b),
        (&described.b, &described.b2a),
    ];
    notes.extend(both.into_iter().filter_map(|(end, d)| held_note(end, d)));
    let streams = both.iter().zip(&connection.streams);
    notes.extend(streams.filter_map(|((end, _), stream)| size_note(end, stream)));
    if let Some(several) = connection.exchanges.outstanding() {
        notes.push(format!(
            "{several} requests were outstanding at a time: as many were sent before the first answer, and as many answers came after the last \
             request. Whose time each of them waited for is not known"
        ));
    }
    notes.extend(lost_answers::notes(connection, described));
    if connection.is_half_open() {
        notes.push(unanswered(described.opening.as_ref()));
    }
    if let Some(reset) = &described.reset {
        notes.push(reset_text(reset));
    }
    if let Some(opening) = described.opening.as_ref() {
        notes.extend(opening_notes(connection, opening));
    }
    if matches!(connection.vantage(), Vantage::Middle | Vantage::At(_)) {
        let by_far = [0, 1]
            .into_iter()
            .filter(|n| connection.streams[*n].unique > 0);
        let shifted = by_far
            .filter(|n| connection.vantage() != Vantage::At(*n))
            .count();
        if shifted > 0 {
            notes.push("flight and limits of data that was not captured at its sender count acknowledgements as late as the sender has them".to_owned());
        }
    }
    described.notes = notes;
}

/// Says that full segments are not as large as the handshake lets them be.
fn size_note(end: &str, stream: &Stream) -> Option<String> {
    let (mss, stated) = (stream.mss(), stream.sizes.stated_in_vain()?);
    Some(format!(
        "{end} sends full segments of {mss} B, where the handshake allows {stated} B: the path may carry less than the interfaces of the ends"
    ))
}
