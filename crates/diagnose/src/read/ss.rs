//! `ss -tinm`: the kernel's own account of a connection (`TCP_INFO`).

use super::{Facts, FullQueue, Line, NOTES_MAX, Tool};
use crate::address;
use crate::fact::{Figure, Of, Place};
use crate::seen::End;
use crate::windows::shut_window::{UNANSWERED, unanswered};
use crate::words::{decimal, keyed, rate};

/// How long a command waited, seconds.
pub(crate) const SLEPT: &str = "slept_s";

/// A socket of datagrams that is full, or has dropped some.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FullSocket {
    /// The host at whose prompt it was printed; empty where none names it.
    pub(crate) host: String,
    /// Its own address and port, as `ss` prints them.
    pub(crate) local: String,
    /// What its program has not read, and what its buffer takes, bytes; without the latter where no text says it.
    pub(crate) waiting: f64,
    pub(crate) buffer: Option<f64>,
    /// Datagrams that it dropped since it was opened; 0 where no text says it.
    pub(crate) dropped: f64,
    /// Where it was read.
    pub(crate) at: Place,
}

/// The state of reading.
#[derive(Default)]
pub(super) struct Ss {
    socket: Option<Of>,
    /// What was printed of the socket and not read yet: mail wraps the line.
    held: String,
    at: Option<Place>,
    /// A socket of datagrams that was printed last, and may have its memory below it.
    alone: Option<FullSocket>,
    /// The connection whose details were printed without its addresses.
    nameless: Option<Of>,
    /// What was named last listens: what follows is not of a connection.
    listens: bool,
}

/// Most bytes of one socket.
const HELD_MAX: usize = 8192;

/// What `ss` calls the states of connections.
const STATES: [&str; 11] = [
    "ESTAB",
    "SYN-SENT",
    "SYN-RECV",
    "FIN-WAIT-1",
    "FIN-WAIT-2",
    "TIME-WAIT",
    "CLOSE-WAIT",
    "LAST-ACK",
    "CLOSING",
    "LISTEN",
    "UNCONN",
];

/// What `ss` calls kinds of sockets before their states, where it shows more than one kind.
const KINDS: [&str; 7] = ["tcp", "tcp4", "tcp6", "mptcp", "udp", "udp4", "udp6"];

/// Kinds of which nothing is read.
const OTHER_KINDS: [&str; 12] = [
    "nl", "p_dgr", "p_raw", "raw", "icmp6", "sctp", "dccp", "u_dgr", "u_seq", "u_str", "v_dgr",
    "v_str",
];

/// Most sockets that are read.
const SOCKETS_MAX: usize = 50_000;

impl Tool for Ss {
    fn name(&self) -> &'static str {
        "ss"
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        if going && self.goes_on(text) {
            self.at = self.at.or(Some(line.at));
            self.held.push(' ');
            self.held.push_str(text);
            return true;
        }
        self.flush(facts);
        if let Some(socket) = self.alone.take() {
            let own = going && text.starts_with("skmem:(");
            of_datagrams(socket, if own { text } else { "" }, facts);
            if own {
                return true;
            }
        }
        let begins = ["State ", "Netid ", "Recv-Q"];
        if begins.iter().any(|begin| text.starts_with(begin))
            && text.contains("Recv-Q")
            && text.contains("Peer Address")
        {
            return true;
        }
        if let Some((ends, queues)) = head(text) {
            // Without a peer it is not a connection, and one of datagrams has no window.
            if ends[1].port.is_none() || text.starts_with("udp") {
                self.stands_alone(text, queues, line.at, facts);
                return true;
            }
            self.listens = false;
            if facts.sockets.len() < SOCKETS_MAX {
                if facts.mixed_hosts.is_none() {
                    facts.printed_at(&ends[0].host);
                }
                let of = Of::Socket(facts.socket(ends));
                facts.exact(of, "receive_queue_bytes", queues[0], line.at);
                facts.exact(of, "send_queue_bytes", queues[1], line.at);
                if let Some(probes) = unanswered(text) {
                    facts.exact(of, UNANSWERED, probes, line.at);
                }
                self.socket = Some(of);
                // Newer versions can print all of it in one line.
                details(of, text, line.at, facts);
            }
            return true;
        }
        if going && is_other(text) {
            self.socket = None;
            self.listens = true;
            return true;
        }
        let named = self.socket.is_some() && !self.is_nameless();
        let details = text.contains("rto:") && text.contains("cwnd:");
        if named && details || self.begins_nameless(text, going, facts) {
            self.at = Some(line.at);
            self.held.push_str(text);
            return true;
        }
        if self.socket.is_some()
            && let Some(seconds) = slept(text)
        {
            facts.exact(Of::Path, SLEPT, seconds, line.at);
        }
        false
    }

    fn finish(&mut self, facts: &mut Facts) {
        self.flush(facts);
        if let Some(socket) = self.alone.take() {
            of_datagrams(socket, "", facts);
        }
    }
}

