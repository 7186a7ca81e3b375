//! One request whose answer comes later, perhaps to another process: for batches.
//!
//! Must hold: the same [`Ask`] gives the same request, and an answer is judged as [`emit`]
//! judges it. Nothing is asked again; what to do about an answer that is not whole is the
//! caller's business.
//!
//! [`emit`]: super::emit

use contract::{ModelFacts, Reply, Request};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::conversation::Conversation;
use super::judge::{Judge, Judged, Verdict};
use super::{Answer, Ask, EmitFault, Emitted, History, Ladder, Shortfall};

/// A request, and the judge of its answer.
pub struct Question<T> {
    talk: Conversation,
    judge: Judge<T>,
}

impl<T: JsonSchema + DeserializeOwned> Question<T> {
    pub fn new(facts: &ModelFacts, ladder: &Ladder, ask: &Ask) -> Result<Self, EmitFault> {
        ask.check()?;
        let schema = dialect::parameters_of::<T>();
        let read = |value: &Value| T::deserialize(value).map_err(|error| error.to_string());
        let judge = Judge::new(&schema, ask.list.as_ref(), read)?;
        let rung = ladder.way_down(facts, &schema, None)?.rung();
        Ok(Self { talk: Conversation::begin(ask, &schema, rung, facts), judge })
    }

    pub fn request(&self) -> &Request {
        self.talk.request()
    }

    /// What the answer is worth.
    pub fn read(&self, reply: &Reply) -> Emitted<T> {
        let Judged { verdict, salvage } = self.judge.judge(reply);
        let mut history = History::default();
        history.add_reply(&self.talk, reply, &verdict, &salvage);
        let why = match verdict {
            Verdict::Fits(answer) => return Emitted { answer: Answer::Whole(answer), history },
            Verdict::Cut => Shortfall::OutputLimit { tokens: self.talk.output_tokens() },
            Verdict::Unfit(complaints) | Verdict::Prose(complaints) => {
                Shortfall::Unfit { complaints }
            }
            Verdict::Missing => Shortfall::Missing,
            Verdict::Paused => Shortfall::Paused { times: 0 },
            Verdict::Refused { text } => Shortfall::Refused { text },
            Verdict::ContextExceeded => Shortfall::ContextExceeded,
        };
        Emitted { answer: Answer::Partial { complete: salvage.complete, why }, history }
    }
}
