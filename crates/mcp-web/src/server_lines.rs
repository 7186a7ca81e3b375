//! The servers as the page lists them.

use schemars::JsonSchema;
use serde::Serialize;
use server::HandlerResult;

use crate::McpState;
use crate::fault::McpWebFault;
use crate::live_server::LiveServer;
use crate::stored_server::{LoginKind, StoredEndpoint, StoredServer};

/// All that this caller may see.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ServerList {
    pub servers: Vec<ServerLine>,
    /// Whether the caller may add servers.
    pub may_add: bool,
    /// Whether this server starts commands that are entered on the page.
    pub commands: bool,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ServerLine {
    pub name: String,
    /// Whether it was added on the page; others are in the settings files.
    pub of_page: bool,
    pub is_command: bool,
    /// The address, or the command.
    pub place: String,
    pub login: LoginKind,
    /// Whether the login that the caller's calls use is there; null if there is none to make.
    pub logged_in: Option<bool>,
    pub state: ServerState,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// The accepted tools that are on.
    pub tools: Vec<ToolLine>,
    /// How many tools are new or have changed.
    pub pending: usize,
    /// The names of the headers or variables, never their values.
    pub secrets: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ServerState {
    Ready,
    /// Nothing was accepted yet.
    New,
    /// Some tools wait for the operator.
    Changed,
    /// Somebody has to log in.
    Login,
    Failed,
}

#[derive(Serialize, JsonSchema)]
pub struct ToolLine {
    pub id: String,
    pub reads: bool,
    /// Whether a person is asked before each call.
    pub asks: bool,
}

/// A server of the settings files, which the page only shows.
pub struct ConfiguredServer {
    pub name: String,
    pub place: String,
    pub is_command: bool,
    pub tools: Vec<ToolLine>,
    pub needs_login: bool,
    /// How many of its tools have changed since they were approved.
    pub held_back: usize,
    pub fault: Option<String>,
}

/// Reads the settings files.
pub trait ConfiguredServers: Send + Sync {
    fn list(&self) -> policy::BoxFuture<'_, Vec<ConfiguredServer>>;
}

impl McpState {
    /// Everything for the operator; for others the servers where they log in themselves.
    pub(crate) async fn lines(&self, owner: &str) -> HandlerResult<ServerList> {
        let may_add = self.is_operator(owner);
        let mut servers = Vec::new();
        for (name, stored) in self.servers.stored().await? {
            if !may_add && stored.login != LoginKind::Each {
                continue;
            }
            let fault = self.servers.fault_of(&name, &stored);
            let live = self.servers.live(name.as_str()).ok();
            let mut line = line(name.as_str(), stored, live.as_deref(), fault, owner).await;
            if !may_add {
                line.secrets.clear();
            }
            servers.push(line);
        }
        if may_add {
            servers.extend(self.configured.list().await.into_iter().map(configured_line));
        }
        let commands = self.servers.setup().commands.is_some();
        Ok(ServerList { servers, may_add, commands })
    }

    pub(crate) fn is_operator(&self, owner: &str) -> bool {
        self.operator.as_deref().is_none_or(|operator| operator == owner)
    }
}

async fn line(
    name: &str,
    stored: StoredServer,
    live: Option<&LiveServer>,
    fault: Option<McpWebFault>,
    owner: &str,
) -> ServerLine {
    let logged_in = match (stored.login, live) {
        (LoginKind::None, _) | (_, None) => None,
        (LoginKind::Shared | LoginKind::Each, Some(live)) => {
            Some(!live.needs_login(&live.login_of(owner)).await)
        }
    };
    let tools = live.map(|live| live.tools().tools).unwrap_or_default();
    let fault = fault.map(|fault| format!("{fault}; {}", fault.fix()));
    let fault = fault.or_else(|| live.and_then(|live| live.last_fault(&live.login_of(owner))));
    let state = match (&fault, logged_in) {
        (Some(_), _) => ServerState::Failed,
        (None, Some(false)) => ServerState::Login,
        (None, _) if !stored.pending.is_empty() => ServerState::Changed,
        (None, _) if stored.reviewed.is_empty() => ServerState::New,
        (None, _) => ServerState::Ready,
    };
    ServerLine {
        name: name.to_owned(),
        of_page: true,
        is_command: matches!(stored.endpoint, StoredEndpoint::Command(_)),
        place: stored.endpoint.shown(),
        login: stored.login,
        logged_in,
        state,
        fault,
        tools: tools.iter().map(ToolLine::of).collect(),
        pending: stored.pending.len(),
        secrets: stored.secret_names,
    }
}

fn configured_line(one: ConfiguredServer) -> ServerLine {
    let state = match &one {
        ConfiguredServer { fault: Some(_), .. } => ServerState::Failed,
        ConfiguredServer { needs_login: true, .. } => ServerState::Login,
        ConfiguredServer { held_back, .. } if *held_back > 0 => ServerState::Changed,
        ConfiguredServer { tools, .. } if tools.is_empty() => ServerState::New,
        _ => ServerState::Ready,
    };
    let ConfiguredServer { name, place, is_command, tools, held_back, fault, .. } = one;
    ServerLine {
        name,
        of_page: false,
        is_command,
        place,
        login: LoginKind::None,
        logged_in: None,
        state,
        fault,
        tools,
        pending: held_back,
        secrets: Vec::new(),
    }
}

impl ToolLine {
    pub fn of(tool: &registry::Tool) -> Self {
        let contract = &tool.contract;
        Self {
            id: contract.tool_id.to_string(),
            reads: contract.side_effects == contract::SideEffects::ReadOnly,
            asks: contract.requires_confirmation,
        }
    }
}
