//! The lists of models, as each provider gives them.

use contract::Wire;
use serde_json::{Value, json};

use super::answer::Page;
use super::model_families;
use super::wire_error::Trouble;

/// All models, or the requested one.
pub(crate) fn answer(wire: Wire, name: Option<&str>) -> Result<Page, Trouble> {
    let spell = |name: &str| match wire {
        Wire::Anthropic => json!({
            "type": "model", "id": name, "display_name": name, "lifecycle": "active",
            "created_at": "2026-01-01T00:00:00Z", "max_input_tokens": 1_000_000,
            "max_tokens": 64_000,
        }),
        Wire::Chat | Wire::Responses => json!({
            "id": name, "object": "model", "created": 1_767_225_600, "owned_by": "openai",
        }),
        Wire::Gemini => json!({
            "name": format!("models/{name}"), "displayName": name, "version": "001",
            "inputTokenLimit": 1_048_576, "outputTokenLimit": 65_536,
            "supportedGenerationMethods": ["generateContent", "countTokens"],
        }),
    };
    if let Some(name) = name {
        let known = model_families::family(wire, name).is_some();
        return known
            .then(|| spell(name).into())
            .ok_or_else(|| Trouble::UnknownModel(name.to_owned()));
    }
    let all: Vec<Value> = model_families::names(wire).map(spell).collect();
    Ok(match wire {
        Wire::Anthropic => json!({
            "first_id": all.first().map(|model| &model["id"]),
            "last_id": all.last().map(|model| &model["id"]),
            "has_more": false, "data": all,
        }),
        Wire::Chat | Wire::Responses => json!({ "object": "list", "data": all }),
        Wire::Gemini => json!({ "models": all }),
    }
    .into())
}
