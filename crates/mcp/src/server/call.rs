//! The path of one call from a client: find the tool, settle the call in the engine, answer.

pub(crate) mod approval;
pub(crate) mod call_result;
pub(crate) mod collected_chunks;
pub(crate) mod input_requests;
pub(crate) mod paged_result;
pub(crate) mod progress;
pub(crate) mod sealed_state;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use contract::{Call, CallId, Channel, Chunk, ErrorType, ToolError};
use engine::{ApprovalRecord, CallContext, CallOrigin, Cancel, PaidBy, Settled, Waiting};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, JsonObject, Tool,
    ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};

use super::caller::Caller;
use super::mcp_server::McpServer;
use super::tool_list::ListedTool;
use super::tool_list::facade::Resolved;
use approval::{AskMethod, ClientCall, Resumed};
use collected_chunks::CollectedChunks;
use input_requests::{Round, wanted};
use paged_result::READ_RESULT_TOOL;
use progress::ProgressSurface;

impl McpServer {
    /// Every branch of a call is on this screen.
    pub(crate) async fn call(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let caller = Caller::of(&context);
        let tool_list = self.tool_list();
        let request = match self.resolve_facade(request, &tool_list, &caller) {
            Resolved::Call(request) => request,
            Resolved::Answer(answer) => return Ok(answer.into()),
        };
        let item = tool_list.tools.get(request.name.as_ref());
        let Some(item) = item.filter(|item| caller.principal.tools.allows(item.id())) else {
            return match request.name == READ_RESULT_TOOL {
                true => Ok(self.read_result(&caller, request.arguments).await.into()),
                false => Err(self.unknown_tool(&request.name, &caller)),
            };
        };
        let args = Value::Object(request.arguments.unwrap_or_default());
        let ask = ClientCall { server: self, caller: &caller, tool: item.id(), args: &args };
        let mut was_asked = true;
        let mut responses = request.input_responses;
        let (origin, call) = match request.request_state {
            Some(state) => match ask.take(&state, responses.take().as_ref()).await? {
                Resumed::Answered(origin, call) => (origin, call),
                Resumed::NoAnswer(again) => return Ok(again),
            },
            None => self.pending(&ask, item).await.unwrap_or_else(|| {
                was_asked = false;
                (self.origin(&caller), self.new_call(item, &args))
            }),
        };
        let chunks = CollectedChunks::default();
        let mut settled = match self.settle(&context, &origin, &call, &chunks).await {
            Ok(settled) => settled,
            Err(broken) => return Ok(broken.into()),
        };
        while let Some(wanted) = wanted(&settled) {
            let at = (&origin, &call);
            match ask.input(&context, at, (&settled, wanted), responses.take()).await? {
                Round::Ends(call_result) => return Ok(*call_result),
                Round::Answered => {
                    settled = match self.settle(&context, &origin, &call, &chunks).await {
                        Ok(settled) => settled,
                        Err(broken) => return Ok(broken.into()),
                    };
                }
            }
        }
        if let Some(Waiting::Approval(asked)) = &settled.waiting {
            ask.remember(asked).await;
            was_asked = true;
            self.0.asked_about_reading.fetch_or(!item.may_ask(), Ordering::Relaxed);
            match ask.approval_method(&context) {
                None => return Ok(self.ask_elsewhere(&settled, asked)),
                Some(AskMethod::InputRequired) => return Ok(ask.input_required(asked)),
                Some(AskMethod::Request) => {
                    if !ask.request(asked, &context).await {
                        return Ok(self.ask_elsewhere(&settled, asked));
                    }
                    settled = match self.settle(&context, &origin, &call, &chunks).await {
                        Ok(settled) => settled,
                        Err(broken) => return Ok(broken.into()),
                    };
                }
            }
        }
        if was_asked {
            ask.forget().await;
        }
        let answer = self.answer(&caller, item, &settled).await;
        for artifact in &settled.artifacts {
            let text = format!("{}\n", artifact.to_markdown());
            chunks.add(&Chunk { channel: Channel::Assistant, text });
        }
        Ok(chunks.beside(answer, self.0.options.result_bytes_max).into())
    }

    fn ask_elsewhere(&self, settled: &Settled, asked: &ApprovalRecord) -> CallToolResponse {
        let time = self.0.engine.time_to_answer(asked);
        call_result::ask_elsewhere(settled, asked, &time, &self.0.options).into()
    }

