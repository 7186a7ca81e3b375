//! A recorded conversation, ready to be asked: what the model said, what became of calls, and
//! where a turn was stopped or left.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use contract::{
    BoxFuture, Call, CallId, Chunk, Delta, Model, ModelFacts, ModelFault, Reply, Request,
};
use policy::RuleId;

use crate::event::{
    ConversationEvent, EndReason, LeftOutTool, OfferedTool, PartialKind, SettledCall,
};
use crate::state::WaitsFor;
use crate::turn::turn_tools::CallEnd;
use engine::Cancel;

/// What the record knows, ready to be asked for.
pub(crate) struct Recording {
    events: Vec<ConversationEvent>,
    replies: BTreeMap<(u64, u32), Reply>,
    ends: BTreeMap<u64, EndReason>,
    /// What was offered from this round on.
    offered: BTreeMap<(u64, u32), Vec<OfferedTool>>,
    pub(crate) left_out: BTreeMap<(u64, u32), Vec<Vec<LeftOutTool>>>,
    pub(crate) dashboards: BTreeMap<u64, String>,
    pub(crate) auto: BTreeMap<u64, Vec<Call>>,
    /// Used up in their order: a call may have waited several times before it ended.
    endings: Mutex<BTreeMap<(u64, CallId), VecDeque<CallEnd>>>,
}

impl Recording {
    pub(crate) fn read(events: &[ConversationEvent]) -> Self {
        let mut record = Self {
            events: events.to_vec(),
            replies: BTreeMap::new(),
            ends: BTreeMap::new(),
            offered: BTreeMap::new(),
            left_out: BTreeMap::new(),
            dashboards: BTreeMap::new(),
            auto: BTreeMap::new(),
            endings: Mutex::default(),
        };
        let mut streamed: BTreeMap<CallId, Vec<Chunk>> = BTreeMap::new();
        for event in events {
            let ends = |turn: u64, call: &CallId, ended: CallEnd| {
                let mut endings = record.endings.lock().unwrap_or_else(PoisonError::into_inner);
                endings.entry((turn, call.clone())).or_default().push_back(ended);
            };
            match event.clone() {
                ConversationEvent::Opened(_)
                | ConversationEvent::Said { .. }
                | ConversationEvent::Noticed { .. }
                | ConversationEvent::Partial { .. }
                | ConversationEvent::BrokeOff { .. }
                | ConversationEvent::TakenBack { .. } => {}
                ConversationEvent::Offered { turn, round, tools } => {
                    record.offered.insert((turn, round), tools);
                }
                ConversationEvent::LeftOut { turn, round, tools } => {
                    record.left_out.entry((turn, round)).or_default().push(tools);
                }
                ConversationEvent::Dashboard { turn, text } => {
                    drop(record.dashboards.insert(turn, text))
                }
                ConversationEvent::Replied { turn, round, reply, .. } => {
                    record.replies.insert((turn, round), reply);
                }
                ConversationEvent::Streamed { call, channel, text, .. } => {
                    streamed.entry(call).or_default().push(Chunk { channel, text });
                }
                ConversationEvent::Asked { turn, call, request, preview } => {
                    let waits = WaitsFor::Approval { request, preview };
                    ends(turn, &call, CallEnd::Waits(waits));
                }
                ConversationEvent::InDoubt { turn, call, tool } => {
                    ends(turn, &call, CallEnd::Waits(WaitsFor::Knowledge { tool }));
                }
                ConversationEvent::Settled { turn, settled, .. } => {
                    if settled.rule == RuleId::MOVED_ON {
                        continue;
                    }
                    if settled.auto {
                        record.auto.entry(turn).or_default().push(settled.call.clone());
                    }
                    let id = settled.call.id.clone();
                    let chunks = streamed.remove(&id).unwrap_or_default();
                    ends(turn, &id, CallEnd::Settled(Box::new(settled), chunks));
                }
                ConversationEvent::Ended { turn, how } => drop(record.ends.insert(turn, how)),
            }
        }
        record
    }

