//! A provider: its address, protocol and key.
//!
//! In: settings. Out: a [`Provider`] that a client can be made of. Must hold: a key is a
//! [`Secret`]; nothing here sniffs a server by its name.

use contract::{Rung, Wire};
use serde_json::Value;

use contract::Secret;

use crate::secret::redact;

/// One server that models are asked at.
#[derive(Debug, Clone, PartialEq)]
pub struct Provider {
    /// What people call it, as in `anthropic` of `anthropic:claude-opus-5-5`.
    pub name: String,
    pub wire: Wire,
    /// Whose models it serves; decides which facts and prices are believed.
    pub family: Family,
    /// Up to the part that all of its addresses share, as in `https://api.openai.com/v1`.
    pub base_url: String,
    pub key: Key,
    /// Where the key comes from, for people, as in `ANTHROPIC_API_KEY`.
    pub key_name: String,
    /// Sent with every request, in this order.
    pub headers: Vec<(String, Secret)>,
    pub tokens_field: TokensField,
    /// The dialect that spells tools, where it is not the wire's own (`ollama`).
    pub dialect: Option<String>,
    /// How answers can be shaped, where the operator knows better than the table.
    pub rungs: Option<Vec<Rung>>,
    /// Merged into every body (RFC 7396); `null` takes a field away.
    pub extras: Value,
}

/// Whose models a server has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    Anthropic,
    OpenAi,
    Gemini,
    Ollama,
    /// A compatible server with models that no table knows.
    Other,
}

/// What opens the provider's door.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Key {
    Given(Secret),
    /// The provider wants one and there is none.
    Missing,
    NotNeeded,
}

/// What Chat Completions calls the limit of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokensField {
    MaxCompletionTokens,
    MaxTokens,
}

impl Provider {
    pub fn anthropic(key: Key) -> Self {
        let url = "https://api.anthropic.com";
        let key_name = "ANTHROPIC_API_KEY".to_owned();
        Self { key_name, ..Self::new("anthropic", Wire::Anthropic, Family::Anthropic, url, key) }
    }

    /// OpenAI by its Responses API.
    pub fn openai(key: Key) -> Self {
        let url = "https://api.openai.com/v1";
        let key_name = "OPENAI_API_KEY".to_owned();
        Self { key_name, ..Self::new("openai", Wire::Responses, Family::OpenAi, url, key) }
    }

    /// OpenAI by Chat Completions.
    pub fn openai_chat(key: Key) -> Self {
        Self { wire: Wire::Chat, ..Self::openai(key) }
    }

    pub fn gemini(key: Key) -> Self {
        let url = "https://generativelanguage.googleapis.com/v1beta";
        let key_name = "GEMINI_API_KEY".to_owned();
        Self { key_name, ..Self::new("gemini", Wire::Gemini, Family::Gemini, url, key) }
    }

    /// Any server that speaks Chat Completions: llama.cpp, vLLM, LM Studio, OpenRouter.
    pub fn compatible(name: &str, base_url: &str, key: Key) -> Self {
        Self {
            tokens_field: TokensField::MaxTokens,
            ..Self::new(name, Wire::Chat, Family::Other, base_url, key)
        }
    }

    /// Ollama by its compatible API, as in `http://localhost:11434/v1`.
    pub fn ollama(base_url: &str) -> Self {
        Self {
            family: Family::Ollama,
            dialect: Some("ollama".to_owned()),
            ..Self::compatible("ollama", base_url, Key::NotNeeded)
        }
    }

    fn new(name: &str, wire: Wire, family: Family, base_url: &str, key: Key) -> Self {
        Self {
            name: name.to_owned(),
            wire,
            family,
            base_url: base_url.to_owned(),
            key,
            key_name: format!("the key of `{name}`"),
            headers: Vec::new(),
            tokens_field: TokensField::MaxCompletionTokens,
            dialect: None,
            rungs: None,
            extras: Value::Null,
        }
    }

    /// The base address without what somebody may have hidden in it.
    pub fn shown_url(&self) -> String {
        let url = self.base_url.split(['?', '#']).next().unwrap_or_default();
        match (url.split_once("://"), url.rsplit_once('@')) {
            (Some((scheme, _)), Some((_, host))) => format!("{scheme}://{host}"),
            (None, Some((_, host))) => host.to_owned(),
            (_, None) => url.to_owned(),
        }
    }

    /// A text of the provider's without our secrets in it.
    pub(crate) fn redact(&self, text: &str) -> String {
        redact(text, self.headers.iter().map(|(_, value)| value).chain(self.key.secret()))
    }
}

impl Key {
    pub(crate) fn secret(&self) -> Option<&Secret> {
        match self {
            Key::Given(secret) => Some(secret),
            Key::Missing | Key::NotNeeded => None,
        }
    }
}

impl TokensField {
    pub fn as_str(self) -> &'static str {
        match self {
            TokensField::MaxCompletionTokens => "max_completion_tokens",
            TokensField::MaxTokens => "max_tokens",
        }
    }
}
