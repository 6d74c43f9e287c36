//! `cargo xtask corpus --plot`: how often what was said with a confidence was right, as a figure.

use std::fmt::Write;

/// Where the figure goes.
const FILE: &str = "docs/models/diagnosis-reliability.svg";

/// Width of a class of confidence.
const CLASS: f64 = 0.05;

/// Fewer texts than this make no dot.
const LEAST: usize = 20;

/// Side of the figure's square, and the space around it.
const SIDE: f64 = 360.0;
const MARGIN: f64 = 56.0;

/// Texts of one class: how many, the sum of what was said, how many were right.
#[derive(Clone, Copy, Default)]
struct Class {
    texts: usize,
    said: f64,
    right: usize,
}

/// Draws the rows of runs of the corpus, each a file of its own.
pub(crate) fn plot(files: &[&str]) -> Result<bool, String> {
    let mut classes = vec![Class::default(); (1.0 / CLASS).round() as usize];
    for file in files {
        let text = std::fs::read_to_string(file).map_err(|e| format!("{file}: {e}"))?;
        for line in text.lines().skip(1) {
            let words: Vec<&str> = line.split('\t').collect();
            let [_, _, _, truth, other, said, confidence, ..] = words[..] else {
                return Err(format!("{file}: a row of {} columns", words.len()));
            };
            let p: f64 = confidence.parse().map_err(|e| format!("{file}: {e}"))?;
            if said == "unknown" {
                continue;
            }
            let class = ((p / CLASS) as usize).min(classes.len() - 1);
            classes[class].texts += 1;
            classes[class].said += p;
            classes[class].right += usize::from(said == truth || said == other);
        }
    }
    std::fs::write(FILE, figure(&classes)).map_err(|e| format!("{FILE}: {e}"))?;
    for c in classes.iter().filter(|c| c.texts > 0) {
        let n = c.texts as f64;
        println!(
            "said {:.3}  right {:.3}  of {}",
            c.said / n,
            c.right as f64 / n,
            c.texts
        );
    }
    Ok(true)
}

fn figure(classes: &[Class]) -> String {
    let whole = SIDE + 2.0 * MARGIN;
    let x = |p: f64| MARGIN + p * SIDE;
    let y = |p: f64| MARGIN + (1.0 - p) * SIDE;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {whole} {whole}\" font-family=\"sans-serif\" font-size=\"13\">\n<title>Confidence said, and how often it was right</title>\n<rect width=\"{whole}\" height=\"{whole}\" fill=\"white\"/>\n"
    );
    for n in 0..=5 {
        let p = f64::from(n) / 5.0;
        let _written = writeln!(
            svg,
            "<path d=\"M{x0} {y0}H{x1}M{xp} {y1}V{y2}\" stroke=\"#ddd\" fill=\"none\"/>\n<text x=\"{xp}\" y=\"{below}\" text-anchor=\"middle\">{p:.1}</text>\n<text x=\"{left}\" y=\"{middle}\" text-anchor=\"end\">{p:.1}</text>",
            x0 = x(0.0),
            y0 = y(p),
            x1 = x(1.0),
            xp = x(p),
            y1 = y(0.0),
            y2 = y(1.0),
            below = y(0.0) + 20.0,
            left = x(0.0) - 8.0,
            middle = y(p) + 4.0
        );
    }
    let _written = writeln!(
        svg,
        "<path d=\"M{} {}L{} {}\" stroke=\"#888\" stroke-dasharray=\"4 4\"/>",
        x(0.0),
        y(0.0),
        x(1.0),
        y(1.0)
    );
    let mut line = String::new();
    let mut dots = String::new();
    for c in classes.iter().filter(|c| c.texts >= LEAST) {
        let n = c.texts as f64;
        let (said, right) = (c.said / n, c.right as f64 / n);
        let step = if line.is_empty() { 'M' } else { 'L' };
        let _written = write!(line, "{step}{:.1} {:.1}", x(said), y(right));
        let radius = 2.0 + 1.6 * n.log10();
        let _written = writeln!(
            dots,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"{radius:.1}\" fill=\"#1668a8\"><title>said {said:.2}, right {right:.2}, {} texts</title></circle>",
            x(said),
            y(right),
            c.texts
        );
    }
    let _written = writeln!(
        svg,
        "<path d=\"{line}\" stroke=\"#1668a8\" fill=\"none\"/>\n{dots}<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">confidence that was said</text>\n<text transform=\"translate(16 {}) rotate(-90)\" text-anchor=\"middle\">share that was right</text>\n</svg>",
        x(0.5),
        whole - 12.0,
        y(0.5)
    );
    svg
}
