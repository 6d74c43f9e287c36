//! Shares of a flow's time: from captures, records and the sender's kernel, as far as the rest of the evidence lets them stand.

use crate::captured::{self, Captured};
use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::fact::Figure;
use crate::flows::flow::Flow;
use crate::losses::way_back::WayBack;
use crate::reach::lost_syns::LostSyns;
use crate::read::Facts;
use crate::series::stops::Stop;
use crate::windows::room::Room;

/// So many times what was in flight on average a window is none that held it.
const TUNED: f64 = 4.0;

/// Accounts that are believed less than this say no shares.
const NEAR: f64 = 0.9;

impl Evidence {
    /// What the captures nearest to the sender show.
    pub(crate) fn of_captures(&mut self, facts: &Facts, flow: &Flow) {
        let each = flow.captured.iter().map(|n| &facts.captured[*n]);
        let all: Vec<&Captured> = each.collect();
        let near = captured::nearest(&all);
        let Some(first) = near.first() else { return };
        self.account = captured::account(&near).or(self.account.take());
        self.found_policer = near.iter().find_map(|c| c.policer.clone());
        // A capture sees what a log counts: whether the path was down in a stop, it shows itself.
        let logged = self.stop.map(|stop| Stop { dark: None, ..stop });
        self.stop = near.iter().find_map(|c| c.stop).or(logged);
        let marks = first.test.numbers.get(crate::losses::marked::REDUCTIONS);
        self.marks = marks.cloned().or(self.marks.take());
        self.lossless = near.iter().all(|c| c.lossless);
        self.turns = near.iter().find_map(|c| c.turns);
        self.shrunk = self.shrunk.or(near.iter().find_map(|c| c.shrunk));
        self.opened = near.iter().find_map(|c| c.opened.clone());
        self.lost_syns = LostSyns::of(&first.test).filter(|_| near.len() == 1);
        if self.stop.is_some_and(|s| s.dark.is_some()) {
            // A test counts what the outage took with all else.
            let rest = first.test.numbers.get("retransmits").cloned();
            self.retransmits = rest.filter(|_| near.len() == 1);
            self.counted.clone_from(&first.test.rows);
            let down = self.down();
            self.account = self.account.take().map(|a| a.with_outage(down));
        }
        self.loss_pattern.clone_from(&first.pattern);
        self.stood = near.iter().find_map(|c| c.stood);
        self.around.way_back = WayBack::of(&all);
        self.swallowed = all.iter().find_map(|c| c.swallowed.clone());
        let unscaled = all.iter().find(|c| c.unscaled);
        self.unscaled = self.unscaled.or(unscaled.map(|c| c.test.at));
        self.left_out = captured::who_left_out(&all);
        self.scaled |= all.iter().any(|c| c.scaled);
        if self.counted.is_empty() && self.streams == 1.0 {
            self.counted.clone_from(&first.test.rows);
        }
        if let Some(mss) = first.test.numbers.get("mss_bytes") {
            (self.mss, self.mss_said) = (mss.value, true);
        }
        self.of_overtaken(&first.test);
        // Every capture shows what the receiver announced.
        let most = all.iter().filter_map(|c| c.window.as_ref());
        if let Some(window) = most.max_by(|a, b| a.value.total_cmp(&b.value)) {
            self.announced = true;
            self.windows.push(Room::announced(window.clone()));
        }
    }

    /// Takes from the account what round trips and the line say is not so.
    pub(crate) fn weigh_account(&mut self) {
        let line = self.line.as_ref().map(|(line, _)| line.value);
        // The most that passes a line in a second looks like a policer's rate: what does not fit is dropped.
        let is_line = |found: &Figure| line.is_some_and(|l| found.value > 0.85 * l);
        self.found_policer = self.found_policer.take().filter(|f| !is_line(f));
        let (Some(rtt), Some(seconds)) = (&self.rtt, self.seconds) else {
            return;
        };
        let segments = self.bytes.as_ref().map_or(0.0, |b| b.value / self.mss);
        let first = self.streams * self.first_segments();
        let rounds = libm::log2(segments / first + 1.0).max(1.0) + 1.0;
        let lasted = seconds / rtt.value;
        self.account = self.account.take().map(|a| a.plausible(lasted, rounds));
    }

    /// Whether what was seen rules a cause out, whatever shares of time look like it: windows that are scaled have scaling, and one
    /// that grew to many times what was used was the receiver's tuning on its way.
    pub(crate) fn excludes(&self, cause: Cause) -> bool {
        match cause {
            Cause::NoWindowScaling if self.scaled && self.unscaled.is_none() => true,
            _ if self.only_fills(cause) => true,
            Cause::ReceiveWindow if self.announced => {
                let used = self.implied_flight().map_or(f64::INFINITY, |f| f.high);
                self.windows.iter().all(|w| w.bytes.low > TUNED * used)
            }
            _ => false,
        }
    }

    /// The share of the time that a cause held, where the sender's side shows it.
    pub(crate) fn share(&self, cause: Cause) -> Option<f64> {
        if cause == Cause::Nic && self.has_odd_pace() {
            return None;
        }
        // Time after losses is the marks' only where a capture shows marks.
        if cause == Cause::Marks && self.cut_by_marks().is_none() {
            return None;
        }
        let busy = self.busy_share.as_ref().map(|b| b.value);
        let of_busy = |share: &Option<Figure>| Some(share.as_ref()?.value * busy.unwrap_or(1.0));
        let kernel = match cause {
            Cause::Application => busy.map(|b| 1.0 - b),
            Cause::ReceiveWindow | Cause::NoWindowScaling | Cause::Client => {
                of_busy(&self.rwnd_share)
            }
            Cause::SendBuffer => of_busy(&self.sndbuf_share),
            Cause::SetUp => self.opened.as_ref().map(|o| o.share()),
            _ => None,
        };
        let account = self.account.as_ref().filter(|a| a.trust >= NEAR);
        kernel
            .or_else(|| account?.of(cause))
            .map(|s| s.clamp(0.0, 1.0))
    }

    /// Whether the share of a cause is taken from the word of another: its own is not measured.
    pub(crate) fn borrows_share(&self, cause: Cause) -> bool {
        match cause {
            Cause::NoWindowScaling | Cause::Client | Cause::Marks => true,
            Cause::SendBuffer => {
                let seen = self.account.as_ref().is_some_and(|a| a.sees_buffers);
                self.sndbuf_share.is_none() && !seen
            }
            _ => false,
        }
    }
}
