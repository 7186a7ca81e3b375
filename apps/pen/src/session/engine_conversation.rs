//! The conversation of a session over the engine: turns with the model, calls of the program, and
//! the draft's log. The terminal and the page use the same one.
//!
//! Must hold: the model cannot save or change anything; without a model everything but
//! [`Conversation::ask`] works.

use std::sync::Arc;

use contract::{BoxFuture, Call, CallId, Mode, Model, Sampling, Usage};
use conversation::{
    Conversation as Talk, ConversationEvent, ConversationFault, Conversations, EndReason,
    EventRecord, Opened, PromptForm, TurnObserver, TurnOptions, TurnResult,
};
use engine::{ApprovalFault, CallOrigin, Cancel, Engine, PaidBy, Settled, Waiting};
use models::{PriceTier, cost};
use policy::ConversationId;
use serde_json::{Value, json};

use super::draft_store::{DraftStore, StoredDraftFault};
use super::model_fault::model_fault;
use super::ports::Conversation;
use super::{DraftEvent, EventKind, ToolFailure, ToolResult};
use crate::text::language::Lang;

/// Maximum rounds of tool calls for one draft.
const ROUNDS_MAX: u32 = 6;
const CLIENT: &str = "ghostpen";

/// Watches the turns of the model, and can stop them.
pub trait TurnControl: Send + Sync {
    fn observer(&self) -> Arc<dyn TurnObserver>;

    /// Resolves when the author wants the running turn to stop.
    fn stop_wanted(&self) -> BoxFuture<'static, ()>;

    /// A turn has ended; its preview is not needed any more.
    fn turn_ended(&self);
}

/// Why a turn, a call or the draft's log failed.
#[derive(Debug)]
pub enum TurnFault {
    Conversation(ConversationFault),
    Approval(ApprovalFault),
    Draft(StoredDraftFault),
    /// In the author's language.
    Told {
        what: String,
        fix: String,
    },
}

/// What a conversation needs.
pub struct ConversationSetup<F> {
    /// An engine with Ghostpen's nine tools.
    pub engine: Engine,
    /// None if there is no key; then nothing can be asked.
    pub model: Option<Arc<dyn Model>>,
    pub control: Arc<dyn TurnControl>,
    pub lang: Lang,
    /// A fault as one of the caller.
    pub to_fault: fn(TurnFault) -> F,
}

pub struct EngineConversation<F> {
    setup: ConversationSetup<F>,
    conversations: Conversations,
    drafts: DraftStore,
    id: ConversationId,
    calls: u32,
    turns: u64,
    /// The last event that was read.
    seen: u64,
}

impl<F> EngineConversation<F> {
    /// The conversation of the draft with this id.
    pub fn open(setup: ConversationSetup<F>, id: String) -> Self {
        let drafts = DraftStore::new(setup.engine.shared_store());
        let conversations = Conversations::new(setup.engine.clone());
        let id = ConversationId(id);
        Self { setup, conversations, drafts, id, calls: 0, turns: 0, seen: 0 }
    }

    /// Texts are in this language from now on.
    pub fn speak(&mut self, lang: Lang) {
        self.setup.lang = lang;
    }

    pub async fn close(&self) {
        self.setup.control.turn_ended();
        self.conversations.flush().await;
    }

    fn fault(&self, fault: TurnFault) -> F {
        (self.setup.to_fault)(fault)
    }

    fn conversation_fault(&self, fault: ConversationFault) -> F {
        self.fault(TurnFault::Conversation(fault))
    }

    fn told(&self, what: impl Into<String>, fix: impl Into<String>) -> F {
        self.fault(TurnFault::Told { what: what.into(), fix: fix.into() })
    }

    /// The model must not save or change anything in a session; the author does.
    async fn decline_all(&self) -> Result<(), F> {
        let approval = |fault| self.fault(TurnFault::Approval(fault));
        for asked in self.setup.engine.open_approvals().await.map_err(approval)? {
            if asked.origin.conversation == self.id {
                let reason = "The program saves and changes the profile after the author's word.";
                let payload =
                    json!({ "request": asked.request.id, "answer": "decline", "reason": reason });
                self.setup.engine.answer(&payload.to_string()).await.map_err(approval)?;
            }
        }
        Ok(())
    }

