//! Asks the client what a handler wants to know: its user (elicitation), its model (sampling) or
//! its folders (roots).
//!
//! Both protocols carry the same questions and answers: session-based in requests while the call
//! waits, stateless in results that end an attempt.

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

use super::approval::{AskMethod, ClientCall, Resumed, ask_method};
use super::call_result;
use super::sealed_state::CallState;

/// The result of one round of questions.
pub(crate) enum Round {
    /// Every question is answered, so the call continues.
    Answered,
    /// The client has to retry, or cannot be asked.
    Ends(Box<CallToolResponse>),
}

fn unfit(fault: &QuestionFault) -> ErrorData {
    ErrorData::invalid_params(fault.to_string(), None)
}

fn end_attempt(call_result: CallToolResponse) -> Round {
    Round::Ends(Box::new(call_result))
}

/// How long a client may keep the questions, including the time a person takes.
const ANSWER_MAX: Duration = Duration::from_secs(1_800);

impl ClientCall<'_> {
    /// Asks what the handler wants to know. Answers that the client already sent count first.
    pub(crate) async fn input(
        &self,
        context: &RequestContext<RoleServer>,
        at: (&CallOrigin, &Call),
        (settled, wanted): (&Settled, &HandlerQuestions),
        sent: Option<InputResponses>,
    ) -> Result<Round, ErrorData> {
        let (origin, call) = at;
        let sent = sent.filter(|sent| wanted.asks.iter().any(|(n, _)| sent.contains_key(n)));
        let method = ask_method(context);
        let missing = self.missing(&wanted.asks);
        if missing.contains(&AskKind::Person) && !self.caller.principal.has_person() {
            return Ok(end_attempt(as_error(settled)));
        }
        let responses = match (sent, method) {
            (Some(sent), _) => sent,
            (None, Some(AskMethod::InputRequired)) if !missing.is_empty() => {
                return Err(missing_capabilities(&missing, settled));
            }
            (None, Some(AskMethod::InputRequired)) => {
                return Ok(end_attempt(self.questions(origin, call, wanted)));
            }
            (None, Some(AskMethod::Request)) if missing.is_empty() => {
                match request(context, &wanted.asks).await {
                    Some(responses) => responses,
                    None => return Ok(end_attempt(as_error(settled))),
                }
            }
            (None, Some(AskMethod::Request) | None) => return Ok(end_attempt(as_error(settled))),
        };
        match (self.give(origin, call, wanted, &responses).await, method) {
            (Ok(None), _) => Ok(Round::Answered),
            (Ok(Some(rest)), Some(AskMethod::InputRequired)) => {
                Ok(end_attempt(self.questions(origin, call, &rest)))
            }
            (Err(fault), Some(AskMethod::InputRequired)) => Err(unfit(&fault)),
            (Ok(Some(_)), Some(AskMethod::Request) | None) => Ok(end_attempt(as_error(settled))),
            (Err(fault), Some(AskMethod::Request) | None) => {
                let message = format!("The client's answer is not valid. {fault}");
                let error = ToolError::before_start(ErrorType::Validation, message);
                Ok(end_attempt(call_result::failure(&error).into()))
            }
        }
    }

    /// Resumes a call with the answers to the questions of an earlier attempt.
    pub(crate) async fn take_input(
        &self,
        (origin, call): (CallOrigin, Call),
        round: u32,
        responses: Option<&InputResponses>,
    ) -> Result<Resumed, ErrorData> {
        let Some(wanted) = self.server.0.engine.open_questions(&origin, &call).await else {
            // They are answered or have expired; the handler finds out which.
            return Ok(Resumed::Answered(origin, call));
        };
        let responses = responses.filter(|_| wanted.round == round);
        let open = match responses {
            Some(responses) => self.give(&origin, &call, &wanted, responses).await,
            None => Ok(Some(wanted)),
        };
        match open {
            Ok(Some(open)) => Ok(Resumed::NoAnswer(self.questions(&origin, &call, &open))),
            Ok(None) => Ok(Resumed::Answered(origin, call)),
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
        let mut answers = BTreeMap::new();
        for (name, question) in wanted.asks.iter() {
            let Some(response) = responses.get(name) else { continue };
            let is_for_person = matches!(question, Question::Person { .. });
            if is_for_person && !self.caller.principal.has_person() {
                let why = "a person has to answer, but the operator has not declared that this \
                           client asks one (`asks_a_person = true` of its token)";
                return Err(QuestionFault::Unfit { name: name.to_owned(), why: why.to_owned() });
            }
            let unfit = || QuestionFault::Unfit {
                name: name.to_owned(),
                why: "the response does not match the question".to_owned(),
            };
            let replied = replied(question, response).ok_or_else(unfit)?;
            answers.insert(name.to_owned(), replied);
        }
        self.server.0.engine.answer_input(origin, call, &answers).await
    }

    /// Ends this attempt with the questions; the client retries with the answers.
    fn questions(
        &self,
        origin: &CallOrigin,
        call: &Call,
        wanted: &HandlerQuestions,
    ) -> CallToolResponse {
        let carried = CallState::of_input(origin, call, wanted.round);
        let requests: InputRequests = wanted
            .asks
            .iter()
            .filter_map(|(name, question)| {
                let request: InputRequest = serde_json::from_value(spelled(question)).ok()?;
                Some((name.to_owned(), request))
            })
            .collect();
        let state = self.sealed(&carried, ANSWER_MAX);
        InputRequiredResult::new(Some(requests), state).into()
    }

    /// The kinds of questions that this client cannot answer.
    fn missing(&self, asks: &Asks) -> Vec<AskKind> {
        asks.kinds().into_iter().filter(|kind| !self.caller.can_ask.contains(kind)).collect()
    }
}

