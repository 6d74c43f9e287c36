//! The same case in the simulator.

use farpath_element::Mode;
use farpath_scenario::{Source, parse};
use farpath_sim::{Keep, Options, Program, TcpSink, TcpSource, WINDOW};
use farpath_wire::FlowDir;

use crate::case::Case;
use crate::curve::Curve;
use crate::fault::Fault;

/// Payload bytes of a full segment: 1500 less IP, TCP and timestamps.
pub(crate) const SEGMENT: f64 = 1448.0;

/// What the simulator gave.
pub(crate) struct ModelRun {
    pub(crate) flavour: &'static str,
    pub(crate) cwnd: Curve,
    pub(crate) delivered: Curve,
    pub(crate) srtt_ms: Curve,
    /// When the window was cut, if it was once.
    pub(crate) cut: Option<f64>,
    pub(crate) retransmits: u64,
}

/// Runs `case` in virtual time, with a sample every 10 ms.
pub(crate) fn run(case: &Case, flavour: &'static str) -> Result<ModelRun, Fault> {
    let source = Source {
        name: case.name.to_owned(),
        text: case.scenario(flavour),
    };
    let scenario = parse(&source, &[]).map_err(|e| Fault::Failed(e.to_string()))?;
    let options = Options {
        mode: Mode::Windowed(WINDOW),
        seed: 1,
        // A little more than asked for: a sample's step is the round number above.
        intervals: (case.seconds + 1) * 100,
        keep: Keep::default(),
        progress: &mut |_| true,
        tap: &mut |_, _, _| {},
    };
    let outcome = farpath_sim::run(&scenario, options).map_err(|e| Fault::Failed(e.to_string()))?;
    let flow = &outcome.built.wan.plan.flows[0];
    let dir = FlowDir::forward(0);
    let source = outcome.built.station(flow.source.0).program(dir.turned());
    let sink = outcome.built.station(flow.sink.0).program(dir);
    let (Some(Program::TcpSource(source)), Some(Program::TcpSink(sink))) = (source, sink) else {
        return Err(Fault::Failed(
            "the simulator has no such connection".to_owned(),
        ));
    };
    let every = outcome.built.wan.sampling.every.as_secs_f64();
    Ok(collect(flavour, source, sink, every))
}

fn collect(flavour: &'static str, source: &TcpSource, sink: &TcpSink, every: f64) -> ModelRun {
    let (mut cwnd, mut delivered, mut srtt_ms) =
        (Curve::default(), Curve::default(), Curve::default());
    delivered.push(0.0, 0.0);
    for (n, (sample, bytes)) in source.samples.iter().zip(&sink.samples).enumerate() {
        let t = (n + 1) as f64 * every;
        delivered.push(t, *bytes as f64);
        // A connection that is not open has no round-trip time; the kernel's is not seen then.
        if let Some(srtt) = sample.srtt {
            cwnd.push(t, sample.cwnd as f64 / SEGMENT);
            srtt_ms.push(t, srtt.as_secs_f64() * 1000.0);
        }
    }
    let sender = source.sender();
    let stats = sender.stats();
    let once = sender
        .last_loss()
        .filter(|_| stats.fast_recoveries + stats.rtos == 1);
    ModelRun {
        flavour,
        cwnd,
        delivered,
        srtt_ms,
        cut: once.map(|loss| loss.at.as_secs_f64()),
        retransmits: stats.retransmits,
    }
}
