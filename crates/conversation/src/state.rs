//! A conversation rebuilt from its events, and the next step of an open turn.
//!
//! Pure: the same events give the same [`Conversation`], so a turn that another process left
//! continues exactly where its log ends.

use std::collections::{BTreeMap, BTreeSet};

use contract::{
    Call, CallId, Channel, FaultKind, FileRef, ModelFault, Part, Reply, StopReason, Usage,
};
use policy::{RequestId, RuleId, VerdictKind};

use super::conversations::questions::FormQuestion;
use super::event::{ConversationEvent, EndReason, LeftOutTool, OfferedTool, Opened, SettledCall};
use super::settings::ConversationSettings;
use super::turn::partial::PartialAnswer;
use super::versions::Versions;
use super::voice::VoiceSession;
use super::voice::log::is_opening;

/// A whole conversation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Conversation {
    pub opened: Option<Opened>,
    /// What a person chose for it, and how often they did.
    pub settings: ConversationSettings,
    pub settings_changes: u64,
    pub turns: Vec<TurnState>,
    /// The tools that the model was offered last.
    pub offered: Vec<OfferedTool>,
    /// The tools that it cannot be offered in this conversation.
    pub left_out: Vec<LeftOutTool>,
    /// The tokens used, including those of turns that were taken back.
    pub usage: Usage,
    pub notices: Vec<Notice>,
    /// The voice sessions, in order.
    pub voice: Vec<VoiceSession>,
    /// The number of the newest turn, even if it was taken back. Numbers are never reused.
    pub newest: u64,
    /// How many events were added: the number of the last one in the log.
    pub events: u64,
    pub versions: Versions,
}

/// A message that a tool left outside of turns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// The number of the turn before it; 0 before the first.
    pub after: u64,
    pub text: String,
    pub event: u64,
}

/// One turn: the person's message, and everything until the end of the answer.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnState {
    pub number: u64,
    pub message: String,
    pub files: Vec<FileRef>,
    /// Answers instead of the conversation's model.
    pub model: Option<String>,
    /// The numbers of the event that began it, and of its newest one.
    pub event: u64,
    pub last_event: u64,
    /// Calls that the host made before the answer.
    pub auto: Vec<SettledCall>,
    /// What the auto calls streamed.
    pub streamed: Vec<Streamed>,
    /// None until the turn is prepared.
    pub dashboard: Option<String>,
    pub rounds: Vec<Round>,
    /// Incomplete answers, in order.
    pub partial: Vec<PartialAnswer>,
    pub waiting: BTreeMap<CallId, WaitsFor>,
    /// The calls that needed a person, answered or not.
    pub asked: BTreeSet<CallId>,
    /// How often the log has questions of a call's handler.
    pub questioned: BTreeMap<CallId, u32>,
    pub ended: Option<EndReason>,
    /// The numbers of the events that settled calls.
    pub settled_at: BTreeMap<CallId, u64>,
    /// The tools that the turn continued without.
    pub left_out: Vec<LeftOut>,
}

/// Tools that were left out before a round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    pub round: u32,
    pub event: u64,
    pub tools: Vec<LeftOutTool>,
}

/// One answer of the model, and the outcomes of its calls.
#[derive(Debug, Clone, PartialEq)]
pub struct Round {
    pub reply: Reply,
    /// The number of the reply's event.
    pub event: u64,
    pub settled: BTreeMap<CallId, SettledCall>,
    pub streamed: Vec<Streamed>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Streamed {
    pub call: CallId,
    pub channel: Channel,
    pub text: String,
    pub event: u64,
}

/// What a person has to do for a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WaitsFor {
    Approval {
        request: RequestId,
        preview: String,
    },
    /// Answer the handler's questions.
    Answers {
        /// How often the handler asked, from 1.
        round: u32,
        questions: Vec<FormQuestion>,
    },
    /// Find out how a write ended.
    Knowledge {
        tool: String,
    },
}

/// The next step of an open turn.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum NextStep {
    /// No turn is open.
    Nothing,
    /// Run the auto tools and collect the dashboard.
    Prepare,
    AskModel(ToolUse),
    /// These calls of the newest reply are not settled yet.
    Settle(Vec<Call>),
    End(EndReason),
}

/// Whether the model may call tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ToolUse {
    Allowed,
    /// The rounds are used up: the model must answer without calls.
    Forbidden,
}

