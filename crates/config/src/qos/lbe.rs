//! Writes the configuration of a lower-effort class.

use farpath_units::{Rate, Ratio, Size};

use super::port::{FRAME, fitting_unit, speed_mbps};
use super::{Interface, Mix, Overshoot, PortType, share_bounds, shares};
use crate::dialect::Dialect;

/// What is wanted of a lower-effort class.
#[derive(Clone, Debug, PartialEq)]
pub struct Lbe {
    /// Its share when all queues are full.
    pub share: Ratio,
    /// Largest IP packet: 64 to 9216 bytes.
    pub mtu: u32,
    /// The port's hardware; `None` is the commonest at the rate.
    pub port_type: Option<PortType>,
    /// Rate of the line.
    pub rate: Rate,
    /// The class's DSCP: 8, CS1, or 1, LE of RFC 8622; not 0, and no voice or control.
    pub dscp: u8,
    /// The interface; `None` is the first of module 3 at the rate.
    pub interface: Option<String>,
    /// IOS or CatOS.
    pub dialect: Dialect,
    /// Bytes the card counts for a unit of weight; `None` is 256, or what the MTU needs.
    pub unit: Option<Size>,
}

/// A configuration and what it gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    /// The configuration.
    pub text: String,
    /// The port it is for.
    pub port_type: PortType,
    /// The weights, the low class's last.
    pub weights: Vec<u32>,
    /// Bytes of credit per unit of weight that were taken.
    pub unit: Size,
    /// The low class's share by the ratio of weights.
    pub share: f64,
    /// Its least and greatest share over packet sizes and ways to treat overshoot.
    pub bounds: (f64, f64),
    /// Its share if every packet is of 1500 bytes or the MTU, and overshoot is forgotten.
    pub cleared: f64,
}

/// Why it cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{cause}; {remedy}")]
pub struct LbeError {
    /// What stands in the way.
    pub cause: String,
    /// What to ask for instead.
    pub remedy: String,
}

/// How near the share must come.
const POINT: f64 = 0.01;
/// Least part of the share asked for that the share with all queues full may be; its inverse is the greatest.
const PART: f64 = 0.5;

/// The greatest share by weights that passes for `target`.
fn greatest(target: f64) -> f64 {
    (target + POINT).min(target / PART)
}

fn refuse<T>(cause: String, remedy: &str) -> Result<T, LbeError> {
    Err(LbeError {
        cause,
        remedy: remedy.to_owned(),
    })
}

impl Lbe {
    /// Writes it: the smallest weights whose share is within a point for every packet size, and whose ratio is between
    /// half and twice of what was asked for.
    ///
    /// # Errors
    /// A target no weights meet, and values no switch takes, each with its reason.
    pub fn write(&self) -> Result<Written, LbeError> {
        let mbps = (self.rate.as_bps() / 1_000_000) as u32;
        let port_type = self
            .port_type
            .unwrap_or_else(|| PortType::at_speed(mbps)[0]);
        let mtu = self.carried_mtu();
        self.sane(port_type)?;
        let name = self.name(mbps)?;
        let (weights, unit) = self.weights(port_type, mtu)?;
        let credits: Vec<Size> = weights
            .iter()
            .map(|w| Size::from_bytes(u64::from(*w) * unit.as_bytes()))
            .collect();
        let frame = Size::from_bytes(u64::from(mtu) + FRAME);
        let low = weights.len() - 1;
        let full = vec![Mix::of(frame); weights.len()];
        let at = |overshoot| shares(&credits, &full, overshoot)[low];
        let share = at(Overshoot::Carried);
        let bounds = share_bounds(&credits, low, frame);
        let figures = format!(
            "Low class: {:.2} % when all queues are full, {:.2} to {:.2} % by packet sizes and overshoot.",
            100.0 * share,
            100.0 * bounds.0,
            100.0 * bounds.1
        );
        let mut lines = match self.dialect {
            Dialect::CatOs => self.catos(&name, port_type, &weights, unit, mtu),
            _ => self.ios(&name, port_type, &weights, unit, mtu),
        };
        let mark = if self.dialect == Dialect::CatOs {
            '#'
        } else {
            '!'
        };
        lines.insert(1, format!("{mark} {figures}"));
        Ok(Written {
            text: lines.join("\n") + "\n",
            port_type,
            unit,
            share,
            bounds,
            cleared: at(Overshoot::Cleared),
            weights,
        })
    }

