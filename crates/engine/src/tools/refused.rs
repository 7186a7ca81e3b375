//! Tools that a model's provider did not accept, kept for later conversations.
//!
//! Must hold: a record is bound to the digest of the tool, so a tool that changed is tried again.
//! Records expire, because providers change too.

use std::time::Duration;

use contract::Digest;
use serde::{Deserialize, Serialize};
use store::{Expected, Expiry, Json, Pages, Prefix, StoreFault};

use crate::engine::Engine;
use crate::store_keys;

/// A tool that a model's provider refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedTool {
    /// `provider:name`.
    pub model: String,
    pub tool: String,
    pub digest: Digest,
    pub because: String,
}

/// After this a tool is tried again.
const KEPT_FOR: Duration = Duration::from_secs(7 * 24 * 3_600);

impl Engine {
    /// Records a refusal. A failure is only logged: it costs one more request.
    pub async fn keep_refused_tool(&self, refused: &RefusedTool) {
        let RefusedTool { model, tool, digest, .. } = refused;
        let (Ok(key), Ok(json)) = (store_keys::refused_tool(model, digest), Json::of(refused))
        else {
            return;
        };
        let kept = self.store().kv().set(&key, json, Expected::Any, Expiry::After(KEPT_FOR));
        if let Err(fault) = kept.await {
            tracing::warn!(%fault, tool, "failed to record a tool that the model refuses");
        }
    }

    /// Every tool that some model refused lately.
    pub async fn refused_tools(&self) -> Result<Vec<RefusedTool>, StoreFault> {
        self.refused_below(store_keys::refused_tools()?).await
    }

    /// The tools that this model refused lately.
    pub async fn refused_by(&self, model: &str) -> Result<Vec<RefusedTool>, StoreFault> {
        self.refused_below(store_keys::refused_by(model)?).await
    }

    async fn refused_below(&self, prefix: Prefix) -> Result<Vec<RefusedTool>, StoreFault> {
        let mut refused = Vec::new();
        let mut pages = Pages::of(500);
        while let Some(request) = pages.request() {
            let entries = pages.items(self.store().kv().list(&prefix, request).await?);
            refused.extend(entries.iter().filter_map(|entry| entry.value.to().ok()));
        }
        Ok(refused)
    }
}
