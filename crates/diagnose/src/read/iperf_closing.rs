//! Closing rows of iperf3's reports: whose each is, and what it says, so that one which is there twice counts once.

use super::iperf_row::IperfRow;
use crate::fact::Place;

/// A closing row that was read.
pub(super) struct Closing {
    id: String,
    role: String,
    /// Whether it is the sender's.
    pub(super) sent: bool,
    span: (f64, f64),
    bytes: f64,
    bps: f64,
    rest: String,
    /// Where it stands.
    pub(super) at: Place,
}

/// Both ends say the same of what arrived, over times by clocks of their own: rates differ by this part then.
const CLOCKS: f64 = 0.02;

impl Closing {
    /// Of a row, the sender's or not.
    pub(super) fn of(read: &IperfRow<'_>, role: &str, sent: bool, at: Place) -> Closing {
        Closing {
            id: read.id.to_owned(),
            role: role.to_owned(),
            sent,
            span: read.span,
            bytes: read.bytes.value,
            bps: read.rate.value,
            rest: without_end(read.rest).to_owned(),
            at,
        }
    }

    /// Whether it is of the same connection, or of the sum of all, as another row.
    pub(super) fn is_of(&self, read: &IperfRow<'_>, role: &str) -> bool {
        self.id == read.id && self.role == role
    }

    /// Whether another row says the same, by the clock of either end.
    pub(super) fn says(&self, read: &IperfRow<'_>) -> bool {
        let same = self.bytes == read.bytes.value && self.rest == without_end(read.rest);
        let off = (self.bps / read.rate.value.max(1.0) - 1.0).abs();
        let by_other_clock = self.span != read.span && off < CLOCKS;
        same && (self.bps == read.rate.value || by_other_clock)
    }
}

/// Whether a closing row names the sender, or the receiver; none where it names no end.
pub(super) fn names_sender(rest: &str) -> Option<bool> {
    let last = rest.split_whitespace().next_back()?;
    matches!(last, "sender" | "receiver").then_some(last == "sender")
}

/// What stands behind the rate of a row, without the end that it names.
fn without_end(rest: &str) -> &str {
    let ends = ["sender", "receiver"];
    let mut without = ends.iter().filter_map(|end| rest.strip_suffix(end));
    without.next().unwrap_or(rest).trim()
}

#[cfg(test)]
mod tests {
    use super::super::iperf_row::row;
    use super::*;

    fn says(first: &str, then: &str) -> bool {
        let read = |text| row(text, Place::You).expect("a row");
        let first = Closing::of(&read(first), "", false, Place::You);
        first.is_of(&read(then), "") && first.says(&read(then))
    }

    #[test]
    fn a_row_says_the_same_twice_or_by_another_clock() {
        let row = "[  5]   0.00-10.02  sec   112 MBytes  93.9 Mbits/sec                  receiver";
        let server = row.replace("10.02", "10.06").replace("93.9", "93.4");
        assert!(says(row, row) && says(row, &server));
        assert!(says(row, row.trim_end_matches("receiver")));
        assert!(!says(row, &row.replace("93.9", "94.0")));
        assert!(!says(
            row,
            &row.replace("112 MBytes  93.9", "14.1 MBytes  11.8")
        ));
        assert!(!says(row, &row.replace("[  5]", "[SUM]")));
        let udp = "[  5]   0.00-10.00  sec  58.2 MBytes  48.8 Mbits/sec  0.026 ms  26910/69060 (39%)  receiver";
        assert!(!says(
            udp,
            &udp.replace("26910/69060 (39%)", "44172/86325 (51%)")
        ));
        assert_eq!(names_sender("0             sender"), Some(true));
        assert_eq!(names_sender("0   93 KBytes"), None);
    }
}
