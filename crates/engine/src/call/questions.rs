//! A handler's questions and their answers so far, stored by call, so that any process can
//! continue.
//!
//! Must hold: an answer reaches a handler only if it fits the question, and only in the call
//! that asked: the same tool, unchanged, with the same arguments.

mod by_model;

use std::collections::BTreeMap;
use std::time::Duration;

use contract::{
    Action, Answers, Ask, Asks, Call, CallId, Digest, ErrorType, HandlerAnswer, ToolError,
    canonical_bytes,
};
use dialect::{Arguments, UnknownArguments};
use policy::{ConversationId, Guard, GuardFault, Reason, RuleId, VerdictKind};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::{Change, Expected, Expiry, Json, Pages, Revision, StoreFault, Subscription};

use crate::call::facts::Facts;
use crate::call::origin::CallOrigin;
use crate::call::settle::{Settled, Waiting};
use crate::engine::Engine;
use crate::store_keys;

/// The open questions of a handler.
#[derive(Debug, Clone, PartialEq)]
pub struct HandlerQuestions {
    pub asks: Asks,
    /// How often it has asked, including this time.
    pub round: u32,
}

/// Why an answer was not accepted.
#[derive(Debug, thiserror::Error)]
pub enum QuestionFault {
    #[error("this call has no open question, or the question expired; call it again")]
    NotAsked,
    #[error("`{name}`: {why}")]
    Unfit { name: String, why: String },
    #[error("the question was answered elsewhere at the same time")]
    AlreadyAnswered,
    #[error("the answer cannot be stored: {0}")]
    Store(String),
}

/// The questions and answers of one call, as stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct StoredQuestions {
    tool: Digest,
    args: Digest,
    round: u32,
    open: BTreeMap<String, Ask>,
    answers: Answers,
    /// None in what an older version stored.
    #[serde(default)]
    call: Option<AskingCall>,
}

/// A call whose handler asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskingCall {
    pub client: String,
    pub conversation: ConversationId,
    pub call: CallId,
    pub tool: String,
}

/// How long a question waits for its answer, and how long the answer then counts.
const KEPT_FOR: Duration = Duration::from_secs(3_600);
/// The largest form, the longest answer of a model, the most folders.
const FORM_BYTES_MAX: usize = 64 << 10;
const TEXT_BYTES_MAX: usize = 256 << 10;
const FOLDERS_MAX: usize = 64;

impl Engine {
    /// The open questions of a call; none if there are none.
    pub async fn open_questions(
        &self,
        origin: &CallOrigin,
        call: &Call,
    ) -> Option<HandlerQuestions> {
        let (stored, _) = self.load_input(origin, call).await.ok()??;
        stored.open_questions()
    }

    /// The calls of a client that have open questions, over all conversations; at most `max`.
    pub async fn asking_calls(
        &self,
        client: &str,
        max: usize,
    ) -> Result<Vec<(AskingCall, HandlerQuestions)>, StoreFault> {
        let prefix = store_keys::inputs()?;
        let (mut found, mut pages) = (Vec::new(), Pages::of(200));
        while let Some(request) = pages.request() {
            for entry in pages.items(self.store().kv().list(&prefix, request).await?) {
                let stored: Option<StoredQuestions> = entry.value.to().ok();
                let open = stored.as_ref().and_then(StoredQuestions::open_questions);
                let call = stored.and_then(|stored| stored.call);
                found.extend(call.filter(|call| call.client == client).zip(open));
                if found.len() >= max {
                    return Ok(found);
                }
            }
        }
        Ok(found)
    }

    /// Every change of handlers' questions from now on, of all clients.
    pub async fn watch_questions(&self) -> Result<Subscription<Change>, StoreFault> {
        let kv = self.store().kv();
        kv.watch(&store_keys::inputs()?, kv.revision().await?).await
    }

    /// Whose question changed; none if that is unknown.
    pub fn asking_client(change: &Change) -> Option<String> {
        let Change::Set(entry) = change else { return None };
        let stored: StoredQuestions = entry.value.to().ok()?;
        stored.call.map(|call| call.client)
    }

    /// Deletes the questions of a call that will not be made.
    pub async fn withdraw_questions(
        &self,
        conversation: &ConversationId,
        call: &CallId,
    ) -> Result<(), StoreFault> {
        let key = store_keys::input(conversation, call)?;
        self.store().kv().delete(&key, Expected::Any).await.map(|_| ())
    }

