//! The network: elements, the channels between them, and the two ways of running them.

use farpath_units::{Duration, Time};
use farpath_wire::FlowDir;

use crate::channel::Channel;
use crate::side::{SideFifo, Sides};

/// An element, by number; numbered by the scenario, so that ties never depend on arming order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ElementId(pub usize);

/// A channel, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChannelId(pub usize);

/// One network function.
pub trait Element {
    /// Consumes every input that arrives earlier than `until`, in the order (time, input number,
    /// order on the wire), and fires every own deadline earlier than `until` when it is due: ends of
    /// transmission first, other deadlines next, arrivals last. Afterwards nothing it sends may
    /// arrive before `until` plus the output channel's lookahead. Calling it again with the same
    /// `until` is allowed.
    fn advance(&mut self, until: Time, io: &mut Io<'_>);

    /// The earliest own deadline, or `Time::MAX`. May be earlier than the true one, never later,
    /// and after `advance(until)` never earlier than `until`.
    fn deadline(&self) -> Time {
        Time::MAX
    }
}

/// An element's view of its channels while it advances.
pub struct Io<'a> {
    channels: &'a mut [Channel],
    sides: &'a mut Sides,
    inputs: &'a [ChannelId],
    outputs: &'a [ChannelId],
}

impl Io<'_> {
    /// How many inputs the element has.
    pub fn inputs(&self) -> usize {
        self.inputs.len()
    }

    /// The `n`-th input channel.
    #[inline]
    pub fn input(&mut self, n: usize) -> &mut Channel {
        &mut self.channels[self.inputs[n].0]
    }

    /// The `n`-th output channel.
    #[inline]
    pub fn output(&mut self, n: usize) -> &mut Channel {
        &mut self.channels[self.outputs[n].0]
    }

    /// The `n`-th input and the `m`-th output channel; no element feeds itself.
    #[inline]
    pub fn through(&mut self, n: usize, m: usize) -> (&mut Channel, &mut Channel) {
        let both = [self.inputs[n].0, self.outputs[m].0];
        match self.channels.get_disjoint_mut(both) {
            Ok([input, output]) => (input, output),
            Err(_) => unreachable!("no element feeds itself"),
        }
    }

    /// The side FIFO of one direction of a flow.
    #[inline]
    pub fn side(&mut self, flow: FlowDir) -> &mut SideFifo {
        self.sides.of(flow)
    }

    /// The input whose head arrives first (lowest number on ties), with that arrival and the
    /// arrival up to which it stays first. `None` if no head arrives before `until`.
    #[inline]
    pub fn first_input(&self, until: Time) -> Option<(usize, Time)> {
        let (mut best, mut at, mut runner_up) = (usize::MAX, until, until);
        for (n, id) in self.inputs.iter().enumerate() {
            let head = self.channels[id.0].head_at();
            if head < at {
                // An earlier input wins ties, so this one stays first while strictly below the old best.
                runner_up = at;
                at = head;
                best = n;
            } else if head < runner_up {
                // A later input loses ties: the best may go on up to and including this arrival.
                runner_up = head.next();
            }
        }
        (best != usize::MAX).then_some((best, runner_up))
    }
}

/// How a network is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Each element runs over everything its inputs guarantee, at most this far beyond the slowest.
    Windowed(Duration),
    /// One instant at a time: the oracle.
    EventByEvent,
}

#[derive(Debug, Default)]
struct Wiring {
    inputs: Vec<ChannelId>,
    outputs: Vec<ChannelId>,
}

/// Elements joined by channels.
pub struct Network<E> {
    elements: Vec<E>,
    wiring: Vec<Wiring>,
    channels: Vec<Channel>,
    consumer: Vec<ElementId>,
    sides: Sides,
    /// How far each element has been advanced.
    reached: Vec<Time>,
    /// Working memory of [`Network::lift_clocks`].
    earliest: Vec<Time>,
    now: Time,
}

impl<E: Element> Default for Network<E> {
    fn default() -> Self {
        Network::new()
    }
}

impl<E: Element> Network<E> {
    /// The lookahead of a channel that never carries anything.
    pub const NEVER: Duration = Duration::MAX;

    /// A network of nothing.
    pub fn new() -> Network<E> {
        Network {
            elements: Vec::new(),
            wiring: Vec::new(),
            channels: Vec::new(),
            consumer: Vec::new(),
            sides: Sides::default(),
            reached: Vec::new(),
            earliest: Vec::new(),
            now: Time::ZERO,
        }
    }

