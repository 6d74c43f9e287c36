//! Files of one capture point that hold the same packets, and files of two points.

use farpath_trace::{Source, TraceDocument, analyse};

use crate::runs::{frames, run, two_routers};
use crate::shapes::pcap;

fn files(all: &[Vec<u8>]) -> TraceDocument {
    let sources = all.iter().enumerate().map(|(n, bytes)| Source {
        name: format!("ring{n}"),
        bytes: Box::new(bytes.as_slice()),
    });
    analyse(sources, &mut ()).expect("captures").document
}

/// The packets of a capture, for a file with some of them.
fn packets(capture: &[u8]) -> Vec<(u64, Vec<u8>, u32)> {
    let of = frames(capture);
    let packet =
        |(at, bytes, original): &(i64, &[u8], u32)| (*at as u64, bytes.to_vec(), *original);
    of.iter().map(packet).collect()
}

#[test]
fn what_files_of_one_point_hold_twice_counts_once() {
    let wan = "rate = \"50 Mbit/s\"\ndelay = \"10 ms\"\nqueue = \"1bdp\"\nloss = 0.002";
    let run = run(&two_routers("", wan, "duration = \"2 s\""));
    let all = packets(&run.captures["access"]);
    let file = |part: &[_]| pcap(1, part, false, true);
    let (third, whole) = (all.len() / 3, file(&all));
    let once = files(std::slice::from_ref(&whole));
    let ring = [
        file(&all[..2 * third]),
        file(&all[third..2 * third + 50]),
        file(&all[2 * third..]),
    ];
    for (name, given, again) in [
        (
            "the same file three times",
            vec![whole.clone(); 3],
            2 * all.len(),
        ),
        ("a ring that overlaps", ring.to_vec(), third + 50),
        (
            "files with others between them",
            vec![
                file(&all[..third]),
                file(&all[third..2 * third]),
                file(&all[10..third]),
                file(&all[third - 100..third + 100]),
                file(&all[2 * third..]),
            ],
            third - 10 + 200,
        ),
    ] {
        let document = files(&given);
        assert_eq!(
            document.connections.len(),
            1,
            "{name}: {:?}",
            document.notes
        );
        assert_eq!(document.connections, once.connections, "{name}");
        let told: usize = document
            .files
            .iter()
            .flat_map(|f| &f.notes)
            .map(|note| {
                assert!(note.contains("one capture point"), "{note}");
                let count = note.split(' ').next().and_then(|n| n.parse::<usize>().ok());
                count.expect("it begins with how many")
            })
            .sum();
        assert_eq!(told, again, "{name}");
    }
    // A file without an overlap, and one of another point, are as they were.
    let apart = files(&[file(&all[..third]), file(&all[third..])]);
    assert_eq!(apart.connections, once.connections);
    assert!(apart.files.iter().all(|f| f.notes.is_empty()));
    let both = files(&[whole, file(&packets(&run.captures["far"]))]);
    assert_eq!(both.connections.len(), 2, "{:?}", both.notes);
    assert!(both.files.iter().all(|f| f.notes.is_empty()));
}
