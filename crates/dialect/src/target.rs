//! What each provider accepts, as dated data.
//!
//! In: a target's name. Out: its [`Target`]: how a tool is written, which keywords are kept,
//! which limits apply. Must hold: no code depends on the provider; it depends on these fields.

mod table;

/// One target: a provider's API, with or without its strict mode.
#[derive(Debug)]
pub struct Target {
    pub name: &'static str,
    /// When these facts were last checked.
    pub as_of: &'static str,
    pub(crate) entry: EntryForm,
    pub(crate) output: OutputForm,
    pub(crate) schema: SchemaRules,
    pub(crate) names: NameRule,
    pub(crate) limits: Limits,
    /// The target that a tool falls back to if it cannot be strict here.
    pub(crate) fallback: Option<&'static str>,
}

/// Every target, in the order of the documentation.
pub fn targets() -> &'static [Target] {
    &table::TARGETS
}

/// The target of that name.
pub fn target(name: &str) -> Option<&'static Target> {
    targets().iter().find(|target| target.name == name)
}

impl Target {
    /// How many tools one request may have, if there is a limit.
    pub fn tools_max(&self) -> Option<usize> {
        Some(self.limits.tools_max).filter(|most| *most != usize::MAX)
    }

    /// Whether the wire schema is JSON Schema.
    pub fn is_json_schema(&self) -> bool {
        match &self.schema {
            SchemaRules::Passthrough(_) => true,
            SchemaRules::Lower(rules) => rules.spelling == Spelling::JsonSchema,
        }
    }

    /// Whether the provider is asked to enforce the schema.
    pub fn is_strict(&self) -> bool {
        self.fallback.is_some()
    }
}

/// How one tool is written in the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EntryForm {
    Anthropic,
    OpenAiChat,
    OpenAiResponses,
    OpenAiRealtime,
    GeminiJsonSchema,
    GeminiParameters,
    Mcp,
    Ollama,
    OpenApi,
}

/// How a structured answer is requested, and which target's schema rules apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OutputForm {
    /// `output_config.format`; its schema always follows the strict rules.
    AnthropicFormat,
    ResponseFormat,
    TextFormat,
    ResponseJsonSchema,
    ResponseSchema,
    OllamaFormat,
    OutputSchema,
    OpenApiResponse,
    /// The target has no structured output.
    Missing,
}

#[derive(Debug)]
pub(crate) enum SchemaRules {
    /// The schema is passed through nearly unchanged.
    Passthrough(PassthroughRules),
    /// Only part of JSON Schema is supported; the schema is lowered.
    Lower(LowerRules),
}

#[derive(Debug)]
pub(crate) struct PassthroughRules {
    /// Keywords that are not allowed at the root.
    pub(crate) root_forbids: &'static [&'static str],
    /// The rule for keys of the root's properties.
    pub(crate) root_keys: KeyRule,
    pub(crate) gaps: Gaps,
    pub(crate) patterns: Patterns,
    pub(crate) any_case: AnyCase,
    pub(crate) references: PassthroughReferences,
}

/// What a schema may leave unspecified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gaps {
    Left,
    /// Lists have only `items`; required properties are declared; schemas are objects, not
    /// `true` or `false`.
    Filled,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PassthroughReferences {
    /// `#/$defs/…` is resolved from the schema's own root.
    Plain,
    /// The schema is inside a larger document and needs its own `$id`.
    Identified,
}

#[derive(Debug)]
pub(crate) struct LowerRules {
    /// Keywords beyond structure that are kept.
    pub(crate) keywords: &'static [&'static str],
    pub(crate) formats: Formats,
    pub(crate) number_formats: &'static [&'static str],
    pub(crate) patterns: Patterns,
    /// The largest `minItems`; above it the largest is sent, which is wider.
    pub(crate) min_items_max: u64,
    /// The largest number of characters or items that a rule may count to.
    pub(crate) count_max: u64,
    pub(crate) bounds: Bounds,
    pub(crate) optional: OptionalFields,
    pub(crate) open: OpenObjects,
    pub(crate) free: FreeForm,
    pub(crate) closing: Closing,
    pub(crate) references: References,
    pub(crate) tuples: Tuples,
    pub(crate) values: ValueKinds,
    pub(crate) values_max: usize,
    pub(crate) null_value: NullValue,
    pub(crate) keys: KeyRule,
    /// The rule for named keys of an object that has others too.
    pub(crate) keys_beside_others: KeyRule,
    pub(crate) spelling: Spelling,
    pub(crate) any_case: AnyCase,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Formats {
    All,
    Listed(&'static [&'static str]),
}