impl Conversation {
    pub fn read<'a>(events: impl IntoIterator<Item = &'a ConversationEvent>) -> Self {
        let mut conversation = Self::default();
        events.into_iter().for_each(|event| conversation.add(event.clone()));
        conversation
    }

    /// The turn that has not ended yet.
    pub fn open_turn(&self) -> Option<&TurnState> {
        self.turns.last().filter(|turn| turn.ended.is_none())
    }

    /// Whether the conversation continues without this version of the tool.
    pub(crate) fn is_left_out(&self, tool: &OfferedTool) -> bool {
        self.left_out.iter().any(|left| left.id == tool.id && left.digest == tool.digest)
    }

    /// Whether there are results that can be looked up.
    pub(crate) fn has_results(&self) -> bool {
        let made = |turn: &TurnState| {
            !turn.auto.is_empty() || turn.rounds.iter().any(|round| !round.settled.is_empty())
        };
        self.turns.iter().any(made)
    }

    /// The tools that were called or offered so far.
    pub(crate) fn known_tools(&self) -> BTreeSet<String> {
        let rounds = self.turns.iter().flat_map(|turn| &turn.rounds);
        let settled = rounds.flat_map(|round| round.settled.values());
        let called = settled.map(|settled| settled.call.tool.clone());
        called.chain(self.offered.iter().map(|tool| tool.id.clone())).collect()
    }

    /// Adds the next event.
    pub fn add(&mut self, event: ConversationEvent) {
        self.events += 1;
        let at = self.events;
        let Some(number) = event.turn() else {
            if let ConversationEvent::Noticed { text, .. } = event {
                let after = self.turns.last().map_or(0, |turn| turn.number);
                self.notices.push(Notice { after, text, event: at });
            } else if let ConversationEvent::Opened(opened) = event {
                self.opened.get_or_insert(opened);
            } else if let ConversationEvent::SettingsChanged { number, settings } = event {
                (self.settings, self.settings_changes) = (settings, number);
            } else if let ConversationEvent::TakenBack { first, last } = event {
                self.take_back(first, last);
            } else if let ConversationEvent::SentAgain { first, last, turn } = event {
                self.set_aside(first, last, turn);
            } else if let ConversationEvent::Chosen { turn, .. } = event {
                self.choose(turn);
            } else if let ConversationEvent::Voice { session, entry, .. } = event {
                self.add_voice(session, at, entry);
            }
            return;
        };
        if let ConversationEvent::Said { text, files, model, .. } = event {
            self.newest = self.newest.max(number);
            return self.turns.push(TurnState { files, model, ..TurnState::new(number, text, at) });
        }
        if let ConversationEvent::Offered { tools, .. } = event {
            self.offered = tools;
            return;
        }
        if let ConversationEvent::LeftOut { tools, .. } = &event {
            self.offered.retain(|offered| tools.iter().all(|tool| tool.id != offered.id));
            self.left_out.extend(tools.iter().cloned());
        }
        if let ConversationEvent::Replied { reply, .. } = &event {
            self.usage += reply.usage;
        }
        if let Some(turn) = self.turns.last_mut().filter(|turn| turn.number == number) {
            turn.add(event, at);
        }
    }

    fn add_voice(&mut self, session: u64, at: u64, entry: voice::LogEntry) {
        if is_opening(&entry) {
            let after = self.turns.last().map_or(0, |turn| turn.number);
            let (turns_before, entries) = (self.newest, Vec::new());
            self.voice.push(VoiceSession { session, after, turns_before, entries });
        }
        let Some(open) = self.voice.last_mut().filter(|open| open.session == session) else {
            return;
        };
        open.entries.push((at, entry));
        self.newest = self.newest.max(open.newest());
    }

    /// The model that a person chose for the open turn, or for the conversation.
    pub fn chosen_model(&self) -> Option<&str> {
        let of_turn = self.open_turn().and_then(|turn| turn.model.as_deref());
        of_turn.or(self.settings.model.as_deref())
    }

    /// The next step.
    pub(crate) fn next(&self) -> NextStep {
        let rounds_max = self.opened.as_ref().map_or(0, |opened| opened.rounds_max);
        let Some(turn) = self.open_turn() else { return NextStep::Nothing };
        if turn.dashboard.is_none() {
            return NextStep::Prepare;
        }
        let Some(round) = turn.rounds.last() else { return NextStep::AskModel(ToolUse::Allowed) };
        let open = round.open_calls();
        // After an empty answer the model is asked again; that does not count as a round.
        let rounds = turn.rounds.iter().filter(|round| !round.is_silent()).count() as u64;
        let spent = turn.spent_the_budget_at();
        let last = turn.rounds.len() - 1;
        let tool_use = match spent.is_some() || rounds >= u64::from(rounds_max) {
            true => ToolUse::Forbidden,
            false => ToolUse::Allowed,
        };
        let wanted_tools = round.reply.calls().next().is_some() || round.is_torn();
        match &round.reply.stop {
            StopReason::Refusal { text } => {
                NextStep::End(EndReason::Refused { text: text.clone() })
            }
            _ if rounds > u64::from(rounds_max) + 1 => NextStep::End(EndReason::TooManyRounds),
            _ if !open.is_empty() && rounds > u64::from(rounds_max) => {
                NextStep::End(EndReason::TooManyRounds)
            }
            // The answer after the last round was not allowed to have calls.
            _ if !open.is_empty() && spent.is_some_and(|spent| spent < last) => {
                NextStep::End(EndReason::TooManyRounds)
            }
            _ if !open.is_empty() => NextStep::Settle(open),
            StopReason::MaxTokens | StopReason::ContextExceeded
                if round.reply.calls().next().is_none() =>
            {
                NextStep::End(EndReason::CutOff)
            }
            StopReason::PauseTurn => NextStep::AskModel(ToolUse::Allowed),
            _ if wanted_tools && spent.is_some_and(|spent| spent < last) => {
                NextStep::End(EndReason::TooManyRounds)
            }
            _ if wanted_tools => NextStep::AskModel(tool_use),
            StopReason::Other { reason } if round.reply.text().trim().is_empty() => {
                NextStep::End(EndReason::Failed { fault: silent(reason) })
            }
            _ if round.is_silent() && turn.has_spoken() => NextStep::End(EndReason::Answered),
            _ if round.is_silent() && turn.was_asked_again() => NextStep::End(EndReason::NoAnswer),
            _ if round.is_silent() => NextStep::AskModel(tool_use),
            StopReason::EndTurn
            | StopReason::ToolUse
            | StopReason::MaxTokens
            | StopReason::StopSequence
            | StopReason::ContextExceeded
            | StopReason::Other { .. } => NextStep::End(EndReason::Answered),
        }
    }
}

