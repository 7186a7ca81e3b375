//! The table of all settings: names, types, defaults, descriptions.

use contract::ToolId;
use hosts::sandbox::{Accepted, Gap, UnknownGap};
use services::{AllowEntry, AllowEntryFault};

use crate::wiring::open_store::store_address::check_setting;

/// One setting.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Setting {
    /// As in the file: `chat.rounds` is `rounds` in `[chat]`.
    pub name: &'static str,
    pub kind: Kind,
    pub built_in: Option<&'static str>,
    pub what: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    /// A whole number in this range.
    Number(u32, u32),
    /// One of these words.
    Word(&'static [&'static str]),
    /// A comma-separated list of hosts, addresses and networks.
    Openings,
    /// A comma-separated list of sandbox gaps.
    Gaps,
    /// A comma-separated list of names in letters, digits, `-`, `_` and `.`.
    Names,
    /// The name of a tool.
    Tool,
    /// The address of a database, without its password.
    Database,
}

const fn text(name: &'static str, built_in: Option<&'static str>, what: &'static str) -> Setting {
    Setting { name, kind: Kind::Text, built_in, what }
}

const fn number(
    name: &'static str,
    (from, to): (u32, u32),
    built_in: Option<&'static str>,
    what: &'static str,
) -> Setting {
    Setting { name, kind: Kind::Number(from, to), built_in, what }
}

const SYSTEM: &str = "You are a helpful assistant with tools. Use a tool when it helps, and say \
                      plainly what you did and what you could not do.";

