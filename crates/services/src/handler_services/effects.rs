//! What a run has left behind so far: whoever thinks of trying again asks here.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// How far a run has reached out of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EffectLevel {
    /// Nobody can tell that it ran.
    None,
    /// It has sent chunks; a second run would show them twice.
    Shown,
    /// It has written or sent something, or perhaps has.
    Written,
}

/// Counts the effects of one run. A write counts from before it begins, so that one that was
/// cut off in the middle counts too.
#[derive(Debug, Default)]
pub(crate) struct Effects {
    shown: Arc<AtomicU32>,
    written: Arc<AtomicU32>,
}

impl Effects {
    pub(crate) fn begin_write(&self) -> Effect {
        Effect::begin(&self.written)
    }

    pub(crate) fn begin_show(&self) -> Effect {
        Effect::begin(&self.shown)
    }

    pub(crate) fn touched(&self) -> EffectLevel {
        if self.written.load(Ordering::SeqCst) > 0 {
            return EffectLevel::Written;
        }
        match self.shown.load(Ordering::SeqCst) {
            0 => EffectLevel::None,
            _ => EffectLevel::Shown,
        }
    }
}

/// One effect that is happening. It counts unless somebody knows that it did not happen.
#[derive(Debug)]
pub(crate) struct Effect(Arc<AtomicU32>);

impl Effect {
    fn begin(count: &Arc<AtomicU32>) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Effect(Arc::clone(count))
    }

    pub(crate) fn did_not_happen(self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}
