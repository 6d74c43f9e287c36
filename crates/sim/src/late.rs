//! What connections sent again though it had arrived: it came late, behind what had left after it, and was not lost.

/// Of the connections of a test and of the links that their data cross.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Late {
    /// Segments that brought a receiver nothing new.
    pub(crate) needless: u64,
    /// Segments sent again.
    pub(crate) resent: u64,
    /// Frames that left a link after a later one.
    pub(crate) overtaken: u64,
    /// Frames that a link doubled: then what came twice need not have been sent again.
    pub(crate) doubled: u64,
}

impl Late {
    /// Says how much was sent again for nothing, where frames overtook others.
    pub(crate) fn words(self) -> Option<String> {
        let needless = self.needless.min(self.resent);
        let is_late = needless > 0 && self.overtaken > 0 && self.doubled == 0;
        is_late.then(|| {
            format!(
                "{needless} of {} segments sent again had arrived, late and not lost: frames overtook others on the way, and a sender takes \
                 what is late for lost",
                self.resent
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_late_is_named_where_frames_overtook_others() {
        let seen = Late {
            needless: 7,
            resent: 9,
            overtaken: 30,
            doubled: 0,
        };
        let words = seen.words().expect("a note");
        let said = "7 of 9 segments sent again had arrived, late and not lost";
        assert!(words.starts_with(said), "{words}");
        let none = [
            Late {
                needless: 0,
                ..seen
            },
            Late {
                overtaken: 0,
                ..seen
            },
            Late { doubled: 1, ..seen },
        ];
        assert_eq!(none.map(Late::words), [None, None, None]);
    }
}
