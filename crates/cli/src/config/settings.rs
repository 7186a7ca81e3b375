//! The table of all settings: what they are called, what they may be, what they do.

use hosts::sandbox::{Accepted, Gap, UnknownGap};
use services::{AllowEntry, AllowEntryFault};

/// One setting.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Setting {
    /// As in the file: `chat.rounds` is `rounds` below `[chat]`.
    pub name: &'static str,
    pub kind: Kind,
    pub built_in: Option<&'static str>,
    pub what: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    /// A whole number between these.
    Number(u32, u32),
    /// One of these words.
    Word(&'static [&'static str]),
    /// A list of hosts, addresses and networks; as text with commas between them.
    Openings,
    /// A list of gaps in the sandbox, in the same way.
    Gaps,
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
    text("model", None, "The model to ask, as provider:name; without one, whatever has a key"),
    text("tools.dir", Some("tools"), "The directory of the tools"),
    Setting {
        name: "tools.unknown_arguments",
        kind: Kind::Word(&["refuse", "strip"]),
        built_in: Some("refuse"),
        what: "Whether arguments that a contract does not know refuse the call or are left out",
    },
    Setting {
        name: "tools.changed",
        kind: Kind::Word(&["wait", "run"]),
        built_in: Some("wait"),
        what: "Whether a tool that is not as in tools.lock waits for `ghosthand lock` or runs",
    },
    text("store.file", Some(".ghosthand/store.db"), "The store's file"),
    text("rules.file", None, "A file with rules that ask or deny"),
    text("chat.system", Some(SYSTEM), "What the model is told before the first message"),
    number("chat.rounds", (1, 100), Some("8"), "How often a model may call tools in one turn"),
    number("chat.output_tokens", (1, 1_000_000), None, "The longest answer, in tokens"),
    number("limits.text.calls", (0, 1_000), Some("10"), "Calls per turn when a person reads"),
    number("limits.text.retrievals", (0, 1_000), Some("5"), "Of these, calls that retrieve"),
    number("limits.voice.calls", (0, 1_000), Some("3"), "Calls per turn when a person listens"),
    number("limits.voice.retrievals", (0, 1_000), Some("2"), "Of these, calls that retrieve"),
    number(
        "approvals.terminal_seconds",
        (1, 2_592_000),
        Some("300"),
        "How long a question of `chat` or `call` can be answered",
    ),
    number(
        "approvals.inbox_seconds",
        (1, 2_592_000),
        Some("86400"),
        "How long a question of `serve` or `mcp` can be answered, on the page or in a terminal",
    ),
    text(
        "telemetry.endpoint",
        None,
        "A collector for OpenTelemetry spans of `serve`, as http://host:4318",
    ),
    Setting {
        name: "telemetry.content",
        kind: Kind::Word(&["hidden", "shown"]),
        built_in: Some("hidden"),
        what: "Whether spans hold what was said and what calls got and gave",
    },
    Setting {
        name: "net.allow",
        kind: Kind::Openings,
        built_in: None,
        what: "Private and local hosts, addresses and networks that tools may reach",
    },
    text("pen.data", Some("data"), "Where Ghostpen keeps profiles, posts and logs"),
    text("pen.notion", Some("https://api.notion.com"), "Where Notion is, or a stand-in for it"),
    text("pen.tavily", Some("https://api.tavily.com"), "Where the search Tavily is"),
    Setting {
        name: "pen.lang",
        kind: Kind::Word(&["uk", "en"]),
        built_in: None,
        what: "The language Ghostpen speaks; the locale decides if nothing is said",
    },
    text("python.program", None, "The Python to run handlers with; `python3` if nothing is said"),
    Setting {
        name: "python.sandbox",
        kind: Kind::Word(&["required", "off"]),
        built_in: Some("required"),
        what: "Whether Python handlers may run where the sandbox cannot be had",
    },
    Setting {
        name: "python.isolation",
        kind: Kind::Word(&["owner", "call"]),
        built_in: Some("owner"),
        what: "Whether a file's calls for one owner share a Python process, or each has its own",
    },
    number(
        "python.workers",
        (1, 1_000),
        Some("64"),
        "Python processes at once; a quarter of them for one owner",
    ),
    Setting {
        name: "sandbox.accept",
        kind: Kind::Gaps,
        built_in: None,
        what: "Gaps of the sandbox with which tools run all the same; `ghosthand doctor` names them",
    },
];

impl Setting {
    /// The variable of the environment that sets it.
    pub(crate) fn variable(&self) -> String {
        if self.name == "telemetry.endpoint" {
            return "OTEL_EXPORTER_OTLP_ENDPOINT".to_owned();
        }
        format!("GHOSTHAND_{}", self.name.replace('.', "_").to_uppercase())
    }

    /// What to do instead, if the value cannot be used.
    pub(crate) fn check(&self, value: &str) -> Result<(), String> {
        match self.kind {
            Kind::Text if value.is_empty() => Err("give it some text, or leave it out".to_owned()),
            Kind::Text => Ok(()),
            Kind::Number(from, to) => match value.parse::<u32>() {
                Ok(number) if (from..=to).contains(&number) => Ok(()),
                Ok(_) | Err(_) => Err(format!("give a whole number from {from} to {to}")),
            },
            Kind::Openings => openings(value).map(|_| ()).map_err(|bad| bad.to_string()),
            Kind::Gaps => gaps(value).map(|_| ()).map_err(|bad| bad.to_string()),
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

/// The setting of this name.
pub(crate) fn setting(name: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.name == name)
}
