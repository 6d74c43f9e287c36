//! What a program waits for, by what its threads sleep in. The kernel's list of sockets does not say it: its timer of the send buffer
//! runs for some writers that wait and not for others, and a full buffer may hold what a slow program has under way.
//!
//! `/proc/PID/task/TID/syscall` (proc(5)) names the call that a thread sleeps in and its first argument, a file. One that sleeps in
//! a write to the socket waits for room. So does one that sleeps in `epoll_wait` and would be woken as long as there is room
//! (EPOLLOUT without EPOLLET, epoll(7)), or in `poll` or `select` for room: what these wait for is in the program's memory. One that sleeps
//! in another call does not.
//!
//! One that sleeps in a read of the socket, or in `poll` or `select` until something comes on it, waits for data. One that is woken by its
//! standard input as well may wait for that. In `epoll_wait` sleep programs that wait for anything: `epoll` says when that is known.

mod epoll;

use std::fs::{self, read_dir, read_link, read_to_string};
use std::os::unix::fs::FileExt;
use std::path::Path as File;

use farpath_units::Duration;

use epoll::of_epoll;

/// What a program waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asleep {
    /// Room in the send buffer.
    ForRoom,
    /// Something that comes on the socket.
    ForData,
    /// Something that comes on the socket, and all else that its threads sleep in is quiet.
    ForWakes(Wakes),
    /// Whatever is first: something that comes on the socket, or something else.
    ForEvents,
    /// Another thread of its own.
    Parked,
    /// Something else.
    Elsewhere,
}

/// A sleep in `epoll_wait` in which all is quiet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wakes {
    /// It lasts so long at most; none without an end.
    pub(super) timer: Option<Duration>,
}

impl Asleep {
    /// This, where it is so.
    fn if_so(self, is_so: bool) -> Asleep {
        match is_so {
            true => self,
            false => Asleep::Elsewhere,
        }
    }

    /// Whether it is something that comes on the socket; none where that is not known.
    pub(super) fn is_for_data(self) -> Option<bool> {
        match self {
            Asleep::ForData => Some(true),
            Asleep::ForWakes(_) | Asleep::ForEvents => None,
            Asleep::ForRoom | Asleep::Parked | Asleep::Elsewhere => Some(false),
        }
    }

    /// A sleep in `epoll_wait`, where all in it is quiet.
    pub(super) fn wakes(self) -> Option<Wakes> {
        match self {
            Asleep::ForWakes(wakes) => Some(wakes),
            _ => None,
        }
    }
}

/// More files or threads of a program than these are not gone through.
const FILES_MOST: usize = 2000;
const THREADS_MOST: usize = 200;

/// Numbers of calls: those that write to their first argument, and those that read from it. Then those that wait for what `fdinfo` lists,
/// and for what an array or a set in the program's memory lists; and for another thread. The last may wait for anything (`splice`,
/// `io_uring_enter`, `restart_syscall`).
struct Calls {
    write: &'static [u64],
    read: &'static [u64],
    epoll: &'static [u64],
    poll: &'static [u64],
    select: &'static [u64],
    futex: &'static [u64],
    unseen: &'static [u64],
}

/// Those of this machine; none where they are not known here.
const CALLS: Option<Calls> = if cfg!(target_arch = "x86_64") {
    Some(Calls {
        write: &[1, 20, 40, 44, 46, 307],
        read: &[0, 19, 45, 47, 299],
        epoll: &[232, 281, 441],
        poll: &[7, 271],
        select: &[23, 270],
        futex: &[202, 449],
        unseen: &[275, 426, 219],
    })
} else if cfg!(target_arch = "aarch64") {
    Some(Calls {
        write: &[64, 66, 71, 206, 211, 269],
        read: &[63, 65, 207, 212, 243],
        epoll: &[22, 441],
        poll: &[73],
        select: &[72],
        futex: &[98, 449],
        unseen: &[76, 426, 128],
    })
} else {
    None
};

/// `EPOLLIN`, `EPOLLOUT` and `EPOLLET` (linux/eventpoll.h).
const IN: u64 = 1;
const OUT: u64 = 4;
const EDGE: u64 = 1 << 31;

/// What the programs that hold a socket wait for, of all of these numbers; none where one of their threads runs, or waits for nobody
/// knows what. `proc` is where the kernel shows processes, and `quiet` are sockets of connections with nothing under way and nothing unread.
pub(super) fn in_what(proc: &File, programs: &[i32], inode: u32, quiet: &[u32]) -> Option<Asleep> {
    let calls = CALLS?;
    let mut all = Vec::new();
    for pid in programs {
        let program = proc.join(pid.to_string());
        if !holds(&program, inode)? {
            continue;
        }
        let mut threads = read_dir(program.join("task")).ok()?.flatten();
        for thread in threads.by_ref().take(THREADS_MOST) {
            // One that has just ended waits for nothing.
            let text = read_to_string(thread.path().join("syscall")).unwrap_or_default();
            all.push(asleep(&text, &calls, (&program, inode), quiet));
        }
        if threads.next().is_some() {
            return None;
        }
    }
    if all.contains(&Some(Asleep::ForRoom)) {
        return Some(Asleep::ForRoom);
    }
    let known: Vec<Asleep> = all.iter().copied().flatten().collect();
    let are_known = !all.is_empty() && known.len() == all.len();
    are_known.then(|| together(&known))
}

