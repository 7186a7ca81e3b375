//! What a run has left behind so far: whoever thinks of trying again asks here.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// How far a run has reached out of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Touched {
    /// Nobody can tell that it ran.
    Nothing,
    /// It has sent chunks; a second run would show them twice.
    Shown,
    /// It has written or sent something, or perhaps has.
    Written,
}

/// Counts the effects of one run. A write counts from before it begins, so that one that was
/// cut off in the middle counts too.
#[derive(Debug, Default)]
pub(super) struct Effects {
    shown: Arc<AtomicU32>,
    written: Arc<AtomicU32>,
}

impl Effects {
    pub(super) fn begin_write(&self) -> Effect {
        Effect::begin(&self.written)
    }

    pub(super) fn begin_show(&self) -> Effect {
        Effect::begin(&self.shown)
    }

    pub(super) fn touched(&self) -> Touched {
        if self.written.load(Ordering::SeqCst) > 0 {
            return Touched::Written;
        }
        match self.shown.load(Ordering::SeqCst) {
            0 => Touched::Nothing,
            _ => Touched::Shown,
        }
    }
}

/// One effect that is happening. It counts unless somebody knows that it did not happen.
#[derive(Debug)]
pub(super) struct Effect(Arc<AtomicU32>);

impl Effect {
    fn begin(count: &Arc<AtomicU32>) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Effect(Arc::clone(count))
    }

    pub(super) fn did_not_happen(self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}
