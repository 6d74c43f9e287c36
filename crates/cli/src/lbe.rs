//! `farpath config lbe`, and the options of `farpath config check` for switch ports.

use farpath_config::qos::{Lbe, Options, PortType};
use farpath_config::{Dialect, Platform, qos};
use farpath_units::{Duration, Rate, Ratio, Size};

use crate::args::{ConfigCheckArgs, ConfigLbeArgs};
use crate::exit::{Exit, Failure, print};
use crate::value::{self, maybe, mtu, read};

pub(crate) fn write(args: &ConfigLbeArgs) -> Result<Exit, Failure> {
    let dialect = value::dialect(&args.dialect)?;
    if !matches!(dialect, Dialect::Ios | Dialect::CatOs) {
        return Err(Failure::usage(format!(
            "--dialect {dialect}: Catalyst switches speak ios or catos"
        )));
    }
    let lbe = Lbe {
        share: read::<Ratio>("share", &args.share)?,
        mtu: u32::try_from(mtu(&args.mtu)?.as_bytes()).unwrap_or(u32::MAX),
        port_type: maybe::<PortType>("port-type", args.ports.port_type.as_deref())?,
        rate: read::<Rate>("rate", &args.rate)?,
        dscp: args.dscp,
        interface: args.interface.clone(),
        dialect,
        unit: maybe::<Size>("wrr-unit", args.ports.wrr_unit.as_deref())?,
    };
    let written = lbe
        .write()
        .map_err(|e: qos::LbeError| Failure::usage(e.cause).hint(e.remedy))?;
    print(&written.text)?;
    Ok(Exit::Ok)
}

fn machine(name: &str) -> Result<Platform, Failure> {
    Platform::named(name).ok_or_else(|| {
        let all: Vec<&str> = Platform::ALL.iter().map(|p| p.name()).collect();
        Failure::usage(format!("unknown platform `{name}`"))
            .hint(format!("write one of {}", all.join(", ")))
    })
}

fn release(text: &str) -> Result<(u32, u32), Failure> {
    farpath_predict::window::release(text).ok_or_else(|| {
        Failure::usage(format!("--kernel {text}: no release of Linux"))
            .hint("write what `uname -r` prints there, such as 6.18 or 5.15.0-91-generic")
    })
}

/// What the user says of ports and targets.
pub(crate) fn options(args: &ConfigCheckArgs) -> Result<Options, Failure> {
    let platform = args.platform.as_deref().map(machine).transpose()?;
    Ok(Options {
        platform,
        port_type: maybe("port-type", args.ports.port_type.as_deref())?,
        unit: maybe("wrr-unit", args.ports.wrr_unit.as_deref())?,
        rtt: maybe::<Duration>("rtt", args.rtt.as_deref())?,
        rate: maybe::<Rate>("rate", args.rate.as_deref())?,
        kernel: args.kernel.as_deref().map(release).transpose()?,
        share: maybe("share", args.share.as_deref())?,
        ..Options::default()
    })
}
