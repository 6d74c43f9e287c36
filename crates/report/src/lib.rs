//! Terminal tables, JUnit files and the HTML page of a run.
pub mod html;
