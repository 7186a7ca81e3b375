//! One turn: from what a person said to the end of the answer. Every step is on this screen.
//!
//! The turn decides nothing from memory: it looks at the log's [`Talk`], does what comes
//! next, and writes that down. So it can be left at any event and taken up by another
//! process.

use std::collections::BTreeSet;
use std::sync::Arc;

use contract::{
    Call, Chunk, Delta, Digest, Model, ModelFault, RejectedTool, Reply, Request, Sampling,
    ToolChoice, ToolOffer,
};
use policy::{ConversationId, RuleId};
use serde_json::json;

use super::event::{HowEnded, LeftOutTool, PartialKind, SettledCall, TalkEvent};
use super::hands::{Ending, EngineHands, Hands, Heard, Past};
use super::ink::{Ink, Pen};
use super::opening::{TalkFault, named};
use super::partial::Unwritten;
use super::prompt::messages;
use super::record::{Next, Talk, TurnRecord, WaitsFor, Wish};
use super::refusals::Seat;
use super::unmade::unmade;
use crate::call::context::{CallContext, Cancel, PaidBy};
use crate::call::origin::CallOrigin;
use crate::engine::Engine;
use crate::join::join_all;
use crate::keys;

/// Who watches a turn. Called at once, in order; must not block.
pub trait Audience: Send + Sync {
    fn hear(&self, heard: Heard);
    fn event(&self, event: &TalkEvent);
}

/// Where nobody watches.
pub(super) struct Nobody;

impl Audience for Nobody {
    fn hear(&self, _heard: Heard) {}
    fn event(&self, _event: &TalkEvent) {}
}

/// What answers a turn, and who watches and may stop it.
#[derive(Clone)]
pub struct Answerer {
    pub model: Arc<dyn Model>,
    pub audience: Arc<dyn Audience>,
    pub cancel: Cancel,
    /// How long one answer may be; the model's own limit if nothing is said.
    pub output_tokens_max: Option<u32>,
    pub sampling: Sampling,
}

/// How far a turn came.
#[derive(Debug, Clone, PartialEq)]
pub enum TurnEnd {
    /// No turn was open.
    Nothing,
    Ended(HowEnded),
    /// A person has to do something first; then the turn goes on.
    Waiting,
    /// The program ends; the next one takes the turn up from its log.
    Left,
}

impl Engine {
    /// Answers the open turn of a conversation, from wherever its log ends.
    pub async fn turn(&self, id: &ConversationId, by: &Answerer) -> Result<TurnEnd, TalkFault> {
        let hold = self.hold(id).await?;
        let hands = EngineHands {
            engine: self.clone(),
            lease: self.registry().lease(),
            audience: Arc::clone(&by.audience),
        };
        let end = self.turn_with(id, by, &hands).await;
        drop(hold);
        end
    }

    async fn turn_with(
        &self,
        id: &ConversationId,
        by: &Answerer,
        hands: &dyn Hands,
    ) -> Result<TurnEnd, TalkFault> {
        let talk = self.talk(id).await?;
        let Some(open) = talk.open_turn() else { return Ok(TurnEnd::Nothing) };
        let origin = self.origin_of(id, &talk, open.number);
        let log = keys::talk(id).map_err(|bad| named(&bad))?;
        let wiring = self.wiring();
        let ink = Ink::start(Arc::clone(&wiring.store), Arc::clone(&wiring.clock), log);
        let surface = Arc::clone(&wiring.surface);
        let context = CallContext { surface, cancel: by.cancel.clone(), paid_by: PaidBy::Turn };
        let end = Turn { talk, origin, by, hands, pen: &ink, context }.run().await;
        ink.dry().await?;
        Ok(end)
    }
}

/// A turn while it runs.
pub(super) struct Turn<'a> {
    pub talk: Talk,
    pub origin: CallOrigin,
    pub by: &'a Answerer,
    pub hands: &'a dyn Hands,
    pub pen: &'a dyn Pen,
    pub context: CallContext,
}