    fn sane(&self, port_type: PortType) -> Result<(), LbeError> {
        let n = f64::from(port_type.weighted);
        if port_type.weighted < 2 {
            return refuse(
                format!(
                    "a {port_type} port has one weighted queue, and nothing to weigh it against"
                ),
                "use a port with two or more",
            );
        }
        if port_type.weighted > 8 - port_type.strict {
            return refuse(
                format!(
                    "a {port_type} port has more queues than there are CoS values to fill them"
                ),
                "use a port with fewer",
            );
        }
        if self.share.get() <= 0.0 {
            return refuse(
                "round robin gives every queue with a packet its turn: a share of 0 cannot be had"
                    .to_owned(),
                "ask for 1 % or so",
            );
        }
        if self.share.get() * n >= 1.0 {
            return refuse(
                format!(
                    "{:.1} % is an equal part of {} queues or more: that class is not lower than the others",
                    100.0 * self.share.get(),
                    port_type.weighted
                ),
                "ask for less",
            );
        }
        if !(64..=9216).contains(&self.mtu) {
            return refuse(
                format!("an MTU of {} is not one of 64 to 9216", self.mtu),
                "ask for 1500 or 9000",
            );
        }
        match self.dscp {
            0 => refuse(
                "DSCP 0 is best effort itself".to_owned(),
                "use 8 (CS1) or 1 (LE, RFC 8622)",
            ),
            d if d > 63 => refuse(
                format!("DSCP {d} is over 63"),
                "use 8 (CS1) or 1 (LE, RFC 8622)",
            ),
            d if d >= 40 => refuse(
                format!("DSCP {d} is of voice or routing control"),
                "use 8 (CS1) or 1 (LE, RFC 8622)",
            ),
            _ => Ok(()),
        }
    }

    /// CatOS ports are either of 1500 bytes or jumbo.
    fn carried_mtu(&self) -> u32 {
        match self.dialect {
            Dialect::CatOs if self.mtu > 1500 => 9216,
            Dialect::CatOs => 1500,
            _ => self.mtu,
        }
    }

    fn name(&self, mbps: u32) -> Result<String, LbeError> {
        let kind = match mbps {
            0..=10 => "Ethernet",
            11..=100 => "FastEthernet",
            101..=1_000 => "GigabitEthernet",
            _ => "TenGigabitEthernet",
        };
        let name = self
            .interface
            .clone()
            .unwrap_or_else(|| format!("{kind}3/1"));
        if name.is_empty() || name.contains(|c: char| c.is_whitespace() || c.is_control()) {
            return refuse(
                format!("`{name}` is not the name of an interface"),
                "write one such as GigabitEthernet3/1",
            );
        }
        let interface = Interface {
            name: name.clone(),
            ..Interface::default()
        };
        match speed_mbps(&interface) {
            Some(speed) if speed != mbps => refuse(
                format!("{name} is a port of {speed} Mbit/s, and the rate is {mbps} Mbit/s"),
                "name another port or another rate",
            ),
            _ => Ok(name),
        }
    }

