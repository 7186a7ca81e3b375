//! Asks a person to approve a client's call, in the client if possible and elsewhere otherwise,
//! and recognises the call when the client retries it.

use std::time::Duration;

use contract::{AskKind, Call, CallId};
use engine::{ApprovalRecord, CallOrigin};
use policy::ConversationId;
use rmcp::model::{
    BooleanSchema, CallToolResponse, ElicitRequest, ElicitRequestParams, ElicitResult,
    ElicitationAction, ElicitationSchema, InputRequest, InputRequiredResult, InputResponses,
    PrimitiveSchemaDefinition, ProtocolVersion,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::{Expected, Expiry, Json, Key};

use super::sealed_state::{CallState, StateKind, binding_of};
use crate::server::caller::Caller;
use crate::server::mcp_server::{Approvals, McpServer};

/// A client's call that may need an approval.
pub(crate) struct ClientCall<'a> {
    pub server: &'a McpServer,
    pub caller: &'a Caller,
    pub tool: &'a str,
    pub args: &'a Value,
}

/// How a client asks its user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AskMethod {
    /// Stateless protocol: the call ends with a question, and the client retries it with the
    /// answer.
    InputRequired,
    /// Session-based protocol: a request to the client while the call waits.
    Request,
}

/// The state of a retried call.
pub(crate) enum Resumed {
    Answered(CallOrigin, Call),
    /// The client sent no answer; this repeats the question.
    NoAnswer(CallToolResponse),
}

/// The key of the only question that an approval asks.
const QUESTION: &str = "approval";
const FIELD: &str = "approve";

/// A pending call, as stored.
#[derive(Serialize, Deserialize)]
struct PendingRecord {
    #[serde(rename = "room")]
    origin: CallOrigin,
    call: CallId,
}

/// How to ask this client, if it can be asked.
pub(crate) fn ask_method(context: &RequestContext<RoleServer>) -> Option<AskMethod> {
    let version = context.protocol_version()?;
    let is_new = version.as_str() >= ProtocolVersion::V_2026_07_28.as_str();
    Some(if is_new { AskMethod::InputRequired } else { AskMethod::Request })
}

