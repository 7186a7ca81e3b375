//! Error codes that user interfaces know, with messages for people in three languages.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use contract::{FaultKind, ModelFault};
use emit::AnswerFault;
use serde::{Deserialize, Serialize};

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $word:literal,)+) => {
        /// A sort of trouble.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum ErrorCode {
            $($(#[$doc])* #[serde(rename = $word)] $name,)+
        }

        impl ErrorCode {
            pub const ALL: &[ErrorCode] = &[$(ErrorCode::$name),+];

            pub fn as_str(self) -> &'static str {
                match self { $(ErrorCode::$name => $word,)+ }
            }
        }
    };
}

codes! {
    RateLimit = "RATE_LIMIT",
    RequestTooLarge = "REQUEST_TOO_LARGE",
    Overloaded = "OVERLOADED",
    ServerError = "SERVER_ERROR",
    NetworkError = "NETWORK_ERROR",
    ProxyDown = "PROXY_DOWN",
    Expired = "EXPIRED",
    BatchNotFound = "BATCH_NOT_FOUND",
    Timeout = "TIMEOUT",
    QuotaExhausted = "QUOTA_EXHAUSTED",
    AuthError = "AUTH_ERROR",
    BatchProcessing = "BATCH_PROCESSING",
    ProviderDisabled = "PROVIDER_DISABLED",
    BadJson = "BAD_JSON",
    MaxTokens = "MAX_TOKENS",
    Refused = "REFUSED",
    ContextExceeded = "CONTEXT_EXCEEDED",
    /// The model kept pausing its own work.
    Paused = "PAUSED",
    /// A whole answer without a card for the sentence.
    NoCards = "NO_CARDS",
    BadRequest = "BAD_REQUEST",
    UnknownModel = "UNKNOWN_MODEL",
    /// The cost limit that the person set.
    MoneyCap = "MONEY_CAP",
    /// It is unknown whether a batch was sent.
    InDoubt = "IN_DOUBT",
    /// Too many answers in a row could not be used.
    UnusableAnswers = "UNUSABLE_ANSWERS",
    /// Some sentences have no cards; the rest can be used.
    Holes = "HOLES",
}

impl std::fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl ErrorCode {
    pub fn of_fault(fault: &ModelFault) -> Self {
        match (fault.kind, fault.status) {
            (FaultKind::NoKey | FaultKind::WrongKey, _) => ErrorCode::AuthError,
            (FaultKind::UnknownModel, _) => ErrorCode::UnknownModel,
            (FaultKind::Unreachable, Some(502..=504)) => ErrorCode::ProxyDown,
            (FaultKind::Unreachable, _) => ErrorCode::NetworkError,
            (FaultKind::BadRequest, Some(501)) => ErrorCode::ProviderDisabled,
            (FaultKind::BadRequest, _) => ErrorCode::BadRequest,
            (FaultKind::TooLarge, _) => ErrorCode::RequestTooLarge,
            (FaultKind::ContextExceeded, _) => ErrorCode::ContextExceeded,
            (FaultKind::RateLimited, _) => ErrorCode::RateLimit,
            (FaultKind::SpendCap, _) => ErrorCode::QuotaExhausted,
            (FaultKind::Overloaded, Some(501)) => ErrorCode::ProviderDisabled,
            (FaultKind::Overloaded, Some(502)) => ErrorCode::ProxyDown,
            (FaultKind::Overloaded, Some(503 | 529) | None) => ErrorCode::Overloaded,
            (FaultKind::Overloaded, Some(_)) => ErrorCode::ServerError,
            (FaultKind::Truncated | FaultKind::Garbled, _) => ErrorCode::ServerError,
            (FaultKind::TimedOut, _) => ErrorCode::Timeout,
        }
    }

    pub fn of_shortfall(why: &AnswerFault) -> Self {
        match why {
            AnswerFault::OutputLimit { .. } => ErrorCode::MaxTokens,
            AnswerFault::ContextExceeded => ErrorCode::ContextExceeded,
            AnswerFault::Refused { .. } => ErrorCode::Refused,
            AnswerFault::Paused { .. } => ErrorCode::Paused,
            AnswerFault::Unfit { .. } | AnswerFault::Missing | AnswerFault::Requests { .. } => {
                ErrorCode::BadJson
            }
            AnswerFault::Model(fault) => ErrorCode::of_fault(fault),
        }
    }

    /// The message in the person's language; English as the fallback.
    pub fn banner(self, locale: &str) -> &'static Banner {
        let base = locale.split(['-', '_']).next().unwrap_or_default();
        let words = BANNERS.get(self.as_str());
        let said = words.and_then(|words| words.get(base).or_else(|| words.get("en")));
        said.unwrap_or(&NO_WORDS)
    }
}

/// The message that a page shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Banner {
    pub title: String,
    /// What happened, and what to do.
    pub text: String,
}

/// The languages of user interfaces.
pub const LOCALES: [&str; 3] = ["en", "uk", "ru"];

static NO_WORDS: Banner = Banner { title: String::new(), text: String::new() };

static BANNERS: LazyLock<BTreeMap<String, BTreeMap<String, Banner>>> = LazyLock::new(|| {
    // A test reads the whole file, so the default is never used.
    toml::from_str(include_str!("../../data/banners.toml")).unwrap_or_default()
});

#[cfg(test)]
mod tests;