    /// The smallest weights, and the unit they are for.
    fn weights(&self, port_type: PortType, mtu: u32) -> Result<(Vec<u32>, Size), LbeError> {
        let usual = Size::from_bytes(256);
        // Weights too small for that are taken to be scaled: a weight of 1 is a whole frame.
        let scaled = fitting_unit(&[1], mtu);
        if let Some(unit) = self.unit {
            return self
                .search(port_type, mtu, unit)
                .ok_or_else(|| self.out_of_reach(port_type, mtu, unit));
        }
        self.search(port_type, mtu, usual)
            .or_else(|| self.search(port_type, mtu, scaled))
            .ok_or_else(|| self.out_of_reach(port_type, mtu, scaled))
    }

    fn out_of_reach(&self, port_type: PortType, mtu: u32, unit: Size) -> LbeError {
        let least = (u64::from(mtu) + FRAME).div_ceil(unit.as_bytes().max(1));
        let others = u64::from(port_type.weighted - 1) * 255;
        let most = greatest(self.share.get());
        let cause = match least {
            256.. => format!(
                "with {unit} a unit of weight a frame of {} B needs a weight of {least}, and 255 is the most",
                u64::from(mtu) + FRAME
            ),
            _ if least as f64 / (least + others) as f64 <= most => format!(
                "with {unit} a unit of weight no weights up to 255 give {:.2} % within a point and a factor of two for every packet size up to {} B",
                100.0 * self.share.get(),
                u64::from(mtu) + FRAME
            ),
            _ => format!(
                "with {unit} a unit of weight the low queue needs a weight of {least} for a frame of {} B, and then has at least {:.2} % against {others} for the others; {:.2} % is wanted",
                u64::from(mtu) + FRAME,
                100.0 * least as f64 / (least + others) as f64,
                100.0 * self.share.get()
            ),
        };
        LbeError {
            cause,
            remedy: self.way_out(least),
        }
    }

    /// What to do where the low queue needs at least this weight. A unit that nobody stated has grown with the frame: a
    /// smaller MTU changes nothing.
    fn way_out(&self, least: u64) -> String {
        let ask = match (self.unit, least) {
            (None, _) => return "ask for a larger --share".to_owned(),
            (Some(_), 256..) => "ask for a smaller --mtu",
            (Some(_), _) => "ask for a larger --share or a smaller --mtu",
        };
        format!(
            "{ask}, or leave out --wrr-unit if the card's manual does not state it: the weights are then for a unit of 256 B or, where that is too small, of a whole frame"
        )
    }

    fn search(&self, port_type: PortType, mtu: u32, unit: Size) -> Option<(Vec<u32>, Size)> {
        let target = self.share.get();
        let others = usize::from(port_type.weighted) - 1;
        let frame = Size::from_bytes(u64::from(mtu) + FRAME);
        let mut best: Option<(usize, Vec<u32>)> = None;
        for low in 1..=255_u32 {
            for high in low..=255_u32 {
                let sum = others * high as usize + low as usize;
                let nominal = f64::from(low) / sum as f64;
                if best.as_ref().is_some_and(|b| b.0 <= sum) || nominal < target - POINT {
                    break;
                }
                if nominal > greatest(target) || nominal < target * PART {
                    continue;
                }
                let mut weights = vec![high; others];
                weights.push(low);
                if u64::from(low) * unit.as_bytes() < frame.as_bytes() {
                    continue;
                }
                let credits: Vec<Size> = weights
                    .iter()
                    .map(|w| Size::from_bytes(u64::from(*w) * unit.as_bytes()))
                    .collect();
                let (least, most) = share_bounds(&credits, others, frame);
                if most <= target + POINT && least >= target - POINT {
                    best = Some((sum, weights));
                }
            }
        }
        best.map(|(_, weights)| (weights, unit))
    }

