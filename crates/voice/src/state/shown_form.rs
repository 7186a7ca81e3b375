//! What a surface shows of the open form, and which questions wait for a person.

use contract::CallId;
use serde_json::{Map, Value};

use crate::event::{AskAbout, Waits};
use crate::form::{Dialogue, is_button_choice};
use crate::state::State;
use crate::state::call::{OpenCall, Stage};

/// A form that is open, for a surface that shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownForm {
    /// What the surface names when it answers.
    pub number: u32,
    pub content: FormContent,
    /// What was answered so far, by voice or by hand, by the name of the field.
    pub answers: Map<String, Value>,
    /// The field that is being asked for.
    pub field: Option<String>,
    /// Nothing is asked aloud any more.
    pub by_hand: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub enum FormContent {
    /// A handler's question.
    Question { call: CallId, tool: String, name: String, message: String, schema: Value },
    /// The form of a tool.
    Feature { tool: String, feature: Value },
}

/// A handler's question that waits for its answer.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenQuestion {
    pub call: CallId,
    pub tool: String,
    pub name: String,
    pub message: String,
    pub schema: Value,
}

impl State {
    /// The form that is open, if one is.
    pub fn form(&self) -> Option<ShownForm> {
        let ask = self.ask.as_ref().filter(|ask| ask.body.is_form())?;
        let content = match &ask.about {
            AskAbout::Approval { .. } => return None,
            AskAbout::Feature { tool, feature, .. } => {
                FormContent::Feature { tool: tool.clone(), feature: feature.clone() }
            }
            AskAbout::Form { call } => {
                let open = self.calls.get(call)?;
                let Stage::Waiting(Waits::Form { name, message, schema }) = &open.stage else {
                    return None;
                };
                FormContent::Question {
                    call: call.clone(),
                    tool: open.call.tool.clone(),
                    name: name.clone(),
                    message: message.clone(),
                    schema: schema.clone(),
                }
            }
        };
        let dialogue = ask.dialogue();
        let is_field = |name: &String| {
            !matches!(content, FormContent::Feature { .. }) || !is_button_choice(name)
        };
        let answers = dialogue.map(Dialogue::answers).cloned().unwrap_or_default();
        let answers = answers.into_iter().filter(|(name, _)| is_field(name)).collect();
        let by_hand = !ask.captures_speech();
        let field = dialogue.filter(|_| !by_hand).and_then(Dialogue::field);
        let field = field.map(str::to_owned).filter(is_field);
        Some(ShownForm { number: ask.number, content, answers, field, by_hand })
    }

    /// The handlers' questions that wait for an answer.
    pub fn open_questions(&self) -> Vec<OpenQuestion> {
        let question = |open: &OpenCall| match &open.stage {
            Stage::Waiting(Waits::Form { name, message, schema }) => Some(OpenQuestion {
                call: open.call.id.clone(),
                tool: open.call.tool.clone(),
                name: name.clone(),
                message: message.clone(),
                schema: schema.clone(),
            }),
            Stage::Waiting(Waits::Approval { .. })
            | Stage::Asked
            | Stage::Running
            | Stage::Settled(_) => None,
        };
        self.calls.in_order().into_iter().filter_map(question).collect()
    }

    /// Whether a person is being asked something.
    pub fn is_asking(&self) -> bool {
        self.ask.is_some()
    }
}
