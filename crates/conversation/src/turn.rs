//! One turn: from a person's message to the end of the answer.
//!
//! A turn decides nothing from memory: it reads the next step from the [`Conversation`], does it,
//! and writes the event. So another process can continue after any event.

pub(crate) mod join;
pub(crate) mod left_out;
pub(crate) mod live_event;
pub(crate) mod partial;
pub(crate) mod prompt;
pub(crate) mod turn_tools;
pub(crate) mod unrun_calls;

use std::collections::BTreeSet;
use std::sync::Arc;

use contract::{
    AskKind, Call, Chunk, Delta, Digest, Model, ModelFault, Part, RejectedTool, Reply, Request,
    Sampling, ToolChoice, ToolOffer,
};
use engine::{CallContext, CallOrigin, Cancel, PaidBy};
use policy::{ConversationId, RuleId};
use serde_json::json;

use crate::conversations::Conversations;
use crate::conversations::lease::LeaseGuard;
use crate::event::{ConversationEvent, EndReason, LeftOutTool, PartialKind, SettledCall};
use crate::event_writer::{EventSink, EventWriter};
use crate::fault::{ConversationFault, bad_name};
use crate::state::{Conversation, NextStep, ToolUse, TurnState, WaitsFor};
use crate::store_keys;
use join::join_all;
use left_out::OfferTarget;
use live_event::LiveEvent;
use partial::PartialBuffer;
use prompt::messages;
use turn_tools::{CallEnd, EngineTools, OfferHistory, TurnTools};
use unrun_calls::unmade;

/// Observes a turn. Called immediately, in order; must not block.
pub trait TurnObserver: Send + Sync {
    fn live(&self, event: LiveEvent);
    fn event(&self, event: &ConversationEvent);
}

/// Ignores everything.
pub struct NoObserver;

impl TurnObserver for NoObserver {
    fn live(&self, _event: LiveEvent) {}
    fn event(&self, _event: &ConversationEvent) {}
}

/// What a turn runs with: the model, the observer, and the cancellation signal.
#[derive(Clone)]
pub struct TurnOptions {
    pub model: Arc<dyn Model>,
    pub observer: Arc<dyn TurnObserver>,
    pub cancel: Cancel,
    /// The maximum length of one answer; by default the model's own limit.
    pub output_tokens_max: Option<u32>,
    pub sampling: Sampling,
    /// Whom handlers can ask here. Without a person, their questions are told to the model.
    pub can_ask: Vec<AskKind>,
}

/// How a run of a turn ended.
#[derive(Debug, Clone, PartialEq)]
pub enum TurnResult {
    /// No turn was open.
    Nothing,
    Ended(EndReason),
    /// A person has to act first; then the turn continues.
    Waiting,
    /// The program ends; the next one resumes the turn from its log.
    Left,
}

impl Conversations {
    /// The status reports of tools in this conversation.
    pub async fn dashboard(&self, origin: &CallOrigin) -> String {
        let (engine, lease) = (self.engine.clone(), self.engine.registry().lease());
        let settings = self.get(&origin.conversation).await.unwrap_or_default().settings.clone();
        let (attachments, observer) = (self.attachments.clone(), Arc::new(NoObserver));
        EngineTools { engine, lease, attachments, observer, settings }.dashboard(origin).await
    }

    /// Runs the open turn of a conversation, from where its log ends.
    pub async fn run_turn(
        &self,
        id: &ConversationId,
        options: &TurnOptions,
    ) -> Result<TurnResult, ConversationFault> {
        let lease = self.lease(id).await?;
        let tools = EngineTools {
            engine: self.engine.clone(),
            lease: self.engine.registry().lease(),
            attachments: self.attachments.clone(),
            observer: Arc::clone(&options.observer),
            settings: self.get(id).await?.settings.clone(),
        };
        let end = self.run_turn_with(id, options, &tools, &lease).await;
        match end {
            Ok(TurnResult::Left) => lease.leave().await,
            Ok(_) | Err(_) => lease.release().await,
        }
        end
    }

    async fn run_turn_with(
        &self,
        id: &ConversationId,
        options: &TurnOptions,
        tools: &dyn TurnTools,
        lease: &LeaseGuard,
    ) -> Result<TurnResult, ConversationFault> {
        let conversation = Arc::unwrap_or_clone(self.get_with_lease(id, lease).await?);
        let hold = lease.hold().ok_or(ConversationFault::Held)?;
        let Some(open) = conversation.open_turn() else { return Ok(TurnResult::Nothing) };
        let origin = self.origin_of(id, &conversation, open.number);
        let origin = CallOrigin { can_ask: options.can_ask.clone(), ..origin };
        let log = store_keys::log(id).map_err(|bad| bad_name(&bad))?;
        let writer = EventWriter::start(self.engine.shared_store(), self.engine.clock(), log, hold);
        let context =
            CallContext { cancel: options.cancel.clone(), ..self.engine.context(PaidBy::Turn) };
        let end = RunningTurn { conversation, origin, options, tools, sink: &writer, context }
            .run()
            .await;
        writer.flush().await?;
        Ok(end)
    }
}