pub(crate) const SETTINGS: &[Setting] = &[
    text(
        "model",
        None,
        "The model, as provider:name; the default is the first provider with a key",
    ),
    text("tools.dir", Some("tools"), "The tools directory"),
    Setting {
        name: "tools.unknown_arguments",
        kind: Kind::Word(&["refuse", "strip"]),
        built_in: Some("refuse"),
        what: "Whether unknown arguments refuse the call or are dropped",
    },
    Setting {
        name: "tools.changed",
        kind: Kind::Word(&["wait", "run"]),
        built_in: Some("wait"),
        what: "Whether a tool that differs from tools.lock waits for `ghosthand lock` or runs",
    },
    text("store.file", Some(".ghosthand/store.db"), "The store file"),
    Setting {
        name: "store.url",
        kind: Kind::Database,
        built_in: None,
        what: "A store in PostgreSQL instead, as postgres://user@host/database, without the password",
    },
    text("store.password_env", None, "The environment variable with its password"),
    text("rules.file", None, "A file with policy rules"),
    text("chat.system", Some(SYSTEM), "The system prompt"),
    number("chat.rounds", (1, 100), Some("8"), "Maximum rounds of tool calls per turn"),
    number("chat.output_tokens", (1, 1_000_000), None, "Maximum output tokens per answer"),
    number("limits.text.calls", (0, 1_000), Some("10"), "Maximum calls per turn in text mode"),
    number("limits.text.retrievals", (0, 1_000), Some("5"), "Maximum retrievals among them"),
    number("limits.voice.calls", (0, 1_000), Some("3"), "Maximum calls per turn in voice mode"),
    number("limits.voice.retrievals", (0, 1_000), Some("2"), "Maximum retrievals among them"),
    text(
        "voice.road",
        Some("cascade"),
        "How voice sessions speak: cascade, realtime, live, gemini, or a speech model as \
         provider:model",
    ),
    text("voice.road_voice", None, "The voice of a provider's speech model"),
    Setting {
        name: "voice.spoken_approvals",
        kind: Kind::Word(&["reads", "repeatable_writes", "writes", "outward_writes"]),
        built_in: Some("writes"),
        what: "The strongest effect that a spoken yes may approve; stronger ones need the button",
    },
    text(
        "voice.transcribe",
        None,
        "What writes speech down in voice sessions: provider:model, or `program:` and a command",
    ),
    text(
        "voice.speak",
        None,
        "What speaks: provider:model, or `program:` and a command; the default is espeak-ng",
    ),
    text("voice.voice", None, "The voice of the speech server"),
    text(
        "voice.languages",
        Some("en"),
        "The languages of voice sessions, comma-separated: our own sentences use the first",
    ),
    text("voice.microphone", None, "The command that records raw sound; the default is arecord"),
    text("voice.speaker", None, "The command that plays raw sound; the default is aplay"),
    Setting {
        name: "serve.mcp_commands",
        kind: Kind::Word(&["off", "sandbox"]),
        built_in: Some("off"),
        what: "Whether the operator of `serve` may add MCP servers on the page that are commands, \
               which run in the sandbox",
    },
    number(
        "files.megabytes",
        (1, 200),
        Some("20"),
        "The largest file that can be added to a message on the page",
    ),
    number("files.per_message", (0, 100), Some("20"), "Maximum files of a message"),
    number(
        "files.total_megabytes",
        (1, 1_000_000),
        Some("2000"),
        "Maximum size of all files of an owner",
    ),
    number(
        "files.text_kilobytes",
        (1, 4_000),
        Some("200"),
        "How much text of a file is sent to the model with a message",
    ),
    text(
        "kb.embeddings",
        None,
        "The embedding model that searches documents by meaning, as provider:name; without it they \
         are searched by words",
    ),
    number(
        "kb.embedding_tokens_per_day",
        (1, 1_000_000_000),
        Some("2000000"),
        "Maximum tokens that are sent to the embedding model in a day",
    ),
    number(
        "approvals.terminal_seconds",
        (1, 2_592_000),
        Some("300"),
        "Seconds to answer an approval in `chat` or `call`",
    ),
    number(
        "approvals.inbox_seconds",
        (1, 2_592_000),
        Some("86400"),
        "Seconds to answer an approval of `serve` or `mcp`",
    ),
    text(
        "telemetry.endpoint",
        None,
        "The OpenTelemetry collector for spans of `serve`, as http://host:4318",
    ),
    Setting {
        name: "telemetry.content",
        kind: Kind::Word(&["hidden", "shown"]),
        built_in: Some("hidden"),
        what: "Whether spans contain messages, arguments and results",
    },
    Setting {
        name: "net.allow",
        kind: Kind::Openings,
        built_in: None,
        what: "Private and local hosts, addresses and networks that tools may reach",
    },
    text("pen.data", Some("data"), "The Ghostpen folder with profiles, posts and logs"),
    text("pen.notion", Some("https://api.notion.com"), "The address of the Notion API"),
    text("pen.tavily", Some("https://api.tavily.com"), "The address of the Tavily search API"),
    Setting {
        name: "pen.lang",
        kind: Kind::Word(&["uk", "en"]),
        built_in: None,
        what: "The language of Ghostpen; the locale by default",
    },
    Setting {
        name: "cards.enabled",
        kind: Kind::Word(&["true", "false"]),
        built_in: Some("true"),
        what: "Whether there are flashcards, in the terminal and on the page",
    },
    Setting {
        name: "cards.emit_tool_name",
        kind: Kind::Tool,
        built_in: Some(cards::EMIT_FLASHCARDS),
        what: "The tool that a model calls to return flashcards",
    },
    number(
        "cards.max_tokens",
        (256, 1_000_000),
        None,
        "Output tokens of a first request for flashcards; by default as the sentences need",
    ),
    number(
        "cards.retry.max_tokens_bump",
        (1, 10),
        Some("2"),
        "How many times the output tokens a request gets after its answer was cut off",
    ),
    number("cards.chunking.max_sentences", (1, 100), Some("10"), "Sentences per request at first"),
    number(
        "cards.chunking.min_sentences",
        (1, 100),
        Some("1"),
        "Sentences per request down to which a request that fails is split",
    ),
    Setting {
        name: "cards.betas",
        kind: Kind::Names,
        built_in: None,
        what: "Beta features of Anthropic that requests for flashcards ask for",
    },
    text(
        "cards.speech.url",
        None,
        "A speech server for flashcards, as http://127.0.0.1:8000/v1 (OpenAI's audio/speech)",
    ),
    text("cards.speech.model", Some("tts-1"), "The model of the speech server"),
    text("cards.speech.voice", Some("alloy"), "The voice of the speech server"),
    text(
        "cards.speech.key_env",
        Some("OPENAI_API_KEY"),
        "The environment variable with the key of the speech server",
    ),
    text("cards.anki.url", Some("http://127.0.0.1:8765"), "The address of AnkiConnect"),
    text("python.program", None, "The Python interpreter for handlers; `python3` by default"),
    Setting {
        name: "python.sandbox",
        kind: Kind::Word(&["required", "off"]),
        built_in: Some("required"),
        what: "Whether Python handlers may run without the sandbox",
    },
    Setting {
        name: "python.isolation",
        kind: Kind::Word(&["owner", "call"]),
        built_in: Some("owner"),
        what: "Whether calls of one file and owner share a Python process",
    },
    number(
        "python.workers",
        (1, 1_000),
        Some("64"),
        "Maximum Python processes; one owner gets a quarter",
    ),
    Setting {
        name: "sandbox.accept",
        kind: Kind::Gaps,
        built_in: None,
        what: "Accepted sandbox gaps; `ghosthand doctor` lists them",
    },
];

