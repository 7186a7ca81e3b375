//! A conversation with a model that uses a tool in every turn.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, Result, ensure};
use contract::{
    Block, Call, CallId, Delta, Deltas, Mode, Model, ModelFacts, Part, Reply, ReplyFuture, Request,
    Sampling, StopReason, Usage,
};
use conversation::{
    ConversationEvent, Conversations, EndReason, LiveEvent, Opened, PromptForm, TurnObserver,
    TurnOptions, TurnResult,
};
use engine::{Cancel, Engine};
use fake_providers::{FakeProvider, Turn};
use policy::ConversationId;
use serde_json::json;

use super::CALLED;
use crate::http::Connection;
use crate::measure::rounds::Lane;

/// After so many turns a conversation begins another conversation.
const TURNS_MAX: u64 = 10;
const ROUNDS_MAX: u32 = 8;

/// Says something and waits for the answer, again and again.
pub(crate) struct BenchConversation {
    conversations: Conversations,
    by: TurnOptions,
    /// What the server answers is put there before each turn.
    script: Option<(Arc<FakeProvider>, u64)>,
    name: u64,
    turns: u64,
}

static TALKERS: AtomicU64 = AtomicU64::new(0);

impl BenchConversation {
    pub(crate) fn new(engine: &Engine, model: Arc<dyn Model>) -> Self {
        let by = TurnOptions {
            model,
            observer: Arc::new(Nobody),
            cancel: Cancel::default(),
            output_tokens_max: None,
            sampling: Sampling::default(),
            can_ask: Vec::new(),
        };
        let name = TALKERS.fetch_add(1, Ordering::Relaxed);
        Self { conversations: Conversations::new(engine.clone()), by, script: None, name, turns: 0 }
    }

    /// Before each turn the server is told to call the tool so often and then to answer.
    pub(crate) fn scripted(self, provider: &Arc<FakeProvider>, calls: u64) -> Self {
        Self { script: Some((Arc::clone(provider), calls)), ..self }
    }
}

impl Lane for BenchConversation {
    async fn call(&mut self) -> Result<()> {
        if let Some((provider, calls)) = &self.script {
            provider.script(answers(*calls));
        }
        let id = ConversationId(format!("turn-{}-{}", self.name, self.turns / TURNS_MAX));
        if self.turns.is_multiple_of(TURNS_MAX) {
            self.conversations.open(&id, opened(self.by.model.facts())).await?;
        }
        self.turns += 1;
        self.conversations.say(&id, "What is the sum?").await?;
        let end = self.conversations.run_turn(&id, &self.by).await?;
        ensure!(end == TurnResult::Ended(EndReason::Answered), "the turn was answered: {end:?}");
        Ok(())
    }
}

fn opened(facts: &ModelFacts) -> Opened {
    Opened {
        client: "bench".to_owned(),
        mode: Mode::Text,
        model: facts.to_string(),
        system: super::SYSTEM.to_owned(),
        rounds_max: ROUNDS_MAX,
        prompt: PromptForm::InResult,
    }
}

/// What the server says in one turn.
pub(crate) fn answers(calls: u64) -> impl Iterator<Item = Turn> {
    (0..calls)
        .map(|number| Turn::calls(CALLED, json!({"a": number, "b": 1})))
        .chain(std::iter::once(Turn::says("There it is.")))
}

/// A model that knows at once: so many calls of the tool, then an answer. For one conversation.
pub(crate) struct InstantModel {
    facts: ModelFacts,
    calls: u64,
    asked: AtomicU64,
}

impl InstantModel {
    pub(crate) fn new(calls: u64) -> Arc<Self> {
        let facts = ModelFacts {
            provider: "instant".into(),
            model: "instant".into(),
            wire: None,
            rungs: Vec::new(),
            output_tokens_max: None,
        };
        Arc::new(Self { facts, calls, asked: AtomicU64::new(0) })
    }

    fn reply(&self) -> Reply {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed);
        let (block, stop) = if asked % (self.calls + 1) < self.calls {
            let id = CallId(format!("call-{asked:012}"));
            let args = json!({"a": asked, "b": 1});
            (Part::Call(Call { id, tool: CALLED.to_owned(), args }).into(), StopReason::ToolUse)
        } else {
            (Block::text("There it is."), StopReason::EndTurn)
        };
        let usage = Usage { input: 12, output: 5, ..Usage::default() };
        Reply { blocks: vec![block], stop, usage, model: "instant".to_owned(), shaped: None }
    }
}

impl Model for InstantModel {
    fn facts(&self) -> &ModelFacts {
        &self.facts
    }

    fn ask<'a>(&'a self, _request: &'a Request, deltas: Deltas<'a>) -> ReplyFuture<'a> {
        Box::pin(async move {
            let reply = self.reply();
            deltas(Delta::Text(reply.text()));
            Ok(reply)
        })
    }
}

struct Nobody;

impl TurnObserver for Nobody {
    fn live(&self, _heard: LiveEvent) {}
    fn event(&self, _event: &ConversationEvent) {}
}

/// Sends the bodies of one turn to the server and does nothing with the answers: what the
/// server and the loopback take.
pub(crate) struct BareLane {
    provider: Arc<FakeProvider>,
    bodies: Arc<Vec<Vec<u8>>>,
    connection: Option<Connection>,
}

impl BareLane {
    pub(crate) fn new(provider: &Arc<FakeProvider>, bodies: &Arc<Vec<Vec<u8>>>) -> Self {
        let (provider, bodies) = (Arc::clone(provider), Arc::clone(bodies));
        Self { provider, bodies, connection: None }
    }
}

impl Lane for BareLane {
    async fn call(&mut self) -> Result<()> {
        let connection = match &mut self.connection {
            Some(connection) => connection,
            none => none.insert(Connection::open(self.provider.address()).await?),
        };
        let calls = self.bodies.len().checked_sub(1).context("a turn has rounds")?;
        self.provider.script(answers(u64::try_from(calls)?));
        for body in self.bodies.iter() {
            connection.post("/v1/chat/completions", body).await?;
        }
        Ok(())
    }
}