    async fn answer(&self, how: EndReason) -> Result<String, F> {
        let lang = self.setup.lang;
        match how {
            EndReason::Answered | EndReason::CutOff | EndReason::TooManyRounds => {
                let talk = self.talk().await?;
                let rounds = talk.turns.last().map(|turn| turn.rounds.as_slice());
                let last = rounds.into_iter().flatten().next_back();
                Ok(last.map(|round| round.reply.text()).unwrap_or_default())
            }
            EndReason::Refused { text } => {
                let what = lang.fill("ask.refused", &[("text", &text)]);
                Err(self.told(what, lang.say("ask.refused_fix")))
            }
            EndReason::NoAnswer => {
                Err(self.told(lang.say("ask.no_answer"), lang.say("ask.no_answer_fix")))
            }
            EndReason::Cancelled | EndReason::MovedOn => {
                Err(self.told(lang.say("ask.stopped"), lang.say("ask.stopped_fix")))
            }
            EndReason::Failed { fault } => {
                let (what, fix) = model_fault(&fault, lang);
                Err(self.told(what, fix))
            }
        }
    }

    fn call(&mut self, tool: &str, args: Value) -> (CallOrigin, Call) {
        self.calls += 1;
        // Unique over all sessions of the draft: a known id would be taken for a repeated call.
        let id = CallId(format!("{}-{}-{}", self.id.0, self.setup.engine.now().0, self.calls));
        let origin = CallOrigin {
            conversation: self.id.clone(),
            client: CLIENT.to_owned(),
            mode: Mode::Text,
            turn: self.turns,
            somebody_to_ask: true,
            can_ask: Vec::new(),
            model: self.setup.model.as_ref().map(|model| model.facts().to_string()),
            active: true,
        };
        (origin, Call { id, tool: tool.to_owned(), args })
    }

    /// The author's own call: it uses up no turn of the model, however often a draft is taken up.
    async fn settle(&self, origin: &CallOrigin, call: &Call) -> Settled {
        let engine = &self.setup.engine;
        engine.settle_on(&engine.context(PaidBy::Person), origin, call).await
    }

    async fn talk(&self) -> Result<Arc<Talk>, F> {
        let talk = self.conversations.get(&self.id).await;
        talk.map_err(|fault| self.conversation_fault(fault))
    }

    /// Runs the open turn until it has an answer.
    async fn answered(&self, options: &TurnOptions) -> Result<String, F> {
        loop {
            match self.run_turn(options).await? {
                TurnResult::Waiting => self.decline_all().await?,
                TurnResult::Ended(how) => return self.answer(how).await,
                TurnResult::Nothing | TurnResult::Left => return Ok(String::new()),
            }
        }
    }

    /// Runs the open turn until it ends, waits, or the author stops it.
    async fn run_turn(&self, options: &TurnOptions) -> Result<TurnResult, F> {
        let turn = self.conversations.run_turn(&self.id, options);
        tokio::pin!(turn);
        let mut stop = self.setup.control.stop_wanted();
        let end = loop {
            tokio::select! {
                end = &mut turn => break end,
                () = &mut stop => {
                    options.cancel.cancel();
                    stop = Box::pin(std::future::pending());
                }
            }
        };
        self.setup.control.turn_ended();
        end.map_err(|fault| self.conversation_fault(fault))
    }
}

impl<F> Conversation for EngineConversation<F> {
    type Fault = F;

    async fn begin(&mut self, system: String) -> Result<(), F> {
        let model = self.setup.model.as_ref();
        let opened = Opened {
            client: CLIENT.to_owned(),
            mode: Mode::Text,
            model: model.map_or_else(|| "none".to_owned(), |model| model.facts().to_string()),
            system,
            rounds_max: ROUNDS_MAX,
            prompt: PromptForm::InResult,
        };
        let opened = self.conversations.open(&self.id, opened).await;
        opened.map_err(|fault| self.conversation_fault(fault))
    }

