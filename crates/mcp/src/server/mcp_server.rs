//! The MCP server: answers the requests of clients.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use contract::{Mode, nearest};
use engine::{CallOrigin, Engine, ToolFilter};
use policy::ConversationId;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult,
    GetPromptRequestParams, GetPromptResponse, Implementation, InitializeRequestParams,
    InitializeResult, ListPromptsRequestMethod, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams,
    ReadResourceResponse, ServerConfig, SubscribeRequestParams, SubscriptionFilter, Tool,
    UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use store::{Store, StoreFault};
use tokio::sync::{broadcast, watch};

use super::call::paged_result::READ_RESULT_TOOL;
use super::call::sealed_state::StateSealer;
use super::caller::Caller;
use super::capabilities;
use super::library_watch::LibraryWatch;
use super::protocol_version::Protocol;
use super::session::Session;
use super::session::logging::SetLevel;
use super::session::notifications::{self, Change};
use super::tool_list::ToolList;
use super::tool_list::app;
use super::tool_list::facade;
use crate::library::{Library, LibraryFault};

/// Server options. No `Default`: callers choose explicitly.
#[derive(Debug, Clone)]
pub struct McpServerOptions {
    pub exposure: ToolExposure,
    /// The longest text of one result; longer ones are paged.
    pub result_bytes_max: usize,
    pub approvals: Approvals,
    /// A page where a person can answer questions, besides the terminal.
    pub page: Option<String>,
    /// The folder whose prompts and resources are served.
    pub project: Option<PathBuf>,
}

impl McpServerOptions {
    /// For a program on one machine.
    pub fn machine() -> Self {
        Self {
            exposure: ToolExposure::EveryTool,
            result_bytes_max: 64 << 10,
            approvals: Approvals::AtClient,
            page: None,
            project: None,
        }
    }
}

/// Which tools a client sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolExposure {
    EveryTool,
    /// Three tools that find, describe and call all others.
    Facade,
}

/// Where a person is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Approvals {
    /// In the client if it can ask, otherwise elsewhere.
    AtClient,
    /// Only in our terminal or on our page.
    Elsewhere,
}