/// A running turn.
pub(crate) struct RunningTurn<'a> {
    pub conversation: Conversation,
    pub origin: CallOrigin,
    pub options: &'a TurnOptions,
    pub tools: &'a dyn TurnTools,
    pub sink: &'a dyn EventSink,
    pub context: CallContext,
}

impl RunningTurn<'_> {
    pub(crate) async fn run(&mut self) -> TurnResult {
        loop {
            if self.sink.is_lost() {
                return TurnResult::Left;
            }
            if self.options.cancel.is_cancelled() {
                return self.end(EndReason::Cancelled).await;
            }
            if self.options.cancel.is_left() {
                return TurnResult::Left;
            }
            match self.conversation.next() {
                NextStep::Nothing => return TurnResult::Nothing,
                NextStep::Prepare => self.prepare().await,
                NextStep::AskModel(tool_use) => match self.ask(tool_use).await {
                    Some(Ok((request, reply))) => {
                        let (turn, round) = (self.number(), self.round());
                        self.note(ConversationEvent::Replied { turn, round, request, reply });
                    }
                    Some(Err(fault)) => return self.end(EndReason::Failed { fault }).await,
                    // Stopped or left; the next iteration handles it.
                    None => {}
                },
                NextStep::Settle(calls) => {
                    if !self.settle(calls).await {
                        return TurnResult::Waiting;
                    }
                }
                NextStep::End(how) => return self.end(how).await,
            }
        }
    }

    /// Auto tools in the order of registration, then the dashboard. A failing one blocks nothing.
    async fn prepare(&mut self) {
        let known: BTreeSet<_> = self.auto_so_far();
        // An automatic call must not ask a person.
        let origin = CallOrigin { can_ask: Vec::new(), ..self.origin.clone() };
        for call in self.tools.auto(&self.origin).await {
            if known.contains(&call.tool) || self.options.cancel.is_cancelled() {
                continue;
            }
            let ending = self.tools.settle(&self.context, &origin, &call).await;
            let (mut settled, chunks) = match ending {
                CallEnd::Settled(settled, chunks) => (*settled, chunks),
                CallEnd::Waits(_) => (unasked(&call), Vec::new()),
            };
            settled.auto = true;
            self.stream(&call, chunks);
            self.note(ConversationEvent::Settled { turn: self.number(), round: 0, settled });
        }
        let text = self.tools.dashboard(&self.origin).await;
        self.note(ConversationEvent::Dashboard { turn: self.number(), text });
    }

    fn auto_so_far(&self) -> BTreeSet<String> {
        let turn = self.conversation.open_turn();
        let auto = turn.into_iter().flat_map(|turn| &turn.auto);
        auto.map(|settled| settled.call.tool.clone()).collect()
    }

    /// Asks the model; `None` if the turn was stopped or left in the meantime. Tools that its provider
    /// does not accept are left out, and it is asked again.
    async fn ask(&mut self, tool_use: ToolUse) -> Option<Result<(Digest, Reply), ModelFault>> {
        let attempt = self.begin_attempt();
        let mut request = Request {
            tools: self.offer().await,
            system: self
                .conversation
                .opened
                .as_ref()
                .map_or_else(String::new, |o| o.system.clone()),
            messages: messages(&self.conversation),
            choice: match tool_use {
                ToolUse::Allowed => ToolChoice::Auto,
                ToolUse::Forbidden => ToolChoice::None,
            },
            output_tokens_max: self.options.output_tokens_max,
            sampling: self.options.sampling.clone(),
            ..Request::default()
        };
        self.load_files(&mut request).await;
        self.write_partial(attempt, self.tools.partial(&self.origin, self.round(), attempt));
        loop {
            let fault = match self.stream_model(attempt, &request).await? {
                Ok(reply) => return Some(Ok((digest_of(&request), reply))),
                Err(fault) => fault,
            };
            let blamed = tokio::select! {
                blamed = self.options.model.blamed(&request, &fault) => blamed,
                () = self.options.cancel.cancelled_or_left() => return None,
                () = self.sink.lost() => return None,
            };
            let bad = self.blamed(blamed);
            if bad.is_empty() {
                return Some(Err(fault));
            }
            request.tools.retain(|offer| bad.iter().all(|tool| tool.id != offer.id.as_str()));
            self.tools.keep_refused(&self.options.model.facts().to_string(), &bad).await;
            self.leave_out(bad);
        }
    }

    /// Adds the contents of files to a request.
    async fn load_files(&self, request: &mut Request) {
        for block in request.messages.iter_mut().flat_map(|message| &mut message.blocks) {
            if let Part::File(part) = &mut block.part {
                part.content = self.tools.file_content(&self.origin, &part.file).await;
            }
        }
    }

    /// Passes the model's deltas on, and writes them to the log while they arrive.
    async fn stream_model(
        &mut self,
        attempt: u32,
        request: &Request,
    ) -> Option<Result<Reply, ModelFault>> {
        let (options, sink, unwritten) = (self.options, self.sink, PartialBuffer::default());
        let mut deltas = |delta: Delta| {
            unwritten.push(&delta);
            options.observer.live(match delta {
                Delta::Text(text) => LiveEvent::Text(text),
                Delta::Thinking(text) => LiveEvent::Thinking(text),
                Delta::CallBegun { id, tool } => LiveEvent::CallBegun { call: id, tool },
            });
        };
        let mut asking = options.model.ask(request, &mut deltas);
        let reply = loop {
            tokio::select! {
                reply = &mut asking => break Some(reply),
                () = options.cancel.cancelled_or_left() => break None,
                () = sink.lost() => break None,
                () = unwritten.due() => self.write_partial(attempt, unwritten.take()),
            }
        };
        drop(asking);
        if !matches!(reply, Some(Ok(_))) {
            self.write_partial(attempt, unwritten.take());
        }
        reply
    }

    /// The number of this attempt at an answer; closes one that another process left.
    fn begin_attempt(&mut self) -> u32 {
        let (turn, round) = (self.number(), self.round());
        let open = self.conversation.open_turn().and_then(TurnState::open_partial);
        if let Some(attempt) = open.map(|open| open.attempt) {
            self.note(ConversationEvent::BrokeOff { turn, round, attempt });
        }
        self.conversation.open_turn().map_or(0, TurnState::attempts)
    }

    /// Writes the answer so far to the log. Observers already have it as deltas.
    fn write_partial(&mut self, attempt: u32, words: Vec<(PartialKind, String)>) {
        let (turn, round) = (self.number(), self.round());
        for (kind, text) in words {
            let open = self.conversation.open_turn().and_then(TurnState::open_partial);
            let part = open.map_or(0, |open| open.parts);
            let event = ConversationEvent::Partial { turn, round, attempt, part, kind, text };
            self.sink.write(&event);
            self.conversation.add(event);
        }
    }

    /// The tools for the next round; changes are written to the log.
    async fn offer(&mut self) -> Vec<ToolOffer> {
        let used = self.conversation.open_turn().into_iter().flat_map(|turn| turn.used());
        let history = OfferHistory {
            used: used.map(str::to_owned).collect(),
            has_results: self.conversation.has_results(),
        };
        let mut offers = self.tools.offers(&self.origin, self.round(), &history).await;
        offers.retain(|(_, tool)| !self.conversation.is_left_out(tool));
        let (mut tools, offered): (Vec<_>, Vec<_>) = offers.into_iter().unzip();
        let target = OfferTarget {
            model: self.options.model.facts().to_string(),
            tools_max: self.options.model.tools_max(),
            known: self.conversation.known_tools(),
        };
        if offered != self.conversation.offered {
            let (turn, round) = (self.number(), self.round());
            self.note(ConversationEvent::Offered { turn, round, tools: offered.clone() });
        }
        for bad in self.tools.left_out(&self.origin, self.round(), &target, &offered).await {
            tools.retain(|offer: &ToolOffer| bad.iter().all(|tool| tool.id != offer.id.as_str()));
            self.leave_out(bad);
        }
        tools
    }

    /// The offered tools that caused the fault.
    fn blamed(&self, blamed: Vec<RejectedTool>) -> Vec<LeftOutTool> {
        let left_out = |RejectedTool { tool, because }: RejectedTool| {
            let offered = self.conversation.offered.iter().find(|offered| offered.id == tool)?;
            Some(LeftOutTool { id: tool, digest: offered.digest, because })
        };
        blamed.into_iter().filter_map(left_out).collect()
    }

    fn leave_out(&mut self, tools: Vec<LeftOutTool>) {
        let (turn, round) = (self.number(), self.round());
        self.note(ConversationEvent::LeftOut { turn, round, tools });
    }

    /// Settles calls in order; consecutive calls that write nothing run concurrently.
    /// Returns whether all are settled.
    async fn settle(&mut self, calls: Vec<Call>) -> bool {
        let mut all = true;
        let mut calls = calls.into_iter().peekable();
        while let Some(first) = calls.next() {
            let mut group = vec![first];
            if !self.tools.in_order(&group[0]) {
                while let Some(next) = calls.next_if(|call| !self.tools.in_order(call)) {
                    group.push(next);
                }
            }
            if self.options.cancel.is_cancelled() {
                group
                    .iter()
                    .for_each(|call| self.settled(call, unmade(call, &EndReason::Cancelled, None)));
                continue;
            }
            // The flush at the end of the turn reports the fault.
            if self.tools.in_order(&group[0]) && self.sink.flush().await.is_err() {
                return false;
            }
            for call in &group {
                let (id, tool) = (call.id.clone(), call.tool.clone());
                self.options.observer.live(LiveEvent::Running { call: id, tool });
            }
            let (tools, context, origin) = (self.tools, &self.context, &self.origin);
            let running = group.iter().map(|call| tools.settle(context, origin, call));
            for (call, ending) in group.iter().zip(join_all(running.collect()).await) {
                match ending {
                    CallEnd::Settled(settled, chunks) => {
                        self.stream(call, chunks);
                        self.settled(call, *settled);
                    }
                    CallEnd::Waits(what) => {
                        all = false;
                        self.waits(call, what);
                    }
                }
            }
        }
        all
    }

    fn settled(&mut self, call: &Call, settled: SettledCall) {
        let (turn, round) = (self.number(), self.round().saturating_sub(1));
        debug_assert_eq!(call.id, settled.call.id);
        self.note(ConversationEvent::Settled { turn, round, settled });
    }

    fn waits(&mut self, call: &Call, what: WaitsFor) {
        let open = self.conversation.open_turn();
        if open.and_then(|turn| turn.waiting.get(&call.id)) == Some(&what) {
            return;
        }
        let before = open.and_then(|turn| turn.questioned.get(&call.id)).copied().unwrap_or(0);
        let (turn, call) = (self.number(), call.id.clone());
        self.note(match what {
            WaitsFor::Approval { request, preview } => {
                ConversationEvent::Asked { turn, call, request, preview }
            }
            WaitsFor::Answers { round, questions } => {
                let number = before.saturating_add(1);
                ConversationEvent::Questioned { turn, call, number, round, questions }
            }
            WaitsFor::Knowledge { tool } => ConversationEvent::InDoubt { turn, call, tool },
        });
    }

    fn stream(&mut self, call: &Call, chunks: Vec<Chunk>) {
        for (part, Chunk { channel, text }) in (0..).zip(chunks) {
            let (turn, round, call) = (self.number(), self.round(), call.id.clone());
            self.note(ConversationEvent::Streamed { turn, round, call, part, channel, text });
        }
    }

    /// Ends the turn: settles every call, lets tools clean up, writes the end to the log.
    async fn end(&mut self, how: EndReason) -> TurnResult {
        for call in self.conversation.unsettled() {
            let waits = self.conversation.open_turn().and_then(|turn| turn.waiting.get(&call.id));
            let unmade = unmade(&call, &how, waits);
            self.settled(&call, unmade);
        }
        self.tools.cleanup(&self.origin).await;
        self.note(ConversationEvent::Ended { turn: self.number(), how: how.clone() });
        TurnResult::Ended(how)
    }

    fn number(&self) -> u64 {
        self.origin.turn
    }

    /// The number of the next round.
    fn round(&self) -> u32 {
        let rounds = self.conversation.open_turn().map_or(0, |turn| turn.rounds.len());
        u32::try_from(rounds).unwrap_or(u32::MAX)
    }

    /// Writes an event to the log, notifies the observer, and updates the state.
    fn note(&mut self, event: ConversationEvent) {
        self.sink.write(&event);
        self.options.observer.event(&event);
        self.conversation.add(event);
    }
}

/// The digest of a request: tools, system, messages, choice.
fn digest_of(request: &Request) -> Digest {
    let Request { tools, system, messages, choice, .. } = request;
    Digest::of(&serde_json::to_vec(&(tools, system, messages, choice)).unwrap_or_default())
}

fn unasked(call: &Call) -> SettledCall {
    let message = "This tool needs a person's agreement and cannot run by itself.";
    let content =
        json!({ "type": "CONFIRMATION_REQUIRED", "message": message, "retryable": false });
    SettledCall::unrun(call, content, RuleId::AUTO_UNASKED)
}
