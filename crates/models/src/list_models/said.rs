//! What a provider's list says about a model: each provider and server in its own words.
//!
//! Must hold: what an entry does not say stays unknown.

use serde_json::Value;

/// What the list of a provider says about one model; none where it says nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SaidFacts {
    /// Tokens of the prompt and the answer together.
    pub window: Option<u64>,
    pub output_tokens_max: Option<u64>,
    pub tools: Option<bool>,
    pub pictures: Option<bool>,
    pub thinking: Option<bool>,
    /// Whether it answers in a conversation; embeddings and speech models do not.
    pub chats: Option<bool>,
    pub price: Option<ListedPrice>,
}

/// The price of one token, in millionths of a millionth of a dollar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListedPrice {
    pub input_picodollars: u64,
    pub output_picodollars: u64,
}

impl SaidFacts {
    /// Reads an entry of any provider: their fields have different names.
    pub(super) fn read(entry: &Value) -> Self {
        let count = |paths: &[&str]| paths.iter().find_map(|path| entry.pointer(path)?.as_u64());
        let has = |path: &str, word: &str| {
            let words = entry.pointer(path)?.as_array()?;
            Some(words.iter().any(|one| one.as_str() == Some(word)))
        };
        // Anthropic's capabilities, as in `{"image_input": {"supported": true}}`.
        let capability = |name: &str| {
            entry.pointer(&format!("/capabilities/{name}/supported")).and_then(Value::as_bool)
        };
        Self {
            // Anthropic, Gemini, OpenRouter, LM Studio, vLLM, llama.cpp.
            window: count(&[
                "/max_input_tokens",
                "/inputTokenLimit",
                "/context_length",
                "/max_context_length",
                "/max_model_len",
                "/meta/n_ctx",
                "/meta/n_ctx_train",
            ]),
            output_tokens_max: count(&[
                "/max_tokens",
                "/outputTokenLimit",
                "/top_provider/max_completion_tokens",
            ]),
            tools: has("/supported_parameters", "tools"),
            pictures: capability("image_input")
                .or_else(|| has("/architecture/input_modalities", "image"))
                .or_else(|| entry.get("type").and_then(is_picture_model)),
            thinking: capability("thinking")
                .or_else(|| entry.get("thinking").and_then(Value::as_bool))
                .or_else(|| has("/supported_parameters", "reasoning")),
            chats: has("/supportedGenerationMethods", "generateContent")
                .or_else(|| has("/architecture/output_modalities", "text"))
                .or_else(|| entry.get("type").and_then(is_chat_model)),
            price: entry.get("pricing").and_then(price),
        }
    }
}

/// LM Studio calls models that see `vlm`.
fn is_picture_model(kind: &Value) -> Option<bool> {
    match kind.as_str()? {
        "vlm" => Some(true),
        "llm" => Some(false),
        _ => None,
    }
}

fn is_chat_model(kind: &Value) -> Option<bool> {
    match kind.as_str()? {
        "vlm" | "llm" => Some(true),
        "embeddings" => Some(false),
        _ => None,
    }
}

/// OpenRouter's prices: dollars for one token, as text.
fn price(pricing: &Value) -> Option<ListedPrice> {
    let picodollars = |name: &str| {
        let dollars: f64 = pricing.get(name)?.as_str()?.parse().ok()?;
        // More than a dollar for a token is no price, and so is less than nothing.
        (0.0..1.0).contains(&dollars).then(|| (dollars * 1e12).round() as u64)
    };
    let (input, output) = (picodollars("prompt")?, picodollars("completion")?);
    Some(ListedPrice { input_picodollars: input, output_picodollars: output })
}

#[cfg(test)]
mod tests;