impl Setting {
    /// The environment variable that sets it.
    pub(crate) fn variable(&self) -> String {
        if self.name == "telemetry.endpoint" {
            return "OTEL_EXPORTER_OTLP_ENDPOINT".to_owned();
        }
        format!("GHOSTHAND_{}", self.name.replace('.', "_").to_uppercase())
    }

    /// How a fault shows a value that is not valid: an address may contain a password.
    pub(crate) fn shown(&self, value: &str) -> String {
        match self.kind {
            Kind::Database => "an address".to_owned(),
            Kind::Text
            | Kind::Number(..)
            | Kind::Word(_)
            | Kind::Openings
            | Kind::Gaps
            | Kind::Names
            | Kind::Tool => format!("`{value}`"),
        }
    }

    /// The fix, if the value is not valid.
    pub(crate) fn check(&self, value: &str) -> Result<(), String> {
        match self.kind {
            Kind::Text if value.is_empty() => Err("set it to some text, or omit it".to_owned()),
            Kind::Text => Ok(()),
            Kind::Number(from, to) => match value.parse::<u32>() {
                Ok(number) if (from..=to).contains(&number) => Ok(()),
                Ok(_) | Err(_) => Err(format!("give a whole number from {from} to {to}")),
            },
            Kind::Openings => openings(value).map(|_| ()).map_err(|bad| bad.to_string()),
            Kind::Gaps => gaps(value).map(|_| ()).map_err(|bad| bad.to_string()),
            Kind::Names if names(value).all(is_name) => Ok(()),
            Kind::Names => Err("write names in letters, digits, `-`, `_` and `.`".to_owned()),
            Kind::Tool => value.parse::<ToolId>().map(|_| ()).map_err(|bad| bad.to_string()),
            Kind::Database => check_setting(value),
            Kind::Word(words) if words.contains(&value) => Ok(()),
            Kind::Word(words) => Err(format!("give one of {}", words.join(", "))),
        }
    }
}

/// The entries of a list.
pub(super) fn openings(value: &str) -> Result<Vec<AllowEntry>, AllowEntryFault> {
    let entries = value.split(',').map(str::trim).filter(|entry| !entry.is_empty());
    entries.map(str::parse).collect()
}

/// The gaps of a list.
pub(super) fn gaps(value: &str) -> Result<Accepted, UnknownGap> {
    let entries = value.split(',').map(str::trim).filter(|entry| !entry.is_empty());
    entries.map(str::parse::<Gap>).collect()
}

/// The names of a list.
pub(super) fn names(value: &str) -> impl Iterator<Item = &str> {
    value.split(',').map(str::trim).filter(|name| !name.is_empty())
}

fn is_name(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

/// The setting of this name.
pub(crate) fn setting(name: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.name == name)
}

#[cfg(test)]
mod tests;
