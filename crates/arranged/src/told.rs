//! A simulated connection, written as tools would have printed it.

use std::fmt::Write;

use farpath_observe::Connection;

/// What iperf3's client prints of a connection: rate in bit/s, time in seconds, segments sent again.
pub fn log(c: &Connection, goodput: f64, seconds: f64, again: f64) -> String {
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
    for ((at, _), sample) in c.intervals.iter().zip(&c.samples) {
        let all = sample.resent.unwrap_or(before);
        let n = ((at.since(c.established).as_secs_f64() - 1e-9) / bin).max(0.0) as usize;
        if let Some(row) = resent.get_mut(n) {
            *row = (
                row.0 + (all - before) as f64,
                sample.cwnd.unwrap_or(0) as f64,
            );
        }
        before = all;
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

/// What iperf3 prints of datagrams between two hosts: the rate that was sent in bit/s, the share that was lost, how long, and
/// the bytes of each.
pub fn datagrams(
    [from, to]: [&str; 2],
    sent_bps: f64,
    loss: f64,
    (seconds, each): (f64, f64),
) -> String {
    let all = (sent_bps * seconds / 8.0 / each).round().max(1.0);
    let lost = (all * loss).round();
    let (bytes, left) = (all * each, (all - lost) * each);
    format!(
        "$ iperf3 -c {to} -u -b {:.0}k -t {seconds:.0}\nConnecting to host {to}, port 5201\n[  5] local {from} port 50000 connected to {to} port 5201\n[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams\n[  5]   0.00-{seconds:.2}  sec  {} {}  0.000 ms  0/{all:.0} (0%)  sender\n[  5]   0.00-{seconds:.2}  sec  {} {}  0.011 ms  {lost:.0}/{all:.0} ({:.2}%)  receiver\n",
        sent_bps / 1e3,
        size(bytes),
        rate(bytes * 8.0 / seconds),
        size(left),
        rate(left * 8.0 / seconds),
        100.0 * lost / all
    )
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

/// What ping prints of an idle path: its shortest round-trip time, and by how much the longest may be longer, in seconds.
///
/// Each way adds up to half of that, any as likely: their sum's mean and deviation, and the least and most of twenty such.
pub fn ping(rtt: f64, jitter: f64) -> String {
    let ms = rtt * 1e3;
    let of = |part: f64| part * jitter * 1e3;
    format!(
        "20 packets transmitted, 20 received, 0% packet loss, time 19030ms\nrtt min/avg/max/mdev = {:.3}/{:.3}/{:.3}/{:.3} ms\n",
        ms + of(0.14),
        ms * 1.0005 + of(0.5),
        ms * 1.002 + of(0.86),
        0.010 + of(0.204)
    )
}

/// What ping prints of packets of so many bytes that a link on the way does not carry.
pub fn large_ping(bytes: f64) -> String {
    format!(
        "$ ping -M do -s {:.0} -c 5 198.18.0.2\nPING 198.18.0.2 (198.18.0.2) {:.0}({bytes:.0}) bytes of data.\n\n--- 198.18.0.2 ping statistics ---\n5 packets transmitted, 0 received, 100% packet loss, time 4090ms\n\n$ ping -c 20 198.18.0.2\n",
        bytes - 28.0,
        bytes - 28.0
    )
}

/// What sysctl prints of a host with these largest buffers, bytes, and this congestion control.
pub fn settings(wmem: u64, rmem: u64, cc: &str) -> String {
    format!(
        "net.ipv4.tcp_wmem = 4096 {} {wmem}\nnet.ipv4.tcp_rmem = 4096 {} {rmem}\nnet.core.wmem_max = {wmem}\nnet.core.rmem_max = {rmem}\nnet.ipv4.tcp_congestion_control = {cc}\n",
        wmem.min(16_384),
        rmem.min(131_072)
    )
}

/// What `ss -tinm` prints of the sender's socket, of a connection with segments sent again, over a path of this MTU, bytes, and
/// idle round-trip time, seconds; empty where the sender was never sampled.
pub fn ss(c: &Connection, again: f64, (cc, mtu, rtt_s): (&str, f64, f64)) -> String {
    let mss = mtu - 52.0;
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
    let least = c.rtt.map_or(rtt_s * 1e3, |r| r.min_ns / 1e6);
    let mut text = format!(
        "ESTAB 0 0 198.18.0.1:49152 198.18.0.2:5201\n\t {} wscale:10,10 rto:400 rtt:{rtt:.3}/1 mss:{mss} pmtu:{} cwnd:{:.0} bytes_sent:{:.0} bytes_retrans:{:.0} bytes_acked:{}",
        cc,
        mtu,
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
