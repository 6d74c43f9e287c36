//! Text in columns: widths that fit a terminal, words broken where names may be broken.

/// A column: its head, its cells, and whether it holds numbers, which stand to the right and are
/// never broken.
#[derive(Clone)]
pub(crate) struct Column {
    pub(crate) head: String,
    pub(crate) cells: Vec<String>,
    pub(crate) number: bool,
}

/// Blanks between columns.
const GAP: usize = 2;
/// Where the room does not suffice, text columns may become this narrow.
const NARROWEST: usize = 6;
/// Longest word that is kept whole while there is room.
const WORD_MAX: usize = 14;
/// Characters after which a word may be broken.
const JOINTS: &str = "-_.>/;,";

impl Column {
    pub(crate) fn text(head: &str, cells: Vec<String>) -> Column {
        Column {
            head: head.to_owned(),
            cells,
            number: false,
        }
    }

    /// Sets its cells in by two blanks, below a heading.
    pub(crate) fn indent(&mut self) {
        for cell in &mut self.cells {
            *cell = format!("  {cell}");
        }
    }

    fn texts(&self) -> impl Iterator<Item = &String> {
        self.cells.iter().chain([&self.head])
    }

    fn width(&self) -> usize {
        self.texts().map(|c| length(c)).max().unwrap_or(0)
    }

    /// The width at which no unit is broken.
    fn unit_width(&self) -> usize {
        let unit = |text: &String| {
            let indent = text.len() - text.trim_start().len();
            let units = text.split_whitespace().filter(|word| word.ends_with("/s"));
            units.map(|word| indent + length(word).min(WORD_MAX)).max()
        };
        self.texts().filter_map(unit).max().unwrap_or(0)
    }

    /// The width at which no word is broken but at its joints.
    fn word_width(&self) -> usize {
        self.texts()
            .map(|text| longest_word(text))
            .max()
            .unwrap_or(0)
    }
}

/// The longest unbreakable part of a cell with the blanks that indent it.
fn longest_word(text: &str) -> usize {
    let indent = text.len() - text.trim_start().len();
    let all: Vec<char> = text.chars().collect();
    let (mut longest, mut word) = (0, 0);
    for (at, c) in all.iter().enumerate() {
        word += usize::from(*c != ' ');
        longest = longest.max(word);
        if *c == ' ' || is_joint(&all, at) {
            word = 0;
        }
    }
    indent + longest.min(WORD_MAX)
}

/// Whether a word may be broken after a character of a text: not within a unit such as `Mbit/s`.
fn is_joint(text: &[char], at: usize) -> bool {
    let ends = |c: &char| !c.is_alphanumeric();
    let of_unit =
        text[at] == '/' && text.get(at + 1) == Some(&'s') && text.get(at + 2).is_none_or(ends);
    JOINTS.contains(text[at]) && !of_unit
}

fn length(text: &str) -> usize {
    text.chars().count()
}

/// Characters of lines in which nothing is wrapped.
pub(crate) fn whole_width(columns: &[Column]) -> usize {
    let all: usize = columns.iter().map(|c| c.width() + GAP).sum();
    all.saturating_sub(GAP)
}

/// Whether lines of `width` characters hold them with no word broken but at its joints.
pub(crate) fn fits(columns: &[Column], width: usize) -> bool {
    let least = |c: &Column| if c.number { c.width() } else { c.word_width() };
    columns.iter().map(|c| least(c) + GAP).sum::<usize>() <= width + GAP
}

/// Lines of the tallest cell of each column, where lines have `width` characters.
pub(crate) fn heights(columns: &[Column], width: usize) -> Vec<usize> {
    let tallest = |(column, width): (&Column, usize)| {
        let lines = column.cells.iter().map(|c| wrap_indented(c, width).len());
        lines.max().unwrap_or(0)
    };
    columns
        .iter()
        .zip(fit(columns, width))
        .map(tallest)
        .collect()
}

/// Lays columns out in lines of at most `width` characters (longer only if the numbers leave no
/// room): heads, a rule, and the rows. `headings` stand on a line of their own above a row, whose
/// group is indented by the caller.
pub(crate) fn lay_out(
    columns: &[Column],
    headings: &[(usize, String)],
    width: usize,
) -> Vec<String> {
    let widths = fit(columns, width);
    let row = |cells: Vec<&str>| -> Vec<String> {
        let wrapped: Vec<Vec<String>> = cells
            .iter()
            .zip(&widths)
            .map(|(c, w)| wrap_indented(c, *w))
            .collect();
        let height = wrapped.iter().map(Vec::len).max().unwrap_or(0);
        (0..height)
            .map(|n| line(columns, &widths, &wrapped, n))
            .collect()
    };
    let mut lines = row(columns.iter().map(|c| c.head.as_str()).collect());
    let rules: Vec<String> = widths.iter().map(|w| "-".repeat(*w)).collect();
    lines.push(rules.join(&" ".repeat(GAP)));
    for r in 0..columns.first().map_or(0, |c| c.cells.len()) {
        for (_, heading) in headings.iter().filter(|(at, _)| *at == r) {
            lines.extend(wrap_indented(heading, width));
        }
        lines.extend(row(columns.iter().map(|c| c.cells[r].as_str()).collect()));
    }
    lines
}

