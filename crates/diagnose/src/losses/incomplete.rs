//! What a capture lacks: its end, packets that its host was too slow for, and headers of packets of which too little was kept.

use farpath_record::trace::TraceDocument;

/// What a capture counts packets as of which too little was kept to read their headers.
const CUT: &str = "cut_off";

/// What a capture lacks, a sentence each; `name` is its file's as the user gave it.
pub(crate) fn lacks(name: &str, document: &TraceDocument) -> Vec<String> {
    let mut said = Vec::new();
    for file in &document.files {
        if file.truncated {
            said.push(format!(
                "{name}: it was cut or is damaged, and was not read to its end: what is said is of the time before that"
            ));
        }
        if file.dropped_by_capture > 0 {
            let packets = file.dropped_by_capture;
            said.push(format!("{name}: the capture lost {packets} packets"));
        }
    }
    if let Some(packets) = document.others.get(CUT).filter(|n| **n > 0) {
        said.push(format!(
            "{name}: of {packets} packets it holds too little to read their headers: capture again, with 128 bytes of each (tcpdump -s 128)"
        ));
    }
    said
}

#[cfg(test)]
mod tests {
    use farpath_record::trace::TraceFile;

    use super::*;

    #[test]
    fn a_capture_that_was_cut_says_so_of_its_file_and_its_packets() {
        let mut document = TraceDocument::default();
        document.files.push(TraceFile::default());
        assert!(lacks("a.pcap", &document).is_empty());
        document.files[0].truncated = true;
        document.others.insert(CUT.to_owned(), 17);
        let said = lacks("a.pcap", &document);
        assert_eq!(said.len(), 2, "{said:?}");
        assert!(said[0].contains("was not read to its end"), "{said:?}");
        assert!(said[1].contains("of 17 packets"), "{said:?}");
    }
}