impl Ss {
    /// A socket that is not a connection: it listens, or is one of datagrams, whose memory may stand behind it or below.
    fn stands_alone(&mut self, text: &str, queues: [f64; 2], at: Place, facts: &mut Facts) {
        self.socket = None;
        self.listens = true;
        listens(text, queues, at, facts);
        let own = own_end(text, "UNCONN");
        let own = own.or_else(|| own_end(text, "ESTAB").filter(|_| text.starts_with("udp")));
        let Some(own) = own else { return };
        let socket = FullSocket {
            host: facts.prompt().1,
            local: crate::redact(own),
            waiting: queues[0],
            buffer: None,
            dropped: 0.0,
            at,
        };
        match text.contains("skmem:(") {
            true => of_datagrams(socket, text, facts),
            false => self.alone = Some(socket),
        }
    }

    /// Whether the details that are read are of a connection without addresses.
    fn is_nameless(&self) -> bool {
        self.nameless.is_some() && self.nameless == self.socket
    }

    /// Takes details above which the line with the addresses is missing (`ss -tin dst HOST | tail -1`) as those of a connection that
    /// nobody named. The first alone: of more nothing says whether they are of one connection.
    fn begins_nameless(&mut self, text: &str, going: bool, facts: &mut Facts) -> bool {
        let free = self.nameless.is_none() && self.socket.is_none() && !(going && self.listens);
        let is_new = free && is_details(text) && facts.sockets.len() < SOCKETS_MAX;
        if is_new {
            let of = Of::Socket(facts.socket([End::default(), End::default()]));
            (self.socket, self.nameless) = (Some(of), Some(of));
        }
        is_new
    }

    /// Whether a line is of the socket's details.
    fn goes_on(&self, text: &str) -> bool {
        let begins =
            text.starts_with("skmem:(") || text.starts_with("ts ") || text.contains("rto:");
        let is_words = || {
            let known = [
                "cwnd:",
                "bytes_",
                "segs_",
                "rtt:",
                "backoff:",
                "busy:",
                "rcv_",
                "pacing_rate",
                "delivery_rate",
                "limited:",
                "minrtt:",
                "unacked:",
                "ssthresh:",
                "mss:",
                "snd_wnd:",
                "send ",
                "lastsnd:",
                "wscale:",
                "app_limited",
                "retrans:",
                "notsent:",
                "delivered:",
                "delivered_ce:",
            ];
            known.iter().any(|k| text.contains(k))
        };
        let another = self.is_nameless() && text.contains("rto:");
        self.socket.is_some()
            && !another
            && self.held.len() + text.len() < HELD_MAX
            && head(text).is_none()
            && (begins || !self.held.is_empty() && is_words())
    }

    /// Reads what is held.
    fn flush(&mut self, facts: &mut Facts) {
        let held = core::mem::take(&mut self.held);
        if let (Some(of), Some(at)) = (self.socket, self.at.take()) {
            details(of, &held, at, facts);
        }
    }
}

/// Whether a line has what each connection's details have: a timer, a round trip, a segment's size and a window.
fn is_details(text: &str) -> bool {
    let keys = ["rto:", "rtt:", "mss:", "cwnd:"];
    keys.iter().all(|key| keyed(text, key).is_some())
}