impl ClientCall<'_> {
    /// How this client can ask for an approval.
    pub(crate) fn approval_method(
        &self,
        context: &RequestContext<RoleServer>,
    ) -> Option<AskMethod> {
        let can_ask = self.caller.can_ask.contains(&AskKind::Person);
        if self.is_asked_here() && can_ask { ask_method(context) } else { None }
    }

    /// Whether this client's approvals count. Both the server's options and the operator must say
    /// so.
    fn is_asked_here(&self) -> bool {
        let server = self.server.0.options.approvals;
        server == Approvals::AtClient && self.caller.principal.has_person()
    }

    /// The same call, if this client made it before and an approval is pending.
    pub(crate) async fn pending(&self) -> Option<(CallOrigin, Call)> {
        let entry = self.server.0.store.kv().get(&self.key()?).await.ok()??;
        let PendingRecord { origin, call } = entry.value.to().ok()?;
        Some((origin, self.call(call)))
    }

    /// Remembers the pending call until its approval expires.
    pub(crate) async fn remember(&self, asked: &ApprovalRecord) {
        let (Some(key), ApprovalRecord { origin, call, .. }) = (self.key(), asked) else { return };
        let pending = PendingRecord { origin: origin.clone(), call: call.id.clone() };
        let Ok(value) = Json::of(&pending) else { return };
        let expiry = Expiry::After(self.time_left(asked));
        if let Err(fault) = self.server.0.store.kv().set(&key, value, Expected::Any, expiry).await {
            tracing::warn!(%fault, "failed to store a pending call");
        }
    }

    /// The client has its answer: the next call with these arguments is a new one.
    pub(crate) async fn forget(&self) {
        let Some(key) = self.key() else { return };
        // The record expires anyway.
        let _ = self.server.0.store.kv().delete(&key, Expected::Any).await;
    }

    /// Ends this attempt with the question; the client retries with the answer.
    pub(crate) fn input_required(&self, asked: &ApprovalRecord) -> CallToolResponse {
        let carried = CallState::of(asked);
        let state = self.sealed(&carried, self.time_left(asked));
        required(&asked.request.preview, state)
    }

    /// Asks while the call waits. Returns whether the question was answered, yes or no.
    pub(crate) async fn request(
        &self,
        asked: &ApprovalRecord,
        context: &RequestContext<RoleServer>,
    ) -> bool {
        let time = self.time_left(asked);
        let params = question(&asked.request.preview);
        match context.peer.create_elicitation_with_timeout(params, Some(time)).await {
            Ok(result) => self.answer(&asked.request.id.0, &result).await,
            Err(fault) => {
                tracing::info!(%fault, "the client did not ask its user");
                false
            }
        }
    }

    /// Resumes a retried call. Accepts only state that we sealed for this very call.
    pub(crate) async fn take(
        &self,
        state: &str,
        responses: Option<&InputResponses>,
    ) -> Result<Resumed, ErrorData> {
        let bound = binding_of(self.caller, self.tool, self.args);
        let Some(carried) = self.server.0.sealer.open(state, bound.as_bytes()) else {
            let message = "requestState is not valid for this call or has expired; repeat the \
                               call without it";
            return Err(ErrorData::invalid_params(message, None));
        };
        let CallState { conversation, turn, call, about } = carried;
        let mut origin = self.server.origin(self.caller);
        origin.conversation = ConversationId(conversation);
        origin.turn = turn;
        let call = self.call(CallId(call));
        let request = match about {
            StateKind::Input(round) => {
                return self.take_input((origin, call), round, responses).await;
            }
            StateKind::Approval(request) => request,
        };
        let response = responses.and_then(|responses| responses.get(QUESTION));
        let response = response.and_then(|response| serde_json::from_value(response.clone()).ok());
        if let Some(result) = response.filter(|_| self.is_asked_here()) {
            self.answer(&request, &result).await;
            return Ok(Resumed::Answered(origin, call));
        }
        let open = self.server.0.engine.find_approval(&request).await;
        Ok(match open {
            Ok(asked) if self.is_asked_here() => Resumed::NoAnswer(self.input_required(&asked)),
            // This client may not answer: a person has to, elsewhere.
            Ok(_) => Resumed::Answered(origin, call),
            // It was answered elsewhere or has expired; the engine finds out which.
            Err(_) => Resumed::Answered(origin, call),
        })
    }

    /// Passes a person's answer to the engine. A dismissed dialogue is not an answer.
    async fn answer(&self, request: &str, result: &ElicitResult) -> bool {
        let said_yes = result.content.as_ref().and_then(|content| content.get(FIELD));
        let answer = match (&result.action, said_yes) {
            (ElicitationAction::Accept, Some(Value::Bool(true))) => "approve",
            (ElicitationAction::Accept | ElicitationAction::Decline, _) => "decline",
            _ => return false,
        };
        let payload = json!({ "request": request, "answer": answer }).to_string();
        match self.server.0.engine.answer(&payload).await {
            Ok(_) => true,
            Err(fault) => {
                tracing::info!(%fault, "an answer came too late");
                true
            }
        }
    }

    fn call(&self, id: CallId) -> Call {
        Call { id, tool: self.tool.to_owned(), args: self.args.clone() }
    }

    pub(crate) fn sealed(&self, carried: &CallState, ttl: Duration) -> Option<String> {
        let bound = binding_of(self.caller, self.tool, self.args);
        self.server.0.sealer.seal(carried, bound.as_bytes(), ttl)
    }

    fn time_left(&self, asked: &ApprovalRecord) -> Duration {
        let left = asked.request.expires_at.0.saturating_sub(self.server.0.engine.now().0);
        Duration::from_millis(left.max(1))
    }

    fn key(&self) -> Option<Key> {
        format!("mcp/pending/{}", binding_of(self.caller, self.tool, self.args)).parse().ok()
    }
}

fn question(preview: &str) -> ElicitRequestParams {
    let yes = BooleanSchema::new()
        .title("Run it")
        .description("Tick to let this call run once, as shown.");
    let schema = ElicitationSchema::builder()
        .required_property(FIELD, PrimitiveSchemaDefinition::Boolean(yes))
        .build_unchecked();
    ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: preview.to_owned(),
        requested_schema: schema,
    }
}

fn required(preview: &str, state: Option<String>) -> CallToolResponse {
    let request = InputRequest::Elicitation(ElicitRequest::new(question(preview)));
    let requests = [(QUESTION.to_owned(), request)].into();
    InputRequiredResult::new(Some(requests), state).into()
}
