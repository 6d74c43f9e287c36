//! Queues written the plainest way from their description: who waits where, who is next.

use std::collections::VecDeque;

use farpath_element::Drop;
use farpath_element::qdisc::{
    ClassesConfig, DisciplineConfig, Footprint, Limit, QueueCounter, QueuesConfig, Rounds,
};
use farpath_units::Time;
use farpath_wire::Frame;

pub(crate) struct Shelves {
    config: ClassesConfig,
    queues: Vec<VecDeque<(Frame, Footprint)>>,
    credit: Vec<i64>,
    turn: usize,
    counters: Vec<QueueCounter>,
}

impl Shelves {
    /// Only for what the description covers: classes that drop what does not fit.
    pub(crate) fn new(config: DisciplineConfig) -> Shelves {
        let QueuesConfig::Classes(config) = config.queues else {
            panic!("no shelves for queues by flow")
        };
        let count = config.queues.len();
        Shelves {
            config,
            queues: vec![VecDeque::new(); count],
            credit: vec![0; count],
            turn: 0,
            counters: vec![QueueCounter::default(); count],
        }
    }

    fn bytes(&self, number: usize) -> u64 {
        let bytes = self.queues[number].iter().map(|w| w.1.queue_bytes);
        bytes.map(u64::from).sum()
    }

    pub(crate) fn all_bytes(&self) -> u64 {
        (0..self.queues.len()).map(|n| self.bytes(n)).sum()
    }

    pub(crate) fn frames(&self) -> usize {
        self.queues.iter().map(VecDeque::len).sum()
    }

    pub(crate) fn outcome(&self) -> Vec<(QueueCounter, u64)> {
        let waiting = self.queues.iter().map(|q| q.len() as u64);
        self.counters.iter().cloned().zip(waiting).collect()
    }

    /// The link has gone down.
    pub(crate) fn empty(&mut self) -> Vec<Frame> {
        let mut all = Vec::new();
        for (number, queue) in self.queues.iter_mut().enumerate() {
            self.counters[number].down += queue.len() as u64;
            if !queue.is_empty() {
                self.credit[number] = self.credit[number].min(0);
            }
            all.extend(queue.drain(..).map(|(frame, _)| frame));
        }
        all
    }

    pub(crate) fn set_limit(&mut self, limit: Limit) {
        for queue in &mut self.config.queues {
            queue.limit = limit;
        }
    }

    pub(crate) fn offer(&mut self, frame: Frame, cost: Footprint, waits: bool) -> Option<Drop> {
        let number = usize::from(self.config.classifier.place(&frame).queue);
        self.counters[number].offered += 1;
        self.queues[number].push_back((frame, cost));
        if !waits {
            return None;
        }
        let own = self.bytes(number);
        let fits = match self.config.queues[number].limit {
            Limit::Bytes(limit) => own <= limit,
            Limit::Packets(limit) => self.queues[number].len() as u64 <= limit,
        };
        if !fits || self.all_bytes() > self.config.memory {
            self.queues[number].pop_back();
            self.counters[number].tail += 1;
            return Some(Drop::Tail);
        }
        let most = &mut self.counters[number].most_bytes;
        *most = own.max(*most);
        None
    }

    pub(crate) fn take(&mut self, now: Time) -> Option<Frame> {
        let number = self.next()?;
        let (frame, cost) = self.queues[number].pop_front()?;
        let counter = &mut self.counters[number];
        let wait = now.since(frame.at);
        counter.frames += 1;
        counter.bytes += u64::from(cost.wire_bytes);
        counter.longest_wait = counter.longest_wait.max(wait);
        counter.waited_ps += u128::from(wait.as_ps());
        self.credit[number] -= i64::from(cost.queue_bytes);
        if self.queues[number].is_empty() {
            self.credit[number] = self.credit[number].min(0);
        }
        Some(frame)
    }

    fn next(&mut self) -> Option<usize> {
        let urgent = |n: &usize| self.config.queues[*n].quantum.is_none();
        let full = |n: &usize| !self.queues[*n].is_empty();
        let all = 0..self.queues.len();
        if let Some(first) = all.clone().find(|n| urgent(n) && full(n)) {
            return Some(first);
        }
        all.clone().find(|n| full(n))?;
        loop {
            let turn = self.turn;
            let head = self.queues[turn].front();
            let may = head.is_some_and(|(_, cost)| match self.config.rounds {
                Rounds::Wrr { .. } => self.credit[turn] > 0,
                Rounds::Drr => self.credit[turn] >= i64::from(cost.queue_bytes),
            });
            if may {
                return Some(turn);
            }
            if self.config.rounds == (Rounds::Wrr { carry: false }) {
                self.credit[turn] = 0;
            }
            let later = (1..=self.queues.len()).map(|k| (turn + k) % self.queues.len());
            self.turn = { later }.find(full)?;
            let quantum = self.config.queues[self.turn].quantum.unwrap_or(0);
            self.credit[self.turn] += i64::from(quantum);
        }
    }
}
