//! The threads of a worker: some that take turns reading and running, and a clock.
//!
//! A slice cannot be preempted. So while all threads are busy with long slices and work is
//! waiting, the clock adds a thread: a handler that is stuck in a native function of the engine
//! blocks only itself.

use std::cmp::Reverse;
use std::io;
use std::sync::{Arc, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::value::to_raw_value;

use crate::protocol::{CallNo, End, EntryPoint, FromChild, Start};

use super::WorkerLimits;
use super::check::check;
use super::compile::{Bundle, ModuleSource, compile};
use super::deadline::Deadline;
use super::isolate::{Event, Isolate, Slice};
use super::scheduler::{BundleClaim, Job, Scheduler, State};

/// Room for the engine's and our own frames above the JavaScript stack.
const STACK_SPARE_BYTES: usize = 1 << 20;
/// How long work may wait before a thread is added.
const WAIT_MAX: Duration = Duration::from_millis(10);
/// How long the worker must be idle before memory is released.
const QUIET: Duration = Duration::from_millis(500);

/// Runs until the channel ends. The calling thread becomes the clock.
pub(crate) fn work(scheduler: &Arc<Scheduler>) -> io::Result<()> {
    for _ in 0..scheduler.limits.threads.max(1) {
        add_thread(scheduler, &mut scheduler.lock())?;
    }
    keep_time(scheduler)
}

fn add_thread(scheduler: &Arc<Scheduler>, state: &mut State) -> io::Result<()> {
    let stack = scheduler.limits.stack_bytes_max + STACK_SPARE_BYTES;
    let builder = thread::Builder::new().name("slices".into()).stack_size(stack);
    let body = Arc::clone(scheduler);
    builder.spawn(move || run_slices(&body))?;
    state.threads += 1;
    Ok(())
}

/// The loop of one thread. In order of preference: a ready call, the channel if no thread reads
/// it, a spare isolate, sleep. So the thread that reads a message also acts on it.
fn run_slices(scheduler: &Arc<Scheduler>) {
    let mut state = scheduler.lock();
    loop {
        if let Some(job) = Scheduler::next_job(&mut state) {
            scheduler.wake_one(&mut state);
            drop(state);
            run(scheduler, job);
            state = scheduler.lock();
        } else if !state.is_read {
            state = scheduler.read_turn(state);
        } else if state.spares.len() + state.preparing < scheduler.limits.spares {
            state.preparing += 1;
            drop(state);
            let prepared = Isolate::prepare(&scheduler.limits);
            state = scheduler.lock();
            state.preparing -= 1;
            state.spares.extend(prepared.ok());
        } else {
            state.idle += 1;
            state = scheduler.work.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
        }
    }
}

fn run(scheduler: &Arc<Scheduler>, job: Job) {
    match job {
        Job::Begin { start, deadline } => {
            let call = start.call;
            if start.part == EntryPoint::Check {
                let end = check_for(scheduler, &start, deadline);
                scheduler.close(call);
                return scheduler.send(&[FromChild::Done { call, end }]);
            }
            let begun = match scheduler.claim(start) {
                BundleClaim::Compiled(start, bundle) => begin(scheduler, &start, bundle, deadline),
                BundleClaim::Compile(start) => compile_for(scheduler, &start, &deadline)
                    .and_then(|bundle| begin(scheduler, &start, bundle, deadline)),
                BundleClaim::Later => return,
            };
            match begun {
                Ok((isolate, slice)) => settle(scheduler, call, isolate, slice),
                Err(because) => {
                    scheduler.close(call);
                    scheduler.send(&[FromChild::Done { call, end: End::NotStarted(because) }]);
                }
            }
        }
        Job::Resume { call, mut isolate, events } => {
            let mut asked = Vec::new();
            for event in events {
                let is_abort = matches!(event, Event::Abort);
                let mut slice = isolate.resume(event);
                if is_abort {
                    scheduler.close(call);
                    return scheduler.send(&[FromChild::Gone { call }]);
                }
                asked.append(&mut slice.asked);
                if slice.end.is_some() {
                    return settle(scheduler, call, isolate, Slice { asked, ..slice });
                }
            }
            let slice = isolate.resume(Event::Timers);
            asked.extend(slice.asked);
            settle(
                scheduler,
                call,
                isolate,
                Slice { asked, end: slice.end, next_due: slice.next_due },
            );
        }
    }
}

fn begin(
    scheduler: &Scheduler,
    start: &Start,
    bundle: Arc<Bundle>,
    deadline: Arc<Deadline>,
) -> Result<(Isolate, Slice), String> {
    let spare = scheduler.lock().spares.pop();
    let mut isolate = match spare {
        Some(isolate) => isolate,
        None => Isolate::prepare(&scheduler.limits).map_err(|fault| fault.to_string())?,
    };
    let slice = isolate.begin(start, bundle, deadline);
    Ok((isolate, slice))
}

fn compile_for(
    scheduler: &Arc<Scheduler>,
    start: &Start,
    deadline: &Arc<Deadline>,
) -> Result<Arc<Bundle>, String> {
    let library = Parent {
        scheduler: Arc::clone(scheduler),
        call: start.call,
        deadline: Arc::clone(deadline),
    };
    let bundle = compile(&start.handler, Box::new(library)).map(Arc::new);
    scheduler.compiled(start.bundle, bundle.as_ref().ok().cloned());
    bundle
}

/// Returns the faults of a handler without running it.
fn check_for(scheduler: &Arc<Scheduler>, start: &Start, deadline: Arc<Deadline>) -> End {
    let library = Parent { scheduler: Arc::clone(scheduler), call: start.call, deadline };
    let checked = check(&start.handler, Box::new(library));
    let json = checked.and_then(|faults| to_raw_value(&faults).map_err(|fault| fault.to_string()));
    json.map_or_else(End::NotStarted, End::Returned)
}

/// Sends the output of a slice, then parks the call or drops its isolate.
fn settle(scheduler: &Scheduler, call: CallNo, isolate: Isolate, slice: Slice) {
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
            scheduler.close(call);
            messages.push(FromChild::Done { call, end });
            scheduler.send(&messages);
            drop(isolate);
        }
        None => {
            if !messages.is_empty() {
                scheduler.send(&messages);
            }
            scheduler.park(call, isolate, next_due);
        }
    }
}

