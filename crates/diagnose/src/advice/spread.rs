//! What to change about a full processor of Windows: receive side scaling (RSS), and the work of the program that fills it.

use super::systems::{Remedy, SPREADING};
use crate::fact::Of;
use crate::flows::flow::word;
use crate::read::{Facts, RSS_OFF, RSS_ON};

/// What says whose work fills a processor.
const WHOSE: &str = "typeperf \"\\Processor(*)\\% DPC Time\" \"\\Process(*)\\% Processor Time\" -sc 5 meanwhile: deferred calls (DPC) of a processor are what the interface's driver does there, and the processes are the programs";

/// How work is shared where nothing else is known of the program.
const SHARED: &str = "share the work: several processes or connections side by side, or a program with a thread for each; one connection has one processor with RSS, too";

/// Against a full processor of these hosts; `receives` where data arrives there, `share` how the program's work is shared where that is known.
pub(super) fn remedy(facts: &Facts, hosts: &[Of], receives: bool, share: Option<String>) -> Remedy {
    let said = |name: &'static str| {
        let mut all = hosts.iter();
        let found = all.find_map(|h| word(facts, *h, name));
        found.map(|(adapter, _)| adapter.to_owned())
    };
    let mut remedy = Remedy::without_risk([WHOSE]);
    remedy
        .commands
        .push(share.unwrap_or_else(|| SHARED.to_owned()));
    let (set, undo) = match (said(RSS_OFF), said(RSS_ON)) {
        _ if !receives => return remedy,
        (Some(adapter), _) => (
            vec![
                format!("Enable-NetAdapterRss -Name \"{adapter}\": receive side scaling (RSS) is off, so that one processor receives for all connections"),
                format!("Get-NetAdapterRss -Name \"{adapter}\" then: Enabled is True, and NumberOfReceiveQueues more than 1; Set-NetAdapterRss -Name \"{adapter}\" -NumberOfReceiveQueues N gives it more"),
            ],
            format!("Disable-NetAdapterRss -Name \"{adapter}\""),
        ),
        (None, Some(_)) => return remedy,
        (None, None) => (
            vec!["Get-NetAdapterRss, and keep what it prints: where Enabled is False one processor receives for all connections; Enable-NetAdapterRss -Name NAME".to_owned()],
            "Disable-NetAdapterRss -Name NAME, where it was off before".to_owned(),
        ),
    };
    remedy.commands.splice(0..0, set);
    remedy.undo = vec![undo];
    remedy.persist = vec!["it is kept: the adapter's driver has it in the registry".to_owned()];
    remedy.risks("the adapter starts anew, and connections through it stand still meanwhile");
    remedy.risks(SPREADING);
    remedy
}
