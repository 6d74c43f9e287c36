//! A simulated run, written as tools would have printed it.

use farpath_arranged::told;
use farpath_arranged::witness::witness;
use farpath_diagnose::{Facts, Known, MissingFact, Source, read};
use farpath_trace::Analysis;
use farpath_units::Rate;

use super::case::Case;
use super::level::Level;

/// The link at the receiver.
const FAR: &str = "last";

/// The texts and captures of one case.
pub(super) struct Told {
    log: String,
    ping: String,
    settings: [String; 2],
    ss: String,
    /// At the sender and at the receiver.
    captures: [Option<Analysis>; 2],
    line: f64,
    loss: f64,
    rtt: f64,
    jitter: f64,
    /// Payload delivered, bit/s.
    pub(super) goodput: f64,
    truth: &'static str,
}

impl Told {
    /// What limits the run: the line where the injected cause leaves nearly all of it, as losses may with BBR.
    pub(super) fn truth(&self) -> &'static str {
        self.truth
    }

    /// What is known at a level: of texts each level has those of the one before; a capture stands beside a ping alone.
    pub(super) fn facts(&self, level: Level) -> Facts {
        let text = |(name, text): (&str, &String)| Source {
            name: name.to_owned(),
            bytes: text.clone().into_bytes(),
        };
        let all = [
            ("ticket.txt", &self.log),
            ("ping.txt", &self.ping),
            ("sender.txt", &self.settings[0]),
            ("receiver.txt", &self.settings[1]),
            ("ss.txt", &self.ss),
        ];
        let (texts, capture) = match level {
            Level::Log => (&all[..1], None),
            Level::Ping => (&all[..2], None),
            Level::Settings => (&all[..4], None),
            Level::Ss => (&all[..], None),
            Level::AtReceiver => (&all[1..2], self.captures[1].as_ref()),
            Level::AtSender => (&all[1..2], self.captures[0].as_ref()),
        };
        let mut facts = read(&texts.iter().copied().map(text).collect::<Vec<_>>());
        if let Some(analysis) = capture {
            facts.capture("capture.pcapng", analysis);
        }
        self.known().tell(&mut facts);
        facts
    }

    /// What is known at a level once the facts of these names were got; none where none of them can be had here.
    pub(super) fn with(
        &self,
        case: &Case,
        level: Level,
        asked: &[MissingFact],
    ) -> Result<Option<Facts>, String> {
        let datagrams = match asked.iter().find(|m| m.fact == "datagram_loss_ratio") {
            Some(missing) => self.datagrams(case, level, &missing.command)?,
            None => String::new(),
        };
        let asked: Vec<&str> = asked.iter().map(|m| m.fact).collect();
        Ok(self.given(level, &asked, datagrams))
    }

    /// What datagrams gave at the rates of a command.
    fn datagrams(&self, case: &Case, level: Level, command: &str) -> Result<String, String> {
        let mut text = String::new();
        let words: Vec<&str> = command.split_whitespace().collect();
        let rates = words.windows(2).filter(|w| w[0] == "-b");
        let kilo = rates.filter_map(|w| w[1].trim_end_matches('k').parse::<f64>().ok());
        let capture = match level {
            Level::AtReceiver => self.captures[1].as_ref(),
            Level::AtSender => self.captures[0].as_ref(),
            _ => None,
        };
        let ends = capture.and_then(|c| c.document.connections.first());
        let host = |end: &str| {
            end.rsplit_once(':')
                .map_or(String::new(), |(h, _)| h.to_owned())
        };
        let ends = ends.map_or(["198.18.0.1".to_owned(), "198.18.0.2".to_owned()], |c| {
            let (a, b) = (host(&c.a), host(&c.b));
            // Whoever sent the data sends the datagrams.
            match c.a2b.unique_bytes >= c.b2a.unique_bytes {
                true => [a, b],
                false => [b, a],
            }
        });
        for kilo in kilo {
            let record =
                farpath_arranged::witness::record(&case.datagrams(kilo * 1e3), case.number + 7)?;
            let get = |name: &str| record.metrics.get(name).copied().unwrap_or(0.0);
            let size = (case.datagram_seconds(kilo * 1e3), case.datagram() as f64);
            let ends = [ends[0].as_str(), ends[1].as_str()];
            text.push_str(&told::datagrams(
                ends,
                get("sent_bps"),
                get("loss_ratio"),
                size,
            ));
        }
        Ok(text)
    }

    fn given(&self, level: Level, asked: &[&str], datagrams: String) -> Option<Facts> {
        let has = |fact: &str| asked.contains(&fact);
        let mut texts = Vec::new();
        let mut capture = None;
        match level {
            Level::AtReceiver => capture = self.captures[1].as_ref(),
            Level::AtSender => capture = self.captures[0].as_ref(),
            _ => texts.push(("ticket.txt", self.log.clone())),
        }
        if level > Level::Log || has("rtt") {
            texts.push(("ping.txt", self.ping.clone()));
        }
        let settings = [Level::Settings, Level::Ss].contains(&level);
        for (n, fact) in ["send_buffer_bytes", "receive_window_bytes"]
            .iter()
            .enumerate()
        {
            if settings || has(fact) {
                let name = ["sender.txt", "receiver.txt"][n];
                texts.push((name, self.settings[n].clone()));
            }
        }
        if level == Level::Ss || has("tcp_info") {
            texts.push(("ss.txt", self.ss.clone()));
        }
        let new = [
            "rtt",
            "send_buffer_bytes",
            "receive_window_bytes",
            "tcp_info",
            "idle_loss_ratio",
            "datagram_loss_ratio",
        ];
        if !new.iter().any(|fact| has(fact)) {
            return None;
        }
        if has("idle_loss_ratio") {
            let arrived = (5000.0 * (1.0 - self.loss)).round();
            let share = 100.0 - arrived / 50.0;
            let rtt = told::ping(self.rtt, self.jitter);
            let rtt = rtt.lines().nth(1).unwrap_or("");
            texts.push((
                "ping5000.txt",
                format!("5000 packets transmitted, {arrived} received, {share}% packet loss, time 50000ms\n{rtt}\n"),
            ));
        }
        if !datagrams.is_empty() {
            texts.push(("datagrams.txt", datagrams));
        }
        let source = |(name, text): (&str, String)| Source {
            name: name.to_owned(),
            bytes: text.into_bytes(),
        };
        let mut facts = read(&texts.into_iter().map(source).collect::<Vec<_>>());
        if let Some(analysis) = capture {
            facts.capture("capture.pcapng", analysis);
        }
        self.known().tell(&mut facts);
        Some(facts)
    }

    /// What the user knows: the line.
    fn known(&self) -> Known {
        Known {
            line: Rate::from_bps(self.line as u64),
            ..Known::default()
        }
    }
}

