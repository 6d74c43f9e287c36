use farpath_record::Origin;
use farpath_record::trace::{TraceConnection, TraceDocument};

use super::*;

fn data(name: &str) -> TracePage {
    let mut document = TraceDocument::new();
    document.connections.push(TraceConnection {
        id: 1,
        a: name.to_owned(),
        b: "192.0.2.2:80".to_owned(),
        ..TraceConnection::default()
    });
    TracePage {
        schema: SCHEMA.to_owned(),
        document,
        direction: "a2b".to_owned(),
        others: Vec::new(),
        others_left_out: 0,
        sequence: Sequence {
            origin: Origin::Captured,
            test: "connection 1".to_owned(),
            stream: 0,
            point: BTreeMap::new(),
            bursts: Vec::new(),
            complete_until_ns: None,
            detail_ns: Vec::new(),
        },
        again: BTreeMap::new(),
        edges: Vec::new(),
        limits: Vec::new(),
        series: BTreeMap::new(),
    }
}

#[test]
fn a_page_carries_its_data_and_a_plain_part_and_no_name_ends_either() {
    let html = render_page(&data("</script><b>"));
    assert!(html.contains("farpath.trace-page/1"));
    assert!(html.contains("&lt;/script&gt;&lt;b&gt; to 192.0.2.2:80"));
    assert!(!html.contains("</script><b>"));
    assert!(html.contains("<pre>"));
}
