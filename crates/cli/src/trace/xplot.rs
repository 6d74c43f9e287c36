//! `--xplot`: time and sequence of both directions as text of xplot, in the manner of `tcptrace -S`.

use farpath_record::trace::TraceConnection;
use farpath_trace::{DirectionFound, Mark, Marks, Trail};

/// The text of one direction. `ends` are the sender and the receiver; numbers count from the first payload byte.
pub(super) fn text(
    connection: &TraceConnection,
    ends: [&str; 2],
    trail: &Trail,
    found: &DirectionFound,
    span_ns: [u64; 2],
) -> String {
    let mut plot = Plot {
        text: format!(
            "timeval unsigned\ntitle\n{}_==>_{} (time sequence graph)\nxlabel\ntime\nylabel\nsequence offset\n",
            ends[0], ends[1]
        ),
        start: connection.start_ns,
    };
    plot.steps("green", &trail.acks);
    plot.steps("yellow", &trail.edges);
    plot.colour("white");
    for mark in trail.data.all() {
        plot.segment(mark);
    }
    plot.colour("purple");
    for mark in trail.sacks.all() {
        plot.stroke(mark);
    }
    for s in &found.segments {
        let at = (s.at_ns - connection.start_ns).max(0) as u64;
        if (span_ns[0]..span_ns[1]).contains(&at) {
            plot.again(s.class, at, s.offset, s.length);
        }
    }
    plot.text + "go\n"
}

struct Plot {
    text: String,
    /// Time of the connection's first packet, nanoseconds since 1970.
    start: i64,
}

impl Plot {
    /// A time as xplot has it: seconds and microseconds.
    fn time(&self, since_ns: u64) -> String {
        let micros = (self.start.max(0) as u64 + since_ns) / 1000;
        format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000)
    }

    fn colour(&mut self, name: &str) {
        self.text += &format!("{name}\n");
    }

    fn line(&mut self, from: (u64, u64), to: (u64, u64)) {
        let (a, b) = (self.time(from.0), self.time(to.0));
        self.text += &format!("line {a} {} {b} {}\n", from.1, to.1);
    }

    /// A segment with arrows at both ends; of several that stand for more, a stroke over all.
    fn segment(&mut self, mark: &Mark) {
        if mark.count == 1 {
            let at = self.time(mark.from_ns);
            let end = mark.seq + u64::from(mark.length);
            self.text += &format!("darrow {at} {}\nuarrow {at} {end}\n", mark.seq);
        }
        self.stroke(mark);
    }

    fn stroke(&mut self, mark: &Mark) {
        let end = mark.last_seq + u64::from(mark.length);
        self.line((mark.from_ns, mark.seq), (mark.until_ns, end));
    }

    /// A number that rises in steps.
    fn steps(&mut self, colour: &str, marks: &Marks) {
        self.colour(colour);
        let mut before: Option<(u64, u64)> = None;
        for mark in marks.all() {
            let here = (mark.from_ns, mark.seq);
            if let Some(last) = before {
                self.line(last, (here.0, last.1));
                self.line((here.0, last.1), here);
            }
            before = Some((mark.until_ns, mark.last_seq));
            if mark.count > 1 {
                self.line(here, (mark.until_ns, mark.last_seq));
            }
        }
    }

    /// A segment that is not simply the next one, with the letter of its class.
    fn again(&mut self, class: &str, at: u64, offset: u64, length: u32) {
        let (colour, letter) = match class {
            "reordered" => ("magenta", "O"),
            "network_duplicate" => ("blue", "D"),
            "unneeded" => ("pink", "U"),
            "tlp" => ("red", "T"),
            "rto" => ("red", "RTO"),
            _ => ("red", "R"),
        };
        self.colour(colour);
        let end = offset + u64::from(length);
        self.line((at, offset), (at, end));
        let time = self.time(at);
        self.text += &format!("atext {time} {end}\n{letter}\n");
    }
}
