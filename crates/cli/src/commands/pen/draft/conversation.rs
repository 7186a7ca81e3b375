//! The conversation of a session: turns with the model, calls of the program, and the draft's log.

use std::sync::Arc;

use contract::{Call, CallId, Mode, Model, Sampling};
use conversation::{
    Conversation, ConversationEvent, Conversations, EndReason, EventRecord, Opened, PromptForm,
    TurnOptions, TurnResult,
};
use engine::{CallOrigin, Cancel, Engine, Settled, Waiting};
use models::{PriceTier, cost};
use pen::session::{self, DraftEvent, EventKind, ToolFailure, ToolResult};
use policy::ConversationId;
use serde_json::{Value, json};

use super::super::context::PenContext;
use super::super::draft_store::{DraftStore, new_id};
use super::super::preview::Preview;
use crate::commands::chat::conversation_failure;
use crate::exit::Failure;
use crate::wiring::engine_setup::EngineArgs;

/// Maximum rounds of tool calls for one draft.
const ROUNDS_MAX: u32 = 6;

pub(super) struct EngineConversation {
    engine: Engine,
    conversations: Conversations,
    drafts: DraftStore,
    model: Arc<dyn Model>,
    id: ConversationId,
    preview: Arc<Preview>,
    /// The unpacked contracts, kept while the engine is open.
    _tools: tempfile::TempDir,
    calls: u32,
    turns: u64,
    /// The last event that was read.
    seen: u64,
}

impl EngineConversation {
    /// A new conversation, or the one of this draft.
    pub(super) fn open(
        ctx: &PenContext,
        model: Arc<dyn Model>,
        preview: Arc<Preview>,
        id: Option<String>,
    ) -> Result<Self, Failure> {
        let tools = tempfile::tempdir()?;
        pen::tools::unpack(tools.path())?;
        let args = EngineArgs { dir: Some(tools.path().to_owned()), store: None, rules: None };
        let engine = args.open_unlocked(&ctx.config)?;
        let id = id.unwrap_or_else(|| new_id(engine.now().0, std::process::id()));
        let drafts = DraftStore::new(engine.shared_store());
        let conversations = Conversations::new(engine.clone());
        Ok(Self {
            engine,
            conversations,
            drafts,
            model,
            id: ConversationId(id),
            preview,
            _tools: tools,
            calls: 0,
            turns: 0,
            seen: 0,
        })
    }

    /// The model must not save or change anything in a session; the author does.
    async fn decline_all(&self) -> Result<(), Failure> {
        for asked in self.engine.open_approvals().await? {
            if asked.origin.conversation == self.id {
                let reason = "The program saves and changes the profile after the author's word.";
                let payload =
                    json!({ "request": asked.request.id, "answer": "decline", "reason": reason });
                self.engine.answer(&payload.to_string()).await?;
            }
        }
        Ok(())
    }

    async fn answer(&self, how: EndReason) -> Result<String, Failure> {
        match how {
            EndReason::Answered | EndReason::CutOff | EndReason::TooManyRounds => {
                let talk = self.talk().await?;
                let rounds = talk.turns.last().map(|turn| turn.rounds.as_slice());
                let last = rounds.into_iter().flatten().next_back();
                Ok(last.map(|round| round.reply.text()).unwrap_or_default())
            }
            EndReason::Refused { text } => Err(Failure::message(
                format!("the model refused: {text}"),
                "ask for something else, or use another model",
            )),
            EndReason::NoAnswer => {
                Err(Failure::message("the model gave no answer", "ask again, or use another model"))
            }
            EndReason::Cancelled | EndReason::MovedOn => {
                Err(Failure::message("stopped", "run it again when you like"))
            }
            EndReason::Failed { fault } => Err(Failure::message(fault.message, fault.fix)),
        }
    }

    fn call(&mut self, tool: &str, args: Value) -> (CallOrigin, Call) {
        self.calls += 1;
        // Unique over all sessions of the draft: a known id would be taken for a repeated call.
        let id = CallId(format!("{}-{}-{}", self.id.0, self.engine.now().0, self.calls));
        let origin = CallOrigin {
            conversation: self.id.clone(),
            client: "ghostpen".to_owned(),
            mode: Mode::Text,
            turn: self.turns,
            somebody_to_ask: true,
            can_ask: Vec::new(),
            model: Some(self.model.facts().to_string()),
            active: true,
        };
        (origin, Call { id, tool: tool.to_owned(), args })
    }

    async fn talk(&self) -> Result<Conversation, Failure> {
        self.conversations.get(&self.id).await.map_err(conversation_failure)
    }

    pub(super) async fn close(&self) {
        self.preview.clear();
        self.conversations.flush().await;
    }
}

impl session::Conversation for EngineConversation {
    type Fault = Failure;

