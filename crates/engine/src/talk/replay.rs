//! Runs a recorded conversation again, offline, and compares what comes out, byte for byte.
//!
//! The turns are real; the model and the tools answer from the record. Tools that can do
//! no harm (`sideEffects: none`) may be run for real instead, which makes a recorded
//! conversation a regression test. Tools that are no longer what they were are reported.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use contract::{
    BoxFuture, Call, CallId, Chunk, Delta, Digest, Model, ModelFacts, ModelFault, Offer, Reply,
    Request, Sampling, SideEffects,
};
use policy::ConversationId;
use registry::Tool;
use serde::Serialize;
use store::StoreFault;

use super::event::{HowEnded, LeftOutTool, OfferedTool, TalkEvent};
use super::hands::{DeskHands, Ending, Hands, Past, offer, writes};
use super::ink::Pen;
use super::opening::{TalkFault, moved_on};
use super::record::{Talk, WaitsFor};
use super::refusals::Seat;
use super::turn::{Answerer, Nobody, Turn, TurnEnd};
use crate::desk::Desk;
use crate::outcome::is_about_time;
use crate::room::Room;
use crate::stage::{Cancel, PaidBy, Stage};

/// What a replay found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Replayed {
    pub events: usize,
    /// The first event that came out differently; those after it mean little.
    pub difference: Option<Difference>,
    /// Tools that were offered then and are another or gone now.
    pub changed: Vec<ChangedTool>,
}

impl Replayed {
    pub fn is_same(&self) -> bool {
        self.difference.is_none() && self.changed.is_empty()
    }
}

/// An event that is not what it was.
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
    /// None if there is no such tool any more.
    pub now: Option<Digest>,
}

/// Which calls are made for real.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Calls {
    /// None: every outcome is the recorded one.
    Recorded,
    /// Those of tools without effects.
    HarmlessMade,
}

impl Desk {
    /// Runs recorded events again. Nothing is written, and no provider is asked.
    pub async fn replay(
        &self,
        id: &ConversationId,
        recorded: &[TalkEvent],
        calls: Calls,
    ) -> Result<Replayed, TalkFault> {
        let replayed = Arc::new(Page::default());
        let record = Arc::new(Recorded::read(recorded));
        let hands = RecordedHands { desk: self, record: Arc::clone(&record), calls };
        let mut talk = Talk::default();
        for event in recorded {
            match event {
                TalkEvent::Opened(_) | TalkEvent::Noticed { .. } => {
                    replayed.take(&mut talk, event.clone());
                }
                TalkEvent::TakenBack { .. } => {
                    replayed.move_on(&mut talk);
                    replayed.take(&mut talk, event.clone());
                }
                TalkEvent::Said { .. } => {
                    replayed.move_on(&mut talk);
                    replayed.take(&mut talk, event.clone());
                    talk = self.replay_turn(id, talk, &hands, &record, &replayed).await;
                }
                TalkEvent::Offered { .. }
                | TalkEvent::LeftOut { .. }
                | TalkEvent::Dashboard { .. }
                | TalkEvent::Replied { .. }
                | TalkEvent::Streamed { .. }
                | TalkEvent::Asked { .. }
                | TalkEvent::InDoubt { .. }
                | TalkEvent::Settled { .. }
                | TalkEvent::Ended { .. } => {}
            }
        }
        let events = replayed.events();
        let difference = compare(recorded, &events);
        Ok(Replayed { events: recorded.len(), difference, changed: self.changed(recorded) })
    }

