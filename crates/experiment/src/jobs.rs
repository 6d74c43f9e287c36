//! Jobs that run in parallel, as many at once as processors and memory allow. The outcome does not depend on how many
//! that is: results are in the order of the jobs, and of several faults the first in that order is reported.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::{Fault, Progress};

/// One piece of work.
pub(crate) struct Job<'a, T> {
    /// What it is, in a few words.
    pub(crate) label: String,
    /// Bytes it may take.
    pub(crate) memory: u64,
    /// The work.
    pub(crate) work: Work<'a, T>,
}

type Work<'a, T> = Box<dyn FnOnce(&mut dyn Progress) -> Result<T, Fault> + Send + 'a>;

/// How much may go on at once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    /// This many jobs.
    pub(crate) jobs: usize,
    /// Jobs that take so many bytes together; one alone may take more.
    pub(crate) memory: u64,
}

/// Does every job and returns what came of each, in their order. A fault ends the jobs behind it, of which there is
/// nothing then.
pub(crate) fn each<T: Send>(
    jobs: Vec<Job<'_, T>>,
    room: Room,
    progress: &mut dyn Progress,
) -> Vec<Option<Result<T, Fault>>> {
    let threads = room.jobs.min(jobs.len());
    let shared = Shared {
        state: Mutex::new(State {
            done: jobs.iter().map(|_| None).collect(),
            waiting: jobs.into_iter().enumerate().collect(),
            running: 0,
            memory: 0,
        }),
        ended: Condvar::new(),
        faulty: AtomicUsize::new(usize::MAX),
        progress: Mutex::new(progress),
        room,
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(|| shared.work());
        }
        shared.work();
    });
    let state = shared.state.into_inner();
    state.unwrap_or_else(PoisonError::into_inner).done
}

struct Shared<'a, 'p, T> {
    state: Mutex<State<'a, T>>,
    /// A job has ended.
    ended: Condvar,
    /// The first job that had a fault.
    faulty: AtomicUsize,
    progress: Mutex<&'p mut dyn Progress>,
    room: Room,
}