    /// Adds an element.
    pub fn add(&mut self, element: E) -> ElementId {
        self.elements.push(element);
        self.wiring.push(Wiring::default());
        self.reached.push(Time::ZERO);
        ElementId(self.elements.len() - 1)
    }

    /// Joins `from`'s next output to `to`'s next input. Every cycle of channels needs a positive
    /// lookahead somewhere, and an element with several inputs must have a positive lookahead on
    /// each of them. No element feeds itself.
    pub fn connect(&mut self, from: ElementId, to: ElementId, lookahead: Duration) -> ChannelId {
        assert!(from != to, "no element feeds itself");
        let id = ChannelId(self.channels.len());
        let mut channel = Channel::new(lookahead);
        channel.promise(Time::ZERO);
        self.channels.push(channel);
        self.consumer.push(to);
        self.wiring[from.0].outputs.push(id);
        self.wiring[to.0].inputs.push(id);
        id
    }

    /// An element.
    pub fn element(&self, id: ElementId) -> &E {
        &self.elements[id.0]
    }

    /// An element, to read or change between runs.
    pub fn element_mut(&mut self, id: ElementId) -> &mut E {
        &mut self.elements[id.0]
    }

    /// Every element in order.
    pub fn elements(&self) -> &[E] {
        &self.elements
    }

    /// Every element in order, to read or change between runs.
    pub fn elements_mut(&mut self) -> &mut [E] {
        &mut self.elements
    }

    /// A channel.
    pub fn channel(&self, id: ChannelId) -> &Channel {
        &self.channels[id.0]
    }

    /// A channel, to put frames on from outside.
    pub fn channel_mut(&mut self, id: ChannelId) -> &mut Channel {
        &mut self.channels[id.0]
    }

    /// The channels an element sends on.
    pub fn outputs(&self, id: ElementId) -> &[ChannelId] {
        &self.wiring[id.0].outputs
    }

    /// Everything earlier than this has happened.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Frames on all channels.
    pub fn in_flight(&self) -> u64 {
        self.channels.iter().map(Channel::in_flight).sum()
    }

    /// Frames ever put on any channel.
    pub fn hops(&self) -> u64 {
        self.channels.iter().map(Channel::total).sum()
    }

    /// Changes what an element promises on its outputs, but for those that never carry anything, at
    /// [`Network::now`].
    pub fn set_lookahead(&mut self, id: ElementId, lookahead: Duration) {
        for channel in &self.wiring[id.0].outputs {
            let channel = &mut self.channels[channel.0];
            if channel.lookahead() < Self::NEVER {
                channel.set_lookahead(lookahead, self.now);
            }
        }
    }

    /// When an element has something to do next: the earliest arrival at it or its own deadline;
    /// `Time::MAX` when there is neither.
    pub fn due(&self, id: ElementId) -> Time {
        self.next_event(id.0)
    }

    /// Runs until everything earlier than `end` has happened.
    pub fn run(&mut self, end: Time, mode: Mode) {
        match mode {
            Mode::Windowed(window) => self.run_windowed(end, window),
            Mode::EventByEvent => self.run_event_by_event(end),
        }
        self.pass(end);
    }

    /// Lets time pass until `end`, before which nothing is due: every clock restarts from it. What has arrived at elements that do nothing
    /// may stay there.
    pub fn pass(&mut self, end: Time) {
        self.now = end;
        for n in 0..self.elements.len() {
            self.reached[n] = end;
            for channel in &self.wiring[n].outputs {
                self.channels[channel.0].restart(end);
            }
        }
    }

    fn run_windowed(&mut self, end: Time, window: Duration) {
        let window = window.max(Duration::from_ps(1));
        let mut cap = (self.now + window).min(end);
        loop {
            let mut slowest = Time::MAX;
            for n in 0..self.elements.len() {
                let horizon = self.horizon(n).min(cap);
                if horizon > self.reached[n] {
                    self.visit(n, horizon);
                }
                slowest = slowest.min(self.reached[n]);
            }
            if slowest >= end {
                return;
            }
            if slowest < cap {
                self.lift_clocks();
            } else {
                cap = (slowest + window).min(end);
            }
        }
    }