impl Turn<'_> {
    pub(super) async fn run(&mut self) -> TurnEnd {
        loop {
            if self.by.cancel.is_cancelled() {
                return self.end(HowEnded::Cancelled).await;
            }
            if self.by.cancel.is_left() {
                return TurnEnd::Left;
            }
            match self.talk.next() {
                Next::Nothing => return TurnEnd::Nothing,
                Next::Prepare => self.prepare().await,
                Next::Ask(wish) => match self.ask(wish).await {
                    Some(Ok((request, reply))) => {
                        let (turn, round) = (self.number(), self.round());
                        self.note(TalkEvent::Replied { turn, round, request, reply });
                    }
                    Some(Err(fault)) => return self.end(HowEnded::Failed { fault }).await,
                    // Stopped or left; the next look sees to it.
                    None => {}
                },
                Next::Settle(calls) => {
                    if !self.settle(calls).await {
                        return TurnEnd::Waiting;
                    }
                }
                Next::End(how) => return self.end(how).await,
            }
        }
    }

    /// Auto tools in the order of registration, then the dashboard. A failing one blocks nothing.
    async fn prepare(&mut self) {
        let known: BTreeSet<_> = self.auto_so_far();
        for call in self.hands.auto(&self.origin).await {
            if known.contains(&call.tool) || self.by.cancel.is_cancelled() {
                continue;
            }
            let ending = self.hands.settle(&self.context, &self.origin, &call).await;
            let (mut settled, chunks) = match ending {
                Ending::Settled(settled, chunks) => (*settled, chunks),
                // Nobody is asked for what nobody asked for.
                Ending::Waits(_) => (unasked(&call), Vec::new()),
            };
            settled.auto = true;
            self.stream(&call, chunks);
            self.note(TalkEvent::Settled { turn: self.number(), round: 0, settled });
        }
        let text = self.hands.dashboard(&self.origin).await;
        self.note(TalkEvent::Dashboard { turn: self.number(), text });
    }

    fn auto_so_far(&self) -> BTreeSet<String> {
        let turn = self.talk.open_turn();
        let auto = turn.into_iter().flat_map(|turn| &turn.auto);
        auto.map(|settled| settled.call.tool.clone()).collect()
    }

    /// Asks the model; nothing if it was stopped or left meanwhile. Tools that its provider
    /// does not accept are left out, and it is asked again.
    async fn ask(&mut self, wish: Wish) -> Option<Result<(Digest, Reply), ModelFault>> {
        let attempt = self.begin_attempt();
        let mut request = Request {
            tools: self.offer().await,
            system: self.talk.opened.as_ref().map_or_else(String::new, |o| o.system.clone()),
            messages: messages(&self.talk),
            choice: match wish {
                Wish::Freely => ToolChoice::Auto,
                Wish::WithoutTools => ToolChoice::None,
            },
            output_tokens_max: self.by.output_tokens_max,
            sampling: self.by.sampling.clone(),
            ..Request::default()
        };
        self.said_so_far(attempt, self.hands.partial(&self.origin, self.round(), attempt));
        loop {
            let fault = match self.hear_model(attempt, &request).await? {
                Ok(reply) => return Some(Ok((digest_of(&request), reply))),
                Err(fault) => fault,
            };
            let blamed = tokio::select! {
                blamed = self.by.model.blamed(&request, &fault) => blamed,
                () = self.by.cancel.cancelled_or_left() => return None,
            };
            let bad = self.blamed(blamed);
            if bad.is_empty() {
                return Some(Err(fault));
            }
            request.tools.retain(|offer| bad.iter().all(|tool| tool.id != offer.id.as_str()));
            self.hands.keep_refused(&self.by.model.facts().to_string(), &bad).await;
            self.leave_out(bad);
        }
    }

    /// Passes on what the model says, and writes it down while it is said.
    async fn hear_model(
        &mut self,
        attempt: u32,
        request: &Request,
    ) -> Option<Result<Reply, ModelFault>> {
        let (by, unwritten) = (self.by, Unwritten::default());
        let mut deltas = |delta: Delta| {
            unwritten.hear(&delta);
            by.audience.hear(match delta {
                Delta::Text(text) => Heard::Text(text),
                Delta::Thinking(text) => Heard::Thinking(text),
                Delta::CallBegun { id, tool } => Heard::CallBegun { call: id, tool },
            });
        };
        let mut asking = by.model.ask(request, &mut deltas);
        let reply = loop {
            tokio::select! {
                reply = &mut asking => break Some(reply),
                () = by.cancel.cancelled_or_left() => break None,
                () = unwritten.due() => self.said_so_far(attempt, unwritten.take()),
            }
        };
        drop(asking);
        if !matches!(reply, Some(Ok(_))) {
            self.said_so_far(attempt, unwritten.take());
        }
        reply
    }

    /// The number of this attempt at an answer; one that another program left is closed.
    fn begin_attempt(&mut self) -> u32 {
        let (turn, round) = (self.number(), self.round());
        let open = self.talk.open_turn().and_then(TurnRecord::open_partial);
        if let Some(attempt) = open.map(|open| open.attempt) {
            self.note(TalkEvent::BrokeOff { turn, round, attempt });
        }
        self.talk.open_turn().map_or(0, TurnRecord::attempts)
    }

    /// Writes down what the model has said so far. Whoever watches has heard it already.
    fn said_so_far(&mut self, attempt: u32, words: Vec<(PartialKind, String)>) {
        let (turn, round) = (self.number(), self.round());
        for (kind, text) in words {
            let open = self.talk.open_turn().and_then(TurnRecord::open_partial);
            let part = open.map_or(0, |open| open.parts);
            let event = TalkEvent::Partial { turn, round, attempt, part, kind, text };
            self.pen.write(&event);
            self.talk.add(event);
        }
    }

    /// What the model is offered in the next round; what is new about that is noted.
    async fn offer(&mut self) -> Vec<ToolOffer> {
        let used = self.talk.open_turn().into_iter().flat_map(|turn| turn.used());
        let past =
            Past { used: used.map(str::to_owned).collect(), has_results: self.talk.has_results() };
        let mut offers = self.hands.offers(&self.origin, self.round(), &past).await;
        offers.retain(|(_, tool)| !self.talk.is_left_out(tool));
        let (mut tools, offered): (Vec<_>, Vec<_>) = offers.into_iter().unzip();
        let seat = Seat {
            model: self.by.model.facts().to_string(),
            tools_max: self.by.model.tools_max(),
            known: self.talk.known_tools(),
        };
        if offered != self.talk.offered {
            let (turn, round) = (self.number(), self.round());
            self.note(TalkEvent::Offered { turn, round, tools: offered.clone() });
        }
        for bad in self.hands.left_out(&self.origin, self.round(), &seat, &offered).await {
            tools.retain(|offer: &ToolOffer| bad.iter().all(|tool| tool.id != offer.id.as_str()));
            self.leave_out(bad);
        }
        tools
    }

    /// The tools to blame, as far as they were on offer.
    fn blamed(&self, blamed: Vec<RejectedTool>) -> Vec<LeftOutTool> {
        let left_out = |RejectedTool { tool, because }: RejectedTool| {
            let offered = self.talk.offered.iter().find(|offered| offered.id == tool)?;
            Some(LeftOutTool { id: tool, digest: offered.digest, because })
        };
        blamed.into_iter().filter_map(left_out).collect()
    }

    fn leave_out(&mut self, tools: Vec<LeftOutTool>) {
        let (turn, round) = (self.number(), self.round());
        self.note(TalkEvent::LeftOut { turn, round, tools });
    }

    /// Settles calls in their order; neighbours that write nothing run side by side.
    /// Says whether all have their end.
    async fn settle(&mut self, calls: Vec<Call>) -> bool {
        let mut all = true;
        let mut calls = calls.into_iter().peekable();
        while let Some(first) = calls.next() {
            let mut group = vec![first];
            if !self.hands.in_order(&group[0]) {
                while let Some(next) = calls.next_if(|call| !self.hands.in_order(call)) {
                    group.push(next);
                }
            }
            if self.by.cancel.is_cancelled() {
                group
                    .iter()
                    .for_each(|call| self.settled(call, unmade(call, &HowEnded::Cancelled, None)));
                continue;
            }
            // The fault comes back from whoever lets the ink dry at the end of the turn.
            if self.hands.in_order(&group[0]) && self.pen.dry().await.is_err() {
                return false;
            }
            for call in &group {
                let (id, tool) = (call.id.clone(), call.tool.clone());
                self.by.audience.hear(Heard::Running { call: id, tool });
            }
            let (hands, context, origin) = (self.hands, &self.context, &self.origin);
            let running = group.iter().map(|call| hands.settle(context, origin, call));
            for (call, ending) in group.iter().zip(join_all(running.collect()).await) {
                match ending {
                    Ending::Settled(settled, chunks) => {
                        self.stream(call, chunks);
                        self.settled(call, *settled);
                    }
                    Ending::Waits(what) => {
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
        self.note(TalkEvent::Settled { turn, round, settled });
    }

    fn waits(&mut self, call: &Call, what: WaitsFor) {
        let waiting = self.talk.open_turn().and_then(|turn| turn.waiting.get(&call.id));
        if waiting == Some(&what) {
            return;
        }
        let (turn, call) = (self.number(), call.id.clone());
        self.note(match what {
            WaitsFor::Approval { request, preview } => {
                TalkEvent::Asked { turn, call, request, preview }
            }
            WaitsFor::Knowledge { tool } => TalkEvent::InDoubt { turn, call, tool },
        });
    }

    fn stream(&mut self, call: &Call, chunks: Vec<Chunk>) {
        for (part, Chunk { channel, text }) in (0..).zip(chunks) {
            let (turn, round, call) = (self.number(), self.round(), call.id.clone());
            self.note(TalkEvent::Streamed { turn, round, call, part, channel, text });
        }
    }

    /// Ends the turn: every call has an end, tools have cleaned up, the log says how.
    async fn end(&mut self, how: HowEnded) -> TurnEnd {
        for call in self.talk.unsettled() {
            let waits = self.talk.open_turn().and_then(|turn| turn.waiting.get(&call.id));
            let unmade = unmade(&call, &how, waits);
            self.settled(&call, unmade);
        }
        self.hands.cleanup(&self.origin).await;
        self.note(TalkEvent::Ended { turn: self.number(), how: how.clone() });
        TurnEnd::Ended(how)
    }

    fn number(&self) -> u64 {
        self.origin.turn
    }

    /// The number of the round that comes next.
    fn round(&self) -> u32 {
        let rounds = self.talk.open_turn().map_or(0, |turn| turn.rounds.len());
        u32::try_from(rounds).unwrap_or(u32::MAX)
    }

    /// Writes an event down, tells the audience, and counts it in.
    fn note(&mut self, event: TalkEvent) {
        self.pen.write(&event);
        self.by.audience.event(&event);
        self.talk.add(event);
    }
}

/// Of what the model was asked: tools, system, messages, choice.
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
