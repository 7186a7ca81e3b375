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

/// How much of a provider's own words is shown.
const WORDS_CHARS_MAX: usize = 600;

fn fault(kind: FaultKind, message: impl Into<String>, fix: impl Into<String>) -> ModelFault {
    ModelFault { kind, message: message.into(), fix: fix.into(), status: None, retry_after: None }
}

/// A provider's own words, short enough to be read.
pub(crate) fn clip(words: &str) -> String {
    let words = words.trim();
    match words.char_indices().nth(WORDS_CHARS_MAX) {
        Some((end, _)) => format!("{}…", words.get(..end).unwrap_or_default()),
        None => words.to_owned(),
    }
}

pub(crate) fn truncated(why: &str) -> ModelFault {
    fault(FaultKind::Truncated, format!("the answer broke off: {why}"), "ask again")
}

pub(crate) fn garbled(why: &str) -> ModelFault {
    let fix = "check that the base address and the wire belong to this server";
    fault(FaultKind::Garbled, format!("the server does not speak the protocol: {why}"), fix)
}

pub(crate) fn frame_too_large(max: usize) -> ModelFault {
    fault(
        FaultKind::TooLarge,
        format!("one event of the answer has more than {max} bytes"),
        "ask for less, or raise the limit of events",
    )
}

pub(crate) fn reply_too_large(max: usize) -> ModelFault {
    fault(
        FaultKind::TooLarge,
        format!("the answer has more than {max} bytes"),
        "ask for less, or raise the limit of answers",
    )
}

pub(crate) fn request_too_large(bytes: usize, max: usize) -> ModelFault {
    fault(
        FaultKind::TooLarge,
        format!("the request has {bytes} bytes; at most {max} are sent"),
        "shorten the conversation, or offer fewer tools",
    )
}

/// An error inside a stream whose status was good.
pub(crate) fn in_stream(kind: FaultKind, words: &str) -> ModelFault {
    let fix = match kind {
        FaultKind::SpendCap => "raise the limit or add credit at the provider",
        FaultKind::NoKey | FaultKind::WrongKey => "check the key and what it may use",
        FaultKind::UnknownModel => "take a model that `ghosthand models` lists",
        FaultKind::BadRequest => "change the request; sending it again changes nothing",
        FaultKind::ContextExceeded | FaultKind::TooLarge => {
            "shorten the conversation, or take a model that reads more"
        }
        FaultKind::RateLimited
        | FaultKind::Overloaded
        | FaultKind::Unreachable
        | FaultKind::Truncated
        | FaultKind::Garbled
        | FaultKind::TimedOut => "ask again in a moment",
    };
    fault(kind, format!("the provider broke off the answer: {}", clip(words)), fix)
}

pub(crate) fn no_key(provider: &Provider) -> ModelFault {
    let message = format!("there is no key for {}", provider.name);
    fault(FaultKind::NoKey, message, format!("set {}", provider.key_name))
}

pub(crate) fn bad_address(provider: &Provider, why: &str) -> ModelFault {
    let (name, base_url) = (&provider.name, provider.shown_url());
    fault(
        FaultKind::Unreachable,
        format!("the base address `{base_url}` of {name} is wrong: {why}"),
        "correct it, as in `https://api.openai.com/v1` or `http://localhost:11434/v1`",
    )
}

pub(crate) fn bad_header(provider: &Provider, header: &str) -> ModelFault {
    fault(
        FaultKind::BadRequest,
        format!("the header `{header}` for {} holds what no header can", provider.name),
        "take out line ends and other control characters",
    )
}

pub(crate) fn unreachable(provider: &Provider, why: &str) -> ModelFault {
    let (name, base_url) = (&provider.name, provider.shown_url());
    let fix = match why.contains("certificate") {
        true => "check the address, or trust the authority of this network as well",
        false => "check the network, and that the server runs at this address",
    };
    fault(FaultKind::Unreachable, format!("{name} cannot be reached at {base_url}: {why}"), fix)
}

pub(crate) fn bad_authority(why: &str) -> ModelFault {
    let message = format!("the certificates to trust cannot be read: {why}");
    fault(FaultKind::Unreachable, message, "give a PEM file with certificate authorities")
}

pub(crate) fn no_tls(why: &str) -> ModelFault {
    let fix = "report this: the program's own certificates or ciphers are broken";
    fault(FaultKind::Unreachable, format!("TLS cannot be set up: {why}"), fix)
}

pub(crate) fn timed_out(provider: &Provider, what: &str, after: Duration) -> ModelFault {
    fault(
        FaultKind::TimedOut,
        format!("{} {what} within {} ms", provider.name, after.as_millis()),
        "ask again, or raise the time limit",
    )
}

/// The dialect has no sound spelling for something.
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
    let fix = format!("take one of {}", known.join(", "));
    fault(FaultKind::BadRequest, format!("there is no dialect `{name}`"), fix)
}

pub(crate) fn no_such_rung(model: &str, rung: contract::Rung) -> ModelFault {
    fault(
        FaultKind::BadRequest,
        format!("`{model}` cannot shape its answer the `{rung}` way"),
        "take one of the rungs that the model's facts list",
    )
}

pub(crate) fn no_batches(provider: &Provider) -> ModelFault {
    fault(
        FaultKind::BadRequest,
        format!("{} takes no batches by the wire `{}`", provider.name, provider.wire),
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
