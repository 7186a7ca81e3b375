//! Runs a recorded conversation again, offline, and compares the result byte for byte.
//!
//! The turns are real; the model and the tools answer from the recording. Tools without
//! effects (`sideEffects: none`) may run for real instead, which makes a recorded
//! conversation a regression test. Tools that have changed since are reported.

pub(crate) mod recording;

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use attachments::Attachments;
use contract::{BoxFuture, Call, Digest, ModelFacts, Sampling, SideEffects, ToolOffer};
use policy::{ConversationId, VerdictKind};
use registry::Tool;
use serde::Serialize;
use store::StoreFault;

use super::event::{ConversationEvent, EndReason, LeftOutTool, OfferedTool, PartialKind};
use super::event_writer::EventSink;
use super::fault::ConversationFault;
use super::replay::recording::{RecordedModel, Recording};
use super::state::{Conversation, WaitsFor};
use super::turn::left_out::OfferTarget;
use super::turn::turn_tools::{CallEnd, EngineTools, OfferHistory, TurnTools, offer, writes};
use super::turn::unrun_calls::ended_early;
use super::turn::{NoObserver, RunningTurn, TurnOptions, TurnResult};
use crate::conversations::Conversations;
use crate::settings::ConversationSettings;
use engine::CallOrigin;
use engine::is_timing_note;
use engine::{CallContext, Cancel, Engine, PaidBy};

/// The result of a replay.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Replayed {
    pub events: usize,
    /// The first event that differs; differences after it mean little.
    pub difference: Option<Difference>,
    /// Tools that were offered then and have changed or are gone now.
    pub changed: Vec<ChangedTool>,
}

impl Replayed {
    pub fn is_same(&self) -> bool {
        self.difference.is_none() && self.changed.is_empty()
    }
}

/// An event that differs from the recording.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    /// Counts from 1, as the log does.
    pub event: usize,
    pub recorded: Option<String>,
    pub replayed: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChangedTool {
    pub tool: String,
    pub then: Digest,
    /// None if the tool no longer exists.
    pub now: Option<Digest>,
}

/// Which calls run for real.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplayCalls {
    /// None: every outcome comes from the recording.
    Recorded,
    /// Those of tools without effects.
    RunHarmless,
}

impl Conversations {
    /// Runs recorded events again. Nothing is written, and no provider is asked.
    pub async fn replay(
        &self,
        id: &ConversationId,
        recorded: &[ConversationEvent],
        calls: ReplayCalls,
    ) -> Result<Replayed, ConversationFault> {
        // Settings and notices are not made by turns, and may have come at any moment of one.
        let is_kept = |event: &ConversationEvent| {
            !matches!(
                event,
                ConversationEvent::SettingsChanged { .. } | ConversationEvent::Noticed { .. }
            )
        };
        let all = recorded;
        let (places, recorded): (Vec<usize>, Vec<_>) =
            (1..).zip(all.iter().cloned()).filter(|(_, event)| is_kept(event)).unzip();
        let record = Arc::new(Recording::read(&recorded));
        let replayed = Arc::new(ReplayLog::of(&record));
        let tools =
            RecordedTools { engine: &self.engine, attachments: &self.attachments, record, calls };
        let mut conversation = Conversation::default();
        for event in all {
            match event {
                ConversationEvent::SettingsChanged { .. } => {}
                // The next turn is told of it.
                ConversationEvent::Noticed { .. } => conversation.add(event.clone()),
                ConversationEvent::Opened(_) | ConversationEvent::Voice { .. } => {
                    replayed.take(&mut conversation, event.clone());
                }
                ConversationEvent::TakenBack { .. }
                | ConversationEvent::SentAgain { .. }
                | ConversationEvent::Chosen { .. } => {
                    replayed.move_on(&mut conversation);
                    replayed.take(&mut conversation, event.clone());
                }
                ConversationEvent::Said { .. } => {
                    replayed.move_on(&mut conversation);
                    replayed.take(&mut conversation, event.clone());
                    conversation = self.replay_turn(id, conversation, &tools, &replayed).await;
                }
                ConversationEvent::Offered { .. }
                | ConversationEvent::LeftOut { .. }
                | ConversationEvent::Dashboard { .. }
                | ConversationEvent::Replied { .. }
                | ConversationEvent::Partial { .. }
                | ConversationEvent::BrokeOff { .. }
                | ConversationEvent::Streamed { .. }
                | ConversationEvent::Asked { .. }
                | ConversationEvent::Questioned { .. }
                | ConversationEvent::InDoubt { .. }
                | ConversationEvent::Settled { .. }
                | ConversationEvent::Ended { .. } => {}
            }
        }
        let events = replayed.events();
        let difference = compare(&recorded, &events).map(|difference| Difference {
            event: places.get(difference.event - 1).copied().unwrap_or(difference.event),
            ..difference
        });
        Ok(Replayed { events: all.len(), difference, changed: self.changed(&recorded) })
    }

