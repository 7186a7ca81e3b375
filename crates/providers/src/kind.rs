//! The kinds of providers that a person can add.

use contract::{Secret, Wire};
use models::{Key, Provider};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::address::Address;

/// Whose API it is. The first three have their own address, the others need one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ProviderKind {
    Anthropic,
    OpenAi,
    Gemini,
    Ollama,
    /// Any server that speaks one of the four wires, most often Chat Completions.
    Compatible,
}

impl ProviderKind {
    /// The name that a provider of this kind gets if nobody names it.
    pub fn usual_name(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
            Self::Gemini => "gemini",
            Self::Ollama => "ollama",
            Self::Compatible => "local",
        }
    }

    /// The address of the provider itself, if there is one.
    pub(crate) fn own_address(self) -> Option<String> {
        match self {
            Self::Anthropic | Self::OpenAi | Self::Gemini => {
                Some(self.provider("", "", Wire::Chat, Key::Missing).base_url)
            }
            Self::Ollama | Self::Compatible => None,
        }
    }

    /// Whether requests without a key are refused.
    pub(crate) fn needs_key(self) -> bool {
        match self {
            Self::Anthropic | Self::OpenAi | Self::Gemini => true,
            Self::Ollama | Self::Compatible => false,
        }
    }

    /// A provider of this kind; an empty address is its own one, and `wire` counts only for
    /// compatible servers.
    fn provider(self, name: &str, address: &str, wire: Wire, key: Key) -> Provider {
        let made = match self {
            Self::Anthropic => Provider::anthropic(key),
            Self::OpenAi => Provider::openai(key),
            Self::Gemini => Provider::gemini(key),
            Self::Ollama => Provider { key, ..Provider::ollama(address) },
            Self::Compatible => Provider { wire, ..Provider::compatible(name, address, key) },
        };
        let base_url = match address.is_empty() {
            true => made.base_url.clone(),
            false => address.to_owned(),
        };
        Provider { name: name.to_owned(), base_url, key_name: "the key of the page".into(), ..made }
    }

    /// The provider that a person described.
    pub(crate) fn described(
        self,
        name: &str,
        address: &Address,
        wire: Option<Wire>,
        key: Option<Secret>,
    ) -> Provider {
        let key = match (key, self.needs_key()) {
            (Some(key), _) => Key::Given(key),
            (None, true) => Key::Missing,
            (None, false) => Key::NotNeeded,
        };
        self.provider(name, address.as_str(), wire.unwrap_or(Wire::Chat), key)
    }
}
