//! What a surface shows of a conversation: derived from the log, so a reload shows the same.
//!
//! Must hold: nothing of the channel `context` and nothing that only the model reads is in it.

use contract::{CallId, Channel, Part};
use serde::Serialize;
use serde_json::Value;

use super::event::{HowEnded, SettledCall};
use super::record::{Round, Streamed, Talk, TurnRecord, WaitsFor};

/// One entry of the page, the terminal or the ear.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "entry", rename_all = "snake_case")]
pub enum Entry {
    User {
        turn: u64,
        text: String,
    },
    /// A piece of the answer.
    Assistant {
        turn: u64,
        text: String,
    },
    Thinking {
        turn: u64,
        text: String,
    },
    /// A message of its own.
    System {
        turn: u64,
        text: String,
    },
    Step(Box<Step>),
    /// How the turn ended, where that is not simply the answer.
    Ended {
        turn: u64,
        how: HowEnded,
    },
}

/// A tool call as people see it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Step {
    pub turn: u64,
    pub call: CallId,
    pub tool: String,
    pub args: Value,
    pub auto: bool,
    pub state: StepState,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum StepState {
    /// It has no end yet.
    Open,
    /// A person is asked.
    Asked {
        request: String,
        preview: String,
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
        notes: Vec<String>,
    },
}

/// The whole conversation, entry by entry.
pub fn view(talk: &Talk) -> Vec<Entry> {
    let mut entries = Vec::new();
    for (index, turn) in talk.turns.iter().enumerate() {
        entries.extend(notices(talk, index));
        entries.extend(turn_view(turn));
    }
    entries.extend(notices(talk, talk.turns.len()));
    entries
}

fn notices(talk: &Talk, turns: usize) -> impl Iterator<Item = Entry> {
    let here = talk.notices.iter().filter(move |(before, _)| *before == turns);
    here.map(move |(_, text)| Entry::System { turn: turns as u64, text: text.clone() })
}

fn turn_view(turn: &TurnRecord) -> Vec<Entry> {
    let number = turn.number;
    let mut entries = vec![Entry::User { turn: number, text: turn.said.clone() }];
    for settled in &turn.auto {
        entries.push(step(number, settled));
        entries.extend(streamed(number, &turn.streamed, &settled.call.id));
    }
    for round in &turn.rounds {
        entries.extend(round_view(turn, round));
    }
    match &turn.ended {
        None | Some(HowEnded::Answered | HowEnded::MovedOn) => {}
        Some(how) => entries.push(Entry::Ended { turn: number, how: how.clone() }),
    }
    entries
}

fn round_view(turn: &TurnRecord, round: &Round) -> Vec<Entry> {
    let number = turn.number;
    let mut entries = Vec::new();
    for block in &round.reply.blocks {
        match &block.part {
            Part::Text { text } => {
                entries.push(Entry::Assistant { turn: number, text: text.clone() });
            }
            Part::Thinking { text } if text.is_empty() => {}
            Part::Thinking { text } => {
                entries.push(Entry::Thinking { turn: number, text: text.clone() });
            }
            Part::Call(call) => {
                entries.push(match round.settled.get(&call.id) {
                    Some(settled) => step(number, settled),
                    None => Entry::Step(Box::new(Step {
                        turn: number,
                        call: call.id.clone(),
                        tool: call.tool.clone(),
                        args: call.args.clone(),
                        auto: false,
                        state: open(turn.waiting.get(&call.id)),
                    })),
                });
                entries.extend(streamed(number, &round.streamed, &call.id));
            }
            Part::Refusal { text } => {
                entries.push(Entry::Assistant { turn: number, text: text.clone() });
            }
            Part::TornCall { .. } | Part::Result(_) | Part::Other { .. } => {}
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
        Some(WaitsFor::Knowledge { .. }) => StepState::InDoubt,
    }
}

fn step(turn: u64, settled: &SettledCall) -> Entry {
    let SettledCall { call, auto, verdict, content, is_error, duration, notes, .. } = settled;
    let (content, duration, verdict) = (content.clone(), *duration, verdict.clone());
    let state = match is_error {
        false => StepState::Done { content, duration, verdict },
        true => StepState::Failed { content, duration, verdict, notes: notes.clone() },
    };
    Entry::Step(Box::new(Step {
        turn,
        call: call.id.clone(),
        tool: call.tool.clone(),
        args: call.args.clone(),
        auto: *auto,
        state,
    }))
}

/// What a tool said to the person, in the order it spoke.
fn streamed(turn: u64, pieces: &[Streamed], call: &CallId) -> Vec<Entry> {
    let shown = pieces.iter().filter(|piece| piece.call == *call);
    shown
        .filter_map(|piece| {
            let text = piece.text.clone();
            match piece.channel {
                Channel::Assistant => Some(Entry::Assistant { turn, text }),
                Channel::System => Some(Entry::System { turn, text }),
                Channel::Context => None,
            }
        })
        .collect()
}
