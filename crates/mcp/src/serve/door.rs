//! The door itself: what a client may ask for, and who answers.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use contract::{Mode, nearest};
use engine::{Desk, Room};
use policy::ConversationId;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, Implementation, ListPromptsRequestMethod,
    ListPromptsResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use store::{Store, StoreFault};
use tokio::sync::watch;

use super::app;
use super::caller::{Allowed, Caller};
use super::facade;
use super::pieces::READ_ON;
use super::seal::Seals;
use super::shelf::Shelf;

/// What a door is like. No `Default`: whoever opens one says.
#[derive(Debug, Clone)]
pub struct DoorOptions {
    pub offer: Offer,
    /// The longest text of one result; what is longer is read in pieces.
    pub result_bytes_max: usize,
    pub approvals: Approvals,
    /// Where a person can answer questions, beside the terminal.
    pub page: Option<String>,
}

impl DoorOptions {
    /// For a program on one machine.
    pub fn machine() -> Self {
        Self {
            offer: Offer::EveryTool,
            result_bytes_max: 64 << 10,
            approvals: Approvals::AtClient,
            page: None,
        }
    }
}

/// What a client finds in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offer {
    EveryTool,
    /// Three tools that find, describe and call all others.
    Facade,
}

/// Where a person is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Approvals {
    /// In the client, if it can ask; else elsewhere.
    AtClient,
    /// In our terminal or on our page alone.
    Elsewhere,
}

/// Why a door cannot be opened or stay open.
#[derive(Debug, thiserror::Error)]
pub enum DoorFault {
    #[error("the key that seals questions cannot be had: {0}")]
    Key(String),
    #[error(transparent)]
    Store(#[from] StoreFault),
    #[error("the client cannot be served: {0}")]
    Transport(String),
}

/// A door to a desk for MCP clients. Clones are the same door.
#[derive(Clone)]
pub struct Door(pub(super) Arc<Inner>);

pub(super) struct Inner {
    pub desk: Desk,
    pub store: Arc<dyn Store>,
    pub options: DoorOptions,
    pub seals: Seals,
    /// Replaced when the registry has changed; locked for a look only.
    shelf: Mutex<Arc<Shelf>>,
    /// Every call is a turn of its own, so that one client's calls share no budget.
    turns: AtomicU64,
    /// Did a person have to be asked here about a tool that only reads?
    pub asked_about_reading: AtomicBool,
    /// How many calls are being settled.
    pub calls: watch::Sender<usize>,
}

/// How long calls that were stopped may take to be written down.
const REST: Duration = Duration::from_secs(5);

impl Door {
    /// Opens a door to the desk, whose store this must be.
    pub async fn open(
        desk: Desk,
        store: Arc<dyn Store>,
        options: DoorOptions,
    ) -> Result<Self, DoorFault> {
        let seals = Seals::of(store.as_ref()).await?;
        let shelf = Mutex::new(Arc::new(Shelf::of(&desk.registry().lease())));
        // Later processes begin above earlier ones.
        let turns = AtomicU64::new(desk.now().0.saturating_mul(1_000));
        let calls = watch::Sender::new(0);
        Ok(Self(Arc::new(Inner {
            desk,
            store,
            options,
            seals,
            shelf,
            turns,
            asked_about_reading: AtomicBool::new(false),
            calls,
        })))
    }

    /// Waits until every call is settled and written down.
    pub async fn rest(&self) {
        let mut calls = self.0.calls.subscribe();
        let settled = calls.wait_for(|calls| *calls == 0);
        if tokio::time::timeout(REST, settled).await.is_err() {
            tracing::warn!("calls were still being settled at the end");
        }
        self.0.desk.flush().await;
    }

    /// The tools as they are now.
    pub(super) fn shelf(&self) -> Arc<Shelf> {
        let version = self.0.desk.registry().version();
        let mut shelf = self.0.shelf.lock().unwrap_or_else(PoisonError::into_inner);
        if shelf.version != version {
            *shelf = Arc::new(Shelf::of(&self.0.desk.registry().lease()));
        }
        Arc::clone(&shelf)
    }

    /// What this caller sees, in the order of the names.
    pub(super) fn list(&self, allowed: &Allowed) -> Vec<Tool> {
        let shelf = self.shelf();
        let seen = shelf.items.values().filter(|item| allowed.allows(item.id()));
        let mut tools: Vec<_> = match self.0.options.offer {
            Offer::EveryTool => seen.map(|item| item.listed.clone()).collect(),
            Offer::Facade => facade::tools(),
        };
        if !shelf.items.contains_key(READ_ON) {
            tools.push(super::call::read_on_tool());
            tools.sort_by(|a, b| a.name.cmp(&b.name));
        }
        tools
    }

    /// The room of a new call. A client's calls of one day are one conversation, so that
    /// its ledger has an end.
    pub(super) fn room(&self, caller: &Caller) -> Room {
        const DAY_MS: u64 = 86_400_000;
        let day = self.0.desk.now().0 / DAY_MS;
        let Caller { principal, program } = caller;
        let conversation = format!("{CONVERSATIONS}{}-{program}-{day}", principal.name);
        Room {
            conversation: ConversationId(conversation),
            client: principal.client.clone(),
            mode: Mode::Text,
            turn: self.0.turns.fetch_add(1, Ordering::Relaxed),
            somebody_to_ask: true,
            model: None,
            active: true,
        }
    }

    pub(super) fn unknown_tool(&self, name: &str, caller: &Caller) -> ErrorData {
        let tools = self.list(&caller.principal.tools);
        let near = nearest(name, tools.iter().map(|tool| tool.name.as_ref()));
        let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        let name: String = name.chars().take(80).collect();
        ErrorData::invalid_params(format!("there is no tool `{name}`{near}"), None)
    }
}

/// How the conversations of MCP clients begin.
pub const CONVERSATIONS: &str = "mcp-";

impl ServerHandler for Door {
    fn get_info(&self) -> ServerConfig {
        let mut capabilities =
            ServerCapabilities::builder().enable_tools().enable_resources().build();
        let apps = app::object(&serde_json::json!({ "mimeTypes": [app::MIME_TYPE] }));
        capabilities.extensions = Some([(app::EXTENSION.to_owned(), apps)].into());
        let mut info = ServerConfig::new(capabilities);
        info.server_info = server_info();
        info.instructions = Some(INSTRUCTIONS.to_owned());
        info
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let caller = Caller::of(&context);
        Ok(ListToolsResult::with_all_items(self.list(&caller.principal.tools)))
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(self.pages(&Caller::of(&context).principal.tools))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let caller = Caller::of(&context);
        self.page(&request.uri, &caller.principal.tools).map(Into::into)
    }

    /// There are none, and the capabilities say so.
    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListPromptsRequestMethod>())
    }

    /// Asked about every call, for its schema alone.
    fn get_tool(&self, name: &str) -> Option<Tool> {
        let shelf = self.shelf();
        let schema = Arc::clone(&shelf.items.get(name)?.listed.input_schema);
        Some(Tool::new_with_raw(name.to_owned(), None, schema))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        // In a box: rmcp moves the future of a request about, and that of a call is long.
        Box::pin(self.call(request, context)).await
    }
}

pub(super) fn server_info() -> Implementation {
    let mut info = Implementation::new("ghosthand", env!("CARGO_PKG_VERSION"));
    info.title = Some("Ghosthand".to_owned());
    info
}

const INSTRUCTIONS: &str = "A failed call says what to change: read its message before you try \
    again. Some tools need a person's agreement first; then say so, and call the same tool with \
    the same arguments once they have agreed. A result that was cut names a cursor for \
    `read_result`.";
