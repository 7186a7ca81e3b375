//! Why a call of an imported tool has no result.

use std::time::Duration;

use crate::client::sanitize::sanitize;

/// Why a call of an imported tool has no result, sorted by what can be done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConnectionFault {
    #[error("the server could not be started: {0}")]
    NotStarted(String),
    #[error(transparent)]
    NotInstalled(#[from] NotInstalled),
    #[error("`{url}` cannot be reached: {why}")]
    Unreachable { url: String, why: String },
    #[error("`{url}` does not answer like an MCP server: {why}")]
    NotUnderstood { url: String, why: String },
    #[error("the server was not ready after {} s", .0.as_secs())]
    SlowStart(Duration),
    #[error("`{0}` is not a valid header name, or its value cannot be sent")]
    BadHeader(String),
    #[error("listing the server's tools failed: {0}")]
    NoList(String),
    #[error("the server failed {times} times; next attempt in {} s: {last}", wait.as_secs() + 1)]
    BackingOff { times: u32, wait: Duration, last: String },
    #[error("its definition differs from the approved one; run `ghosthand diff`")]
    Changed,
    #[error("the server no longer offers it")]
    Gone,
    #[error("no answer within {} s", .0.as_secs())]
    TimedOut(Duration),
    #[error("the connection broke: {0}")]
    Lost(String),
    #[error("its answer has more than {0} bytes")]
    TooLong(usize),
    #[error("{0}")]
    Refused(String),
    #[error("it asks for something that is not supported: {0}")]
    Unsupported(&'static str),
    #[error("it requires a login; run `ghosthand mcp login {server}`")]
    NeedsLogin {
        server: String,
        /// Whether a renewed token was refused too.
        was_renewed: bool,
    },
    #[error("the login does not allow this{}; run `ghosthand mcp login {server}`", wanted(scope.as_deref()))]
    NeedsScope { server: String, scope: Option<String> },
    #[error(
        "it requires a login; write `auth = \"oauth\"` into [mcp.{server}], or a token into its headers"
    )]
    NoLogin {
        server: String,
        /// The server's `WWW-Authenticate` header.
        challenge: Option<String>,
    },
}

/// A package that `npx` or `uvx` would have to download first.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{package}` is not installed, and the sandbox does not allow downloads; run `{by_hand}` once"
)]
pub struct NotInstalled {
    pub package: String,
    /// The command that installs it.
    pub by_hand: String,
}

impl ConnectionFault {
    /// Whether a login fixes it. If so, nothing has run.
    pub fn is_about_login(&self) -> bool {
        matches!(self, Self::NeedsLogin { .. } | Self::NeedsScope { .. } | Self::NoLogin { .. })
    }
}

fn wanted(scope: Option<&str>) -> String {
    let shown = |scope: &str| format!(" (it requires `{}`)", sanitize(scope, 200));
    scope.map(shown).unwrap_or_default()
}
