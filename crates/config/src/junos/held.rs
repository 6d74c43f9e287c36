//! Classes that a scheduler holds to a rate, whatever else the port has room for.

use farpath_units::{Duration, Rate};

use super::class::{CosInterface, Scheduler, Transmit};
use super::model::{Interface, Router};

impl Scheduler {
    /// The most that its class gets of a port of this rate, and the statement that says so: `exact` and `rate-limit` of a `transmit-rate`,
    /// or `shaping-rate` (Junos, "Schedulers Overview for CoS"). `None` where it may have all that others leave.
    pub fn most(&self, port: Rate) -> Option<(Rate, &str)> {
        let exact = self.exact.as_ref().and_then(|word| {
            let bps = match self.transmit.as_ref()? {
                Transmit::Percent(share) => port.as_bps() / 100 * share.value.min(100),
                Transmit::Rate(own) => own.value.as_bps().min(port.as_bps()),
                Transmit::Remainder => return None,
            };
            Some((Rate::from_bps(bps)?, word.value.as_str()))
        });
        let shaped = self.shaping.as_ref();
        let shaped = shaped.map(|own| (own.value.min(port), "shaping-rate"));
        exact
            .into_iter()
            .chain(shaped)
            .min_by_key(|(rate, _)| *rate)
    }

    /// The same in words, of a port whose rate is not known.
    fn most_of_any(&self) -> Option<(String, &str)> {
        let exact = self.exact.as_ref().and_then(|word| {
            let to = match self.transmit.as_ref()? {
                Transmit::Percent(share) => format!("{} % of its rate", share.value),
                Transmit::Rate(own) => own.value.to_string(),
                Transmit::Remainder => return None,
            };
            Some((to, word.value.as_str()))
        });
        exact.or_else(|| Some((self.shaping.as_ref()?.value.to_string(), "shaping-rate")))
    }
}

impl Router {
    /// Where the class of unmarked packets, or one that all packets of an interface are put into, is held to a rate: a sentence for each port.
    pub fn held(&self) -> Vec<String> {
        let cos = &self.class_of_service;
        let meant = |class: &str| {
            let mut fixed = cos.interfaces.iter().filter_map(|i| i.class.as_ref());
            cos.queue(class) == Some(0) || fixed.any(|c| c.value == class)
        };
        let mut all = Vec::new();
        for applied in &cos.interfaces {
            let name = applied.map.as_ref().map(|m| &m.value);
            let mut maps = cos.maps.iter();
            let Some(map) = maps.find(|m| Some(&m.name.value) == name) else {
                continue;
            };
            let rate = self.sends(applied);
            for (class, scheduler) in map.schedulers.iter().filter(|(c, _)| meant(c)) {
                let mut known = cos.schedulers.iter();
                let known = known.find(|s| s.name.value == scheduler.value);
                let most = known.and_then(|s| match rate {
                    Some(rate) => {
                        let most = s.most(rate).filter(|(most, _)| *most < rate);
                        most.map(|(most, by)| (most.to_string(), by))
                    }
                    None => s.most_of_any(),
                });
                let Some((most, by)) = most else { continue };
                all.push(format!(
                    "`{}` of `{}` holds class `{class}` to {most} (`{by}` of scheduler `{}`)",
                    applied.port, self.name, scheduler.value
                ));
            }
        }
        all
    }

    /// The rate of the port of a map, or what that is shaped to.
    fn sends(&self, applied: &CosInterface) -> Option<Rate> {
        let port = self.interfaces.iter().find(|i| i.name == applied.port);
        let line = port.and_then(Interface::rate);
        let shaped = applied.shaping.as_ref().map(|s| s.value);
        line.into_iter().chain(shaped).min()
    }
}

/// A time of a port's rate as a time of a slower class: the same bytes.
pub(super) fn longer(time: Duration, port: Rate, class: Rate) -> Duration {
    let ps = u128::from(time.as_ps()) * u128::from(port.as_bps());
    let ps = ps / u128::from(class.as_bps().max(1));
    Duration::from_ps(u64::try_from(ps).unwrap_or(u64::MAX))
}