    async fn replay_turn(
        &self,
        id: &ConversationId,
        mut conversation: Conversation,
        tools: &RecordedTools<'_>,
        page: &Arc<ReplayLog>,
    ) -> Conversation {
        let number = conversation.turns.last().map_or(0, |turn| turn.number);
        // A turn that waited or was left is resumed as often as in the recording.
        loop {
            let origin = self.origin_of(id, &conversation, number);
            let before = page.len();
            let cancel = page.next_switch();
            let by = TurnOptions {
                model: Arc::new(RecordedModel {
                    facts: facts_of(&conversation),
                    record: Arc::clone(&tools.record),
                    turn: number,
                    round: AtomicU32::new(rounds_of(&conversation)),
                    cancel: cancel.clone(),
                }),
                observer: Arc::new(NoObserver),
                cancel: cancel.clone(),
                output_tokens_max: None,
                sampling: Sampling::default(),
                can_ask: Vec::new(),
            };
            let context = CallContext { cancel, ..self.engine.context(PaidBy::Turn) };
            let mut turn = RunningTurn {
                conversation,
                origin,
                options: &by,
                tools,
                sink: page.as_ref(),
                context,
            };
            let end = turn.run().await;
            conversation = turn.conversation;
            let continues = match end {
                TurnResult::Waiting => tools.record.has_more(number),
                TurnResult::Left => {
                    page.len() > before && tools.record.is_asked_again_at(page.len())
                }
                TurnResult::Nothing | TurnResult::Ended(_) => false,
            };
            if !continues {
                return conversation;
            }
        }
    }

    /// Compares the tools that were offered with the current ones.
    fn changed(&self, recorded: &[ConversationEvent]) -> Vec<ChangedTool> {
        let lease = self.engine.registry().lease();
        let mut last: BTreeMap<&str, Digest> = BTreeMap::new();
        for event in recorded {
            if let ConversationEvent::Offered { tools, .. } = event {
                last.extend(tools.iter().map(|tool| (tool.id.as_str(), tool.digest)));
            }
        }
        let changed = |(id, then): (&str, Digest)| {
            let now = self.engine.tool(&lease, id).map(|tool| tool.digests.whole());
            let tool = id.to_owned();
            (now != Some(then)).then_some(ChangedTool { tool, then, now })
        };
        last.into_iter().filter_map(changed).collect()
    }
}

fn facts_of(conversation: &Conversation) -> ModelFacts {
    let model = conversation.opened.as_ref().map_or("recorded", |opened| opened.model.as_str());
    let (provider, model) = model.split_once(':').unwrap_or(("recorded", model));
    ModelFacts {
        provider: provider.to_owned(),
        model: model.to_owned(),
        wire: None,
        rungs: Vec::new(),
        output_tokens_max: None,
    }
}

/// The first difference between two lists of events; durations are ignored.
fn compare(recorded: &[ConversationEvent], replayed: &[ConversationEvent]) -> Option<Difference> {
    let text = |event: &ConversationEvent| {
        let mut event = event.clone();
        if let ConversationEvent::Settled { settled, .. } = &mut event {
            settled.duration = None;
            settled.notes.retain(|note| !is_timing_note(note));
        }
        serde_json::to_string(&event).unwrap_or_default()
    };
    (0..recorded.len().max(replayed.len())).find_map(|index| {
        let (then, now) = (recorded.get(index).map(text), replayed.get(index).map(text));
        (then != now).then_some(Difference { event: index + 1, recorded: then, replayed: now })
    })
}

fn rounds_of(conversation: &Conversation) -> u32 {
    let rounds = conversation.open_turn().map_or(0, |turn| turn.rounds.len());
    u32::try_from(rounds).unwrap_or(u32::MAX)
}

/// The events of the replay. Stops or leaves a turn where the recording did.
struct ReplayLog {
    record: Arc<Recording>,
    events: Mutex<Vec<ConversationEvent>>,
    switch: Mutex<Cancel>,
}

impl ReplayLog {
    fn of(record: &Arc<Recording>) -> Self {
        Self {
            record: Arc::clone(record),
            events: Mutex::default(),
            switch: Mutex::new(Cancel::default()),
        }
    }

    fn take(&self, conversation: &mut Conversation, event: ConversationEvent) {
        self.write(&event);
        conversation.add(event);
    }

    fn move_on(&self, conversation: &mut Conversation) {
        if let Some(open) = conversation.open_turn() {
            let ends = ended_early(open, EndReason::MovedOn);
            ends.into_iter().for_each(|end| self.take(conversation, end));
        }
    }

    /// The cancellation signal of the next run of a turn.
    fn next_switch(&self) -> Cancel {
        let fresh = Cancel::default();
        let next = self.len();
        if self.record.is_stopped_at(next) {
            fresh.cancel();
        } else if self.record.is_left_at(next) && !self.record.is_asked_again_at(next) {
            fresh.leave();
        }
        lock(&self.switch).clone_from(&fresh);
        fresh
    }

