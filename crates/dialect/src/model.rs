//! What each known model accepts, with a cautious default for the others.
//!
//! In: a model's name as the provider spells it. Out: [`ModelFacts`]. Must hold: an
//! unknown model gets no option that its newest sibling rejects with a 400. The longest
//! known prefix wins, so dated names and variants find their family; a version that is
//! newer than all known versions of its line is treated like the newest of them.

/// What one model accepts in a request with tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelFacts {
    /// The name, or its prefix, that these facts apply to.
    pub name: &'static str,
    pub as_of: &'static str,
    pub forced_choice: ForcedChoice,
    pub strict: StrictMode,
    pub structured_output: StructuredOutput,
    pub sampling: Sampling,
    /// The supported thinking settings; empty if there are none.
    pub thinking: &'static [Thinking],
    pub prefix: PrefixBinding,
}

/// Whether a request may force a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForcedChoice {
    Accepted,
    /// Not together with manual thinking.
    WithoutManualThinking,
    /// Refused with a 400: send only that tool and leave the choice to the model.
    Refused,
    /// There is no such field.
    Missing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StrictMode {
    PerTool,
    /// One option for all tools of a request.
    PerRequest,
    Missing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StructuredOutput {
    Native,
    Missing,
}

/// Whether `temperature` and its like may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sampling {
    Accepted,
    /// Only while reasoning is switched off.
    WithoutReasoning,
    /// Refused with a 400, even with the default values.
    Refused,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Thinking {
    Disabled,
    /// With a budget of tokens.
    Manual,
    Adaptive,
    BetweenTools,
    /// By a named effort.
    Effort,
}

/// Whether earlier thinking becomes invalid when the tools or the prompt change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrefixBinding {
    Free,
    /// Tools and prompt must stay the same, byte for byte.
    Bound,
    /// Calls must be sent back with their signatures.
    Signed,
}

/// Every known family.
pub fn models() -> &'static [ModelFacts] {
    &MODELS
}

/// The facts for a model; unknown ones get the cautious default.
pub fn model(name: &str) -> ModelFacts {
    let name = name.rsplit('/').next().unwrap_or(name);
    if let Some(facts) = by_version(name) {
        return facts;
    }
    let known = MODELS.iter().filter(|facts| belongs(name, facts.name));
    known.max_by_key(|facts| facts.name.len()).copied().unwrap_or(UNKNOWN)
}

/// The newest known version of the same line that is not newer than this one:
/// `claude-opus-5-6` is treated like `claude-opus-5-5`.
fn by_version(name: &str) -> Option<ModelFacts> {
    let (line, minor) = version(name)?;
    let known = MODELS.iter().filter_map(|facts| Some((version(facts.name)?, facts)));
    known
        .filter(|((known, known_minor), _)| *known == line && *known_minor <= minor)
        .max_by_key(|((_, known_minor), _)| *known_minor)
        .map(|(_, facts)| *facts)
}

/// A name up to its major version, and the minor one: `claude-opus-5` and 5. What follows
/// is a date or a variant.
fn version(name: &str) -> Option<(&str, u32)> {
    let short = |part: &str| (1..=2).contains(&part.len()).then(|| part.parse::<u32>().ok());
    let mut end = 0;
    let mut parts = name.strip_prefix("claude-").map(|_| name.split('-'))?;
    for part in parts.by_ref() {
        end += part.len() + 1;
        if short(part).flatten().is_some() {
            let line = name.get(..end - 1)?;
            let minor = parts.next().and_then(short).flatten();
            return Some((line, minor.unwrap_or(0)));
        }
    }
    None
}

/// Whether a model belongs to a family: `claude-opus-5` does not belong to `claude-opus-5-5`, but a
/// date or a word may follow the name of a family.
fn belongs(name: &str, family: &str) -> bool {
    let ended =
        |rest: &str| family.ends_with('-') || !rest.starts_with(|c: char| c.is_ascii_digit());
    name.strip_prefix(family).is_some_and(ended)
}

const AS_OF: &str = "2026-11-15";

const UNKNOWN: ModelFacts = ModelFacts {
    name: "",
    as_of: AS_OF,
    forced_choice: ForcedChoice::Refused,
    strict: StrictMode::Missing,
    structured_output: StructuredOutput::Missing,
    sampling: Sampling::Refused,
    thinking: &[],
    prefix: PrefixBinding::Free,
};

