//! The threads of a worker: some that take turns at reading and running, and a clock.
//!
//! A slice cannot be taken off its thread. So while all threads are stuck in long ones and
//! somebody waits, the clock adds a thread: a handler that hides in a native function of
//! the engine holds up nobody but itself.

use std::cmp::Reverse;
use std::io;
use std::sync::{Arc, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::value::to_raw_value;

use crate::wire::{CallNo, End, FromChild, Part, Start};

use super::WorkerLimits;
use super::check::check;
use super::compile::{Bundle, Library, compile};
use super::hub::{Claim, Hub, Job, State};
use super::isolate::{Event, Isolate, Slice};
use super::watch::Watch;

/// Above the stack of the language there is that of the engine and ours.
const STACK_SPARE_BYTES: usize = 1 << 20;
/// How long nobody takes up what is to be done before a thread is added.
const WAIT_MAX: Duration = Duration::from_millis(10);
/// How long it must be quiet before memory is given back.
const QUIET: Duration = Duration::from_millis(500);

/// Works until the channel ends. The calling thread becomes the clock.
pub(super) fn work(hub: &Arc<Hub>) -> io::Result<()> {
    for _ in 0..hub.limits.threads.max(1) {
        add_thread(hub, &mut hub.lock())?;
    }
    keep_time(hub)
}

fn add_thread(hub: &Arc<Hub>, state: &mut State) -> io::Result<()> {
    let stack = hub.limits.stack_bytes_max + STACK_SPARE_BYTES;
    let builder = thread::Builder::new().name("slices".into()).stack_size(stack);
    let body = Arc::clone(hub);
    builder.spawn(move || run_slices(&body))?;
    state.threads += 1;
    Ok(())
}

/// One thread. What it does next, in this order: a call that is ready, the channel if nobody
/// reads it, a spare state, sleep. So a message is read by the thread that will act on it.
fn run_slices(hub: &Arc<Hub>) {
    let mut state = hub.lock();
    loop {
        if let Some(job) = Hub::next_job(&mut state) {
            hub.pass_on(&mut state);
            drop(state);
            run(hub, job);
            state = hub.lock();
        } else if !state.is_read {
            state = hub.read_turn(state);
        } else if state.spares.len() + state.preparing < hub.limits.spares {
            state.preparing += 1;
            drop(state);
            let prepared = Isolate::prepare(&hub.limits);
            state = hub.lock();
            state.preparing -= 1;
            state.spares.extend(prepared.ok());
        } else {
            state.idle += 1;
            state = hub.work.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
        }
    }
}

fn run(hub: &Arc<Hub>, job: Job) {
    match job {
        Job::Begin { start, watch } => {
            let call = start.call;
            if start.part == Part::Check {
                let end = check_for(hub, &start, watch);
                hub.close(call);
                return hub.say(&[FromChild::Done { call, end }]);
            }
            let begun = match hub.claim(start) {
                Claim::Compiled(start, bundle) => begin(hub, &start, bundle, watch),
                Claim::Compile(start) => compile_for(hub, &start, &watch)
                    .and_then(|bundle| begin(hub, &start, bundle, watch)),
                Claim::Later => return,
            };
            match begun {
                Ok((isolate, slice)) => settle(hub, call, isolate, slice),
                Err(because) => {
                    hub.close(call);
                    hub.say(&[FromChild::Done { call, end: End::NotStarted(because) }]);
                }
            }
        }
        Job::Resume { call, mut isolate, events } => {
            let mut asked = Vec::new();
            for event in events {
                let is_abort = matches!(event, Event::Abort);
                let mut slice = isolate.resume(event);
                if is_abort {
                    hub.close(call);
                    return hub.say(&[FromChild::Gone { call }]);
                }
                asked.append(&mut slice.asked);
                if slice.end.is_some() {
                    return settle(hub, call, isolate, Slice { asked, ..slice });
                }
            }
            let slice = isolate.resume(Event::Timers);
            asked.extend(slice.asked);
            settle(hub, call, isolate, Slice { asked, end: slice.end, next_due: slice.next_due });
        }
    }
}

fn begin(
    hub: &Hub,
    start: &Start,
    bundle: Arc<Bundle>,
    watch: Arc<Watch>,
) -> Result<(Isolate, Slice), String> {
    let spare = hub.lock().spares.pop();
    let mut isolate = match spare {
        Some(isolate) => isolate,
        None => Isolate::prepare(&hub.limits).map_err(|fault| fault.to_string())?,
    };
    let slice = isolate.begin(start, bundle, watch);
    Ok((isolate, slice))
}

fn compile_for(hub: &Arc<Hub>, start: &Start, watch: &Arc<Watch>) -> Result<Arc<Bundle>, String> {
    let library = Parent { hub: Arc::clone(hub), call: start.call, watch: Arc::clone(watch) };
    let bundle = compile(&start.handler, Box::new(library)).map(Arc::new);
    hub.compiled(start.bundle, bundle.as_ref().ok().cloned());
    bundle
}

/// Says what is wrong with a handler; nothing of it is run.
fn check_for(hub: &Arc<Hub>, start: &Start, watch: Arc<Watch>) -> End {
    let library = Parent { hub: Arc::clone(hub), call: start.call, watch };
    let checked = check(&start.handler, Box::new(library));
    let json = checked.and_then(|faults| to_raw_value(&faults).map_err(|fault| fault.to_string()));
    json.map_or_else(End::NotStarted, End::Returned)
}

/// Says what a slice has to say, then parks the call or throws its state away.
fn settle(hub: &Hub, call: CallNo, isolate: Isolate, slice: Slice) {
    let Slice { asked, end, next_due } = slice;
    let asked = asked.into_iter().map(|asked| FromChild::Call {
        call,
        n: asked.n,
        name: asked.name,
        args: asked.args,
    });
    let mut messages: Vec<_> = asked.collect();
    match end {
        Some(end) => {
            hub.close(call);
            messages.push(FromChild::Done { call, end });
            hub.say(&messages);
            drop(isolate);
        }
        None => {
            if !messages.is_empty() {
                hub.say(&messages);
            }
            hub.park(call, isolate, next_due);
        }
    }
}

struct Parent {
    hub: Arc<Hub>,
    call: CallNo,
    watch: Arc<Watch>,
}

impl Library for Parent {
    fn import(&self, base: &str, specifier: &str) -> Result<(String, Option<String>), String> {
        self.hub.import(self.call, &self.watch, base, specifier)
    }
}

/// The clock: rings timers, adds threads, gives memory back.
fn keep_time(hub: &Arc<Hub>) -> ! {
    loop {
        let now = Instant::now();
        let mut state = hub.lock();
        state.is_alarmed = false;
        help_if_stuck(hub, &mut state, now);
        if state.untidy_since.is_some_and(|since| Hub::is_quiet(&state) && now >= since + QUIET) {
            state.untidy_since = None;
            drop(state);
            give_memory_back();
            continue;
        }
        hub.ring(state, now);
        let mut state = hub.lock();
        let wake = next_wake(hub, &state);
        state.is_alarmed = is_anybody_needed(&state);
        let wait = wake.map(|at| at.saturating_duration_since(Instant::now()));
        match wait {
            Some(Duration::ZERO) => {}
            Some(wait) => drop(hub.tick.wait_timeout(state, wait)),
            None => drop(hub.tick.wait(state)),
        }
    }
}

fn next_wake(hub: &Hub, state: &State) -> Option<Instant> {
    let WorkerLimits { threads_max, .. } = hub.limits;
    let timer = state.timers.peek().map(|Reverse((at, _))| *at);
    let is_needed = is_anybody_needed(state) && state.threads < threads_max;
    let stuck = is_needed.then(|| state.last_turn.unwrap_or_else(Instant::now) + WAIT_MAX);
    let quiet = state.untidy_since.filter(|_| Hub::is_quiet(state)).map(|since| since + QUIET);
    [timer, stuck, quiet].into_iter().flatten().min()
}

fn help_if_stuck(hub: &Arc<Hub>, state: &mut State, now: Instant) {
    let is_stuck = state.last_turn.is_none_or(|at| now >= at + WAIT_MAX);
    if is_anybody_needed(state) && is_stuck && state.threads < hub.limits.threads_max {
        // If there is no room for a thread, the call waits for one of the others.
        let _ = add_thread(hub, state);
    }
}

/// Whether there is something to do and every thread is busy.
fn is_anybody_needed(state: &State) -> bool {
    state.idle == 0 && (!state.ready.is_empty() || !state.is_read)
}

/// Returns memory of calls that have ended to the system.
#[expect(unsafe_code, reason = "the allocator has no safe interface for this")]
fn give_memory_back() {
    // SAFETY: `malloc_trim` takes no pointer, locks what it touches, and only releases pages
    // that the allocator itself holds free.
    #[cfg(target_env = "gnu")]
    unsafe {
        libc::malloc_trim(0);
    }
}
