//! The body of an answer, read with limits.

use std::time::Duration;

use contract::ModelFault;
use http_body_util::BodyExt;
use hyper::body::{Bytes, Incoming};
use serde_json::Value;

use crate::fault;
use crate::provider::Provider;

pub(crate) struct Body {
    incoming: Incoming,
    idle_time_max: Duration,
    provider: Provider,
    read: usize,
}

impl Body {
    pub(crate) fn new(incoming: Incoming, idle_time_max: Duration, provider: Provider) -> Self {
        Self { incoming, idle_time_max, provider, read: 0 }
    }

    /// The next bytes, or `None` at the end. A connection that breaks is *truncated*.
    pub(crate) async fn next(&mut self, bytes_max: usize) -> Result<Option<Bytes>, ModelFault> {
        loop {
            let idle = self.idle_time_max;
            let next = tokio::time::timeout(idle, self.incoming.frame()).await;
            let next = next.map_err(|_| fault::timed_out(&self.provider, "fell silent", idle))?;
            let frame = match next {
                None => return Ok(None),
                Some(Ok(frame)) => frame,
                Some(Err(error)) => return Err(fault::truncated(&error.to_string())),
            };
            let Ok(bytes) = frame.into_data() else { continue };
            self.read += bytes.len();
            if self.read > bytes_max {
                return Err(fault::reply_too_large(bytes_max));
            }
            return Ok(Some(bytes));
        }
    }

    /// All of it.
    pub(crate) async fn bytes(mut self, bytes_max: usize) -> Result<Vec<u8>, ModelFault> {
        let mut bytes = Vec::new();
        while let Some(more) = self.next(bytes_max).await? {
            bytes.extend_from_slice(&more);
        }
        Ok(bytes)
    }

    /// The text up to the limit, even if the body is incomplete.
    pub(crate) async fn text(mut self, bytes_max: usize) -> Option<String> {
        let mut bytes = Vec::new();
        while let Ok(Some(more)) = self.next(bytes_max).await {
            bytes.extend_from_slice(&more);
        }
        (!bytes.is_empty()).then(|| String::from_utf8_lossy(&bytes).into_owned())
    }

    pub(crate) async fn json(self, bytes_max: usize) -> Result<Value, ModelFault> {
        let bytes = self.bytes(bytes_max).await?;
        serde_json::from_slice(&bytes)
            .map_err(|error| fault::garbled(&format!("the answer is not JSON ({error})")))
    }
}
