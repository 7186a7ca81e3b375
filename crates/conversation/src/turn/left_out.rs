//! Tools that cannot be offered to the model of a turn.

use std::collections::{BTreeMap, BTreeSet};

use contract::Digest;
use engine::{Engine, RefusedTool};

use crate::event::{LeftOutTool, OfferedTool};

/// The model that is offered the tools, and the tools that the conversation has used.
pub(crate) struct OfferTarget {
    /// `provider:name` of the model.
    pub model: String,
    pub tools_max: Option<usize>,
    /// Tools that were called or offered before; they are kept when not all fit.
    pub known: BTreeSet<String>,
}

/// Records the tools that a model has just refused.
pub(crate) async fn keep_refused(engine: &Engine, model: &str, tools: &[LeftOutTool]) {
    for LeftOutTool { id, digest, because } in tools {
        let (model, tool, because) = (model.to_owned(), id.clone(), because.clone());
        let refused = RefusedTool { model, tool, digest: *digest, because };
        engine.keep_refused_tool(&refused).await;
    }
}

/// The tools that cannot be offered to this model: those that it refused recently, then those over
/// its limit.
pub(crate) async fn left_out(
    engine: &Engine,
    target: &OfferTarget,
    offered: &[OfferedTool],
) -> Vec<Vec<LeftOutTool>> {
    let refused = engine.refused_by(&target.model).await.unwrap_or_default();
    let refused: BTreeMap<Digest, String> =
        refused.into_iter().map(|refused| (refused.digest, refused.because)).collect();
    let because = |tool: &OfferedTool| refused.get(&tool.digest).cloned();
    let bad: Vec<_> =
        offered.iter().filter_map(|tool| Some(without(tool, because(tool)?))).collect();
    let good: Vec<_> = offered.iter().filter(|tool| because(tool).is_none()).collect();
    let over = over_limit(target, &good);
    [bad, over].into_iter().filter(|group| !group.is_empty()).collect()
}

/// The tools over the model's limit. Tools that the conversation knows are kept first, then the
/// others in the order of the registry.
fn over_limit(target: &OfferTarget, offered: &[&OfferedTool]) -> Vec<LeftOutTool> {
    let Some(most) = target.tools_max.filter(|most| offered.len() > *most) else {
        return Vec::new();
    };
    let (known, new): (Vec<&OfferedTool>, Vec<&OfferedTool>) =
        offered.iter().partition(|tool| target.known.contains(&tool.id));
    let because = format!(
        "{} takes at most {most} tools; switch off what you do not need with `ghosthand tools \
         disable`, and begin a new conversation",
        target.model
    );
    let over = known.into_iter().chain(new).skip(most);
    over.map(|tool| without(tool, because.clone())).collect()
}

fn without(tool: &OfferedTool, because: String) -> LeftOutTool {
    LeftOutTool { id: tool.id.clone(), digest: tool.digest, because }
}
