//! A simulated run, written as tools would have printed it.

use std::collections::BTreeMap;
use std::fmt::Write;

use farpath_diagnose::{Known, Source};
use farpath_element::Mode;
use farpath_observe::{Connection, Observation};
use farpath_scenario::{Source as Text, parse};
use farpath_sim::{Keep, Options, WINDOW, observations, records, run};
use farpath_units::Rate;

use super::case::Case;

/// The texts of one case.
pub(super) struct Told {
    log: String,
    ping: String,
    settings: [String; 2],
    ss: String,
    line: f64,
    truth: &'static str,
}

impl Told {
    pub(super) fn levels(&self) -> usize {
        4
    }

    /// What limits the run: the line where the injected cause leaves nearly all of it, as losses may with BBR.
    pub(super) fn truth(&self) -> &'static str {
        self.truth
    }

    /// The files of a level.
    pub(super) fn sources(&self, level: usize) -> Vec<Source> {
        let mut all = vec![("ticket.txt", self.log.clone())];
        if level >= 1 {
            all.push(("ping.txt", self.ping.clone()));
        }
        if level >= 2 {
            all.push(("sender.txt", self.settings[0].clone()));
            all.push(("receiver.txt", self.settings[1].clone()));
        }
        if level >= 3 {
            all.push(("ss.txt", self.ss.clone()));
        }
        let source = |(name, text): (&str, String)| Source {
            name: name.to_owned(),
            bytes: text.into_bytes(),
        };
        all.into_iter().map(source).collect()
    }

    /// What the user knows: the line.
    pub(super) fn known(&self) -> Known {
        Known {
            line: Rate::from_bps(self.line as u64),
            ..Known::default()
        }
    }
}

/// Runs a case and tells it; none where nothing came of it.
pub(super) fn tell(case: &Case) -> Result<Option<Told>, String> {
    let text = case.text();
    let source = Text {
        name: format!("case {}", case.number),
        text: text.clone(),
    };
    let scenario = parse(&source, &[]).map_err(|e| format!("case {}: {e}\n{text}", case.number))?;
    let options = Options {
        mode: Mode::Windowed(WINDOW),
        seed: case.number + 1,
        intervals: 200,
        keep: Keep {
            sequence: 0,
            audit: false,
            taps: false,
        },
        progress: &mut |_| true,
        tap: &mut |_, _, _| {},
    };
    let outcome = run(&scenario, options).map_err(|e| format!("case {}: {e}", case.number))?;
    let record = records(&scenario, &outcome, &BTreeMap::new()).swap_remove(0);
    let seen = observations(&scenario, &outcome);
    let Some(Some(Observation::Connections(all, _))) = seen.into_iter().next() else {
        return Ok(None);
    };
    let Some(connection) = all.first().filter(|c| c.delivered > 0) else {
        return Ok(None);
    };
    let seconds = connection
        .finished
        .since(connection.established)
        .as_secs_f64();
    if seconds <= 0.0 {
        return Ok(None);
    }
    let goodput = connection.delivered as f64 * 8.0 / seconds;
    let full = goodput
        > if case.cc == "bbr" { 0.7 } else { 0.88 } * case.rate * (case.mtu - 52.0)
            / (case.mtu + 38.0);
    let again = record.metrics.get("retransmits").copied().unwrap_or(0.0);
    Ok(Some(Told {
        log: log(connection, goodput, seconds, again),
        ping: ping(case),
        settings: [
            settings(case.wmem, 1 << 26, case.cc),
            settings(1 << 26, case.rmem, case.cc),
        ],
        ss: ss(case, connection, again),
        line: case.rate,
        truth: match full && ["random_loss", "shallow_buffer", "policer"].contains(&case.cause) {
            true => "link",
            false => case.cause,
        },
    }))
}

/// iperf3's client.
fn log(c: &Connection, goodput: f64, seconds: f64, again: f64) -> String {
    let mut text = String::from(
        "Connecting to host 198.18.0.2, port 5201\n[  5] local 198.18.0.1 port 49152 connected to 198.18.0.2 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n",
    );
    let bin = (seconds / 12.0).max(0.02);
    let mut rows: Vec<f64> = vec![0.0; 12];
    for (at, bytes) in &c.intervals {
        let n = ((at.since(c.established).as_secs_f64() - 1e-9) / bin).max(0.0) as usize;
        if let Some(row) = rows.get_mut(n) {
            *row += *bytes as f64;
        }
    }
    let mut resent: Vec<(f64, f64)> = vec![(0.0, 0.0); 12];
    let mut before = 0;
    for (((at, _), all), sample) in c.intervals.iter().zip(&c.resent).zip(&c.samples) {
        let n = ((at.since(c.established).as_secs_f64() - 1e-9) / bin).max(0.0) as usize;
        if let Some(row) = resent.get_mut(n) {
            *row = (
                row.0 + (all - before) as f64,
                sample.cwnd.unwrap_or(0) as f64,
            );
        }
        before = *all;
    }
    for (n, bytes) in rows.iter().enumerate() {
        let (from, until) = (n as f64 * bin, (n + 1) as f64 * bin);
        let _written = writeln!(
            text,
            "[  5]   {from:.2}-{until:.2}   sec  {} {}  {:.0}   {}",
            size(*bytes),
            rate(bytes * 8.0 / bin),
            resent[n].0,
            kilo(resent[n].1)
        );
    }
    let whole = size(c.delivered as f64);
    let _written = writeln!(
        text,
        "- - - - - - - - - - - - - - - - - - - - - - - - -\n[  5]   0.00-{seconds:.2}  sec  {whole} {}  {again:.0}             sender",
        rate(goodput)
    );
    let _written = writeln!(
        text,
        "[  5]   0.00-{seconds:.2}  sec  {whole} {}                  receiver",
        rate(goodput)
    );
    text
}

