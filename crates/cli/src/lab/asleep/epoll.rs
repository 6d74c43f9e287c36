//! What a thread waits for in `epoll_wait`: anything that its list has (proc(5), `fdinfo`), or the end of a time of its own.
//!
//! That is known where the rest of the list is quiet: connections with nothing under way and nothing unread, and what threads of the program
//! wake each other by. These are eventfds, signalfds, and pipes and pairs of sockets of which the program holds both ends.

use std::collections::BTreeMap;
use std::fs::{DirEntry, read_dir, read_link, read_to_string};
use std::path::Path as File;

use farpath_units::Duration;

use super::{Asleep, EDGE, FILES_MOST, IN, OUT, Wakes, memory};

/// `epoll_pwait2`, on every kind of machine: its time is in memory, and not in milliseconds.
const BY_CLOCK: u64 = 441;

/// Files by which threads of a program wake each other.
const WAKERS: [&str; 2] = ["anon_inode:[eventfd]", "anon_inode:[signalfd]"];

/// Longer than this is without an end, nanoseconds: ten days.
const LONGEST_NS: u64 = 864_000_000_000_000;

/// How long a call of this number, with this fourth argument, lasts at most: none without an end. None at all where that cannot be read.
pub(super) fn timer(program: &File, number: u64, argument: u64) -> Option<Option<Duration>> {
    if number != BY_CLOCK {
        // Milliseconds, -1 without an end.
        let ms = u64::try_from(argument as u32 as i32).ok();
        return Some(ms.map(Duration::from_ms));
    }
    if argument == 0 {
        return Some(None);
    }
    let time = memory(program, argument, 16)?;
    let part = |at: usize| Some(u64::from_ne_bytes(*time.get(at..)?.first_chunk()?));
    let ns = part(0)?.saturating_mul(1_000_000_000);
    let ns = ns.saturating_add(part(8)?);
    Some((ns < LONGEST_NS).then(|| Duration::from_ns(ns)))
}

/// What a thread waits for, by lines as `tfd: 5 events: 2019 data: 5 pos:0 ino:3ab1 sdev:9` of its file, in a call that lasts so long at most.
/// `quiet` are the sockets of connections with nothing under way and nothing unread.
pub(super) fn of_epoll(
    list: &str,
    (program, inode): (&File, u32),
    quiet: &[u32],
    timer: Option<Duration>,
) -> Option<Asleep> {
    let name = format!("ino:{inode:x}");
    let is_own = |line: &&str| line.split_whitespace().any(|w| w == name);
    let is_quiet = quiet.contains(&inode);
    let files: Vec<u64> = list
        .lines()
        .filter(|line| !is_own(line))
        .filter_map(file_of)
        .collect();
    // Files are gone through only where it matters.
    let is_rest_quiet = || are_quiet(program, &files, quiet);
    let Some(own) = list.lines().find(is_own) else {
        let is_parked = is_quiet && timer.is_none() && is_rest_quiet();
        return Some(match is_parked {
            true => Asleep::Parked,
            false => Asleep::Elsewhere,
        });
    };
    let mut words = own.split_whitespace().skip_while(|word| *word != "events:");
    let events = u64::from_str_radix(words.nth(1)?, 16).ok()?;
    match (events & OUT > 0, events & EDGE > 0) {
        // Of one that has nothing under way nobody waits for room.
        (true, true) if !is_quiet => return None,
        (true, false) => return Some(Asleep::ForRoom),
        _ => {}
    }
    if events & IN == 0 {
        return Some(Asleep::Elsewhere);
    }
    Some(match is_quiet && is_rest_quiet() {
        true => Asleep::ForWakes(Wakes { timer }),
        false => Asleep::ForEvents,
    })
}

/// The number of the file that a line is of.
fn file_of(line: &str) -> Option<u64> {
    let mut words = line.split_whitespace();
    let is_file = words.next() == Some("tfd:");
    words.next().filter(|_| is_file)?.parse().ok()
}

/// Whether all of these files of a program are its own wakers, or connections of `quiet`.
fn are_quiet(program: &File, files: &[u64], quiet: &[u32]) -> bool {
    let known = Files::of(program);
    files.iter().all(|file| {
        let Some(target) = known.all.get(file) else {
            return false;
        };
        let socket = number(target);
        let is_quiet = |one: u64| quiet.iter().any(|own| u64::from(*own) == one);
        socket.is_some_and(is_quiet) || known.is_of_its_own(target, socket)
    })
}

/// The files of a program, by their numbers, and its table of unix sockets.
struct Files {
    all: BTreeMap<u64, String>,
    unix: String,
}

impl Files {
    fn of(program: &File) -> Files {
        let entries = read_dir(program.join("fd"));
        let entries = entries.into_iter().flatten().flatten().take(FILES_MOST);
        let of = |entry: DirEntry| {
            let number = entry.file_name().to_str()?.parse::<u64>().ok()?;
            let target = read_link(entry.path()).ok()?;
            Some((number, target.to_str()?.to_owned()))
        };
        Files {
            all: entries.filter_map(of).collect(),
            unix: read_to_string(program.join("net/unix")).unwrap_or_default(),
        }
    }

