//! What a section may hold, as a table, and a statement on its way from there into what it sets.

use core::ops::Range;

use super::{Number, Reader, Taken, Tree, Words, fit};
use crate::qos::Stated;
use crate::source::Place;

/// The statements of a section.
///
/// A pattern is the first words of a statement: each as it stands, after `~` in any case, `|` between
/// alternatives, `*` for any word. Of the patterns that fit, the longest counts.
pub(crate) struct Section<T: 'static> {
    /// Whether `no` and `default` take statements back.
    pub(crate) undo: bool,
    /// Patterns, and what reads the words after them.
    pub(crate) read: &'static [(&'static str, Read<T>)],
    /// Patterns of what has no bearing on queues, classes and circuits.
    pub(crate) over: &'static [&'static str],
}

/// Reads the words after a pattern; `None` if they are not understood.
pub(crate) type Read<T> = fn(&mut Statement<'_, '_, T>) -> Option<()>;

/// Does something to each target of a statement: given the word at `*`, and the statement's bytes.
pub(crate) type Targets<'r, T> =
    &'r mut dyn FnMut(&mut Reader, &str, &Range<usize>, &mut dyn FnMut(&mut T));

/// A statement on its way.
pub(crate) struct Statement<'r, 't, T> {
    pub(crate) reader: &'r mut Reader,
    /// Words not yet taken.
    pub(crate) words: Words<'t>,
    /// Whether `no` or `default` stands before it.
    pub(crate) off: bool,
    /// Its bytes.
    pub(crate) span: Range<usize>,
    /// The word at the first `*` of its pattern.
    pub(crate) named: String,
    pub(crate) tree: &'t Tree<'t>,
    pub(crate) line: usize,
    targets: Targets<'r, T>,
    taken: Taken,
}

impl Reader {
    /// Reads line `line`.
    pub(crate) fn take<T>(
        &mut self,
        section: &Section<T>,
        tree: &Tree<'_>,
        line: usize,
        targets: Targets<'_, T>,
    ) -> Taken {
        let words = Words::new(tree.content(line), tree.lines()[line].span.start);
        self.take_words(section, tree, line, words, targets)
    }

    /// Reads `words`, which are of line `line`.
    pub(crate) fn take_words<'t, T>(
        &mut self,
        section: &Section<T>,
        tree: &'t Tree<'t>,
        line: usize,
        mut words: Words<'t>,
        targets: Targets<'_, T>,
    ) -> Taken {
        let off = section.undo && (words.accept("no") || words.accept("default"));
        let over = section.over.iter().filter_map(|p| fit(p, words));
        let over = over.map(|(length, ..)| length).max().unwrap_or(0);
        let found = section.read.iter().filter_map(|(pattern, read)| {
            let (length, named, words) = fit(pattern, words)?;
            (length >= over).then_some((length, named, words, read))
        });
        let Some((_, named, words, read)) = found.max_by_key(|(length, ..)| *length) else {
            return match over {
                0 => Taken::Unknown,
                _ => Taken::PassedOver,
            };
        };
        let mut statement = Statement {
            reader: self,
            words,
            off,
            span: tree.lines()[line].span.clone(),
            named: named.to_owned(),
            tree,
            line,
            targets,
            taken: Taken::Understood,
        };
        match read(&mut statement) {
            Some(()) => statement.taken,
            None => Taken::Unknown,
        }
    }

    /// Counts a command. Returns the place of an unknown one, unless the text is not a command at all.
    pub(crate) fn unknown(&mut self, taken: Taken, tree: &Tree<'_>, line: usize) -> Option<Place> {
        let span = tree.lines()[line].span.clone();
        let unknown =
            self.count(taken, tree, line) && !self.is_prose(tree.content(line), span.start);
        unknown.then(|| self.place(span))
    }

    /// Reads the commands below line `line`; the places of those nobody knows.
    pub(crate) fn section<T>(
        &mut self,
        section: &Section<T>,
        tree: &Tree<'_>,
        line: usize,
        targets: Targets<'_, T>,
    ) -> Vec<Place> {
        let mut unknown = Vec::new();
        for inner in tree.statements(line) {
            let taken = self.take(section, tree, inner, targets);
            if self.count(taken, tree, inner) {
                unknown.push(self.place(tree.lines()[inner].span.clone()));
            }
        }
        unknown
    }
}

