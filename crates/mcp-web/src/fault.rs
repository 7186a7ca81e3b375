//! Why a server cannot be added, looked at or used.

use mcp::client::{BadServerName, ConnectionFault, LoginFault};
use providers::{BadAddress, SealFault};
use server::Fault;
use store::StoreFault;

#[derive(Debug, thiserror::Error)]
pub enum McpWebFault {
    #[error(transparent)]
    Name(#[from] BadServerName),
    #[error(transparent)]
    Address(#[from] BadAddress),
    #[error("`{0}` is a server of the settings files, which count first")]
    Configured(String),
    #[error("there is no MCP server `{0}` that was added on the page")]
    Unknown(String),
    #[error("the server needs {0}")]
    Needs(&'static str),
    #[error("{0}")]
    TooMuch(String),
    #[error("this server does not start commands that are entered on the page")]
    NoCommands,
    #[error("the command cannot be used: {0}")]
    Command(String),
    #[error("it requires a login")]
    NeedsLogin,
    #[error("{0}")]
    NoAnswer(ConnectionFault),
    #[error("{0}")]
    Login(#[from] LoginFault),
    #[error("the server's tools are no longer those that you looked at")]
    Changed,
    #[error("this login is not one that you began, or it took too long")]
    NoSuchLogin,
    #[error("`{0}` has no login")]
    NoLogin(String),
    #[error("a secret cannot be kept: {0}")]
    Seal(#[from] SealFault),
    #[error("what is stored of the server is damaged")]
    Damaged,
    #[error(transparent)]
    Store(#[from] StoreFault),
}

impl From<ConnectionFault> for McpWebFault {
    fn from(fault: ConnectionFault) -> Self {
        match fault.is_about_login() {
            true => Self::NeedsLogin,
            false => Self::NoAnswer(fault),
        }
    }
}

impl McpWebFault {
    pub fn fix(&self) -> &'static str {
        match self {
            Self::Name(_) => "choose another name",
            Self::Address(bad) => bad.fix(),
            Self::Configured(_) => "use another name, or change the server there",
            Self::Unknown(_) => "GET /api/mcp-servers lists them",
            Self::Needs(_) | Self::TooMuch(_) => "correct it and try again",
            Self::NoCommands => {
                "give an address, or set `serve.mcp_commands = \"sandbox\"` in your own \
                 ~/.config/ghosthand/config.toml"
            }
            Self::Command(_) => "check the program and the folders",
            Self::NeedsLogin => "choose who logs in, or give the key as a header",
            Self::NoAnswer(_) => "check the address or the command; the message has the cause",
            Self::Login(LoginFault::NotRegistered(_)) => {
                "register a client at the service and enter its id here"
            }
            Self::Login(_) => "try again, or ask who runs the service",
            Self::Changed => "look again",
            Self::NoSuchLogin => "begin the login again",
            Self::NoLogin(_) => "only servers with a login have one",
            Self::Seal(_) => "see the message",
            Self::Damaged => "remove the server and add it again",
            Self::Store(_) => "try again; the server's log has more",
        }
    }
}

impl From<McpWebFault> for Fault {
    fn from(fault: McpWebFault) -> Self {
        let (message, fix) = (fault.to_string(), fault.fix());
        match fault {
            McpWebFault::Name(_)
            | McpWebFault::Address(_)
            | McpWebFault::Needs(_)
            | McpWebFault::TooMuch(_)
            | McpWebFault::Command(_) => Self::bad_request(message, fix),
            McpWebFault::NoCommands => Self::forbidden(message, fix),
            McpWebFault::Configured(_)
            | McpWebFault::NeedsLogin
            | McpWebFault::Changed
            | McpWebFault::NoSuchLogin
            | McpWebFault::NoLogin(_) => Self::conflict(message, fix),
            McpWebFault::Unknown(_) => Self::not_found(message),
            McpWebFault::NoAnswer(_) | McpWebFault::Login(_) => Self::no_answer(message, fix),
            McpWebFault::Seal(_) | McpWebFault::Damaged => {
                tracing::error!(fault = %message, "an added MCP server cannot be used");
                Self::conflict(message, fix)
            }
            McpWebFault::Store(fault) => fault.into(),
        }
    }
}

impl From<store::BadName> for McpWebFault {
    fn from(bad: store::BadName) -> Self {
        Self::TooMuch(bad.to_string())
    }
}

impl From<store::BadJson> for McpWebFault {
    fn from(bad: store::BadJson) -> Self {
        Self::TooMuch(bad.to_string())
    }
}
