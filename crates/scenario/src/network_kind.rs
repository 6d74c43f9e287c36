//! Kinds of networks that are asked for as if a scenario had their name, such as `3g`: a path of typical figures stands for one.

/// Words, and a round trip and a rate that such a network may have. They are examples, not measured of any one.
const KINDS: [(&[&str], &str, &str); 11] = [
    (&["2g", "edge", "gprs"], "600ms", "200kbit/s"),
    (&["3g", "umts", "hspa"], "100ms", "2Mbit/s"),
    (&["4g", "lte", "mobile", "cellular"], "50ms", "20Mbit/s"),
    (&["5g", "nr"], "20ms", "200Mbit/s"),
    (&["dsl", "adsl", "vdsl"], "30ms", "16Mbit/s"),
    (&["cable", "docsis"], "20ms", "100Mbit/s"),
    (&["fiber", "fibre", "ftth"], "10ms", "1Gbit/s"),
    (&["satellite", "geo"], "600ms", "20Mbit/s"),
    (&["leo", "starlink"], "40ms", "100Mbit/s"),
    (&["wifi", "wlan", "lan", "ethernet"], "2ms", "100Mbit/s"),
    (&["wan", "internet"], "50ms", "100Mbit/s"),
];

/// What to write in place of a name that is the word of a kind of network; none where it is not.
pub(crate) fn remedy(name: &str) -> Option<String> {
    let name = name.to_lowercase();
    let is_named = |words: &[&str]| {
        let mut parts = name.split(|c: char| !c.is_alphanumeric());
        parts.any(|part| words.contains(&part))
    };
    // What has a folder or an ending was meant as a file, or as a shipped scenario.
    let is_word = !name.contains(['/', '.']);
    let (_, rtt, rate) = KINDS
        .iter()
        .find(|(words, ..)| is_word && is_named(words))?;
    Some(format!(
        "kinds of networks have no scenarios, as no two are alike: give the figures of yours, for instance\n  \
         `farpath lab run --rtt {rtt} --rate {rate} -- COMMAND`; `farpath scenarios` lists the shipped ones"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_of_network_is_answered_with_figures() {
        for (name, figures) in [
            ("3g", "--rtt 100ms --rate 2Mbit/s"),
            ("LTE", "--rtt 50ms --rate 20Mbit/s"),
            ("slow-3g", "--rtt 100ms"),
        ] {
            let said = remedy(name).expect(name);
            assert!(said.contains(figures), "{said}");
        }
        for none in ["3g.toml", "five-passes", "wan-2003/land-speed", ""] {
            assert_eq!(remedy(none), None, "{none}");
        }
    }
}
