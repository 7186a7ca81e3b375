//! Why a server's tool gave no result, and what can be done about it.

use std::time::Duration;

use super::clean::clean;

/// Why a server's tool gave no result, sorted by what can be done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LineFault {
    #[error("the server could not be started: {0}")]
    NotStarted(String),
    #[error(transparent)]
    NotInstalled(#[from] NotInstalled),
    #[error("`{url}` cannot be reached: {why}")]
    Unreachable { url: String, why: String },
    #[error("`{url}` does not answer as an MCP server does: {why}")]
    NotUnderstood { url: String, why: String },
    #[error("the server was not ready after {} s", .0.as_secs())]
    SlowStart(Duration),
    #[error("`{0}` is not a valid header name, or its value cannot be sent")]
    BadHeader(String),
    #[error("the server does not say what it has: {0}")]
    NoList(String),
    #[error("the server broke down {times} times; it is tried again in {} s: {last}", wait.as_secs() + 1)]
    Resting { times: u32, wait: Duration, last: String },
    #[error("its definition is not the one that was approved; `ghosthand diff` shows it")]
    Changed,
    #[error("the server no longer has it")]
    Gone,
    #[error("no answer within {} s", .0.as_secs())]
    TimedOut(Duration),
    #[error("the connection broke: {0}")]
    Lost(String),
    #[error("its answer has more than {0} bytes")]
    TooLong(usize),
    #[error("{0}")]
    Refused(String),
    #[error("it asks for something that is not given here: {0}")]
    Unsupported(&'static str),
    #[error("it wants a login; run `ghosthand mcp login {server}`")]
    NeedsLogin {
        server: String,
        /// Did it say what it wants? Then a new token was tried already.
        was_renewed: bool,
    },
    #[error("the login does not allow this{}; run `ghosthand mcp login {server}`", wanted(scope.as_deref()))]
    NeedsScope { server: String, scope: Option<String> },
    #[error(
        "it wants a login; write `auth = \"oauth\"` into [mcp.{server}], or a token into its headers"
    )]
    NoLogin {
        server: String,
        /// What it says about how one logs in.
        challenge: Option<String>,
    },
}

/// A package that `npx` or `uvx` would have to download first.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{package}` is not installed, and nothing is downloaded behind the fence; \
     run `{by_hand}` once by hand"
)]
pub struct NotInstalled {
    pub package: String,
    /// The command that installs it.
    pub by_hand: String,
}

impl LineFault {
    /// Can a login mend it? Then nothing has run.
    pub fn is_about_login(&self) -> bool {
        matches!(self, Self::NeedsLogin { .. } | Self::NeedsScope { .. } | Self::NoLogin { .. })
    }
}

fn wanted(scope: Option<&str>) -> String {
    let shown = |scope: &str| format!(" (it wants `{}`)", clean(scope, 200));
    scope.map(shown).unwrap_or_default()
}