/// A window, as iperf3 prints it.
fn kilo(bytes: f64) -> String {
    match bytes {
        b if b >= 1_048_576.0 => size(b),
        b => format!("{} KBytes", digits(b / 1024.0)),
    }
}

/// Three digits, as iperf3 prints them.
fn size(bytes: f64) -> String {
    format!("{} MBytes", digits(bytes / 1_048_576.0))
}

fn rate(bps: f64) -> String {
    match bps {
        b if b >= 1e9 => format!("{} Gbits/sec", digits(b / 1e9)),
        b if b >= 1e6 => format!("{} Mbits/sec", digits(b / 1e6)),
        b => format!("{} Kbits/sec", digits(b / 1e3)),
    }
}

fn digits(value: f64) -> String {
    match value {
        v if v < 9.995 => format!("{v:.2}"),
        v if v < 99.95 => format!("{v:.1}"),
        v => format!("{v:.0}"),
    }
}

fn ping(case: &Case) -> String {
    let ms = case.rtt * 1e3;
    format!(
        "20 packets transmitted, 20 received, 0% packet loss, time 19030ms\nrtt min/avg/max/mdev = {ms:.3}/{:.3}/{:.3}/0.010 ms\n",
        ms * 1.0005,
        ms * 1.002
    )
}

fn settings(wmem: u64, rmem: u64, cc: &str) -> String {
    format!(
        "net.ipv4.tcp_wmem = 4096 {} {wmem}\nnet.ipv4.tcp_rmem = 4096 {} {rmem}\nnet.core.wmem_max = {wmem}\nnet.core.rmem_max = {rmem}\nnet.ipv4.tcp_congestion_control = {cc}\n",
        wmem.min(16_384),
        rmem.min(131_072)
    )
}

/// The sender's socket at the end.
fn ss(case: &Case, c: &Connection, again: f64) -> String {
    let mss = case.mtu - 52.0;
    let Some(last) = c
        .samples
        .iter()
        .rev()
        .find(|s| s.timers.is_some() && s.srtt.is_some())
    else {
        return String::new();
    };
    let timers = last.timers.unwrap_or_default();
    // The middle of the run, as whoever types it in would catch it.
    let middle = &c.samples[c.samples.len() / 2];
    let ms = |d: farpath_units::Duration| d.as_secs_f64() * 1e3;
    let rtt = ms(middle.srtt.or(last.srtt).unwrap_or_default());
    let least = c.rtt.map_or(case.rtt * 1e3, |r| r.min_ns / 1e6);
    let mut text = format!(
        "ESTAB 0 0 198.18.0.1:49152 198.18.0.2:5201\n\t {} wscale:10,10 rto:400 rtt:{rtt:.3}/1 mss:{mss} pmtu:{} cwnd:{:.0} bytes_sent:{:.0} bytes_retrans:{:.0} bytes_acked:{}",
        case.cc,
        case.mtu,
        middle.cwnd.unwrap_or(0) as f64 / mss,
        c.delivered as f64 + again * mss,
        again * mss,
        c.delivered
    );
    let busy = ms(timers.busy);
    if timers.app_limited {
        text.push_str(" app_limited");
    }
    let _written = write!(text, " lastsnd:0 busy:{busy:.0}ms");
    for (name, spent) in [
        ("rwnd_limited", timers.receive_window),
        ("sndbuf_limited", timers.send_buffer),
    ] {
        if ms(spent) >= 1.0 {
            let _written = write!(
                text,
                " {name}:{:.0}ms({:.1}%)",
                ms(spent),
                100.0 * ms(spent) / busy.max(1.0)
            );
        }
    }
    let _written = write!(
        text,
        " unacked:{:.0} minrtt:{least:.3}",
        middle.in_flight.unwrap_or(0) as f64 / mss
    );
    text.push('\n');
    text
}
