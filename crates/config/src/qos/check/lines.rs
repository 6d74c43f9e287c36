//! Checks of MTU, speed, duplex and flow control.

use farpath_predict::IpVersion;
use farpath_units::Rate;

use super::super::burst::odd_bucket;
use super::super::{Direction, Duplex, Speed, Storm, carriage, default_mtu};
use super::rates::rate_of;
use super::{On, below_plan, pppoe, slower, small_burst, storms};
use crate::clamp::Clamp;
use crate::commands::{MSS, MSS_IPV6, Number};
use crate::finding::Severity;
use crate::rules::{IOS007, QOS013, QOS017, QOS022};

/// Sizes that are those of packets wherever they are meant.
const PACKETS: [u32; 3] = [1500, 9000, 9180];

impl On<'_, '_> {
    /// QOS022, of an `ip mtu` that the interface does not carry.
    pub(super) fn packets(&mut self) {
        let interface = self.interface;
        let (Some(ip), Some(mtu)) = (&interface.ip_mtu, &interface.mtu) else {
            return;
        };
        if ip.value <= mtu.value {
            return;
        }
        let (key, header) = match interface.header_in_mtu {
            0 => ("ip", String::new()),
            bytes => ("ipv4", format!(" and {bytes} bytes of header")),
        };
        let message = format!(
            "`{key} mtu {}` of {} is more than its `mtu {}`, which is packets of {} bytes{header}",
            ip.value,
            interface.name,
            mtu.value + interface.header_in_mtu,
            mtu.value
        );
        let remedy = format!("`{key} mtu {}` at most, or a larger `mtu`", mtu.value);
        self.find(&QOS022, &ip.place, message, remedy);
    }

    /// QOS022, of an `mtu` of IOS XR that is written as if it were that of packets.
    pub(super) fn header(&mut self) {
        let interface = self.interface;
        let header = interface.header_in_mtu;
        let Some(mtu) = interface.mtu.as_ref().filter(|_| header > 0) else {
            return;
        };
        let written = mtu.value + header;
        if !PACKETS.contains(&written) {
            return;
        }
        let message = format!(
            "`mtu {written}` of {} counts {header} bytes of Ethernet header on IOS XR: its packets have at most {} bytes",
            interface.name, mtu.value
        );
        let remedy = format!("`mtu {}` for packets of {written} bytes", written + header);
        self.find(&QOS022, &mtu.place, message, remedy);
    }

    /// QOS028.
    pub(super) fn tunnel(&mut self) {
        let found = carriage::check(self.device, self.interface).into_iter();
        for mut finding in found.chain(pppoe::check(self.device, self.interface)) {
            finding.doubt(self.interface.unknown.iter().cloned());
            self.checker.findings.push(finding);
        }
    }

    /// QOS011, QOS023 and QOS027, of `rate-limit`.
    pub(super) fn rate_limits(&mut self) {
        let interface = self.interface;
        let options = self.checker.options;
        let trip = options.trip(self.device.file, [interface.name.as_str()].into_iter());
        for said in interface.rate_limits.iter().filter(|r| r.value.drops) {
            let (word, line) = match said.value.direction {
                Direction::Input => ("input", rate_of(interface)),
                // What leaves came in elsewhere.
                Direction::Output => ("output", None),
            };
            let named = format!("`rate-limit {word}` of {}", interface.name);
            let (rate, burst) = (said.value.rate, said.value.burst);
            let mtu = interface.mtu.as_ref().map(|m| m.value);
            let small = small_burst(&named, (rate, burst, line), &said.place, trip);
            let odd = odd_bucket(&named, (rate, burst), mtu, &said.place);
            let below = below_plan(&named, rate, &said.place, options);
            for mut finding in small.into_iter().chain(odd).chain(below) {
                finding.doubt(interface.unknown.iter().cloned());
                self.checker.findings.push(finding);
            }
        }
    }

    /// QOS029.
    pub(super) fn storms(&mut self) {
        let found = storms::check(self.interface);
        for mut finding in found {
            finding.doubt(self.interface.unknown.iter().cloned());
            self.checker.findings.push(finding);
        }
        let line = rate_of(self.interface);
        for said in &self.interface.storms {
            let unicast = said.value.of == Storm::Unicast;
            let Some(rate) = said.value.rate(line).filter(|_| unicast) else {
                continue;
            };
            let named = format!("storm control of {}", self.interface.name);
            let options = self.checker.options;
            let below = below_plan(&named, rate, &said.place, options);
            self.checker.findings.extend(below);
        }
    }

