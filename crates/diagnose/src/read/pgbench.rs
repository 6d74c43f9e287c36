//! What pgbench of PostgreSQL prints at its end: how many transactions its clients ran, and how long one took on average.
//!
//! Only of its built-in scripts is it known how many statements a transaction has: each waits for its answer.

use super::queries::{COUNT, TOOK};
use super::{Facts, Line, Tool};
use crate::fact::Of;
use crate::words::{decimal, whole};

/// Built-in scripts in small letters, and how many statements a transaction of each has.
const SCRIPTS: [(&str, f64); 3] = [
    ("select only", 1.0),
    ("simple update", 5.0),
    ("tpc-b (sort of)", 7.0),
];

/// How its other lines begin.
const LINES: [&str; 14] = [
    "scaling factor: ",
    "partition method: ",
    "partitions: ",
    "number of partitions: ",
    "query mode: ",
    "number of threads: ",
    "maximum number of tries: ",
    "number of transactions per client: ",
    "duration: ",
    "number of failed transactions: ",
    "number of transactions retried: ",
    "total number of retries: ",
    "latency stddev ",
    "initial connection time ",
];

/// Lines of a run whose times have more in them than its statements: it was held to a rate, or opened a connection for each transaction.
const OTHERS: [&str; 2] = ["rate limit schedule lag", "average connection time"];

/// The state of reading: what the report that is read said so far.
#[derive(Default)]
pub(super) struct PgBench {
    statements: Option<f64>,
    clients: Option<f64>,
    transactions: Option<f64>,
    latency_s: Option<f64>,
}

impl Tool for PgBench {
    fn name(&self) -> &'static str {
        "pgbench"
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        if let Some(script) = text.strip_prefix("transaction type: ") {
            *self = PgBench {
                statements: statements(script),
                ..PgBench::default()
            };
            return true;
        }
        if text.starts_with("pgbench (") || text.starts_with("starting vacuum...") {
            return true;
        }
        if text.starts_with("progress: ") && text.contains(" tps, lat ") {
            return true;
        }
        if !going {
            return false;
        }
        if let Some(clients) = text.strip_prefix("number of clients: ") {
            self.clients = whole(clients).map(|n| n as f64);
        } else if let Some(count) = text.strip_prefix("number of transactions actually processed: ")
        {
            let done = count.split('/').next().unwrap_or("");
            self.transactions = whole(done).map(|n| n as f64);
        } else if let Some(latency) = text.strip_prefix("latency average") {
            self.latency_s = latency_s(latency);
        } else if OTHERS.iter().any(|begin| text.starts_with(begin)) {
            self.latency_s = None;
        } else if text.starts_with("tps = ") {
            self.close(line, facts);
        } else {
            return LINES.iter().any(|begin| text.starts_with(begin));
        }
        true
    }
}

impl PgBench {
    /// Hands over what each client asked, one by one, and in which time.
    fn close(&mut self, line: Line<'_>, facts: &mut Facts) {
        let all = core::mem::take(self);
        let both = all.statements.zip(all.latency_s);
        let each = all.transactions.zip(all.clients.filter(|n| *n > 0.0));
        let (Some((statements, latency_s)), Some((transactions, clients))) = (both, each) else {
            return;
        };
        let own = transactions / clients;
        if own > 0.0 && latency_s > 0.0 {
            facts.exact(Of::Path, COUNT, own * statements, line.at);
            facts.exact(Of::Path, TOOK, own * latency_s * 1e9, line.at);
        }
    }
}

/// The statements of a transaction of `<builtin: select only>`, or `SELECT only` of releases before 9.6.
fn statements(script: &str) -> Option<f64> {
    let builtin = script
        .strip_prefix("<builtin: ")
        .and_then(|s| s.strip_suffix('>'));
    let name = builtin.unwrap_or(script).to_ascii_lowercase();
    let known = SCRIPTS.iter().find(|(own, _)| *own == name);
    known.map(|(_, statements)| *statements)
}

/// Seconds of ` = 82.731 ms`, or `: 82.731 ms` of older releases.
fn latency_s(text: &str) -> Option<f64> {
    let value = text.trim_start_matches([' ', '=', ':']);
    Some(decimal(value.strip_suffix(" ms")?)? / 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flows::flow::number;
    use crate::read::taken::taken;

    /// The end of a run of this script by so many clients, with these lines before its rate.
    fn report(script: &str, clients: u32, before: &str) -> String {
        format!(
            "pgbench (15.6)\nstarting vacuum...end.\ntransaction type: {script}\nscaling factor: 10\nquery mode: simple\nnumber of clients: {clients}\nnumber of threads: 1\nmaximum number of tries: 1\nduration: 20 s\nnumber of transactions actually processed: 240\nnumber of failed transactions: 0 (0.000%)\nlatency average = 80.000 ms\n{before}initial connection time = 251.114 ms\ntps = 12.087401 (without initial connection time)\n"
        )
    }

    /// How many requests it counts, and in how many seconds.
    fn of(text: &str) -> Option<(f64, f64)> {
        let facts = taken(PgBench::default(), text);
        let get = |name: &'static str| number(&facts, Of::Path, name).map(|n| n.value);
        Some((get(COUNT)?, get(TOOK)? / 1e9))
    }

    #[test]
    fn statements_of_each_client_and_their_time_are_read() {
        for (script, clients, count, seconds) in [
            ("<builtin: select only>", 1, 240.0, 19.2),
            ("SELECT only", 1, 240.0, 19.2),
            ("<builtin: TPC-B (sort of)>", 2, 840.0, 9.6),
            ("<builtin: simple update>", 4, 300.0, 4.8),
        ] {
            let (own, took) = of(&report(script, clients, "")).expect(script);
            assert!((own - count).abs() < 1e-9, "{script}: {own}");
            assert!((took - seconds).abs() < 1e-9, "{script}: {took}");
        }
    }

    #[test]
    fn what_is_not_known_to_be_statements_alone_is_left() {
        assert_eq!(of(&report("/tmp/own.sql", 1, "")), None);
        let held = "rate limit schedule lag: avg 0.040 (max 1.200) ms\n";
        assert_eq!(of(&report("<builtin: select only>", 1, held)), None);
        let opened = "average connection time = 251.114 ms\n";
        assert_eq!(of(&report("<builtin: select only>", 1, opened)), None);
    }
}
