//! From captures to the document.

use std::collections::{BTreeMap, VecDeque};
use std::io::Read;

use farpath_record::count_of;
use farpath_record::trace::{IcmpError, TraceConnection, TraceDocument, TraceFile, TracePair};

use crate::capture::{Capture, Packet};
use crate::describe::describe;
use crate::error::TraceError;
use crate::filter::Filter;
use crate::flows::{FLOWS_MAX, Flows, PORT_DNS};
use crate::found::DirectionFound;
use crate::fragments::Fragments;
use crate::overlap::{FILES_AHEAD, Opened, Overlap};
use crate::pairs::{Collector, PAIRS_MAX, Paired};
use crate::peel::{PROTOCOL_TCP, Peeled, Rest, peel};
use crate::segment::Segment;
use crate::table::{CONNECTIONS_MAX, Table};
use crate::trail::{Follower, Trail, Wanted};

/// One capture to be read.
pub struct Source<'a> {
    /// Its name, for messages and the document.
    pub name: String,
    /// Its bytes, packed or not.
    pub bytes: Box<dyn Read + 'a>,
}

/// Whoever shows how far the reading is.
pub trait Watch {
    /// So many bytes of the file of this number were read, unpacked; false stops the reading.
    fn read(&mut self, file: usize, bytes: u64) -> bool;
}

impl Watch for () {
    fn read(&mut self, _file: usize, _bytes: u64) -> bool {
        true
    }
}

/// What captures say.
pub struct Analysis {
    /// The document.
    pub document: TraceDocument,
    /// What the document leaves out, by its connections: what `a` sent, and what `b` sent.
    pub found: Vec<[DirectionFound; 2]>,
    /// Connections that were captured at two points: [`compare`] says what became of their packets between them.
    pub paired: Vec<Paired>,
}

/// ICMP errors that are noted of one connection; the document lists all.
const ERRORS_NOTED: usize = 4;
/// Connections after whose description memory is given back.
const GIVEN_BACK: usize = 1024;
/// Packets read between two reports to the watch.
const LOOK: u32 = 1 << 16;

/// Reads captures one after the other, as if they were one: ring files in their order.
///
/// # Errors
/// When one cannot be read at all, or `watch` stops the reading. What is wrong further on in a file is a note of it.
pub fn analyse<'a>(
    sources: impl IntoIterator<Item = Source<'a>>,
    watch: &mut dyn Watch,
) -> Result<Analysis, TraceError> {
    analyse_some(sources, None, watch)
}

/// As [`analyse`], of the segments that a filter takes; all without one.
///
/// # Errors
/// Those of [`analyse`].
pub fn analyse_some<'a>(
    sources: impl IntoIterator<Item = Source<'a>>,
    filter: Option<Filter>,
    watch: &mut dyn Watch,
) -> Result<Analysis, TraceError> {
    let mut reader = Reader {
        table: Table::new(),
        flows: Flows::new(),
        fragments: Fragments::default(),
        filter,
    };
    let mut document = TraceDocument::new();
    each(
        sources,
        watch,
        |packet, file| reader.take(packet, file),
        |file| {
            document.files.push(file);
        },
    )?;
    note_order(&mut document.files);
    let (found, paired) = reader.describe(&mut document);
    Ok(Analysis {
        document,
        found,
        paired,
    })
}

/// Says of a file that it is older than one that was read before it; of one that has packets of others again that is said.
fn note_order(files: &mut [TraceFile]) {
    let mut newest: Option<(i64, String)> = None;
    for file in files.iter_mut().filter(|f| f.packets > 0) {
        if let Some((first, name)) = &newest
            && file.last_ns <= *first
            && file.notes.is_empty()
        {
            file.notes.push(format!(
                "it ends before {name} begins, which was read before it: name the files of a ring oldest first"
            ));
        }
        if newest.as_ref().is_none_or(|n| n.0 < file.first_ns) {
            newest = Some((file.first_ns, file.name.clone()));
        }
    }
}