    fn len(&self) -> usize {
        lock(&self.events).len()
    }

    fn events(&self) -> Vec<ConversationEvent> {
        lock(&self.events).clone()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl EventSink for ReplayLog {
    fn write(&self, event: &ConversationEvent) {
        lock(&self.events).push(event.clone());
        let next = self.len();
        if self.record.is_stopped_at(next) {
            lock(&self.switch).cancel();
        } else if self.record.is_left_at(next) {
            lock(&self.switch).leave();
        }
    }

    fn flush(&self) -> BoxFuture<'_, Result<(), StoreFault>> {
        Box::pin(std::future::ready(Ok(())))
    }
}

/// Settles calls as in the recording.
struct RecordedTools<'a> {
    engine: &'a Engine,
    attachments: &'a Attachments,
    record: Arc<Recording>,
    calls: ReplayCalls,
}

impl RecordedTools<'_> {
    /// Whether the call runs for real: it ran then, and has no effects.
    fn runs_for_real(&self, call: &Call) -> bool {
        let lease = self.engine.registry().lease();
        let tool = self.engine.tool(&lease, &call.tool);
        let is_harmless = |tool: &Tool| tool.contract.side_effects == SideEffects::None;
        self.calls == ReplayCalls::RunHarmless && tool.is_some_and(|tool| is_harmless(tool))
    }
}

impl TurnTools for RecordedTools<'_> {
    fn offers<'a>(
        &'a self,
        origin: &'a CallOrigin,
        round: u32,
        _past: &'a OfferHistory,
    ) -> policy::BoxFuture<'a, Vec<(ToolOffer, OfferedTool)>> {
        let lease = self.engine.registry().lease();
        let recorded = self.record.offered(origin.turn, round);
        let offers = recorded.iter().filter_map(|then| {
            let tool = self.engine.tool(&lease, &then.id)?;
            Some((offer(tool), then.clone()))
        });
        let offers = offers.collect();
        Box::pin(async move { offers })
    }

    fn left_out<'a>(
        &'a self,
        origin: &'a CallOrigin,
        round: u32,
        _seat: &'a OfferTarget,
        _offered: &'a [OfferedTool],
    ) -> policy::BoxFuture<'a, Vec<Vec<LeftOutTool>>> {
        let recorded = self.record.left_out.get(&(origin.turn, round)).cloned();
        Box::pin(std::future::ready(recorded.unwrap_or_default()))
    }

    fn keep_refused<'a>(
        &'a self,
        _model: &'a str,
        _tools: &'a [LeftOutTool],
    ) -> policy::BoxFuture<'a, ()> {
        Box::pin(std::future::ready(()))
    }

    fn auto<'a>(&'a self, origin: &'a CallOrigin) -> policy::BoxFuture<'a, Vec<Call>> {
        let calls = self.record.auto.get(&origin.turn).cloned().unwrap_or_default();
        Box::pin(async move { calls })
    }

    fn settle<'a>(
        &'a self,
        context: &'a CallContext,
        origin: &'a CallOrigin,
        call: &'a Call,
    ) -> policy::BoxFuture<'a, CallEnd> {
        let key = (origin.turn, call.id.clone());
        let recorded = self.record.endings().get_mut(&key).and_then(VecDeque::pop_front);
        Box::pin(async move {
            match recorded {
                Some(CallEnd::Settled(then, _))
                    if then.verdict_kind() == Some(VerdictKind::Run)
                        && self.runs_for_real(call)
                        && !self.record.was_stopped(origin.turn, &then) =>
                {
                    EngineTools {
                        engine: self.engine.clone(),
                        lease: self.engine.registry().lease(),
                        attachments: self.attachments.clone(),
                        observer: Arc::new(NoObserver),
                        settings: ConversationSettings::default(),
                    }
                    .settle(context, origin, call)
                    .await
                }
                Some(ending) => ending,
                None => CallEnd::Waits(WaitsFor::Knowledge { tool: call.tool.clone() }),
            }
        })
    }

    fn partial(&self, origin: &CallOrigin, round: u32, attempt: u32) -> Vec<(PartialKind, String)> {
        self.record.partial(origin.turn, round, attempt)
    }

    fn in_order(&self, call: &Call) -> bool {
        let lease = self.engine.registry().lease();
        self.engine.tool(&lease, &call.tool).is_some_and(|tool| writes(tool))
    }

    fn dashboard<'a>(&'a self, origin: &'a CallOrigin) -> policy::BoxFuture<'a, String> {
        let text = self.record.dashboards.get(&origin.turn).cloned().unwrap_or_default();
        Box::pin(async move { text })
    }

    fn cleanup<'a>(&'a self, _room: &'a CallOrigin) -> policy::BoxFuture<'a, ()> {
        Box::pin(async {})
    }
}