struct State<'a, T> {
    waiting: VecDeque<(usize, Job<'a, T>)>,
    done: Vec<Option<Result<T, Fault>>>,
    running: usize,
    /// Bytes that those running may take.
    memory: u64,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a, T: Send> Shared<'a, '_, T> {
    /// Does jobs until there are no more.
    fn work(&self) {
        while let Some((number, job)) = self.take() {
            let _taken = Taken(self, job.memory);
            let mut told = Told(self, number);
            told.say(&job.label);
            let result = (job.work)(&mut told);
            if result.is_err() {
                self.faulty.fetch_min(number, Ordering::SeqCst);
            }
            lock(&self.state).done[number] = Some(result);
        }
    }

    /// The next job, once there is room for it.
    fn take(&self) -> Option<(usize, Job<'a, T>)> {
        let mut state = lock(&self.state);
        loop {
            // Jobs are begun in their order, so that all before a fault have been.
            if self.faulty.load(Ordering::SeqCst) != usize::MAX {
                return None;
            }
            let needed = state.waiting.front()?.1.memory;
            let memory = state.memory.saturating_add(needed);
            if state.running == 0 || memory <= self.room.memory {
                state.running += 1;
                state.memory = memory;
                return state.waiting.pop_front();
            }
            let woken = self.ended.wait(state);
            state = woken.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Room that a running job has; given back however it ends.
struct Taken<'s, 'a, 'p, T>(&'s Shared<'a, 'p, T>, u64);

impl<T> Drop for Taken<'_, '_, '_, T> {
    fn drop(&mut self) {
        let mut state = lock(&self.0.state);
        state.running -= 1;
        state.memory -= self.1;
        self.0.ended.notify_all();
    }
}

/// Where a job reports its progress, and reads whether it goes on: not behind a fault.
struct Told<'s, 'a, 'p, T>(&'s Shared<'a, 'p, T>, usize);

impl<T: Send> Progress for Told<'_, '_, '_, T> {
    fn expect(&mut self, parts: u64) {
        lock(&self.0.progress).expect(parts);
    }

    fn say(&mut self, label: &str) {
        lock(&self.0.progress).say(label);
    }

    fn advance(&mut self, thousandths: u64) {
        lock(&self.0.progress).advance(thousandths);
    }

    fn note(&mut self, text: &str) {
        lock(&self.0.progress).note(text);
    }

    fn interrupted(&self) -> bool {
        self.0.faulty.load(Ordering::SeqCst) < self.1 || lock(&self.0.progress).interrupted()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use super::*;
    use crate::Silent;

    fn job<'a, T>(
        memory: u64,
        work: impl FnOnce(&mut dyn Progress) -> Result<T, Fault> + Send + 'a,
    ) -> Job<'a, T> {
        Job {
            label: String::new(),
            memory,
            work: Box::new(work),
        }
    }

    /// What came of all, or the first fault.
    fn all<T: Send>(
        jobs: Vec<Job<'_, T>>,
        room: Room,
        progress: &mut dyn Progress,
    ) -> Result<Vec<T>, Fault> {
        each(jobs, room, progress).into_iter().flatten().collect()
    }

    fn fault(name: usize) -> Fault {
        Fault::Settings(name.to_string())
    }

    const TWO: Room = Room {
        jobs: 2,
        memory: 10,
    };

    #[test]
    fn results_are_in_the_order_of_the_jobs_however_many_go_on_at_once() {
        for jobs in [1, 2, 7, 100] {
            let work = (0..50).map(|n| job(0, move |_| Ok(n * n))).collect();
            let room = Room { jobs, memory: 0 };
            let found = all(work, room, &mut Silent).expect("none has a fault");
            assert_eq!(found, (0..50).map(|n| n * n).collect::<Vec<_>>());
        }
        let none: Vec<Job<'_, ()>> = Vec::new();
        assert_eq!(all(none, TWO, &mut Silent).ok(), Some(Vec::new()));
    }

    #[test]
    fn two_that_fit_run_at_once() {
        let both = Barrier::new(2);
        let meet = || job(5, |_| Ok(both.wait().is_leader()));
        let found = all(vec![meet(), meet()], TWO, &mut Silent).expect("they meet");
        assert_eq!(found.iter().filter(|leads| **leads).count(), 1);
    }

    #[test]
    fn jobs_together_keep_to_the_memory_and_one_alone_may_exceed_it() {
        let taken = Mutex::new((0_u64, 0_u64));
        let sizes = [6, 5, 20, 4, 4, 4, 11, 1, 9];
        let work = sizes.map(|size| {
            let taken = &taken;
            job(size, move |_| {
                let alone = size > TWO.memory;
                {
                    let mut taken = lock(taken);
                    taken.0 += size;
                    assert!(taken.0 <= TWO.memory || alone && taken.0 == size);
                    taken.1 = taken.1.max(taken.0);
                }
                std::thread::yield_now();
                lock(taken).0 -= size;
                Ok(size)
            })
        });
        let room = Room { jobs: 4, ..TWO };
        assert_eq!(
            all(work.into(), room, &mut Silent).ok(),
            Some(sizes.to_vec())
        );
        assert_eq!(*lock(&taken), (0, 20));
    }

    /// The first fails by itself, after the second; its fault is the one reported.
    #[test]
    fn of_several_faults_that_of_the_first_job_is_told() {
        let failed = Barrier::new(2);
        let first = job(0, |progress: &mut dyn Progress| {
            failed.wait();
            assert!(!progress.interrupted(), "what is behind does not end it");
            Err::<(), _>(fault(0))
        });
        let second = job(0, |_: &mut dyn Progress| {
            failed.wait();
            Err(fault(1))
        });
        let told = all(vec![first, second], TWO, &mut Silent).expect_err("both fail");
        assert_eq!(told.to_string(), "0");
    }

    #[test]
    fn a_fault_ends_what_is_behind_it_and_begins_nothing_more() {
        let begun = AtomicUsize::new(0);
        let both = Barrier::new(2);
        let fails = job(0, |_: &mut dyn Progress| {
            both.wait();
            Err(fault(0))
        });
        let goes_on = job(0, |progress: &mut dyn Progress| {
            both.wait();
            while !progress.interrupted() {
                std::thread::yield_now();
            }
            Ok(())
        });
        let never = (0..9).map(|_| {
            job(0, |_: &mut dyn Progress| {
                begun.fetch_add(1, Ordering::SeqCst);
                Ok(())
            })
        });
        let work = [fails, goes_on].into_iter().chain(never).collect();
        let told = all(work, TWO, &mut Silent).expect_err("the first fails");
        assert_eq!(told.to_string(), "0");
        assert_eq!(begun.load(Ordering::SeqCst), 0);
    }

    /// Adds up the progress reported to it, and interrupts after so much.
    struct Until(u64, u64);

    impl Progress for Until {
        fn expect(&mut self, _parts: u64) {}
        fn say(&mut self, _label: &str) {}
        fn advance(&mut self, thousandths: u64) {
            self.0 += thousandths;
        }
        fn note(&mut self, _text: &str) {}
        fn interrupted(&self) -> bool {
            self.0 >= self.1
        }
    }

    #[test]
    fn progress_is_summed_and_an_interruption_ends_all() {
        let step = |n: usize| {
            job(0, move |progress: &mut dyn Progress| {
                while !progress.interrupted() {
                    progress.advance(1);
                }
                Err::<(), _>(fault(n))
            })
        };
        let mut until = Until(0, 1000);
        let told = all((0..4).map(step).collect(), TWO, &mut until).expect_err("all end");
        assert_eq!(told.to_string(), "0");
        // Each of the two may have advanced once more.
        assert!((1000..=1001).contains(&until.0), "{}", until.0);
    }
}
