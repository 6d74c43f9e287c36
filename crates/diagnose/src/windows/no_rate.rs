//! What texts say that have no rate: causes that show without one, and what is said first where none does.

use crate::cause::Cause;
use crate::document::VerdictReport;
use crate::evidence::Evidence;
use crate::fact::Of;
use crate::flows::flow::word;
use crate::hosts::host_fault::FAULT;
use crate::interfaces::counted_once::ONCE;
use crate::interfaces::dead_port::{DEAD, DeadPort};
use crate::interfaces::full_port::FULL_QUEUE;
use crate::interfaces::quiet_port::QUIET;
use crate::lines::bloat::ms;
use crate::losses::lost_answers::LOST_BACK;
use crate::losses::one_way::CLEAN_WAY;
use crate::paths::late_hops::WAITING;
use crate::paths::long_way::LENGTH;
use crate::programs::long_requests::{LONG, LongRequests};
use crate::programs::request_times::{REQUEST, Request};
use crate::programs::slow_login::LOGIN;
use crate::reach::answered_twice::{TWICE, TWO_HOSTS};
use crate::reach::failed_test::{FailedTest, TEST_FAILED};
use crate::reach::routing_loop::LOOP;
use crate::reach::unopened::NOT_BEGUN;
use crate::reach::unseen_syn::{NO_SESSION, UNSEEN};
use crate::read::Facts;
use crate::read::kernel_log::WATCHDOG;
use crate::windows::tcp_memory::ALL_SOCKETS;

/// How what is said first of a trace begins: one that shows nothing wrong, and one that shows loss.
pub(crate) const CLEAN: &str = "nothing is wrong in this trace";
pub(crate) const LOSSY: &str = "this trace shows loss";

/// How what is said first of pings begins that wait under load, and of nothing else.
const QUEUED: &str = "a queue fills under load";

/// How what is said first of an interface begins that did not send.
const STALLED: &str = "an interface did not send for seconds";

/// What a kernel logged of an interface that did not send, for people.
pub(crate) fn stalled(facts: &Facts) -> Option<String> {
    let (said, at) = word(facts, Of::Path, WATCHDOG)?;
    Some(format!(
        "{STALLED}, as its kernel says: {said} ({}). Nothing leaves by it meanwhile, and its driver resets it: its firmware, driver or slot. Whether that is what is slow the times of both say",
        facts.place(at)
    ))
}

/// What a trace alone says, or a kernel or a host's sockets, where no cause is known: it stands first of all that was found.
pub(crate) fn headline(verdict: &VerdictReport) -> Option<&str> {
    let first = verdict.because.first()?;
    let heads = [
        FAULT,
        DEAD,
        REQUEST,
        LONG,
        LOGIN,
        CLEAN,
        LOSSY,
        WAITING,
        LENGTH,
        QUEUED,
        STALLED,
        ALL_SOCKETS,
        NOT_BEGUN,
        TEST_FAILED,
        CLEAN_WAY,
        QUIET,
        TWICE,
        TWO_HOSTS,
        LOOP,
        LOST_BACK,
        UNSEEN,
        NO_SESSION,
        FULL_QUEUE,
        ONCE,
    ];
    let mut heads = heads.iter();
    let is_one = heads.any(|begin| first.starts_with(begin));
    is_one.then_some(first.as_str())
}

impl Evidence {
    /// Whether a cause shows though no text says how fast anything was.
    pub(crate) fn shows_without_rate(&self, cause: Cause) -> bool {
        let seen = match cause {
            Cause::Application => {
                self.around.server_wait.is_some()
                    || self.around.one_by_one.is_some()
                    || self.is_killed(cause)
            }
            Cause::CrossTraffic => self.around.full_port.is_some(),
            Cause::RandomLoss => self.damage_loses_pings() || self.air_loses_pings(),
            Cause::Client => self.around.overfull.is_some() || self.is_killed(cause),
            Cause::Outage => self.around.one_version.is_some(),
            Cause::Middlebox => self.idle_session.is_some() || self.fails_at_firewall(),
            Cause::SetUp => self.request_trips().is_some(),
            Cause::MtuBlackHole => self.heeds_no_report().is_some(),
            Cause::HostCpu => self.is_throttled_server(cause),
            _ => false,
        };
        seen || cause.is_before_data() || self.is_unread(cause)
    }

    /// What is said first where no cause is known.
    pub(crate) fn said_first(&self) -> String {
        let nothing = || match self.bloat().filter(|_| self.rate.is_none()) {
            Some(added) => format!(
                "{QUEUED}: whatever shares it then waits {} longer, as calls and pages do",
                ms(added)
            ),
            None => "the texts do not say how fast anything was".to_owned(),
        };
        let fault = self.around.fault.clone();
        let request = || self.around.request.as_ref().map(Request::said);
        let long = || self.around.long_requests.as_ref().map(LongRequests::said);
        let login = || Some(self.around.login.as_ref()?.said().to_owned());
        let looped = || Some(self.around.looped.as_ref()?.1.clone());
        let trace = || looped().or_else(|| self.around.trace_alone.clone());
        let stalled = || self.around.stalled.clone();
        let memory = || self.memory_alone();
        let unseen = || Some(self.around.unseen_syn.as_ref()?.1.clone());
        let back = || unseen().or_else(|| Some(self.around.lost_answers.as_ref()?.1.clone()));
        let not_begun = || Some(self.unopened.as_ref()?.said().to_owned());
        let failed = || self.failed_test.as_ref().map(FailedTest::said);
        let not_begun = || not_begun().or_else(|| failed().map(str::to_owned));
        let quiet = || self.clean_way().or_else(|| self.quiet.clone());
        let dead = || self.dead_port().map(DeadPort::said);
        let said = fault.or_else(dead).or_else(request).or_else(long);
        let twice = || self.twice.clone();
        let said = said.or_else(login).or_else(twice).or_else(trace);
        let said = said.or_else(stalled).or_else(memory);
        let queue = || self.around.full_queue.clone();
        let said = said.or_else(back).or_else(not_begun).or_else(queue);
        let once = || Some(self.around.counted_once.as_ref()?.said.clone());
        let said = said.or_else(quiet).or_else(once);
        said.unwrap_or_else(nothing)
    }
}