/// Why the server cannot start or continue.
#[derive(Debug, thiserror::Error)]
pub enum McpServerFault {
    #[error("cannot load the sealing key: {0}")]
    Key(String),
    #[error(transparent)]
    Store(#[from] StoreFault),
    #[error("the client cannot be served: {0}")]
    Transport(String),
    #[error("prompts and resources have faults:\n{}", lines(.0))]
    Library(Vec<LibraryFault>),
}

fn lines(faults: &[LibraryFault]) -> String {
    let lines: Vec<_> = faults.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

/// The MCP server, and the session of one client. Clones share the session.
#[derive(Clone)]
pub struct McpServer(pub(crate) Arc<Inner>, pub(crate) Arc<Session>);

pub(crate) struct Inner {
    pub engine: Engine,
    pub store: Arc<dyn Store>,
    pub options: McpServerOptions,
    pub sealer: StateSealer,
    /// Replaced when the registry changes; held only briefly.
    tool_list: Mutex<Arc<ToolList>>,
    /// Every call is a turn of its own, so that a client's calls do not share a budget.
    turns: AtomicU64,
    /// Whether an approval was ever needed for a tool that only reads.
    pub asked_about_reading: AtomicBool,
    /// The number of calls in flight.
    pub calls: watch::Sender<usize>,
    /// Changes that clients are notified of.
    pub changes: broadcast::Sender<Change>,
    /// The prompts and resources of the project, if there is one.
    pub library_watch: Option<Arc<LibraryWatch>>,
}

/// How long cancelled calls may take to be recorded.
const DRAIN_MAX: Duration = Duration::from_secs(5);

impl McpServer {
    /// Starts a server for an engine and its store.
    pub async fn open(
        engine: Engine,
        store: Arc<dyn Store>,
        options: McpServerOptions,
    ) -> Result<Self, McpServerFault> {
        let sealer = StateSealer::of(store.as_ref()).await?;
        let tool_list = Mutex::new(Arc::new(ToolList::of(&engine.registry().lease())));
        // Turns of later processes are numbered above earlier ones.
        let turns = AtomicU64::new(engine.now().0.saturating_mul(1_000));
        let calls = watch::Sender::new(0);
        let changes = notifications::channel();
        let project = options.project.as_ref();
        let library_watch =
            project.map(|project| LibraryWatch::open(project, changes.clone())).transpose()?;
        let inner = Inner {
            engine,
            store,
            options,
            sealer,
            tool_list,
            turns,
            asked_about_reading: AtomicBool::new(false),
            calls,
            changes,
            library_watch,
        };
        let inner = Arc::new(inner);
        notifications::watch_tools(&inner);
        Ok(Self(inner, Arc::default()))
    }

    /// The same server with a new session.
    pub(crate) fn for_client(&self) -> Self {
        Self(Arc::clone(&self.0), Arc::default())
    }

    /// The current prompts and resources.
    pub(crate) fn library(&self) -> Arc<Library> {
        self.0
            .library_watch
            .as_ref()
            .map(|library_watch| library_watch.library())
            .unwrap_or_default()
    }

    /// Waits until every call is settled and recorded.
    pub async fn drain(&self) {
        let mut calls = self.0.calls.subscribe();
        let settled = calls.wait_for(|calls| *calls == 0);
        if tokio::time::timeout(DRAIN_MAX, settled).await.is_err() {
            tracing::warn!("calls were still in flight at shutdown");
        }
        self.0.engine.flush().await;
    }

    /// The current tools.
    pub(crate) fn tool_list(&self) -> Arc<ToolList> {
        let version = self.0.engine.registry().version();
        let mut tool_list = self.0.tool_list.lock().unwrap_or_else(PoisonError::into_inner);
        if tool_list.version != version {
            *tool_list = Arc::new(ToolList::of(&self.0.engine.registry().lease()));
        }
        Arc::clone(&tool_list)
    }

    /// The tools that this caller may see, sorted by name.
    pub(crate) fn list(&self, allowed: &ToolFilter) -> Vec<Tool> {
        let tool_list = self.tool_list();
        let seen = tool_list.tools.values().filter(|item| allowed.allows(item.id()));
        let mut tools: Vec<_> = match self.0.options.exposure {
            ToolExposure::EveryTool => seen.map(|item| item.listed.clone()).collect(),
            ToolExposure::Facade => facade::tools(),
        };
        if !tool_list.tools.contains_key(READ_RESULT_TOOL) {
            tools.push(super::call::read_result_tool());
            tools.sort_by(|a, b| a.name.cmp(&b.name));
        }
        tools
    }

    /// The origin of a new call. A client's calls of one day form one conversation, which bounds
    /// its ledger.
    pub(crate) fn origin(&self, caller: &Caller) -> CallOrigin {
        const DAY_MS: u64 = 86_400_000;
        let day = self.0.engine.now().0 / DAY_MS;
        let Caller { principal, program, can_ask } = caller;
        let conversation = format!("{CONVERSATION_PREFIX}{}-{program}-{day}", principal.name);
        CallOrigin {
            conversation: ConversationId(conversation),
            client: principal.client.clone(),
            mode: Mode::Text,
            turn: self.0.turns.fetch_add(1, Ordering::Relaxed),
            somebody_to_ask: true,
            can_ask: can_ask.clone(),
            model: None,
            active: true,
        }
    }

    /// Instructions for the model. They name tools that failed to load, so that the model can
    /// explain why one is missing.
    fn instructions(&self) -> String {
        let lease = self.0.engine.registry().lease();
        let names: Vec<_> = lease.excluded().iter().map(|one| one.name.as_str()).collect();
        match names.is_empty() {
            true => INSTRUCTIONS.to_owned(),
            false => {
                let shown = names.iter().take(LEFT_OUT_MAX).copied().collect::<Vec<_>>().join(", ");
                let more = if names.len() > LEFT_OUT_MAX { ", …" } else { "" };
                format!(
                    "{INSTRUCTIONS} Not loaded because of faults in their files: {shown}{more}. \
                     If one of them is needed, tell the user; `ghosthand check` shows the faults."
                )
            }
        }
    }

    pub(crate) fn unknown_tool(&self, name: &str, caller: &Caller) -> ErrorData {
        if let Some(one) = self.0.engine.registry().lease().left_out_as(name)
            && caller.principal.tools.allows(&one.name)
        {
            let name = &one.name;
            let what = format!(
                "`{name}` is not loaded because its files have faults; a person can \
                 see them with `ghosthand check`"
            );
            return ErrorData::invalid_params(what, None);
        }
        let tools = self.list(&caller.principal.tools);
        let near = nearest(name, tools.iter().map(|tool| tool.name.as_ref()));
        let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        let name: String = name.chars().take(80).collect();
        ErrorData::invalid_params(format!("there is no tool `{name}`{near}"), None)
    }
}

/// The prefix of conversation ids that MCP clients get.
pub const CONVERSATION_PREFIX: &str = "mcp-";

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        let mut info = ServerConfig::new(capabilities::of(&self.0));
        info.server_info = server_info();
        info.instructions = Some(self.instructions());
        info
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let caller = Caller::of(&context);
        let tools = self.list(&caller.principal.tools);
        let mut result = ListToolsResult::with_all_items(tools);
        Protocol::of(&context).sign_list(&mut result.meta, &mut result.ttl_ms);
        Ok(result)
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let allowed = Caller::of(&context).principal.tools;
        let mut resources = self.files(&allowed);
        resources.extend(self.pages(&allowed));
        let mut result = ListResourcesResult::with_all_items(resources);
        Protocol::of(&context).sign_list(&mut result.meta, &mut result.ttl_ms);
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let templates = self.templates(&Caller::of(&context).principal.tools);
        let mut result = ListResourceTemplatesResult::with_all_items(templates);
        Protocol::of(&context).sign_list(&mut result.meta, &mut result.ttl_ms);
        Ok(result)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let allowed = Caller::of(&context).principal.tools;
        let mut result = match app::is_page(&request.uri) {
            true => self.page(&request.uri, &allowed)?,
            false => self.read_file(&request.uri, &allowed)?,
        };
        Protocol::of(&context).sign(&mut result.meta);
        Ok(result.into())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let following = self.follow(&request.uri, &Caller::of(&context))?;
        self.1.follow(&request.uri, following)
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.1.leave(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(self.accept_subscription(requested))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.notify_subscriber(&context).await
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        self.1.store_changes(self.0.changes.subscribe());
        context.peer.set_peer_info(request.clone());
        self.negotiate_initialize(&request)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        notifications::notify_client(self, context.peer);
    }

    async fn set_level(
        &self,
        request: SetLevel,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.set_log_level(&request, &context)
    }

    /// Without a project there are no prompts, as the capabilities say.
    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        if self.0.library_watch.is_none() {
            return Err(ErrorData::method_not_found::<ListPromptsRequestMethod>());
        }
        let prompts = self.prompts(&Caller::of(&context).principal.tools);
        let mut result = ListPromptsResult::with_all_items(prompts);
        Protocol::of(&context).sign_list(&mut result.meta, &mut result.ttl_ms);
        Ok(result)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        self.prompt(request, &context)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let allowed = Caller::of(&context).principal.tools;
        let found = self.completions(&request.r#ref, &request.argument, &allowed)?;
        Ok(CompleteResult::new(found))
    }

    /// rmcp asks this for every call, and only for its schema.
    fn get_tool(&self, name: &str) -> Option<Tool> {
        let tool_list = self.tool_list();
        let schema = Arc::clone(&tool_list.tools.get(name)?.listed.input_schema);
        Some(Tool::new_with_raw(name.to_owned(), None, schema))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let protocol = Protocol::of(&context);
        // Boxed: rmcp moves request futures, and that of a call is large.
        let mut response = Box::pin(self.call(request, context)).await?;
        if let CallToolResponse::Complete(result) = &mut response {
            protocol.sign(&mut result.meta);
        }
        Ok(response)
    }
}

pub(crate) fn server_info() -> Implementation {
    let mut info = Implementation::new("ghosthand", env!("CARGO_PKG_VERSION"));
    info.title = Some("Ghosthand".to_owned());
    info
}

/// How many tools with faults are named to the model.
const LEFT_OUT_MAX: usize = 20;

const INSTRUCTIONS: &str = "A failed call says what to change: read its message before you try \
    again. Some tools need a person's approval first; then say so, and call the same tool with \
    the same arguments once they have approved. A truncated result has a cursor for `read_result`.";
