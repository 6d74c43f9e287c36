//! What to change where the memory of all TCP sockets of a host is used up.

use super::systems::{Remedy, kept};
use crate::ceiling::bytes;
use crate::evidence::Evidence;
use crate::windows::tcp_memory::UsedUp;

/// The setting.
const KEY: &str = "net.ipv4.tcp_mem";

/// TCP gets so many times what it had.
const MORE: f64 = 4.0;

/// A page of memory on most machines, bytes.
const PAGE: f64 = 4096.0;

/// So many orphans are worth a word. A choice.
const MANY: f64 = 100.0;

/// The three values of the setting, as a command has them.
fn triple(pages: [f64; 3]) -> String {
    pages.map(|n| format!("{n:.0}")).join(" ")
}

/// Finds who holds the memory, and then lets TCP have more of it.
pub(super) fn remedy(e: &Evidence) -> Remedy {
    let used = e.around.tcp_memory.as_ref().map(|(_, used)| used);
    let pages = used.and_then(|used| used.pages);
    let read = pages.map_or_else(String::new, |pages| {
        format!(
            ". It was {:.0} where the values are {}",
            pages.used,
            triple(pages.limits)
        )
    });
    let orphans = used.and_then(orphans).unwrap_or_default();
    let find = format!(
        "ss -tm: the sockets that hold it. A program that does not read what arrived (a Recv-Q that stays) is mended first{orphans}"
    );
    let stat = format!(
        "sysctl {KEY}, and keep what it prints; cat /proc/net/sockstat during a test: `mem` of TCP, in pages, at the second or third of these values is memory that is used up{read}"
    );
    let Some(pages) = pages else {
        return Remedy {
            commands: vec![
                stat,
                find,
                format!(
                    "sysctl -w {KEY}=\"LEAST PRESSURE MOST\", each four times what the first command printed"
                ),
            ],
            undo: vec![format!(
                "sysctl -w {KEY}=\"LEAST PRESSURE MOST\", with the values that `sysctl {KEY}` printed before"
            )],
            risk: "TCP may then take as many pages (of 4096 bytes on most machines) from the rest of the host".to_owned(),
            ..Remedy::default()
        };
    };
    let more = pages.limits.map(|n| MORE * n);
    Remedy {
        commands: vec![
            stat,
            find,
            format!(
                "sysctl -w {KEY}=\"{}\", each four times what it is",
                triple(more)
            ),
        ],
        undo: vec![format!("sysctl -w {KEY}=\"{}\"", triple(pages.limits))],
        persist: kept(&[(KEY, &triple(more))]),
        risk: format!(
            "TCP may then take {:.0} pages from the rest of the host, {} where a page has 4096 bytes",
            more[2],
            bytes(PAGE * more[2])
        ),
        room: None,
    }
}

/// What to do about sockets that no program has open any more, where there are some.
fn orphans(used: &UsedUp) -> Option<String> {
    let count = used.orphans.filter(|count| *count >= MANY)?;
    Some(format!(
        "; {count:.0} sockets are orphans, which their programs have closed with data still to send: ss -tan state fin-wait-1 has their peers, and a smaller net.ipv4.tcp_orphan_retries ends them sooner"
    ))
}
