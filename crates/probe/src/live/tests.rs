use std::io::{Read, Write};
use std::net::{IpAddr, Shutdown, TcpListener, TcpStream};

use super::*;

fn nobody(_: &str) -> io::Result<Vec<IpAddr>> {
    Err(io::Error::other("no such name"))
}

fn filter(text: &str) -> Filter {
    Filter::parse(text, &nobody).expect("it is a filter")
}

fn end(text: &str) -> SocketAddr {
    text.parse().expect("an address")
}

#[test]
fn conditions_hold_together() {
    let (local, peer) = (end("192.0.2.1:40000"), end("198.51.100.7:5201"));
    for (text, holds) in [
        ("dst 198.51.100.7", true),
        ("dst 198.51.100.7 and port 5201", true),
        ("dst 198.51.100.7 port 5201", true),
        ("dst 198.51.100.0/24 and dport 5201 and sport 40000", true),
        ("dst 198.51.100.0/30", false),
        ("dst 198.51.100.4/30", true),
        ("dst 0.0.0.0/0", true),
        ("dst ::/0", false),
        ("src 192.0.2.1", true),
        ("src 198.51.100.7", false),
        ("port 40000", true),
        ("dport 40000", false),
        ("dst ::ffff:198.51.100.7", true),
    ] {
        assert_eq!(filter(text).matches(local, peer), holds, "{text}");
    }
    let mapped = end("[::ffff:198.51.100.7]:5201");
    assert!(filter("dst 198.51.100.7").matches(local, mapped));
    let (local, peer) = (end("[2001:db8::1]:1"), end("[2001:db8:0:1::2]:2"));
    assert!(filter("dst 2001:db8::/32 and src [2001:db8::1]").matches(local, peer));
    assert!(!filter("dst 2001:db8::/64").matches(local, peer));
}

#[test]
fn names_are_resolved_and_all_their_addresses_count() {
    let both = |name: &str| match name {
        "server" => Ok(vec![
            "198.18.0.2".parse().expect("an address"),
            "2001:db8::2".parse().expect("an address"),
        ]),
        other => nobody(other),
    };
    let filter = Filter::parse("dst server", &both).expect("it is known");
    assert!(filter.matches(end("[2001:db8::1]:1"), end("[2001:db8::2]:5201")));
    assert!(filter.matches(end("198.18.0.1:1"), end("198.18.0.2:5201")));
    let unknown = Filter::parse("dst nowhere", &both).expect_err("nobody knows it");
    assert!(
        unknown.to_string().contains("`nowhere`: no such name"),
        "{unknown}"
    );
}

#[test]
fn what_is_no_filter_is_refused_with_what_to_write() {
    for (text, says) in [
        ("", "dst HOST"),
        ("192.0.2.1", "write `dst` before its address"),
        ("dst", "an address or a name"),
        ("dst and port 1", "an address or a name"),
        ("port", "a port, such as 5201"),
        ("port 0", "from 1 to 65535"),
        ("dport 70000", "from 1 to 65535"),
        ("dst 192.0.2.0/33", "192.0.2.0/24"),
        ("dst 192.0.2", "192.0.2.0/24"),
        ("dst 192.0.2.1 or port 5", "no other words join them"),
        ("dst 192.0.2.1 and", "another condition"),
        ("and port 1", "`and` begins no condition"),
        ("host x", "src ADDRESS"),
        ("dport=443", "begins no condition"),
        (&"port 1 ".repeat(101), "more than 100"),
    ] {
        let error = Filter::parse(text, &nobody).expect_err(text).to_string();
        assert!(error.contains(says), "{text}: {error}");
    }
}

fn found(cookie: u64, t_ns: u64, acked: u64) -> Found {
    Found {
        cookie,
        inode: 0,
        local: end("192.0.2.1:40000"),
        peer: end("198.51.100.7:5201"),
        cc: Some("cubic".to_owned()),
        details: Details::default(),
        snapshot: Snapshot {
            sample: Sample {
                t_ns,
                ..Sample::default()
            },
            acked,
            ..Snapshot::default()
        },
    }
}

#[test]
fn a_port_that_is_used_again_is_another_connection() {
    let mut book = Book::default();
    assert!(book.round(0, vec![found(1, 0, 5)]));
    assert!(book.round(1, vec![found(1, 1, 9), found(2, 1, 0)]));
    assert!(!book.round(2, Vec::new()));
    let all = &book.watched.connections;
    assert_eq!(
        (all.len(), all[0].snapshots.len(), all[1].snapshots.len()),
        (2, 2, 1)
    );
    assert!(!all[0].open && !all[1].open);
    assert_eq!((book.watched.rounds, book.watched.lasted_ns), (3, 2));
}

#[test]
fn a_long_watch_keeps_the_first_and_the_last_and_fewer_between() {
    let mut book = Book::default();
    let rounds = 100_000;
    for n in 0..rounds {
        book.round(n, vec![found(1, n, n)]);
    }
    let snapshots = &book.watched.connections[0].snapshots;
    assert!(snapshots.len() <= SNAPSHOTS_MAX + 1, "{}", snapshots.len());
    assert_eq!(snapshots[0].acked, 0);
    assert_eq!(snapshots[snapshots.len() - 1].acked, rounds - 1);
    assert!(snapshots.is_sorted_by(|a, b| a.sample.t_ns < b.sample.t_ns));
    for n in 0..CONNECTIONS_MAX as u64 + 10 {
        book.round(rounds + n, vec![found(n + 10, n, n)]);
    }
    assert_eq!(book.watched.connections.len(), CONNECTIONS_MAX);
    assert_eq!(book.watched.passed_over, 11);
}

