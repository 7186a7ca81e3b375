//! A recorded conversation, indexed for a replay: the model's replies, the outcomes of calls,
//! and where a turn was stopped or left.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use contract::{Call, CallId, Chunk, Deltas, Model, ModelFacts, Reply, ReplyFuture, Request};
use policy::RuleId;

use crate::event::{
    ConversationEvent, EndReason, LeftOutTool, OfferedTool, PartialKind, SettledCall,
};
use crate::state::WaitsFor;
use crate::turn::turn_tools::CallEnd;
use engine::Cancel;

/// The parts of a recording, by turn and round.
pub(crate) struct Recording {
    events: Vec<ConversationEvent>,
    replies: BTreeMap<(u64, u32), Reply>,
    ends: BTreeMap<u64, EndReason>,
    /// The tools that were offered from this round on.
    offered: BTreeMap<(u64, u32), Vec<OfferedTool>>,
    pub(crate) left_out: BTreeMap<(u64, u32), Vec<Vec<LeftOutTool>>>,
    pub(crate) dashboards: BTreeMap<u64, String>,
    pub(crate) auto: BTreeMap<u64, Vec<Call>>,
    /// Consumed in order: a call may have waited several times before it was settled.
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
                | ConversationEvent::SettingsChanged { .. }
                | ConversationEvent::Said { .. }
                | ConversationEvent::Noticed { .. }
                | ConversationEvent::Voice { .. }
                | ConversationEvent::Partial { .. }
                | ConversationEvent::BrokeOff { .. }
                | ConversationEvent::TakenBack { .. }
                | ConversationEvent::SentAgain { .. }
                | ConversationEvent::Chosen { .. } => {}
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
                ConversationEvent::Questioned { turn, call, round, questions, .. } => {
                    ends(turn, &call, CallEnd::Waits(WaitsFor::Answers { round, questions }));
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

    /// Whether the recording has more outcomes of calls in this turn.
    pub(crate) fn has_more(&self, turn: u64) -> bool {
        self.endings().iter().any(|((of, _), endings)| *of == turn && !endings.is_empty())
    }

    /// The tools that were offered in a round.
    pub(crate) fn offered(&self, turn: u64, round: u32) -> &[OfferedTool] {
        let until = self.offered.range(..=(turn, round)).next_back();
        until.map_or(&[], |(_, tools)| tools.as_slice())
    }

    /// The pieces of an answer that were recorded before it was complete or broke off.
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

    /// Whether a person stopped the turn when the log had this many events.
    pub(crate) fn is_stopped_at(&self, events: usize) -> bool {
        let mut rest = self.events.iter().skip(events);
        let unmade = |event: &&ConversationEvent| {
            matches!(event, ConversationEvent::Settled { settled, .. }
                if settled.rule == RuleId::TURN_ENDED)
        };
        let end = rest.find(|event| !unmade(event));
        matches!(end, Some(ConversationEvent::Ended { how: EndReason::Cancelled, .. }))
    }

    /// Whether another process asked the model again when the log had this many events.
    pub(crate) fn is_asked_again_at(&self, events: usize) -> bool {
        matches!(self.events.get(events), Some(ConversationEvent::BrokeOff { .. }))
    }

    /// Whether the process that ran the turn ended when the log had this many events.
    pub(crate) fn is_left_at(&self, events: usize) -> bool {
        let last = events.checked_sub(1).and_then(|last| self.events.get(last));
        let is_open = last.is_some_and(|last| {
            last.turn().is_some() && !matches!(last, ConversationEvent::Ended { .. })
        });
        is_open
            && match self.events.get(events) {
                None | Some(ConversationEvent::BrokeOff { .. }) => true,
                Some(
                    ConversationEvent::Said { .. }
                    | ConversationEvent::TakenBack { .. }
                    | ConversationEvent::SentAgain { .. }
                    | ConversationEvent::Chosen { .. },
                ) => true,
                Some(ConversationEvent::Ended { how, .. }) => *how == EndReason::MovedOn,
                Some(ConversationEvent::Settled { settled, .. }) => {
                    settled.rule == RuleId::MOVED_ON
                }
                Some(_) => false,
            }
    }

    /// Whether the call ended because a person stopped its turn.
    pub(crate) fn was_stopped(&self, turn: u64, settled: &SettledCall) -> bool {
        settled.is_error && self.ends.get(&turn) == Some(&EndReason::Cancelled)
    }
}

/// Gives the recorded replies of the model.
pub(crate) struct RecordedModel {
    pub facts: ModelFacts,
    pub record: Arc<Recording>,
    pub turn: u64,
    /// The round of the next reply.
    pub round: AtomicU32,
    pub cancel: Cancel,
}

impl Model for RecordedModel {
    fn facts(&self) -> &ModelFacts {
        &self.facts
    }

    fn ask<'a>(&'a self, _request: &'a Request, _deltas: Deltas<'a>) -> ReplyFuture<'a> {
        Box::pin(async move {
            if self.cancel.is_cancelled() || self.cancel.is_left() {
                return std::future::pending().await;
            }
            let round = self.round.fetch_add(1, Ordering::Relaxed);
            match (self.record.replies.get(&(self.turn, round)), self.record.ends.get(&self.turn)) {
                (Some(reply), _) => Ok(reply.clone()),
                (None, Some(EndReason::Failed { fault })) => Err(fault.clone()),
                // The recording has no reply for this, so nothing must wait for it.
                (None, _) => {
                    self.cancel.cancel();
                    std::future::pending().await
                }
            }
        })
    }
}