    /// Accepts answers to a handler's questions, and returns the questions that are still open.
    /// Answers to anything else are ignored.
    pub async fn answer_input(
        &self,
        origin: &CallOrigin,
        call: &Call,
        given: &BTreeMap<String, HandlerAnswer>,
    ) -> Result<Option<HandlerQuestions>, QuestionFault> {
        let broken = |fault: StoreFault| QuestionFault::Store(fault.to_string());
        let found = self.load_input(origin, call).await.map_err(broken)?;
        let (mut stored, revision) = found.ok_or(QuestionFault::NotAsked)?;
        if stored.open.is_empty() {
            return Err(QuestionFault::NotAsked);
        }
        for (name, replied) in given {
            let Some(ask) = stored.open.get(name) else { continue };
            let unfit = |why| QuestionFault::Unfit { name: name.clone(), why };
            let replied = fitted(ask, replied).map_err(unfit)?;
            stored.open.remove(name);
            stored.answers.0.insert(name.clone(), replied);
        }
        match self.store_input(origin, call, &stored, Expected::Revision(revision)).await {
            Ok(()) => Ok(stored.open_questions()),
            Err(StoreFault::Conflict { .. }) => Err(QuestionFault::AlreadyAnswered),
            Err(fault) => Err(broken(fault)),
        }
    }

    /// The answers of this call.
    pub(crate) async fn answers_of(
        &self,
        origin: &CallOrigin,
        call: &Call,
        tool: Digest,
    ) -> Guard<Answers> {
        let found = self.load_input(origin, call).await;
        let found = found.map_err(|fault| GuardFault(format!("the answers: {fault}")))?;
        let ours = found.map(|(stored, _)| stored).filter(|stored| stored.is_for(tool, call));
        Ok(ours.map(|stored| stored.answers).unwrap_or_default())
    }

    /// Stores a handler's questions and settles the call with them; nothing has happened.
    pub(crate) async fn wait_for_input(
        &self,
        facts: &Facts<'_>,
        asks: Asks,
        settled: &mut Settled,
    ) {
        settled.verdict = VerdictKind::Ask;
        settled.intents.clear();
        settled.artifacts.clear();
        let outcome = match self.next_round(facts, &asks).await {
            Ok(questions) => {
                settled.waiting = Some(Waiting::Input(Box::new(questions)));
                needs_input(&settled.tool, &asks)
            }
            Err(error) => error,
        };
        let people = format!("`{}` asks before it does anything", settled.tool);
        settled.reason = Reason::new(RuleId::INPUT, people, outcome.message.clone());
        settled.outcome = Err(outcome);
    }

    async fn next_round(
        &self,
        facts: &Facts<'_>,
        asks: &Asks,
    ) -> Result<HandlerQuestions, ToolError> {
        let (origin, call) = (facts.origin, facts.call);
        let broken = |why: String| {
            tracing::warn!(why, "failed to store a handler's question");
            let message = "The tool has a question that could not be asked; nothing has happened.";
            ToolError::before_start(ErrorType::Internal, message)
        };
        let Ok(Some(prepared)) = &facts.prepared else {
            return Err(broken("the tool is gone".to_owned()));
        };
        let found =
            self.load_input(origin, call).await.map_err(|fault| broken(fault.to_string()))?;
        let (before, expected) = match found {
            Some((stored, revision)) => (Some(stored), Expected::Revision(revision)),
            None => (None, Expected::Absent),
        };
        let before = before.filter(|stored| stored.is_for(prepared.digest, call));
        let round = before.as_ref().map_or(0, |stored| stored.round) + 1;
        if round > Answers::ROUNDS_MAX {
            let most = Answers::ROUNDS_MAX;
            let message =
                format!("The tool has asked {most} times without an end; it was stopped.");
            return Err(ToolError::before_start(ErrorType::Permanent, message));
        }
        let stored = StoredQuestions {
            tool: prepared.digest,
            args: Digest::of(&canonical_bytes(&call.args)),
            round,
            open: asks.iter().map(|(name, ask)| (name.to_owned(), ask.clone())).collect(),
            answers: before.map(|stored| stored.answers).unwrap_or_default(),
            call: Some(AskingCall {
                client: origin.client.clone(),
                conversation: origin.conversation.clone(),
                call: call.id.clone(),
                tool: call.tool.clone(),
            }),
        };
        let written = self.store_input(origin, call, &stored, expected).await;
        written.map_err(|fault| broken(fault.to_string()))?;
        Ok(HandlerQuestions { asks: asks.clone(), round })
    }