const CLAUDE: ModelFacts = ModelFacts {
    name: "claude-",
    forced_choice: ForcedChoice::Refused,
    strict: StrictMode::PerTool,
    structured_output: StructuredOutput::Native,
    sampling: Sampling::Refused,
    thinking: &[Thinking::Adaptive],
    prefix: PrefixBinding::Bound,
    ..UNKNOWN
};

/// Fable, Mythos and Opus from 5.1 or 5.5 on: no forced choice, and thinking cannot be turned off.
const CLAUDE_NEWEST: ModelFacts = CLAUDE;

const CLAUDE_FIVE: ModelFacts = ModelFacts {
    forced_choice: ForcedChoice::WithoutManualThinking,
    thinking: &[Thinking::Disabled, Thinking::Adaptive],
    prefix: PrefixBinding::Free,
    ..CLAUDE
};

const CLAUDE_FOUR: ModelFacts = ModelFacts {
    thinking: &[Thinking::Disabled, Thinking::Manual, Thinking::Adaptive],
    ..CLAUDE_FIVE
};

const OPENAI: ModelFacts = ModelFacts {
    name: "gpt-",
    forced_choice: ForcedChoice::Accepted,
    strict: StrictMode::PerTool,
    structured_output: StructuredOutput::Native,
    sampling: Sampling::WithoutReasoning,
    thinking: &[Thinking::Effort],
    ..UNKNOWN
};

/// Models that always reason.
const OPENAI_REASONING: ModelFacts = ModelFacts { sampling: Sampling::Refused, ..OPENAI };

const GEMINI: ModelFacts = ModelFacts {
    name: "gemini-",
    forced_choice: ForcedChoice::Accepted,
    strict: StrictMode::PerRequest,
    structured_output: StructuredOutput::Native,
    sampling: Sampling::Accepted,
    thinking: &[Thinking::Effort],
    prefix: PrefixBinding::Signed,
    ..UNKNOWN
};

static MODELS: [ModelFacts; 24] = [
    CLAUDE,
    ModelFacts { name: "claude-fable-5", ..CLAUDE_FIVE },
    ModelFacts { name: "claude-fable-5-1", ..CLAUDE_NEWEST },
    ModelFacts { name: "claude-fable-5-2", ..CLAUDE_NEWEST },
    ModelFacts { name: "claude-mythos-5-1", ..CLAUDE_NEWEST },
    ModelFacts { name: "claude-opus-5", ..CLAUDE_FIVE },
    ModelFacts { name: "claude-opus-5-5", ..CLAUDE_NEWEST },
    ModelFacts { name: "claude-sonnet-5", ..CLAUDE_FIVE },
    ModelFacts {
        name: "claude-sonnet-5-5",
        thinking: &[Thinking::Adaptive, Thinking::BetweenTools],
        ..CLAUDE_NEWEST
    },
    ModelFacts { name: "claude-haiku-5-5", prefix: PrefixBinding::Bound, ..CLAUDE_FIVE },
    ModelFacts { name: "claude-opus-4", ..CLAUDE_FOUR },
    ModelFacts { name: "claude-opus-4-7", ..CLAUDE_FIVE },
    ModelFacts { name: "claude-opus-4-8", ..CLAUDE_FIVE },
    ModelFacts { name: "claude-sonnet-4", ..CLAUDE_FOUR },
    ModelFacts { name: "claude-haiku-4", ..CLAUDE_FOUR },
    OPENAI,
    ModelFacts { name: "o3", ..OPENAI_REASONING },
    ModelFacts { name: "o4", ..OPENAI_REASONING },
    ModelFacts { name: "gpt-4", sampling: Sampling::Accepted, thinking: &[], ..OPENAI },
    ModelFacts {
        name: "gpt-realtime",
        strict: StrictMode::Missing,
        structured_output: StructuredOutput::Missing,
        ..OPENAI
    },
    GEMINI,
    ModelFacts { name: "gemini-2", prefix: PrefixBinding::Free, ..GEMINI },
    ModelFacts {
        name: "gemini-live",
        strict: StrictMode::Missing,
        structured_output: StructuredOutput::Missing,
        ..GEMINI
    },
    ModelFacts {
        name: "ollama",
        forced_choice: ForcedChoice::Missing,
        structured_output: StructuredOutput::Native,
        sampling: Sampling::Accepted,
        ..UNKNOWN
    },
];

#[cfg(test)]
mod tests;
