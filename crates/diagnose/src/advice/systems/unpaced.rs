//! What to change about a sender that is paced to a rate.

use super::Remedy;

/// Against the pacing of an interface's queue, by its rate if it has one, or of the program's own socket.
pub(crate) fn unpaced(of_queue: Option<f64>) -> Remedy {
    let Some(bps) = of_queue else {
        return Remedy::without_risk([
            "leave the pacing out: iperf3 without --fq-rate, a program without SO_MAX_PACING_RATE, or with the rate that is wanted",
        ]);
    };
    Remedy {
        commands: vec!["tc qdisc replace dev INTERFACE root fq".to_owned()],
        undo: vec![format!(
            "tc qdisc replace dev INTERFACE root fq maxrate {:.0}bit",
            bps
        )],
        risk: "the rate was set for a reason: a policer or a short queue on the path may drop what comes faster".to_owned(),
        ..Remedy::default()
    }
}