/// The model gave a stop reason and no answer.
fn silent(reason: &str) -> ModelFault {
    ModelFault {
        kind: FaultKind::Garbled,
        message: format!("the model ended without an answer: {reason}"),
        fix: "rephrase the message, or use another model".to_owned(),
        status: None,
        retry_after: None,
    }
}

impl Conversation {
    /// The calls of the newest reply that are not settled, waiting or not.
    pub(crate) fn unsettled(&self) -> Vec<Call> {
        let round = self.open_turn().and_then(|turn| turn.rounds.last());
        let refused = |round: &&Round| matches!(round.reply.stop, StopReason::Refusal { .. });
        round.filter(|round| !refused(round)).map(Round::open_calls).unwrap_or_default()
    }
}

impl TurnState {
    fn new(number: u64, message: String, event: u64) -> Self {
        Self {
            number,
            message,
            files: Vec::new(),
            model: None,
            event,
            last_event: event,
            auto: Vec::new(),
            streamed: Vec::new(),
            dashboard: None,
            rounds: Vec::new(),
            partial: Vec::new(),
            waiting: BTreeMap::new(),
            asked: BTreeSet::new(),
            questioned: BTreeMap::new(),
            ended: None,
            settled_at: BTreeMap::new(),
            left_out: Vec::new(),
        }
    }

    fn add(&mut self, event: ConversationEvent, at: u64) {
        self.last_event = at;
        match event {
            ConversationEvent::Opened(_)
            | ConversationEvent::SettingsChanged { .. }
            | ConversationEvent::Said { .. }
            | ConversationEvent::Offered { .. }
            | ConversationEvent::Noticed { .. }
            | ConversationEvent::TakenBack { .. }
            | ConversationEvent::SentAgain { .. }
            | ConversationEvent::Chosen { .. }
            | ConversationEvent::Voice { .. } => {}
            ConversationEvent::LeftOut { round, tools, .. } => {
                self.left_out.push(LeftOut { round, event: at, tools });
            }
            ConversationEvent::Dashboard { text, .. } => self.dashboard = Some(text),
            ConversationEvent::Partial { attempt, kind, text, .. } => {
                self.add_partial(attempt, kind, text, at);
            }
            ConversationEvent::BrokeOff { .. } => {
                if let Some(open) = self.partial.last_mut() {
                    open.broke_off = Some(at);
                }
            }
            ConversationEvent::Replied { reply, .. } => {
                self.partial.pop_if(|partial| partial.broke_off.is_none());
                let (settled, streamed) = (BTreeMap::new(), Vec::new());
                self.rounds.push(Round { reply, event: at, settled, streamed });
            }
            ConversationEvent::Streamed { call, channel, text, .. } => {
                let streamed = Streamed { call, channel, text, event: at };
                match self.rounds.last_mut() {
                    Some(round) => round.streamed.push(streamed),
                    None => self.streamed.push(streamed),
                }
            }
            ConversationEvent::Asked { call, request, preview, .. } => {
                self.asked.insert(call.clone());
                self.waiting.insert(call, WaitsFor::Approval { request, preview });
            }
            ConversationEvent::Questioned { call, number, round, questions, .. } => {
                self.questioned.insert(call.clone(), number);
                self.waiting.insert(call, WaitsFor::Answers { round, questions });
            }
            ConversationEvent::InDoubt { call, tool, .. } => {
                self.waiting.insert(call, WaitsFor::Knowledge { tool });
            }
            ConversationEvent::Settled { settled, .. } => {
                self.waiting.remove(&settled.call.id);
                self.settled_at.insert(settled.call.id.clone(), at);
                match (settled.auto, self.rounds.last_mut()) {
                    (false, Some(round)) => {
                        round.settled.insert(settled.call.id.clone(), settled);
                    }
                    (true, _) | (false, None) => self.auto.push(settled),
                }
            }
            ConversationEvent::Ended { how, .. } => self.ended = Some(how),
        }
    }

