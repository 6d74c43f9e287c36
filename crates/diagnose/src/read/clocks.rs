//! Times of day that people write above what they paste: `13:00`, `20:31 ping`.

/// Most words behind one.
const WORDS_MAX: usize = 3;

/// Minutes of a day, and of half of one.
const DAY: i64 = 1440;
const NOON: i64 = 720;

/// The minute of the day of a line that begins with a time of day and has a few words besides; none of any other line.
pub(super) fn of_day(text: &str) -> Option<i64> {
    let mut words = text.split_whitespace();
    let clock = words.next()?.trim_end_matches([':', ',']);
    let rest: Vec<&str> = words.take(WORDS_MAX + 1).collect();
    let is_word = |word: &&str| {
        let inner = word.trim_matches(|c: char| ":,.()".contains(c));
        inner.chars().all(char::is_alphabetic)
    };
    if rest.len() > WORDS_MAX || !rest.iter().all(is_word) {
        return None;
    }
    let (hours, minutes) = clock.split_once(':')?;
    let digits = |part: &str, least: usize| {
        let is_number = part.bytes().all(|b| b.is_ascii_digit());
        let number = part.parse::<i64>().ok();
        number.filter(|_| is_number && (least..=2).contains(&part.len()))
    };
    let (hours, minutes) = (digits(hours, 1)?, digits(minutes, 2)?);
    let half = match rest
        .first()
        .map(|word| word.to_ascii_lowercase())
        .as_deref()
    {
        Some("am") => Some(0),
        Some("pm") => Some(NOON),
        _ => None,
    };
    let minute = half.map_or(60 * hours, |half| 60 * (hours % 12) + half) + minutes;
    (hours < 24 && minutes < 60).then_some(minute)
}

/// How many minutes lie between two minutes of a day, by the shorter way.
pub(super) fn apart(one: i64, other: i64) -> i64 {
    let between = (one - other).abs();
    between.min(DAY - between)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_begins_with_a_time_of_day_names_it() {
        for (text, minute) in [
            ("13:00", 780),
            ("20:31 ping", 1231),
            ("9:05: idle ping", 545),
            ("8:30 pm", 1230),
        ] {
            assert_eq!(of_day(text), Some(minute), "{text}");
        }
        for text in [
            "14:01:02 up 3 days, 2:11",
            "12:01:22.123456 IP 192.0.2.1.80 > 192.0.2.2.4711",
            "25:10",
            "9:7",
            "13:00 we saw that it was slow",
            "at 13:00",
            "10:20:30:40:50:60",
        ] {
            assert_eq!(of_day(text), None, "{text}");
        }
        assert_eq!(apart(10, 1430), 20);
        assert_eq!(apart(780, 1231), 451);
    }
}