    /// Lines of (queue, threshold, CoS values); the strict queue's threshold is 0.
    fn cos(&self, port_type: PortType) -> Vec<(u8, u8, Vec<u8>)> {
        let low = port_type.weighted;
        let mut rest = vec![2, 3, 4, 6, 7];
        if port_type.strict == 0 {
            rest.insert(3, 5);
        }
        let mut lines = vec![(1, 1, vec![0])];
        match low - 1 {
            1 if port_type.thresholds == 1 => lines[0].2.append(&mut rest),
            1 => lines.push((1, 2, rest)),
            others => {
                let queues = usize::from(others) - 1;
                for queue in 0..queues {
                    let part = |i: &usize| i * queues / rest.len() == queue;
                    let cos = (0..rest.len()).filter(part).map(|i| rest[i]).collect();
                    lines.push((queue as u8 + 2, 1, cos));
                }
            }
        }
        lines.push((low, 1, vec![1]));
        if let Some(strict) = port_type.strict_queue() {
            lines.push((strict, 0, vec![5]));
        }
        lines
    }

    fn ios(
        &self,
        name: &str,
        port_type: PortType,
        weights: &[u32],
        unit: Size,
        mtu: u32,
    ) -> Vec<String> {
        let mut lines = vec![
            format!("! Lower-effort class on {name}, written by farpath config lbe."),
            "! Lines with `! farpath` say what the commands cannot; the switch passes over them."
                .to_owned(),
            "mls qos".to_owned(),
        ];
        if self.dscp / 8 != 1 {
            lines.push(format!("mls qos map dscp-cos {} to 1", self.dscp));
        }
        lines.push("!".to_owned());
        lines.push(format!("interface {name}"));
        lines.extend(self.notes(port_type, unit, mtu).map(|n| format!(" ! {n}")));
        lines.push(format!(
            " description lower effort in queue {}",
            port_type.weighted
        ));
        if mtu != 1500 {
            lines.push(format!(" mtu {mtu}"));
        }
        lines.push(" mls qos trust dscp".to_owned());
        lines.push(format!(" wrr-queue bandwidth {}", joined(weights)));
        for (queue, threshold, cos) in self.cos(port_type) {
            lines.push(match threshold {
                0 => format!(" priority-queue cos-map 1 {}", joined(&cos)),
                t => format!(" wrr-queue cos-map {queue} {t} {}", joined(&cos)),
            });
        }
        lines.push("!".to_owned());
        lines
    }

    fn catos(
        &self,
        name: &str,
        port_type: PortType,
        weights: &[u32],
        unit: Size,
        mtu: u32,
    ) -> Vec<String> {
        let port = name.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        let mut lines = vec![format!(
            "# Lower-effort class on port {port}, written by farpath config lbe."
        )];
        lines.extend(self.notes(port_type, unit, mtu).map(|n| format!("# {n}")));
        lines.push("set qos enable".to_owned());
        if self.dscp / 8 != 1 {
            lines.push(format!("set qos dscp-cos-map {}:1", self.dscp));
        }
        for (queue, threshold, cos) in self.cos(port_type) {
            lines.push(format!(
                "set qos map {port_type} tx {queue} {} cos {}",
                threshold.max(1),
                joined(&cos)
            ));
        }
        lines.push(format!("set qos wrr {port_type} {}", joined(weights)));
        lines.push(format!("set port qos {port} trust trust-dscp"));
        if mtu > 1500 {
            lines.push(format!("set port jumbo {port} enable"));
        }
        lines
    }

    fn notes(&self, port_type: PortType, unit: Size, mtu: u32) -> impl Iterator<Item = String> {
        let share = 100.0 * self.share.get();
        // CatOS names the type in every command.
        let port_type =
            (self.dialect != Dialect::CatOs).then(|| format!("farpath port-type {port_type}"));
        let rest = [
            format!("farpath wrr-unit {} B", unit.as_bytes()),
            format!(
                "farpath lbe share {} % dscp {} mtu {mtu}",
                rounded(share),
                self.dscp
            ),
        ];
        port_type.into_iter().chain(rest)
    }
}

/// At most six digits behind the point, and no more than it takes.
fn rounded(value: f64) -> String {
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn joined<T: ToString>(list: &[T]) -> String {
    list.iter().map(T::to_string).collect::<Vec<_>>().join(" ")
}
