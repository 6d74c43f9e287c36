//! Closed forms: their properties, what they answer, and what was published.

mod law;
mod path;
mod published;
mod stack;
