//! Policers of a router's control plane (CoPP): they meet what goes to the router itself, and never hold what it forwards.

use super::{Facts, Open, Policed};
use crate::words::shortens;

/// Whether a command asks for the policers of a router's control plane (CoPP); none of what is not a command that shows something.
fn protects(text: &str) -> Option<bool> {
    if ["Control Plane", "control-plane"].contains(&text) {
        return Some(true);
    }
    let (_, command) = text.split_once(['#', '>'])?;
    let first = command.split_whitespace().next()?;
    shortens(first, "show", 2).then(|| names_protection(command))
}

/// Whether a command, a policy map or a class is of the control plane, by what it names or is named.
fn names_protection(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    lower.contains("copp") || lower.contains("control-plane")
}

impl Policed {
    /// Takes from a command, or a head, whether what follows is of a control plane.
    pub(super) fn turns(&mut self, text: &str) {
        if let Some(own) = protects(text) {
            self.close();
            self.protects = own;
        }
    }

    /// Whether what is read is of a control plane.
    pub(super) fn is_protection(&self) -> bool {
        self.protects || names_protection(&self.policy) || names_protection(&self.class)
    }

    /// Notes a policer of a router's control plane: it meets what goes to the router itself, and nothing that the router forwards.
    pub(super) fn protect(&mut self, open: &Open) {
        let dropped = open.exceeded.iter().flatten().next_back();
        let (said, at) = match (dropped, open.at) {
            (Some((count, at)), _) => (format!(" dropped {count} packets"), *at),
            (None, Some(at)) => (" stands here".to_owned(), at),
            (None, None) => return,
        };
        let said = format!(
            "a policer of a router's control plane{said}: it meets what goes to the router itself, such as pings to it, and nothing that it forwards. Pings that the router leaves unanswered say nothing of loss on a path through it"
        );
        self.protected.get_or_insert((said, at));
    }

    /// Says what was noted.
    pub(super) fn notes_protection(&mut self, facts: &mut Facts) {
        if let Some((said, at)) = self.protected.take() {
            let note = format!("{}: {said}", facts.place(at));
            facts.notes.push(note);
        }
    }
}