/// Over the loopback, so that the kernel's own account is read; `watch` ends by itself once the connection is gone.
#[test]
fn a_connection_of_this_host_is_seen_from_outside() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let mut client = TcpStream::connect(address).expect("a connection");
    let (mut server, _) = listener.accept().expect("it came");
    client.write_all(&[7; 10_000]).expect("there is room");
    server.read_exact(&mut [0; 10_000]).expect("they came");
    let ask = Ask {
        filter: filter(&format!("dst 127.0.0.1 and dport {}", address.port())),
        every_ns: 1_000_000,
        for_ns: None,
    };
    let (stopper, stop) = Stop::new().expect("a pipe");
    let watched = watch(&ask, &stop, |so_far| {
        if so_far.rounds == 3 {
            stopper.stop();
        }
    });
    let watched = watched.expect("the kernel answers");
    assert_eq!(watched.connections.len(), 1, "{watched:?}");
    let seen = &watched.connections[0];
    assert_eq!(seen.local, client.local_addr().expect("an address"));
    assert!(seen.open && seen.details.scaled && seen.details.mss > 500);
    assert!(seen.cc.is_some());
    let last = seen.snapshots[seen.snapshots.len() - 1];
    // The kernel counts the SYN as a byte.
    assert_eq!((last.acked, last.received), (10_001, 0));
    assert!(last.sample.cwnd > 0 && last.send_buffer.is_some_and(|b| b > 10_000));
    let none = Ask {
        filter: filter("dst 192.0.2.77"),
        every_ns: 1_000_000,
        for_ns: Some(3_000_000),
    };
    let (_stopper, stop) = Stop::new().expect("a pipe");
    let watched = watch(&none, &stop, |_| {}).expect("the kernel answers");
    assert!(watched.connections.is_empty() && watched.lasted_ns >= 3_000_000);
}

/// A client that has sent its request and said so, while the server thinks about it (RFC 9293 §3.6: FIN-WAIT-2).
#[test]
#[allow(
    clippy::disallowed_methods,
    reason = "the kernel's own table says in which state a connection is"
)]
fn who_has_closed_and_waits_for_an_answer_is_seen() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let mut client = TcpStream::connect(address).expect("a connection");
    let (mut server, _) = listener.accept().expect("it came");
    client.write_all(&[7; 10_000]).expect("there is room");
    client.shutdown(Shutdown::Write).expect("it is open");
    let mut all = Vec::new();
    server.read_to_end(&mut all).expect("it ends");
    let own = client.local_addr().expect("an address");
    // `0100007F:9C40 ... 05` of the kernel's own table.
    let waits = || {
        let table = std::fs::read_to_string("/proc/net/tcp").expect("it is there");
        let port = format!(":{:04X}", own.port());
        let mut lines = table
            .lines()
            .map(|l| l.split_whitespace().collect::<Vec<_>>());
        lines.any(|l| l.len() > 3 && l[1].ends_with(&port) && l[3] == "05")
    };
    // The server's acknowledgement of the FIN may be delayed, by half a second at most (RFC 1122 §4.2.3.2).
    for _ in 0..500 {
        if waits() {
            break;
        }
        std::thread::park_timeout(std::time::Duration::from_millis(10));
    }
    assert!(waits(), "its FIN is acknowledged");
    let listed = Sockets::open().and_then(|mut sockets| sockets.list());
    let listed = listed.expect("the kernel answers");
    let found = listed.iter().find(|f| (f.local, f.peer) == (own, address));
    assert!(found.is_some_and(|f| f.snapshot.sent == Some(10_000)));
    // The other end is in CLOSE-WAIT: the FIN has come, and does not count.
    let other = listed.iter().find(|f| (f.local, f.peer) == (address, own));
    assert_eq!(other.map(|f| f.snapshot.received), Some(10_000));
}

/// What was sent, received and sent again is known of a connection that nobody sampled.
#[test]
fn the_last_words_on_a_connection_are_heard() {
    let ends = Ends::listen().expect("the kernel tells of ends");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let mut client = TcpStream::connect(address).expect("a connection");
    let own = client.local_addr().expect("an address");
    let (mut server, _) = listener.accept().expect("it came");
    client.write_all(&[7; 10_000]).expect("there is room");
    server.read_exact(&mut [0; 10_000]).expect("they came");
    drop((client, server, listener));
    let mut heard = Vec::new();
    let last = |heard: &[Ended], local, peer| {
        let found = heard.iter().find(|e| (e.local, e.peer) == (local, peer));
        found.map(|e| e.last)
    };
    for _ in 0..500 {
        heard.extend(ends.ended());
        if last(&heard, own, address).is_some() && last(&heard, address, own).is_some() {
            break;
        }
        std::thread::park_timeout(std::time::Duration::from_millis(10));
    }
    let sender = last(&heard, own, address).expect("the client's end");
    assert_eq!((sender.sent, sender.resent), (Some(10_000), Some(0)));
    assert!(sender.segments > 0 && sender.retransmits == 0);
    // A FIN counts as one byte.
    let receiver = last(&heard, address, own).expect("the server's end");
    assert_eq!(receiver.received, 10_001);
}
