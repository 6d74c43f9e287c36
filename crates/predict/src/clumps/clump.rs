//! Segments of a window that arrive together.

/// Segments that arrive together, by gathering.
pub(super) struct Clump {
    /// After the beginning of the round trip, seconds.
    pub(super) after_s: f64,
    pub(super) gathered: Vec<u64>,
    /// It takes this long at least, seconds: gatherings that once came apart stay so.
    pub(super) spread_s: f64,
}

impl Clump {
    /// `segments` together, gathered `most` at a time.
    pub(super) fn new(after_s: f64, segments: u64, spread_s: f64, most: u64) -> Clump {
        let mut clump = Clump {
            after_s,
            gathered: vec![segments],
            spread_s,
        };
        clump.fold(most);
        clump
    }

    pub(super) fn segments(&self) -> u64 {
        self.gathered.iter().sum()
    }

    /// What a gathering cannot hold goes to the next.
    pub(super) fn fold(&mut self, most: u64) {
        let mut i = 0;
        while i < self.gathered.len() {
            let over = self.gathered[i].saturating_sub(most);
            if over > 0 {
                self.gathered[i] = most;
                match self.gathered.get_mut(i + 1) {
                    Some(next) => *next += over,
                    None => self.gathered.push(over),
                }
            }
            i += 1;
        }
    }

    /// What is left of it when the window is cut to `share`.
    pub(super) fn cut(&mut self, share: f64) {
        let (mut sum, mut given) = (0.0, 0);
        for n in &mut self.gathered {
            sum += *n as f64 * share;
            let left = libm::round(sum) as u64 - given;
            given += left;
            *n = left;
        }
        self.gathered.retain(|n| *n > 0);
    }

    /// Its last segment, if that is acknowledged alone.
    pub(super) fn alone(&mut self, every_second: bool) -> bool {
        let Some(last) = self.gathered.last_mut() else {
            return false;
        };
        if *last == 1 {
            self.gathered.pop();
            return true;
        }
        let odd = every_second && *last % 2 == 1;
        *last -= u64::from(odd);
        odd
    }

    pub(super) fn add(&mut self, most: u64) {
        match self.gathered.last_mut() {
            Some(last) if *last < most => *last += 1,
            _ => self.gathered.push(1),
        }
    }

    /// Leaves the first `most` of its segments.
    pub(super) fn keep(&mut self, most: u64) {
        let mut left = most;
        for n in &mut self.gathered {
            *n = left.min(*n);
            left -= *n;
        }
        self.gathered.retain(|n| *n > 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_leaves_its_share_of_a_clump() {
        let mut clump = Clump {
            after_s: 0.0,
            gathered: vec![41, 41, 1],
            spread_s: 0.0,
        };
        clump.cut(0.7);
        assert_eq!(clump.segments(), 58);
        let mut odd = Clump {
            after_s: 0.0,
            gathered: vec![41, 41],
            spread_s: 0.0,
        };
        assert!(!odd.alone(false) && odd.alone(true));
        assert_eq!(odd.segments(), 81);
        odd.gathered = vec![45, 3];
        odd.fold(44);
        assert_eq!(odd.gathered, [44, 4]);
        odd.keep(46);
        assert_eq!(odd.gathered, [44, 2]);
        odd.keep(44);
        assert_eq!(odd.gathered, [44]);
    }
}
