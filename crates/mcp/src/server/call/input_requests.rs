//! What a handler wants to know, asked through the client: its person, its model, its
//! folders. Both eras carry the same questions and answers, one in requests while the call
//! waits, the other in results that end a try.

use std::collections::BTreeMap;
use std::time::Duration;

use contract::{Action, Ask as Question, AskKind, Asks, Call, ErrorType, HandlerAnswer, ToolError};
use engine::{CallOrigin, HandlerQuestions, QuestionFault, Settled, Waiting};
use rmcp::model::{
    CallToolResponse, ErrorCode, InputRequest, InputRequests, InputRequiredResult, InputResponses,
    ServerRequest,
};
use rmcp::service::{PeerRequestOptions, RequestContext};
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};

use super::approval::{Ask, Taken, Way, era};
use super::reply;
use super::seal::Carried;

/// How a round of questions went.
pub(super) enum Round {
    /// Every question has its answer: the call goes on.
    Answered,
    /// The client has to come back, or cannot be asked.
    Ends(Box<CallToolResponse>),
}

fn unfit(fault: &QuestionFault) -> ErrorData {
    ErrorData::invalid_params(fault.to_string(), None)
}

fn ends(reply: CallToolResponse) -> Round {
    Round::Ends(Box::new(reply))
}

/// How long a client may carry questions, and a person think.
const PATIENCE: Duration = Duration::from_secs(1_800);

impl Ask<'_> {
    /// Asks what the handler wants to know. What the client brought unasked counts first.
    pub(super) async fn input(
        &self,
        context: &RequestContext<RoleServer>,
        at: (&CallOrigin, &Call),
        (settled, wanted): (&Settled, &HandlerQuestions),
        brought: Option<InputResponses>,
    ) -> Result<Round, ErrorData> {
        let (origin, call) = at;
        let brought =
            brought.filter(|brought| wanted.asks.iter().any(|(n, _)| brought.contains_key(n)));
        let way = era(context);
        let missing = self.missing(&wanted.asks);
        if missing.contains(&AskKind::Person) && !self.caller.principal.has_person() {
            return Ok(ends(in_words(settled)));
        }
        let responses = match (brought, way) {
            (Some(brought), _) => brought,
            (None, Some(Way::InputRequired)) if !missing.is_empty() => {
                return Err(lacks(&missing, settled));
            }
            (None, Some(Way::InputRequired)) => {
                return Ok(ends(self.questions(origin, call, wanted)));
            }
            (None, Some(Way::Request)) if missing.is_empty() => {
                match request(context, &wanted.asks).await {
                    Some(responses) => responses,
                    None => return Ok(ends(in_words(settled))),
                }
            }
            (None, Some(Way::Request) | None) => return Ok(ends(in_words(settled))),
        };
        match (self.give(origin, call, wanted, &responses).await, way) {
            (Ok(None), _) => Ok(Round::Answered),
            (Ok(Some(rest)), Some(Way::InputRequired)) => {
                Ok(ends(self.questions(origin, call, &rest)))
            }
            (Err(fault), Some(Way::InputRequired)) => Err(unfit(&fault)),
            (Ok(Some(_)), Some(Way::Request) | None) => Ok(ends(in_words(settled))),
            (Err(fault), Some(Way::Request) | None) => {
                let message = format!("What the client answered cannot be used. {fault}");
                let error = ToolError::before_start(ErrorType::Validation, message);
                Ok(ends(reply::failure(&error).into()))
            }
        }
    }

    /// Takes what a client brought back for questions that ended an earlier try.
    pub(super) async fn take_input(
        &self,
        (origin, call): (CallOrigin, Call),
        round: u32,
        responses: Option<&InputResponses>,
    ) -> Result<Taken, ErrorData> {
        let Some(wanted) = self.door.0.engine.wanted(&origin, &call).await else {
            // They have their answers, or are too old: the handler says which.
            return Ok(Taken::Answered(origin, call));
        };
        let responses = responses.filter(|_| wanted.round == round);
        let open = match responses {
            Some(responses) => self.give(&origin, &call, &wanted, responses).await,
            None => Ok(Some(wanted)),
        };
        match open {
            Ok(Some(open)) => Ok(Taken::NoAnswer(self.questions(&origin, &call, &open))),
            Ok(None) => Ok(Taken::Answered(origin, call)),
            Err(fault) => Err(unfit(&fault)),
        }
    }

    async fn give(
        &self,
        origin: &CallOrigin,
        call: &Call,
        wanted: &HandlerQuestions,
        responses: &InputResponses,
    ) -> Result<Option<HandlerQuestions>, QuestionFault> {
        let mut given = BTreeMap::new();
        for (name, question) in wanted.asks.iter() {
            let Some(response) = responses.get(name) else { continue };
            let is_for_person = matches!(question, Question::Person { .. });
            if is_for_person && !self.caller.principal.has_person() {
                let why = "a person has to answer, and the operator has not said that this \
                           client asks one (`asks_a_person = true` of its token)";
                return Err(QuestionFault::Unfit { name: name.to_owned(), why: why.to_owned() });
            }
            let unfit = || QuestionFault::Unfit {
                name: name.to_owned(),
                why: "the response is not what this question is answered with".to_owned(),
            };
            let replied = replied(question, response).ok_or_else(unfit)?;
            given.insert(name.to_owned(), replied);
        }
        self.door.0.engine.answer_input(origin, call, &given).await
    }

    /// Ends this try with the questions; the client brings the answers with the next one.
    fn questions(
        &self,
        origin: &CallOrigin,
        call: &Call,
        wanted: &HandlerQuestions,
    ) -> CallToolResponse {
        let carried = Carried::of_input(origin, call, wanted.round);
        let requests: InputRequests = wanted
            .asks
            .iter()
            .filter_map(|(name, question)| {
                let request: InputRequest = serde_json::from_value(spelled(question)).ok()?;
                Some((name.to_owned(), request))
            })
            .collect();
        let state = self.sealed(&carried, PATIENCE);
        InputRequiredResult::new(Some(requests), state).into()
    }

    /// The kinds that this client cannot be asked.
    fn missing(&self, asks: &Asks) -> Vec<AskKind> {
        asks.kinds().into_iter().filter(|kind| !self.caller.can_ask.contains(kind)).collect()
    }
}