    /// Whether only the program itself can wake somebody by it.
    fn is_of_its_own(&self, target: &str, socket: Option<u64>) -> bool {
        let held = |target: &str| self.all.values().filter(|t| *t == target).count();
        match socket {
            Some(one) => {
                // Both ends of a pair are made one behind the other.
                let beside = [one.saturating_add(1), one.saturating_sub(1)];
                let is_other = |n: &u64| held(&format!("socket:[{n}]")) > 0 && self.is_unix(*n);
                self.is_unix(one) && beside.iter().any(is_other)
            }
            None => WAKERS.contains(&target) || (target.starts_with("pipe:[") && held(target) > 1),
        }
    }

    /// Whether a unix socket without a name has this inode: `Num RefCount Protocol Flags Type St Inode Path` (proc(5)).
    fn is_unix(&self, inode: u64) -> bool {
        let inode = inode.to_string();
        self.unix.lines().any(|line| {
            let mut words = line.split_whitespace().skip(6);
            words.next() == Some(inode.as_str()) && words.next().is_none()
        })
    }
}

/// The inode of a socket, by what a file leads to.
fn number(target: &str) -> Option<u64> {
    let inode = target.strip_prefix("socket:[")?.strip_suffix(']')?;
    inode.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    const OWN: u32 = 4660;

    /// What a thread of a program waits for that has socket 4660 as its file 3 and these files from 4 on, all of them in the list of its epoll.
    fn waits(files: &[&str], quiet: &[u32], timer: Option<Duration>) -> Option<Asleep> {
        let folder = tempfile::tempdir().expect("a folder");
        let home = folder.path();
        for made in ["fd", "net"] {
            std::fs::create_dir(home.join(made)).expect(made);
        }
        let mut list = "pos:\t0\nflags:\t02\n".to_owned();
        let own = format!("socket:[{OWN}]");
        for (n, target) in (3..).zip([&own[..]].iter().chain(files)) {
            symlink(target, home.join(format!("fd/{n}"))).expect("a link");
            let inode = number(target).unwrap_or(1);
            list.push_str(&format!(
                "tfd: {n:8} events:       19 data: {n:16x}  pos:0 ino:{inode:x} sdev:9\n"
            ));
        }
        // Both ends of a pair, of which it waits for one.
        symlink("socket:[901]", home.join("fd/30")).expect("a link");
        let unix = "Num       RefCount Protocol Flags    Type St Inode Path\n\
            0000000000000000: 00000003 00000000 00000000 0001 03 900\n\
            0000000000000000: 00000003 00000000 00000000 0001 03 901\n\
            0000000000000000: 00000003 00000000 00000000 0001 03 950\n";
        std::fs::write(home.join("net/unix"), unix).expect("a file");
        of_epoll(&list, (home, OWN), quiet, timer)
    }

    fn wakes(timer: Option<Duration>) -> Option<Asleep> {
        Some(Asleep::ForWakes(Wakes { timer }))
    }

    /// A client whose one connection has nothing under way, beside what its own threads wake it by.
    #[test]
    fn one_connection_beside_wakers_is_what_is_waited_for() {
        let own = [OWN];
        let second = Some(Duration::from_secs(1));
        for files in [
            &[] as &[&str],
            &["anon_inode:[eventfd]"],
            &["pipe:[77]", "pipe:[77]"],
            &["socket:[900]"],
        ] {
            assert_eq!(waits(files, &own, None), wakes(None), "{files:?}");
            assert_eq!(waits(files, &own, second), wakes(second), "{files:?}");
            let busy = waits(files, &[], None);
            assert_eq!(busy, Some(Asleep::ForEvents), "{files:?}");
        }
    }

    /// A timer, a pipe from another program, a socket of unix whose other end is not its own, and one of UDP.
    #[test]
    fn what_else_may_come_leaves_it_open() {
        for file in [
            "anon_inode:[timerfd]",
            "pipe:[77]",
            "socket:[950]",
            "socket:[5000]",
        ] {
            let found = waits(&[file], &[OWN], None);
            assert_eq!(found, Some(Asleep::ForEvents), "{file}");
        }
        let several = waits(&["socket:[5000]"], &[OWN, 5000], None);
        assert_eq!(several, wakes(None), "another quiet connection");
    }

    /// Another loop of the program, and one that has an end.
    #[test]
    fn a_loop_that_has_not_the_socket_is_parked() {
        let nowhere = File::new("/nowhere");
        let found = |timer| of_epoll("pos:\t0\n", (nowhere, OWN), &[OWN], timer);
        assert_eq!(found(None), Some(Asleep::Parked));
        let second = Some(Duration::from_secs(1));
        assert_eq!(found(second), Some(Asleep::Elsewhere));
    }

    #[test]
    fn the_time_of_a_call_is_its_fourth_argument() {
        let nowhere = File::new("/nowhere");
        assert_eq!(timer(nowhere, 232, 0xffff_ffff), Some(None));
        assert_eq!(timer(nowhere, 232, u64::MAX), Some(None));
        let short = Some(Some(Duration::from_ms(500)));
        assert_eq!(timer(nowhere, 232, 500), short);
        assert_eq!(timer(nowhere, BY_CLOCK, 0), Some(None));
        assert_eq!(timer(nowhere, BY_CLOCK, 16), None, "it cannot be read");
        let folder = tempfile::tempdir().expect("a folder");
        let time = [0_u64, 0, 2, 500_000_000].map(u64::to_ne_bytes).concat();
        std::fs::write(folder.path().join("mem"), time).expect("a file");
        let found = timer(folder.path(), BY_CLOCK, 16);
        assert_eq!(found, Some(Some(Duration::from_ms(2500))));
    }
}