/// Line `n` of a row of wrapped cells.
fn line(columns: &[Column], widths: &[usize], wrapped: &[Vec<String>], n: usize) -> String {
    let mut line = String::new();
    for ((column, width), cell) in columns.iter().zip(widths).zip(wrapped) {
        let text = cell.get(n).map_or("", String::as_str);
        let blanks = " ".repeat(width.saturating_sub(length(text)));
        let (before, after) = if column.number {
            (blanks.as_str(), "")
        } else {
            ("", blanks.as_str())
        };
        line = line + before + text + after + &" ".repeat(GAP);
    }
    line.trim_end().to_owned()
}

/// Widths that fit: the widest text column gives way first, and words are broken last.
fn fit(columns: &[Column], width: usize) -> Vec<usize> {
    let mut widths: Vec<usize> = columns.iter().map(Column::width).collect();
    let kept: Vec<usize> = columns.iter().map(Column::word_width).collect();
    let narrowest = columns.iter().map(|c| c.unit_width().max(NARROWEST));
    for floor in [kept, narrowest.collect()] {
        while widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1) > width {
            let text = (0..widths.len()).filter(|i| !columns[*i].number && widths[*i] > floor[*i]);
            let Some(widest) = text.max_by_key(|i| widths[*i]) else {
                break;
            };
            widths[widest] -= 1;
        }
    }
    widths
}

/// Wraps a cell; the blanks it begins with are repeated on every line.
fn wrap_indented(text: &str, width: usize) -> Vec<String> {
    let indent = &text[..text.len() - text.trim_start().len()];
    let room = width.saturating_sub(indent.len());
    wrap(text, room, room)
        .into_iter()
        .map(|l| format!("{indent}{l}"))
        .collect()
}

/// Breaks text into lines of at most `first`, then `rest` characters: at blanks, or else after a
/// joint, or else anywhere.
pub fn wrap(text: &str, first: usize, rest: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut left: Vec<char> = text.trim().chars().collect();
    loop {
        let width = if lines.is_empty() { first } else { rest }.max(1);
        if left.len() <= width {
            lines.push(left.iter().collect());
            return lines;
        }
        // A number and its `%` are one word.
        let blank = (1..=width)
            .rev()
            .find(|i| left[*i] == ' ' && left.get(i + 1) != Some(&'%'));
        let joint = (0..width)
            .rev()
            .find(|i| is_joint(&left, *i))
            .map(|i| i + 1);
        let cut = blank.or(joint).unwrap_or(width);
        lines.push(left[..cut].iter().collect::<String>().trim_end().to_owned());
        left.drain(..cut);
        let blanks = left.iter().take_while(|c| **c == ' ').count();
        left.drain(..blanks);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_broken_at_blanks_then_joints_then_anywhere() {
        assert_eq!(wrap("one two three", 7, 7), ["one two", "three"]);
        assert_eq!(wrap("receive_window", 10, 10), ["receive_", "window"]);
        assert_eq!(wrap("abcdefgh", 3, 5), ["abc", "defgh"]);
        assert_eq!(wrap("", 3, 3), [""]);
        assert_eq!(wrap("next 25 %, so", 8, 8), ["next", "25 %, so"]);
    }

    /// A column of 8 characters, two of which set it in, has room for `Mbit/s`: it was `100`, `Mbit/`, `s`.
    #[test]
    fn a_unit_is_one_word() {
        let columns = [
            Column::text("pace", vec!["  100 Mbit/s".to_owned()]),
            Column {
                head: "simulated".to_owned(),
                cells: vec!["990.04 Mbit/s".to_owned()],
                number: true,
            },
        ];
        let lines = lay_out(&columns, &[], 12);
        let first: Vec<&str> = lines.iter().skip(2).map(|l| l[..8].trim_end()).collect();
        assert_eq!(first, ["  100", "  Mbit/s"], "\n{}", lines.join("\n"));
    }

    #[test]
    fn text_gives_way_and_numbers_do_not() {
        let cells = |c: &[&str]| c.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
        let columns = [
            Column::text("name", cells(&["  retransmits", "b"])),
            Column::text("stated", cells(&["", "the source says it so"])),
            Column {
                head: "simulated".to_owned(),
                cells: cells(&["1", "990.04 Mbit/s"]),
                number: true,
            },
        ];
        let lines = lay_out(&columns, &[(1, "group".to_owned())], 40);
        let expected = [
            "name           stated          simulated",
            "-------------  ----------  -------------",
            "  retransmits                          1",
            "group",
            "b              the source  990.04 Mbit/s",
            "               says it so",
        ];
        assert_eq!(lines, expected, "\n{}", lines.join("\n"));
    }
}
