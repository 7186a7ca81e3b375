//! The road of one call from a client: found, settled by the engine, answered.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use contract::{Call, CallId, ErrorType, ToolError};
use engine::{ApprovalRecord, CallContext, CallOrigin, Cancel, PaidBy, Settled, Waiting};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, JsonObject, Tool,
    ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};

use super::approval::{Ask, Taken, Way};
use super::caller::Caller;
use super::door::Door;
use super::facade::Through;
use super::input::{Round, wanted};
use super::pieces::{self, READ_ON};
use super::reply;
use super::shelf::Item;
use super::told::Told;
use super::voice::Voice;

impl Door {
    /// Every branch of a call is on this screen.
    pub(super) async fn call(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let caller = Caller::of(&context);
        let shelf = self.shelf();
        let request = match self.through_facade(request, &shelf, &caller) {
            Through::Call(request) => request,
            Through::Answer(answer) => return Ok(answer.into()),
        };
        let item = shelf.items.get(request.name.as_ref());
        let Some(item) = item.filter(|item| caller.principal.tools.allows(item.id())) else {
            return match request.name == READ_ON {
                true => Ok(self.read_on(&caller, request.arguments).await.into()),
                false => Err(self.unknown_tool(&request.name, &caller)),
            };
        };
        let args = Value::Object(request.arguments.unwrap_or_default());
        let ask = Ask { door: self, caller: &caller, tool: item.id(), args: &args };
        let mut was_asked = true;
        let mut brought = request.input_responses;
        let (origin, call) = match request.request_state {
            Some(state) => match ask.take(&state, brought.take().as_ref()).await? {
                Taken::Answered(origin, call) => (origin, call),
                Taken::NoAnswer(again) => return Ok(again),
            },
            None => self.pending(&ask, item).await.unwrap_or_else(|| {
                was_asked = false;
                (self.origin(&caller), self.new_call(item, &args))
            }),
        };
        let told = Told::default();
        let mut settled = match self.settle(&context, &origin, &call, &told).await {
            Ok(settled) => settled,
            Err(broken) => return Ok(broken.into()),
        };
        while let Some(wanted) = wanted(&settled) {
            let at = (&origin, &call);
            match ask.input(&context, at, (&settled, wanted), brought.take()).await? {
                Round::Ends(reply) => return Ok(*reply),
                Round::Answered => {
                    settled = match self.settle(&context, &origin, &call, &told).await {
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
            match ask.way(&context) {
                None => return Ok(self.ask_elsewhere(&settled, asked)),
                Some(Way::InputRequired) => return Ok(ask.input_required(asked)),
                Some(Way::Request) => {
                    if !ask.request(asked, &context).await {
                        return Ok(self.ask_elsewhere(&settled, asked));
                    }
                    settled = match self.settle(&context, &origin, &call, &told).await {
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
        Ok(told.beside(answer, self.0.options.result_bytes_max).into())
    }

    fn ask_elsewhere(&self, settled: &Settled, asked: &ApprovalRecord) -> CallToolResponse {
        let time = self.0.engine.time_to_answer(asked);
        reply::ask_elsewhere(settled, asked, &time, &self.0.options).into()
    }

    /// The same call if it waits. The store is not asked about calls that hardly ever do.
    async fn pending(&self, ask: &Ask<'_>, item: &Item) -> Option<(CallOrigin, Call)> {
        let is_possible = item.may_ask() || self.0.asked_about_reading.load(Ordering::Relaxed);
        if is_possible { ask.pending().await } else { None }
    }

    fn new_call(&self, item: &Item, args: &Value) -> Call {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let (now, number) = (self.0.engine.now().0, NUMBER.fetch_add(1, Ordering::Relaxed));
        let id = format!("mcp-{now}-{}-{number}", std::process::id());
        Call { id: CallId(id), tool: item.id().to_owned(), args: args.clone() }
    }

    /// Settles on a task of its own: a client that goes away stops the handler, and what
    /// happened is still written down.
    async fn settle(
        &self,
        context: &RequestContext<RoleServer>,
        origin: &CallOrigin,
        call: &Call,
        told: &Told,
    ) -> Result<Settled, CallToolResult> {
        let token = context.meta.get_progress_token();
        let cancel = Cancel::default();
        let call_context = CallContext {
            surface: Arc::new(Voice::new(
                context.peer.clone(),
                token,
                self.log_floor(context),
                &call.tool,
                told.clone(),
            )),
            cancel: cancel.clone(),
            paid_by: PaidBy::Turn,
        };
        let stopper = Stopper(cancel);
        let (engine, origin, call) = (self.0.engine.clone(), origin.clone(), call.clone());
        let id = call.id.clone();
        let counted = Counted::one(self);
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
        joined.map_err(|fault| reply::broken(&id, &fault.to_string()))
    }

    async fn answer(&self, caller: &Caller, item: &Item, settled: &Settled) -> CallToolResult {
        let data = match &settled.outcome {
            Ok(data) => data,
            Err(error) => {
                // The caller knows the tool by the name it was listed under.
                let message = error.message.replace(item.id(), &item.listed.name);
                return reply::failure(&ToolError { message, ..error.clone() });
            }
        };
        let text = reply::text_of(data);
        let max = self.0.options.result_bytes_max;
        if text.len() <= max {
            return reply::success(data, text);
        }
        let cut = pieces::cut(&text, max);
        let cursor = pieces::keep(self.0.store.as_ref(), caller, &cut).await;
        let first = cut.first().copied().unwrap_or_default();
        let promised = item.listed.output_schema.is_some();
        reply::first_piece(first, text.len(), cursor.as_deref(), promised)
    }

    async fn read_on(&self, caller: &Caller, args: Option<JsonObject>) -> CallToolResult {
        let cursor = args.as_ref().and_then(|args| args.get("cursor")?.as_str());
        let found = match cursor {
            Some(cursor) => pieces::read(self.0.store.as_ref(), caller, cursor).await,
            None => None,
        };
        match found {
            Some(piece) => reply::piece(piece),
            None => {
                let message = "There is nothing at this cursor (any more). Give the cursor of a \
                               result that was cut, or call the tool again.";
                reply::failure(&ToolError::before_start(ErrorType::NotFound, message))
            }
        }
    }
}

/// Stops the handler when the client's request is dropped.
struct Stopper(Cancel);

impl Drop for Stopper {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// A call that is being settled, for as long as this lives.
struct Counted(Door);

impl Counted {
    fn one(door: &Door) -> Self {
        door.0.calls.send_modify(|calls| *calls += 1);
        Self(door.clone())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.0.calls.send_modify(|calls| *calls -= 1);
    }
}

/// The tool that reads on in a result that was cut.
pub(super) fn read_on_tool() -> Tool {
    let schema = json!({
        "type": "object", "additionalProperties": false, "required": ["cursor"],
        "properties": { "cursor": {
            "type": "string", "description": "The cursor that the cut result named." } }
    });
    let schema = schema.as_object().cloned().unwrap_or_default();
    let what = "Read the next piece of a result that was cut because it was too long.";
    Tool::new(READ_ON, what, schema)
        .with_title("Read on in a long result")
        .with_annotations(ToolAnnotations::new().read_only(true).open_world(false))
}

/// A text as the only content.
pub(super) fn text(text: impl Into<String>) -> Vec<ContentBlock> {
    vec![ContentBlock::text(text.into())]
}