    /// IOS007.
    pub(super) fn segments(&mut self) {
        let interface = self.interface;
        let inside = || carriage::largest(self.device, interface);
        let is_tunnel = interface.name.starts_with("Tunnel");
        let inside = is_tunnel.then(inside).flatten();
        let fits_in = inside.as_ref().map(|(mtu, _)| *mtu);
        let four = (
            &interface.adjust_mss,
            &interface.ip_mtu,
            IpVersion::V4,
            ("ip", MSS),
        );
        let six = (
            &interface.adjust_mss_ipv6,
            &interface.ipv6_mtu,
            IpVersion::V6,
            ("ipv6", MSS_IPV6),
        );
        for (mss, own, version, (key, range)) in [four, six] {
            let Some(mss) = mss else { continue };
            let headers = version.fixed_headers();
            let within = |mtu: u32| Clamp::of(mss.value.into(), mtu.saturating_sub(headers).into());
            let stated = own.as_ref().or(interface.mtu.as_ref()).map(|m| m.value);
            if let Some(mtu) = stated.or(fits_in)
                && within(mtu) == Clamp::TooLarge
            {
                let default = match (stated, &inside) {
                    (None, Some((_, why))) => format!(", {why}"),
                    _ => String::new(),
                };
                let fits = mtu.saturating_sub(headers);
                let message = format!(
                    "{} lets segments of {} B be offered, and its packets have at most {mtu} B{default}: {fits} B and {headers} B of headers",
                    interface.name, mss.value
                );
                let remedy = format!("`{key} tcp adjust-mss {fits}` at most");
                self.find(&IOS007, &mss.place, message, remedy);
                continue;
            }
            let whole = self.device.interface(&interface.name);
            let carries = whole.and_then(|i| {
                let port = own.as_ref().or(i.mtu.as_ref()).map(|m| m.value);
                let usual = fits_in.map(|mtu| mtu.min(carriage::USUAL));
                port.or_else(|| default_mtu(&i)).or(usual)
            });
            let Some(mtu) = carries else { continue };
            let Clamp::Small { times, jumbo } = within(mtu) else {
                continue;
            };
            let message = format!(
                "{} lets segments of at most {} B be offered, and its packets may have {mtu} B: TCP through it sends {times:.1} times as many packets as it need",
                interface.name, mss.value,
            );
            let remedy = larger(key, mss.value, mtu.saturating_sub(headers), range);
            let finding = self.find(&IOS007, &mss.place, message, remedy);
            if jumbo {
                finding.severity = Severity::Info;
            }
        }
    }

    /// QOS013 and QOS017.
    pub(super) fn line(&mut self) {
        let interface = self.interface;
        let name = &interface.name;
        let (duplex, speed) = (interface.duplex.as_ref(), interface.speed.as_ref());
        let negotiated = duplex.is_none_or(|d| d.value == Duplex::Auto);
        if let Some(half) = duplex.filter(|d| d.value == Duplex::Half) {
            let message = format!("{name} is half duplex");
            let remedy = "`duplex full` at both ends (`full-duplex` in older IOS), or `duplex auto` at both: some cards of older IOS do not have that";
            self.find(&QOS013, &half.place, message, remedy);
        } else if let Some(speed) = speed {
            match speed.value {
                Speed::Fixed(..=100) if negotiated => {
                    let message = format!(
                        "{name} has a fixed speed and negotiates duplex: against a fixed end it falls to half duplex"
                    );
                    let remedy = "fix both speed and duplex at both ends, or neither at any";
                    self.find(&QOS013, &speed.place, message, remedy);
                }
                // A router's port is held against the other end of its cable; a switch's other end is a host that no file is of.
                Speed::Fixed(mbps @ ..=100) if interface.switchport.is_some() => {
                    let message = format!(
                        "{name} is fixed to {mbps} Mbit/s full duplex: an end that negotiates hears the speed and falls to half duplex (IEEE 802.3 clause 28, parallel detection)"
                    );
                    let remedy =
                        "fix speed and duplex of the other end alike, or let both negotiate";
                    self.find(&QOS013, &speed.place, message, remedy).severity = Severity::Info;
                }
                Speed::NoNegotiation => {
                    let message = format!(
                        "{name} does not negotiate: the other end must not either, or the link stays down at one end"
                    );
                    let remedy = "write `speed nonegotiate` at both ends or at none";
                    self.find(&QOS013, &speed.place, message, remedy).severity = Severity::Info;
                }
                _ => {}
            }
        }
        if let Some((mbps, speed)) = speed.and_then(|s| match s.value {
            Speed::Fixed(mbps) => Some((mbps, s)),
            _ => None,
        }) {
            let rate = Rate::from_bps(u64::from(mbps) * 1_000_000);
            let named = format!("the speed of {name}");
            let options = self.checker.options;
            let found = rate.and_then(|rate| slower(&named, rate, &speed.place, options));
            self.checker.findings.extend(found);
        }
        let pause = interface.flow_control.iter().find(|f| f.value.1);
        let on = self.device.qos.as_ref().is_some_and(|q| q.value);
        let classes = interface.queueing.first().is_some() || interface.trust.is_some();
        if let Some(pause) = pause.filter(|_| on && classes) {
            let message = format!(
                "{name} uses pause frames and classes of service: a full class stops all others"
            );
            let remedy = "`flowcontrol send off` and `flowcontrol receive off`";
            self.find(&QOS017, &pause.place, message, remedy);
        }
    }
}

/// What to write in place of segments of `mss` bytes where larger ones fit, as far as the command takes them.
fn larger(key: &str, mss: u32, fits: u32, range: Number) -> String {
    let most = u64::from(fits).min(range.2);
    match most > u64::from(mss) {
        true => format!("`{key} tcp adjust-mss {most}`, unless what lies behind carries less"),
        false => {
            format!("take it out, as it takes {most} at most, unless what lies behind carries less")
        }
    }
}