/// Asks one by one while the call waits; none if the client did not answer.
async fn request(context: &RequestContext<RoleServer>, asks: &Asks) -> Option<InputResponses> {
    let mut responses = InputResponses::new();
    for (name, question) in asks.iter() {
        let request: ServerRequest = serde_json::from_value(spelled(question)).ok()?;
        let options = PeerRequestOptions::with_timeout(PATIENCE);
        let asked = async {
            context.peer.send_request_with_option(request, options).await?.await_response().await
        };
        let answer = tokio::select! {
            answer = asked => answer,
            () = context.ct.cancelled() => return None,
        };
        match answer {
            Ok(answer) => {
                responses.insert(name.to_owned(), serde_json::to_value(answer).ok()?);
            }
            Err(fault) => {
                tracing::info!(%fault, "the client did not answer a question of a tool");
                return None;
            }
        }
    }
    Some(responses)
}

/// A question as the protocol spells it, in both eras.
fn spelled(question: &Question) -> Value {
    match question {
        Question::Person { message, schema } => json!({
            "method": "elicitation/create",
            "params": { "message": message, "requestedSchema": schema },
        }),
        Question::Model { message, system, max_tokens } => {
            let content = json!({ "type": "text", "text": message });
            let mut params = json!({
                "messages": [{ "role": "user", "content": content }], "maxTokens": max_tokens,
            });
            if let (Value::Object(params), Some(system)) = (&mut params, system) {
                params.insert("systemPrompt".to_owned(), json!(system));
            }
            json!({ "method": "sampling/createMessage", "params": params })
        }
        Question::Folders => json!({ "method": "roots/list" }),
    }
}

/// What a client answered, in the words of handlers.
fn replied(question: &Question, response: &Value) -> Option<HandlerAnswer> {
    let accepted = |content: Value| Some(HandlerAnswer { action: Action::Accept, content });
    match question {
        Question::Person { .. } => {
            let action: Action = response.get("action")?.as_str()?.parse().ok()?;
            Some(HandlerAnswer {
                action,
                content: response.get("content").cloned().unwrap_or_default(),
            })
        }
        Question::Model { .. } => accepted(json!({ "text": text_of(response.get("content")?)? })),
        Question::Folders => accepted(json!({ "folders": response.get("roots")? })),
    }
}

/// The text of one content block, or of several.
fn text_of(content: &Value) -> Option<String> {
    match content.as_array() {
        Some(blocks) => blocks.iter().map(text_of).collect(),
        None => content.get("text")?.as_str().map(str::to_owned),
    }
}

/// The client cannot be asked: the model reads what is wanted, and asks in words.
fn in_words(settled: &Settled) -> CallToolResponse {
    let error = settled.outcome.as_ref().err().cloned();
    let error = error.unwrap_or_else(|| ToolError::broken("the tool asked nothing"));
    reply::failure(&error).into()
}

fn lacks(missing: &[AskKind], settled: &Settled) -> ErrorData {
    let name = |kind: &AskKind| match kind {
        AskKind::Person => "elicitation",
        AskKind::Model => "sampling",
        AskKind::Folders => "roots",
    };
    let required: serde_json::Map<_, _> =
        missing.iter().map(|kind| (name(kind).to_owned(), json!({}))).collect();
    let said = settled.outcome.as_ref().err().map(|error| error.message.clone());
    let message = said.unwrap_or_else(|| "the tool has to ask".to_owned());
    let data = json!({ "requiredCapabilities": required });
    ErrorData::new(ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY, message, Some(data))
}

/// Is a client's call waiting for what its handler asked?
pub(super) fn wanted(settled: &Settled) -> Option<&HandlerQuestions> {
    match &settled.waiting {
        Some(Waiting::Input(wanted)) => Some(wanted),
        Some(Waiting::Approval(_) | Waiting::InDoubt(_)) | None => None,
    }
}

#[cfg(test)]
mod tests;
