//! Asking a person about a call that came from a client: in the client, if it can ask,
//! or elsewhere; and knowing the call again when the client comes back with it.

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

use super::caller::Caller;
use super::door::{Approvals, Door};
use super::seal::{About, Carried, bond};

/// One call that may have to be asked about.
pub(super) struct Ask<'a> {
    pub door: &'a Door,
    pub caller: &'a Caller,
    pub tool: &'a str,
    pub args: &'a Value,
}

/// How a client can ask its person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// The new era: the call ends with a question and comes back with the answer.
    InputRequired,
    /// The old era: a request to the client while the call waits.
    Request,
}

/// What a client brought back.
pub(super) enum Taken {
    Answered(CallOrigin, Call),
    /// It brought no answer; the question again.
    NoAnswer(CallToolResponse),
}

/// The one question of a call.
const QUESTION: &str = "approval";
const FIELD: &str = "approve";

/// A call that waits, as the store knows it.
#[derive(Serialize, Deserialize)]
struct Pending {
    #[serde(rename = "room")]
    origin: CallOrigin,
    call: CallId,
}

/// How this client is asked, if it can be.
pub(super) fn era(context: &RequestContext<RoleServer>) -> Option<Way> {
    let version = context.protocol_version()?;
    let is_new = version.as_str() >= ProtocolVersion::V_2026_07_28.as_str();
    Some(if is_new { Way::InputRequired } else { Way::Request })
}

impl Ask<'_> {
    /// How the client can ask whether the call may run.
    pub(super) fn way(&self, context: &RequestContext<RoleServer>) -> Option<Way> {
        let can_ask = self.caller.can_ask.contains(&AskKind::Person);
        if self.is_asked_here() && can_ask { era(context) } else { None }
    }

    /// Does a yes of this client count? Only where the door and the operator say so.
    fn is_asked_here(&self) -> bool {
        let door = self.door.0.options.approvals;
        door == Approvals::AtClient && self.caller.principal.has_person()
    }

    /// The same call, if this client made it before and a person was asked about it.
    pub(super) async fn pending(&self) -> Option<(CallOrigin, Call)> {
        let entry = self.door.0.store.kv().get(&self.key()?).await.ok()??;
        let Pending { origin, call } = entry.value.to().ok()?;
        Some((origin, self.call(call)))
    }

    /// Remembers that this call waits, for as long as the answer can count.
    pub(super) async fn remember(&self, asked: &ApprovalRecord) {
        let (Some(key), ApprovalRecord { origin, call, .. }) = (self.key(), asked) else { return };
        let pending = Pending { origin: origin.clone(), call: call.id.clone() };
        let Ok(value) = Json::of(&pending) else { return };
        let expiry = Expiry::After(self.time_left(asked));
        if let Err(fault) = self.door.0.store.kv().set(&key, value, Expected::Any, expiry).await {
            tracing::warn!(%fault, "a waiting call was not remembered");
        }
    }

    /// The client has its answer: the next call like this one is another.
    pub(super) async fn forget(&self) {
        let Some(key) = self.key() else { return };
        // What stays ends by itself.
        let _ = self.door.0.store.kv().delete(&key, Expected::Any).await;
    }

    /// Ends this try with the question; the client brings the answer with the next one.
    pub(super) fn input_required(&self, asked: &ApprovalRecord) -> CallToolResponse {
        let carried = Carried::of(asked);
        let state = self.sealed(&carried, self.time_left(asked));
        required(&asked.request.preview, state)
    }

    /// Asks while the call waits. Says whether there is an answer now, yes or no.
    pub(super) async fn request(
        &self,
        asked: &ApprovalRecord,
        context: &RequestContext<RoleServer>,
    ) -> bool {
        let time = self.time_left(asked);
        let params = question(&asked.request.preview);
        match context.peer.create_elicitation_with_timeout(params, Some(time)).await {
            Ok(result) => self.answer(&asked.request.id.0, &result).await,
            Err(fault) => {
                tracing::info!(%fault, "the client did not ask its person");
                false
            }
        }
    }

    /// Takes what a client brought back: only our own seal for this very call counts.
    pub(super) async fn take(
        &self,
        state: &str,
        responses: Option<&InputResponses>,
    ) -> Result<Taken, ErrorData> {
        let bound = bond(self.caller, self.tool, self.args);
        let Some(carried) = self.door.0.seals.open(state, bound.as_bytes()) else {
            let message = "requestState was not made here for this call, or is too old; make the \
                           call again without it";
            return Err(ErrorData::invalid_params(message, None));
        };
        let Carried { conversation, turn, call, about } = carried;
        let mut origin = self.door.origin(self.caller);
        origin.conversation = ConversationId(conversation);
        origin.turn = turn;
        let call = self.call(CallId(call));
        let request = match about {
            About::Input(round) => return self.take_input((origin, call), round, responses).await,
            About::Approval(request) => request,
        };
        let given = responses.and_then(|responses| responses.get(QUESTION));
        let given = given.and_then(|given| serde_json::from_value(given.clone()).ok());
        if let Some(result) = given.filter(|_| self.is_asked_here()) {
            self.answer(&request, &result).await;
            return Ok(Taken::Answered(origin, call));
        }
        let open = self.door.0.engine.find_approval(&request).await;
        Ok(match open {
            Ok(asked) if self.is_asked_here() => Taken::NoAnswer(self.input_required(&asked)),
            // Whoever may not answer waits for a person elsewhere.
            Ok(_) => Taken::Answered(origin, call),
            // It was answered elsewhere, or is too old: the engine says which.
            Err(_) => Taken::Answered(origin, call),
        })
    }

    /// Hands a person's answer to the engine. A dialogue that was closed is no answer.
    async fn answer(&self, request: &str, result: &ElicitResult) -> bool {
        let said_yes = result.content.as_ref().and_then(|content| content.get(FIELD));
        let answer = match (&result.action, said_yes) {
            (ElicitationAction::Accept, Some(Value::Bool(true))) => "approve",
            (ElicitationAction::Accept | ElicitationAction::Decline, _) => "decline",
            _ => return false,
        };
        let payload = json!({ "request": request, "answer": answer }).to_string();
        match self.door.0.engine.answer(&payload).await {
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

    pub(super) fn sealed(&self, carried: &Carried, ttl: Duration) -> Option<String> {
        let bound = bond(self.caller, self.tool, self.args);
        self.door.0.seals.seal(carried, bound.as_bytes(), ttl)
    }

    fn time_left(&self, asked: &ApprovalRecord) -> Duration {
        let left = asked.request.expires_at.0.saturating_sub(self.door.0.engine.now().0);
        Duration::from_millis(left.max(1))
    }

    fn key(&self) -> Option<Key> {
        format!("mcp/pending/{}", bond(self.caller, self.tool, self.args)).parse().ok()
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