/// Reads captures a second time, and compares the packets of connections that were captured at two points.
///
/// # Errors
/// Those of [`analyse`].
pub fn compare<'a>(
    sources: impl IntoIterator<Item = Source<'a>>,
    paired: &[Paired],
    watch: &mut dyn Watch,
) -> Result<Vec<TracePair>, TraceError> {
    let mut collector = Collector::new(paired);
    let mut fragments = Fragments::default();
    let mut names = Vec::new();
    segments(
        sources,
        &mut fragments,
        watch,
        |segment| collector.take(segment),
        |file| names.push(file.name),
    )?;
    Ok(collector.stated(&names))
}

/// Goes through the TCP segments of captures.
fn segments<'a>(
    sources: impl IntoIterator<Item = Source<'a>>,
    fragments: &mut Fragments,
    watch: &mut dyn Watch,
    mut each_one: impl FnMut(&Segment),
    ended: impl FnMut(TraceFile),
) -> Result<(), TraceError> {
    let take = |packet: &Packet<'_>, file: usize| {
        let mut segment = Segment {
            at: packet.at,
            place: place(packet, file),
            ..Segment::default()
        };
        match peel(packet, &mut segment).0 {
            Peeled::Tcp => each_one(&segment),
            Peeled::FirstFragment(of, bytes) => {
                fragments
                    .first(of, &segment, bytes)
                    .iter()
                    .for_each(&mut each_one);
            }
            Peeled::Fragment(of, end, last) => {
                let whole = fragments.later(of, end, last, segment.at);
                whole.iter().for_each(&mut each_one);
            }
            _ => {}
        }
    };
    each(sources, watch, take, ended)
}

/// Where a packet was captured, as one number.
#[inline]
fn place(packet: &Packet<'_>, file: usize) -> u32 {
    (file.min(0xffff) as u32) << 16 | u32::from(packet.interface)
}

/// Reads captures a second time for the trail of one direction of a connection.
///
/// # Errors
/// Those of [`analyse`], and where an end of `wanted` is not an address with a port.
pub fn trail<'a>(
    sources: impl IntoIterator<Item = Source<'a>>,
    wanted: &Wanted,
    watch: &mut dyn Watch,
) -> Result<Trail, TraceError> {
    let Some(mut follower) = Follower::new(wanted.clone()) else {
        return Err(TraceError::Ends(wanted.ends.join(" and ")));
    };
    let mut fragments = Fragments::default();
    segments(
        sources,
        &mut fragments,
        watch,
        |segment| follower.take(segment),
        drop,
    )?;
    Ok(follower.trail)
}

/// Goes through the packets of captures, and gives what is said of each file at its end.
fn each<'a>(
    sources: impl IntoIterator<Item = Source<'a>>,
    watch: &mut dyn Watch,
    mut take: impl FnMut(&Packet<'_>, usize),
    mut ended: impl FnMut(TraceFile),
) -> Result<(), TraceError> {
    let mut captures = sources
        .into_iter()
        .map(|source| Capture::new(&source.name, source.bytes).map(Opened::new));
    let (mut later, mut overlap) = (VecDeque::new(), Overlap::default());
    let mut number = 0;
    loop {
        while later.len() <= FILES_AHEAD
            && let Some(next) = captures.next().transpose()?
        {
            later.push_back(next);
        }
        let Some(mut opened) = later.pop_front() else {
            return Ok(());
        };
        overlap.begin(number, &later);
        opened.early(|packet| {
            if !overlap.had(packet) {
                take(packet, number);
            }
        });
        let mut capture = opened.capture;
        loop {
            let mut left = LOOK;
            while left > 0
                && let Some(packet) = capture.next()
            {
                if !overlap.had(&packet) {
                    take(&packet, number);
                }
                left -= 1;
            }
            if !watch.read(number, capture.offset()) {
                return Err(TraceError::Interrupted);
            }
            if left > 0 {
                break;
            }
        }
        overlap.end(&mut capture.file);
        ended(capture.file);
        number += 1;
    }
}

struct Reader {
    table: Table,
    flows: Flows,
    fragments: Fragments,
    filter: Option<Filter>,
}

impl Reader {
    #[inline]
    fn take(&mut self, packet: &Packet<'_>, file: usize) {
        let mut segment = Segment {
            at: packet.at,
            place: place(packet, file),
            ..Segment::default()
        };
        match peel(packet, &mut segment) {
            (Peeled::Tcp, inside) if self.is_wanted(&segment) => {
                if segment.from.port == PORT_DNS {
                    self.flows.dns_answers(&segment, inside);
                }
                self.table.take(&segment, inside);
            }
            (other, inside) => self.rare(other, &segment, inside),
        }
    }

