//! Questions that a handler asks before it does anything, returned instead of data.
//!
//! In: `{"ask": {KEY: {…}}}` from a handler, treated as hostile. Out: [`Asks`]. Must hold:
//! every surface can show them: few questions, short texts, and forms of plain fields (see
//! `ask/form.rs`).

mod form;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::UnknownWord;
use crate::contract::words;

words! {
    /// Who answers a question of a handler.
    AskKind {
        /// The person, who fills in a form.
        Person = "person",
        /// The caller's model.
        Model = "model",
        /// The calling program: which folders it works in.
        Folders = "folders",
    }
}

/// One question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Ask {
    Person {
        message: String,
        /// JSON Schema of an object whose fields are plain values.
        schema: Value,
    },
    Model {
        message: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        system: Option<String>,
        max_tokens: u32,
    },
    Folders,
}

impl Ask {
    pub const MESSAGE_CHARS_MAX: usize = 2_000;
    /// What a handler may send to a model.
    pub const PROMPT_CHARS_MAX: usize = 32_000;
    pub const TOKENS_MAX: u32 = 8_192;
    const TOKENS: u32 = 1_024;

    pub fn kind(&self) -> AskKind {
        match self {
            Ask::Person { .. } => AskKind::Person,
            Ask::Model { .. } => AskKind::Model,
            Ask::Folders => AskKind::Folders,
        }
    }
}

/// The questions of one round, by the handler's names for them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Asks(BTreeMap<String, Ask>);

/// Why a handler's questions are invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadAsk {
    #[error("`ask` must be an object with 1 to {} questions", Asks::COUNT_MAX)]
    Count,
    #[error("`{0}` is not a valid question name; use 1 to 64 of A-Z, a-z, 0-9, `_`, `-` and `.`")]
    Name(String),
    #[error("the question `{0}` must be an object")]
    NotAnObject(String),
    #[error("the kind of the question `{0}`: {1}")]
    Kind(String, UnknownWord),
    #[error("the question `{0}` has an unknown field `{1}`")]
    Field(String, String),
    #[error("the question `{0}`: `{1}` {2}")]
    Value(String, &'static str, String),
}

impl Asks {
    pub const COUNT_MAX: usize = 8;
    const NAME_CHARS_MAX: usize = 64;

    /// The questions in a handler's response, if there are any.
    pub fn of_answer(answer: &Value) -> Option<Result<Self, BadAsk>> {
        let fields = answer.as_object().filter(|fields| !fields.contains_key("ok"))?;
        fields.get("ask").map(Self::read)
    }

    fn read(asked: &Value) -> Result<Self, BadAsk> {
        let asked = asked.as_object().filter(|asked| (1..=Self::COUNT_MAX).contains(&asked.len()));
        let entry = |(name, ask): (&String, &Value)| {
            let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
            let fits = (1..=Self::NAME_CHARS_MAX).contains(&name.len()) && name.chars().all(plain);
            if !fits {
                return Err(BadAsk::Name(name.chars().take(Self::NAME_CHARS_MAX).collect()));
            }
            let ask = ask.as_object().ok_or_else(|| BadAsk::NotAnObject(name.clone()))?;
            Ok((name.clone(), Reading { name, fields: ask }.ask()?))
        };
        asked.ok_or(BadAsk::Count)?.iter().map(entry).collect::<Result<_, _>>().map(Self)
    }

    /// The questions that are still open; none if all are answered.
    pub fn rest(open: BTreeMap<String, Ask>) -> Option<Self> {
        (!open.is_empty()).then_some(Self(open))
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &Ask)> {
        self.0.iter().map(|(name, ask)| (name.as_str(), ask))
    }

    pub fn get(&self, name: &str) -> Option<&Ask> {
        self.0.get(name)
    }

    /// The kinds among them, each once.
    pub fn kinds(&self) -> Vec<AskKind> {
        AskKind::ALL.iter().copied().filter(|kind| self.has(*kind)).collect()
    }

    fn has(&self, kind: AskKind) -> bool {
        self.0.values().any(|ask| ask.kind() == kind)
    }
}

/// One question being read.
struct Reading<'a> {
    name: &'a str,
    fields: &'a Map<String, Value>,
}

impl Reading<'_> {
    fn ask(&self) -> Result<Ask, BadAsk> {
        let kind = match self.fields.get("kind") {
            None => AskKind::Person,
            Some(Value::String(kind)) => {
                kind.parse().map_err(|bad| BadAsk::Kind(self.name.to_owned(), bad))?
            }
            Some(_) => return Err(self.bad("kind", "must be a string")),
        };
        match kind {
            AskKind::Person => {
                self.only(&["kind", "message", "schema"])?;
                let schema = self.fields.get("schema").cloned().unwrap_or_default();
                form::check(&schema).map_err(|why| self.bad("schema", why))?;
                Ok(Ask::Person { message: self.text("message", Ask::MESSAGE_CHARS_MAX)?, schema })
            }
            AskKind::Model => {
                self.only(&["kind", "message", "system", "maxTokens"])?;
                let system = self.fields.get("system").filter(|system| !system.is_null());
                let system = system.map(|_| self.text("system", Ask::PROMPT_CHARS_MAX));
                let message = self.text("message", Ask::PROMPT_CHARS_MAX)?;
                let max_tokens = self.max_tokens()?;
                Ok(Ask::Model { message, system: system.transpose()?, max_tokens })
            }
            AskKind::Folders => self.only(&["kind"]).map(|()| Ask::Folders),
        }
    }

    fn only(&self, known: &[&str]) -> Result<(), BadAsk> {
        match self.fields.keys().find(|field| !known.contains(&field.as_str())) {
            Some(field) => {
                let field = field.chars().take(Asks::NAME_CHARS_MAX).collect();
                Err(BadAsk::Field(self.name.to_owned(), field))
            }
            None => Ok(()),
        }
    }

    fn text(&self, field: &'static str, chars_max: usize) -> Result<String, BadAsk> {
        let text = self.fields.get(field).and_then(Value::as_str).unwrap_or_default();
        match !text.trim().is_empty() && text.chars().count() <= chars_max {
            true => Ok(text.to_owned()),
            false => {
                Err(self.bad(field, format!("must be a string of 1 to {chars_max} characters")))
            }
        }
    }

    fn max_tokens(&self) -> Result<u32, BadAsk> {
        let Some(value) = self.fields.get("maxTokens") else { return Ok(Ask::TOKENS) };
        let tokens = value.as_u64().and_then(|tokens| u32::try_from(tokens).ok());
        tokens.filter(|tokens| (1..=Ask::TOKENS_MAX).contains(tokens)).ok_or_else(|| {
            self.bad("maxTokens", format!("must be a whole number from 1 to {}", Ask::TOKENS_MAX))
        })
    }

    fn bad(&self, field: &'static str, why: impl Into<String>) -> BadAsk {
        BadAsk::Value(self.name.to_owned(), field, why.into())
    }
}

#[cfg(test)]
mod tests;
