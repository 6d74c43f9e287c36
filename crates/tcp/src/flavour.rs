//! Whose rules a stack follows: those of a document, or of a kernel.

/// Whose rules a congestion control follows where they differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Flavour {
    /// The RFC's, or the paper's.
    #[default]
    Rfc,
    /// A current Linux kernel's, whole segments and table look-ups included.
    Linux,
}
