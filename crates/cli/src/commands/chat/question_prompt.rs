//! The questions of handlers in the terminal, for a turn that waits: field by field.

use conversation::OpenQuestion;
use engine::QuestionFault;

use super::approval_prompt::Next;
use super::line_editor::Input;
use super::{Chat, conversation_failure};
use crate::commands::call::form_prompt;
use crate::exit::Failure;
use crate::render::printer::{Printer, bold, dim};

impl Chat {
    /// Asks what the handlers want to know, or about every call that needs approval.
    pub(super) async fn ask_what_waits(&mut self, printer: &mut Printer) -> Result<Next, Failure> {
        let open = self.conversations.questions(&self.id).await.map_err(conversation_failure)?;
        if open.is_empty() {
            return self.ask_person(printer).await;
        }
        for asked in open {
            printer.message(bold(format!("`{}` asks", asked.tool)))?;
            if !self.put_question(&asked, printer).await? {
                self.conversations.stop(&self.id).await.map_err(conversation_failure)?;
                printer.message(dim(format!("(stopped; `{}` did not run)", asked.tool)))?;
                return Ok(Next::Stop);
            }
        }
        Ok(Next::GoOn)
    }

    /// Asks until the answer fits; false if the person stops the turn with Ctrl-C.
    async fn put_question(
        &mut self,
        asked: &OpenQuestion,
        printer: &mut Printer,
    ) -> Result<bool, Failure> {
        let OpenQuestion { call, question, .. } = asked;
        loop {
            let mut is_stopped = false;
            let mut next = || {
                Ok(match self.read("", "")? {
                    Some(Input::Line(line)) => Some(line),
                    Some(Input::Interrupted) => {
                        is_stopped = true;
                        None
                    }
                    Some(Input::End) | None => None,
                })
            };
            let (message, schema) = (&question.message, &question.schema);
            let answer = form_prompt::ask(message, schema, &mut next, printer)?;
            if is_stopped {
                return Ok(false);
            }
            let name = &question.name;
            match self.conversations.answer_question(&self.id, call, name, answer).await {
                Ok(_) => return Ok(true),
                Err(fault @ QuestionFault::Unfit { .. }) => printer.message(fault.to_string())?,
                // The turn asks again, or goes on with the answer from elsewhere.
                Err(fault) => {
                    printer.message(format!("the answer was rejected: {fault}"))?;
                    return Ok(true);
                }
            }
        }
    }
}