    /// Deletes the questions and answers of a conversation.
    pub(crate) async fn delete_questions(&self, id: &ConversationId) -> Result<(), StoreFault> {
        let prefix = store_keys::inputs_of(id)?;
        let mut pages = Pages::of(200);
        while let Some(request) = pages.request() {
            for key in pages.items(self.store().kv().keys(&prefix, request).await?) {
                self.store().kv().delete(&key, Expected::Any).await?;
            }
        }
        Ok(())
    }

    async fn load_input(
        &self,
        origin: &CallOrigin,
        call: &Call,
    ) -> Result<Option<(StoredQuestions, Revision)>, StoreFault> {
        let key = store_keys::input(&origin.conversation, &call.id)?;
        let Some(entry) = self.store().kv().get(&key).await? else { return Ok(None) };
        Ok(Some((entry.value.to()?, entry.revision)))
    }

    async fn store_input(
        &self,
        origin: &CallOrigin,
        call: &Call,
        stored: &StoredQuestions,
        expected: Expected,
    ) -> Result<(), StoreFault> {
        let key = store_keys::input(&origin.conversation, &call.id)?;
        let json = Json::of(stored)?;
        self.store().kv().set(&key, json, expected, Expiry::After(KEPT_FOR)).await.map(|_| ())
    }
}

impl StoredQuestions {
    fn open_questions(&self) -> Option<HandlerQuestions> {
        let asks = Asks::rest(self.open.clone())?;
        Some(HandlerQuestions { asks, round: self.round })
    }

    fn is_for(&self, tool: Digest, call: &Call) -> bool {
        self.tool == tool && self.args == Digest::of(&canonical_bytes(&call.args))
    }
}

/// An answer as the handler will see it, or why it does not fit.
fn fitted(ask: &Ask, replied: &HandlerAnswer) -> Result<HandlerAnswer, String> {
    let HandlerAnswer { action, content } = replied;
    if *action != Action::Accept {
        return Ok(HandlerAnswer { action: *action, content: Value::Null });
    }
    let content = match ask {
        Ask::Person { schema, .. } => {
            let mut closed = schema.clone();
            if let Value::Object(closed) = &mut closed {
                closed.insert("additionalProperties".to_owned(), false.into());
            }
            let form = Arguments::compile(&closed).map_err(|fault| fault.to_string())?;
            let content = if content.is_null() { json!({}) } else { content.clone() };
            if content.to_string().len() > FORM_BYTES_MAX {
                return Err(format!("the answer has more than {FORM_BYTES_MAX} bytes"));
            }
            form.check(content, UnknownArguments::Strip)
                .map_err(|rejection| rejection.to_string())?
                .args
        }
        Ask::Model { .. } => {
            let text = content.get("text").and_then(Value::as_str);
            let text = text.filter(|text| text.len() <= TEXT_BYTES_MAX);
            json!({ "text": text.ok_or("the model's answer is not text, or is too long")? })
        }
        Ask::Folders => {
            let folders = content.get("folders").and_then(Value::as_array);
            let folders = folders.filter(|folders| folders.len() <= FOLDERS_MAX);
            let folders: Option<Vec<_>> =
                folders.and_then(|folders| folders.iter().map(folder).collect());
            json!({ "folders": folders.ok_or("these are not folders, or there are too many")? })
        }
    };
    Ok(HandlerAnswer { action: Action::Accept, content })
}

fn folder(folder: &Value) -> Option<Value> {
    let text = |field: &str| folder.get(field)?.as_str().filter(|text| text.len() <= 4_096);
    Some(json!({ "uri": text("uri")?, "name": text("name") }))
}

/// What the model reads if nobody else can be asked.
fn needs_input(tool: &str, asks: &Asks) -> ToolError {
    let question = |(name, ask): (&str, &Ask)| match ask {
        Ask::Person { message, schema } => {
            let fields = schema.get("properties").and_then(Value::as_object);
            let fields: Vec<_> = fields.into_iter().flatten().map(field).collect();
            format!("{name}: {message} ({})", fields.join(", "))
        }
        Ask::Model { .. } => format!("{name}: a model has to answer, and none can be asked here"),
        Ask::Folders => format!("{name}: in which folders the user works"),
    };
    let questions: Vec<_> = asks.iter().map(question).collect();
    let message = format!(
        "`{tool}` needs input before it can run; nothing has happened. {} Ask the user, and call \
         it again with what they say in its arguments, if they have a place for it.",
        questions.join("; ")
    );
    let error = ToolError::before_start(ErrorType::Validation, message);
    error.with_details(json!({ "asks": asks }))
}

fn field((name, field): (&String, &Value)) -> String {
    let kind = field.get("type").and_then(Value::as_str).unwrap_or("text");
    format!("{name}: {kind}")
}
