//! What to change about a program that fills one processor, by what it does there.

use super::systems::{Remedy, processor};

/// Programs that do the same work, as a table of processes names them, and what there is against it.
struct Work {
    programs: &'static [&'static str],
    commands: &'static [&'static str],
}

/// What makes data smaller is worth its time where the line is the slower of the two.
const LEFT_OUT: &str = "where the line carries more than the program makes: leave compression out (pg_dump -Fc -Z0, tar without -z, rsync without -z, ssh without -C)";

const WORKS: &[Work] = &[
    Work {
        programs: &["gzip", "gunzip"],
        commands: &[
            "pigz in the place of gzip: a thread for each processor, and gunzip reads what it writes; or zstd -T0, with zstd at the other end",
            "or a lower level: gzip -1 takes a part of the time of the usual -6",
            LEFT_OUT,
        ],
    },
    Work {
        programs: &["xz", "unxz", "lzma"],
        commands: &[
            "xz -T0 (from xz 5.2): a thread for each processor, in the same format; zstd -T0 takes far less time for about as much, with zstd at the other end",
            "or a lower level: xz -1 takes a part of the time of the usual -6",
            LEFT_OUT,
        ],
    },
    Work {
        programs: &["bzip2", "bunzip2"],
        commands: &[
            "pbzip2 or lbzip2 in the place of bzip2: a thread for each processor, in the same format; or zstd -T0, with zstd at the other end",
            LEFT_OUT,
        ],
    },
    Work {
        programs: &["zstd"],
        commands: &[
            "zstd -T0: a thread for each processor, where one does all the work without it",
            "or a lower level: zstd -1, or zstd --fast",
            LEFT_OUT,
        ],
    },
    Work {
        programs: &["openssl", "gpg", "gpg2"],
        commands: &[
            "a cipher that the processor has instructions for: grep -m1 aes /proc/cpuinfo, and openssl speed -evp aes-128-ctr beside others",
            "or several pieces of the data side by side, each with its own process",
        ],
    },
    Work {
        programs: &["rsync"],
        commands: &[
            "without -z and -c; and with -W (--whole-file) where most of each file is new: it reads and compares no blocks then",
            "from rsync 3.2 on at both ends: --checksum-choice=xxh3, which takes less of a processor than MD5",
            "or several of rsync side by side, each with a folder of its own",
        ],
    },
    Work {
        programs: &["squid", "nginx", "haproxy", "envoy"],
        commands: &[
            "a process or thread for each processor: workers N (squid), worker_processes auto (nginx), nbthread N (haproxy), --concurrency N (envoy). A connection still has one of them",
            "less work for each byte: what is decrypted and scanned (ssl_bump and ICAP of squid), compressed, or matched by regular expressions",
        ],
    },
    Work {
        programs: &["smbd"],
        commands: &[
            "smbstatus -b: which connections are signed or encrypted, which costs most of a processor; AES-128-GCM costs least where encryption has to be",
            "several clients side by side: a client has one process of smbd",
        ],
    },
    Work {
        programs: &["pg_dump"],
        commands: &[
            "pg_dump -Fd -j N -f FOLDER: N tables at a time",
            "or without its own compression (-Z0), with zstd -T0 behind it",
        ],
    },
];

/// Against a program that fills a processor; none where nothing is known of what it does. A table of whole commands has its folder, and a
/// colon behind a name that the program gave itself.
pub(super) fn remedy(program: &str) -> Option<Remedy> {
    let program = program.rsplit('/').next().unwrap_or(program);
    let program = program.trim_end_matches(':');
    if ["ssh", "sshd", "sshd-session"].contains(&program) {
        return Some(processor(true, None));
    }
    let work = WORKS.iter().find(|w| w.programs.contains(&program))?;
    let first = format!("top -H meanwhile: whether one thread of {program} fills a processor");
    let commands = [first.as_str()].into_iter();
    Some(Remedy::without_risk(
        commands.chain(work.commands.iter().copied()),
    ))
}

#[cfg(test)]
mod tests {
    use super::remedy;

    #[test]
    fn a_full_program_is_answered_by_what_it_does() {
        for (program, says) in [
            ("gzip", "pigz"),
            ("xz", "xz -T0"),
            ("bzip2", "lbzip2"),
            ("ssh", "aes128-gcm"),
            ("sshd:", "aes128-gcm"),
            ("/usr/bin/gzip", "pigz"),
            ("squid", "workers N"),
            ("rsync", "--whole-file"),
        ] {
            let commands = remedy(program).expect("it is known").commands.join("\n");
            assert!(commands.contains(says), "{program}: {commands}");
            let of_cipher = commands.contains("aes128-gcm");
            assert_eq!(
                of_cipher,
                program.starts_with("ssh"),
                "{program}: {commands}"
            );
        }
        assert_eq!(remedy("backup"), None);
    }
}