impl<'t, T> Statement<'_, 't, T> {
    /// The next word.
    pub(crate) fn next(&mut self) -> Option<&'t str> {
        self.words.next().map(|w| w.text)
    }

    /// What the next word means, if it is one of these; it is taken then.
    pub(crate) fn choice<V: Clone>(&mut self, among: &[(&str, V)]) -> Option<V> {
        let word = self.words.peek()?.text;
        let (_, value) = among.iter().find(|(name, _)| *name == word)?;
        self.words.next();
        Some(value.clone())
    }

    /// The next word as a number; see [`Reader::number`].
    pub(crate) fn number<V: TryFrom<u64>>(&mut self, number: Number) -> Option<V> {
        self.reader.number(&mut self.words, number)
    }

    /// A number, unless the statement is taken back.
    pub(crate) fn number_unless_off<V: TryFrom<u64>>(&mut self, number: Number) -> Option<V> {
        if self.off { None } else { self.number(number) }
    }

    /// All numbers that follow; see [`Reader::numbers`].
    pub(crate) fn numbers<V: TryFrom<u64>>(&mut self, number: Number) -> Option<Vec<V>> {
        self.reader.numbers(&mut self.words, number)
    }

    /// The statement's place.
    pub(crate) fn place(&self) -> Place {
        self.reader.place(self.span.clone())
    }

    /// A value, and the statement as what states it.
    pub(crate) fn stated<V>(&self, value: V) -> Stated<V> {
        self.reader.stated(value, self.span.clone())
    }

    /// Does `f` to each target. Understood.
    pub(crate) fn each(&mut self, mut f: impl FnMut(&mut T)) -> Option<()> {
        (self.targets)(self.reader, &self.named, &self.span, &mut f);
        Some(())
    }

    /// Sets a field to what the statement states; to nothing if it is taken back. Understood.
    pub(crate) fn put<V: Clone>(
        &mut self,
        value: Option<V>,
        field: impl Fn(&mut T) -> &mut Option<Stated<V>>,
    ) -> Option<()> {
        let stated = value.filter(|_| !self.off).map(|v| self.stated(v));
        self.each(|target| field(target).clone_from(&stated))
    }

    /// As [`Self::put`], with the number that follows.
    pub(crate) fn put_number<V: Clone + TryFrom<u64>>(
        &mut self,
        number: Number,
        field: impl Fn(&mut T) -> &mut Option<Stated<V>>,
    ) -> Option<()> {
        let value = match self.off {
            true => None,
            false => Some(self.number(number)?),
        };
        self.put(value, field)
    }

    /// As [`Self::put`], with the numbers that follow.
    pub(crate) fn put_numbers<V: Clone + TryFrom<u64>>(
        &mut self,
        number: Number,
        field: impl Fn(&mut T) -> &mut Option<Stated<Vec<V>>>,
    ) -> Option<()> {
        let value = match self.off {
            true => None,
            false => Some(self.numbers(number)?),
        };
        self.put(value, field)
    }

    /// Says so if words are left over. Understood.
    pub(crate) fn finish(&mut self) -> Option<()> {
        self.reader.finish(self.words);
        Some(())
    }

    /// It has no bearing on queues, classes and circuits after all.
    pub(crate) fn pass_over(&mut self) -> Option<()> {
        self.taken = Taken::PassedOver;
        Some(())
    }

    /// Reads the commands below; the places of those nobody knows.
    pub(crate) fn section<S>(
        &mut self,
        section: &Section<S>,
        targets: Targets<'_, S>,
    ) -> Vec<Place> {
        self.reader.section(section, self.tree, self.line, targets)
    }
}
