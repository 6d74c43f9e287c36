//! `lsusb -t`: at which speed network adapters stand at their ports.

use super::{Facts, Line, Tool};
use crate::interfaces::usb_port::USB;
use crate::words::{between, decimal};

/// Such lines stand by themselves: nothing is kept from one to the next.
pub(super) struct Usb;

/// Drivers of adapters for Ethernet, by the names of Linux; `cdc_` are of all that keep to its class.
const DRIVERS: [&str; 10] = [
    "r8152",
    "r8153_ecm",
    "ax88179_178a",
    "asix",
    "aqc111",
    "lan78xx",
    "smsc75xx",
    "smsc95xx",
    "cdc_ncm",
    "cdc_ether",
];

impl Tool for Usb {
    fn name(&self) -> &'static str {
        "lsusb"
    }

    fn line(&mut self, line: Line<'_>, _going: bool, facts: &mut Facts) -> bool {
        let Some((driver, bps)) = device(line.bare) else {
            return false;
        };
        if DRIVERS.contains(&driver) {
            let host = facts.host();
            facts.exact(host, USB[0], bps, line.at);
            facts.word(host, USB[1], driver, line.at);
        }
        true
    }
}

/// The driver and the speed, bit/s, of a line of the tree: `|__ Port 2: Dev 3, If 0, Class=Vendor Specific Class, Driver=r8152, 480M`, and
/// `/:  Bus 02.Port 1: Dev 1, Class=root_hub, Driver=xhci_hcd/4p, 480M`.
fn device(text: &str) -> Option<(&str, f64)> {
    if !text.starts_with("|__ Port ") && !text.starts_with("/:  Bus ") {
        return None;
    }
    let driver = between(text, "Driver=", ",")?;
    let (_, speed) = text.rsplit_once(", ")?;
    let mbit = decimal(speed.strip_suffix('M')?)?;
    Some((driver.split('/').next().unwrap_or(driver), mbit * 1e6))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::Of;
    use crate::flows::flow::number;
    use crate::read::taken::taken;

    #[test]
    fn adapters_stand_at_ports_of_a_speed() {
        let text = "/:  Bus 02.Port 1: Dev 1, Class=root_hub, Driver=xhci_hcd/4p, 480M\n    |__ Port 2: Dev 3, If 0, Class=Vendor Specific Class, Driver=r8152, 480M\n    |__ Port 3: Dev 4, If 0, Class=Human Interface Device, Driver=usbhid, 12M";
        let facts = taken(Usb, text);
        let usb = number(&facts, Of::Host(0), USB[0]).map(|bps| bps.value);
        assert_eq!(usb, Some(480e6));
        assert_eq!(device("we ran lsusb -t"), None);
    }
}
