//! How what is printed is laid out.

/// How the table is laid out.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Columns of the terminal; a line is longer only if its numbers leave no room.
    pub width: usize,
    /// Colours marks with ANSI sequences; the text is the same without.
    pub colour: bool,
    /// For a terminal, or to be pasted into a page.
    pub form: Form,
}

/// What a table is written for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// Columns of characters of one width.
    #[default]
    Terminal,
    /// A Markdown table, as GitHub and GitLab read it.
    Markdown,
}

impl Default for Layout {
    /// 80 columns, no colour.
    fn default() -> Layout {
        Layout {
            width: 80,
            colour: false,
            form: Form::Terminal,
        }
    }
}
