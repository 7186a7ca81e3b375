//! Which tools a model's provider did not accept, kept for the next conversation.
//!
//! Must hold: what is kept is bound to the tool as it was; a tool that changed is tried
//! again, and so is every tool after a while, because servers change too.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use contract::Digest;
use serde::{Deserialize, Serialize};
use store::{Expected, Expiry, Json, PageRequest, Prefix, StoreFault};

use super::event::{LeftOutTool, OfferedTool};
use crate::engine::Engine;
use crate::keys;

/// A tool that a model cannot have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedTool {
    pub model: String,
    pub tool: String,
    pub digest: Digest,
    pub because: String,
}

/// Who is asked, and what the conversation has used: what decides who stays.
pub(super) struct Seat {
    /// `provider:name` of the model.
    pub model: String,
    pub tools_max: Option<usize>,
    /// Tools that were called or offered before; they stay where there is no room for all.
    pub known: BTreeSet<String>,
}

/// Servers change; after this a tool is tried again.
const KEPT_FOR: Duration = Duration::from_secs(7 * 24 * 3_600);
const PAGE: usize = 500;

impl Engine {
    /// Keeps what a model did not take. Nothing breaks where that fails: it costs a request.
    pub(super) async fn keep_refused(&self, model: &str, tools: &[LeftOutTool]) {
        for LeftOutTool { id, digest, because } in tools {
            let refused = RefusedTool {
                model: model.to_owned(),
                tool: id.clone(),
                digest: *digest,
                because: because.clone(),
            };
            let (Ok(key), Ok(json)) = (keys::refused_tool(model, digest), Json::of(&refused))
            else {
                continue;
            };
            let kept = self.store().kv().set(&key, json, Expected::Any, Expiry::After(KEPT_FOR));
            if let Err(fault) = kept.await {
                tracing::warn!(%fault, tool = id, "a tool that a model refuses was not noted");
            }
        }
    }

    /// Every tool that some model was seen to refuse of late.
    pub async fn refused_tools(&self) -> Result<Vec<RefusedTool>, StoreFault> {
        let prefix = keys::refused_tools();
        self.refused_below(prefix.map_err(|bad| unusable(&bad))?).await
    }

    async fn refused_below(&self, prefix: Prefix) -> Result<Vec<RefusedTool>, StoreFault> {
        let mut refused = Vec::new();
        let mut page = PageRequest::first(PAGE);
        loop {
            let found = self.store().kv().list(&prefix, page).await?;
            refused.extend(found.items.iter().filter_map(|entry| entry.value.to().ok()));
            match found.next {
                Some(next) => page = PageRequest::after(next, PAGE),
                None => return Ok(refused),
            }
        }
    }

    /// What of the offered tools this model cannot have: what it was seen to refuse, then
    /// what is more than it takes.
    pub(super) async fn cannot_have(
        &self,
        seat: &Seat,
        offered: &[OfferedTool],
    ) -> Vec<Vec<LeftOutTool>> {
        let refused = match keys::refused_by(&seat.model) {
            Ok(prefix) => self.refused_below(prefix).await.unwrap_or_default(),
            Err(_) => Vec::new(),
        };
        let refused: BTreeMap<Digest, String> =
            refused.into_iter().map(|refused| (refused.digest, refused.because)).collect();
        let because = |tool: &OfferedTool| refused.get(&tool.digest).cloned();
        let bad: Vec<_> =
            offered.iter().filter_map(|tool| Some(left_out(tool, because(tool)?))).collect();
        let good: Vec<_> = offered.iter().filter(|tool| because(tool).is_none()).collect();
        let over = over_limit(seat, &good);
        [bad, over].into_iter().filter(|group| !group.is_empty()).collect()
    }
}

/// What is left when there is no room for all: first those that the conversation knows,
/// then in the order of the registry.
fn over_limit(seat: &Seat, offered: &[&OfferedTool]) -> Vec<LeftOutTool> {
    let Some(most) = seat.tools_max.filter(|most| offered.len() > *most) else {
        return Vec::new();
    };
    let (known, new): (Vec<&OfferedTool>, Vec<&OfferedTool>) =
        offered.iter().partition(|tool| seat.known.contains(&tool.id));
    let because = format!(
        "{} takes at most {most} tools; switch off what you do not need with `ghosthand tools \
         disable`, and begin a new conversation",
        seat.model
    );
    let over = known.into_iter().chain(new).skip(most);
    over.map(|tool| left_out(tool, because.clone())).collect()
}

fn left_out(tool: &OfferedTool, because: String) -> LeftOutTool {
    LeftOutTool { id: tool.id.clone(), digest: tool.digest, because }
}

fn unusable(bad: &store::BadName) -> StoreFault {
    StoreFault::Unusable { because: bad.to_string() }
}
