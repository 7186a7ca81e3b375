//! Where events meet threads: calls that are ready wait here for one, threads wait for calls.
//!
//! A call is in one place at a time: parked here, or in a slice on one thread. Events that
//! arrive during a slice are kept for the next one. Every call that was started sends
//! exactly one end, `Done` or `Gone`.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};
use std::fs::File;
use std::io::{self, Read, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::wire::frame::{Decoder, encode};
use crate::wire::{CallNo, FromChild, Start, ToChild};

use super::compile::Bundle;
use super::isolate::{Event, Isolate};
use super::watch::Watch;
use super::{FRAME_BYTES_MAX, WorkerLimits};

/// What a cancelled handler may still do in its abort listeners.
const ABORT_GRACE: Duration = Duration::from_millis(20);
const READ_BYTES: usize = 32 * 1024;
/// Versions of handlers that stay compiled.
const BUNDLES_MAX: usize = 128;

pub(crate) struct Hub {
    pub(super) limits: WorkerLimits,
    state: Mutex<State>,
    /// Threads wait here for something to run.
    pub(super) work: Condvar,
    /// The clock waits here for a change of what comes next.
    pub(super) tick: Condvar,
    /// Compilers wait here for a module.
    modules: Condvar,
    channel: File,
    /// Held by the thread that reads.
    inbox: Mutex<Decoder>,
    out: Mutex<()>,
}

#[derive(Default)]
pub(super) struct State {
    calls: HashMap<CallNo, Slot>,
    pub ready: VecDeque<CallNo>,
    /// When a thread last took up a call or the channel.
    pub last_turn: Option<Instant>,
    pub timers: BinaryHeap<Reverse<(Instant, CallNo)>>,
    pub spares: Vec<Isolate>,
    pub preparing: usize,
    pub threads: usize,
    pub idle: usize,
    /// Whether one of the threads reads the channel.
    pub is_read: bool,
    /// Whether the clock knows that everybody is busy.
    pub is_alarmed: bool,
    /// When the last call ended, if nothing was given back to the system since.
    pub untidy_since: Option<Instant>,
    bundles: HashMap<u64, Arc<Bundle>>,
    /// Bundles in the making, with the calls that wait for them.
    compiling: HashMap<u64, Vec<CallNo>>,
    answers: HashMap<CallNo, Result<(String, Option<String>), String>>,
}

struct Slot {
    seat: Seat,
    inbox: Vec<Event>,
    watch: Arc<Watch>,
}

enum Seat {
    Waiting(Box<Start>),
    Parked(Isolate),
    Running,
}

/// What a thread takes to run.
pub(super) enum Job {
    Begin { start: Box<Start>, watch: Arc<Watch> },
    Resume { call: CallNo, isolate: Isolate, events: Vec<Event> },
}

pub(super) enum Claim {
    Compiled(Box<Start>, Arc<Bundle>),
    Compile(Box<Start>),
    Later,
}

impl Hub {
    pub(crate) fn new(channel: File, limits: WorkerLimits) -> Arc<Self> {
        Arc::new(Self {
            limits,
            state: Mutex::default(),
            work: Condvar::new(),
            tick: Condvar::new(),
            modules: Condvar::new(),
            channel,
            inbox: Mutex::new(Decoder::new(FRAME_BYTES_MAX)),
            out: Mutex::default(),
        })
    }

    /// Reads the channel once, as the one thread that does.
    pub(super) fn read_turn<'a>(
        &'a self,
        mut state: MutexGuard<'a, State>,
    ) -> MutexGuard<'a, State> {
        state.is_read = true;
        state.last_turn = Some(Instant::now());
        drop(state);
        match self.listen() {
            Ok(true) => {}
            // Without a parent there is nothing left to do.
            Ok(false) => std::process::exit(0),
            Err(fault) => {
                let _ = writeln!(io::stderr(), "{fault}");
                std::process::exit(1);
            }
        }
        let mut state = self.lock();
        state.is_read = false;
        state
    }

    /// Takes what came. False when the channel has ended.
    fn listen(&self) -> io::Result<bool> {
        let mut inbox = self.inbox.lock().unwrap_or_else(PoisonError::into_inner);
        let count = (&self.channel).read(inbox.room(READ_BYTES))?;
        inbox.filled(READ_BYTES - count);
        while let Some(frame) = inbox.next().map_err(io::Error::other)? {
            self.take(serde_json::from_slice(frame)?);
        }
        Ok(count > 0)
    }

    /// Takes one message of the parent.
    fn take(&self, message: ToChild) {
        match message {
            ToChild::Start(start) => self.open(start),
            ToChild::Reply { call, n, value } => self.deliver(call, Event::Reply { n, value }),
            ToChild::Refusal { call, n, code, message } => {
                self.deliver(call, Event::Refusal { n, code, message });
            }
            ToChild::Module { call, name, source } => self.answer(call, Ok((name, source))),
            ToChild::NoModule { call, because } => self.answer(call, Err(because)),
            ToChild::Cancel { call } => self.cancel(call),
            // Only programs of others are told what to run.
            ToChild::Boot(_) => {}
        }
    }

    fn open(&self, start: Box<Start>) {
        let call = start.call;
        let time = Duration::from_millis(start.time_ms);
        let watch = Arc::new(Watch::new(time, self.limits.cpu_ms_max));
        let mut state = self.lock();
        state.calls.insert(call, Slot { seat: Seat::Waiting(start), inbox: Vec::new(), watch });
        state.ready.push_back(call);
    }

    fn deliver(&self, call: CallNo, event: Event) {
        let mut state = self.lock();
        // An answer for a call that has ended meanwhile is dropped.
        let Some(slot) = state.calls.get_mut(&call) else { return };
        slot.inbox.push(event);
        if matches!(slot.seat, Seat::Parked(_)) && slot.inbox.len() == 1 {
            state.ready.push_back(call);
        }
    }

    fn cancel(&self, call: CallNo) {
        let mut state = self.lock();
        let Some(slot) = state.calls.get_mut(&call) else { return };
        if matches!(slot.seat, Seat::Waiting(_)) {
            state.calls.remove(&call);
            drop(state);
            return self.say(&[FromChild::Gone { call }]);
        }
        slot.watch.shorten(ABORT_GRACE);
        drop(state);
        self.deliver(call, Event::Abort);
    }

    /// Wakes somebody if there is something to do. Every thread does this when it takes its
    /// turn, so one call is enough, however much there is.
    pub(super) fn pass_on(&self, state: &mut State) {
        if state.ready.is_empty() && state.is_read {
            return;
        }
        if state.idle > 0 {
            self.work.notify_one();
        } else if !state.is_alarmed {
            // Everybody is busy; the clock sees to it that nobody waits long.
            state.is_alarmed = true;
            self.tick.notify_one();
        }
    }

    /// Takes the next call that is ready out of the state.
    pub(super) fn next_job(state: &mut State) -> Option<Job> {
        loop {
            let call = state.ready.pop_front()?;
            state.last_turn = Some(Instant::now());
            let Some(slot) = state.calls.get_mut(&call) else { continue };
            match std::mem::replace(&mut slot.seat, Seat::Running) {
                Seat::Waiting(start) => {
                    return Some(Job::Begin { start, watch: Arc::clone(&slot.watch) });
                }
                Seat::Parked(isolate) => {
                    let events = std::mem::take(&mut slot.inbox);
                    return Some(Job::Resume { call, isolate, events });
                }
                Seat::Running => {}
            }
        }
    }

    /// Puts a call back after a slice that ended in a wait.
    pub(super) fn park(&self, call: CallNo, isolate: Isolate, next_due: Option<Instant>) {
        let mut state = self.lock();
        let Some(slot) = state.calls.get_mut(&call) else { return };
        slot.seat = Seat::Parked(isolate);
        let has_more = !slot.inbox.is_empty();
        if let Some(due) = next_due {
            let is_first = state.timers.peek().is_none_or(|Reverse((first, _))| due < *first);
            state.timers.push(Reverse((due, call)));
            if is_first {
                self.tick.notify_one();
            }
        }
        if has_more {
            state.ready.push_back(call);
        }
    }

    /// Wakes the calls whose timers are due.
    pub(super) fn ring(&self, mut state: MutexGuard<'_, State>, now: Instant) {
        let mut due = Vec::new();
        while let Some(Reverse((at, call))) = state.timers.peek().copied() {
            if at > now {
                break;
            }
            state.timers.pop();
            due.push(call);
        }
        drop(state);
        for call in due {
            self.deliver(call, Event::Timers);
        }
        self.pass_on(&mut self.lock());
    }

    pub(super) fn close(&self, call: CallNo) {
        let mut state = self.lock();
        state.calls.remove(&call);
        state.answers.remove(&call);
        if state.calls.is_empty() {
            state.untidy_since = Some(Instant::now());
            self.tick.notify_one();
        }
    }

    pub(super) fn is_quiet(state: &State) -> bool {
        state.calls.is_empty()
    }

    /// The code of a call, if it is there; else the right to compile it, which only one call
    /// has at a time. The others are put back until it is done.
    pub(super) fn claim(&self, start: Box<Start>) -> Claim {
        let mut state = self.lock();
        if let Some(bundle) = state.bundles.get(&start.bundle) {
            return Claim::Compiled(start, Arc::clone(bundle));
        }
        let State { calls, compiling, .. } = &mut *state;
        match (compiling.get_mut(&start.bundle), calls.get_mut(&start.call)) {
            (None, _) => {
                compiling.insert(start.bundle, Vec::new());
                Claim::Compile(start)
            }
            (Some(waiting), Some(slot)) => {
                waiting.push(start.call);
                slot.seat = Seat::Waiting(start);
                Claim::Later
            }
            (Some(_), None) => Claim::Later,
        }
    }

    /// Ends a claim; with nothing compiled, the next in line tries for itself.
    pub(super) fn compiled(&self, number: u64, bundle: Option<Arc<Bundle>>) {
        let mut state = self.lock();
        let waiting = state.compiling.remove(&number).unwrap_or_default();
        state.ready.extend(waiting);
        state.bundles.extend(bundle.map(|bundle| (number, bundle)));
        if state.bundles.len() > BUNDLES_MAX
            && let Some(oldest) = state.bundles.keys().min().copied()
        {
            state.bundles.remove(&oldest);
        }
        self.pass_on(&mut state);
    }

    fn answer(&self, call: CallNo, answer: Result<(String, Option<String>), String>) {
        self.lock().answers.insert(call, answer);
        self.modules.notify_all();
    }

    /// Asks the parent for a module and waits for it, no longer than the call may run.
    pub(super) fn import(
        &self,
        call: CallNo,
        watch: &Watch,
        base: &str,
        specifier: &str,
    ) -> Result<(String, Option<String>), String> {
        const NAP: Duration = Duration::from_millis(20);
        let (base, specifier) = (base.to_owned(), specifier.to_owned());
        self.say(&[FromChild::Import { call, base, specifier }]);
        let mut state = self.lock();
        loop {
            if let Some(answer) = state.answers.remove(&call) {
                return answer;
            }
            if watch.over().is_some() {
                return Err("its modules did not arrive in time".to_owned());
            }
            if state.is_read {
                let woken = self.modules.wait_timeout(state, NAP);
                state = woken.unwrap_or_else(PoisonError::into_inner).0;
            } else {
                // The answer comes through the channel, and perhaps nobody else can read it.
                state = self.read_turn(state);
            }
        }
    }

    /// Sends messages in one piece. Without a parent there is nothing left to do.
    pub(super) fn say(&self, messages: &[FromChild]) {
        let mut bytes = Vec::new();
        for message in messages {
            if encode(message, &mut bytes, FRAME_BYTES_MAX).is_err() {
                std::process::abort();
            }
        }
        let _turn = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        if (&self.channel).write_all(&bytes).is_err() {
            std::process::exit(0);
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