    #[inline]
    fn is_wanted(&self, segment: &Segment) -> bool {
        self.filter
            .as_ref()
            .is_none_or(|filter| filter.matches(segment))
    }

    /// Takes in a segment that came in fragments, once it is whole.
    fn joined(&mut self, whole: Option<Segment>) {
        if let Some(whole) = whole.filter(|s| self.is_wanted(s)) {
            self.table.take(&whole, Rest::default());
        }
    }

    #[cold]
    fn rare(&mut self, peeled: Peeled, segment: &Segment, inside: Rest<'_>) {
        let name = match peeled {
            Peeled::Tcp => "filtered",
            Peeled::FirstFragment(of, bytes) => {
                let whole = self.fragments.first(of, segment, bytes);
                self.joined(whole);
                "fragments"
            }
            Peeled::Fragment(of, end, last) => {
                let whole = self.fragments.later(of, end, last, segment.at);
                self.joined(whole);
                "fragments"
            }
            Peeled::LaterFragment => "fragments",
            Peeled::Udp if !self.is_wanted(segment) => "filtered",
            Peeled::Udp if self.flows.udp(segment, inside) => "udp",
            Peeled::Udp => "malformed",
            Peeled::Icmp | Peeled::IcmpV6 => {
                let filter = self.filter.as_ref();
                let name = self.flows.icmp(segment, inside, filter);
                if let Some((ends, mtu)) = self.flows.errors.too_large.take() {
                    self.table.report(ends, mtu);
                }
                name.unwrap_or("icmp")
            }
            Peeled::Other => "other",
            Peeled::Short => "cut_off",
            Peeled::Malformed => "malformed",
        };
        self.table.other(name);
    }

    fn describe(
        &mut self,
        document: &mut TraceDocument,
    ) -> (Vec<[DirectionFound; 2]>, Vec<Paired>) {
        let (mut all, mut numbers) = (Vec::new(), Vec::new());
        let table = &mut self.table;
        let mut order: Vec<usize> = (0..table.connections.len()).collect();
        order.sort_by_key(|place| table.connections[*place].number);
        // What errors quote is found while the connections are still there.
        let mut ids = vec![0; order.len()];
        for (n, place) in order.iter().enumerate() {
            ids[*place] = n as u64 + 1;
        }
        document.icmp_errors = self
            .flows
            .errors
            .described(|protocol, ends| match protocol {
                PROTOCOL_TCP => (table.place(ends).map(|place| ids[place]), None),
                _ => (None, self.flows.number(protocol, ends)),
            });
        let end = document.files.iter().map(|f| f.last_ns).max();
        document.flows = self.flows.described(end.unwrap_or_default());
        let paired = table.paired(&ids);
        table.forget_places();
        let reported = reported(&document.icmp_errors);
        // From the end of the table, so that its memory can be given back meanwhile.
        while let Some(mut connection) = table.connections.pop() {
            let place = table.connections.len();
            if place.is_multiple_of(GIVEN_BACK) {
                table.connections.shrink_to_fit();
            }
            let ends = connection.ends;
            let mut judged = describe(&mut connection, ids[place]);
            if judged.described.name.is_none() {
                let (server, at) = (ends[1].address, judged.described.start_ns);
                judged.described.name = self.flows.names.of(server, at).map(str::to_owned);
            }
            let of = reported
                .get(&Some(ids[place]))
                .map_or(&[][..], Vec::as_slice);
            note_errors(&mut judged.described, of);
            document.connections.push(judged.described);
            all.push(judged.found);
            numbers.push(ids[place] as usize - 1);
        }
        in_order(&mut numbers, &mut document.connections, &mut all);
        self.not_listed(document);
        note_pairs(document, &paired);
        (all, paired)
    }

