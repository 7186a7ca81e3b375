//! The state of one call outside the engine: its requests, what it waits for, how it ended.
//! Native functions write it, and the isolate reads it after each slice.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::value::RawValue;

use crate::protocol::End;
use crate::protocol::meter::Meter;

use super::WorkerLimits;

/// The longest timer; the limit of the call comes first.
const SLEEP_MAX: Duration = Duration::from_secs(24 * 60 * 60);

pub(crate) struct CallState {
    state: Mutex<State>,
    timers_max: usize,
}

struct State {
    asked: Vec<ServiceCall>,
    meter: Meter,
    timers: BTreeSet<(Instant, u32)>,
    due: HashMap<u32, Instant>,
    end: Option<End>,
}

/// One request to the parent.
pub(crate) struct ServiceCall {
    pub n: u32,
    pub name: String,
    pub args: Box<RawValue>,
}

impl CallState {
    pub(crate) fn new(limits: &WorkerLimits) -> Self {
        let state = State {
            asked: Vec::new(),
            meter: Meter::new(limits.flood.clone()),
            timers: BTreeSet::new(),
            due: HashMap::new(),
            end: None,
        };
        Self { state: Mutex::new(state), timers_max: limits.timers_max }
    }

    /// Records a request. Too many end the call; the error tells the handler.
    pub(crate) fn ask(&self, n: u32, name: String, args: Box<RawValue>) -> Result<(), String> {
        let mut state = self.lock();
        if let Err(limit) = state.meter.ask(&name, n, args.get().len()) {
            let message = format!("the limit of {limit} is used up");
            state.end.get_or_insert(End::OverLimit(limit));
            return Err(message);
        }
        state.asked.push(ServiceCall { n, name, args });
        Ok(())
    }

    pub(crate) fn answered(&self) {
        self.lock().meter.answered();
    }

    pub(crate) fn take_asked(&self) -> Vec<ServiceCall> {
        std::mem::take(&mut self.lock().asked)
    }

    pub(crate) fn set_timer(&self, n: u32, delay_ms: f64) -> Result<(), String> {
        let mut state = self.lock();
        if state.timers.len() >= self.timers_max {
            let limit = format!("{} timers at once", self.timers_max);
            let message = format!("the limit of {limit} is used up");
            state.end.get_or_insert(End::OverLimit(limit));
            return Err(message);
        }
        // The specification treats NaN, negative and infinite delays as zero.
        let delay = Duration::try_from_secs_f64(delay_ms / 1_000.0).unwrap_or_default();
        let due = Instant::now() + delay.min(SLEEP_MAX);
        state.timers.insert((due, n));
        state.due.insert(n, due);
        Ok(())
    }

    pub(crate) fn clear_timer(&self, n: u32) {
        let mut state = self.lock();
        if let Some(due) = state.due.remove(&n) {
            state.timers.remove(&(due, n));
        }
    }

    /// Takes one timer that is due.
    pub(crate) fn take_due(&self, now: Instant) -> Option<u32> {
        let mut state = self.lock();
        let (due, n) = *state.timers.first().filter(|(due, _)| *due <= now)?;
        state.timers.remove(&(due, n));
        state.due.remove(&n);
        Some(n)
    }

    pub(crate) fn next_due(&self) -> Option<Instant> {
        self.lock().timers.first().map(|(due, _)| *due)
    }

    /// Only the first end counts.
    pub(crate) fn finish(&self, end: End) {
        self.lock().end.get_or_insert(end);
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.lock().end.is_some()
    }

    pub(crate) fn take_end(&self) -> Option<End> {
        self.lock().end.take()
    }

    /// Whether anything can still wake this call.
    pub(crate) fn is_waiting(&self) -> bool {
        let state = self.lock();
        state.meter.open() > 0 || !state.timers.is_empty()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
