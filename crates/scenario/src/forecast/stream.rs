//! What arrives of a stream of datagrams: each place on its way passes its part of what comes to it, and losses behind it take of that.

use super::Path;
use super::filling::Place;
use super::peaks::Peaks;
use super::policer::Met;
use crate::model::Test;

/// Part of a rate by which less must pass a place for that place to limit anything.
const LESS: f64 = 1e-9;

/// A stream at one point of its way. Amounts are payload, in bits.
pub(super) struct Stream {
    /// Seconds from its start to the measurement, and to its end.
    times: [f64; 2],
    /// What has passed by these times.
    passed: [f64; 2],
    /// What passes in the time that is measured, bit/s.
    pub(super) bps: f64,
    /// The last place that passes less than comes to it: `nic`, `link`, `host_cpu` or `policer`.
    pub(super) limit: Option<&'static str>,
    /// Whether a policer drops of it.
    pub(super) policed: bool,
}

impl Stream {
    fn sent(offered_bps: f64, times: [f64; 2]) -> Stream {
        Stream {
            times,
            passed: times.map(|seconds| offered_bps * seconds),
            bps: offered_bps,
            limit: None,
            policed: false,
        }
    }

    /// Its mean rate from its start to its end, bit/s.
    fn mean_bps(&self) -> f64 {
        self.passed[1] / self.times[1].max(1e-9)
    }

    /// Comes to a place that passes no more than so many bits by a time, which is given in seconds after the start.
    fn meets(&mut self, place: &'static str, passes: impl Fn(f64) -> f64) {
        let most = self.times.map(passes);
        if most[0] >= self.passed[0] && most[1] >= self.passed[1] {
            return;
        }
        let came = self.bps;
        self.passed = [most[0].min(self.passed[0]), most[1].min(self.passed[1])];
        let measured_s = (self.times[1] - self.times[0]).max(1e-9);
        self.bps = (self.passed[1] - self.passed[0]) / measured_s;
        if self.bps < came * (1.0 - LESS) {
            self.limit = Some(place);
            self.policed |= place == "policer";
        }
    }

    /// Comes to a policer.
    fn comes_to(&mut self, met: &Met) {
        let mean_bps = self.mean_bps();
        self.meets("policer", |seconds| met.passed_bits(mean_bps, seconds));
    }

    /// Loses such a share.
    fn loses(&mut self, share: f64) {
        self.passed = self.passed.map(|bits| bits * (1.0 - share));
        self.bps *= 1.0 - share;
    }
}

/// What passes at a rate by a time, bits: nothing at the start, of an infinite rate too.
fn at_rate(bps: f64) -> impl Fn(f64) -> f64 {
    move |seconds| match seconds > 0.0 {
        true => bps * seconds,
        false => 0.0,
    }
}

impl Path<'_> {
    /// What arrives of a stream that offers so much, payload in bit/s, in datagrams of `len` bytes, `payload` of them, and loses its `peaks`.
    pub(super) fn arrives(
        &self,
        test: &Test,
        (len, payload): (u32, u32),
        offered_bps: f64,
        peaks: &Peaks,
    ) -> Stream {
        let until = test.omit + test.duration.unwrap_or_default();
        let times = [test.omit.as_secs_f64(), until.as_secs_f64()];
        let [sends_bps, takes_bps] = self.ends_bps(len, payload, 0.0, 0);
        let asked = self.asked((len, payload), takes_bps);
        let policers = self.policers(test, len, payload);
        let mut stream = Stream::sent(offered_bps, times);
        stream.meets("host_cpu", at_rate(sends_bps));
        for ((at, hop), (useful_bps, steady)) in self.there.iter().enumerate().zip(asked) {
            let here = policers.iter().filter(|met| met.at == at);
            let (arriving, leaving): (Vec<&Met>, Vec<&Met>) = here.partition(|met| met.arriving);
            leaving.iter().for_each(|met| stream.comes_to(met));
            let traced = || self.place(hop.port, (len, payload), stream.bps.min(useful_bps));
            let place = steady.unwrap_or_else(traced);
            let own = !self.scenario.is_router(self.plan.ports[hop.port].from);
            let name = if own { "nic" } else { "link" };
            stream.meets(name, |seconds| place.passed_bits(seconds));
            stream.loses(peaks.lost_at(at));
            stream.loses(self.loss_ratio(len, &self.there[at..=at]));
            arriving.iter().for_each(|met| stream.comes_to(met));
        }
        stream.meets("host_cpu", at_rate(takes_bps));
        stream
    }

    /// What of a stream is of use at each place of its way, payload in bit/s: what the places behind it carry that follow no trace, and the
    /// receiver, with what is lost between. What a trace has above it does not make up for what it has below. Beside it stands the place, if
    /// it follows no trace: it carries the same whatever comes.
    fn asked(&self, size: (u32, u32), takes_bps: f64) -> Vec<(f64, Option<Place>)> {
        let mut useful = takes_bps;
        let mut asked = Vec::new();
        for (at, hop) in self.there.iter().enumerate().rev() {
            useful /= 1.0 - self.loss_ratio(size.0, &self.there[at..=at]);
            let here = useful;
            let steady = self.direction(hop.port).impairments.trace.is_none();
            let steady = steady.then(|| self.place(hop.port, size, here));
            if let Some(place) = &steady {
                useful = here.min(place.peak_bps());
            }
            asked.push((here, steady));
        }
        asked.reverse();
        asked
    }
}
