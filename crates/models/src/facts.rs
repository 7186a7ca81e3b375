//! What a model at a provider supports: rungs, forced choice, sampling, length of answers.
//!
//! In: a [`Provider`] and a model's name. Out: [`Abilities`]. Must hold: the facts come from
//! dated tables (`dialect::model` for request options, [`OUTPUT_LIMITS`] for lengths); the
//! facts of a model family apply only at the family's own provider, and an unknown model
//! gets the provider's cautious defaults.

use contract::{ModelFacts, Rung, Sight};
use dialect::{ForcedChoice, Sampling, StrictMode, StructuredOutput};

use crate::provider::{Family, Provider};

/// What one model supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Abilities {
    pub forced_choice: ForcedChoice,
    pub strict: StrictMode,
    pub structured_output: StructuredOutput,
    pub sampling: Sampling,
    pub output_tokens_max: Option<u32>,
    pub sight: Sight,
}

/// The public facts of a model.
pub fn facts(provider: &Provider, model: &str) -> ModelFacts {
    let abilities = abilities(provider, model);
    ModelFacts {
        provider: provider.name.clone(),
        model: model.to_owned(),
        wire: Some(provider.wire),
        rungs: provider.rungs.clone().unwrap_or_else(|| match provider.family {
            // What such a server supports is found out by trying, best way first.
            Family::Other => vec![Rung::Native, Rung::Forced, Rung::Automatic],
            Family::Anthropic | Family::OpenAi | Family::Gemini | Family::Ollama => {
                rungs(&abilities)
            }
        }),
        output_tokens_max: abilities.output_tokens_max,
    }
}

/// Everything that is known about a model.
pub fn abilities(provider: &Provider, model: &str) -> Abilities {
    let known = |name: &str| {
        let facts = dialect::model(name);
        Abilities {
            forced_choice: facts.forced_choice,
            strict: facts.strict,
            structured_output: facts.structured_output,
            sampling: facts.sampling,
            output_tokens_max: None,
            sight: Sight::Blind,
        }
    };
    let found = match provider.family {
        Family::Anthropic => {
            Abilities { output_tokens_max: output_tokens_max(model), ..known(model) }
        }
        Family::OpenAi | Family::Gemini => known(model),
        // The name of a local model says nothing about the server that runs it.
        Family::Ollama => known("ollama"),
        Family::Other => COMPATIBLE,
    };
    Abilities { sight: provider.sight.unwrap_or_else(|| sight(provider.family, model)), ..found }
}

/// Servers with open models support sampling; nothing else is certain.
const COMPATIBLE: Abilities = Abilities {
    forced_choice: ForcedChoice::Missing,
    strict: StrictMode::Missing,
    structured_output: StructuredOutput::Missing,
    sampling: Sampling::Accepted,
    output_tokens_max: None,
    sight: Sight::Blind,
};

/// Words in the names of open models that see.
const SEEING: [&str; 16] = [
    "vision",
    "-vl",
    "vl-",
    "vl:",
    "llava",
    "pixtral",
    "gemma3",
    "gemma-3",
    "gemma4",
    "gemma-4",
    "minicpm-v",
    "internvl",
    "moondream",
    "molmo",
    "gpt-4o",
    "gpt-5",
];

/// Models of the large providers that do not see.
const BLIND: [&str; 5] = ["gpt-3.5", "gpt-4-", "o1-mini", "o3-mini", "gemma-2"];

/// Whether a model sees pictures. The name of an open model tells; a server whose model has
/// another name says it in its settings.
fn sight(family: Family, model: &str) -> Sight {
    let name = model.to_ascii_lowercase();
    let sees = match family {
        Family::Anthropic => true,
        Family::OpenAi | Family::Gemini => !BLIND.iter().any(|blind| name.starts_with(blind)),
        Family::Ollama | Family::Other => SEEING.iter().any(|word| name.contains(word)),
    };
    if sees { Sight::Sees } else { Sight::Blind }
}

fn rungs(abilities: &Abilities) -> Vec<Rung> {
    let mut rungs = Vec::new();
    if abilities.structured_output == StructuredOutput::Native {
        rungs.push(Rung::Native);
    }
    if takes_force(abilities.forced_choice) {
        rungs.push(Rung::Forced);
    }
    rungs.push(Rung::Automatic);
    rungs
}

/// Whether a call can be forced. This crate never requests manual thinking.
pub(crate) fn takes_force(choice: ForcedChoice) -> bool {
    match choice {
        ForcedChoice::Accepted | ForcedChoice::WithoutManualThinking => true,
        ForcedChoice::Refused | ForcedChoice::Missing => false,
    }
}

/// When the limits were looked up: the model catalogue of a maintained client library.
pub const OUTPUT_LIMITS_AS_OF: &str = "2026-11-15";

/// The maximum answer length by prefix of the name; the longest prefix wins.
const OUTPUT_LIMITS: [(&str, u32); 14] = [
    ("claude-fable-5", 128_000),
    ("claude-opus-5", 128_000),
    ("claude-sonnet-5", 128_000),
    ("claude-haiku-5-5", 128_000),
    ("claude-opus-4-8", 128_000),
    ("claude-opus-4-7", 128_000),
    ("claude-opus-4-6", 128_000),
    ("claude-sonnet-4-6", 128_000),
    ("claude-opus-4-5", 64_000),
    ("claude-sonnet-4-5", 64_000),
    ("claude-haiku-4-5", 64_000),
    ("claude-opus-4-1", 32_000),
    ("claude-sonnet-4-0", 64_000),
    ("claude-opus-4-0", 32_000),
];

fn output_tokens_max(model: &str) -> Option<u32> {
    let fits = |(name, _): &&(&str, u32)| is_of(model, name);
    OUTPUT_LIMITS.iter().filter(fits).max_by_key(|(name, _)| name.len()).map(|(_, max)| *max)
}

/// Whether this is the model of that name, or a dated version of it.
pub(crate) fn is_of(model: &str, name: &str) -> bool {
    match model.strip_prefix(name) {
        Some(rest) => rest.is_empty() || rest.starts_with(['-', '@']),
        None => false,
    }
}

#[cfg(test)]
mod tests;