    async fn replay_turn(
        &self,
        id: &ConversationId,
        talk: Talk,
        hands: &RecordedHands<'_>,
        record: &Arc<Recorded>,
        page: &Arc<Page>,
    ) -> Talk {
        let number = talk.turns.last().map_or(0, |turn| turn.number);
        let room = self.room_of(id, &talk, number);
        let cancel = Cancel::default();
        if !record.dashboards.contains_key(&number) {
            // It was stopped before it was prepared.
            cancel.cancel();
        }
        let by = Answerer {
            model: Arc::new(RecordedModel {
                facts: facts_of(&talk),
                record: Arc::clone(record),
                turn: number,
                asked: AtomicU32::new(0),
                cancel: cancel.clone(),
            }),
            audience: Arc::new(Nobody),
            cancel: cancel.clone(),
            output_tokens_max: None,
            sampling: Sampling::default(),
        };
        let surface = Arc::clone(&self.wiring().surface);
        let stage = Stage { surface, cancel, paid_by: PaidBy::Turn };
        let mut turn = Turn { talk, room, by: &by, hands, pen: page.as_ref(), stage };
        // A turn that waited was taken up again as often as the record says.
        while turn.run().await == TurnEnd::Waiting && record.goes_on(number) {}
        turn.talk
    }

    /// Compares the tools that were offered with the tools there are.
    fn changed(&self, recorded: &[TalkEvent]) -> Vec<ChangedTool> {
        let lease = self.registry().lease();
        let mut last: BTreeMap<&str, Digest> = BTreeMap::new();
        for event in recorded {
            if let TalkEvent::Offered { tools, .. } = event {
                last.extend(tools.iter().map(|tool| (tool.id.as_str(), tool.digest)));
            }
        }
        let changed = |(id, then): (&str, Digest)| {
            let now = self.tool(&lease, id).map(|tool| tool.digests.whole());
            let tool = id.to_owned();
            (now != Some(then)).then_some(ChangedTool { tool, then, now })
        };
        last.into_iter().filter_map(changed).collect()
    }
}

fn facts_of(talk: &Talk) -> ModelFacts {
    let model = talk.opened.as_ref().map_or("recorded", |opened| opened.model.as_str());
    let (provider, model) = model.split_once(':').unwrap_or(("recorded", model));
    ModelFacts {
        provider: provider.to_owned(),
        model: model.to_owned(),
        wire: None,
        rungs: Vec::new(),
        output_tokens_max: None,
    }
}

/// The first difference between two rows of events; how long a handler took does not count.
fn compare(recorded: &[TalkEvent], replayed: &[TalkEvent]) -> Option<Difference> {
    let text = |event: &TalkEvent| {
        let mut event = event.clone();
        if let TalkEvent::Settled { settled, .. } = &mut event {
            settled.duration = None;
            settled.notes.retain(|note| !is_about_time(note));
        }
        serde_json::to_string(&event).unwrap_or_default()
    };
    (0..recorded.len().max(replayed.len())).find_map(|index| {
        let (then, now) = (recorded.get(index).map(text), replayed.get(index).map(text));
        (then != now).then_some(Difference { event: index + 1, recorded: then, replayed: now })
    })
}

/// The events as they come out.
#[derive(Default)]
struct Page(Mutex<Vec<TalkEvent>>);

impl Page {
    fn take(&self, talk: &mut Talk, event: TalkEvent) {
        self.write(&event);
        talk.add(event);
    }

    fn move_on(&self, talk: &mut Talk) {
        if let Some(open) = talk.open_turn() {
            moved_on(open).into_iter().for_each(|end| self.take(talk, end));
        }
    }

    fn events(&self) -> Vec<TalkEvent> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Pen for Page {
    fn write(&self, event: &TalkEvent) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(event.clone());
    }

    fn dry(&self) -> BoxFuture<'_, Result<(), StoreFault>> {
        Box::pin(std::future::ready(Ok(())))
    }
}

/// What the record knows, ready to be asked for.
struct Recorded {
    replies: BTreeMap<(u64, u32), Reply>,
    ends: BTreeMap<u64, HowEnded>,
    offered: BTreeMap<(u64, u32), Vec<OfferedTool>>,
    left_out: BTreeMap<(u64, u32), Vec<Vec<LeftOutTool>>>,
    dashboards: BTreeMap<u64, String>,
    auto: BTreeMap<u64, Vec<Call>>,
    /// Used up in their order: a call may have waited several times before it ended.
    endings: Mutex<BTreeMap<(u64, CallId), VecDeque<Ending>>>,
}

