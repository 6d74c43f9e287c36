//! The scenario of one path between a client and a server, from a command line.

use farpath_units::{Duration, Rate, Size};

use crate::args::OnePath;
use crate::exit::Failure;
use crate::value::read;

/// Propagation of each link between a host and the path.
const ACCESS: Duration = Duration::from_us(1);

/// The access links' rate over the path's: the queue of the path is on the path.
const ACCESS_TIMES: u64 = 4;

/// Name of the path's link.
pub(super) const PATH: &str = "path";

/// The text of the scenario.
pub(super) fn text(path: &OnePath) -> Result<String, Failure> {
    let rate: Rate = read("rate", &path.rate)?;
    let rtt: Duration = read("rtt", &path.rtt)?;
    let least = ACCESS.times(4);
    if rtt <= least {
        return Err(Failure::usage(format!(
            "--rtt {}: it must be more than {least}",
            path.rtt
        )));
    }
    let one_way = Duration::from_ps(rtt.saturating_sub(least).as_ps() / 2);
    let mtu: Size = Size::from_bytes(path.mtu.into());
    let access = rate.as_bps().saturating_mul(ACCESS_TIMES);
    let mut loss = String::new();
    if let Some(ratio) = &path.loss {
        loss = format!("loss = {}\n", toml_ratio(ratio));
    }
    let link = |name: &str, ends: [&str; 2], rate: u64, delay: Duration, more: &str| {
        format!(
            "[[link]]\nname = \"{name}\"\nends = [\"{}\", \"{}\"]\nrate = \"{rate} bit/s\"\ndelay = \"{} ps\"\n\
             mtu = {}\n{more}\n",
            ends[0],
            ends[1],
            delay.as_ps(),
            mtu.as_bytes()
        )
    };
    let queue = format!("queue = \"{}\"\n", path.queue);
    Ok(format!(
        "[scenario]\nname = \"one-path\"\n\n[[host]]\nname = \"client\"\n\n[[host]]\nname = \"server\"\n\n\
         [[router]]\nname = \"west\"\n\n[[router]]\nname = \"east\"\n\n{}{}{}\
         [[test]]\nname = \"rtt\"\nkind = \"ping\"\nfrom = \"client\"\nto = \"server\"\n\
         interval = \"500 ms\"\ncount = 1000000\n",
        link("client-west", ["client", "west"], access, ACCESS, ""),
        link(
            PATH,
            ["west", "east"],
            rate.as_bps(),
            one_way,
            &format!("{queue}{loss}")
        ),
        link("east-server", ["east", "server"], access, ACCESS, ""),
    ))
}

/// A ratio as a scenario has it: a number, or a text with its unit.
fn toml_ratio(text: &str) -> String {
    if text.parse::<f64>().is_ok() {
        text.to_owned()
    } else {
        format!("\"{text}\"")
    }
}
