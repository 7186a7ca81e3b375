//! What a surface shows of a conversation: derived from the log, so a reload shows the same.
//!
//! An entry has its turn, and the number of the newest event that changed it.
//!
//! Must hold: it contains no `context` chunks and nothing else that only the model reads.

use contract::{Artifact, CallId, Channel, FileRef, Part};
use policy::{RuleId, VerdictKind};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::conversations::questions::FormQuestion;
use super::event::{EndReason, LeftOutTool, PartialKind, SettledCall};
use super::state::{Conversation, LeftOut, Notice, Round, Streamed, TurnState, WaitsFor};
use super::voice::view::session_view;

/// One entry of a surface. `event` is left out of exported files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "entry", rename_all = "snake_case")]
pub enum Entry {
    User {
        turn: u64,
        #[serde(default)]
        event: u64,
        text: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        files: Vec<FileRef>,
        /// The turns that are versions of this one, itself included; empty without others.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        versions: Vec<u64>,
        /// The model that was to answer this message instead of the conversation's.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
    },
    /// A piece of the answer.
    Assistant {
        turn: u64,
        #[serde(default)]
        event: u64,
        text: String,
    },
    Thinking {
        turn: u64,
        #[serde(default)]
        event: u64,
        text: String,
    },
    /// A separate message.
    System {
        turn: u64,
        #[serde(default)]
        event: u64,
        text: String,
    },
    Step(Box<Step>),
    /// The answer before it was interrupted, and the model was asked again.
    BrokeOff {
        turn: u64,
        #[serde(default)]
        event: u64,
    },
    /// How the turn ended, unless it ended with an answer.
    Ended {
        turn: u64,
        #[serde(default)]
        event: u64,
        how: EndReason,
    },
}

/// A tool call as people see it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Step {
    pub turn: u64,
    #[serde(default)]
    pub event: u64,
    pub call: CallId,
    pub tool: String,
    /// The arguments it ran with.
    pub args: Value,
    /// The model's own arguments, if a person changed them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed_from: Option<Value>,
    #[serde(default)]
    pub auto: bool,
    pub state: StepState,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum StepState {
    /// It is not settled yet.
    Open,
    /// A person is asked.
    Asked {
        request: String,
        preview: String,
    },
    /// The handler asks a person.
    Questioned {
        round: u32,
        questions: Vec<FormQuestion>,
    },
    InDoubt,
    Done {
        content: Value,
        duration: Option<u64>,
        verdict: String,
    },
    Failed {
        content: Value,
        duration: Option<u64>,
        verdict: String,
        #[serde(default)]
        notes: Vec<String>,
    },
}

impl Entry {
    pub fn turn(&self) -> u64 {
        match self {
            Entry::User { turn, .. }
            | Entry::Assistant { turn, .. }
            | Entry::Thinking { turn, .. }
            | Entry::System { turn, .. }
            | Entry::BrokeOff { turn, .. }
            | Entry::Ended { turn, .. } => *turn,
            Entry::Step(step) => step.turn,
        }
    }
}

/// The whole conversation, entry by entry.
pub fn view(conversation: &Conversation) -> Vec<Entry> {
    let mut entries = Vec::new();
    entries.extend(between(conversation, 0));
    for turn in &conversation.turns {
        entries.extend(turn_view(turn, conversation.versions_of(turn.number)));
        entries.extend(between(conversation, turn.number));
    }
    entries
}

/// What came after a text turn: notices and voice sessions, in the order of the log.
fn between(conversation: &Conversation, turn: u64) -> Vec<Entry> {
    let notices = notices(conversation, turn).map(|(event, entry)| (event, vec![entry]));
    let sessions = conversation.voice.iter().filter(|session| session.after == turn);
    let sessions = sessions.map(|session| {
        let first = session.entries.first().map_or(0, |(event, _)| *event);
        (first, session_view(session))
    });
    let mut parts: Vec<_> = notices.chain(sessions).collect();
    parts.sort_by_key(|(event, _)| *event);
    parts.into_iter().flat_map(|(_, entries)| entries).collect()
}