impl Recorded {
    fn read(events: &[TalkEvent]) -> Self {
        let mut record = Self {
            replies: BTreeMap::new(),
            ends: BTreeMap::new(),
            offered: BTreeMap::new(),
            left_out: BTreeMap::new(),
            dashboards: BTreeMap::new(),
            auto: BTreeMap::new(),
            endings: Mutex::default(),
        };
        let mut offered = Vec::new();
        let mut streamed: BTreeMap<CallId, Vec<Chunk>> = BTreeMap::new();
        for event in events {
            let ends = |turn: u64, call: &CallId, ended: Ending| {
                let mut endings = record.endings.lock().unwrap_or_else(PoisonError::into_inner);
                endings.entry((turn, call.clone())).or_default().push_back(ended);
            };
            match event.clone() {
                TalkEvent::Opened(_)
                | TalkEvent::Said { .. }
                | TalkEvent::Noticed { .. }
                | TalkEvent::TakenBack { .. } => {}
                TalkEvent::Offered { tools, .. } => offered = tools,
                TalkEvent::LeftOut { turn, round, tools } => {
                    record.left_out.entry((turn, round)).or_default().push(tools);
                }
                TalkEvent::Dashboard { turn, text } => drop(record.dashboards.insert(turn, text)),
                TalkEvent::Replied { turn, round, reply, .. } => {
                    record.offered.insert((turn, round), offered.clone());
                    record.replies.insert((turn, round), reply);
                }
                TalkEvent::Streamed { call, channel, text, .. } => {
                    streamed.entry(call).or_default().push(Chunk { channel, text });
                }
                TalkEvent::Asked { turn, call, request, preview } => {
                    let waits = WaitsFor::Approval { request, preview };
                    ends(turn, &call, Ending::Waits(waits));
                }
                TalkEvent::InDoubt { turn, call, tool } => {
                    ends(turn, &call, Ending::Waits(WaitsFor::Knowledge { tool }));
                }
                TalkEvent::Settled { turn, settled, .. } => {
                    if settled.rule == policy::RuleId::MOVED_ON {
                        continue;
                    }
                    if settled.auto {
                        record.auto.entry(turn).or_default().push(settled.call.clone());
                    }
                    let id = settled.call.id.clone();
                    let chunks = streamed.remove(&id).unwrap_or_default();
                    ends(turn, &id, Ending::Settled(Box::new(settled), chunks));
                }
                TalkEvent::Ended { turn, how } => drop(record.ends.insert(turn, how)),
            }
        }
        record
    }

    fn endings(&self) -> MutexGuard<'_, BTreeMap<(u64, CallId), VecDeque<Ending>>> {
        self.endings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has the record more to say about calls of this turn?
    fn goes_on(&self, turn: u64) -> bool {
        self.endings().iter().any(|((of, _), endings)| *of == turn && !endings.is_empty())
    }
}

/// Answers as the model did.
struct RecordedModel {
    facts: ModelFacts,
    record: Arc<Recorded>,
    turn: u64,
    /// How often it was asked in this turn.
    asked: AtomicU32,
    cancel: Cancel,
}

impl Model for RecordedModel {
    fn facts(&self) -> &ModelFacts {
        &self.facts
    }

    fn ask<'a>(
        &'a self,
        _request: &'a Request,
        _deltas: &'a mut (dyn FnMut(Delta) + Send),
    ) -> BoxFuture<'a, Result<Reply, ModelFault>> {
        let round = self.asked.fetch_add(1, Ordering::Relaxed);
        Box::pin(async move {
            match self.record.replies.get(&(self.turn, round)) {
                Some(reply) => Ok(reply.clone()),
                None => match self.record.ends.get(&self.turn) {
                    Some(HowEnded::Failed { fault }) => Err(fault.clone()),
                    // The record ends here, or a person ended it here.
                    _ => {
                        self.cancel.cancel();
                        std::future::pending().await
                    }
                },
            }
        })
    }
}