    async fn begin(&mut self, system: String) -> Result<(), Failure> {
        let opened = Opened {
            client: "ghostpen".to_owned(),
            mode: Mode::Text,
            model: self.model.facts().to_string(),
            system,
            rounds_max: ROUNDS_MAX,
            prompt: PromptForm::InResult,
        };
        self.conversations.open(&self.id, opened).await.map_err(conversation_failure)
    }

    async fn ask(&mut self, message: &str) -> Result<String, Failure> {
        self.turns =
            self.conversations.say(&self.id, message).await.map_err(conversation_failure)?;
        let cancel = Cancel::default();
        let by = TurnOptions {
            model: Arc::clone(&self.model),
            observer: self.preview.clone(),
            cancel: cancel.clone(),
            output_tokens_max: None,
            sampling: Sampling::default(),
        };
        loop {
            let turn = self.conversations.run_turn(&self.id, &by);
            tokio::pin!(turn);
            let end = loop {
                tokio::select! {
                    end = &mut turn => break end.map_err(conversation_failure)?,
                    _ = tokio::signal::ctrl_c() => cancel.cancel(),
                }
            };
            self.preview.clear();
            match end {
                TurnResult::Waiting => self.decline_all().await?,
                TurnResult::Ended(how) => return self.answer(how).await,
                TurnResult::Nothing | TurnResult::Left => return Ok(String::new()),
            }
        }
    }

    async fn run(&mut self, tool: &str, args: Value) -> ToolResult {
        let (origin, call) = self.call(tool, args);
        to_result(self.engine.settle(&origin, &call).await)
    }

    async fn run_approved(&mut self, tool: &str, args: Value) -> Result<ToolResult, Failure> {
        let (origin, call) = self.call(tool, args);
        let settled = self.engine.settle(&origin, &call).await;
        let Some(Waiting::Approval(asked)) = &settled.waiting else {
            return Ok(to_result(settled));
        };
        let payload = json!({ "request": asked.request.id, "answer": "approve" }).to_string();
        let asked = self.engine.answer(&payload).await?;
        Ok(to_result(self.engine.resume(&asked).await))
    }

    async fn last_results(&self, tool: &str) -> Result<Vec<Value>, Failure> {
        let talk = self.talk().await?;
        let rounds = talk.turns.last().into_iter().flat_map(|turn| &turn.rounds);
        let settled = rounds.flat_map(|round| round.settled.values());
        Ok(settled.filter(|one| one.call.tool == tool).map(|one| one.content.clone()).collect())
    }

    async fn new_events(&mut self) -> Result<Vec<(EventKind, Value)>, Failure> {
        let records = self.conversations.events(&self.id).await.map_err(conversation_failure)?;
        let fresh: Vec<EventRecord> =
            records.into_iter().filter(|one| one.sequence > self.seen).collect();
        self.seen = fresh.last().map_or(self.seen, |last| last.sequence);
        Ok(fresh.into_iter().flat_map(|record| logged(&record.event)).collect())
    }

    async fn spent(&self) -> Result<(contract::Usage, Option<f64>), Failure> {
        let usage = self.talk().await?.usage;
        let money = cost(self.model.facts(), &usage, PriceTier::Live).map(|cost| cost.dollars());
        Ok((usage, money))
    }

    async fn keep(&mut self, event: &DraftEvent) -> Result<(), Failure> {
        self.drafts.append(&self.id.0, event).await
    }
}

/// The result of a call, or why it failed.
fn to_result(settled: Settled) -> ToolResult {
    settled.outcome.map_err(|error| ToolFailure { message: error.message, data: error.details })
}

fn logged(event: &ConversationEvent) -> Vec<(EventKind, Value)> {
    match event {
        ConversationEvent::Replied { reply, .. } => {
            let data = json!({ "model": reply.model, "usage": reply.usage, "stop": reply.stop });
            vec![(EventKind::ApiCall, data)]
        }
        ConversationEvent::Settled { settled, .. } => {
            let call = json!({ "tool": settled.call.tool, "args": settled.call.args });
            let result = json!({ "tool": settled.call.tool, "verdict": settled.verdict,
                                 "result": settled.content });
            vec![(EventKind::ToolCall, call), (EventKind::ToolResult, result)]
        }
        ConversationEvent::Ended { how: EndReason::Failed { fault }, .. } => {
            vec![(EventKind::Error, json!({ "message": fault.message }))]
        }
        ConversationEvent::Opened(_)
        | ConversationEvent::Said { .. }
        | ConversationEvent::Offered { .. }
        | ConversationEvent::Dashboard { .. }
        | ConversationEvent::Partial { .. }
        | ConversationEvent::BrokeOff { .. }
        | ConversationEvent::Streamed { .. }
        | ConversationEvent::LeftOut { .. }
        | ConversationEvent::Noticed { .. }
        | ConversationEvent::Voice { .. }
        | ConversationEvent::Asked { .. }
        | ConversationEvent::InDoubt { .. }
        | ConversationEvent::TakenBack { .. }
        | ConversationEvent::Ended { .. } => Vec::new(),
    }
}