fn notices(conversation: &Conversation, turn: u64) -> impl Iterator<Item = (u64, Entry)> {
    let here = conversation.notices.iter().filter(move |notice| notice.after == turn);
    here.map(move |Notice { text, event, .. }| {
        (*event, Entry::System { turn, event: *event, text: text.clone() })
    })
}

fn turn_view(turn: &TurnState, versions: &[u64]) -> Vec<Entry> {
    let number = turn.number;
    let (event, text, model) = (turn.event, turn.message.clone(), turn.model.clone());
    let (files, versions) = (turn.files.clone(), versions.to_vec());
    let mut entries = vec![Entry::User { turn: number, event, text, files, versions, model }];
    for settled in &turn.auto {
        entries.push(step(turn, settled));
        entries.extend(streamed(number, &turn.streamed, &settled.call.id));
        entries.extend(artifacts(turn, settled));
    }
    for (at, round) in turn.rounds.iter().enumerate() {
        entries.extend(left_out(turn, |before| before == at));
        entries.extend(partial_view(turn, at));
        entries.extend(round_view(turn, round));
    }
    entries.extend(left_out(turn, |before| before >= turn.rounds.len()));
    entries.extend(partial_view(turn, turn.rounds.len()));
    match &turn.ended {
        None | Some(EndReason::Answered) => {}
        Some(EndReason::MovedOn) if turn.open_partial().is_none() => {}
        Some(how) => {
            let event = turn.last_event;
            entries.push(Entry::Ended { turn: number, event, how: how.clone() });
        }
    }
    entries
}

/// A notice about the tools that the turn continues without.
fn left_out(turn: &TurnState, is_here: impl Fn(usize) -> bool) -> Vec<Entry> {
    let here = turn.left_out.iter().filter(|left| is_here(left.round as usize));
    here.map(|LeftOut { event, tools, .. }| Entry::System {
        turn: turn.number,
        event: *event,
        text: left_out_in_words(tools),
    })
    .collect()
}

/// For people: which tools, and why. Tools with the same reason share a sentence.
pub fn left_out_in_words(tools: &[LeftOutTool]) -> String {
    let mut reasons: Vec<(&str, Vec<String>)> = Vec::new();
    for LeftOutTool { id, because, .. } in tools {
        match reasons.iter_mut().find(|(reason, _)| reason == because) {
            Some((_, ids)) => ids.push(format!("`{id}`")),
            None => reasons.push((because, vec![format!("`{id}`")])),
        }
    }
    let sentence = |(reason, ids): &(&str, Vec<String>)| {
        let are = if ids.len() == 1 { "is" } else { "are" };
        format!("{} {are} left out of this conversation: {reason}.", ids.join(", "))
    };
    reasons.iter().map(sentence).collect::<Vec<_>>().join("\n")
}

/// The text of a round before the answer was interrupted.
fn partial_view(turn: &TurnState, round: usize) -> Vec<Entry> {
    let number = turn.number;
    let mut entries = Vec::new();
    for partial in turn.partial.iter().filter(|partial| partial.round == round) {
        entries.extend(partial.pieces.iter().map(|piece| {
            let (turn, event, text) = (number, piece.event, piece.text.clone());
            match piece.kind {
                PartialKind::Text => Entry::Assistant { turn, event, text },
                PartialKind::Thinking => Entry::Thinking { turn, event, text },
            }
        }));
        entries.extend(partial.broke_off.map(|event| Entry::BrokeOff { turn: number, event }));
    }
    entries
}

