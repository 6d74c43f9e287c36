//! The frames a class of a policy knows, by their marks.

use farpath_config::qos::{Match as Condition, PolicyClass};

use crate::model::{Match, PoliceAction};

/// Marks of frames: DSCPs of datagrams, experimental bits of labelled frames.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) dscp: [bool; 64],
    exp: [bool; 8],
}

impl Default for Known {
    /// Those of no frame.
    fn default() -> Known {
        Known {
            dscp: [false; 64],
            exp: [false; 8],
        }
    }
}

impl Known {
    /// The marks of all frames.
    pub(super) fn all() -> Known {
        Known {
            dscp: [true; 64],
            exp: [true; 8],
        }
    }

    /// The marks of datagrams without a label.
    pub(super) fn datagrams() -> Known {
        Known {
            dscp: [true; 64],
            exp: [false; 8],
        }
    }

    /// The marks of labelled frames.
    pub(super) fn labelled() -> Known {
        Known {
            dscp: [false; 64],
            exp: [true; 8],
        }
    }

    pub(super) fn of_dscps(all: &[u8]) -> Known {
        let mut known = Known::default();
        all.iter()
            .for_each(|d| known.dscp[usize::from(d & 63)] = true);
        known
    }

    pub(super) fn of_precedences(all: &[u8]) -> Known {
        let mut known = Known::default();
        for (dscp, held) in known.dscp.iter_mut().enumerate() {
            *held = all.iter().any(|p| usize::from(*p) == dscp >> 3);
        }
        known
    }

    pub(super) fn of_exps(all: &[u8]) -> Known {
        let mut known = Known::default();
        all.iter()
            .for_each(|e| known.exp[usize::from(e & 7)] = true);
        known
    }

    /// The marks a class's conditions hold for, or why they are unknown.
    pub(super) fn of(class: &PolicyClass) -> Result<Known, &'static str> {
        if class.matches.is_empty() {
            let all = class.name == "class-default";
            return Ok(if all { Known::all() } else { Known::default() });
        }
        let mut known = if class.any {
            Known::default()
        } else {
            Known::all()
        };
        for condition in &class.matches {
            let one = Known::meeting(condition)?;
            match class.any {
                true => known.add(&one),
                false => known.keep(&one),
            }
        }
        Ok(known)
    }

    fn meeting(condition: &Condition) -> Result<Known, &'static str> {
        Ok(match condition {
            Condition::Any => Known::all(),
            Condition::Dscp(all) => Known::of_dscps(all),
            Condition::Precedence(all) | Condition::Cos(all) => {
                let mut known = Known::of_precedences(all);
                known.add(&Known::of_exps(all));
                known
            }
            Condition::Experimental(all) => Known::of_exps(all),
            Condition::AccessGroup(_) => return Err("matches an access list, which is not read"),
            Condition::Other(_) => return Err("matches what only the device itself knows"),
            Condition::Class(_) => return Err("matches another class"),
        })
    }

    fn each(&mut self, other: &Known, f: impl Fn(bool, bool) -> bool) {
        let own = self.dscp.iter_mut().chain(&mut self.exp);
        for (own, other) in own.zip(other.dscp.iter().chain(&other.exp)) {
            *own = f(*own, *other);
        }
    }

    pub(super) fn add(&mut self, other: &Known) {
        self.each(other, |a, b| a || b);
    }

    /// Leaves what `other` has, too.
    pub(super) fn keep(&mut self, other: &Known) {
        self.each(other, |a, b| a && b);
    }

    /// Leaves what `other` has not.
    pub(super) fn remove(&mut self, other: &Known) {
        self.each(other, |a, b| a && !b);
    }

    /// The DSCPs in it.
    pub(super) fn dscps(&self) -> impl Iterator<Item = u8> + '_ {
        (0..64).filter(|d| self.dscp[usize::from(*d)])
    }

    /// What it matches; nothing where it is everything.
    pub(super) fn matches(&self) -> Vec<Match> {
        if *self == Known::all() || (self.exp == [false; 8] && self.dscp == [true; 64]) {
            return Vec::new();
        }
        self.listed()
    }

    /// What it matches, mark by mark.
    pub(super) fn listed(&self) -> Vec<Match> {
        let exp = (0..8).filter(|e| self.exp[usize::from(*e)]).map(Match::Exp);
        self.dscps().map(Match::Dscp).chain(exp).collect()
    }

    /// What a policer does that gives each frame the DSCP `to` makes of its own, if it is one thing.
    pub(super) fn alike(&self, to: &dyn Fn(u8) -> u8) -> Option<PoliceAction> {
        if self.dscps().all(|d| to(d) == d) {
            return Some(PoliceAction::Pass);
        }
        let mut given = self.dscps().map(to);
        let first = given.next()?;
        given
            .all(|d| d == first)
            .then_some(PoliceAction::Mark(first))
    }
}
