//! Faults of model requests: one function per fault, each with its fix.
//!
//! Out: a [`ModelFault`]. Must hold: a provider's message is clipped and has no secrets;
//! `status.rs` classifies responses by their status.

mod named_tool;
mod status;

use std::time::Duration;

use contract::{FaultKind, ModelFault};

use crate::provider::Provider;

pub(crate) use named_tool::{SentTool, named_tool};
pub(crate) use status::{ErrorResponse, of_answer, says_too_long};

/// How much of a provider's message is shown.
const WORDS_CHARS_MAX: usize = 600;

fn fault(kind: FaultKind, message: impl Into<String>, fix: impl Into<String>) -> ModelFault {
    ModelFault { kind, message: message.into(), fix: fix.into(), status: None, retry_after: None }
}

/// A provider's message, truncated.
pub(crate) fn clip(words: &str) -> String {
    let words = words.trim();
    match words.char_indices().nth(WORDS_CHARS_MAX) {
        Some((end, _)) => format!("{}…", words.get(..end).unwrap_or_default()),
        None => words.to_owned(),
    }
}

pub(crate) fn truncated(why: &str) -> ModelFault {
    fault(FaultKind::Truncated, format!("the answer was cut off: {why}"), "ask again")
}

pub(crate) fn garbled(why: &str) -> ModelFault {
    let fix = "check that the base address and `wire` are right for this server";
    fault(FaultKind::Garbled, format!("the server does not follow the protocol: {why}"), fix)
}

pub(crate) fn frame_too_large(max: usize) -> ModelFault {
    fault(
        FaultKind::TooLarge,
        format!("one event of the answer has more than {max} bytes"),
        "request a shorter answer, or raise the limit on events",
    )
}

pub(crate) fn reply_too_large(max: usize) -> ModelFault {
    fault(
        FaultKind::TooLarge,
        format!("the answer has more than {max} bytes"),
        "request a shorter answer, or raise the limit on answers",
    )
}

pub(crate) fn request_too_large(bytes: usize, max: usize) -> ModelFault {
    fault(
        FaultKind::TooLarge,
        format!("the request has {bytes} bytes; at most {max} are sent"),
        "shorten the conversation, or offer fewer tools",
    )
}

/// An error inside a stream that began with a success status.
pub(crate) fn in_stream(kind: FaultKind, words: &str) -> ModelFault {
    let fix = match kind {
        FaultKind::SpendCap => "raise the limit or add credit at the provider",
        FaultKind::NoKey | FaultKind::WrongKey => "check the key and its permissions",
        FaultKind::UnknownModel => "use a model that `ghosthand models` lists",
        FaultKind::BadRequest => "change the request; retrying does not help",
        FaultKind::ContextExceeded | FaultKind::TooLarge => {
            "shorten the conversation, or use a model with a larger context"
        }
        FaultKind::RateLimited
        | FaultKind::Overloaded
        | FaultKind::Unreachable
        | FaultKind::Truncated
        | FaultKind::Garbled
        | FaultKind::TimedOut => "try again in a moment",
    };
    fault(kind, format!("the provider aborted the answer: {}", clip(words)), fix)
}

pub(crate) fn no_key(provider: &Provider) -> ModelFault {
    let message = format!("there is no key for {}", provider.name);
    fault(FaultKind::NoKey, message, format!("set {}", provider.key_name))
}

pub(crate) fn bad_address(provider: &Provider, why: &str) -> ModelFault {
    let (name, base_url) = (&provider.name, provider.shown_url());
    fault(
        FaultKind::Unreachable,
        format!("the base address `{base_url}` of {name} is invalid: {why}"),
        "correct it, as in `https://api.openai.com/v1` or `http://localhost:11434/v1`",
    )
}

pub(crate) fn bad_header(provider: &Provider, header: &str) -> ModelFault {
    fault(
        FaultKind::BadRequest,
        format!("the header `{header}` for {} contains invalid characters", provider.name),
        "remove line breaks and other control characters",
    )
}

pub(crate) fn unreachable(provider: &Provider, why: &str) -> ModelFault {
    let (name, base_url) = (&provider.name, provider.shown_url());
    let fix = match why.contains("certificate") {
        true => "check the address, or add the certificate authority of this network",
        false => "check the network, and that the server runs at this address",
    };
    fault(FaultKind::Unreachable, format!("{name} cannot be reached at {base_url}: {why}"), fix)
}

pub(crate) fn bad_authority(why: &str) -> ModelFault {
    let message = format!("cannot read the trusted certificates: {why}");
    fault(FaultKind::Unreachable, message, "use a PEM file with certificate authorities")
}

pub(crate) fn no_tls(why: &str) -> ModelFault {
    let fix = "please report this: the built-in certificates or ciphers are broken";
    fault(FaultKind::Unreachable, format!("cannot set up TLS: {why}"), fix)
}

pub(crate) fn timed_out(provider: &Provider, what: &str, after: Duration) -> ModelFault {
    fault(
        FaultKind::TimedOut,
        format!("{} {what} within {} ms", provider.name, after.as_millis()),
        "try again, or raise the time limit",
    )
}

/// The dialect cannot express something.
pub(crate) fn not_sendable(what: &str, target: &str, faults: &[dialect::Loss]) -> ModelFault {
    let place = |loss: &dialect::Loss| match loss.pointer.as_str() {
        "" => loss.what.clone(),
        pointer => format!("{pointer}: {}", loss.what),
    };
    let whys: Vec<_> = faults.iter().map(place).collect();
    let fix = faults.iter().find_map(|loss| loss.fix.clone());
    fault(
        FaultKind::BadRequest,
        format!("{what} cannot be sent to {target}: {}", whys.join("; ")),
        fix.unwrap_or_else(|| "change its schema".to_owned()),
    )
}

pub(crate) fn no_dialect(name: &str) -> ModelFault {
    let known: Vec<_> = dialect::targets().iter().map(|target| target.name).collect();
    let fix = format!("use one of {}", known.join(", "));
    fault(FaultKind::BadRequest, format!("there is no dialect `{name}`"), fix)
}

pub(crate) fn no_such_rung(model: &str, rung: contract::Rung) -> ModelFault {
    fault(
        FaultKind::BadRequest,
        format!("`{model}` does not support structured output by `{rung}`"),
        "use one of the rungs that the model supports",
    )
}

pub(crate) fn no_batches(provider: &Provider) -> ModelFault {
    fault(
        FaultKind::BadRequest,
        format!("{} does not support batches over the wire `{}`", provider.name, provider.wire),
        "send the requests one by one",
    )
}

pub(crate) fn bad_batch(why: &str) -> ModelFault {
    fault(FaultKind::BadRequest, format!("the batch cannot be sent: {why}"), "change the batch")
}

pub(crate) fn batch_item(why: &str) -> ModelFault {
    let fix = "submit this request again";
    fault(FaultKind::Truncated, format!("the batch has no answer for this request: {why}"), fix)
}

pub(crate) fn no_embeddings(provider: &Provider) -> ModelFault {
    fault(
        FaultKind::BadRequest,
        format!("{} has no embeddings over the wire `{}`", provider.name, provider.wire),
        "choose an embedding model of OpenAI, Gemini or a compatible server",
    )
}

pub(crate) fn too_many_texts(count: usize, max: usize) -> ModelFault {
    let message = format!("{count} texts to embed in one request; at most {max} are sent");
    fault(FaultKind::BadRequest, message, "send fewer texts at once")
}