fn round_view(turn: &TurnState, round: &Round) -> Vec<Entry> {
    let (number, event) = (turn.number, round.event);
    let mut entries = Vec::new();
    for block in &round.reply.blocks {
        match &block.part {
            Part::Text { text } => {
                entries.push(Entry::Assistant { turn: number, event, text: text.clone() });
            }
            Part::Thinking { text } if text.is_empty() => {}
            Part::Thinking { text } => {
                entries.push(Entry::Thinking { turn: number, event, text: text.clone() });
            }
            Part::Call(call) => {
                entries.push(match round.settled.get(&call.id) {
                    Some(settled) => step(turn, settled),
                    None => Entry::Step(Box::new(Step {
                        turn: number,
                        event,
                        call: call.id.clone(),
                        tool: call.tool.clone(),
                        args: call.args.clone(),
                        changed_from: None,
                        auto: false,
                        state: open(turn.waiting.get(&call.id)),
                    })),
                });
                entries.extend(streamed(number, &round.streamed, &call.id));
                let settled = round.settled.get(&call.id).into_iter();
                entries.extend(settled.flat_map(|settled| artifacts(turn, settled)));
            }
            Part::Refusal { text } => {
                entries.push(Entry::Assistant { turn: number, event, text: text.clone() });
            }
            Part::TornCall { .. } | Part::Result(_) | Part::Other { .. } | Part::File(_) => {}
        }
    }
    entries
}

fn open(waits: Option<&WaitsFor>) -> StepState {
    match waits {
        None => StepState::Open,
        Some(WaitsFor::Approval { request, preview }) => {
            StepState::Asked { request: request.0.clone(), preview: preview.clone() }
        }
        Some(WaitsFor::Answers { round, questions }) => {
            StepState::Questioned { round: *round, questions: questions.clone() }
        }
        Some(WaitsFor::Knowledge { .. }) => StepState::InDoubt,
    }
}

fn step(turn: &TurnState, settled: &SettledCall) -> Entry {
    let SettledCall { call, auto, rule, content, is_error, duration, notes, .. } = settled;
    // People see who declined: a person or the rules.
    let verdict = match settled.verdict_kind() {
        Some(VerdictKind::Run) if turn.asked.contains(&call.id) => "ask",
        Some(VerdictKind::Refuse) if *rule == RuleId::DECLINED => "decline",
        Some(VerdictKind::Refuse) if *rule == RuleId::EXPIRED => "expire",
        Some(_) | None => &settled.verdict,
    };
    let (content, duration, verdict) = (content.clone(), *duration, verdict.to_owned());
    let state = match is_error {
        false => StepState::Done { content, duration, verdict },
        true => StepState::Failed { content, duration, verdict, notes: notes.clone() },
    };
    Entry::Step(Box::new(Step {
        turn: turn.number,
        event: settled_at(turn, settled),
        call: call.id.clone(),
        tool: call.tool.clone(),
        args: settled.args().clone(),
        changed_from: settled.edited.as_ref().map(|_| call.args.clone()),
        auto: *auto,
        state,
    }))
}

fn settled_at(turn: &TurnState, settled: &SettledCall) -> u64 {
    turn.settled_at.get(&settled.call.id).copied().unwrap_or(turn.event)
}

/// The files of a tool: each is a part of the answer, as if the model had written it.
fn artifacts(turn: &TurnState, settled: &SettledCall) -> Vec<Entry> {
    let event = settled_at(turn, settled);
    let entry = |artifact: &Artifact| Entry::Assistant {
        turn: turn.number,
        event,
        text: artifact.to_markdown(),
    };
    settled.artifacts.iter().map(entry).collect()
}

/// The chunks for the person, in order.
fn streamed(turn: u64, pieces: &[Streamed], call: &CallId) -> Vec<Entry> {
    let shown = pieces.iter().filter(|piece| piece.call == *call);
    shown
        .filter_map(|piece| {
            let (event, text) = (piece.event, piece.text.clone());
            match piece.channel {
                Channel::Assistant => Some(Entry::Assistant { turn, event, text }),
                Channel::System => Some(Entry::System { turn, event, text }),
                Channel::Context => None,
            }
        })
        .collect()
}