    /// Raises every clock to what follows from the frames and deadlines there are.
    ///
    /// What each producer promises by itself creeps around a short idle loop by one lookahead a
    /// pass. But nothing happens anywhere before something that is already under way gets there:
    /// the earliest event of an element is its own, or one of a producer's plus the lookahead.
    fn lift_clocks(&mut self) {
        let mut earliest = std::mem::take(&mut self.earliest);
        earliest.clear();
        earliest.extend((0..self.elements.len()).map(|n| self.next_event(n).max(self.reached[n])));
        let mut settled = false;
        while !settled {
            settled = true;
            for (n, wiring) in self.wiring.iter().enumerate() {
                for id in &wiring.outputs {
                    let arrival = earliest[n] + self.channels[id.0].lookahead();
                    let consumer = self.consumer[id.0].0;
                    if arrival < earliest[consumer] {
                        earliest[consumer] = arrival;
                        settled = false;
                    }
                }
            }
        }
        for (n, wiring) in self.wiring.iter().enumerate() {
            for id in &wiring.outputs {
                self.channels[id.0].promise(earliest[n]);
            }
        }
        self.earliest = earliest;
    }

    /// What the inputs of element `n` guarantee.
    #[inline]
    fn horizon(&self, n: usize) -> Time {
        let inputs = &self.wiring[n].inputs;
        inputs
            .iter()
            .map(|id| self.channels[id.0].clock())
            .min()
            .unwrap_or(Time::MAX)
    }

    #[inline]
    fn has_work(&self, n: usize, until: Time) -> bool {
        self.elements[n].deadline() < until
            || self.wiring[n]
                .inputs
                .iter()
                .any(|id| self.channels[id.0].head_at() < until)
    }

    #[inline]
    fn visit(&mut self, n: usize, until: Time) {
        if self.has_work(n, until) {
            self.advance(n, until);
        }
        self.reached[n] = until;
        for id in &self.wiring[n].outputs {
            self.channels[id.0].promise(until);
        }
    }

    fn advance(&mut self, n: usize, until: Time) {
        let wiring = &self.wiring[n];
        let mut io = Io {
            channels: &mut self.channels,
            sides: &mut self.sides,
            inputs: &wiring.inputs,
            outputs: &wiring.outputs,
        };
        self.elements[n].advance(until, &mut io);
    }

    fn run_event_by_event(&mut self, end: Time) {
        let mut agenda = Agenda::new(self.elements.len());
        for n in 0..self.elements.len() {
            agenda.set(n, self.next_event(n));
        }
        loop {
            let (at, n) = agenda.first();
            if at >= end {
                return;
            }
            self.advance(n, at.next());
            for i in 0..self.wiring[n].outputs.len() {
                let consumer = self.consumer[self.wiring[n].outputs[i].0].0;
                if consumer != n {
                    agenda.set(consumer, self.next_event(consumer));
                }
            }
            agenda.set(n, self.next_event(n));
        }
    }

    fn next_event(&self, n: usize) -> Time {
        let inputs = self.wiring[n].inputs.iter();
        let arrival = inputs
            .map(|id| self.channels[id.0].head_at())
            .min()
            .unwrap_or(Time::MAX);
        arrival.min(self.elements[n].deadline())
    }
}

/// One entry per element in a binary heap, with the place of each: the event-by-event agenda.
struct Agenda {
    heap: Vec<u32>,
    place: Vec<u32>,
    at: Vec<Time>,
}

impl Agenda {
    fn new(count: usize) -> Agenda {
        let numbers: Vec<u32> = (0..count as u32).collect();
        Agenda {
            heap: numbers.clone(),
            place: numbers,
            at: vec![Time::MAX; count],
        }
    }

    /// The earliest time and its element; the lowest number on ties.
    fn first(&self) -> (Time, usize) {
        match self.heap.first() {
            Some(&n) => (self.at[n as usize], n as usize),
            None => (Time::MAX, 0),
        }
    }

    fn before(&self, a: u32, b: u32) -> bool {
        (self.at[a as usize], a) < (self.at[b as usize], b)
    }

    fn set(&mut self, n: usize, at: Time) {
        if self.at[n] == at {
            return;
        }
        let earlier = at < self.at[n];
        self.at[n] = at;
        let mut i = self.place[n] as usize;
        if earlier {
            while i > 0 && self.before(self.heap[i], self.heap[(i - 1) / 2]) {
                self.swap(i, (i - 1) / 2);
                i = (i - 1) / 2;
            }
            return;
        }
        loop {
            let mut least = i;
            for child in [2 * i + 1, 2 * i + 2] {
                if child < self.heap.len() && self.before(self.heap[child], self.heap[least]) {
                    least = child;
                }
            }
            if least == i {
                return;
            }
            self.swap(i, least);
            i = least;
        }
    }

    fn swap(&mut self, i: usize, j: usize) {
        self.heap.swap(i, j);
        self.place[self.heap[i] as usize] = i as u32;
        self.place[self.heap[j] as usize] = j as u32;
    }
}