/// Which regular expressions are accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Patterns {
    All,
    NoLookaround,
    /// No lookaround, references, word borders or long repeats.
    Simple,
    /// The whole string must match, as it is written in JSON; see `pattern/anchored.rs`.
    Anchored,
}

/// Which numbers can be bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bounds {
    All,
    /// Those that a double keeps exactly.
    Double,
    /// Those that 64 bits with a sign keep exactly.
    Int64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OptionalFields {
    LeftOut,
    /// Every field is required; null means absent.
    Null,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OpenObjects {
    /// `additionalProperties` may be a schema.
    Native,
    /// There are no open objects; maps are lists of pairs.
    Pairs,
    /// Objects are open, but their other keys cannot be described.
    Unmarked,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FreeForm {
    /// An empty schema.
    Native,
    /// A schema that lists every type: an empty one is refused or read as an object.
    Typed,
    JsonText,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Closing {
    /// `additionalProperties: false` on every object.
    Always,
    AsSaid,
    /// The keyword does not exist.
    Never,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum References {
    Kept,
    /// Recursion only below an optional property.
    KeptBelowOptional,
    Inlined,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tuples {
    Prefix,
    /// As an object with a field per position, unless all positions are alike.
    Object,
    /// As a list whose items fit any of the positions.
    Items,
}

/// Which values `enum` can list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValueKinds {
    Texts,
    TextsAndNumbers,
    Scalars,
    All,
}

/// How a list of values also allows null.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NullValue {
    Listed,
    Branch,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spelling {
    JsonSchema,
    /// Gemini's `Schema` message: types in capitals, `nullable`, `anyOf` without siblings.
    Proto,
}

/// Whether models of this provider change the case of listed values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AnyCase {
    Kept,
    Changed,
}

/// Which property names are accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyRule {
    Any,
    /// `[a-zA-Z0-9_.-]{1,64}`
    Plain,
    /// `[a-zA-Z_][a-zA-Z0-9_]{0,63}`
    Identifier,
}

/// Which tool names are accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NameRule {
    Any,
    /// `[a-zA-Z0-9_-]{1,64}`
    Plain,
    /// As plain, but starts with a letter or `_`.
    Identifier,
    /// `[a-zA-Z0-9_.-]{1,128}`
    Dotted,
}

/// Limits; `usize::MAX` if none is known.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) tools_max: usize,
    /// Sums over the strict tools of one request.
    pub(crate) strict_tools_max: usize,
    pub(crate) optionals_max: usize,
    pub(crate) unions_max: usize,
    /// Per strict schema.
    pub(crate) properties_max: usize,
    pub(crate) depth_max: usize,
    pub(crate) name_chars_max: usize,
    pub(crate) enum_values_max: usize,
    /// Above this many values in one `enum`, the length of their strings is limited too.
    pub(crate) long_enum_values: usize,
    pub(crate) long_enum_chars_max: usize,
}

impl Limits {
    /// Whether any limit applies to all tools of a request together.
    pub(crate) fn sums_over_request(&self) -> bool {
        [self.strict_tools_max, self.optionals_max, self.unions_max]
            .iter()
            .any(|limit| *limit < usize::MAX)
    }
}

impl KeyRule {
    pub(crate) fn takes(self, key: &str) -> bool {
        let short = (1..=64).contains(&key.len());
        match self {
            KeyRule::Any => true,
            KeyRule::Plain => {
                short && key.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.-".contains(&b))
            }
            KeyRule::Identifier => {
                short
                    && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
                    && !key.starts_with(|c: char| c.is_ascii_digit())
            }
        }
    }
}

impl NameRule {
    pub(crate) fn takes(self, name: &str) -> bool {
        let plain =
            |extra: &[u8]| name.bytes().all(|b| b.is_ascii_alphanumeric() || extra.contains(&b));
        match self {
            NameRule::Any => !name.is_empty(),
            NameRule::Plain => (1..=64).contains(&name.len()) && plain(b"_-"),
            NameRule::Identifier => {
                (1..=64).contains(&name.len())
                    && plain(b"_-.:")
                    && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            }
            NameRule::Dotted => (1..=128).contains(&name.len()) && plain(b"_.-"),
        }
    }
}

#[cfg(test)]
mod tests;
