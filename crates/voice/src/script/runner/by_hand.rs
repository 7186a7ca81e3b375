//! What a person does by hand with the form that is open.

use contract::HandlerAnswer;
use serde_json::Value;

use super::Runner;
use crate::driver::Driver;
use crate::form::Submission;
use crate::input::Input;
use crate::script::statement::PageAction;
use crate::state::shown_form::FormContent;

impl Runner<'_> {
    /// Without an open form, the page has nothing to send: that is the number 0.
    pub(super) fn form_action(&mut self, action: PageAction) {
        let shown = self.driver.as_ref().map(Driver::state).and_then(crate::state::State::form);
        let form = shown.as_ref().map_or(0, |shown| shown.number);
        match action {
            PageAction::Fills { answers: Value::Object(answers) } => {
                self.input(Input::FormEdited { form, answers });
            }
            PageAction::Sends { target, params } => {
                let submission = Submission { target, params };
                self.input(Input::FormSubmitted { form, submission });
            }
            PageAction::Answers { content } => {
                // The engine decides whether the answer counts, and the session is told.
                let Some(FormContent::Question { call, name, .. }) = shown.map(|one| one.content)
                else {
                    return;
                };
                let answer = HandlerAnswer { action: contract::Action::Accept, content };
                let now = self.time();
                let events = self.engine.answer_form(now, &call, &name, answer);
                self.engine_events(events);
                self.input(Input::QuestionAnswered { call, name });
            }
            PageAction::ClosesForm => self.input(Input::FormClosed { form }),
            PageAction::Fills { .. }
            | PageAction::StopsReporting
            | PageAction::Reports
            | PageAction::Approves
            | PageAction::Declines
            | PageAction::Interrupts => {}
        }
    }
}
