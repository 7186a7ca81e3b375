//! The three questions, answered by the rules of the target.

use serde_json::Value;

use super::providers::anthropic;
use super::providers::compatible;
use super::providers::gemini;
use super::providers::mcp;
use super::providers::ollama;
use super::providers::openai::{self, Api};
use super::{
    ignored as unheeded,
    refusal::{Refusal, Report},
    target::Target,
};

/// Every reason to refuse this request; empty if the provider would accept it.
///
/// `tools` is the value of the request's `tools` field as sent on the wire. A tool's own `strict`
/// decides which rules apply; a tool without one follows the target's name.
#[must_use]
pub fn refusals(target: &str, tools: &Value) -> Vec<Refusal> {
    let mut report = Report::default();
    match Target::parse(target) {
        Some(Target::Anthropic(mode)) => anthropic::check_tools(&mut report, tools, mode),
        Some(Target::OpenAiChat(mode)) => {
            openai::check_tools(&mut report, tools, Api::Chat(mode));
        }
        Some(Target::OpenAiResponses(mode)) => {
            openai::check_tools(&mut report, tools, Api::Responses(mode));
        }
        Some(Target::OpenAiRealtime) => openai::check_tools(&mut report, tools, Api::Realtime),
        Some(Target::OpenAiCompatible) => compatible::check_tools(&mut report, tools),
        Some(Target::Gemini(surface)) => gemini::check_tools(&mut report, tools, surface),
        Some(Target::Mcp) => mcp::check_tools(&mut report, tools),
        Some(Target::Ollama) => ollama::check_tools(&mut report, tools),
        Some(Target::OpenApi) => mcp::check_openapi(&mut report, tools),
        None => unknown(&mut report, target),
    }
    report.into_found()
}

/// The same for a structured-output value: Anthropic `output_config.format`, Chat
/// `response_format`, Responses `text.format`, Gemini the two `response…` fields, Ollama and the
/// rest the schema itself.
#[must_use]
pub fn output_refusals(target: &str, format: &Value) -> Vec<Refusal> {
    let mut report = Report::default();
    match Target::parse(target) {
        Some(Target::Anthropic(_)) => anthropic::check_output(&mut report, format),
        Some(Target::OpenAiChat(mode)) => {
            openai::check_output(&mut report, format, Api::Chat(mode));
        }
        Some(Target::OpenAiResponses(mode)) => {
            openai::check_output(&mut report, format, Api::Responses(mode));
        }
        Some(Target::OpenAiRealtime) => openai::check_output(&mut report, format, Api::Realtime),
        Some(Target::OpenAiCompatible) => compatible::check_output(&mut report, format),
        Some(Target::Gemini(_)) => gemini::check_output(&mut report, format),
        Some(Target::Mcp | Target::OpenApi) => mcp::check_output(&mut report, format),
        Some(Target::Ollama) => ollama::check_output(&mut report, format),
        None => unknown(&mut report, target),
    }
    report.into_found()
}

/// Keywords that the provider accepts but drops or does not enforce, as far as known.
#[must_use]
pub fn ignored(target: &str, tools: &Value) -> Vec<Refusal> {
    let mut report = Report::default();
    match Target::parse(target) {
        Some(target) => unheeded::list(&mut report, target, tools),
        None => unknown(&mut report, target),
    }
    report.into_found()
}

fn unknown(report: &mut Report, target: &str) {
    report.refuse("", "target", format!("there is no target `{target}`"));
}
