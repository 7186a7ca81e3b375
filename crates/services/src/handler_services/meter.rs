//! Counts the service calls of a run. The handler's process counts too, but is not trusted.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use policy::ServiceFault;
use serde_json::Value;

use crate::fault::FaultCode;

/// The counts of one run.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    calls: AtomicU32,
    fetches: AtomicU32,
    ai: AtomicU32,
    bytes: AtomicU64,
}

impl Meter {
    pub(crate) fn count_call(&self, max: u32) -> Result<(), ServiceFault> {
        count(&self.calls, max, "calls to services")
    }

    pub(crate) fn count_fetch(&self, max: u32) -> Result<(), ServiceFault> {
        count(&self.fetches, max, "calls to `fetch`")
    }

    pub(crate) fn count_ai(&self, max: u32) -> Result<(), ServiceFault> {
        count(&self.ai, max, "questions to a model")
    }

    /// Counts arguments or a result.
    pub(crate) fn count_bytes(&self, value: &Value, max: u64) -> Result<(), ServiceFault> {
        let bytes = weight(value) as u64;
        match self.bytes.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes) <= max {
            true => Ok(()),
            false => Err(FaultCode::LimitReached
                .fault(format!("this run exceeds its limit of {max} bytes for services"))),
        }
    }
}

fn count(counter: &AtomicU32, max: u32, what: &str) -> Result<(), ServiceFault> {
    // Stops at the limit, so that the counter cannot wrap around.
    let more = |count: u32| (count < max).then_some(count + 1);
    counter.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).map(|_| ()).map_err(|_| {
        FaultCode::LimitReached.fault(format!("this run exceeds its limit of {max} {what}"))
    })
}

/// The approximate size of the value as JSON, in bytes.
pub(crate) fn weight(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) => 4,
        Value::Number(_) => 8,
        Value::String(text) => text.len() + 2,
        Value::Array(items) => items.iter().map(|item| weight(item) + 1).sum::<usize>() + 2,
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| name.len() + weight(value) + 4).sum::<usize>() + 2
        }
    }
}