/// What a program waits for whose threads wait for these, and none of them for room.
fn together(all: &[Asleep]) -> Asleep {
    if all.contains(&Asleep::ForData) {
        return Asleep::ForData;
    }
    let wakes: Vec<Wakes> = all.iter().filter_map(|one| one.wakes()).collect();
    let timer = wakes.iter().filter_map(|one| one.timer).min();
    // Another thread that sleeps in something else may wake the one that waits.
    let is_else = |one: &Asleep| !matches!(one, Asleep::ForWakes(_) | Asleep::Parked);
    match (wakes.is_empty(), all.iter().any(is_else)) {
        (false, false) => Asleep::ForWakes(Wakes { timer }),
        (false, true) => Asleep::ForEvents,
        (true, _) if all.contains(&Asleep::ForEvents) => Asleep::ForEvents,
        (true, _) => Asleep::Elsewhere,
    }
}

/// Whether a program holds a socket; none where it has too many files. One that has ended holds none.
fn holds(program: &File, inode: u32) -> Option<bool> {
    let Ok(mut files) = read_dir(program.join("fd")) else {
        return Some(false);
    };
    let is_it = |path: &File| is_socket(path, inode);
    let found = files
        .by_ref()
        .take(FILES_MOST)
        .flatten()
        .any(|f| is_it(&f.path()));
    (found || files.next().is_none()).then_some(found)
}

fn is_socket(file: &File, inode: u32) -> bool {
    let name = format!("socket:[{inode}]");
    read_link(file).is_ok_and(|target| target.as_os_str() == name.as_str())
}

/// What a thread waits for, by its `syscall`: `44 0x3 ... SP PC`, or `running`.
fn asleep(
    text: &str,
    calls: &Calls,
    (program, inode): (&File, u32),
    quiet: &[u32],
) -> Option<Asleep> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [number, arguments @ .., stack, _] = &words[..] else {
        return None;
    };
    let hex = |word: &&str| u64::from_str_radix(word.strip_prefix("0x")?, 16).ok();
    // A program of 32 bits has other numbers.
    hex(stack).filter(|stack| *stack > u64::from(u32::MAX))?;
    let number = number.parse::<u64>().ok()?;
    let arguments: Vec<u64> = arguments.iter().filter_map(hex).collect();
    let [first, second, third, ..] = arguments[..] else {
        return None;
    };
    let is_it = |file: u64| is_socket(&program.join(format!("fd/{file}")), inode);
    if calls.write.contains(&number) {
        return Some(Asleep::ForRoom.if_so(is_it(first)));
    }
    if calls.read.contains(&number) {
        return Some(Asleep::ForData.if_so(is_it(first)));
    }
    if calls.epoll.contains(&number) {
        let list = read_to_string(program.join(format!("fdinfo/{first}"))).ok()?;
        let timer = epoll::timer(program, number, *arguments.get(3)?)?;
        return of_epoll(&list, (program, inode), quiet, timer);
    }
    let [room, data]: [Vec<u64>; 2] = if calls.poll.contains(&number) {
        let array = memory(program, first, second.min(POLLED_MOST) * 8)?;
        [OUT, IN].map(|event| of_poll(&array, event).collect())
    } else if calls.select.contains(&number) {
        let bytes = first.min(POLLED_MOST).div_ceil(64) * 8;
        let [room, data] = [third, second].map(|at| memory(program, at, bytes));
        [room?, data?].map(|set| of_select(&set).collect())
    } else if calls.unseen.contains(&number) {
        return None;
    } else if calls.futex.contains(&number) {
        return Some(Asleep::Parked);
    } else {
        return Some(Asleep::Elsewhere);
    };
    if room.into_iter().any(is_it) {
        return Some(Asleep::ForRoom);
    }
    let for_data = match data.contains(&STANDARD_INPUT) {
        true => Asleep::ForEvents,
        false => Asleep::ForData,
    };
    Some(for_data.if_so(data.into_iter().any(is_it)))
}

/// The file that a program has its standard input as.
const STANDARD_INPUT: u64 = 0;

/// More files than these in one call are not gone through.
const POLLED_MOST: u64 = 1024;

