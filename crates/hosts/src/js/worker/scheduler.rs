//! Assigns ready calls to threads.
//!
//! A call is either parked here or runs a slice on one thread. Events that arrive during a slice
//! are queued for the next one. Every started call sends exactly one end, `Done` or `Gone`.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};
use std::fs::File;
use std::io::{self, Read, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::protocol::frame::{Decoder, encode};
use crate::protocol::{CallNo, FromChild, Start, ToChild};

use super::compile::Bundle;
use super::deadline::Deadline;
use super::isolate::{Event, Isolate};
use super::{FRAME_BYTES_MAX, WorkerLimits};

/// How long a cancelled handler may run its abort listeners.
const ABORT_GRACE: Duration = Duration::from_millis(20);
const READ_BYTES: usize = 32 * 1024;
/// How many handler versions stay compiled.
const BUNDLES_MAX: usize = 128;

pub(crate) struct Scheduler {
    pub(crate) limits: WorkerLimits,
    state: Mutex<State>,
    /// Idle threads wait here for work.
    pub(crate) work: Condvar,
    /// The clock thread waits here for its next wake-up to change.
    pub(crate) tick: Condvar,
    /// Compiling threads wait here for a module.
    modules: Condvar,
    channel: File,
    /// Held by the thread that reads.
    inbox: Mutex<Decoder>,
    out: Mutex<()>,
}

#[derive(Default)]
pub(crate) struct State {
    calls: HashMap<CallNo, Slot>,
    pub ready: VecDeque<CallNo>,
    /// When a thread last took a call or the channel.
    pub last_turn: Option<Instant>,
    pub timers: BinaryHeap<Reverse<(Instant, CallNo)>>,
    pub spares: Vec<Isolate>,
    pub preparing: usize,
    pub threads: usize,
    pub idle: usize,
    /// Whether a thread is reading the channel.
    pub is_read: bool,
    /// Whether the clock thread knows that all threads are busy.
    pub is_alarmed: bool,
    /// When the last call ended, unless memory has been released since.
    pub untidy_since: Option<Instant>,
    bundles: HashMap<u64, Arc<Bundle>>,
    /// Bundles being compiled, with the calls that wait for them.
    compiling: HashMap<u64, Vec<CallNo>>,
    answers: HashMap<CallNo, Result<(String, Option<String>), String>>,
}

struct Slot {
    state: SlotState,
    inbox: Vec<Event>,
    deadline: Arc<Deadline>,
}

enum SlotState {
    Waiting(Box<Start>),
    Parked(Isolate),
    Running,
}

/// Work for a thread.
pub(crate) enum Job {
    Begin { start: Box<Start>, deadline: Arc<Deadline> },
    Resume { call: CallNo, isolate: Isolate, events: Vec<Event> },
}

pub(crate) enum BundleClaim {
    Compiled(Box<Start>, Arc<Bundle>),
    Compile(Box<Start>),
    Later,
}

impl Scheduler {
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

    /// Reads the channel once; only one thread does so at a time.
    pub(crate) fn read_turn<'a>(
        &'a self,
        mut state: MutexGuard<'a, State>,
    ) -> MutexGuard<'a, State> {
        state.is_read = true;
        state.last_turn = Some(Instant::now());
        drop(state);
        match self.listen() {
            Ok(true) => {}
            // Without a parent there is nothing to do.
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

    /// Handles available input. Returns false when the channel has ended.
    fn listen(&self) -> io::Result<bool> {
        let mut inbox = self.inbox.lock().unwrap_or_else(PoisonError::into_inner);
        let count = (&self.channel).read(inbox.room(READ_BYTES))?;
        inbox.filled(READ_BYTES - count);
        while let Some(frame) = inbox.next().map_err(io::Error::other)? {
            self.take(serde_json::from_slice(frame)?);
        }
        Ok(count > 0)
    }

    /// Handles one message of the parent.
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
            // Only foreign programs are booted.
            ToChild::Boot(_) => {}
        }
    }

    fn open(&self, start: Box<Start>) {
        let call = start.call;
        let time = Duration::from_millis(start.time_ms);
        let deadline = Arc::new(Deadline::new(time, self.limits.cpu_ms_max));
        let mut state = self.lock();
        state
            .calls
            .insert(call, Slot { state: SlotState::Waiting(start), inbox: Vec::new(), deadline });
        state.ready.push_back(call);
    }

    fn deliver(&self, call: CallNo, event: Event) {
        let mut state = self.lock();
        // The call may have ended meanwhile.
        let Some(slot) = state.calls.get_mut(&call) else { return };
        slot.inbox.push(event);
        if matches!(slot.state, SlotState::Parked(_)) && slot.inbox.len() == 1 {
            state.ready.push_back(call);
        }
    }

    fn cancel(&self, call: CallNo) {
        let mut state = self.lock();
        let Some(slot) = state.calls.get_mut(&call) else { return };
        if matches!(slot.state, SlotState::Waiting(_)) {
            state.calls.remove(&call);
            drop(state);
            return self.send(&[FromChild::Gone { call }]);
        }
        slot.deadline.shorten(ABORT_GRACE);
        drop(state);
        self.deliver(call, Event::Abort);
    }

    /// Wakes a thread if there is work. Every thread calls this when it takes work, so waking one
    /// at a time suffices.
    pub(crate) fn wake_one(&self, state: &mut State) {
        if state.ready.is_empty() && state.is_read {
            return;
        }
        if state.idle > 0 {
            self.work.notify_one();
        } else if !state.is_alarmed {
            // All threads are busy; the clock thread makes sure that work does not wait long.
            state.is_alarmed = true;
            self.tick.notify_one();
        }
    }

    /// Takes the next ready call.
    pub(crate) fn next_job(state: &mut State) -> Option<Job> {
        loop {
            let call = state.ready.pop_front()?;
            state.last_turn = Some(Instant::now());
            let Some(slot) = state.calls.get_mut(&call) else { continue };
            match std::mem::replace(&mut slot.state, SlotState::Running) {
                SlotState::Waiting(start) => {
                    return Some(Job::Begin { start, deadline: Arc::clone(&slot.deadline) });
                }
                SlotState::Parked(isolate) => {
                    let events = std::mem::take(&mut slot.inbox);
                    return Some(Job::Resume { call, isolate, events });
                }
                SlotState::Running => {}
            }
        }
    }

    /// Parks a call after a slice.
    pub(crate) fn park(&self, call: CallNo, isolate: Isolate, next_due: Option<Instant>) {
        let mut state = self.lock();
        let Some(slot) = state.calls.get_mut(&call) else { return };
        slot.state = SlotState::Parked(isolate);
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
    pub(crate) fn fire_timers(&self, mut state: MutexGuard<'_, State>, now: Instant) {
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
        self.wake_one(&mut self.lock());
    }

    pub(crate) fn close(&self, call: CallNo) {
        let mut state = self.lock();
        state.calls.remove(&call);
        state.answers.remove(&call);
        if state.calls.is_empty() {
            state.untidy_since = Some(Instant::now());
            self.tick.notify_one();
        }
    }

    pub(crate) fn is_quiet(state: &State) -> bool {
        state.calls.is_empty()
    }

    /// The compiled code of a call, or the exclusive right to compile it. Other calls are put
    /// back until that is done.
    pub(crate) fn claim(&self, start: Box<Start>) -> BundleClaim {
        let mut state = self.lock();
        if let Some(bundle) = state.bundles.get(&start.bundle) {
            return BundleClaim::Compiled(start, Arc::clone(bundle));
        }
        let State { calls, compiling, .. } = &mut *state;
        match (compiling.get_mut(&start.bundle), calls.get_mut(&start.call)) {
            (None, _) => {
                compiling.insert(start.bundle, Vec::new());
                BundleClaim::Compile(start)
            }
            (Some(waiting), Some(slot)) => {
                waiting.push(start.call);
                slot.state = SlotState::Waiting(start);
                BundleClaim::Later
            }
            (Some(_), None) => BundleClaim::Later,
        }
    }

    /// Releases a claim; if compiling failed, the next waiting call tries again.
    pub(crate) fn compiled(&self, number: u64, bundle: Option<Arc<Bundle>>) {
        let mut state = self.lock();
        let waiting = state.compiling.remove(&number).unwrap_or_default();
        state.ready.extend(waiting);
        state.bundles.extend(bundle.map(|bundle| (number, bundle)));
        if state.bundles.len() > BUNDLES_MAX
            && let Some(oldest) = state.bundles.keys().min().copied()
        {
            state.bundles.remove(&oldest);
        }
        self.wake_one(&mut state);
    }

    fn answer(&self, call: CallNo, answer: Result<(String, Option<String>), String>) {
        self.lock().answers.insert(call, answer);
        self.modules.notify_all();
    }

    /// Asks the parent for a module and waits for it, within the deadline of the call.
    pub(crate) fn import(
        &self,
        call: CallNo,
        deadline: &Deadline,
        base: &str,
        specifier: &str,
    ) -> Result<(String, Option<String>), String> {
        const NAP: Duration = Duration::from_millis(20);
        let (base, specifier) = (base.to_owned(), specifier.to_owned());
        self.send(&[FromChild::Import { call, base, specifier }]);
        let mut state = self.lock();
        loop {
            if let Some(answer) = state.answers.remove(&call) {
                return answer;
            }
            if deadline.over().is_some() {
                return Err("its modules did not arrive in time".to_owned());
            }
            if state.is_read {
                let woken = self.modules.wait_timeout(state, NAP);
                state = woken.unwrap_or_else(PoisonError::into_inner).0;
            } else {
                // The answer comes over the channel, and possibly no other thread can read it.
                state = self.read_turn(state);
            }
        }
    }

    /// Sends messages at once. Without a parent there is nothing to do.
    pub(crate) fn send(&self, messages: &[FromChild]) {
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

    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