/// `ESTAB 0 3867000 192.0.2.1:32774 192.0.2.2:5201`: both ends, and bytes that the program has not read and that are not
/// acknowledged yet.
fn head(text: &str) -> Option<([End; 2], [f64; 2])> {
    let mut words = text.split_whitespace().peekable();
    // Where one state was asked for, its column is left out.
    if words.peek().is_some_and(|w| decimal(w).is_some()) {
        let queues = [decimal(words.next()?)?, decimal(words.next()?)?];
        let ends = [end(words.next()?)?, end(words.next()?)?];
        return ends
            .iter()
            .all(|e| e.port.is_some() && !e.host.is_empty())
            .then_some((ends, queues));
    }
    let mut state = words.next()?;
    if KINDS.contains(&state) {
        state = words.next()?;
    }
    if !STATES.contains(&state) {
        return None;
    }
    let queues = [decimal(words.next()?)?, decimal(words.next()?)?];
    let ends = [end(words.next()?)?, end(words.next()?)?];
    Some((ends, queues))
}

/// Whether a row is of a socket of another kind: `u_str ESTAB 0 0 * 23412 * 23413`.
fn is_other(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let kind = words.next().is_some_and(|kind| OTHER_KINDS.contains(&kind));
    kind && words.next().is_some_and(|state| STATES.contains(&state))
}

/// The own end of a socket in this state: behind the state stand two queues.
fn own_end<'t>(text: &'t str, state: &str) -> Option<&'t str> {
    let mut words = text.split_whitespace().skip_while(|word| *word != state);
    words.nth(3)
}

/// A socket of datagrams and its memory, of which `d` is what it dropped: `skmem:(r213248,rb212992,t0,tb212992,f3392,w0,o0,bl0,d2011)`.
/// Without `-m` nothing says what its buffer takes.
fn of_datagrams(mut socket: FullSocket, text: &str, facts: &mut Facts) {
    if let Some((buffer, dropped)) = memory(text, "rb").zip(memory(text, "d")) {
        (socket.buffer, socket.dropped) = (Some(buffer), dropped);
    } else if socket.is_full() && facts.notes.len() < NOTES_MAX {
        let note = format!(
            "{}: {:.0} bytes wait in the socket of datagrams {}, as many as its buffer takes where nobody set another. Whether it drops datagrams d of skmem says: ss -uanmp, twice, while they come",
            facts.place(socket.at),
            socket.waiting,
            socket.local
        );
        facts.notes.push(note);
    }
    facts.socket_of_datagrams(socket);
}

/// Says that a program does not accept its connections as fast as they come. Of a socket that listens `Recv-Q` is how many wait, `Send-Q`
/// its backlog (net/ipv4/tcp_diag.c). The queue is full when more than these wait (`sk_acceptq_is_full`).
fn listens(text: &str, [waiting, backlog]: [f64; 2], at: Place, facts: &mut Facts) {
    let full = waiting > backlog && facts.notes.len() < NOTES_MAX;
    let Some(local) = own_end(text, "LISTEN").filter(|_| full) else {
        return;
    };
    let host = facts.prompt().1;
    facts.refused.full_queue.get_or_insert(FullQueue {
        host,
        local: crate::redact(local),
        waiting: waiting as u64,
        backlog: backlog as u64,
        at,
    });
    let note = format!(
        "{}: the accept queue of {} is full: {waiting:.0} connections wait, with a backlog of {backlog:.0}. More are not let in, and their clients send SYNs again after 1 s, 3 s and 7 s: let the program accept faster, or raise its backlog and net.core.somaxconn",
        facts.place(at),
        crate::redact(local)
    );
    facts.notes.push(note);
}

fn end(text: &str) -> Option<End> {
    let (host, port) = text.rsplit_once(':')?;
    let host = host.trim_matches(['[', ']']);
    let host = host.strip_prefix("::ffff:").unwrap_or(host);
    let port = port.parse().ok();
    (port.is_some() || text.ends_with(":*")).then(|| End {
        host: address(host),
        port,
    })
}