    async fn ask(&mut self, message: &str) -> Result<String, F> {
        let Some(model) = self.setup.model.clone() else {
            let lang = self.setup.lang;
            return Err(self.told(lang.say("draft.no_model"), lang.say("draft.no_model_fix")));
        };
        let said = self.conversations.say(&self.id, message).await;
        self.turns = said.map_err(|fault| self.conversation_fault(fault))?;
        let options = TurnOptions {
            model,
            observer: self.setup.control.observer(),
            cancel: Cancel::default(),
            output_tokens_max: None,
            sampling: Sampling::default(),
            can_ask: Vec::new(),
        };
        let answer = self.answered(&options).await;
        // Another program may go on with the draft at once.
        self.conversations.flush().await;
        answer
    }

    async fn run(&mut self, tool: &str, args: Value) -> ToolResult {
        let (origin, call) = self.call(tool, args);
        to_result(self.settle(&origin, &call).await)
    }

    async fn run_approved(&mut self, tool: &str, args: Value) -> Result<ToolResult, F> {
        let (origin, call) = self.call(tool, args);
        let settled = self.settle(&origin, &call).await;
        let Some(Waiting::Approval(asked)) = &settled.waiting else {
            return Ok(to_result(settled));
        };
        let payload = json!({ "request": asked.request.id, "answer": "approve" }).to_string();
        let asked = self.setup.engine.answer(&payload).await;
        let asked = asked.map_err(|fault| self.fault(TurnFault::Approval(fault)))?;
        Ok(to_result(self.settle(&asked.origin, &asked.call).await))
    }

    async fn last_results(&self, tool: &str) -> Result<Vec<Value>, F> {
        let talk = self.talk().await?;
        let rounds = talk.turns.last().into_iter().flat_map(|turn| &turn.rounds);
        let settled = rounds.flat_map(|round| round.settled.values());
        Ok(settled.filter(|one| one.call.tool == tool).map(|one| one.content.clone()).collect())
    }

    async fn new_events(&mut self) -> Result<Vec<(EventKind, Value)>, F> {
        let records = self.conversations.events(&self.id).await;
        let records = records.map_err(|fault| self.conversation_fault(fault))?;
        let fresh: Vec<EventRecord> =
            records.into_iter().filter(|one| one.sequence > self.seen).collect();
        self.seen = fresh.last().map_or(self.seen, |last| last.sequence);
        Ok(fresh.into_iter().flat_map(|record| logged(&record.event)).collect())
    }

    async fn spent(&self) -> Result<(Usage, Option<f64>), F> {
        let usage = self.talk().await?.usage;
        let price = |model: &Arc<dyn Model>| cost(model.facts(), &usage, PriceTier::Live);
        let money = self.setup.model.as_ref().and_then(price).map(|cost| cost.dollars());
        Ok((usage, money))
    }

    async fn keep(&mut self, event: &DraftEvent) -> Result<(), F> {
        let kept = self.drafts.append(&self.id.0, event).await;
        kept.map_err(|fault| self.fault(TurnFault::Draft(fault)))
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
        | ConversationEvent::SettingsChanged { .. }
        | ConversationEvent::Said { .. }
        | ConversationEvent::Offered { .. }
        | ConversationEvent::Dashboard { .. }
        | ConversationEvent::Partial { .. }
        | ConversationEvent::BrokeOff { .. }
        | ConversationEvent::Streamed { .. }
        | ConversationEvent::LeftOut { .. }
        | ConversationEvent::Noticed { .. }
        | ConversationEvent::Asked { .. }
        | ConversationEvent::Questioned { .. }
        | ConversationEvent::InDoubt { .. }
        | ConversationEvent::Voice { .. }
        | ConversationEvent::TakenBack { .. }
        | ConversationEvent::SentAgain { .. }
        | ConversationEvent::Chosen { .. }
        | ConversationEvent::TakenOver
        | ConversationEvent::Superseded
        | ConversationEvent::Ended { .. } => Vec::new(),
    }
}
