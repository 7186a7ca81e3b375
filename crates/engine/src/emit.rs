//! Asks a model for an answer that fits a schema or a Rust type.
//!
//! In: a [`Model`], what it refused before ([`Ladder`]) and an [`Ask`]. Out: an
//! [`Emitted`]: the whole answer, or the records that came whole and why the rest did
//! not; with every request that was made. Must hold: what is handed over fits the
//! caller's own schema, never half a record; requests only grow at their end, and what
//! stands before the input is the same for every input; the number of requests has a
//! limit. `Err` means that nothing was asked, because the question itself is wrong.
//!
//! Start at [`emit`]; every road is in `run`.

mod conversation;
mod history;
mod judge;
mod ladder;
mod question;
mod shortfall;

use contract::{Model, Pointer, Rung, ToolId};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use self::conversation::Conversation;
pub use self::history::{Attempt, History, What};
use self::judge::{Judge, Judged, Verdict};
pub use self::ladder::Ladder;
pub use self::question::Question;
pub use self::shortfall::{EmitFault, Shortfall};

/// What is asked for, beside the schema.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    /// What the answer is called; on some rungs this is the tool that the model calls.
    pub name: ToolId,
    pub description: String,
    /// The system text: the same for every input, so that a provider can cache it.
    pub instructions: String,
    pub input: String,
    /// What the answer may have at first.
    pub output_tokens: u32,
    /// What it may have after it was cut off once.
    pub output_tokens_ceiling: u32,
    /// Where in the answer the list of records stands. Without it nothing is saved of an
    /// answer that is not whole.
    pub list: Option<Pointer>,
    pub limits: EmitLimits,
}

impl Ask {
    /// Is there anything to ask, and not too much?
    fn check(&self) -> Result<(), EmitFault> {
        if self.input.trim().is_empty() {
            return Err(EmitFault::Empty);
        }
        let (bytes, max) =
            (self.instructions.len().saturating_add(self.input.len()), self.limits.input_bytes_max);
        if bytes > max { Err(EmitFault::TooLarge { bytes, max }) } else { Ok(()) }
    }
}

/// What one answer may cost. No `Default`: whoever asks says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EmitLimits {
    /// All requests together: steps down the ladder, repairs and pauses too.
    pub requests_max: u32,
    /// How often a model that paused its own work is told to go on.
    pub pauses_max: u32,
    /// Instructions and input together.
    pub input_bytes_max: usize,
}

impl EmitLimits {
    /// For a program on one machine.
    pub fn machine() -> Self {
        Self { requests_max: 10, pauses_max: 4, input_bytes_max: 4 << 20 }
    }
}

/// What came of an [`Ask`], and what it took.
#[derive(Debug, Clone, PartialEq)]
pub struct Emitted<T> {
    pub answer: Answer<T>,
    pub history: History,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Answer<T> {
    Whole(T),
    /// Each record that came whole and fits, perhaps none, in the order of the answer; the
    /// caller can go on with the rest of its input.
    Partial {
        complete: Vec<Value>,
        why: Shortfall,
    },
}

impl<T> Emitted<T> {
    /// The whole answer, for callers that can do nothing with a part of one.
    pub fn whole(self) -> Result<T, Shortfall> {
        match self.answer {
            Answer::Whole(answer) => Ok(answer),
            Answer::Partial { why, .. } => Err(why),
        }
    }
}

/// Asks for a `T`.
pub async fn emit<T: JsonSchema + DeserializeOwned>(
    model: &dyn Model,
    ladder: &Ladder,
    ask: &Ask,
) -> Result<Emitted<T>, EmitFault> {
    let schema = dialect::parameters_of::<T>();
    let read = |value: &Value| T::deserialize(value).map_err(|error| error.to_string());
    run(model, ladder, &schema, ask, read).await
}

/// Asks for a value that fits a JSON Schema of any draft.
pub async fn emit_value(
    model: &dyn Model,
    ladder: &Ladder,
    schema: &Value,
    ask: &Ask,
) -> Result<Emitted<Value>, EmitFault> {
    run(model, ladder, schema, ask, |value| Ok(value.clone())).await
}

/// What may still be done about an answer that is not whole.
struct Left {
    requests: u32,
    pauses: u32,
    repairs: u32,
    nudges: u32,
    bumps: u32,
}

/// Takes one, if one is left.
fn take(left: &mut u32) -> bool {
    left.checked_sub(1).map(|less| *left = less).is_some()
}

async fn run<T>(
    model: &dyn Model,
    ladder: &Ladder,
    schema: &Value,
    ask: &Ask,
    read: fn(&Value) -> Result<T, String>,
) -> Result<Emitted<T>, EmitFault> {
    let EmitLimits { requests_max, pauses_max, input_bytes_max: _ } = ask.limits;
    ask.check()?;
    let judge = Judge::new(schema, ask.list.as_ref(), read)?;
    let mut way = ladder.way_down(model.facts(), schema, model.rung_memory())?;
    let mut talk = Conversation::begin(ask, schema, way.rung(), model.facts());
    let mut left =
        Left { requests: requests_max, pauses: pauses_max, repairs: 1, nudges: 1, bumps: 1 };
    let mut history = History::default();
    let mut complete = Vec::new();
    let why = loop {
        if !take(&mut left.requests) {
            break Shortfall::Requests { max: requests_max };
        }
        let reply = match model.ask(talk.request(), &mut |_| {}).await {
            Ok(reply) => reply,
            Err(fault) => {
                history.add_fault(&talk, &fault);
                if way.step_down(&fault) {
                    talk.take_rung(way.rung());
                    continue;
                }
                break Shortfall::from(fault);
            }
        };
        way.answered();
        let Judged { verdict, salvage } = judge.judge(&reply);
        history.add_reply(&talk, &reply, &verdict, &salvage);
        if salvage.complete.len() >= complete.len() {
            complete = salvage.complete;
        }
        match verdict {
            Verdict::Fits(answer) => return Ok(Emitted { answer: Answer::Whole(answer), history }),
            Verdict::Cut if take(&mut left.bumps) && talk.allow_more() => {}
            Verdict::Cut => break Shortfall::OutputLimit { tokens: talk.output_tokens() },
            Verdict::Prose(_) | Verdict::Missing
                if talk.rung() == Rung::Native && talk.is_new() && way.step_past() =>
            {
                talk.take_rung(way.rung());
            }
            Verdict::Unfit(complaints) | Verdict::Prose(complaints) if take(&mut left.repairs) => {
                talk.complain(&reply, &complaints);
            }
            Verdict::Unfit(complaints) | Verdict::Prose(complaints) => {
                break Shortfall::Unfit { complaints };
            }
            Verdict::Missing if take(&mut left.nudges) => talk.nudge(&reply),
            Verdict::Missing => break Shortfall::Missing,
            Verdict::Paused if take(&mut left.pauses) => talk.go_on(&reply),
            Verdict::Paused => break Shortfall::Paused { times: pauses_max },
            Verdict::Refused { text } => break Shortfall::Refused { text },
            Verdict::ContextExceeded => break Shortfall::ContextExceeded,
        }
    };
    Ok(Emitted { answer: Answer::Partial { complete, why }, history })
}

#[cfg(test)]
mod tests;