/// Runs a case and tells it; none where nothing came of it, or where nothing was injected and it is not healthy.
pub(super) fn tell(case: &Case) -> Result<Option<Told>, String> {
    let seen = witness(&case.text(), case.number + 1, &["access", FAR])
        .map_err(|e| format!("case {}: {e}", case.number))?;
    let Some(seen) = seen.filter(|s| s.goodput() > 0.0 || case.cause == "mtu_black_hole") else {
        return Ok(None);
    };
    let full = seen.goodput() > if case.cc == "bbr" { 0.7 } else { 0.88 } * case.payload();
    // Nothing was injected, and the line is not full: its own queue, or the start, took more than a tenth.
    if case.cause == "link" && !full {
        return Ok(None);
    }
    let (connection, again) = (&seen.connection, seen.again());
    let losses = ["random_loss", "shallow_buffer", "policer"];
    Ok(Some(Told {
        log: told::log(connection, seen.goodput(), seen.seconds(), again),
        ping: match case.cause {
            "mtu_black_hole" => told::large_ping(case.mtu) + &told::ping(case.rtt, 0.0),
            _ => told::ping(case.rtt, case.jitter),
        },
        settings: [
            told::settings(case.wmem, 1 << 26, case.cc),
            // What took the scaling out is on the way: the host says nothing of it.
            match case.cause {
                "no_window_scaling" => told::settings(1 << 26, 1 << 26, case.cc),
                _ => told::settings(1 << 26, case.rmem, case.cc),
            },
        ],
        ss: told::ss(connection, again, (case.cc, case.mtu, case.rtt)),
        // Who asks for blocks receives them.
        captures: match case.cause {
            "application" => [FAR, "access"],
            _ => ["access", FAR],
        }
        .map(|link| analysis(&seen.captures[link])),
        line: case.rate,
        loss: case.loss,
        rtt: case.rtt,
        jitter: case.jitter,
        goodput: seen.goodput(),
        truth: match full && losses.contains(&case.cause) {
            true => "link",
            false => case.cause,
        },
    }))
}

/// What a capture says; nothing of one that cannot be read.
fn analysis(bytes: &[u8]) -> Option<Analysis> {
    let source = farpath_trace::Source {
        name: "capture".to_owned(),
        bytes: Box::new(bytes),
    };
    farpath_trace::analyse([source], &mut ()).ok()
}

/// Rate of a case after its start, bit/s: that of the later half of its time; none where nothing came of it.
pub(super) fn steady(case: &Case) -> Result<Option<f64>, String> {
    let seen = witness(&case.text(), case.number + 1, &[])
        .map_err(|e| format!("case {}: {e}", case.number))?;
    let Some(seen) = seen.filter(|s| s.goodput() > 0.0) else {
        return Ok(None);
    };
    let all = &seen.connection.intervals;
    let later = &all[all.len() / 2..];
    let (Some(first), Some(last)) = (later.first(), later.last()) else {
        return Ok(None);
    };
    let seconds = last.0.since(first.0).as_secs_f64();
    let bytes: u64 = later[1..].iter().map(|i| i.1).sum();
    Ok((seconds > 0.0).then(|| bytes as f64 * 8.0 / seconds))
}
