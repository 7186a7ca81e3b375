//! The effects of a run so far, which decide whether it can be retried.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// The strongest effect of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EffectLevel {
    /// The run had no visible effect.
    None,
    /// It sent chunks; a second run would show them twice.
    Shown,
    /// It wrote or sent something, or may have.
    Written,
}

/// Counts the effects of one run. A write counts before it starts, so that an interrupted one
/// counts too.
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

/// An effect in progress. It counts unless it is known not to have happened.
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
