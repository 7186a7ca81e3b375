//! The names of the targets, parsed once.

/// One provider API that a request can be sent to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    Anthropic(Mode),
    OpenAiChat(Mode),
    OpenAiResponses(Mode),
    OpenAiRealtime,
    /// Chat Completions of other servers.
    OpenAiCompatible,
    /// generateContent; the three differ in the field with the schema.
    Gemini(Surface),
    Mcp,
    Ollama,
    OpenApi,
}

/// Whether the provider constrains sampling to the schema, with the smaller schema language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Plain,
    Strict,
}

/// The Gemini endpoint of the declarations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Surface {
    /// Requests over HTTP, where `parameters` and `parametersJsonSchema` are both read.
    Generate,
    /// The websocket, where only `parameters` is known to be read.
    Live,
}

impl Target {
    /// `None` for a name that is not a target.
    pub(crate) fn parse(name: &str) -> Option<Target> {
        Some(match name {
            "anthropic" => Target::Anthropic(Mode::Plain),
            "anthropic-strict" => Target::Anthropic(Mode::Strict),
            "openai-chat" => Target::OpenAiChat(Mode::Plain),
            "openai-chat-strict" => Target::OpenAiChat(Mode::Strict),
            "openai-responses" => Target::OpenAiResponses(Mode::Plain),
            "openai-responses-strict" => Target::OpenAiResponses(Mode::Strict),
            "openai-realtime" => Target::OpenAiRealtime,
            "openai-compatible" => Target::OpenAiCompatible,
            // The server reads whichever field is present, so both names have the same rules.
            "gemini" | "gemini-parameters" => Target::Gemini(Surface::Generate),
            "gemini-live" => Target::Gemini(Surface::Live),
            "mcp" => Target::Mcp,
            "ollama" => Target::Ollama,
            "openapi" => Target::OpenApi,
            _ => return None,
        })
    }
}
