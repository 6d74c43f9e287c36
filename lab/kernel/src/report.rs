//! The table, and the files that hold the curves.

use std::path::Path;

use crate::compare::{Comparison, Errors, Landmarks};
use crate::fault::Fault;

/// A case's kernel, the model's flavours below it, and the kernel's second run; errors against the first.
pub(crate) fn table(comparisons: &[Comparison]) -> String {
    let mut text = format!(
        "{:26} {:7} {:>8} {:>8} {:>8} {:>9} {:>8} {:>11} {:>6}  {:>8} {:>8} {:>8}\n",
        "case",
        "",
        "cut s",
        "before",
        "after",
        "epoch s",
        "last",
        "Mbit/s",
        "rexmt",
        "NRMSE<",
        "NRMSE>",
        "NRMSE"
    );
    for c in comparisons {
        let repeat = c.repeat.map_or(String::new(), |errors| {
            format!("  again: {}", percents(&errors).trim_start())
        });
        line(&mut text, &c.case, "kernel", &c.kernel, &repeat);
        for model in &c.models {
            let errors = percents(&model.errors);
            line(&mut text, "", model.flavour, &model.landmarks, &errors);
        }
    }
    text
}

fn percents(errors: &Errors) -> String {
    [errors.before, errors.after, errors.all]
        .iter()
        .map(|e| format!(" {:>8}", percent(*e)))
        .collect()
}

fn line(text: &mut String, case: &str, who: &str, l: &Landmarks, errors: &str) {
    let row = format!(
        "{case:26} {who:7} {:>8} {:>8} {:>8} {:>9} {:>8.1} {:>11.3} {:>6} {errors}",
        number(l.cut_s, 3),
        number(l.before, 1),
        number(l.after, 1),
        number(l.epoch_s, 2),
        l.last,
        l.goodput_bps / 1e6,
        l.retransmits,
    );
    text.push_str(row.trim_end());
    text.push('\n');
}

fn number(value: Option<f64>, digits: usize) -> String {
    value.map_or("-".to_owned(), |v| format!("{v:.digits$}"))
}

fn percent(value: Option<f64>) -> String {
    value.map_or("-".to_owned(), |v| format!("{:.2} %", v * 100.0))
}

/// How late the forwarder was, and what makes a run void.
pub(crate) fn fidelity(comparisons: &[Comparison]) -> String {
    let mut text = format!(
        "{:26} {:>10} {:>10} {:>10} {:>10} {:>8} {:>11}\n",
        "path", "late p50", "p99", "max", "packets", "samples", "queue drops"
    );
    for c in comparisons {
        let f = &c.fidelity;
        let verdict = f
            .fault()
            .map_or(String::new(), |why| format!("  VOID: {why}"));
        let slow = if f.real_time {
            ""
        } else {
            "  (no real-time priority)"
        };
        text.push_str(&format!(
            "{:26} {:>7.0} us {:>7.0} us {:>7.0} us {:>10} {:>8} {:>11}{slow}{verdict}\n",
            c.case,
            f.late_p50_us,
            f.late_p99_us,
            f.late_max_us,
            f.deliveries,
            f.samples,
            f.queue_drops
        ));
    }
    text
}

/// Writes everything to `folder`: `kernel.json`, and a CSV of both curves for each case.
pub(crate) fn write(comparisons: &[Comparison], folder: &Path) -> Result<(), Fault> {
    let save = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(&path, text))
            .map_err(|e| Fault::Environment(format!("write {}: {e}", path.display())))
    };
    let json = serde_json::to_string(comparisons)
        .map_err(|e| Fault::Failed(format!("write JSON: {e}")))?;
    save("kernel.json", &json)?;
    for c in comparisons {
        let mut csv = String::from("t_s,who,cwnd_segments,srtt_ms\n");
        let kernel = [("kernel", &c.cwnd, &c.srtt_ms)];
        let models = c.models.iter().map(|m| (m.flavour, &m.cwnd, &m.srtt_ms));
        for (who, cwnd, srtt) in kernel.into_iter().chain(models) {
            for ((t, v), ms) in cwnd.t.iter().zip(&cwnd.v).zip(&srtt.v) {
                csv.push_str(&format!("{t:.4},{who},{v:.2},{ms:.3}\n"));
            }
        }
        save(&format!("{}.csv", c.case), &csv)?;
    }
    Ok(())
}