struct Parent {
    scheduler: Arc<Scheduler>,
    call: CallNo,
    deadline: Arc<Deadline>,
}

impl ModuleSource for Parent {
    fn import(&self, base: &str, specifier: &str) -> Result<(String, Option<String>), String> {
        self.scheduler.import(self.call, &self.deadline, base, specifier)
    }
}

/// The clock: fires timers, adds threads, releases memory.
fn keep_time(scheduler: &Arc<Scheduler>) -> ! {
    loop {
        let now = Instant::now();
        let mut state = scheduler.lock();
        state.is_alarmed = false;
        help_if_stuck(scheduler, &mut state, now);
        if state
            .untidy_since
            .is_some_and(|since| Scheduler::is_quiet(&state) && now >= since + QUIET)
        {
            state.untidy_since = None;
            drop(state);
            give_memory_back();
            continue;
        }
        scheduler.fire_timers(state, now);
        let mut state = scheduler.lock();
        let wake = next_wake(scheduler, &state);
        state.is_alarmed = is_anybody_needed(&state);
        let wait = wake.map(|at| at.saturating_duration_since(Instant::now()));
        match wait {
            Some(Duration::ZERO) => {}
            Some(wait) => drop(scheduler.tick.wait_timeout(state, wait)),
            None => drop(scheduler.tick.wait(state)),
        }
    }
}

fn next_wake(scheduler: &Scheduler, state: &State) -> Option<Instant> {
    let WorkerLimits { threads_max, .. } = scheduler.limits;
    let timer = state.timers.peek().map(|Reverse((at, _))| *at);
    let is_needed = is_anybody_needed(state) && state.threads < threads_max;
    let stuck = is_needed.then(|| state.last_turn.unwrap_or_else(Instant::now) + WAIT_MAX);
    let quiet =
        state.untidy_since.filter(|_| Scheduler::is_quiet(state)).map(|since| since + QUIET);
    [timer, stuck, quiet].into_iter().flatten().min()
}

fn help_if_stuck(scheduler: &Arc<Scheduler>, state: &mut State, now: Instant) {
    let is_stuck = state.last_turn.is_none_or(|at| now >= at + WAIT_MAX);
    if is_anybody_needed(state) && is_stuck && state.threads < scheduler.limits.threads_max {
        // If no thread can be added, the call waits for an existing one.
        let _ = add_thread(scheduler, state);
    }
}

/// Whether there is work and every thread is busy.
fn is_anybody_needed(state: &State) -> bool {
    state.idle == 0 && (!state.ready.is_empty() || !state.is_read)
}

/// Returns the memory of ended calls to the system.
#[expect(unsafe_code, reason = "the allocator has no safe interface for this")]
fn give_memory_back() {
    // SAFETY: `malloc_trim` takes no pointer, locks what it touches, and only releases pages
    // that the allocator itself holds free.
    #[cfg(target_env = "gnu")]
    unsafe {
        libc::malloc_trim(0);
    }
}
