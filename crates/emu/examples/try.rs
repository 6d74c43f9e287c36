use farpath_emu::{
    driver::{Clock, Polling},
    lab::{Lab, Options},
};
use farpath_units::Duration;
use std::process::Stdio;
fn main() {
    farpath_emu::host::init_main();
    let mut args = std::env::args().skip(1);
    let file = args.next().unwrap();
    let polling = match args.next().unwrap().as_str() {
        "busy" => Polling::Busy,
        "sleep" => Polling::Sleep,
        _ => Polling::Hybrid,
    };
    let client: Vec<String> = args.collect();
    let text = std::fs::read_to_string(&file).unwrap();
    let scenario =
        farpath_scenario::parse(&farpath_scenario::Source { name: file, text }, &[]).unwrap();
    let machine = farpath_emu::settings::Machine::read(std::path::Path::new("/")).unwrap();
    let layouts = farpath_emu::layout::layout(&scenario, &machine).unwrap();
    let mut lab = Lab::up(
        &scenario,
        layouts,
        Options {
            polling,
            ..Options::default()
        },
    )
    .unwrap();
    for h in &lab.hosts {
        for n in &h.notes {
            eprintln!("{}: {n}", h.name);
        }
    }
    let mut server = lab.hosts[1]
        .command("iperf3")
        .args(["-s", "-1"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut child = None;
    let mut seen = 0;
    let hosts = std::mem::take(&mut lab.hosts);
    let start = std::time::Instant::now();
    lab.run(Clock::start(Duration::ZERO), |_, _, _| {
        if child.is_none() && start.elapsed().as_millis() > 300 {
            child = Some(
                hosts[0]
                    .command(&client[0])
                    .args(&client[1..])
                    .spawn()
                    .unwrap(),
            );
        }
        seen += 1;
        match &mut child {
            Some(c) => seen % 20 != 0 || c.try_wait().unwrap().is_none(),
            None => true,
        }
    })
    .unwrap();
    lab.hosts = hosts;
    println!("{:?}", lab.plane.traffic());
    let c = lab.certificate(vec![]);
    println!("{}\n{c:#?}", c.line());
    for l in lab.links() {
        println!(
            "{} {} frames {} bytes {} drops {:?}",
            l.link, l.direction, l.frames, l.bytes, l.drops
        );
    }
    drop(server.kill());
}
