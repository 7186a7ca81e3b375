//! Whether the provider would accept this request. Written from the facts, stricter where they allow.
//!
//! In: a request. Out: a line for each thing that is wrong, `place: what`, as the wires'
//! error bodies contain them. [`crate::rules`] checks the schemas.

mod anthropic;
mod chat;
pub(crate) mod fields;
mod gemini;
mod responses;

use contract::Wire;
use hyper::header::CONTENT_TYPE;
use hyper::http::request::Parts;
use serde_json::Value;

use super::model_families::{self, Family, Sampling};
use super::state::{State, Strictness};
use crate::rules;

pub(crate) use fields::Lines;

/// One request to be checked; a request of a batch has no headers of its own.
pub(crate) struct Ask<'a> {
    pub(crate) state: &'a State,
    pub(crate) wire: Wire,
    pub(crate) head: Option<&'a Parts>,
    pub(crate) body: &'a Value,
    pub(crate) model: &'a str,
}

impl Ask<'_> {
    fn family(&self) -> Family {
        match self.state.strictness {
            Strictness::Original => {
                model_families::family(self.wire, self.model).unwrap_or(model_families::ANY)
            }
            Strictness::Compatible => model_families::ANY,
        }
    }

    fn is_compatible(&self) -> bool {
        self.state.strictness == Strictness::Compatible
    }
}

pub(crate) fn check(ask: &Ask<'_>) -> Vec<String> {
    let mut lines = Lines::default();
    if !ask.body.is_object() {
        lines.say("body", "a JSON object is required");
        return lines.into_found();
    }
    let json = |head: &Parts| {
        let kind = head.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        kind.is_some_and(|kind| kind.starts_with("application/json"))
    };
    if ask.head.is_some_and(|head| !json(head)) {
        lines.say("content-type", "must be application/json");
    }
    match ask.wire {
        Wire::Anthropic => anthropic::check(ask, &mut lines),
        Wire::Chat => chat::check(ask, &mut lines),
        Wire::Responses => responses::check(ask, &mut lines),
        Wire::Gemini => gemini::check(ask, &mut lines),
    }
    lines.into_found()
}

const VERSION: &str = "2026-10-21";

/// The fault of Anthropic's version header, if any.
pub(crate) fn version(head: Option<&Parts>) -> Option<String> {
    let found = head?.headers.get("anthropic-version").map(|value| value.to_str());
    match found {
        None => Some("anthropic-version: header is required".into()),
        Some(Ok(VERSION)) => None,
        Some(_) => Some(format!("anthropic-version: must be `{VERSION}`")),
    }
}

/// Checks the tools of a request by the provider's rules.
fn check_tools(ask: &Ask<'_>, lines: &mut Lines) {
    let target = match (ask.wire, ask.is_compatible()) {
        (Wire::Anthropic, _) => "anthropic",
        (Wire::Chat, false) => "openai-chat",
        (Wire::Chat, true) => "openai-compatible",
        (Wire::Responses, _) => "openai-responses",
        (Wire::Gemini, _) => "gemini",
    };
    if let Some(tools) = ask.body.get("tools") {
        if tools.as_array().is_some_and(Vec::is_empty) && ask.wire != Wire::Anthropic {
            lines.say("tools", "must not be an empty list");
        }
        report(ask.wire, lines, "tools", &rules::refusals(target, tools));
    }
}

/// Checks the requested output schema by the provider's rules.
fn check_output(ask: &Ask<'_>, lines: &mut Lines, place: &str, format: &Value) {
    let target = match ask.wire {
        Wire::Anthropic => "anthropic",
        Wire::Chat => "openai-chat",
        Wire::Responses => "openai-responses",
        Wire::Gemini => "gemini",
    };
    report(ask.wire, lines, place, &rules::output_refusals(target, format));
}

fn report(wire: Wire, lines: &mut Lines, place: &str, refusals: &[rules::Refusal]) {
    for refusal in refusals {
        let steps = refusal.pointer.split('/').skip(1).map(|step| step_in(wire, step));
        let place: String = [place.to_owned()].into_iter().chain(steps).collect();
        lines.say(&place, &format!("{} ({})", refusal.message, refusal.rule));
    }
}

/// One step of a path: Anthropic writes `tools.0`, the others `tools[0]`.
fn step_in(wire: Wire, step: &str) -> String {
    match (wire, step) {
        (Wire::Chat | Wire::Responses | Wire::Gemini, step) if step.parse::<usize>().is_ok() => {
            format!("[{step}]")
        }
        (Wire::Gemini, "functionDeclarations") => ".function_declarations".into(),
        (_, step) => format!(".{step}"),
    }
}

const SAMPLING: &[&str] =
    &["temperature", "top_p", "frequency_penalty", "presence_penalty", "logprobs", "top_logprobs"];

/// OpenAI: reasoning models accept no sampling parameters while they reason.
fn check_sampling(ask: &Ask<'_>, lines: &mut Lines, effort: Option<&Value>) {
    let refused = match ask.family().sampling {
        Sampling::Accepted => false,
        Sampling::WithoutReasoning => effort.and_then(Value::as_str) != Some("none"),
    };
    for name in SAMPLING.iter().filter(|name| refused && ask.body.get(**name).is_some()) {
        lines.say(name, "unsupported parameter: this model does not take it while it reasons");
    }
}