    /// Counts what belongs to no connection of the list, and says what found no room in it, and in those beside it.
    fn not_listed(&self, document: &mut TraceDocument) {
        let table = &self.table;
        for (name, count) in &table.others {
            document.others.insert((*name).to_owned(), *count);
        }
        let mut put = |name: &str, count: u64, [one, many]: [&str; 2], why: &str| {
            if count > 0 {
                document.others.insert(name.to_owned(), count);
                document.notes.push(count_of(count, one, many) + why);
            }
        };
        let list = format!(" counted and not listed: the list holds {CONNECTIONS_MAX} connections");
        put(
            "unanswered_syns_left_out",
            table.forgotten_syns,
            ["unanswered SYN is", "unanswered SYNs are"],
            &list,
        );
        put(
            "packets_left_out",
            table.untracked,
            [
                "packet of further connections is",
                "packets of further connections are",
            ],
            &list,
        );
        put(
            "flow_packets_left_out",
            self.flows.untracked,
            ["packet of further flows is", "packets of further flows are"],
            &format!(" counted and not listed: the list holds {FLOWS_MAX} flows"),
        );
        put(
            "icmp_errors_left_out",
            self.flows.errors.left_out,
            ["ICMP error is", "ICMP errors are"],
            " counted and not listed: the list is full",
        );
    }
}

/// Puts connections and what was found of them in the order of their numbers.
fn in_order<A, B>(numbers: &mut [usize], connections: &mut [A], found: &mut [B]) {
    for n in 0..numbers.len() {
        while numbers[n] != n {
            let to = numbers[n];
            numbers.swap(n, to);
            connections.swap(n, to);
            found.swap(n, to);
        }
    }
}

/// Says of connections that are in the list twice that they are.
fn note_pairs(document: &mut TraceDocument, paired: &[Paired]) {
    for pair in paired {
        let [near, far] = pair.ids();
        let (earlier, later) = (near.min(far), near.max(far));
        // They are in order of their numbers.
        let place = document.connections.binary_search_by_key(&later, |c| c.id);
        if let Ok(place) = place {
            let connection = &mut document.connections[place];
            connection.same_as = Some(earlier);
            connection.notes.push(format!(
                "it is connection {earlier}, captured at another point"
            ));
            if let Some(words) = believed(document, [earlier, later]) {
                document.connections[place].notes.push(words);
            }
        }
    }
    if !paired.is_empty() {
        document.notes.push(format!(
            "{} in the list twice, captured at two points: sums of the list count both",
            count_of(paired.len() as u64, "connection is", "connections are")
        ));
    }
    if paired.len() > PAIRS_MAX {
        document.notes.push(format!(
            "packets of {PAIRS_MAX} of them are compared, the first in the list"
        ));
    }
}

/// Of a connection that was captured at both of its ends, which of the two says more of each direction: what limited a sender is seen best
/// where it is.
fn believed(document: &TraceDocument, ids: [u64; 2]) -> Option<String> {
    let at = |vantage: &str| {
        let all = document.connections.iter();
        let mut these = all.filter(|c| ids.contains(&c.id) && c.vantage == vantage);
        these.next().map(|c| c.id)
    };
    let [a, b] = ["sender_of_a", "sender_of_b"].map(at);
    (a? != b?).then(|| {
        format!(
            "for limits believe the sender's side: connection {} of a to b, {} of b to a",
            a.unwrap_or_default(),
            b.unwrap_or_default()
        )
    })
}

/// The errors that are noted of each connection.
fn reported(errors: &[IcmpError]) -> BTreeMap<Option<u64>, Vec<IcmpError>> {
    let mut all: BTreeMap<Option<u64>, Vec<IcmpError>> = BTreeMap::new();
    for error in errors.iter().filter(|e| e.connection.is_some()) {
        let of = all.entry(error.connection).or_default();
        if of.len() < ERRORS_NOTED {
            of.push(error.clone());
        }
    }
    all
}

/// Notes what routers and hosts reported of a connection, the first kinds of it.
fn note_errors(connection: &mut TraceConnection, errors: &[IcmpError]) {
    for error in errors {
        let mtu = error
            .mtu
            .map_or_else(String::new, |mtu| format!(", MTU {mtu} B"));
        connection.notes.push(format!(
            "{} reports {}{mtu} of what {} sent, {}",
            error.from,
            error.kind.replace('_', " "),
            error.flow_from,
            count_of(error.count, "time", "times")
        ));
    }
}