/// Settles calls as they were settled.
struct RecordedHands<'a> {
    desk: &'a Desk,
    record: Arc<Recorded>,
    calls: Calls,
}

impl RecordedHands<'_> {
    /// Is the call made for real, because it was and can do no harm?
    fn is_made(&self, call: &Call) -> bool {
        let lease = self.desk.registry().lease();
        let tool = self.desk.tool(&lease, &call.tool);
        let is_harmless = |tool: &Tool| tool.contract.side_effects == SideEffects::None;
        self.calls == Calls::HarmlessMade && tool.is_some_and(|tool| is_harmless(tool))
    }
}

impl Hands for RecordedHands<'_> {
    fn offers<'a>(
        &'a self,
        room: &'a Room,
        round: u32,
        _past: &'a Past,
    ) -> policy::BoxFuture<'a, Vec<(Offer, OfferedTool)>> {
        let lease = self.desk.registry().lease();
        let recorded = self.record.offered.get(&(room.turn, round));
        let offers = recorded.into_iter().flatten().filter_map(|then| {
            let tool = self.desk.tool(&lease, &then.id)?;
            Some((offer(tool), then.clone()))
        });
        let offers = offers.collect();
        Box::pin(async move { offers })
    }

    fn left_out<'a>(
        &'a self,
        room: &'a Room,
        round: u32,
        _seat: &'a Seat,
        _offered: &'a [OfferedTool],
    ) -> policy::BoxFuture<'a, Vec<Vec<LeftOutTool>>> {
        let recorded = self.record.left_out.get(&(room.turn, round)).cloned();
        Box::pin(std::future::ready(recorded.unwrap_or_default()))
    }

    fn keep_refused<'a>(
        &'a self,
        _model: &'a str,
        _tools: &'a [LeftOutTool],
    ) -> policy::BoxFuture<'a, ()> {
        Box::pin(std::future::ready(()))
    }

    fn auto<'a>(&'a self, room: &'a Room) -> policy::BoxFuture<'a, Vec<Call>> {
        let calls = self.record.auto.get(&room.turn).cloned().unwrap_or_default();
        Box::pin(async move { calls })
    }

    fn settle<'a>(
        &'a self,
        stage: &'a Stage,
        room: &'a Room,
        call: &'a Call,
    ) -> policy::BoxFuture<'a, Ending> {
        let key = (room.turn, call.id.clone());
        let recorded = self.record.endings().get_mut(&key).and_then(VecDeque::pop_front);
        Box::pin(async move {
            match recorded {
                Some(Ending::Settled(then, _)) if then.verdict == "run" && self.is_made(call) => {
                    DeskHands {
                        desk: self.desk.clone(),
                        lease: self.desk.registry().lease(),
                        audience: Arc::new(Nobody),
                    }
                    .settle(stage, room, call)
                    .await
                }
                Some(ending) => ending,
                None => Ending::Waits(WaitsFor::Knowledge { tool: call.tool.clone() }),
            }
        })
    }

    fn in_order(&self, call: &Call) -> bool {
        let lease = self.desk.registry().lease();
        self.desk.tool(&lease, &call.tool).is_some_and(|tool| writes(tool))
    }

    fn dashboard<'a>(&'a self, room: &'a Room) -> policy::BoxFuture<'a, String> {
        let text = self.record.dashboards.get(&room.turn).cloned().unwrap_or_default();
        Box::pin(async move { text })
    }

    fn cleanup<'a>(&'a self, _room: &'a Room) -> policy::BoxFuture<'a, ()> {
        Box::pin(async {})
    }
}
