//! `farpath lab run --capture`: what real kernels sent, as `farpath trace` reads it.

use serde_json::Value;

use crate::place::Place;

/// 2 MB to port 7000 of the server, which says when it has them.
const SERVER: &str = "perl -MIO::Socket::INET -e 'my $s = IO::Socket::INET->new(LocalPort => 7000, Listen => 1); \
                      my $c = $s->accept; my $n = 0; while ($n < 2000000) { $n += read($c, my $b, 50000) }; print $c \"got $n\\n\"'";
const CLIENT: &str = "exec 3<>/dev/tcp/198.18.0.2/7000; head -c 2000000 /dev/zero >&3; cat <&3";

fn traced(place: &Place, file: &str) -> Value {
    let ran = place
        .farpath(&["trace", "--json", "--filter", "port 7000", file])
        .exits(0);
    serde_json::from_str(&ran.out).expect("one document")
}

/// The direction that carries the data, whichever end began.
fn data(document: &Value) -> &Value {
    let all = document["connections"].as_array().expect("a list");
    let directions = all.iter().flat_map(|c| [&c["a2b"], &c["b2a"]]);
    let most = directions.max_by_key(|d| d["unique_bytes"].as_u64());
    most.expect("a connection")
}

#[test]
fn both_hosts_are_captured_and_every_byte_is_there() {
    let place = Place::new();
    let options = [
        "--loss",
        "1%",
        "--server",
        SERVER,
        "--wait-port",
        "7000",
        "--capture",
        "packets",
        "--",
        "bash",
        "-c",
        CLIENT,
    ];
    let ran = place.lab_run(&options).exits(0);
    assert_eq!(ran.out, "got 2000000\n");
    assert!(ran.err.contains("farpath trace"), "{}", ran.err);
    let (client, server) = (
        traced(&place, "packets/client.pcapng"),
        traced(&place, "packets/server.pcapng"),
    );
    for end in [&client, &server] {
        assert_eq!(data(end)["unique_bytes"], 2_000_000, "{end}");
    }
    let again = |end: &Value| data(end)["retransmitted_bytes"].as_u64().expect("a count");
    // Two thousand segments and one in a hundred lost: the sender's capture has each that was sent again.
    assert!(again(&client) > 0, "{client}");
    assert!(again(&server) <= again(&client), "{server}");
}

#[test]
fn a_run_that_cannot_begin_leaves_no_capture() {
    let place = Place::new();
    let none = [
        "lab",
        "run",
        "--rtt",
        "20ms",
        "--rate",
        "fast",
        "--capture",
        "packets",
        "--",
        "true",
    ];
    place.farpath(&none).exits(125);
    let ran = place
        .lab_run(&["--capture", "/proc/x", "--", "true"])
        .exits(125);
    assert!(ran.err.contains("--capture /proc/x"), "{}", ran.err);
    let unknown = ["--cc", "nonsense", "--capture", "packets", "--", "true"];
    place.lab_run(&unknown).exits(125);
    let left = std::fs::read_dir(place.path().join("packets"));
    assert_eq!(left.map_or(0, Iterator::count), 0);
}