/// Every figure of the second line that is understood.
fn details(of: Of, text: &str, at: Place, facts: &mut Facts) {
    if !text.contains("cwnd:") {
        return;
    }
    let n = |key: &str| keyed(text, key).and_then(decimal);
    let mut put = |name, value: Option<f64>| {
        if let Some(value) = value {
            facts.exact(of, name, value, at);
        }
    };
    let ms = |text: &str| decimal(text).map(|v| v * 1e6);
    let mss = n("mss:");
    put("mss_bytes", mss);
    put("mss_received_bytes", n("rcvmss:"));
    // What an end offers goes by its interface: a path MTU below even that was found on the way.
    let found = n("pmtu:").filter(|pmtu| n("advmss:").is_some_and(|own| *pmtu < own));
    put("mtu_discovered_bytes", found);
    let loaded = keyed(text, "rtt:").and_then(|r| ms(r.split('/').next()?));
    put("rtt_loaded_ns", loaded);
    put("rtt_min_ns", keyed(text, "minrtt:").and_then(ms));
    put("bytes_acked", n("bytes_acked:"));
    put("bytes_sent", n("bytes_sent:").or(n("bytes_acked:")));
    put("bytes_received", n("bytes_received:"));
    put("bytes_retransmitted", Some(sent_again(text, mss)));
    put("cwnd_bytes", n("cwnd:").zip(mss).map(|(c, m)| c * m));
    put("flight_bytes", n("unacked:").zip(mss).map(|(c, m)| c * m));
    put("unacked_segments", n("unacked:"));
    put("data_segments_sent", n("data_segs_out:"));
    put("data_segments_received", n("data_segs_in:"));
    put("lost_segments", n("lost:"));
    put("backoff", n("backoff:"));
    let threshold = n("ssthresh:").zip(mss);
    put("threshold_bytes", threshold.map(|(s, m)| s * m));
    put("silent_ns", n("lastack:").map(|ms| ms * 1e6));
    put("window_announced_bytes", n("snd_wnd:"));
    put(
        "delivery_bps",
        after_word(text, "delivery_rate ").and_then(rate),
    );
    put(
        "pacing_bps",
        after_word(text, "pacing_rate ").and_then(rate),
    );
    put("unsent_bytes", n("notsent:"));
    put("send_memory_bytes", memory(text, "tb"));
    put("receive_memory_bytes", memory(text, "rb"));
    put("reordered", n("reord_seen:"));
    put("reordering_segments", n("reordering:"));
    put("retransmits_dsack", n("dsack_dups:"));
    let again = keyed(text, "retrans:").and_then(|r| decimal(r.rsplit('/').next()?));
    put("retransmits_counted", again);
    put("receive_space_bytes", n("rcv_space:"));
    put("out_of_order", n("rcv_ooopack:"));
    clocks(of, text, at, facts);
    marks(of, text, at, facts);
    let paced = after_word(text, "pacing_rate ").and_then(|r| r.split_once('/'));
    if let Some(paced) = paced.and_then(|(_, most)| rate(most)) {
        facts.exact(of, "pacing_limit_bps", paced, at);
    }
    let rest = text
        .split_once("skmem:(")
        .map_or(text, |(_, r)| r.split_once(')').map_or("", |(_, r)| r));
    if let Some(cc) = rest.split_whitespace().find_map(crate::known::control) {
        facts.word(of, "cc", cc, at);
        options(of, rest, at, facts);
    }
    scaling(of, text, at, facts);
    limited(of, text, at, facts);
}

/// Whether the kernel says that the program sends too little.
fn limited(of: Of, text: &str, at: Place, facts: &mut Facts) {
    if text.split_whitespace().any(|w| w == "app_limited") {
        facts.word(of, "app_limited", "app_limited", at);
    }
}

/// Segments that arrived, and those of them that a queue had marked (ECN). A kernel prints the latter only where there are some.
fn marks(of: Of, text: &str, at: Place, facts: &mut Facts) {
    let n = |key: &str| keyed(text, key).and_then(decimal);
    if let Some((all, marked)) = n("delivered:").zip(n("delivered_ce:")) {
        facts.exact(of, "delivered_segments", all, at);
        facts.exact(of, "delivered_marked", marked, at);
    }
}

/// Bytes that were sent again. A kernel prints neither key where there are none.
fn sent_again(text: &str, mss: Option<f64>) -> f64 {
    let bytes = keyed(text, "bytes_retrans:").and_then(decimal);
    let counted = keyed(text, "retrans:").and_then(|r| decimal(r.rsplit('/').next()?));
    let by_count = counted.zip(mss).map(|(count, mss)| count * mss);
    bytes.or(by_count).unwrap_or(0.0)
}