    /// Whether a tool has answered the person directly. Then the model need not add anything.
    fn has_spoken(&self) -> bool {
        let rounds = self.rounds.iter().flat_map(|round| &round.streamed);
        let mut pieces = self.streamed.iter().chain(rounds);
        pieces.any(|piece| piece.channel == Channel::Assistant && !piece.text.trim().is_empty())
    }

    /// The round after which no call is possible any more: a model that continues to call tools
    /// would only be refused again.
    fn spent_the_budget_at(&self) -> Option<usize> {
        let over = self.rounds.iter().position(Round::is_over_budget);
        let in_vain = |pair: &[Round]| pair.iter().all(Round::is_all_over_budget);
        let twice = self.rounds.windows(2).position(in_vain).map(|first| first + 1);
        over.into_iter().chain(twice).min()
    }

    /// Whether the newest reply is the second empty one.
    fn was_asked_again(&self) -> bool {
        self.rounds.iter().rev().take(2).filter(|round| round.is_silent()).count() == 2
    }

    /// The tools that ran in this turn, called by the model or automatically.
    pub(crate) fn used(&self) -> impl Iterator<Item = &str> {
        let settled = self.rounds.iter().flat_map(|round| round.settled.values());
        let ran = settled.filter(|settled| settled.verdict_kind() == Some(VerdictKind::Run));
        ran.map(|settled| settled.call.tool.as_str())
    }
}

impl Round {
    /// The calls that are not settled yet.
    fn open_calls(&self) -> Vec<Call> {
        let is_open = |call: &&Call| !self.settled.contains_key(&call.id);
        self.reply.calls().filter(is_open).cloned().collect()
    }

    /// Whether the reply has neither text nor calls, without a stop reason that explains it.
    pub(crate) fn is_silent(&self) -> bool {
        let says = |part: &Part| match part {
            Part::Text { text } => !text.trim().is_empty(),
            Part::Thinking { .. } => false,
            Part::Call(_)
            | Part::TornCall { .. }
            | Part::Result(_)
            | Part::Refusal { .. }
            | Part::Other { .. }
            | Part::File(_) => true,
        };
        let ended_well = match self.reply.stop {
            StopReason::EndTurn | StopReason::ToolUse | StopReason::StopSequence => true,
            StopReason::MaxTokens
            | StopReason::PauseTurn
            | StopReason::Refusal { .. }
            | StopReason::ContextExceeded
            | StopReason::Other { .. } => false,
        };
        ended_well && !self.reply.blocks.iter().any(|block| says(&block.part))
    }

    /// Whether a call was refused because the turn's budget is used up.
    fn is_over_budget(&self) -> bool {
        self.settled.values().any(|settled| settled.rule == RuleId::BUDGET_CALLS)
    }

    /// Whether all calls of the round were refused because the budget is used up.
    fn is_all_over_budget(&self) -> bool {
        let over = [RuleId::BUDGET_CALLS, RuleId::BUDGET_RETRIEVAL];
        !self.settled.is_empty()
            && self.settled.values().all(|settled| over.contains(&settled.rule))
    }

    /// Whether a call was incomplete, although the output limit was not reached.
    pub(crate) fn is_torn(&self) -> bool {
        let torn = |part: &Part| matches!(part, Part::TornCall { .. });
        self.reply.stop != StopReason::MaxTokens
            && self.reply.blocks.iter().any(|block| torn(&block.part))
    }
}