/// Asks one question after the other while the call waits; `None` if the client does not answer.
async fn request(context: &RequestContext<RoleServer>, asks: &Asks) -> Option<InputResponses> {
    let mut responses = InputResponses::new();
    for (name, question) in asks.iter() {
        let request: ServerRequest = serde_json::from_value(spelled(question)).ok()?;
        let options = PeerRequestOptions::with_timeout(ANSWER_MAX);
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

/// A question as both protocols encode it.
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

/// A client's answer as handlers receive it.
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

/// The text of one content block or of several.
fn text_of(content: &Value) -> Option<String> {
    match content.as_array() {
        Some(blocks) => blocks.iter().map(text_of).collect(),
        None => content.get("text")?.as_str().map(str::to_owned),
    }
}

/// The client cannot be asked: the model gets the questions as an error and asks the user itself.
fn as_error(settled: &Settled) -> CallToolResponse {
    let error = settled.outcome.as_ref().err().cloned();
    let error = error.unwrap_or_else(|| ToolError::broken("the tool asked nothing"));
    call_result::failure(&error).into()
}

fn missing_capabilities(missing: &[AskKind], settled: &Settled) -> ErrorData {
    let name = |kind: &AskKind| match kind {
        AskKind::Person => "elicitation",
        AskKind::Model => "sampling",
        AskKind::Folders => "roots",
    };
    let required: serde_json::Map<_, _> =
        missing.iter().map(|kind| (name(kind).to_owned(), json!({}))).collect();
    let message = settled.outcome.as_ref().err().map(|error| error.message.clone());
    let message = message.unwrap_or_else(|| "the tool has to ask".to_owned());
    let data = json!({ "requiredCapabilities": required });
    ErrorData::new(ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY, message, Some(data))
}

/// The questions that a call waits for, if any.
pub(crate) fn wanted(settled: &Settled) -> Option<&HandlerQuestions> {
    match &settled.waiting {
        Some(Waiting::Input(wanted)) => Some(wanted),
        Some(Waiting::Approval(_) | Waiting::InDoubt(_)) | None => None,
    }
}

#[cfg(test)]
mod tests;