/// A number of `skmem:(r0,rb131072,t0,tb4194304,…)`: `rb` and `tb` are what its buffers may take.
fn memory(text: &str, key: &str) -> Option<f64> {
    let all = crate::words::between(text, "skmem:(", ")")?;
    decimal(all.split(',').find_map(|part| part.strip_prefix(key))?)
}

/// What `ss -o` prints of a connection's options, before its congestion control: `ts sack cubic wscale:7,7`. Without `-o` none of it.
const OPTIONS: [&str; 5] = ["ts", "sack", "ecn", "ecnseen", "fastopen"];

/// Options that a connection goes without, where others of them were printed.
fn options(of: Of, text: &str, at: Place, facts: &mut Facts) {
    let has = |option: &str| text.split_whitespace().any(|w| w == option);
    // Before its SYN is answered it has none.
    let open = keyed(text, "rto:").is_some() && keyed(text, "bytes_acked:").is_some();
    for (word, name) in [("sack", "without_sack"), ("ts", "without_stamps")] {
        if open && OPTIONS.into_iter().any(has) && !has(word) {
            facts.word(of, name, word, at);
        }
    }
}

/// Whether both ends scale their windows: the option came through, or it did not.
fn scaling(of: Of, text: &str, at: Place, facts: &mut Facts) {
    match keyed(text, "wscale:") {
        None if text.contains("rto:") => facts.word(of, "unscaled", "unscaled", at),
        // Each end's own shift.
        Some(shifts)
            if shifts
                .split(',')
                .all(|n| decimal(n).is_some_and(|n| n > 0.0)) =>
        {
            facts.word(of, "scaled", "scaled", at);
        }
        // What the peer's SYN had when it arrived, though the own end scales.
        Some("0") if after_word(text, "wscale:").is_some_and(|both| !both.ends_with(",0")) => {
            facts.word(of, "peer_shifts_none", "0", at);
        }
        _ => {}
    }
}

/// How long a command waits that was typed, seconds: `$ sleep 10; ss -tin`.
fn slept(text: &str) -> Option<f64> {
    if !text.contains("sleep ") {
        return None;
    }
    let words: Vec<&str> = text.split_whitespace().take(60).collect();
    let is = |w: &&str| w.trim_start_matches(|c: char| !c.is_ascii_alphabetic()) == "sleep";
    let at = words.iter().position(is)?;
    let time = words.get(at + 1)?.trim_end_matches([';', '&']);
    let digits = time.strip_suffix('s').unwrap_or(time);
    decimal(digits).filter(|s| *s > 0.0)
}

/// Times the sender spent: busy, and of that waiting for a window or a buffer.
fn clocks(of: Of, text: &str, at: Place, facts: &mut Facts) {
    let ms = |key: &str| {
        let value = keyed(text, key)?;
        decimal(value.split("ms").next()?)
    };
    for (key, name) in [("rto:", "timeout_ns"), ("lastsnd:", "pause_ns")] {
        if let Some(value) = ms(key) {
            facts.exact(of, name, value * 1e6, at);
        }
    }
    let Some(busy) = ms("busy:").filter(|b| *b > 0.0) else {
        return;
    };
    facts.exact(of, "busy_ns", busy * 1e6, at);
    for (key, name) in [
        ("rwnd_limited:", "rwnd_limited_ratio"),
        ("sndbuf_limited:", "sndbuf_limited_ratio"),
    ] {
        // Zero is not printed.
        let share = (ms(key).unwrap_or(0.0) / busy).min(1.0);
        facts.number(of, name, Figure::exact(share, at));
    }
}

fn after_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    crate::words::after(text, word)
}

#[cfg(test)]
mod tests {
    use crate::fact::Of;
    use crate::read::{Facts, Source, read};

    fn of(text: &str) -> Facts {
        let source = Source {
            name: "a.txt".to_owned(),
            bytes: text.as_bytes().to_vec(),
        };
        read(&[source])
    }

    const DETAILS: &str = "\t cubic wscale:7,7 rto:256 rtt:52.3/0.4 mss:1448 pmtu:1500 cwnd:1400 bytes_sent:4123312233 bytes_acked:4122000112 delivery_rate 203Mbps busy:163000ms rwnd_limited:152000ms(93.3%) unacked:915 minrtt:52.0 snd_wnd:1326080\n";

