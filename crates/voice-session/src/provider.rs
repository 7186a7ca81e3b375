//! The roads of providers: a speech model, the server it is on, and the socket to it.
//!
//! In: a row of the table of models and a provider of the settings. Out: a [`ProviderRoad`],
//! which a session connects. Must hold: the key is in the headers of the handshake and nowhere
//! else; no fault shows it.
//!
//! `address.rs` knows the providers' addresses, `connect.rs` opens one connection, `link.rs`
//! keeps one open.

pub(crate) mod address;
pub(crate) mod connect;
pub(crate) mod link;

use std::sync::Arc;

use models::{Certificates, Key, Provider, redact, tls_settings};
use rustls::ClientConfig;
use voice::{Capabilities, OwnParts, RoadKind};

/// The road of a session.
#[derive(Clone)]
pub enum SessionRoad {
    /// Our own parts: speech to text, the text model, text to speech.
    Cascade,
    Provider(Box<ProviderRoad>),
}

/// A speech model of a provider.
#[derive(Clone)]
pub struct ProviderRoad {
    /// What the model can do; its name is the one that is sent.
    pub(crate) model: Capabilities,
    pub(crate) provider: Provider,
    pub(crate) options: RoadOptions,
    tls: Arc<ClientConfig>,
}

/// What people choose beside the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoadOptions {
    /// The provider's name for a voice.
    pub voice: Option<String>,
    /// Which speech services of our own there are.
    pub own: OwnParts,
}

/// Why a provider's road cannot be taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RoadFault {
    #[error("`{provider}` needs a key, and `{key}` is not set")]
    NoKey { provider: String, key: String },
    #[error("`{0}` is a road of our own parts, without a provider")]
    NotAProvider(String),
    #[error("`{url}`: {why}")]
    BadAddress { url: String, why: String },
    #[error("{0}")]
    NoTls(String),
}

impl ProviderRoad {
    pub fn new(
        model: Capabilities,
        provider: Provider,
        options: RoadOptions,
    ) -> Result<Self, RoadFault> {
        Self::trusting(model, provider, options, Certificates::usual())
    }

    /// The same with other certificate authorities.
    pub fn trusting(
        model: Capabilities,
        provider: Provider,
        options: RoadOptions,
        trust: Certificates,
    ) -> Result<Self, RoadFault> {
        if model.road == RoadKind::Cascade {
            return Err(RoadFault::NotAProvider(model.name));
        }
        if provider.key == Key::Missing {
            let Provider { name, key_name, .. } = provider;
            return Err(RoadFault::NoKey { provider: name, key: key_name });
        }
        let tls = tls_settings(trust).map_err(|fault| RoadFault::NoTls(fault.message))?;
        let road = Self { model, provider, options, tls: Arc::new(tls) };
        // A wrong address is said before anything begins.
        road.request().map(|_| road)
    }

    /// For people: `openai:gpt-realtime-2`.
    pub fn name(&self) -> String {
        format!("{}:{}", self.provider.name, self.model.name)
    }

    /// Whether our own text turn answers behind the voice.
    pub fn uses_text_model(&self) -> bool {
        self.model.road == RoadKind::Live
    }

    /// A text of the far side, without the key and not too long.
    pub(crate) fn shown(&self, text: &str) -> String {
        const SHOWN_CHARS_MAX: usize = 300;
        let key = match &self.provider.key {
            Key::Given(key) => Some(key),
            Key::Missing | Key::NotNeeded => None,
        };
        let headers = self.provider.headers.iter().map(|(_, value)| value);
        let text = redact(text.trim(), key.into_iter().chain(headers));
        text.chars().take(SHOWN_CHARS_MAX).collect()
    }
}
