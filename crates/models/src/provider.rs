//! A provider: its address, protocol and key.
//!
//! In: settings. Out: a [`Provider`] for a client. Must hold: a key is a
//! [`Secret`]; nothing here guesses from a server's name.

use std::net::IpAddr;

use contract::{ModelFault, Rung, Sight, Wire};
use hyper::Uri;
use serde_json::Value;

use contract::Secret;

use crate::fault;
use crate::secret::redact;

/// One server with models.
#[derive(Debug, Clone, PartialEq)]
pub struct Provider {
    /// Its name, as in `anthropic` of `anthropic:claude-opus-5-5`.
    pub name: String,
    pub wire: Wire,
    /// Whose models it serves; determines which facts and prices apply.
    pub family: Family,
    /// The common prefix of its addresses, as in `https://api.openai.com/v1`.
    pub base_url: String,
    pub key: Key,
    /// Where the key comes from, for people, as in `ANTHROPIC_API_KEY`.
    pub key_name: String,
    /// Sent with every request, in this order.
    pub headers: Vec<(String, Secret)>,
    pub tokens_field: TokensField,
    /// The dialect for tools, if it is not the wire's own (`ollama`).
    pub dialect: Option<String>,
    /// The supported rungs, if the operator knows better than the table.
    pub rungs: Option<Vec<Rung>>,
    /// Whether its models see pictures, if the operator knows better than the table.
    pub sight: Option<Sight>,
    /// Merged into every body (RFC 7396); `null` removes a field.
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

/// The key for the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Key {
    Given(Secret),
    /// The provider requires one, and there is none.
    Missing,
    NotNeeded,
}

/// The name of the answer limit in Chat Completions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokensField {
    MaxCompletionTokens,
    MaxTokens,
}

impl Provider {
    /// Whether its address is on this machine: nothing leaves it.
    pub fn is_on_this_machine(&self) -> bool {
        let Ok(address) = self.base_url.parse::<Uri>() else { return false };
        let host = address.host().unwrap_or_default();
        let is_loopback = |ip: IpAddr| ip.is_loopback();
        host == "localhost" || host.trim_matches(['[', ']']).parse().is_ok_and(is_loopback)
    }

    pub fn anthropic(key: Key) -> Self {
        let url = "https://api.anthropic.com";
        let key_name = "ANTHROPIC_API_KEY".to_owned();
        Self { key_name, ..Self::new("anthropic", Wire::Anthropic, Family::Anthropic, url, key) }
    }

    /// OpenAI over its Responses API.
    pub fn openai(key: Key) -> Self {
        let url = "https://api.openai.com/v1";
        let key_name = "OPENAI_API_KEY".to_owned();
        Self { key_name, ..Self::new("openai", Wire::Responses, Family::OpenAi, url, key) }
    }

    /// OpenAI over Chat Completions.
    pub fn openai_chat(key: Key) -> Self {
        Self { wire: Wire::Chat, ..Self::openai(key) }
    }

    pub fn gemini(key: Key) -> Self {
        let url = "https://generativelanguage.googleapis.com/v1beta";
        let key_name = "GEMINI_API_KEY".to_owned();
        Self { key_name, ..Self::new("gemini", Wire::Gemini, Family::Gemini, url, key) }
    }

    /// Any server with a Chat Completions API: llama.cpp, vLLM, LM Studio, OpenRouter.
    pub fn compatible(name: &str, base_url: &str, key: Key) -> Self {
        Self {
            tokens_field: TokensField::MaxTokens,
            ..Self::new(name, Wire::Chat, Family::Other, base_url, key)
        }
    }

    /// Ollama over its compatible API, as in `http://localhost:11434/v1`.
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
            sight: None,
            extras: Value::Null,
        }
    }

    /// The base address without credentials and query.
    pub fn shown_url(&self) -> String {
        let url = self.base_url.split(['?', '#']).next().unwrap_or_default();
        match (url.split_once("://"), url.rsplit_once('@')) {
            (Some((scheme, _)), Some((_, host))) => format!("{scheme}://{host}"),
            (None, Some((_, host))) => host.to_owned(),
            (_, None) => url.to_owned(),
        }
    }

    /// Fails if a key is needed and there is none.
    pub fn check_key(&self) -> Result<(), ModelFault> {
        match self.key {
            Key::Given(_) | Key::NotNeeded => Ok(()),
            Key::Missing => Err(fault::no_key(self)),
        }
    }

    /// Removes our secrets from a text of the provider.
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
