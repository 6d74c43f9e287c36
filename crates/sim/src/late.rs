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
    /// Frames of one flow take turns on the links of a bundle (`spread = "packet"`), where they overtake each other unseen.
    pub(crate) takes_turns: bool,
}

impl Late {
    /// Says how much was sent again for nothing, where frames overtook others.
    pub(crate) fn words(self) -> Option<String> {
        let needless = self.needless.min(self.resent);
        let is_out_of_order = self.overtaken > 0 || self.takes_turns;
        let is_late = needless > 0 && is_out_of_order && self.doubled == 0;
        let place = match self.takes_turns {
            true => "on the links of a bundle with `spread = \"packet\"`",
            false => "on the way",
        };
        is_late.then(|| {
            format!(
                "{needless} of {} segments sent again had arrived, late and not lost: frames overtook others {place}, and a sender takes \
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
            takes_turns: false,
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

    /// Members of a bundle do not reorder frames, each by itself, and no port counts any.
    #[test]
    fn a_bundle_on_which_frames_take_turns_is_named() {
        let seen = Late {
            needless: 7,
            resent: 9,
            takes_turns: true,
            ..Late::default()
        };
        let words = seen.words().expect("a note");
        assert!(
            words.contains("a bundle with `spread = \"packet\"`"),
            "{words}"
        );
        let none = [
            Late {
                needless: 0,
                ..seen
            },
            Late {
                takes_turns: false,
                ..seen
            },
            Late { doubled: 1, ..seen },
        ];
        assert_eq!(none.map(Late::words), [None, None, None]);
    }
}