    /// `tail -1` leaves the addresses out. The copy beside it is the only test that it may be of.
    #[test]
    fn details_without_addresses_are_of_a_connection_that_nobody_named() {
        let copy = "$ scp big.img dr:/data/\nbig.img                                       100%   10GB  24.1MB/s   07:05\n";
        let typed = "$ ss -tin dst dr | tail -1\n";
        let says = |facts: &Facts| {
            let window = facts.latest(Of::Socket(0), "window_announced_bytes");
            window.and_then(|f| f.number()).map(|f| f.value)
        };
        let facts = of(&format!("{copy}{typed}{DETAILS}"));
        assert_eq!(facts.ignored_count, [0]);
        assert_eq!((facts.sockets.len(), says(&facts)), (1, Some(1_326_080.0)));
        let flows = crate::flows::flow::flows(&facts);
        assert_eq!(flows.len(), 1);
        assert_eq!(flows[0].sockets, [0]);
        // Of a second line nothing says whether it is the same connection's.
        let later = DETAILS.replace("snd_wnd:1326080", "snd_wnd:65535");
        let facts = of(&format!("{typed}{DETAILS}{typed}{later}"));
        assert_eq!(facts.ignored_count, [1]);
        assert_eq!((facts.sockets.len(), says(&facts)), (1, Some(1_326_080.0)));
        // Nor is what stands below a socket that listens a connection's.
        let facts = of(&format!("LISTEN 0 128 0.0.0.0:80 0.0.0.0:*\n{DETAILS}"));
        assert!(facts.sockets.is_empty());
    }

    /// What listens is not a connection. More than its backlog wait where its queue is full.
    #[test]
    fn a_socket_that_listens_is_of_no_flow() {
        let of = |waiting: u32| {
            let text = format!(
                "State  Recv-Q Send-Q Local Address:Port Peer Address:Port\nLISTEN {waiting} 128 0.0.0.0:80 0.0.0.0:*\nLISTEN 0 128 [::]:22 [::]:*\n"
            );
            let facts = of(&text);
            assert!(facts.sockets.is_empty() && facts.facts.is_empty());
            assert_eq!(facts.ignored_count, [0]);
            facts.notes
        };
        let full = of(129);
        assert_eq!(full.len(), 1, "{full:?}");
        let says = "a.txt:2: the accept queue of 0.0.0.0:80 is full: 129 connections wait, with a backlog of 128";
        assert!(full[0].starts_with(says), "{full:?}");
        assert_eq!(of(128), Vec::<String>::new());
    }

    /// `ss -tuln` and `ss -an` say the kind of each socket first. One of datagrams is of no flow, with a peer or without.
    #[test]
    fn rows_with_a_kind_are_read_as_those_without() {
        let facts = of(
            "col$ ss -an\nNetid State  Recv-Q Send-Q Local Address:Port Peer Address:Port Process\nnl    UNCONN 0      0      rtnl:kernel        *\nudp   UNCONN 213000 0      0.0.0.0:514        0.0.0.0:*\nudp   UNCONN 9000   0      127.0.0.53%lo:53   0.0.0.0:*\nudp   ESTAB  0      0      192.0.2.7:68       192.0.2.1:67\ntcp   LISTEN 129    128    0.0.0.0:8080       0.0.0.0:*\ntcp   LISTEN 0      128    [::]:22            [::]:*\n",
        );
        assert_eq!(facts.ignored_count, [0], "{:?}", facts.ignored);
        assert!(facts.sockets.is_empty(), "{:?}", facts.sockets);
        let [socket] = &facts.datagram_sockets[..] else {
            panic!("{:?}", facts.datagram_sockets);
        };
        assert_eq!(
            (socket.host.as_str(), socket.local.as_str()),
            ("col", "0.0.0.0:514")
        );
        assert_eq!((socket.waiting, socket.buffer), (213_000.0, None));
        let full = facts.refused.full_queue.expect("a queue is full");
        assert_eq!((full.waiting, full.backlog), (129, 128));
        assert_eq!(facts.notes.len(), 2, "{:?}", facts.notes);
    }
}
