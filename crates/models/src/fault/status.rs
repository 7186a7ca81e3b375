//! Classifies responses with an error status.
//!
//! Providers agree on statuses more than on texts; texts only distinguish what a status leaves
//! open: a wrong key from a wrong schema, a spend cap from a rate limit.

use std::time::Duration;

use contract::{FaultKind, ModelFault, Wire};
use serde_json::Value;

use super::named_tool::{SentTool, named_tool};
use super::{clip, fault};
use crate::provider::Provider;

/// A response with an error status.
pub(crate) struct ErrorResponse<'a> {
    pub(crate) status: u16,
    pub(crate) body: &'a str,
    /// The target of a redirect.
    pub(crate) location: Option<&'a str>,
    pub(crate) retry_after: Option<Duration>,
    /// The tools of the request in the order of the body; none for a server tool.
    pub(crate) tools: &'a [Option<SentTool>],
}

/// The fault, with the provider's message if there is one.
pub(crate) fn of_answer(
    provider: &Provider,
    model: &str,
    answered: &ErrorResponse<'_>,
) -> ModelFault {
    let parsed: Value = serde_json::from_str(answered.body).unwrap_or_default();
    let error = error_object(&parsed);
    let words = clip(&provider.redact(&words_of(error, answered.body)));
    let case = Case { provider, model, answered, error, words: &words };
    let mut fault = case.fault();
    fault.status = Some(answered.status);
    fault.retry_after = answered.retry_after.or_else(|| retry_info(error));
    fault
}

struct Case<'a> {
    provider: &'a Provider,
    model: &'a str,
    answered: &'a ErrorResponse<'a>,
    error: &'a Value,
    words: &'a str,
}

impl Case<'_> {
    fn fault(&self) -> ModelFault {
        let Case { provider, model, answered, words, .. } = self;
        let Provider { name, key_name, .. } = provider;
        let base_url = provider.shown_url();
        let status = answered.status;
        match status {
            401 | 403 => self.wrong_key(),
            400 | 422 if self.says(&["API_KEY_INVALID", "API key not valid"]) => self.wrong_key(),
            402 => self.spend_cap(),
            400 if self.says(&["credit balance is too low"]) => self.spend_cap(),
            404 if self.error.is_null() || self.error.is_string() && !self.says(&["model"]) => {
                fault(
                    FaultKind::Unreachable,
                    format!("there is no `{}` API at {base_url} ({status})", provider.wire),
                    format!("correct the base address of {name}"),
                )
            }
            404 => fault(
                FaultKind::UnknownModel,
                format!("{name} has no model `{model}` ({status}: {words})"),
                format!(
                    "use a model that `ghosthand models` lists for {name}, or request access to it"
                ),
            ),
            413 => fault(
                FaultKind::TooLarge,
                format!("the request is too large for {name} ({status}: {words})"),
                "shorten the conversation, or offer fewer tools",
            ),
            400 | 422 if says_too_long(answered.body) => fault(
                FaultKind::ContextExceeded,
                format!("the conversation is too long for `{model}` ({status}: {words})"),
                "shorten the conversation, or use a model with a larger context",
            ),
            400 if self.says(&["model_not_found", "invalid model", "unknown model"]) => fault(
                FaultKind::UnknownModel,
                format!("{name} has no model `{model}` ({status}: {words})"),
                format!("use a model that `ghosthand models` lists for {name}"),
            ),
            408 | 504 => fault(
                FaultKind::TimedOut,
                format!("{name} took too long ({status}: {words})"),
                "try again in a moment",
            ),
            429 if self.is_spend_cap() => self.spend_cap(),
            429 => fault(
                FaultKind::RateLimited,
                format!("{name} accepts no more requests for now ({status}: {words})"),
                "wait, or ask the provider for a higher limit",
            ),
            300..=399 => fault(
                FaultKind::Unreachable,
                format!(
                    "{name} is not at {base_url}: it redirects to `{}` ({status})",
                    clip(answered.location.unwrap_or("another address"))
                ),
                "correct the base address; redirects are not followed, because requests contain the key",
            ),
            409 | 500..=599 => fault(
                FaultKind::Overloaded,
                format!("{name} cannot answer now ({status}: {words})"),
                format!("try again in a moment; {key_name} is not the cause"),
            ),
            _ => self.bad_request(),
        }
    }

    fn wrong_key(&self) -> ModelFault {
        let Provider { name, key_name, .. } = self.provider;
        let (status, words) = (self.answered.status, self.words);
        fault(
            FaultKind::WrongKey,
            format!("{name} does not accept the key for `{}` ({status}: {words})", self.model),
            format!("set {key_name} to a key that may use this model"),
        )
    }

    fn spend_cap(&self) -> ModelFault {
        let name = &self.provider.name;
        let (status, words) = (self.answered.status, self.words);
        fault(
            FaultKind::SpendCap,
            format!("the credit or quota at {name} is used up ({status}: {words})"),
            "raise the limit or add credit at the provider",
        )
    }

    fn bad_request(&self) -> ModelFault {
        let name = &self.provider.name;
        let (status, words) = (self.answered.status, self.words);
        let param = self.error.get("param").and_then(Value::as_str).unwrap_or_default();
        match named_tool(&format!("{param} {words}"), self.answered.tools) {
            Some(tool) => fault(
                FaultKind::BadRequest,
                format!("{name} does not accept the tool `{tool}` ({status}: {words})"),
                format!("change the schema of `{tool}`, or leave it out"),
            ),
            None => fault(
                FaultKind::BadRequest,
                format!("{name} does not accept the request ({status}: {words})"),
                "change the request; retrying does not help",
            ),
        }
    }

    /// Anthropic's spend cap has no `retry-after`; OpenAI's has an explicit code.
    fn is_spend_cap(&self) -> bool {
        let silent = self.answered.retry_after.is_none();
        self.says(&["insufficient_quota", "billing_hard_limit", "billing_not_active"])
            || (silent && self.provider.wire == Wire::Anthropic)
    }

    fn says(&self, words: &[&str]) -> bool {
        says(self.answered.body, words)
    }
}

fn says(text: &str, words: &[&str]) -> bool {
    let text = text.to_lowercase();
    words.iter().any(|word| text.contains(&word.to_lowercase()))
}

/// Whether the error says that the conversation exceeds the model's context.
pub(crate) fn says_too_long(complaint: &str) -> bool {
    says(complaint, CONTEXT_WORDS)
}

const CONTEXT_WORDS: &[&str] = &[
    "prompt is too long",
    "context_length_exceeded",
    "maximum context length",
    "context window",
    "exceeds the maximum number of tokens",
    "exceed_context_size",
];

/// The error, wherever a server puts it: Gemini's stream wraps it in a list.
fn error_object(parsed: &Value) -> &Value {
    let parsed = parsed.get(0).unwrap_or(parsed);
    parsed.get("error").or_else(|| parsed.get("detail")).unwrap_or(&Value::Null)
}

fn words_of(error: &Value, body: &str) -> String {
    let message = error.get("message").and_then(Value::as_str).or(error.as_str());
    match message {
        Some(message) => message.to_owned(),
        None if body.trim_start().starts_with('<') => "a web page".to_owned(),
        None if body.trim().is_empty() => "without a word".to_owned(),
        None => body.to_owned(),
    }
}

/// Google's `RetryInfo`: `"retryDelay": "30s"`.
fn retry_info(error: &Value) -> Option<Duration> {
    let details = error.get("details")?.as_array()?;
    let delay = details.iter().find_map(|detail| detail.get("retryDelay")?.as_str())?;
    let seconds: f64 = delay.strip_suffix('s')?.parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}