    /// The same call if it is pending. Skips the store for tools that hardly ever need approval.
    async fn pending(&self, ask: &ClientCall<'_>, item: &ListedTool) -> Option<(CallOrigin, Call)> {
        let is_possible = item.may_ask() || self.0.asked_about_reading.load(Ordering::Relaxed);
        if is_possible { ask.pending().await } else { None }
    }

    fn new_call(&self, item: &ListedTool, args: &Value) -> Call {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let (now, number) = (self.0.engine.now().0, NUMBER.fetch_add(1, Ordering::Relaxed));
        let id = format!("mcp-{now}-{}-{number}", std::process::id());
        Call { id: CallId(id), tool: item.id().to_owned(), args: args.clone() }
    }

    /// Settles on a separate task, so that a call is recorded even if its client disconnects.
    async fn settle(
        &self,
        context: &RequestContext<RoleServer>,
        origin: &CallOrigin,
        call: &Call,
        chunks: &CollectedChunks,
    ) -> Result<Settled, CallToolResult> {
        let token = context.meta.get_progress_token();
        let cancel = Cancel::default();
        let call_context = CallContext {
            surface: Arc::new(ProgressSurface::new(
                context.peer.clone(),
                token,
                self.log_floor(context),
                &call.tool,
                chunks.clone(),
            )),
            cancel: cancel.clone(),
            paid_by: PaidBy::Turn,
            tools: None,
        };
        let stopper = CancelOnDrop(cancel);
        let (engine, origin, call) = (self.0.engine.clone(), origin.clone(), call.clone());
        let id = call.id.clone();
        let counted = InFlight::one(self);
        let mut task = tokio::spawn(async move {
            let _counted = counted;
            engine.settle_on(&call_context, &origin, &call).await
        });
        let joined = tokio::select! {
            joined = &mut task => joined,
            () = context.ct.cancelled() => {
                stopper.0.cancel();
                task.await
            }
        };
        joined.map_err(|fault| call_result::broken(&id, &fault.to_string()))
    }

    async fn answer(
        &self,
        caller: &Caller,
        item: &ListedTool,
        settled: &Settled,
    ) -> CallToolResult {
        let data = match &settled.outcome {
            Ok(data) => data,
            Err(error) => {
                // The caller knows the tool by the name it was listed under.
                let message = error.message.replace(item.id(), &item.listed.name);
                return call_result::failure(&ToolError { message, ..error.clone() });
            }
        };
        let text = call_result::text_of(data);
        let max = self.0.options.result_bytes_max;
        if text.len() <= max {
            return call_result::success(data, text);
        }
        let cut = paged_result::cut(&text, max);
        let cursor = paged_result::keep(self.0.store.as_ref(), caller, &cut).await;
        let first = cut.first().copied().unwrap_or_default();
        let promised = item.listed.output_schema.is_some();
        call_result::first_page(first, text.len(), cursor.as_deref(), promised)
    }

    async fn read_result(&self, caller: &Caller, args: Option<JsonObject>) -> CallToolResult {
        let cursor = args.as_ref().and_then(|args| args.get("cursor")?.as_str());
        let found = match cursor {
            Some(cursor) => paged_result::read(self.0.store.as_ref(), caller, cursor).await,
            None => None,
        };
        match found {
            Some(page) => call_result::page(page),
            None => {
                let message = "This cursor is unknown or has expired. Use the cursor of a \
                               truncated result, or call the tool again.";
                call_result::failure(&ToolError::before_start(ErrorType::NotFound, message))
            }
        }
    }
}

/// Cancels the handler when the client's request is dropped.
struct CancelOnDrop(Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Counts a call as in flight until dropped.
struct InFlight(McpServer);

impl InFlight {
    fn one(server: &McpServer) -> Self {
        server.0.calls.send_modify(|calls| *calls += 1);
        Self(server.clone())
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.0.calls.send_modify(|calls| *calls -= 1);
    }
}

/// The tool that reads the next page of a long result.
pub(crate) fn read_result_tool() -> Tool {
    let schema = json!({
        "type": "object", "additionalProperties": false, "required": ["cursor"],
        "properties": { "cursor": {
            "type": "string", "description": "The cursor from the truncated result." } }
    });
    let schema = schema.as_object().cloned().unwrap_or_default();
    let what = "Read the next page of a result that was too long.";
    Tool::new(READ_RESULT_TOOL, what, schema)
        .with_title("Read the next page of a result")
        .with_annotations(ToolAnnotations::new().read_only(true).open_world(false))
}

/// A single text block.
pub(crate) fn text(text: impl Into<String>) -> Vec<ContentBlock> {
    vec![ContentBlock::text(text.into())]
}
