//! The door itself: what a client may ask for, and who answers.

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

use super::app;
use super::caller::Caller;
use super::capabilities;
use super::era::Era;
use super::facade;
use super::logging::SetLevel;
use super::news::{self, News};
use super::offered::Offered;
use super::pieces::READ_ON;
use super::seal::Seals;
use super::shelf::Shelf;
use super::visit::Visit;
use crate::library::{Library, LibraryFault};

/// What a door is like. No `Default`: whoever opens one says.
#[derive(Debug, Clone)]
pub struct DoorOptions {
    pub offer: Offer,
    /// The longest text of one result; what is longer is read in pieces.
    pub result_bytes_max: usize,
    pub approvals: Approvals,
    /// Where a person can answer questions, beside the terminal.
    pub page: Option<String>,
    /// The folder whose prompts and resources are offered.
    pub project: Option<PathBuf>,
}

impl DoorOptions {
    /// For a program on one machine.
    pub fn machine() -> Self {
        Self {
            offer: Offer::EveryTool,
            result_bytes_max: 64 << 10,
            approvals: Approvals::AtClient,
            page: None,
            project: None,
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
    #[error("prompts and resources are faulty:\n{}", lines(.0))]
    Library(Vec<LibraryFault>),
}

fn lines(faults: &[LibraryFault]) -> String {
    let lines: Vec<_> = faults.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

/// A door to an engine for MCP clients, and one client's visit. Clones are the same visit.
#[derive(Clone)]
pub struct Door(pub(super) Arc<Inner>, pub(super) Arc<Visit>);

pub(super) struct Inner {
    pub engine: Engine,
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
    /// What changes.
    pub news: broadcast::Sender<News>,
    /// The prompts and resources of the project, if there is one.
    pub offered: Option<Arc<Offered>>,
}

/// How long calls that were stopped may take to be written down.
const REST: Duration = Duration::from_secs(5);

impl Door {
    /// Opens a door to the engine, whose store this must be.
    pub async fn open(
        engine: Engine,
        store: Arc<dyn Store>,
        options: DoorOptions,
    ) -> Result<Self, DoorFault> {
        let seals = Seals::of(store.as_ref()).await?;
        let shelf = Mutex::new(Arc::new(Shelf::of(&engine.registry().lease())));
        // Later processes begin above earlier ones.
        let turns = AtomicU64::new(engine.now().0.saturating_mul(1_000));
        let calls = watch::Sender::new(0);
        let news = news::channel();
        let project = options.project.as_ref();
        let offered = project.map(|project| Offered::open(project, news.clone())).transpose()?;
        let inner = Inner {
            engine,
            store,
            options,
            seals,
            shelf,
            turns,
            asked_about_reading: AtomicBool::new(false),
            calls,
            news,
            offered,
        };
        let inner = Arc::new(inner);
        news::watch_tools(&inner);
        Ok(Self(inner, Arc::default()))
    }

    /// The same door, for one more client.
    pub(super) fn visited(&self) -> Self {
        Self(Arc::clone(&self.0), Arc::default())
    }

    /// The prompts and resources as they are now.
    pub(super) fn library(&self) -> Arc<Library> {
        self.0.offered.as_ref().map(|offered| offered.library()).unwrap_or_default()
    }

    /// Waits until every call is settled and written down.
    pub async fn rest(&self) {
        let mut calls = self.0.calls.subscribe();
        let settled = calls.wait_for(|calls| *calls == 0);
        if tokio::time::timeout(REST, settled).await.is_err() {
            tracing::warn!("calls were still being settled at the end");
        }
        self.0.engine.flush().await;
    }

    /// The tools as they are now.
    pub(super) fn shelf(&self) -> Arc<Shelf> {
        let version = self.0.engine.registry().version();
        let mut shelf = self.0.shelf.lock().unwrap_or_else(PoisonError::into_inner);
        if shelf.version != version {
            *shelf = Arc::new(Shelf::of(&self.0.engine.registry().lease()));
        }
        Arc::clone(&shelf)
    }

    /// What this caller sees, in the order of the names.
    pub(super) fn list(&self, allowed: &ToolFilter) -> Vec<Tool> {
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
    pub(super) fn origin(&self, caller: &Caller) -> CallOrigin {
        const DAY_MS: u64 = 86_400_000;
        let day = self.0.engine.now().0 / DAY_MS;
        let Caller { principal, program, can_ask } = caller;
        let conversation = format!("{CONVERSATIONS}{}-{program}-{day}", principal.name);
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

    /// What a model should know; tools that are left out are named, so that it can tell the
    /// person why one is missing.
    fn instructions(&self) -> String {
        let lease = self.0.engine.registry().lease();
        let names: Vec<_> = lease.excluded().iter().map(|one| one.name.as_str()).collect();
        match names.is_empty() {
            true => INSTRUCTIONS.to_owned(),
            false => {
                let shown = names.iter().take(LEFT_OUT_MAX).copied().collect::<Vec<_>>().join(", ");
                let more = if names.len() > LEFT_OUT_MAX { ", …" } else { "" };
                format!(
                    "{INSTRUCTIONS} Left out because their files have faults: {shown}{more}. \
                     If one of them is wanted, say so; `ghosthand check` shows what to mend."
                )
            }
        }
    }

    pub(super) fn unknown_tool(&self, name: &str, caller: &Caller) -> ErrorData {
        if let Some(one) = self.0.engine.registry().lease().left_out_as(name)
            && caller.principal.tools.allows(&one.name)
        {
            let name = &one.name;
            let what = format!(
                "`{name}` is left out because its files have faults; a person can see them with \
                 `ghosthand check`"
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

/// How the conversations of MCP clients begin.
pub const CONVERSATIONS: &str = "mcp-";

impl ServerHandler for Door {
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
        Era::of(&context).sign_list(&mut result.meta, &mut result.ttl_ms);
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
        Era::of(&context).sign_list(&mut result.meta, &mut result.ttl_ms);
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let templates = self.templates(&Caller::of(&context).principal.tools);
        let mut result = ListResourceTemplatesResult::with_all_items(templates);
        Era::of(&context).sign_list(&mut result.meta, &mut result.ttl_ms);
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
        Era::of(&context).sign(&mut result.meta);
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
        Some(self.listenable(requested))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.told(&context).await
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        self.1.greet(self.0.news.subscribe());
        context.peer.set_peer_info(request.clone());
        self.negotiate_initialize(&request)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        news::tell(self, context.peer);
    }

    async fn set_level(
        &self,
        request: SetLevel,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.set_log_level(&request, &context)
    }

    /// Without a project there are none, and the capabilities say so.
    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        if self.0.offered.is_none() {
            return Err(ErrorData::method_not_found::<ListPromptsRequestMethod>());
        }
        let prompts = self.prompts(&Caller::of(&context).principal.tools);
        let mut result = ListPromptsResult::with_all_items(prompts);
        Era::of(&context).sign_list(&mut result.meta, &mut result.ttl_ms);
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
        let era = Era::of(&context);
        // In a box: rmcp moves the future of a request about, and that of a call is long.
        let mut response = Box::pin(self.call(request, context)).await?;
        if let CallToolResponse::Complete(result) = &mut response {
            era.sign(&mut result.meta);
        }
        Ok(response)
    }
}

pub(super) fn server_info() -> Implementation {
    let mut info = Implementation::new("ghosthand", env!("CARGO_PKG_VERSION"));
    info.title = Some("Ghosthand".to_owned());
    info
}

/// How many tools that are left out are named to a model.
const LEFT_OUT_MAX: usize = 20;

const INSTRUCTIONS: &str = "A failed call says what to change: read its message before you try \
    again. Some tools need a person's agreement first; then say so, and call the same tool with \
    the same arguments once they have agreed. A result that was cut names a cursor for \
    `read_result`.";