/// So many bytes of a program's memory at an address, none at address 0; none where it cannot be read.
fn memory(program: &File, at: u64, bytes: u64) -> Option<Vec<u8>> {
    let mut read = vec![0; usize::try_from(bytes).ok().filter(|_| at > 0).unwrap_or(0)];
    let memory = fs::File::open(program.join("mem")).ok()?;
    memory.read_exact_at(&mut read, at).ok()?;
    Some(read)
}

/// The files of which `poll` waits for an event: `struct pollfd`, a file and two halves of four bytes with POLLIN and POLLOUT in the first
/// (poll(2)).
fn of_poll(array: &[u8], event: u64) -> impl Iterator<Item = u64> {
    let entries = array.as_chunks::<8>().0.iter();
    let some = entries.filter(move |e| u64::from(u16::from_ne_bytes([e[4], e[5]])) & event > 0);
    some.filter_map(|e| u64::try_from(i32::from_ne_bytes([e[0], e[1], e[2], e[3]])).ok())
}

/// The files that are in a set of `select`: bits of words of eight bytes (select(2)).
fn of_select(set: &[u8]) -> impl Iterator<Item = u64> {
    let words = set
        .as_chunks::<8>()
        .0
        .iter()
        .map(|w| u64::from_ne_bytes(*w));
    (0..).zip(words).flat_map(|(n, word): (u64, u64)| {
        (0..64)
            .filter(move |bit| word >> bit & 1 > 0)
            .map(move |bit| 64 * n + bit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    const CALLS: Calls = Calls {
        write: &[44],
        read: &[45],
        epoll: &[232],
        poll: &[7],
        select: &[23],
        futex: &[202],
        unseen: &[275],
    };

    /// A program with socket 4660 as its file 3, another file 4, and an epoll of these lines as file 5.
    fn program(list: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        let made = |name: &str| std::fs::create_dir(folder.path().join(name)).expect(name);
        made("fd");
        made("fdinfo");
        for (file, target) in [("3", "socket:[4660]"), ("4", "pipe:[4661]")] {
            symlink(target, folder.path().join("fd").join(file)).expect("a link");
        }
        std::fs::write(folder.path().join("fdinfo/5"), list).expect("a file");
        folder
    }

    fn sleeps(call: &str, list: &str) -> Option<Asleep> {
        let folder = program(list);
        asleep(call, &CALLS, (folder.path(), 4660), &[])
    }

    #[test]
    fn a_call_says_what_a_thread_waits_for() {
        let call = |number: u32, file: u32| {
            format!("{number} 0x{file:x} 0x7f 0x2000 0x0 0x0 0x0 0x7ffd1c2b3a48 0x7f8e2b1c4d17\n")
        };
        let none = "";
        for (text, wanted) in [
            (call(44, 3), Some(Asleep::ForRoom)),
            (call(45, 3), Some(Asleep::ForData)),
            // To another file, and not in a write: clock_nanosleep.
            (call(44, 4), Some(Asleep::Elsewhere)),
            (call(45, 4), Some(Asleep::Elsewhere)),
            (call(230, 3), Some(Asleep::Elsewhere)),
            (call(275, 3), None),
            ("running\n".to_owned(), None),
            ("-1 0x7ffd1c2b3a48 0x7f8e2b1c4d17\n".to_owned(), None),
            // Of 32 bits.
            (
                "44 0x3 0x7f 0x2000 0x0 0x0 0x0 0xffd1c2b8 0xf7f1d549\n".to_owned(),
                None,
            ),
            (String::new(), None),
        ] {
            assert_eq!(sleeps(&text, none), wanted, "{text}");
        }
    }

    /// What `poll` and `select` wait for: their arguments lead to the memory, here 64 bytes of it at 16.
    #[test]
    fn what_poll_and_select_wait_for_is_in_memory() {
        let sleeps = |call: &str, memory: &[u8]| {
            let folder = program("");
            let all = [&[0; 16], memory].concat();
            std::fs::write(folder.path().join("mem"), all).expect("a file");
            let text = format!("{call} 0x0 0x0 0x0 0x7ffd1c2b3a48 0x7f8e2b1c4d17");
            asleep(&text, &CALLS, (folder.path(), 4660), &[])
        };
        let entry = |file: i32, events: i16| {
            let parts = [&file.to_ne_bytes()[..], &events.to_ne_bytes(), &[0, 0]];
            parts.concat()
        };
        let poll = "7 0x10 0x2 0x64";
        for (file, events, wanted) in [
            (3, 4, Some(Asleep::ForRoom)),
            (3, 1, Some(Asleep::ForData)),
            (3, 5, Some(Asleep::ForRoom)),
            (4, 5, Some(Asleep::Elsewhere)),
        ] {
            let array = [entry(-1, 4), entry(file, events)].concat();
            assert_eq!(sleeps(poll, &array), wanted, "{file} {events}");
        }
        assert_eq!(sleeps(poll, &[]), None, "it cannot be read");
        let with_input = [entry(0, 1), entry(3, 1)].concat();
        assert_eq!(sleeps(poll, &with_input), Some(Asleep::ForEvents));
        for (set, wanted) in [
            (8_u64, Some(Asleep::ForRoom)),
            (16, Some(Asleep::Elsewhere)),
        ] {
            let set = set.to_ne_bytes();
            assert_eq!(sleeps("23 0x5 0x0 0x10", &set), wanted, "{set:?}");
        }
        let reads = |set: u64| sleeps("23 0x5 0x10 0x0", &set.to_ne_bytes());
        assert_eq!(reads(8), Some(Asleep::ForData));
        assert_eq!(reads(9), Some(Asleep::ForEvents), "and standard input");
        assert!(
            of_select(&[0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]).all(|file| file >= 64)
        );
    }

    #[test]
    fn what_epoll_waits_for_is_in_its_list() {
        let with = |events: &str| {
            let list = format!(
                "pos:\t0\nflags:\t02\ntfd:        9 events:       1d data:                9  pos:0 ino:abcd sdev:9\n\
                 tfd:        3 events: {events} data:                3  pos:0 ino:1234 sdev:9\n"
            );
            let call = "232 0x5 0x7f 0x2000 0x0 0x0 0x0 0x7ffd1c2b3a48 0x7f8e2b1c4d17";
            sleeps(call, &list)
        };
        assert_eq!(with("      1d"), Some(Asleep::ForRoom));
        assert_eq!(with("      19"), Some(Asleep::ForEvents));
        assert_eq!(with("      18"), Some(Asleep::Elsewhere));
        assert_eq!(with("8000201d"), None, "an edge that has passed or not");
        let call = "232 0x5 0x7f 0x2000 0x0 0x0 0x0 0x7ffd1c2b3a48 0x7f8e2b1c4d17";
        assert_eq!(sleeps(call, "pos:\t0\n"), Some(Asleep::Elsewhere));
    }

    /// A loop whose socket alone may wake it, beside threads that wait for each other; and beside one that sleeps in something else.
    #[test]
    fn other_threads_may_wake_the_one_that_waits() {
        let wakes = |timer| Asleep::ForWakes(Wakes { timer });
        let second = Some(Duration::from_secs(1));
        let all = [Asleep::Parked, wakes(None), wakes(second), Asleep::Parked];
        assert_eq!(together(&all[..2]), wakes(None));
        assert_eq!(together(&all), wakes(second));
        let beside = [all[1], Asleep::Elsewhere];
        assert_eq!(together(&beside), Asleep::ForEvents);
        assert_eq!(together(&[all[1], Asleep::ForData]), Asleep::ForData);
        assert_eq!(together(&[Asleep::Parked]), Asleep::Elsewhere);
        assert_eq!(wakes(second).is_for_data(), None);
        assert_eq!(Asleep::Elsewhere.is_for_data(), Some(false));
    }

    #[test]
    fn nothing_is_known_of_who_does_not_hold_it() {
        let own = i32::try_from(std::process::id()).expect("a number");
        assert_eq!(in_what(File::new("/proc"), &[own], 0, &[]), None);
        assert_eq!(in_what(File::new("/proc"), &[], 1, &[]), None);
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(in_what(folder.path(), &[1], 1, &[]), None, "it has ended");
    }

    #[test]
    fn one_thread_that_waits_for_room_is_enough() {
        let folder = program("");
        let proc = tempfile::tempdir().expect("a folder");
        let home = proc.path().join("7");
        std::fs::rename(folder.path(), &home).expect("moved");
        let thread = |name: &str, number: u32, file: u32| {
            let task = home.join("task").join(name);
            std::fs::create_dir_all(&task).expect("a folder");
            let text =
                format!("{number} 0x{file:x} 0x0 0x0 0x0 0x0 0x0 0x7ffd1c2b3a48 0x7f8e2b1c4d17\n");
            std::fs::write(task.join("syscall"), text).expect("a file");
        };
        let sleeps = || in_what(proc.path(), &[6, 7], 4660, &[]);
        // futex, on every kind of machine that is known here.
        thread("7", 9999, 1);
        assert_eq!(sleeps(), super::CALLS.map(|_| Asleep::Elsewhere));
        if let Some(calls) = super::CALLS {
            thread("8", u32::try_from(calls.unseen[0]).expect("small"), 1);
            assert_eq!(sleeps(), None);
            thread("8", u32::try_from(calls.read[0]).expect("small"), 3);
            assert_eq!(sleeps(), Some(Asleep::ForData));
            thread("9", u32::try_from(calls.write[0]).expect("small"), 3);
            assert_eq!(sleeps(), Some(Asleep::ForRoom));
        }
    }
}