    pub(crate) fn endings(&self) -> MutexGuard<'_, BTreeMap<(u64, CallId), VecDeque<CallEnd>>> {
        self.endings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has the record more to say about calls of this turn?
    pub(crate) fn goes_on(&self, turn: u64) -> bool {
        self.endings().iter().any(|((of, _), endings)| *of == turn && !endings.is_empty())
    }

    /// What the model was offered in a round.
    pub(crate) fn offered(&self, turn: u64, round: u32) -> &[OfferedTool] {
        let until = self.offered.range(..=(turn, round)).next_back();
        until.map_or(&[], |(_, tools)| tools.as_slice())
    }

    /// What the model had said of an answer before it was whole or broke off.
    pub(crate) fn partial(
        &self,
        turn: u64,
        round: u32,
        attempt: u32,
    ) -> Vec<(PartialKind, String)> {
        let here = (turn, round, attempt);
        let of = |event: &ConversationEvent| {
            let ConversationEvent::Partial { turn, round, attempt, kind, text, .. } = event else {
                return None;
            };
            ((*turn, *round, *attempt) == here).then(|| (*kind, text.clone()))
        };
        self.events.iter().filter_map(of).collect()
    }

    /// Did a person stop the turn when the log had so many events?
    pub(crate) fn is_stopped_at(&self, events: usize) -> bool {
        let mut rest = self.events.iter().skip(events);
        let unmade = |event: &&ConversationEvent| {
            matches!(event, ConversationEvent::Settled { settled, .. }
                if settled.rule == RuleId::TURN_ENDED)
        };
        let end = rest.find(|event| !unmade(event));
        matches!(end, Some(ConversationEvent::Ended { how: EndReason::Cancelled, .. }))
    }

    /// Did another program ask the model again when the log had so many events?
    pub(crate) fn is_asked_again_at(&self, events: usize) -> bool {
        matches!(self.events.get(events), Some(ConversationEvent::BrokeOff { .. }))
    }

    /// Did the program that ran the turn end when the log had so many events?
    pub(crate) fn is_left_at(&self, events: usize) -> bool {
        let last = events.checked_sub(1).and_then(|last| self.events.get(last));
        let is_open = last.is_some_and(|last| {
            last.turn().is_some() && !matches!(last, ConversationEvent::Ended { .. })
        });
        is_open
            && match self.events.get(events) {
                None | Some(ConversationEvent::BrokeOff { .. }) => true,
                Some(ConversationEvent::Said { .. } | ConversationEvent::TakenBack { .. }) => true,
                Some(ConversationEvent::Ended { how, .. }) => *how == EndReason::MovedOn,
                Some(ConversationEvent::Settled { settled, .. }) => {
                    settled.rule == RuleId::MOVED_ON
                }
                Some(_) => false,
            }
    }

    /// Did the call end as it did because a person stopped its turn?
    pub(crate) fn was_stopped(&self, turn: u64, settled: &SettledCall) -> bool {
        settled.is_error && self.ends.get(&turn) == Some(&EndReason::Cancelled)
    }
}

/// Answers as the model did.
pub(crate) struct RecordedModel {
    pub facts: ModelFacts,
    pub record: Arc<Recording>,
    pub turn: u64,
    /// The round that it answers next.
    pub round: AtomicU32,
    pub cancel: Cancel,
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
        Box::pin(async move {
            if self.cancel.is_cancelled() || self.cancel.is_left() {
                return std::future::pending().await;
            }
            let round = self.round.fetch_add(1, Ordering::Relaxed);
            match (self.record.replies.get(&(self.turn, round)), self.record.ends.get(&self.turn)) {
                (Some(reply), _) => Ok(reply.clone()),
                (None, Some(EndReason::Failed { fault })) => Err(fault.clone()),
                // The record is of something else; it must not be waited for.
                (None, _) => {
                    self.cancel.cancel();
                    std::future::pending().await
                }
            }
        })
    }
}
